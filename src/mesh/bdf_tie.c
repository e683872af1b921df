// mesh/bdf_tie.c: rigid elements and averages.  Those that can carry an interface become couplings, RBE2_7; the others equations.
#include "mesh/bdf.h"
#include "mesh/constrain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// after a function that writes its message itself
static lmb_status keep(lmb_bdf *r, lmb_status st) {
    if (st != LMB_OK && r->scan.status == LMB_OK) r->scan.status = st;
    return r->scan.status;
}

// ---- lists of motions --------------------------------------------------------------------------

// motions of a grid point in its own axes (CD), appended to the reader's list
static lmb_status add_motions(lmb_bdf *r, int node, int motions, double weight) {
    lmb_motions *all = lmb_bdf_grown(r, r->motions, &r->motion_capacity, r->motion_count, sizeof *r->motions);
    if (all == NULL) return r->scan.status;
    r->motions = all;
    lmb_motions *m = &all[r->motion_count];
    *m = (lmb_motions){node, motions, M3_ID, weight};
    if (lmb_bdf_node_axes(&m->axes, r, node) == LMB_OK) r->motion_count++;
    return r->scan.status;
}

static lmb_status add_pair(lmb_bdf *r, int field_node, int field_motions) {
    int node, motions = lmb_bdf_components(r, field_motions, "C");
    if (lmb_bdf_find_node(&node, r, field_node, "G") != LMB_OK) return r->scan.status;
    return add_motions(r, node, motions, 1);
}

// grid points that beams or shells give rotations, made when first asked for
static bool turns(lmb_bdf *r, int node) {
    const lmb_mesh *m = r->mesh;
    if (r->turning == NULL) {
        r->turning = lmb_alloc((size_t)m->node_count + 1, sizeof *r->turning);
        if (r->turning == NULL) return lmb_scan_memory(&r->scan), false;
        for (int e = 0; e < m->element_count; e++) {
            const lmb_element_ops *ops = m->elements[e].ops; // beams and shells
            for (int a = 0; a < ops->nodes; a++)
                r->turning[lmb_mesh_nodes(m, e)[a]] |=
                    ops->node_dofs == 6 && ops->stress_kind != LMB_STRESS_NONE;
        }
    }
    return r->turning[node];
}

// ---- couplings ---------------------------------------------------------------------------------

static lmb_status start(lmb_bdf *r, lmb_coupling *c, lmb_tie tie) {
    int id = lmb_bdf_integer(r, 1, "EID", -1);
    r->motion_count = 0;
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

// The motions in the list follow the reference: a coupling if all displacements do, and all rotations that there are.
static lmb_status put_rigid(lmb_bdf *r, const lmb_coupling *c) {
    bool full = true;
    for (int i = 0; i < r->motion_count; i++) {
        const lmb_motions *m = &r->motions[i];
        full = full && (m->motions & LMB_DISPLACEMENTS) == LMB_DISPLACEMENTS &&
               ((m->motions & LMB_ROTATIONS) == LMB_ROTATIONS || !turns(r, m->node));
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    for (int i = 0; i < r->motion_count && full; i++)
        if (put_node(r, c, r->motions[i].node) != LMB_OK) return r->scan.status;
    if (full) return finish(r, c);
    for (int i = 0; i < r->motion_count && r->scan.status == LMB_OK; i++) {
        put_node(r, c, r->motions[i].node);
        keep(r, lmb_constrain_rigid(r->mesh, &r->motions[i], c->node, c->where, r->scan.err));
    }
    return r->scan.status;
}

// RBE2 EID GN CM GM1 GM2 .. ALPHA
lmb_status lmb_bdf_read_rbe2(lmb_bdf *r) {
    lmb_coupling c;
    if (start(r, &c, LMB_TIE_RIGID) != LMB_OK) return r->scan.status;
    int node, held = lmb_bdf_components(r, 3, "CM");
    if (lmb_bdf_find_node(&c.node, r, 2, "GN") != LMB_OK) return r->scan.status;
    if (held == 0) return lmb_bdf_fail(r, "RBE2: CM is missing");
    for (int i = 4; i < r->field_count && r->scan.status == LMB_OK; i++) {
        if (lmb_bdf_blank(r, i) || lmb_bdf_is_real(r, i)) continue; // ALPHA: thermal expansion
        if (lmb_bdf_find_node(&node, r, i, "GM") == LMB_OK) add_motions(r, node, held, 1);
    }
    if (r->scan.status == LMB_OK && r->motion_count == 0)
        return lmb_bdf_fail(r, "%s has no grid points", c.name);
    return r->scan.status ? r->scan.status : put_rigid(r, &c);
}

// ---- bodies by any six motions -------------------------------------------------------------------

// of the list, the first `leads` define the body
static lmb_status put_frame(lmb_bdf *r, const lmb_coupling *c, int leads) {
    lmb_rigid_frame f = {leads, r->motion_count - leads, r->motions, r->motions + leads};
    for (int i = 0; i < r->motion_count; i++)
        if (put_node(r, c, r->motions[i].node) != LMB_OK) return r->scan.status;
    return keep(r, lmb_constrain_frame(r->mesh, &f, c->where, r->scan.err));
}

// RBAR EID GA GB CNA CNB CMA CMB;  RTRPLT EID GA GB GC CNA CNB CNC / CMA CMB CMC: the dependent motions are those that are
// not independent if none are given
static lmb_status read_plate(lmb_bdf *r, int nodes, int independent, int dependent) {
    lmb_coupling c;
    int node[3], leads[3], follows[3];
    bool given = false;
    if (start(r, &c, LMB_TIE_RIGID) != LMB_OK) return r->scan.status;
    for (int k = 0; k < nodes && r->scan.status == LMB_OK; k++) {
        lmb_bdf_find_node(&node[k], r, 2 + k, "G");
        leads[k] = lmb_bdf_components(r, independent + k, "CN");
        follows[k] = lmb_bdf_components(r, dependent + k, "CM");
        given = given || follows[k];
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    int first = -1, count = 0;
    for (int k = 0; k < nodes; k++) {
        if (!given) follows[k] = LMB_ALL_MOTIONS & ~leads[k];
        if (leads[k]) first = k, count++;
    }
    bool one = count == 1 && leads[first] == LMB_ALL_MOTIONS;
    for (int k = 0; k < nodes && !one; k++)
        if (leads[k]) add_motions(r, node[k], leads[k], 1);
    int leading = r->motion_count;
    for (int k = 0; k < nodes; k++)
        if (follows[k] && !(one && k == first)) add_motions(r, node[k], follows[k], 1);
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (!one) return put_frame(r, &c, leading);
    c.node = node[first];
    return put_rigid(r, &c);
}

lmb_status lmb_bdf_read_rbar(lmb_bdf *r) { return read_plate(r, 2, 4, 6); }
lmb_status lmb_bdf_read_rtrplt(lmb_bdf *r) { return read_plate(r, 3, 5, 9); }

// RBAR1 EID GA GB CB
lmb_status lmb_bdf_read_rbar1(lmb_bdf *r) {
    lmb_coupling c;
    int node, held;
    if (start(r, &c, LMB_TIE_RIGID) != LMB_OK || lmb_bdf_find_node(&c.node, r, 2, "GA") != LMB_OK ||
        lmb_bdf_find_node(&node, r, 3, "GB") != LMB_OK)
        return r->scan.status;
    held = lmb_bdf_components(r, 4, "CB");
    add_motions(r, node, held ? held : LMB_ALL_MOTIONS, 1);
    return r->scan.status ? r->scan.status : put_rigid(r, &c);
}

// RBE1 EID GN1 CN1 GN2 CN2 GN3 CN3 / - GN4 CN4 .. / UM GM1 CM1 ..
lmb_status lmb_bdf_read_rbe1(lmb_bdf *r) {
    lmb_coupling c;
    int leads = -1;
    if (start(r, &c, LMB_TIE_RIGID) != LMB_OK) return r->scan.status;
    for (int i = 2; i < r->field_count && r->scan.status == LMB_OK; i++) {
        if (lmb_piece_is(lmb_bdf_field(r, i), "UM")) leads = r->motion_count;
        else if (!lmb_bdf_blank(r, i) && !lmb_bdf_is_real(r, i)) add_pair(r, i, i + 1), i++;
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (leads < 0) return lmb_bdf_fail(r, "RBE1: UM, which begins the dependent components, is missing");
    return put_frame(r, &c, leads);
}

// RROD EID GA GB CMA CMB: their distance stays
lmb_status lmb_bdf_read_rrod(lmb_bdf *r) {
    int a, b;
    if (lmb_bdf_find_node(&a, r, 2, "GA") != LMB_OK || lmb_bdf_find_node(&b, r, 3, "GB") != LMB_OK)
        return r->scan.status;
    return keep(r, lmb_constrain_link(r->mesh, a, b, lmb_bdf_where(r), r->scan.err));
}

// ---- RBE3 --------------------------------------------------------------------------------------

// groups WT C G1 G2 .. from field 5 on, to UM or ALPHA: a number with a point begins the next.  UM only chooses which motions are
// eliminated.
static lmb_status read_groups(lmb_bdf *r) {
    double weight = NAN;
    int node, motions = 0;
    for (int i = 5; i < r->field_count && r->scan.status == LMB_OK; i++) {
        lmb_piece f = lmb_bdf_field(r, i);
        if (lmb_piece_is(f, "UM") || lmb_piece_is(f, "ALPHA")) break;
        if (f.length == 0) continue;
        if (!lmb_bdf_is_real(r, i)) {
            if (isnan(weight))
                return lmb_bdf_fail(r, "RBE3: a weight (with a decimal point) must come first");
            if (lmb_bdf_find_node(&node, r, i, "G") == LMB_OK) add_motions(r, node, motions, weight);
            continue;
        }
        weight = lmb_bdf_real(r, i, "WT", 0), motions = lmb_bdf_components(r, ++i, "C");
        if (r->scan.status == LMB_OK && !(weight > 0))
            return lmb_bdf_fail(r, "RBE3: the weights must be positive");
        if (r->scan.status == LMB_OK && motions == 0)
            return lmb_bdf_fail(r, "RBE3: C is missing after a weight");
    }
    return r->scan.status;
}

static int by_node(const void *a, const void *b) {
    const lmb_motions *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

// the average of displacements over a set; weights of a node that is named twice add up
static lmb_status put_average(lmb_bdf *r, lmb_coupling *c) {
    lmb_motions *m = r->motions;
    size_t n = (size_t)r->motion_count;
    int *nodes = lmb_arena_get(r->mesh->arena, n + 1, sizeof *nodes), count = 0;
    double *weights = lmb_arena_get(r->mesh->arena, n + 1, sizeof *weights);
    if (nodes == NULL || weights == NULL) return lmb_scan_memory(&r->scan);
    qsort(m, n, sizeof *m, by_node);
    bool alike = true;
    for (size_t i = 0; i < n; i++) {
        bool again = count > 0 && nodes[count - 1] == m[i].node;
        if (!again) nodes[count] = m[i].node, weights[count++] = 0;
        weights[count - 1] += m[i].weight;
        if (put_node(r, c, m[i].node) != LMB_OK) return r->scan.status;
    }
    for (int i = 0; i < count; i++) alike = alike && weights[i] == weights[0];
    if (!alike) c->weight_count = count, c->weighted = nodes, c->weights = weights;
    return finish(r, c);
}

static bool is_plain(lmb_bdf *r, int reference, int held) {
    bool plain = (held & LMB_DISPLACEMENTS) == LMB_DISPLACEMENTS &&
                 ((held & LMB_ROTATIONS) == LMB_ROTATIONS || !turns(r, reference));
    for (int i = 0; i < r->motion_count; i++) plain = plain && r->motions[i].motions == LMB_DISPLACEMENTS;
    return plain;
}

// RBE3 EID - REFGRID REFC WT1 C1 G1,1 G1,2 .. WT2 C2 .. UM .. ALPHA ..
lmb_status lmb_bdf_read_rbe3(lmb_bdf *r) {
    lmb_coupling c;
    if (start(r, &c, LMB_TIE_AVERAGE) != LMB_OK) return r->scan.status;
    int held = lmb_bdf_components(r, 4, "REFC");
    if (lmb_bdf_find_node(&c.node, r, 3, "REFGRID") != LMB_OK || read_groups(r) != LMB_OK)
        return r->scan.status;
    if (held == 0) return lmb_bdf_fail(r, "RBE3: REFC is missing");
    if (r->motion_count == 0) return lmb_bdf_fail(r, "%s has no grid points", c.name);
    int *nodes = lmb_alloc((size_t)r->motion_count + 1, sizeof *nodes);
    if (nodes == NULL) return lmb_scan_memory(&r->scan);
    for (int i = 0; i < r->motion_count; i++) nodes[i] = r->motions[i].node;
    bool plain = is_plain(r, c.node, held) && lmb_nodes_out_of_line(r->mesh, nodes, r->motion_count);
    lmb_free(nodes);
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (plain) return put_average(r, &c);
    lmb_motions to = {c.node, held, M3_ID, 1};
    if (lmb_bdf_node_axes(&to.axes, r, c.node) != LMB_OK) return r->scan.status;
    for (int i = 0; i < r->motion_count; i++)
        if (put_node(r, &c, r->motions[i].node) != LMB_OK) return r->scan.status;
    return keep(r, lmb_constrain_average(r->mesh, &to, r->motions, r->motion_count, c.where, r->scan.err));
}

// ---- MPC ---------------------------------------------------------------------------------------

// Which set of equations is used: that of the case control; else the only one.  MPCADD SID S1 S2 .. stands for others.
static bool is_chosen(const lmb_bdf *r, int id) {
    for (int i = 0; i < r->mpc_count; i++)
        if (r->mpcs[i] == id) return true;
    return false;
}

static lmb_status choose(lmb_bdf *r, int id) {
    if (r->mpc_count == LMB_BDF_MPCS)
        return lmb_bdf_fail(r, "more than %d sets of MPC are not supported", LMB_BDF_MPCS);
    if (!is_chosen(r, id)) r->mpcs[r->mpc_count++] = id;
    return LMB_OK;
}

// phase before: collects the sets
lmb_status lmb_bdf_read_mpcadd(lmb_bdf *r) {
    int id = lmb_bdf_integer(r, 1, "SID", -1);
    if (r->scan.status != LMB_OK || r->mpc_wanted != id) return r->scan.status;
    for (int i = 2; i < r->field_count && r->scan.status == LMB_OK; i++)
        if (!lmb_bdf_blank(r, i)) choose(r, lmb_bdf_integer(r, i, "S", -1));
    return r->scan.status;
}

static lmb_status mpc_term(lmb_bdf *r, int i) {
    int node, motions = lmb_bdf_components(r, i + 1, "C"), motion = 0;
    double factor = lmb_bdf_real(r, i + 2, "A", 0);
    mat3 axes;
    if (lmb_bdf_find_node(&node, r, i, "G") != LMB_OK || lmb_bdf_node_axes(&axes, r, node) != LMB_OK)
        return r->scan.status;
    while (motion < 6 && motions != 1 << motion) motion++;
    if (motion == 6) return lmb_bdf_fail(r, "MPC: C must be one component from 1 to 6");
    bool ok = lmb_constrain_add(r->mesh, node, motion / 3, v3_scale(factor, m3_column(&axes, motion % 3)));
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

// MPC SID G1 C1 A1 G2 C2 A2 - / - G3 C3 A3 ..
lmb_status lmb_bdf_read_mpc(lmb_bdf *r) {
    int id = lmb_bdf_integer(r, 1, "SID", -1);
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (r->mpc_wanted < 0 && r->mpc_count == 0) choose(r, id);
    if (r->mpc_wanted < 0 && !is_chosen(r, id))
        return lmb_bdf_fail(
            r, "MPC: the deck has sets %d and %d of equations; choose one with MPC = %d in the case control",
            r->mpcs[0], id, r->mpcs[0]);
    if (!is_chosen(r, id) && r->mpc_wanted != id) {
        bool said = r->remarks & LMB_BDF_SAID_MPC;
        r->remarks |= LMB_BDF_SAID_MPC;
        return said ? LMB_OK
                    : lmb_bdf_remark(r, "MPC: sets that the case control does not choose are left out");
    }
    if (lmb_mesh_add_equation(r->mesh, lmb_bdf_where(r)) < 0) return lmb_scan_memory(&r->scan);
    for (int i = 2; i < r->field_count && r->scan.status == LMB_OK; i += i % 8 == 2 ? 3 : 5)
        if (!lmb_bdf_blank(r, i)) mpc_term(r, i);
    return r->scan.status;
}
