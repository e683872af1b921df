// Standard Input Data: bodies there and back, identities between arrays, files that contradict themselves.
#include "body/modal.h"
#include "check.h"
#include "linalg/linalg.h"
#include "linalg/symmetric.h"
#include "os/bytes.h"
#include "read/model_file.h"
#include "store/flex_file.h"
#include "store/sid.h"
#include "system/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a body --------------------------------------------------------------------------------------

typedef struct body {
    lmb_spec *spec;
    lmb_program *p;
    lmb_flex *f;
} body;

// a bent, tapered beam: no array is zero by symmetry
static bool body_load(body *b, const char *stiffening) {
    char text[800];
    lmb_error err = {0};
    int n =
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {b: {type: beam, from: [0.1, 0.2, -0.1], to: [0.5, 0.4, 0.3], elements: "
                 "4, section: {rectangle: [20 mm, 12 mm]}, end_section: {rectangle: [10 mm, 8 mm]}, "
                 "material: steel, damping: {alpha: 0.1, beta: 1e-4}, shapes: {craig_bampton: 3}, "
                 "geometric_stiffening: %s}}\n",
                 stiffening);
    *b = (body){0};
    lmb_status st = lmb_yaml_read_text(&b->spec, text, (size_t)n, "test", &err);
    if (st == LMB_OK) st = lmb_spec_expand(b->spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&b->p, b->spec, NULL, &err);
    if (!CHECK_OK(st, err)) return false;
    b->f = lmb_modal_of(&b->p->model->bodies[0])->flex;
    return true;
}

static void body_free(body *b) { lmb_program_destroy(b->p), lmb_spec_destroy(b->spec); }

static char *written(const lmb_flex *f, lmb_sid_layout layout) {
    lmb_text text = {0};
    CHECK(lmb_sid_write(&text, f, layout));
    return text.text;
}

static lmb_sid *parsed(const char *text) {
    lmb_sid *s = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_sid_parse(&s, text, strlen(text), "test.SID_FEM", &err), err);
    return s;
}

static lmb_flex *body_of(const char *text) {
    lmb_flex *f = NULL;
    lmb_error err = {0};
    lmb_sid *s = parsed(text);
    if (s) CHECK_OK(lmb_sid_body(&f, s, &err), err);
    lmb_sid_destroy(s);
    return f;
}

// largest difference of two arrays by the largest number of the first
static double off(const double *a, const double *b, int count) {
    double most = 0, scale = lmb_norm_max(a, count);
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return scale > 0 ? most / scale : most;
}

// numbers have 16 digits; Gram matrices lose some of them
static const double DIGITS = 1e-13;

// ---- there and back --------------------------------------------------------------------------------

static void check_first_order(const lmb_flex *f, const lmb_flex *g) {
    int m = f->m;
    CHECK_NEAR(g->I1, f->I1, DIGITS * f->I1);
    CHECK_NEAR(v3_norm(v3_sub(g->I2, f->I2)), 0, DIGITS * v3_norm(f->I2));
    CHECK_NEAR(off(&f->I7.m[0][0], &g->I7.m[0][0], 9), 0, DIGITS);
    CHECK_NEAR(off(f->I3, g->I3, 3 * m), 0, DIGITS), CHECK_NEAR(off(f->I4, g->I4, 3 * m), 0, DIGITS);
    CHECK_NEAR(off(f->I6, g->I6, m * m), 0, DIGITS), CHECK_NEAR(off(f->K, g->K, m * m), 0, DIGITS);
    CHECK_NEAR(off(f->D, g->D, m * m), 0, DIGITS);
    CHECK_NEAR(off(f->I8, g->I8, 9 * m), 0, DIGITS), CHECK_NEAR(off(f->I10, g->I10, 9 * m), 0, DIGITS);
    CHECK_NEAR(off(f->I5, g->I5, 3 * m * m), 0, 1e-11);
    CHECK_NEAR(off(f->frequency, g->frequency, m), 0, 1e-11);
}

static void check_markers(const lmb_flex *f, const lmb_flex *g) {
    if (!CHECK(g->marker_count == f->marker_count)) return;
    for (int i = 0; i < f->marker_count; i++) {
        CHECK(g->markers[i].interface);
        CHECK_NEAR(v3_norm(v3_sub(g->markers[i].x, f->markers[i].x)), 0, DIGITS);
        CHECK_NEAR(off(f->markers[i].S, g->markers[i].S, 3 * f->m), 0, DIGITS);
        CHECK_NEAR(off(f->markers[i].P, g->markers[i].P, 3 * f->m), 0, DIGITS);
    }
    CHECK_TEXT(g->markers[1].name, "node_2");
}

TEST(without_stiffening_all_invariants_come_back) {
    body b;
    for (int k = 0; k < 2 && body_load(&b, "off"); k++) {
        char *text = written(b.f, k == 0 ? LMB_SID_BY_AXIS : LMB_SID_BY_MODE);
        lmb_flex *g = body_of(text);
        int m = b.f->m;
        if (g) {
            check_first_order(b.f, g), check_markers(b.f, g);
            CHECK_NEAR(off(b.f->I11, g->I11, 9 * m * m), 0, 1e-11);
            CHECK_NEAR(off(b.f->I9, g->I9, 9 * m * m), 0, 1e-11);
            CHECK(g->stiffening_count == 0 && g->doubts == NULL);
        }
        lmb_flex_destroy(g), free(text);
        body_free(&b);
    }
}

static const double *stiffness_of(const lmb_flex *f, int k) { return f->stiffening[k].Kg; }

// inertia and geometric stiffness of centrifugal loads together: column c of Oe1
static double oe1(const lmb_flex *f, int c, int i, int k) {
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    size_t mm = (size_t)f->m * (size_t)f->m, at = (size_t)i * (size_t)f->m + (size_t)k;
    int a = first[c], b = second[c];
    double I = f->I11[(size_t)(3 * a + b) * mm + at];
    return stiffness_of(f, c)[at] + (c < 3 ? I - f->I6[at] : I + f->I11[(size_t)(3 * b + a) * mm + at]);
}

// G_gh = int rho s_a,i s_b,j: the least eigenvalue by the largest
static double least(const lmb_flex *f) {
    int n = 3 * f->m, m = f->m;
    double *A = calloc((size_t)(2 * n * n + n), sizeof *A), *w = A + 2 * n * n;
    lmb_error err = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) A[i * n + j] = f->I11[((3 * (i / m) + j / m) * m + i % m) * m + j % m];
    CHECK_OK(lmb_dense_eigen(w, A + n * n, A, NULL, n, &err), err);
    double out = w[0] / w[n - 1];
    free(A);
    return out;
}

TEST(with_stiffening_elastic_forces_come_back_and_the_mass_is_positive) {
    body b;
    if (!body_load(&b, "on")) return;
    char *text = written(b.f, LMB_SID_BY_AXIS);
    lmb_flex *g = body_of(text);
    int m = b.f->m;
    double scale = lmb_norm_max(stiffness_of(b.f, 0), m * m), trace = 0, swirl = 0;
    if (g && CHECK(g->stiffening_count == b.f->stiffening_count)) {
        check_first_order(b.f, g), check_markers(b.f, g);
        for (int k = 6; k < g->stiffening_count; k++) {
            CHECK(g->stiffening[k].load == b.f->stiffening[k].load);
            CHECK(g->stiffening[k].marker == b.f->stiffening[k].marker);
            CHECK_NEAR(off(stiffness_of(b.f, k), stiffness_of(g, k), m * m), 0, 1e-11);
        }
        for (int c = 0; c < 6; c++)
            for (int i = 0; i < m * m; i++)
                CHECK_NEAR(oe1(g, c, i / m, i % m), oe1(b.f, c, i / m, i % m), 1e-11 * scale);
        for (int i = 0; i < m * m; i++) {
            trace = fmax(trace, fabs(g->I11[i] + g->I11[4 * m * m + i] + g->I11[8 * m * m + i] - g->I6[i]));
            swirl = fmax(swirl, fabs(g->I11[m * m + i] - g->I11[3 * m * m + i] - g->I5[3 * i + 2]));
        }
        CHECK_NEAR(trace, 0, 1e-13 * lmb_norm_max(g->I6, m * m));
        CHECK_NEAR(swirl, 0, 1e-13 * lmb_norm_max(g->I6, m * m));
        CHECK(least(g) > -1e-3); // projections converge slowly; without them -0.4
    }
    lmb_flex_destroy(g), free(text);
    body_free(&b);
}

// ---- identities ------------------------------------------------------------------------------------

TEST(own_files_fulfil_the_identities_and_tell_their_layout) {
    body b;
    if (!body_load(&b, "off")) return;
    for (int k = 0; k < 2; k++) {
        char *text = written(b.f, k == 0 ? LMB_SID_BY_AXIS : LMB_SID_BY_MODE);
        lmb_sid *s = parsed(text);
        if (s) {
            lmb_sid_lint l = lmb_sid_check(s);
            for (int i = 0; i < LMB_SID_IDENTITIES; i++) CHECK_NEAR(l.off[i], 0, 1e-11);
            CHECK(l.gr == (lmb_sid_layout)k && l.ge == (lmb_sid_layout)k && !l.stiffening && l.turned == 0);
            CHECK(l.other_gr > 0.1 && l.other_ge > 0.1);
        }
        lmb_sid_destroy(s), free(text);
    }
    body_free(&b);
}

// each array that follows from others is changed: its identity alone fails
TEST(a_wrong_array_is_named) {
    static const struct {
        int array, first;
        lmb_sid_identity is;
        const char *named;
    } cases[] = {{LMB_SID_MDCM, 1, LMB_SID_IS_MDCM, "mdCM1"},
                 {LMB_SID_GR, 0, LMB_SID_IS_GR, "Gr"},
                 {LMB_SID_GE, 0, LMB_SID_IS_GE, "Ge"},
                 {LMB_SID_OE, 0, LMB_SID_IS_OE0, "Oe0"},
                 {LMB_SID_OE, 1, LMB_SID_IS_OE1, "Oe1"}};
    body b;
    if (!body_load(&b, "off")) return;
    char *text = written(b.f, LMB_SID_BY_AXIS);
    for (int k = 0; k < LMB_COUNT(cases); k++) {
        lmb_sid *s = parsed(text);
        lmb_flex *f = NULL;
        lmb_error err = {0};
        if (s == NULL) continue;
        lmb_sid_taylor *t = &s->array[cases[k].array];
        double *v = cases[k].first ? t->m1 : t->m0;
        int n = t->rows * t->columns * (cases[k].first ? t->modes : 1);
        for (int i = 0; i < n; i++) v[i] *= 1.05;
        lmb_sid_lint l = lmb_sid_check(s);
        for (int i = 0; i < LMB_SID_IDENTITIES; i++)
            CHECK_NEAR(l.off[i], i == (int)cases[k].is ? 0.05 / 1.05 : 0,
                       i == (int)cases[k].is ? 0.01 : 1e-11);
        if (CHECK_OK(lmb_sid_body(&f, s, &err), err) && CHECK(f->doubts))
            CHECK_CONTAINS(f->doubts, cases[k].named);
        lmb_flex_destroy(f), lmb_sid_destroy(s);
    }
    free(text);
    body_free(&b);
}

// ---- what is refused ---------------------------------------------------------------------------------

// the text with the first `from` after `after` replaced
static char *changed(const char *text, const char *after, const char *from, const char *to) {
    const char *at = strstr(text, after);
    at = at ? strstr(at, from) : NULL;
    if (!CHECK(at != NULL)) return NULL;
    char *out = malloc(strlen(text) + strlen(to) + 1);
    size_t n = (size_t)(at - text);
    memcpy(out, text, n), strcpy(out + n, to), strcat(out, at + strlen(from));
    return out;
}

static void check_refused(const char *text, const char *expected) {
    lmb_error err = {0};
    lmb_sid *s = NULL;
    lmb_flex *f = NULL;
    lmb_status st = lmb_sid_parse(&s, text, strlen(text), "test.SID_FEM", &err);
    if (st == LMB_OK) st = lmb_sid_body(&f, s, &err);
    CHECK(st == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, expected);
    CHECK_TEXT(err.file, "test.SID_FEM");
    lmb_flex_destroy(f), lmb_sid_destroy(s);
}

TEST(what_is_wrong_is_refused_by_name) {
    static const struct {
        const char *after, *from, *to, *expected;
    } cases[] = {
        {" ", "   9  ", "   x  ", "the first line must begin"},
        {" ", "   9  ", "   8  ", "nelastq is '9'"},
        {" ", "   9  ", " 9999 ", "more than the maximum"},
        {"refmod", "mass", "mess", "unexpected 'mess' in refmod"},
        {"refmod", "mass", "ielastq(16) =", "is not one of 9 modes"},
        {"new node", "       2", "       1", "duplicate node 1 (first at line"},
        {"new node", "rframe                     = body ref", "rframe = other", "only 'body ref'"},
        {"new node", "phi\n", "phy\n", "unexpected 'phy' in node 1"},
        {"origin\n", "nrow                  =    3", "nrow = 4",
         "origin is 4 x 1; with 9 modes it must be 3 x 1"},
        {"origin\n", "nqn                   =    0", "nqn = 1", "higher order"},
        {"origin\n", "m0(  1,  1)", "m0(  4,  1)", "is not an entry of origin"},
        {"origin\n", "m0(  2,  1)", "m0(  1,  1)", "duplicate entry m0(  1,  1)"},
        {"origin\n", "m1(  1,  1,  1)", "m1(  1, 10,  1)", "is not an entry of origin"},
        {"origin\n", "m0(", "mn(", "expected an entry"},
        {"mdCM\n", "= ", "= 1e999 ", "order"},
        {"end frame", "Ct\n", "mdCM\n", "duplicate array mdCM"},
        {"end frame", "           ksigma", "#", "unexpected '#'"},
        {"ksigma\n", "structure             =    0", "structure = 7", "structure must be 0 to 4"},
        {"ksigma\n", "structure             =    0\n", "structure = 3\n m0(1,1)=2\n",
         "stresses of the undeformed body"},
        {"Ke\n", "structure             =    3", "structure = 0", "contradict its structure = 0 (zero)"},
        {"De\n", "end De\n      end modal\n", "end De\n", "'end modal' is missing"},
    };
    body b;
    if (!body_load(&b, "off")) return;
    char *text = written(b.f, LMB_SID_BY_AXIS);
    for (int k = 0; k < LMB_COUNT(cases); k++) {
        char *wrong = changed(text, cases[k].after, cases[k].from, cases[k].to);
        if (wrong) check_refused(wrong, cases[k].expected);
        free(wrong);
    }
    // cut anywhere: an error, except behind 'end modal'
    size_t whole = strlen(text);
    for (size_t n = 10; n + 40 < whole; n += whole / 37) {
        char *part = strndup(text, n);
        check_refused(part, "");
        free(part);
    }
    free(text);
    body_free(&b);
}

// rigid-body modes among the shape functions, couplings too large for the mass, impossible inertia
TEST(impossible_masses_are_refused) {
    body b;
    if (!body_load(&b, "off")) return;
    char *text = written(b.f, LMB_SID_BY_AXIS);
    for (int k = 0; k < 3; k++) {
        lmb_sid *s = parsed(text);
        lmb_flex *f = NULL;
        lmb_error err = {0};
        if (s == NULL) continue;
        lmb_sid_taylor *a = s->array;
        if (k == 0)
            for (int i = 0; i < 3 * s->modes; i++) a[LMB_SID_CT].m0[i] *= 30;
        if (k == 1) a[LMB_SID_J].m0[2] *= 30;
        if (k == 2)
            for (int i = 0; i < s->modes; i++) { // mode 1 becomes a translation along x
                for (int j = 0; j < s->modes; j++) a[LMB_SID_ME].m0[j] = a[LMB_SID_ME].m0[j * s->modes] = 0;
            }
        if (k == 2) {
            int m = s->modes;
            for (int j = 0; j < m; j++)
                a[LMB_SID_ME].m0[j] = a[LMB_SID_ME].m0[j * m] = lmb_sid_m0(&a[LMB_SID_CT], j, 0);
            a[LMB_SID_ME].m0[0] = s->mass;
            a[LMB_SID_CT].m0[0] = s->mass, a[LMB_SID_CT].m0[1] = a[LMB_SID_CT].m0[2] = 0;
            vec3 swirl = v3_cross(v3_load(a[LMB_SID_MDCM].m0), v3(1, 0, 0));
            v3_store(a[LMB_SID_CR].m0, swirl);
            vec3 mc = v3_load(a[LMB_SID_MDCM].m0); // J1 = -int (x~ e~ + e~ x~)
            mat3 J1 = m3_neg(
                m3_add(m3_mul(m3_skew(mc), m3_skew(v3(1, 0, 0))), m3_mul(m3_skew(v3(1, 0, 0)), m3_skew(mc))));
            const double v[6] = {J1.m[0][0], J1.m[1][1], J1.m[2][2], J1.m[0][1], J1.m[0][2], J1.m[1][2]};
            for (int i = 0; i < 6; i++) a[LMB_SID_J].m1[i * m] = v[i];
        }
        CHECK(lmb_sid_body(&f, s, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, k == 0   ? "the mass matrix is not positive"
                                 : k == 1 ? "the inertia tensor is impossible"
                                          : "as if it were rigid");
        lmb_text told = {0};
        lmb_status st = lmb_sid_body_completed(&f, &told, s, &err);
        CHECK(st == (k == 2 ? LMB_ERR_INPUT : LMB_OK));
        if (f) CHECK_CONTAINS(f->report, k == 0 ? "modal mass: raised" : "inertia tensor: made possible");
        if (f && k == 0) CHECK(f->frequency[0] < b.f->frequency[0]);
        if (f && k == 1) CHECK_NEAR(f->I1, b.f->I1, 1e-12 * f->I1), CHECK(f->I7.m[0][0] > b.f->I7.m[0][0]);
        lmb_text_free(&told);
        lmb_flex_destroy(f), lmb_sid_destroy(s);
    }
    free(text);
    body_free(&b);
}

// sound files are not touched; of planar data, one moment alone, the others follow from the nodes
TEST(planar_inertia_is_completed) {
    body b;
    if (!body_load(&b, "off")) return;
    char *text = written(b.f, LMB_SID_BY_AXIS);
    lmb_sid *s = parsed(text);
    lmb_flex *f = NULL;
    lmb_text told = {0};
    lmb_error err = {0};
    if (s && CHECK_OK(lmb_sid_body_completed(&f, &told, s, &err), err)) CHECK(told.length == 0);
    lmb_flex_destroy(f), f = NULL;
    if (s) {
        double *J = s->array[LMB_SID_J].m0, z = J[2];
        for (int i = 0; i < 6; i++) J[i] = i == 2 ? z : 0;
        if (CHECK_OK(lmb_sid_body_completed(&f, &told, s, &err), err)) {
            CHECK_NEAR(f->I7.m[2][2], z, 1e-12 * z);
            CHECK(f->I7.m[0][0] > 0 || f->I7.m[1][1] > 0);
            CHECK_CONTAINS(told.text, "completed from the one moment of a planar model");
        }
    }
    lmb_flex_destroy(f), lmb_sid_destroy(s), lmb_text_free(&told);
    free(text);
    body_free(&b);
}

// ---- files of others -----------------------------------------------------------------------------------

// deviations in per cent; NAN: geometric stiffness, not checked
TEST(samples_of_two_dialects) {
    static const struct {
        const char *file;
        lmb_sid_layout gr, ge;
        double gr_off, oe1_off;
        const char *why; // it cannot be used; NULL: it can
    } cases[] = {
        {"sid/limber_beam.SID_FEM", LMB_SID_BY_AXIS, LMB_SID_BY_AXIS, 0, 0, NULL},
        {"sid/embs/Beam_3m.SID_FEM", LMB_SID_BY_MODE, LMB_SID_BY_AXIS, 1.9, 98,
         "the mass matrix is not positive"},
        {"sid/embs/beam.SID_FEM", LMB_SID_BY_MODE, LMB_SID_BY_AXIS, 50, 44,
         "the mass matrix is not positive"},
        {"sid/pymbs/five_node_model.sid_fem", LMB_SID_BY_AXIS, LMB_SID_BY_AXIS, 37, NAN,
         "inertia tensor is impossible"},
        {"sid/pymbs/example_3_ev.sid_fem", LMB_SID_BY_AXIS, LMB_SID_BY_AXIS, 100, NAN,
         "inertia tensor is impossible"},
    };
    for (int k = 0; k < LMB_COUNT(cases); k++) {
        const char *path = check_reference(cases[k].file);
        lmb_text text = {0};
        lmb_error err = {0};
        lmb_sid *s = NULL;
        lmb_flex *f = NULL;
        if (path == NULL) {
            check_skip("LIMBER_REFERENCE has no sid");
            return;
        }
        if (CHECK_OK(lmb_file_load(&text, path, LMB_NOWHERE, &err), err) &&
            CHECK_OK(lmb_sid_parse(&s, text.text, text.length, path, &err), err)) {
            lmb_sid_lint l = lmb_sid_check(s);
            CHECK(l.gr == cases[k].gr && l.ge == cases[k].ge);
            CHECK_NEAR(100 * l.off[LMB_SID_IS_GR], cases[k].gr_off, fmax(0.03 * cases[k].gr_off, 1e-6));
            CHECK(l.stiffening == (bool)isnan(cases[k].oe1_off));
            if (!l.stiffening)
                CHECK_NEAR(100 * l.off[LMB_SID_IS_OE1], cases[k].oe1_off,
                           fmax(0.03 * cases[k].oe1_off, 1e-6));
            CHECK((lmb_sid_body(&f, s, &err) == LMB_OK) == (cases[k].why == NULL));
            if (cases[k].why) CHECK_CONTAINS(err.text, cases[k].why);
            lmb_flex *whole = NULL;
            lmb_text told = {0};
            CHECK_OK(lmb_sid_body_completed(&whole, &told, s, &err), err);
            CHECK((told.length > 0) == (cases[k].why != NULL));
            lmb_flex_destroy(whole), lmb_text_free(&told);
            if (f) CHECK_NEAR(f->frequency[0], 263.609, 5e-4), CHECK_NEAR(f->frequency[5], 1376.740, 5e-4);
        }
        lmb_flex_destroy(f), lmb_sid_destroy(s), lmb_text_free(&text);
    }
}
