// mesh/matrix.c: symmetric matrices from files of MatrixMarket, Abaqus and CalculiX.
#include "mesh/entries.h"

#include <string.h>
#include <strings.h>

// ---- MatrixMarket ------------------------------------------------------------------------------

typedef struct market {
    bool array, symmetric;
} market;

static lmb_status read_banner(lmb_scan *s, market *k) {
    lmb_piece row = {"", 0};
    lmb_scan_line(&row, s);
    lmb_piece banner = lmb_next_word(&row), object = lmb_next_word(&row), format = lmb_next_word(&row),
              field = lmb_next_word(&row), symmetry = lmb_next_word(&row);
    if (!lmb_piece_is(banner, "%%MatrixMarket"))
        return lmb_scan_fail(s, "not a MatrixMarket file: it must begin with %%%%MatrixMarket");
    k->array = lmb_piece_is(format, "array");
    k->symmetric = lmb_piece_is(symmetry, "symmetric");
    if (!lmb_piece_is(object, "matrix") || !(k->array || lmb_piece_is(format, "coordinate")))
        return lmb_scan_fail(s, "only 'matrix coordinate' and 'matrix array' are supported");
    if (!lmb_piece_is(field, "real") && !lmb_piece_is(field, "integer") && !lmb_piece_is(field, "double"))
        return lmb_scan_fail(s, "matrices of '%.*s' are not supported, only real and integer",
                             lmb_shown(field), field.at);
    if (!k->symmetric && !lmb_piece_is(symmetry, "general"))
        return lmb_scan_fail(s, "'%.*s' matrices are not supported, only symmetric and general",
                             lmb_shown(symmetry), symmetry.at);
    return LMB_OK;
}

static lmb_status read_coordinates(lmb_entries *e, int count) {
    lmb_scan *s = e->scan;
    lmb_piece row;
    for (int i = 0; i < count; i++) {
        int r, c;
        double value;
        if (!lmb_next_row(&row, s, '%'))
            return lmb_scan_fail(s, "expected %d entries, found %d; the file is truncated", count, i);
        if (!lmb_next_integer(&row, &r) || !lmb_next_integer(&row, &c) || !lmb_next_number(&row, &value) ||
            row.length > 0)
            return lmb_scan_fail(s, "an entry needs row, column, value");
        if (r < 1 || r > e->n || c < 1 || c > e->n)
            return lmb_scan_fail(s, "entry (%d, %d) is outside the matrix of %d rows", r, c, e->n);
        if (lmb_entries_add(e, r - 1, c - 1, value) != LMB_OK) return s->status;
    }
    if (lmb_next_row(&row, s, '%')) return lmb_scan_fail(s, "more entries than declared in the header");
    return LMB_OK;
}

// columns one after the other; of a symmetric matrix from the diagonal down
static lmb_status read_array(lmb_entries *e, bool symmetric) {
    lmb_scan *s = e->scan;
    lmb_piece row = {"", 0};
    for (int c = 0; c < e->n; c++)
        for (int r = symmetric ? c : 0; r < e->n; r++) {
            double value;
            if (row.length == 0 && !lmb_next_row(&row, s, '%'))
                return lmb_scan_fail(s, "numbers are missing; the file is truncated");
            if (!lmb_next_number(&row, &value)) return lmb_scan_fail(s, "invalid number");
            if ((value != 0 || r == c) && lmb_entries_add(e, r, c, value) != LMB_OK) return s->status;
        }
    if (row.length > 0 || lmb_next_row(&row, s, '%'))
        return lmb_scan_fail(s, "more numbers than declared in the header");
    return LMB_OK;
}

bool lmb_matrix_is_market(const char *text, size_t length) {
    static const char words[] = "%%MatrixMarket";
    return length >= sizeof words - 1 && strncasecmp(text, words, sizeof words - 1) == 0;
}

lmb_status lmb_matrix_read_market(lmb_file_matrix *out, const char *text, size_t length,
                                  const lmb_matrix_wanted *w, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    lmb_scan s = {.at = text, .end = text + length, .file = w->file, .err = err};
    lmb_entries e = {.scan = &s};
    market k = {0};
    lmb_piece row = {"", 0};
    int rows = 0, cols = 0, count = 0;
    lmb_status status = read_banner(&s, &k);
    if (status == LMB_OK &&
        (!lmb_next_row(&row, &s, '%') || !lmb_next_integer(&row, &rows) || !lmb_next_integer(&row, &cols) ||
         !(k.array || lmb_next_integer(&row, &count)) || row.length > 0))
        status = lmb_scan_fail(&s, "the header lacks the sizes: rows, columns%s", k.array ? "" : ", entries");
    if (status == LMB_OK && (rows < 1 || rows != cols))
        status = lmb_scan_fail(&s, "the matrix is %d x %d; it must be square", rows, cols);
    // an entry takes six characters at least ("1 1 1\n"), a number two
    double need = k.array ? (k.symmetric ? 1.0 : 2.0) * rows * ((double)rows + 1) / 2 - 1 : 3.0 * count;
    if (status == LMB_OK && (count < 0 || need > (double)(s.end - s.at)))
        status = lmb_scan_fail(&s, "the file is too short for the sizes in its header; it is truncated");
    e.n = rows;
    e.one = k.symmetric;
    e.both = !k.symmetric;
    if (status == LMB_OK) status = k.array ? read_array(&e, k.symmetric) : read_coordinates(&e, count);
    return lmb_entries_end(out, &e, status);
}

// ---- Abaqus ------------------------------------------------------------------------------------

static int count_words(lmb_piece row) {
    int n = 0;
    for (; row.length > 0 && n < 9; n++) lmb_next_word(&row);
    return n;
}

static lmb_status abaqus_labelled(lmb_entries *e, lmb_label_rows *l, lmb_piece row) {
    int node[2], dof[2];
    double value;
    if (!lmb_next_integer(&row, &node[0]) || !lmb_next_integer(&row, &dof[0]) ||
        !lmb_next_integer(&row, &node[1]) || !lmb_next_integer(&row, &dof[1]) ||
        !lmb_next_number(&row, &value) || row.length > 0)
        return lmb_scan_fail(e->scan, "a line needs node, dof, node, dof, value");
    int r = lmb_label_row(l, e->scan, node[0], dof[0]),
        c = r < 0 ? -1 : lmb_label_row(l, e->scan, node[1], dof[1]);
    if (c < 0) return e->scan->status;
    e->n = l->n;
    return lmb_entries_add(e, r, c, value);
}

static lmb_status plain_entry(lmb_entries *e, lmb_piece row) {
    int r, c;
    double value;
    if (!lmb_next_integer(&row, &r) || !lmb_next_integer(&row, &c) || !lmb_next_number(&row, &value) ||
        row.length > 0)
        return lmb_scan_fail(e->scan, "a line needs row, column, value");
    if (r < 1 || c < 1) return lmb_scan_fail(e->scan, "entry (%d, %d): rows and columns count from 1", r, c);
    int larger = r > c ? r : c;
    if (larger > e->n) e->n = larger;
    return lmb_entries_add(e, r - 1, c - 1, value);
}

// any other .mtx
bool lmb_matrix_is_abaqus(const char *text, size_t length) {
    (void)text, (void)length;
    return false;
}

lmb_status lmb_matrix_read_abaqus(lmb_file_matrix *out, const char *text, size_t length,
                                  const lmb_matrix_wanted *w, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    lmb_scan s = {.at = text, .end = text + length, .file = w->file, .err = err};
    lmb_entries e = {.scan = &s};
    lmb_label_rows l = {.least = 1};
    lmb_piece row;
    int fields = 0;
    lmb_status status = LMB_OK;
    while (status == LMB_OK && lmb_next_row(&row, &s, '*')) {
        if (fields == 0) fields = count_words(row);
        if (fields == 5) status = abaqus_labelled(&e, &l, row);
        else if (fields == 3) status = plain_entry(&e, row);
        else status = lmb_scan_fail(&s, "a line needs `node, dof, node, dof, value` or `row column value`");
    }
    if (status == LMB_OK && fields == 5) status = lmb_label_matrix(out, &l, &s);
    lmb_label_rows_free(&l);
    return lmb_entries_end(out, &e, status);
}

// ---- CalculiX ----------------------------------------------------------------------------------

bool lmb_matrix_is_ccx(const char *text, size_t length) {
    (void)text, (void)length;
    return false;
}

// .sti, .mas: entries alone; the rows are those of the .dof file
lmb_status lmb_matrix_read_ccx(lmb_file_matrix *out, const char *text, size_t length,
                               const lmb_matrix_wanted *w, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    lmb_scan s = {.at = text, .end = text + length, .file = w->file, .err = err};
    lmb_entries e = {.scan = &s};
    lmb_piece row;
    lmb_status status = LMB_OK;
    if (w->rows == NULL) status = lmb_scan_fail(&s, "the .dof file with its rows is missing");
    while (status == LMB_OK && lmb_next_row(&row, &s, '*')) status = plain_entry(&e, row);
    return lmb_entries_end(out, &e, status);
}
