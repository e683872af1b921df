// tests/fuzz/mesh_target.h: a mesh of any bytes: read, check, take the surface, assemble it free and held, with errors but
// without crash, leak or hang.
#ifndef MESH_TARGET_H
#define MESH_TARGET_H

#include "mesh/mesh.h"

#include <stddef.h>
#include <stdint.h>

typedef lmb_status (*mesh_reader)(lmb_mesh **out, const char *text, size_t size, const char *file,
                                  lmb_error *err);

static inline int fuzz_mesh(mesh_reader read, const uint8_t *data, size_t size, const char *file) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    lmb_text report = {0};
    lmb_fe *fe = NULL;
    int *triangles = NULL, count;
    if (read(&m, (const char *)data, size, file, &err) != LMB_OK) return 0;
    for (int held = 0; held < 2; held++) {
        for (int i = 0; i < m->support_count; i++) m->supports[i].held = held;
        bool sound =
            lmb_mesh_check(&report, m, &err) == LMB_OK && m->node_count < 200 && m->element_count < 50;
        if (sound && lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err) == LMB_OK)
            lmb_fe_destroy(fe);
    }
    lmb_mesh_surface(&triangles, &count, m, &err);
    lmb_free(triangles);
    lmb_text_free(&report);
    lmb_mesh_destroy(m);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
