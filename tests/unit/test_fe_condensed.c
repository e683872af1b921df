// tests of fe/condensed.c: inertia of given matrices with rotations and scalars, and of reduce/flex_condense.c.
#include "check.h"
#include "fe/local.h"
#include "fe_parts.h"
#include "linalg/linalg.h"

#include <string.h>

enum { SHAPES = 5, WIDTH = 3 * (SHAPES + 2) };

// a model as matrices: the same nodes, K and M
static lmb_fe *as_matrices(const lmb_fe *fe, int scalars) {
    lmb_fe_matrices given = {.node_count = fe->node_count, .x = fe->x, .dofs = fe->dofs, .scalars = scalars};
    lmb_triplets t = {.capacity = fe->lower.nnz + 1};
    lmb_error err = {0};
    lmb_fe *out = NULL;
    t.row = lmb_alloc((size_t)t.capacity, sizeof *t.row),
    t.col = lmb_alloc((size_t)t.capacity, sizeof *t.col);
    for (int c = 0; c < fe->lower.n; c++)
        for (int k = fe->lower.start[c]; k < fe->lower.start[c + 1]; k++)
            t.row[t.count] = fe->lower.row[k], t.col[t.count++] = c;
    CHECK_OK(lmb_pattern_create(&given.lower, fe->n, &t, &err), err);
    given.K = lmb_alloc((size_t)fe->lower.nnz, sizeof *given.K),
    given.M = lmb_alloc((size_t)fe->lower.nnz, sizeof *given.M);
    memcpy(given.K, fe->K, sizeof *given.K * (size_t)fe->lower.nnz);
    memcpy(given.M, fe->M, sizeof *given.M * (size_t)fe->lower.nnz);
    CHECK_OK(lmb_fe_create_matrices(&out, &given, &err), err);
    lmb_free(t.row), lmb_free(t.col);
    return out;
}

static void random_shapes(double *W, const lmb_fe *fe) {
    for (int i = 0; i < SHAPES * fe->n; i++) W[i] = check_random();
}

static double z(const double *Z, int row, int column) { return Z[(size_t)row * WIDTH + column]; }

static bool integrals(double *Z, const lmb_fe *fe, const double *W) {
    lmb_error err = {0};
    lmb_watch watch = {0};
    return CHECK_OK(lmb_fe_inertia_integrals(Z, fe, W, SHAPES, &watch, &err), err);
}

static lmb_mesh *bent_beam(void) {
    const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0.3, .rho = 7850};
    lmb_beam_part part = {.a = {0.2, 0.1, -0.3},
                          .b = {1.1, 0.5, 0.2},
                          .up = {0, 1, 0},
                          .elements = 6,
                          .material = steel,
                          .offset = {{0.01, 0}, {0, -0.02}}};
    lmb_error err = {0};
    lmb_mesh *mesh = NULL;
    for (int i = 0; i < 2; i++)
        CHECK_OK(lmb_profile_make(&part.section[i], LMB_PROFILE_RECTANGLE, (double[]){0.06, 0.03}, 2, 0.3,
                                  LMB_NOWHERE, &err),
                 err);
    CHECK_OK(lmb_mesh_beam(&mesh, &part, &err), err);
    return mesh;
}

// momentum and kinetic energy of any motion, mass, centre and inertia: exact; to round-off of products of coordinates
TEST(what_the_mass_matrix_knows_is_exact) {
    lmb_error err = {0};
    lmb_mesh *mesh = bent_beam();
    lmb_fe *fe = NULL, *given = NULL;
    double *W, A[WIDTH * WIDTH], B[WIDTH * WIDTH];
    if (!CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err)) return;
    given = as_matrices(fe, 0);
    W = lmb_alloc((size_t)SHAPES * (size_t)fe->n, sizeof *W);
    random_shapes(W, fe);
    if (given && CHECK(given->condensed) && integrals(A, fe, W) && integrals(B, given, W)) {
        int one = 3 * SHAPES, x = one + 3;
        CHECK_NEAR(given->mass / fe->mass, 1, 1e-12);
        for (int i = x; i < x + 3; i++)
            for (int j = one; j < x + 3; j++) CHECK_NEAR(z(B, i, j), z(A, i, j), 1e-12 * fe->mass);
        for (int i = 0; i < SHAPES; i++) {
            for (int a = 0; a < 3; a++)
                CHECK_NEAR(z(B, 3 * i + a, one), z(A, 3 * i + a, one), 1e-12 * fe->mass);
            for (int a = 0; a < 3; a++) { // int rho x x s
                int b = (a + 1) % 3, c = (a + 2) % 3;
                CHECK_NEAR(z(B, x + b, 3 * i + c) - z(B, x + c, 3 * i + b),
                           z(A, x + b, 3 * i + c) - z(A, x + c, 3 * i + b), 1e-12 * fe->mass);
            }
            for (int j = 0; j < SHAPES; j++) {
                double ours = 0, theirs = 0;
                for (int a = 0; a < 3; a++)
                    ours += z(B, 3 * i + a, 3 * j + a), theirs += z(A, 3 * i + a, 3 * j + a);
                CHECK_NEAR(ours, theirs, 1e-12 * fe->mass);
            }
        }
    }
    lmb_free(W);
    lmb_fe_destroy(given), lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
}

// solids with the nodes of a body in space: all of it, since their mass is that of translations
TEST(matrices_of_solids_know_everything) {
    lmb_error err = {0};
    lmb_mesh *mesh = part_box_make(&(part_box){0.7, 0.4, 0.5, 2, 1, 1, &lmb_element_tet10});
    lmb_fe *fe = NULL, *given = NULL;
    double *W, A[WIDTH * WIDTH], B[WIDTH * WIDTH];
    if (!CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err)) return;
    given = as_matrices(fe, 0);
    W = lmb_alloc((size_t)SHAPES * (size_t)fe->n, sizeof *W);
    random_shapes(W, fe);
    if (given && CHECK(!given->condensed)) {
        given->condensed = true; // as if they were not
        if (integrals(A, fe, W) && integrals(B, given, W)) {
            double largest = lmb_norm_max(A, WIDTH * WIDTH);
            for (int i = 0; i < WIDTH * WIDTH; i++) CHECK_NEAR(B[i] / largest, A[i] / largest, 1e-12);
        }
    }
    lmb_free(W);
    lmb_fe_destroy(given), lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
}

// loads of accelerations are M times the motion
TEST(loads_of_condensed_matrices_are_those_of_the_mesh) {
    lmb_error err = {0};
    lmb_mesh *mesh = bent_beam();
    lmb_fe *fe = NULL, *given = NULL;
    if (!CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err)) return;
    given = as_matrices(fe, 0);
    double *f = lmb_alloc(2 * (size_t)fe->n, sizeof *f), *g = f + fe->n;
    const lmb_acceleration a = {v3(1, -2, 0.5), m3_skew(v3(0.3, 2, -1))};
    if (given) {
        lmb_fe_body_loads(f, fe, &a, 1), lmb_fe_body_loads(g, given, &a, 1);
        for (int i = 0; i < fe->n; i++) CHECK_NEAR(f[i], g[i], 1e-12 * lmb_norm_max(f, fe->n));
    }
    lmb_free(f);
    lmb_fe_destroy(given), lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
}
