// draw/pack.c: deflate and base64 as a stream; numbers prepared for it.
//
// Neighbours in a column are close, so their signs, exponents and first digits agree and their exclusive or begins with
// zeros.  Grouped by byte position these zeros are adjacent, and deflate compresses them well.
#include "draw/pack.h"
#include "os/bytes.h"

#include <string.h>

lmb_status lmb_pack_begin(lmb_pack *p, FILE *out, lmb_error *err) {
    *p = (lmb_pack){.out = out, .z = {.zalloc = lmb_zlib_alloc, .zfree = lmb_zlib_free}};
    int answer = deflateInit2(&p->z, 6, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
    return answer == Z_OK ? LMB_OK : lmb_fail_memory(err);
}

// three bytes, four letters; the last group is filled with =
void lmb_base64_write(FILE *out, const unsigned char *b, size_t n) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned second = i + 1 < n ? b[i + 1] : 0, third = i + 2 < n ? b[i + 2] : 0;
        unsigned bits = (unsigned)b[i] << 16 | second << 8 | third;
        char four[4] = {letters[bits >> 18], letters[bits >> 12 & 63], letters[bits >> 6 & 63],
                        letters[bits & 63]};
        if (i + 1 >= n) four[2] = '=';
        if (i + 2 >= n) four[3] = '=';
        fwrite(four, 1, 4, out);
    }
}

// runs deflate until it needs more input, or to the end; complete groups of three bytes are written at once
static lmb_status pump(lmb_pack *p, int flush, lmb_error *err) {
    int answer = Z_OK;
    do {
        p->z.next_out = p->buffer + p->held;
        p->z.avail_out = (unsigned)(LMB_PACK_BUFFER - p->held);
        answer = deflate(&p->z, flush);
        if (answer == Z_STREAM_ERROR) return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot compress");
        int have = LMB_PACK_BUFFER - (int)p->z.avail_out, whole = have - have % 3;
        lmb_base64_write(p->out, p->buffer, (size_t)whole);
        memmove(p->buffer, p->buffer + whole, (size_t)(have - whole));
        p->held = have - whole;
    } while (p->z.avail_in > 0 || (flush == Z_FINISH && answer != Z_STREAM_END));
    return LMB_OK;
}

lmb_status lmb_pack_add(lmb_pack *p, const void *bytes, size_t size, lmb_error *err) {
    const unsigned char *at = bytes;
    lmb_status st = LMB_OK;
    p->raw += size;
    while (size > 0 && st == LMB_OK) {
        unsigned part = size < (1u << 30) ? (unsigned)size : 1u << 30;
        p->z.next_in = (unsigned char *)at; // zlib does not write there
        p->z.avail_in = part;
        st = pump(p, Z_NO_FLUSH, err);
        at += part;
        size -= part;
    }
    return st;
}

lmb_status lmb_pack_align(lmb_pack *p, lmb_error *err) {
    static const unsigned char zeros[8] = {0};
    return lmb_pack_add(p, zeros, (size_t)(-p->raw & 7), err);
}

lmb_status lmb_pack_end(lmb_pack *p, lmb_error *err) {
    lmb_status st = pump(p, Z_FINISH, err);
    lmb_base64_write(p->out, p->buffer, (size_t)p->held);
    p->held = 0;
    return st;
}

void lmb_pack_free(lmb_pack *p) { deflateEnd(&p->z); }

// one block with a head (RFC 1950) at the end of out; *size: its bytes
static bool add_block(lmb_text *out, uint64_t *size, const unsigned char *bytes, size_t count) {
    unsigned char part[16384];
    z_stream z = {.zalloc = lmb_zlib_alloc, .zfree = lmb_zlib_free};
    if (deflateInit(&z, Z_DEFAULT_COMPRESSION) != Z_OK) return false;
    int answer = Z_OK;
    bool ok = true;
    z.next_in = (unsigned char *)bytes, z.avail_in = (unsigned)count; // zlib does not write there
    while (ok && answer == Z_OK) {
        z.next_out = part, z.avail_out = sizeof part;
        answer = deflate(&z, Z_FINISH);
        ok = lmb_text_add_n(out, (const char *)part, sizeof part - z.avail_out);
    }
    *size = z.total_out;
    deflateEnd(&z);
    return ok;
}

bool lmb_pack_blocks(lmb_text *out, const void *bytes, size_t size) {
    enum { BLOCK = 1 << 18, HEAD = 3 };
    size_t count = (size + BLOCK - 1) / BLOCK, start = out->length;
    uint64_t *head = lmb_alloc(HEAD + count, sizeof *head);
    if (head == NULL) return false;
    head[0] = count, head[1] = BLOCK, head[2] = size % BLOCK;
    bool ok = lmb_text_add_n(out, (const char *)head, (HEAD + count) * sizeof *head);
    for (size_t i = 0; i < count && ok; i++) {
        size_t left = size - i * BLOCK;
        ok = add_block(out, &head[HEAD + i], (const unsigned char *)bytes + i * BLOCK,
                       left < BLOCK ? left : BLOCK);
    }
    if (ok) memcpy(out->text + start, head, (HEAD + count) * sizeof *head);
    lmb_free(head);
    return ok;
}

void lmb_pack_shuffle(unsigned char *scratch, unsigned char *data, long rows, long columns, int size) {
    size_t count = (size_t)rows * (size_t)columns, column = (size_t)rows * (size_t)size;
    for (long k = 0; k < columns; k++) // backwards, so that the left neighbour is still unchanged
        for (size_t i = column - 1; rows > 0 && i >= (size_t)size; i--)
            data[(size_t)k * column + i] ^= data[(size_t)k * column + i - (size_t)size];
    for (int b = 0; b < size; b++)
        for (size_t i = 0; i < count; i++)
            scratch[(size_t)b * count + i] = data[i * (size_t)size + (size_t)b];
    memcpy(data, scratch, count * (size_t)size);
}
