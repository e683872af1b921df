// read/triangles.c: STL, binary: 80 bytes, the number n of triangles, n times 12 floats (normal, three corners) and 2 bytes,
// little-endian; text: lines `vertex x y z`.  OBJ: lines `v x y z` and `f i/../.. j k ..`, from 1, negative: from the last one back.
//
// The solid is the sum of the tetrahedra from the origin to each triangle a, b, c, with s = a + b + c:
//
//     V = a . (b x c) / 6      integral of x = V s / 4      integral of x x' = V (a a' + b b' + c c' + s s') / 20
#include "read/triangles.h"

#include "core/core.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 84, TRIANGLE = 50 };

typedef struct reader {
    lmb_triangles *out;
    vec3 scale;
} reader;

static void extend(lmb_triangles *t, vec3 p) {
    t->low = v3(fmin(t->low.x, p.x), fmin(t->low.y, p.y), fmin(t->low.z, p.z));
    t->high = v3(fmax(t->high.x, p.x), fmax(t->high.y, p.y), fmax(t->high.z, p.z));
}

static void add(const reader *r, const vec3 *corner) {
    lmb_triangles *t = r->out;
    vec3 p[4];
    for (int i = 0; i < 3; i++) {
        p[i] = v3(r->scale.x * corner[i].x, r->scale.y * corner[i].y, r->scale.z * corner[i].z);
        extend(t, p[i]);
    }
    p[3] = v3_add(p[0], v3_add(p[1], p[2]));
    double V = v3_dot(p[0], v3_cross(p[1], p[2])) / 6;
    t->volume += V;
    t->moment = v3_madd(t->moment, V / 4, p[3]);
    for (int i = 0; i < 4; i++) t->second = m3_add(t->second, m3_scale(V / 20, m3_outer(p[i], p[i])));
    t->count++;
}

// ---- STL ---------------------------------------------------------------------------------------

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

static void read_binary(const reader *r, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const char *at = bytes + HEAD + i * TRIANGLE + 12 + 12 * k;
            p[k] = v3(single(at), single(at + 4), single(at + 8));
        }
        add(r, p);
    }
}

static vec3 read_point(const char *at, const char **end) {
    double x[3];
    char *next = (char *)at;
    for (int k = 0; k < 3; k++) x[k] = strtod(next, &next);
    *end = next;
    return v3_load(x);
}

static void read_text(const reader *r, const char *bytes) {
    vec3 p[3];
    int k = 0;
    for (const char *at = bytes; (at = strstr(at, "vertex")) != NULL;) {
        p[k++] = read_point(at + strlen("vertex"), &at);
        if (k == 3) add(r, p), k = 0;
    }
}

// ---- OBJ ---------------------------------------------------------------------------------------

typedef struct corners {
    vec3 *v;
    size_t count, capacity;
} corners;

static bool add_corner(corners *c, vec3 p) {
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 1024;
        vec3 *v = lmb_realloc(c->v, capacity, sizeof *v);
        if (v == NULL) return false;
        c->v = v, c->capacity = capacity;
    }
    c->v[c->count++] = p;
    return true;
}

// the polygon as triangles about its first corner; false: a corner is not there
static bool read_face(const reader *r, const corners *c, const char *at) {
    vec3 p[3];
    for (int k = 0;; k++) {
        char *end;
        at += strspn(at, " \t");
        if (*at == '\n' || *at == '\r' || *at == '\0' || *at == '#') return true;
        long i = strtol(at, &end, 10);
        if (end == at || i == 0) return false;
        size_t from_end = 0 - (size_t)i;
        if (i < 0 ? from_end > c->count : (size_t)i > c->count) return false;
        p[k < 2 ? k : 2] = c->v[i < 0 ? c->count - from_end : (size_t)i - 1];
        if (k >= 2) add(r, p), p[1] = p[2];
        at = end + strcspn(end, " \t\r\n"); // /texture/normal
    }
}

static bool read_obj(const reader *r, const char *bytes) {
    corners c = {0};
    bool ok = true;
    for (const char *at = bytes; ok && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *end;
        if (at[0] == 'v' && (at[1] == ' ' || at[1] == '\t')) ok = add_corner(&c, read_point(at + 1, &end));
        else if (at[0] == 'f' && (at[1] == ' ' || at[1] == '\t')) ok = read_face(r, &c, at + 1);
    }
    lmb_free(c.v);
    return ok;
}

// ---- all ---------------------------------------------------------------------------------------

bool lmb_triangles_read(lmb_triangles *out, const char *bytes, size_t size, vec3 scale) {
    const reader r = {out, scale};
    *out =
        (lmb_triangles){.low = v3(INFINITY, INFINITY, INFINITY), .high = v3(-INFINITY, -INFINITY, -INFINITY)};
    size_t count = size >= HEAD ? word(bytes + 80) : 0;
    if (count > 0 && (size - HEAD) / TRIANGLE == count && (size - HEAD) % TRIANGLE == 0)
        read_binary(&r, bytes, count);
    else if (size > 5 && memcmp(bytes, "solid", 5) == 0) read_text(&r, bytes);
    else if (!read_obj(&r, bytes)) return false;
    return out->count > 0 && v3_finite(out->low) && v3_finite(out->high);
}
