// draw/plot.c: plots curves over time, over another column or along beams with gnuplot.
//
// The commands and the numbers go into one temporary file, which gnuplot reads as its standard input; what it draws comes
// out of its standard output into a file that is renamed when it is complete.
#include "draw/plot.h"
#include "draw/along.h"
#include "draw/gnuplot.h"
#include "os/locale.h"
#include "store/study_file.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const tables[] = {"sensors",    "energies", "reactions", "forces",
                                     "correction", "response", "campbell",  "bars"};
enum {
    RESPONSE = LMB_COUNT(tables) - 3, // over the frequency, its first column
    CAMPBELL,                         // over the speed, its first column
    BARS,                             // drawn as bands around sensors
};

// ---- choosing ----------------------------------------------------------------------------------

// a name, a pattern, or an element that stands for its components: tip for tip.x, tip.y, tip.z
static bool matches(const char *wanted, const char *name) {
    size_t n = strlen(wanted);
    return fnmatch(wanted, name, FNM_NOESCAPE) == 0 || (strncmp(name, wanted, n) == 0 && name[n] == '.');
}

static bool same_curve(const lmb_plot_curve *c, int result, const char *name, const char *unit) {
    return c->result == result && strcmp(c->name, name) == 0 && strcmp(c->unit, unit) == 0;
}

lmb_status lmb_plot_add(lmb_plot *p, lmb_plot_curve c, const char *name, const char *unit, lmb_error *err) {
    for (int i = 0; i < p->curve_count; i++) // a name that occurs in a later table again is the same quantity
        if (same_curve(&p->curves[i], c.result, name, unit)) return lmb_free(c.xy), LMB_OK;
    if (p->curve_count == LMB_PLOT_CURVES)
        return lmb_free(c.xy), lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "more than %d curves; select fewer",
                                        LMB_PLOT_CURVES);
    c.name = lmb_strdup(name);
    c.unit = lmb_strdup(unit);
    p->curves[p->curve_count++] = c;
    return c.name && c.unit ? LMB_OK : lmb_fail_memory(err);
}

// the column of a name, -1: none
static int find_column(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    return -1;
}

// the table of an analysis whose rows lie over its first column; -1: they lie over time
static int own_table(const lmb_plot *p, int result) {
    for (int k = RESPONSE; k < BARS; k++)
        if (lmb_reader_has_table(p->readers[result], p->groups[result], tables[k])) return k;
    return -1;
}

// Of a Campbell diagram frequencies, of as many modes as there are: the first row has no numbers of others.
static lmb_status only_modes(bool *usual, lmb_reader *r, int g, const lmb_series *s, lmb_error *err) {
    double *row = lmb_alloc((size_t)s->columns + 1, sizeof *row);
    lmb_status st = row ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && lmb_reader_rows(r, g) > 0)
        st = lmb_reader_block(row, r, g, tables[CAMPBELL], (lmb_row_range){0, 1}, err);
    for (int i = 0; i < s->columns && st == LMB_OK; i++)
        usual[i] = strcmp(s->units[i], "Hz") == 0 && isfinite(row[i]);
    lmb_free(row);
    return st;
}

// curves of one table that match a word
static lmb_status choose_columns(lmb_plot *p, int result, int table, const char *wanted, lmb_error *err) {
    lmb_reader *r = p->readers[result];
    lmb_series s = {0}, bars = {0};
    int g = p->groups[result];
    lmb_status st = lmb_reader_titles(&s, r, g, tables[table], err);
    if (st == LMB_OK && table == 0 && lmb_reader_has_table(r, g, tables[BARS]))
        st = lmb_reader_columns(&bars, r, g, tables[BARS], err);
    bool *usual = lmb_alloc((size_t)s.columns + 1, sizeof *usual),
         chosen = wanted == NULL && table == CAMPBELL;
    if (st == LMB_OK && usual == NULL) st = lmb_fail_memory(err);
    if (st == LMB_OK && chosen) st = only_modes(usual, r, g, &s, err);
    for (int i = table >= RESPONSE; i < s.columns && st == LMB_OK; i++) {
        lmb_plot_curve c = {
            .result = result, .table = table, .column = i, .bar = find_column(&bars, s.names[i])};
        if (wanted ? matches(wanted, s.names[i]) : !chosen || usual[i])
            st = lmb_plot_add(p, c, s.names[i], s.units[i], err);
    }
    lmb_free(usual);
    lmb_series_free(&s), lmb_series_free(&bars);
    return st;
}

// curves of one result that match a word; NULL: all sensors
static lmb_status choose(lmb_plot *p, int result, const char *wanted, lmb_error *err) {
    lmb_reader *r = p->readers[result];
    int g = p->groups[result], before = p->curve_count;
    lmb_status st = LMB_OK;
    int own = own_table(p, result), end = own >= 0 ? own + 1 : wanted ? RESPONSE : 1;
    for (int k = own >= 0 ? own : 0; k < end && st == LMB_OK; k++)
        if (lmb_reader_has_table(r, g, tables[k])) st = choose_columns(p, result, k, wanted, err);
    if (st != LMB_OK || p->curve_count > before) return st;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "no column of '%.300s' matches '%.200s'; `limber info FILE` lists the columns",
                    p->options->results[result], wanted ? wanted : "*");
}

static bool is_wanted(const lmb_plot_options *o, const lmb_along_beam *a, int k) {
    double largest[2] = {0};
    for (int i = 0; i < o->sensor_count; i++)
        if (strcmp(o->sensors[i], lmb_along_names[k]) == 0) return true;
    if (o->sensor_count > 0) return false;
    for (int i = 0; i < a->count; i++)
        for (int c = 0; c < 6; c++) {
            double *to = &largest[c == k];
            *to = fmax(*to, fabs(a->forces[i][c]));
        }
    return largest[1] > 1e-9 * largest[0]; // not zero
}

// the forces of one beam in one result
static lmb_status choose_along(lmb_plot *p, int result, const char *body, lmb_error *err) {
    lmb_along_beam a;
    lmb_status st = lmb_along_read(&a, p->options->results[result], p->options->analysis, body, err);
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        if (!is_wanted(p->options, &a, k)) continue;
        lmb_text name = {0};
        lmb_plot_curve c = {.result = result,
                            .bar = -1,
                            .points = a.count,
                            .xy = lmb_alloc(2 * (size_t)a.count, sizeof(double))};
        for (int i = 0; c.xy && i < a.count; i++) c.xy[2 * i] = a.x[i], c.xy[2 * i + 1] = a.forces[i][k];
        if (c.xy && lmb_text_add(&name, "%s.%s", body, lmb_along_names[k]))
            st = lmb_plot_add(p, c, name.text, lmb_along_units[k], err);
        else lmb_free(c.xy), st = lmb_fail_memory(err);
        lmb_text_free(&name);
    }
    lmb_along_free(&a);
    return st;
}

// one result after the other if they are sorted by value, so that one at a time needs to be in memory
static lmb_status choose_sensors(lmb_plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    int words = o->sensor_count > 0 ? o->sensor_count : 1, runs = o->result_count;
    lmb_status st = LMB_OK;
    for (int i = 0; i < words * runs && st == LMB_OK; i++) {
        int run = lmb_plot_by_value(p) ? i / words : i % runs,
            k = lmb_plot_by_value(p) ? i % words : i / runs;
        st = choose(p, p->varied.order[run], o->sensor_count > 0 ? o->sensors[k] : NULL, err);
    }
    return st;
}

static lmb_status choose_beams(lmb_plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    lmb_status st = lmb_text_add(&p->xlabel, "x [m]") ? LMB_OK : lmb_fail_memory(err);
    for (int k = 0; k < o->along_count && st == LMB_OK; k++)
        for (int i = 0; i < o->result_count && st == LMB_OK; i++)
            st = choose_along(p, p->varied.order[i], o->along[k], err);
    return st;
}

static lmb_status choose_all(lmb_plot *p, lmb_error *err) {
    if (p->options->functions) return lmb_plot_functions(p, err);
    if (p->options->shape_count > 0) return lmb_plot_shapes(p, err);
    return p->options->along_count > 0 ? choose_beams(p, err) : choose_sensors(p, err);
}

// number of earlier names with the same unit, or that of an earlier curve of the same name
static int quantity_of(const lmb_plot *p, int i) {
    int most = -1;
    for (int k = 0; k < i; k++) {
        const lmb_plot_curve *a = &p->curves[k], *b = &p->curves[i];
        if (strcmp(a->name, b->name) == 0) return a->quantity;
        if (strcmp(a->unit, b->unit) == 0 && a->quantity > most) most = a->quantity;
    }
    return most + 1;
}

// a panel for each unit
static lmb_status make_panels(lmb_plot *p, lmb_error *err) {
    for (int i = 0; i < p->curve_count; i++) {
        int u = 0;
        while (u < p->unit_count && strcmp(p->units[u], p->curves[i].unit) != 0) u++;
        if (u == LMB_PLOT_PANELS)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "more than %d units; select fewer curves",
                            LMB_PLOT_PANELS);
        if (u == p->unit_count) p->units[p->unit_count++] = p->curves[i].unit;
        p->curves[i].quantity = quantity_of(p, i);
    }
    return LMB_OK;
}

// phases below the amplitudes
static void order_panels(lmb_plot *p) {
    for (int i = 0, end = p->unit_count; i < end;) {
        const char *unit = p->units[i];
        if (strcmp(unit, "deg") != 0) {
            i++;
            continue;
        }
        memmove(&p->units[i], &p->units[i + 1], (size_t)(p->unit_count - i - 1) * sizeof *p->units);
        p->units[p->unit_count - 1] = unit;
        end--;
    }
}

// ---- commands ----------------------------------------------------------------------------------

// the name of a file without folder and ending
static bool add_file_name(lmb_text *out, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".h5") == 0) length -= 3;
    return lmb_text_add_n(out, name, length);
}

// "tip.x", or with several results files "tip.x, long_arm", or "tip.x, L = 0.5" if they differ in that
static void curve_title(FILE *f, const lmb_plot *p, const lmb_plot_curve *c) {
    lmb_text title = {0};
    bool ok = p->options->result_count == 1 || lmb_text_add(&title, "%s, ", c->name);
    if (ok && lmb_plot_by_value(p)) ok = lmb_varied_label(&title, &p->varied, c->result);
    else if (ok && p->options->result_count > 1) ok = add_file_name(&title, p->options->results[c->result]);
    lmb_gnuplot_quote(f, ok && title.text ? title.text : c->name);
    lmb_text_free(&title);
}

static lmb_hex color_of(const lmb_plot *p, const lmb_plot_curve *c) {
    static const lmb_hex colors[] = {{"#2f6fd0"}, {"#e07b1f"}, {"#2e9e5b"}, {"#c8434f"}, {"#8457c6"},
                                     {"#8a6d4b"}, {"#d15ea0"}, {"#5f6b76"}, {"#a3a11d"}, {"#1aa7b8"}};
    if (lmb_plot_by_value(p)) return lmb_plot_run_color(p, c->result, c->unit);
    return colors[c->quantity % LMB_COUNT(colors)];
}

// a quantity has the same colour in all results, or the same dashes if colours show values
static int dashes_of(const lmb_plot *p, const lmb_plot_curve *c) {
    if (lmb_plot_by_value(p)) return c->quantity % 5 + 1;
    return p->options->result_count > 1 ? c->result % 5 + 1 : 1;
}

// value - bar to value + bar, below all curves; returns how many
static int bands(FILE *f, const lmb_plot *p, const char *unit, int before) {
    int drawn = 0;
    for (int i = 0; i < p->curve_count; i++) {
        if (p->curves[i].bar < 0 || strcmp(p->curves[i].unit, unit) != 0) continue;
        fprintf(
            f, "%s $curve%d using 1:3:4 with filledcurves fillcolor '%s' fillstyle transparent solid 0.25 %s",
            before + drawn ? "," : "", i, color_of(p, &p->curves[i]).text,
            drawn ? "notitle" : "title 'error bar'");
        drawn++;
    }
    return drawn;
}

static void curve(FILE *f, const lmb_plot *p, int i, int before) {
    const lmb_plot_curve *c = &p->curves[i];
    fprintf(f, "%s $curve%d using 1:2 with lines linecolor '%s' dashtype %d ", before ? "," : "", i,
            color_of(p, c).text, dashes_of(p, c));
    if (lmb_plot_by_value(p) && !lmb_plot_names_runs(p, c->unit)) fputs("linewidth 0.8 notitle", f);
    else fputs("title ", f), curve_title(f, p, c);
}

static void panel(FILE *f, const lmb_plot *p, const char *unit, bool last) {
    const lmb_plot_options *o = p->options;
    if (o->functions || o->shape_count > 0) fputs("set ylabel unit noenhanced\n", f);
    else fputs(*unit ? "set ylabel '['.unit.']' noenhanced\n" : "set ylabel '[-]'\n", f);
    if (last) {
        fputs("set xlabel ", f);
        lmb_gnuplot_quote(f, p->xlabel.text ? p->xlabel.text : "t [s]");
        fputs(" noenhanced\n", f);
    }
    bool phase = strcmp(unit, "deg") == 0;
    if (p->logarithmic)
        fputs(phase ? "unset logscale y; set ytics 90\n" : "set logscale y; set ytics autofreq\n", f);
    int drawn = lmb_plot_begin_runs(f, p, unit);
    drawn += bands(f, p, unit, drawn);
    for (int i = 0; i < p->curve_count; i++)
        if (strcmp(p->curves[i].unit, unit) == 0) curve(f, p, i, drawn++);
    fputc('\n', f);
}

static void put_point(FILE *f, double x, double y) {
    if (isfinite(x) && isfinite(y)) fprintf(f, "%.12g %.12g\n", x, y);
    else fputc('\n', f); // a gap
}

static void own_block(FILE *f, const lmb_plot_curve *c, int i) {
    fprintf(f, "$curve%d << EOD\n", i);
    for (long k = 0; k < c->points; k++) put_point(f, c->xy[2 * k], c->xy[2 * k + 1]);
    fputs("EOD\n", f);
}

// a table of a result, read once; table -1: its times
static lmb_status need_numbers(lmb_series **out, lmb_plot *p, int result, int table, lmb_error *err) {
    lmb_reader *r = p->readers[result];
    *out = table < 0 ? &p->time[result] : &p->values[result * LMB_COUNT(tables) + table];
    if ((*out)->v) return LMB_OK;
    return table < 0 ? lmb_reader_time(*out, r, p->groups[result], err)
                     : lmb_reader_table(*out, r, p->groups[result], tables[table], err);
}

// what is plotted: the abscissa, the curve, its error bars; NULL: none
typedef struct series {
    const lmb_series *x, *y, *bars;
    int against;
} series;

static lmb_status need_series(series *out, lmb_plot *p, const lmb_plot_curve *c, lmb_error *err) {
    const lmb_plot_place at = p->against ? p->against[c->result] : (lmb_plot_place){-1, 0};
    lmb_series *x, *y, *bars = NULL;
    lmb_status st = need_numbers(&x, p, c->result, at.table, err);
    if (st == LMB_OK) st = need_numbers(&y, p, c->result, c->table, err);
    if (st == LMB_OK && c->bar >= 0) st = need_numbers(&bars, p, c->result, BARS, err);
    if (st == LMB_OK) *out = (series){x, y, bars, at.column};
    return st;
}

static void drop_numbers(lmb_plot *p, int result) {
    for (int k = 0; k < LMB_COUNT(tables); k++) {
        lmb_series *s = &p->values[result * LMB_COUNT(tables) + k];
        lmb_series_free(s), *s = (lmb_series){0};
    }
}

// numbers of a curve as a block with a name; with error bars, the ends of the band beside them
static lmb_status block(FILE *f, lmb_plot *p, int i, lmb_error *err) {
    const lmb_plot_curve *c = &p->curves[i];
    series s;
    if (c->xy) return own_block(f, c, i), LMB_OK;
    lmb_status st = need_series(&s, p, c, err);
    if (st != LMB_OK) return st;
    fprintf(f, "$curve%d << EOD\n", i);
    for (long k = 0; k < s.y->rows; k++) {
        double x = s.x->v[k * s.x->columns + s.against], y = s.y->v[k * s.y->columns + c->column];
        double bar = s.bars ? s.bars->v[k * s.bars->columns + c->bar] : NAN;
        if (isfinite(x + y + bar)) fprintf(f, "%.12g %.12g %.12g %.12g\n", x, y, y - bar, y + bar);
        else if (isfinite(x + y) && s.bars) fprintf(f, "%.12g %.12g NaN NaN\n", x, y);
        else put_point(f, x, y);
    }
    fputs("EOD\n", f);
    return LMB_OK;
}

// ---- responses -----------------------------------------------------------------------------------

// the amplitude that a curve of a response shows, or that its phase belongs to
static int amplitude_of(const lmb_plot_curve *c) {
    size_t n = strlen(c->name), m = strlen(".phase");
    return n > m && strcmp(c->name + n - m, ".phase") == 0 ? c->column - 1 : c->column;
}

static double largest(const lmb_series *s, int column) {
    double most = 0;
    for (long i = 0; i < s->rows; i++) most = fmax(most, s->v[i * s->columns + column]);
    return most;
}

// whether an amplitude is nothing: zero, or rounding errors beside the others of its unit
static bool is_nothing(const lmb_series *s, int column) {
    const double ROUNDING = 1e-10;
    double most = 0;
    for (int k = 1; k < s->columns; k++)
        if (strcmp(s->units[k], s->units[column]) == 0) most = fmax(most, largest(s, k));
    return largest(s, column) <= ROUNDING * most;
}

// What is nothing has no place on a logarithmic axis, and no phase.
static lmb_status drop_nothing(lmb_plot *p, lmb_error *err) {
    lmb_status st = LMB_OK;
    int kept = 0;
    for (int i = 0; i < p->curve_count; i++) {
        lmb_plot_curve *c = &p->curves[i];
        lmb_series *s = NULL;
        if (st == LMB_OK) st = need_numbers(&s, p, c->result, c->table, err);
        if (st == LMB_OK && is_nothing(s, amplitude_of(c))) lmb_free(c->name), lmb_free(c->unit);
        else p->curves[kept++] = *c;
    }
    p->curve_count = kept;
    if (st != LMB_OK || kept > 0) return st;
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "nothing to plot: these responses are zero at all frequencies; do the inputs act on what the "
        "outputs measure?");
}

typedef struct extent { // of shapes
    double width, height;
} extent;

static extent extent_of(const lmb_plot *p) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < p->curve_count; i++)
        for (long k = 0; k < 2 * p->curves[i].points; k++) {
            low[k % 2] = fmin(low[k % 2], p->curves[i].xy[k]);
            high[k % 2] = fmax(high[k % 2], p->curves[i].xy[k]);
        }
    return (extent){high[0] - low[0], high[1] - low[1]};
}

// pixels: 250 for a panel; shapes are as high as they are, at the same scale in both directions
static int height_of(const lmb_plot *p) {
    if (p->options->shape_count == 0) return 90 + 250 * p->unit_count;
    extent e = extent_of(p);
    return (int)(100 + fmin(fmax(650 * e.height / e.width, 200), 1000)); // not a number: 200
}

// the same tics in both directions: 1, 2 or 5 times a power of ten, five to ten of them
static void same_scale(FILE *f, const lmb_plot *p) {
    extent e = extent_of(p);
    double size = fmax(e.width, e.height), power = pow(10, floor(log10(size / 5))), n = size / 5 / power;
    double step = power * (n < 2 ? 1 : n < 5 ? 2 : 5);
    fputs("set size ratio -1\n", f);
    if (isfinite(step) && step > 0) fprintf(f, "set xtics %.12g; set ytics %.12g\n", step, step);
}

static lmb_status page_title(FILE *f, const lmb_plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    lmb_text title = {0};
    bool runs = o->title == NULL && lmb_plot_by_value(p), ok = !runs || lmb_plot_runs_title(&title, p);
    fprintf(f, "set multiplot layout %d,1 title ", p->unit_count);
    lmb_gnuplot_quote(f, o->title ? o->title : ok && runs ? title.text : o->results[0]);
    lmb_text_free(&title);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status write_commands(FILE *f, void *user, lmb_error *err) {
    lmb_plot *p = user;
    lmb_status st = lmb_gnuplot_terminal(f, p->path, height_of(p), err);
    for (int i = 0; i < p->curve_count && st == LMB_OK; i++) {
        st = block(f, p, i, err);
        if (p->values && i + 1 < p->curve_count && p->curves[i + 1].result != p->curves[i].result &&
            lmb_plot_by_value(p))
            drop_numbers(p, p->curves[i].result);
    }
    if (st == LMB_OK) st = page_title(f, p, err);
    if (st != LMB_OK) return st;
    fprintf(f,
            " noenhanced\nset lmargin 11; set rmargin %d; set grid linecolor '#dddddd' linewidth 0.5\n"
            "set border 3; set tics nomirror; set key outside right top noenhanced\n",
            lmb_plot_margin(p));
    if (p->options->shape_count > 0) same_scale(f, p);
    if (p->logarithmic) fputs("set logscale x; set autoscale xfix; set format y '%g'\n", f);
    for (int u = 0; u < p->unit_count; u++) {
        fputs("unit = ", f);
        lmb_gnuplot_quote(f, p->units[u]);
        fputc('\n', f);
        panel(f, p, p->units[u], u + 1 == p->unit_count);
    }
    fputs("unset multiplot\nunset output\n", f);
    return LMB_OK;
}

// the column that is the abscissa of a result
static lmb_status find_against(lmb_plot *p, int result, lmb_error *err) {
    const char *wanted = p->options->against;
    lmb_plot_place *at = &p->against[result];
    for (int k = 0; k < BARS; k++) {
        lmb_series s = {0};
        if (!lmb_reader_has_table(p->readers[result], p->groups[result], tables[k])) continue;
        lmb_status st = lmb_reader_titles(&s, p->readers[result], p->groups[result], tables[k], err);
        *at = (lmb_plot_place){k, st == LMB_OK ? find_column(&s, wanted) : -1};
        bool found = at->column >= 0, label = found && p->xlabel.length == 0;
        const char *unit = found ? s.units[at->column] : "";
        if (label && !lmb_text_add(&p->xlabel, *unit ? "%s [%s]" : "%s%s", wanted, unit))
            st = lmb_fail_memory(err);
        lmb_series_free(&s);
        if (st != LMB_OK || found) return st;
    }
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "no column '%.200s' in '%.300s' to plot against; `limber info FILE` lists the columns",
                    wanted, p->options->results[result]);
}

// responses lie over their frequency, Campbell diagrams over the speed
static lmb_status over_own(lmb_plot *p, lmb_error *err) {
    static const char *const labels[] = {"frequency [Hz]", "speed [rad/s]"};
    int own = own_table(p, 0);
    for (int i = 0; i < p->options->result_count; i++) {
        if (own_table(p, i) != own)
            return lmb_fail(
                err, LMB_ERR_INPUT, LMB_NOWHERE,
                "'%.300s' and '%.300s' have no common abscissa; choose analyses of one type with --analysis",
                p->options->results[0], p->options->results[i]);
        p->against[i] = (lmb_plot_place){own, 0};
    }
    p->logarithmic = own == RESPONSE;
    return own < 0 || lmb_text_add(&p->xlabel, "%s", labels[own - RESPONSE]) ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status find_all_against(lmb_plot *p, lmb_error *err) {
    lmb_status st = LMB_OK;
    p->against = lmb_alloc((size_t)p->options->result_count, sizeof *p->against);
    if (p->against == NULL) return lmb_fail_memory(err);
    if (p->options->against == NULL) return over_own(p, err);
    for (int i = 0; i < p->options->result_count && st == LMB_OK; i++) st = find_against(p, i, err);
    return st;
}

static lmb_status open_all(lmb_plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    p->readers = lmb_alloc((size_t)o->result_count, sizeof *p->readers);
    p->groups = lmb_alloc((size_t)o->result_count, sizeof *p->groups);
    p->time = lmb_alloc((size_t)o->result_count, sizeof *p->time);
    p->values = lmb_alloc((size_t)o->result_count * LMB_COUNT(tables), sizeof *p->values);
    if (!p->readers || !p->groups || !p->time || !p->values) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < o->result_count && st == LMB_OK; i++) {
        st = lmb_reader_open(&p->readers[i], o->results[i], err);
        if (st == LMB_OK) st = lmb_reader_find_group(&p->groups[i], p->readers[i], o->analysis, err);
    }
    return st == LMB_OK ? find_all_against(p, err) : st;
}

// of results files; shape functions may also be those of body files
static lmb_status find_varied(lmb_plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    return o->functions ? LMB_OK : lmb_varied_read(&p->varied, o->results, o->result_count, err);
}

static void free_plot(lmb_plot *p) {
    int results = p->options->result_count;
    for (int i = 0; i < p->curve_count; i++)
        lmb_free(p->curves[i].name), lmb_free(p->curves[i].unit), lmb_free(p->curves[i].xy);
    for (int i = 0; p->readers && i < results; i++) lmb_reader_close(p->readers[i]);
    for (int i = 0; p->time && i < results; i++) lmb_series_free(&p->time[i]);
    for (int i = 0; p->values && i < results * LMB_COUNT(tables); i++) lmb_series_free(&p->values[i]);
    lmb_text_free(&p->xlabel);
    lmb_varied_free(&p->varied);
    lmb_free(p->against), lmb_free(p->time), lmb_free(p->values), lmb_free(p->readers), lmb_free(p->groups);
    lmb_free(p);
}

lmb_status lmb_plot_file(const char *path, const lmb_plot_options *options, lmb_error *err) {
    if (options->result_count == 1 && lmb_study_file_is(options->results[0]))
        return lmb_plot_study(path, options, err);
    lmb_plot *p = lmb_alloc(1, sizeof *p);
    if (p == NULL) return lmb_fail_memory(err);
    *p = (lmb_plot){.options = options, .path = path};
    lmb_plain_locale locale = lmb_locale_begin();
    bool columns = options->functions == NULL && options->shape_count == 0; // others open files themselves
    lmb_status st = columns ? open_all(p, err) : LMB_OK;
    if (st == LMB_OK) st = find_varied(p, err);
    if (st == LMB_OK) st = choose_all(p, err);
    if (st == LMB_OK && p->logarithmic) st = drop_nothing(p, err);
    if (st == LMB_OK) st = make_panels(p, err);
    if (p->logarithmic) order_panels(p);
    if (st == LMB_OK)
        st = lmb_gnuplot_picture(path, options->results, options->result_count, write_commands, p, err);
    lmb_locale_end(locale);
    free_plot(p);
    return st;
}
