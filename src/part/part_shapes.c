// part/part_shapes.c: the frame and the shape functions a description asks for.
#include "part/local.h"

#include <string.h>

// ---- directions --------------------------------------------------------------------------------

// x, y, z, rx, ry, rz: a bit; 0: none of them
static int direction(const char *text) {
    static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
    for (int k = 0; k < 6; k++)
        if (strcmp(names[k], text) == 0) return 1 << k;
    return 0;
}

static lmb_status fail_direction(lmb_error *err, lmb_where where, const char *text) {
    return lmb_fail(err, LMB_ERR_INPUT, where, "'%s' is not a direction; choose one of x, y, z, rx, ry, rz",
                    text);
}

lmb_status lmb_part_read_directions(int *mask, const lmb_node *n, lmb_error *err) {
    bool list = n->kind == LMB_NODE_LIST;
    *mask = 0;
    for (const lmb_node *k = list ? n->first : n; k; k = list ? k->next : NULL) {
        if (k->kind != LMB_NODE_SCALAR)
            return lmb_fail(err, LMB_ERR_INPUT, k->where, "expected directions such as [x, y, rz]");
        int bit = strcmp(k->text, "all") == 0 ? 63 : direction(k->text);
        if (bit == 0) return fail_direction(err, k->where, k->text);
        *mask |= bit;
    }
    if (*mask == 0) return lmb_fail(err, LMB_ERR_INPUT, n->where, "expected directions such as [x, y, rz]");
    return LMB_OK;
}

// "tip.y" -> tip and y; "tip" -> tip and x, y, z
static lmb_status split_target(const char **name, int *mask, lmb_spec *s, const char *text, lmb_where where,
                               lmb_error *err) {
    const char *dot = strrchr(text, '.');
    *mask = 7;
    *name = text;
    if (dot == NULL) return LMB_OK;
    *mask = direction(dot + 1);
    if (*mask == 0 || *mask > 7)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "'%s' does not end in a direction; write name.x, name.y or name.z", text);
    *name = lmb_arena_printf(s->arena, "%.*s", (int)(dot - text), text);
    return *name ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_part_split_direction(const char **name, int *index, lmb_spec *s, const char *text,
                                    lmb_where where, lmb_error *err) {
    const char *dot = strrchr(text, '.');
    int bit = dot ? direction(dot + 1) : 0;
    if (bit == 0)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "'%s' is not a direction of a marker; write tip.x, ..., tip.rz", text);
    for (*index = 0; bit > 1; bit >>= 1) ++*index;
    *name = lmb_arena_printf(s->arena, "%.*s", (int)(dot - text), text);
    return *name ? LMB_OK : lmb_fail_memory(err);
}

// ---- frame -------------------------------------------------------------------------------------

typedef struct frame_read {
    uint64_t given;
    const char *tangent;
    lmb_texts chord;
    vec3 at;
} frame_read;
enum { FRAME_TANGENT, FRAME_CHORD, FRAME_AT };

// clang-format off
static const lmb_key frame_keys[] = {
    {"tangent", LMB_KEY_TEXT, offsetof(frame_read, tangent), 0, {0}, 0, 0, "The marker to which the frame is attached."},
    {"chord", LMB_KEY_TEXTS, offsetof(frame_read, chord), 0, {0}, 0, 0,
     "The line from marker a to marker b; the rotation about it follows a, or marker c if given (off the line)."},
    {"at", LMB_KEY_VEC3, offsetof(frame_read, at), 0, LMB_LENGTH, 0, 0, "Point, m; the frame is attached to the nearest material."},
    {0},
};
const lmb_key lmb_frame_forms[] = {
    {"markers", LMB_KEY_MAP, .keys = frame_keys},
    {"name", LMB_KEY_CHOICE, .choices = "buckens|tangent|chord|mean|centre|origin"}, {0},
};
// clang-format on

static lmb_status frame_name(lmb_part *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    static const lmb_frame_kind kinds[] = {LMB_FRAME_BUCKENS, LMB_FRAME_TANGENT, LMB_FRAME_CHORD,
                                           LMB_FRAME_MEAN,    LMB_FRAME_CENTRE,  LMB_FRAME_ORIGIN};
    struct {
        uint64_t given;
        int kind;
    } r = {0};
    const lmb_key key[] = {{"frame",
                            LMB_KEY_CHOICE,
                            offsetof(frame_read, tangent),
                            LMB_KEY_SHORT,
                            {0},
                            lmb_frame_forms[1].choices},
                           {0}};
    lmb_status st = lmb_spec_read(&r, s, n, key, out->what, err);
    if (st == LMB_OK) out->frame.kind = kinds[r.kind];
    return st;
}

static lmb_status frame_markers(lmb_part *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    frame_read r = {0};
    lmb_status st = lmb_spec_read(&r, s, n, frame_keys, "frame", err);
    if (st != LMB_OK) return st;
    if (LMB_GIVEN(r, FRAME_TANGENT) + LMB_GIVEN(r, FRAME_CHORD) + LMB_GIVEN(r, FRAME_AT) != 1)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "`frame` must be {tangent: a}, {chord: [a, b]} or {at: [x, y, z]}");
    out->frame.kind = LMB_GIVEN(r, FRAME_TANGENT) ? LMB_FRAME_TANGENT
                      : LMB_GIVEN(r, FRAME_AT)    ? LMB_FRAME_AT
                                                  : LMB_FRAME_CHORD;
    out->frame.x = r.at;
    out->frame_markers[0] = r.tangent;
    if (out->frame.kind != LMB_FRAME_CHORD) return LMB_OK;
    if (r.chord.count < 2 || r.chord.count > 3)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "chord"),
                        "`chord` must be [a, b], or [a, b, c] with a marker off the line");
    for (int i = 0; i < r.chord.count; i++) out->frame_markers[i] = r.chord.v[i];
    return LMB_OK;
}

lmb_status lmb_part_read_frame(lmb_part *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    out->frame = (lmb_frame_choice){LMB_FRAME_DEFAULT, -1, -1, -1, n ? n->where : out->map->where, V3_ZERO};
    if (n == NULL) return LMB_OK;
    if (n->kind == LMB_NODE_SCALAR) return frame_name(out, s, n, err);
    if (n->kind == LMB_NODE_MAP) return frame_markers(out, s, n, err);
    return lmb_fail(
        err, LMB_ERR_INPUT, n->where,
        "`frame` must be one of buckens, tangent, chord, mean, centre, origin, {tangent: a}, {chord: "
        "[a, b]}, {at: [x, y, z]}");
}

// ---- shapes ------------------------------------------------------------------------------------

typedef struct modes_read {
    uint64_t given;
    int count;
    double max_frequency;
    const lmb_node *held, *directions;
} modes_read;
enum { MODES_COUNT, MODES_MAX_FREQUENCY };

typedef struct shape_read {
    uint64_t given;
    int shape;
    modes_read craig_bampton, eigen;
    int krylov;
    const char *force, *torque, *displacement, *distributed;
    const lmb_node *acceleration, *held, *residual, *combined;
    int blocks;
    bool keep;
} shape_read;
enum {
    SHAPE,
    CRAIG_BAMPTON,
    EIGEN,
    KRYLOV,
    FORCE,
    TORQUE,
    DISPLACEMENT,
    DISTRIBUTED,
    ACCELERATION,
    RESIDUAL,
    COMBINED,
    KEEP,
    HELD,
    BLOCKS
};

// clang-format off
#define MODES_KEYS                                                                                                 \
    {"count", LMB_KEY_INTEGER, offsetof(modes_read, count), LMB_KEY_NOT_NEGATIVE | LMB_KEY_SHORT, {0}, 0, 0,       \
     "Number of modes (default 10, or all up to max_frequency)."},                                                 \
    {"max_frequency", LMB_KEY_NUMBER, offsetof(modes_read, max_frequency), LMB_KEY_POSITIVE, LMB_RATE, 0, 0,       \
     "Highest frequency of the modes, Hz."}
static const lmb_key held_forms[] = {
    {"how", LMB_KEY_CHOICE, .choices = "frame|free"},
    {"all", LMB_KEY_CHOICE, .choices = "all|x|y|z|rx|ry|rz", .flags = LMB_KEY_BY_NAME},
    {"some", LMB_KEY_NODE, .flags = LMB_KEY_BY_NAME}, {0},
};
static const lmb_key direction_forms[] = {
    {"several", LMB_KEY_TEXTS, .choices = "x|y|z|rx|ry|rz|all"}, {"one", LMB_KEY_CHOICE, .choices = "x|y|z|rx|ry|rz|all"}, {0},
};
static const lmb_key craig_bampton_keys[] = {MODES_KEYS, {0}};
static const lmb_key eigen_keys[] = {
    MODES_KEYS,
    {"held", LMB_KEY_NODE, offsetof(modes_read, held), 0, {0}, "frame, free, or {a: all, b: [x, y, z]}", held_forms,
     "Supports of the modes: those of the frame (frame, the default), none (free), or directions of markers."},
    {"directions", LMB_KEY_NODE, offsetof(modes_read, directions), 0, {0}, "any of [x, y, z, rx, ry, rz]", direction_forms,
     "Only modes with at least 90 % of their energy in these directions (of a beam, of its own axes): x for stretching, [y, rz] for bending in one plane (default all)."},
    {0},
};
static const lmb_key shape_keys[] = {
    {"shape", LMB_KEY_CHOICE, offsetof(shape_read, shape), LMB_KEY_SHORT, {0}, "craig_bampton|guyan|attachment|all|eigen", 0,
     "Shorthand without numbers: craig_bampton (10 modes), guyan (unit displacements of the interfaces), attachment (unit loads at every interface), all (every nodal coordinate), eigen (10 modes)."},
    {"craig_bampton", LMB_KEY_MAP, offsetof(shape_read, craig_bampton), 0, {0}, 0, craig_bampton_keys,
     "Unit displacements of all interfaces, and fixed-interface modes."},
    {"eigen", LMB_KEY_MAP, offsetof(shape_read, eigen), 0, {0}, 0, eigen_keys, "Eigenmodes under given supports."},
    {"krylov", LMB_KEY_INTEGER, offsetof(shape_read, krylov), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Number of blocks of Krylov vectors of the interface loads."},
    {"force", LMB_KEY_TEXT, offsetof(shape_read, force), 0, {0}, 0, 0, "Deflection under a unit force: tip.y, or tip for x, y and z."},
    {"torque", LMB_KEY_TEXT, offsetof(shape_read, torque), 0, {0}, 0, 0, "Deflection under a unit torque: tip.z, or tip."},
    {"displacement", LMB_KEY_TEXT, offsetof(shape_read, displacement), 0, {0}, 0, 0,
     "Unit displacement of an interface with the others fixed: a.x, a.rz, or a for x, y and z."},
    {"distributed", LMB_KEY_TEXT, offsetof(shape_read, distributed), 0, {0}, 0, 0,
     "Deflection under a unit load distributed over a set of faces (beam: set `beam`): set.z."},
    {"acceleration", LMB_KEY_NODE, offsetof(shape_read, acceleration), 0, {0}, "any of [x, y, z, rx, ry, rz]",
     direction_forms, "Deflection under the inertia forces of unit accelerations."},
    {"residual", LMB_KEY_NODE, offsetof(shape_read, residual), 0, {0}, "[[number, ...], ...]", 0,
     "Responses to combinations of loads outside the shape functions before this entry, a row each: factors of the 6 products of the angular velocity, force and torque at every marker of the part, and the inertia of every shape function. `limber run` writes them."},
    {"combined", LMB_KEY_NODE, offsetof(shape_read, combined), 0, {0}, "[[number, ...], ...]", 0,
     "Combinations of the shape functions before this entry, a row each, which take their place. `limber run` writes them."},
    {"keep", LMB_KEY_BOOL, offsetof(shape_read, keep), 0, {0}, 0, 0, "Do not project the shape into the frame (default off)."},
    {"held", LMB_KEY_NODE, offsetof(shape_read, held), 0, {0}, "frame, free, or {a: all, b: [x, y, z]}", held_forms,
     "With force, torque, distributed, acceleration: supports under that load, as for eigen (default frame)."},
    {"blocks", LMB_KEY_INTEGER, offsetof(shape_read, blocks), LMB_KEY_POSITIVE, {0}, 0, 0,
     "With residual: number of blocks, the responses and those to their inertia forces (default 1: the responses alone)."},
    {0},
};
const lmb_key lmb_shapes_forms[] = {
    {"several", LMB_KEY_MAPS, .keys = shape_keys}, {"one", LMB_KEY_MAP, .keys = shape_keys}, {"auto", LMB_KEY_CHOICE, .choices = "auto"}, {0},
};
// clang-format on

static lmb_status read_holds(lmb_part_shape *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    out->holds = lmb_arena_get(s->arena, (size_t)n->count, sizeof *out->holds);
    if (out->holds == NULL) return lmb_fail_memory(err);
    out->request.held = LMB_HELD_MARKERS;
    for (const lmb_node *k = n->first; k; k = k->next) {
        lmb_part_hold *h = &out->holds[out->hold_count++];
        *h = (lmb_part_hold){.marker = k->key, .where = k->key_where};
        lmb_status st = lmb_part_read_directions(&h->mask, k, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

static lmb_status read_held(lmb_part_shape *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    out->request.held = LMB_HELD_BY_FRAME;
    if (n == NULL) return LMB_OK;
    if (n->kind == LMB_NODE_MAP && n->count > 0) return read_holds(out, s, n, err);
    if (n->kind == LMB_NODE_SCALAR && strcmp(n->text, "frame") == 0) return LMB_OK;
    if (n->kind == LMB_NODE_SCALAR && strcmp(n->text, "free") == 0)
        return out->request.held = LMB_HELD_FREE, LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, n->where,
        "'held' must be frame, free, or a map from markers to directions: {a: all, b: [x, y, z]}");
}

// count and frequency; with a frequency alone as many modes as there are
static lmb_status read_modes(lmb_part_shape *out, lmb_spec *s, const modes_read *m, lmb_error *err) {
    enum { USUAL = 10, MANY = 1000 };
    bool count = LMB_GIVEN(*m, MODES_COUNT), frequency = LMB_GIVEN(*m, MODES_MAX_FREQUENCY);
    out->request.count = count ? m->count : frequency ? MANY : USUAL;
    out->request.max_frequency = m->max_frequency;
    lmb_status st =
        m->directions ? lmb_part_read_directions(&out->request.directions, m->directions, err) : LMB_OK;
    if (st != LMB_OK) return st;
    return read_held(out, s, m->held, err);
}

static lmb_status read_load(lmb_part_shape *out, lmb_spec *s, const shape_read *r, const lmb_node *n,
                            lmb_error *err) {
    static const struct {
        int key;
        lmb_static_load load;
        const char *name;
    } loads[] = {{FORCE, LMB_STATIC_FORCE, "force"},
                 {TORQUE, LMB_STATIC_TORQUE, "torque"},
                 {DISPLACEMENT, LMB_STATIC_DISPLACEMENT, "displacement"},
                 {DISTRIBUTED, LMB_STATIC_DISTRIBUTED, "distributed"}};
    const char *texts[] = {r->force, r->torque, r->displacement, r->distributed};
    out->request.family = LMB_SHAPES_STATIC;
    if (LMB_GIVEN(*r, ACCELERATION)) {
        out->request.load = LMB_STATIC_ACCELERATION;
        return lmb_part_read_directions(&out->request.mask, r->acceleration, err);
    }
    for (int i = 0; i < LMB_COUNT(loads); i++) {
        if (!LMB_GIVEN(*r, loads[i].key)) continue;
        lmb_where where = lmb_node_place(n, loads[i].name);
        const char *dot = strrchr(texts[i], '.');
        out->request.load = loads[i].load;
        if (loads[i].load == LMB_STATIC_DISPLACEMENT && dot && direction(dot + 1) > 7) { // a.rz
            out->request.mask = direction(dot + 1);
            out->target = lmb_arena_printf(s->arena, "%.*s", (int)(dot - texts[i]), texts[i]);
            return out->target ? LMB_OK : lmb_fail_memory(err);
        }
        return split_target(&out->target, &out->request.mask, s, texts[i], where, err);
    }
    return LMB_OK;
}

// rows of equal length
static lmb_status read_rows(lmb_part_shape *out, lmb_spec *s, const lmb_node *n, const char *key,
                            lmb_error *err) {
    int rows = n->kind == LMB_NODE_LIST ? n->count : 0, columns = rows > 0 ? n->first->count : 0, at = 0;
    lmb_status st = LMB_OK;
    for (const lmb_node *k = n->first; k && rows > 0; k = k->next)
        if (k->kind != LMB_NODE_LIST || k->count == 0 || k->count != columns)
            return lmb_fail(err, LMB_ERR_INPUT, k->where, "`%s` must be rows of equally many numbers", key);
    double *v = lmb_arena_doubles(s->arena, rows * columns + 1);
    if (v == NULL) return lmb_fail_memory(err);
    if (rows == 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "`%s` must be a list of rows of numbers, such as `limber run` writes", key);
    for (const lmb_node *k = n->first; k; k = k->next)
        for (const lmb_node *x = k->first; x && st == LMB_OK; x = x->next)
            st = lmb_spec_value(&v[at++], s, x, err);
    out->request.combination_count = rows, out->request.load_count = columns, out->request.combinations = v;
    return st;
}

static lmb_status read_shape(lmb_part_shape *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    static const lmb_shape_family words[] = {LMB_SHAPES_CRAIG_BAMPTON, LMB_SHAPES_GUYAN,
                                             LMB_SHAPES_ATTACHMENT, LMB_SHAPES_ALL, LMB_SHAPES_EIGEN};
    shape_read r = {0};
    lmb_status st = lmb_spec_read(&r, s, n, shape_keys, "an entry of shapes", err);
    if (st != LMB_OK) return st;
    int kinds = 0;
    for (int k = SHAPE; k < KEEP; k++) kinds += (int)LMB_GIVEN(r, k);
    if (kinds != 1)
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "an entry of shapes must be one of craig_bampton, guyan, eigen, attachment, krylov, "
            "force, torque, "
            "displacement, distributed, acceleration, residual, combined, all; %s (write a list for several)",
            kinds == 0 ? "none is given" : "several are given");
    out->request = (lmb_shape_request){
        .family = words[r.shape], .marker = -1, .set = -1, .keep = r.keep, .where = n->where};
    if (LMB_GIVEN(r, HELD)) {
        if (!LMB_GIVEN(r, FORCE) && !LMB_GIVEN(r, TORQUE) && !LMB_GIVEN(r, DISTRIBUTED) &&
            !LMB_GIVEN(r, ACCELERATION))
            return lmb_fail(
                err, LMB_ERR_INPUT, lmb_node_place(n, "held"),
                "'held' applies here only to force, torque, distributed or acceleration; for modes write "
                "{eigen: {count: 5, held: ...}}");
        st = read_held(out, s, r.held, err);
        if (st != LMB_OK) return st;
    }
    if (LMB_GIVEN(r, RESIDUAL)) {
        out->request.family = LMB_SHAPES_RESIDUAL, out->request.count = r.blocks > 0 ? r.blocks : 1;
        return read_rows(out, s, r.residual, "residual", err);
    }
    if (LMB_GIVEN(r, COMBINED))
        return out->request.family = LMB_SHAPES_COMBINED, read_rows(out, s, r.combined, "combined", err);
    if (LMB_GIVEN(r, SHAPE)) return read_modes(out, s, &r.eigen, err);
    if (LMB_GIVEN(r, CRAIG_BAMPTON))
        return out->request.family = LMB_SHAPES_CRAIG_BAMPTON, read_modes(out, s, &r.craig_bampton, err);
    if (LMB_GIVEN(r, EIGEN)) return out->request.family = LMB_SHAPES_EIGEN, read_modes(out, s, &r.eigen, err);
    if (LMB_GIVEN(r, KRYLOV))
        return out->request.family = LMB_SHAPES_KRYLOV, out->request.count = r.krylov, LMB_OK;
    return read_load(out, s, &r, n, err);
}

lmb_status lmb_part_read_shapes(lmb_part *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    if (n == NULL) return LMB_OK;
    out->chosen = n->kind == LMB_NODE_SCALAR && strcmp(n->text, "auto") == 0;
    if (out->chosen) return LMB_OK;
    bool list = n->kind == LMB_NODE_LIST;
    if (list && n->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "`shapes` is empty; write shapes: {craig_bampton: 10}, or omit it");
    out->shapes = lmb_arena_get(s->arena, list ? (size_t)n->count : 1, sizeof *out->shapes);
    if (out->shapes == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (const lmb_node *k = list ? n->first : n; k && st == LMB_OK; k = list ? k->next : NULL)
        st = read_shape(&out->shapes[out->shape_count++], s, k, err);
    return st;
}
