// draw/hot_spots.c: the output of `limber stress`: where the stresses of a run are largest, as a table or as CSV.
//
// Its columns are one list for both.
#include <limber/limber.h>

#include "draw/envelope.h"
#include "draw/exports.h"
#include "os/outfile.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct report {
    lmb_reader *r;
    lmb_scene *scene;
    lmb_envelope *e;
    lmb_envelope_options o;
} report;

// the principal stress that is largest by size: its sign tells tension from compression
static double main_principal(const lmb_spot *s) {
    double p[3];
    lmb_principal(p, s->stress);
    return fabs(p[0]) >= fabs(p[2]) ? p[0] : p[2];
}

// ---- reading -------------------------------------------------------------------------------------

static const char *why_none(const report *w, int body) {
    const lmb_scene_body *b = &w->scene->bodies[body];
    if (b->flex == NULL) return "is rigid";
    if (b->q < 0) return "has absolute nodal coordinates; use `section` sensors";
    if (w->e->bodies[body].unknown) return "has sections given by their properties; use `section` sensors";
    return "has no stress data (see `stress` of its part)";
}

static lmb_status check_spots(const report *w, lmb_error *err) {
    int flexible = -1;
    for (int i = 0; i < w->scene->body_count; i++) {
        const lmb_scene_body *b = &w->scene->bodies[i];
        if (w->e->bodies[i].count > 0 && !w->e->bodies[i].unknown) return LMB_OK;
        if (w->o.body ? strcmp(b->name, w->o.body) == 0 : b->flex != NULL) flexible = i;
    }
    if (flexible < 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "the model has no flexible bodies, so there are no stresses");
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no stresses: body '%.200s' %s",
                    w->scene->bodies[flexible].name, why_none(w, flexible));
}

static lmb_status open_report(report *w, const char *results, const lmb_stress_options *o, lmb_error *err) {
    static const lmb_stress_options plain = {0};
    if (o == NULL) o = &plain;
    lmb_watch watch = {o->progress, o->user};
    *w = (report){.o = {.spots = o->count > 0 ? o->count : 10, .body = o->body, .watch = &watch}};
    lmb_status st = lmb_reader_open(&w->r, results, err);
    if (st == LMB_OK) st = lmb_reader_find_motion(&w->o.group, w->r, o->analysis, err);
    if (st == LMB_OK) st = lmb_scene_load(&w->scene, w->r, err);
    if (st == LMB_OK) st = lmb_envelope_create(&w->e, w->r, w->scene, &w->o, err);
    w->o.watch = NULL;
    return st == LMB_OK ? check_spots(w, err) : st;
}

static void close_report(report *w) {
    lmb_envelope_destroy(w->e);
    lmb_scene_destroy(w->scene);
    lmb_reader_close(w->r);
}

// ---- table ---------------------------------------------------------------------------------------

static bool has_bars(const report *w) {
    for (int i = 0; i < w->e->spot_count; i++)
        if (!isnan(w->e->spots[i].bar)) return true;
    return false;
}

static bool add_bar(lmb_text *out, double bar) {
    return isnan(bar) ? lmb_text_add(out, "  %15s", "-") : lmb_text_add(out, "  %15.3g", 1e-6 * bar);
}

static bool add_spot(lmb_text *out, const report *w, int i, int width) {
    const lmb_spot *s = &w->e->spots[i];
    bool ok = lmb_spot_write(out, s, i + 1, width) &&
              lmb_text_add(out, "  %10.5g  %15.4g", s->time, 1e-6 * s->mises);
    if (ok && has_bars(w)) ok = add_bar(out, s->bar);
    return ok && lmb_text_add(out, "  %15.4g\n", 1e-6 * main_principal(s));
}

// flexible bodies that are not in the table, and why
static bool add_missing(lmb_text *out, const report *w) {
    bool ok = true;
    for (int i = 0; i < w->scene->body_count && ok; i++) {
        const lmb_scene_body *b = &w->scene->bodies[i];
        bool missing = b->flex && b->of == NULL && (w->e->bodies[i].count == 0 || w->e->bodies[i].unknown);
        if (missing && w->o.body == NULL)
            ok = lmb_text_add(out, "not included: '%s' %s\n", b->name, why_none(w, i));
    }
    return ok;
}

// a run with error bars, and the worst place has none
static bool add_unsure(lmb_text *out, const report *w) {
    const lmb_spot *s = w->e->spots;
    if (w->e->spot_count == 0 || !isnan(s->bar) || !lmb_reader_has_table(w->r, w->o.group, "bars"))
        return true;
    return lmb_text_add(out,
                        "no error bar at the first place: bars are known where sensors are (`largest_stress` "
                        "of '%s', or `stress` there)\n",
                        s->name);
}

static bool add_table(lmb_text *out, const void *user) {
    const report *w = user;
    int width = 0;
    for (int i = 0; i < w->e->spot_count; i++) width = lmb_spot_width(width, &w->e->spots[i]);
    bool ok = lmb_text_add(out, "%s: largest von Mises stresses over %ld rows, one line for each peak\n\n",
                           lmb_reader_group_name(w->r, w->o.group), lmb_reader_rows(w->r, w->o.group)) &&
              lmb_spot_heading(out, width) &&
              lmb_text_add(out, "  %10s  %15s%s  %15s\n", "t [s]", "von Mises [MPa]",
                           has_bars(w) ? "  error bar [MPa]" : "", "principal [MPa]");
    for (int i = 0; i < w->e->spot_count && ok; i++) ok = add_spot(out, w, i, width);
    return ok && add_unsure(out, w) && add_missing(out, w);
}

lmb_status lmb_stress_table(char **out, const char *results, const lmb_stress_options *options,
                            lmb_error *err) {
    report w;
    *out = NULL;
    lmb_status st = open_report(&w, results, options, err);
    if (st == LMB_OK) st = lmb_table_output(out, add_table, &w, err);
    close_report(&w);
    return st;
}

// ---- CSV -----------------------------------------------------------------------------------------

static void write_csv(FILE *f, const void *user) {
    const report *w = user;
    fputs(LMB_SPOT_CSV ",t [s],mises [Pa],s1 [Pa],s2 [Pa],s3 [Pa],xx [Pa],yy [Pa],zz [Pa],xy [Pa],yz [Pa],"
                       "zx [Pa],mises.bar [Pa]\n",
          f);
    for (int i = 0; i < w->e->spot_count; i++) {
        const lmb_spot *s = &w->e->spots[i];
        double numbers[12] = {s->time, s->mises};
        lmb_principal(numbers + 2, s->stress);
        memcpy(numbers + 5, s->stress, sizeof s->stress);
        numbers[11] = s->bar;
        lmb_spot_csv(f, s);
        for (int k = 0; k < LMB_COUNT(numbers); k++) fputc(',', f), lmb_csv_number(f, numbers[k]);
        fputc('\n', f);
    }
}

lmb_status lmb_stress_csv_file(const char *path, const char *results, const lmb_stress_options *options,
                               lmb_error *err) {
    report w;
    lmb_status st = open_report(&w, results, options, err);
    if (st == LMB_OK) st = lmb_csv_output(path, results, write_csv, &w, err);
    close_report(&w);
    return st;
}
