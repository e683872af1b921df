// solve/flow.c: the motion as an ordinary differential equation x' = f(x, t).
#include "solve/flow.h"

#include "solve/checkpoint.h"
#include "solve/formalism.h"
#include "solve/run_state.h"

#include <string.h>

enum { ENERGIES = 2, ROUNDS = 20 }; // of events at one time
static const double NEAR = 1e-9;    // of a border, relative to the size of the model: there

struct lmb_flow {
    lmb_run *r;
    lmb_formalism *f;
    lmb_analysis settings; // those of the run, with the formalism that the flow needs
    double *x;             // nx
    double *memory;        // of the formalism, then x
    int nx;
    bool stale; // accelerations are not those of x
    double next;
    lmb_powers power; // of the state
};

// ---- states ------------------------------------------------------------------------------------

static int states_of(const lmb_block *b) {
    if (b->iy < 0) return 0;
    return b->kind == LMB_BLOCK_STATE ? b->nv : b->nq + b->nv;
}

int lmb_flow_count(const lmb_model *m) {
    int n = 0;
    for (int i = 0; i < m->block_count; i++) n += states_of(&m->blocks[i]);
    return n + ENERGIES;
}

lmb_flow_state lmb_flow_state_of(const lmb_model *m, int i) {
    int k = 0;
    while (k < m->block_count && i >= states_of(&m->blocks[k])) i -= states_of(&m->blocks[k++]);
    if (k == m->block_count) return (lmb_flow_state){-1, i, false};
    const lmb_block *b = &m->blocks[k];
    int positions = b->kind == LMB_BLOCK_STATE ? 0 : b->nq;
    bool rate = i >= positions;
    return (lmb_flow_state){k, rate ? i - positions : i, rate};
}

double lmb_flow_nominal(const lmb_model *m, int i) {
    int k = lmb_flow_state_of(m, i).block;
    const lmb_block *b = &m->blocks[k < 0 ? 0 : k];
    return k >= 0 && b->scale > 0 && isfinite(b->scale) ? b->scale : 1;
}

// what the positions and velocities of d are
static void gather(double *x, const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0) continue;
        if (b->kind != LMB_BLOCK_STATE) memcpy(x, d->q + b->iq, (size_t)b->nq * sizeof *x), x += b->nq;
        memcpy(x, d->v + b->iv, (size_t)b->nv * sizeof *x), x += b->nv;
    }
    x[0] = *d->work, x[1] = *d->dissipated;
}

static void scatter(lmb_data *d, const lmb_model *m, const double *x) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0) continue;
        if (b->kind != LMB_BLOCK_STATE) memcpy(d->q + b->iq, x, (size_t)b->nq * sizeof *x), x += b->nq;
        if (b->kind == LMB_BLOCK_ROT) q_store(d->q + b->iq, q_unit(q_load(d->q + b->iq)));
        memcpy(d->v + b->iv, x, (size_t)b->nv * sizeof *x), x += b->nv;
    }
    *d->work = x[0], *d->dissipated = x[1];
}

// ---- create, destroy ---------------------------------------------------------------------------

static void begin_pieces(lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->force_count; i++) {
        const lmb_force *f = &m->forces[i];
        if (f->ops->pieces > 0) d->piece[i] = 0, d->piece[i] = f->ops->piece(d, f).number;
    }
}

lmb_status lmb_flow_create(lmb_flow **out, lmb_run *r, lmb_error *err) {
    lmb_flow *f = *out = lmb_alloc(1, sizeof *f);
    if (f == NULL) return lmb_fail_memory(err);
    const lmb_model *m = r->m;
    f->r = r, f->settings = *r->a, f->nx = lmb_flow_count(m), f->next = INFINITY;
    f->settings.formalism = &lmb_formalism_multipliers;
    size_t own = (size_t)lmb_formalism_doubles(m);
    f->memory = lmb_alloc(own + (size_t)f->nx + 1, sizeof *f->memory);
    lmb_status st = f->memory ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK)
        st = lmb_formalism_create(&f->f, r->w, &f->settings, r->a->until - r->begin, f->memory, err);
    if (st != LMB_OK) {
        lmb_flow_destroy(f);
        *out = NULL;
        return st;
    }
    f->x = f->memory + own;
    f->stale = true;
    begin_pieces(r->d, m);
    lmb_update(r->d, m);
    gather(f->x, m, r->d);
    return LMB_OK;
}

void lmb_flow_destroy(lmb_flow *f) {
    if (f == NULL) return;
    lmb_formalism_destroy(f->f);
    lmb_free(f->memory);
    lmb_free(f);
}

void lmb_flow_get(double *x, const lmb_flow *f) { memcpy(x, f->x, (size_t)f->nx * sizeof *x); }

void lmb_flow_set(lmb_flow *f, double time, const double *x) {
    *f->r->d->time = time;
    memcpy(f->x, x, (size_t)f->nx * sizeof *x);
    f->stale = true;
}

void lmb_flow_stir(lmb_flow *f) { f->stale = true; }

// ---- rates -------------------------------------------------------------------------------------

// the consistent state P(x), with its accelerations
static lmb_status evaluate(lmb_flow *f) {
    lmb_data *d = f->r->d;
    const lmb_model *m = f->r->m;
    scatter(d, m, f->x);
    if (lmb_update(d, m) != LMB_OK || f->f->ops->factor(f->f, d) != LMB_OK) return LMB_ERR_NUMERIC;
    long moved = f->r->w->stats.iterations;
    if (m->nc > 0) {
        if (f->f->ops->positions(f->f, d, 1e-13) != LMB_OK) return LMB_ERR_NUMERIC;
        if (f->r->w->stats.iterations != moved && f->f->ops->factor(f->f, d) != LMB_OK)
            return LMB_ERR_NUMERIC;
        if (f->f->ops->velocities(f->f, d) != LMB_OK) return LMB_ERR_NUMERIC;
    }
    if (f->f->ops->accelerations(&f->power, f->f, d) != LMB_OK) return LMB_ERR_NUMERIC;
    if (m->given_count > 0)
        f->power = lmb_residual(f->r->w->r, m, d); // that of motions depends on accelerations
    f->stale = false;
    return LMB_OK;
}

// Q' = 1/2 Q (0, w + theta/tau) + (1 - Q.Q)/(2 tau) Q
static void rotation_rates(double *out, const double *x, const double *q, const double *v) {
    quat Q = q_load(x), turn = q_mul(q_conj(q_unit(Q)), q_load(q));
    vec3 theta = q_log(turn), w = v3_add(v3_load(v), v3_scale(1 / LMB_FLOW_DECAY, theta));
    quat rate = q_mul(Q, (quat){0, w.x, w.y, w.z});
    double grow = (1 - Q.w * Q.w - Q.x * Q.x - Q.y * Q.y - Q.z * Q.z) / (2 * LMB_FLOW_DECAY);
    const double Qd[4] = {0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
    for (int i = 0; i < 4; i++) out[i] = Qd[i] + grow * x[i];
}

static const double *position_rates(double *out, const lmb_block *b, const double *x, const lmb_data *d) {
    const double *q = d->q + b->iq, *v = d->v + b->iv;
    if (b->kind == LMB_BLOCK_ROT) rotation_rates(out, x, q, v);
    else
        for (int i = 0; i < b->nq; i++) out[i] = v[i] + (q[i] - x[i]) / LMB_FLOW_DECAY;
    return x + b->nq;
}

// those of x, of which d is the consistent state
static void rates(double *x_dot, const lmb_data *d, const double *x, lmb_powers p) {
    for (int i = 0; i < d->model->block_count; i++) {
        const lmb_block *b = &d->model->blocks[i];
        bool state = b->kind == LMB_BLOCK_STATE;
        if (b->iy < 0) continue;
        if (!state) x = position_rates(x_dot, b, x, d), x_dot += b->nq;
        for (int k = 0; k < b->nv; k++)
            *x_dot++ = d->a[b->iv + k] + (state ? 0 : (d->v[b->iv + k] - x[k]) / LMB_FLOW_DECAY);
        x += b->nv;
    }
    x_dot[0] = p.drive, x_dot[1] = p.dissipated;
}

lmb_status lmb_flow_rates(double *x_dot, lmb_flow *f) {
    lmb_status st = f->stale ? evaluate(f) : LMB_OK;
    if (st == LMB_OK && x_dot) rates(x_dot, f->r->d, f->x, f->power);
    return st;
}

void lmb_flow_read(double *x, double *x_dot, lmb_run *r, lmb_data *d) {
    gather(x, r->m, d);
    rates(x_dot, d, x, lmb_residual(r->w->r, r->m, d));
}

// ---- indicators --------------------------------------------------------------------------------

int lmb_flow_indicator_count(const lmb_program *p) {
    int n = 0;
    for (int i = 0; i < p->event_count; i++) n += p->events[i].when != NULL;
    for (int i = 0; i < p->model->force_count; i++) n += p->model->forces[i].ops->pieces > 0 ? 2 : 0;
    return n;
}

static bool acts_in_pieces(const lmb_data *d, int force) {
    return d->model->forces[force].ops->pieces > 0 && d->active_force[force] != 0;
}

// the way that is left to a border, and a little more: who starts on it has not left yet; where there is none: 1
static double way(double left, const lmb_model *m, const lmb_piece *p) {
    return isfinite(left) ? left / (p->angle ? 1 : m->length) + NEAR : 1;
}

lmb_status lmb_flow_indicators(double *z, lmb_flow *f) {
    const lmb_run *r = f->r;
    lmb_data *d = r->d;
    lmb_status st = f->stale ? evaluate(f) : LMB_OK;
    for (int i = 0; st == LMB_OK && i < r->p->event_count; i++) {
        const lmb_event *e = &r->p->events[i];
        if (e->when) *z++ = e->once && d->fired[i] != 0 ? 1 : lmb_event_value(e, d);
    }
    for (int i = 0; st == LMB_OK && i < r->m->force_count; i++) {
        if (r->m->forces[i].ops->pieces == 0) continue;
        z[0] = z[1] = 1;
        if (acts_in_pieces(d, i)) {
            lmb_piece p = r->m->forces[i].ops->piece(d, &r->m->forces[i]);
            z[0] = way(p.x - p.low, r->m, &p), z[1] = way(p.high - p.x, r->m, &p);
        }
        z += 2;
    }
    return st;
}

// ---- events ------------------------------------------------------------------------------------

lmb_status lmb_flow_accept(lmb_flow *f) {
    lmb_status st = f->stale ? evaluate(f) : LMB_OK;
    if (st != LMB_OK) return st;
    lmb_accept(f->r->d, f->r->m);
    for (int i = 0; i < f->r->p->event_count; i++) lmb_run_note_event(f->r, i);
    return LMB_OK;
}

// the law of a force goes on with the piece that begins here
static void go_on(lmb_data *d, int force) {
    const lmb_force *f = &d->model->forces[force];
    for (int k = 0; k < f->ops->pieces; k++) {
        lmb_piece p = f->ops->piece(d, f);
        int side = 0;
        for (int s = -1; s <= 1; s += 2) {
            double beyond = s > 0 ? p.x - p.high : p.low - p.x,
                   near = NEAR * (p.angle ? 1 : d->model->length);
            if (beyond > 0 || (beyond >= -near && s * p.rate > 0)) side = s;
        }
        if (side == 0) return;
        d->piece[force] += side;
    }
}

static void change_pieces(lmb_data *d) {
    for (int i = 0; i < d->model->force_count; i++)
        if (acts_in_pieces(d, i)) go_on(d, i);
}

// The next jump in time or timed event.  Jumps are looked for up to the end of the analysis, or as far again behind it; if there is none,
// one looks again then.
static double next_time(const lmb_flow *f) {
    const lmb_run *r = f->r;
    double t = *r->d->time, span = r->a->until - r->begin, gap = 1e-13 * fmax(fabs(r->a->until), span);
    double horizon = t < r->a->until ? r->a->until : t + span, jump = lmb_next_break(r->m, t + gap, horizon);
    if (!isfinite(jump) && r->m->timed_count > 0) jump = horizon;
    return lmb_run_next_timed_event(r, jump);
}

lmb_status lmb_flow_event(double *next, bool *stop, lmb_flow *f, const lmb_observer *o, lmb_error *err) {
    lmb_run *r = f->r;
    bool again = true;
    lmb_status st = f->stale ? evaluate(f) : LMB_OK;
    *next = f->next = next_time(f), *stop = r->kept->stopped > 0;
    if (st != LMB_OK)
        return lmb_fail(err, st, LMB_NOWHERE, "no accelerations at t = %.9g s: this state has none",
                        *r->d->time);
    for (int k = 0; k < ROUNDS && again && st == LMB_OK; k++) {
        long before = r->w->stats.events;
        double limit = isfinite(f->next) ? f->next : *r->d->time + (r->a->until - r->begin);
        st = lmb_run_crossing_events(r, -1, o, err);
        if (st == LMB_OK) st = lmb_run_timed_events(r, o, err);
        if (st == LMB_OK) st = lmb_run_meet_jump(r, limit, err);
        if (st != LMB_OK || lmb_update(r->d, r->m) != LMB_OK) break;
        again = r->w->stats.events != before;
        if (again) begin_pieces(r->d, r->m); // of forces that were switched on
        change_pieces(r->d);
    }
    gather(f->x, r->m, r->d);
    f->stale = true;
    *next = f->next = next_time(f), *stop = r->kept->stopped > 0;
    if (st == LMB_OK && evaluate(f) != LMB_OK) st = lmb_no_accelerations(r->m, r->d, *r->d->time, err);
    return st;
}

// ---- saving ------------------------------------------------------------------------------------

size_t lmb_flow_size(const lmb_flow *f) {
    return f->r->d->state_doubles + 2 + (size_t)f->r->own_count + (size_t)f->nx;
}

void lmb_flow_save(double *to, const lmb_flow *f) {
    const lmb_run *r = f->r;
    memcpy(to, r->d->state, r->d->state_doubles * sizeof *to), to += r->d->state_doubles;
    *to++ = r->d->time_side, *to++ = f->next;
    memcpy(to, r->own, (size_t)r->own_count * sizeof *to), to += r->own_count;
    memcpy(to, f->x, (size_t)f->nx * sizeof *to);
}

lmb_status lmb_flow_load(lmb_flow *f, const double *from, lmb_error *err) {
    lmb_run *r = f->r;
    memcpy(r->d->state, from, r->d->state_doubles * sizeof *from), from += r->d->state_doubles;
    r->d->time_side = *from++, f->next = *from++;
    memcpy(r->own, from, (size_t)r->own_count * sizeof *from), from += r->own_count;
    memcpy(f->x, from, (size_t)f->nx * sizeof *from);
    f->stale = true;
    const char *what = lmb_checkpoint_state(r->d, (lmb_span){-INFINITY, INFINITY});
    if (what == NULL && !lmb_is_count(r->kept->stopped, r->p->event_count)) what = "no event has this number";
    if (what == NULL) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the state is damaged: %s", what);
}

lmb_status lmb_flow_continue(lmb_flow *f, lmb_flow *from, lmb_error *err) {
    size_t size = lmb_flow_size(from);
    if (lmb_flow_size(f) != size)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the motion to continue is of another model");
    double *all = lmb_alloc(size, sizeof *all);
    if (all == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_flow_rates(NULL, from);
    if (st == LMB_OK) lmb_flow_save(all, from), st = lmb_flow_load(f, all, err);
    if (st == LMB_OK) st = lmb_flow_rates(NULL, f);
    lmb_free(all);
    if (st != LMB_OK) return st;
    const double *work = f->r->d->work, *lost = f->r->d->dissipated, before[] = {*work, *lost};
    lmb_run_gain(f->r, lmb_run_energy(f->r) - lmb_run_energy(from->r));
    f->x[f->nx - 2] += *work - before[0], f->x[f->nx - 1] += *lost - before[1];
    f->stale = true;
    return LMB_OK;
}
