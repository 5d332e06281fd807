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
    Number_of_Contact_Points 0
    Volume -0.001
    Added_Mass 0 1 2 3
    Center_of_Buoyancy 0 0
    Drag_Axis 3
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
    Number_of_Contact_Points 0
    Added_Mass 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
    Drag_Axis 0
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
    Drag_Axis 1
    Cylinder_Bounds 1 0
    Cylinder_Radius 0.1
    Drag_Coefficient 1
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
    Number_of_Contact_Points 0
    Drag_Axis -1
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
    Number_of_Contact_Points 0
    Drag_Axis -2
    Cylinder_Radius 1
    MDH_Parameters 0.1 0 0 0
  }
}
