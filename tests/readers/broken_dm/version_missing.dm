# DynaMechs V
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
    Number_of_Contact_Points 0
    MDH_Parameters 0.1 0 0 0
  }
}
