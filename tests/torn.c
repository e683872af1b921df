// tests/torn.c: preloaded into limber, kills it in the middle of a write to a results file, or after it; counts what is read from them.
//
// LMB_TORN=K: the K-th write ends where its first page of memory ends, as the system ends it when a process is killed during it; the
// process is then killed.  0: none; the number of writes and the bytes read are printed.
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

typedef ssize_t writer(int, const void *, size_t, off64_t);
typedef ssize_t reader(int, void *, size_t, off64_t);

static long count, bytes_read;

static bool is_results(int file) {
    char link[32], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return false;
    path[n] = '\0';
    return strstr(path, ".h5") != NULL;
}

static writer *real_writer(void) {
    writer *out;
    void *found = dlsym(RTLD_NEXT, "pwrite64");
    memcpy(&out, &found, sizeof out);
    return out;
}

static reader *real_reader(void) {
    reader *out;
    void *found = dlsym(RTLD_NEXT, "pread64");
    memcpy(&out, &found, sizeof out);
    return out;
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    const char *wanted = getenv("LMB_TORN");
    size_t first = PAGE - (size_t)at % PAGE;
    if (is_results(file) && ++count == (wanted ? atol(wanted) : 0)) {
        real_writer()(file, bytes, size < first ? size : first, at);
        kill(getpid(), SIGKILL);
    }
    return real_writer()(file, bytes, size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { return pwrite64(file, bytes, size, at); }

ssize_t pread64(int file, void *bytes, size_t size, off64_t at) {
    if (is_results(file)) bytes_read += (long)size;
    return real_reader()(file, bytes, size, at);
}

ssize_t pread(int file, void *bytes, size_t size, off_t at) { return pread64(file, bytes, size, at); }

__attribute__((destructor)) static void tell(void) {
    const char *wanted = getenv("LMB_TORN");
    if (wanted && atol(wanted) == 0) fprintf(stderr, "%ld writes, %ld bytes read\n", count, bytes_read);
}
