// core/core.c: errors, memory and clock.
#include "core/core.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

// ---- errors ------------------------------------------------------------------------------------

// A word that would fill the message (a name of a thousand letters) keeps its ends.
enum { WORD_SHOWN = 120, WORD_KEPT = 40 };

static bool inside_utf8(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static void shorten_words(char *out, size_t size, const char *text) {
    size_t used = 0;
    while (*text && used + 1 < size) {
        size_t n = strcspn(text, " \n"), head = n, tail = n;
        if (n > WORD_SHOWN) {
            for (head = WORD_KEPT; head > 0 && inside_utf8(text[head]);) head--;
            for (tail = n - WORD_KEPT; tail < n && inside_utf8(text[tail]);) tail++;
        }
        int m = snprintf(out + used, size - used, "%.*s%s%.*s%.1s", (int)head, text, tail > head ? "..." : "",
                         (int)(n - tail), text + tail, text + n);
        used += m > 0 ? (size_t)m : 0;
        text += n + (text[n] != '\0');
    }
}

lmb_status lmb_fail(lmb_error *err, lmb_status code, lmb_where where, const char *format, ...) {
    assert(code != LMB_OK);
    if (err == NULL || err->code != LMB_OK) return code;
    err->code = code;
    err->line = where.line;
    err->col = where.col;
    snprintf(err->file, sizeof err->file, "%s", where.file ? where.file : "");
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    shorten_words(err->text, sizeof err->text, text);
    return code;
}

lmb_status lmb_fail_memory(lmb_error *err) {
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "out of memory");
}

const char *lmb_error_format(char *out, int size, const lmb_error *err) {
    const char *file = err->file[0] ? err->file : "model";
    if (err->line > 0 && err->col > 0)
        snprintf(out, (size_t)size, "%s:%d:%d: error: %s", file, err->line, err->col, err->text);
    else if (err->line > 0) snprintf(out, (size_t)size, "%s:%d: error: %s", file, err->line, err->text);
    else if (err->file[0]) snprintf(out, (size_t)size, "%s: error: %s", file, err->text);
    else snprintf(out, (size_t)size, "error: %s", err->text);
    return out;
}

// ---- memory ------------------------------------------------------------------------------------

// The only process-wide state: counters that tests read. They influence nothing unless a test arms them.
static atomic_long alloc_calls;
static atomic_long alloc_left = -1;

static bool alloc_refused(size_t count, size_t size) {
    atomic_fetch_add(&alloc_calls, 1);
    if (size != 0 && count > SIZE_MAX / size) return true;
    long left = atomic_load(&alloc_left);
    if (left < 0) return false;
    if (left == 0) return true;
    atomic_store(&alloc_left, left - 1);
    return false;
}

void *lmb_alloc(size_t count, size_t size) {
    if (alloc_refused(count, size)) return NULL;
    if (count == 0 || size == 0) count = size = 1;
    return calloc(count, size);
}

void *lmb_realloc(void *p, size_t count, size_t size) {
    if (alloc_refused(count, size)) return NULL;
    if (count == 0 || size == 0) count = size = 1;
    return realloc(p, count * size);
}

void lmb_free(void *p) { free(p); }

char *lmb_strndup(const char *s, size_t n) {
    char *copy = lmb_alloc(n + 1, 1);
    if (copy) memcpy(copy, s, n);
    return copy;
}

char *lmb_strdup(const char *s) { return lmb_strndup(s, strlen(s)); }

long lmb_alloc_count(void) { return atomic_load(&alloc_calls); }

void lmb_alloc_fail_after(long n) { atomic_store(&alloc_left, n); }

// ---- arena -------------------------------------------------------------------------------------

typedef struct chunk chunk;
struct chunk {
    chunk *previous;
    size_t size, used;
    _Alignas(16) unsigned char bytes[];
};

struct lmb_arena {
    chunk *top;
    size_t next_size;
};

static chunk *chunk_create(size_t size, chunk *previous) {
    chunk *c = lmb_alloc(1, sizeof *c + size);
    if (c == NULL) return NULL;
    c->previous = previous;
    c->size = size;
    return c;
}

lmb_arena *lmb_arena_create(size_t first_chunk) {
    lmb_arena *a = lmb_alloc(1, sizeof *a);
    if (a == NULL) return NULL;
    a->next_size = first_chunk < 256 ? 256 : first_chunk;
    a->top = chunk_create(a->next_size, NULL);
    if (a->top == NULL) {
        lmb_free(a);
        return NULL;
    }
    return a;
}

void lmb_arena_destroy(lmb_arena *a) {
    if (a == NULL) return;
    for (chunk *c = a->top; c != NULL;) {
        chunk *previous = c->previous;
        lmb_free(c);
        c = previous;
    }
    lmb_free(a);
}

void *lmb_arena_get(lmb_arena *a, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - 64) / size) return NULL;
    size_t bytes = (count * size + 15) & ~(size_t)15;
    if (a->top->size - a->top->used < bytes) {
        while (a->next_size < bytes || a->next_size <= a->top->size) a->next_size *= 2;
        chunk *c = chunk_create(a->next_size, a->top);
        if (c == NULL) return NULL;
        a->top = c;
    }
    void *p = a->top->bytes + a->top->used;
    a->top->used += bytes;
    return memset(p, 0, bytes);
}

double *lmb_arena_doubles(lmb_arena *a, int count) { return lmb_arena_get(a, (size_t)count, sizeof(double)); }

char *lmb_arena_strdup(lmb_arena *a, const char *s) {
    size_t n = strlen(s);
    char *copy = lmb_arena_get(a, n + 1, 1);
    if (copy) memcpy(copy, s, n);
    return copy;
}

char *lmb_arena_printf(lmb_arena *a, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char most[200]; // of nearly all texts: they are written once
    int n = vsnprintf(most, sizeof most, format, args);
    char *s = n < 0 ? NULL : lmb_arena_get(a, (size_t)n + 1, 1);
    if (s && (size_t)n < sizeof most) memcpy(s, most, (size_t)n + 1);
    else if (s) vsnprintf(s, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    return s;
}

lmb_mark lmb_arena_mark(const lmb_arena *a) { return (lmb_mark){a->top, a->top->used}; }

void lmb_arena_release(lmb_arena *a, lmb_mark mark) {
    while (a->top != mark.chunk) {
        chunk *previous = a->top->previous;
        assert(previous != NULL);
        lmb_free(a->top);
        a->top = previous;
    }
    a->top->used = mark.used;
}

// ---- text --------------------------------------------------------------------------------------

static bool text_reserve(lmb_text *t, size_t more) {
    if (t->length + more + 1 <= t->capacity) return true;
    size_t capacity = t->capacity ? t->capacity : 64;
    while (capacity < t->length + more + 1) capacity *= 2;
    char *text = lmb_realloc(t->text, capacity, 1);
    if (text == NULL) return false;
    t->text = text;
    t->capacity = capacity;
    return true;
}

bool lmb_text_add_n(lmb_text *t, const char *s, size_t n) {
    if (!text_reserve(t, n)) return false;
    memcpy(t->text + t->length, s, n);
    t->length += n;
    t->text[t->length] = '\0';
    return true;
}

lmb_short_text lmb_percent(double share) {
    lmb_short_text out;
    const char *format = fabs(share) < 0.995 ? "%.2g %%" : fabs(share) < 1e4 ? "%.0f %%" : "%.1e %%";
    snprintf(out.text, sizeof out.text, format, 100 * share);
    return out;
}

bool lmb_text_add(lmb_text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    size_t room = t->capacity - t->length; // 0: there is no text yet
    int n = vsnprintf(room > 0 ? t->text + t->length : NULL, room, format, args);
    bool fits = n >= 0 && (size_t)n < room, ok = fits || (n >= 0 && text_reserve(t, (size_t)n));
    if (ok && !fits) vsnprintf(t->text + t->length, (size_t)n + 1, format, again);
    if (ok) t->length += (size_t)n;
    else if (room > 0) t->text[t->length] = '\0';
    va_end(again);
    va_end(args);
    return ok;
}

void lmb_text_free(lmb_text *t) {
    lmb_free(t->text);
    *t = (lmb_text){0};
}

// optimal string alignment distance of two short words, case ignored; rows a, b, c roll over
enum { WORD_MAX = 64 };
static int edit_distance(const char *s, const char *t) {
    int n = (int)strlen(s), m = (int)strlen(t);
    if (n > WORD_MAX || m > WORD_MAX) return WORD_MAX;
    int rows[3][WORD_MAX + 1];
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++) {
        int *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int a = tolower((unsigned char)s[i - 1]), b = tolower((unsigned char)t[j - 1]);
            int d = last[j - 1] + (a != b);
            if (last[j] + 1 < d) d = last[j] + 1;
            if (now[j - 1] + 1 < d) d = now[j - 1] + 1;
            bool swap = i > 1 && j > 1 && a == tolower((unsigned char)t[j - 2]) &&
                        b == tolower((unsigned char)s[i - 2]);
            if (swap && before[j - 2] + 1 < d) d = before[j - 2] + 1;
            now[j] = d;
        }
    }
    return rows[n % 3][m];
}

const char *lmb_nearest(const char *word, const char *(*next)(void *user, int i), void *user) {
    const char *best = NULL;
    int length = (int)strlen(word), limit = length < 4 ? 1 : length < 9 ? 2 : 3, nearest = limit + 1;
    for (int i = 0;; i++) {
        const char *candidate = next(user, i);
        if (candidate == NULL) return best;
        // `body` for bodies: all but its last letter begins the candidate
        if (best == NULL && length >= 4 && strncasecmp(word, candidate, (size_t)length - 1) == 0)
            best = candidate;
        int d = edit_distance(word, candidate);
        if (d < nearest && d < (int)strlen(candidate)) best = candidate, nearest = d;
    }
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static const char *skip_zeros(const char *s) {
    while (*s == '0' && is_digit(s[1])) s++;
    return s;
}

// two numbers, of which the one with more digits is larger; both ends are moved behind them
static int compare_digits(const char **a, const char **b) {
    const char *x = *a = skip_zeros(*a), *y = *b = skip_zeros(*b);
    while (is_digit(**a)) ++*a;
    while (is_digit(**b)) ++*b;
    if (*a - x != *b - y) return *a - x < *b - y ? -1 : 1;
    return strncmp(x, y, (size_t)(*a - x));
}

int lmb_natural_compare(const char *a, const char *b) {
    const char *x = a, *y = b;
    while (*x && *y) {
        int sign =
            is_digit(*x) && is_digit(*y) ? compare_digits(&x, &y) : (unsigned char)*x++ - (unsigned char)*y++;
        if (sign) return sign;
    }
    int sign = (*x != '\0') - (*y != '\0');
    return sign ? sign : strcmp(a, b); // 01 and 1
}

// ---- clock -------------------------------------------------------------------------------------

double lmb_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

uint64_t lmb_hash(uint64_t h, const void *data, size_t size) {
    const unsigned char *p = data;
    for (size_t i = 0; i < size; i++) h = (h ^ p[i]) * 1099511628211ull;
    return h;
}
