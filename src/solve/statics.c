// solve/statics.c: equilibrium: r(q, v = 0, a = 0) = 0 with the constraints, loads growing in steps.
//
//     | K + s M   G'     | | dq  |   | -r   |       Newton: s = 0
//     | G         -eps W | | dl  | = | -Phi |       relaxation: s falls with the residual     docs/theory/solvers.md (9)
//
// First-order states are also at rest: their unknown is z itself, so their columns are those of D = dr/dv.
// With `rotation`, velocities and accelerations are those of a turn of all bodies about an axis (solve/steady.h).
// W_r = sum_j G_rj^2 / K, K a stiffness of the model: eps W is small against G K^-1 G' whatever the masses.
#include "solve/run_state.h"
#include "solve/steady.h"

#include <string.h>

#define FARTHEST 0.3 // of a correction: of the model's size, or rad

// when what nothing holds is held: never, where it shows, from the beginning
typedef enum holding { HOLD_NEVER, HOLD_LATE, HOLD_FIRST } holding;

typedef struct saved { // where a load step began
    double *q, *v, *lambda, *turns;
} saved;

typedef struct statics {
    lmb_work *w;
    lmb_data *d;
    double *D;      // nnz: dr/dv
    double *peak;   // ny: largest value that each first-order state has had
    double *K_jj;   // n: where the matrix was last made
    int *diagonal;  // n: places of what is added to them
    saved from, at; // beginning of the analysis, of the load step
    saved anchor;   // of a step with inertia
    double inertia; // s of s M (q - anchor) among the forces
    double tolerance;
    double gap;      // of joints before the last correction
    double residual; // scaled, before the last correction
    double moved;    // scaled size of the last correction of positions
    double changed;  // of states
    bool near;       // the analysis begins near an equilibrium
    holding holding;
    bool hold;               // what nothing holds is held a little
    double grip;             // of the largest load of a joint: how much, where forces are balanced
    double stiffest;         // of K, energy of a motion by the characteristic size
    double open;             // a gap that stays though nothing moves any more, 0: none
    int folded;              // a body that was folded up where an iteration ended, -1: none
    double reached;          // largest load factor of an equilibrium
    int unstable;            // directions in which the equilibrium is unstable, or LMB_STABILITY_..
    const lmb_body *buckled; // the body that left an unstable one, NULL: none
    bool fell;               // a mechanism did
    double *fall;            // ny: direction
    lmb_steady turn;         // M: NULL: at rest
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
    }
    if (m->tree) lmb_tree_rest(s->w->values + m->pattern.start[m->n], m);
    lmb_solver_diagonal(s->K_jj, s->w->solver, s->w->values);
    for (int k = 0; k < m->ny; k++) // in equilibrium at any value (friction bristle): it stays
        if (m->blocks[m->y_block[k]].kind == LMB_BLOCK_STATE && s->K_jj[k] == 0)
            s->w->values[s->diagonal[k]] += s->K_jj[k] = 1;
}

// K_jj, scaled: energy of a motion by the characteristic size
static double stiffness(const statics *s, int y) {
    double scale = s->w->m->y_scale[y];
    return scale * scale * fabs(s->K_jj[y]);
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

// sum_j G_rj^2 / K of row r, both scaled.  K: that of the model, or MORE times the largest K_jj of the joined bodies where it is less.
// Eliminating soft bodies leaves rounding errors of G^2/K_jj in rows that depend on each other: eps W must exceed them.  It must not
// exceed the compliance of what is joined, or the first correction opens a loop and the model snaps through: rigid bodies have no
// stiffness of their own before they are loaded.  A row that nothing can move (a joint between bodies that move as one) has a G of
// rounding errors: W of its size would let rounding errors make lambda grow without limit.
static double row_compliance(const statics *s, const lmb_joint *j, int r, double most) {
    const double MORE = 1e6, LEAST = 1e-12, NOTHING = 1e-20; // of K; of G^2
    const lmb_model *m = s->w->m;
    double sum = 0, stiffest = LEAST * most, whole = m->row_scale[j->lambda + r];
    for (int k = 0; k < j->marker_count; k++) {
        int body = m->markers[j->marker[k]].body, ny = body < 0 ? 0 : m->bodies[body].ny;
        for (int c = 0; c < ny; c++) {
            int y = m->bodies[body].y[c], at = j->place[k][2 * (r * ny + c)];
            double g = at < 0 ? 0 : m->y_scale[y] * s->w->values[at];
            sum += g * g;
            stiffest = fmax(stiffest, stiffness(s, y));
        }
    }
    return sum > NOTHING * whole * whole ? sum / fmin(most, MORE * stiffest) : whole * whole / most;
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

// the largest load of a joint, scaled
static double largest_reaction(const statics *s) {
    const lmb_model *m = s->w->m;
    double force = 0;
    for (int i = 0; i < m->nc; i++) force = fmax(force, m->row_scale[i] * fabs(s->d->lambda[i]));
    return force;
}

// What holds a balanced model: max(grip |lambda|, LITTLE max_j K_jj), scaled, above the rounding errors of r and K.
static double least_hold(const statics *s) {
    const double LITTLE = 1e-13;
    return fmax(s->grip * largest_reaction(s), LITTLE * s->stiffest);
}

// K_jj += max(|r|, least_hold), scaled: what nothing holds stays where it is unless a load moves it.  |r|: forces that will vanish
// give no stiffness, and beside a set of equilibria Newton's method stays quadratic (Yamashita and Fukushima 2001).
static void hold_little(statics *s) {
    const lmb_model *m = s->w->m;
    double little = fmax(s->residual, least_hold(s));
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
    bool stale = s->inertia > 0 && lmb_prestress(s->d, s->w->m, s->anchor.q);
    lmb_tangent(c, turns(s) ? 3 : s->w->m->tree ? 1 : 2, s->w->m, s->d, NULL);
    if (stale) update(s);
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
    double size = *moved = s->changed = 0;
    for (int i = 0; i < m->ny; i++) {
        bool state = m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE;
        if (state) s->peak[i] = fmax(s->peak[i], fmax(fabs(x[i]), fabs(s->d->v[m->y_v[i]])));
        double scale = state ? s->peak[i] : m->y_scale[i], own = x[i] == 0 ? 0 : fabs(x[i]) / scale;
        size = lmb_larger(size, own);
        double *part = state ? &s->changed : moved;
        *part = lmb_larger(*part, own);
    }
    return size;
}

// the residual of forces, scaled, with s->gap; w->x = -(r, Phi)
static double residual_of(statics *s) {
    const lmb_model *m = s->w->m;
    double *x = s->w->x, residual = 0;
    if (s->inertia > 0) {
        lmb_positions_difference(x, m, s->anchor.q, s->d->q);
        lmb_scale(x, s->inertia, m->ny);
        lmb_acceleration_set(s->d, m, x);
    }
    lmb_residual(x, m, s->d);
    s->w->stats.residuals++;
    lmb_constraints(x + m->ny, m, s->d);
    s->gap = lmb_gap_norm(m, x + m->ny);
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind != LMB_BLOCK_STATE)
            residual = lmb_larger(residual, fabs(x[i]) * m->y_scale[i]);
    lmb_scale(x, -1, m->n);
    return residual;
}

// w->x becomes a correction; returns its scaled size, NaN: failed; *residual: scaled size of r before it; s->gap: of the gaps
static double correction(statics *s, double shift, double *residual) {
    double *x = s->w->x;
    s->w->stats.iterations++;
    *residual = s->residual = residual_of(s);
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
    lmb_scale(x, s->moved > FARTHEST ? FARTHEST / s->moved : 1, m->ny);
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
    double force = fmax(DEFORMED * s->stiffest, largest_reaction(s));
    return s->gap <= s->tolerance && s->changed <= s->tolerance && residual <= ROUNDING * force;
}

static bool is_closed(const statics *s) { return s->gap <= 1e-3 * s->tolerance; } // nothing left to correct

// whether the state means anything: no body has folded up
static bool is_whole(statics *s) {
    int folded = lmb_folded_body(s->w->m, s->d);
    if (folded >= 0) s->folded = folded;
    return folded < 0;
}

// A correction that the hold makes small says little: it must fall, or be much smaller, or the forces be balanced.
static bool has_converged(const statics *s, int k, double size, double before, double residual) {
    const double MUCH = 1e-3;
    if (!(lmb_larger(size, s->gap) <= s->tolerance)) return false;
    bool falls = (k > 0 && size <= 0.1 * before) || size <= MUCH * s->tolerance;
    return !s->hold || falls || is_balanced(s, residual);
}

// A correction that does not fall though the forces are balanced goes along a soft direction that the hold slows down, which is then
// loosened as far as rounding errors allow; or along one that nothing holds: NAN, or made again with a hold.
static double newton_correction(statics *s, double before, double *residual) {
    const double LEAST = 1e-10;
    double size = correction(s, 0, residual);
    bool stalls = size > fmax(s->tolerance, 0.1 * before) && *residual <= least_hold(s);
    if (!stalls) return size;
    if (s->hold) return s->grip = fmax(LEAST, 0.1 * s->grip), size;
    s->hold = s->holding == HOLD_LATE;
    return s->hold ? correction(s, 0, residual) : NAN;
}

static bool newton(statics *s) {
    double residual, before = INFINITY;
    s->hold = s->holding == HOLD_FIRST;
    s->grip = 2e-7; // rounding errors of the loads, 2e-16, move what is held by less than the tolerance, 1e-9
    for (int k = 0; k < 60; k++) {
        double size = newton_correction(s, before, &residual);
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

// the s M that makes a first correction of about 0.05; NAN: there is none
static double first_inertia(statics *s) {
    const lmb_model *m = s->w->m;
    lmb_combination c = {.cM = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};
    if (lmb_work_factor(s->w, s->d, c, NULL) != LMB_OK) return NAN;
    lmb_residual(s->w->x, m, s->d);
    lmb_constraints(s->w->x + m->ny, m, s->d);
    return lmb_work_solve(s->w, s->w->x) == LMB_OK ? lmb_scaled_norm(m, s->w->x) / 0.05 : NAN;
}

// s M as pseudo-inertia: large at first, then decreasing with the residual until Newton's method converges.  A little of it holds
// what nothing else does.
static bool relax(statics *s, double begin) {
    const double LITTLE = 1e-9; // of the first
    double largest = 1e-300, residual, shift = begin, level = begin;
    int open = 0;
    s->open = 0;
    for (int k = 0; k < 2000; k++) {
        double size = correction(s, shift, &residual);
        largest = fmax(largest, residual);
        bool balanced = k > 2 && is_balanced(s, residual);
        if (balanced && is_closed(s)) return is_whole(s);
        if (!isfinite(size) || !move(s)) return false;
        if (balanced || (lmb_larger(size, s->gap) <= s->tolerance && shift <= LITTLE * begin))
            return is_whole(s);
        if (stays_open(s, size, &open)) return false;
        if (size < 1e-4) level *= 0.1;
        double wanted = level * residual / largest; // switched evolution relaxation
        shift = fmin(2 * shift, fmax(0.1 * shift, wanted));
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
        bool only_near, carry;
        holding holding;
    } ways[] = {{true, false, HOLD_FIRST}, {false, false, HOLD_NEVER}, {false, true, HOLD_NEVER},
                {false, true, HOLD_FIRST}, {false, false, HOLD_LATE},  {false, true, HOLD_LATE}};
    for (int i = 0; i < LMB_COUNT(ways); i++) {
        if (ways[i].only_near && !s->near) continue;
        s->holding = ways[i].holding;
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

// r(q) + s M (q - anchor) = 0; the scaled way of it, NAN: not solved
static double creep(statics *s, double inertia) {
    const double CLOSE = 1e-5;
    double size = INFINITY, residual;
    save(s, &s->anchor);
    s->inertia = inertia;
    for (int k = 0; k < 20 && size > CLOSE; k++) {
        size = correction(s, inertia, &residual);
        if (!isfinite(size) || !move(s)) break;
    }
    s->inertia = 0;
    lmb_acceleration_clear(s->d, s->w->m);
    lmb_positions_difference(s->w->x, s->w->m, s->anchor.q, s->d->q);
    double way;
    correction_size(&way, s, s->w->x);
    if (size <= CLOSE) return way;
    restore(s, &s->anchor);
    return NAN;
}

// whether the model is farther from there than a correction may go
static bool is_far(statics *s, const saved *from) {
    double way;
    lmb_positions_difference(s->w->x, s->w->m, from->q, s->d->q);
    correction_size(&way, s, s->w->x);
    return way > FARTHEST;
}

// Steps with inertia until the model hardly moves, then Newton's method.  Inertia of more than a negative curvature lets it slide down.
static bool slide(statics *s, double inertia, double least) {
    const double LITTLE = 0.01, SHORT = 0.05, LONG = 0.3; // of the longest way; of a way
    double longest = 0, most = 1e6 * inertia;
    for (int k = 0; k < 200 && inertia <= most; k++) {
        double way = creep(s, inertia);
        longest = fmax(longest, way);
        if (way <= LITTLE * longest) {
            save(s, &s->anchor);
            if (newton(s) && !is_far(s, &s->anchor)) return true;
            restore(s, &s->anchor);
        }
        if (!(way <= LONG)) inertia *= 4;
        else if (way < SHORT || least > 0) inertia = fmax(least, inertia / 4);
    }
    return false;
}

static double *take_saved(saved *out, double *p, const lmb_model *m) {
    *out = (saved){.q = p, .v = p + m->nq, .lambda = p + m->nq + m->nv, .turns = p + m->nq + m->nv + m->nc};
    return out->turns + m->turn_count;
}

static bool create(statics *s) {
    const lmb_model *m = s->w->m;
    size_t state = (size_t)(m->nq + m->nv + m->nc + m->turn_count);
    s->D = lmb_alloc((size_t)m->pattern.nnz + 2 * (size_t)m->ny + (size_t)m->n + 3 * state, sizeof *s->D);
    s->diagonal = lmb_alloc((size_t)m->n, sizeof *s->diagonal);
    if (s->D == NULL || s->diagonal == NULL) return false;
    s->peak = s->D + m->pattern.nnz;
    s->fall = s->peak + m->ny;
    s->K_jj = s->fall + m->ny;
    take_saved(&s->anchor, take_saved(&s->at, take_saved(&s->from, s->K_jj + m->n, m), m), m);
    lmb_pattern_diagonal(s->diagonal, &m->pattern);
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
    double begin = first_inertia(s);
    if (!isfinite(begin)) return false;
    if (!turns(s) && slide(s, begin, 0)) return true;
    restore(s, &s->from);
    s->w->correction_count = 0;
    return relax(s, begin);
}

// Newton's method may go up to where centrifugal forces exceed the stiffness: with pseudo-inertia it goes down.
static bool go_down(statics *s) {
    restore(s, &s->from);
    double begin = first_inertia(s);
    return isfinite(begin) && relax(s, begin);
}

// the body that takes part most in a fall if it deforms; NULL: the model tips over as a mechanism
static const lmb_body *find_buckled(statics *s, const lmb_fall *fall) {
    const double LITTLE = 0.01;
    const lmb_body *most;
    lmb_velocity_set(s->d, s->w->m, fall->x);
    double share = lmb_deformation_share(&most, s->d, s->d->v);
    restore(s, &s->at);
    return share > LITTLE ? most : NULL;
}

// The sign of the fall that leads towards where the analysis began; where that is neither, the sign that moves most of all forward.
static double towards_start(statics *s, const double *fall) {
    const lmb_model *m = s->w->m;
    double *x = s->w->x, back = 0, size = 0, most = 0;
    lmb_positions_difference(x, m, s->d->q, s->from.q);
    for (int i = 0; i < m->ny; i++) {
        double a = x[i] / m->y_scale[i], b = fall[i] / m->y_scale[i];
        back += a * b, size += fabs(a * b);
        if (fabs(b) > fabs(most)) most = b;
    }
    return (fabs(back) > 1e-6 * size ? back : most) < 0 ? -1 : 1;
}

// Down from an equilibrium that a body leaves by buckling: after a push.
static bool buckle(statics *s, const lmb_fall *fall) {
    const double PUSH = 0.01;
    const lmb_model *m = s->w->m;
    double sign = towards_start(s, fall->x), inertia = -2 * fall->curvature;
    memset(s->w->x, 0, (size_t)m->n * sizeof *s->w->x);
    lmb_axpy(s->w->x, sign * PUSH / lmb_scaled_norm(m, fall->x), fall->x, m->ny);
    s->moved = PUSH;
    return move(s) && slide(s, inertia, inertia);
}

// From an unstable equilibrium to a stable one: of buckled bodies and steady rotations, and of a mechanism that was not placed in it: one
// stays where it is balanced.
static void stabilise(statics *s) {
    enum { MOST = 8 };
    lmb_fall fall = {.x = s->fall};
    s->unstable = lmb_unstable_directions(&fall, s->w->m, s->d, LMB_STABILITY_SLOW);
    for (int k = 0; k < MOST && s->unstable > 0; k++) {
        save(s, &s->at);
        const lmb_body *body = turns(s) ? NULL : find_buckled(s, &fall);
        if (!turns(s) && body == NULL && !is_far(s, &s->from)) return;
        s->w->correction_count = 0;
        bool found = turns(s) ? go_down(s) : buckle(s, &fall);
        int unstable =
            found ? lmb_unstable_directions(&fall, s->w->m, s->d, LMB_STABILITY_SLOW) : s->unstable;
        if (unstable < 0 || unstable >= s->unstable) {
            restore(s, &s->at);
            return;
        }
        s->unstable = unstable;
        if (body) s->buckled = body;
        else if (!turns(s)) s->fell = true;
    }
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

lmb_status lmb_equilibrium(lmb_run *r, lmb_error *err) {
    char worst[200] = "";
    statics s = {.w = r->w, .d = r->d, .tolerance = r->a->tolerance, .folded = -1};
    lmb_status st = lmb_steady_create(&s.turn, r->m, r->a, err);
    if (st == LMB_OK && !create(&s)) st = lmb_fail_memory(err);
    if (st == LMB_OK) {
        rest(r->d, r->m, turns(&s));
        bool found = find(&s, r->a->load_steps);
        if (found) stabilise(&s);
        lmb_work_worst(worst, sizeof worst, r->m, r->w->r);
        update(&s);
        st = found ? complete(&s, r->a, err) : fail(&s, r->a, worst, err);
    }
    r->findings.unstable = s.unstable, r->findings.turning = turns(&s), r->findings.fell = s.fell;
    if (s.buckled) r->findings.buckled = (int)(s.buckled - r->m->bodies);
    lmb_free(s.D);
    lmb_free(s.diagonal);
    lmb_steady_destroy(&s.turn);
    return st;
}
