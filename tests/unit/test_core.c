// tests/unit/test_core.c: errors, allocator, arena, text, nearest word, hash, clock.
#include "check.h"
#include "core/core.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// ---- errors ------------------------------------------------------------------------------------

TEST(error_has_place_and_text) {
    lmb_error err = {0};
    char out[1200];
    lmb_where where = {"arm.yaml", 7, 3};
    CHECK(lmb_fail(&err, LMB_ERR_INPUT, where, "unknown key '%s'; did you mean '%s'?", "mas", "mass") ==
          LMB_ERR_INPUT);
    CHECK(err.code == LMB_ERR_INPUT);
    CHECK_TEXT(lmb_error_format(out, sizeof out, &err),
               "arm.yaml:7:3: error: unknown key 'mas'; did you mean 'mass'?");
}

TEST(error_without_place) {
    lmb_error system = {0}, file = {0}, text = {0};
    char out[1200];
    lmb_fail_memory(&system);
    CHECK(system.code == LMB_ERR_SYSTEM);
    CHECK_TEXT(lmb_error_format(out, sizeof out, &system), "error: out of memory");
    lmb_fail(&file, LMB_ERR_SYSTEM, (lmb_where){"arm.h5", 0, 0}, "cannot be written");
    CHECK_TEXT(lmb_error_format(out, sizeof out, &file), "arm.h5: error: cannot be written");
    lmb_fail(&text, LMB_ERR_INPUT, (lmb_where){NULL, 2, 1}, "not a number"); // a text without a name
    CHECK_TEXT(lmb_error_format(out, sizeof out, &text), "model:2:1: error: not a number");
}

TEST(error_first_wins_and_null_is_fine) {
    lmb_error err = {0};
    lmb_fail(&err, LMB_ERR_INPUT, LMB_NOWHERE, "first");
    CHECK(lmb_fail(&err, LMB_ERR_NUMERIC, LMB_NOWHERE, "second") == LMB_ERR_NUMERIC);
    CHECK(err.code == LMB_ERR_INPUT);
    CHECK_TEXT(err.text, "first");
    CHECK(lmb_fail(NULL, LMB_ERR_SYSTEM, LMB_NOWHERE, "nobody listens") == LMB_ERR_SYSTEM);
}

TEST(error_is_cut_not_overrun) {
    lmb_error err = {0};
    char file[600], text[2000], out[32];
    memset(file, 'f', sizeof file - 1), file[sizeof file - 1] = 0;
    memset(text, 'x', sizeof text - 1), text[sizeof text - 1] = 0;
    for (size_t i = 9; i < sizeof text - 1; i += 10) text[i] = ' ';
    lmb_fail(&err, LMB_ERR_INPUT, (lmb_where){file, 1, 1}, "%s", text);
    CHECK(strlen(err.file) == sizeof err.file - 1);
    CHECK(strlen(err.text) == sizeof err.text - 1);
    CHECK(strlen(lmb_error_format(out, sizeof out, &err)) == sizeof out - 1);
}

// a name of a thousand letters does not push the remedy out of the message; two-byte letters stay whole
TEST(error_shortens_long_words) {
    lmb_error err = {0};
    char name[2001];
    for (int i = 0; i < 2000; i += 2) memcpy(name + i, "\xc3\xb6", 2);
    name[2000] = 0;
    lmb_fail(&err, LMB_ERR_INPUT, LMB_NOWHERE, "unknown key '%s' in body; did you mean 'x'?", name);
    CHECK_CONTAINS(err.text, "...");
    CHECK_CONTAINS(err.text, "' in body; did you mean 'x'?");
    CHECK(strlen(err.text) < 150);
    CHECK(strstr(err.text, "\xc3...") == NULL && strstr(err.text, "...\xb6") == NULL);
}

// ---- memory ------------------------------------------------------------------------------------

TEST(alloc_is_zeroed_and_counted) {
    long before = lmb_alloc_count();
    unsigned char *p = lmb_alloc(100, 3);
    int sum = 0;
    for (int i = 0; p && i < 300; i++) sum += p[i];
    CHECK(p != NULL && sum == 0);
    CHECK(lmb_alloc_count() == before + 1);
    p = lmb_realloc(p, 1000, 3);
    CHECK(p != NULL && p[299] == 0);
    lmb_free(p);
    lmb_free(NULL);
}

TEST(alloc_of_nothing_is_something) {
    void *p = lmb_alloc(0, 8), *q = lmb_realloc(NULL, 0, 8);
    CHECK(p != NULL && q != NULL);
    lmb_free(p);
    lmb_free(q);
}

TEST(alloc_refuses_overflow) {
    CHECK(lmb_alloc(SIZE_MAX / 2, 3) == NULL);
    char *p = lmb_alloc(4, 1);
    CHECK(lmb_realloc(p, SIZE_MAX / 4, 5) == NULL); // p stays valid
    p[3] = 'x';
    lmb_free(p);
}

TEST(alloc_fails_on_request) {
    lmb_alloc_fail_after(2);
    void *first = lmb_alloc(1, 1), *second = lmb_alloc(1, 1), *third = lmb_alloc(1, 1);
    char *copy = lmb_strdup("no");
    lmb_alloc_fail_after(-1);
    CHECK(first != NULL && second != NULL);
    CHECK(third == NULL && copy == NULL);
    lmb_free(first);
    lmb_free(second);
}

TEST(strdup_copies) {
    char *whole = lmb_strdup("arm.tip"), *part = lmb_strndup("arm.tip", 3);
    CHECK_TEXT(whole, "arm.tip");
    CHECK_TEXT(part, "arm");
    lmb_free(whole);
    lmb_free(part);
}

// ---- arena -------------------------------------------------------------------------------------

TEST(arena_pieces_are_aligned_zeroed_and_apart) {
    lmb_arena *a = lmb_arena_create(0);
    unsigned char *pieces[200];
    for (int i = 0; i < 200; i++) { // many more bytes than the first chunk
        pieces[i] = lmb_arena_get(a, (size_t)i, 1);
        CHECK((uintptr_t)pieces[i] % 16 == 0);
        for (int k = 0; k < i; k++) CHECK(pieces[i][k] == 0);
        memset(pieces[i], i, (size_t)i);
    }
    for (int i = 0; i < 200; i++) // nobody wrote over a neighbour
        for (int k = 0; k < i; k++) CHECK(pieces[i][k] == i);
    lmb_arena_destroy(a);
    lmb_arena_destroy(NULL);
}

TEST(arena_release_gives_back_and_zeroes_again) {
    lmb_arena *a = lmb_arena_create(1024);
    double *kept = lmb_arena_doubles(a, 4);
    kept[3] = 5;
    lmb_mark mark = lmb_arena_mark(a);
    double *first = lmb_arena_doubles(a, 16);
    first[7] = 1;
    lmb_arena_get(a, 1, 100000); // a chunk of its own, returned with the mark
    lmb_arena_release(a, mark);
    double *again = lmb_arena_doubles(a, 16);
    CHECK(again == first);
    CHECK_NEAR(again[7], 0, 0);
    CHECK_NEAR(kept[3], 5, 0);
    lmb_arena_destroy(a);
}

TEST(arena_with_room_leaves_the_heap_alone) {
    lmb_arena *a = lmb_arena_create(1 << 16);
    long before = lmb_alloc_count();
    for (int i = 0; i < 1000; i++) {
        lmb_mark mark = lmb_arena_mark(a);
        lmb_arena_doubles(a, 500);
        lmb_arena_doubles(a, 500);
        lmb_arena_release(a, mark);
    }
    CHECK(lmb_alloc_count() == before);
    lmb_arena_destroy(a);
}

TEST(arena_texts) {
    lmb_arena *a = lmb_arena_create(0);
    CHECK_TEXT(lmb_arena_strdup(a, "pin"), "pin");
    CHECK_TEXT(lmb_arena_printf(a, "%s[%d]", "link", 17), "link[17]");
    char *wide = lmb_arena_printf(a, "%5000d", 1);
    CHECK(wide != NULL && strlen(wide) == 5000);
    lmb_arena_destroy(a);
}

TEST(arena_without_memory) {
    for (int n = 0; n < 2; n++) { // fails at the arena, then at its first chunk; leaks nothing
        lmb_alloc_fail_after(n);
        lmb_arena *none = lmb_arena_create(64);
        lmb_alloc_fail_after(-1);
        CHECK(none == NULL);
    }
    lmb_arena *a = lmb_arena_create(0);
    lmb_alloc_fail_after(0);
    void *p = lmb_arena_get(a, 1, 1 << 20);
    char *s = lmb_arena_printf(a, "%9999d", 1);
    lmb_alloc_fail_after(-1);
    CHECK(p == NULL && s == NULL);
    CHECK(lmb_arena_get(a, SIZE_MAX / 2, 3) == NULL);
    CHECK(lmb_arena_get(a, 1, 1 << 20) != NULL); // usable after a failure
    lmb_arena_destroy(a);
}

// ---- text --------------------------------------------------------------------------------------

TEST(shares_in_percent) {
    CHECK_TEXT(lmb_percent(0.00534).text, "0.53 %");
    CHECK_TEXT(lmb_percent(0.123).text, "12 %");
    CHECK_TEXT(lmb_percent(0.996).text, "100 %");
    CHECK_TEXT(lmb_percent(2.04).text, "204 %");
    CHECK_TEXT(lmb_percent(-3.21e200).text, "-3.2e+202 %");
    CHECK_TEXT(lmb_percent(NAN).text, "nan %");
}

TEST(text_grows) {
    lmb_text t = {0};
    for (int i = 0; i < 1000; i++) CHECK(lmb_text_add(&t, "%03d,", i));
    CHECK(t.length == 4000 && strlen(t.text) == 4000);
    CHECK(memcmp(t.text + 3996, "999,", 4) == 0);
    CHECK(lmb_text_add_n(&t, "abcdef", 2));
    CHECK_TEXT(t.text + 4000, "ab");
    lmb_text_free(&t);
    CHECK(t.text == NULL && t.length == 0);
}

TEST(text_empty_is_a_string) {
    lmb_text t = {0};
    CHECK(lmb_text_add(&t, "%s", ""));
    CHECK_TEXT(t.text, "");
    lmb_text_free(&t);
}

TEST(text_keeps_what_it_has_when_memory_ends) {
    lmb_text t = {0};
    CHECK(lmb_text_add(&t, "arm"));
    lmb_alloc_fail_after(0);
    CHECK(!lmb_text_add(&t, "%500d", 1));
    lmb_alloc_fail_after(-1);
    CHECK_TEXT(t.text, "arm");
    lmb_text_free(&t);
}

// ---- nearest -----------------------------------------------------------------------------------

static const char *const WORDS[] = {"mass", "inertia", "markers", "at", "velocity", "type", NULL};
static const char *word(void *user, int i) { return ((const char *const *)user)[i]; }
static const char *nearest(const char *text) { return lmb_nearest(text, word, (void *)WORDS); }

TEST(nearest_takes_singular_for_plural) {
    CHECK_TEXT(lmb_nearest("body", word, (const char *[]){"joints", "bodies", NULL}), "bodies");
    CHECK(lmb_nearest("bob", word, (const char *[]){"joints", "bodies", NULL}) == NULL);
}

TEST(nearest_finds_what_was_meant) {
    CHECK_TEXT(nearest("mas"), "mass");
    CHECK_TEXT(nearest("amss"), "mass"); // two letters swapped
    CHECK_TEXT(nearest("Mass"), "mass"); // case does not count
    CHECK_TEXT(nearest("inerta"), "inertia");
    CHECK_TEXT(nearest("makrer"), "markers"); // swapped and one missing
    CHECK_TEXT(nearest("veloctiy"), "velocity");
}

TEST(nearest_does_not_guess) {
    CHECK(nearest("stiffness") == NULL);
    CHECK(nearest("") == NULL);
    CHECK(nearest("xy") == NULL);
    char endless[500];
    memset(endless, 'm', sizeof endless - 1), endless[sizeof endless - 1] = 0;
    CHECK(nearest(endless) == NULL);
}

// ---- hash, clock -------------------------------------------------------------------------------

TEST(hash_is_fnv1a) {
    // test vectors of the FNV reference (Fowler, Noll, Vo; 64 bit, 1a) start from 0xcbf29ce484222325
    CHECK(lmb_hash(0xcbf29ce484222325ull, "a", 1) == 0xaf63dc4c8601ec8cull);
    CHECK(lmb_hash(0xcbf29ce484222325ull, "foobar", 6) == 0x85944171f73967e8ull);
}

TEST(hash_goes_on_where_it_stopped) {
    uint64_t whole = lmb_hash(LMB_HASH_START, "four_bar", 8);
    CHECK(lmb_hash(lmb_hash(LMB_HASH_START, "four", 4), "_bar", 4) == whole);
    CHECK(lmb_hash(LMB_HASH_START, "four_baR", 8) != whole);
    CHECK(lmb_hash(LMB_HASH_START, "", 0) == LMB_HASH_START);
}

TEST(clock_does_not_go_back) {
    double last = lmb_clock();
    for (int i = 0; i < 1000; i++) {
        double now = lmb_clock();
        CHECK(now >= last);
        last = now;
    }
}
