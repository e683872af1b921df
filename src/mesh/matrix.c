// mesh/matrix.c: symmetric matrices from files of MatrixMarket, Abaqus and CalculiX.
//
// All become the lower triangle, by columns.  A file may hold one triangle or both: entries (i, j) and (j, i) must then
// agree; where only one of some pairs is there, the file holds a triangle.
#include "mesh/mesh.h"
#include "mesh/scan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    int row, col; // row >= col
    int upper;    // it came from above the diagonal
    int line;
    double value;
} entry;

typedef struct entries {
    int count, capacity;
    entry *at;
    int n;     // rows; grows with the entries if the file does not give it
    bool both; // both triangles must be there (a general matrix)
    bool one;  // only one may be (a symmetric one)
    lmb_scan *scan;
} entries;

static int shown(lmb_piece p) { return p.length > 40 ? 40 : p.length; }

static lmb_status add_entry(entries *e, int row, int col, double value) {
    if (e->count == e->capacity) {
        int capacity = e->capacity > 0 ? 2 * e->capacity : 256;
        entry *larger =
            e->capacity > INT_MAX / 2 ? NULL : lmb_realloc(e->at, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(e->scan);
        e->at = larger;
        e->capacity = capacity;
    }
    bool upper = row < col;
    e->at[e->count++] = (entry){upper ? col : row, upper ? row : col, upper, e->scan->line, value};
    return LMB_OK;
}

static int by_place(const void *a, const void *b) {
    const entry *p = a, *q = b;
    if (p->col != q->col) return p->col < q->col ? -1 : 1;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return p->upper - q->upper;
}

// ---- from entries to a matrix ------------------------------------------------------------------

static lmb_status fail_entry(entries *e, const entry *at, const char *what) {
    e->scan->line = at->line;
    return lmb_scan_fail(e->scan, "entry (%d, %d) %s", (at->upper ? at->col : at->row) + 1,
                         (at->upper ? at->row : at->col) + 1, what);
}

// sqrt(|a_ii a_jj|), or the largest entry where the diagonal is missing: reference size of an entry
static double scale_of(const double *diagonal, double largest, const entry *at) {
    double s = sqrt(diagonal[at->row] * diagonal[at->col]);
    return s > 0 ? s : largest;
}

// one entry per pair into out; partners must agree to 1e-6
static lmb_status merge(lmb_file_matrix *out, entries *e, const double *diagonal, double largest) {
    const entry *single = NULL, *pair = NULL;
    for (int i = 0; i < e->count; i++) {
        const entry *at = &e->at[i], *next = i + 1 < e->count ? at + 1 : at;
        bool paired = next != at && next->row == at->row && next->col == at->col;
        double value = at->value;
        if (paired && next->upper == at->upper) return fail_entry(e, next, "is a duplicate");
        if (paired) {
            value = (at->value + next->value) / 2;
            if (!(fabs(at->value - next->value) <= 1e-6 * scale_of(diagonal, largest, at)))
                return fail_entry(e, next, "differs from its transpose; the matrix is not symmetric");
            pair = at;
            i++;
        } else if (at->row != at->col && fabs(value) > 1e-6 * scale_of(diagonal, largest, at)) single = at;
        out->row[out->count] = at->row;
        out->col[out->count] = at->col;
        out->value[out->count++] = value;
    }
    if (single && (pair || e->both))
        return fail_entry(e, single, "has no transpose; the matrix is not symmetric");
    if (pair && e->one)
        return fail_entry(e, pair, "appears on both sides of the diagonal of a symmetric matrix");
    return LMB_OK;
}

// a short file must not make a huge matrix: some rows may be empty, but not nearly all
static lmb_status check_rows(const entries *e) {
    if (e->scan->status == LMB_OK && e->n > 1000000 && e->n / 8 > e->count)
        return lmb_scan_fail(e->scan, "%d entries are too few for %d rows; some rows are empty", e->count,
                             e->n);
    return e->scan->status;
}

static lmb_status finish(lmb_file_matrix *out, entries *e) {
    lmb_status status = check_rows(e);
    double *diagonal = NULL, largest = 0;
    if (status == LMB_OK && e->n == 0) status = lmb_scan_fail(e->scan, "the matrix has no entries");
    if (status != LMB_OK) return status;
    if (e->count > 1) qsort(e->at, (size_t)e->count, sizeof *e->at, by_place);
    diagonal = lmb_alloc((size_t)e->n, sizeof *diagonal);
    out->row = lmb_alloc((size_t)e->count + 1, sizeof *out->row);
    out->col = lmb_alloc((size_t)e->count + 1, sizeof *out->col);
    out->value = lmb_alloc((size_t)e->count + 1, sizeof *out->value);
    if (diagonal == NULL || out->row == NULL || out->col == NULL || out->value == NULL)
        status = lmb_scan_memory(e->scan);
    for (int i = 0; i < e->count && status == LMB_OK; i++) {
        largest = fmax(largest, fabs(e->at[i].value));
        if (e->at[i].row == e->at[i].col) diagonal[e->at[i].row] = fabs(e->at[i].value);
    }
    if (status == LMB_OK) status = merge(out, e, diagonal, largest);
    out->n = e->n;
    lmb_free(diagonal);
    return status;
}

void lmb_file_matrix_free(lmb_file_matrix *m) {
    lmb_free(m->row);
    lmb_free(m->col);
    lmb_free(m->value);
    lmb_free(m->node);
    lmb_free(m->dof);
    *m = (lmb_file_matrix){0};
}

static lmb_status end_reading(lmb_file_matrix *out, entries *e, lmb_status status) {
    if (status == LMB_OK) status = finish(out, e);
    lmb_free(e->at);
    if (status != LMB_OK) lmb_file_matrix_free(out);
    return status;
}

// ---- fields ------------------------------------------------------------------------------------

// the next word: up to a blank or a comma
static lmb_piece next_word(lmb_piece *rest) {
    *rest = lmb_piece_trim(*rest);
    int n = 0;
    while (n < rest->length && strchr(" \t,\r", rest->at[n]) == NULL) n++;
    lmb_piece word = {rest->at, n};
    if (n < rest->length) n++;
    rest->at += n;
    rest->length -= n;
    lmb_piece more = lmb_piece_trim(*rest);
    if (more.length > 0 && more.at[0] == ',' && n > 0) more.at++, more.length--;
    *rest = lmb_piece_trim(more);
    return word;
}

static bool next_integer(lmb_piece *rest, int *out) { return lmb_piece_integer(out, next_word(rest)); }
static bool next_number(lmb_piece *rest, double *out) { return lmb_piece_number(out, next_word(rest)); }

// ---- MatrixMarket ------------------------------------------------------------------------------

typedef struct market {
    bool array, symmetric;
} market;

static lmb_status read_banner(lmb_scan *s, market *k) {
    lmb_piece row = {"", 0};
    lmb_scan_line(&row, s);
    lmb_piece banner = next_word(&row), object = next_word(&row), format = next_word(&row),
              field = next_word(&row), symmetry = next_word(&row);
    if (!lmb_piece_is(banner, "%%MatrixMarket"))
        return lmb_scan_fail(s, "not a MatrixMarket file: it must begin with %%%%MatrixMarket");
    k->array = lmb_piece_is(format, "array");
    k->symmetric = lmb_piece_is(symmetry, "symmetric");
    if (!lmb_piece_is(object, "matrix") || !(k->array || lmb_piece_is(format, "coordinate")))
        return lmb_scan_fail(s, "only 'matrix coordinate' and 'matrix array' are supported");
    if (!lmb_piece_is(field, "real") && !lmb_piece_is(field, "integer") && !lmb_piece_is(field, "double"))
        return lmb_scan_fail(s, "matrices of '%.*s' are not supported, only real and integer", shown(field),
                             field.at);
    if (!k->symmetric && !lmb_piece_is(symmetry, "general"))
        return lmb_scan_fail(s, "'%.*s' matrices are not supported, only symmetric and general",
                             shown(symmetry), symmetry.at);
    return LMB_OK;
}

// the next line that is neither empty nor a comment
static bool next_row(lmb_piece *row, lmb_scan *s, char comment) {
    while (lmb_scan_line(row, s))
        if (row->length > 0 && row->at[0] != comment) return true;
    return false;
}

static lmb_status read_coordinates(entries *e, int count) {
    lmb_scan *s = e->scan;
    lmb_piece row;
    for (int i = 0; i < count; i++) {
        int r, c;
        double value;
        if (!next_row(&row, s, '%'))
            return lmb_scan_fail(s, "expected %d entries, found %d; the file is truncated", count, i);
        if (!next_integer(&row, &r) || !next_integer(&row, &c) || !next_number(&row, &value) ||
            row.length > 0)
            return lmb_scan_fail(s, "an entry needs row, column, value");
        if (r < 1 || r > e->n || c < 1 || c > e->n)
            return lmb_scan_fail(s, "entry (%d, %d) is outside the matrix of %d rows", r, c, e->n);
        if (add_entry(e, r - 1, c - 1, value) != LMB_OK) return s->status;
    }
    if (next_row(&row, s, '%')) return lmb_scan_fail(s, "more entries than declared in the header");
    return LMB_OK;
}

// columns one after the other; of a symmetric matrix from the diagonal down
static lmb_status read_array(entries *e, bool symmetric) {
    lmb_scan *s = e->scan;
    lmb_piece row = {"", 0};
    for (int c = 0; c < e->n; c++)
        for (int r = symmetric ? c : 0; r < e->n; r++) {
            double value;
            if (row.length == 0 && !next_row(&row, s, '%'))
                return lmb_scan_fail(s, "numbers are missing; the file is truncated");
            if (!next_number(&row, &value)) return lmb_scan_fail(s, "invalid number");
            if ((value != 0 || r == c) && add_entry(e, r, c, value) != LMB_OK) return s->status;
        }
    if (row.length > 0 || next_row(&row, s, '%'))
        return lmb_scan_fail(s, "more numbers than declared in the header");
    return LMB_OK;
}

lmb_status lmb_matrix_read_mtx(lmb_file_matrix *out, const char *text, size_t length, const char *name,
                               lmb_error *err) {
    *out = (lmb_file_matrix){0};
    lmb_scan s = {.at = text, .end = text + length, .file = name, .err = err};
    entries e = {.scan = &s};
    market k = {0};
    lmb_piece row = {"", 0};
    int rows = 0, cols = 0, count = 0;
    lmb_status status = read_banner(&s, &k);
    if (status == LMB_OK &&
        (!next_row(&row, &s, '%') || !next_integer(&row, &rows) || !next_integer(&row, &cols) ||
         !(k.array || next_integer(&row, &count)) || row.length > 0))
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
    return end_reading(out, &e, status);
}

// ---- labels ------------------------------------------------------------------------------------

// Rows numbered as (node, dof) are met.
typedef struct label_rows {
    lmb_label_map node;  // label -> place in rows
    int count, capacity; // nodes
    int (*rows)[6];      // of each node, -1: none
    int *labels;
    int n;
} label_rows;

static void label_rows_free(label_rows *l) {
    lmb_label_map_free(&l->node);
    lmb_free(l->rows);
    lmb_free(l->labels);
}

// the row of a motion of a node; -1: failed
static int label_row(label_rows *l, lmb_scan *s, int node, int dof) {
    if (node < 1 || dof < 1 || dof > 6)
        return lmb_scan_fail(
                   s, "node %d, degree of freedom %d: nodes must be positive, degrees of freedom 1 to 6",
                   node, dof),
               -1;
    int i = lmb_label_map_find(&l->node, node);
    if (i < 0) {
        if (l->count == l->capacity) {
            int capacity = l->capacity > 0 ? 2 * l->capacity : 64;
            int(*rows)[6] = lmb_realloc(l->rows, (size_t)capacity, sizeof *rows);
            if (rows == NULL) return lmb_scan_memory(s), -1;
            l->rows = rows;
            int *labels = lmb_realloc(l->labels, (size_t)capacity, sizeof *labels);
            if (labels == NULL) return lmb_scan_memory(s), -1;
            l->labels = labels;
            l->capacity = capacity;
        }
        i = l->count;
        if (!lmb_label_map_add(&l->node, node, i)) return lmb_scan_memory(s), -1;
        for (int k = 0; k < 6; k++) l->rows[i][k] = -1;
        l->labels[l->count++] = node;
    }
    if (l->rows[i][dof - 1] < 0) l->rows[i][dof - 1] = l->n++;
    return l->rows[i][dof - 1];
}

static lmb_status label_matrix(lmb_file_matrix *out, const label_rows *l, lmb_scan *s) {
    out->node = lmb_alloc((size_t)l->n + 1, sizeof *out->node);
    out->dof = lmb_alloc((size_t)l->n + 1, sizeof *out->dof);
    if (out->node == NULL || out->dof == NULL) return lmb_scan_memory(s);
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < 6; k++)
            if (l->rows[i][k] >= 0) out->node[l->rows[i][k]] = l->labels[i], out->dof[l->rows[i][k]] = k + 1;
    return LMB_OK;
}

// ---- Abaqus ------------------------------------------------------------------------------------

static int count_words(lmb_piece row) {
    int n = 0;
    for (; row.length > 0 && n < 9; n++) next_word(&row);
    return n;
}

static lmb_status abaqus_labelled(entries *e, label_rows *l, lmb_piece row) {
    int node[2], dof[2];
    double value;
    if (!next_integer(&row, &node[0]) || !next_integer(&row, &dof[0]) || !next_integer(&row, &node[1]) ||
        !next_integer(&row, &dof[1]) || !next_number(&row, &value) || row.length > 0)
        return lmb_scan_fail(e->scan, "a line needs node, dof, node, dof, value");
    int r = label_row(l, e->scan, node[0], dof[0]), c = r < 0 ? -1 : label_row(l, e->scan, node[1], dof[1]);
    if (c < 0) return e->scan->status;
    e->n = l->n;
    return add_entry(e, r, c, value);
}

static lmb_status plain_entry(entries *e, lmb_piece row) {
    int r, c;
    double value;
    if (!next_integer(&row, &r) || !next_integer(&row, &c) || !next_number(&row, &value) || row.length > 0)
        return lmb_scan_fail(e->scan, "a line needs row, column, value");
    if (r < 1 || c < 1) return lmb_scan_fail(e->scan, "entry (%d, %d): rows and columns count from 1", r, c);
    int larger = r > c ? r : c;
    if (larger > e->n) e->n = larger;
    return add_entry(e, r - 1, c - 1, value);
}

lmb_status lmb_matrix_read_abaqus(lmb_file_matrix *out, const char *text, size_t length, const char *name,
                                  lmb_error *err) {
    *out = (lmb_file_matrix){0};
    lmb_scan s = {.at = text, .end = text + length, .file = name, .err = err};
    entries e = {.scan = &s};
    label_rows l = {0};
    lmb_piece row;
    int fields = 0;
    lmb_status status = LMB_OK;
    while (status == LMB_OK && next_row(&row, &s, '*')) {
        if (fields == 0) fields = count_words(row);
        if (fields == 5) status = abaqus_labelled(&e, &l, row);
        else if (fields == 3) status = plain_entry(&e, row);
        else status = lmb_scan_fail(&s, "a line needs `node, dof, node, dof, value` or `row column value`");
    }
    if (status == LMB_OK && fields == 5) status = label_matrix(out, &l, &s);
    label_rows_free(&l);
    return end_reading(out, &e, status);
}

// ---- CalculiX ----------------------------------------------------------------------------------

// .dof: a line `node.motion` for every row
static lmb_status read_dofs(label_rows *l, lmb_scan *s) {
    lmb_piece row;
    while (next_row(&row, s, '*')) {
        lmb_piece rest = row, word = lmb_piece_cut(&rest, '.');
        int node, dof, before = l->n;
        if (!lmb_piece_integer(&node, word) || !lmb_piece_integer(&dof, lmb_piece_trim(rest)))
            return lmb_scan_fail(s, "'%.*s': a line of the .dof file must be node.dof", shown(row), row.at);
        if (label_row(l, s, node, dof) < 0) return s->status;
        if (l->n == before) return lmb_scan_fail(s, "duplicate '%.*s'", shown(row), row.at);
    }
    return s->status;
}

lmb_status lmb_matrix_read_ccx(lmb_file_matrix *out, const lmb_ccx_text *t, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    lmb_scan s = {.at = t->matrix, .end = t->matrix + t->matrix_length, .file = t->matrix_name, .err = err};
    lmb_scan d = {.at = t->dof, .end = t->dof + t->dof_length, .file = t->dof_name, .err = err};
    entries e = {.scan = &s};
    label_rows l = {0};
    lmb_piece row;
    lmb_status status = read_dofs(&l, &d);
    while (status == LMB_OK && next_row(&row, &s, '*')) {
        status = plain_entry(&e, row);
        if (status == LMB_OK && e.n > l.n)
            status = lmb_scan_fail(&s, "row %d is not in %s, which has %d; the files do not match", e.n,
                                   t->dof_name, l.n);
    }
    if (status == LMB_OK && e.n < l.n)
        status = lmb_scan_fail(&s, "the matrix has %d rows, but %s has %d; the file is truncated", e.n,
                               t->dof_name, l.n);
    if (status == LMB_OK) status = label_matrix(out, &l, &s);
    label_rows_free(&l);
    return end_reading(out, &e, status);
}
