// draw/plot_shapes.c: shapes of bodies in a plane, and shape functions along beams.
//
// A beam is drawn as its centre line, other bodies by the edges that an observer of the plane sees: those at which the surface turns away, ends,
// or bends by more than 30 degrees.
#include "draw/plot.h"

#include "draw/centre_line.h"
#include "draw/drawing.h"
#include "store/flex_file.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- points of a curve -----------------------------------------------------------------------------

typedef struct pen {
    double *xy; // lmb_free
    long count, room;
    int axes[2]; // of the plane
    bool ok;     // no allocation failed
} pen;

static void put(pen *p, double x, double y) {
    if (!p->ok) return;
    if (p->count == p->room) {
        long room = 2 * p->room + 64;
        double *more = lmb_realloc(p->xy, 2 * (size_t)room, sizeof *more);
        p->ok = more != NULL;
        if (!p->ok) return;
        p->xy = more, p->room = room;
    }
    p->xy[2 * p->count] = x, p->xy[2 * p->count + 1] = y;
    p->count++;
}

static void lift(pen *p) {
    if (p->count > 0 && !isnan(p->xy[2 * p->count - 2])) put(p, NAN, NAN);
}

static void go(pen *p, vec3 r) { put(p, v3_get(r, p->axes[0]), v3_get(r, p->axes[1])); }

// ---- edges of surfaces -------------------------------------------------------------------------------

typedef struct edge {
    int a, b, t; // nodes, a < b; a triangle there
} edge;

static int by_nodes(const void *x, const void *y) {
    const edge *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

// three for each triangle, equal ones beside each other; NULL: no memory
static edge *make_edges(const lmb_skin *s) {
    edge *list = lmb_alloc(3 * (size_t)s->triangle_count + 1, sizeof *list);
    for (int i = 0; list && i < 3 * s->triangle_count; i++) {
        int a = s->triangles[i], b = s->triangles[i / 3 * 3 + (i + 1) % 3];
        list[i] = (edge){a < b ? a : b, a < b ? b : a, i / 3};
    }
    if (list && s->triangle_count > 0) qsort(list, 3 * (size_t)s->triangle_count, sizeof *list, by_nodes);
    return list;
}

static vec3 normal_of(const lmb_skin *s, const double *r, int t) {
    vec3 p[3];
    for (int k = 0; k < 3; k++) p[k] = v3_load(r + 3 * s->triangles[3 * t + k]);
    vec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
    return v3_has_direction(n) ? v3_unit(n) : V3_ZERO;
}

static bool is_seen(const lmb_skin *s, const double *r, const edge *e, int count, vec3 view) {
    if (count != 2) return true;
    vec3 m = normal_of(s, r, e[0].t), n = normal_of(s, r, e[1].t);
    return (v3_dot(m, view) > 0) != (v3_dot(n, view) > 0) || v3_dot(m, n) < 0.866;
}

static bool draw_edges(pen *p, const lmb_skin *s, const double *r) {
    edge *list = make_edges(s);
    vec3 view = v3_cross(v3_axis(p->axes[0]), v3_axis(p->axes[1]));
    for (int i = 0, next; list && i < 3 * s->triangle_count; i = next) {
        for (next = i; next < 3 * s->triangle_count && by_nodes(&list[i], &list[next]) == 0;) next++;
        if (!is_seen(s, r, &list[i], next - i, view)) continue;
        lift(p), go(p, v3_load(r + 3 * list[i].a)), go(p, v3_load(r + 3 * list[i].b));
    }
    lmb_free(list);
    return list != NULL;
}

// ---- shapes ------------------------------------------------------------------------------------------

// elements that go on where the last one ended are one line
static void draw_line(pen *p, const lmb_centre_line *c, const double *r) {
    for (int i = 0; i < c->count; i += 2) {
        bool goes_on = i > 0 && c->node[c->first[i]] == c->node[c->first[i - 1]];
        if (!goes_on) lift(p), go(p, lmb_centre_line_at(c, i, r));
        go(p, lmb_centre_line_at(c, i + 1, r));
    }
}

// nodes of a body in the world; NULL: no memory
static double *nodes_at(const lmb_drawing *d, const lmb_drawn *b, int frame) {
    double *r = lmb_alloc(3 * (size_t)b->skin.node_count + 1, sizeof *r);
    if (r == NULL) return NULL;
    pose at = lmb_drawn_pose(d, b, frame);
    lmb_skin_nodes(r, &b->skin, lmb_drawn_elastic(d, b, frame), lmb_drawn_rest(d, b));
    for (int i = 0; i < b->skin.node_count; i++)
        v3_store(r + 3 * i, v3_add(at.r, m3_mul_v3(&at.R, v3_load(r + 3 * i))));
    return r;
}

// the arms of a centre line turn with the body
static void turn_arms(lmb_centre_line *c, const lmb_centre_line *of, const mat3 *R) {
    for (int i = 0; i < c->count; i++) c->arm[i] = m3_mul_v3(R, of->arm[i]);
}

static bool draw_body(pen *p, const lmb_drawing *d, const lmb_drawn *b) {
    lmb_centre_line line = {0}, turned = {0};
    bool ok = lmb_centre_line_make(&line, &b->skin) && lmb_centre_line_make(&turned, &b->skin);
    for (int f = 0; f < d->frame_count && ok; f++) {
        double *r = nodes_at(d, b, f);
        pose at = lmb_drawn_pose(d, b, f);
        ok = r != NULL;
        lift(p);
        turn_arms(&turned, &line, &at.R);
        if (ok && line.count > 0) draw_line(p, &turned, r);
        else if (ok) ok = draw_edges(p, &b->skin, r);
        lmb_free(r);
    }
    lmb_centre_line_free(&line), lmb_centre_line_free(&turned);
    return ok && p->ok;
}

// a body by its name or a pattern, with its further parts: b[2], b[3], ..
static bool is_wanted(const char *pattern, const char *name) {
    char base[300];
    snprintf(base, sizeof base, "%s", name);
    base[strcspn(base, "[")] = '\0';
    return fnmatch(pattern, name, FNM_NOESCAPE) == 0 || fnmatch(pattern, base, FNM_NOESCAPE) == 0;
}

static lmb_status read_plane(int axes[2], const char *plane, lmb_error *err) {
    static const char names[] = "xyz";
    const char *a = plane && plane[0] ? strchr(names, plane[0]) : NULL,
               *b = a && plane[1] ? strchr(names, plane[1]) : NULL;
    axes[0] = 0, axes[1] = 1;
    if (plane == NULL) return LMB_OK;
    if (a == NULL || b == NULL || a == b || plane[2] != '\0')
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "invalid plane '%.20s'; use two of x, y, z, such as xy", plane);
    axes[0] = (int)(a - names), axes[1] = (int)(b - names);
    return LMB_OK;
}

// the bodies that match a pattern as one curve
static lmb_status add_shape(lmb_plot *p, int result, const lmb_drawing *d, const char *pattern, pen empty,
                            lmb_error *err) {
    pen draw = empty;
    bool ok = true;
    char label[] = "y [m]";
    label[0] = "xyz"[draw.axes[1]];
    for (int i = 0; i < d->body_count && ok; i++)
        if (is_wanted(pattern, d->bodies[i].name)) ok = draw_body(&draw, d, &d->bodies[i]);
    lmb_plot_curve c = {.result = result, .bar = -1, .points = draw.count, .xy = draw.xy};
    if (!ok) return lmb_free(draw.xy), lmb_fail_memory(err);
    if (draw.count > 0) return lmb_plot_add(p, c, pattern, label, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no body of '%.300s' matches '%.200s'",
                    p->options->results[result], pattern);
}

lmb_status lmb_plot_shapes(lmb_plot *p, lmb_error *err) {
    const lmb_plot_options *o = p->options;
    const lmb_export_options some = {.analysis = o->analysis, .frames = o->frames > 0 ? o->frames : 10};
    pen empty = {.ok = true};
    lmb_status st = read_plane(empty.axes, o->plane, err);
    if (st == LMB_OK && !lmb_text_add(&p->xlabel, "%c [m]", "xyz"[empty.axes[0]])) st = lmb_fail_memory(err);
    for (int i = 0; i < o->result_count && st == LMB_OK; i++) {
        lmb_drawing *d = NULL;
        st = lmb_drawing_create(&d, o->results[i], &some, err);
        for (int k = 0; k < o->shape_count && st == LMB_OK; k++)
            st = add_shape(p, i, d, o->shapes[k], empty, err);
        lmb_drawing_destroy(d);
    }
    return st;
}

// ---- shape functions ---------------------------------------------------------------------------------

typedef struct functions {
    int points, count; // two points for each element
    double *x;         // along the beam
    double *u;         // count x points x 3
} functions;

static bool make_functions(functions *f, int points, int count) {
    f->points = points, f->count = count;
    f->x = lmb_alloc((size_t)points + 1, sizeof *f->x);
    f->u = lmb_alloc(3 * (size_t)points * (size_t)count + 1, sizeof *f->u);
    return f->x && f->u;
}

static double *function_at(const functions *f, int k, int point) {
    return f->u + 3 * ((size_t)k * (size_t)f->points + (size_t)point);
}

static void measure(functions *f, int point, vec3 before, vec3 here) {
    f->x[point] = point == 0 ? 0 : f->x[point - 1] + (point % 2 ? v3_norm(v3_sub(here, before)) : 0);
}

static bool of_body_file(functions *f, const lmb_flex *b) {
    if (!make_functions(f, 2 * b->line_count, b->m)) return false;
    for (int i = 0; i < f->points; i++) {
        int node = b->lines[i];
        measure(f, i, v3_load(b->node_x + 3 * b->lines[i - i % 2]), v3_load(b->node_x + 3 * node));
        for (int k = 0; k < b->m; k++)
            for (int c = 0; c < 3; c++)
                function_at(f, k, i)[c] = b->node_S[((size_t)node * 3 + (size_t)c) * b->m + k];
    }
    return true;
}

// column k of the modes of all nodes
static void one_mode(double *out, const lmb_skin *s, int k) {
    for (int i = 0; i < 3 * s->node_count; i++)
        out[i] = (double)s->modes[(size_t)i * (size_t)s->mode_count + (size_t)k];
}

static bool of_skin(functions *f, const lmb_skin *s) {
    lmb_centre_line line = {0};
    double *u = lmb_alloc(3 * (size_t)s->node_count + 1, sizeof *u);
    bool ok =
        u && lmb_centre_line_make(&line, s) && make_functions(f, line.count, s->modes ? s->mode_count : 0);
    for (int i = 0; i < line.count && ok; i++)
        measure(f, i, lmb_centre_line_at(&line, i - i % 2, s->x), lmb_centre_line_at(&line, i, s->x));
    for (int i = 0; i < line.count && ok; i++) line.arm[i] = V3_ZERO; // displacements have none
    for (int k = 0; ok && k < f->count; k++) {
        one_mode(u, s, k);
        for (int i = 0; i < line.count; i++) v3_store(function_at(f, k, i), lmb_centre_line_at(&line, i, u));
    }
    lmb_free(u);
    lmb_centre_line_free(&line);
    return ok;
}

static lmb_status read_functions(functions *f, const char *path, const lmb_plot_options *o, lmb_error *err) {
    lmb_flex *body = NULL;
    lmb_drawing *d = NULL;
    bool found = lmb_flex_file_is(path), ok = true;
    lmb_status st =
        found
            ? lmb_flex_read_file(&body, path, err)
            : lmb_drawing_create(&d, path, &(lmb_export_options){.analysis = o->analysis, .frames = 2}, err);
    if (st == LMB_OK && body) ok = of_body_file(f, body);
    for (int i = 0; st == LMB_OK && d && i < d->body_count && !found; i++) {
        found = strcmp(d->bodies[i].name, o->functions) == 0;
        if (found) ok = of_skin(f, &d->bodies[i].skin);
    }
    lmb_flex_destroy(body);
    lmb_drawing_destroy(d);
    if (st == LMB_OK && !ok) return lmb_fail_memory(err);
    if (st != LMB_OK || (found && f->points > 0 && f->count > 0)) return st;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s' has no beam '%.100s' with shape functions",
                    path, o->functions);
}

// the largest displacement of a function
static double size_of(const functions *f, int k) {
    double size = 0;
    for (int i = 0; i < f->points; i++) size = fmax(size, v3_norm(v3_load(function_at(f, k, i))));
    return size;
}

static bool has_direction(const functions *f, int k, int c) {
    double size = size_of(f, k);
    for (int i = 0; i < f->points; i++)
        if (fabs(function_at(f, k, i)[c]) > 1e-6 * size) return true;
    return false;
}

static lmb_status add_function(lmb_plot *p, int result, const functions *f, int k, int c, lmb_error *err) {
    char name[20], label[] = "x";
    lmb_plot_curve curve = {.result = result, .bar = -1, .points = f->points};
    double size = size_of(f, k);
    snprintf(name, sizeof name, "%d", k + 1);
    label[0] = "xyz"[c];
    curve.xy = lmb_alloc(2 * (size_t)f->points + 1, sizeof *curve.xy);
    if (curve.xy == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < f->points; i++)
        curve.xy[2 * i] = f->x[i], curve.xy[2 * i + 1] = size > 0 ? function_at(f, k, i)[c] / size : 0;
    return lmb_plot_add(p, curve, name, label, err);
}

lmb_status lmb_plot_functions(lmb_plot *p, lmb_error *err) {
    lmb_status st = lmb_text_add(&p->xlabel, "x [m]") ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < p->options->result_count && st == LMB_OK; i++) {
        functions f = {0};
        st = read_functions(&f, p->options->results[i], p->options, err);
        for (int c = 0; c < 3 && st == LMB_OK; c++)
            for (int k = 0; st == LMB_OK && k < f.count; k++)
                if (has_direction(&f, k, c)) st = add_function(p, i, &f, k, c, err);
        lmb_free(f.x), lmb_free(f.u);
    }
    return st;
}
