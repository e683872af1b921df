// tests/unit/test_fe_beam_model.c: assembled beams: deflection, frequencies and their order, buckling, mass properties.
#include "check.h"
#include "core/core.h"
#include "fe/fe.h"
#include "linalg/symmetric.h"

static const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0.3, .rho = 7850};

// ---- a beam along x with held degrees of freedom -------------------------------------------------

enum {
    UX = 1,
    UY = 2,
    UZ = 4,
    RX = 8,
    RY = 16,
    RZ = 32,
    CLAMPED = 63,
    PINNED = UX | UY | UZ | RX,
    ROLLER = UY | UZ
};

typedef struct model {
    lmb_beam_part part;
    lmb_mesh *mesh;
    lmb_fe *fe;
    int free, *place; // free equations: place[equation] among them, -1: held
} model;

static lmb_profile profile(lmb_profile_shape shape, double a, double b) {
    lmb_profile s;
    lmb_error err = {0};
    const double sizes[2] = {a, b};
    CHECK_OK(lmb_profile_make(&s, shape, sizes, b > 0 ? 2 : 1, steel.nu, LMB_NOWHERE, &err), err);
    return s;
}

static lmb_beam_part part_of(lmb_profile s, double L, int n) {
    lmb_beam_part b = {.b = {L, 0, 0}, .up = {0, 1, 0}, .elements = n, .material = steel, .section = {s, s}};
    b.theory = LMB_EULER_BERNOULLI;
    return b;
}

static void open(model *m, const lmb_beam_part *part, int start, int end, int all) {
    lmb_error err = {0};
    *m = (model){.part = *part};
    CHECK_OK(lmb_mesh_beam(&m->mesh, part, &err), err);
    CHECK_OK(lmb_mesh_check(NULL, m->mesh, &err), err);
    CHECK_OK(lmb_fe_create(&m->fe, m->mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    CHECK(m->fe->n == 6 * (part->elements + 1));
    m->place = lmb_alloc((size_t)m->fe->n, sizeof(int));
    for (int i = 0; i <= part->elements; i++)
        for (int k = 0; k < 6; k++) {
            int held = all | (i == 0 ? start : 0) | (i == part->elements ? end : 0);
            m->place[m->fe->first[i] + k] = held >> k & 1 ? -1 : m->free++;
        }
}

static void close(model *m) {
    lmb_fe_destroy(m->fe);
    lmb_mesh_destroy(m->mesh);
    lmb_free(m->place);
}

// the free rows and columns of a matrix on fe->lower, dense; freed by the caller
static double *dense(const model *m, const double *values, double factor) {
    const lmb_pattern *p = &m->fe->lower;
    double *A = lmb_alloc((size_t)(m->free * m->free), sizeof(double));
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            int r = m->place[p->row[k]], c = m->place[j];
            if (r >= 0 && c >= 0) A[r * m->free + c] = A[c * m->free + r] = factor * values[k];
        }
    return A;
}

// the largest `count` eigenvalues of A x = mu B x, B positive definite; A and B are freed
static void largest_eigenvalues(double *mu, int count, double *A, double *B, int n) {
    double *w = lmb_alloc((size_t)n, sizeof(double)), *V = lmb_alloc((size_t)(n * n), sizeof(double));
    lmb_error err = {0};
    CHECK_OK(lmb_dense_eigen(w, V, A, B, n, &err), err);
    for (int i = 0; i < count; i++) mu[i] = w[n - 1 - i];
    lmb_free(w), lmb_free(V), lmb_free(A), lmb_free(B);
}

// circular frequencies, lowest first; Kg, if not NULL, is added to K
static void frequencies(double *omega, int count, const model *m, const double *Kg) {
    double *K = dense(m, m->fe->K, 1), *M = dense(m, m->fe->M, 1), *G = Kg ? dense(m, Kg, 1) : NULL;
    for (int i = 0; G && i < m->free * m->free; i++) K[i] += G[i];
    lmb_free(G);
    largest_eigenvalues(omega, count, M, K, m->free);
    for (int i = 0; i < count; i++) omega[i] = 1 / sqrt(omega[i]);
}

// displacement of a load on the free equations (n numbers, held ones zero)
static void solve(double *u, const model *m, const double *f) {
    double *K = dense(m, m->fe->K, 1), *x = lmb_alloc((size_t)m->free, sizeof(double));
    lmb_error err = {0};
    for (int i = 0; i < m->fe->n; i++)
        if (m->place[i] >= 0) x[m->place[i]] = f[i];
    CHECK_OK(lmb_dense_spd_solve(x, K, m->free, 1, &err), err);
    for (int i = 0; i < m->fe->n; i++) u[i] = m->place[i] >= 0 ? x[m->place[i]] : 0;
    lmb_free(K), lmb_free(x);
}

static double *zeros(const model *m) { return lmb_alloc((size_t)m->fe->n, sizeof(double)); }

// Kg of the load f on fe->lower; freed by the caller
static double *geometric(const model *m, const double *f) {
    double *u = zeros(m), *Kg = lmb_alloc((size_t)m->fe->lower.nnz, sizeof(double));
    lmb_error err = {0};
    solve(u, m, f);
    CHECK_OK(lmb_fe_geometric_matrix(Kg, m->fe, u, &err), err);
    lmb_free(u);
    return Kg;
}

// smallest positive factor of the load f at which K + factor Kg is singular
static double buckling(const model *m, const double *f) {
    double mu, *Kg = geometric(m, f);
    largest_eigenvalues(&mu, 1, dense(m, Kg, -1), dense(m, m->fe->K, 1), m->free);
    lmb_free(Kg);
    return 1 / mu;
}

// ---- statics -----------------------------------------------------------------------------------

// tip and middle of a cantilever, exact at the nodes, in any number of elements
TEST(beam_model_cantilever) {
    for (int n = 1; n <= 4; n += 3) {
        lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.1), 1.5, n);
        part.theory = LMB_TIMOSHENKO;
        model m;
        open(&m, &part, CLAMPED, 0, 0);
        const lmb_profile *s = &part.section[0];
        double *f = zeros(&m), *u = zeros(&m), L = 1.5, G = lmb_shear_modulus(&steel), P = 1e4;
        f[m.fe->first[n] + 1] = P;
        solve(u, &m, f);
        for (int i = 1; i <= n; i++) {
            double x = L * i / n,
                   want = P * (x * x * (3 * L - x) / (6 * steel.E * s->Iz) + x / (s->ky * G * s->A));
            CHECK_NEAR(u[m.fe->first[i] + 1] / want, 1, 1e-10);
        }
        lmb_free(f), lmb_free(u);
        close(&m);
    }
}

TEST(beam_model_free_has_six_rigid_motions) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.1), 1.5, 4);
    part.b = v3(0.8, 1, -0.5);
    part.offset[0][0] = 0.1, part.offset[1][1] = -0.2;
    part.section[1] = profile(LMB_PROFILE_RECTANGLE, 0.1, 0.05);
    model m;
    open(&m, &part, 0, 0, 0);
    int n = m.fe->n;
    double *K = dense(&m, m.fe->K, 1), *w = zeros(&m), *V = lmb_alloc((size_t)(n * n), sizeof(double));
    lmb_error err = {0};
    CHECK_OK(lmb_dense_eigen(w, V, K, NULL, n, &err), err);
    for (int i = 0; i < 6; i++) CHECK_NEAR(w[i] / w[n - 1], 0, 1e-13);
    CHECK(w[6] > 1e-9 * w[n - 1]);
    lmb_free(K), lmb_free(w), lmb_free(V);
    close(&m);
}

// a tapered beam in one element and in five: the same tip
TEST(beam_model_taper_does_not_depend_on_the_elements) {
    double tip[2];
    for (int k = 0; k < 2; k++) {
        int n = k ? 5 : 1;
        lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.1), 1.5, n);
        part.section[1] = profile(LMB_PROFILE_RECTANGLE, 0.12, 0.08);
        part.theory = LMB_TIMOSHENKO;
        model m;
        open(&m, &part, CLAMPED, 0, 0);
        double *f = zeros(&m), *u = zeros(&m);
        f[m.fe->first[n] + 1] = 1e4, f[m.fe->first[n] + 3] = 1e3;
        solve(u, &m, f);
        tip[k] = u[m.fe->first[n] + 1] + u[m.fe->first[n] + 3];
        lmb_free(f), lmb_free(u);
        close(&m);
    }
    CHECK_NEAR(tip[0] / tip[1], 1, 1e-9);
}

// ---- frequencies -------------------------------------------------------------------------------

// Euler-Bernoulli without rotary inertia: omega = (beta L)^2 sqrt(EI/rho A)/L^2; fourth order in the length of elements
TEST(beam_model_frequencies_of_cantilever) {
    const double beta[3] = {1.87510406871196, 4.69409113297418, 7.85475743823761};
    double error[2][3];
    for (int k = 0; k < 2; k++) {
        lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.02, 0.03), 1, 6 << k);
        part.rotary = LMB_ROTARY_OFF;
        model m;
        open(&m, &part, CLAMPED, 0, UX | UZ | RX | RY);
        double w[3], c = sqrt(steel.E * part.section[0].Iz / (steel.rho * part.section[0].A));
        frequencies(w, 3, &m, NULL);
        for (int i = 0; i < 3; i++) error[k][i] = w[i] / (beta[i] * beta[i] * c) - 1;
        close(&m);
    }
    for (int i = 0; i < 3; i++) {
        // the error of cubics is (beta h)^4/1440
        CHECK_NEAR(error[1][i] / (pow(beta[i] / 12, 4) / 1440), 1, 0.15);
        CHECK_NEAR(log2(error[0][i] / error[1][i]), 4, 0.15);
    }
}

// state (v, theta, Q, M) of a vibrating Timoshenko beam along its length, by Runge-Kutta
static void rates(double d[4], const double y[4], const double c[4], double w2) {
    d[0] = y[2] * c[0] + y[1];       // v' = Q/kGA + theta
    d[1] = y[3] * c[1];              // theta' = M/EI
    d[2] = -w2 * c[2] * y[0];        // Q' = -rho A w^2 v
    d[3] = -y[2] - w2 * c[3] * y[1]; // M' = -Q - rho I w^2 theta
}

// determinant of (Q, M) at the free end for unit (Q, M) at the clamp
static double timoshenko_determinant(const double c[4], double L, double w) {
    double end[2][4];
    for (int k = 0; k < 2; k++) {
        double y[4] = {0, 0, k == 0, k == 1}, a[4], b[4], e[4], f[4], t[4], h = L / 400;
        for (int i = 0; i < 400; i++) {
            rates(a, y, c, w * w);
            for (int j = 0; j < 4; j++) t[j] = y[j] + h / 2 * a[j];
            rates(b, t, c, w * w);
            for (int j = 0; j < 4; j++) t[j] = y[j] + h / 2 * b[j];
            rates(e, t, c, w * w);
            for (int j = 0; j < 4; j++) t[j] = y[j] + h * e[j];
            rates(f, t, c, w * w);
            for (int j = 0; j < 4; j++) y[j] += h / 6 * (a[j] + 2 * b[j] + 2 * e[j] + f[j]);
        }
        memcpy(end[k], y, sizeof y);
    }
    return end[0][2] * end[1][3] - end[0][3] * end[1][2];
}

// the root near w
static double timoshenko_frequency(const double c[4], double L, double w) {
    double a = 0.97 * w, b = 1.03 * w, fa = timoshenko_determinant(c, L, a);
    CHECK(fa * timoshenko_determinant(c, L, b) < 0);
    for (int i = 0; i < 60; i++) {
        double mid = (a + b) / 2, f = timoshenko_determinant(c, L, mid);
        if (f * fa > 0) a = mid;
        else b = mid;
    }
    return (a + b) / 2;
}

// a stocky Timoshenko cantilever with rotary inertia against its differential equations: of second order, as the
// shear force is constant in an element (docs/theory/elements.md)
TEST(beam_model_frequencies_of_timoshenko) {
    double error[2][3], w[3];
    for (int k = 1; k >= 0; k--) {
        lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.1), 1, 8 << k);
        part.theory = LMB_TIMOSHENKO;
        model m;
        open(&m, &part, CLAMPED, 0, UX | UZ | RX | RY);
        const lmb_profile *s = &part.section[0];
        double c[4] = {1 / (s->ky * lmb_shear_modulus(&steel) * s->A), 1 / (steel.E * s->Iz),
                       steel.rho * s->A, steel.rho * s->Iz};
        frequencies(w, 3, &m, NULL);
        for (int i = 0; i < 3; i++) error[k][i] = w[i] / timoshenko_frequency(c, 1, w[i]) - 1;
        close(&m);
    }
    for (int i = 0; i < 3; i++) CHECK_NEAR(log2(error[0][i] / error[1][i]), 2, 0.05);
    CHECK_NEAR(error[1][0], 0, 3e-5);
    // extrapolated
    for (int i = 0; i < 3; i++) CHECK_NEAR((4 * error[1][i] - error[0][i]) / 3, 0, 1e-4);
}

// pinned beam under tension: f_n = n/2L sqrt(F/m) sqrt(1 + n^2 pi^2 EI/(F L^2)); L = 100, D = 0.3, E = 2.11e11,
// rho = 7874, F = 54.6e6
TEST(beam_model_tensioned_beam) {
    int n = 16;
    double L = 100, F = 54.6e6, w[6];
    lmb_beam_part part = part_of(profile(LMB_PROFILE_CIRCLE, 0.3, 0), L, n);
    part.material.E = 2.11e11, part.material.rho = 7874;
    part.rotary = LMB_ROTARY_OFF;
    model m;
    open(&m, &part, PINNED, ROLLER, UZ | RX | RY);
    double mu = 7874 * part.section[0].A, EI = 2.11e11 * part.section[0].Iz, *f = zeros(&m);
    f[m.fe->first[n]] = F;
    double *Kg = geometric(&m, f);
    frequencies(w, 4, &m, Kg);
    for (int i = 1; i <= 4; i++) {
        double want = i / (2 * L) * sqrt(F / mu) * sqrt(1 + i * i * LMB_PI * LMB_PI * EI / (F * L * L));
        CHECK_NEAR(w[i - 1] / (2 * LMB_PI) / want, 1, 1e-3);
    }
    lmb_free(f), lmb_free(Kg);
    close(&m);
}

// ---- buckling ----------------------------------------------------------------------------------

// Euler's four columns: P = c EI/L^2 (weak axis), by eight elements
TEST(beam_model_euler_columns) {
    const struct {
        int start, end;
        double c;
    } columns[] = {{CLAMPED, 0, LMB_PI * LMB_PI / 4},
                   {PINNED, ROLLER, LMB_PI * LMB_PI},
                   {CLAMPED, ROLLER, 20.190728556426629},
                   {CLAMPED, UY | UZ | RY | RZ, 4 * LMB_PI * LMB_PI}};
    for (int k = 0; k < LMB_COUNT(columns); k++) {
        lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.02, 0.03), 2, 8);
        model m;
        open(&m, &part, columns[k].start, columns[k].end, 0);
        double *f = zeros(&m), want = columns[k].c * steel.E * part.section[0].Iz / 4;
        f[m.fe->first[8]] = -1e3;
        double P = 1e3 * buckling(&m, f);
        // a bound from above; the wave of the last one has four elements
        CHECK_NEAR(P / want, 1, 6e-4);
        CHECK(P > want);
        lmb_free(f);
        close(&m);
    }
}

// shear makes a pinned column softer; slope v' carries the force: P = Pe/(1 + Pe/kGA) (Engesser); second order
TEST(beam_model_column_with_shear) {
    double P[2], want = 0;
    for (int k = 0; k < 2; k++) {
        int n = 6 << k;
        lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.3), 1.5, n);
        part.theory = LMB_TIMOSHENKO;
        model m;
        open(&m, &part, PINNED, ROLLER, 0);
        const lmb_profile *s = &part.section[0];
        double *f = zeros(&m), Pe = LMB_PI * LMB_PI * steel.E * s->Iz / 2.25;
        f[m.fe->first[n]] = -1e3;
        P[k] = 1e3 * buckling(&m, f);
        want = Pe / (1 + Pe / (s->ky * lmb_shear_modulus(&steel) * s->A));
        lmb_free(f);
        close(&m);
    }
    CHECK_NEAR(log2((P[0] - want) / (P[1] - want)), 2, 0.1);
    CHECK_NEAR((4 * P[1] - P[0]) / 3 / want, 1, 3e-5);
}

// twist of a bar under compression: P = GJ A/(Iy + Iz), whatever its length
TEST(beam_model_torsional_buckling) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.3, 0.005), 2, 4);
    model m;
    open(&m, &part, CLAMPED, 0, UY | UZ | RY | RZ);
    const lmb_profile *s = &part.section[0];
    double *f = zeros(&m);
    f[m.fe->first[4]] = -1e3;
    double want = lmb_shear_modulus(&steel) * s->J * s->A / (s->Iy + s->Iz);
    CHECK_NEAR(1e3 * buckling(&m, f) / want, 1, 1e-9);
    lmb_free(f);
    close(&m);
}

// a deep beam of n elements: end moments on simple supports, or a force at the tip of a cantilever
static double lateral_buckling(double *want, bool moments, int n) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.004), 3, n);
    model m;
    open(&m, &part, moments ? PINNED : CLAMPED, moments ? ROLLER | RX : 0, 0);
    const lmb_profile *s = &part.section[0];
    double *f = zeros(&m), c = sqrt(steel.E * s->Iy * lmb_shear_modulus(&steel) * s->J);
    if (moments) f[m.fe->first[0] + 5] = -10, f[m.fe->first[n] + 5] = 10;
    else f[m.fe->first[n] + 1] = -10;
    double load = 10 * buckling(&m, f);
    *want = moments ? LMB_PI / 3 * c : 4.0126 / 9 * c;
    lmb_free(f);
    close(&m);
    return load;
}

// Timoshenko, Gere: Theory of Elastic Stability, 6.2 and 6.3: M = pi/L sqrt(EIy GJ), P = 4.013 sqrt(EIy GJ)/L^2;
// the twist is linear in an element: second order
TEST(beam_model_lateral_buckling) {
    for (int k = 0; k < 2; k++) {
        double want, a = lateral_buckling(&want, k, 6), b = lateral_buckling(&want, k, 12);
        CHECK_NEAR(log2((a - want) / (b - want)), 2, 0.1);
        CHECK_NEAR((4 * b - a) / 3 / want, 1, 1e-4);
    }
}

// ---- the part ----------------------------------------------------------------------------------

// mass, centre and inertia of a tube in space through the assembled mass matrix
TEST(beam_model_mass_properties) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_TUBE, 0.1, 0.02), 1.5, 3);
    part.a = v3(1, 0, 0), part.b = v3(3, 0, 0);
    model m;
    open(&m, &part, 0, 0, 0);
    int n = m.fe->n;
    double *V = lmb_alloc((size_t)(6 * n), sizeof(double)), *MV = lmb_alloc((size_t)(6 * n), sizeof(double)),
           G[36];
    double mass = steel.rho * part.section[0].A * 2, I = steel.rho * part.section[0].Iz * 2;
    lmb_fe_rigid(V, m.fe);
    lmb_symmetric_mul(MV, &m.fe->lower, m.fe->M, V, 6);
    lmb_gram(G, 1, V, MV, 0, n, 6, 6);
    CHECK_NEAR(m.fe->mass / mass, 1, 1e-12);
    CHECK_NEAR(G[0] / mass, 1, 1e-12);
    CHECK_NEAR(G[7] / mass, 1, 1e-12);
    CHECK_NEAR(G[1 * 6 + 5] / (2 * mass), 1, 1e-12);                  // first moment
    CHECK_NEAR(G[3 * 6 + 3] / (2 * I), 1, 1e-12);                     // about x
    CHECK_NEAR(G[5 * 6 + 5] / (mass * (4 + 4.0 / 12) + I), 1, 1e-12); // about z
    lmb_free(V), lmb_free(MV);
    close(&m);
}

TEST(beam_part_mesh) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_RECTANGLE, 0.2, 0.1), 2, 4);
    part.section[1] = profile(LMB_PROFILE_RECTANGLE, 0.1, 0.1);
    part.offset[1][0] = 0.4;
    lmb_mesh *m;
    lmb_error err = {0};
    CHECK_OK(lmb_mesh_beam(&m, &part, &err), err);
    CHECK(m->node_count == 5 && m->element_count == 4 && m->property_count == 4);
    CHECK_NEAR(m->x[3].x, 1.5, 1e-15);
    CHECK_NEAR(m->properties[1].section[0].size[0], 0.175, 1e-15);
    CHECK_NEAR(m->properties[1].section[1].size[0], 0.15, 1e-15);
    CHECK_NEAR(m->properties[2].offset[1][0], 0.3, 1e-15);
    int start = lmb_mesh_find_set(m, "start", LMB_SET_NODES),
        end = lmb_mesh_find_set(m, "end", LMB_SET_NODES);
    int all = lmb_mesh_find_set(m, "beam", LMB_SET_ELEMENTS);
    CHECK(start >= 0 && end >= 0 && all >= 0);
    CHECK(m->sets[start].items[0] == 0 && m->sets[end].items[0] == 4 && m->sets[all].count == 4);
    lmb_mesh_destroy(m);
    part = part_of(profile(LMB_PROFILE_CIRCLE, 0.2, 0), 2, 40);
    CHECK_OK(lmb_mesh_beam(&m, &part, &err), err);
    CHECK(m->property_count == 1);
    lmb_mesh_destroy(m);
}

TEST(beam_mesh_without_section_is_refused) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_CIRCLE, 0.2, 0), 2, 4);
    lmb_mesh *m;
    lmb_error err = {0};
    CHECK_OK(lmb_mesh_beam(&m, &part, &err), err);
    m->properties[0].section[1].J = 0;
    CHECK(lmb_mesh_check(NULL, m, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "elements 1 (beam), 2 (beam), 3 (beam), 4 (beam): no beam section (A, Iy, Iz, J "
                             "and the shear factors must be positive)");
    lmb_mesh_destroy(m);
}

static void refuse(lmb_beam_part part, const char *text) {
    lmb_mesh *m;
    lmb_error err = {0};
    part.material.where = (lmb_where){"b.yaml", 5, 1};
    CHECK(lmb_mesh_beam(&m, &part, &err) == LMB_ERR_INPUT);
    CHECK(m == NULL && err.line == 5);
    CHECK_CONTAINS(err.text, text);
}

TEST(beam_part_refuses) {
    const lmb_beam_part good = part_of(profile(LMB_PROFILE_CIRCLE, 0.2, 0), 2, 4);
    lmb_beam_part p = good;
    p.b = p.a, refuse(p, "the beam has zero length"), p = good;
    p.b.x = NAN, refuse(p, "the beam has zero length"), p = good;
    p.elements = 0, refuse(p, "0 elements"), p = good;
    p.section[1].J = 0, refuse(p, "J of the beam's section at its end is 0"), p = good;
    p.section[0].Iy = -1, refuse(p, "Iy of the beam's section at its start"), p = good;
    p.section[0].A = NAN, refuse(p, "A of the beam's section"), p = good;
    p.theory = LMB_TIMOSHENKO, p.section[0].kz = 0, refuse(p, "kz of"), p = good;
    p.material.E = 0, refuse(p, "modulus E"), p = good;
    p.material.nu = 0.5, refuse(p, "Poisson"), p = good;
    p.material.rho = -1, refuse(p, "density"), p = good;
    p.line_mass = -1, refuse(p, "the mass per length of the beam is -1");
}

// every allocation may fail: an error, nothing left behind
TEST(beam_part_without_memory) {
    lmb_beam_part part = part_of(profile(LMB_PROFILE_CIRCLE, 0.2, 0), 2, 20);
    lmb_status st = LMB_ERR_SYSTEM;
    int failures = 0;
    for (int n = 0; n < 200 && st != LMB_OK; n++) {
        lmb_mesh *m;
        lmb_error err = {0};
        lmb_alloc_fail_after(n);
        st = lmb_mesh_beam(&m, &part, &err);
        lmb_alloc_fail_after(-1);
        CHECK(st == LMB_OK ? m != NULL : m == NULL && st == LMB_ERR_SYSTEM);
        failures += st != LMB_OK;
        if (st == LMB_OK) lmb_mesh_destroy(m);
    }
    CHECK(st == LMB_OK && failures > 3);
}
