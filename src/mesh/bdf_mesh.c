// mesh/bdf_mesh.c: solids and sets.
#include "mesh/bdf.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- elements ----------------------------------------------------------------------------------

lmb_status lmb_bdf_put_element(lmb_bdf *r, const lmb_element_ops *ops, const int *nodes, int property) {
    int id = lmb_bdf_integer(r, 1, "EID", -1);
    if (r->scan.status != LMB_OK) return r->scan.status;
    int found = lmb_mesh_find_element(r->mesh, id);
    if (found >= 0)
        return lmb_bdf_fail(r, "duplicate element %d (first in line %d)", id, r->mesh->elements[found].line);
    int element = lmb_mesh_add_element(r->mesh, ops, id, nodes, property, lmb_bdf_line(r));
    return element >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

// the elements of a property are a set, PSOLID_3
static lmb_status put_in_set(lmb_bdf *r, lmb_bdf_property *p) {
    char name[64];
    snprintf(name, sizeof name, "%s_%d", p->keyword->name, p->id);
    if (p->set < 0) p->set = lmb_mesh_add_set(r->mesh, name, LMB_SET_ELEMENTS, p->p.where);
    bool ok = p->set >= 0 && lmb_mesh_set_add(r->mesh, p->set, r->mesh->element_count - 1);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

lmb_status lmb_bdf_put_line(lmb_bdf *r, const lmb_element_ops *ops, const int *nodes, int property,
                            lmb_bdf_property *q) {
    lmb_status st = lmb_bdf_put_element(r, ops, nodes, property);
    return st || q == NULL ? st : put_in_set(r, q);
}

static lmb_status put_shared(lmb_bdf *r, const lmb_element_ops *ops, const int *nodes, lmb_bdf_property *p) {
    if (p->shared < 0) p->shared = lmb_mesh_add_property(r->mesh, &p->p);
    if (p->shared < 0) return lmb_scan_memory(&r->scan);
    return lmb_bdf_put_line(r, ops, nodes, p->shared, p);
}

// A solid: corners, then middle nodes in the order of Nastran; ours have those of the upper edges before the
// vertical ones.
typedef struct solid {
    const char *name;
    const lmb_element_ops *linear, *quadratic;
    int corners, nodes;
    signed char order[20]; // of the deck's fields
} solid;
static const solid solids[] = {
    {"CTETRA", &lmb_element_tet4, &lmb_element_tet10, 4, 10, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
    {"CPENTA",
     &lmb_element_wedge6,
     &lmb_element_wedge15,
     6,
     15,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 14, 9, 10, 11}},
    {"CHEXA", &lmb_element_hex8, &lmb_element_hex20, 8, 20, {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,
                                                             10, 11, 16, 17, 18, 19, 12, 13, 14, 15}},
};

lmb_status lmb_bdf_read_solid(lmb_bdf *r) {
    const solid *s = solids;
    while (strcmp(s->name, r->card->keyword->name) != 0) s++;
    lmb_bdf_property *p = lmb_bdf_find_property(r, 2, "PSOLID", NULL, NULL, NULL);
    int nodes[20], middle = 0, count;
    for (int i = s->corners; i < s->nodes; i++) {
        lmb_piece f = lmb_bdf_field(r, 3 + i);
        middle += f.length > 0 && !lmb_piece_is(f, "0");
    }
    for (int i = 3 + s->nodes; i < r->field_count; i++)
        if (!lmb_bdf_blank(r, i))
            return lmb_bdf_fail(r, "%s has more than %d grid points", s->name, s->nodes);
    if (p && middle > 0 && middle < s->nodes - s->corners)
        return lmb_bdf_fail(r,
                            "%s %.*s has %d of its %d middle nodes; elements have all of them or none: mesh "
                            "again with one order of elements",
                            s->name, lmb_bdf_field(r, 1).length, lmb_bdf_field(r, 1).at, middle,
                            s->nodes - s->corners);
    count = middle > 0 ? s->nodes : s->corners;
    for (int i = 0; p && i < count && r->scan.status == LMB_OK; i++)
        lmb_bdf_find_node(&nodes[i], r, 3 + s->order[i], "a grid point");
    if (p == NULL || r->scan.status != LMB_OK) return r->scan.status;
    return put_shared(r, middle > 0 ? s->quadratic : s->linear, nodes, p);
}

// ---- sets --------------------------------------------------------------------------------------

static int open_set(lmb_bdf *r, const char *usual, lmb_set_kind kind) {
    const char *name = r->card->label ? r->card->label : usual;
    int set = lmb_mesh_add_set(r->mesh, name, kind, lmb_bdf_where(r));
    if (set < 0) lmb_scan_memory(&r->scan);
    return set;
}

static int item_of(const lmb_bdf *r, lmb_set_kind kind, int label) {
    return kind == LMB_SET_NODES ? lmb_bdf_grid(r, label) : lmb_mesh_find_element(r->mesh, label);
}

static lmb_status put(lmb_bdf *r, int set, int item) {
    return lmb_mesh_set_add(r->mesh, set, item) ? LMB_OK : lmb_scan_memory(&r->scan);
}

// from THRU to: those that there are
static lmb_status put_range(lmb_bdf *r, int set, int from, int to) {
    const lmb_mesh *m = r->mesh;
    lmb_set_kind kind = m->sets[set].kind;
    int count = kind == LMB_SET_NODES ? r->grid_count : m->element_count;
    lmb_status st = LMB_OK;
    if ((int64_t)to - from < count) {
        for (int64_t label = from; label <= to && st == LMB_OK; label++) {
            int item = item_of(r, kind, (int)label);
            if (item >= 0) st = put(r, set, item);
        }
        return st;
    }
    for (int i = 0; i < count && st == LMB_OK; i++) {
        int label = kind == LMB_SET_NODES ? m->label[i] : m->elements[i].label;
        if (label >= from && label <= to) st = put(r, set, i);
    }
    return st;
}

// numbers and ranges (a THRU b) from field i on
static lmb_status put_list(lmb_bdf *r, int set, int i) {
    lmb_set_kind kind = r->mesh->sets[set].kind;
    const char *what = kind == LMB_SET_NODES ? "grid point" : "element";
    lmb_status st = LMB_OK;
    for (; i < r->field_count && st == LMB_OK; i++) {
        if (lmb_bdf_blank(r, i)) continue;
        int label = lmb_bdf_integer(r, i, what, -1);
        if (r->scan.status != LMB_OK) return r->scan.status;
        if (lmb_piece_is(lmb_bdf_field(r, i + 1), "THRU")) {
            int to = lmb_bdf_integer(r, i + 2, "the number after THRU", -1);
            if (r->scan.status != LMB_OK) return r->scan.status;
            if (to < label) return lmb_bdf_fail(r, "%d THRU %d goes backwards", label, to);
            if (lmb_piece_is(lmb_bdf_field(r, i + 3), "BY") ||
                lmb_piece_is(lmb_bdf_field(r, i + 3), "EXCEPT"))
                return lmb_bdf_fail(r, "BY and EXCEPT are not supported; list the numbers");
            st = put_range(r, set, label, to);
            i += 2;
            continue;
        }
        int item = item_of(r, kind, label);
        if (item < 0) return lmb_bdf_fail(r, "%s: unknown %s %d", r->card->keyword->name, what, label);
        st = put(r, set, item);
    }
    return st;
}

// SET1 SID G1 G2 ..
lmb_status lmb_bdf_read_set1(lmb_bdf *r) {
    char name[32];
    snprintf(name, sizeof name, "SET_%d", lmb_bdf_integer(r, 1, "SID", -1));
    if (r->scan.status != LMB_OK) return r->scan.status;
    int set = open_set(r, name, LMB_SET_NODES);
    return set < 0 ? r->scan.status : put_list(r, set, 2);
}

// SET3 SID GRID or ELEM ID1 ..
lmb_status lmb_bdf_read_set3(lmb_bdf *r) {
    char name[32];
    lmb_piece what = lmb_bdf_field(r, 2);
    snprintf(name, sizeof name, "SET_%d", lmb_bdf_integer(r, 1, "SID", -1));
    bool nodes = lmb_piece_is(what, "GRID"), elements = lmb_piece_is(what, "ELEM");
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (!nodes && !elements)
        return lmb_bdf_remark(r, "SET3 of %.*s not read", what.length > 20 ? 20 : what.length, what.at);
    int set = open_set(r, name, nodes ? LMB_SET_NODES : LMB_SET_ELEMENTS);
    return set < 0 ? r->scan.status : put_list(r, set, 3);
}

// pairs of grid point and components
static lmb_status put_pairs(lmb_bdf *r, int set, int i, int step) {
    for (; i < r->field_count && r->scan.status == LMB_OK; i += step) {
        if (lmb_bdf_blank(r, i)) continue;
        int label = lmb_bdf_integer(r, i, "a grid point", -1), node = lmb_bdf_grid(r, label);
        if (r->scan.status == LMB_OK && node < 0) return lmb_bdf_fail(r, "unknown grid point %d", label);
        if (node >= 0 && put(r, set, node) != LMB_OK) break;
    }
    return r->scan.status;
}

// ASET G1 C1 G2 C2 ..;  ASET1 C G1 G2 .., or G1 THRU G2
lmb_status lmb_bdf_read_aset(lmb_bdf *r) {
    int set = open_set(r, "ASET", LMB_SET_NODES);
    return set < 0 ? r->scan.status : put_pairs(r, set, 1, 2);
}
lmb_status lmb_bdf_read_aset1(lmb_bdf *r) {
    int set = open_set(r, "ASET", LMB_SET_NODES);
    return set < 0 ? r->scan.status : put_list(r, set, 2);
}

// motions of a grid point in its own axes while the support is asked for
static lmb_status hold(lmb_bdf *r, const char *support, int node, int motions) {
    lmb_motions of = {node, motions, M3_ID, 1};
    int s = lmb_mesh_add_support(r->mesh, support);
    if (s < 0) return lmb_scan_memory(&r->scan);
    lmb_status st = lmb_bdf_node_axes(&of.axes, r, node);
    if (st == LMB_OK) st = lmb_constrain_hold(r->mesh, s, &of, lmb_bdf_where(r), r->scan.err);
    if (st != LMB_OK && r->scan.status == LMB_OK) r->scan.status = st;
    return r->scan.status;
}

static int open_support(lmb_bdf *r) {
    char name[32];
    snprintf(name, sizeof name, "SPC_%d", lmb_bdf_integer(r, 1, "SID", -1));
    if (r->scan.status != LMB_OK) return -1;
    bool first = lmb_mesh_find_set(r->mesh, name, LMB_SET_NODES) < 0;
    int set = open_set(r, name, LMB_SET_NODES);
    if (set >= 0 && first)
        lmb_bdf_remark(
            r,
            "%s: supports are not applied; `limber modes --clamp %s` holds the part by them, their nodes are "
            "the set '%s'",
            r->card->keyword->name, r->mesh->sets[set].name, r->mesh->sets[set].name);
    return set;
}

// SPC SID G1 C1 D1 G2 C2 D2;  SPC1 SID C G1 G2 .., or G1 THRU G2
lmb_status lmb_bdf_read_spc(lmb_bdf *r) {
    int set = open_support(r), node;
    for (int i = 2; set >= 0 && i < r->field_count && r->scan.status == LMB_OK; i += 3) {
        int motions = lmb_bdf_components(r, i + 1, "C");
        if (lmb_bdf_blank(r, i) || lmb_bdf_find_node(&node, r, i, "G") != LMB_OK) continue;
        hold(r, r->mesh->sets[set].name, node, motions);
    }
    return set < 0 ? r->scan.status : put_pairs(r, set, 2, 3);
}
lmb_status lmb_bdf_read_spc1(lmb_bdf *r) {
    int set = open_support(r), motions = lmb_bdf_components(r, 2, "C");
    if (set < 0) return r->scan.status;
    int from = r->mesh->sets[set].count;
    put_list(r, set, 3);
    for (int i = from; r->scan.status == LMB_OK && i < r->mesh->sets[set].count; i++)
        hold(r, r->mesh->sets[set].name, r->mesh->sets[set].items[i], motions);
    return r->scan.status;
}

lmb_status lmb_bdf_finish_sets(lmb_bdf *r) {
    for (int i = 0; i < r->grid_count && r->scan.status == LMB_OK; i++) {
        r->card = r->nodes[i].card;
        if (r->nodes[i].held) hold(r, "PS", i, r->nodes[i].held);
    }
    r->card = NULL;
    if (r->scan.status != LMB_OK) return r->scan.status;
    for (int i = 0; i < r->mesh->set_count; i++) {
        const lmb_mesh_set *s = &r->mesh->sets[i];
        lmb_mesh_set_tidy(r->mesh, i);
        if (s->count > 0) continue;
        r->scan.file = s->where.file, r->scan.line = s->where.line;
        return lmb_scan_fail(&r->scan, "set '%s' is empty: none of its numbers exists; correct or delete it",
                             s->name);
    }
    return LMB_OK;
}
