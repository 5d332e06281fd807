# DynaMechs V 4.0 ascii
# A slider-crank, upright in the x-z plane: crank 0.2 m, rod 0.6 m, the piston on the line through the crank's pivot. It begins with the
# crank at 60 degrees. The guide is a secondary joint, which closes the loop; ball joints hold the rod, so that it may spin idly.

ClosedArticulation {
  Name "slider-crank"
  Graphics_Model ""
  Position 0 0 0.5
  Orientation_Quat 0 0 0 1   # x y z w

  TreeStructure {
    StaticRootLink {
      Name "frame"
      Graphics_Model ""
    }

    RevoluteLink {
      Name "crank"
      Graphics_Model "crank.xan"
      Mass 2
      Inertia 0.0216 0 0
              0 0.0216 0
              0 0 0.04
      Center_of_Gravity 0 0 0
      Number_of_Contact_Points 0
      MDH_Parameters 0 1.5708 0 1.0471975511965976   # a alpha d theta: it turns about -y
      Initial_Joint_Velocity 5
      Joint_Limits -1e10 1e10
      Joint_Limit_Spring_Constant 0
      Joint_Limit_Damper_Constant 0
      Actuator_Type 0
      Joint_Friction 0.001
    }

    SphericalLink {
      Name "rod"
      Graphics_Model "rod.xan"
      Mass 0.25
      Inertia 0.00008 0 0
              0 0.03 0
              0 0 0.03
      Center_of_Gravity 0.3 0 0
      Number_of_Contact_Points 0
      Position_From_Inboard_Link 0.2 0 0
      Initial_Joint_Angles 0 0 -1.3400403229251732
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0 0 0
      Joint_Limit_Spring_Constant 0
      Joint_Limit_Damper_Constant 0
      Joint_Friction 0
    }

    SphericalLink {
      Name "piston"
      Graphics_Model "piston.xan"
      Mass 0.5
      Inertia 0.0003 0 0
              0 0.0039 0
              0 0 0.0039
      Center_of_Gravity 0.075 0 0
      Number_of_Contact_Points 0
      Position_From_Inboard_Link 0.6 0 0
      Initial_Joint_Angles 0 0 0.29284277172857553
      Initial_Angular_Velocity 0 0 0
      Axes_Limits 0 0 0
      Joint_Limit_Spring_Constant 0
      Joint_Limit_Damper_Constant 0
      Joint_Friction 0
    }
  }

  SecondaryJoints {
    HardPrismaticJoint {
      Name "guide"
      Stabilization BAUMGARTE
      Link_A_Name "frame"
      Link_B_Name "piston"
      Joint_A_Position 0 0 0
      Rotation_Matrix_A 0 0 1   # z of the joint is x of the frame
                        0 1 0
                       -1 0 0
      Joint_B_Position 0 0 0
      Rotation_Matrix_B 0 0 1
                       -1 0 0
                        0 -1 0
      Joint_Friction 0.5
      Position_Constraint_Spring 100
      Position_Constraint_Damper 20
      Orientation_Constraint_Spring 100
      Orientation_Constraint_Damper 20
    }
  }
}
