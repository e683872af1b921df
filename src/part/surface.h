// part/surface.h: which plane, cylinder, cone, sphere or torus points of a surface lie on.
#ifndef LMB_PART_SURFACE_H
#define LMB_PART_SURFACE_H

#include "core/core.h"
#include "math/math.h"

typedef enum lmb_surface_kind {
    LMB_SURFACE_PLANE,
    LMB_SURFACE_CYLINDER,
    LMB_SURFACE_SPHERE,
    LMB_SURFACE_CONE,
    LMB_SURFACE_TORUS,
    LMB_SURFACE_OTHER,
} lmb_surface_kind;
extern const char *const lmb_surface_names[]; // by kind

typedef struct lmb_surface {
    lmb_surface_kind kind;
    vec3 at;      // plane: a point; cylinder: of its axis; cone: apex; sphere, torus: centre
    vec3 axis;    // unit vector; plane: its normal; cone: from the apex into it
    double r, R;  // cylinder, sphere: r; torus: of the tube r and of its centre line R
    double angle; // cone: between axis and surface
} lmb_surface;

// With sign, zero on it; positive on the side of the normal, which points away from axis or centre.
double lmb_surface_distance(const lmb_surface *s, vec3 x);
vec3 lmb_surface_normal(const lmb_surface *s, vec3 x); // unit vector; zero where it has none

vec3 lmb_surface_clean(vec3 x, double one); // zeros for rounding errors of lengths of order one

// What is known of a piece of a surface: points on it, and triangles between them with normal and area.
typedef struct lmb_surface_piece {
    int point_count;
    const vec3 *points;
    int facet_count;
    const vec3 *centres, *normals; // of the triangles; unit vectors
    const double *areas;
} lmb_surface_piece;

// The simplest that all points fit within tolerance and all normals roughly, else OTHER.
lmb_surface lmb_surface_fit(const lmb_surface_piece *p, double tolerance);

#endif
