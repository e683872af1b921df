// libFuzzer: any bytes as an Abaqus or CalculiX deck.
//
//   build/fuzz/fuzz-inp tests/fuzz/corpus/inp
#include "mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_mesh(lmb_mesh_read_inp, data, size, "fuzz.inp");
}
