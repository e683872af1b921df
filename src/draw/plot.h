// draw/plot.h: the curves of a plot.
#ifndef LMB_DRAW_PLOT_H
#define LMB_DRAW_PLOT_H

#include <limber/limber.h>

#include "draw/varied.h"
#include "store/results.h"

#include <stdio.h>

enum { LMB_PLOT_CURVES = 4000, LMB_PLOT_PANELS = 12 };

typedef struct lmb_plot_curve {
    int result, table, column;
    int bar;           // column of its error bars, -1: none
    char *name, *unit; // owned; curves of one unit share a panel
    int quantity;      // number of other names before it in its panel: the same in all results
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
    lmb_varied varied;       // of the results
} lmb_plot;

// Takes ownership of the numbers of c.
lmb_status lmb_plot_add(lmb_plot *p, lmb_plot_curve c, const char *name, const char *unit, lmb_error *err);

// ---- results that differ in parameters (plot_runs.c) -----------------------------------------------

// Whether the runs have colours by the values of a parameter; the quantities are then told apart by dashes.
bool lmb_plot_by_value(const lmb_plot *p);
// Whether all curves of a panel have names; else a colour bar tells the values.
bool lmb_plot_names_runs(const lmb_plot *p, const char *unit);
lmb_hex lmb_plot_run_color(const lmb_plot *p, int result, const char *unit);
// The colour bar of a panel, and the plots that go before its curves; returns how many.
int lmb_plot_begin_runs(FILE *f, const lmb_plot *p, const char *unit);
int lmb_plot_margin(const lmb_plot *p); // right of the panels
// "model.yaml, 20 runs"; false: no memory
bool lmb_plot_runs_title(lmb_text *out, const lmb_plot *p);

// ---- shapes (plot_shapes.c) -----------------------------------------------------------------------

// Instead of columns over time: shapes of bodies in a plane; shape functions along a beam.
lmb_status lmb_plot_shapes(lmb_plot *p, lmb_error *err);
lmb_status lmb_plot_functions(lmb_plot *p, lmb_error *err);

// Of the table of a parameter study (plot_study.c).
lmb_status lmb_plot_study(const char *path, const lmb_plot_options *options, lmb_error *err);

#endif
