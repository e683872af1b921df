// cli/settings.c: parameters from the command line.
#include "settings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// end of the value at p: the next comma outside brackets, or the end of the text
static const char *value_end(const char *p) {
    int depth = 0;
    for (; *p && (*p != ',' || depth > 0); p++) depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    return p;
}

static int read_values(setting_values *out, const char *name, const char *text) {
    out->v = cli_alloc(strlen(text) + 2, sizeof *out->v);
    for (const char *p = text, *end;; p = end + 1) {
        end = value_end(p);
        if (end == p)
            return cli_error(2, "--set %s: missing value; write --set %s=0.3 or --set %s=0.3,0.4", name, name,
                             name);
        char *value = cli_alloc((size_t)(end - p) + 1, 1);
        memcpy(value, p, (size_t)(end - p));
        out->v[out->count++] = value;
        if (*end == '\0') return 0;
    }
}

static int read_one(settings *s, const char *text) {
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) return cli_error(2, "--set %s: expected --set NAME=VALUE", text);
    setting_values *v = &s->list[s->count++];
    v->name = cli_alloc((size_t)(equals - text) + 1, 1);
    memcpy(v->name, text, (size_t)(equals - text));
    for (int i = 0; i + 1 < s->count; i++)
        if (strcmp(s->list[i].name, v->name) == 0)
            return cli_error(2, "parameter %s is set twice; for a parameter study write --set %s=%s,...",
                             v->name, v->name, equals + 1);
    return read_values(v, v->name, equals + 1);
}

int settings_read(settings *s, const cli_list *sets) {
    s->list = cli_alloc((size_t)sets->count, sizeof *s->list);
    s->picked = cli_alloc((size_t)sets->count, sizeof *s->picked);
    for (int i = 0; i < sets->count; i++) {
        int code = read_one(s, sets->v[i]);
        if (code != 0) return code;
    }
    double product = 1;
    for (int i = 0; i < s->count; i++) product *= s->list[i].count;
    return product <= 100000 ? 0 : cli_error(2, "the study has %.0f runs; the maximum is 100000", product);
}

void settings_free(settings *s) {
    for (int i = 0; i < s->count; i++) {
        for (int k = 0; k < s->list[i].count; k++) free(s->list[i].v[k]);
        free(s->list[i].v);
        free(s->list[i].name);
    }
    free(s->list);
    free(s->picked);
    *s = (settings){0};
}

int settings_combinations(const settings *s) {
    int product = 1;
    for (int i = 0; i < s->count; i++) product *= s->list[i].count;
    return product;
}

// the last parameter varies fastest
const lmb_setting *settings_pick(settings *s, int k) {
    for (int i = s->count - 1; i >= 0; i--) {
        s->picked[i] = (lmb_setting){s->list[i].name, s->list[i].v[k % s->list[i].count]};
        k /= s->list[i].count;
    }
    return s->picked;
}
