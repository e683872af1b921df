// solve/campbell.c: the analysis campbell: frequencies over the speed of rotation.        docs/theory/solvers.md (40) to (42)
//
// For each value of a parameter the model is compiled again, the analyses before this one lead to a state, and its modes are paired with
// those of the value before.  Where shapes change much, values between are tried, so that a mode is not lost.  A mode meets the
// order h at speeds with
//
//     f(Omega) = h Omega/(2 pi)                                                          docs/theory/solvers.md (42)
#include "solve/mode_track.h"
#include "solve/run_state.h"

#include <stdio.h>
#include <string.h>

enum { OF_MODE = 3, MOST_DEPTH = 4, MOST_TRIES = 20 }; // columns of a mode
enum { SPEED, PARAMETER, FIRST };                      // columns before the orders
static const double ALIKE = 0.6;                       // shapes that are less alike are looked at between

typedef struct campbell_read {
    lmb_analysis_read common;
    const char *parameter;
    double from, to;
    int steps;
    lmb_numbers orders;
    // resolved
    int order_count;
    const double *order;
    lmb_own_table table;
} campbell_read;

#define OWN(member) offsetof(campbell_read, member)
// clang-format off
static const lmb_key keys[] = {
    {"parameter", LMB_KEY_TEXT, OWN(parameter), LMB_KEY_REQUIRED, {0}, 0, 0, "The parameter of the model that sets the speed."},
    {"from", LMB_KEY_NUMBER, OWN(from), LMB_KEY_REQUIRED, {0}, 0, 0, "Its first value, in the model's units."},
    {"to", LMB_KEY_NUMBER, OWN(to), LMB_KEY_REQUIRED, {0}, 0, 0, "Its last value."},
    {"steps", LMB_KEY_INTEGER, OWN(steps), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of equal steps between them (default 40)."},
    {"count", LMB_KEY_INTEGER, LMB_ANALYSIS(count), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of modes that are followed, those with the lowest frequencies at `from` (default 8)."},
    {"orders", LMB_KEY_NUMBERS, OWN(orders), LMB_KEY_POSITIVE, {0}, 0, 0, "Multiples of the speed with which something excites the modes (default [1])."},
    {0},
};
// clang-format on

static campbell_read *read_of(lmb_analysis *a) {
    return (campbell_read *)((char *)a - offsetof(lmb_analysis_read, a));
}

static void defaults(lmb_analysis *a) {
    a->count = 8;
    read_of(a)->steps = 40;
}

// ---- the table ---------------------------------------------------------------------------------

static int mode_column(const campbell_read *r, int k) { return FIRST + r->order_count + OF_MODE * k; }

static bool name_columns(const char **names, const char **units, const campbell_read *r, lmb_arena *arena) {
    static const char *const suffix[OF_MODE] = {"", ".damping", ".whirl"}, *const unit[OF_MODE] = {"Hz", "",
                                                                                                   ""};
    names[SPEED] = "speed", units[SPEED] = "rad/s";
    names[PARAMETER] = "parameter", units[PARAMETER] = "";
    for (int h = 0; h < r->order_count; h++) {
        names[FIRST + h] = lmb_arena_printf(arena, "order %g", r->order[h]), units[FIRST + h] = "Hz";
        if (names[FIRST + h] == NULL) return false;
    }
    for (int k = 0; k < r->common.a.count; k++)
        for (int i = 0; i < OF_MODE; i++) {
            int c = mode_column(r, k) + i;
            names[c] = lmb_arena_printf(arena, "mode%d%s", k + 1, suffix[i]), units[c] = unit[i];
            if (names[c] == NULL) return false;
        }
    return true;
}

static const char *parameter_at(void *user, int i) { return lmb_spec_parameter(user, i, NULL); }

static lmb_status check(const campbell_read *r, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    bool known = false;
    for (int i = 0; lmb_spec_parameter(s, i, NULL); i++)
        known = known || strcmp(lmb_spec_parameter(s, i, NULL), r->parameter) == 0;
    const char *near = known ? NULL : lmb_nearest(r->parameter, parameter_at, s);
    if (!known)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "parameter"),
                        "the model has no parameter '%s'; %s%s%s", r->parameter,
                        near ? "did you mean '"
                             : "define it under `parameters`, and use it for the speed of a rotor",
                        near ? near : "", near ? "'?" : "");
    if (r->from == r->to)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "to"),
                        "`from` and `to` are equal; choose a range");
    if (r->steps > 100000 || r->common.a.count > LMB_LINEAR_LARGEST || r->order_count > 100)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "at most 100000 `steps`, %d modes (`count`) and 100 `orders` are possible",
                        LMB_LINEAR_LARGEST);
    return LMB_OK;
}

static lmb_status resolve(void *read, lmb_build *b, const lmb_node *n, lmb_error *err) {
    static const double one = 1;
    campbell_read *r = read;
    bool given = lmb_node_find(n, "orders") != NULL;
    r->order_count = given ? r->orders.count : 1, r->order = given ? r->orders.v : &one;
    lmb_status st = check(r, lmb_build_spec(b), n, err);
    if (st != LMB_OK) return st;
    int count = mode_column(r, r->common.a.count);
    const char **names = lmb_arena_get(lmb_build_arena(b), 2 * (size_t)count, sizeof *names);
    if (names == NULL || !name_columns(names, names + count, r, lmb_build_arena(b)))
        return lmb_fail_memory(err);
    r->table = (lmb_own_table){"campbell", "frequency, damping and whirl of modes over the speed", count,
                               names, names + count};
    return LMB_OK;
}

static const lmb_own_table *table(const lmb_analysis *a) { return &((const campbell_read *)a->own)->table; }

static bool describe(lmb_text *out, const lmb_analysis *a) {
    const campbell_read *r = a->own;
    return lmb_text_add(out, ", %s from %g to %g in %d steps, %d modes", r->parameter, r->from, r->to,
                        r->steps, a->count);
}

// ---- a value of the parameter --------------------------------------------------------------------

typedef struct diagram {
    const campbell_read *read;
    lmb_run *r;
    const lmb_observer *o;
    int index; // of the analysis
    double *row;
} diagram;

typedef struct point {
    double value, speed; // of the parameter; rad/s
    lmb_mode_set *modes;
    long increments; // length of their shapes
    int *now;        // per mode that is followed: which one it is here, -1: none
    double *whirl;   // of these
    double least;    // likeness with the point before
} point;

static bool make_point(point *p, int count) {
    *p = (point){.now = lmb_alloc((size_t)count, sizeof *p->now),
                 .whirl = lmb_alloc((size_t)count, sizeof *p->whirl)};
    return p->now && p->whirl;
}

static void free_point(point *p) {
    lmb_mode_set_destroy(p->modes);
    lmb_free(p->now);
    lmb_free(p->whirl);
    *p = (point){0};
}

static void swap(point *a, point *b) {
    point t = *a;
    *a = *b, *b = t;
}

static double value_of(const point *p, int k, int column) {
    return p->now[k] < 0 ? NAN : p->modes->values[(size_t)p->now[k] * LMB_MODE_COLUMNS + (size_t)column];
}

// the lowest that vibrate
static void begin_following(point *p, int count) {
    int n = 0;
    for (int k = 0; k < p->modes->count && n < count; k++)
        if (p->modes->values[k * LMB_MODE_COLUMNS + LMB_MODE_FREQUENCY] > 0) p->now[n++] = k;
    while (n < count) p->now[n++] = -1;
    p->least = 1;
}

static lmb_status follow(point *p, const point *from, const lmb_model *m, lmb_data *d, int count,
                         lmb_error *err) {
    lmb_mode_match *match = lmb_alloc((size_t)from->modes->count + 1, sizeof *match);
    lmb_status st = match ? lmb_modes_match(match, from->modes, p->modes, m, d, err) : lmb_fail_memory(err);
    p->least = 1;
    for (int k = 0; k < count && st == LMB_OK; k++) {
        const lmb_mode_match *to = from->now[k] < 0 ? NULL : &match[from->now[k]];
        p->now[k] = to ? to->mode : -1;
        if (to && to->mode >= 0) p->least = fmin(p->least, to->likeness);
    }
    lmb_free(match);
    return st;
}

// modes of the state to which the earlier analyses of the program lead
static lmb_status find_modes(point *p, const lmb_program *program, lmb_data *d, const diagram *c,
                             lmb_error *err) {
    lmb_run *run = NULL;
    const lmb_observer quiet = {.user = c->o->user, .progress = c->o->progress};
    lmb_status st = LMB_OK;
    for (int i = 0; i < c->index && st == LMB_OK; i++) {
        st = lmb_run_create(&run, program, &program->analyses[i], d, err);
        if (st == LMB_OK) st = lmb_run_all(run, &quiet, err);
        lmb_run_destroy(run), run = NULL;
    }
    if (st == LMB_OK) st = lmb_run_create(&run, program, &program->analyses[c->index], d, err);
    if (st == LMB_OK) st = lmb_run_stand(run, err);
    if (st == LMB_OK && (lmb_update(d, program->model) != LMB_OK || lmb_accelerations(run->w, d) != LMB_OK))
        st = lmb_fail(err, LMB_ERR_NUMERIC, c->r->a->where,
                      "cannot compute modes: the mass matrix with the constraints is singular; check for a "
                      "body that can move without inertia");
    lmb_analysis all = *c->r->a;
    all.count = LMB_LINEAR_LARGEST;
    if (st == LMB_OK) st = lmb_mode_set_create(&p->modes, run->w, d, &all, err);
    lmb_run_destroy(run);
    return st;
}

static lmb_status name_value(const diagram *c, double value, lmb_status st, lmb_error *err) {
    char text[sizeof err->text];
    if (st == LMB_OK || err == NULL) return st;
    snprintf(text, sizeof text, "%.400s (with %s = %g)", err->text, c->read->parameter, value);
    memcpy(err->text, text, sizeof text);
    return st;
}

// from: a point with these modes, NULL: none
static lmb_status evaluate(point *p, const diagram *c, double value, const point *from, lmb_error *err) {
    int count = c->r->a->count;
    const lmb_program *program;
    lmb_data *d = NULL;
    lmb_mode_set_destroy(p->modes);
    p->modes = NULL, p->value = value;
    lmb_status st = c->o->vary(c->o->user, &program, c->read->parameter, value, err);
    if (st == LMB_OK) st = lmb_data_create(&d, program->model, err);
    if (st == LMB_OK) st = find_modes(p, program, d, c, err);
    if (st == LMB_OK) p->increments = program->model->nv;
    if (st == LMB_OK && from && from->increments != p->increments)
        st = lmb_fail(
            err, LMB_ERR_INPUT, c->r->a->where,
            "the model has other coordinates with other values of the parameter; modes cannot be followed");
    if (st == LMB_OK) p->speed = lmb_fastest_spin(program->model, d);
    if (st == LMB_OK && from) st = follow(p, from, program->model, d, count, err);
    else if (st == LMB_OK) begin_following(p, count);
    for (int k = 0; k < count && st == LMB_OK; k++)
        p->whirl[k] = p->now[k] < 0 ? NAN : lmb_mode_whirl(p->modes, p->now[k], program->model, d);
    lmb_data_destroy(d);
    return name_value(c, value, st, err);
}

// p at a value, followed from `from`, through values between if shapes change much
static lmb_status advance(point *p, const diagram *c, double value, const point *from, int depth,
                          lmb_error *err) {
    point middle;
    lmb_status st = evaluate(p, c, value, from, err);
    if (st != LMB_OK || p->least >= ALIKE || depth == MOST_DEPTH) return st;
    st = make_point(&middle, c->r->a->count) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = advance(&middle, c, (from->value + value) / 2, from, depth + 1, err);
    if (st == LMB_OK) st = advance(p, c, value, &middle, depth + 1, err);
    free_point(&middle);
    return st;
}

// ---- rows --------------------------------------------------------------------------------------

static lmb_status tell(const diagram *c, const point *p, lmb_error *err) {
    const campbell_read *r = c->read;
    c->row[SPEED] = p->speed, c->row[PARAMETER] = p->value;
    for (int h = 0; h < r->order_count; h++) c->row[FIRST + h] = r->order[h] * p->speed / (2 * LMB_PI);
    for (int k = 0; k < r->common.a.count; k++) {
        double *row = c->row + mode_column(r, k);
        row[0] = value_of(p, k, LMB_MODE_FREQUENCY), row[1] = value_of(p, k, LMB_MODE_DAMPING);
        row[2] = p->whirl[k];
    }
    c->r->own_row = c->row;
    lmb_status st = lmb_run_tell(c->r, c->o, err);
    double at = (p->value - r->from) / (r->to - r->from), begin = *c->r->d->time;
    if (st == LMB_OK && c->o->progress && !c->o->progress(c->o->user, begin + at, begin + 1))
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    return st;
}

// ---- critical speeds ---------------------------------------------------------------------------

// f - h Omega/(2 pi), Hz
static double distance(const point *p, int k, double order) {
    return value_of(p, k, LMB_MODE_FREQUENCY) - order * p->speed / (2 * LMB_PI);
}

static const char *word_of(double whirl) {
    return isnan(whirl) || fabs(whirl) < 1e-3 ? "" : whirl > 0 ? " (forward)" : " (backward)";
}

static lmb_status tell_crossing(const diagram *c, const point *p, int k, double order, lmb_error *err) {
    char text[200];
    snprintf(text, sizeof text, "critical speed %.6g rad/s (%s = %.6g): mode %d%s meets order %g at %.6g Hz",
             p->speed, c->read->parameter, p->value, k + 1, word_of(p->whirl[k]), order,
             value_of(p, k, LMB_MODE_FREQUENCY));
    return c->o->event ? c->o->event(c->o->user, *c->r->d->time, text, err) : LMB_OK;
}

// Where mode k meets the order between two points: regula falsi, in which an end that stays counts half (Illinois)
static lmb_status find_crossing(point *p, const diagram *c, const point *a, const point *b, int k,
                                double order, lmb_error *err) {
    const double FINE = 1e-9; // of the range
    double x0 = a->value, x1 = b->value, y0 = distance(a, k, order), y1 = distance(b, k, order);
    for (int i = 0; i < MOST_TRIES; i++) {
        double x = x1 - y1 * (x1 - x0) / (y1 - y0);
        lmb_status st = evaluate(p, c, x, a, err);
        if (st != LMB_OK) return st;
        double y = distance(p, k, order), step = fmin(fabs(x - x0), fabs(x - x1));
        if (!isfinite(y) || y == 0 || step <= FINE * fabs(c->read->to - c->read->from)) break;
        if (y * y1 < 0) x0 = x1, y0 = y1;
        else y0 /= 2;
        x1 = x, y1 = y;
    }
    return tell_crossing(c, p, k, order, err);
}

static lmb_status find_crossings(const diagram *c, const point *a, const point *b, lmb_error *err) {
    point p;
    lmb_status st = make_point(&p, c->r->a->count) ? LMB_OK : lmb_fail_memory(err);
    for (int h = 0; h < c->read->order_count; h++)
        for (int k = 0; k < c->r->a->count && st == LMB_OK; k++) {
            double y0 = distance(a, k, c->read->order[h]), y1 = distance(b, k, c->read->order[h]);
            if (y0 * y1 < 0 || (y0 != 0 && y1 == 0))
                st = find_crossing(&p, c, a, b, k, c->read->order[h], err);
        }
    free_point(&p);
    return st;
}

// ---- the diagram -------------------------------------------------------------------------------

static lmb_status draw(const diagram *c, point *a, point *b, lmb_error *err) {
    const campbell_read *r = c->read;
    lmb_status st = evaluate(a, c, r->from, NULL, err);
    if (st == LMB_OK) st = tell(c, a, err);
    for (int i = 1; i <= r->steps && st == LMB_OK; i++) {
        double value = i == r->steps ? r->to : r->from + (r->to - r->from) * i / r->steps;
        st = advance(b, c, value, a, 0, err);
        if (st == LMB_OK) st = find_crossings(c, a, b, err);
        if (st == LMB_OK) st = tell(c, b, err);
        swap(a, b);
    }
    return st;
}

static lmb_status begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    if (o->vary == NULL)
        return lmb_fail(
            err, LMB_ERR_INPUT, r->a->where,
            "a Campbell diagram compiles the model again for every speed: run it into a file, with "
            "limber run or lmb_run_file");
    return lmb_run_stand(r, err);
}

static lmb_status step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    const campbell_read *read = r->a->own;
    diagram c = {read, r, o, (int)(r->a - r->p->analyses), NULL};
    point a = {0}, b = {0};
    *done = true;
    c.row = lmb_alloc((size_t)read->table.count, sizeof *c.row);
    bool ok = c.row && make_point(&a, r->a->count) && make_point(&b, r->a->count);
    lmb_status st = ok ? draw(&c, &a, &b, err) : lmb_fail_memory(err);
    free_point(&a), free_point(&b);
    lmb_free(c.row);
    r->own_row = NULL;
    return st;
}

const lmb_analysis_kind lmb_analysis_campbell = {
    .doc = {"campbell",
            "Frequencies, damping and whirl of modes over the speed of rotation, from the final state of the "
            "analyses before, which run again for every speed; critical speeds.",
            keys},
    .read_size = sizeof(campbell_read),
    .defaults = defaults,
    .resolve = resolve,
    .table = table,
    .describe = describe,
    .begin = begin,
    .step = step,
};
