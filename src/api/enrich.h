// api/enrich.h: further shape functions of bodies: the fields that a run asks for, taken along in the next.
//
// The leading combinations of loads (system/leading.h) become requests of each piece of each body, for lmb_system_again; what they
// change in the results bounds the error of reduction.                                      docs/theory/reduction.md (22), (23)
#ifndef LMB_ENRICH_H
#define LMB_ENRICH_H

#include "reduce/reduce.h"
#include "system/leading.h"

enum { LMB_ENRICH_ROUNDS = 16 }; // requests of a piece at most

typedef struct lmb_enriched { // a piece of a body
    const char *name;
    int piece, count;
    bool held; // it has interfaces
    lmb_shape_request requests[LMB_ENRICH_ROUNDS];
    int m;             // of the model before the last of them:
    double *frequency; // m, Hz
    double missing;    // the first frequency that it lacked, Hz; INFINITY: none
} lmb_enriched;

typedef struct lmb_enrichment {
    lmb_arena *arena; // NULL: nothing yet
    int count, capacity, round;
    bool all;   // the last round was for the error bars of all bodies
    bool fewer; // one of the rounds left shape functions out
    lmb_enriched *list;
} lmb_enrichment;

typedef struct lmb_enrich_size {
    int vectors;    // leading combinations of each body at most
    int fields;     // shape functions of each body, about: responses to these, to the inertia of these, ...
    int blocks;     // of responses at most
    double least;   // combinations with less than this share of the largest response are left out
    const bool *of; // which bodies of the model; NULL: all
} lmb_enrich_size;

void lmb_enrichment_free(lmb_enrichment *x);
// Takes what a run of the model asked for; *added: requests, none if its shape functions lack nothing.
lmb_status lmb_enrichment_grow(int *added, lmb_enrichment *x, const lmb_leading *l, lmb_enrich_size size,
                               lmb_error *err);
// Leaves out of these bodies what moves so little by itself that the stress keeps all but `least` of it, in energy; *changed: bodies
// that have fewer shape functions.  lmb_enrichment_restore takes the last time back.                                 (30)
lmb_status lmb_enrichment_prune(int *changed, lmb_enrichment *x, const lmb_leading *l, const bool *of,
                                double least, lmb_error *err);
void lmb_enrichment_restore(lmb_enrichment *x);
// The model with them: which frequencies are new.
void lmb_enrichment_compare(lmb_enrichment *x, const lmb_model *m);
// Requests of a piece; NULL and *count 0: none.
const lmb_shape_request *lmb_enrichment_find(int *count, const lmb_enrichment *x, const char *name,
                                             int piece);
// Whether the part has interfaces, and all pieces of the body the same requests, so that they can be written in a model.
typedef enum lmb_enriched_kind {
    LMB_ENRICHED_NOT,
    LMB_ENRICHED_HELD,
    LMB_ENRICHED_FREE,
    LMB_ENRICHED_MIXED
} lmb_enriched_kind;
lmb_enriched_kind lmb_enrichment_kind(const lmb_enrichment *x, const char *name);
// The first frequency that a body of the model lacked, Hz; NAN: it has no further shape functions.
double lmb_enrichment_missing(const lmb_enrichment *x, const lmb_model *m, int body);
// As text, in results files; false: no memory, or damaged.
bool lmb_enrichment_write(lmb_text *out, const lmb_enrichment *x);
bool lmb_enrichment_parse(lmb_enrichment *x, const char *text);

#endif
