// force/forces.h: the force kinds; each is one file and one line in registry/registry.c.
#ifndef LMB_FORCES_H
#define LMB_FORCES_H

#include "model/build.h"

// Springs between two parts of a body; constants: lmb_link.
extern const lmb_force_ops lmb_link_ops;

// Forces on joint coordinates (keys spring, friction, limits of a joint).
typedef struct lmb_coordinate_load {
    int marker[2];
    lmb_term term; // of the coordinate, with its turn counter
    lmb_dim dim;   // of the coordinate: length or none
    int joint;     // friction: the joint whose reaction is the normal force
    lmb_where where;
} lmb_coordinate_load;
lmb_status lmb_joint_spring_plan(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                 const lmb_node *node, lmb_error *err);
lmb_status lmb_joint_limits_plan(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                 const lmb_node *node, lmb_error *err);
lmb_status lmb_joint_friction_plan(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                   const lmb_node *node, lmb_error *err);
// A copy of keys (up to the {0}) for a coordinate of dimension dim: those with LMB_KEY_COORDINATE are written for a
// length; for an angle m becomes 1, N becomes Nm, N/m becomes Nm.
static inline void lmb_coordinate_keys(lmb_key *out, const lmb_key *keys, lmb_dim dim) {
    for (; keys->name; keys++) {
        *out = *keys;
        bool angle = (keys->flags & LMB_KEY_COORDINATE) && dim.length == 0;
        if (angle) out->dim.length = keys->dim.mass ? 2 : 0;
        out++;
    }
    *out = (lmb_key){0};
}
// A default x of `key`, where it is not given: along a length it is in characteristic lengths.
static inline lmb_status lmb_coordinate_default(double *x, lmb_build *b, const lmb_coordinate_load *load,
                                                const lmb_node *node, const char *key, lmb_error *err) {
    bool angle = load->dim.length == 0;
    return angle || lmb_node_find(node, key) ? LMB_OK : lmb_build_in_lengths(b, x, err);
}
extern const lmb_force_ops lmb_joint_spring_ops, lmb_joint_limits_ops, lmb_joint_friction_ops;

#endif
