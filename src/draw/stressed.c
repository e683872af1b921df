// draw/stressed.c: where the stresses of a results file are known.
#include "draw/stressed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool lmb_stressed_is_for(const lmb_reader *r, int group) {
    return lmb_reader_rows(r, group) > 0 && lmb_reader_has_table(r, group, "q") &&
           !lmb_reader_has_table(r, group, "shapes_re");
}

// ---- bodies --------------------------------------------------------------------------------------

static const char *next_body(void *user, int i) {
    const lmb_scene *s = user;
    while (i < s->body_count && s->bodies[i].flex == NULL) i++;
    return i < s->body_count ? s->bodies[i].name : NULL;
}

static lmb_status check_body(const lmb_stressed *x, const char *body, lmb_error *err) {
    for (int i = 0; i < x->scene->body_count; i++)
        if (strcmp(x->scene->bodies[i].name, body) == 0) return LMB_OK;
    const char *near = lmb_nearest(body, next_body, (void *)x->scene);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no body '%.200s'%s%.200s%s", body,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static lmb_status check_group(const lmb_stressed *x, lmb_error *err) {
    if (lmb_stressed_is_for(x->r, x->group)) return LMB_OK;
    bool modes = lmb_reader_has_table(x->r, x->group, "shapes_re");
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE, "analysis '%.200s' %s", lmb_reader_group_name(x->r, x->group),
        modes ? "has modes, whose amplitudes and stresses are arbitrary; choose another with --analysis"
              : "has no rows");
}

static bool is_wanted(const lmb_scene_body *b, const char *body) {
    return body == NULL || strcmp(b->name, body) == 0 || (b->of && strcmp(b->of, body) == 0);
}

// forces without fibres do not tell stresses
static bool has_fibres(const lmb_skin *s) { return s->end_count > 0 && !isnan(s->section[0]); }

static lmb_status open_body(lmb_stressed *x, int body, const char *wanted, lmb_error *err) {
    const lmb_scene_body *b = &x->scene->bodies[body];
    lmb_stressed_body *p = &x->bodies[body];
    lmb_skin *s = &p->skin;
    p->first = x->count;
    if (b->flex == NULL || b->q < 0 || !is_wanted(b, wanted)) return LMB_OK;
    lmb_status st = lmb_skin_read(s, x->r, lmb_scene_shape_of(b), err);
    if (st == LMB_OK) st = lmb_scene_check_shape(b, s->mode_count, s->residual_count, err);
    if (st != LMB_OK) return st;
    p->sections = s->forces != NULL, p->unknown = s->forces && !has_fibres(s);
    p->known = (s->stress || s->forces) && s->mode_count > 0;
    if (!p->known) return LMB_OK;
    p->count = s->forces == NULL ? s->node_count : p->unknown ? 0 : s->end_count;
    if (p->count > INT32_MAX - x->count) return lmb_fail_memory(err);
    x->count += p->count;
    return LMB_OK;
}

static lmb_status count_columns(int *out, const lmb_stressed *x, const char *table, lmb_error *err) {
    lmb_series s = {0};
    if (!lmb_reader_has_table(x->r, x->group, table)) return LMB_OK;
    lmb_status st = lmb_reader_columns(&s, x->r, x->group, table, err);
    *out = s.columns;
    lmb_series_free(&s);
    return st;
}

lmb_status lmb_stressed_open(lmb_stressed *out, lmb_reader *r, const lmb_scene *scene, int group,
                             const char *body, lmb_error *err) {
    *out = (lmb_stressed){.r = r, .scene = scene, .group = group};
    lmb_status st = check_group(out, err);
    if (st == LMB_OK && body) st = check_body(out, body, err);
    if (st == LMB_OK) st = count_columns(&out->columns[0], out, "q", err);
    if (st == LMB_OK) st = count_columns(&out->columns[1], out, "places", err);
    out->bodies = lmb_alloc((size_t)scene->body_count + 1, sizeof *out->bodies);
    if (st == LMB_OK && out->bodies == NULL) st = lmb_fail_memory(err);
    for (int i = 0; i < scene->body_count && st == LMB_OK; i++) st = open_body(out, i, body, err);
    return st;
}

void lmb_stressed_close(lmb_stressed *x) {
    for (int i = 0; x->bodies && i < x->scene->body_count; i++) lmb_skin_free(&x->bodies[i].skin);
    lmb_free(x->bodies);
    *x = (lmb_stressed){0};
}

int lmb_stressed_body_of(const lmb_stressed *x, int place) {
    int body = 0;
    while (place >= x->bodies[body].first + x->bodies[body].count) body++;
    return body;
}

// ---- rows ----------------------------------------------------------------------------------------

// Some columns of each row into rows of out.  Columns of a scene go through q, then places.
typedef struct columns {
    int first, count, stride; // stride: of out
} columns;

static lmb_status read_columns(double *out, const lmb_stressed *x, columns c, lmb_row_range rows,
                               lmb_error *err) {
    bool places = c.first >= x->columns[0];
    int all = x->columns[places], first = c.first - (places ? x->columns[0] : 0);
    if (c.count == 0) return LMB_OK;
    if (c.first < 0 || c.count > all || first > all - c.count)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){lmb_reader_path(x->r), 0, 0},
                        "coordinates of a flexible body are not in the tables; the file is damaged");
    double *block = lmb_alloc((size_t)rows.count * (size_t)all + 1, sizeof *block);
    if (block == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_reader_block(block, x->r, x->group, places ? "places" : "q", rows, err);
    for (long i = 0; i < rows.count && st == LMB_OK; i++)
        memcpy(out + i * c.stride, block + i * all + first, (size_t)c.count * sizeof *out);
    lmb_free(block);
    return st;
}

lmb_status lmb_stressed_rows(double *s, const lmb_stressed *x, int body, lmb_row_range rows, lmb_error *err) {
    const lmb_skin *k = &x->bodies[body].skin;
    const lmb_scene_flex *f = x->scene->bodies[body].flex;
    int n = lmb_skin_coordinates(k), m = k->mode_count;
    lmb_status st = read_columns(s, x, (columns){f->q, m, n}, rows, err);
    return st == LMB_OK ? read_columns(s + m, x, (columns){f->p, n - m, n}, rows, err) : st;
}

// ---- peaks ---------------------------------------------------------------------------------------

static bool connect_nodes(lmb_edges *e, const lmb_stressed_body *p) {
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
static bool connect_sections(lmb_edges *e, const lmb_stressed_body *p) {
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
static bool goes_on(const lmb_stressed *x, int body) {
    if (body + 1 >= x->scene->body_count || x->scene->bodies[body + 1].of == NULL) return false;
    const lmb_scene_body *b = &x->scene->bodies[body];
    return strcmp(x->scene->bodies[body + 1].of, b->of ? b->of : b->name) == 0;
}

static bool connect(lmb_edges *e, const lmb_stressed *x) {
    bool ok = true;
    for (int i = 0; i < x->scene->body_count && ok; i++) {
        const lmb_stressed_body *p = &x->bodies[i];
        if (p->count == 0) continue;
        ok = p->skin.forces ? connect_sections(e, p) : connect_nodes(e, p);
        if (ok && p->skin.forces && goes_on(x, i) && p[1].count > 0)
            ok = lmb_edges_add(e, p->first + p->count - 1, p[1].first);
    }
    return ok;
}

lmb_status lmb_stressed_peaks(int **peaks, int *count, const lmb_stressed *x, const double *values, int most,
                              lmb_error *err) {
    lmb_edges edges = {0};
    *peaks = lmb_alloc((size_t)x->count + 1, sizeof **peaks);
    int found = *peaks && connect(&edges, x) ? lmb_peaks(*peaks, values, x->count, &edges) : -1;
    *count = found < most ? found : most;
    lmb_free(edges.list);
    return found < 0 ? lmb_fail_memory(err) : LMB_OK;
}
