// system/follow.h: frames that follow from joints instead of being held by multipliers.
#ifndef LMB_FOLLOW_H
#define LMB_FOLLOW_H

#include "system/system.h"

// r (ny) = sum of s A' x for loads x on the own velocities of bodies: what is opened for r, added to, and closed.
double *lmb_loads_open(double *r, const lmb_model *m, const lmb_data *d);
void lmb_loads_close(double *r, const lmb_model *m, const lmb_data *d, double *loads);
void lmb_scatter(double *loads, const lmb_data *d, const lmb_body *b, double s, const double *x);

// With a tree: r = A' F for loads F (nv) on the own velocities of all bodies, which it changes as lmb_follow_collect does.
void lmb_gather(double *r, const lmb_model *m, const lmb_data *d, double *F);

// Starts the map A: identity rows for free velocities; lmb_follow adds the rest.
void lmb_follow_begin(lmb_data *d, const lmb_body *b);
// Position and velocity of a follower's frame, its rows of the map and its acceleration at zero y' from the leader's.
void lmb_follow(lmb_data *d, const lmb_model *m, const lmb_follower *f);
// The quaternion of R into q, of the two the one nearer to what is there: of a body that turns it does not jump.
static inline void lmb_follow_rotation(double *q, mat3 R) {
    quat x = q_from_matrix(R);
    bool far = x.w * q[0] + x.x * q[1] + x.y * q[2] + x.z * q[3] < 0;
    q_store(q, far ? (quat){-x.w, -x.x, -x.y, -x.z} : x);
}
// Columns of a follower's joint in the map of its frame: six rows, `stride` apart.
const double *lmb_follow_columns(int *stride, const lmb_model *m, const lmb_data *d, const lmb_follower *f);
// Accelerations of all followers from those of the free blocks.
void lmb_follow_accelerations(lmb_data *d, const lmb_model *m);

// One motion of a follower's joint at the state of d: value, rate and, if it is prescribed, second rate of its coordinate; axis.
typedef struct lmb_motion_state {
    lmb_jet s;
    bool free;
    vec3 e; // sign included
} lmb_motion_state;
lmb_motion_state lmb_follow_motion(const lmb_data *d, const lmb_follower *f, int i);
// The own marker as seen from its frame: pose, twist and J there (J: NULL if it is fixed), acceleration at zero y'.
void lmb_follow_own(lmb_frame_state *own, double *bias, const lmb_data *d, const lmb_follower *f);

// The own marker of a body whose coordinates move it in its frame, from what lmb_follow left: that motion.
void lmb_follow_lift(lmb_frame_state *s, const lmb_data *d, const lmb_body *b);

// Residuals of bodies in their own velocities (nv) -> the load on each follower's joint; also stored in F: the
// force and torque on the follower's body in its own velocities, that of leaders with their followers' included.
void lmb_follow_collect(double *F, const lmb_model *m, const lmb_data *d);
// Value, rate and second derivative of the motion that a row prescribes at the time of d, SI.
lmb_jet lmb_row_motion(const lmb_data *d, const lmb_row *row);
// Its derivative by external e (v, SI per unit of the input) and the rate of that (d).
lmb_jet lmb_row_motion_by(const lmb_data *d, const lmb_row *row, int e);
// Its value on one side of a time; what is set from outside counts as zero.
double lmb_row_motion_at(const lmb_model *m, const lmb_row *row, double time, double side);
// Wrench of a follower's force F at any pose, and on the leader's marker.
void lmb_follow_wrench_at(double *w, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                          const double *F, const pose *at);
void lmb_follow_wrench(double *w, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                       const double *F);
// Contribution of the joint's motions to d(A' F)/dq at a fixed wrench w on the own marker: (ny x ny) in the columns
// of the follower's body.
void lmb_follow_geometric(double *K, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                          const double *w, double *scratch);

// How the velocities and accelerations of frames that follow change with the y of their bodies, at the state of d: for the
// tangent of moving followers.  Uses d->scratch during the call only.
typedef enum lmb_change_kind {
    LMB_CHANGE_V,
    LMB_CHANGE_AQ,
    LMB_CHANGE_AY
} lmb_change_kind; // dv/dq, da/dq, da/dy
void lmb_follow_change(lmb_data *d, const lmb_model *m);
double *lmb_follow_changes(const lmb_data *d, const lmb_follower *f, lmb_change_kind what); // 6 x ny
// y (ny) += x (n) times these of a body, whose other rows are zero
void lmb_follow_add_changes(double *y, const double *x, const lmb_model *m, const lmb_data *d,
                            const lmb_body *b, lmb_change_kind what);

// The same three for a node: E: J of the leader's marker in its columns, bias: its acceleration at zero y'.
void lmb_follow_node(lmb_data *d, const lmb_model *m, const lmb_follower *f, const double *E,
                     const double *bias);
// Reaction on the node: force, and torque about it, global components.
void lmb_follow_node_reaction(vec3 *force, vec3 *torque, const lmb_model *m, const lmb_data *d,
                              const lmb_follower *f, const double *F);

#endif
