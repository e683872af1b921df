// system/mismatch.c: internal loads of flexible bodies against applied loads.           docs/theory/reduction.md (12)
#include "system/mismatch.h"

#include "reduce/flex.h"

#include <string.h>

// forces of a row are at least this fraction of its torques by its size, and the other way round: a body without
// torques has no torque to compare with
static const double FLOOR = 0.05;

static const lmb_flex *flex_of(const lmb_model *m, int body) {
    const lmb_body *b = &m->bodies[body];
    const lmb_flex *f = b->ops->look.flex ? b->ops->look.flex(b) : NULL;
    return f && f->m > 0 && b->ops->look.floating && b->ops->look.interface ? f : NULL;
}

// ---- create, destroy ---------------------------------------------------------------------------

static bool counts(const lmb_flex *f, int marker) { return f->markers[marker].balance.K != NULL; }

// parts that share frames: the load between them is not a joint load
static bool shares(const lmb_model *m, int one, int other) {
    if (other < 0 || other >= m->body_count || flex_of(m, other) == NULL) return false;
    const lmb_body *a = &m->bodies[one], *b = &m->bodies[other];
    for (int i = 0; i < a->block_count; i++)
        for (int k = 0; k < b->block_count; k++)
            if (a->blocks[i] == b->blocks[k]) return true;
    return false;
}

static void list_places(lmb_mismatch *x) {
    int row = 0;
    vec3 origin = V3_ZERO;
    x->count = 0;
    for (int i = 0; i < x->m->body_count; i++) {
        const lmb_flex *f = flex_of(x->m, i);
        if (x->m->bodies[i].part == 0) row = i;
        if (f == NULL || shares(x->m, i, i - 1) || shares(x->m, i, i + 1)) continue;
        if (row == i && f->node_count > 0) origin = v3_load(f->node_x);
        for (int k = 0; x->size && k < f->node_count; k++)
            x->size[row] = fmax(x->size[row], v3_norm(v3_sub(v3_load(f->node_x + 3 * k), origin)));
        for (int k = 0; k < f->marker_count; k++) {
            if (!counts(f, k)) continue;
            if (x->places) x->places[x->count] = (lmb_mismatch_place){i, k, row};
            x->count++;
        }
    }
}

static double *room(bool *ok, size_t count) {
    double *p = lmb_alloc(count + 1, sizeof *p);
    *ok = *ok && p != NULL;
    return p;
}

lmb_status lmb_mismatch_create(lmb_mismatch **out, const lmb_model *m, lmb_error *err) {
    lmb_mismatch *x = *out = lmb_alloc(1, sizeof *x);
    if (x == NULL) return lmb_fail_memory(err);
    x->m = m;
    int markers = 0, loads = 0;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_flex *f = flex_of(m, i);
        if (f && f->marker_count > markers) markers = f->marker_count;
        if (f && lmb_flex_load_count(f) > loads) loads = lmb_flex_load_count(f);
    }
    list_places(x);
    size_t places = (size_t)x->count, n = 6 * places, bodies = (size_t)m->body_count;
    bool ok = true;
    x->places = lmb_alloc(places + 1, sizeof *x->places);
    x->size = room(&ok, bodies);
    x->state_count = 2 * n + 2 * bodies + 2 * places + 1;
    x->state = room(&ok, x->state_count);
    x->row = room(&ok, n), x->rms = room(&ok, n), x->internal = room(&ok, n), x->load = room(&ok, n);
    x->wrench = room(&ok, 6 * (size_t)m->marker_count), x->site = room(&ok, 6 * (size_t)markers);
    x->L = room(&ok, (size_t)loads);
    if (!ok || x->places == NULL) return lmb_mismatch_destroy(x), *out = NULL, lmb_fail_memory(err);
    x->worst = x->state, x->largest = x->worst + n, x->squares = x->largest + 2 * bodies;
    x->loads = x->squares + n, x->states = x->loads + 2 * places;
    list_places(x);
    return LMB_OK;
}

void lmb_mismatch_destroy(lmb_mismatch *x) {
    if (x == NULL) return;
    lmb_free(x->places), lmb_free(x->size), lmb_free(x->state), lmb_free(x->row);
    lmb_free(x->rms), lmb_free(x->internal), lmb_free(x->load), lmb_free(x->wrench), lmb_free(x->site),
        lmb_free(x->L);
    lmb_free(x);
}

void lmb_mismatch_clear(lmb_mismatch *x) {
    memset(x->state, 0, x->state_count * sizeof *x->state);
    memset(x->row, 0, 6 * (size_t)x->count * sizeof *x->row);
    memset(x->rms, 0, 6 * (size_t)x->count * sizeof *x->rms);
}

const char *lmb_mismatch_name(const lmb_mismatch *x, int place) {
    return flex_of(x->m, x->places[place].body)->markers[x->places[place].marker].name;
}

// ---- a state -----------------------------------------------------------------------------------

// applied loads at the interfaces of a body, about their positions, in body axes
static void site_loads(lmb_mismatch *x, const lmb_data *d, const lmb_body *b, const mat3 *R) {
    const lmb_flex *f = b->ops->look.flex(b);
    const lmb_model *m = x->m;
    int body = (int)(b - m->bodies);
    memset(x->site, 0, 6 * (size_t)f->marker_count * sizeof *x->site);
    for (int i = m->marker_start[body]; i < m->marker_start[body + 1]; i++) {
        const lmb_marker *k = &m->markers[m->marker_list[i]];
        int at = b->ops->look.interface(b, k);
        if (at < 0) continue;
        const double *w = x->wrench + 6 * k->index;
        // t + (r_M - r_k) x f, the marker is fixed to the interface: r_M - r_k = R_M A' (x_M - x_k)
        vec3 force = v3_load(w), arm = m3_tmul_v3(&k->local.R, v3_sub(k->local.r, f->markers[at].x));
        arm = m3_mul_v3(&d->frames[k->index].p.R, arm);
        vec3 torque = v3_add(v3_load(w + 3), v3_cross(arm, force));
        double *to = x->site + 6 * at;
        v3_store(to, v3_add(v3_load(to), m3_tmul_v3(R, force)));
        v3_store(to + 3, v3_add(v3_load(to + 3), m3_tmul_v3(R, torque)));
    }
}

static void take(lmb_mismatch *x, int place) {
    const lmb_mismatch_place *p = &x->places[place];
    const double *in = x->internal + 6 * place, *load = x->load + 6 * place;
    for (int half = 0; half < 2; half++) {
        double size = v3_norm(v3_load(load + 3 * half)), *largest = &x->largest[2 * p->row + half];
        *largest = fmax(*largest, size);
        x->loads[2 * place + half] += size * size;
    }
    for (int k = 0; k < 6; k++) {
        double *worst = &x->worst[6 * place + k], off = fabs(in[k] - load[k]);
        *worst = fmax(*worst, off);
        x->squares[6 * place + k] += off * off;
    }
}

// the reference magnitudes of forces and torques of a row
static void scales(double out[2], double force, double torque, double size) {
    out[0] = fmax(force, size > 0 ? FLOOR * torque / size : 0);
    out[1] = fmax(torque, FLOOR * force * size);
}

static double part(double value, double of) { return of > 0 ? value / of : 0; }

// figures = differences relative to the largest load of the row: maximum and root mean square               (12), (12a)
void lmb_mismatch_update(lmb_mismatch *x) {
    for (int i = 0; i < x->count; i++) {
        int row = x->places[i].row;
        double peak[2], usual[2], square[2] = {0};
        for (int j = 0; j < 2 * x->count; j++)
            if (x->places[j / 2].row == row) square[j % 2] = fmax(square[j % 2], x->loads[j]);
        scales(peak, x->largest[2 * row], x->largest[2 * row + 1], x->size[row]);
        scales(usual, sqrt(square[0]), sqrt(square[1]), x->size[row]);
        for (int k = 0; k < 6; k++) {
            x->row[6 * i + k] = part(x->worst[6 * i + k], peak[k / 3]);
            x->rms[6 * i + k] = part(sqrt(x->squares[6 * i + k]), usual[k / 3]);
        }
    }
}

static lmb_flex_motion motion_of(const lmb_data *d, const lmb_body *b) {
    lmb_body_view x = lmb_view(d, b);
    lmb_floating f;
    b->ops->look.floating(&f, &x);
    mat3 R = q_matrix(q_load(f.q + 3));
    return (lmb_flex_motion){.R = R,
                             .q = f.q + 7,
                             .dq = f.v + 6,
                             .ddq = f.a + 6,
                             .a = m3_tmul_v3(&R, v3_sub(v3_load(f.a), x.gravity)),
                             .w = v3_load(f.v + 3),
                             .alpha = v3_load(f.a + 3),
                             .stiffening = f.stiffening};
}

void lmb_mismatch_add(lmb_mismatch *x, lmb_data *d) {
    if (x->count == 0) return;
    *x->states += 1;
    lmb_marker_loads(x->wrench, x->m, d);
    for (int i = 0; i < x->count;) {
        const lmb_body *b = &x->m->bodies[x->places[i].body];
        const lmb_flex *f = b->ops->look.flex(b);
        lmb_flex_motion motion = motion_of(d, b);
        site_loads(x, d, b, &motion.R);
        lmb_flex_loads(x->L, f, &motion, x->site);
        for (int body = x->places[i].body; i < x->count && x->places[i].body == body; i++) {
            memcpy(x->load + 6 * i, x->site + 6 * x->places[i].marker, 6 * sizeof *x->load);
            lmb_flex_internal(x->internal + 6 * i, f, x->places[i].marker, &motion, x->L);
            take(x, i);
        }
    }
    lmb_mismatch_update(x);
}

// ---- for people --------------------------------------------------------------------------------

typedef struct finding {
    int place, direction; // -1: none
    double figure;        // of mean squares
} finding;

// the missing fraction of the compliance
static double lacking(const lmb_mismatch *x, int place, int direction) {
    const lmb_mismatch_place *p = &x->places[place];
    return 1 - lmb_flex_represented(flex_of(x->m, p->body), p->marker, direction);
}

// the static mode of this direction is possible but missing (below 0: others violate the frame conditions)
static bool is_missing(const lmb_mismatch *x, int place, int direction) {
    return fabs(lacking(x, place, direction)) > 1e-8;
}

static finding worst_of(const lmb_mismatch *x, int row, double limit) {
    finding found = {-1, 0, limit};
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < 6 && x->places[i].row == row; k++)
            if (x->rms[6 * i + k] > found.figure) found = (finding){i, k, x->rms[6 * i + k]};
    return found;
}

// the mode to add: the static mode of the worst direction, or the same one at another interface of the body (the frame
// supports the worst), or that of another direction with an error
static finding lack_of(const lmb_mismatch *x, const finding *worst, double limit) {
    finding same = {-1, 0, -1}, other = {-1, 0, limit};
    if (is_missing(x, worst->place, worst->direction)) return *worst;
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < 6 && x->places[i].body == x->places[worst->place].body; k++) {
            double figure = x->rms[6 * i + k];
            finding *to = k == worst->direction ? &same : &other;
            if (figure > to->figure && is_missing(x, i, k)) *to = (finding){i, k, figure};
        }
    return same.place >= 0 ? same : other;
}

// "27 %", or "3.1 % (RMS over time, maximum 99 %)"
static bool write_figures(lmb_text *out, const lmb_mismatch *x, double rms, double worst) {
    bool ok = lmb_text_add(out, "%.*f %%", rms < 0.1 ? 1 : 0, 100 * rms);
    return *x->states < 2 ? ok : ok && lmb_text_add(out, " (RMS over time, maximum %.0f %%)", 100 * worst);
}

static bool write_function(lmb_text *out, const lmb_mismatch *x, const finding *f, const char *before) {
    static const char *const axes[] = {"x", "y", "z"};
    return lmb_text_add(out, "%s{%s: %s.%s}", before, f->direction < 3 ? "force" : "torque",
                        lmb_mismatch_name(x, f->place), axes[f->direction % 3]);
}

// the missing mode, and the same direction at other interfaces of the body that have an error
static bool write_lack(lmb_text *out, const lmb_mismatch *x, const finding *lack, double limit) {
    bool ok = write_function(out, x, lack, "a static mode is missing: add ");
    for (int i = 0; i < x->count && ok; i++) {
        finding also = {i, lack->direction, x->rms[6 * i + lack->direction]};
        if (i != lack->place && x->places[i].body == x->places[lack->place].body && also.figure > limit &&
            lacking(x, i, also.direction) > 1e-8)
            ok = write_function(out, x, &also, " and ");
    }
    return ok && lmb_text_add(out, " to its `shapes`\n");
}

static bool write_finding(lmb_text *out, const lmb_mismatch *x, const finding *worst, double limit) {
    static const char *const axes[] = {"x", "y", "z"};
    const lmb_body *b = &x->m->bodies[x->places[worst->place].body];
    finding lack = lack_of(x, worst, limit);
    bool ok =
        lmb_text_add(out,
                     "    warning: body '%s': the internal %s %s at '%s' differs from the interface load by ",
                     b->name, worst->direction < 3 ? "force along" : "torque about",
                     axes[worst->direction % 3], lmb_mismatch_name(x, worst->place)) &&
        write_figures(out, x, worst->figure, x->row[6 * worst->place + worst->direction]) &&
        lmb_text_add(out, ": stresses there are unreliable; ");
    if (lack.place >= 0) return ok && write_lack(out, x, &lack, limit);
    return ok && lmb_text_add(out, "no static mode is missing: use more modes in `shapes`, more `parts` or a "
                                   "smaller `tolerance`\n");
}

bool lmb_mismatch_write(lmb_text *out, const lmb_mismatch *x, double limit) {
    bool ok = true;
    for (int i = 0; i < x->count && ok; i++) {
        int row = x->places[i].row;
        if (i > 0 && x->places[i - 1].row == row) continue;
        finding worst = worst_of(x, row, limit);
        if (worst.place >= 0) ok = write_finding(out, x, &worst, limit);
    }
    return ok;
}

bool lmb_mismatch_write_short(lmb_text *out, const lmb_mismatch *x, double limit) {
    double rms = 0, worst = 0;
    for (int i = 0; i < 6 * x->count; i++) rms = fmax(rms, x->rms[i]), worst = fmax(worst, x->row[i]);
    if (!(rms > limit)) return true;
    return lmb_text_add(out, "    warning: interface loads are not resolved by the mode shapes: error ") &&
           write_figures(out, x, rms, worst) &&
           lmb_text_add(out, "; stresses there are unreliable. Add a `stress` or `section` sensor to see "
                             "which modes are missing, or see docs/guide/flexible-bodies.md\n");
}
