// spec/schema.c: JSON Schema of model files, from the tables of keys.
#include "spec/local.h"

#include <string.h>

enum { MAX_DEPTH = 8 }; // tables within tables

// Appends to a text; after a failed allocation everything is a no-op.
typedef struct writer {
    lmb_text *out;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->out, __VA_ARGS__))

static void add_string(writer *w, const char *s) {
    ADD(w, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') ADD(w, "\\%c", *s);
        else if ((unsigned char)*s < 0x20) ADD(w, "\\u%04x", *s);
        else ADD(w, "%c", *s);
    }
    ADD(w, "\"");
}

static void add_key(writer *w, const char *name, const char *separator) {
    ADD(w, "%s\n", separator);
    add_string(w, name);
    ADD(w, ": ");
}

static void add_description(writer *w, const char *doc, const char *more) {
    if (doc == NULL) return;
    ADD(w, "\"description\": ");
    if (more == NULL) {
        add_string(w, doc);
    } else {
        lmb_text both = {0};
        w->ok = w->ok && lmb_text_add(&both, "%s Form: %s.", doc, more);
        if (w->ok) add_string(w, both.text);
        lmb_text_free(&both);
    }
    ADD(w, ", ");
}

// the types that the value may name, each with what it is
static void add_kinds(writer *w, const lmb_key *key) {
    lmb_text all = {0};
    writer own = {&all, w->ok};
    ADD(&own, "%s", key->doc);
    for (int i = 0; key->kinds[i]; i++)
        ADD(&own, "%s %s: %s", i ? ";" : "", key->kinds[i]->name, key->kinds[i]->doc);
    ADD(&own, ".");
    w->ok = own.ok;
    if (w->ok) add_description(w, all.text, NULL);
    lmb_text_free(&all);
}

// ---- keys --------------------------------------------------------------------------------------

static void add_object(writer *w, const lmb_key *keys, int depth);

static void add_choices(writer *w, const char *choices) {
    ADD(w, "\"enum\": [\"");
    for (const char *c = choices; *c; c++) {
        if (*c == '|') ADD(w, "\", \"");
        else ADD(w, "%c", *c);
    }
    ADD(w, "\"]");
}

static void add_names(writer *w, const lmb_kind_keys *const *kinds) {
    ADD(w, "\"enum\": [");
    for (int i = 0; kinds[i]; i++) ADD(w, "%s\"%s\"", i ? ", " : "", kinds[i]->name);
    ADD(w, "]");
}

static const char *number_ref(const lmb_key *key) {
    return key->flags & LMB_KEY_POSITIVE       ? "positive"
           : key->flags & LMB_KEY_NOT_NEGATIVE ? "not_negative"
                                               : "number";
}

static void add_integer(writer *w, const lmb_key *key) {
    ADD(w, "\"type\": [\"integer\", \"string\"]");
    if (key->flags & LMB_KEY_POSITIVE) ADD(w, ", \"minimum\": 1");
    else if (key->flags & LMB_KEY_NOT_NEGATIVE) ADD(w, ", \"minimum\": 0");
}

static void add_type(writer *w, const lmb_key *key, int depth);

static void add_forms(writer *w, const lmb_key *forms, int depth) {
    ADD(w, "\"anyOf\": [");
    for (const lmb_key *form = forms; form->name; form++) {
        bool by_name = form->flags & LMB_KEY_BY_NAME;
        ADD(w, "%s{%s", form == forms ? "" : ", ",
            by_name ? "\"type\": \"object\", \"additionalProperties\": {" : "");
        add_type(w, form, depth);
        ADD(w, "%s}", by_name ? "}" : "");
    }
    ADD(w, "]");
}

static void add_type(writer *w, const lmb_key *key, int depth) {
    const char *number = number_ref(key);
    switch (key->type) {
    case LMB_KEY_NUMBER: ADD(w, "\"$ref\": \"#/$defs/%s\"", number); break;
    case LMB_KEY_INTEGER: add_integer(w, key); break;
    case LMB_KEY_BOOL: ADD(w, "\"enum\": [true, false, \"yes\", \"no\", \"on\", \"off\"]"); break;
    case LMB_KEY_TEXT: ADD(w, "\"$ref\": \"#/$defs/text\""); break;
    case LMB_KEY_CHOICE: add_choices(w, key->choices); break;
    case LMB_KEY_KIND: add_names(w, key->kinds); break;
    case LMB_KEY_VEC3:
        ADD(w, "\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"$ref\": \"#/$defs/%s\"}",
            number);
        break;
    case LMB_KEY_NUMBERS: ADD(w, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%s\"}", number); break;
    case LMB_KEY_TEXTS:
        if (key->flags & LMB_KEY_ONE) ADD(w, "\"anyOf\": [{\"$ref\": \"#/$defs/text\"}, {");
        ADD(w, "\"type\": \"array\", \"items\": {");
        if (key->choices) add_choices(w, key->choices);
        else ADD(w, "\"$ref\": \"#/$defs/text\"");
        ADD(w, key->flags & LMB_KEY_ONE ? "}}]" : "}");
        break;
    case LMB_KEY_ROTATION: ADD(w, "\"$ref\": \"#/$defs/rotation\""); break;
    case LMB_KEY_EXPR: ADD(w, "\"$ref\": \"#/$defs/expression\""); break;
    case LMB_KEY_EXPRS: ADD(w, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/expression\"}"); break;
    case LMB_KEY_MAP: add_object(w, key->keys, depth + 1); break;
    case LMB_KEY_MAPS:
        ADD(w, "\"type\": \"array\", \"items\": {");
        add_object(w, key->keys, depth + 1);
        ADD(w, "}");
        break;
    case LMB_KEY_NAMED:
        ADD(w, "\"type\": \"object\", \"propertyNames\": {\"$ref\": \"#/$defs/name\"}, "
               "\"additionalProperties\": {");
        add_object(w, key->keys, depth + 1);
        ADD(w, "}");
        break;
    case LMB_KEY_NODE:
        if (key->keys) add_forms(w, key->keys, depth);
        else ADD(w, "\"$comment\": \"any form\"");
        break;
    }
}

// the properties of a table; separator goes before the first
static void add_properties(writer *w, const lmb_key *keys, const char *separator, int depth) {
    for (; keys && keys->name; keys++, separator = ",") {
        add_key(w, keys->name, separator);
        ADD(w, "{");
        if (keys->type == LMB_KEY_KIND) add_kinds(w, keys);
        else add_description(w, keys->doc, keys->type == LMB_KEY_NODE ? keys->choices : NULL);
        add_type(w, keys, depth);
        ADD(w, "}");
    }
}

static void add_required(writer *w, const lmb_key *keys, const char **separator) {
    for (; keys && keys->name; keys++) {
        if (!(keys->flags & LMB_KEY_REQUIRED)) continue;
        ADD(w, "%s", *separator);
        add_string(w, keys->name);
        *separator = ", ";
    }
}

static void add_plain_object(writer *w, const lmb_key *keys, int depth) {
    ADD(w, "\"type\": \"object\"");
    if (keys == NULL || depth > MAX_DEPTH) return;
    ADD(w, ", \"properties\": {");
    add_properties(w, keys, "", depth);
    ADD(w, "}, \"required\": [");
    add_required(w, keys, &(const char *){""});
    ADD(w, "], \"additionalProperties\": false");
}

// a value that may be given without a map: begin, the object, end
static void begin_short(writer *w, const lmb_key *key) {
    if (key) ADD(w, "\"if\": {\"type\": \"object\"}, \"then\": {");
}

static void end_short(writer *w, const lmb_key *key, int depth) {
    if (key == NULL) return;
    ADD(w, "}, \"else\": {");
    add_type(w, key, depth);
    ADD(w, "}");
}

static void add_object(writer *w, const lmb_key *keys, int depth) {
    const lmb_key *key = depth > MAX_DEPTH ? NULL : lmb_short_key(keys);
    begin_short(w, key);
    add_plain_object(w, keys, depth);
    end_short(w, key, depth);
}

// ---- sections ----------------------------------------------------------------------------------

static bool has_key(const lmb_key *keys, const char *name) {
    for (; keys && keys->name; keys++)
        if (strcmp(keys->name, name) == 0) return true;
    return false;
}

// $defs entry "section.kind"
static void add_kind(writer *w, const lmb_section *section, const lmb_kind_keys *kind, bool type_needed) {
    ADD(w, ",\n\"%s.%s\": {", section->name, kind->name);
    add_description(w, kind->doc, NULL);
    ADD(w, "\"type\": \"object\", \"properties\": {\"type\": {\"const\": \"%s\"}", kind->name);
    const lmb_key *tables[2] = {kind->keys, section->common};
    for (int i = 0; i < 2; i++)
        for (const lmb_key *key = tables[i]; key && key->name; key++) {
            if (strcmp(key->name, "type") == 0 || (i == 1 && has_key(kind->keys, key->name))) continue;
            lmb_key one[2] = {*key, {0}};
            add_properties(w, one, ",", 0);
        }
    ADD(w, "}, \"required\": [%s", type_needed ? "\"type\"" : "");
    const char *separator = type_needed ? ", " : "";
    add_required(w, kind->keys, &separator);
    add_required(w, section->common, &separator);
    ADD(w, "], \"additionalProperties\": false}");
}

// one `if type is x then the keys of x` per kind; the default kind also matches when type is missing
static void add_element(writer *w, const lmb_section *section) {
    if (section->kinds == NULL) {
        add_object(w, section->common, 0);
        return;
    }
    const lmb_key *key = lmb_short_key(section->common);
    for (int i = 0; section->kinds[i] && key == NULL; i++) key = lmb_short_key(section->kinds[i]->keys);
    begin_short(w, key);
    ADD(w, "\"type\": \"object\", \"properties\": {\"type\": {\"enum\": [");
    for (int i = 0; section->kinds[i]; i++) ADD(w, "%s\"%s\"", i ? ", " : "", section->kinds[i]->name);
    ADD(w, "]}}%s, \"allOf\": [", section->default_kind < 0 ? ", \"required\": [\"type\"]" : "");
    for (int i = 0; section->kinds[i]; i++) {
        const char *name = section->kinds[i]->name;
        ADD(w, "%s\n{\"if\": {\"properties\": {\"type\": {\"const\": \"%s\"}}%s}, ", i ? "," : "", name,
            i == section->default_kind ? "" : ", \"required\": [\"type\"]");
        ADD(w, "\"then\": {\"$ref\": \"#/$defs/%s.%s\"}}", section->name, name);
    }
    ADD(w, "]");
    end_short(w, key, 0);
}

static void add_section(writer *w, const lmb_section *section) {
    ADD(w, ",\n\"%s\": {", section->name);
    if (section->form != LMB_SECTION_VALUE) add_description(w, section->doc, NULL);
    switch (section->form) {
    case LMB_SECTION_NAMED:
        ADD(w, "\"type\": [\"object\", \"null\"], \"propertyNames\": {\"$ref\": \"#/$defs/name\"}, "
               "\"additionalProperties\": {");
        add_element(w, section);
        ADD(w, "}");
        break;
    case LMB_SECTION_LIST:
        ADD(w, "\"type\": [\"array\", \"null\"], \"items\": {");
        add_element(w, section);
        ADD(w, "}");
        break;
    case LMB_SECTION_MAP: add_element(w, section); break;
    case LMB_SECTION_VALUE:
        if (section->common == NULL) break;
        add_description(w, section->doc,
                        section->common->type == LMB_KEY_NODE ? section->common->choices : NULL);
        add_type(w, section->common, 0);
        break;
    }
    ADD(w, "}");
    for (int i = 0; section->kinds && section->kinds[i]; i++)
        add_kind(w, section, section->kinds[i], i != section->default_kind);
}

// of a repeated group: only those whose copies can be added up
typedef enum section_choice { ALL_SECTIONS, LISTS_ONLY } section_choice;

static void add_section_refs(writer *w, const lmb_section *sections, section_choice which) {
    for (; sections->name; sections++)
        if (which == ALL_SECTIONS || sections->form == LMB_SECTION_NAMED ||
            sections->form == LMB_SECTION_LIST)
            ADD(w, ",\n\"%s\": {\"$ref\": \"#/$defs/%s\"}", sections->name, sections->name);
}

// ---- the whole ---------------------------------------------------------------------------------

static const char head[] =
    "{\n\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
    "\"title\": \"limber model\",\n"
    "\"description\": \"A flexible multibody model. Expressions are allowed wherever numbers are.\",\n"
    "\"$ref\": \"#/$defs/model\",\n\"required\": [\"limber\"],\n\"$defs\": {\n"
    "\"number\": {\"type\": [\"number\", \"string\"]},\n"
    "\"positive\": {\"type\": [\"number\", \"string\"], \"exclusiveMinimum\": 0},\n"
    "\"not_negative\": {\"type\": [\"number\", \"string\"], \"minimum\": 0},\n"
    "\"expression\": {\"type\": [\"number\", \"string\"]},\n"
    "\"text\": {\"type\": [\"string\", \"number\", \"boolean\"]},\n"
    "\"name\": {\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*(\\\\[[^\\\\]]+\\\\])*$\", \"maxLength\": 100},\n"
    "\"turn\": {\"type\": \"object\", \"minProperties\": 1, \"maxProperties\": 2, \"properties\": {"
    "\"x\": {\"$ref\": \"#/$defs/number\"}, \"y\": {\"$ref\": \"#/$defs/number\"}, "
    "\"z\": {\"$ref\": \"#/$defs/number\"}, \"angle\": {\"$ref\": \"#/$defs/number\"}, "
    "\"axis\": {\"type\": \"array\", \"minItems\": 3, \"maxItems\": 3, \"items\": {\"$ref\": "
    "\"#/$defs/number\"}}}, "
    "\"additionalProperties\": false},\n"
    "\"rotation\": {\"anyOf\": [{\"$ref\": \"#/$defs/turn\"}, "
    "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/turn\"}}, "
    "{\"type\": \"array\", \"minItems\": 4, \"maxItems\": 4, \"items\": {\"$ref\": \"#/$defs/number\"}}]},\n"
    "\"parameters\": {\"description\": \"Named numbers for expressions; they may refer to each other in any "
    "order.\", "
    "\"type\": [\"object\", \"null\"], \"propertyNames\": {\"pattern\": \"^[A-Za-z_][A-Za-z0-9_]*$\"}, "
    "\"additionalProperties\": {\"$ref\": \"#/$defs/number\"}},\n"
    "\"units\": {\"description\": \"The units of the model (default SI).\", "
    "\"anyOf\": [{\"enum\": [\"SI\", \"m-kg-s\", \"mm-t-s\", \"mm-kg-ms\", \"mm-kg-s\", \"cm-g-s\", "
    "\"in-lbf-s\"]}, {";

static const char repeat[] =
    "\"repeats\": {\"description\": \"Groups of elements to be copied several times.\", \"anyOf\": ["
    "{\"$ref\": \"#/$defs/repeat\"}, {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/repeat\"}}]},\n"
    "\"repeat\": {\"type\": \"object\", \"oneOf\": [{\"required\": [\"to\"]}, {\"required\": [\"count\"]}], "
    "\"properties\": {\n"
    "\"index\": {\"description\": \"Name of the index (default i).\", \"type\": \"string\"},\n"
    "\"from\": {\"description\": \"First index (default 1).\", \"$ref\": \"#/$defs/number\"},\n"
    "\"to\": {\"description\": \"Last index (inclusive).\", \"$ref\": \"#/$defs/number\"},\n"
    "\"count\": {\"description\": \"Number of copies, instead of `to`.\", \"$ref\": \"#/$defs/number\"},\n"
    "\"repeat\": {\"$ref\": \"#/$defs/repeats\"},\n\"assemblies\": {\"$ref\": \"#/$defs/assemblies\"}";

static const char model[] =
    "\"model\": {\"type\": \"object\", \"properties\": {\n"
    "\"limber\": {\"description\": \"Format version.\", \"const\": 1},\n"
    "\"units\": {\"$ref\": \"#/$defs/units\"},\n\"parameters\": {\"$ref\": \"#/$defs/parameters\"},\n"
    "\"include\": {\"description\": \"Files whose sections are added; paths are relative to this file.\", "
    "\"anyOf\": ["
    "{\"type\": \"string\"}, {\"type\": \"array\", \"items\": {\"type\": \"string\"}}]},\n"
    "\"repeat\": {\"$ref\": \"#/$defs/repeats\"},\n\"assemblies\": {\"$ref\": \"#/$defs/assemblies\"}";

static void add_assemblies(writer *w) {
    ADD(w, "\"assemblies\": {\"description\": \"Models used as parts of this one.\", \"type\": [\"object\", "
           "\"null\"], "
           "\"propertyNames\": {\"$ref\": \"#/$defs/name\"}, \"additionalProperties\": {\"type\": "
           "\"object\", \"properties\": {");
    for (const lmb_key *key = lmb_assembly_keys; key->name; key++) {
        add_key(w, key->name, key == lmb_assembly_keys ? "" : ",");
        ADD(w, "{");
        add_description(w, key->doc, NULL);
        bool named =
            key->type == LMB_KEY_NODE && strcmp(key->choices, key->name) == 0; // a definition of its own
        if (key->type == LMB_KEY_NODE && !named) ADD(w, "\"type\": [\"object\", \"null\"]");
        else if (named) ADD(w, "\"$ref\": \"#/$defs/%s\"", key->name);
        else add_type(w, key, 0);
        ADD(w, "}");
    }
    ADD(w, "}, \"oneOf\": [{\"required\": [\"file\"]}, {\"required\": [\"model\"]}], "
           "\"additionalProperties\": false}},\n");
}

lmb_status lmb_schema_json(lmb_text *out, const lmb_section *sections, lmb_error *err) {
    writer w = {out, true};
    ADD(&w, "%s", head);
    add_object(&w, lmb_units_keys, 0);
    ADD(&w, "}]},\n");
    add_assemblies(&w);
    ADD(&w, "%s", repeat);
    add_section_refs(&w, sections, LISTS_ONLY);
    ADD(&w, "}, \"additionalProperties\": false},\n%s", model);
    add_section_refs(&w, sections, ALL_SECTIONS);
    ADD(&w, "}, \"additionalProperties\": false}");
    for (const lmb_section *s = sections; s->name; s++) add_section(&w, s);
    ADD(&w, "\n}\n}\n");
    return w.ok ? LMB_OK : lmb_fail_memory(err);
}
