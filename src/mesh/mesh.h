// mesh/mesh.h: readers of mesh and matrix files, from memory; decks of load cases.
//
// text need not end with a zero; name is used in messages.  On failure *out is NULL and err holds file, line and
// reason.  Coordinates and materials come as they are in the file: lmb_mesh_scale, lmb_mesh_convert.
#ifndef LMB_MESH_H
#define LMB_MESH_H

#include "mesh/formats.h"

// ---- meshes: those of formats.h ------------------------------------------------------------------

// lmb_mesh_read_msh: Gmsh 2.2 and 4.1, ASCII and binary.  The elements of the highest dimension are the part (solids, shells, beams); the
// others only make sets.  A physical group of the part's dimension becomes an element set; a physical surface on
// solids becomes a face set and a node set; other groups become node sets.  Groups without a name are called
// PhysicalSurface3 and so on, as Gmsh does.  In a file without any physical group every entity of the geometry is a
// group: Surface3, Volume1.
//
// lmb_mesh_read_inp: Abaqus and CalculiX decks.  Sets of an instance are called "instance.set", and "set" too where that
// is unique.  Files of *INCLUDE and INPUT= come from the caller as below.

// lmb_mesh_read_bdf: Nastran bulk data.  The elements of a property are the set PSOLID_3, supports SPC_1, rigid elements couplings
// RBE2_7.  Files of INCLUDE come from the caller: *text is freed by the reader with lmb_text_free, also after a failure, *path lives as
// long as user.
typedef lmb_status lmb_mesh_include(void *user, lmb_text *text, const char **path, const char *name,
                                    lmb_where where, lmb_error *err);
lmb_status lmb_mesh_read_inp_from(lmb_mesh **out, const char *text, size_t length, const char *name,
                                  lmb_mesh_include *load, void *user, lmb_error *err);
lmb_status lmb_mesh_read_bdf_from(lmb_mesh **out, const char *text, size_t length, const char *name,
                                  lmb_mesh_include *load, void *user, lmb_error *err);

// ---- load cases ----------------------------------------------------------------------------------

// A part of solids with forces in balance, one step each, for CalculiX and Abaqus.
typedef struct lmb_load_deck {
    const lmb_fe *fe;
    double unit;                // length unit of the deck, m; the others are N and s
    const char *heading;        // comment lines
    int count;                  // steps
    const double *F;            // n x count
    const char *const *remarks; // comment lines before each step
} lmb_load_deck;
lmb_status lmb_inp_write(lmb_text *out, const lmb_load_deck *d, lmb_error *err);

// ---- matrices ----------------------------------------------------------------------------------

// A symmetric matrix: the entries of its lower triangle, by columns, rows ascending, each once.
typedef struct lmb_file_matrix {
    int n;
    int count;
    int *row, *col; // from 0
    double *value;
    int *node, *dof; // n: label of the node and motion 1..6 of every row (0: a scalar); NULL: unknown
    bool condensed;  // it should be that of a substructure
} lmb_file_matrix;
void lmb_file_matrix_free(lmb_file_matrix *m);

// Which matrix of a file, and what belongs to it.
typedef enum lmb_matrix_kind { LMB_MATRIX_STIFFNESS, LMB_MATRIX_MASS } lmb_matrix_kind;
typedef struct lmb_matrix_wanted {
    const char *file;   // for messages
    const char *matrix; // its name in the file; NULL: the only one, or the only one of its kind
    lmb_matrix_kind kind;
    const char *rows; // the meaning of the rows (lmb_matrix_label); NULL: not given
    size_t rows_length;
    const char *rows_file;
} lmb_matrix_wanted;

typedef lmb_status lmb_matrix_reader(lmb_file_matrix *out, const char *text, size_t length,
                                     const lmb_matrix_wanted *w, lmb_error *err);
#define LMB_MATRIX_DECLARE(id, name, endings)                 \
    bool lmb_matrix_is_##id(const char *text, size_t length); \
    lmb_matrix_reader lmb_matrix_read_##id;
LMB_MATRIX_FORMATS(LMB_MATRIX_DECLARE)

typedef struct lmb_matrix_format {
    const char *name, *endings;
    bool (*is)(const char *text, size_t length); // by the beginning of its contents
    lmb_matrix_reader *read;
} lmb_matrix_format;
// By the contents, else by the ending of the name; NULL: none.
const lmb_matrix_format *lmb_matrix_format_of(const char *path, const char *text, size_t length);
// Any of them; w->rows gives rows without nodes their meaning.
lmb_matrix_reader lmb_matrix_read;
// Which row is what: a line for each, `node, dof` or `node.dof` in the order of the rows, or `row, node, dof`; dof 1 to 6, 0 for a
// scalar, or UX .. ROTZ; or a MatrixMarket vector of nodes, three rows each.
lmb_status lmb_matrix_label(lmb_file_matrix *m, const lmb_matrix_wanted *w, lmb_error *err);
// Grid points of bulk data as a table of nodes; those with axes of their own are refused.
lmb_status lmb_dmig_nodes(lmb_text *out, const char *text, size_t length, const char *name, lmb_error *err);

// Stiffness, mass and nodes in one numbering, for lmb_fe_create_matrices.  Owns its arrays.
typedef struct lmb_matrix_part {
    int node_count;
    int *label;
    vec3 *x;
    int *dofs;   // per node: 0, 3 or 6
    int scalars; // equations behind those of the nodes that belong to none: modal coordinates
    lmb_pattern lower;
    double *K, *M;
} lmb_matrix_part;
// nodes: CSV, a line `label, x, y, z` each (a first line without a number is a heading).  Rows without labels belong
// to the nodes in the order of the table, three or six each.
lmb_status lmb_matrix_part_make(lmb_matrix_part *out, const lmb_file_matrix *K, const lmb_file_matrix *M,
                                const char *nodes, size_t length, const char *name, lmb_error *err);
void lmb_matrix_part_free(lmb_matrix_part *p);
// a view to hand over: pattern, K and M leave p
lmb_fe_matrices lmb_matrix_part_give(lmb_matrix_part *p);

#endif
