// Damping ratios of solids and shells as their joints hold them: of every mode, in every frame and formulation (beams:
// test_modes_small.c).
#include "api/handles.h"
#include "block_file.h"
#include "run_model.h"
#include "solve/run.h"

static const struct {
    const char *name;
    block b;
} kinds[] = {{"solid", {6, 1, 1, 0.3, 0.02, 0.01}}, {"shell", {12, 2, 0, 0.3, 0.02, 0.005}}};
static const char *const frames[] = {"buckens", "{tangent: root}", "{chord: [root, tip]}", "mean", "centre"};
static const char *const formulations[] = {"modal", "superelement"};

// largest relative error of the ratios of all elastic modes
static double worst_ratio(model *m) {
    lmb_error err = {0};
    lmb_data *d = NULL;
    lmb_run *r = NULL;
    lmb_program *p = m->s->program;
    bool ok = CHECK_OK(lmb_data_create(&d, p->model, &err), err) &&
              CHECK_OK(lmb_run_create(&r, p, &p->analyses[0], d, &err), err) &&
              CHECK_OK(lmb_run_all(r, NULL, &err), err);
    const lmb_mode_set *s = ok ? lmb_run_modes(r) : NULL;
    double worst = 0;
    CHECK(s && s->count >= 6);
    for (int k = 0; s && k < s->count; k++)
        worst = fmax(worst, fabs(s->values[k * LMB_MODE_COLUMNS + LMB_MODE_DAMPING] / 0.005 - 1));
    lmb_run_destroy(r), lmb_data_destroy(d);
    return worst;
}

TEST(every_mode_of_solids_and_shells_has_the_ratio_asked_for) {
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        const char *path = check_temp("block.inp");
        block_write(path, &kinds[k].b);
        for (int i = 0; i < LMB_COUNT(formulations); i++)
            for (int j = 0; j < LMB_COUNT(frames); j++) {
                model m;
                bool ok = load(&m,
                               "limber: 1\nbodies: {rod: {type: mesh, file: %s, unit: m, interfaces: {root: "
                               "{set: ROOT}, tip: {set: TIP}}, shapes: {craig_bampton: 4}, damping: 0.005, "
                               "formulation: %s, frame: %s}}\njoints: {root: {type: fixed, between: [ground, "
                               "rod.root]}}\nanalyses: [{type: modes, count: 8}]\n",
                               path, formulations[i], frames[j]);
                double worst = ok ? worst_ratio(&m) : NAN;
                check_note("%s, %s, %s: off by %.1e", kinds[k].name, formulations[i], frames[j], worst);
                CHECK_NEAR(worst, 0, 1e-8);
                unload(&m);
            }
    }
}
