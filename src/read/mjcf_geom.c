// read/mjcf_geom.c: geoms of a body: mass properties and pictures.
//
// About the centre, per unit mass; L: length of the cylinder, r: radius, a, b, c: half sizes:
//
//     sphere      2/5 r^2
//     ellipsoid   (b^2 + c^2)/5, ..
//     box         (b^2 + c^2)/3, ..
//     cylinder    r^2/4 + L^2/12, the same, r^2/2
//     capsule     the cylinder and two half spheres, each at L/2 + 3/8 r, with 2/5 r^2 about the centre of the sphere
//     mesh        the solid in its surface
#include "read/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct geom {
    const char *type;
    pose at;
    double size[3]; // half sizes
    double volume;
    vec3 com;     // in the frame of the geom
    mat3 inertia; // about com, per unit mass
    lmb_triangles mesh;
    bool has_mesh;
} geom;

// ---- mass properties ---------------------------------------------------------------------------

static void solid_ball(geom *g, double a, double b, double c) {
    g->volume = 4 * PI / 3 * a * b * c;
    g->inertia = m3_diag((b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5);
}

static void solid_capsule(geom *g, double r, double L) {
    double tube = PI * r * r * L, ends = 4 * PI / 3 * r * r * r, V = tube + ends;
    double across = tube * (r * r / 4 + L * L / 12) + ends * (2 * r * r / 5 + L * L / 4 + 3 * L * r / 8);
    double along = tube * r * r / 2 + ends * 2 * r * r / 5;
    g->volume = V, g->inertia = m3_diag(across / V, across / V, along / V);
}

// second moments S about the centre: I = tr(S) 1 - S
static void solid_mesh(geom *g) {
    const lmb_triangles *t = &g->mesh;
    g->volume = fabs(t->volume), g->com = v3_scale(1 / t->volume, t->moment);
    mat3 S = m3_sub(m3_scale(1 / t->volume, t->second), m3_outer(g->com, g->com));
    double trace = S.m[0][0] + S.m[1][1] + S.m[2][2];
    g->inertia = m3_sub(m3_diag(trace, trace, trace), S);
}

static void make_solid(geom *g) {
    double a = g->size[0], b = g->size[1], c = g->size[2];
    if (strcmp(g->type, "sphere") == 0) solid_ball(g, a, a, a);
    else if (strcmp(g->type, "ellipsoid") == 0) solid_ball(g, a, b, c);
    else if (strcmp(g->type, "capsule") == 0) solid_capsule(g, a, 2 * b);
    else if (strcmp(g->type, "mesh") == 0) solid_mesh(g);
    else if (strcmp(g->type, "box") == 0) {
        g->volume = 8 * a * b * c;
        g->inertia = m3_diag((b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3);
    } else {
        g->volume = 2 * PI * a * a * b;
        g->inertia = m3_diag(a * a / 4 + b * b / 3, a * a / 4 + b * b / 3, a * a / 2);
    }
}

// adds a mass to a link whose inertia is about its com: Steiner for both
static void add_mass(lmb_robot_link *l, double mass, vec3 com, mat3 inertia) {
    double total = l->mass + mass;
    if (!(mass > 0)) return;
    vec3 d = v3_sub(com, l->com);
    // I = I1 + I2 + m1 m2 / (m1 + m2) (d.d 1 - d d')
    mat3 J = m3_sub(m3_scale(v3_dot(d, d), q_matrix(Q_ID)), m3_outer(d, d));
    l->inertia = m3_add(m3_add(l->inertia, inertia), m3_scale(l->mass * mass / total, J));
    l->com = v3_madd(l->com, mass / total, d);
    l->mass = total;
}

// ---- meshes ------------------------------------------------------------------------------------

static lmb_status read_mesh(geom *g, lmb_mjcf *m, const lmb_xml_element *e) {
    const char *name, *file;
    double scale[3] = {1, 1, 1};
    lmb_robot_file f;
    lmb_status st = lmb_mjcf_text(&name, m, e, "mesh");
    if (st != LMB_OK) return st;
    const lmb_xml_element *asset = name ? lmb_names_get(&m->meshes, name) : NULL;
    if (asset == NULL)
        return lmb_robot_fail(m->b, e->where, "<geom> of type mesh: there is no <mesh> '%s' in <asset>",
                              name ? name : "");
    st = lmb_mjcf_text(&file, m, asset, "file");
    if (st == LMB_OK) st = lmb_mjcf_numbers(scale, 3, m, asset, "scale");
    if (st != LMB_OK || file == NULL) return st;
    if (lmb_xml_text(asset, "refpos") || lmb_xml_text(asset, "refquat"))
        return lmb_robot_fail(m->b, asset->where, "refpos and refquat of <mesh> are not supported");
    if (lmb_robot_load(&f, m->b, m->mesh_folder, file))
        g->has_mesh = lmb_triangles_read(&g->mesh, f.bytes.text, f.bytes.length, v3_load(scale));
    lmb_text_free(&f.bytes);
    return LMB_OK;
}

// ---- one geom ----------------------------------------------------------------------------------

static lmb_status read_sizes(geom *g, lmb_mjcf *m, const lmb_xml_element *e) {
    static const struct {
        const char *type;
        int sizes;
    } types[] = {{"sphere", 1}, {"capsule", 2}, {"cylinder", 2}, {"box", 3}, {"ellipsoid", 3}, {"mesh", 0}};
    double half = -1;
    int count = 3, i = 0;
    lmb_status st = lmb_mjcf_text(&g->type, m, e, "type");
    if (st == LMB_OK && g->type == NULL) g->type = "sphere";
    if (st == LMB_OK) st = lmb_mjcf_pose(&g->at, &half, m, e);
    if (st == LMB_OK && strcmp(g->type, "plane") != 0 && strcmp(g->type, "hfield") != 0)
        while (i < LMB_COUNT(types) && strcmp(types[i].type, g->type) != 0) i++;
    else return g->type = NULL, st; // the ground
    if (i == LMB_COUNT(types))
        return lmb_robot_fail(m->b, e->where, "<geom> has the unknown type '%.60s'", g->type);
    st = lmb_mjcf_list(g->size, &count, m, e, "size");
    if (half > 0 && types[i].sizes == 2) g->size[1] = half;
    if (half > 0 && types[i].sizes == 3) g->size[1] = g->size[0], g->size[2] = half;
    for (int k = 0; k < types[i].sizes && st == LMB_OK; k++)
        if (!(g->size[k] > 0))
            st = lmb_robot_fail(m->b, e->where, "<geom> of type %s needs %d positive size%s", g->type,
                                types[i].sizes, types[i].sizes > 1 ? "s" : "");
    return st;
}

// mass, or density times volume; in the frame of the body
static lmb_status weigh(geom *g, lmb_mjcf *m, const lmb_xml_element *e, lmb_robot_link *l) {
    double mass = -1, density = 1000, group = 0;
    bool shell = false;
    lmb_status st = lmb_mjcf_numbers(&mass, 1, m, e, "mass");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&density, 1, m, e, "density");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&group, 1, m, e, "group");
    if (st == LMB_OK) st = lmb_mjcf_flag(&shell, m, e, "shellinertia");
    if (st != LMB_OK || group < m->groups[0] || group > m->groups[1]) return st;
    if (mass == 0 || (mass < 0 && density == 0)) return LMB_OK;
    if (shell) return lmb_robot_fail(m->b, e->where, "shellinertia of <geom> is not supported");
    if (strcmp(g->type, "mesh") == 0 && (!g->has_mesh || !(fabs(g->mesh.volume) > 0)))
        return lmb_robot_fail(
            m->b, e->where,
            "the mass of body '%s' is that of a mesh which cannot be read or encloses no volume (STL and OBJ "
            "are supported); give the body an <inertial>",
            l->name);
    make_solid(g);
    if (mass < 0) mass = density * g->volume;
    mat3 I = m3_scale(mass, m3_mul(m3_mul(g->at.R, g->inertia), m3_t(g->at.R)));
    add_mass(l, mass, pose_point(&g->at, g->com), I);
    return strcmp(g->type, "mesh") ? LMB_OK
                                   : lmb_robot_remark(m->b, e->where,
                                                      "mass of <geom>: that of the closed "
                                                      "surface of its mesh");
}

static lmb_status add_shape(lmb_mjcf *m, lmb_robot_link *l, const char *kind, int count, const double *size,
                            pose at) {
    lmb_robot_shape s = {.kind = kind, .count = count, .at = at};
    memcpy(s.size, size, (size_t)count * sizeof *size);
    return lmb_robot_add_shape(m->b, l, &s);
}

static lmb_status draw(const geom *g, lmb_mjcf *m, const lmb_xml_element *e, lmb_robot_link *l) {
    const double *s = g->size;
    if (strcmp(g->type, "sphere") == 0) return add_shape(m, l, "sphere", 1, s, g->at);
    if (strcmp(g->type, "box") == 0 || strcmp(g->type, "ellipsoid") == 0)
        return add_shape(m, l, "box", 3, (double[]){2 * s[0], 2 * s[1], 2 * s[2]}, g->at);
    if (strcmp(g->type, "mesh") != 0) {
        lmb_status st = add_shape(m, l, "cylinder", 2, (double[]){s[0], 2 * s[1]}, g->at);
        for (int k = -1; k <= 1 && st == LMB_OK && strcmp(g->type, "capsule") == 0; k += 2)
            st = add_shape(m, l, "sphere", 1, s, pose_mul(g->at, (pose){v3(0, 0, k * s[1]), q_matrix(Q_ID)}));
        return st;
    }
    lmb_robot_shape box = {.at = g->at};
    if (!g->has_mesh)
        return lmb_robot_remark(m->b, e->where,
                                "<geom> is not drawn: its mesh is not there, or not STL or OBJ");
    lmb_robot_box(&box, &g->mesh);
    lmb_status st = lmb_robot_add_shape(m->b, l, &box);
    return st == LMB_OK ? lmb_robot_remark(m->b, e->where, "<geom> of a mesh is drawn as a box of its size")
                        : st;
}

static lmb_status color(lmb_mjcf *m, const lmb_xml_element *e, lmb_robot_link *l) {
    double rgba[4] = {-1};
    const char *material;
    lmb_status st = lmb_mjcf_text(&material, m, e, "material");
    const lmb_xml_element *a = material ? lmb_names_get(&m->materials, material) : NULL;
    if (st == LMB_OK && a) st = lmb_mjcf_numbers(rgba, 4, m, a, "rgba");
    if (st == LMB_OK) st = lmb_mjcf_numbers(rgba, 4, m, e, "rgba");
    return st == LMB_OK && rgba[0] >= 0 ? lmb_robot_color(m->b, l, rgba) : st;
}

static lmb_status read_geom(lmb_mjcf *m, const lmb_xml_element *e, lmb_robot_link *l, bool weighs) {
    enum { SEEN = 2 }; // groups that MuJoCo shows unless told otherwise
    geom g = {0};
    double group = 0, touch[2] = {1, 1};
    lmb_status st = lmb_mjcf_numbers(&group, 1, m, e, "group");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&touch[0], 1, m, e, "contype");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&touch[1], 1, m, e, "conaffinity");
    if (st == LMB_OK && (touch[0] != 0 || touch[1] != 0))
        st = lmb_robot_remark(m->b, e->where, "<geom>: limber has no contact; geoms do not collide");
    if (st == LMB_OK) st = read_sizes(&g, m, e);
    if (st != LMB_OK || g.type == NULL) return st;
    if (strcmp(g.type, "mesh") == 0) st = read_mesh(&g, m, e);
    if (st == LMB_OK && weighs) st = weigh(&g, m, e, l);
    if (st != LMB_OK || group > SEEN || l == m->b->links) return st;
    st = draw(&g, m, e, l);
    return st == LMB_OK ? color(m, e, l) : st;
}

lmb_status lmb_mjcf_geoms(lmb_mjcf *m, lmb_robot_link *l, const lmb_xml_element *body) {
    bool given = lmb_xml_find(body, "inertial") != NULL, world = l == m->b->links;
    bool weighs = !world && (m->inertia == MJCF_INERTIA_GEOMS || (m->inertia == MJCF_INERTIA_AUTO && !given));
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *e = lmb_xml_find(body, "geom"); e && st == LMB_OK;
         e = lmb_xml_again(e->next, "geom"))
        st = read_geom(m, e, l, weighs);
    return st;
}
