// draw/centre_line.h: the centre line of a beam in a results file: what is drawn of a beam are rings around its nodes.
#ifndef LMB_DRAW_CENTRE_LINE_H
#define LMB_DRAW_CENTRE_LINE_H

#include "math/math.h"
#include "store/skin.h"

typedef struct lmb_centre_line {
    int count;         // points: both ends of each element
    int *first, *node; // point i is in the middle of the nodes node[first[i]..first[i + 1])
    vec3 *arm;         // from point i to that middle, undeformed
} lmb_centre_line;

// count 0: it is not a beam; false: no memory.  For lmb_centre_line_free.
bool lmb_centre_line_make(lmb_centre_line *out, const lmb_skin *s);
void lmb_centre_line_free(lmb_centre_line *c); // takes a zeroed one
// A point, from the nodes as they are (N x 3).
vec3 lmb_centre_line_at(const lmb_centre_line *c, int i, const double *nodes);

#endif
