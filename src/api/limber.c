// api/limber.c: documents and systems of the public header.
#include "api/handles.h"

#include "api/enrich.h"
#include "api/model_parts.h"
#include "core/json.h"
#include "read/model_file.h"
#include "read/robot.h"
#include "read/yaml.h"
#include "study/section.h"

#include <hdf5.h>
#include <klu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef LMB_HAVE_SUNDIALS
#include <sundials/sundials_config.h>
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define NUMBER(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)
#define SUITESPARSE NUMBER(SUITESPARSE_MAIN_VERSION, SUITESPARSE_SUB_VERSION, SUITESPARSE_SUBSUB_VERSION)
#define HDF5 NUMBER(H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE)
#ifndef LMB_FYAML_VERSION
#define LMB_FYAML_VERSION "(unknown version)"
#endif

const char *lmb_version(void) { return LMB_VERSION; }

const char *lmb_libraries(void) {
    return "SuiteSparse " SUITESPARSE " (KLU, BTF: LGPL-2.1-or-later; AMD, COLAMD: BSD-3-Clause)\n"
           "OpenBLAS with LAPACK (BSD-3-Clause)\n"
           "HDF5 " HDF5 " (BSD-3-Clause)\n"
           "libfyaml " LMB_FYAML_VERSION " (MIT)\n"
           "zlib " ZLIB_VERSION " (Zlib)\n"
#ifdef LMB_HAVE_SUNDIALS
           "SUNDIALS " SUNDIALS_VERSION " (BSD-3-Clause)\n"
#endif
        ;
}

void lmb_text_release(char *text) { lmb_free(text); }

// ---- documents ---------------------------------------------------------------------------------

static lmb_status wrap(lmb_document **out, lmb_spec *spec, lmb_error *err) {
    lmb_document *d = lmb_alloc(1, sizeof *d);
    if (d == NULL) {
        lmb_spec_destroy(spec);
        return lmb_fail_memory(err);
    }
    d->spec = spec;
    *out = d;
    return LMB_OK;
}

lmb_status lmb_document_read_file(lmb_document **out, const char *path, lmb_error *err) {
    lmb_spec *spec;
    *out = NULL;
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_yaml_read_file(&spec, path, err);
    lmb_locale_end(locale);
    if (st == LMB_OK) st = wrap(out, spec, err);
    if (st == LMB_OK)
        (*out)->edited = lmb_robot_is(path); // results contain a model, not the file of the robot
    return st;
}

lmb_status lmb_document_read_text(lmb_document **out, const char *text, const char *name, lmb_error *err) {
    lmb_spec *spec;
    *out = NULL;
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_yaml_read_text(&spec, text, strlen(text), name, err);
    lmb_locale_end(locale);
    return st == LMB_OK ? wrap(out, spec, err) : st;
}

lmb_status lmb_document_create(lmb_document **out, lmb_error *err) {
    lmb_spec *spec;
    *out = NULL;
    lmb_status st = lmb_spec_create(&spec, err);
    if (st != LMB_OK) return st;
    spec->file = "model";
    st = lmb_spec_set(spec, "limber", "1", err);
    if (st != LMB_OK) {
        lmb_spec_destroy(spec);
        return st;
    }
    st = wrap(out, spec, err);
    if (st == LMB_OK) (*out)->edited = true;
    return st;
}

void lmb_document_destroy(lmb_document *d) {
    if (d == NULL) return;
    lmb_spec_destroy(d->spec);
    lmb_free(d);
}

lmb_status lmb_document_used(lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "the document has already been compiled into a system; read or create another one");
}

// the node at a path that lmb_spec_set has just made
static lmb_node *node_at(lmb_spec *s, const char *path) {
    lmb_node *n = s->root;
    while (n && *path) {
        size_t length = strcspn(path, ".");
        lmb_node *child = n->first;
        long i = n->kind == LMB_NODE_LIST ? strtol(path, NULL, 10) : -1;
        while (child && (n->kind == LMB_NODE_LIST
                             ? i-- > 0
                             : strncmp(child->key, path, length) != 0 || child->key[length] != '\0'))
            child = child->next;
        n = child;
        path += length + (path[length] == '.');
    }
    return n;
}

// [1, 2, 3] or {x: 90 deg}: parsed as YAML, replaces the text
static lmb_status set_tree(lmb_spec *s, const char *path, const char *value, lmb_error *err) {
    lmb_node *root = NULL, *n = node_at(s, path);
    lmb_yaml_reader r = {.s = s, .err = err, .scratch = lmb_arena_create(1024)};
    char *text = lmb_arena_printf(s->arena, "value: %s", value);
    if (r.scratch == NULL || text == NULL || n == NULL) {
        lmb_arena_destroy(r.scratch);
        return lmb_fail_memory(err);
    }
    lmb_status st = lmb_yaml_parse(&root, &r, text, strlen(text), n->where.file);
    lmb_node *tree = st == LMB_OK ? lmb_node_find(root, "value") : NULL;
    if (tree) n->kind = tree->kind, n->first = tree->first, n->last = tree->last, n->count = tree->count;
    lmb_arena_destroy(r.scratch);
    return st;
}

lmb_status lmb_document_set(lmb_document *d, const char *path, const char *value, lmb_error *err) {
    if (d->spec == NULL) return lmb_document_used(err);
    d->edited = true;
    lmb_status st = lmb_spec_set(d->spec, path, value, err);
    return st == LMB_OK && (value[0] == '[' || value[0] == '{') ? set_tree(d->spec, path, value, err) : st;
}

lmb_status lmb_document_delete(lmb_document *d, const char *path, lmb_error *err) {
    if (d->spec == NULL) return lmb_document_used(err);
    d->edited = true;
    return lmb_spec_delete(d->spec, path, err);
}

// ---- the tree as text --------------------------------------------------------------------------

// numbers, true and false stay as they are; other texts are quoted
static bool write_scalar(lmb_text *out, const lmb_node *n) {
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off"};
    char *end;
    strtod(n->text, &end);
    bool bare = !n->quoted && *n->text && *end == '\0' && strpbrk(n->text, "xXnN") == NULL;
    for (int i = 0; i < LMB_COUNT(words) && !n->quoted; i++) bare = bare || strcmp(n->text, words[i]) == 0;
    return bare ? lmb_text_add(out, "%s", n->text) : lmb_json_string(out, n->text);
}

// without: an entry of the map that is left out, NULL: none
static bool write_node(lmb_text *out, const lmb_node *n, int depth, const char *without) {
    bool map = n->kind == LMB_NODE_MAP, ok = true, first = true;
    if (n->kind == LMB_NODE_NULL) return lmb_text_add(out, "null");
    if (n->kind == LMB_NODE_SCALAR) return write_scalar(out, n);
    ok = lmb_text_add(out, map ? "{" : "[");
    for (const lmb_node *k = n->first; ok && k; k = k->next) {
        if (without && strcmp(k->key, without) == 0) continue;
        ok = lmb_text_add(out, "%s%s", first ? "" : depth < 2 ? "," : ", ", depth < 2 ? "\n" : "");
        if (map) ok = ok && lmb_json_string(out, k->key) && lmb_text_add(out, ": ");
        ok = ok && write_node(out, k, depth + 1, NULL);
        first = false;
    }
    return ok && lmb_text_add(out, map ? "}" : "]");
}

bool lmb_spec_write(lmb_text *out, const lmb_spec *s) {
    return write_node(out, s->root, 0, NULL) && lmb_text_add(out, "\n");
}

bool lmb_spec_fingerprint(lmb_sha256 *out, const lmb_spec *s) {
    lmb_text tree = {0};
    bool ok = write_node(&tree, s->root, 0, "study") && lmb_text_add(&tree, "\n");
    if (ok) lmb_sha256_add(out, tree.text, tree.length);
    lmb_text_free(&tree);
    return ok;
}

lmb_status lmb_document_text(char **out, const lmb_document *d, lmb_error *err) {
    lmb_text text = {0};
    *out = NULL;
    if (d->spec == NULL) return lmb_document_used(err);
    if (lmb_spec_write(&text, d->spec)) return *out = text.text, LMB_OK;
    lmb_text_free(&text);
    return lmb_fail_memory(err);
}

// ---- schema ------------------------------------------------------------------------------------

static lmb_status hand_over(char **out, lmb_text *text, lmb_status st) {
    if (st == LMB_OK) *out = text->text;
    else lmb_text_free(text);
    return st;
}

lmb_status lmb_schema(char **out, lmb_error *err) {
    lmb_text text = {0};
    *out = NULL;
    return hand_over(out, &text, lmb_schema_json(&text, lmb_sections, err));
}

lmb_status lmb_reference(char **out, lmb_error *err) {
    lmb_text text = {0};
    *out = NULL;
    return hand_over(out, &text, lmb_schema_markdown(&text, lmb_sections, err));
}

// ---- systems -----------------------------------------------------------------------------------

// text and fingerprint, before the tree is expanded
static lmb_status note_text(lmb_system *s, lmb_sha256 *fingerprint, bool edited, lmb_error *err) {
    lmb_text tree = {0};
    lmb_status st = lmb_spec_fingerprint(fingerprint, s->spec) ? LMB_OK : lmb_fail_memory(err);
    s->text = s->spec->text;
    if (st == LMB_OK && edited) {
        bool ok = lmb_spec_write(&tree, s->spec);
        s->text = ok ? lmb_arena_strdup(s->spec->arena, tree.text) : NULL;
    }
    if (st == LMB_OK && s->text == NULL) st = lmb_fail_memory(err);
    lmb_text_free(&tree);
    return st;
}

static lmb_status expand(lmb_system *s, const lmb_setting *settings, int count, lmb_error *err) {
    lmb_override *list = lmb_alloc((size_t)count, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++) list[i] = (lmb_override){settings[i].name, settings[i].value};
    lmb_status st = lmb_spec_expand(s->spec, list, count, err);
    lmb_free(list);
    return st;
}

static lmb_status list_shown(lmb_system *s, lmb_error *err) {
    s->shown = lmb_alloc((size_t)s->program->channel_count, sizeof *s->shown);
    if (s->shown == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < s->program->channel_count; i++)
        if (!s->program->channels[i].hidden) s->shown[s->shown_count++] = i;
    return LMB_OK;
}

// the schema also contains the section of part files
static lmb_status refuse_part(const lmb_spec *s, lmb_error *err) {
    const lmb_node *part = lmb_node_find(s->root, "part");
    if (part == NULL) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, part->key_where,
                    "this file describes a part, not a model; use limber reduce to make a flexible body from "
                    "it or limber modes to compute its modes");
}

static lmb_status compile(lmb_system *s, lmb_model_parts *parts, lmb_error *err) {
    lmb_files files = lmb_model_parts_files(parts);
    lmb_status st = lmb_compile(&s->program, s->spec, &files, err);
    lmb_model_parts_end(parts);
    lmb_spec_settle(s->spec);
    for (int i = 0; st == LMB_OK && i < s->program->slave_count; i++) {
        lmb_slave *f = &s->program->slaves[i];
        f->file = lmb_path_beside(s->spec, f->node, "file", f->file);
        if (f->file == NULL) st = lmb_fail_memory(err);
    }
    return st;
}

// for lmb_system_again: without what belongs to the call
static lmb_status keep_settings(lmb_system *s, const lmb_part_settings *how, lmb_error *err) {
    s->how = (lmb_part_settings){.factoriser = how->factoriser,
                                 .threads = how->threads,
                                 .no_cache = how->no_cache,
                                 .trust = how->trust,
                                 .allow_fmu = how->allow_fmu};
    if (how->references) s->how.references = lmb_arena_strdup(s->spec->arena, how->references);
    return how->references && s->how.references == NULL ? lmb_fail_memory(err) : LMB_OK;
}

static lmb_status keep_values(lmb_system *s, const lmb_setting *settings, int count, lmb_error *err) {
    s->settings = lmb_arena_get(s->spec->arena, (size_t)count + 1, sizeof *s->settings);
    for (int i = 0; s->settings && i < count; i++) {
        lmb_setting own = {lmb_arena_strdup(s->spec->arena, settings[i].name),
                           lmb_arena_strdup(s->spec->arena, settings[i].value)};
        if (own.name && own.value) s->settings[s->setting_count++] = own;
    }
    return s->setting_count == count && s->settings ? LMB_OK : lmb_fail_memory(err);
}

// The model as it was read: from its file, which may refer to others, unless it was edited, came as a text or has changed since.
static lmb_status read_again(lmb_document **out, const lmb_system *of, lmb_error *err) {
    bool same = of->text == of->spec->text && lmb_document_read_file(out, of->spec->file, NULL) == LMB_OK;
    if (same && strcmp((*out)->spec->text, of->text) == 0) return LMB_OK;
    if (same) lmb_document_destroy(*out);
    return lmb_document_read_text(out, of->text, of->spec->file, err);
}

lmb_status lmb_system_vary(lmb_system **out, const lmb_system *of, const char *parameter, double value,
                           lmb_error *err) {
    char text[32];
    lmb_document *d = NULL;
    *out = NULL;
    snprintf(text, sizeof text, "%.17g", value);
    lmb_setting *all = lmb_alloc((size_t)of->setting_count + 1, sizeof *all);
    if (all == NULL) return lmb_fail_memory(err);
    if (of->setting_count > 0) memcpy(all, of->settings, (size_t)of->setting_count * sizeof *all);
    all[of->setting_count] = (lmb_setting){parameter, text}; // the last one counts
    lmb_status st = read_again(&d, of, err);
    if (st == LMB_OK) d->spec->outside = of->spec->outside;
    if (st == LMB_OK) st = lmb_system_build(out, NULL, d, all, of->setting_count + 1, &of->how, err);
    lmb_document_destroy(d);
    lmb_free(all);
    return st;
}

lmb_status lmb_system_again(lmb_system *out, const lmb_system *of, const lmb_enrichment *more,
                            lmb_part_kept *kept, lmb_error *err) {
    lmb_model_parts from = {.spec = of->spec, .how = of->how, .more = more, .kept = kept};
    *out = *of;
    out->program = NULL, out->shown = NULL, out->shown_count = 0;
    lmb_sha256_begin(&from.contents);
    lmb_status st = compile(out, &from, err);
    if (st == LMB_OK) st = list_shown(out, err);
    if (st != LMB_OK) lmb_system_again_free(out);
    return st;
}

void lmb_system_again_free(lmb_system *s) {
    lmb_program_destroy(s->program);
    lmb_free(s->shown);
    s->program = NULL, s->shown = NULL;
}

// with: how its bodies are reduced, and where they go
static lmb_status build(lmb_system **out, lmb_model_parts *with, lmb_document *d, const lmb_setting *settings,
                        int count, lmb_error *err) {
    *out = NULL;
    if (d->spec == NULL) return lmb_document_used(err);
    lmb_system *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    lmb_model_parts from = *with;
    s->spec = from.spec = d->spec;
    d->spec = NULL;
    from.how.key_count = from.how.parameter_count = 0; // those of a single part
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_sha256_begin(&from.contents);
    lmb_status st = note_text(s, &from.contents, d->edited, err);
    if (st == LMB_OK) st = expand(s, settings, count, err);
    if (st == LMB_OK) st = refuse_part(s->spec, err);
    lmb_study_section study;
    if (st == LMB_OK) st = compile(s, &from, err);
    if (st == LMB_OK) st = lmb_study_section_read(&study, s->spec, err);
    unsigned char digest[LMB_SHA256_SIZE];
    lmb_sha256_end(digest, &from.contents);
    lmb_sha256_text(s->fingerprint, digest);
    if (st == LMB_OK) st = list_shown(s, err);
    if (st == LMB_OK) st = keep_settings(s, &from.how, err);
    if (st == LMB_OK) st = keep_values(s, settings, count, err);
    lmb_locale_end(locale);
    with->missing = from.missing;
    if (st == LMB_OK) *out = s;
    else lmb_system_destroy(s);
    return st;
}

lmb_status lmb_system_build(lmb_system **out, bool *missing, lmb_document *d, const lmb_setting *settings,
                            int count, const lmb_part_settings *parts, lmb_error *err) {
    lmb_model_parts with = {0};
    if (parts) with.how = *parts;
    lmb_status st = build(out, &with, d, settings, count, err);
    if (missing) *missing = with.missing;
    return st;
}

lmb_status lmb_system_collect(lmb_system **out, struct lmb_zip *zip, lmb_document *d,
                              const lmb_part_settings *parts, lmb_error *err) {
    lmb_model_parts with = {.collect = zip};
    if (parts) with.how = *parts;
    return build(out, &with, d, NULL, 0, err);
}

lmb_status lmb_system_create_with(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
                                  const lmb_part_settings *parts, lmb_error *err) {
    return lmb_system_build(out, NULL, d, settings, count, parts, err);
}

lmb_status lmb_system_create(lmb_system **out, lmb_document *d, const lmb_setting *settings, int count,
                             lmb_error *err) {
    return lmb_system_build(out, NULL, d, settings, count, NULL, err);
}

void lmb_system_destroy(lmb_system *s) {
    if (s == NULL) return;
    lmb_free(s->shown);
    lmb_program_destroy(s->program);
    lmb_spec_destroy(s->spec);
    lmb_free(s);
}

static const lmb_channel *shown(const lmb_system *s, int i) {
    return i >= 0 && i < s->shown_count ? &s->program->channels[s->shown[i]] : NULL;
}

int lmb_system_sensor_count(const lmb_system *s) { return s->shown_count; }
const char *lmb_system_sensor_name(const lmb_system *s, int i) {
    return shown(s, i) ? shown(s, i)->name : NULL;
}
const char *lmb_system_sensor_unit(const lmb_system *s, int i) {
    return shown(s, i) ? shown(s, i)->unit : NULL;
}

int lmb_system_sensor_find(const lmb_system *s, const char *name) {
    for (int i = 0; i < s->shown_count; i++)
        if (strcmp(shown(s, i)->name, name) == 0) return i;
    return -1;
}

static const lmb_external *external(const lmb_system *s, int i) {
    const lmb_model *m = s->program->model;
    return i >= 0 && i < m->external_count ? &m->externals[i] : NULL;
}

int lmb_system_input_count(const lmb_system *s) { return s->program->model->external_count; }
const char *lmb_system_input_name(const lmb_system *s, int i) {
    return external(s, i) ? external(s, i)->name : NULL;
}
const char *lmb_system_input_unit(const lmb_system *s, int i) {
    return external(s, i) ? external(s, i)->unit : NULL;
}

int lmb_system_input_find(const lmb_system *s, const char *name) {
    for (int i = 0; external(s, i); i++)
        if (strcmp(external(s, i)->name, name) == 0) return i;
    return -1;
}

void lmb_system_input_range(double *start, double *min, double *max, const lmb_system *s, int i) {
    const lmb_external *e = external(s, i);
    *start = e ? e->start : NAN, *min = e ? e->min : NAN, *max = e ? e->max : NAN;
}

int lmb_system_parameter_count(const lmb_system *s) {
    int count = 0;
    while (lmb_spec_parameter(s->spec, count, NULL)) count++;
    return count;
}

const char *lmb_system_parameter_name(const lmb_system *s, int i) {
    return lmb_spec_parameter(s->spec, i, NULL);
}

double lmb_system_parameter(bool *is_number, const lmb_system *s, int i) {
    double value = NAN;
    if (lmb_spec_parameter(s->spec, i, &value) && is_number)
        *is_number = lmb_spec_parameter_is_number(s->spec, i);
    return value;
}

bool lmb_system_parameter_tunable(char *use, size_t size, const lmb_system *s, int i) {
    char path[400];
    bool exists = lmb_spec_parameter(s->spec, i, NULL) != NULL;
    const lmb_node *n = exists ? lmb_spec_parameter_fixed(s->spec, i) : NULL;
    if (size > 0) *use = '\0';
    if (n == NULL) return exists;
    bool found = lmb_node_path(path, sizeof path, s->spec->root, n);
    if (found) snprintf(use, size, "%s", path + 1);
    else snprintf(use, size, "line %d", n->where.line);
    return false;
}

int lmb_system_output_count(const lmb_system *s) { return s->program->output_count; }
int lmb_system_output(const lmb_system *s, int i) {
    for (int k = 0; i >= 0 && i < s->program->output_count && k < s->shown_count; k++)
        if (s->shown[k] == s->program->outputs[i]) return k;
    return -1;
}

int lmb_system_analysis_count(const lmb_system *s) { return s->program->analysis_count; }
const char *lmb_system_analysis_type(const lmb_system *s, int i) {
    return i >= 0 && i < s->program->analysis_count ? s->program->analyses[i].kind->doc.name : NULL;
}

const char *lmb_system_title(const lmb_system *s) {
    const lmb_node *n = lmb_node_find(s->spec->root, "title");
    return n && n->kind == LMB_NODE_SCALAR ? n->text : "";
}

double lmb_system_analysis_until(const lmb_system *s, int i) {
    return i >= 0 && i < s->program->analysis_count ? s->program->analyses[i].until : NAN;
}
