# DynaMechs V 4.0 ascii
Articulation {
  Name "robot"
  Graphics_Model ""
  Position 0 0 0
  Orientation_Quat 0 0 0 1
  RevoluteLink {
    Name "arm"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 2
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "b"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 2
    Contact_Locations 1 2 3
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "c"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 0
    Contact_Locations 1 2 3
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "d"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Contact_Locations 1 2 3
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "e"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points -1
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "f"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 1.5
    MDH_Parameters 0.1 0 0 0
  }
  RevoluteLink {
    Name "g"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 1e9
    MDH_Parameters 0.1 0 0 0
  }
}
