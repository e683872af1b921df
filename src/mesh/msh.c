// mesh/msh.c: reads Gmsh 2.2 and 4.1, ASCII and binary.
//
// Both kinds go through the same functions: a number is a word of the text or some bytes.  A count in the file
// is checked against the remaining bytes before memory is allocated for it.
#include "mesh/msh.h"

#include <limits.h>
#include <string.h>

// ---- numbers, as words or as bytes -------------------------------------------------------------

static void skip_blanks(lmb_scan *s) {
    for (; s->at < s->end && (*s->at == ' ' || *s->at == '\t' || *s->at == '\r' || *s->at == '\n'); s->at++)
        s->line += *s->at == '\n';
}

static lmb_piece get_word(lmb_scan *s) {
    skip_blanks(s);
    lmb_piece w = {s->at, 0};
    while (s->at < s->end && *s->at != ' ' && *s->at != '\t' && *s->at != '\r' && *s->at != '\n') {
        s->at++;
        if (++w.length > 1000) break;
    }
    return w;
}

static lmb_piece number_word(lmb_scan *s) {
    lmb_piece w = get_word(s);
    if (w.length == 0) lmb_scan_fail(s, "unexpected end of file; the file is truncated");
    else if (w.at[0] == '$')
        lmb_scan_fail(s, "a number is missing before '%.*s'", w.length > 30 ? 30 : w.length, w.at);
    return w;
}

static bool get_bytes(lmb_msh *r, void *out, size_t size) {
    lmb_scan *s = &r->scan;
    if ((size_t)(s->end - s->at) < size) {
        memset(out, 0, size);
        lmb_scan_fail(s, "unexpected end of file; the file is truncated");
        return false;
    }
    memcpy(out, s->at, size);
    s->at += size;
    return true;
}

static int get_int(lmb_msh *r) {
    int value = 0;
    if (r->binary) return get_bytes(r, &value, sizeof value) ? value : 0;
    lmb_piece w = number_word(&r->scan);
    if (r->scan.status != LMB_OK) return 0;
    if (!lmb_piece_integer(&value, w))
        lmb_scan_fail(&r->scan, "'%.*s' is not a 32-bit integer", w.length > 30 ? 30 : w.length, w.at);
    return r->scan.status == LMB_OK ? value : 0;
}

// a physical tag; a minus sign says that the orientation is reversed
static int get_tag(lmb_msh *r) {
    int tag = get_int(r);
    return tag == INT_MIN ? 0 : tag < 0 ? -tag : tag;
}

// counts and tags: 64 bits in binary files of version 4; all are kept as int
static int get_size(lmb_msh *r) {
    uint64_t value = 0;
    if (!r->binary || r->version == 2) {
        int small = get_int(r);
        if (small < 0) lmb_scan_fail(&r->scan, "expected a count or a tag, found %d", small);
        return small < 0 ? 0 : small;
    }
    if (!get_bytes(r, &value, sizeof value)) return 0;
    if (value > INT_MAX) lmb_scan_fail(&r->scan, "a count or tag is larger than %d", INT_MAX);
    return value > INT_MAX ? 0 : (int)value;
}

static double get_double(lmb_msh *r) {
    double value = 0;
    if (r->binary) {
        if (!get_bytes(r, &value, sizeof value)) return 0;
        if (!isfinite(value)) lmb_scan_fail(&r->scan, "a coordinate is not finite");
        return value;
    }
    lmb_piece w = number_word(&r->scan);
    if (r->scan.status == LMB_OK && !lmb_piece_number(&value, w))
        lmb_scan_fail(&r->scan, "'%.*s' is not a finite number", w.length > 30 ? 30 : w.length, w.at);
    return value;
}

// a count of items, checked against the minimum number of bytes of each (words: two per number)
static int get_count(lmb_msh *r, int numbers, int bytes, const char *what) {
    int count = get_size(r);
    int64_t left = r->scan.end - r->scan.at, need = r->binary ? bytes : 2 * numbers;
    if (r->scan.status == LMB_OK && count > left / need + 1)
        lmb_scan_fail(&r->scan, "expected %d %s, but the rest of the file is too short; it is truncated",
                      count, what);
    return r->scan.status == LMB_OK ? count : 0;
}

static bool failed(const lmb_msh *r) { return r->scan.status != LMB_OK; }

// ---- arrays ------------------------------------------------------------------------------------

bool lmb_msh_push(lmb_msh_ints *list, int value) {
    if (list->count == list->capacity) {
        if (list->capacity > INT_MAX / 2) return false;
        int capacity = list->capacity > 0 ? 2 * list->capacity : 64;
        int *larger = lmb_realloc(list->at, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return false;
        list->at = larger;
        list->capacity = capacity;
    }
    list->at[list->count++] = value;
    return true;
}

static lmb_msh_element *new_element(lmb_msh *r) {
    if (r->element_count == r->element_capacity) {
        int capacity = r->element_capacity > 0 ? 2 * r->element_capacity : 64;
        lmb_msh_element *larger = r->element_capacity > INT_MAX / 2
                                      ? NULL
                                      : lmb_realloc(r->elements, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan), NULL;
        r->elements = larger;
        r->element_capacity = capacity;
    }
    return &r->elements[r->element_count++];
}

// ---- $MeshFormat -------------------------------------------------------------------------------

static void read_format(lmb_msh *r) {
    lmb_piece version = get_word(&r->scan), kind = get_word(&r->scan), size = get_word(&r->scan);
    bool two = lmb_piece_is(version, "2.2") || lmb_piece_is(version, "2") || lmb_piece_is(version, "2.1");
    if (!two && !lmb_piece_is(version, "4.1")) {
        lmb_scan_fail(&r->scan,
                      "format version '%.*s' is not supported, only 2.2 and 4.1; convert it: "
                      "gmsh -0 old.msh -format msh41 -o new.msh",
                      version.length > 20 ? 20 : version.length, version.at);
        return;
    }
    r->version = two ? 2 : 4;
    r->binary = lmb_piece_is(kind, "1");
    if (!r->binary && !lmb_piece_is(kind, "0"))
        lmb_scan_fail(&r->scan, "the file type must be 0 (text) or 1 (binary)");
    if (!lmb_piece_is(size, "8")) lmb_scan_fail(&r->scan, "the data size must be 8");
    if (!r->binary || failed(r)) return;
    lmb_piece rest;
    lmb_scan_line(&rest, &r->scan);
    if (get_int(r) != 1)
        lmb_scan_fail(&r->scan, "the file has a different byte order; write it as text (-format msh41)");
}

// ---- $PhysicalNames: text in all kinds ---------------------------------------------------------

static lmb_piece quoted(lmb_scan *s) {
    skip_blanks(s);
    lmb_piece none = {0};
    if (s->at >= s->end || *s->at != '"') return none;
    const char *first = s->at + 1, *last = memchr(first, '"', (size_t)(s->end - first));
    if (last == NULL || last - first > 1000 || memchr(first, '\n', (size_t)(last - first))) return none;
    s->at = last + 1;
    return (lmb_piece){first, (int)(last - first)};
}

static void read_name(lmb_msh *r) {
    lmb_msh_name n = {.line = r->scan.line};
    n.dim = get_int(r);
    n.tag = get_int(r);
    n.line = r->scan.line;
    if (failed(r)) return;
    lmb_piece name = quoted(&r->scan);
    if (n.dim < 0 || n.dim > 3)
        lmb_scan_fail(&r->scan, "the dimension of a physical group is %d, not 0 to 3", n.dim);
    else if (name.length == 0) lmb_scan_fail(&r->scan, "a physical group needs a name in quotes");
    if (failed(r)) return;
    n.name = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    if (r->name_count == r->name_capacity) {
        int capacity = r->name_capacity > 0 ? 2 * r->name_capacity : 16;
        lmb_msh_name *larger = lmb_realloc(r->names, (size_t)capacity, sizeof *larger);
        if (larger == NULL) lmb_scan_memory(&r->scan);
        else r->names = larger, r->name_capacity = capacity;
    }
    if (n.name == NULL) lmb_scan_memory(&r->scan);
    if (!failed(r)) r->names[r->name_count++] = n;
}

static void read_names(lmb_msh *r) {
    bool binary = r->binary;
    r->binary = false;
    int count = get_count(r, 3, 1, "physical names");
    if (count > 20000) lmb_scan_fail(&r->scan, "more than 20000 physical groups are not supported");
    for (int i = 0; i < count && !failed(r); i++) read_name(r);
    r->binary = binary;
}

// ---- $Entities ---------------------------------------------------------------------------------

// tag, box (a point: place), physical tags, then the boundary
static void read_entity(lmb_msh *r, int dim) {
    int tag = get_int(r);
    for (int k = 0; k < (dim == 0 ? 3 : 6); k++) get_double(r);
    int count = get_count(r, 1, 4, "physical tags"), place = r->physical.count;
    bool ok = lmb_msh_push(&r->physical, count);
    for (int i = 0; ok && i < count && !failed(r); i++) ok = lmb_msh_push(&r->physical, get_tag(r));
    int bounds = dim > 0 ? get_count(r, 1, 4, "bounding entities") : 0;
    for (int i = 0; i < bounds && !failed(r); i++) get_int(r);
    ok = ok && lmb_label_map_add(&r->entities[dim], tag, place);
    if (!ok) lmb_scan_memory(&r->scan);
}

static void read_entities(lmb_msh *r) {
    int count[4];
    for (int dim = 0; dim < 4; dim++) count[dim] = get_count(r, 1, 1, "entities");
    for (int dim = 0; dim < 4; dim++)
        for (int i = 0; i < count[dim] && !failed(r); i++) read_entity(r, dim);
}

// ---- $Nodes ------------------------------------------------------------------------------------

static void add_node(lmb_msh *r, int tag, vec3 x) {
    if (failed(r)) return;
    if (tag == 0) lmb_scan_fail(&r->scan, "0 is not a valid node tag");
    else if (lmb_mesh_find_node(r->mesh, tag) >= 0) lmb_scan_fail(&r->scan, "duplicate node %d", tag);
    else if (lmb_mesh_add_node(r->mesh, tag, x) < 0) lmb_scan_memory(&r->scan);
}

static vec3 get_place(lmb_msh *r) {
    double x = get_double(r), y = get_double(r), z = get_double(r);
    return v3(x, y, z);
}

// version 2 writes the count of a section as a word in both kinds
static int word_count(lmb_msh *r, int numbers, const char *what) {
    bool binary = r->binary;
    lmb_piece rest;
    r->binary = false;
    int count = get_count(r, numbers, 1, what);
    r->binary = binary;
    if (binary) lmb_scan_line(&rest, &r->scan); // bytes begin behind the line's end
    return count;
}

static void read_nodes_2(lmb_msh *r) {
    int count = word_count(r, 4, "nodes");
    for (int i = 0; i < count && !failed(r); i++) {
        int tag = get_size(r);
        add_node(r, tag, get_place(r));
    }
}

// a block: all tags, then all places (with parameters on curves and surfaces if flagged)
static void read_node_block(lmb_msh *r) {
    int dim = get_int(r);
    get_int(r); // entity
    int parametric = get_int(r), count = get_count(r, 4, 32, "nodes"), first = r->nodes.count;
    if (dim < 0 || dim > 3) lmb_scan_fail(&r->scan, "the dimension of an entity is %d, not 0 to 3", dim);
    for (int i = 0; i < count && !failed(r); i++)
        if (!lmb_msh_push(&r->nodes, get_size(r))) lmb_scan_memory(&r->scan);
    for (int i = 0; i < count && !failed(r); i++) {
        vec3 x = get_place(r);
        for (int k = 0; parametric != 0 && k < dim; k++) get_double(r);
        add_node(r, r->nodes.at[first + i], x);
    }
    r->nodes.count = first;
}

static void read_nodes_4(lmb_msh *r) {
    int blocks = get_count(r, 4, 20, "blocks of nodes"), count = get_count(r, 4, 32, "nodes");
    get_size(r), get_size(r); // smallest and largest tag
    for (int i = 0; i < blocks && !failed(r); i++) read_node_block(r);
    if (!failed(r) && r->mesh->node_count != count)
        lmb_scan_fail(&r->scan, "expected %d nodes, found %d", count, r->mesh->node_count);
}

// ---- $Elements ---------------------------------------------------------------------------------

// the tag and the nodes of an element; physical: place of its physical tags
static void read_element(lmb_msh *r, const lmb_msh_type *type, int label, int physical, int entity) {
    lmb_msh_element *e = failed(r) ? NULL : new_element(r);
    if (e == NULL) return;
    *e = (lmb_msh_element){type, label, r->binary ? 0 : r->scan.line, r->nodes.count, physical, entity};
    r->grouped = r->grouped || r->physical.at[physical] > 0;
    for (int i = 0; i < type->nodes && !failed(r); i++) {
        int tag = get_size(r), node = lmb_mesh_find_node(r->mesh, tag);
        if (node < 0 && !failed(r))
            lmb_scan_fail(&r->scan, "element %d refers to node %d, which is not in $Nodes", label, tag);
        if (!failed(r) && !lmb_msh_push(&r->nodes, node)) lmb_scan_memory(&r->scan);
    }
}

static const lmb_msh_type *get_type(lmb_msh *r) {
    int number = get_int(r);
    const lmb_msh_type *type = failed(r) ? NULL : lmb_msh_type_find(number);
    if (type == NULL)
        lmb_scan_fail(&r->scan,
                      "elements of Gmsh type %d are not supported; supported: tet4, tet10, hex8, hex20, "
                      "wedge6, wedge15, "
                      "shells tri3, quad4, tri6 and quad8, beams line2 (set Mesh.ElementOrder to 1 or 2)",
                      number);
    return type;
}

// version 2: the first of an element's tags is its physical group, the second its entity
static int read_tags(lmb_msh *r, int tags, int *entity) {
    int physical = 0, place = r->physical.count;
    *entity = 0;
    for (int i = 0; i < tags && !failed(r); i++) {
        int tag = get_tag(r);
        if (i == 0) physical = tag;
        if (i == 1) *entity = tag;
    }
    if (physical == 0 || failed(r)) return 0;
    // the elements of a group mostly come one after the other
    int last = place - 2;
    if (last >= 1 && r->physical.at[last] == 1 && r->physical.at[last + 1] == physical) return last;
    if (!lmb_msh_push(&r->physical, 1) || !lmb_msh_push(&r->physical, physical)) lmb_scan_memory(&r->scan);
    return place;
}

static int tag_count(lmb_msh *r) {
    int tags = get_int(r);
    if (tags < 0 || tags > 1000) lmb_scan_fail(&r->scan, "an element has %d tags", tags);
    return failed(r) ? 0 : tags;
}

static void read_elements_2(lmb_msh *r) {
    int count = word_count(r, 4, "elements");
    while (r->binary && r->element_count < count && !failed(r)) {
        const lmb_msh_type *type = get_type(r);
        int more = get_count(r, 1, 8, "elements"), tags = tag_count(r);
        if (more < 1) lmb_scan_fail(&r->scan, "a block of elements has the count %d", more);
        for (int i = 0; i < more && !failed(r); i++) {
            int label = get_int(r), entity, physical = read_tags(r, tags, &entity);
            read_element(r, type, label, physical, entity);
        }
    }
    for (int i = 0; !r->binary && i < count && !failed(r); i++) {
        int label = get_int(r);
        const lmb_msh_type *type = get_type(r);
        int tags = tag_count(r), entity, physical = read_tags(r, tags, &entity);
        read_element(r, type, label, physical, entity);
    }
}

static void read_elements_4(lmb_msh *r) {
    int blocks = get_count(r, 4, 20, "blocks of elements"), count = get_count(r, 2, 16, "elements");
    get_size(r), get_size(r);
    for (int i = 0; i < blocks && !failed(r); i++) {
        int dim = get_int(r), entity = get_int(r);
        const lmb_msh_type *type = get_type(r);
        int more = get_count(r, 2, 16, "elements");
        if (failed(r)) break;
        if (dim < 0 || dim > 3) lmb_scan_fail(&r->scan, "the dimension of an entity is %d, not 0 to 3", dim);
        int physical = failed(r) ? -1 : lmb_label_map_find(&r->entities[dim], entity);
        for (int k = 0; k < more && !failed(r); k++) {
            int label = get_size(r);
            read_element(r, type, label, physical > 0 ? physical : 0, entity);
        }
    }
    if (!failed(r) && r->element_count != count)
        lmb_scan_fail(&r->scan, "expected %d elements, found %d", count, r->element_count);
}

// ---- sections ----------------------------------------------------------------------------------

// to the end of a section that is not read
static void skip_section(lmb_msh *r, lmb_piece name, int line) {
    lmb_scan *s = &r->scan;
    char stop[64];
    size_t n = 0;
    memcpy(stop, "$End", 4);
    n = 4 + (size_t)(name.length < 50 ? name.length : 50);
    memcpy(stop + 4, name.at, n - 4);
    const char *found = memmem(s->at, (size_t)(s->end - s->at), stop, n);
    if (found == NULL) {
        lmb_scan_fail(s, "section $%.*s is not closed; the file is truncated", (int)n - 4, name.at);
        return;
    }
    int lines = 0;
    for (; s->at < found; s->at++) lines += *s->at == '\n';
    s->line += lines;
    bool quiet = lmb_piece_is(name, "Comments");
    bool ok = quiet || lmb_text_add(&r->mesh->ignored, "%s:%d: $%.*s (%d lines)\n", s->file, line, (int)n - 4,
                                    name.at, lines > 0 ? lines - 1 : 0);
    if (!ok) lmb_scan_memory(s);
}

static void read_section(lmb_msh *r, lmb_piece name) {
    static const struct {
        const char *name;
        int version; // 0: all
        void (*read)(lmb_msh *r);
    } sections[] = {
        {"PhysicalNames", 0, read_names}, {"Entities", 4, read_entities},   {"Nodes", 2, read_nodes_2},
        {"Nodes", 4, read_nodes_4},       {"Elements", 2, read_elements_2}, {"Elements", 4, read_elements_4},
    };
    int line = r->scan.line;
    if (lmb_piece_is(name, "MeshFormat")) {
        lmb_scan_fail(&r->scan, "duplicate section $MeshFormat");
        return;
    }
    if (lmb_piece_is(name, "PartitionedEntities")) {
        lmb_scan_fail(&r->scan, "partitioned meshes are not supported; save the mesh without partitions");
        return;
    }
    if (lmb_piece_is(name, "Elements") && r->element_count > 0) {
        lmb_scan_fail(&r->scan, "duplicate section $Elements; save the mesh in one piece");
        return;
    }
    for (int i = 0; i < LMB_COUNT(sections); i++) {
        if (!lmb_piece_is(name, sections[i].name)) continue;
        if (sections[i].version != 0 && sections[i].version != r->version) continue;
        lmb_piece rest;
        if (r->binary && sections[i].version == 4)
            lmb_scan_line(&rest, &r->scan); // bytes begin behind the line's end
        sections[i].read(r);
        return;
    }
    skip_section(r, name, line);
}

// the word $EndNAME must follow
static void expect_end(lmb_msh *r, lmb_piece name) {
    lmb_piece w = get_word(&r->scan);
    bool right = w.length == name.length + 4 && memcmp(w.at, "$End", 4) == 0 &&
                 memcmp(w.at + 4, name.at, (size_t)name.length) == 0;
    if (!right && !failed(r))
        lmb_scan_fail(&r->scan,
                      w.length == 0 ? "$End%.*s is missing; the file is truncated"
                                    : "$End%.*s is missing; the section is longer than declared",
                      name.length > 30 ? 30 : name.length, name.at);
}

static void read_all(lmb_msh *r) {
    lmb_piece w = get_word(&r->scan);
    if (!lmb_piece_is(w, "$MeshFormat")) {
        lmb_scan_fail(&r->scan,
                      "not a Gmsh mesh: it must begin with $MeshFormat (version 1 is not supported)");
        return;
    }
    read_format(r);
    if (!failed(r)) expect_end(r, (lmb_piece){w.at + 1, w.length - 1});
    while (!failed(r)) {
        w = get_word(&r->scan);
        if (w.length == 0) return;
        lmb_piece name = {w.at + 1, w.length - 1};
        if (w.at[0] != '$' || name.length == 0) {
            lmb_scan_fail(&r->scan, "expected a section ($Nodes, $Elements, ...), found '%.*s'",
                          w.length > 30 ? 30 : w.length, w.at);
            return;
        }
        read_section(r, name);
        if (!failed(r)) expect_end(r, name);
    }
}

static void reader_free(lmb_msh *r) {
    lmb_free(r->names);
    lmb_free(r->physical.at);
    lmb_free(r->nodes.at);
    lmb_free(r->elements);
    for (int dim = 0; dim < 4; dim++) lmb_label_map_free(&r->entities[dim]);
}

bool lmb_mesh_is_msh(const char *text, size_t length) {
    return length > 11 && strncmp(text, "$MeshFormat", 11) == 0;
}

lmb_status lmb_mesh_read_msh(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err) {
    *out = NULL;
    lmb_msh r = {.scan = {.at = text, .end = text + length, .line = 1, .err = err}};
    lmb_status status = lmb_mesh_create(&r.mesh, name, err);
    if (status != LMB_OK) return status;
    r.scan.file = r.mesh->file;
    if (!lmb_msh_push(&r.physical, 0)) lmb_scan_memory(&r.scan);
    if (!failed(&r)) read_all(&r);
    if (!failed(&r)) lmb_msh_build(&r);
    status = r.scan.status;
    if (status != LMB_OK && r.binary && err != NULL) err->line = 0; // bytes have no lines
    reader_free(&r);
    if (status == LMB_OK) *out = r.mesh;
    else lmb_mesh_destroy(r.mesh);
    return status;
}
