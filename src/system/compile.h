// system/compile.h: from the tree of names to the compiled model.
#ifndef LMB_COMPILE_H
#define LMB_COMPILE_H

#include "model/build.h"
#include "system/sensor.h"

// ---- what the analyses need beside the mechanics ------------------------------------------------

typedef enum lmb_action_kind { LMB_ACTION_OFF, LMB_ACTION_ON, LMB_ACTION_STOP } lmb_action_kind;
typedef struct lmb_event {
    const char *name;
    double at;            // fixed time, NAN: by expression
    const lmb_expr *when; // crosses zero
    int direction;        // +1 rising, -1 falling, 0 both
    bool once;
    int action_count;
    struct lmb_action {
        lmb_action_kind kind;
        int joint, force; // -1
    } actions[8];
} lmb_event;

enum { LMB_BEGIN_AS_GIVEN, LMB_BEGIN_QUASI_STATIC };

// Settings of one analysis (keys of `analyses`), SI.
typedef struct lmb_analysis {
    const struct lmb_analysis_kind *kind;
    lmb_where where;
    const void *own;     // what its keys were read into, of the kind
    double until, every; // end time; output interval (0: every step)
    double tolerance;
    double step, max_step, min_step;             // fixed step (0: error control)
    double damping;                              // spectral radius at infinity of generalized-alpha
    const struct lmb_integrator_ops *integrator; // solve/solve.h; NULL: the analysis does not move
    const struct lmb_formalism_ops *formalism;   // solve/formalism.h; likewise
    // if they are left open: what smooth models take, and the integrator that goes on where one turns out stiff; NULL: settled
    struct {
        const struct lmb_integrator_ops *integrator, *stiff;
        const struct lmb_formalism_ops *formalism;
    } smooth;
    const struct lmb_integrator_ops *stiff; // that goes on where the chosen one is not suited; NULL: none
    bool explicit;                          // its method needs accelerations alone
    bool eliminates;                        // joints are eliminated where possible
    bool trees;                             // its method solves with matrices of trees (linalg/tree.h)
    int index;
    int start; // LMB_BEGIN_..: of flexible bodies
    double penalty;
    int load_steps;
    struct { // statics: in axes that turn
        uint64_t given;
        double speed; // rad/s; 0: at rest
        vec3 axis, about;
    } rotation;
    int max_steps;
    int count, frame;        // modes: how many; in which axes (lmb_modes_frame)
    double max_frequency;    // modes: Hz, 0: no limit
    bool matrices;           // modes: files of the linearised equations, too
    bool error;              // error bars of stresses are wanted
    double stress_tolerance; // of bodies with `shapes: auto`, relative to their largest stress; 0: not given
} lmb_analysis;

// What the keys of an analysis are read into begins with this.
typedef struct lmb_analysis_read {
    uint64_t given;
    lmb_analysis a;
} lmb_analysis_read;

#define LMB_ANALYSIS(member) offsetof(lmb_analysis_read, a.member)
// clang-format off
#define LMB_ANALYSIS_UNTIL {"until", LMB_KEY_NUMBER, LMB_ANALYSIS(until), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "End time, s."}
#define LMB_ANALYSIS_EVERY {"every", LMB_KEY_NUMBER, LMB_ANALYSIS(every), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, \
                            "Interval between output times, s (default until/200, or a longer fixed step; `output: {every: ...}` sets it for all analyses)."}
#define LMB_ANALYSIS_ERROR {"error", LMB_KEY_BOOL, LMB_ANALYSIS(error), 0, {0}, 0, 0, \
                            "Error bars of stresses and section forces: the model runs once more with the fields that its shape functions lack most and smaller steps (default off)."}
#define LMB_ANALYSIS_STRESS_TOLERANCE {"stress_tolerance", LMB_KEY_NUMBER, LMB_ANALYSIS(stress_tolerance), LMB_KEY_POSITIVE, {0}, 0, 0, \
                            "Bodies with `shapes: auto`: error of their stresses relative to their largest stress at which no further shape functions are added (default 0.01; the smallest of all analyses counts)."}
// clang-format on

struct lmb_run;
struct lmb_observer;

// The table of an analysis whose rows are no states.
typedef struct lmb_own_table {
    const char *name, *doc;
    int count;
    const char **names, **units; // of its columns
} lmb_own_table;

// A type of analysis: one file of solve/.
typedef struct lmb_analysis_kind {
    lmb_kind_keys doc;
    size_t read_size;
    bool moves;                        // it runs through time, to `until`
    bool modes;                        // its rows are modes
    bool plant;                        // it has a state space
    void (*defaults)(lmb_analysis *a); // those that are not zero; may be NULL
    // checks the settings and completes them; may be NULL
    lmb_status (*finish)(lmb_analysis *a, const lmb_node *n, lmb_error *err);
    // what its keys name, once all the model is known (read: lmb_analysis.own); may be NULL
    lmb_status (*resolve)(void *read, lmb_build *b, const lmb_node *n, lmb_error *err);
    const lmb_own_table *(*table)(const lmb_analysis *a); // its only table; NULL: rows are states
    // one line for `check`, after its name; false: no memory; may be NULL
    bool (*describe)(lmb_text *out, const lmb_analysis *a);
    lmb_status (*begin)(struct lmb_run *r, const struct lmb_observer *o, lmb_error *err);
    lmb_status (*step)(bool *done, struct lmb_run *r, const struct lmb_observer *o, lmb_error *err);
} lmb_analysis_kind;

// whether its rows are states of the model, with sensors; else modes, or a table of its own
static inline bool lmb_analysis_has_motion(const lmb_analysis *a) {
    return !a->kind->modes && a->kind->table == NULL;
}

// One entry of `validation`: a sensor of one analysis, or a quantity of a part, against a number or a table in a file,
// SI.
typedef struct lmb_expectation {
    lmb_where where;
    const char *quantity, *sensor, *source;
    int channel;  // of sensor
    int analysis; // index
    double at;    // time, NAN: the end
    double reference, tolerance;
    bool relative;    // difference and tolerance are relative to |reference|
    const char *file; // NULL: one number; else a table, below the reference folder
    int time_column, value_column, skip_lines;
    double factor, offset; // ours is compared with factor * value + offset
    double from, until;    // rows of the table that are compared
    // of a part, in place of a sensor: one of
    int frequency, buckling; // number of the mode, from 1; 0: not this
    const char *deflection;  // marker and direction
    int inertia;             // 1 + place in mass, x, y, z, Ixx, Iyy, Izz, Ixy, Iyz, Izx; 0: not this
    // under
    const lmb_node *held, *load; // NULL: free, unloaded
    vec3 spin;
    bool reduced; // of the flexible body, held by its frame
} lmb_expectation;

// An input, output or parameter of an FMU.
typedef struct lmb_slave_port {
    const char *name; // in the FMU
    lmb_where where;
    const lmb_node *node;     // input, parameter: as written
    const lmb_expr *value_of; // input
    double value;             // parameter
    int external;             // output: which of the model's externals
} lmb_slave_port;

// An entry of `fmus`: an FMU that runs along as a co-simulation slave; values are in the model's units.
typedef struct lmb_slave {
    const char *name, *file; // the file as written
    const lmb_node *node;
    double step; // s
    bool linear; // values go on with their slopes between exchanges; else they are held
    int input_count, output_count, parameter_count;
    lmb_slave_port *inputs, *outputs, *parameters;
} lmb_slave;

// The result of compiling: model, sensors, events, analyses. Owns all of it.
typedef struct lmb_program lmb_program;
struct lmb_program {
    lmb_model *model;
    int channel_count;
    lmb_channel *channels; // sensors, in the order of the file
    int output_count;
    int *outputs; // channels that other programs see
    int event_count;
    lmb_event *events;
    int analysis_count;
    lmb_analysis *analyses;
    int expectation_count;
    lmb_expectation *expectations;
    int slave_count;
    lmb_slave *slaves;
};

// Compiles an expanded spec (lmb_spec_expand). The program refers to texts of the spec, so the spec must
// outlive it.  *out is owned by the caller.
// files: reads bodies from files; NULL: such bodies are rejected.
typedef struct lmb_asked_part { // of body `name`
    const struct lmb_part *part;
    const char *name;
} lmb_asked_part;
typedef struct lmb_files {
    lmb_status (*flex)(void *user, struct lmb_flex **out, const lmb_node *map, const char *key,
                       const char *path, lmb_error *err);
    // a part file; *out lives until the model is compiled
    lmb_status (*part)(void *user, struct lmb_part *out, const lmb_node *map, const char *key,
                       const char *path, lmb_error *err);
    // reduces a part with the data of its files, as body `name`
    lmb_status (*reduce)(void *user, struct lmb_flex **out, const struct lmb_part *part, const char *name,
                         lmb_error *err);
    // a beam alone; may be NULL
    lmb_status (*beam)(void *user, struct lmb_flex **out, const struct lmb_part *part, const char *name,
                       lmb_error *err);
    // These parts of bodies will be asked for in this order: it may reduce them at the same time.  Failures are told when they are asked
    // for.  May be NULL
    void (*ahead)(void *user, const lmb_asked_part *list, int count);
    // two columns of a table, by the names in its heading (x, y NULL: the first two); points: to be freed with lmb_knots_free
    lmb_status (*table)(void *user, lmb_knots *out, const lmb_node *map, const char *path, const char *x,
                        const char *y, lmb_error *err);
    // further shape functions of a piece of body `name` (*count of them), which live until the model is compiled; may be NULL
    const struct lmb_shape_request *(*more)(void *user, int *count, const char *name, int piece);
    void *user;
} lmb_files;
lmb_status lmb_compile(lmb_program **out, lmb_spec *spec, const lmb_files *files, lmb_error *err);
void lmb_program_destroy(lmb_program *p); // takes NULL

// An entry of `validation` of a part file.  Its texts live as long as the spec.
lmb_status lmb_part_expectation_read(lmb_expectation *out, lmb_spec *spec, const lmb_node *n, lmb_error *err);

// Sections, kinds and keys of model files, for schema and docs (registry/registry.c).
extern const lmb_section lmb_sections[];

#endif
