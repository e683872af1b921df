// api/import_body.c: bodies of other programs as body files.
#include "os/locale.h"
#include "store/flex_file.h"

#include <limber/limber.h>

#include <string.h>

static lmb_status read_body(lmb_flex **out, lmb_text *told, const char *path, const lmb_import_options *o,
                            lmb_error *err) {
    if (o == NULL || !o->complete) return lmb_flex_read_file(out, path, err);
    if (lmb_flex_is_sid(path)) return lmb_sid_read_completed(out, told, path, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s': only Standard Input Data (.SID_FEM) can be completed", path);
}

lmb_status lmb_import_body_file(char **report, const char *output, const char *body,
                                const lmb_import_options *o, lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_text told = {0}, text = {0};
    if (report) *report = NULL;
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_flex_check_output(output, err);
    if (st == LMB_OK) st = read_body(&f, &told, body, o, err);
    if (st == LMB_OK && !lmb_flex_describe(&text, f)) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_flex_write_file(output, f, err);
    if (st == LMB_OK && report) *report = text.text, text = (lmb_text){0};
    lmb_locale_end(locale);
    lmb_text_free(&text), lmb_text_free(&told);
    lmb_flex_destroy(f);
    return st;
}
