// draw/drawing.c: bodies of a results file as meshes, for exports.
//
// Shapes become triangles: twelve for a box, enough for a sphere or cylinder to look round.  A body without shapes
// is drawn as lines from its frame to its markers, or as a small octahedron if it has none.
//
// A mode x oscillates about the state of its analysis: x(phase) = A (re x cos(phase) - im x sin(phase)); frames
// rotate by the exponential of their small rotation vector.
#include "draw/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 32, RINGS = 16, FRAMES = 200, PERIOD_FRAMES = 25 };

static const double pi = 3.14159265358979323846;

// ---- meshes ------------------------------------------------------------------------------------

// room for more; false: no memory
static bool grow(lmb_skin *s, int nodes, int triangles, int lines) {
    double *x = lmb_realloc(s->x, 3 * (size_t)(s->node_count + nodes) + 1, sizeof *x);
    if (x) s->x = x;
    int32_t *t = lmb_realloc(s->triangles, 3 * (size_t)(s->triangle_count + triangles) + 1, sizeof *t);
    if (t) s->triangles = t;
    int32_t *l = lmb_realloc(s->lines, 2 * (size_t)(s->line_count + lines) + 1, sizeof *l);
    if (l) s->lines = l;
    return x && t && l;
}

static int add_node(lmb_skin *s, const pose *at, double x, double y, double z) {
    v3_store(s->x + 3 * s->node_count, v3_add(at->r, m3_mul_v3(&at->R, (vec3){x, y, z})));
    return s->node_count++;
}

static void add_triangle(lmb_skin *s, int a, int b, int c) {
    int32_t t[3] = {a, b, c};
    memcpy(s->triangles + 3 * s->triangle_count++, t, sizeof t);
}

static void add_quad(lmb_skin *s, int a, int b, int c, int d) {
    add_triangle(s, a, b, c);
    add_triangle(s, a, c, d);
}

static bool add_box(lmb_skin *s, const pose *at, vec3 size) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    if (!grow(s, 8, 12, 0)) return false;
    int first = s->node_count;
    for (int k = 0; k < 8; k++)
        add_node(s, at, (k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y,
                 (k & 4 ? 0.5 : -0.5) * size.z);
    for (int k = 0; k < 6; k++)
        add_quad(s, first + faces[k][0], first + faces[k][1], first + faces[k][2], first + faces[k][3]);
    return true;
}

// a body of revolution about z: poles at both ends, rings between
static bool add_revolution(lmb_skin *s, const pose *at, int rings, double (*profile)[2]) {
    if (!grow(s, 2 + AROUND * (rings - 2), 2 * AROUND * (rings - 2), 0)) return false;
    int bottom = add_node(s, at, 0, 0, profile[0][1]), first = s->node_count;
    for (int i = 1; i + 1 < rings; i++)
        for (int k = 0; k < AROUND; k++) {
            double angle = 2 * pi * k / AROUND, r = profile[i][0];
            add_node(s, at, r * cos(angle), r * sin(angle), profile[i][1]);
        }
    int top = add_node(s, at, 0, 0, profile[rings - 1][1]), last = top - AROUND;
    for (int k = 0; k < AROUND; k++) {
        int n = (k + 1) % AROUND;
        add_triangle(s, bottom, first + n, first + k);
        add_triangle(s, top, last + k, last + n);
        for (int i = 0; i < rings - 3; i++) {
            int low = first + i * AROUND, high = low + AROUND;
            add_quad(s, low + k, low + n, high + n, high + k);
        }
    }
    return true;
}

static bool add_shape(lmb_skin *s, const lmb_scene_shape *shape) {
    pose at = {.r = shape->at, .R = q_matrix(shape->rotation)};
    vec3 size = shape->size;
    if (shape->kind == LMB_SCENE_BOX) return add_box(s, &at, size);
    double profile[RINGS + 1][2];
    if (shape->kind == LMB_SCENE_SPHERE) {
        for (int i = 0; i <= RINGS; i++) {
            profile[i][0] = size.x * sin(pi * i / RINGS);
            profile[i][1] = -size.x * cos(pi * i / RINGS);
        }
        return add_revolution(s, &at, RINGS + 1, profile);
    }
    double half = size.y / 2, cylinder[4][2] = {{0, -half}, {size.x, -half}, {size.x, half}, {0, half}};
    return add_revolution(s, &at, 4, cylinder);
}

static bool add_octahedron(lmb_skin *s, double size) {
    static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    pose at = {.R = q_matrix((quat){1, 0, 0, 0})};
    if (!grow(s, 6, 8, 0)) return false;
    for (int k = 0; k < 6; k++) {
        double d = k % 2 ? -size : size;
        add_node(s, &at, k / 2 == 0 ? d : 0, k / 2 == 1 ? d : 0, k / 2 == 2 ? d : 0);
    }
    for (int k = 0; k < 8; k++) add_triangle(s, faces[k][0], faces[k][1], faces[k][2]);
    return true;
}

// the markers of each body, in their order
typedef struct marker_lists {
    int *first, *next; // of a body; after a marker; -1: none
} marker_lists;

static bool list_markers(marker_lists *out, const lmb_scene *scene) {
    int bodies = scene->body_count, markers = scene->marker_count;
    out->first = lmb_alloc((size_t)bodies + (size_t)markers, sizeof *out->first);
    if (out->first == NULL) return false;
    out->next = out->first + bodies;
    for (int i = 0; i < bodies; i++) out->first[i] = -1;
    for (int i = markers - 1; i >= 0; i--) {
        int body = scene->markers[i].body;
        if (body < 0) continue;
        out->next[i] = out->first[body], out->first[body] = i;
    }
    return true;
}

static bool add_markers(lmb_skin *s, const lmb_scene *scene, const marker_lists *list, int body) {
    pose here = {.R = q_matrix((quat){1, 0, 0, 0})};
    if (!grow(s, 1, 0, 0)) return false;
    int origin = add_node(s, &here, 0, 0, 0);
    for (int i = list->first[body]; i >= 0; i = list->next[i]) {
        vec3 at = scene->markers[i].at;
        if (v3_norm(at) == 0) continue;
        if (!grow(s, 1, 0, 1)) return false;
        s->lines[2 * s->line_count] = origin;
        s->lines[2 * s->line_count++ + 1] = add_node(s, &here, at.x, at.y, at.z);
    }
    if (s->line_count > 0) return true;
    s->node_count = 0;
    return add_octahedron(s, 0.05 * scene->length);
}

// ---- colours -----------------------------------------------------------------------------------

// sRGB to linear
static float linear(unsigned c) {
    double s = c / 255.0;
    return (float)(s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4));
}

// #rrggbb, a common color name, or one of eight colors by number; text may be NULL
static void read_color(float out[3], const char *text, int number) {
    static const struct {
        const char *name;
        unsigned rgb;
    } names[] = {
        {"black", 0x000000},   {"blue", 0x0000ff},      {"brown", 0xa52a2a},     {"burlywood", 0xdeb887},
        {"crimson", 0xdc143c}, {"darkgray", 0xa9a9a9},  {"darkgreen", 0x006400}, {"darkorange", 0xff8c00},
        {"dimgray", 0x696969}, {"firebrick", 0xb22222}, {"gold", 0xffd700},      {"goldenrod", 0xdaa520},
        {"gray", 0x808080},    {"green", 0x008000},     {"lightgray", 0xd3d3d3}, {"navy", 0x000080},
        {"orange", 0xffa500},  {"purple", 0x800080},    {"red", 0xff0000},       {"seagreen", 0x2e8b57},
        {"silver", 0xc0c0c0},  {"steelblue", 0x4682b4}, {"tan", 0xd2b48c},       {"teal", 0x008080},
        {"tomato", 0xff6347},  {"white", 0xffffff},     {"yellow", 0xffff00}};
    static const unsigned palette[] = {0x5b8db8, 0xd98c4a, 0x6aa56f, 0xb5656b,
                                       0x8a78b0, 0xa08a5b, 0xc78aa8, 0x6f9a9a};
    unsigned rgb = palette[number % LMB_COUNT(palette)];
    char *end = NULL;
    if (text == NULL) text = "";
    unsigned long hex = text[0] == '#' ? strtoul(text + 1, &end, 16) : 0;
    if (end && end == text + 7 && *end == '\0') rgb = (unsigned)hex;
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (strcmp(names[i].name, text) == 0) rgb = names[i].rgb;
    for (int c = 0; c < 3; c++) out[c] = linear(rgb >> (16 - 8 * c) & 255);
}

// ---- bodies ------------------------------------------------------------------------------------

typedef struct source { // the rows that are drawn
    lmb_reader *r;
    int g;
    lmb_series q, places; // names of their columns
} source;

static const char *column_name(const source *s, int c) {
    if (c < 0 || c >= s->q.columns + s->places.columns) return "";
    return c < s->q.columns ? s->q.names[c] : s->places.names[c - s->q.columns];
}

static bool ends_with(const char *name, const char *end) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, end) == 0;
}

// whether column q begins a pose: x, y, z, quaternion
static bool is_place(const source *s, int q) {
    return ends_with(column_name(s, q), ".x") && ends_with(column_name(s, q + 3), ".qw") &&
           ends_with(column_name(s, q + 6), ".qz");
}

static lmb_status read_skin(lmb_drawn *b, const source *s, const lmb_scene_body *n, lmb_error *err) {
    lmb_status st = lmb_skin_read(&b->skin, s->r, lmb_scene_shape_of(n), err);
    b->elastic = n->flex->q, b->delastic = n->flex->v, b->residual = n->flex->p;
    return st == LMB_OK ? lmb_scene_check_shape(n, b->skin.mode_count, b->skin.residual_count, err) : st;
}

static lmb_status read_body(lmb_drawing *d, const source *s, const marker_lists *list, int index,
                            lmb_error *err) {
    const lmb_scene_body *n = &d->scene->bodies[index];
    if (!is_place(s, n->q) && (n->q >= 0 || n->flex == NULL)) return LMB_OK;
    lmb_drawn *b = &d->bodies[d->body_count++];
    b->name = n->name;
    b->q = n->q, b->dq = n->v;
    read_color(b->color, n->color, index);
    if (n->flex) return read_skin(b, s, n, err);
    bool ok = true;
    for (int k = 0; k < n->shape_count && ok; k++) ok = add_shape(&b->skin, &n->shapes[k]);
    if (ok && b->skin.node_count == 0) ok = add_markers(&b->skin, d->scene, list, index);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// many bodies may share a large mesh: the picture is limited as a whole
static lmb_status add_size(double *sum, const lmb_drawing *d, lmb_error *err) {
    enum { MOST = 50 * 1000 * 1000 };
    const lmb_skin *s = d->body_count > 0 ? &d->bodies[d->body_count - 1].skin : &(lmb_skin){0};
    *sum += s->node_count + (double)s->triangle_count + s->line_count;
    if (*sum <= MOST) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the picture has more than %d nodes and elements", MOST);
}

static lmb_status read_bodies(lmb_drawing *d, const source *s, lmb_error *err) {
    const lmb_scene *scene = d->scene;
    d->bodies = lmb_alloc((size_t)scene->body_count, sizeof *d->bodies);
    marker_lists list = {0};
    lmb_status st = d->bodies && list_markers(&list, scene) ? LMB_OK : lmb_fail_memory(err);
    double sum = 0;
    for (int i = 0; i < scene->body_count && st == LMB_OK; i++)
        if ((st = read_body(d, s, &list, i, err)) == LMB_OK) st = add_size(&sum, d, err);
    lmb_free(list.first);
    return st;
}

// ---- rows --------------------------------------------------------------------------------------

// two tables side by side; the second is optional
static lmb_status read_row(double *out, const source *s, const char *first, int columns, const char *second,
                           long row, lmb_error *err) {
    lmb_status st = lmb_reader_block(out, s->r, s->g, first, (lmb_row_range){row, 1}, err);
    if (st == LMB_OK && lmb_reader_has_table(s->r, s->g, second))
        st = lmb_reader_block(out + columns, s->r, s->g, second, (lmb_row_range){row, 1}, err);
    return st;
}

long lmb_chosen_row(long k, long count, long total) {
    return count < 2 ? 0 : (long)floor((double)k * (double)(total - 1) / (double)(count - 1) + 0.5);
}

static lmb_status make_rows(lmb_drawing *d, const source *s, long count, lmb_error *err) {
    d->frame_count = (int)count;
    d->columns = s->q.columns + s->places.columns;
    d->time = lmb_alloc((size_t)count, sizeof *d->time);
    d->q = lmb_alloc((size_t)count * (size_t)d->columns, sizeof *d->q);
    return d->time && d->q ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status read_rows(lmb_drawing *d, const source *s, int frames, lmb_error *err) {
    long rows = lmb_reader_rows(s->r, s->g), most = frames > 0 ? frames : FRAMES,
         count = rows < most ? rows : most;
    lmb_status st = make_rows(d, s, count, err);
    for (long k = 0; k < count && st == LMB_OK; k++) {
        long row = lmb_chosen_row(k, count, rows);
        st = lmb_reader_block(&d->time[k], s->r, s->g, "time", (lmb_row_range){row, 1}, err);
        if (st == LMB_OK) st = read_row(d->q + k * d->columns, s, "q", s->q.columns, "places", row, err);
    }
    return st;
}

// ---- modes -------------------------------------------------------------------------------------

typedef struct swing { // a mode
    double frequency;
    double *re, *im;
    double *rest; // the row it oscillates about
} swing;

// A (re cos - im sin) of increment c at a phase; 0 without a column
static double increment(const swing *s, int c, double phase) {
    return c < 0 ? 0 : LMB_MODE_AMPLITUDE * (s->re[c] * cos(phase) - s->im[c] * sin(phase));
}

// bodies may share coordinates: displacements are measured from the row at rest
static void move_body(double *row, const lmb_drawn *b, const swing *s, double phase) {
    const double *rest = s->rest;
    for (int k = 0; k < b->skin.mode_count && b->delastic >= 0; k++)
        row[b->elastic + k] = rest[b->elastic + k] + increment(s, b->delastic + k, phase);
    if (b->q < 0 || b->dq < 0) return;
    double turn[3];
    for (int k = 0; k < 3; k++) {
        row[b->q + k] = rest[b->q + k] + increment(s, b->dq + k, phase);
        turn[k] = increment(s, b->dq + 3 + k, phase);
    }
    q_store(row + b->q + 3, q_mul(q_load(rest + b->q + 3), q_exp(v3_load(turn))));
}

static lmb_status read_shape(swing *out, const source *s, int columns, long row, lmb_error *err) {
    double values[8];
    lmb_series modes = {0};
    lmb_status st = lmb_reader_columns(&modes, s->r, s->g, "modes", err);
    bool known = modes.columns >= 1 && modes.columns <= LMB_COUNT(values);
    lmb_series_free(&modes);
    if (st == LMB_OK && !known)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the table of modes is damaged");
    if (st == LMB_OK) st = lmb_reader_block(values, s->r, s->g, "modes", (lmb_row_range){row, 1}, err);
    if (st == LMB_OK) st = read_row(out->re, s, "shapes_re", columns, "places_re", row, err);
    if (st == LMB_OK) st = read_row(out->im, s, "shapes_im", columns, "places_im", row, err);
    out->frequency = values[0];
    return st;
}

static lmb_status increment_columns(int *shapes, int *all, const source *s, lmb_error *err) {
    lmb_series v = {0}, places = {0};
    lmb_status st = lmb_reader_columns(&v, s->r, s->g, "shapes_re", err);
    if (st == LMB_OK && lmb_reader_has_table(s->r, s->g, "places_re"))
        st = lmb_reader_columns(&places, s->r, s->g, "places_re", err);
    *shapes = v.columns, *all = v.columns + places.columns;
    lmb_series_free(&v);
    lmb_series_free(&places);
    return st;
}

// one period of a mode, the last frame equal to the first; a mode that does not oscillate takes one second
static lmb_status swing_rows(lmb_drawing *d, const source *s, const lmb_export_options *o, lmb_error *err) {
    long rows = lmb_reader_rows(s->r, s->g), mode = o->mode > 0 ? o->mode : 1;
    int shapes = 0, columns = 0;
    if (mode > rows)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no mode %ld; the analysis has %ld modes", mode,
                        rows);
    lmb_status st = increment_columns(&shapes, &columns, s, err);
    if (st == LMB_OK) st = make_rows(d, s, o->frames > 0 ? o->frames : PERIOD_FRAMES, err);
    swing x = {.re = lmb_alloc(2 * (size_t)columns + 1, sizeof *x.re)};
    x.rest = d->rest = lmb_alloc((size_t)d->columns + 1, sizeof *x.rest);
    if (st == LMB_OK && (x.re == NULL || x.rest == NULL)) st = lmb_fail_memory(err);
    if (x.re) x.im = x.re + columns;
    if (st == LMB_OK) st = read_shape(&x, s, shapes, mode - 1, err);
    if (st == LMB_OK) st = read_row(x.rest, s, "q", s->q.columns, "places", mode - 1, err);
    for (int k = 0; k < d->frame_count && st == LMB_OK; k++) {
        double part = d->frame_count > 1 ? (double)k / (d->frame_count - 1) : 0;
        double *row = d->q + (size_t)k * (size_t)d->columns;
        d->time[k] = x.frequency > 0 ? part / x.frequency : part;
        memcpy(row, x.rest, (size_t)d->columns * sizeof *row);
        for (int i = 0; i < d->body_count; i++) move_body(row, &d->bodies[i], &x, 2 * pi * part);
    }
    lmb_free(x.re);
    return st;
}

// ---- all of it ---------------------------------------------------------------------------------

static lmb_status read_all(lmb_drawing *d, source *s, const lmb_export_options *o, lmb_error *err) {
    lmb_status st = lmb_scene_load(&d->scene, s->r, err);
    if (st == LMB_OK) st = lmb_reader_columns(&s->q, s->r, s->g, "q", err);
    if (st == LMB_OK && lmb_reader_has_table(s->r, s->g, "places"))
        st = lmb_reader_columns(&s->places, s->r, s->g, "places", err);
    if (st == LMB_OK) st = read_bodies(d, s, err);
    if (st == LMB_OK)
        st = lmb_reader_has_table(s->r, s->g, "shapes_re") ? swing_rows(d, s, o, err)
                                                           : read_rows(d, s, o->frames, err);
    if (st == LMB_OK && d->body_count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the model has no bodies to draw");
    lmb_series_free(&s->q);
    lmb_series_free(&s->places);
    return st;
}

static lmb_status fill(lmb_drawing *d, lmb_reader *r, const lmb_export_options *o, lmb_error *err) {
    const char *scene = lmb_reader_text(r, "scene");
    source s = {.r = r};
    lmb_status st = lmb_reader_find_states(&s.g, r, o->analysis, err);
    if (st == LMB_OK && (scene == NULL || lmb_reader_rows(r, s.g) == 0))
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the results file has no %s; there is nothing to draw",
                      scene ? "rows" : "scene");
    return st == LMB_OK ? read_all(d, &s, o, err) : st;
}

lmb_status lmb_drawing_create(lmb_drawing **out, const char *results, const lmb_export_options *options,
                              lmb_error *err) {
    static const lmb_export_options plain = {0};
    lmb_reader *r;
    *out = NULL;
    lmb_status st = lmb_reader_open(&r, results, err);
    if (st != LMB_OK) return st;
    lmb_drawing *d = lmb_alloc(1, sizeof *d);
    st = d ? fill(d, r, options ? options : &plain, err) : lmb_fail_memory(err);
    lmb_reader_close(r);
    if (st == LMB_OK) *out = d;
    else lmb_drawing_destroy(d);
    return st;
}

void lmb_drawing_destroy(lmb_drawing *d) {
    if (d == NULL) return;
    for (int i = 0; i < d->body_count; i++) lmb_skin_free(&d->bodies[i].skin);
    lmb_free(d->bodies);
    lmb_free(d->time);
    lmb_free(d->q);
    lmb_free(d->rest);
    lmb_scene_destroy(d->scene);
    lmb_free(d);
}

void lmb_drawn_place(double out[7], const lmb_drawing *d, const lmb_drawn *b, int frame) {
    static const double ground[7] = {0, 0, 0, 1, 0, 0, 0};
    memcpy(out, b->q < 0 ? ground : d->q + (size_t)frame * (size_t)d->columns + b->q, sizeof ground);
}

pose lmb_drawn_pose(const lmb_drawing *d, const lmb_drawn *b, int frame) {
    double p[7];
    lmb_drawn_place(p, d, b, frame);
    return (pose){.r = v3_load(p), .R = q_matrix(q_load(p + 3))};
}

static int elastic_column(const lmb_drawn *b) {
    return b->elastic > 0 && b->skin.mode_count > 0 ? b->elastic : 0;
}

const double *lmb_drawn_elastic(const lmb_drawing *d, const lmb_drawn *b, int frame) {
    return d->q + (size_t)frame * (size_t)d->columns + elastic_column(b);
}

lmb_skin_state lmb_drawn_state(const lmb_drawing *d, const lmb_drawn *b, int frame) {
    const double *row = d->q + (size_t)frame * (size_t)d->columns;
    return (lmb_skin_state){row + elastic_column(b), row + (b->residual > 0 ? b->residual : 0)};
}

const double *lmb_drawn_rest(const lmb_drawing *d, const lmb_drawn *b) {
    return d->rest ? d->rest + elastic_column(b) : NULL;
}
