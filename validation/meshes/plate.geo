// The rod of the flexible pendulum: a plate 400 x 9 x 200 mm of 40 x 2 x 1 bricks of 20 nodes, in mm.
SetFactory("OpenCASCADE");
Rectangle(1) = {0, -4.5, -100, 400, 9};
Transfinite Curve{1, 3} = 41;
Transfinite Curve{2, 4} = 3;
Transfinite Surface{1};
Recombine Surface{1};
body() = Extrude {0, 0, 200} { Surface{1}; Layers{1}; Recombine; };
start() = Surface In BoundingBox{-0.1, -5, -101, 0.1, 5, 101};
end() = Surface In BoundingBox{399.9, -5, -101, 400.1, 5, 101};
Physical Volume("plate") = {body(1)};
Physical Surface("start") = {start()};
Physical Surface("end") = {end()};
