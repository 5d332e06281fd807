# DynaMechs V 2.1 ascii
Graphics_Models {
  Number_Graphics_Models 0
}
System {
  Name "s"
  StaticRefMember {
    Position 0 0 0
  }
  StaticRefMember {
    Position 0 0 0
  }
  Articulation {
    Name "a"
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
  }
}
