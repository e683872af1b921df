// system/build_follow.c: which joints are eliminated: a tree from ground outwards, loops stay closed by multipliers.
#include "system/build_state.h"

#include <string.h>

typedef struct tree {
    lmb_build *b;
    bool *visited;    // per body
    bool *keeps_rows; // per joint: must not be eliminated
    int count;        // bodies in m->order
} tree;

static bool wanted(const lmb_build *b) {
    for (int i = 0; i < b->program->analysis_count; i++)
        if (b->program->analyses[i].formalism == LMB_FORMALISM_ELIMINATION) return true;
    return false;
}

// joints that events switch, that friction presses on, or that the start poses do not meet keep their rows
static void find_kept(tree *t) {
    lmb_build *b = t->b;
    const lmb_model *m = b->m;
    for (int i = 0; i < b->program->event_count; i++)
        for (int k = 0; k < b->program->events[i].action_count; k++)
            if (b->program->events[i].actions[k].joint >= 0)
                t->keeps_rows[b->program->events[i].actions[k].joint] = true;
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].joint >= 0) t->keeps_rows[m->forces[i].joint] = true;
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        t->keeps_rows[i] |=
            j->motions == NULL || j->starts_off || j->start != LMB_START_NONE || j->marker_count != 2;
        for (int r = 0; !t->keeps_rows[i] && r < j->row_count; r++) {
            const lmb_term *term = &j->terms[j->rows[r].term];
            pose p1 = lmb_build_pose(b, j->marker[term->first]),
                 p2 = lmb_build_pose(b, j->marker[term->second]);
            double gap = lmb_measure_eval(NULL, NULL, &term->f, &p1, &p2) - j->rows[r].offset;
            t->keeps_rows[i] |= j->rows[r].structural && fabs(gap) > 1e-9 * m->length;
        }
    }
}

// a frame and nothing else: the way from a marker to it is constant
static bool has_frame(const lmb_model *m, int body) {
    return !m->bodies[body].tracked && m->bodies[body].block_count == 2 &&
           m->blocks[m->bodies[body].blocks[0]].kind == LMB_BLOCK_POINT &&
           m->blocks[m->bodies[body].blocks[1]].kind == LMB_BLOCK_ROT;
}

// rows that the joint's kind needs are gone, its motions and couplings stay
static void drop_rows(lmb_joint *j) {
    lmb_row *rows = (lmb_row *)j->rows;
    int kept = 0;
    for (int r = 0; r < j->row_count; r++)
        if (!rows[r].structural) rows[kept++] = rows[r];
    j->row_count = kept;
}

// The node of a beam at the joint's frame can follow: held at a place by a ball, or clamped to ground.
// -1: it cannot.
static int node_of(lmb_clamp *clamp, const tree *t, int joint, int side) {
    const lmb_model *m = t->b->m;
    const lmb_joint *j = &m->joints[joint];
    const lmb_marker *own = &m->markers[j->marker[side]];
    const lmb_body *b = &m->bodies[own->body];
    if (b->ops->node == NULL || j->motion_count > 1) return -1;
    pose p = lmb_build_pose(t->b, own->index);
    int at = b->ops->node(clamp, b, own, &p);
    bool ball = j->motion_count == 1 && j->motions[0].kind == LMB_MOTION_BALL,
         ground = m->markers[j->marker[1 - side]].body < 0;
    return ball || (j->motion_count == 0 && ground && clamp->count > 0) ? at : -1;
}

static lmb_status add_node(tree *t, int joint, int own_side, int at, const lmb_clamp *clamp, lmb_error *err) {
    lmb_model *m = t->b->m;
    lmb_joint *j = &m->joints[joint];
    int own = j->marker[own_side];
    lmb_body *body = &m->bodies[m->markers[own].body];
    lmb_follower *f = &m->followers[m->follower_count];
    *f = (lmb_follower){
        .body = m->markers[own].body, .joint = joint, .leader = j->marker[1 - own_side], .own = own};
    f->sign = 1, f->block = -1, f->node = true;
    for (int i = 0; i < at; i++) f->at += m->blocks[body->blocks[i]].nv;
    m->blocks[body->blocks[at]].iy = -1;
    if (j->motion_count == 0) {
        double *S = lmb_arena_doubles(t->b->arena, LMB_COUNT(clamp->S) + LMB_COUNT(clamp->s0));
        lmb_block *s = LMB_PUSH(t->b, m->blocks, m->block_count, t->b->block_cap);
        if (S == NULL || s == NULL) return lmb_fail_memory(err);
        memcpy(S, clamp->S, sizeof clamp->S);
        memcpy(S + LMB_COUNT(clamp->S), clamp->s0, sizeof clamp->s0);
        *s = (lmb_block){.kind = LMB_BLOCK_VECTOR, .nq = clamp->count, .nv = clamp->count, .scale = 1};
        f->block = m->block_count - 1, f->slopes = clamp->rows, f->S = S, f->s0 = S + LMB_COUNT(clamp->S);
        m->blocks[body->blocks[at + 1]].iy = -1;
    }
    j->follower = m->follower_count++;
    drop_rows(j);
    return LMB_OK;
}

static lmb_status add_follower(tree *t, int joint, int own_side, lmb_error *err) {
    lmb_model *m = t->b->m;
    lmb_joint *j = &m->joints[joint];
    int own = j->marker[own_side], body = m->markers[own].body;
    lmb_follower *f = &m->followers[m->follower_count];
    *f = (lmb_follower){.body = body,
                        .joint = joint,
                        .leader = j->marker[1 - own_side],
                        .own = own,
                        .sign = own_side == 1 ? 1 : -1,
                        .block = -1};
    for (int i = 0; i < j->motion_count; i++) {
        lmb_motion motion = j->motions[own_side == 1 ? i : j->motion_count - 1 - i];
        if (motion.kind == LMB_MOTION_BALL) f->ball = true;
        else f->motion[f->count++] = motion;
    }
    if (f->count > 0) {
        lmb_block *s = LMB_PUSH(t->b, m->blocks, m->block_count, t->b->block_cap);
        if (s == NULL) return lmb_fail_memory(err);
        *s = (lmb_block){.kind = LMB_BLOCK_VECTOR, .nq = f->count, .nv = f->count, .scale = 1};
        f->block = m->block_count - 1;
    }
    m->blocks[m->bodies[body].blocks[0]].iy = -1;
    if (!f->ball) m->blocks[m->bodies[body].blocks[1]].iy = -1;
    j->follower = m->follower_count++;
    drop_rows(j);
    return LMB_OK;
}

// bodies that hang on `leader` (-1: ground) by a joint that can be eliminated
static lmb_status visit(tree *t, int leader, lmb_error *err) {
    lmb_model *m = t->b->m;
    for (int i = 0; i < m->joint_count; i++) {
        if (t->keeps_rows[i] || m->joints[i].follower >= 0) continue;
        for (int side = 0; side < 2; side++) {
            int other = m->markers[m->joints[i].marker[1 - side]].body,
                body = m->markers[m->joints[i].marker[side]].body;
            if (other != leader || body < 0 || t->visited[body]) continue;
            lmb_clamp clamp = {0};
            int at = node_of(&clamp, t, i, side);
            if (at < 0 && !has_frame(m, body)) continue;
            t->visited[body] = true;
            m->order[t->count++] = body;
            lmb_status st = at >= 0 ? add_node(t, i, side, at, &clamp, err) : add_follower(t, i, side, err);
            if (st != LMB_OK) return st;
            break;
        }
    }
    return LMB_OK;
}

lmb_status lmb_build_followers(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    tree t = {.b = b};
    m->order = lmb_arena_get(b->arena, (size_t)m->body_count, sizeof *m->order);
    m->followers = lmb_arena_get(b->arena, (size_t)m->body_count, sizeof *m->followers);
    t.visited = lmb_arena_get(b->spec->arena, (size_t)m->body_count, sizeof *t.visited);
    t.keeps_rows = lmb_arena_get(b->spec->arena, (size_t)m->joint_count + 1, sizeof *t.keeps_rows);
    if (!m->order || !m->followers || !t.visited || !t.keeps_rows) return lmb_fail_memory(err);
    if (!wanted(b)) {
        for (int i = 0; i < m->body_count; i++) m->order[i] = i;
        return LMB_OK;
    }
    find_kept(&t);
    lmb_status st = visit(&t, -1, err);
    for (int next = 0, root = 0; st == LMB_OK && t.count <= m->body_count; next++) {
        if (next == t.count) { // nothing hangs on what was visited: the next body is free
            while (root < m->body_count && t.visited[root]) root++;
            if (root == m->body_count) break;
            t.visited[root] = true;
            m->order[t.count++] = root;
        }
        st = visit(&t, m->order[next], err);
    }
    return st;
}
