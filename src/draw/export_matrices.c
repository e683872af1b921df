// draw/export_matrices.c: state spaces for other programs: MATLAB (level 5), NumPy, MatrixMarket.
//
// MATLAB: draw/mat.h.  NumPy: a zip archive of .npy files, format 1.0: a head in Python's syntax, then numbers.
#include "draw/exports.h"
#include "draw/mat.h"
#include "os/files.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "os/zip.h"
#include "store/results_linear.h"

#include <string.h>

typedef struct numbers { // row-major
    const char *name;
    const double *v;
    int rows, columns;
} numbers;

typedef struct names {
    const char *name;
    char **list;
    int count;
} names;

enum { MATRICES = 5, LISTS = 6 };

typedef struct contents {
    numbers matrix[MATRICES];
    names list[LISTS];
} contents;

static contents contents_of(const lmb_linear_set *l) {
    return (contents){{{"A", l->A, l->states, l->states},
                       {"B", l->B, l->states, l->inputs},
                       {"C", l->C, l->outputs, l->states},
                       {"D", l->D, l->outputs, l->inputs},
                       {"zeros", l->zeros, l->zero_count, LMB_ZERO_COLUMNS}},
                      {{"states", l->state, l->states},
                       {"state_units", l->state_unit, l->states},
                       {"inputs", l->input, l->inputs},
                       {"input_units", l->input_unit, l->inputs},
                       {"outputs", l->output, l->outputs},
                       {"output_units", l->output_unit, l->outputs}}};
}

// the analysis that was asked for; else the last with a state space
static lmb_status read_set(lmb_linear_set *out, const char *results, const lmb_export_options *o,
                           lmb_error *err) {
    lmb_reader *r;
    int g = 0;
    *out = (lmb_linear_set){0};
    lmb_status st = lmb_reader_open(&r, results, err);
    if (st != LMB_OK) return st;
    st = lmb_reader_find_group(&g, r, o ? o->analysis : NULL, err);
    for (int k = lmb_reader_group_count(r) - 1; st == LMB_OK && k >= 0 && !(o && o->analysis); k--)
        if (lmb_reader_has_linear(r, k)) {
            g = k;
            break;
        }
    if (st == LMB_OK) st = lmb_reader_linear(out, r, g, err);
    lmb_reader_close(r);
    return st;
}

static double at(const numbers *m, int row, int column) {
    return m->v[(size_t)row * (size_t)m->columns + (size_t)column];
}

static lmb_status write_file(const char *path, const char *results, const lmb_text *bytes, lmb_error *err) {
    lmb_outfile o;
    lmb_status st = lmb_outfile_open(&o, path, results, err);
    if (st != LMB_OK) return st;
    fwrite(bytes->text, 1, bytes->length, o.f);
    return lmb_outfile_close(&o, LMB_OK, err);
}

// ---- MATLAB ------------------------------------------------------------------------------------

static bool mat_numbers(lmb_text *out, const numbers *m) {
    bool ok = lmb_mat_numbers_head(out, m->name, (size_t)m->rows, (size_t)m->columns);
    for (int c = 0; c < m->columns && ok; c++)
        for (int r = 0; r < m->rows && ok; r++) ok = lmb_put_number(out, at(m, r, c));
    return ok;
}

lmb_status lmb_export_mat_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err) {
    const double MOST = 2e9; // bytes of an element
    lmb_linear_set l = {0};
    lmb_text out = {0};
    bool tables;
    lmb_status st = lmb_tables_are_meant(&tables, results, options, err);
    if (st == LMB_OK && tables) return lmb_mat_tables_write(path, results, options, err);
    if (st == LMB_OK) st = read_set(&l, results, options, err);
    contents all = contents_of(&l);
    bool ok = st == LMB_OK && lmb_mat_header(&out, "s' = A s + B e, y = C s + D e");
    for (int i = 0; i < MATRICES && ok; i++) {
        if (8.0 * all.matrix[i].rows * all.matrix[i].columns > MOST)
            st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                          "matrix %s is too large for a MATLAB file of level 5; export NumPy (.npz)",
                          all.matrix[i].name);
        ok = st == LMB_OK && mat_numbers(&out, &all.matrix[i]);
    }
    for (int i = 0; i < LISTS && ok; i++)
        ok = lmb_mat_texts(&out, all.list[i].name, all.list[i].list, all.list[i].count);
    if (st == LMB_OK) st = ok ? write_file(path, results, &out, err) : lmb_fail_memory(err);
    lmb_text_free(&out);
    lmb_linear_set_free(&l);
    return st;
}

// ---- NumPy -------------------------------------------------------------------------------------

// the head of an array of this type and shape
static bool npy_head(lmb_text *out, const char *type, const char *shape) {
    lmb_text head = {0};
    bool ok = lmb_text_add(&head, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    while (ok && (10 + head.length + 1) % 64 != 0) ok = lmb_text_add(&head, " ");
    ok = ok && lmb_text_add(&head, "\n") && lmb_put(out, "\x93NUMPY\x01\x00", 8) &&
         lmb_put(out, (const unsigned char[]){(unsigned char)head.length, (unsigned char)(head.length >> 8)},
                 2) &&
         lmb_put(out, head.text, head.length);
    lmb_text_free(&head);
    return ok;
}

static bool npy_numbers(lmb_text *out, const numbers *m) {
    char shape[64];
    snprintf(shape, sizeof shape, "(%d, %d)", m->rows, m->columns);
    bool ok = npy_head(out, "<f8", shape);
    for (int r = 0; r < m->rows && ok; r++)
        for (int c = 0; c < m->columns && ok; c++) ok = lmb_put_number(out, at(m, r, c));
    return ok;
}

static bool npy_names(lmb_text *out, const names *l) {
    char shape[32], type[32];
    size_t longest = 1;
    for (int i = 0; i < l->count; i++) {
        size_t n = lmb_utf8_decode(NULL, l->list[i]);
        if (n > longest) longest = n;
    }
    snprintf(shape, sizeof shape, "(%d,)", l->count);
    snprintf(type, sizeof type, "<U%zu", longest);
    uint32_t *points = lmb_alloc(longest, sizeof *points);
    bool ok = points && npy_head(out, type, shape);
    for (int i = 0; i < l->count && ok; i++) {
        memset(points, 0, longest * sizeof *points);
        lmb_utf8_decode(points, l->list[i]);
        for (size_t k = 0; k < longest && ok; k++) ok = lmb_put_word(out, points[k]);
    }
    lmb_free(points);
    return ok;
}

static lmb_status add_array(lmb_zip *z, const char *name, bool ok, lmb_text *bytes, lmb_error *err) {
    char file[64];
    snprintf(file, sizeof file, "%s.npy", name);
    lmb_status st =
        ok ? lmb_zip_add(z, file, bytes->text, bytes->length, LMB_ZIP_DEFLATED, err) : lmb_fail_memory(err);
    lmb_text_free(bytes);
    return st;
}

lmb_status lmb_export_npz_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err) {
    lmb_linear_set l;
    lmb_zip z = {0};
    lmb_status st = read_set(&l, results, options, err);
    contents all = contents_of(&l);
    for (int i = 0; i < MATRICES && st == LMB_OK; i++) {
        lmb_text bytes = {0};
        bool ok = npy_numbers(&bytes, &all.matrix[i]);
        st = add_array(&z, all.matrix[i].name, ok, &bytes, err);
    }
    for (int i = 0; i < LISTS && st == LMB_OK; i++) {
        lmb_text bytes = {0};
        bool ok = npy_names(&bytes, &all.list[i]);
        st = add_array(&z, all.list[i].name, ok, &bytes, err);
    }
    if (st == LMB_OK) st = lmb_zip_end(&z, err);
    if (st == LMB_OK) st = write_file(path, results, &z.bytes, err);
    lmb_zip_free(&z);
    lmb_linear_set_free(&l);
    return st;
}

// ---- MatrixMarket ------------------------------------------------------------------------------

static void mtx_comment(FILE *f, const char *what, char **list, char **units, int count) {
    for (int i = 0; i < count; i++) fprintf(f, "%% %s %d = %s [%s]\n", what, i + 1, list[i], units[i]);
}

static lmb_status write_mtx(const char *path, const char *results, const numbers *m, const lmb_linear_set *l,
                            lmb_error *err) {
    lmb_outfile o;
    lmb_status st = lmb_outfile_open(&o, path, results, err);
    if (st != LMB_OK) return st;
    long count = 0;
    for (size_t i = 0; i < (size_t)m->rows * (size_t)m->columns; i++) count += m->v[i] != 0;
    fprintf(o.f, "%%%%MatrixMarket matrix coordinate real general\n%% %s of s' = A s + B e, y = C s + D e\n",
            m->name);
    mtx_comment(o.f, "state", l->state, l->state_unit, l->states);
    mtx_comment(o.f, "input", l->input, l->input_unit, l->inputs);
    mtx_comment(o.f, "output", l->output, l->output_unit, l->outputs);
    fprintf(o.f, "%d %d %ld\n", m->rows, m->columns, count);
    for (int c = 0; c < m->columns; c++)
        for (int r = 0; r < m->rows; r++)
            if (at(m, r, c) != 0) fprintf(o.f, "%d %d %.17g\n", r + 1, c + 1, at(m, r, c));
    return lmb_outfile_close(&o, LMB_OK, err);
}

// all of them or none
lmb_status lmb_export_mtx_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err) {
    enum { FILES = MATRICES - 1 };
    lmb_linear_set l;
    lmb_text paths[FILES] = {0};
    size_t length = strlen(path);
    int written = 0;
    if (length > 4 && strcmp(path + length - 4, ".mtx") == 0) length -= 4;
    lmb_status st = read_set(&l, results, options, err);
    contents all = contents_of(&l);
    lmb_plain_locale locale = lmb_locale_begin();
    for (int i = 0; i < FILES && st == LMB_OK; i++)
        if (!lmb_text_add(&paths[i], "%.*s_%s.mtx", (int)length, path, all.matrix[i].name))
            st = lmb_fail_memory(err);
    for (; written < FILES && st == LMB_OK; written++)
        st = write_mtx(paths[written].text, results, &all.matrix[written], &l, err);
    for (int i = 0; i + 1 < written && st != LMB_OK; i++) lmb_file_remove(paths[i].text);
    lmb_locale_end(locale);
    for (int i = 0; i < FILES; i++) lmb_text_free(&paths[i]);
    lmb_linear_set_free(&l);
    return st;
}
