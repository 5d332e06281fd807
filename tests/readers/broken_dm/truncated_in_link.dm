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
    