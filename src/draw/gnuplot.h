// draw/gnuplot.h: pictures by gnuplot, which reads commands from a file and writes the picture to its standard output.
#ifndef LMB_DRAW_GNUPLOT_H
#define LMB_DRAW_GNUPLOT_H

#include "core/core.h"

#include <stdio.h>

// A text in single quotes, where gnuplot knows no escapes but a doubled quote.
void lmb_gnuplot_quote(FILE *f, const char *s);
// The command for a picture with the ending of `path` and so many pixels in height, or its like.
lmb_status lmb_gnuplot_terminal(FILE *f, const char *path, int height, lmb_error *err);
// Runs it on the commands in f; the picture goes to the file `out`, which is named `path` in messages.
lmb_status lmb_gnuplot_run(FILE *f, int out, const char *path, lmb_error *err);

#endif
