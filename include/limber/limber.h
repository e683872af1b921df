// limber/limber.h: flexible multibody dynamics: load a model, run or step it, read its sensors.
//
//     lmb_document (the model as written) --> lmb_system (compiled, constant) --> lmb_simulation (state, runs)
//
// A system can be shared by many simulations in many threads; a simulation belongs to one thread.  There is no
// global state.  Functions that can fail return lmb_status and fill err (may be NULL).  All numbers are in SI units.
// Objects returned through `T **out` are owned by the caller; other pointers are borrowed and live as long as
// their object.
#ifndef LIMBER_LIMBER_H
#define LIMBER_LIMBER_H

#include <limber/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *lmb_version(void);   // "0.1.0"
const char *lmb_libraries(void); // linked libraries with versions and licences, one per line

// ---- documents ---------------------------------------------------------------------------------

typedef struct lmb_document lmb_document;

lmb_status lmb_document_read_file(lmb_document **out, const char *path, lmb_error *err);
lmb_status lmb_document_read_text(lmb_document **out, const char *text, const char *name, lmb_error *err);
lmb_status lmb_document_create(lmb_document **out, lmb_error *err); // contains only `limber: 1`
void lmb_document_destroy(lmb_document *d);                         // accepts NULL
// Sets a value by its path: ("bodies.arm.mass", "2.0"), ("joints.pin.between.0", "ground"),
// ("parameters.L", "0.4"). A value that begins with [ or { is read as YAML: ("gravity", "[0, -9.81, 0]").
lmb_status lmb_document_set(lmb_document *d, const char *path, const char *value, lmb_error *err);
// Takes an entry out of its map or list: ("bodies.arm.damping"), ("analyses.1").
lmb_status lmb_document_delete(lmb_document *d, const char *path, lmb_error *err);
// The document as it is now, as YAML without comments: JSON, but for numbers and words that need no quotes ("5.", on). Free with
// lmb_text_release.
lmb_status lmb_document_text(char **out, const lmb_document *d, lmb_error *err);
// Writes the document as a model file that people can read; what a robot (.urdf, .xml) contains that the model does not, as comments.
lmb_status lmb_document_write_file(const char *path, const lmb_document *d, lmb_error *err);
// Inputs follow the columns of a file in time: the first line names them, `time` first.
lmb_status lmb_document_drive(lmb_document *d, const char *file, lmb_error *err);
// A function of this program that expressions of the model may call: "law(pin.angle, t)". It returns f(x), x[0..arguments) in the model's
// units, and where it knows them the partial derivatives in gradient (may be NULL); entries that it leaves alone are found by central
// differences, which needs further calls. Calls come in any number and order, also for states that are rejected, and from all threads
// that use the system: the same arguments must give the same value, smoothly. What is not finite rejects the state. 1 to 8 arguments.
// f and user must outlive the systems of the document.
typedef double (*lmb_callback)(void *user, const double *x, double *gradient);
lmb_status lmb_document_function(lmb_document *d, const char *name, int arguments, lmb_callback f, void *user,
                                 lmb_error *err);

// The JSON Schema of model files, and a reference of all keys in Markdown; free *out with lmb_text_release.
lmb_status lmb_schema(char **out, lmb_error *err);
lmb_status lmb_reference(char **out, lmb_error *err);
void lmb_text_release(char *text);

// ---- systems -----------------------------------------------------------------------------------

typedef struct lmb_system lmb_system;

typedef struct lmb_setting { // overrides a parameter, or sets a key
    const char *name, *value;
} lmb_setting;

// Compiles a document. A document can be compiled only once and must still be destroyed afterwards.
lmb_status lmb_system_create(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
                             lmb_error *err);

typedef struct lmb_factoriser lmb_factoriser; // <limber/fe.h>

// Settings for reading and reducing parts: part files, meshes and geometry, on their own or as bodies of a model.
typedef struct lmb_part_settings {
    const lmb_factoriser *factoriser; // NULL: a simple one that suits beams; use lmb_fe_cholmod() for meshes
    const char *references;           // folder for paths that begin with $LIMBER_REFERENCE/; may be NULL
    bool no_cache;                    // do not use the cache of reduced parts
    // the folder `resources` of an FMU (lmb_fmu_file): reduced bodies and tables are taken from there; NULL: from where the model says
    const char *bundle;
    bool trust; // run .geo scripts that may start programs or access other files; otherwise they are refused
    bool allow_fmu; // run the binaries of the model's `fmus`, which are programs; otherwise they are refused
    // progress: called at the beginning of each task with a short text, sizes and estimates; done is the fraction
    // from 0 to 1, or negative if unknown. Return false to stop (LMB_ERR_SYSTEM). May be NULL.
    bool (*progress)(void *user, const char *text, double done);
    void *user;
    const char *log; // where the log of gmsh is kept if it cannot mesh a geometry; NULL: nowhere
    // for a single part only: parameters of its file, and further keys by path: ("part.unit", "mm"),
    // ("part.interfaces.a", "{set: left}")
    const lmb_setting *parameters;
    int parameter_count;
    const lmb_setting *keys;
    int key_count;
    // for models with several different flexible parts: how many are reduced at the same time, each with memory of its own and with
    // the same results; 0: one on each processor. `progress` is then called from other threads, too, one at a time.
    int threads;
} lmb_part_settings;
// The same for models with meshes, whose reduction may take a while; parts may be NULL.
lmb_status lmb_system_create_with(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
                                  const lmb_part_settings *parts, lmb_error *err);
void lmb_system_destroy(lmb_system *s);

// The output of `limber check`: counts, degrees of freedom, redundant constraints, corrected initial conditions,
// analyses.
lmb_status lmb_system_report(char **out, lmb_system *s, lmb_error *err); // free with lmb_text_release

int lmb_system_sensor_count(const lmb_system *s); // one per column: "tip.x"
const char *lmb_system_sensor_name(const lmb_system *s, int i);
const char *lmb_system_sensor_unit(const lmb_system *s, int i);
int lmb_system_sensor_find(const lmb_system *s, const char *name); // -1: not found
int lmb_system_analysis_count(const lmb_system *s);
const char *lmb_system_analysis_type(const lmb_system *s, int i);
double lmb_system_analysis_until(const lmb_system *s, int i); // end time, s
// Section `inputs`: numbers that are set from outside, in the model's units.
int lmb_system_input_count(const lmb_system *s);
const char *lmb_system_input_name(const lmb_system *s, int i);
const char *lmb_system_input_unit(const lmb_system *s, int i);    // "": none given
int lmb_system_input_find(const lmb_system *s, const char *name); // -1: not found
void lmb_system_input_range(double *start, double *min, double *max, const lmb_system *s, int i);
// Section `parameters`: values in the model's units. A number can be set; an expression of others follows from them.
int lmb_system_parameter_count(const lmb_system *s);
const char *lmb_system_parameter_name(const lmb_system *s, int i);
double lmb_system_parameter(bool *is_number, const lmb_system *s, int i); // is_number may be NULL
// Whether parameter i may change during a motion (lmb_simulation_continue).  Else use, of this size, becomes the key of the model that
// does not let it, such as "bodies.arm.at.0".
bool lmb_system_parameter_tunable(char *use, size_t size, const lmb_system *s, int i);
// Section `outputs` (without it: all sensors), as numbers of sensors.
int lmb_system_output_count(const lmb_system *s);
int lmb_system_output(const lmb_system *s, int i);

// ---- simulations -------------------------------------------------------------------------------

typedef struct lmb_simulation lmb_simulation;

lmb_status lmb_simulation_create(lmb_simulation **out, const lmb_system *s, lmb_error *err);
void lmb_simulation_destroy(lmb_simulation *s);
// Shares the work of the simulation among `count` threads, the caller's among them (as created: 1; 0: as many as suit the model and the
// processors).  All numbers stay the same to the last bit.  Ends the analysis in progress; not during a callback.
lmb_status lmb_simulation_threads(lmb_simulation *s, int count, lmb_error *err);

// Called at every output time (sensors then have the values at this time) and after every step (output
// false). Return false to stop the run after the step; this is not an error.
typedef bool (*lmb_progress)(void *user, lmb_simulation *s, double time, double until, bool output);

// Runs analysis i of the model from the current state of the simulation.
lmb_status lmb_simulation_run(lmb_simulation *s, int analysis, lmb_progress progress, void *user,
                              lmb_error *err);
// Runs it step by step: call begin, then step until *done.
lmb_status lmb_simulation_begin(lmb_simulation *s, int analysis, lmb_error *err);
lmb_status lmb_simulation_step(lmb_simulation *s, bool *done, lmb_error *err);

// After begin: steps on to a time, so that sensors have the values of that time.  EXACTLY: a step ends there, and inputs may be set.
// BEYOND: steps are as long as they like, as in a run, and the state is interpolated; inputs cannot be set then.  *done (may be NULL): the
// analysis has ended, or an event has stopped it before.
typedef enum lmb_advance { LMB_ADVANCE_EXACTLY, LMB_ADVANCE_BEYOND } lmb_advance;
lmb_status lmb_simulation_advance(lmb_simulation *s, double time, lmb_advance how, bool *done,
                                  lmb_error *err);
// From now on input i is value + rate (t - now), in the model's units. The motion goes on from the present state; forces may jump.
// LMB_ERR_INPUT: outside its range, also from advance, step or run, to which a rate would lead it out of it later.
lmb_status lmb_simulation_input_set(lmb_simulation *s, int i, double value, double rate, lmb_error *err);
double lmb_simulation_input(const lmb_simulation *s, int i);
// Analyses that begin from now on end at this time, s, in place of `until` of the model.
void lmb_simulation_until(lmb_simulation *s, double time);
// Called when an event of the model happens during a step; NULL: nobody.
typedef void (*lmb_event_listener)(void *user, double time, const char *name);
void lmb_simulation_listen(lmb_simulation *s, lmb_event_listener listener, void *user);
void lmb_simulation_pause(lmb_simulation *s); // by a listener: lmb_simulation_advance returns at this event
// Everything that the rest of the motion depends on, the integrator's memory included: a simulation of the same system that restores it
// goes on bit for bit like the one that was saved.  Saving costs one factorisation of the matrix.  After a
// snapshot that cannot be restored the simulation is at its initial conditions.  With FMUs ask for the size before each snapshot; one whose
// FMU cannot save its state cannot be restored.
size_t lmb_simulation_snapshot_size(const lmb_simulation *s);
void lmb_simulation_snapshot_save(void *bytes, lmb_simulation *s);
lmb_status lmb_simulation_snapshot_restore(lmb_simulation *s, const void *bytes, size_t size, lmb_error *err);
// s, of the same model with other values of tunable parameters, takes over the motion of `from` at its present time: positions, velocities,
// states, inputs and what events have done; only the integrator begins anew.  What energy is gained at once counts as work, what is lost as
// dissipated.  If another program integrates `from`, s must have begun and be integrated likewise (lmb_simulation_flow_begin).
// LMB_ERR_INPUT: of another model, or no motion that was advanced exactly; s is then at its initial conditions.
lmb_status lmb_simulation_continue(lmb_simulation *s, lmb_simulation *from, lmb_error *err);

double lmb_simulation_time(const lmb_simulation *s);
double lmb_simulation_sensor(lmb_simulation *s, int i); // at the current state
// The complete state (positions, velocities, ...) as an array of state_size numbers. A state that is set is made
// consistent at the next begin; its first number is the time. Setting the state ends the analysis in progress; callbacks of a run must not set it.
size_t lmb_simulation_state_size(const lmb_simulation *s);
void lmb_simulation_state_get(double *state, const lmb_simulation *s);
void lmb_simulation_state_set(lmb_simulation *s, const double *state);
// Position (3) and unit quaternion (w, x, y, z), and velocity (3) and angular velocity (3, global), of a
// body by name.  What a joint does not allow is put right at the next begin; at once where joint coordinates are the unknowns (`limber check`
// says so): a body then moves with those that it hangs on, which are to be set before it.
lmb_status lmb_simulation_body_get(double *position7, double *velocity6, const lmb_simulation *s,
                                   const char *body, lmb_error *err);
lmb_status lmb_simulation_body_set(lmb_simulation *s, const char *body, const double *position7,
                                   const double *velocity6, lmb_error *err);
// After lmb_simulation_begin, at the time that sensors have: acceleration (3) and angular acceleration (3, global) of a body by name;
// force (3) and torque (3, global axes) of a joint on its second body at its marker; of a force element on its first body.
lmb_status lmb_simulation_acceleration(double *acceleration6, lmb_simulation *s, const char *body,
                                       lmb_error *err);
lmb_status lmb_simulation_reaction(double *load6, lmb_simulation *s, const char *joint, lmb_error *err);
lmb_status lmb_simulation_force(double *load6, lmb_simulation *s, const char *force, lmb_error *err);

// M x'' + D x' + K x + G' dlambda = 0, G x = 0 for small changes x about the current state, at rest or while it moves; rotations about the
// axes of the ground. Row-major. First-order states of signals are among x: their x' is the state, and K has no columns of them.
typedef struct lmb_matrices {
    int coordinates, constraints;
    const double *M, *D, *K; // coordinates x coordinates
    const double *G;         // constraints x coordinates
    const double *C; // coordinates x constraints: G', unless friction depends on the normal forces of joints
    const char *const *names, *const *units; // of coordinates: "arm.x", "arm.rz", "pin.angle", "rod.q3"
    double time;                             // s
    void *memory;
} lmb_matrices;
// The state is made consistent first (but not changed).  Release *out with lmb_matrices_release.
lmb_status lmb_simulation_matrices(lmb_matrices *out, lmb_simulation *s, lmb_error *err);
void lmb_matrices_release(lmb_matrices *m); // takes NULL

// The equations linearised about the current state: s' = A s + B e, y = C s + D e for small changes of states, inputs and outputs; row-major.
// States are minimal coordinates: `degrees` positions with their rates ("arm.rz", "pin.angle", "rod.q3", "arm.rz_rate"), then first-order
// states of signals.  Inputs are those of the system, outputs too.  An input that drives a prescribed motion is a state with its rate, and the
// input is its second derivative ("drive_acceleration").
typedef struct lmb_linear {
    int states, inputs, outputs, degrees;
    double *A, *B, *C, *D;
    const char *const *state_names, *const *state_units; // "": none
    const char *const *input_names, *const *input_units;
    const char *const *output_names, *const *output_units;
    const int *drives; // per input: the state that is its value if it drives a motion, -1: it does not
    const double *
        output_error; // per output: estimated error of its rows, relative to their largest entry; NaN: it has no derivatives here
    double time; // s
    void *memory;
} lmb_linear;
// The state is made consistent first (but not changed).  Release *out with lmb_linear_release.
lmb_status lmb_simulation_linearise(lmb_linear *out, lmb_simulation *s, lmb_error *err);
void lmb_linear_release(lmb_linear *l); // takes NULL

// ---- the motion as x' = f(x, t), for integrators of other programs ------------------------------
//
// x: positions (points, unit quaternions, elastic coordinates, coordinates of eliminated joints), their rates, and states of signals, SI;
// last the work of drives and the energy lost, J.
// What it drifts off the constraints and off unit length decays within 0.02 s.                     docs/theory/solvers.md

int lmb_system_state_count(const lmb_system *s);
double lmb_system_state_nominal(const lmb_system *s, int i); // typical size
int lmb_system_indicator_count(const lmb_system *s);
// After lmb_simulation_begin: from now on the caller integrates, and neither steps nor lmb_simulation_advance are possible. Sensors are
// those of the state that was set last, after its rates were asked for.
lmb_status lmb_simulation_flow_begin(lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_get(double *x, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_set(lmb_simulation *s, double time, const double *x, lmb_error *err);
lmb_status lmb_simulation_flow_rates(double *x_dot, lmb_simulation *s, lmb_error *err); // x_dot may be NULL
// Each change of sign within a step is an event: find its time, and call lmb_simulation_flow_event.
lmb_status lmb_simulation_flow_indicators(double *z, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_accept(lmb_simulation *s, lmb_error *err); // after each step that counts
// At an event, at the time *next of the call before, and once at the beginning; then get x anew. *next: when the next one comes at
// the latest, INFINITY: none is known. *stop: an event of the model ends the motion.
lmb_status lmb_simulation_flow_event(double *next, bool *stop, lmb_simulation *s, lmb_error *err);
// x and its rates at the present state, whoever integrates; after lmb_simulation_begin.
void lmb_simulation_motion(double *x, double *x_dot, lmb_simulation *s);
// All that the rest depends on, flow_size numbers.
size_t lmb_simulation_flow_size(lmb_simulation *s);
lmb_status lmb_simulation_flow_save(double *out, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_load(lmb_simulation *s, const double *from, lmb_error *err);

// ---- results files -----------------------------------------------------------------------------

typedef struct lmb_run_options {
    const char *output;  // path of the results file
    const char *command; // stored in the file
    bool resume;         // continue a stopped or killed run
    bool error_bars;     // run once more with more shape functions, as with `error: on` in the model
    int threads; // that share the work, with the same results; 0: as many as suit the model and the processors
    // progress: called frequently; text is a short note at events and at the start of an analysis (else NULL). Return
    // false to stop the run.
    bool (*progress)(void *user, const char *analysis, double time, double until, double seconds,
                     const char *text);
    void *user;
} lmb_run_options;

// Runs all analyses of a system and writes a results file. Invalid input leaves no file; a run that fails or is
// stopped (by progress: LMB_ERR_SYSTEM) keeps the results so far.  *summary (may be NULL; free with lmb_text_release)
// has human-readable statistics and warnings of all analyses; it becomes NULL if nothing was written.
lmb_status lmb_run_file(char **summary, lmb_system *s, const lmb_run_options *options, lmb_error *err);

// Plots curves over time (or over another column, along beams, in a plane) to a file (.svg, .png, .pdf) with gnuplot, one panel per unit.
typedef struct lmb_plot_options {
    const char *const *results; // one or several results files, overlaid
    int result_count;
    const char *const *sensors; // names or patterns of columns: "tip.x", "tip", "pin.f*"; none: all sensors
    int sensor_count;
    const char *analysis; // as for exports
    const char *title;    // NULL: the name of the first results file
    // beams: plot section forces along them at the last output time instead of curves over time; sensors are then names
    // of forces, N, Qy, Qz, T, My, Mz (none: all that are not zero)
    const char *const *along;
    int along_count;
    const char *against; // a column that is the abscissa instead of time
    // bodies, by name or pattern: draw their shapes as they deform, one curve for each pattern, instead of curves over time
    const char *const *shapes;
    int shape_count;
    int frames;        // of shapes: maximum number of output times, evenly spaced; 0: 10
    const char *plane; // of shapes: two of x, y, z; NULL: xy
    // a beam of a results file, or any name with a body file: plot its shape functions along it, each scaled to 1
    const char *functions;
} lmb_plot_options;
lmb_status lmb_plot_file(const char *path, const lmb_plot_options *options, lmb_error *err);
typedef struct lmb_export_options {
    const char *analysis; // its name, type or number from 1; NULL: the last with rows
    int frames; // maximum number of frames, evenly spaced; 0: 200. For modes: frames per period; 0: 25
    int mode;   // for modes: mode number from 1; 0: the first
    // CSV, tables for MATLAB: names or patterns of columns, "tip", "tip.x", "pin.f*"; none: all
    const char *const *sensors;
    int sensor_count;
    bool (*progress)(void *user, const char *text, double done); // as in lmb_part_settings
    void *user;
    const char
        *gr_layout; // Standard Input Data: columns of Gr and Ge "axis" by axis (NULL), or "mode" by mode
} lmb_export_options;
// Exports an analysis in the format that the ending of path stands for (lmb_format_list); "-": CSV to standard output.
// options may be NULL.
lmb_status lmb_export_file(const char *path, const char *results, const lmb_export_options *options,
                           lmb_error *err);
// Writes an analysis as CSV; path "-": standard output. options may be NULL.
lmb_status lmb_export_csv_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err);
// Exports the motion for ParaView: path (.pvd or .vtu) gives NAME.pvd with NAME_0000.vtu, ... beside it; or as glTF 2.0
// (.glb) with poses as animation and shape functions as morph targets. options may be NULL.
lmb_status lmb_export_vtk_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err);
lmb_status lmb_export_glb_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err);
// Writes a body file (limber reduce) as a model in Modelica, NAME in NAME.mo, with frames of the MultiBody library at its interfaces.
// options are not used.
lmb_status lmb_export_mo_file(const char *path, const char *body, const lmb_export_options *options,
                              lmb_error *err);
// Writes a body file as Standard Input Data (.SID_FEM), as modal data of MBDyn (.fem, without geometric stiffness) or as a modal
// neutral file (.mnf, without geometric stiffness and damping), its markers as nodes 1, 2, ... options may be NULL.
lmb_status lmb_export_sid_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err);
lmb_status lmb_export_fem_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err);
lmb_status lmb_export_mnf_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err);
// Writes a body file as a superelement: K and M of the motions of its interfaces and of normal modes with fixed interfaces, as Nastran
// DMIG (.pch, ten digits) or OUTPUT4 (.op4, with tables NAME_nodes.csv and NAME_rows.csv beside it). options are not used.
lmb_status lmb_export_dmig_file(const char *path, const char *body, const lmb_export_options *options,
                                lmb_error *err);
lmb_status lmb_export_op4_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err);
// Reads a flexible body of another program and writes it as a body file; *report: a summary, for lmb_text_release (may be NULL).
typedef struct lmb_import_options {
    bool
        complete; // Standard Input Data: inertia that is impossible or not positive is completed, the report says how
} lmb_import_options;
lmb_status lmb_import_body_file(char **report, const char *output, const char *body,
                                const lmb_import_options *options, lmb_error *err);
// Formats with the endings of their names: "CSV (.csv, .txt), ParaView (.pvd, .vtu), ...".
typedef enum lmb_format_use {
    LMB_FORMATS_NONE,
    LMB_FORMATS_PARTS,  // meshes and geometry
    LMB_FORMATS_BODIES, // flexible bodies
    LMB_FORMATS_EXPORTS,
    LMB_FORMATS_MATRICES, // stiffness and mass of parts
    LMB_FORMATS_GEOMETRY  // of parts, those that gmsh meshes
} lmb_format_use;
const char *lmb_format_list(lmb_format_use use);
// Writes a self-contained HTML page that shows results in a browser.
typedef struct lmb_view_options {
    const char *const *results; // one results file, or several runs to be compared
    int result_count;
    const char *page; // the page template, bundled from viewer/; the program `limber` contains one
    int frames; // maximum number of frames per analysis and results file, evenly spaced; 0: 10000 shared by all files, at least 200
    bool (*progress)(void *user, const char *text, double done); // as in lmb_part_settings
    void *user;
} lmb_view_options;
lmb_status lmb_view_file(const char *path, const lmb_view_options *options, lmb_error *err);
// Where it hurts: the places of flexible bodies with the largest von Mises stress over all rows of an analysis, one for each peak:
// body, node, place, time, stress. As a text (free with lmb_text_release) or as CSV (path "-": standard output). options may be NULL.
typedef struct lmb_stress_options {
    const char *analysis; // as for exports; NULL: the last other than modes
    const char *body;     // only this body, with its parts; NULL: all
    int count;            // places at most; 0: 10
    bool (*progress)(void *user, const char *text, double done); // as in lmb_part_settings
    void *user;
} lmb_stress_options;
lmb_status lmb_stress_table(char **out, const char *results, const lmb_stress_options *options,
                            lmb_error *err);
lmb_status lmb_stress_csv_file(const char *path, const char *results, const lmb_stress_options *options,
                               lmb_error *err);
// Load cases of a flexible body made from a mesh of solids, as a deck for CalculiX and Abaqus: mesh, forces in balance (those of joints
// and forces, inertia forces) with one step for each time, supports that carry nothing. A linear static analysis gives the stresses of
// limber. s: the model of the results. *summary (may be NULL; free with lmb_text_release) lists the steps.
typedef struct lmb_load_options {
    const char *analysis; // as for stresses
    const char *body;
    const double *times; // those of the output times next to them, s
    int time_count;
    int hot_spots; // and those of the highest peaks of stress; 0: none, or 1 if there are no times
    bool (*progress)(void *user, const char *text, double done); // as in lmb_part_settings
    void *user;
} lmb_load_options;
lmb_status lmb_loads_file(char **summary, const char *path, const lmb_system *s, const char *results,
                          const lmb_load_options *options, lmb_error *err);
// Fatigue. S-N line for fully reversed stress: N = cycles (strength/S)^k cycles of amplitude S to failure, k = slope above the knee (S >=
// strength), slope_below under it (INFINITY: no damage there). Other means: Smith, Watson and Topper, Goodman (with the tensile strength), none.
typedef enum lmb_mean_stress { LMB_MEAN_SWT, LMB_MEAN_GOODMAN, LMB_MEAN_NONE } lmb_mean_stress;
typedef struct lmb_sn_line {
    double strength, cycles; // amplitude at the knee, Pa, and its cycles
    double slope, slope_below;
    lmb_mean_stress mean;
    double tensile; // Pa; LMB_MEAN_GOODMAN
} lmb_sn_line;
typedef struct lmb_life_options {
    const char *analysis; // as for stresses
    const char *body;     // only this body, with its parts; NULL: all
    int count;            // places at most; 0: 10
    lmb_sn_line line;
    double from;      // rows before this time, s, do not count
    int frames;       // ParaView and page: as for exports and lmb_view_file
    const char *page; // its template, as for lmb_view_file; NULL: no page can be written
    bool (*progress)(void *user, const char *text, double done); // as in lmb_part_settings
    void *user;
} lmb_life_options;
// Damage of the places of flexible bodies by an analysis, one line for each peak: body, node, position, damage of the signed von Mises stress, of the
// normal stress on the critical plane, life. As a text (free with lmb_text_release), or as a file: CSV, or with the damage of every node the motion for ParaView
// (.pvd, .vtu) or the page of lmb_view_file (.html).
lmb_status lmb_life_table(char **out, const char *results, const lmb_life_options *options, lmb_error *err);
lmb_status lmb_life_file(const char *path, const char *results, const lmb_life_options *options,
                         lmb_error *err);
// Human-readable summary of a results file, a flexible body file or a robot (.urdf, .xml); free with lmb_text_release.
lmb_status lmb_results_describe(char **out, const char *results, lmb_error *err);
// The model text of a results file with what its runs have chosen in place of `shapes: auto` and `parts: auto`; free with
// lmb_text_release.
lmb_status lmb_results_model(char **out, const char *results, lmb_error *err);

// ---- functional mock-up units --------------------------------------------------------------------

typedef struct lmb_fmu_options {
    int version;                        // of FMI: 2 or 3
    bool model_exchange, co_simulation; // at least one
    const char *binary;                 // the module limber_fmu.so of this version of limber
} lmb_fmu_options;
// Writes the first dynamics analysis of a model, and those before it, as an FMU (.fmu) that needs no limber: the model, its reduced parts
// and tables, and the module. Parts are reduced by their settings here. The document is used up as by lmb_system_create.
lmb_status lmb_fmu_file(const char *path, lmb_document *d, const lmb_setting *settings, int count,
                        const lmb_part_settings *parts, const lmb_fmu_options *options, lmb_error *err);

// ---- parameter studies -----------------------------------------------------------------------------
//
// A study file holds the plan (which values of parameters each member has) and, once members have run, their measures: one row a member.
//
//   model --lmb_study_plan--> study file --lmb_study_run, or lmb_study_member for each--> records --lmb_study_collect--> study file, table
//
// Members leave their records in the folder NAME.members beside NAME.h5; those that are done are not run again.

// What is given here comes before the section `study` of the model; NULL and 0: what the model says.
typedef struct lmb_study_options {
    const lmb_setting *vary; // parameters: ("k", "1e3:1e5:20log"), ("m", "1, 2, 3"), ("c", "normal(10, 2)")
    int vary_count;
    const char *sample; // "grid", "random:100", "lhs:200", "sobol:256", "sobol-indices:512", "morris:20"
    const lmb_setting *measures; // ("peak", "max(tip.y)")
    int measure_count;
    const char *seed;    // an integer from 0
    const char *keep;    // results files of members: "none", "failed", "all"
    const char *command; // stored in the file
    const lmb_part_settings *parts;
} lmb_study_options;
// Writes a study file without results, in place of one that is there.  Names of parameters, columns and analyses are checked.
lmb_status lmb_study_plan(const char *study, const char *model, const lmb_study_options *options,
                          lmb_error *err);

typedef struct lmb_study_how {
    const lmb_part_settings *parts; // for the reduction of parts; its progress is not called from members
    int jobs;                       // lmb_study_run: processes at the same time; 0: one for each processor
    // lmb_study_run: called often; left: estimated seconds, negative: unknown. lmb_study_member: called during the run, with 0 of 1.
    // Return false to stop (LMB_ERR_SYSTEM). May be NULL.
    bool (*progress)(void *user, int done, int total, double left);
    void *user;
} lmb_study_how;
// Runs a member of a study, numbered from 1, in this process and leaves its record, unless there is one; *status (may be NULL) as lmb_study_status.
// A member that fails leaves a record, too: this is LMB_OK.  how may be NULL.
lmb_status lmb_study_member(int *status, const char *study, int member, const lmb_study_how *how,
                            lmb_error *err);
// The number of members of a study, without reading the rest of it.
lmb_status lmb_study_size(int *members, const char *study, lmb_error *err);
// Runs all members without a record, each in a process of its own, and collects them, also when it is stopped.
lmb_status lmb_study_run(const char *study, const lmb_study_how *how, lmb_error *err);
// Puts the records of members into the study file, with indices of sensitivity if the sample is for that, and writes the table as NAME.csv.
// *summary (may be NULL; free with lmb_text_release) is for people.
lmb_status lmb_study_collect(char **summary, const char *study, lmb_error *err);

typedef struct lmb_study lmb_study;
// A study with what its members have left so far.  Arrays are borrowed.
lmb_status lmb_study_open(lmb_study **out, const char *study, lmb_error *err);
void lmb_study_close(lmb_study *s); // takes NULL
int lmb_study_member_count(const lmb_study *s);
int lmb_study_parameter_count(const lmb_study *s);
const char *lmb_study_parameter_name(const lmb_study *s, int j);
const char *lmb_study_parameter_scale(const lmb_study *s, int j); // "linear", "log"
const double *lmb_study_parameters(const lmb_study *s);           // members x parameters
int lmb_study_measure_count(const lmb_study *s);
const char *lmb_study_measure_name(const lmb_study *s, int j);
const char *lmb_study_measure_unit(const lmb_study *s, int j);
const double *lmb_study_measures(const lmb_study *s); // members x measures; NaN: there is none
// Of a member from 0: -1 not run, 0 done, 1 solver failure, 2 invalid input, 3 system error (will be run again); seconds; message
int lmb_study_status(const lmb_study *s, int k);
double lmb_study_seconds(const lmb_study *s, int k);
const char *lmb_study_message(const lmb_study *s, int k);
// Indices of sensitivity: "sobol" or "morris", "": none; their names; measures x parameters x indices.
const char *lmb_study_method(const lmb_study *s);
int lmb_study_index_count(const lmb_study *s);
const char *lmb_study_index_name(const lmb_study *s, int i);
const double *lmb_study_indices(const lmb_study *s);

// ---- flexible parts ----------------------------------------------------------------------------

// A part is given by a part file (.yaml, .yml, .json with a section `part`), or by a mesh or geometry described by
// keys. Reduces a part and writes a flexible body file (NULL: no file). *report (may be NULL; free with
// lmb_text_release) summarises the body and its quality. settings may be NULL. On failure no file is left.
lmb_status lmb_reduce_file(char **report, const char *output, const char *part,
                           const lmb_part_settings *settings, lmb_error *err);

typedef struct lmb_modes_wanted {
    int count;            // maximum number of modes; 0: 10, or all up to max_frequency
    double max_frequency; // Hz; 0: no limit
    const char *const
        *clamp;      // names of clamped interfaces and markers, or of supports of the deck: BOUNDARY, SPC_1
    int clamp_count; // 0: the part is free; rigid-body modes are left out
} lmb_modes_wanted;
typedef struct lmb_modes {
    int count;
    double *frequency; // Hz
    double *effective; // count x 6: effective fractions of mass (x, y, z) and inertia; NULL: free
    double mass;       // of the part, kg
    int equations;
    char *summary; // human-readable sizes and remarks
} lmb_modes;
// Modes of the full part, without reduction.
lmb_status lmb_modes_file(lmb_modes *out, const char *part, const lmb_modes_wanted *wanted,
                          const lmb_part_settings *settings, lmb_error *err);
void lmb_modes_release(lmb_modes *m);
// The table as CSV; part: what they were computed from, which is not written over; may be NULL.
lmb_status lmb_modes_write(const char *path, const lmb_modes *m, const char *part, lmb_error *err);

// ---- faces -------------------------------------------------------------------------------------

// The solids of a geometry and its faces, by which interfaces are chosen; the faces of a mesh or of a part file.
typedef struct lmb_geometry lmb_geometry;
lmb_status lmb_geometry_open(lmb_geometry **out, const char *part, const lmb_part_settings *settings,
                             lmb_error *err);
void lmb_geometry_close(lmb_geometry *g); // takes NULL
typedef enum lmb_geometry_format {
    LMB_GEOMETRY_TABLE,
    LMB_GEOMETRY_CSV,
    LMB_GEOMETRY_JSON
} lmb_geometry_format;
// Free *out with lmb_text_release.
lmb_status lmb_geometry_describe(char **out, const lmb_geometry *g, lmb_geometry_format format,
                                 lmb_error *err);
// By the ending of path: a page that shows the faces with their numbers (.html; page: as in lmb_view_options), .csv, .json.
lmb_status lmb_geometry_write(const char *path, const lmb_geometry *g, const char *page, lmb_error *err);
// A model of the solids of a geometry as a file for people: a body each, interfaces where they touch on cylinders, and what
// joints these could be as comments.
lmb_status lmb_geometry_import(const char *path, const lmb_geometry *g, const char *element_size,
                               const char *material, lmb_error *err);

// Clears the cache of reduced parts ($LIMBER_CACHE, $XDG_CACHE_HOME/limber or ~/.cache/limber); *count: files removed.
lmb_status lmb_cache_clear(int *count, lmb_error *err);

// ---- validation --------------------------------------------------------------------------------

// One comparison from the `validation` section of a model or part file.
typedef struct lmb_comparison {
    const char *case_name, *quantity, *source;
    double ours, reference, difference, tolerance;
    bool passed, skipped; // skipped: a reference file, or the mesh file of the part, is missing
} lmb_comparison;
// Runs a model, or builds and reduces a part, and makes all its comparisons; calls `tell` for each as soon as it is
// available. how->references: folder of `file:` references and of $LIMBER_REFERENCE/... in parts; how may be NULL.
// The cache is not used.
lmb_status lmb_validate(const char *model, const lmb_part_settings *how,
                        void (*tell)(void *user, const lmb_comparison *c), void *user, lmb_error *err);

#ifdef __cplusplus
}
#endif
#endif
