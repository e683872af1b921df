// system/build_chains.c: which joints a body has.
#include "system/build_state.h"

static int whole_of(const lmb_model *m, int marker) {
    int body = m->markers[marker].body;
    return body < 0 ? -1 : body - m->bodies[body].part;
}

lmb_status lmb_build_chains(lmb_chains *out, const lmb_build *b, lmb_error *err) {
    const lmb_model *m = b->m;
    size_t ends = 1;
    int count = 0;
    for (int i = 0; i < m->joint_count; i++) ends += (size_t)m->joints[i].marker_count;
    int *first = lmb_arena_get(b->spec->arena, (size_t)m->body_count + 1, sizeof *first);
    lmb_chain *links = lmb_arena_get(b->spec->arena, ends, sizeof *links);
    if (first == NULL || links == NULL) return lmb_fail_memory(err);
    *out = (lmb_chains){first + 1, links};
    for (int i = -1; i < m->body_count; i++) out->first[i] = -1;
    for (int i = m->joint_count - 1; i >= 0; i--)
        for (int k = 0; k < m->joints[i].marker_count; k++) {
            int *at = &out->first[whole_of(m, m->joints[i].marker[k])];
            if (*at >= 0 && links[*at].joint == i) continue;
            links[count] = (lmb_chain){i, *at};
            *at = count++;
        }
    return LMB_OK;
}
