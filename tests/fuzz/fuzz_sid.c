// libFuzzer: any bytes as Standard Input Data, their identities, and the body made of them.
//
//   build/fuzz/fuzz-sid tests/fuzz/corpus/sid
#include "store/sid.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_error err = {0};
    lmb_sid *s;
    lmb_flex *f;
    lmb_text text = {0};
    if (lmb_sid_parse(&s, (const char *)data, size, "fuzz.SID_FEM", &err) != LMB_OK) return 0;
    const lmb_sid_lint lint = lmb_sid_check(s);
    lmb_sid_report(&text, s, &lint);
    lmb_text_free(&text);
    if (s->modes <= 12 && lmb_sid_body(&f, s, &err) == LMB_OK) {
        lmb_sid_write(&text, f, LMB_SID_BY_AXIS);
        lmb_text_free(&text);
        lmb_flex_destroy(f);
    }
    if (s->modes <= 12 && lmb_sid_body_completed(&f, &text, s, &err) == LMB_OK) lmb_flex_destroy(f);
    lmb_text_free(&text);
    lmb_sid_destroy(s);
    return 0;
}
