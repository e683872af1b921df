// study/random.h: random numbers by their place: the same seed, stream and index give the same number on every machine, in any order.
#ifndef LMB_STUDY_RANDOM_H
#define LMB_STUDY_RANDOM_H

#include <stdint.h>

// 64 mixed bits (the finaliser of SplitMix64, once for each argument).
uint64_t lmb_random_bits(uint64_t seed, uint64_t stream, uint64_t index);
// Uniform in (0, 1): odd multiples of 2^-53.
double lmb_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
// A permutation of 0 .. count - 1 (Fisher and Yates).
void lmb_random_permutation(int *out, int count, uint64_t seed, uint64_t stream);

#endif
