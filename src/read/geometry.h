// read/geometry.h: CAD files: their units, their solids, and meshing them with the program gmsh.
//
//   .step .iges .brep .geo --lmb_geometry_solids--> numbers and names --lmb_geometry_mesh--> the mesh of one of them, or of all
//
// gmsh (found in PATH) runs in a temporary folder, which is removed in any case, without the user's start-up files.  A .geo
// file is a program: use only those that were scanned (geo_scan.h) or are trusted.
#ifndef LMB_GEOMETRY_H
#define LMB_GEOMETRY_H

#include "mesh/formats.h"
#include "read/cad_unit.h"

typedef enum lmb_solid_choice {
    LMB_SOLID_ONLY,  // the only one; of a script: all that it makes
    LMB_SOLID_NAMED, // the one of `solid`
    LMB_SOLID_GLUED, // all of them, with common nodes where they touch
} lmb_solid_choice;

typedef struct lmb_geometry_options {
    double element_size; // at most, in the unit of the mesh; 0: gmsh decides
    double per_circle;   // elements on a full circle of curved faces, at least; 0: by size alone
    int order;           // 1 or 2; 0: 2; shells have 1
    double unit;         // length of 1 in the mesh, m; 0: that of the file
    lmb_solid_choice choice;
    const char *solid; // NAMED: its name or number
    bool outline;      // only the surfaces of all solids, as triangles with the sets Surface1, ...
    const char *log;   // where the log of gmsh is kept if it fails; NULL: nowhere
    double time_limit; // s; 0: an hour
} lmb_geometry_options;

// One of LMB_GEOMETRY_FORMATS (mesh/formats.h) as a mesh.  Groups as in lmb_mesh_read_msh: surfaces of a CAD file are the sets
// Surface1, Surface2, ...  A file without solids becomes shells.  The watch may stop it.
lmb_status lmb_geometry_mesh(lmb_mesh **out, const char *path, const lmb_geometry_options *o,
                             const lmb_watch *watch, lmb_error *err);

// The solids of a CAD file, or the physical volumes of a script (without those: its volumes), as gmsh numbers them.
typedef struct lmb_solid {
    const char *label; // as in the file
    const char *name;  // letters, digits and _ of it, each once
    int number;        // from 1
    int volume_count, face_count;
    const int *volumes, *faces; // gmsh's numbers; a volume of a CAD file is a solid
} lmb_solid;
typedef struct lmb_solids {
    lmb_arena *arena;
    int count, surfaces; // of the whole file
    lmb_solid *list;
} lmb_solids;
lmb_status lmb_geometry_solids(lmb_solids *out, const char *path, const lmb_watch *watch, lmb_error *err);
void lmb_solids_free(lmb_solids *s);
// By name, label or number; fails with the names that there are.
lmb_status lmb_solids_find(const lmb_solid **out, const lmb_solids *s, const char *name, const char *path,
                           lmb_error *err);
// What gmsh wrote by the script of lmb_geometry_solids.
lmb_status lmb_solids_parse(lmb_solids *out, const char *text, size_t length, lmb_error *err);

lmb_cad_units lmb_geometry_units(const char *path, const char *text, size_t length); // by the kind of file
void lmb_geometry_version(char *out, size_t size); // of gmsh; "": it cannot be started
bool lmb_geometry_is_script(const char *path);     // by the ending of its name
bool lmb_geometry_knows(const char *path);         // by the ending of its name

#endif
