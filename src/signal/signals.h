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

#endif
