// study/call.c: one call of a function in a measure: max(tip.y), frequency(1), damage(180e6, 1e6, 5).
#include "study/call.h"

#include "draw/envelope.h"
#include "draw/life.h"
#include "draw/scene.h"
#include "study/text.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- analyses and columns --------------------------------------------------------------------------

static int find_table(const lmb_group *g, const char *name) {
    for (int k = 0; k < g->table_count; k++)
        if (strcmp(g->tables[k].name, name) == 0 && g->tables[k].count > 0) return k;
    return -1;
}

static bool has_modes(const lmb_group *g) { return find_table(g, "modes") >= 0; }

// tables that hold columns for people, in the order of search
static const char *const searched[] = {"sensors",  "reactions", "forces",    "energies",
                                       "response", "campbell",  "correction"};

static bool find_column(lmb_call_column *out, const lmb_group *g, const char *name) {
    for (int i = 0; i < LMB_COUNT(searched); i++) {
        int k = find_table(g, searched[i]);
        for (int c = 0; k >= 0 && c < g->tables[k].count; c++)
            if (strcmp(g->tables[k].columns[c].name, name) == 0) {
                *out = (lmb_call_column){k, c};
                return true;
            }
    }
    return false;
}

// the last analysis, with or without modes if there is one like that
static int last_group(const lmb_measure_world *w, bool modes) {
    for (int g = w->group_count - 1; g >= 0; g--)
        if (has_modes(&w->groups[g]) == modes) return g;
    return modes ? -1 : w->group_count - 1;
}

int lmb_call_group(const lmb_measure_world *w, int prefix, const char *column) {
    lmb_call_column found;
    int g = prefix >= 0 ? prefix : last_group(w, false);
    return g >= 0 && find_column(&found, &w->groups[g], column) ? g : -1;
}

static const char *next_group(void *user, int i) {
    const lmb_measure_world *w = user;
    return i < w->group_count       ? w->groups[i].name
           : i < 2 * w->group_count ? w->groups[i - w->group_count].type
                                    : NULL;
}

lmb_status lmb_call_find_group(int *out, const lmb_measure_world *w, const char *name, lmb_where where,
                               lmb_error *err) {
    char *end;
    int of_type = 0;
    long number = strtol(name, &end, 10);
    *out = *name && *end == '\0' && number >= 1 && number <= w->group_count ? (int)number - 1 : -1;
    for (int g = 0; g < w->group_count && *out < 0; g++)
        if (strcmp(w->groups[g].name, name) == 0) *out = g;
    if (*out >= 0) return LMB_OK;
    for (int g = 0; g < w->group_count; g++)
        if (strcmp(w->groups[g].type, name) == 0) *out = g, of_type++;
    if (of_type == 1) return LMB_OK;
    if (of_type > 1)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "%d analyses are of type %s; name one by its number from 1, such as 1", of_type,
                        name);
    const char *near = lmb_nearest(name, next_group, (void *)w);
    return lmb_fail(err, LMB_ERR_INPUT, where, "unknown analysis '%s'%s%s%s", name,
                    near ? "; did you mean '" : "; give its type or its number from 1", near ? near : "",
                    near ? "'?" : "");
}

// ---- arguments -------------------------------------------------------------------------------------

typedef struct reading {
    lmb_call *c;
    lmb_arena *arena;
    const lmb_measure_world *w;
    const char *name;
    lmb_where where;
    lmb_error *err;
} reading;

// names in the expression of a history: columns, then parameters
static lmb_status resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    reading *r = user;
    lmb_call *c = r->c;
    lmb_call_column found;
    if (!find_column(&found, &r->w->groups[c->group], name))
        return r->w->resolve ? r->w->resolve(r->w->user, out, name, where, err) : LMB_OK;
    int i = 0;
    while (i < c->column_count &&
           (c->columns[i].table != found.table || c->columns[i].column != found.column))
        i++;
    if (i == c->column_count) {
        lmb_call_column *more = lmb_arena_get(r->arena, (size_t)i + 1, sizeof *more);
        if (more == NULL) return lmb_fail_memory(err);
        if (i > 0) memcpy(more, c->columns, (size_t)i * sizeof *more);
        more[i] = found;
        c->columns = more, c->column_count = i + 1;
    }
    *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, i};
    return LMB_OK;
}

static const char *candidate(void *user, int i) {
    reading *r = user;
    const lmb_group *g = &r->w->groups[r->c->group];
    for (int s = 0; s < LMB_COUNT(searched); s++) {
        int k = find_table(g, searched[s]);
        if (k < 0) continue;
        if (i < g->tables[k].count) return g->tables[k].columns[i].name;
        i -= g->tables[k].count;
    }
    return r->w->candidate ? r->w->candidate(r->w->user, i) : NULL;
}

static lmb_status wrong(const reading *r, const char *usage) {
    return lmb_fail(r->err, LMB_ERR_INPUT, r->where, "%s: wrong number of arguments; write %s", r->name,
                    usage);
}

// a number from parameters alone
static lmb_status read_number(double *out, const reading *r, const char *text) {
    lmb_expr *e;
    lmb_scope scope = {
        .resolve = r->w->resolve, .candidate = r->w->candidate, .user = r->w->user, .units = LMB_UNITS_SI};
    lmb_status st = lmb_expr_compile(&e, text, r->where, &scope, r->err);
    if (st != LMB_OK) return st;
    *out = lmb_expr_value(e, &(lmb_env){0});
    lmb_expr_destroy(e);
    return LMB_OK;
}

static lmb_status no_analysis(const reading *r, const char *what) {
    return lmb_fail(r->err, LMB_ERR_INPUT, r->where, "%s: the model has no %s", r->name, what);
}

// ---- functions of histories --------------------------------------------------------------------------

static const char *unit_of(const reading *r, const char *text) {
    lmb_call *c = r->c;
    const lmb_group *g = &r->w->groups[c->group];
    const char *unit = "";
    if (c->column_count == 1) {
        const lmb_column *column = &g->tables[c->columns[0].table].columns[c->columns[0].column];
        if (strcmp(column->name, text) == 0 && column->unit) unit = column->unit;
    }
    switch (c->history->unit) {
    case LMB_UNIT_OF_X: return lmb_arena_strdup(r->arena, unit);
    case LMB_UNIT_TIME: return "s";
    case LMB_UNIT_RATE: return "Hz";
    case LMB_UNIT_X_TIME: return *unit ? lmb_arena_printf(r->arena, "%s s", unit) : "";
    }
    return "";
}

// names of the group's tables, for the reader
static bool keep_tables(const reading *r) {
    lmb_call *c = r->c;
    const lmb_group *g = &r->w->groups[c->group];
    c->table_count = g->table_count;
    c->tables = lmb_arena_get(r->arena, (size_t)g->table_count + 1, sizeof *c->tables);
    c->widths = lmb_arena_get(r->arena, (size_t)g->table_count + 1, sizeof *c->widths);
    bool ok = c->tables && c->widths;
    for (int k = 0; ok && k < g->table_count; k++)
        ok = (c->tables[k] = lmb_arena_strdup(r->arena, g->tables[k].name)) != NULL,
        c->widths[k] = g->tables[k].count;
    return ok;
}

// x of all rows
static lmb_status read_rows(double *x, const lmb_call *c, lmb_reader *r, long rows, lmb_error *err) {
    double *inputs = lmb_alloc((size_t)rows * (size_t)c->column_count + 1, sizeof *inputs), *time = NULL;
    lmb_status st = inputs ? LMB_OK : lmb_fail_memory(err);
    for (int k = 0; k < c->table_count && st == LMB_OK; k++) {
        bool used = false;
        for (int i = 0; i < c->column_count; i++) used = used || c->columns[i].table == k;
        if (!used) continue;
        double *block = lmb_alloc((size_t)rows * (size_t)c->widths[k] + 1, sizeof *block);
        st = block ? lmb_reader_block(block, r, c->group, c->tables[k], (lmb_row_range){0, rows}, err)
                   : lmb_fail_memory(err);
        for (int i = 0; i < c->column_count && st == LMB_OK; i++)
            for (long n = 0; c->columns[i].table == k && n < rows; n++)
                inputs[n * c->column_count + i] = block[n * c->widths[k] + c->columns[i].column];
        lmb_free(block);
    }
    time = lmb_alloc((size_t)rows + 1, sizeof *time);
    if (st == LMB_OK)
        st = time ? lmb_reader_block(time, r, c->group, "time", (lmb_row_range){0, rows}, err)
                  : lmb_fail_memory(err);
    for (long n = 0; n < rows && st == LMB_OK; n++)
        x[n] = lmb_expr_value(c->e, &(lmb_env){time[n], time[n], inputs + n * c->column_count});
    lmb_free(time), lmb_free(inputs);
    return st;
}

static lmb_status history_value(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err) {
    long rows = lmb_reader_rows(r, c->group);
    *out = NAN;
    if (rows < 1) return LMB_OK;
    double *both = lmb_alloc(2 * (size_t)rows, sizeof *both);
    if (both == NULL) return lmb_fail_memory(err);
    lmb_status st = read_rows(both + rows, c, r, rows, err);
    if (st == LMB_OK) st = lmb_reader_block(both, r, c->group, "time", (lmb_row_range){0, rows}, err);
    if (st == LMB_OK) *out = c->history->value(&(lmb_history){rows, both, both + rows}, c->arguments);
    lmb_free(both);
    return st;
}

static lmb_status read_history(reading *r, char **parts, int count, int prefix) {
    lmb_call *c = r->c;
    const lmb_history_function *f = c->history;
    if (count < 1 + f->least || count > 1 + f->most || *parts[0] == '\0') return wrong(r, f->usage);
    c->group = prefix >= 0 ? prefix : last_group(r->w, false);
    if (c->group < 0) return no_analysis(r, "analysis; add a section `analyses`");
    lmb_scope scope = {
        .resolve = resolve, .candidate = candidate, .user = r, .units = LMB_UNITS_SI, .allow_time = true};
    lmb_status st = lmb_expr_compile(&c->e, parts[0], r->where, &scope, r->err);
    for (int i = 1; i < count && st == LMB_OK; i++) st = read_number(&c->arguments[i - 1], r, parts[i]);
    if (st != LMB_OK) return st;
    c->value = history_value;
    c->unit = unit_of(r, parts[0]);
    return c->unit && keep_tables(r) ? LMB_OK : lmb_fail_memory(r->err);
}

// ---- modes -------------------------------------------------------------------------------------------

enum { MODE_FREQUENCY, MODE_DAMPING = 2 }; // columns of table "modes"

static lmb_status mode_value(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err) {
    lmb_series s = {0};
    long k = (long)c->arguments[0] - 1;
    *out = NAN;
    if (k >= lmb_reader_rows(r, c->group)) return LMB_OK;
    lmb_status st = lmb_reader_table(&s, r, c->group, "modes", err);
    if (st == LMB_OK && s.columns > MODE_DAMPING && k < s.rows)
        *out = s.v[k * s.columns + (c->arguments[1] == 0 ? MODE_FREQUENCY : MODE_DAMPING)];
    lmb_series_free(&s);
    return st;
}

static lmb_status read_mode(reading *r, char **parts, int count, int prefix) {
    lmb_call *c = r->c;
    bool frequency = strcmp(r->name, "frequency") == 0;
    if (count != 1)
        return wrong(r,
                     frequency ? "frequency(1), the number of a mode" : "damping(1), the number of a mode");
    c->group = prefix >= 0 ? prefix : last_group(r->w, true);
    if (c->group < 0 || !has_modes(&r->w->groups[c->group]))
        return no_analysis(r, "analysis with modes there; add {type: modes} to `analyses`");
    lmb_status st = read_number(&c->arguments[0], r, parts[0]);
    double k = c->arguments[0];
    if (st == LMB_OK && !(k >= 1 && k <= INT_MAX && floor(k) == k))
        return lmb_fail(r->err, LMB_ERR_INPUT, r->where, "%s: the number of a mode is an integer from 1",
                        r->name);
    c->arguments[1] = frequency ? 0 : 1;
    c->unit = frequency ? "Hz" : "";
    c->value = mode_value;
    return st;
}

// ---- stresses ------------------------------------------------------------------------------------------

static lmb_status stress_value(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err) {
    lmb_scene *scene = NULL;
    lmb_envelope *e = NULL;
    const lmb_envelope_options o = {.group = c->group, .spots = 1, .body = c->body};
    lmb_status st = lmb_scene_load(&scene, r, err);
    if (st == LMB_OK) st = lmb_envelope_create(&e, r, scene, &o, err);
    if (st == LMB_OK) *out = e->largest;
    lmb_envelope_destroy(e);
    lmb_scene_destroy(scene);
    return st;
}

static lmb_life_options life_options(const lmb_call *c) {
    const double *a = c->arguments;
    return (lmb_life_options){
        .body = c->body,
        .count = 1,
        .line = {.strength = a[0], .cycles = a[1], .slope = a[2], .slope_below = 2 * a[2] - 1}};
}

static lmb_status damage_value(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err) {
    lmb_scene *scene = NULL;
    lmb_life *e = NULL;
    const lmb_life_options o = life_options(c);
    lmb_status st = lmb_scene_load(&scene, r, err);
    if (st == LMB_OK) st = lmb_life_create(&e, r, scene, c->group, &o, err);
    if (st == LMB_OK) *out = e->spot_count > 0 ? lmb_life_spot_damage(&e->spots[0]) : 0;
    lmb_life_destroy(e);
    lmb_scene_destroy(scene);
    return st;
}

static lmb_status read_stress(reading *r, char **parts, int count, int prefix) {
    lmb_call *c = r->c;
    bool stress = strcmp(r->name, "stress") == 0;
    int numbers = stress ? 0 : 3;
    if (stress && count == 1 && *parts[0] == '\0') count = 0;
    if (count < numbers || count > numbers + 1)
        return wrong(r, stress ? "stress() or stress(BODY)"
                               : "damage(strength, cycles, slope) or damage(strength, cycles, slope, BODY)");
    c->group = prefix >= 0 ? prefix : last_group(r->w, false);
    if (c->group < 0 || has_modes(&r->w->groups[c->group]))
        return no_analysis(r, "analysis with stresses over time");
    if (r->w->no_stress) return no_analysis(r, "flexible bodies, so there are no stresses");
    lmb_status st = LMB_OK;
    for (int i = 0; i < numbers && st == LMB_OK; i++) st = read_number(&c->arguments[i], r, parts[i]);
    if (st == LMB_OK && count > numbers) c->body = parts[numbers];
    const lmb_life_options o = life_options(c);
    if (st == LMB_OK && !stress) st = lmb_sn_check(&o.line, r->err);
    c->unit = stress ? "Pa" : "";
    c->value = stress ? stress_value : damage_value;
    return st;
}

// ---- a call --------------------------------------------------------------------------------------------

typedef lmb_status reader(reading *r, char **parts, int count, int prefix);

static reader *reader_of(const lmb_history_function **f, const char *name) {
    for (*f = lmb_history_functions; (*f)->name; ++*f)
        if (strcmp((*f)->name, name) == 0) return read_history;
    if (strcmp(name, "frequency") == 0 || strcmp(name, "damping") == 0) return read_mode;
    return strcmp(name, "stress") == 0 || strcmp(name, "damage") == 0 ? read_stress : NULL;
}

bool lmb_call_is_ours(const char *name, const char *arguments) {
    const lmb_history_function *f;
    int depth = 0;
    bool both = strcmp(name, "max") == 0 || strcmp(name, "min") == 0; // (a, b): of the language
    for (const char *p = arguments; *p && both; p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (*p == ',' && depth == 0) return false;
    }
    return reader_of(&f, name) != NULL;
}

lmb_status lmb_call_read(lmb_call *out, bool *taken, lmb_arena *arena, const lmb_measure_world *w, int prefix,
                         const char *name, const char *arguments, lmb_where where, lmb_error *err) {
    char **parts;
    reading r = {out, arena, w, name, where, err};
    *out = (lmb_call){.arguments = {NAN, NAN, NAN}};
    *taken = lmb_call_is_ours(name, arguments);
    if (!*taken) return LMB_OK;
    reader *read = reader_of(&out->history, name);
    int count = lmb_text_split(&parts, arena, arguments, ',');
    lmb_status st = count < 0 ? lmb_fail_memory(err) : read(&r, parts, count, prefix);
    if (st != LMB_OK) lmb_call_free(out);
    return st;
}

void lmb_call_free(lmb_call *c) {
    lmb_expr_destroy(c->e);
    c->e = NULL;
}

lmb_status lmb_call_value(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err) {
    return c->value(out, c, r, err);
}
