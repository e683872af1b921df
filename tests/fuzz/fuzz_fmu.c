// libFuzzer: any bytes as the modelDescription.xml of an FMU.
//
//   build/fuzz/fuzz-fmu tests/fuzz/corpus/fmu
#include "read/fmu_about.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_fmu_about a;
    lmb_status st = lmb_fmu_about_read(&a, (const char *)data, size, "fuzz", LMB_NOWHERE, NULL);
    if (st == LMB_OK && (a.version < 2 || a.version > 3 || a.token == NULL)) abort();
    for (int i = 0; i < a.count && st == LMB_OK; i++)
        if (lmb_fmu_about_find(&a, a.entries[i].name) == NULL || a.entries[i].type == NULL) abort();
    if (st == LMB_OK && a.identifier && strpbrk(a.identifier, "/\\.")) abort();
    lmb_fmu_about_free(&a);
    return 0;
}
