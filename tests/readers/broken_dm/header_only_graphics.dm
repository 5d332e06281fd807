# DynaMechs V 2.1 ascii
Graphics_Models {
  Number_Graphics_Models 1
  "a.xan"
}
