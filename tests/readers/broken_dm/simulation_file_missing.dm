Integration_Stepsize 0.01
Display_Update_Rate 20
Control_Rate 5
Environment_Parameter_File "nowhere.env"
Robot_Parameter_File "nowhere.dm"
