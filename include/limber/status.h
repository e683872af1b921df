// limber/status.h: status codes and errors.
//
// Failures are reported in three ways: invalid input and system errors as a code with a
// text (lmb_error); solver failures as LMB_ERR_NUMERIC, from which a caller may recover; bugs
// as assertions.  The library never prints and never exits.
#ifndef LIMBER_STATUS_H
#define LIMBER_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// The values are the exit codes of the program.
typedef enum lmb_status {
    LMB_OK = 0,
    LMB_ERR_NUMERIC = 1, // solver failure: no convergence, singular matrix, step too small
    LMB_ERR_INPUT = 2,   // invalid model or call: the text gives the place and a remedy
    LMB_ERR_SYSTEM = 3,  // system error: memory, files, stopped on request
} lmb_status;

// A position in a text. file is borrowed and may be NULL (unnamed text); line 0: unknown position.
typedef struct lmb_where {
    const char *file;
    int line, col;
} lmb_where;

// An error as a value: it owns its text and can be copied. Initialise it with {0}.
typedef struct lmb_error {
    lmb_status code;
    int line, col;
    char file[256];
    char text[768];
} lmb_error;

// Writes "file:line:col: error: text" (as far as known) to out, at most size bytes.
// Returns out.
const char *lmb_error_format(char *out, int size, const lmb_error *err);

#ifdef __cplusplus
}
#endif
#endif
