// signal/table.c: a function given by the columns of a file.                              docs/theory/signals.md
#include "signal/signals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct table_read {
    uint64_t given;
    const lmb_node *input;
    lmb_table_choice table;
} table_read;

// clang-format off
static const lmb_key keys[] = {
    {"input", LMB_KEY_EXPR, offsetof(table_read, input), LMB_KEY_REQUIRED, {0}, 0, 0, "What the table depends on: an expression of time, sensors, joint coordinates and other signals."},
    {"file", LMB_KEY_TEXT, offsetof(table_read, table.file), LMB_KEY_REQUIRED, {0}, 0, 0, "File with columns of numbers, with commas, semicolons, tabs or blanks between them."},
    LMB_TABLE_KEYS(table_read, table),
    {0},
};
// clang-format on

const lmb_kind_keys lmb_signal_table = {"table",
                                        "A function given by two columns of a file, linear or cubic.", keys};

bool lmb_signal_is_table(const lmb_node *n) {
    const lmb_node *type = n->kind == LMB_NODE_MAP ? lmb_node_find(n, "type") : NULL;
    return type && type->kind == LMB_NODE_SCALAR && strcmp(type->text, lmb_signal_table.name) == 0;
}

lmb_status lmb_signal_table_read(lmb_table_choice *out, const lmb_node **input, lmb_spec *spec,
                                 const lmb_node *n, const char *name, lmb_error *err) {
    table_read r = {.table = {.min = -INFINITY, .max = INFINITY}};
    char what[160];
    const lmb_kind_keys *const kinds[] = {&lmb_signal_table, NULL};
    const lmb_section section = {"signals", "", LMB_SECTION_NAMED, kinds, -1, NULL};
    snprintf(what, sizeof what, "signal '%s'", name);
    lmb_status st = lmb_spec_read_kind(&r, NULL, spec, n, &section, 0, what, err);
    *out = r.table, *input = r.input;
    return st;
}
