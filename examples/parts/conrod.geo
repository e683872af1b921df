// A connecting rod, in mm: two eyes, a tapered shank with a pocket on either side.  gmsh reads it; limber calls gmsh.
SetFactory("OpenCASCADE");
l = 130;                                            // between the eyes
Point(1001) = {22, -14, -8};
Point(1002) = {l - 10, -9, -8};
Point(1003) = {l - 10, 9, -8};
Point(1004) = {22, 14, -8};
Line(1001) = {1001, 1002}; Line(1002) = {1002, 1003}; Line(1003) = {1003, 1004}; Line(1004) = {1004, 1001};
Curve Loop(1001) = {1001 : 1004};
Plane Surface(1001) = {1001};
Point(1011) = {38, -8, -8};
Point(1012) = {l - 24, -5, -8};
Point(1013) = {l - 24, 5, -8};
Point(1014) = {38, 8, -8};
Line(1011) = {1011, 1012}; Line(1012) = {1012, 1013}; Line(1013) = {1013, 1014}; Line(1014) = {1014, 1011};
Curve Loop(1011) = {1011 : 1014};
Plane Surface(1011) = {1011};
shank() = Extrude {0, 0, 16} { Surface{1001}; };
lower() = Extrude {0, 0, 5} { Surface{1011}; };
upper() = Translate {0, 0, 11} { Duplicata { Volume{lower(1)}; } };
Cylinder(101) = {0, 0, -11, 0, 0, 22, 30};          // big end
Cylinder(102) = {l, 0, -11, 0, 0, 22, 17};          // small end
Cylinder(103) = {0, 0, -20, 0, 0, 40, 20};          // their bores
Cylinder(104) = {l, 0, -20, 0, 0, 40, 10};
Rotate {{0, 0, 1}, {0, 0, 0}, 2} { Volume{101}; }   // seams away from the shank
Rotate {{0, 0, 1}, {l, 0, 0}, 1} { Volume{102}; }
whole() = BooleanUnion { Volume{101}; Delete; } { Volume{102, shank(1)}; Delete; };
rod() = BooleanDifference { Volume{whole()}; Delete; } { Volume{103, 104, lower(1), upper()}; Delete; };
big() = Surface In BoundingBox {-20.1, -20.1, -11.1, 20.1, 20.1, 11.1};
small() = Surface In BoundingBox {l - 10.1, -10.1, -11.1, l + 10.1, 10.1, 11.1};
Physical Volume("rod") = {rod()};
Physical Surface("big") = {big()};
Physical Surface("small") = {small()};
