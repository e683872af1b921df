// tests/check.h: a small test header. TEST(name) { ... } registers itself; one runner runs them all (or those
// whose "file:name" contains an argument) and closes with "N passed, N failed, N skipped". --part=2/3: the second of
// three shares of them; -v: names and seconds.
// LMB_TOL_SCALE=0 shows all residuals.
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdbool.h>

typedef struct check_test check_test;
struct check_test {
    const char *file, *name;
    void (*run)(void);
    check_test *next;
};
void check_register(check_test *t);
// Each returns whether the check held; a failure is printed with file, line and both values.
bool check_true(bool ok, const char *file, int line, const char *text);
bool check_near(double a, double b, double tol, const char *file, int line, const char *text);
bool check_text(const char *a, const char *b, const char *file, int line, const char *text);
bool check_contains(const char *text, const char *part, const char *file, int line);
void check_skip(const char *why);         // marks the running test as skipped; return after it
void check_note(const char *format, ...); // printed with the test when it fails or when -v is given
bool check_sampled(void);                 // LMB_SAMPLE is set: large loops take a part, as under sanitizers
// at the beginning of a test whose numbers count, where others run the same code: not in samples
#define ACCURACY_ONLY()                                                   \
    do {                                                                  \
        if (!check_sampled()) break;                                      \
        check_skip("its accuracy counts; other tests run the same code"); \
        return;                                                           \
    } while (0)
double check_random(void); // uniform in [-1, 1], same sequence for every test
const char *
check_reference(const char *relative); // path below $LIMBER_REFERENCE, NULL if it is not set or not there
const char *
check_source(const char *relative);       // path below the source folder (LMB_SOURCE_DIR at compile time)
const char *check_temp(const char *name); // path of a file in a fresh folder of this run, removed at the end

#define TEST(name)                                                                                         \
    static void test_##name(void);                                                                         \
    static check_test test_entry_##name = {__FILE__, #name, test_##name, 0};                               \
    __attribute__((constructor)) static void test_add_##name(void) { check_register(&test_entry_##name); } \
    static void test_##name(void)

#define CHECK(condition) check_true((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, tol) check_near((a), (b), (tol), __FILE__, __LINE__, #a " ~ " #b)
#define CHECK_TEXT(a, b) check_text((a), (b), __FILE__, __LINE__, #a " == " #b)
#define CHECK_CONTAINS(text, part) check_contains((text), (part), __FILE__, __LINE__)
#define CHECK_OK(status, err) \
    check_true((status) == LMB_OK || (check_note("%s", (err).text), false), __FILE__, __LINE__, #status)

#endif
