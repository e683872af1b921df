// solve/steady.c: equilibrium in turning axes: r(q, v(q), a(q), lambda) = 0 with the velocities and accelerations of a turn.
//
//     | K + D dv/dq + M da/dq   G' | | dq      |   | -r   |
//     | G                       0  | | dlambda | = | -Phi |                             docs/theory/solvers.md (23)
//
// A turn about the axis, and a slide along it, may change nothing: r follows, K t = w x r.  One coordinate of it is held then; the
// solution is the same, because r.t = 0 in equilibrium.
#include "solve/steady.h"

#include <string.h>

static const double PART = 0.7;     // rad: the turn after which everything must be the same
static const double SAME = 1e-6;    // relative to speeds, sizes and forces
static const double NOTHING = 1e-9; // of the forces of inertia: rounding

static lmb_status refuse_gravity(const lmb_model *m, const lmb_analysis *a, vec3 axis, lmb_error *err) {
    if (v3_norm(v3_cross(m->gravity, axis)) <= 1e-12 * v3_norm(m->gravity)) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, a->where,
        "a steady rotation needs gravity along its axis: seen by the turning bodies, any other weight "
        "changes its direction during a turn; let `axis` of `rotation` be that of gravity, or set "
        "`gravity: [0, 0, 0]`");
}

lmb_status lmb_steady_create(lmb_steady *s, const lmb_model *m, const lmb_analysis *a, lmb_error *err) {
    *s = (lmb_steady){0};
    if (a->rotation.speed == 0) return LMB_OK;
    vec3 axis = v3_unit(a->rotation.axis);
    s->t = (lmb_turning){v3_scale(a->rotation.speed, axis), a->rotation.about};
    s->M = lmb_alloc((size_t)m->pattern.nnz + 3 * (size_t)m->n, sizeof *s->M);
    if (s->M == NULL) return lmb_fail_memory(err);
    s->way = s->M + m->pattern.nnz;
    s->sum = s->way + m->n;
    s->size = s->sum + m->n;
    return refuse_gravity(m, a, axis, err);
}

void lmb_steady_destroy(lmb_steady *s) {
    lmb_free(s->M);
    s->M = NULL;
}

// ---- the matrix --------------------------------------------------------------------------------

// K += D V + M A in the three columns from c on, which have the same rows
static void add_three(double *K, const double *D, const double *M, const lmb_pattern *p, int c,
                      const lmb_turning_change *by) {
    int first = p->start[c], rows = p->start[c + 1] - first;
    for (int i = first; i < first + rows; i++) {
        LMB_SEAM(p->row[i] == p->row[i + rows] && p->row[i] == p->row[i + 2 * rows]);
        vec3 d = v3(D[i], D[i + rows], D[i + 2 * rows]), mass = v3(M[i], M[i + rows], M[i + 2 * rows]);
        vec3 sum = v3_add(m3_tmul_v3(&by->V, d), m3_tmul_v3(&by->A, mass));
        K[i] += sum.x, K[i + rows] += sum.y, K[i + 2 * rows] += sum.z;
    }
}

// whether K t = axis x residual: nothing resists the motion t of the state
static bool is_free(const double *K, const lmb_steady *s, const lmb_model *m, vec3 axis, const double *t,
                    const double *r) {
    const double ROUNDING = 1e-11;
    double *sum = s->sum, *size = s->size;
    if (lmb_norm_max(t, m->ny) == 0) return false; // its coordinates do not have it
    memset(sum, 0, (size_t)m->n * sizeof *sum);
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        bool vectors = b->iy >= 0 && (b->kind == LMB_BLOCK_POINT || b->slopes);
        for (int k = 0; vectors && k < b->nv; k += 3) // r is -residual
            v3_store(sum + b->iy + k, v3_cross(axis, v3_load(r + b->iy + k)));
    }
    for (int i = 0; i < m->n; i++) size[i] = fabs(sum[i]);
    for (int j = 0; j < m->ny; j++)
        for (int k = m->pattern.start[j]; k < m->pattern.start[j + 1]; k++) {
            sum[m->pattern.row[k]] += K[k] * t[j];
            size[m->pattern.row[k]] += fabs(K[k] * t[j]);
        }
    for (int i = 0; i < m->n; i++)
        if (!(fabs(sum[i]) <= ROUNDING * size[i])) return false;
    return true;
}

// the coordinate that moves farthest is held
static void hold(double *K, const lmb_steady *s, const lmb_model *m, const double *t, const int *diagonal) {
    int at = 0;
    for (int i = 1; i < m->ny; i++)
        if (fabs(t[i]) / m->y_scale[i] > fabs(t[at]) / m->y_scale[at]) at = i;
    double w2 = v3_dot(s->t.w, s->t.w), *k = &K[diagonal[at]];
    *k += fmax(fabs(*k), w2 * fabs(s->M[diagonal[at]]));
}

// a slide along the axis
static void slide(double *t, const lmb_model *m, vec3 axis) {
    memset(t, 0, (size_t)m->ny * sizeof *t);
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].iy >= 0 && m->blocks[i].kind == LMB_BLOCK_POINT) v3_store(t + m->blocks[i].iy, axis);
}

void lmb_steady_tangent(double *K, const lmb_steady *s, const lmb_model *m, const lmb_data *d,
                        const double *D) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0 || !lmb_block_turns(b)) continue;
        lmb_turning_change by = lmb_turning_by(d, b, &s->t);
        for (int k = 0; k < b->nv; k += 3) add_three(K, D, s->M, &m->pattern, b->iy + k, &by);
    }
}

void lmb_steady_hold(double *K, lmb_steady *s, const lmb_model *m, const lmb_data *d, const double *r,
                     const int *diagonal) {
    vec3 axis = v3_unit(s->t.w);
    lmb_turning_field(s->way, m, d, &s->t);
    lmb_scale(s->way, 1 / v3_norm(s->t.w), m->ny);
    s->turns = is_free(K, s, m, axis, s->way, r);
    if (s->turns) hold(K, s, m, s->way, diagonal);
    slide(s->way, m, axis);
    s->slides = is_free(K, s, m, V3_ZERO, s->way, r);
    if (s->slides) hold(K, s, m, s->way, diagonal);
}

// ---- what is not steady ------------------------------------------------------------------------

static lmb_status refuse_joint(const lmb_joint *j, const lmb_analysis *a, lmb_error *err) {
    bool moved = false;
    for (int r = 0; r < j->row_count; r++) moved |= j->rows[r].motion != NULL;
    return lmb_fail(
        err, LMB_ERR_INPUT, a->where,
        "joint '%s' does not turn with the rotation of %g rad/s about its axis: %s", j->name,
        a->rotation.speed,
        moved ? "its prescribed motion must be the same turn (speed times t) or stand still in the "
                "turning axes"
              : "a joint with the ground must leave the turn about this axis free, as a revolute joint "
                "on the axis does; others must join bodies that turn");
}

static lmb_status check_followers(const lmb_steady *s, const lmb_model *m, const lmb_data *d,
                                  const lmb_analysis *a, lmb_error *err) {
    for (int i = 0; i < m->follower_count; i++)
        if (!(lmb_turning_miss(m, d, &s->t, &m->followers[i]) <= SAME))
            return refuse_joint(&m->joints[m->followers[i].joint], a, err);
    return LMB_OK;
}

// what constraints or their rates miss, as part of `most`
static lmb_status check_rows(const double *Phi, const lmb_model *m, double most, const lmb_analysis *a,
                             lmb_error *err) {
    for (int i = 0; i < m->joint_count; i++)
        for (int r = m->joints[i].lambda; r < m->joints[i].lambda + m->joints[i].row_count; r++)
            if (!(fabs(Phi[r]) <= SAME * most * m->row_scale[r])) return refuse_joint(&m->joints[i], a, err);
    return LMB_OK;
}

// the wrench of a force on a body turns with it: Q F, and the torque in the marker's axes
static bool is_same(const lmb_wrench *now, const lmb_wrench *then, const lmb_force *f, const lmb_model *m,
                    mat3 Q, double energy) {
    for (int k = 0; k < 2; k++) {
        if (m->markers[f->marker[k]].body < 0) continue;
        const double *x = now->W + 6 * k, *y = then->W + 6 * k;
        vec3 dF = v3_sub(v3_load(y), m3_mul_v3(&Q, v3_load(x))), dT = v3_sub(v3_load(y + 3), v3_load(x + 3));
        double F = v3_norm(v3_load(x)), T = v3_norm(v3_load(x + 3));
        if (!(v3_norm(dF) <= SAME * F + NOTHING * energy / m->length)) return false;
        if (!(v3_norm(dT) <= SAME * (T + m->length * F) + NOTHING * energy)) return false;
    }
    return true;
}

static lmb_status check_forces(const lmb_data *then, const lmb_steady *s, const lmb_model *m,
                               const lmb_data *d, double energy, const lmb_analysis *a, lmb_error *err) {
    mat3 Q = so3_exp(v3_scale(PART, v3_unit(s->t.w)));
    for (int i = 0; i < m->force_count; i++) {
        const lmb_force *f = &m->forces[i];
        lmb_wrench x = {0}, y = {0};
        if (d->active_force[i] == 0) continue;
        f->ops->wrench(&x, d, f);
        f->ops->wrench(&y, then, f);
        if (!is_same(&x, &y, f, m, Q, energy))
            return lmb_fail(
                err, LMB_ERR_INPUT, a->where,
                "force '%s' is not steady in axes that turn with %g rad/s: it changes with time or with "
                "the angle; let it act between bodies, along the axis or with `frame: body`",
                f->name, a->rotation.speed);
    }
    return LMB_OK;
}

static double kinetic(const lmb_model *m, lmb_data *d) {
    lmb_energies e;
    lmb_energies_get(&e, m, d);
    return e.bodies.kinetic;
}

lmb_status lmb_steady_check(const lmb_steady *s, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                            lmb_error *err) {
    const lmb_model *m = w->m;
    lmb_data *then;
    lmb_status st = check_followers(s, m, d, a, err);
    lmb_constraint_rates(w->Phi, m, d);
    if (st == LMB_OK) st = check_rows(w->Phi, m, v3_norm(s->t.w), a, err);
    if (st != LMB_OK) return st;
    st = lmb_data_create(&then, m, err);
    if (st != LMB_OK) return st;
    lmb_turning_ahead(then, m, d, &s->t, PART);
    st = check_followers(s, m, then, a, err);
    lmb_constraints(w->Phi, m, d);
    lmb_constraints(w->x + m->ny, m, then);
    lmb_axpy(w->x + m->ny, -1, w->Phi, m->nc);
    if (st == LMB_OK) st = check_rows(w->x + m->ny, m, 1, a, err);
    if (st == LMB_OK) st = check_forces(then, s, m, d, kinetic(m, d), a, err);
    lmb_data_destroy(then);
    return st;
}

// load along a motion that nothing resists
static lmb_status check_load(double load, double most, const char *what, const char *unit,
                             const lmb_analysis *a, lmb_error *err) {
    if (fabs(load) <= SAME * most) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_NUMERIC, a->where,
        "no steady rotation: a %s of %.3g %s is not balanced; prescribe the turn with `motion` of a "
        "joint, or support what it moves",
        what, load, unit);
}

lmb_status lmb_steady_check_balance(const lmb_steady *s, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                                    lmb_error *err) {
    const lmb_model *m = w->m;
    double energy = kinetic(m, d);
    lmb_status st = LMB_OK;
    lmb_residual(w->x, m, d);
    lmb_turning_field(s->way, m, d, &s->t);
    double torque = -lmb_dot(s->way, w->x, m->ny) / v3_norm(s->t.w);
    slide(s->way, m, v3_unit(s->t.w));
    double force = -lmb_dot(s->way, w->x, m->ny);
    if (s->turns) st = check_load(torque, energy, "torque about the axis", "N m", a, err);
    if (st == LMB_OK && s->slides)
        st = check_load(force, energy / m->length, "force along the axis", "N", a, err);
    return st;
}
