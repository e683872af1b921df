// libFuzzer: any bytes as a deck of Ansys.
//
//   build/fuzz/fuzz-cdb tests/fuzz/corpus/cdb
#include "mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_mesh(lmb_mesh_read_cdb, data, size, "fuzz.cdb");
}
