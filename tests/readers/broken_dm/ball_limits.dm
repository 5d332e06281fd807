# DynaMechs V 4.0 ascii
Articulation {
  Name "robot"
  Graphics_Model ""
  Position 0 0 0
  Orientation_Quat 0 0 0 1
  SphericalLink {
    Name "arm"
    Graphics_Model ""
    Mass 2
    Inertia 0.4 0 0
            0 0.4 0
            0 0 0.4
    Center_of_Gravity 0 0 0
    Number_of_Contact_Points 0
    Position_From_Inboard_Link 0 0 0
    Axes_Limits 0.5 0 0
    Joint_Limit_Spring_Constant 800
    Joint_Limit_Damper_Constant 10
  }
}
