// system/follow.h: frames that follow from joints instead of being held by multipliers.
#ifndef LMB_FOLLOW_H
#define LMB_FOLLOW_H

#include "system/system.h"

// Position and velocity of a follower's body, its map v = A y and its acceleration at zero y' from those of its leader.
void lmb_follow(lmb_data *d, const lmb_model *m, const lmb_follower *f);
// Accelerations of all followers from those of the free blocks.
void lmb_follow_accelerations(lmb_data *d, const lmb_model *m);

// Residuals of bodies in their own velocities (nv) -> what each follower's joint has to carry; result in F, too: the
// force and torque on the follower's body in its own velocities, that of leaders with their followers' included.
void lmb_follow_collect(double *F, const lmb_model *m, const lmb_data *d);
// Wrench of a follower's force F on the leader's marker.
void lmb_follow_wrench(double *w, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                       const double *F);
// d(A' F)/dq at fixed F, F as of lmb_follow_collect: (ny x ny) in the columns of the follower's body.
void lmb_follow_geometric(double *K, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                          const double *F, double *scratch);

// The same three for a node: E: J of the leader's marker in its columns, bias: its acceleration at zero y'.
void lmb_follow_node(lmb_data *d, const lmb_model *m, const lmb_follower *f, const double *E,
                     const double *bias);
// What holds the node: force, and torque about it, global components.
void lmb_follow_node_reaction(vec3 *force, vec3 *torque, const lmb_model *m, const lmb_data *d,
                              const lmb_follower *f, const double *F);

#endif
