// mesh/inp_generate.c: *SYSTEM, *NGEN, *NFILL, *NCOPY, *ELGEN, *ELCOPY.
#include "mesh/inp.h"

#include <string.h>

enum { MOST = 5 * 1000 * 1000 }; // generated nodes and elements

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// integers of a line
static lmb_status integers(lmb_inp *r, lmb_piece row, int *values, int most, int *count) {
    double v[12];
    if (lmb_inp_numbers(r, row, v, most, count) != LMB_OK) return r->scan.status;
    for (int i = 0; i < most; i++) {
        if (!(fabs(v[i]) < 2e9) || v[i] != floor(v[i]))
            return lmb_scan_fail(&r->scan, "%g is not an integer", v[i]);
        values[i] = (int)v[i];
    }
    return LMB_OK;
}

static lmb_status count_one(lmb_inp *r) {
    if (++r->generated <= MOST) return LMB_OK;
    return lmb_inp_fail(r, "more than %d generated nodes and elements are not supported", MOST);
}

// ---- nodes -------------------------------------------------------------------------------------

// origin and point on x; point in the plane of x and y
lmb_status lmb_inp_read_system(lmb_inp *r) {
    double v[6], c[3];
    int count, more = 0;
    lmb_piece row;
    r->system = (pose){.R = M3_ID};
    if (!lmb_inp_row(&row, r)) return r->scan.status;
    if (lmb_inp_numbers(r, row, v, 6, &count) != LMB_OK) return r->scan.status;
    r->system.r = v3_load(v);
    if (count <= 3) return LMB_OK;
    if (lmb_inp_row(&row, r) && lmb_inp_numbers(r, row, c, 3, &more) != LMB_OK) return r->scan.status;
    vec3 x = v3_sub(v3_load(v + 3), r->system.r), z = v3_cross(x, v3_sub(v3_load(c), r->system.r));
    if (count != 6 || more != 3 || !v3_has_direction(x) || !v3_has_direction(z))
        return lmb_inp_fail(
            r, "*SYSTEM: give the origin alone, or with a point on x and one in the plane of x and y");
    x = v3_unit(x), z = v3_unit(z);
    r->system.R = m3_columns(x, v3_cross(z, x), z);
    return LMB_OK;
}

static lmb_status put_node(lmb_inp *r, int label, vec3 x, int set) {
    lmb_inp_scope *s = &r->scopes[r->scope];
    if (label < 1) return lmb_scan_fail(&r->scan, "node %d: numbers must be positive", label);
    int node = lmb_label_map_find(&s->nodes, label); // ends are there already
    if (node < 0) {
        if (count_one(r) != LMB_OK) return r->scan.status;
        node = lmb_mesh_add_node(r->mesh, label, x);
        if (node < 0 || !lmb_label_map_add(&s->nodes, label, node)) return lmb_scan_memory(&r->scan);
    }
    return set < 0 || lmb_mesh_set_add(r->mesh, set, node) ? LMB_OK : lmb_scan_memory(&r->scan);
}

// the set of a card's parameter: -1 without one, -2 after a failure
static int set_of(lmb_inp *r, const char *parameter, lmb_set_kind kind) {
    lmb_piece name = lmb_inp_get(r, parameter);
    if (name.length == 0) return -1;
    int set = lmb_inp_add_set(r, name, kind);
    return set < 0 ? -2 : set;
}

static lmb_status generate_row(lmb_inp *r, lmb_piece row, int set) {
    const lmb_inp_scope *s = &r->scopes[r->scope];
    int n[3] = {0}, count;
    if (integers(r, row, n, 3, &count) != LMB_OK) return r->scan.status;
    if (n[2] == 0) n[2] = 1;
    int a = lmb_label_map_find(&s->nodes, n[0]), b = lmb_label_map_find(&s->nodes, n[1]);
    if (a < 0 || b < 0)
        return lmb_scan_fail(&r->scan, "*NGEN: node %d is not defined before", a < 0 ? n[0] : n[1]);
    int64_t way = (int64_t)n[1] - n[0];
    if (n[2] < 1 || way <= 0 || way % n[2] != 0)
        return lmb_scan_fail(&r->scan, "*NGEN expects first, last and a positive step between them");
    vec3 x = r->mesh->x[a], d = v3_sub(r->mesh->x[b], x);
    for (int64_t k = 0; k <= way && r->scan.status == LMB_OK; k += n[2])
        put_node(r, (int)(n[0] + k), v3_madd(x, (double)k / (double)way, d), set);
    return r->scan.status;
}

// lines: first, last, step: on the straight line between both
lmb_status lmb_inp_read_ngen(lmb_inp *r) {
    lmb_piece row;
    int set = set_of(r, "NSET", LMB_SET_NODES);
    if (lmb_inp_get(r, "LINE").length > 0)
        return lmb_inp_fail(r, "*NGEN, LINE: only straight lines are supported");
    while (set > -2 && r->scan.status == LMB_OK && lmb_inp_row(&row, r)) generate_row(r, row, set);
    return r->scan.status;
}

static int bound(lmb_inp *r, lmb_piece name) {
    int set = lmb_inp_find_set(r, name, LMB_SET_NODES);
    if (set < 0)
        lmb_scan_fail(&r->scan, "unknown node set '%.*s' (it must be defined before)", shown(name), name.at);
    else lmb_mesh_set_tidy(r->mesh, set);
    return set;
}

// lines: set, set, intervals, step of numbers
static lmb_status fill_row(lmb_inp *r, lmb_piece row, int set) {
    int a = bound(r, lmb_piece_cut(&row, ',')), b = r->scan.status ? -1 : bound(r, lmb_piece_cut(&row, ',')),
        n[2] = {0}, count;
    if (r->scan.status != LMB_OK || integers(r, row, n, 2, &count) != LMB_OK) return r->scan.status;
    int nodes = r->mesh->sets[a].count;
    if (n[1] == 0) n[1] = 1;
    if (nodes != r->mesh->sets[b].count || n[0] < 1 || n[0] > MOST || n[1] > 1000000000 / n[0] ||
        n[1] < -1000000000 / n[0])
        return lmb_scan_fail(&r->scan,
                             "*NFILL expects two sets of as many nodes, a number of intervals and a step");
    for (int i = 0; i < nodes; i++)
        for (int k = 0; k <= n[0] && r->scan.status == LMB_OK; k++) {
            int from = r->mesh->sets[a].items[i], to = r->mesh->sets[b].items[i], last = k == n[0];
            vec3 x = r->mesh->x[from], d = v3_sub(r->mesh->x[to], x);
            int64_t label = last ? r->mesh->label[to] : (int64_t)r->mesh->label[from] + (int64_t)k * n[1];
            if (label > 2000000000 || label < 1)
                return lmb_scan_fail(&r->scan, "*NFILL: node numbers leave their range");
            put_node(r, (int)label, v3_madd(x, (double)k / n[0], d), set);
        }
    return r->scan.status;
}

lmb_status lmb_inp_read_nfill(lmb_inp *r) {
    lmb_piece row, bias = lmb_inp_get(r, "BIAS");
    double b = 1;
    int set = set_of(r, "NSET", LMB_SET_NODES);
    if (lmb_inp_has(r, "SINGULAR") || (bias.length > 0 && (!lmb_piece_number(&b, bias) || b != 1)))
        return lmb_inp_fail(r, "*NFILL with BIAS or SINGULAR is not supported; write the nodes");
    while (set > -2 && r->scan.status == LMB_OK && lmb_inp_row(&row, r)) fill_row(r, row, set);
    return r->scan.status;
}

static lmb_status shift_of(lmb_inp *r, int *shift, const char *parameter) {
    lmb_piece text = lmb_inp_get(r, parameter);
    *shift = 0;
    if (lmb_piece_integer(shift, text) && *shift > -1000000000 && *shift < 1000000000) return LMB_OK;
    return lmb_inp_fail(r, "*%s: a shift of numbers is missing", r->card->keyword->name);
}

// translated, then turned as an instance
lmb_status lmb_inp_read_ncopy(lmb_inp *r) {
    int shift, to = set_of(r, "NEWSET", LMB_SET_NODES);
    pose p;
    if (to == -2 || shift_of(r, &shift, "CHANGENUMBER") != LMB_OK) return r->scan.status;
    if (!lmb_inp_has(r, "SHIFT") || lmb_inp_has(r, "REFLECT"))
        return lmb_inp_fail(r, "*NCOPY: only SHIFT is supported; write the nodes");
    int from = bound(r, lmb_inp_get(r, "OLDSET"));
    if (from < 0 || lmb_inp_read_place(r, &p) != LMB_OK) return r->scan.status;
    for (int i = 0, count = r->mesh->sets[from].count; i < count && r->scan.status == LMB_OK; i++) {
        int node = r->mesh->sets[from].items[i];
        int64_t label = (int64_t)r->mesh->label[node] + shift;
        if (label > 2000000000 || label < 1) return lmb_inp_fail(r, "*NCOPY: node numbers leave their range");
        put_node(r, (int)label, v3_add(p.r, m3_mul_v3(&p.R, r->mesh->x[node])), to);
    }
    return r->scan.status;
}

// ---- elements ----------------------------------------------------------------------------------

// the element of a label with its numbers shifted
static lmb_status copy(lmb_inp *r, int element, int64_t label, int64_t nodes, int set) {
    const lmb_mesh *m = r->mesh;
    const lmb_inp_type *type = r->types[element];
    int data[1 + LMB_ELEMENT_NODES], line = lmb_inp_line(r, r->scan.line);
    if (label > 2000000000 || label < 1) return lmb_inp_fail(r, "element numbers leave their range");
    if (type->halves)
        return lmb_inp_fail(r, "elements of type %s are two of limber's and cannot be generated; write them",
                            type->name);
    data[0] = (int)label;
    for (int i = 0; i < type->ops->nodes; i++) {
        int64_t node = m->label[lmb_mesh_nodes(m, element)[i]] + nodes;
        if (node > 2000000000 || node < 1) return lmb_inp_fail(r, "node numbers leave their range");
        data[1 + i] = (int)node;
    }
    if (count_one(r) != LMB_OK || lmb_inp_put_element(r, type, data, line) != LMB_OK) return r->scan.status;
    return set < 0 || lmb_mesh_set_add(r->mesh, set, m->element_count - 1) ? LMB_OK
                                                                           : lmb_scan_memory(&r->scan);
}

// element; of rows, columns and layers: how many, steps of nodes and of elements
static lmb_status elgen_row(lmb_inp *r, lmb_piece row, int set) {
    int v[10] = {0}, count;
    if (integers(r, row, v, 10, &count) != LMB_OK) return r->scan.status;
    int master = lmb_label_map_find(&r->scopes[r->scope].elements, v[0]);
    if (master < 0) return lmb_scan_fail(&r->scan, "*ELGEN: element %d is not defined before", v[0]);
    for (int k = 1; k < 10; k++) {
        if (v[k] == 0) v[k] = 1;
        if (k % 3 == 1 && (v[k] < 1 || v[k] > MOST))
            return lmb_scan_fail(&r->scan, "*ELGEN: %d is not a number of elements", v[k]);
    }
    if (set >= 0 && !lmb_mesh_set_add(r->mesh, set, master)) return lmb_scan_memory(&r->scan);
    for (int c = 0; c < v[7]; c++)
        for (int b = 0; b < v[4]; b++)
            for (int a = 0; a < v[1] && r->scan.status == LMB_OK; a++) {
                int64_t nodes = (int64_t)a * v[2] + (int64_t)b * v[5] + (int64_t)c * v[8],
                        label = v[0] + (int64_t)a * v[3] + (int64_t)b * v[6] + (int64_t)c * v[9];
                if (a + b + c > 0 && copy(r, master, label, nodes, set) != LMB_OK) return r->scan.status;
            }
    return r->scan.status;
}

lmb_status lmb_inp_read_elgen(lmb_inp *r) {
    lmb_piece row;
    int set = set_of(r, "ELSET", LMB_SET_ELEMENTS);
    while (set > -2 && r->scan.status == LMB_OK && lmb_inp_row(&row, r)) elgen_row(r, row, set);
    return r->scan.status;
}

lmb_status lmb_inp_read_elcopy(lmb_inp *r) {
    int elements, nodes, to = set_of(r, "NEWSET", LMB_SET_ELEMENTS);
    lmb_piece name = lmb_inp_get(r, "OLDSET");
    if (to == -2 || shift_of(r, &elements, "ELEMENTSHIFT") != LMB_OK ||
        shift_of(r, &nodes, "SHIFTNODES") != LMB_OK)
        return r->scan.status;
    if (lmb_inp_has(r, "REFLECT"))
        return lmb_inp_fail(r, "*ELCOPY, REFLECT is not supported; write the elements");
    int from = lmb_inp_find_set(r, name, LMB_SET_ELEMENTS);
    if (from < 0)
        return lmb_inp_fail(r, "*ELCOPY: unknown element set '%.*s' (of *ELEMENT or *ELGEN before)",
                            shown(name), name.at);
    lmb_mesh_set_tidy(r->mesh, from);
    for (int i = 0, count = r->mesh->sets[from].count; i < count && r->scan.status == LMB_OK; i++) {
        int element = r->mesh->sets[from].items[i];
        copy(r, element, (int64_t)r->mesh->elements[element].label + elements, nodes, to);
    }
    return r->scan.status;
}
