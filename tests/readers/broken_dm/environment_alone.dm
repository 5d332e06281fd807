Gravity_Vector 0 0 -9.81
Terrain_Data_Filename "x.dat"
