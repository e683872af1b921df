// tests/unit/test_draw_modelica.c: bodies as models in Modelica: what is written is read again and has limber's accelerations.
#include "body/modal.h"
#include "linalg/linalg.h"
#include "modelica.h"
#include "read/model_file.h"
#include "reduce/flex.h"
#include "solve/solve.h"
#include "store/flex_file.h"
#include "system/compile.h"
#include <limber/limber.h>

#include <unistd.h>

enum { MOST = 40 }; // coordinates of a body

static double random_number(unsigned *seed) {
    *seed = *seed * 1103515245u + 12345u;
    return (double)(*seed >> 16 & 2047) / 1023.5 - 1;
}

// ---- a body in limber --------------------------------------------------------------------------

typedef struct body {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_work *w;
    lmb_error err;
} body;

// a free beam with forces and torques in the axes of its ends
static const double LOADS[2][6] = {{30, -20, 10, 0.5, 0.3, -0.2}, {-15, 40, 25, -0.4, 0.6, 0.1}};
static bool body_load(body *b, const char *beam) {
    char text[3000];
    int n = snprintf(text, sizeof text,
                     "limber: 1\ngravity: [1, -9.81, 2]\nbodies: {b: {type: beam, length: 0.5, elements: 5, "
                     "material: steel, damping: {alpha: 0.1, beta: 1e-4}, %s}}\nforces:\n",
                     beam);
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 2; t++) {
            const double *L = LOADS[k] + 3 * t;
            n += snprintf(text + n, sizeof text - (size_t)n,
                          "  f%d%d: {type: %s, on: b.%s, value: [%g, %g, %g], frame: body}\n", k, t,
                          t ? "torque" : "force", k ? "end" : "start", L[0], L[1], L[2]);
        }
    *b = (body){0};
    lmb_status st = lmb_yaml_read_text(&b->spec, text, (size_t)n, "test", &b->err);
    if (st == LMB_OK) st = lmb_spec_expand(b->spec, NULL, 0, &b->err);
    if (st == LMB_OK) st = lmb_compile(&b->p, b->spec, NULL, &b->err);
    if (st == LMB_OK) st = lmb_data_create(&b->d, b->p->model, &b->err);
    if (st == LMB_OK) st = lmb_work_create(&b->w, b->p->model, &b->err);
    return CHECK_OK(st, b->err);
}
static void body_free(body *b) {
    lmb_work_destroy(b->w), lmb_data_destroy(b->d), lmb_program_destroy(b->p), lmb_spec_destroy(b->spec);
}

// anywhere, turning and deformed: interfaces turn by a tenth or so
static void shake(body *b, const lmb_flex *f, unsigned *seed) {
    double *q = b->d->q, *v = b->d->v;
    quat r = {random_number(seed), random_number(seed), random_number(seed), random_number(seed)};
    for (int i = 0; i < 3; i++) q[i] = random_number(seed), v[i] = 3 * random_number(seed);
    q_store(q + 3, q_unit(r));
    for (int i = 0; i < 3; i++) v[3 + i] = 20 * random_number(seed);
    for (int i = 0; i < f->m; i++) {
        double most = fmax(lmb_norm_max(f->markers[0].P, 3 * f->m), lmb_norm_max(f->markers[1].P, 3 * f->m));
        q[7 + i] = 0.1 * random_number(seed) / most;
        v[6 + i] = random_number(seed) / most;
    }
}

// ---- the same in Modelica ----------------------------------------------------------------------

static char *text_of(const char *path) {
    FILE *f = fopen(path, "r");
    char *text = calloc(1 << 22, 1);
    if (CHECK(f && text)) CHECK(fread(text, 1, (1 << 22) - 1, f) > 0);
    if (f) fclose(f);
    return text;
}

// what the state, the world and other components give
static void declare_given(modelica *m, int n) {
    static const char *const names[] = {"der(reference.r_0)", "der(v_0)", "der(w)", "world.g"};
    for (int i = 0; i < LMB_COUNT(names); i++) mo_declare(m, names[i], mo_vector(m, 3), false);
    mo_declare(m, "der(Q)", mo_vector(m, 4), false);
    mo_declare(m, "der(q)", mo_vector(m, n), false), mo_declare(m, "der(dq)", mo_vector(m, n), false);
}
static void forget(modelica *m) {
    for (int i = 0; i < m->variables; i++) {
        mo_variable *x = &m->list[i];
        bool parameter = strncmp(x->name, "data.", 5) == 0 || strcmp(x->name, "geometricStiffening") == 0;
        memset(x->set, parameter, (size_t)mo_size(x->is) * sizeof *x->set);
    }
    for (int i = 0; i < m->places; i++) m->place[i].done = false;
    m->residuals = m->assigned = 0;
}
static const char *const frames[] = {"frame_start", "frame_end"};
static mat3 axes[2]; // of the frames in the body that is not deformed
static void set_axes(modelica *m) {
    double A[18];
    axes[0] = so3_exp(v3(0.5, -1, 0.3)), axes[1] = so3_exp(v3(-0.2, 0.4, 2));
    memcpy(A, axes, sizeof A);
    mo_set(m, "data.A", A);
}
static void set_state(modelica *m, const body *b, const double *a) {
    const double *q = b->d->q, *v = b->d->v;
    quat r = q_load(q + 3), w = {0, v[3], v[4], v[5]}, dr = q_mul(r, w);
    char name[MO_TEXT];
    mo_set(m, "Q", (double[]){r.x, r.y, r.z, r.w});
    mo_set(m, "der(Q)", (double[]){dr.x / 2, dr.y / 2, dr.z / 2, dr.w / 2});
    mo_set(m, "reference.r_0", q), mo_set(m, "der(reference.r_0)", v);
    mo_set(m, "q", q + 7), mo_set(m, "der(q)", v + 6);
    mo_set(m, "der(v_0)", a), mo_set(m, "der(w)", a + 3), mo_set(m, "der(dq)", a + 6);
    mo_set(m, "world.g", (double[]){1, -9.81, 2});
    mo_set(m, "reference.f", (double[]){0, 0, 0}), mo_set(m, "reference.t", (double[]){0, 0, 0});
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < 2; t++) { // in the axes of the frame
            double x[3];
            v3_store(x, m3_tmul_v3(&axes[k], v3_load(LOADS[k] + 3 * t)));
            snprintf(name, sizeof name, "%s.%s", frames[k], t ? "t" : "f"), mo_set(m, name, x);
        }
}

// Every declared number is given or follows from one equation, and the rest are as many equations as accelerations: the norm of the
// quaternion, then 6 + m.
static void check_balance(const modelica *m, int n) {
    int unknown = 0, given = 4 + 3 + n + 6 + 12; // Q, r_0, q, loads of the reference and the frames
    for (int i = 0; i < m->variables; i++) {
        const mo_variable *x = &m->list[i];
        bool mine = strncmp(x->name, "data.", 5) != 0 && strncmp(x->name, "der(", 4) != 0 &&
                    strcmp(x->name, "world.g") != 0 && strcmp(x->name, "geometricStiffening") != 0;
        for (int k = 0; k < mo_size(x->is) && mine; k++) unknown++, CHECK(x->set[k]);
    }
    CHECK(m->assigned == unknown - given && m->residuals == 1 + 6 + n);
}

static bool evaluate(double *r, modelica *m, const body *b, const double *a, int n) {
    forget(m), set_state(m, b, a);
    if (!mo_solve(m)) {
        check_note("expected %s at '%s'", m->wrong ? m->wrong : "all values", m->unknown);
        return CHECK(!"equations");
    }
    check_balance(m, n);
    CHECK_NEAR(m->residual[0], 0, 1e-14);
    memcpy(r, m->residual + 1, (size_t)(6 + n) * sizeof *r);
    return true;
}

// r(a) = r(0) + A a = 0; the accelerations are large beside the elastic forces of the state, so that their part keeps its digits
static bool accelerations(double *a, modelica *m, const body *b, int n) {
    const double LARGE = 1e7;
    int N = 6 + n, pivot[MOST];
    double A[MOST * MOST], r[MOST], r0[MOST], unit[MOST];
    memset(a, 0, (size_t)N * sizeof *a);
    if (!evaluate(r0, m, b, a, n)) return false;
    for (int j = 0; j < N; j++) {
        memset(unit, 0, sizeof unit), unit[j] = LARGE;
        if (!evaluate(r, m, b, unit, n)) return false;
        for (int i = 0; i < N; i++) A[i * N + j] = (r[i] - r0[i]) / LARGE;
    }
    for (int i = 0; i < N; i++) a[i] = -r0[i];
    if (!CHECK(lmb_dense_lu(A, pivot, N))) return false;
    return lmb_dense_lu_solve(a, A, pivot, N), true;
}

// position, axes and angular velocity of the frames are those of limber's markers, turned by their axes.  With `papers` limber's
// velocities contain the second order, which its positions lack; those of the text belong to its positions.
static void check_frames(modelica *m, const body *b, bool papers) {
    char name[MO_TEXT];
    for (int k = 0; k < 2; k++) {
        const lmb_frame_state *x = &b->d->frames[b->p->model->forces[2 * k].marker[0]];
        const mat3 R = m3_mul(x->p.R, axes[k]);
        double r[3], w[3];
        v3_store(r, x->p.r), v3_store(w, m3_tmul_v3(&axes[k], v3_load(x->twist + 3)));
        snprintf(name, sizeof name, "%s.r_0", frames[k]);
        const double *at = mo_find(m, name)->is.v;
        snprintf(name, sizeof name, "%s.R.T", frames[k]);
        const double *T = mo_find(m, name)->is.v;
        snprintf(name, sizeof name, "%s.R.w", frames[k]);
        const double *turn = mo_find(m, name)->is.v;
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(at[i], r[i], 1e-13);
            if (!papers) CHECK_NEAR(turn[i], w[i], 1e-12);
            for (int j = 0; j < 3; j++) CHECK_NEAR(T[i * 3 + j], R.m[j][i], 1e-13);
        }
    }
}

// the largest difference of n numbers by their largest
static double difference(const double *a, const double *b, int n) {
    double off = 0;
    for (int i = 0; i < n; i++) off = fmax(off, fabs(a[i] - b[i]));
    return off / lmb_norm_max(b, n);
}

static bool write_model(char *path, size_t size, const lmb_flex *f, const char *name) {
    char file[500];
    lmb_error err = {0};
    snprintf(file, sizeof file, "%s", check_temp("modelica.h5"));
    snprintf(path, size, "%s", check_temp(name));
    return CHECK_OK(lmb_flex_write_file(file, f, &err), err) &&
           CHECK_OK(lmb_export_file(path, file, NULL, &err), err);
}

// Beams in three frames, with geometric stiffening as in the papers and without: at random states the accelerations that the equations
// of the text have are limber's.
TEST(models_in_modelica_move_as_bodies_do) {
    static const char *const beams[] = {
        "section: {rectangle: [10 mm, 20 mm]}, shapes: {craig_bampton: 2}, geometric_stiffening: papers",
        "section: {l: [30 mm, 20 mm, 3 mm]}, shapes: {craig_bampton: 1}, frame: buckens, "
        "geometric_stiffening: papers",
        "section: {circle: 10 mm}, shapes: [{eigen: 3}, {force: end.x}], frame: {tangent: start}, "
        "geometric_stiffening: off"};
    unsigned seed = 5;
    for (int k = 0; k < LMB_COUNT(beams); k++) {
        body b;
        char path[500];
        if (!body_load(&b, beams[k])) {
            body_free(&b);
            continue;
        }
        lmb_flex *f = lmb_modal_of(&b.p->model->bodies[0])->flex;
        if (!write_model(path, sizeof path, f, "Arm.mo")) {
            body_free(&b);
            continue;
        }
        char *text = text_of(path);
        modelica *m = mo_load(text, "Arm");
        declare_given(m, f->m), set_axes(m);
        if (strstr(beams[k], "off") && mo_find(m, "geometricStiffening"))
            mo_find(m, "geometricStiffening")->is.v[0] = 0;
        for (int state = 0; state < 3; state++) {
            double a[MOST];
            shake(&b, f, &seed);
            CHECK(lmb_update(b.d, b.p->model) == LMB_OK && lmb_accelerations(b.w, b.d) == LMB_OK);
            if (!accelerations(a, m, &b, f->m)) break;
            double off[3] = {difference(a, b.d->a, 3), difference(a + 3, b.d->a + 3, 3),
                             difference(a + 6, b.d->a + 6, f->m)};
            check_note("%d shape functions: r'' differs by %.1e, w' by %.1e, q'' by %.1e of the largest",
                       f->m, off[0], off[1], off[2]);
            for (int i = 0; i < 3; i++) CHECK_NEAR(off[i], 0, 1e-10);
            check_frames(m, &b, strstr(beams[k], "papers") != NULL);
        }
        mo_free(m), free(text), body_free(&b);
    }
}

// ---- what is refused ---------------------------------------------------------------------------

static void check_refused(const char *path, const char *file, const char *why) {
    lmb_error err = {0};
    CHECK(lmb_export_file(path, file, NULL, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, why);
    CHECK(access(path, F_OK) != 0);
}

// names that no model can have, bodies that nothing can be connected to; interfaces whose names become equal
TEST(models_in_modelica_have_good_names) {
    body b;
    char path[500], file[500];
    lmb_error err = {0};
    if (!body_load(&b, "section: {circle: 10 mm}, shapes: {craig_bampton: 1}")) {
        body_free(&b);
        return;
    }
    lmb_flex *f = lmb_modal_of(&b.p->model->bodies[0])->flex;
    snprintf(file, sizeof file, "%s", check_temp("modelica.h5"));
    f->markers[0].name = "a b", f->markers[1].name = "a-b";
    if (write_model(path, sizeof path, f, "Pair.mo")) {
        char *text = text_of(path);
        CHECK_CONTAINS(text, "MB.Interfaces.Frame_a frame_a_b \"");
        CHECK_CONTAINS(text, "MB.Interfaces.Frame_b frame_a_b_2 \"");
        modelica *m = mo_load(text, "Pair");
        mo_free(m), free(text);
    }
    check_refused(check_temp("my-arm.mo"), file, "must be an identifier of Modelica");
    check_refused(check_temp("end.mo"), file, "must be an identifier of Modelica");
    check_refused(check_temp("2.mo"), file, "must be an identifier of Modelica");
    f->markers[0].interface = f->markers[1].interface = false, f->stiffening_count = LMB_INERTIA_LOADS;
    CHECK_OK(lmb_flex_write_file(file, f, &err), err);
    check_refused(check_temp("Free.mo"), file, "has no interfaces");
    FILE *text = fopen(check_temp("results.h5"), "w");
    if (text) fputs("no body", text), fclose(text);
    snprintf(path, sizeof path, "%s", check_temp("Results.mo"));
    check_refused(path, check_temp("results.h5"), "is not a body file");
    body_free(&b);
}
