// draw/spots.c: places of flexible bodies in tables and CSV files.
#include "draw/spots.h"

#include "draw/exports.h"
#include "os/locale.h"
#include "os/outfile.h"

#include <errno.h>
#include <string.h>

lmb_spot lmb_spot_at(const lmb_stressed *x, int place, bool bottom) {
    int body = lmb_stressed_body_of(x, place), at = place - x->bodies[body].first;
    const lmb_skin *s = &x->bodies[body].skin;
    const int32_t *numbers = s->forces ? s->end_node : s->node;
    lmb_spot out = {.body = body, .place = at, .node = numbers ? numbers[at] : -1, .bottom = bottom};
    out.name = x->scene->bodies[body].name;
    out.kind = s->forces ? "section" : bottom ? "bottom" : "node";
    memcpy(out.x, (s->forces ? s->ends : s->x) + 3 * at, sizeof out.x);
    return out;
}

// ---- tables --------------------------------------------------------------------------------------

int lmb_spot_width(int width, const lmb_spot *s) {
    size_t n = strlen(s->name), least = strlen("body");
    if (n < least) n = least;
    if (n > 40) n = 40;
    return (int)n > width ? (int)n : width;
}

bool lmb_spot_heading(lmb_text *out, int width) {
    return lmb_text_add(out, "%3s  %-*s  %-14s  %10s %10s %10s", "", width, "body", "place", "x [m]", "y [m]",
                        "z [m]");
}

bool lmb_spot_write(lmb_text *out, const lmb_spot *s, int number, int width) {
    bool ok = lmb_text_add(out, "%3d  %-*s  %-7s ", number, width, s->name, s->kind);
    if (ok && s->node >= 0) ok = lmb_text_add(out, "%6d", s->node);
    else if (ok) ok = lmb_text_add(out, "%6s", "-");
    return ok && lmb_text_add(out, "  %10.4g %10.4g %10.4g", s->x[0], s->x[1], s->x[2]);
}

// ---- CSV -----------------------------------------------------------------------------------------

void lmb_spot_csv(FILE *f, const lmb_spot *s) {
    lmb_csv_heading(f, s->name, "");
    fprintf(f, ",%s,", s->kind);
    if (s->node >= 0) fprintf(f, "%d", s->node);
    for (int k = 0; k < 3; k++) fprintf(f, ",%.17g", s->x[k]);
}

typedef struct task {
    void (*write)(FILE *f, const void *user);
    const void *user;
    const char *path;
} task;

static lmb_status write_to(FILE *f, const task *t, lmb_error *err) {
    lmb_plain_locale locale = lmb_locale_begin();
    errno = 0;
    t->write(f, t->user);
    bool ok = fflush(f) == 0 && !ferror(f);
    lmb_locale_end(locale);
    return ok ? LMB_OK : lmb_output_fail(err, t->path, errno);
}

lmb_status lmb_table_output(char **out, bool (*write)(lmb_text *out, const void *user), const void *user,
                            lmb_error *err) {
    lmb_text text = {0};
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = write(&text, user);
    lmb_locale_end(locale);
    if (ok) *out = text.text;
    else lmb_text_free(&text);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_csv_output(const char *path, const char *results, void (*write)(FILE *f, const void *user),
                          const void *user, lmb_error *err) {
    lmb_outfile out;
    if (strcmp(path, "-") == 0) return write_to(stdout, &(task){write, user, "standard output"}, err);
    lmb_output_sweep(path);
    lmb_status st = lmb_outfile_open(&out, path, results, err);
    if (st != LMB_OK) return st;
    return lmb_outfile_close(&out, write_to(out.f, &(task){write, user, path}, err), err);
}
