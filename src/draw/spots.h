// draw/spots.h: places of flexible bodies in tables and CSV files.
#ifndef LMB_DRAW_SPOTS_H
#define LMB_DRAW_SPOTS_H

#include "draw/stressed.h"

#include <stdio.h>

typedef struct lmb_spot {
    int body;         // of the scene
    int place;        // node of its skin; of beams, an end
    int node;         // its number in the mesh, -1: unknown
    int bottom;       // of shells: 1 on the side against the normal
    const char *name; // of the body, borrowed from the scene
    const char *kind; // "node", "bottom", "section"
    double x[3];      // undeformed, body axes, m
    double time;      // of its largest stress, s
    double mises;     // Pa
    double bar;       // error bar of mises, Pa; NAN: unknown
    double stress[6]; // xx, yy, zz, xy, yz, zx; of beams xx along the beam and xy
} lmb_spot;
lmb_spot lmb_spot_at(const lmb_stressed *x, int place, bool bottom); // time and stress are not set

// Tables begin with number, body (its name in `width` columns), place and position.  false: no memory.
int lmb_spot_width(int width, const lmb_spot *s); // starts with 0
bool lmb_spot_heading(lmb_text *out, int width);
bool lmb_spot_write(lmb_text *out, const lmb_spot *s, int number, int width);
// CSV: the same without the number
#define LMB_SPOT_CSV "body,place,node,x [m],y [m],z [m]"
void lmb_spot_csv(FILE *f, const lmb_spot *s);

// The text that write(out, user) makes, for lmb_text_release.
lmb_status lmb_table_output(char **out, bool (*write)(lmb_text *out, const void *user), const void *user,
                            lmb_error *err);

// Writes a file with write(f, user), or standard output for "-".
lmb_status lmb_csv_output(const char *path, const char *results, void (*write)(FILE *f, const void *user),
                          const void *user, lmb_error *err);

#endif
