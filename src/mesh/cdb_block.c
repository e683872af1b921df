// mesh/cdb_block.c: blocks of a deck of Ansys, with the fields of the format before them: (3i9,6e21.13e3) is three integers of 9 letters,
// then numbers of 21.
//
// A record of EBLOCK: material, type, real constants, section, .., number of nodes (9th), .., label (11th), nodes.  Nodes that are
// repeated make wedges and tetrahedra of hexahedra.
#include "mesh/cdb.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool failed(const lmb_cdb *c) { return c->scan.status != LMB_OK; }

// ---- blocks ------------------------------------------------------------------------------------

typedef struct format { // (3i9,6e21.13e3)
    int integers, width, real_width;
} format;

// a line with its leading blanks
static bool raw_line(lmb_piece *out, lmb_cdb *c) {
    lmb_scan *s = &c->scan;
    const char *start = s->at;
    lmb_piece trimmed;
    if (failed(c)) return false;
    if (!lmb_scan_line(&trimmed, s))
        return lmb_scan_fail(s, "unexpected end of file; the file is truncated"), false;
    *out = (lmb_piece){start, trimmed.length > 0 ? (int)(trimmed.at + trimmed.length - start) : 0};
    return true;
}

// digits at p, at most `most`
static int digits(const char **p, const char *end, int most) {
    int v = 0;
    while (*p < end && **p >= '0' && **p <= '9' && v <= most) v = 10 * v + *(*p)++ - '0';
    return v;
}

static bool read_format(format *f, lmb_cdb *c) {
    lmb_piece line;
    if (!raw_line(&line, c)) return false;
    line = lmb_piece_trim(line);
    const char *p = line.at, *end = p + line.length;
    *f = (format){0};
    if (p < end && *p == '(') p++;
    f->integers = digits(&p, end, 100);
    if (p < end && (*p == 'i' || *p == 'I')) p++, f->width = digits(&p, end, 100);
    if (p < end && *p == ',') {
        p++, digits(&p, end, 100);
        if (p < end && strchr("eEgGaA", *p)) p++, f->real_width = digits(&p, end, 100);
    }
    if (f->integers < 1 || f->integers > LMB_CDB_FIELDS || f->width < 1 || f->width > 100 ||
        f->real_width > 100)
        lmb_scan_fail(&c->scan, "expected a format such as (3i9,6e21.13e3), found '%.*s'",
                      line.length > 40 ? 40 : line.length, line.at);
    return !failed(c);
}

// letters from..from + width of a line, trimmed
static lmb_piece column(lmb_piece line, int from, int width) {
    if (from >= line.length) return (lmb_piece){line.at, 0};
    return lmb_piece_trim(
        (lmb_piece){line.at + from, line.length - from < width ? line.length - from : width});
}

// integers of a line of a block, at most `most`
static int take_integers(int *out, int most, lmb_cdb *c, lmb_piece line, int width) {
    int n = 0;
    for (; n < most && n * width < line.length && !failed(c); n++) {
        lmb_piece p = column(line, n * width, width);
        if (!lmb_piece_integer(&out[n], p))
            lmb_scan_fail(&c->scan, "expected integers of %d letters, found '%.*s'", width,
                          p.length > 30 ? 30 : p.length, p.at);
    }
    return n;
}

static bool ends_block(lmb_piece line) {
    lmb_piece p = lmb_piece_trim(line);
    return lmb_piece_is(p, "-1") || (p.length > 1 && strncasecmp(p.at, "N,", 2) == 0);
}

// ---- nodes -------------------------------------------------------------------------------------

void lmb_cdb_read_nodes(lmb_cdb *c) {
    format f;
    lmb_piece line;
    if (!read_format(&f, c)) return;
    if (f.real_width == 0) lmb_scan_fail(&c->scan, "the format of NBLOCK has no coordinates");
    while (raw_line(&line, c) && !ends_block(line)) {
        int head[LMB_CDB_FIELDS] = {0};
        double x[3] = {0};
        if (take_integers(head, 1, c, line, f.width) < 1 || head[0] <= 0)
            lmb_scan_fail(&c->scan, "a node has no number");
        for (int i = 0; i < 3 && !failed(c); i++) {
            lmb_piece p = column(line, f.integers * f.width + i * f.real_width, f.real_width);
            if (p.length > 0 && !lmb_piece_number(&x[i], p))
                lmb_scan_fail(&c->scan, "node %d: expected a finite coordinate, found '%.*s'", head[0],
                              p.length > 30 ? 30 : p.length, p.at);
        }
        if (failed(c)) return;
        if (lmb_mesh_find_node(c->mesh, head[0]) >= 0) lmb_scan_fail(&c->scan, "duplicate node %d", head[0]);
        else if (lmb_mesh_add_node(c->mesh, head[0], v3_load(x)) < 0) lmb_scan_memory(&c->scan);
    }
}

// ---- real constants ----------------------------------------------------------------------------

// RLBLOCK,sets,..: two formats; number, how many, up to 6 values, then 7 in a line
void lmb_cdb_read_reals(lmb_cdb *c) {
    int sets = lmb_cdb_integer(c, 1, "how many sets");
    format f, more;
    if (failed(c) || !read_format(&f, c)) return;
    lmb_piece line;
    if (!raw_line(&line, c)) return;
    more = f; // (7g16.9)
    for (int s = 0; s < sets && raw_line(&line, c); s++) {
        int head[2] = {0};
        if (take_integers(head, 2, c, line, f.width) < 2 || head[1] < 0 || head[1] > 10000 ||
            f.real_width == 0) {
            lmb_scan_fail(&c->scan, "expected the number of a set and how many values it has");
            return;
        }
        lmb_cdb_entry *e = lmb_cdb_entry_of(c, &c->reals, head[0]);
        for (int i = 0, at = 2 * f.width; e && i < head[1] && !failed(c); i++, at += more.real_width) {
            if (at >= line.length && i >= 6 && (i - 6) % 7 == 0) {
                if (!raw_line(&line, c)) return;
                at = 0;
            }
            double v = 0;
            lmb_piece p = column(line, at, more.real_width);
            if (p.length > 0 && !lmb_piece_number(&v, p))
                lmb_scan_fail(&c->scan, "expected finite real constants");
            if (i < LMB_CDB_REALS) e->v[i] = v, e->count = i + 1;
        }
    }
}

// ---- elements ----------------------------------------------------------------------------------

static int material_of(lmb_cdb *c, int number) {
    lmb_cdb_entry *e = (lmb_cdb_entry *)lmb_cdb_entry_find(&c->materials, number);
    if (e == NULL || !(e->count & 1)) return -1; // that of the part
    if (e->index >= 0) return e->index;
    char name[40];
    snprintf(name, sizeof name, "MAT_%d", number);
    lmb_material m = {.name = name,
                      .E = e->v[0],
                      .nu = e->count & 2 ? e->v[1] : 0.3,
                      .rho = e->count & 4 ? e->v[2] : NAN,
                      .where = {c->mesh->file, e->line, 0}};
    if ((e->index = lmb_mesh_add_material(c->mesh, &m)) < 0) lmb_scan_memory(&c->scan);
    return e->index;
}

// the property of a material, and of a section or real constants; -1: failed
static int property_of(lmb_cdb *c, const lmb_property *p, int material, int other) {
    uint64_t hash = lmb_hash(lmb_hash(LMB_HASH_START, &material, sizeof material), &other, sizeof other);
    for (int key = (int)(hash % INT_MAX);; key = (key + 1) % INT_MAX) {
        lmb_cdb_entry *e = lmb_cdb_entry_of(c, &c->properties, key);
        if (e == NULL) return -1;
        if (e->index >= 0 && e->option[0] == material && e->option[1] == other) return e->index;
        if (e->index >= 0) continue; // of others
        e->option[0] = material, e->option[1] = other;
        if ((e->index = lmb_mesh_add_property(c->mesh, p)) < 0) lmb_scan_memory(&c->scan);
        return e->index;
    }
}

typedef struct record { // of EBLOCK
    int material, type, real, section, label, line;
    int count, node[20]; // labels
} record;

static void add_element(lmb_cdb *c, const record *r, const lmb_element_ops *ops, const signed char *order,
                        int property) {
    int nodes[LMB_ELEMENT_NODES];
    for (int i = 0; i < ops->nodes && !failed(c); i++) {
        int label = r->node[order ? order[i] : i];
        nodes[i] = lmb_mesh_find_node(c->mesh, label);
        if (nodes[i] < 0)
            lmb_scan_fail(&c->scan, "element %d refers to node %d, which is not in NBLOCK", r->label, label);
    }
    if (failed(c)) return;
    if (lmb_mesh_find_element(c->mesh, r->label) >= 0)
        lmb_scan_fail(&c->scan, "duplicate element %d", r->label);
    else if (lmb_mesh_add_element(c->mesh, ops, r->label, nodes, property, r->line) < 0)
        lmb_scan_memory(&c->scan);
}

static int solid_property(lmb_cdb *c, const record *r) {
    char name[40];
    snprintf(name, sizeof name, "MAT_%d", r->material);
    lmb_property p = {
        .name = name, .material = material_of(c, r->material), .where = {c->mesh->file, r->line, 0}};
    return failed(c) ? -1 : property_of(c, &p, r->material, 0);
}

static bool same(const record *r, int a, int b) { return r->node[a] == r->node[b]; }

// SOLID185, SOLID186: K = L and O = P: a wedge; M = N = O = P, too: a tetrahedron
static void add_hexahedron(lmb_cdb *c, const record *r, const lmb_cdb_entry *type) {
    static const signed char wedge[] = {0, 1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18};
    static const signed char tet[] = {0, 1, 2, 4, 8, 9, 11, 16, 17, 18};
    enum { UNIFORM_REDUCED = 0, ENHANCED = 2 };
    bool second = r->count == 20, flat = same(r, 2, 3), top = same(r, 6, 7),
         point = top && same(r, 4, 5) && same(r, 5, 6);
    int property = solid_property(c, r);
    const lmb_element_ops *hex20 =
        type->option[2] == UNIFORM_REDUCED ? &lmb_element_hex20r : &lmb_element_hex20;
    if (property < 0) return;
    if (flat && point) add_element(c, r, second ? &lmb_element_tet10 : &lmb_element_tet4, tet, property);
    else if (flat && top)
        add_element(c, r, second ? &lmb_element_wedge15 : &lmb_element_wedge6, wedge, property);
    else if (flat || top || point)
        lmb_scan_fail(&c->scan, "element %d is a pyramid, which is not supported; mesh without pyramids",
                      r->label);
    else add_element(c, r, second ? hex20 : &lmb_element_hex8, NULL, property);
    if (!second && type->option[2] != ENHANCED && !c->told_hex8) {
        c->told_hex8 = true;
        lmb_cdb_note(c, r->line, "SOLID185 read as hexahedra with incompatible modes (KEYOPT(2) = 2)");
    }
}

// SHELL181: K = L: a triangle
static void add_shell(lmb_cdb *c, const record *r, const lmb_cdb_entry *type) {
    const lmb_cdb_entry *section = lmb_cdb_entry_find(&c->sections, r->section),
                        *real = lmb_cdb_entry_find(&c->reals, r->real);
    bool layered = section && section->kind == 1 && section->count == 1;
    double t = layered ? section->v[0] : real && real->count > 0 ? real->v[0] : 0;
    char name[60];
    snprintf(name, sizeof name, "MAT_%d_SECTION_%d", r->material, layered ? r->section : r->real);
    lmb_property p = {.name = name,
                      .material = material_of(c, r->material),
                      .thickness = t,
                      .where = {c->mesh->file, r->line, 0}};
    if (type->option[1] == 1)
        lmb_scan_fail(&c->scan, "element %d: SHELL181 as a membrane (KEYOPT(1) = 1) is not supported",
                      r->label);
    if (section && section->kind == 0)
        lmb_scan_fail(&c->scan, "element %d: section %d is not SHELL", r->label, r->section);
    int property = failed(c) ? -1
                             : property_of(c, &p, r->material,
                                           (layered ? 1 : -1) * (1 + (layered ? r->section : r->real)));
    if (property >= 0)
        add_element(c, r, same(r, 2, 3) ? &lmb_element_tri3 : &lmb_element_quad4, NULL, property);
}

// MASS21: mass along x, y, z, moments of inertia
static void add_mass(lmb_cdb *c, const record *r, const lmb_cdb_entry *type) {
    enum { NO_ROTATIONS = 2 };
    const lmb_cdb_entry *real = lmb_cdb_entry_find(&c->reals, r->real);
    char name[40];
    snprintf(name, sizeof name, "MASS_%d", r->real);
    if (real == NULL || real->count < 1) {
        lmb_scan_fail(&c->scan, "element %d: its real constants %d (the mass) are not there", r->label,
                      r->real);
        return;
    }
    const double *v = real->v;
    bool turns = type->option[3] != NO_ROTATIONS;
    if (turns && real->count > 1 && (v[1] != v[0] || v[2] != v[0]))
        lmb_scan_fail(&c->scan, "element %d: masses that differ along x, y, z are not supported", r->label);
    lmb_property p = {.name = name, .material = -1, .mass = v[0], .where = {c->mesh->file, r->line, 0}};
    if (turns) p.inertia = m3_diag(v[3], v[4], v[5]);
    int property = failed(c) ? -1 : property_of(c, &p, -2, r->real);
    if (property >= 0) add_element(c, r, &lmb_element_mass, NULL, property);
}

static void add_record(lmb_cdb *c, const record *r) {
    static const struct {
        int kind, nodes;
        void (*add)(lmb_cdb *c, const record *r, const lmb_cdb_entry *type);
    } kinds[] = {{185, 8, add_hexahedron}, {186, 20, add_hexahedron}, {181, 4, add_shell}, {21, 1, add_mass}};
    const lmb_cdb_entry *type = lmb_cdb_entry_find(&c->types, r->type);
    if (type == NULL) {
        lmb_scan_fail(&c->scan, "element %d has type %d, which has no ET", r->label, r->type);
        return;
    }
    for (int i = 0; i < LMB_COUNT(kinds); i++)
        if (kinds[i].kind == type->kind && kinds[i].nodes == r->count) {
            kinds[i].add(c, r, type);
            return;
        }
    bool ten = type->kind == 187 && r->count == 10, four = type->kind == 285 && r->count == 4;
    if (ten || four) {
        int property = solid_property(c, r);
        if (property >= 0) add_element(c, r, ten ? &lmb_element_tet10 : &lmb_element_tet4, NULL, property);
        return;
    }
    lmb_scan_fail(
        &c->scan,
        "element %d is of type %d with %d nodes, which is not supported; supported: SOLID185, 186, 187, 285, "
        "SHELL181, MASS21",
        r->label, type->kind, r->count);
}

void lmb_cdb_read_elements(lmb_cdb *c) {
    format f;
    lmb_piece line;
    bool solid = lmb_cdb_is(c, 2, "SOLID");
    if (!solid) lmb_scan_fail(&c->scan, "EBLOCK without SOLID is not supported; write the deck with CDWRITE");
    if (failed(c) || !read_format(&f, c)) return;
    while (raw_line(&line, c) && !ends_block(line)) {
        int v[19], n = take_integers(v, 19, c, line, f.width);
        if (failed(c)) return;
        if (n < 12 || v[8] < 1 || v[8] > 20) {
            lmb_scan_fail(&c->scan,
                          "expected an element: 11 numbers, the 9th how many nodes, then 1 to 20 nodes");
            return;
        }
        record r = {v[0], v[1], v[2], v[3], v[10], c->scan.line, v[8], {0}};
        int have = n - 11 < r.count ? n - 11 : r.count;
        memcpy(r.node, v + 11, (size_t)have * sizeof *v);
        while (have < r.count && raw_line(&line, c)) {
            int more = take_integers(r.node + have, r.count - have, c, line, f.width);
            if (more == 0) lmb_scan_fail(&c->scan, "nodes of element %d are missing", r.label);
            have += more;
        }
        if (!failed(c)) add_record(c, &r);
    }
}

// ---- types -------------------------------------------------------------------------------------

// ETBLOCK,types,largest: number, element, its options
void lmb_cdb_read_types(lmb_cdb *c) {
    format f;
    lmb_piece line;
    if (!read_format(&f, c)) return;
    while (raw_line(&line, c) && !ends_block(line)) {
        int v[2 + LMB_CDB_OPTIONS - 1] = {0}, n = take_integers(v, LMB_COUNT(v), c, line, f.width);
        if (n < 2) lmb_scan_fail(&c->scan, "expected the number of a type and its element");
        lmb_cdb_entry *e = failed(c) ? NULL : lmb_cdb_entry_of(c, &c->types, v[0]);
        if (e == NULL) return;
        *e = (lmb_cdb_entry){.label = v[0], .line = c->scan.line, .kind = v[1], .index = -1};
        memcpy(e->option + 1, v + 2, (LMB_CDB_OPTIONS - 1) * sizeof *v);
    }
}

// ---- components --------------------------------------------------------------------------------

// CMBLOCK,name,NODE,count: numbers; -b behind a: from a to b
void lmb_cdb_read_component(lmb_cdb *c) {
    lmb_mesh *m = c->mesh;
    bool nodes = lmb_cdb_is(c, 2, "NODE");
    char name[100];
    int count = lmb_cdb_integer(c, 3, "how many numbers"), before = 0, lost = 0, at = c->scan.line;
    snprintf(name, sizeof name, "%.*s", c->field[1].length > 90 ? 90 : c->field[1].length, c->field[1].at);
    if (!failed(c) && !nodes && !lmb_cdb_is(c, 2, "ELEM") && !lmb_cdb_is(c, 2, "ELEMENT"))
        lmb_scan_fail(&c->scan, "CMBLOCK of NODE or ELEM expected");
    format f;
    if (failed(c) || !read_format(&f, c)) return;
    int set =
        lmb_mesh_add_set(m, name, nodes ? LMB_SET_NODES : LMB_SET_ELEMENTS, (lmb_where){m->file, at, 0});
    if (set < 0) lmb_scan_memory(&c->scan);
    lmb_piece line;
    while (count > 0 && raw_line(&line, c)) {
        int v[LMB_CDB_FIELDS],
            n = take_integers(v, f.integers < count ? f.integers : count, c, line, f.width);
        if (n == 0) lmb_scan_fail(&c->scan, "members of component '%.60s' are missing", name);
        count -= n;
        for (int i = 0; i < n && !failed(c); i++) {
            int first = v[i] < 0 ? before + 1 : v[i], last = v[i] < 0 ? -v[i] : v[i];
            if (v[i] == INT_MIN || (v[i] < 0 && (before <= 0 || last - first > 100 * 1000 * 1000))) {
                lmb_scan_fail(&c->scan, "component '%.60s' has an invalid range", name);
                return;
            }
            for (int k = first; k <= last && !failed(c); k++) {
                int item = nodes ? lmb_mesh_find_node(m, k) : lmb_mesh_find_element(m, k);
                if (item < 0) lost++;
                else if (!lmb_mesh_set_add(m, set, item)) lmb_scan_memory(&c->scan);
                if (k == INT_MAX) break;
            }
            before = last;
        }
    }
    char text[180];
    snprintf(text, sizeof text, "component %s: %d members are not in the file", name, lost);
    if (lost > 0) lmb_cdb_note(c, at, text);
}
