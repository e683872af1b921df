// mesh/inp_tie.c: *SURFACE, *TIE, *RIGID BODY, *COUPLING, *KINEMATIC COUPLING.
#include "mesh/inp.h"

#include <stdio.h>
#include <string.h>

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// ---- surfaces ----------------------------------------------------------------------------------

// Corners of the faces S1, S2, ... as bits, after the manual of Abaqus (CalculiX numbers the same way).
#define N3(a, b, c) (1 << (a) | 1 << (b) | 1 << (c))
#define N4(a, b, c, d) (N3(a, b, c) | 1 << (d))
static const int tet_faces[] = {N3(0, 1, 2), N3(0, 3, 1), N3(1, 3, 2), N3(2, 3, 0)};
static const int hex_faces[] = {N4(0, 1, 2, 3), N4(4, 7, 6, 5), N4(0, 4, 5, 1),
                                N4(1, 5, 6, 2), N4(2, 6, 7, 3), N4(3, 7, 4, 0)};
static const int wedge_faces[] = {N3(0, 1, 2), N3(3, 5, 4), N4(0, 3, 4, 1), N4(1, 4, 5, 2), N4(2, 5, 3, 0)};

// our number of face S`number` of a solid, -1: none
static int solid_face(const lmb_element_ops *ops, int number) {
    const int *faces = ops->faces == 4 ? tet_faces : ops->faces == 5 ? wedge_faces : hex_faces;
    for (int f = 0; number >= 1 && number <= ops->faces && f < ops->faces; f++) {
        int corners = 0;
        for (int i = 1; i <= lmb_face_corners(ops->face_nodes[f]); i++) corners |= 1 << ops->face_nodes[f][i];
        if (corners == faces[number - 1]) return f;
    }
    return -1;
}

// S1 .. S6 of solids; SPOS (CalculiX: S2) and SNEG (S1) of shells
static int face_of(const lmb_element_ops *ops, lmb_piece word) {
    int number = 0;
    bool s = word.length == 2 && (word.at[0] == 'S' || word.at[0] == 's');
    if (s) number = word.at[1] - '0';
    if (ops->stress_kind == LMB_STRESS_SOLID) return s ? solid_face(ops, number) : -1;
    if (ops->stress_kind != LMB_STRESS_SHELL) return -1;
    if (lmb_piece_is(word, "SPOS") || (s && number == 2)) return 0;
    if (lmb_piece_is(word, "SNEG") || (s && number == 1)) return 1;
    return -1;
}

static lmb_status put(lmb_inp *r, int set, int item) {
    return lmb_mesh_set_add(r->mesh, set, item) ? LMB_OK : lmb_scan_memory(&r->scan);
}

// no face is named: those that belong to one element only
static lmb_status add_outer(lmb_inp *r, int set, int element) {
    lmb_status status = LMB_OK;
    const lmb_element_ops *ops = r->mesh->elements[element].ops;
    if (ops->stress_kind != LMB_STRESS_SOLID)
        return lmb_scan_fail(&r->scan, "a surface on element %d (%s) needs a face: SPOS or SNEG",
                             r->mesh->elements[element].label, ops->name);
    if (!r->have_faces) {
        status = lmb_faces_create(&r->faces, r->mesh, r->scan.err);
        if (status != LMB_OK) return r->scan.status = status;
        r->have_faces = true;
    }
    for (int f = 0; f < ops->faces && status == LMB_OK; f++) {
        int face = lmb_faces_find_item(&r->faces, 8 * element + f);
        if (face >= 0 && !r->faces.paired[face]) status = put(r, set, 8 * element + f);
    }
    return status;
}

static lmb_status add_faces(lmb_inp *r, int set, int members, lmb_piece word) {
    lmb_status status = LMB_OK;
    for (int i = 0; i < r->mesh->sets[members].count && status == LMB_OK; i++) {
        int element = r->mesh->sets[members].items[i];
        const lmb_mesh_element *e = &r->mesh->elements[element];
        int face = word.length > 0 ? face_of(e->ops, word) : -1;
        if (word.length == 0) status = add_outer(r, set, element);
        else if (face >= 0) status = put(r, set, 8 * element + face);
        else
            return lmb_scan_fail(&r->scan, "element %d (%s) has no face '%.*s'", e->label, e->ops->name,
                                 shown(word), word.at);
    }
    return status;
}

// a line of *SURFACE: element or element set, face
static lmb_status surface_row(lmb_inp *r, int set, lmb_piece row) {
    lmb_piece what = lmb_piece_cut(&row, ','), face = lmb_piece_cut(&row, ',');
    if (what.length == 0) return lmb_scan_fail(&r->scan, "an element or an element set is missing");
    // its members, in a set that lives for this line only
    lmb_mesh *m = r->mesh;
    int members = lmb_mesh_add_set(m, " *SURFACE", LMB_SET_ELEMENTS, LMB_NOWHERE);
    if (members < 0) return lmb_scan_memory(&r->scan);
    lmb_status status = lmb_inp_add_member(r, members, what);
    if (status == LMB_OK) status = add_faces(r, set, members, face);
    lmb_free(m->sets[members].items);
    m->set_count = members;
    return status;
}

lmb_status lmb_inp_read_surface(lmb_inp *r) {
    lmb_piece row, type = lmb_inp_get(r, "TYPE"), name = lmb_inp_get(r, "NAME");
    bool nodes = lmb_piece_is(type, "NODE");
    if (type.length > 0 && !nodes && !lmb_piece_is(type, "ELEMENT"))
        return lmb_inp_remark(r, r->card->line, "*SURFACE, TYPE=%.*s", shown(type), type.at);
    int set = lmb_inp_add_set(r, name, nodes ? LMB_SET_NODES : LMB_SET_FACES);
    lmb_status status = r->scan.status;
    while (status == LMB_OK && lmb_inp_row(&row, r))
        status = nodes ? lmb_inp_add_member(r, set, lmb_piece_cut(&row, ',')) : surface_row(r, set, row);
    return status;
}

// ---- ties --------------------------------------------------------------------------------------

// the nodes of a surface
static lmb_status surface_nodes(lmb_inp *r, lmb_piece name, int **nodes, int *count) {
    int set = lmb_inp_find_set(r, name, LMB_SET_FACES);
    if (set < 0) set = lmb_inp_find_set(r, name, LMB_SET_NODES);
    if (set < 0) return lmb_inp_fail(r, "unknown surface '%.*s'", shown(name), name.at);
    lmb_status st = lmb_mesh_set_nodes(nodes, count, r->mesh, set, r->scan.err);
    return st == LMB_OK ? st : (r->scan.status = st);
}

static lmb_status tell_glue(lmb_inp *r, const lmb_glue *g) {
    int line = r->card->line;
    if (g->glued == 0)
        return lmb_inp_fail(
            r,
            "*TIE: none of its %d nodes lies within %g of the master surface (the nearest, %d, is %g away); "
            "increase POSITION TOLERANCE",
            g->node_count, g->tolerance, g->nearest_node < 0 ? 0 : r->mesh->label[g->nearest_node],
            g->nearest);
    if (g->moved > 0 &&
        lmb_inp_remark(r, line, "*TIE moves nodes onto the master surface, by up to %g", g->moved) != LMB_OK)
        return r->scan.status;
    if (g->far == 0) return LMB_OK;
    return lmb_inp_remark(r, line, "*TIE: %d of %d nodes are too far from the master surface and not tied",
                          g->far, g->node_count);
}

static lmb_status tie_surfaces(lmb_inp *r, lmb_glue *g, lmb_piece slave, lmb_piece master) {
    int *nodes = NULL;
    g->faces = lmb_inp_find_set(r, master, LMB_SET_FACES);
    if (g->faces < 0)
        return lmb_inp_fail(r, "*TIE: '%.*s' is not a surface of element faces; a master surface must be",
                            shown(master), master.at);
    if (surface_nodes(r, slave, &nodes, &g->node_count) != LMB_OK) return r->scan.status;
    g->nodes = nodes;
    lmb_status st = lmb_constrain_glue(g, r->mesh, r->scan.err);
    lmb_free(nodes), g->nodes = NULL;
    if (st != LMB_OK) return r->scan.status = st;
    return tell_glue(r, g);
}

// lines: slave, master
lmb_status lmb_inp_read_tie(lmb_inp *r) {
    lmb_piece row, adjust = lmb_inp_get(r, "ADJUST"), tolerance = lmb_inp_get(r, "POSITIONTOLERANCE");
    lmb_glue g = {.tolerance = -1, .adjust = !lmb_piece_is(adjust, "NO"), .where = lmb_inp_where(r)};
    if (lmb_inp_has(r, "CYCLICSYMMETRY") || lmb_inp_has(r, "MULTISTAGE"))
        return lmb_inp_fail(
            r, "*TIE, CYCLIC SYMMETRY makes a part of a sector, which is not supported; mesh the whole part");
    if (lmb_inp_has(r, "TIEDNSET"))
        return lmb_inp_fail(r, "*TIE, TIED NSET is not supported; tie surfaces of all its nodes");
    if (tolerance.length > 0 && (!lmb_piece_number(&g.tolerance, tolerance) || !(g.tolerance >= 0)))
        return lmb_inp_fail(r, "*TIE, POSITION TOLERANCE=%.*s is not a distance", shown(tolerance),
                            tolerance.at);
    while (r->scan.status == LMB_OK && lmb_inp_row(&row, r)) {
        lmb_piece slave = lmb_piece_cut(&row, ',');
        lmb_glue one = g;
        tie_surfaces(r, &one, slave, lmb_piece_cut(&row, ','));
    }
    return r->scan.status;
}

// ---- couplings ---------------------------------------------------------------------------------

static lmb_status add_coupling(lmb_inp *r, const lmb_coupling *c) {
    return lmb_mesh_add_coupling(r->mesh, c) >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status start_coupling(lmb_inp *r, lmb_coupling *c, const char *name) {
    lmb_piece node = lmb_inp_get(r, "REFNODE");
    *c = (lmb_coupling){.name = name, .set = -1, .where = lmb_inp_where(r)};
    if (node.length == 0) return lmb_inp_fail(r, "*%s needs a REF NODE", r->card->keyword->name);
    return lmb_inp_find_node(r, &c->node, node);
}

// a node set of the reader's own
static int own_set(lmb_inp *r, const char *kind) {
    const char *full = lmb_arena_printf(r->mesh->arena, "%s %d", kind, r->mesh->set_count + 1);
    int set = full ? lmb_mesh_add_set(r->mesh, full, LMB_SET_NODES, lmb_inp_where(r)) : -1;
    if (set < 0) lmb_scan_memory(&r->scan);
    return set;
}

static lmb_status put_nodes_of(lmb_inp *r, int set, lmb_piece name, lmb_set_kind kind) {
    int other = lmb_inp_find_set(r, name, kind), *nodes = NULL, count = 0;
    if (other < 0) return lmb_inp_fail(r, "unknown set '%.*s'", shown(name), name.at);
    lmb_status st = lmb_mesh_set_nodes(&nodes, &count, r->mesh, other, r->scan.err);
    if (st != LMB_OK) return r->scan.status = st;
    for (int i = 0; i < count && st == LMB_OK; i++) st = put(r, set, nodes[i]);
    lmb_free(nodes);
    return st;
}

// a reference node of its own in the middle of its nodes
static lmb_status own_reference(lmb_inp *r, lmb_coupling *c) {
    const lmb_mesh_set *s = &r->mesh->sets[c->set];
    vec3 x = V3_ZERO;
    int label = 0;
    for (int i = 0; i < s->count; i++) x = v3_madd(x, 1.0 / s->count, r->mesh->x[s->items[i]]);
    for (int i = 0; i < r->mesh->node_count; i++)
        label = r->mesh->label[i] > label ? r->mesh->label[i] : label;
    c->node = label < 2000000000 ? lmb_mesh_add_node(r->mesh, label + 1, x) : -1;
    return c->node >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

// The translations of a ROT NODE are the rotations of the reference: they matter where supports hold it.
static lmb_status put_rotation_node(lmb_inp *r, int reference) {
    int node, support;
    if (lmb_inp_find_node(r, &node, lmb_inp_get(r, "ROTNODE")) != LMB_OK) return r->scan.status;
    if (node == reference || !lmb_inp_has_card(r, "BOUNDARY")) return LMB_OK;
    support = lmb_mesh_add_support(r->mesh, "BOUNDARY");
    for (int k = 0; k < 3; k++) {
        int equation = support < 0 ? -1 : lmb_mesh_add_equation(r->mesh, lmb_inp_where(r));
        if (equation < 0 || lmb_mesh_add_term(r->mesh, node, k, 1) < 0 ||
            lmb_mesh_add_term(r->mesh, reference, 3 + k, -1) < 0)
            return lmb_scan_memory(&r->scan);
        r->mesh->equations[equation].support = support + 1;
    }
    return LMB_OK;
}

lmb_status lmb_inp_read_rigid_body(lmb_inp *r) {
    static const char *const names[] = {"NSET", "TIENSET", "PINNSET", "ELSET"};
    lmb_coupling c = {.name = "rigid body", .where = lmb_inp_where(r)};
    bool any = false;
    c.set = own_set(r, "rigid");
    for (int i = 0; i < LMB_COUNT(names) && r->scan.status == LMB_OK; i++) {
        lmb_piece name = lmb_inp_get(r, names[i]);
        any = any || name.length > 0;
        if (name.length > 0) put_nodes_of(r, c.set, name, i == 3 ? LMB_SET_ELEMENTS : LMB_SET_NODES);
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (!any) return lmb_inp_fail(r, "*RIGID BODY needs NSET, TIE NSET, PIN NSET or ELSET");
    lmb_mesh_set_tidy(r->mesh, c.set);
    if (lmb_inp_get(r, "PINNSET").length > 0)
        lmb_inp_remark(r, r->card->line, "*RIGID BODY, PIN NSET: rotations of its nodes follow, too");
    lmb_piece node = lmb_inp_get(r, "REFNODE");
    if (node.length > 0 ? lmb_inp_find_node(r, &c.node, node) : own_reference(r, &c)) return r->scan.status;
    if (lmb_inp_has(r, "ROTNODE") && put_rotation_node(r, c.node) != LMB_OK) return r->scan.status;
    return add_coupling(r, &c);
}

lmb_status lmb_inp_finish_coupling(lmb_inp *r) {
    if (!r->coupling_waits) return LMB_OK;
    r->card = NULL;
    r->scan.line = r->coupling.where.line, r->scan.file = r->coupling.where.file;
    return lmb_scan_fail(&r->scan, "*COUPLING must be followed by *KINEMATIC or *DISTRIBUTING");
}

lmb_status lmb_inp_read_coupling(lmb_inp *r) {
    lmb_piece surface = lmb_inp_get(r, "SURFACE"), name = lmb_inp_get(r, "CONSTRAINTNAME");
    if (lmb_inp_finish_coupling(r) != LMB_OK) return r->scan.status;
    const char *kept = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    if (kept == NULL) return lmb_scan_memory(&r->scan);
    if (start_coupling(r, &r->coupling, *kept ? kept : "coupling") != LMB_OK) return r->scan.status;
    r->coupling.set = lmb_inp_find_set(r, surface, LMB_SET_FACES);
    if (r->coupling.set < 0) r->coupling.set = lmb_inp_find_set(r, surface, LMB_SET_NODES);
    if (r->coupling.set < 0)
        return lmb_inp_fail(r, "*COUPLING: unknown surface '%.*s'", shown(surface), surface.at);
    if (lmb_inp_has(r, "INFLUENCERADIUS"))
        return lmb_inp_fail(r, "*COUPLING, INFLUENCE RADIUS is not supported; make a surface of those nodes");
    r->coupling_waits = true, r->coupling_oriented = lmb_inp_has(r, "ORIENTATION");
    return LMB_OK;
}

// lines `first, last` of motions; none: all.  bits of what is held
static lmb_status motions_row(lmb_inp *r, lmb_piece row, int *held) {
    double v[2];
    int count;
    if (lmb_inp_numbers(r, row, v, 2, &count) != LMB_OK) return r->scan.status;
    if (count < 2 || v[1] == 0) v[1] = v[0];
    if (!(v[0] >= 1 && v[0] <= v[1] && v[1] <= 6))
        return lmb_scan_fail(&r->scan, "degrees of freedom are given as first, last, each from 1 to 6");
    for (int k = (int)v[0]; k <= (int)v[1]; k++) *held |= 1 << (k - 1);
    return LMB_OK;
}

static lmb_status keep(lmb_inp *r, lmb_status st) {
    if (st != LMB_OK && r->scan.status == LMB_OK) r->scan.status = st;
    return st;
}

// Full couplings may be interfaces; of single motions, equations.
static lmb_status put_coupling(lmb_inp *r, const lmb_coupling *c, int held) {
    int *nodes = NULL, count = 0;
    if (held == 0) held = LMB_ALL_MOTIONS;
    if ((held & LMB_DISPLACEMENTS) == LMB_DISPLACEMENTS) {
        lmb_mesh_set_tidy(r->mesh, c->set);
        return add_coupling(r, c);
    }
    keep(r, lmb_mesh_set_nodes(&nodes, &count, r->mesh, c->set, r->scan.err));
    for (int i = 0; i < count && r->scan.status == LMB_OK; i++) {
        lmb_motions of = {nodes[i], held, M3_ID, 1};
        if (lmb_inp_node_axes(&of.axes, r, nodes[i]) == LMB_OK)
            keep(r, lmb_constrain_rigid(r->mesh, &of, c->node, c->where, r->scan.err));
    }
    lmb_free(nodes);
    return r->scan.status;
}

static lmb_status take_coupling(lmb_inp *r, int *held) {
    lmb_piece row;
    *held = 0;
    if (!r->coupling_waits) return lmb_inp_fail(r, "*%s must follow a *COUPLING", r->card->keyword->name);
    r->coupling_waits = false;
    while (lmb_inp_row(&row, r))
        if (motions_row(r, row, held) != LMB_OK) return r->scan.status;
    if (r->coupling_oriented && *held != 0 && (*held & LMB_DISPLACEMENTS) != LMB_DISPLACEMENTS)
        return lmb_inp_fail(r, "*COUPLING, ORIENTATION with single motions is not supported; use *TRANSFORM");
    return r->scan.status;
}

lmb_status lmb_inp_read_kinematic(lmb_inp *r) {
    int held;
    if (take_coupling(r, &held) != LMB_OK) return r->scan.status;
    return put_coupling(r, &r->coupling, held);
}

// motions of the reference that follow the average; the nodes are free to strain in any case
static lmb_status put_average(lmb_inp *r, const lmb_coupling *c, int held) {
    int *nodes = NULL, count = 0;
    if (held == 0 || (held & LMB_DISPLACEMENTS) == LMB_DISPLACEMENTS) return add_coupling(r, c);
    keep(r, lmb_mesh_set_nodes(&nodes, &count, r->mesh, c->set, r->scan.err));
    lmb_motions *all = lmb_alloc((size_t)count + 1, sizeof *all), to = {c->node, held, M3_ID, 1};
    if (all == NULL) lmb_scan_memory(&r->scan);
    for (int i = 0; all && i < count; i++) all[i] = (lmb_motions){nodes[i], LMB_DISPLACEMENTS, M3_ID, 1};
    if (r->scan.status == LMB_OK)
        keep(r, lmb_constrain_average(r->mesh, &to, all, count, c->where, r->scan.err));
    lmb_free(nodes), lmb_free(all);
    return r->scan.status;
}

lmb_status lmb_inp_read_distributing(lmb_inp *r) {
    int held;
    lmb_piece method = lmb_inp_get(r, "WEIGHTINGMETHOD");
    if (method.length > 0 && !lmb_piece_is(method, "UNIFORM"))
        return lmb_inp_fail(r, "*DISTRIBUTING, WEIGHTING METHOD=%.*s: only UNIFORM is supported",
                            shown(method), method.at);
    if (take_coupling(r, &held) != LMB_OK) return r->scan.status;
    r->coupling.tie = LMB_TIE_AVERAGE;
    return put_average(r, &r->coupling, held);
}

// lines: node or node set, first motion, last motion; those of equal motions are one coupling
lmb_status lmb_inp_read_kinematic_coupling(lmb_inp *r) {
    lmb_coupling c;
    lmb_piece row;
    int before = -1;
    if (start_coupling(r, &c, "kinematic coupling") != LMB_OK) return r->scan.status;
    while (r->scan.status == LMB_OK && lmb_inp_row(&row, r)) {
        int held = 0;
        lmb_piece what = lmb_piece_cut(&row, ',');
        if (row.length > 0) motions_row(r, row, &held);
        if (held == 0) held = LMB_ALL_MOTIONS;
        if (r->scan.status == LMB_OK && held != before) {
            if (before >= 0) put_coupling(r, &c, before);
            c.set = own_set(r, "kinematic coupling");
        }
        before = held;
        if (r->scan.status == LMB_OK) lmb_inp_add_member(r, c.set, what);
    }
    return r->scan.status == LMB_OK && before >= 0 ? put_coupling(r, &c, before) : r->scan.status;
}

// the weights of a coupling by node, ascending
static lmb_status take_weights(lmb_inp *r, lmb_coupling *c, const double *weight) {
    const lmb_mesh_set *s = &r->mesh->sets[c->set];
    int *nodes = lmb_arena_get(r->mesh->arena, (size_t)s->count + 1, sizeof *nodes);
    double *weights = lmb_arena_get(r->mesh->arena, (size_t)s->count + 1, sizeof *weights);
    if (nodes == NULL || weights == NULL) return lmb_scan_memory(&r->scan);
    for (int i = 0; i < s->count; i++) nodes[i] = s->items[i], weights[i] = weight[s->items[i]];
    c->weight_count = s->count, c->weighted = nodes, c->weights = weights;
    return LMB_OK;
}

// lines: node or set, weight; the reference is the node of the DCOUP3D of the set
lmb_status lmb_inp_read_distributing_coupling(lmb_inp *r) {
    lmb_coupling c = {.name = "distributing coupling", .tie = LMB_TIE_AVERAGE, .where = lmb_inp_where(r)};
    lmb_piece row, name = lmb_inp_get(r, "ELSET");
    char text[220];
    snprintf(text, sizeof text, " %.*s", name.length > 200 ? 200 : name.length, name.at);
    int reference = lmb_inp_find_set(r, (lmb_piece){text, (int)strlen(text)}, LMB_SET_NODES);
    double *weight = lmb_alloc((size_t)r->mesh->node_count + 1, sizeof *weight);
    if (weight == NULL) return lmb_scan_memory(&r->scan);
    if (reference < 0 || r->mesh->sets[reference].count != 1)
        lmb_inp_fail(r, "*DISTRIBUTING COUPLING: set '%.*s' has no DCOUP3D, or more than one", shown(name),
                     name.at);
    else c.node = r->mesh->sets[reference].items[0], c.set = own_set(r, "distributing coupling");
    while (r->scan.status == LMB_OK && lmb_inp_row(&row, r)) {
        lmb_piece what = lmb_piece_cut(&row, ',');
        int from, count;
        double w = 1;
        if (row.length > 0 && (!lmb_piece_number(&w, lmb_piece_cut(&row, ',')) || !(w > 0))) {
            lmb_scan_fail(&r->scan, "a weight must be a positive number");
            break;
        }
        if (lmb_inp_take_nodes(r, what, &from, &count) != LMB_OK) break;
        for (int i = from; i < from + count && r->scan.status == LMB_OK; i++)
            weight[r->node_list[i]] = w, put(r, c.set, r->node_list[i]);
        r->node_list_count = 0;
    }
    if (r->scan.status == LMB_OK) lmb_mesh_set_tidy(r->mesh, c.set), take_weights(r, &c, weight);
    lmb_free(weight);
    return r->scan.status == LMB_OK ? add_coupling(r, &c) : r->scan.status;
}
