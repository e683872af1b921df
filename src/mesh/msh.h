// mesh/msh.h: a Gmsh file as read, before it becomes a mesh.
#ifndef LMB_MSH_H
#define LMB_MSH_H

#include "mesh/mesh.h"
#include "mesh/scan.h"

enum { LMB_MSH_NODES = 27 }; // of an element, at most

// An element type of Gmsh.
typedef struct lmb_msh_type {
    int number, nodes, dim;
    const char *name;
    const lmb_element_ops *ops; // NULL: only for sets, or not supported
    signed char order[20];      // its node i is node order[i] of Gmsh
    int corners;
} lmb_msh_type;
const lmb_msh_type *lmb_msh_type_find(int number); // NULL: unknown

typedef struct lmb_msh_element {
    const lmb_msh_type *type;
    int label, line;
    int first;    // place of its nodes
    int physical; // place of its physical tags, count in front
    int entity;   // tag of the geometrical entity it lies on
} lmb_msh_element;

typedef struct lmb_msh_name {
    int dim, tag, line;
    bool used;
    const char *name; // in the mesh's arena
} lmb_msh_name;

// An array of ints that grows.
typedef struct lmb_msh_ints {
    int count, capacity;
    int *at;
} lmb_msh_ints;
bool lmb_msh_push(lmb_msh_ints *list, int value);

typedef struct lmb_msh {
    lmb_scan scan;
    int version; // 2 or 4
    bool binary;
    lmb_mesh *mesh; // gets the nodes
    int name_count, name_capacity;
    lmb_msh_name *names;
    lmb_label_map entities[4]; // tag of an entity -> place of its physical tags
    lmb_msh_ints physical;     // count, tags; the first entry is a count of 0
    bool grouped;              // some element belongs to a physical group
    lmb_msh_ints nodes;        // of the elements: indices
    int element_count, element_capacity;
    lmb_msh_element *elements;
} lmb_msh;

// The elements of the highest dimension and all sets, into r->mesh.
lmb_status lmb_msh_build(lmb_msh *r);

#endif
