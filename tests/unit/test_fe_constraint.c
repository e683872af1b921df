// tests/unit/test_fe_constraint.c: motions that follow others: against Lagrange multipliers, against a mesh that needs none,
// chains, repeated and circular equations, motions that nothing needs.
#include "../fe_parts.h"

#include <string.h>

// A = K + s M of a model as a full matrix
static double *full(const lmb_fe *fe, double s) {
    size_t n = (size_t)fe->n;
    double *A = lmb_alloc(n * n + 1, sizeof *A);
    for (size_t c = 0; c < n; c++)
        for (int k = fe->lower.start[c]; k < fe->lower.start[c + 1]; k++) {
            size_t r = (size_t)fe->lower.row[k];
            A[r * n + c] = A[c * n + r] = fe->K[k] + s * fe->M[k];
        }
    return A;
}

static void solve(double *x, double *A, int n) {
    int *pivot = lmb_alloc((size_t)n + 1, sizeof *pivot);
    CHECK(lmb_dense_lu(A, pivot, n));
    lmb_dense_lu_solve(x, A, pivot, n);
    lmb_free(pivot);
}

// motions of all nodes of the free model (n of them) as those of the constrained one move
static void expand(double *u, const lmb_fe *free_fe, const lmb_fe *fe, const double *q) {
    lmb_node_rows rows;
    for (int e = 0; e < free_fe->n; e++) {
        lmb_fe_node_rows(&rows, fe, free_fe->node_of[e]);
        u[e] = lmb_node_value(&rows, lmb_fe_motion(free_fe, e), q);
    }
}

// f of the free model on the equations of the constrained one: T' f
static void contract(double *g, const lmb_fe *free_fe, const lmb_fe *fe, const double *f) {
    lmb_node_rows rows;
    memset(g, 0, sizeof *g * (size_t)fe->n);
    for (int e = 0; e < free_fe->n; e++) {
        int k = lmb_fe_motion(free_fe, e);
        lmb_fe_node_rows(&rows, fe, free_fe->node_of[e]);
        for (int i = 0; i < rows.count[k]; i++) g[rows.equation[k][i]] += rows.factor[k][i] * f[e];
    }
}

// |A C'; C 0| |u; l| = |f; 0| with the equations of the mesh
static void with_multipliers(double *u, const lmb_mesh *m, const lmb_fe *fe, double s, const double *f) {
    int n = fe->n, size = n + m->equation_count;
    double *A = full(fe, s), *B = lmb_alloc((size_t)size * (size_t)size, sizeof *B),
           *x = lmb_alloc((size_t)size, sizeof *x), most = lmb_norm_max(A, n * n);
    for (int i = 0; i < n; i++) memcpy(B + i * size, A + i * n, sizeof *A * (size_t)n);
    for (int i = 0; i < m->equation_count; i++)
        for (int k = 0; k < m->equations[i].count; k++) {
            const lmb_equation_term *t = &m->terms[m->equations[i].first + k];
            int q = lmb_fe_equation(fe, t->node, t->motion);
            B[q * size + n + i] += most * t->factor, B[(n + i) * size + q] += most * t->factor;
        }
    memcpy(x, f, sizeof *x * (size_t)n);
    solve(x, B, size);
    memcpy(u, x, sizeof *u * (size_t)n);
    lmb_free(A), lmb_free(B), lmb_free(x);
}

// random equations; motions that follow in one lead in others
static void add_random(lmb_mesh *m, int count, int motions) {
    for (int i = 0; i < count; i++) {
        CHECK(lmb_mesh_add_equation(m, LMB_NOWHERE) >= 0);
        int terms = 2 + i % 4;
        for (int k = 0; k < terms; k++) {
            int node = (int)(fabs(check_random()) * 0.999 * m->node_count),
                motion = (int)(fabs(check_random()) * 0.999 * motions);
            CHECK(lmb_mesh_add_term(m, node, motion, (motion < 3 ? 1 : 0.1) * check_random()) >= 0);
        }
    }
}

static void compare_with_multipliers(lmb_mesh *m, int equations, int motions) {
    lmb_error err = {0};
    lmb_fe *free_fe = NULL, *fe = NULL;
    if (!CHECK_OK(lmb_fe_create(&free_fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err)) return;
    add_random(m, equations, motions);
    if (!CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err)) return;
    int n = free_fe->n;
    CHECK(fe->n == n - equations);
    double *f = lmb_alloc((size_t)n, sizeof *f), *u = lmb_alloc((size_t)n, sizeof *u),
           *want = lmb_alloc((size_t)n, sizeof *want), *q = lmb_alloc((size_t)n, sizeof *q), s = 1e8;
    for (int i = 0; i < n; i++) f[i] = check_random();
    with_multipliers(want, m, free_fe, s, f);
    contract(q, free_fe, fe, f);
    double *A = full(fe, s), size = lmb_norm_max(want, n), worst = 0;
    solve(q, A, fe->n);
    expand(u, free_fe, fe, q);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(u[i] - want[i]));
    CHECK_NEAR(worst / size, 0, 1e-8); // conditions of the matrices: 1e4 and 1e6
    CHECK_NEAR(fe->mass, free_fe->mass, 1e-12 * fe->mass);
    lmb_free(f), lmb_free(u), lmb_free(want), lmb_free(q), lmb_free(A);
    lmb_fe_destroy(free_fe), lmb_fe_destroy(fe);
    lmb_mesh_destroy(m);
}

TEST(equations_as_with_multipliers) {
    for (int i = 1; i <= 12; i += check_sampled() ? 5 : 1) {
        compare_with_multipliers(part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, &lmb_element_hex8}), i, 3);
        compare_with_multipliers(part_bar(1, 0.1, 0.08, 3, LMB_TIMOSHENKO, LMB_ROTARY_ON), i, 6);
    }
}

// ---- two boxes, glued node by node, and one box --------------------------------------------------

// the second brick gets nodes of its own on the face between, which follow those of the first
static lmb_mesh *cut_box(bool chained) {
    lmb_mesh *m = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, &lmb_element_hex8});
    int *nodes = m->nodes_of + m->elements[1].first, label = 1000;
    for (int a = 0; a < 8; a++) {
        int old = nodes[a], between = old;
        if (fabs(m->x[old].x - 0.2) > 1e-9) continue;
        int own = lmb_mesh_add_node(m, ++label, m->x[old]);
        if (chained) between = lmb_mesh_add_node(m, 1000 + ++label, m->x[old]);
        for (int k = 0; k < 3; k++) {
            lmb_mesh_add_equation(m, LMB_NOWHERE);
            lmb_mesh_add_term(m, own, k, 2), lmb_mesh_add_term(m, between, k, -2);
            if (!chained) continue;
            lmb_mesh_add_equation(m, LMB_NOWHERE);
            lmb_mesh_add_term(m, between, k, 1), lmb_mesh_add_term(m, old, k, -1);
        }
        nodes[a] = own;
    }
    return m;
}

static void compare_with_whole(bool chained) {
    lmb_error err = {0};
    lmb_text report = {0};
    lmb_mesh *a = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, &lmb_element_hex8}),
             *b = cut_box(chained);
    lmb_fe *whole = NULL, *cut = NULL;
    CHECK_OK(lmb_mesh_check(&report, b, &err), err);
    CHECK_OK(lmb_fe_create(&whole, a, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    CHECK_OK(lmb_fe_create(&cut, b, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    if (!whole || !cut || !CHECK(whole->n == cut->n) || !CHECK(whole->lower.nnz == cut->lower.nnz)) return;
    size_t n = (size_t)whole->n, nnz = (size_t)whole->lower.nnz;
    double *g = lmb_alloc(2 * nnz, sizeof *g), *u = lmb_alloc(2 * n, sizeof *u), *h = g + nnz, *w = u + n;
    for (size_t i = 0; i < n; i++) u[i] = 1e-4 * check_random();
    CHECK_OK(lmb_fe_geometric_matrix(g, whole, u, &err), err);
    CHECK_OK(lmb_fe_geometric_matrix(h, cut, u, &err), err);
    double most[3] = {lmb_norm_max(whole->K, (int)nnz), lmb_norm_max(whole->M, (int)nnz),
                      lmb_norm_max(g, (int)nnz)};
    for (size_t i = 0; i < nnz; i++) {
        CHECK_NEAR(whole->K[i] / most[0], cut->K[i] / most[0], 1e-14);
        CHECK_NEAR(whole->M[i] / most[1], cut->M[i] / most[1], 1e-14);
        CHECK_NEAR(g[i] / most[2], h[i] / most[2], 1e-14);
    }
    // stress at the nodes of one element alone; those between have two averages in the cut box
    lmb_stress_layout la, lb;
    CHECK_OK(lmb_fe_stress_layout(&la, whole, &err), err);
    CHECK_OK(lmb_fe_stress_layout(&lb, cut, &err), err);
    double *sa = lmb_alloc((size_t)(la.places * 6), sizeof *sa),
           *sb = lmb_alloc((size_t)(lb.places * 6), sizeof *sb);
    CHECK_OK(lmb_fe_stress(sa, whole, &la, u, 1, &err), err);
    CHECK_OK(lmb_fe_stress(sb, cut, &lb, u, 1, &err), err);
    for (int i = 0; i < la.places * 6; i++)
        if (fabs(a->x[la.node[i / 6]].x - 0.2) > 1e-9)
            CHECK_NEAR(sa[i], sb[i], 1e-14 * lmb_norm_max(sa, la.places * 6));
    lmb_fe_body_loads(memset(u, 0, n * sizeof *u), whole, &(lmb_acceleration){.b = {1, 2, 3}}, 1);
    lmb_fe_body_loads(memset(w, 0, n * sizeof *w), cut, &(lmb_acceleration){.b = {1, 2, 3}}, 1);
    for (size_t i = 0; i < n; i++) CHECK_NEAR(u[i], w[i], 1e-14 * whole->mass);
    lmb_stress_layout_free(&la), lmb_stress_layout_free(&lb);
    lmb_free(sa), lmb_free(sb), lmb_free(g), lmb_free(u), lmb_text_free(&report);
    lmb_fe_destroy(whole), lmb_fe_destroy(cut);
    lmb_mesh_destroy(a), lmb_mesh_destroy(b);
}

TEST(glued_as_whole) {
    compare_with_whole(false);
    compare_with_whole(true);
}

// ---- rigid motions -----------------------------------------------------------------------------

// u_k of the nodes of a set follows node r: u_k = (u_r + theta_r x d)_k
static void couple(lmb_mesh *m, const char *set, int r, int motions) {
    const lmb_mesh_set *s = &m->sets[lmb_mesh_find_set(m, set, LMB_SET_NODES)];
    for (int i = 0; i < s->count; i++)
        for (int k = 0; k < 3; k++) {
            if (!(motions >> k & 1)) continue;
            vec3 d = v3_sub(m->x[s->items[i]], m->x[r]);
            lmb_mesh_add_equation(m, LMB_NOWHERE);
            lmb_mesh_add_term(m, s->items[i], k, 1), lmb_mesh_add_term(m, r, k, -1);
            for (int c = 0; c < 3; c++) // e_k . (e_c x d)
                lmb_mesh_add_term(m, r, 3 + c, -v3_get(v3_cross(v3_axis(c), d), k));
        }
}

static double resists(const lmb_fe *fe) {
    size_t n = (size_t)fe->n;
    double *V = lmb_alloc(12 * n, sizeof *V), worst = 0;
    lmb_fe_rigid(V, fe);
    lmb_symmetric_mul(V + 6 * n, &fe->lower, fe->K, V, 6);
    worst = lmb_norm_max(V + 6 * n, 6 * fe->n) / lmb_norm_max(fe->K, fe->lower.nnz);
    lmb_free(V);
    return worst;
}

// a reference of single motions, coupled to a second one rigidly: chains in both orders
TEST(rigid_motions_stay_free) {
    for (int motions = 1; motions < 8; motions++)
        for (int tied = 0; tied < 3; tied++) {
            lmb_error err = {0};
            lmb_fe *fe = NULL;
            lmb_mesh *m = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 2, 2, &lmb_element_hex8});
            int r = lmb_mesh_add_node(m, 1000, v3(0.5, 0.3, -0.2)),
                far = lmb_mesh_add_node(m, 1001, v3(0.8, 0, 0.1));
            couple(m, "x1", r, motions);
            lmb_rigid_tie tie = tied == 1 ? (lmb_rigid_tie){far, 1, &r} : (lmb_rigid_tie){r, 1, &far};
            CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
            if (CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, &tie, tied > 0, NULL, &err), err))
                CHECK_NEAR(resists(fe), 0, 1e-13);
            lmb_fe_destroy(fe);
            lmb_mesh_destroy(m);
        }
}

// a set of one node: the rotations of its reference move nothing of their own and have no equations
TEST(motions_nothing_needs) {
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    lmb_mesh *m = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, &lmb_element_hex8});
    int r = lmb_mesh_add_node(m, 1000, v3(0.5, 0.3, -0.2)), node = m->sets[0].items[0],
        before = 3 * (m->node_count - 1);
    lmb_rigid_tie tie = {r, 1, &node};
    if (CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, &tie, 1, NULL, &err), err)) {
        CHECK(fe->n == before);
        CHECK_NEAR(resists(fe), 0, 1e-13);
    }
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(m);
}

// A mass with inertia between two nodes needs all rotations of its reference, also the one that the nodes do not define: its
// inertia counts when the whole turns.
TEST(inertia_at_a_reference) {
    for (int inertia = 0; inertia < 2; inertia++) {
        lmb_error err = {0};
        lmb_fe *fe = NULL;
        lmb_mesh *m = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, &lmb_element_hex8});
        const int *ends = m->sets[0].items;
        vec3 x = v3_scale(0.5, v3_add(m->x[ends[0]], m->x[ends[1]]));
        int r = lmb_mesh_add_node(m, 1000, x), free_nodes = m->node_count - 3;
        lmb_property p = {.name = "mass",
                          .material = -1,
                          .mass = 2,
                          .inertia = m3_diag(inertia, 2 * inertia, 2.5 * inertia)};
        lmb_mesh_add_element(m, &lmb_element_mass, 99, &r, lmb_mesh_add_property(m, &p), 0);
        lmb_rigid_tie tie = {r, 2, ends};
        if (CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, &tie, 1, NULL, &err), err)) {
            CHECK(fe->n == 3 * free_nodes + 5 + inertia); // two nodes: not about their line
            size_t n = (size_t)fe->n;
            double *V = lmb_alloc(12 * n, sizeof *V), J[36];
            lmb_fe_rigid(V, fe);
            lmb_symmetric_mul(V + 6 * n, &fe->lower, fe->M, V, 6);
            lmb_gram(J, 1, V, V + 6 * n, 0, fe->n, 6, 6);
            double box = STEEL.rho * 0.4 * 0.2 * 0.1,
                   want = box * (0.2 * 0.2 + 0.1 * 0.1) / 3 + 2 * (x.y * x.y + x.z * x.z) + inertia;
            CHECK_NEAR(J[21] / want, 1, 1e-12); // about x through the origin
            CHECK_NEAR(resists(fe), 0, 1e-13);
            lmb_free(V);
        }
        lmb_fe_destroy(fe);
        lmb_mesh_destroy(m);
    }
}

// ---- what says nothing new, and what holds the part ------------------------------------------------

TEST(repeated_equations_say_nothing_new) {
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    lmb_mesh *m = part_box_make(&(part_box){0.4, 0.2, 0.1, 2, 1, 1, &lmb_element_hex8});
    int n = 3 * m->node_count, circle[4] = {0, 1, 2, 0};
    for (int i = 0; i < 3; i++) {
        lmb_mesh_add_equation(m, LMB_NOWHERE);
        lmb_mesh_add_term(m, circle[i], 1, 3), lmb_mesh_add_term(m, circle[i + 1], 1, -3);
    }
    if (CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err)) CHECK(fe->n == n - 2);
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(m);
}

TEST(equations_that_hold_the_part_are_refused) {
    static const struct {
        int motion[2];
        double factor[2];
        const char *message;
    } wrong[] = {
        {{0, 0}, {1, 1}, "along x"},
        {{1, 1}, {1, -1}, "about"},
        {{3, 3}, {1, -2}, "about x"},
        {{0, 5}, {1, -1}, "along x"},
    };
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        lmb_error err = {0};
        lmb_mesh *m = part_bar(1, 0.1, 0.08, 3, LMB_TIMOSHENKO, LMB_ROTARY_ON);
        lmb_mesh_add_equation(m, (lmb_where){"deck.inp", 17, 0});
        for (int k = 0; k < 2; k++) lmb_mesh_add_term(m, 3 * k, wrong[i].motion[k], wrong[i].factor[k]);
        CHECK(lmb_mesh_check(NULL, m, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, wrong[i].message);
        CHECK(err.line == 17);
        lmb_mesh_destroy(m);
    }
}

TEST(references_that_follow_each_other_are_named) {
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    lmb_mesh *m = part_bar(1, 0.1, 0.08, 3, LMB_TIMOSHENKO, LMB_ROTARY_ON);
    int a = 0, b = 3;
    lmb_rigid_tie ties[2] = {{a, 1, &b}, {b, 1, &a}};
    CHECK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, ties, 2, NULL, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "follow each other");
    lmb_mesh_destroy(m);
}
