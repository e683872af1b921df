// study/measure.c: measures compiled: each call of a function becomes a number, which the expression around it takes as an input.
#include "study/measure.h"

#include "study/call.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

typedef struct measure {
    const char *name, *unit;
    lmb_expr *e;
} measure;

struct lmb_measures {
    lmb_arena *arena;
    int count, call_count, call_room;
    measure *list;
    lmb_call *calls;
};

typedef struct maker {
    lmb_measures *m;
    const lmb_measure_world *world;
    int group; // named in front, -1: none
} maker;

// ---- names ---------------------------------------------------------------------------------------

// inputs of an expression: measures before it, then calls
static lmb_status resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    maker *k = user;
    for (int i = 0; i < k->m->count; i++)
        if (strcmp(k->m->list[i].name, name) == 0) {
            *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, i};
            return LMB_OK;
        }
    lmb_status st = k->world->resolve ? k->world->resolve(k->world->user, out, name, where, err) : LMB_OK;
    if (st || out->kind != LMB_SYMBOL_UNKNOWN) return st;
    int group = lmb_call_group(k->world, k->group, name);
    if (group < 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "'%s' is a column of values over time; take a number of it: max(%s), end(%s), ...", name,
                    name, name);
}

// parameters, measures, then columns of the analysis
static const char *candidate(void *user, int i) {
    maker *k = user;
    if (i < k->m->count) return k->m->list[i].name;
    i -= k->m->count;
    return k->world->candidate ? k->world->candidate(k->world->user, i) : NULL;
}

static lmb_status call(void *user, lmb_symbol *out, const char *name, const char *arguments, lmb_where where,
                       lmb_error *err) {
    maker *k = user;
    lmb_measures *m = k->m;
    bool taken = false;
    lmb_call made;
    lmb_status st = lmb_call_read(&made, &taken, m->arena, k->world, k->group, name, arguments, where, err);
    if (st || !taken) return st;
    if (m->call_count == m->call_room) {
        int room = 2 * m->call_room + 8;
        lmb_call *more = lmb_realloc(m->calls, (size_t)room, sizeof *more);
        if (more == NULL) return lmb_call_free(&made), lmb_fail_memory(err);
        m->calls = more, m->call_room = room;
    }
    m->calls[m->call_count] = made;
    *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, LMB_MEASURES_MOST + m->call_count++};
    return LMB_OK;
}

// ---- making --------------------------------------------------------------------------------------

// "modes: frequency(1)": what stands before the colon, if it is a word; its length
static size_t analysis_prefix(const char *text) {
    size_t blank = strspn(text, " \t"), n = blank;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    size_t end = n + strspn(text + n, " \t");
    return n > blank && text[end] == ':' ? end : 0;
}

// the measure is one call and nothing else: its unit is that of the call
static bool is_one_call(const char *text) {
    const char *open = strchr(text, '('), *p = open;
    if (open == NULL) return false;
    for (const char *c = text; c < open; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != ' ') return false;
    int depth = 0;
    for (; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0) break;
    }
    return *p && p[1 + strspn(p + 1, " \t\r\n")] == '\0';
}

static lmb_status find_prefix(maker *k, size_t *skip, const lmb_measure_text *t, lmb_error *err) {
    char name[100] = "";
    size_t length = analysis_prefix(t->source), from = strspn(t->source, " \t"), used = length;
    *skip = length ? length + 1 : 0;
    k->group = -1;
    if (length == 0) return LMB_OK;
    while (used > from && isspace((unsigned char)t->source[used - 1])) used--;
    if (used - from < sizeof name) memcpy(name, t->source + from, used - from);
    return lmb_call_find_group(&k->group, k->world, name, t->where, err);
}

static lmb_status make(maker *k, const lmb_measure_text *t, lmb_error *err) {
    lmb_measures *m = k->m;
    measure *out = &m->list[m->count];
    size_t skip;
    lmb_where where = t->where;
    int calls = m->call_count;
    lmb_status st = find_prefix(k, &skip, t, err);
    if (st != LMB_OK) return st;
    if (where.line > 0) where.col += (int)skip;
    lmb_scope scope = {
        .resolve = resolve, .candidate = candidate, .user = k, .units = LMB_UNITS_SI, .call = call};
    st = lmb_expr_compile(&out->e, t->source + skip, where, &scope, err);
    if (st != LMB_OK) return st;
    out->unit = m->call_count == calls + 1 && is_one_call(t->source + skip) ? m->calls[calls].unit : "";
    out->name = lmb_arena_strdup(m->arena, t->name);
    if (out->name == NULL) return lmb_expr_destroy(out->e), lmb_fail_memory(err);
    m->count++;
    return LMB_OK;
}

lmb_status lmb_measures_create(lmb_measures **out, const lmb_measure_text *list, int count,
                               const lmb_measure_world *world, lmb_error *err) {
    *out = NULL;
    if (count > LMB_MEASURES_MOST)
        return lmb_fail(err, LMB_ERR_INPUT, list[0].where, "%d measures are too many; the maximum is %d",
                        count, LMB_MEASURES_MOST);
    lmb_measures *m = lmb_alloc(1, sizeof *m);
    if (m == NULL) return lmb_fail_memory(err);
    m->arena = lmb_arena_create(4096);
    m->list = lmb_alloc((size_t)count + 1, sizeof *m->list);
    lmb_status st = m->arena && m->list ? LMB_OK : lmb_fail_memory(err);
    maker k = {.m = m, .world = world};
    for (int i = 0; i < count && st == LMB_OK; i++) st = make(&k, &list[i], err);
    if (st == LMB_OK) *out = m;
    else lmb_measures_destroy(m);
    return st;
}

void lmb_measures_destroy(lmb_measures *m) {
    if (m == NULL) return;
    for (int i = 0; i < m->count; i++) lmb_expr_destroy(m->list[i].e);
    for (int i = 0; i < m->call_count; i++) lmb_call_free(&m->calls[i]);
    lmb_free(m->calls);
    lmb_free(m->list);
    lmb_arena_destroy(m->arena);
    lmb_free(m);
}

// ---- formulas ------------------------------------------------------------------------------------

static lmb_status any_name(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    (void)user, (void)name, (void)where, (void)err;
    *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, 0};
    return LMB_OK;
}

static lmb_status any_call(void *user, lmb_symbol *out, const char *name, const char *arguments,
                           lmb_where where, lmb_error *err) {
    (void)where, (void)err;
    if (!lmb_call_is_ours(name, arguments)) return LMB_OK;
    *(bool *)user = true;
    *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, 0};
    return LMB_OK;
}

bool lmb_measures_are_formulas(char *const *sources, int count) {
    bool calls = false;
    for (int i = 0; i < count && !calls; i++) {
        lmb_error quiet = {0};
        lmb_expr *e = NULL;
        lmb_scope scope = {.resolve = any_name, .user = &calls, .units = LMB_UNITS_SI, .call = any_call};
        size_t skip = analysis_prefix(sources[i]);
        lmb_expr_compile(&e, sources[i] + (skip ? skip + 1 : 0), LMB_NOWHERE, &scope, &quiet);
        lmb_expr_destroy(e);
    }
    return count > 0 && !calls;
}

const char *lmb_measures_unit(const lmb_measures *m, int i) { return m->list[i].unit; }

lmb_status lmb_measure_name_check(const char *name, lmb_where where, lmb_error *err) {
    bool ok = *name && strlen(name) < 200;
    for (const char *p = name; *p; p++) ok = ok && (unsigned char)*p >= ' ';
    return ok ? LMB_OK
              : lmb_fail(err, LMB_ERR_INPUT, where,
                         "a measure cannot be named '%.50s'; use up to 200 printable characters", name);
}

// ---- values --------------------------------------------------------------------------------------

lmb_status lmb_measures_value(double *out, const lmb_measures *m, lmb_reader *r, lmb_error *err) {
    double *inputs = lmb_alloc(LMB_MEASURES_MOST + (size_t)m->call_count, sizeof *inputs);
    lmb_status st = inputs ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < m->call_count && st == LMB_OK; i++)
        st = lmb_call_value(&inputs[LMB_MEASURES_MOST + i], &m->calls[i], r, err);
    for (int i = 0; i < m->count && st == LMB_OK; i++) {
        out[i] = lmb_expr_value(m->list[i].e, &(lmb_env){.inputs = inputs});
        if (!isfinite(out[i])) out[i] = NAN;
        inputs[i] = out[i];
    }
    lmb_free(inputs);
    return st;
}
