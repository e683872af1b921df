// measure/plane.h: measures of frames that only move in a plane.                  docs/theory/bodies.md (5), (8)
//
// Frames move by d e1 + d e2 and turn about n.  The gradient of a measure is then a force across n and a torque along n (it acts
// in the plane), or a force along n and a torque across n (the motion does not change the measure), or neither.
#ifndef LMB_PLANE_H
#define LMB_PLANE_H

#include "measure/measure.h"

typedef struct lmb_plane { // e1, e2, n: right-handed, orthonormal, global components
    vec3 e1, e2, n;
    double height; // n . r of its points, m
    double length; // characteristic length, m
    mat3 turn[4];  // rotations about n, of places at which measures are judged
} lmb_plane;

// angles and, divided by their size, lengths and directions that differ by less are rounding errors
#define LMB_PLANE_ROUNDING 1e-10

typedef enum lmb_plane_part {
    LMB_IN_SPACE,     // neither, or a force in the plane that acts at a point outside it
    LMB_IN_PLANE,     // acts in the plane
    LMB_OUT_OF_PLANE, // does not change with the motion in the plane
} lmb_plane_part;

// The plane with normal n (unit) through the point r.
lmb_plane lmb_plane_through(vec3 n, vec3 r, double length);
bool lmb_plane_has(const lmb_plane *e, vec3 r);       // whether the point r lies in it
bool lmb_plane_is_across(const lmb_plane *e, vec3 a); // whether a (not 0) is a direction in it
bool lmb_plane_is_along_normal(const lmb_plane *e, vec3 a);
// How a measure of frames that start at p1, p2 acts, judged at several places of both.  moves: whether a body carries them.
lmb_plane_part lmb_plane_of_measure(const lmb_plane *e, const lmb_measure *m, const pose p[2],
                                    const bool moves[2]);

#endif
