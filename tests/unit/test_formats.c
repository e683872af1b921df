// tables of formats: what is read and written, by endings and contents, and what the guide says about it.
#include "check.h"
#include "core/format.h"
#include "read/mesh_file.h"
#include "store/flex_file.h"
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the text of a page, with line breaks as blanks; free it
static char *page(const char *path) {
    FILE *f = fopen(check_source(path), "rb");
    char *text = calloc(1 << 20, 1);
    if (CHECK(f != NULL && text != NULL)) CHECK(fread(text, 1, (1 << 20) - 1, f) > 0);
    if (f) fclose(f);
    for (char *p = text; p && *p; p++)
        if (*p == '\n') *p = ' ';
    return text;
}

TEST(guide_lists_the_formats) {
    static const struct {
        lmb_format_use use;
        const char *path;
    } all[] = {{LMB_FORMATS_PARTS, "docs/guide/parts.md"},
               {LMB_FORMATS_BODIES, "docs/guide/flexible-bodies.md"},
               {LMB_FORMATS_EXPORTS, "docs/guide/command-line.md"},
               {LMB_FORMATS_MATRICES, "docs/guide/formats.md"}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char *text = page(all[i].path);
        if (!CHECK(text && strstr(text, lmb_format_list(all[i].use))))
            check_note("%s does not contain: %s", all[i].path, lmb_format_list(all[i].use));
        free(text);
    }
}

// every ending of meshes and geometry in the table of what files from others can do
TEST(guide_says_what_meshes_can_do) {
    char *text = page("docs/guide/security.md");
    for (const char *p = lmb_format_list(LMB_FORMATS_PARTS); text && (p = strchr(p, '.')); p++) {
        char ending[32];
        snprintf(ending, sizeof ending, "`%.*s`", (int)strcspn(p, ",)"), p);
        CHECK_CONTAINS(text, ending);
    }
    free(text);
}

TEST(endings_fit_whole_and_in_any_case) {
    CHECK(lmb_format_fits(".step, .stp", "a/b.step") && lmb_format_fits(".step, .stp", "B.STP"));
    CHECK(!lmb_format_fits(".step, .stp", "a.ste") && !lmb_format_fits(".step, .stp", ".stp"));
    CHECK(!lmb_format_fits(".step, .stp", "a.step.txt") && !lmb_format_fits(".step, .stp", ""));
}

TEST(meshes_of_any_name_are_known_by_their_contents) {
    static const struct {
        const char *from, *name;
    } all[] = {{"tests/fuzz/corpus/msh/hex_2_41b.msh", "format_one.mesh"},
               {"tests/fuzz/corpus/inp/frame.inp", "format_two"}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char to[512], command[2000];
        lmb_mesh *m = NULL;
        lmb_error err = {0};
        snprintf(to, sizeof to, "%s", check_temp(all[i].name));
        snprintf(command, sizeof command, "cp '%s' '%s'", check_source(all[i].from), to);
        CHECK(system(command) == 0);
        CHECK_OK(lmb_mesh_read_file(&m, to, NULL, NULL, NULL, &err), err);
        lmb_mesh_destroy(m);
    }
}

TEST(what_is_not_known_is_refused_with_the_list) {
    char path[512];
    lmb_error err[3] = {0};
    lmb_flex *f;
    snprintf(path, sizeof path, "%s", check_temp("format.unknown"));
    FILE *file = fopen(path, "w");
    if (CHECK(file != NULL)) fputs("hello\n", file), fclose(file);
    CHECK(lmb_flex_read_file(&f, path, &err[0]) == LMB_ERR_INPUT && f == NULL);
    CHECK_CONTAINS(err[0].text, lmb_format_list(LMB_FORMATS_BODIES));
    CHECK(lmb_export_file(check_temp("format.gltf"), path, NULL, &err[1]) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err[1].text, lmb_format_list(LMB_FORMATS_EXPORTS));
    static const lmb_setting keys[] = {{"part.unit", "mm"}, {"part.material", "steel"}};
    const lmb_part_settings how = {.keys = keys, .key_count = LMB_COUNT(keys)};
    CHECK(lmb_reduce_file(NULL, NULL, path, &how, &err[2]) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err[2].text, lmb_format_list(LMB_FORMATS_PARTS));
}
