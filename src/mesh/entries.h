// mesh/entries.h: entries of symmetric matrices as files give them, for the readers of matrices.
//
// All become the lower triangle, by columns.  A file may hold one triangle or both: entries (i, j) and (j, i) must then
// agree; where only one of some pairs is there, the file holds a triangle.
#ifndef LMB_MESH_ENTRIES_H
#define LMB_MESH_ENTRIES_H

#include "mesh/mesh.h"
#include "mesh/scan.h"

typedef struct lmb_entry {
    int row, col; // row >= col
    int upper;    // it came from above the diagonal
    int line;
    double value;
} lmb_entry;

typedef struct lmb_entries {
    int count, capacity;
    lmb_entry *at;
    int n;     // rows; grows with the entries if the file does not give it
    bool both; // both triangles must be there (a general matrix)
    bool one;  // only one may be (a symmetric one)
    lmb_scan *scan;
} lmb_entries;

lmb_status lmb_entries_add(lmb_entries *e, int row, int col, double value); // from 0
// The matrix, if status is LMB_OK; frees the entries and, after a failure, the matrix.
lmb_status lmb_entries_end(lmb_file_matrix *out, lmb_entries *e, lmb_status status);

// Rows numbered as (node, dof) are met; dof 0: a scalar.
typedef struct lmb_label_rows {
    lmb_label_map node;  // label -> place in rows
    int count, capacity; // nodes
    int (*rows)[7];      // of each node, -1: none
    int *labels;
    int n;
    int least; // dof: 1, or 0 with scalars
} lmb_label_rows;
void lmb_label_rows_free(lmb_label_rows *l);
int lmb_label_row(lmb_label_rows *l, lmb_scan *s, int node, int dof); // -1: failed
lmb_status lmb_label_matrix(lmb_file_matrix *out, const lmb_label_rows *l, lmb_scan *s);

// Names of matrices in a file.
typedef struct lmb_matrix_names {
    int count;
    char name[32][17];
} lmb_matrix_names;
bool lmb_matrix_names_add(lmb_matrix_names *n, lmb_piece name); // false: too many
// The one that is wanted: by its name, or the only one, or the only one of that kind.
lmb_status lmb_matrix_choose(int *out, const lmb_matrix_names *n, const lmb_matrix_wanted *w, lmb_scan *s);

static inline int lmb_shown(lmb_piece p) { return p.length > 40 ? 40 : p.length; }
// the next word: up to a blank or a comma
lmb_piece lmb_next_word(lmb_piece *rest);
bool lmb_next_integer(lmb_piece *rest, int *out);
bool lmb_next_number(lmb_piece *rest, double *out);
bool lmb_next_row(lmb_piece *row, lmb_scan *s, char comment); // the next line neither empty nor a comment

#endif
