// read/triangles.h: triangle meshes in STL (binary or text) and Wavefront OBJ: their extent, and mass properties of the solid in them.
#ifndef LMB_READ_TRIANGLES_H
#define LMB_READ_TRIANGLES_H

#include "math/math.h"

#include <stddef.h>

typedef struct lmb_triangles {
    vec3 low, high; // corners of the box around all
    double volume;  // of the surface if it is closed; negative: its normals point inwards
    vec3 moment;    // integral of x
    mat3 second;    // integral of x x'
    size_t count;
} lmb_triangles;

// Coordinates of the file times scale; bytes end with a zero, which size does not count.  false: neither STL nor OBJ, or no memory.
bool lmb_triangles_read(lmb_triangles *out, const char *bytes, size_t size, vec3 scale);

#endif
