// store/body_formats.c: the table of formats of flexible bodies.
#include "store/flex_file.h"

#define ROW(id, name, endings) {name, endings, lmb_flex_is_##id, lmb_flex_read_##id},
static const lmb_body_format formats[] = {LMB_BODY_FORMATS(ROW)};

static const lmb_body_format *by_contents(const char *path) {
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (formats[i].is(path)) return &formats[i];
    return NULL;
}

static const lmb_body_format *by_name(const char *path) {
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (lmb_format_fits(formats[i].endings, path)) return &formats[i];
    return NULL;
}

bool lmb_flex_file_is(const char *path) { return by_contents(path) != NULL; }

lmb_status lmb_flex_read_file(lmb_flex **out, const char *path, lmb_error *err) {
    const lmb_body_format *f = by_contents(path);
    *out = NULL;
    if (f == NULL) f = by_name(path);
    if (f) return f->read(out, path, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is not a flexible body; supported: %s", path,
                    LMB_FORMAT_TEXT(LMB_BODY_FORMATS(LMB_FORMAT_ALSO)));
}
