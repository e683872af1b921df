// io/validate.c: a model's results (of parts: validate_part.c) against the numbers and tables of its `validation` section.
#include "io/handles.h"

#include "io/part_file.h"
#include "io/reference_file.h"

#include <stdio.h>
#include <string.h>

typedef struct record { // rows of one analysis: time and all channels
    double *v;
    long rows, capacity;
    int width;
    lmb_reading *reading;
} record;

typedef struct validation {
    const lmb_program *p;
    const char *folder; // folder of reference files, may be NULL
    char case_name[128];
    record record;
    lmb_reading end; // at the end of the analysis
    void (*tell)(void *user, const lmb_comparison *c);
    void *user;
} validation;

// ---- what was computed -------------------------------------------------------------------------

static lmb_status on_row(void *user, lmb_data *at, lmb_error *err) {
    record *r = user;
    if (r->rows == r->capacity) {
        long grown = r->capacity ? 2 * r->capacity : 256;
        double *v = lmb_realloc(r->v, (size_t)grown * (size_t)r->width, sizeof *v);
        if (v == NULL) return lmb_fail_memory(err);
        r->v = v;
        r->capacity = grown;
    }
    double *row = r->v + r->rows++ * r->width;
    lmb_reading_take(r->reading, at);
    row[0] = *at->time;
    memcpy(row + 1, r->reading->channels, (size_t)(r->width - 1) * sizeof *row);
    return LMB_OK;
}

static double time_of(const record *r, long row) { return r->v[row * r->width]; }

// first row that is not before t
static long find_row(const record *r, double t) {
    long a = 0, b = r->rows;
    while (a < b) {
        long middle = (a + b) / 2;
        if (time_of(r, middle) < t) a = middle + 1;
        else b = middle;
    }
    return a;
}

// a channel at time t: as written if t is an output time, else by the polynomial through the six rows
// around it
static double value_at(const record *r, int channel, double t) {
    enum { POINTS = 6 };
    double end = time_of(r, r->rows - 1), close = 1e-9 * fmax(end - time_of(r, 0), 1e-12), sum = 0;
    long at = find_row(r, t - close);
    if (at < r->rows && fabs(time_of(r, at) - t) <= close) return r->v[at * r->width + 1 + channel];
    long first = at - POINTS / 2, count = r->rows < POINTS ? r->rows : POINTS;
    if (first > r->rows - count) first = r->rows - count;
    if (first < 0) first = 0;
    for (long i = first; i < first + count; i++) { // Lagrange
        double weight = 1;
        for (long k = first; k < first + count; k++)
            if (k != i && time_of(r, i) != time_of(r, k))
                weight *= (t - time_of(r, k)) / (time_of(r, i) - time_of(r, k));
        sum += weight * r->v[i * r->width + 1 + channel];
    }
    return sum;
}

// ---- comparisons -------------------------------------------------------------------------------

static lmb_status compare_number(lmb_comparison *c, const validation *v, const lmb_expectation *e, double end,
                                 lmb_error *err) {
    const record *r = &v->record;
    double slack = 1e-9 * fmax(fabs(end), 1e-12);
    if (e->at > end + slack || (r->rows > 0 && e->at < time_of(r, 0) - slack))
        return lmb_fail(err, LMB_ERR_INPUT, e->where, "validation at t = %g s, but the analysis ends at %g s",
                        e->at, end);
    bool at_end = isnan(e->at) || fabs(e->at - end) <= slack || r->rows == 0;
    c->ours = at_end ? v->end.channels[e->channel] : value_at(r, e->channel, e->at);
    c->reference = e->reference;
    c->difference = fabs(c->ours - c->reference);
    if (e->relative && e->reference != 0) c->difference /= fabs(e->reference);
    return LMB_OK;
}

// the largest difference, relative to the range of the reference (as it is if the reference is constant)
static lmb_status compare_table(lmb_comparison *c, const validation *v, const lmb_expectation *e,
                                const lmb_reference_table *t, lmb_error *err) {
    const record *r = &v->record;
    double low = INFINITY, high = -INFINITY;
    double slack = r->rows > 0 ? 1e-9 * fmax(time_of(r, r->rows - 1) - time_of(r, 0), 1e-12) : 0;
    c->difference = -1;
    for (int i = 0; i < t->count && r->rows > 0; i++) {
        double time = t->time[i], right = e->factor * t->value[i] + e->offset;
        if (time < e->from || time > e->until || time < time_of(r, 0) - slack ||
            time > time_of(r, r->rows - 1) + slack)
            continue;
        double ours = value_at(r, e->channel, time), difference = fabs(ours - right);
        low = fmin(low, right), high = fmax(high, right);
        if (!(difference <= c->difference)) c->difference = difference, c->ours = ours, c->reference = right;
    }
    if (c->difference < 0)
        return lmb_fail(err, LMB_ERR_INPUT, e->where,
                        "validation: no row of '%s' lies within the time span of the analysis", e->file);
    if (high - low > 1e-12) c->difference /= high - low;
    return LMB_OK;
}

static lmb_status compare_file(lmb_comparison *c, const validation *v, const lmb_expectation *e,
                               lmb_error *err) {
    lmb_reference_table table = {0};
    lmb_text path = {0};
    bool found = false;
    lmb_status st = LMB_OK;
    if (v->folder && !lmb_text_add(&path, "%s/%s", v->folder, e->file)) return lmb_fail_memory(err);
    if (v->folder)
        st = lmb_reference_read(&table, &found, path.text,
                                (lmb_reference_columns){e->time_column, e->value_column, e->skip_lines}, err);
    c->skipped = !found;
    if (st == LMB_OK && found) st = compare_table(c, v, e, &table, err);
    lmb_reference_free(&table);
    lmb_text_free(&path);
    return st;
}

static lmb_status compare(const validation *v, const lmb_expectation *e, double end, lmb_error *err) {
    lmb_comparison c = {
        .case_name = v->case_name, .quantity = e->quantity, .source = e->source, .tolerance = e->tolerance};
    lmb_status st = e->file ? compare_file(&c, v, e, err) : compare_number(&c, v, e, end, err);
    if (st != LMB_OK) return st;
    c.passed = !c.skipped && c.difference <= c.tolerance; // false for NaN
    if (v->tell) v->tell(v->user, &c);
    return LMB_OK;
}

// ---- the run -----------------------------------------------------------------------------------

static lmb_status run_analysis(validation *v, int number, lmb_data *d, lmb_error *err) {
    lmb_run *run;
    lmb_observer o = {.user = &v->record, .row = on_row};
    v->record.rows = 0;
    lmb_status st = lmb_run_create(&run, v->p, &v->p->analyses[number], d, err);
    if (st == LMB_OK) st = lmb_run_all(run, &o, err);
    if (st == LMB_OK) lmb_reading_take(&v->end, d);
    lmb_run_destroy(run);
    for (int i = 0; i < v->p->expectation_count && st == LMB_OK; i++)
        if (v->p->expectations[i].analysis == number) st = compare(v, &v->p->expectations[i], *d->time, err);
    return st;
}

static lmb_status run_all(validation *v, lmb_error *err) {
    lmb_data *d = NULL;
    lmb_reading reading = {0};
    lmb_status st = lmb_data_create(&d, v->p->model, err);
    if (st == LMB_OK) st = lmb_reading_create(&reading, v->p, err);
    if (st == LMB_OK) st = lmb_reading_create(&v->end, v->p, err);
    v->record.reading = &reading;
    v->record.width = 1 + v->p->channel_count;
    for (int i = 0; i < v->p->analysis_count && st == LMB_OK; i++) st = run_analysis(v, i, d, err);
    lmb_free(v->record.v);
    lmb_reading_free(&v->end);
    lmb_reading_free(&reading);
    lmb_data_destroy(d);
    return st;
}

// models/arm.yaml -> arm
static void name_case(char *out, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(out, '.');
    if (dot && dot > out) *dot = '\0';
}

// a model that cannot be built without the references
static void tell_skipped(const validation *v) {
    const lmb_comparison c = {.case_name = v->case_name, .quantity = "all", .source = "", .skipped = true};
    if (v->tell) v->tell(v->user, &c);
}

lmb_status lmb_validate(const char *model, const lmb_part_settings *how,
                        void (*tell)(void *user, const lmb_comparison *c), void *user, lmb_error *err) {
    lmb_error own = {0};
    lmb_document *document = NULL;
    lmb_system *s = NULL;
    lmb_part_settings fresh = how ? *how : (lmb_part_settings){0};
    fresh.no_cache = true;
    bool missing = false;
    validation v = {.folder = fresh.references, .tell = tell, .user = user};
    name_case(v.case_name, sizeof v.case_name, model);
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_document_read_file(&document, model, &own);
    bool part = st == LMB_OK && lmb_node_find(document->spec->root, "part");
    if (st == LMB_OK && !part) st = lmb_system_build(&s, &missing, document, NULL, 0, &fresh, &own);
    lmb_document_destroy(document);
    if (part) st = lmb_validate_part(model, v.case_name, &fresh, tell, user, &own);
    if (missing) st = LMB_OK, tell_skipped(&v);
    if (s) v.p = s->program, st = run_all(&v, &own);
    lmb_locale_end(locale);
    lmb_system_destroy(s);
    if (st == LMB_ERR_NUMERIC && own.file[0] == '\0') snprintf(own.file, sizeof own.file, "%s", model);
    if (st != LMB_OK && err) *err = own;
    return st;
}
