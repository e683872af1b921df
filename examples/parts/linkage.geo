// A four-bar linkage in one file: crank, coupler and rocker where they belong, in mm. Two pins, of crank and rocker, stand in the bores
// of the coupler.
SetFactory("OpenCASCADE");

// a link from (x, y) to (p, q) between z and z + h, of width 2 r
Macro bar
  len = Sqrt((p - x)*(p - x) + (q - y)*(q - y));
  Box(n) = {x, y - r, z, len, 2*r, h};
  Rotate { {0, 0, 1}, {x, y, z}, Atan2(q - y, p - x) } { Volume{n}; }
  Cylinder(n + 1) = {x, y, z, 0, 0, h, r};
  Cylinder(n + 2) = {p, q, z, 0, 0, h, r};
  BooleanUnion(n + 3) = { Volume{n}; Delete; }{ Volume{n + 1, n + 2}; Delete; };
Return

h = 10; r = 14;
// crank: shaft at the origin, pin at (0, 60)
x = 0; y = 0; p = 0; q = 60; z = 0; n = 100;
Call bar;
Cylinder(110) = {0, 0, -1, 0, 0, 12, 8};
BooleanDifference(111) = { Volume{103}; Delete; }{ Volume{110}; Delete; };
Cylinder(112) = {0, 60, 5, 0, 0, 17, 6};
BooleanUnion(1) = { Volume{111}; Delete; }{ Volume{112}; Delete; };

// rocker: bearing at (200, 0), pin at (190, 130)
x = 200; y = 0; p = 190; q = 130; n = 200;
Call bar;
Cylinder(210) = {200, 0, -1, 0, 0, 12, 8};
BooleanDifference(211) = { Volume{203}; Delete; }{ Volume{210}; Delete; };
Cylinder(212) = {190, 130, 5, 0, 0, 17, 6};
BooleanUnion(2) = { Volume{211}; Delete; }{ Volume{212}; Delete; };

// coupler: slender, on top of both
x = 0; y = 60; p = 190; q = 130; z = 11; h = 8; r = 10; n = 300;
Call bar;
Cylinder(310) = {0, 60, 10, 0, 0, 10, 6};
Cylinder(311) = {190, 130, 10, 0, 0, 10, 6};
BooleanDifference(3) = { Volume{303}; Delete; }{ Volume{310, 311}; Delete; };

Physical Volume("crank") = {1};
Physical Volume("rocker") = {2};
Physical Volume("coupler") = {3};
