// draw/gnuplot.h: pictures by gnuplot, which reads commands from a file and writes the picture to its standard output.
#ifndef LMB_DRAW_GNUPLOT_H
#define LMB_DRAW_GNUPLOT_H

#include "core/core.h"

#include "draw/ramp.h"

#include <stdio.h>

// A text in single quotes, where gnuplot knows no escapes but a doubled quote.
void lmb_gnuplot_quote(FILE *f, const char *s);
// The command for a picture with the ending of `path` and so many pixels in height, or its like.
lmb_status lmb_gnuplot_terminal(FILE *f, const char *path, int height, lmb_error *err);
// The colour scale of ramp.h as palette, with its bar right of the graph, over a range of values.
void lmb_gnuplot_bar(FILE *f, const lmb_spread *s, const char *title);
// A number, or NaN.
void lmb_gnuplot_number(FILE *f, double x);

typedef lmb_status lmb_gnuplot_writer(FILE *f, void *user, lmb_error *err);
// Runs it on the commands of a writer; the picture appears at path, which must not be one of the inputs, whole or not at all.
lmb_status lmb_gnuplot_picture(const char *path, const char *const *inputs, int input_count,
                               lmb_gnuplot_writer *write, void *user, lmb_error *err);

#endif
