// mesh/inp_equation.c: *TRANSFORM, *EQUATION, *MPC, *BOUNDARY.
#include "mesh/inp.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// after a function that writes its message itself
static lmb_status keep(lmb_inp *r, lmb_status st) {
    if (st != LMB_OK && r->scan.status == LMB_OK) r->scan.status = st;
    return st;
}

// ---- local axes --------------------------------------------------------------------------------

// R: a on x, b in the plane of x and y; C: cylinder about the axis from a to b
static lmb_status read_transform(lmb_inp_transform *t, lmb_inp *r) {
    lmb_piece row, type = lmb_inp_get(r, "TYPE");
    double v[6];
    int count;
    t->cylinder = lmb_piece_is(type, "C");
    if (type.length > 0 && !t->cylinder && !lmb_piece_is(type, "R"))
        return lmb_inp_fail(r, "*TRANSFORM, TYPE=%.*s: only R and C are supported", shown(type), type.at);
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*TRANSFORM has no data line with two points");
    if (lmb_inp_numbers(r, row, v, 6, &count) != LMB_OK) return r->scan.status;
    t->a = v3_load(v), t->b = v3_load(v + 3);
    vec3 along = t->cylinder ? v3_sub(t->b, t->a) : v3_cross(t->a, t->b);
    if (!v3_has_direction(along)) return lmb_scan_fail(&r->scan, "the two points do not define axes");
    return LMB_OK;
}

// lines of two points; the nodes of the set get these axes
lmb_status lmb_inp_read_transform(lmb_inp *r) {
    lmb_piece name = lmb_inp_get(r, "NSET");
    int set = lmb_inp_find_set(r, name, LMB_SET_NODES);
    lmb_inp_transform t;
    if (set < 0) return lmb_inp_fail(r, "*TRANSFORM: unknown node set '%.*s'", shown(name), name.at);
    if (read_transform(&t, r) != LMB_OK) return r->scan.status;
    t.set = set;
    if (r->transform_count == r->transform_capacity) {
        int capacity = r->transform_capacity > 0 ? 2 * r->transform_capacity : 8;
        lmb_inp_transform *larger = lmb_realloc(r->transforms, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan);
        r->transforms = larger, r->transform_capacity = capacity;
    }
    r->transforms[r->transform_count++] = t;
    return LMB_OK;
}

// the transform of every node, made when it is first asked for
static lmb_status find_transforms(lmb_inp *r) {
    if (r->transform_of || r->transform_count == 0) return LMB_OK;
    r->transform_of = lmb_alloc((size_t)r->mesh->node_count + 1, sizeof *r->transform_of);
    if (r->transform_of == NULL) return lmb_scan_memory(&r->scan);
    for (int i = 0; i < r->transform_count; i++) {
        const lmb_mesh_set *s = &r->mesh->sets[r->transforms[i].set];
        for (int k = 0; k < s->count; k++) r->transform_of[s->items[k]] = i + 1;
    }
    return LMB_OK;
}

lmb_status lmb_inp_node_axes(mat3 *out, lmb_inp *r, int node) {
    *out = M3_ID;
    if (find_transforms(r) != LMB_OK || r->transform_of == NULL || node >= r->mesh->node_count)
        return r->scan.status;
    if (r->transform_of[node] == 0) return LMB_OK;
    const lmb_inp_transform *t = &r->transforms[r->transform_of[node] - 1];
    if (!t->cylinder) { // x, y in the plane, z
        vec3 x = v3_unit(t->a), z = v3_unit(v3_cross(t->a, t->b));
        *out = m3_columns(x, v3_cross(z, x), z);
        return LMB_OK;
    }
    // radial, tangential, axial
    vec3 z = v3_unit(v3_sub(t->b, t->a)), d = v3_sub(r->mesh->x[node], t->a),
         radial = v3_madd(d, -v3_dot(d, z), z);
    if (!(v3_norm(radial) > 1e-9 * v3_norm(d)))
        return lmb_inp_fail(r, "node %d lies on the axis of its *TRANSFORM, so its axes have no direction",
                            r->mesh->label[node]);
    vec3 x = v3_unit(radial);
    *out = m3_columns(x, v3_cross(z, x), z);
    return LMB_OK;
}

// ---- *EQUATION ---------------------------------------------------------------------------------

typedef struct term {
    int first, count; // its nodes in the reader's list
    int motion;       // 1..6
    double factor;
} term;

static lmb_status add_node(lmb_inp *r, int node) {
    if (r->node_list_count == r->node_list_capacity) {
        int capacity = r->node_list_capacity > 0 ? 2 * r->node_list_capacity : 64;
        int *larger = lmb_realloc(r->node_list, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan);
        r->node_list = larger, r->node_list_capacity = capacity;
    }
    r->node_list[r->node_list_count++] = node;
    return LMB_OK;
}

// a node, or a set, whose nodes ascend unless it is UNSORTED
lmb_status lmb_inp_take_nodes(lmb_inp *r, lmb_piece what, int *first, int *count) {
    int label, set = lmb_piece_integer(&label, what) ? -1 : lmb_inp_find_set(r, what, LMB_SET_NODES), node;
    *first = r->node_list_count, *count = 0;
    if (set < 0) {
        if (lmb_inp_find_node(r, &node, what) != LMB_OK || add_node(r, node) != LMB_OK) return r->scan.status;
        return *count = 1, LMB_OK;
    }
    if (lmb_label_map_find(&r->unsorted, set) < 0) lmb_mesh_set_tidy(r->mesh, set);
    for (int i = 0; i < r->mesh->sets[set].count; i++)
        if (add_node(r, r->mesh->sets[set].items[i]) != LMB_OK) return r->scan.status;
    return *count = r->node_list_count - *first, LMB_OK;
}

// the next field that is not empty, over lines
static bool next_field(lmb_inp *r, lmb_piece *row, lmb_piece *out) {
    for (;;) {
        while (row->length > 0) {
            *out = lmb_piece_cut(row, ',');
            if (out->length > 0) return true;
        }
        if (!lmb_inp_row(row, r)) return false;
    }
}

static lmb_status read_term(term *t, lmb_inp *r, lmb_piece *row) {
    lmb_piece what, motion, factor;
    if (!next_field(r, row, &what) || !next_field(r, row, &motion) || !next_field(r, row, &factor))
        return lmb_inp_fail(r, "*EQUATION ends before its last term");
    if (lmb_inp_take_nodes(r, what, &t->first, &t->count) != LMB_OK) return r->scan.status;
    if (!lmb_piece_integer(&t->motion, motion) || t->motion < 0 || !lmb_piece_number(&t->factor, factor))
        return lmb_scan_fail(&r->scan,
                             "a term is a node, a degree of freedom and a factor, not '%.*s, %.*s, %.*s'",
                             shown(what), what.at, shown(motion), motion.at, shown(factor), factor.at);
    return LMB_OK;
}

static lmb_status put_equation(lmb_inp *r, const term *t, int terms, int which) {
    if (lmb_mesh_add_equation(r->mesh, lmb_inp_where(r)) < 0) return lmb_scan_memory(&r->scan);
    for (int k = 0; k < terms; k++) {
        int node = r->node_list[t[k].first + (t[k].count > 1 ? which : 0)];
        mat3 axes;
        if (lmb_inp_node_axes(&axes, r, node) != LMB_OK) return r->scan.status;
        vec3 g = v3_scale(t[k].factor, m3_column(&axes, (t[k].motion - 1) % 3));
        if (!lmb_constrain_add(r->mesh, node, (t[k].motion - 1) / 3, g)) return lmb_scan_memory(&r->scan);
    }
    return LMB_OK;
}

// of sets node by node; temperatures and pressures are not ours
static lmb_status put_equations(lmb_inp *r, const term *t, int terms) {
    int most = 1;
    for (int k = 0; k < terms; k++) {
        if (t[k].motion < 1 || t[k].motion > 6) return LMB_OK;
        if (t[k].count > 1 && most > 1 && t[k].count != most)
            return lmb_inp_fail(r, "*EQUATION: its sets have %d and %d nodes; they must have as many", most,
                                t[k].count);
        if (t[k].count == 0) return lmb_inp_fail(r, "*EQUATION: a set is empty");
        if (t[k].count > 1) most = t[k].count;
    }
    for (int i = 0; i < most && r->scan.status == LMB_OK; i++) put_equation(r, t, terms, i);
    return r->scan.status;
}

// the number of terms, then the terms
lmb_status lmb_inp_read_equation(lmb_inp *r) {
    enum { MOST = 100000 };
    lmb_piece row = {"", 0}, field;
    while (r->scan.status == LMB_OK && next_field(r, &row, &field)) {
        int terms;
        if (!lmb_piece_integer(&terms, field) || terms < 1 || terms > MOST)
            return lmb_scan_fail(&r->scan, "*EQUATION: '%.*s' is not a number of terms", shown(field),
                                 field.at);
        term *t = NULL;
        int capacity = 0;
        for (int k = 0; k < terms && r->scan.status == LMB_OK; k++) {
            if (k == capacity) { // as many as there are, whatever is announced
                capacity = capacity > 0 ? 2 * capacity : 16;
                term *larger = lmb_realloc(t, (size_t)capacity, sizeof *larger);
                if (larger == NULL) lmb_scan_memory(&r->scan);
                else t = larger;
            }
            if (r->scan.status == LMB_OK) read_term(&t[k], r, &row);
        }
        if (r->scan.status == LMB_OK) put_equations(r, t, terms);
        lmb_free(t);
        r->node_list_count = 0;
    }
    return r->scan.status;
}

// ---- *MPC --------------------------------------------------------------------------------------

typedef struct mpc {
    const char *name;
    int least, most; // nodes
    lmb_status (*make)(lmb_inp *r, const int *nodes, int count);
} mpc;

static lmb_status make_beam(lmb_inp *r, const int *n, int count) {
    (void)count;
    const lmb_motions all = {n[0], LMB_ALL_MOTIONS, M3_ID, 1};
    return lmb_constrain_rigid(r->mesh, &all, n[1], lmb_inp_where(r), r->scan.err);
}

static lmb_status make_link(lmb_inp *r, const int *n, int count) {
    (void)count;
    return lmb_constrain_link(r->mesh, n[0], n[1], lmb_inp_where(r), r->scan.err);
}

// the same motions; at one place also for the axes of rotations
static lmb_status make_same(lmb_inp *r, const int *n, int motions) {
    for (int k = 0; k < 6; k++) {
        if (!(motions >> k & 1)) continue;
        bool ok = lmb_mesh_add_equation(r->mesh, lmb_inp_where(r)) >= 0 &&
                  lmb_mesh_add_term(r->mesh, n[0], k, 1) >= 0 && lmb_mesh_add_term(r->mesh, n[1], k, -1) >= 0;
        if (!ok) return lmb_scan_memory(&r->scan);
    }
    return LMB_OK;
}
static lmb_status make_pin(lmb_inp *r, const int *n, int count) {
    (void)count;
    return make_same(r, n, LMB_DISPLACEMENTS);
}
static lmb_status make_tie(lmb_inp *r, const int *n, int count) {
    (void)count;
    return make_same(r, n, LMB_ALL_MOTIONS);
}

// the first stays on the line of the others
static lmb_status make_slider(lmb_inp *r, const int *n, int count) {
    (void)count;
    return lmb_constrain_line(r->mesh, n[0], n[1], n[2], lmb_inp_where(r), r->scan.err);
}

// all others stay on the line of the first and the last, in the plane of the first three
static lmb_status make_straight(lmb_inp *r, const int *n, int count) {
    lmb_status st = LMB_OK;
    for (int i = 1; i + 1 < count && st == LMB_OK; i++)
        st = lmb_constrain_line(r->mesh, n[i], n[0], n[count - 1], lmb_inp_where(r), r->scan.err);
    return st;
}

static double area(const lmb_mesh *m, int a, int b, int c) {
    return v3_norm(v3_cross(v3_sub(m->x[b], m->x[a]), v3_sub(m->x[c], m->x[a])));
}

static lmb_status make_plane(lmb_inp *r, const int *n, int count) {
    const lmb_mesh *m = r->mesh;
    int corner[3] = {n[0], n[1], n[2]};
    for (int i = 1; i < count; i++) // far apart
        if (v3_norm(v3_sub(m->x[n[i]], m->x[n[0]])) > v3_norm(v3_sub(m->x[corner[1]], m->x[n[0]])))
            corner[1] = n[i];
    for (int i = 1; i < count; i++)
        if (area(m, n[0], corner[1], n[i]) > area(m, n[0], corner[1], corner[2])) corner[2] = n[i];
    lmb_status st = LMB_OK;
    for (int i = 0; i < count && st == LMB_OK; i++)
        if (n[i] != corner[0] && n[i] != corner[1] && n[i] != corner[2])
            st = lmb_constrain_plane(r->mesh, n[i], corner, lmb_inp_where(r), r->scan.err);
    return st;
}

static const mpc mpcs[] = {
    {"BEAM", 2, 2, make_beam},         {"LINK", 2, 2, make_link},     {"PIN", 2, 2, make_pin},
    {"TIE", 2, 2, make_tie},           {"SLIDER", 3, 3, make_slider}, {"STRAIGHT", 3, INT_MAX, make_straight},
    {"PLANE", 4, INT_MAX, make_plane},
};

static lmb_status put_mpc(lmb_inp *r, lmb_piece type) {
    const mpc *kind = NULL;
    for (int i = 0; i < LMB_COUNT(mpcs); i++)
        if (lmb_piece_is(type, mpcs[i].name)) kind = &mpcs[i];
    if (kind == NULL)
        return lmb_inp_fail(
            r, "*MPC of type %.*s is not supported; supported: BEAM, LINK, PIN, TIE, SLIDER, STRAIGHT, PLANE",
            shown(type), type.at);
    if (r->node_list_count < kind->least || r->node_list_count > kind->most)
        return lmb_inp_fail(r, "*MPC, %s: %d nodes, expected %d%s", kind->name, r->node_list_count,
                            kind->least, kind->most == kind->least ? "" : " or more");
    return keep(r, kind->make(r, r->node_list, r->node_list_count));
}

// type, nodes or sets; a line that begins with a number or nothing goes on
lmb_status lmb_inp_read_mpc(lmb_inp *r) {
    lmb_piece row, type = {"", 0};
    while (r->scan.status == LMB_OK && lmb_inp_row(&row, r)) {
        lmb_piece rest = row, first = lmb_piece_cut(&rest, ',');
        int label, from, count;
        bool on = first.length == 0 || lmb_piece_integer(&label, first);
        if (!on && type.length > 0 && put_mpc(r, type) != LMB_OK) break;
        if (!on) type = first, row = rest, r->node_list_count = 0;
        if (type.length == 0) return lmb_scan_fail(&r->scan, "*MPC: a type is expected first");
        while (row.length > 0 && r->scan.status == LMB_OK) {
            lmb_piece field = lmb_piece_cut(&row, ',');
            if (field.length > 0 && !lmb_piece_is(field, "0")) lmb_inp_take_nodes(r, field, &from, &count);
        }
    }
    if (r->scan.status == LMB_OK && type.length > 0) put_mpc(r, type);
    r->node_list_count = 0;
    return r->scan.status;
}

// ---- *BOUNDARY ---------------------------------------------------------------------------------

// motions of a named type; 0: it is none
static int named_motions(lmb_piece name) {
    static const struct {
        const char *name;
        int motions;
    } names[] = {{"ENCASTRE", 63},       {"PINNED", 7},         {"XSYMM", 1 | 16 | 32},
                 {"YSYMM", 2 | 8 | 32},  {"ZSYMM", 4 | 8 | 16}, {"XASYMM", 2 | 4 | 8},
                 {"YASYMM", 1 | 4 | 16}, {"ZASYMM", 1 | 2 | 32}};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (lmb_piece_is(name, names[i].name)) return names[i].motions;
    return 0;
}

// node or set; first, last motion and value, or a name
static lmb_status boundary_row(lmb_inp *r, lmb_piece row, int support) {
    lmb_piece what = lmb_piece_cut(&row, ','), first = lmb_piece_cut(&row, ','),
              last = lmb_piece_cut(&row, ',');
    int a, b, motions = named_motions(first), from, count;
    if (motions == 0) {
        if (!lmb_piece_integer(&a, first))
            return lmb_inp_remark(r, r->scan.line, "*BOUNDARY '%.*s' not read", shown(first), first.at);
        if (!lmb_piece_integer(&b, last)) b = a;
        for (int k = a; k >= 1 && k <= b && k <= 6; k++) motions |= 1 << (k - 1);
    }
    r->node_list_count = 0;
    if (motions == 0) return LMB_OK; // temperature, pressure
    if (lmb_inp_take_nodes(r, what, &from, &count) != LMB_OK) return r->scan.status;
    for (int i = from; i < from + count && r->scan.status == LMB_OK; i++) {
        lmb_motions of = {r->node_list[i], motions, M3_ID, 1};
        if (lmb_inp_node_axes(&of.axes, r, of.node) == LMB_OK)
            keep(r, lmb_constrain_hold(r->mesh, support, &of, lmb_inp_where(r), r->scan.err));
    }
    r->node_list_count = 0;
    return r->scan.status;
}

lmb_status lmb_inp_read_boundary(lmb_inp *r) {
    lmb_piece row;
    if (lmb_inp_has(r, "SUBMODEL") || lmb_inp_has(r, "BASEMOTION"))
        return lmb_inp_remark(r, r->card->line, "*BOUNDARY of another model not read");
    int support = lmb_mesh_add_support(r->mesh, "BOUNDARY");
    if (support < 0) return lmb_scan_memory(&r->scan);
    while (r->scan.status == LMB_OK && lmb_inp_row(&row, r)) boundary_row(r, row, support);
    if (r->scan.status == LMB_OK && !r->said_boundary) {
        r->said_boundary = true;
        lmb_inp_remark(
            r, r->card->line,
            "*BOUNDARY: supports are not applied; `limber modes --clamp BOUNDARY` holds the part by them");
    }
    return r->scan.status;
}
