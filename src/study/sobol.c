// study/sobol.c: the Sobol sequence.
#include "study/sobol.h"

#include "study/random.h"

// degree and inner coefficients of the polynomial, first direction numbers
typedef struct component {
    unsigned char degree, polynomial, m[7];
} component;

// the first component has v_k = 2^-k
static const component components[LMB_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
};

// v_k = v_(k-s) / 2^s + a_1 v_(k-1) + ... + a_(s-1) v_(k-s+1) + v_(k-s)  (mod 2)
static void directions(uint32_t v[LMB_SOBOL_BITS], const component *c) {
    int s = c->degree;
    for (int k = 0; k < LMB_SOBOL_BITS; k++) {
        if (k < s) {
            v[k] = (uint32_t)c->m[k] << (LMB_SOBOL_BITS - 1 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int i = 1; i < s; i++)
            if (c->polynomial >> (s - 1 - i) & 1) v[k] ^= v[k - i];
    }
}

void lmb_sobol_begin(lmb_sobol *out, uint64_t seed) {
    out->seed = seed;
    for (int k = 0; k < LMB_SOBOL_BITS; k++) out->v[0][k] = UINT32_C(1) << (LMB_SOBOL_BITS - 1 - k);
    for (int j = 1; j < LMB_SOBOL_DIMENSIONS; j++) directions(out->v[j], &components[j - 1]);
}

// each bit is flipped at random, by the bits above it
static uint32_t scramble(uint32_t x, uint64_t seed, int dimension) {
    uint32_t out = x;
    for (int k = 0; k < LMB_SOBOL_BITS; k++) {
        uint64_t above = UINT64_C(1) << k | (k ? x >> (LMB_SOBOL_BITS - k) : 0);
        uint32_t flip = (uint32_t)lmb_random_bits(seed, (uint64_t)dimension, above) & 1;
        out ^= flip << (LMB_SOBOL_BITS - 1 - k);
    }
    return out;
}

double lmb_sobol_at(const lmb_sobol *s, int dimension, uint32_t index) {
    uint32_t x = 0;
    for (int k = 0; index >> k && k < LMB_SOBOL_BITS; k++)
        if (index >> k & 1) x ^= s->v[dimension][k];
    if (s->seed > 0) x = scramble(x, s->seed, dimension);
    return x * 0x1p-32;
}
