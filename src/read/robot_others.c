// read/robot_others.c: marks, loops, springs between marks, dampers of spherical and floating joints, inertia of motors, inputs.
//
// The inertia J of a motor adds J q'^2 / 2 to the kinetic energy and nothing else: a flywheel on the ground, geared to the joint.
//
// A damper of a spherical joint is -d w, w the angular velocity of the child in the parent; of a floating one also -d v.  Dampers c of
// points at the ends of unit vectors e_j of the child, seen in the parent, dissipate  c sum |w x e_j|^2 = 2 c w^2:  c = d/2.  Of points
// at +- sqrt(3/2) e_j of a floating link they dissipate  c sum |v +- sqrt(3/2) w x e_j|^2 = 6 c (v^2 + w^2):  c = d/6.
#include "read/robot_make.h"

#include <math.h>

static lmb_node *entry(lmb_maker *k, lmb_node *section, const char *key, const char *type, lmb_where where) {
    lmb_node *n = lmb_make_map(k, section, key, where);
    lmb_make_text_at(k, n, "type", type, where);
    return n;
}

static const pose HERE = {{0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

// ---- marks, loops, tendons ---------------------------------------------------------------------

static void add_marks(lmb_maker *k) {
    for (lmb_robot_mark *m = k->b->marks; m; m = m->next)
        m->full = lmb_make_marker(k, m->link, m->at, lmb_make_clean(k, m->name), m->where);
}

static void add_loops(lmb_maker *k) {
    for (const lmb_robot_loop *l = k->b->loops; l; l = l->next) {
        const char *own = lmb_make_unique(k, &k->joint_names, lmb_make_clean(k, l->name));
        const char *first = lmb_make_marker(k, l->link[0], l->at[0], own, l->where);
        const char *second = lmb_make_marker(k, l->link[1], l->at[1], own, l->where);
        lmb_node *n = entry(k, k->joints, own, l->kind == LMB_ROBOT_FIXED ? "fixed" : "spherical", l->where);
        lmb_make_between(k, n, first, second, l->where);
    }
}

// k (l - length), slack between two lengths
static void add_tendons(lmb_maker *k) {
    for (const lmb_robot_tendon *t = k->b->tendons; t; t = t->next) {
        const char *own = lmb_make_unique(k, &k->force_names, lmb_make_clean(k, t->name));
        lmb_node *n = entry(k, k->forces, own, "spring", t->where);
        lmb_make_between(k, n, t->mark[0]->full, t->mark[1]->full, t->where);
        if (t->damping > 0) lmb_make_number_at(k, n, "damping", t->damping, t->where);
        if (t->stiffness > 0 && t->rest[0] == t->rest[1]) {
            lmb_make_number_at(k, n, "stiffness", t->stiffness, t->where);
            lmb_make_number_at(k, n, "length", t->rest[0], t->where);
        } else if (t->stiffness > 0) {
            const char *force = lmb_make_printf(
                k, "%s*(max(length - %s, 0) + min(length - %s, 0))", lmb_robot_print(t->stiffness).text,
                lmb_robot_print(t->rest[1]).text, lmb_robot_print(t->rest[0]).text);
            lmb_make_text_at(k, n, "force", force, t->where);
        }
    }
}

// ---- dampers -----------------------------------------------------------------------------------

static void add_point_damper(lmb_maker *k, const lmb_robot_joint *j, const char *from, vec3 at, double c) {
    const double all[3] = {c, c, c};
    const char *own = lmb_make_unique(k, &k->force_names, lmb_make_printf(k, "%s_damper", j->own));
    const char *to = lmb_make_marker(k, j->child, pose_mul(j->seat, (pose){at, HERE.R}), own, j->where);
    lmb_node *n = entry(k, k->forces, own, "bushing", j->where);
    lmb_make_between(k, n, from, to, j->where);
    lmb_make_entry(n, lmb_make_list(k, all, 3, j->where), "damping");
}

static void add_damper(lmb_maker *k, const lmb_robot_joint *j) {
    bool floating = j->kind == LMB_ROBOT_FLOATING;
    if (j->damping == 0 || (j->kind != LMB_ROBOT_SPHERICAL && !floating)) return;
    const char *name = lmb_make_printf(k, "%s_damper", j->own);
    const char *from = lmb_make_marker(k, j->parent, floating ? HERE : j->origin, name, j->where);
    double arm = floating ? sqrt(1.5) : 1, c = j->damping / (floating ? 6 : 2);
    for (int i = 0; i < (floating ? 6 : 3); i++)
        add_point_damper(k, j, from, v3_scale(i < 3 ? arm : -arm, v3_axis(i % 3)), c);
}

// ---- motors ------------------------------------------------------------------------------------

static void add_flywheel(lmb_maker *k, const lmb_robot_joint *j) {
    if (j->armature == 0) return;
    lmb_where w = j->where;
    const char *own = lmb_make_printf(k, "%s_rotor", j->own);
    const char *body = lmb_make_unique(k, &k->body_names, own);
    const char *bearing = lmb_make_unique(k, &k->joint_names, own);
    const char *gear = lmb_make_unique(k, &k->joint_names, lmb_make_printf(k, "%s_gear", own));
    lmb_node *n = lmb_make_map(k, k->bodies, body, w);
    lmb_make_number_at(k, n, "mass", LMB_ROBOT_INNER * j->armature, w);
    lmb_make_number_at(k, n, "inertia", j->armature, w);
    lmb_make_text_at(k, n, "coordinates", "relative", w);
    if (j->rate != 0) lmb_make_entry(n, lmb_make_vector(k, v3(0, 0, j->rate), w), "spin");
    n = entry(k, k->joints, bearing, "revolute", w);
    lmb_make_between(k, n, "ground", body, w);
    n = entry(k, k->joints, gear, "gear", w);
    lmb_node *joints = lmb_make_entry(n, lmb_make_node(k, LMB_NODE_LIST, w), "joints");
    lmb_make_entry(joints, lmb_make_text(k, j->own, w), NULL);
    lmb_make_entry(joints, lmb_make_text(k, bearing, w), NULL);
    lmb_make_number_at(k, n, "ratio", 1, w);
}

static void add_inputs(lmb_maker *k) {
    for (const lmb_robot_input *u = k->b->inputs; u; u = u->next) {
        lmb_node *n = lmb_make_map(k, k->inputs, u->own, u->where);
        lmb_make_number_at(k, n, "start", u->start, u->where);
        if (u->limited) lmb_make_number_at(k, n, "min", u->lower, u->where);
        if (u->limited) lmb_make_number_at(k, n, "max", u->upper, u->where);
    }
}

void lmb_make_others(lmb_maker *k) {
    add_marks(k);
    add_loops(k);
    add_tendons(k);
    for (int i = 0; i < k->b->joint_count; i++) add_damper(k, &k->b->joints[i]);
    for (int i = 0; i < k->b->joint_count; i++) add_flywheel(k, &k->b->joints[i]);
    add_inputs(k);
}
