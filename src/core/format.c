// core/format.c: formats of files.
#include "core/format.h"

#include <string.h>
#include <strings.h>

bool lmb_format_fits(const char *endings, const char *path) {
    size_t n = strlen(path);
    for (const char *e = endings; *e; e += strspn(e, ", ")) {
        size_t k = strcspn(e, ",");
        if (n > k && strncasecmp(path + n - k, e, k) == 0) return true;
        e += k;
    }
    return false;
}
