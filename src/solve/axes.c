// solve/axes.c: axes of increments: those of the ground, or of the bodies.               docs/theory/solvers.md (18), (19)
#include "solve/axes.h"

static const mat3 none = {{{0}}};

static lmb_axes standing(void) { return (lmb_axes){m3_diag(1, 1, 1), none, none, none}; }

// of a point whose body turns with rotation block r, or of r itself
static lmb_axes block_axes(const lmb_data *d, const lmb_block *r, lmb_block_kind kind,
                           lmb_modes_frame frame) {
    mat3 R = q_matrix(q_load(d->q + r->iq));
    vec3 w = v3_load(d->v + r->iv);
    mat3 w_t = m3_skew(w), wdot_t = m3_skew(v3_load(d->a + r->iv));
    if (kind == LMB_BLOCK_POINT && frame == LMB_FRAME_GROUND) return standing();
    if (kind == LMB_BLOCK_POINT)
        return (lmb_axes){R, w_t, m3_scale(2, w_t), m3_add(wdot_t, m3_mul(w_t, w_t))};
    if (frame == LMB_FRAME_GROUND) return (lmb_axes){m3_t(R), none, m3_neg(m3_skew(m3_mul_v3(&R, w))), none};
    return (lmb_axes){m3_diag(1, 1, 1), w_t, w_t, wdot_t};
}

// Axes of a node of a beam without frames: z along w, x along the slope that is most normal to it.
static mat3 node_axes(const lmb_data *d, const lmb_block *slopes, vec3 w) {
    vec3 most = V3_ZERO;
    for (int k = 0; k + 2 < slopes->nq; k += 3) {
        vec3 x = v3_cross(v3_load(d->q + slopes->iq + k), w);
        if (v3_norm(x) > v3_norm(most)) most = x;
    }
    return v3_norm(w) > 0 ? m3_frame_z(w, most) : M3_ID;
}

static void fill_fibres(lmb_axes *out, const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (!b->ops->look.fibre) continue;
        vec3 w = lmb_body_spin(d, b, d->v + b->iv);
        for (int k = 0; k + 1 < b->block_count; k += 2) { // point, slopes
            mat3 R = node_axes(d, &m->blocks[b->blocks[k + 1]], w), w_t = m3_skew(m3_tmul_v3(&R, w));
            out[b->blocks[k]] = out[b->blocks[k + 1]] =
                (lmb_axes){R, w_t, m3_scale(2, w_t), m3_mul(w_t, w_t)};
        }
    }
}

void lmb_axes_fill(lmb_axes *out, const lmb_model *m, const lmb_data *d, lmb_modes_frame frame) {
    for (int i = 0; i < m->block_count; i++) {
        out[i] = standing();
        if (m->blocks[i].kind == LMB_BLOCK_ROT) out[i] = block_axes(d, &m->blocks[i], LMB_BLOCK_ROT, frame);
    }
    for (int i = 0; i < m->body_count; i++) { // points that rotate with a body, or with an interface of one
        const lmb_body *b = &m->bodies[i];
        for (int k = 0; k + 1 < b->block_count; k++) {
            const lmb_block *turn = &m->blocks[b->blocks[k + 1]];
            if (m->blocks[b->blocks[k]].kind == LMB_BLOCK_POINT && turn->kind == LMB_BLOCK_ROT)
                out[b->blocks[k]] = block_axes(d, turn, LMB_BLOCK_POINT, frame);
        }
    }
    if (frame == LMB_FRAME_BODY) fill_fibres(out, m, d);
}

bool lmb_axes_apply(const lmb_block *b) {
    return b->iy >= 0 && (b->kind == LMB_BLOCK_POINT || b->kind == LMB_BLOCK_ROT || b->slopes);
}

// Y += X T, T made of 3 x 3 blocks (at offset in axes); columns of other blocks: Y += diagonal X
void lmb_axes_columns(double *Y, const double *X, int rows, const lmb_model *m, const lmb_axes *list,
                      size_t part, double diagonal) {
    size_t n = (size_t)m->ny;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0 || (!lmb_axes_apply(b) && diagonal == 0)) continue;
        const mat3 *T = (const mat3 *)((const char *)&list[i] + part);
        for (size_t r = 0; r < (size_t)rows; r++) {
            const double *x = X + r * n + (size_t)b->iy;
            double *y = Y + r * n + (size_t)b->iy;
            for (int k = 0; k < b->nv && lmb_axes_apply(b); k += 3)
                v3_store(y + k, v3_add(v3_load(y + k), m3_tmul_v3(T, v3_load(x + k))));
            if (!lmb_axes_apply(b)) lmb_axpy(y, diagonal, x, b->nv);
        }
    }
}

void lmb_axes_vector(double *y, double s, const double *x, const lmb_model *m, const lmb_axes *list,
                     size_t part, double diagonal) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        const mat3 *T = (const mat3 *)((const char *)&list[i] + part);
        if (b->iy < 0) continue;
        for (int k = b->iy; k < b->iy + b->nv && lmb_axes_apply(b); k += 3)
            v3_store(y + k, v3_madd(v3_load(y + k), s, m3_mul_v3(T, v3_load(x + k))));
        if (!lmb_axes_apply(b)) lmb_axpy(y + b->iy, s * diagonal, x + b->iy, b->nv);
    }
}

void lmb_axes_back(double *x, const lmb_model *m, const lmb_axes *list) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        for (int k = b->iy; k < b->iy + b->nv && lmb_axes_apply(b); k += 3)
            v3_store(x + k, m3_tmul_v3(&list[i].S, v3_load(x + k)));
    }
}
