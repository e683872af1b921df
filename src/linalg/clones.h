// linalg/clones.h: loops that are compiled twice, for any x86-64 and for machines with AVX2.  As products and sums are rounded one
// by one (no fused multiply-add), both give the same numbers.
#ifndef LMB_LINALG_CLONES_H
#define LMB_LINALG_CLONES_H

#include <stdlib.h> // says which libc

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(__SANITIZE_ADDRESS__)
#define LMB_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define LMB_CLONES
#endif

// a function that clones call: compiled into each of them
#define LMB_CLONED static inline __attribute__((always_inline))

#endif
