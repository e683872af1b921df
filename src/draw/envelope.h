// draw/envelope.h: the largest stresses over all rows of an analysis: of every node, and the places where they peak.
//
// Von Mises stress is a norm: with y = W sigma, five numbers, it is |y|.  For a block of nodes and a block of rows, Y = (W S) s is one
// product of matrices, so that large meshes over many rows take time but little memory.
//
// As in sensors, the stress of a section is the largest one in it.
// A spot is a local maximum over connected places; one that rises less than a hundredth of its stress above the way to a higher one is
// a ripple of that.                                                                          docs/guide/results.md
#ifndef LMB_DRAW_ENVELOPE_H
#define LMB_DRAW_ENVELOPE_H

#include "draw/spots.h"
#include "linalg/symmetric.h"

typedef struct lmb_body_envelope {
    int count;      // nodes of its skin; 0: it has no stresses
    float *largest; // von Mises stress, Pa, of shells on the side where it is larger
    bool unknown;   // its sections are given by numbers: no stress is known
} lmb_body_envelope;

typedef struct lmb_envelope {
    int body_count; // of the scene
    lmb_body_envelope *bodies;
    int spot_count;
    lmb_spot *spots; // the worst first
    double largest;  // of all nodes and sections, Pa
} lmb_envelope;

typedef struct lmb_envelope_options {
    int group;              // analysis
    int spots;              // at most so many
    const char *body;       // only this one, with its parts; NULL: all
    const lmb_watch *watch; // may be NULL
} lmb_envelope_options;

// An analysis that it is not for, or a body that is not there, is an input error.  Free *out with lmb_envelope_destroy.
lmb_status lmb_envelope_create(lmb_envelope **out, lmb_reader *r, const lmb_scene *scene,
                               const lmb_envelope_options *options, lmb_error *err);
void lmb_envelope_destroy(lmb_envelope *e); // takes NULL

// The error bar of a spot: that of the sensor which has its stress, of all components, in the same row; NAN: there is none.
lmb_status lmb_spot_bar(double *bar, const lmb_spot *s, lmb_reader *r, int group, long row, lmb_error *err);

#endif
