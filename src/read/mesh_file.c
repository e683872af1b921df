// read/mesh_file.c: chooses the reader of a mesh file.
#include "read/mesh_file.h"

#include "mesh/mesh.h"
#include "os/bytes.h"

#include <string.h>
#include <strings.h>

typedef lmb_status (*reader)(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err);

// by the extension, or by the first word of the file
static reader choose(const char *path, const char *text) {
    const char *suffix = lmb_path_suffix(path);
    text += strspn(text, " \t\r\n");
    if (strcasecmp(suffix, ".msh") == 0 || strncmp(text, "$MeshFormat", 11) == 0) return lmb_mesh_read_msh;
    if (strcasecmp(suffix, ".inp") == 0 || text[0] == '*') return lmb_mesh_read_inp;
    return NULL;
}

static lmb_status parse(lmb_mesh **out, const char *path, const lmb_text *bytes, lmb_error *err) {
    reader read_kind = choose(path, bytes->text);
    if (read_kind) return read_kind(out, bytes->text, bytes->length, path, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "unsupported mesh file '%s'; supported: Gmsh (.msh), Abaqus and CalculiX (.inp) and, "
                    "through gmsh, .step, .iges, .brep and .geo",
                    path);
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
