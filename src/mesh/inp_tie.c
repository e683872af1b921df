// mesh/inp_tie.c: *SURFACE, *RIGID BODY, *COUPLING, *KINEMATIC COUPLING.
#include "mesh/inp.h"

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

// ---- couplings ---------------------------------------------------------------------------------

static lmb_status add_coupling(lmb_inp *r, const lmb_coupling *c) {
    return lmb_mesh_add_coupling(r->mesh, c) >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status start_coupling(lmb_inp *r, lmb_coupling *c, const char *name) {
    lmb_piece node = lmb_inp_get(r, "REFNODE");
    *c = (lmb_coupling){.name = name, .set = -1, .where = {r->mesh->file, r->card->line, 0}};
    if (node.length == 0) return lmb_inp_fail(r, "*%s needs a REF NODE", r->card->keyword->name);
    return lmb_inp_find_node(r, &c->node, node);
}

// the nodes of an element set as a node set of that name
static int nodes_of_elset(lmb_inp *r, lmb_piece name) {
    int elements = lmb_inp_find_set(r, name, LMB_SET_ELEMENTS), *nodes, count;
    if (elements < 0) return -1;
    const char *full = lmb_arena_printf(r->mesh->arena, "rigid %s", r->mesh->sets[elements].name);
    int set =
        full ? lmb_mesh_add_set(r->mesh, full, LMB_SET_NODES, (lmb_where){r->mesh->file, r->card->line, 0})
             : -1;
    if (set < 0 || lmb_mesh_set_nodes(&nodes, &count, r->mesh, elements, r->scan.err) != LMB_OK)
        return lmb_scan_memory(&r->scan), -1;
    for (int i = 0; i < count; i++)
        if (put(r, set, nodes[i]) != LMB_OK) break;
    lmb_free(nodes);
    return set;
}

lmb_status lmb_inp_read_rigid_body(lmb_inp *r) {
    lmb_coupling c;
    lmb_piece nset = lmb_inp_get(r, "NSET"), tie = lmb_inp_get(r, "TIENSET"), elset = lmb_inp_get(r, "ELSET");
    int given = (nset.length > 0) + (tie.length > 0) + (elset.length > 0);
    if (given != 1) return lmb_inp_fail(r, "*RIGID BODY needs exactly one of NSET, TIE NSET or ELSET");
    if (start_coupling(r, &c, "rigid body") != LMB_OK) return r->scan.status;
    lmb_piece name = nset.length > 0 ? nset : tie.length > 0 ? tie : elset;
    c.set = elset.length > 0 ? nodes_of_elset(r, name) : lmb_inp_find_set(r, name, LMB_SET_NODES);
    if (c.set < 0) return lmb_inp_fail(r, "unknown set '%.*s'", shown(name), name.at);
    if (lmb_inp_has(r, "ROTNODE") &&
        lmb_inp_remark(r, r->card->line,
                       "ROT NODE of *RIGID BODY ignored; the reference node carries the rotations") != LMB_OK)
        return r->scan.status;
    return add_coupling(r, &c);
}

lmb_status lmb_inp_finish_coupling(lmb_inp *r) {
    if (!r->coupling_waits) return LMB_OK;
    r->card = NULL;
    r->scan.line = r->coupling.where.line;
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
    r->coupling_waits = true;
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
    for (int k = (int)v[0]; k <= (int)v[1]; k++) *held |= 1 << k;
    return LMB_OK;
}

static lmb_status end_coupling(lmb_inp *r, lmb_tie tie) {
    const char *card = r->card->keyword->name;
    lmb_piece row;
    int held = 0;
    if (!r->coupling_waits) return lmb_inp_fail(r, "*%s must follow a *COUPLING", card);
    r->coupling_waits = false;
    while (lmb_inp_row(&row, r))
        if (motions_row(r, row, &held) != LMB_OK) return r->scan.status;
    if (held != 0 && (held & 14) != 14)
        return lmb_inp_fail(r, "*%s: only couplings of all displacements (1 to 3, or 1 to 6) are supported",
                            card);
    r->coupling.tie = tie;
    return add_coupling(r, &r->coupling);
}

lmb_status lmb_inp_read_kinematic(lmb_inp *r) { return end_coupling(r, LMB_TIE_RIGID); }

lmb_status lmb_inp_read_distributing(lmb_inp *r) {
    lmb_piece method = lmb_inp_get(r, "WEIGHTINGMETHOD");
    if (method.length > 0 && !lmb_piece_is(method, "UNIFORM"))
        return lmb_inp_fail(r, "*DISTRIBUTING, WEIGHTING METHOD=%.*s: only UNIFORM is supported",
                            shown(method), method.at);
    return end_coupling(r, LMB_TIE_AVERAGE);
}

// lines: node or node set, first motion, last motion
lmb_status lmb_inp_read_kinematic_coupling(lmb_inp *r) {
    lmb_coupling c;
    lmb_piece row;
    if (start_coupling(r, &c, "kinematic coupling") != LMB_OK) return r->scan.status;
    const char *name = lmb_arena_printf(r->mesh->arena, "kinematic coupling %d", r->mesh->coupling_count + 1);
    if (name == NULL) return lmb_scan_memory(&r->scan);
    c.set = lmb_inp_add_set(r, (lmb_piece){name, (int)strlen(name)}, LMB_SET_NODES);
    lmb_status status = r->scan.status;
    while (status == LMB_OK && lmb_inp_row(&row, r)) {
        int held = 0;
        status = lmb_inp_add_member(r, c.set, lmb_piece_cut(&row, ','));
        if (status == LMB_OK && row.length > 0) status = motions_row(r, row, &held);
        if (status == LMB_OK && held != 0 && (held & 14) != 14)
            return lmb_scan_fail(&r->scan,
                                 "only couplings of all displacements (1 to 3, or 1 to 6) are supported");
    }
    return status == LMB_OK ? add_coupling(r, &c) : status;
}
