// mesh/op4.c: matrices of Nastran OUTPUT4, text and binary.
//
// A header (columns, rows, form, type, name), then a record for each column that is not zero: its number, first row, number of
// 4-byte words, values; type 1 has a word for a number, 2 has two.  First row 0: strings of values with a row each, whose length
// and row are two numbers (L + 1, row; rows of the header negative: BIGMAT) or packed in one, row + 65536 (L + 1).  A column
// behind the last one ends the matrix.  Binary files have the same in Fortran records of either byte order.
#include "mesh/entries.h"

#include <limits.h>
#include <string.h>

typedef struct header {
    int columns, rows, form, type;
    bool big;
    lmb_piece name;
} header;

typedef struct op4 {
    lmb_scan scan;
    const lmb_matrix_wanted *wanted;
    lmb_entries e;
    lmb_matrix_names names;
    int sizes[32];
    int chosen, matrix; // the one that is wanted (-1: list them all), the one that is read
    header h;
    int column;
    bool binary, swapped;
    int per_line, width; // text: numbers of a line
    // text: the line of numbers that is read; binary: the rest of a record
    lmb_piece line;
    const char *record, *record_end;
    int words; // of the column that are left
} op4;

static bool is_wanted(const op4 *p) { return p->matrix == p->chosen; }
static int words_each(const op4 *p) { return p->h.type == 1 ? 1 : 2; }

// ---- headers -----------------------------------------------------------------------------------

static lmb_status check_header(op4 *p) {
    header *h = &p->h;
    lmb_scan *s = &p->scan;
    h->big = h->rows < 0;
    if (h->rows == INT_MIN || h->columns < 1 || h->rows == 0)
        return lmb_scan_fail(s, "matrix '%.*s' is %d x %d", lmb_shown(h->name), h->name.at, h->rows,
                             h->columns);
    if (h->big) h->rows = -h->rows;
    if (h->type < 1 || h->type > 4)
        return lmb_scan_fail(s, "matrix '%.*s' has the type %d, not 1 to 4", lmb_shown(h->name), h->name.at,
                             h->type);
    if (!lmb_matrix_names_add(&p->names, h->name))
        return lmb_scan_fail(s, "more than %d matrices", LMB_COUNT(p->names.name));
    p->sizes[p->matrix] = h->rows;
    if (!is_wanted(p)) return LMB_OK;
    if (h->type > 2)
        return lmb_scan_fail(s, "matrix '%.*s' is complex; only real ones are supported", lmb_shown(h->name),
                             h->name.at);
    if (h->rows != h->columns)
        return lmb_scan_fail(s, "matrix '%.*s' is %d x %d; it must be square", lmb_shown(h->name), h->name.at,
                             h->rows, h->columns);
    p->e.n = h->rows;
    return LMB_OK;
}

// "1P,3E23.16": 3 and 23
static bool read_format(op4 *p, lmb_piece format) {
    int number = 0;
    p->per_line = p->width = 0;
    for (int i = 0; i < format.length; i++) {
        char c = format.at[i];
        if (c >= '0' && c <= '9') number = number < 1000 ? 10 * number + c - '0' : number;
        else if (c == 'E' || c == 'D' || c == 'e' || c == 'd') p->per_line = number, number = 0;
        else if (c == '.') p->width = number, number = 0;
        else number = 0;
    }
    return p->per_line > 0 && p->width > 3;
}

// four numbers of eight columns, the name, the format; false: not a header
static bool text_header(op4 *p, lmb_piece row) {
    header *h = &p->h;
    int *const to[4] = {&h->columns, &h->rows, &h->form, &h->type};
    for (int k = 0; k < 4; k++)
        if (!lmb_piece_integer(to[k], lmb_piece_columns(row, 8 * k, 8))) return false;
    h->name = lmb_piece_columns(row, 32, 8);
    return h->name.length > 0 && read_format(p, lmb_piece_columns(row, 40, 16));
}

// ---- numbers -----------------------------------------------------------------------------------

static int binary_int(const op4 *p, const char *at) {
    unsigned char b[4];
    memcpy(b, at, 4);
    uint32_t v = p->swapped ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3]
                            : (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
    int out;
    memcpy(&out, &v, sizeof out);
    return out;
}

static double binary_real(const op4 *p, const char *at) {
    uint32_t first = (uint32_t)binary_int(p, at);
    float single;
    double value;
    if (words_each(p) == 1) return memcpy(&single, &first, sizeof single), (double)single;
    uint32_t second = (uint32_t)binary_int(p, at + 4);
    uint64_t bits = p->swapped ? (uint64_t)first << 32 | second : (uint64_t)second << 32 | first;
    return memcpy(&value, &bits, sizeof value), value;
}

// integers in front of values: words of a record, or a line of their own
static bool next_integers(op4 *p, int *out, int count) {
    lmb_piece row;
    if (p->binary) {
        for (int k = 0; k < count; k++, p->record += 4) {
            if (p->record_end - p->record < 4) return false;
            out[k] = binary_int(p, p->record);
        }
        return true;
    }
    if (!lmb_scan_columns(&row, &p->scan)) return false;
    for (int k = 0; k < count; k++) // one number alone may be wider
        if (!lmb_piece_integer(&out[k], count == 1 ? lmb_piece_trim(row) : lmb_piece_columns(row, 8 * k, 8)))
            return false;
    return true;
}

// the next of `left` values; in text, lines are full but for the last one
static bool next_value(op4 *p, double *out, int index) {
    if (p->binary) {
        int bytes = 4 * words_each(p);
        if (p->record_end - p->record < bytes) return false;
        *out = binary_real(p, p->record);
        p->record += bytes;
        return isfinite(*out);
    }
    int k = index % p->per_line;
    if (k == 0 && !lmb_scan_columns(&p->line, &p->scan)) return false;
    return lmb_piece_number(out, lmb_piece_columns(p->line, k * p->width, p->width));
}

static lmb_status read_values(op4 *p, int row, int count) {
    lmb_scan *s = &p->scan;
    const header *h = &p->h;
    if (count < 1 || row < 1 || row > h->rows || count > h->rows - row + 1)
        return lmb_scan_fail(s, "matrix '%.*s', column %d: %d rows from row %d on are not in %d rows",
                             lmb_shown(h->name), h->name.at, p->column, count, row, h->rows);
    for (int i = 0; i < count; i++) {
        double value;
        if (!next_value(p, &value, i))
            return lmb_scan_fail(s, "matrix '%.*s', column %d: a number is missing or invalid",
                                 lmb_shown(h->name), h->name.at, p->column);
        bool takes = is_wanted(p) && h->type <= 2 && (value != 0 || row - 1 + i == p->column - 1);
        if (takes && lmb_entries_add(&p->e, row - 1 + i, p->column - 1, value) != LMB_OK) return s->status;
    }
    return LMB_OK;
}

// ---- columns -----------------------------------------------------------------------------------

// complex numbers are passed over as twice as many real ones
static int reals(const op4 *p, int words) { return words / words_each(p); }

static lmb_status read_strings(op4 *p) {
    lmb_scan *s = &p->scan;
    while (p->words > 0) {
        int key[2] = {0}, length;
        if (!next_integers(p, key, p->h.big ? 2 : 1))
            return lmb_scan_fail(s, "column %d: the key of a string is missing", p->column);
        if (!p->h.big) key[1] = key[0] % 65536, key[0] /= 65536;
        length = key[0] - 1;
        if (length < 1 || length > p->words)
            return lmb_scan_fail(s, "column %d: a string of %d words, but %d are left", p->column, length,
                                 p->words);
        p->words -= length + (p->h.big ? 2 : 1);
        int count = reals(p, length);
        if (p->h.type > 2) count /= 2;
        if (read_values(p, key[1], p->h.type > 2 ? 1 : count) != LMB_OK) return s->status;
    }
    return LMB_OK;
}

// number, first row, words; *last: the column behind the last one
static lmb_status read_column(op4 *p, bool *last) {
    int key[3];
    lmb_scan *s = &p->scan;
    if (!next_integers(p, key, 3))
        return lmb_scan_fail(s, "matrix '%.*s': a column is missing or invalid; the file is truncated",
                             lmb_shown(p->h.name), p->h.name.at);
    *last = key[0] > p->h.columns;
    if (key[0] < 1 || key[0] <= p->column || key[2] < 0)
        return lmb_scan_fail(s, "matrix '%.*s': column %d where one above %d should come",
                             lmb_shown(p->h.name), p->h.name.at, key[0], p->column);
    p->column = key[0];
    p->words = key[2];
    if (*last) { // one number that means nothing
        lmb_piece row;
        if (!p->binary) lmb_scan_columns(&row, s);
        return LMB_OK;
    }
    return key[1] == 0 ? read_strings(p) : read_values(p, key[1], reals(p, p->words));
}

// ---- text --------------------------------------------------------------------------------------

// lines of a matrix that is not wanted: up to the next header
static void skip_text(op4 *p) {
    lmb_piece row;
    lmb_scan before = p->scan;
    op4 probe = *p;
    while (lmb_scan_columns(&row, &p->scan)) {
        if (text_header(&probe, row)) {
            p->scan = before;
            return;
        }
        before = p->scan;
    }
}

static lmb_status read_text(op4 *p) {
    lmb_piece row;
    while (p->scan.status == LMB_OK && lmb_scan_columns(&row, &p->scan)) {
        if (lmb_piece_trim(row).length == 0) continue;
        if (!text_header(p, row))
            return lmb_scan_fail(
                &p->scan, "a header needs columns, rows, form, type, name and a format such as 1P,3E23.16");
        p->column = 0;
        if (check_header(p) != LMB_OK) break;
        bool last = false;
        if (!is_wanted(p)) skip_text(p);
        else
            while (p->scan.status == LMB_OK && !last) read_column(p, &last);
        p->matrix++;
    }
    return p->scan.status;
}

// ---- binary ------------------------------------------------------------------------------------

static bool open_record(op4 *p) {
    lmb_scan *s = &p->scan;
    if (s->end - s->at < 8) return false;
    int size = binary_int(p, s->at);
    if (size < 0 || size > s->end - s->at - 8 || binary_int(p, s->at + 4 + size) != size) return false;
    p->record = s->at + 4, p->record_end = p->record + size;
    s->at = p->record_end + 4;
    return true;
}

static lmb_status read_binary(op4 *p) {
    lmb_scan *s = &p->scan;
    while (s->status == LMB_OK && s->at < s->end) {
        int v[4];
        if (!open_record(p) || p->record_end - p->record != 24)
            return lmb_scan_fail(
                s, "a record of a header should come here, 24 bytes; the file is truncated, or has "
                   "64-bit integers, which are not supported");
        next_integers(p, v, 4);
        p->h = (header){.columns = v[0], .rows = v[1], .form = v[2], .type = v[3]};
        p->h.name = lmb_piece_trim((lmb_piece){p->record, 8});
        p->column = 0;
        if (check_header(p) != LMB_OK) break;
        for (bool last = false; s->status == LMB_OK && !last;) {
            if (!open_record(p)) return lmb_scan_fail(s, "a record is damaged; the file is truncated");
            int key = p->record_end - p->record >= 4 ? binary_int(p, p->record) : 0;
            if (is_wanted(p)) read_column(p, &last);
            else last = key > p->h.columns || key < 1;
        }
        p->matrix++;
    }
    return s->status;
}

// ---- public ------------------------------------------------------------------------------------

static bool starts_record(const char *text, size_t length, bool swapped) {
    op4 p = {.swapped = swapped};
    return length >= 32 && binary_int(&p, text) == 24 && binary_int(&p, text + 28) == 24;
}

bool lmb_matrix_is_op4(const char *text, size_t length) {
    op4 p = {.scan = {.at = text, .end = text + length}};
    lmb_piece row;
    if (starts_record(text, length, false) || starts_record(text, length, true)) return true;
    return lmb_scan_columns(&row, &p.scan) && text_header(&p, row);
}

static lmb_status pass(op4 *p, const char *text, size_t length, int chosen, lmb_error *err) {
    p->scan = (lmb_scan){.at = text, .end = text + length, .file = p->wanted->file, .err = err};
    p->e.scan = &p->scan;
    p->chosen = chosen, p->matrix = 0;
    p->names.count = 0;
    p->swapped = starts_record(text, length, true);
    p->binary = p->swapped || starts_record(text, length, false);
    return p->binary ? read_binary(p) : read_text(p);
}

lmb_status lmb_matrix_read_op4(lmb_file_matrix *out, const char *text, size_t length,
                               const lmb_matrix_wanted *w, lmb_error *err) {
    op4 p = {.wanted = w};
    int chosen = -1;
    *out = (lmb_file_matrix){0};
    lmb_status st = pass(&p, text, length, -1, err);
    if (st == LMB_OK) st = lmb_matrix_choose(&chosen, &p.names, w, &p.scan);
    if (st == LMB_OK) st = pass(&p, text, length, chosen, err);
    p.scan.line = 0;
    return lmb_entries_end(out, &p.e, st);
}
