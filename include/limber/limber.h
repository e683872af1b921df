// limber/limber.h: flexible multibody dynamics: load a model, run it, step it, read its sensors.
//
//     lmb_document (what the user wrote) --> lmb_system (compiled, constant) --> lmb_simulation (state, runs)
//
// A system may serve many simulations in many threads; a simulation belongs to one thread.  There is no
// global state.  Functions that can fail answer lmb_status and fill err (may be NULL).  All numbers are SI.
// What comes through `T **out` is owned by the caller; other pointers are borrowed and live as long as
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
const char *lmb_libraries(void); // libraries linked, with versions and licences, one per line

// ---- documents ---------------------------------------------------------------------------------

typedef struct lmb_document lmb_document;

lmb_status lmb_document_read_file(lmb_document **out, const char *path, lmb_error *err);
lmb_status lmb_document_read_text(lmb_document **out, const char *text, const char *name, lmb_error *err);
lmb_status lmb_document_create(lmb_document **out, lmb_error *err); // empty, `limber: 1`
void lmb_document_destroy(lmb_document *d);                         // takes NULL
// Sets one value by its path: ("bodies.arm.mass", "2.0"), ("joints.pin.between.0", "ground"),
// ("parameters.L", "0.4"). A value that begins with [ or { is read as YAML: ("gravity", "[0, -9.81, 0]").
lmb_status lmb_document_set(lmb_document *d, const char *path, const char *value, lmb_error *err);

// JSON Schema of model files / reference of all keys in Markdown; *out is freed with lmb_text_release.
lmb_status lmb_schema(char **out, lmb_error *err);
lmb_status lmb_reference(char **out, lmb_error *err);
void lmb_text_release(char *text);

// ---- systems -----------------------------------------------------------------------------------

typedef struct lmb_system lmb_system;

typedef struct lmb_setting { // a parameter given from outside
    const char *name, *value;
} lmb_setting;

// Compiles a document, which it uses up (destroy it afterwards all the same; a document makes one system).
lmb_status lmb_system_create(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
                             lmb_error *err);

typedef struct lmb_factoriser lmb_factoriser; // <limber/fe.h>

// How parts are read and reduced: part files, meshes and geometry, alone or as bodies of a model.
typedef struct lmb_part_settings {
    const lmb_factoriser *factoriser; // NULL: one that suits beams; lmb_fe_cholmod() for meshes
    const char *references;           // folder of names that begin with $LIMBER_REFERENCE/; may be NULL
    bool no_cache;                    // neither look into the cache of reduced parts nor add to it
    bool trust; // run .geo scripts that may start programs or touch other files; else these are refused
    // progress: called with a short text whenever something begins, with sizes and estimates; done from 0 to 1, or
    // negative. false stops the work (LMB_ERR_SYSTEM). May be NULL.
    bool (*progress)(void *user, const char *text, double done);
    void *user;
    // of a single part only: values of parameters of its file, and further keys by path: ("part.unit", "mm"),
    // ("part.interfaces.a", "{set: left}")
    const lmb_setting *parameters;
    int parameter_count;
    const lmb_setting *keys;
    int key_count;
} lmb_part_settings;
// The same for models with meshes: their reduction may take a while; parts may be NULL.
lmb_status lmb_system_create_with(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
                                  const lmb_part_settings *parts, lmb_error *err);
void lmb_system_destroy(lmb_system *s);

// What `limber check` says: counts, degrees of freedom, redundant constraints, start corrections, analyses.
lmb_status lmb_system_report(char **out, lmb_system *s, lmb_error *err); // free with lmb_text_release

int lmb_system_sensor_count(const lmb_system *s); // one per column: "tip.x"
const char *lmb_system_sensor_name(const lmb_system *s, int i);
const char *lmb_system_sensor_unit(const lmb_system *s, int i);
int lmb_system_sensor_find(const lmb_system *s, const char *name); // -1: none
int lmb_system_analysis_count(const lmb_system *s);
const char *lmb_system_analysis_type(const lmb_system *s, int i);

// ---- simulations -------------------------------------------------------------------------------

typedef struct lmb_simulation lmb_simulation;

lmb_status lmb_simulation_create(lmb_simulation **out, const lmb_system *s, lmb_error *err);
void lmb_simulation_destroy(lmb_simulation *s);

// Called at every output time (the simulation stands there: read its sensors) and after every step (output
// false). Returning false stops the run after the step; that is no failure.
typedef bool (*lmb_progress)(void *user, lmb_simulation *s, double time, double until, bool output);

// Runs analysis i of the model from where the simulation stands.
lmb_status lmb_simulation_run(lmb_simulation *s, int analysis, lmb_progress progress, void *user,
                              lmb_error *err);
// The same step by step: begin, then step until *done.
lmb_status lmb_simulation_begin(lmb_simulation *s, int analysis, lmb_error *err);
lmb_status lmb_simulation_step(lmb_simulation *s, bool *done, lmb_error *err);

double lmb_simulation_time(const lmb_simulation *s);
double lmb_simulation_sensor(lmb_simulation *s, int i); // at the current state
// The whole state (positions, velocities, ..) as size numbers: read, set (it is made consistent at the next
// begin), copied. Setting it ends an analysis that was begun; callbacks of a run must not.
size_t lmb_simulation_state_size(const lmb_simulation *s);
void lmb_simulation_state_get(double *state, const lmb_simulation *s);
void lmb_simulation_state_set(lmb_simulation *s, const double *state);
// Position (3) and unit quaternion (w, x, y, z), or velocity (3) and angular velocity (3, global), of a
// body by name.
lmb_status lmb_simulation_body_get(double *position7, double *velocity6, const lmb_simulation *s,
                                   const char *body, lmb_error *err);
lmb_status lmb_simulation_body_set(lmb_simulation *s, const char *body, const double *position7,
                                   const double *velocity6, lmb_error *err);

// ---- results files -----------------------------------------------------------------------------

typedef struct lmb_run_options {
    const char *output;  // path of the results file
    const char *command; // kept in the file
    bool resume;         // continue a killed run
    // progress: called often; text is a short note at events and analysis changes (else NULL). false stops
    // the run.
    bool (*progress)(void *user, const char *analysis, double time, double until, double seconds,
                     const char *text);
    void *user;
} lmb_run_options;

// Runs all analyses of a system into a results file. Bad input leaves no file; a run that fails or is
// stopped (by progress: LMB_ERR_SYSTEM) keeps what was computed.  *summary (may be NULL; free with lmb_text_release, NULL
// if there is nothing to say) has statistics of all analyses, for people.
lmb_status lmb_run_file(char **summary, lmb_system *s, const lmb_run_options *options, lmb_error *err);

// Draws curves over time into a file (.svg, .png, .pdf) with the program gnuplot: one panel per unit.
typedef struct lmb_plot_options {
    const char *const *results; // one or several results files, overlaid
    int result_count;
    const char *const *sensors; // names or patterns of columns: "tip.x", "tip", "pin.f*"; none: all sensors
    int sensor_count;
    const char *analysis; // as for exports
    const char *title;    // NULL: the name of the first results file
    // beams: their section forces along them at the last output time, in place of curves over time; sensors are then names
    // of forces, N, Qy, Qz, T, My, Mz (none: all that are not zero)
    const char *const *along;
    int along_count;
} lmb_plot_options;
lmb_status lmb_plot_file(const char *path, const lmb_plot_options *options, lmb_error *err);
typedef struct lmb_export_options {
    const char *analysis; // its name, type or number from 1; NULL: the last with rows
    int frames;           // at most so many times, evenly chosen; 0: 200. Of modes: frames of a period; 0: 25
    int mode;             // of modes: which one, from 1; 0: the first
    // CSV: names or patterns of columns, "tip", "tip.x", "pin.f*"; none: all
    const char *const *sensors;
    int sensor_count;
} lmb_export_options;
// Writes an analysis as CSV; path "-": standard output. options may be NULL.
lmb_status lmb_export_csv_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err);
// Writes the motion for ParaView: path (.pvd or .vtu) gives NAME.pvd and NAME_0000.vtu, .. beside it; or as glTF 2.0
// (.glb) with poses as animation and shape functions as morph targets. options may be NULL.
lmb_status lmb_export_vtk_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err);
lmb_status lmb_export_glb_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err);
// Writes one page (HTML, nothing beside it) that shows a results file in a browser.
typedef struct lmb_view_options {
    const char *page; // the template, viewer/ made into one text; the program holds one
    int frames;       // at most so many places of bodies per analysis, evenly chosen; 0: 10000
} lmb_view_options;
lmb_status lmb_view_file(const char *path, const char *results, const lmb_view_options *options,
                         lmb_error *err);
// What is in a results file or a flexible body file, for people; free with lmb_text_release.
lmb_status lmb_results_describe(char **out, const char *results, lmb_error *err);

// ---- flexible parts ----------------------------------------------------------------------------

// A part is a part file (.yaml, .yml, .json with a section `part`), or a mesh or geometry, which the keys then describe.
// Reduces a part to a flexible body file (NULL: none is written). *report (may be NULL; free with lmb_text_release)
// says what came out and how good it is. settings may be NULL. A failure leaves no file.
lmb_status lmb_reduce_file(char **report, const char *output, const char *part,
                           const lmb_part_settings *settings, lmb_error *err);

typedef struct lmb_modes_wanted {
    int count;                // at most so many; 0: 10, or all up to max_frequency
    double max_frequency;     // Hz; 0: by count alone
    const char *const *clamp; // names of interfaces and markers that are held
    int clamp_count;          // none: the part is free; its rigid motions are left out
} lmb_modes_wanted;
typedef struct lmb_modes {
    int count;
    double *frequency; // Hz
    double
        *effective; // count x 6: share of mass (x, y, z) and of inertia about the centre of mass; NULL: free
    double mass;    // of the part, kg
    int equations;
    char *summary; // sizes and remarks, for people
} lmb_modes;
// Vibrations of the whole part, before any reduction.
lmb_status lmb_modes_file(lmb_modes *out, const char *part, const lmb_modes_wanted *wanted,
                          const lmb_part_settings *settings, lmb_error *err);
void lmb_modes_release(lmb_modes *m);
// The table as CSV; part: what they were computed from, which is not written over; may be NULL.
lmb_status lmb_modes_write(const char *path, const lmb_modes *m, const char *part, lmb_error *err);

// Empties the cache of reduced parts ($LIMBER_CACHE, $XDG_CACHE_HOME/limber or ~/.cache/limber); *count: files removed.
lmb_status lmb_cache_clear(int *count, lmb_error *err);

// ---- validation --------------------------------------------------------------------------------

// One comparison of the `validation` section of a model or a part file.
typedef struct lmb_comparison {
    const char *case_name, *quantity, *source;
    double ours, reference, difference, tolerance;
    bool passed, skipped; // skipped: the reference file is not there, or that of the part's mesh
} lmb_comparison;
// Runs a model, or builds and reduces a part, and all its comparisons; each is told by `tell` as soon as it is known.
// how->references: where `file:` references and $LIMBER_REFERENCE/.. of parts are looked up; how may be NULL. Nothing is
// taken from the cache.
lmb_status lmb_validate(const char *model, const lmb_part_settings *how,
                        void (*tell)(void *user, const lmb_comparison *c), void *user, lmb_error *err);

#ifdef __cplusplus
}
#endif
#endif
