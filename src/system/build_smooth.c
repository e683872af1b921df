// system/build_smooth.c: which models an explicit method with all joints eliminated suits: open trees of rigid bodies in which nothing
// is known to be stiff or to jump with the motion.  Analyses that leave their integrator and formalism open take it then.
//                                                                                     docs/theory/solvers.md
#include "system/build_state.h"

// rigid bodies of their own: not the segments of a beam, no first-order states; coordinates are left open
static bool are_bodies(const lmb_build *b) {
    for (int i = 0; i < b->m->body_count; i++) {
        const lmb_body_start *s = &b->starts[i];
        if (b->m->bodies[i].ops->dynamics.rigid == NULL || s->joined || !s->open) return false;
    }
    return true;
}

// no stops, no friction
static bool are_forces(const lmb_build *b) {
    for (int i = 0; i < b->m->force_count; i++)
        if (b->m->forces[i].ops->pieces > 0 || b->m->forces[i].ops->normal) return false;
    return true;
}

static bool are_laws(const lmb_build *b) {
    for (int i = 0; i < b->owned_count; i++)
        if (!lmb_expr_is_smooth(b->owned[i])) return false;
    return true;
}

// events end the run at most
static bool are_events(const lmb_build *b) {
    for (int i = 0; i < b->program->event_count; i++)
        for (int k = 0; k < b->program->events[i].action_count; k++)
            if (b->program->events[i].actions[k].kind != LMB_ACTION_STOP) return false;
    return true;
}

static bool are_open(const lmb_program *p) {
    for (int i = 0; i < p->analysis_count; i++)
        if (p->analyses[i].smooth.integrator == NULL) return false;
    return p->analysis_count > 0;
}

static void settle(lmb_analysis *a) {
    a->integrator = a->smooth.integrator, a->formalism = a->smooth.formalism, a->stiff = a->smooth.stiff;
    a->eliminates = a->trees = a->explicit = true;
}

lmb_status lmb_build_smooth(lmb_build *b, lmb_error *err) {
    lmb_program *p = b->program;
    if (!are_open(p) || b->m->external_count > 0 || p->slave_count > 0) return LMB_OK;
    if (!are_bodies(b) || !are_forces(b) || !are_laws(b) || !are_events(b)) return LMB_OK;
    lmb_analysis *before = lmb_arena_get(b->spec->arena, (size_t)p->analysis_count, sizeof *before);
    if (before == NULL) return lmb_fail_memory(err);
    memcpy(before, p->analyses, (size_t)p->analysis_count * sizeof *before);
    for (int i = 0; i < p->analysis_count; i++) settle(&p->analyses[i]);
    bool all = false;
    lmb_status st = lmb_build_can_follow(&all, b, err);
    if (!all) memcpy(p->analyses, before, (size_t)p->analysis_count * sizeof *before);
    return st;
}
