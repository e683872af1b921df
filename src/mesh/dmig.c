// mesh/dmig.c: direct matrix input (DMIG) of Nastran bulk data, and the grid points beside it.
//
// A card is a row of fields: after the name of the matrix, column (grid point, component), an empty field, then groups of four: row
// grid point, component, real part, imaginary part.  Fields have eight columns, sixteen (*) or end at commas; lines that begin with a
// blank, + or * continue.  A header has 0 in place of the grid point: form (1 square, 6 symmetric), type (1, 2 real).
#include "mesh/entries.h"

#include <string.h>
#include <strings.h>

enum { FIELDS = 9 };

typedef struct line {
    int count;
    lmb_piece field[FIELDS]; // [0]: the name, or a continuation
    bool goes_on;            // a continuation
} line;

typedef struct bulk {
    lmb_scan scan;
    const lmb_matrix_wanted *wanted;
    lmb_matrix_names names;
    int sizes[32], forms[32];
    int chosen;
    lmb_entries e;
    lmb_label_rows rows;
    int column;   // row that belongs to the column of this card; -1: another matrix
    lmb_text *to; // nodes
} bulk;

// ---- fields ------------------------------------------------------------------------------------

static void cut_commas(line *l, lmb_piece row) {
    while (l->count < FIELDS && row.length > 0) l->field[l->count++] = lmb_piece_cut(&row, ',');
}

static void cut_columns(line *l, lmb_piece row) {
    l->field[0] = lmb_piece_columns(row, 0, 8);
    bool wide = l->field[0].length > 0 && l->field[0].at[l->field[0].length - 1] == '*';
    int width = wide ? 16 : 8, fields = wide ? 4 : 8;
    l->count = 1;
    for (int k = 0; k < fields; k++) l->field[l->count++] = lmb_piece_columns(row, 8 + k * width, width);
    if (wide) l->field[0].length--;
}

// the next line that says something
static bool next_line(line *l, lmb_scan *s) {
    lmb_piece row;
    while (lmb_scan_columns(&row, s)) {
        lmb_piece text = lmb_piece_trim(row);
        *l = (line){0};
        if (text.length == 0 || text.at[0] == '$') continue;
        if (memchr(row.at, ',', (size_t)row.length)) cut_commas(l, row);
        else cut_columns(l, row);
        lmb_piece first = l->field[0];
        l->goes_on = first.length == 0 || first.at[0] == '+' || first.at[0] == '*';
        return true;
    }
    return false;
}

static bool is_card(const line *l, const char *name) {
    lmb_piece p = l->field[0];
    if (p.length > 0 && p.at[p.length - 1] == '*') p.length--;
    return !l->goes_on && lmb_piece_is(p, name);
}

// 1.2-3 is 1.2e-3
static bool real(double *out, lmb_piece p) {
    char text[40];
    int n = 0;
    if (lmb_piece_number(out, p)) return true;
    for (int i = 0; i < p.length && n + 2 < (int)sizeof text; i++) {
        bool sign = p.at[i] == '+' || p.at[i] == '-';
        if (i > 0 && sign && strchr("eEdD", p.at[i - 1]) == NULL) text[n++] = 'e';
        text[n++] = p.at[i];
    }
    return p.length < 32 && lmb_piece_number(out, (lmb_piece){text, n});
}

// ---- headers -----------------------------------------------------------------------------------

static int find_name(const bulk *b, lmb_piece name) {
    for (int i = 0; i < b->names.count; i++)
        if (lmb_piece_is(name, b->names.name[i])) return i;
    return -1;
}

static bool is_header(const line *l) { return lmb_piece_is(l->field[2], "0"); }

static lmb_status add_header(bulk *b, const line *l) {
    lmb_piece name = l->field[1];
    int i = b->names.count, size = 0;
    if (find_name(b, name) >= 0)
        return lmb_scan_fail(&b->scan, "duplicate header of matrix '%.*s'", lmb_shown(name), name.at);
    if (name.length == 0 || !lmb_matrix_names_add(&b->names, name))
        return lmb_scan_fail(&b->scan, "a matrix without a name, or more than %d of them",
                             LMB_COUNT(b->names.name));
    if (!lmb_piece_integer(&b->forms[i], l->field[3]))
        return lmb_scan_fail(&b->scan, "the header of matrix '%s' needs its form (1 square, 6 symmetric)",
                             b->names.name[i]);
    lmb_piece_integer(&size, l->field[FIELDS - 1]);
    b->sizes[i] = size;
    return LMB_OK;
}

static lmb_status check_header(bulk *b, const line *l) {
    int type = 0, form = b->forms[b->chosen];
    const char *name = b->names.name[b->chosen];
    if (!lmb_piece_integer(&type, l->field[4]) || type < 1 || type > 4)
        return lmb_scan_fail(&b->scan, "the header of matrix '%s' needs its type (1, 2 real; 3, 4 complex)",
                             name);
    if (type > 2)
        return lmb_scan_fail(&b->scan, "matrix '%s' is complex; only real ones are supported", name);
    if (form != 1 && form != 6)
        return lmb_scan_fail(
            &b->scan, "matrix '%s' has form %d; only square (1) and symmetric (6) are supported", name, form);
    b->e.one = form == 6, b->e.both = form == 1;
    return LMB_OK;
}

static lmb_status read_headers(bulk *b) {
    lmb_scan at = b->scan;
    line l;
    while (b->scan.status == LMB_OK && next_line(&l, &b->scan))
        if (is_card(&l, "DMIG") && is_header(&l)) add_header(b, &l);
    lmb_status st = b->scan.status;
    b->scan = at;
    b->scan.status = st;
    return st;
}

// ---- columns -----------------------------------------------------------------------------------

static int row_of(bulk *b, lmb_piece grid, lmb_piece component) {
    int node, dof = 0;
    if (!lmb_piece_integer(&node, grid) || (component.length > 0 && !lmb_piece_integer(&dof, component)))
        return lmb_scan_fail(&b->scan, "'%.*s', '%.*s': expected a grid point and its component 0 to 6",
                             lmb_shown(grid), grid.at, lmb_shown(component), component.at),
               -1;
    return lmb_label_row(&b->rows, &b->scan, node, dof);
}

// row grid point, component, value
static lmb_status add_group(bulk *b, const lmb_piece *p) {
    double value;
    if (p[0].length == 0) return LMB_OK;
    int row = row_of(b, p[0], p[1]);
    if (row < 0) return b->scan.status;
    if (!real(&value, p[2]))
        return lmb_scan_fail(&b->scan, "'%.*s' is not a number", lmb_shown(p[2]), p[2].at);
    b->e.n = b->rows.n;
    return lmb_entries_add(&b->e, row, b->column, value);
}

static lmb_status read_line(bulk *b, const line *l) {
    if (!l->goes_on) {
        b->column = -1;
        if (!is_card(l, "DMIG") || find_name(b, l->field[1]) != b->chosen) return LMB_OK;
        if (is_header(l)) return check_header(b, l);
        b->column = row_of(b, l->field[2], l->field[3]);
        if (b->column < 0) return b->scan.status;
    }
    if (b->column < 0) return LMB_OK;
    lmb_status st = l->goes_on && l->count > 3 ? add_group(b, &l->field[1]) : LMB_OK;
    return st == LMB_OK && l->count > 7 ? add_group(b, &l->field[5]) : st;
}

bool lmb_matrix_is_dmig(const char *text, size_t length) {
    lmb_scan s = {.at = text, .end = text + (length < 20000 ? length : 20000)};
    line l;
    while (next_line(&l, &s))
        if (is_card(&l, "DMIG")) return true;
    return false;
}

lmb_status lmb_matrix_read_dmig(lmb_file_matrix *out, const char *text, size_t length,
                                const lmb_matrix_wanted *w, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    bulk b = {
        .scan = {.at = text, .end = text + length, .file = w->file, .err = err}, .wanted = w, .column = -1};
    b.e.scan = &b.scan;
    line l;
    lmb_status st = read_headers(&b);
    if (st == LMB_OK) st = lmb_matrix_choose(&b.chosen, &b.names, w, &b.scan);
    while (st == LMB_OK && next_line(&l, &b.scan)) st = read_line(&b, &l);
    if (st == LMB_OK) st = b.scan.status;
    int size = st == LMB_OK ? b.sizes[b.chosen] : 0;
    if (st == LMB_OK && size > 0 && size < b.rows.n) {
        b.scan.line = 0;
        st = lmb_scan_fail(&b.scan, "matrix '%s' has %d rows, its header declares %d", b.names.name[b.chosen],
                           b.rows.n, size);
    }
    if (st == LMB_OK) st = lmb_label_matrix(out, &b.rows, &b.scan);
    lmb_label_rows_free(&b.rows);
    return lmb_entries_end(out, &b.e, st);
}

// ---- grid points -------------------------------------------------------------------------------

static bool is_zero(lmb_piece p) {
    int n;
    return p.length == 0 || (lmb_piece_integer(&n, p) && n == 0);
}

// GRID, ID, CP, X1, X2, X3, CD
static lmb_status add_grid(bulk *b, const lmb_piece *f) {
    int id;
    double x[3] = {0};
    if (!lmb_piece_integer(&id, f[0]))
        return lmb_scan_fail(&b->scan, "'%.*s': a GRID needs its number", lmb_shown(f[0]), f[0].at);
    for (int k = 0; k < 3; k++)
        if (f[2 + k].length > 0 && !real(&x[k], f[2 + k]))
            return lmb_scan_fail(&b->scan, "GRID %d: '%.*s' is not a number", id, lmb_shown(f[2 + k]),
                                 f[2 + k].at);
    if (!is_zero(f[1]))
        return lmb_scan_fail(&b->scan,
                             "GRID %d has coordinates in system %.*s; write them in the basic system", id,
                             lmb_shown(f[1]), f[1].at);
    if (!is_zero(f[5]))
        return lmb_scan_fail(
            &b->scan,
            "GRID %d has displacements in system %.*s, and so do the matrices; export them in the "
            "basic system (CD blank)",
            id, lmb_shown(f[5]), f[5].at);
    bool ok = lmb_text_add(b->to, "%d,%.17g,%.17g,%.17g\n", id, x[0], x[1], x[2]);
    return ok ? LMB_OK : lmb_scan_memory(&b->scan);
}

lmb_status lmb_dmig_nodes(lmb_text *out, const char *text, size_t length, const char *name, lmb_error *err) {
    bulk b = {.scan = {.at = text, .end = text + length, .file = name, .err = err}, .to = out};
    line l;
    lmb_status st = LMB_OK;
    bool more = next_line(&l, &b.scan);
    while (more && st == LMB_OK) {
        lmb_piece fields[8] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}};
        bool grid = is_card(&l, "GRID");
        int used = 0, where = b.scan.line;
        for (int k = 1; k < l.count && used < 8; k++) fields[used++] = l.field[k];
        more = next_line(&l, &b.scan);
        for (; more && l.goes_on; more = next_line(&l, &b.scan))
            for (int k = 1; k < l.count && used < 8; k++) fields[used++] = l.field[k];
        int now = b.scan.line;
        b.scan.line = where;
        if (grid) st = add_grid(&b, fields);
        if (st == LMB_OK) b.scan.line = now;
    }
    return st ? st : b.scan.status;
}
