// body/shape.h: simple solids: mass properties from shape and density, and what to draw.
#ifndef LMB_BODY_SHAPE_H
#define LMB_BODY_SHAPE_H

#include "spec/spec.h"

typedef struct lmb_solid {
    double mass;  // kg
    vec3 com;     // in the body frame, m
    mat3 inertia; // about com, body axes, kg m2
    double size;  // largest distance from the frame's origin, m
} lmb_solid;

typedef enum lmb_shape_kind { LMB_SHAPE_BOX, LMB_SHAPE_SPHERE, LMB_SHAPE_CYLINDER } lmb_shape_kind;
typedef struct lmb_shape {
    lmb_shape_kind kind;
    pose at;   // of its centre in the body frame; a cylinder's axis is z
    vec3 size; // box: edges; sphere: radius; cylinder: radius, height
} lmb_shape;

// {box: [a, b, c]} | {sphere: r} | {cylinder: [r, h]} | {rod: [[x0, y0, z0], [x1, y1, z1], diameter]}, with at, rotate
lmb_status lmb_shape_read(lmb_shape *out, lmb_spec *spec, const lmb_node *n, lmb_error *err);
// a shape or a list of shapes: adds up mass, centre and inertia
lmb_status lmb_shape_solid(lmb_solid *out, lmb_spec *spec, const lmb_node *n, double density, lmb_error *err);

#endif
