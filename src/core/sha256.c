// core/sha256.c: SHA-256 (FIPS 180-4, section 6.2).
#include "core/sha256.h"

#include <string.h>

// the first 32 bits of the fractional parts of the cube roots of the first 64 primes
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int n) { return x >> n | x << (32 - n); }

static uint32_t load(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store(unsigned char *p, uint32_t x) {
    for (int i = 0; i < 4; i++) p[i] = (unsigned char)(x >> (24 - 8 * i));
}

static void compress(uint32_t h[8], const unsigned char *block) {
    uint32_t w[64], v[8];
    for (int t = 0; t < 16; t++) w[t] = load(block + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    memcpy(v, h, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], e = v[4];
        uint32_t S1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25), choice = (e & v[5]) ^ (~e & v[6]);
        uint32_t S0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22), most = (a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]);
        uint32_t t1 = v[7] + S1 + choice + K[t] + w[t];
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + S0 + most;
    }
    for (int i = 0; i < 8; i++) h[i] += v[i];
}

void lmb_sha256_begin(lmb_sha256 *s) {
    // of the square roots of the first eight primes
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *s = (lmb_sha256){.length = 0};
    memcpy(s->h, start, sizeof start);
}

void lmb_sha256_add(lmb_sha256 *s, const void *data, size_t size) {
    const unsigned char *p = data;
    while (size > 0) {
        size_t used = s->length % 64, n = 64 - used < size ? 64 - used : size;
        memcpy(s->block + used, p, n);
        s->length += n, p += n, size -= n;
        if (used + n == 64) compress(s->h, s->block);
    }
}

// a bit 1, zeros, the length in bits in the last eight bytes
void lmb_sha256_end(unsigned char out[LMB_SHA256_SIZE], lmb_sha256 *s) {
    static const unsigned char padding[64] = {0x80};
    unsigned char bits[8];
    uint64_t length = 8 * s->length;
    store(bits, (uint32_t)(length >> 32)), store(bits + 4, (uint32_t)length);
    lmb_sha256_add(s, padding, 1 + (119 - s->length % 64) % 64);
    lmb_sha256_add(s, bits, sizeof bits);
    for (int i = 0; i < 8; i++) store(out + 4 * i, s->h[i]);
}

void lmb_sha256_join(lmb_sha256 *s, const lmb_sha256 *other) {
    unsigned char digest[LMB_SHA256_SIZE];
    lmb_sha256 copy = *other;
    lmb_sha256_end(digest, &copy);
    lmb_sha256_add(s, digest, sizeof digest);
}

void lmb_sha256_text(char out[LMB_SHA256_TEXT], const unsigned char digest[LMB_SHA256_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < LMB_SHA256_SIZE; i++)
        out[2 * i] = digits[digest[i] >> 4], out[2 * i + 1] = digits[digest[i] & 15];
    out[LMB_SHA256_TEXT - 1] = '\0';
}
