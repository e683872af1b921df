// tests/unit/test_os_outfile.c: what killed programs leave of their outputs.
#include "check.h"
#include "os/outfile.h"

#include <fcntl.h>
#include <unistd.h>

static int make_part(char path[600], const char *output, const char *digits) {
    snprintf(path, 600, "%s%s", output, digits);
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

TEST(parts_of_killed_programs_are_removed) {
    static const struct {
        const char *name;
        bool stays;
    } all[] = {{".csv.0123456789abcdef.part", false},   {"_0001.vtu.fedcba9876543210.part", false},
               {".csv.0123456789abcdeg.part", true},    {".csv.123456789abcdef.part", true},
               {".csv.0123456789abcdef.parts", true},   {".csv", true},
               {".csv.00112233445566778899.part", true}};
    char stem[512], output[520], path[LMB_COUNT(all)][600];
    snprintf(stem, sizeof stem, "%s", check_temp("swept"));
    snprintf(output, sizeof output, "%s.csv", stem);
    for (int i = 0; i < LMB_COUNT(all); i++) close(make_part(path[i], stem, all[i].name));
    lmb_output_sweep(output);
    for (int i = 0; i < LMB_COUNT(all); i++) {
        check_note("%s", all[i].name);
        CHECK((access(path[i], F_OK) == 0) == all[i].stays);
        unlink(path[i]);
    }
}

TEST(parts_that_are_being_written_stay) {
    lmb_error err = {0};
    lmb_outfile o;
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("busy.csv"));
    if (!CHECK_OK(lmb_outfile_open(&o, path, NULL, &err), err)) return;
    lmb_output_sweep(path);
    CHECK(access(o.part, F_OK) == 0);
    fputs("1\n", o.f);
    CHECK_OK(lmb_outfile_close(&o, LMB_OK, &err), err);
    CHECK(access(path, F_OK) == 0);
    unlink(path);
}

// neither what is a link, nor what leads elsewhere
TEST(parts_that_are_links_stay) {
    char stem[512], output[520], link[600], there[600];
    snprintf(stem, sizeof stem, "%s", check_temp("linked"));
    snprintf(output, sizeof output, "%s.csv", stem);
    close(make_part(there, stem, ".kept"));
    snprintf(link, sizeof link, "%s.csv.0123456789abcdef.part", stem);
    CHECK(symlink(there, link) == 0);
    lmb_output_sweep(output);
    CHECK(access(there, F_OK) == 0 && access(link, F_OK) == 0);
    unlink(link), unlink(there);
}
