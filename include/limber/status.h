// limber/status.h: what a function answers when it can fail.
//
// Three kinds of trouble, three channels: bad input and failures of the system come as a code with a
// text (lmb_error); numerical trouble comes as LMB_ERR_NUMERIC, which a caller may recover from; a bug
// is an assertion.  The library never prints and never exits.
#ifndef LIMBER_STATUS_H
#define LIMBER_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

// The values are the exit codes of the program.
typedef enum lmb_status {
    LMB_OK = 0,
    LMB_ERR_NUMERIC = 1, // the numerics failed: no convergence, singular matrix, step too small
    LMB_ERR_INPUT = 2,   // the model or the call is wrong: the text says where and what to do
    LMB_ERR_SYSTEM = 3,  // memory, files, the machine
} lmb_status;

// A place in a text. file is borrowed and may be NULL (a text without a name); line 0: no place.
typedef struct lmb_where {
    const char *file;
    int line, col;
} lmb_where;

// An error as a value: owns its text, can be copied. Start it with {0}.
typedef struct lmb_error {
    lmb_status code;
    int line, col;
    char file[256];
    char text[768];
} lmb_error;

// Writes "file:line:col: error: text" (what is known of it) into out, never more than size bytes.
// Returns out.
const char *lmb_error_format(char *out, int size, const lmb_error *err);

#ifdef __cplusplus
}
#endif
#endif
