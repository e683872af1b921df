// read/robot_make.h: shared by the files that make a model of a robot.
#ifndef LMB_READ_ROBOT_MAKE_H
#define LMB_READ_ROBOT_MAKE_H

#include "read/robot.h"

// Mass and inertia of what is between two joints of one link, as shares of those of the link: below all tolerances of integrators,
// above round-off.
#define LMB_ROBOT_INNER 1e-12

typedef struct lmb_maker {
    lmb_robot *b;
    lmb_spec *s;
    int root, *order; // links, those before a joint first
    bool fixed;       // the root
    bool inner;       // there are links with next to no inertia
    bool *marked;     // for walks
    bool failed;      // no memory: nodes are then `none`
    lmb_node none;
    lmb_node *bodies, *markers, *joints, *forces, *inputs;
    lmb_names body_names, joint_names, force_names;
} lmb_maker;

// ---- nodes -------------------------------------------------------------------------------------

lmb_node *lmb_make_node(lmb_maker *k, lmb_node_kind kind, lmb_where where);
lmb_node *lmb_make_text(lmb_maker *k, const char *text, lmb_where where);
lmb_node *lmb_make_number(lmb_maker *k, double v, lmb_where where); // the shortest text that reads as v again
lmb_node *lmb_make_list(lmb_maker *k, const double *v, int count, lmb_where where);
lmb_node *lmb_make_vector(lmb_maker *k, vec3 v, lmb_where where);
lmb_node *lmb_make_entry(lmb_node *map, lmb_node *value, const char *key); // value
lmb_node *lmb_make_map(lmb_maker *k, lmb_node *map, const char *key, lmb_where where);
void lmb_make_number_at(lmb_maker *k, lmb_node *map, const char *key, double v, lmb_where where);
void lmb_make_text_at(lmb_maker *k, lmb_node *map, const char *key, const char *text, lmb_where where);
void lmb_make_pose(lmb_maker *k, lmb_node *map, pose p, lmb_where where);
void lmb_make_between(lmb_maker *k, lmb_node *map, const char *first, const char *second, lmb_where where);
const char *lmb_make_printf(lmb_maker *k, const char *format, ...) LMB_PRINTF(2, 3); // never NULL

// ---- names -------------------------------------------------------------------------------------

const char *lmb_make_clean(lmb_maker *k, const char *name); // letters, digits, _; the first is a letter
// name, or name_2, ..: one that was not there
const char *lmb_make_unique(lmb_maker *k, lmb_names *taken, const char *name);
const char *lmb_make_marker_name(lmb_maker *k, const lmb_node *markers, const char *name);

// ---- bodies, markers ---------------------------------------------------------------------------

// a marker on what carries a link; its full name
const char *lmb_make_marker(lmb_maker *k, int link, pose at, const char *name, lmb_where where);
// what bodies, markers and joints of the tree do not say: loops, springs between marks, dampers of spherical and floating joints,
// inertia of motors, inputs
void lmb_make_others(lmb_maker *k);

#endif
