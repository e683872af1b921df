// study/call.h: one call of a function in a measure; private to src/study.
#ifndef LMB_STUDY_CALL_H
#define LMB_STUDY_CALL_H

#include "study/history.h"
#include "study/measure.h"

enum { LMB_MEASURES_MOST = 1000 };

typedef struct lmb_call_column {
    int table, column; // of the group
} lmb_call_column;

typedef struct lmb_call lmb_call;
struct lmb_call {
    lmb_status (*value)(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err);
    const lmb_history_function *history; // NULL: none
    int group;
    const char *unit;
    lmb_expr *e; // of columns; NULL: none
    int column_count;
    lmb_call_column *columns; // in the arena
    const char **tables;      // of the group, names in the arena
    int *widths;              // columns of each
    int table_count;
    double arguments[3];
    const char *body; // NULL: all
};

// The group with a column: the one named (prefix >= 0), else the last with a motion; -1: none.
int lmb_call_group(const lmb_measure_world *w, int prefix, const char *column);
lmb_status lmb_call_find_group(int *out, const lmb_measure_world *w, const char *name, lmb_where where,
                               lmb_error *err);

// Whether a call is one of ours: max(a, b) belongs to the language, max(a) to us.
bool lmb_call_is_ours(const char *name, const char *arguments);
// *taken: name is one of ours; else it is left to the language.
lmb_status lmb_call_read(lmb_call *out, bool *taken, lmb_arena *arena, const lmb_measure_world *w, int prefix,
                         const char *name, const char *arguments, lmb_where where, lmb_error *err);
void lmb_call_free(lmb_call *c);
lmb_status lmb_call_value(double *out, const lmb_call *c, lmb_reader *r, lmb_error *err);

#endif
