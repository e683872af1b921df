// read/stl.h: the extent of a triangle mesh in STL, binary or text.
#ifndef LMB_READ_STL_H
#define LMB_READ_STL_H

#include "math/math.h"

// The corners of the box around all triangles, in the units of the file. false: the bytes are not STL.
bool lmb_stl_box(vec3 *low, vec3 *high, const char *bytes, size_t size);

#endif
