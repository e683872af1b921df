// api/chosen.c: the model of a results file with what its runs chose in place of `auto`: shape functions and parts.
#include "api/enrich.h"
#include "api/handles.h"
#include "part/part.h"
#include "read/yaml.h"
#include "store/results.h"

#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const char *text, *shapes, *parts; // of the results file; shapes and parts may be NULL
    lmb_enrichment more;
    size_t done; // of text
    lmb_text out;
} writer;

static bool is_auto(const lmb_node *n) {
    return n && n->kind == LMB_NODE_SCALAR && strcmp(n->text, "auto") == 0;
}

// where a value begins in the text: columns are characters
static size_t place_of(const char *text, lmb_where where) {
    const char *at = text;
    for (int line = 1; line < where.line && at; line++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    for (int col = 1; col < where.col && at && *at; col++)
        for (at++; ((unsigned char)*at & 0xc0) == 0x80;) at++;
    return at ? (size_t)(at - text) : strlen(text);
}

// ---- values ------------------------------------------------------------------------------------

static bool add_row(lmb_text *out, const double *a, int count) {
    bool ok = true;
    for (int j = 0; j < count && ok; j++) ok = lmb_text_add(out, "%s%.17g", j ? ", " : "[", a[j]);
    return ok && lmb_text_add(out, "]");
}

static bool add_rows(lmb_text *out, const lmb_shape_request *q) {
    bool combined = q->family == LMB_SHAPES_COMBINED,
         ok = combined ? lmb_text_add(out, "{combined: [")
                       : lmb_text_add(out, "{blocks: %d, residual: [", q->count);
    for (int i = 0; i < q->combination_count && ok; i++)
        ok = lmb_text_add(out, i ? ", " : "") &&
             add_row(out, q->combinations + (size_t)i * (size_t)q->load_count, q->load_count);
    return ok && lmb_text_add(out, "]}");
}

// where the list begins if all before was left out
static int first_of(const lmb_shape_request *list, int count) {
    int first = 0;
    for (int k = 0; k < count; k++)
        if (list[k].family == LMB_SHAPES_COMBINED && list[k].combination_count == 0) first = k + 2;
    return first;
}

static bool add_shapes(lmb_text *out, const lmb_enrichment *x, const char *name, bool held) {
    int count;
    const lmb_shape_request *list = lmb_enrichment_find(&count, x, name, 0);
    bool ok = lmb_text_add(out, held ? "[guyan" : "[{eigen: %d}", LMB_PART_FEW);
    for (int k = first_of(list, count); k < count && ok; k++) {
        const lmb_shape_request *q = &list[k];
        ok = q->load_count == 0 ? lmb_text_add(out, ", guyan") : lmb_text_add(out, ", ") && add_rows(out, q);
    }
    return ok && lmb_text_add(out, "]");
}

// "2 blade=4": parts of a body, 0: unknown
static int parts_of(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *at = text; at && (at = strchr(at, ' ')) != NULL; at++)
        if (strncmp(at + 1, name, n) == 0 && at[n + 1] == '=') return atoi(at + n + 2);
    return 0;
}

// ---- the text ----------------------------------------------------------------------------------

// text up to the value `auto` of a node, which is left out
static lmb_status copy_up_to(writer *w, const lmb_node *n, lmb_error *err) {
    size_t at = place_of(w->text, n->where);
    int quote = w->text[at] == '"' || w->text[at] == '\'';
    if (at < w->done || strncmp(w->text + at + quote, "auto", 4) != 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "this `auto` cannot be replaced: it belongs to several bodies");
    bool ok = lmb_text_add_n(&w->out, w->text + w->done, at - w->done);
    w->done = at + 4 + 2 * (size_t)quote;
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status replace_shapes(writer *w, const lmb_node *body, const lmb_node *n, lmb_error *err) {
    lmb_enriched_kind kind = lmb_enrichment_kind(&w->more, body->key);
    if (kind == LMB_ENRICHED_NOT) return LMB_OK; // one run without further ones
    if (kind == LMB_ENRICHED_MIXED)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "the parts of body '%s' have different shape functions, which a model cannot say",
                        body->key);
    lmb_status st = copy_up_to(w, n, err);
    if (st == LMB_OK && !add_shapes(&w->out, &w->more, body->key, kind == LMB_ENRICHED_HELD))
        st = lmb_fail_memory(err);
    return st;
}

static lmb_status replace_parts(writer *w, const lmb_node *body, const lmb_node *n, lmb_error *err) {
    int parts = parts_of(w->parts, body->key);
    if (parts == 0) return LMB_OK;
    lmb_status st = copy_up_to(w, n, err);
    return st == LMB_OK && !lmb_text_add(&w->out, "%d", parts) ? lmb_fail_memory(err) : st;
}

static lmb_status replace_all(writer *w, const lmb_node *root, lmb_error *err) {
    const lmb_node *bodies = lmb_node_find(root, "bodies");
    lmb_status st = LMB_OK;
    for (const lmb_node *b = bodies ? bodies->first : NULL; b && st == LMB_OK; b = b->next)
        for (const lmb_node *n = b->kind == LMB_NODE_MAP ? b->first : NULL; n && st == LMB_OK; n = n->next) {
            if (is_auto(n) && strcmp(n->key, "shapes") == 0) st = replace_shapes(w, b, n, err);
            if (is_auto(n) && strcmp(n->key, "parts") == 0) st = replace_parts(w, b, n, err);
        }
    return st == LMB_OK && !lmb_text_add(&w->out, "%s", w->text + w->done) ? lmb_fail_memory(err) : st;
}

static lmb_status write_model(writer *w, const char *file, lmb_error *err) {
    lmb_spec *spec;
    lmb_node *root = NULL;
    lmb_status st = lmb_spec_create(&spec, err);
    if (st != LMB_OK) return st;
    lmb_yaml_reader r = {.s = spec, .err = err, .scratch = lmb_arena_create(1024)};
    st = r.scratch ? lmb_yaml_parse(&root, &r, w->text, strlen(w->text), file) : lmb_fail_memory(err);
    if (st == LMB_OK) st = replace_all(w, root, err);
    lmb_arena_destroy(r.scratch);
    lmb_spec_destroy(spec);
    return st;
}

lmb_status lmb_results_model(char **out, const char *results, lmb_error *err) {
    lmb_reader *r;
    writer w = {0};
    *out = NULL;
    lmb_status st = lmb_reader_open(&r, results, err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    const char *file = lmb_reader_text(r, "model_file");
    w.text = lmb_reader_text(r, "model"), w.shapes = lmb_reader_text(r, "shapes"),
    w.parts = lmb_reader_text(r, "parts");
    if (w.text == NULL) st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s' contains no model", results);
    if (st == LMB_OK && w.shapes && !lmb_enrichment_parse(&w.more, w.shapes))
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s': its shape functions are damaged", results);
    if (st == LMB_OK) st = write_model(&w, file ? file : "model", err);
    lmb_locale_end(locale);
    lmb_enrichment_free(&w.more);
    lmb_reader_close(r);
    if (st == LMB_OK) *out = w.out.text;
    else lmb_text_free(&w.out);
    return st;
}
