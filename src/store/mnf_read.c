// store/mnf_read.c: the blocks of a modal neutral file: store/mnf.h.
#include "fe/fe.h"
#include "os/bytes.h"
#include "os/files.h"
#include "store/flex_file.h"
#include "store/mnf.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FLAGS_AT = 0x884, BLOCKS_AT = 0xa14, VERSION = 60, PORTABLE = 0x100, MOST_MODES = 1000 };

typedef struct cursor {
    const unsigned char *at, *end;
    lmb_mnf *m;
    lmb_label_map nodes; // id -> index
    const char *block;   // for messages
    lmb_error *err;
    lmb_status status;
} cursor;

static lmb_status fail(cursor *c, const char *format, ...) LMB_PRINTF(2, 3);
static lmb_status fail(cursor *c, const char *format, ...) {
    char text[300];
    va_list args;
    if (c->status != LMB_OK) return c->status;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->at = c->end;
    return c->status =
               lmb_fail(c->err, LMB_ERR_INPUT, (lmb_where){c->m->file, 0, 0}, "%s: %s", c->block, text);
}

static lmb_status no_memory(cursor *c) {
    if (c->status == LMB_OK) c->status = lmb_fail_memory(c->err);
    return c->status;
}

// ---- numbers -------------------------------------------------------------------------------------

static int next_int(cursor *c) {
    if (c->end - c->at < 4) return fail(c, "the file ends here; it is truncated"), 0;
    uint32_t v = (uint32_t)c->at[0] << 24 | (uint32_t)c->at[1] << 16 | (uint32_t)c->at[2] << 8 | c->at[3];
    int out;
    memcpy(&out, &v, sizeof out);
    c->at += 4;
    return out;
}

static double next_double(cursor *c) {
    uint64_t high = (uint32_t)next_int(c), v = high << 32 | (uint32_t)next_int(c);
    double out;
    memcpy(&out, &v, sizeof out);
    if (c->status == LMB_OK && !isfinite(out)) fail(c, "a number is not finite");
    return c->status == LMB_OK ? out : 0;
}

// how many of `bytes` each follow; the file must hold them
static int next_count(cursor *c, const char *what, double bytes) {
    int n = next_int(c);
    if (c->status == LMB_OK && (n < 0 || n * bytes > (double)(c->end - c->at)))
        fail(c, "%d %s do not fit into the file; it is truncated", n, what);
    return c->status == LMB_OK ? n : 0;
}

static void *room(cursor *c, size_t count, size_t size) {
    void *p = lmb_arena_get(c->m->arena, count + 1, size);
    if (p == NULL) no_memory(c);
    return p;
}

static void read_doubles(cursor *c, double *out, size_t count) {
    for (size_t i = 0; i < count && c->status == LMB_OK; i++) out[i] = next_double(c);
}

// index of a node by its number
static int next_node(cursor *c) {
    int id = next_int(c), i = lmb_label_map_find(&c->nodes, id);
    if (i < 0 && c->status == LMB_OK) fail(c, "unknown node %d", id);
    return c->status == LMB_OK ? i : 0;
}

// index of a node as the file counts, from 0
static int next_place(cursor *c) {
    int i = next_int(c);
    if (c->status == LMB_OK && (i < 0 || i >= c->m->node_count))
        fail(c, "there is no node %d of %d", i, c->m->node_count);
    return c->status == LMB_OK ? i : 0;
}

// ---- blocks --------------------------------------------------------------------------------------

static void read_nodes(cursor *c) {
    lmb_mnf *m = c->m;
    m->node_count = next_count(c, "nodes", 28);
    int dim = next_int(c);
    if (c->status == LMB_OK && (m->node_count == 0 || dim != 3))
        fail(c, "%d nodes of %d coordinates", m->node_count, dim);
    m->id = room(c, (size_t)m->node_count, sizeof *m->id);
    m->x = room(c, 3 * (size_t)m->node_count, sizeof *m->x);
    for (int i = 0; i < m->node_count && c->status == LMB_OK; i++) {
        m->id[i] = next_int(c);
        read_doubles(c, m->x + 3 * (size_t)i, 3);
        if (c->status == LMB_OK && lmb_label_map_find(&c->nodes, m->id[i]) >= 0)
            fail(c, "duplicate node %d", m->id[i]);
        if (c->status == LMB_OK && !lmb_label_map_add(&c->nodes, m->id[i], i)) no_memory(c);
    }
}

static void read_rigid(cursor *c) {
    c->m->has_rigid = true;
    c->m->mass = next_double(c);
    read_doubles(c, c->m->centre, 3);
    read_doubles(c, c->m->products, 9);
}

static void read_eigenvalues(cursor *c) {
    lmb_mnf *m = c->m;
    m->mode_count = next_count(c, "modes", 44);
    if (c->status == LMB_OK && (m->mode_count == 0 || m->mode_count > MOST_MODES))
        fail(c, "%d modes: from 1 to %d are supported", m->mode_count, MOST_MODES);
    m->eigen = room(c, 5 * (size_t)m->mode_count, sizeof *m->eigen);
    for (int i = 0; i < m->mode_count && c->status == LMB_OK; i++) {
        next_int(c);
        read_doubles(c, m->eigen + 5 * (size_t)i, 5);
    }
}

static void read_shapes(cursor *c) {
    lmb_mnf *m = c->m;
    int modes = next_int(c), nodes = next_count(c, "nodes", 4);
    if (c->status == LMB_OK && (modes != m->mode_count || m->mode_count == 0))
        fail(c, "%d modes, but block 7 has %d", modes, m->mode_count);
    if (c->status == LMB_OK && nodes != m->node_count)
        fail(c, "%d nodes of %d have mode shapes; all are needed", nodes, m->node_count);
    int *node = room(c, (size_t)nodes, sizeof *node);
    for (int i = 0; i < nodes && c->status == LMB_OK; i++) node[i] = next_node(c);
    if (c->status == LMB_OK && 48.0 * modes * nodes > (double)(c->end - c->at))
        fail(c, "the file is truncated");
    if (c->status != LMB_OK) return;
    m->shape = room(c, 6 * (size_t)modes * (size_t)nodes, sizeof *m->shape);
    for (int k = 0; k < modes && c->status == LMB_OK; k++) {
        next_int(c);
        for (int i = 0; i < nodes; i++)
            read_doubles(c, m->shape + 6 * ((size_t)k * (size_t)nodes + (size_t)node[i]), 6);
    }
}

static void read_masses(cursor *c) {
    lmb_mnf *m = c->m;
    int n = next_count(c, "masses", 12);
    next_int(c);
    m->lumped = room(c, (size_t)m->node_count, sizeof *m->lumped);
    for (int i = 0; i < n && c->status == LMB_OK; i++) {
        int node = next_node(c);
        double mass = next_double(c);
        if (c->status == LMB_OK && mass < 0) fail(c, "node %d has the mass %g", m->id[node], mass);
        if (c->status == LMB_OK) m->lumped[node] += mass;
    }
}

// a node, row and column 4 to 6, value; a symmetric entry comes once or twice
static void read_inertia(cursor *c) {
    lmb_mnf *m = c->m;
    int n = next_count(c, "inertias", 20);
    m->rotary = room(c, 9 * (size_t)m->node_count, sizeof *m->rotary);
    for (int i = 0; i < n && c->status == LMB_OK; i++) {
        int node = next_node(c), row = next_int(c), column = next_int(c);
        double value = next_double(c);
        if (c->status == LMB_OK && (row < 4 || row > 6 || column < 4 || column > 6))
            fail(c, "node %d: row %d, column %d are not 4 to 6", m->id[node], row, column);
        if (c->status != LMB_OK) return;
        double *J = m->rotary + 9 * (size_t)node;
        J[3 * (row - 4) + column - 4] = J[3 * (column - 4) + row - 4] = value;
    }
}

static void read_units(cursor *c) {
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 16; i++) {
            int letter = next_int(c);
            c->m->unit[k][i] = letter > ' ' && letter < 127 ? (char)letter : '\0';
        }
}

static void read_faces(cursor *c) {
    lmb_mnf *m = c->m;
    next_int(c), next_int(c);
    int faces = next_count(c, "faces", 8), numbers = next_int(c), used = 0;
    if (c->status == LMB_OK && (numbers < 0 || 4.0 * numbers > (double)(c->end - c->at)))
        fail(c, "the file is truncated");
    if (c->status != LMB_OK) return;
    m->face_start = room(c, (size_t)faces + 1, sizeof *m->face_start);
    m->face_node = room(c, (size_t)numbers, sizeof *m->face_node);
    for (int f = 0; f < faces && c->status == LMB_OK; f++) {
        int corners = next_int(c);
        if (c->status == LMB_OK && (corners < 1 || corners > numbers - used))
            fail(c, "face %d has %d nodes", f + 1, corners);
        for (int i = 0; i < corners && c->status == LMB_OK; i++) m->face_node[used++] = next_place(c);
        m->face_start[f + 1] = used;
    }
    if (c->status == LMB_OK) m->face_count = faces;
}

static void read_transformation(cursor *c) {
    int modes = next_count(c, "modes", 4);
    double skipped = 4.0 * modes + 8.0 * modes * modes;
    if (c->status == LMB_OK && skipped > (double)(c->end - c->at)) fail(c, "the file is truncated");
    if (c->status == LMB_OK) c->at += (size_t)skipped;
}

static void read_interfaces(cursor *c) {
    lmb_mnf *m = c->m;
    int n = next_count(c, "interface nodes", 4);
    m->interface = room(c, (size_t)n, sizeof *m->interface);
    for (int i = 0; i < n && c->status == LMB_OK; i++) m->interface[i] = next_place(c);
    if (c->status == LMB_OK) m->interface_count = n;
}

// in the order of the flags; read NULL: not decoded, what follows cannot be found
static const struct {
    const char *name;
    void (*read)(cursor *c);
    bool needed;
} blocks[] = {{"block 4 (nodes)", read_nodes, true},
              {"block 5", NULL, false},
              {"block 6 (mass)", read_rigid, false},
              {"block 7 (eigenvalues)", read_eigenvalues, true},
              {"block 8 (mode shapes)", read_shapes, true},
              {"block 9 (masses of nodes)", read_masses, true},
              {"block 10 (inertia of nodes)", read_inertia, false},
              {"reserved block", NULL, false},
              {"block 11 (units)", read_units, true},
              {"block 12 (generalised stiffness)", NULL, false},
              {"block 13 (generalised mass)", NULL, false},
              {"reserved block", NULL, false},
              {"block 14 (faces)", read_faces, false},
              {"block 15", NULL, false},
              {"block 16 (mode shape transformation)", read_transformation, false},
              {"block 17 (interface nodes)", read_interfaces, false}};

static void read_header(cursor *c) {
    c->block = "header";
    unsigned version = (unsigned)next_int(c);
    if (c->status == LMB_OK && (version & PORTABLE) == 0)
        fail(c, "only platform-independent (XDR) files are supported");
    if (c->status == LMB_OK && (version & 0xff) != VERSION)
        fail(c, "version %u.%u is not supported, only 6.0", (version & 0xff) / 10, (version & 0xff) % 10);
}

static void read_blocks(cursor *c, const unsigned char *start) {
    int flag[LMB_COUNT(blocks)];
    c->at = start + FLAGS_AT;
    for (int i = 0; i < LMB_COUNT(blocks); i++) flag[i] = next_int(c);
    c->at = start + BLOCKS_AT;
    for (int i = 0; i < LMB_COUNT(blocks) && c->status == LMB_OK; i++) {
        c->block = blocks[i].name;
        if (!flag[i] && blocks[i].needed)
            fail(c, "it is missing; write the file with masses, modes and units");
        if (!flag[i] || c->status != LMB_OK) continue;
        if (blocks[i].read == NULL && i > 12) break; // interface nodes stay unknown
        if (blocks[i].read == NULL) fail(c, "it is not supported; write the file without it");
        else blocks[i].read(c);
    }
}

lmb_status lmb_mnf_parse(lmb_mnf **out, const char *bytes, size_t length, const char *file, lmb_error *err) {
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_mnf *m = arena ? lmb_arena_get(arena, 1, sizeof *m) : NULL;
    const unsigned char *start = (const unsigned char *)bytes;
    *out = NULL;
    if (m == NULL) return lmb_arena_destroy(arena), lmb_fail_memory(err);
    *m = (lmb_mnf){.arena = arena, .file = lmb_arena_strdup(arena, file), .interface_count = -1};
    cursor c = {.at = start, .end = start + length, .m = m, .block = "header", .err = err};
    if (m->file == NULL) no_memory(&c);
    if (c.status == LMB_OK && length < BLOCKS_AT)
        fail(&c, "the file is too short for a modal neutral file; it is truncated");
    if (c.status == LMB_OK) read_header(&c);
    if (c.status == LMB_OK) read_blocks(&c, start);
    lmb_label_map_free(&c.nodes);
    if (c.status == LMB_OK) *out = m;
    else lmb_mnf_destroy(m);
    return c.status;
}

void lmb_mnf_destroy(lmb_mnf *m) {
    if (m) lmb_arena_destroy(m->arena);
}

// ---- files ---------------------------------------------------------------------------------------

// the version word of any version
bool lmb_flex_is_mnf(const char *path) {
    unsigned char start[4];
    int fd = lmb_file_open(path, LMB_FILE_LOOK);
    if (fd < 0) return false;
    bool ours = read(fd, start, sizeof start) == 4 && start[0] == 0 && start[1] == 0 && start[2] == 1 &&
                start[3] >= 10;
    close(fd);
    return ours;
}

lmb_status lmb_flex_read_mnf(lmb_flex **out, const char *path, lmb_error *err) {
    lmb_text text = {0};
    lmb_mnf *m = NULL;
    *out = NULL;
    lmb_status st = lmb_file_load(&text, path, LMB_NOWHERE, err);
    if (st == LMB_OK) st = lmb_mnf_parse(&m, text.text, text.length, path, err);
    if (st == LMB_OK) st = lmb_mnf_body(out, m, err);
    lmb_mnf_destroy(m);
    lmb_text_free(&text);
    return st;
}
