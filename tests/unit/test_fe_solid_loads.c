// mass, loads on faces and quality of all solid elements
#include "solid_help.h"

// ---- mass --------------------------------------------------------------------------------------

typedef struct inertia {
    double m;
    vec3 mx;
    mat3 xx;        // sum m x x'
    double kinetic; // sum m |N u|^2 of the field (x^2, x y, z^2) in unit coordinates
    double least;   // smallest mass of a point
} inertia;

static inertia block_inertia(const solid_block *b, lmb_mass_kind kind) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    inertia sum = {.least = INFINITY};
    lmb_element e;
    for (int i = 0; i < b->element_count; i++) {
        block_element(&e, b, i, &steel);
        int count = b->ops->mass_points(points, &e, kind);
        CHECK(count <= LMB_ELEMENT_MASS_POINTS);
        for (int p = 0; p < count; p++) {
            vec3 x = V3_ZERO, v = V3_ZERO;
            for (int j = 0; j < 3 * b->ops->nodes; j++) {
                vec3 o = b->unit[b->nodes[i][j / 3]], y = v3(o.x * o.x, o.x * o.y, o.z * o.z);
                double c = v3_get(e.x[j / 3], j % 3), d = v3_get(y, j % 3);
                for (int k = 0; k < 3; k++) {
                    x = v3_madd(x, points[p].N[k][j] * c, v3_axis(k));
                    v = v3_madd(v, points[p].N[k][j] * d, v3_axis(k));
                }
            }
            CHECK_NEAR(v3_norm(v3_sub(x, points[p].x)), 0, 1e-15); // N carries the point
            sum.m += points[p].mass;
            sum.mx = v3_madd(sum.mx, points[p].mass, x);
            sum.xx = m3_add(sum.xx, m3_scale(points[p].mass, m3_outer(x, x)));
            sum.kinetic += points[p].mass * v3_dot(v, v);
            sum.least = fmin(sum.least, points[p].mass);
        }
    }
    return sum;
}

// of the parallelepiped A [0, 1]^3, c = (1/2, 1/2, 1/2): m = rho det A, mx = m A c, mxx = m A (I/12 + c c') A'
TEST(mass_of_a_parallelepiped) {
    mat3 inverse, moment = m3_add(m3_scale(1.0 / 12, M3_ID), m3_outer(v3(0.5, 0.5, 0.5), v3(0.5, 0.5, 0.5)));
    double m = steel.rho * lmb_solid_inverse(&inverse, &skew);
    vec3 mx = v3_scale(m, m3_mul_v3(&skew, v3(0.5, 0.5, 0.5)));
    mat3 xx = m3_scale(m, m3_mul(skew, m3_mul(moment, m3_t(skew))));
    for (int s = 0; s < SOLIDS; s++) {
        solid_block *b = lmb_alloc(1, sizeof *b);
        block_make(b, solids[s], 2, 1, 2);
        block_map(b, &skew, V3_ZERO);
        inertia c = block_inertia(b, LMB_MASS_CONSISTENT), l = block_inertia(b, LMB_MASS_LUMPED);
        CHECK_NEAR(c.m / m, 1, 1e-14);
        CHECK_NEAR(v3_norm(v3_sub(c.mx, mx)) / m, 0, 1e-14);
        for (int k = 0; k < 9; k++) CHECK_NEAR((c.xx.m[k / 3][k % 3] - xx.m[k / 3][k % 3]) / m, 0, 1e-14);
        CHECK(c.least > 0);
        // int x^4 + x^2 y^2 + z^4 = 1/5 + 1/9 + 1/5
        if (quadratic(solids[s])) CHECK_NEAR(c.kinetic / m, 0.4 + 1.0 / 9, 1e-14);
        CHECK_NEAR(l.m / m, 1, 1e-14);
        CHECK_NEAR(v3_norm(v3_sub(l.mx, mx)) / m, 0, 1e-14);
        CHECK(l.least > 0);
        lmb_free(b);
    }
}

// lumped masses are in proportion to the diagonal of the consistent matrix
TEST(lumped_mass_of_a_distorted_element) {
    static lmb_mass_point consistent[LMB_ELEMENT_MASS_POINTS], lumped[LMB_ELEMENT_MASS_POINTS];
    for (int s = 0; s < SOLIDS; s++) {
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        double M[20] = {0}, trace = 0, mass = 0;
        block_make(b, solids[s], 1, 1, 1);
        distort(b, 0.1, 0.1, 0.02);
        block_element(&e, b, 0, &steel);
        int count = solids[s]->mass_points(consistent, &e, LMB_MASS_CONSISTENT);
        CHECK(solids[s]->mass_points(lumped, &e, LMB_MASS_LUMPED) == solids[s]->nodes);
        for (int p = 0; p < count; p++) {
            mass += consistent[p].mass;
            for (int i = 0; i < solids[s]->nodes; i++) {
                double m = consistent[p].mass * consistent[p].N[1][3 * i + 1] * consistent[p].N[1][3 * i + 1];
                M[i] += m, trace += m;
            }
        }
        for (int i = 0; i < solids[s]->nodes; i++) {
            CHECK_NEAR(lumped[i].mass / mass, M[i] / trace, 1e-14);
            CHECK_NEAR(v3_norm(v3_sub(lumped[i].x, e.x[i])), 0, 0);
            for (int j = 0; j < 3 * solids[s]->nodes; j++)
                for (int k = 0; k < 3; k++) CHECK(lumped[i].N[k][j] == (j == 3 * i + k));
        }
        lmb_free(b);
    }
}

// ---- loads on faces ----------------------------------------------------------------------------

static void sum_forces(vec3 *force, vec3 *moment, double *virial, const lmb_element *e, const double *f) {
    *force = *moment = V3_ZERO;
    *virial = 0;
    for (int i = 0; i < e->ops->nodes; i++) {
        vec3 fi = v3_load(f + 3 * i);
        *force = v3_add(*force, fi);
        *moment = v3_add(*moment, v3_cross(e->x[i], fi));
        *virial += v3_dot(e->x[i], fi);
    }
}

// pressure on all faces: no force, no moment, and sum x_i . f_i = -p oint x . n dA = -3 p V, faces curved
TEST(pressure_all_round) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        double f[60] = {0}, virial, volume = 0;
        vec3 force, moment;
        block_make(b, ops, 1, 1, 1);
        distort(b, 0.1, 0.1, 0.03);
        block_element(&e, b, 0, &steel);
        for (int i = 0; i < ops->faces; i++) ops->face_load(f, &e, i, V3_ZERO, 3.0);
        sum_forces(&force, &moment, &virial, &e, f);
        int count = ops->mass_points(points, &e, LMB_MASS_CONSISTENT);
        for (int p = 0; p < count; p++) volume += points[p].mass / steel.rho;
        CHECK_NEAR(v3_norm(force), 0, 1e-14);
        CHECK_NEAR(v3_norm(moment), 0, 1e-14);
        CHECK_NEAR(virial / (-9 * volume), 1, 1e-13);
        lmb_free(b);
    }
}

// traction and pressure on every plane face of a parallelepiped: force (t - p n) A at the centre of the face
TEST(face_loads) {
    const vec3 t = {2, -1, 0.5};
    const double p = 3;
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        block_make(b, ops, 1, 1, 1);
        block_map(b, &skew, v3(0.1, 0.2, 0.3));
        block_element(&e, b, 0, &steel);
        for (int i = 0; i < ops->faces; i++) {
            const signed char *nodes = ops->face_nodes[i] + 1;
            int corners = ops->face_nodes[i][0] % 3 == 0 ? 3 : 4;
            double f[60] = {0}, virial;
            vec3 force, moment, centre = V3_ZERO, x0 = e.x[nodes[0]];
            for (int k = 0; k < corners; k++) centre = v3_madd(centre, 1.0 / corners, e.x[nodes[k]]);
            vec3 nA = v3_cross(v3_sub(e.x[nodes[1]], x0), v3_sub(e.x[nodes[corners - 1]], x0));
            if (corners == 3) nA = v3_scale(0.5, nA);
            vec3 exact = v3_madd(v3_scale(v3_norm(nA), t), -p, nA);
            ops->face_load(f, &e, i, t, p);
            sum_forces(&force, &moment, &virial, &e, f);
            CHECK_NEAR(v3_norm(v3_sub(force, exact)), 0, 1e-14);
            CHECK_NEAR(v3_norm(v3_sub(moment, v3_cross(centre, exact))), 0, 1e-14);
            // middle nodes are listed between the corners: first and second, ...
            for (int k = 0; k < corners && quadratic(ops); k++) {
                vec3 mid = v3_scale(0.5, v3_add(e.x[nodes[k]], e.x[nodes[(k + 1) % corners]]));
                CHECK_NEAR(v3_norm(v3_sub(mid, e.x[nodes[corners + k]])), 0, 1e-15);
            }
            // and a load stays on its face
            double off = 0, all = lmb_norm_max(f, 3 * ops->nodes);
            for (int k = 0; k < ops->face_nodes[i][0]; k++) v3_store(f + 3 * nodes[k], V3_ZERO);
            off = lmb_norm_max(f, 3 * ops->nodes);
            CHECK(all > 0 && off == 0);
        }
        lmb_free(b);
    }
}

// traction on a cylinder of radius 1 in n elements over 1 rad, length 1: force = area = 1
static double cylinder_error(const lmb_element_ops *ops, int n) {
    solid_block *b = lmb_alloc(1, sizeof *b);
    lmb_element e;
    double sum = 0;
    block_make(b, ops, n, 1, 1);
    for (int i = 0; i < b->node_count; i++) {
        double r = 0.5 + 0.5 * b->unit[i].z, a = b->unit[i].x;
        b->x[i] = v3(r * sin(a), b->unit[i].y, r * cos(a));
    }
    for (int i = 0; i < b->element_count; i++) {
        block_element(&e, b, i, &steel);
        for (int k = 0; k < ops->faces; k++) {
            double f[60] = {0};
            bool outside = true;
            for (int j = 1; j <= ops->face_nodes[k][0]; j++)
                outside &= b->unit[b->nodes[i][ops->face_nodes[k][j]]].z == 1;
            if (!outside) continue;
            ops->face_load(f, &e, k, v3(1, 0, 0), 0);
            for (int j = 0; j < ops->nodes; j++) sum += f[3 * j];
        }
    }
    lmb_free(b);
    return fabs(sum - 1);
}

TEST(traction_on_a_cylinder) {
    for (int s = 0; s < SOLIDS; s++) {
        double e2 = cylinder_error(solids[s], 2), e4 = cylinder_error(solids[s], 4);
        if (!CHECK(e4 < (quadratic(solids[s]) ? 1e-5 : 1e-2)) ||
            !CHECK_NEAR(log2(e2 / e4), quadratic(solids[s]) ? 4 : 2, 0.05))
            check_note("%s: %.2e %.2e", solids[s]->name, e2, e4);
    }
}

// ---- quality -----------------------------------------------------------------------------------

TEST(quality) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e, f;
        block_make(b, ops, 1, 1, 1);
        block_map(b, &skew, v3(10, 20, 30));
        block_element(&e, b, 0, &steel);
        CHECK_NEAR(ops->quality(&e), 1, 1e-12); // a parallelepiped, or its part
        f = e;
        for (int i = 0; i < ops->nodes; i++) f.x[i].x = -f.x[i].x; // mirrored: inside out
        CHECK_NEAR(ops->quality(&f), -1, 1e-12);
        for (int i = 0; i < ops->nodes; i++) f.x[i] = v3(e.x[i].x, e.x[i].y, 0.3 * e.x[i].x + 0.1 * e.x[i].y);
        CHECK(ops->quality(&f) == 0); // flat
        for (int i = 0; i < ops->nodes; i++) f.x[i] = e.x[0];
        CHECK(ops->quality(&f) == 0); // a point
        f = e;
        f.x[0] = v3(NAN, 0, 0);
        CHECK(!(ops->quality(&f) > 0));
        // thin is not flat
        for (int i = 0; i < ops->nodes; i++)
            f.x[i] =
                v3(b->unit[b->nodes[0][i]].x, b->unit[b->nodes[0][i]].y, 1e-7 * b->unit[b->nodes[0][i]].z);
        CHECK_NEAR(ops->quality(&f), 1, 1e-12);
        // a middle node at the quarter point: no Jacobian at the corner; beyond it: negative
        if (quadratic(ops)) {
            int middle = ops->face_nodes[0][ops->face_nodes[0][0]]; // between the last and the first corner
            int last = ops->face_nodes[0][ops->face_nodes[0][0] / 2], first = ops->face_nodes[0][1];
            f = e;
            f.x[middle] = v3_madd(e.x[first], 0.25, v3_sub(e.x[last], e.x[first]));
            CHECK_NEAR(ops->node_quality(&f), 0, 1e-12);
            CHECK(ops->quality(&f) > 0.05);
            f.x[middle] = v3_madd(e.x[first], 0.2, v3_sub(e.x[last], e.x[first]));
            CHECK(ops->node_quality(&f) < -0.01);
            CHECK(ops->quality(&f) > 0.05); // where it is integrated it is sound
        }
        lmb_free(b);
    }
}

// ---- folded at a node ----------------------------------------------------------------------------

// a middle node beyond the quarter point: mass points are positive, and give the volume that the stiffness sees
TEST(folded_corners_have_no_negative_mass) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        if (!quadratic(ops)) continue;
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        block_make(b, ops, 1, 1, 1);
        block_element(&e, b, 0, &steel);
        int middle = ops->face_nodes[0][ops->face_nodes[0][0]], first = ops->face_nodes[0][1];
        const vec3 half = e.x[middle];
        for (double s1 = 0.4; s1 > -1 && ops->quality(&e) > 0.02; s1 -= 0.01) // as far as the stiffness bears
            e.x[middle] = v3_madd(e.x[first], s1, v3_sub(half, e.x[first]));
        CHECK(ops->node_quality(&e) < 0 && ops->quality(&e) > 0);
        lmb_mass_point points[LMB_RULE_POINTS];
        double mass = 0, seen = 0, weight[LMB_RULE_POINTS], dN[LMB_RULE_POINTS * LMB_ELEMENT_NODES * 3];
        for (int kind = LMB_MASS_CONSISTENT; kind <= LMB_MASS_LUMPED; kind++) {
            int count = ops->mass_points(points, &e, (lmb_mass_kind)kind);
            mass = 0;
            for (int k = 0; k < count; k++) CHECK(points[k].mass > 0), mass += points[k].mass;
        }
        ops->gradients(weight, dN, &e);
        for (int k = 0; k < ops->points; k++) seen += steel.rho * weight[k];
        CHECK_NEAR(mass / seen, 1, 1e-12);
        lmb_free(b);
    }
}

static lmb_mesh *mesh_of(const solid_block *b) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_create(&m, "block", &err), err)) return NULL;
    lmb_property all = {.name = "part", .material = lmb_mesh_add_material(m, &steel), .axes = M3_ID};
    int property = lmb_mesh_add_property(m, &all);
    for (int i = 0; i < b->node_count; i++) lmb_mesh_add_node(m, i + 1, b->x[i]);
    for (int i = 0; i < b->element_count; i++)
        lmb_mesh_add_element(m, b->ops, i + 1, b->nodes[i], property, 0);
    return m;
}

// a middle node of a block moved along its edge until elements fold: straight again
TEST(straightened_edges_are_straight) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        if (!quadratic(ops)) continue;
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_error err = {0};
        lmb_text report = {0};
        lmb_straightened moved;
        block_make(b, ops, 2, 2, 2);
        lmb_mesh *m = mesh_of(b);
        if (m) {
            int *nodes = m->nodes_of + m->elements[0].first;
            int middle = nodes[ops->face_nodes[0][ops->face_nodes[0][0]]],
                first = nodes[ops->face_nodes[0][1]];
            vec3 before = m->x[middle];
            m->x[middle] = v3_madd(m->x[first], 0.4, v3_sub(before, m->x[first]));
            CHECK_OK(lmb_mesh_check(&report, m, &err), err);
            CHECK_CONTAINS(report.text, "negative Jacobian at a node");
            lmb_mesh_straighten(&moved, m);
            CHECK(moved.nodes == 1 && moved.elements >= 1);
            CHECK_NEAR(moved.farthest, v3_norm(v3_sub(before, m->x[first])) * 0.6, 1e-12);
            CHECK_NEAR(v3_norm(v3_sub(m->x[middle], before)), 0, 1e-15);
            lmb_text_free(&report);
            CHECK_OK(lmb_mesh_check(&report, m, &err), err);
            CHECK(report.length == 0);
            lmb_mesh_straighten(&moved, m);
            CHECK(moved.nodes == 0 && moved.elements == 0);
            lmb_mesh_destroy(m);
        }
        lmb_text_free(&report);
        lmb_free(b);
    }
}
