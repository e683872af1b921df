// tests/unit/test_os_zip.c: archives that are written, read back, and made wrong.
#include "check.h"
#include "os/zip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 20 };

static const char REPEATED[] =
    "limber limber limber limber limber limber limber limber limber limber limber limber";

static bool make(lmb_zip *z) {
    lmb_error err = {0};
    *z = (lmb_zip){0};
    return CHECK_OK(lmb_zip_add(z, "model.xml", "<a/>", 4, LMB_ZIP_STORED, &err), err) &&
           CHECK_OK(lmb_zip_add(z, "resources/text", REPEATED, sizeof REPEATED, LMB_ZIP_DEFLATED, &err),
                    err) &&
           CHECK_OK(lmb_zip_add(z, "resources/empty", "", 0, LMB_ZIP_DEFLATED, &err), err) &&
           CHECK_OK(lmb_zip_end(z, &err), err);
}

TEST(zip_entries_come_back) {
    lmb_zip z;
    lmb_unzip u;
    lmb_error err = {0};
    lmb_text text;
    if (!make(&z)) return;
    CHECK_OK(lmb_unzip_open(&u, z.bytes.text, z.bytes.length, MOST, "a.zip", LMB_NOWHERE, &err), err);
    CHECK(u.count == 3 && lmb_unzip_find(&u, "model.xml") == 0 && lmb_unzip_find(&u, "resources") == -1);
    CHECK(u.entries[1].packed < 30 && u.entries[1].size == sizeof REPEATED);
    CHECK_OK(lmb_unzip_entry(&text, &u, 1, &err), err);
    CHECK(text.length == sizeof REPEATED && memcmp(text.text, REPEATED, sizeof REPEATED) == 0);
    lmb_text_free(&text);
    CHECK_OK(lmb_unzip_entry(&text, &u, 2, &err), err);
    CHECK(text.length == 0);
    lmb_text_free(&text);
    lmb_unzip_close(&u);
    lmb_zip_free(&z);
}

// what another program says: python3 is there where tests run
TEST(zip_archives_are_those_of_other_programs) {
    lmb_zip z;
    lmb_error err = {0};
    if (system("command -v python3 >/dev/null") != 0) {
        check_skip("python3 is not installed");
        return;
    }
    char path[512], command[1200];
    snprintf(path, sizeof path, "%s", check_temp("ours.zip"));
    FILE *f = make(&z) ? fopen(path, "wb") : NULL;
    if (!CHECK(f != NULL)) return;
    CHECK(fwrite(z.bytes.text, 1, z.bytes.length, f) == z.bytes.length && fclose(f) == 0);
    lmb_zip_free(&z);
    snprintf(command, sizeof command,
             "python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); sys.exit(z.testzip() is not "
             "None or "
             "z.read(\"model.xml\") != b\"<a/>\" or z.namelist()[2] != \"resources/empty\")' '%s'",
             path);
    CHECK(system(command) == 0);
    // and the other way round, with a comment behind the directory
    snprintf(
        command, sizeof command,
        "python3 -c 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1], \"w\", zipfile.ZIP_DEFLATED); "
        "z.comment = b\"PK comment\"; z.writestr(\"b/c\", \"12\" * 4000); z.close()' '%s'",
        path);
    CHECK(system(command) == 0);
    char bytes[4096];
    f = fopen(path, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    lmb_unzip u;
    lmb_text text = {0};
    if (CHECK_OK(lmb_unzip_open(&u, bytes, size, MOST, path, LMB_NOWHERE, &err), err))
        CHECK_OK(lmb_unzip_entry(&text, &u, lmb_unzip_find(&u, "b/c"), &err), err);
    CHECK(text.length == 8000 && text.text[7999] == '2');
    lmb_text_free(&text);
    lmb_unzip_close(&u);
    remove(path);
}

static void check_refused(const char *bytes, size_t size, const char *why) {
    lmb_unzip u;
    lmb_error err = {0};
    lmb_text text = {0};
    lmb_status st = lmb_unzip_open(&u, bytes, size, MOST, "a.zip", LMB_NOWHERE, &err);
    for (int i = 0; i < u.count && st == LMB_OK; i++) {
        lmb_text_free(&text);
        st = lmb_unzip_entry(&text, &u, i, &err);
    }
    CHECK(st == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, why);
    lmb_text_free(&text);
    lmb_unzip_close(&u);
}

TEST(zip_names_do_not_lead_outside) {
    static const char *const names[] = {"/etc/passwd", "../a", "a/../../b", "a/..", ".",
                                        "a//b",        "a\\b", "c:d",       "a\nb"};
    for (int i = 0; i < LMB_COUNT(names); i++) {
        lmb_zip z = {0};
        CHECK(lmb_zip_add(&z, names[i], "x", 1, LMB_ZIP_STORED, NULL) == LMB_OK &&
              lmb_zip_end(&z, NULL) == LMB_OK);
        check_refused(z.bytes.text, z.bytes.length, "plain relative path");
        lmb_zip_free(&z);
    }
    lmb_zip z = {0};
    lmb_unzip u;
    CHECK(lmb_zip_add(&z, "..a/.b/c..", "x", 1, LMB_ZIP_STORED, NULL) == LMB_OK &&
          lmb_zip_end(&z, NULL) == LMB_OK);
    CHECK(lmb_unzip_open(&u, z.bytes.text, z.bytes.length, MOST, "a.zip", LMB_NOWHERE, NULL) == LMB_OK);
    lmb_unzip_close(&u);
    lmb_zip_free(&z);
}

// cut anywhere, or with one byte changed anywhere: refused, or what was packed comes out
TEST(zip_archives_made_wrong) {
    lmb_zip z;
    lmb_unzip u;
    if (!make(&z)) return;
    size_t size = z.bytes.length;
    for (size_t n = 0; n < size; n++) {
        char *cut = malloc(n + 1); // so that sanitizers see its end
        memcpy(cut, z.bytes.text, n);
        CHECK(lmb_unzip_open(&u, cut, n, MOST, "a.zip", LMB_NOWHERE, NULL) == LMB_ERR_INPUT);
        lmb_unzip_close(&u);
        free(cut);
    }
    for (size_t k = 0; k < size * 3; k++) {
        char *p = z.bytes.text + k / 3, was = *p;
        *p = (char)(was ^ (k % 3 == 0 ? 1 : k % 3 == 1 ? 0x80 : 0xff));
        lmb_status st = lmb_unzip_open(&u, z.bytes.text, size, MOST, "a.zip", LMB_NOWHERE, NULL);
        for (int i = 0; i < u.count && st == LMB_OK; i++) {
            lmb_text text;
            bool same = lmb_unzip_entry(&text, &u, i, NULL) == LMB_OK;
            if (same && i == 1)
                CHECK(text.length == sizeof REPEATED && memcmp(text.text, REPEATED, text.length) == 0);
            lmb_text_free(&text);
        }
        lmb_unzip_close(&u);
        *p = was;
    }
    lmb_zip_free(&z);
}

TEST(zip_archives_are_limited_before_they_are_unpacked) {
    lmb_zip z = {0};
    char *zeros = calloc(1, 2 * MOST);
    CHECK(zeros && lmb_zip_add(&z, "zeros", zeros, 2 * MOST, LMB_ZIP_DEFLATED, NULL) == LMB_OK);
    CHECK(z.bytes.length < 4000 && lmb_zip_end(&z, NULL) == LMB_OK);
    check_refused(z.bytes.text, z.bytes.length, "too large");
    lmb_zip_free(&z);
    free(zeros);
    check_refused("PK", 2, "not a zip archive");
}

TEST(zip_when_memory_ends) {
    lmb_status st = LMB_ERR_SYSTEM;
    int points = 0;
    for (; st != LMB_OK && points < 1000; points++) {
        lmb_zip z = {0};
        lmb_unzip u = {0};
        lmb_text text = {0};
        lmb_alloc_fail_after(points);
        st = lmb_zip_add(&z, "a", REPEATED, sizeof REPEATED, LMB_ZIP_DEFLATED, NULL);
        if (st == LMB_OK) st = lmb_zip_end(&z, NULL);
        if (st == LMB_OK) st = lmb_unzip_open(&u, z.bytes.text, z.bytes.length, MOST, "a", LMB_NOWHERE, NULL);
        if (st == LMB_OK) st = lmb_unzip_entry(&text, &u, 0, NULL);
        lmb_alloc_fail_after(-1);
        CHECK(st == LMB_OK || st == LMB_ERR_SYSTEM);
        lmb_text_free(&text);
        lmb_unzip_close(&u);
        lmb_zip_free(&z);
    }
    CHECK(st == LMB_OK && points > 10);
}
