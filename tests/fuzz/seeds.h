// tests/fuzz/seeds.h: targets that make their own corpus: inputs written to the folder LMB_FUZZ_SEEDS at the start; a tenth of them
// if LMB_SAMPLE is set.
#ifndef SEEDS_H
#define SEEDS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline void fuzz_seed(const void *bytes, size_t size) {
    static long count;
    const char *folder = getenv("LMB_FUZZ_SEEDS");
    char path[600];
    if (folder == NULL || (getenv("LMB_SAMPLE") && count++ % 10 != 0)) return;
    snprintf(path, sizeof path, "%s/seed-%06ld", folder, count++);
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) abort();
}

#endif
