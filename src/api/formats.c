// api/formats.c: which formats are read and written, from their tables.
#include <limber/limber.h>

#include "draw/exports.h"
#include "mesh/formats.h"
#include "reduce/flex.h"

const char *lmb_format_list(lmb_format_use use) {
    switch (use) {
    case LMB_FORMATS_PARTS: return LMB_FORMAT_TEXT(LMB_MESH_AND_GEOMETRY(LMB_FORMAT_ALSO));
    case LMB_FORMATS_BODIES: return LMB_FORMAT_TEXT(LMB_BODY_FORMATS(LMB_FORMAT_ALSO));
    case LMB_FORMATS_EXPORTS: return LMB_FORMAT_TEXT(LMB_EXPORT_FORMATS(LMB_FORMAT_ALSO));
    case LMB_FORMATS_MATRICES: return LMB_FORMAT_TEXT(LMB_MATRIX_FORMATS(LMB_FORMAT_ALSO));
    case LMB_FORMATS_GEOMETRY: return LMB_FORMAT_TEXT(LMB_GEOMETRY_FORMATS(LMB_FORMAT_ALSO));
    case LMB_FORMATS_NONE: break;
    }
    return "";
}
