// io/drawing.h: what exports draw of a results file: bodies as meshes, their places at chosen times.
#ifndef LMB_IO_DRAWING_H
#define LMB_IO_DRAWING_H

#include "io/skin.h"
#include "math/math.h"
#include "spec/spec.h"

typedef struct lmb_drawn {
    const char *name; // borrowed from the drawing
    int q;            // column of x in the rows of q
    int elastic;      // column of the first elastic coordinate; skin.mode_count of them
    float color[3];   // linear
    lmb_skin skin;    // in the body frame; a rigid body has no modes
} lmb_drawn;

typedef struct lmb_drawing {
    lmb_spec *scene;
    vec3 gravity;
    int body_count;
    lmb_drawn *bodies; // those that have a place
    int frame_count, columns;
    double *time, *q; // frame_count; frame_count x columns
} lmb_drawing;

// frames: at most so many rows, evenly chosen (0: 200). *out for lmb_drawing_destroy.
lmb_status lmb_drawing_create(lmb_drawing **out, const char *results, const char *analysis, int frames,
                              lmb_error *err);
void lmb_drawing_destroy(lmb_drawing *d); // takes NULL

pose lmb_drawn_pose(const lmb_drawing *d, const lmb_drawn *b, int frame);
const double *lmb_drawn_elastic(const lmb_drawing *d, const lmb_drawn *b, int frame);

#endif
