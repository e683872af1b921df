// tests/unit/test_core_sha256.c: SHA-256 by the vectors of FIPS 180-4 and of NIST's CAVP (SHA256ShortMsg).
#include "check.h"
#include "core/sha256.h"

#include <string.h>

static void check_hash(const char *text, size_t size, int times, const char *expected) {
    lmb_sha256 s;
    unsigned char digest[LMB_SHA256_SIZE];
    char hex[LMB_SHA256_TEXT];
    lmb_sha256_begin(&s);
    for (int i = 0; i < times; i++) lmb_sha256_add(&s, text, size);
    lmb_sha256_end(digest, &s);
    lmb_sha256_text(hex, digest);
    CHECK_TEXT(hex, expected);
}

TEST(published_vectors) {
    check_hash("", 0, 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_hash("abc", 3, 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 1,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check_hash("\xd3", 1, 1, "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
    check_hash("a", 1, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// in pieces of any size it is the same
TEST(pieces_make_no_difference) {
    char text[300];
    unsigned char whole[LMB_SHA256_SIZE], parts[LMB_SHA256_SIZE];
    for (int i = 0; i < 300; i++) text[i] = (char)(7 * i);
    for (size_t n = 0; n <= 300; n += 13)
        for (size_t piece = 1; piece < 80; piece += 11) {
            lmb_sha256 a, b;
            lmb_sha256_begin(&a), lmb_sha256_begin(&b);
            lmb_sha256_add(&a, text, n);
            for (size_t i = 0; i < n; i += piece) lmb_sha256_add(&b, text + i, n - i < piece ? n - i : piece);
            lmb_sha256_end(whole, &a), lmb_sha256_end(parts, &b);
            CHECK(memcmp(whole, parts, sizeof whole) == 0);
        }
}
