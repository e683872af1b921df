// system/build_colours.c: the order in which joints add to the matrix: in colours, of which no two joints act on a common velocity, so
// that threads can take them side by side.  One thread takes the same order: sums do not depend on the number of threads.
#include "system/build_state.h"

enum { MOST = 32 };

// colours of joints that act on a velocity of the joint, as bits
static unsigned taken_by(const lmb_model *m, const lmb_joint *j, const unsigned *taken) {
    unsigned all = 0;
    for (int k = 0; k < j->marker_count; k++) {
        int body = m->markers[j->marker[k]].body;
        for (int i = 0; body >= 0 && i < m->bodies[body].ny; i++) all |= taken[m->bodies[body].y[i]];
    }
    return all;
}

static void take(const lmb_model *m, const lmb_joint *j, unsigned *taken, unsigned bit) {
    for (int k = 0; k < j->marker_count; k++) {
        int body = m->markers[j->marker[k]].body;
        for (int i = 0; body >= 0 && i < m->bodies[body].ny; i++) taken[m->bodies[body].y[i]] |= bit;
    }
}

// the lowest colour that is free; MOST: none is, as on a body with many joints
static int colour_of(const lmb_model *m, const lmb_joint *j, unsigned *taken) {
    unsigned all = taken_by(m, j, taken);
    int colour = 0;
    while (colour < MOST && all & 1u << colour) colour++;
    if (colour < MOST) take(m, j, taken, 1u << colour);
    return colour;
}

lmb_status lmb_build_colours(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    size_t joints = (size_t)m->joint_count + 1;
    int *order = lmb_arena_get(b->arena, joints, sizeof *order);
    int *start = lmb_arena_get(b->arena, MOST + 2, sizeof *start);
    int *colour = lmb_arena_get(b->spec->arena, joints, sizeof *colour);
    unsigned *taken = lmb_arena_get(b->spec->arena, (size_t)m->ny + 1, sizeof *taken);
    if (!order || !start || !colour || !taken) return lmb_fail_memory(err);
    bool free = m->follower_count == 0; // followers share coordinates
    int count = 0;
    for (int i = 0; i < m->joint_count; i++) {
        colour[i] = free ? colour_of(m, &m->joints[i], taken) : MOST;
        if (colour[i] < MOST && colour[i] >= count) count = colour[i] + 1;
    }
    int at = 0;
    for (int c = 0; c <= count; c++) { // those without a colour come last
        start[c] = at;
        for (int i = 0; i < m->joint_count; i++)
            if (colour[i] == (c < count ? c : MOST)) order[at++] = i;
    }
    m->joint_order = order, m->joint_colour = start, m->joint_colours = count;
    return LMB_OK;
}
