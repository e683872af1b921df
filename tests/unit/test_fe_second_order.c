// tests/unit/test_fe_second_order.c: the second-order displacement: dual of geometric stiffness; strain energy is exact to third
// order.
#include "../fe_parts.h"

#include <string.h>

enum { M = 4, PAIRS = M * M };

typedef struct model {
    lmb_mesh *mesh;
    lmb_fe *fe;
} model;

static void clean(model *k) {
    lmb_fe_destroy(k->fe);
    lmb_mesh_destroy(k->mesh);
}

// two bricks; the end x1, and with it a point mass, follows a new node
static model tied_box(const lmb_element_ops *ops, int nx) {
    lmb_error err = {0};
    model k = {.mesh = part_box_make(&(part_box){0.4, 0.1, 0.07, nx, 1, 1, ops})};
    int *nodes = NULL, count = 0;
    CHECK_OK(lmb_mesh_set_nodes(&nodes, &count, k.mesh, lmb_mesh_find_set(k.mesh, "x1", LMB_SET_NODES), &err),
             err);
    int reference = lmb_mesh_add_node(k.mesh, 1000, v3(0.45, 0.07, 0.02));
    lmb_rigid_tie tie = {reference, count, nodes};
    CHECK_OK(lmb_fe_create(&k.fe, k.mesh, LMB_MASS_CONSISTENT, &tie, 1, NULL, &err), err);
    lmb_free(nodes);
    return k;
}

// a warped strip of quad4 and tri3
static model shells(void) {
    lmb_error err = {0};
    model k = {0};
    CHECK_OK(lmb_mesh_create(&k.mesh, "shell", &err), err);
    int steel = lmb_mesh_add_material(k.mesh, &STEEL);
    int p =
        lmb_mesh_add_property(k.mesh, &(lmb_property){.name = "all", .material = steel, .thickness = 0.01});
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            lmb_mesh_add_node(k.mesh, 2 * i + j + 1, v3(0.1 * i, 0.12 * j, 0.02 * sin(i + 2.0 * j)));
    for (int i = 0; i < 2; i++) {
        const int n[4] = {2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1};
        lmb_mesh_add_element(k.mesh, &lmb_element_quad4, i + 1, n, p, 0);
    }
    lmb_mesh_add_element(k.mesh, &lmb_element_tri3, 3, (const int[]){4, 6, 7}, p, 0);
    lmb_mesh_add_element(k.mesh, &lmb_element_tri3, 4, (const int[]){4, 7, 5}, p, 0);
    CHECK_OK(lmb_fe_create(&k.fe, k.mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    return k;
}

static model bar(int elements) {
    lmb_error err = {0};
    model k = {.mesh = part_bar(1, 0.02, 0.03, elements, LMB_TIMOSHENKO, LMB_ROTARY_ON)};
    CHECK_OK(lmb_fe_create(&k.fe, k.mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    return k;
}

static double *random_columns(int n, int columns) {
    double *V = lmb_alloc((size_t)n * (size_t)columns, sizeof *V);
    for (int i = 0; i < n * columns; i++) V[i] = check_random();
    return V;
}

// F . w = sum G_ij phi_i . Kg(w) phi_j for random shapes, combinations and displacements w
static void check_dual(const lmb_fe *fe) {
    enum { R = 2, W = 3 };
    lmb_error err = {0};
    double *V = random_columns(fe->n, M), *w = random_columns(fe->n, W), *F = random_columns(fe->n, R);
    double G[R * PAIRS], Kg[W * PAIRS];
    for (int r = 0; r < R; r++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j <= i; j++) G[r * PAIRS + i * M + j] = G[r * PAIRS + j * M + i] = check_random();
    lmb_fe_arcs arcs;
    CHECK_OK(lmb_fe_arcs_make(&arcs, fe, V, M, G, R, &err), err);
    CHECK_OK(lmb_fe_second_order(F, fe, V, M, G, &arcs, &err), err);
    CHECK_OK(lmb_fe_geometric(Kg, fe, &(lmb_fe_loads){W, w, NULL}, V, M, NULL, &err), err);
    for (int l = 0; l < W; l++)
        for (int r = 0; r < R; r++) {
            double want = lmb_dot(G + r * PAIRS, Kg + l * PAIRS, PAIRS);
            double size = lmb_norm(G + r * PAIRS, PAIRS) * lmb_norm(Kg + l * PAIRS, PAIRS);
            double work = lmb_dot(F + (size_t)r * (size_t)fe->n, w + (size_t)l * (size_t)fe->n, fe->n);
            CHECK(size > 0);
            CHECK_NEAR(work / size, want / size, 1e-12);
        }
    lmb_fe_arcs_free(&arcs);
    lmb_free(V), lmb_free(w), lmb_free(F);
}

TEST(loads_are_dual_to_geometric_stiffness) {
    static const lmb_element_ops *const solids[] = {
        &lmb_element_hex8, &lmb_element_hex20, &lmb_element_hex20r, &lmb_element_tet4, &lmb_element_tet10};
    for (int i = 0; i < LMB_COUNT(solids); i++) {
        model k = tied_box(solids[i], 2);
        check_dual(k.fe);
        clean(&k);
    }
    model k = shells();
    check_dual(k.fe), clean(&k);
    k = bar(3);
    check_dual(k.fe), clean(&k);
}

// ---- energy -------------------------------------------------------------------------------------

// Static shapes under the loads of columns V, held at `held`, and Theta of all pairs: v_ij, solved like them.
typedef struct second {
    double *V, *Theta; // n x M, n x M x M
    double K[PAIRS];
} second;

static second second_make(const lmb_fe *fe, int held, double *V) {
    lmb_error err = {0};
    second s = {V, lmb_alloc((size_t)fe->n * PAIRS, sizeof *s.Theta), {0}};
    double *KV = lmb_alloc((size_t)fe->n * M, sizeof *KV), G[PAIRS * PAIRS] = {0};
    lmb_statics *statics = NULL;
    lmb_support *p = NULL;
    lmb_rows C = {0};
    for (int k = 0; k < 6; k++) lmb_rows_begin(&C), lmb_rows_add(&C, fe->first[held] + k, 1);
    CHECK_OK(lmb_statics_create(&statics, fe, &lmb_factoriser_simple, NULL, &err), err);
    CHECK_OK(lmb_support_create(&p, statics, &C, "held", &err), err);
    CHECK_OK(lmb_support_solve(V, p, NULL, M, &err), err);
    lmb_symmetric_mul(KV, &fe->lower, fe->K, V, M);
    lmb_gram(s.K, 1, V, KV, 0, fe->n, M, M);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++)
            G[(i * M + j) * PAIRS + i * M + j] += 0.5, G[(i * M + j) * PAIRS + j * M + i] += 0.5;
    lmb_fe_arcs arcs;
    CHECK_OK(lmb_fe_arcs_make(&arcs, fe, V, M, G, PAIRS, &err), err);
    CHECK_OK(lmb_fe_second_order(s.Theta, fe, V, M, G, &arcs, &err), err);
    CHECK_OK(lmb_support_solve(s.Theta, p, NULL, PAIRS, &err), err);
    lmb_scale(s.Theta, -1, fe->n * PAIRS);
    lmb_fe_arcs_free(&arcs);
    lmb_rows_free(&C), lmb_support_destroy(p), lmb_statics_destroy(statics);
    lmb_free(KV);
    return s;
}

static void second_free(second *s) { lmb_free(s->V), lmb_free(s->Theta); }

// first order u1 = V q, second order u2 = Theta q q / 2 of all equations
static void second_at(double *u1, double *u2, const second *s, int n, const double *q) {
    memset(u1, 0, (size_t)n * sizeof *u1), memset(u2, 0, (size_t)n * sizeof *u2);
    for (int i = 0; i < M; i++) {
        lmb_axpy(u1, q[i], s->V + (size_t)i * (size_t)n, n);
        for (int j = 0; j < M; j++)
            lmb_axpy(u2, 0.5 * q[i] * q[j], s->Theta + (size_t)(i * M + j) * (size_t)n, n);
    }
}

static double quadratic(const second *s, const double *q) {
    double sum = 0;
    for (int i = 0; i < PAIRS; i++) sum += 0.5 * q[i / M] * s->K[i] * q[i % M];
    return sum;
}

// St. Venant and Kirchhoff: 1/2 int E : C : E, E = sym(H) + H'H/2, with the nodes of the rigid set on circles of second order
static double solid_energy(const lmb_fe *fe, const double *u1, const double *u2) {
    double weight[LMB_ELEMENT_POINTS], dN[LMB_ELEMENT_POINTS * LMB_ELEMENT_NODES * 3], ue[60], ve[60], W = 0;
    lmb_element e;
    for (int i = 0; i < fe->mesh->element_count; i++) {
        const int *nodes = lmb_mesh_nodes(fe->mesh, i);
        lmb_mesh_element_get(&e, fe->mesh, i);
        e.ops->gradients(weight, dN, &e);
        lmb_fe_gather(ue, fe, i, u1), lmb_fe_gather(ve, fe, i, u2);
        for (int a = 0; a < e.ops->nodes; a++) {
            int master = fe->reference[nodes[a]];
            vec3 th = master < 0 ? V3_ZERO : v3_load(u1 + fe->first[master] + 3);
            vec3 d = master < 0 ? V3_ZERO : v3_sub(fe->x[nodes[a]], fe->x[master]);
            vec3 c = v3_scale(0.5, v3_cross(th, v3_cross(th, d)));
            for (int k = 0; k < 3; k++) ue[3 * a + k] += ve[3 * a + k] + v3_get(c, k);
        }
        for (int g = 0; g < e.ops->points; g++) {
            mat3 H = M3_ZERO;
            for (int a = 0; a < e.ops->nodes; a++)
                H = m3_add(H, m3_outer(v3_load(ue + 3 * a), v3_load(dN + 3 * (g * e.ops->nodes + a))));
            mat3 HH = m3_mul(m3_t(H), H), E = m3_scale(0.5, m3_add(m3_add(H, m3_t(H)), HH));
            double mu = STEEL.E / (2 * (1 + STEEL.nu)), lambda = 2 * mu * STEEL.nu / (1 - 2 * STEEL.nu);
            double trace = E.m[0][0] + E.m[1][1] + E.m[2][2], sum = lambda / 2 * trace * trace;
            for (int k = 0; k < 9; k++) sum += mu * E.m[k / 3][k % 3] * E.m[k / 3][k % 3];
            W += weight[g] * sum;
        }
    }
    return W;
}

typedef double (*energy_of)(const lmb_fe *fe, const double *u1, const double *u2);

// the order of W(u1 + u2) - 1/2 q.K q, and that of W(u1): which the second order must mend
static void check_order(const lmb_fe *fe, const second *s, const double *q, energy_of energy) {
    double *u1 = lmb_alloc((size_t)fe->n, sizeof *u1), *u2 = lmb_alloc((size_t)fe->n, sizeof *u2);
    double *none = lmb_alloc((size_t)fe->n, sizeof *none), rest[2], without[2], half[M];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < M; i++) half[i] = k ? q[i] / 2 : q[i];
        second_at(u1, u2, s, fe->n, half);
        rest[k] = energy(fe, u1, u2) / quadratic(s, half) - 1;
        without[k] = energy(fe, u1, none) / quadratic(s, half) - 1;
    }
    check_note("%.2g of the energy, without the second order %.2g", rest[0], without[0]);
    CHECK_NEAR(log2(rest[0] / rest[1]), 2, 0.03);
    CHECK(fabs(rest[0]) < 0.2 * fabs(without[0]));
    lmb_free(u1), lmb_free(u2), lmb_free(none);
}

// the shapes of tip loads, scaled to `turn` at the tip
static void scale_turns(double *q, const second *s, const lmb_fe *fe, int tip, double turn) {
    double largest = 0;
    for (int i = 0; i < M; i++) {
        const double *th = s->V + (size_t)i * (size_t)fe->n + fe->first[tip] + 3;
        q[i] = (i % 2 ? -1.0 : 0.7), largest = fmax(largest, v3_norm(v3_load(th)));
    }
    for (int i = 0; i < M; i++) {
        const double *th = s->V + (size_t)i * (size_t)fe->n + fe->first[tip] + 3;
        q[i] *= turn / fmax(v3_norm(v3_load(th)), 1e-2 * largest);
    }
}

TEST(energy_of_a_block_to_third_order) {
    lmb_error err = {0};
    model k = {.mesh = part_box_make(&(part_box){0.4, 0.1, 0.07, 4, 1, 1, &lmb_element_hex20})};
    int *nodes[2], count[2], reference[2];
    lmb_rigid_tie ties[2];
    for (int i = 0; i < 2; i++) {
        int set = lmb_mesh_find_set(k.mesh, i ? "x1" : "x0", LMB_SET_NODES);
        CHECK_OK(lmb_mesh_set_nodes(&nodes[i], &count[i], k.mesh, set, &err), err);
    }
    for (int i = 0; i < 2; i++) {
        reference[i] = lmb_mesh_add_node(k.mesh, 1000 + i, i ? v3(0.45, 0.07, 0.02) : V3_ZERO);
        ties[i] = (lmb_rigid_tie){reference[i], count[i], nodes[i]};
    }
    CHECK_OK(lmb_fe_create(&k.fe, k.mesh, LMB_MASS_CONSISTENT, ties, 2, NULL, &err), err);
    double *V = lmb_alloc((size_t)k.fe->n * M, sizeof *V), q[M];
    static const int load[M] = {1, 2, 3, 0}; // forces across, torque about the axis, force along it
    for (int i = 0; i < M; i++)
        V[(size_t)i * (size_t)k.fe->n + (size_t)(k.fe->first[reference[1]] + load[i])] = 1e3;
    second s = second_make(k.fe, reference[0], V);
    scale_turns(q, &s, k.fe, reference[1], 0.004);
    check_order(k.fe, &s, q, solid_energy);
    second_free(&s);
    lmb_free(nodes[0]), lmb_free(nodes[1]);
    clean(&k);
}

// A planar rod: stretch |r'| - 1, curvature of the angle of r', r cubic in each element.  A slope at its ends turns with
// the node: r' = (1 + u1') R e.
static double rod_energy(const lmb_fe *fe, const double *u1, const double *u2) {
    static const double at[4] = {0.06943184420297371, 0.33000947820757187, 0.66999052179242813,
                                 0.93056815579702629},
                        w[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                0.17392742256872693};
    const double A = 0.02 * 0.03, I = 0.03 * 0.02 * 0.02 * 0.02 / 12, h = 1.0 / (fe->node_count - 1);
    double W = 0;
    for (int i = 0; i + 1 < fe->node_count; i++) {
        const double *a = u1 + 6 * i, *b = a + 6, *c = u2 + 6 * i, *d = c + 6;
        double e = (b[0] - a[0]) / h, x[2][2], y[2][2]; // places and slopes of both ends
        for (int k = 0; k < 2; k++) {
            const double *p = k ? b : a, *r = k ? d : c;
            x[k][0] = p[0] + r[0] + k * h, x[k][1] = 1 + e - p[5] * p[5] / 2;
            y[k][0] = p[1] + r[1], y[k][1] = p[5] + r[5] + e * p[5];
        }
        for (int g = 0; g < 4; g++) {
            double s = at[g], H1[4] = {6 * (s * s - s) / h, 1 - 4 * s + 3 * s * s, 6 * (s - s * s) / h,
                                       3 * s * s - 2 * s};
            double H2[4] = {(12 * s - 6) / h / h, (6 * s - 4) / h, (6 - 12 * s) / h / h, (6 * s - 2) / h};
            double dx = 0, dy = 0, ddx = 0, ddy = 0;
            for (int k = 0; k < 4; k++) {
                dx += H1[k] * x[k / 2][k % 2], dy += H1[k] * y[k / 2][k % 2];
                ddx += H2[k] * x[k / 2][k % 2], ddy += H2[k] * y[k / 2][k % 2];
            }
            double stretch = hypot(dx, dy) - 1, bend = (dx * ddy - dy * ddx) / (dx * dx + dy * dy);
            W += w[g] * h * STEEL.E / 2 * (A * stretch * stretch + I * bend * bend);
        }
    }
    return W;
}

TEST(energy_of_a_beam_to_third_order) {
    enum { N = 12 };
    lmb_error err = {0};
    model k = {.mesh = part_bar(1, 0.02, 0.03, N, LMB_EULER_BERNOULLI, LMB_ROTARY_ON)};
    CHECK_OK(lmb_fe_create(&k.fe, k.mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    double *V = lmb_alloc((size_t)k.fe->n * M, sizeof *V), q[M];
    // at the tip across and along, a torque there, and a force in the middle
    const int load[M] = {6 * N + 1, 6 * N, 6 * N + 5, 3 * N + 1};
    for (int i = 0; i < M; i++) V[(size_t)i * (size_t)k.fe->n + (size_t)load[i]] = 1e3;
    second s = second_make(k.fe, 0, V);
    scale_turns(q, &s, k.fe, N, 0.01);
    q[1] = 1e-5 / V[(size_t)k.fe->n + 6 * N];
    check_order(k.fe, &s, q, rod_energy);
    second_free(&s);
    clean(&k);
}
