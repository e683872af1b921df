// Modal data of MBDyn: bodies there and back, masses at nodes, files that are wrong.
#include "api/skin_make.h"
#include "check.h"
#include "linalg/linalg.h"
#include "os/bytes.h"
#include "store/fem.h"
#include "store/flex_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// three masses on a bent line, two modes of them
static const char lumped[] =
    "** RECORD GROUP 1, HEADER\nREV0 3 2 0 0 0\n** RECORD GROUP 2\n1 2 tip\n"
    "** RECORD GROUP 5\n0 0.5 1\n** RECORD GROUP 6\n0 0.1 0\n** RECORD GROUP 7\n0 0 0.2\n"
    "** RECORD GROUP 8\n** mode 1\n0.3 1 0 0 0.5 -4\n0 -1 0.2 0 0 0\n-0.1 1 0 0.3 0 4\n"
    "** mode 2\n0 0 1 0 2 0\n0 0.4 -1 1 0 0\n0.2 0 1 0 -2 0\n"
    "** RECORD GROUP 9\n4.6 -0.8\n-0.8 5\n** RECORD GROUP 10\n400 0\n0 900\n"
    "** RECORD GROUP 11\n1 1 1 0.01 0.02 0.03\n2 2 2 0.01 0.01 0.01\n1 1 1 0.01 0.01 0.01\n";

static lmb_flex *read_text(const char *text) {
    lmb_flex *f = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_fem_parse(&f, text, strlen(text), "test.fem", &err), err);
    return f;
}

static double off(const double *a, const double *b, int count) {
    double most = 0, scale = lmb_norm_max(a, count);
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return scale > 0 ? most / scale : most;
}

// sums over the nodes, by hand
TEST(masses_at_nodes_give_the_invariants) {
    static const double m[3] = {1, 2, 1}, x[3][3] = {{0, 0, 0}, {0.5, 0.1, 0}, {1, 0, 0.2}},
                        s[2][3][3] = {{{0.3, 1, 0}, {0, -1, 0.2}, {-0.1, 1, 0}},
                                      {{0, 0, 1}, {0, 0.4, -1}, {0.2, 0, 1}}};
    lmb_flex *f = read_text(lumped);
    if (f == NULL) return;
    vec3 I2 = V3_ZERO, I3 = V3_ZERO, I5 = V3_ZERO;
    mat3 I8 = M3_ZERO;
    double I10 = 0;
    for (int n = 0; n < 3; n++) {
        vec3 r = v3_load(x[n]), a = v3_load(s[0][n]), b = v3_load(s[1][n]);
        I2 = v3_madd(I2, m[n], r), I3 = v3_madd(I3, m[n], a), I5 = v3_madd(I5, m[n], v3_cross(a, b));
        I8 = m3_add(I8, m3_scale(m[n], m3_mul(m3_skew(r), m3_skew(a))));
        I10 += m[n] * r.x * a.y;
    }
    CHECK_NEAR(f->I1, 4, 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(f->I2, I2)), 0, 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(f->I3), I3)), 0, 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(f->I5 + 3), I5)), 0, 1e-15);
    CHECK_NEAR(f->I8[1] + f->I8[3], I8.m[0][1] + I8.m[1][0],
               1e-14); // its antisymmetric part has rotary inertia
    CHECK_NEAR(f->I10[2], I10 + (0.03 * -4 + 0.01 * 0 + 0.01 * 4) / 2, 1e-14);
    CHECK_NEAR(f->frequency[0], 1.485, 0.02); // sqrt(400 / 4.6) / (2 pi), coupled
    CHECK_TEXT(f->markers[2].name, "node_tip");
    CHECK(f->doubts == NULL);
    lmb_flex_destroy(f);
}

TEST(what_is_written_comes_back) {
    lmb_flex *f = read_text(lumped), *g = NULL;
    lmb_text text = {0};
    if (f && CHECK(lmb_fem_write(&text, f))) g = read_text(text.text);
    if (g) {
        CHECK_NEAR(off(&f->I7.m[0][0], &g->I7.m[0][0], 9), 0, 1e-14),
            CHECK_NEAR(off(f->I3, g->I3, 6), 0, 1e-15);
        CHECK_NEAR(off(f->I4, g->I4, 6), 0, 1e-15), CHECK_NEAR(off(f->I5, g->I5, 12), 0, 1e-15);
        CHECK_NEAR(off(f->I6, g->I6, 4), 0, 1e-15), CHECK_NEAR(off(f->I8, g->I8, 18), 0, 1e-14);
        CHECK_NEAR(off(f->I10, g->I10, 18), 0, 1e-14), CHECK_NEAR(off(f->I9, g->I9, 36), 0, 1e-14);
        CHECK_NEAR(off(f->I11, g->I11, 36), 0, 1e-14), CHECK_NEAR(off(f->K, g->K, 4), 0, 1e-15);
        CHECK_NEAR(off(f->markers[1].S, g->markers[1].S, 6), 0, 1e-15);
        CHECK_NEAR(off(f->markers[1].P, g->markers[1].P, 6), 0, 1e-15);
        CHECK_CONTAINS(g->report, "record groups 14 to 16");
    }
    lmb_flex_destroy(f), lmb_flex_destroy(g), lmb_text_free(&text);
}

TEST(pictures_show_a_wire_through_the_nodes) {
    lmb_flex *f = read_text(lumped);
    lmb_skin s = {0};
    lmb_error err = {0};
    if (f && CHECK_OK(lmb_skin_make(&s, f, &err), err) && CHECK(s.node_count == 3 && s.line_count == 2)) {
        CHECK(s.lines[0] == 0 && s.lines[1] == 1 && s.lines[2] == 1 && s.lines[3] == 2);
        CHECK_NEAR(s.x[3], 0.5, 0), CHECK_NEAR(s.modes[3 * 2 * 1 + 2], -1, 1e-7); // node 2, y, mode 1
    }
    lmb_skin_free(&s), lmb_flex_destroy(f);
}

// other programs may write +I8: its sign follows from I4
TEST(the_sign_of_invariant_8_does_not_matter) {
    lmb_flex *f = read_text(lumped), *g = NULL;
    lmb_text text = {0};
    if (f) {
        for (int i = 0; i < 18; i++) f->I8[i] *= -1;
        if (CHECK(lmb_fem_write(&text, f))) g = read_text(text.text);
        for (int i = 0; i < 18; i++) f->I8[i] *= -1;
    }
    if (g) CHECK_NEAR(off(f->I8, g->I8, 18), 0, 1e-14), CHECK_NEAR(off(f->I10, g->I10, 18), 0, 1e-14);
    lmb_flex_destroy(f), lmb_flex_destroy(g), lmb_text_free(&text);
}

TEST(what_is_wrong_is_refused_by_name) {
    static const struct {
        const char *from, *to, *expected;
    } cases[] = {
        {"REV0", "REX0", "must begin with the revision"},
        {"3 2 0 0 0", "3 2 0 0 x", "needs the numbers of nodes"},
        {"3 2 0 0 0", "3 0 0 0 0", "at least one of each"},
        {"3 2 0 0 0", "3000 200 0 0 0", "too short"},
        {"3 2 0 0 0", "3 3 0 0 0", "record group 8 has 36 of 54 numbers"},
        {"1 2 tip", "1 2", "record group 2 has 2 of 3"},
        {"1 2 tip", "1 tip tip", "duplicate node label 'tip'"},
        {"1 2 tip", "1 2 3 tip", "too many numbers"},
        {"GROUP 10", "GROUP 9", "duplicate record group 9"},
        {"GROUP 10", "GROUP 42", "record group 42 is not supported"},
        {"GROUP 10", "GROUP 19", "stress stiffening"},
        {"GROUP 10", "GROUP 13", "record group 10 is missing"},
        {"GROUP 11", "COMMENT", "too many numbers"},
        {"400 0\n", "-400 0\n", "is not positive"},
        {"4.6 -0.8", "0 -0.8", "mode 1 has no modal mass"},
        {"4.6 -0.8", "1 -0.8", "the mass matrix is not positive"},
        {"0 0.5 1\n", "0 0.5 nan\n", "'nan' is not a number"},
    };
    for (int k = 0; k < LMB_COUNT(cases); k++) {
        char text[2000];
        const char *at = strstr(lumped, cases[k].from);
        lmb_flex *f = NULL;
        lmb_error err = {0};
        if (!CHECK(at != NULL)) continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - lumped), lumped, cases[k].to,
                 at + strlen(cases[k].from));
        CHECK(lmb_fem_parse(&f, text, strlen(text), "test.fem", &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, cases[k].expected), CHECK_TEXT(err.file, "test.fem");
        lmb_flex_destroy(f);
    }
    for (size_t n = 0; n + 2 < sizeof lumped; n += 7) { // cut: an error
        lmb_flex *f = NULL;
        lmb_error err = {0};
        CHECK(lmb_fem_parse(&f, lumped, n, "test.fem", &err) == LMB_ERR_INPUT);
        lmb_flex_destroy(f);
    }
}

// the same beam as Standard Input Data, which has what this file lacks
TEST(a_file_without_invariants_tells_it) {
    const char *path = check_reference("sid/limber_beam.fem");
    lmb_flex *f = NULL;
    lmb_error err = {0};
    if (path == NULL) {
        check_skip("LIMBER_REFERENCE has no sid");
        return;
    }
    if (CHECK_OK(lmb_flex_read_file(&f, path, &err), err)) {
        CHECK_NEAR(f->frequency[0], 263.609, 5e-4), CHECK_NEAR(f->frequency[5], 1376.740, 5e-4);
        CHECK_NEAR(f->I1, 19.625, 1e-9), CHECK_NEAR(f->I7.m[1][1], 1.639505208333 + 19.625 / 4, 1e-9);
        if (CHECK(f->doubts)) CHECK_CONTAINS(f->doubts, "mean axes only");
    }
    lmb_flex_destroy(f);
}
