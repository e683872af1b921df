// Modal neutral files of Adams: bytes by the layout that was found in files of others, the same body as modal data of MBDyn.
#include "check.h"
#include "linalg/linalg.h"
#include "store/fem.h"
#include "store/flex_file.h"
#include "store/mnf.h"

#include <stdio.h>
#include <string.h>

typedef struct bytes {
    unsigned char at[8000];
    size_t count;
} bytes;

static void put_int(bytes *b, int v) {
    for (int k = 3; k >= 0; k--) b->at[b->count++] = (unsigned char)((unsigned)v >> (8 * k));
}
static void put(bytes *b, double v) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    for (int k = 7; k >= 0; k--) b->at[b->count++] = (unsigned char)(u >> (8 * k));
}
static void put_text(bytes *b, const char *text, int width) {
    for (int i = 0; i < width; i++) put_int(b, *text ? *text++ : ' ');
}

enum { NODES = 3, MODES = 3 };
// three masses on a line: two modes without momentum, and a rigid-body mode before them
static const int id[NODES] = {10, 20, 7};
static const double m[NODES] = {1, 2, 1}, x[NODES][3] = {{0, 0, 0}, {0.5, 0, 0}, {1, 0, 0}},
                    s[MODES][NODES][6] = {{{1}, {1}, {1}},
                                          {{0, 1, 0, 0, 0, -4}, {0, -1, 0}, {0, 1, 0, 0, 0, 4}},
                                          {{0, 0, 1, 0.3, 4, 0}, {0, 0, -1}, {0, 0, 1, 0, -4, 0}}},
                    J[NODES][3] = {{2e-3, 1e-3, 3e-3}, {0, 0, 0}, {1e-3, 1e-3, 1e-3}},
                    hz[MODES] = {0, 40, 55};

static double modal_mass(int k) {
    double sum = 0;
    for (int n = 0; n < NODES; n++)
        for (int a = 0; a < 3; a++)
            sum += m[n] * s[k][n][a] * s[k][n][a] + J[n][a] * s[k][n][3 + a] * s[k][n][3 + a];
    return sum;
}

static void put_modes(bytes *b, double scale) {
    put_int(b, MODES);
    for (int k = 0; k < MODES; k++) { // block 7
        double w = 2 * LMB_PI * hz[k];
        put_int(b, k + 1), put(b, w * w), put(b, hz[k]), put(b, w), put(b, modal_mass(k)),
            put(b, w * w * modal_mass(k));
    }
    put_int(b, MODES), put_int(b, NODES); // block 8
    for (int n = NODES; n-- > 0;) put_int(b, id[n]);
    for (int k = 0; k < MODES; k++) {
        put_int(b, k + 1);
        for (int n = NODES; n-- > 0;)
            for (int a = 0; a < 6; a++) put(b, (a < 3 ? 1 : scale) * s[k][n][a]);
    }
}

// a file in kilogram, second and metres or millimetres
static void put_file(bytes *b, const char *length, double scale) {
    static const char *const units[4] = {"KILOGRAM", NULL, "SECOND", "NEWTON"};
    static const int flags[16] = {1, 0, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1};
    double mass = 0, cm = 0, I[3] = {0};
    memset(b, 0, sizeof *b);
    put_int(b, 0x13c), b->count = 0x884;
    for (int i = 0; i < 100; i++) put_int(b, i < 16 ? flags[i] : 0);
    CHECK(b->count == 0xa14);
    put_int(b, NODES), put_int(b, 3);
    for (int n = 0; n < NODES; n++) {
        put_int(b, id[n]);
        for (int a = 0; a < 3; a++) put(b, x[n][a] / scale);
        mass += m[n], cm += m[n] * x[n][0];
        I[0] += J[n][0], I[1] += J[n][1] + m[n] * x[n][0] * x[n][0],
            I[2] += J[n][2] + m[n] * x[n][0] * x[n][0];
    }
    put(b, mass), put(b, cm / mass / scale), put(b, 0), put(b, 0);
    for (int k = 0; k < 9; k++) put(b, k % 4 ? 0 : I[k / 4] / scale / scale);
    put_modes(b, scale);
    put_int(b, NODES), put_int(b, 1);
    for (int n = 0; n < NODES; n++) put_int(b, id[n]), put(b, m[n]);
    put_int(b, 3 * NODES);
    for (int n = 0; n < NODES; n++)
        for (int a = 0; a < 3; a++)
            put_int(b, id[n]), put_int(b, 4 + a), put_int(b, 4 + a), put(b, J[n][a] / scale / scale);
    for (int k = 0; k < 4; k++) put_text(b, units[k] ? units[k] : length, 16);
    put_int(b, 32), put_int(b, 0), put_int(b, 1), put_int(b, 4), put_int(b, 3); // one face
    for (int n = 0; n < 3; n++) put_int(b, n);
    put_int(b, MODES); // the transformation: identity
    for (int k = 0; k < MODES; k++) put_int(b, k + 1);
    for (int k = 0; k < MODES * MODES; k++) put(b, k % (MODES + 1) == 0);
    put_int(b, 2), put_int(b, 0), put_int(b, 2);
}

static lmb_flex *read_bytes(const bytes *b) {
    lmb_mnf *f = NULL;
    lmb_flex *out = NULL;
    lmb_error err = {0};
    if (CHECK_OK(lmb_mnf_parse(&f, (const char *)b->at, b->count, "test.mnf", &err), err))
        CHECK_OK(lmb_mnf_body(&out, f, &err), err);
    lmb_mnf_destroy(f);
    return out;
}

// the same without the rigid-body mode
static lmb_flex *as_fem(void) {
    lmb_text t = {0};
    lmb_flex *f = NULL;
    lmb_error err = {0};
    lmb_text_add(&t, "** RECORD GROUP 1\nREV0 3 2 0 0 0\n** RECORD GROUP 2\n10 20 7\n");
    for (int a = 0; a < 3; a++)
        lmb_text_add(&t, "** RECORD GROUP %d\n%g %g %g\n", 5 + a, x[0][a], x[1][a], x[2][a]);
    lmb_text_add(&t, "** RECORD GROUP 8\n");
    for (int k = 1; k < MODES; k++)
        for (int i = 0; i < 6 * NODES; i++) lmb_text_add(&t, "%.17g\n", s[k][i / 6][i % 6]);
    double w1 = 2 * LMB_PI * hz[1], w2 = 2 * LMB_PI * hz[2];
    lmb_text_add(&t, "** RECORD GROUP 9\n%.17g 0 0 %.17g\n", modal_mass(1), modal_mass(2));
    lmb_text_add(&t, "** RECORD GROUP 10\n%.17g 0 0 %.17g\n", w1 * w1 * modal_mass(1),
                 w2 * w2 * modal_mass(2));
    lmb_text_add(&t, "** RECORD GROUP 11\n");
    for (int n = 0; n < NODES; n++)
        lmb_text_add(&t, "%g %g %g %g %g %g\n", m[n], m[n], m[n], J[n][0], J[n][1], J[n][2]);
    CHECK_OK(lmb_fem_parse(&f, t.text, t.length, "test.fem", &err), err);
    lmb_text_free(&t);
    return f;
}

static double off(const double *a, const double *b, int count) {
    double most = 0, scale = lmb_norm_max(a, count);
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return scale > 0 ? most / scale : most;
}

TEST(a_neutral_file_is_the_body_of_its_nodes) {
    bytes b;
    put_file(&b, "METER", 1);
    lmb_flex *f = read_bytes(&b), *g = as_fem();
    if (f && g && CHECK(f->m == 2 && f->m == g->m)) {
        CHECK_NEAR(f->I1, 4, 1e-15);
        CHECK_NEAR(off(&f->I7.m[0][0], &g->I7.m[0][0], 9), 0, 1e-15);
        CHECK_NEAR(off(f->I3, g->I3, 6), 0, 1e-15), CHECK_NEAR(off(f->I4, g->I4, 6), 0, 1e-15);
        CHECK_NEAR(off(f->I5, g->I5, 12), 0, 1e-15), CHECK_NEAR(off(f->I6, g->I6, 4), 0, 1e-15);
        CHECK_NEAR(off(f->I8, g->I8, 18), 0, 1e-15), CHECK_NEAR(off(f->I10, g->I10, 18), 0, 1e-15);
        CHECK_NEAR(off(f->I11, g->I11, 36), 0, 1e-7),
            CHECK_NEAR(off(f->K, g->K, 4), 0, 1e-15); // projections stop at 1e-8
        CHECK_NEAR(f->frequency[0], 40, 1e-12);
        CHECK(f->marker_count == 2 && f->triangle_count == 1);
        CHECK_TEXT(f->markers[1].name, "node_7"), CHECK_NEAR(f->markers[1].P[2 * 2], 4, 0);
        CHECK_CONTAINS(f->shapes, "1 rigid-body modes of the file left out");
        CHECK_CONTAINS(f->report, "block 6: off by 0 %"), CHECK(f->doubts == NULL);
    }
    lmb_flex_destroy(f), lmb_flex_destroy(g);
}

// lengths in millimetres: a unit coordinate is one, and turns the nodes by a thousandth of what a metre does
TEST(units_of_a_neutral_file) {
    bytes b;
    put_file(&b, "METER", 1);
    lmb_flex *f = read_bytes(&b);
    put_file(&b, "MILLIMETER", 1e-3);
    lmb_flex *g = read_bytes(&b);
    if (f && g) {
        CHECK_NEAR(g->I1, f->I1, 1e-15), CHECK_NEAR(g->I7.m[1][1], f->I7.m[1][1], 1e-12);
        CHECK_NEAR(g->markers[1].x.x, 1, 1e-15), CHECK_NEAR(g->frequency[0], 40, 1e-12);
        CHECK_NEAR(g->markers[1].S[2], f->markers[1].S[2], 1e-15);
        CHECK_NEAR(g->markers[1].P[4], f->markers[1].P[4], 1e-12);
    }
    lmb_flex_destroy(f), lmb_flex_destroy(g);
}

static lmb_flex *write_and_read(const lmb_flex *f) {
    lmb_text t = {0};
    lmb_mnf *file = NULL;
    lmb_flex *out = NULL;
    lmb_error err = {0};
    if (f && CHECK_OK(lmb_mnf_write(&t, f, &err), err) &&
        CHECK_OK(lmb_mnf_parse(&file, t.text, t.length, "own.mnf", &err), err))
        CHECK_OK(lmb_mnf_body(&out, file, &err), err);
    lmb_mnf_destroy(file), lmb_text_free(&t);
    return out;
}

// the sign of a mode is free
static void turn_mode(lmb_flex *f, int i) {
    size_t modes = (size_t)f->m, k = (size_t)i;
    for (size_t a = 0; a < 3; a++) f->I3[3 * k + a] *= -1, f->I4[3 * k + a] *= -1;
    for (size_t a = 0; a < 9; a++) f->I8[9 * k + a] *= -1, f->I10[a * modes + k] *= -1;
    for (size_t j = 0; j < modes; j++) {
        for (size_t a = 0; a < 3; a++)
            f->I5[3 * (k * modes + j) + a] *= -1, f->I5[3 * (j * modes + k) + a] *= -1;
        for (size_t a = 0; a < 9; a++)
            f->I9[9 * (k * modes + j) + a] *= -1, f->I9[9 * (j * modes + k) + a] *= -1;
        for (size_t a = 0; a < 9; a++)
            f->I11[(a * modes + k) * modes + j] *= -1, f->I11[(a * modes + j) * modes + k] *= -1;
    }
    for (int n = 0; n < f->marker_count; n++)
        for (size_t a = 0; a < 3; a++)
            f->markers[n].S[a * modes + k] *= -1, f->markers[n].P[a * modes + k] *= -1;
}

static void same_signs(lmb_flex *f, const lmb_flex *as) {
    size_t modes = (size_t)f->m;
    for (size_t i = 0; i < modes; i++) {
        double sum = 0;
        for (int n = 0; n < f->marker_count; n++)
            for (size_t a = 0; a < 3; a++)
                sum += f->markers[n].S[a * modes + i] * as->markers[n].S[a * modes + i];
        if (sum < 0) turn_mode(f, (int)i);
    }
}

// beside one: the body has 4 kg, 1 m, and modes with a generalised mass of one, some sums are zero
static double apart(const double *a, const double *b, int count) {
    return off(a, b, count) * fmin(1, lmb_norm_max(a, count));
}

static void check_same(const lmb_flex *f, const lmb_flex *g, double tol) {
    int modes = f->m;
    CHECK_NEAR(f->I1, g->I1, tol), CHECK_NEAR(apart(&f->I2.x, &g->I2.x, 3), 0, tol);
    CHECK_NEAR(apart(&f->I7.m[0][0], &g->I7.m[0][0], 9), 0, tol);
    CHECK_NEAR(apart(f->I3, g->I3, 3 * modes), 0, tol), CHECK_NEAR(apart(f->I4, g->I4, 3 * modes), 0, tol);
    CHECK_NEAR(apart(f->I5, g->I5, 3 * modes * modes), 0, tol),
        CHECK_NEAR(apart(f->I6, g->I6, modes * modes), 0, tol);
    CHECK_NEAR(apart(f->I8, g->I8, 9 * modes), 0, tol),
        CHECK_NEAR(apart(f->I9, g->I9, 9 * modes * modes), 0, tol);
    CHECK_NEAR(apart(f->I10, g->I10, 9 * modes), 0, tol),
        CHECK_NEAR(apart(f->I11, g->I11, 9 * modes * modes), 0, tol);
    CHECK_NEAR(apart(f->frequency, g->frequency, modes), 0, tol), CHECK(f->marker_count == g->marker_count);
    for (int n = 0; n < f->marker_count; n++) {
        CHECK_NEAR(v3_norm(v3_sub(f->markers[n].x, g->markers[n].x)), 0, tol);
        CHECK_NEAR(apart(f->markers[n].S, g->markers[n].S, 3 * modes), 0, tol);
        CHECK_NEAR(apart(f->markers[n].P, g->markers[n].P, 3 * modes), 0, tol);
    }
}

// mass points in place of the nodes have the same invariants; the projection of I11 stops at 1e-8
TEST(a_neutral_file_comes_back) {
    bytes b;
    put_file(&b, "METER", 1);
    lmb_flex *f = read_bytes(&b), *g = write_and_read(f), *h = write_and_read(g);
    if (f && g && h && CHECK(g->m == f->m && h->m == f->m)) {
        CHECK_NEAR(off(f->frequency, g->frequency, f->m), 0, 1e-12);
        CHECK_NEAR(off(&f->I7.m[0][0], &g->I7.m[0][0], 9), 0, 1e-12);
        CHECK_NEAR(f->I1, g->I1, 1e-12);
        CHECK_NEAR(fabs(g->markers[1].P[2 * 2]), 4 / sqrt(f->I6[0]), 1e-12); // of a mode with I6 = 1
        CHECK_CONTAINS(g->shapes, "6 rigid-body modes of the file left out");
        same_signs(h, g), check_same(g, h, 1e-7);
    }
    lmb_flex_destroy(f), lmb_flex_destroy(g), lmb_flex_destroy(h);
}

// With 0.5 kg m2 about x and z from masses beside the line, a product of inertia of 0.03 kg m2 is one that masses can have, 1.5 % of the
// inertia if its sign is wrong; 3 is not.
TEST(products_of_inertia_in_a_neutral_file) {
    bytes b;
    lmb_text t = {0};
    lmb_error err = {0};
    put_file(&b, "METER", 1);
    lmb_flex *f = read_bytes(&b);
    if (f == NULL) return;
    f->I7.m[0][0] += 0.5, f->I7.m[2][2] += 0.5;
    f->I7.m[0][1] = f->I7.m[1][0] = -0.03;
    lmb_flex *g = write_and_read(f);
    if (g) CHECK_NEAR(g->I7.m[0][1], -0.03, 1e-12), CHECK(g->doubts == NULL);
    f->I7.m[0][1] = f->I7.m[1][0] = -3;
    CHECK(lmb_mnf_write(&t, f, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "not those of masses");
    lmb_text_free(&t);
    lmb_flex_destroy(f), lmb_flex_destroy(g);
}

// products of inertia have the other sign than the tensor
TEST(block_6_tells_a_wrong_mass) {
    bytes b;
    put_file(&b, "METER", 1);
    double wrong = 4.4;
    bytes value = {.count = 0};
    put(&value, wrong);
    memcpy(b.at + 0xa14 + 8 + NODES * 28, value.at, 8);
    lmb_flex *f = read_bytes(&b);
    if (f) {
        CHECK_CONTAINS(f->report, "block 6: off by 10 %");
        CHECK(f->doubts != NULL);
    }
    lmb_flex_destroy(f);
}

static void refused(const bytes *b, const char *message) {
    lmb_mnf *f = NULL;
    lmb_flex *body = NULL;
    lmb_error err = {0};
    lmb_status st = lmb_mnf_parse(&f, (const char *)b->at, b->count, "test.mnf", &err);
    if (st == LMB_OK) st = lmb_mnf_body(&body, f, &err);
    CHECK(st == LMB_ERR_INPUT && body == NULL);
    CHECK_CONTAINS(err.text, message);
    lmb_mnf_destroy(f);
}

TEST(what_is_wrong_with_a_neutral_file_is_named) {
    enum {
        BLOCKS = 0xa14,
        SIX = BLOCKS + 8 + 28 * NODES,
        SEVEN = SIX + 13 * 8,
        EIGHT = SEVEN + 4 + 44 * MODES
    };
    static const struct {
        size_t at;
        int value;
        const char *message;
    } cases[] = {
        {0, 0x150, "version 8.0 is not supported"},
        {0, 0x3c, "only platform-independent"},
        {0x884 + 4, 1, "block 5: it is not supported"},
        {0x884 + 4 * 5, 0, "block 9 (masses of nodes): it is missing"},
        {0x884 + 4 * 9, 1, "block 12 (generalised stiffness): it is not supported"},
        {BLOCKS, 0, "0 nodes of 3 coordinates"},
        {BLOCKS, 100000000, "100000000 nodes do not fit"},
        {BLOCKS + 8, 20, "duplicate node 20"},
        {BLOCKS + 12, 0x7ff00000, "a number is not finite"},
        {SEVEN, 5000, "5000 modes do not fit"},
        {SEVEN + 8, (int)0xc1200000, "a negative eigenvalue"},
        {EIGHT, 2, "2 modes, but block 7 has 3"},
        {EIGHT + 4, 2, "2 nodes of 3 have mode shapes"},
        {EIGHT + 8, 99, "unknown node 99"},
        {EIGHT + 8 + 4 * NODES + MODES * (4 + 48 * NODES) + 8 + 12 * NODES + 8, (int)0x80000000,
         "row -2147483648"},
    };
    bytes b;
    for (int k = 0; k < LMB_COUNT(cases); k++) {
        put_file(&b, "METER", 1);
        size_t count = b.count;
        b.count = cases[k].at, put_int(&b, cases[k].value), b.count = count;
        refused(&b, cases[k].message);
    }
    put_file(&b, "PARSEC", 1);
    refused(&b, "'PARSEC' is not supported");
    put_file(&b, "METER", 1);
    size_t all = b.count;
    for (size_t n = 0; n < all; n += 13) b.count = n, refused(&b, n < BLOCKS ? "too short" : "truncated");
}
