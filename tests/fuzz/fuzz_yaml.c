// libFuzzer: any bytes as a model text: read and expand, with errors but without crash, leak or hang.
//
//   build/fuzz/fuzz-yaml tests/fuzz/corpus/yaml
#include "read/model_file.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_spec *s = NULL;
    lmb_error err = {0};
    if (lmb_yaml_read_text(&s, (const char *)data, size, "fuzz.yaml", &err) != LMB_OK) return 0;
    s->max_values = 20000; // copies cost time, not insight
    lmb_override override = {"L", "2*n"};
    lmb_spec_expand(s, &override, lmb_node_find(lmb_node_find(s->root, "parameters"), "L") != NULL, &err);
    lmb_spec_destroy(s);
    return 0;
}
