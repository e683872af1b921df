// tests/unit/mesh_help.h: what tests of meshes measure.
#ifndef MESH_HELP_H
#define MESH_HELP_H

#include "mesh/mesh.h"

// the text of a file; counts a failure and returns false if it cannot be read; free text with lmb_text_free
bool mesh_text(lmb_text *out, const char *path);
double mesh_volume(const lmb_mesh *m);        // sum of rho dV with rho = 1 over the solids
double mesh_worst(const lmb_mesh *m);         // smallest quality
double mesh_middle_error(const lmb_mesh *m);  // largest distance of a middle node from the middle of its edge
double mesh_area(const lmb_mesh *m, int set); // of a face set, by its triangles of corners

#endif
