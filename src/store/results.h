// store/results.h: results files: HDF5, written as the run goes, readable meanwhile and after a kill.
//
//   /                    attributes: limber (version), layout (1), created, command, model_file
//     model, ...         texts: the model as it was read, further ones ("scene": JSON for the viewer)
//     parameters/        names, values
//   /01_dynamics         one group per analysis: attribute type
//     status, text       texts: "running" | "done" | "stopped" | "failed" | "waiting", and what there is to say
//     counts     (2)     complete rows and events: the lengths of what follows, unless a writer was killed
//     time       (n)     s
//     <table>    (n x columns)  attribute doc; tables without columns are left out
//     columns/<table>    names of the columns; columns/stats: names of the statistics
//     units/<table>      their units
//     stats      (k)     those of the last flush, in the end the final ones
//     events/time, text  (m)
//     checkpoint_a, _b   bytes: two slots, each with sequence number, rows, events, length, hash and state
//
// Texts are UTF-8 of fixed size.  In Python: g = h5py.File("a.h5")["01_dynamics"]; g["sensors"][:, k] where
// g["columns/sensors"][k] == b"pin.angle"; g["status"][()]; while it is written: File("a.h5", swmr=True).
//
// All objects are made before the first row (SWMR: single writer, multiple readers); rows are appended in
// chunks and flushed at most every flush_seconds (0: each row).  Numbers are not compressed: that would cost
// more than writing them, and h5repack can do it afterwards.  After kill -9 lmb_reader_open and
// lmb_results_reopen find every flushed row; datasets may then be longer than counts tells.  (Other programs
// open such a file with SWMR reading, or after h5clear -s.)
//
// A writer holds a lock on its file, so two runs cannot write one; it ends with the process.  Different files
// may be used from different threads at the same time, one reader or writer only from one.
#ifndef LMB_RESULTS_H
#define LMB_RESULTS_H

#include "core/core.h"

#include <limber/files.h>

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
    size_t checkpoint_size;             // bytes of one checkpoint, 0: none
    bool linear;                        // with a state space: results_linear.h
    const char *integrator, *formalism; // with which it begins; NULL: it has none
} lmb_group;

typedef struct lmb_skin lmb_skin; // store/skin.h

typedef struct lmb_results_info {
    const char *version, *command, *model_file, *model_text, *created;
    int parameter_count;
    const char *const *parameter_names;
    const double *parameter_values;
    // further datasets by name (text), e.g. "scene": JSON for the viewer; written once
    int text_count;
    const char *const *text_names;
    const char *const *texts;
    int skin_count; // flexible bodies and what is drawn of them
    const char *const *skin_names;
    const lmb_skin *skins;
} lmb_results_info;

// ---- writing -----------------------------------------------------------------------------------

// Makes path (under another name until the header is complete, then renamed) with all groups, and
// switches to single-writer-multiple-reader mode.  *out is owned by the caller.
lmb_status lmb_results_create(lmb_results **out, const char *path, const lmb_results_info *info,
                              const lmb_group *groups, int group_count, double flush_seconds, lmb_error *err);
// Whether it may be written there: nothing, an empty file or a results file, nothing else.
lmb_status lmb_results_check_output(const char *path, lmb_error *err);
// Appends a row to every table of group g: rows[k] has tables[k].count numbers. Takes no heap memory. After a
// failure (disk full) the row was not taken or is still buffered; what was written before stays readable.
lmb_status lmb_results_row(lmb_results *r, int g, double time, const double *const *rows, lmb_error *err);
// Overwrites all rows of table k of group g, whose values were not known before the end.
lmb_status lmb_results_fill(lmb_results *r, int g, int k, const double *values, lmb_error *err);
// An event: its text is cut to 255 bytes.
lmb_status lmb_results_event(lmb_results *r, int g, double time, const char *text, lmb_error *err);
lmb_status lmb_results_stats(lmb_results *r, int g, const double *stats, lmb_error *err);
// Sets status (31 bytes) and text (1023 bytes, may be NULL) and flushes.
lmb_status lmb_results_status(lmb_results *r, int g, const char *status, const char *text, lmb_error *err);
// Stores a checkpoint (size <= checkpoint_size) with the number of rows and events so far, into the older of
// the two slots, and flushes.
lmb_status lmb_results_checkpoint(lmb_results *r, int g, const void *bytes, size_t size, lmb_error *err);
// Flushes and closes; takes NULL. A failure while closing is reported.
lmb_status lmb_results_close(lmb_results *r, lmb_error *err);

// Opens a killed (or finished) file to continue.  Groups must match those it was made with (else an input
// error says that model or version differ).
lmb_status lmb_results_reopen(lmb_results **out, const char *path, const lmb_group *groups, int group_count,
                              double flush_seconds, lmb_error *err);
const char *lmb_results_group_status(const lmb_results *r, int g); // as stored
long lmb_results_rows(const lmb_results *r, int g);                // with those not flushed yet
// The newest valid checkpoint of group g is copied into bytes (size must match), with the number of rows then; *found tells
// whether there was one, else *rows is 0.  Nothing is cut: what the checkpoint says may be refused.
lmb_status lmb_results_restore(lmb_results *r, int g, void *bytes, size_t size, bool *found, long *rows,
                               lmb_error *err);
// Cuts the rows and events of group g to what they were at its newest valid checkpoint, if there is one.
lmb_status lmb_results_rewind(lmb_results *r, int g, lmb_error *err);
// Cuts group g to its first rows (0: none) and the events not later than the last of them; checkpoints of
// more are wiped.
lmb_status lmb_results_truncate(lmb_results *r, int g, long rows, lmb_error *err);

// ---- reading -----------------------------------------------------------------------------------

// The rest is public: <limber/files.h>.
// The same as lmb_reader_find_group whose rows are states of the model, for pictures and stresses.
lmb_status lmb_reader_find_states(int *out, lmb_reader *r, const char *name, lmb_error *err);
// The same, and NULL: the last that is no modes, whose amplitudes are arbitrary, if there is one.
lmb_status lmb_reader_find_motion(int *out, lmb_reader *r, const char *name, lmb_error *err);

// ---- CSV ---------------------------------------------------------------------------------------

typedef struct lmb_csv_choice {
    // a list ending with NULL; NULL: those of sensors, reactions, energies that are there, all tables if none is
    const char *const *tables;
    const char *const *patterns; // names, shell-style patterns or elements; each must match a column
    int pattern_count;           // 0: all columns
} lmb_csv_choice;
// Writes group g as CSV: a header "t [s],pin.angle [rad],...", 17 digits, CR-free; choice may be NULL: all.  Written under
// another name, then renamed; path "-" is standard output.
lmb_status lmb_export_csv(const char *path, lmb_reader *r, int g, const lmb_csv_choice *choice,
                          lmb_error *err);

#endif
