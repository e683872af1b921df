// api/bundle.c: the files that a model needs beside its text, in one folder.
#include "api/bundle.h"

#include "os/bytes.h"
#include "os/files.h"
#include "store/flex_file.h"

#include <stdio.h>
#include <string.h>

enum { NAME = 32 }; // digits of the hash

// "part-0123..h5"
static bool name_of(lmb_text *out, const char *kind, const char *text, const char *suffix) {
    lmb_sha256 s;
    lmb_sha256_begin(&s);
    lmb_cache_key_add(&s, text, strlen(text));
    lmb_cache_key key = lmb_cache_key_end(&s);
    return lmb_text_add(out, "%s-%.*s%s", kind, NAME, key.text, suffix);
}

static bool part_name(lmb_text *out, const lmb_part *part) {
    lmb_text text = {0};
    bool ok = lmb_part_write(&text, part) && name_of(out, "part", text.text, ".h5");
    lmb_text_free(&text);
    return ok;
}

static bool has_entry(const lmb_zip *z, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i + n <= z->directory.length; i++)
        if (memcmp(z->directory.text + i, name, n) == 0) return true;
    return false;
}

static lmb_status add_file(lmb_zip *z, const char *name, const char *path, lmb_where where, lmb_error *err) {
    lmb_text bytes = {0}, entry = {0};
    lmb_status st = lmb_text_add(&entry, LMB_BUNDLE_FOLDER "%s", name) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && !has_entry(z, entry.text)) {
        st = lmb_file_load(&bytes, path, where, err);
        if (st == LMB_OK) st = lmb_zip_add(z, entry.text, bytes.text, bytes.length, LMB_ZIP_DEFLATED, err);
    }
    lmb_text_free(&bytes), lmb_text_free(&entry);
    return st;
}

lmb_status lmb_bundle_path(const char **out, lmb_model_parts *p, const lmb_node *map, const char *key,
                           const char *path, lmb_error *err) {
    lmb_text name = {0};
    // what is packed there is unpacked here
    const char *suffix = lmb_path_is_packed(path) ? "" : lmb_path_suffix(path);
    lmb_status st = name_of(&name, "file", path, suffix) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        *out = p->how.bundle ? lmb_arena_printf(p->spec->arena, "%s/%s", p->how.bundle, name.text)
                             : lmb_path_beside(p->spec, map, key, path);
        if (*out == NULL) st = lmb_fail_memory(err);
    }
    if (st == LMB_OK && p->collect) st = add_file(p->collect, name.text, *out, lmb_node_place(map, key), err);
    lmb_text_free(&name);
    return st;
}

// ---- parts -------------------------------------------------------------------------------------

static lmb_status read_part(lmb_flex **out, const char *path, const lmb_part *part, const char *name,
                            lmb_error *err) {
    if (!lmb_file_is_there(path))
        return lmb_fail(err, LMB_ERR_INPUT, part->map->where,
                        "body '%s' was reduced when the model was exported, with other values of its "
                        "parameters; its mesh is not here: export the model again with these values",
                        name);
    lmb_status st = lmb_flex_read_file(out, path, err);
    if (st != LMB_OK) return st;
    (*out)->name = lmb_arena_strdup((*out)->arena, name);
    if ((*out)->name) return LMB_OK;
    lmb_flex_destroy(*out);
    *out = NULL;
    return lmb_fail_memory(err);
}

lmb_status lmb_bundle_part(lmb_flex **out, const lmb_model_parts *p, const lmb_part *part, const char *name,
                           lmb_error *err) {
    lmb_text path = {0};
    *out = NULL;
    lmb_status st = lmb_text_add(&path, "%s/", p->how.bundle) && part_name(&path, part)
                        ? read_part(out, path.text, part, name, err)
                        : lmb_fail_memory(err);
    lmb_text_free(&path);
    return st;
}

// HDF5 writes files only: one in a folder that nobody else sees
lmb_status lmb_bundle_keep(lmb_model_parts *p, const lmb_part *part, const lmb_flex *f, lmb_error *err) {
    char folder[256], path[300];
    lmb_text name = {0};
    lmb_status st = part_name(&name, part) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_scratch_folder(folder, sizeof folder, err);
    if (st != LMB_OK) return lmb_text_free(&name), st;
    snprintf(path, sizeof path, "%s/part.h5", folder);
    st = lmb_flex_write_file(path, f, err);
    if (st == LMB_OK) st = add_file(p->collect, name.text, path, part->map->where, err);
    lmb_folder_remove(folder);
    lmb_text_free(&name);
    return st;
}
