// beam 1.0 x 0.05 x 0.05 m; ROOT and TIP: its ends
SetFactory("OpenCASCADE");
Box(1) = {0, -0.025, -0.025, 1.0, 0.05, 0.05};
root() = Surface In BoundingBox{-1e-4, -1, -1, 1e-4, 1, 1};
tip() = Surface In BoundingBox{1 - 1e-4, -1, -1, 1 + 1e-4, 1, 1};
Physical Volume("BEAM") = {1};
Physical Surface("ROOT") = {root()};
Physical Surface("TIP") = {tip()};
