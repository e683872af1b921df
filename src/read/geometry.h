// read/geometry.h: meshing CAD files with the program gmsh.
#ifndef LMB_GEOMETRY_H
#define LMB_GEOMETRY_H

#include "mesh/formats.h"

typedef struct lmb_geometry_options {
    double element_size; // at most, in the file's unit; 0: gmsh decides
    int order;           // 1 or 2; 0: 2
    double time_limit;   // s; 0: an hour
} lmb_geometry_options;

// One of LMB_GEOMETRY_FORMATS (mesh/formats.h): runs gmsh (found in PATH) into a temporary folder, which is removed in any case, and
// reads the mesh, in the numbers of the file (IGES: always mm).  Groups as in lmb_mesh_read_msh: surfaces of a STEP file are the sets Surface1, Surface2, ...
// A .geo file is a program: mesh only those that were scanned (geo_scan.h) or are trusted.  gmsh is started without the
// user's start-up files.  The watch may stop it.
lmb_status lmb_geometry_mesh(lmb_mesh **out, const char *path, const lmb_geometry_options *o,
                             const lmb_watch *watch, lmb_error *err);
void lmb_geometry_version(char *out, size_t size); // of gmsh; "": it cannot be started
bool lmb_geometry_is_script(const char *path);     // by the ending of its name
bool lmb_geometry_knows(const char *path);         // by the ending of its name
bool lmb_geometry_is_iges(const char *path);       // such files arrive in mm, whatever they say

#endif
