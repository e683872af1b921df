// libFuzzer: any bytes as a zip archive, all of whose files are unpacked.
//
//   build/fuzz/fuzz-zip tests/fuzz/corpus/zip
#include "os/zip.h"
#include "seeds.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

static const size_t MOST = 1 << 20;

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    lmb_zip z = {0};
    static const char text[] = "limber limber limber limber limber limber";
    if (lmb_zip_add(&z, "model.xml", text, 9, LMB_ZIP_STORED, NULL) != LMB_OK ||
        lmb_zip_add(&z, "resources/text", text, sizeof text, LMB_ZIP_DEFLATED, NULL) != LMB_OK ||
        lmb_zip_end(&z, NULL) != LMB_OK)
        abort();
    fuzz_seed(z.bytes.text, z.bytes.length);
    lmb_zip_free(&z);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_unzip u;
    lmb_status st = lmb_unzip_open(&u, data, size, MOST, "fuzz", LMB_NOWHERE, NULL);
    for (int i = 0; i < u.count && st == LMB_OK; i++) {
        lmb_text text;
        if (lmb_unzip_entry(&text, &u, i, NULL) == LMB_OK && text.length > MOST) abort();
        if (strchr(u.entries[i].name, '\\') || u.entries[i].name[0] == '/') abort();
        lmb_text_free(&text);
    }
    lmb_unzip_close(&u);
    return 0;
}
