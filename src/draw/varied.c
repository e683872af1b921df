// draw/varied.c: runs of one model that differ in its parameters.
#include "draw/varied.h"
#include "store/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- one model? ----------------------------------------------------------------------------------

static bool is_digit_or_name(char c) { return c != '\0' && strchr(" \t:", c) == NULL; }

static bool starts_section(const char *line) {
    static const char key[] = "parameters";
    return strncmp(line, key, strlen(key)) == 0 && !is_digit_or_name(line[strlen(key)]);
}

static const char *after_line(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

// the next line that does not belong to the section `parameters`, which ends at the next key
static const char *outside(const char *line) {
    while (starts_section(line)) {
        do line = after_line(line);
        while (*line && strchr(" \t#}\r\n", *line));
    }
    return line;
}

static bool same_model(const char *a, const char *b) {
    if (a == NULL || b == NULL) return a == b;
    for (a = outside(a), b = outside(b); *a && *b; a = outside(after_line(a)), b = outside(after_line(b))) {
        size_t n = (size_t)(after_line(a) - a);
        if (strncmp(a, b, n) != 0 || (size_t)(after_line(b) - b) != n) return false;
    }
    return *a == *b;
}

// ---- reading -------------------------------------------------------------------------------------

typedef struct gathered {
    char *model;      // text of the first
    lmb_series first; // its parameters
    double *values;   // runs x parameters
    bool one;         // all are runs of one model
} gathered;

static bool same_names(const lmb_series *a, const lmb_series *b) {
    bool same = a->columns == b->columns;
    for (int i = 0; i < a->columns && same; i++) same = strcmp(a->names[i], b->names[i]) == 0;
    return same;
}

static lmb_status keep_first(gathered *g, lmb_series *p, const char *model, int runs, lmb_error *err) {
    g->first = *p;
    *p = (lmb_series){0};
    g->model = model ? lmb_strdup(model) : NULL;
    g->values = lmb_alloc((size_t)runs * (size_t)g->first.columns + 1, sizeof *g->values);
    return (model == NULL || g->model) && g->values ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status gather_one(gathered *g, int run, int runs, const char *path, lmb_error *err) {
    lmb_reader *r = NULL;
    lmb_series p = {0};
    lmb_status st = lmb_reader_open(&r, path, err);
    if (st != LMB_OK) return st;
    const char *model = lmb_reader_text(r, "model");
    st = lmb_reader_parameters(&p, r, err);
    if (st == LMB_OK && run == 0) st = keep_first(g, &p, model, runs, err);
    else if (st == LMB_OK) g->one = same_names(&p, &g->first) && same_model(model, g->model);
    const lmb_series *from = run == 0 ? &g->first : &p;
    if (st == LMB_OK && g->one && from->columns > 0)
        memcpy(g->values + (size_t)run * (size_t)from->columns, from->v,
               (size_t)from->columns * sizeof(double));
    lmb_series_free(&p);
    lmb_reader_close(r);
    return st;
}

static bool same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static bool differs(const gathered *g, int runs, int k) {
    bool same = true;
    for (int i = 1; i < runs && same; i++)
        same = same_number(g->values[(size_t)i * (size_t)g->first.columns + (size_t)k], g->values[k]);
    return !same;
}

// the columns that differ
static lmb_status pick(lmb_varied *v, const gathered *g, lmb_error *err) {
    int n = g->first.columns;
    v->names = lmb_alloc((size_t)n + 1, sizeof *v->names);
    v->values = lmb_alloc((size_t)n * (size_t)v->runs + 1, sizeof *v->values);
    int *which = lmb_alloc((size_t)n + 1, sizeof *which);
    bool ok = v->names && v->values && which;
    for (int k = 0; k < n && ok && g->one; k++) {
        if (!differs(g, v->runs, k)) continue;
        which[v->count] = k;
        ok = (v->names[v->count++] = lmb_strdup(g->first.names[k])) != NULL;
    }
    for (int i = 0; i < v->runs && ok; i++)
        for (int k = 0; k < v->count; k++)
            v->values[(size_t)i * (size_t)v->count + (size_t)k] =
                g->values[(size_t)i * (size_t)n + (size_t)which[k]];
    lmb_free(which);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- order ---------------------------------------------------------------------------------------

static const double *row_of(const lmb_varied *v, int run) {
    return v->values + (size_t)run * (size_t)v->count;
}

typedef struct ranked {
    const lmb_varied *v;
    const char *path;
    int run;
} ranked;

// what is not a number comes last
static int compare_numbers(double a, double b) {
    if (isnan(a) || isnan(b)) return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

static int by_values(const void *one, const void *two) {
    const ranked *a = one, *b = two;
    int sign = 0;
    for (int k = 0; k < a->v->count && sign == 0; k++)
        sign = compare_numbers(row_of(a->v, a->run)[k], row_of(b->v, b->run)[k]);
    if (sign == 0) sign = lmb_natural_compare(a->path, b->path);
    return sign ? sign : a->run - b->run;
}

static lmb_status make_order(lmb_varied *v, const char *const *results, lmb_error *err) {
    ranked *all = lmb_alloc((size_t)v->runs, sizeof *all);
    v->order = lmb_alloc((size_t)v->runs, sizeof *v->order);
    bool ok = all && v->order;
    for (int i = 0; i < v->runs && ok; i++) all[i] = (ranked){v, results[i], i};
    if (ok && v->count > 0) qsort(all, (size_t)v->runs, sizeof *all, by_values);
    for (int i = 0; i < v->runs && ok; i++) v->order[i] = all[i].run;
    lmb_free(all);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// whether parameter k rises, or falls, whenever parameter j rises, and only then
static bool follows(const lmb_varied *v, int k, int j) {
    int direction = 0;
    for (int i = 0; i < v->runs; i++)
        for (int h = 0; h < i; h++) {
            const double *a = row_of(v, i), *b = row_of(v, h);
            int lead = compare_numbers(a[j], b[j]), sign = lead * compare_numbers(a[k], b[k]);
            if ((lead == 0) != (compare_numbers(a[k], b[k]) == 0) || sign * direction < 0) return false;
            if (sign) direction = sign;
        }
    return true;
}

// of the first few that follow no other
static void find_followers(lmb_varied *v) {
    enum { LEADERS = 4 };
    int leaders[LEADERS], count = 0;
    v->single = v->count > 0;
    for (int k = 0; k < v->count; k++) {
        for (int j = 0; j < count && !v->follows[k]; j++) v->follows[k] = follows(v, k, leaders[j]);
        if (!v->follows[k] && count < LEADERS) leaders[count++] = k;
        if (!v->follows[k] && k > 0) v->single = false;
    }
}

static lmb_status measure(lmb_varied *v, lmb_error *err) {
    double *first = lmb_alloc((size_t)v->runs, sizeof *first);
    v->follows = lmb_alloc((size_t)v->count + 1, sizeof *v->follows);
    bool ok = first && v->follows;
    for (int i = 0; i < v->runs && v->count > 0 && ok; i++) first[i] = row_of(v, i)[0];
    if (ok && v->count > 0) v->spread = lmb_spread_of(first, v->runs), find_followers(v);
    lmb_free(first);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_varied_read(lmb_varied *out, const char *const *results, int count, lmb_error *err) {
    *out = (lmb_varied){.runs = count};
    gathered g = {.one = true};
    lmb_status st = LMB_OK;
    for (int i = 0; i < count && st == LMB_OK && g.one; i++) st = gather_one(&g, i, count, results[i], err);
    if (st == LMB_OK) st = pick(out, &g, err);
    if (st == LMB_OK) st = make_order(out, results, err);
    if (st == LMB_OK) st = measure(out, err);
    lmb_series_free(&g.first);
    lmb_free(g.model), lmb_free(g.values);
    return st;
}

void lmb_varied_free(lmb_varied *v) {
    for (int k = 0; v->names && k < v->count; k++) lmb_free(v->names[k]);
    lmb_free(v->names), lmb_free(v->values), lmb_free(v->order), lmb_free(v->follows);
    *v = (lmb_varied){0};
}

// ---- what is shown -------------------------------------------------------------------------------

bool lmb_varied_has_scale(const lmb_varied *v, int shown) {
    return v->spread.high > v->spread.low && (v->single || shown > LMB_VARIED_NAMED);
}

double lmb_varied_shade(const lmb_varied *v, int run, int shown) {
    if (lmb_varied_has_scale(v, shown)) return lmb_spread_place(&v->spread, row_of(v, run)[0]);
    int at = 0;
    while (v->order[at] != run) at++;
    return v->runs > 1 ? at / (v->runs - 1.0) : 0.5;
}

enum { NAMED = 4, FEW = 4 }; // parameters that are named; runs among which one may follow another by chance

bool lmb_varied_label(lmb_text *out, const lmb_varied *v, int run) {
    bool ok = true;
    int named = 0;
    for (int k = 0; k < v->count && ok && named <= NAMED; k++) {
        if (v->follows[k] && v->runs >= FEW) continue;
        if (named++ == NAMED) return lmb_text_add(out, ", ...");
        ok = lmb_text_add(out, "%s%s = %.6g", named > 1 ? ", " : "", v->names[k], row_of(v, run)[k]);
    }
    return ok;
}

// names of those that follow another, or of those that do not
static bool add_names(lmb_text *out, int *named, const lmb_varied *v, bool wanted) {
    bool ok = true;
    for (int k = 1; k < v->count && ok && *named <= NAMED; k++) {
        if (v->follows[k] != wanted) continue;
        bool more = ++*named > NAMED;
        ok = lmb_text_add(out, "%s%s", *named == 1 ? " (" : ", ", more ? "..." : v->names[k]);
    }
    return ok;
}

bool lmb_varied_title(lmb_text *out, const lmb_varied *v) {
    int named = 0;
    if (v->count == 0 || !lmb_text_add(out, "%s", v->names[0]) || !add_names(out, &named, v, v->single))
        return false;
    return named == 0 || lmb_text_add(out, v->single ? ")" : named == 1 ? " varies)" : " vary)");
}
