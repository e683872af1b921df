// core/core.h: errors, memory and clock: no mechanics.
#ifndef LMB_CORE_H
#define LMB_CORE_H

#include <limber/status.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LMB_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define LMB_PRINTF(f, a)
#endif

#define LMB_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

// ---- errors ------------------------------------------------------------------------------------

static const lmb_where LMB_NOWHERE = {0};

// Fills err (if not NULL and still empty: the first error wins) and returns code.
lmb_status lmb_fail(lmb_error *err, lmb_status code, lmb_where where, const char *format, ...)
    LMB_PRINTF(4, 5);

// Reports a failed allocation.
lmb_status lmb_fail_memory(lmb_error *err);

// ---- memory ------------------------------------------------------------------------------------

// All heap memory goes through these three; lmb_alloc_count counts the calls (a test uses it to show
// that a step allocates nothing) and lmb_alloc_fail_after makes the n-th call from now fail (a test
// uses it to walk through all failures; n < 0: never).  Memory comes zeroed.  Sizes are checked for
// overflow.
void *lmb_alloc(size_t count, size_t size);
// p + n: a second array in the memory of the first; NULL if that could not be allocated.
static inline double *lmb_after(double *p, size_t n) { return p ? p + n : NULL; }
void *lmb_realloc(void *p, size_t count, size_t size); // new memory is not zeroed
void lmb_free(void *p);
char *lmb_strdup(const char *s);
char *lmb_strndup(const char *s, size_t n);
long lmb_alloc_count(void);
void lmb_alloc_fail_after(long n);

// An arena: memory that is released all at once, or down to a mark.  Grows by chunks; memory comes
// zeroed and aligned to 16 bytes.  A scratch arena with a sufficient first chunk never touches the
// heap again.
typedef struct lmb_arena lmb_arena;
typedef struct lmb_mark {
    void *chunk;
    size_t used;
} lmb_mark;

lmb_arena *lmb_arena_create(size_t first_chunk); // NULL: no memory
void lmb_arena_destroy(lmb_arena *a);            // takes NULL
void *lmb_arena_get(lmb_arena *a, size_t count, size_t size);
double *lmb_arena_doubles(lmb_arena *a, int count);
char *lmb_arena_strdup(lmb_arena *a, const char *s);
char *lmb_arena_printf(lmb_arena *a, const char *format, ...) LMB_PRINTF(2, 3);
lmb_mark lmb_arena_mark(const lmb_arena *a);
void lmb_arena_release(lmb_arena *a, lmb_mark mark);

// ---- text --------------------------------------------------------------------------------------

// A growing string. Start with {0}; text is never NULL after the first call that returns true.
typedef struct lmb_text {
    char *text;
    size_t length, capacity;
} lmb_text;

bool lmb_text_add(lmb_text *t, const char *format, ...) LMB_PRINTF(2, 3);
bool lmb_text_add_n(lmb_text *t, const char *s, size_t n);
void lmb_text_free(lmb_text *t);

// A share as people write it: "0.53 %", "12 %", "210 %"; use as lmb_percent(share).text.
typedef struct lmb_short_text {
    char text[24];
} lmb_short_text;
lmb_short_text lmb_percent(double share);

// The candidate nearest to word in edit distance (insert, delete, replace, swap; case ignored), NULL if
// none is similar enough.  next(user, i) gives candidate i, NULL at the end.
const char *lmb_nearest(const char *word, const char *(*next)(void *user, int i), void *user);

// Order of names as people expect it, numbers in them by value: run2 before run10.
int lmb_natural_compare(const char *a, const char *b);

// ---- clock -------------------------------------------------------------------------------------

double lmb_clock(void); // seconds, monotonic

// FNV-1a, 64 bit: for content hashes. Start with LMB_HASH_START.
#define LMB_HASH_START 1469598103934665603ull
uint64_t lmb_hash(uint64_t h, const void *data, size_t size);

// A condition at the seam of two layers, checked where time does not count: in Debug and sanitizer builds.
#ifdef LMB_CHECKS
#include <assert.h>
#define LMB_SEAM(condition) assert(condition)
#else
#define LMB_SEAM(condition) ((void)0)
#endif

#endif
