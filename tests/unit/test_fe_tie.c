// tests/unit/test_fe_tie.c: geometric stiffness of rigid ties: turned loads, loads on tied mass, a column with a rigid end.
#include "../fe_parts.h"

#include <string.h>

// a box of two bricks whose end x1 follows a new node at `at`; every: all nodes do
typedef struct tied {
    lmb_mesh *mesh;
    lmb_fe *fe;
    int reference;
} tied;

static bool tie_box(tied *t, const lmb_element_ops *ops, vec3 at, bool every) {
    lmb_error err = {0};
    int *nodes = NULL, count = 0;
    t->mesh = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, ops});
    int set = lmb_mesh_find_set(t->mesh, "x1", LMB_SET_NODES);
    for (int i = 0; every && i < t->mesh->node_count; i++) lmb_mesh_set_add(t->mesh, set, i);
    CHECK_OK(lmb_mesh_set_nodes(&nodes, &count, t->mesh, set, &err), err);
    t->reference = lmb_mesh_add_node(t->mesh, 1000, at);
    lmb_rigid_tie tie = {t->reference, count, nodes};
    bool ok = CHECK_OK(lmb_fe_create(&t->fe, t->mesh, LMB_MASS_CONSISTENT, &tie, 1, NULL, &err), err);
    lmb_free(nodes);
    return ok;
}

static void clean(tied *t) {
    lmb_fe_destroy(t->fe);
    lmb_mesh_destroy(t->mesh);
}

// Turning a loaded part by w turns its forces with it, and its moments by half: they are conjugate to rotation vectors.
//   Kg (w x x) = w x f at every node,  (w x m) / 2 at the reference
TEST(turning_a_tied_part_turns_its_forces) {
    static const lmb_element_ops *const kinds[] = {&lmb_element_hex8, &lmb_element_hex20r,
                                                   &lmb_element_tet10};
    for (int kind = 0; kind < LMB_COUNT(kinds); kind++) {
        tied t = {0};
        lmb_error err = {0};
        if (!tie_box(&t, kinds[kind], v3(0.55, 0.03, -0.2), false)) return;
        int n = t.fe->n;
        double *u = lmb_alloc((size_t)n, sizeof *u), *f = lmb_alloc((size_t)n, sizeof *f),
               *V = lmb_alloc(6 * (size_t)n, sizeof *V), *KV = lmb_alloc((size_t)n, sizeof *KV),
               *Kg = lmb_alloc((size_t)t.fe->lower.nnz, sizeof *Kg), size = 0, worst = 0;
        for (int i = 0; i < n; i++) u[i] = 1e-4 * check_random();
        lmb_symmetric_mul(f, &t.fe->lower, t.fe->K, u, 1);
        CHECK_OK(lmb_fe_geometric_matrix(Kg, t.fe, u, &err), err);
        lmb_fe_rigid(V, t.fe);
        for (int k = 0; k < 3; k++) {
            vec3 w = v3_axis(k);
            lmb_symmetric_mul(KV, &t.fe->lower, Kg, V + (size_t)(3 + k) * (size_t)n, 1);
            for (int i = 0; i < t.fe->node_count; i++)
                for (int d = 0; d < t.fe->dofs[i]; d += 3) {
                    int at = t.fe->first[i] + d;
                    vec3 want = v3_scale(d ? 0.5 : 1, v3_cross(w, v3_load(f + at)));
                    worst = fmax(worst, v3_norm(v3_sub(v3_load(KV + at), want)));
                    size = fmax(size, v3_norm(want));
                }
        }
        CHECK_NEAR(worst / size, 0, 1e-12);
        lmb_free(u), lmb_free(f), lmb_free(V), lmb_free(KV), lmb_free(Kg);
        clean(&t);
    }
}

// projected on any vectors it is the same matrix: V' Kg V
TEST(tied_part_projected) {
    enum { M = 4 };
    tied t = {0};
    lmb_error err = {0};
    if (!tie_box(&t, &lmb_element_hex20, v3(0.45, 0.1, 0.3), false)) return;
    size_t n = (size_t)t.fe->n;
    double *u = lmb_alloc(n, sizeof *u), *V = lmb_alloc(M * n, sizeof *V), *KV = lmb_alloc(M * n, sizeof *KV),
           *Kg = lmb_alloc((size_t)t.fe->lower.nnz, sizeof *Kg), projected[M * M], want[M * M], size = 0;
    for (size_t i = 0; i < n; i++) u[i] = 1e-4 * check_random();
    for (size_t i = 0; i < M * n; i++) V[i] = check_random();
    CHECK_OK(lmb_fe_geometric_matrix(Kg, t.fe, u, &err), err);
    lmb_symmetric_mul(KV, &t.fe->lower, Kg, V, M);
    lmb_gram(want, 1, V, KV, 0, t.fe->n, M, M);
    CHECK_OK(lmb_fe_geometric(projected, t.fe, &(lmb_fe_loads){1, u, NULL}, V, M, NULL, &err), err);
    for (int i = 0; i < M * M; i++) size = fmax(size, fabs(want[i]));
    for (int i = 0; i < M * M; i++) CHECK_NEAR(projected[i] / size, want[i] / size, 1e-12);
    lmb_free(u), lmb_free(V), lmb_free(KV), lmb_free(Kg);
    clean(&t);
}

// A rigid box in a field a(x) = b + B x per mass: its potential -int rho a . R(theta) d has the second derivatives
//   tr(G) I - (G + G') / 2,   G = int rho a d',
// here by differences over the box's own mass points: eight Gauss points, exact for polynomials of second degree
static double box_potential(vec3 theta, const lmb_acceleration *a, vec3 at) {
    const vec3 half = v3(0.2, 0.1, 0.05);
    mat3 R = so3_exp(theta);
    double sum = 0, mass = STEEL.rho * 0.4 * 0.2 * 0.1 / 8;
    for (int i = 0; i < 8; i++) {
        double g = 1 / sqrt(3);
        vec3 x = v3(half.x * (1 + (i & 1 ? g : -g)), half.y * (1 + (i & 2 ? g : -g)),
                    half.z * (1 + (i & 4 ? g : -g)));
        vec3 field = v3_add(a->b, m3_mul_v3(&a->B, x));
        sum -= mass * v3_dot(field, m3_mul_v3(&R, v3_sub(x, at)));
    }
    return sum;
}

TEST(field_on_tied_mass) {
    const vec3 at = v3(-0.3, 0.4, 0.2);
    const lmb_acceleration a = {{3, -2, 5}, {{{20, 3, -1}, {2, 15, 4}, {7, -3, -8}}}};
    const double h = 1e-3;
    tied t = {0};
    lmb_error err = {0};
    if (!tie_box(&t, &lmb_element_hex20, at, true) || !CHECK(t.fe->n == 6)) return;
    double u[6] = {0}, V[36] = {0}, Kg[36];
    for (int i = 0; i < 6; i++) V[7 * i] = 1;
    CHECK_OK(lmb_fe_geometric(Kg, t.fe, &(lmb_fe_loads){1, u, &a}, V, 6, NULL, &err), err);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            double want = 0;
            for (int s = 0; s < 4; s++) {
                vec3 p = v3_scale(s & 1 ? h : -h, v3_axis(i)), q = v3_scale(s & 2 ? h : -h, v3_axis(k));
                want += (s == 0 || s == 3 ? 1 : -1) * box_potential(v3_add(p, q), &a, at) / (4 * h * h);
            }
            CHECK_NEAR(Kg[6 * (3 + i) + 3 + k], want, 2e-6 * fabs(Kg[21])); // h^2 / 12 of fourth derivatives
            CHECK_NEAR(Kg[6 * i + k], 0, 0);
        }
    clean(&t);
}

// A column, clamped, with a rigid piece of length a at its end, pressed there: k a tan(k L) = 1, P = k^2 E I.
// The beam's last node follows the far end of the piece.
TEST(column_with_a_rigid_end) {
    enum { N = 16 };
    const double L = 1, b = 0.05, a = 0.3;
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    lmb_mesh *mesh = part_bar(L, b, b, N, LMB_EULER_BERNOULLI, LMB_ROTARY_ON);
    int last = N, far = lmb_mesh_add_node(mesh, 100, v3(L + a, 0, 0));
    lmb_rigid_tie tie = {far, 1, &last};
    if (CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, &tie, 1, NULL, &err), err)) {
        int n = fe->n, m = n - 6; // node 0 is clamped
        double *K = lmb_alloc((size_t)m * (size_t)m, sizeof *K),
               *G = lmb_alloc((size_t)m * (size_t)m, sizeof *G),
               *V = lmb_alloc((size_t)m * (size_t)m, sizeof *V), *w = lmb_alloc((size_t)m, sizeof *w),
               *u = lmb_alloc((size_t)n, sizeof *u), *Kg = lmb_alloc((size_t)fe->lower.nnz, sizeof *Kg);
        double EA = STEEL.E * b * b, EI = STEEL.E * b * b * b * b / 12;
        for (int i = 1; i <= N; i++) // a unit thrust
            u[fe->first[i < N ? i : far]] = -L * i / N / EA;
        CHECK_OK(lmb_fe_geometric_matrix(Kg, fe, u, &err), err);
        for (int c = 6; c < n; c++)
            for (int k = fe->lower.start[c]; k < fe->lower.start[c + 1]; k++) {
                int r = fe->lower.row[k] - 6, s = c - 6;
                K[r * m + s] = K[s * m + r] = fe->K[k], G[r * m + s] = G[s * m + r] = -Kg[k];
            }
        CHECK_OK(lmb_dense_eigen(w, V, G, K, m, &err), err);
        double low = 0, high = LMB_PI / 2 / L; // k a tan(k L) - 1 = 0
        for (int i = 0; i < 60; i++) {
            double k = (low + high) / 2;
            *(k * a * tan(k * L) < 1 ? &low : &high) = k;
        }
        CHECK_NEAR(1 / w[m - 1] / (low * low * EI), 1, 1e-6); // beams of 1/16: (k h)^4 / 720
        lmb_free(K), lmb_free(G), lmb_free(V), lmb_free(w), lmb_free(u), lmb_free(Kg);
    }
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(mesh);
}
