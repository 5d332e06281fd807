# DynaMechs V 4.0 ascii
Articulation {
  Name "robot"
  Graphics_Model ""
  Position 0 0 0
  Orientation_Quat 0 0 0 1
}
