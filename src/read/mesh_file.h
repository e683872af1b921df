// read/mesh_file.h: reads a mesh from a file of any supported type.
#ifndef LMB_MESH_FILE_H
#define LMB_MESH_FILE_H

#include "read/geometry.h"

// One of mesh/formats.h, by the ending of its name or by its contents; geometry by gmsh (read/geometry.h).  In the
// units of the file.  bytes: the contents if the file was read already, else NULL; o: for geometry, may be NULL.
lmb_status lmb_mesh_read_file(lmb_mesh **out, const char *path, const lmb_text *bytes,
                              const lmb_geometry_options *o, const lmb_watch *watch, lmb_error *err);

#endif
