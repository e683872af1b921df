// read/fmu_about.c: modelDescription.xml of FMI 2.0 and 3.0: a reader of the XML that these files are, which refuses document types
// (and with them entities of their own) and elements that do not close.
#include "read/fmu_about.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 32, MOST_ATTRIBUTES = 64 };
static const size_t MOST_BYTES = (size_t)256 << 20;

typedef struct attribute {
    const char *name, *value;
} attribute;

typedef struct xml {
    lmb_arena *arena;
    const char *at, *end, *path, *wrong; // wrong: what, NULL: nothing yet
    lmb_where where;
    int line, depth;
    const char *open[MOST_DEPTH]; // names of the elements around
    attribute list[MOST_ATTRIBUTES];
    int count;
    bool empty; // <name/>
} xml;

typedef enum tag { TAG_OPEN, TAG_CLOSE, TAG_END } tag;

// ---- text --------------------------------------------------------------------------------------

static tag fail(xml *x, const char *what) {
    if (x->wrong == NULL) x->wrong = what;
    return TAG_END;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == ':' || c == '-' || c == '.' || (unsigned char)c >= 128;
}

static void skip(xml *x, size_t n) {
    for (; n > 0 && x->at < x->end; n--) x->line += *x->at++ == '\n';
}
static void skip_blanks(xml *x) {
    while (x->at < x->end && is_blank(*x->at)) skip(x, 1);
}
static bool begins(const xml *x, const char *text) {
    size_t n = strlen(text);
    return (size_t)(x->end - x->at) >= n && memcmp(x->at, text, n) == 0;
}

static bool skip_past(xml *x, const char *text) {
    while (x->at < x->end && !begins(x, text)) skip(x, 1);
    bool found = x->at < x->end;
    skip(x, strlen(text));
    return found;
}

static const char *copy(xml *x, const char *from, size_t n) {
    char *out = lmb_arena_get(x->arena, n + 1, 1);
    if (out == NULL) return fail(x, "out of memory"), "";
    memcpy(out, from, n);
    return out;
}

static const char *read_name(xml *x) {
    const char *from = x->at;
    while (x->at < x->end && is_name(*x->at)) x->at++;
    if (x->at == from) return fail(x, "a name is missing"), "";
    return copy(x, from, (size_t)(x->at - from));
}

// UTF-8; false: no character
static bool put_character(char **to, unsigned long c) {
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
    if (c < 0x80) return *(*to)++ = (char)c, true;
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const int lead[] = {0, 0xc0, 0xe0, 0xf0};
    *(*to)++ = (char)(lead[more] | (int)(c >> (6 * more)));
    while (more-- > 0) *(*to)++ = (char)(0x80 | (int)((c >> (6 * more)) & 0x3f));
    return true;
}

// &lt; or &#65; at from, which ends with ; before end; NULL: none of XML's own
static const char *put_reference(char **to, const char *from, const char *end) {
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    for (int i = 0; i < LMB_COUNT(names); i++) {
        size_t n = strlen(names[i]);
        if ((size_t)(end - from) >= n && memcmp(from, names[i], n) == 0)
            return *(*to)++ = "<>&\"'"[i], from + n;
    }
    if (end - from < 4 || from[1] != '#') return NULL;
    int base = from[2] == 'x' ? 16 : 10, digits = 0;
    unsigned long c = 0;
    for (from += base == 16 ? 3 : 2; from < end && *from != ';' && digits < 8; from++, digits++) {
        const char *all = "0123456789abcdef", lower = (char)(*from | 0x20);
        const char *digit = *from ? strchr(all, *from >= 'A' ? lower : *from) : NULL;
        if (digit == NULL || digit - all >= base) return NULL;
        c = c * (unsigned long)base + (unsigned long)(digit - all);
    }
    if (digits == 0 || from >= end || *from != ';' || !put_character(to, c)) return NULL;
    return from + 1;
}

// "..." or '...'; what it stands for is never longer
static const char *read_value(xml *x) {
    char quote = x->at < x->end ? *x->at : '\0';
    if (quote != '"' && quote != '\'') return fail(x, "the value of an attribute is not in quotes"), "";
    const char *from = x->at + 1, *end = memchr(from, quote, (size_t)(x->end - from));
    if (end == NULL) return fail(x, "a quote does not close"), "";
    char *out = lmb_arena_get(x->arena, (size_t)(end - from) + 1, 1), *to = out;
    if (out == NULL) return fail(x, "out of memory"), "";
    while (from < end && x->wrong == NULL) {
        const char *next = from + 1;
        if (*from == '<' || *from == '\0') fail(x, "a character in a value must be written as a reference");
        else if (*from != '&') *to++ = is_blank(*from) ? ' ' : *from;
        else if ((next = put_reference(&to, from, end)) == NULL) fail(x, "an unknown reference, & to ;");
        from = next;
    }
    *to = '\0';
    skip(x, (size_t)(end + 1 - x->at));
    return out;
}

// ---- tags --------------------------------------------------------------------------------------

static void read_attributes(xml *x) {
    for (x->count = 0; x->wrong == NULL; x->count++) {
        const char *before = x->at;
        skip_blanks(x);
        if (x->at >= x->end || *x->at == '>' || *x->at == '/') return;
        if (x->at == before) fail(x, "a blank is missing before an attribute");
        if (x->count == MOST_ATTRIBUTES) fail(x, "an element has more than 64 attributes");
        if (x->wrong) return;
        attribute *a = &x->list[x->count];
        a->name = read_name(x);
        skip_blanks(x);
        if (!begins(x, "=")) fail(x, "an attribute has no value");
        if (x->wrong) return;
        skip(x, 1), skip_blanks(x);
        a->value = read_value(x);
    }
}

static tag read_open(xml *x) {
    const char *name = read_name(x);
    read_attributes(x);
    x->empty = begins(x, "/");
    if (x->empty) skip(x, 1);
    if (!begins(x, ">")) fail(x, "a tag does not end with >");
    if (x->depth == MOST_DEPTH) fail(x, "elements lie more than 32 deep");
    if (x->wrong) return TAG_END;
    skip(x, 1);
    x->open[x->depth++] = name;
    return TAG_OPEN;
}

static tag read_close(xml *x) {
    const char *name = read_name(x);
    skip_blanks(x);
    if (!begins(x, ">")) fail(x, "a tag does not end with >");
    if (x->depth == 0 || strcmp(x->open[x->depth - 1], name) != 0)
        fail(x, "an element is closed that is not open");
    if (x->wrong) return TAG_END;
    skip(x, 1);
    return TAG_CLOSE;
}

// The next tag. An element is in x->open[depth - 1] from its opening; after TAG_CLOSE, and with x->empty, the caller leaves it.
static tag next_tag(xml *x) {
    for (;;) {
        bool text = false;
        for (; x->at < x->end && *x->at != '<'; skip(x, 1)) text = text || !is_blank(*x->at);
        if (text && x->depth == 0) return fail(x, "text outside of the elements");
        if (x->at >= x->end) return x->depth > 0 ? fail(x, "an element does not close") : TAG_END;
        if (begins(x, "<!--")) {
            if (!skip_past(x, "-->")) return fail(x, "a comment does not close");
        } else if (begins(x, "<?")) {
            if (!skip_past(x, "?>")) return fail(x, "an instruction does not close");
        } else if (begins(x, "<![CDATA[") && x->depth > 0) {
            if (!skip_past(x, "]]>")) return fail(x, "a CDATA section does not close");
        } else if (begins(x, "<!")) {
            return fail(x, "a document type, which FMI does not use");
        } else {
            bool close = begins(x, "</");
            skip(x, close ? 2 : 1);
            return close ? read_close(x) : read_open(x);
        }
    }
}

static const char *get(const xml *x, const char *name) {
    for (int i = 0; i < x->count; i++)
        if (strcmp(x->list[i].name, name) == 0) return x->list[i].value;
    return NULL;
}

// ---- the description ---------------------------------------------------------------------------

static bool is_at(const xml *x, int depth, const char *name) {
    return x->depth > depth && strcmp(x->open[depth], name) == 0;
}

static lmb_fmu_type type_of(const char *name, int version) {
    static const struct {
        const char *name;
        int version; // 0: both
        lmb_fmu_type type;
    } all[] = {{"Real", 2, LMB_FMU_TYPE_REAL},         {"Integer", 2, LMB_FMU_TYPE_INT32},
               {"Enumeration", 2, LMB_FMU_TYPE_INT32}, {"Boolean", 0, LMB_FMU_TYPE_BOOLEAN},
               {"Float64", 3, LMB_FMU_TYPE_REAL},      {"Float32", 3, LMB_FMU_TYPE_FLOAT32},
               {"Int8", 3, LMB_FMU_TYPE_INT8},         {"UInt8", 3, LMB_FMU_TYPE_UINT8},
               {"Int16", 3, LMB_FMU_TYPE_INT16},       {"UInt16", 3, LMB_FMU_TYPE_UINT16},
               {"Int32", 3, LMB_FMU_TYPE_INT32},       {"UInt32", 3, LMB_FMU_TYPE_UINT32},
               {"Int64", 3, LMB_FMU_TYPE_INT64},       {"UInt64", 3, LMB_FMU_TYPE_UINT64},
               {"Enumeration", 3, LMB_FMU_TYPE_INT64}};
    for (int i = 0; i < LMB_COUNT(all); i++)
        if (strcmp(all[i].name, name) == 0 && (all[i].version == 0 || all[i].version == version))
            return all[i].type;
    return LMB_FMU_TYPE_OTHER;
}

static void read_head(lmb_fmu_about *out, xml *x) {
    const char *version = get(x, "fmiVersion");
    if (!is_at(x, 0, "fmiModelDescription")) fail(x, "the element fmiModelDescription is missing");
    else if (version == NULL) fail(x, "fmiModelDescription has no fmiVersion");
    else if (strcmp(version, "2.0") == 0) out->version = 2;
    else if (strncmp(version, "3.", 2) == 0) out->version = 3;
    else fail(x, "limber imports FMI 2.0 and 3.0, and this is another fmiVersion");
    out->token = get(x, out->version == 2 ? "guid" : "instantiationToken");
    if (out->token == NULL) fail(x, "fmiModelDescription has no guid or instantiationToken");
}

// a file name of the binary, without its ending
static void read_identifier(lmb_fmu_about *out, xml *x) {
    const char *name = get(x, "modelIdentifier");
    if (name == NULL || *name == '\0' || strlen(name) > 200) fail(x, "CoSimulation has no modelIdentifier");
    for (const char *c = name; c && *c; c++)
        if (!is_name(*c) || *c == ':' || *c == '.')
            fail(x, "modelIdentifier is not the name of a C function");
    out->identifier = name;
}

// xs:boolean
static bool is_true(const xml *x, const char *name) {
    const char *value = get(x, name);
    return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

static void read_abilities(lmb_fmu_about *out, const xml *x) {
    bool two = out->version == 2;
    const char *internal = get(x, "fixedInternalStepSize");
    out->able = (lmb_fmu_able){.keep = is_true(x, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"),
                               .vary = is_true(x, "canHandleVariableCommunicationStepSize"),
                               .slopes = two && is_true(x, "canInterpolateInputs"),
                               .tool = is_true(x, "needsExecutionTool"),
                               .internal = internal && !two ? strtod(internal, NULL) : 0};
    out->able.write = out->able.keep && is_true(x, two ? "canSerializeFMUstate" : "canSerializeFMUState");
    if (!(out->able.internal > 0 && out->able.internal < INFINITY)) out->able.internal = 0;
}

static void add_entry(lmb_fmu_about *out, int *room, xml *x) {
    const char *name = get(x, "name"), *reference = get(x, "valueReference"), *role = get(x, "causality");
    char *end = NULL;
    unsigned long long number = reference ? strtoull(reference, &end, 10) : 0;
    if (name == NULL) fail(x, "a variable has no name");
    else if (end == NULL || end == reference || *end || *reference == '-' || number > UINT32_MAX)
        fail(x, "a variable has no valid valueReference");
    if (out->count == *room) {
        *room = *room ? 2 * *room : 64;
        lmb_fmu_entry *more = lmb_arena_get(out->arena, (size_t)*room, sizeof *more);
        if (more == NULL) fail(x, "out of memory");
        else if (out->count > 0) memcpy(more, out->entries, (size_t)out->count * sizeof *more);
        out->entries = more ? more : out->entries;
    }
    if (x->wrong) return;
    const char *type = out->version == 3 ? x->open[x->depth - 1] : "";
    out->entries[out->count++] = (lmb_fmu_entry){
        name, role ? role : "local", type, (uint32_t)number, type_of(type, out->version), false};
}

// a child of a variable: its type in FMI 2, a dimension in FMI 3
static void read_child(lmb_fmu_about *out, const xml *x) {
    static const char *const types[] = {"Real", "Integer", "Boolean", "String", "Enumeration"};
    const char *name = x->open[x->depth - 1];
    if (out->count == 0) return;
    lmb_fmu_entry *e = &out->entries[out->count - 1];
    if (out->version == 3) e->is_array = e->is_array || strcmp(name, "Dimension") == 0;
    for (int i = 0; i < LMB_COUNT(types) && out->version == 2; i++)
        if (strcmp(name, types[i]) == 0) e->type = name, e->kind = type_of(name, 2);
}

static void read_element(lmb_fmu_about *out, int *room, xml *x) {
    if (x->depth == 1) {
        if (out->version) fail(x, "there are two elements around all others");
        else read_head(out, x);
    } else if (x->depth == 2 && is_at(x, 1, "CoSimulation")) read_identifier(out, x), read_abilities(out, x);
    else if (x->depth == 3 && is_at(x, 1, "ModelVariables")) add_entry(out, room, x);
    else if (x->depth == 4 && is_at(x, 1, "ModelVariables")) read_child(out, x);
}

lmb_status lmb_fmu_about_read(lmb_fmu_about *out, const char *bytes, size_t size, const char *path,
                              lmb_where where, lmb_error *err) {
    *out = (lmb_fmu_about){.arena = lmb_arena_create(1 << 12)};
    if (out->arena == NULL) return lmb_fail_memory(err);
    xml x = {.arena = out->arena, .at = bytes, .end = bytes + size, .path = path, .where = where, .line = 1};
    int room = 0;
    if (size > MOST_BYTES) fail(&x, "it has more than 256 MB");
    if (begins(&x, "\xef\xbb\xbf")) skip(&x, 3);
    while (x.wrong == NULL) {
        tag t = next_tag(&x);
        if (t == TAG_END) break;
        if (t == TAG_OPEN) read_element(out, &room, &x);
        if (t == TAG_CLOSE || x.empty) x.depth--, x.empty = false;
    }
    if (out->version == 0) fail(&x, "the element fmiModelDescription is missing");
    if (x.wrong == NULL) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, where, "'%.300s': line %d of modelDescription.xml: %s", path, x.line,
                    x.wrong);
}

void lmb_fmu_about_free(lmb_fmu_about *a) {
    lmb_arena_destroy(a->arena);
    *a = (lmb_fmu_about){0};
}

const lmb_fmu_entry *lmb_fmu_about_find(const lmb_fmu_about *a, const char *name) {
    for (int i = 0; i < a->count; i++)
        if (strcmp(a->entries[i].name, name) == 0) return &a->entries[i];
    return NULL;
}
