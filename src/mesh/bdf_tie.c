// mesh/bdf_tie.c: rigid elements.  Each becomes a coupling, RBE2_7, and with it an interface of the part.
#include "mesh/bdf.h"

#include <math.h>
#include <stdio.h>

enum { DISPLACEMENTS = 7, ALL = 63 };

static lmb_status start(lmb_bdf *r, lmb_coupling *c, lmb_tie tie) {
    int id = lmb_bdf_integer(r, 1, "EID", -1);
    if (r->scan.status != LMB_OK) return r->scan.status;
    const char *name = lmb_arena_printf(r->mesh->arena, "%s_%d", r->card->keyword->name, id);
    if (name == NULL) return lmb_scan_memory(&r->scan);
    *c = (lmb_coupling){.name = name, .tie = tie, .where = lmb_bdf_where(r)};
    if (lmb_mesh_find_set(r->mesh, name, LMB_SET_NODES) >= 0)
        return lmb_bdf_fail(r, "duplicate element %d", id);
    c->set = lmb_mesh_add_set(r->mesh, name, LMB_SET_NODES, c->where);
    return c->set >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status put_node(lmb_bdf *r, const lmb_coupling *c, int node) {
    return lmb_mesh_set_add(r->mesh, c->set, node) ? LMB_OK : lmb_scan_memory(&r->scan);
}

// a rigid element of the same reference before it: both are one rigid body
static const lmb_coupling *same_body(const lmb_bdf *r, const lmb_coupling *c) {
    for (int i = 0; i < r->mesh->coupling_count; i++) {
        const lmb_coupling *o = &r->mesh->couplings[i];
        if (c->tie == LMB_TIE_RIGID && o->tie == c->tie && o->node == c->node) return o;
    }
    return NULL;
}

static lmb_status merge(lmb_bdf *r, const lmb_coupling *first, const lmb_coupling *c) {
    for (int i = 0; i < r->mesh->sets[c->set].count; i++)
        if (put_node(r, first, r->mesh->sets[c->set].items[i]) != LMB_OK) return r->scan.status;
    return lmb_bdf_remark(r, "%s has the same reference as %s and is part of it", c->name, first->name);
}

static lmb_status finish(lmb_bdf *r, const lmb_coupling *c) {
    if (r->mesh->sets[c->set].count == 0) return lmb_bdf_fail(r, "%s has no grid points", c->name);
    const lmb_coupling *first = same_body(r, c);
    if (first) return merge(r, first, c);
    return lmb_mesh_add_coupling(r->mesh, c) >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status all_displacements(lmb_bdf *r, int bits, const char *name) {
    if ((bits & DISPLACEMENTS) == DISPLACEMENTS) return LMB_OK;
    return lmb_bdf_fail(r,
                        "%s: %s must hold all displacements (123 or 123456); single components are not "
                        "supported",
                        r->card->keyword->name, name);
}

// RBE2 EID GN CM GM1 GM2 .. ALPHA
lmb_status lmb_bdf_read_rbe2(lmb_bdf *r) {
    lmb_coupling c;
    if (start(r, &c, LMB_TIE_RIGID) != LMB_OK) return r->scan.status;
    int node, held = lmb_bdf_components(r, 3, "CM");
    if (lmb_bdf_find_node(&c.node, r, 2, "GN") != LMB_OK || all_displacements(r, held, "CM") != LMB_OK)
        return r->scan.status;
    for (int i = 4; i < r->field_count && r->scan.status == LMB_OK; i++) {
        if (lmb_bdf_blank(r, i) || lmb_bdf_is_real(r, i)) continue; // ALPHA: thermal expansion
        if (lmb_bdf_find_node(&node, r, i, "GM") == LMB_OK) put_node(r, &c, node);
    }
    return r->scan.status ? r->scan.status : finish(r, &c);
}

// RBAR EID GA GB CNA CNB CMA CMB: all of one end is independent, the other follows
lmb_status lmb_bdf_read_rbar(lmb_bdf *r) {
    lmb_coupling c;
    if (start(r, &c, LMB_TIE_RIGID) != LMB_OK) return r->scan.status;
    int na = lmb_bdf_components(r, 4, "CNA"), nb = lmb_bdf_components(r, 5, "CNB"),
        ma = lmb_bdf_components(r, 6, "CMA"), mb = lmb_bdf_components(r, 7, "CMB");
    bool from_a = na == ALL && nb == 0, from_b = nb == ALL && na == 0;
    int follows = from_a ? mb : ma, other, nodes[2];
    for (int k = 0; k < 2 && r->scan.status == LMB_OK; k++)
        lmb_bdf_find_node(&nodes[k], r, 2 + k, k ? "GB" : "GA");
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (!from_a && !from_b)
        return lmb_bdf_fail(r,
                            "RBAR: one end must have all six independent components (CNA or CNB = 123456)");
    if (follows != 0 && all_displacements(r, follows, from_a ? "CMB" : "CMA") != LMB_OK)
        return r->scan.status;
    c.node = nodes[from_b], other = nodes[from_a];
    return put_node(r, &c, other) == LMB_OK ? finish(r, &c) : r->scan.status;
}

// ---- RBE3 --------------------------------------------------------------------------------------

// the words that end the list of weights
static bool is_end(lmb_piece p) { return lmb_piece_is(p, "UM") || lmb_piece_is(p, "ALPHA"); }

// groups WT C G1 G2 .. from field 5 on: a number with a point begins the next
static lmb_status read_groups(lmb_bdf *r, const lmb_coupling *c) {
    double first = NAN;
    int node;
    for (int i = 5; i < r->field_count && r->scan.status == LMB_OK; i++) {
        lmb_piece f = lmb_bdf_field(r, i);
        if (lmb_piece_is(f, "UM"))
            return lmb_bdf_fail(r,
                                "RBE3: UM is not supported; leave the dependent components at the reference");
        if (is_end(f)) break;
        if (f.length == 0) continue;
        if (!lmb_bdf_is_real(r, i)) {
            if (isnan(first)) return lmb_bdf_fail(r, "RBE3: a weight (with a decimal point) must come first");
            if (lmb_bdf_find_node(&node, r, i, "G") == LMB_OK) put_node(r, c, node);
            continue;
        }
        double weight = lmb_bdf_real(r, i, "WT", 0);
        if (isnan(first)) first = weight;
        if (!(weight > 0) || weight != first)
            return lmb_bdf_fail(
                r, "RBE3: the weights must be positive and all the same; different weights are not "
                   "supported");
        if (lmb_bdf_components(r, ++i, "C") != DISPLACEMENTS && r->scan.status == LMB_OK)
            return lmb_bdf_fail(r,
                                "RBE3: C must be 123; other components of the grid points are not supported");
    }
    return r->scan.status;
}

// RBE3 EID - REFGRID REFC WT1 C1 G1,1 G1,2 .. WT2 C2 .. UM .. ALPHA ..
lmb_status lmb_bdf_read_rbe3(lmb_bdf *r) {
    lmb_coupling c;
    if (start(r, &c, LMB_TIE_AVERAGE) != LMB_OK) return r->scan.status;
    int held = lmb_bdf_components(r, 4, "REFC");
    if (lmb_bdf_find_node(&c.node, r, 3, "REFGRID") != LMB_OK ||
        all_displacements(r, held, "REFC") != LMB_OK || read_groups(r, &c) != LMB_OK)
        return r->scan.status;
    return finish(r, &c);
}
