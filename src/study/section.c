// study/section.c: the section `study` of a model.
#include "study/section.h"

#define S(member) offsetof(lmb_study_section, member)
// clang-format off
static const lmb_key vary_forms[] = {
    {"text", LMB_KEY_TEXT, .flags = LMB_KEY_BY_NAME},
    {"number", LMB_KEY_NUMBER, .flags = LMB_KEY_BY_NAME},
    {"list", LMB_KEY_NUMBERS, .flags = LMB_KEY_BY_NAME}, {0},
};
static const lmb_key measure_forms[] = {{"text", LMB_KEY_TEXT, .flags = LMB_KEY_BY_NAME}, {0}};

const lmb_key lmb_study_keys[] = {
    {"vary", LMB_KEY_NODE, S(vary), 0, {0}, "{k: 1e3:1e5:20log, m: [1, 2, 3], c: \"normal(10, 2)\"}", vary_forms,
     "Parameters that vary: lists, ranges first:last:count (with `log`: evenly spaced logarithms), uniform(low, high), loguniform(low, high), "
     "normal(mean, deviation), lognormal(mean, deviation) of the logarithm, triangular(low, mode, high)."},
    {"sample", LMB_KEY_TEXT, S(sample), 0, {0}, 0, 0,
     "Members of the study: grid, random:N, lhs:N (Latin hypercube), sobol:N; for sensitivities sobol-indices:N, morris:N (default grid)."},
    {"measures", LMB_KEY_NODE, S(measures), 0, {0}, "{peak: max(tip.y)}", measure_forms,
     "Numbers that a run gives: expressions of functions of columns, such as max(tip.y), end(potential), frequency(1), and of parameters."},
    {"seed", LMB_KEY_INTEGER, S(seed), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, "Number from which samples are drawn; 0 leaves Sobol points unscrambled (default 1)."},
    {"keep", LMB_KEY_CHOICE, S(keep), 0, {0}, "none|failed|all", 0, "Which members keep their results files (default none)."},
    {0},
};
// clang-format on

static lmb_status check_map(const lmb_node *n, const char *form, lmb_error *err) {
    if (n == NULL || n->kind == LMB_NODE_MAP) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, n->where, "expected a map of names, such as %s", form);
}

lmb_status lmb_study_section_read(lmb_study_section *out, lmb_spec *s, lmb_error *err) {
    const lmb_node *n = lmb_node_find(s->root, "study");
    *out = (lmb_study_section){.seed = 1};
    lmb_status st = n ? lmb_spec_read(out, s, n, lmb_study_keys, "study", err) : LMB_OK;
    if (st == LMB_OK) st = check_map(out->vary, "{k: 1e3:1e5:20log}", err);
    return st ? st : check_map(out->measures, "{peak: max(tip.y)}", err);
}

lmb_status lmb_study_text_of(const char **out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    const char *text = n->kind == LMB_NODE_SCALAR ? n->text : "";
    const lmb_node *k = n->kind == LMB_NODE_LIST ? n->first : NULL;
    bool plain = n->kind == LMB_NODE_SCALAR || k;
    for (; k && text; k = k->next) {
        plain = plain && k->kind == LMB_NODE_SCALAR;
        text = lmb_arena_printf(s->arena, "%s%s%s", text, *text ? ", " : "", plain ? k->text : "");
    }
    if (!plain)
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "'%s': expected a text, a number or a list of numbers; put texts with commas in quotes", n->key);
    *out = text;
    return text ? LMB_OK : lmb_fail_memory(err);
}
