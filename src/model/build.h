// model/build.h: the interface between a kind and the compiler: its table, and the services available while it is
// built.
//
// A kind is a table: its keys (model/spec), how it is planned from them, and its run-time functions.  The services
// are implemented in system/.
#ifndef LMB_BUILD_H
#define LMB_BUILD_H

#include "model/model.h"
#include "spec/spec.h"

typedef struct lmb_build lmb_build; // the compiler's state
struct lmb_part;                    // part/part.h

// ---- services ----------------------------------------------------------------------------------

lmb_spec *lmb_build_spec(lmb_build *b);
struct lmb_program;
const struct lmb_program *lmb_build_program(const lmb_build *b); // so far
lmb_arena *lmb_build_arena(lmb_build *b); // the model's arena: lives as long as the model
// The model takes ownership of `thing` and destroys it; on failure it is destroyed at once.
lmb_status lmb_build_keep(lmb_build *b, void *thing, void (*destroy)(void *thing), lmb_error *err);
// Reads the flexible body from the file that `key` names (path: its value); owned by the caller.
lmb_status lmb_build_flex(struct lmb_flex **out, lmb_build *b, const lmb_node *map, const char *key,
                          const char *path, lmb_error *err);
// Reads the part from the part file that `key` names; out lives until the model is compiled.
lmb_status lmb_build_part(struct lmb_part *out, lmb_build *b, const lmb_node *map, const char *key,
                          const char *path, lmb_error *err);
// Reduces a part (meshes and matrices through files and cache) as body `name`; owned by the caller.
lmb_status lmb_build_reduce(struct lmb_flex **out, lmb_build *b, const struct lmb_part *part,
                            const char *name, lmb_error *err);
// Places of a body, in its frame, where joints and forces of the model act on markers that the model defines; in the spec's arena.
struct lmb_body_common;
lmb_status lmb_build_loaded(const vec3 **at, int *count, lmb_build *b, const struct lmb_body_common *read,
                            const lmb_node *body, lmb_error *err);
// Something that `check` and `run` tell once; text lives as long as the model.  false: no memory
bool lmb_build_remark(lmb_build *b, const char *text);
// The marker a reference names ("arm.tip", "arm": its own frame, "ground": the origin, "ground.a").
lmb_status lmb_build_marker(int *marker, lmb_build *b, const char *ref, lmb_where where, lmb_error *err);
// A new unnamed marker on the body of `on` at a global pose in the initial position.
lmb_status lmb_build_marker_at(int *marker, lmb_build *b, int on, pose global, lmb_error *err);
pose lmb_build_pose(const lmb_build *b, int marker);   // in the initial position as given in the model file
int lmb_build_body_of(const lmb_build *b, int marker); // -1: ground
pose lmb_build_start(const lmb_build *b,
                     const lmb_body *body); // of the body frame, as given in the model file
// The coordinate `name` of a joint (by reference "joint.name" or "joint" if it has only one).
lmb_status lmb_build_coordinate(int *joint, int *coordinate, lmb_build *b, const char *ref, lmb_where where,
                                lmb_error *err);

const lmb_joint *lmb_build_joint(const lmb_build *b, int joint);

// Names local to one expression, e.g. `length` and `rate` of a spring; input numbers of the model.
typedef struct lmb_name {
    const char *name;
    int input;
} lmb_name;
// Compiles an expression of time, sensors, joint coordinates, signals and the given extra names.
lmb_status lmb_build_expr(const lmb_expr **out, lmb_build *b, const lmb_node *n, const lmb_name *extra,
                          int count, lmb_error *err);
// Input for a measure or its rate on two markers (an existing one is reused).
lmb_status lmb_build_input(int *input, lmb_build *b, lmb_input_kind kind, const lmb_measure *measure,
                           const int *marker, lmb_dim dim, lmb_error *err);
// The same for an input given by kind, measure, zero and marker.
lmb_status lmb_build_measured(int *input, lmb_build *b, lmb_input in, lmb_dim dim, lmb_error *err);

// *x is in characteristic lengths of the model, which are known when all of it is: multiplies it then.  It must live as long as the model.
lmb_status lmb_build_in_lengths(lmb_build *b, double *x, lmb_error *err);

// A new counter of full turns of an angle between two markers, -1: no memory.
int lmb_build_turns(lmb_build *b, const lmb_measure *f, int first, int second);

// First-order states, which must live as long as the model; *index: for the other two functions.
lmb_status lmb_build_states(int *index, lmb_build *b, const lmb_state *s, lmb_where where, lmb_error *err);
lmb_status lmb_build_states_driven(lmb_build *b, int index, int input, lmb_error *err); // by this input
lmb_status lmb_build_states_input(int *input, lmb_build *b, int index, int k,
                                  lmb_error *err); // with the value of z_k

// ---- bodies ------------------------------------------------------------------------------------

typedef struct lmb_body_common { // first member of every body's read struct
    uint64_t given;
    vec3 at;
    quat rotate;
    vec3 velocity, spin;
    const lmb_node *markers;
    const lmb_node *shape;
    const char *color;
    int coordinates; // lmb_body_coordinates
} lmb_body_common;
// whether the frames of a body are unknowns or follow from its joints
typedef enum lmb_body_coordinates {
    LMB_COORDINATES_BY_KIND,
    LMB_COORDINATES_ABSOLUTE,
    LMB_COORDINATES_RELATIVE
} lmb_body_coordinates;

extern const lmb_key lmb_body_marker_keys[], lmb_shape_forms[];
// clang-format off
#define LMB_BODY_KEYS                                                                                             \
    {"at", LMB_KEY_VEC3, offsetof(lmb_body_common, at), 0, LMB_LENGTH, 0, 0, "Initial position of the body frame, m."}, \
    {"rotate", LMB_KEY_ROTATION, offsetof(lmb_body_common, rotate), 0, {0}, 0, 0, "Initial orientation of the body frame."}, \
    {"velocity", LMB_KEY_VEC3, offsetof(lmb_body_common, velocity), 0, LMB_SPEED, 0, 0,                           \
     "Initial velocity of the origin of the body frame, global components, m/s."},                                \
    {"spin", LMB_KEY_VEC3, offsetof(lmb_body_common, spin), 0, LMB_RATE, 0, 0,                                    \
     "Initial angular velocity, global components, rad/s."},                                                      \
    {"markers", LMB_KEY_NAMED, offsetof(lmb_body_common, markers), 0, {0}, 0, lmb_body_marker_keys,               \
     "Named frames on the body, in body coordinates, m."},                                                        \
    {"shape", LMB_KEY_NODE, offsetof(lmb_body_common, shape), 0, {0},                                             \
     "{box: [a, b, c]} | {sphere: r} | {cylinder: [r, h]} | {rod: [from, to, d]}, each with at, rotate, or a list", \
     lmb_shape_forms,                                                                                             \
     "Geometry for pictures; with `density` also mass and inertia."},                                             \
    {"color", LMB_KEY_TEXT, offsetof(lmb_body_common, color), 0, {0}, 0, 0, "Colour in pictures: name or #rrggbb."}, \
    {"coordinates", LMB_KEY_CHOICE, offsetof(lmb_body_common, coordinates), 0, {0}, "by_kind|absolute|relative", 0, \
     "Absolute coordinates with joints enforced by multipliers (absolute), or joint coordinates where possible (relative); by_kind: relative for superelements and in smooth trees of rigid bodies, absolute for others."}
// clang-format on

typedef struct lmb_block_plan {
    lmb_block_kind kind;
    int size;     // VECTOR, STATE: number of coordinates
    double scale; // VECTOR, STATE: characteristic size (0: 1)
} lmb_block_plan;

extern const lmb_block_plan lmb_frame_blocks[2]; // POINT and ROT
// their start values for a frame p that moves with v, w (global components)
static inline void lmb_frame_start(double *q, double *v, const pose *p, vec3 velocity, vec3 spin) {
    v3_store(q, p->r);
    q_store(q + 3, q_from_matrix(p->R));
    v3_store(v, velocity);
    v3_store(v + 3, m3_tmul_v3(&p->R, spin));
}

// Elastic connection of one part of a body to the next: forces K (chi + beta chi') for the displacement and the
// rotation vector chi of the second against the first, 6 x 6, in the axes of the body.
typedef struct lmb_link {
    double K[36], beta;
} lmb_link;

typedef struct lmb_body_plan {
    const lmb_body_ops *ops; // NULL: those of the kind
    int block_count;
    const lmb_block_plan *blocks;  // kept until the body is built
    int work_count, scratch_count; // doubles in data
    const void *constants;
    double size; // largest distance of its material from the origin of the frame, m (0: a point)
    // its own markers (interfaces), unless the model defines markers with these names
    int marker_count;
    const struct lmb_marker_plan *markers;
    // a body as a row of equal parts (elements): number of bodies (0: one), and how many of the
    // last blocks of each are the first ones of the next
    int part_count, shared;
    // parts that differ: the plan of each (part_count of them); a fixed joint holds each to the one before, at `joint`
    const struct lmb_body_plan *parts;
    vec3 joint;
    const lmb_link *links; // in place of the fixed joints: part_count - 1; NULL: none
    bool dependent;        // see lmb_body
    bool relative;         // by default its frames follow from its joints
    // an additional body right after it: it shares all its blocks and adds its own last one; it carries these markers
    const struct lmb_body_plan *track;
    const lmb_node *track_markers;
    const struct lmb_body_kind *kind; // that makes sites of its markers; NULL: the one that was read
} lmb_body_plan;

typedef struct lmb_marker_plan {
    const char *name;
    vec3 at;
    int part; // the part that carries it, from 1; 0: the part at its position
} lmb_marker_plan;

typedef struct lmb_body_kind {
    lmb_kind_keys doc; // name, doc, keys
    const lmb_body_ops *ops;
    size_t read_size;
    void (*defaults)(void *read); // sets defaults that are not zero; may be NULL
    lmb_status (*plan)(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node, const char *name,
                       lmb_error *err);
    // the site of a new marker on a body with these constants; on: the site of the marker it is fixed to by joint or
    // force (NULL: none, the model defines it at `local`).  NULL: markers have no sites.
    lmb_status (*site)(const void **site, lmb_build *b, const lmb_body *body, const pose *local,
                       const lmb_marker *on, lmb_where where, lmb_error *err);
    // the part that carries a marker; NULL: bodies have one part
    int (*part)(const lmb_body *first, const pose *local);
    bool reduces; // plan may reduce a part, whatever other bodies there are; it may be called twice
} lmb_body_kind;

// ---- joints ------------------------------------------------------------------------------------

typedef struct lmb_joint_common {
    uint64_t given;
    lmb_texts between;
    vec3 axis, x, at;
    const lmb_node *motion, *spring, *friction, *limits, *start;
    bool active;
} lmb_joint_common;

// forms of a joint's keys: motion: expression | {coordinate: expression}, ..
extern const lmb_key lmb_motion_forms[], lmb_start_forms[]; // system/build_joints.c
extern const lmb_key lmb_joint_spring_forms[], lmb_joint_friction_forms[], lmb_joint_limits_forms[]; // force/
// clang-format off
#define LMB_JOINT_KEYS                                                                                            \
    {"between", LMB_KEY_TEXTS, offsetof(lmb_joint_common, between), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, \
     "The two connected markers; `ground` means ground at the position of the other marker."},                    \
    {"axis", LMB_KEY_VEC3, offsetof(lmb_joint_common, axis), 0, {0}, 0, 0,                                        \
     "Initial z axis of the joint, global components (default: axes of the markers)."},                           \
    {"x", LMB_KEY_VEC3, offsetof(lmb_joint_common, x), 0, {0}, 0, 0,                                              \
     "Approximate direction of the x axis of the joint, global components."},                                     \
    {"at", LMB_KEY_VEC3, offsetof(lmb_joint_common, at), 0, LMB_LENGTH, 0, 0,                                     \
     "Initial position of the joint, m (default: positions of the markers)."},                                    \
    {"motion", LMB_KEY_NODE, offsetof(lmb_joint_common, motion), 0, {0}, "an expression of t, or {coordinate: expression}", lmb_motion_forms, \
     "Prescribed motion of the coordinates, m or rad."},                                                          \
    {"spring", LMB_KEY_NODE, offsetof(lmb_joint_common, spring), 0, {0},                                          \
     "{stiffness, damping, at, force}, or {coordinate: {...}}", lmb_joint_spring_forms, "Springs and dampers on the coordinates."}, \
    {"friction", LMB_KEY_NODE, offsetof(lmb_joint_common, friction), 0, {0},                                      \
     "{coefficient, static, radius, arm, preload, force, presliding, speed}, or {coordinate: {...}}", lmb_joint_friction_forms, \
     "Coulomb friction with stiction on the coordinates."},                                                       \
    {"limits", LMB_KEY_NODE, offsetof(lmb_joint_common, limits), 0, {0},                                          \
     "{min, max, stiffness, damping, depth}, or {coordinate: {...}}", lmb_joint_limits_forms, "End stops of the coordinates."}, \
    {"start", LMB_KEY_NODE, offsetof(lmb_joint_common, start), 0, {0},                                            \
     "{coordinate: value, coordinate_rate: value}", lmb_start_forms, "Initial values of the coordinates, satisfied by assembly."}, \
    {"active", LMB_KEY_BOOL, offsetof(lmb_joint_common, active), 0, {0}, 0, 0, "Whether the joint is active from the start (default true)."}
// clang-format on

enum { LMB_PLAN_ROWS = 12, LMB_PLAN_TERMS = 24, LMB_PLAN_COORDINATES = 6 };

typedef struct lmb_joint_plan {
    int marker_count, marker[LMB_JOINT_MARKERS];
    int row_count, term_count, coordinate_count;
    lmb_row rows[LMB_PLAN_ROWS];
    lmb_term terms[LMB_PLAN_TERMS];
    lmb_coordinate coordinates[LMB_PLAN_COORDINATES];
    unsigned
        upright; // bit k: axis k of both frames must not be flipped (direction constraints have two roots)
} lmb_joint_plan;

typedef struct lmb_joint_kind {
    lmb_kind_keys doc;
    size_t read_size;
    // from frame 1 to frame 2 in turn, if the rows of lmb_plan_lock are just what they forbid
    const lmb_motion *motions;
    int motion_count;
    bool holds_pose; // the initial relative orientation
    bool can_eliminate;
    bool own_markers; // true: the kind sets marker[] itself (gear) and does not use `between`
    // Adds rows and coordinates. Otherwise marker[0] and marker[1] are already the frames of the joint.
    lmb_status (*plan)(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err);
} lmb_joint_kind;

// sum of one term: measure of frames first and second (slots in marker[]) = its value at 0 (or what offset says)
static inline lmb_row *lmb_plan_lock(lmb_joint_plan *p, const char *name, lmb_measure f) {
    p->terms[p->term_count] = (lmb_term){1, f, 0, 1, -1};
    lmb_row *row = &p->rows[p->row_count++];
    *row = (lmb_row){.term = p->term_count++, .term_count = 1, .name = name, .structural = true};
    return row;
}
static inline void lmb_plan_free(lmb_joint_plan *p, const char *name, lmb_measure f) {
    bool length =
        f.kind == LMB_MEASURE_ALONG || f.kind == LMB_MEASURE_DISTANCE || f.kind == LMB_MEASURE_GLOBAL;
    p->coordinates[p->coordinate_count++] = (lmb_coordinate){name, length ? "m" : "rad", {1, f, 0, 1, -1}};
}
static inline void lmb_plan_point(lmb_joint_plan *p) { // r2 - r1 = 0
    static const char *const names[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) lmb_plan_lock(p, names[k], lmb_global(k));
}
static inline void lmb_plan_parallel_z(lmb_joint_plan *p) { // z1 . x2 = 0, z1 . y2 = 0, not flipped
    lmb_plan_lock(p, "ry", lmb_dot_axes(2, 0));
    lmb_plan_lock(p, "rx", lmb_dot_axes(2, 1));
    p->upright |= 1u << 2;
}

static inline void
lmb_plan_no_rotation(lmb_joint_plan *p) { // y1 . z2 = 0, z1 . x2 = 0, x1 . y2 = 0, not flipped
    lmb_plan_lock(p, "rx", lmb_dot_axes(1, 2));
    lmb_plan_lock(p, "ry", lmb_dot_axes(2, 0));
    lmb_plan_lock(p, "rz", lmb_dot_axes(0, 1));
    p->upright |= 1u << 0 | 1u << 2;
}

// ---- forces ------------------------------------------------------------------------------------

typedef struct lmb_force_plan {
    int marker[2];
    const void *constants;
    int joint; // -1
    int expr_count;
    const lmb_expr *exprs[8];   // all its expressions, from which the compiler collects its inputs
    int input_count, inputs[4]; // further inputs
    double reach;               // the largest length among its constants, m; 0: none
} lmb_force_plan;

typedef struct lmb_force_common {
    uint64_t given;
    bool active;
} lmb_force_common;
// clang-format off
#define LMB_FORCE_KEYS                                                                                            \
    {"active", LMB_KEY_BOOL, offsetof(lmb_force_common, active), 0, {0}, 0, 0, "Whether the force is active from the start (default true)."}
// clang-format on

typedef struct lmb_force_kind {
    lmb_kind_keys doc;
    const lmb_force_ops *ops;
    size_t read_size;
    lmb_status (*plan)(lmb_force_plan *out, lmb_build *b, void *read, const lmb_node *node, lmb_error *err);
} lmb_force_kind;

#endif
