// draw/plot_study.c: pictures of a parameter study: what suits its table.
//
//   indices of Sobol or Morris                 bars with their bounds; the plane of mu* and sigma
//   one parameter varies                       measures over it
//   two: a grid of at least GRID x GRID        maps; else measures over the first, in colours of the second
//   more                                       measures over each of them, in colours of the first measure
//   --against                                  measures over that parameter or measure, in colours of the first other parameter
//
// Members that failed are red crosses at the lower edge, or in the map; members without a number are gaps.
#include "draw/gnuplot.h"
#include "draw/plot.h"
#include "draw/study_axes.h"
#include "os/locale.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 5, ROWS = 12, COLUMNS = 6, SCATTER_ROWS = 6, BARS = 20 };

typedef struct picture {
    const lmb_plot_options *options;
    const char *path;
    lmb_study_axes axes;
    const lmb_study_axis *shown[ROWS]; // measures
    int count;
    const lmb_study_axis *against; // NULL: what suits
} picture;

// ---- choosing ------------------------------------------------------------------------------------

static const lmb_study_axis *find_axis(const lmb_study_axes *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->parameters[i].name, name) == 0) return &a->parameters[i];
    for (int i = 0; i < a->measure_count; i++)
        if (strcmp(a->measures[i].name, name) == 0) return &a->measures[i];
    return NULL;
}

static bool is_wanted(const lmb_plot_options *o, const char *name) {
    for (int k = 0; k < o->sensor_count; k++)
        if (fnmatch(o->sensors[k], name, FNM_NOESCAPE) == 0) return true;
    return o->sensor_count == 0;
}

static lmb_status choose(picture *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    for (int i = 0; i < p->axes.measure_count; i++) {
        if (!is_wanted(o, p->axes.measures[i].name)) continue;
        if (p->count == ROWS)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "more than %d measures; select fewer", ROWS);
        p->shown[p->count++] = &p->axes.measures[i];
    }
    if (p->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "no measure of '%.300s' matches '%.200s'; `limber info FILE` lists the measures",
                        o->results[0], o->sensor_count ? o->sensors[0] : "*");
    if (o->against && (p->against = find_axis(&p->axes, o->against)) == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%.300s' has no measure and no parameter that varies named '%.200s' to plot against",
                        o->results[0], o->against);
    return LMB_OK;
}

static lmb_status check(const picture *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    int numbers = 0;
    if (o->along_count || o->shape_count || o->functions || o->analysis)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "'%.300s' is a parameter study: it has measures, but no beams, bodies or analyses to plot",
            o->results[0]);
    for (int i = 0; i < p->axes.measure_count; i++) numbers += p->axes.measures[i].count;
    if (numbers == 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "nothing to plot: no member of '%.300s' has a measure that is a number",
                        o->results[0]);
    if (p->axes.count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "nothing to plot: no parameter of '%.300s' varies",
                        o->results[0]);
    return LMB_OK;
}

// ---- axes ----------------------------------------------------------------------------------------

static void label(FILE *f, const char *axis, const lmb_study_axis *x) {
    lmb_text text = {0};
    bool ok = lmb_text_add(&text, *x->unit ? "%s [%s]" : "%s", x->name, x->unit);
    fprintf(f, "set %slabel ", axis);
    lmb_gnuplot_quote(f, ok ? text.text : x->name);
    fputs(" noenhanced\n", f);
    lmb_text_free(&text);
}

// a range with a margin; around the one value if there is only one
static void range(FILE *f, const char *axis, const lmb_study_axis *x, double margin) {
    double low = x->spread.low, high = x->spread.high, gap = margin * (high - low);
    bool log = x->spread.log && !x->measure;
    if (x->count == 0) low = 0, high = 1;
    if (x->count > 0 && !(high > low)) gap = low != 0 ? 0.1 * fabs(low) : 1;
    if (log) gap = pow(high / low, margin);
    fprintf(f, "%s logscale %s; set %srange [%.12g:%.12g]\n", log ? "set" : "unset", axis, axis,
            log ? low / gap : low - gap, log ? high * gap : high + gap);
}

static void set_axis(FILE *f, const char *axis, const lmb_study_axis *x) {
    label(f, axis, x);
    range(f, axis, x, 0.04);
}

// ---- members -------------------------------------------------------------------------------------

typedef struct ordered {
    double first, second;
    int member;
} ordered;

static int by_second(const void *a, const void *b) {
    const ordered *x = a, *y = b;
    if (x->second != y->second) return x->second < y->second ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->member - y->member;
}

// rows: x, color, failed (a number or nothing), then all measures; by color, then by x, with a gap between colors
static lmb_status put_members(FILE *f, const picture *p, const char *name, const lmb_study_axis *x,
                              const lmb_study_axis *color, lmb_error *err) {
    const lmb_study_axes *a = &p->axes;
    ordered *all = lmb_alloc((size_t)a->f->members + 1, sizeof *all);
    int n = 0;
    if (all == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < a->f->members; k++) {
        ordered one = {lmb_study_value(a, x, k), color ? lmb_study_value(a, color, k) : 0, k};
        if (isfinite(one.first) && !isnan(one.second)) all[n++] = one;
    }
    qsort(all, (size_t)n, sizeof *all, by_second);
    fprintf(f, "$%s << EOD\n", name);
    for (int i = 0; i < n; i++) {
        if (i > 0 && all[i].second != all[i - 1].second) fputc('\n', f);
        lmb_gnuplot_number(f, all[i].first);
        lmb_gnuplot_number(f, all[i].second);
        lmb_gnuplot_number(f, a->f->status[all[i].member] > 0 ? 0.02 : NAN);
        for (int m = 0; m < p->count; m++)
            lmb_gnuplot_number(f, lmb_study_value(a, p->shown[m], all[i].member));
        fputc('\n', f);
    }
    fputs("EOD\n", f);
    lmb_free(all);
    return LMB_OK;
}

// crosses of failed members along the lower edge
static void put_failed(FILE *f, const picture *p, const char *name) {
    if (p->axes.failed > 0)
        fprintf(f,
                ", $%s using 1:3 axes x1y2 with points pointtype 2 pointsize 0.7 linecolor '#d00000' notitle",
                name);
}

static void color_bar(FILE *f, const lmb_study_axis *color) {
    lmb_text text = {0};
    bool ok = lmb_text_add(&text, *color->unit ? "%s [%s]" : "%s", color->name, color->unit);
    lmb_gnuplot_bar(f, &color->spread, ok ? text.text : color->name);
    lmb_text_free(&text);
}

static bool has_range(const lmb_study_axis *x) { return x && x->spread.high > x->spread.low; }

static bool is_dense(const picture *p, const lmb_study_axis *x) { // lines would go to and fro
    return x->measure || (p->axes.count > 1 && !p->axes.grid);
}

static lmb_status put_responses(FILE *f, const picture *p, const lmb_study_axis *x, lmb_error *err) {
    const lmb_study_axis *color = NULL;
    for (int i = 0; i < p->axes.count && color == NULL; i++)
        if (&p->axes.parameters[i] != x) color = &p->axes.parameters[i];
    lmb_status st = put_members(f, p, "members", x, color, err);
    if (color) color_bar(f, color);
    const char *style =
        is_dense(p, x) ? "points pointtype 7 pointsize 0.5" : "linespoints pointtype 7 pointsize 0.4";
    set_axis(f, "x", x);
    fputs("unset xlabel\n", f);
    for (int m = 0; m < p->count; m++) {
        if (m + 1 == p->count) label(f, "x", x);
        set_axis(f, "y", p->shown[m]);
        if (color) fprintf(f, "plot $members using 1:%d:2 with %s linecolor palette notitle", m + 4, style);
        else fprintf(f, "plot $members using 1:%d with %s linecolor '#2f6fd0' notitle", m + 4, style);
        put_failed(f, p, "members");
        fputc('\n', f);
    }
    return st;
}

// ---- maps ----------------------------------------------------------------------------------------

// where the cell of a level ends: half way to the next one, on the axis as it is shown
static double cell_end(const lmb_study_axis *x, int level, int side) {
    int next = level + side, here = level;
    if (next < 0 || next >= x->count) next = level - side; // as far as on the other side
    double a = x->levels[here], b = x->levels[next], sign = next - here == side ? 1 : -1;
    return x->spread.log ? a * pow(b / a, 0.5 * sign) : a + 0.5 * sign * (b - a);
}

static void put_cells(FILE *f, const picture *p, int m, bool failed) {
    const lmb_study_axes *a = &p->axes;
    const lmb_study_axis *x = &a->parameters[0], *y = &a->parameters[1];
    fprintf(f, "$%s%d << EOD\n", failed ? "failed" : "cells", m);
    for (int k = 0; k < a->f->members; k++) {
        double value = lmb_study_value(a, p->shown[m], k),
               at[2] = {lmb_study_value(a, x, k), lmb_study_value(a, y, k)};
        int i = lmb_study_level(x, at[0]), j = lmb_study_level(y, at[1]);
        if (failed ? a->f->status[k] <= 0 : !isfinite(value)) continue;
        fprintf(f, "%.12g %.12g %.12g %.12g %.12g %.12g", at[0], at[1], cell_end(x, i, -1), cell_end(x, i, 1),
                cell_end(y, j, -1), cell_end(y, j, 1));
        lmb_gnuplot_number(f, failed ? 0 : value);
        fputc('\n', f);
    }
    fputs("EOD\n", f);
}

static void cell_axis(FILE *f, const char *axis, const lmb_study_axis *x) {
    label(f, axis, x);
    fprintf(f, "%s logscale %s; set %srange [%.12g:%.12g]\n", x->spread.log ? "set" : "unset", axis, axis,
            cell_end(x, 0, -1), cell_end(x, x->count - 1, 1));
}

static lmb_status put_maps(FILE *f, const picture *p, lmb_error *err) {
    (void)err;
    fputs("set tics front\n", f);
    cell_axis(f, "x", &p->axes.parameters[0]);
    cell_axis(f, "y", &p->axes.parameters[1]);
    for (int m = 0; m < p->count; m++) {
        put_cells(f, p, m, false), put_cells(f, p, m, true);
        lmb_study_axis color = *p->shown[m];
        if (!has_range(&color)) color.spread.low -= 0.5, color.spread.high += 0.5;
        color_bar(f, &color);
        fputs("plot NaN with lines linecolor palette notitle", f);
        if (p->shown[m]->count > 0)
            fprintf(f,
                    ", $cells%d using 1:2:3:4:5:6:7 with boxxyerror fillstyle solid noborder linecolor "
                    "palette notitle",
                    m);
        if (p->axes.failed > 0)
            fprintf(f, ", $failed%d using 1:2 with points pointtype 2 linecolor '#d00000' notitle", m);
        fputc('\n', f);
    }
    return LMB_OK;
}

// three to six tics: 1, 2 or 5 times a power of ten
static void few_tics(FILE *f, const lmb_study_axis *x) {
    double size = x->spread.high - x->spread.low, power = pow(10, floor(log10(size / 3))),
           n = size / 3 / power;
    if (!x->spread.log && isfinite(power) && power > 0)
        fprintf(f, "set xtics %.12g rotate by -40 font ',8'\n", power * (n < 2 ? 1 : n < 5 ? 2 : 5));
    else fputs("set xtics autofreq rotate by -40 font ',8'\n", f);
}

// ---- scatter -------------------------------------------------------------------------------------

static lmb_status put_scatter(FILE *f, const picture *p, lmb_error *err) {
    int columns = p->axes.count < COLUMNS ? p->axes.count : COLUMNS;
    int rows = p->count < SCATTER_ROWS ? p->count : SCATTER_ROWS;
    const lmb_study_axis *color = has_range(p->shown[0]) ? p->shown[0] : NULL;
    lmb_status st = LMB_OK;
    for (int c = 0; c < columns && st == LMB_OK; c++) {
        char name[20];
        snprintf(name, sizeof name, "members%d", c);
        st = put_members(f, p, name, &p->axes.parameters[c], NULL, err);
    }
    if (color) color_bar(f, color);
    fputs(
        "unset colorbox; set lmargin 8; set rmargin 1; set tmargin 1; set bmargin 4.5; set ytics font ',8'\n",
        f);
    for (int m = 0; m < rows && st == LMB_OK; m++)
        for (int c = 0; c < columns; c++) {
            few_tics(f, &p->axes.parameters[c]), range(f, "x", &p->axes.parameters[c], 0.04),
                range(f, "y", p->shown[m], 0.06);
            fputs("unset xlabel; unset ylabel; set format x ''; set format y ''\n", f);
            if (m + 1 == rows) label(f, "x", &p->axes.parameters[c]), fputs("set format x '%g'\n", f);
            if (c == 0) label(f, "y", p->shown[m]), fputs("set format y '%g'\n", f);
            if (color)
                fprintf(f,
                        "plot $members%d using 1:%d:4 with points pointtype 7 pointsize 0.35 linecolor "
                        "palette notitle",
                        c, m + 4);
            else
                fprintf(f,
                        "plot $members%d using 1:%d with points pointtype 7 pointsize 0.35 linecolor "
                        "'#2f6fd0' notitle",
                        c, m + 4);
            char name[20];
            snprintf(name, sizeof name, "members%d", c);
            put_failed(f, p, name);
            fputc('\n', f);
        }
    return st;
}

// ---- sensitivities -------------------------------------------------------------------------------

static int index_of(const lmb_study_file *f, const char *name) {
    for (int i = 0; i < f->columns; i++)
        if (strcmp(f->column[i], name) == 0) return i;
    return -1;
}

static double index_at(const lmb_study_file *f, int measure, int parameter, const char *name) {
    int i = index_of(f, name);
    size_t at = ((size_t)measure * (size_t)f->parameters + (size_t)parameter) * (size_t)f->columns;
    return i < 0 ? NAN : f->sensitivity[at + (size_t)i];
}

// bars of one index with its bounds, beside each other
static void put_bars(FILE *f, const picture *p, int m, const char *name, double shift) {
    const lmb_study_file *s = p->axes.f;
    char low[40], high[40];
    snprintf(low, sizeof low, "%s_low", name), snprintf(high, sizeof high, "%s_high", name);
    fprintf(f, "$%s%d << EOD\n", name, m);
    for (int i = 0; i < p->axes.count && i < BARS; i++) {
        int j = p->axes.parameters[i].index, k = p->shown[m]->index;
        double value = index_at(s, k, j, name), a = index_at(s, k, j, low), b = index_at(s, k, j, high);
        if (!isfinite(value)) continue;
        fprintf(f, "%g %.12g %.12g %.12g\n", i + shift, value, isfinite(a) ? a : value,
                isfinite(b) ? b : value);
    }
    fputs("EOD\n", f);
}

static void name_tics(FILE *f, const picture *p) {
    fputs("set xtics noenhanced (", f);
    for (int i = 0; i < p->axes.count && i < BARS; i++) {
        fputs(i ? ", " : "", f);
        lmb_gnuplot_quote(f, p->axes.parameters[i].name);
        fprintf(f, " %d", i);
    }
    fputs(")\n", f);
}

static lmb_status put_sobol(FILE *f, const picture *p, lmb_error *err) {
    int shown = p->axes.count < BARS ? p->axes.count : BARS;
    (void)err;
    name_tics(f, p);
    if (shown > 8) fputs("set xtics rotate by -30\n", f);
    fprintf(f,
            "set xrange [-0.6:%g]; set yrange [*<0:1<*]; set grid noxtics; set boxwidth 0.34; set "
            "pointintervalbox 0\n",
            shown - 0.4);
    for (int m = 0; m < p->count; m++) {
        put_bars(f, p, m, "first", -0.18), put_bars(f, p, m, "total", 0.18);
        label(f, "y", &(lmb_study_axis){.name = p->shown[m]->name, .unit = ""});
        fprintf(
            f,
            "plot 0 linecolor '#888888' notitle, $first%d using 1:2 with boxes fillstyle solid 0.85 "
            "linecolor '#2f6fd0' title "
            "'first order', $total%d using 1:2 with boxes fillstyle solid 0.85 linecolor '#e07b1f' title "
            "'total', "
            "$first%d using 1:2:3:4 with yerrorbars pointtype 0 linecolor '#222222' title '95 %% interval', "
            "$total%d using 1:2:3:4 with yerrorbars pointtype 0 linecolor '#222222' notitle\n",
            m, m, m, m);
    }
    return LMB_OK;
}

static lmb_status put_morris(FILE *f, const picture *p, lmb_error *err) {
    const lmb_study_file *s = p->axes.f;
    (void)err;
    fputs("set xrange [0:*]; set yrange [0:*]; set offsets graph 0, graph 0.12, graph 0.08, graph 0\n", f);
    for (int m = 0; m < p->count; m++) {
        fprintf(f, "unset label\n$effects%d << EOD\n0 0\n", m);
        for (int i = 0; i < p->axes.count; i++) {
            int j = p->axes.parameters[i].index, k = p->shown[m]->index;
            lmb_gnuplot_number(f, index_at(s, k, j, "mu_star")),
                lmb_gnuplot_number(f, index_at(s, k, j, "sigma"));
            fputc('\n', f);
        }
        fputs("EOD\n", f);
        for (int i = 0; i < p->axes.count; i++) {
            double mu = index_at(s, p->shown[m]->index, p->axes.parameters[i].index, "mu_star"),
                   sigma = index_at(s, p->shown[m]->index, p->axes.parameters[i].index, "sigma");
            if (!isfinite(mu) || !isfinite(sigma)) continue;
            fputs("set label ", f);
            lmb_gnuplot_quote(f, p->axes.parameters[i].name);
            fprintf(f, " at %.12g,%.12g offset 0.8,0.4 noenhanced\n", mu, sigma);
        }
        label(f, "y", &(lmb_study_axis){.name = "sigma", .unit = p->shown[m]->unit});
        lmb_text text = {0};
        bool ok = lmb_text_add(&text, *p->shown[m]->unit ? "mu* of %s [%s]" : "mu* of %s", p->shown[m]->name,
                               p->shown[m]->unit);
        fputs("set xlabel ", f), lmb_gnuplot_quote(f, ok ? text.text : "mu*"), fputs(" noenhanced\n", f);
        lmb_text_free(&text);
        fprintf(f,
                "plot $effects%d using ($0 > 0 ? $1 : NaN):2 with points pointtype 7 linecolor '#2f6fd0' "
                "notitle, x with lines linecolor "
                "'#888888' dashtype 3 title 'sigma = mu*'\n",
                m);
    }
    return LMB_OK;
}

// ---- the picture ---------------------------------------------------------------------------------

typedef lmb_status drawer(FILE *f, const picture *p, lmb_error *err);

static lmb_status put_over(FILE *f, const picture *p, lmb_error *err) {
    const lmb_study_axes *a = &p->axes; // of two the one with more values
    bool second = a->count == 2 && a->parameters[1].count > a->parameters[0].count;
    return put_responses(f, p, p->against ? p->against : &a->parameters[second], err);
}

static drawer *drawer_for(const picture *p) {
    const lmb_study_axes *a = &p->axes;
    if (p->against) return put_over;
    if (strcmp(a->f->method, "sobol") == 0) return put_sobol;
    if (strcmp(a->f->method, "morris") == 0) return put_morris;
    if (a->count > 2) return put_scatter;
    return a->grid && a->parameters[0].count >= GRID && a->parameters[1].count >= GRID ? put_maps : put_over;
}

static lmb_status put_title(FILE *f, const picture *p, drawer *draw, lmb_error *err) {
    lmb_text title = {0};
    int parameters = draw == put_scatter ? COLUMNS : draw == put_sobol ? BARS : p->axes.count;
    bool ok = lmb_study_title(&title, &p->axes);
    if (ok && draw == put_scatter && p->count > SCATTER_ROWS)
        ok = lmb_text_add(&title, ", %d of %d measures", SCATTER_ROWS, p->count);
    if (ok && p->axes.count > parameters)
        ok = lmb_text_add(&title, ", %d of %d parameters", parameters, p->axes.count);
    lmb_gnuplot_quote(f, p->options->title ? p->options->title : ok ? title.text : "");
    lmb_text_free(&title);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status write_commands(FILE *f, void *user, lmb_error *err) {
    const picture *p = user;
    drawer *draw = drawer_for(p);
    bool scatter = draw == put_scatter;
    int rows = scatter && p->count > SCATTER_ROWS ? SCATTER_ROWS : p->count;
    int columns = !scatter ? 1 : p->axes.count < COLUMNS ? p->axes.count : COLUMNS;
    enum { MARGIN = 24 };
    int height = draw == put_maps || draw == put_morris ? 420 : scatter ? 190 : 250;
    lmb_status st = lmb_gnuplot_terminal(f, p->path, 90 + height * rows, err);
    if (st != LMB_OK) return st;
    fprintf(f, "set multiplot layout %d,%d title ", rows, columns);
    st = put_title(f, p, draw, err);
    fprintf(f,
            " noenhanced\nset lmargin 13; set rmargin %d; set grid linecolor '#dddddd' linewidth 0.5\n"
            "set border 3; set tics nomirror; set key outside right top noenhanced; set y2range [0:1]\n"
            "set format x '%%g'; set format y '%%g'\n",
            MARGIN);
    if (st == LMB_OK) st = draw(f, p, err);
    fputs("unset multiplot\nunset output\n", f);
    return st;
}

lmb_status lmb_plot_study(const char *path, const lmb_plot_options *options, lmb_error *err) {
    picture p = {.options = options, .path = path};
    lmb_study_file file = {0};
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_study_file_read(&file, NULL, options->results[0], -1, err);
    if (st == LMB_OK) st = lmb_study_axes_make(&p.axes, &file, err);
    if (st == LMB_OK) st = check(&p, err);
    if (st == LMB_OK) st = choose(&p, err);
    if (st == LMB_OK) st = lmb_gnuplot_picture(path, options->results, 1, write_commands, &p, err);
    lmb_locale_end(locale);
    lmb_study_axes_free(&p.axes);
    lmb_study_file_free(&file);
    return st;
}
