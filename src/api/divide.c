// api/divide.c: beams with `parts: auto`.
#include "api/divide.h"

#include <stdlib.h>
#include <string.h>

static lmb_node *auto_parts(const lmb_node *body) {
    lmb_node *n = body->kind == LMB_NODE_MAP ? lmb_node_find(body, "parts") : NULL;
    return n && n->kind == LMB_NODE_SCALAR && strcmp(n->text, "auto") == 0 ? n : NULL;
}

lmb_status lmb_division_create(lmb_division *out, lmb_spec *spec, lmb_error *err) {
    const lmb_node *bodies = lmb_node_find(spec->root, "bodies");
    int count = 0;
    *out = (lmb_division){.spec = spec, .round = 1};
    for (const lmb_node *n = bodies ? bodies->first : NULL; n; n = n->next) count += auto_parts(n) != NULL;
    if (count == 0) return LMB_OK;
    out->list = lmb_alloc((size_t)count, sizeof *out->list);
    out->need = lmb_alloc((size_t)count, sizeof *out->need);
    if (out->list == NULL || out->need == NULL) return lmb_division_destroy(out), lmb_fail_memory(err);
    for (const lmb_node *n = bodies->first; n; n = n->next)
        if (auto_parts(n)) out->list[out->count++] = (lmb_divided){n->key, auto_parts(n), 1, -1};
    return LMB_OK;
}

void lmb_division_destroy(lmb_division *x) {
    for (int i = 0; i < x->count; i++) x->list[i].node->text = "auto";
    lmb_free(x->list);
    lmb_free(x->need);
    *x = (lmb_division){0};
}

// ---- as text -----------------------------------------------------------------------------------

bool lmb_division_write(lmb_text *out, const lmb_division *x) {
    bool ok = lmb_text_add(out, "%d", x->round);
    for (int i = 0; ok && i < x->count; i++)
        ok = lmb_text_add(out, " %s=%d", x->list[i].name, x->list[i].parts);
    return ok;
}

static long whole(const char **text) {
    char *end;
    long n = strtol(*text, &end, 10);
    bool good = end > *text && n >= 1 && n < 1000000;
    *text = end;
    return good ? n : 0;
}

bool lmb_division_parse(lmb_division *x, const char *text) {
    long round = whole(&text);
    if (round < 1 || round > LMB_DIVIDE_ROUNDS) return false;
    for (int i = 0; i < x->count; i++) {
        size_t n = strlen(x->list[i].name);
        if (*text++ != ' ' || strncmp(text, x->list[i].name, n) != 0 || text[n] != '=') return false;
        text += n + 1;
        long parts = whole(&text);
        if (parts == 0) return false;
        x->list[i].parts = (int)parts;
    }
    x->round = (int)round;
    return *text == '\0';
}

// ---- a run -------------------------------------------------------------------------------------

void lmb_division_begin(lmb_division *x, const lmb_model *m) {
    for (int k = 0; k < x->count; k++) {
        x->list[k].first = -1, x->need[k] = 0;
        for (int i = 0; i < m->body_count; i++)
            if (m->bodies[i].part == 0 && strcmp(m->bodies[i].name, x->list[k].name) == 0)
                x->list[k].first = i;
    }
}

void lmb_division_note(lmb_division *x, const lmb_model *m, const lmb_data *at) {
    for (int k = 0; k < x->count; k++) {
        const lmb_divided *v = &x->list[k];
        for (int i = 0; v->first >= 0 && i < v->parts && v->first + i < m->body_count; i++)
            x->need[k] = fmax(x->need[k], lmb_body_parts(at, &m->bodies[v->first + i], v->parts));
    }
}

bool lmb_division_refine(lmb_text *out, lmb_division *x) {
    bool more = false;
    if (x->round >= LMB_DIVIDE_ROUNDS) return false;
    for (int k = 0; k < x->count; k++) {
        lmb_divided *v = &x->list[k];
        if (!(x->need[k] > 0)) continue;
        int parts = (int)fmin(ceil(x->need[k]), 1000);
        if (parts <= v->parts) parts = v->parts + 1;
        lmb_text_add(out, "%sbody '%s' bends too far for %d part%s: again with `parts: %d`", more ? ", " : "",
                     v->name, v->parts, v->parts == 1 ? "" : "s", parts);
        v->parts = parts;
        more = true;
    }
    if (more) lmb_text_add(out, " (run %d of at most %d)", ++x->round, LMB_DIVIDE_ROUNDS);
    return more;
}

lmb_status lmb_division_apply(lmb_division *x, lmb_error *err) {
    for (int k = 0; k < x->count; k++) {
        const char *text = lmb_arena_printf(x->spec->arena, "%d", x->list[k].parts);
        if (text == NULL) return lmb_fail_memory(err);
        x->list[k].node->text = text;
    }
    return LMB_OK;
}
