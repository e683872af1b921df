// api/bars.c: error bars of stresses.                                                  docs/theory/reduction.md (23)
#include "api/bars.h"

#include "api/tables.h"
#include "os/files.h"
#include "system/stress.h"

#include <string.h>

// ---- windows -----------------------------------------------------------------------------------

// Indices in `queue` have descending sizes: the first of them is the largest in the window.
bool lmb_bars_envelope(double *bar, const double *d, const double *t, long n, double window) {
    long *queue = lmb_alloc((size_t)n + 1, sizeof *queue), first = 0, count = 0, next = 0;
    if (queue == NULL) return false;
    for (long i = 0; i < n; i++) {
        for (; next < n && (next <= i + 1 || t[next] - t[i] <= window / 2); next++) {
            while (count > first && !(fabs(d[next]) < fabs(d[queue[count - 1]]))) count--;
            queue[count++] = next;
        }
        while (queue[first] < i - 1 && t[i] - t[queue[first]] > window / 2) first++;
        bar[i] = 2 * fabs(d[queue[first]]);
    }
    lmb_free(queue);
    return true;
}

// ---- sizes -------------------------------------------------------------------------------------

double lmb_bars_largest(const lmb_series *s, int column) {
    double most = 0;
    for (long i = 0; i < s->rows; i++) {
        double x = fabs(s->v[i * s->columns + column]);
        if (!(x <= most)) most = x; // not a number: it stays
    }
    return most;
}

double lmb_bars_scale(const lmb_series *sensors, int column) {
    const char *name = sensors->names[column], *dot = strchr(name, '.');
    size_t n = dot ? (size_t)(dot - name) + 1 : strlen(name) + 1;
    double most = 0;
    for (int i = 0; i < sensors->columns; i++)
        if (strncmp(sensors->names[i], name, n) == 0 &&
            strcmp(sensors->units[i], sensors->units[column]) == 0)
            most = fmax(most, lmb_bars_largest(sensors, i));
    return most;
}

// ---- one analysis ------------------------------------------------------------------------------

typedef struct table { // rows of sensors over time
    lmb_series time, sensors, bars;
} table;

static void free_table(table *t) {
    lmb_series_free(&t->time), lmb_series_free(&t->sensors), lmb_series_free(&t->bars);
}

static lmb_status read_table(table *out, lmb_reader *r, const char *group, lmb_error *err) {
    int g;
    *out = (table){0};
    lmb_status st = lmb_reader_find_group(&g, r, group, err);
    if (st == LMB_OK) st = lmb_reader_time(&out->time, r, g, err);
    if (st == LMB_OK) st = lmb_reader_table(&out->sensors, r, g, "sensors", err);
    if (st == LMB_OK && lmb_reader_has_table(r, g, "bars"))
        st = lmb_reader_table(&out->bars, r, g, "bars", err);
    return st;
}

// value of a column at a time, linear between rows; NAN: outside
static double value_at(const table *t, const lmb_series *values, int column, double time, long *from) {
    long n = t->time.rows < values->rows ? t->time.rows : values->rows, i = *from;
    while (i + 1 < n && t->time.v[i + 1] <= time) i++;
    *from = i;
    const double *v = values->v + column;
    int width = values->columns;
    if (n > 0 && t->time.v[i] == time) return v[i * width];
    if (i + 1 >= n || time < t->time.v[i]) return NAN;
    double s = (time - t->time.v[i]) / (t->time.v[i + 1] - t->time.v[i]);
    return (1 - s) * v[i * width] + s * v[(i + 1) * width];
}

// The lowest frequency that the pieces of a body lacked; NAN: one of them has no residual fields, or no further shape functions.
static double missing(const lmb_bars *x, int body) {
    const lmb_model *m = x->system->program->model;
    double f = INFINITY;
    body -= m->bodies[body].part;
    for (int i = body; i < m->body_count && (i == body || m->bodies[i].part > 0); i++) {
        if (lmb_stress_flex(&m->bodies[i]) == NULL) continue; // the markers that slide along it
        if (lmb_stress_load_count(&m->bodies[i]) == 0) return NAN;
        double own = lmb_enrichment_missing(x->more, m, i);
        if (isnan(own)) return NAN;
        f = fmin(f, own);
    }
    return f;
}

typedef struct worst { // of all bars
    double share;
    const char *name;
} worst;

static const lmb_channel *channel(const lmb_bars *x, int sensor) {
    return &x->system->program->channels[x->system->shown[sensor]];
}

// the largest value of all sensors of a body in a unit; 0: there is none
static double largest_of_body(const lmb_bars *x, const lmb_series *sensors, int body, const char *unit) {
    const lmb_body *bodies = x->system->program->model->bodies;
    double most = 0;
    for (int i = 0; i < x->system->shown_count; i++) {
        int own = channel(x, i)->strained - 1;
        if (own >= 0 && own - bodies[own].part == body - bodies[body].part &&
            strcmp(channel(x, i)->unit, unit) == 0)
            most = fmax(most, lmb_bars_largest(sensors, i));
    }
    return most;
}

// Section forces count if the body has no stress: a moment at a pin is small beside what stresses it.
static void note(worst *w, const lmb_bars *x, int sensor, const double *bar, long stride, const table *t) {
    const lmb_channel *c = channel(x, sensor);
    bool force = c->unit[0] == 'N';
    double most = 0, largest = largest_of_body(x, &t->sensors, c->strained - 1, c->unit);
    if (force && largest_of_body(x, &t->sensors, c->strained - 1, "Pa") > 0) return;
    for (long i = 0; i < t->sensors.rows; i++)
        if (bar[i * stride] > most) most = bar[i * stride];
    double share = largest > 0 ? most / largest : 0;
    if (share > w->share) w->share = share, w->name = c->name;
}

// bars of one sensor into column `to` of the table
static bool fill_column(double *bars, int to, int width, const lmb_bars *x, int sensor, const table *now,
                        const table *before) {
    const lmb_channel *c = channel(x, sensor);
    long n = now->time.rows, from = 0;
    double f = missing(x, c->strained - 1), *d = lmb_alloc(2 * (size_t)n + 1, sizeof *d);
    if (d == NULL) return false;
    double *bar = d + n;
    for (long i = 0; i < n; i++)
        d[i] = now->sensors.v[i * now->sensors.columns + sensor] -
               value_at(before, &before->sensors, sensor, now->time.v[i], &from);
    bool ok = lmb_bars_envelope(bar, d, now->time.v, n, f > 0 ? 1 / f : 0);
    for (long i = 0; i < n && ok; i++) bars[i * width + to] = isnan(f) ? NAN : bar[i];
    lmb_free(d);
    return ok;
}

// Fewer shape functions than before: the error of these is at most half of their bar b, and that of fewer at most |d| + b/2, which
// max(2 |d|, b) covers.
static void cover_before(double *bar, int stride, const table *now, const table *before, int column) {
    long from = 0;
    for (long i = 0; i < now->time.rows; i++) {
        double b = value_at(before, &before->bars, column, now->time.v[i], &from);
        if (!(b <= bar[i * stride])) bar[i * stride] = b;
    }
}

static bool fill_table(double *bars, int width, worst *w, const lmb_bars *x, const table *now,
                       const table *before) {
    int to = 0;
    bool ok = true;
    for (int i = 0; i < x->system->shown_count && ok; i++) {
        if (!lmb_tables_has_bar(x->system, i)) continue;
        ok = fill_column(bars, to, width, x, i, now, before);
        if (ok) note(w, x, i, bars + to, width, now);
        if (ok && x->more->fewer && !x->more->all && before->bars.columns == width)
            cover_before(bars + to, width, now, before, to);
        to++;
    }
    return ok;
}

// ---- all analyses ------------------------------------------------------------------------------

// columns of bars of an analysis; 0: its rows are none of sensors, or no sensor has a bar
static int bar_columns(const lmb_bars *x, int g) {
    return lmb_analysis_has_motion(&x->system->program->analyses[g])
               ? x->groups[g].tables[LMB_TABLE_BARS].count
               : 0;
}

static lmb_status compute(double **bars, worst *w, const lmb_bars *x, lmb_reader *r[2], lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int g = 0; g < x->group_count && st == LMB_OK; g++) {
        table now = {0}, before = {0};
        int width = bar_columns(x, g);
        if (width == 0) continue;
        st = read_table(&now, r[0], x->groups[g].name, err);
        if (st == LMB_OK) st = read_table(&before, r[1], x->groups[g].name, err);
        if (st == LMB_OK && before.sensors.columns != now.sensors.columns)
            st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s' has other sensors", x->kept);
        if (st == LMB_OK) bars[g] = lmb_alloc((size_t)now.time.rows * (size_t)width + 1, sizeof **bars);
        if (st == LMB_OK && (bars[g] == NULL || !fill_table(bars[g], width, w, x, &now, &before)))
            st = lmb_fail_memory(err);
        free_table(&now), free_table(&before);
    }
    return st;
}

static lmb_status store(double *const *bars, const lmb_bars *x, lmb_error *err) {
    lmb_results *file;
    lmb_status st = lmb_results_reopen(&file, x->output, x->groups, x->group_count, 1, err);
    if (st != LMB_OK) return st;
    for (int g = 0; g < x->group_count && st == LMB_OK; g++)
        if (bars[g]) st = lmb_results_fill(file, g, LMB_TABLE_BARS, bars[g], err);
    lmb_status closed = lmb_results_close(file, st == LMB_OK ? err : NULL);
    return st == LMB_OK ? closed : st;
}

static lmb_status compare(worst *w, const lmb_bars *x, lmb_error *err) {
    lmb_reader *r[2] = {NULL, NULL};
    double **bars = lmb_alloc((size_t)x->group_count, sizeof *bars);
    lmb_status st = bars ? lmb_reader_open(&r[0], x->output, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_reader_open(&r[1], x->kept, err);
    if (st == LMB_OK) st = compute(bars, w, x, r, err);
    lmb_reader_close(r[0]), lmb_reader_close(r[1]);
    if (st == LMB_OK) st = store(bars, x, err);
    for (int g = 0; g < x->group_count && bars; g++) lmb_free(bars[g]);
    lmb_free(bars);
    return st;
}

// bodies that cannot have bars although sensors ask for their stress
static void say_unknown(lmb_text *out, const lmb_bars *x) {
    const lmb_model *m = x->system->program->model;
    for (int i = 0; i < m->body_count; i++) {
        bool asked = false;
        for (int k = 0; k < x->system->program->channel_count; k++)
            asked = asked || x->system->program->channels[k].strained == i + 1;
        if (asked && isnan(missing(x, i)))
            lmb_text_add(out,
                         "    no error bars of body '%s': it has no residual fields (body file, or "
                         "`static_correction: off`)\n",
                         m->bodies[i].name);
    }
}

lmb_status lmb_bars_write(lmb_text *summary, double *share, const lmb_bars *x, lmb_error *err) {
    worst w = {0};
    *share = 0;
    bool columns = false;
    for (int g = 0; g < x->group_count; g++) columns = columns || bar_columns(x, g) > 0;
    if (!lmb_file_is_there(x->kept)) return LMB_OK;
    lmb_status st = columns ? compare(&w, x, err) : LMB_OK;
    if (st != LMB_OK) return st;
    *share = w.share;
    if (w.name && (x->more->all || !x->more->fewer))
        lmb_text_add(summary, "    error bars of stresses: up to %s of the largest of their body (%s)\n",
                     lmb_percent(w.share).text, w.name);
    if (x->more->all) say_unknown(summary, x);
    return LMB_OK;
}
