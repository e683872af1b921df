// system/build_supports.c: the directions in which joints hold a body: what its damping ratios refer to.
#include "reduce/flex.h"
#include "system/build_state.h"

typedef struct parts { // of one body
    int first, end;
} parts;

static bool among(const parts *p, int body) { return body >= p->first && body < p->end; }

// all its markers on these parts: a joint between them
static bool inner(const lmb_build *b, const lmb_joint *j, const parts *p) {
    for (int i = 0; i < j->marker_count; i++)
        if (!among(p, b->m->markers[j->marker[i]].body)) return false;
    return true;
}

// the row's derivative by the twist of one of its markers, in the axes of the body
static lmb_flex_support support(const lmb_build *b, const lmb_joint *j, const lmb_row *r, int slot) {
    const lmb_marker *k = &b->m->markers[j->marker[slot]];
    double sum[6] = {0};
    for (int i = r->term; i < r->term + r->term_count; i++) {
        const lmb_term *t = &j->terms[i];
        pose p1 = lmb_build_pose(b, j->marker[t->first]), p2 = lmb_build_pose(b, j->marker[t->second]);
        double g[LMB_TWIST];
        lmb_measure_eval(g, NULL, &t->f, &p1, &p2);
        if (t->first == slot) lmb_axpy(sum, t->c, g, 6);
        if (t->second == slot) lmb_axpy(sum, t->c, g + 6, 6);
    }
    return (lmb_flex_support){k->local.r, m3_tmul_v3(&b->starts[k->body].p.R, v3_load(sum)),
                              m3_mul_v3(&k->local.R, v3_load(sum + 3))};
}

static int joint_supports(lmb_flex_support *out, const lmb_build *b, const lmb_joint *j, const parts *p) {
    int count = 0;
    if (j->start != LMB_START_NONE || j->starts_off || inner(b, j, p)) return 0;
    for (int slot = 0; slot < j->marker_count; slot++)
        for (int r = 0; r < j->row_count && among(p, b->m->markers[j->marker[slot]].body); r++)
            out[count++] = support(b, j, &j->rows[r], slot);
    return count;
}

lmb_status lmb_build_supports(lmb_build *b, lmb_error *err) {
    const lmb_model *m = b->m;
    size_t most = 1;
    for (int i = 0; i < m->joint_count; i++)
        most += (size_t)m->joints[i].row_count * (size_t)m->joints[i].marker_count;
    lmb_flex_support *list = lmb_alloc(most, sizeof *list);
    lmb_chains c;
    lmb_status st = list ? lmb_build_chains(&c, b, err) : lmb_fail_memory(err);
    parts p = {0};
    for (; p.first < m->body_count && st == LMB_OK; p.first = p.end) {
        const lmb_body *body = &m->bodies[p.first];
        int count = 0;
        for (p.end = p.first + 1; p.end < m->body_count && m->bodies[p.end].part > 0;) p.end++;
        for (int i = c.first[p.first]; i >= 0 && body->ops->hold; i = c.links[i].next)
            count += joint_supports(list + count, b, &m->joints[c.links[i].joint], &p);
        if (body->ops->hold) st = body->ops->hold(body, list, count, err);
    }
    lmb_free(list);
    return st;
}
