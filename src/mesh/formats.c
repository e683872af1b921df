// mesh/formats.c: the table of mesh formats.
#include "mesh/formats.h"

#include <ctype.h>

#define ROW(id, name, endings) {name, endings, lmb_mesh_is_##id, lmb_mesh_read_##id},
static const lmb_mesh_format formats[] = {LMB_MESH_FORMATS(ROW)};

const lmb_mesh_format *lmb_mesh_format_named(const char *path) {
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (lmb_format_fits(formats[i].endings, path)) return &formats[i];
    return NULL;
}

const lmb_mesh_format *lmb_mesh_format_of(const char *path, const char *text, size_t length) {
    const lmb_mesh_format *named = lmb_mesh_format_named(path);
    for (; length > 0 && isspace((unsigned char)*text); text++) length--;
    for (int i = 0; i < LMB_COUNT(formats) && !named; i++)
        if (formats[i].is(text, length)) return &formats[i];
    return named;
}
