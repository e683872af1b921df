// mesh/bdf_frame.c: coordinate systems and grid points.
//
// A system is given by three points: its origin a, b on its z axis, c in its xz plane.  They are given in another system
// (CORD2) or are grid points (CORD1), whose places may need other systems: places are found when they are asked for.
#include "fe/material.h"
#include "mesh/bdf.h"

#include <math.h>

enum { UNKNOWN, IN_WORK, KNOWN };

static lmb_status add_frame(lmb_bdf *r, lmb_bdf_frame f) {
    if (r->scan.status != LMB_OK) return r->scan.status;
    lmb_bdf_frame *all = lmb_bdf_grown(r, r->frames, &r->frame_capacity, r->frame_count, sizeof *all);
    if (all == NULL) return r->scan.status;
    r->frames = all;
    f.card = r->card;
    f.kind = r->card->keyword->name[5];
    if (lmb_label_map_find(&r->frame_of, f.id) >= 0)
        return lmb_bdf_fail(r, "duplicate coordinate system %d", f.id);
    if (!lmb_label_map_add(&r->frame_of, f.id, r->frame_count)) return lmb_scan_memory(&r->scan);
    r->frames[r->frame_count++] = f;
    return LMB_OK;
}

// CORD1R CIDA G1A G2A G3A CIDB G1B G2B G3B
lmb_status lmb_bdf_read_cord1(lmb_bdf *r) {
    for (int i = 1; i <= 5 && r->scan.status == LMB_OK; i += 4) {
        if (i > 1 && lmb_bdf_blank(r, i)) break;
        lmb_bdf_frame f = {.id = lmb_bdf_integer(r, i, "CID", -1), .by_nodes = true};
        for (int k = 0; k < 3; k++) f.node[k] = lmb_bdf_integer(r, i + 1 + k, "G", -1);
        add_frame(r, f);
    }
    return r->scan.status;
}

// CORD2R CID RID A1 A2 A3 B1 B2 B3 / C1 C2 C3
lmb_status lmb_bdf_read_cord2(lmb_bdf *r) {
    lmb_bdf_frame f = {.id = lmb_bdf_integer(r, 1, "CID", -1), .reference = lmb_bdf_integer(r, 2, "RID", 0)};
    f.point[0] = lmb_bdf_vector(r, 3, "A");
    f.point[1] = lmb_bdf_vector(r, 6, "B");
    f.point[2] = lmb_bdf_vector(r, 9, "C");
    return add_frame(r, f);
}

// GRDSET - CP - - - CD PS
lmb_status lmb_bdf_read_grdset(lmb_bdf *r) {
    r->default_frame = lmb_bdf_integer(r, 2, "CP", 0);
    r->default_axes = lmb_bdf_integer(r, 6, "CD", 0);
    r->default_held = lmb_bdf_components(r, 7, "PS");
    return r->scan.status;
}

// GRID ID CP X1 X2 X3 CD PS SEID
lmb_status lmb_bdf_read_grid(lmb_bdf *r) {
    int id = lmb_bdf_integer(r, 1, "ID", -1);
    lmb_bdf_node n = {.frame = lmb_bdf_integer(r, 2, "CP", r->default_frame), .card = r->card};
    n.x = lmb_bdf_vector(r, 3, "a coordinate");
    lmb_piece cd = lmb_bdf_field(r, 6);
    n.axes = cd.length == 2 && cd.at[0] == '-' ? 0 : lmb_bdf_integer(r, 6, "CD", r->default_axes);
    n.held = lmb_bdf_blank(r, 7) ? r->default_held : lmb_bdf_components(r, 7, "PS");
    if (n.held != 0 && !(r->remarks & LMB_BDF_SAID_PS)) {
        r->remarks |= LMB_BDF_SAID_PS;
        lmb_bdf_remark(
            r, "GRID: supports (PS) are not applied; `limber modes --clamp PS` holds the part by them");
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    int found = lmb_mesh_find_node(r->mesh, id);
    if (found >= 0)
        return lmb_bdf_fail(r, "duplicate grid point %d (first in line %d)", id, r->nodes[found].card->line);
    lmb_bdf_node *all = lmb_bdf_grown(r, r->nodes, &r->node_capacity, r->mesh->node_count, sizeof *all);
    if (all == NULL) return r->scan.status;
    r->nodes = all;
    r->nodes[r->mesh->node_count] = n;
    return lmb_mesh_add_node(r->mesh, id, n.x) >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

// ---- places ------------------------------------------------------------------------------------

// at most so deep, whatever the deck says
enum { DEEPEST = 100 };

static lmb_status find_frame(const lmb_bdf_frame **out, lmb_bdf *r, int id, int depth);

// coordinates of a system -> in its rectangular axes
static vec3 rectangular(char kind, vec3 x) {
    double a = x.y * LMB_PI / 180, b = x.z * LMB_PI / 180;
    if (kind == 'C') return v3(x.x * cos(a), x.x * sin(a), x.z);
    if (kind == 'S') return v3(x.x * sin(a) * cos(b), x.x * sin(a) * sin(b), x.x * cos(a));
    return x;
}

static lmb_status place_in(vec3 *out, lmb_bdf *r, int id, vec3 x, int depth) {
    const lmb_bdf_frame *f;
    *out = x;
    if (id == 0) return LMB_OK;
    lmb_status st = find_frame(&f, r, id, depth);
    if (st == LMB_OK) *out = v3_add(f->place.r, m3_mul_v3(&f->place.R, rectangular(f->kind, x)));
    return st;
}

static lmb_status place_node(lmb_bdf *r, int node, int depth) {
    lmb_bdf_node *n = &r->nodes[node];
    if (n->state == KNOWN) return LMB_OK;
    const lmb_bdf_card *before = r->card;
    r->card = n->card;
    if (n->state == IN_WORK)
        return lmb_bdf_fail(r, "grid point %d and a coordinate system need each other", r->mesh->label[node]);
    n->state = IN_WORK;
    lmb_status st = place_in(&r->mesh->x[node], r, n->frame, n->x, depth + 1);
    if (st == LMB_OK && !v3_finite(r->mesh->x[node]))
        st = lmb_bdf_fail(r, "the place of the point is too far");
    if (st != LMB_OK) return st;
    n->state = KNOWN;
    r->card = before;
    return LMB_OK;
}

static lmb_status frame_points(vec3 p[3], lmb_bdf *r, const lmb_bdf_frame *f, int depth) {
    lmb_status st = LMB_OK;
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        int node = f->by_nodes ? lmb_mesh_find_node(r->mesh, f->node[k]) : -1;
        if (f->by_nodes && node < 0)
            return lmb_bdf_fail(r, "coordinate system %d: unknown grid point %d", f->id, f->node[k]);
        st = f->by_nodes ? place_node(r, node, depth + 1)
                         : place_in(&p[k], r, f->reference, f->point[k], depth + 1);
        if (f->by_nodes && st == LMB_OK) p[k] = r->mesh->x[node];
    }
    return st;
}

static lmb_status find_frame(const lmb_bdf_frame **out, lmb_bdf *r, int id, int depth) {
    int i = lmb_label_map_find(&r->frame_of, id);
    if (i < 0) return lmb_bdf_fail(r, "unknown coordinate system %d", id);
    lmb_bdf_frame *f = &r->frames[i];
    *out = f;
    if (f->state == KNOWN) return LMB_OK;
    const lmb_bdf_card *before = r->card;
    r->card = f->card;
    if (f->state == IN_WORK || depth > DEEPEST)
        return lmb_bdf_fail(r, "coordinate system %d is defined by itself, or through too many others", id);
    f->state = IN_WORK;
    vec3 p[3];
    lmb_status st = frame_points(p, r, f, depth);
    if (st != LMB_OK) return st;
    vec3 z = v3_sub(p[1], p[0]), xz = v3_sub(p[2], p[0]);
    if (!v3_has_direction(z) || !v3_has_direction(xz) || !(v3_norm(v3_cross(v3_unit(z), v3_unit(xz))) > 1e-6))
        return lmb_bdf_fail(r, "coordinate system %d: its three points are collinear", id);
    z = v3_unit(z);
    vec3 y = v3_unit(v3_cross(z, xz));
    f->place = (pose){.r = p[0], .R = m3_columns(v3_cross(y, z), y, z)};
    f->state = KNOWN;
    r->card = before;
    return LMB_OK;
}

lmb_status lmb_bdf_place(vec3 *out, lmb_bdf *r, int id, vec3 x) { return place_in(out, r, id, x, 0); }

lmb_status lmb_bdf_material_axes(lmb_material_axes *out, lmb_bdf *r, int id) {
    const lmb_bdf_frame *f;
    *out = (lmb_material_axes){.turn = M3_ID};
    if (id == 0) return LMB_OK;
    lmb_status st = find_frame(&f, r, id, 0);
    if (st != LMB_OK) return st;
    out->kind = f->kind == 'R'   ? LMB_AXES_RECTANGULAR
                : f->kind == 'C' ? LMB_AXES_CYLINDRICAL
                                 : LMB_AXES_SPHERICAL;
    out->place = f->place;
    return LMB_OK;
}

lmb_status lmb_bdf_axes(mat3 *out, lmb_bdf *r, int id, vec3 x) {
    lmb_material_axes axes;
    lmb_status st = lmb_bdf_material_axes(&axes, r, id);
    *out = st == LMB_OK ? lmb_material_axes_at(&axes, x) : M3_ID;
    return st;
}

lmb_status lmb_bdf_node_axes(mat3 *out, lmb_bdf *r, int node) {
    return lmb_bdf_axes(out, r, r->nodes[node].axes, r->mesh->x[node]);
}

int lmb_bdf_grid(const lmb_bdf *r, int label) {
    int node = lmb_mesh_find_node(r->mesh, label);
    return node < r->grid_count ? node : -1;
}

lmb_status lmb_bdf_place_nodes(lmb_bdf *r) {
    r->grid_count = r->mesh->node_count;
    lmb_status st = LMB_OK;
    for (int i = 0; i < r->mesh->node_count && st == LMB_OK; i++) st = place_node(r, i, 0);
    const lmb_bdf_frame *f;
    for (int i = 0; i < r->frame_count && st == LMB_OK; i++) st = find_frame(&f, r, r->frames[i].id, 0);
    return st;
}

lmb_status lmb_bdf_find_node(int *out, lmb_bdf *r, int i, const char *name) {
    int id = lmb_bdf_integer(r, i, name, -1);
    *out = -1;
    if (r->scan.status != LMB_OK) return r->scan.status;
    *out = lmb_bdf_grid(r, id);
    if (*out >= 0) return LMB_OK;
    return lmb_bdf_fail(r, "%s %.*s refers to grid point %d, which is not defined", r->card->keyword->name,
                        lmb_bdf_field(r, 1).length, lmb_bdf_field(r, 1).at, id);
}
