// api/body_file.c: the arrays of a body file, for the public header.
#include "store/flex_file.h"

#include <string.h>

struct lmb_body_file {
    lmb_flex *flex;
    lmb_arena *arena; // owns the arrays that are not those of flex
    lmb_body_array *arrays;
    int count;
};

lmb_status lmb_body_file_open(lmb_body_file **out, const char *path, lmb_error *err) {
    *out = NULL;
    lmb_body_file *b = lmb_alloc(1, sizeof *b);
    if (b == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_flex_read_file(&b->flex, path, err);
    if (st == LMB_OK) b->arena = lmb_arena_create(4096);
    if (st == LMB_OK && (b->arena == NULL || !lmb_flex_arrays(&b->arrays, &b->count, b->arena, b->flex)))
        st = lmb_fail_memory(err);
    if (st == LMB_OK) *out = b;
    else lmb_body_file_close(b);
    return st;
}

void lmb_body_file_close(lmb_body_file *b) {
    if (b == NULL) return;
    lmb_arena_destroy(b->arena);
    lmb_flex_destroy(b->flex);
    lmb_free(b);
}

const char *lmb_body_file_name(const lmb_body_file *b) { return b->flex->name; }

const char *lmb_body_file_text(const lmb_body_file *b, const char *name) {
    if (strcmp(name, "shapes") == 0) return b->flex->shapes;
    if (strcmp(name, "provenance") == 0) return b->flex->provenance;
    return strcmp(name, "report") == 0 ? b->flex->report : NULL;
}

int lmb_body_file_array_count(const lmb_body_file *b) { return b->count; }
const lmb_body_array *lmb_body_file_array(const lmb_body_file *b, int i) { return &b->arrays[i]; }
int lmb_body_file_marker_count(const lmb_body_file *b) { return b->flex->marker_count; }
const char *lmb_body_file_marker(const lmb_body_file *b, int i) { return b->flex->markers[i].name; }
int lmb_body_file_set_count(const lmb_body_file *b) { return b->flex->set_count; }
const char *lmb_body_file_set(const lmb_body_file *b, int i) { return b->flex->sets[i].name; }
int lmb_body_file_stress_kind(const lmb_body_file *b) { return b->flex->stress_kind; }
