// mesh/bdf_line.c: bars, rods, springs and point masses.
#include "mesh/bdf.h"

#include <math.h>
#include <string.h>

// ---- bars --------------------------------------------------------------------------------------

typedef struct bar {
    int node[2];
    vec3 v;      // in plane 1
    vec3 arm[2]; // from the nodes to the ends
} bar;

static lmb_status vector_at(vec3 *out, lmb_bdf *r, int node, int field, const char *name) {
    mat3 A;
    vec3 x = lmb_bdf_vector(r, field, name);
    lmb_status st = lmb_bdf_node_axes(&A, r, node);
    *out = m3_mul_v3(&A, x);
    return st ? st : r->scan.status;
}

// X1 X2 X3, or the grid point G0
static lmb_status orientation(bar *b, lmb_bdf *r) {
    bool by_node =
        !lmb_bdf_blank(r, 5) && !lmb_bdf_is_real(r, 5) && lmb_bdf_blank(r, 6) && lmb_bdf_blank(r, 7);
    lmb_piece offt = lmb_bdf_field(r, 8);
    if (offt.length > 0 && !lmb_piece_is(offt, "GGG") && !lmb_bdf_is_real(r, 8))
        return lmb_bdf_fail(r, "%s: OFFT %.*s is not supported; only GGG", r->card->keyword->name,
                            offt.length > 10 ? 10 : offt.length, offt.at);
    if (lmb_bdf_is_real(r, 8)) return lmb_bdf_fail(r, "CBEAM: BIT is not supported; use OFFT");
    if (!by_node) return vector_at(&b->v, r, b->node[0], 5, "X");
    int node;
    lmb_status st = lmb_bdf_find_node(&node, r, 5, "G0");
    if (st == LMB_OK) b->v = v3_sub(r->mesh->x[node], r->mesh->x[b->node[0]]);
    return st;
}

static lmb_status read_ends(bar *b, lmb_bdf *r) {
    lmb_status st = lmb_bdf_find_node(&b->node[0], r, 3, "GA");
    if (st == LMB_OK) st = lmb_bdf_find_node(&b->node[1], r, 4, "GB");
    if (st == LMB_OK) st = orientation(b, r);
    if (st == LMB_OK && (!lmb_bdf_blank(r, 9) || !lmb_bdf_blank(r, 10)))
        return lmb_bdf_fail(r, "%s: pinned ends (PA, PB) are not supported; use a joint, or springs",
                            r->card->keyword->name);
    for (int i = 0; i < 2 && st == LMB_OK; i++) st = vector_at(&b->arm[i], r, b->node[i], 11 + 3 * i, "W");
    for (int i = 17; i < 19 && st == LMB_OK; i++) // SA, SB: warping
        if (!lmb_bdf_blank(r, i))
            return lmb_bdf_fail(r, "CBEAM: warping (SA, SB) is not supported; leave them blank");
    return st;
}

// y of the section is the part of v normal to the line of the ends; lmb_beam_axes takes the part of `up` normal to the line
// of the nodes first: up = v + l (line of the ends) normal to it is what both have
static lmb_status place_bar(lmb_property *p, lmb_bdf *r, const bar *b) {
    vec3 nodes = v3_sub(r->mesh->x[b->node[1]], r->mesh->x[b->node[0]]);
    vec3 ends = v3_add(nodes, v3_sub(b->arm[1], b->arm[0]));
    const char *name = r->card->keyword->name;
    if (!v3_has_direction(nodes) || !v3_has_direction(ends) || !(v3_dot(nodes, ends) > 0))
        return lmb_bdf_fail(r, "%s: the ends coincide, or the offsets turn it around", name);
    if (!v3_has_direction(b->v) || !(v3_norm(v3_cross(v3_unit(b->v), v3_unit(ends))) > 1e-6))
        return lmb_bdf_fail(r, "%s: the orientation vector is zero or along the beam; give X1 to X3 or G0",
                            name);
    p->up = v3_madd(b->v, -v3_dot(b->v, nodes) / v3_dot(ends, nodes), ends);
    vec3 x = v3_unit(nodes), y = v3_unit(v3_madd(p->up, -v3_dot(p->up, x), x)), z = v3_cross(x, y);
    for (int i = 0; i < 2; i++) {
        if (!(fabs(v3_dot(b->arm[i], x)) <= 1e-6 * v3_norm(nodes)))
            return lmb_bdf_fail(r, "%s: offsets along the beam are not supported; move the grid point", name);
        p->offset[i][0] = v3_dot(b->arm[i], y), p->offset[i][1] = v3_dot(b->arm[i], z);
    }
    return LMB_OK;
}

// many bars in a row have the same property
static int same_as_last(const lmb_bdf *r, const lmb_property *p) {
    if (r->bar < 0) return -1;
    const lmb_property *q = &r->mesh->properties[r->bar];
    bool same = q->where.line == p->where.line && q->where.file == p->where.file &&
                memcmp(&q->up, &p->up, sizeof q->up) == 0 &&
                memcmp(q->offset, p->offset, sizeof q->offset) == 0;
    return same ? r->bar : -1;
}

// CBAR EID PID GA GB X1 X2 X3 OFFT / PA PB W1A W2A W3A W1B W2B W3B
lmb_status lmb_bdf_read_bar(lmb_bdf *r) {
    bool beam = r->card->keyword->name[2] == 'E';
    lmb_bdf_property *q =
        lmb_bdf_find_property(r, 2, beam ? "PBEAM" : "PBAR", beam ? "PBEAML" : "PBARL", NULL, NULL);
    bar b = {0};
    if (q == NULL || read_ends(&b, r) != LMB_OK) return r->scan.status;
    lmb_property p = q->p;
    if (place_bar(&p, r, &b) != LMB_OK) return r->scan.status;
    int property = same_as_last(r, &p);
    if (property < 0) property = lmb_mesh_add_property(r->mesh, &p);
    if (property < 0) return lmb_scan_memory(&r->scan);
    r->bar = property;
    return lmb_bdf_put_line(r, &lmb_element_beam, b.node, property, q);
}

// ---- rods --------------------------------------------------------------------------------------

// Axes with x along a line.
static mat3 line_axes(vec3 line) {
    mat3 A = m3_frame_z(line, v3(1, 0, 0));
    return m3_columns(m3_column(&A, 2), m3_column(&A, 0), m3_column(&A, 1));
}

// G J / L about its line
static lmb_status put_torsion(lmb_bdf *r, const int *nodes, const lmb_property *rod, double J) {
    vec3 line = v3_sub(r->mesh->x[nodes[1]], r->mesh->x[nodes[0]]);
    lmb_property p = {.name = "rod", .material = -1, .axes = line_axes(line), .where = lmb_bdf_where(r)};
    p.stiffness[3] = lmb_shear_modulus(&r->mesh->materials[rod->material]) * J / v3_norm(line);
    int property = lmb_mesh_add_property(r->mesh, &p);
    if (property < 0) return lmb_scan_memory(&r->scan);
    int element = lmb_mesh_add_element(r->mesh, &lmb_element_spring, lmb_bdf_integer(r, 1, "EID", -1), nodes,
                                       property, lmb_bdf_line(r));
    return element >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

// a truss with a round section of its area, and a spring for its torsion
static lmb_status put_rod(lmb_bdf *r, const int *nodes, int material, const double rod[2], double line_mass,
                          lmb_bdf_property *q) {
    const char *name = r->card->keyword->name;
    vec3 line = v3_sub(r->mesh->x[nodes[1]], r->mesh->x[nodes[0]]);
    if (!v3_has_direction(line)) return lmb_bdf_fail(r, "%s: its grid points coincide", name);
    if (!(rod[0] > 0) || !(rod[1] >= 0))
        return lmb_bdf_fail(r, "%s: A = %g must be positive and J = %g not negative", name, rod[0], rod[1]);
    if (r->mesh->materials[material].elasticity != LMB_ISOTROPIC)
        return lmb_bdf_fail(r, "%s: its material must be a MAT1", name);
    lmb_property p = {.name = name,
                      .material = material,
                      .line_mass = line_mass,
                      .up = {0, 0, 1},
                      .where = lmb_bdf_where(r)};
    double d = sqrt(4 * rod[0] / LMB_PI);
    lmb_status st = lmb_profile_make(&p.section[0], LMB_PROFILE_CIRCLE, &d, 1, 0, p.where, r->scan.err);
    if (st != LMB_OK) return r->scan.status = st;
    p.section[1] = p.section[0];
    int shared = q ? q->shared : -1, property = shared >= 0 ? shared : lmb_mesh_add_property(r->mesh, &p);
    if (property < 0) return lmb_scan_memory(&r->scan);
    if (q) q->shared = property;
    st = lmb_bdf_put_line(r, &lmb_element_truss, nodes, property, q);
    return st == LMB_OK && rod[1] > 0 ? put_torsion(r, nodes, &p, rod[1]) : st;
}

static lmb_status two_nodes(int nodes[2], lmb_bdf *r, int field, const char *first, const char *second) {
    lmb_status st = lmb_bdf_find_node(&nodes[0], r, field, first);
    return st ? st : lmb_bdf_find_node(&nodes[1], r, field + 1, second);
}

// CROD EID PID G1 G2
lmb_status lmb_bdf_read_rod(lmb_bdf *r) {
    int nodes[2];
    lmb_bdf_property *q = lmb_bdf_find_property(r, 2, "PROD", NULL, NULL, NULL);
    if (q == NULL || two_nodes(nodes, r, 3, "G1", "G2") != LMB_OK) return r->scan.status;
    return put_rod(r, nodes, q->p.material, q->rod, q->p.line_mass, q);
}

// CONROD EID G1 G2 MID A J C NSM
lmb_status lmb_bdf_read_conrod(lmb_bdf *r) {
    int nodes[2], material = lmb_bdf_find_material(r, 4, "MID");
    double rod[2] = {lmb_bdf_real(r, 5, "A", 0), lmb_bdf_real(r, 6, "J", 0)},
           mass = lmb_bdf_real(r, 8, "NSM", 0);
    if (r->scan.status != LMB_OK || two_nodes(nodes, r, 2, "G1", "G2") != LMB_OK) return r->scan.status;
    if (!(mass >= 0)) return lmb_bdf_fail(r, "NSM is %g; it must not be negative", mass);
    return put_rod(r, nodes, material, rod, r->mass_scale * mass, NULL);
}

// ---- springs -----------------------------------------------------------------------------------

// between two grid points, or to the ground
static lmb_status put_spring(lmb_bdf *r, lmb_property *p, const int nodes[2], lmb_bdf_property *q) {
    p->name = r->card->keyword->name, p->material = -1, p->where = lmb_bdf_where(r);
    int property = lmb_mesh_add_property(r->mesh, p);
    if (property < 0) return lmb_scan_memory(&r->scan);
    return lmb_bdf_put_line(r, nodes[1] < 0 ? &lmb_element_spring1 : &lmb_element_spring, nodes, property, q);
}

// one component at both ends, from field i on: G1 C1 G2 C2
static lmb_status put_scalar(lmb_bdf *r, int i, double k, lmb_bdf_property *q) {
    int nodes[2] = {-1, -1}, first = lmb_bdf_components(r, i + 1, "C1"),
        second = lmb_bdf_components(r, i + 3, "C2");
    const char *name = r->card->keyword->name;
    bool ground = lmb_bdf_blank(r, i + 2) || lmb_piece_is(lmb_bdf_field(r, i + 2), "0");
    if (lmb_bdf_find_node(&nodes[0], r, i, "G1") != LMB_OK) return r->scan.status;
    if (!ground && lmb_bdf_find_node(&nodes[1], r, i + 2, "G2") != LMB_OK) return r->scan.status;
    int place = 0;
    while (place < 6 && first != 1 << place) place++;
    if (place == 6 || (!ground && second != first))
        return lmb_bdf_fail(r, "%s: C1 and C2 must be the same component from 1 to 6; use CBUSH", name);
    if (!(k >= 0)) return lmb_bdf_fail(r, "%s: K is %g; it must not be negative", name, k);
    lmb_property p = {.axes = M3_ID};
    mat3 other = M3_ID;
    p.stiffness[place] = k;
    if (lmb_bdf_node_axes(&p.axes, r, nodes[0]) != LMB_OK) return r->scan.status;
    if (!ground && lmb_bdf_node_axes(&other, r, nodes[1]) != LMB_OK) return r->scan.status;
    vec3 axis = m3_column(&p.axes, place % 3);
    if (!ground && !(v3_norm(v3_sub(axis, m3_column(&other, place % 3))) < 1e-9))
        return lmb_bdf_fail(r, "%s: its grid points have different axes (CD); use CBUSH", name);
    vec3 line = ground ? V3_ZERO : v3_sub(r->mesh->x[nodes[1]], r->mesh->x[nodes[0]]);
    if (place < 3 && v3_norm(v3_cross(line, axis)) > 1e-6 * v3_norm(line))
        return lmb_bdf_fail(
            r,
            "%s: a spring across the line of its grid points resists rotations of the whole part; "
            "put them at one place or along the spring, or use CBUSH",
            name);
    return put_spring(r, &p, nodes, q);
}

// CELAS1 EID PID G1 C1 G2 C2
lmb_status lmb_bdf_read_elas1(lmb_bdf *r) {
    lmb_bdf_property *q = lmb_bdf_find_property(r, 2, "PELAS", NULL, NULL, NULL);
    return q ? put_scalar(r, 3, q->p.stiffness[0], q) : r->scan.status;
}

// CELAS2 EID K G1 C1 G2 C2 GE S
lmb_status lmb_bdf_read_elas2(lmb_bdf *r) {
    double k = lmb_bdf_real(r, 2, "K", 0);
    return r->scan.status ? r->scan.status : put_scalar(r, 3, k, NULL);
}

// CID, or x along the line with plane 1 through v
static lmb_status bush_axes(mat3 *A, lmb_bdf *r, const int nodes[2]) {
    vec3 x = nodes[1] < 0 ? V3_ZERO : v3_sub(r->mesh->x[nodes[1]], r->mesh->x[nodes[0]]), v;
    if (!lmb_bdf_blank(r, 8)) {
        int id = lmb_bdf_integer(r, 8, "CID", 0);
        return r->scan.status ? r->scan.status : lmb_bdf_axes(A, r, id, r->mesh->x[nodes[0]]);
    }
    if (!v3_has_direction(x))
        return lmb_bdf_fail(r,
                            "CBUSH: its grid points coincide; give its axes with CID (0: the basic system)");
    *A = line_axes(x);
    if (lmb_bdf_blank(r, 5) && lmb_bdf_blank(r, 6) && lmb_bdf_blank(r, 7)) return LMB_OK;
    bar b = {.node = {nodes[0], nodes[1]}};
    bool by_node = !lmb_bdf_is_real(r, 5) && lmb_bdf_blank(r, 6) && lmb_bdf_blank(r, 7);
    int g0;
    if (by_node && lmb_bdf_find_node(&g0, r, 5, "G0") != LMB_OK) return r->scan.status;
    if (by_node) b.v = v3_sub(r->mesh->x[g0], r->mesh->x[nodes[0]]);
    else if (vector_at(&b.v, r, nodes[0], 5, "X") != LMB_OK) return r->scan.status;
    v = v3_cross(x, b.v);
    if (!(v3_norm(v) > 1e-6 * v3_norm(x) * v3_norm(b.v)))
        return lmb_bdf_fail(r, "CBUSH: the orientation vector is zero or along the element");
    vec3 ex = v3_unit(x), ez = v3_unit(v);
    *A = m3_columns(ex, v3_cross(ez, ex), ez);
    return LMB_OK;
}

// a node at a place that moves with another
static int add_rigid_node(lmb_bdf *r, int node, vec3 x) {
    lmb_mesh *m = r->mesh;
    int label = 0;
    for (int i = 0; i < m->node_count; i++) label = m->label[i] > label ? m->label[i] : label;
    int own = label < 2000000000 ? lmb_mesh_add_node(m, label + 1, x) : -1;
    lmb_motions all = {own, LMB_ALL_MOTIONS, M3_ID, 1};
    if (own < 0 || lmb_constrain_rigid(m, &all, node, lmb_bdf_where(r), r->scan.err) != LMB_OK)
        return lmb_scan_memory(&r->scan), -1;
    return own;
}

// the place of the bushing: S of the line between its grid points (half of it: the spring is there), or S1 S2 S3 in OCID
static lmb_status place_bush(lmb_bdf *r, int nodes[2]) {
    vec3 a = r->mesh->x[nodes[0]], line = v3_sub(r->mesh->x[nodes[1]], a), at;
    double s = lmb_bdf_real(r, 9, "S", 0.5);
    bool offset = !lmb_bdf_blank(r, 10) && !lmb_piece_is(lmb_bdf_field(r, 10), "-1");
    at = v3_madd(a, s, line);
    if (r->scan.status != LMB_OK || (!offset && (s == 0.5 || !v3_has_direction(line)))) return r->scan.status;
    int id = offset ? lmb_bdf_integer(r, 10, "OCID", 0) : 0;
    vec3 own = lmb_bdf_vector(r, 11, "S1");
    if (r->scan.status == LMB_OK && offset && lmb_bdf_place(&at, r, id, own) != LMB_OK) return r->scan.status;
    for (int i = 0; i < 2 && r->scan.status == LMB_OK; i++) nodes[i] = add_rigid_node(r, nodes[i], at);
    return r->scan.status;
}

// CBUSH EID PID GA GB X1 X2 X3 CID / S OCID S1 S2 S3
lmb_status lmb_bdf_read_bush(lmb_bdf *r) {
    lmb_bdf_property *q = lmb_bdf_find_property(r, 2, "PBUSH", NULL, NULL, NULL);
    int nodes[2] = {-1, -1};
    if (q == NULL || lmb_bdf_find_node(&nodes[0], r, 3, "GA") != LMB_OK) return r->scan.status;
    if (!lmb_bdf_blank(r, 4) && lmb_bdf_find_node(&nodes[1], r, 4, "GB") != LMB_OK) return r->scan.status;
    lmb_property p = q->p;
    if (bush_axes(&p.axes, r, nodes) != LMB_OK) return r->scan.status;
    if (nodes[1] >= 0 && place_bush(r, nodes) != LMB_OK) return r->scan.status;
    return r->scan.status ? r->scan.status : put_spring(r, &p, nodes, q);
}

// ---- masses ------------------------------------------------------------------------------------

// CONM2 EID G CID M X1 X2 X3 / I11 I21 I22 I31 I32 I33
lmb_status lmb_bdf_read_conm2(lmb_bdf *r) {
    int node;
    lmb_piece cid = lmb_bdf_field(r, 3);
    bool absolute = lmb_piece_is(cid, "-1");
    int id = absolute ? 0 : lmb_bdf_integer(r, 3, "CID", 0);
    if (lmb_bdf_find_node(&node, r, 2, "G") != LMB_OK) return r->scan.status;
    double I[6], scale = r->mass_scale;
    mat3 A;
    lmb_property p = {.name = "CONM2",
                      .material = -1,
                      .mass = scale * lmb_bdf_real(r, 4, "M", 0),
                      .where = lmb_bdf_where(r)};
    vec3 x = lmb_bdf_vector(r, 5, "X");
    for (int i = 0; i < 6; i++) I[i] = scale * lmb_bdf_real(r, 9 + i, "I", 0);
    if (r->scan.status != LMB_OK || lmb_bdf_axes(&A, r, id, r->mesh->x[node]) != LMB_OK)
        return r->scan.status;
    p.com = absolute ? v3_sub(x, r->mesh->x[node]) : m3_mul_v3(&A, x);
    // products I21 = + int x y dm
    mat3 own = m3_columns(v3(I[0], -I[1], -I[3]), v3(-I[1], I[2], -I[4]), v3(-I[3], -I[4], I[5]));
    p.inertia = m3_mul(A, m3_mul(own, m3_t(A)));
    if (!(p.mass >= 0)) return lmb_bdf_fail(r, "CONM2: M is %g; it must not be negative", p.mass);
    int property = lmb_mesh_add_property(r->mesh, &p);
    return property >= 0 ? lmb_bdf_put_element(r, &lmb_element_mass, &node, property)
                         : lmb_scan_memory(&r->scan);
}
