// libFuzzer: any bytes as a Gmsh mesh.
//
//   build/fuzz/fuzz-msh tests/fuzz/corpus/msh
#include "mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_mesh(lmb_mesh_read_msh, data, size, "fuzz.msh");
}
