// limber/files.h: reading results files and body files: columns, tables, events, modes, state spaces; arrays of flexible bodies.
//
// Files may come from anywhere: what differs from the layout of docs/guide/results.md and docs/guide/flexible-body-file.md is
// refused with a text.  Different files may be read from different threads at the same time, one file only from one.
#ifndef LIMBER_FILES_H
#define LIMBER_FILES_H

#include <limber/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- reading results files ----------------------------------------------------------------------
//
// A group for each analysis ("01_dynamics"); in it `time` and tables ("sensors", "reactions", "energies", ...) with one row for each
// output time.  Groups, tables and columns are numbered from 0; a number must be one of those that there are.

typedef struct lmb_reader lmb_reader;
typedef struct lmb_series { // one table or time of a group; owned by the caller (lmb_series_free)
    long rows;
    int columns;
    double *v;             // rows x columns
    char **names, **units; // of the columns
} lmb_series;
typedef struct lmb_row_range {
    long first, count;
} lmb_row_range;

// Opens a file, also while it is written: a reader shows what had been flushed then; open again to see more.
lmb_status lmb_reader_open(lmb_reader **out, const char *path, lmb_error *err);
void lmb_reader_close(lmb_reader *r); // takes NULL
// Whether a run was writing it. If not and a status is "running", the run was killed.
bool lmb_reader_live(const lmb_reader *r);
const char *lmb_reader_path(const lmb_reader *r);
// A root attribute or text dataset ("version", "model", "model_file", "created", "command", "scene"); NULL if
// absent; owned by the reader.
const char *lmb_reader_text(lmb_reader *r, const char *name);
lmb_status lmb_reader_parameters(lmb_series *out, lmb_reader *r, lmb_error *err); // one row

int lmb_reader_group_count(const lmb_reader *r);
const char *lmb_reader_group_name(const lmb_reader *r, int g);
// "type", "status", "text", of dynamics "integrator" and "formalism", with which it began; "" if absent
const char *lmb_reader_group_attribute(const lmb_reader *r, int g, const char *name);
// A group by number ("1": the first), by name ("01_dynamics"), by type if only one has it; NULL: the last with rows.
lmb_status lmb_reader_find_group(int *out, lmb_reader *r, const char *name, lmb_error *err);
int lmb_reader_table_count(const lmb_reader *r, int g);
const char *lmb_reader_table_name(const lmb_reader *r, int g, int k); // "time" is not among them
bool lmb_reader_has_table(const lmb_reader *r, int g, const char *name);
long lmb_reader_rows(const lmb_reader *r, int g);

lmb_status lmb_reader_time(lmb_series *out, lmb_reader *r, int g, lmb_error *err);
// Names and units only: no rows.
lmb_status lmb_reader_columns(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err);
// The same with names that no other table of sensors, energies, reactions, forces and corrections has: the later one in this order gets
// its table before it: energies.spin.x beside the components of a sensor `spin`.
lmb_status lmb_reader_titles(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err);
lmb_status lmb_reader_table(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err);
// Some rows of a table, or of "time", into out: rows.count x columns.
lmb_status lmb_reader_block(double *out, lmb_reader *r, int g, const char *table, lmb_row_range rows,
                            lmb_error *err);
// Some rows of one column into out, rows.count numbers; the rest of the table needs no memory.
lmb_status lmb_reader_column(double *out, lmb_reader *r, int g, const char *table, int column,
                             lmb_row_range rows, lmb_error *err);
lmb_status lmb_reader_stats(lmb_series *out, lmb_reader *r, int g, lmb_error *err); // one row
// One column: time; (*texts)[i] belongs to row i; free them with lmb_names_free.
lmb_status lmb_reader_events(lmb_series *out, char ***texts, lmb_reader *r, int g, lmb_error *err);
void lmb_series_free(lmb_series *s); // takes NULL
void lmb_names_free(char **names);   // takes NULL

// The state space of an analysis `linearise` (docs/guide/linear.md): s' = A s + B e, y = C s + D e, row-major.
enum { LMB_ZERO_OUTPUT, LMB_ZERO_INPUT, LMB_ZERO_RE, LMB_ZERO_IM, LMB_ZERO_COLUMNS };
typedef struct lmb_linear_set {
    int states, inputs, outputs, zero_count;
    double *A, *B, *C, *D;
    double
        *zeros; // zero_count x 4: output, input, re, im of a zero of the transfer from one to the other, 1/s
    double *error; // per output: estimated error of its rows of C and D, relative to their largest entry
    char **state, **state_unit, **input, **input_unit, **output, **output_unit;
} lmb_linear_set;
bool lmb_reader_has_linear(lmb_reader *r, int g);
// LMB_ERR_INPUT: the group has none.  To be freed with lmb_linear_set_free, also after a failure.
lmb_status lmb_reader_linear(lmb_linear_set *out, lmb_reader *r, int g, lmb_error *err);
void lmb_linear_set_free(lmb_linear_set *l); // what lmb_reader_linear has filled

// ---- reading body files -------------------------------------------------------------------------

typedef struct lmb_body_file lmb_body_file;
typedef struct lmb_body_array { // row-major; borrowed from its file
    const char *name, *unit, *doc;
    int rank;
    size_t size[4];
    const double *numbers; // NULL: integers
    const int *integers;
} lmb_body_array;

// Reads a body file whole; all arrays of docs/guide/flexible-body-file.md that it has.
lmb_status lmb_body_file_open(lmb_body_file **out, const char *path, lmb_error *err);
void lmb_body_file_close(lmb_body_file *b); // takes NULL
const char *lmb_body_file_name(const lmb_body_file *b);
const char *lmb_body_file_text(const lmb_body_file *b,
                               const char *name); // "shapes", "provenance", "report"; others: NULL
int lmb_body_file_array_count(const lmb_body_file *b);
const lmb_body_array *lmb_body_file_array(const lmb_body_file *b, int i);
int lmb_body_file_marker_count(const lmb_body_file *b);
const char *lmb_body_file_marker(const lmb_body_file *b, int i);
int lmb_body_file_set_count(const lmb_body_file *b); // of nodes
const char *lmb_body_file_set(const lmb_body_file *b, int i);
int lmb_body_file_stress_kind(const lmb_body_file *b); // 0 none, 1 solid, 2 shell, 3 beam

#ifdef __cplusplus
}
#endif
#endif
