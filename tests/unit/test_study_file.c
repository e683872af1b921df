// tests/unit/test_study_file.c: study files: written and read, CSV, summary, what others refuse.
#include "check.h"
#include "draw/exports.h"
#include "draw/study_describe.h"
#include "hostile.h"
#include "store/results.h"
#include "study_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

TEST(study_file_comes_back) {
    const lmb_study_file f = study_sample();
    lmb_study_file g;
    lmb_error err = {0};
    int count;
    const char *path = check_temp("study.h5");
    if (!CHECK_OK(lmb_study_file_write(path, &f, &err), err)) return;
    if (CHECK_OK(lmb_study_file_read(&g, &count, path, -1, &err), err)) {
        CHECK(count == 3 && g.members == 3 && g.parameters == 2 && g.measures == 2 && g.columns == 3);
        for (int i = 0; i < LMB_STUDY_TEXTS; i++) CHECK_TEXT(g.text[i], f.text[i]);
        for (int i = 0; i < 2; i++) {
            CHECK_TEXT(g.parameter_name[i], f.parameter_name[i]),
                CHECK_TEXT(g.parameter_source[i], f.parameter_source[i]);
            CHECK_TEXT(g.parameter_scale[i], f.parameter_scale[i]),
                CHECK_TEXT(g.measure_name[i], f.measure_name[i]);
            CHECK_TEXT(g.measure_source[i], f.measure_source[i]),
                CHECK_TEXT(g.measure_unit[i], f.measure_unit[i]);
            CHECK_TEXT(g.message_text[i], f.message_text[i]);
        }
        CHECK(same(g.parameter, f.parameter, 6) && same(g.measure, f.measure, 6) &&
              same(g.seconds, f.seconds, 3));
        CHECK(same(g.sensitivity, f.sensitivity, 12) && memcmp(g.status, f.status, sizeof(int[3])) == 0);
        CHECK(memcmp(g.message, f.message, sizeof(int[3])) == 0);
        CHECK_TEXT(g.method, "morris"), CHECK_TEXT(g.column[2], "sigma");
    }
    lmb_study_file_free(&g);
}

// one row costs no more than itself: members of large studies read only theirs
TEST(study_file_gives_one_member) {
    const lmb_study_file f = study_sample();
    lmb_study_file g;
    lmb_error err = {0};
    int count;
    const char *path = check_temp("study.h5");
    if (!CHECK_OK(lmb_study_file_write(path, &f, &err), err)) return;
    if (CHECK_OK(lmb_study_file_read(&g, &count, path, 1, &err), err))
        CHECK(count == 3 && g.members == 1 && g.parameter[0] == 1e4 && g.status[0] == 1 && g.message[0] == 1);
    lmb_study_file_free(&g);
    CHECK(lmb_study_file_read(&g, NULL, path, 3, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "there is no such member");
    lmb_study_file_free(&g);
}

// equal studies give equal bytes
TEST(study_file_has_the_same_bytes) {
    const lmb_study_file f = study_sample();
    lmb_error err = {0};
    char text[2][1 << 17];
    size_t size[2];
    for (int i = 0; i < 2; i++) {
        const char *path = check_temp(i ? "b.h5" : "a.h5");
        CHECK_OK(lmb_study_file_write(path, &f, &err), err);
        FILE *s = fopen(path, "rb");
        size[i] = s ? fread(text[i], 1, sizeof text[i], s) : 0;
        if (s) fclose(s);
    }
    CHECK(size[0] > 1000 && size[0] == size[1] && memcmp(text[0], text[1], size[0]) == 0);
}

TEST(study_file_as_csv) {
    const lmb_study_file f = study_sample();
    lmb_error err = {0};
    char text[1000] = "";
    const char *path = check_temp("study.csv");
    CHECK_OK(lmb_study_csv_write(path, &f, NULL, &err), err);
    FILE *s = fopen(path, "rb");
    if (s) text[fread(text, 1, sizeof text - 1, s)] = '\0', fclose(s);
    CHECK_TEXT(text, "member,k,L,peak [m],\"fall, \"\"late\"\" [s]\",status,message\n"
                     "1,1000,0.29999999999999999,1,2,done,\n"
                     "2,10000,0.29999999999999999,nan,nan,solver failure,\"it broke, \"\"twice\"\"\"\n"
                     "3,100000,0.29999999999999999,nan,nan,not run,\n");
}

TEST(study_file_for_people) {
    const lmb_study_file f = study_sample();
    lmb_text text = {0};
    CHECK(lmb_study_describe(&text, &f, "x.h5"));
    CHECK_CONTAINS(text.text, "members   3: 1 done, 1 not run, 1 solver failure\n");
    CHECK_CONTAINS(text.text, "k     1e3:1e5:3log\n");
    CHECK_CONTAINS(text.text, "member 2: it broke");
    lmb_text_free(&text);
}

TEST(study_file_is_neither_results_nor_overwrites) {
    const lmb_study_file f = study_sample();
    lmb_reader *r;
    lmb_error err = {0};
    const char *path = check_temp("study.h5");
    CHECK_OK(lmb_study_file_write(path, &f, &err), err);
    CHECK(lmb_study_file_is(path));
    CHECK(lmb_reader_open(&r, path, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "is not a limber results file");
    path = check_temp("notes.txt");
    FILE *s = fopen(path, "w");
    if (s) fputs("notes", s), fclose(s);
    err = (lmb_error){0};
    CHECK(lmb_study_file_write(path, &f, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "exists and is not a study");
}

// every object changed in every way: read or refused with a text; nothing stays open
TEST(study_file_that_is_hostile) {
    const lmb_study_file f = study_sample();
    lmb_error err = {0};
    char sound[512], bad[512];
    snprintf(sound, sizeof sound, "%s", check_temp("study.h5"));
    snprintf(bad, sizeof bad, "%s", check_temp("bad.h5"));
    if (!CHECK_OK(lmb_study_file_write(sound, &f, &err), err)) return;
    hostile_list *all = hostile_objects(sound);
    int refused = 0;
    if (!CHECK(all && all->count > 20)) return;
    for (int i = 0; i < all->count; i++)
        for (int way = 0; way < HOSTILE_WAYS; way++) {
            if (!CHECK(hostile_copy(bad, sound))) return;
            hid_t file = H5Fopen(bad, H5F_ACC_RDWR, H5P_DEFAULT);
            hostile_spoil(file, all->name[i], way);
            H5Fclose(file);
            lmb_study_file g;
            err = (lmb_error){0};
            lmb_status st = lmb_study_file_read(&g, NULL, bad, -1, &err);
            lmb_study_file_free(&g);
            refused += st != LMB_OK;
            CHECK(st == LMB_OK || err.text[0]);
            CHECK(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0);
        }
    check_note("%d objects, %d refusals", all->count, refused);
    CHECK(refused > 2 * all->count);
    free(all);
}
