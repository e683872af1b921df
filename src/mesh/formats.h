// mesh/formats.h: formats of meshes and geometry.
#ifndef LMB_MESH_FORMATS_H
#define LMB_MESH_FORMATS_H

#include "core/format.h"
#include "fe/fe.h"

// Meshes.  A new one is a file in this folder with lmb_mesh_is_ID and lmb_mesh_read_ID, and a line here.
#define LMB_MESH_FORMATS(X)                  \
    X(msh, "Gmsh", ".msh")                   \
    X(inp, "Abaqus and CalculiX", ".inp")    \
    X(bdf, "Nastran", ".bdf, .nas, .dat")    \
    X(unv, "I-DEAS universal files", ".unv") \
    X(cdb, "Ansys", ".cdb")

// Geometry, which gmsh meshes (read/geometry.h).
#define LMB_STEP_ENDINGS ".step, .stp"
#define LMB_IGES_ENDINGS ".iges, .igs"
#define LMB_GEOMETRY_FORMATS(X)       \
    X(STEP, "STEP", LMB_STEP_ENDINGS) \
    X(IGES, "IGES", LMB_IGES_ENDINGS) \
    X(BREP, "OpenCASCADE", ".brep")   \
    X(SCRIPT, "Gmsh scripts", ".geo")

#define LMB_MESH_AND_GEOMETRY(X) LMB_MESH_FORMATS(X) LMB_GEOMETRY_FORMATS(X)

// Formats of matrices.  A new one is a file in this folder with lmb_matrix_is_ID and lmb_matrix_read_ID, and a line here.
//   market        coordinate or array, real or integer, symmetric or general (which must then be symmetric)
//   substructure  *SUBSTRUCTURE MATRIX OUTPUT, OUTPUT FILE=USER DEFINED: an element with its nodes, triangles by columns
//   abaqus        *MATRIX OUTPUT: lines `node,dof,node,dof,value`, or `row column value` (FORMAT=COORDINATE); a triangle or all
//   ccx           *FREQUENCY, SOLVER=MATRIXSTORAGE: lines `row column value`, rows in a .dof file
//   dmig          bulk data DMIG, small and large fields or commas
//   op4           OUTPUT4, text or binary of both byte orders, full, sparse (BIGMAT or not)
//   harwell       Harwell-Boeing and Rutherford-Boeing, real assembled matrices
#define LMB_MATRIX_FORMATS(X)                                    \
    X(market, "MatrixMarket", ".mtx, .mm, .mmf")                 \
    X(substructure, "Abaqus and CalculiX substructures", ".mtx") \
    X(ccx, "CalculiX", ".sti, .mas")                             \
    X(dmig, "Nastran DMIG", ".pch, .dmig")                       \
    X(op4, "Nastran OUTPUT4", ".op4")                            \
    X(harwell, "Harwell-Boeing", ".rsa, .rua, .hb, .rb")         \
    X(abaqus, "Abaqus", ".mtx")

// text need not end with a zero; see mesh.h
typedef lmb_status lmb_mesh_reader(lmb_mesh **out, const char *text, size_t length, const char *name,
                                   lmb_error *err);
typedef struct lmb_mesh_format {
    const char *name, *endings;
    bool (*is)(const char *text, size_t length); // by the beginning of its contents
    lmb_mesh_reader *read;
} lmb_mesh_format;

#define LMB_MESH_DECLARE(id, name, endings)                 \
    bool lmb_mesh_is_##id(const char *text, size_t length); \
    lmb_mesh_reader lmb_mesh_read_##id;
LMB_MESH_FORMATS(LMB_MESH_DECLARE)

const lmb_mesh_format *lmb_mesh_format_named(const char *path); // by the ending of a name; NULL: none
// The same, else by the contents.
const lmb_mesh_format *lmb_mesh_format_of(const char *path, const char *text, size_t length);

#endif
