Integration_Stepsize -1
Robot_Parameter_File robot.dm
