// core/format.h: formats of files.  A table of formats is a list of lines X(id, name, endings): functions get their names
// from the id, and everything that lists formats (messages, keys, help) gets its text from the list:
//
//     #define LMB_MESH_FORMATS(X)
//         X(msh, "Gmsh", ".msh")
//         X(inp, "Abaqus and CalculiX", ".inp")
#ifndef LMB_CORE_FORMAT_H
#define LMB_CORE_FORMAT_H

#include "core/core.h"

// "Gmsh (.msh), Abaqus and CalculiX (.inp)": LMB_FORMAT_TEXT(LMB_MESH_FORMATS(LMB_FORMAT_ALSO))
#define LMB_FORMAT_ALSO(id, name, endings) ", " name " (" endings ")"
#define LMB_FORMAT_TEXT(texts) (&("" texts)[2])
// " Gmsh (.msh), Abaqus and CalculiX (.inp),": in the middle of a literal
#define LMB_FORMAT_INSIDE(id, name, endings) " " name " (" endings "),"

// Whether a path ends with one of the endings, ".step, .stp"; case is ignored.
bool lmb_format_fits(const char *endings, const char *path);

#endif
