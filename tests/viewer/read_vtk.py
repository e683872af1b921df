#!/usr/bin/python3
"""tests/viewer/read_vtk.py FLEX.pvd MODES: VTK reads what limber export wrote of limber-synthetic flex; places of the
nodes, displacements and stresses are compared with the formulas of synthetic.c."""
import math
import os
import sys
import xml.etree.ElementTree as xml

import vtk

path, modes = sys.argv[1], int(sys.argv[2])
passed = failed = 0


def check(ok, text):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("read_vtk:", text)


def read(name):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(os.path.join(os.path.dirname(path), name))
    reader.Update()
    return reader.GetOutput()


def pose(b, t):
    angle, n = 0.7 * t + b, math.sqrt(1.25)
    s = math.sin(angle / 2) / n
    w, x, y, z = math.cos(angle / 2), s * math.sin(b), s * math.cos(b), s * 0.5
    rotation = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    place = [0.2 * math.cos(t + b) + 0.6 * (b % 8), 0.2 * math.sin(t + b) + 0.5 * (b // 8), 0.1 * math.sin(2 * t + b)]
    return place, rotation


def mode(x, length, k):
    """displacement and stress of mode k at x"""
    w = (k // 3 + 1) * math.pi / length
    f, df = math.sin(w * x[0]), w * math.cos(w * x[0])
    u, s = [0, 0, 0], [0] * 6
    if k % 3 == 2:
        u[1], u[2] = -f * x[2], f * x[1]
        s[3], s[5] = -8e10 * df * x[2], 8e10 * df * x[1]
    else:
        c = 1 + k % 3
        u[c], u[0] = f, -df * x[c]
        s[0] = 2e11 * w * w * f * x[c]
    return u, s


def rotate(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) for i in range(3)]


frames = [(float(e.get("timestep")), e.get("file")) for e in xml.parse(path).getroot().iter("DataSet")]
check(len(frames) > 3, f"{len(frames)} frames")
along = None
highest = {}
for t, name in frames[:: max(1, len(frames) // 4)]:
    grid = read(name)
    data = grid.GetPointData()
    body = grid.GetCellData().GetArray("body")
    names = grid.GetFieldData().GetAbstractArray("body_names")
    check(names is not None and names.GetValue(0) == "body0" and names.GetNumberOfValues() > 1, "names of the bodies")
    check(data.GetArray("node").GetNumberOfTuples() == grid.GetNumberOfPoints(), "numbers of the nodes")
    tube = sum(1 for i in range(grid.GetNumberOfCells()) if body.GetTuple1(i) == 0) // 80 + 1  # rings of 40 nodes
    check(grid.GetCell(0).GetNumberOfPoints() == 3 and grid.GetNumberOfCells() > 100, "cells")
    place, rotation = pose(0, t)
    for ring in (0, tube // 3, tube - 1):
        for k in (0, 7, 31):
            angle = 2 * math.pi * k / 40
            x = [2 * ring / (tube - 1), 0.12 * math.cos(angle), 0.12 * math.sin(angle)]
            u, s = [0, 0, 0], [0] * 6
            for m in range(modes):
                q = 0.02 / (m // 3 + 1) * math.sin((3 + m) * t + m)
                du, ds = mode(x, 2, m)
                u = [a + q * b for a, b in zip(u, du)]
                s = [a + q * b for a, b in zip(s, ds)]
            want = [p + r for p, r in zip(place, rotate(rotation, [a + b for a, b in zip(x, u)]))]
            i = 40 * ring + k
            # modes are stored as floats: 6e-8 of a displacement of some 0.05 m
            far = max(abs(a - b) for a, b in zip(grid.GetPoint(i), want))
            check(far < 1e-7, f"node {i} at {t} s is {far} m away")
            turned = rotate(rotation, u)
            check(max(abs(a - b) for a, b in zip(data.GetArray("displacement").GetTuple3(i), turned)) < 1e-7, "displacement")
            mises = math.sqrt(0.5 * ((s[0] - s[1]) ** 2 + (s[1] - s[2]) ** 2 + (s[2] - s[0]) ** 2) + 3 * (s[3] ** 2 + s[4] ** 2 + s[5] ** 2))
            largest = data.GetArray("von_mises_largest").GetTuple1(i)
            check(highest.setdefault(i, largest) == largest >= mises * (1 - 1e-5) and largest > 0, f"largest {largest} of {mises}")
            check(abs(data.GetArray("von_mises").GetTuple1(i) - mises) <= 1e-5 * mises + 10, f"von Mises {mises}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
