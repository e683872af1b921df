// draw/view_study.c: the page of a parameter study: its table, from which the page draws.
//
// Header: {"format", "file", "version", ..., "ramp", "study": {"sample", "seed", "keep", "model_path", "method", "parameters": [{"name",
// "source", "scale"}], "measures": [{"name", "source", "unit"}], "messages": [..], "columns": [..], arrays "values" (members x parameters),
// "measured" (members x measures), "indices" (measures parameters x columns), "status", "message", "seconds" (members)}}.
#include "draw/view_study.h"
#include "draw/page.h"
#include "os/locale.h"
#include "store/study_file.h"

#include <string.h>

typedef struct writer {
    lmb_page *page;
    const lmb_study_file *f;
    const char *path;
} writer;

#define ADD(w, ...) LMB_PAGE_ADD((w)->page, __VA_ARGS__)

// {"name": .., KEY: .., ..} of each
static void add_list(writer *w, const char *key, int count, char **const *texts, const char *const *keys) {
    ADD(w, ", \"%s\": [", key);
    for (int i = 0; i < count; i++) {
        ADD(w, "%s{\"name\": ", i ? ", " : ""), lmb_page_string(w->page, texts[0][i]);
        for (int k = 1; k < 3; k++) lmb_page_text(w->page, keys[k], texts[k][i]);
        ADD(w, "}");
    }
    ADD(w, "]");
}

static void add_study(writer *w) {
    const lmb_study_file *f = w->f;
    static const struct {
        const char *key;
        lmb_study_text text;
    } texts[] = {{"model_path", LMB_STUDY_MODEL_PATH}, {"seed", LMB_STUDY_SEED}, {"keep", LMB_STUDY_KEEP}};
    ADD(w, ",\n\"study\": {\"sample\": "), lmb_page_string(w->page, f->text[LMB_STUDY_SAMPLE]);
    for (int i = 0; i < LMB_COUNT(texts); i++) lmb_page_text(w->page, texts[i].key, f->text[texts[i].text]);
    lmb_page_text(w->page, "method", f->method);
    add_list(w, "parameters", f->parameters,
             (char **const[]){f->parameter_name, f->parameter_source, f->parameter_scale},
             (const char *const[]){"name", "source", "scale"});
    add_list(w, "measures", f->measures,
             (char **const[]){f->measure_name, f->measure_source, f->measure_unit},
             (const char *const[]){"name", "source", "unit"});
    lmb_page_names(w->page, "messages", f->message_text, f->messages);
    lmb_page_names(w->page, "columns", f->column, f->columns);
}

static void add_header(writer *w) {
    const lmb_study_file *f = w->f;
    const char *slash = strrchr(w->path, '/');
    ADD(w, "{\"format\": 1");
    lmb_page_text(w->page, "file", slash ? slash + 1 : w->path);
    lmb_page_text(w->page, "version", f->version);
    lmb_page_text(w->page, "created", f->created);
    lmb_page_text(w->page, "command", f->command);
    lmb_page_text(w->page, "model_file", f->text[LMB_STUDY_MODEL_FILE]);
    lmb_page_text(w->page, "model", f->text[LMB_STUDY_MODEL]);
    ADD(w, ", "), lmb_page_ramp(w->page);
    add_study(w);
}

static lmb_status put_study(lmb_page *p, void *user, lmb_error *err) {
    writer *w = user;
    const lmb_study_file *f = w->f;
    lmb_status st = LMB_OK;
    const lmb_array arrays[] = {
        {"values", LMB_F8, f->members, f->parameters, .f8 = f->parameter},
        {"measured", LMB_F8, f->members, f->measures, .f8 = f->measure},
        {"indices", LMB_F8, (long)f->measures * f->parameters, f->columns, .f8 = f->sensitivity},
        {"status", LMB_I4, f->members, 1, .i4 = f->status},
        {"message", LMB_I4, f->members, 1, .i4 = f->message},
        {"seconds", LMB_F8, f->members, 1, .f8 = f->seconds}};
    w->page = p;
    if (!p->pack) add_header(w);
    for (int i = 0; i < LMB_COUNT(arrays) && st == LMB_OK; i++) {
        bool some = arrays[i].rows > 0 && arrays[i].columns > 0;
        if (!p->pack && some) ADD(w, ", ");
        if (some) st = lmb_page_put(p, &arrays[i], err);
    }
    if (!p->pack) ADD(w, "}}\n");
    return st;
}

lmb_status lmb_view_study(const char *path, const lmb_view_options *options, lmb_error *err) {
    const char *study = options->results[0], *slash = strrchr(study, '/');
    lmb_study_file f = {0};
    lmb_page page = {.ok = true};
    writer w = {.f = &f, .path = study};
    lmb_page_plan plan = {path, slash ? slash + 1 : study, options->page, options->results, 1, put_study, &w};
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_page_check(options->page, err);
    if (st == LMB_OK) st = lmb_study_file_read(&f, NULL, study, -1, err);
    if (st == LMB_OK) st = lmb_page_make(&page, &plan, err);
    lmb_locale_end(locale);
    lmb_study_file_free(&f);
    lmb_page_free(&page);
    return st;
}
