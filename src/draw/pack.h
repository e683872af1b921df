// draw/pack.h: bytes into a text file: deflate, then base64; and tables of numbers made easy to compress.
#ifndef LMB_IO_PACK_H
#define LMB_IO_PACK_H

#include "core/core.h"

#include <stdio.h>
#include <zlib.h>

enum { LMB_PACK_BUFFER = 3 * 16384 };

// A stream: deflate without header (RFC 1951), written as base64.
typedef struct lmb_pack {
    FILE *out;
    z_stream z;
    uint64_t raw; // bytes that went in
    int held;     // bytes of buffer that wait for base64
    unsigned char buffer[LMB_PACK_BUFFER];
} lmb_pack;

lmb_status lmb_pack_begin(lmb_pack *p, FILE *out, lmb_error *err);
lmb_status lmb_pack_add(lmb_pack *p, const void *bytes, size_t size, lmb_error *err);
lmb_status lmb_pack_align(lmb_pack *p, lmb_error *err); // zeros up to a multiple of 8
lmb_status lmb_pack_end(lmb_pack *p, lmb_error *err);
void lmb_pack_free(lmb_pack *p); // always, after begin

// What VTK calls vtkZLibDataCompressor: numbers of 8 bytes - how many blocks, bytes of a block, of the last one if it is shorter (else 0),
// bytes of each compressed one -, then the compressed blocks.  false: no memory.
bool lmb_pack_blocks(lmb_text *out, const void *bytes, size_t size);

// Three bytes as four letters; the last group is filled with =.
void lmb_base64_write(FILE *out, const unsigned char *bytes, size_t size);

// count elements of size bytes (4 or 8) in columns of rows: each becomes the exclusive or with the one before
// it in its column, then all first bytes come first, and so on. scratch: as long as data.
void lmb_pack_shuffle(unsigned char *scratch, unsigned char *data, long rows, long columns, int size);

#endif
