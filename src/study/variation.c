// study/variation.c: how a parameter varies.
#include "study/variation.h"

#include "study/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    lmb_variation *v;
    lmb_arena *arena;
    const lmb_number_reader *numbers;
    lmb_error *err;
} reading;

static lmb_status fail(const reading *r, const char *what) {
    return lmb_fail(r->err, LMB_ERR_INPUT, r->v->where, "%.200s: %s", r->v->source, what);
}

// ---- texts -------------------------------------------------------------------------------------

static lmb_status number(double *out, const reading *r, const char *text) {
    if (*text == '\0') return fail(r, "a value is missing");
    return r->numbers->read(r->numbers->user, out, text, r->v->where, r->err);
}

// ---- forms -------------------------------------------------------------------------------------

static lmb_status read_list(reading *r, const char *text) {
    char **parts;
    int count = lmb_text_split(&parts, r->arena, text, ',');
    if (count < 0) return lmb_fail_memory(r->err);
    r->v->kind = LMB_VARY_LIST, r->v->count = count;
    r->v->list = lmb_arena_doubles(r->arena, count);
    if (r->v->list == NULL) return lmb_fail_memory(r->err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < count && st == LMB_OK; i++) st = number(&r->v->list[i], r, parts[i]);
    return st;
}

// "20", "20log", "log"
static lmb_status read_count(reading *r, const char *text) {
    char *end = NULL;
    long count = isdigit((unsigned char)*text) ? strtol(text, &end, 10) : (end = (char *)text, 0);
    while (isspace((unsigned char)*end)) end++;
    r->v->log = strcmp(end, "log") == 0;
    if (*end && !r->v->log) return fail(r, "expected first:last:count, as 1:5:9 or 1e3:1e5:20log");
    if (end == text) return LMB_OK;
    if (count < 1 || count > LMB_STUDY_MEMBERS)
        return fail(r, "the number of values must be from 1 to 1000000");
    r->v->count = (int)count;
    return LMB_OK;
}

// a range in logarithms lies on one side of zero, so here above
static lmb_status check_range(const reading *r) {
    const lmb_variation *v = r->v;
    if (v->log && !(v->a > 0 && v->b > 0)) return fail(r, "logarithms need values greater than zero");
    if (v->count == 1 && v->a != v->b)
        return fail(r, "one value cannot reach from the first to the last; write 2 or more");
    if (v->count == 0 && !(v->b > v->a)) return fail(r, "the range must end above its beginning");
    return LMB_OK;
}

static lmb_status read_range(reading *r, const char *text) {
    char **parts;
    int count = lmb_text_split(&parts, r->arena, text, ':');
    if (count < 0) return lmb_fail_memory(r->err);
    if (count > 3) return fail(r, "expected first:last:count, as 1:5:9 or 1e3:1e5:20log");
    r->v->kind = LMB_VARY_RANGE;
    lmb_status st = number(&r->v->a, r, parts[0]);
    if (st == LMB_OK) st = number(&r->v->b, r, parts[1]);
    if (st == LMB_OK && count == 3) st = read_count(r, parts[2]);
    return st ? st : check_range(r);
}

typedef struct distribution {
    const char *name, *usage;
    lmb_variation_kind kind;
    bool log;
    int arguments;
} distribution;

static const distribution distributions[] = {
    {"uniform", "uniform(low, high)", LMB_VARY_RANGE, false, 2},
    {"loguniform", "loguniform(low, high)", LMB_VARY_RANGE, true, 2},
    {"normal", "normal(mean, deviation)", LMB_VARY_NORMAL, false, 2},
    {"lognormal", "lognormal(mean, deviation), both of the natural logarithm", LMB_VARY_NORMAL, true, 2},
    {"triangular", "triangular(low, mode, high)", LMB_VARY_TRIANGULAR, false, 3},
};

static lmb_status check_distribution(const reading *r, const distribution *d) {
    const lmb_variation *v = r->v;
    bool ok = d->kind == LMB_VARY_NORMAL       ? v->b > 0
              : d->kind == LMB_VARY_TRIANGULAR ? v->a <= v->b && v->b <= v->c && v->a < v->c
                                               : v->b > v->a;
    if (!ok && d->kind == LMB_VARY_NORMAL) return fail(r, "the standard deviation must be greater than zero");
    if (!ok) return fail(r, "its numbers must increase");
    return d->kind == LMB_VARY_RANGE ? check_range(r) : LMB_OK;
}

static lmb_status read_arguments(reading *r, const distribution *d, const char *text) {
    char **parts, usage[100];
    int count = lmb_text_split(&parts, r->arena, text, ',');
    double *to[3] = {&r->v->a, &r->v->b, &r->v->c};
    if (count < 0) return lmb_fail_memory(r->err);
    snprintf(usage, sizeof usage, "write %s", d->usage);
    if (count != d->arguments) return fail(r, usage);
    r->v->kind = d->kind, r->v->log = d->log;
    lmb_status st = LMB_OK;
    for (int i = 0; i < count && st == LMB_OK; i++) st = number(to[i], r, parts[i]);
    return st ? st : check_distribution(r, d);
}

// a distribution if the text is name(...) as a whole
static const distribution *find_distribution(char **arguments, lmb_arena *arena, const char *text) {
    size_t length = strlen(text), name = strspn(text, "abcdefghijklmnopqrstuvwxyz");
    if (length < name + 2 || text[name] != '(' || text[length - 1] != ')') return NULL;
    for (int i = 0; i < LMB_COUNT(distributions); i++)
        if (strlen(distributions[i].name) == name && strncmp(text, distributions[i].name, name) == 0) {
            *arguments = lmb_arena_get(arena, length, 1);
            if (*arguments) memcpy(*arguments, text + name + 1, length - name - 2);
            return &distributions[i];
        }
    return NULL;
}

static bool has_colon(const char *text) {
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(' || *text == '[') - (*text == ')' || *text == ']');
        if (*text == ':' && depth == 0) return true;
    }
    return false;
}

static lmb_status read_text(reading *r) {
    char *arguments = NULL;
    char **whole;
    if (lmb_text_split(&whole, r->arena, r->v->source, '\0') < 0) return lmb_fail_memory(r->err);
    const char *text = whole[0];
    const distribution *d = find_distribution(&arguments, r->arena, text);
    if (d && arguments == NULL) return lmb_fail_memory(r->err);
    if (d) return read_arguments(r, d, arguments);
    return (has_colon(text) ? read_range : read_list)(r, text);
}

lmb_status lmb_variation_read(lmb_variation *out, lmb_arena *arena, const char *name, const char *text,
                              lmb_where where, const lmb_number_reader *numbers, lmb_error *err) {
    reading r = {out, arena, numbers, err};
    *out = (lmb_variation){
        .name = lmb_arena_strdup(arena, name), .source = lmb_arena_strdup(arena, text), .where = where};
    if (out->name == NULL || out->source == NULL) return lmb_fail_memory(err);
    return read_text(&r);
}

// ---- values ------------------------------------------------------------------------------------

static double blend(const lmb_variation *v, double u) {
    if (u <= 0 || u >= 1) return u <= 0 ? v->a : v->b; // the ends as they are written
    return v->log ? exp((1 - u) * log(v->a) + u * log(v->b)) : (1 - u) * v->a + u * v->b;
}

double lmb_variation_level(const lmb_variation *v, int i) {
    if (v->kind == LMB_VARY_LIST) return v->list[i];
    return blend(v, v->count > 1 ? (double)i / (v->count - 1) : 0);
}

// F(x) = (x - a)^2 / ((b - a)(c - a)) up to the mode b, 1 - (c - x)^2 / ((c - b)(c - a)) above
static double triangular(const lmb_variation *v, double u) {
    double low = v->b - v->a, high = v->c - v->b, all = v->c - v->a;
    return u * all < low ? v->a + sqrt(u * all * low) : v->c - sqrt((1 - u) * all * high);
}

// Phi(x) = u by Newton and Halley from a start in the tails: x = -sqrt(-2 ln u) ..
double lmb_normal_quantile(double u) {
    if (u == 0.5) return 0;
    if (u > 0.5) return -lmb_normal_quantile(1 - u);
    double s = sqrt(-2 * log(u)), x = -(s - (2.515517 + s * (0.802853 + s * 0.010328)) /
                                                (1 + s * (1.432788 + s * (0.189269 + s * 0.001308))));
    for (int i = 0; i < 3; i++) {
        double e = 0.5 * erfc(-x * M_SQRT1_2) - u, step = e * sqrt(2 * M_PI) * exp(0.5 * x * x);
        x -= step / (1 + 0.5 * x * step);
    }
    return x;
}

double lmb_variation_quantile(const lmb_variation *v, double u) {
    switch (v->kind) {
    case LMB_VARY_LIST: return v->list[u >= 1 ? v->count - 1 : (int)(u * v->count)];
    case LMB_VARY_RANGE: return blend(v, u);
    case LMB_VARY_TRIANGULAR: return triangular(v, u);
    case LMB_VARY_NORMAL: break;
    }
    double x = v->a + v->b * lmb_normal_quantile(u);
    return v->log ? exp(x) : x;
}

double lmb_variation_between(const lmb_variation *v, double u) {
    enum { PER_MILLE = 5 };
    if (v->kind == LMB_VARY_NORMAL) u = PER_MILLE * 1e-3 + (1 - 2 * PER_MILLE * 1e-3) * u;
    return lmb_variation_quantile(v, u);
}

const char *lmb_variation_scale(const lmb_variation *v) { return v->log ? "log" : "linear"; }
