// api/study_plan.c: from a model and options to a study file: names are checked, members drawn.
#include "api/study.h"

#include "api/tables.h"
#include "os/files.h"
#include "os/outfile.h"
#include "study/section.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct entry { // of `vary` or `measures`
    const char *name, *text;
    lmb_where where;
} entry;
typedef struct entries {
    int count;
    entry *v;
} entries;

typedef struct planner {
    const lmb_study_options *o;
    const char *path;
    lmb_study_model model;
    lmb_spec *spec; // of the model
    lmb_study_section section;
    entries vary, measures;
    lmb_design design;
    lmb_variation *variations;
    lmb_study_file f; // its arena owns all of it
    lmb_error *err;
} planner;

// ---- what was asked for ------------------------------------------------------------------------------

static entry *find(const entries *l, const char *name) {
    for (int i = 0; i < l->count; i++)
        if (strcmp(l->v[i].name, name) == 0) return &l->v[i];
    return NULL;
}

// entries of the model, replaced by those of the options, then the further ones of these
static lmb_status collect(entries *out, planner *p, const lmb_node *map, const char *kind,
                          const lmb_setting *more, int count) {
    int room = count + (map ? map->count : 0);
    out->v = lmb_arena_get(p->f.arena, (size_t)room + 1, sizeof *out->v);
    lmb_status st = out->v ? LMB_OK : lmb_fail_memory(p->err);
    for (const lmb_node *n = map ? map->first : NULL; n && st == LMB_OK; n = n->next) {
        entry *e = &out->v[out->count++];
        e->name = n->key, e->where = n->where;
        if (e->where.line > 0 && n->quoted) e->where.col++;
        st = lmb_study_text_of(&e->text, p->spec, n, p->err);
    }
    for (int i = 0; i < count && st == LMB_OK; i++) {
        entry *old = find(out, more[i].name), *e = old ? old : &out->v[out->count++];
        *e = (entry){
            more[i].name, more[i].value, {.file = lmb_arena_printf(p->f.arena, "%s %s", kind, more[i].name)}};
        if (e->where.file == NULL) st = lmb_fail_memory(p->err);
    }
    return st;
}

static const char *next_parameter(void *user, int i) { return lmb_spec_parameter(user, i, NULL); }

static lmb_status check_parameter(planner *p, const entry *e) {
    const char *name;
    for (int i = 0; (name = lmb_spec_parameter(p->spec, i, NULL)); i++)
        if (strcmp(name, e->name) == 0) return LMB_OK;
    const char *near = lmb_nearest(e->name, next_parameter, p->spec);
    return lmb_fail(p->err, LMB_ERR_INPUT, e->where.line > 0 ? e->where : LMB_NOWHERE,
                    "the model has no parameter '%s'%s%s%s", e->name,
                    near ? "; did you mean '" : "; define it under `parameters:` first", near ? near : "",
                    near ? "'?" : "");
}

// an expression of units and of the model's parameters
static lmb_status read_number(void *user, double *out, const char *text, lmb_where where, lmb_error *err) {
    planner *p = user;
    lmb_node *n = lmb_node_create(p->spec, LMB_NODE_SCALAR, where);
    if (n == NULL) return lmb_fail_memory(err);
    n->text = text;
    return lmb_spec_value(out, p->spec, n, err);
}

static lmb_status read_vary(planner *p) {
    const lmb_number_reader numbers = {read_number, p};
    lmb_status st = collect(&p->vary, p, p->section.vary, "parameter", p->o->vary, p->o->vary_count);
    if (st == LMB_OK && p->vary.count == 0)
        return lmb_fail(p->err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "nothing varies; name parameters, as in --vary k=1e3:1e5:20log, or in a section "
                        "`study` of the model");
    p->variations = lmb_arena_get(p->f.arena, (size_t)p->vary.count + 1, sizeof *p->variations);
    if (st == LMB_OK && p->variations == NULL) st = lmb_fail_memory(p->err);
    for (int i = 0; i < p->vary.count && st == LMB_OK; i++) {
        const entry *e = &p->vary.v[i];
        st = check_parameter(p, e);
        if (st == LMB_OK)
            st = lmb_variation_read(&p->variations[i], p->f.arena, e->name, e->text, e->where, &numbers,
                                    p->err);
    }
    return st;
}

static lmb_status read_seed(long *out, const planner *p) {
    char *end;
    *out = p->section.seed;
    if (p->o->seed == NULL) return LMB_OK;
    *out = strtol(p->o->seed, &end, 10);
    if (end != p->o->seed && *end == '\0' && *out >= 0 && *out <= INT_MAX) return LMB_OK;
    return lmb_fail(p->err, LMB_ERR_INPUT, LMB_NOWHERE, "seed '%.50s': expected an integer from 0 to %d",
                    p->o->seed, INT_MAX);
}

static lmb_status read_keep(const char **out, const planner *p) {
    static const char *const names[] = {"none", "failed", "all"};
    *out = names[p->section.keep];
    for (int i = 0; p->o->keep && i < LMB_COUNT(names); i++)
        if (strcmp(p->o->keep, names[i]) == 0) return *out = names[i], LMB_OK;
    return p->o->keep ? lmb_fail(p->err, LMB_ERR_INPUT, LMB_NOWHERE,
                                 "keep '%.50s': expected none, failed or all", p->o->keep)
                      : LMB_OK;
}

// ---- the file ------------------------------------------------------------------------------------------

static char **names_of(planner *p, int count) {
    return lmb_arena_get(p->f.arena, (size_t)count + 1, sizeof(char *));
}

static bool put(planner *p, char **to, const char *text) {
    return (*to = lmb_arena_strdup(p->f.arena, text)) != NULL;
}

static lmb_status fill_parameters(planner *p) {
    lmb_study_file *f = &p->f;
    f->parameters = p->vary.count;
    f->parameter_name = names_of(p, f->parameters), f->parameter_source = names_of(p, f->parameters);
    f->parameter_scale = names_of(p, f->parameters);
    bool ok = f->parameter_name && f->parameter_source && f->parameter_scale;
    for (int i = 0; i < f->parameters && ok; i++) {
        const lmb_variation *v = &p->variations[i];
        ok = put(p, &f->parameter_name[i], v->name) && put(p, &f->parameter_source[i], v->source) &&
             put(p, &f->parameter_scale[i], lmb_variation_scale(v));
    }
    f->parameter =
        ok ? lmb_arena_get(f->arena, (size_t)f->members * (size_t)f->parameters + 1, sizeof(double)) : NULL;
    if (f->parameter == NULL) return lmb_fail_memory(p->err);
    return lmb_design_fill(f->parameter, &p->design, p->variations, f->parameters, f->members, p->err);
}

static lmb_status fill_members(planner *p) {
    lmb_study_file *f = &p->f;
    size_t n = (size_t)f->members + 1;
    f->status = lmb_arena_get(f->arena, n, sizeof *f->status),
    f->message = lmb_arena_get(f->arena, n, sizeof *f->message);
    f->seconds = lmb_arena_get(f->arena, n, sizeof *f->seconds);
    f->measure = lmb_arena_get(f->arena, n * (size_t)f->measures + 1, sizeof *f->measure);
    f->message_text = names_of(p, 1), f->messages = 1;
    f->column = names_of(p, 0), f->sensitivity = lmb_arena_get(f->arena, 1, sizeof(double)), f->method = "";
    if (!f->status || !f->message || !f->seconds || !f->measure || !f->message_text || !f->column ||
        !f->sensitivity)
        return lmb_fail_memory(p->err);
    for (int k = 0; k < f->members; k++) f->status[k] = LMB_STUDY_MISSING, f->seconds[k] = NAN;
    for (size_t i = 0; i < (size_t)f->members * (size_t)f->measures; i++) f->measure[i] = NAN;
    return put(p, &f->message_text[0], "") ? LMB_OK : lmb_fail_memory(p->err);
}

static lmb_status check_values(const planner *p) {
    const lmb_study_file *f = &p->f;
    for (int i = 0; i < f->members * f->parameters; i++)
        if (!isfinite(f->parameter[i]))
            return lmb_fail(p->err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "parameter '%s', %.200s: the value of member %d is too large",
                            f->parameter_name[i % f->parameters], f->parameter_source[i % f->parameters],
                            i / f->parameters + 1);
    return LMB_OK;
}

static lmb_status draw(planner *p) {
    const char *sample = p->o->sample ? p->o->sample : p->section.sample ? p->section.sample : "grid", *keep;
    lmb_where where = p->o->sample || !p->section.sample
                          ? LMB_NOWHERE
                          : lmb_node_place(lmb_node_find(p->spec->root, "study"), "sample");
    long seed;
    lmb_status st = read_seed(&seed, p);
    if (st == LMB_OK) st = read_keep(&keep, p);
    if (st == LMB_OK) st = lmb_design_read(&p->design, sample, seed, where, p->err);
    if (st == LMB_OK)
        st = lmb_design_size(&p->f.members, &p->design, p->variations, p->vary.count, where, p->err);
    if (st == LMB_OK) st = fill_parameters(p);
    if (st == LMB_OK) st = check_values(p);
    if (st != LMB_OK) return st;
    p->f.text[LMB_STUDY_SAMPLE] = sample, p->f.text[LMB_STUDY_KEEP] = keep;
    p->f.text[LMB_STUDY_SEED] = lmb_arena_printf(p->f.arena, "%ld", seed);
    return p->f.text[LMB_STUDY_SEED] ? LMB_OK : lmb_fail_memory(p->err);
}

// ---- measures --------------------------------------------------------------------------------------------

static lmb_status list_measures(planner *p, lmb_measure_text **list) {
    lmb_study_file *f = &p->f;
    lmb_status st =
        collect(&p->measures, p, p->section.measures, "measure", p->o->measures, p->o->measure_count);
    if (st != LMB_OK) return st;
    f->measures = p->measures.count;
    f->measure_name = names_of(p, f->measures), f->measure_source = names_of(p, f->measures),
    f->measure_unit = names_of(p, f->measures);
    *list = lmb_arena_get(f->arena, (size_t)f->measures + 1, sizeof **list);
    if (!f->measure_name || !f->measure_source || !f->measure_unit || !*list) return lmb_fail_memory(p->err);
    for (int i = 0; i < f->measures && st == LMB_OK; i++) {
        const entry *e = &p->measures.v[i];
        st = lmb_measure_name_check(e->name, e->where, p->err);
        if (st == LMB_OK && !(put(p, &f->measure_name[i], e->name) && put(p, &f->measure_source[i], e->text)))
            st = lmb_fail_memory(p->err);
        (*list)[i] = (lmb_measure_text){e->name, e->text, e->where};
    }
    return st;
}

static lmb_status take_units(planner *p, const lmb_measures *m) {
    for (int i = 0; i < p->f.measures; i++)
        if (!put(p, &p->f.measure_unit[i], lmb_measures_unit(m, i))) return lmb_fail_memory(p->err);
    return LMB_OK;
}

static bool is_flexible(const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++)
        if (m->bodies[i].ops->look.flex) return true;
    return false;
}

// with the columns that a run will have
static lmb_status check_columns(planner *p, lmb_system *s, const lmb_measure_text *list) {
    const lmb_program *program = s->program;
    size_t count = (size_t)program->analysis_count;
    lmb_tables *tables = NULL;
    lmb_measures *m = NULL;
    lmb_group *groups = lmb_alloc(count + 1, sizeof *groups);
    lmb_table *own = lmb_alloc(count + 1, sizeof *own);
    char(*names)[32] = lmb_alloc(count + 1, sizeof *names);
    lmb_status st = groups && own && names ? lmb_tables_create(&tables, s, (lmb_table_wishes){0}, p->err)
                                           : lmb_fail_memory(p->err);
    for (int g = 0; g < program->analysis_count && st == LMB_OK; g++)
        st = lmb_tables_group(&groups[g], names[g], &own[g], tables, program, g, p->err);
    lmb_measure_world world = lmb_study_world_of(&s->spec);
    world.group_count = program->analysis_count, world.groups = groups,
    world.no_stress = !is_flexible(program->model);
    if (st == LMB_OK) st = lmb_measures_create(&m, list, p->f.measures, &world, p->err);
    if (st == LMB_OK) st = take_units(p, m);
    lmb_measures_destroy(m);
    lmb_tables_destroy(tables);
    lmb_free(names), lmb_free(own), lmb_free(groups);
    return st;
}

static lmb_status check_system(planner *p, const lmb_measure_text *list) {
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_status st = lmb_document_read_file(&d, p->f.text[LMB_STUDY_MODEL_FILE], p->err);
    if (st == LMB_OK) st = lmb_system_create_with(&s, d, NULL, 0, p->o->parts, p->err);
    if (st == LMB_OK && s->program->analysis_count == 0)
        st = lmb_fail(p->err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "the model has no analyses, so there is nothing to run; add a section `analyses`");
    if (st == LMB_OK) p->f.text[LMB_STUDY_FINGERPRINT] = lmb_arena_strdup(p->f.arena, s->fingerprint);
    if (st == LMB_OK && p->f.text[LMB_STUDY_FINGERPRINT] == NULL) st = lmb_fail_memory(p->err);
    if (st == LMB_OK) st = check_columns(p, s, list);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return st;
}

// formulas need no system
static lmb_status check_measures(planner *p) {
    lmb_measure_text *list;
    lmb_measures *m = NULL;
    lmb_status st = list_measures(p, &list);
    p->f.text[LMB_STUDY_FINGERPRINT] = "";
    if (st != LMB_OK) return st;
    if (!lmb_measures_are_formulas(p->f.measure_source, p->f.measures)) return check_system(p, list);
    lmb_measure_world world = lmb_study_world(&p->model);
    st = lmb_measures_create(&m, list, p->f.measures, &world, p->err);
    if (st == LMB_OK) st = take_units(p, m);
    lmb_measures_destroy(m);
    return st;
}

// ---- the plan --------------------------------------------------------------------------------------------

static lmb_status read_model(planner *p, const char *model) {
    char *whole = lmb_path_complete(model);
    lmb_status st = lmb_study_model_read(&p->model, NULL, model, p->err);
    if (st == LMB_OK) p->spec = p->model.document->spec;
    if (st == LMB_OK) st = lmb_study_section_read(&p->section, p->spec, p->err);
    if (st == LMB_OK) {
        p->f.text[LMB_STUDY_MODEL] = p->spec->text, p->f.text[LMB_STUDY_MODEL_FILE] = model;
        p->f.text[LMB_STUDY_MODEL_PATH] = whole ? lmb_arena_strdup(p->f.arena, whole) : model;
        if (p->f.text[LMB_STUDY_MODEL_PATH] == NULL) st = lmb_fail_memory(p->err);
    }
    lmb_free(whole);
    return st;
}

static lmb_status make_plan(planner *p, const char *model) {
    char created[32];
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL ||
        strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        created[0] = '\0';
    p->f.version = lmb_version(), p->f.command = p->o->command ? p->o->command : "";
    lmb_status st = lmb_study_file_check_output(p->path, p->err);
    if (st == LMB_OK) st = lmb_output_check(p->path, model, p->err);
    if (st == LMB_OK) st = read_model(p, model);
    if (st == LMB_OK) st = read_vary(p);
    if (st == LMB_OK) st = draw(p);
    if (st == LMB_OK) st = check_measures(p);
    if (st == LMB_OK) st = fill_members(p);
    p->f.created = created;
    return st ? st : lmb_study_file_write(p->path, &p->f, p->err);
}

lmb_status lmb_study_plan(const char *study, const char *model, const lmb_study_options *options,
                          lmb_error *err) {
    static const lmb_study_options plain = {0};
    planner p = {.o = options ? options : &plain, .path = study, .err = err};
    p.f.arena = lmb_arena_create(1 << 16);
    if (p.f.arena == NULL) return lmb_fail_memory(err);
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = make_plan(&p, model);
    lmb_locale_end(locale);
    lmb_study_model_free(&p.model);
    lmb_arena_destroy(p.f.arena);
    return st;
}
