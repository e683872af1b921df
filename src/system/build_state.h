// system/build_state.h: the compiler's state, shared by the files build_*.c.
#ifndef LMB_BUILD_STATE_H
#define LMB_BUILD_STATE_H

#include "signal/signals.h"
#include "spec/names.h"
#include "system/compile.h"

typedef struct lmb_body_start {
    pose p;
    vec3 v, w;                 // global components
    const double *state;       // start values of first-order states; NULL: the body has a frame
    const lmb_body_kind *kind; // NULL: a state
    bool relative;             // its frames follow from its joints
    bool open;                 // whether they do is not said
    bool joined;               // to the part before, at joint (in the body frame)
    vec3 joint;
    const lmb_link *link; // what joins; NULL: a fixed joint
} lmb_body_start;

typedef struct lmb_ahead { // parts that bodies will ask for
    lmb_asked_part *list;
    int count, capacity;
    lmb_names texts; // of beams: those that are known
    bool asked;
} lmb_ahead;

struct lmb_build {
    lmb_spec *spec;
    const lmb_files *files; // may be NULL
    lmb_program *program;
    lmb_model *m;
    lmb_arena *arena;                                            // the model's
    lmb_names bodies, markers, joints, forces, sensors, signals; // name -> index + 1 (signals: signal *)
    lmb_names externals;                                         // name -> input + 1
    lmb_names beams;                                             // text of a part -> lmb_flex *
    lmb_ahead *ahead; // bodies are only asked for their parts; NULL: they are built
    lmb_names loaded; // texts of joints and forces: what they refer to is among them
    int body_cap, block_cap, marker_cap, joint_cap, force_cap, input_cap, turn_cap, channel_cap, timed_cap,
        pair_cap;
    int event_cap, analysis_cap, expectation_cap, kept_cap, external_cap, output_cap, slave_cap;
    lmb_expr **owned; // all expressions, to be destroyed with the model
    const lmb_expr **timed;
    int owned_count, own_expr_cap;
    lmb_body_start *starts; // per body
    int start_cap;
    double reach;        // the largest length among the constants of forces, m
    double **in_lengths; // constants in characteristic lengths
    int in_lengths_count, in_lengths_cap;
    // pairs by (row, col)
    bool no_memory; // while making them
    lmb_names pair_names;
    const lmb_name *extra; // names of the expression being compiled
    int extra_count;
    const lmb_knots *points; // of its table, if it comes from a file
};

// room for one more element of a growing array in the model's arena; NULL: no memory
void *lmb_build_push(lmb_build *b, void **array, int *count, int *capacity, size_t size);
#define LMB_PUSH(b, array, count, capacity) \
    lmb_build_push(b, (void **)&(array), &(count), &(capacity), sizeof *(array))

static inline int lmb_names_index(const lmb_names *t, const char *name) { // -1: not there
    return (int)(intptr_t)lmb_names_get(t, name) - 1;
}
bool lmb_names_put(lmb_names *t, const char *name, int index);

lmb_status lmb_build_bodies(lmb_build *b, lmb_error *err);
// what a body's map says, as its kind reads it, and its plan
lmb_status lmb_build_body_plan(lmb_body_plan *plan, lmb_body_common **read, const lmb_body_kind **kind,
                               lmb_build *b, const lmb_node *n, lmb_error *err);
// build_ahead.c: reduces parts of several bodies at the same time, if the files of the model can
void lmb_build_ahead(lmb_build *b);
lmb_status lmb_ahead_note(lmb_build *b, const struct lmb_part *part, const char *name,
                          lmb_error *err);                      // fails: the body can wait
bool lmb_beam_text(lmb_text *out, const struct lmb_part *part); // equal beams have equal ones
lmb_status lmb_build_named_markers(lmb_build *b, lmb_error *err);
// an entry of `markers` of a body, in its frame; of the model: on which marker, in its frame or (global) that of its assembly
lmb_status lmb_build_body_marker(pose *out, lmb_build *b, const lmb_node *n, lmb_error *err);
lmb_status lmb_build_named_marker(pose *out, const char **on, bool *global, lmb_build *b, const lmb_node *n,
                                  lmb_error *err);
lmb_status lmb_build_external_remarks(lmb_build *b, lmb_error *err); // inputs that nothing uses
lmb_status lmb_build_load_remarks(lmb_build *b, lmb_error *err);     // loads that stresses do not know of
lmb_status lmb_build_joints(lmb_build *b, lmb_error *err);
// The joints at each body with all its parts, in their order: a chain from first[body] of its first part (-1: the ground)
// along `next`, to -1.  In the spec's arena.
typedef struct lmb_chain {
    int joint, next;
} lmb_chain;
typedef struct lmb_chains {
    int *first;
    lmb_chain *links;
} lmb_chains;
lmb_status lmb_build_chains(lmb_chains *out, const lmb_build *b, lmb_error *err);
lmb_status lmb_build_supports(lmb_build *b, lmb_error *err); // tells bodies how joints hold them
lmb_status lmb_build_joint_loads(lmb_build *b, lmb_error *err);
lmb_status lmb_build_forces(lmb_build *b, lmb_error *err);
lmb_status lmb_build_externals(lmb_build *b, lmb_error *err);
void lmb_tunable_mark(lmb_spec *s);                             // places that may change during a motion
lmb_status lmb_build_fmus(lmb_build *b, lmb_error *err);        // their outputs are externals
lmb_status lmb_build_fmu_inputs(lmb_build *b, lmb_error *err);  // once all that they may use is known
lmb_status lmb_build_signals(lmb_build *b, lmb_error *err);     // registers their names
lmb_status lmb_build_all_signals(lmb_build *b, lmb_error *err); // builds those that have not been needed yet
lmb_status lmb_build_sensors(lmb_build *b, int pass, lmb_error *err); // 0: before forces, 1: after
// adds a channel named "sensor.component" (component NULL: "sensor")
lmb_status lmb_build_channel(lmb_build *b, const char *sensor, const char *component, const lmb_channel *c,
                             lmb_error *err);
// adds a hidden channel with the value of an input
lmb_status lmb_build_input_channel(lmb_build *b, const char *name, const char *unit, int input,
                                   lmb_error *err);
lmb_status lmb_build_outputs(lmb_build *b, lmb_error *err);
lmb_status lmb_build_events(lmb_build *b, lmb_error *err);
lmb_status lmb_build_analyses(lmb_build *b, lmb_error *err);
lmb_status lmb_build_validation(lmb_build *b, lmb_error *err);
// Settles what analyses leave open: smooth trees of rigid bodies take an explicit method with all joints eliminated.
lmb_status lmb_build_smooth(lmb_build *b, lmb_error *err);
lmb_status lmb_build_planar(lmb_build *b, lmb_error *err); // planar models: three coordinates for each body
lmb_status lmb_build_followers(lmb_build *b,
                               lmb_error *err); // the order of bodies, and which joints are eliminated
// Whether all joints can be eliminated, with which some coordinates are left; nothing is changed.
lmb_status lmb_build_can_follow(bool *all, lmb_build *b, lmb_error *err);
// Marks joints that must keep their rows where long paths of followers are neither a tree nor cheap otherwise; whether there are
// more of them than before.
bool lmb_build_tree_keep(bool *keeps_rows, lmb_build *b, lmb_status *st, lmb_error *err);
lmb_status lmb_build_tree(lmb_build *b, lmb_error *err);         // m->tree, if there is to be one
lmb_status lmb_build_colours(lmb_build *b, lmb_error *err);      // m->joint_order
lmb_status lmb_build_tree_columns(lmb_build *b, lmb_error *err); // then: y of all bodies
lmb_status lmb_build_tree_values(lmb_build *b, lmb_error *err);  // and with the pairs: where everything is
lmb_status lmb_build_layout(lmb_build *b,
                            lmb_error *err); // numbers blocks, rows, pairs; the pattern and all places

// a new unnamed marker on exactly this part of a body; the pose is in its frame
lmb_status lmb_build_marker_on(int *marker, lmb_build *b, int body, pose local, lmb_error *err);

// index of the new body, -1: failed
int lmb_build_body_add(lmb_build *b, const char *name, lmb_where where, const lmb_body_plan *plan,
                       const lmb_body_start *start, lmb_error *err);

// for "did you mean": user is the lmb_build
const char *lmb_joint_candidate(void *user, int i);
const char *lmb_force_candidate(void *user, int i);

int lmb_build_input_add(lmb_build *b, const lmb_input *in); // its number, -1: no memory
// refuses a name of an input or signal (what) that a parameter or an input has
lmb_status lmb_build_free_name(const lmb_build *b, const lmb_node *n, const char *what, lmb_error *err);
typedef struct lmb_outputs_read { // section `outputs`
    uint64_t given;
    lmb_texts names;
} lmb_outputs_read;

// resolves a name in an expression (system/build_inputs.c)
lmb_status lmb_build_resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err);
// the signal `name` as an input, built if necessary; *input -1: no such signal
lmb_status lmb_build_signal(int *input, lmb_build *b, const char *name, lmb_error *err);
// a component of a sensor as an input ("tip.x"); *input -1: no such sensor
lmb_status lmb_build_sensor_input(int *input, lmb_build *b, const char *name, lmb_where where,
                                  lmb_error *err);
// the function of a file's columns at an argument
lmb_status lmb_build_table(const lmb_expr **out, lmb_build *b, const lmb_node *map, const lmb_node *argument,
                           const lmb_table_choice *t, lmb_error *err);
lmb_status lmb_build_time_expr(const lmb_expr **out, lmb_build *b, const lmb_node *n, lmb_error *err);
lmb_status lmb_build_keep_expr(lmb_build *b, lmb_expr *e, lmb_error *err); // takes ownership of e
lmb_status lmb_build_signal_input(int *input, lmb_build *b, const char *name, const lmb_expr *e,
                                  lmb_where where, lmb_error *err);
lmb_status lmb_build_force_add(lmb_build *b, const char *name, lmb_where where, const lmb_force_ops *ops,
                               const lmb_force_plan *plan, bool active, lmb_error *err);
// all types, one line each in registry/registry.c
extern const lmb_body_kind *const lmb_body_kinds[];
extern const lmb_joint_kind *const lmb_joint_kinds[];
extern const lmb_force_kind *const lmb_force_kinds[];
extern const lmb_sensor_kind *const lmb_sensor_kinds[];
extern const lmb_analysis_kind *const lmb_analysis_kinds[];
const lmb_section *lmb_section_find(const char *name);

#endif
