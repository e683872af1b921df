// libFuzzer: any bytes as an I-DEAS universal file.
//
//   build/fuzz/fuzz-unv tests/fuzz/corpus/unv
#include "mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_mesh(lmb_mesh_read_unv, data, size, "fuzz.unv");
}
