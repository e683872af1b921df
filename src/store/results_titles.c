// store/results_titles.c: names of columns for people, who see those of several tables side by side: each name once.
#include "spec/names.h"
#include "store/results.h"

#include <stdio.h>
#include <string.h>

// a name belongs to the first of these tables that has it
static const char *const first[] = {"sensors", "energies", "reactions", "forces", "correction"};

// own: names to flags that are set if this table has them, too
static lmb_status find_clashes(const lmb_names *own, lmb_reader *r, int g, const char *table,
                               lmb_error *err) {
    lmb_series other = {0};
    lmb_status st = lmb_reader_columns(&other, r, g, table, err);
    for (int i = 0; st == LMB_OK && i < other.columns; i++) {
        bool *at = lmb_names_get(own, other.names[i]);
        if (at) *at = true;
    }
    lmb_series_free(&other);
    return st;
}

// with the name of the table before those that clash
static lmb_status rename_clashing(lmb_series *s, const bool *clash, const char *table, lmb_error *err) {
    size_t size = (size_t)s->columns * sizeof *s->names;
    for (int i = 0; i < s->columns; i++) size += strlen(s->names[i]) + 1 + (clash[i] ? strlen(table) + 1 : 0);
    char **names = lmb_alloc(size, 1);
    if (names == NULL) return lmb_fail_memory(err);
    char *to = (char *)(names + s->columns);
    for (int i = 0; i < s->columns; i++) {
        names[i] = to;
        to += sprintf(to, "%s%s%s", clash[i] ? table : "", clash[i] ? "." : "", s->names[i]) + 1;
    }
    lmb_free(s->names);
    s->names = names;
    return LMB_OK;
}

lmb_status lmb_reader_titles(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err) {
    lmb_status st = lmb_reader_columns(out, r, g, table, err);
    if (st != LMB_OK || out->columns == 0) return st;
    lmb_names own = {.arena = lmb_arena_create(4096)};
    bool *clash = own.arena ? lmb_arena_get(own.arena, (size_t)out->columns, sizeof *clash) : NULL,
         any = false;
    for (int i = 0; clash && i < out->columns; i++) {
        void **slot = lmb_names_slot(&own, out->names[i]);
        if (slot) *slot = &clash[i];
        else clash = NULL;
    }
    if (clash == NULL) st = lmb_fail_memory(err);
    for (int k = 0; k < LMB_COUNT(first) && strcmp(first[k], table) != 0 && st == LMB_OK; k++)
        if (lmb_reader_has_table(r, g, first[k])) st = find_clashes(&own, r, g, first[k], err);
    for (int i = 0; st == LMB_OK && i < out->columns; i++) any = any || clash[i];
    if (any) st = rename_clashing(out, clash, table, err);
    lmb_arena_destroy(own.arena);
    if (st != LMB_OK) lmb_series_free(out);
    return st;
}
