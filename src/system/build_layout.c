// system/build_layout.c: numbers blocks and rows, builds the matrix pattern and the positions of every element in it.
#include "system/build_state.h"
#include "system/recursion.h"
#include "system/shown.h"
#include "system/stress.h"
#include "system/tree.h"

#include <stdio.h>
#include <string.h>

static void number_block(lmb_model *m, lmb_block *block) {
    block->iq = m->nq;
    block->iv = m->nv;
    if (block->iy >= 0) block->iy = m->ny, m->ny += block->nv;
    if (block->kind == LMB_BLOCK_POINT || block->kind == LMB_BLOCK_PLACE) block->scale = m->length;
    m->nq += block->nq;
    m->nv += block->nv;
}

static int place_in(const int *list, int n, int value) {
    for (int i = 0; i < n; i++)
        if (list[i] == value) return i;
    return -1;
}

// indices of the leader's y that a marker depends on: only those of one frame if it is fixed there
static int marker_columns(int *list, const lmb_model *m, const lmb_marker *marker) {
    const lmb_body *b = &m->bodies[marker->body];
    const lmb_body_following *ops = &b->ops->following;
    pose rel;
    int frame = ops->carrier && !ops->relative ? ops->carrier(&rel, b, marker) : -1, n = 0;
    for (int c = 0; frame < 0 && c < b->ny; c++) list[n++] = c;
    for (int k = frame; frame >= 0 && k < frame + 2; k++) {
        const lmb_block *block = &m->blocks[b->blocks[k]];
        for (int i = 0; block->iy >= 0 && i < block->nv; i++)
            list[n++] = place_in(b->y, b->ny, block->iy + i);
    }
    for (int i = 0; frame >= 0 && i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        if (f->body != marker->body || f->frame != frame) continue;
        for (int c = 0; c < f->leader_y; c++) list[n++] = f->column[c];
        for (int c = 0; f->block >= 0 && c < m->blocks[f->block].nv; c++) list[n++] = f->s_column + c;
    }
    return n;
}

// adds the columns of the leader and of the joint of a follower to its body's y (n so far); returns the new count
static int follower_columns(int *y, int n, lmb_build *b, lmb_follower *f) {
    const lmb_model *m = b->m;
    const lmb_marker *leader = &m->markers[f->leader];
    const lmb_body *from = leader->body >= 0 ? &m->bodies[leader->body] : NULL;
    int *list = lmb_arena_get(b->arena, 2 * (size_t)(from ? from->ny : 0) + 1, sizeof *list);
    if (list == NULL) return b->no_memory = true, n;
    f->leader_y = from ? marker_columns(list, m, leader) : 0;
    int *own = list + f->leader_y;
    for (int c = 0; c < f->leader_y; c++) {
        own[c] = place_in(y, n, from->y[list[c]]);
        if (own[c] < 0) own[c] = n, y[n++] = from->y[list[c]];
    }
    f->leader_column = list, f->column = own, f->s_column = n;
    const lmb_block *s = f->block >= 0 ? &m->blocks[f->block] : NULL;
    for (int k = 0; s && k < s->nv; k++) y[n++] = s->iy + k;
    return n;
}

// the independent velocities a body depends on: those of leaders and joints, and its own free blocks
static lmb_status body_columns(lmb_build *b, int index, lmb_follower *f, int count, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_body *body = &m->bodies[index];
    int most = body->n, n = 0;
    for (int i = 0; i < count; i++) {
        int leader = m->markers[f[i].leader].body;
        most += (leader >= 0 ? m->bodies[leader].ny : 0) + (f[i].block >= 0 ? m->blocks[f[i].block].nv : 0);
    }
    int *y = lmb_arena_get(b->arena, (size_t)most + 1, sizeof *y);
    if (y == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++) n = follower_columns(y, n, b, &f[i]);
    int *own = lmb_arena_get(b->arena, (size_t)body->n + 1, sizeof *own);
    if (own == NULL) return lmb_fail_memory(err);
    for (int k = 0, row = 0; k < body->block_count; k++) {
        const lmb_block *block = &m->blocks[body->blocks[k]];
        for (int i = 0; i < block->nv; i++, row++) {
            own[row] = block->iy >= 0 ? n : -1;
            if (block->iy >= 0) y[n++] = block->iy + i;
        }
    }
    body->y = y, body->ny = n, body->own = own;
    int wide = body->n > body->ny ? body->n : body->ny;
    m->max_n = wide > m->max_n ? wide : m->max_n;
    return b->no_memory ? lmb_fail_memory(err) : LMB_OK;
}

static lmb_status number_blocks(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    for (int i = 0; i < m->block_count; i++)
        number_block(m, &m->blocks[i]); // body by body, then those of followers
    lmb_shown_number(m);
    for (int i = 0; i < m->body_count; i++) {
        m->bodies[i].iq = m->blocks[m->bodies[i].blocks[0]].iq;
        m->bodies[i].iv = m->blocks[m->bodies[i].blocks[0]].iv;
    }
    for (int i = 0, next = 0; i < m->body_count; i++) {
        int first = next;
        while (next < m->follower_count && m->followers[next].body == m->order[i]) next++;
        m->bodies[m->order[i]].follower = first, m->bodies[m->order[i]].follower_count = next - first;
        lmb_status st =
            m->tree ? LMB_OK : body_columns(b, m->order[i], m->followers + first, next - first, err);
        if (st != LMB_OK) return st;
    }
    lmb_status st = m->tree ? lmb_build_tree_columns(b, err) : LMB_OK;
    if (st != LMB_OK) return st;
    m->y_block = lmb_arena_get(b->arena, (size_t)m->ny + 1, sizeof *m->y_block);
    m->y_v = lmb_arena_get(b->arena, (size_t)m->ny + 1, sizeof *m->y_v);
    m->y_scale = lmb_arena_doubles(b->arena, m->ny);
    if (!m->y_block || !m->y_v || !m->y_scale) return lmb_fail_memory(err);
    for (int i = 0; i < m->block_count; i++)
        for (int k = 0; m->blocks[i].iy >= 0 && k < m->blocks[i].nv; k++) {
            m->y_block[m->blocks[i].iy + k] = i;
            m->y_v[m->blocks[i].iy + k] = m->blocks[i].iv + k;
            m->y_scale[m->blocks[i].iy + k] = m->blocks[i].scale;
        }
    m->y_is_v = m->ny == m->nv;
    for (int y = 0; y < m->ny; y++) m->y_is_v = m->y_is_v && m->y_v[y] == y;
    for (int i = 0; i < m->follower_count; i++) // slides of joints are lengths
        for (int k = 0; k < m->followers[i].count; k++)
            if (m->followers[i].motion[k].kind == LMB_MOTION_SLIDE && m->followers[i].free[k] >= 0)
                m->y_scale[m->blocks[m->followers[i].block].iy + m->followers[i].free[k]] = m->length;
    return LMB_OK;
}

// Users of a marker: forces and inputs, in every evaluation of accelerations, joints, too, or only sensors, when they are read.
// Other markers cost nothing.
enum { UNUSED, WATCHED, NEEDED, ACTING };
static void find_used(char *used, const lmb_program *p) {
    const lmb_model *m = p->model;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < p->channel_count; i++) used[p->channels[i].marker[k]] = WATCHED;
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].marker_count; k++) used[m->joints[i].marker[k]] = NEEDED;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < m->turn_count; i++) used[m->turns[i].marker[k]] = NEEDED;
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < m->force_count; i++) used[m->forces[i].marker[k]] = ACTING;
        for (int i = 0; i < m->input_count; i++) used[m->inputs[i].marker[k]] = ACTING;
    }
}

// markers of each body: marker_list[marker_start[body] .. marker_acting[body]) act, those up to marker_watched[body] are needed,
// too, those up to marker_start[body + 1] watched
static lmb_status sort_markers(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    int *start = lmb_arena_get(b->arena, (size_t)m->body_count + 2, sizeof *start);
    int *acting = lmb_arena_get(b->arena, (size_t)m->body_count + 1, sizeof *acting);
    int *watched = lmb_arena_get(b->arena, (size_t)m->body_count + 1, sizeof *watched);
    int *list = lmb_arena_get(b->arena, (size_t)m->marker_count, sizeof *list);
    char *used = lmb_arena_get(b->arena, (size_t)m->marker_count, sizeof *used);
    if (!start || !acting || !watched || !list || !used) return lmb_fail_memory(err);
    find_used(used, b->program);
    for (int i = 0; i < m->marker_count; i++)
        if (used[i] != UNUSED && m->markers[i].body >= 0) start[m->markers[i].body + 2]++;
    for (int i = 2; i < m->body_count + 2; i++) start[i] += start[i - 1];
    for (int what = ACTING; what >= WATCHED; what--) {
        for (int i = 0; i < m->marker_count; i++)
            if (used[i] == what && m->markers[i].body >= 0) list[start[m->markers[i].body + 1]++] = i;
        int *end = what == ACTING ? acting : watched;
        for (int i = 0; what != WATCHED && i < m->body_count; i++) end[i] = start[i + 1];
    }
    m->marker_start = start;
    m->marker_acting = acting;
    m->marker_watched = watched;
    m->marker_list = list;
    return LMB_OK;
}

// A joint that alone supports a body is independent of all others: such bodies are removed one by
// one; closed loops remain.  (Followers share coordinates: then every joint counts as part of a loop.)
static lmb_status find_leaves(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    int *degree = lmb_arena_get(b->spec->arena, (size_t)m->body_count + 1, sizeof *degree);
    if (degree == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; m->joints[i].row_count > 0 && k < m->joints[i].marker_count; k++)
            degree[m->markers[m->joints[i].marker[k]].body + 1]++; // ground: 0
    for (bool again = m->follower_count == 0; again;) {
        again = false;
        for (int i = m->joint_count - 1; i >= 0;
             i--) { // chains are mostly numbered from ground outwards: go back
            lmb_joint *j = &m->joints[i];
            if (j->leaf || j->marker_count != 2 || j->row_count == 0 || j->row_count > 6) continue;
            int one = m->markers[j->marker[0]].body + 1, two = m->markers[j->marker[1]].body + 1;
            if (!(one > 0 && degree[one] == 1) && !(two > 0 && degree[two] == 1)) continue;
            if ((one > 0 && m->bodies[one - 1].dependent) || (two > 0 && m->bodies[two - 1].dependent))
                continue;
            j->leaf = again = true;
            degree[one]--, degree[two]--;
        }
    }
    return LMB_OK;
}

static lmb_status number_rows(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    for (int i = 0; i < m->joint_count; i++) m->joints[i].lambda = m->nc, m->nc += m->joints[i].row_count;
    m->n = m->ny + m->nc;
    m->row_weight = lmb_arena_doubles(b->arena, m->nc);
    m->row_scale = lmb_arena_doubles(b->arena, m->nc);
    m->row_eps = lmb_arena_doubles(b->arena, m->nc);
    if (!m->row_weight || !m->row_scale || !m->row_eps) return lmb_fail_memory(err);
    for (int i = 0; i < m->joint_count; i++)
        for (int r = 0; r < m->joints[i].row_count; r++) {
            double scale = m->joints[i].rows[r].scale;
            m->row_scale[m->joints[i].lambda + r] = scale < 0 ? m->length : scale;
            m->row_weight[m->joints[i].lambda + r] = 1;
        }
    return LMB_OK;
}

static int pool(lmb_model *m, int count) {
    int at = (int)m->pool_doubles;
    m->pool_doubles += (size_t)count;
    return at;
}

static void lay_out_pool(lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        m->bodies[i].work = pool(m, m->bodies[i].work_count);
        m->bodies[i].scratch = pool(m, m->bodies[i].scratch_count);
    }
    for (int i = 0; i < m->follower_count; i++) {
        lmb_follower *f = &m->followers[i];
        lmb_body *b = &m->bodies[f->body];
        if (m->tree) {
            f->work = pool(m, 6 * (4 + b->n));
            f->lead = pool(m, LMB_TREE_LEVELS * LMB_TREE_FRAME * m->tree->nodes[b->node].bend);
            continue;
        }
        if (b->map < 0) b->map = pool(m, b->n * b->ny);
        f->work = pool(m, 6 * f->leader_y);
        f->changes = pool(m, 18 * b->ny);
    }
    if (m->follower_count > 0) m->residuals = pool(m, (m->tree ? 2 : 1) * m->nv);
    if (m->tree) m->tree_row = pool(m, 11 * m->max_n);
    for (int i = 0; m->tree && i < m->body_count; i++)
        m->bodies[i].screws =
            pool(m, LMB_TREE_LEVELS * LMB_TREE_FRAME * m->tree->nodes[m->bodies[i].node].count);
    m->recursive = m->tree && lmb_recursion_fits(m);
    for (int i = 0; m->recursive && i < m->body_count; i++)
        m->bodies[i].link = pool(m, lmb_recursion_room(m, &m->bodies[i]));
    m->reactions = pool(m, 6 * m->joint_count);
    m->loads = pool(m, lmb_stress_scratch(m));
    for (int i = 0; i < m->body_count; i++) m->bodies[i].stress = pool(m, lmb_stress_room(&m->bodies[i]));
    for (int i = 0; i < m->marker_start[m->body_count]; i++) {
        lmb_marker *k = &m->markers[m->marker_list[i]];
        k->J = pool(m, 6 * m->bodies[k->body].n);
    }
    for (int i = 0; i < m->marker_count; i++) m->markers[i].bias = -1;
    for (int i = 0; i < m->follower_count; i++) {
        lmb_marker *k = &m->markers[m->followers[i].leader];
        if (k->bias < 0 && k->body >= 0 && m->bodies[k->body].ops->markers.moving) k->bias = pool(m, 6);
    }
    for (int i = 0; i < m->joint_count; i++) {
        m->joints[i].g = pool(m, m->joints[i].term_count * (LMB_TWIST + 1));
        m->joints[i].moved = pool(m, m->joints[i].row_count * LMB_MOVED_COUNT);
    }
    for (int i = 0; i < m->input_count; i++) {
        lmb_input *in = &m->inputs[i];
        if (in->kind == LMB_INPUT_SIGNAL) in->grad = pool(m, in->base_count);
        else
            in->g = pool(m, 2 * ((in->body[0] >= 0 ? m->bodies[in->body[0]].n : 0) +
                                 (in->body[1] >= 0 ? m->bodies[in->body[1]].n : 0)));
    }
}

// with a tree: what the elements of the matrix are added to before the values of the tree are made of it
static void lay_out_pairs(lmb_model *m) {
    for (int i = 0; i < m->pair_count; i++) {
        lmb_pair *p = &m->pairs[i];
        p->own = pool(m, LMB_OWN_COUNT * m->bodies[p->row_body].n * m->bodies[p->col_body].n);
    }
}

// ---- start values ------------------------------------------------------------------------------

static void body_start(double *q, double *v, const lmb_build *b, int i) {
    const lmb_body *body = &b->m->bodies[i];
    const lmb_body_start *s = &b->starts[i];
    if (s->state) {
        memcpy(v + body->iv, s->state, (size_t)body->n * sizeof *v);
        return;
    }
    if (body->ops->start) {
        body->ops->start(q + body->iq, v + body->iv, body, &s->p, s->v, s->w);
        return;
    }
    lmb_frame_start(q + body->iq, v + body->iv, &s->p, s->v, s->w);
}

// joint coordinates and their rates at the start poses and velocities as written
static void follower_start(double *q, double *v, const lmb_build *b, const lmb_follower *f) {
    const lmb_joint *j = &b->m->joints[f->joint];
    if (f->slopes > 0)
        memcpy(q + b->m->blocks[f->block].iq, f->s0, (size_t)b->m->blocks[f->block].nq * sizeof *q);
    for (int i = 0; i < f->count; i++) {
        if (f->free[i] < 0) continue;
        const lmb_term *t = &j->coordinates[f->motion[i].coordinate].term;
        int marker[2] = {j->marker[t->first], j->marker[t->second]};
        pose p[2] = {lmb_build_pose(b, marker[0]), lmb_build_pose(b, marker[1])};
        double g[LMB_TWIST], rate = 0;
        q[b->m->blocks[f->block].iq + f->free[i]] = lmb_measure_eval(g, NULL, &t->f, &p[0], &p[1]);
        for (int s = 0; s < 2; s++) {
            int body = b->m->markers[marker[s]].body;
            if (body < 0) continue;
            const lmb_body_start *at = &b->starts[body];
            vec3 velocity = v3_add(at->v, v3_cross(at->w, v3_sub(p[s].r, at->p.r)));
            rate += v3_dot(v3_load(g + 6 * s), velocity) +
                    v3_dot(v3_load(g + 6 * s + 3), m3_tmul_v3(&p[s].R, at->w));
        }
        v[b->m->blocks[f->block].iv + f->free[i]] = rate;
    }
}

static lmb_status start_values(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    double *q = lmb_arena_doubles(b->arena, m->nq), *v = lmb_arena_doubles(b->arena, m->nv);
    double *turns = lmb_arena_doubles(b->arena, m->turn_count);
    if (!q || !v || !turns) return lmb_fail_memory(err);
    for (int i = 0; i < m->body_count; i++) body_start(q, v, b, i);
    for (int i = 0; i < m->follower_count; i++) follower_start(q, v, b, &m->followers[i]);
    for (int i = 0; i < m->turn_count; i++) {
        pose p1 = lmb_build_pose(b, m->turns[i].marker[0]), p2 = lmb_build_pose(b, m->turns[i].marker[1]);
        turns[i] = lmb_measure_start(&m->turns[i].f, &p1, &p2);
    }
    m->q0 = q;
    m->v0 = v;
    m->turn0 = turns;
    return LMB_OK;
}

// ---- pairs -------------------------------------------------------------------------------------

static int pair_of(lmb_build *b, int row, int col) {
    if (row < 0 || col < 0) return -1;
    if (row == col && row < b->m->pair_count) return row; // body_pairs made these first
    char key[32];
    snprintf(key, sizeof key, "%d,%d", row, col);
    int known = lmb_names_index(&b->pair_names, key);
    if (known >= 0) return known;
    lmb_pair *p = LMB_PUSH(b, b->m->pairs, b->m->pair_count, b->pair_cap);
    const char *kept = lmb_arena_strdup(b->spec->arena, key);
    if (p == NULL || kept == NULL || !lmb_names_put(&b->pair_names, kept, b->m->pair_count - 1))
        return b->no_memory = true, -1;
    *p = (lmb_pair){row, col, NULL};
    return b->m->pair_count - 1;
}

// pairs of row body with the bodies of the inputs, in the order of system/tangent.c; list NULL: only counts
static int input_pairs(int *list, lmb_build *b, int row, const int *inputs, int count) {
    int n = 0;
    for (int k = 0; k < count; k++) {
        const lmb_input *in = &b->m->inputs[inputs[k]];
        bool is_signal = in->kind == LMB_INPUT_SIGNAL;
        for (int j = 0; j < (is_signal ? in->base_count : 1); j++) {
            const lmb_input *base = is_signal ? &b->m->inputs[in->base[j]] : in;
            for (int s = 0; s < 2; s++) {
                if (base->body[s] < 0) continue;
                if (list) list[n] = pair_of(b, row, base->body[s]);
                n++;
            }
        }
    }
    return n;
}

static lmb_status body_pairs(lmb_build *b, lmb_error *err) {
    for (int i = 0; i < b->m->body_count; i++) b->m->bodies[i].pair = pair_of(b, i, i);
    for (int i = 0; i < b->m->body_count; i++) {
        lmb_body *body = &b->m->bodies[i];
        if (body->input_count == 0) continue;
        int *list = lmb_arena_get(
            b->arena, (size_t)input_pairs(NULL, b, i, body->inputs, body->input_count) + 1, sizeof *list);
        if (list == NULL) return lmb_fail_memory(err);
        input_pairs(list, b, i, body->inputs, body->input_count);
        body->input_pairs = list;
    }
    return LMB_OK;
}

// whether the second derivatives of its rows can differ from zero; if not, its bodies do not meet in the matrix
static bool is_curved(const lmb_joint *j) {
    bool curved = false;
    for (int t = 0; t < j->term_count; t++) curved = curved || !lmb_measure_is_linear(&j->terms[t].f);
    return curved;
}

static lmb_status joint_pairs(lmb_build *b, lmb_joint *j, lmb_error *err) {
    int n = j->row_count > 0 ? j->marker_count : 0;
    int *pairs = lmb_arena_get(b->arena, (size_t)(n * n) + 1, sizeof *pairs);
    if (pairs == NULL) return lmb_fail_memory(err);
    bool meet = b->m->tree || is_curved(j);
    for (int a = 0; a < n; a++)
        for (int c = 0; c < n; c++) {
            int row = b->m->markers[j->marker[a]].body, col = b->m->markers[j->marker[c]].body;
            pairs[a * n + c] = row == col || meet ? pair_of(b, row, col) : -1;
        }
    j->pairs = pairs;
    return LMB_OK;
}

static lmb_status force_pairs(lmb_build *b, lmb_force *f, lmb_error *err) {
    int body[2] = {b->m->markers[f->marker[0]].body, b->m->markers[f->marker[1]].body}, size = 0;
    for (int k = 0; k < 4; k++) f->pairs[k] = pair_of(b, body[k / 2], body[k % 2]);
    for (int a = 0; a < 2; a++)
        size += body[a] >= 0 ? input_pairs(NULL, b, body[a], f->inputs, f->input_count) : 0;
    int *list = lmb_arena_get(b->arena, (size_t)size + 1, sizeof *list), used = 0;
    if (list == NULL) return lmb_fail_memory(err);
    for (int a = 0; a < 2; a++)
        used += body[a] >= 0 ? input_pairs(list + used, b, body[a], f->inputs, f->input_count) : 0;
    f->input_pairs = list;
    return LMB_OK;
}

// ---- pattern and places ------------------------------------------------------------------------

// whether velocity i of the marker's body moves the marker
static bool moves(const lmb_model *m, int marker, int i) {
    const lmb_marker *k = &m->markers[marker];
    const lmb_body *b = &m->bodies[k->body];
    return b->map >= 0 || m->tree || b->ops->markers.moved_by == NULL || b->ops->markers.moved_by(b, k, i);
}

// whether a row of a joint sees velocity i of the marker in slot k: one along an axis of a plane moves no axes of a body, and no
// place across it
static bool row_sees(const lmb_model *m, const lmb_joint *j, int row, int k, int i) {
    bool seen = false;
    if (!moves(m, j->marker[k], i)) return false;
    const lmb_body *b = &m->bodies[m->markers[j->marker[k]].body];
    bool frame =
        b->block_count > 1 && m->blocks[b->blocks[1]].kind == LMB_BLOCK_ANGLE && !b->ops->look.derived;
    if (i > 1 || !frame) return true;
    vec3 e = i == 0 ? m->plane->e1 : m->plane->e2;
    for (int t = j->rows[row].term; t < j->rows[row].term + j->rows[row].term_count; t++) {
        const lmb_measure *f = &j->terms[t].f;
        if (j->terms[t].first != k && j->terms[t].second != k) continue;
        seen = seen || (lmb_measure_is_linear(f) ? v3_dot(f->a, e) != 0 : !lmb_measure_is_of_axes(f));
    }
    return seen;
}

static bool joint_triplets(lmb_triplets *t, const lmb_model *m, const lmb_joint *j) {
    bool ok = true;
    for (int k = 0; k < j->marker_count; k++) {
        int body = m->markers[j->marker[k]].body;
        for (int i = 0; body >= 0 && i < m->bodies[body].ny; i++)
            for (int r = 0; r < j->row_count; r++) {
                int row = m->ny + j->lambda + r, y = m->bodies[body].y[i];
                if (row_sees(m, j, r, k, i))
                    ok = ok && lmb_triplets_add(t, row, y) && lmb_triplets_add(t, y, row);
            }
    }
    return ok;
}

static bool force_triplets(lmb_triplets *t, const lmb_model *m, const lmb_force *f) {
    bool ok = true;
    for (int k = 0; f->joint >= 0 && k < 2; k++) {
        int body = m->markers[f->marker[k]].body;
        const lmb_joint *j = &m->joints[f->joint];
        for (int i = 0; body >= 0 && i < m->bodies[body].ny; i++)
            for (int r = 0; r < j->row_count; r++)
                if (moves(m, f->marker[k], i))
                    ok = ok && lmb_triplets_add(t, m->bodies[body].y[i], m->ny + j->lambda + r);
    }
    return ok;
}

static bool holds_axes(const lmb_joint *j) {
    bool holds = false;
    for (int i = 0; i < j->term_count; i++) holds = holds || lmb_measure_is_of_axes(&j->terms[i].f);
    return holds;
}

// rows that hold axes of bodies which cannot turn about all of them
static lmb_status find_late_rows(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    bool *late = lmb_arena_get(b->arena, (size_t)m->n, sizeof *late);
    if (late == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        bool dependent = false;
        for (int k = 0; k < j->marker_count; k++) {
            int body = m->markers[j->marker[k]].body;
            dependent = dependent || (body >= 0 && m->bodies[body].dependent);
        }
        for (int r = 0; r < j->row_count; r++) late[m->ny + j->lambda + r] = dependent && holds_axes(j);
    }
    m->pattern.late = late;
    return LMB_OK;
}

static lmb_status make_pattern(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_triplets t = {0};
    bool ok = true;
    for (int i = m->tree ? m->ny : 0; ok && i < m->n; i++) ok = lmb_triplets_add(&t, i, i);
    for (int p = 0; ok && m->tree == NULL && p < m->pair_count; p++) {
        const lmb_body *row = &m->bodies[m->pairs[p].row_body], *col = &m->bodies[m->pairs[p].col_body];
        for (int i = 0; ok && i < row->ny; i++)
            for (int k = 0; ok && k < col->ny; k++) ok = lmb_triplets_add(&t, row->y[i], col->y[k]);
    }
    for (int i = 0; ok && i < m->joint_count; i++) ok = joint_triplets(&t, m, &m->joints[i]);
    for (int i = 0; ok && i < m->force_count; i++) ok = force_triplets(&t, m, &m->forces[i]);
    lmb_status st = ok ? lmb_pattern_create(&m->pattern, m->n, &t, err) : lmb_fail_memory(err);
    lmb_triplets_free(&t);
    if (m->tree) m->pattern.tree = m->tree, m->pattern.nnz += m->tree->doubles;
    return st == LMB_OK ? find_late_rows(b, err) : st;
}

static lmb_status pair_places(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    for (int p = 0; m->tree == NULL && p < m->pair_count; p++) {
        const lmb_body *row = &m->bodies[m->pairs[p].row_body], *col = &m->bodies[m->pairs[p].col_body];
        int *place = lmb_arena_get(b->arena, (size_t)(row->ny * col->ny), sizeof *place);
        if (place == NULL) return lmb_fail_memory(err);
        for (int i = 0; i < row->ny; i++)
            for (int k = 0; k < col->ny; k++)
                place[i * col->ny + k] = lmb_pattern_find(&m->pattern, row->y[i], col->y[k]);
        m->pairs[p].place = place;
    }
    return LMB_OK;
}

static lmb_status joint_places(lmb_build *b, lmb_joint *j, lmb_error *err) {
    lmb_model *m = b->m;
    int **place = lmb_arena_get(b->arena, (size_t)j->marker_count, sizeof *place);
    int *diagonal = lmb_arena_get(b->arena, (size_t)j->row_count + 1, sizeof *diagonal);
    if (!place || !diagonal) return lmb_fail_memory(err);
    for (int k = 0; k < j->marker_count; k++) {
        int body = m->markers[j->marker[k]].body, ny = body < 0 ? 0 : m->bodies[body].ny;
        place[k] = lmb_arena_get(b->arena, (size_t)(2 * j->row_count * ny) + 1, sizeof **place);
        if (place[k] == NULL) return lmb_fail_memory(err);
        for (int r = 0; r < j->row_count; r++)
            for (int i = 0; i < ny; i++) {
                int row = m->ny + j->lambda + r, y = m->bodies[body].y[i];
                place[k][2 * (r * ny + i)] = lmb_pattern_find(&m->pattern, row, y);
                place[k][2 * (r * ny + i) + 1] = lmb_pattern_find(&m->pattern, y, row);
            }
    }
    for (int r = 0; r < j->row_count; r++)
        diagonal[r] = lmb_pattern_find(&m->pattern, m->ny + j->lambda + r, m->ny + j->lambda + r);
    j->place = (const int *const *)place;
    j->diagonal = diagonal;
    return LMB_OK;
}

static lmb_status force_places(lmb_build *b, lmb_force *f, lmb_error *err) {
    lmb_model *m = b->m;
    if (f->joint < 0) return LMB_OK;
    const lmb_joint *j = &m->joints[f->joint];
    int **place = lmb_arena_get(b->arena, 2, sizeof *place);
    if (place == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < 2; k++) {
        int body = m->markers[f->marker[k]].body, ny = body < 0 ? 0 : m->bodies[body].ny;
        place[k] = lmb_arena_get(b->arena, (size_t)(ny * j->row_count) + 1, sizeof **place);
        if (place[k] == NULL) return lmb_fail_memory(err);
        for (int i = 0; i < ny; i++)
            for (int r = 0; r < j->row_count; r++)
                place[k][i * j->row_count + r] =
                    lmb_pattern_find(&m->pattern, m->bodies[body].y[i], m->ny + j->lambda + r);
    }
    f->l_place = (const int *const *)place;
    return LMB_OK;
}

// moment of inertia of a body whose mass matrix is M: at least mass times characteristic length squared
static double wide_inertia(const lmb_model *m, const lmb_body *b, const double *M, double mass) {
    double inertia = mass * m->length * m->length;
    bool turns = b->block_count > 1 && m->blocks[b->blocks[1]].kind == LMB_BLOCK_ROT;
    for (int k = 3; turns && k < 6; k++) inertia = fmax(inertia, M[k * (b->n + 1)]);
    bool angle = b->block_count > 1 && m->blocks[b->blocks[1]].kind == LMB_BLOCK_ANGLE;
    if (angle) inertia = fmax(inertia, M[2 * (b->n + 1)]);
    return inertia;
}

static const double NEGLIGIBLE = 1e-9;

// Motion per unit of lambda: an estimate of G M^-1 G' that stays bounded for small moments of inertia.
// A body of next to no mass (between two joints of a robot) moves with others: it counts like the heaviest.
static double side_weight(const lmb_model *m, const lmb_data *d, double *M, int marker, const double *g6,
                          double heaviest) {
    int body = m->markers[marker].body;
    if (body < 0) return 0;
    lmb_body_view x = lmb_view(d, &m->bodies[body]);
    x.body->ops->dynamics.mass(M, &x);
    if (!(M[0] > 0)) return 0; // a place that slides: the other side counts
    double r = lmb_dot(g6, g6, 3), turn = lmb_dot(g6 + 3, g6 + 3, 3);
    double mass = M[0] > NEGLIGIBLE * heaviest ? M[0] : heaviest;
    return r / mass + turn / wide_inertia(m, &m->bodies[body], M, mass);
}

static double heaviest_mass(const lmb_model *m, const lmb_data *d, double *M) {
    double heaviest = 0;
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        if (x.body->ops->markers.frame == NULL) continue; // states of signals and friction weigh nothing
        x.body->ops->dynamics.mass(M, &x);
        heaviest = fmax(heaviest, M[0]);
    }
    return heaviest;
}

static lmb_status row_weights(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_data *d;
    lmb_status st = lmb_data_create(&d, m, err);
    if (st != LMB_OK) return st;
    double *M = lmb_arena_doubles(b->spec->arena, m->max_n * m->max_n);
    if (M == NULL) st = lmb_fail_memory(err);
    double heaviest = st == LMB_OK ? heaviest_mass(m, d, M) : 0;
    for (int i = 0; st == LMB_OK && i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count; r++) {
            double weight = 0;
            for (int t = j->rows[r].term; t < j->rows[r].term + j->rows[r].term_count; t++) {
                const lmb_term *term = &j->terms[t];
                const double *g = d->pool + j->g + t * (LMB_TWIST + 1);
                weight += term->c * term->c *
                          (side_weight(m, d, M, j->marker[term->first], g, heaviest) +
                           side_weight(m, d, M, j->marker[term->second], g + 6, heaviest));
            }
            m->row_weight[j->lambda + r] = weight > 0 ? weight : 1;
            m->row_eps[j->lambda + r] = j->leaf ? 0 : m->row_weight[j->lambda + r];
        }
    }
    lmb_data_destroy(d);
    return st;
}

// how far the places of bodies, joints and forces lie apart at the start: the natural length of a model of points
static double spread(const lmb_build *b) {
    const lmb_model *m = b->m;
    vec3 low = {INFINITY, INFINITY, INFINITY}, high = v3_neg(low);
    for (int i = 0; i < m->body_count + m->marker_count; i++) {
        const lmb_marker *k = i < m->body_count ? NULL : &m->markers[i - m->body_count];
        if (k ? k->index == m->ground : m->bodies[i].ops->markers.frame == NULL)
            continue; // states have no place
        int body = k ? k->body : i;
        vec3 r = k ? k->local.r : V3_ZERO;
        if (body >= 0) r = pose_point(&b->starts[body].p, r);
        low = v3(fmin(low.x, r.x), fmin(low.y, r.y), fmin(low.z, r.z));
        high = v3(fmax(high.x, r.x), fmax(high.y, r.y), fmax(high.z, r.z));
    }
    return high.x >= low.x ? v3_norm(v3_sub(high, low)) : 0;
}

lmb_status lmb_build_in_lengths(lmb_build *b, double *x, lmb_error *err) {
    double **place = LMB_PUSH(b, b->in_lengths, b->in_lengths_count, b->in_lengths_cap);
    if (place == NULL) return lmb_fail_memory(err);
    *place = x;
    return LMB_OK;
}

// the characteristic length, and what is given in it
static void measure_model(lmb_build *b) {
    lmb_model *m = b->m;
    if (!(m->length > 0)) m->length = spread(b);
    if (!(m->length > 0)) m->length = b->reach;
    if (!(m->length > 0)) m->length = 1;
    for (int i = 0; i < b->in_lengths_count; i++) *b->in_lengths[i] *= m->length;
    for (int i = 0; i < m->body_count; i++) { // among them sizes of states
        const lmb_body *k = &m->bodies[i];
        if (k->state && k->state->size > 0) m->blocks[k->blocks[0]].scale = k->state->size;
    }
}

static lmb_status lay_out(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_status st = lmb_build_followers(b, err);
    if (st == LMB_OK) st = lmb_build_tree(b, err);
    if (st == LMB_OK) st = number_blocks(b, err);
    if (st == LMB_OK) st = sort_markers(b, err);
    if (st == LMB_OK) st = find_leaves(b, err);
    if (st == LMB_OK) st = number_rows(b, err);
    if (st == LMB_OK) st = lmb_build_colours(b, err);
    if (st == LMB_OK) lay_out_pool(m);
    if (st == LMB_OK) st = start_values(b, err);
    if (st == LMB_OK) st = body_pairs(b, err);
    for (int i = 0; st == LMB_OK && i < m->joint_count; i++) st = joint_pairs(b, &m->joints[i], err);
    for (int i = 0; st == LMB_OK && i < m->force_count; i++) st = force_pairs(b, &m->forces[i], err);
    if (st == LMB_OK && b->no_memory) st = lmb_fail_memory(err);
    if (st == LMB_OK && m->tree) lay_out_pairs(m), st = lmb_build_tree_values(b, err);
    if (st == LMB_OK) st = make_pattern(b, err);
    if (st == LMB_OK) st = pair_places(b, err);
    for (int i = 0; st == LMB_OK && i < m->joint_count; i++) st = joint_places(b, &m->joints[i], err);
    for (int i = 0; st == LMB_OK && i < m->force_count; i++) st = force_places(b, &m->forces[i], err);
    return st == LMB_OK ? row_weights(b, err) : st;
}

// the model in space beside one in a plane
static lmb_status lay_out_space(lmb_build *b, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_names pairs = b->pair_names;
    b->pair_names = (lmb_names){.arena = pairs.arena}, b->pair_cap = 0;
    b->m = m->space, b->m->pairs = NULL, b->m->pair_count = 0;
    lmb_status st = lay_out(b, err);
    b->m = m, b->pair_names = pairs;
    return st;
}

lmb_status lmb_build_layout(lmb_build *b, lmb_error *err) {
    measure_model(b);
    lmb_status st = lmb_build_smooth(b, err);
    if (st == LMB_OK) st = lmb_build_planar(b, err);
    if (st == LMB_OK) st = lay_out(b, err);
    return st == LMB_OK && b->m->space ? lay_out_space(b, err) : st;
}
