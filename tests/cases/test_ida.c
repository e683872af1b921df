// tests of solve/ida.c: a second opinion on what radau computes; without SUNDIALS, what it says then
#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <string.h>

#define GRAVITY "limber: 1\ngravity: [0, 0, -9.81]\n"
static const char top[] = GRAVITY "bodies:\n"
                                  "  top: {mass: 1.2, inertia: [0.02, 0.03, 0.012], at: [0.1, 0.05, 0.25], "
                                  "rotate: [{x: -0.2}, {y: 0.4}], spin: [0.5, -1, 8]}\n"
                                  "joints:\n"
                                  "  tip: {type: spherical, between: [ground, top], at: [0, 0, 0]}\n"
                                  "analyses:\n"
                                  "  - {type: dynamics, until: 0.4, tolerance: 1e-8}\n";

static const char loop[] =
    GRAVITY "bodies:\n"
            "  crank: {mass: 1, inertia: [0.02, 0.03, 0.012], at: [0, 0, 0.1], spin: [0, 4, 0]}\n"
            "  rod: {mass: 0.7, inertia: [0.03, 0.01, 0.02], at: [0.5, 0.15, 0.25]}\n"
            "  rocker: {mass: 1, inertia: [0.03, 0.02, 0.02], at: [1, 0.3, 0.15]}\n"
            "joints:\n"
            "  r1: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0]}\n"
            "  s1: {type: spherical, between: [crank, rod], at: [0, 0, 0.2]}\n"
            "  s2: {type: spherical, between: [rod, rocker], at: [1, 0.3, 0.3]}\n"
            "  r2: {type: revolute, between: [ground, rocker], at: [1, 0.3, 0], axis: [0.3, 1, 0]}\n"
            "signals: {u: {type: lag, time: 0.05, input: 'sin(9*t)'}}\n"
            "forces:\n"
            "  motor: {type: torque, on: crank, axis: [0, 1, 0], value: '0.2*u'}\n"
            "analyses:\n"
            "  - {type: dynamics, until: 0.4, tolerance: 1e-8}\n";

// three of its constraints are redundant
static const char four_bar[] =
    GRAVITY "planar: off\n"
            "bodies:\n"
            "  crank: {mass: 1, inertia: [0.001, 0.01, 0.01], at: [0, 0.1, 0]}\n"
            "  rod: {mass: 2, inertia: [0.002, 0.2, 0.2], at: [0.5, 0.35, 0]}\n"
            "  rocker: {mass: 1.5, inertia: [0.05, 0.001, 0.05], at: [1, 0.25, 0]}\n"
            "joints:\n"
            "  A: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], motion: '3*t + "
            "0.5*sin(4*t)'}\n"
            "  B: {type: revolute, between: [crank, rod], at: [0, 0.2, 0], axis: [0, 0, 1]}\n"
            "  C: {type: revolute, between: [rod, rocker], at: [1, 0.5, 0], axis: [0, 0, 1]}\n"
            "  D: {type: revolute, between: [ground, rocker], at: [1, 0, 0], axis: [0, 0, 1]}\n"
            "analyses:\n"
            "  - {type: dynamics, until: 0.4, tolerance: 1e-8}\n";

typedef struct rig {
    lmb_spec *spec;
    lmb_program *program;
    lmb_data *d;
    lmb_run *run;
    lmb_error err;
} rig;

static bool rig_load(rig *r, const char *text, const lmb_integrator_ops *integrator) {
    memset(r, 0, sizeof *r);
    lmb_status st = lmb_yaml_read_text(&r->spec, text, strlen(text), "test", &r->err);
    if (st == LMB_OK) st = lmb_spec_expand(r->spec, NULL, 0, &r->err);
    if (st == LMB_OK) st = lmb_compile(&r->program, r->spec, NULL, &r->err);
    if (st == LMB_OK) st = lmb_data_create(&r->d, r->program->model, &r->err);
    if (!CHECK_OK(st, r->err)) return false;
    r->program->analyses->integrator = integrator;
    return true;
}

static lmb_status rig_start(rig *r) {
    return lmb_run_create(&r->run, r->program, r->program->analyses, r->d, &r->err);
}

static void rig_free(rig *r) {
    lmb_run_destroy(r->run);
    lmb_data_destroy(r->d);
    lmb_program_destroy(r->program);
    lmb_spec_destroy(r->spec);
}

#ifndef LMB_HAVE_SUNDIALS

TEST(small_names_the_package) {
    rig r;
    if (rig_load(&r, top, &lmb_integrator_ida)) {
        CHECK(rig_start(&r) == LMB_ERR_INPUT);
        CHECK_CONTAINS(r.err.text, "libsundials-dev");
    }
    rig_free(&r);
    (void)loop, (void)four_bar;
}

#else

// motion, reactions (relative to share) and work of two methods that have nothing in common but the equations
static void check_agreement(const char *model, double share) {
    rig r[2];
    const lmb_integrator_ops *const method[2] = {&lmb_integrator_radau, &lmb_integrator_ida};
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        ok = rig_load(&r[i], model, method[i]) && ok;
        lmb_status st = ok ? rig_start(&r[i]) : LMB_ERR_INPUT;
        if (st == LMB_OK) st = lmb_run_all(r[i].run, NULL, &r[i].err);
        ok = CHECK_OK(st, r[i].err) && ok;
    }
    const lmb_model *m = ok ? r[0].program->model : NULL;
    if (ok) {
        check_note("radau %ld steps, IDA %ld", lmb_run_stats(r[0].run)->steps,
                   lmb_run_stats(r[1].run)->steps);
        for (int i = 0; i < m->block_count; i++) // the positions of states mean nothing
            for (int k = m->blocks[i].iq;
                 m->blocks[i].kind != LMB_BLOCK_STATE && k < m->blocks[i].iq + m->blocks[i].nq; k++)
                CHECK_NEAR(r[0].d->q[k], r[1].d->q[k], 1e-6);
        for (int i = 0; i < m->nv; i++) CHECK_NEAR(r[0].d->v[i], r[1].d->v[i], 1e-5);
        CHECK_NEAR(*r[0].d->work, *r[1].d->work, 1e-5);
    }
    for (int i = 0; ok && i < 2; i++) lmb_reactions_update(r[i].d, r[i].d->model);
    for (int j = 0; ok && j < m->joint_count; j++) {
        const double *a = lmb_reaction(r[0].d, j), *b = lmb_reaction(r[1].d, j);
        for (int k = 0; k < 6; k++) CHECK_NEAR(a[k], b[k], share * (1 + lmb_norm_max(a, 6)));
    }
    rig_free(&r[0]);
    rig_free(&r[1]);
}

TEST(small_agrees_on_a_top) { check_agreement(top, 1e-5); }
TEST(agrees_on_a_loop) { check_agreement(loop, 1e-5); }
// how redundant joints share a load is as sensitive as 1 / LMB_REGULARISATION to the last digits of positions
TEST(agrees_on_redundant_joints) { check_agreement(four_bar, 1e-2); }

TEST(small_resume_bit_for_bit) {
    rig one, two;
    bool done = false, ok = rig_load(&one, top, &lmb_integrator_ida);
    ok = rig_load(&two, top, &lmb_integrator_ida) && ok;
    lmb_status st = ok ? rig_start(&one) : LMB_ERR_INPUT;
    if (st == LMB_OK) st = rig_start(&two);
    if (st == LMB_OK) st = lmb_run_begin(one.run, NULL, &one.err);
    for (int k = 0; st == LMB_OK && k < 30; k++) st = lmb_run_step(&done, one.run, NULL, &one.err);
    char *bytes = st == LMB_OK ? lmb_alloc(lmb_run_size(one.run), 1) : NULL;
    if (bytes) {
        lmb_run_save(bytes, one.run);
        st = lmb_run_load(two.run, bytes, &one.err);
        for (done = false; st == LMB_OK && !done;) st = lmb_run_step(&done, one.run, NULL, &one.err);
        for (done = false; st == LMB_OK && !done;) st = lmb_run_step(&done, two.run, NULL, &two.err);
        CHECK(memcmp(one.d->state, two.d->state, one.d->state_doubles * sizeof(double)) == 0);
    }
    CHECK_OK(st, one.err);
    lmb_free(bytes);
    rig_free(&one);
    rig_free(&two);
}

TEST(small_refuses_what_it_cannot_do) {
    rig r;
    lmb_text many = {0};
    lmb_text_add(&many, "limber: 1\nbodies:\n");
    for (int i = 0; i < 20; i++) lmb_text_add(&many, "  b%d: {mass: 1, inertia: 1, at: [%d, 0, 0]}\n", i, i);
    lmb_text_add(&many, "analyses:\n  - {type: dynamics, until: 1}\n");
    if (rig_load(&r, many.text, &lmb_integrator_ida)) {
        CHECK(rig_start(&r) == LMB_ERR_INPUT);
        CHECK_CONTAINS(r.err.text, "for small models");
    }
    rig_free(&r);
    lmb_text_free(&many);
    if (rig_load(&r, top, &lmb_integrator_ida)) {
        r.program->analyses->step = 0.01;
        CHECK(rig_start(&r) == LMB_ERR_INPUT);
        CHECK_CONTAINS(r.err.text, "remove `step`");
    }
    rig_free(&r);
}

#endif
