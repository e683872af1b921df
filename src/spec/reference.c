// spec/reference.c: the reference page of model files in Markdown, from the tables of keys.
#include "spec/local.h"

#include <stdio.h>
#include <string.h>

enum { MAX_DEPTH = 8, PATH_SIZE = 200 };

typedef struct writer {
    lmb_text *out;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->out, __VA_ARGS__))

// a text in a cell of a table: no bars
static void add_cell(writer *w, const char *s) {
    for (; s && *s; s++) {
        if (*s == '|') ADD(w, "\\|");
        else ADD(w, "%c", *s == '\n' ? ' ' : *s);
    }
}

static const char *const type_names[] = {
    [LMB_KEY_NUMBER] = "number",
    [LMB_KEY_INTEGER] = "integer",
    [LMB_KEY_BOOL] = "boolean",
    [LMB_KEY_TEXT] = "text",
    [LMB_KEY_CHOICE] = "",
    [LMB_KEY_KIND] = "",
    [LMB_KEY_VEC3] = "[x, y, z]",
    [LMB_KEY_NUMBERS] = "list of numbers",
    [LMB_KEY_TEXTS] = "list of texts",
    [LMB_KEY_ROTATION] = "rotation",
    [LMB_KEY_EXPR] = "expression",
    [LMB_KEY_EXPRS] = "list of expressions",
    [LMB_KEY_MAP] = "map",
    [LMB_KEY_MAPS] = "list of maps",
    [LMB_KEY_NAMED] = "map of named entries",
    [LMB_KEY_NODE] = "",
};

static void add_choices(writer *w, const char *choices) {
    ADD(w, "`");
    for (const char *c = choices; c && *c; c++) {
        if (*c == '|') ADD(w, "`, `");
        else ADD(w, "%c", *c);
    }
    ADD(w, "`");
}

static void add_names(writer *w, const lmb_kind_keys *const *kinds) {
    for (int i = 0; kinds[i]; i++) ADD(w, "%s`%s`", i ? ", " : "", kinds[i]->name);
}

static void add_type(writer *w, const lmb_key *key) {
    bool positive = key->flags & LMB_KEY_POSITIVE, not_negative = key->flags & LMB_KEY_NOT_NEGATIVE;
    bool single = key->type == LMB_KEY_INTEGER || key->type == LMB_KEY_NUMBER;
    if (single) ADD(w, "%s", positive ? "positive " : not_negative ? "non-negative " : "");
    if (key->type == LMB_KEY_CHOICE) add_choices(w, key->choices);
    else if (key->type == LMB_KEY_KIND) add_names(w, key->kinds);
    else if (key->type == LMB_KEY_NODE) add_cell(w, key->choices ? key->choices : "any form");
    else if (key->flags & LMB_KEY_IS_REF)
        ADD(w, "%s", key->type == LMB_KEY_TEXTS ? "list of references" : "reference");
    else ADD(w, "%s%s", key->flags & LMB_KEY_ONE ? "text or " : "", type_names[key->type]);
    if (!single) ADD(w, "%s", positive ? ", all > 0" : not_negative ? ", all >= 0" : "");
    if (key->flags & LMB_KEY_SHORT) ADD(w, " (shorthand: may be given directly)");
}

// the SI unit of a dimension: "kg m^2/s^2"
static void add_unit(writer *w, lmb_dim dim) {
    const struct {
        const char *name;
        int power;
    } parts[] = {{"kg", dim.mass}, {"m", dim.length}, {"s", dim.time}};
    for (int side = 1; side >= -1; side -= 2) {
        const char *separator = side > 0 ? "" : "/";
        bool first = true;
        for (int i = 0; i < 3; i++) {
            int power = side * parts[i].power;
            if (power <= 0) continue;
            ADD(w, "%s%s",
                first ? (side < 0 && dim.mass <= 0 && dim.length <= 0 && dim.time <= 0 ? "1/" : separator)
                      : (side > 0 ? " " : "/"),
                parts[i].name);
            if (power > 1) ADD(w, "^%d", power);
            first = false;
        }
    }
}

static void add_row(writer *w, const lmb_key *key, const char *path) {
    ADD(w, "| `%s%s` | ", path, key->name);
    add_type(w, key);
    ADD(w, " | ");
    if (!(key->flags & LMB_KEY_COORDINATE)) add_unit(w, key->dim); // else the text says both
    ADD(w, " | %s | ", key->flags & LMB_KEY_REQUIRED ? "yes" : "");
    add_cell(w, key->doc);
    for (int i = 0; key->kinds && key->kinds[i]; i++)
        ADD(w, "%s `%s`: %s", i ? ";" : "", key->kinds[i]->name, key->kinds[i]->doc);
    ADD(w, "%s |\n", key->kinds ? "." : "");
}

// rows of a table; keys of embedded tables follow theirs as `inertia.xx`, `markers.*.at`, `points[].at`
static void add_rows(writer *w, const lmb_key *keys, const char *path, int depth) {
    for (; keys && keys->name; keys++) {
        add_row(w, keys, path);
        const lmb_key *inner =
            keys->type == LMB_KEY_NODE && keys->keys ? keys->keys->keys : keys->keys; // of the first form
        if (inner == NULL || depth >= MAX_DEPTH) continue;
        char below[PATH_SIZE];
        const char *step = keys->type == LMB_KEY_MAPS ? "[]." : keys->type == LMB_KEY_NAMED ? ".*." : ".";
        if (snprintf(below, sizeof below, "%s%s%s", path, keys->name, step) >= PATH_SIZE) continue;
        add_rows(w, inner, below, depth + 1);
    }
}

static void add_table(writer *w, const lmb_key *keys) {
    if (keys == NULL || keys->name == NULL) return;
    ADD(w, "| key | value | unit | required | meaning |\n| --- | --- | --- | --- | --- |\n");
    add_rows(w, keys, "", 0);
    ADD(w, "\n");
}

static void add_section(writer *w, const lmb_section *section) {
    static const char *const forms[] = {
        [LMB_SECTION_NAMED] = "A map of named entries.",
        [LMB_SECTION_LIST] = "A list of entries.",
        [LMB_SECTION_MAP] = "A map of keys.",
        [LMB_SECTION_VALUE] = "A single value.",
    };
    ADD(w, "## %s\n\n%s %s\n\n", section->name, section->doc ? section->doc : "", forms[section->form]);
    add_table(w, section->common);
    for (int i = 0; section->kinds && section->kinds[i]; i++) {
        const lmb_kind_keys *kind = section->kinds[i];
        ADD(w, "### %s: %s\n\n%s%s\n\n", section->name, kind->name, kind->doc ? kind->doc : "",
            i == section->default_kind ? " (Default if `type` is omitted.)" : "");
        add_table(w, kind->keys);
    }
}

static const char head[] =
    "# Model file reference\n\n"
    "A model is a YAML map of sections; its first line is `limber: 1`. Numbers may be expressions of "
    "parameters, "
    "with units such as `30 deg` or `5 mm`; numbers without a unit are in the units of the model. The unit "
    "column shows SI units.\n\n"
    "## limber\n\nVersion of the format: `limber: 1`.\n\n"
    "## units\n\nThe units of the model: `SI` (default), `m-kg-s`, `mm-t-s`, `mm-kg-ms`, "
    "`mm-kg-s`, "
    "`cm-g-s`, `in-lbf-s`, or a map:\n\n";

static const char parameters[] =
    "## parameters\n\nA map of named numbers; they may refer to each other in any order.\n\n"
    "## include\n\nA file, or a list of files, whose sections are added; paths are relative to the including "
    "file. "
    "A name defined in two files is an error.\n\n"
    "## repeat\n\nA group of sections, or a list of groups, to be copied several times. `[i-1]` after a name "
    "is "
    "replaced by its "
    "value, and numbers may use the index. Groups may be nested.\n\n"
    "| key | value | unit | required | meaning |\n| --- | --- | --- | --- | --- |\n"
    "| `index` | text |  |  | Name of the index (default `i`). |\n"
    "| `from` | integer |  |  | First index (default 1). |\n"
    "| `to` | integer |  |  | Last index (inclusive). |\n"
    "| `count` | integer |  |  | Number of copies, instead of `to`. |\n\n"
    "## assemblies\n\nA map of named models used as parts of this one. Their elements are prefixed with "
    "that name "
    "(`leg1.shin`); inside an assembly, names refer to its own elements, `ground` is ground and `/base.tip` "
    "is "
    "`base.tip` of the whole model.\n\n";

lmb_status lmb_schema_markdown(lmb_text *out, const lmb_section *sections, lmb_error *err) {
    writer w = {out, true};
    ADD(&w, "%s", head);
    add_table(&w, lmb_units_keys);
    ADD(&w, "%s", parameters);
    add_table(&w, lmb_assembly_keys);
    for (; sections->name; sections++) add_section(&w, sections);
    return w.ok ? LMB_OK : lmb_fail_memory(err);
}
