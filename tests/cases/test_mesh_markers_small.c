// Markers at nodes and on the surface of meshed bodies: they stay on the drawn surface, and their equations are exact.
#include "../fe_parts.h"
#include "api/handles.h"
#include "body/modal.h"
#include "check_tangent.h"
#include "run_model.h"

// ---- meshes ------------------------------------------------------------------------------------

typedef struct kind {
    const char *name, *type; // of Abaqus
    const lmb_element_ops *ops;
    int nx, ny, nz;
} kind;
static const kind kinds[] = {{"hex8", "C3D8", &lmb_element_hex8, 6, 1, 1},
                             {"hex20", "C3D20", &lmb_element_hex20, 3, 1, 1},
                             {"tet10", "C3D10", &lmb_element_tet10, 3, 1, 1},
                             {"shell", "S4", NULL, 6, 2, 0}};

// a plate in the plane xy
static lmb_mesh *plate(const kind *k) {
    lmb_error err = {0};
    lmb_mesh *m = NULL;
    CHECK_OK(lmb_mesh_create(&m, "plate", &err), err);
    for (int i = 0; i <= k->nx; i++)
        for (int j = 0; j <= k->ny; j++)
            lmb_mesh_add_node(m, m->node_count + 1, v3(0.3 * i / k->nx, 0.05 * j / k->ny, 0));
    for (int i = 0; i < k->nx; i++)
        for (int j = 0; j < k->ny; j++) {
            int a = i * (k->ny + 1) + j, b = a + k->ny + 1;
            lmb_mesh_add_element(m, &lmb_element_quad4, m->element_count + 1, (int[]){a, b, b + 1, a + 1}, 0,
                                 0);
        }
    return m;
}

static void write_lists(FILE *f, const lmb_mesh *m, const char *type) {
    fprintf(f, "*NODE\n");
    for (int i = 0; i < m->node_count; i++)
        fprintf(f, "%d,%.17g,%.17g,%.17g\n", m->label[i], m->x[i].x, m->x[i].y, m->x[i].z);
    fprintf(f, "*ELEMENT, TYPE=%s, ELSET=ALL\n", type);
    for (int e = 0; e < m->element_count; e++) {
        fprintf(f, "%d", e + 1);
        for (int k = 0; k < m->elements[e].ops->nodes; k++)
            fprintf(f, k == 15 ? ",\n%d" : ",%d", m->label[lmb_mesh_nodes(m, e)[k]]);
        fprintf(f, "\n");
    }
    for (int end = 0; end < 2; end++) {
        fprintf(f, "*NSET, NSET=%s\n", end ? "RIGHT" : "LEFT");
        for (int i = 0; i < m->node_count; i++)
            if (fabs(m->x[i].x - 0.3 * end) < 1e-9) fprintf(f, "%d\n", m->label[i]);
    }
}

static const char *write_mesh(const lmb_mesh *m, const kind *k) {
    const char *path = check_temp("part.inp");
    FILE *f = fopen(path, "w");
    if (CHECK(f != NULL)) write_lists(f, m, k->type), fclose(f);
    return path;
}

// ---- places ------------------------------------------------------------------------------------

typedef struct places {
    lmb_mesh *mesh;
    int facet[3]; // in the middle of the part
} places;
// Shares of the facet's nodes in the markers: of the model at a node and between them, of the part the same.
enum { N, F, W, V, COUNT };
static const char *const names[COUNT] = {"b.n", "b.f", "b.w", "b.v"};
static const double shares[COUNT][3] = {{0, 1, 0}, {0.5, 0.3, 0.2}, {1, 0, 0}, {0.1, 0.4, 0.5}};

static vec3 place_of(const places *p, int marker) {
    vec3 x = V3_ZERO;
    for (int c = 0; c < 3; c++) x = v3_madd(x, shares[marker][c], p->mesh->x[p->facet[c]]);
    return x;
}

static places places_of(const kind *k) {
    lmb_error err = {0};
    places p = {k->ops ? part_box_make(&(part_box){0.3, 0.05, 0.03, k->nx, k->ny, k->nz, k->ops}) : plate(k)};
    int *triangles = NULL, count = 0;
    CHECK_OK(lmb_mesh_surface(&triangles, &count, p.mesh, &err), err);
    for (int i = 0; i < count; i++) {
        double x = 0;
        for (int c = 0; c < 3; c++) x += p.mesh->x[triangles[3 * i + c]].x / 3;
        if (x > 0.1 && x < 0.16) memcpy(p.facet, triangles + 3 * i, sizeof p.facet);
    }
    CHECK(p.facet[0] != p.facet[1]);
    lmb_free(triangles);
    return p;
}

static const char *const formulations[] = {"modal", "superelement"};

static bool open_model(model *m, const places *p, const kind *k, const char *formulation) {
    vec3 n = place_of(p, N), f = place_of(p, F), v = place_of(p, V);
    return load(
        m,
        "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"
        "  b: {type: mesh, file: '%s', unit: m, material: {E: 1e6, nu: 0.3, density: 1000}, %s formulation: "
        "%s, "
        "shapes: {craig_bampton: 2}, interfaces: {start: {set: LEFT}, end: {set: RIGHT}}, "
        "watch: {w: {node: %d}, v: {at: [%.17g, %.17g, %.17g]}}, "
        "markers: {n: [%.17g, %.17g, %.17g], f: [%.17g, %.17g, %.17g]}}\n"
        "  c: {mass: 1, inertia: 1, at: [0.1, 0.1, 0.1]}\n"
        "joints: {j: {type: universal, between: [c, b.f]}}\n"
        "forces: {f: {type: bushing, between: [b.n, c], stiffness: [10, 20, 30], rotational_stiffness: "
        "[3, 2, 1], damping: [0.1, 0.2, 0.3]}, g: {type: bushing, between: [b.v, c], stiffness: [10, 20, "
        "30]}}\n"
        "sensors: {w: {type: position, of: b.w}}\n"
        "analyses: [{type: dynamics, until: 1}]\n",
        write_mesh(p->mesh, k), k->ops ? "" : "thickness: 25 mm,", formulation, p->facet[0] + 1, v.x, v.y,
        v.z, n.x, n.y, n.z, f.x, f.y, f.z);
}

// ---- surface -----------------------------------------------------------------------------------

// the interfaces of a superelement turned and moved, or elastic coordinates
static void bend(lmb_data *d, const lmb_model *m, const lmb_body *b) {
    const lmb_flex *f = b->ops->look.flex(b);
    double most = 0, *q = d->q + b->iq;
    if (b->ops != &lmb_modal_ops) {
        q_store(q + 3, q_exp(v3(-0.1, 0.1, -0.2)));
        for (int i = 0; i < 3; i++) q[f->m + 1 + i] += 0.02 * check_random();
        q_store(q + f->m + 4, q_exp(v3(0.1, -0.2, 0.2)));
    }
    for (int i = 0; i < f->m && b->ops == &lmb_modal_ops; i++) {
        q[7 + i] = check_random() / (f->frequency[i] * f->frequency[i]);
        for (int k = 0; k < 3; k++) most = fmax(most, fabs(f->markers[1].P[k * f->m + i] * q[7 + i]));
    }
    if (most > 0) lmb_scale(q + 7, 0.2 / most, f->m);
    lmb_update(d, m);
}

static pose pose_of(const lmb_model *m, const lmb_data *d, const char *name) {
    double J[6 * 64];
    lmb_frame_state f = {.J = J};
    for (int i = 0; i < m->marker_count; i++)
        if (strcmp(m->markers[i].name, name) == 0) {
            lmb_body_view x = lmb_view(d, &m->bodies[m->markers[i].body]);
            if (CHECK(m->max_n <= 64)) x.body->ops->markers.frame(&f, &x, &m->markers[i]);
            return f.p;
        }
    CHECK(!"marker");
    return f.p;
}

// a node where it is drawn, in the frame of the body
static vec3 drawn(const lmb_flex *f, int node, const double *q) {
    double z[256], x[3];
    CHECK(f->second_count > 0 && f->second_count <= LMB_COUNT(z));
    lmb_flex_second(z, f, q);
    for (int k = 0; k < 3; k++)
        x[k] = f->node_x[3 * node + k] + lmb_dot(f->node_S + (3 * node + k) * f->m, q, f->m) +
               lmb_dot(f->second_S + (3 * node + k) * f->second_count, z, f->second_count);
    return v3_load(x);
}

static void check_surface(const places *p, const lmb_model *m, lmb_data *d, const char *what) {
    const lmb_body *b = &m->bodies[0];
    const lmb_flex *f = b->ops->look.flex(b);
    lmb_floating floating;
    bend(d, m, b);
    lmb_body_view view = lmb_view(d, b);
    b->ops->look.floating(&floating, &view);
    pose body = {v3_load(floating.q), q_matrix(q_load(floating.q + 3))};
    for (int k = 0; k < COUNT; k++) {
        vec3 x = V3_ZERO;
        for (int c = 0; c < 3; c++) x = v3_madd(x, shares[k][c], drawn(f, p->facet[c], floating.q + 7));
        double off = v3_norm(v3_sub(pose_of(m, d, names[k]).r, pose_point(&body, x))) / 0.3,
               moved = v3_norm(v3_sub(x, place_of(p, k))) / 0.3;
        check_note("%s, %s: moved by %.2g of the length, off by %.2g", what, names[k], moved, off);
        CHECK(moved > 1e-3);
        CHECK_NEAR(off, 0, 1e-12);
    }
}

// a marker of the model or of the part at a node, between nodes, on hexahedra, tetrahedra, shells
TEST(markers_stay_on_the_surface) {
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        places p = places_of(&kinds[k]);
        for (int i = 0; i < LMB_COUNT(formulations); i++) {
            model m;
            lmb_data *d = NULL;
            lmb_error err = {0};
            char what[64];
            snprintf(what, sizeof what, "%s, %s", kinds[k].name, formulations[i]);
            if (open_model(&m, &p, &kinds[k], formulations[i]) &&
                CHECK_OK(lmb_data_create(&d, m.s->program->model, &err), err))
                check_surface(&p, m.s->program->model, d, what);
            lmb_data_destroy(d), unload(&m);
        }
        lmb_mesh_destroy(p.mesh);
    }
}

// joints and forces at them
TEST(markers_on_meshes_by_differences) {
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        places p = places_of(&kinds[k]);
        for (int i = 0; i < LMB_COUNT(formulations); i++) {
            model m;
            lmb_data *d = NULL;
            lmb_error err = {0};
            if (open_model(&m, &p, &kinds[k], formulations[i]) &&
                CHECK_OK(lmb_data_create(&d, m.s->program->model, &err), err)) {
                check_tangent(m.s->program->model, d, kinds[k].name, 0.02, 0, 1e-8);
                lmb_data_reset(d);
                check_tangent(m.s->program->model, d, kinds[k].name, 0.02, 0.5, 1e-8);
            }
            lmb_data_destroy(d), unload(&m);
        }
        lmb_mesh_destroy(p.mesh);
    }
}
