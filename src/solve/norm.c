// solve/norm.c: scaled norms of corrections, errors and gaps.           docs/theory/system.md, docs/theory/solvers.md (0a)
#include "solve/norm.h"

#include "system/system.h"

#include <string.h>

static bool is_state(const lmb_model *m, int y) { return m->blocks[m->y_block[y]].kind == LMB_BLOCK_STATE; }

// of the blocks that are states or of all others, relative to sizes (ny)
static double norm_of(const lmb_model *m, const double *x, const double *size, bool states) {
    double largest = 0;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0 || (b->kind == LMB_BLOCK_STATE) != states) continue;
        for (int y = b->iy; y < b->iy + b->nv; y++) largest = lmb_larger(largest, fabs(x[y]) / size[y]);
    }
    return largest;
}

double lmb_scaled_norm(const lmb_model *m, const double *x) { return norm_of(m, x, m->y_scale, false); }

double lmb_gap_norm(const lmb_model *m, const double *Phi) {
    double largest = 0;
    for (int i = 0; i < m->nc; i++) largest = lmb_larger(largest, fabs(Phi[i]) / m->row_scale[i]);
    return largest;
}

int lmb_worst_entry(const lmb_model *m, const double *r) {
    int worst = 0;
    double largest = 0;
    for (int i = 0; i < m->n && !isnan(largest); i++) {
        double e = i < m->ny ? fabs(r[i]) * m->y_scale[i] : fabs(r[i]) / m->row_scale[i - m->ny];
        if (!(e <= largest)) largest = e, worst = i;
    }
    return worst;
}

// ---- sizes -------------------------------------------------------------------------------------

#define QUIET 0.1 // what moves less than this part of the liveliest block is weighed as if it moved so far
// Start values meet constraints to this part of the scale, or of what positions are if they are larger: rounding errors.  No error
// can be asked to be smaller.
#define CLOSED 1e-13

double *lmb_sizes_lay_out(lmb_sizes *s, const lmb_model *m, double *memory) {
    s->kept = (lmb_sizes_numbers *)memory, memory += LMB_DOUBLES(lmb_sizes_numbers);
    s->q = memory, memory += m->nq;
    s->way = memory, memory += m->block_count;
    s->speed = memory, memory += m->block_count;
    s->y = memory;
    return memory + m->ny;
}

// of a coordinate of a block (joint coordinates: lengths and angles)
static double scale_of(const lmb_model *m, const lmb_block *b, int k) {
    return b->iy < 0 ? b->scale : m->y_scale[b->iy + k];
}

// |x| in the scales of its coordinates
static double scaled_length(const lmb_model *m, const lmb_block *b, const double *x, const double *from) {
    double sum = 0;
    for (int k = 0; k < b->nv; k++) {
        double e = (x[k] - (from ? from[k] : 0)) / scale_of(m, b, k);
        sum += e * e;
    }
    return sqrt(sum);
}

// way from where the motion began; of a rotation 2 sin(angle/2)
static double way_of(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, const lmb_block *b) {
    const double *q = d->q + b->iq, *from = s->q + b->iq;
    if (b->kind == LMB_BLOCK_ANGLE) return 2 * fabs(sin((q[0] - from[0]) / 2));
    if (b->kind != LMB_BLOCK_ROT) return scaled_length(m, b, q, from);
    quat turn = q_mul(q_conj(q_load(from)), q_load(q));
    return 2 * sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
}

// how far from the origin
static double distance_of(const lmb_model *m, const lmb_data *d, const lmb_block *b) {
    bool turns = b->kind == LMB_BLOCK_ROT || b->kind == LMB_BLOCK_ANGLE;
    return turns ? 1 : scaled_length(m, b, d->q + b->iq, NULL);
}

// elastic coordinates count from the undeformed shape
void lmb_sizes_begin(const lmb_sizes *s, const lmb_model *m, const lmb_data *d) {
    memcpy(s->q, d->q, (size_t)m->nq * sizeof *s->q);
    for (int i = 0; i < m->body_count; i++)
        for (int k = 0; m->bodies[i].ops->look.flex && k < m->bodies[i].block_count; k++) {
            const lmb_block *b = &m->blocks[m->bodies[i].blocks[k]];
            if (b->kind == LMB_BLOCK_VECTOR) memset(s->q + b->iq, 0, (size_t)b->nq * sizeof *s->q);
        }
    s->kept->begun = 1;
}

void lmb_sizes_expect(const lmb_sizes *s, const lmb_model *m, const double *x) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind == LMB_BLOCK_STATE) continue;
        s->way[i] = fmin(1, fmax(s->way[i], scaled_length(m, b, x + b->iv, NULL)));
    }
}

void lmb_sizes_expect_states(const lmb_sizes *s, const lmb_model *m, const double *x) {
    for (int y = 0; y < m->ny; y++)
        if (is_state(m, y)) s->y[y] = fmax(s->y[y], fabs(x[y]));
}

void lmb_sizes_note(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, double tolerance) {
    double most = 0, far = 1;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind == LMB_BLOCK_STATE) continue;
        s->way[i] = fmin(1, fmax(s->way[i], way_of(s, m, d, b)));
        s->speed[i] = fmax(s->speed[i], scaled_length(m, b, d->v + b->iv, NULL));
        most = fmax(most, s->way[i]);
        far = fmax(far, distance_of(m, d, b));
    }
    double floor = fmin(1, far * CLOSED / tolerance);
    s->kept->least = fmax(floor, QUIET * most);
    for (int y = 0; y < m->ny; y++) {
        int i = m->y_block[y];
        double size = fabs(d->v[m->y_v[y]]);
        if (m->blocks[i].kind == LMB_BLOCK_STATE) {
            s->y[y] = fmax(fmax(s->y[y], size), m->y_scale[y] * m->blocks[i].least);
            if (s->y[y] == 0) s->y[y] = m->y_scale[y] * floor; // nothing is known of its size
        } else s->y[y] = m->y_scale[y] * fmax(s->way[i], s->kept->least);
    }
}

double lmb_sizes_farthest(const lmb_sizes *s, const lmb_model *m) {
    double most = 0;
    for (int i = 0; i < m->block_count; i++) most = lmb_larger(most, s->way[i]);
    return most;
}

static double length(const double *x, int n) {
    return n == 3 ? v3_norm(v3_load(x)) : n == 2 ? sqrt(x[0] * x[0] + x[1] * x[1]) : lmb_norm(x, n);
}

static bool is_vector(const lmb_block *b) { // its length counts: no axes are special
    return b->kind == LMB_BLOCK_POINT || b->kind == LMB_BLOCK_ROT || b->kind == LMB_BLOCK_PLACE;
}

double lmb_sized_norm(const lmb_sizes *s, const lmb_model *m, const double *x) {
    double largest = 0;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0 || b->nv == 0) continue;
        if (is_vector(b)) largest = lmb_larger(largest, length(x + b->iy, b->nv) / s->y[b->iy]);
        else
            for (int y = b->iy; y < b->iy + b->nv; y++) largest = lmb_larger(largest, fabs(x[y]) / s->y[y]);
    }
    return largest;
}

// of the motion of bodies whose free blocks move by `all` (nv)
static double norm_of_bodies(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, double *all) {
    double largest = 0;
    lmb_follow_velocities(all, m, d);
    for (int i = 0; i < m->body_count; i++)
        for (int k = 0; k < m->bodies[i].block_count; k++) {
            int at = m->bodies[i].blocks[k];
            const lmb_block *b = &m->blocks[at];
            bool vector = is_vector(b);
            for (int j = 0; j < b->nv; j += vector ? b->nv : 1) {
                double size = b->iy >= 0 ? s->y[b->iy + j] : b->scale * fmax(s->way[at], s->kept->least);
                const double *e = all + b->iv + j;
                largest = lmb_larger(largest, (vector ? length(e, b->nv) : fabs(*e)) / size);
            }
        }
    return largest;
}

double lmb_body_norm(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, const double *x,
                     double *all) {
    if (m->follower_count == 0) return lmb_sized_norm(s, m, x);
    for (int y = 0; y < m->ny; y++) all[m->y_v[y]] = x[y];
    return norm_of_bodies(s, m, d, all);
}

double lmb_error_norm(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, const lmb_errors *e,
                      double *all) {
    double largest = 0;
    if (m->follower_count > 0) {
        for (int y = 0; y < m->ny; y++) all[m->y_v[y]] = is_state(m, y) ? e->v[y] : e->x[y];
        largest = norm_of_bodies(s, m, d, all);
        for (int y = 0; y < m->ny; y++) all[m->y_v[y]] = is_state(m, y) ? 0 : e->lasts * e->v[y];
        return lmb_larger(largest, norm_of_bodies(s, m, d, all));
    }
    for (int y = 0; y < m->ny; y++) {
        double one = is_state(m, y) ? fabs(e->v[y]) : lmb_larger(fabs(e->x[y]), e->lasts * fabs(e->v[y]));
        largest = lmb_larger(largest, one / s->y[y]);
    }
    return largest;
}

double lmb_natural_norm(const lmb_sizes *s, const lmb_model *m, const double *x) {
    return lmb_larger(lmb_scaled_norm(m, x), norm_of(m, x, s->y, true));
}

double lmb_sized_speed(const lmb_sizes *s, const lmb_model *m) {
    double largest = 0;
    for (int i = 0; i < m->ny; i++)
        largest = lmb_larger(largest, s->speed[m->y_block[i]] * m->y_scale[i] / s->y[i]);
    return largest;
}
