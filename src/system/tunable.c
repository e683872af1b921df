// system/tunable.c: which places of a model may change during a motion: those that positions, velocities and states do not depend
// on, nor what the model consists of; prescribed motions depend on no signals.  Parameters that are used nowhere else can be tuned.                     docs/guide/fmu.md
#include "system/build_state.h"

#include <string.h>

static void mark_all(lmb_node *n) {
    n->tunable = true;
    for (lmb_node *child = n->first; child; child = child->next) mark_all(child);
}

// the values of these keys, a list that NULL ends
static void mark_keys(lmb_node *map, const char *const *keys) {
    for (; *keys; keys++) {
        lmb_node *n = lmb_node_find(map, *keys);
        if (n) mark_all(n);
    }
}

static bool is_text(const lmb_node *map, const char *key, const char *text) {
    const lmb_node *n = lmb_node_find(map, key);
    return n && n->kind == LMB_NODE_SCALAR && strcmp(n->text, text) == 0;
}

// ---- one element of a section ------------------------------------------------------------------

// inertia about the centre of mass; the reference point of a body stays
static void mark_body(lmb_node *n) {
    static const char *const keys[] = {"mass", "inertia", NULL};
    if (lmb_node_find(n, "type") == NULL || is_text(n, "type", "rigid")) mark_keys(n, keys);
}

static void mark_joint(lmb_node *n) {
    static const char *const keys[] = {"spring", "limits", "friction", NULL};
    mark_keys(n, keys);
}

// states of other types are scaled by their coefficients
static void mark_signal(lmb_node *n) {
    static const char *const always[] = {"value", "input", NULL}, *const gains[] = {"gain", "time", "p",
                                                                                    "i",    "d",    "filter",
                                                                                    NULL};
    mark_keys(n, always);
    if (is_text(n, "type", "integrator") || is_text(n, "type", "lag") || is_text(n, "type", "pid"))
        mark_keys(n, gains);
    if (n->kind == LMB_NODE_SCALAR) mark_all(n);
}

static void mark_sensor(lmb_node *n) {
    static const char *const keys[] = {"value", NULL};
    mark_keys(n, keys);
}

// ---- the model ---------------------------------------------------------------------------------

void lmb_tunable_mark(lmb_spec *s) {
    static const struct {
        const char *section;
        void (*mark)(lmb_node *n);
    } all[] = {{"bodies", mark_body},
               {"joints", mark_joint},
               {"forces", mark_all},
               {"signals", mark_signal},
               {"sensors", mark_sensor}};
    lmb_node *gravity = lmb_node_find(s->root, "gravity");
    if (gravity) mark_all(gravity);
    for (int i = 0; i < LMB_COUNT(all); i++) {
        lmb_node *section = lmb_node_find(s->root, all[i].section);
        if (section == NULL || section->kind != LMB_NODE_MAP) continue;
        for (lmb_node *n = section->first; n; n = n->next) all[i].mark(n);
    }
}
