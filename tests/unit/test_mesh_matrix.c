// tests of mesh/matrix.c and matrix_part.c
#include "check.h"
#include "linalg/symmetric.h"
#include "mesh_help.h"

#include <stdio.h>
#include <string.h>

// one reader for all kinds, chosen by name
static lmb_status read_any(lmb_file_matrix *out, const char *kind, const char *text, lmb_error *err) {
    size_t n = strlen(text);
    const char *name = strcmp(kind, "mtx") == 0 ? "bad" : "bad.mtx";
    if (strcmp(kind, "mtx") == 0)
        return lmb_matrix_read_market(out, text, n, &(lmb_matrix_wanted){.file = name}, err);
    if (strcmp(kind, "ccx") != 0)
        return lmb_matrix_read(out, text, n, &(lmb_matrix_wanted){.file = name}, err);
    const char *dof = strchr(text, '|');
    const lmb_matrix_wanted w = {
        .file = "bad.sti", .rows = dof + 1, .rows_length = strlen(dof + 1), .rows_file = "bad.dof"};
    return lmb_matrix_read(out, text, (size_t)(dof - text), &w, err);
}

static double value_at(const lmb_file_matrix *m, int row, int col) {
    for (int i = 0; i < m->count; i++)
        if (m->row[i] == row - 1 && m->col[i] == col - 1) return m->value[i];
    return NAN;
}

// the matrix 4 1 0 / 1 5 -2 / 0 -2 6 in all forms
static void check_three(const char *kind, const char *text) {
    lmb_file_matrix m;
    lmb_error err = {0};
    if (!CHECK_OK(read_any(&m, kind, text, &err), err)) return;
    CHECK(m.n == 3 && value_at(&m, 1, 1) == 4 && value_at(&m, 2, 1) == 1 && value_at(&m, 2, 2) == 5);
    CHECK(value_at(&m, 3, 2) == -2 && value_at(&m, 3, 3) == 6 && isnan(value_at(&m, 1, 2)));
    bool ordered = true;
    for (int i = 1; i < m.count; i++)
        ordered =
            ordered && (m.col[i] > m.col[i - 1] || (m.col[i] == m.col[i - 1] && m.row[i] > m.row[i - 1]));
    CHECK(ordered);
    lmb_file_matrix_free(&m);
}

TEST(matrix_forms) {
    check_three("mtx", "%%MatrixMarket matrix coordinate real symmetric\n% by hand\n3 3 5\n1 1 4\n2 1 1.0\n2 "
                       "2 5\n3 2 -2\n3 3 6.\n");
    check_three(
        "mtx",
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n3 3 6\n1 1 4\n1 2 1\n2 2 5\n2 3 -2\n");
    check_three("mtx", "%%MatrixMarket matrix coordinate real general\n3 3 7\n1 1 4\n1 2 1\n2 1 1\n2 2 5\n3 "
                       "2 -2d0\n2 3 -2\n3 3 6\n");
    check_three("mtx", "%%matrixmarket MATRIX array real general\n3 3\n4\n1\n0\n1\n5\n-2\n0\n-2\n6\n");
    check_three("mtx", "%%MatrixMarket matrix array real symmetric\r\n3 3\r\n4 1 0\r\n5\r\n-2 6\r\n");
    check_three("abaqus", "1 1  4.000e+00\n1 2 1\n2 1 1\n2 2 5\n2 3 -2\n3 2 -2\n3 3 6\n");
    check_three("abaqus", "1, 1, 4\n2,1,1\n2, 2, 5\n3,2, -2\n3 , 3 , 6\n");
    check_three("ccx", "1 1 4\n1 2 1\n2 2 5\n1 3 0.\n2 3 -2\n3 3 6\n|7.1\n7.2\n7.3\n");
}

TEST(matrix_labels) {
    lmb_file_matrix m;
    lmb_error err = {0};
    const char *text = "** by hand\n*MATRIX INPUT\n20,1,20,1, 4.\n20,2,20,1, 1.\n20,2,20,2, 5.\n3,3,20,2, "
                       "-2.\n3,3,3,3, 6.\n";
    if (!CHECK_OK(lmb_matrix_read_abaqus(&m, text, strlen(text), &(lmb_matrix_wanted){.file = "a.mtx"}, &err),
                  err))
        return;
    CHECK(m.n == 3 && m.node[0] == 20 && m.dof[1] == 2 && m.node[2] == 3 && m.dof[2] == 3);
    CHECK(value_at(&m, 3, 2) == -2);
    lmb_file_matrix_free(&m);
}

static const struct {
    const char *kind, *text, *message;
    int line;
} bad[] = {
    {"mtx", "", "must begin with %%MatrixMarket", 0},
    {"mtx", "1 1 4\n", "must begin with %%MatrixMarket", 1},
    {"mtx", "%%MatrixMarket vector array real general\n", "only 'matrix coordinate'", 1},
    {"mtx", "%%MatrixMarket matrix coordinate complex symmetric\n", "matrices of 'complex'", 1},
    {"mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n", "matrices of 'pattern'", 1},
    {"mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n", "'skew-symmetric' matrices", 1},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n",
     "the header lacks the sizes: rows, columns, entries", 1},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3\n",
     "the header lacks the sizes: rows, columns, entries", 2},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 4 5\n", "3 x 4; it must be square", 2},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 2000000000\n1 1 1\n", "too short", 2},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2000000000 2000000000 1\n1 1 1\n",
     "rows are empty", 3},
    {"mtx", "%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", "too short", 2},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n\n",
     "expected 2 entries, found 1", 4},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 1\n2 2 1\n",
     "more entries than declared in the header", 4},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n3 1 1\n", "(3, 1) is outside", 3},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 nan\n", "row, column, value", 3},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1\n1 1 1\n",
     "entry (1, 1) is a duplicate", 4},
    {"mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n", "on both sides", 3},
    {"mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 1 1\n2 2 1\n",
     "entry (2, 1) has no transpose", 4},
    {"mtx", "%%MatrixMarket matrix array real general\n2 2\n1 2 3 4\n", "not symmetric", 3},
    {"mtx", "%%MatrixMarket matrix array real general\n2 2\n1 2 2\n", "numbers are missing", 3},
    {"mtx", "%%MatrixMarket matrix array real general\n1 1\n1 2\n",
     "more numbers than declared in the header", 3},
    {"abaqus", "", "no entries", 0},
    {"abaqus", "1 2\n", "a line needs `node, dof, node, dof, value` or `row column value`", 1},
    {"abaqus", "0 1 2\n", "(0, 1): rows and columns count from 1", 1},
    {"abaqus", "1 1 1\n1 2 x\n", "a line needs row, column, value", 2},
    {"abaqus", "1,1,1,1,2\n1,7,1,1,3\n",
     "node 1, degree of freedom 7: nodes must be positive, degrees of freedom 1 to 6", 2},
    {"abaqus", "1,1,1,1,2\n-1,1,1,1,3\n", "node -1", 2},
    {"abaqus", "1,1,1,1,2\n1,1\n", "a line needs node, dof, node, dof, value", 2},
    {"abaqus", "1 1 1\n2 2 1\n1 2 .5\n2 1 .4\n", "entry (1, 2) differs from its transpose", 3},
    {"abaqus", "1 1 1\n2 2 1\n3 3 1\n1 2 .5\n2 1 .5\n3 1 .5\n", "entry (3, 1) has no transpose", 6},
    {"abaqus", "1 1 1\n1999999999 1 1\n", "rows are empty", 2},
    {"ccx", "1 1 1\n|", "the matrix has 1 rows, but this table 0", 0},
    {"ccx", "1 1 1\n|1.1\n1.2\n", "the matrix has 1 rows, but this table has more", 2},
    {"ccx", "1 1 1\n2 2 1\n|1.1\n1.1\n", "duplicate: node 1, degree of freedom 1", 2},
    {"ccx", "1 1 1\n|1\n", "'1': a line must be node.dof", 1},
};

TEST(matrix_bad_files) {
    for (int i = 0; i < LMB_COUNT(bad); i++) {
        lmb_file_matrix m;
        lmb_error err = {0};
        bool refused = read_any(&m, bad[i].kind, bad[i].text, &err) == LMB_ERR_INPUT;
        if (!CHECK(refused && m.row == NULL && m.node == NULL)) check_note("%d: %s", i, bad[i].text);
        CHECK_CONTAINS(err.text, bad[i].message);
        if (!CHECK(err.line == bad[i].line))
            check_note("%s: line %d, not %d", bad[i].message, err.line, bad[i].line);
    }
}

// ---- parts -------------------------------------------------------------------------------------

// labelled rows in any order come out in the order of the table; nodes without rows have no motions
TEST(matrix_part_from_labels) {
    lmb_file_matrix K = {0}, M = {0};
    lmb_matrix_part p;
    lmb_error err = {0};
    lmb_text k = {0}, m = {0};
    for (int i = 1; i <= 6; i++) { // K_ij = 10 i + j on (node, dof) = (9, 1..3), (4, 1..3)
        for (int j = 1; j <= i; j++)
            lmb_text_add(&k, "%d,%d,%d,%d,%d\n", i > 3 ? 4 : 9, (i - 1) % 3 + 1, j > 3 ? 4 : 9,
                         (j - 1) % 3 + 1, 10 * i + j);
        lmb_text_add(&m, "%d,%d,%d,%d,2\n", i > 3 ? 4 : 9, (i - 1) % 3 + 1, i > 3 ? 4 : 9, (i - 1) % 3 + 1);
    }
    const char *nodes = "label, x, y, z\n# comment\n4, 1, 2, 3\n7,0,0,0\n9,4,5,6d0\n";
    CHECK_OK(lmb_matrix_read_abaqus(&K, k.text, k.length, &(lmb_matrix_wanted){.file = "K"}, &err), err);
    CHECK_OK(lmb_matrix_read_abaqus(&M, m.text, m.length, &(lmb_matrix_wanted){.file = "M"}, &err), err);
    if (CHECK_OK(lmb_matrix_part_make(&p, &K, &M, nodes, strlen(nodes), "nodes.csv", &err), err)) {
        CHECK(p.node_count == 3 && p.dofs[0] == 3 && p.dofs[1] == 0 && p.dofs[2] == 3 && p.x[2].z == 6 &&
              p.label[2] == 9);
        CHECK(p.lower.n == 6 && p.lower.nnz == 21);
        // equation 0 is (4, 1), the fourth of the file; equation 3 is (9, 1), the first
        CHECK(p.K[lmb_pattern_find(&p.lower, 0, 0)] == 44 && p.K[lmb_pattern_find(&p.lower, 3, 3)] == 11);
        CHECK(p.K[lmb_pattern_find(&p.lower, 3, 0)] == 41 && p.K[lmb_pattern_find(&p.lower, 5, 1)] == 53);
        CHECK(p.M[lmb_pattern_find(&p.lower, 2, 2)] == 2 && p.M[lmb_pattern_find(&p.lower, 2, 1)] == 0);
        lmb_fe_matrices given = lmb_matrix_part_give(&p);
        CHECK(given.lower.n == 6 && p.K == NULL && p.lower.start == NULL && given.x == p.x);
        lmb_pattern_free(&given.lower);
        lmb_free(given.K);
        lmb_free(given.M);
        lmb_matrix_part_free(&p);
    }
    lmb_file_matrix_free(&K);
    lmb_file_matrix_free(&M);
    lmb_text_free(&k);
    lmb_text_free(&m);
}

static void part_refused(const char *kind, const char *k, const char *m, const char *nodes,
                         const char *message) {
    lmb_file_matrix K, M;
    lmb_matrix_part p;
    lmb_error err = {0};
    CHECK_OK(read_any(&K, kind, k, &err), err);
    CHECK_OK(read_any(&M, kind, m, &err), err);
    CHECK(lmb_matrix_part_make(&p, &K, &M, nodes, strlen(nodes), "nodes.csv", &err) == LMB_ERR_INPUT &&
          p.x == NULL);
    CHECK_CONTAINS(err.text, message);
    lmb_file_matrix_free(&K);
    lmb_file_matrix_free(&M);
}

TEST(matrix_part_refuses) {
    const char *three = "1 1 1\n2 2 1\n3 3 1\n";
    part_refused("abaqus", three, three, "1,0,0,0\n2,0,0,0\n",
                 "the matrix has 3 rows and the table 2 nodes: neither three nor six rows per node");
    part_refused("abaqus", three, three, "", "no nodes");
    part_refused("abaqus", three, three, "1,0,0,0\n1,0,0,0\n", "duplicate node 1");
    part_refused("abaqus", three, three, "1,0,0\n", "a line of the node table needs number, x, y, z");
    part_refused("abaqus", three, three, "a\nb\n", "a line of the node table needs number, x, y, z");
    part_refused("abaqus", three, "1 1 1\n4 4 1\n", "1,0,0,0\n",
                 "the stiffness matrix has 3 rows, the mass matrix 4");
    part_refused("abaqus", "1,1,1,1,1\n", three, "1,0,0,0\n",
                 "one of the matrices lists its nodes, the other does not");
    part_refused("abaqus", "1,1,1,1,1\n", "1,1,1,1,1\n", "2,0,0,0\n",
                 "node 1 of the matrix is not in the node table");
    part_refused("ccx", "1 1 1\n2 2 1\n|1.2\n1.3\n", "1 1 1\n2 2 1\n|1.2\n1.3\n", "1,0,0,0\n",
                 "node 1 has only the degrees of freedom 23, not 1 to 3 or 1 to 6");
}

// ---- CalculiX ----------------------------------------------------------------------------------

// text|dof|nodes of tests/fuzz/corpus/matrix, written by ccx 2.20: two C3D4, E = 210000, nu = 0.3, rho = 7.8e-9
static bool read_ccx(lmb_file_matrix *out, lmb_text *text, const char **nodes, const char *path) {
    lmb_error err = {0};
    if (!mesh_text(text, check_source(path))) return false;
    const char *dof = strchr(text->text, '|') + 1;
    *nodes = strchr(dof, '|') + 1;
    const lmb_matrix_wanted w = {
        .file = "t.sti", .rows = dof, .rows_length = (size_t)(*nodes - dof) - 1, .rows_file = "t.dof"};
    return CHECK_OK(lmb_matrix_read(out, text->text + 1, (size_t)(dof - text->text) - 2, &w, &err), err);
}

// a free part: no force by rigid motions, and the mass of the volume 1/6 + 1/3
TEST(matrix_ccx_part) {
    lmb_file_matrix K = {0}, M = {0};
    lmb_text k = {0}, m = {0};
    lmb_matrix_part p = {0};
    lmb_error err = {0};
    const char *nodes;
    if (read_ccx(&K, &k, &nodes, "tests/fuzz/corpus/matrix/ccx") &&
        read_ccx(&M, &m, &nodes, "tests/fuzz/corpus/matrix/ccx_mass") &&
        CHECK_OK(lmb_matrix_part_make(&p, &K, &M, nodes, strlen(nodes), "nodes", &err), err)) {
        CHECK(p.lower.n == 15 && p.node_count == 5);
        double f[15], u[15], largest = 0, mass = 0;
        for (int i = 0; i < K.count; i++) largest = fmax(largest, fabs(K.value[i]));
        for (int j = 0; j < 6; j++) {
            for (int i = 0; i < 5; i++)
                v3_store(u + 3 * i, j < 3 ? v3_axis(j) : v3_cross(v3_axis(j - 3), p.x[i]));
            lmb_symmetric_mul(f, &p.lower, p.K, u, 1);
            for (int i = 0; i < 15; i++) CHECK_NEAR(f[i] / largest, 0, 1e-12); // the file has 14 digits
            lmb_symmetric_mul(f, &p.lower, p.M, u, 1);
            for (int i = 0; i < 15 && j == 0; i++) mass += u[i] * f[i];
        }
        CHECK_NEAR(mass / (7.8e-9 * 0.5), 1, 1e-12);
        lmb_matrix_part_free(&p);
    }
    lmb_file_matrix_free(&K);
    lmb_file_matrix_free(&M);
    lmb_text_free(&k);
    lmb_text_free(&m);
}

// ---- reference ---------------------------------------------------------------------------------

TEST(matrix_reference_reduced_beam) {
    const char *path = check_reference("fe/beam/reduced/beam_K.mtx");
    lmb_text text = {0};
    lmb_file_matrix K = {0};
    lmb_error err = {0};
    if (path == NULL) {
        check_skip("LIMBER_REFERENCE has no fe/beam/reduced");
        return;
    }
    if (!mesh_text(&text, path)) return;
    if (CHECK_OK(lmb_matrix_read_market(&K, text.text, text.length,
                                        &(lmb_matrix_wanted){.file = "beam_K.mtx"}, &err),
                 err))
        CHECK(K.n == 24 && K.count == 90 && value_at(&K, 1, 1) == 5.2719586943272048e+08);
    lmb_file_matrix_free(&K);
    lmb_text_free(&text);
}

// the text of a .gz file
static bool unzip(lmb_text *out, const char *path) {
    char command[1024], buffer[65536];
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    FILE *f = popen(command, "r");
    if (!CHECK(f != NULL)) return false;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) lmb_text_add_n(out, buffer, n);
    return CHECK(pclose(f) == 0);
}

// all of a symmetric matrix
static double *dense(const lmb_pattern *lower, const double *values) {
    size_t n = (size_t)lower->n;
    double *A = lmb_alloc(n * n, sizeof *A);
    for (int c = 0; A && c < lower->n; c++)
        for (int k = lower->start[c]; k < lower->start[c + 1]; k++)
            A[(size_t)lower->row[k] * n + (size_t)c] = A[(size_t)c * n + (size_t)lower->row[k]] = values[k];
    return A;
}

static void check_frequencies(const lmb_matrix_part *p, const double *expected, int count) {
    int n = p->lower.n;
    double *A = dense(&p->lower, p->K), *B = dense(&p->lower, p->M), *w = lmb_alloc((size_t)n, sizeof *w);
    double *V = lmb_alloc((size_t)n * (size_t)n, sizeof *V);
    lmb_error err = {0};
    if (A && B && w && V && CHECK_OK(lmb_dense_eigen(w, V, A, B, n, &err), err))
        for (int i = 0; i < count; i++) // eight digits are given
            CHECK_NEAR(sqrt(w[6 + i]) / (2 * LMB_PI) / expected[i], 1, 1e-7);
    lmb_free(A);
    lmb_free(B);
    lmb_free(w);
    lmb_free(V);
}

// matrices of Abaqus on the nodes of the deck: the frequencies that LAPACK gave for them elsewhere
static void check_block(const char *name, const double *expected, int count) {
    char path[128];
    lmb_text k = {0}, m = {0}, deck = {0}, nodes = {0};
    lmb_file_matrix K = {0}, M = {0};
    lmb_mesh *mesh = NULL;
    lmb_matrix_part p = {0};
    lmb_error err = {0};
    snprintf(path, sizeof path, "fe/abaqus_block/%s_STIF1.mtx.gz", name);
    bool ok = unzip(&k, check_reference(path));
    snprintf(path, sizeof path, "fe/abaqus_block/%s_MASS1.mtx.gz", name);
    ok = ok && unzip(&m, check_reference(path));
    snprintf(path, sizeof path, "fe/abaqus_block/%s.inp", name);
    ok = ok && mesh_text(&deck, check_reference(path));
    ok = ok && CHECK_OK(lmb_mesh_read_inp(&mesh, deck.text, deck.length, name, &err), err);
    ok = ok &&
         CHECK_OK(lmb_matrix_read_abaqus(&K, k.text, k.length, &(lmb_matrix_wanted){.file = "K"}, &err), err);
    ok = ok &&
         CHECK_OK(lmb_matrix_read_abaqus(&M, m.text, m.length, &(lmb_matrix_wanted){.file = "M"}, &err), err);
    for (int i = 0; ok && i < mesh->node_count; i++)
        lmb_text_add(&nodes, "%d,%.17g,%.17g,%.17g\n", mesh->label[i], mesh->x[i].x, mesh->x[i].y,
                     mesh->x[i].z);
    ok = ok && CHECK_OK(lmb_matrix_part_make(&p, &K, &M, nodes.text, nodes.length, "nodes", &err), err);
    if (ok) check_frequencies(&p, expected, count);
    lmb_matrix_part_free(&p);
    lmb_file_matrix_free(&K);
    lmb_file_matrix_free(&M);
    lmb_mesh_destroy(mesh);
    lmb_text_free(&k);
    lmb_text_free(&m);
    lmb_text_free(&deck);
    lmb_text_free(&nodes);
}

TEST(matrix_reference_block) {
    if (check_reference("fe/abaqus_block/blockC3D8.inp") == NULL) {
        check_skip("LIMBER_REFERENCE has no fe/abaqus_block");
        return;
    }
    check_block("blockC3D8", (double[]){438.77517, 438.77517, 555.88816, 967.04027, 967.04027}, 5);
    check_block("blockC3D10", (double[]){451.33334, 452.00985, 607.8702, 1026.4594}, 4);
}
