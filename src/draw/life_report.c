// draw/life_report.c: the output of `limber life`: a table, CSV, ParaView files, or a page.
#include "draw/exports.h"
#include "draw/life.h"
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
    if (st == LMB_OK) st = lmb_reader_find_motion(&w->group, w->r, o->analysis, err);
    if (st == LMB_OK) st = lmb_scene_load(&w->scene, w->r, err);
    return st == LMB_OK ? lmb_life_create(&w->e, w->r, w->scene, w->group, o, err) : st;
}

static void close_report(report *w) {
    lmb_life_destroy(w->e);
    lmb_scene_destroy(w->scene);
    lmb_reader_close(w->r);
}

// ---- table ---------------------------------------------------------------------------------------

static bool add_spot(lmb_text *out, const report *w, int i, int width) {
    const lmb_life_spot *s = &w->e->spots[i];
    return lmb_spot_write(out, &s->at, i + 1, width) &&
           lmb_text_add(out, "  %9.3g  %9.3g  %5.2f %5.2f %5.2f  %11.3g  %9.3g\n", s->damage, s->plane,
                        s->normal[0], s->normal[1], s->normal[2], lmb_life_repetitions(s),
                        lmb_life_hours(w->e, s));
}

static bool add_table(lmb_text *out, const void *user) {
    const report *w = user;
    int width = 0;
    for (int i = 0; i < w->e->spot_count; i++) width = lmb_spot_width(width, &w->e->spots[i].at);
    bool ok = lmb_text_add(out, "%s: damage over %ld rows, %.6g s, one line for each peak\n",
                           lmb_reader_group_name(w->r, w->group), w->e->rows, w->e->duration) &&
              lmb_sn_write(out, &w->e->line) && lmb_text_add(out, "\n\n");
    if (ok && w->e->spot_count == 0) return lmb_text_add(out, "no damage\n");
    ok = ok && lmb_spot_heading(out, width) &&
         lmb_text_add(out, "  %9s  %9s  %17s  %11s  %9s\n", "damage", "on plane", "its normal", "repetitions",
                      "life [h]");
    for (int i = 0; i < w->e->spot_count && ok; i++) ok = add_spot(out, w, i, width);
    return ok;
}

lmb_status lmb_life_table(char **out, const char *results, const lmb_life_options *options, lmb_error *err) {
    report w;
    *out = NULL;
    lmb_status st = open_report(&w, results, options, err);
    if (st == LMB_OK) st = lmb_table_output(out, add_table, &w, err);
    close_report(&w);
    return st;
}

// ---- files ---------------------------------------------------------------------------------------

static void write_rows(FILE *f, const void *user) {
    const report *w = user;
    fputs(LMB_SPOT_CSV ",damage,plane damage,nx,ny,nz,repetitions,life [h]\n", f);
    for (int i = 0; i < w->e->spot_count; i++) {
        const lmb_life_spot *s = &w->e->spots[i];
        const double numbers[] = {s->damage,
                                  s->plane,
                                  s->normal[0],
                                  s->normal[1],
                                  s->normal[2],
                                  lmb_life_repetitions(s),
                                  lmb_life_hours(w->e, s)};
        lmb_spot_csv(f, &s->at);
        for (int k = 0; k < LMB_COUNT(numbers); k++) fputc(',', f), lmb_csv_number(f, numbers[k]);
        fputc('\n', f);
    }
}

static lmb_status write_csv(const char *path, const char *results, const report *w, lmb_error *err) {
    return lmb_csv_output(path, results, write_rows, w, err);
}

static lmb_status write_vtk(const char *path, const char *results, const report *w, lmb_error *err) {
    const lmb_life_options *o = w->o;
    const lmb_export_options motion = {
        .analysis = o->analysis, .frames = o->frames, .progress = o->progress, .user = o->user};
    return lmb_vtk_write(path, results, &motion, w->e, err);
}

static lmb_status write_page(const char *path, const char *results, const report *w, lmb_error *err) {
    const lmb_life_options *o = w->o;
    const lmb_view_options page = {.results = &results,
                                   .result_count = 1,
                                   .page = o->page,
                                   .frames = o->frames,
                                   .progress = o->progress,
                                   .user = o->user};
    return lmb_page_write(path, &page, w->e, err);
}

#define FORMATS(X)                   \
    X(csv, "CSV", ".csv, .txt")      \
    X(vtk, "ParaView", ".pvd, .vtu") \
    X(page, "page", ".html")

typedef lmb_status file_writer(const char *path, const char *results, const report *w, lmb_error *err);
static const struct {
    const char *endings;
    file_writer *write;
} formats[] = {
#define ROW(id, name, endings) {endings, write_##id},
    FORMATS(ROW)};

static file_writer *find_writer(const char *path) {
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (lmb_format_fits(formats[i].endings, path)) return formats[i].write;
    return NULL;
}

lmb_status lmb_life_file(const char *path, const char *results, const lmb_life_options *options,
                         lmb_error *err) {
    report w;
    bool out = strcmp(path, "-") == 0;
    file_writer *write = out ? write_csv : find_writer(path);
    if (write == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "cannot write '%.300s': unknown ending; supported: %s", path,
                        LMB_FORMAT_TEXT(FORMATS(LMB_FORMAT_ALSO)));
    lmb_status st = out ? LMB_OK : lmb_output_check(path, results, err);
    if (st != LMB_OK) return st;
    st = open_report(&w, results, options, err);
    if (st == LMB_OK) st = write(path, results, &w, err);
    close_report(&w);
    return st;
}
