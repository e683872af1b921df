// read/mesh_file.c: chooses the reader of a mesh file.
#include "read/mesh_file.h"

#include "mesh/mesh.h"
#include "os/bytes.h"

static lmb_status parse(lmb_mesh **out, const char *path, const lmb_text *bytes, lmb_error *err) {
    const lmb_mesh_format *f = lmb_mesh_format_of(path, bytes->text, bytes->length);
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
