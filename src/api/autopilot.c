// api/autopilot.c: bodies with `shapes: auto`.                                      docs/theory/reduction.md (28)
#include "api/autopilot.h"

#include "api/bars.h"
#include "reduce/flex.h"
#include "system/stress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TOLERANCE = 0.01; // unless an analysis says otherwise
// a bar that does not fall to this part of the smallest so far, in so many runs in a row, has other causes
static const double FALLS = 0.9;
enum { STALLS = 2 };
// The first run with fewer shape functions loses this part of the tolerance, in energy: stresses of a short time at one place may
// lose a hundred times as much.  It tells how much, so that further ones, at most so many in all, can lose half of the tolerance.
static const double LOST = 0.005;
enum { FEWER = 3 };
// the leading fields that matter beside the first one, and the responses to their inertia
static const lmb_enrich_size STEP = {.vectors = 4, .fields = 8, .blocks = 2, .least = 0.3};

// ---- create, destroy ---------------------------------------------------------------------------

static const lmb_node *auto_shapes(const lmb_node *body) {
    const lmb_node *n = body->kind == LMB_NODE_MAP ? lmb_node_find(body, "shapes") : NULL;
    return n && n->kind == LMB_NODE_SCALAR && strcmp(n->text, "auto") == 0 ? n : NULL;
}

// the smallest of all analyses; INFINITY: not given
static double tolerance_of(const lmb_program *p) {
    double least = INFINITY;
    for (int i = 0; i < p->analysis_count; i++)
        if (p->analyses[i].stress_tolerance > 0) least = fmin(least, p->analyses[i].stress_tolerance);
    return least;
}

lmb_status lmb_autopilot_create(lmb_autopilot *out, const lmb_system *s, lmb_error *err) {
    const lmb_node *bodies = lmb_node_find(s->spec->root, "bodies");
    int count = 0;
    double given = tolerance_of(s->program);
    *out = (lmb_autopilot){.given = isfinite(given), .tolerance = isfinite(given) ? given : TOLERANCE};
    for (const lmb_node *n = bodies ? bodies->first : NULL; n; n = n->next) count += auto_shapes(n) != NULL;
    if (count == 0) return LMB_OK;
    out->list = lmb_alloc((size_t)count, sizeof *out->list);
    if (out->list == NULL) return lmb_fail_memory(err);
    for (const lmb_node *n = bodies->first; n; n = n->next)
        if (auto_shapes(n))
            out->list[out->count++] = (lmb_piloted){.name = n->key, .bar = INFINITY, .least = INFINITY};
    return LMB_OK;
}

void lmb_autopilot_destroy(lmb_autopilot *x) {
    lmb_free(x->list);
    *x = (lmb_autopilot){0};
}

static lmb_piloted *find(const lmb_autopilot *x, const char *name) {
    for (int i = 0; i < x->count; i++)
        if (strcmp(x->list[i].name, name) == 0) return &x->list[i];
    return NULL;
}

// the body that a part is one of
static lmb_piloted *find_body(const lmb_autopilot *x, const lmb_model *m, int body) {
    return find(x, m->bodies[body - m->bodies[body].part].name);
}

void lmb_autopilot_restart(lmb_autopilot *x) {
    for (int i = 0; i < x->count; i++) x->list[i].bar = x->list[i].least = INFINITY, x->list[i].stalls = 0;
    x->share = 0, x->fewer = 0, x->whole = false;
}

// ---- as text -----------------------------------------------------------------------------------

bool lmb_autopilot_save(lmb_text *out, const lmb_autopilot *x) {
    bool ok = true;
    for (int i = 0; ok && i < x->count; i++)
        ok = lmb_text_add(out, "%s %.17g %d\n", x->list[i].name, x->list[i].least, x->list[i].stalls);
    return ok && (x->fewer == 0 || lmb_text_add(out, "%.17g %d\n", x->share, x->fewer));
}

bool lmb_autopilot_parse(lmb_autopilot *x, const char *text) {
    for (int i = 0; i < x->count; i++) {
        lmb_piloted *p = &x->list[i];
        size_t n = strlen(p->name);
        char *end;
        if (strncmp(text, p->name, n) != 0 || text[n] != ' ') return lmb_autopilot_restart(x), false;
        p->least = strtod(text + n, &end);
        p->stalls = (int)strtol(end, &end, 10);
        if (*end != '\n' || !(p->least >= 0) || p->stalls < 0 || p->stalls > STALLS)
            return lmb_autopilot_restart(x), false;
        text = end + 1;
    }
    if (*text == '\0') return true;
    char *end;
    x->share = strtod(text, &end), x->fewer = (int)strtol(end, &end, 10);
    bool good = *end == '\n' && x->share > 0 && x->fewer > 0 && x->fewer <= FEWER;
    if (!good) x->share = 0, x->fewer = 0, lmb_autopilot_restart(x);
    return good;
}

// ---- a run -------------------------------------------------------------------------------------

void lmb_autopilot_begin(lmb_autopilot *x) {
    for (int i = 0; i < x->count; i++) x->list[i].stress = x->list[i].outside = 0;
}

void lmb_autopilot_note(lmb_autopilot *x, const lmb_correction *c) {
    for (int i = 0; i < c->count && x->count > 0; i++) {
        lmb_piloted *p = find_body(x, c->m, c->first[i]);
        if (p == NULL) continue;
        p->stress = fmax(p->stress, c->state[LMB_CORRECTION_SIZE * i + LMB_WHOLE_STRESS]);
        p->outside = fmax(p->outside, c->share[i]);
    }
}

// shape functions: all of them, and those before the first request, from its number of loads
static void count_shapes(lmb_autopilot *x, const lmb_model *m, const lmb_enrichment *more) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_flex *f = lmb_stress_flex(&m->bodies[i]);
        lmb_piloted *p = f ? find_body(x, m, i) : NULL;
        int count = 0;
        if (p == NULL) continue;
        if (m->bodies[i].part > 0) {
            p->parts++;
            continue;
        }
        const lmb_shape_request *first = lmb_enrichment_find(&count, more, p->name, 0);
        p->parts = 1, p->m = p->statics = f->m;
        if (count > 0) p->statics -= lmb_stress_load_count(&m->bodies[i]) - first->load_count;
    }
}

// largest values and bars by kind: forces, moments, stresses
enum { FORCE, MOMENT, STRESS, KINDS };
typedef struct found {
    double value[KINDS], bar[KINDS], time[KINDS];
    const char *name[KINDS];
} found;

static int kind_of(const char *unit) {
    return strcmp(unit, "N") == 0 ? FORCE : strcmp(unit, "Nm") == 0 ? MOMENT : STRESS;
}

static int column_of(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    return -1;
}

// the middle of the times at which a bar is largest: it is constant about the difference that it comes from
static double middle(const lmb_series *time, const lmb_series *bars, int column, double most) {
    long first = -1, last = -1;
    for (long i = 0; i < bars->rows && i < time->rows; i++) {
        if (bars->v[i * bars->columns + column] != most) continue;
        if (first < 0) first = i;
        if (last < 0 || last == i - 1) last = i;
    }
    return first < 0 ? 0 : (time->v[first] + time->v[last]) / 2;
}

typedef struct tables {
    lmb_series time, sensors, bars;
} tables;

static void look(found *list, const lmb_autopilot *x, const lmb_system *s, const tables *t) {
    const lmb_series *sensors = &t->sensors, *bars = &t->bars;
    for (int i = 0; i < s->shown_count && i < sensors->columns; i++) {
        const lmb_channel *c = &s->program->channels[s->shown[i]];
        lmb_piloted *p = c->strained > 0 ? find_body(x, s->program->model, c->strained - 1) : NULL;
        if (p == NULL) continue;
        found *f = &list[p - x->list];
        int kind = kind_of(c->unit), column = column_of(bars, sensors->names[i]);
        p->sensed = true;
        f->value[kind] = fmax(f->value[kind], lmb_bars_largest(sensors, i));
        double bar = column >= 0 ? lmb_bars_largest(bars, column) : 0;
        if (bar <= f->bar[kind]) continue; // not a number: it stays
        f->bar[kind] = bar, f->name[kind] = c->name, f->time[kind] = middle(&t->time, bars, column, bar);
    }
}

static lmb_status look_at_all(found *list, const lmb_autopilot *x, const char *results, const lmb_system *s,
                              lmb_error *err) {
    lmb_reader *r;
    lmb_status st = lmb_reader_open(&r, results, err);
    for (int g = 0; st == LMB_OK && g < lmb_reader_group_count(r); g++) {
        tables t = {0};
        if (!lmb_analysis_has_motion(&s->program->analyses[g])) continue;
        st = lmb_reader_time(&t.time, r, g, err);
        if (st == LMB_OK) st = lmb_reader_table(&t.sensors, r, g, "sensors", err);
        if (st == LMB_OK && lmb_reader_has_table(r, g, "bars"))
            st = lmb_reader_table(&t.bars, r, g, "bars", err);
        if (st == LMB_OK) look(list, x, s, &t);
        lmb_series_free(&t.time), lmb_series_free(&t.sensors), lmb_series_free(&t.bars);
    }
    lmb_reader_close(r);
    return st;
}

// Bars of stresses by the largest stress of the body; of sections without fibres those of forces and moments.          (28)
static double share(lmb_piloted *p, const found *f) {
    double stress = fmax(p->stress, f->value[STRESS]), most = stress > 0 ? f->bar[STRESS] / stress : 0;
    int kind = STRESS;
    for (int k = FORCE; k <= MOMENT && !(stress > 0); k++)
        if (f->value[k] > 0 && !(f->bar[k] / f->value[k] <= most)) most = f->bar[k] / f->value[k], kind = k;
    p->at[0] = '\0';
    if (f->name[kind]) snprintf(p->at, sizeof p->at, " (%.80s, t = %.4g s)", f->name[kind], f->time[kind]);
    return most;
}

lmb_status lmb_autopilot_judge(lmb_autopilot *x, const char *results, const lmb_system *s,
                               const lmb_enrichment *more, lmb_error *err) {
    if (x->count == 0) return LMB_OK;
    found *list = lmb_alloc((size_t)x->count, sizeof *list);
    lmb_status st = list ? look_at_all(list, x, results, s, err) : lmb_fail_memory(err);
    for (int i = 0; i < x->count && st == LMB_OK; i++) {
        lmb_piloted *p = &x->list[i];
        p->bar = !p->sensed ? p->outside : more->round > 0 ? share(p, &list[i]) : INFINITY;
        p->stalls = isfinite(p->least) && p->bar > FALLS * p->least ? p->stalls + 1 : 0;
        p->least = fmin(p->least, p->bar);
    }
    if (st == LMB_OK) x->runs = more->round + 1, count_shapes(x, s->program->model, more);
    lmb_free(list);
    return st;
}

// ---- what comes next ---------------------------------------------------------------------------

static bool is_open(const lmb_autopilot *x, const lmb_piloted *p) { return !(p->bar <= x->tolerance); }

// the body that is furthest from its tolerance; NULL: all are accurate enough
static const lmb_piloted *worst(const lmb_autopilot *x) {
    const lmb_piloted *p = NULL;
    for (int i = 0; i < x->count; i++)
        if (is_open(x, &x->list[i]) && (p == NULL || x->list[i].bar > p->bar)) p = &x->list[i];
    return p;
}

static bool is_stuck(const lmb_piloted *p) { return p->stalls >= STALLS; }

static void say_next(lmb_text *line, const lmb_autopilot *x, const lmb_piloted *p) {
    lmb_text_add(line, "`shapes: auto`: ");
    if (isfinite(p->bar))
        lmb_text_add(line, "stresses of '%s' may be off by %s: ", p->name, lmb_percent(p->bar).text);
    lmb_text_add(line, "again with the fields that the shape functions lack most (run %d of at most %d)",
                 x->runs + 1, LMB_AUTOPILOT_RUNS);
}

lmb_status lmb_autopilot_refine(lmb_text *line, lmb_autopilot *x, lmb_enrichment *more, const lmb_leading *l,
                                lmb_error *err) {
    const lmb_piloted *p = worst(x);
    int added = 0;
    if (p == NULL || is_stuck(p) || x->runs >= LMB_AUTOPILOT_RUNS) return LMB_OK;
    bool *of = lmb_alloc((size_t)l->m->body_count + 1, sizeof *of);
    for (int i = 0; i < l->m->body_count && of; i++) of[i] = find_body(x, l->m, i) != NULL;
    lmb_enrich_size size = STEP;
    size.of = of;
    lmb_status st = of ? lmb_enrichment_grow(&added, more, l, size, err) : lmb_fail_memory(err);
    lmb_free(of);
    if (st == LMB_OK && added > 0) say_next(line, x, p);
    for (int i = 0; i < x->count && st == LMB_OK && added == 0; i++) // the shape functions lack nothing
        if (isinf(x->list[i].bar)) x->list[i].bar = 0;
    return st;
}

// ---- fewer -------------------------------------------------------------------------------------

// the share that the next run does without; 0: there is none
static double next_share(const lmb_autopilot *x, const lmb_enrichment *more) {
    if (x->whole || x->fewer == FEWER || worst(x)) return 0;
    if (!more->fewer) return LOST * x->tolerance;
    double times = x->tolerance / (2 * x->lost);
    return x->lost > 0 && times > 1 ? x->share * fmin(times, 1 / LOST) : 0;
}

lmb_status lmb_autopilot_prune(lmb_text *line, lmb_autopilot *x, lmb_enrichment *more, const lmb_leading *l,
                               lmb_error *err) {
    int changed = 0;
    double share = x->count > 0 ? next_share(x, more) : 0;
    if (!(share > 0)) return LMB_OK;
    bool *of = lmb_alloc((size_t)l->m->body_count + 1, sizeof *of);
    for (int i = 0; i < l->m->body_count && of; i++) {
        const lmb_piloted *p = find_body(x, l->m, i);
        of[i] = p && p->sensed;
    }
    lmb_status st = of ? lmb_enrichment_prune(&changed, more, l, of, share, err) : lmb_fail_memory(err);
    lmb_free(of);
    if (st != LMB_OK || changed == 0) return st;
    x->share = share, x->fewer++;
    lmb_text_add(
        line, "`shapes: auto`: again without the shape functions that hardly vibrate by themselves (run %d)",
        x->runs + 1);
    return LMB_OK;
}

void lmb_autopilot_regret(lmb_text *line, lmb_autopilot *x, lmb_enrichment *more) {
    const lmb_piloted *p = more->fewer && !more->all ? worst(x) : NULL;
    if (p == NULL) return;
    lmb_text_add(line,
                 "`shapes: auto`: without them stresses of '%s' may be off by %s; these are the results of "
                 "the run before",
                 p->name, lmb_percent(p->bar).text);
    lmb_enrichment_restore(more);
    x->whole = true;
}

// ---- for people --------------------------------------------------------------------------------

static bool add_reason(lmb_text *out, const lmb_autopilot *x, const lmb_piloted *p) {
    if (!is_open(x, p)) return lmb_text_add(out, "\n");
    if (isnan(p->bar)) return lmb_text_add(out, "unknown: the runs end at different times\n");
    if (isinf(p->bar)) return lmb_text_add(out, "unknown: there is no second run\n");
    return lmb_text_add(
        out, ", above the tolerance of %s: %s\n", lmb_percent(x->tolerance).text,
        is_stuck(p) ? "further shape functions do not reduce it (is it a load that jumps, a vibration "
                      "without damping, or the `tolerance` of the integrator?)"
                    : "no further runs");
}

bool lmb_autopilot_write(lmb_text *out, const lmb_autopilot *x) {
    if (x->count == 0)
        return !x->given ||
               lmb_text_add(out, "    `stress_tolerance` has no effect: no body has `shapes: auto`\n");
    bool ok =
        lmb_text_add(out, "    shapes: auto        static  residual  parts  runs  error of stresses%s\n",
                     x->steps ? "" : " by shape functions (`error: on` adds that by time steps)");
    for (int i = 0; i < x->count && ok; i++) {
        const lmb_piloted *p = &x->list[i];
        ok = lmb_text_add(out, "    %-18s %7d %9d %6d %5d  ", p->name, p->statics, p->m - p->statics,
                          p->parts, x->runs);
        if (isfinite(p->bar))
            ok = ok && lmb_text_add(out, "%s%s%s", p->sensed ? "" : "no sensor; outside the shape functions ",
                                    lmb_percent(p->bar).text, p->at);
        ok = ok && add_reason(out, x, p);
    }
    return ok;
}
