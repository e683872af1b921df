// draw/exports.c: the table of formats of exports.
#include "draw/exports.h"

#include "os/outfile.h"

#include <string.h>

#define ROW(id, name, endings) {name, endings, lmb_export_##id##_file},
static const lmb_export_format formats[] = {LMB_EXPORT_FORMATS(ROW)};

lmb_status lmb_export_file(const char *path, const char *results, const lmb_export_options *options,
                           lmb_error *err) {
    if (strcmp(path, "-") == 0) return lmb_export_csv_file(path, results, options, err);
    lmb_status st = lmb_output_check(path, results, err);
    if (st != LMB_OK) return st;
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (lmb_format_fits(formats[i].endings, path)) return formats[i].write(path, results, options, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "cannot export to '%.300s': unknown ending; supported: %s", path,
                    LMB_FORMAT_TEXT(LMB_EXPORT_FORMATS(LMB_FORMAT_ALSO)));
}
