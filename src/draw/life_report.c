// draw/life_report.c: the output of `limber life`: a table, CSV, or ParaView files.
#include "draw/exports.h"
#include "draw/life.h"
#include "os/locale.h"
#include "os/outfile.h"

#include <math.h>
#include <string.h>

typedef struct report {
    lmb_reader *r;
    int group;
    lmb_scene *scene;
    lmb_life *e;
    const lmb_life_options *o;
} report;

static lmb_status open_report(report *w, const char *results, const lmb_life_options *o, lmb_error *err) {
    *w = (report){.o = o};
    lmb_status st = lmb_reader_open(&w->r, results, err);
    if (st == LMB_OK) st = lmb_reader_find_group(&w->group, w->r, o->analysis, err);
    if (st == LMB_OK) st = lmb_scene_load(&w->scene, w->r, err);
    return st == LMB_OK ? lmb_life_create(&w->e, w->r, w->scene, w->group, o, err) : st;
}

static void close_report(report *w) {
    lmb_life_destroy(w->e);
    lmb_scene_destroy(w->scene);
    lmb_reader_close(w->r);
}

// how often the analysis can be repeated
static double repetitions(const lmb_life_spot *s) { return 1 / lmb_life_spot_damage(s); }

static double hours(const report *w, const lmb_life_spot *s) {
    return repetitions(s) * w->e->duration / 3600;
}

// ---- table ---------------------------------------------------------------------------------------

static bool add_line(lmb_text *out, const lmb_sn_line *l) {
    bool ok = lmb_text_add(out, "S-N line: %.6g MPa at %.3g cycles, slope %.3g", 1e-6 * l->strength,
                           l->cycles, l->slope);
    if (ok && isinf(l->slope_below)) ok = lmb_text_add(out, ", no damage below");
    else if (ok) ok = lmb_text_add(out, ", below %.3g", l->slope_below);
    if (ok && l->mean == LMB_MEAN_SWT) ok = lmb_text_add(out, "; mean stress: Smith, Watson, Topper");
    if (ok && l->mean == LMB_MEAN_NONE) ok = lmb_text_add(out, "; mean stress: no effect");
    if (ok && l->mean == LMB_MEAN_GOODMAN)
        ok = lmb_text_add(out, "; mean stress: Goodman, %.6g MPa", 1e-6 * l->tensile);
    return ok && lmb_text_add(out, "\n\n");
}

static bool add_spot(lmb_text *out, const report *w, int i, int width) {
    const lmb_life_spot *s = &w->e->spots[i];
    return lmb_spot_write(out, &s->at, i + 1, width) &&
           lmb_text_add(out, "  %9.3g  %9.3g  %5.2f %5.2f %5.2f  %11.3g  %9.3g\n", s->damage, s->plane,
                        s->normal[0], s->normal[1], s->normal[2], repetitions(s), hours(w, s));
}

static bool add_table(lmb_text *out, const report *w) {
    int width = 0;
    for (int i = 0; i < w->e->spot_count; i++) width = lmb_spot_width(width, &w->e->spots[i].at);
    bool ok = lmb_text_add(out, "%s: damage over %ld rows, %.6g s, one line for each peak\n",
                           lmb_reader_group_name(w->r, w->group), w->e->rows, w->e->duration) &&
              add_line(out, &w->o->line);
    if (ok && w->e->spot_count == 0) return lmb_text_add(out, "no damage\n");
    ok = ok && lmb_spot_heading(out, width) &&
         lmb_text_add(out, "  %9s  %9s  %17s  %11s  %9s\n", "damage", "on plane", "its normal", "repetitions",
                      "life [h]");
    for (int i = 0; i < w->e->spot_count && ok; i++) ok = add_spot(out, w, i, width);
    return ok;
}

lmb_status lmb_life_table(char **out, const char *results, const lmb_life_options *options, lmb_error *err) {
    report w;
    lmb_text text = {0};
    lmb_status st = open_report(&w, results, options, err);
    lmb_plain_locale locale = lmb_locale_begin();
    if (st == LMB_OK && !add_table(&text, &w)) st = lmb_fail_memory(err);
    lmb_locale_end(locale);
    close_report(&w);
    *out = st == LMB_OK ? text.text : NULL;
    if (st != LMB_OK) lmb_text_free(&text);
    return st;
}

// ---- files ---------------------------------------------------------------------------------------

static void write_csv(FILE *f, const void *user) {
    const report *w = user;
    fputs(LMB_SPOT_CSV ",damage,plane damage,nx,ny,nz,repetitions,life [h]\n", f);
    for (int i = 0; i < w->e->spot_count; i++) {
        const lmb_life_spot *s = &w->e->spots[i];
        const double numbers[] = {s->damage,    s->plane,       s->normal[0], s->normal[1],
                                  s->normal[2], repetitions(s), hours(w, s)};
        lmb_spot_csv(f, &s->at);
        for (int k = 0; k < LMB_COUNT(numbers); k++) fputc(',', f), lmb_csv_number(f, numbers[k]);
        fputc('\n', f);
    }
}

static lmb_status write_vtk(const char *path, const char *results, const report *w, lmb_error *err) {
    const lmb_life_options *o = w->o;
    const lmb_export_options motion = {
        .analysis = o->analysis, .frames = o->frames, .progress = o->progress, .user = o->user};
    return lmb_vtk_write(path, results, &motion, w->e, err);
}

lmb_status lmb_life_file(const char *path, const char *results, const lmb_life_options *options,
                         lmb_error *err) {
    report w;
    bool vtk = lmb_format_fits(".pvd, .vtu", path), csv = lmb_format_fits(".csv, .txt", path);
    if (!vtk && !csv && strcmp(path, "-") != 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "cannot write '%.300s': unknown ending; supported: CSV (.csv, .txt), ParaView (.pvd, .vtu)",
            path);
    lmb_status st = vtk || csv ? lmb_output_check(path, results, err) : LMB_OK;
    if (st != LMB_OK) return st;
    st = open_report(&w, results, options, err);
    if (st == LMB_OK)
        st = vtk ? write_vtk(path, results, &w, err) : lmb_csv_output(path, results, write_csv, &w, err);
    close_report(&w);
    return st;
}
