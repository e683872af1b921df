// mesh/matrix_rows.c: what the rows of a matrix are, from a file beside it: nodes and their motions, or scalars.
#include "mesh/entries.h"

#include <string.h>
#include <strings.h>

typedef struct labels {
    lmb_scan scan;
    lmb_label_rows rows;
    int n; // of the matrix
    int count;
} labels;

// 3, UZ or ROTX; -1: neither
static int motion(lmb_piece word) {
    static const char *const names[7] = {"", "UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"};
    int dof;
    if (lmb_piece_integer(&dof, word)) return dof;
    for (int k = 1; k <= 6; k++)
        if (lmb_piece_is(word, names[k])) return k;
    return -1;
}

static lmb_status add(labels *l, int node, int dof) {
    if (l->count == l->n)
        return lmb_scan_fail(&l->scan,
                             "the matrix has %d rows, but this table has more; the files do not match", l->n);
    if (lmb_label_row(&l->rows, &l->scan, node, dof) < 0) return l->scan.status;
    if (l->rows.n == l->count)
        return lmb_scan_fail(&l->scan, "duplicate: node %d, degree of freedom %d", node, dof);
    l->count++;
    return LMB_OK;
}

// "7.2", "7, 2", "1, 7, 2" or "1 7 UY"
static lmb_status add_line(labels *l, lmb_piece row) {
    lmb_piece rest = row, word = lmb_piece_cut(&rest, '.');
    int number[2], dof;
    if (rest.length > 0 && lmb_piece_integer(&number[0], word) &&
        lmb_piece_integer(&dof, lmb_piece_trim(rest)))
        return add(l, number[0], dof);
    rest = row;
    bool ok = lmb_next_integer(&rest, &number[0]);
    word = lmb_next_word(&rest);
    if (ok && rest.length == 0 && (dof = motion(word)) >= 0) return add(l, number[0], dof);
    lmb_piece last = lmb_next_word(&rest);
    ok = ok && lmb_piece_integer(&number[1], word) && rest.length == 0 && (dof = motion(last)) >= 0;
    if (!ok)
        return lmb_scan_fail(&l->scan, "'%.*s': a line must be node.dof, `node, dof` or `row, node, dof`",
                             lmb_shown(row), row.at);
    if (number[0] != l->count + 1)
        return lmb_scan_fail(&l->scan, "row %d where row %d should come", number[0], l->count + 1);
    return add(l, number[1], dof);
}

// a MatrixMarket vector of nodes: three rows each
static lmb_status read_vector(labels *l) {
    lmb_piece row;
    int count, one, node;
    if (!lmb_next_row(&row, &l->scan, '%') || !lmb_next_integer(&row, &count) ||
        !lmb_next_integer(&row, &one) || one != 1 || count < 1)
        return lmb_scan_fail(&l->scan, "the vector of nodes needs its size: n 1");
    if (l->n != 3 * (int64_t)count)
        return lmb_scan_fail(
            &l->scan, "the matrix has %d rows and the vector %d nodes: not three rows per node", l->n, count);
    for (int i = 0; i < count && l->scan.status == LMB_OK; i++) {
        if (!lmb_next_row(&row, &l->scan, '%') || !lmb_next_integer(&row, &node) || row.length > 0)
            return lmb_scan_fail(&l->scan, "the vector of nodes needs %d integers, a line each", count);
        for (int k = 1; k <= 3; k++)
            if (add(l, node, k) != LMB_OK) break;
    }
    return l->scan.status;
}

static lmb_status read_lines(labels *l) {
    lmb_piece row;
    bool first = true;
    while (lmb_next_row(&row, &l->scan, '*') && l->scan.status == LMB_OK) {
        bool heading = first && (row.at[0] < '0' || row.at[0] > '9');
        first = false;
        if (row.at[0] != '#' && !heading) add_line(l, row);
    }
    if (l->scan.status == LMB_OK && l->count < l->n)
        return lmb_scan_fail(&l->scan, "the matrix has %d rows, but this table %d; the files do not match",
                             l->n, l->count);
    return l->scan.status;
}

lmb_status lmb_matrix_label(lmb_file_matrix *m, const lmb_matrix_wanted *w, lmb_error *err) {
    labels l = {.scan = {.at = w->rows, .end = w->rows + w->rows_length, .file = w->rows_file, .err = err},
                .n = m->n};
    lmb_piece banner;
    bool vector = lmb_matrix_is_market(w->rows, w->rows_length);
    if (vector) lmb_scan_line(&banner, &l.scan);
    lmb_status st = vector ? read_vector(&l) : read_lines(&l);
    if (st == LMB_OK) st = lmb_label_matrix(m, &l.rows, &l.scan);
    lmb_label_rows_free(&l.rows);
    return st;
}
