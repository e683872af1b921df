// The rod of the elastic slider-crank, in mm.
L = 304; n = 20;
Include "round_bar.geo";
