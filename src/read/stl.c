// read/stl.c: binary: 80 bytes, the number n of triangles, n times 12 floats (normal, three corners) and 2 bytes, little-endian;
// text: lines `vertex x y z`.
#include "read/stl.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 84, TRIANGLE = 50 };

static void extend(vec3 *low, vec3 *high, vec3 p) {
    *low = v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
    *high = v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
}

static uint32_t word(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double single(const char *at) {
    uint32_t bits = word(at);
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

static void binary_box(vec3 *low, vec3 *high, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const char *at = bytes + HEAD + i * TRIANGLE + 12 + 12 * k;
            extend(low, high, v3(single(at), single(at + 4), single(at + 8)));
        }
}

// bytes end with a zero
static void text_box(vec3 *low, vec3 *high, const char *bytes) {
    for (const char *at = bytes; (at = strstr(at, "vertex")) != NULL;) {
        char *end;
        double x[3];
        at += strlen("vertex");
        for (int k = 0; k < 3; k++, at = end) x[k] = strtod(at, &end);
        extend(low, high, v3_load(x));
    }
}

bool lmb_stl_box(vec3 *low, vec3 *high, const char *bytes, size_t size) {
    *low = v3(INFINITY, INFINITY, INFINITY), *high = v3_neg(*low);
    size_t count = size >= HEAD ? word(bytes + 80) : 0;
    if (count > 0 && (size - HEAD) / TRIANGLE == count && (size - HEAD) % TRIANGLE == 0)
        binary_box(low, high, bytes, count);
    else if (size > 5 && memcmp(bytes, "solid", 5) == 0) text_box(low, high, bytes);
    return v3_finite(*low) && v3_finite(*high);
}
