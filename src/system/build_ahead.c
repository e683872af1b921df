// system/build_ahead.c: parts that bodies will ask for, found before the bodies are built, so that several are reduced at the same time.
//
// Each body is planned until it asks for its part, which is noted; then it fails, and is planned again when it is built.  Pieces of a
// beam behind the first one are not noted.
#include "part/part.h"
#include "system/build_state.h"

enum { MOST = 256 }; // more are of no use

// whether an equal beam was noted, or there is no memory
static bool is_known(lmb_ahead *a, lmb_build *b, const lmb_part *part) {
    lmb_text text = {0};
    const char *kept = lmb_beam_text(&text, part) ? lmb_arena_strdup(b->spec->arena, text.text) : NULL;
    lmb_text_free(&text);
    void **slot = kept ? lmb_names_slot(&a->texts, kept) : NULL;
    bool known = slot == NULL || *slot != NULL;
    if (!known) *slot = a;
    return known;
}

lmb_status lmb_ahead_note(lmb_build *b, const lmb_part *part, const char *name, lmb_error *err) {
    lmb_ahead *a = b->ahead;
    a->asked = true;
    if (part->kind != LMB_PART_BEAM || !is_known(a, b, part)) {
        lmb_part *own = lmb_arena_get(b->spec->arena, 1, sizeof *own);
        lmb_asked_part *next = own ? LMB_PUSH(b, a->list, a->count, a->capacity) : NULL;
        if (next) *own = *part, *next = (lmb_asked_part){own, name};
    }
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "the part of body '%s' is not yet reduced", name);
}

// until one is wrong: nothing behind it will be asked for
static void ask_bodies(lmb_build *b, const lmb_node *bodies) {
    lmb_ahead *a = b->ahead;
    for (const lmb_node *n = bodies->first; n && a->count < MOST; n = n->next) {
        lmb_error why = {0};
        lmb_body_plan plan;
        lmb_body_common *read;
        const lmb_body_kind *kind;
        a->asked = false;
        if (lmb_build_body_plan(&plan, &read, &kind, b, n, &why) != LMB_OK && !a->asked) return;
    }
}

void lmb_build_ahead(lmb_build *b) {
    const lmb_node *bodies = lmb_node_find(b->spec->root, "bodies");
    lmb_ahead a = {.texts.arena = b->spec->arena};
    if (b->files == NULL || b->files->ahead == NULL || bodies->count < 2) return;
    b->ahead = &a;
    ask_bodies(b, bodies);
    b->ahead = NULL;
    if (a.count > 1) b->files->ahead(b->files->user, a.list, a.count);
}
