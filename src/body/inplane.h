// body/inplane.h: any body that only moves in a plane: fewer coordinates around the functions that it has in space.
//
// Its velocities in space are v_s = E v with a constant, orthonormal E: points along e1 and e2, frames turn about n (which
// does not move in their axes), slopes of beams have the components that they have at the start, and elastic coordinates
// that nothing excites are left out.  So  r = E' r_s,  M = E' M_s E,  J = J_s E, and derivatives likewise.
//                                                                          docs/theory/bodies.md (10), (11)
#ifndef LMB_INPLANE_H
#define LMB_INPLANE_H

#include "body/inplane_modal.h"
#include "measure/plane.h"

typedef struct lmb_inplane_column { // of E: at most three entries
    int count, at[3];
    double c[3];
} lmb_inplane_column;

typedef struct lmb_inplane_part { // a block
    lmb_block_kind kind;          // in the plane
    int q, v, n; // first coordinate and velocity of the body in the plane, and number of these
    vec3 origin; // PLACE: r = origin + x e1 + y e2
    quat turn;   // ANGLE: exp(theta n~) turn
} lmb_inplane_part;

typedef struct lmb_inplane_space { // a body in space
    lmb_body body;
    int nq;
    const int *q, *v;            // of each part
    lmb_inplane_column *columns; // E
    int *pick;                   // n, if each column is a unit vector: which one; NULL: they are not
    int *pick_q;                 // with these: the place of each position, -1: an angle
    double *base;                // nq: positions at zero
} lmb_inplane_space;

typedef struct lmb_inplane {
    lmb_plane plane;
    int n, part_count;
    bool turns; // some of its parts do
    lmb_inplane_part *parts;
    lmb_inplane_space inner, all;      // with the elastic coordinates that are kept; with all of them
    const lmb_flat *flat;              // its equations in the plane; NULL: by those of `inner`
    const struct lmb_ancf_plane *beam; // of an element in absolute nodal coordinates; NULL: no kernels
} lmb_inplane;

// coordinates and velocities in space
void lmb_inplane_q(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *q);
void lmb_inplane_v(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *v);
// E' x
void lmb_inplane_project(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *x);

int lmb_inplane_work_count(const lmb_inplane *c);
int lmb_inplane_scratch_count(const lmb_inplane *c);
// The functions of a body whose functions in space these are: in the arena.  NULL: no memory
lmb_body_ops *lmb_inplane_ops(lmb_arena *arena, const lmb_body_ops *space);

#endif
