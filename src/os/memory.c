// os/memory.c: memory from /proc/meminfo, limits of containers and batch systems from control groups (version 2).
#include "os/memory.h"
#include "os/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// the number behind `name` at the beginning of a line of a small file; "": of the file's first line; NAN: none, such as "max"
static double number_in(const char *path, const char *name) {
    char line[256];
    double value = NAN;
    size_t length = strlen(name);
    FILE *f = lmb_file_stream(path);
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, name, length) != 0) continue;
        char *end;
        double read = strtod(line + length, &end);
        if (end != line + length) value = read;
        break;
    }
    if (f) fclose(f);
    return value;
}

// limit - current + what can be given back, of the group and of those above it
static double group_left(char *folder, size_t root) {
    double least = INFINITY;
    char path[4096 + 32];
    while (strlen(folder) >= root) {
        snprintf(path, sizeof path, "%s/memory.max", folder);
        double limit = number_in(path, "");
        snprintf(path, sizeof path, "%s/memory.current", folder);
        double used = number_in(path, "");
        snprintf(path, sizeof path, "%s/memory.stat", folder);
        double given_back = number_in(path, "inactive_file ");
        if (isfinite(limit) && isfinite(used))
            least = fmin(least, fmax(1, limit - used + (isfinite(given_back) ? given_back : 0)));
        char *slash = strrchr(folder, '/');
        if (slash == NULL) break;
        *slash = 0;
    }
    return least;
}

static double own_group_left(void) {
    static const char root[] = "/sys/fs/cgroup";
    char line[3072], folder[4096];
    double left = INFINITY;
    FILE *f = lmb_file_stream("/proc/self/cgroup");
    while (f && fgets(line, sizeof line, f)) {
        if (strncmp(line, "0::/", 4) != 0) continue;
        line[strcspn(line, "\n")] = 0;
        snprintf(folder, sizeof folder, "%s%s", root, strcmp(line + 3, "/") == 0 ? "" : line + 3);
        left = group_left(folder, sizeof root - 1);
    }
    if (f) fclose(f);
    return left;
}

// ulimit -v
static double address_space_left(void) {
    struct rlimit most;
    double used = number_in("/proc/self/statm", "") * (double)sysconf(_SC_PAGESIZE);
    bool limited = getrlimit(RLIMIT_AS, &most) == 0 && most.rlim_cur != RLIM_INFINITY;
    return limited && isfinite(used) ? fmax(1, (double)most.rlim_cur - used) : INFINITY;
}

double lmb_memory_available(void) {
    double free = number_in("/proc/meminfo", "MemAvailable:"), swap = number_in("/proc/meminfo", "SwapFree:");
    if (!isfinite(free)) return 0;
    return fmin(1024 * (free + (isfinite(swap) ? swap : 0)), fmin(own_group_left(), address_space_left()));
}
