// mesh/entries.c: entries of symmetric matrices: mesh/entries.h.
#include "mesh/entries.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

lmb_status lmb_entries_add(lmb_entries *e, int row, int col, double value) {
    if (e->count == e->capacity) {
        int capacity = e->capacity > 0 ? 2 * e->capacity : 256;
        lmb_entry *larger =
            e->capacity > INT_MAX / 2 ? NULL : lmb_realloc(e->at, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(e->scan);
        e->at = larger;
        e->capacity = capacity;
    }
    bool upper = row < col;
    e->at[e->count++] = (lmb_entry){upper ? col : row, upper ? row : col, upper, e->scan->line, value};
    return LMB_OK;
}

static int by_place(const void *a, const void *b) {
    const lmb_entry *p = a, *q = b;
    if (p->col != q->col) return p->col < q->col ? -1 : 1;
    if (p->row != q->row) return p->row < q->row ? -1 : 1;
    return p->upper - q->upper;
}

// ---- from entries to a matrix ------------------------------------------------------------------

static lmb_status fail_entry(lmb_entries *e, const lmb_entry *at, const char *what) {
    e->scan->line = at->line;
    return lmb_scan_fail(e->scan, "entry (%d, %d) %s", (at->upper ? at->col : at->row) + 1,
                         (at->upper ? at->row : at->col) + 1, what);
}

// sqrt(|a_ii a_jj|), or the largest entry where the diagonal is missing: reference size of an entry
static double scale_of(const double *diagonal, double largest, const lmb_entry *at) {
    double s = sqrt(diagonal[at->row] * diagonal[at->col]);
    return s > 0 ? s : largest;
}

// one entry per pair into out; partners must agree to 1e-6
static lmb_status merge(lmb_file_matrix *out, lmb_entries *e, const double *diagonal, double largest) {
    const lmb_entry *single = NULL, *pair = NULL;
    for (int i = 0; i < e->count; i++) {
        const lmb_entry *at = &e->at[i], *next = i + 1 < e->count ? at + 1 : at;
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
static lmb_status check_rows(const lmb_entries *e) {
    if (e->scan->status == LMB_OK && e->n > 1000000 && e->n / 8 > e->count)
        return lmb_scan_fail(e->scan, "%d entries are too few for %d rows; some rows are empty", e->count,
                             e->n);
    return e->scan->status;
}

static lmb_status finish(lmb_file_matrix *out, lmb_entries *e) {
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

lmb_status lmb_entries_end(lmb_file_matrix *out, lmb_entries *e, lmb_status status) {
    if (status == LMB_OK) status = finish(out, e);
    lmb_free(e->at);
    if (status != LMB_OK) lmb_file_matrix_free(out);
    return status;
}

// ---- fields ------------------------------------------------------------------------------------

// the next word: up to a blank or a comma
lmb_piece lmb_next_word(lmb_piece *rest) {
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

bool lmb_next_integer(lmb_piece *rest, int *out) { return lmb_piece_integer(out, lmb_next_word(rest)); }
bool lmb_next_number(lmb_piece *rest, double *out) { return lmb_piece_number(out, lmb_next_word(rest)); }

bool lmb_next_row(lmb_piece *row, lmb_scan *s, char comment) {
    while (lmb_scan_line(row, s))
        if (row->length > 0 && row->at[0] != comment) return true;
    return false;
}

// ---- labels ------------------------------------------------------------------------------------

void lmb_label_rows_free(lmb_label_rows *l) {
    lmb_label_map_free(&l->node);
    lmb_free(l->rows);
    lmb_free(l->labels);
}

// the row of a motion of a node; -1: failed
int lmb_label_row(lmb_label_rows *l, lmb_scan *s, int node, int dof) {
    if (node < 1 || dof < l->least || dof > 6)
        return lmb_scan_fail(
                   s, "node %d, degree of freedom %d: nodes must be positive, degrees of freedom %d to 6",
                   node, dof, l->least),
               -1;
    int i = lmb_label_map_find(&l->node, node);
    if (i < 0) {
        if (l->count == l->capacity) {
            int capacity = l->capacity > 0 ? 2 * l->capacity : 64;
            int(*rows)[7] = lmb_realloc(l->rows, (size_t)capacity, sizeof *rows);
            if (rows == NULL) return lmb_scan_memory(s), -1;
            l->rows = rows;
            int *labels = lmb_realloc(l->labels, (size_t)capacity, sizeof *labels);
            if (labels == NULL) return lmb_scan_memory(s), -1;
            l->labels = labels;
            l->capacity = capacity;
        }
        i = l->count;
        if (!lmb_label_map_add(&l->node, node, i)) return lmb_scan_memory(s), -1;
        for (int k = 0; k < 7; k++) l->rows[i][k] = -1;
        l->labels[l->count++] = node;
    }
    if (l->rows[i][dof] < 0) l->rows[i][dof] = l->n++;
    return l->rows[i][dof];
}

lmb_status lmb_label_matrix(lmb_file_matrix *out, const lmb_label_rows *l, lmb_scan *s) {
    out->node = lmb_alloc((size_t)l->n + 1, sizeof *out->node);
    out->dof = lmb_alloc((size_t)l->n + 1, sizeof *out->dof);
    if (out->node == NULL || out->dof == NULL) return lmb_scan_memory(s);
    for (int i = 0; i < l->count; i++)
        for (int k = 0; k < 7; k++)
            if (l->rows[i][k] >= 0) out->node[l->rows[i][k]] = l->labels[i], out->dof[l->rows[i][k]] = k;
    return LMB_OK;
}

// ---- several matrices --------------------------------------------------------------------------

bool lmb_matrix_names_add(lmb_matrix_names *n, lmb_piece name) {
    if (n->count == LMB_COUNT(n->name)) return false;
    char *to = n->name[n->count++];
    int length = name.length < 16 ? name.length : 16;
    memcpy(to, name.at, (size_t)length);
    to[length] = '\0';
    return true;
}

// K2GG, KAAX, but not the structural damping K4AAX; M2GG, MAAX
static bool is_of_kind(const char *name, lmb_matrix_kind kind) {
    char first = *name & ~32;
    return kind == LMB_MATRIX_MASS ? first == 'M' : first == 'K' && name[1] != '4';
}

lmb_status lmb_matrix_choose(int *out, const lmb_matrix_names *n, const lmb_matrix_wanted *w, lmb_scan *s) {
    static const char *const kinds[] = {"stiffness", "mass"};
    char list[600] = "";
    int fits = 0;
    *out = -1;
    for (int i = 0; i < n->count; i++) {
        if (w->matrix ? strcasecmp(w->matrix, n->name[i]) == 0 : is_of_kind(n->name[i], w->kind))
            *out = i, fits++;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", n->name[i]);
    }
    if (fits == 1) return LMB_OK;
    if (n->count == 1 && w->matrix == NULL) return *out = 0, LMB_OK;
    s->line = 0;
    if (n->count == 0) return lmb_scan_fail(s, "the file has no matrices");
    if (w->matrix)
        return lmb_scan_fail(s, "the file has %s matrix '%s'; it has %s", fits ? "more than one" : "no",
                             w->matrix, list);
    return lmb_scan_fail(s, "which is the %s matrix? The file has %s; write its name in `%s_name`",
                         kinds[w->kind], list, kinds[w->kind]);
}
