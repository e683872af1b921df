// libFuzzer: any bytes as a part file: what is read as a small beam is meshed, assembled and reduced.
//
//   build/fuzz/fuzz-part -dict=tests/fuzz/model.dict tests/fuzz/corpus/part
#include "part/part.h"
#include "read/model_file.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_VALUES = 5000, MAX_ELEMENTS = 12 };

static lmb_status reduce(const lmb_part *p, lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_status st = lmb_part_reduce(&f, p, &(lmb_part_source){0}, NULL, err);
    lmb_flex_destroy(f);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_spec *s = NULL;
    lmb_error err = {0};
    lmb_part p;
    lmb_status st = lmb_yaml_read_text(&s, (const char *)data, size, "fuzz.yaml", &err);
    if (st == LMB_OK) s->max_values = MAX_VALUES;
    if (st == LMB_OK) st = lmb_spec_expand(s, NULL, 0, &err);
    const lmb_node *map = st == LMB_OK ? lmb_node_find(s->root, "part") : NULL;
    if (map) st = lmb_part_read(&p, s, map, "part", &err);
    // what is refused is refused as bad input, with a place and a text
    if (st != LMB_OK && (st != LMB_ERR_INPUT || err.line < 1 || err.col < 1 || err.text[0] == '\0')) abort();
    if (map && st == LMB_OK && p.kind == LMB_PART_BEAM && p.beam.elements <= MAX_ELEMENTS) {
        st = reduce(&p, &err); // absurd sizes may defeat the numerics
        if (st != LMB_OK && (st == LMB_ERR_SYSTEM || err.text[0] == '\0')) abort();
    }
    lmb_spec_destroy(s);
    return 0;
}
