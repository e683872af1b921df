// Lateral buckling of thick beams under end moments: beam elements against their closed form, and against solids.
//
// On forks a beam buckles with w and t_x ~ sin(k x), k = pi/L.  The moment acts on the slope of the fibres, tx' w' M, so shear makes it
// softer as it does a column (Engesser): M^2 = k^2 GJ EIy/(1 + k^2 EIy/(kz GA)).  Solids of Green strain (Poisson's ratio 0, where the
// sine and the initial bending satisfy all conditions at the ends point by point) have it, too.  docs/theory/elements.md (7)
#include "fe_parts.h"
#include "linalg/symmetric.h"

static const lmb_material soft = {.name = "soft", .E = 1e9, .nu = 0, .rho = 1000};

typedef struct beam { // half of it: from a fork at x = 0 to its middle
    double L, y, z;
} beam;

typedef struct held { // free equations of a model
    const lmb_fe *fe;
    int count, *place;
} held;

static double *dense(const held *h, const double *values, double factor) {
    const lmb_pattern *p = &h->fe->lower;
    double *A = lmb_alloc((size_t)h->count * (size_t)h->count, sizeof *A);
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            int r = h->place[p->row[k]], c = h->place[j];
            if (r >= 0 && c >= 0) A[r * h->count + c] = A[c * h->count + r] = factor * values[k];
        }
    return A;
}

// smallest factor of the stress of u at which K + factor Kg is singular
static double buckling(const held *h, const double *u) {
    lmb_error err = {0};
    int n = h->count;
    double *Kg = lmb_alloc((size_t)h->fe->lower.nnz, sizeof *Kg), *w = lmb_alloc((size_t)n, sizeof *w),
           *V = lmb_alloc((size_t)n * (size_t)n, sizeof *V);
    CHECK_OK(lmb_fe_geometric_matrix(Kg, h->fe, u, &err), err);
    double *A = dense(h, Kg, -1), *B = dense(h, h->fe->K, 1);
    CHECK_OK(lmb_dense_eigen(w, V, A, B, n, &err), err);
    double factor = 1 / w[n - 1];
    lmb_free(Kg), lmb_free(w), lmb_free(V), lmb_free(A), lmb_free(B);
    return factor;
}

// the curvature at which the part on mesh buckles; u: displacements of unit curvature about z
static double critical_curvature(lmb_mesh *mesh, const beam *b) {
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    held h = {fe, 0, lmb_alloc((size_t)fe->n, sizeof(int))};
    double *u = lmb_alloc((size_t)fe->n, sizeof *u), middle = b->L / 2;
    for (int i = 0; i < fe->node_count; i++) {
        vec3 x = fe->x[i];
        bool solid = fe->dofs[i] == 3, fork = x.x<1e-9, half = x.x> middle * (1 - 1e-9),
             plane = solid && x.z < 1e-9; // u and v are odd in z
        double s = x.x - middle, y = solid ? x.y - b->y / 2 : 0;
        const double field[6] = {-s * y, (s * s - middle * middle) / 2, 0, 0, 0, s};
        for (int k = 0; k < fe->dofs[i]; k++) {
            bool fixed = (fork && k >= 1 && k <= 3) || (half && (k == 0 || k >= 4)) || (plane && k < 2);
            h.place[fe->first[i] + k] = fixed ? -1 : h.count++;
            u[fe->first[i] + k] = field[k];
        }
    }
    double factor = buckling(&h, u);
    lmb_free(u), lmb_free(h.place);
    lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
    return factor;
}

// M^2/(k^2 GJ EIy) from the curvature
static double softness(const beam *b, const lmb_profile *s, double curvature) {
    double k = LMB_PI / b->L, M = soft.E * s->Iz * curvature;
    return M * M / (k * k * lmb_shear_modulus(&soft) * s->J * soft.E * s->Iy);
}

static double of_beams(const beam *b, const lmb_profile *s, int n) {
    lmb_error err = {0};
    lmb_mesh *mesh = NULL;
    lmb_beam_part part = {.b = v3(b->L / 2, 0, 0), .up = v3(0, 1, 0), .elements = n, .material = soft};
    part.section[0] = part.section[1] = *s;
    CHECK_OK(lmb_mesh_beam(&mesh, &part, &err), err);
    return softness(b, s, critical_curvature(mesh, b));
}

// the half z > 0
static double of_solids(const beam *b, const lmb_profile *s) {
    lmb_mesh *mesh = part_box_make(&(part_box){b->L / 2, b->y, b->z / 2, 3, 4, 2, &lmb_element_hex20});
    mesh->materials[0] = soft;
    return softness(b, s, critical_curvature(mesh, b));
}

TEST(thick_beams_buckle_like_solids) {
    // length, height, width; what is left between beams and solids are the section's distortion and warping
    static const struct {
        beam b;
        double tolerance;
    } all[] = {{{1, 0.2, 0.2}, 0.03}, {{2, 0.2, 0.2}, 0.006}, {{1, 0.2, 0.1}, 0.007}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        const beam *b = &all[i].b;
        lmb_profile s;
        lmb_error err = {0};
        CHECK_OK(lmb_profile_make(&s, LMB_PROFILE_RECTANGLE, (double[]){b->y, b->z}, 2, 0, LMB_NOWHERE, &err),
                 err);
        double k = LMB_PI / b->L, phi = k * k * soft.E * s.Iy / (s.kz * lmb_shear_modulus(&soft) * s.A);
        double a = of_beams(b, &s, 8), c = of_beams(b, &s, 16), solid = of_solids(b, &s);
        check_note("1/(1 + phi) %.5f, beams %.5f, solids %.5f", 1 / (1 + phi), (4 * c - a) / 3, solid);
        CHECK_NEAR((4 * c - a) / 3 * (1 + phi), 1, 1e-4); // second order, extrapolated
        CHECK_NEAR(solid * (1 + phi), 1, all[i].tolerance);
        CHECK(fabs(solid * (1 + phi) - 1) < 0.35 * fabs(solid - 1)); // without shear: three times as far
    }
}
