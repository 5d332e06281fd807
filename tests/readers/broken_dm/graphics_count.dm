# DynaMechs V 2.0.3 ascii
Graphics_Models {
  Number_Graphics_Models 3
  "a.xan"
}
System {
  StaticRefMember {
    Graphics_Model_Index 0
    Position 0 0 0
    Orientation_Quat 0 0 0 1
  }
  Articulation {
  RevoluteLink {
    Name "arm"
    Graphics_Model_Index 5
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 0
    MDH_Parameters 0.1 0 0 0
  }
  }
}
