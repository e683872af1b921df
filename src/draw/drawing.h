// draw/drawing.h: geometry of a results file for exports: bodies as meshes, their poses at selected times.
#ifndef LMB_IO_DRAWING_H
#define LMB_IO_DRAWING_H

#include <limber/limber.h>

#include "draw/scene.h"
#include "store/skin.h"

typedef struct lmb_drawn {
    const char *name; // borrowed from the scene
    int q;            // column of x in the rows of q, -1: the frame of the ground
    int elastic;      // column of the first elastic coordinate; skin.mode_count of them
    int residual;     // of the first residual coordinate; skin.residual_count of them
    int dq, delastic; // columns of their increments in mode shapes; residual coordinates have none
    float color[3];   // linear
    lmb_skin skin;    // in the body frame; a rigid body has no modes
} lmb_drawn;

typedef struct lmb_drawing {
    lmb_scene *scene;
    int body_count;
    lmb_drawn *bodies; // those that have a pose
    int frame_count, columns;
    double *time, *q; // frame_count; frame_count x columns: those of table q, then those of places
    double *rest;     // the row about which a mode oscillates; NULL: a motion
} lmb_drawing;

// Amplitude of a mode in pictures: its largest coordinate, relative to its characteristic size.
#define LMB_MODE_AMPLITUDE 0.1

// At most options->frames rows, evenly spaced; for modes, one period of the requested mode. Free *out with
// lmb_drawing_destroy.
lmb_status lmb_drawing_create(lmb_drawing **out, const char *results, const lmb_export_options *options,
                              lmb_error *err);
// row k of count that are chosen evenly among total: the first and the last are among them
long lmb_chosen_row(long k, long count, long total);
void lmb_drawing_destroy(lmb_drawing *d); // takes NULL

// position and quaternion
void lmb_drawn_place(double out[7], const lmb_drawing *d, const lmb_drawn *b, int frame);
pose lmb_drawn_pose(const lmb_drawing *d, const lmb_drawn *b, int frame);
const double *lmb_drawn_elastic(const lmb_drawing *d, const lmb_drawn *b, int frame);
lmb_skin_state lmb_drawn_state(const lmb_drawing *d, const lmb_drawn *b, int frame); // for stresses
const double *lmb_drawn_rest(const lmb_drawing *d, const lmb_drawn *b); // of a mode; NULL: a motion

#endif
