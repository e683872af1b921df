// The crank of the elastic slider-crank, in mm.
L = 152; n = 10;
Include "round_bar.geo";
