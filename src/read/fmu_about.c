// read/fmu_about.c: modelDescription.xml of FMI 2.0 and 3.0.
#include "read/fmu_about.h"

#include "read/xml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = (size_t)256 << 20;

// ---- the description ---------------------------------------------------------------------------

static bool is_at(const lmb_xml *x, int depth, const char *name) {
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

static void read_head(lmb_fmu_about *out, lmb_xml *x) {
    const char *version = lmb_xml_get(x, "fmiVersion");
    if (!is_at(x, 0, "fmiModelDescription")) lmb_xml_fail(x, "the element fmiModelDescription is missing");
    else if (version == NULL) lmb_xml_fail(x, "fmiModelDescription has no fmiVersion");
    else if (strcmp(version, "2.0") == 0) out->version = 2;
    else if (strncmp(version, "3.", 2) == 0) out->version = 3;
    else lmb_xml_fail(x, "limber imports FMI 2.0 and 3.0, and this is another fmiVersion");
    out->token = lmb_xml_get(x, out->version == 2 ? "guid" : "instantiationToken");
    if (out->token == NULL) lmb_xml_fail(x, "fmiModelDescription has no guid or instantiationToken");
}

// a file name of the binary, without its ending
static void read_identifier(lmb_fmu_about *out, lmb_xml *x) {
    const char *name = lmb_xml_get(x, "modelIdentifier");
    if (name == NULL || *name == '\0' || strlen(name) > 200)
        lmb_xml_fail(x, "CoSimulation has no modelIdentifier");
    for (const char *c = name; c && *c; c++)
        if (!lmb_xml_name_character(*c) || *c == ':' || *c == '.')
            lmb_xml_fail(x, "modelIdentifier is not the name of a C function");
    out->identifier = name;
}

// xs:boolean
static bool is_true(const lmb_xml *x, const char *name) {
    const char *value = lmb_xml_get(x, name);
    return value && (strcmp(value, "true") == 0 || strcmp(value, "1") == 0);
}

static void read_abilities(lmb_fmu_about *out, const lmb_xml *x) {
    bool two = out->version == 2;
    const char *internal = lmb_xml_get(x, "fixedInternalStepSize");
    out->able = (lmb_fmu_able){.keep = is_true(x, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState"),
                               .vary = is_true(x, "canHandleVariableCommunicationStepSize"),
                               .slopes = two && is_true(x, "canInterpolateInputs"),
                               .tool = is_true(x, "needsExecutionTool"),
                               .internal = internal && !two ? strtod(internal, NULL) : 0};
    out->able.write = out->able.keep && is_true(x, two ? "canSerializeFMUstate" : "canSerializeFMUState");
    if (!(out->able.internal > 0 && out->able.internal < INFINITY)) out->able.internal = 0;
}

static void add_entry(lmb_fmu_about *out, int *room, lmb_xml *x) {
    const char *name = lmb_xml_get(x, "name"), *reference = lmb_xml_get(x, "valueReference"),
               *role = lmb_xml_get(x, "causality");
    char *end = NULL;
    unsigned long long number = reference ? strtoull(reference, &end, 10) : 0;
    if (name == NULL) lmb_xml_fail(x, "a variable has no name");
    else if (end == NULL || end == reference || *end || *reference == '-' || number > UINT32_MAX)
        lmb_xml_fail(x, "a variable has no valid valueReference");
    if (out->count == *room) {
        *room = *room ? 2 * *room : 64;
        lmb_fmu_entry *more = lmb_arena_get(out->arena, (size_t)*room, sizeof *more);
        if (more == NULL) lmb_xml_fail(x, "out of memory");
        else if (out->count > 0) memcpy(more, out->entries, (size_t)out->count * sizeof *more);
        out->entries = more ? more : out->entries;
    }
    if (x->wrong) return;
    const char *type = out->version == 3 ? x->open[x->depth - 1] : "";
    out->entries[out->count++] = (lmb_fmu_entry){
        name, role ? role : "local", type, (uint32_t)number, type_of(type, out->version), false};
}

// a child of a variable: its type in FMI 2, a dimension in FMI 3
static void read_child(lmb_fmu_about *out, const lmb_xml *x) {
    static const char *const types[] = {"Real", "Integer", "Boolean", "String", "Enumeration"};
    const char *name = x->open[x->depth - 1];
    if (out->count == 0) return;
    lmb_fmu_entry *e = &out->entries[out->count - 1];
    if (out->version == 3) e->is_array = e->is_array || strcmp(name, "Dimension") == 0;
    for (int i = 0; i < LMB_COUNT(types) && out->version == 2; i++)
        if (strcmp(name, types[i]) == 0) e->type = name, e->kind = type_of(name, 2);
}

static void read_element(lmb_fmu_about *out, int *room, lmb_xml *x) {
    if (x->depth == 1) {
        if (out->version) lmb_xml_fail(x, "there are two elements around all others");
        else read_head(out, x);
    } else if (x->depth == 2 && is_at(x, 1, "CoSimulation")) read_identifier(out, x), read_abilities(out, x);
    else if (x->depth == 3 && is_at(x, 1, "ModelVariables")) add_entry(out, room, x);
    else if (x->depth == 4 && is_at(x, 1, "ModelVariables")) read_child(out, x);
}

lmb_status lmb_fmu_about_read(lmb_fmu_about *out, const char *bytes, size_t size, const char *path,
                              lmb_where where, lmb_error *err) {
    *out = (lmb_fmu_about){.arena = lmb_arena_create(1 << 12)};
    if (out->arena == NULL) return lmb_fail_memory(err);
    lmb_xml x = {.arena = out->arena, .at = bytes, .end = bytes + size, .line = 1};
    int room = 0;
    if (size > MOST_BYTES) lmb_xml_fail(&x, "it has more than 256 MB");
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) x.at += 3;
    while (x.wrong == NULL) {
        lmb_xml_tag t = lmb_xml_next(&x);
        if (t == LMB_XML_END) break;
        if (t == LMB_XML_OPEN) read_element(out, &room, &x);
        if (t == LMB_XML_CLOSE || x.empty) lmb_xml_leave(&x);
    }
    if (out->version == 0) lmb_xml_fail(&x, "the element fmiModelDescription is missing");
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
