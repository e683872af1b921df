// draw/view.c: writes the viewer page of a results file: a template with all data embedded.
//
// Several results files are as many runs: the header of the first contains those of the others, and how they compare.
//
// Thinning: of each analysis at most options->frames places of bodies and markers, as float, evenly chosen, first and last
// among them; modes and their shapes (float) all; of sensors and energies (double), reactions, forces, responses and Campbell diagrams (float) all rows,
// unless a table had more than SERIES_VALUES numbers: then so many rows, evenly chosen.
//
// Rows of responses and Campbell diagrams are no states: such analyses have no frames.
#include <limber/limber.h>

#include "draw/drawing.h"
#include "draw/envelope.h"
#include "draw/exports.h"
#include "draw/life.h"
#include "draw/page.h"
#include "draw/scene.h"
#include "draw/varied.h"
#include "draw/view_study.h"
#include "os/locale.h"
#include "store/results.h"
#include "store/skin.h"
#include "store/study_file.h"

#include <math.h>
#include <string.h>

enum { FRAMES = 10000, SERIES_VALUES = 4000000, SPOTS = 10, BLOCK_VALUES = 1 << 17 };

typedef struct run {
    const char *results;
    lmb_reader *r;
    lmb_scene *scene;
    lmb_envelope **envelopes; // of the analyses; NULL: it has no stresses
} run;

typedef struct writer {
    const lmb_view_options *options;
    lmb_page *page;       // that is being made
    run *runs;            // one for each results file
    const run *now;       // whose data are put
    const lmb_life *life; // of one of its analyses, or NULL
    lmb_varied varied;    // of several runs
} writer;

#define ADD(w, ...) LMB_PAGE_ADD((w)->page, __VA_ARGS__)
static void add_string(writer *w, const char *s) { lmb_page_string(w->page, s); }
static void add_number(writer *w, double x) { lmb_page_number(w->page, x); }
static void add_text(writer *w, const char *key, const char *text) { lmb_page_text(w->page, key, text); }
static bool sends(const writer *w) { return w->page->pack != NULL; }

// each has its share of what one page may hold, but is not thinned beyond use
static long share(const writer *w, long of, long least) {
    long part = of / w->options->result_count;
    return part > least ? part : least;
}

// ---- tables --------------------------------------------------------------------------------------

static void store(unsigned char *out, lmb_array_type type, double x) {
    float single = (float)x;
    if (type == LMB_F8) memcpy(out, &x, 8);
    else memcpy(out, &single, 4);
}

typedef struct table { // or time
    int group, columns;
    const char *name;
    lmb_array_type type;
    long count; // of rows that are chosen
} table;

// columns of the chosen rows, read in blocks
static lmb_status fill_table(unsigned char *out, writer *w, const table *t, double *block, long most,
                             lmb_error *err) {
    long total = lmb_reader_rows(w->now->r, t->group), size = (long)lmb_array_bytes(t->type);
    lmb_status st = LMB_OK;
    for (long k = 0; k < t->count && st == LMB_OK;) {
        long first = lmb_chosen_row(k, t->count, total), last = total - first < most ? total : first + most,
             row;
        st = lmb_reader_block(block, w->now->r, t->group, t->name, (lmb_row_range){first, last - first}, err);
        for (; st == LMB_OK && k < t->count && (row = lmb_chosen_row(k, t->count, total)) < last; k++)
            for (int c = 0; c < t->columns; c++)
                store(out + size * (c * t->count + k), t->type, block[(row - first) * t->columns + c]);
    }
    return st;
}

static lmb_status send_table(writer *w, const table *t, lmb_error *err) {
    long most = BLOCK_VALUES / (t->columns + 1) + 1;
    unsigned char *data = lmb_alloc((size_t)t->count * (size_t)t->columns, lmb_array_bytes(t->type));
    double *block = lmb_alloc((size_t)most * (size_t)t->columns, sizeof *block);
    lmb_status st = data && block ? fill_table(data, w, t, block, most, err) : lmb_fail_memory(err);
    lmb_free(block);
    if (st == LMB_OK) return lmb_page_send(w->page, data, t->type, t->count, t->columns, err);
    lmb_free(data);
    return st;
}

// in the first pass the entry of the header, in the second the numbers
static lmb_status put_table(writer *w, table *t, lmb_error *err) {
    lmb_series s = {.columns = 1};
    bool time = strcmp(t->name, "time") == 0;
    lmb_status st = time ? LMB_OK : lmb_reader_columns(&s, w->now->r, t->group, t->name, err);
    t->columns = s.columns;
    if (st == LMB_OK && sends(w)) st = send_table(w, t, err);
    else if (st == LMB_OK) {
        lmb_page_entry(w->page, t->name, t->type, t->count, t->columns);
        if (!time) lmb_page_names(w->page, "names", s.names, s.columns);
        if (!time) lmb_page_names(w->page, "units", s.units, s.columns);
        ADD(w, "}");
    }
    lmb_series_free(&s);
    return st;
}

// ---- analyses ----------------------------------------------------------------------------------

static lmb_status put_frames(writer *w, int g, lmb_error *err) {
    long rows = lmb_reader_rows(w->now->r, g),
         most = w->options->frames > 0 ? w->options->frames : share(w, FRAMES, 200);
    bool all = rows < most || lmb_reader_has_table(w->now->r, g, "modes"); // rows of modes are not times
    bool moves = lmb_reader_has_table(w->now->r, g, "q");
    table time = {.group = g,
                  .name = "time",
                  .type = LMB_F8,
                  .count = !moves ? 0
                           : all  ? rows
                                  : most},
          q = time;
    static const char *const names[] = {"q", "places", "active"};
    if (!sends(w)) ADD(w, ", \"frames\": {");
    lmb_status st = put_table(w, &time, err);
    for (int k = 0; k < LMB_COUNT(names) && st == LMB_OK; k++) {
        q.name = names[k], q.type = LMB_F4;
        if (!sends(w)) ADD(w, ", ");
        if (lmb_reader_has_table(w->now->r, g, q.name)) st = put_table(w, &q, err);
        else if (!sends(w)) ADD(w, "\"%s\": null", q.name);
    }
    if (!sends(w)) ADD(w, "}");
    return st;
}

static const struct {
    const char *name;
    lmb_array_type type;
} series[] = {{"sensors", LMB_F8},   {"energies", LMB_F8},  {"reactions", LMB_F4}, {"forces", LMB_F4},
              {"modes", LMB_F8},     {"shapes_re", LMB_F4}, {"shapes_im", LMB_F4}, {"places_re", LMB_F4},
              {"places_im", LMB_F4}, {"bars", LMB_F4},      {"response", LMB_F4},  {"campbell", LMB_F4}};

// rows of tables of sensors and so on: all, unless one of them were too large; rows of modes are not times
static lmb_status series_rows(long *out, writer *w, int g, lmb_error *err) {
    *out = lmb_reader_rows(w->now->r, g);
    lmb_status st = LMB_OK;
    for (int k = 0; k < LMB_COUNT(series) && st == LMB_OK && !lmb_reader_has_table(w->now->r, g, "modes");
         k++) {
        if (!lmb_reader_has_table(w->now->r, g, series[k].name)) continue;
        lmb_series s = {0};
        st = lmb_reader_columns(&s, w->now->r, g, series[k].name, err);
        long fit = share(w, SERIES_VALUES, 20000) / (s.columns + 1) + 2;
        if (fit < *out) *out = fit;
        lmb_series_free(&s);
    }
    return st;
}

static lmb_status put_series(writer *w, int g, lmb_error *err) {
    table t = {.group = g, .name = "time", .type = LMB_F8};
    lmb_status st = series_rows(&t.count, w, g, err);
    if (!sends(w)) ADD(w, ", \"series\": {");
    if (st == LMB_OK) st = put_table(w, &t, err);
    for (int k = 0; k < LMB_COUNT(series) && st == LMB_OK; k++) {
        if (!lmb_reader_has_table(w->now->r, g, series[k].name)) continue;
        t.name = series[k].name;
        t.type = series[k].type;
        if (!sends(w)) ADD(w, ", ");
        st = put_table(w, &t, err);
    }
    if (!sends(w)) ADD(w, "}");
    return st;
}

static lmb_status add_stats(writer *w, int g, lmb_error *err) {
    lmb_series s = {0};
    lmb_status st = lmb_reader_stats(&s, w->now->r, g, err);
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
    long listed = share(w, 1000, 20);
    lmb_series s = {0};
    char **texts = NULL;
    lmb_status st = lmb_reader_events(&s, &texts, w->now->r, g, err);
    ADD(w, ", \"event_count\": %ld, \"events\": [", s.rows);
    for (long i = 0; i < s.rows && i < listed && st == LMB_OK; i++) {
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
    if (!lmb_stressed_is_for(w->now->r, g)) return LMB_OK;
    lmb_status st = lmb_envelope_create(&w->now->envelopes[g], w->now->r, w->now->scene, &o, err);
    if (st != LMB_OK) return st;
    const lmb_envelope *e = w->now->envelopes[g];
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
    w->page->ok = w->page->ok && lmb_sn_write(&line, &e->line);
    ADD(w, ", \"life\": {\"rows\": %ld, \"duration\": ", e->rows), add_number(w, e->duration);
    add_text(w, "line", line.text);
    ADD(w, ", \"spots\": [");
    for (int i = 0; i < e->spot_count; i++) ADD(w, i ? ", " : ""), add_worn(w, e, &e->spots[i]);
    ADD(w, "]}");
    lmb_text_free(&line);
}

// numbers of the nodes of a body that do not change with time; no rows: none
static lmb_status put_field(writer *w, int *put, int body, const lmb_array *a, lmb_error *err) {
    if (a->rows == 0) return LMB_OK;
    if (!sends(w)) ADD(w, "%s{\"body\": %d, ", (*put)++ ? ", " : "", body);
    lmb_status st = lmb_page_put(w->page, a, err);
    if (!sends(w)) ADD(w, "}");
    return st;
}

// of every node over all rows: the largest stress, and the damage
static lmb_status put_fields(writer *w, int g, lmb_error *err) {
    const lmb_envelope *e = w->now->envelopes[g];
    const lmb_life *l = life_of(w, g);
    lmb_status st = LMB_OK;
    if (!sends(w)) ADD(w, ", \"fields\": [");
    for (int i = 0, put = 0; i < w->now->scene->body_count && st == LMB_OK; i++) {
        lmb_array stress = {"envelope", LMB_F4, .columns = 1}, damage = {"damage", LMB_F4, .columns = 1};
        if (e && !e->bodies[i].unknown) stress.rows = e->bodies[i].count, stress.f4 = e->bodies[i].largest;
        if (l) damage.rows = l->bodies[i].count, damage.f4 = l->bodies[i].damage;
        st = put_field(w, &put, i, &stress, err);
        if (st == LMB_OK) st = put_field(w, &put, i, &damage, err);
    }
    if (!sends(w)) ADD(w, "]");
    return st;
}

static lmb_status put_group(writer *w, int g, lmb_error *err) {
    lmb_status st = LMB_OK;
    if (!sends(w)) {
        ADD(w, "{\"rows\": %ld", lmb_reader_rows(w->now->r, g));
        add_text(w, "name", lmb_reader_group_name(w->now->r, g));
        static const char *const keys[] = {"type", "status", "text"};
        for (int i = 0; i < LMB_COUNT(keys); i++)
            add_text(w, keys[i], lmb_reader_group_attribute(w->now->r, g, keys[i]));
        st = add_stats(w, g, err);
        if (st == LMB_OK) st = add_events(w, g, err);
        if (st == LMB_OK) st = add_largest(w, g, err);
        add_life(w, g);
    }
    if (st == LMB_OK) st = put_fields(w, g, err);
    if (st == LMB_OK) st = put_frames(w, g, err);
    if (st == LMB_OK) st = put_series(w, g, err);
    if (!sends(w)) ADD(w, "}");
    return st;
}

// ---- flexible bodies ---------------------------------------------------------------------------

static lmb_status put_shape(writer *w, const char *body, const lmb_skin *s, lmb_error *err) {
    const lmb_array arrays[] = {
        {"x", LMB_F8, s->node_count, 3, .f8 = s->x},
        {"modes", LMB_F4, s->modes ? s->node_count : 0, 3 * (long)s->mode_count, .f4 = s->modes},
        {"second", LMB_F4, s->second ? s->node_count : 0, 3 * (long)s->second_count, .f4 = s->second},
        {"quadratic", LMB_F8, s->second_count, (long)s->mode_count * s->mode_count, .f8 = s->quadratic},
        {"stress", LMB_F4, s->stress ? s->node_count : 0, 6 * ((long)s->mode_count + s->residual_count),
         .f4 = s->stress},
        {"triangles", LMB_I4, s->triangle_count, 3, .i4 = s->triangles},
        {"lines", LMB_I4, s->line_count, 2, .i4 = s->lines},
        {"node", LMB_I4, s->node ? s->node_count : 0, 1, .i4 = s->node},
    };
    lmb_status st = LMB_OK;
    if (!sends(w)) ADD(w, "{\"body\": "), add_string(w, body);
    for (int i = 0; i < LMB_COUNT(arrays) && st == LMB_OK; i++) {
        if (arrays[i].rows == 0) continue;
        if (!sends(w)) ADD(w, ", ");
        st = lmb_page_put(w->page, &arrays[i], err);
    }
    if (!sends(w)) ADD(w, "}");
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
    lmb_status st = lmb_skin_names(&names, &count, w->now->r, err);
    if (!sends(w)) ADD(w, ",\n\"flex\": [");
    for (int i = 0; i < count && st == LMB_OK; i++) {
        lmb_skin s = {0};
        st = lmb_skin_read(&s, w->now->r, names[i], err);
        if (!sends(w) && i) ADD(w, ",\n");
        if (st == LMB_OK) st = check_bodies(w->now->scene, names[i], &s, err);
        if (st == LMB_OK) st = put_shape(w, names[i], &s, err);
        lmb_skin_free(&s);
    }
    if (!sends(w)) ADD(w, "]");
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
    if (!sends(w)) ADD(w, ",\n\"analyses\": [");
    for (int g = 0, shown = 0; g < lmb_reader_group_count(w->now->r) && st == LMB_OK; g++) {
        if (!is_shown(w->now->r, g)) continue;
        if (!sends(w) && shown++ > 0) ADD(w, ",\n");
        st = put_group(w, g, err);
    }
    if (!sends(w)) ADD(w, "]");
    return st == LMB_OK ? put_flex(w, err) : st;
}

// a model that all have is stored once
static const char *model_of(const writer *w) {
    const char *first = lmb_reader_text(w->runs[0].r, "model"), *model = lmb_reader_text(w->now->r, "model");
    return w->now != w->runs && first && model && strcmp(first, model) == 0 ? NULL : model;
}

// the header of a run, without braces
static lmb_status add_run(writer *w, lmb_error *err) {
    static const char *const texts[] = {"version", "created", "command", "model_file"};
    const char *slash = strrchr(w->now->results, '/');
    ADD(w, "\"format\": 1");
    add_text(w, "file", slash ? slash + 1 : w->now->results);
    for (int i = 0; i < LMB_COUNT(texts); i++) add_text(w, texts[i], lmb_reader_text(w->now->r, texts[i]));
    add_text(w, "model", model_of(w));
    ADD(w, ", \"scene\": ");
    w->page->ok = w->page->ok && lmb_scene_write(&w->page->header, w->now->scene);
    lmb_series p = {0};
    lmb_status st = lmb_reader_parameters(&p, w->now->r, err);
    ADD(w, ", \"live\": %s, \"parameters\": [", lmb_reader_live(w->now->r) ? "true" : "false");
    for (int i = 0; i < p.columns && st == LMB_OK; i++) {
        ADD(w, "%s[", i ? ", " : "");
        add_string(w, p.names[i]);
        ADD(w, ", ");
        add_number(w, p.v[i]);
        ADD(w, "]");
    }
    ADD(w, "]");
    lmb_series_free(&p);
    return st;
}

static lmb_status put_run(writer *w, int i, lmb_error *err) {
    w->now = &w->runs[i];
    lmb_status st = sends(w) ? LMB_OK : add_run(w, err);
    return st == LMB_OK ? put_arrays(w, err) : st;
}

// one run in the comparison: its name, its place in the scale, its values of what varies
static bool add_compared(writer *w, int i) {
    const lmb_varied *v = &w->varied;
    lmb_text label = {0};
    const char *slash = strrchr(w->runs[i].results, '/'), *name = slash ? slash + 1 : w->runs[i].results;
    bool ok = v->count == 0 || lmb_varied_label(&label, v, i);
    ADD(w, "%s{\"label\": ", i ? ", " : ""), add_string(w, v->count > 0 && ok ? label.text : name);
    ADD(w, ", \"place\": "), add_number(w, v->count > 0 ? lmb_varied_shade(v, i, v->runs) : NAN);
    ADD(w, ", \"values\": [");
    for (int k = 0; k < v->count; k++)
        ADD(w, k ? ", " : ""), add_number(w, v->values[(size_t)i * (size_t)v->count + (size_t)k]);
    ADD(w, "]}");
    lmb_text_free(&label);
    return ok;
}

static lmb_status add_comparison(writer *w, lmb_error *err) {
    const lmb_varied *v = &w->varied;
    lmb_text title = {0};
    bool ok = v->count == 0 || lmb_varied_title(&title, v);
    ADD(w, ",\n\"compare\": {"), lmb_page_ramp(w->page);
    lmb_page_names(w->page, "names", v->names, v->count);
    add_text(w, "title", title.text);
    ADD(w, ", \"by_value\": %s, \"low\": ", lmb_varied_has_scale(v, v->runs) ? "true" : "false");
    add_number(w, v->count > 0 ? v->spread.low : NAN);
    ADD(w, ", \"high\": "), add_number(w, v->count > 0 ? v->spread.high : NAN);
    ADD(w, ", \"log\": %s, \"order\": [", v->spread.log ? "true" : "false");
    for (int i = 0; i < v->runs; i++) ADD(w, "%s%d", i ? ", " : "", v->order[i]);
    ADD(w, "], \"runs\": [");
    for (int i = 0; i < v->runs && ok; i++) ok = add_compared(w, i);
    ADD(w, "]}");
    lmb_text_free(&title);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status put_page(lmb_page *p, void *user, lmb_error *err) {
    writer *w = user;
    int count = w->options->result_count;
    w->page = p;
    if (!sends(w)) ADD(w, "{");
    lmb_status st = put_run(w, 0, err);
    if (!sends(w) && count > 1) ADD(w, ",\n\"others\": [");
    for (int i = 1; i < count && st == LMB_OK; i++) {
        if (!sends(w)) ADD(w, i > 1 ? ",\n{" : "{");
        st = put_run(w, i, err);
        if (!sends(w)) ADD(w, "}");
    }
    if (sends(w)) return st;
    if (count > 1) ADD(w, "]");
    if (st == LMB_OK && count > 1) st = add_comparison(w, err);
    ADD(w, "}\n");
    return st;
}

// ---- runs ----------------------------------------------------------------------------------------

static lmb_status open_run(run *u, const char *results, lmb_error *err) {
    u->results = results;
    lmb_status st = lmb_reader_open(&u->r, results, err);
    if (st != LMB_OK) return st;
    u->envelopes = lmb_alloc((size_t)lmb_reader_group_count(u->r) + 1, sizeof(lmb_envelope *));
    return u->envelopes ? lmb_scene_load(&u->scene, u->r, err) : lmb_fail_memory(err);
}

static void close_run(run *u) {
    for (int g = 0; u->envelopes && g < lmb_reader_group_count(u->r); g++)
        lmb_envelope_destroy(u->envelopes[g]);
    lmb_free(u->envelopes);
    lmb_scene_destroy(u->scene);
    lmb_reader_close(u->r);
}

static lmb_status open_runs(writer *w, lmb_error *err) {
    int count = w->options->result_count;
    w->runs = lmb_alloc((size_t)count, sizeof *w->runs);
    lmb_status st = w->runs ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < count && st == LMB_OK; i++) st = open_run(&w->runs[i], w->options->results[i], err);
    return st == LMB_OK && count > 1 ? lmb_varied_read(&w->varied, w->options->results, count, err) : st;
}

lmb_status lmb_page_write(const char *path, const lmb_view_options *options, const lmb_life *life,
                          lmb_error *err) {
    writer w = {.options = options, .life = life};
    if (options->result_count < 1)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no results file to view");
    lmb_status st = lmb_page_check(options->page, err);
    if (st != LMB_OK) return st;
    const char *slash = strrchr(options->results[0], '/');
    lmb_page page = {.ok = true, .once = options->result_count > 1};
    lmb_page_plan plan = {path,
                          slash ? slash + 1 : options->results[0],
                          options->page,
                          options->results,
                          options->result_count,
                          put_page,
                          &w};
    lmb_plain_locale locale = lmb_locale_begin();
    st = open_runs(&w, err);
    if (st == LMB_OK) st = lmb_page_make(&page, &plan, err);
    lmb_locale_end(locale);
    for (int i = 0; w.runs && i < options->result_count; i++) close_run(&w.runs[i]);
    lmb_free(w.runs);
    lmb_varied_free(&w.varied);
    lmb_page_free(&page);
    return st;
}

lmb_status lmb_view_file(const char *path, const lmb_view_options *options, lmb_error *err) {
    if (options->result_count == 1 && lmb_study_file_is(options->results[0]))
        return lmb_view_study(path, options, err);
    return lmb_page_write(path, options, NULL, err);
}
