// spec/parameters.c: parameters, and the meaning of names in expressions.
#include "spec/local.h"

#include <ctype.h>
#include <string.h>

enum { MAX_DEPTH = 100 }; // parameters that need parameters that need ...

// ---- names -------------------------------------------------------------------------------------

// notes whether the expression asked for a name
static lmb_status note_question(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                lmb_error *err) {
    (void)name, (void)where, (void)err;
    *(bool *)user = true;
    *out = (lmb_symbol){.kind = LMB_SYMBOL_CONSTANT, .value = 1};
    return LMB_OK;
}

// whether text compiles, and whether it asked for a name on the way
static lmb_status try_text(bool *compiles, bool *asked, const char *text, lmb_error *err) {
    lmb_error quiet = {0};
    lmb_scope scope = {.resolve = note_question, .user = asked, .units = LMB_UNITS_SI};
    lmb_expr *e = NULL;
    *asked = false;
    lmb_status status = lmb_expr_compile(&e, text, LMB_NOWHERE, &scope, &quiet);
    lmb_expr_destroy(e);
    *compiles = status == LMB_OK;
    return status == LMB_ERR_SYSTEM ? lmb_fail_memory(err) : LMB_OK;
}

// a free name is one that expressions ask for, and that cannot be called as a function
static lmb_status is_reserved(bool *out, const char *name, lmb_error *err) {
    static const char *const arguments[] = {"1", "1, 2", "1, 0, 2", "1, 0,0, 2,1"};
    bool compiles, asked;
    lmb_status status = try_text(&compiles, &asked, name, err);
    *out = !compiles || !asked;
    for (int i = 0; i < LMB_COUNT(arguments) && status == LMB_OK && !*out; i++) {
        lmb_text call = {0};
        status = lmb_text_add(&call, "%s(%s)", name, arguments[i])
                     ? try_text(&compiles, &asked, call.text, err)
                     : lmb_fail_memory(err);
        *out = status == LMB_OK && compiles;
        lmb_text_free(&call);
    }
    return status;
}

lmb_status lmb_parameter_name_check(const char *name, const char *what, lmb_where where, lmb_error *err) {
    bool ok = isalpha((unsigned char)*name) || *name == '_';
    for (const char *p = name; *p; p++) ok = ok && (isalnum((unsigned char)*p) || *p == '_');
    if (!ok)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "%s cannot be named '%s'; use letters, digits and _, and begin with a letter", what,
                        name);
    if (strcmp(name, "t") == 0)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "%s cannot be named 't', which is time; choose another name", what);
    bool reserved;
    lmb_status status = is_reserved(&reserved, name, err);
    if (status || !reserved) return status;
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "%s cannot be named '%s': it is a function or constant of expressions; "
                    "choose another name",
                    what, name);
}

// ---- tables ------------------------------------------------------------------------------------

static lmb_status add(lmb_parameters *p, lmb_node *n, lmb_error *err) {
    void **slot = lmb_names_slot(&p->names, n->key);
    if (slot == NULL) return lmb_fail_memory(err);
    if (*slot) return lmb_fail(err, LMB_ERR_INPUT, n->key_where, "duplicate parameter '%s'", n->key);
    lmb_parameter *new = &p->v[p->count++];
    *new = (lmb_parameter){.name = n->key, .node = n};
    *slot = new;
    return LMB_OK;
}

lmb_status lmb_parameters_create(lmb_parameters **out, lmb_spec *s, lmb_node *section, const lmb_local *local,
                                 lmb_error *err) {
    if (section && section->kind != LMB_NODE_MAP && section->kind != LMB_NODE_NULL)
        return lmb_fail(err, LMB_ERR_INPUT, section->where,
                        "parameters: expected a map such as {L: 0.4}, found %s", lmb_node_found(section));
    int count = section ? section->count : 0;
    lmb_parameters *p = lmb_arena_get(s->arena, 1, sizeof *p);
    if (p) p->v = lmb_arena_get(s->arena, (size_t)count + 1, sizeof *p->v);
    if (p == NULL || p->v == NULL) return lmb_fail_memory(err);
    p->names.arena = s->arena;
    for (lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        lmb_status status = LMB_OK;
        if (n->local == NULL) // not yet: a repeated assembly comes here once per copy
            status = lmb_parameter_name_check(n->key, "a parameter", n->key_where, err);
        n->local = local;
        if (status == LMB_OK) status = add(p, n, err);
        if (status) return status;
    }
    *out = p;
    return LMB_OK;
}

static const char *next_parameter(void *user, int i) {
    const lmb_parameters *p = user;
    return i < p->count ? p->v[i].name : NULL;
}

lmb_status lmb_parameters_override(lmb_parameters *p, const char *name, const lmb_node *node, lmb_where where,
                                   const char *owner, lmb_error *err) {
    lmb_parameter *found = lmb_names_get(&p->names, name);
    if (found) {
        found->node = node;
        return LMB_OK;
    }
    const char *near = lmb_nearest(name, next_parameter, p);
    if (near)
        return lmb_fail(err, LMB_ERR_INPUT, where, "%s has no parameter '%s'; did you mean '%s'?", owner,
                        name, near);
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "%s has no parameter '%s'; define it under `parameters:` first", owner, name);
}

// "'a' -> 'b' -> 'a'": the askers from the second question for p back to the first
static lmb_status fail_circle(const lmb_parameters *table, const lmb_parameter *p, lmb_where where,
                              lmb_error *err) {
    const lmb_parameter *path[MAX_DEPTH + 1];
    int n = 0;
    for (const lmb_parameter *q = table->current; n < MAX_DEPTH; q = q->asker) {
        path[n++] = q;
        if (q == p) break;
    }
    lmb_text text = {0};
    bool ok = true;
    while (n > 0) ok = ok && lmb_text_add(&text, "'%s' -> ", path[--n]->name);
    lmb_status status =
        !ok ? lmb_fail_memory(err)
            : lmb_fail(err, LMB_ERR_INPUT, where,
                       "circular definition of parameters %s'%s'; set one of them to a number", text.text,
                       p->name);
    lmb_text_free(&text);
    return status;
}

static lmb_status evaluate(lmb_parameters *table, lmb_parameter *p, const lmb_spec *s, lmb_where where,
                           lmb_error *err) {
    if (p->state == LMB_PARAMETER_DONE) return LMB_OK;
    if (p->state == LMB_PARAMETER_BUSY) return fail_circle(table, p, where, err);
    if (table->depth >= MAX_DEPTH)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "parameters depend on each other through more than %d levels; define the simple ones first",
            MAX_DEPTH);
    p->state = LMB_PARAMETER_BUSY;
    p->asker = table->current;
    table->current = p;
    table->depth++;
    // a parameter is a number in the model's units: no conversion
    lmb_status status = lmb_spec_value(&p->value, s, p->node, err);
    table->depth--;
    table->current = p->asker;
    if (status == LMB_OK) p->state = LMB_PARAMETER_DONE;
    return status;
}

lmb_status lmb_parameters_evaluate(lmb_parameters *p, const lmb_spec *s, lmb_error *err) {
    lmb_status status = LMB_OK;
    for (int i = 0; i < p->count && status == LMB_OK; i++)
        status = evaluate(p, &p->v[i], s, p->v[i].node->where, err);
    return status;
}

const char *lmb_spec_parameter(const lmb_spec *s, int i, double *value) {
    const lmb_parameters *p = s->parameters;
    if (p == NULL || i < 0 || i >= p->count) return NULL;
    if (value) *value = p->v[i].value;
    return p->v[i].name;
}

bool lmb_spec_parameter_is_number(const lmb_spec *s, int i) {
    const lmb_scope alone = {.units = s->units};
    lmb_error quiet = {0};
    lmb_expr *e = NULL;
    const lmb_node *n = s->parameters->v[i].node;
    bool is = n->kind == LMB_NODE_SCALAR && lmb_expr_compile(&e, n->text, n->where, &alone, &quiet) == LMB_OK;
    lmb_expr_destroy(e);
    return is;
}

// ---- the meaning of names in an expression at a node -------------------------------------------

typedef struct names_at {
    const lmb_spec *s;
    const lmb_node *node; // the expression
    const lmb_local *local;
    const lmb_scope *runtime; // may be NULL
} names_at;

// where p is used: by another parameter of its table, in a tunable place, or else
static lmb_status note_use(lmb_parameter *p, const lmb_parameters *table, const names_at *at,
                           lmb_error *err) {
    lmb_parameter *asker = table->current;
    if (at->node->tunable || p->fixed) return LMB_OK;
    if (asker == NULL || asker->node != at->node) return p->fixed = at->node, LMB_OK;
    lmb_follower_list *more = lmb_arena_get(at->s->arena, 1, sizeof *more);
    if (more == NULL) return lmb_fail_memory(err);
    *more = (lmb_follower_list){asker, p->followers};
    p->followers = more;
    return LMB_OK;
}

// p->fixed from those that follow, which are known then
static void settle(lmb_parameter *p) {
    if (p->followers == NULL) return;
    for (const lmb_follower_list *f = p->followers; f && p->fixed == NULL; f = f->next) {
        settle(f->p);
        p->fixed = f->p->fixed;
    }
    p->followers = NULL;
}

void lmb_spec_settle(lmb_spec *s) {
    for (int i = 0; i < s->parameters->count; i++) settle(&s->parameters->v[i]);
}

const lmb_node *lmb_spec_parameter_fixed(const lmb_spec *s, int i) { return s->parameters->v[i].fixed; }

static lmb_status ask_table(lmb_symbol *out, lmb_parameters *table, const names_at *at, const char *name,
                            lmb_where where, lmb_error *err) {
    lmb_parameter *p = table ? lmb_names_get(&table->names, name) : NULL;
    if (p == NULL) return LMB_OK;
    lmb_status status = note_use(p, table, at, err);
    if (status == LMB_OK) status = evaluate(table, p, at->s, where, err);
    if (status == LMB_OK) *out = (lmb_symbol){.kind = LMB_SYMBOL_CONSTANT, .value = p->value};
    return status;
}

// indices and parameters, from the inside out
static lmb_status ask_locals(lmb_symbol *out, const names_at *at, const char *name, lmb_where where,
                             lmb_error *err) {
    for (const lmb_local *l = at->local; l; l = l->outer) {
        if (l->index && strcmp(l->index, name) == 0) {
            *out = (lmb_symbol){.kind = LMB_SYMBOL_CONSTANT, .value = l->value};
            return LMB_OK;
        }
        if (l->index) continue;
        lmb_status status = ask_table(out, l->parameters, at, name, where, err);
        if (status || out->kind != LMB_SYMBOL_UNKNOWN || l->closed) return status;
    }
    return ask_table(out, at->s->parameters, at, name, where, err);
}

// sensors and the like: first as a name of this sub-assembly, then as written
static lmb_status ask_runtime(lmb_symbol *out, const names_at *at, const char *name, lmb_where where,
                              lmb_error *err) {
    const lmb_scope *r = at->runtime;
    if (r == NULL || r->resolve == NULL) return LMB_OK;
    const lmb_local *a = lmb_local_assembly(at->local);
    if (a) {
        lmb_text full = {0};
        lmb_status status = lmb_text_add(&full, "%s%s", a->prefix, name)
                                ? r->resolve(r->user, out, full.text, where, err)
                                : lmb_fail_memory(err);
        lmb_text_free(&full);
        if (status || out->kind != LMB_SYMBOL_UNKNOWN) return status;
    }
    return r->resolve(r->user, out, name, where, err);
}

static lmb_status resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    *out = (lmb_symbol){0};
    const lmb_scope *r = ((const names_at *)user)->runtime;
    lmb_status status = LMB_OK;
    if (r && r->resolve_first) status = r->resolve_first(r->user, out, name, where, err);
    if (status || out->kind != LMB_SYMBOL_UNKNOWN) return status;
    status = ask_locals(out, user, name, where, err);
    if (status || out->kind != LMB_SYMBOL_UNKNOWN) return status;
    return ask_runtime(out, user, name, where, err);
}

// all names that resolve may find, in the same order
static const char *candidate(void *user, int i) {
    const names_at *at = user;
    const lmb_parameters *global = at->s->parameters;
    for (const lmb_local *l = at->local; l; l = l->outer) {
        int count = l->index ? 1 : l->parameters ? l->parameters->count : 0;
        if (i < count) return l->index ? l->index : l->parameters->v[i].name;
        i -= count;
        if (l->closed) {
            global = NULL;
            break;
        }
    }
    int count = global ? global->count : 0;
    if (i < count) return global->v[i].name;
    const lmb_scope *r = at->runtime;
    return r && r->candidate ? r->candidate(r->user, i - count) : NULL;
}

lmb_status lmb_spec_expr(lmb_expr **out, const lmb_spec *s, const lmb_node *n, const lmb_scope *runtime,
                         lmb_error *err) {
    *out = NULL;
    if (n->kind != LMB_NODE_SCALAR)
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "expected a number or an expression, found %s",
                        lmb_node_found(n));
    names_at at = {s, n, n->local, runtime};
    lmb_scope scope = {.resolve = resolve,
                       .candidate = candidate,
                       .user = &at,
                       .units = s->units,
                       .allow_time = runtime && runtime->allow_time,
                       .points = runtime ? runtime->points : NULL,
                       .outside = s->outside};
    lmb_where where = n->where;
    if (n->quoted && where.line > 0) where.col++;
    return lmb_expr_compile(out, n->text, where, &scope, err);
}

lmb_status lmb_spec_value(double *out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    lmb_expr *e;
    lmb_status status = lmb_spec_expr(&e, s, n, NULL, err);
    if (status) return status;
    *out = lmb_expr_value(e, &(lmb_env){0});
    lmb_expr_destroy(e);
    if (!isfinite(*out))
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "'%s' is not a finite number", n->text);
    return LMB_OK;
}
