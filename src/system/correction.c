// system/correction.c: stress of residual fields against all of it.                  docs/theory/reduction.md (21)
#include "system/correction.h"

#include "fe/fe.h"
#include "reduce/flex.h"
#include "system/stress.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLE = 128 }; // places spread over a body; fewer than twice as many: all of them

// a section given by its properties has no fibres: its stress is not known
static const lmb_flex *flex_of(const lmb_body *b) {
    const lmb_flex *f = lmb_stress_flex(b);
    if (f == NULL || f->residual_count == 0) return NULL;
    return f->stress_kind == LMB_STRESS_BEAM && isnan(f->section[0]) ? NULL : f;
}

// ---- places ------------------------------------------------------------------------------------

// the place of a solid or shell with the largest stress of a unit of coordinate j
static int largest_of(const lmb_flex *f, int j) {
    size_t n = (size_t)lmb_flex_stress_count(f);
    double largest = -1, stress[6];
    int found = 0;
    for (int i = 0; i < f->stress_places; i++) {
        const double *rows = f->stress + (size_t)i * (size_t)f->stress_width * n + (size_t)j;
        for (size_t k = 0; k < 6; k++) stress[k] = rows[k * n];
        double mises = lmb_von_mises(stress);
        if (mises > largest) largest = mises, found = i;
    }
    return found;
}

// some of a large body: evenly spread, and where single coordinates have their largest stress
static bool list_places(lmb_correction_body *b, const lmb_flex *f) {
    bool all = f->stress_places < 2 * SAMPLE, beam = f->stress_kind == LMB_STRESS_BEAM;
    int spread = all ? f->stress_places : SAMPLE, peaks = all || beam ? 0 : lmb_flex_stress_count(f);
    b->places = lmb_alloc((size_t)(spread + peaks) + 1, sizeof *b->places);
    for (int i = 0; i < spread && b->places; i++)
        b->places[b->count++] = (int)((long)i * f->stress_places / spread);
    for (int j = 0; j < peaks && b->places; j++) b->places[b->count++] = largest_of(f, j);
    size_t row = 6 * (size_t)lmb_flex_stress_count(f);
    if (beam) b->rows = lmb_alloc((size_t)b->count * row + 1, sizeof *b->rows);
    for (int i = 0; i < b->count && b->rows; i++)
        lmb_flex_line_rows(b->rows + (size_t)i * row, NULL, f, b->places[i] / 2, b->places[i] % 2);
    return b->places && (b->rows || !beam);
}

// ---- create, destroy ---------------------------------------------------------------------------

lmb_status lmb_correction_create(lmb_correction **out, const lmb_model *m, lmb_error *err) {
    lmb_correction *x = *out = lmb_alloc(1, sizeof *x);
    if (x == NULL) return lmb_fail_memory(err);
    size_t bodies = (size_t)m->body_count + 1;
    int most = 0, row = -1, last = -1;
    x->m = m;
    x->first = lmb_alloc(bodies, sizeof *x->first), x->bodies = lmb_alloc(bodies, sizeof *x->bodies);
    bool ok = x->first && x->bodies;
    for (int i = 0; i < m->body_count && ok; i++) {
        const lmb_flex *f = flex_of(&m->bodies[i]);
        if (m->bodies[i].part == 0) row = i;
        if (f == NULL) continue;
        if (row != last) x->first[x->count++] = last = row;
        x->bodies[x->body_count] = (lmb_correction_body){.body = i, .row = x->count - 1};
        ok = list_places(&x->bodies[x->body_count++], f);
        if (lmb_flex_stress_count(f) > most) most = lmb_flex_stress_count(f);
    }
    x->state_count = 2 * (size_t)x->count;
    x->state = lmb_alloc(x->state_count + 1, sizeof *x->state);
    x->share = lmb_alloc((size_t)x->count + 1, sizeof *x->share);
    x->s = lmb_alloc((size_t)most + 1, sizeof *x->s);
    if (ok && x->state && x->share && x->s) return LMB_OK;
    lmb_correction_destroy(x), *out = NULL;
    return lmb_fail_memory(err);
}

void lmb_correction_destroy(lmb_correction *x) {
    if (x == NULL) return;
    for (int i = 0; i < x->body_count; i++) lmb_free(x->bodies[i].places), lmb_free(x->bodies[i].rows);
    lmb_free(x->first), lmb_free(x->bodies), lmb_free(x->state), lmb_free(x->share), lmb_free(x->s);
    lmb_free(x);
}

void lmb_correction_clear(lmb_correction *x) {
    memset(x->state, 0, x->state_count * sizeof *x->state);
    memset(x->share, 0, (size_t)x->count * sizeof *x->share);
}

// ---- a state -----------------------------------------------------------------------------------

// of two sizes; not a number if one of them is none
static double larger(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmax(a, b); }

void lmb_correction_update(lmb_correction *x) {
    for (int i = 0; i < x->count; i++)
        x->share[i] = x->state[2 * i + 1] == 0 ? 0 : 2 * x->state[2 * i] / x->state[2 * i + 1];
}

// the largest von Mises stress at the places of a body
static double largest(const lmb_correction_body *k, const lmb_flex *f, const double *s) {
    int n = lmb_flex_stress_count(f);
    double most = 0, forces[6], values[2];
    for (int i = 0; i < k->count && k->rows == NULL; i++)
        most = larger(most, lmb_flex_mises(f, k->places[i], s));
    if (k->rows == NULL) return most;
    for (int i = 0; i < k->count; i++) {
        for (int c = 0; c < 6; c++)
            forces[c] = lmb_dot(k->rows + (6 * (size_t)i + (size_t)c) * (size_t)n, s, n);
        lmb_section_values(values, forces, f->section + LMB_SECTION_SIZE * (size_t)k->places[i]);
        most = larger(most, values[1]);
    }
    return most;
}

void lmb_correction_add(lmb_correction *x, const lmb_data *d) {
    for (int i = 0; i < x->body_count; i++) {
        const lmb_correction_body *k = &x->bodies[i];
        const lmb_body *b = &x->m->bodies[k->body];
        const lmb_flex *f = b->ops->look.flex(b);
        const double *s = lmb_stress_of(d, b);
        double *state = x->state + 2 * k->row;
        memset(x->s, 0, (size_t)f->m * sizeof *x->s);
        memcpy(x->s + f->m, s + f->m, (size_t)f->residual_count * sizeof *x->s);
        state[0] = larger(state[0], largest(k, f, x->s));
        state[1] = larger(state[1], largest(k, f, s));
    }
    lmb_correction_update(x);
}

// ---- for people --------------------------------------------------------------------------------

static double highest_frequency(const lmb_correction *x, int row) {
    double f = INFINITY;
    for (int i = 0; i < x->body_count; i++) {
        const lmb_body *b = &x->m->bodies[x->bodies[i].body];
        const lmb_flex *k = b->ops->look.flex(b);
        if (x->bodies[i].row == row) f = fmin(f, k->frequency[k->m - 1]);
    }
    return f;
}

// one line: of the body with the largest share
bool lmb_correction_write(lmb_text *out, const lmb_correction *x, double limit) {
    int worst = -1, others = -1;
    for (int i = 0; i < x->count; i++) {
        if (x->share[i] <= limit) continue;
        if (worst < 0 || !(x->share[i] <= x->share[worst])) worst = i;
        others++;
    }
    if (worst < 0) return true;
    if (isnan(x->share[worst]))
        return lmb_text_add(out, "    warning: stresses of '%s' are not numbers\n",
                            x->m->bodies[x->first[worst]].name);
    char more[40] = "";
    if (others > 0) snprintf(more, sizeof more, " (and %d more)", others);
    return lmb_text_add(out,
                        "    stresses of '%s'%s include the static response to its loads (without it they "
                        "would be off by up to %.0f %% of the largest), but no vibrations above %.3g Hz; if "
                        "loads change that fast, use more `shapes`\n",
                        x->m->bodies[x->first[worst]].name, more, 100 * x->share[worst],
                        highest_frequency(x, worst));
}
