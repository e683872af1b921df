// solve/initial.c: consistent initial conditions: positions, velocities, accelerations.
//
//     | M  G'   | | dq     |   | 0    |        least change in the norm of the mass matrix
//     | G  -eps | | mu     | = | -Phi |                                            docs/theory/solvers.md (1)
#include "force/forces.h"
#include "solve/solve.h"

#include <stdio.h>
#include <string.h>

static const lmb_combination mass_matrix = {.cM = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};
static const lmb_combination rigid_first = {
    .cM = 1, .cU = LMB_RIGID_FIRST, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};

lmb_status lmb_project_positions(int *iterations, lmb_work *w, lmb_data *d, double tolerance,
                                 lmb_error *err) {
    const lmb_model *m = w->m;
    double before = INFINITY;
    for (*iterations = 0; *iterations < 50; ++*iterations) {
        lmb_constraints(w->Phi, m, d);
        double size = lmb_gap_norm(m, w->Phi);
        if (size <= tolerance || (size < 1e-9 && size > 0.5 * before)) return LMB_OK;
        before = size;
        if (lmb_work_factor(w, d, mass_matrix, NULL) != LMB_OK) break;
        memset(w->x, 0, (size_t)m->ny * sizeof *w->x);
        for (int i = 0; i < m->nc; i++) w->x[m->ny + i] = -w->Phi[i];
        if (lmb_work_solve(w, w->x) != LMB_OK) break;
        // limits a step to half a radian of rotation and the characteristic length of translation
        double largest = lmb_scaled_norm(m, w->x), cut = largest > 0.5 ? 0.5 / largest : 1;
        if (!isfinite(largest)) break;
        for (int i = 0; i < m->ny; i++) w->x[i] *= cut;
        lmb_positions_move(d->q, m, d->q, w->x);
        if (lmb_update(d, m) != LMB_OK) return lmb_body_failed(d, err);
        lmb_accept(d, m);
    }
    char worst[200] = "";
    lmb_constraints(w->Phi, m, d);
    memset(w->r, 0, (size_t)m->ny * sizeof *w->r);
    memcpy(w->r + m->ny, w->Phi, (size_t)m->nc * sizeof *w->Phi);
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "the mechanism cannot be assembled: the largest gap is at %s, %.3g of the model size; "
                    "check the initial poses of the bodies and the lengths in the loop of this joint",
                    lmb_work_worst(worst, sizeof worst, m, w->r), lmb_gap_norm(m, w->Phi));
}

// | M + k U  G'   | | dq |   | -k A' f |        repeated until nothing moves: f, the elastic forces in the measure of U, vanish where
// | G        -eps | | mu | = | -Phi    |        the joints leave a rigid way, else their energy is the least                    (1d)
static bool rigid_positions(lmb_work *w, lmb_data *d) {
    enum { PASSES = 100 };
    const double FINE = 1e-13, COARSE = 1e-9; // of the model size: the second where rounding ends it
    const lmb_model *m = w->m;
    lmb_combination matrix = rigid_first;
    double before = INFINITY;
    matrix.cF = LMB_RIGID_FIRST;
    for (int pass = 0; pass < PASSES; pass++) {
        lmb_deformation_forces(w->x, m, d);
        lmb_scale(w->x, LMB_RIGID_FIRST, m->ny);
        lmb_constraints(w->x + m->ny, m, d);
        lmb_scale(w->x, -1, m->n);
        if (lmb_work_factor(w, d, matrix, NULL) != LMB_OK || lmb_work_solve(w, w->x) != LMB_OK) return false;
        double size = lmb_scaled_norm(m, w->x);
        if (!isfinite(size)) return false;
        lmb_scale(w->x, size > 0.5 ? 0.5 / size : 1, m->ny);
        lmb_positions_move(d->q, m, d->q, w->x);
        if (lmb_update(d, m) != LMB_OK) return false;
        lmb_accept(d, m);
        if (size <= FINE || (size <= COARSE && size > 0.5 * before)) return true;
        before = size;
    }
    return false;
}

static void add_strain_energy(double *sum, double *most, const char **name, double own, const lmb_body *b) {
    *sum += own;
    if (own > *most) *most = own, *name = (b - b->part)->name;
}

// of all flexible bodies, and of beams of rigid segments; name: of the one with most of it
static double strain_energy(const char **name, const lmb_model *m, const lmb_data *d) {
    double sum = 0, most = 0;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        lmb_body_view x = lmb_view(d, b);
        lmb_energy e = {0};
        if (lmb_body_is_flexible(b) && b->ops->dynamics.energy) b->ops->dynamics.energy(&e, &x);
        add_strain_energy(&sum, &most, name, e.strain, b);
    }
    for (int i = 0; i < m->force_count; i++) {
        const lmb_force *f = &m->forces[i];
        lmb_wrench w = {0};
        if (f->ops != &lmb_link_ops) continue;
        f->ops->wrench(&w, d, f);
        add_strain_energy(&sum, &most, name, w.energy, &m->bodies[m->markers[f->marker[0]].body]);
    }
    return sum;
}

// of links of beams of rigid segments
static double stiffest_link(const lmb_model *m) {
    double most = 0;
    for (int i = 0; i < m->force_count; i++) {
        if (m->forces[i].ops != &lmb_link_ops) continue;
        const double *K = ((const lmb_link *)m->forces[i].constants)->K;
        for (int k = 0; k < 6; k++) most = fmax(most, 0.5 * K[7 * k] * (k < 3 ? m->length * m->length : 1));
    }
    return most;
}

// energy of the stiffest deformation that moves a body by its size, the largest of all bodies
static double stiffest_energy(const lmb_model *m, lmb_data *d) {
    double most = stiffest_link(m);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        const double *K = lmb_body_is_flexible(b) ? lmb_body_stiffness(d, b) : NULL;
        for (int k = 0; K && k < b->block_count; k++) {
            const lmb_block *c = &m->blocks[b->blocks[k]];
            for (int j = c->iv - b->iv; j < c->iv - b->iv + c->nv; j++)
                most = fmax(most, 0.5 * fabs(K[j * (b->n + 1)]) * c->scale * c->scale);
        }
    }
    return most;
}

// rigid_positions, at rest; where that fails, the state remains
static lmb_status try_rigid(lmb_work *w, lmb_data *d, lmb_error *err) {
    const lmb_model *m = w->m;
    double *q = lmb_alloc((size_t)m->nq + (size_t)m->turn_count + (size_t)m->nv, sizeof *q);
    if (q == NULL) return lmb_fail_memory(err);
    double *turns = q + m->nq, *v = turns + m->turn_count;
    memcpy(q, d->q, (size_t)m->nq * sizeof *q);
    memcpy(turns, d->turns, (size_t)m->turn_count * sizeof *q);
    memcpy(v, d->v, (size_t)m->nv * sizeof *q);
    memset(d->v, 0, (size_t)m->nv * sizeof *q);
    lmb_update(d, m);
    if (!rigid_positions(w, d)) {
        memcpy(d->q, q, (size_t)m->nq * sizeof *q);
        memcpy(d->turns, turns, (size_t)m->turn_count * sizeof *q);
    }
    memcpy(d->v, v, (size_t)m->nv * sizeof *q);
    lmb_update(d, m);
    lmb_free(q);
    return LMB_OK;
}

// What one step of (1) leaves of the gaps Phi, eps mu, are reactions in equilibrium that move no coordinate: G' mu = 0.
static bool gap_stays(lmb_work *w, lmb_data *d, double gap) {
    const double SHARE = 0.1; // of the gap: rotations close less in the next step
    const lmb_model *m = w->m;
    if (lmb_work_factor(w, d, mass_matrix, NULL) != LMB_OK) return false;
    memset(w->x, 0, (size_t)m->ny * sizeof *w->x);
    for (int i = 0; i < m->nc; i++) w->x[m->ny + i] = -w->Phi[i];
    if (lmb_work_solve(w, w->x) != LMB_OK) return false;
    for (int i = 0; i < m->nc; i++) w->Phi[i] = LMB_REGULARISATION * m->row_eps[i] * w->x[m->ny + i];
    return lmb_gap_norm(m, w->Phi) > SHARE * gap;
}

static bool at_one_place(const lmb_marker *a, const lmb_marker *b) {
    return a->body == b->body && memcmp(&a->local.r, &b->local.r, sizeof a->local.r) == 0;
}

// loads of the multipliers mu on the markers; those of one place of a body together, at its first marker
static void loads_of(double *loads, double *none, const lmb_model *m, lmb_data *d, const double *mu) {
    memset(d->lambda, 0, (size_t)m->nc * sizeof *mu);
    lmb_marker_loads(none, m, d);
    memcpy(d->lambda, mu, (size_t)m->nc * sizeof *mu);
    lmb_marker_loads(loads, m, d);
    lmb_axpy(loads, -1, none, 6 * m->marker_count);
    for (int i = 1; i < m->marker_count; i++)
        for (int k = 0; k < i; k++)
            if (at_one_place(&m->markers[i], &m->markers[k])) {
                lmb_axpy(loads + 6 * k, 1, loads + 6 * i, 6);
                memset(loads + 6 * i, 0, 6 * sizeof *loads);
                break;
            }
}

// a flexible body that moves in shapes and bears most of these loads: it would give way if it had the shapes.  NULL: none bears any
static const lmb_body *most_loaded(const lmb_model *m, const double *loads) {
    const double SHARE = 0.1; // of the largest load
    const lmb_body *found = NULL;
    double most = 0, bears = 0;
    for (int i = 0; i < m->marker_count; i++) {
        int body = m->markers[i].body;
        double size = m->length * v3_norm(v3_load(loads + 6 * i)) + v3_norm(v3_load(loads + 6 * i + 3));
        most = fmax(most, size);
        if (body >= 0 && m->bodies[body].ops->look.bend && size > bears)
            bears = size, found = &m->bodies[body];
    }
    return bears > SHARE * most ? found : NULL;
}

// the flexible body that would close the gaps Phi if its shapes moved its interfaces that way; NULL: they are no matter of shapes
static lmb_status shaped_body(const lmb_body **found, lmb_work *w, lmb_data *d, double gap, lmb_error *err) {
    const lmb_model *m = w->m;
    *found = NULL;
    if (!gap_stays(w, d, gap)) return LMB_OK;
    double *lambda = lmb_alloc((size_t)m->nc + 12 * (size_t)m->marker_count, sizeof *lambda);
    if (lambda == NULL) return lmb_fail_memory(err);
    double *loads = lambda + m->nc;
    memcpy(lambda, d->lambda, (size_t)m->nc * sizeof *lambda);
    loads_of(loads, loads + 6 * m->marker_count, m, d, w->x + m->ny);
    *found = most_loaded(m, loads);
    memcpy(d->lambda, lambda, (size_t)m->nc * sizeof *lambda);
    lmb_free(lambda);
    return LMB_OK;
}

static lmb_status no_shapes(const lmb_body *b, double gap, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_NUMERIC, b->where,
                    "the mechanism cannot be assembled: there are gaps of up to %.3g of the model size at "
                    "the joints of body '%s', and it has no shapes that close them (bending modes, for "
                    "instance, do not stretch a beam); correct positions and lengths, or let it deform that "
                    "way (beams: `shapes: guyan`)",
                    gap, (b - b->part)->name);
}

// Bodies bent so far that their points are off by more than the gaps that this was to close.
static lmb_status check_shapes(const lmb_model *m, const lmb_data *d, double gap, lmb_error *err) {
    const double FAR = 0.02; // of the size of the body: 0.7 rad in a chord frame
    for (int k = 0; k < LMB_BENDS; k++) {
        lmb_bent bend;
        int bent = lmb_work_bend(&bend, (lmb_bend)k, m, d);
        if (bent >= 0 && bend.error > fmax(gap, FAR)) return no_shapes(&m->bodies[bent], gap, err);
    }
    return LMB_OK;
}

// Flexible bodies are moved as rigid ones first; if that fails, as masses.
static lmb_status assemble_positions(lmb_assembly *out, lmb_work *w, lmb_data *d, bool first,
                                     lmb_error *err) {
    const double CLOSED = 1e-12, LITTLE = 0.1; // of the model size: more is no matter of shapes
    const lmb_model *m = w->m;
    const char *name = NULL;
    double strain = strain_energy(&name, m, d);
    lmb_constraints(w->Phi, m, d);
    bool elastic = lmb_model_is_flexible(m) || lmb_model_has_links(m);
    double gap = lmb_gap_norm(m, w->Phi);
    bool rigid = first && elastic && gap > CLOSED;
    const lmb_body *shaped = NULL;
    lmb_status st = rigid && gap < LITTLE ? shaped_body(&shaped, w, d, gap, err) : LMB_OK;
    if (st == LMB_OK && rigid) st = try_rigid(w, d, err);
    if (st == LMB_OK) st = lmb_project_positions(&out->iterations, w, d, 1e-13, shaped ? NULL : err);
    if (st == LMB_ERR_NUMERIC && shaped) return no_shapes(shaped, gap, err);
    if (st == LMB_OK && rigid) st = check_shapes(m, d, gap, err);
    if (st != LMB_OK) return st;
    name = NULL;
    strain = strain_energy(&name, m, d) - strain;
    if (strain > 1e-12 * stiffest_energy(m, d)) out->strain = strain, out->strained = name;
    return LMB_OK;
}

static lmb_status no_velocities(lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_NUMERIC, LMB_NOWHERE,
        "cannot solve for the initial velocities: the mass matrix with the constraints is singular");
}

lmb_status lmb_project_velocities(lmb_work *w, lmb_data *d, lmb_error *err) {
    const lmb_model *m = w->m;
    lmb_status st = lmb_work_factor(w, d, mass_matrix, NULL);
    for (int pass = 0; st == LMB_OK && pass < 2;
         pass++) { // the second pass removes the error of the regularisation
        lmb_constraint_rates(w->Phi, m, d);
        memset(w->x, 0, (size_t)m->ny * sizeof *w->x);
        for (int i = 0; i < m->nc; i++) w->x[m->ny + i] = -w->Phi[i];
        st = lmb_work_solve(w, w->x);
        if (st != LMB_OK) break;
        lmb_velocity_get(w->r, m, d);
        lmb_axpy(w->r, 1, w->x, m->ny);
        lmb_velocity_set(d, m, w->r);
        st = lmb_update(d, m);
    }
    return st == LMB_OK ? LMB_OK : no_velocities(err);
}

// y += k A' U A x, what the matrix has beside the mass
static void add_strain(double *y, const lmb_work *w, const double *x) {
    const lmb_pattern *p = &w->m->pattern;
    for (int j = 0; j < w->m->ny; j++) {
        for (int k = p->start[j]; k < p->start[j + 1]; k++)
            if (p->row[k] < w->m->ny) y[p->row[k]] += w->values[k] * x[j];
        for (int k = w->mass_start[j]; k < w->mass_start[j + 1]; k++)
            y[w->mass_row[k]] -= w->cM * w->mass[k] * x[j];
    }
    lmb_work_tree(y, w, 1, w->values, x);
    lmb_work_tree(y, w, -w->cM, w->mass, x);
}

// k grows where deformation rates vanish slowly: the bending of many elements deforms each by the fourth power of its length.
static lmb_status stiffen(lmb_combination *norm, double *strain, lmb_work *w, lmb_data *d) {
    const double MORE = 10;
    norm->cU *= MORE, lmb_scale(strain, MORE, w->m->ny);
    return lmb_work_factor(w, d, *norm, NULL);
}

// | M + k U  G'   | | dv |   | -k A' U (v - given) |        repeated: deformation rates that the constraints do not ask for
// | G        -eps | | mu | = | -Phi'               |        vanish, then the change is the least                          (1a)
lmb_status lmb_rigid_velocities(lmb_work *w, lmb_data *d, const double *given) {
    enum { PASSES = 60 };
    const double MOST = 1e10, SLOW = 0.3, STALLED = 0.9,
                 ROUNDING = 2e-15; // k; of a change; of k and velocities: some ten times their unit
    const lmb_model *m = w->m;
    lmb_combination norm = rigid_first;
    double *strain = w->e; // k A' U (v - given)
    lmb_velocity_get(w->r, m, d);
    double change = INFINITY, before = INFINITY, most = lmb_scaled_norm(m, w->r);
    lmb_status st = lmb_work_factor(w, d, norm, NULL);
    lmb_deformation_rates(strain, m, d, given);
    lmb_scale(strain, norm.cU, m->ny);
    for (int pass = 0; st == LMB_OK && pass < PASSES && change > 1e-12 * most; pass++) {
        bool rounding = change <= ROUNDING * norm.cU * most;
        if (rounding && change > STALLED * before) break;
        if (!rounding && change > SLOW * before && norm.cU < MOST) st = stiffen(&norm, strain, w, d);
        before = change;
        memcpy(w->x, strain, (size_t)m->ny * sizeof *strain);
        lmb_constraint_rates(w->x + m->ny, m, d);
        lmb_scale(w->x, -1, m->n);
        if (st == LMB_OK) st = lmb_work_solve(w, w->x);
        if (st != LMB_OK) break;
        add_strain(strain, w, w->x);
        change = lmb_scaled_norm(m, w->x);
        most = lmb_larger(most, change);
        lmb_velocity_get(w->r, m, d);
        lmb_axpy(w->r, 1, w->x, m->ny);
        lmb_velocity_set(d, m, w->r);
        st = lmb_update(d, m);
    }
    if (st == LMB_OK && norm.cU != rigid_first.cU) st = lmb_work_factor(w, d, rigid_first, NULL);
    return st;
}

// Constraints, prescribed motions and initial conditions may ask for velocities that do not go together.
static lmb_status check_velocities(lmb_work *w, lmb_data *d, double asked, lmb_error *err) {
    const lmb_model *m = w->m;
    const double NOTHING = 1e-6; // of what was asked for
    char worst[200] = "";
    lmb_constraint_rates(w->Phi, m, d);
    if (lmb_gap_norm(m, w->Phi) <= NOTHING * asked) return LMB_OK;
    memset(w->r, 0, (size_t)m->ny * sizeof *w->r);
    memcpy(w->r + m->ny, w->Phi, (size_t)m->nc * sizeof *w->Phi);
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "the initial velocities contradict each other: the constraints, prescribed motions and "
                    "`start` rates cannot all be met; the largest difference is at %s; check which of them "
                    "hold this joint",
                    lmb_work_worst(worst, sizeof worst, m, w->r));
}

// the largest rate that the velocities of the state or the constraints ask for
static double asked_rate(lmb_work *w, lmb_data *d) {
    lmb_constraint_rates(w->Phi, w->m, d);
    lmb_velocity_get(w->r, w->m, d);
    return lmb_larger(lmb_gap_norm(w->m, w->Phi), lmb_scaled_norm(w->m, w->r));
}

bool lmb_has_friction(const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].joint >= 0 && d->active_force[i] != 0) return true;
    return false;
}

// | M  G' + df/dlambda | | a  |   | -(h - f + G' lambda)     |
// | G  -eps            | | dl | = | -gamma + eps lambda - .. |
//
// The first pass gives redundant constraints their least-squares loads; the second, about its result, removes the error
// of eps.  With friction, Newton's iteration in lambda continues.
lmb_status lmb_accelerations(lmb_work *w, lmb_data *d) {
    const lmb_model *m = w->m;
    bool friction = lmb_has_friction(m, d);
    if (!friction) memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
    lmb_acceleration_clear(d, m);
    for (int k = 0; k < (friction ? 25 : 2); k++) {
        lmb_status st = k == 0 || friction ? lmb_work_factor(w, d, mass_matrix, NULL) : LMB_OK;
        if (st != LMB_OK) return st;
        lmb_residual(w->x, m, d);
        w->stats.residuals++;
        lmb_constraint_gamma(w->x + m->ny, m, d);
        for (int i = 0; i < m->n; i++) w->x[i] = -w->x[i];
        for (int i = 0; k == 0 && i < m->nc; i++)
            w->x[m->ny + i] += LMB_REGULARISATION * m->row_eps[i] * d->lambda[i];
        st = lmb_work_solve(w, w->x);
        if (st != LMB_OK) return st;
        double change = lmb_norm_max(w->x + m->ny, m->nc);
        lmb_axpy(d->lambda, 1, w->x + m->ny, m->nc);
        if (!isfinite(lmb_norm_max(w->x, m->n))) return LMB_ERR_NUMERIC;
        if (m->nc == 0 || (k > 0 && change <= 1e-12 * lmb_norm_max(d->lambda, m->nc))) break;
    }
    lmb_acceleration_set(d, m, w->x);
    return LMB_OK;
}

// joints with direction constraints must not have converged to the flipped solution
static lmb_status check_upright(const lmb_model *m, const lmb_data *d, lmb_error *err) {
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        mat3 Rr = m3_tmul(d->frames[j->marker[0]].p.R, d->frames[j->marker[1]].p.R);
        for (int k = 0; k < 3 && d->active_joint[i] != 0; k++)
            if ((j->upright >> k & 1) && Rr.m[k][k] < 0)
                return lmb_fail(err, LMB_ERR_INPUT, j->where,
                                "joint '%s' is assembled upside down: its %c axes point in opposite "
                                "directions; rotate one of the two bodies or its marker by 180 degrees",
                                j->name, "xyz"[k]);
    }
    return LMB_OK;
}

void lmb_switch_starts(const lmb_model *m, lmb_data *d, int kind, double active) {
    for (int i = 0; i < m->joint_count; i++)
        if (m->joints[i].start == kind) d->active_joint[i] = active;
}

static void begin_states(const lmb_model *m, lmb_data *d) {
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        const lmb_state *s = x.body->state;
        if (s && s->ops->begin) s->ops->begin(d->v + x.body->iv, &x);
    }
    lmb_update(d, m);
}

// Followers cannot keep their given velocities: takes the nearest (in kinetic energy) that the joints allow.
//     v = A y + b:   M y + G' mu = A' M (v - b),   G y = -Phi' at y = 0        M + k U: rigid motions first
static lmb_status nearest(lmb_work *w, lmb_data *d, const double *v, lmb_combination norm, lmb_error *err) {
    const lmb_model *m = w->m;
    memset(w->r, 0, (size_t)m->ny * sizeof *w->r);
    lmb_velocity_set(d, m, w->r);
    lmb_update(d, m);
    lmb_momenta(w->x, m, d, v);
    if (norm.cU != 0) {
        lmb_deformation_rates(w->r, m, d, v);
        lmb_axpy(w->x, -norm.cU, w->r, m->ny);
    }
    lmb_constraint_rates(w->x + m->ny, m, d);
    lmb_scale(w->x + m->ny, -1, m->nc);
    lmb_status st = lmb_work_factor(w, d, norm, NULL);
    if (st == LMB_OK) st = lmb_work_solve(w, w->x);
    if (st != LMB_OK) return no_velocities(err);
    lmb_velocity_set(d, m, w->x);
    lmb_update(d, m);
    return LMB_OK;
}

lmb_status lmb_nearest_velocities(lmb_work *w, lmb_data *d, const double *v, lmb_error *err) {
    return nearest(w, d, v, mass_matrix, err);
}

// kinetic energy of the deformation rates that assembly added to the given velocities
static void note_deformation(lmb_assembly *out, const lmb_model *m, lmb_data *d, double *change) {
    const lmb_body *most;
    lmb_energies e;
    lmb_energies_get(&e, m, d);
    out->kinetic = e.bodies.kinetic;
    for (int i = 0; i < m->nv; i++) change[i] = d->v[i] - change[i];
    out->deformation = lmb_deformation_energy(&most, d, change);
    if (most) out->deformed = most->name;
}

// whether the free velocities are those of the model: then so are those of bodies that follow, else these follow from them
static bool are_given(const lmb_model *m, const lmb_data *d) {
    for (int y = 0; y < m->ny; y++)
        if (d->v[m->y_v[y]] != m->v0[m->y_v[y]]) return false;
    return true;
}

lmb_status lmb_assemble(lmb_assembly *out, lmb_work *w, lmb_data *d, lmb_error *err) {
    const lmb_model *m = w->m;
    *out = (lmb_assembly){0};
    double *q = lmb_alloc((size_t)m->nq + 2 * (size_t)m->ny + (size_t)m->nv, sizeof *q);
    if (q == NULL) return lmb_fail_memory(err);
    double *change = q + m->nq, *v = change + m->ny, *all = v + m->ny;
    memcpy(q, d->q, (size_t)m->nq * sizeof *q);
    lmb_velocity_get(v, m, d);
    bool first = *d->started == 0; // later analyses continue from the end of the previous one
    bool stood = *d->standing != 0, fresh = (first || stood) && lmb_model_is_flexible(m);
    *d->standing = 0;
    memset(d->piece, 0, (size_t)m->force_count * sizeof *d->piece);
    memcpy(all, first && are_given(m, d) ? m->v0 : d->v, (size_t)m->nv * sizeof *all);
    lmb_switch_starts(m, d, LMB_START_VALUE, first);
    lmb_status st = lmb_update(d, m);
    if (st == LMB_OK) st = assemble_positions(out, w, d, first, err);
    else lmb_body_failed(d, err);
    lmb_switch_starts(m, d, LMB_START_VALUE, 0);
    if (st == LMB_OK) st = check_upright(m, d, err);
    if (st == LMB_OK && m->follower_count > 0 && (first || (stood && m->given_count > 0)))
        st = nearest(w, d, all, fresh ? rigid_first : mass_matrix, err);
    lmb_switch_starts(m, d, LMB_START_RATE, first);
    double asked = asked_rate(w, d);
    if (st == LMB_OK && fresh && lmb_rigid_velocities(w, d, all) != LMB_OK) st = no_velocities(err);
    if (st == LMB_OK) st = lmb_project_velocities(w, d, err);
    if (st == LMB_OK) st = check_velocities(w, d, asked, err);
    if (st == LMB_OK && fresh) note_deformation(out, m, d, all);
    lmb_switch_starts(m, d, LMB_START_RATE, 0);
    if (st == LMB_OK && first) begin_states(m, d);
    *d->started = 1;
    if (st == LMB_OK) {
        lmb_positions_difference(change, m, q, d->q);
        for (int i = 0; i < m->block_count; i++) // first-order states have no positions
            if (m->blocks[i].kind == LMB_BLOCK_STATE)
                memset(change + m->blocks[i].iy, 0, (size_t)m->blocks[i].nv * sizeof *change);
        out->position_change = lmb_scaled_norm(m, change);
        for (int i = 0; i < m->ny; i++) w->r[i] = change[i] / (m->y_scale[i] * m->y_scale[i]);
        memset(w->r + m->ny, 0, (size_t)m->nc * sizeof *w->r);
        lmb_work_worst(out->where, sizeof out->where, m, w->r);
        lmb_velocity_get(change, m, d);
        lmb_axpy(change, -1, v, m->ny);
        out->velocity_change = lmb_norm_max(change, m->ny);
        out->velocity_share = lmb_scaled_norm(m, change);
    }
    lmb_free(q);
    return st;
}
