// read/mesh_file.c: chooses the reader of a mesh file.
#include "read/mesh_file.h"

#include "mesh/mesh.h"
#include "os/bytes.h"
#include "os/files.h"

#include <string.h>

// ---- included files ----------------------------------------------------------------------------

typedef struct folder {
    const char *path; // of the deck
    lmb_arena *arena;
} folder;

static lmb_status include(void *user, lmb_text *text, const char **path, const char *name, lmb_where where,
                          lmb_error *err) {
    const folder *f = user;
    const char *slash = strrchr(f->path, '/');
    if (!lmb_path_is_inside(name))
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "INCLUDE '%s': only files beside the deck or in folders below it can be included; copy "
            "it there, and write its name with /",
            name);
    *path = slash ? lmb_arena_printf(f->arena, "%.*s/%s", (int)(slash - f->path), f->path, name)
                  : lmb_arena_strdup(f->arena, name);
    return *path ? lmb_file_load(text, *path, where, err) : lmb_fail_memory(err);
}

typedef lmb_status reader_from(lmb_mesh **out, const char *text, size_t length, const char *name,
                               lmb_mesh_include *load, void *user, lmb_error *err);

// a deck that may include files
static lmb_status parse_from(lmb_mesh **out, reader_from *read, const char *path, const lmb_text *bytes,
                             lmb_error *err) {
    folder f = {path, lmb_arena_create(1024)};
    if (f.arena == NULL) return lmb_fail_memory(err);
    lmb_status st = read(out, bytes->text, bytes->length, path, include, &f, err);
    lmb_arena_destroy(f.arena);
    return st;
}

// ---- all ---------------------------------------------------------------------------------------

static lmb_status parse(lmb_mesh **out, const char *path, const lmb_text *bytes, lmb_error *err) {
    const lmb_mesh_format *f = lmb_mesh_format_of(path, bytes->text, bytes->length);
    if (f && f->read == lmb_mesh_read_bdf) return parse_from(out, lmb_mesh_read_bdf_from, path, bytes, err);
    if (f && f->read == lmb_mesh_read_inp) return parse_from(out, lmb_mesh_read_inp_from, path, bytes, err);
    if (f) return f->read(out, bytes->text, bytes->length, path, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "unsupported mesh file '%s'; supported: %s", path,
                    LMB_FORMAT_TEXT(LMB_MESH_AND_GEOMETRY(LMB_FORMAT_ALSO)));
}

lmb_status lmb_mesh_read_file(lmb_mesh **out, const char *path, const lmb_text *bytes,
                              const lmb_geometry_options *o, const lmb_watch *watch, lmb_error *err) {
    const lmb_geometry_options usual = {0};
    lmb_text own = {0};
    *out = NULL;
    if (lmb_geometry_knows(path)) return lmb_geometry_mesh(out, path, o ? o : &usual, watch, err);
    if (!lmb_watch_tell(watch, -1, "reading %s", path))
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    lmb_status st = bytes ? LMB_OK : lmb_file_load(&own, path, LMB_NOWHERE, err);
    if (st == LMB_OK) st = parse(out, path, bytes ? bytes : &own, err);
    lmb_text_free(&own);
    return st;
}
