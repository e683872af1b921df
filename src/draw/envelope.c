// draw/envelope.c: the largest stresses over all rows of an analysis.
#include "draw/envelope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 128, ROWS = 256 }; // of a block

bool lmb_envelope_is_for(const lmb_reader *r, int group) {
    return lmb_reader_rows(r, group) > 0 && lmb_reader_has_table(r, group, "q") &&
           !lmb_reader_has_table(r, group, "shapes_re");
}

// ---- a body and its rows -------------------------------------------------------------------------

typedef struct places { // where the stress of a body counts: nodes, or sections of a beam
    lmb_skin skin;
    int first, count; // among all places
} places;

typedef struct job {
    lmb_envelope *out;
    lmb_reader *r;
    const lmb_scene *scene;
    const lmb_envelope_options *o;
    places *bodies;
    int count;     // places of all bodies
    double *value; // of the places: the largest von Mises stress
    long *row;     // when
    bool *bottom;
    int q_columns, columns; // of table q; with those of table places
    double *rows, *s;       // of a block: ROWS x columns; the coordinates of one body
    double *A, *Y;          // of a block: 6 NODES rows of coefficients, times the coordinates
    double work, done;      // for progress
} job;

static lmb_status read_block(double *out, job *j, const char *table, int columns, int at, lmb_row_range rows,
                             lmb_error *err) {
    double *block = lmb_alloc((size_t)rows.count * (size_t)columns + 1, sizeof *block);
    if (block == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_reader_block(block, j->r, j->o->group, table, rows, err);
    for (long i = 0; i < rows.count && st == LMB_OK; i++)
        memcpy(out + i * j->columns + at, block + i * columns, (size_t)columns * sizeof *out);
    lmb_free(block);
    return st;
}

// tables q and places beside each other
static lmb_status read_rows(job *j, lmb_row_range rows, lmb_error *err) {
    lmb_status st = read_block(j->rows, j, "q", j->q_columns, 0, rows, err);
    if (st == LMB_OK && j->columns > j->q_columns)
        st = read_block(j->rows, j, "places", j->columns - j->q_columns, j->q_columns, rows, err);
    return st;
}

// s = (q, p) of one body, row by row
static void gather(job *j, const lmb_scene_flex *f, const lmb_skin *s, long rows) {
    size_t m = (size_t)s->mode_count, k = (size_t)s->residual_count;
    for (long i = 0; i < rows; i++) {
        const double *row = j->rows + i * j->columns;
        double *to = j->s + (size_t)i * (m + k);
        memcpy(to, row + f->q, m * sizeof *to);
        if (k > 0) memcpy(to + m, row + f->p, k * sizeof *to);
    }
}

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
    const places *p = &j->bodies[body];
    const lmb_skin *s = &p->skin;
    int n = s->mode_count + s->residual_count;
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
    const double *at = j->s + row * (s->mode_count + s->residual_count);
    return (lmb_skin_state){at, at + s->mode_count};
}

// xx and xy where the stress of a section is largest
static void section_stress(double out[6], const lmb_skin *s, int end, lmb_skin_state at) {
    double forces[6];
    lmb_skin_forces(forces, s, end, at);
    memset(out, 0, 6 * sizeof *out);
    lmb_section_stress(&out[0], &out[3], forces, s->section + LMB_SECTION_SIZE * (size_t)end);
}

static void take_sections(job *j, const places *p, lmb_row_range rows) {
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
    const places *p = &j->bodies[body];
    const lmb_skin *s = &p->skin;
    lmb_status st = read_rows(j, rows, err);
    if (st != LMB_OK) return st;
    gather(j, j->scene->bodies[body].flex, s, rows.count);
    if (s->stress) take_nodes(j, body, s->stress, rows, false);
    if (s->bottom) take_nodes(j, body, s->bottom, rows, true);
    if (s->forces && p->count > 0) take_sections(j, p, rows);
    j->done += (double)rows.count * p->count;
    bool on = lmb_watch_tell(j->o->watch, j->done / j->work, "largest stresses");
    return on ? LMB_OK : lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
}

static lmb_status take_body(job *j, int body, lmb_error *err) {
    long total = lmb_reader_rows(j->r, j->o->group);
    lmb_status st = LMB_OK;
    for (long first = 0; first < total && st == LMB_OK; first += ROWS)
        st = take_rows(j, body, (lmb_row_range){first, total - first < ROWS ? total - first : ROWS}, err);
    // lines without rings: a node has the larger stress of the sections there
    const places *p = &j->bodies[body];
    for (int i = 0; i < 2 * p->skin.line_count && i < p->count && p->skin.forces; i++) {
        float *at = &j->out->bodies[body].largest[p->skin.lines[i]];
        *at = fmaxf(*at, (float)j->value[p->first + i]);
    }
    return st;
}

// ---- bodies --------------------------------------------------------------------------------------

static bool is_wanted(const job *j, const lmb_scene_body *b) {
    const char *body = j->o->body;
    return body == NULL || strcmp(b->name, body) == 0 || (b->of && strcmp(b->of, body) == 0);
}

// forces without fibres do not tell stresses
static bool has_fibres(const lmb_skin *s) { return s->end_count > 0 && !isnan(s->section[0]); }

static lmb_status open_body(job *j, int body, lmb_error *err) {
    const lmb_scene_body *b = &j->scene->bodies[body];
    lmb_body_envelope *e = &j->out->bodies[body];
    places *p = &j->bodies[body];
    lmb_skin *s = &p->skin;
    p->first = j->count;
    if (b->flex == NULL || b->q < 0 || !is_wanted(j, b)) return LMB_OK;
    lmb_status st = lmb_skin_read(s, j->r, lmb_scene_shape_of(b), err);
    if (st == LMB_OK) st = lmb_scene_check_shape(b, s->mode_count, s->residual_count, err);
    if (st != LMB_OK) return st;
    e->sections = s->forces != NULL, e->unknown = s->forces && !has_fibres(s);
    if ((s->stress == NULL && s->forces == NULL) || s->mode_count == 0) return LMB_OK;
    e->count = s->node_count;
    e->largest = lmb_alloc((size_t)e->count + 1, sizeof *e->largest);
    p->count = s->forces == NULL ? s->node_count : e->unknown ? 0 : s->end_count;
    if (p->count > INT32_MAX - j->count || e->largest == NULL) return lmb_fail_memory(err);
    j->count += p->count;
    return LMB_OK;
}

static lmb_status make_room(job *j, lmb_error *err) {
    size_t n = 1;
    for (int i = 0; i < j->scene->body_count; i++) {
        const lmb_skin *s = &j->bodies[i].skin;
        if (j->out->bodies[i].count > 0) n = (size_t)fmax((double)n, s->mode_count + s->residual_count);
    }
    j->value = lmb_alloc((size_t)j->count + 1, sizeof *j->value);
    j->row = lmb_alloc((size_t)j->count + 1, sizeof *j->row);
    j->bottom = lmb_alloc((size_t)j->count + 1, sizeof *j->bottom);
    j->rows = lmb_alloc((size_t)ROWS * (size_t)j->columns + 1, sizeof *j->rows);
    j->s = lmb_alloc(ROWS * n, sizeof *j->s);
    j->A = lmb_alloc(5 * NODES * n, sizeof *j->A);
    j->Y = lmb_alloc((size_t)5 * NODES * ROWS, sizeof *j->Y);
    bool ok = j->value && j->row && j->bottom && j->rows && j->s && j->A && j->Y;
    j->work = (double)lmb_reader_rows(j->r, j->o->group) * j->count + 1;
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status open_bodies(job *j, lmb_error *err) {
    lmb_series q = {0}, more = {0};
    lmb_status st = lmb_reader_columns(&q, j->r, j->o->group, "q", err);
    if (st == LMB_OK && lmb_reader_has_table(j->r, j->o->group, "places"))
        st = lmb_reader_columns(&more, j->r, j->o->group, "places", err);
    j->q_columns = q.columns, j->columns = q.columns + more.columns;
    lmb_series_free(&q), lmb_series_free(&more);
    for (int i = 0; i < j->scene->body_count && st == LMB_OK; i++) st = open_body(j, i, err);
    return st == LMB_OK ? make_room(j, err) : st;
}

// ---- spots ---------------------------------------------------------------------------------------

static bool connect_nodes(lmb_edges *e, const places *p) {
    bool ok = true;
    for (int i = 0; i < 3 * p->skin.triangle_count && ok; i++) {
        const int32_t *t = p->skin.triangles + i / 3 * 3;
        ok = lmb_edges_add(e, p->first + t[i % 3], p->first + t[(i + 1) % 3]);
    }
    return ok;
}

typedef struct end_at {
    const double *x;
    int end;
} end_at;

static int by_position(const void *a, const void *b) {
    const double *x = ((const end_at *)a)->x, *y = ((const end_at *)b)->x;
    for (int k = 0; k < 3; k++)
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    return 0;
}

// the two ends of each element, and the ends at one node
static bool connect_sections(lmb_edges *e, const places *p) {
    end_at *list = lmb_alloc((size_t)p->count + 1, sizeof *list);
    bool ok = list != NULL;
    for (int i = 0; i < p->count && ok; i++) {
        list[i] = (end_at){p->skin.ends + 3 * i, i};
        if (i % 2) ok = lmb_edges_add(e, p->first + i - 1, p->first + i);
    }
    if (ok && p->count > 1) qsort(list, (size_t)p->count, sizeof *list, by_position);
    for (int i = 1; i < p->count && ok; i++)
        if (by_position(&list[i - 1], &list[i]) == 0)
            ok = lmb_edges_add(e, p->first + list[i - 1].end, p->first + list[i].end);
    lmb_free(list);
    return ok;
}

// the next part of a beam begins where this one ends
static bool goes_on(const job *j, int body) {
    if (body + 1 >= j->scene->body_count || j->scene->bodies[body + 1].of == NULL) return false;
    const lmb_scene_body *b = &j->scene->bodies[body];
    return strcmp(j->scene->bodies[body + 1].of, b->of ? b->of : b->name) == 0;
}

static bool connect(lmb_edges *e, const job *j) {
    bool ok = true;
    for (int i = 0; i < j->scene->body_count && ok; i++) {
        const places *p = &j->bodies[i];
        if (p->count == 0) continue;
        ok = p->skin.forces ? connect_sections(e, p) : connect_nodes(e, p);
        if (ok && p->skin.forces && goes_on(j, i) && p[1].count > 0)
            ok = lmb_edges_add(e, p->first + p->count - 1, p[1].first);
    }
    return ok;
}

static int body_of(const job *j, int place) {
    int body = 0;
    while (place >= j->bodies[body].first + j->bodies[body].count) body++;
    return body;
}

static lmb_status make_spot(lmb_spot *out, job *j, int place, lmb_error *err) {
    int body = body_of(j, place), at = place - j->bodies[body].first;
    const lmb_skin *s = &j->bodies[body].skin;
    const int32_t *numbers = s->forces ? s->end_node : s->node;
    lmb_row_range row = {j->row[place], 1};
    *out =
        (lmb_spot){.body = body, .place = at, .node = numbers ? numbers[at] : -1, .bottom = j->bottom[place]};
    memcpy(out->x, (s->forces ? s->ends : s->x) + 3 * at, sizeof out->x);
    lmb_status st = lmb_reader_block(&out->time, j->r, j->o->group, "time", row, err);
    if (st == LMB_OK) st = read_rows(j, row, err);
    if (st != LMB_OK) return st;
    gather(j, j->scene->bodies[body].flex, s, 1);
    if (s->forces) section_stress(out->stress, s, at, state_at(j, s, 0));
    else lmb_skin_node_stress(out->stress, s, out->bottom ? s->bottom : s->stress, at, state_at(j, s, 0));
    out->mises = lmb_von_mises(out->stress);
    return lmb_spot_bar(&out->bar, out, j->r, j->o->group, row.first, err);
}

static lmb_status find_spots(job *j, lmb_error *err) {
    lmb_envelope *e = j->out;
    lmb_edges edges = {0};
    int *peaks = lmb_alloc((size_t)j->count + 1, sizeof *peaks);
    int found = peaks && connect(&edges, j) ? lmb_peaks(peaks, j->value, j->count, &edges) : -1;
    e->spot_count = found < j->o->spots ? found : j->o->spots;
    e->spots = found < 0 ? NULL : lmb_alloc((size_t)e->spot_count + 1, sizeof *e->spots);
    lmb_status st = e->spots ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < e->spot_count && st == LMB_OK; i++) st = make_spot(&e->spots[i], j, peaks[i], err);
    lmb_free(peaks), lmb_free(edges.list);
    return st;
}

// ---- all of it -----------------------------------------------------------------------------------

static lmb_status fill(job *j, lmb_error *err) {
    lmb_envelope *e = j->out;
    e->body_count = j->scene->body_count;
    e->bodies = lmb_alloc((size_t)e->body_count + 1, sizeof *e->bodies);
    j->bodies = lmb_alloc((size_t)e->body_count + 1, sizeof *j->bodies);
    lmb_status st = e->bodies && j->bodies ? open_bodies(j, err) : lmb_fail_memory(err);
    for (int i = 0; i < e->body_count && st == LMB_OK; i++)
        if (e->bodies[i].count > 0) st = take_body(j, i, err);
    if (st == LMB_OK) st = find_spots(j, err);
    for (int i = 0; i < j->count && st == LMB_OK; i++) e->largest = fmax(e->largest, j->value[i]);
    for (int i = 0; i < e->body_count && st == LMB_OK; i++)
        for (int k = 0; k < e->bodies[i].count; k++)
            e->largest = fmax(e->largest, (double)e->bodies[i].largest[k]);
    return st;
}

static void free_job(job *j) {
    for (int i = 0; j->bodies && i < j->scene->body_count; i++) lmb_skin_free(&j->bodies[i].skin);
    lmb_free(j->bodies), lmb_free(j->value), lmb_free(j->row), lmb_free(j->bottom);
    lmb_free(j->rows), lmb_free(j->s), lmb_free(j->A), lmb_free(j->Y);
}

lmb_status lmb_envelope_create(lmb_envelope **out, lmb_reader *r, const lmb_scene *scene,
                               const lmb_envelope_options *options, lmb_error *err) {
    lmb_envelope *e = lmb_alloc(1, sizeof *e);
    *out = NULL;
    if (e == NULL) return lmb_fail_memory(err);
    job j = {.out = e, .r = r, .scene = scene, .o = options};
    lmb_status st = fill(&j, err);
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
