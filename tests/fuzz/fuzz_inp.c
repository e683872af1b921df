// libFuzzer: any bytes as an Abaqus or CalculiX deck, which may include itself.
//
//   build/fuzz/fuzz-inp tests/fuzz/corpus/inp
#include "mesh_target.h"

typedef struct bytes {
    const char *text;
    size_t size;
} bytes;

static lmb_status include(void *user, lmb_text *text, const char **path, const char *name, lmb_where where,
                          lmb_error *err) {
    const bytes *b = user;
    (void)name, (void)where;
    *path = "again.inp";
    return lmb_text_add_n(text, b->text, b->size) ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status read_it(lmb_mesh **out, const char *text, size_t size, const char *file, lmb_error *err) {
    bytes b = {text, size};
    return lmb_mesh_read_inp_from(out, text, size, file, include, &b, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return size > 20000 ? 0 : fuzz_mesh(read_it, data, size, "fuzz.inp");
}
