// system/residual.c: r = M a + h - f + G' lambda, constraints and their rates, reactions, energies.
#include "system/crew.h"
#include "system/follow.h"

// ---- scattering --------------------------------------------------------------------------------

double *lmb_loads_open(double *r, const lmb_model *m, const lmb_data *d) {
    double *to = m->tree ? d->pool + m->residuals : r;
    memset(to, 0, (size_t)(m->tree ? m->nv : m->ny) * sizeof *to);
    return to;
}

void lmb_loads_close(double *r, const lmb_model *m, const lmb_data *d, double *loads) {
    if (m->tree) lmb_gather(r, m, d, loads);
}

// r += s x into the body's own velocities
static void scatter_own(double *r, const lmb_data *d, const lmb_body *b, double s, const double *x) {
    (void)d;
    lmb_axpy(r + b->iv, s, x, b->n);
}

void lmb_scatter(double *r, const lmb_data *d, const lmb_body *b, double s, const double *x) {
    if (d->model->tree) {
        scatter_own(r, d, b, s, x);
        return;
    }
    if (b->map < 0) {
        if (b->n > 0 && b->y[b->n - 1] - b->y[0] == b->n - 1) lmb_axpy(r + b->y[0], s, x, b->n);
        else
            for (int k = 0; k < b->n; k++) r[b->y[k]] += s * x[k];
        return;
    }
    const double *A = d->pool + b->map;
    for (int i = 0; i < b->n; i++) {
        if (b->own[i] >= 0) r[b->y[b->own[i]]] += s * x[i];
        for (int k = 0; b->own[i] < 0 && k < b->ny; k++) r[b->y[k]] += s * A[i * b->ny + k] * x[i];
    }
}

// Where forces go, and their powers so far.
typedef struct sink {
    double *r;
    void (*into)(double *r, const lmb_data *d, const lmb_body *b, double s, const double *x);
    lmb_powers powers;
} sink;

// the same with the power of x: the sum of all minus r.y is the power of prescribed motions
// that are no unknowns, v = A y + B g':  sum x.v - r.y = g'.B'x
static void put(sink *to, const lmb_data *d, const lmb_body *b, double s, const double *x) {
    if (d->model->given_count > 0) to->powers.drive += s * lmb_dot(x, d->v + b->iv, b->n);
    to->into(to->r, d, b, s, x);
}

// x = J' w for a wrench w on a marker; the number of velocities, 0: on ground
static int marker_load(double *x, const lmb_data *d, int marker, const double *w) {
    const lmb_model *m = d->model;
    int body = m->markers[marker].body, n = body < 0 ? 0 : m->bodies[body].n;
    const double *J = d->frames[marker].J;
    for (int c = 0; c < n; c++) x[c] = 0;
    for (int i = 0; i < 6 && n > 0; i++)
        if (w[i] != 0) lmb_axpy(x, w[i], J + i * n, n);
    return n;
}

// r += s J' w for a wrench w on a marker
static void scatter_wrench(sink *to, const lmb_model *m, lmb_data *d, int marker, double s, const double *w) {
    if (marker_load(d->scratch, d, marker, w) > 0)
        put(to, d, &m->bodies[m->markers[marker].body], s, d->scratch);
}

// wrenches of G' lambda on the markers of a joint (6 each)
static void joint_wrenches(double *w, const lmb_data *d, const lmb_joint *j) {
    memset(w, 0, (size_t)j->marker_count * 6 * sizeof *w);
    for (int r = 0; r < j->row_count; r++) {
        const lmb_row *row = &j->rows[r];
        double lambda = d->lambda[j->lambda + r];
        for (int i = row->term; i < row->term + row->term_count; i++) {
            const lmb_term *t = &j->terms[i];
            const double *g = d->pool + j->g + i * (LMB_TWIST + 1);
            lmb_axpy(w + 6 * t->first, lambda * t->c, g, 6);
            lmb_axpy(w + 6 * t->second, lambda * t->c, g + 6, 6);
        }
    }
}

static void force_wrench(lmb_wrench *w, lmb_data *d, const lmb_force *f) {
    memset(w, 0, sizeof *w);
    f->ops->wrench(w, d, f);
}

// G' lambda of a joint in the velocities of its bodies, one after the other
static void joint_load(double *x, const lmb_data *d, const lmb_joint *j) {
    double w[6 * LMB_JOINT_MARKERS];
    joint_wrenches(w, d, j);
    for (int k = 0; k < j->marker_count; k++) x += marker_load(x, d, j->marker[k], w + 6 * k);
}

static bool acts(const lmb_data *d, int joint) {
    return d->active_joint[joint] != 0 && d->model->joints[joint].row_count > 0;
}

static void some_reactions(void *user, int from, int to, int thread) {
    const lmb_data *d = user;
    const lmb_crew *c = d->crew;
    (void)thread;
    for (int i = from; i < to; i++)
        if (acts(d, i)) joint_load(c->loads + c->reaction[i], d, &d->model->joints[i]);
}

// adds G' lambda: side by side, if there are threads, and added in the order of the joints
static void reactions_of(sink *to, const lmb_model *m, lmb_data *d) {
    const lmb_crew *c = d->crew;
    if (c) lmb_team_run(c->team, m->joint_count, LMB_CREW_GRAIN, some_reactions, d);
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        const double *x = c ? c->loads + c->reaction[i] : d->scratch;
        if (!acts(d, i)) continue;
        if (c == NULL) joint_load(d->scratch, d, j);
        for (int k = 0; k < j->marker_count; k++) {
            int body = m->markers[j->marker[k]].body;
            if (body < 0) continue;
            put(to, d, &m->bodies[body], 1, x);
            x += m->bodies[body].n;
        }
    }
}

// M a + h of a body; its dissipation
static double body_load(double *r, const lmb_data *d, const lmb_body *b) {
    const lmb_body_dynamics *ops = &b->ops->dynamics;
    lmb_body_view x = lmb_view(d, b);
    ops->inertia(r, &x, x.a);
    return ops->dissipation ? ops->dissipation(&x) : 0;
}

static void some_loads(void *user, int from, int to, int thread) {
    const lmb_data *d = user;
    const lmb_crew *c = d->crew;
    (void)thread;
    for (int i = from; i < to; i++)
        c->dissipated[i] = body_load(c->loads + c->load[i], d, &d->model->bodies[i]);
}

// adds M a + h of all bodies: side by side, if there are threads, and added in their order
static void bodies_of(sink *to, const lmb_model *m, lmb_data *d) {
    const lmb_crew *c = d->crew;
    if (c) lmb_team_run(c->team, m->body_count, LMB_CREW_GRAIN, some_loads, d);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        double *r = c ? c->loads + c->load[i] : d->scratch;
        double dissipated = c ? c->dissipated[i] : body_load(r, d, b);
        put(to, d, b, 1, r);
        if (b->ops->dynamics.dissipation) to->powers.dissipated += dissipated;
    }
}

// adds M a + h - f + G' lambda of all bodies
static void residual_of(sink *to, const lmb_model *m, lmb_data *d) {
    LMB_SEAM(d->model == m && !d->stale);
    bodies_of(to, m, d);
    for (int i = 0; i < m->force_count; i++) {
        if (d->active_force[i] == 0) continue;
        lmb_wrench w;
        force_wrench(&w, d, &m->forces[i]);
        to->powers.drive += w.drive;
        to->powers.dissipated += w.dissipated;
        for (int k = 0; k < 2; k++) scatter_wrench(to, m, d, m->forces[i].marker[k], -1, w.W + 6 * k);
    }
    reactions_of(to, m, d);
    to->powers.drive += lmb_motion_power(m, d);
}

lmb_powers lmb_residual(double *r, const lmb_model *m, lmb_data *d) {
    sink to = {.r = lmb_loads_open(r, m, d), .into = lmb_scatter};
    residual_of(&to, m, d);
    lmb_loads_close(r, m, d, to.r);
    for (int i = 0; m->given_count > 0 && i < m->ny; i++) to.powers.drive -= r[i] * d->v[m->y_v[i]];
    return to.powers;
}

void lmb_reactions(double *r, const lmb_model *m, lmb_data *d) {
    sink to = {.r = lmb_loads_open(r, m, d), .into = lmb_scatter};
    reactions_of(&to, m, d);
    lmb_loads_close(r, m, d, to.r);
}

void lmb_residual_bodies(double *F, const lmb_model *m, lmb_data *d) {
    memset(F, 0, (size_t)m->nv * sizeof *F);
    residual_of(&(sink){.r = F, .into = scatter_own}, m, d);
}

void lmb_momenta(double *p, const lmb_model *m, lmb_data *d, const double *v) {
    double *to = lmb_loads_open(p, m, d);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        double *M = d->scratch, *x = M + b->n * b->n;
        lmb_body_view view = lmb_view(d, b);
        b->ops->dynamics.mass(M, &view);
        double *change = x + b->n;
        for (int k = 0; k < b->n; k++) change[k] = v[b->iv + k] - d->v[b->iv + k];
        for (int r = 0; r < b->n; r++) x[r] = lmb_dot(M + r * b->n, change, b->n);
        lmb_scatter(to, d, b, 1, x);
    }
    lmb_loads_close(p, m, d, to);
}

// ---- constraints -------------------------------------------------------------------------------

// in the model's units; its inputs are set from outside (d NULL: zero) or follow a file, as functions of time.  The rate of external e
// is `faster`.
static lmb_jet motion_with(const lmb_row *row, const lmb_model *m, const lmb_env *env, const lmb_data *d,
                           int e, double faster) {
    lmb_jet u[LMB_MAX_INPUTS];
    for (int k = 0; k < lmb_expr_input_count(row->motion); k++) {
        const lmb_input *in = &m->inputs[lmb_expr_input(row->motion, k)];
        if (in->expr) u[k] = lmb_expr_jet(in->expr, env, NULL);
        else u[k] = d ? lmb_external_at(d, in->state) : (lmb_jet){0, 0, 0};
        if (in->kind == LMB_INPUT_EXTERNAL && in->state == e) u[k].d += faster;
    }
    return lmb_expr_jet(row->motion, env, u);
}

static lmb_jet motion_of(const lmb_row *row, const lmb_model *m, const lmb_env *env, const lmb_data *d) {
    return motion_with(row, m, env, d, -1, 0);
}

double lmb_row_motion_at(const lmb_model *m, const lmb_row *row, double time, double side) {
    double s = 1 / m->units.time;
    return row->motion_factor * motion_of(row, m, &(lmb_env){s * time, s * side, NULL}, NULL).v;
}

lmb_jet lmb_row_motion(const lmb_data *d, const lmb_row *row) {
    if (row->motion == NULL) return (lmb_jet){0, 0, 0};
    lmb_env env = lmb_env_of(d);
    lmb_jet f = motion_of(row, d->model, &env, d);
    double s = row->motion_factor, w = d->model->units.time; // derivatives by SI time
    if (*d->standing != 0) f.d = f.dd = 0;
    return (lmb_jet){s * f.v, s / w * f.d, s / (w * w) * f.dd};
}

typedef struct moved {
    double known, time, side, standing;
    lmb_jet f;
} moved;

// the same of row r of a joint: all iterations of a step, and rows, their rates and powers, ask for one time
static lmb_jet motion_now(const lmb_data *d, const lmb_joint *j, int r) {
    const lmb_row *row = &j->rows[r];
    if (row->motion == NULL || lmb_expr_input_count(row->motion) > 0) return lmb_row_motion(d, row);
    moved *k = (moved *)(d->pool + j->moved + r * LMB_MOVED_COUNT);
    if (k->known == 0 || k->time != *d->time || k->side != d->time_side || k->standing != *d->standing)
        *k = (moved){1, *d->time, d->time_side, *d->standing, lmb_row_motion(d, row)};
    return k->f;
}

// along (1, u' + c) the second derivative of f(t, u) is f'' + 2 c f_u' + c^2 f_uu, the first f' + c f_u
lmb_jet lmb_row_motion_by(const lmb_data *d, const lmb_row *row, int e) {
    if (row->motion == NULL) return (lmb_jet){0, 0, 0};
    lmb_env env = lmb_env_of(d);
    lmb_jet more = motion_with(row, d->model, &env, d, e, 1),
            less = motion_with(row, d->model, &env, d, e, -1);
    double s = row->motion_factor, w = d->model->units.time;
    lmb_jet by = {s * (more.d - less.d) / 2, s / w * (more.dd - less.dd) / 4, 0};
    if (*d->standing != 0) by.d = 0;
    return by;
}

void lmb_constraints(double *Phi, const lmb_model *m, const lmb_data *d) {
    LMB_SEAM(d->model == m && !d->stale);
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count; r++) {
            const lmb_row *row = &j->rows[r];
            double value = -row->offset - motion_now(d, j, r).v;
            for (int k = row->term; k < row->term + row->term_count; k++)
                value += j->terms[k].c * d->pool[j->g + k * (LMB_TWIST + 1) + LMB_TWIST];
            Phi[j->lambda + r] = d->active_joint[i] != 0 ? value : 0;
        }
    }
}

// g . x' of term k
static double term_rate(const lmb_data *d, const lmb_joint *j, int k) {
    const lmb_term *t = &j->terms[k];
    const double *g = d->pool + j->g + k * (LMB_TWIST + 1);
    return lmb_dot(g, d->frames[j->marker[t->first]].twist, 6) +
           lmb_dot(g + 6, d->frames[j->marker[t->second]].twist, 6);
}

void lmb_constraint_rates(double *Phi_dot, const lmb_model *m, const lmb_data *d) {
    LMB_SEAM(d->model == m && !d->stale);
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count; r++) {
            const lmb_row *row = &j->rows[r];
            double value = -motion_now(d, j, r).d - row->rate;
            for (int k = row->term; k < row->term + row->term_count; k++)
                value += j->terms[k].c * term_rate(d, j, k);
            Phi_dot[j->lambda + r] = d->active_joint[i] != 0 ? value : 0;
        }
    }
}

// g . J' v + x' . H x' of term k
static double term_gamma(const lmb_model *m, const lmb_data *d, const lmb_joint *j, int k) {
    const lmb_term *t = &j->terms[k];
    const int marker[2] = {j->marker[t->first], j->marker[t->second]};
    double x[LMB_TWIST], bias[LMB_TWIST] = {0}, H[LMB_TWIST * LMB_TWIST];
    for (int s = 0; s < 2; s++) {
        const lmb_marker *mk = &m->markers[marker[s]];
        memcpy(x + 6 * s, d->frames[marker[s]].twist, 6 * sizeof *x);
        if (mk->body < 0) continue;
        const lmb_body *b = &m->bodies[mk->body];
        lmb_body_view view = lmb_view(d, b);
        b->ops->markers.bias(bias + 6 * s, &view, mk); // acceleration at zero y': J' v + J bias
        if (m->follower_count > 0) lmb_add_twist(bias + 6 * s, d->frames[marker[s]].J, d->bias + b->iv, b->n);
    }
    double value = lmb_dot(d->pool + j->g + k * (LMB_TWIST + 1), bias, LMB_TWIST);
    if (lmb_measure_is_linear(&t->f)) return value;
    lmb_measure_eval(NULL, H, &t->f, &d->frames[marker[0]].p, &d->frames[marker[1]].p);
    for (int i = 0; i < LMB_TWIST; i++) value += x[i] * lmb_dot(H + i * LMB_TWIST, x, LMB_TWIST);
    return value;
}

void lmb_constraint_gamma(double *gamma, const lmb_model *m, const lmb_data *d) {
    LMB_SEAM(d->model == m && !d->stale);
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count; r++) {
            const lmb_row *row = &j->rows[r];
            double value = -motion_now(d, j, r).dd;
            for (int k = row->term; k < row->term + row->term_count; k++)
                value += j->terms[k].c * term_gamma(m, d, j, k);
            gamma[j->lambda + r] = d->active_joint[i] != 0 ? value : 0;
        }
    }
}

// the joint puts -lambda . G v = lambda Phi_t = -lambda f' into the system
double lmb_motion_power(const lmb_model *m, const lmb_data *d) {
    double power = 0;
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count && d->active_joint[i] != 0; r++)
            if (j->rows[r].motion) power -= d->lambda[j->lambda + r] * motion_now(d, j, r).d;
    }
    return power;
}

// ---- results -----------------------------------------------------------------------------------

void lmb_energies_get(lmb_energies *e, const lmb_model *m, lmb_data *d) {
    *e = (lmb_energies){0};
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        if (x.body->ops->dynamics.energy) x.body->ops->dynamics.energy(&e->bodies, &x);
    }
    for (int i = 0; i < m->force_count; i++) {
        if (d->active_force[i] == 0) continue;
        lmb_wrench w;
        force_wrench(&w, d, &m->forces[i]);
        e->springs += w.energy;
    }
}

// loads that eliminated joints bear, in the own velocities of all bodies; NULL: there are none
static const double *follower_loads(const lmb_model *m, lmb_data *d) {
    if (m->follower_count == 0) return NULL;
    double *F = d->pool + m->residuals;
    lmb_residual_bodies(F, m, d);
    lmb_follow_collect(F, m, d);
    return F;
}

// reaction of an eliminated joint: force and torque on its second body at its second marker
static void follower_reaction(double *out, const lmb_model *m, const lmb_data *d, const lmb_joint *j,
                              const double *F) {
    const lmb_follower *f = &m->followers[j->follower];
    double side = f->own == j->marker[1] ? 1 : -1;
    if (f->node) {
        vec3 force, torque;
        lmb_follow_node_reaction(&force, &torque, m, d, f, F);
        v3_store(out, v3_scale(side, force));
        v3_store(out + 3, v3_scale(side, torque));
        return;
    }
    const pose at = {d->frames[j->marker[1]].p.r, M3_ID};
    lmb_follow_wrench_at(out, m, d, f, F, &at);
    if (f->ball) v3_store(out + 3, V3_ZERO); // both markers are at one place
    for (int k = 0; k < 6; k++) out[k] *= side;
}

// rows of an eliminated joint (its motions) are added to the reaction of its frames
static void joint_reaction(double *out, const lmb_model *m, lmb_data *d, const lmb_joint *j,
                           const double *F) {
    double w[6 * LMB_JOINT_MARKERS];
    if (j->follower >= 0) follower_reaction(out, m, d, j, F);
    if (j->row_count == 0) return;
    joint_wrenches(w, d, j);
    v3_store(out, v3_sub(v3_load(out), v3_load(w + 6)));
    v3_store(out + 3, v3_sub(v3_load(out + 3), m3_mul_v3(&d->frames[j->marker[1]].p.R, v3_load(w + 9))));
}

void lmb_reactions_update(lmb_data *d, const lmb_model *m) {
    LMB_SEAM(d->model == m && !d->stale);
    const double *F = follower_loads(m, d);
    double *out = d->pool + m->reactions;
    memset(out, 0, 6 * (size_t)m->joint_count * sizeof *out);
    for (int i = 0; i < m->joint_count; i++)
        if (d->active_joint[i] != 0) joint_reaction(out + 6 * i, m, d, &m->joints[i], F);
}

const double *lmb_reaction(const lmb_data *d, int j) {
    LMB_SEAM(j >= 0 && j < d->model->joint_count);
    return d->pool + d->model->reactions + 6 * j;
}

void lmb_force_on(double *out, const lmb_model *m, lmb_data *d, int f) {
    LMB_SEAM(f >= 0 && f < m->force_count && !d->stale);
    lmb_wrench w = {0};
    if (d->active_force[f] != 0) force_wrench(&w, d, &m->forces[f]);
    memcpy(out, w.W, 3 * sizeof *out);
    v3_store(out + 3, m3_mul_v3(&d->frames[m->forces[f].marker[0]].p.R, v3_load(w.W + 3)));
}

// adds s times a wrench (torque in marker components) to the loads of a marker
static void add_load(double *out, const lmb_data *d, int marker, double s, const double *w) {
    double *to = out + 6 * marker;
    v3_store(to, v3_madd(v3_load(to), s, v3_load(w)));
    v3_store(to + 3, v3_madd(v3_load(to + 3), s, m3_mul_v3(&d->frames[marker].p.R, v3_load(w + 3))));
}

// the reaction of the frames of an eliminated joint, on both sides
static void add_follower_load(double *out, const lmb_model *m, const lmb_data *d, const lmb_joint *j,
                              const double *F) {
    double w[6];
    follower_reaction(w, m, d, j, F);
    vec3 force = v3_load(w), torque = v3_load(w + 3);
    vec3 arm = v3_sub(d->frames[j->marker[1]].p.r, d->frames[j->marker[0]].p.r);
    double *first = out + 6 * j->marker[0], *second = out + 6 * j->marker[1];
    v3_store(second, v3_add(v3_load(second), force));
    v3_store(second + 3, v3_add(v3_load(second + 3), torque));
    v3_store(first, v3_sub(v3_load(first), force));
    v3_store(first + 3, v3_sub(v3_load(first + 3), v3_add(torque, v3_cross(arm, force))));
}

void lmb_marker_loads(double *out, const lmb_model *m, lmb_data *d) {
    const double *F = follower_loads(m, d);
    memset(out, 0, 6 * (size_t)m->marker_count * sizeof *out);
    for (int i = 0; i < m->force_count; i++) {
        lmb_wrench w;
        if (d->active_force[i] == 0) continue;
        force_wrench(&w, d, &m->forces[i]);
        for (int k = 0; k < 2; k++) add_load(out, d, m->forces[i].marker[k], 1, w.W + 6 * k);
    }
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        double w[6 * LMB_JOINT_MARKERS];
        if (d->active_joint[i] == 0) continue;
        if (j->follower >= 0) add_follower_load(out, m, d, j, F);
        joint_wrenches(w, d, j);
        for (int k = 0; k < j->marker_count; k++) add_load(out, d, j->marker[k], -1, w + 6 * k);
    }
}
