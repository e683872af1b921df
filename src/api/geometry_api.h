// api/geometry_api.h: the solids and faces of a geometry or a mesh, as the commands `faces` and `import` use them.
#ifndef LMB_GEOMETRY_API_H
#define LMB_GEOMETRY_API_H

#include "api/part_file.h"
#include "part/face.h"
#include "read/geometry.h"

struct lmb_geometry {
    lmb_part_file file;
    lmb_part_contents contents; // of a mesh or a part file
    lmb_mesh *outline;          // of a geometry
    lmb_mesh *mesh;             // one of the two, in m
    lmb_solids solids;          // of a geometry
    lmb_face_list faces;
};

// A page with the numbers of the faces (geometry_page.c); page: the template.
lmb_status lmb_geometry_page(const char *path, const lmb_geometry *g, const char *page, lmb_error *err);
// The solid that a face belongs to, NULL: none, or it is a mesh.
const lmb_solid *lmb_geometry_solid_of(const lmb_geometry *g, int face_number);

#endif
