// mesh/inp_mesh.c: *NODE, *ELEMENT, *NSET, *ELSET.
#include "mesh/inp.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

// ---- sets --------------------------------------------------------------------------------------

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// the instance before a dot, *rest: the part after it; -1: none
static int split_instance(const lmb_inp *r, lmb_piece name, lmb_piece *rest) {
    for (int i = 1; i < r->scope_count; i++) {
        int n = (int)strlen(r->scopes[i].name);
        if (name.length <= n + 1 || name.at[n] != '.') continue;
        if (strncasecmp(name.at, r->scopes[i].name, (size_t)n) != 0) continue;
        *rest = (lmb_piece){name.at + n + 1, name.length - n - 1};
        return i;
    }
    return -1;
}

// the name of a set in the mesh: "set" or "instance.set"
static bool full_name(char *out, size_t size, const lmb_inp *r, lmb_piece name) {
    const char *scope = r->scopes[r->scope].name;
    int n = snprintf(out, size, "%s%s%.*s", scope, *scope ? "." : "", name.length, name.at);
    return n > 0 && (size_t)n < size;
}

int lmb_inp_find_set(const lmb_inp *r, lmb_piece name, lmb_set_kind kind) {
    char full[512];
    if (!full_name(full, sizeof full, r, name)) return -1;
    for (int i = 0; i < r->mesh->set_count; i++)
        if (r->mesh->sets[i].kind == kind && strcasecmp(r->mesh->sets[i].name, full) == 0) return i;
    return -1;
}

int lmb_inp_add_set(lmb_inp *r, lmb_piece name, lmb_set_kind kind) {
    char full[512];
    int found = lmb_inp_find_set(r, name, kind);
    if (found >= 0) return found;
    if (name.length == 0) return lmb_inp_fail(r, "*%s: the set needs a name", r->card->keyword->name), -1;
    if (r->mesh->set_count >= 20000) return lmb_inp_fail(r, "more than 20000 sets are not supported"), -1;
    if (!full_name(full, sizeof full, r, name)) return lmb_inp_fail(r, "the name of the set is too long"), -1;
    int set = lmb_mesh_add_set(r->mesh, full, kind, lmb_inp_where(r));
    if (set < 0) lmb_scan_memory(&r->scan);
    return set;
}

static const char *kind_word(lmb_set_kind kind) { return kind == LMB_SET_NODES ? "node" : "element"; }

static int find_label(const lmb_inp *r, lmb_set_kind kind, int label) {
    const lmb_inp_scope *s = &r->scopes[r->scope];
    return lmb_label_map_find(kind == LMB_SET_NODES ? &s->nodes : &s->elements, label);
}

static lmb_status put(lmb_inp *r, int set, int item) {
    bool both = r->mesh->sets[set].kind == LMB_SET_ELEMENTS && r->types[item]->halves;
    bool ok = lmb_mesh_set_add(r->mesh, set, item) && (!both || lmb_mesh_set_add(r->mesh, set, item + 1));
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status add_set_members(lmb_inp *r, int set, lmb_piece name) {
    lmb_set_kind kind = r->mesh->sets[set].kind;
    int other = lmb_inp_find_set(r, name, kind);
    if (other == set && lmb_piece_is(r->card->name, "SURFACE")) return LMB_OK; // of the same name
    if (other == set) return lmb_scan_fail(&r->scan, "set '%s' contains itself", r->mesh->sets[set].name);
    if (other < 0)
        return lmb_scan_fail(&r->scan, "'%.*s' is not a previously defined %s set", shown(name), name.at,
                             kind_word(kind));
    lmb_status status = LMB_OK;
    for (int i = 0; i < r->mesh->sets[other].count && status == LMB_OK; i++)
        status = put(r, set, r->mesh->sets[other].items[i]);
    return status;
}

lmb_status lmb_inp_add_member(lmb_inp *r, int set, lmb_piece what) {
    int label, item;
    lmb_set_kind kind = r->mesh->sets[set].kind;
    lmb_piece rest = what;
    int instance = r->scope == 0 ? split_instance(r, what, &rest) : -1;
    if (instance >= 0) {
        r->scope = instance;
        lmb_status status = lmb_inp_add_member(r, set, rest);
        r->scope = 0;
        return status;
    }
    if (!lmb_piece_integer(&label, what)) return add_set_members(r, set, what);
    item = find_label(r, kind, label);
    if (item < 0)
        return lmb_scan_fail(&r->scan, "set '%s': unknown %s %d", r->mesh->sets[set].name, kind_word(kind),
                             label);
    return put(r, set, item);
}

// first, last, step: the labels that are there
static lmb_status add_range(lmb_inp *r, int set, lmb_piece row) {
    lmb_set_kind kind = r->mesh->sets[set].kind;
    int n[3] = {0, 0, 1}, count = 0;
    while (row.length > 0 && count < 3) {
        lmb_piece field = lmb_piece_cut(&row, ',');
        if (field.length == 0) continue;
        if (!lmb_piece_integer(&n[count++], field))
            return lmb_scan_fail(&r->scan, "'%.*s' is not an integer; GENERATE expects first, last, step",
                                 shown(field), field.at);
    }
    if (count == 1) n[1] = n[0];
    if (count == 0 || n[2] < 1 || n[1] < n[0])
        return lmb_scan_fail(&r->scan,
                             "GENERATE expects first, last and a positive step, with first <= last");
    const lmb_inp_scope *s = &r->scopes[r->scope];
    const lmb_label_map *map = kind == LMB_SET_NODES ? &s->nodes : &s->elements;
    lmb_status status = LMB_OK;
    if (((int64_t)n[1] - n[0]) / n[2] > map->count) { // longer than the list: scan the list instead
        for (int i = 0; i < map->capacity && status == LMB_OK; i++) {
            int64_t label = map->slots[i].label;
            if (map->slots[i].index > 0 && label >= n[0] && label <= n[1] && (label - n[0]) % n[2] == 0)
                status = put(r, set, map->slots[i].index - 1);
        }
        return status;
    }
    for (int64_t label = n[0]; label <= n[1] && status == LMB_OK; label += n[2]) {
        int item = lmb_label_map_find(map, (int)label);
        if (item >= 0) status = put(r, set, item);
    }
    return status;
}

static lmb_status add_nodes_of(lmb_inp *r, int set, lmb_piece elset) {
    int other = lmb_inp_find_set(r, elset, LMB_SET_ELEMENTS), *nodes, count;
    if (other < 0) return lmb_inp_fail(r, "unknown element set '%.*s'", shown(elset), elset.at);
    lmb_status status = lmb_mesh_set_nodes(&nodes, &count, r->mesh, other, r->scan.err);
    if (status != LMB_OK) return r->scan.status = status;
    for (int i = 0; i < count && status == LMB_OK; i++) status = put(r, set, nodes[i]);
    lmb_free(nodes);
    return status;
}

// INSTANCE=name: labels are those of the instance
static lmb_status enter_instance(lmb_inp *r) {
    lmb_piece name = lmb_inp_get(r, "INSTANCE");
    if (name.length == 0) return LMB_OK;
    for (int i = 1; i < r->scope_count; i++)
        if (lmb_piece_is(name, r->scopes[i].name)) return r->scope = i, LMB_OK;
    return lmb_inp_fail(r, "unknown instance '%.*s'", shown(name), name.at);
}

static lmb_status read_set(lmb_inp *r, lmb_set_kind kind) {
    lmb_piece row, elset = kind == LMB_SET_NODES ? lmb_inp_get(r, "ELSET") : (lmb_piece){0};
    int set = lmb_inp_add_set(r, lmb_inp_get(r, kind == LMB_SET_NODES ? "NSET" : "ELSET"), kind),
        scope = r->scope;
    if (set < 0) return r->scan.status;
    bool generate = lmb_inp_has(r, "GENERATE");
    if (lmb_inp_has(r, "UNSORTED") && !lmb_label_map_add(&r->unsorted, set, 0))
        return lmb_scan_memory(&r->scan);
    lmb_status status = enter_instance(r);
    if (status == LMB_OK && elset.length > 0) status = add_nodes_of(r, set, elset);
    while (status == LMB_OK && lmb_inp_row(&row, r)) {
        if (generate) status = add_range(r, set, row);
        while (!generate && row.length > 0 && status == LMB_OK) {
            lmb_piece field = lmb_piece_cut(&row, ',');
            if (field.length > 0) status = lmb_inp_add_member(r, set, field);
        }
    }
    r->scope = scope;
    return status;
}

lmb_status lmb_inp_read_nset(lmb_inp *r) { return read_set(r, LMB_SET_NODES); }
lmb_status lmb_inp_read_elset(lmb_inp *r) { return read_set(r, LMB_SET_ELEMENTS); }

lmb_status lmb_inp_find_node(lmb_inp *r, int *node, lmb_piece what) {
    int label, scope = r->scope;
    lmb_piece rest = what;
    int instance = scope == 0 ? split_instance(r, what, &rest) : -1;
    if (instance >= 0) r->scope = instance;
    bool number = lmb_piece_integer(&label, rest);
    int set = number ? -1 : lmb_inp_find_set(r, rest, LMB_SET_NODES);
    *node = number ? find_label(r, LMB_SET_NODES, label) : -1;
    r->scope = scope;
    if (set >= 0) {
        lmb_mesh_set_tidy(r->mesh, set);
        if (r->mesh->sets[set].count != 1)
            return lmb_inp_fail(r, "node set '%.*s' has %d nodes; exactly one is expected", shown(what),
                                what.at, r->mesh->sets[set].count);
        *node = r->mesh->sets[set].items[0];
    }
    if (*node < 0) return lmb_inp_fail(r, "unknown node or node set '%.*s'", shown(what), what.at);
    return LMB_OK;
}

// ---- nodes -------------------------------------------------------------------------------------

// from rectangular, cylindrical (r, degrees, z) or spherical coordinates (r, degrees of length, of latitude)
static vec3 rectangular(char system, const double *x) {
    double a = x[1] * LMB_PI / 180, b = x[2] * LMB_PI / 180;
    if (system == 'R') return v3_load(x);
    if (system == 'C') return v3(x[0] * cos(a), x[0] * sin(a), x[2]);
    return v3(x[0] * cos(a) * cos(b), x[0] * sin(a) * cos(b), x[0] * sin(b));
}

static lmb_status read_node_row(lmb_inp *r, lmb_piece row, int set, char system) {
    lmb_inp_scope *s = &r->scopes[r->scope];
    lmb_piece field = lmb_piece_cut(&row, ',');
    double x[6]; // place, normal of shells
    int label, count, node;
    if (!lmb_piece_integer(&label, field) || label < 1)
        return lmb_scan_fail(&r->scan, "'%.*s' is not a node number", shown(field), field.at);
    if (lmb_inp_numbers(r, row, x, 6, &count) != LMB_OK) return r->scan.status;
    if (x[3] != 0 || x[4] != 0 || x[5] != 0) {
        bool said = r->said_normals;
        r->said_normals = true;
        if (!said && lmb_inp_remark(r, r->scan.line, "*NODE: normals are not read") != LMB_OK)
            return r->scan.status;
    }
    if (lmb_label_map_find(&s->nodes, label) >= 0) return lmb_scan_fail(&r->scan, "duplicate node %d", label);
    vec3 local = v3_add(r->system.r, m3_mul_v3(&r->system.R, rectangular(system, x)));
    vec3 place = v3_add(s->place.r, m3_mul_v3(&s->place.R, local));
    node = lmb_mesh_add_node(r->mesh, label, place);
    if (node < 0 || !lmb_label_map_add(&s->nodes, label, node)) return lmb_scan_memory(&r->scan);
    return set >= 0 ? put(r, set, node) : LMB_OK;
}

lmb_status lmb_inp_read_node(lmb_inp *r) {
    lmb_piece row, name = lmb_inp_get(r, "NSET"), system = lmb_inp_get(r, "SYSTEM");
    int set = name.length > 0 ? lmb_inp_add_set(r, name, LMB_SET_NODES) : -1;
    char kind = system.length == 0 ? 'R' : (char)toupper((unsigned char)*system.at);
    if (system.length > 1 || (kind != 'R' && kind != 'C' && kind != 'S'))
        return lmb_inp_fail(r, "*NODE, SYSTEM=%.*s: it is R, C or S", shown(system), system.at);
    lmb_status status = r->scan.status;
    while (status == LMB_OK && lmb_inp_row(&row, r)) status = read_node_row(r, row, set, kind);
    return status;
}

// ---- elements ----------------------------------------------------------------------------------

// clang-format off
static const lmb_inp_type types[] = {
    {"C3D4", &lmb_element_tet4, NULL, 0},
    {"C3D10", &lmb_element_tet10, NULL, 0},
    {"C3D10M", &lmb_element_tet10, "modified formulation", 0},
    {"C3D10T", &lmb_element_tet10, "coupled temperature-displacement", 0},
    {"C3D8", &lmb_element_hex8, "selective integration; hex8 uses incompatible modes", 0},
    {"C3D8I", &lmb_element_hex8, NULL, 0},
    {"C3D8R", &lmb_element_hex8, "reduced integration; hex8 uses incompatible modes", 0},
    {"C3D20", &lmb_element_hex20, NULL, 0},
    {"C3D20R", &lmb_element_hex20r, NULL, 0},
    {"C3D6", &lmb_element_wedge6, NULL, 0},
    {"C3D15", &lmb_element_wedge15, NULL, 0},
    {"S3", &lmb_element_tri3, NULL, 0},
    {"S3R", &lmb_element_tri3, NULL, 0},
    {"S4", &lmb_element_quad4, NULL, 0},
    {"S4R", &lmb_element_quad4, "reduced integration", 0},
    {"S6", &lmb_element_tri6, NULL, 0},
    {"STRI65", &lmb_element_tri6, "five degrees of freedom a node", 0},
    {"S8R", &lmb_element_quad8, NULL, 0},
    {"S8R5", &lmb_element_quad8, "five degrees of freedom a node", 0},
    {"S8", &lmb_element_quad8, "full integration", 0},
    {"B31", &lmb_element_beam, NULL, LMB_TIMOSHENKO},
    {"B31H", &lmb_element_beam, "hybrid", LMB_TIMOSHENKO},
    {"B31R", &lmb_element_beam, "reduced integration", LMB_TIMOSHENKO},
    {"PIPE31", &lmb_element_beam, "pipe without inner pressure", LMB_TIMOSHENKO},
    {"B32", &lmb_element_beam, "two straight", LMB_TIMOSHENKO, true},
    {"second half of B32", &lmb_element_beam, "", LMB_TIMOSHENKO},
    {"B32R", &lmb_element_beam, "two straight", LMB_TIMOSHENKO, true},
    {"second half of B32R", &lmb_element_beam, "", LMB_TIMOSHENKO},
    {"B32H", &lmb_element_beam, "two straight", LMB_TIMOSHENKO, true},
    {"second half of B32H", &lmb_element_beam, "", LMB_TIMOSHENKO},
    {"B33", &lmb_element_beam, NULL, LMB_EULER_BERNOULLI},
    {"B33H", &lmb_element_beam, "hybrid", LMB_EULER_BERNOULLI},
    {"T3D2", &lmb_element_truss, NULL, 0},
    {"T3D2H", &lmb_element_truss, "hybrid", 0},
    {"T3D3", &lmb_element_truss, "two straight", 0, true},
    {"second half of T3D3", &lmb_element_truss, "", 0},
    {"MASS", &lmb_element_mass, NULL, 0},
    {"SPRINGA", &lmb_element_spring, NULL, 0},
    {"SPRING1", &lmb_element_spring1, NULL, 0},
    {"SPRING2", &lmb_element_spring, NULL, 0},
};
// clang-format on

const char *lmb_inp_type_name(const lmb_element_ops *ops) {
    for (int i = 0; i < LMB_COUNT(types); i++)
        if (types[i].ops == ops && types[i].remark == NULL) return types[i].name;
    return "";
}

// types whose family is not supported, by their first letters, and what to do
static const struct {
    const char *start, *remedy;
} refused[] = {
    {"CPS", "plane elements are not supported; mesh the part in space, or with shells (S4). If Gmsh wrote "
            "this deck, delete its "
            "line and surface elements, or use the .msh file"},
    {"CPE", "plane elements are not supported; mesh the part in space"},
    {"CPEG", "plane elements are not supported; mesh the part in space"},
    {"CAX", "axisymmetric elements are not supported; mesh the whole part in space"},
    {"CGAX", "axisymmetric elements are not supported; mesh the whole part in space"},
    {"SAX", "axisymmetric elements are not supported; mesh the whole part in space"},
    {"B2", "plane beams are not supported; use B31"},
    {"PIPE2", "plane pipes are not supported; use PIPE31"},
    {"T2D", "plane trusses are not supported; use T3D2"},
    {"C3D5", "pyramids are not supported; mesh with tetrahedra, wedges and bricks"},
    {"C3D13", "pyramids are not supported; mesh with tetrahedra, wedges and bricks"},
    {"S9R", "shells of nine nodes are not supported; mesh with S8R"},
    {"M3D", "membranes are not supported; use shells"},
    {"SC", "continuum shells are not supported; use S4, or solids"},
    {"CONN", "connectors are not supported; use joints in the model file"},
    {"DASHPOT", "dashpots are not supported; use the damping of the part"},
};

static const char *remedy_of(lmb_piece name) {
    for (int i = 0; i < LMB_COUNT(refused); i++) {
        int n = (int)strlen(refused[i].start);
        if (name.length >= n && strncasecmp(name.at, refused[i].start, (size_t)n) == 0)
            return refused[i].remedy;
    }
    return "supported: C3D4, C3D10, C3D8, C3D8I, C3D20, C3D20R, C3D6, C3D15, S3, S4, S6, S8R, B31, B32, B33, "
           "T3D2, "
           "T3D3, MASS, "
           "SPRINGA, SPRING1, SPRING2";
}

static const lmb_inp_type *find_type(lmb_inp *r) {
    lmb_piece name = lmb_inp_get(r, "TYPE");
    for (int i = 0; i < LMB_COUNT(types); i++) {
        if (!lmb_piece_is(name, types[i].name)) continue;
        if (types[i].remark == NULL || (r->type_remarks & (UINT64_C(1) << i))) return &types[i];
        r->type_remarks |= UINT64_C(1) << i;
        lmb_inp_remark(r, r->card->line, "%s (%s) treated as %s", types[i].name, types[i].remark,
                       types[i].ops->name);
        return &types[i];
    }
    lmb_inp_fail(r, "elements of type '%.*s' are not supported; %s", shown(name), name.at, remedy_of(name));
    return NULL;
}

static int nodes_of(const lmb_inp_type *type) { return type->halves ? 3 : type->ops->nodes; }

static lmb_status add_one(lmb_inp *r, const lmb_inp_type *type, int label, const int *nodes, int line) {
    lmb_mesh *m = r->mesh;
    if (m->element_count == r->types_capacity) {
        int capacity = r->types_capacity > 0 ? 2 * r->types_capacity : 64;
        const lmb_inp_type **larger =
            r->types_capacity > INT_MAX / 2 ? NULL : lmb_realloc(r->types, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan);
        r->types = larger;
        r->types_capacity = capacity;
    }
    r->types[m->element_count] = type;
    int element = lmb_mesh_add_element(m, type->ops, label, nodes, -1, lmb_inp_line(r, line));
    return element >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

// the second of three nodes lies between the others
static lmb_status add_halves(lmb_inp *r, const lmb_inp_type *type, int label, const int *nodes, int line) {
    const vec3 *x = r->mesh->x;
    vec3 a = v3_sub(x[nodes[1]], x[nodes[0]]), b = v3_sub(x[nodes[2]], x[nodes[1]]);
    if (!(v3_dot(a, b) > 0))
        return lmb_scan_fail(&r->scan, "the second node of element %d (%s) is not between the others", label,
                             type->name);
    lmb_status st = add_one(r, type, label, nodes, line);
    return st ? st : add_one(r, type + 1, label, nodes + 1, line);
}

lmb_status lmb_inp_put_element(lmb_inp *r, const lmb_inp_type *type, const int *data, int line) {
    lmb_mesh *m = r->mesh;
    lmb_inp_scope *s = &r->scopes[r->scope];
    int nodes[LMB_ELEMENT_NODES];
    r->scan.line = line;
    if (lmb_label_map_find(&s->elements, data[0]) >= 0)
        return lmb_scan_fail(&r->scan, "duplicate element %d", data[0]);
    for (int i = 0; i < nodes_of(type); i++) {
        nodes[i] = lmb_label_map_find(&s->nodes, data[1 + i]);
        if (nodes[i] < 0)
            return lmb_scan_fail(&r->scan, "element %d refers to node %d, which is not defined", data[0],
                                 data[1 + i]);
    }
    int element = m->element_count;
    lmb_status st = (type->halves ? add_halves : add_one)(r, type, data[0], nodes, line);
    if (st != LMB_OK) return st;
    return lmb_label_map_add(&s->elements, data[0], element) ? LMB_OK : lmb_scan_memory(&r->scan);
}

// label and nodes, over as many lines as they take
typedef struct gathered {
    int count, line;
    int data[1 + LMB_ELEMENT_NODES];
} gathered;

static lmb_status gather_row(lmb_inp *r, gathered *g, lmb_piece row, const lmb_inp_type *type) {
    int wanted = 1 + nodes_of(type);
    if (g->count == 0) g->line = r->scan.line;
    while (row.length > 0) {
        lmb_piece field = lmb_piece_cut(&row, ',');
        if (field.length == 0) continue;
        if (g->count == wanted)
            return lmb_scan_fail(&r->scan, "element %d has more than %d nodes, but a %s has %d", g->data[0],
                                 nodes_of(type), type->name, nodes_of(type));
        if (!lmb_piece_integer(&g->data[g->count], field) || g->data[g->count] < 1)
            return lmb_scan_fail(&r->scan, "'%.*s' is not %s number", shown(field), field.at,
                                 g->count == 0 ? "an element" : "a node");
        g->count++;
    }
    return LMB_OK;
}

// DCOUP3D, the reference of *DISTRIBUTING COUPLING, is no element here: its node is the set of nodes " ELSET"
static lmb_status read_reference(lmb_inp *r) {
    lmb_piece row, name = lmb_inp_get(r, "ELSET");
    char text[220];
    int count, node;
    double v[2];
    snprintf(text, sizeof text, " %.*s", name.length > 200 ? 200 : name.length, name.at);
    int set = lmb_inp_add_set(r, (lmb_piece){text, (int)strlen(text)}, LMB_SET_NODES);
    while (set >= 0 && r->scan.status == LMB_OK && lmb_inp_row(&row, r)) {
        if (lmb_inp_numbers(r, row, v, 2, &count) != LMB_OK) break;
        node = v[1] >= 1 && v[1] < 2e9 ? lmb_label_map_find(&r->scopes[r->scope].nodes, (int)v[1]) : -1;
        if (node < 0)
            return lmb_scan_fail(&r->scan, "element %g refers to node %g, which is not defined", v[0], v[1]);
        put(r, set, node);
    }
    return r->scan.status;
}

lmb_status lmb_inp_read_element(lmb_inp *r) {
    if (lmb_piece_is(lmb_inp_get(r, "TYPE"), "DCOUP3D")) return read_reference(r);
    const lmb_inp_type *type = find_type(r);
    lmb_piece row, name = lmb_inp_get(r, "ELSET");
    int set = type != NULL && name.length > 0 ? lmb_inp_add_set(r, name, LMB_SET_ELEMENTS) : -1;
    lmb_status status = r->scan.status;
    gathered g = {0};
    while (status == LMB_OK && lmb_inp_row(&row, r)) {
        status = gather_row(r, &g, row, type);
        if (status != LMB_OK || g.count <= nodes_of(type)) continue;
        int line = r->scan.line, element = r->mesh->element_count;
        status = lmb_inp_put_element(r, type, g.data, g.line);
        if (status == LMB_OK) r->scan.line = line;
        if (status == LMB_OK && set >= 0) status = put(r, set, element);
        g.count = 0;
    }
    if (status == LMB_OK && g.count > 0) {
        r->scan.line = g.line;
        return lmb_scan_fail(&r->scan, "element %d has %d nodes, but a %s has %d", g.data[0], g.count - 1,
                             type->name, nodes_of(type));
    }
    return status;
}
