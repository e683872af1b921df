// mesh/unv.c: reads universal files of I-DEAS, as I-DEAS, Salome and gmsh write them: nodes (15, 781, 2411), elements (2412), coordinate
// systems (2420), groups (2417, 2429, 2430, 2432, 2435, 2452, 2467, 2477), units (164).
//
// A dataset is "-1", its number, records, "-1".  An element of second order has its middle nodes between its corners: bottom,
// upright edges, top.  All becomes a Gmsh file as read (mesh/msh.h), from which the mesh is built: the elements of the highest
// dimension are the part, others make sets.
#include "mesh/msh.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// an element type: its number, that of Gmsh, and which of its nodes is our node i
typedef struct unv_type {
    int number, gmsh;
    signed char order[20];
} unv_type;

#define TRI6 \
    { 0, 2, 4, 1, 3, 5 }
#define QUAD8 \
    { 0, 2, 4, 6, 1, 3, 5, 7 }
static const unv_type types[] = {
    {11, 1, {0, 1}},
    {21, 1, {0, 1}},
    {22, 1, {0, 1}},
    {24, 8, {0, 2, 1}},
    {41, 2, {0, 1, 2}},
    {51, 2, {0, 1, 2}},
    {61, 2, {0, 1, 2}},
    {74, 2, {0, 1, 2}},
    {91, 2, {0, 1, 2}},
    {42, 9, TRI6},
    {52, 9, TRI6},
    {62, 9, TRI6},
    {72, 9, TRI6},
    {92, 9, TRI6},
    {44, 3, {0, 1, 2, 3}},
    {54, 3, {0, 1, 2, 3}},
    {64, 3, {0, 1, 2, 3}},
    {71, 3, {0, 1, 2, 3}},
    {94, 3, {0, 1, 2, 3}},
    {45, 16, QUAD8},
    {55, 16, QUAD8},
    {65, 16, QUAD8},
    {75, 16, QUAD8},
    {95, 16, QUAD8},
    {111, 4, {0, 1, 2, 3}},
    {112, 6, {0, 1, 2, 3, 4, 5}},
    {115, 5, {0, 1, 2, 3, 4, 5, 6, 7}},
    {118, 11, {0, 2, 4, 9, 1, 3, 5, 6, 7, 8}},
    {113, 18, {0, 2, 4, 9, 11, 13, 1, 3, 5, 10, 12, 14, 6, 7, 8}},
    {116, 17, {0, 2, 4, 6, 12, 14, 16, 18, 1, 3, 5, 7, 13, 15, 17, 19, 8, 9, 10, 11}},
};

typedef struct member { // of a group
    int element, group; // place in the elements, number of the group from 1
} member;

typedef struct unv {
    lmb_msh r;
    lmb_label_map elements; // label -> place
    lmb_label_map turned;   // coordinate systems that are not the global one -> 0
    int member_count, member_capacity, group_count;
    member *members;
} unv;

static bool failed(const unv *u) { return u->r.scan.status != LMB_OK; }

// ---- lines -------------------------------------------------------------------------------------

static bool is_mark(lmb_piece line) { return lmb_piece_is(line, "-1"); }

// the next line of a record, which must be there; false: failed
static bool get_line(lmb_piece *out, unv *u) {
    if (failed(u)) return false;
    if (!lmb_scan_line(out, &u->r.scan))
        lmb_scan_fail(&u->r.scan, "unexpected end of file; the file is truncated");
    else if (is_mark(*out)) lmb_scan_fail(&u->r.scan, "a record is missing before the end of the dataset");
    return !failed(u);
}

static lmb_piece next_word(lmb_piece *rest) {
    *rest = lmb_piece_trim(*rest);
    lmb_piece w = {rest->at, 0};
    while (w.length < rest->length && rest->at[w.length] != ' ' && rest->at[w.length] != '\t') w.length++;
    rest->at += w.length, rest->length -= w.length;
    return w;
}

// whole numbers of one line, at most `most`; how many
static int take_integers(int *out, int most, unv *u, lmb_piece line) {
    int n = 0;
    for (lmb_piece w; !failed(u) && (w = next_word(&line)).length > 0 && n < most; n++)
        if (!lmb_piece_integer(&out[n], w))
            lmb_scan_fail(&u->r.scan, "expected integers, found '%.*s'", w.length > 30 ? 30 : w.length, w.at);
    return n;
}

static bool get_integers(int *out, int count, unv *u) {
    lmb_piece line;
    if (!get_line(&line, u)) return false;
    int n = take_integers(out, count, u, line);
    if (!failed(u) && n < count) lmb_scan_fail(&u->r.scan, "this record has %d numbers, not %d", n, count);
    return !failed(u);
}

static bool take_reals(double *out, int count, unv *u, lmb_piece line) {
    for (int i = 0; i < count && !failed(u); i++)
        if (!lmb_piece_number(&out[i], next_word(&line)))
            lmb_scan_fail(&u->r.scan, "expected %d finite numbers in this record", count);
    return !failed(u);
}

static bool get_reals(double *out, int count, unv *u) {
    lmb_piece line;
    return get_line(&line, u) && take_reals(out, count, u, line);
}

static void note(unv *u, int line, const char *what) {
    lmb_mesh *m = u->r.mesh;
    if (!failed(u) && !lmb_text_add(&m->ignored, "%s:%d: %s\n", m->file, line, what))
        lmb_scan_memory(&u->r.scan);
}

// whether the dataset goes on; its first line
static bool goes_on(lmb_piece *line, unv *u) {
    if (failed(u)) return false;
    if (!lmb_scan_line(line, &u->r.scan))
        return lmb_scan_fail(&u->r.scan, "a dataset does not end with -1"), false;
    return !is_mark(*line);
}

// ---- nodes, coordinate systems, units ----------------------------------------------------------

static void add_node(unv *u, const int *head, const double *x) {
    lmb_scan *s = &u->r.scan;
    if (head[0] <= 0) lmb_scan_fail(s, "%d is not a valid number of a node", head[0]);
    else if (lmb_mesh_find_node(u->r.mesh, head[0]) >= 0) lmb_scan_fail(s, "duplicate node %d", head[0]);
    else if (lmb_label_map_find(&u->turned, head[1]) >= 0)
        lmb_scan_fail(
            s,
            "node %d is given in coordinate system %d, which is not the global one; write global coordinates",
            head[0], head[1]);
    else if (lmb_mesh_add_node(u->r.mesh, head[0], v3_load(x)) < 0) lmb_scan_memory(s);
}

// number, system, system of displacements, colour; then coordinates, of dataset 15 in the same line
static void read_nodes(unv *u, int set) {
    lmb_piece line;
    while (goes_on(&line, u)) {
        int head[4];
        double x[7];
        if (set == 15 ? !take_reals(x, 7, u, line) : take_integers(head, 4, u, line) < 2) {
            lmb_scan_fail(&u->r.scan, "a node begins with its number and its coordinate system");
            return;
        }
        for (int i = 0; i < 2 && set == 15; i++) head[i] = fabs(x[i]) < INT_MAX ? (int)x[i] : 0;
        if (set == 15 || get_reals(x + 4, 3, u)) add_node(u, head, x + 4);
    }
}

// number, kind, colour; name; three rows of a rotation and the origin
static void read_systems(unv *u) {
    lmb_piece line;
    if (!get_line(&line, u) || !get_line(&line, u)) return; // the part and its name
    while (goes_on(&line, u)) {
        int head[3] = {0};
        double v[12];
        lmb_piece name;
        if (take_integers(head, 3, u, line) < 2)
            lmb_scan_fail(&u->r.scan, "a coordinate system begins with its number and kind");
        if (!get_line(&name, u)) return;
        for (int i = 0; i < 4; i++)
            if (!get_reals(v + 3 * i, 3, u)) return;
        bool global = head[1] == 0;
        for (int i = 0; i < 12; i++) global = global && v[i] == (i < 9 && i % 4 == 0);
        if (!global && !lmb_label_map_add(&u->turned, head[0], 0)) lmb_scan_memory(&u->r.scan);
    }
}

// code, description; factors from SI of length, force, temperature
static void read_units(unv *u) {
    lmb_piece line;
    double factor[1];
    int at = u->r.scan.line;
    if (!get_line(&line, u) || !get_reals(factor, 1, u)) return;
    while (goes_on(&line, u)) {
    }
    char text[120];
    snprintf(text, sizeof text,
             "dataset 164: 1 is %.6g m in this file; what counts is the `unit` of the part",
             factor[0] > 0 ? 1 / factor[0] : NAN);
    note(u, at, text);
}

// ---- elements ----------------------------------------------------------------------------------

static const unv_type *find_type(unv *u, int number, int label) {
    for (int i = 0; i < LMB_COUNT(types); i++)
        if (types[i].number == number) return &types[i];
    lmb_scan_fail(&u->r.scan,
                  "element %d has type %d, which is not supported; supported: beams 11, 21, 22, shells 91, "
                  "94 and other "
                  "surfaces, solids 111, 112, 113, 115, 116, 118",
                  label, number);
    return NULL;
}

static lmb_msh_element *new_element(unv *u) {
    lmb_msh *r = &u->r;
    if (r->element_count == r->element_capacity) {
        int capacity = r->element_capacity ? 2 * r->element_capacity : 1024;
        lmb_msh_element *more =
            r->element_count < INT_MAX / 4 ? lmb_realloc(r->elements, (size_t)capacity, sizeof *more) : NULL;
        if (more == NULL) return lmb_scan_memory(&r->scan), NULL;
        r->elements = more, r->element_capacity = capacity;
    }
    return &r->elements[r->element_count++];
}

static bool get_nodes(int *nodes, int count, unv *u) {
    lmb_piece line;
    for (int n = 0; n < count;) {
        int more = get_line(&line, u) ? take_integers(nodes + n, count - n, u, line) : 0;
        if (!failed(u) && more == 0) lmb_scan_fail(&u->r.scan, "nodes of an element are missing");
        if (failed(u)) return false;
        n += more;
    }
    return true;
}

// node i of ours, which is node order[i] of Gmsh, is node type->order[i] here
static void add_element(unv *u, const unv_type *type, int label, int line, const int *nodes) {
    lmb_msh *r = &u->r;
    const lmb_msh_type *gmsh = lmb_msh_type_find(type->gmsh);
    int count = gmsh->nodes, place[LMB_MSH_NODES];
    lmb_msh_element *e = new_element(u);
    if (e == NULL) return;
    *e = (lmb_msh_element){.type = gmsh, .label = label, .line = line, .first = r->nodes.count};
    for (int i = 0; i < count; i++) {
        int node = lmb_mesh_find_node(r->mesh, nodes[type->order[i]]);
        if (node < 0) {
            lmb_scan_fail(&r->scan, "element %d refers to node %d, which is not in a dataset before it",
                          label, nodes[type->order[i]]);
            return;
        }
        place[gmsh->ops && count > 2 ? gmsh->order[i] : i] = node;
    }
    for (int i = 0; i < count; i++)
        if (!lmb_msh_push(&r->nodes, place[i])) lmb_scan_memory(&r->scan);
    if (lmb_label_map_find(&u->elements, label) >= 0) lmb_scan_fail(&r->scan, "duplicate element %d", label);
    else if (!lmb_label_map_add(&u->elements, label, r->element_count - 1)) lmb_scan_memory(&r->scan);
}

// number, type, physical and material property, colour, number of nodes; of beams a record more; nodes
static void read_elements(unv *u) {
    lmb_piece line;
    while (goes_on(&line, u)) {
        int head[6], nodes[LMB_MSH_NODES], at = u->r.scan.line;
        if (take_integers(head, 6, u, line) < 6)
            lmb_scan_fail(&u->r.scan, "an element begins with six numbers");
        const unv_type *type = failed(u) ? NULL : find_type(u, head[1], head[0]);
        if (type == NULL) return;
        int count = lmb_msh_type_find(type->gmsh)->nodes;
        if (head[5] != count) {
            lmb_scan_fail(&u->r.scan, "element %d of type %d has %d nodes, not %d", head[0], head[1], head[5],
                          count);
            return;
        }
        if (head[1] < 40 && !get_line(&line, u)) return; // orientation of a beam
        if (get_nodes(nodes, count, u)) add_element(u, type, head[0], at, nodes);
    }
}

// ---- groups ------------------------------------------------------------------------------------

static void add_member(unv *u, int label) {
    int element = lmb_label_map_find(&u->elements, label);
    if (element < 0) { // points, which are no elements here
        char text[80];
        snprintf(text, sizeof text, "element %d of a group is not in the file", label);
        note(u, u->r.scan.line, text);
        return;
    }
    if (u->member_count == u->member_capacity) {
        int capacity = u->member_capacity ? 2 * u->member_capacity : 1024;
        member *more =
            u->member_count < INT_MAX / 4 ? lmb_realloc(u->members, (size_t)capacity, sizeof *more) : NULL;
        if (more == NULL) {
            lmb_scan_memory(&u->r.scan);
            return;
        }
        u->members = more, u->member_capacity = capacity;
    }
    u->members[u->member_count++] = (member){element, u->group_count};
}

static void add_entity(unv *u, int kind, int label, const char *name) {
    enum { NODE = 7, ELEMENT = 8 };
    lmb_mesh *m = u->r.mesh;
    if (kind == ELEMENT) add_member(u, label);
    if (kind != NODE) return;
    int node = lmb_mesh_find_node(m, label);
    if (node < 0) {
        lmb_scan_fail(&u->r.scan, "group '%.60s' has node %d, which is not in the file", name, label);
        return;
    }
    int set = lmb_mesh_add_set(m, name, LMB_SET_NODES, (lmb_where){m->file, u->r.scan.line, 0});
    if (set < 0 || !lmb_mesh_set_add(m, set, node)) lmb_scan_memory(&u->r.scan);
}

// its members may be of several dimensions, which are groups of Gmsh of one name
static void name_group(unv *u, const char *name, int line) {
    lmb_msh *r = &u->r;
    if (r->name_count + 4 > r->name_capacity) {
        int capacity = r->name_capacity ? 2 * r->name_capacity : 64;
        lmb_msh_name *more = lmb_realloc(r->names, (size_t)capacity, sizeof *more);
        if (more == NULL) {
            lmb_scan_memory(&r->scan);
            return;
        }
        r->names = more, r->name_capacity = capacity;
    }
    for (int dim = 0; dim < 4; dim++)
        r->names[r->name_count++] = (lmb_msh_name){dim, u->group_count, line, true, name};
}

// eight numbers, the last: how many members; name; members, `fields` numbers each: kind, label, ..
static void read_groups(unv *u, int fields) {
    enum { MOST = 5000 };
    lmb_piece line;
    while (goes_on(&line, u)) {
        int head[8], at = u->r.scan.line, v[8], left;
        lmb_piece text;
        if (take_integers(head, 8, u, line) < 8)
            lmb_scan_fail(&u->r.scan, "a group begins with eight numbers");
        if (++u->group_count > MOST) lmb_scan_fail(&u->r.scan, "there are more than %d groups", MOST);
        if (!get_line(&text, u)) return;
        const char *name =
            lmb_arena_printf(u->r.mesh->arena, "%.*s", text.length > 200 ? 200 : text.length, text.at);
        if (name && *name == '\0') name = lmb_arena_printf(u->r.mesh->arena, "Group%d", head[0]);
        if (name == NULL) lmb_scan_memory(&u->r.scan);
        else name_group(u, name, at);
        for (left = head[7]; left > 0 && !failed(u);) {
            int count = get_line(&line, u) ? take_integers(v, 8, u, line) / fields : 0;
            if (!failed(u) && count == 0)
                lmb_scan_fail(&u->r.scan, "members of group '%.60s' are missing", name);
            for (int i = 0; i < count && left > 0 && !failed(u); i++, left--)
                add_entity(u, v[i * fields], v[i * fields + 1], name);
        }
    }
}

// the groups of each element as Gmsh has them: their number, then they
static void share_groups(unv *u) {
    lmb_msh *r = &u->r;
    int *count = lmb_alloc((size_t)r->element_count + 1, sizeof *count);
    if (count == NULL) lmb_scan_memory(&r->scan);
    for (int i = 0; i < u->member_count && count; i++) count[u->members[i].element]++;
    for (int i = 0; i < r->element_count && !failed(u); i++) {
        if (count[i] == 0) continue;
        r->elements[i].physical = r->physical.count;
        for (int k = 0; k <= count[i] && !failed(u); k++)
            if (!lmb_msh_push(&r->physical, 0)) lmb_scan_memory(&r->scan);
    }
    for (int i = 0; i < u->member_count && !failed(u); i++) {
        int *list = r->physical.at + r->elements[u->members[i].element].physical;
        list[++list[0]] = u->members[i].group;
    }
    r->grouped = u->group_count > 0;
    lmb_free(count);
}

// ---- the whole ---------------------------------------------------------------------------------

static void skip_set(unv *u, int set, int at) {
    lmb_piece line;
    char text[60];
    while (goes_on(&line, u)) {
    }
    snprintf(text, sizeof text, "dataset %d", set);
    note(u, at, text);
}

static void read_set(unv *u, int set) {
    static const int four[] = {2435, 2452, 2467, 2477}, two[] = {2417, 2429, 2430, 2432};
    for (int i = 0; i < 4; i++)
        if (set == four[i] || set == two[i]) {
            read_groups(u, set == four[i] ? 4 : 2);
            return;
        }
    if (set == 15 || set == 781 || set == 2411) read_nodes(u, set);
    else if (set == 2412) read_elements(u);
    else if (set == 2420) read_systems(u);
    else if (set == 164) read_units(u);
    else if (set == 71 || set == 780)
        lmb_scan_fail(&u->r.scan, "elements in dataset %d are not supported; write dataset 2412", set);
    else skip_set(u, set, u->r.scan.line);
}

static void read_all(unv *u) {
    lmb_piece line;
    while (!failed(u) && lmb_scan_line(&line, &u->r.scan)) {
        int set;
        if (line.length == 0) continue;
        if (!is_mark(line)) {
            lmb_scan_fail(&u->r.scan, "expected -1 before a dataset, found '%.*s'",
                          line.length > 30 ? 30 : line.length, line.at);
            return;
        }
        if (get_integers(&set, 1, u)) read_set(u, set);
    }
}

// what is of a lower dimension and in no group would disappear without a word
static void note_lost(unv *u) {
    int most = 0, lost = 0, line = 0;
    for (int i = 0; i < u->r.element_count; i++)
        if (u->r.elements[i].type->dim > most) most = u->r.elements[i].type->dim;
    for (int i = u->r.element_count - 1; i >= 0; i--) {
        const lmb_msh_element *e = &u->r.elements[i];
        if (e->type->dim < most && u->r.physical.at[e->physical] == 0) lost++, line = e->line;
    }
    char text[120];
    snprintf(text, sizeof text,
             "%d lines or surfaces that are in no group; the part consists of the elements of the highest "
             "dimension",
             lost);
    if (lost > 0) note(u, line, text);
}

bool lmb_mesh_is_unv(const char *text, size_t length) {
    if (length < 4 || memcmp(text, "-1", 2) != 0) return false;
    size_t i = 2;
    while (i < length && strchr(" \t\r\n", text[i])) i++;
    return i > 2 && i < length && text[i] >= '0' && text[i] <= '9';
}

lmb_status lmb_mesh_read_unv(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err) {
    *out = NULL;
    unv u = {.r = {.scan = {.at = text, .end = text + length, .err = err}}};
    lmb_status status = lmb_mesh_create(&u.r.mesh, name, err);
    if (status != LMB_OK) return status;
    u.r.scan.file = u.r.mesh->file;
    if (!lmb_msh_push(&u.r.physical, 0)) lmb_scan_memory(&u.r.scan);
    if (!failed(&u)) read_all(&u);
    if (!failed(&u)) share_groups(&u);
    if (!failed(&u)) note_lost(&u);
    if (!failed(&u)) lmb_msh_build(&u.r);
    status = u.r.scan.status;
    lmb_free(u.r.names), lmb_free(u.r.physical.at), lmb_free(u.r.nodes.at), lmb_free(u.r.elements),
        lmb_free(u.members);
    lmb_label_map_free(&u.elements), lmb_label_map_free(&u.turned);
    if (status == LMB_OK) *out = u.r.mesh;
    else lmb_mesh_destroy(u.r.mesh);
    return status;
}
