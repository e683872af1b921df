// libFuzzer: any bytes as a robot in URDF or MJCF: what is read is a model that expands; its bodies and joints compile, or are refused with a place.
//
//   build/fuzz/fuzz-robot -dict=tests/fuzz/robot.dict tests/fuzz/corpus/robot
#include "read/robot.h"
#include "system/compile.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { MAX_SIZE = 20000 }; // bytes: larger robots cost time, not insight

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_error err = {0};
    lmb_program *p = NULL;
    lmb_yaml_reader r = {.err = &err, .scratch = lmb_arena_create(4096)};
    if (size > MAX_SIZE || r.scratch == NULL || lmb_spec_create(&r.s, &err) != LMB_OK) {
        lmb_arena_destroy(r.scratch);
        return 0;
    }
    lmb_status st = lmb_robot_read(&r.s->root, &r, (const char *)data, size, "fuzz.urdf", NULL);
    lmb_arena_destroy(r.scratch); // nothing of the model lives there
    if (st == LMB_OK) st = lmb_spec_expand(r.s, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, r.s, NULL, &err);
    if (st != LMB_OK && (st != LMB_ERR_INPUT || err.line < 1 || err.text[0] == '\0')) abort();
    lmb_program_destroy(p);
    lmb_spec_destroy(r.s);
    return 0;
}
