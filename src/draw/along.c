// draw/along.c: section forces along a beam of a results file.
#include "draw/along.h"

#include "draw/drawing.h"

#include <string.h>

const char *const lmb_along_names[6] = {"N", "Qy", "Qz", "T", "My", "Mz"};
const char *const lmb_along_units[6] = {"N", "N", "N", "Nm", "Nm", "Nm"};

// `body` itself, or body[2], body[3], ..: its further parts
static bool is_part(const char *name, const char *body) {
    size_t n = strlen(body);
    return strncmp(name, body, n) == 0 && (name[n] == '\0' || name[n] == '[');
}

static int count_ends(const lmb_drawing *d, const char *body) {
    int count = 0;
    for (int i = 0; i < d->body_count; i++)
        if (is_part(d->bodies[i].name, body) && d->bodies[i].skin.forces)
            count += d->bodies[i].skin.end_count;
    return count;
}

// arc lengths continue from part to part
static void take(lmb_along_beam *a, const lmb_drawing *d, const lmb_drawn *b) {
    const lmb_skin *s = &b->skin;
    lmb_skin_state at = lmb_drawn_state(d, b, d->frame_count - 1);
    for (int i = 0; i < s->end_count; i++) {
        double last = a->count > 0 ? a->x[a->count - 1] : 0;
        vec3 from = v3_load(s->ends + 3 * (i - i % 2)), to = v3_load(s->ends + 3 * i);
        a->x[a->count] = last + v3_norm(v3_sub(to, from));
        lmb_skin_forces(a->forces[a->count++], s, i, at);
    }
}

lmb_status lmb_along_read(lmb_along_beam *out, const char *results, const char *analysis, const char *body,
                          lmb_error *err) {
    lmb_drawing *d;
    *out = (lmb_along_beam){0};
    const lmb_export_options options = {.analysis = analysis, .frames = 2}; // the first row and the last
    lmb_status st = lmb_drawing_create(&d, results, &options, err);
    if (st != LMB_OK) return st;
    int count = count_ends(d, body);
    if (count == 0 || d->frame_count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "'%.300s' has no section forces for body '%.100s'; choose a beam with a floating frame",
                      results, body);
    if (st == LMB_OK) {
        out->x = lmb_alloc((size_t)count, sizeof *out->x);
        out->forces = lmb_alloc((size_t)count, sizeof *out->forces);
        if (out->x == NULL || out->forces == NULL) st = lmb_fail_memory(err);
    }
    for (int i = 0; i < d->body_count && st == LMB_OK; i++)
        if (is_part(d->bodies[i].name, body) && d->bodies[i].skin.forces) take(out, d, &d->bodies[i]);
    lmb_drawing_destroy(d);
    if (st != LMB_OK) lmb_along_free(out);
    return st;
}

void lmb_along_free(lmb_along_beam *a) {
    lmb_free(a->x), lmb_free(a->forces);
    *a = (lmb_along_beam){0};
}
