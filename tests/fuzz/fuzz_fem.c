// libFuzzer: any bytes as modal data of MBDyn, and the body made of them.
//
//   build/fuzz/fuzz-fem tests/fuzz/corpus/fem
#include "store/fem.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_error err = {0};
    lmb_flex *f;
    lmb_text text = {0};
    if (lmb_fem_parse(&f, (const char *)data, size, "fuzz.fem", &err) != LMB_OK) return 0;
    lmb_fem_write(&text, f);
    lmb_text_free(&text);
    lmb_flex_destroy(f);
    return 0;
}
