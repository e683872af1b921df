// api/study_table.c: the table of a study from the records of its members, and what programs read of it.
#include "api/study.h"

#include "draw/exports.h"
#include "draw/study_describe.h"
#include "spec/names.h"
#include "study/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- records -----------------------------------------------------------------------------------------

typedef struct gatherer {
    lmb_study_file *f;
    const char **text; // of each member, NULL: as in the file
} gatherer;

static lmb_status note_text(gatherer *g, int k, const char *text, lmb_error *err) {
    g->text[k] = lmb_arena_strdup(g->f->arena, text);
    return g->text[k] ? LMB_OK : lmb_fail_memory(err);
}

// every text once, in the order of members, whenever they were collected
static lmb_status number_messages(gatherer *g, lmb_error *err) {
    lmb_study_file *f = g->f;
    lmb_names known = {.arena = f->arena}; // index + 1
    char **old = f->message_text, **list = lmb_arena_get(f->arena, (size_t)f->members + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    list[0] = "", f->messages = 1;
    for (int k = 0; k < f->members; k++) {
        const char *text = g->text[k] ? g->text[k] : old[f->message[k]];
        void **slot = lmb_names_slot(&known, text);
        if (slot == NULL) return lmb_fail_memory(err);
        if (*slot == NULL && *text)
            list[f->messages] = (char *)text, *slot = (void *)(uintptr_t)++f->messages;
        f->message[k] = *text ? (int)(uintptr_t)*slot - 1 : 0;
    }
    f->message_text = list;
    return LMB_OK;
}

static lmb_status take_record(gatherer *g, int k, const lmb_member_record *r, lmb_error *err) {
    lmb_study_file *f = g->f;
    f->status[k] = r->status, f->seconds[k] = r->seconds;
    memcpy(f->measure + (size_t)k * (size_t)f->measures, r->measures, (size_t)f->measures * sizeof(double));
    return note_text(g, k, r->message, err);
}

static lmb_status take_formula(void *user, int k, lmb_status status, const lmb_error *why, lmb_error *err) {
    gatherer *g = user;
    char text[1200] = "";
    if (status != LMB_OK) lmb_study_say(text, sizeof text, why);
    g->f->status[k] = status == LMB_OK ? 0 : status == LMB_ERR_INPUT ? 2 : 3, g->f->seconds[k] = 0;
    return status == LMB_ERR_SYSTEM ? lmb_fail_memory(err) : note_text(g, k, text, err);
}

static lmb_status take_records(gatherer *g, const char *path, lmb_error *err) {
    lmb_study_file *f = g->f;
    lmb_member_record r = {.measures = lmb_alloc((size_t)f->measures + 1, sizeof(double))};
    lmb_status st = r.measures ? LMB_OK : lmb_fail_memory(err);
    for (int k = 0; k < f->members && st == LMB_OK; k++) {
        char *record = lmb_member_path(path, k, "json"), hash[LMB_SHA256_TEXT];
        bool found = false;
        if (record == NULL) st = lmb_fail_memory(err);
        lmb_member_hash(hash, f, k);
        if (record) st = lmb_member_record_read(&found, &r, record, hash, f->measures, err);
        if (found) st = take_record(g, k, &r, err);
        lmb_free(record);
    }
    lmb_free(r.measures);
    return st;
}

static bool is_complete(const lmb_study_file *f) {
    for (int k = 0; k < f->members; k++)
        if (!lmb_member_is_settled(f->status[k])) return false;
    return true;
}

lmb_status lmb_study_gather(lmb_study *s, const char *path, lmb_error *err) {
    s->formula = lmb_measures_are_formulas(s->f.measure_source, s->f.measures);
    if (is_complete(&s->f)) return LMB_OK; // collected before: its model may be gone
    gatherer g = {&s->f, lmb_arena_get(s->f.arena, (size_t)s->f.members + 1, sizeof(char *))};
    if (g.text == NULL) return lmb_fail_memory(err);
    lmb_status st =
        s->formula ? lmb_study_formulas(&s->f, take_formula, &g, err) : take_records(&g, path, err);
    return st ? st : number_messages(&g, err);
}

// ---- sensitivities -------------------------------------------------------------------------------------

static lmb_status fill_sensitivity(lmb_study_file *f, lmb_error *err) {
    const char *const *columns;
    lmb_design d;
    int used, count = 0;
    lmb_status st = lmb_design_read(&d, f->text[LMB_STUDY_SAMPLE], strtol(f->text[LMB_STUDY_SEED], NULL, 10),
                                    LMB_NOWHERE, err);
    if (st != LMB_OK) return st;
    f->method = lmb_sensitivity_method(&columns, &d);
    while (columns[count]) count++;
    int members;
    if (count == 0) return LMB_OK;
    st = lmb_design_size(&members, &d, NULL, f->parameters, LMB_NOWHERE, err);
    if (st != LMB_OK) return st;
    if (f->members != members)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the study has %d members, but its sample %s %d",
                        f->members, f->text[LMB_STUDY_SAMPLE], members);
    size_t size = (size_t)f->measures * (size_t)f->parameters * (size_t)count;
    f->columns = count;
    f->column = lmb_arena_get(f->arena, (size_t)count, sizeof *f->column);
    f->sensitivity = lmb_arena_get(f->arena, size + 1, sizeof(double));
    if (!f->column || !f->sensitivity) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++) f->column[i] = (char *)columns[i];
    for (int j = 0; j < f->measures && st == LMB_OK; j++)
        st = lmb_sensitivity(f->sensitivity + (size_t)j * (size_t)f->parameters * (size_t)count, &used, &d,
                             f->parameters, f->measure + j, f->measures, err);
    return st;
}

// ---- reading -------------------------------------------------------------------------------------------

lmb_status lmb_study_open(lmb_study **out, const char *study, lmb_error *err) {
    lmb_study *s = lmb_alloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_study_file_read(&s->f, NULL, study, -1, err);
    if (st == LMB_OK) st = lmb_study_gather(s, study, err);
    if (st == LMB_OK) st = fill_sensitivity(&s->f, err);
    if (st == LMB_OK) *out = s;
    else lmb_study_close(s);
    return st;
}

void lmb_study_close(lmb_study *s) {
    if (s == NULL) return;
    lmb_study_file_free(&s->f);
    lmb_free(s);
}

static bool is_in(int i, int count) { return i >= 0 && i < count; }

int lmb_study_member_count(const lmb_study *s) { return s->f.members; }
int lmb_study_parameter_count(const lmb_study *s) { return s->f.parameters; }
const char *lmb_study_parameter_name(const lmb_study *s, int j) {
    return is_in(j, s->f.parameters) ? s->f.parameter_name[j] : NULL;
}
const char *lmb_study_parameter_scale(const lmb_study *s, int j) {
    return is_in(j, s->f.parameters) ? s->f.parameter_scale[j] : NULL;
}
const double *lmb_study_parameters(const lmb_study *s) { return s->f.parameter; }
int lmb_study_measure_count(const lmb_study *s) { return s->f.measures; }
const char *lmb_study_measure_name(const lmb_study *s, int j) {
    return is_in(j, s->f.measures) ? s->f.measure_name[j] : NULL;
}
const char *lmb_study_measure_unit(const lmb_study *s, int j) {
    return is_in(j, s->f.measures) ? s->f.measure_unit[j] : NULL;
}
const double *lmb_study_measures(const lmb_study *s) { return s->f.measure; }
int lmb_study_status(const lmb_study *s, int k) {
    return is_in(k, s->f.members) ? s->f.status[k] : LMB_STUDY_MISSING;
}
double lmb_study_seconds(const lmb_study *s, int k) { return is_in(k, s->f.members) ? s->f.seconds[k] : NAN; }
const char *lmb_study_message(const lmb_study *s, int k) {
    return is_in(k, s->f.members) ? s->f.message_text[s->f.message[k]] : "";
}
const char *lmb_study_method(const lmb_study *s) { return s->f.method; }
int lmb_study_index_count(const lmb_study *s) { return s->f.columns; }
const char *lmb_study_index_name(const lmb_study *s, int i) {
    return is_in(i, s->f.columns) ? s->f.column[i] : NULL;
}
const double *lmb_study_indices(const lmb_study *s) { return s->f.sensitivity; }

// ---- collecting ------------------------------------------------------------------------------------------

lmb_status lmb_study_collect(char **summary, const char *study, lmb_error *err) {
    lmb_study *s;
    lmb_text text = {0};
    char *csv = lmb_study_path(study, "csv");
    if (summary) *summary = NULL;
    lmb_status st = csv ? lmb_study_open(&s, study, err) : lmb_fail_memory(err);
    if (st == LMB_OK) {
        st = lmb_study_file_write(study, &s->f, err);
        if (st == LMB_OK) st = lmb_study_csv_write(csv, &s->f, study, err);
        if (st == LMB_OK && summary && !lmb_study_summary(&text, &s->f)) st = lmb_fail_memory(err);
        lmb_study_close(s);
    }
    lmb_free(csv);
    if (st == LMB_OK && summary) *summary = text.text;
    else lmb_text_free(&text);
    return st;
}
