// part/face.h: the faces of a part, by which places on it are chosen, and what of the surface a description of geometry takes.
//
// A facet is the outer side of one element, a face a piece of the surface: of a CAD file as the file has it and gmsh numbers
// it; of a mesh a piece between sharp edges, numbered in the order of its elements.
#ifndef LMB_PART_FACE_H
#define LMB_PART_FACE_H

#include "fe/fe.h"
#include "part/surface.h"

typedef struct lmb_facet {
    int item; // element * 8 + side
    int face; // index
    vec3 centre, normal;
    double area;
} lmb_facet;

typedef struct lmb_face {
    int number;
    lmb_surface surface;
    double area;
    vec3 centre; // of its area
} lmb_face;

typedef enum lmb_face_source {
    LMB_FACES_OF_MESH,
    LMB_FACES_OF_CAD
} lmb_face_source; // CAD: its sets Surface1, ...

typedef struct lmb_face_list {
    const lmb_mesh *mesh; // borrowed
    lmb_face_source source;
    bool numbered; // as the CAD file has them
    int facet_count, face_count;
    lmb_facet *facets;
    lmb_face *faces; // their numbers ascend
    int edge_count;
    int (*edges)[2]; // pairs of facets with a common edge
} lmb_face_list;

lmb_status lmb_face_list_make(lmb_face_list *out, const lmb_mesh *m, lmb_face_source source, lmb_error *err);
void lmb_face_list_free(lmb_face_list *l);
// "face 3, a cylinder of radius 0.005 m about [0, 0, 1] through [0, 0, 0], 0.000314 m2"
void lmb_face_text(char *out, size_t size, const lmb_face *f);

// ---- choosing ----------------------------------------------------------------------------------

typedef enum lmb_chosen_by { LMB_CHOSEN_NUMBERS, LMB_CHOSEN_SURFACE, LMB_CHOSEN_BOX } lmb_chosen_by;

typedef struct lmb_face_choice {
    lmb_chosen_by by;
    int number_count;
    const double *numbers; // NUMBERS
    lmb_surface surface;   // SURFACE: a plane, cylinder or sphere
    bool anywhere;         // of a cylinder only direction and radius are given
    bool has_near;         // only the connected piece next to this point
    vec3 near;
    vec3 low, high;   // BOX
    double tolerance; // 0: a thousandth of the radius, or a ten thousandth of the size of the part
} lmb_face_choice;

typedef struct lmb_caught {
    int *nodes, count; // each once, ascending; for lmb_free
    double area;
    lmb_surface surface; // on which they lie; OTHER: none in particular
} lmb_caught;

// Where cylinders of a direction and a radius are; also in meshes too coarse for faces of their own.
enum { LMB_AXES = 64 };
typedef struct lmb_axis_list {
    int count; // at most LMB_AXES
    lmb_surface axes[LMB_AXES];
    int facet[LMB_AXES]; // one that lies on it
} lmb_axis_list;
lmb_status lmb_face_list_axes(lmb_axis_list *out, const lmb_face_list *l, vec3 axis, double r,
                              double tolerance, lmb_error *err);

// The facets with all corners on the surface, or in the box, as nodes.  what: "interface 'a'".  Nothing caught, or pieces of
// several surfaces: an error that says which faces come next.
lmb_status lmb_face_list_catch(lmb_caught *out, const lmb_face_list *l, const lmb_face_choice *c,
                               const char *what, lmb_where where, lmb_error *err);

#endif
