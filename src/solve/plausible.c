// solve/plausible.c: what may be wrong with a model although every equation is satisfied.
#include "solve/plausible.h"

#include "system/follow.h"
#include "system/shown.h"

#include "force/forces.h"
#include "linalg/symmetric.h"
#include "solve/formalism.h"

#include <float.h>
#include <string.h>

enum { KINETIC, STORED, LOST, WORK, BALANCE, ENERGIES };
enum { MOST_BREAKS = 10000 };        // that lmb_motion_jump looks at
static const double ROUNDING = 1e-6; // of the largest energy
static const double RESTING = 1e-8; // of the model size: a model in which nothing moves farther does not move
static const double BLIND = 0.1;    // rad: a force along an angle has ten times the lever there
// Drifts beyond this share of the energy exchanged are warned of; the examples reach 1.6 % with the default tolerance.
// Not if it is small beside the motion itself: a rotor at constant speed exchanges next to nothing.
static const double DRIFT = 0.02, DRIFT_KINETIC = 1e-3;
// Gaps of joints in tolerances: what a step leaves is about one, what contradicts is many.  Of the model size: frames of parts
// from finite elements miss each other by less.
static const double GAP = 10, CLOSED = 1e-6;
// Heavy by light: of the reactions of a double pendulum 1e7 costs less than 1e-6, 1e8 with `augmented` and 1e9 with `multipliers`
// 90 %.  Only the explicit method with multipliers; light bodies that carry nothing do not matter.
static const double UNLIKE = 1e7;
static const double TWIST = 1e-3; // of the torques: less is rounding, as in the plane
static const double FAR = 1e-3;   // of the model size: an equilibrium further away is another state

// ---- energy ------------------------------------------------------------------------------------

void lmb_findings_energy(lmb_findings *f, const lmb_model *m, lmb_data *d) {
    lmb_energies e;
    lmb_energies_get(&e, m, d);
    double now[ENERGIES] = {e.bodies.kinetic, e.bodies.gravity + e.bodies.strain + e.springs, *d->dissipated,
                            *d->work};
    now[BALANCE] = now[KINETIC] + now[STORED] + now[LOST] - now[WORK];
    for (int i = 0; i < ENERGIES; i++) {
        f->low[i] = f->has_energy ? fmin(f->low[i], now[i]) : now[i];
        f->high[i] = f->has_energy ? fmax(f->high[i], now[i]) : now[i];
    }
    f->has_energy = true;
}

void lmb_findings_drift(double *drift, double *exchanged, const lmb_findings *f) {
    double largest = 0;
    *exchanged = 0;
    for (int i = 0; i < BALANCE; i++) {
        *exchanged = fmax(*exchanged, f->high[i] - f->low[i]);
        largest = fmax(largest, fmax(fabs(f->low[i]), fabs(f->high[i])));
    }
    *drift = f->high[BALANCE] - f->low[BALANCE];
    // nothing moves, or nothing is exchanged: both are rounding
    if (f->farthest <= RESTING || *exchanged <= ROUNDING * largest) *exchanged = *drift = 0;
    // nothing is exchanged but the drift, as where a body spins freely
    if (*exchanged < 2 * *drift) *exchanged = fmax(*exchanged, f->high[KINETIC]);
}

bool lmb_findings_drifts(const lmb_findings *f) {
    double drift, exchanged;
    lmb_findings_drift(&drift, &exchanged, f);
    return drift > DRIFT * exchanged && drift > DRIFT_KINETIC * f->high[KINETIC];
}

// ---- gaps --------------------------------------------------------------------------------------

void lmb_findings_gap(lmb_findings *f, const lmb_model *m, lmb_data *d, double tolerance, double *Phi) {
    lmb_constraints(Phi, m, d);
    for (int i = 0; i < m->joint_count; i++)
        for (int r = m->joints[i].lambda; r < m->joints[i].lambda + m->joints[i].row_count; r++) {
            double gap = fabs(Phi[r]) / m->row_scale[r];
            if (gap > fmax(GAP * tolerance, CLOSED) && gap > f->gap)
                f->gap = gap, f->gap_time = *d->time, f->gap_joint = i;
        }
}

// ---- angles ------------------------------------------------------------------------------------

// The angle atan2((R1 c) . (R2 b), (R1 a) . (R2 b)) is not defined where R2 b is normal to R1 a and R1 c: how far from there, rad
static double angle_left(const lmb_data *d, const lmb_turn *t) {
    vec3 b = m3_mul_v3(&d->frames[t->marker[1]].p.R, t->f.b);
    vec3 b1 = m3_tmul_v3(&d->frames[t->marker[0]].p.R, b);
    return asin(fmin(1, hypot(v3_dot(t->f.c, b1), v3_dot(t->f.a, b1))));
}

static bool acts_along(const lmb_force *f, const lmb_turn *t) {
    const lmb_measure *along = f->ops->along ? f->ops->along(f) : NULL;
    return along && f->marker[0] == t->marker[0] && f->marker[1] == t->marker[1] &&
           lmb_measure_same(along, &t->f);
}

static int force_along(const lmb_model *m, const lmb_data *d, const lmb_turn *t) {
    for (int i = 0; i < m->force_count; i++)
        if (d->active_force[i] != 0 && acts_along(&m->forces[i], t)) return i;
    return -1;
}

void lmb_findings_angles(lmb_findings *f, const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->turn_count && f->blind < 0; i++) {
        double left = angle_left(d, &m->turns[i]);
        if (!(left < BLIND)) continue;
        f->blind = force_along(m, d, &m->turns[i]);
        f->blind_angle = left, f->blind_time = *d->time;
    }
}

// ---- torques that nothing bears ----------------------------------------------------------------

static bool is_twistless(const lmb_model *m, int marker) {
    int body = m->markers[marker].body;
    return body >= 0 && m->bodies[body].ops->look.unborne;
}

bool lmb_has_unborne(const lmb_model *m) {
    for (int i = 0; i < m->marker_count; i++)
        if (is_twistless(m, i)) return true;
    return false;
}

void lmb_findings_twist(lmb_findings *f, const lmb_model *m, lmb_data *d, double *loads) {
    const double LEVER = 1e-6; // of the model size: a force has no torque
    if (loads == NULL) return;
    lmb_marker_loads(loads, m, d);
    for (int i = 0; i < m->marker_count; i++) {
        if (!is_twistless(m, i)) continue;
        const lmb_body *b = &m->bodies[m->markers[i].body];
        lmb_body_view x = lmb_view(d, b);
        const double *load = loads + 6 * i;
        double twist = fabs(b->ops->look.unborne(&x, &m->markers[i], load));
        double force = LEVER * m->length * v3_norm(v3_load(load));
        f->torque = fmax(f->torque, force + v3_norm(v3_load(load + 3)));
        if (twist > f->twist) f->twist = twist, f->twisted = i;
    }
}

bool lmb_findings_twists(const lmb_findings *f) { return f->twist > TWIST * f->torque; }

int lmb_folded_body(const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        if (x.body->ops->look.folded && x.body->ops->look.folded(&x)) return i;
    }
    return -1;
}

void lmb_findings_folded(lmb_findings *f, const lmb_model *m, const lmb_data *d) {
    if (f->folded >= 0) return;
    f->folded = lmb_folded_body(m, d);
    f->folded_time = *d->time;
}

// ---- start -------------------------------------------------------------------------------------

void lmb_findings_stops(lmb_findings *f, const lmb_model *m, const lmb_data *d) {
    f->stop = -1;
    for (int i = 0; i < m->force_count; i++) {
        lmb_wrench w = {0};
        if (m->forces[i].ops != &lmb_joint_limits_ops || d->active_force[i] == 0) continue;
        m->forces[i].ops->wrench(&w, d, &m->forces[i]);
        if (w.energy > f->stop_energy) f->stop_energy = w.energy, f->stop = i;
    }
}

// ---- statics -----------------------------------------------------------------------------------

static void note_move(double *most, lmb_findings *f, const lmb_model *m, int body, double moved,
                      double turned) {
    double size = fmax(moved / m->length, turned);
    f->moved = fmax(f->moved, moved), f->turned = fmax(f->turned, turned);
    if (size > *most) *most = size, f->moved_body = body;
}

void lmb_findings_moved(lmb_findings *f, const lmb_model *m, const lmb_data *before, const lmb_data *now) {
    double most = 0;
    for (int i = 0; i < m->body_count; i++) {
        double q0[7], q1[7];
        if (lmb_shown_frame(q0, NULL, before, &m->bodies[i]) && lmb_shown_frame(q1, NULL, now, &m->bodies[i]))
            note_move(&most, f, m, i, v3_norm(v3_sub(v3_load(q1), v3_load(q0))),
                      v3_norm(q_log(q_mul(q_conj(q_load(q0 + 3)), q_load(q1 + 3)))));
    }
    for (int i = 0; i < m->marker_count; i++) {
        const pose *a = &before->frames[i].p, *b = &now->frames[i].p;
        note_move(&most, f, m, m->markers[i].body, v3_norm(v3_sub(b->r, a->r)),
                  v3_norm(q_log(q_from_matrix(m3_tmul(a->R, b->R)))));
    }
}

// P = (Z' A Z + its transpose) / 2, A n x n, Z n x count by columns
static void project(double *P, double *AZ, const double *A, const double *Z, int n, int count) {
    lmb_gram(AZ, 1, Z, A, 0, n, count, n);
    lmb_gram(P, 1, Z, AZ, 0, n, count, count);
    for (int r = 0; r < count; r++)
        for (int c = 0; c < r; c++)
            P[r * count + c] = P[c * count + r] = 0.5 * (P[r * count + c] + P[c * count + r]);
}

typedef struct pencil {  // K z = lambda M z on the constraints, x = Z z
    int n, count;        // of x, of z
    const double *whole; // K of all x
    double *Z, *K, *M, *A, *B, *V, *lambda;
} pencil;

// From M z = theta (K + shift M) z, lambda = 1/theta - shift, with the smallest shift of a row that makes the matrix positive: soft directions
// are exact beside the stiffest, such as those of thin sections.  theta ascends, lambda descends.
static bool solve_pencil(pencil *p, double shift) {
    const double LAST = 1e30;
    size_t entries = (size_t)p->count * (size_t)p->count;
    lmb_status st = LMB_ERR_NUMERIC;
    for (; st == LMB_ERR_NUMERIC && shift < LAST; shift *= 100) {
        memcpy(p->A, p->M, entries * sizeof *p->A);
        for (size_t i = 0; i < entries; i++) p->B[i] = p->K[i] + shift * p->M[i];
        st = lmb_dense_eigen(p->lambda, p->V, p->A, p->B, p->count, NULL);
    }
    for (int k = 0; k < p->count && st == LMB_OK; k++) p->lambda[k] = 1 / p->lambda[k] - shift / 100;
    return st == LMB_OK;
}

// sum_ij |x_i A_ij x_j|
static double absolute_form(const double *x, const double *A, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += fabs(x[i] * A[(size_t)i * (size_t)n + (size_t)j] * x[j]);
    return sum;
}

// x = Z z of vector k, x'M x = 1; returns rounding errors of x'K x: NOISE |x|'|K||x| of K, and n epsilon |z|'|Z'K Z||z| of its projection and
// its factors, in which soft directions are differences of stiff ones
static double direction(double *x, const pencil *p, int k) {
    const double NOISE = 1e-12;
    int n = p->count;
    double *z = p->A, square = 0;
    for (int c = 0; c < n; c++) z[c] = p->V[c * n + k];
    for (int c = 0; c < n; c++) square += z[c] * lmb_dot(p->M + c * n, z, n);
    lmb_scale(z, 1 / sqrt(square), n);
    memset(x, 0, (size_t)p->n * sizeof *x);
    for (int c = 0; c < n; c++) lmb_axpy(x, z[c], p->Z + (size_t)c * (size_t)p->n, p->n);
    return NOISE * absolute_form(x, p->whole, p->n) + n * DBL_EPSILON * absolute_form(z, p->K, n);
}

// eigenvalues below rounding and below -slow
static int count_negative(lmb_fall *out, const pencil *p, double slow, double *x) {
    int count = 0;
    for (int k = p->count - 1; k >= 0 && p->lambda[k] < -slow; k--) {
        if (p->lambda[k] >= -direction(x, p, k) - slow) continue;
        if (count++ == 0 && out) out->curvature = p->lambda[k], memcpy(out->x, x, (size_t)p->n * sizeof *x);
    }
    return count;
}

// No lambda is below -slow where Z' (K + slow M) Z is positive, which takes a tenth of what eigenvalues take; n x n scratch.
static bool is_stable(pencil *p, double *scratch, const double *M, double slow) {
    size_t n = (size_t)p->n, square = n * n;
    for (size_t i = 0; i < square; i++) p->A[i] = p->whole[i] + slow * M[i];
    project(p->B, scratch, p->A, p->Z, p->n, p->count);
    return lmb_dense_is_positive(p->B, p->count);
}

static int unstable_of(lmb_fall *out, pencil *p, double *scratch, const double *M, double slow) {
    if (p->count == 0 || is_stable(p, scratch, M, slow)) return 0;
    project(p->K, scratch, p->whole, p->Z, p->n, p->count);
    project(p->M, scratch, M, p->Z, p->n, p->count);
    return solve_pencil(p, slow) ? count_negative(out, p, slow, p->lambda + p->n) : LMB_STABILITY_FAILED;
}

int lmb_unstable_directions(lmb_fall *out, const lmb_model *m, lmb_data *d, double slow) {
    lmb_equations l;
    if (m->ny > LMB_STABILITY_LARGEST) return LMB_STABILITY_UNKNOWN;
    lmb_arena *arena = lmb_arena_create(1 << 16);
    size_t n = (size_t)m->ny;
    int unstable = LMB_STABILITY_FAILED;
    if (arena == NULL) return unstable;
    pencil p = {.n = m->ny};
    double *scratch = lmb_arena_get(arena, 6 * n * n + 2 * n, sizeof *scratch);
    if (scratch && lmb_equations_linearise(&l, arena, m, d, LMB_FRAME_BODY, NULL) == LMB_OK &&
        lmb_null_basis(&p.count, &p.Z, arena, m, l.G, m->ny, 1, NULL) == LMB_OK) { // states are held
        p.whole = l.K, p.K = scratch + n * n, p.M = p.K + n * n, p.A = p.M + n * n, p.B = p.A + n * n;
        p.V = p.B + n * n, p.lambda = p.V + n * n;
        unstable = unstable_of(out, &p, scratch, l.M, slow);
    }
    lmb_arena_destroy(arena);
    return unstable;
}

// the largest angular velocity of a body squared
static double fastest_turn(const lmb_model *m, const lmb_data *d) {
    double most = 0;
    for (int i = 0; i < m->block_count; i++) {
        const double *w = d->v + m->blocks[i].iv;
        if (m->blocks[i].kind == LMB_BLOCK_ROT) most = fmax(most, v3_dot(v3_load(w), v3_load(w)));
        if (m->blocks[i].kind == LMB_BLOCK_ANGLE) most = fmax(most, *w * *w);
    }
    return most;
}

// whether the motion goes along x (ny, x'M x = 1) at all: x'M v against |v|
static bool moves_along(const double *x, lmb_work *w, lmb_data *still, lmb_data *d) {
    const double ROUNDED = 1e-6;
    const lmb_model *m = w->m;
    lmb_energies e;
    lmb_energies_get(&e, m, d);
    lmb_data_copy(still, d);
    memset(w->r, 0, (size_t)m->ny * sizeof *w->r);
    lmb_velocity_set(still, m, w->r);
    lmb_update(still, m);
    lmb_momenta(w->x, m, still, d->v);
    return fabs(lmb_dot(x, w->x, m->ny)) > ROUNDED * sqrt(2 * e.bodies.kinetic);
}

// the body that deforms most along x (ny); NULL: hardly any
static const lmb_body *deformed_along(const double *x, lmb_work *w, lmb_data *d) {
    const double LITTLE = 0.01; // of the kinetic energy
    const lmb_body *most;
    double *v = w->x;
    lmb_velocity_get(v, w->m, d);
    lmb_velocity_set(d, w->m, x);
    double share = lmb_deformation_share(&most, d, d->v);
    lmb_velocity_set(d, w->m, v);
    lmb_update(d, w->m);
    return share > LITTLE ? most : NULL;
}

// Bodies that turn fast may be held by gyroscopic forces; what grows by less than e in the run does not count.
static void find_fall(lmb_findings *f, lmb_work *w, lmb_data *settled, lmb_data *d, double span) {
    const double SLOW = 0.01;
    const lmb_model *m = w->m;
    lmb_fall fall = {.x = w->e};
    double slow = fmax(LMB_STABILITY_SLOW, fmax(fastest_turn(m, d) / SLOW, 1 / (span * span)));
    if (lmb_unstable_directions(&fall, m, settled, slow) <= 0 || moves_along(fall.x, w, settled, d)) return;
    const lmb_body *body = deformed_along(fall.x, w, d);
    if (body) f->buckled = (int)(body - m->bodies), f->growth = sqrt(-fall.curvature);
}

// of a model in a plane: bodies may buckle out of it
static void find_fall_in_space(lmb_findings *f, const lmb_data *settled, const lmb_data *d, double span) {
    const lmb_model *m = d->model->space;
    lmb_work *w = NULL;
    lmb_data *s[2] = {0};
    lmb_status st = lmb_work_create(&w, m, NULL);
    for (int k = 0; k < 2 && st == LMB_OK; k++) {
        st = lmb_data_create(&s[k], m, NULL);
        if (st == LMB_OK) st = lmb_shown_in_space(s[k], k == 0 ? settled : d);
        if (st == LMB_OK && k == 0)
            st = lmb_accelerations(w, s[k]); // of the settled state, for its stiffness
    }
    if (st == LMB_OK) find_fall(f, w, s[0], s[1], span);
    lmb_data_destroy(s[0]), lmb_data_destroy(s[1]);
    lmb_work_destroy(w);
}

void lmb_findings_balanced(lmb_findings *f, lmb_work *w, lmb_data *settled, lmb_data *d, double span) {
    const double WORTH = 1000; // what an iteration is worth in entries of a matrix
    const lmb_model *m = w->m;
    double n = m->space ? m->space->ny : m->ny;
    if (!lmb_model_is_flexible(m) || n * n > WORTH * (double)w->stats.iterations) return;
    if (!lmb_settles(w, settled, d)) return; // without vibrations
    if (m->space) find_fall_in_space(f, settled, d, span);
    else find_fall(f, w, settled, d, span);
}

// ---- modes -------------------------------------------------------------------------------------

bool lmb_is_off_equilibrium(const lmb_model *m, const lmb_data *d, const lmb_mode_set *modes) {
    double a = 0, v = 0, slowest = INFINITY;
    for (int i = 0; i < m->ny; i++) {
        if (m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE) continue;
        v = fmax(v, fabs(d->v[m->y_v[i]]) / m->y_scale[i]);
        a = fmax(a, fabs(d->a[m->y_v[i]]) / m->y_scale[i]);
    }
    for (int k = 0; k < modes->count; k++)
        slowest = fmin(slowest, 2 * LMB_PI * modes->values[k * LMB_MODE_COLUMNS + LMB_MODE_NATURAL]);
    return v < 1e-6 && a > 1e-6 && a > FAR * slowest * slowest; // it would move by about a / omega^2
}

// ---- unlike masses -----------------------------------------------------------------------------

static bool has_mass(const lmb_model *m, int body) {
    return body >= 0 && lmb_shown_has_frame(&m->bodies[body]);
}

static double mass_of(const lmb_model *m, lmb_data *d, int body) {
    lmb_body_view x = lmb_view(d, &m->bodies[body]);
    x.body->ops->dynamics.mass(d->scratch, &x);
    return d->scratch[0];
}

static bool joins(const lmb_model *m, const lmb_joint *j, int body) {
    bool found = false;
    for (int k = 0; k < j->marker_count; k++) found |= m->markers[j->marker[k]].body == body;
    return found;
}

// whether a constraint of another joint holds the body to something else
static bool is_held_elsewhere(const lmb_model *m, int body, int other) {
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        if (j->row_count > 0 && joins(m, j, body) && !joins(m, j, other)) return true;
    }
    return false;
}

static void note_unlike(lmb_findings *f, const lmb_model *m, lmb_data *d, int light, int heavy) {
    if (!has_mass(m, light) || !has_mass(m, heavy) || !is_held_elsewhere(m, light, heavy)) return;
    double ratio = mass_of(m, d, heavy) / mass_of(m, d, light);
    if (ratio > UNLIKE && ratio < INFINITY && ratio > f->unlike)
        f->unlike = ratio, f->light = light, f->heavy = heavy;
}

void lmb_findings_unlike(lmb_findings *f, const lmb_model *m, lmb_data *d, const lmb_analysis *a) {
    bool explicit = a->integrator && (a->integrator->solves & LMB_ODE);
    if (!explicit || a->formalism->needs == LMB_ODE)
        return; // others solve with minimal coordinates, or with the step
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int k = 0; k < 2 && j->row_count > 0; k++)
            note_unlike(f, m, d, m->markers[j->marker[k]].body, m->markers[j->marker[1 - k]].body);
    }
}

// ---- loose bodies ------------------------------------------------------------------------------

// the body of which the body of a marker is a part, -1: ground
static int whole_of(const lmb_model *m, int marker) {
    int body = m->markers[marker].body;
    return body < 0 ? -1 : body - m->bodies[body].part;
}

// the bodies of these markers, if there are two of them or more
static void mark_touched(bool *touched, const lmb_model *m, const int *marker, int count) {
    bool apart = false;
    for (int k = 1; k < count; k++) apart |= whole_of(m, marker[k]) != whole_of(m, marker[0]);
    for (int k = 0; apart && k < count; k++)
        if (whole_of(m, marker[k]) >= 0) touched[whole_of(m, marker[k])] = true;
}

static void find_touched(bool *touched, const lmb_model *m) {
    for (int i = 0; i < m->joint_count; i++)
        mark_touched(touched, m, m->joints[i].marker, m->joints[i].marker_count);
    for (int i = 0; i < m->force_count; i++) mark_touched(touched, m, m->forces[i].marker, 2);
}

static bool starts_at_rest(const lmb_model *m, const lmb_body *b) {
    for (int k = 0; k < b->n; k++)
        if (m->v0[b->iv + k] != 0) return false;
    return true;
}

bool lmb_loose_body(int *out, const lmb_model *m) {
    *out = -1;
    if (v3_norm(m->gravity) == 0) return true;
    bool *touched = lmb_alloc((size_t)m->body_count + 1, sizeof *touched);
    if (touched == NULL) return false;
    find_touched(touched, m);
    for (int i = 0; i < m->body_count && *out < 0; i++) {
        const lmb_body *b = &m->bodies[i];
        if (b->state == NULL && b->part == 0 && !touched[i] && starts_at_rest(m, b)) *out = i;
    }
    lmb_free(touched);
    return true;
}

// ---- prescribed motions ------------------------------------------------------------------------

// the jump of one motion at t, between two times close to it
static void look(lmb_jump *out, const lmb_model *m, const lmb_row *row, lmb_jump at, double gap) {
    at.size = fabs(lmb_row_motion_at(m, row, at.time, at.time + gap) -
                   lmb_row_motion_at(m, row, at.time, at.time - gap));
    double scale = at.angle ? 1 : m->length;
    if (at.size > 1e-6 * scale &&
        (out->joint == NULL || at.size / scale > out->size / (out->angle ? 1 : m->length)))
        *out = at;
}

static void look_at(lmb_jump *out, const lmb_model *m, double t, double gap) {
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count; r++)
            if (j->rows[r].motion)
                look(out, m, &j->rows[r],
                     (lmb_jump){j->name, lmb_measure_is_angle(&j->terms[j->rows[r].term].f), t, 0}, gap);
    }
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        for (int k = 0; k < f->count; k++)
            if (f->free[k] < 0 && f->given[k].motion)
                look(out, m, &f->given[k],
                     (lmb_jump){m->joints[f->joint].name, f->motion[k].kind == LMB_MOTION_TURN, t, 0}, gap);
    }
}

lmb_jump lmb_motion_jump(const lmb_model *m, double from, double until) {
    lmb_jump out = {0};
    double gap = 1e-9 * (until - from), t = from;
    for (int k = 0; k < MOST_BREAKS; k++) {
        t = lmb_next_break(m, t, until);
        if (!(t <= until)) break;
        look_at(&out, m, t, gap);
    }
    return out;
}
