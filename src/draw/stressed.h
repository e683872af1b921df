// draw/stressed.h: where the stresses of a results file are known: flexible bodies with their places, and their coordinates over rows.
//
// Places are the nodes of meshes and the sections of beams at their nodes.
#ifndef LMB_DRAW_STRESSED_H
#define LMB_DRAW_STRESSED_H

#include "draw/scene.h"
#include "store/skin.h"

typedef struct lmb_stressed_body {
    lmb_skin skin;
    bool known;       // it has stresses, at least at what is drawn of it
    bool sections;    // it is a beam
    bool unknown;     // its sections are given by numbers: no stress is known
    int first, count; // its places among all
} lmb_stressed_body;

typedef struct lmb_stressed {
    lmb_reader *r;
    const lmb_scene *scene;
    int group;
    int columns[2];            // of tables q and places
    lmb_stressed_body *bodies; // of the scene
    int count;                 // places of all bodies
} lmb_stressed;

// Whether rows of the analysis are times: modes have no size, so they have no stress.
bool lmb_stressed_is_for(const lmb_reader *r, int group);
// body: only this one, with its parts; NULL: all.  An analysis that has no stresses, or a body that is not there, is an input error.
// Borrows r and scene; close it also after a failure.
lmb_status lmb_stressed_open(lmb_stressed *out, lmb_reader *r, const lmb_scene *scene, int group,
                             const char *body, lmb_error *err);
void lmb_stressed_close(lmb_stressed *x); // takes a zeroed one

static inline int lmb_skin_coordinates(const lmb_skin *s) { return s->mode_count + s->residual_count; }
// s = (q, p) of a body with stresses, row by row.
lmb_status lmb_stressed_rows(double *s, const lmb_stressed *x, int body, lmb_row_range rows, lmb_error *err);
int lmb_stressed_body_of(const lmb_stressed *x, int place);

// ---- peaks ---------------------------------------------------------------------------------------

typedef struct lmb_edge {
    int a, b;     // connected places
    double level; // the lower of their values
} lmb_edge;
typedef struct lmb_edges {
    int count, room;
    lmb_edge *list; // lmb_free
} lmb_edges;
bool lmb_edges_add(lmb_edges *e, int a, int b); // false: no memory
// Indices of the local maxima among count values > 0, largest first, into peaks (room for count); their number, or -1: no memory.
// Sorts the edges.
int lmb_peaks(int *peaks, const double *values, int count, lmb_edges *e);
// The same for values at all places, at most `most`; *peaks is freed with lmb_free.
lmb_status lmb_stressed_peaks(int **peaks, int *count, const lmb_stressed *x, const double *values, int most,
                              lmb_error *err);

#endif
