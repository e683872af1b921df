// system/build_planar.c: finds models whose bodies can only move in a plane, and gives these three coordinates each.
//
// Every row of a joint then acts in the plane or holds bodies in it, by a force along the normal n or a torque across n.  If those
// that hold connect every body with the ground, rigidly out of the plane, nothing can leave it, and they are left out.  Their
// multipliers are zero: centres of mass and the points of joints and forces lie in one plane, n is a principal axis of every
// body, and no load acts out of the plane.  Where any of this is not certain, the model stays as it is.
//                                                                                     docs/theory/bodies.md (8), (9)
#include "body/ancf.h"
#include "body/planar.h"
#include "body/superelement.h"
#include "system/build_inplane.h"

#include <string.h>

typedef struct finder {
    lmb_build *b;
    lmb_plane plane;
    const bool *switched; // per joint: an event switches it
    int *with;            // per body + 1 (0: ground): one that it is held to, itself: none
    lmb_plane_part *part; // per row of all joints, in their order
    int left_out;
    int *acting, *first;   // markers at which joints and forces act, body by body; of body i from first[i] on
    lmb_inplane **inplane; // per body: the flexible ones
    const char *why;       // the plane would fit but for this body
} finder;

static bool is_rigid(const lmb_body *b) { return b->ops == lmb_body_rigid.ops; }
// bodies of nodes are mirror images of themselves as long as they move in the plane, however they are held
static bool is_of_nodes(const lmb_body *b) { return b->ops == &lmb_ancf_ops; }

// ---- models that may be planar -----------------------------------------------------------------

static bool is_off(const lmb_build *b) {
    const lmb_node *n = lmb_node_find(b->spec->root, "planar");
    return n && n->kind == LMB_NODE_SCALAR && strcmp(n->text, "off") == 0;
}

// With flexible bodies also an equilibrium: whether it is stable is a question of motion out of the plane, too.
static bool shows_space(const lmb_analysis *a, bool flexible) {
    return a->eliminates || a->rotation.speed != 0 || a->kind->modes || a->kind->table ||
           (flexible && !a->kind->moves);
}

// bodies with frames or nodes of their own; analyses that neither turn space nor show the equations themselves
static bool may_be_planar(const lmb_build *b) {
    bool any = false, flexible = false;
    for (int i = 0; i < b->m->body_count; i++) {
        const lmb_body_start *s = &b->starts[i];
        if (s->state) continue;
        const lmb_body_ops *ops = b->m->bodies[i].ops;
        bool known = ops == lmb_body_rigid.ops || ops == &lmb_modal_ops || ops == &lmb_superelement_ops ||
                     ops == &lmb_ancf_ops;
        if (!known || s->relative) return false;
        any = true, flexible = flexible || ops != lmb_body_rigid.ops;
    }
    for (int i = 0; i < b->program->analysis_count; i++)
        if (shows_space(&b->program->analyses[i], flexible)) return false;
    return any;
}

static bool *find_switched(const lmb_build *b) {
    bool *out = lmb_arena_get(b->spec->arena, (size_t)b->m->joint_count + 1, sizeof *out);
    for (int i = 0; out && i < b->program->event_count; i++)
        for (int k = 0; k < b->program->events[i].action_count; k++)
            if (b->program->events[i].actions[k].joint >= 0)
                out[b->program->events[i].actions[k].joint] = true;
    return out;
}

// ---- bodies ------------------------------------------------------------------------------------

static bool starts_in_plane(const lmb_plane *e, const lmb_body_start *s) {
    return (v3_norm(s->v) == 0 || lmb_plane_is_across(e, s->v)) &&
           (v3_norm(s->w) == 0 || lmb_plane_is_along_normal(e, s->w));
}

// its centre of mass lies in the plane, of which the normal is a principal axis
static bool is_flat(const lmb_plane *e, const lmb_rigid *c, const pose *p) {
    vec3 com = v3_scale(1 / c->mass, c->mc), n = m3_tmul_v3(&p->R, e->n);
    mat3 s = m3_skew(com), I = m3_add(c->J, m3_scale(c->mass, m3_mul(s, s))); // about the centre of mass
    vec3 In = m3_mul_v3(&I, n);
    return lmb_plane_has(e, pose_point(p, com)) &&
           v3_norm(v3_cross(n, In)) <= LMB_PLANE_ROUNDING * v3_norm(In);
}

static bool bodies_are_planar(const finder *f) {
    for (int i = 0; i < f->b->m->body_count; i++) {
        const lmb_body_start *s = &f->b->starts[i];
        if (s->state) continue;
        const lmb_body *body = &f->b->m->bodies[i];
        if (is_rigid(body) && !is_flat(&f->plane, body->constants, &s->p)) return false;
        if (!starts_in_plane(&f->plane, s)) return false;
    }
    return true;
}

// ---- rows --------------------------------------------------------------------------------------

// Rows for the three components of a distance, x, y, z, may be those along e1, e2, n as well.
static bool is_point(const lmb_joint *j, int row) {
    for (int k = 0; k < 3; k++) {
        if (row + k >= j->row_count) return false;
        const lmb_row *r = &j->rows[row + k];
        const lmb_term *t = &j->terms[r->term], *t0 = &j->terms[j->rows[row].term];
        const lmb_measure x = lmb_global(k);
        if (r->motion || r->offset != 0 || r->term_count != 1 || t->c != 1 || !lmb_measure_same(&t->f, &x) ||
            t->first != t0->first || t->second != t0->second)
            return false;
    }
    return true;
}

// the measure of term t in row r of a joint; in a plane across a global axis all rows are what they were
static lmb_measure measure_of(const lmb_plane *e, const lmb_joint *j, int r, int t) {
    bool oblique = e->n.x != 1 && e->n.y != 1 && e->n.z != 1;
    for (int k = 0; oblique && k < 3 && k <= r; k++)
        if (is_point(j, r - k))
            return (lmb_measure){LMB_MEASURE_GLOBAL, k == 0 ? e->e1 : k == 1 ? e->e2 : e->n, {0}, {0}};
    return j->terms[t].f;
}

typedef struct ends { // of a measure
    pose p[2];
    bool moves[2];
} ends;

static ends ends_of(const lmb_build *b, int first, int second) {
    return (ends){{lmb_build_pose(b, first), lmb_build_pose(b, second)},
                  {lmb_build_body_of(b, first) >= 0, lmb_build_body_of(b, second) >= 0}};
}

static lmb_plane_part part_of_row(const finder *f, const lmb_joint *j, int r) {
    const lmb_row *row = &j->rows[r];
    lmb_plane_part part = LMB_IN_SPACE;
    double gap = -row->offset, size = 0;
    for (int t = row->term; t < row->term + row->term_count; t++) {
        const lmb_term *term = &j->terms[t];
        ends x = ends_of(f->b, j->marker[term->first], j->marker[term->second]);
        lmb_measure m = measure_of(&f->plane, j, r, t);
        lmb_plane_part own = lmb_plane_of_measure(&f->plane, &m, x.p, x.moves);
        if (own == LMB_IN_SPACE || (t > row->term && own != part)) return LMB_IN_SPACE;
        part = own;
        gap += term->c * lmb_measure_eval(NULL, NULL, &m, &x.p[0], &x.p[1]);
        size += fabs(term->c) * (lmb_measure_is_of_axes(&m) ? 1 : f->plane.length);
    }
    // what the motion does not change must be satisfied, and stay so
    bool wrong = row->motion || row->rate != 0 || !(fabs(gap) <= LMB_PLANE_ROUNDING * size);
    return part == LMB_OUT_OF_PLANE && wrong ? LMB_IN_SPACE : part;
}

// ---- what holds bodies in the plane ------------------------------------------------------------

static int root_of(const finder *f, int i) {
    while (f->with[i] != i) i = f->with[i] = f->with[f->with[i]];
    return i;
}

// rank of the gradients on the second frame (rows of three, normal force and torques across) by elimination
static int rank_of(double (*A)[3], int count) {
    int rank = 0;
    for (int c = 0; c < 3; c++) {
        int best = rank;
        for (int r = rank; r < count; r++)
            if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
        if (best >= count || !(fabs(A[best][c]) > 1e-6)) continue;
        for (int k = 0; k < 3; k++) {
            double x = A[best][k];
            A[best][k] = A[rank][k], A[rank][k] = x;
        }
        for (int r = rank + 1; r < count; r++) {
            double x = A[r][c] / A[rank][c];
            for (int k = 0; k < 3; k++) A[r][k] -= x * A[rank][k];
        }
        rank++;
    }
    return rank;
}

// whether the rows that are left out hold its two bodies rigidly together, out of the plane
static bool holds(const finder *f, const lmb_joint *j, const lmb_plane_part *part) {
    double A[LMB_PLAN_ROWS][3], g[LMB_TWIST];
    const lmb_plane *e = &f->plane;
    int count = 0;
    if (j->starts_off || f->switched[j - f->b->m->joints] || j->marker_count != 2) return false;
    ends x = ends_of(f->b, j->marker[0], j->marker[1]);
    for (int r = 0; r < j->row_count; r++) {
        if (part[r] != LMB_OUT_OF_PLANE || j->rows[r].term_count != 1) continue;
        lmb_measure m = measure_of(e, j, r, j->rows[r].term);
        if (j->terms[j->rows[r].term].first != 0) continue;
        lmb_measure_eval(g, NULL, &m, &x.p[0], &x.p[1]);
        vec3 T = m3_mul_v3(&x.p[1].R, v3_load(g + 9));
        A[count][0] = v3_dot(e->n, v3_load(g + 6));
        A[count][1] = v3_dot(e->e1, T), A[count++][2] = v3_dot(e->e2, T);
    }
    return rank_of(A, count) == 3;
}

static bool joint_is_planar(finder *f, const lmb_joint *j, lmb_plane_part *part) {
    for (int r = 0; r < j->row_count; r++) {
        part[r] = part_of_row(f, j, r);
        if (part[r] == LMB_IN_SPACE || (part[r] == LMB_OUT_OF_PLANE && j->start != LMB_START_NONE))
            return false;
        f->left_out += part[r] == LMB_OUT_OF_PLANE;
    }
    if (holds(f, j, part)) {
        int one = root_of(f, lmb_build_body_of(f->b, j->marker[0]) + 1);
        f->with[one] = root_of(f, lmb_build_body_of(f->b, j->marker[1]) + 1);
    }
    return true;
}

// a part whose first frame is the last one of the part before
static bool shares_blocks(const lmb_model *m, int i) {
    const lmb_body *b = &m->bodies[i], *before = b - 1;
    if (i == 0 || b->part == 0) return false;
    for (int k = 0; k < before->block_count; k++)
        if (before->blocks[k] == b->blocks[0]) return true;
    return false;
}

static bool joints_are_planar(finder *f) {
    for (int i = 0; i <= f->b->m->body_count; i++) f->with[i] = i;
    for (int i = 0; i < f->b->m->body_count; i++)
        if (is_of_nodes(&f->b->m->bodies[i])) f->with[i + 1] = 0;
        else if (shares_blocks(f->b->m, i)) f->with[i + 1] = i;
    f->left_out = 0;
    for (int i = 0, at = 0; i < f->b->m->joint_count; at += f->b->m->joints[i++].row_count)
        if (!joint_is_planar(f, &f->b->m->joints[i], f->part + at)) return false;
    for (int i = 0; i < f->b->m->body_count; i++)
        if (!f->b->starts[i].state && root_of(f, i + 1) != root_of(f, 0)) return false;
    return true;
}

// ---- forces ------------------------------------------------------------------------------------

static bool forces_are_planar(const finder *f) {
    for (int i = 0; i < f->b->m->force_count; i++) {
        const lmb_force *k = &f->b->m->forces[i];
        const lmb_measure *along = k->ops->along ? k->ops->along(k) : NULL;
        ends x = ends_of(f->b, k->marker[0], k->marker[1]);
        lmb_plane_part part = along              ? lmb_plane_of_measure(&f->plane, along, x.p, x.moves)
                              : k->ops->in_plane ? k->ops->in_plane(k, &f->plane, x.p, x.moves)
                                                 : LMB_IN_SPACE;
        if (part != LMB_IN_PLANE) return false;
    }
    return true;
}

// ---- flexible bodies ---------------------------------------------------------------------------

// markers of joints and forces by body
static bool find_acting(finder *f) {
    const lmb_model *m = f->b->m;
    lmb_arena *arena = f->b->spec->arena;
    bool *acts = lmb_arena_get(arena, (size_t)m->marker_count + 1, sizeof *acts);
    f->acting = lmb_arena_get(arena, (size_t)m->marker_count + 1, sizeof *f->acting);
    f->first = lmb_arena_get(arena, (size_t)m->body_count + 2, sizeof *f->first);
    if (!acts || !f->acting || !f->first) return false;
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].marker_count; k++) acts[m->joints[i].marker[k]] = true;
    for (int i = 0; i < m->force_count; i++)
        for (int k = 0; k < 2; k++) acts[m->forces[i].marker[k]] = true;
    for (int i = 0; i < m->marker_count; i++)
        if (acts[i] && m->markers[i].body >= 0) f->first[m->markers[i].body + 2]++;
    for (int i = 1; i <= m->body_count; i++) f->first[i + 1] += f->first[i];
    for (int i = 0; i < m->marker_count; i++)
        if (acts[i] && m->markers[i].body >= 0) f->acting[f->first[m->markers[i].body + 1]++] = i;
    return true;
}

static bool flexible_bodies_are_planar(finder *f, lmb_status *st, lmb_error *err) {
    for (int i = 0; i < f->b->m->body_count; i++) {
        if (f->b->starts[i].state || is_rigid(&f->b->m->bodies[i])) continue;
        const lmb_inplane_acting acting = {f->first[i + 1] - f->first[i], f->acting + f->first[i]};
        *st = lmb_build_inplane(&f->inplane[i], &f->why, f->b, i, &f->plane, &acting, err);
        if (*st != LMB_OK || f->inplane[i] == NULL) return false;
    }
    return true;
}

// ---- the plane ---------------------------------------------------------------------------------

// through the centre of mass of a rigid body, or where the joint acts
static lmb_plane plane_of(const finder *f, vec3 n, vec3 joint) {
    const lmb_model *m = f->b->m;
    for (int i = 0; i < m->body_count; i++) {
        if (f->b->starts[i].state || !is_rigid(&m->bodies[i])) continue;
        const lmb_rigid *c = m->bodies[i].constants;
        vec3 com = pose_point(&f->b->starts[i].p, v3_scale(1 / c->mass, c->mc));
        return lmb_plane_through(n, com, m->length);
    }
    return lmb_plane_through(n, joint, m->length);
}

static bool is_planar(finder *f, const pose *joint, int axis, lmb_status *st, lmb_error *err) {
    const lmb_model *m = f->b->m;
    f->plane = plane_of(f, m3_column(&joint->R, axis), joint->r);
    bool gravity = v3_norm(m->gravity) == 0 || lmb_plane_is_across(&f->plane, m->gravity);
    return gravity && bodies_are_planar(f) && joints_are_planar(f) && forces_are_planar(f) &&
           flexible_bodies_are_planar(f, st, err);
}

// ---- the change --------------------------------------------------------------------------------

// rows in the plane stay, with their terms
static void keep_rows(const finder *f, lmb_joint *j, const lmb_plane_part *part) {
    lmb_measure measure[LMB_PLAN_TERMS];
    lmb_row *rows = (lmb_row *)j->rows;
    lmb_term *terms = (lmb_term *)j->terms;
    int kept = 0, used = 0;
    for (int r = 0; r < j->row_count; r++)
        for (int t = rows[r].term; t < rows[r].term + rows[r].term_count; t++)
            measure[t] = measure_of(&f->plane, j, r, t);
    for (int r = 0; r < j->row_count; r++) {
        if (part[r] != LMB_IN_PLANE) continue;
        lmb_row row = rows[r];
        int first = used;
        for (int t = row.term; t < row.term + row.term_count; t++)
            terms[used] = terms[t], terms[used++].f = measure[t];
        row.term = first;
        rows[kept++] = row;
    }
    j->row_count = kept, j->term_count = used;
}

static bool change_rigid(lmb_build *b, const lmb_plane *plane, int i) {
    lmb_body *body = &b->m->bodies[i];
    static const lmb_block_kind kinds[] = {LMB_BLOCK_PLACE, LMB_BLOCK_ANGLE};
    for (int k = 0; k < 2; k++) {
        lmb_block *block = &b->m->blocks[body->blocks[k]];
        block->space_nq = block->nq, block->space_nv = block->nv;
        block->kind = kinds[k], block->nq = block->nv = 2 - k;
    }
    body->ops = &lmb_planar_ops;
    body->n = 3, body->work_count = lmb_planar_work;
    body->constants = lmb_planar_constants(b->arena, body->constants, plane, &b->starts[i].p);
    return body->constants != NULL;
}

static lmb_status change_site(lmb_build *b, lmb_marker *k, lmb_error *err) {
    k->site = lmb_planar_site(b->arena, b->m->bodies[k->body].constants, &k->local);
    return k->site ? LMB_OK : lmb_fail_memory(err);
}

// adds a body with its parts as far as they leave out the same; *last: the last of them
static bool add_left_out(lmb_text *out, int *last, const finder *f, int first) {
    const lmb_body *bodies = f->b->m->bodies;
    lmb_text list = {0}, other = {0};
    bool ok = lmb_inplane_left_out(&list, f->inplane[first]), same = true;
    for (*last = first; ok && same && *last + 1 < f->b->m->body_count; *last += same) {
        int next = *last + 1;
        same = bodies[next].part == bodies[*last].part + 1 && f->inplane[next];
        lmb_text_free(&other), other = (lmb_text){0};
        ok = !same || lmb_inplane_left_out(&other, f->inplane[next]);
        same = same && ok && other.length == list.length &&
               (list.length == 0 || strcmp(list.text, other.text) == 0);
    }
    if (ok && list.length > 0)
        ok = lmb_text_add(out, "%s%s ", out->length > 0 ? "; " : "", bodies[first].name);
    if (ok && list.length > 0 && *last > first) ok = lmb_text_add(out, "(%d parts) ", *last - first + 1);
    if (ok && list.length > 0) ok = lmb_text_add(out, "%s", list.text);
    lmb_text_free(&list), lmb_text_free(&other);
    return ok;
}

// ---- the model in space, beside it -------------------------------------------------------------

static void *copy_of(lmb_arena *arena, bool *ok, const void *from, int count, size_t size) {
    void *to = lmb_arena_get(arena, (size_t)count + 1, size);
    if (to && count > 0) memcpy(to, from, (size_t)count * size);
    *ok = *ok && to;
    return to;
}

static void copy_joint(lmb_joint *j, lmb_arena *arena, bool *ok) {
    j->rows = copy_of(arena, ok, j->rows, j->row_count, sizeof *j->rows);
    j->terms = copy_of(arena, ok, j->terms, j->term_count, sizeof *j->terms);
}

// what the layout and the change of coordinates write is copied
static lmb_model *copy_model(lmb_arena *arena, const lmb_model *m) {
    lmb_model *s = lmb_arena_get(arena, 1, sizeof *s);
    bool ok = s != NULL;
    if (!ok) return NULL;
    *s = *m;
    s->blocks = copy_of(arena, &ok, m->blocks, m->block_count, sizeof *m->blocks);
    s->bodies = copy_of(arena, &ok, m->bodies, m->body_count, sizeof *m->bodies);
    s->markers = copy_of(arena, &ok, m->markers, m->marker_count, sizeof *m->markers);
    s->joints = copy_of(arena, &ok, m->joints, m->joint_count, sizeof *m->joints);
    s->forces = copy_of(arena, &ok, m->forces, m->force_count, sizeof *m->forces);
    s->inputs = copy_of(arena, &ok, m->inputs, m->input_count, sizeof *m->inputs);
    for (int i = 0; i < m->body_count && ok; i++) s->bodies[i].model = s;
    for (int i = 0; i < m->force_count && ok; i++) s->forces[i].model = s;
    for (int i = 0; i < m->joint_count && ok; i++) copy_joint(&s->joints[i], arena, &ok);
    return ok ? s : NULL;
}

static bool is_flexible(const finder *f) {
    for (int i = 0; i < f->b->m->body_count; i++)
        if (f->inplane[i]) return true;
    return false;
}

static lmb_status name_left_out(lmb_build *b, const finder *f, lmb_error *err) {
    lmb_text list = {0};
    bool ok = true;
    for (int i = 0; i < b->m->body_count && ok; i++)
        if (f->inplane[i]) ok = add_left_out(&list, &i, f, i);
    if (ok && list.length > 0) ok = (b->m->left_shapes = lmb_arena_strdup(b->arena, list.text)) != NULL;
    lmb_text_free(&list);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status change(lmb_build *b, const finder *f, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_plane *plane = lmb_arena_get(b->arena, 1, sizeof *plane);
    if (plane == NULL) return lmb_fail_memory(err);
    *plane = f->plane;
    if (is_flexible(f) && (m->space = copy_model(b->arena, m)) == NULL) return lmb_fail_memory(err);
    for (int i = 0, at = 0, rows; i < m->joint_count; i++, at += rows)
        rows = m->joints[i].row_count, keep_rows(f, &m->joints[i], f->part + at);
    for (int i = 0; i < m->body_count; i++) {
        if (b->starts[i].state) continue;
        if (f->inplane[i]) {
            lmb_status st = lmb_build_inplane_change(b, i, f->inplane[i], err);
            if (st != LMB_OK) return st;
        } else if (!change_rigid(b, plane, i)) return lmb_fail_memory(err);
    }
    for (int i = 0; i < m->marker_count; i++) {
        lmb_marker *k = &m->markers[i];
        if (k->body < 0 || b->starts[k->body].state) continue;
        lmb_status st = f->inplane[k->body] ? lmb_build_inplane_marker(b, k, err) : change_site(b, k, err);
        if (st != LMB_OK) return st;
    }
    m->plane = plane, m->left_out = f->left_out;
    return name_left_out(b, f, err);
}

lmb_status lmb_build_planar(lmb_build *b, lmb_error *err) {
    const lmb_model *m = b->m;
    if (is_off(b) || !may_be_planar(b)) return LMB_OK;
    int rows = 0;
    for (int i = 0; i < m->joint_count; i++) rows += m->joints[i].row_count;
    finder f = {.b = b,
                .switched = find_switched(b),
                .with = lmb_arena_get(b->spec->arena, (size_t)m->body_count + 1, sizeof *f.with),
                .part = lmb_arena_get(b->spec->arena, (size_t)rows + 1, sizeof *f.part),
                .inplane = lmb_arena_get(b->spec->arena, (size_t)m->body_count + 1, sizeof *f.inplane)};
    if (!f.switched || !f.with || !f.part || !f.inplane || !find_acting(&f)) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    // the normal is an axis of the frame of any joint; of the first ones, there may be some without a use
    for (int i = 0; i < m->joint_count && i < 4; i++)
        for (int k = 2; k >= 0; k--) {
            pose p = lmb_build_pose(b, m->joints[i].marker[0]);
            if (is_planar(&f, &p, k, &st, err)) return change(b, &f, err);
            if (st != LMB_OK) return st;
        }
    if (f.why) b->m->not_planar = lmb_arena_strdup(b->arena, f.why);
    return f.why && !b->m->not_planar ? lmb_fail_memory(err) : LMB_OK;
}
