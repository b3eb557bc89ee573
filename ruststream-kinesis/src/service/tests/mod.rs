mod delivering;
