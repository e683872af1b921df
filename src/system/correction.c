// system/correction.c: stress of residual fields against all of it.                  docs/theory/reduction.md (21), (29)
#include "system/correction.h"

#include "fe/fe.h"
#include "linalg/symmetric.h"
#include "reduce/flex.h"
#include "system/stress.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLE = 128 };        // places spread over a body; fewer than twice as many: all of them
enum { LAST, FIRST, BEFORE }; // times before the p that is kept

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

// ---- the mass of residual fields ---------------------------------------------------------------

// W'M W.  Its part within the shape functions is known, W'M V = -A with the columns A of T for the loads q''; the rest lies above
// their frequencies.  G = A (V'M V)^-1 A' + 1/w_m^2
static lmb_status find_mass(double *G, const lmb_flex *f, lmb_error *err) {
    int m = f->m, n = f->residual_count, loads = lmb_flex_residual_loads(f);
    const double *A = f->residual + loads - m, w = m > 0 ? 2 * LMB_PI * f->frequency[m - 1] : 0;
    double *M = lmb_alloc((size_t)m * (size_t)(m + n) + 1, sizeof *M),
           *c = lmb_after(M, (size_t)m * (size_t)m);
    if (M == NULL) return lmb_fail_memory(err);
    memcpy(M, f->I6, (size_t)m * (size_t)m * sizeof *M);
    for (int j = 0; j < m; j++)
        for (int r = 0; r < n; r++) c[j * n + r] = A[r * loads + j];
    lmb_status st = m > 0 ? lmb_dense_spd_solve(c, M, m, n, err) : LMB_OK;
    for (int i = 0; i < n && st == LMB_OK; i++)
        for (int r = 0; r < n; r++) {
            G[i * n + r] = i == r && w > 0 ? 1 / (w * w) : 0;
            for (int j = 0; j < m; j++) G[i * n + r] += A[i * loads + j] * c[j * n + r];
        }
    lmb_free(M);
    return st;
}

// ---- create, destroy ---------------------------------------------------------------------------

static lmb_status make_masses(lmb_correction *x, lmb_error *err) {
    lmb_status st = LMB_OK;
    size_t at = 0;
    for (int i = 0; i < x->body_count; i++)
        x->last_count += BEFORE + (size_t)flex_of(&x->m->bodies[x->bodies[i].body])->residual_count;
    x->last = lmb_alloc(x->last_count + 1, sizeof *x->last);
    if (x->last == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < x->body_count && st == LMB_OK; i++) {
        lmb_correction_body *k = &x->bodies[i];
        const lmb_flex *f = flex_of(&x->m->bodies[k->body]);
        size_t n = (size_t)f->residual_count;
        k->last = x->last + at, at += BEFORE + n;
        k->G = lmb_alloc(n * n, sizeof *k->G);
        st = k->G ? find_mass(k->G, f, err) : lmb_fail_memory(err);
    }
    return st;
}

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
    x->state_count = LMB_CORRECTION_SIZE * (size_t)x->count;
    x->state = lmb_alloc(x->state_count + 1, sizeof *x->state);
    x->share = lmb_alloc((size_t)x->count + 1, sizeof *x->share);
    x->s = lmb_alloc((size_t)most + 1, sizeof *x->s);
    lmb_status st = ok && x->state && x->share && x->s ? make_masses(x, err) : lmb_fail_memory(err);
    if (st != LMB_OK) return lmb_correction_destroy(x), *out = NULL, st;
    lmb_correction_clear(x);
    return LMB_OK;
}

void lmb_correction_destroy(lmb_correction *x) {
    if (x == NULL) return;
    for (int i = 0; i < x->body_count; i++)
        lmb_free(x->bodies[i].places), lmb_free(x->bodies[i].rows), lmb_free(x->bodies[i].G);
    lmb_free(x->first), lmb_free(x->bodies), lmb_free(x->state), lmb_free(x->share), lmb_free(x->s);
    lmb_free(x->last);
    lmb_free(x);
}

void lmb_correction_clear(lmb_correction *x) {
    memset(x->state, 0, x->state_count * sizeof *x->state);
    memset(x->share, 0, (size_t)x->count * sizeof *x->share);
    for (int i = 0; i < x->body_count; i++) x->bodies[i].last[LAST] = NAN;
}

// ---- a state -----------------------------------------------------------------------------------

// of two sizes; not a number if one of them is none
static double larger(double a, double b) { return isnan(a) || isnan(b) ? NAN : fmax(a, b); }

static double *row_of(const lmb_correction *x, int i) { return x->state + LMB_CORRECTION_SIZE * i; }

void lmb_correction_update(lmb_correction *x) {
    for (int i = 0; i < x->count; i++) {
        const double *row = row_of(x, i);
        x->share[i] = row[LMB_WHOLE_STRESS] == 0 ? 0 : 2 * row[LMB_ADDED_STRESS] / row[LMB_WHOLE_STRESS];
    }
}

// x.G x
static double product(const double *G, const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * lmb_dot(G + i * n, x, n);
    return sum;
}

// how fast the residual coordinates p change, and the mass that they move
static void add_rates(double *row, const lmb_correction_body *k, const double *p, int n, double time) {
    double dt = time - k->last[LAST], *q = k->last + BEFORE, change = 0;
    for (int i = 0; i < n; i++) change += (p[i] - q[i]) * (p[i] - q[i]);
    row[LMB_RESIDUAL_ENERGY] += lmb_dot(p, p, n), row[LMB_RESIDUAL_MASS] += product(k->G, p, n);
    if (dt > 0) row[LMB_RESIDUAL_CHANGE] += change, row[LMB_RESIDUAL_RATE] += change / (dt * dt);
    if (isnan(k->last[LAST])) k->last[FIRST] = time;
    k->last[LAST] = time, memcpy(q, p, (size_t)n * sizeof *p);
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
        double *row = row_of(x, k->row);
        memset(x->s, 0, (size_t)f->m * sizeof *x->s);
        memcpy(x->s + f->m, s + f->m, (size_t)f->residual_count * sizeof *x->s);
        double added = largest(k, f, x->s);
        if (isnan(k->last[LAST]) && lmb_norm_max(s, f->m) == 0)
            row[LMB_SUDDEN_STRESS] = larger(row[LMB_SUDDEN_STRESS], added);
        row[LMB_ADDED_STRESS] = larger(row[LMB_ADDED_STRESS], added);
        row[LMB_WHOLE_STRESS] = larger(row[LMB_WHOLE_STRESS], largest(k, f, s));
        add_rates(row, k, s + f->m, f->residual_count, *d->time);
        row[LMB_LATE_STRESS] = larger(row[LMB_LATE_STRESS], added * (*d->time - k->last[FIRST]));
    }
    lmb_correction_update(x);
}

// ---- for people --------------------------------------------------------------------------------

// A load that changes at the rate dp/dt leaves vibrations of the amplitude (dp/dt)/w_W where it begins and where it ends to do so, a
// load that jumps those of its own size.  Shape functions that lack p vibrate too fast by the share (w/w_W)^2/2, so that after the time
// t their stress, s(0, p) w_W/w, is off by s(0, p) (w/w_W) w t/2:
//   max(2 s_0, min(w/w_W max(2 s(0, p), w/2 s(0, p) t), s(0, p))) / max s(q, p),
//   w^2 = sum |dp/dt|^2 / sum |p|^2,   1/w_W^2 = sum p.G p / sum |p|^2                                                 (29)
typedef struct left {
    double share;
    bool jumps; // loads change too fast for (29) to be more than their own size
} left;

static left remains(const lmb_correction *x, int row) {
    const double *r = row_of(x, row), energy = r[LMB_RESIDUAL_ENERGY], whole = r[LMB_WHOLE_STRESS],
                 added = r[LMB_ADDED_STRESS], sudden = 2 * r[LMB_SUDDEN_STRESS];
    if (isnan(x->share[row])) return (left){NAN, false};
    if (!(energy > 0) || !(whole > 0)) return (left){0, false};
    bool coarse = r[LMB_RESIDUAL_CHANGE] > energy; // the output times do not tell how fast p changes
    double w = sqrt(r[LMB_RESIDUAL_RATE] / energy), ratio = w * sqrt(r[LMB_RESIDUAL_MASS] / energy);
    double own = ratio * fmax(2 * added, w / 2 * r[LMB_LATE_STRESS]);
    if (coarse || own > added) own = added;
    return (left){fmax(sudden, own) / whole, coarse || 2 * ratio > 1 || sudden > own};
}

// one line: of the body whose stresses are furthest off
bool lmb_correction_write(lmb_text *out, const lmb_correction *x, double limit) {
    int worst = -1, others = -1;
    left most = {0, false};
    for (int i = 0; i < x->count; i++) {
        left r = remains(x, i);
        if (r.share <= limit) continue;
        if (worst < 0 || !(r.share <= most.share)) worst = i, most = r;
        others++;
    }
    if (worst < 0) return true;
    const char *name = x->m->bodies[x->first[worst]].name;
    if (isnan(most.share)) return lmb_text_add(out, "    warning: stresses of '%s' are not numbers\n", name);
    char more[40] = "";
    if (others > 0) snprintf(more, sizeof more, " (and %d more)", others);
    return lmb_text_add(
        out, "    stresses of '%s'%s may be off by about %s of the largest: its loads %s; %s\n", name, more,
        lmb_percent(most.share).text,
        most.jumps
            ? "jump, or change from one output time to the next, faster than its shape functions vibrate"
            : "change too fast for its shape functions",
        most.jumps ? "loads that change gradually, `damping` or more shape functions reduce it, a smaller "
                     "`every` or `limber run --error-bars` tells more"
                   : "`limber run --error-bars` tells more, `shapes: auto` finds better ones");
}
