// signal/signals.h: signals with states: z' = A z + B u, y = C z + D u.
#ifndef LMB_SIGNALS_H
#define LMB_SIGNALS_H

#include "model/build.h"

enum { LMB_SIGNAL_STATES = 12 };

typedef struct lmb_state_space {
    int n;
    double A[LMB_SIGNAL_STATES * LMB_SIGNAL_STATES], B[LMB_SIGNAL_STATES], C[LMB_SIGNAL_STATES], D;
    double z0[LMB_SIGNAL_STATES];
    double size; // of the states, 0: not known
    int input;   // u
} lmb_state_space;

extern const lmb_state_ops lmb_state_space_ops;
extern const lmb_kind_keys *const lmb_signal_kinds[];

// The expression node of a signal without states, given directly or as {type: expression, value: ...}; NULL: it has
// states.
lmb_status lmb_signal_expression(const lmb_node **out, lmb_spec *spec, const lmb_node *n, const char *name,
                                 lmb_error *err);
// Reads {type: lag, input: expression, ...} into its matrices; *u is the node of the input.
lmb_status lmb_signal_read(lmb_state_space *out, const lmb_node **u, lmb_spec *spec, const lmb_node *n,
                           const char *name, lmb_error *err);

// A function given by two columns of a file; NULL: the first, the second.
typedef struct lmb_table_choice {
    const char *file, *x, *y;
    int method;      // linear, cubic
    int beyond;      // hold, line, repeat
    double min, max; // of its values
} lmb_table_choice;
// clang-format off
#define LMB_TABLE_KEYS(type, member) \
    {"x", LMB_KEY_TEXT, offsetof(type, member.x), 0, {0}, 0, 0, "Column, by its name in the first line of the file, that the table depends on (default: the first)."}, \
    {"y", LMB_KEY_TEXT, offsetof(type, member.y), 0, {0}, 0, 0, "Column with the values (default: the second; of an input: the one of its name)."}, \
    {"method", LMB_KEY_CHOICE, offsetof(type, member.method), 0, {0}, "linear|cubic", 0, "Straight lines between the points (default), or a natural cubic spline, which is smooth."}, \
    {"beyond", LMB_KEY_CHOICE, offsetof(type, member.beyond), 0, {0}, "hold|line|repeat", 0, "Outside the points: the first or last value (default), a straight line, or the table over and over again."}
// clang-format on

extern const lmb_kind_keys lmb_signal_table;
// Whether an entry of `signals` is a table; then what it says.
bool lmb_signal_is_table(const lmb_node *n);
lmb_status lmb_signal_table_read(lmb_table_choice *out, const lmb_node **input, lmb_spec *spec,
                                 const lmb_node *n, const char *name, lmb_error *err);

#endif
