// tests of fe/mesh.c, mesh_check.c and mesh_surface.c, on elements that exist for these tests only
#include "check.h"
#include "fe/fe.h"

#include <stdio.h>
#include <string.h>

// ---- elements of the tests ---------------------------------------------------------------------

// smallest by largest corner Jacobian of a hexahedron
static double cube_quality(const lmb_element *e) {
    static const signed char next[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                           {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};
    double low = INFINITY, high = 0;
    for (int i = 0; i < 8; i++) {
        vec3 a = v3_sub(e->x[next[i][0]], e->x[i]), b = v3_sub(e->x[next[i][1]], e->x[i]),
             c = v3_sub(e->x[next[i][2]], e->x[i]);
        double J = v3_dot(v3_cross(a, b), c);
        low = fmin(low, J);
        high = fmax(high, fabs(J));
    }
    return high > 0 ? low / high : 0;
}
static double good(const lmb_element *e) {
    (void)e;
    return 1;
}

static const lmb_element_ops cube = {
    .name = "cube",
    .nodes = 8,
    .node_dofs = 3,
    .stress_kind = LMB_STRESS_SOLID,
    .faces = 6,
    .face_nodes = {{4, 0, 3, 2, 1},
                   {4, 4, 5, 6, 7},
                   {4, 0, 1, 5, 4},
                   {4, 1, 2, 6, 5},
                   {4, 2, 3, 7, 6},
                   {4, 3, 0, 4, 7}},
    .quality = cube_quality,
};
// a solid of one eight-node face, enough to see how it is split
static const lmb_element_ops pane = {
    .name = "pane",
    .nodes = 8,
    .node_dofs = 3,
    .stress_kind = LMB_STRESS_SOLID,
    .faces = 1,
    .face_nodes = {{8, 0, 1, 2, 3, 4, 5, 6, 7}},
    .quality = good,
};
static const lmb_element_ops leaf = {
    .name = "leaf",
    .nodes = 6,
    .node_dofs = 6,
    .stress_kind = LMB_STRESS_SHELL,
    .faces = 2,
    .face_nodes = {{6, 0, 1, 2, 3, 4, 5}, {6, 0, 2, 1, 5, 4, 3}},
    .quality = good,
};
static const lmb_element_ops rod = {.name = "rod",
                                    .nodes = 2,
                                    .node_dofs = 6,
                                    .stress_kind = LMB_STRESS_BEAM,
                                    .faces = 1,
                                    .face_nodes = {{2, 0, 1}},
                                    .quality = good};
static const lmb_element_ops ball = {.name = "ball", .nodes = 1, .node_dofs = 6, .quality = good};

// ---- a block of cubes --------------------------------------------------------------------------

static const lmb_where here = {"block.inp", 7, 0};

static lmb_mesh *block(int nx, int ny, int nz) {
    lmb_mesh *m;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_create(&m, "block.inp", &err), err)) return NULL;
    for (int i = 0; i <= nx; i++)
        for (int j = 0; j <= ny; j++)
            for (int k = 0; k <= nz; k++) lmb_mesh_add_node(m, 1000 - m->node_count, v3(i, j, k));
    lmb_material steel = {"steel", 2e11, 0.3, 7800, here};
    lmb_property solid = {.name = "solid", .material = lmb_mesh_add_material(m, &steel), .where = here};
    int property = lmb_mesh_add_property(m, &solid), sy = nz + 1, sx = (ny + 1) * sy;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++)
            for (int k = 0; k < nz; k++) {
                int o = i * sx + j * sy + k;
                int n[8] = {o, o + sx, o + sx + sy, o + sy, o + 1, o + sx + 1, o + sx + sy + 1, o + sy + 1};
                lmb_mesh_add_element(m, &cube, 10 + m->element_count, n, property, 20 + m->element_count);
            }
    return m;
}

// 6 V = sum over triangles of a . (b x c), if all normals point outwards
static double volume_inside(const lmb_mesh *m, const int *t, int count) {
    double V = 0;
    for (int i = 0; i < count; i++)
        V += v3_dot(m->x[t[3 * i]], v3_cross(m->x[t[3 * i + 1]], m->x[t[3 * i + 2]])) / 6;
    return V;
}

TEST(container) {
    lmb_mesh *m = block(3, 2, 2);
    CHECK(m->node_count == 36 && m->element_count == 12);
    bool found = true;
    for (int i = 0; i < m->node_count; i++) found = found && lmb_mesh_find_node(m, 1000 - i) == i;
    CHECK(found);
    CHECK(lmb_mesh_find_node(m, 1001) == -1 && lmb_mesh_find_node(m, -5) == -1);
    CHECK(lmb_mesh_find_element(m, 21) == 11 && lmb_mesh_find_element(m, 22) == -1);
    lmb_element e;
    lmb_mesh_element_get(&e, m, 11);
    CHECK(e.ops == &cube && e.x[0].x == 2 && e.x[6].x == 3 && e.x[6].y == 2 && e.x[6].z == 2);
    CHECK_TEXT(e.material->name, "steel");
    CHECK(e.material->where.line == 7 && e.property->material == 0);
    m->elements[11].property = -1;
    lmb_mesh_element_get(&e, m, 11);
    CHECK(e.material == NULL && e.property == NULL);
    lmb_mesh_scale(m, 1e-3);
    CHECK(m->x[35].x == 3e-3 && m->x[35].y == 2e-3);
    lmb_mesh_destroy(m);
    lmb_mesh_destroy(NULL);
}

TEST(label_map_keeps_the_first) {
    lmb_label_map map = {0};
    CHECK(lmb_label_map_find(&map, 0) == -1);
    for (int i = 0; i < 5000; i++) lmb_label_map_add(&map, 64 * i - 100000, i);
    for (int i = 0; i < 5000; i++) lmb_label_map_add(&map, 64 * i - 100000, i + 7);
    bool right = map.count == 5000;
    for (int i = 0; i < 5000; i++) right = right && lmb_label_map_find(&map, 64 * i - 100000) == i;
    CHECK(right && lmb_label_map_find(&map, 1) == -1);
    lmb_label_map_free(&map);
}

TEST(sets) {
    lmb_mesh *m = block(2, 1, 1);
    lmb_error err = {0};
    int nodes = lmb_mesh_add_set(m, "end", LMB_SET_NODES, here),
        faces = lmb_mesh_add_set(m, "end", LMB_SET_FACES, here);
    int *list, count, elements = lmb_mesh_add_set(m, "end", LMB_SET_ELEMENTS, here);
    CHECK(nodes == 0 && faces == 1 && elements == 2 && lmb_mesh_add_set(m, "end", LMB_SET_FACES, here) == 1);
    CHECK(lmb_mesh_find_set(m, "End", LMB_SET_NODES) == -1);
    const int some[] = {5, 3, 5, 0, 3};
    for (int i = 0; i < 5; i++) lmb_mesh_set_add(m, nodes, some[i]);
    lmb_mesh_set_add(m, faces, 8 * 1 + 3); // x = 2: the last four nodes
    lmb_mesh_set_add(m, elements, 0);
    CHECK_OK(lmb_mesh_set_nodes(&list, &count, m, nodes, &err), err);
    CHECK(count == 3 && list[0] == 0 && list[1] == 3 && list[2] == 5);
    lmb_free(list);
    CHECK_OK(lmb_mesh_set_nodes(&list, &count, m, faces, &err), err);
    CHECK(count == 4 && list[0] == 8 && list[3] == 11);
    lmb_free(list);
    CHECK_OK(lmb_mesh_set_nodes(&list, &count, m, elements, &err), err);
    CHECK(count == 8 && list[0] == 0 && list[7] == 7);
    lmb_free(list);
    lmb_mesh_set_tidy(m, nodes);
    CHECK(m->sets[nodes].count == 3 && m->sets[nodes].items[2] == 5);
    lmb_mesh_destroy(m);
}

// a bar in mm, N, s is the same bar as in m, N, s: mass and stiffness E A / L agree
TEST(convert_keeps_mass_and_stiffness) {
    lmb_mesh *m;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_create(&m, "bar.inp", &err), err)) return;
    lmb_material steel = {"steel", 210000, 0.3, 7.85e-9, here};
    lmb_mesh_add_material(m, &steel);
    lmb_property p = {
        .thickness = 5, .mass = 2e-3, .com = {10, 0, 0}, .line_mass = 1e-6, .offset = {{1, 2}, {3, 4}}};
    p.section[1] = (lmb_profile){
        .A = 100, .Iy = 1e4, .J = 2e4, .Wt = 500, .fibres = 1, .fibre = {{3, 4}}, .sizes = 1, .size = {8}};
    p.inertia = m3_diag(4, 5, 6);
    for (int k = 0; k < 6; k++) p.stiffness[k] = 7;
    lmb_mesh_add_property(m, &p);
    lmb_mesh_add_node(m, 1, v3(1000, 0, 0));
    lmb_mesh_convert(m, 1e-3);
    const lmb_property *q = m->properties;
    double eps = 1e-14; // a few roundings
    CHECK_NEAR(m->materials[0].E / 2.1e11, 1, eps);
    CHECK_NEAR(m->materials[0].rho / 7850, 1, eps);
    CHECK_NEAR(q->mass, 2, eps);
    CHECK_NEAR(q->line_mass, 1, eps);
    CHECK_NEAR(q->inertia.m[1][1], 5e-3, eps); // t mm2 -> kg m2
    CHECK_NEAR(q->com.x, 0.01, eps);
    CHECK_NEAR(q->thickness, 5e-3, eps);
    CHECK_NEAR(q->section[1].A / 1e-4, 1, eps);
    CHECK_NEAR(q->section[1].Iy / 1e-8, 1, eps);
    CHECK_NEAR(q->section[1].Wt / 5e-7, 1, eps);
    CHECK_NEAR(q->section[1].fibre[0][1], 4e-3, eps);
    CHECK_NEAR(q->offset[1][1], 4e-3, eps);
    for (int k = 0; k < 3; k++)
        CHECK_NEAR(q->stiffness[k], 7000, 1e-10), CHECK_NEAR(q->stiffness[3 + k], 7e-3, eps);
    CHECK_NEAR(m->x[0].x, 1, eps);
    lmb_mesh_destroy(m);
}

// ---- surface -----------------------------------------------------------------------------------

TEST(surface_closes) {
    lmb_mesh *m = block(4, 3, 2);
    lmb_error err = {0};
    int *t, count;
    CHECK_OK(lmb_mesh_surface(&t, &count, m, &err), err);
    CHECK(count == 4 * (4 * 3 + 3 * 2 + 2 * 4));
    CHECK_NEAR(volume_inside(m, t, count), 24, 1e-12);
    lmb_free(t);
    lmb_mesh_destroy(m);
}

TEST(surface_splits_quadratic_faces_and_shells) {
    lmb_mesh *m;
    lmb_error err = {0};
    int *t, count, n[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    if (!CHECK_OK(lmb_mesh_create(&m, "", &err), err)) return;
    // the square -1..1 at z = 1, with middle nodes
    const double xy[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    for (int i = 0; i < 8; i++) lmb_mesh_add_node(m, i, v3(xy[i][0], xy[i][1], 1));
    lmb_mesh_add_element(m, &pane, 1, n, -1, 0);
    CHECK_OK(lmb_mesh_surface(&t, &count, m, &err), err);
    CHECK(count == 6);
    CHECK_NEAR(volume_inside(m, t, count), 4.0 / 3, 1e-14); // pyramid over the square
    lmb_free(t);
    // a triangle 0 1 2 with middle nodes 4 5 and a sixth
    lmb_mesh_add_node(m, 8, v3(0, 0, 1));
    int shell[6] = {0, 1, 2, 4, 5, 8}, line[2] = {0, 1};
    lmb_mesh_add_element(m, &leaf, 2, shell, -1, 0);
    lmb_mesh_add_element(m, &rod, 3, line, -1, 0);
    CHECK_OK(lmb_mesh_surface(&t, &count, m, &err), err);
    CHECK(count == 10);
    CHECK_NEAR(volume_inside(m, t + 18, 4), 2.0 / 3, 1e-14);
    lmb_free(t);
    lmb_mesh_destroy(m);
}

// ---- check -------------------------------------------------------------------------------------

static void refused(lmb_mesh *m, const char *expected, int line) {
    lmb_error err = {0};
    lmb_text report = {0};
    CHECK(lmb_mesh_check(&report, m, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, expected);
    CHECK(err.line == line);
    lmb_text_free(&report);
    lmb_mesh_destroy(m);
}

static void swap_nodes(lmb_mesh *m, int element, int i, int k) {
    int *n = m->nodes_of + m->elements[element].first, t = n[i];
    n[i] = n[k];
    n[k] = t;
}

TEST(check_accepts_and_remarks) {
    lmb_mesh *m = block(2, 2, 2);
    lmb_error err = {0};
    lmb_text report = {0};
    CHECK_OK(lmb_mesh_check(&report, m, &err), err);
    CHECK(report.length == 0);
    lmb_mesh_add_node(m, 77, v3(9, 9, 9));
    m->x[0] = v3(0.32, 0.32, 0.32); // the first element becomes poor: J = 1 - 3 * 0.32
    m->materials[0].E = 210;
    CHECK_OK(lmb_mesh_check(&report, m, &err), err);
    CHECK_CONTAINS(report.text, "1 node not used by any element (first: 77)");
    CHECK_CONTAINS(report.text, "element 10 (cube): poor shape");
    CHECK_CONTAINS(report.text, "material 'steel': E = 210 Pa");
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    lmb_text_free(&report);
    lmb_mesh_destroy(m);
}

TEST(check_refuses) {
    lmb_mesh *m = block(2, 2, 2);
    for (int i = 0; i < 7; i++) // upside down
        for (int k = 0; k < 4; k++) swap_nodes(m, i, k, k + 4);
    refused(m,
            "elements 10 (cube), 11 (cube), 12 (cube), 13 (cube), 14 (cube) and 2 more: inverted (negative "
            "Jacobian)",
            20);
    m = block(1, 1, 2);
    for (int i = 0; i < m->node_count; i++) m->x[i].z = fmin(m->x[i].z, 1);
    refused(m, "element 11 (cube): degenerate (zero volume, area or length)", 21);
    m = block(1, 1, 2);
    m->nodes_of[9] = m->nodes_of[8];
    refused(m, "element 11 (cube): repeated node", 21);
    m = block(1, 1, 2);
    m->elements[1].property = -1;
    refused(m, "element 11 (cube): no section (material, thickness)", 21);
    m = block(1, 1, 2);
    m->properties[0].material = -1;
    refused(m, "elements 10 (cube), 11 (cube): no material", 20);
    m = block(1, 1, 1);
    m->materials[0].nu = 0.5;
    refused(m, "material 'steel': Poisson's ratio is 0.5", 7);
    m = block(1, 1, 1);
    m->materials[0].E = NAN;
    refused(m, "material 'steel': E is", 7);
    m = block(1, 1, 1);
    m->materials[0].rho = -1;
    refused(m, "density is -1", 7);
    m = block(1, 1, 1);
    int shell[6] = {0, 1, 2, 3, 4, 5};
    lmb_mesh_add_element(m, &leaf, 99, shell, 0, 50);
    refused(m, "element 99 (leaf): no thickness", 50);
    m = block(1, 1, 1);
    m->element_count = 0;
    refused(m, "no elements", 0);
}

TEST(check_names_unconnected_parts) {
    for (int coupled = 0; coupled < 2; coupled++) {
        lmb_mesh *m = block(1, 1, 1);
        lmb_property lump = {.name = "lump", .material = -1, .mass = 1};
        int centre = lmb_mesh_add_node(m, 500, v3(0.5, 0.5, 0.5));
        lmb_mesh_add_element(m, &ball, 7, &centre, lmb_mesh_add_property(m, &lump), 33);
        int set = lmb_mesh_add_set(m, "face", LMB_SET_FACES, here);
        lmb_mesh_set_add(m, set, 1);
        lmb_coupling c = {.name = "c", .node = centre, .set = set};
        if (coupled) lmb_mesh_add_coupling(m, &c);
        lmb_error err = {0};
        if (coupled) CHECK_OK(lmb_mesh_check(NULL, m, &err), err), lmb_mesh_destroy(m);
        else refused(m, "the mesh has 2 disconnected parts (one node of each: 1000, 500)", 0);
    }
}

// every failing allocation is an answer, not a crash
TEST(mesh_survives_lack_of_memory) {
    for (long n = 0; n < 400; n++) {
        lmb_mesh *m = NULL;
        lmb_error err = {0};
        lmb_text report = {0};
        int *t = NULL, count;
        lmb_alloc_fail_after(n);
        bool ok = lmb_mesh_create(&m, "block.inp", &err) == LMB_OK;
        lmb_property p = {.name = "p", .material = -1};
        lmb_coupling c = {.name = "c"};
        for (int i = 0; ok && i < 100; i++)
            ok = lmb_mesh_add_node(m, i, v3(i & 1, (i >> 1) & 1, i >> 2)) >= 0;
        ok = ok && lmb_mesh_add_property(m, &p) >= 0;
        int nodes[8] = {0, 1, 3, 2, 4, 5, 7, 6};
        for (int i = 0; ok && i < 40; i++) ok = lmb_mesh_add_element(m, &cube, i, nodes, 0, 0) >= 0;
        ok = ok && lmb_mesh_add_set(m, "s", LMB_SET_NODES, here) >= 0;
        for (int i = 0; ok && i < 40; i++) ok = lmb_mesh_set_add(m, 0, i);
        ok = ok && lmb_mesh_add_coupling(m, &c) >= 0 && lmb_mesh_surface(&t, &count, m, &err) == LMB_OK;
        ok = ok && lmb_mesh_check(&report, m, &err) == LMB_OK;
        bool memory = err.code == LMB_ERR_SYSTEM || err.code == LMB_OK;
        lmb_alloc_fail_after(-1);
        lmb_text_free(&report);
        lmb_free(t);
        lmb_mesh_destroy(m);
        if (err.code == LMB_ERR_INPUT) return; // no material: all allocations held
        CHECK(memory && !ok);
    }
    CHECK(false);
}
