// mesh/harwell.c: Harwell-Boeing and Rutherford-Boeing matrices: a header with the Fortran formats of three lists, column starts,
// row numbers and values, one column after the other.
#include "mesh/entries.h"

#include <string.h>
#include <strings.h>

typedef struct list { // of numbers in fixed columns
    int per_line, width, next;
    lmb_piece line;
} list;

typedef struct harwell {
    lmb_scan scan;
    int n, count;
    bool symmetric;
    list starts, rows, values;
    lmb_entries e;
} harwell;

// "(10I8)", "(1P,3E25.16)": 10 and 8, 3 and 25
static bool read_format(list *l, lmb_piece format) {
    int number = 0;
    *l = (list){0};
    for (int i = 0; i < format.length; i++) {
        char c = format.at[i];
        if (c >= '0' && c <= '9') number = number < 1000 ? 10 * number + c - '0' : number;
        else if (strchr("IiEeDdFfGg", c) && c) l->per_line = number > 0 ? number : 1, number = 0;
        else if (c == '.' || c == ')') {
            if (l->per_line > 0 && l->width == 0) l->width = number;
            number = 0;
        } else number = 0;
    }
    return l->per_line > 0 && l->width > 0;
}

static bool next_field(lmb_piece *out, harwell *h, list *l) {
    int k = l->next++ % l->per_line;
    if (k == 0 && !lmb_scan_columns(&l->line, &h->scan)) return false;
    *out = lmb_piece_columns(l->line, k * l->width, l->width);
    return true;
}

// ---- header ------------------------------------------------------------------------------------

static bool is_type(lmb_piece p) {
    return p.length == 3 && strchr("RCPIrcpi", p.at[0]) && strchr("SUHZRsuhzr", p.at[1]) &&
           strchr("AEae", p.at[2]);
}

static lmb_status check_type(harwell *h, lmb_piece type) {
    if (!is_type(type)) return lmb_scan_fail(&h->scan, "line 3 must begin with the type, such as RSA");
    if (strchr("RIri", type.at[0]) == NULL || strchr("Aa", type.at[2]) == NULL ||
        strchr("SUsu", type.at[1]) == NULL)
        return lmb_scan_fail(&h->scan, "type '%.3s' is not supported, only RSA and RUA (real, assembled)",
                             type.at);
    h->symmetric = strchr("Ss", type.at[1]) != NULL;
    return LMB_OK;
}

static lmb_status read_header(harwell *h) {
    lmb_scan *s = &h->scan;
    lmb_piece title, cards, sizes, formats, row;
    int cols = 0, right = 0;
    if (!lmb_scan_columns(&title, s) || !lmb_scan_columns(&cards, s) || !lmb_scan_columns(&sizes, s))
        return lmb_scan_fail(s, "the header has four lines; the file is truncated");
    lmb_status st = check_type(h, lmb_piece_columns(sizes, 0, 3));
    if (st != LMB_OK) return st;
    if (!lmb_piece_integer(&h->n, lmb_piece_columns(sizes, 14, 14)) ||
        !lmb_piece_integer(&cols, lmb_piece_columns(sizes, 28, 14)) ||
        !lmb_piece_integer(&h->count, lmb_piece_columns(sizes, 42, 14)) || h->n < 1 || h->count < 1)
        return lmb_scan_fail(s, "line 3 needs the numbers of rows, columns and entries");
    if (h->n != cols) return lmb_scan_fail(s, "the matrix is %d x %d; it must be square", h->n, cols);
    // every entry takes a row and a value, two characters each at least
    if (2.0 * h->n + 4.0 * h->count > 2.0 * (double)(s->end - s->at))
        return lmb_scan_fail(s, "the file is too short for the sizes in its header; it is truncated");
    if (!lmb_scan_columns(&formats, s) || !read_format(&h->starts, lmb_piece_columns(formats, 0, 16)) ||
        !read_format(&h->rows, lmb_piece_columns(formats, 16, 16)) ||
        !read_format(&h->values, lmb_piece_columns(formats, 32, 20)))
        return lmb_scan_fail(s, "line 4 needs three formats, such as (10I8)");
    lmb_piece_integer(&right, lmb_piece_columns(cards, 56, 14));
    if (right > 0) lmb_scan_columns(&row, s);
    return LMB_OK;
}

// ---- numbers -----------------------------------------------------------------------------------

static lmb_status read_integers(int *out, harwell *h, list *l, int count, const char *what) {
    lmb_piece p;
    for (int i = 0; i < count; i++)
        if (!next_field(&p, h, l) || !lmb_piece_integer(&out[i], p))
            return lmb_scan_fail(&h->scan, "%s %d of %d is missing or invalid", what, i + 1, count);
    return LMB_OK;
}

static lmb_status check_starts(harwell *h, const int *start) {
    for (int c = 0; c < h->n; c++)
        if (start[0] != 1 || start[c] > start[c + 1] || start[c + 1] > h->count + 1)
            return lmb_scan_fail(&h->scan, "the start of column %d is invalid", c + 2);
    if (start[h->n] == h->count + 1) return LMB_OK;
    return lmb_scan_fail(&h->scan, "the columns have %d entries, the header declares %d", start[h->n] - 1,
                         h->count);
}

static lmb_status read_entries(harwell *h, const int *start, const int *row) {
    lmb_status st = LMB_OK;
    for (int c = 0; c < h->n && st == LMB_OK; c++)
        for (int i = start[c] - 1; i < start[c + 1] - 1 && st == LMB_OK; i++) {
            double value;
            lmb_piece p;
            if (!next_field(&p, h, &h->values) || !lmb_piece_number(&value, p))
                return lmb_scan_fail(&h->scan, "value %d of %d is missing or invalid", i + 1, h->count);
            if (row[i] < 1 || row[i] > h->n)
                return lmb_scan_fail(&h->scan, "entry (%d, %d) is outside the matrix of %d rows", row[i],
                                     c + 1, h->n);
            st = lmb_entries_add(&h->e, row[i] - 1, c, value);
        }
    return st;
}

bool lmb_matrix_is_harwell(const char *text, size_t length) {
    lmb_scan s = {.at = text, .end = text + length};
    lmb_piece row;
    for (int i = 0; i < 3; i++)
        if (!lmb_scan_columns(&row, &s)) return false;
    int n;
    return is_type(lmb_piece_columns(row, 0, 3)) && lmb_piece_integer(&n, lmb_piece_columns(row, 14, 14));
}

lmb_status lmb_matrix_read_harwell(lmb_file_matrix *out, const char *text, size_t length,
                                   const lmb_matrix_wanted *w, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    harwell h = {.scan = {.at = text, .end = text + length, .file = w->file, .err = err}};
    h.e.scan = &h.scan;
    lmb_status st = read_header(&h);
    int *start = NULL, *row = NULL;
    if (st == LMB_OK) {
        start = lmb_alloc((size_t)h.n + 1, sizeof *start), row = lmb_alloc((size_t)h.count, sizeof *row);
        if (start == NULL || row == NULL) st = lmb_scan_memory(&h.scan);
    }
    if (st == LMB_OK) st = read_integers(start, &h, &h.starts, h.n + 1, "column start");
    if (st == LMB_OK) st = check_starts(&h, start);
    if (st == LMB_OK) st = read_integers(row, &h, &h.rows, h.count, "row");
    if (st == LMB_OK) st = read_entries(&h, start, row);
    lmb_free(start), lmb_free(row);
    h.e.n = h.n, h.e.one = h.symmetric, h.e.both = !h.symmetric;
    return lmb_entries_end(out, &h.e, st);
}
