// mesh/substructure.c: substructures of Abaqus and CalculiX as a user element: *USER ELEMENT with its nodes in a comment, the
// motions of each node (a list holds until another follows: node number in the element, motions), then *MATRIX, TYPE=STIFFNESS and
// TYPE=MASS: the upper triangle by columns, each beginning a new line.
#include "mesh/entries.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOTIONS = 6 };

typedef struct motions {
    int from, count; // node of the element, from 0
    int dof[MOTIONS];
} motions;

typedef struct element {
    lmb_scan scan;
    lmb_entries e;
    lmb_label_rows rows;
    int node_count, found; // declared; labels that were read
    int *label;
    int list_count, list_capacity;
    motions *lists;
} element;

static bool is_keyword(lmb_piece row, const char *word) {
    size_t n = strlen(word);
    return (size_t)row.length >= n && strncasecmp(row.at, word, n) == 0;
}

// the value of a parameter "NODES= 12"
static lmb_piece parameter(lmb_piece row, const char *name) {
    while (row.length > 0) {
        lmb_piece rest = lmb_piece_cut(&row, ','), key = lmb_piece_cut(&rest, '=');
        if (lmb_piece_is(key, name)) return lmb_piece_trim(rest);
    }
    return (lmb_piece){"", 0};
}

// ---- nodes -------------------------------------------------------------------------------------

static lmb_status begin(element *x, lmb_piece row) {
    lmb_scan *s = &x->scan;
    if (x->label) return lmb_scan_fail(s, "more than one *USER ELEMENT");
    if (!lmb_piece_integer(&x->node_count, parameter(row, "NODES")) || x->node_count < 1)
        return lmb_scan_fail(s, "*USER ELEMENT needs NODES=");
    if (x->node_count > s->end - s->at)
        return lmb_scan_fail(s, "the file is too short for %d nodes", x->node_count);
    x->label = lmb_alloc((size_t)x->node_count, sizeof *x->label);
    return x->label ? LMB_OK : lmb_scan_memory(s);
}

// "** 1, 11, 21": numbers of a comment behind ** ELEMENT NODES
static lmb_status read_labels(element *x, lmb_piece row) {
    while (row.length > 0 && (row.at[0] == '*' || row.at[0] == ' ')) row.at++, row.length--;
    while (row.length > 0 && x->found < x->node_count)
        if (!lmb_next_integer(&row, &x->label[x->found])) break;
        else x->found++;
    return LMB_OK;
}

// "1, 2, 3" of the first node, "2, 1, 2, 3, 4" from node 2 on
static lmb_status add_motions(element *x, lmb_piece row) {
    motions m = {0};
    int value;
    if (x->list_count > 0) {
        if (!lmb_next_integer(&row, &m.from) || m.from < 2 || m.from > x->node_count)
            return lmb_scan_fail(&x->scan, "a node of the element between 2 and %d should come first",
                                 x->node_count);
        m.from--;
        if (m.from <= x->lists[x->list_count - 1].from)
            return lmb_scan_fail(&x->scan, "the nodes of the element must ascend");
    }
    while (row.length > 0) {
        if (!lmb_next_integer(&row, &value) || value < 1 || value > 6 || m.count == MOTIONS)
            return lmb_scan_fail(&x->scan, "degrees of freedom are 1 to 6, each once");
        m.dof[m.count++] = value;
    }
    if (x->list_count == x->list_capacity) {
        int capacity = x->list_capacity ? 2 * x->list_capacity : 16;
        motions *more = lmb_realloc(x->lists, (size_t)capacity, sizeof *more);
        if (more == NULL) return lmb_scan_memory(&x->scan);
        x->lists = more, x->list_capacity = capacity;
    }
    x->lists[x->list_count++] = m;
    return LMB_OK;
}

static lmb_status make_rows(element *x) {
    lmb_scan *s = &x->scan;
    if (x->found < x->node_count)
        return lmb_scan_fail(s, "the comment ** ELEMENT NODES lists %d of %d nodes", x->found, x->node_count);
    if (x->list_count == 0) return lmb_scan_fail(s, "the degrees of freedom of the nodes are missing");
    for (int i = 0, list = 0; i < x->node_count; i++) {
        while (list + 1 < x->list_count && x->lists[list + 1].from <= i) list++;
        for (int k = 0; k < x->lists[list].count; k++) {
            int before = x->rows.n;
            if (lmb_label_row(&x->rows, s, x->label[i], x->lists[list].dof[k]) < 0) return s->status;
            if (x->rows.n == before)
                return lmb_scan_fail(s, "duplicate: node %d, degree of freedom %d", x->label[i],
                                     x->lists[list].dof[k]);
        }
    }
    return LMB_OK;
}

// ---- matrix ------------------------------------------------------------------------------------

// column by column, from the first row to the diagonal; *row: the keyword behind it
static lmb_status read_triangle(element *x, lmb_piece *row, bool *more, bool wanted) {
    lmb_scan *s = &x->scan;
    lmb_piece rest = {"", 0};
    for (int c = 0; c < x->rows.n; c++)
        for (int r = 0; r <= c; r++) {
            double value;
            if (rest.length == 0) {
                if (!lmb_scan_line(&rest, s) || rest.length == 0 || rest.at[0] == '*')
                    return lmb_scan_fail(s, "the matrix ends in column %d of %d; the file is truncated",
                                         c + 1, x->rows.n);
            }
            if (!lmb_next_number(&rest, &value)) return lmb_scan_fail(s, "column %d: invalid number", c + 1);
            if (r == c && rest.length > 0)
                return lmb_scan_fail(s, "column %d has more than %d numbers", c + 1, c + 1);
            if (wanted && (value != 0 || r == c) && lmb_entries_add(&x->e, r, c, value) != LMB_OK)
                return s->status;
        }
    *more = lmb_scan_line(row, s);
    return LMB_OK;
}

static lmb_status find_matrix(element *x, const lmb_matrix_wanted *w) {
    const char *wanted = w->matrix ? w->matrix : w->kind == LMB_MATRIX_MASS ? "MASS" : "STIFFNESS";
    lmb_scan *s = &x->scan;
    lmb_piece row;
    bool labels = false, found = false, more = lmb_scan_line(&row, s);
    lmb_status st = LMB_OK;
    while (more && st == LMB_OK) {
        bool comment = is_keyword(row, "**"), again = false;
        if (comment && is_keyword(row, "** ELEMENT NODES")) labels = x->label != NULL;
        else if (comment) st = labels ? read_labels(x, row) : LMB_OK;
        else if (is_keyword(row, "*USER ELEMENT")) st = begin(x, row);
        else if (is_keyword(row, "*MATRIX")) {
            bool this = lmb_piece_is(parameter(row, "TYPE"), wanted);
            labels = false;
            if (x->rows.n == 0)
                st = x->label ? make_rows(x) : lmb_scan_fail(s, "*MATRIX before *USER ELEMENT");
            if (this && found) st = lmb_scan_fail(s, "a second matrix of type %s", wanted);
            found = found || this;
            if (st == LMB_OK) st = read_triangle(x, &row, &again, this);
            if (st == LMB_OK && !again) break;
        } else if (row.length > 0 && row.at[0] != '*' && x->label && x->rows.n == 0) st = add_motions(x, row);
        else if (row.length > 0 && row.at[0] != '*')
            st = lmb_scan_fail(s, "unexpected '%.*s'", lmb_shown(row), row.at);
        if (!again) more = lmb_scan_line(&row, s);
    }
    if (st == LMB_OK && s->status == LMB_OK && !found)
        st = lmb_scan_fail(s, "there is no *MATRIX, TYPE=%s; write it too, or take it from another file",
                           wanted);
    return st ? st : s->status;
}

bool lmb_matrix_is_substructure(const char *text, size_t length) {
    lmb_scan s = {.at = text, .end = text + (length < 20000 ? length : 20000)};
    lmb_piece row;
    while (lmb_scan_line(&row, &s))
        if (is_keyword(row, "*USER ELEMENT")) return true;
    return false;
}

lmb_status lmb_matrix_read_substructure(lmb_file_matrix *out, const char *text, size_t length,
                                        const lmb_matrix_wanted *w, lmb_error *err) {
    *out = (lmb_file_matrix){0};
    element x = {.scan = {.at = text, .end = text + length, .file = w->file, .err = err},
                 .rows = {.least = 1}};
    x.e.scan = &x.scan;
    lmb_status st = find_matrix(&x, w);
    x.e.n = x.rows.n;
    if (st == LMB_OK) st = lmb_label_matrix(out, &x.rows, &x.scan);
    out->condensed = true;
    lmb_label_rows_free(&x.rows);
    lmb_free(x.label), lmb_free(x.lists);
    return lmb_entries_end(out, &x.e, st);
}
