// body/ancf_plane.h: elements in absolute nodal coordinates that move in a plane: kernels for the coordinates that they have there.
#ifndef LMB_BODY_ANCF_PLANE_H
#define LMB_BODY_ANCF_PLANE_H

#include "body/inplane.h"

struct lmb_ancf_plane;

// The constants of an element in the plane: those of `same` (may be NULL) if it is alike.  *out stays NULL where there are no kernels: other
// bodies, and beams with damping or along the normal.  false: no memory
bool lmb_ancf_plane_make(const struct lmb_ancf_plane **out, lmb_arena *arena, const lmb_inplane *c,
                         const lmb_inplane *same);
int lmb_ancf_plane_work_count(const struct lmb_ancf_plane *p);
// puts the kernels in place of the functions in space
void lmb_ancf_plane_ops(lmb_body_ops *ops);

#endif
