// study/random.c: random numbers by their place.
#include "study/random.h"

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t lmb_random_bits(uint64_t seed, uint64_t stream, uint64_t index) {
    return mix(mix(mix(seed) ^ stream) ^ index);
}

double lmb_random_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
    return ((double)(lmb_random_bits(seed, stream, index) >> 12) + 0.5) * 0x1p-52;
}

void lmb_random_permutation(int *out, int count, uint64_t seed, uint64_t stream) {
    for (int i = 0; i < count; i++) out[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int k = (int)(lmb_random_uniform(seed, stream, (uint64_t)i) * (i + 1)), kept = out[i];
        out[i] = out[k], out[k] = kept;
    }
}
