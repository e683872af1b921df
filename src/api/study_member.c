// api/study_member.c: one member of a study: run, measured, recorded.  It depends on its row of the plan alone.
#include "api/study.h"

#include "os/files.h"
#include "study/section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct member {
    const lmb_study_file *f; // with its row alone
    const char *results;     // its results file
    const lmb_study_how *how;
    bool stopped;
    lmb_spec *spec; // of its system
    double *values; // of measures
    lmb_error *err;
} member;

// ---- the run -----------------------------------------------------------------------------------------

static bool go_on(void *user, const char *analysis, double time, double until, double seconds,
                  const char *text) {
    member *m = user;
    (void)analysis, (void)time, (void)until, (void)seconds, (void)text;
    if (m->how->progress && !m->how->progress(m->how->user, 0, 1, -1)) m->stopped = true;
    return !m->stopped;
}

static bool go_on_part(void *user, const char *text, double done) {
    return go_on(user, text, done, 1, 0, NULL);
}

static lmb_status compile(lmb_system **out, member *m, const lmb_setting *set, int count) {
    lmb_document *d = NULL;
    lmb_part_settings parts = {0};
    if (m->how->parts) parts = *m->how->parts;
    parts.threads = 1; // other members have the other processors
    parts.progress = go_on_part, parts.user = m;
    lmb_status st = lmb_document_read_file(&d, m->f->text[LMB_STUDY_MODEL_PATH], m->err);
    if (st == LMB_OK) st = lmb_system_create_with(out, d, set, count, &parts, m->err);
    lmb_document_destroy(d);
    return st;
}

// A member with other files (a mesh that a parameter names) differs from the plan; so does every one after a change of a file.
static lmb_status check_files(member *m, const lmb_system *s) {
    lmb_system *plain = NULL;
    const char *then = m->f->text[LMB_STUDY_FINGERPRINT];
    if (strcmp(s->fingerprint, then) == 0) return LMB_OK;
    lmb_status st = compile(&plain, m, NULL, 0);
    if (st == LMB_OK && strcmp(plain->fingerprint, then) != 0)
        st = lmb_fail(
            m->err, LMB_ERR_INPUT, LMB_NOWHERE,
            "the model, or a file that it uses, has changed since the study was planned; plan it again");
    lmb_system_destroy(plain);
    return st;
}

// what a killed run has left is continued, unless it is another's
static lmb_status run(member *m, lmb_system *s) {
    lmb_run_options o = {
        .output = m->results, .command = m->f->command, .threads = 1, .progress = go_on, .user = m};
    lmb_error quiet = {0};
    o.resume = lmb_file_is_there(m->results);
    if (o.resume && lmb_run_file(NULL, s, &o, &quiet) == LMB_OK) return LMB_OK;
    if (m->stopped) return lmb_fail(m->err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    if (o.resume) lmb_file_remove(m->results);
    o.resume = false;
    return lmb_run_file(NULL, s, &o, m->err);
}

// ---- its measures --------------------------------------------------------------------------------------

typedef struct contents { // analyses of a results file
    lmb_arena *arena;
    lmb_group *groups;
    int count;
} contents;

static lmb_status list_table(lmb_table *out, contents *c, lmb_reader *r, int g, int k, lmb_error *err) {
    lmb_series s = {0};
    const char *name = lmb_reader_table_name(r, g, k);
    lmb_status st = lmb_reader_columns(&s, r, g, name, err);
    lmb_column *columns = lmb_arena_get(c->arena, (size_t)s.columns + 1, sizeof *columns);
    if (st == LMB_OK && columns == NULL) st = lmb_fail_memory(err);
    for (int i = 0; i < s.columns && st == LMB_OK; i++) {
        columns[i] =
            (lmb_column){lmb_arena_strdup(c->arena, s.names[i]), lmb_arena_strdup(c->arena, s.units[i])};
        if (!columns[i].name || !columns[i].unit) st = lmb_fail_memory(err);
    }
    *out = (lmb_table){.name = name, .count = s.columns, .columns = columns};
    lmb_series_free(&s);
    return st;
}

static lmb_status list_groups(contents *c, lmb_reader *r, lmb_error *err) {
    c->count = lmb_reader_group_count(r);
    c->groups = lmb_arena_get(c->arena, (size_t)c->count + 1, sizeof *c->groups);
    lmb_status st = c->groups ? LMB_OK : lmb_fail_memory(err);
    for (int g = 0; g < c->count && st == LMB_OK; g++) {
        int tables = lmb_reader_table_count(r, g);
        lmb_table *list = lmb_arena_get(c->arena, (size_t)tables + 1, sizeof *list);
        if (list == NULL) return lmb_fail_memory(err);
        for (int k = 0; k < tables && st == LMB_OK; k++) st = list_table(&list[k], c, r, g, k, err);
        c->groups[g] = (lmb_group){.name = lmb_reader_group_name(r, g),
                                   .type = lmb_reader_group_attribute(r, g, "type"),
                                   .table_count = tables,
                                   .tables = list};
    }
    return st;
}

static lmb_status measure(member *m) {
    contents c = {.arena = lmb_arena_create(1 << 13)};
    lmb_reader *r = NULL;
    lmb_measures *made = NULL;
    lmb_measure_text *list = NULL;
    lmb_status st = c.arena ? lmb_reader_open(&r, m->results, m->err) : lmb_fail_memory(m->err);
    if (st == LMB_OK) st = list_groups(&c, r, m->err);
    if (st == LMB_OK) st = lmb_study_measure_list(&list, m->f, m->err);
    lmb_measure_world world = lmb_study_world_of(&m->spec);
    world.groups = c.groups, world.group_count = c.count;
    if (st == LMB_OK) st = lmb_measures_create(&made, list, m->f->measures, &world, m->err);
    if (st == LMB_OK) st = lmb_measures_value(m->values, made, r, m->err);
    lmb_measures_destroy(made);
    lmb_free(list);
    lmb_reader_close(r);
    lmb_arena_destroy(c.arena);
    return st;
}

// ---- one member ------------------------------------------------------------------------------------------

static lmb_status compute(member *m) {
    const lmb_study_file *f = m->f;
    lmb_system *s = NULL;
    lmb_setting *set = lmb_alloc((size_t)f->parameters + 1, sizeof *set);
    char(*text)[32] = lmb_alloc((size_t)f->parameters + 1, sizeof *text);
    lmb_status st = set && text ? LMB_OK : lmb_fail_memory(m->err);
    for (int i = 0; i < f->parameters && st == LMB_OK; i++) {
        snprintf(text[i], sizeof *text, "%.17g", f->parameter[i]);
        set[i] = (lmb_setting){f->parameter_name[i], text[i]};
    }
    if (st == LMB_OK) st = compile(&s, m, set, f->parameters);
    if (st == LMB_OK) st = check_files(m, s);
    if (st == LMB_OK) st = run(m, s);
    if (st == LMB_OK) m->spec = s->spec, st = measure(m);
    lmb_system_destroy(s);
    lmb_free(text), lmb_free(set);
    return st;
}

static bool make_folder(const char *path) {
    char *folder = lmb_strdup(path);
    if (folder == NULL) return false;
    *strrchr(folder, '/') = '\0';
    if (!lmb_file_is_there(folder)) lmb_folder_make(folder);
    lmb_free(folder);
    return true;
}

static int status_of(lmb_status st) {
    return st == LMB_OK ? 0 : st == LMB_ERR_INPUT ? 2 : st == LMB_ERR_SYSTEM ? 3 : 1;
}

void lmb_study_say(char *out, size_t size, const lmb_error *err) {
    if (err->line > 0) lmb_error_format(out, size, err);
    else snprintf(out, size, "%s", err->text);
}

static bool is_kept(const lmb_study_file *f, int status) {
    const char *keep = f->text[LMB_STUDY_KEEP];
    return strcmp(keep, "all") == 0 || (strcmp(keep, "failed") == 0 && status != 0);
}

lmb_status lmb_study_member_run(lmb_member_record *out, const char *study, const lmb_study_file *f, int k,
                                const lmb_study_how *how, lmb_error *err) {
    char *record = lmb_member_path(study, k, "json"), *results = lmb_member_path(study, k, "h5"),
         hash[LMB_SHA256_TEXT];
    lmb_error why = {0};
    double begin = lmb_clock();
    member m = {.f = f, .results = results, .how = how, .values = out->measures, .err = &why};
    lmb_status st = record && results && make_folder(record) ? LMB_OK : lmb_fail_memory(err), ran = LMB_OK;
    for (int i = 0; i < f->measures; i++) out->measures[i] = NAN;
    if (st == LMB_OK) ran = compute(&m);
    if (st == LMB_OK && m.stopped)
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "member %d was interrupted", k + 1);
    if (st == LMB_OK) {
        out->status = status_of(ran), out->seconds = lmb_clock() - begin;
        out->message[0] = '\0';
        if (ran != LMB_OK) lmb_study_say(out->message, sizeof out->message, &why);
        for (int i = 0; ran != LMB_OK && i < f->measures; i++) out->measures[i] = NAN;
        lmb_member_hash(hash, f, 0);
        st = lmb_member_record_write(record, hash, out, f->measures, err);
        if (st == LMB_OK && !is_kept(f, out->status)) lmb_file_remove(results);
    }
    lmb_free(results), lmb_free(record);
    return st;
}

lmb_status lmb_study_no_members(const char *study, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "the measures of '%.300s' are formulas of parameters: no member has to run; collect it",
                    study);
}

// ---- from a study file -------------------------------------------------------------------------------------

static lmb_status run_one(int *status, const char *study, lmb_study_file *f, int k, const lmb_study_how *how,
                          lmb_error *err) {
    lmb_member_record r = {.measures = lmb_alloc((size_t)f->measures + 1, sizeof(double))};
    char *path = lmb_member_path(study, k, "json"), hash[LMB_SHA256_TEXT];
    lmb_status st = path && r.measures ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && lmb_measures_are_formulas(f->measure_source, f->measures))
        st = lmb_study_no_members(study, err);
    lmb_member_hash(hash, f, 0);
    bool found = false;
    if (st == LMB_OK) st = lmb_member_record_read(&found, &r, path, hash, f->measures, err);
    if (st == LMB_OK && !(found && lmb_member_is_settled(r.status)))
        st = lmb_study_member_run(&r, study, f, k, how, err);
    if (st == LMB_OK && status) *status = r.status;
    lmb_free(path), lmb_free(r.measures);
    return st;
}

lmb_status lmb_study_member(int *status, const char *study, int number, const lmb_study_how *how,
                            lmb_error *err) {
    static const lmb_study_how plain = {0};
    lmb_study_file f;
    int count;
    if (number < 1) return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "members are numbered from 1");
    lmb_status st = lmb_study_file_read(&f, &count, study, number - 1, err);
    if (st == LMB_OK && strcmp(f.version, lmb_version()) != 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "'%.300s' was planned by limber %s, this is %s; plan it again", study, f.version,
                      lmb_version());
    if (st == LMB_OK) st = run_one(status, study, &f, number - 1, how ? how : &plain, err);
    lmb_study_file_free(&f);
    return st;
}

lmb_status lmb_study_size(int *members, const char *study, lmb_error *err) {
    lmb_study_file f;
    lmb_status st = lmb_study_file_read(&f, members, study, 0, err);
    lmb_study_file_free(&f);
    return st;
}
