// libFuzzer: any bytes as a modal neutral file, and the body made of it, written again.
//
//   build/fuzz/fuzz-mnf tests/fuzz/corpus/mnf
#include "store/mnf.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// the header is known: only what follows changes
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { FLAGS = 0x884, BLOCKS = 0xa14 };
    static const unsigned char version[4] = {0, 0, 1, 0x3c};
    lmb_error err = {0};
    lmb_mnf *m;
    lmb_flex *f;
    char *bytes = lmb_alloc(FLAGS + size + 1, 1);
    if (bytes == NULL) return 0;
    memcpy(bytes, version, sizeof version);
    memcpy(bytes + FLAGS, data, size);
    if (lmb_mnf_parse(&m, bytes, FLAGS + size, "fuzz.mnf", &err) == LMB_OK) {
        if (m->node_count * m->mode_count < 4000 && lmb_mnf_body(&f, m, &err) == LMB_OK) {
            lmb_text text = {0};
            if (f->m < 10) lmb_mnf_write(&text, f, &err);
            lmb_text_free(&text);
            lmb_flex_destroy(f);
        }
        lmb_mnf_destroy(m);
    }
    lmb_free(bytes);
    return 0;
}
