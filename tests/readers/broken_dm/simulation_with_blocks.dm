Integration_Stepsize 0.01
Robot_Parameter_File "nowhere.dm"
Articulation {
}
