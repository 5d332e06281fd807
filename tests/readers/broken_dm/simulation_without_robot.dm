Integration_Stepsize 0.01
