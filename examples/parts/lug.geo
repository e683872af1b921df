// A lug: a plate with a hole at each end, in mm.  gmsh reads it; limber calls gmsh.
SetFactory("OpenCASCADE");
Box(1) = {-60, -15, -4, 120, 30, 8};
Cylinder(2) = {-45, 0, -4, 0, 0, 8, 8};
Cylinder(3) = {45, 0, -4, 0, 0, 8, 8};
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };
left() = Surface In BoundingBox{-53.1, -8.1, -4.1, -36.9, 8.1, 4.1};
right() = Surface In BoundingBox{36.9, -8.1, -4.1, 53.1, 8.1, 4.1};
Physical Volume("lug") = {4};
Physical Surface("left") = {left()};
Physical Surface("right") = {right()};
