// api/enrich.c: further shape functions of bodies.                               docs/theory/reduction.md (22), (23)
#include "api/enrich.h"

#include "reduce/flex.h"
#include "system/stress.h"

#include <stdlib.h>
#include <string.h>

void lmb_enrichment_free(lmb_enrichment *x) {
    lmb_arena_destroy(x->arena);
    lmb_free(x->list);
    *x = (lmb_enrichment){0};
}

static lmb_enriched *find(const lmb_enrichment *x, const char *name, int piece) {
    for (int i = 0; i < x->count; i++)
        if (x->list[i].piece == piece && strcmp(x->list[i].name, name) == 0) return &x->list[i];
    return NULL;
}

// a piece, made if it is not there; NULL: no memory
static lmb_enriched *need(lmb_enrichment *x, const char *name, int piece) {
    lmb_enriched *known = find(x, name, piece);
    if (known) return known;
    if (x->arena == NULL && (x->arena = lmb_arena_create(1 << 14)) == NULL) return NULL;
    if (x->count == x->capacity) {
        int capacity = 2 * x->capacity + 8;
        lmb_enriched *list = lmb_realloc(x->list, (size_t)capacity, sizeof *list);
        if (list == NULL) return NULL;
        x->list = list, x->capacity = capacity;
    }
    lmb_enriched *e = &x->list[x->count];
    *e = (lmb_enriched){.name = lmb_arena_strdup(x->arena, name), .piece = piece, .missing = INFINITY};
    if (e->name == NULL) return NULL;
    x->count++;
    return e;
}

static lmb_shape_request request(int blocks, int rows, int loads, const double *a) {
    return (lmb_shape_request){.family = LMB_SHAPES_RESIDUAL,
                               .count = blocks,
                               .marker = -1,
                               .set = -1,
                               .combination_count = rows,
                               .load_count = loads,
                               .combinations = a};
}

// combinations of the shape functions so far take their place, beside the static responses that a body with interfaces begins with
static void combine(lmb_enriched *e, int rows, int m, const double *a) {
    e->requests[e->count] = request(0, rows, m, a);
    e->requests[e->count++].family = LMB_SHAPES_COMBINED;
    e->requests[e->count++] = (lmb_shape_request){.family = LMB_SHAPES_GUYAN, .marker = -1, .set = -1};
}

// ---- from a run --------------------------------------------------------------------------------

static const char *name_of(const lmb_model *m, int body) {
    return m->bodies[body - m->bodies[body].part].name;
}

// of few combinations more blocks
static int blocks(lmb_enrich_size size, int rows) {
    int n = size.fields / rows;
    return n < 1 ? 1 : n > size.blocks ? size.blocks : n;
}

static bool has_interface(const lmb_flex *f) {
    bool found = false;
    for (int i = 0; i < f->marker_count; i++) found = found || f->markers[i].interface;
    return found;
}

static lmb_status take_group(int *added, lmb_enrichment *x, const lmb_leading *l, int g, lmb_enrich_size size,
                             lmb_error *err) {
    const lmb_flex *f = l->groups[g].flex;
    int loads = l->groups[g].loads, rows;
    if (x->arena == NULL && (x->arena = lmb_arena_create(1 << 14)) == NULL) return lmb_fail_memory(err);
    double *a = lmb_arena_doubles(x->arena, size.vectors * loads + 1),
           *w = lmb_arena_doubles(x->arena, f->m + 1);
    if (a == NULL || w == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_leading_find(a, &rows, l, g, (lmb_leading_wish){size.vectors, size.least}, err);
    memcpy(w, f->frequency, (size_t)f->m * sizeof *w);
    for (int i = 0; i < l->m->body_count && st == LMB_OK; i++) {
        if (l->group_of[i] != g || (size.of && !size.of[i])) continue;
        lmb_enriched *e = need(x, name_of(l->m, i), l->m->bodies[i].part);
        if (e == NULL) return lmb_fail_memory(err);
        e->held = has_interface(f);
        if (rows == 0 || e->count + 2 > LMB_ENRICH_ROUNDS) continue;
        e->requests[e->count++] = request(blocks(size, rows), rows, loads, a);
        e->m = f->m, e->frequency = w;
        ++*added;
    }
    return st;
}

lmb_status lmb_enrichment_grow(int *added, lmb_enrichment *x, const lmb_leading *l, lmb_enrich_size size,
                               lmb_error *err) {
    lmb_status st = LMB_OK;
    *added = 0;
    for (int g = 0; g < l->count && st == LMB_OK; g++) st = take_group(added, x, l, g, size, err);
    if (st == LMB_OK && *added > 0) x->round++, x->all = size.of == NULL;
    return st;
}

// ---- fewer -------------------------------------------------------------------------------------

typedef struct fewer { // of a group
    int rows, fields;
    double *a, *w;
} fewer;

static lmb_status find_fewer(fewer *out, lmb_enrichment *x, const lmb_leading *l, int g, double least,
                             lmb_error *err) {
    const lmb_flex *f = l->groups[g].flex;
    int m = f->m;
    *out = (fewer){.a = lmb_arena_doubles(x->arena, m * m + 1), .w = lmb_arena_doubles(x->arena, m + 1)};
    if (out->a == NULL || out->w == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_leading_vibrating(out->a, &out->rows, &out->fields, l, g, least, err);
    memcpy(out->w, f->frequency, (size_t)m * sizeof *out->w);
    return st;
}

// further shape functions of a body of the model; NULL: it has none, or keeps them
static lmb_enriched *loses(const lmb_enrichment *x, const lmb_leading *l, const bool *of, int body) {
    lmb_enriched *e =
        l->group_of[body] >= 0 && of[body] ? find(x, name_of(l->m, body), l->m->bodies[body].part) : NULL;
    return e && e->held && e->count > 0 && e->count + 3 <= LMB_ENRICH_ROUNDS ? e : NULL;
}

lmb_status lmb_enrichment_prune(int *changed, lmb_enrichment *x, const lmb_leading *l, const bool *of,
                                double least, lmb_error *err) {
    lmb_status st = LMB_OK;
    *changed = 0;
    if (x->arena == NULL) return LMB_OK;
    fewer *list = lmb_alloc((size_t)l->count + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    for (int g = 0; g < l->count && st == LMB_OK; g++) st = find_fewer(&list[g], x, l, g, least, err);
    for (int i = 0; i < l->m->body_count && st == LMB_OK; i++)
        *changed += loses(x, l, of, i) && list[l->group_of[i]].rows < list[l->group_of[i]].fields;
    for (int i = 0; i<l->m->body_count && * changed> 0; i++) { // all of them, so that all can be restored
        lmb_enriched *e = loses(x, l, of, i);
        const fewer *f = e ? &list[l->group_of[i]] : NULL;
        if (e == NULL) continue;
        e->m = l->groups[l->group_of[i]].flex->m, e->frequency = f->w;
        combine(e, f->rows, e->m, f->a);
    }
    lmb_free(list);
    if (*changed > 0) x->round++, x->fewer = true;
    return st;
}

void lmb_enrichment_restore(lmb_enrichment *x) {
    x->round--, x->fewer = false;
    for (int i = 0; i < x->count; i++) {
        lmb_enriched *e = &x->list[i];
        int last = -1;
        for (int k = 0; k < e->count; k++)
            if (e->requests[k].family == LMB_SHAPES_COMBINED) x->fewer = x->fewer || last >= 0, last = k;
        if (last >= 0) e->count = last;
    }
}

// ---- what is new -------------------------------------------------------------------------------

// Frequencies w of m shape functions and those v of more interlace, v_i <= w_i: the first v_i well below w_i is new.
static double first_new(const double *w, int m, const double *v, int more) {
    const double same = 0.95;
    for (int i = 0; i < more; i++)
        if (i >= m || v[i] < same * w[i]) return v[i];
    return INFINITY;
}

void lmb_enrichment_compare(lmb_enrichment *x, const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_flex *f = lmb_stress_flex(&m->bodies[i]);
        lmb_enriched *e = f ? find(x, name_of(m, i), m->bodies[i].part) : NULL;
        if (e == NULL || e->frequency == NULL) continue;
        if (f->m == e->m) continue;
        e->missing = f->m < e->m ? first_new(f->frequency, f->m, e->frequency, e->m)
                                 : first_new(e->frequency, e->m, f->frequency, f->m);
    }
}

const lmb_shape_request *lmb_enrichment_find(int *count, const lmb_enrichment *x, const char *name,
                                             int piece) {
    const lmb_enriched *e = find(x, name, piece);
    *count = e ? e->count : 0;
    return e ? e->requests : NULL;
}

static bool same_requests(const lmb_enriched *a, const lmb_enriched *b) {
    bool same = a->count == b->count && a->held == b->held;
    for (int k = 0; k < a->count && same; k++) {
        const lmb_shape_request *p = &a->requests[k], *q = &b->requests[k];
        size_t n = (size_t)p->combination_count * (size_t)p->load_count;
        same = p->family == q->family && p->count == q->count &&
               p->combination_count == q->combination_count && p->load_count == q->load_count &&
               (n == 0 || memcmp(p->combinations, q->combinations, n * sizeof *p->combinations) == 0);
    }
    return same;
}

lmb_enriched_kind lmb_enrichment_kind(const lmb_enrichment *x, const char *name) {
    const lmb_enriched *first = find(x, name, 0);
    if (first == NULL) return LMB_ENRICHED_NOT;
    for (int i = 0; i < x->count; i++)
        if (strcmp(x->list[i].name, name) == 0 && !same_requests(first, &x->list[i]))
            return LMB_ENRICHED_MIXED;
    return first->held ? LMB_ENRICHED_HELD : LMB_ENRICHED_FREE;
}

double lmb_enrichment_missing(const lmb_enrichment *x, const lmb_model *m, int body) {
    const lmb_enriched *e = find(x, name_of(m, body), m->bodies[body].part);
    return e ? e->missing : NAN;
}

// ---- as text -----------------------------------------------------------------------------------

static bool write_request(lmb_text *out, const lmb_shape_request *q) {
    bool ok = lmb_text_add(out, " %d %d %d", q->count, q->combination_count, q->load_count);
    for (int j = 0; j < q->combination_count * q->load_count && ok; j++)
        ok = lmb_text_add(out, " %.17g", q->combinations[j]);
    return ok;
}

// requests that are written: those that combine() adds go without saying
static int written(const lmb_enriched *e) {
    int count = 0;
    for (int k = 0; k < e->count; k++) count += e->requests[k].load_count > 0;
    return count;
}

bool lmb_enrichment_write(lmb_text *out, const lmb_enrichment *x) {
    bool ok = lmb_text_add(out, "%d %d\n", x->round, x->all);
    for (int i = 0; i < x->count && ok; i++) {
        const lmb_enriched *e = &x->list[i];
        ok = lmb_text_add(out, "%s %d %d %.17g %d", e->name, e->piece, e->held, e->missing, written(e));
        for (int k = 0; k < e->count && ok; k++)
            if (e->requests[k].load_count > 0) ok = write_request(out, &e->requests[k]);
        ok = ok && lmb_text_add(out, "\n");
    }
    return ok;
}

// a number of the text; false: there is none
static bool number(double *out, const char **text) {
    char *end;
    *out = strtod(*text, &end);
    bool good = end > *text;
    *text = end;
    return good;
}

// a whole number from 0 to most
static bool whole(int *out, const char **text, int most) {
    double x;
    bool good = number(&x, text) && x >= 0 && x <= most && x == floor(x);
    *out = good ? (int)x : 0;
    return good;
}

static bool parse_request(lmb_enrichment *x, lmb_enriched *e, const char **text) {
    enum { MOST = 10000 };
    int blocks, rows, loads;
    if (!whole(&blocks, text, MOST) || !whole(&rows, text, MOST) || !whole(&loads, text, MOST) ||
        (rows == 0 && blocks > 0) || loads == 0 || loads < rows || e->count + 2 > LMB_ENRICH_ROUNDS ||
        (blocks == 0 && !e->held))
        return false;
    if ((size_t)rows * (size_t)loads > strlen(*text) / 2) return false; // each has a blank before it
    double *a = lmb_arena_doubles(x->arena, rows * loads + 1);
    bool ok = a != NULL;
    for (int j = 0; ok && j < rows * loads; j++) ok = number(&a[j], text) && isfinite(a[j]);
    if (ok && blocks > 0) e->requests[e->count++] = request(blocks, rows, loads, a);
    if (ok && blocks == 0) combine(e, rows, loads, a), x->fewer = true;
    return ok;
}

static bool parse_line(lmb_enrichment *x, const char **text) {
    char name[256];
    size_t n = strcspn(*text, " \n");
    int piece, held, count;
    if (n == 0 || n >= sizeof name) return false;
    memcpy(name, *text, n), name[n] = '\0';
    *text += n;
    if (!whole(&piece, text, 1000000) || find(x, name, piece)) return false;
    lmb_enriched *e = need(x, name, piece);
    bool ok =
        e && whole(&held, text, 1) && number(&e->missing, text) && whole(&count, text, LMB_ENRICH_ROUNDS);
    if (ok) e->held = held == 1;
    for (int k = 0; ok && k < count; k++) ok = parse_request(x, e, text);
    return ok && *(*text)++ == '\n';
}

bool lmb_enrichment_parse(lmb_enrichment *x, const char *text) {
    int all = 0;
    bool ok = whole(&x->round, &text, LMB_ENRICH_ROUNDS) && whole(&all, &text, 1) && *text++ == '\n';
    x->all = all == 1;
    while (ok && *text) ok = parse_line(x, &text);
    if (!ok) lmb_enrichment_free(x);
    return ok;
}
