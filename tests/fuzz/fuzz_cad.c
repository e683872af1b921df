// libFuzzer: any bytes as STEP and IGES text, of which the units are read, and as the list of solids that gmsh writes.
//
//   build/fuzz/fuzz-cad tests/fuzz/corpus/cad
#include "read/geometry.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    // a copy without a zero behind it: reading past the end is seen
    char *text = malloc(size ? size : 1);
    if (text == NULL) return 0;
    if (size > 0) memcpy(text, data, size);
    lmb_cad_units a = lmb_step_units(text, size), b = lmb_iges_units(text, size);
    for (int i = 0; i < a.count; i++)
        if (!(a.metres[i] > 0)) abort();
    for (int i = 0; i < b.count; i++)
        if (!(b.metres[i] > 0)) abort();
    lmb_solids s;
    lmb_error err = {0};
    if (lmb_solids_parse(&s, text, size, &err) == LMB_OK) {
        for (int i = 0; i < s.count && i < 50; i++)
            for (int k = 0; k < i; k++)
                if (strcmp(s.list[i].name, s.list[k].name) == 0) abort();
        const lmb_solid *one;
        lmb_solids_find(&one, &s, "a", "a.step", &err);
        lmb_solids_free(&s);
    }
    free(text);
    return 0;
}
