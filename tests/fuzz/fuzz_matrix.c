// libFuzzer: any bytes as a matrix in any format and its nodes: a letter (c: with a file of its rows), the matrix, | and, for c,
// the rows and another |, the table of nodes or the grid points of bulk data.
//
//   build/fuzz/fuzz-matrix tests/fuzz/corpus/matrix
#include "mesh/mesh.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// the text up to the next |; *rest goes on behind it
static size_t piece(const char *text, size_t length, const char **rest, size_t *left) {
    const char *bar = length > 0 ? memchr(text, '|', length) : NULL;
    size_t n = bar ? (size_t)(bar - text) : length;
    *rest = bar ? bar + 1 : text + length;
    *left = bar ? length - n - 1 : 0;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    const char *text = (const char *)data + 1, *rest, *nodes;
    size_t left, nodes_left, n = piece(text, size - 1, &rest, &left);
    lmb_file_matrix m = {0};
    lmb_matrix_part part;
    lmb_error err = {0};
    lmb_status status;
    nodes = rest, nodes_left = left;
    lmb_matrix_wanted w = {.file = "fuzz.mtx"};
    if (data[0] == 'c') { // a file with its rows
        w.file = "fuzz.sti", w.rows = rest, w.rows_file = "fuzz.dof";
        w.rows_length = piece(rest, left, &nodes, &nodes_left);
    }
    status = lmb_matrix_read(&m, text, n, &w, &err);
    if (status != LMB_OK) return 0;
    if (lmb_matrix_part_make(&part, &m, &m, nodes, nodes_left, "fuzz.csv", &err) == LMB_OK)
        lmb_matrix_part_free(&part);
    lmb_text table = {0};
    lmb_dmig_nodes(&table, nodes, nodes_left, "fuzz.pch", &err);
    lmb_text_free(&table);
    lmb_file_matrix_free(&m);
    return 0;
}
