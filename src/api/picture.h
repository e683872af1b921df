// api/picture.h: where pictures find the pose of a body, its elastic coordinates and its markers among the columns.
//
// Table `places` holds poses that table q lacks: those of markers on flexible bodies (7 columns: x, y, z and
// quaternion), and floating frames with elastic coordinates of bodies that have other coordinates (7 + m).  Of
// flexible bodies with stress their residual coordinates follow, after all poses.  In a
// file of modes `places_re` and `places_im` hold their increments: displacement (global), rotation (in axes of the marker
// or frame), elastic coordinates (6, or 6 + m).
//
// Columns are numbered through q, then places; those of increments through shapes_re, then places_re.
#ifndef LMB_IO_PICTURE_H
#define LMB_IO_PICTURE_H

#include "system/compile.h"

enum { LMB_SHOWN_FRAME = -1, LMB_SHOWN_RESIDUAL = -2 };
typedef struct lmb_shown { // of a marker, of the floating frame of a body, or its residual coordinates
    int body, marker;      // LMB_SHOWN_..: no marker
    int elastic;           // number of coordinates after the frame; of residual coordinates
    int q, v;              // first column in the table, first increment
} lmb_shown;

typedef struct lmb_shown_body {        // NULL: none
    const lmb_shown *frame, *residual; // in the list
    bool guest; // it only borrows coordinates of earlier bodies: the track of a beam, whose markers slide
} lmb_shown_body;

typedef struct lmb_places {
    int count;
    lmb_shown *list;
    int columns, increments;
    double *J;                 // work space for the Jacobian of a marker
    lmb_shown_body *bodies;    // of each body
    const lmb_shown **markers; // of each marker; NULL: it is fixed in the frame of its body
} lmb_places;

lmb_status lmb_places_make(lmb_places *out, lmb_arena *arena, const lmb_model *m, lmb_error *err);
// A row of the table at the updated state d, of which lmb_stress_update was called.
void lmb_places_row(double *row, const lmb_places *p, const lmb_data *d);
// Increments for velocities v of all blocks.
void lmb_places_mode(double *row, const lmb_places *p, const lmb_data *d, const double *v);

// Joints and forces that events switch, or that start off: columns of table `active`, 1 or 0.
typedef struct lmb_switches {
    int count;
    int *list; // a joint, or the number of joints + a force; ascending
} lmb_switches;
lmb_status lmb_switches_make(lmb_switches *out, lmb_arena *arena, const lmb_program *p, lmb_error *err);
void lmb_switches_row(double *row, const lmb_switches *s, const lmb_data *d);
int lmb_switch_column(const lmb_switches *s, int element); // as in the list; -1: always on

typedef struct lmb_drawn_columns { // -1: none
    int pose, pose_increment;
    int elastic, elastic_increment, elastic_count;
    int residual, residual_count;
} lmb_drawn_columns;
lmb_drawn_columns lmb_body_columns(const lmb_places *p, const lmb_body *b);

// A joint between two parts of one beam: not drawn.
bool lmb_joint_is_inner(const lmb_model *m, const lmb_joint *j);
// Name of a body in pictures: parts with the same name are numbered, beam[2].
const char *lmb_picture_name(lmb_arena *arena, const lmb_body *b); // NULL: no memory
// The body whose skin is drawn for b: itself, or the first of equal elements of a beam; NULL: none.
const lmb_body *lmb_skin_owner(const lmb_body *b);

#endif
