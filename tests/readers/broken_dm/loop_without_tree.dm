# DynaMechs V 4.0 ascii
ClosedArticulation {
  SecondaryJoints {
    HardRevoluteJoint {
      Name "pin"
      Stabilization NONE
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
