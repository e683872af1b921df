// tests/unit/test_io_reference.c: tables of other programs, however they separate their numbers.
#include "check.h"
#include "io/reference_file.h"

#include <stdio.h>

static bool read_text(lmb_reference_table *t, const char *text, lmb_reference_columns c, lmb_error *err) {
    const char *path = check_temp("table.txt");
    bool found;
    FILE *f = fopen(path, "w");
    *t = (lmb_reference_table){0}, *err = (lmb_error){0};
    if (!CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0)) return false;
    return lmb_reference_read(t, &found, path, c, err) == LMB_OK && CHECK(found);
}

// the same two rows of three numbers in every dress
TEST(separators_of_reference_tables) {
    static const char *const texts[] = {
        "0,10,100\n1.5,-20,200\n",
        "0;10;100\n1.5;-20;200\n",
        "0 ; 10 ; 100\n1.5 ;-20; 200\n",
        "0\t10\t100\n1.5\t-20\t200\n",
        "  0  10  100\n1.5 -20   200\n",
        "0, 10, 100\r\n1.5, -20, 200\r\n",
        "0;10;100\r\n1.5;-20;200",
        "t;a;b\n0;10;100\n1.5;-20;200",
        "# of a rig\n\n0;10,100\n1.5,-20;200\n",
        "0;10;100;\n1.5;-20;200;\nend\n9",
    };
    static const double want[][2] = {{0, 1.5}, {10, -20}, {100, 200}};
    for (int i = 0; i < LMB_COUNT(texts); i++)
        for (int column = 1; column < 3; column++) {
            lmb_reference_table t;
            lmb_error err;
            bool ok = CHECK_OK(
                read_text(&t, texts[i], (lmb_reference_columns){0, column, 0}, &err) ? LMB_OK : err.code,
                err);
            ok = ok && CHECK(t.count == 2);
            for (int row = 0; row < 2 && ok; row++) {
                ok &= CHECK_NEAR(t.time[row], want[0][row], 0);
                ok &= CHECK_NEAR(t.value[row], want[column][row], 0);
            }
            if (!ok) check_note("column %d of \"%s\"", column, texts[i]);
            lmb_reference_free(&t);
        }
}

// an empty cell is a column; a number that is not there is an error, and so is a word in its place
TEST(empty_cells_of_reference_tables) {
    lmb_reference_table t;
    lmb_error err;
    static const char *const texts[] = {"0;;100\n1;;200\n", "0,,100\n1, ,200\n"};
    for (int i = 0; i < LMB_COUNT(texts); i++) {
        if (CHECK(read_text(&t, texts[i], (lmb_reference_columns){0, 2, 0}, &err)))
            CHECK(t.count == 2 && t.value[0] == 100 && t.value[1] == 200);
        lmb_reference_free(&t);
        CHECK(!read_text(&t, texts[i], (lmb_reference_columns){0, 1, 0}, &err) && err.line == 1);
        lmb_reference_free(&t);
    }
    CHECK(!read_text(&t, "0;1\n1;2\n2;3m\n", (lmb_reference_columns){0, 1, 0}, &err) && err.line == 3);
    lmb_reference_free(&t);
    if (CHECK(read_text(&t, "5;5\n0;1\n", (lmb_reference_columns){1, 0, 1},
                        &err))) // lines to skip, columns swapped
        CHECK(t.count == 1 && t.time[0] == 1 && t.value[0] == 0);
    lmb_reference_free(&t);
}
