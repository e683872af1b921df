// Reading by the public headers: columns of results files, arrays of body files; documents as text, entries taken out.
#include "reduce/flex.h"
#include "run_file.h"
#include "store/flex_file.h"

#include <stdlib.h>

#define MODEL                                                                                              \
    "limber: 1\ntitle: 'x y'\nparameters: {a: .5}\ngravity: [0, 0, -2]\nbodies: {one: {mass: 1, inertia: " \
    "1}, "                                                                                                 \
    "two: {mass: 1, inertia: 1, at: [0, 3, 0]}}\nsensors: {p: {type: position, of: two}}\n"                \
    "analyses: [{type: dynamics, until: 1, every: 0.1}, {type: statics}]\n"

static lmb_document *document(const char *text) {
    lmb_document *d = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_document_read_text(&d, text, "m.yaml", &err), err);
    return d;
}

static void check_document(lmb_document *d, const char *part) {
    lmb_error err = {0};
    char *text = NULL;
    if (CHECK_OK(lmb_document_text(&text, d, &err), err)) CHECK_CONTAINS(text, part);
    lmb_text_release(text);
}

TEST(api_files_document_as_text) {
    lmb_document *d = document(MODEL);
    lmb_error err = {0};
    check_document(d, "\"title\": \"x y\",\n\"parameters\": {\n\"a\": .5}");
    CHECK_OK(lmb_document_set(d, "bodies.one.mass", "2.5", &err), err);
    check_document(d, "\"one\": {\"mass\": 2.5, \"inertia\": 1}");
    lmb_document_destroy(d);
}

TEST(api_files_delete) {
    lmb_document *d = document(MODEL);
    lmb_error err = {0};
    CHECK_OK(lmb_document_delete(d, "bodies.two.at", &err), err); // the last
    CHECK_OK(lmb_document_delete(d, "bodies.one", &err), err);    // the first
    CHECK_OK(lmb_document_delete(d, "analyses.0", &err), err);    // of a list
    check_document(d, "\"bodies\": {\n\"two\": {\"mass\": 1, \"inertia\": 1}}");
    check_document(d, "\"analyses\": [\n{\"type\": \"statics\"}]");
    CHECK_OK(lmb_document_set(d, "bodies.one.mass", "3", &err), err); // appended after what became the last
    check_document(d, "\"inertia\": 1},\n\"one\": {\"mass\": 3}}");
    CHECK_OK(lmb_document_set(d, "bodies.two.start", "4", &err), err); // where the last one was deleted
    check_document(d, "\"inertia\": 1, \"start\": 4}");
    CHECK_OK(lmb_document_delete(d, "analyses.0", &err), err);
    check_document(d, "\"analyses\": []");
    static const char *const wrong[] = {"bodies.leg", "bodies.two.mass.x", "analyses.0", "analyses.x", "",
                                        "bodies."};
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        err = (lmb_error){0};
        CHECK(lmb_document_delete(d, wrong[i], &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "cannot delete");
    }
    lmb_document_destroy(d);
}

TEST(api_files_documents_that_are_used_up) {
    lmb_document *d = document(MODEL);
    lmb_system *s = NULL;
    lmb_error err = {0};
    char *text = NULL;
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    CHECK(lmb_document_delete(d, "gravity", &err) == LMB_ERR_INPUT);
    err = (lmb_error){0};
    CHECK(lmb_document_text(&text, d, &err) == LMB_ERR_INPUT && text == NULL);
    CHECK_CONTAINS(err.text, "already been compiled");
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}

// every column, in rows that do and do not fill blocks, is that of the whole table
TEST(api_files_column) {
    const char *path = check_temp("column.h5");
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series whole = {0};
    if (!run_file(path, "limber: 1\ngravity: [0, 0, -1]\nrepeat: {from: 1, to: 30, bodies: {'b[i]': {mass: "
                        "1, inertia: 1, "
                        "at: [i, 0, 0]}}, sensors: {'p[i]': {type: position, of: 'b[i]'}}}\n"
                        "analyses: [{type: dynamics, until: 1, every: 0.0005}]\n") ||
        !CHECK_OK(lmb_reader_open(&r, path, &err), err) ||
        !CHECK_OK(lmb_reader_table(&whole, r, 0, "sensors", &err), err))
        return;
    CHECK(whole.columns == 90 && whole.rows == 2001); // more than a block
    double *column = calloc((size_t)whole.rows, sizeof *column);
    for (int k = 0; k < whole.columns; k += 29) {
        CHECK_OK(lmb_reader_column(column, r, 0, "sensors", k, (lmb_row_range){0, whole.rows}, &err), err);
        for (long i = 0; i < whole.rows; i++) CHECK(column[i] == whole.v[i * whole.columns + k]);
    }
    CHECK_OK(lmb_reader_column(column, r, 0, "sensors", 2, (lmb_row_range){1500, 3}, &err), err);
    for (long i = 0; i < 3; i++) CHECK(column[i] == whole.v[(1500 + i) * whole.columns + 2]);
    CHECK(lmb_reader_column(column, r, 0, "sensors", 90, (lmb_row_range){0, 1}, &err) == LMB_ERR_INPUT);
    CHECK(lmb_reader_column(column, r, 0, "sensors", -1, (lmb_row_range){0, 1}, NULL) == LMB_ERR_INPUT);
    CHECK(lmb_reader_column(column, r, 0, "none", 0, (lmb_row_range){0, 1}, NULL) == LMB_ERR_INPUT);
    free(column);
    lmb_series_free(&whole);
    lmb_reader_close(r);
}

static const lmb_body_array *find(const lmb_body_file *b, const char *name) {
    for (int i = 0; i < lmb_body_file_array_count(b); i++)
        if (strcmp(lmb_body_file_array(b, i)->name, name) == 0) return lmb_body_file_array(b, i);
    return NULL;
}

static bool shape_is(const lmb_body_array *a, int rank, const size_t size[4]) {
    bool ok = a && a->rank == rank;
    for (int i = 0; i < rank && ok; i++) ok = a->size[i] == size[i];
    return ok;
}

// arrays are those of the body; lists of structs are gathered
TEST(api_files_body) {
    const char *path = check_temp("body.h5");
    char part[600];
    lmb_error err = {0};
    lmb_body_file *b = NULL;
    lmb_flex *f = NULL;
    snprintf(part, sizeof part, "%s", check_temp("part.yaml"));
    FILE *file = fopen(part, "w");
    fputs("limber: 1\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel, elements: 3, "
          "shapes: "
          "[{eigen: 2}]}\n",
          file);
    fclose(file);
    if (!CHECK_OK(lmb_reduce_file(NULL, path, part, NULL, &err), err) ||
        !CHECK_OK(lmb_body_file_open(&b, path, &err), err) ||
        !CHECK_OK(lmb_flex_read_file(&f, path, &err), err))
        return;
    const size_t m = (size_t)f->m, nodes = (size_t)f->node_count;
    const lmb_body_array *K = find(b, "K"), *S = find(b, "marker_S"), *node = find(b, "node_S"),
                         *lines = find(b, "lines");
    CHECK(shape_is(K, 2, (size_t[4]){m, m}) && shape_is(S, 3, (size_t[4]){2, 3, m}));
    CHECK(shape_is(node, 3, (size_t[4]){nodes, 3, m}) && shape_is(lines, 2, (size_t[4]){3, 2}));
    CHECK(K && K->numbers && !K->integers && memcmp(K->numbers, f->K, m * m * sizeof *f->K) == 0);
    CHECK(lines && lines->integers && !lines->numbers && lines->integers[1] == f->lines[1]);
    for (size_t i = 0; S && i < 3 * m; i++) CHECK(S->numbers[3 * m + i] == f->markers[1].S[i]);
    CHECK_TEXT(K->unit, "N/m"), CHECK_TEXT(K->doc, "stiffness");
    CHECK(lmb_body_file_marker_count(b) == 2 && lmb_body_file_set_count(b) == f->set_count);
    CHECK_TEXT(lmb_body_file_marker(b, 1), "end"), CHECK_TEXT(lmb_body_file_name(b), f->name);
    CHECK_TEXT(lmb_body_file_text(b, "report"), f->report), CHECK(lmb_body_file_text(b, "else") == NULL);
    CHECK(lmb_body_file_stress_kind(b) == 3);
    lmb_flex_destroy(f);
    lmb_body_file_close(b);
    lmb_body_file_close(NULL);
    CHECK(lmb_body_file_open(&b, part, &err) == LMB_ERR_INPUT && b == NULL);
}
