// a cantilever of solid elements against beam theory: tip deflection, buckling load, first frequency.
// Source: S. Timoshenko, Strength of Materials (deflection with shear) and Theory of Elastic Stability
// (buckling with shear).  Poisson's ratio is 0 here, where a clamped end is the clamped end of beam theory
// but for the warping of the section by shear, of order (h / L)^2.
#include "check.h"
#include "linalg/symmetric.h"
#include "solid_block.h"

static const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0, .rho = 7800};
static const double length = 1, height = 0.05, width = 0.04; // along x, z, y

typedef struct cantilever {
    lmb_mesh *mesh;
    lmb_fe *fe;
    int m;    // free equations
    int *dof; // m: the equation
    int end;  // face set
    int *tip; // nodes of the end
    int tips;
    double *K; // m x m
} cantilever;

static void cantilever_free(cantilever *c) {
    lmb_fe_destroy(c->fe);
    lmb_mesh_destroy(c->mesh);
    lmb_free(c->dof), lmb_free(c->tip), lmb_free(c->K);
}

// the faces of the block at x = 1
static void add_end_faces(cantilever *c, const solid_block *b) {
    for (int i = 0; i < b->element_count; i++)
        for (int k = 0; k < b->ops->faces; k++) {
            bool at_end = true;
            for (int j = 1; j <= b->ops->face_nodes[k][0]; j++)
                at_end &= b->unit[b->nodes[i][b->ops->face_nodes[k][j]]].x == 1;
            if (at_end) CHECK(lmb_mesh_set_add(c->mesh, c->end, i * 8 + k));
        }
}

// free part of a matrix on the pattern, dense
static double *dense(const cantilever *c, const double *values) {
    int n = c->fe->n, *place = lmb_alloc((size_t)n, sizeof *place);
    double *A = lmb_alloc((size_t)c->m * (size_t)c->m, sizeof *A);
    for (int i = 0; i < n; i++) place[i] = -1;
    for (int i = 0; i < c->m; i++) place[c->dof[i]] = i;
    for (int j = 0; j < n; j++)
        for (int p = c->fe->lower.start[j]; p < c->fe->lower.start[j + 1]; p++) {
            int r = place[c->fe->lower.row[p]], s = place[j];
            if (r >= 0 && s >= 0) A[r * c->m + s] = A[s * c->m + r] = values[p];
        }
    lmb_free(place);
    return A;
}

static bool cantilever_make(cantilever *c, const lmb_element_ops *ops, int along, int across) {
    lmb_error err = {0};
    solid_block *b = lmb_alloc(1, sizeof *b);
    const mat3 size = m3_diag(length, width, height);
    *c = (cantilever){0};
    block_make(b, ops, along, across, across);
    block_map(b, &size, v3(0, -width / 2, -height / 2));
    bool ok = CHECK_OK(lmb_mesh_create(&c->mesh, "cantilever", &err), err);
    int material = lmb_mesh_add_material(c->mesh, &steel);
    int property = lmb_mesh_add_property(c->mesh, &(lmb_property){.name = "bar", .material = material});
    for (int i = 0; i < b->node_count; i++) lmb_mesh_add_node(c->mesh, i + 1, b->x[i]);
    for (int i = 0; i < b->element_count; i++)
        lmb_mesh_add_element(c->mesh, ops, i + 1, b->nodes[i], property, 0);
    c->end = lmb_mesh_add_set(c->mesh, "end", LMB_SET_FACES, LMB_NOWHERE);
    add_end_faces(c, b);
    ok = ok && CHECK_OK(lmb_mesh_check(NULL, c->mesh, &err), err) &&
         CHECK_OK(lmb_fe_create(&c->fe, c->mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err) &&
         CHECK_OK(lmb_mesh_set_nodes(&c->tip, &c->tips, c->mesh, c->end, &err), err);
    c->dof = ok ? lmb_alloc((size_t)c->fe->n, sizeof *c->dof) : NULL;
    for (int i = 0; ok && i < b->node_count; i++)
        for (int k = 0; k < 3 && b->unit[i].x > 0; k++) c->dof[c->m++] = c->fe->first[i] + k;
    if (ok) c->K = dense(c, c->fe->K);
    lmb_free(b);
    return ok;
}

// u of a unit force on the end (spread as traction), fe->n numbers
static double *solve(const cantilever *c, vec3 force) {
    lmb_error err = {0};
    int m = c->m;
    double *f = lmb_alloc((size_t)c->fe->n, sizeof *f), *x = lmb_alloc((size_t)m, sizeof *x),
           *A = lmb_alloc((size_t)m * (size_t)m, sizeof *A);
    CHECK_OK(lmb_fe_face_load(f, c->fe, c->end, v3_scale(1 / (width * height), force), 0, &err), err);
    memcpy(A, c->K, (size_t)m * (size_t)m * sizeof *A);
    for (int i = 0; i < m; i++) x[i] = f[c->dof[i]];
    CHECK_OK(lmb_dense_spd_solve(x, A, m, 1, &err), err);
    memset(f, 0, (size_t)c->fe->n * sizeof *f);
    for (int i = 0; i < m; i++) f[c->dof[i]] = x[i];
    lmb_free(x), lmb_free(A);
    return f;
}

// eigenvalue number `which` of A x = w B x, from the largest if negative; A and B are used up
static double eigenvalue(double *A, double *B, int m, int which) {
    lmb_error err = {0};
    double *w = lmb_alloc((size_t)m, sizeof *w), *V = lmb_alloc((size_t)m * (size_t)m, sizeof *V), value;
    CHECK_OK(lmb_dense_eigen(w, V, A, B, m, &err), err);
    value = w[which < 0 ? m + which : which];
    lmb_free(w), lmb_free(V), lmb_free(A), lmb_free(B);
    return value;
}

static double tip_deflection(const cantilever *c) {
    double *u = solve(c, v3(0, 0, 1)), sum = 0;
    for (int i = 0; i < c->tips; i++) sum += u[c->fe->first[c->tip[i]] + 2] / c->tips;
    lmb_free(u);
    return sum;
}

// -Kg x = (1 / P) K x for the stress of a unit thrust: the largest 1 / P
static double buckling_load(const cantilever *c) {
    lmb_error err = {0};
    int m = c->m;
    double *u = solve(c, v3(-1, 0, 0)), *Kg = lmb_alloc((size_t)c->fe->lower.nnz, sizeof *Kg),
           *B = lmb_alloc((size_t)m * (size_t)m, sizeof *B);
    CHECK_OK(lmb_fe_geometric_matrix(Kg, c->fe, u, &err), err);
    double *A = dense(c, Kg);
    for (int i = 0; i < m * m; i++) A[i] = -A[i];
    memcpy(B, c->K, (size_t)m * (size_t)m * sizeof *B);
    lmb_free(u), lmb_free(Kg);
    return 1 / eigenvalue(A, B, m, -1);
}

static double first_frequency(const cantilever *c) {
    double *A = lmb_alloc((size_t)c->m * (size_t)c->m, sizeof *A);
    memcpy(A, c->K, (size_t)c->m * (size_t)c->m * sizeof *A);
    return sqrt(eigenvalue(A, dense(c, c->fe->M), c->m, 0));
}

// ---- what beam theory says; the weak axis is z, bending in y -----------------------------------

// F L^3 / 3 E I + F L / k G A, k = 5/6
static double beam_deflection(void) {
    double A = width * height, I = width * height * height * height / 12, G = steel.E / 2;
    return length * length * length / (3 * steel.E * I) + length / (5.0 / 6 * G * A);
}

// 1 / P = 1 / P_E + 1 / k G A, P_E = pi^2 E I / 4 L^2
static double beam_buckling(void) {
    double A = width * height, I = height * width * width * width / 12, G = steel.E / 2;
    double euler = LMB_PI * LMB_PI * steel.E * I / (4 * length * length);
    return 1 / (1 / euler + 1 / (5.0 / 6 * G * A));
}

// 1.875104^2 sqrt(E I / rho A L^4); shear and rotary inertia take 0.1 % of it at this slenderness
static double beam_frequency(void) {
    return 1.87510406871196 * 1.87510406871196 * width / sqrt(12) * sqrt(steel.E / steel.rho) /
           (length * length);
}

typedef struct errors {
    double deflection, buckling, frequency;
} errors;

static errors cantilever_errors(const lmb_element_ops *ops, int along, int across) {
    cantilever c;
    errors e = {NAN, NAN, NAN};
    if (cantilever_make(&c, ops, along, across)) {
        CHECK_NEAR(c.fe->mass, steel.rho * length * width * height, 1e-12);
        e.deflection = tip_deflection(&c) / beam_deflection() - 1;
        e.buckling = buckling_load(&c) / beam_buckling() - 1;
        e.frequency = first_frequency(&c) / beam_frequency() - 1;
    }
    cantilever_free(&c);
    return e;
}

// Fine meshes: what is left are the differences between beam theory and a bar.  Deflection: warping held at
// the clamped end, 3e-5 (hex8, one across: its shear stress is constant over the section, k = 1 in place of
// 5/6, 2.5e-4). Buckling: Kg counts the strain of the fibres, sigma u_x,x^2, P / E A = 3.3e-4.  Frequency:
// shear and rotary inertia take 4.65 / 2 (I / A L^2)(1 + E / k G) = 1.05e-3 (perturbation: int w'^2 / int w^2
// = 4.65 / L^2 of the first mode).
TEST(fine_meshes) {
    errors r = cantilever_errors(&lmb_element_hex20r, 4, 2), h = cantilever_errors(&lmb_element_hex8, 32, 1);
    CHECK_NEAR(r.deflection, 0, 1e-4);
    CHECK_NEAR(r.buckling, -3.3e-4, 1e-4);
    CHECK_NEAR(r.frequency, -1.05e-3, 2e-4);
    CHECK_NEAR(h.deflection, -2.5e-4, 3e-4);
    CHECK_NEAR(h.buckling, -3.3e-4, 6e-4);
    CHECK_NEAR(h.frequency, -1.05e-3, 3e-4);
}

// Coarse meshes, one element across: elements five times as long as high.  Errors fall with order 2 at least,
// and hex8 with its modes beats the linear elements without them by two digits.
TEST(convergence) {
    static const struct {
        const lmb_element_ops *ops;
        double deflection, buckling, frequency; // largest errors with eight elements
        double order;                           // from four to eight
    } kind[] = {{&lmb_element_hex20, 2e-3, 2e-3, 1e-3, 2.5},
                {&lmb_element_tet10, 3e-3, 3e-3, 2e-3, 2.3},
                {&lmb_element_wedge15, 1e-3, 3e-3, 2e-3, 2.9},
                {&lmb_element_hex8, 5e-3, 7e-3, 2e-3, 1.9}};
    for (int k = 0; k < LMB_COUNT(kind); k++) {
        errors four = cantilever_errors(kind[k].ops, 4, 1), eight = cantilever_errors(kind[k].ops, 8, 1);
        bool ok = CHECK_NEAR(eight.deflection, 0, kind[k].deflection);
        ok &= CHECK_NEAR(eight.buckling, 0, kind[k].buckling);
        ok &= CHECK_NEAR(eight.frequency, 0, kind[k].frequency);
        ok &= CHECK(log2(four.deflection / eight.deflection) > kind[k].order);
        if (!ok) check_note("%s: %g after %g", kind[k].ops->name, eight.deflection, four.deflection);
    }
    // linear tetrahedra and wedges are far too stiff for this, as their one-line descriptions say
    CHECK(cantilever_errors(&lmb_element_tet4, 8, 1).deflection < -0.8);
    CHECK(cantilever_errors(&lmb_element_wedge6, 8, 1).deflection < -0.3);
}
