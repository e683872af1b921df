// store/sid_file.c: files of Standard Input Data.
#include "mesh/scan.h"
#include "os/bytes.h"
#include "os/files.h"
#include "store/flex_file.h"
#include "store/sid.h"

// only their names tell: any text may begin with two numbers
bool lmb_flex_is_sid(const char *path) {
    return lmb_format_fits(".SID_FEM", path) && lmb_file_is_there(path);
}

static lmb_status parse(lmb_sid **out, const char *path, lmb_error *err) {
    lmb_text text = {0};
    *out = NULL;
    lmb_status st = lmb_file_load(&text, path, LMB_NOWHERE, err);
    if (st == LMB_OK) st = lmb_sid_parse(out, text.text, text.length, path, err);
    lmb_text_free(&text);
    return st;
}

lmb_status lmb_flex_read_sid(lmb_flex **out, const char *path, lmb_error *err) {
    lmb_sid *s;
    *out = NULL;
    lmb_status st = parse(&s, path, err);
    if (st == LMB_OK) st = lmb_sid_body(out, s, err);
    lmb_sid_destroy(s);
    return st;
}

lmb_status lmb_sid_read_completed(lmb_flex **out, lmb_text *told, const char *path, lmb_error *err) {
    lmb_sid *s;
    *out = NULL;
    lmb_status st = parse(&s, path, err);
    if (st == LMB_OK) st = lmb_sid_body_completed(out, told, s, err);
    lmb_sid_destroy(s);
    return st;
}

static bool describe_refused(lmb_text *t, const lmb_sid *s, const char *path, const lmb_error *err) {
    char why[1200];
    const lmb_sid_lint lint = lmb_sid_check(s);
    return lmb_text_add(t, "%s: Standard Input Data, %d nodes, %d modes, mass %.8g\n%s\n", path,
                        s->node_count, s->modes, s->mass, s->header) &&
           lmb_sid_report(t, s, &lint) &&
           lmb_text_add(t,
                        "it cannot be used as a body\n%s\n`limber import --complete` makes a body of it and "
                        "says what it changes\n",
                        lmb_error_format(why, sizeof why, err));
}

lmb_status lmb_sid_describe(lmb_text *out, const char *path, lmb_error *err) {
    lmb_sid *s;
    lmb_flex *f = NULL;
    lmb_error why = {0};
    bool ok = true;
    lmb_status st = parse(&s, path, err);
    if (st != LMB_OK) return st;
    st = lmb_sid_body(&f, s, &why);
    if (st == LMB_OK)
        ok = lmb_text_add(out, "%s: flexible body %s\n", path, f->name) && lmb_flex_describe(out, f);
    else if (st == LMB_ERR_INPUT) ok = describe_refused(out, s, path, &why);
    lmb_flex_destroy(f);
    lmb_sid_destroy(s);
    if (st != LMB_OK && st != LMB_ERR_INPUT) return *err = why, st;
    return ok ? LMB_OK : lmb_fail_memory(err);
}
