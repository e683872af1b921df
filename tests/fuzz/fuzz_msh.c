// libFuzzer: any bytes as a Gmsh mesh: read, check, take the surface, with errors but without crash, leak or hang.
//
//   build/fuzz/fuzz-msh tests/fuzz/corpus/msh
#include "mesh/mesh.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    lmb_text report = {0};
    int *triangles = NULL, count;
    if (lmb_mesh_read_msh(&m, (const char *)data, size, "fuzz.msh", &err) != LMB_OK) return 0;
    lmb_mesh_check(&report, m, &err);
    lmb_mesh_surface(&triangles, &count, m, &err);
    lmb_free(triangles);
    lmb_text_free(&report);
    lmb_mesh_destroy(m);
    return 0;
}
