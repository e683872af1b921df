// core/sha256.h: SHA-256 (FIPS 180-4): names for contents that nobody can make twice.
#ifndef LMB_CORE_SHA256_H
#define LMB_CORE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { LMB_SHA256_SIZE = 32, LMB_SHA256_TEXT = 65 };

typedef struct lmb_sha256 {
    uint32_t h[8];
    uint64_t length; // bytes so far
    unsigned char block[64];
} lmb_sha256;

void lmb_sha256_begin(lmb_sha256 *s);
void lmb_sha256_add(lmb_sha256 *s, const void *data, size_t size);
void lmb_sha256_end(unsigned char out[LMB_SHA256_SIZE], lmb_sha256 *s);
// Adds what another one has come to, which goes on unchanged.
void lmb_sha256_join(lmb_sha256 *s, const lmb_sha256 *other);
// As 64 digits of base 16.
void lmb_sha256_text(char out[LMB_SHA256_TEXT], const unsigned char digest[LMB_SHA256_SIZE]);

#endif
