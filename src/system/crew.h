// system/crew.h: threads that share the loops over the bodies of a model.
//
// Motion, loads and matrices of bodies are computed side by side and added in the order of the bodies, so that every number of
// threads, one of them included, gives the same bits.  Loops whose bodies cannot be separated stay with one thread.
#ifndef LMB_SYSTEM_CREW_H
#define LMB_SYSTEM_CREW_H

#include "core/team.h"
#include "model/model.h"

enum { LMB_CREW_GRAIN = 8 }; // bodies that a thread takes at once

typedef struct lmb_crew {
    lmb_team *team;
    double *scratch;    // of each thread, as lmb_data.scratch
    double *loads;      // of bodies, one after the other; then of joints on each of their bodies
    int *load;          // per body: its first one
    int *reaction;      // per joint: likewise
    double *dissipated; // per body
    int *place;         // per body: in lmb_model.order
    // bodies whose motion follows from that of earlier levels: level_list[level_start[i] .. level_start[i + 1])
    int levels, *level_start, *level_list; // 0: too few bodies in each
    // bodies of a colour have no places of the matrix in common; 0: bodies cannot be separated, or their sums would depend on the order
    int colours, *colour_start, *colour_list;
} lmb_crew;

// size: number of threads; 0: one, unless the model is large enough for as many as there are processors.  *out is NULL for one thread.
// It may serve all data of the model, one at a time.
lmb_status lmb_crew_create(lmb_crew **out, const lmb_model *m, int size, lmb_error *err);
void lmb_crew_destroy(lmb_crew *c); // takes NULL
static inline lmb_team *lmb_crew_team(const lmb_data *d) { return d->crew ? d->crew->team : NULL; }

#endif
