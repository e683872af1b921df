// system/build_bodies.c: bodies, their blocks, start values and markers.
#include "part/part.h"
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

void *lmb_build_push(lmb_build *b, void **array, int *count, int *capacity, size_t size) {
    if (*count == *capacity) {
        int grown = *capacity ? 2 * *capacity : 16;
        void *bigger = lmb_arena_get(b->arena, (size_t)grown, size);
        if (bigger == NULL) return NULL;
        if (*count) memcpy(bigger, *array, (size_t)*count * size);
        *array = bigger;
        *capacity = grown;
    }
    return (char *)*array + (size_t)(*count)++ * size;
}

bool lmb_names_put(lmb_names *t, const char *name, int index) {
    void **slot = lmb_names_slot(t, name);
    if (slot) *slot = (void *)(intptr_t)(index + 1);
    return slot != NULL;
}

lmb_spec *lmb_build_spec(lmb_build *b) { return b->spec; }
lmb_arena *lmb_build_arena(lmb_build *b) { return b->arena; }
const lmb_joint *lmb_build_joint(const lmb_build *b, int joint) { return &b->m->joints[joint]; }

static lmb_status no_files(const lmb_node *map, const char *key, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(map, key), "body files cannot be read here");
}

lmb_status lmb_build_flex(lmb_flex **out, lmb_build *b, const lmb_node *map, const char *key,
                          const char *path, lmb_error *err) {
    return b->files ? b->files->flex(b->files->user, out, map, key, path, err) : no_files(map, key, err);
}

lmb_status lmb_build_part(lmb_part *out, lmb_build *b, const lmb_node *map, const char *key, const char *path,
                          lmb_error *err) {
    return b->files ? b->files->part(b->files->user, out, map, key, path, err) : no_files(map, key, err);
}

// Beams with equal texts are equal: all that the description says, with places relative to the start of the line, in 1e-12 of its length:
// pieces of one beam differ by round-off.
typedef struct equal_beams {
    lmb_flex *flex;
    vec3 a; // start of its line
} equal_beams;

static vec3 rounded(vec3 x, double unit) {
    return v3(unit * nearbyint(x.x / unit), unit * nearbyint(x.y / unit), unit * nearbyint(x.z / unit));
}

bool lmb_beam_text(lmb_text *out, const lmb_part *part) {
    const lmb_beam_part *l = &part->beam;
    vec3 d = v3_sub(l->b, l->a);
    double length = v3_norm(d), unit = 1e-12 * exp2(round(log2(length)));
    lmb_part own = *part;
    own.keys.from = own.keys.to = v3(NAN, NAN, NAN), own.keys.length = NAN;
    own.sites = lmb_alloc((size_t)part->site_count + 1, sizeof *own.sites);
    if (own.sites == NULL) return false;
    for (int i = 0; i < part->site_count; i++) {
        own.sites[i] = part->sites[i];
        if (part->sites[i].has_at) own.sites[i].at = rounded(v3_sub(part->sites[i].at, l->a), unit);
    }
    if (own.frame.kind == LMB_FRAME_AT) own.frame.x = rounded(v3_sub(own.frame.x, l->a), unit);
    d = rounded(d, unit);
    bool ok =
        lmb_part_write(out, &own) && lmb_text_add(out, "%d %.15g %.15g %.15g %.17g %.17g %.17g", l->elements,
                                                  d.x, d.y, d.z, l->up.x, l->up.y, l->up.z);
    lmb_free(own.sites);
    return ok;
}

static lmb_status reduce_new(lmb_flex **out, lmb_build *b, const char *text, const lmb_part *part,
                             const char *name, lmb_error *err) {
    const char *kept = lmb_arena_strdup(b->arena, text);
    equal_beams *first = lmb_arena_get(b->arena, 1, sizeof *first);
    void **slot = kept && first ? lmb_names_slot(&b->beams, kept) : NULL;
    if (slot == NULL) return lmb_fail_memory(err);
    lmb_status st = b->files && b->files->beam
                        ? b->files->beam(b->files->user, out, part, name, err)
                        : lmb_part_reduce(out, part, NULL, &(lmb_part_options){.name = name}, err);
    *first = (equal_beams){*out, part->beam.a};
    if (st == LMB_OK) *slot = first;
    return st;
}

// equal beams, and equal pieces of a beam, are reduced once
static lmb_status reduce_beam(lmb_flex **out, lmb_build *b, const lmb_part *part, const char *name,
                              lmb_error *err) {
    lmb_text text = {0};
    lmb_status st = lmb_beam_text(&text, part) ? LMB_OK : lmb_fail_memory(err);
    const equal_beams *known = st == LMB_OK ? lmb_names_get(&b->beams, text.text) : NULL;
    if (known) st = lmb_flex_share(out, known->flex, name, v3_sub(part->beam.a, known->a), err);
    else if (st == LMB_OK) st = reduce_new(out, b, text.text, part, name, err);
    lmb_text_free(&text);
    return st;
}

lmb_status lmb_build_reduce(lmb_flex **out, lmb_build *b, const lmb_part *part, const char *name,
                            lmb_error *err) {
    lmb_part own = *part;
    if (b->files && b->files->more && part->keys.stress)
        own.more = b->files->more(b->files->user, &own.more_count, name, part->piece);
    if (b->ahead) return lmb_ahead_note(b, &own, name, err);
    if (part->kind == LMB_PART_BEAM) return reduce_beam(out, b, &own, name, err);
    return b->files ? b->files->reduce(b->files->user, out, &own, name, err)
                    : no_files(part->map, "file", err);
}

lmb_status lmb_build_keep(lmb_build *b, void *thing, void (*destroy)(void *thing), lmb_error *err) {
    lmb_kept *k = LMB_PUSH(b, b->m->kept, b->m->kept_count, b->kept_cap);
    if (k == NULL) return destroy(thing), lmb_fail_memory(err);
    *k = (lmb_kept){thing, destroy};
    return LMB_OK;
}

// ---- markers -----------------------------------------------------------------------------------

pose lmb_build_pose(const lmb_build *b, int marker) {
    const lmb_marker *k = &b->m->markers[marker];
    return k->body < 0 ? k->local : pose_mul(b->starts[k->body].p, k->local);
}

pose lmb_build_start(const lmb_build *b, const lmb_body *body) { return b->starts[body - b->m->bodies].p; }

int lmb_build_body_of(const lmb_build *b, int marker) { return b->m->markers[marker].body; }

const lmb_block_plan lmb_frame_blocks[2] = {{LMB_BLOCK_POINT, 3, 0}, {LMB_BLOCK_ROT, 3, 0}};

// the part of a body that carries a marker: that of the marker it is fixed to, or the one at its place
static int part_for(const lmb_build *b, int body, const pose *local, int on) {
    const lmb_body_kind *kind = b->starts[body].kind;
    int first = body - b->m->bodies[body].part;
    return on >= 0 || kind == NULL || kind->part == NULL ? body
                                                         : first + kind->part(&b->m->bodies[first], local);
}

// on this very part of a body; on: the marker it is fixed to, -1: none
static lmb_status add_marker_on(int *marker, lmb_build *b, const char *name, int body, pose local, int on,
                                lmb_where where, lmb_error *err) {
    lmb_marker *k = LMB_PUSH(b, b->m->markers, b->m->marker_count, b->marker_cap);
    if (k == NULL) return lmb_fail_memory(err);
    *marker = b->m->marker_count - 1;
    *k = (lmb_marker){name, body, *marker, local, -1, -1, NULL};
    if (name[0] && !lmb_names_put(&b->markers, name, *marker)) return lmb_fail_memory(err);
    const lmb_body_kind *kind = body >= 0 ? b->starts[body].kind : NULL;
    if (kind == NULL || kind->site == NULL) return LMB_OK;
    return kind->site(&k->site, b, &b->m->bodies[body], &local, on >= 0 ? &b->m->markers[on] : NULL, where,
                      err);
}

static lmb_status add_marker(int *marker, lmb_build *b, const char *name, int body, pose local, int on,
                             lmb_where where, lmb_error *err) {
    if (body >= 0) body = part_for(b, body, &local, on);
    return add_marker_on(marker, b, name, body, local, on, where, err);
}

bool lmb_build_remark(lmb_build *b, const char *text) {
    if (b->ahead) return true; // it is told when the body is built
    lmb_remark *r = lmb_arena_get(b->arena, 1, sizeof *r);
    if (r == NULL) return false;
    *r = (lmb_remark){text, NULL};
    const lmb_remark **last = &b->m->remarks;
    while (*last) last = (const lmb_remark **)&(*last)->next;
    *last = r;
    return true;
}

lmb_status lmb_build_marker_on(int *marker, lmb_build *b, int body, pose local, lmb_error *err) {
    return add_marker_on(marker, b, "", body, local, -1, LMB_NOWHERE, err);
}

lmb_status lmb_build_marker_at(int *marker, lmb_build *b, int on, pose global, lmb_error *err) {
    int body = b->m->markers[on].body;
    pose local = body < 0 ? global : pose_mul(pose_inv(b->starts[body].p), global);
    return add_marker(marker, b, "", body, local, on, LMB_NOWHERE, err);
}

static const char *marker_candidate(void *user, int i) {
    const lmb_build *b = user;
    if (i < b->m->marker_count) return b->m->markers[i].name;
    i -= b->m->marker_count;
    return i < b->m->body_count ? b->m->bodies[i].name : i == b->m->body_count ? "ground" : NULL;
}

lmb_status lmb_build_marker(int *marker, lmb_build *b, const char *ref, lmb_where where, lmb_error *err) {
    if (strcmp(ref, "ground") == 0) return *marker = b->m->ground, LMB_OK;
    *marker = lmb_names_index(&b->markers, ref);
    if (*marker >= 0) return LMB_OK;
    int body = lmb_names_index(&b->bodies, ref);
    if (body >= 0) { // a body's own frame
        const char *name = b->m->bodies[body].name;
        return b->m->bodies[body].part > 0 ? add_marker_on(marker, b, name, body, POSE_ID, -1, where, err)
                                           : add_marker(marker, b, name, body, POSE_ID, -1, where, err);
    }
    const char *near = lmb_nearest(ref, marker_candidate, b);
    if (near && near[0])
        return lmb_fail(err, LMB_ERR_INPUT, where, "unknown marker '%s'; did you mean '%s'?", ref, near);
    return lmb_fail(err, LMB_ERR_INPUT, where, "unknown marker '%s'; give body.marker, a body, or ground",
                    ref);
}

typedef struct marker_read {
    uint64_t given;
    const char *on;
    vec3 at, z, x;
    quat rotate;
    int in;
} marker_read;

// clang-format off
const lmb_key lmb_body_marker_keys[] = {
    {"at", LMB_KEY_VEC3, offsetof(marker_read, at), LMB_KEY_SHORT, LMB_LENGTH, 0, 0, "Position, m."},
    {"rotate", LMB_KEY_ROTATION, offsetof(marker_read, rotate), 0, {0}, 0, 0, "Orientation."},
    {"z", LMB_KEY_VEC3, offsetof(marker_read, z), 0, {0}, 0, 0, "Direction of the z axis (instead of rotate)."},
    {"x", LMB_KEY_VEC3, offsetof(marker_read, x), 0, {0}, 0, 0, "Approximate direction of the x axis, together with z."},
    {0},
};
const lmb_key lmb_marker_keys[] = {
    {"on", LMB_KEY_TEXT, offsetof(marker_read, on), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, "The body, or ground."},
    {"at", LMB_KEY_VEC3, offsetof(marker_read, at), 0, LMB_LENGTH, 0, 0, "Position, m."},
    {"rotate", LMB_KEY_ROTATION, offsetof(marker_read, rotate), 0, {0}, 0, 0, "Orientation."},
    {"z", LMB_KEY_VEC3, offsetof(marker_read, z), 0, {0}, 0, 0, "Direction of the z axis (instead of rotate)."},
    {"x", LMB_KEY_VEC3, offsetof(marker_read, x), 0, {0}, 0, 0, "Approximate direction of the x axis, together with z."},
    {"in", LMB_KEY_CHOICE, offsetof(marker_read, in), 0, {0}, "body|global", 0,
     "Whether position and directions refer to the body frame (default) or to the global frame at the start."},
    {0},
};
// clang-format on

static lmb_status read_marker(pose *out, lmb_build *b, marker_read *r, const lmb_node *n, const lmb_key *keys,
                              lmb_error *err) {
    char what[160];
    snprintf(what, sizeof what, "marker '%s'", n->key);
    r->rotate = Q_ID;
    lmb_status st = lmb_spec_read(r, b->spec, n, keys, what, err);
    if (st != LMB_OK) return st;
    bool z = lmb_node_find(n, "z") != NULL;
    if (z && !v3_has_direction(r->z))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "z"),
                        "%s: the z axis has length zero; give a direction", what);
    if (!z && lmb_node_find(n, "x"))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "x"),
                        "%s: `x` has an effect only together with `z`; add the direction `z`", what);
    if (z && lmb_node_find(n, "rotate"))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "rotate"),
                        "%s: give either `rotate` or `z`, not both", what);
    *out = (pose){r->at, z ? m3_frame_z(r->z, r->x) : q_matrix(r->rotate)};
    return LMB_OK;
}

lmb_status lmb_build_body_marker(pose *out, lmb_build *b, const lmb_node *n, lmb_error *err) {
    marker_read r = {0};
    return read_marker(out, b, &r, n, lmb_body_marker_keys, err);
}

lmb_status lmb_build_named_marker(pose *out, const char **on, bool *global, lmb_build *b, const lmb_node *n,
                                  lmb_error *err) {
    marker_read r = {0};
    lmb_status st = read_marker(out, b, &r, n, lmb_marker_keys, err);
    *on = r.on, *global = r.in == 1;
    return st;
}

static lmb_status body_markers(lmb_build *b, int body, const lmb_node *map, lmb_error *err) {
    for (const lmb_node *n = map->first; n; n = n->next) {
        pose local;
        lmb_status st = lmb_name_check(n->key, "markers", n->key_where, err);
        if (st != LMB_OK) return st;
        const char *name = lmb_arena_printf(b->arena, "%s.%s", b->m->bodies[body].name, n->key);
        if (name == NULL) return lmb_fail_memory(err);
        st = lmb_build_body_marker(&local, b, n, err);
        if (st != LMB_OK) return st;
        int marker;
        st = add_marker(&marker, b, name, body, local, -1, n->where, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

// markers defined by the kind of the body
static lmb_status own_markers(lmb_build *b, int body, const lmb_body_plan *plan, const lmb_node *n,
                              lmb_error *err) {
    for (int i = 0; i < plan->marker_count; i++) {
        const lmb_marker_plan *k = &plan->markers[i];
        const char *name = lmb_arena_printf(b->arena, "%s.%s", b->m->bodies[body].name, k->name);
        if (name == NULL) return lmb_fail_memory(err);
        if (lmb_names_index(&b->markers, name) >= 0) continue;
        pose local = {k->at, M3_ID};
        int marker, on = k->part > 0 ? body + k->part - 1 : part_for(b, body, &local, -1);
        lmb_status st = add_marker_on(&marker, b, name, on, local, -1, n->where, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

lmb_status lmb_build_named_markers(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "markers");
    for (const lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        const char *ref;
        bool global;
        pose p;
        int on;
        if (n->kind == LMB_NODE_LIST || n->kind == LMB_NODE_SCALAR)
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "marker '%s' has no body; write {on: body, at: [x, y, z]}", n->key);
        lmb_status st = lmb_build_named_marker(&p, &ref, &global, b, n, err);
        if (st == LMB_OK) st = lmb_build_marker(&on, b, ref, lmb_node_place(n, "on"), err);
        if (st != LMB_OK) return st;
        if (lmb_names_index(&b->markers, n->key) >= 0 || lmb_names_index(&b->bodies, n->key) >= 0)
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "the name '%s' is already in use; choose another name for this marker", n->key);
        int body = b->m->markers[on].body;
        global = global || body < 0;
        if (global) p = pose_mul(lmb_node_pose(n), p);
        if (body >= 0)
            p = global ? pose_mul(pose_inv(b->starts[body].p), p) : pose_mul(b->m->markers[on].local, p);
        st = add_marker(&on, b, n->key, body, p, -1, n->where, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

// ---- bodies ------------------------------------------------------------------------------------

static lmb_status add_blocks(lmb_build *b, lmb_body *body, const lmb_body_plan *plan, lmb_error *err) {
    int *blocks = lmb_arena_get(b->arena, (size_t)plan->block_count, sizeof *blocks);
    if (blocks == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < plan->block_count; i++) {
        if (body->part > 0 && i < plan->shared) { // the last markers of the previous part
            blocks[i] = b->m->block_count - plan->shared + i;
            continue;
        }
        lmb_block *k = LMB_PUSH(b, b->m->blocks, b->m->block_count, b->block_cap);
        if (k == NULL) return lmb_fail_memory(err);
        const lmb_block_plan *p = &plan->blocks[i];
        bool rot = p->kind == LMB_BLOCK_ROT, point = p->kind == LMB_BLOCK_POINT;
        int nv = rot || point ? 3 : p->size;
        *k = (lmb_block){.kind = p->kind, .nq = rot ? 4 : nv, .nv = nv, .scale = p->scale > 0 ? p->scale : 1};
        k->least = p->scale > 0;
        k->slopes = p->kind == LMB_BLOCK_VECTOR && body->ops->look.fibre;
        blocks[i] = b->m->block_count - 1;
    }
    for (int i = 0; i < plan->block_count; i++) body->n += b->m->blocks[blocks[i]].nv;
    body->blocks = blocks;
    body->block_count = plan->block_count;
    return LMB_OK;
}

static int add_part(lmb_build *b, const char *name, lmb_where where, const lmb_body_plan *plan,
                    const lmb_body_start *start, int part, lmb_error *err) {
    lmb_body *body = LMB_PUSH(b, b->m->bodies, b->m->body_count, b->body_cap);
    int count = b->m->body_count - 1;
    lmb_body_start *s = LMB_PUSH(b, b->starts, count, b->start_cap);
    if (body == NULL || s == NULL) return lmb_fail_memory(err), -1;
    *s = *start;
    *body = (lmb_body){.ops = plan->ops,
                       .name = name,
                       .where = where,
                       .model = b->m,
                       .constants = plan->constants,
                       .part = part,
                       .dependent = plan->dependent,
                       .map = -1,
                       .work_count = plan->work_count,
                       .scratch_count = plan->scratch_count};
    if (add_blocks(b, body, plan, err) != LMB_OK) return -1;
    b->m->length = fmax(b->m->length, plan->size);
    return b->m->body_count - 1;
}

// a further part of a body: a body named name[2], name[3], ...
static int add_joined(lmb_build *b, const char *name, lmb_where where, const lmb_body_plan *whole,
                      const lmb_body_start *start, int part, lmb_error *err) {
    const lmb_body_plan *plan = &whole->parts[part];
    const lmb_link *link = whole->links ? &whole->links[part - 1] : NULL;
    const char *own = lmb_arena_printf(b->arena, "%s[%d]", name, part + 1);
    if (own == NULL) return lmb_fail_memory(err), -1;
    if (lmb_names_index(&b->bodies, own) >= 0)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "part %d of body '%s' is named '%s', but there is a body with this name; rename one",
                        part + 1, name, own),
               -1;
    lmb_body_start joined = *start;
    joined.joined = plan->shared == 0, joined.joint = plan->joint, joined.link = link;
    int index = add_part(b, own, where, plan, &joined, part, err);
    if (index >= 0 && !lmb_names_put(&b->bodies, own, index)) return lmb_fail_memory(err), -1;
    return index;
}

int lmb_build_body_add(lmb_build *b, const char *name, lmb_where where, const lmb_body_plan *plan,
                       const lmb_body_start *start, lmb_error *err) {
    int first = add_part(b, name, where, plan, start, 0, err);
    for (int i = 1; first >= 0 && i < plan->part_count; i++) {
        int index = plan->parts ? add_joined(b, name, where, plan, start, i, err)
                                : add_part(b, name, where, plan, start, i, err);
        if (index < 0) return -1;
    }
    return first;
}

// the body of markers that slide along this one
static lmb_status add_track(lmb_build *b, int first, const lmb_body_plan *plan, const lmb_body_start *start,
                            lmb_error *err) {
    lmb_body_start own = *start;
    own.kind = plan->track->kind;
    int parts = b->m->body_count - first;
    int index =
        add_part(b, b->m->bodies[first].name, b->m->bodies[first].where, plan->track, &own, parts, err);
    if (index < 0) return err->code;
    return body_markers(b, index, plan->track_markers, err);
}

// largest distance between markers of one body, for the characteristic length; only the first of very many count
static void body_reach(lmb_build *b, int first_marker) {
    int last = b->m->marker_count < first_marker + 200 ? b->m->marker_count : first_marker + 200;
    for (int i = first_marker; i < last; i++)
        for (int j = first_marker; j <= i; j++)
            b->m->length =
                fmax(b->m->length, fmax(v3_norm(b->m->markers[i].local.r),
                                        v3_norm(v3_sub(b->m->markers[i].local.r, b->m->markers[j].local.r))));
}

lmb_status lmb_build_body_plan(lmb_body_plan *plan, lmb_body_common **read, const lmb_body_kind **kind,
                               lmb_build *b, const lmb_node *n, lmb_error *err) {
    const lmb_section *section = lmb_section_find("bodies");
    char what[160];
    snprintf(what, sizeof what, "body '%s'", n->key);
    int number;
    lmb_status st = lmb_spec_kind(&number, b->spec, n, section, what, err);
    if (st != LMB_OK) return st;
    if (strcmp(n->key, "ground") == 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                        "`ground` is the fixed world; choose another name for this body");
    const lmb_body_kind *k = *kind = lmb_body_kinds[number];
    *plan = (lmb_body_plan){0};
    if (b->ahead && !k->reduces) return LMB_OK;
    lmb_body_common *own = *read = lmb_arena_get(b->spec->arena, 1, k->read_size);
    if (own == NULL) return lmb_fail_memory(err);
    own->rotate = Q_ID;
    if (k->defaults) k->defaults(own);
    st = lmb_spec_read_kind(own, NULL, b->spec, n, section, number, what, err);
    return st == LMB_OK ? k->plan(plan, b, own, n, n->key, err) : st;
}

static lmb_status add_body(lmb_build *b, const lmb_node *n, lmb_error *err) {
    lmb_body_plan plan;
    lmb_body_common *read;
    const lmb_body_kind *k;
    lmb_status st = lmb_build_body_plan(&plan, &read, &k, b, n, err);
    if (st != LMB_OK) return st;
    pose outer = lmb_node_pose(n);
    lmb_body_start start = {pose_mul(outer, (pose){read->at, q_matrix(read->rotate)}),
                            m3_mul_v3(&outer.R, read->velocity), m3_mul_v3(&outer.R, read->spin), NULL, k};
    if (plan.ops == NULL) plan.ops = k->ops;
    start.relative = read->coordinates == LMB_COORDINATES_RELATIVE ||
                     (read->coordinates == LMB_COORDINATES_BY_KIND && plan.relative);
    start.open = read->coordinates == LMB_COORDINATES_BY_KIND;
    int index = lmb_build_body_add(b, n->key, n->key_where, &plan, &start, err);
    if (index < 0) return err->code;
    if (lmb_names_index(&b->bodies, n->key) >= 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                        "'%s' is the name of a part of a body with `parts`; choose another name", n->key);
    if (!lmb_names_put(&b->bodies, n->key, index)) return lmb_fail_memory(err);
    int first_marker = b->m->marker_count;
    if (plan.track) st = add_track(b, index, &plan, &start, err);
    if (read->markers && st == LMB_OK) st = body_markers(b, index, read->markers, err);
    if (st == LMB_OK) st = own_markers(b, index, &plan, n, err);
    body_reach(b, first_marker);
    return st;
}

lmb_status lmb_build_bodies(lmb_build *b, lmb_error *err) {
    const lmb_node *bodies = lmb_node_find(b->spec->root, "bodies");
    if (add_marker(&b->m->ground, b, "ground", -1, POSE_ID, -1, LMB_NOWHERE, err) != LMB_OK) return err->code;
    if (bodies == NULL || bodies->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, bodies ? bodies->where : b->spec->root->where,
                        "the model has no bodies; add a section `bodies:`");
    lmb_build_ahead(b);
    for (const lmb_node *n = bodies->first; n; n = n->next) {
        lmb_status st = add_body(b, n, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}
