// draw/plot.c: plots curves over time or along beams with gnuplot.
//
// The commands and the numbers go into one temporary file, which gnuplot reads as its standard input; what it draws comes
// out of its standard output into a file that is renamed when it is complete.  Names stand in single quotes, where
// gnuplot knows no escapes but a doubled quote.
#include <limber/limber.h>

#include "draw/along.h"
#include "os/files.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "os/program.h"
#include "store/results.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CURVES = 200, PANELS = 12 };

typedef struct curve {
    int result, table, column;
    int bar;           // column of its error bars, -1: none
    char *name, *unit; // owned
    long points;       // along a beam
    double *xy;        // owned; NULL: over time
} curve;

typedef struct plot {
    const lmb_plot_options *options;
    const char *path;
    lmb_reader **readers;
    int *groups;
    lmb_series *time, *values; // of each result; of each result and table: read when first needed
    curve curves[CURVES];
    int curve_count;
    const char *units[PANELS];
    int unit_count;
} plot;

static const char *const tables[] = {"sensors", "energies", "reactions", "forces", "correction", "bars"};
enum { BARS = LMB_COUNT(tables) - 1 }; // drawn as bands around sensors

// ---- choosing ----------------------------------------------------------------------------------

// a name, a pattern, or an element that stands for its components: tip for tip.x, tip.y, tip.z
static bool matches(const char *wanted, const char *name) {
    size_t n = strlen(wanted);
    return fnmatch(wanted, name, FNM_NOESCAPE) == 0 || (strncmp(name, wanted, n) == 0 && name[n] == '.');
}

static bool same_curve(const curve *c, int result, const char *name) {
    return c->result == result && strcmp(c->name, name) == 0;
}

// takes ownership of the numbers of c
static lmb_status add_curve(plot *p, curve c, const char *name, const char *unit, lmb_error *err) {
    for (int i = 0; i < p->curve_count; i++) // a name that occurs in a later table again is the same quantity
        if (same_curve(&p->curves[i], c.result, name)) return lmb_free(c.xy), LMB_OK;
    if (p->curve_count == CURVES)
        return lmb_free(c.xy),
               lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "more than %d curves; select fewer", CURVES);
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

// curves of one table that match a word
static lmb_status choose_columns(plot *p, int result, int table, const char *wanted, lmb_error *err) {
    lmb_reader *r = p->readers[result];
    lmb_series s = {0}, bars = {0};
    int g = p->groups[result];
    lmb_status st = lmb_reader_columns(&s, r, g, tables[table], err);
    if (st == LMB_OK && table == 0 && lmb_reader_has_table(r, g, tables[BARS]))
        st = lmb_reader_columns(&bars, r, g, tables[BARS], err);
    for (int i = 0; i < s.columns && st == LMB_OK; i++) {
        curve c = {.result = result, .table = table, .column = i, .bar = find_column(&bars, s.names[i])};
        if (wanted == NULL || matches(wanted, s.names[i])) st = add_curve(p, c, s.names[i], s.units[i], err);
    }
    lmb_series_free(&s), lmb_series_free(&bars);
    return st;
}

// curves of one result that match a word; NULL: all sensors
static lmb_status choose(plot *p, int result, const char *wanted, lmb_error *err) {
    lmb_reader *r = p->readers[result];
    int g = p->groups[result], before = p->curve_count;
    lmb_status st = LMB_OK;
    for (int k = 0; k < (wanted ? BARS : 1) && st == LMB_OK; k++)
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
static lmb_status choose_along(plot *p, int result, const char *body, lmb_error *err) {
    lmb_along_beam a;
    lmb_status st = lmb_along_read(&a, p->options->results[result], p->options->analysis, body, err);
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        if (!is_wanted(p->options, &a, k)) continue;
        lmb_text name = {0};
        curve c = {.result = result,
                   .bar = -1,
                   .points = a.count,
                   .xy = lmb_alloc(2 * (size_t)a.count, sizeof(double))};
        for (int i = 0; c.xy && i < a.count; i++) c.xy[2 * i] = a.x[i], c.xy[2 * i + 1] = a.forces[i][k];
        if (c.xy && lmb_text_add(&name, "%s.%s", body, lmb_along_names[k]))
            st = add_curve(p, c, name.text, lmb_along_units[k], err);
        else lmb_free(c.xy), st = lmb_fail_memory(err);
        lmb_text_free(&name);
    }
    lmb_along_free(&a);
    return st;
}

static lmb_status choose_all(plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    lmb_status st = LMB_OK;
    for (int k = 0; k < o->along_count && st == LMB_OK; k++)
        for (int i = 0; i < o->result_count && st == LMB_OK; i++) st = choose_along(p, i, o->along[k], err);
    for (int k = 0; k < (o->sensor_count > 0 ? o->sensor_count : 1) && st == LMB_OK && o->along_count == 0;
         k++)
        for (int i = 0; i < o->result_count && st == LMB_OK; i++)
            st = choose(p, i, o->sensor_count > 0 ? o->sensors[k] : NULL, err);
    for (int i = 0; i < p->curve_count && st == LMB_OK; i++) {
        int u = 0;
        while (u < p->unit_count && strcmp(p->units[u], p->curves[i].unit) != 0) u++;
        if (u == PANELS)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "more than %d units; select fewer curves",
                            PANELS);
        if (u == p->unit_count) p->units[p->unit_count++] = p->curves[i].unit;
    }
    return st;
}

// ---- commands ----------------------------------------------------------------------------------

static void quoted(FILE *f, const char *s) {
    fputc('\'', f);
    for (; *s; s++) {
        if (*s == '\'') fputc('\'', f);
        fputc((unsigned char)*s < 0x20 ? ' ' : *s, f);
    }
    fputc('\'', f);
}

static lmb_status terminal(FILE *f, const plot *p, lmb_error *err) {
    const char *dot = strrchr(p->path, '.'), *end = dot ? dot + 1 : "";
    int height = 90 + 250 * p->unit_count;
    if (strcmp(end, "svg") == 0)
        fprintf(f,
                "set terminal svg noenhanced size 1000,%d font 'sans,13' linewidth 1.2 background 'white'\n",
                height);
    else if (strcmp(end, "png") == 0)
        fprintf(f, "set terminal pngcairo noenhanced size 1000,%d font 'sans,11' linewidth 1.5\n", height);
    else if (strcmp(end, "pdf") == 0)
        fprintf(f, "set terminal pdfcairo noenhanced size 20cm,%gcm font 'sans,10' linewidth 1.5\n",
                0.02 * height);
    else
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "unsupported plot format '%.300s'; supported: .svg, .png, .pdf", p->path);
    return LMB_OK;
}

// "tip.x", or with several results files "tip.x, long_arm"
static void curve_title(FILE *f, const plot *p, const curve *c) {
    const char *path = p->options->results[c->result], *slash = strrchr(path, '/'),
               *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".h5") == 0) length -= 3;
    lmb_text title = {0};
    if (p->options->result_count > 1) lmb_text_add(&title, "%s, %.*s", c->name, (int)length, name);
    quoted(f, title.text ? title.text : c->name);
    lmb_text_free(&title);
}

// number of earlier names with the same unit: a quantity has the same colour in all results
static int color_of(const plot *p, int i) {
    int count = 0;
    for (int k = 0; k < i; k++) {
        const curve *a = &p->curves[k], *b = &p->curves[i];
        if (strcmp(a->name, b->name) == 0) return color_of(p, k);
        bool first = strcmp(a->unit, b->unit) == 0;
        for (int j = 0; j < k && first; j++) first = strcmp(p->curves[j].name, a->name) != 0;
        count += first;
    }
    return count;
}

static const char *color_name(const plot *p, int i) {
    static const char *const colors[] = {"#2f6fd0", "#e07b1f", "#2e9e5b", "#c8434f", "#8457c6",
                                         "#8a6d4b", "#d15ea0", "#5f6b76", "#a3a11d", "#1aa7b8"};
    return colors[color_of(p, i) % LMB_COUNT(colors)];
}

// value - bar to value + bar, below all curves; returns how many
static int bands(FILE *f, const plot *p, const char *unit) {
    int drawn = 0;
    for (int i = 0; i < p->curve_count; i++) {
        if (p->curves[i].bar < 0 || strcmp(p->curves[i].unit, unit) != 0) continue;
        fprintf(
            f, "%s $curve%d using 1:3:4 with filledcurves fillcolor '%s' fillstyle transparent solid 0.25 %s",
            drawn ? "," : "", i, color_name(p, i), drawn ? "notitle" : "title 'error bar'");
        drawn++;
    }
    return drawn;
}

static void panel(FILE *f, const plot *p, const char *unit, bool last) {
    fputs(*unit ? "set ylabel '['.unit.']' noenhanced\n" : "set ylabel '[-]'\n", f);
    if (last) fputs(p->options->along_count > 0 ? "set xlabel 'x [m]'\n" : "set xlabel 't [s]'\n", f);
    fputs("plot", f);
    int drawn = bands(f, p, unit);
    for (int i = 0; i < p->curve_count; i++) {
        const curve *c = &p->curves[i];
        if (strcmp(c->unit, unit) != 0) continue;
        fprintf(f, "%s $curve%d using 1:2 with lines linecolor '%s' dashtype %d title ", drawn ? "," : "", i,
                color_name(p, i), p->options->result_count > 1 ? c->result % 5 + 1 : 1);
        curve_title(f, p, c);
        drawn++;
    }
    fputc('\n', f);
}

static void block_along(FILE *f, const curve *c, int i) {
    fprintf(f, "$curve%d << EOD\n", i);
    for (long k = 0; k < c->points; k++) fprintf(f, "%.12g %.12g\n", c->xy[2 * k], c->xy[2 * k + 1]);
    fputs("EOD\n", f);
}

// a table of a result, read once; table -1: its times
static lmb_status need_numbers(lmb_series **out, plot *p, int result, int table, lmb_error *err) {
    lmb_reader *r = p->readers[result];
    *out = table < 0 ? &p->time[result] : &p->values[result * LMB_COUNT(tables) + table];
    if ((*out)->v) return LMB_OK;
    return table < 0 ? lmb_reader_time(*out, r, p->groups[result], err)
                     : lmb_reader_table(*out, r, p->groups[result], tables[table], err);
}

// numbers of a curve as a block with a name; with error bars, the ends of the band beside them
static lmb_status block(FILE *f, plot *p, int i, lmb_error *err) {
    const curve *c = &p->curves[i];
    lmb_series *t, *s, *bars = NULL;
    if (c->xy) return block_along(f, c, i), LMB_OK;
    lmb_status st = need_numbers(&t, p, c->result, -1, err);
    if (st == LMB_OK) st = need_numbers(&s, p, c->result, c->table, err);
    if (st == LMB_OK && c->bar >= 0) st = need_numbers(&bars, p, c->result, BARS, err);
    if (st != LMB_OK) return st;
    fprintf(f, "$curve%d << EOD\n", i);
    for (long k = 0; k < t->rows; k++) {
        double y = s->v[k * s->columns + c->column];
        double bar = bars ? bars->v[k * bars->columns + c->bar] : NAN;
        if (!isfinite(y)) fputc('\n', f); // a gap
        else if (isfinite(bar)) fprintf(f, "%.12g %.12g %.12g %.12g\n", t->v[k], y, y - bar, y + bar);
        else fprintf(f, "%.12g %.12g%s\n", t->v[k], y, bars ? " NaN NaN" : "");
    }
    fputs("EOD\n", f);
    return LMB_OK;
}

static lmb_status write_commands(FILE *f, plot *p, lmb_error *err) {
    lmb_status st = terminal(f, p, err);
    for (int i = 0; i < p->curve_count && st == LMB_OK; i++) st = block(f, p, i, err);
    if (st != LMB_OK) return st;
    fprintf(f, "set multiplot layout %d,1 title ", p->unit_count);
    quoted(f, p->options->title ? p->options->title : p->options->results[0]);
    fputs(" noenhanced\nset lmargin 11; set rmargin 32; set grid linecolor '#dddddd' linewidth 0.5\n"
          "set border 3; set tics nomirror; set key outside right top noenhanced\n",
          f);
    for (int u = 0; u < p->unit_count; u++) {
        fputs("unit = ", f);
        quoted(f, p->units[u]);
        fputc('\n', f);
        panel(f, p, p->units[u], u + 1 == p->unit_count);
    }
    fputs("unset multiplot\nunset output\n", f);
    if (fflush(f) == 0 && !ferror(f)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot write a temporary file: %s", strerror(errno));
}

// ---- gnuplot -----------------------------------------------------------------------------------

// runs gnuplot on the commands in f, without the user's start-up files; what it says is not shown
static lmb_status run_gnuplot(FILE *f, int out, const char *path, lmb_error *err) {
    char *argv[] = {"gnuplot", "-d", NULL};
    int status = 0;
    rewind(f);
    int failed = lmb_program_run(&status, argv, fileno(f), out);
    if (failed == ENOENT)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "plotting requires gnuplot; install it (Debian: apt install gnuplot-nox)");
    if (failed)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot start gnuplot: %s", strerror(failed));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "gnuplot could not write '%.400s'", path);
}

// gnuplot does not tell when the disk is full: a whole picture ends as its kind does
static lmb_status check_end(int out, const char *path, lmb_error *err) {
    static const char *const ends[] = {"</svg>", "IEND", "%%EOF"};
    char tail[64] = "";
    lmb_file_about about;
    long long from = lmb_file_look(&about, out) && about.bytes > 60 ? about.bytes - 60 : 0;
    ssize_t n = pread(out, tail, 60, from);
    for (int i = 0; n > 0 && i < LMB_COUNT(ends); i++)
        if (memmem(tail, (size_t)n, ends[i], strlen(ends[i]))) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                    "cannot write '%.400s': gnuplot did not finish it; is the disk full?", path);
}

static lmb_status draw_into(int out, plot *p, lmb_error *err) {
    FILE *f = lmb_scratch_file();
    if (f == NULL)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot create a temporary file: %s",
                        strerror(errno));
    lmb_status st = write_commands(f, p, err);
    if (st == LMB_OK) st = run_gnuplot(f, out, p->path, err);
    fclose(f);
    return st == LMB_OK ? check_end(out, p->path, err) : st;
}

static lmb_status draw(plot *p, lmb_error *err) {
    char *part;
    int out;
    lmb_status st = LMB_OK;
    for (int i = 0; i < p->options->result_count && st == LMB_OK; i++)
        st = lmb_output_check(p->path, p->options->results[i], err);
    if (st == LMB_OK) lmb_output_sweep(p->path), st = lmb_output_begin(&part, &out, p->path, err);
    if (st != LMB_OK) return st;
    st = draw_into(out, p, err);
    return lmb_output_end(&part, out, p->path, st, err);
}

static lmb_status open_all(plot *p, lmb_error *err) {
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
    return st;
}

lmb_status lmb_plot_file(const char *path, const lmb_plot_options *options, lmb_error *err) {
    plot *p = lmb_alloc(1, sizeof *p);
    if (p == NULL) return lmb_fail_memory(err);
    *p = (plot){.options = options, .path = path};
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = open_all(p, err);
    if (st == LMB_OK) st = choose_all(p, err);
    if (st == LMB_OK) st = draw(p, err);
    lmb_locale_end(locale);
    for (int i = 0; i < p->curve_count; i++)
        lmb_free(p->curves[i].name), lmb_free(p->curves[i].unit), lmb_free(p->curves[i].xy);
    for (int i = 0; p->readers && i < options->result_count; i++) lmb_reader_close(p->readers[i]);
    for (int i = 0; p->time && i < options->result_count; i++) lmb_series_free(&p->time[i]);
    for (int i = 0; p->values && i < options->result_count * LMB_COUNT(tables); i++)
        lmb_series_free(&p->values[i]);
    lmb_free(p->time);
    lmb_free(p->values);
    lmb_free(p->readers);
    lmb_free(p->groups);
    lmb_free(p);
    return st;
}
