// draw/envelope.c: the largest stresses over all rows of an analysis.
#include "draw/envelope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 128, ROWS = 256 }; // of a block

typedef struct job {
    lmb_envelope *out;
    const lmb_envelope_options *o;
    lmb_stressed x;
    double *value; // of the places: the largest von Mises stress
    long *row;     // when
    bool *bottom;
    double *s;         // of a block: the coordinates of one body
    double *A, *Y;     // of a block: 6 NODES rows of coefficients, times the coordinates
    double work, done; // for progress
} job;

// ---- blocks of stresses --------------------------------------------------------------------------

// (2 xx - yy - zz)/2, sqrt(3)/2 (yy - zz), sqrt(3) xy, sqrt(3) yz, sqrt(3) zx: their sum of squares is that of von Mises
static void norm_rows(double *A, const float *S, int n) {
    const double root = sqrt(3);
    for (int c = 0; c < n; c++) {
        double xx = (double)S[c], yy = (double)S[n + c], zz = (double)S[2 * n + c];
        A[c] = xx - 0.5 * (yy + zz), A[n + c] = 0.5 * root * (yy - zz);
        for (int k = 2; k < 5; k++) A[k * n + c] = root * (double)S[(k + 1) * n + c];
    }
}

typedef struct highest {
    double value;
    long row;
} highest;

// the largest |y| of a node, Y: 5 x rows
static highest highest_norm(const double *Y, long rows) {
    double sum[ROWS] = {0};
    highest h = {0};
    for (int k = 0; k < 5; k++)
        for (long r = 0; r < rows; r++) sum[r] += Y[k * rows + r] * Y[k * rows + r];
    for (long r = 0; r < rows; r++)
        if (sum[r] > h.value) h = (highest){sum[r], r};
    return (highest){sqrt(h.value), h.row};
}

static void note(job *j, int place, highest h, long first, bool bottom) {
    if (!(h.value > j->value[place])) return;
    j->value[place] = h.value, j->row[place] = first + h.row, j->bottom[place] = bottom;
}

// nodes of a mesh, or points around the sections of a beam, which are drawn only
static void take_nodes(job *j, int body, const float *S, lmb_row_range rows, bool bottom) {
    const lmb_stressed_body *p = &j->x.bodies[body];
    const lmb_skin *s = &p->skin;
    int n = lmb_skin_coordinates(s);
    float *largest = j->out->bodies[body].largest;
    for (int from = 0; from < s->node_count; from += NODES) {
        int many = s->node_count - from < NODES ? s->node_count - from : NODES;
        for (int i = 0; i < many; i++)
            norm_rows(j->A + (size_t)i * 5 * (size_t)n, S + (size_t)(from + i) * 6 * (size_t)n, n);
        lmb_gram(j->Y, 1, j->A, j->s, 0, n, 5 * many, (int)rows.count);
        for (int i = 0; i < many; i++) {
            highest h = highest_norm(j->Y + (size_t)i * 5 * (size_t)rows.count, rows.count);
            largest[from + i] = fmaxf(largest[from + i], (float)h.value);
            if (!s->forces) note(j, p->first + from + i, h, rows.first, bottom);
        }
    }
}

static lmb_skin_state state_at(const job *j, const lmb_skin *s, long row) {
    const double *at = j->s + row * lmb_skin_coordinates(s);
    return (lmb_skin_state){at, at + s->mode_count};
}

// xx and xy where the stress of a section is largest
static void section_stress(double out[6], const lmb_skin *s, int end, lmb_skin_state at) {
    double forces[6];
    lmb_skin_forces(forces, s, end, at);
    memset(out, 0, 6 * sizeof *out);
    lmb_section_stress(&out[0], &out[3], forces, s->section + LMB_SECTION_SIZE * (size_t)end);
}

static void take_sections(job *j, const lmb_stressed_body *p, lmb_row_range rows) {
    for (int i = 0; i < p->count; i++) {
        highest h = {-1, 0};
        for (long r = 0; r < rows.count; r++) {
            double stress[6];
            section_stress(stress, &p->skin, i, state_at(j, &p->skin, r));
            double mises = lmb_von_mises(stress);
            if (mises > h.value) h = (highest){mises, r};
        }
        note(j, p->first + i, h, rows.first, false);
    }
}

static lmb_status take_rows(job *j, int body, lmb_row_range rows, lmb_error *err) {
    const lmb_stressed_body *p = &j->x.bodies[body];
    const lmb_skin *s = &p->skin;
    lmb_status st = lmb_stressed_rows(j->s, &j->x, body, rows, err);
    if (st != LMB_OK) return st;
    if (s->stress) take_nodes(j, body, s->stress, rows, false);
    if (s->bottom) take_nodes(j, body, s->bottom, rows, true);
    if (s->forces && p->count > 0) take_sections(j, p, rows);
    j->done += (double)rows.count * p->count;
    bool on = lmb_watch_tell(j->o->watch, j->done / j->work, "largest stresses");
    return on ? LMB_OK : lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
}

static lmb_status take_body(job *j, int body, lmb_error *err) {
    long total = lmb_reader_rows(j->x.r, j->x.group);
    lmb_status st = LMB_OK;
    for (long first = 0; first < total && st == LMB_OK; first += ROWS)
        st = take_rows(j, body, (lmb_row_range){first, total - first < ROWS ? total - first : ROWS}, err);
    // lines without rings: a node has the larger stress of the sections there
    const lmb_stressed_body *p = &j->x.bodies[body];
    for (int i = 0; i < 2 * p->skin.line_count && i < p->count && p->skin.forces; i++) {
        float *at = &j->out->bodies[body].largest[p->skin.lines[i]];
        *at = fmaxf(*at, (float)j->value[p->first + i]);
    }
    return st;
}

static lmb_status make_room(job *j, lmb_error *err) {
    size_t n = 1, count = (size_t)j->x.count + 1;
    bool ok = true;
    for (int i = 0; i < j->x.scene->body_count && ok; i++) {
        const lmb_stressed_body *p = &j->x.bodies[i];
        lmb_body_envelope *e = &j->out->bodies[i];
        *e = (lmb_body_envelope){.unknown = p->unknown};
        if (!p->known) continue;
        n = (size_t)fmax((double)n, lmb_skin_coordinates(&p->skin));
        e->count = p->skin.node_count;
        ok = (e->largest = lmb_alloc((size_t)e->count + 1, sizeof *e->largest)) != NULL;
    }
    j->value = lmb_alloc(count, sizeof *j->value);
    j->row = lmb_alloc(count, sizeof *j->row);
    j->bottom = lmb_alloc(count, sizeof *j->bottom);
    j->s = lmb_alloc(ROWS * n, sizeof *j->s);
    j->A = lmb_alloc(5 * NODES * n, sizeof *j->A);
    j->Y = lmb_alloc((size_t)5 * NODES * ROWS, sizeof *j->Y);
    j->work = (double)lmb_reader_rows(j->x.r, j->x.group) * j->x.count + 1;
    return ok && j->value && j->row && j->bottom && j->s && j->A && j->Y ? LMB_OK : lmb_fail_memory(err);
}

// ---- spots ---------------------------------------------------------------------------------------

static lmb_status make_spot(lmb_spot *out, job *j, int place, lmb_error *err) {
    lmb_row_range row = {j->row[place], 1};
    *out = lmb_spot_at(&j->x, place, j->bottom[place]);
    int body = out->body, at = out->place;
    const lmb_skin *s = &j->x.bodies[body].skin;
    lmb_status st = lmb_reader_block(&out->time, j->x.r, j->x.group, "time", row, err);
    if (st == LMB_OK) st = lmb_stressed_rows(j->s, &j->x, body, row, err);
    if (st != LMB_OK) return st;
    if (s->forces) section_stress(out->stress, s, at, state_at(j, s, 0));
    else lmb_skin_node_stress(out->stress, s, out->bottom ? s->bottom : s->stress, at, state_at(j, s, 0));
    out->mises = lmb_von_mises(out->stress);
    return lmb_spot_bar(&out->bar, out, j->x.r, j->x.group, row.first, err);
}

static lmb_status find_spots(job *j, lmb_error *err) {
    lmb_envelope *e = j->out;
    int *peaks, found;
    lmb_status st = lmb_stressed_peaks(&peaks, &found, &j->x, j->value, j->o->spots, err);
    if (st == LMB_OK) e->spots = lmb_alloc((size_t)found + 1, sizeof *e->spots);
    if (st == LMB_OK && e->spots == NULL) st = lmb_fail_memory(err);
    for (int i = 0; st == LMB_OK && i < found; i++, e->spot_count++)
        st = make_spot(&e->spots[i], j, peaks[i], err);
    lmb_free(peaks);
    return st;
}

// ---- all of it -----------------------------------------------------------------------------------

static lmb_status fill(job *j, lmb_error *err) {
    lmb_envelope *e = j->out;
    e->body_count = j->x.scene->body_count;
    e->bodies = lmb_alloc((size_t)e->body_count + 1, sizeof *e->bodies);
    lmb_status st = e->bodies ? make_room(j, err) : lmb_fail_memory(err);
    for (int i = 0; i < e->body_count && st == LMB_OK; i++)
        if (e->bodies[i].count > 0) st = take_body(j, i, err);
    if (st == LMB_OK) st = find_spots(j, err);
    for (int i = 0; i < j->x.count && st == LMB_OK; i++) e->largest = fmax(e->largest, j->value[i]);
    for (int i = 0; i < e->body_count && st == LMB_OK; i++)
        for (int k = 0; k < e->bodies[i].count; k++)
            e->largest = fmax(e->largest, (double)e->bodies[i].largest[k]);
    return st;
}

static void free_job(job *j) {
    lmb_stressed_close(&j->x);
    lmb_free(j->value), lmb_free(j->row), lmb_free(j->bottom);
    lmb_free(j->s), lmb_free(j->A), lmb_free(j->Y);
}

lmb_status lmb_envelope_create(lmb_envelope **out, lmb_reader *r, const lmb_scene *scene,
                               const lmb_envelope_options *options, lmb_error *err) {
    lmb_envelope *e = lmb_alloc(1, sizeof *e);
    *out = NULL;
    if (e == NULL) return lmb_fail_memory(err);
    job j = {.out = e, .o = options};
    lmb_status st = lmb_stressed_open(&j.x, r, scene, options->group, options->body, err);
    if (st == LMB_OK) st = fill(&j, err);
    free_job(&j);
    if (st == LMB_OK) *out = e;
    else lmb_envelope_destroy(e);
    return st;
}

void lmb_envelope_destroy(lmb_envelope *e) {
    if (e == NULL) return;
    for (int i = 0; e->bodies && i < e->body_count; i++) lmb_free(e->bodies[i].largest);
    lmb_free(e->bodies), lmb_free(e->spots);
    lmb_free(e);
}
