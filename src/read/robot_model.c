// read/robot_model.c: from a robot to the sections of a model file.
//
//     T_child = T_parent T_origin T(q) T_seat^-1      frames of links; T(q): rotation about or translation along the axis
//     w_child = w_parent + a q',  v_child = v_parent + w_parent x (P - r_parent) + w_child x (r_child - P)     hinge at P, axis a
//
// A link with mass or an overlay is a body. Another one belongs to the body that it is fixed to, its carrier.  A joint has a marker with z
// along its axis on both sides, so that its coordinate is that of the robot, wherever it starts.
//
// Stops:  k = (2 pi f)^2 J,  d = 2 zeta sqrt(k J),  J: inertia about the axis (mass) of all links beyond and of the motor, f = 50 Hz, zeta = 0.2.
#include "read/robot_make.h"

#include <math.h>
#include <string.h>

static const double STOP_FREQUENCY = 50, STOP_RATIO = 0.2, TWO_PI = 6.283185307179586;

static lmb_status name_all(lmb_maker *k) {
    lmb_robot *b = k->b;
    lmb_status st = LMB_OK;
    lmb_make_unique(k, &k->body_names, "ground");
    for (int i = 0; i < b->link_count && st == LMB_OK && !k->failed; i++) {
        lmb_robot_link *l = &b->links[i];
        l->own = lmb_make_unique(k, &k->body_names, lmb_make_clean(k, l->name));
        if (strcmp(l->own, l->name) != 0)
            st = lmb_robot_remark(b, l->where, "link '%s' is called '%s' in the model", l->name, l->own);
    }
    for (int i = 0; i < b->joint_count && st == LMB_OK && !k->failed; i++) {
        lmb_robot_joint *j = &b->joints[i];
        j->own = lmb_make_unique(k, &k->joint_names, lmb_make_clean(k, j->name));
        if (strcmp(j->own, j->name) != 0)
            st = lmb_robot_remark(b, j->where, "joint '%s' is called '%s' in the model", j->name, j->own);
    }
    return st;
}

// ---- the tree ----------------------------------------------------------------------------------

static lmb_status find_root(lmb_maker *k) {
    lmb_robot *b = k->b;
    k->root = -1;
    for (int i = 0; i < b->link_count; i++) b->links[i].before = -1;
    for (int i = 0; i < b->joint_count; i++) {
        lmb_robot_joint *j = &b->joints[i];
        lmb_robot_link *l = &b->links[j->child];
        if (l->before >= 0)
            return lmb_robot_fail(
                b, j->where,
                "link '%s' is the child of two joints, '%s' and '%s', but a robot is a tree; close "
                "loops with joints in a model that uses this file",
                l->name, b->joints[l->before].name, j->name);
        l->before = i;
    }
    for (int i = 0; i < b->link_count; i++) {
        if (b->links[i].before >= 0) continue;
        if (k->root >= 0)
            return lmb_robot_fail(
                b, b->links[i].where,
                "links '%s' and '%s' are both without a joint to a parent; connect one of them",
                b->links[k->root].name, b->links[i].name);
        k->root = i;
    }
    if (k->root >= 0) return LMB_OK;
    return lmb_robot_fail(b, b->joints[0].where,
                          "the joints go round in a circle; one link must have no parent");
}

// breadth first from the root
static lmb_status sort_links(lmb_maker *k) {
    lmb_robot *b = k->b;
    size_t n = (size_t)b->link_count + 1;
    k->order = lmb_arena_get(k->b->r->scratch, n, sizeof *k->order);
    k->marked = lmb_arena_get(k->b->r->scratch, n, sizeof *k->marked);
    int *first = lmb_arena_get(k->b->r->scratch, n, sizeof *first), count = 0;
    int *next = lmb_arena_get(k->b->r->scratch, (size_t)b->joint_count + 1, sizeof *next);
    if (!k->order || !k->marked || !first || !next) return lmb_fail_memory(b->r->err);
    for (int i = 0; i < b->link_count; i++) first[i] = -1;
    for (int i = b->joint_count - 1; i >= 0; i--)
        next[i] = first[b->joints[i].parent], first[b->joints[i].parent] = i;
    k->order[count++] = k->root;
    for (int at = 0; at < count; at++)
        for (int j = first[k->order[at]]; j >= 0; j = next[j]) k->order[count++] = b->joints[j].child;
    if (count == b->link_count) return LMB_OK;
    for (int i = 0; i < count; i++) k->marked[k->order[i]] = true;
    int lost = 0;
    while (k->marked[lost]) lost++;
    return lmb_robot_fail(b, b->links[lost].where,
                          "link '%s' is not connected to '%s': its joints go round in a circle",
                          b->links[lost].name, b->links[k->root].name);
}

// marks link and all behind it (behind its fixed joints)
static void mark_beyond(lmb_maker *k, int link, bool fixed_only) {
    const lmb_robot *b = k->b;
    memset(k->marked, 0, (size_t)b->link_count * sizeof *k->marked);
    for (int i = 0; i < b->link_count; i++) {
        int l = k->order[i], j = b->links[l].before;
        bool follows =
            j >= 0 && k->marked[b->joints[j].parent] && (!fixed_only || b->joints[j].kind == LMB_ROBOT_FIXED);
        k->marked[l] = l == link || follows;
    }
}

// ---- bodies of links ---------------------------------------------------------------------------

static bool has_body(const lmb_robot_link *l) { return l->mass > 0 || l->flexible || l->inner >= 0; }

// the first link with a body that is fixed behind a link without: *rel, its pose in that link
static int body_behind(pose *rel, lmb_maker *k, int link) {
    lmb_robot *b = k->b;
    mark_beyond(k, link, true);
    for (int i = 0; i < b->link_count; i++) {
        int found = k->order[i];
        if (!k->marked[found] || !has_body(&b->links[found])) continue;
        *rel = (pose){V3_ZERO, q_matrix(Q_ID)};
        for (int l = found; l != link; l = b->joints[b->links[l].before].parent)
            *rel = pose_mul(b->joints[b->links[l].before].origin, *rel);
        return found;
    }
    return -1;
}

static lmb_status find_carrier(lmb_maker *k, int link) {
    lmb_robot *b = k->b;
    lmb_robot_link *l = &b->links[link];
    const lmb_robot_joint *j = l->before >= 0 ? &b->joints[l->before] : NULL;
    pose rel;
    l->carrier = link, l->in_carrier = (pose){V3_ZERO, q_matrix(Q_ID)};
    if (has_body(l)) return LMB_OK;
    if (j && j->kind == LMB_ROBOT_FIXED) {
        l->carrier = b->links[j->parent].carrier;
        l->in_carrier = pose_mul(b->links[j->parent].in_carrier, j->origin);
        return LMB_OK;
    }
    if (j == NULL && k->fixed) return l->carrier = -1, LMB_OK;
    l->carrier = body_behind(&rel, k, link);
    if (l->carrier >= 0) return l->in_carrier = pose_inv(rel), LMB_OK;
    return lmb_robot_fail(
        b, l->where,
        "link '%s' moves but has no mass; add <inertial> with mass and inertia (of a motor, at least)%s",
        l->name, j ? ", or make its joint fixed" : "");
}

// ---- overlays ----------------------------------------------------------------------------------

static lmb_status read_base(lmb_maker *k, const lmb_node *how) {
    const lmb_node *base = how ? lmb_node_find(how, "base") : NULL;
    const lmb_robot_link *root = &k->b->links[k->root];
    k->fixed = true;
    if (base && base->kind == LMB_NODE_SCALAR && strcmp(base->text, "free") == 0 && !k->b->grounded)
        return k->fixed = false, LMB_OK;
    if (base && (base->kind != LMB_NODE_SCALAR || strcmp(base->text, "fixed") != 0))
        return lmb_fail(k->b->r->err, LMB_ERR_INPUT, base->where, "base: expected `fixed` or `free`");
    if (base && k->b->grounded)
        return lmb_fail(k->b->r->err, LMB_ERR_INPUT, base->where,
                        "base: the joints of this robot say how it moves; remove `base`");
    if (base || !has_body(root)) return LMB_OK;
    return lmb_robot_remark(
        k->b, root->where,
        "link '%s' is fixed to the ground; `base: free` in an entry of `assemblies` lets it move",
        root->name);
}

static lmb_status read_flexible(lmb_maker *k, const lmb_node *how) {
    const lmb_node *map = how ? lmb_node_find(how, "flexible") : NULL;
    lmb_robot *b = k->b;
    if (map && map->kind != LMB_NODE_MAP && map->kind != LMB_NODE_NULL)
        return lmb_fail(
            b->r->err, LMB_ERR_INPUT, map->where,
            "flexible: expected a map from links to bodies, such as {forearm: {type: beam, ...}}");
    for (const lmb_node *n = map ? map->first : NULL; n; n = n->next) {
        int link = lmb_robot_link_find(b, n->key);
        for (int i = 0; i < b->link_count && link < 0; i++)
            if (strcmp(b->links[i].own, n->key) == 0) link = i;
        if (link < 0) return lmb_robot_unknown_link(b, n->key_where, n->key);
        if (n->kind != LMB_NODE_MAP)
            return lmb_fail(b->r->err, LMB_ERR_INPUT, n->where,
                            "flexible: expected the keys of a body for link '%s', such as {type: beam, ...}",
                            n->key);
        const lmb_node *at = lmb_node_find(n, "at"), *turn = lmb_node_find(n, "rotate");
        if (at || turn)
            return lmb_fail(b->r->err, LMB_ERR_INPUT, (at ? at : turn)->key_where,
                            "the body frame of a flexible link is that of the link; remove '%s'",
                            at ? "at" : "rotate");
        b->links[link].flexible = n;
    }
    return LMB_OK;
}

// an interface that the overlay of a body names like the joint takes the place of a marker
static bool is_interface(const lmb_robot *b, int link, const char *joint) {
    int c = b->links[link].carrier;
    const lmb_node *own =
        c >= 0 && b->links[c].flexible ? lmb_node_find(b->links[c].flexible, "interfaces") : NULL;
    return own && lmb_node_find(own, joint);
}

// ---- where it starts ---------------------------------------------------------------------------

static bool at_interface(const lmb_robot *b, const lmb_robot_joint *j) {
    return is_interface(b, j->parent, j->own) || is_interface(b, j->child, j->own);
}

// as given, or the limit next to it
static lmb_status find_start(lmb_maker *k, lmb_robot_joint *j) {
    lmb_robot *b = k->b;
    double given = j->start;
    if (j->state == 2) return LMB_OK;
    if (j->state == 1)
        return lmb_robot_fail(b, j->where, "joint '%s' mimics itself by way of others", j->name);
    j->state = 1;
    if (j->leader >= 0) {
        lmb_robot_joint *leader = &b->joints[j->leader];
        lmb_status st = find_start(k, leader);
        if (st != LMB_OK) return st;
        j->start = j->ratio * leader->start + j->offset;
        j->rate = j->ratio * leader->rate;
    } else if (j->held) {
        j->start = j->offset;
    } else if (j->limited && !j->placed) {
        j->start = fmin(fmax(j->start, j->lower), j->upper);
    }
    j->state = 2;
    if (j->start != j->home && at_interface(b, j))
        return lmb_robot_fail(
            b, j->where,
            "joint '%s' starts at %g, which is not supported at an interface of a flexible link; leave "
            "'%s' out of its interfaces",
            j->name, j->start, j->own);
    if (j->start == given || j->leader >= 0 || j->placed || j->held) return LMB_OK;
    return lmb_robot_remark(b, j->where, "joint '%s' starts at its limit %g, for %g is outside of its limits",
                            j->name, j->start, given);
}

static pose motion(const lmb_robot_joint *j) {
    pose p = {V3_ZERO, q_matrix(Q_ID)};
    if (j->kind == LMB_ROBOT_PRISMATIC) p.r = v3_scale(j->start, j->axis);
    if (j->kind == LMB_ROBOT_REVOLUTE) p.R = q_matrix(q_exp(v3_scale(j->start, j->axis)));
    if (j->kind == LMB_ROBOT_SPHERICAL) p.R = q_matrix(j->turn);
    return p;
}

// l behind joint j of link p
static void move_link(lmb_robot_link *l, const lmb_robot_link *p, const lmb_robot_joint *j) {
    pose at = pose_mul(p->in_world, pose_mul(j->origin, motion(j)));
    l->in_world = pose_mul(at, pose_inv(j->seat));
    vec3 a = m3_mul_v3(&at.R, v3_scale(j->rate, j->axis));
    vec3 w = j->kind == LMB_ROBOT_REVOLUTE ? a : m3_mul_v3(&l->in_world.R, j->w);
    vec3 v = j->kind == LMB_ROBOT_PRISMATIC ? a : j->v;
    l->w = v3_add(p->w, w);
    v = v3_add(v, v3_add(p->v, v3_cross(p->w, v3_sub(at.r, p->in_world.r))));
    l->v = v3_add(v, v3_cross(l->w, v3_sub(l->in_world.r, at.r)));
}

static void place_links(lmb_maker *k) {
    lmb_robot *b = k->b;
    b->links[k->root].in_world = (pose){V3_ZERO, q_matrix(Q_ID)};
    for (int i = 1; i < b->link_count; i++) {
        lmb_robot_link *l = &b->links[k->order[i]];
        const lmb_robot_joint *j = &b->joints[l->before];
        move_link(l, &b->links[j->parent], j);
    }
}

// ---- bodies ------------------------------------------------------------------------------------

// next to nothing of the link that carries the inertia behind it
static lmb_robot_link inner_link(const lmb_robot *b, const lmb_robot_link *l) {
    lmb_robot_link out = *l;
    int c = b->links[l->inner].carrier;
    const lmb_robot_link *real = &b->links[c >= 0 ? c : l->inner];
    double I = LMB_ROBOT_INNER * (real->inertia.m[0][0] + real->inertia.m[1][1] + real->inertia.m[2][2]) / 3;
    out.mass = LMB_ROBOT_INNER * real->mass, out.com = V3_ZERO, out.inertia = m3_diag(I, I, I);
    return out;
}

static void add_mass(lmb_maker *k, lmb_node *body, const lmb_robot_link *l) {
    const mat3 *I = &l->inertia;
    lmb_where w = l->inertia_where;
    const double v[] = {I->m[0][0], I->m[1][1], I->m[2][2], I->m[0][1], I->m[0][2], I->m[1][2]};
    double scale = 1e-16 * (fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
    bool principal = fabs(v[3]) <= scale && fabs(v[4]) <= scale && fabs(v[5]) <= scale;
    lmb_make_number_at(k, body, "mass", l->mass, w);
    if (v3_norm(l->com) > 0)
        lmb_make_entry(body, lmb_make_list(k, (double[]){l->com.x, l->com.y, l->com.z}, 3, w), "com");
    lmb_make_entry(body, lmb_make_list(k, v, principal ? 3 : 6, w), "inertia");
}

// the overlay as the body
static void add_overlay(lmb_node *body, const lmb_robot_link *l) {
    lmb_node *from = (lmb_node *)l->flexible;
    for (lmb_node *n = from->first, *next; n; n = next) next = n->next, lmb_node_append(body, n, n->key);
    from->first = from->last = NULL, from->count = 0;
}

static void add_body(lmb_maker *k, lmb_robot_link *l) {
    lmb_node *body = lmb_make_node(k, LMB_NODE_MAP, l->where), *markers = NULL;
    if (l->flexible) add_overlay(body, l), markers = lmb_node_find(body, "markers");
    else if (l->inner < 0) add_mass(k, body, l);
    else {
        lmb_robot_link inner = inner_link(k->b, l);
        add_mass(k, body, &inner);
    }
    if (k->inner && lmb_node_find(body, "coordinates") == NULL) // no rows for what weighs next to nothing
        lmb_make_text_at(k, body, "coordinates", "relative", l->where);
    lmb_make_pose(k, body, l->in_world, l->where);
    if (v3_norm(l->v) > 0) lmb_make_entry(body, lmb_make_vector(k, l->v, l->where), "velocity");
    if (v3_norm(l->w) > 0) lmb_make_entry(body, lmb_make_vector(k, l->w, l->where), "spin");
    l->markers =
        markers && markers->kind == LMB_NODE_MAP ? markers : lmb_make_node(k, LMB_NODE_MAP, l->where);
    if (l->markers != markers) lmb_make_entry(body, l->markers, "markers");
    if (l->color && lmb_node_find(body, "color") == NULL) {
        lmb_node *color = lmb_make_entry(body, lmb_make_text(k, l->color, l->where), "color");
        color->quoted = true; // a # would begin a comment
    }
    lmb_make_entry(k->bodies, body, l->own);
}

static void add_shape(lmb_maker *k, lmb_node *body, const lmb_robot_shape *s, pose at, lmb_where where) {
    lmb_node *list = lmb_node_find(body, "shape"), *n = lmb_make_node(k, LMB_NODE_MAP, where);
    if (list == NULL) list = lmb_make_entry(body, lmb_make_node(k, LMB_NODE_LIST, where), "shape");
    if (s->count == 1) lmb_make_number_at(k, n, s->kind, s->size[0], where);
    else lmb_make_entry(n, lmb_make_list(k, s->size, s->count, where), s->kind);
    lmb_make_pose(k, n, pose_mul(at, s->at), where);
    lmb_make_entry(list, n, NULL);
}

static lmb_status add_shapes(lmb_maker *k) {
    lmb_robot *b = k->b;
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->link_count && st == LMB_OK; i++) {
        const lmb_robot_link *l = &b->links[k->order[i]], *c = l->carrier >= 0 ? &b->links[l->carrier] : NULL;
        if (l->shapes && c == NULL)
            st = lmb_robot_remark(
                b, l->where, "the geometry of link '%s' is not drawn: it is part of the ground", l->name);
        if (c == NULL || c->flexible) continue;
        lmb_node *body = lmb_node_find(k->bodies, c->own);
        for (const lmb_robot_shape *s = l->shapes; s && body; s = s->next)
            add_shape(k, body, s, l->in_carrier, l->where);
    }
    return st;
}

// ---- markers -----------------------------------------------------------------------------------

const char *lmb_make_marker(lmb_maker *k, int link, pose at, const char *name, lmb_where where) {
    lmb_robot_link *l = &k->b->links[link], *c = l->carrier >= 0 ? &k->b->links[l->carrier] : NULL;
    lmb_node *n = lmb_make_node(k, LMB_NODE_MAP, where);
    const char *own =
        c ? lmb_make_marker_name(k, c->markers, name) : lmb_make_unique(k, &k->body_names, name);
    if (c == NULL) lmb_make_entry(n, lmb_make_text(k, "ground", where), "on");
    lmb_make_pose(k, n, pose_mul(l->in_carrier, at), where);
    if (n->count == 0) lmb_make_entry(n, lmb_make_list(k, (double[3]){0}, 3, where), "at");
    lmb_make_entry(c ? c->markers : k->markers, n, own);
    const char *full = c ? lmb_arena_printf(k->s->arena, "%s.%s", c->own, own) : own;
    if (full == NULL) k->failed = true;
    return full ? full : "";
}

// links without a body of their own
static void add_frames(lmb_maker *k) {
    lmb_robot *b = k->b;
    for (int i = 0; i < b->link_count; i++) {
        const lmb_robot_link *l = &b->links[k->order[i]];
        if (l->carrier == k->order[i]) continue;
        if (l->carrier >= 0) {
            lmb_make_marker(k, k->order[i], (pose){V3_ZERO, q_matrix(Q_ID)}, l->own, l->where);
        } else { // its name is reserved already
            lmb_node *n = lmb_make_node(k, LMB_NODE_MAP, l->where);
            lmb_make_entry(n, lmb_make_text(k, "ground", l->where), "on");
            lmb_make_pose(k, n, l->in_carrier, l->where);
            lmb_make_entry(k->markers, n, l->own);
        }
    }
}

// ---- joints ------------------------------------------------------------------------------------

// inertia about the axis, or mass, of all links behind a joint
static double beyond(lmb_maker *k, const lmb_robot_joint *j) {
    const lmb_robot *b = k->b;
    const lmb_robot_link *child = &b->links[j->child];
    const pose p = pose_mul(child->in_world, j->seat);
    vec3 axis = m3_mul_v3(&p.R, j->axis);
    double sum = 0;
    mark_beyond(k, j->child, false);
    for (int i = 0; i < b->link_count; i++) {
        const lmb_robot_link *l = &b->links[i];
        if (!k->marked[i]) continue;
        vec3 a = m3_tmul_v3(&l->in_world.R, axis), arm = v3_sub(pose_point(&l->in_world, l->com), p.r);
        vec3 r = v3_cross(axis, arm);
        // a' I a + m |a x r|^2
        if (j->kind == LMB_ROBOT_REVOLUTE)
            sum += v3_dot(a, m3_mul_v3(&l->inertia, a)) + l->mass * v3_dot(r, r);
        else sum += l->mass;
    }
    return sum;
}

static lmb_status add_limits(lmb_maker *k, lmb_node *joint, const lmb_robot_joint *j) {
    double J = beyond(k, j) + j->armature, w = TWO_PI * STOP_FREQUENCY;
    if (!(J > 0))
        return lmb_robot_remark(
            k->b, j->where,
            "joint '%s' has no stops: the links behind it have no mass in this file; add `limits` with "
            "`change`",
            j->name);
    lmb_node *n = lmb_make_entry(joint, lmb_make_node(k, LMB_NODE_MAP, j->where), "limits");
    lmb_make_number_at(k, n, "min", j->lower, j->where);
    lmb_make_number_at(k, n, "max", j->upper, j->where);
    lmb_make_number_at(k, n, "stiffness", w * w * J, j->where);
    lmb_make_number_at(k, n, "damping", 2 * STOP_RATIO * w * J, j->where);
    return lmb_robot_remark(
        k->b, j->where,
        "joint limits are elastic stops, of %g Hz with all links behind them; `change` gives others",
        STOP_FREQUENCY);
}

// the marker of a joint on one side, or the interface of its name
static const char *add_side(lmb_maker *k, const lmb_robot_joint *j, int link, pose at) {
    const lmb_robot *b = k->b;
    if (!is_interface(b, link, j->own)) return lmb_make_marker(k, link, at, j->own, j->where);
    const char *full = lmb_arena_printf(k->s->arena, "%s.%s", b->links[b->links[link].carrier].own, j->own);
    if (full == NULL) k->failed = true;
    return full ? full : "";
}

static void add_spring(lmb_maker *k, lmb_node *joint, const lmb_robot_joint *j) {
    static const char *const turns[] = {"rx", "ry", "rz"};
    bool ball = j->kind == LMB_ROBOT_SPHERICAL;
    if (j->stiffness == 0 && j->force == NULL && (j->damping == 0 || ball)) return;
    lmb_node *spring = lmb_make_map(k, joint, "spring", j->where);
    for (int i = 0; i < 3 && ball; i++) // isotropic: k theta turns nothing else
        lmb_make_number_at(k, lmb_make_map(k, spring, turns[i], j->where), "stiffness", j->stiffness,
                           j->where);
    if (ball) return;
    if (j->stiffness != 0) lmb_make_number_at(k, spring, "stiffness", j->stiffness, j->where);
    if (j->stiffness != 0 && j->rest != 0) lmb_make_number_at(k, spring, "at", j->rest, j->where);
    if (j->damping > 0) lmb_make_number_at(k, spring, "damping", j->damping, j->where);
    if (j->force) lmb_make_text_at(k, spring, "force", j->force, j->where);
}

static lmb_status add_joint(lmb_maker *k, const lmb_robot_joint *j) {
    static const char *const types[] = {"fixed", "revolute", "translational", "planar", "spherical"};
    const lmb_robot *b = k->b;
    bool same = b->links[j->parent].carrier == b->links[j->child].carrier;
    if (j->kind == LMB_ROBOT_FLOATING || (j->kind == LMB_ROBOT_FIXED && same)) return LMB_OK;
    pose turn = {V3_ZERO, m3_frame_z(j->axis, v3_axis(0))}; // z along the axis
    lmb_node *n = lmb_make_node(k, LMB_NODE_MAP, j->where);
    lmb_make_entry(n, lmb_make_text(k, types[j->kind], j->where), "type");
    const char *first = add_side(k, j, j->parent, pose_mul(j->origin, turn));
    lmb_make_between(k, n, first, add_side(k, j, j->child, pose_mul(j->seat, turn)), j->where);
    if (at_interface(b, j)) {
        vec3 a = m3_mul_v3(&b->links[j->child].in_world.R, m3_mul_v3(&j->seat.R, j->axis));
        lmb_make_entry(n, lmb_make_list(k, (double[]){a.x, a.y, a.z}, 3, j->where), "axis");
    }
    add_spring(k, n, j);
    if (j->held) lmb_make_number_at(k, n, "motion", j->offset, j->where);
    if (j->friction > 0)
        lmb_make_number_at(k, lmb_make_entry(n, lmb_make_node(k, LMB_NODE_MAP, j->where), "friction"),
                           "force", j->friction, j->where);
    lmb_make_entry(k->joints, n, j->own);
    return j->limited && j->leader < 0 ? add_limits(k, n, j) : LMB_OK;
}

static void add_base(lmb_maker *k) {
    const lmb_robot_link *root = &k->b->links[k->root];
    if (!k->fixed || root->carrier < 0) return;
    lmb_node *n = lmb_make_entry(k->joints, lmb_make_node(k, LMB_NODE_MAP, root->where),
                                 lmb_make_unique(k, &k->joint_names, "base"));
    lmb_make_entry(n, lmb_make_text(k, "fixed", root->where), "type");
    lmb_make_between(k, n, "ground", root->own, root->where);
}

// q = ratio q_leader + offset; the offset is that of the start
static void add_gear(lmb_maker *k, const lmb_robot_joint *j) {
    if (j->leader < 0) return;
    const char *name = lmb_arena_printf(k->s->arena, "%s_mimic", j->own);
    lmb_node *n = lmb_make_node(k, LMB_NODE_MAP, j->where),
             *joints = lmb_make_node(k, LMB_NODE_LIST, j->where);
    if (name == NULL) k->failed = true, name = "";
    lmb_make_entry(n, lmb_make_text(k, "gear", j->where), "type");
    lmb_make_entry(joints, lmb_make_text(k, k->b->joints[j->leader].own, j->where), NULL);
    lmb_make_entry(joints, lmb_make_text(k, j->own, j->where), NULL);
    lmb_make_entry(n, joints, "joints");
    lmb_make_number_at(k, n, "ratio", j->ratio, j->where);
    lmb_make_entry(k->joints, n, lmb_make_unique(k, &k->joint_names, name));
}

// ---- the whole ---------------------------------------------------------------------------------

static lmb_status understand(lmb_maker *k, const lmb_node *how) {
    lmb_robot *b = k->b;
    lmb_status st = name_all(k);
    if (st == LMB_OK) st = find_root(k);
    if (st == LMB_OK) st = sort_links(k);
    if (st == LMB_OK) st = read_flexible(k, how);
    if (st == LMB_OK) st = read_base(k, how);
    for (int i = 0; i < b->link_count && st == LMB_OK; i++) st = find_carrier(k, k->order[i]);
    for (int i = 0; i < b->joint_count && st == LMB_OK; i++) st = find_start(k, &b->joints[i]);
    if (st == LMB_OK) place_links(k);
    return st;
}

static lmb_status write_sections(lmb_maker *k) {
    lmb_robot *b = k->b;
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->link_count; i++) k->inner = k->inner || b->links[i].inner >= 0;
    for (int i = 0; i < b->link_count; i++)
        if (b->links[k->order[i]].carrier == k->order[i]) add_body(k, &b->links[k->order[i]]);
    st = add_shapes(k);
    add_frames(k);
    add_base(k);
    for (int i = 0; i < b->joint_count && st == LMB_OK; i++) st = add_joint(k, &b->joints[i]);
    for (int i = 0; i < b->joint_count; i++) add_gear(k, &b->joints[i]);
    if (st == LMB_OK) lmb_make_others(k);
    return st;
}

lmb_status lmb_robot_model(lmb_node **out, lmb_robot *b, const lmb_node *how) {
    lmb_where top = {b->file, 1, 1};
    lmb_maker k = {.b = b,
                   .s = b->r->s,
                   .body_names = {.arena = b->r->scratch},
                   .joint_names = {.arena = b->r->scratch},
                   .force_names = {.arena = b->r->scratch}};
    lmb_node *model = lmb_make_node(&k, LMB_NODE_MAP, top);
    lmb_make_entry(model, lmb_make_text(&k, "1", top), "limber");
    lmb_make_entry(model, lmb_make_text(&k, "SI", top), "units");
    k.bodies = lmb_make_node(&k, LMB_NODE_MAP, top), k.markers = lmb_make_node(&k, LMB_NODE_MAP, top);
    k.joints = lmb_make_node(&k, LMB_NODE_MAP, top), k.forces = lmb_make_node(&k, LMB_NODE_MAP, top);
    k.inputs = lmb_make_node(&k, LMB_NODE_MAP, top);
    if (v3_norm(b->gravity) > 0) lmb_make_entry(model, lmb_make_vector(&k, b->gravity, top), "gravity");
    lmb_status st = k.failed ? LMB_OK : understand(&k, how);
    if (st == LMB_OK && !k.failed) st = write_sections(&k);
    if (st == LMB_OK && k.failed) st = lmb_fail_memory(b->r->err);
    if (st != LMB_OK) return st;
    lmb_make_entry(model, k.bodies, "bodies");
    if (k.markers->count) lmb_make_entry(model, k.markers, "markers");
    if (k.joints->count) lmb_make_entry(model, k.joints, "joints");
    if (k.forces->count) lmb_make_entry(model, k.forces, "forces");
    if (k.inputs->count) lmb_make_entry(model, k.inputs, "inputs");
    *out = model;
    return LMB_OK;
}
