// draw/view.c: writes the viewer page of a results file: a template with all data embedded.
//
// The data are one block, deflated and written as base64, so that nothing of a model can become part of the page:
//   4 bytes: length n of the header;  n bytes: header (JSON, UTF-8);  then arrays, each at a multiple of 8 bytes
// The header names each array by {"at", "type": "f4" | "f8" | "i4", "rows", "columns"}; at counts from the first
// multiple of 8 after the header.  Arrays are stored column by column, shuffled (pack.h).
//
// Thinning: of each analysis at most options->frames places of bodies and markers, as float, evenly chosen, first and last
// among them; modes and their shapes (float) all; of sensors and energies (double), reactions, forces, responses and Campbell diagrams (float) all rows,
// unless a table had more than SERIES_VALUES numbers: then so many rows, evenly chosen.
//
// Rows of responses and Campbell diagrams are no states: such analyses have no frames.
#include <limber/limber.h>

#include "core/json.h"
#include "draw/drawing.h"
#include "draw/envelope.h"
#include "draw/exports.h"
#include "draw/life.h"
#include "draw/pack.h"
#include "draw/scene.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "store/results.h"
#include "store/skin.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 10000, SERIES_VALUES = 4000000, SPOTS = 10, BLOCK_VALUES = 1 << 17 };

static const char title_mark[] = "@@limber-title@@", data_mark[] = "@@limber-data@@";

typedef enum array_type { F4, F8, I4 } array_type;

typedef struct writer {
    const char *results;
    const lmb_view_options *options;
    lmb_reader *r;
    lmb_scene *scene;
    lmb_text header;
    lmb_pack *pack;           // NULL: only the header is made
    uint64_t at;              // where the next array goes
    bool ok;                  // no allocation failed
    lmb_envelope **envelopes; // of the analyses; NULL: it has no stresses
    const lmb_life *life;     // of one of them, or NULL
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add(&(w)->header, __VA_ARGS__))
static void add_string(writer *w, const char *s) { w->ok = w->ok && lmb_json_string(&w->header, s); }

static void add_number(writer *w, double x) {
    if (isfinite(x)) ADD(w, "%.17g", x);
    else ADD(w, "null");
}

// ---- arrays ------------------------------------------------------------------------------------

static size_t bytes_of(array_type type) { return type == F8 ? 8 : 4; }

// the array's entry in the header, without the closing brace
static void add_array(writer *w, const char *name, array_type type, long rows, long columns) {
    static const char *const names[] = {"f4", "f8", "i4"};
    ADD(w, "\"%s\": {\"at\": %llu, \"type\": \"%s\", \"rows\": %ld, \"columns\": %ld", name,
        (unsigned long long)w->at, names[type], rows, columns);
    w->at += (bytes_of(type) * (uint64_t)rows * (uint64_t)columns + 7) / 8 * 8;
}

static void store(unsigned char *out, array_type type, double x) {
    float single = (float)x;
    if (type == F8) memcpy(out, &x, 8);
    else memcpy(out, &single, 4);
}

// shuffles and writes; releases data
static lmb_status send(writer *w, unsigned char *data, array_type type, long rows, long columns,
                       lmb_error *err) {
    size_t size = bytes_of(type) * (size_t)rows * (size_t)columns;
    unsigned char *scratch = data ? lmb_alloc(size, 1) : NULL;
    lmb_status st = scratch ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        lmb_pack_shuffle(scratch, data, rows, columns, (int)bytes_of(type));
        st = lmb_pack_add(w->pack, data, size, err);
    }
    if (st == LMB_OK) st = lmb_pack_align(w->pack, err);
    lmb_free(scratch);
    lmb_free(data);
    return st;
}

typedef struct array { // rows x columns, row by row
    const char *name;
    array_type type;
    long rows, columns;
    const double *f8;
    const float *f4;
    const int32_t *i4;
} array;

static lmb_status send_array(writer *w, const array *a, lmb_error *err) {
    size_t size = bytes_of(a->type), count = (size_t)a->rows * (size_t)a->columns;
    const unsigned char *from = a->f8   ? (const void *)a->f8
                                : a->f4 ? (const void *)a->f4
                                        : (const void *)a->i4;
    unsigned char *data = lmb_alloc(count, size);
    if (data == NULL) return lmb_fail_memory(err);
    for (long r = 0; r < a->rows; r++)
        for (long c = 0; c < a->columns; c++)
            memcpy(data + size * (size_t)(c * a->rows + r), from + size * (size_t)(r * a->columns + c), size);
    return send(w, data, a->type, a->rows, a->columns, err);
}

// in the first pass the entry of the header, in the second the numbers
static lmb_status put_array(writer *w, const array *a, lmb_error *err) {
    if (w->pack) return send_array(w, a, err);
    add_array(w, a->name, a->type, a->rows, a->columns);
    ADD(w, "}");
    return LMB_OK;
}

typedef struct table { // or time
    int group, columns;
    const char *name;
    array_type type;
    long count; // of rows that are chosen
} table;

// columns of the chosen rows, read in blocks
static lmb_status fill_table(unsigned char *out, writer *w, const table *t, double *block, long most,
                             lmb_error *err) {
    long total = lmb_reader_rows(w->r, t->group), size = (long)bytes_of(t->type);
    lmb_status st = LMB_OK;
    for (long k = 0; k < t->count && st == LMB_OK;) {
        long first = lmb_chosen_row(k, t->count, total), last = total - first < most ? total : first + most,
             row;
        st = lmb_reader_block(block, w->r, t->group, t->name, (lmb_row_range){first, last - first}, err);
        for (; st == LMB_OK && k < t->count && (row = lmb_chosen_row(k, t->count, total)) < last; k++)
            for (int c = 0; c < t->columns; c++)
                store(out + size * (c * t->count + k), t->type, block[(row - first) * t->columns + c]);
    }
    return st;
}

static lmb_status send_table(writer *w, const table *t, lmb_error *err) {
    long most = BLOCK_VALUES / (t->columns + 1) + 1;
    unsigned char *data = lmb_alloc((size_t)t->count * (size_t)t->columns, bytes_of(t->type));
    double *block = lmb_alloc((size_t)most * (size_t)t->columns, sizeof *block);
    lmb_status st = data && block ? fill_table(data, w, t, block, most, err) : lmb_fail_memory(err);
    lmb_free(block);
    if (st == LMB_OK) return send(w, data, t->type, t->count, t->columns, err);
    lmb_free(data);
    return st;
}

static void add_names(writer *w, const char *key, char **names, int count) {
    ADD(w, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) ADD(w, "%s", i ? ", " : ""), add_string(w, names[i]);
    ADD(w, "]");
}

// in the first pass the entry of the header, in the second the numbers
static lmb_status put_table(writer *w, table *t, lmb_error *err) {
    lmb_series s = {.columns = 1};
    bool time = strcmp(t->name, "time") == 0;
    lmb_status st = time ? LMB_OK : lmb_reader_columns(&s, w->r, t->group, t->name, err);
    t->columns = s.columns;
    if (st == LMB_OK && w->pack) st = send_table(w, t, err);
    else if (st == LMB_OK) {
        add_array(w, t->name, t->type, t->count, t->columns);
        if (!time) add_names(w, "names", s.names, s.columns), add_names(w, "units", s.units, s.columns);
        ADD(w, "}");
    }
    lmb_series_free(&s);
    return st;
}

// ---- analyses ----------------------------------------------------------------------------------

static lmb_status put_frames(writer *w, int g, lmb_error *err) {
    long rows = lmb_reader_rows(w->r, g), most = w->options->frames > 0 ? w->options->frames : FRAMES;
    bool all = rows < most || lmb_reader_has_table(w->r, g, "modes"); // rows of modes are not times
    bool moves = lmb_reader_has_table(w->r, g, "q");
    table time = {.group = g, .name = "time", .type = F8, .count = !moves ? 0 : all ? rows : most}, q = time;
    static const char *const names[] = {"q", "places", "active"};
    if (!w->pack) ADD(w, ", \"frames\": {");
    lmb_status st = put_table(w, &time, err);
    for (int k = 0; k < LMB_COUNT(names) && st == LMB_OK; k++) {
        q.name = names[k], q.type = F4;
        if (!w->pack) ADD(w, ", ");
        if (lmb_reader_has_table(w->r, g, q.name)) st = put_table(w, &q, err);
        else if (!w->pack) ADD(w, "\"%s\": null", q.name);
    }
    if (!w->pack) ADD(w, "}");
    return st;
}

static const struct {
    const char *name;
    array_type type;
} series[] = {{"sensors", F8},   {"energies", F8},  {"reactions", F4}, {"forces", F4},
              {"modes", F8},     {"shapes_re", F4}, {"shapes_im", F4}, {"places_re", F4},
              {"places_im", F4}, {"bars", F4},      {"response", F4},  {"campbell", F4}};

// rows of tables of sensors and so on: all, unless one of them were too large; rows of modes are not times
static lmb_status series_rows(long *out, writer *w, int g, lmb_error *err) {
    *out = lmb_reader_rows(w->r, g);
    lmb_status st = LMB_OK;
    for (int k = 0; k < LMB_COUNT(series) && st == LMB_OK && !lmb_reader_has_table(w->r, g, "modes"); k++) {
        if (!lmb_reader_has_table(w->r, g, series[k].name)) continue;
        lmb_series s = {0};
        st = lmb_reader_columns(&s, w->r, g, series[k].name, err);
        long fit = SERIES_VALUES / (s.columns + 1) + 2;
        if (fit < *out) *out = fit;
        lmb_series_free(&s);
    }
    return st;
}

static lmb_status put_series(writer *w, int g, lmb_error *err) {
    table t = {.group = g, .name = "time", .type = F8};
    lmb_status st = series_rows(&t.count, w, g, err);
    if (!w->pack) ADD(w, ", \"series\": {");
    if (st == LMB_OK) st = put_table(w, &t, err);
    for (int k = 0; k < LMB_COUNT(series) && st == LMB_OK; k++) {
        if (!lmb_reader_has_table(w->r, g, series[k].name)) continue;
        t.name = series[k].name;
        t.type = series[k].type;
        if (!w->pack) ADD(w, ", ");
        st = put_table(w, &t, err);
    }
    if (!w->pack) ADD(w, "}");
    return st;
}

static lmb_status add_stats(writer *w, int g, lmb_error *err) {
    lmb_series s = {0};
    lmb_status st = lmb_reader_stats(&s, w->r, g, err);
    ADD(w, ", \"stats\": [");
    for (int i = 0; i < s.columns && s.rows == 1; i++) {
        ADD(w, "%s[", i ? ", " : "");
        add_string(w, s.names[i]);
        ADD(w, ", ");
        add_number(w, s.v[i]);
        ADD(w, "]");
    }
    ADD(w, "]");
    lmb_series_free(&s);
    return st;
}

static lmb_status add_events(writer *w, int g, lmb_error *err) {
    enum { LISTED = 1000 };
    lmb_series s = {0};
    char **texts = NULL;
    lmb_status st = lmb_reader_events(&s, &texts, w->r, g, err);
    ADD(w, ", \"event_count\": %ld, \"events\": [", s.rows);
    for (long i = 0; i < s.rows && i < LISTED && st == LMB_OK; i++) {
        ADD(w, "%s[", i ? ", " : "");
        add_number(w, s.v[i]);
        ADD(w, ", ");
        add_string(w, texts[i]);
        ADD(w, "]");
    }
    ADD(w, "]");
    lmb_free(texts);
    lmb_series_free(&s);
    return st;
}

static void add_text(writer *w, const char *key, const char *text) {
    ADD(w, ", \"%s\": ", key);
    if (text) add_string(w, text);
    else ADD(w, "null");
}

// without the closing brace
static void add_place(writer *w, const lmb_spot *s) {
    ADD(w, "{\"body\": %d, \"kind\": \"%s\", \"node\": %d, \"x\": [", s->body, s->kind, s->node);
    for (int k = 0; k < 3; k++) ADD(w, k ? ", " : ""), add_number(w, s->x[k]);
    ADD(w, "]");
}

static void add_spot(writer *w, const lmb_spot *s) {
    add_place(w, s);
    ADD(w, ", \"time\": "), add_number(w, s->time);
    ADD(w, ", \"mises\": "), add_number(w, s->mises);
    ADD(w, ", \"bar\": "), add_number(w, s->bar);
    ADD(w, "}");
}

// the largest stress over all rows, and where it peaks
static lmb_status add_largest(writer *w, int g, lmb_error *err) {
    lmb_watch watch = {w->options->progress, w->options->user};
    lmb_envelope_options o = {.group = g, .spots = SPOTS, .watch = &watch};
    if (!lmb_stressed_is_for(w->r, g)) return LMB_OK;
    lmb_status st = lmb_envelope_create(&w->envelopes[g], w->r, w->scene, &o, err);
    if (st != LMB_OK) return st;
    const lmb_envelope *e = w->envelopes[g];
    ADD(w, ", \"largest_stress\": "), add_number(w, e->largest);
    ADD(w, ", \"spots\": [");
    for (int i = 0; i < e->spot_count; i++) ADD(w, i ? ", " : ""), add_spot(w, &e->spots[i]);
    ADD(w, "]");
    return LMB_OK;
}

static const lmb_life *life_of(const writer *w, int g) {
    return w->life && w->life->group == g ? w->life : NULL;
}

static void add_worn(writer *w, const lmb_life *e, const lmb_life_spot *s) {
    add_place(w, &s->at);
    ADD(w, ", \"damage\": "), add_number(w, s->damage);
    ADD(w, ", \"plane\": "), add_number(w, s->plane);
    ADD(w, ", \"hours\": "), add_number(w, lmb_life_hours(e, s));
    ADD(w, "}");
}

static void add_life(writer *w, int g) {
    const lmb_life *e = life_of(w, g);
    lmb_text line = {0};
    if (e == NULL) return;
    w->ok = w->ok && lmb_sn_write(&line, &e->line);
    ADD(w, ", \"life\": {\"rows\": %ld, \"duration\": ", e->rows), add_number(w, e->duration);
    add_text(w, "line", line.text);
    ADD(w, ", \"spots\": [");
    for (int i = 0; i < e->spot_count; i++) ADD(w, i ? ", " : ""), add_worn(w, e, &e->spots[i]);
    ADD(w, "]}");
    lmb_text_free(&line);
}

// numbers of the nodes of a body that do not change with time; no rows: none
static lmb_status put_field(writer *w, int *put, int body, const array *a, lmb_error *err) {
    if (a->rows == 0) return LMB_OK;
    if (!w->pack) ADD(w, "%s{\"body\": %d, ", (*put)++ ? ", " : "", body);
    lmb_status st = put_array(w, a, err);
    if (!w->pack) ADD(w, "}");
    return st;
}

// of every node over all rows: the largest stress, and the damage
static lmb_status put_fields(writer *w, int g, lmb_error *err) {
    const lmb_envelope *e = w->envelopes[g];
    const lmb_life *l = life_of(w, g);
    lmb_status st = LMB_OK;
    if (!w->pack) ADD(w, ", \"fields\": [");
    for (int i = 0, put = 0; i < w->scene->body_count && st == LMB_OK; i++) {
        array stress = {"envelope", F4, .columns = 1}, damage = {"damage", F4, .columns = 1};
        if (e && !e->bodies[i].unknown) stress.rows = e->bodies[i].count, stress.f4 = e->bodies[i].largest;
        if (l) damage.rows = l->bodies[i].count, damage.f4 = l->bodies[i].damage;
        st = put_field(w, &put, i, &stress, err);
        if (st == LMB_OK) st = put_field(w, &put, i, &damage, err);
    }
    if (!w->pack) ADD(w, "]");
    return st;
}

static lmb_status put_group(writer *w, int g, lmb_error *err) {
    lmb_status st = LMB_OK;
    if (!w->pack) {
        ADD(w, "{\"rows\": %ld", lmb_reader_rows(w->r, g));
        add_text(w, "name", lmb_reader_group_name(w->r, g));
        static const char *const keys[] = {"type", "status", "text"};
        for (int i = 0; i < LMB_COUNT(keys); i++)
            add_text(w, keys[i], lmb_reader_group_attribute(w->r, g, keys[i]));
        st = add_stats(w, g, err);
        if (st == LMB_OK) st = add_events(w, g, err);
        if (st == LMB_OK) st = add_largest(w, g, err);
        add_life(w, g);
    }
    if (st == LMB_OK) st = put_fields(w, g, err);
    if (st == LMB_OK) st = put_frames(w, g, err);
    if (st == LMB_OK) st = put_series(w, g, err);
    if (!w->pack) ADD(w, "}");
    return st;
}

// ---- flexible bodies ---------------------------------------------------------------------------

static lmb_status put_shape(writer *w, const char *body, const lmb_skin *s, lmb_error *err) {
    const array arrays[] = {
        {"x", F8, s->node_count, 3, .f8 = s->x},
        {"modes", F4, s->modes ? s->node_count : 0, 3 * (long)s->mode_count, .f4 = s->modes},
        {"second", F4, s->second ? s->node_count : 0, 3 * (long)s->second_count, .f4 = s->second},
        {"quadratic", F8, s->second_count, (long)s->mode_count * s->mode_count, .f8 = s->quadratic},
        {"stress", F4, s->stress ? s->node_count : 0, 6 * ((long)s->mode_count + s->residual_count),
         .f4 = s->stress},
        {"triangles", I4, s->triangle_count, 3, .i4 = s->triangles},
        {"lines", I4, s->line_count, 2, .i4 = s->lines},
        {"node", I4, s->node ? s->node_count : 0, 1, .i4 = s->node},
    };
    lmb_status st = LMB_OK;
    if (!w->pack) ADD(w, "{\"body\": "), add_string(w, body);
    for (int i = 0; i < LMB_COUNT(arrays) && st == LMB_OK; i++) {
        if (arrays[i].rows == 0) continue;
        if (!w->pack) ADD(w, ", ");
        st = put_array(w, &arrays[i], err);
    }
    if (!w->pack) ADD(w, "}");
    return st;
}

// the bodies that are drawn with a shape have its coordinates
static lmb_status check_bodies(const lmb_scene *scene, const char *shape, const lmb_skin *s, lmb_error *err) {
    for (int i = 0; i < scene->body_count; i++) {
        const lmb_scene_body *b = &scene->bodies[i];
        if (b->flex == NULL || strcmp(lmb_scene_shape_of(b), shape) != 0) continue;
        lmb_status st = lmb_scene_check_shape(b, s->mode_count, s->residual_count, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

static lmb_status put_flex(writer *w, lmb_error *err) {
    char **names;
    int count;
    lmb_status st = lmb_skin_names(&names, &count, w->r, err);
    if (!w->pack) ADD(w, ",\n\"flex\": [");
    for (int i = 0; i < count && st == LMB_OK; i++) {
        lmb_skin s = {0};
        st = lmb_skin_read(&s, w->r, names[i], err);
        if (!w->pack && i) ADD(w, ",\n");
        if (st == LMB_OK) st = check_bodies(w->scene, names[i], &s, err);
        if (st == LMB_OK) st = put_shape(w, names[i], &s, err);
        lmb_skin_free(&s);
    }
    if (!w->pack) ADD(w, "]");
    lmb_free(names);
    return st;
}

// ---- header and page ---------------------------------------------------------------------------

// analyses with states, or with curves of their own
static bool is_shown(const lmb_reader *r, int g) {
    static const char *const tables[] = {"q", "response", "campbell"};
    bool shown = false;
    for (int k = 0; k < LMB_COUNT(tables); k++) shown = shown || lmb_reader_has_table(r, g, tables[k]);
    return shown;
}

static lmb_status put_arrays(writer *w, lmb_error *err) {
    lmb_status st = LMB_OK;
    if (!w->pack) ADD(w, ",\n\"analyses\": [");
    for (int g = 0, shown = 0; g < lmb_reader_group_count(w->r) && st == LMB_OK; g++) {
        if (!is_shown(w->r, g)) continue;
        if (!w->pack && shown++ > 0) ADD(w, ",\n");
        st = put_group(w, g, err);
    }
    if (!w->pack) ADD(w, "]");
    return st == LMB_OK ? put_flex(w, err) : st;
}

static lmb_status make_header(writer *w, lmb_error *err) {
    static const char *const texts[] = {"version", "created", "command", "model_file", "model"};
    const char *slash = strrchr(w->results, '/');
    ADD(w, "{\"format\": 1");
    add_text(w, "file", slash ? slash + 1 : w->results);
    for (int i = 0; i < LMB_COUNT(texts); i++) add_text(w, texts[i], lmb_reader_text(w->r, texts[i]));
    ADD(w, ", \"scene\": ");
    w->ok = w->ok && lmb_scene_write(&w->header, w->scene);
    lmb_series p = {0};
    lmb_status st = lmb_reader_parameters(&p, w->r, err);
    ADD(w, ", \"live\": %s, \"parameters\": [", lmb_reader_live(w->r) ? "true" : "false");
    for (int i = 0; i < p.columns && st == LMB_OK; i++) {
        ADD(w, "%s[", i ? ", " : "");
        add_string(w, p.names[i]);
        ADD(w, ", ");
        add_number(w, p.v[i]);
        ADD(w, "]");
    }
    ADD(w, "]");
    lmb_series_free(&p);
    if (st == LMB_OK) st = put_arrays(w, err);
    ADD(w, "}\n");
    return st != LMB_OK ? st : w->ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status write_data(writer *w, FILE *f, lmb_error *err) {
    lmb_pack *pack = lmb_alloc(1, sizeof *pack);
    lmb_status st = pack ? lmb_pack_begin(pack, f, err) : lmb_fail_memory(err);
    if (st == LMB_OK) {
        uint32_t length = (uint32_t)w->header.length;
        w->pack = pack;
        st = lmb_pack_add(pack, &length, sizeof length, err);
        if (st == LMB_OK) st = lmb_pack_add(pack, w->header.text, w->header.length, err);
        if (st == LMB_OK) st = lmb_pack_align(pack, err);
        if (st == LMB_OK) st = put_arrays(w, err);
        if (st == LMB_OK) st = lmb_pack_end(pack, err);
        lmb_pack_free(pack);
    }
    lmb_free(pack);
    return st;
}

static void write_escaped(FILE *f, const char *s) {
    for (; *s; s++) {
        if (*s == '<') fputs("&lt;", f);
        else if (*s == '>') fputs("&gt;", f);
        else if (*s == '&') fputs("&amp;", f);
        else fputc(*s, f);
    }
}

// writes the template up to mark; returns the rest after mark
static const char *write_until(FILE *f, const char *page, const char *mark) {
    const char *end = strstr(page, mark);
    fwrite(page, 1, (size_t)(end - page), f);
    return end + strlen(mark);
}

static lmb_status write_page(writer *w, FILE *f, lmb_error *err) {
    const char *slash = strrchr(w->results, '/'), *rest;
    rest = write_until(f, w->options->page, title_mark);
    write_escaped(f, slash ? slash + 1 : w->results);
    rest = write_until(f, rest, data_mark);
    lmb_status st = write_data(w, f, err);
    fputs(rest, f);
    return st;
}

static lmb_status check_template(const char *page, lmb_error *err) {
    const char *title = page ? strstr(page, title_mark) : NULL;
    if (title && strstr(title, data_mark)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the page template lacks the marks %s and %s",
                    title_mark, data_mark);
}

lmb_status lmb_page_write(const char *path, const char *results, const lmb_view_options *options,
                          const lmb_life *life, lmb_error *err) {
    writer w = {.results = results, .options = options, .ok = true, .life = life};
    lmb_outfile out;
    lmb_status st = check_template(options->page, err);
    if (st == LMB_OK) st = lmb_reader_open(&w.r, results, err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    int groups = lmb_reader_group_count(w.r);
    w.envelopes = lmb_alloc((size_t)groups + 1, sizeof(lmb_envelope *));
    st = w.envelopes ? lmb_scene_load(&w.scene, w.r, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = make_header(&w, err);
    if (st == LMB_OK) lmb_output_sweep(path), st = lmb_outfile_open(&out, path, results, err);
    if (st == LMB_OK) st = lmb_outfile_close(&out, write_page(&w, out.f, err), err);
    lmb_locale_end(locale);
    for (int g = 0; w.envelopes && g < groups; g++) lmb_envelope_destroy(w.envelopes[g]);
    lmb_free(w.envelopes);
    lmb_text_free(&w.header);
    lmb_scene_destroy(w.scene);
    lmb_reader_close(w.r);
    return st;
}

lmb_status lmb_view_file(const char *path, const char *results, const lmb_view_options *options,
                         lmb_error *err) {
    return lmb_page_write(path, results, options, NULL, err);
}
