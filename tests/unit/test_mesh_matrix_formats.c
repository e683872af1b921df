// tests of the formats of reduced matrices: DMIG, OUTPUT4, Harwell-Boeing, substructures; rows, and parts with scalars
#include "check.h"
#include "linalg/symmetric.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

#define CHECK_FAIL(call, code, err, says) \
    do {                                  \
        err = (lmb_error){0};             \
        CHECK((call) == (code));          \
        CHECK_CONTAINS(err.text, says);   \
    } while (0)

static double value_at(const lmb_file_matrix *m, int row, int col) {
    for (int i = 0; i < m->count; i++)
        if (m->row[i] == row - 1 && m->col[i] == col - 1) return m->value[i];
    return 0;
}

// 4 1 0 / 1 5 -2 / 0 -2 6 from bytes; *m is freed
static void check_three_bytes(const char *name, const char *bytes, size_t length,
                              const lmb_matrix_wanted *more) {
    lmb_matrix_wanted w = more ? *more : (lmb_matrix_wanted){0};
    lmb_file_matrix m;
    lmb_error err = {0};
    w.file = name;
    if (!CHECK_OK(lmb_matrix_read(&m, bytes, length, &w, &err), err)) return;
    if (!CHECK(m.n == 3)) check_note("%s: %d rows", name, m.n);
    CHECK(value_at(&m, 1, 1) == 4 && value_at(&m, 2, 1) == 1 && value_at(&m, 2, 2) == 5);
    CHECK(value_at(&m, 3, 2) == -2 && value_at(&m, 3, 3) == 6 && value_at(&m, 3, 1) == 0);
    lmb_file_matrix_free(&m);
}

static void check_three(const char *name, const char *text) {
    check_three_bytes(name, text, strlen(text), NULL);
}

// ---- DMIG --------------------------------------------------------------------------------------

static const char dmig[] = "$ a comment\n"
                           "GRID           7              1.    2.-3    3.+2\n"
                           "DMIG    KAAX           0       6       2       0                       3\n"
                           "DMIG*   KAAX                           7               1\n"
                           "*                      7               1 4.000000000D+00\n"
                           "*                      7               2 1.000000000D+00\n"
                           "DMIG*   KAAX                           7               2\n"
                           "*                      7               2 5.000000000D+00\n"
                           "*                     12               0-2.000000000D+00\n"
                           "DMIG*   KAAX                          12               0\n"
                           "*                     12                6.000000000D+00\n"
                           "DMIG    MAAX           0       6       1       0                       3\n"
                           "DMIG    MAAX           7       1               7       1     4.0\n"
                           "               7       2      1.                              7.\n";

TEST(dmig_forms) {
    check_three("k.pch", dmig);
    check_three("k.pch",
                "DMIG,K2GG,0,1,2,0,,,3\nDMIG,K2GG,1,1,,1,1,4.\n,1,2,1.\nDMIG,K2GG,1,2,,1,1,1.\n,1,2,5.\n"
                ",1,3,-2.\nDMIG,K2GG,1,3,,1,2,-2.\n,1,3,6.\n");
    check_three("k.pch", "DMIG    KGG            0       6       2\n"
                         "DMIG    KGG            1       1               1       1      4.\n"
                         "               1       2      1.\n"
                         "DMIG    KGG            1       2               1       2     5.0\n"
                         "+              1       3    -2.0\n"
                         "DMIG    KGG            1       3               1       3    .6+1\n");
}

TEST(dmig_knows_its_rows_and_chooses_by_kind) {
    lmb_file_matrix m;
    lmb_error err = {0};
    lmb_matrix_wanted w = {.file = "k.pch"};
    if (CHECK_OK(lmb_matrix_read(&m, dmig, sizeof dmig - 1, &w, &err), err)) {
        CHECK(m.node[0] == 7 && m.dof[0] == 1 && m.dof[1] == 2 && m.node[2] == 12 && m.dof[2] == 0);
        lmb_file_matrix_free(&m);
    }
    w.matrix = "maax";
    if (CHECK_OK(lmb_matrix_read(&m, dmig, sizeof dmig - 1, &w, &err), err)) {
        CHECK(m.n == 2 && value_at(&m, 1, 1) == 4 && value_at(&m, 2, 1) == 1);
        lmb_file_matrix_free(&m);
    }
    w.matrix = "KGG";
    CHECK_FAIL(lmb_matrix_read(&m, dmig, sizeof dmig - 1, &w, &err), LMB_ERR_INPUT, err,
               "the file has no matrix 'KGG'; it has KAAX, MAAX");
}

TEST(grid_points_of_bulk_data) {
    lmb_text t = {0};
    lmb_error err = {0};
    CHECK_OK(lmb_dmig_nodes(&t, dmig, sizeof dmig - 1, "k.pch", &err), err);
    CHECK_TEXT(t.text, "7,1,0.002,300\n");
    t.length = 0;
    const char *wide = "GRID*                  1                        1.500000              0.\n"
                       "*                    -1.\nGRID,2,0,1.,,.5,0\n";
    CHECK_OK(lmb_dmig_nodes(&t, wide, strlen(wide), "k.pch", &err), err);
    CHECK_TEXT(t.text, "1,1.5,0,-1\n2,1,0,0.5\n");
    lmb_text_free(&t);
    CHECK_FAIL(lmb_dmig_nodes(&t, "GRID,1,3,1.,0.,0.\n", 18, "k", &err), LMB_ERR_INPUT, err,
               "GRID 1 has coordinates in system 3");
    CHECK_FAIL(lmb_dmig_nodes(&t, "GRID,1,,1.,0.,0.,4\n", 19, "k", &err), LMB_ERR_INPUT, err,
               "GRID 1 has displacements in system 4");
    lmb_text_free(&t);
}

// ---- OUTPUT4 -----------------------------------------------------------------------------------

TEST(op4_text_forms) {
    check_three(
        "k.op4",
        "       3       3       6       2KAAX    1P,3E23.16\n"
        "       1       1       4\n 4.0000000000000000E+00 1.0000000000000000E+00\n"
        "       2       1       6\n 1.0000000000000000E+00 5.0000000000000000E+00-2.0000000000000000E+00\n"
        "       3       2       4\n-2.0000000000000000E+00 6.0000000000000000E+00\n"
        "       4       1       2\n 1.0000000000000000E+00\n");
    check_three(
        "k.op4",
        "       3      -3       6       1K       1P,5E16.9\n" // BIGMAT, single
        "       1       0       4\n       3       1\n 4.000000000E+00 1.000000000E+00\n"
        "       2       0       5\n       4       1\n 1.000000000E+00 5.000000000E+00-2.000000000E+00\n"
        "       3       0       4\n       3       2\n-2.000000000E+00 6.000000000E+00\n"
        "       4       1       1\n 1.000000000E+00\n");
    check_three("k.op4",
                "       3       3       6       2K       1P,3E23.16\n" // packed keys: 65536 (L + 1) + row
                "       1       0       5\n      327681\n 4.0000000000000000E+00 1.0000000000000000E+00\n"
                "       2       0       8\n      196609\n 1.0000000000000000E+00\n      327682\n"
                " 5.0000000000000000E+00-2.0000000000000000E+00\n"
                "       3       0       6\n      196610\n-2.0000000000000000E+00\n      196611\n"
                " 6.0000000000000000E+00\n"
                "       4       1       2\n 1.0000000000000000E+00\n");
}

typedef struct bytes {
    char at[4000];
    size_t count;
    bool swapped;
} bytes;

static void put(bytes *b, const void *value, size_t size) {
    const char *from = value;
    for (size_t i = 0; i < size; i++) b->at[b->count++] = from[b->swapped ? size - 1 - i : i];
}
static void put_int(bytes *b, int32_t v) { put(b, &v, 4); }
static void put_number(bytes *b, int type, double v) {
    float single = (float)v;
    if (type == 1) put(b, &single, 4);
    else put(b, &v, 8);
}

typedef enum form { DENSE, BIG, PACKED } form;

// a matrix of Fortran records
static void put_op4(bytes *b, const char name[8], form kind, int type) {
    static const double A[3][3] = {{4, 1, 0}, {1, 5, -2}, {0, -2, 6}};
    int words = type;
    put_int(b, 24), put_int(b, 3), put_int(b, kind == BIG ? -3 : 3), put_int(b, 6), put_int(b, type);
    memcpy(b->at + b->count, name, 8);
    b->count += 8, put_int(b, 24);
    for (int c = 0; c < 3; c++) {
        int extra = kind == DENSE ? 0 : kind == BIG ? 2 : 1, nw = 3 * words + extra, size = 12 + 4 * nw;
        put_int(b, size), put_int(b, c + 1), put_int(b, kind == DENSE), put_int(b, nw);
        if (kind == BIG) put_int(b, 3 * words + 1), put_int(b, 1);
        if (kind == PACKED) put_int(b, 65536 * (3 * words + 1) + 1);
        for (int r = 0; r < 3; r++) put_number(b, type, A[r][c]);
        put_int(b, size);
    }
    put_int(b, 12 + 4 * words), put_int(b, 4), put_int(b, 1), put_int(b, words), put_number(b, type, 1);
    put_int(b, 12 + 4 * words);
}

TEST(op4_binary_forms_of_both_byte_orders) {
    for (int kind = DENSE; kind <= PACKED; kind++)
        for (int type = 1; type <= 2; type++)
            for (int swapped = 0; swapped < 2; swapped++) {
                bytes b = {.swapped = swapped};
                put_op4(&b, "OTHER   ", DENSE, 2), put_op4(&b, "KAAX    ", (form)kind, type);
                check_three_bytes("k.bin", b.at, b.count, NULL);
                lmb_file_matrix m;
                lmb_error err = {0};
                for (size_t n = 0; n < b.count; n += 5) // cut: an error, or not such a file
                    if (n != 192)
                        CHECK(lmb_matrix_read(&m, b.at, n, &(lmb_matrix_wanted){.file = "k.op4"}, &err) ==
                              LMB_ERR_INPUT);
            }
}

// ---- Harwell-Boeing, substructures ---------------------------------------------------------------

#define HB_HEAD                                                                          \
    "a title                                                                 KEY     \n" \
    "             4             1             1             2             0\n"
static const char harwell[] =
    HB_HEAD "RSA                        3             3             5             0\n"
            "(4I4)           (5I4)           (1P,3E12.4)         \n"
            "   1   3   5   6\n   1   2   2   3   3\n"
            "  4.0000E+00  1.0000E+00  5.0000E+00\n -2.0000E+00  6.0000E+00\n";
static const char abaqus[] =
    "** a substructure\n*USER ELEMENT, NODES=2, LINEAR\n** ELEMENT NODES\n** 11, 5\n1, 2\n2, 3\n"
    "*MATRIX, TYPE=STIFFNESS\n4.,\n1., 5.,\n0., -2.,\n6.\n*MATRIX,TYPE=MASS\n1.,\n0.,1.\n0.,0.,1.\n";
static const char ccx[] =
    "*USER ELEMENT,NODES=   3,LINEAR\n** ELEMENT NODES\n** 11,11,\n** 5\n1\n 2, 2\n 3, 3\n"
    "*MATRIX,TYPE=STIFFNESS\n  0.4E+01\n 0.1E+01, 0.5E+01\n 0.0, -.2E+01, 0.6E+01\n";

TEST(harwell_boeing_and_substructures) {
    check_three("k.rsa", harwell);
    check_three("k.mtx", abaqus);
    check_three("k.mtx", ccx);
    lmb_file_matrix m;
    lmb_error err = {0};
    const lmb_matrix_wanted mass = {.file = "k.mtx", .kind = LMB_MATRIX_MASS};
    if (CHECK_OK(lmb_matrix_read(&m, abaqus, sizeof abaqus - 1, &mass, &err), err)) {
        CHECK(m.n == 3 && value_at(&m, 3, 3) == 1 && m.node[0] == 11 && m.node[2] == 5 && m.dof[2] == 3);
        lmb_file_matrix_free(&m);
    }
    CHECK_FAIL(lmb_matrix_read(&m, ccx, sizeof ccx - 1, &mass, &err), LMB_ERR_INPUT, err,
               "there is no *MATRIX, TYPE=MASS");
}

// ---- rows --------------------------------------------------------------------------------------

TEST(rows_in_all_forms) {
    static const char *const tables[] = {"node, dof\n11, 1\n11, 2\n5, 3\n", "11.1\n11.2\n5.3\n",
                                         "1 11 UX\n2 11 UY\n3 5 UZ\n",
                                         "1, 11, 1\n# comment\n2, 11, 2\n3, 5, 3\n"};
    lmb_error err = {0};
    for (int i = 0; i < LMB_COUNT(tables); i++) {
        lmb_file_matrix m;
        const lmb_matrix_wanted w = {
            .file = "k.rsa", .rows = tables[i], .rows_length = strlen(tables[i]), .rows_file = "rows"};
        if (!CHECK_OK(lmb_matrix_read(&m, harwell, sizeof harwell - 1, &w, &err), err)) continue;
        CHECK(m.node[0] == 11 && m.dof[1] == 2 && m.node[2] == 5 && m.dof[2] == 3);
        lmb_file_matrix_free(&m);
    }
    lmb_file_matrix m;
    const char *vector = "%%MatrixMarket matrix array integer general\n% by Ansys\n1 1\n42\n";
    lmb_matrix_wanted w = {
        .file = "k.rsa", .rows = vector, .rows_length = strlen(vector), .rows_file = "rows"};
    if (CHECK_OK(lmb_matrix_read(&m, harwell, sizeof harwell - 1, &w, &err), err)) {
        CHECK(m.node[2] == 42 && m.dof[2] == 3);
        lmb_file_matrix_free(&m);
    }
    w.rows = "2 11 UX\n", w.rows_length = 8;
    CHECK_FAIL(lmb_matrix_read(&m, harwell, sizeof harwell - 1, &w, &err), LMB_ERR_INPUT, err,
               "row 2 where row 1 should come");
}

// ---- what is wrong -------------------------------------------------------------------------------

#define OP4_HEAD "       3       3       6       2KAAX    1P,3E23.16\n"
static const struct {
    const char *name, *text, *message;
    int line;
} bad[] = {
    {"k.pch", "GRID,1,,0.,0.,0.\n", "the file has no matrices", 0},
    {"k.pch", "DMIG,K,0,6,4\nDMIG,K,1,1,,1,1,1.\n", "matrix 'K' is complex", 1},
    {"k.pch", "DMIG,K,0,9,2\nDMIG,K,1,1,,1,1,1.\n", "matrix 'K' has form 9", 1},
    {"k.pch", "DMIG,K,0,x,2\n", "needs its form", 1},
    {"k.pch", "DMIG,K,0,6,2\nDMIG,K,0,6,2\n", "duplicate header", 2},
    {"k.pch", "DMIG,K1,0,6,2\nDMIG,K2,0,6,2\n", "which is the stiffness matrix? The file has K1, K2", 0},
    {"k.pch", "DMIG,K,0,6,2\nDMIG,K,1,7,,1,1,1.\n", "node 1, degree of freedom 7", 2},
    {"k.pch", "DMIG,K,0,6,2\nDMIG,K,1,1,,1,1,1.x\n", "'1.x' is not a number", 2},
    {"k.pch", "DMIG,K,0,6,2,,,,1\nDMIG,K,1,1,,1,1,1.\nDMIG,K,1,2,,1,2,1.\n",
     "has 2 rows, its header declares 1", 0},
    {"k.pch", "DMIG,K,0,6,2\nDMIG,K,1,1,,1,1,1.\nDMIG,K,1,1,,1,1,1.\n", "is a duplicate", 3},
    {"k.pch", "DMIG,K,0,1,2\nDMIG,K,1,1,,1,1,1.\n,1,2,.5\nDMIG,K,1,2,,1,2,1.\n", "has no transpose", 3},
    {"k.op4", "rubbish\n", "a header needs columns", 1},
    {"k.op4", OP4_HEAD, "a column is missing", 1},
    {"k.op4", OP4_HEAD "       1       1       4\n 4.0000000000000000E+00\n", "a number is missing", 3},
    {"k.op4", OP4_HEAD "       1       3       4\n 4.0000000000000000E+00 1.0000000000000000E+00\n",
     "2 rows from row 3", 2},
    {"k.op4", OP4_HEAD "       1       0       4\n      655361\n", "a string of 9 words, but 4 are left", 3},
    {"k.op4", "       3       4       2       2KAAX    1P,3E23.16\n", "4 x 3; it must be square", 1},
    {"k.op4", "       3       3       6       4KAAX    1P,3E23.16\n", "is complex", 1},
    {"k.op4", "       3       3       6       7KAAX    1P,3E23.16\n", "has the type 7", 1},
    {"k.rsa", HB_HEAD "PSA                        3             3             5             0\n",
     "type 'PSA' is not", 3},
    {"k.rsa", HB_HEAD "RRA                        3             4             5             0\n",
     "type 'RRA' is not", 3},
    {"k.rsa", HB_HEAD "RSA                        3             4             5             0\n",
     "3 x 4; it must be", 3},
    {"k.rsa", HB_HEAD "RSA                900000000     900000000             5             0\n", "too short",
     3},
    {"k.rsa", HB_HEAD "RSA                        1             1             1             0\n(x)\n      ",
     "three formats", 4},
    {"k.mtx", "*USER ELEMENT, LINEAR\n", "needs NODES=", 1},
    {"k.mtx", "*USER ELEMENT, NODES=2\n** ELEMENT NODES\n** 1\n1,2,3\n*MATRIX,TYPE=STIFFNESS\n",
     "lists 1 of 2 nodes", 5},
    {"k.mtx", "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1,8\n", "degrees of freedom are 1 to 6", 4},
    {"k.mtx", "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1,2\n*MATRIX,TYPE=STIFFNESS\n1.\n",
     "ends in column 2", 6},
    {"k.mtx", "*USER ELEMENT, NODES=1\n** ELEMENT NODES\n** 1\n1,2\n*MATRIX,TYPE=STIFFNESS\n1.,2.\n",
     "column 1 has more than 1", 6},
    {"k.xyz", "1 2 3\n", "unsupported matrix file 'k.xyz'", 0},
};

TEST(what_is_wrong_with_a_matrix_is_named) {
    for (int i = 0; i < LMB_COUNT(bad); i++) {
        lmb_file_matrix m;
        lmb_error err = {0};
        lmb_status st = lmb_matrix_read(&m, bad[i].text, strlen(bad[i].text),
                                        &(lmb_matrix_wanted){.file = bad[i].name}, &err);
        if (!CHECK(st == LMB_ERR_INPUT && m.row == NULL && m.node == NULL))
            check_note("%d: %s", i, bad[i].text);
        CHECK_CONTAINS(err.text, bad[i].message);
        if (!CHECK(err.line == bad[i].line))
            check_note("%s: line %d, not %d", bad[i].message, err.line, bad[i].line);
    }
}

// ---- parts -------------------------------------------------------------------------------------

static lmb_status make_part(lmb_matrix_part *p, const char *file, const char *k, const char *nodes,
                            lmb_error *err) {
    lmb_file_matrix K;
    const lmb_matrix_wanted w = {.file = file};
    lmb_status st = lmb_matrix_read(&K, k, strlen(k), &w, err);
    if (!CHECK_OK(st, *err)) return st;
    st = lmb_matrix_part_make(p, &K, &K, nodes, strlen(nodes), "nodes.csv", err);
    lmb_file_matrix_free(&K);
    return st;
}

// scalars come behind the nodes, whatever their order in the file
TEST(scalars_follow_the_nodes) {
    lmb_matrix_part p;
    lmb_error err = {0};
    const char *k =
        "DMIG,K,0,6,2\nDMIG,K,90,0,,90,0,9.\nDMIG,K,1,1,,1,1,1.\n,1,2,.1\n,90,0,.5\nDMIG,K,1,2,,1,2,2.\n"
        "DMIG,K,1,3,,1,3,3.\n";
    if (!CHECK_OK(make_part(&p, "k.pch", k, "1;0,5;1;-2,5e-1\n", &err), err)) return;
    CHECK(p.scalars == 1 && p.lower.n == 4 && p.dofs[0] == 3 && p.x[0].x == 0.5 && p.x[0].z == -0.25);
    CHECK(p.K[lmb_pattern_find(&p.lower, 3, 3)] == 9 && p.K[lmb_pattern_find(&p.lower, 3, 0)] == 0.5);
    lmb_matrix_part_free(&p);
    CHECK_FAIL(make_part(&p, "k.pch", k, "1,0,0,0\n90,0,0,0\n", &err), LMB_ERR_INPUT, err,
               "90 is a scalar of the matrix and a node of the table");
}

// as CalculiX 2.20 writes substructures: the retained rows without what the others add
TEST(a_substructure_that_was_not_condensed) {
    lmb_matrix_part p;
    lmb_error err = {0};
    const char *k =
        "*USER ELEMENT,NODES=   6,LINEAR\n** ELEMENT NODES\n** 1,1,1,2,2,2\n1\n2,2\n3,3\n4,1\n5,2\n6,3\n"
        "*MATRIX,TYPE=STIFFNESS\n4.\n1.,4.\n1.,1.,4.\n0.,0.,0.,4.\n0.,0.,0.,1.,4.\n0.,0.,0.,1.,1.,4.\n";
    CHECK_FAIL(make_part(&p, "k.mtx", k, "1,0,0,0\n2,1,0,0\n", &err), LMB_ERR_INPUT, err,
               "does not couple node 1 with node 2");
    CHECK_CONTAINS(err.text, "substructures of CalculiX before 2.21");
}
