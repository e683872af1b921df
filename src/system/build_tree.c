// system/build_tree.c: whether bodies that follow each other become a tree whose matrix is solved from the leaves to the root, and the
// nodes of that tree.                                                              docs/theory/system.md (17) to (22)
#include "system/build_state.h"
#include "system/tree.h"

#include <stdlib.h>

// A body depends on this many velocities, in the quadratic mean, before a tree is faster than maps of all of them.
static const double LEAST_PATH = 4;
// Up to this many, maps cost little more than multipliers.
static const double MOST_PATH = 8;
// What acts across a tree costs as much as the tree saves at 40 (n = 20) to 50 (n = 100) loads of links, and at 60 a third more; a row of
// a joint counts like three of them, because it depends on all velocities of its path.                     docs/theory/speed.md
enum { MOST_ACROSS = 60, ROW_COSTS = 3 };

typedef struct plan {
    lmb_build *b;
    lmb_model *m;
    int *leader;   // per body: that of its frame, -1: ground or none
    int *follower; // per body: -1: none
} plan;

// ---- whether -----------------------------------------------------------------------------------

static bool analyses_allow(const lmb_program *p) {
    for (int i = 0; i < p->analysis_count; i++)
        if (!p->analyses[i].trees) return false;
    return p->analysis_count > 0;
}

// accelerations alone cost least by the recursion along the tree, however short
static double least_path(const lmb_program *p) {
    for (int i = 0; i < p->analysis_count; i++)
        if (!p->analyses[i].explicit) return LEAST_PATH;
    return 0;
}

// the first block of the frame that carries a leader's marker, -1: none does
static int leading_block(const lmb_model *m, const lmb_marker *marker) {
    const lmb_body *b = &m->bodies[marker->body];
    pose rel;
    int frame = b->ops->following.carrier ? b->ops->following.carrier(&rel, b, marker) : -1;
    return frame < 0 ? -1 : b->blocks[frame];
}

// coordinates behind the frame of a body that move its markers there
static int bend_of(const lmb_body *b) { return b->ops->following.relative ? b->n - LMB_TREE_FRAME : 0; }

// the first follower of each body, and its leader
static void find_leaders(const plan *t) {
    const lmb_model *m = t->m;
    for (int i = 0; i < m->body_count; i++) t->leader[i] = t->follower[i] = -1;
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        if (f->node || t->follower[f->body] >= 0) continue;
        t->follower[f->body] = i, t->leader[f->body] = m->markers[f->leader].body;
    }
}

static int shared_blocks(const lmb_model *m) {
    int blocks = -m->block_count;
    for (int i = 0; i < m->body_count; i++) blocks += m->bodies[i].block_count;
    for (int i = 0; i < m->follower_count; i++) blocks += m->followers[i].block >= 0;
    return blocks;
}

// bodies share nothing, and every frame follows one other frame
static bool frames_allow(const plan *t) {
    const lmb_model *m = t->m;
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        int from = m->markers[f->leader].body;
        if (f->node || t->follower[f->body] != i) return false;
        if (m->bodies[f->body].ops->following.relative && f->frame > 0) return false;
        if (from >= 0 && leading_block(m, &m->markers[f->leader]) < 0) return false;
    }
    return shared_blocks(m) == 0;
}

// unknowns of a body: those of its joint, then its own
static int own_unknowns(const plan *t, int body) {
    const lmb_model *m = t->m;
    const lmb_body *b = &m->bodies[body];
    const lmb_follower *f = t->follower[body] >= 0 ? &m->followers[t->follower[body]] : NULL;
    int count = f && f->block >= 0 ? m->blocks[f->block].nv : 0;
    for (int k = 0; k < b->block_count; k++)
        count += m->blocks[b->blocks[k]].iy >= 0 ? m->blocks[b->blocks[k]].nv : 0;
    return count;
}

// velocities on which the frame of a follower depends, beside its own: of its joint and of the leader's frame
static int path_of(const plan *t, const int *path, const lmb_follower *f) {
    const lmb_model *m = t->m;
    const lmb_marker *leader = &m->markers[f->leader];
    int own = f->ball ? 3 : f->block >= 0 ? m->blocks[f->block].nv : 0;
    if (leader->body < 0) return own;
    int before = t->follower[leader->body], block = leading_block(m, leader);
    bool follows = before >= 0 && m->bodies[leader->body].blocks[m->followers[before].frame] == block;
    own += bend_of(&m->bodies[leader->body]);
    return own + (follows ? path[before] : 0); // a free frame does not fill the matrix
}

// their quadratic mean over all followers
static double mean_path(const plan *t, int *path) {
    double sum = 0;
    for (int i = 0; i < t->m->follower_count; i++) {
        path[i] = path_of(t, path, &t->m->followers[i]);
        sum += (double)path[i] * path[i];
    }
    return sqrt(sum / t->m->follower_count);
}

// ---- what acts across -----------------------------------------------------------------------------

typedef struct across { // pairs (row, column) of bodies that are not next to each other
    int *list, count, capacity;
    bool no_memory;
} across;

static void add_pair(across *x, const plan *t, int row, int col) {
    if (row < 0 || col < 0 || row == col || t->leader[row] == col || t->leader[col] == row) return;
    if (x->count + 2 > x->capacity) {
        int capacity = 2 * x->capacity + 64;
        int *list = lmb_realloc(x->list, (size_t)capacity, sizeof *list);
        if (list == NULL) {
            x->no_memory = true;
            return;
        }
        x->list = list, x->capacity = capacity;
    }
    x->list[x->count++] = row, x->list[x->count++] = col;
}

static void add_inputs(across *x, const plan *t, int row, const int *inputs, int count) {
    const lmb_model *m = t->m;
    for (int k = 0; k < count; k++) {
        const lmb_input *in = &m->inputs[inputs[k]];
        bool signal = in->kind == LMB_INPUT_SIGNAL;
        for (int j = 0; j < (signal ? in->base_count : 1); j++)
            for (int s = 0; s < 2; s++) add_pair(x, t, row, (signal ? &m->inputs[in->base[j]] : in)->body[s]);
    }
}

static void add_markers(across *x, const plan *t, const int *marker, int count) {
    const lmb_model *m = t->m;
    for (int a = 0; a < count; a++)
        for (int c = 0; c < count; c++)
            add_pair(x, t, m->markers[marker[a]].body, m->markers[marker[c]].body);
}

static int compare_pairs(const void *a, const void *b) {
    const int *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

// loads of all links, each pair once
static int count_loads(across *x, const lmb_model *m) {
    int loads = 0;
    if (x->count > 0) qsort(x->list, (size_t)x->count / 2, 2 * sizeof *x->list, compare_pairs);
    for (int i = 0; i < x->count; i += 2)
        if (i == 0 || compare_pairs(x->list + i - 2, x->list + i) != 0) loads += m->bodies[x->list[i]].n;
    return loads;
}

// loads of links, and rows with their weight
static int across_cost(bool *no_memory, const plan *t) {
    const lmb_model *m = t->m;
    across x = {0};
    int rows = 0;
    for (int i = 0; i < m->joint_count; i++) {
        rows += m->joints[i].row_count;
        if (m->joints[i].row_count > 0) add_markers(&x, t, m->joints[i].marker, m->joints[i].marker_count);
    }
    for (int i = 0; i < m->force_count; i++) {
        const lmb_force *f = &m->forces[i];
        add_markers(&x, t, f->marker, 2);
        for (int k = 0; k < 2; k++)
            add_inputs(&x, t, m->markers[f->marker[k]].body, f->inputs, f->input_count);
    }
    for (int i = 0; i < m->body_count; i++)
        add_inputs(&x, t, i, m->bodies[i].inputs, m->bodies[i].input_count);
    int cost = count_loads(&x, m) + ROW_COSTS * rows;
    *no_memory = x.no_memory;
    lmb_free(x.list);
    return cost;
}

// a body whose frames move independently may follow: paths end there
static bool ends_paths(const plan *t, const lmb_follower *f) {
    const lmb_body *b = &t->m->bodies[f->body];
    return f->node || (b->ops->following.relative == NULL && b->block_count > 2);
}

// frames that follow a second leader, and nodes of beams, are no part of a tree
static int keep_others(bool *keeps_rows, const plan *t) {
    int more = 0;
    for (int i = 0; i < t->m->follower_count; i++) {
        const lmb_follower *f = &t->m->followers[i];
        bool other = f->node || t->follower[f->body] != i;
        more += other && !keeps_rows[f->joint];
        keeps_rows[f->joint] |= other;
    }
    return more;
}

static int keep_all(bool *keeps_rows, const plan *t) {
    int more = 0;
    for (int i = 0; i < t->m->follower_count; i++) {
        const lmb_follower *f = &t->m->followers[i];
        if (ends_paths(t, f)) continue;
        more += !keeps_rows[f->joint];
        keeps_rows[f->joint] = true;
    }
    return more;
}

// ---- nodes -------------------------------------------------------------------------------------

static bool make_nodes(const plan *t) {
    lmb_model *m = t->m;
    lmb_tree *tree = lmb_arena_get(t->b->arena, 1, sizeof *tree);
    lmb_tree_node *nodes = lmb_arena_get(t->b->arena, (size_t)m->body_count, sizeof *nodes);
    if (tree == NULL || nodes == NULL) return false;
    for (int i = 0; i < m->body_count; i++) m->bodies[m->order[i]].node = i;
    for (int i = 0; i < m->body_count; i++) {
        int body = m->order[i], from = t->leader[body];
        lmb_tree_node *k = &nodes[i];
        *k = (lmb_tree_node){.parent = from < 0 ? -1 : m->bodies[from].node,
                             .size = m->bodies[body].n,
                             .count = own_unknowns(t, body),
                             .first = tree->loads,
                             .pivot = tree->unknowns,
                             .copies = 1,
                             .bend = from < 0 ? 0 : bend_of(&m->bodies[from]),
                             .ball = t->follower[body] >= 0 && m->followers[t->follower[body]].ball};
        tree->loads += k->size, tree->unknowns += k->count;
        tree->most = k->size > tree->most ? k->size : tree->most;
    }
    tree->count = m->body_count, tree->nodes = nodes;
    m->tree = tree;
    return true;
}

// lists: room for two numbers a body and one a follower
static plan plan_make(lmb_build *b, int *lists) {
    plan t = {.b = b, .m = b->m, .leader = lists, .follower = lists + b->m->body_count};
    find_leaders(&t);
    return t;
}

static int *lists_make(const lmb_build *b) {
    const lmb_model *m = b->m;
    return lmb_arena_get(b->spec->arena, 2 * (size_t)m->body_count + (size_t)m->follower_count, sizeof(int));
}

bool lmb_build_tree_keep(bool *keeps_rows, lmb_build *b, lmb_status *st, lmb_error *err) {
    lmb_model *m = b->m;
    if (m->follower_count == 0 || !analyses_allow(b->program)) return false;
    int *lists = lists_make(b), more = 0;
    if (lists == NULL) return *st = lmb_fail_memory(err), false;
    plan t = plan_make(b, lists);
    double path = mean_path(&t, lists + 2 * m->body_count);
    bool no_memory = false;
    if (path < LEAST_PATH) return false;
    if (!frames_allow(&t) && path > MOST_PATH) more = keep_others(keeps_rows, &t);
    else if (across_cost(&no_memory, &t) > MOST_ACROSS && path > MOST_PATH)
        m->joints_kept = more = keep_all(keeps_rows, &t);
    if (no_memory) *st = lmb_fail_memory(err);
    return more > 0;
}

lmb_status lmb_build_tree(lmb_build *b, lmb_error *err) {
    const lmb_model *m = b->m;
    if (m->follower_count == 0 || !analyses_allow(b->program)) return LMB_OK;
    int *lists = lists_make(b);
    if (lists == NULL) return lmb_fail_memory(err);
    plan t = plan_make(b, lists);
    bool no_memory = false, tree = frames_allow(&t) &&
                                   mean_path(&t, lists + 2 * m->body_count) >= least_path(b->program) &&
                                   across_cost(&no_memory, &t) <= MOST_ACROSS;
    if (no_memory) return lmb_fail_memory(err);
    return !tree || make_nodes(&t) ? LMB_OK : lmb_fail_memory(err);
}

// ---- unknowns and values -----------------------------------------------------------------------

// bodies that rows act on need their leaders' unknowns, too
static void mark_rows(char *rows, const lmb_model *m) {
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; m->joints[i].row_count > 0 && k < m->joints[i].marker_count; k++)
            rows[m->markers[m->joints[i].marker[k]].body + 1] = 1;
    for (int i = 0; i < m->force_count; i++)
        for (int k = 0; m->forces[i].joint >= 0 && k < 2; k++)
            rows[m->markers[m->forces[i].marker[k]].body + 1] = 1;
}

// y of a body: of its joint, its own, with rows those of its leaders up to the root
static lmb_status columns(lmb_build *b, int index, bool rows, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_body *body = &m->bodies[index];
    lmb_tree_node *nodes = (lmb_tree_node *)m->tree->nodes, *k = &nodes[body->node];
    int most = k->count, n = 0;
    for (int p = k->parent; rows && p >= 0; p = nodes[p].parent) most += nodes[p].count;
    int *y = lmb_arena_get(b->arena, (size_t)most + 1, sizeof *y);
    int *own = lmb_arena_get(b->arena, (size_t)body->n + 1, sizeof *own);
    if (y == NULL || own == NULL) return lmb_fail_memory(err);
    lmb_follower *f = body->follower_count > 0 ? &m->followers[body->follower] : NULL;
    if (f) f->from_q = f->from_v = -1;
    if (k->parent >= 0) {
        const lmb_block *from = &m->blocks[leading_block(m, &m->markers[f->leader])];
        f->from_q = from->iq, f->from_v = from->iv;
        k->at = from->iv - m->bodies[m->order[k->parent]].iv, k->own = f->at;
    }
    for (int i = 0; f && f->block >= 0 && i < m->blocks[f->block].nv; i++)
        y[n++] = m->blocks[f->block].iy + i;
    for (int c = 0, row = 0; c < body->block_count; c++) {
        const lmb_block *block = &m->blocks[body->blocks[c]];
        for (int i = 0; i < block->nv; i++, row++) {
            own[row] = block->iy >= 0 ? n : -1;
            if (block->iy >= 0) y[n++] = block->iy + i;
        }
    }
    for (int p = k->parent; rows && p >= 0; p = nodes[p].parent)
        for (int i = 0; i < nodes[p].count; i++) y[n++] = nodes[p].unknown[i];
    body->y = k->unknown = y, body->ny = n, body->own = own;
    m->max_n = body->n > m->max_n ? body->n : m->max_n;
    m->max_y = n > m->max_y ? n : m->max_y;
    return LMB_OK;
}

lmb_status lmb_build_tree_columns(lmb_build *b, lmb_error *err) {
    const lmb_model *m = b->m;
    char *rows = lmb_arena_get(b->spec->arena, (size_t)m->body_count + 1, sizeof *rows);
    if (rows == NULL) return lmb_fail_memory(err);
    mark_rows(rows, m);
    lmb_status st = LMB_OK;
    for (int i = 0; i < m->body_count && st == LMB_OK; i++)
        st = columns(b, m->order[i], rows[m->order[i] + 1] != 0, err);
    return st;
}

static int take(int *used, int count) {
    int at = *used;
    *used += count;
    return at;
}

// pairs of a frame and its leader are part of a node, others are links
static bool make_links(lmb_build *b) {
    lmb_model *m = b->m;
    lmb_tree_node *nodes = (lmb_tree_node *)m->tree->nodes;
    int most = m->pair_count - m->body_count; // behind those of bodies with themselves
    lmb_tree_link *links = lmb_arena_get(b->arena, (size_t)most + 1, sizeof *links);
    if (links == NULL) return false;
    for (int i = m->body_count; i < m->pair_count; i++) {
        int row = m->bodies[m->pairs[i].row_body].node, col = m->bodies[m->pairs[i].col_body].node;
        if (nodes[row].parent == col) nodes[row].coupled = true;
        else if (nodes[col].parent == row) nodes[col].coupled = true;
        else {
            links[m->tree->link_count++] = (lmb_tree_link){.row = row, .col = col};
            m->tree->link_loads += nodes[row].size;
        }
    }
    m->tree->links = links;
    return true;
}

lmb_status lmb_build_tree_values(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    if (!make_links(b)) return lmb_fail_memory(err);
    lmb_tree_node *nodes = (lmb_tree_node *)m->tree->nodes;
    int *used = &m->tree->doubles;
    m->tree->levels = take(used, 1);
    for (int i = 0; i < m->tree->count; i++) {
        lmb_tree_node *k = &nodes[i];
        int n = LMB_TREE_LEVELS * k->size, pair = k->coupled;
        k->X = take(used, k->size * n), k->S = take(used, k->count * k->size);
        k->G = take(used, k->count * n), k->geo = take(used, k->count * k->size);
        k->E = take(used, k->count * k->count), k->arm = take(used, k->parent < 0 ? 0 : k->ball ? 9 : 3);
        k->L = take(used, k->bend * LMB_TREE_FRAME * LMB_TREE_LEVELS);
        int wide = k->parent < 0 ? 0 : nodes[k->parent].size;
        k->Y = take(used, pair * wide * n), k->Z = take(used, pair * wide * n);
    }
    for (int i = 0; i < m->tree->link_count; i++) {
        lmb_tree_link *link = (lmb_tree_link *)&m->tree->links[i];
        link->B = take(used, nodes[link->row].size * LMB_TREE_LEVELS * nodes[link->col].size);
    }
    return LMB_OK;
}
