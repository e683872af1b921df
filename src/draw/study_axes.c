// draw/study_axes.c: what of a study is drawn.
#include "draw/study_axes.h"

#include <math.h>
#include <string.h>

static const double *row_of(const double *table, int columns, int member) {
    return table + (size_t)member * (size_t)columns;
}

double lmb_study_value(const lmb_study_axes *a, const lmb_study_axis *x, int member) {
    const lmb_study_file *f = a->f;
    if (x->measure && f->status[member] != 0) return NAN;
    return x->measure ? row_of(f->measure, f->measures, member)[x->index]
                      : row_of(f->parameter, f->parameters, member)[x->index];
}

// the different ones of sorted numbers
static int drop_equal(double *v, int count) {
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (kept == 0 || v[i] != v[kept - 1]) v[kept++] = v[i];
    return kept;
}

static lmb_status fill(lmb_study_axis *x, const lmb_study_axes *a, lmb_error *err) {
    int n = a->f->members, count = 0;
    double *v = lmb_alloc((size_t)n + 1, sizeof *v);
    if (v == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < n; k++)
        if (isfinite(lmb_study_value(a, x, k))) v[count++] = lmb_study_value(a, x, k);
    x->spread = lmb_spread_of(v, count);
    x->count = count;
    if (x->measure) return lmb_free(v), LMB_OK;
    x->count = drop_equal(v, count);
    x->levels = v;
    x->spread.log = strcmp(a->f->parameter_scale[x->index], "log") == 0 && x->spread.low > 0;
    return LMB_OK;
}

static void count_members(lmb_study_axes *a) {
    for (int k = 0; k < a->f->members; k++) {
        a->missing += a->f->status[k] == LMB_STUDY_MISSING;
        a->failed += a->f->status[k] > 0;
    }
}

int lmb_study_level(const lmb_study_axis *x, double value) {
    for (int low = 0, high = x->count - 1; low <= high;) {
        int middle = (low + high) / 2;
        if (x->levels[middle] == value) return middle;
        if (x->levels[middle] < value) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}

// whether two parameters vary and every pair of their values occurs once
static lmb_status find_grid(lmb_study_axes *a, lmb_error *err) {
    int n = a->f->members;
    const lmb_study_axis *x = &a->parameters[0], *y = &a->parameters[1];
    if (a->count != 2 || (long long)x->count * y->count != n) return LMB_OK;
    bool *there = lmb_alloc((size_t)n, sizeof *there);
    if (there == NULL) return lmb_fail_memory(err);
    a->grid = true;
    for (int k = 0; k < n && a->grid; k++) {
        int i = lmb_study_level(x, lmb_study_value(a, x, k)),
            j = lmb_study_level(y, lmb_study_value(a, y, k));
        a->grid = i >= 0 && j >= 0 && !there[i * y->count + j];
        if (a->grid) there[i * y->count + j] = true;
    }
    lmb_free(there);
    return LMB_OK;
}

lmb_status lmb_study_axes_make(lmb_study_axes *out, const lmb_study_file *f, lmb_error *err) {
    *out = (lmb_study_axes){.f = f, .measure_count = f->measures};
    out->parameters = lmb_alloc((size_t)f->parameters + 1, sizeof *out->parameters);
    out->measures = lmb_alloc((size_t)f->measures + 1, sizeof *out->measures);
    lmb_status st = out->parameters && out->measures ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < f->parameters && st == LMB_OK; i++) {
        lmb_study_axis *x = &out->parameters[out->count];
        *x = (lmb_study_axis){.index = i, .name = f->parameter_name[i], .unit = ""};
        st = fill(x, out, err);
        if (x->count > 1) out->count++;
        else lmb_free(x->levels), x->levels = NULL;
    }
    for (int i = 0; i < f->measures && st == LMB_OK; i++) {
        out->measures[i] = (lmb_study_axis){true, i, f->measure_name[i], f->measure_unit[i]};
        st = fill(&out->measures[i], out, err);
    }
    if (st == LMB_OK) count_members(out);
    return st == LMB_OK ? find_grid(out, err) : st;
}

void lmb_study_axes_free(lmb_study_axes *a) {
    for (int i = 0; a->parameters && i < a->count; i++) lmb_free(a->parameters[i].levels);
    lmb_free(a->parameters), lmb_free(a->measures);
    *a = (lmb_study_axes){0};
}

bool lmb_study_title(lmb_text *out, const lmb_study_axes *a) {
    const char *model = a->f->text[LMB_STUDY_MODEL_FILE], *slash = model ? strrchr(model, '/') : NULL;
    bool ok = lmb_text_add(out, "%s, %d members", slash ? slash + 1 : model ? model : "study", a->f->members);
    if (ok && a->failed) ok = lmb_text_add(out, ", %d failed", a->failed);
    return ok && (a->missing == 0 || lmb_text_add(out, ", %d not run", a->missing));
}
