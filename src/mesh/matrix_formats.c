// mesh/matrix_formats.c: the table of formats of matrices.
#include "mesh/entries.h"

#include <stdio.h>
#include <string.h>

#define ROW(id, name, endings) {name, endings, lmb_matrix_is_##id, lmb_matrix_read_##id},
static const lmb_matrix_format formats[] = {LMB_MATRIX_FORMATS(ROW)};

// the last one: .mtx is Abaqus unless the contents say otherwise
static const lmb_matrix_format *by_name(const char *path) {
    const lmb_matrix_format *named = NULL;
    char plain[1024];
    snprintf(plain, sizeof plain, "%s", path);
    if (lmb_format_fits(".gz", plain)) plain[strlen(plain) - 3] = '\0';
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (lmb_format_fits(formats[i].endings, plain)) named = &formats[i];
    return named;
}

const lmb_matrix_format *lmb_matrix_format_of(const char *path, const char *text, size_t length) {
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (formats[i].is(text, length)) return &formats[i];
    return by_name(path);
}

lmb_status lmb_matrix_read(lmb_file_matrix *out, const char *text, size_t length, const lmb_matrix_wanted *w,
                           lmb_error *err) {
    const lmb_matrix_format *f = lmb_matrix_format_of(w->file, text, length);
    *out = (lmb_file_matrix){0};
    if (f == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "unsupported matrix file '%s'; supported: %s",
                        w->file, LMB_FORMAT_TEXT(LMB_MATRIX_FORMATS(LMB_FORMAT_ALSO)));
    lmb_status st = f->read(out, text, length, w, err);
    if (st == LMB_OK && w->rows && out->node == NULL) st = lmb_matrix_label(out, w, err);
    if (st != LMB_OK) lmb_file_matrix_free(out);
    return st;
}
