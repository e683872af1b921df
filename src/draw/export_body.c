// draw/export_body.c: flexible bodies for other programs, as they are in a body file.
#include "draw/exports.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "store/fem.h"
#include "store/flex_file.h"
#include "store/mnf.h"
#include "store/sid.h"
#include "store/super.h"

#include <stdio.h>
#include <string.h>

// a body with shape functions and markers, from a body file; what: that needs it
static lmb_status read_body(lmb_flex **out, const char *path, const char *what, lmb_error *err) {
    *out = NULL;
    if (!lmb_flex_file_is(path))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%.300s' is not a body file: %s is made of one body (limber reduce)", path, what);
    lmb_status st = lmb_flex_read_file(out, path, err);
    if (st != LMB_OK || ((*out)->m > 0 && (*out)->marker_count > 0)) return st;
    st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s' has no %s, which %s needs", path,
                  (*out)->m == 0 ? "shape functions" : "markers", what);
    lmb_flex_destroy(*out), *out = NULL;
    return st;
}

static lmb_status write_text(const char *path, const char *input, bool ok, const lmb_text *text,
                             lmb_error *err) {
    lmb_outfile o;
    if (!ok) return lmb_fail_memory(err);
    lmb_status st = lmb_outfile_open(&o, path, input, err);
    if (st != LMB_OK) return st;
    fwrite(text->text, 1, text->length, o.f);
    return lmb_outfile_close(&o, LMB_OK, err);
}

static lmb_status layout_of(lmb_sid_layout *out, const lmb_export_options *o, lmb_error *err) {
    const char *name = o && o->gr_layout ? o->gr_layout : "axis";
    *out = strcmp(name, "mode") == 0 ? LMB_SID_BY_MODE : LMB_SID_BY_AXIS;
    if (*out == LMB_SID_BY_MODE || strcmp(name, "axis") == 0) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "the layout of Gr and Ge is 'axis' (columns axis by axis, FEMBS) or 'mode' (mode by mode, "
        "EMBSlib, PyMbs), not '%.100s'",
        name);
}

lmb_status lmb_export_sid_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_text text = {0};
    lmb_sid_layout layout;
    lmb_status st = layout_of(&layout, options, err);
    if (st == LMB_OK) st = read_body(&f, body, "a file of Standard Input Data", err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = lmb_sid_write(&text, f, layout);
    lmb_locale_end(locale);
    st = write_text(path, body, ok, &text, err);
    lmb_text_free(&text);
    lmb_flex_destroy(f);
    return st;
}

lmb_status lmb_export_fem_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_text text = {0};
    (void)options;
    lmb_status st = read_body(&f, body, "modal data of MBDyn", err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = lmb_fem_write(&text, f);
    lmb_locale_end(locale);
    st = write_text(path, body, ok, &text, err);
    lmb_text_free(&text);
    lmb_flex_destroy(f);
    return st;
}

lmb_status lmb_export_mnf_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_text text = {0};
    lmb_error why = {0};
    (void)options;
    lmb_status st = read_body(&f, body, "a modal neutral file", err);
    if (st != LMB_OK) return st;
    st = lmb_mnf_write(&text, f, &why);
    if (st == LMB_OK) st = write_text(path, body, true, &text, err);
    else lmb_fail(err, st, LMB_NOWHERE, "'%.300s' cannot be a modal neutral file: %s", body, why.text);
    lmb_text_free(&text);
    lmb_flex_destroy(f);
    return st;
}

// ---- superelements -------------------------------------------------------------------------------

// a body and its matrices; what: as above
static lmb_status read_super(lmb_flex **f, lmb_flex_super *s, const char *path, const char *what,
                             lmb_error *err) {
    lmb_error why = {0};
    lmb_status st = read_body(f, path, what, err);
    if (st != LMB_OK) return st;
    st = lmb_flex_condense(s, *f, &why);
    if (st == LMB_OK) return st;
    lmb_flex_destroy(*f), *f = NULL;
    return lmb_fail(err, st, LMB_NOWHERE, "'%.300s' cannot be %s: %s", path, what, why.text);
}

lmb_status lmb_export_dmig_file(const char *path, const char *body, const lmb_export_options *options,
                                lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_flex_super s;
    lmb_text text = {0};
    (void)options;
    lmb_status st = read_super(&f, &s, body, "a superelement", err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = lmb_super_write_dmig(&text, f, &s);
    lmb_locale_end(locale);
    st = write_text(path, body, ok, &text, err);
    lmb_text_free(&text);
    lmb_flex_super_free(&s);
    lmb_flex_destroy(f);
    return st;
}

// x.op4 -> x_nodes.csv
static lmb_status write_beside(const char *path, const char *input, const char *end, bool ok,
                               const lmb_text *text, lmb_error *err) {
    char name[1200];
    snprintf(name, sizeof name, "%.*s%s", (int)(strlen(path) - 4), path, end);
    return write_text(name, input, ok, text, err);
}

lmb_status lmb_export_op4_file(const char *path, const char *body, const lmb_export_options *options,
                               lmb_error *err) {
    lmb_flex *f = NULL;
    lmb_flex_super s;
    lmb_text text = {0}, nodes = {0}, rows = {0};
    (void)options;
    lmb_status st = read_super(&f, &s, body, "a superelement", err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = lmb_super_write_op4(&text, f, &s), nodes_ok = lmb_super_write_nodes(&nodes, f, &s),
         rows_ok = lmb_super_write_rows(&rows, &s);
    lmb_locale_end(locale);
    st = write_text(path, body, ok, &text, err);
    if (st == LMB_OK) st = write_beside(path, body, "_nodes.csv", nodes_ok, &nodes, err);
    if (st == LMB_OK) st = write_beside(path, body, "_rows.csv", rows_ok, &rows, err);
    lmb_text_free(&text), lmb_text_free(&nodes), lmb_text_free(&rows);
    lmb_flex_super_free(&s);
    lmb_flex_destroy(f);
    return st;
}
