// tests/unit/test_mesh_constrain.c: constraints of Abaqus and CalculiX decks: equations that rigid motions and, of tied faces, linear
// fields satisfy; supports by name.
#include "../fe_parts.h"
#include "mesh/constrain.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

static lmb_mesh *read_inp(const char *text) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_read_inp(&m, text, strlen(text), "t.inp", &err), err)) return NULL;
    return m;
}

// sum factor u of an equation under the displacement u = t + A x with the rotation of its skew part
static double of_field(const lmb_mesh *m, int equation, vec3 t, const mat3 *A) {
    double sum = 0;
    for (int k = 0; k < m->equations[equation].count; k++) {
        const lmb_equation_term *e = &m->terms[m->equations[equation].first + k];
        vec3 u = v3_add(t, m3_mul_v3(A, m->x[e->node])),
             turn =
                 v3_scale(0.5, v3(A->m[2][1] - A->m[1][2], A->m[0][2] - A->m[2][0], A->m[1][0] - A->m[0][1]));
        sum += e->factor * (e->motion < 3 ? v3_get(u, e->motion) : v3_get(turn, e->motion - 3));
    }
    return sum;
}

static void check_fields(const lmb_mesh *m, bool linear) {
    for (int i = 0; i < m->equation_count; i++) {
        if (m->equations[i].support) continue;
        for (int trial = 0; trial < 4; trial++) {
            mat3 A;
            for (int k = 0; k < 9; k++) A.m[k / 3][k % 3] = check_random();
            mat3 turned = m3_scale(0.5, m3_sub(A, m3_t(A)));
            if (!CHECK_NEAR(of_field(m, i, v3(check_random(), 1, -2), linear ? &A : &turned), 0, 1e-12))
                check_note("equation %d, line %d", i, m->equations[i].where.line);
        }
    }
}

#define MATERIAL "*MATERIAL,NAME=M\n*ELASTIC\n1e3,.3\n*DENSITY\n1.\n"
#define CUBE                                                                                              \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n*ELEMENT,TYPE=C3D8I," \
    "ELSET=E\n"                                                                                           \
    "1,1,2,3,4,5,6,7,8\n*SURFACE,NAME=TOP\nE,S2\n"
// a smaller cube on the first one, `gap` above it
#define SECOND(gap)                                                                                          \
    "*NODE\n11,.1,.2,1" gap "\n12,.8,.1,1" gap "\n13,.9,.7,1" gap "\n14,.2,.9,1" gap                         \
    "\n15,.1,.2,2\n16,.8,.1,2\n17,.9,.7,2\n18,.2,.9,2\n*ELEMENT,TYPE=C3D8I,ELSET=F\n2,11,12,13,14,15,16,17," \
    "18\n"                                                                                                   \
    "*SURFACE,NAME=BOTTOM\nF,S1\n*SOLID SECTION,ELSET=E,MATERIAL=M\n*SOLID "                                 \
    "SECTION,ELSET=F,MATERIAL=M\n" MATERIAL

// ---- *TIE --------------------------------------------------------------------------------------

// nodes on a face move as the field of the face: linear fields pass, so constant stress does
TEST(tied_faces_pass_linear_fields) {
    lmb_mesh *m = read_inp(CUBE SECOND(".001") "*TIE,NAME=T,POSITION TOLERANCE=.01\nBOTTOM,TOP\n");
    lmb_error err = {0};
    if (m == NULL) return;
    CHECK(m->equation_count == 12);
    CHECK_NEAR(m->x[lmb_mesh_find_node(m, 11)].z, 1, 1e-14); // moved onto the face
    CHECK_CONTAINS(m->ignored.text, "*TIE moves nodes onto the master surface, by up to 0.001");
    check_fields(m, true);
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err); // one part
    lmb_mesh_destroy(m);
}

TEST(tied_off_the_face_they_turn_with_it) {
    lmb_mesh *m = read_inp(CUBE SECOND(".04") "*TIE,NAME=T,ADJUST=NO\nBOTTOM,TOP\n");
    lmb_error err = {0};
    if (m == NULL) return;
    CHECK(m->equation_count == 12 && m->x[lmb_mesh_find_node(m, 11)].z == 1.04);
    check_fields(m, false);
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    lmb_mesh_destroy(m);
}

// quadratic faces, curved fields: N_i of six and eight nodes at places that are known by a linear map
TEST(tied_to_quadratic_faces) {
    static const lmb_element_ops *const kinds[] = {&lmb_element_tet10, &lmb_element_hex20, &lmb_element_hex8};
    for (int kind = 0; kind < LMB_COUNT(kinds); kind++) {
        lmb_error err = {0};
        lmb_mesh *m = part_box_make(&(part_box){1, 1, 1, 2, 2, 2, kinds[kind]});
        int faces = lmb_mesh_add_set(m, "X1", LMB_SET_FACES, LMB_NOWHERE),
            node = lmb_mesh_add_node(m, 5000, v3(1, .3, .45));
        for (int e = 0; e < m->element_count; e++)
            for (int f = 0; f < m->elements[e].ops->faces; f++) {
                const signed char *face = m->elements[e].ops->face_nodes[f];
                bool on = true;
                for (int i = 1; i <= face[0]; i++)
                    on = on && m->x[lmb_mesh_nodes(m, e)[face[i]]].x > 1 - 1e-9;
                if (on) lmb_mesh_set_add(m, faces, 8 * e + f);
            }
        lmb_glue g = {.nodes = &node, .node_count = 1, .faces = faces, .tolerance = -1, .adjust = true};
        if (CHECK_OK(lmb_constrain_glue(&g, m, &err), err) && CHECK(g.glued == 1 && m->equation_count == 3)) {
            check_fields(m, true);
            // u_x = y^2 on quadratic faces, y on others, is interpolated exactly (hex8: bilinear)
            double sum = 0;
            for (int k = 0; k < m->equations[0].count; k++) {
                vec3 x = m->x[m->terms[m->equations[0].first + k].node];
                sum += m->terms[m->equations[0].first + k].factor * (kind < 2 ? x.y * x.y : x.y * x.z);
            }
            CHECK_NEAR(sum, 0, 1e-12);
        }
        lmb_mesh_destroy(m);
    }
}

// shells carry the rotations of what is tied to them
TEST(tied_to_shells) {
    lmb_mesh *m =
        read_inp("*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n11,.2,.3,.01\n12,.8,.3,.01\n13,.8,.9,.01\n"
                 "*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n*ELEMENT,TYPE=S3,ELSET=F\n2,11,12,13\n"
                 "*SURFACE,NAME=A\nE,SPOS\n*SURFACE,NAME=B\nF,SNEG\n" MATERIAL
                 "*SHELL SECTION,ELSET=E,MATERIAL=M\n.02\n*SHELL SECTION,ELSET=F,MATERIAL=M\n.02\n"
                 "*TIE,NAME=T\nB,A\n");
    if (m == NULL) return;
    CHECK(m->equation_count == 18);
    check_fields(m, false);
    lmb_mesh_destroy(m);
}

TEST(nodes_too_far_from_the_master_are_counted) {
    lmb_mesh *m = read_inp(
        CUBE SECOND("") "*NSET,NSET=N\n11,12,15\n*SURFACE,TYPE=NODE,NAME=S\nN\n*TIE,NAME=T\nS,TOP\n");
    if (m == NULL) return;
    CHECK(m->equation_count == 6);
    CHECK_CONTAINS(m->ignored.text, "1 of 3 nodes are too far from the master surface");
    lmb_mesh_destroy(m);
}

// ---- *EQUATION, *MPC, couplings ------------------------------------------------------------------

#define POINTS                                                                    \
    "*NODE\n21,.5,.5,1.5\n22,2,0,0\n23,.25,0,0\n24,.5,.25,0\n" MATERIAL "*SOLID " \
    "SECTION,ELSET=E,MATERIAL=M\n"

TEST(constraints_of_points_leave_rigid_motions) {
    static const struct {
        const char *text;
        int equations, couplings;
        bool linear;
    } all[] = {
        {"*MPC\nBEAM,21,1\n", 6, 0, false},
        {"*MPC\nLINK,21,1\n", 1, 0, false},
        {"*MPC\nSLIDER,23,1,2\n", 2, 0, true},
        {"*MPC\nSTRAIGHT,1,23,2,\n22\n", 4, 0, true},
        {"*NSET,NSET=P\n1,2,3,4,24\n*MPC\nPLANE,P\n", 2, 0, true},
        {"*EQUATION\n3\n23,2,1.,1,2,-.75,2,2,-.25\n", 1, 0, true},
        {"*EQUATION\n3\n23,2,1.,1,2,\n-.75,2,2,-.25\n3\n23,3,1.,1,3,-.75,2,3,-.25\n", 2, 0, true},
        {"*COUPLING,CONSTRAINT NAME=C,REF NODE=21,SURFACE=TOP\n*KINEMATIC\n1,2\n", 8, 0, false},
        {"*COUPLING,CONSTRAINT NAME=C,REF NODE=21,SURFACE=TOP\n*KINEMATIC\n1,3\n", 0, 1, false},
        {"*COUPLING,CONSTRAINT NAME=C,REF NODE=21,SURFACE=TOP\n*DISTRIBUTING\n3,3\n6\n", 2, 0, false},
        {"*KINEMATIC COUPLING,REF NODE=21\n5,3\n6,3\n7,1,3\n", 8, 0,
         false}, // one node alone: also of its rotations
        {"*NSET,NSET=P\n5,6,7\n*TRANSFORM,NSET=P,TYPE=C\n.5,.5,0,.5,.5,1\n*KINEMATIC COUPLING,REF "
         "NODE=21\nP,2,2\n",
         3, 0, false},
        {"*ELEMENT,TYPE=DCOUP3D,ELSET=D\n9,21\n*DISTRIBUTING COUPLING,ELSET=D\n5,2.\n6,\n7,1.\n8,.5\n", 0, 1,
         false},
        {"*ELEMENT,TYPE=DCOUP3D,ELSET=D\n9,21\n*DISTRIBUTING "
         "COUPLING,ELSET=D\n5,2.\n6,\n7,1.\n8,.5\n*MPC\nBEAM,21,1\n",
         12, 1, false},
        {"*NSET,NSET=P\n5\n*RIGID BODY,NSET=P,REF NODE=21\n", 6, 0, false}, // one node: no interface
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s%s", CUBE, POINTS, all[i].text);
        lmb_mesh *m = read_inp(text);
        if (m == NULL) continue;
        if (!CHECK(m->equation_count == all[i].equations && m->coupling_count == all[i].couplings))
            check_note("deck %d: %d equations, %d couplings", i, m->equation_count, m->coupling_count);
        check_fields(m, all[i].linear);
        lmb_mesh_destroy(m);
    }
}

// axes of a cylinder: the equation of motion 2 is tangential, of the unit vector about z through (.5, .5)
TEST(equations_in_the_axes_of_a_cylinder) {
    lmb_mesh *m = read_inp(CUBE POINTS
                           "*NSET,NSET=P\n2\n*TRANSFORM,NSET=P,TYPE=C\n.5,.5,0,.5,.5,1\n*BOUNDARY\nP,2,2\n");
    if (m == NULL) return;
    const lmb_equation *e = &m->equations[0];
    CHECK(m->equation_count == 1 && e->count == 2 && e->support == 1);
    CHECK_TEXT(m->supports[0].name, "BOUNDARY");
    // node 2 is at (.5, -.5) from the axis: tangential is (1, 1) / sqrt 2
    for (int k = 0; k < 2; k++) CHECK_NEAR(m->terms[e->first + k].factor, sqrt(0.5), 1e-15);
    lmb_mesh_destroy(m);
}

// sets are taken node by node: in ascending order, unsorted ones as they are
TEST(equations_between_sets) {
    lmb_mesh *m =
        read_inp(CUBE POINTS "*NSET,NSET=P\n3,2\n*NSET,NSET=Q,UNSORTED\n3,2\n*EQUATION\n2\nP,1,1.,Q,2,-1.\n");
    if (m == NULL) return;
    CHECK(m->equation_count == 2);
    CHECK(m->label[m->terms[0].node] == 2 && m->label[m->terms[1].node] == 3);
    CHECK(m->label[m->terms[2].node] == 3 && m->label[m->terms[3].node] == 2);
    lmb_mesh_destroy(m);
}

// ---- supports by name ----------------------------------------------------------------------------

static lmb_fe *bar_held_at(lmb_mesh *m, int node, int motions) {
    lmb_fe *fe = NULL;
    lmb_error err = {0};
    int support = lmb_mesh_add_support(m, "BOUNDARY");
    CHECK_OK(lmb_constrain_hold(m, support, &(lmb_motions){node, motions, M3_ID, 1}, LMB_NOWHERE, &err), err);
    m->supports[support].held = motions != 0;
    CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    return fe;
}

// a cantilever: w = b^2 sqrt(E I / (rho A L^4)), cos b cosh b = -1
TEST(held_cantilever) {
    const double b[2] = {1.875104068711961, 4.694091132974175}, h = 0.02;
    lmb_mesh *m = part_bar(1, h, h / 2, 16, LMB_EULER_BERNOULLI, LMB_ROTARY_OFF);
    lmb_fe *fe = bar_held_at(m, 0, LMB_ALL_MOTIONS);
    lmb_error err = {0};
    lmb_eigen e = {0};
    lmb_reduction r = {0};
    if (fe && CHECK(fe->n == 6 * 16) &&
        CHECK_OK(lmb_held_modes(&e, fe, &r, &(lmb_eigen_wanted){.count = 3}, &err), err)) {
        double c = sqrt(STEEL.E / STEEL.rho / 12) / (2 * LMB_PI);
        CHECK_NEAR(e.values[0] / (b[0] * b[0] * c * h / 2), 1, 1e-6); // (b / 16)^4 / 1440
        CHECK_NEAR(e.values[1] / (b[0] * b[0] * c * h), 1, 1e-6);
        CHECK_NEAR(e.values[2] / (b[1] * b[1] * c * h / 2), 1, 1e-5);
    }
    lmb_eigen_free(&e);
    lmb_fe_destroy(fe), lmb_mesh_destroy(m);
}

// held along its axis only: five rigid motions of no frequency, then bending as of the free bar
TEST(held_in_part) {
    const double b = 4.730040744862704, h = 0.02;
    lmb_mesh *m = part_bar(1, h, h, 16, LMB_EULER_BERNOULLI, LMB_ROTARY_ON);
    lmb_fe *fe = bar_held_at(m, 8, 1);
    lmb_error err = {0};
    lmb_eigen e = {0};
    lmb_reduction r = {0};
    if (fe && CHECK_OK(lmb_held_modes(&e, fe, &r, &(lmb_eigen_wanted){.count = 7}, &err), err)) {
        double w = b * b * h * sqrt(STEEL.E / STEEL.rho / 12) / (2 * LMB_PI);
        for (int i = 0; i < 5; i++) CHECK_NEAR(e.values[i] / w, 0, 1e-3);
        for (int i = 5; i < 7; i++) CHECK_NEAR(e.values[i] / w, 1, 1e-3); // rotary inertia: (h b)^2 / 24
    }
    lmb_eigen_free(&e);
    lmb_fe_destroy(fe), lmb_mesh_destroy(m);
}
