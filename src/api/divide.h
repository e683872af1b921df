// api/divide.h: beams with `parts: auto`: a run that bends them too far is repeated with as many parts as it takes.
#ifndef LMB_DIVIDE_H
#define LMB_DIVIDE_H

#include "api/handles.h"

enum { LMB_DIVIDE_ROUNDS = 4 }; // runs at most

typedef struct lmb_divided { // a beam
    const char *name;
    lmb_node *node; // of its `parts`
    int parts;
    int first; // its first body in the model that runs, -1: not there
} lmb_divided;

typedef struct lmb_division {
    lmb_spec *spec;
    int count, round; // beams; the run, from 1
    lmb_divided *list;
    double
        *need; // parts that each would need, of the rows so far; 0: no more than it has.  Kept in checkpoints
} lmb_division;

// The beams of an expanded spec, each in one part.
lmb_status lmb_division_create(lmb_division *out, lmb_spec *spec, lmb_error *err);
void lmb_division_destroy(lmb_division *x); // `parts` are auto again
// What a results file says about them ("2 blade=4": the round and the parts); false: nothing, or it is damaged.
bool lmb_division_parse(lmb_division *x, const char *text);
bool lmb_division_write(lmb_text *out, const lmb_division *x);
// The model that runs now; rows of it.
void lmb_division_begin(lmb_division *x, const lmb_model *m);
void lmb_division_note(lmb_division *x, const lmb_model *m, const lmb_data *at);
// Takes the parts that are needed for another round, and says so in a line; false: there are enough, or the rounds are over.
bool lmb_division_refine(lmb_text *out, lmb_division *x);
// Writes the numbers into the spec.
lmb_status lmb_division_apply(lmb_division *x, lmb_error *err);

#endif
