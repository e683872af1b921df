// solve/statics.c: equilibrium: r(q, v = 0, a = 0) = 0 with the constraints, loads growing in steps.
//
//     | K + s M   G'     | | dq  |   | -r   |       Newton: s = 0
//     | G         -eps W | | dl  | = | -Phi |       relaxation: s falls with the residual     docs/theory/solvers.md (9)
//
// First-order states are also at rest: their unknown is z itself, so their columns are those of D = dr/dv.
// With `rotation`, velocities and accelerations are those of a turn of all bodies about an axis (solve/steady.h).
// W_r = sum_j G_rj^2 / max_j (K + s M)_jj: eps W is small against G K^-1 G' whatever the masses.
#include "solve/run_state.h"
#include "solve/steady.h"

#include <string.h>

typedef struct saved { // where a load step began
    double *q, *v, *lambda, *turns;
} saved;

typedef struct statics {
    lmb_work *w;
    lmb_data *d;
    double *D;      // nnz: dr/dv
    double *peak;   // ny: largest value that each first-order state has had
    int *diagonal;  // ny: places of K_jj
    saved from, at; // beginning of the analysis, of the load step
    double tolerance;
    double gap;      // of joints before the last correction
    double moved;    // scaled size of the last correction of positions
    bool near;       // the analysis begins near an equilibrium
    bool hold;       // what nothing holds is held a little
    double stiffest; // of K, energy of a motion by the characteristic size
    double open;     // a gap that stays though nothing moves any more, 0: none
    int folded;      // a body that was folded up where an iteration ended, -1: none
    double reached;  // largest load factor of an equilibrium
    lmb_steady turn; // M: NULL: at rest
} statics;

static bool turns(const statics *s) { return s->turn.M != NULL; }

// the velocities and accelerations of the state, and all that follows from it
static lmb_status update(statics *s) {
    return turns(s) ? lmb_turning_set(s->d, s->w->m, &s->turn.t) : lmb_update(s->d, s->w->m);
}

// the columns of states in K are replaced by those of D
static void state_columns(statics *s) {
    const lmb_model *m = s->w->m;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind != LMB_BLOCK_STATE) continue;
        int from = m->pattern.start[b->iy], to = m->pattern.start[b->iy + b->nv];
        memcpy(s->w->values + from, s->D + from, (size_t)(to - from) * sizeof *s->D);
        for (int k = b->iy; k < b->iy + b->nv;
             k++) // in equilibrium at any value (friction bristle): it stays
            if (s->w->values[s->diagonal[k]] == 0) s->w->values[s->diagonal[k]] = 1;
    }
}

// K_jj, scaled: energy of a motion by the characteristic size
static double stiffness(const statics *s, int y) {
    double scale = s->w->m->y_scale[y];
    return scale * scale * fabs(s->w->values[s->diagonal[y]]);
}

// the largest K_jj of the model; where nothing is stiff yet the loads, which will give stiffness
static double model_stiffness(const statics *s) {
    const lmb_model *m = s->w->m;
    double stiffest = 0, load = 0;
    for (int i = 0; i < m->ny; i++) {
        if (m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE) continue;
        stiffest = fmax(stiffest, stiffness(s, i));
        load = fmax(load, m->y_scale[i] * fabs(s->w->r[i]));
    }
    return stiffest > 0 ? stiffest : load > 0 ? load : 1;
}

// sum_j G_rj^2 / max_j K_jj of row r, both scaled.  Rigid motions of a body that deforms have only the small stiffness of
// its loads: in sum_j G_rj^2 / K_jj they would hide that of the deformation.  A row that nothing can move (a joint between bodies
// that move as one) has a G of rounding errors: W of its size would let rounding errors make lambda grow without limit.
static double row_compliance(const statics *s, const lmb_joint *j, int r, double most) {
    const double ROUNDING = 1e-12, NOTHING = 1e-20; // of K; of G^2
    const lmb_model *m = s->w->m;
    double sum = 0, stiffest = ROUNDING * most, whole = m->row_scale[j->lambda + r];
    for (int k = 0; k < j->marker_count; k++) {
        int body = m->markers[j->marker[k]].body, ny = body < 0 ? 0 : m->bodies[body].ny;
        for (int c = 0; c < ny; c++) {
            int y = m->bodies[body].y[c], at = j->place[k][2 * (r * ny + c)];
            double g = at < 0 ? 0 : m->y_scale[y] * s->w->values[at];
            sum += g * g;
            if (g != 0) stiffest = fmax(stiffest, stiffness(s, y));
        }
    }
    return sum > NOTHING * whole * whole ? sum / stiffest : whole * whole / most;
}

// adds -eps W to rows that may depend on each other; with a shift W is at most that of the masses
static void regularise(statics *s, double eps, double shift) {
    const lmb_model *m = s->w->m;
    double most = s->stiffest;
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count && s->d->active_joint[i] != 0; r++) {
            double mass = m->row_eps[j->lambda + r];
            if (mass == 0) continue;
            double W = row_compliance(s, j, r, most);
            s->w->values[j->diagonal[r]] -= eps * (shift > 0 ? fmin(W, mass / shift) : W);
        }
    }
}

// K_jj += LITTLE max_j K_jj, scaled: above the rounding errors of K, so that what nothing holds stays where it is unless a load
// moves it.  Soft models converge slowly with it.
static void hold_little(statics *s) {
    const double LITTLE = 1e-13;
    const lmb_model *m = s->w->m;
    double little = LITTLE * s->stiffest;
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind != LMB_BLOCK_STATE)
            s->w->values[s->diagonal[i]] += little / (m->y_scale[i] * m->y_scale[i]);
}

static lmb_status factor(statics *s, double shift) {
    const double LEAST = 1e-6; // of W^2 M: holds what nothing else does
    lmb_combination c[3] = {
        {.values = s->w->values, .cM = turns(s) ? 0 : shift, .cK = 1, .cL = 1, .rG = 1},
        {.values = s->D, .cD = 1},
        {.values = s->turn.M, .cM = 1},
    };
    lmb_tangent(c, turns(s) ? 3 : 2, s->w->m, s->d, NULL);
    s->w->stats.matrices++;
    if (turns(s)) {
        lmb_steady_tangent(s->w->values, &s->turn, s->w->m, s->d, s->D);
        lmb_steady_hold(s->w->values, &s->turn, s->w->m, s->d, s->w->r, s->diagonal);
        lmb_axpy(s->w->values, fmax(shift, LEAST * v3_dot(s->turn.t.w, s->turn.t.w)), s->turn.M,
                 s->w->m->pattern.nnz);
    }
    state_columns(s);
    s->stiffest = model_stiffness(s);
    if (shift == 0 && s->hold) hold_little(s);
    lmb_status st = LMB_ERR_NUMERIC;
    // where bodies are stiff in one direction and held twice in others eps W is below rounding at first; Newton's method closes
    // what a large one leaves open
    for (double eps = LMB_REGULARISATION; st == LMB_ERR_NUMERIC && eps < 1e9; eps *= 100) {
        regularise(s, eps, shift);
        st = lmb_solver_factor(s->w->solver, s->w->values);
    }
    return st;
}

// Size of a correction: of positions by their scale, of a state by its largest value; NaN stays.
static double correction_size(double *moved, statics *s, const double *x) {
    const lmb_model *m = s->w->m;
    double size = *moved = 0;
    for (int i = 0; i < m->ny; i++) {
        bool state = m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE;
        if (state) s->peak[i] = fmax(s->peak[i], fmax(fabs(x[i]), fabs(s->d->v[m->y_v[i]])));
        double scale = state ? s->peak[i] : m->y_scale[i], own = x[i] == 0 ? 0 : fabs(x[i]) / scale;
        size = lmb_larger(size, own);
        if (!state) *moved = lmb_larger(*moved, own);
    }
    return size;
}

// the residual, scaled, with s->gap; w->x = -(r, Phi)
static double residual_of(statics *s) {
    const lmb_model *m = s->w->m;
    double *x = s->w->x, residual = 0;
    lmb_residual(x, m, s->d);
    s->w->stats.residuals++;
    lmb_constraints(x + m->ny, m, s->d);
    s->gap = lmb_gap_norm(m, x + m->ny);
    for (int i = 0; i < m->n; i++) {
        residual = lmb_larger(residual, i < m->ny ? fabs(x[i]) * m->y_scale[i] : 0);
        x[i] = -x[i];
    }
    return residual;
}

// w->x becomes a correction; returns its scaled size, NaN: failed; *residual: scaled size of r before it; s->gap: of the gaps
static double correction(statics *s, double shift, double *residual) {
    double *x = s->w->x;
    s->w->stats.iterations++;
    *residual = residual_of(s);
    memcpy(s->w->r, x, (size_t)s->w->m->n * sizeof *x);
    if (factor(s, shift) != LMB_OK || lmb_solver_solve(s->w->solver, x) != LMB_OK) return NAN;
    double size = correction_size(&s->moved, s, x);
    return isfinite(size) ? size : NAN;
}

// applies the correction; false: the state cannot be evaluated
static bool move(statics *s) {
    const lmb_model *m = s->w->m;
    double *x = s->w->x;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind == LMB_BLOCK_STATE) lmb_axpy(s->d->v + b->iv, 1, x + b->iy, b->nv);
    }
    lmb_scale(x, s->moved > 0.3 ? 0.3 / s->moved : 1,
              m->ny); // limits the rotation of a correction to 0.3 rad
    lmb_positions_move(s->d->q, m, s->d->q, x);
    lmb_axpy(s->d->lambda, 1, x + m->ny, m->nc);
    if (update(s) != LMB_OK) return false;
    lmb_accept(s->d, m); // full turns
    return true;
}

// the last corrections of an iteration
static void note(lmb_work *w, int k, double size) {
    enum { LAST = LMB_CORRECTIONS - 1 };
    if (k > LAST) memmove(w->corrections, w->corrections + 1, LAST * sizeof *w->corrections);
    w->corrections[k > LAST ? LAST : k] = size;
    w->correction_count = k > LAST ? LMB_CORRECTIONS : k + 1;
}

// Whether the residual is rounding errors of the forces, those of joints or those of a deformation by 1e-3: corrections along
// directions without stiffness are then rounding errors over rounding errors, and do not become small.
static bool is_balanced(const statics *s, double residual) {
    const double ROUNDING = 1e-13, DEFORMED = 1e-3;
    const lmb_model *m = s->w->m;
    double force = DEFORMED * s->stiffest;
    for (int i = 0; i < m->nc; i++) force = fmax(force, m->row_scale[i] * fabs(s->d->lambda[i]));
    return s->gap <= s->tolerance && residual <= ROUNDING * force;
}

static bool is_closed(const statics *s) { return s->gap <= 1e-3 * s->tolerance; } // nothing left to correct

// whether the state means anything: no body has folded up
static bool is_whole(statics *s) {
    for (int i = 0; i < s->w->m->body_count; i++) {
        lmb_body_view x = lmb_view(s->d, &s->w->m->bodies[i]);
        if (x.body->ops->look.folded && x.body->ops->look.folded(&x)) return s->folded = i, false;
    }
    return true;
}

// A correction that the hold makes small says little: it must fall, or be much smaller, or the forces be balanced.
static bool has_converged(const statics *s, int k, double size, double before, double residual) {
    const double MUCH = 1e-3;
    if (!(lmb_larger(size, s->gap) <= s->tolerance)) return false;
    bool falls = (k > 0 && size <= 0.1 * before) || size <= MUCH * s->tolerance;
    return !s->hold || falls || is_balanced(s, residual);
}

static bool newton(statics *s) {
    double residual, before = INFINITY;
    for (int k = 0; k < 60; k++) {
        double size = correction(s, 0, &residual);
        if (!isfinite(size)) return false;
        note(s->w, k, size);
        bool balanced = k > 2 && size > 0.1 * before && is_balanced(s, residual);
        if (balanced && is_closed(s)) return is_whole(s);
        if (!move(s)) return false;
        if (balanced || has_converged(s, k, size, before, residual)) return is_whole(s);
        if (k > 25 && size > before) return false;
        before = size;
    }
    return false;
}

// Where corrections vanish and a gap does not, constraints depend on each other, or nearly so.
static bool stays_open(statics *s, double size, int *times) {
    enum { MOST = 20 };
    *times = size <= s->tolerance && s->gap > s->tolerance ? *times + 1 : 0;
    if (*times >= MOST) s->open = s->gap;
    return *times >= MOST;
}

// s M as pseudo-inertia: large at first, then decreasing with the residual until Newton's method converges.  A little of it holds
// what nothing else does.
static bool relax(statics *s) {
    const double LITTLE = 1e-9; // of the first
    const lmb_model *m = s->w->m;
    double first = 0, residual, shift = 0, begin = 0;
    int open = 0;
    s->open = 0;
    for (int k = 0; k < 2000; k++) {
        if (k == 0) { // a first correction of about 0.05
            lmb_combination c = {.cM = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};
            if (lmb_work_factor(s->w, s->d, c, NULL) != LMB_OK) return false;
            lmb_residual(s->w->x, m, s->d);
            lmb_constraints(s->w->x + m->ny, m, s->d);
            if (lmb_work_solve(s->w, s->w->x) != LMB_OK) return false;
            begin = shift = lmb_scaled_norm(m, s->w->x) / 0.05;
        }
        double size = correction(s, shift, &residual);
        if (k == 0) first = fmax(residual, 1e-300);
        bool balanced = k > 2 && is_balanced(s, residual);
        if (balanced && is_closed(s)) return is_whole(s);
        if (!isfinite(size) || !move(s)) return false;
        if (balanced || (lmb_larger(size, s->gap) <= s->tolerance && shift <= LITTLE * begin))
            return is_whole(s);
        if (stays_open(s, size, &open)) return false;
        double ratio = residual / first; // switched evolution relaxation
        first = residual > 0 ? residual : first;
        shift *= fmin(2, fmax(0.1, ratio)) * (size < 1e-4 ? 0.1 : 1);
    }
    return false;
}

// copies the state to or from what was saved
static void copy_state(statics *s, const saved *x, bool back) {
    const lmb_model *m = s->w->m;
    const lmb_data *d = s->d;
    const struct {
        double *state, *kept;
        int count;
    } parts[] = {{d->q, x->q, m->nq},
                 {d->v, x->v, m->nv},
                 {d->lambda, x->lambda, m->nc},
                 {d->turns, x->turns, m->turn_count}};
    for (int i = 0; i < LMB_COUNT(parts); i++)
        memcpy(back ? parts[i].state : parts[i].kept, back ? parts[i].kept : parts[i].state,
               (size_t)parts[i].count * sizeof(double));
}

static void save(statics *s, const saved *to) { copy_state(s, to, false); }
static void restore(statics *s, const saved *from) {
    copy_state(s, from, true);
    update(s);
}

// multipliers that balance the loads in the current position: without them a body hanging from its joint has no
// stiffness
static bool carry(statics *s) {
    bool ok = lmb_accelerations(s->w, s->d) == LMB_OK;
    lmb_acceleration_clear(s->d, s->w->m);
    update(s);
    return ok;
}

// Where these leave little of the residual the model is near an equilibrium: the iteration begins with them.  Without them what hangs
// from a joint has no stiffness and would turn away.
static void carry_near(statics *s) {
    const double LITTLE = 0.1;
    save(s, &s->at);
    double before = residual_of(s);
    s->near = carry(s) && residual_of(s) <= LITTLE * before;
    if (!s->near) restore(s, &s->at);
}

// equilibrium under these loads, in several ways: near one what nothing holds is held from the beginning
static bool balance(statics *s) {
    static const struct way {
        bool only_near, carry, hold;
    } ways[] = {{true, false, true}, {false, false, false}, {false, true, false}, {false, true, true}};
    for (int i = 0; i < LMB_COUNT(ways); i++) {
        if (ways[i].only_near && !s->near) continue;
        s->hold = ways[i].hold;
        if ((!ways[i].carry || carry(s)) && newton(s)) return true;
        s->w->stats.newton_failures++;
        restore(s, &s->at);
    }
    return false;
}

// equilibrium under the load factor `to`, halving the increment while that helps
static bool load_to(statics *s, double from, double to, int depth) {
    save(s, &s->at);
    s->d->load = to;
    update(s);
    if (balance(s)) return s->w->stats.steps++, s->reached = to, true;
    if (depth > 0 && load_to(s, from, 0.5 * (from + to), depth - 1))
        return load_to(s, 0.5 * (from + to), to, depth - 1);
    return false;
}

static double *take_saved(saved *out, double *p, const lmb_model *m) {
    *out = (saved){.q = p, .v = p + m->nq, .lambda = p + m->nq + m->nv, .turns = p + m->nq + m->nv + m->nc};
    return out->turns + m->turn_count;
}

static bool create(statics *s) {
    const lmb_model *m = s->w->m;
    size_t state = (size_t)(m->nq + m->nv + m->nc + m->turn_count);
    s->D = lmb_alloc((size_t)m->pattern.nnz + (size_t)m->ny + 2 * state, sizeof *s->D);
    s->diagonal = lmb_alloc((size_t)m->ny, sizeof *s->diagonal);
    if (s->D == NULL || s->diagonal == NULL) return false;
    s->peak = s->D + m->pattern.nnz;
    take_saved(&s->at, take_saved(&s->from, s->peak + m->ny, m), m);
    for (int i = 0; i < m->ny; i++) s->diagonal[i] = lmb_pattern_find(&m->pattern, i, i);
    return true;
}

// velocities, accelerations and multipliers are zero; states keep their initial values
static void rest(lmb_data *d, const lmb_model *m, bool turning) {
    *d->standing = !turning;
    lmb_acceleration_clear(d, m);
    memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].kind != LMB_BLOCK_STATE)
            memset(d->v + m->blocks[i].iv, 0, (size_t)m->blocks[i].nv * sizeof *d->v);
}

static bool find(statics *s, int load_steps) {
    bool found = true;
    save(s, &s->from);
    s->d->load = 1.0 / load_steps;
    update(s);
    carry_near(s);
    for (int k = 0; found && k < load_steps; k++)
        found = load_to(s, (double)k / load_steps, (double)(k + 1) / load_steps, 4);
    s->d->load = 1;
    if (found) return true;
    restore(s, &s->from); // full loads at once, with pseudo-inertia
    s->w->correction_count = 0;
    return relax(s);
}

// Newton's method may go up to where centrifugal forces exceed the stiffness: with pseudo-inertia it goes down.
static void go_down(statics *s) {
    int unstable = turns(s) ? lmb_unstable_directions(s->w->m, s->d) : 0;
    if (unstable <= 0) return;
    save(s, &s->at);
    restore(s, &s->from);
    s->w->correction_count = 0;
    if (relax(s) && lmb_unstable_directions(s->w->m, s->d) < unstable) return;
    restore(s, &s->at);
}

// what cannot turn steadily where the analysis began
static lmb_status check_turn(statics *s, const lmb_analysis *a, lmb_error *err) {
    if (!turns(s)) return LMB_OK;
    restore(s, &s->from);
    lmb_residual(s->w->r, s->w->m, s->d);
    lmb_scale(s->w->r, -1, s->w->m->ny);
    factor(s, 0);
    lmb_status st = lmb_steady_check(&s->turn, s->w, s->d, a, err);
    return st == LMB_OK ? lmb_steady_check_balance(&s->turn, s->w, s->d, a, err) : st;
}

static lmb_status fail_open(statics *s, const lmb_analysis *a, lmb_error *err) {
    const lmb_model *m = s->w->m;
    char worst[200] = "";
    memset(s->w->r, 0, (size_t)m->ny * sizeof *s->w->r);
    lmb_constraints(s->w->r + m->ny, m, s->d);
    return lmb_fail(
        err, LMB_ERR_NUMERIC, a->where,
        "no equilibrium found: a gap of %.2g of the model size at %s does not close; the constraints "
        "contradict each other, or the loads push the mechanism into a singular position (such as a dead "
        "centre): start from another position or free a direction of this joint",
        s->open, lmb_work_worst(worst, sizeof worst, m, s->w->r));
}

static lmb_status fail(statics *s, const lmb_analysis *a, const char *worst, lmb_error *err) {
    if (s->d->failed >= 0) return lmb_body_failed(s->d, err);
    lmb_status st = check_turn(s, a, err);
    if (st != LMB_OK) return st;
    if (s->open > 0) return fail_open(s, a, err);
    if (s->folded >= 0)
        return lmb_fail(err, LMB_ERR_NUMERIC, a->where,
                        "no %s found beyond %.2g of the loads: the iteration ends where element %d of body "
                        "'%s' has folded up, its "
                        "sections turned by more than 70 degrees against its axis, which no beam does; if it "
                        "buckles there, let it "
                        "settle in a dynamics analysis with damping, else use more elements or load_steps",
                        turns(s) ? "steady rotation" : "equilibrium", s->reached,
                        s->w->m->bodies[s->folded].part + 1, s->w->m->bodies[s->folded].name);
    return lmb_fail(err, LMB_ERR_NUMERIC, a->where,
                    "no %s found; the largest residual is at %s; check that every body is supported "
                    "against its loads, or %s",
                    turns(s) ? "steady rotation" : "equilibrium", worst,
                    turns(s) ? "place the bodies closer to it" : "use more load_steps");
}

// redundant joints get their least-squares loads; accelerations are zero, or those of the turn
static lmb_status complete(statics *s, const lmb_analysis *a, lmb_error *err) {
    if (turns(s)) {
        lmb_status st = lmb_steady_check(&s->turn, s->w, s->d, a, err);
        if (st == LMB_OK) update(s);
        if (st != LMB_OK) return st;
    }
    if (lmb_accelerations(s->w, s->d) != LMB_OK) return fail(s, a, "the accelerations", err);
    if (!turns(s)) lmb_acceleration_clear(s->d, s->w->m);
    return LMB_OK;
}

lmb_status lmb_equilibrium(lmb_work *w, lmb_data *d, const lmb_analysis *a, lmb_error *err) {
    const lmb_model *m = w->m;
    char worst[200] = "";
    statics s = {.w = w, .d = d, .tolerance = a->tolerance, .folded = -1};
    lmb_status st = lmb_steady_create(&s.turn, m, a, err);
    if (st == LMB_OK && !create(&s)) st = lmb_fail_memory(err);
    if (st == LMB_OK) {
        rest(d, m, turns(&s));
        bool found = find(&s, a->load_steps);
        if (found) go_down(&s);
        lmb_work_worst(worst, sizeof worst, m, w->r);
        update(&s);
        st = found ? complete(&s, a, err) : fail(&s, a, worst, err);
    }
    lmb_free(s.D);
    lmb_free(s.diagonal);
    lmb_steady_destroy(&s.turn);
    return st;
}

// ---- the analysis ------------------------------------------------------------------------------

#define ROTATION(member) (LMB_ANALYSIS(rotation.member) - LMB_ANALYSIS(rotation))
// clang-format off
static const lmb_key rotation_keys[] = {
    {"speed", LMB_KEY_NUMBER, ROTATION(speed), LMB_KEY_REQUIRED, LMB_RATE, 0, 0, "Angular velocity about the axis, rad/s (0: at rest)."},
    {"axis", LMB_KEY_VEC3, ROTATION(axis), 0, {0}, 0, 0, "Direction of the axis, global components (default [0, 0, 1])."},
    {"about", LMB_KEY_VEC3, ROTATION(about), 0, LMB_LENGTH, 0, 0, "A point of the axis, m (default [0, 0, 0])."},
    {0},
};
static const lmb_key keys[] = {
    {"rotation", LMB_KEY_MAP, LMB_ANALYSIS(rotation), 0, {0}, 0, rotation_keys,
     "Steady rotation: the state in which all bodies turn as one about an axis; the next analysis goes on turning."},
    {"load_steps", LMB_KEY_INTEGER, LMB_ANALYSIS(load_steps), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of load increments (default 1, more if needed)."},
    {"tolerance", LMB_KEY_NUMBER, LMB_ANALYSIS(tolerance), LMB_KEY_POSITIVE, {0}, 0, 0, "Relative tolerance of the equilibrium (default 1e-9)."},
    {0},
};
// clang-format on

static void defaults(lmb_analysis *a) {
    a->load_steps = 1, a->tolerance = 1e-9;
    a->rotation.axis = v3_axis(2);
}

static lmb_status finish(lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    if (v3_norm(a->rotation.axis) > 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "rotation"),
                    "the axis of `rotation` has no direction; use [0, 0, 1] for the z axis");
}

static bool describe(lmb_text *out, const lmb_analysis *a) {
    if (a->rotation.speed != 0 && !lmb_text_add(out, ", turning with %.6g rad/s", a->rotation.speed))
        return false;
    return lmb_text_add(out, ", tolerance %.3g, %d load step%s", a->tolerance, a->load_steps,
                        a->load_steps == 1 ? "" : "s");
}

static lmb_status begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    (void)o;
    lmb_status st = lmb_run_stand(r, err);
    if (r->a->rotation.speed != 0)
        r->assembly.velocity_change = r->assembly.deformation = 0; // not those it begins with
    return st;
}

static lmb_status step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    *done = true;
    lmb_data_copy(r->out, r->d);
    lmb_update_watched(r->out, r->m);
    lmb_status st = lmb_equilibrium(r->w, r->d, r->a, err);
    if (st != LMB_OK) return st;
    lmb_accept(r->d, r->m);
    lmb_update_watched(r->d, r->m);
    lmb_findings_moved(&r->findings, r->m, r->out, r->d);
    r->findings.unstable = lmb_unstable_directions(r->m, r->d);
    r->findings.turning = r->a->rotation.speed != 0;
    lmb_update(r->d, r->m);
    return lmb_run_tell(r, o, err);
}

const lmb_analysis_kind lmb_analysis_statics = {
    .doc = {"statics", "Static equilibrium; the next analysis starts there.", keys},
    .read_size = sizeof(lmb_analysis_read),
    .defaults = defaults,
    .finish = finish,
    .describe = describe,
    .begin = begin,
    .step = step,
};
