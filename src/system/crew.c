// system/crew.c: which bodies threads can take side by side.
#include "system/crew.h"
#include "system/follow.h"

#include <math.h>
#include <string.h>

enum { MOST_COLOURS = 8, LEAST_IN_LEVEL = 16 };

// ---- levels --------------------------------------------------------------------------------------

// the level of a body: one more than those of the bodies that its frames follow
static int level_of(const lmb_model *m, const int *level, const lmb_body *b) {
    int most = 0;
    for (int i = 0; i < b->follower_count; i++) {
        int leader = m->markers[m->followers[b->follower + i].leader].body;
        if (leader >= 0 && level[leader] >= most) most = level[leader] + 1;
    }
    return most;
}

// of[i] for the things of order, sorted by counting: list[start[k] .. start[k + 1]) are those with of = k
static void sort_by(int *start, int *list, const int *of, const int *order, int count, int kinds) {
    memset(start, 0, ((size_t)kinds + 2) * sizeof *start);
    for (int i = 0; i < count; i++) start[of[i] + 2]++;
    for (int k = 2; k < kinds + 2; k++) start[k] += start[k - 1];
    for (int i = 0; i < count; i++) list[start[of[order[i]] + 1]++] = order[i];
}

static void find_levels(lmb_crew *c, const lmb_model *m, int *level) {
    int count = 0;
    for (int i = 0; i < m->body_count; i++) {
        int body = m->order[i];
        level[body] = level_of(m, level, &m->bodies[body]);
        if (level[body] >= count) count = level[body] + 1;
        c->place[body] = i;
    }
    if (m->body_count < LEAST_IN_LEVEL * count) return;
    sort_by(c->level_start, c->level_list, level, m->order, m->body_count, count);
    c->levels = count;
}

// ---- colours -------------------------------------------------------------------------------------

// Bodies that share the velocity y: at most two, users[2 y], users[2 y + 1], else false.  A sum of two does not depend on their order.
static bool find_users(int *users, const lmb_model *m) {
    for (int y = 0; y < 2 * m->ny; y++) users[y] = -1;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (b->map >= 0 || b->input_count > 0) return false;
        for (int k = 0; k < b->ny; k++) {
            int *u = users + 2 * b->y[k];
            if (u[0] >= 0 && u[1] >= 0) return false;
            u[u[0] >= 0] = i;
        }
    }
    return true;
}

// the lowest colour that no body with common velocities has; those not yet coloured: -1
static int free_colour(const lmb_model *m, const int *users, const int *colour, int body) {
    unsigned taken = 0;
    const lmb_body *b = &m->bodies[body];
    for (int k = 0; k < b->ny; k++)
        for (int s = 0; s < 2; s++) {
            int other = users[2 * b->y[k] + s];
            if (other >= 0 && other != body && colour[other] >= 0) taken |= 1u << colour[other];
        }
    int free = 0;
    while (free < MOST_COLOURS && taken & 1u << free) free++;
    return free;
}

static void find_colours(lmb_crew *c, const lmb_model *m, int *colour, int *users) {
    int count = 1, *all = c->colour_list + m->body_count;
    if (m->tree == NULL && !find_users(users, m)) return;
    for (int i = 0; i < m->body_count; i++) {
        colour[i] = m->tree ? 0 : -1; // with a tree each body has matrices of its own
        all[i] = i;
        if (m->tree && m->bodies[i].input_count > 0) return;
    }
    for (int i = 0; m->tree == NULL && i < m->body_count; i++) {
        colour[i] = free_colour(m, users, colour, i);
        if (colour[i] == MOST_COLOURS) return;
        if (colour[i] >= count) count = colour[i] + 1;
    }
    sort_by(c->colour_start, c->colour_list, colour, all, m->body_count, count);
    c->colours = count;
}

// ---- create, destroy -----------------------------------------------------------------------------

// Measured, in ns, of an iteration: about n^3 for modal bodies, a quarter of that for cables.
static double cost(const lmb_model *m) {
    double sum = 0;
    for (int i = 0; i < m->body_count; i++) sum += pow(m->bodies[i].n, 3);
    return sum;
}

// the loops of an iteration are some 100 us long
static int fitting(const lmb_model *m) {
    const double WORTH = 5e5;
    return cost(m) < WORTH ? 1 : lmb_team_processors();
}

// numbers the loads of bodies and joints; how many there are
static size_t place_loads(lmb_crew *c, const lmb_model *m) {
    int at = 0;
    for (int i = 0; i < m->body_count; i++) c->load[i] = at, at += m->bodies[i].n;
    for (int i = 0; i < m->joint_count; i++) {
        c->reaction[i] = at;
        for (int k = 0; k < m->joints[i].marker_count; k++) {
            int body = m->markers[m->joints[i].marker[k]].body;
            at += body < 0 ? 0 : m->bodies[body].n;
        }
    }
    return (size_t)at;
}

static lmb_status make(lmb_crew *c, const lmb_model *m, lmb_error *err) {
    size_t bodies = (size_t)m->body_count;
    c->load = lmb_alloc(bodies + 1, sizeof *c->load);
    c->reaction = lmb_alloc((size_t)m->joint_count + 1, sizeof *c->reaction);
    size_t loads = c->load && c->reaction ? place_loads(c, m) : 0;
    c->scratch =
        lmb_alloc(5 * (size_t)lmb_scratch_part(m) * (size_t)lmb_team_size(c->team), sizeof *c->scratch);
    c->loads = lmb_alloc(loads + 1, sizeof *c->loads);
    c->dissipated = lmb_alloc(bodies + 1, sizeof *c->dissipated);
    c->place = lmb_alloc(bodies + 1, sizeof *c->place);
    c->level_start = lmb_alloc(bodies + 2, sizeof *c->level_start);
    c->level_list = lmb_alloc(bodies + 1, sizeof *c->level_list);
    c->colour_start = lmb_alloc(MOST_COLOURS + 2, sizeof *c->colour_start);
    c->colour_list = lmb_alloc(2 * bodies + 1, sizeof *c->colour_list);
    int *kind = lmb_alloc(bodies + 1, sizeof *kind), *users = lmb_alloc(2 * (size_t)m->ny + 1, sizeof *users);
    bool ok = c->scratch && c->loads && c->load && c->reaction && c->dissipated && c->place &&
              c->level_start && c->level_list && c->colour_start && c->colour_list && kind && users;
    if (ok) find_levels(c, m, kind);
    if (ok) find_colours(c, m, kind, users);
    lmb_free(kind);
    lmb_free(users);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_crew_create(lmb_crew **out, const lmb_model *m, int size, lmb_error *err) {
    *out = NULL;
    bool chosen = size != 0;
    if (size < 0 || size > LMB_TEAM_MOST)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "%d threads: choose from 1 to %d, or 0 for as many as suit the model", size,
                        LMB_TEAM_MOST);
    if (!chosen) size = fitting(m);
    if (size <= 1) return LMB_OK;
    lmb_crew *c = lmb_alloc(1, sizeof *c);
    lmb_status st = c ? lmb_team_create(&c->team, size, chosen ? err : NULL) : lmb_fail_memory(err);
    if (st == LMB_OK) st = make(c, m, err);
    if (st == LMB_OK) *out = c;
    else lmb_crew_destroy(c);
    return st;
}

void lmb_crew_destroy(lmb_crew *c) {
    if (c == NULL) return;
    lmb_team_destroy(c->team);
    lmb_free(c->scratch);
    lmb_free(c->loads);
    lmb_free(c->load);
    lmb_free(c->reaction);
    lmb_free(c->dissipated);
    lmb_free(c->place);
    lmb_free(c->level_start);
    lmb_free(c->level_list);
    lmb_free(c->colour_start);
    lmb_free(c->colour_list);
    lmb_free(c);
}
