"""The C API that the package uses, in C: copied from include/limber/*.h, and read by _c.py.

``tests/test_declarations.py`` compiles these texts together with the headers, so that a difference is an error of the
compiler: this is the only place where types, sizes and arguments are written down.
"""

OPAQUE = """
lmb_document lmb_system lmb_factoriser lmb_simulation lmb_reader lmb_body_file lmb_study lmb_geometry
"""

ENUMS = """
enum lmb_advance { LMB_ADVANCE_EXACTLY, LMB_ADVANCE_BEYOND };
enum lmb_format_use { LMB_FORMATS_NONE, LMB_FORMATS_PARTS, LMB_FORMATS_BODIES, LMB_FORMATS_EXPORTS, LMB_FORMATS_MATRICES,
  LMB_FORMATS_GEOMETRY };
enum lmb_geometry_format { LMB_GEOMETRY_TABLE, LMB_GEOMETRY_CSV, LMB_GEOMETRY_JSON };
enum lmb_mean_stress { LMB_MEAN_SWT, LMB_MEAN_GOODMAN, LMB_MEAN_NONE };
enum lmb_status { LMB_OK = 0, LMB_ERR_NUMERIC = 1, LMB_ERR_INPUT = 2, LMB_ERR_SYSTEM = 3 };
"""

CALLBACKS = """
typedef double (*lmb_callback)(void *user, const double *x, double *gradient);
typedef bool (*lmb_progress)(void *user, lmb_simulation *s, double time, double until, bool output);
typedef void (*lmb_event_listener)(void *user, double time, const char *name);
"""

STRUCTS = """
struct lmb_setting { const char *name, *value; };
struct lmb_part_settings { const lmb_factoriser *factoriser; const char *references; bool no_cache; const
    char *bundle; bool trust; bool allow_fmu; bool (*progress)(void *user, const char *text, double done);
    void *user; const char *log; const lmb_setting *parameters; int parameter_count; const lmb_setting *keys; int
    key_count; int threads; };
struct lmb_matrices { int coordinates, constraints; const double *M, *D, *K; const double *G; const double *C;
    const char *const *names, *const *units; double time; void *memory; };
struct lmb_linear { int states, inputs, outputs, degrees; double *A, *B, *C, *D; const char *const
    *state_names, *const *state_units; const char *const *input_names, *const *input_units; const char
    *const *output_names, *const *output_units; const int *drives; const double *output_error; double time;
    void *memory; };
struct lmb_run_options { const char *output; const char *command; bool resume; bool error_bars; int threads;
    bool (*progress)(void *user, const char *analysis, double time, double until, double seconds, const char
    *text); void *user; };
struct lmb_plot_options { const char *const *results; int result_count; const char *const *sensors; int
    sensor_count; const char *analysis; const char *title; const char *const *along; int along_count; const
    char *against; const char *const *shapes; int shape_count; int frames; const char *plane; const char
    *functions; };
struct lmb_export_options { const char *analysis; int frames; int mode; const char *const *sensors; int
    sensor_count; bool (*progress)(void *user, const char *text, double done); void *user; const char
    *gr_layout; };
struct lmb_view_options { const char *const *results; int result_count; const char *page; int frames;
    bool (*progress)(void *user, const char *text, double done); void *user; };
struct lmb_stress_options { const char *analysis; const char *body; int count; bool (*progress)(void *user,
    const char *text, double done); void *user; };
struct lmb_load_options { const char *analysis; const char *body; const double *times; int time_count; int
    hot_spots; bool (*progress)(void *user, const char *text, double done); void *user; };
struct lmb_sn_line { double strength, cycles; double slope, slope_below; lmb_mean_stress mean; double
    tensile; };
struct lmb_life_options { const char *analysis; const char *body; int count; lmb_sn_line line; double from;
    int frames; const char *page; bool (*progress)(void *user, const char *text, double done); void *user; };
struct lmb_fmu_options { int version; bool model_exchange, co_simulation; const char *binary; };
struct lmb_modes_wanted { int count; double max_frequency; const char *const *clamp; int clamp_count; };
struct lmb_modes { int count; double *frequency; double *effective; double mass; int equations; char
    *summary; };
struct lmb_comparison { const char *case_name, *quantity, *source; double ours, reference, difference,
    tolerance; bool passed, skipped; };
struct lmb_study_options { const lmb_setting *vary; int vary_count; const char *sample; const lmb_setting
    *measures; int measure_count; const char *seed; const char *keep; const char *command; const
    lmb_part_settings *parts; };
struct lmb_study_how { const lmb_part_settings *parts; int jobs; bool (*progress)(void *user, int done, int
    total, double left); void *user; };
struct lmb_series { long rows; int columns; double *v; char **names, **units; };
struct lmb_row_range { long first, count; };
struct lmb_linear_set { int states, inputs, outputs, zero_count; double *A, *B, *C, *D; double *zeros; double
    *error; char **state, **state_unit, **input, **input_unit, **output, **output_unit; };
struct lmb_body_array { const char *name, *unit, *doc; int rank; size_t size[4]; const double *numbers; const int
    *integers; };
struct lmb_where { const char *file; int line, col; };
struct lmb_error { lmb_status code; int line, col; char file[256]; char text[768]; };
"""

FUNCTIONS = """
const char *lmb_version(void);
const char *lmb_libraries(void);
lmb_status lmb_document_read_file(lmb_document **out, const char *path, lmb_error *err);
lmb_status lmb_document_read_text(lmb_document **out, const char *text, const char *name, lmb_error *err);
void lmb_document_destroy(lmb_document *d);
lmb_status lmb_document_set(lmb_document *d, const char *path, const char *value, lmb_error *err);
lmb_status lmb_document_delete(lmb_document *d, const char *path, lmb_error *err);
lmb_status lmb_document_text(char **out, const lmb_document *d, lmb_error *err);
lmb_status lmb_document_write_file(const char *path, const lmb_document *d, lmb_error *err);
lmb_status lmb_document_drive(lmb_document *d, const char *file, lmb_error *err);
lmb_status lmb_document_function(lmb_document *d, const char *name, int arguments, lmb_callback f, void
    *user, lmb_error *err);
lmb_status lmb_schema(char **out, lmb_error *err);
lmb_status lmb_reference(char **out, lmb_error *err);
void lmb_text_release(char *text);
lmb_status lmb_system_create_with(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
    const lmb_part_settings *parts, lmb_error *err);
void lmb_system_destroy(lmb_system *s);
lmb_status lmb_system_report(char **out, lmb_system *s, lmb_error *err);
int lmb_system_sensor_count(const lmb_system *s);
const char *lmb_system_sensor_name(const lmb_system *s, int i);
const char *lmb_system_sensor_unit(const lmb_system *s, int i);
int lmb_system_analysis_count(const lmb_system *s);
const char *lmb_system_analysis_type(const lmb_system *s, int i);
double lmb_system_analysis_until(const lmb_system *s, int i);
int lmb_system_input_count(const lmb_system *s);
const char *lmb_system_input_name(const lmb_system *s, int i);
const char *lmb_system_input_unit(const lmb_system *s, int i);
void lmb_system_input_range(double *start, double *min, double *max, const lmb_system *s, int i);
int lmb_system_parameter_count(const lmb_system *s);
const char *lmb_system_parameter_name(const lmb_system *s, int i);
double lmb_system_parameter(bool *is_number, const lmb_system *s, int i);
bool lmb_system_parameter_tunable(char *use, size_t size, const lmb_system *s, int i);
int lmb_system_output_count(const lmb_system *s);
int lmb_system_output(const lmb_system *s, int i);
lmb_status lmb_simulation_create(lmb_simulation **out, const lmb_system *s, lmb_error *err);
void lmb_simulation_destroy(lmb_simulation *s);
lmb_status lmb_simulation_threads(lmb_simulation *s, int count, lmb_error *err);
lmb_status lmb_simulation_run(lmb_simulation *s, int analysis, lmb_progress progress, void *user, lmb_error
    *err);
lmb_status lmb_simulation_begin(lmb_simulation *s, int analysis, lmb_error *err);
lmb_status lmb_simulation_step(lmb_simulation *s, bool *done, lmb_error *err);
lmb_status lmb_simulation_advance(lmb_simulation *s, double time, lmb_advance how, bool *done, lmb_error
    *err);
lmb_status lmb_simulation_input_set(lmb_simulation *s, int i, double value, double rate, lmb_error *err);
double lmb_simulation_input(const lmb_simulation *s, int i);
void lmb_simulation_until(lmb_simulation *s, double time);
void lmb_simulation_listen(lmb_simulation *s, lmb_event_listener listener, void *user);
void lmb_simulation_pause(lmb_simulation *s);
size_t lmb_simulation_snapshot_size(const lmb_simulation *s);
void lmb_simulation_snapshot_save(void *bytes, lmb_simulation *s);
lmb_status lmb_simulation_snapshot_restore(lmb_simulation *s, const void *bytes, size_t size, lmb_error
    *err);
lmb_status lmb_simulation_continue(lmb_simulation *s, lmb_simulation *from, lmb_error *err);
double lmb_simulation_time(const lmb_simulation *s);
double lmb_simulation_sensor(lmb_simulation *s, int i);
size_t lmb_simulation_state_size(const lmb_simulation *s);
void lmb_simulation_state_get(double *state, const lmb_simulation *s);
void lmb_simulation_state_set(lmb_simulation *s, const double *state);
lmb_status lmb_simulation_body_get(double *position7, double *velocity6, const lmb_simulation *s, const char
    *body, lmb_error *err);
lmb_status lmb_simulation_body_set(lmb_simulation *s, const char *body, const double *position7, const
    double *velocity6, lmb_error *err);
lmb_status lmb_simulation_acceleration(double *acceleration6, lmb_simulation *s, const char *body,
    lmb_error *err);
lmb_status lmb_simulation_reaction(double *load6, lmb_simulation *s, const char *joint, lmb_error *err);
lmb_status lmb_simulation_force(double *load6, lmb_simulation *s, const char *force, lmb_error *err);
lmb_status lmb_simulation_matrices(lmb_matrices *out, lmb_simulation *s, lmb_error *err);
void lmb_matrices_release(lmb_matrices *m);
lmb_status lmb_simulation_linearise(lmb_linear *out, lmb_simulation *s, lmb_error *err);
void lmb_linear_release(lmb_linear *l);
int lmb_system_state_count(const lmb_system *s);
double lmb_system_state_nominal(const lmb_system *s, int i);
int lmb_system_indicator_count(const lmb_system *s);
lmb_status lmb_simulation_flow_begin(lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_get(double *x, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_set(lmb_simulation *s, double time, const double *x, lmb_error *err);
lmb_status lmb_simulation_flow_rates(double *x_dot, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_indicators(double *z, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_accept(lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_event(double *next, bool *stop, lmb_simulation *s, lmb_error *err);
void lmb_simulation_motion(double *x, double *x_dot, lmb_simulation *s);
size_t lmb_simulation_flow_size(lmb_simulation *s);
lmb_status lmb_simulation_flow_save(double *out, lmb_simulation *s, lmb_error *err);
lmb_status lmb_simulation_flow_load(lmb_simulation *s, const double *from, lmb_error *err);
lmb_status lmb_run_file(char **summary, lmb_system *s, const lmb_run_options *options, lmb_error *err);
lmb_status lmb_plot_file(const char *path, const lmb_plot_options *options, lmb_error *err);
lmb_status lmb_export_file(const char *path, const char *results, const lmb_export_options *options,
    lmb_error *err);
const char *lmb_format_list(lmb_format_use use);
lmb_status lmb_view_file(const char *path, const lmb_view_options *options, lmb_error *err);
lmb_status lmb_stress_table(char **out, const char *results, const lmb_stress_options *options, lmb_error
    *err);
lmb_status lmb_stress_csv_file(const char *path, const char *results, const lmb_stress_options *options,
    lmb_error *err);
lmb_status lmb_loads_file(char **summary, const char *path, const lmb_system *s, const char *results, const
    lmb_load_options *options, lmb_error *err);
lmb_status lmb_life_table(char **out, const char *results, const lmb_life_options *options, lmb_error *err);
lmb_status lmb_life_file(const char *path, const char *results, const lmb_life_options *options, lmb_error
    *err);
lmb_status lmb_results_describe(char **out, const char *results, lmb_error *err);
lmb_status lmb_results_model(char **out, const char *results, lmb_error *err);
lmb_status lmb_fmu_file(const char *path, lmb_document *d, const lmb_setting *settings, int count, const
    lmb_part_settings *parts, const lmb_fmu_options *options, lmb_error *err);
lmb_status lmb_reduce_file(char **report, const char *output, const char *part, const lmb_part_settings
    *settings, lmb_error *err);
lmb_status lmb_modes_file(lmb_modes *out, const char *part, const lmb_modes_wanted *wanted, const
    lmb_part_settings *settings, lmb_error *err);
void lmb_modes_release(lmb_modes *m);
lmb_status lmb_modes_write(const char *path, const lmb_modes *m, const char *part, lmb_error *err);
lmb_status lmb_geometry_open(lmb_geometry **out, const char *part, const lmb_part_settings *settings, lmb_error *err);
void lmb_geometry_close(lmb_geometry *g);
lmb_status lmb_geometry_describe(char **out, const lmb_geometry *g, lmb_geometry_format format, lmb_error *err);
lmb_status lmb_geometry_write(const char *path, const lmb_geometry *g, const char *page, lmb_error *err);
lmb_status lmb_geometry_import(const char *path, const lmb_geometry *g, const char *element_size, const char
    *material, lmb_error *err);
lmb_status lmb_cache_clear(int *count, lmb_error *err);
lmb_status lmb_validate(const char *model, const lmb_part_settings *how, void (*tell)(void *user, const
    lmb_comparison *c), void *user, lmb_error *err);
lmb_status lmb_study_plan(const char *study, const char *model, const lmb_study_options *options, lmb_error
    *err);
lmb_status lmb_study_member(int *status, const char *study, int member, const lmb_study_how *how, lmb_error
    *err);
lmb_status lmb_study_run(const char *study, const lmb_study_how *how, lmb_error *err);
lmb_status lmb_study_collect(char **summary, const char *study, lmb_error *err);
lmb_status lmb_study_open(lmb_study **out, const char *study, lmb_error *err);
void lmb_study_close(lmb_study *s);
int lmb_study_member_count(const lmb_study *s);
int lmb_study_parameter_count(const lmb_study *s);
const char *lmb_study_parameter_name(const lmb_study *s, int j);
const char *lmb_study_parameter_scale(const lmb_study *s, int j);
const double *lmb_study_parameters(const lmb_study *s);
int lmb_study_measure_count(const lmb_study *s);
const char *lmb_study_measure_name(const lmb_study *s, int j);
const char *lmb_study_measure_unit(const lmb_study *s, int j);
const double *lmb_study_measures(const lmb_study *s);
int lmb_study_status(const lmb_study *s, int k);
double lmb_study_seconds(const lmb_study *s, int k);
const char *lmb_study_message(const lmb_study *s, int k);
const char *lmb_study_method(const lmb_study *s);
int lmb_study_index_count(const lmb_study *s);
const char *lmb_study_index_name(const lmb_study *s, int i);
const double *lmb_study_indices(const lmb_study *s);
lmb_status lmb_reader_open(lmb_reader **out, const char *path, lmb_error *err);
void lmb_reader_close(lmb_reader *r);
bool lmb_reader_live(const lmb_reader *r);
const char *lmb_reader_text(lmb_reader *r, const char *name);
lmb_status lmb_reader_parameters(lmb_series *out, lmb_reader *r, lmb_error *err);
int lmb_reader_group_count(const lmb_reader *r);
const char *lmb_reader_group_name(const lmb_reader *r, int g);
const char *lmb_reader_group_attribute(const lmb_reader *r, int g, const char *name);
lmb_status lmb_reader_find_group(int *out, lmb_reader *r, const char *name, lmb_error *err);
int lmb_reader_table_count(const lmb_reader *r, int g);
const char *lmb_reader_table_name(const lmb_reader *r, int g, int k);
long lmb_reader_rows(const lmb_reader *r, int g);
lmb_status lmb_reader_columns(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err);
lmb_status lmb_reader_table(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err);
lmb_status lmb_reader_block(double *out, lmb_reader *r, int g, const char *table, lmb_row_range rows,
    lmb_error *err);
lmb_status lmb_reader_column(double *out, lmb_reader *r, int g, const char *table, int column, lmb_row_range
    rows, lmb_error *err);
lmb_status lmb_reader_stats(lmb_series *out, lmb_reader *r, int g, lmb_error *err);
lmb_status lmb_reader_events(lmb_series *out, char ***texts, lmb_reader *r, int g, lmb_error *err);
void lmb_series_free(lmb_series *s);
void lmb_names_free(char **names);
bool lmb_reader_has_linear(lmb_reader *r, int g);
lmb_status lmb_reader_linear(lmb_linear_set *out, lmb_reader *r, int g, lmb_error *err);
void lmb_linear_set_free(lmb_linear_set *l);
lmb_status lmb_body_file_open(lmb_body_file **out, const char *path, lmb_error *err);
void lmb_body_file_close(lmb_body_file *b);
const char *lmb_body_file_name(const lmb_body_file *b);
const char *lmb_body_file_text(const lmb_body_file *b, const char *name);
int lmb_body_file_array_count(const lmb_body_file *b);
const lmb_body_array *lmb_body_file_array(const lmb_body_file *b, int i);
int lmb_body_file_marker_count(const lmb_body_file *b);
const char *lmb_body_file_marker(const lmb_body_file *b, int i);
int lmb_body_file_set_count(const lmb_body_file *b);
const char *lmb_body_file_set(const lmb_body_file *b, int i);
int lmb_body_file_stress_kind(const lmb_body_file *b);
const char *lmb_error_format(char *out, int size, const lmb_error *err);
"""

# of liblimber-fe
FE_FUNCTIONS = """
const lmb_factoriser *lmb_fe_cholmod(void);
const lmb_factoriser *lmb_fe_cholmod_threaded(void);
const char *lmb_fe_libraries(void);
"""
