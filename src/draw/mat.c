// draw/mat.c: files of MATLAB.
#include "draw/mat.h"

#include <stdio.h>
#include <string.h>

// ---- bytes -------------------------------------------------------------------------------------

size_t lmb_utf8_decode(uint32_t *out, const char *text) {
    size_t count = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        int more = *c >= 0xf0 ? 3 : *c >= 0xe0 ? 2 : *c >= 0xc0 ? 1 : 0;
        uint32_t x = more == 3 ? *c & 7u : more == 2 ? *c & 15u : more == 1 ? *c & 31u : *c;
        for (c++; more > 0 && (*c & 0xc0) == 0x80; more--) x = x << 6 | (*c++ & 63u);
        if (out) out[count] = x;
        count++;
    }
    return count;
}

bool lmb_put(lmb_text *out, const void *bytes, size_t size) {
    static const char zeros[64] = {0};
    bool ok = true;
    if (bytes) return lmb_text_add_n(out, bytes, size);
    for (size_t left = size; ok && left > 0;) {
        size_t part = left < sizeof zeros ? left : sizeof zeros;
        ok = lmb_text_add_n(out, zeros, part), left -= part;
    }
    return ok;
}

bool lmb_put_word(lmb_text *out, uint32_t x) {
    const unsigned char b[4] = {(unsigned char)x, (unsigned char)(x >> 8), (unsigned char)(x >> 16),
                                (unsigned char)(x >> 24)};
    return lmb_put(out, b, sizeof b);
}

bool lmb_put_number(lmb_text *out, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return lmb_put_word(out, (uint32_t)bits) && lmb_put_word(out, (uint32_t)(bits >> 32));
}

// ---- matrices ----------------------------------------------------------------------------------

enum { MI_INT8 = 1, MI_INT32 = 5, MI_UINT32 = 6, MI_DOUBLE = 9, MI_MATRIX = 14 };
enum { MX_CELL = 1, MX_STRUCT = 2, MX_CHAR = 4, MX_DOUBLE = 6 };

static size_t filled(size_t size) { return (size + 7) / 8 * 8; }

static bool element(lmb_text *out, uint32_t type, const void *data, size_t size) {
    return lmb_put_word(out, type) && lmb_put_word(out, (uint32_t)size) &&
           (size == 0 || lmb_put(out, data, size)) && lmb_put(out, NULL, filled(size) - size);
}

// the head of a matrix with so many bytes of data elements
static bool matrix_head(lmb_text *out, uint32_t class, size_t rows, size_t columns, const char *name,
                        size_t data) {
    size_t length = strlen(name);
    bool ok =
        lmb_put_word(out, MI_MATRIX) && lmb_put_word(out, (uint32_t)(16 + 16 + 8 + filled(length) + data));
    ok = ok && lmb_put_word(out, MI_UINT32) && lmb_put_word(out, 8) && lmb_put_word(out, class) &&
         lmb_put_word(out, 0);
    ok = ok && lmb_put_word(out, MI_INT32) && lmb_put_word(out, 8) && lmb_put_word(out, (uint32_t)rows) &&
         lmb_put_word(out, (uint32_t)columns);
    return ok && element(out, MI_INT8, name, length);
}

bool lmb_mat_numbers_head(lmb_text *out, const char *name, size_t rows, size_t columns) {
    size_t size = 8 * rows * columns;
    return matrix_head(out, MX_DOUBLE, rows, columns, name, 8 + size) && lmb_put_word(out, MI_DOUBLE) &&
           lmb_put_word(out, (uint32_t)size);
}

static size_t text_size(const char *text) { return 8 + filled(2 * lmb_utf8_decode(NULL, text)); }

// as UTF-16; beyond its first plane: a question mark
bool lmb_mat_text(lmb_text *out, const char *name, const char *text) {
    enum { MI_UINT16 = 4 };
    size_t count = lmb_utf8_decode(NULL, text), size = 2 * count;
    uint32_t *points = lmb_alloc(count + 1, sizeof *points);
    bool ok = points && matrix_head(out, MX_CHAR, count > 0, count, name, text_size(text)) &&
              lmb_put_word(out, MI_UINT16) && lmb_put_word(out, (uint32_t)size);
    if (points) lmb_utf8_decode(points, text);
    for (size_t i = 0; i < count && ok; i++) {
        uint32_t x = points[i] > 0xffff ? '?' : points[i];
        ok = lmb_put(out, (const unsigned char[]){(unsigned char)x, (unsigned char)(x >> 8)}, 2);
    }
    ok = ok && lmb_put(out, NULL, filled(size) - size);
    lmb_free(points);
    return ok;
}

bool lmb_mat_texts(lmb_text *out, const char *name, char **list, int count) {
    size_t data = 0;
    for (int i = 0; i < count; i++) data += 8 + 16 + 16 + 8 + text_size(list[i]);
    bool ok = matrix_head(out, MX_CELL, (size_t)count, 1, name, data);
    for (int i = 0; i < count && ok; i++) ok = lmb_mat_text(out, "", list[i]);
    return ok;
}

bool lmb_mat_struct(lmb_text *out, const char *name, const char *const *names, int count,
                    const lmb_text *fields) {
    enum { WIDTH = LMB_MAT_NAME + 1 };
    size_t size = (size_t)count * WIDTH;
    // the width of names is an element of 4 bytes within its head
    bool ok = matrix_head(out, MX_STRUCT, 1, 1, name, 8 + 8 + filled(size) + fields->length) &&
              lmb_put_word(out, 4u << 16 | MI_INT32) && lmb_put_word(out, WIDTH) &&
              lmb_put_word(out, MI_INT8) && lmb_put_word(out, (uint32_t)size);
    for (int i = 0; i < count && ok; i++) {
        char text[WIDTH] = {0};
        snprintf(text, sizeof text, "%s", names[i]);
        ok = lmb_put(out, text, sizeof text);
    }
    return ok && lmb_put(out, NULL, filled(size) - size) &&
           (fields->length == 0 || lmb_put(out, fields->text, fields->length));
}

bool lmb_mat_header(lmb_text *out, const char *what) {
    char text[124];
    memset(text, ' ', sizeof text);
    int n = snprintf(text, sizeof text, "MATLAB 5.0 MAT-file, limber %s: %s", lmb_version(), what);
    text[n] = ' ';
    memset(text + 116, 0, 8);
    return lmb_put(out, text, sizeof text) && lmb_put(out, (const unsigned char[]){0, 1, 'I', 'M'}, 4);
}
