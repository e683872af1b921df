// api/study_model.c: parameters of a study's model; measures that follow from them alone.
#include "api/study.h"

#include "system/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_status read_same(lmb_document **out, const lmb_study_file *f, lmb_error *err) {
    const char *path = f->text[LMB_STUDY_MODEL_PATH];
    lmb_status st = lmb_document_read_file(out, path, err);
    if (st == LMB_OK && strcmp((*out)->spec->text, f->text[LMB_STUDY_MODEL]) != 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "'%.300s' has changed since the study was planned; plan it again", path);
    return st;
}

lmb_status lmb_study_model_read(lmb_study_model *out, const lmb_study_file *f, const char *path,
                                lmb_error *err) {
    *out = (lmb_study_model){0};
    lmb_status st = f ? read_same(&out->document, f, err) : lmb_document_read_file(&out->document, path, err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    st = lmb_spec_expand(out->document->spec, NULL, 0, err);
    if (st == LMB_OK) st = lmb_spec_check_sections(out->document->spec, lmb_sections, err);
    lmb_locale_end(locale);
    return st;
}

void lmb_study_model_free(lmb_study_model *m) {
    lmb_document_destroy(m->document);
    m->document = NULL;
}

// ---- names -----------------------------------------------------------------------------------------

static void find(lmb_symbol *out, const lmb_spec *s, const char *name) {
    double value;
    const char *parameter;
    for (int i = 0; (parameter = lmb_spec_parameter(s, i, &value)); i++)
        if (strcmp(parameter, name) == 0) *out = (lmb_symbol){.kind = LMB_SYMBOL_CONSTANT, .value = value};
}

static lmb_status resolve_system(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                 lmb_error *err) {
    (void)where, (void)err;
    find(out, *(lmb_spec **)user, name);
    return LMB_OK;
}

static const char *system_parameter(void *user, int i) {
    return lmb_spec_parameter(*(lmb_spec **)user, i, NULL);
}

lmb_measure_world lmb_study_world_of(lmb_spec **s) {
    return (lmb_measure_world){.resolve = resolve_system, .candidate = system_parameter, .user = s};
}

static lmb_status resolve_model(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                lmb_error *err) {
    const lmb_study_model *m = user;
    (void)where, (void)err;
    find(out, m->document->spec, name);
    for (int i = 0; i < m->count; i++)
        if (strcmp(m->names[i], name) == 0) out->kind = LMB_SYMBOL_CONSTANT, out->value = m->values[i];
    return LMB_OK;
}

static const char *model_parameter(void *user, int i) {
    return lmb_spec_parameter(((lmb_study_model *)user)->document->spec, i, NULL);
}

lmb_measure_world lmb_study_world(lmb_study_model *m) {
    return (lmb_measure_world){.resolve = resolve_model, .candidate = model_parameter, .user = m};
}

// ---- measures --------------------------------------------------------------------------------------

lmb_status lmb_study_measure_list(lmb_measure_text **out, const lmb_study_file *f, lmb_error *err) {
    *out = lmb_alloc((size_t)f->measures + 1, sizeof **out);
    if (*out == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < f->measures; i++)
        (*out)[i] =
            (lmb_measure_text){f->measure_name[i], f->measure_source[i], {.file = f->measure_name[i]}};
    return LMB_OK;
}

// ---- formulas --------------------------------------------------------------------------------------

// whether all other parameters are numbers, so that the values of a member can stand in for those of the model
static bool is_plain(const lmb_study_model *m) {
    const lmb_spec *s = m->document->spec;
    const char *name;
    for (int i = 0; (name = lmb_spec_parameter(s, i, NULL)); i++) {
        bool varied = false;
        for (int j = 0; j < m->count; j++) varied = varied || strcmp(m->names[j], name) == 0;
        if (!varied && !lmb_spec_parameter_is_number(s, i)) return false;
    }
    return true;
}

// the model with the values of a member, if others follow from them
static lmb_status read_member(lmb_study_model *out, const lmb_study_file *f, const double *values,
                              lmb_error *err) {
    char(*text)[32] = lmb_alloc((size_t)f->parameters, sizeof *text);
    lmb_override *set = lmb_alloc((size_t)f->parameters, sizeof *set);
    *out = (lmb_study_model){0};
    lmb_status st = text && set ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < f->parameters && st == LMB_OK; i++)
        snprintf(text[i], sizeof *text, "%.17g", values[i]),
            set[i] = (lmb_override){f->parameter_name[i], text[i]};
    if (st == LMB_OK) st = read_same(&out->document, f, err);
    if (st == LMB_OK) st = lmb_spec_expand(out->document->spec, set, f->parameters, err);
    lmb_free(set), lmb_free(text);
    return st;
}

static lmb_status compute(double *out, const lmb_measure_text *list, int count, lmb_study_model *m,
                          lmb_error *err) {
    lmb_measures *made;
    lmb_measure_world world = lmb_study_world(m);
    lmb_status st = lmb_measures_create(&made, list, count, &world, err);
    if (st == LMB_OK) st = lmb_measures_value(out, made, NULL, err);
    lmb_measures_destroy(made);
    return st;
}

// all members: a failure is told by its message
lmb_status lmb_study_formulas(lmb_study_file *f, lmb_study_tell *tell, void *user, lmb_error *err) {
    lmb_study_model base = {0};
    lmb_measure_text *list = NULL;
    lmb_status st = lmb_study_model_read(&base, f, NULL, err);
    if (st == LMB_OK) st = lmb_study_measure_list(&list, f, err);
    base.count = f->parameters, base.names = f->parameter_name;
    bool plain = st == LMB_OK && is_plain(&base);
    lmb_plain_locale locale = lmb_locale_begin();
    for (int k = 0; k < f->members && st == LMB_OK; k++) {
        lmb_study_model own = {0};
        lmb_error why = {0};
        double *out = f->measure + (size_t)k * (size_t)f->measures;
        base.values = f->parameter + (size_t)k * (size_t)f->parameters;
        lmb_status made = plain ? LMB_OK : read_member(&own, f, base.values, &why);
        if (made == LMB_OK) made = compute(out, list, f->measures, plain ? &base : &own, &why);
        lmb_study_model_free(&own);
        st = tell(user, k, made, &why, err);
    }
    lmb_locale_end(locale);
    lmb_free(list);
    lmb_study_model_free(&base);
    return st;
}
