// read/robot_model.c: from a robot to the sections of a model file.
//
//     T_child = T_parent T_origin T(q)          frames of links; T(q): rotation about or translation along the axis
//
// A link with mass or an overlay is a body. Another one belongs to the body that it is fixed to, its carrier.  A joint has a marker with z
// along its axis on both sides, so that its coordinate is that of the robot, wherever it starts.
//
// Stops:  k = (2 pi f)^2 J,  d = 2 zeta sqrt(k J),  J: inertia about the axis (mass) of all links beyond, f = 50 Hz, zeta = 0.2.
#include "read/robot.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double STOP_FREQUENCY = 50, STOP_RATIO = 0.2, TWO_PI = 6.283185307179586;

typedef struct maker {
    lmb_robot *b;
    lmb_spec *s;
    int root, *order; // links, those before a joint first
    bool fixed;       // the root
    bool *marked;     // for walks
    bool failed;      // no memory: nodes are then `none`
    lmb_node none;
    lmb_node *bodies, *markers, *joints;
    lmb_names body_names, joint_names;
} maker;

// ---- nodes -------------------------------------------------------------------------------------

static lmb_node *make(maker *k, lmb_node_kind kind, lmb_where where) {
    lmb_node *n = lmb_node_create(k->s, kind, where);
    if (n == NULL) k->failed = true, n = &k->none, k->none = (lmb_node){0};
    return n;
}

static lmb_node *text_node(maker *k, const char *text, lmb_where where) {
    lmb_node *n = make(k, LMB_NODE_SCALAR, where);
    n->text = text ? lmb_arena_strdup(k->s->arena, text) : NULL;
    if (n->text == NULL) k->failed = true, n->text = "";
    return n;
}

// the shortest text that reads as v again
static lmb_node *number_node(maker *k, double v, lmb_where where) {
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v + 0.0);
        if (strtod(text, NULL) == v) break;
    }
    return text_node(k, text, where);
}

static lmb_node *list_node(maker *k, const double *v, int count, lmb_where where) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(v[i]));
    lmb_node *n = make(k, LMB_NODE_LIST, where);
    for (int i = 0; i < count; i++) // round-off is zero
        lmb_node_append(n, number_node(k, fabs(v[i]) < 1e-16 * largest ? 0 : v[i], where), NULL);
    return n;
}

static lmb_node *add(lmb_node *map, lmb_node *value, const char *key) {
    lmb_node_append(map, value, key);
    return value;
}

static void add_number(maker *k, lmb_node *map, const char *key, double v, lmb_where where) {
    add(map, number_node(k, v, where), key);
}

static void add_pose(maker *k, lmb_node *map, pose p, lmb_where where) {
    quat q = q_from_matrix(p.R);
    if (v3_norm(p.r) > 0) add(map, list_node(k, (double[]){p.r.x, p.r.y, p.r.z}, 3, where), "at");
    if (v3_norm(v3(q.x, q.y, q.z)) > 1e-15)
        add(map, list_node(k, (double[]){q.w, q.x, q.y, q.z}, 4, where), "rotate");
}

// ---- names -------------------------------------------------------------------------------------

// letters, digits, _; the first is a letter
static const char *clean(maker *k, const char *name) {
    char out[96];
    size_t n = 0;
    if (!isalpha((unsigned char)*name)) out[n++] = 'n';
    for (; *name && n < 90; name++) out[n++] = isalnum((unsigned char)*name) ? *name : '_';
    out[n] = '\0';
    const char *copy = lmb_arena_strdup(k->s->arena, out);
    if (copy == NULL) k->failed = true;
    return copy ? copy : "";
}

// name, or name_2, ..: one that was not there
static const char *unique(maker *k, lmb_names *taken, const char *name) {
    const char *out = name;
    for (int i = 2; !k->failed; i++) {
        void **slot = lmb_names_slot(taken, out);
        if (slot == NULL) break;
        if (*slot == NULL) return *slot = k, out;
        if ((out = lmb_arena_printf(k->s->arena, "%s_%d", name, i)) == NULL) break;
    }
    return k->failed = true, "";
}

static const char *marker_name(maker *k, const lmb_node *markers, const char *name) {
    const char *out = name;
    for (int i = 2; lmb_node_find(markers, out); i++)
        if ((out = lmb_arena_printf(k->s->arena, "%s_%d", name, i)) == NULL) return k->failed = true, "";
    return out;
}

static lmb_status name_all(maker *k) {
    lmb_robot *b = k->b;
    lmb_status st = LMB_OK;
    unique(k, &k->body_names, "ground");
    for (int i = 0; i < b->link_count && st == LMB_OK && !k->failed; i++) {
        lmb_robot_link *l = &b->links[i];
        l->own = unique(k, &k->body_names, clean(k, l->name));
        if (strcmp(l->own, l->name) != 0)
            st = lmb_robot_remark(b, l->where.line, "link '%s' is called '%s' in the model", l->name, l->own);
    }
    for (int i = 0; i < b->joint_count && st == LMB_OK && !k->failed; i++) {
        lmb_robot_joint *j = &b->joints[i];
        j->own = unique(k, &k->joint_names, clean(k, j->name));
        if (strcmp(j->own, j->name) != 0)
            st =
                lmb_robot_remark(b, j->where.line, "joint '%s' is called '%s' in the model", j->name, j->own);
    }
    return st;
}

// ---- the tree ----------------------------------------------------------------------------------

static lmb_status find_root(maker *k) {
    lmb_robot *b = k->b;
    k->root = -1;
    for (int i = 0; i < b->link_count; i++) b->links[i].before = -1;
    for (int i = 0; i < b->joint_count; i++) {
        lmb_robot_joint *j = &b->joints[i];
        lmb_robot_link *l = &b->links[j->child];
        if (l->before >= 0)
            return lmb_robot_fail(
                b, j->where.line,
                "link '%s' is the child of two joints, '%s' and '%s', but a robot is a tree; close "
                "loops with joints in a model that uses this file",
                l->name, b->joints[l->before].name, j->name);
        l->before = i;
    }
    for (int i = 0; i < b->link_count; i++) {
        if (b->links[i].before >= 0) continue;
        if (k->root >= 0)
            return lmb_robot_fail(
                b, b->links[i].where.line,
                "links '%s' and '%s' are both without a joint to a parent; connect one of them",
                b->links[k->root].name, b->links[i].name);
        k->root = i;
    }
    if (k->root >= 0) return LMB_OK;
    return lmb_robot_fail(b, b->joints[0].where.line,
                          "the joints go round in a circle; one link must have no parent");
}

// breadth first from the root
static lmb_status sort_links(maker *k) {
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
    return lmb_robot_fail(b, b->links[lost].where.line,
                          "link '%s' is not connected to '%s': its joints go round in a circle",
                          b->links[lost].name, b->links[k->root].name);
}

// marks link and all behind it (behind its fixed joints)
static void mark_beyond(maker *k, int link, bool fixed_only) {
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

static bool has_body(const lmb_robot_link *l) { return l->mass > 0 || l->flexible; }

// the first link with a body that is fixed behind a link without: *rel, its pose in that link
static int body_behind(pose *rel, maker *k, int link) {
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

static lmb_status find_carrier(maker *k, int link) {
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
        b, l->where.line,
        "link '%s' moves but has no mass; add <inertial> with mass and inertia (of a motor, at least)%s",
        l->name, j ? ", or make its joint fixed" : "");
}

// ---- overlays ----------------------------------------------------------------------------------

static lmb_status read_base(maker *k, const lmb_node *how) {
    const lmb_node *base = how ? lmb_node_find(how, "base") : NULL;
    const lmb_robot_link *root = &k->b->links[k->root];
    k->fixed = true;
    if (base && base->kind == LMB_NODE_SCALAR && strcmp(base->text, "free") == 0)
        return k->fixed = false, LMB_OK;
    if (base && (base->kind != LMB_NODE_SCALAR || strcmp(base->text, "fixed") != 0))
        return lmb_fail(k->b->r->err, LMB_ERR_INPUT, base->where, "base: expected `fixed` or `free`");
    if (base || !has_body(root)) return LMB_OK;
    return lmb_robot_remark(
        k->b, root->where.line,
        "link '%s' is fixed to the ground; `base: free` in an entry of `assemblies` lets it move",
        root->name);
}

static lmb_status read_flexible(maker *k, const lmb_node *how) {
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

// q = 0, or the limit next to it
static lmb_status find_start(maker *k, lmb_robot_joint *j) {
    lmb_robot *b = k->b;
    if (j->state == 2) return LMB_OK;
    if (j->state == 1)
        return lmb_robot_fail(b, j->where.line, "joint '%s' mimics itself by way of others", j->name);
    j->state = 1;
    if (j->leader >= 0) {
        lmb_robot_joint *leader = &b->joints[j->leader];
        lmb_status st = find_start(k, leader);
        if (st != LMB_OK) return st;
        j->start = j->ratio * leader->start + j->offset;
    } else if (j->limited) {
        j->start = fmin(fmax(0, j->lower), j->upper);
    }
    j->state = 2;
    if (j->start != 0 && at_interface(b, j))
        return lmb_robot_fail(
            b, j->where.line,
            "joint '%s' starts at %g, which is not supported at an interface of a flexible link; leave "
            "'%s' out of its interfaces",
            j->name, j->start, j->own);
    if (j->start == 0 || j->leader >= 0) return LMB_OK;
    return lmb_robot_remark(b, j->where.line,
                            "joint '%s' starts at its limit %g, for 0 is outside of its limits", j->name,
                            j->start);
}

static pose motion(const lmb_robot_joint *j) {
    pose p = {V3_ZERO, q_matrix(Q_ID)};
    if (j->kind == LMB_ROBOT_PRISMATIC) p.r = v3_scale(j->start, j->axis);
    if (j->kind == LMB_ROBOT_REVOLUTE) p.R = q_matrix(q_exp(v3_scale(j->start, j->axis)));
    return p;
}

static void place_links(maker *k) {
    lmb_robot *b = k->b;
    b->links[k->root].in_world = (pose){V3_ZERO, q_matrix(Q_ID)};
    for (int i = 1; i < b->link_count; i++) {
        lmb_robot_link *l = &b->links[k->order[i]];
        const lmb_robot_joint *j = &b->joints[l->before];
        l->in_world = pose_mul(b->links[j->parent].in_world, pose_mul(j->origin, motion(j)));
    }
}

// ---- bodies ------------------------------------------------------------------------------------

static void add_mass(maker *k, lmb_node *body, const lmb_robot_link *l) {
    const mat3 *I = &l->inertia;
    lmb_where w = l->inertia_where;
    const double v[] = {I->m[0][0], I->m[1][1], I->m[2][2], I->m[0][1], I->m[0][2], I->m[1][2]};
    double scale = 1e-16 * (fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
    bool principal = fabs(v[3]) <= scale && fabs(v[4]) <= scale && fabs(v[5]) <= scale;
    add_number(k, body, "mass", l->mass, w);
    if (v3_norm(l->com) > 0) add(body, list_node(k, (double[]){l->com.x, l->com.y, l->com.z}, 3, w), "com");
    add(body, list_node(k, v, principal ? 3 : 6, w), "inertia");
}

// the overlay as the body
static void add_overlay(lmb_node *body, const lmb_robot_link *l) {
    lmb_node *from = (lmb_node *)l->flexible;
    for (lmb_node *n = from->first, *next; n; n = next) next = n->next, lmb_node_append(body, n, n->key);
    from->first = from->last = NULL, from->count = 0;
}

static void add_body(maker *k, lmb_robot_link *l) {
    lmb_node *body = make(k, LMB_NODE_MAP, l->where), *markers = NULL;
    if (l->flexible) add_overlay(body, l), markers = lmb_node_find(body, "markers");
    else add_mass(k, body, l);
    add_pose(k, body, l->in_world, l->where);
    l->markers = markers && markers->kind == LMB_NODE_MAP ? markers : make(k, LMB_NODE_MAP, l->where);
    if (l->markers != markers) add(body, l->markers, "markers");
    if (l->color && lmb_node_find(body, "color") == NULL) {
        lmb_node *color = add(body, text_node(k, l->color, l->where), "color");
        color->quoted = true; // a # would begin a comment
    }
    add(k->bodies, body, l->own);
}

static void add_shape(maker *k, lmb_node *body, const lmb_robot_shape *s, pose at, lmb_where where) {
    lmb_node *list = lmb_node_find(body, "shape"), *n = make(k, LMB_NODE_MAP, where);
    if (list == NULL) list = add(body, make(k, LMB_NODE_LIST, where), "shape");
    if (s->count == 1) add_number(k, n, s->kind, s->size[0], where);
    else add(n, list_node(k, s->size, s->count, where), s->kind);
    add_pose(k, n, pose_mul(at, s->at), where);
    add(list, n, NULL);
}

static lmb_status add_shapes(maker *k) {
    lmb_robot *b = k->b;
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->link_count && st == LMB_OK; i++) {
        const lmb_robot_link *l = &b->links[k->order[i]], *c = l->carrier >= 0 ? &b->links[l->carrier] : NULL;
        if (l->shapes && c == NULL)
            st =
                lmb_robot_remark(b, l->where.line,
                                 "the geometry of link '%s' is not drawn: it is part of the ground", l->name);
        if (c == NULL || c->flexible) continue;
        lmb_node *body = lmb_node_find(k->bodies, c->own);
        for (const lmb_robot_shape *s = l->shapes; s && body; s = s->next)
            add_shape(k, body, s, l->in_carrier, l->where);
    }
    return st;
}

// ---- markers -----------------------------------------------------------------------------------

// a marker on what carries a link; its full name
static const char *add_marker(maker *k, int link, pose at, const char *name, lmb_where where) {
    lmb_robot_link *l = &k->b->links[link], *c = l->carrier >= 0 ? &k->b->links[l->carrier] : NULL;
    lmb_node *n = make(k, LMB_NODE_MAP, where);
    const char *own = c ? marker_name(k, c->markers, name) : unique(k, &k->body_names, name);
    if (c == NULL) add(n, text_node(k, "ground", where), "on");
    add_pose(k, n, pose_mul(l->in_carrier, at), where);
    if (n->count == 0) add(n, list_node(k, (double[3]){0}, 3, where), "at");
    add(c ? c->markers : k->markers, n, own);
    const char *full = c ? lmb_arena_printf(k->s->arena, "%s.%s", c->own, own) : own;
    if (full == NULL) k->failed = true;
    return full ? full : "";
}

// links without a body of their own
static void add_frames(maker *k) {
    lmb_robot *b = k->b;
    for (int i = 0; i < b->link_count; i++) {
        const lmb_robot_link *l = &b->links[k->order[i]];
        if (l->carrier == k->order[i]) continue;
        if (l->carrier >= 0) {
            add_marker(k, k->order[i], (pose){V3_ZERO, q_matrix(Q_ID)}, l->own, l->where);
        } else { // its name is reserved already
            lmb_node *n = make(k, LMB_NODE_MAP, l->where);
            add(n, text_node(k, "ground", l->where), "on");
            add_pose(k, n, l->in_carrier, l->where);
            add(k->markers, n, l->own);
        }
    }
}

// ---- joints ------------------------------------------------------------------------------------

// inertia about the axis, or mass, of all links behind a joint
static double beyond(maker *k, const lmb_robot_joint *j) {
    const lmb_robot *b = k->b;
    const pose *p = &b->links[j->child].in_world;
    vec3 axis = m3_mul_v3(&p->R, j->axis);
    double sum = 0;
    mark_beyond(k, j->child, false);
    for (int i = 0; i < b->link_count; i++) {
        const lmb_robot_link *l = &b->links[i];
        if (!k->marked[i]) continue;
        vec3 a = m3_tmul_v3(&l->in_world.R, axis), arm = v3_sub(pose_point(&l->in_world, l->com), p->r);
        vec3 r = v3_cross(axis, arm);
        // a' I a + m |a x r|^2
        if (j->kind == LMB_ROBOT_REVOLUTE)
            sum += v3_dot(a, m3_mul_v3(&l->inertia, a)) + l->mass * v3_dot(r, r);
        else sum += l->mass;
    }
    return sum;
}

static lmb_status add_limits(maker *k, lmb_node *joint, const lmb_robot_joint *j) {
    double J = beyond(k, j), w = TWO_PI * STOP_FREQUENCY;
    if (!(J > 0))
        return lmb_robot_remark(
            k->b, j->where.line,
            "joint '%s' has no stops: the links behind it have no mass in this file; add `limits` with "
            "`change`",
            j->name);
    lmb_node *n = add(joint, make(k, LMB_NODE_MAP, j->where), "limits");
    add_number(k, n, "min", j->lower, j->where);
    add_number(k, n, "max", j->upper, j->where);
    add_number(k, n, "stiffness", w * w * J, j->where);
    add_number(k, n, "damping", 2 * STOP_RATIO * w * J, j->where);
    return lmb_robot_remark(
        k->b, j->where.line,
        "joint limits are elastic stops, of %g Hz with all links behind them; `change` gives others",
        STOP_FREQUENCY);
}

static void add_between(maker *k, lmb_node *joint, const char *first, const char *second, lmb_where where) {
    lmb_node *between = add(joint, make(k, LMB_NODE_LIST, where), "between");
    add(between, text_node(k, first, where), NULL);
    add(between, text_node(k, second, where), NULL);
}

// the marker of a joint on one side, or the interface of its name
static const char *add_side(maker *k, const lmb_robot_joint *j, int link, pose at) {
    const lmb_robot *b = k->b;
    if (!is_interface(b, link, j->own)) return add_marker(k, link, at, j->own, j->where);
    const char *full = lmb_arena_printf(k->s->arena, "%s.%s", b->links[b->links[link].carrier].own, j->own);
    if (full == NULL) k->failed = true;
    return full ? full : "";
}

static lmb_status add_joint(maker *k, const lmb_robot_joint *j) {
    static const char *const types[] = {"fixed", "revolute", "translational", "planar"};
    const lmb_robot *b = k->b;
    bool same = b->links[j->parent].carrier == b->links[j->child].carrier;
    if (j->kind == LMB_ROBOT_FLOATING || (j->kind == LMB_ROBOT_FIXED && same)) return LMB_OK;
    pose turn = {V3_ZERO, m3_frame_z(j->axis, v3_axis(0))}; // z along the axis
    lmb_node *n = make(k, LMB_NODE_MAP, j->where);
    add(n, text_node(k, types[j->kind], j->where), "type");
    const char *first = add_side(k, j, j->parent, pose_mul(j->origin, turn));
    add_between(k, n, first, add_side(k, j, j->child, turn), j->where);
    if (at_interface(b, j)) {
        vec3 a = m3_mul_v3(&b->links[j->child].in_world.R, j->axis);
        add(n, list_node(k, (double[]){a.x, a.y, a.z}, 3, j->where), "axis");
    }
    if (j->damping > 0)
        add_number(k, add(n, make(k, LMB_NODE_MAP, j->where), "spring"), "damping", j->damping, j->where);
    if (j->friction > 0)
        add_number(k, add(n, make(k, LMB_NODE_MAP, j->where), "friction"), "force", j->friction, j->where);
    add(k->joints, n, j->own);
    return j->limited && j->leader < 0 ? add_limits(k, n, j) : LMB_OK;
}

static void add_base(maker *k) {
    const lmb_robot_link *root = &k->b->links[k->root];
    if (!k->fixed || root->carrier < 0) return;
    lmb_node *n = add(k->joints, make(k, LMB_NODE_MAP, root->where), unique(k, &k->joint_names, "base"));
    add(n, text_node(k, "fixed", root->where), "type");
    add_between(k, n, "ground", root->own, root->where);
}

// q = ratio q_leader + offset; the offset is that of the start
static void add_gear(maker *k, const lmb_robot_joint *j) {
    if (j->leader < 0) return;
    const char *name = lmb_arena_printf(k->s->arena, "%s_mimic", j->own);
    lmb_node *n = make(k, LMB_NODE_MAP, j->where), *joints = make(k, LMB_NODE_LIST, j->where);
    if (name == NULL) k->failed = true, name = "";
    add(n, text_node(k, "gear", j->where), "type");
    add(joints, text_node(k, k->b->joints[j->leader].own, j->where), NULL);
    add(joints, text_node(k, j->own, j->where), NULL);
    add(n, joints, "joints");
    add_number(k, n, "ratio", j->ratio, j->where);
    add(k->joints, n, unique(k, &k->joint_names, name));
}

// ---- the whole ---------------------------------------------------------------------------------

static lmb_status understand(maker *k, const lmb_node *how) {
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

static lmb_status write_sections(maker *k) {
    lmb_robot *b = k->b;
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->link_count; i++)
        if (b->links[k->order[i]].carrier == k->order[i]) add_body(k, &b->links[k->order[i]]);
    st = add_shapes(k);
    add_frames(k);
    add_base(k);
    for (int i = 0; i < b->joint_count && st == LMB_OK; i++) st = add_joint(k, &b->joints[i]);
    for (int i = 0; i < b->joint_count; i++) add_gear(k, &b->joints[i]);
    return st;
}

lmb_status lmb_robot_model(lmb_node **out, lmb_robot *b, const lmb_node *how) {
    lmb_where top = {b->file, 1, 1};
    maker k = {.b = b,
               .s = b->r->s,
               .body_names = {.arena = b->r->scratch},
               .joint_names = {.arena = b->r->scratch}};
    lmb_node *model = make(&k, LMB_NODE_MAP, top);
    add(model, text_node(&k, "1", top), "limber");
    add(model, text_node(&k, "SI", top), "units");
    k.bodies = make(&k, LMB_NODE_MAP, top), k.markers = make(&k, LMB_NODE_MAP, top);
    k.joints = make(&k, LMB_NODE_MAP, top);
    lmb_status st = k.failed ? LMB_OK : understand(&k, how);
    if (st == LMB_OK && !k.failed) st = write_sections(&k);
    if (st == LMB_OK && k.failed) st = lmb_fail_memory(b->r->err);
    if (st != LMB_OK) return st;
    add(model, k.bodies, "bodies");
    if (k.markers->count) add(model, k.markers, "markers");
    if (k.joints->count) add(model, k.joints, "joints");
    *out = model;
    return LMB_OK;
}
