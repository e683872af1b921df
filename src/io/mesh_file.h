// io/mesh_file.h: a mesh from a file of any kind that is read.
#ifndef LMB_MESH_FILE_H
#define LMB_MESH_FILE_H

#include "fe/fe.h"

typedef struct lmb_mesh_file_options {
    double
        unit; // m: what 1 in the file means (a deck: with N and s, see lmb_mesh_convert); 0: 1, but CAD needs it
    double element_size; // CAD only: m, at most; 0: gmsh decides
    int order;           // CAD only: 1 or 2; 0: 2
} lmb_mesh_file_options;

// .msh (Gmsh), .inp (Abaqus, CalculiX), CAD by gmsh (io/geometry.h); with another ending by what is in it.  In SI.
// o may be NULL.
lmb_status lmb_mesh_read_file(lmb_mesh **out, const char *path, const lmb_mesh_file_options *o,
                              const lmb_watch *watch, lmb_error *err);

// The bytes of a file, at most 4 GB, for readers that work on memory; *text is freed with lmb_free, a zero follows it.
lmb_status lmb_file_load(char **text, size_t *length, const char *path, lmb_error *err);

#endif
