// libFuzzer: any bytes as a table of a signal or of inputs: x and y by their names, or the first two columns.
//
//   build/fuzz/fuzz-table tests/fuzz/corpus/table
#include "read/reference_file.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_both(const char *path) {
    static const char *const names[2][2] = {{NULL, NULL}, {"time", "u"}};
    char name[LMB_COLUMN_NAME] = "x";
    for (int k = 0; k < 100 && *name; k++)
        if (lmb_columns_name(name, path, k, NULL) != LMB_OK) break;
    for (int i = 0; i < 2; i++) {
        lmb_knots p;
        if (lmb_columns_read(&p, path, names[i][0], names[i][1], NULL) != LMB_OK) continue;
        for (int k = 1; k < p.count; k++)
            if (!(p.x[k] > p.x[k - 1])) abort();
        lmb_knots_free(&p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *folder = getenv("TMPDIR");
    char path[300];
    snprintf(path, sizeof path, "%s/limber-fuzz-table-%d", folder ? folder : "/tmp", (int)getpid());
    FILE *f = fopen(path, "wb");
    if (f == NULL) return 0;
    fwrite(data, 1, size, f);
    fclose(f);
    read_both(path);
    remove(path);
    return 0;
}
