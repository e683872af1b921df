// tools/scene_types.c: limber-scene-types > scene.ts: the types of a scene for the viewer, from the table of src/draw/scene.c.
#include "draw/scene.h"

#include <stdio.h>

static void print_type(const lmb_scene_field *f) {
    static const char *const types[] = {
        [LMB_SCENE_TEXT] = "string",      [LMB_SCENE_FLAG] = "boolean",      [LMB_SCENE_SIZE] = "number",
        [LMB_SCENE_SIZES] = "number[]",   [LMB_SCENE_VECTOR] = "number[]",   [LMB_SCENE_ROTATION] = "number[]",
        [LMB_SCENE_COUNT] = "number",     [LMB_SCENE_INDEX] = "number",      [LMB_SCENE_CHOICE] = NULL,
        [LMB_SCENE_INDICES] = "number[]", [LMB_SCENE_MAP] = "",              [LMB_SCENE_LIST] = "[]",
    };
    if (f->type == LMB_SCENE_CHOICE)
        for (int i = 0; f->names[i]; i++) printf("%s'%s'", i ? " | " : "", f->names[i]);
    else printf("%s%s", f->of ? f->of->name : "", types[f->type]);
}

int main(void) {
    puts("// made by tools/scene_types.c from the table of src/draw/scene.c");
    for (const lmb_scene_record *const *r = lmb_scene_table; *r; r++) {
        printf("export interface %s {\n", (*r)->name);
        for (int i = 0; i < (*r)->field_count; i++) {
            const lmb_scene_field *f = &(*r)->fields[i];
            printf("    %s%s: ", f->key, f->need == LMB_SCENE_OPTIONAL ? "?" : "");
            print_type(f);
            printf(";%s%s\n", f->note ? " // " : "", f->note ? f->note : "");
        }
        puts("}");
    }
    return fflush(stdout) == 0 ? 0 : 3;
}
