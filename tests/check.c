// tests/check.c: the runner behind check.h.
#include "check.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifndef LMB_SOURCE_DIR
#define LMB_SOURCE_DIR "."
#endif

static check_test *first_test;
static int failures;
static bool skipped, verbose;
static double tol_scale = 1;
static unsigned long long random_state;
static char temp_folder[256];

void check_register(check_test *t) {
    check_test **place = &first_test; // by file, then in order of definition
    while (*place && strcmp((*place)->file, t->file) <= 0) place = &(*place)->next;
    t->next = *place;
    *place = t;
}

bool check_true(bool ok, const char *file, int line, const char *text) {
    if (!ok) printf("  %s:%d: failed: %s\n", file, line, text), failures++;
    return ok;
}

bool check_near(double a, double b, double tol, const char *file, int line, const char *text) {
    double difference = fabs(a - b);
    bool ok = difference <= tol * tol_scale;
    if (!ok)
        printf("  %s:%d: %s: %.17g and %.17g differ by %.3g, allowed %.3g\n", file, line, text, a, b,
               difference, tol);
    failures += !ok;
    return ok;
}

bool check_text(const char *a, const char *b, const char *file, int line, const char *text) {
    bool ok = a && b && strcmp(a, b) == 0;
    if (!ok) printf("  %s:%d: %s: \"%s\" and \"%s\"\n", file, line, text, a ? a : "(null)", b ? b : "(null)");
    failures += !ok;
    return ok;
}

bool check_contains(const char *text, const char *part, const char *file, int line) {
    bool ok = text && strstr(text, part);
    if (!ok) printf("  %s:%d: \"%s\" does not contain \"%s\"\n", file, line, text ? text : "(null)", part);
    failures += !ok;
    return ok;
}

void check_skip(const char *why) {
    printf("  skipped: %s\n", why);
    skipped = true;
}

void check_note(const char *format, ...) {
    va_list args;
    va_start(args, format);
    printf("  note: ");
    vprintf(format, args);
    printf("\n");
    va_end(args);
}

bool check_sampled(void) { return getenv("LMB_SAMPLE") != NULL; }

double check_random(void) {
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(random_state >> 11) * (2.0 / 9007199254740992.0) - 1;
}

static const char *path_in(const char *folder, const char *relative) {
    static char paths[8][1024];
    static int slot;
    char *path = paths[slot++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, relative);
    return path;
}

const char *check_reference(const char *relative) {
    const char *folder = getenv("LIMBER_REFERENCE");
    if (folder == NULL || !*folder) return NULL;
    const char *path = path_in(folder, relative);
    return access(path, R_OK) == 0 ? path : NULL;
}

const char *check_source(const char *relative) { return path_in(LMB_SOURCE_DIR, relative); }

const char *check_temp(const char *name) {
    if (!temp_folder[0]) {
        const char *base = getenv("TMPDIR");
        snprintf(temp_folder, sizeof temp_folder, "%s/limber-test-XXXXXX", base ? base : "/tmp");
        if (!mkdtemp(temp_folder)) perror("mkdtemp"), exit(3);
    }
    return path_in(temp_folder, name);
}

static void remove_temp(void) {
    if (!temp_folder[0]) return;
    DIR *d = opendir(temp_folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.') unlink(path_in(temp_folder, e->d_name));
    if (d) closedir(d);
    rmdir(temp_folder);
}

static bool wanted(const check_test *t, int argc, char **argv) {
    char name[512];
    const char *slash = strrchr(t->file, '/');
    snprintf(name, sizeof name, "%s:%s", slash ? slash + 1 : t->file, t->name);
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') continue;
        any = true;
        if (strstr(name, argv[i])) return true;
    }
    return !any;
}

int main(int argc, char **argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    int part = 0, parts = 1, index = 0;
    for (int i = 1; i < argc; i++) {
        verbose |= strcmp(argv[i], "-v") == 0;
        if (sscanf(argv[i], "--part=%d/%d", &part, &parts) == 2) part--;
    }
    const char *scale = getenv("LMB_TOL_SCALE");
    if (scale) tol_scale = atof(scale);
    int passed = 0, failed = 0, skips = 0;
    for (check_test *t = first_test; t; t = t->next) {
        if (!wanted(t, argc, argv) || index++ % parts != part) continue;
        if (verbose) printf("%s: %s\n", t->file, t->name);
        failures = 0, skipped = false, random_state = 42;
        clock_t start = clock();
        t->run();
        if (verbose) printf("%8.2f s %s\n", (double)(clock() - start) / CLOCKS_PER_SEC, t->name);
        if (failures) printf("FAILED %s: %s\n", t->file, t->name), failed++;
        else if (skipped) skips++;
        else passed++;
    }
    remove_temp();
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skips);
    return failed > 0 || passed + skips == 0;
}
