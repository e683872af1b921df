// spec/index.c: `link[i-1].tip` becomes `link[4].tip`.
#include "spec/local.h"

#include <ctype.h>
#include <string.h>

// an index follows a name or another index; `table(t, [0, 1])` has none
static bool follows_name(const char *text, const char *bracket) {
    if (bracket == text) return false;
    unsigned char before = (unsigned char)bracket[-1];
    return isalnum(before) || before == '_' || before == ']';
}

// the bracket that closes the one at p, NULL if there is none
static const char *closing(const char *p) {
    int depth = 0;
    for (; *p; p++) {
        if (*p == '[') depth++;
        if (*p == ']' && --depth == 0) return p;
    }
    return NULL;
}

static bool all_digits(const char *p, const char *end) {
    if (p == end) return false;
    while (p < end && isdigit((unsigned char)*p)) p++;
    return p == end;
}

// the value of the index between p and end; *known false: not an expression of indices and parameters
static lmb_status evaluate(double *out, bool *known, const char *p, const char *end,
                           const lmb_index_place *at, lmb_error *err) {
    char *text = lmb_strndup(p, (size_t)(end - p));
    if (text == NULL) return lmb_fail_memory(err);
    lmb_error why = {0};
    lmb_node n = {.kind = LMB_NODE_SCALAR, .text = text, .where = at->where, .local = at->local};
    if (n.where.line > 0) n.where.col += (int)(p - at->text) + at->quoted;
    lmb_status status = lmb_spec_value(out, at->s, &n, &why);
    *known = status == LMB_OK;
    if (status == LMB_ERR_SYSTEM) lmb_fail_memory(err);
    else if (status && at->in == LMB_INDEX_IN_KEY) *err = why;
    else if (status) status = LMB_OK;
    else if (*out != floor(*out) || fabs(*out) > 1e9)
        status = lmb_fail(err, LMB_ERR_INPUT, n.where,
                          "index [%s] evaluates to %.10g; an index must be an integer", text, *out);
    lmb_free(text);
    return status;
}

// copies text into out with its indices replaced
static lmb_status replace(lmb_text *out, const lmb_index_place *at, lmb_error *err) {
    const char *done = at->text;
    for (const char *p = at->text; (p = strchr(p, '[')); p++) {
        const char *end = follows_name(at->text, p) ? closing(p) : NULL;
        if (end == NULL || all_digits(p + 1, end)) continue;
        double value = 0;
        bool known = false;
        lmb_status status = evaluate(&value, &known, p + 1, end, at, err);
        if (status) return status;
        if (!known) continue;
        if (!lmb_text_add_n(out, done, (size_t)(p - done)) || !lmb_text_add(out, "[%.0f]", value))
            return lmb_fail_memory(err);
        done = end + 1;
        p = end;
    }
    return lmb_text_add(out, "%s", done) ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_index_replace(const char **out, const lmb_index_place *at, lmb_error *err) {
    *out = at->text;
    if (at->text == NULL || strchr(at->text, '[') == NULL) return LMB_OK;
    lmb_text text = {0};
    lmb_error first = {0};
    lmb_status status = replace(&text, at, err ? err : &first);
    if (status == LMB_OK && strcmp(text.text, at->text) != 0) {
        *out = lmb_arena_strdup(at->s->arena, text.text);
        if (*out == NULL) status = lmb_fail_memory(err);
    }
    lmb_text_free(&text);
    return status;
}
