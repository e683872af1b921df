// api/origin.c: where a results file comes from.
#include "api/origin.h"

#include <stdio.h>
#include <string.h>

lmb_status lmb_parameters_list(lmb_parameters *out, const lmb_spec *s, lmb_error *err) {
    double value;
    while (lmb_spec_parameter(s, out->count, &value)) out->count++;
    out->names = lmb_alloc((size_t)out->count, sizeof *out->names);
    out->values = lmb_alloc((size_t)out->count, sizeof *out->values);
    if (out->names == NULL || out->values == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < out->count; i++) out->names[i] = lmb_spec_parameter(s, i, &out->values[i]);
    return LMB_OK;
}

void lmb_parameters_free(lmb_parameters *p) {
    lmb_free(p->names);
    lmb_free(p->values);
}

static lmb_status compare_parameters(char what[LMB_ORIGIN_TEXT], lmb_reader *r, const lmb_system *s,
                                     lmb_error *err) {
    lmb_parameters p = {0};
    lmb_series then = {0};
    lmb_status st = lmb_parameters_list(&p, s->spec, err);
    if (st == LMB_OK && p.count > 0) st = lmb_reader_parameters(&then, r, err);
    if (st == LMB_OK && then.columns != p.count)
        snprintf(what, LMB_ORIGIN_TEXT, "it was computed with other parameters");
    for (int i = 0; i < p.count && st == LMB_OK && !what[0]; i++)
        if (strcmp(p.names[i], then.names[i]) != 0 || p.values[i] != then.v[i])
            snprintf(what, LMB_ORIGIN_TEXT, "parameter %s is %.17g in the file, but %s is %.17g now",
                     then.names[i], then.v[i], p.names[i], p.values[i]);
    lmb_series_free(&then);
    lmb_parameters_free(&p);
    return st;
}

static bool same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

lmb_status lmb_origin_compare(char what[LMB_ORIGIN_TEXT], lmb_reader *r, const lmb_system *s,
                              lmb_error *err) {
    const char *text = "";
    if (!same_text(lmb_reader_text(r, "version"), lmb_version()))
        text = "it was written by another version of limber";
    else if (!same_text(lmb_reader_text(r, "model"), s->text)) text = "the model file has changed";
    else if (!same_text(lmb_reader_text(r, "fingerprint"), s->fingerprint))
        text = "a file that the model uses (included file, body or mesh) has changed";
    snprintf(what, LMB_ORIGIN_TEXT, "%s", text);
    return what[0] ? LMB_OK : compare_parameters(what, r, s, err);
}
