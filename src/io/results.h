// io/results.h: results files: HDF5, written as the run goes, readable meanwhile and after a kill.
//
//   /                     attributes: limber (version), created, command; datasets model (text), parameters (names, values)
//   /01_dynamics          one group per analysis: attributes type, status ("running" | "done" | "stopped" | "failed"), text
//     time        (n)            s
//     <table>     (n x columns)  attribute columns: names, units: units, doc
//     stats       (k)            attribute names; final statistics and those at the last row written
//     events      variable       time and text
//     checkpoint_a, checkpoint_b bytes: two slots, each with sequence number, row count, length and hash
//
// All objects are made before the first row (SWMR); rows are appended in chunks and flushed at most every
// flush_seconds. After kill -9 the file opens (the status flags are cleared) with every flushed row.
#ifndef LMB_RESULTS_H
#define LMB_RESULTS_H

#include "core/core.h"

typedef struct lmb_results lmb_results;

typedef struct lmb_column {
    const char *name, *unit;
} lmb_column;

// A table: one row per output time. columns[0..count).
typedef struct lmb_table {
    const char *name, *doc;
    int count;
    const lmb_column *columns;
} lmb_table;

typedef struct lmb_group {
    const char *name, *type; // "01_dynamics", "dynamics"
    int table_count;
    const lmb_table *tables;
    int stat_count;
    const char *const *stat_names;
    size_t checkpoint_size; // bytes of one checkpoint, 0: none
} lmb_group;

typedef struct lmb_results_info {
    const char *version, *command, *model_file, *model_text, *created;
    int parameter_count;
    const char *const *parameter_names;
    const double *parameter_values;
    // further datasets by name (text), e.g. "scene": JSON for the viewer; written once
    int text_count;
    const char *const *text_names;
    const char *const *texts;
} lmb_results_info;

// ---- writing -----------------------------------------------------------------------------------

// Makes path (written as path + ".part" until the header is complete, then renamed) with all groups, and
// switches to single-writer-multiple-reader mode.  *out is owned by the caller.
lmb_status lmb_results_create(lmb_results **out, const char *path, const lmb_results_info *info,
                              const lmb_group *groups, int group_count, double flush_seconds, lmb_error *err);
// Appends a row to every table of group g: rows[k] has tables[k].count numbers.
lmb_status lmb_results_row(lmb_results *r, int g, double time, const double *const *rows, lmb_error *err);
lmb_status lmb_results_event(lmb_results *r, int g, double time, const char *text, lmb_error *err);
lmb_status lmb_results_stats(lmb_results *r, int g, const double *stats, lmb_error *err);
lmb_status lmb_results_status(lmb_results *r, int g, const char *status, const char *text, lmb_error *err);
// Stores a checkpoint with the number of rows so far, into the older of the two slots, and flushes.
lmb_status lmb_results_checkpoint(lmb_results *r, int g, const void *bytes, size_t size, lmb_error *err);
// Flushes and closes; takes NULL. A failure while closing is reported.
lmb_status lmb_results_close(lmb_results *r, lmb_error *err);

// Opens a killed (or finished) file to continue.  Groups must match those it was made with (else an input error says
// that model or version differ).  The newest valid checkpoint of group g is copied into bytes (size must match) and
// the group's rows and events are cut to its row count; *found tells whether there was one.
lmb_status lmb_results_reopen(lmb_results **out, const char *path, const lmb_group *groups, int group_count,
                              double flush_seconds, lmb_error *err);
const char *lmb_results_group_status(const lmb_results *r, int g); // as stored
lmb_status lmb_results_restore(lmb_results *r, int g, void *bytes, size_t size, bool *found, long *rows, lmb_error *err);
lmb_status lmb_results_truncate(lmb_results *r, int g, long rows, lmb_error *err);

// ---- reading -----------------------------------------------------------------------------------

typedef struct lmb_reader lmb_reader;
typedef struct lmb_series { // one table or time of a group, all rows; owned by the caller (lmb_series_free)
    long rows;
    int columns;
    double *v; // rows x columns
    char **names, **units;
} lmb_series;

lmb_status lmb_reader_open(lmb_reader **out, const char *path, lmb_error *err); // also while it is written
void lmb_reader_close(lmb_reader *r);
int lmb_reader_group_count(const lmb_reader *r);
const char *lmb_reader_group_name(const lmb_reader *r, int g);
const char *lmb_reader_group_attribute(const lmb_reader *r, int g, const char *name); // type, status, text; "" if absent
int lmb_reader_table_count(const lmb_reader *r, int g);
const char *lmb_reader_table_name(const lmb_reader *r, int g, int k); // "time" is not among them
long lmb_reader_rows(const lmb_reader *r, int g);
lmb_status lmb_reader_time(lmb_series *out, lmb_reader *r, int g, lmb_error *err);
lmb_status lmb_reader_table(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err);
lmb_status lmb_reader_stats(lmb_series *out, lmb_reader *r, int g, lmb_error *err); // one row
lmb_status lmb_reader_events(lmb_series *out, char ***texts, lmb_reader *r, int g, lmb_error *err); // one column: time
// A root attribute or text dataset ("version", "model", "created", "command", "scene"); NULL if absent; owned by the reader.
const char *lmb_reader_text(lmb_reader *r, const char *name);
lmb_status lmb_reader_parameters(lmb_series *out, lmb_reader *r, lmb_error *err); // one row
void lmb_series_free(lmb_series *s);

// ---- CSV ---------------------------------------------------------------------------------------

// Writes group g as CSV: a header "t [s],pin.angle [rad],...", 17 digits, CR-free; columns whose "name" matches the
// shell-style pattern (NULL: all) of the tables named (NULL: sensors, reactions, energies).  Written to path + ".part",
// then renamed; path "-" is standard output.
lmb_status lmb_export_csv(const char *path, lmb_reader *r, int g, const char *pattern, lmb_error *err);

#endif
