// study/measure.h: measures of a run: expressions of functions of columns, and of parameters.          docs/guide/studies.md
//
//   max(tip.y)    end(energies.total)/m    modes: frequency(1)    peak/L
//
// What stands in a function is an expression of columns of one analysis, evaluated row by row (study/history.h); around them numbers,
// parameters and measures before.  `ANALYSIS:` in front names the analysis; else columns are those of the last one that is not `modes`, and
// frequency(k) belongs to the last one with modes.
#ifndef LMB_STUDY_MEASURE_H
#define LMB_STUDY_MEASURE_H

#include "expr/expr.h"
#include "store/results.h"

typedef struct lmb_measure_text {
    const char *name, *source;
    lmb_where where; // of the source
} lmb_measure_text;

// What names mean.
typedef struct lmb_measure_world {
    int group_count;
    const lmb_group *groups; // analyses with their tables
    bool no_stress;          // the model has no flexible bodies
    // parameters: as in lmb_scope
    lmb_status (*resolve)(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err);
    const char *(*candidate)(void *user, int i);
    void *user;
} lmb_measure_world;

typedef struct lmb_measures lmb_measures;

// Compiles measures; parameters are numbers from now on.  world is needed only for the call.  Names of measures and columns are checked.
lmb_status lmb_measures_create(lmb_measures **out, const lmb_measure_text *list, int count,
                               const lmb_measure_world *world, lmb_error *err);
void lmb_measures_destroy(lmb_measures *m); // takes NULL
// Whether measures follow from parameters alone, so that nothing has to run; faults in them count for nothing here.  false also if there are none.
bool lmb_measures_are_formulas(char *const *sources, int count);
const char *lmb_measures_unit(const lmb_measures *m, int i);
// Values of all; r: the results, with the analyses of `world`; NULL if none is needed.  NaN: there is no such number.
lmb_status lmb_measures_value(double *out, const lmb_measures *m, lmb_reader *r, lmb_error *err);
// Whether a measure can have this name; where and `what` ("measure") are for the message.
lmb_status lmb_measure_name_check(const char *name, lmb_where where, lmb_error *err);

#endif
