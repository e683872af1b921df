// system/build_follow.c: selects the joints to eliminate: a tree from ground outwards; multipliers close the loops.
#include "system/build_state.h"

#include <string.h>

typedef struct tree {
    lmb_build *b;
    int *place;       // per body: in m->order, -1: not there
    int *users;       // per block: bodies that have it
    bool *keeps_rows; // per joint: must not be eliminated
    lmb_chains chains;
    bool all;  // eliminate for all bodies, not only those with relative coordinates
    int count; // bodies in m->order
} tree;

static bool wanted(const lmb_build *b) {
    for (int i = 0; i < b->program->analysis_count; i++)
        if (b->program->analyses[i].eliminates) return true;
    return false;
}

// joints that events switch, that have friction, or that the initial poses violate keep their rows
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

// The free frame of a body that carries a marker, -1: none.
static int free_frame(pose *rel, const tree *t, const lmb_marker *marker) {
    const lmb_model *m = t->b->m;
    const lmb_body *b = &m->bodies[marker->body];
    int frame = b->ops->following.carrier ? b->ops->following.carrier(rel, b, marker) : -1;
    if (frame < 0 || !(t->all || t->b->starts[marker->body].relative)) return -1;
    for (int k = frame; k < frame + 2; k++)
        if (m->blocks[b->blocks[k]].iy < 0 || t->users[b->blocks[k]] > 1) return -1;
    return frame;
}

// Inputs from outside drive rows alone: all derivatives by them then are those of rows.
static bool is_driven(const lmb_model *m, const lmb_expr *motion) {
    for (int k = 0; motion && k < lmb_expr_input_count(motion); k++)
        if (m->inputs[lmb_expr_input(motion, k)].kind == LMB_INPUT_EXTERNAL) return true;
    return false;
}

// The motion of a follower that a row of its joint prescribes, -1: none.
static int given_by(const lmb_follower *f, const lmb_joint *j, const lmb_row *row) {
    for (int i = 0; row->motion && row->term_count == 1 && j->terms[row->term].c == 1 && i < f->count; i++)
        if (j->coordinates[f->motion[i].coordinate].name == row->name) return i;
    return -1;
}

// the joint's own rows are removed, prescribed motions become those of the follower, couplings stay
static void drop_rows(lmb_model *m, lmb_joint *j, lmb_follower *f) {
    lmb_row *rows = (lmb_row *)j->rows;
    int kept = 0;
    for (int r = 0; r < j->row_count; r++) {
        int given = given_by(f, j, &rows[r]);
        if (given >= 0 && !is_driven(m, rows[r].motion))
            f->given[given] = rows[r], f->free[given] = -1, m->given_count++;
        else if (!rows[r].structural) rows[kept++] = rows[r];
    }
    j->row_count = kept;
}

// The node of a beam at the joint's frame can follow: held at a place by a ball, or clamped to ground.
// -1: it cannot.
static int node_of(lmb_clamp *clamp, const tree *t, int joint, int side) {
    const lmb_model *m = t->b->m;
    const lmb_joint *j = &m->joints[joint];
    const lmb_marker *own = &m->markers[j->marker[side]];
    const lmb_body *b = &m->bodies[own->body];
    if (!t->all || b->ops->following.node == NULL || j->motion_count > 1) return -1;
    pose p = lmb_build_pose(t->b, own->index);
    int at = b->ops->following.node(clamp, b, own, &p);
    if (at >= 0 && m->blocks[b->blocks[at]].iy < 0) return -1;
    bool ball = j->motion_count == 1 && j->motions[0].kind == LMB_MOTION_BALL,
         ground = m->markers[j->marker[1 - side]].body < 0;
    return ball || (j->motion_count == 0 && ground && clamp->count > 0) ? at : -1;
}

static void set_frame(lmb_follower *f, const lmb_model *m, int frame) {
    f->frame = frame;
    for (int i = 0; i < frame; i++) {
        const lmb_block *block = &m->blocks[m->bodies[f->body].blocks[i]];
        f->at += block->nv, f->at_q += block->nq;
    }
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
    set_frame(f, m, at);
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
    drop_rows(m, j, f);
    return LMB_OK;
}

// the block of the joint's coordinates that are unknowns
static lmb_status add_coordinates(lmb_build *b, lmb_follower *f, lmb_error *err) {
    int count = 0;
    for (int i = 0; i < f->count; i++)
        if (f->free[i] >= 0) f->free[i] = count++;
    if (count == 0) return LMB_OK;
    lmb_block *s = LMB_PUSH(b, b->m->blocks, b->m->block_count, b->block_cap);
    if (s == NULL) return lmb_fail_memory(err);
    *s = (lmb_block){.kind = LMB_BLOCK_VECTOR, .nq = count, .nv = count, .scale = 1};
    f->block = b->m->block_count - 1;
    return LMB_OK;
}

static lmb_status add_follower(tree *t, int joint, int own_side, int frame, const pose *rel, lmb_error *err) {
    lmb_model *m = t->b->m;
    lmb_joint *j = &m->joints[joint];
    int own = j->marker[own_side], body = m->markers[own].body;
    lmb_follower *f = &m->followers[m->follower_count];
    *f = (lmb_follower){.body = body,
                        .joint = joint,
                        .leader = j->marker[1 - own_side],
                        .own = own,
                        .sign = own_side == 1 ? 1 : -1,
                        .block = -1,
                        .rel = *rel};
    set_frame(f, m, frame);
    for (int i = 0; i < j->motion_count; i++) {
        lmb_motion motion = j->motions[own_side == 1 ? i : j->motion_count - 1 - i];
        if (motion.kind == LMB_MOTION_BALL) f->ball = true;
        else f->motion[f->count++] = motion;
    }
    m->blocks[m->bodies[body].blocks[frame]].iy = -1;
    if (!f->ball) m->blocks[m->bodies[body].blocks[frame + 1]].iy = -1;
    j->follower = m->follower_count++;
    drop_rows(m, j, f);
    return add_coordinates(t->b, f, err);
}

// frames attached to `leader` (-1: ground) by a joint that can be eliminated; leaders come before their followers
static lmb_status visit(tree *t, int leader, lmb_error *err) {
    lmb_model *m = t->b->m;
    int whole = leader < 0 ? -1 : leader - m->bodies[leader].part;
    for (int k = t->chains.first[whole]; k >= 0; k = t->chains.links[k].next) {
        int i = t->chains.links[k].joint;
        if (t->keeps_rows[i] || m->joints[i].follower >= 0) continue;
        for (int side = 0; side < 2; side++) {
            const lmb_marker *own = &m->markers[m->joints[i].marker[side]];
            int other = m->markers[m->joints[i].marker[1 - side]].body, body = own->body;
            if (other != leader || body < 0 || body == other) continue;
            if (leader >= 0 && t->place[body] >= 0 && t->place[body] < t->place[leader]) continue;
            lmb_clamp clamp = {0};
            pose rel;
            int at = node_of(&clamp, t, i, side), frame = at < 0 ? free_frame(&rel, t, own) : -1;
            if (at < 0 && frame < 0) continue;
            if (t->place[body] < 0) t->place[body] = t->count, m->order[t->count++] = body;
            lmb_status st =
                at >= 0 ? add_node(t, i, side, at, &clamp, err) : add_follower(t, i, side, frame, &rel, err);
            if (st != LMB_OK) return st;
            break;
        }
    }
    return LMB_OK;
}

// in the order of their bodies; insertion sort, as they are nearly sorted
static void sort_followers(const tree *t) {
    lmb_model *m = t->b->m;
    for (int i = 1; i < m->follower_count; i++) {
        lmb_follower f = m->followers[i];
        int k = i;
        for (; k > 0 && t->place[m->followers[k - 1].body] > t->place[f.body]; k--)
            m->followers[k] = m->followers[k - 1];
        m->followers[k] = f;
    }
    for (int i = 0; i < m->follower_count; i++) m->joints[m->followers[i].joint].follower = i;
}

// If everything is prescribed, one motion stays a row: without unknowns there would be no error for step control.
static lmb_status keep_unknown(tree *t, lmb_error *err) {
    lmb_model *m = t->b->m;
    int unknowns = 0;
    for (int i = 0; i < m->block_count; i++) unknowns += m->blocks[i].iy >= 0 ? m->blocks[i].nv : 0;
    for (int i = 0; i < m->follower_count && unknowns == 0; i++) {
        lmb_follower *f = &m->followers[i];
        lmb_joint *j = &m->joints[f->joint];
        for (int k = 0; k < f->count && unknowns == 0; k++) {
            if (f->free[k] >= 0) continue;
            ((lmb_row *)j->rows)[j->row_count++] = f->given[k];
            f->free[k] = 0, m->given_count--, unknowns = 1;
            lmb_status st = add_coordinates(t->b, f, err);
            if (st != LMB_OK) return st;
        }
    }
    return LMB_OK;
}

static bool any_relative(const lmb_build *b) {
    for (int i = 0; i < b->m->body_count; i++)
        if (b->starts[i].relative) return true;
    return false;
}

static lmb_status begin(tree *t, lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_arena *arena = b->spec->arena;
    *t = (tree){.b = b, .all = wanted(b)};
    m->order = lmb_arena_get(b->arena, (size_t)m->body_count, sizeof *m->order);
    m->followers = lmb_arena_get(b->arena, (size_t)m->joint_count + 1, sizeof *m->followers);
    t->place = lmb_arena_get(arena, (size_t)m->body_count, sizeof *t->place);
    t->users = lmb_arena_get(arena, (size_t)m->block_count, sizeof *t->users);
    t->keeps_rows = lmb_arena_get(arena, (size_t)m->joint_count + 1, sizeof *t->keeps_rows);
    if (!m->order || !m->followers || !t->place || !t->users || !t->keeps_rows) return lmb_fail_memory(err);
    for (int i = 0; i < m->body_count; i++) {
        t->place[i] = -1;
        for (int k = 0; k < m->bodies[i].block_count; k++) t->users[m->bodies[i].blocks[k]]++;
    }
    return LMB_OK;
}

static lmb_status grow(tree *t, lmb_error *err) {
    lmb_model *m = t->b->m;
    lmb_status st = visit(t, -1, err);
    for (int next = 0, root = 0; st == LMB_OK && t->count <= m->body_count; next++) {
        if (next == t->count) { // nothing is attached to the visited bodies: the next body is free
            while (root < m->body_count && t->place[root] >= 0) root++;
            if (root == m->body_count) break;
            t->place[root] = t->count;
            m->order[t->count++] = root;
        }
        st = visit(t, m->order[next], err);
    }
    if (st == LMB_OK) sort_followers(t);
    return st;
}

// ---- back --------------------------------------------------------------------------------------

typedef struct before { // what growing changes
    int blocks, *iy, *row_count;
    lmb_row *rows;
} before;

static lmb_status save(before *x, const lmb_build *b, lmb_error *err) {
    const lmb_model *m = b->m;
    lmb_arena *arena = b->spec->arena;
    size_t rows = 0;
    for (int i = 0; i < m->joint_count; i++) rows += (size_t)m->joints[i].row_count;
    x->blocks = m->block_count;
    x->iy = lmb_arena_get(arena, (size_t)m->block_count + 1, sizeof *x->iy);
    x->row_count = lmb_arena_get(arena, (size_t)m->joint_count + 1, sizeof *x->row_count);
    x->rows = lmb_arena_get(arena, rows + 1, sizeof *x->rows);
    if (!x->iy || !x->row_count || !x->rows) return lmb_fail_memory(err);
    for (int i = 0; i < m->block_count; i++) x->iy[i] = m->blocks[i].iy;
    lmb_row *to = x->rows;
    for (int i = 0; i < m->joint_count; to += m->joints[i++].row_count) {
        x->row_count[i] = m->joints[i].row_count;
        if (x->row_count[i] > 0) memcpy(to, m->joints[i].rows, (size_t)x->row_count[i] * sizeof *to);
    }
    return LMB_OK;
}

static void restore(tree *t, const before *x) {
    lmb_model *m = t->b->m;
    const lmb_row *from = x->rows;
    m->block_count = x->blocks, m->follower_count = m->given_count = t->count = 0;
    for (int i = 0; i < m->block_count; i++) m->blocks[i].iy = x->iy[i];
    for (int i = 0; i < m->body_count; i++) t->place[i] = -1;
    for (int i = 0; i < m->joint_count; from += x->row_count[i++]) {
        lmb_joint *j = &m->joints[i];
        j->row_count = x->row_count[i], j->follower = -1;
        if (j->row_count > 0) memcpy((lmb_row *)j->rows, from, (size_t)j->row_count * sizeof *from);
    }
}

static bool has_unknowns(const lmb_model *m) {
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].iy >= 0) return true;
    return false;
}

lmb_status lmb_build_can_follow(bool *all, lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    tree t;
    before x;
    lmb_status st = begin(&t, b, err);
    if (st != LMB_OK) return st;
    find_kept(&t);
    st = lmb_build_chains(&t.chains, b, err);
    if (st == LMB_OK) st = save(&x, b, err);
    if (st == LMB_OK) st = grow(&t, err);
    if (st != LMB_OK) return st;
    *all = m->follower_count > 0 && has_unknowns(m) && !lmb_build_tree_keep(t.keeps_rows, b, &st, err);
    for (int i = 0; i < m->joint_count && *all; i++)
        *all = m->joints[i].row_count == 0 || m->joints[i].start != LMB_START_NONE;
    restore(&t, &x);
    m->joints_kept = 0;
    return st;
}

lmb_status lmb_build_followers(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    tree t;
    before x;
    lmb_status st = begin(&t, b, err);
    if (st != LMB_OK) return st;
    if (!t.all && !any_relative(b)) {
        for (int i = 0; i < m->body_count; i++) m->order[i] = i;
        return LMB_OK;
    }
    find_kept(&t);
    st = lmb_build_chains(&t.chains, b, err);
    if (st == LMB_OK) st = save(&x, b, err);
    if (st == LMB_OK) st = grow(&t, err);
    while (st == LMB_OK && lmb_build_tree_keep(t.keeps_rows, b, &st, err)) {
        restore(&t, &x);
        st = grow(&t, err);
    }
    return st == LMB_OK ? keep_unknown(&t, err) : st;
}
