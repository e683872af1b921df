// system/build_validation.c: what results are compared with.
#include "system/build_state.h"

#include <string.h>

typedef struct validation_read {
    uint64_t given;
    lmb_expectation e;
} validation_read;

#define E(member) offsetof(validation_read, e.member)
enum {
    V_QUANTITY,
    V_SENSOR,
    V_TOLERANCE,
    V_SOURCE,
    V_ANALYSIS,
    V_REFERENCE,
    V_AT,
    V_RELATIVE,
    V_FILE,
    V_FIRST_OF_FILE
};
// clang-format off
const lmb_key lmb_validation_keys[] = {
    {"quantity", LMB_KEY_TEXT, E(quantity), 0, {0}, 0, 0, "What is compared, for people (the sensor)."},
    {"sensor", LMB_KEY_TEXT, E(sensor), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0,
     "Sensor and component, as in tip.x."},
    {"tolerance", LMB_KEY_NUMBER, E(tolerance), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, {0}, 0, 0,
     "Largest difference allowed, SI; with `relative` a fraction of the reference, with `file` one of the range of its values."},
    {"source", LMB_KEY_TEXT, E(source), 0, {0}, 0, 0, "Where the reference comes from."},
    {"analysis", LMB_KEY_INTEGER, E(analysis), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Number of the analysis, from 1 (the last)."},
    {"reference", LMB_KEY_NUMBER, E(reference), 0, {0}, 0, 0, "The right value, SI."},
    {"at", LMB_KEY_NUMBER, E(at), 0, LMB_TIME, 0, 0, "Time, s (the end)."},
    {"relative", LMB_KEY_BOOL, E(relative), 0, {0}, 0, 0,
     "Difference and tolerance are relative to the reference (false)."},
    {"file", LMB_KEY_TEXT, E(file), 0, {0}, 0, 0,
     "A table of numbers over time, below the folder $LIMBER_REFERENCE; skipped if it is not there."},
    {"time_column", LMB_KEY_INTEGER, E(time_column), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Column of the time, from 0 (0)."},
    {"value_column", LMB_KEY_INTEGER, E(value_column), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Column of the values, from 0 (1)."},
    {"skip_lines", LMB_KEY_INTEGER, E(skip_lines), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Lines to leave out at the beginning; comments and headings are left out anyway (0)."},
    {"factor", LMB_KEY_NUMBER, E(factor), 0, {0}, 0, 0, "The right value is factor * value + offset (1)."},
    {"offset", LMB_KEY_NUMBER, E(offset), 0, {0}, 0, 0, "The right value is factor * value + offset (0)."},
    {"from", LMB_KEY_NUMBER, E(from), 0, LMB_TIME, 0, 0, "Rows before this time do not count, s."},
    {"until", LMB_KEY_NUMBER, E(until), 0, LMB_TIME, 0, 0, "Rows after this time do not count, s."},
    {0},
};
// clang-format on

static const char *channel_candidate(void *user, int i) {
    const lmb_build *b = user;
    return i < b->program->channel_count ? b->program->channels[i].name : NULL;
}

static lmb_status find_channel(lmb_expectation *e, lmb_build *b, const lmb_node *n, lmb_error *err) {
    e->channel = lmb_names_index(&b->sensors, e->sensor);
    if (e->channel >= 0 && !b->program->channels[e->channel].hidden) return LMB_OK;
    const char *near = lmb_nearest(e->sensor, channel_candidate, b);
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "sensor"),
                    "validation: there is no sensor '%s'; %s%s%s", e->sensor,
                    near ? "did you mean '" : "name one number of one, as in tip.x", near ? near : "",
                    near ? "'?" : "");
}

static lmb_status find_analysis(lmb_expectation *e, const lmb_build *b, lmb_error *err) {
    int count = b->program->analysis_count;
    if (count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, e->where,
                        "validation needs an analysis; add a section `analyses`");
    if (e->analysis > count)
        return lmb_fail(err, LMB_ERR_INPUT, e->where, "validation: there is no analysis %d; the model has %d",
                        e->analysis, count);
    e->analysis = e->analysis == 0 ? count - 1 : e->analysis - 1;
    return LMB_OK;
}

// either a number or a table
static lmb_status check_form(const validation_read *r, lmb_error *err) {
    bool number = LMB_GIVEN(*r, V_REFERENCE), file = LMB_GIVEN(*r, V_FILE);
    if (number == file)
        return lmb_fail(err, LMB_ERR_INPUT, r->e.where,
                        "validation of '%s' needs either `reference: number` or `file: name`", r->e.sensor);
    if (file && (LMB_GIVEN(*r, V_AT) || LMB_GIVEN(*r, V_RELATIVE)))
        return lmb_fail(
            err, LMB_ERR_INPUT, r->e.where,
            "`at` and `relative` belong to a single reference; with `file` give `from` and `until`");
    if (number && r->given >> V_FIRST_OF_FILE)
        return lmb_fail(err, LMB_ERR_INPUT, r->e.where,
                        "columns, skip_lines, factor, offset, from and until belong to `file`");
    return LMB_OK;
}

lmb_status lmb_build_validation(lmb_build *b, lmb_error *err) {
    const lmb_node *list = lmb_node_find(b->spec->root, "validation");
    for (const lmb_node *n = list ? list->first : NULL; n; n = n->next) {
        validation_read r = {.e = {.where = n->where,
                                   .at = NAN,
                                   .value_column = 1,
                                   .factor = 1,
                                   .from = -INFINITY,
                                   .until = INFINITY}};
        lmb_status st = lmb_spec_read(&r, b->spec, n, lmb_validation_keys, "validation", err);
        if (st == LMB_OK) st = check_form(&r, err);
        if (st == LMB_OK) st = find_channel(&r.e, b, n, err);
        if (st == LMB_OK) st = find_analysis(&r.e, b, err);
        if (st != LMB_OK) return st;
        if (r.e.quantity == NULL) r.e.quantity = r.e.sensor;
        if (r.e.source == NULL) r.e.source = "";
        lmb_expectation *e =
            LMB_PUSH(b, b->program->expectations, b->program->expectation_count, b->expectation_cap);
        if (e == NULL) return lmb_fail_memory(err);
        *e = r.e;
    }
    return LMB_OK;
}
