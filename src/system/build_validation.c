// system/build_validation.c: the reference values of `validation`.
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
    V_FIRST_OF_FILE,
    V_FREQUENCY = V_FIRST_OF_FILE + 7,
    V_BUCKLING,
    V_DEFLECTION,
    V_INERTIA,
    V_HELD,
    V_LOAD,
    V_SPIN,
    V_REDUCED,
    V_END
};
// clang-format off
static const lmb_key held_forms[] = {
    {"one", LMB_KEY_CHOICE, .choices = "all|x|y|z|rx|ry|rz", .flags = LMB_KEY_BY_NAME},
    {"some", LMB_KEY_NODE, .flags = LMB_KEY_BY_NAME}, {0},
};
static const lmb_key load_forms[] = {{"loads", LMB_KEY_NUMBER, .flags = LMB_KEY_BY_NAME}, {0}};
// clang-format on
// clang-format off
const lmb_key lmb_validation_keys[] = {
    {"quantity", LMB_KEY_TEXT, E(quantity), 0, {0}, 0, 0, "Name of the compared quantity (default: the sensor, or the quantity of the part)."},
    {"sensor", LMB_KEY_TEXT, E(sensor), LMB_KEY_IS_REF, {0}, 0, 0,
     "Models: sensor and component, such as tip.x."},
    {"tolerance", LMB_KEY_NUMBER, E(tolerance), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, {0}, 0, 0,
     "Maximum difference, SI; with `relative` a fraction of the reference, with `file` a fraction of the range of its values."},
    {"source", LMB_KEY_TEXT, E(source), 0, {0}, 0, 0, "Source of the reference."},
    {"analysis", LMB_KEY_INTEGER, E(analysis), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Number of the analysis, from 1 (default: the last)."},
    {"reference", LMB_KEY_NUMBER, E(reference), 0, {0}, 0, 0, "Reference value, SI."},
    {"at", LMB_KEY_NUMBER, E(at), 0, LMB_TIME, 0, 0, "Time, s (default: the end)."},
    {"relative", LMB_KEY_BOOL, E(relative), 0, {0}, 0, 0,
     "Difference and tolerance are relative to the reference (default false)."},
    {"file", LMB_KEY_TEXT, E(file), 0, {0}, 0, 0,
     "Reference table over time, a file in the folder $LIMBER_REFERENCE; skipped if missing."},
    {"time_column", LMB_KEY_INTEGER, E(time_column), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Column of the time, from 0 (default 0)."},
    {"value_column", LMB_KEY_INTEGER, E(value_column), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Column of the values, from 0 (default 1)."},
    {"skip_lines", LMB_KEY_INTEGER, E(skip_lines), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Number of lines to skip at the beginning; comments and headings are always skipped (default 0)."},
    {"factor", LMB_KEY_NUMBER, E(factor), 0, {0}, 0, 0, "The reference is factor * value + offset (default 1)."},
    {"offset", LMB_KEY_NUMBER, E(offset), 0, {0}, 0, 0, "The reference is factor * value + offset (default 0)."},
    {"from", LMB_KEY_NUMBER, E(from), 0, LMB_TIME, 0, 0, "Ignore rows before this time, s."},
    {"until", LMB_KEY_NUMBER, E(until), 0, LMB_TIME, 0, 0, "Ignore rows after this time, s."},
    {"frequency", LMB_KEY_INTEGER, E(frequency), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Parts: number of the mode whose frequency, Hz, is compared; rigid-body modes are not counted."},
    {"buckling", LMB_KEY_INTEGER, E(buckling), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Parts: number of the buckling mode whose load factor on `load` is compared (for the reduced part)."},
    {"deflection", LMB_KEY_TEXT, E(deflection), 0, {0}, 0, 0,
     "Parts: marker and direction, such as tip.y or tip.rz, whose displacement or rotation under `load` is compared, m or rad."},
    {"inertia", LMB_KEY_CHOICE, E(inertia), 0, {0}, "mass|x|y|z|Ixx|Iyy|Izz|Ixy|Iyz|Izx", 0,
     "Parts: mass, centre of mass, or an entry of the inertia about the centre of mass (for the reduced part)."},
    {"held", LMB_KEY_NODE, E(held), 0, {0}, "{a: all, b: [x, y, z]}", held_forms,
     "Parts: fixed directions of markers, or of every node of sets (default none)."},
    {"load", LMB_KEY_NODE, E(load), 0, {0}, "{tip.x: 100, tip.rz: 3}", load_forms,
     "Parts: forces, N, and torques, Nm, at markers; frequencies under load are those of the reduced part (default none)."},
    {"spin", LMB_KEY_VEC3, E(spin), 0, LMB_RATE, 0, 0,
     "Reduced parts: constant angular velocity of the frame, rad/s (default [0, 0, 0])."},
    {"reduced", LMB_KEY_BOOL, E(reduced), 0, {0}, 0, 0,
     "Parts: compare the reduced part, supported by its `frame`, instead of the full mesh (default false)."},
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
    return lmb_fail(
        err, LMB_ERR_INPUT, lmb_node_place(n, "sensor"), "validation: unknown sensor '%s'; %s%s%s", e->sensor,
        near ? "did you mean '" : "name a component, such as tip.x", near ? near : "", near ? "'?" : "");
}

static lmb_status find_analysis(lmb_expectation *e, const lmb_build *b, lmb_error *err) {
    int count = b->program->analysis_count;
    if (count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, e->where,
                        "validation requires an analysis; add a section `analyses`");
    if (e->analysis > count)
        return lmb_fail(err, LMB_ERR_INPUT, e->where, "validation: no analysis %d; the model has %d analyses",
                        e->analysis, count);
    e->analysis = e->analysis == 0 ? count - 1 : e->analysis - 1;
    return LMB_OK;
}

// one of the keys from first up to before end
static bool has_any(const validation_read *r, int first, int end) {
    return (r->given >> first) & ((UINT64_C(1) << (end - first)) - 1);
}

// a sensor, and either a number or a table
static lmb_status check_form(const validation_read *r, lmb_error *err) {
    if (has_any(r, V_FREQUENCY, V_END))
        return lmb_fail(err, LMB_ERR_INPUT, r->e.where,
                        "frequency, buckling, deflection, inertia, held, load, spin and reduced apply to "
                        "parts; for a model, compare a `sensor`");
    if (!LMB_GIVEN(*r, V_SENSOR))
        return lmb_fail(err, LMB_ERR_INPUT, r->e.where, "validation: missing key 'sensor'");
    bool number = LMB_GIVEN(*r, V_REFERENCE), file = LMB_GIVEN(*r, V_FILE);
    if (number == file)
        return lmb_fail(err, LMB_ERR_INPUT, r->e.where,
                        "validation of '%s' needs either `reference: number` or `file: name`", r->e.sensor);
    if (file && (LMB_GIVEN(*r, V_AT) || LMB_GIVEN(*r, V_RELATIVE)))
        return lmb_fail(
            err, LMB_ERR_INPUT, r->e.where,
            "`at` and `relative` apply to a single reference value; with `file` use `from` and `until`");
    if (number && has_any(r, V_FIRST_OF_FILE, V_FREQUENCY))
        return lmb_fail(err, LMB_ERR_INPUT, r->e.where,
                        "columns, skip_lines, factor, offset, from and until require `file`");
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

// ---- parts -------------------------------------------------------------------------------------

// one quantity, with the supports and loads that it allows
static lmb_status check_part_form(const validation_read *r, lmb_error *err) {
    int quantities = 0;
    for (int k = V_FREQUENCY; k <= V_INERTIA; k++) quantities += (int)LMB_GIVEN(*r, k);
    bool frequency = LMB_GIVEN(*r, V_FREQUENCY), deflection = LMB_GIVEN(*r, V_DEFLECTION),
         load = LMB_GIVEN(*r, V_LOAD), whole = (frequency || deflection) && !r->e.reduced;
    const char *wrong =
        LMB_GIVEN(*r, V_SENSOR) || LMB_GIVEN(*r, V_ANALYSIS) || LMB_GIVEN(*r, V_AT) ||
                has_any(r, V_FILE, V_FREQUENCY)
            ? "sensor, analysis, at, file and its keys apply to models, not to parts"
        : quantities != 1 ? "the validation of a part needs one of frequency, buckling, deflection, inertia"
        : !LMB_GIVEN(*r, V_REFERENCE) ? "validation: missing key 'reference'"
        : (LMB_GIVEN(*r, V_BUCKLING) || deflection) && !load
            ? "buckling and deflection need a load, such as `load: {tip.x: -1}`"
        : whole && frequency && load
            ? "frequencies under load are available only for the reduced part; add `reduced: on`"
        : whole && LMB_GIVEN(*r, V_SPIN) ? "`spin` applies only to the reduced part; add `reduced: on`"
        : !whole && LMB_GIVEN(*r, V_HELD)
            ? "a reduced part is supported by its frame; set `frame` of the part instead of `held`"
            : NULL;
    return wrong ? lmb_fail(err, LMB_ERR_INPUT, r->e.where, "%s", wrong) : LMB_OK;
}

lmb_status lmb_part_expectation_read(lmb_expectation *out, lmb_spec *spec, const lmb_node *n,
                                     lmb_error *err) {
    validation_read r = {.e = {.where = n->where}};
    lmb_status st = lmb_spec_read(&r, spec, n, lmb_validation_keys, "validation", err);
    if (st == LMB_OK) st = check_part_form(&r, err);
    if (st != LMB_OK) return st;
    *out = r.e;
    out->inertia = LMB_GIVEN(r, V_INERTIA) ? r.e.inertia + 1 : 0;
    if (out->source == NULL) out->source = "";
    if (out->quantity == NULL && out->deflection) out->quantity = out->deflection;
    if (out->quantity == NULL)
        out->quantity = out->inertia    ? lmb_arena_printf(spec->arena, "inertia")
                        : out->buckling ? lmb_arena_printf(spec->arena, "buckling factor %d", out->buckling)
                                        : lmb_arena_printf(spec->arena, "frequency %d", out->frequency);
    return out->quantity ? LMB_OK : lmb_fail_memory(err);
}
