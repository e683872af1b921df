// system/build_loads.c: where joints and forces act on flexible bodies, for the loads of their stresses.
//
// Parts are reduced before the joints and forces of the model are built: markers that these refer to are found by their names in the
// tree.  What cannot be found so is told at the end.                                        docs/theory/reduction.md (17)
#include "reduce/flex.h"
#include "system/build_state.h"
#include "system/stress.h"

#include <string.h>

// ---- before ------------------------------------------------------------------------------------

// all texts below a node that may be references
static void note_texts(lmb_build *b, const lmb_node *n) {
    const char *text;
    if (n->kind == LMB_NODE_SCALAR && n->text[0] && lmb_spec_ref(&text, b->spec, n, NULL) == LMB_OK)
        lmb_names_put(&b->loaded, text, 0);
    for (const lmb_node *k = n->first; k; k = k->next) note_texts(b, k);
}

static bool is_loaded(lmb_build *b, const char *name) {
    static const char *const sections[] = {"joints", "forces"};
    bool noted = b->loaded.count > 0;
    for (int i = 0; i < LMB_COUNT(sections) && !noted; i++) {
        const lmb_node *n = lmb_node_find(b->spec->root, sections[i]);
        if (n) note_texts(b, n);
    }
    return lmb_names_index(&b->loaded, name) >= 0;
}

typedef struct places {
    vec3 *v;
    int count, capacity;
} places;

static lmb_status add_place(places *p, lmb_build *b, vec3 x, lmb_error *err) {
    vec3 *to = LMB_PUSH(b, p->v, p->count, p->capacity);
    if (to == NULL) return lmb_fail_memory(err);
    *to = x;
    return LMB_OK;
}

// markers of the body itself
static lmb_status own_places(places *p, lmb_build *b, const lmb_node *body, const lmb_node *markers,
                             lmb_error *err) {
    lmb_status st = LMB_OK;
    for (const lmb_node *n = markers ? markers->first : NULL; n && st == LMB_OK; n = n->next) {
        const char *name = lmb_arena_printf(b->arena, "%s.%s", body->key, n->key);
        pose local;
        if (name == NULL) return lmb_fail_memory(err);
        if (!is_loaded(b, name)) continue;
        st = lmb_build_body_marker(&local, b, n, err);
        if (st == LMB_OK) st = add_place(p, b, local.r, err);
    }
    return st;
}

// entries of `markers` on the body
static lmb_status named_places(places *p, lmb_build *b, const lmb_node *body, const pose *start,
                               lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "markers");
    lmb_status st = LMB_OK;
    for (const lmb_node *n = section ? section->first : NULL; n && st == LMB_OK; n = n->next) {
        pose local;
        const char *on;
        bool global;
        if (n->kind != LMB_NODE_MAP || !is_loaded(b, n->key)) continue;
        st = lmb_build_named_marker(&local, &on, &global, b, n, err);
        if (st != LMB_OK || strcmp(on, body->key) != 0) continue;
        if (global) local = pose_mul(pose_inv(*start), pose_mul(lmb_node_pose(n), local));
        st = add_place(p, b, local.r, err);
    }
    return st;
}

lmb_status lmb_build_loaded(const vec3 **at, int *count, lmb_build *b, const lmb_body_common *read,
                            const lmb_node *body, lmb_error *err) {
    places p = {0};
    pose start = pose_mul(lmb_node_pose(body), (pose){read->at, q_matrix(read->rotate)});
    lmb_status st = own_places(&p, b, body, read->markers, err);
    if (st == LMB_OK) st = named_places(&p, b, body, &start, err);
    if (st == LMB_OK && is_loaded(b, body->key)) st = add_place(&p, b, V3_ZERO, err);
    *at = p.v, *count = p.count;
    return st;
}

// ---- after -------------------------------------------------------------------------------------

// the body of the row along which a marker slides, NULL: it does not
static const lmb_body *under(const lmb_model *m, const lmb_body *b) {
    return b->part > 0 && b->dependent ? &m->bodies[b - m->bodies - b->part] : NULL;
}

// the body whose stresses lack the load at a marker, NULL: none
static const lmb_body *lacking(const lmb_model *m, const lmb_marker *k) {
    const lmb_body *b = k->body >= 0 ? &m->bodies[k->body] : NULL;
    if (b == NULL) return NULL;
    const lmb_body *row = under(m, b);
    if (row) return lmb_stress_load_count(row) > 0 ? row : NULL;
    return lmb_stress_load_count(b) > 0 && b->ops->look.interface(b, k) < 0 ? b : NULL;
}

static lmb_status remark(lmb_build *b, int marker, const char *what, const char *name, lmb_error *err) {
    const lmb_marker *k = &b->m->markers[marker];
    const lmb_body *body = lacking(b->m, k);
    if (body == NULL) return LMB_OK;
    bool slides = under(b->m, &b->m->bodies[k->body]) != NULL;
    const char *text = lmb_arena_printf(
        b->arena,
        "%s '%s' acts on body '%s' at %s: near it, stresses are those of the shape functions alone%s", what,
        name, body->name, slides ? "a marker that slides along it" : "a place that its part does not know",
        slides ? "; use more `shapes`" : "; name the place under `interfaces` or `watch` of the part");
    return text && lmb_build_remark(b, text) ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_build_load_remarks(lmb_build *b, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->m->joint_count && st == LMB_OK; i++) {
        const lmb_joint *j = &b->m->joints[i];
        for (int k = 0; k < j->marker_count && st == LMB_OK && j->start == LMB_START_NONE; k++)
            st = remark(b, j->marker[k], "joint", j->name, err);
    }
    for (int i = 0; i < b->m->force_count && st == LMB_OK; i++)
        for (int k = 0; k < 2 && st == LMB_OK; k++)
            st = remark(b, b->m->forces[i].marker[k], "force", b->m->forces[i].name, err);
    return st;
}
