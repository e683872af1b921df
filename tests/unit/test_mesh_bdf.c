// tests of mesh/bdf*.c: Nastran bulk data.
#include "check.h"
#include "mesh/mesh.h"
#include "read/mesh_file.h"
#include "solid_block.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_mesh *read_bdf(const char *text) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_mesh_read_bdf(&m, text, strlen(text), "t.bdf", &err), err);
    return m;
}

static const lmb_mesh_set *get_set(const lmb_mesh *m, const char *name, lmb_set_kind kind) {
    static const lmb_mesh_set none = {0};
    int set = lmb_mesh_find_set(m, name, kind);
    if (!CHECK(set >= 0)) check_note("no set %s", name);
    return set >= 0 ? &m->sets[set] : &none;
}

// ---- one mesh as Nastran and as Abaqus deck ------------------------------------------------------

typedef enum style { SMALL, LARGE, FREE, STYLES } style;

// a card in one of the formats; numbers and texts are fields of up to 8 (large: 16) characters
static void card(lmb_text *out, style s, const char *name, int count, char fields[][24]) {
    int row = s == LARGE ? 4 : 8;
    for (int i = 0; i < count; i++) {
        if (i % row == 0 && i > 0)
            lmb_text_add(out,
                         s == LARGE  ? "*C%d\n*C%d%*s"
                         : s == FREE ? "\n+"
                                     : "+C%d\n+C%d%*s",
                         i, i, 6 - (i > 9), "");
        if (i == 0) lmb_text_add(out, s == LARGE ? "%-7s*" : s == FREE ? "%s" : "%-8s", name);
        lmb_text_add(out, s == LARGE ? "%-16s" : s == FREE ? ",%s" : "%-8s", fields[i]);
    }
    lmb_text_add(out, "\n");
}

static const struct {
    const lmb_element_ops *ops;
    const char *nastran, *abaqus;
} pairs[] = {
    {&lmb_element_tet4, "CTETRA", "C3D4"},   {&lmb_element_tet10, "CTETRA", "C3D10"},
    {&lmb_element_wedge6, "CPENTA", "C3D6"}, {&lmb_element_wedge15, "CPENTA", "C3D15"},
    {&lmb_element_hex8, "CHEXA", "C3D8I"},   {&lmb_element_hex20, "CHEXA", "C3D20"},
};
// edges with middle nodes in the order of Nastran's manual, by corners
static const signed char nastran_edges[3][12][2] = {
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
    {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 4}, {2, 5}, {3, 4}, {4, 5}, {5, 3}},
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 5}, {2, 6}, {3, 7}, {4, 5}, {5, 6}, {6, 7}, {7, 4}},
};

static void write_abaqus(lmb_text *out, const solid_block *b, const char *type) {
    lmb_text_add(out, "*NODE\n");
    for (int i = 0; i < b->node_count; i++)
        lmb_text_add(out, "%d, %.4f, %.4f, %.4f\n", i + 1, b->x[i].x, b->x[i].y, b->x[i].z);
    lmb_text_add(out, "*ELEMENT, TYPE=%s, ELSET=E\n", type);
    for (int e = 0; e < b->element_count; e++) {
        lmb_text_add(out, "%d", e + 1);
        for (int i = 0; i < b->ops->nodes; i++)
            lmb_text_add(out, i == 12 ? ",\n%d" : ", %d", b->nodes[e][i] + 1);
        lmb_text_add(out, "\n");
    }
    lmb_text_add(out, "*MATERIAL, NAME=M\n*ELASTIC\n2.1e5, 0.3\n*DENSITY\n7.85e-9\n"
                      "*SOLID SECTION, ELSET=E, MATERIAL=M\n");
}

static int middle_of(const solid_block *b, int p, int q) {
    for (int i = b->corner_count; i < b->node_count; i++)
        if (b->ends[i][0] == (p < q ? p : q) && b->ends[i][1] == (p < q ? q : p)) return i;
    return -1;
}

static void write_nastran(lmb_text *out, const solid_block *b, const char *type, style s) {
    char f[24][24] = {{0}};
    for (int i = 0; i < b->node_count; i++) {
        snprintf(f[0], 24, "%d", i + 1), f[1][0] = '\0';
        for (int k = 0; k < 3; k++) snprintf(f[2 + k], 24, "%.4f", v3_get(b->x[i], k));
        card(out, s, "GRID", 5, f);
    }
    int family = type[1] == 'T' ? 0 : type[1] == 'P' ? 1 : 2, corners = family == 0 ? 4 : family == 1 ? 6 : 8;
    for (int e = 0; e < b->element_count; e++) {
        const int *n = b->nodes[e];
        snprintf(f[0], 24, "%d", e + 1), snprintf(f[1], 24, "7");
        for (int i = 0; i < corners; i++) snprintf(f[2 + i], 24, "%d", n[i] + 1);
        for (int i = corners; i < b->ops->nodes; i++) {
            const signed char *edge = nastran_edges[family][i - corners];
            snprintf(f[2 + i], 24, "%d", middle_of(b, n[edge[0]], n[edge[1]]) + 1);
        }
        card(out, s, type, 2 + b->ops->nodes, f);
    }
    lmb_text_add(out, "MAT1,3,2.1+5,,.3,7.85-9\nPSOLID,7,3\n");
}

static bool same_meshes(const lmb_mesh *a, const lmb_mesh *b) {
    bool same = CHECK(a->node_count == b->node_count && a->element_count == b->element_count &&
                      a->nodes_of_count == b->nodes_of_count);
    for (int i = 0; same && i < a->node_count; i++)
        same = CHECK(v3_norm(v3_sub(a->x[i], b->x[i])) == 0 && a->label[i] == b->label[i]);
    for (int i = 0; same && i < a->element_count; i++) same = CHECK(a->elements[i].ops == b->elements[i].ops);
    for (int i = 0; same && i < a->nodes_of_count; i++) same = CHECK(a->nodes_of[i] == b->nodes_of[i]);
    return same;
}

TEST(bdf_solids_are_those_of_the_abaqus_deck) {
    for (int k = 0; k < LMB_COUNT(pairs); k++)
        for (style s = 0; s < STYLES; s++) {
            static solid_block b;
            lmb_text inp = {0}, bdf = {0};
            lmb_mesh *theirs = NULL;
            lmb_error err = {0};
            block_make(&b, pairs[k].ops, 2, 1, 1);
            write_abaqus(&inp, &b, pairs[k].abaqus), write_nastran(&bdf, &b, pairs[k].nastran, s);
            CHECK_OK(lmb_mesh_read_inp(&theirs, inp.text, inp.length, "t.inp", &err), err);
            lmb_mesh *ours = read_bdf(bdf.text);
            if (ours && theirs && same_meshes(ours, theirs)) {
                CHECK(ours->materials[0].E == 2.1e5 && ours->materials[0].nu == 0.3 &&
                      ours->materials[0].rho == 7.85e-9);
                CHECK_OK(lmb_mesh_check(NULL, ours, &err), err);
                CHECK(get_set(ours, "PSOLID_7", LMB_SET_ELEMENTS)->count == b.element_count);
            } else {
                check_note("%s, style %d", pairs[k].abaqus, (int)s);
            }
            lmb_mesh_destroy(ours), lmb_mesh_destroy(theirs);
            lmb_text_free(&inp), lmb_text_free(&bdf);
        }
}

// ---- coordinate systems ------------------------------------------------------------------------

// by hand: a cylinder about x at (1, 0, 0); spheres in it; grid points as axes
TEST(bdf_coordinate_systems) {
    lmb_mesh *m =
        read_bdf("GRID,1,3,2.,90.,5.\nGRID,2,,1.,2.,3.\nGRID,3,4,1.,90.,90.\n"
                 "CORD2C,3,,1.,0.,0.,2.,0.,0.\n,1.,1.,0.\n"  // z = x, xz plane through y
                 "CORD2S,4,3,0.,0.,0.,0.,0.,1.\n,1.,0.,0.\n" // the same axes, in the cylinder
                 "GRID,10,0,0.,0.,1.\nGRID,11,0,0.,0.,2.\nGRID,12,0,0.,1.,1.\n"
                 "CORD1R,5,10,11,12\nGRID,4,5,1.,2.,3.\nGRDSET,,5\nGRID,5,,1.,0.,0.\nGRID,6,0,1.,0.,0.\n"
                 "CONM2,1,1,,1.\n");
    if (m == NULL) return;
    // GRDSET applies to every blank CP: 2 and 5 are in system 5, at (-y, x, z + 1)
    static const double want[6][3] = {{6, 0, 2}, {-2, 1, 4}, {1, 0, 1}, {-2, 1, 4}, {0, 1, 1}, {1, 0, 0}};
    static const int label[6] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 6; i++) {
        vec3 x = m->x[lmb_mesh_find_node(m, label[i])], w = v3_load(want[i]);
        if (!CHECK_NEAR(v3_norm(v3_sub(x, w)), 0, 1e-14))
            check_note("grid point %d: %g %g %g", label[i], x.x, x.y, x.z);
    }
    lmb_mesh_destroy(m);
}

// ---- bars --------------------------------------------------------------------------------------

#define BAR_NODES "GRID,1,,0.,0.,0.\nGRID,2,,2.,0.,0.\nMAT1,1,2.+11,,.3,7800.\n"

TEST(bdf_sections) {
    static const struct {
        const char *cards;
        double A, Iz, Iy; // I1, I2 of Nastran
    } all[] = {
        {"PBARL,1,1,,BAR\n,.2,.3\n", 0.06, 0.2 * 0.027 / 12, 0.3 * 0.008 / 12},
        {"PBARL,1,1,,ROD\n,.1\n", LMB_PI * 0.01, LMB_PI * 1e-4 / 4, LMB_PI * 1e-4 / 4},
        {"PBARL,1,1,,TUBE\n,.1,.08\n", LMB_PI * 0.0036, LMB_PI * (1e-4 - 4.096e-5) / 4,
         LMB_PI * (1e-4 - 4.096e-5) / 4},
        {"PBARL,1,1,,BOX\n,.2,.3,.02,.01\n", 0.06 - 0.18 * 0.26, (0.2 * 0.027 - 0.18 * 0.017576) / 12,
         (0.3 * 0.008 - 0.26 * 0.005832) / 12},
        {"PBARL,1,1,,I\n,.3,.2,.2,.01,.02,.02\n", 0.2 * 0.04 + 0.26 * 0.01,
         (0.2 * 0.027 - 0.19 * 0.017576) / 12, (2 * 0.02 * 0.008 + 0.26 * 1e-6) / 12},
        {"PBAR,1,1,.06,4.5-4,2.-4,5.-4\n", 0.06, 4.5e-4, 2e-4},
        // of axes turned by 30 degrees: I12 = (I1 - I2) / 2 sin 60, as principal moments 3e-4 and 1e-4
        {"PBAR,1,1,.06,2.5-4,1.5-4,5.-4\n,\n,,,8.6602540378-5\n", 0.06, 3e-4, 1e-4},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[512];
        snprintf(text, sizeof text, BAR_NODES "CBAR,1,1,1,2,0.,1.,0.\n%s", all[i].cards);
        lmb_mesh *m = read_bdf(text);
        if (m == NULL) continue;
        const lmb_profile *s = &m->properties[m->elements[0].property].section[0];
        bool ok = CHECK_NEAR(s->A / all[i].A, 1, 1e-12);
        ok = CHECK_NEAR(s->Iz / all[i].Iz, 1, 1e-9) && ok;
        ok = CHECK_NEAR(s->Iy / all[i].Iy, 1, 1e-9) && ok;
        if (i == LMB_COUNT(all) - 1) CHECK_NEAR(s->turn, LMB_PI / 6, 1e-9);
        if (!ok) check_note("%s", all[i].cards);
        lmb_mesh_destroy(m);
    }
}

// displacement of the ends by those of the nodes: u + theta x w
static void lever(double T[12][12], const vec3 w[2]) {
    memset(T, 0, 144 * sizeof(double));
    for (int n = 0; n < 2; n++) {
        mat3 D = m3_neg(m3_skew(w[n]));
        for (int i = 0; i < 3; i++) {
            T[6 * n + i][6 * n + i] = T[6 * n + 3 + i][6 * n + 3 + i] = 1;
            for (int k = 0; k < 3; k++) T[6 * n + i][6 * n + 3 + k] = D.m[i][k];
        }
    }
}

// A bar with offsets is the bar between the ends on two levers: K = T' K_ends T.  Unequal offsets across, v skew to all.
TEST(bdf_offsets_of_bars) {
    static double K[144], E[144], T[12][12];
    const vec3 w[2] = {{0, 0.1, 0.3}, {0, -0.2, 0.15}};
    lmb_mesh *m =
        read_bdf(BAR_NODES "PBAR,1,1,.06,4.5-4,2.-4,5.-4\nCBAR,1,1,1,2,.3,1.,.4\n,,,0.,.1,.3,0.,-.2,.15\n");
    lmb_mesh *ends = read_bdf("GRID,1,,0.,.1,.3\nGRID,2,,2.,-.2,.15\nMAT1,1,2.+11,,.3,7800.\n"
                              "PBAR,1,1,.06,4.5-4,2.-4,5.-4\nCBAR,1,1,1,2,.3,1.,.4\n");
    if (m && ends) {
        lmb_element a, b;
        double size = 0, worst = 0;
        lmb_mesh_element_get(&a, m, 0), lmb_mesh_element_get(&b, ends, 0);
        a.ops->stiffness(K, &a), b.ops->stiffness(E, &b);
        lever(T, w);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) {
                double sum = 0;
                for (int k = 0; k < 12; k++)
                    for (int l = 0; l < 12; l++) sum += T[k][i] * E[12 * k + l] * T[l][j];
                size = fmax(size, fabs(sum)), worst = fmax(worst, fabs(sum - K[12 * i + j]));
            }
        CHECK_NEAR(worst / size, 0, 1e-12);
    }
    lmb_mesh_destroy(m), lmb_mesh_destroy(ends);
}

// ---- masses and springs ------------------------------------------------------------------------

TEST(bdf_point_mass) {
    // axes turned by 90 degrees about z: its x is our y; PARAM doubles all
    lmb_mesh *m = read_bdf("GRID,1,,1.,0.,0.\nCORD2R,2,,0.,0.,0.,0.,0.,1.\n,0.,1.,0.\nPARAM,WTMASS,2.\n"
                           "CONM2,9,1,2,3.,.1,.2,.3\n,4.,.5,5.,.6,.7,6.\nCONM2,10,1,-1,3.,1.1,.2,.3\n");
    if (m == NULL) return;
    const lmb_property *p = &m->properties[m->elements[0].property];
    CHECK(p->mass == 6);
    CHECK_NEAR(v3_norm(v3_sub(p->com, v3(-0.2, 0.1, 0.3))), 0, 1e-15);
    // I'(yy) = I11, I'(xx) = I22; products: I'(xy) = -I21 (x' = y, y' = -x), tensor entries are minus the products
    CHECK_NEAR(p->inertia.m[1][1], 8, 1e-14);
    CHECK_NEAR(p->inertia.m[0][0], 10, 1e-14);
    CHECK_NEAR(p->inertia.m[2][2], 12, 1e-14);
    CHECK_NEAR(p->inertia.m[0][1], 1.0, 1e-14);  // -(-0.5) * 2
    CHECK_NEAR(p->inertia.m[1][2], -1.2, 1e-14); // -I31 * 2
    CHECK_NEAR(p->inertia.m[0][2], 1.4, 1e-14);  // +I32 * 2
    CHECK_NEAR(v3_norm(v3_sub(m->properties[m->elements[1].property].com, v3(0.1, 0.2, 0.3))), 0, 1e-15);
    lmb_mesh_destroy(m);
}

static double stiffness_of(const lmb_mesh *m, int element, int dof) {
    static double K[144];
    lmb_element e;
    lmb_mesh_element_get(&e, m, element);
    e.ops->stiffness(K, &e);
    return K[dof * e.ops->nodes * 6 + dof];
}

TEST(bdf_springs_and_rods) {
    lmb_mesh *m = read_bdf("GRID,1,,0.,0.,0.\nGRID,2,,0.,2.,0.\nGRID,3,,0.,2.,0.\nMAT1,1,2.+11,,.25,7800.\n"
                           "CELAS2,1,1000.,1,2\nCELAS2,2,500.,2,5,3,5\nPELAS,4,700.\nCELAS1,3,4,1,2,2,2\n"
                           "PBUSH,5,K,1.,2.,3.,4.,5.,6.\nCBUSH,4,5,1,2\nCBUSH,5,5,2,3,,,,0\n"
                           "CONROD,6,1,2,1,1.-4,1.-8,,.3\nPROD,6,1,2.-4\nCROD,7,6,1,2\n");
    if (m == NULL) return;
    const double E = 2e11, G = 0.8e11;
    static const struct {
        int label, dof;
        double k;
    } want[] = {{1, 1, 1000}, {1, 0, 0}, {2, 4, 500}, {3, 1, 700},
                {4, 1, 1},    {4, 4, 4}, {5, 0, 1},   {5, 5, 6}};
    for (int i = 0; i < LMB_COUNT(want); i++)
        if (!CHECK_NEAR(stiffness_of(m, lmb_mesh_find_element(m, want[i].label), want[i].dof), want[i].k,
                        1e-12))
            check_note("element %d", want[i].label);
    // a rod is a truss; its torsion is a spring besides
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    double K[36], mass = 0;
    lmb_element e;
    int rod = lmb_mesh_find_element(m, 6);
    lmb_mesh_element_get(&e, m, rod);
    CHECK(e.ops == &lmb_element_truss && m->elements[rod + 1].ops == &lmb_element_spring);
    e.ops->stiffness(K, &e);
    CHECK_NEAR(K[7] / (E * 1e-4 / 2), 1, 1e-12); // dof 1 of node 1
    CHECK_NEAR(stiffness_of(m, rod + 1, 4) / (G * 1e-8 / 2), 1, 1e-12);
    CHECK(stiffness_of(m, rod + 1, 1) == 0);
    for (int i = 0; i < m->element_count; i++) {
        lmb_mesh_element_get(&e, m, i);
        for (int k = e.ops->mass_points ? e.ops->mass_points(points, &e, LMB_MASS_CONSISTENT) : 0; k-- > 0;)
            mass += points[k].mass;
    }
    CHECK_NEAR(mass, 2 * (7800 * 1e-4 + 0.3) + 2 * 7800 * 2e-4, 1e-12);
    lmb_mesh_destroy(m);
}

// ---- shells, ties, sets ------------------------------------------------------------------------

#define PLATE                                                                                    \
    "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,1.,1.,0.\nGRID,4,,0.,1.,0.\nGRID,9,,.5,.5,1.\n" \
    "MAT1,1,2.+11,,.3,8000.\nPSHELL,2,1,.01,1,,1,,1.6\nCQUAD4,1,2,1,2,3,4\n"

TEST(bdf_ties_and_sets) {
    lmb_mesh *m = read_bdf(
        "$ made by hand\nSOL 103 $ modes\nCEND\nSPC = 5\nBEGIN BULK\n" PLATE
        "CTRIA3,2,2,1,3,4\nRBE2,7,9,123456,1,2,3,1.2-5\nRBE3,8,,9,123456,1.,123,1,2\n,3,1.,123,4\n"
        "SPC1,5,123,1,THRU,3\nSPC,5,4,12,0.\n$ SET NAME=rim\nSET1,6,1,4\n"
        "SET3,7,ELEM,1,2\nASET1,123456,9\n$HMSET 1 2 \"corner\"\nSET1,8,2\nFORCE,1,1,,1.,1.,0.,0.\nENDDATA\n"
        "GARBAGE,1\n");
    if (m == NULL) return;
    const lmb_property *p = &m->properties[m->elements[0].property];
    CHECK(m->materials[p->material].rho == 8000 && p->area_mass == 1.6);
    CHECK(p->thickness == 0.01 && m->elements[1].ops == &lmb_element_tri3);
    CHECK(m->coupling_count == 2 && m->couplings[0].tie == LMB_TIE_RIGID &&
          m->couplings[1].tie == LMB_TIE_AVERAGE);
    CHECK_TEXT(m->couplings[0].name, "RBE2_7");
    CHECK(m->sets[m->couplings[0].set].count == 3 && m->sets[m->couplings[1].set].count == 4);
    CHECK(get_set(m, "SPC_5", LMB_SET_NODES)->count == 4 && get_set(m, "rim", LMB_SET_NODES)->count == 2);
    CHECK(get_set(m, "SET_7", LMB_SET_ELEMENTS)->count == 2 &&
          get_set(m, "corner", LMB_SET_NODES)->count == 1);
    CHECK(get_set(m, "ASET", LMB_SET_NODES)->count == 1);
    CHECK_CONTAINS(m->ignored.text, "t.bdf:5: executive and case control (3 lines)");
    CHECK_CONTAINS(m->ignored.text, "FORCE not read");
    CHECK_CONTAINS(m->ignored.text,
                   "`limber modes --clamp SPC_5` holds the part by them, their nodes are the set 'SPC_5'");
    // three translations of three grid points, two of the fourth; the average at the reference of RBE2
    CHECK(m->support_count == 1 && m->equation_count == 17 && m->equations[10].support == 1);
    lmb_mesh_destroy(m);
}

// rigid elements of one reference are one rigid body
TEST(bdf_rigid_elements_of_one_reference) {
    lmb_mesh *m = read_bdf(PLATE "RBE2,7,9,123456,1,2\nRBE2,8,9,123456,3\nRBAR,10,9,4,123456\n");
    if (m == NULL) return;
    CHECK(m->coupling_count == 1 && m->sets[m->couplings[0].set].count == 4);
    CHECK_CONTAINS(m->ignored.text, "t.bdf:10: RBE2_8 has the same reference as RBE2_7");
    lmb_mesh_destroy(m);
}

// sum factor u of an equation for motions of all nodes
static double value_of(const lmb_mesh *m, int equation, double (*u)[6]) {
    double sum = 0;
    for (int k = 0; k < m->equations[equation].count; k++) {
        const lmb_equation_term *t = &m->terms[m->equations[equation].first + k];
        sum += t->factor * u[t->node][t->motion];
    }
    return sum;
}

// all equations of a deck hold for every rigid motion, and the deck is sound
static lmb_mesh *read_rigid(const char *text, int equations) {
    lmb_mesh *m = read_bdf(text);
    lmb_error err = {0};
    if (m == NULL) return NULL;
    double u[16][6];
    if (!CHECK(m->equation_count == equations)) check_note("%d equations", m->equation_count);
    for (int r = 0; r < 6 && m->node_count <= 16; r++) {
        for (int i = 0; i < m->node_count; i++) {
            vec3 x = r < 3 ? v3_axis(r) : v3_cross(v3_axis(r - 3), m->x[i]);
            for (int k = 0; k < 6; k++) u[i][k] = k < 3 ? v3_get(x, k) : k == r;
        }
        for (int e = 0; e < m->equation_count; e++) CHECK_NEAR(value_of(m, e, u), 0, 1e-14);
    }
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    return m;
}

// An element at the reference of an average moves with the mean of its nodes: the motion of the reference is what these
// nodes say, of displacements with equal weights by hand: u = mean + theta x (x - c).
TEST(bdf_elements_at_averages) {
    lmb_mesh *m = read_rigid(PLATE "RBE3,8,,9,123456,1.,123,1,2\n,3,4\nCONM2,5,9,,1.\n", 6);
    if (m == NULL) return;
    double u[16][6] = {{0}};
    u[0][2] =
        4; // node 1, a corner of the unit square, rises: the mean by 1, turned by 2 about -x and 2 about y
    u[4][0] = 2, u[4][1] = 2, u[4][2] = 1; // 1 above the plate: theta x (0, 0, 1) = (theta_y, -theta_x, 0)
    u[4][3] = -2, u[4][4] = 2;
    for (int e = 0; e < 6; e++) CHECK_NEAR(value_of(m, e, u), 0, 1e-14);
    lmb_mesh_destroy(m);
}

// single components, several groups with weights, two nodes with rotations, UM
TEST(bdf_single_components) {
    static const struct {
        const char *text;
        int equations, couplings;
    } all[] = {
        {PLATE "RBE2,7,9,12,1,2\n", 4, 0},
        {PLATE "RBE2,7,9,123,1,2\n", 6, 0},  // the plate turns about its corners
        {PLATE "RBE2,7,9,123456,1\n", 0, 1}, // one node with rotations leads a rigid body
        {PLATE "RBE2,7,9,123456,1,2\nRBE2,8,9,3,3\n", 1, 1},
        {PLATE "RBE3,8,,9,123456,1.,123,1,2\n,3,2.,123,4\n", 0, 1},
        {PLATE "RBE3,8,,9,123456,1.,123456,1,2\n", 6, 0},
        {PLATE "RBE3,8,,9,123,1.,123456,1,2\n,3,.5,12,4,UM,1,12,2,1\n", 3, 0},
        {PLATE "RBE3,8,,9,3,1.,3,1,2\n,3\n", 1, 0},
        {PLATE "RBAR,10,9,4,123,456,456,123\n", 6, 0},
        {PLATE "RBAR,10,9,4,123456,,,3\n", 1, 0},
        {PLATE "RBAR1,10,9,4\n", 0, 1},
        {PLATE "RROD,10,9,4\n", 1, 0},
        {PLATE "RTRPLT,10,9,1,2,123456,,,\n,,123456,123456\n", 0, 1},
        {PLATE "RBE1,10,9,123,1,23,2,3\n,UM,3,12,4,345\n", 5, 0},
        {PLATE "MPC,3,1,3,1.,2,3,-2.\n,,9,3,1.\nGRID,5,,.5,0.,0.\n", 1, 0},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        bool equation = i == LMB_COUNT(all) - 1; // not free of strain: only counted
        lmb_mesh *m = equation ? read_bdf(all[i].text) : read_rigid(all[i].text, all[i].equations);
        if (m == NULL) return;
        if (!CHECK(m->coupling_count == all[i].couplings && m->equation_count == all[i].equations))
            check_note("deck %d: %d couplings, %d equations", i, m->coupling_count, m->equation_count);
        lmb_mesh_destroy(m);
    }
}

// a bushing at a place of its own: two nodes there that move with its grid points
TEST(bdf_bushing_off_its_middle) {
    static const struct {
        const char *card;
        vec3 at;
    } all[] = {
        {"CBUSH,6,5,1,9,,,,0\n,.25", {.125, .125, .25}},
        {"CBUSH,6,5,1,9,,,,0\n,,0,3.,-1.,2.", {3, -1, 2}},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "%sPBUSH,5,K,1.,2.,3.,4.,5.,6.\nCONM2,5,9,,1.\n%s\nSPC1,1,123456,1,THRU,99\n", PLATE,
                 all[i].card);
        lmb_mesh *m = read_bdf(text);
        if (m == NULL) return;
        CHECK(m->node_count == 7 && m->equation_count == 12 + 30);
        CHECK(get_set(m, "SPC_1", LMB_SET_NODES)->count == 5); // those of the deck
        for (int k = 5; k < 7 && k < m->node_count; k++)
            CHECK_NEAR(v3_norm(v3_sub(m->x[k], all[i].at)), 0, 1e-15);
        lmb_mesh_destroy(m);
    }
}

// the matrix of a mass 2 at (1, 2, 3) from its grid point, with 1, 2, 3 about its centre: as the formula of CONM1 says
TEST(bdf_masses_by_matrix_and_components) {
    lmb_mesh *m = read_bdf(
        PLATE "CONM1,5,9,,2.,0.,2.,0.,0.\n,2.,0.,-6.,4.,27.,6.,0.,-2.\n,-4.,22.,-4.,2.,0.,-6.,-12.,13.\n"
              "CMASS2,6,3.,1,1\nCMASS2,7,3.,1,2\nCMASS2,8,3.,1,3\nCMASS2,9,.5,1,6\nPMASS,4,1.,5,2.\n"
              "CMASS1,10,5,2,1\nCMASS1,11,5,2,2\nCMASS1,12,5,2,3\nRBE2,7,9,123456,1,2,3,4\n");
    if (m == NULL) return;
    double mass[3] = {2, 3, 2};
    int seen = 0;
    for (int e = 0; e < m->element_count; e++) {
        if (m->elements[e].ops != &lmb_element_mass || seen == 3) continue;
        const lmb_property *p = &m->properties[m->elements[e].property];
        CHECK_NEAR(p->mass, mass[seen], 1e-15);
        if (seen == 0) CHECK_NEAR(v3_norm(v3_sub(p->com, v3(1, 2, 3))), 0, 1e-15);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(p->inertia.m[k][k], seen == 0 ? k + 1 : seen == 1 && k == 2 ? 0.5 : 0, 1e-14);
        seen++;
    }
    CHECK(seen == 3);
    lmb_mesh_destroy(m);
}

// the case control chooses one of several sets of equations; MPCADD stands for others
TEST(bdf_sets_of_equations) {
    const char *two = "MPC,1,1,1,1.,2,1,-1.\nMPC,2,1,3,1.,2,3,-1.\nMPCADD,7,1,2\n";
    static const struct {
        const char *control;
        int equations;
    } all[] = {{"CEND\nMPC = 2\nBEGIN BULK\n", 1},
               {"CEND\nMPC=7\nBEGIN BULK\n", 2},
               {"CEND\nMPC=9\nBEGIN BULK\n", 0}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[1024];
        snprintf(text, sizeof text, "SOL 103\n%s%s%s", all[i].control, PLATE, two);
        lmb_mesh *m = read_bdf(text);
        if (m == NULL) return;
        CHECK(m->equation_count == all[i].equations);
        lmb_mesh_destroy(m);
    }
}

// ---- fields ------------------------------------------------------------------------------------

// the same point in all ways to write it
TEST(bdf_fields) {
    static const char *const ways[] = {
        "GRID    7               1.5-3   -2.+3   .25",
        "GRID,7,,1.5-3,-2.+3,.25",
        "grid, 7 , , 1.5E-3, -2.D3, 2.5e-1 $ comment",
        "GRID\t7\t\t1.5-3\t-2000.\t.25",
        ("GRID*                  7                           1.5-3           -2.+3A\n$ between\n*A           "
         " "
         "       .25"),
        "GRID*   7                               +.0015          -2000\n*       0.25",
        "GRID*,7,,.0015,-2.+3\n*,.25",
        "GRID    7               1.5-3   -2.+3   .25                             +X\n+X\n",
    };
    for (int i = 0; i < LMB_COUNT(ways); i++) {
        char text[512];
        snprintf(text, sizeof text, "%s\nCONM2,1,7,,1.\n", ways[i]);
        lmb_mesh *m = read_bdf(text);
        if (m && !CHECK(m->node_count == 1 && m->x[0].x == 1.5e-3 && m->x[0].y == -2000 && m->x[0].z == 0.25))
            check_note("way %d: %g %g %g", i, m->x[0].x, m->x[0].y, m->x[0].z);
        lmb_mesh_destroy(m);
    }
}

// ---- bad decks ---------------------------------------------------------------------------------

#define TET "GRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n"
#define MATS "MAT1,1,1.,,.3,1.\nPSOLID,1,1\n"
static const struct {
    const char *text, *message;
    int line;
} bad[] = {
    {"", "the deck has no elements (CTETRA, CQUAD4, CBAR, ...)", 0},
    {"SOL 103\nCEND\nGRID,1,,0.,0.,0.\n", "there is no BEGIN BULK after CEND", 3},
    {"GRID,1,,0.,0.\nGRID,1,,1.,0.\n", "duplicate grid point 1 (first in line 1)", 2},
    {"GRID,x,,0.,0.\n", "GRID: ID is 'x'", 1},
    {"GRID,1,,0.,y\n", "GRID: a coordinate is 'y', not a number", 1},
    {"GRID,1,,1.e400\n", "not a number", 1},
    {"GRID,1,4,0.\n", "unknown coordinate system 4", 1},
    {"CORD2R,1,2,0.,0.,0.,0.,0.,1.\n,1.\nCORD2R,2,1,0.,0.,0.,0.,0.,1.\n,1.\nGRID,1,1,0.\n",
     "defined by itself", 1},
    {"CORD2R,1,,0.,x\n", "CORD2R: A is 'x', not a number", 1},
    {"CORD2R,1,,0.,0.,0.,0.,0.,1.\n,0.,0.,2.\n", "its three points are collinear", 1},
    {"GRID,1,5,0.\nGRID,2,,0.\nGRID,3,,1.\nCORD1R,5,1,2,3\n", "need each other", 1},
    {TET "CTETRA,1,1,1,2,3,4\n", "CTETRA 1: unknown property 1 (PSOLID)", 5},
    {TET "PSOLID,1,1\nCTETRA,1,1,1,2,3,4\n", "PSOLID 1: unknown material 1", 5},
    {TET MATS "CTETRA,1,1,1,2,3,5\n", "CTETRA 1 refers to grid point 5, which is not defined", 7},
    {TET MATS "CTETRA,1,1,1,2,3\n", "a grid point is missing", 7},
    {TET MATS "CTETRA,1,1,1,2,3,4,1,2\n", "CTETRA 1 has 2 of its 6 middle nodes", 7},
    {TET MATS "CTETRA,1,1,1,2,3,4\nCTETRA,1,1,1,2,3,4\n", "duplicate element 1 (first in line 7)", 8},
    {TET "MAT1,1,1.\n", "needs two of E, G and NU", 5},
    {TET "MAT1,1,1.,1.,.3\n", "G = 1 is not E / (2 (1 + NU))", 5},
    {TET "MAT1,1,1.,,.5\n", "nu = 0.5 between -1 and 0.5", 5},
    {TET "MAT8,1,1.\n", "material 'MAT8_1': its elasticity is not positive definite", 5},
    {TET "MAT9,1,1.\n", "material 'MAT9_1': its elasticity is not positive definite", 5},
    {TET "MAT3,1,1.\n", "MAT3: use MAT1, MAT8 or MAT9", 5},
    {TET "MAT1,1,1.,,.3\nPCOMP,1\n", "PCOMP 1 has no layers", 6},
    {TET "MAT1,1,1.,,.3\nPCOMP,1,,,,,,,MEM\n,1,.1\n", "PCOMP 1: LAM MEM is not supported", 6},
    {TET "MAT1,1,1.,,.3\nPCOMP,1\n,1,0.\n", "the thickness of a layer is 0", 6},
    {TET "MAT1,1,1.,,.3\nPCOMPG,1\n,1,2,.1\n", "PCOMPG 1: unknown material 2", 6},
    {TET "MAT1,1,1.,,.3\nMAT1,2,1.,,.3\nPSHELL,1,1,.1,1,,2\n", "MID3 must be MID1, or a MAT1 with MAT2", 7},
    {TET "MAT1,1,1.,,.3\nPSHELL,1,1,.1,1\nCQUAD8,1,1,1,2,3,4\n", "middle nodes are required", 7},
    {TET "MPC,1,1,12,1.\n", "MPC: C must be one component", 5},
    {TET "MPC,1,1,1,1.\nMPC,2,1,1,1.\n", "the deck has sets 1 and 2 of equations", 6},
    {TET "RBE1,1,1,123,2,23\n,UM,3,12\n", "must be six that define a rigid body, there are 5", 5},
    {TET "RBE1,1,1,123,2,23\n", "UM, which begins the dependent components, is missing", 5},
    {TET "RBE3,1,,1,123456,1.,123,2,3\n", "do not define motion", 5},
    {TET "RROD,1,2,2\n", "coincide", 5},
    {TET "CONM1,1,1,,1.,0.,2.\n", "not the mass matrix of a rigid body", 5},
    {TET "CMASS2,1,3.,1,1\n", "has the masses 3, 0, 0 along its axes", 5},
    {TET "CMASS2,1,3.,1,1,2,1\n", "between two grid points", 5},
    {TET "CMASS1,1,3,1,1\n", "unknown PMASS 3", 5},
    {TET "MYCARD,1\n", "unknown card 'MYCARD'", 5},
    {TET "MAT1,1,1.,,.3\nPSHELL,1,1,.1\n", "has no MID2: membranes are not supported", 6},
    {TET "MAT1,1,1.,,.3\nPBAR,1,1,1.,1.,1.,1.\nCBAR,1,1,1,2,1.,0.,0.\n", "zero or along the beam", 7},
    {TET "MAT1,1,1.,,.3\nPBAR,1,1,1.,1.,1.\nCBAR,1,1,1,2,1.,0.,0.\n", "J = 0 must all be positive", 6},
    {TET "MAT1,1,1.,,.3\nPBAR,1,1,1.,1.,1.,1.\nCBAR,1,1,1,2,0.,1.,0.\n,456\n", "pinned ends", 7},
    {TET "RBE2,1,1,,2\n", "CM is missing", 5},
    {TET "RBE2,1,1,123,2,THRU,4\n", "RBE2: GM is 'THRU'", 5},
    {TET "RBE3,1,,1,123456,1.,123,2,3\n,-2.,123,4\n", "the weights must be positive", 5},
    {TET "CELAS2,1,5.,1,2,2,2\n", "resists rotations of the whole part", 5},
    {TET "SET1,1,9\nCONM2,1,1,,1.\n", "SET1: unknown grid point 9", 5},
    {TET "SPC1,1,1,7,THRU,9\nCONM2,1,1,,1.\n", "set 'SPC_1' is empty", 5},
    {TET "INCLUDE 'x.bdf'\n", "INCLUDE cannot be followed here", 5},
    {TET "INCLUDE 'x.\nbdf'\n", "the quote is not closed in this line", 5},
    {"+A,1\n", "this line continues a card, but there is none before it", 1},
    {"GRID    1               0.      0.      0.                              +A\n+B      1\n",
     "continuation '+B'", 2},
    {"GRID,1,,0.,0.,0.,,,,,7\n", "more than 8 fields", 1},
    {"PARAM,WTMASS,0.\n", "WTMASS is 0; it must be positive", 1},
    {"BEGIN SUPER=1\n", "superelements are not supported", 1},
};

TEST(bdf_bad_decks) {
    for (int i = 0; i < LMB_COUNT(bad); i++) {
        lmb_mesh *m = NULL;
        lmb_error err = {0};
        bool refused =
            CHECK(lmb_mesh_read_bdf(&m, bad[i].text, strlen(bad[i].text), "t.bdf", &err) == LMB_ERR_INPUT);
        if (!refused || !strstr(err.text, bad[i].message) || err.line != bad[i].line) {
            CHECK_CONTAINS(err.text, bad[i].message);
            CHECK(err.line == bad[i].line);
            check_note("deck %d: line %d", i, err.line);
        }
        lmb_mesh_destroy(m);
    }
}

// every beginning of a sound deck is read or refused, without leaks
TEST(bdf_truncated) {
    static solid_block b;
    lmb_text text = {0};
    block_make(&b, &lmb_element_hex20, 1, 1, 1);
    write_nastran(&text, &b, "CHEXA", LARGE);
    for (size_t n = 0; n < text.length; n += 7) {
        lmb_mesh *m = NULL;
        lmb_error err = {0};
        CHECK((lmb_mesh_read_bdf(&m, text.text, n, "t.bdf", &err) == LMB_OK) == (m != NULL));
        lmb_mesh_destroy(m);
    }
    lmb_text_free(&text);
}

// ---- includes ----------------------------------------------------------------------------------

static void write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (CHECK(f != NULL)) fputs(text, f), fclose(f);
}

static lmb_status read_beside(lmb_mesh **m, const char *text, lmb_error *err) {
    const char *path = check_temp("deck.bdf");
    write_file(path, text);
    *err = (lmb_error){0};
    lmb_status st = lmb_mesh_read_file(m, path, NULL, NULL, NULL, err);
    remove(path);
    return st;
}

TEST(bdf_includes) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    char nodes[512];
    snprintf(nodes, sizeof nodes, "%s", check_temp("nodes.inc"));
    write_file(nodes, TET "include 'more.inc'\n");
    char more[512];
    snprintf(more, sizeof more, "%s", check_temp("more.inc"));
    write_file(more, MATS);
    CHECK_OK(read_beside(&m, "BEGIN BULK\nINCLUDE 'nodes.inc'\nCTETRA,1,1,1,2,3,4\n", &err), err);
    CHECK(m && m->node_count == 4 && m->materials[0].E == 1);
    lmb_mesh_destroy(m);
    // an error in an included file is named there
    write_file(more, "MAT1,1,1.,,.3,1.\nPSOLID,1,2\n");
    CHECK(read_beside(&m, "INCLUDE nodes.inc\nCTETRA,1,1,1,2,3,4\n", &err) == LMB_ERR_INPUT);
    CHECK(err.line == 2 && strstr(err.file, "more.inc"));
    write_file(more, "INCLUDE 'nodes.inc'\n");
    CHECK(read_beside(&m, "INCLUDE 'nodes.inc'\n", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "files include each other too deeply");
    static const char *const outside[] = {"../x.bdf", "/etc/passwd", "a/../../x", "..", "c:x", "a\\b"};
    for (int i = 0; i < LMB_COUNT(outside); i++) {
        char text[64];
        snprintf(text, sizeof text, "INCLUDE '%s'\n", outside[i]);
        CHECK(read_beside(&m, text, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "only files beside the deck");
    }
    remove(nodes), remove(more);
}

// ---- a whole part ------------------------------------------------------------------------------

// A clamped bar without shear deformation, in mm and along z: f = 1.8751^2 / (2 pi L^2) sqrt(E I / (rho A)), bending across
// plane 1 (x z, by v along x) with I2 first, then in it with I1.
TEST(bdf_clamped_bar) {
    lmb_text t = {0};
    lmb_error err = {0};
    lmb_modes m;
    char path[512];
    const double L = 1, E = 2e11, rho = 7800, A = 60e-6, I[2] = {200e-12, 450e-12};
    for (int i = 0; i <= 10; i++) lmb_text_add(&t, "GRID,%d,,0.,0.,%d.\n", i + 1, 100 * i);
    for (int i = 1; i <= 10; i++) lmb_text_add(&t, "CBAR,%d,1,%d,%d,1.,0.,0.\n", i, i, i + 1);
    lmb_text_add(&t, "PBAR,1,1,60.,450.,200.,500.\nMAT1,1,2.+5,,.3,7.8-9\n");
    snprintf(path, sizeof path, "%s", check_temp("clamped.bdf"));
    write_file(path, t.text);
    const lmb_setting keys[] = {{"part.unit", "mm"}, {"part.interfaces.root", "{node: 1}"}};
    const char *clamp[] = {"root"};
    const lmb_part_settings settings = {.no_cache = true, .keys = keys, .key_count = 2};
    const lmb_modes_wanted wanted = {.count = 2, .clamp = clamp, .clamp_count = 1};
    if (CHECK_OK(lmb_modes_file(&m, path, &wanted, &settings, &err), err) && CHECK(m.count == 2))
        for (int k = 0; k < 2; k++) {
            double f = 1.87510407 * 1.87510407 / (2 * LMB_PI * L * L) * sqrt(E * I[k] / (rho * A));
            CHECK_NEAR(m.frequency[k] / f, 1, 1e-4); // rotary inertia: I / (A L^2) is 8e-6 at most
            CHECK_NEAR(m.effective[6 * k + (k ? 0 : 1)], 0.6131, 1e-3); // y across plane 1, then x
            CHECK_NEAR(m.mass / (rho * A * L), 1, 1e-12);
        }
    lmb_modes_release(&m);
    lmb_text_free(&t);
}
