// The flexible examples by every formalism: the same motion and the same reactions.
//
// The examples are run for a short time with sensors for the reactions of their joints.  With the implicit integrator all
// formalisms take the same steps, so they agree far better than the steps are exact; with the explicit one each controls its
// own, and they agree to the tolerance.
#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 256 };

typedef struct example {
    const char *file;
    const char *joints;    // whose reactions are compared
    const char *before;    // analyses before the motion
    double implicit, step; // time and step
    double explicit_;      // time
} example;

static const example examples[] = {
    {"flexible_pendulum", "pin", "", 0.1, 1e-3, 0.02},
    {"elastic_slider_crank", "main pin slide", "", 0.1, 1e-3, 0.02},
    {"spin_up", "hub", "", 2, 0.02, 0.2},
    {"rotating_beam_spring", "A B beam.joint[8]", "{type: statics}, ", 0.11, 5e-4, 0.002},
    {"slider_crank_substructured", "drive pin eye guide coupler.joint[6]", "{type: statics}, ", 0.1, 2.5e-3,
     0.002},
    {"ancf_double_pendulum", "base elbow", "", 0.1, 1e-3, 0.002},
    {"slider_crank_2d", "main guide pin eye", "", 2e-3, 2e-5, 1e-4},
    {"slider_crank_3d", "main guide pin eye", "", 2e-3, 2e-5, 1e-4},
    {"trolley", "left right wheels rope beam.joint[1]", "", 0.1, 2e-3, 1e-3},
};

typedef struct outcome {
    lmb_status status;
    lmb_error err;
    int count, multipliers, steps;
    double value[CHANNELS];
    bool reaction[CHANNELS];
} outcome;

// Thin stiff parts hold an explicit method to very small steps: fewer of them, without damping, and no fast
// constraint modes.  The new text is never longer.
static void soften(char *text) {
    static const char *const change[][2] = {
        {"damping: {beta: 0.002}", ""},
        {"parts: 16", "parts: 4"},
        {"parts: 12", "parts: 4"},
        {"parts: 6", "parts: 2"},
        {"joint[8]", "joint[2]"},
        {"joint[6]", "joint[2]"},
        {"shapes: {craig_bampton: 4}\njoints", "shapes: [{eigen: 8}]      \njoints"}};
    for (int i = 0; i < LMB_COUNT(change); i++)
        for (char *at = text; (at = strstr(at, change[i][0])) != NULL;) {
            memset(at, ' ', strlen(change[i][0]));
            memcpy(at, change[i][1], strlen(change[i][1]));
        }
}

// only elimination lets bodies follow
static void stand_alone(char *text) {
    static const char *const follow = ", coordinates: relative";
    for (char *at = text; (at = strstr(at, follow)) != NULL;) memset(at, ' ', strlen(follow));
}

// the example up to its analyses, with sensors of reactions
static char *text_of(const example *e, const char *analysis) {
    char path[200], *text = NULL, names[200];
    snprintf(path, sizeof path, "examples/%s.yaml", e->file);
    FILE *f = fopen(check_source(path), "rb");
    if (!CHECK(f != NULL) || (text = calloc(1, 40000)) == NULL) return NULL;
    char file[20000] = "";
    file[fread(file, 1, sizeof file - 1, f)] = 0;
    fclose(f);
    char *end = strstr(file, "\nanalyses:"), *sensors = strstr(file, "\nsensors:\n");
    if (!CHECK(end && sensors)) return text;
    end[1] = 0;
    size_t head = (size_t)(sensors - file) + strlen("\nsensors:\n");
    size_t n = (size_t)snprintf(text, 40000, "%.*s", (int)head, file);
    snprintf(names, sizeof names, "%s", e->joints);
    for (char *name = strtok(names, " "), i = 0; name; name = strtok(NULL, " "), i++)
        n += (size_t)snprintf(text + n, 40000 - n, "  reaction_%d: {type: reaction, of: \"%s\"}\n", i, name);
    snprintf(text + n, 40000 - n, "%sanalyses: [%s{type: dynamics, %s}]\n", file + head, e->before, analysis);
    if (strstr(analysis, "dopri")) soften(text);
    if (!strstr(analysis, "elimination")) stand_alone(text);
    return text;
}

static void read_channels(outcome *o, const lmb_program *p, lmb_data *d) {
    double energies[LMB_ENERGY_COUNT];
    o->count = p->channel_count < CHANNELS ? p->channel_count : CHANNELS;
    lmb_energy_row(energies, p->model, d);
    lmb_channels_get(o->value, p->channels, o->count, p->model, d, energies);
    for (int i = 0; i < o->count; i++) o->reaction[i] = p->channels[i].unit[0] == 'N';
}

static outcome solve(const example *e, const char *analysis) {
    outcome o = {.status = LMB_ERR_INPUT};
    char *text = text_of(e, analysis);
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_status st = text ? lmb_yaml_read_text(&spec, text, strlen(text), e->file, &o.err) : LMB_ERR_INPUT;
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &o.err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &o.err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &o.err);
    for (int i = 0; st == LMB_OK && i < p->analysis_count; i++) {
        lmb_run *r = NULL;
        st = lmb_run_create(&r, p, &p->analyses[i], d, &o.err);
        if (st == LMB_OK) st = lmb_run_all(r, NULL, &o.err);
        if (r) o.steps = (int)lmb_run_stats(r)->steps;
        lmb_run_destroy(r);
    }
    if (st == LMB_OK) o.multipliers = p->model->nc, read_channels(&o, p, d);
    o.status = st;
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    free(text);
    return o;
}

// largest difference of reactions, or of the other sensors, relative to their largest
static double difference(const outcome *a, const outcome *b, bool reactions) {
    double most = 0, size = 1e-9;
    for (int i = 0; i < a->count; i++)
        if (a->reaction[i] == reactions) {
            most = fmax(most, fabs(a->value[i] - b->value[i]));
            size = fmax(size, fabs(b->value[i]));
        }
    return most / size;
}

typedef struct way {
    const char *settings;
    double motion, force; // allowed
} way;

static void compare(const example *e, const char *common, const way *ways, int count) {
    char text[300];
    snprintf(text, sizeof text, "%s, %s", common, ways[0].settings);
    outcome reference = solve(e, text);
    if (!CHECK_OK(reference.status, reference.err)) return;
    check_note("%s %s: %d steps, %d multipliers", e->file, text, reference.steps, reference.multipliers);
    for (int i = 1; i < count; i++) {
        snprintf(text, sizeof text, "%s, %s", common, ways[i].settings);
        outcome o = solve(e, text);
        if (!CHECK_OK(o.status, o.err)) {
            check_note("%s: %s", e->file, text);
            continue;
        }
        double motion = difference(&o, &reference, false), force = difference(&o, &reference, true);
        check_note("%s: %s: %.2g %.2g, %d steps, %d multipliers", e->file, ways[i].settings, motion, force,
                   o.steps, o.multipliers);
        CHECK_NEAR(motion, 0, ways[i].motion);
        CHECK_NEAR(force, 0, ways[i].force);
    }
}

// elimination has other unknowns, hence other errors of its steps
static const way implicit_ways[] = {
    {"formalism: multipliers", 0, 0},
    {"formalism: augmented", 1e-7, 1e-4},
    {"formalism: penalty", 1e-7, 1e-4},
    {"formalism: elimination", 1e-6, 1e-3},
};

static const way explicit_ways[] = {
    {"formalism: multipliers", 0, 0},       {"formalism: augmented", 1e-7, 1e-4},
    {"formalism: penalty", 1e-7, 1e-4},     {"formalism: partitioning", 1e-7, 1e-4},
    {"formalism: elimination", 1e-6, 1e-3},
};

static void implicitly(int i) {
    char common[200];
    snprintf(common, sizeof common, "until: %g, step: %g", examples[i].implicit, examples[i].step);
    compare(&examples[i], common, implicit_ways, LMB_COUNT(implicit_ways));
}
static void explicitly(int i) {
    char common[200];
    snprintf(common, sizeof common, "until: %g, integrator: dopri, tolerance: 1e-10", examples[i].explicit_);
    compare(&examples[i], common, explicit_ways, LMB_COUNT(explicit_ways));
}

TEST(implicit_small_pendulum) { implicitly(0); }
TEST(implicit_slider_crank) { implicitly(1); }
TEST(implicit_spin_up) { implicitly(2); }
TEST(implicit_rotating_beam) { implicitly(3); }
TEST(implicit_parts) { implicitly(4); }
TEST(implicit_ancf) { implicitly(5); }
TEST(implicit_superelements) { implicitly(6), implicitly(7); }
TEST(implicit_sliding) { implicitly(8); }
TEST(explicit_small_pendulum) { explicitly(0); }
TEST(explicit_slider_crank) { explicitly(1); }
TEST(explicit_spin_up) { explicitly(2); }
TEST(explicit_rotating_beam) { explicitly(3); }
TEST(explicit_parts) { explicitly(4); }
TEST(explicit_ancf) { explicitly(5); }
TEST(explicit_superelements) { explicitly(6), explicitly(7); }
TEST(explicit_sliding) { explicitly(8); }
