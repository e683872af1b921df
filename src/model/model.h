// model/model.h: the compiled model (constant) and its data (state and everything computed from it).
//
//   q  positions of all blocks        v  velocities of all blocks        y  independent velocities (free blocks)
//   M a + h(q, v, t) + G' lambda = f        Phi(q, t) = 0,  Phi' = G v + Phi_t,  Phi'' = G a + gamma
//
// Unknowns of the linear systems: x = (y, lambda), size n = ny + nc.       docs/theory/system.md
#ifndef LMB_MODEL_H
#define LMB_MODEL_H

#include "core/core.h"
#include "expr/expr.h"
#include "linalg/linalg.h"
#include "linalg/tree.h"
#include "math/math.h"
#include "measure/plane.h"

enum { LMB_MAX_INPUTS = 64 };   // of one force or signal
enum { LMB_JOINT_MARKERS = 4 }; // of one joint
enum {
    LMB_MOVED_COUNT = 7
}; // known, time, time_side, standing; value, rate and second derivative of a prescribed motion

// the value nearest to ref that raw stands for: angles are defined up to full turns
static inline double lmb_unwrap(double raw, double ref) {
    return raw + 2 * LMB_PI * round((ref - raw) / (2 * LMB_PI));
}

typedef struct lmb_model lmb_model;
typedef struct lmb_data lmb_data;
typedef struct lmb_body lmb_body;
typedef struct lmb_marker lmb_marker;
typedef struct lmb_joint lmb_joint;
typedef struct lmb_force lmb_force;
struct lmb_flex_motion; // reduce/flex.h
struct lmb_flex_support;

// ---- blocks ------------------------------------------------------------------------------------

typedef enum lmb_block_kind {
    LMB_BLOCK_POINT,  // 3 positions, 3 velocities, global components
    LMB_BLOCK_ROT,    // unit quaternion, angular velocity in body components
    LMB_BLOCK_VECTOR, // n numbers
    LMB_BLOCK_PLACE,  // 2 positions in a plane, 2 velocities
    LMB_BLOCK_ANGLE,  // angle about its normal, angular velocity; full turns count
    LMB_BLOCK_STATE,  // n first-order states z = v (z' = a); the positions are their integrals and unused
} lmb_block_kind;

typedef struct lmb_block {
    lmb_block_kind kind;
    int nq, nv;
    int iq, iv; // first entry in q, v
    int iy;     // first entry in y; -1: derived (set by a follower)
    int sq,
        sv; // first entry among what is shown of q, v: those of a planar body are shown as POINT and ROT (system/shown.h)
    double scale;           // characteristic size of its coordinates: a length, or 1 for angles
    bool slopes;            // VECTOR: vectors of three that turn with the material
    bool flat_slopes;       // VECTOR of a body in a plane: such vectors of two, or one:
    unsigned upright;       // bit k: the k-th of them is along the normal
    int space_nq, space_nv; // of a body in a plane: their number in space; 0: the same
    const int *space;       // VECTOR, with these: which of them each coordinate is
    double
        least; // STATE: 1: errors are relative to `scale` at least; 0: unknown, to the largest value so far
} lmb_block;

static inline bool lmb_block_is_place(const lmb_block *b) {
    return b->kind == LMB_BLOCK_POINT || b->kind == LMB_BLOCK_PLACE;
}

// ---- bodies and markers ------------------------------------------------------------------------

typedef struct lmb_energy {
    double kinetic, gravity, strain; // J
    vec3 momentum, spin;             // kg m/s; angular momentum about the global origin, kg m2/s
} lmb_energy;

// A frame of a body that joints, forces and sensors use: pose, twist and Jacobian.
// Twist: (velocity in global components, angular velocity in marker components).
typedef struct lmb_frame_state {
    pose p;
    double twist[6];
    double *J; // 6 x n of the marker's body, row-major; NULL for ground
} lmb_frame_state;

enum { LMB_SECTION_COUNT = 8 };

typedef struct lmb_clamp { // slopes = S s, start values s0
    int rows, count;       // 0: the frame of the marker cannot be clamped this way
    double S[9 * 6], s0[6];
} lmb_clamp;

// Rotations of interfaces relative to the frame that are limited: in a frame that lies in the middle of the body, and in one
// that is tangent at an interface.
typedef enum lmb_bend { LMB_BEND_FAR, LMB_BEND_TANGENT, LMB_BENDS } lmb_bend;
typedef struct lmb_bent {
    double turn;  // the largest, rad
    double error; // of places of the material, as part of the size of the body: an estimate
    double order; // in turn
} lmb_bent;

// ---- the seam between bodies and the system -------------------------------------------------------
//
// A kind of body fills in four tables of functions (lmb_body_ops); the system calls them with a view of the body's own part of
// the data.  Rules:
//   - update comes first after q or v changed; it alone writes the work area.  All others only read it.
//   - update answers LMB_ERR_NUMERIC if the body cannot be evaluated in this state (no frame of a superelement, a vanished slope,
//     coordinates that are not finite).  lmb_update passes that on and notes the body in lmb_data.failed: who tries a state
//     rejects it, who goes back to an accepted one need not look.  What the body computes in such a state is NaN where
//     it matters, as a second line of defence.
//   - scratch is free for every function; nothing in it outlives a call but values computed on demand (a superelement's B),
//     which update declares missing.
//   - none of them allocates.

typedef struct lmb_body_view {
    const lmb_body *body;
    const double *q, *v, *a; // of its blocks, which follow each other
    const double *work;      // what update computed
    double *scratch;
    const double *inputs; // of the whole model
    const double *active_joint, *active_force;
    vec3 gravity; // that acts: the model's times the load factor
} lmb_body_view;

typedef struct lmb_rigid { // of a rigid body, in its frame
    double mass;
    vec3 mc; // mass times centre of mass
    mat3 J;  // about the origin
} lmb_rigid;

typedef struct lmb_body_dynamics {
    // computes the inputs of the other functions from q, v into the body's work area (x->work)
    lmb_status (*update)(double *work, const lmb_body_view *x);
    // puts the stresses at positions q (of the body) in the place of those of the state, for a tangent; call update again.
    // NULL: stresses do not stiffen it
    void (*prestress)(double *work, const lmb_body_view *x, const double *q);
    // r = M a + h, gravity and inner forces included
    void (*inertia)(double *r, const lmb_body_view *x, const double *a);
    void (*mass)(double *M, const lmb_body_view *x); // n x n
    bool (*constant_mass)(const lmb_body *b);        // whether M is the same in all states; NULL: no
    // of a frame that carries a mass and nothing else, with no inner forces: this mass.  NULL: it is more than that
    const lmb_rigid *(*rigid)(const lmb_body *b);
    // D = dr/dv, K = dr/dq for r = M a + h (n x n each)
    void (*tangent)(double *D, double *K, const lmb_body_view *x, const double *a);
    // whether D may differ from zero; if not, tangent takes NULL for it.  NULL: it may
    bool (*has_damping)(const lmb_body *b);
    // dr/dinput (n x input_count); only for bodies with inputs
    void (*by_input)(double *B, const lmb_body_view *x);
    void (*energy)(lmb_energy *e, const lmb_body_view *x); // adds; NULL: has none
    double (*dissipation)(const lmb_body_view *x);         // power lost inside, W; NULL: none
} lmb_body_dynamics;

typedef struct lmb_body_markers {
    void (*frame)(lmb_frame_state *s, const lmb_body_view *x,
                  const lmb_marker *m); // pose, twist and J; NULL: no markers
    // whether velocity k of the body can move the marker; false: column k of J is zero in every state.  NULL: all can
    bool (*moved_by)(const lmb_body *b, const lmb_marker *m, int k);
    void (*bias)(double *bias, const lmb_body_view *x, const lmb_marker *m); // J' v, 6
    // frame and bias, where they have much in common; NULL: they have not
    void (*moving)(lmb_frame_state *s, double *bias, const lmb_body_view *x, const lmb_marker *m);
    void (*dJv)(double *A, const lmb_body_view *x, const lmb_marker *m); // d(J v)/dq, 6 x n
    // d(J' w)/dq, n x n
    void (*dJtw)(double *A, const lmb_body_view *x, const lmb_marker *m, const double *w);
    // derivatives of the acceleration J a + J' v by q and by v, 6 x n each, for a of the view
    void (*change)(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m);
    // N, Qy, Qz, T, My, Mz of a beam's section at the marker, the size of its largest normal stress and the von Mises
    // stress of that with torsion (LMB_SECTION_COUNT); NULL: none, or by flex
    void (*section)(double *out, const lmb_body_view *x, const lmb_marker *m);
} lmb_body_markers;

typedef struct lmb_body_following { // of a body whose frames follow from joints
    // the frame that carries the marker: index in b->blocks of its POINT, ROT behind it; rel: the marker's pose in it
    // if it is fixed there.  NULL: the body has no frames.
    int (*carrier)(pose *rel, const lmb_body *b, const lmb_marker *m);
    // how the marker moves in that frame with the body's other coordinates: pose, twist and J (6 x n) relative to it, in
    // its axes and in the marker's; bias.  It may come before update.  NULL: it is fixed.
    void (*relative)(lmb_frame_state *s, double *bias, const lmb_body_view *x, const lmb_marker *m);
    // with that: d(J v)/dq and `change` of the motion relative to the frame
    void (*relative_change)(double *Jv, double *by_q, double *by_v, const lmb_body_view *x,
                            const lmb_marker *m);
    // the POINT block (index in b->blocks) at which the marker sits and which no other body shares, -1: none.
    // clamp: the slopes behind it that hold the marker's frame at p.  NULL: the body has no such points.
    int (*node)(lmb_clamp *clamp, const lmb_body *b, const lmb_marker *m, const pose *p);
} lmb_body_following;

// The floating frame of a body with FE data.
typedef struct lmb_floating {
    const double *q;     // place, quaternion, elastic coordinates: 7 + m
    const double *v, *a; // their rates (6 + m: v global, w in body axes), and the rates of these
    bool stiffening;     // geometric stiffness acts
} lmb_floating;

typedef struct lmb_body_look { // for pictures, stresses and findings
    // its FE data; NULL: rigid, or a row of fibres
    const struct lmb_flex *(*flex)(const lmb_body *b);
    // with flex: the motion of its floating frame, from which stresses (system/stress.h) and pictures follow;
    // what it points to lasts until the next call.  v and a of the view need not be those of the state: then only the
    // rates of q follow from v.  derived: q is not simply the body's first blocks, POINT, ROT and VECTOR
    void (*floating)(lmb_floating *out, const lmb_body_view *x);
    bool derived;
    // with flex: the marker of it at whose place a marker sits, -1: at none
    int (*interface)(const lmb_body *b, const lmb_marker *m);
    // with flex, if the body's unknowns are frames of its interfaces: adds the loads r on its velocities (n) to forces and torques
    // at these markers of flex (6 each), about their places, in the axes of its floating frame.  NULL: they are not
    void (*loads)(double *site, const lmb_body_view *x, const double *r);
    // rotation of its interfaces relative to its frame if this kind of limit applies to it, else zeros; NULL: no limit
    lmb_bent (*bend)(const lmb_body_view *x, lmb_bend limit);
    // the key and value for which its equations lack terms that conserve energy; NULL: they have all
    const char *(*unconserved)(const lmb_body *b);
    // whether it has folded up: a state that satisfies its equations and means nothing.  NULL: it cannot
    bool (*folded)(const lmb_body_view *x);
    // of a body that cannot twist: the part of a load on a marker (6, global) that nothing in it bears, Nm.  NULL: it bears all
    double (*unborne)(const lmb_body_view *x, const lmb_marker *m, const double *load);
    // of a beam whose points are sums of its own vectors (all its coordinates): factors of the b->n/3 vectors at 0..1 along
    // it and y, z of the section.  false: y and z are ignored, the section follows the axis.  Its two end sections.
    bool (*fibre)(double *factors, const lmb_body *b, double at, double y, double z);
    const struct lmb_profile *(*profile)(const lmb_body *b);
    // of a body with a frame whose blocks are not POINT and ROT: what these would be for q, v of the view (7; 6: v global, w in
    // body axes), either may be NULL; and q, v from them, those of the first two blocks.  false: it cannot be there
    void (*frame_get)(double *q7, double *v6, const lmb_body_view *x);
    bool (*frame_set)(double *q, double *v, const lmb_body_view *x, const double *q7, const double *v6);
    // of a body in a plane: all that its blocks would have in space; either may be NULL
    void (*in_space)(double *q, double *v, const lmb_body_view *x);
} lmb_body_look;

typedef struct lmb_body_ops {
    const char *name;
    // start positions and velocities of its blocks for a frame p that moves with v, w (global components); NULL: the
    // frame is the first two blocks, POINT and ROT, and the rest is zero
    void (*start)(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin);
    // while the model is built, of the first part of a body: the directions in which joints with others hold it.  NULL: it
    // does not matter
    lmb_status (*hold)(const lmb_body *b, const struct lmb_flex_support *supports, int count, lmb_error *err);
    // once all joints and forces are known: notes those that act on its markers.  NULL: it does not matter
    lmb_status (*note_acts)(const lmb_body *b, lmb_arena *arena, lmb_error *err);
    lmb_body_dynamics dynamics;
    lmb_body_markers markers;
    lmb_body_following following;
    lmb_body_look look;
} lmb_body_ops;

// First-order states z of a signal or of friction, z' = f(z, u): the velocities of a STATE block.
// z is v of the view.
typedef struct lmb_state lmb_state;
typedef struct lmb_state_ops {
    void (*residual)(double *r, const lmb_body_view *x, const double *rate); // r = z' - f(z, u)
    void (*by_state)(double *D, const lmb_body_view *x);                     // dr/dz, n x n
    void (*by_input)(double *B, const lmb_body_view *x);                     // dr/du, n
    // states that begin with the motion: their values at the assembled velocities; NULL: as given
    void (*begin)(double *z, const lmb_body_view *x);
} lmb_state_ops;
struct lmb_state {
    const lmb_state_ops *ops;
    const char *what, *name; // "signal", "filter": for messages
    const void *constants;   // of the kind
    int n;
    double size;         // typical size, 0: unknown
    const double *start; // n: initial values
};

struct lmb_body {
    const lmb_body_ops *ops;
    const char *name;
    lmb_where where;
    const lmb_model *model;
    const void *constants;  // of the kind
    const lmb_state *state; // states that the solver carries like a body, without a frame; NULL: a body
    int block_count;
    const int *blocks;
    int part;       // of a body that consists of several, in a row: they share blocks with their neighbours
    bool dependent; // its markers cannot rotate about all axes: rows of one joint may be redundant
    int iq, iv;     // first entries of its first block: a body's blocks follow each other
    int n;          // its velocities, local
    int ny; // independent velocities they depend on; with a tree only its own unless it has rows (lmb_model.tree)
    const int *y;
    int node;   // with a tree
    int screws; // of a frame in a tree: offset in data of the screws of its unknowns (system/tree.c)
    int link;   // with a recursion: offset in data of what it keeps of the body (system/recursion.c)
    int map;    // offset of its n x ny map A in data, -1: identity (y is iv..iv+n)
    int follower, follower_count; // its frames that follow, in a row
    const int *own;             // n, with a map: place of each velocity among y if it is free, -1: it follows
    int work, work_count;       // offset and size of its work area in data
    int scratch, scratch_count; // and of its scratch
    int stress;                 // with stress: offset of its elastic and residual coordinates in data
    int input_count;
    const int *inputs;
    int pair;               // index of its (body, body) pair
    const int *input_pairs; // in the order of inputs, their base inputs, and the two bodies of each
};

struct lmb_marker {
    const char *name; // complete: "arm.tip"; "" for the frames that joints make
    int body;         // -1: ground
    int index;        // in model->markers
    pose local;       // in the body frame (undeformed)
    int J;            // offset of its Jacobian in data
    int bias; // of one that leads: offset of its bias in data, which lmb_update keeps; -1: it does not
    const void *site; // data of the body's kind for this point (shape functions), may be NULL
};

// ---- inputs: scalars that expressions may use ---------------------------------------------------

typedef enum lmb_input_kind {
    LMB_INPUT_VALUE,    // a measure
    LMB_INPUT_RATE,     // its time derivative
    LMB_INPUT_STATE,    // a first-order state
    LMB_INPUT_SIGNAL,   // an expression of time and earlier inputs
    LMB_INPUT_EXTERNAL, // a number that is set from outside
} lmb_input_kind;

// An entry of `inputs`, or an output of an entry of `fmus`: u(t) = value + rate (t - since), set from outside; in the model's units.
typedef struct lmb_external {
    const char *name, *unit;
    double start, min, max;
    const char *fmu; // whose output it is; NULL: set by the caller
    bool used;       // by an expression
} lmb_external;
enum { LMB_EXTERNAL_VALUE, LMB_EXTERNAL_RATE, LMB_EXTERNAL_SINCE, LMB_EXTERNAL_COUNT };

typedef struct lmb_input {
    lmb_input_kind kind;
    const char *name;
    double factor; // what expressions see = factor * SI value (the model's units)
    lmb_measure measure;
    double zero;            // VALUE: subtracted from the measure
    int marker[2], body[2]; // VALUE, RATE
    int turns;              // slot of the full-turn counter, -1: none
    int state;              // STATE: index within body[0]; EXTERNAL: in model->externals
    int g; // VALUE, RATE, STATE: offset of its gradient in data: q and v of body[0], then of body[1]
    const lmb_expr *expr; // SIGNAL
    // SIGNAL: the inputs it finally depends on (not SIGNAL), offset of its derivatives in data
    int base_count, grad;
    const int *base;
} lmb_input;

// ---- full turns --------------------------------------------------------------------------------

typedef struct lmb_turn { // an angle that counts full turns
    lmb_measure f;
    int marker[2];
} lmb_turn;

// ---- pairs: where blocks of two bodies meet in the matrix ---------------------------------------

typedef struct lmb_pair {
    int row_body, col_body;
    const int *place; // ny_row x ny_col places in the value array
    int own;          // with a tree: offset in data of K, D, M and others, n_row x n_col each
} lmb_pair;

// ---- joints ------------------------------------------------------------------------------------

typedef struct lmb_term { // c * measure of frames (first, second)
    double c;
    lmb_measure f;
    int first, second; // slots in joint->marker
    int turns;         // slot of the full-turn counter, -1: none
} lmb_term;

typedef struct lmb_row { // sum of terms - offset - motion(t) = 0
    int term, term_count;
    double offset;
    const lmb_expr *motion; // of time alone, may be NULL
    double motion_factor;   // to SI
    double rate;            // start rows: required velocity
    double scale;           // characteristic size: length or 1
    const char *name;       // "x", "rx", "angle": for messages
    bool structural;        // belongs to the joint's kind: removed when the joint is eliminated
} lmb_row;

// One elementary motion of a joint: rotation about or translation along axis 0, 1, 2 by a coordinate; or a ball: any
// rotation.
typedef enum lmb_motion_kind { LMB_MOTION_TURN, LMB_MOTION_SLIDE, LMB_MOTION_BALL } lmb_motion_kind;
typedef struct lmb_motion {
    lmb_motion_kind kind;
    int axis, coordinate; // coordinate of the joint with its value
} lmb_motion;

typedef struct lmb_coordinate { // a free coordinate of a joint, as a measure
    const char *name, *unit;
    lmb_term term;
} lmb_coordinate;

enum { LMB_START_NONE, LMB_START_VALUE, LMB_START_RATE };

struct lmb_joint {
    const char *name, *kind;
    lmb_where where;
    int marker_count;
    const int *marker; // frames of the joint on its bodies; marker[0], marker[1]: the two sides
    int row_count, term_count;
    const lmb_row *rows;
    const lmb_term *terms;
    int lambda; // first multiplier
    int g;      // offset of its terms in data: term_count x (gradient 12, value 1)
    int moved;  // offset in data: row_count x LMB_MOVED_COUNT, prescribed motions as last asked for
    int coordinate_count;
    const lmb_coordinate *coordinates;
    // assembly: place[m][(row * ny + k) * 2 + {0: (lambda, y), 1: (y, lambda)}], -1: y never moves the marker;
    // pairs[m1 * marker_count + m2]
    const int *const *place;
    const int *diagonal;       // places of (lambda, lambda)
    const int *pairs;          // -1 where one side is ground
    unsigned upright;          // bit k: axis k of both frames must not be flipped
    const lmb_motion *motions; // from the first frame to the second; NULL: cannot be eliminated
    int motion_count;
    int follower; // index of the follower that replaces it, -1: enforced by rows
    bool leaf;    // the only support of a body: its rows are independent of all others
    int start; // LMB_START_..: an initial value of a coordinate of the joint `of`, enforced during assembly only
    int of;
    bool starts_off;
};

// ---- forces ------------------------------------------------------------------------------------

// Wrench on two markers (force in global, torque in marker components), conjugate to their twists.
typedef struct lmb_wrench {
    double W[LMB_TWIST];
    double energy;     // stored, J
    double drive;      // power supplied, W
    double dissipated; // power dissipated, W
    // the tangents, filled only if want_tangent
    bool want_tangent;
    double *K, *D; // dW/dx, dW/dx' (12 x 12)
    double *I;     // dW/dinput (12 x input_count)
    double *L;     // dW/dlambda of force->joint (12 x its row_count)
} lmb_wrench;

// A law in pieces along one coordinate x, as that of a stop: the piece that acts, and between which values it is the law itself.
// Beyond low it is that of the piece before it, beyond high of the next one.
typedef struct lmb_piece {
    int number;     // 1, 2, ..
    double x, rate; // of the coordinate
    double low, high;
    bool angle;
} lmb_piece;

typedef struct lmb_force_ops {
    const char *name;
    void (*wrench)(lmb_wrench *w, const lmb_data *d, const lmb_force *f);
    const lmb_measure *(*along)(const lmb_force *f); // the one measure along which it acts; NULL: none
    // friction: the normal force and its derivatives by the joint's multipliers (row_count); NULL: none
    double (*normal)(double *by_lambda, const lmb_data *d, const lmb_force *f);
    // laws with kinks: the piece in d->piece, which `wrench` goes on with wherever it ends; 0: the piece at x
    int pieces; // 0: no kinks
    lmb_piece (*piece)(const lmb_data *d, const lmb_force *f);
    // how it acts between markers that start at p and move in the plane, at all times; NULL: by `along`, or nobody knows
    lmb_plane_part (*in_plane)(const lmb_force *f, const lmb_plane *plane, const pose p[2],
                               const bool moves[2]);
} lmb_force_ops;

struct lmb_force {
    const lmb_force_ops *ops;
    const char *name;
    lmb_where where;
    const lmb_model *model;
    const void *constants;
    int index;
    int marker[2]; // slot may be the ground marker
    int input_count;
    const int *inputs;         // inputs of its expressions
    int joint;                 // whose multipliers it needs (friction), -1: none
    int pairs[4];              // (0,0) (0,1) (1,0) (1,1), -1: ground
    const int *input_pairs;    // per marker: in the order of inputs, their base inputs, their bodies
    const int *const *l_place; // per marker: places of (y, lambda of joint), -1: none
    bool starts_off;
};

// ---- followers: derived frames -----------------------------------------------------------------

// The frame of a body follows a leader's marker through the motions of a joint: own = leader * motions * (own marker)^-1.
// Unknowns are the joint's coordinates s (a VECTOR block) or, for a ball, the body's own rotation.
typedef struct lmb_follower {
    int body, joint;
    int leader, own; // markers
    int count;
    lmb_motion motion[4];
    int free[4];      // place of its coordinate in s, -1: prescribed by
    lmb_row given[4]; // this row
    double sign; // -1: the joint leads from its second frame to its first; motions are in reverse order then
    bool ball;
    int block;          // of s; -1: none
    int from_q, from_v; // with a tree: first position and velocity of the leader's frame; -1: ground
    int frame;          // index in the body's blocks of the POINT that follows
    int at, at_q;       // its place among the velocities and positions of the body
    pose rel;           // of the own marker in the frame, if it is fixed there
    // columns of the body's map: of what the leader's marker depends on (leader_column: among the leader's y), and of s
    int leader_y;
    const int *leader_column, *column;
    int s_column;
    int work; // offset in data: Jacobian of the leader's marker in these columns, 6 x leader_y; with a tree: the frame's
        // rates by s (6 x 4) and, of a ball, by the body's own velocities (6 x n)
    int lead;    // with a tree: offset in data of the screws of what moves the leader's marker in its frame
    int changes; // offset in data: three changes of its motion, 6 x ny each (system/follow_change.c)
    // a node of a beam: its place follows, and if ground clamps it its slopes are S s
    bool node;
    int slopes; // 0: they are free
    const double *S, *s0;
} lmb_follower;

// ---- the model ---------------------------------------------------------------------------------

typedef struct lmb_kept {
    void *thing;
    void (*destroy)(void *thing);
} lmb_kept;

typedef struct lmb_remark { // of the compilation, for people
    const char *text;
    const struct lmb_remark *next;
} lmb_remark;

struct lmb_model {
    lmb_arena *arena;
    const lmb_remark *remarks; // in their order; NULL: none
    char name[128];
    vec3 gravity;
    lmb_units units;
    double length;          // characteristic length of the model, m
    const lmb_plane *plane; // in which all bodies move with three coordinates each; NULL: in space
    int left_out;     // with a plane: constraints that hold the bodies in it, which are none of the rows
    lmb_model *space; // with a plane and flexible bodies: the same model in space, all joints by rows
    const char *
        left_shapes; // with a plane: "rod q2, q4; arm q1": elastic coordinates that nothing excites; NULL: none
    const char
        *not_planar; // the body because of which there is no plane, and why; NULL: others do not act in one
    int nq, nv, ny, nc, n;
    int shown_nq, shown_nv; // numbers shown of q, v
    int block_count, body_count, marker_count, joint_count, force_count, input_count, pair_count;
    int turn_count, event_count, external_count;
    lmb_block *blocks;
    lmb_body *bodies;
    lmb_marker *markers;
    lmb_joint *joints;
    lmb_force *forces;
    lmb_input *inputs;
    lmb_pair *pairs;
    lmb_turn *turns;
    lmb_external *externals;
    int ground; // marker of the global origin
    int timed_count;
    const lmb_expr *const *timed; // expressions that may jump in time
    int owned_count;
    lmb_expr **owned; // all expressions
    int kept_count;
    struct lmb_kept *kept; // objects created by kinds of bodies, destroyed with the model
    lmb_pattern pattern;
    lmb_tree *
        tree; // bodies in their order are its nodes, frames follow from frame to frame; NULL: by maps of all y
    bool recursive;     // with a tree: accelerations follow from one recursion (system/recursion.c)
    double *row_weight; // nc: estimate of (G M^-1 G')_rr at the start
    double *row_eps;    // nc: the same for rows in closed loops, which may depend on each other; else 0
    int *y_block, *y_v; // ny: block of each independent velocity, its place in v
    bool y_is_v;        // all are independent, in the same order
    double *y_scale;    // ny: characteristic size of each independent coordinate
    double *row_scale;  // nc
    const double *q0, *v0, *turn0;   // initial values as given in the model file
    size_t pool_doubles;             // of data
    int max_n;                       // largest number of velocities of a body
    int max_y;                       // with a tree: that they depend on, of one with rows
    int tree_row;                    // with a tree: offset in data of 8 max_n, for rows
    int residuals;                   // offset in data: nv residuals of bodies, for followers
    int reactions;                   // offset in data: 6 of each joint
    int loads;                       // offset in data: loads of markers and of a body, for stresses
    int joints_kept;                 // joints that are not eliminated because of what acts across a long tree
    int follower_count, given_count; // followers; prescribed motions that are not among their unknowns
    lmb_follower *followers;         // leaders first
    int *order;                      // bodies, leaders first
    // joints in the order of their colours: those of colour c, which have no velocity in common, are
    // joint_order[joint_colour[c] .. joint_colour[c + 1]); behind joint_colour[joint_colours] they may have
    int *joint_order, *joint_colour, joint_colours;
    int *marker_start, *marker_list; // markers of each body
    int *marker_acting;              // the first in its list that no force and no input uses
    int *marker_watched;             // the first in its list that only sensors use
};

// The state comes first and is contiguous: it can be saved, copied and restored as a whole.
//
//   field             shape        unit        meaning                                   written by
//   state             all below    -           t to external, in this order              -
//   time              1            s           t                                         integrators, statics
//   started           1            0, 1        0: initial values as given                lmb_assemble
//   standing          1            0, 1        motions have their values, but no speed   statics; lmb_assemble ends it
//   work              1            J           supplied by drives since the start        integrators, events
//   dissipated        1            J           lost in dampers and friction              integrators, events
//   turns             turn_count   rad         last accepted angles with full turns      lmb_accept, at accepted states only
//   q                 nq           m, 1, own   positions of all blocks                   solvers (free blocks); lmb_update (followers)
//   v                 nv           m/s, rad/s  velocities; STATE: the states z           the same
//   a                 nv           m/s2, ..    accelerations; STATE: z'                  lmb_acceleration_set, lmb_update (followers)
//   lambda            nc           N, Nm       multipliers                               solvers
//   active_joint      joint_count  0, 1        joint acts                                events; lmb_assemble (initial values)
//   active_force      force_count  0, 1        force acts                                events
//   fired             event_count  0, 1        it has happened                           events
//   piece             force_count  0, 1, ..    piece of a law that acts; 0: by its value integrators; lmb_assemble: 0
//   external          3 each       the model's value, rate and time of each external      who drives the model from outside
//   failed            1            -           body that could not be evaluated, -1: none        lmb_update; lmb_accept clears it
//   stale             1            -           computed from an earlier state            who moves on without lmb_update; lmb_update
//   time_side         1            s           decides jumps: a time inside the step     integrators, before lmb_update
//   load              1            1           factor on gravity and forces              statics
//   frames            marker_count m, 1, ..    pose, twist, Jacobian of each marker      lmb_update; watched ones lmb_update_watched
//   inputs            input_count  the model's values of inputs                          lmb_update
//   bias              nv           m/s2, ..    accelerations at y' = 0                   lmb_update (followers)
//   pool              pool_doubles -           work of bodies, J, maps, terms, gradients lmb_update; lmb_tangent (gradients);
//                                              coordinates of stresses                   lmb_stress_update
//                                              reactions of joints                       lmb_reactions_update
//   scratch           5 parts      -           one element's tangent                     lmb_residual, lmb_tangent
struct lmb_data {
    const lmb_model *model;
    // state
    double *state;
    double *time, *started, *standing, *work, *dissipated;
    double *turns;
    double *q, *v, *a, *lambda;
    double *active_joint, *active_force, *fired;
    double *piece;
    double *external;
    // computed
    int failed; // in a state tried since the last accepted one
    bool stale; // call lmb_refresh
    double time_side, load;
    lmb_frame_state *frames;
    double *inputs, *bias, *pool;
    double *scratch;
    struct lmb_crew *crew; // threads that share loops over bodies; NULL: none.  Borrowed
    size_t state_doubles;
    void *memory;
};

// what the functions of a body see
static inline lmb_body_view lmb_view(const lmb_data *d, const lmb_body *b) {
    return (lmb_body_view){.body = b,
                           .q = d->q + b->iq,
                           .v = d->v + b->iv,
                           .a = d->a + b->iv,
                           .work = d->pool + b->work,
                           .scratch = d->pool + b->scratch,
                           .inputs = d->inputs,
                           .active_joint = d->active_joint,
                           .active_force = d->active_force,
                           .gravity = v3_scale(d->load, b->model->gravity)};
}

// place of an input in a list of inputs, -1: not there
static inline int lmb_input_slot(const int *inputs, int count, int input) {
    for (int i = 0; i < count; i++)
        if (inputs[i] == input) return i;
    return -1;
}

// time as expressions see it, in the model's units
static inline lmb_env lmb_env_of(const lmb_data *d) {
    double s = 1 / d->model->units.time;
    return (lmb_env){s * *d->time, s * d->time_side, d->inputs};
}

// an external at the time of d, with its derivatives by time, in the model's units
static inline lmb_jet lmb_external_at(const lmb_data *d, int i) {
    const double *u = d->external + LMB_EXTERNAL_COUNT * i;
    double t = *d->time / d->model->units.time, rate = u[LMB_EXTERNAL_RATE];
    return (lmb_jet){u[LMB_EXTERNAL_VALUE] + rate * (t - u[LMB_EXTERNAL_SINCE]), rate, 0};
}

// *out is owned by the caller; it holds the initial values as given (not yet assembled)
lmb_status lmb_data_create(lmb_data **out, const lmb_model *m, lmb_error *err);
void lmb_data_destroy(lmb_data *d);                     // takes NULL
void lmb_data_reset(lmb_data *d);                       // back to the initial values
void lmb_data_copy(lmb_data *to, const lmb_data *from); // of the same model

#endif
