// store/study_file.h: a parameter study in one HDF5 file: its plan, and the table of its results. docs/guide/study-file.md
//
//   /               attributes: limber (version), layout (1), kind ("study"), created, command
//     model         texts: the model as it was read
//     model_file    its name as given, and complete
//     model_path
//     fingerprint   of the model with all its files: members belong to it (SHA-256)
//     sample        "grid", "random:100", "lhs:200", "sobol:256", "sobol-indices:512", "morris:20"
//     seed, keep    "1"; "none", "failed", "all"
//   /parameters     names (p), sources (p): what was written after `=`
//                   scales (p): "linear", "log": how an axis shows the values
//     values        (n x p), in the model's units: row k belongs to member k + 1
//   /measures       names (m), sources (m): their expressions;  units (m)
//     values        (n x m), nan: there is no such number (not run, failed, or nothing crosses)
//   /members        status (n): -1 not run, 0 done, 1 solver failure, 2 invalid input, 3 system error
//     seconds       (n), wall clock; nan: not run.  All else is the same whatever computed it.
//     message       (n): index into messages (k); entry 0 is ""
//   /sensitivity    method (text): "" none, "sobol", "morris"
//     columns (c)   sobol: first, first_low, first_high, total, total_low, total_high (95 % by bootstrap);
//                   morris: mu, mu_star, sigma
//     values        (m x p x c)
//
// It is written whole or not at all, at the plan without results and when they are collected.
#ifndef LMB_STUDY_FILE_H
#define LMB_STUDY_FILE_H

#include "core/core.h"

enum { LMB_STUDY_LAYOUT = 1, LMB_STUDY_MISSING = -1 };

typedef enum lmb_study_text {
    LMB_STUDY_MODEL,
    LMB_STUDY_MODEL_FILE,
    LMB_STUDY_MODEL_PATH,
    LMB_STUDY_FINGERPRINT,
    LMB_STUDY_SAMPLE,
    LMB_STUDY_SEED,
    LMB_STUDY_KEEP,
    LMB_STUDY_TEXTS
} lmb_study_text;

typedef struct lmb_study_file {
    lmb_arena *arena; // of all below
    const char *version, *created, *command;
    const char *text[LMB_STUDY_TEXTS];
    int members, parameters, measures, messages, columns;
    char **parameter_name, **parameter_source, **parameter_scale;
    double *parameter; // members x parameters
    char **measure_name, **measure_source, **measure_unit;
    double *measure; // members x measures
    int *status, *message;
    double *seconds;
    char **message_text;
    const char *method;
    char **column;
    double *sensitivity; // measures x parameters x columns
} lmb_study_file;

// Whether a file begins like a study; false if it cannot be opened.
bool lmb_study_file_is(const char *path);
// Whether a study may be written there: nothing, an empty file or a study, nothing else.
lmb_status lmb_study_file_check_output(const char *path, lmb_error *err);
// On failure nothing is left and an older file stays.  the arena is not used.
lmb_status lmb_study_file_write(const char *path, const lmb_study_file *f, lmb_error *err);

// member >= 0: only its row of parameters, as if it were the only member; -1: all.  *count (may be NULL): members of the file.
// Release with lmb_study_file_free, also after a failure.
lmb_status lmb_study_file_read(lmb_study_file *out, int *count, const char *path, int member, lmb_error *err);
void lmb_study_file_free(lmb_study_file *f);

// "done", "not run", "solver failure", ...
const char *lmb_study_status_name(int status);

#endif
