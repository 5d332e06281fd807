# DynaMechs V 2.1 ascii
# Aquarobot without its camera boom: a free torso and six legs of hip, thigh, shank and a foot pad on a ball joint.
# Figures: those of the Aquarobot data that come with DynaMechs (github.com/yiping/DynaMechs); names and this file are ours.

Graphics_Models {
  Number_Graphics_Models 5
  "torso.xan"
  "hip.xan"
  "thigh.xan"
  "shank.xan"
  "foot.xan"
}

System {
  Name "Aquarobot"
  DynamicRefMember {
    Name "torso"
    Graphics_Model_Index 0
    Mass 210.28
    Inertia 14.7 0 0
            0 14.7 0
            0 0 8.72
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 0
    Position 8 10 1
    Orientation_Quat 0 0 0 1   # x y z w
    Velocity 0 0 0 0 0 0
  }

  Articulation {
    Name "leg1"
    RevoluteLink {
      Name "leg1 hip"
      Graphics_Model_Index 1
      Mass 5.03
      Inertia 0.02 0 0
              0 0.07 0
              0 0 0.13
      Center_of_Gravity 0.1 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.375 0 0 0
      Initial_Joint_Velocity 0
      Joint_Limits -1.0472 1.0472
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 32
      Motor_BackEMF_Constant 32.4676
      Motor_Armature_Resistance 3.2
      Motor_Inertia 5.3
      Motor_Coulomb_Friction_Constant 10.24
      Motor_Viscous_Friction_Constant 6.78
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg1 thigh"
      Graphics_Model_Index 2
      Mass 32.61
      Inertia 0.22 -0.39 0
              -0.39 3.6 0
              0 0 3.7
      Center_of_Gravity 0.2 0.06 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.2 1.5708 0 0.1
      Initial_Joint_Velocity 0
      Joint_Limits -1.86013 1.2815
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 99
      Motor_BackEMF_Constant 100.2676
      Motor_Armature_Resistance 1.1
      Motor_Inertia 148.5
      Motor_Coulomb_Friction_Constant 47.52
      Motor_Viscous_Friction_Constant 56.5318
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg1 shank"
      Graphics_Model_Index 3
      Mass 35.81
      Inertia 0.18 0 0
              0 4 0
              0 0 4
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.52 0 0 -1.5
      Initial_Joint_Velocity 0
      Joint_Limits -2.730086 0.411507
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 66
      Motor_BackEMF_Constant 66.8451
      Motor_Armature_Resistance 1.1
      Motor_Inertia 66
      Motor_Coulomb_Friction_Constant 31.68
      Motor_Viscous_Friction_Constant 25.1147
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    SphericalLink {
      Name "leg1 foot"
      Graphics_Model_Index 4
      Mass 10.14
      Inertia 0.164 0 0
              0 0.084 0
              0 0 0.084
      Center_of_Gravity 0.015 0 0
      Number_of_Contact_Points 9
      Contact_Locations 0.03 0 0.225
                        0.03 0.159099 0.159099
                        0.03 0.225 0
                        0.03 0.159099 -0.159099
                        0.03 0 -0.225
                        0.03 -0.159099 -0.159099
                        0.03 -0.225 0
                        0.03 -0.159099 0.159099
                        0.03 0 0
      Position_From_Inboard_Link 1.02 0 0
      Initial_Joint_Angles 0 0 -0.4707
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0.5 0 0
      Joint_Limit_Spring_Constant 800
      Joint_Limit_Damper_Constant 10
      Joint_Friction 0.35
    }
  }

  Articulation {
    Name "leg2"
    ZScrewTxLink {
      Name ""
      ZScrew_Parameters 0 1.0471976
    }
    RevoluteLink {
      Name "leg2 hip"
      Graphics_Model_Index 1
      Mass 5.03
      Inertia 0.02 0 0
              0 0.07 0
              0 0 0.13
      Center_of_Gravity 0.1 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.375 0 0 0
      Initial_Joint_Velocity 0
      Joint_Limits -1.0472 1.0472
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 32
      Motor_BackEMF_Constant 32.4676
      Motor_Armature_Resistance 3.2
      Motor_Inertia 5.3
      Motor_Coulomb_Friction_Constant 10.24
      Motor_Viscous_Friction_Constant 6.78
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg2 thigh"
      Graphics_Model_Index 2
      Mass 32.61
      Inertia 0.22 -0.39 0
              -0.39 3.6 0
              0 0 3.7
      Center_of_Gravity 0.2 0.06 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.2 1.5708 0 0.1
      Initial_Joint_Velocity 0
      Joint_Limits -1.86013 1.2815
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 99
      Motor_BackEMF_Constant 100.2676
      Motor_Armature_Resistance 1.1
      Motor_Inertia 148.5
      Motor_Coulomb_Friction_Constant 47.52
      Motor_Viscous_Friction_Constant 56.5318
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg2 shank"
      Graphics_Model_Index 3
      Mass 35.81
      Inertia 0.18 0 0
              0 4 0
              0 0 4
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.52 0 0 -1.5
      Initial_Joint_Velocity 0
      Joint_Limits -2.730086 0.411507
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 66
      Motor_BackEMF_Constant 66.8451
      Motor_Armature_Resistance 1.1
      Motor_Inertia 66
      Motor_Coulomb_Friction_Constant 31.68
      Motor_Viscous_Friction_Constant 25.1147
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    SphericalLink {
      Name "leg2 foot"
      Graphics_Model_Index 4
      Mass 10.14
      Inertia 0.164 0 0
              0 0.084 0
              0 0 0.084
      Center_of_Gravity 0.015 0 0
      Number_of_Contact_Points 9
      Contact_Locations 0.03 0 0.225
                        0.03 0.159099 0.159099
                        0.03 0.225 0
                        0.03 0.159099 -0.159099
                        0.03 0 -0.225
                        0.03 -0.159099 -0.159099
                        0.03 -0.225 0
                        0.03 -0.159099 0.159099
                        0.03 0 0
      Position_From_Inboard_Link 1.02 0 0
      Initial_Joint_Angles 0 0 -0.4707
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0.5 0 0
      Joint_Limit_Spring_Constant 800
      Joint_Limit_Damper_Constant 10
      Joint_Friction 0.35
    }
  }

  Articulation {
    Name "leg3"
    ZScrewTxLink {
      Name ""
      ZScrew_Parameters 0 2.0943951
    }
    RevoluteLink {
      Name "leg3 hip"
      Graphics_Model_Index 1
      Mass 5.03
      Inertia 0.02 0 0
              0 0.07 0
              0 0 0.13
      Center_of_Gravity 0.1 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.375 0 0 0
      Initial_Joint_Velocity 0
      Joint_Limits -1.0472 1.0472
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 32
      Motor_BackEMF_Constant 32.4676
      Motor_Armature_Resistance 3.2
      Motor_Inertia 5.3
      Motor_Coulomb_Friction_Constant 10.24
      Motor_Viscous_Friction_Constant 6.78
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg3 thigh"
      Graphics_Model_Index 2
      Mass 32.61
      Inertia 0.22 -0.39 0
              -0.39 3.6 0
              0 0 3.7
      Center_of_Gravity 0.2 0.06 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.2 1.5708 0 0.1
      Initial_Joint_Velocity 0
      Joint_Limits -1.86013 1.2815
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 99
      Motor_BackEMF_Constant 100.2676
      Motor_Armature_Resistance 1.1
      Motor_Inertia 148.5
      Motor_Coulomb_Friction_Constant 47.52
      Motor_Viscous_Friction_Constant 56.5318
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg3 shank"
      Graphics_Model_Index 3
      Mass 35.81
      Inertia 0.18 0 0
              0 4 0
              0 0 4
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.52 0 0 -1.5
      Initial_Joint_Velocity 0
      Joint_Limits -2.730086 0.411507
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 66
      Motor_BackEMF_Constant 66.8451
      Motor_Armature_Resistance 1.1
      Motor_Inertia 66
      Motor_Coulomb_Friction_Constant 31.68
      Motor_Viscous_Friction_Constant 25.1147
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    SphericalLink {
      Name "leg3 foot"
      Graphics_Model_Index 4
      Mass 10.14
      Inertia 0.164 0 0
              0 0.084 0
              0 0 0.084
      Center_of_Gravity 0.015 0 0
      Number_of_Contact_Points 9
      Contact_Locations 0.03 0 0.225
                        0.03 0.159099 0.159099
                        0.03 0.225 0
                        0.03 0.159099 -0.159099
                        0.03 0 -0.225
                        0.03 -0.159099 -0.159099
                        0.03 -0.225 0
                        0.03 -0.159099 0.159099
                        0.03 0 0
      Position_From_Inboard_Link 1.02 0 0
      Initial_Joint_Angles 0 0 -0.4707
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0.5 0 0
      Joint_Limit_Spring_Constant 800
      Joint_Limit_Damper_Constant 10
      Joint_Friction 0.35
    }
  }

  Articulation {
    Name "leg4"
    ZScrewTxLink {
      Name ""
      ZScrew_Parameters 0 3.1415927
    }
    RevoluteLink {
      Name "leg4 hip"
      Graphics_Model_Index 1
      Mass 5.03
      Inertia 0.02 0 0
              0 0.07 0
              0 0 0.13
      Center_of_Gravity 0.1 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.375 0 0 0
      Initial_Joint_Velocity 0
      Joint_Limits -1.0472 1.0472
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 32
      Motor_BackEMF_Constant 32.4676
      Motor_Armature_Resistance 3.2
      Motor_Inertia 5.3
      Motor_Coulomb_Friction_Constant 10.24
      Motor_Viscous_Friction_Constant 6.78
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg4 thigh"
      Graphics_Model_Index 2
      Mass 32.61
      Inertia 0.22 -0.39 0
              -0.39 3.6 0
              0 0 3.7
      Center_of_Gravity 0.2 0.06 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.2 1.5708 0 0.1
      Initial_Joint_Velocity 0
      Joint_Limits -1.86013 1.2815
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 99
      Motor_BackEMF_Constant 100.2676
      Motor_Armature_Resistance 1.1
      Motor_Inertia 148.5
      Motor_Coulomb_Friction_Constant 47.52
      Motor_Viscous_Friction_Constant 56.5318
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg4 shank"
      Graphics_Model_Index 3
      Mass 35.81
      Inertia 0.18 0 0
              0 4 0
              0 0 4
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.52 0 0 -1.5
      Initial_Joint_Velocity 0
      Joint_Limits -2.730086 0.411507
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 66
      Motor_BackEMF_Constant 66.8451
      Motor_Armature_Resistance 1.1
      Motor_Inertia 66
      Motor_Coulomb_Friction_Constant 31.68
      Motor_Viscous_Friction_Constant 25.1147
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    SphericalLink {
      Name "leg4 foot"
      Graphics_Model_Index 4
      Mass 10.14
      Inertia 0.164 0 0
              0 0.084 0
              0 0 0.084
      Center_of_Gravity 0.015 0 0
      Number_of_Contact_Points 9
      Contact_Locations 0.03 0 0.225
                        0.03 0.159099 0.159099
                        0.03 0.225 0
                        0.03 0.159099 -0.159099
                        0.03 0 -0.225
                        0.03 -0.159099 -0.159099
                        0.03 -0.225 0
                        0.03 -0.159099 0.159099
                        0.03 0 0
      Position_From_Inboard_Link 1.02 0 0
      Initial_Joint_Angles 0 0 -0.4707
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0.5 0 0
      Joint_Limit_Spring_Constant 800
      Joint_Limit_Damper_Constant 10
      Joint_Friction 0.35
    }
  }

  Articulation {
    Name "leg5"
    ZScrewTxLink {
      Name ""
      ZScrew_Parameters 0 -2.0943951
    }
    RevoluteLink {
      Name "leg5 hip"
      Graphics_Model_Index 1
      Mass 5.03
      Inertia 0.02 0 0
              0 0.07 0
              0 0 0.13
      Center_of_Gravity 0.1 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.375 0 0 0
      Initial_Joint_Velocity 0
      Joint_Limits -1.0472 1.0472
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 32
      Motor_BackEMF_Constant 32.4676
      Motor_Armature_Resistance 3.2
      Motor_Inertia 5.3
      Motor_Coulomb_Friction_Constant 10.24
      Motor_Viscous_Friction_Constant 6.78
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg5 thigh"
      Graphics_Model_Index 2
      Mass 32.61
      Inertia 0.22 -0.39 0
              -0.39 3.6 0
              0 0 3.7
      Center_of_Gravity 0.2 0.06 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.2 1.5708 0 0.1
      Initial_Joint_Velocity 0
      Joint_Limits -1.86013 1.2815
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 99
      Motor_BackEMF_Constant 100.2676
      Motor_Armature_Resistance 1.1
      Motor_Inertia 148.5
      Motor_Coulomb_Friction_Constant 47.52
      Motor_Viscous_Friction_Constant 56.5318
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg5 shank"
      Graphics_Model_Index 3
      Mass 35.81
      Inertia 0.18 0 0
              0 4 0
              0 0 4
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.52 0 0 -1.5
      Initial_Joint_Velocity 0
      Joint_Limits -2.730086 0.411507
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 66
      Motor_BackEMF_Constant 66.8451
      Motor_Armature_Resistance 1.1
      Motor_Inertia 66
      Motor_Coulomb_Friction_Constant 31.68
      Motor_Viscous_Friction_Constant 25.1147
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    SphericalLink {
      Name "leg5 foot"
      Graphics_Model_Index 4
      Mass 10.14
      Inertia 0.164 0 0
              0 0.084 0
              0 0 0.084
      Center_of_Gravity 0.015 0 0
      Number_of_Contact_Points 9
      Contact_Locations 0.03 0 0.225
                        0.03 0.159099 0.159099
                        0.03 0.225 0
                        0.03 0.159099 -0.159099
                        0.03 0 -0.225
                        0.03 -0.159099 -0.159099
                        0.03 -0.225 0
                        0.03 -0.159099 0.159099
                        0.03 0 0
      Position_From_Inboard_Link 1.02 0 0
      Initial_Joint_Angles 0 0 -0.4707
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0.5 0 0
      Joint_Limit_Spring_Constant 800
      Joint_Limit_Damper_Constant 10
      Joint_Friction 0.35
    }
  }

  Articulation {
    Name "leg6"
    ZScrewTxLink {
      Name ""
      ZScrew_Parameters 0 -1.0471976
    }
    RevoluteLink {
      Name "leg6 hip"
      Graphics_Model_Index 1
      Mass 5.03
      Inertia 0.02 0 0
              0 0.07 0
              0 0 0.13
      Center_of_Gravity 0.1 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.375 0 0 0
      Initial_Joint_Velocity 0
      Joint_Limits -1.0472 1.0472
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 32
      Motor_BackEMF_Constant 32.4676
      Motor_Armature_Resistance 3.2
      Motor_Inertia 5.3
      Motor_Coulomb_Friction_Constant 10.24
      Motor_Viscous_Friction_Constant 6.78
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg6 thigh"
      Graphics_Model_Index 2
      Mass 32.61
      Inertia 0.22 -0.39 0
              -0.39 3.6 0
              0 0 3.7
      Center_of_Gravity 0.2 0.06 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.2 1.5708 0 0.1
      Initial_Joint_Velocity 0
      Joint_Limits -1.86013 1.2815
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 99
      Motor_BackEMF_Constant 100.2676
      Motor_Armature_Resistance 1.1
      Motor_Inertia 148.5
      Motor_Coulomb_Friction_Constant 47.52
      Motor_Viscous_Friction_Constant 56.5318
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    RevoluteLink {
      Name "leg6 shank"
      Graphics_Model_Index 3
      Mass 35.81
      Inertia 0.18 0 0
              0 4 0
              0 0 4
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0.52 0 0 -1.5
      Initial_Joint_Velocity 0
      Joint_Limits -2.730086 0.411507
      Joint_Limit_Spring_Constant 5000
      Joint_Limit_Damper_Constant 500
      Actuator_Type 1
      Motor_Torque_Constant 66
      Motor_BackEMF_Constant 66.8451
      Motor_Armature_Resistance 1.1
      Motor_Inertia 66
      Motor_Coulomb_Friction_Constant 31.68
      Motor_Viscous_Friction_Constant 25.1147
      Motor_Max_Brush_Drop 2
      Motor_Half_Drop_Value 3
    }
    SphericalLink {
      Name "leg6 foot"
      Graphics_Model_Index 4
      Mass 10.14
      Inertia 0.164 0 0
              0 0.084 0
              0 0 0.084
      Center_of_Gravity 0.015 0 0
      Number_of_Contact_Points 9
      Contact_Locations 0.03 0 0.225
                        0.03 0.159099 0.159099
                        0.03 0.225 0
                        0.03 0.159099 -0.159099
                        0.03 0 -0.225
                        0.03 -0.159099 -0.159099
                        0.03 -0.225 0
                        0.03 -0.159099 0.159099
                        0.03 0 0
      Position_From_Inboard_Link 1.02 0 0
      Initial_Joint_Angles 0 0 -0.4707
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0.5 0 0
      Joint_Limit_Spring_Constant 800
      Joint_Limit_Damper_Constant 10
      Joint_Friction 0.35
    }
  }
}
