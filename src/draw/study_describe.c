// draw/study_describe.c: a study for people: parameters, measures, members, sensitivities.
#include "draw/study_describe.h"

#include <math.h>
#include <string.h>

typedef struct writer {
    lmb_text *out;
    const lmb_study_file *f;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->out, __VA_ARGS__))

static int widest(char **list, int count, int least) {
    for (int i = 0; i < count; i++)
        if ((int)strlen(list[i]) > least) least = (int)strlen(list[i]);
    return least;
}

static void add_parameters(writer *w) {
    const lmb_study_file *f = w->f;
    int width = widest(f->parameter_name, f->parameters, 4);
    ADD(w, "parameters\n");
    for (int i = 0; i < f->parameters; i++)
        ADD(w, "    %-*s  %s\n", width, f->parameter_name[i], f->parameter_source[i]);
}

typedef struct column_summary { // of a measure over all members where it is a number
    int count;
    double min, max, mean, deviation;
} column_summary;

static column_summary summarise(const lmb_study_file *f, int j) {
    column_summary s = {0, INFINITY, -INFINITY, 0, 0};
    double squares = 0;
    for (int k = 0; k < f->members; k++) {
        double x = f->measure[(size_t)k * (size_t)f->measures + (size_t)j], before = s.mean;
        if (!isfinite(x)) continue;
        s.count++;
        s.min = fmin(s.min, x), s.max = fmax(s.max, x);
        s.mean += (x - before) / s.count; // Welford
        squares += (x - before) * (x - s.mean);
    }
    if (s.count > 1) s.deviation = sqrt(squares / (s.count - 1));
    return s;
}

static void add_measures(writer *w) {
    const lmb_study_file *f = w->f;
    int width = widest(f->measure_name, f->measures, 7);
    if (f->measures == 0) return;
    ADD(w, "%-*s  %8s %14s %14s %14s %14s\n", width + 4, "measures", "members", "min", "mean", "max",
        "deviation");
    for (int j = 0; j < f->measures; j++) {
        column_summary s = summarise(f, j);
        const char *unit = f->measure_unit[j];
        ADD(w, "    %-*s  %8d", width, f->measure_name[j], s.count);
        if (s.count > 0) ADD(w, " %14.6g %14.6g %14.6g %14.6g", s.min, s.mean, s.max, s.deviation);
        ADD(w, "%s%s\n", *unit ? " " : "", unit);
    }
}

static void add_members(writer *w) {
    const lmb_study_file *f = w->f;
    int count[5] = {0};
    for (int k = 0; k < f->members; k++) count[f->status[k] + 1]++;
    bool first = true;
    ADD(w, "members   %d", f->members);
    for (int s = 0; s < 5; s++) {
        int status = s == 0 ? 0 : s == 1 ? -1 : s - 1; // done first
        if (count[status + 1] > 0) {
            ADD(w, "%s%d %s", first ? ": " : ", ", count[status + 1], lmb_study_status_name(status));
            first = false;
        }
    }
    ADD(w, "\n");
}

// the first few messages, each with its members
static void add_messages(writer *w) {
    enum { LISTED = 5 };
    const lmb_study_file *f = w->f;
    for (int i = 1; i < f->messages && i <= LISTED; i++) {
        int first = -1, count = 0;
        for (int k = 0; k < f->members; k++)
            if (f->message[k] == i && count++ == 0) first = k;
        if (count > 0)
            ADD(w, "    member %d%s: %s\n", first + 1, count > 1 ? " and others" : "", f->message_text[i]);
    }
    if (f->messages - 1 > LISTED) ADD(w, "    and %d more messages\n", f->messages - 1 - LISTED);
}

static void add_sensitivity(writer *w) {
    const lmb_study_file *f = w->f;
    int width = widest(f->parameter_name, f->parameters, 4);
    if (f->columns == 0) return;
    for (int j = 0; j < f->measures; j++) {
        ADD(w, "sensitivity of %s (%s)\n    %-*s", f->measure_name[j], f->method, width, "");
        for (int c = 0; c < f->columns; c++) ADD(w, " %12s", f->column[c]);
        ADD(w, "\n");
        for (int i = 0; i < f->parameters; i++) {
            const double *row =
                f->sensitivity + ((size_t)j * (size_t)f->parameters + (size_t)i) * (size_t)f->columns;
            ADD(w, "    %-*s", width, f->parameter_name[i]);
            for (int c = 0; c < f->columns; c++) ADD(w, " %12.5g", row[c]);
            ADD(w, "\n");
        }
    }
}

bool lmb_study_summary(lmb_text *out, const lmb_study_file *f) {
    writer w = {out, f, true};
    add_members(&w);
    add_messages(&w);
    add_measures(&w);
    add_sensitivity(&w);
    return w.ok;
}

bool lmb_study_describe(lmb_text *out, const lmb_study_file *f, const char *path) {
    writer w = {out, f, true};
    ADD(&w, "%s: study of limber %s\n", path, f->version);
    ADD(&w, "model     %s\n", f->text[LMB_STUDY_MODEL_FILE]);
    if (*f->command) ADD(&w, "command   %s\n", f->command);
    if (*f->created) ADD(&w, "created   %s\n", f->created);
    ADD(&w, "sample    %s, seed %s\n", f->text[LMB_STUDY_SAMPLE], f->text[LMB_STUDY_SEED]);
    add_parameters(&w);
    for (int j = 0; j < f->measures; j++)
        ADD(&w, "%-10s%s = %s\n", j == 0 ? "measures" : "", f->measure_name[j], f->measure_source[j]);
    return w.ok && lmb_study_summary(out, f);
}
