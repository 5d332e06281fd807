# DynaMechs V 4.0 ascii
ClosedArticulation {
  Name "loop"
  Graphics_Model ""
  Position 0 0 0
  Orientation_Quat 0 0 0 1
  TreeStructure {
  RevoluteLink {
    Name "arm"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 0
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "hand"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 0
    MDH_Parameters 0.1 0 0 0
  }
  }
  SecondaryJoints {
    HardRevoluteJoint {
      Name "pin"
      Stabilization BAUMGART
      Link_A_Name "arm"
      Link_B_Name "hand"
      Joint_A_Position 0.1 0 0
      Rotation_Matrix_A 1 0 0 0 1 0 0 0 1
      Joint_B_Position 0 0 0
      Rotation_Matrix_B 1 0 0 0 1 0 0 0 1
      Joint_Friction 0
    }
  }
}
