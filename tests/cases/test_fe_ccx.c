// K and M of the solid elements against CalculiX: ccx assembles the same distorted mesh with curved edges and
// stores its matrices (*FREQUENCY, SOLVER=MATRIXSTORAGE).  Source: CalculiX CrunchiX 2.20, G. Dhondt,
// www.dhondt.de; skipped without ccx.  ccx writes 14 digits, so 1e-10 of the largest diagonal entry is far
// above what the files lose; coordinates have 6 decimals, so that both programs start from the same numbers.
#include "check.h"
#include "fe/solid.h"
#include "linalg/linalg.h"
#include "read/mesh_file.h"
#include "solid_block.h"

#include <stdio.h>
#include <stdlib.h>

static const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0.3, .rho = 7800};

static double decimals(double x) {
    char text[32];
    snprintf(text, sizeof text, "%.6f", x);
    return strtod(text, NULL);
}

// 2 x 1 x 1 cells (tetrahedra: 12, wedges: 4), corners and middle nodes moved
static void make_mesh(solid_block *b, const lmb_element_ops *ops) {
    block_make(b, ops, 2, 1, 1);
    for (int pass = 0; pass < 2; pass++) {
        for (int i = pass ? b->corner_count : 0; i < (pass ? b->node_count : b->corner_count); i++)
            for (int k = 0; k < 3; k++) {
                double x = v3_get(b->x[i], k) + (pass ? 0.02 : 0.1) * check_random();
                b->x[i] = v3_madd(b->x[i], decimals(x) - v3_get(b->x[i], k), v3_axis(k));
            }
        if (!pass) block_straighten(b);
    }
    for (int i = 0; i < b->node_count; i++)
        b->x[i] = v3(decimals(b->x[i].x), decimals(b->x[i].y), decimals(b->x[i].z));
}

static const char isotropic[] = "*MATERIAL, NAME=M\n*ELASTIC\n2.1e11, 0.3\n*DENSITY\n7800.\n"
                                "*SOLID SECTION, ELSET=E, MATERIAL=M\n";

static bool write_deck(const char *path, const solid_block *b, const char *type, const char *material) {
    FILE *f = fopen(path, "w");
    if (!f) return false;
    fprintf(f, "*NODE, NSET=ALL\n");
    for (int i = 0; i < b->node_count; i++)
        fprintf(f, "%d, %.6f, %.6f, %.6f\n", i + 1, b->x[i].x, b->x[i].y, b->x[i].z);
    fprintf(f, "*ELEMENT, TYPE=%s, ELSET=E\n", type);
    for (int e = 0; e < b->element_count; e++) {
        fprintf(f, "%d", e + 1);
        // at most 16 numbers a line
        for (int i = 0; i < b->ops->nodes; i++) fprintf(f, i == 12 ? ",\n%d" : ", %d", b->nodes[e][i] + 1);
        fprintf(f, "\n");
    }
    fprintf(f, "%s*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n1\n*END STEP\n", material);
    return fclose(f) == 0;
}

// runs ccx in the folder of the deck
static bool run_ccx(const char *path) {
    char command[1024];
    const char *slash = strrchr(path, '/');
    snprintf(command, sizeof command, "cd '%.*s' && OMP_NUM_THREADS=1 ccx '%.*s' >/dev/null 2>&1",
             (int)(slash - path), path, (int)(strlen(slash + 1) - 4), slash + 1);
    return system(command) == 0;
}

static FILE *open_beside(const char *path, const char *ending) {
    char name[1024];
    snprintf(name, sizeof name, "%.*s%s", (int)(strlen(path) - 4), path, ending);
    return fopen(name, "r");
}

// ccx's matrix in our order of degrees of freedom, dense; false: a file is missing or unlike its format
static bool read_matrix(double *A, int n, const char *path, const char *ending) {
    FILE *dof = open_beside(path, ".dof"), *f = open_beside(path, ending);
    int *ours = lmb_alloc((size_t)n, sizeof *ours), count = 0, node, direction, i, j, entries = 0;
    double value;
    bool ok = dof && f;
    for (; ok && fscanf(dof, "%d.%d", &node, &direction) == 2; count++)
        if ((ok = count < n)) ours[count] = 3 * (node - 1) + direction - 1;
    while (ok && fscanf(f, "%d %d %lf", &i, &j, &value) == 3) {
        ok = i >= 1 && j >= 1 && i <= n && j <= n;
        if (ok) A[ours[i - 1] * n + ours[j - 1]] = A[ours[j - 1] * n + ours[i - 1]] = value, entries++;
    }
    if (dof) fclose(dof);
    if (f) fclose(f);
    lmb_free(ours);
    return ok && count == n && entries > n;
}

// C3D8I: ccx keeps the amplitudes of each element's modes as three nodes after the others; condensed here:
// K_uu - K_ua K_aa^-1 K_au
static bool read_condensed(double *K, int n, int modes, const char *path) {
    int all = n + modes, *pivot = lmb_alloc((size_t)modes, sizeof *pivot);
    double *A = lmb_alloc((size_t)all * (size_t)all, sizeof *A), *x = lmb_alloc((size_t)modes, sizeof *x),
           *Kaa = lmb_alloc((size_t)modes * (size_t)modes, sizeof *Kaa);
    bool ok = read_matrix(A, all, path, ".sti");
    for (int i = 0; i < modes; i++) memcpy(Kaa + i * modes, A + (n + i) * all + n, (size_t)modes * sizeof *A);
    ok = ok && lmb_dense_lu(Kaa, pivot, modes);
    for (int j = 0; ok && j < n; j++) {
        for (int i = 0; i < modes; i++) x[i] = A[(n + i) * all + j];
        lmb_dense_lu_solve(x, Kaa, pivot, modes);
        for (int i = 0; i < n; i++) K[i * n + j] = A[i * all + j] - lmb_dot(A + i * all + n, x, modes);
    }
    lmb_free(A), lmb_free(x), lmb_free(Kaa), lmb_free(pivot);
    return ok;
}

// Me += m N' N
static void add_mass(double *Me, double m, const double (*N)[LMB_ELEMENT_DOFS], int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 3; k++) Me[i * n + j] += m * N[k][i] * N[k][j];
}

// M by the points of the stiffness, as ccx does it
static void reduced_mass(double *Me, const lmb_element *e) {
    lmb_rule rule;
    lmb_solid_point p;
    e->ops->solid->stiffness(&rule);
    for (int q = 0; q < rule.count; q++) {
        double N[3][LMB_ELEMENT_DOFS] = {0};
        lmb_solid_at(&p, e, rule.p[q].xi);
        for (int i = 0; i < e->ops->nodes; i++) N[0][3 * i] = N[1][3 * i + 1] = N[2][3 * i + 2] = p.N[i];
        add_mass(Me, steel.rho * rule.p[q].w * p.det, (const double(*)[LMB_ELEMENT_DOFS])N,
                 3 * e->ops->nodes);
    }
}

typedef struct matrices {
    int n;
    double *K, *M, *M_reduced;
} matrices;

static void our_matrices(matrices *out, const solid_block *b) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    static double Ke[60 * 60], Me[60 * 60], Mr[60 * 60];
    lmb_element e;
    for (int i = 0; i < b->element_count; i++) {
        block_element(&e, b, i, &steel);
        b->ops->stiffness(Ke, &e);
        memset(Me, 0, sizeof Me);
        memset(Mr, 0, sizeof Mr);
        int count = b->ops->mass_points(points, &e, LMB_MASS_CONSISTENT);
        for (int p = 0; p < count; p++)
            add_mass(Me, points[p].mass, (const double(*)[LMB_ELEMENT_DOFS])points[p].N, 3 * b->ops->nodes);
        reduced_mass(Mr, &e);
        block_scatter(out->K, b, i, Ke, out->n);
        block_scatter(out->M, b, i, Me, out->n);
        block_scatter(out->M_reduced, b, i, Mr, out->n);
    }
}

// largest difference of entries by the largest diagonal entry
static double difference(const double *A, const double *B, int n) {
    double worst = 0, top = 0;
    for (int i = 0; i < n * n; i++) worst = fmax(worst, fabs(A[i] - B[i]));
    for (int i = 0; i < n; i++) top = fmax(top, A[i * n + i]);
    return worst / top;
}

typedef struct comparison {
    double K, M, M_reduced;
} comparison;

static double *square(int n) { return lmb_alloc((size_t)n * (size_t)n, sizeof(double)); }

// the mesh of ops as elements of that type of ccx; false: a check failed
static bool compare_mesh(comparison *out, const solid_block *b, const char *type) {
    char name[32];
    snprintf(name, sizeof name, "%s.inp", type);
    const char *path = check_temp(name);
    int n = 3 * b->node_count;
    matrices ours = {n, square(n), square(n), square(n)};
    double *K = square(n), *M = square(n);
    bool ok = CHECK(write_deck(path, b, type, isotropic)) && CHECK(run_ccx(path));
    if (b->ops == &lmb_element_hex8) ok = ok && CHECK(read_condensed(K, n, 9 * b->element_count, path));
    else ok = ok && CHECK(read_matrix(K, n, path, ".sti")) && CHECK(read_matrix(M, n, path, ".mas"));
    our_matrices(&ours, b);
    *out = (comparison){difference(ours.K, K, n), difference(ours.M, M, n), difference(ours.M_reduced, M, n)};
    lmb_free(ours.K), lmb_free(ours.M), lmb_free(ours.M_reduced), lmb_free(K), lmb_free(M);
    return ok;
}

static bool have_ccx(void) {
    bool have = system("command -v ccx >/dev/null 2>&1") == 0;
    if (!have) check_skip("ccx (CalculiX) is not installed");
    return have;
}

// K entry by entry.  M: ccx takes the points of the stiffness for both, which for C3D20 is the full rule;
// elsewhere it is short of exact (C3D4: one point, all nodes of an element in step), and limber's M is exact
// on straight elements.
static void compare(const lmb_element_ops *ops, const char *type) {
    comparison c;
    if (!have_ccx()) return;
    solid_block *b = lmb_alloc(1, sizeof *b);
    make_mesh(b, ops);
    if (compare_mesh(&c, b, type)) {
        CHECK_NEAR(c.K, 0, 1e-10);
        CHECK_NEAR(c.M_reduced, 0, 1e-10);
        if (ops == &lmb_element_hex20) CHECK_NEAR(c.M, 0, 1e-10);
    }
    lmb_free(b);
}

TEST(tet4) { compare(&lmb_element_tet4, "C3D4"); }
TEST(tet10) { compare(&lmb_element_tet10, "C3D10"); }
TEST(hex20) { compare(&lmb_element_hex20, "C3D20"); }
TEST(hex20r) { compare(&lmb_element_hex20r, "C3D20R"); }
TEST(wedge6) { compare(&lmb_element_wedge6, "C3D6"); }
TEST(wedge15) { compare(&lmb_element_wedge15, "C3D15"); }

// C3D8I takes the gradients of the modes with J_0^-1 alone; limber's have the factor det J_0 / det J, which
// the patch test asks for.  On parallelepipeds it is 1: equal.  (Elsewhere, with the factor dropped: equal
// too, 1.5e-14.)
TEST(hex8) {
    const mat3 skew = {{{1.3, 0.25, -0.1}, {0.15, 0.9, 0.2}, {-0.2, 0.1, 1.1}}};
    comparison c;
    if (!have_ccx()) return;
    solid_block *b = lmb_alloc(1, sizeof *b);
    block_make(b, &lmb_element_hex8, 2, 2, 1);
    block_map(b, &skew, V3_ZERO);
    if (compare_mesh(&c, b, "C3D8I")) CHECK_NEAR(c.K, 0, 1e-10);
    lmb_free(b);
}

// ---- materials that are not isotropic, as the deck's reader reads them ---------------------------

// all K of the deck, in the order of its nodes
static bool read_deck(double *K, const solid_block *b, const char *path) {
    static double Ke[60 * 60];
    lmb_error err = {0};
    lmb_mesh *m;
    lmb_element e;
    if (!CHECK_OK(lmb_mesh_read_file(&m, path, NULL, NULL, NULL, &err), err)) return false;
    bool ok = CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    for (int i = 0; ok && i < m->element_count; i++) {
        lmb_mesh_element_get(&e, m, i);
        e.ops->stiffness(Ke, &e);
        block_scatter(K, b, i, Ke, 3 * b->node_count);
    }
    lmb_mesh_destroy(m);
    return ok;
}

#define SECTION "*DENSITY\n1600.\n*SOLID SECTION, ELSET=E, MATERIAL=M, ORIENTATION=O\n"
static const char *const materials[] = {
    "*MATERIAL, NAME=M\n*ELASTIC, TYPE=ENGINEERING CONSTANTS\n140e9, 10e9, 9e9, .3, .28, .45, 5e9, "
    "4.5e9\n3.2e9\n"
    "*ORIENTATION, NAME=O, SYSTEM=RECTANGULAR\n0.2, 1., 0.3, -0.5, 0.4, 1.\n3, 25.\n" SECTION,
    "*MATERIAL, NAME=M\n*ELASTIC, TYPE=ORTHO\n150e9, 4e9, 12e9, 3e9, 5e9, 11e9, 5e9, 4.5e9\n3.2e9\n"
    "*ORIENTATION, NAME=O, SYSTEM=CYLINDRICAL\n-1., -1.2, 0.1, -1.1, -1., 1.3\n" SECTION,
    // diagonally dominant: positive definite
    "*MATERIAL, NAME=M\n*ELASTIC, TYPE=ANISO\n90e9, 4e9, 32e9, 3e9, 5e9, 41e9, 1e9, -2e9\n"
    "3e9, 25e9, 1.5e9, 2.5e9, -1e9, 2e9, 34e9, -1.5e9\n0.5e9, 1.2e9, -0.7e9, 2.2e9, 43e9\n"
    "*ORIENTATION, NAME=O, SYSTEM=RECTANGULAR\n0.2, 1., 0.3, -0.5, 0.4, 1.\n" SECTION,
};

// K entry by entry, by the same deck.  C3D8I on a parallelepiped and with axes that do not vary (see hex8): with cylindrical ones
// ccx takes them at the points like limber, but the modes' gradients do not matter for that: equal too.
static void compare_deck(const lmb_element_ops *ops, const char *type, const char *material) {
    const mat3 skew = {{{1.3, 0.25, -0.1}, {0.15, 0.9, 0.2}, {-0.2, 0.1, 1.1}}};
    solid_block *b = lmb_alloc(1, sizeof *b);
    bool modes = ops == &lmb_element_hex8;
    if (modes) block_make(b, ops, 2, 2, 1), block_map(b, &skew, V3_ZERO);
    else make_mesh(b, ops);
    int n = 3 * b->node_count;
    double *theirs = square(n), *ours = square(n);
    const char *path = check_temp("aniso.inp");
    bool ok = CHECK(write_deck(path, b, type, material)) && CHECK(run_ccx(path));
    if (ok && modes) ok = CHECK(read_condensed(theirs, n, 9 * b->element_count, path));
    else if (ok) ok = CHECK(read_matrix(theirs, n, path, ".sti"));
    if (ok && read_deck(ours, b, path) && !CHECK_NEAR(difference(ours, theirs, n), 0, 1e-10))
        check_note("%s %.60s", type, material);
    lmb_free(theirs), lmb_free(ours), lmb_free(b);
}

TEST(materials_that_are_not_isotropic) {
    static const struct {
        const lmb_element_ops *ops;
        const char *type;
    } all[] = {{&lmb_element_tet4, "C3D4"},    {&lmb_element_tet10, "C3D10"},   {&lmb_element_hex8, "C3D8I"},
               {&lmb_element_hex20, "C3D20"},  {&lmb_element_hex20r, "C3D20R"}, {&lmb_element_wedge6, "C3D6"},
               {&lmb_element_wedge15, "C3D15"}};
    if (!have_ccx()) return;
    for (int i = 0; i < LMB_COUNT(all); i++)
        for (int k = 0; k < LMB_COUNT(materials); k++) compare_deck(all[i].ops, all[i].type, materials[k]);
}
