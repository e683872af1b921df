// body/modal_stress.c: the inputs of stresses and internal loads of a modal body.
//                                                                                docs/theory/reduction.md (9) to (12)
#include "body/modal.h"

void lmb_modal_motion(lmb_flex_motion *out, const lmb_modal_state *x, const double *acc) {
    mat3 R = q_matrix(q_load(x->q + 3));
    *out = (lmb_flex_motion){.R = R,
                             .q = x->q + 7,
                             .dq = x->v + 6,
                             .ddq = acc + 6,
                             .a = m3_tmul_v3(&R, v3_sub(v3_load(acc), x->gravity)),
                             .w = v3_load(x->v + 3),
                             .alpha = v3_load(acc + 3),
                             .stiffening = x->c->stiffening != LMB_STIFFENING_OFF};
}

int lmb_modal_interface(const lmb_flex *f, const lmb_modal_site *s) {
    for (int i = 0; s && s->S && i < f->marker_count; i++)
        if (f->markers[i].S == s->S) return i;
    return -1;
}
