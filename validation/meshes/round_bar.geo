// A round bar along x from the origin, diameter 10, length L in n layers of twelve bricks: a square inside a ring of eight.
r = 5.00195; a = 2.6; // eight parabolas through points of this circle enclose the area of one with radius 5
Point(1) = {0, 0, 0};
For k In {0:3}
  c = Cos((2 * k + 1) * Pi / 4); s = Sin((2 * k + 1) * Pi / 4);
  Point(10 + k) = {0, a * c, a * s};
  Point(20 + k) = {0, r * c, r * s};
EndFor
For k In {0:3}
  Line(10 + k) = {10 + k, 10 + (k + 1) % 4};
  Circle(20 + k) = {20 + k, 1, 20 + (k + 1) % 4};
  Line(30 + k) = {10 + k, 20 + k};
EndFor
Curve Loop(1) = {10, 11, 12, 13};
Plane Surface(1) = {1};
For k In {0:3}
  Curve Loop(2 + k) = {10 + k, 30 + (k + 1) % 4, -(20 + k), -(30 + k)};
  Plane Surface(2 + k) = {2 + k};
EndFor
Transfinite Curve{10:13, 20:23} = 3;
Transfinite Curve{30:33} = 2;
Transfinite Surface{1:5};
Recombine Surface{1:5};
For k In {1:5}
  out() = Extrude {L, 0, 0} { Surface{k}; Layers{n}; Recombine; };
  end(k - 1) = out(0); body(k - 1) = out(1);
EndFor
Physical Surface("start") = {1:5};
Physical Surface("end") = {end()};
Physical Volume("bar") = {body()};
