// api/model_parts.c: bodies of a model that come from files: body files, part files, meshes.
#include "api/model_parts.h"

#include "api/bundle.h"
#include "api/enrich.h"
#include "api/reduce_ahead.h"
#include "os/bytes.h"
#include "read/reference_file.h"
#include "store/flex_file.h"

#include <string.h>

// A part file that a body refers to.
typedef struct lmb_part_open {
    struct lmb_part_open *next;
    lmb_part_file file;
} lmb_part_open;

// a body file; its path is relative to the file that names it
static lmb_status read_flex(void *user, lmb_flex **out, const lmb_node *map, const char *key,
                            const char *path, lmb_error *err) {
    lmb_model_parts *p = user;
    const char *full;
    lmb_status st = lmb_bundle_path(&full, p, map, key, path, err);
    if (st != LMB_OK) return st;
    lmb_error why = {0};
    st = lmb_flex_read_file(out, full, &why);
    if (st == LMB_OK && (st = lmb_file_hash(&p->contents, full, &why)) != LMB_OK)
        lmb_flex_destroy(*out), *out = NULL;
    return st == LMB_OK ? st : lmb_fail(err, st, lmb_node_place(map, key), "%s", why.text);
}

static lmb_status read_part(void *user, lmb_part *out, const lmb_node *map, const char *key, const char *path,
                            lmb_error *err) {
    lmb_model_parts *p = user;
    if (!lmb_part_file_is(path))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(map, key),
                        "'%s' is not a part file (.yaml, .yml, .json); use 'file' for a mesh or geometry",
                        path);
    const char *full;
    lmb_status st = lmb_bundle_path(&full, p, map, key, path, err);
    lmb_part_open *open = st == LMB_OK ? lmb_alloc(1, sizeof *open) : NULL;
    if (open == NULL) return st ? st : lmb_fail_memory(err);
    open->next = p->open, p->open = open;
    lmb_error why = {0};
    st = lmb_part_file_describe(&open->file, full, &p->how, &why);
    *out = open->file.part;
    if (st == LMB_OK) return st;
    lmb_where where = why.file[0] ? (lmb_where){why.file, why.line, why.col} : lmb_node_place(map, key);
    return lmb_fail(err, st, where, "%s", why.text);
}

// hands the file over
static lmb_status keep(lmb_model_parts *p, const lmb_part_file *file, lmb_error *err) {
    lmb_part_kept *k = p->kept;
    k->file = *file;
    return lmb_part_file_build(&k->model, &k->contents, &k->file, &p->how, err);
}

void lmb_part_kept_free(lmb_part_kept *k) {
    lmb_part_model_destroy(k->model);
    lmb_part_contents_free(&k->contents);
    lmb_part_file_close(&k->file);
    *k = (lmb_part_kept){0};
}

static lmb_status reduce(void *user, lmb_flex **out, const lmb_part *part, const char *name, lmb_error *err) {
    lmb_model_parts *p = user;
    if (p->how.bundle) return lmb_bundle_part(out, p, part, name, err);
    lmb_reduced_part ready = {0};
    lmb_part_settings alone = p->how;
    alone.threads = 1;
    bool known = lmb_reduce_ahead_take(&ready, p->ahead, part, name, err);
    lmb_part_file file = ready.file;
    lmb_status st = known ? ready.status : lmb_part_file_take(&file, p->spec, part, name, &p->how, err);
    p->missing = p->missing || file.missing;
    lmb_sha256_join(&p->contents, &file.contents);
    if (known) *out = ready.flex;
    else if (st == LMB_OK) st = lmb_part_file_reduce(out, NULL, &file, &alone, err);
    if (st == LMB_OK && p->kept && strcmp(p->kept->body, name) == 0) {
        st = keep(p, &file, err);
        if (st != LMB_OK) lmb_flex_destroy(*out), *out = NULL;
        return st;
    }
    if (st == LMB_OK && p->collect && (st = lmb_bundle_keep(p, part, *out, err)) != LMB_OK)
        lmb_flex_destroy(*out), *out = NULL;
    lmb_part_file_close(&file);
    return st;
}

static lmb_status reduce_beam(void *user, lmb_flex **out, const lmb_part *part, const char *name,
                              lmb_error *err) {
    lmb_model_parts *p = user;
    lmb_reduced_part ready;
    if (!lmb_reduce_ahead_take(&ready, p->ahead, part, name, err))
        return lmb_part_reduce(out, part, NULL, &(lmb_part_options){.name = name}, err);
    *out = ready.flex;
    return ready.status;
}

static void ahead(void *user, const lmb_asked_part *list, int count) {
    lmb_model_parts *p = user;
    if (!p->how.bundle) p->ahead = lmb_reduce_ahead_create(p->spec, list, count, &p->how);
}

static lmb_status read_table(void *user, lmb_knots *out, const lmb_node *map, const char *path, const char *x,
                             const char *y, lmb_error *err) {
    lmb_model_parts *p = user;
    const char *full;
    lmb_error why = {0};
    *out = (lmb_knots){0};
    lmb_status st = lmb_bundle_path(&full, p, map, "file", path, err);
    if (st != LMB_OK) return st;
    st = lmb_columns_read(out, full, x, y, &why);
    if (st == LMB_OK) st = lmb_file_hash(&p->contents, full, &why);
    if (st == LMB_OK) return st;
    lmb_where where = why.file[0] ? (lmb_where){why.file, why.line, why.col} : lmb_node_place(map, "file");
    return lmb_knots_free(out), lmb_fail(err, st, where, "%s", why.text);
}

static const lmb_shape_request *more(void *user, int *count, const char *name, int piece) {
    const lmb_model_parts *p = user;
    *count = 0;
    return p->more ? lmb_enrichment_find(count, p->more, name, piece) : NULL;
}

lmb_files lmb_model_parts_files(lmb_model_parts *p) {
    return (lmb_files){read_flex, read_part, reduce, reduce_beam, ahead, read_table, more, p};
}

void lmb_model_parts_end(lmb_model_parts *p) {
    lmb_reduce_ahead_destroy(p->ahead);
    p->ahead = NULL;
    for (lmb_part_open *next; p->open; p->open = next) {
        next = p->open->next;
        lmb_part_file_close(&p->open->file);
        lmb_free(p->open);
    }
}
