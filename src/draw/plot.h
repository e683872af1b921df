// draw/plot.h: the curves of a plot.
#ifndef LMB_DRAW_PLOT_H
#define LMB_DRAW_PLOT_H

#include <limber/limber.h>

#include "store/results.h"

enum { LMB_PLOT_CURVES = 200, LMB_PLOT_PANELS = 12 };

typedef struct lmb_plot_curve {
    int result, table, column;
    int bar;           // column of its error bars, -1: none
    char *name, *unit; // owned; curves of one unit share a panel
    long points;       // of numbers of its own
    double *xy;        // owned; a gap: nan; NULL: columns of tables
} lmb_plot_curve;

typedef struct lmb_plot_place {
    int table, column; // table -1: time
} lmb_plot_place;

typedef struct lmb_plot {
    const lmb_plot_options *options;
    const char *path;
    lmb_reader **readers;
    int *groups;
    lmb_series *time, *values; // of each result; of each result and table: read when first needed
    lmb_plot_curve curves[LMB_PLOT_CURVES];
    int curve_count;
    const char *units[LMB_PLOT_PANELS];
    int unit_count;
    lmb_plot_place *against; // the abscissa of each result; NULL: time
    bool logarithmic;        // both axes, but not for phases
    lmb_text xlabel;         // NULL: time
} lmb_plot;

// Takes ownership of the numbers of c.
lmb_status lmb_plot_add(lmb_plot *p, lmb_plot_curve c, const char *name, const char *unit, lmb_error *err);

// Instead of columns over time: shapes of bodies in a plane; shape functions along a beam.
lmb_status lmb_plot_shapes(lmb_plot *p, lmb_error *err);
lmb_status lmb_plot_functions(lmb_plot *p, lmb_error *err);

#endif
