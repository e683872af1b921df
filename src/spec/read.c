// spec/read.c: from a map of the tree to a C struct, by a table of keys.
#include "spec/local.h"

#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MAX_KEYS = 64, WHAT_SIZE = 200 };

// the current position: name of the element and key, for messages
typedef struct place {
    lmb_spec *s;
    const lmb_node *n;
    const lmb_key *key;
    const char *what;
    lmb_error *err;
} place;

static lmb_status fail_expected(const place *p, const char *expected) {
    return lmb_fail(p->err, LMB_ERR_INPUT, p->n->where, "'%s' in %s: expected %s, found %s", p->key->name,
                    p->what, expected, lmb_node_found(p->n));
}

// ---- unknown words -----------------------------------------------------------------------------

// "a, b, c" from "a|b|c"
static bool add_choices(lmb_text *t, const char *choices) {
    bool ok = lmb_text_add_n(t, "", 0);
    for (const char *c = choices; *c && ok; c++)
        ok = *c == '|' ? lmb_text_add(t, ", ") : lmb_text_add_n(t, c, 1);
    return ok;
}

// tables of keys one after the other, for finding and suggesting
typedef struct key_tables {
    const lmb_key *table[2];
    bool typed; // `type` is a key, too
} key_tables;

static const char *next_key(void *user, int i) {
    const key_tables *t = user;
    for (int k = 0; k < 2; k++)
        for (const lmb_key *key = t->table[k]; key && key->name; key++)
            if (i-- == 0) return key->name;
    return t->typed && i == 0 ? "type" : NULL;
}

static lmb_status fail_unknown_key(const lmb_node *n, key_tables *tables, const char *what, lmb_error *err) {
    const char *near = lmb_nearest(n->key, next_key, tables);
    if (near)
        return lmb_fail(err, LMB_ERR_INPUT, n->key_where, "unknown key '%s' in %s; did you mean '%s'?",
                        n->key, what, near);
    lmb_text list = {0};
    bool ok = lmb_text_add_n(&list, "", 0);
    const char *name;
    for (int i = 0; ok && (name = next_key(tables, i)); i++)
        ok = lmb_text_add(&list, "%s%s", i ? ", " : "", name);
    lmb_status status =
        ok ? lmb_fail(err, LMB_ERR_INPUT, n->key_where, "unknown key '%s' in %s; allowed keys: %s", n->key,
                      what, *list.text ? list.text : "none")
           : lmb_fail_memory(err);
    lmb_text_free(&list);
    return status;
}

// ---- numbers -----------------------------------------------------------------------------------

static lmb_status check_range(const place *p, double v) {
    const char *rule = (p->key->flags & LMB_KEY_POSITIVE) && !(v > 0)        ? "must be positive"
                       : (p->key->flags & LMB_KEY_NOT_NEGATIVE) && !(v >= 0) ? "must not be negative"
                                                                             : NULL;
    if (rule == NULL) return LMB_OK;
    return lmb_fail(p->err, LMB_ERR_INPUT, p->n->where, "'%s' in %s %s, but is %g", p->key->name, p->what,
                    rule, v);
}

static lmb_status read_number(double *out, const place *p) {
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "a number");
    lmb_status status = lmb_spec_number(out, p->s, p->n, p->key->dim, p->err);
    return status ? status : check_range(p, *out);
}

static lmb_status read_integer(int *out, const place *p) {
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "an integer");
    double v;
    lmb_status status = lmb_spec_value(&v, p->s, p->n, p->err);
    if (status) return status;
    if (v != floor(v) || v < INT_MIN || v > INT_MAX)
        return lmb_fail(p->err, LMB_ERR_INPUT, p->n->where, "'%s' in %s: expected an integer, found %.10g",
                        p->key->name, p->what, v);
    *out = (int)v;
    return check_range(p, v);
}

static lmb_status read_vec3(vec3 *out, const place *p) {
    if (p->n->kind != LMB_NODE_LIST) return fail_expected(p, "three numbers [x, y, z]");
    if (p->n->count != 3)
        return lmb_fail(p->err, LMB_ERR_INPUT, p->n->where,
                        "'%s' in %s: expected three numbers [x, y, z], found %d", p->key->name, p->what,
                        p->n->count);
    lmb_status status = lmb_spec_vec3(out, p->s, p->n, p->key->dim, p->err);
    for (int k = 0; k < 3 && status == LMB_OK; k++) status = check_range(p, v3_get(*out, k));
    return status;
}

static lmb_status read_numbers(lmb_numbers *out, const place *p) {
    if (p->n->kind != LMB_NODE_LIST) return fail_expected(p, "a list of numbers");
    lmb_status status = lmb_spec_numbers(out, p->s, p->n, p->key->dim, p->err);
    for (int k = 0; status == LMB_OK && k < out->count; k++) status = check_range(p, out->v[k]);
    return status;
}

// ---- words -------------------------------------------------------------------------------------

static lmb_status read_bool(bool *out, const place *p) {
    static const char *const words[] = {"true", "yes", "on", "false", "no", "off"};
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "true or false");
    for (int i = 0; i < LMB_COUNT(words); i++)
        if (strcasecmp(words[i], p->n->text) == 0) return *out = i < 3, LMB_OK;
    return lmb_fail(p->err, LMB_ERR_INPUT, p->n->where, "'%s' in %s: expected true or false, found '%s'",
                    p->key->name, p->what, p->n->text);
}

// length of the choice that begins at c
static size_t choice_length(const char *c) { return strcspn(c, "|"); }

// lmb_nearest wants ended texts: a copy of the choices with the bars replaced
typedef struct choice_words {
    const char *first;
    int count;
} choice_words;

static const char *next_choice(void *user, int i) {
    const choice_words *words = user;
    if (i >= words->count) return NULL;
    const char *c = words->first;
    while (i-- > 0) c += strlen(c) + 1;
    return c;
}

// list: takes ownership; near may be NULL
static lmb_status fail_word(const place *p, bool ok, const char *near, lmb_text *list) {
    lmb_status status =
        ok ? lmb_fail(p->err, LMB_ERR_INPUT, p->n->where, "'%s' in %s cannot be '%s'; %s%s%s one of %s",
                      p->key->name, p->what, p->n->text, near ? "did you mean '" : "", near ? near : "",
                      near ? "'? Choose" : "choose", list->text)
           : lmb_fail_memory(p->err);
    lmb_text_free(list);
    return status;
}

static lmb_status fail_choice(const place *p) {
    lmb_text list = {0};
    char *copy = lmb_strdup(p->key->choices);
    choice_words words = {copy, 1};
    for (char *c = copy; c && *c; c++)
        if (*c == '|') *c = '\0', words.count++;
    bool ok = copy && add_choices(&list, p->key->choices);
    const char *near = ok ? lmb_nearest(p->n->text, next_choice, &words) : NULL;
    lmb_status status = fail_word(p, ok, near, &list);
    lmb_free(copy);
    return status;
}

static lmb_status read_choice(int *out, const place *p) {
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "a keyword");
    size_t length = strlen(p->n->text);
    const char *c = p->key->choices;
    for (int i = 0;; i++) {
        size_t n = choice_length(c);
        if (n == length && strncmp(c, p->n->text, n) == 0) return *out = i, LMB_OK;
        if (c[n] == '\0') return fail_choice(p);
        c += n + 1;
    }
}

static const char *next_name(void *user, int i) {
    const lmb_kind_keys *const *const *kinds = user;
    return (*kinds)[i] ? (*kinds)[i]->name : NULL;
}

static bool add_names(lmb_text *t, const lmb_kind_keys *const *kinds) {
    bool ok = lmb_text_add_n(t, "", 0);
    for (int i = 0; kinds[i] && ok; i++) ok = lmb_text_add(t, "%s%s", i ? ", " : "", kinds[i]->name);
    return ok;
}

static lmb_status read_kind(void *out, const place *p) {
    const lmb_kind_keys *const *kinds = p->key->kinds;
    lmb_text list = {0};
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "a keyword");
    for (int i = 0; kinds[i]; i++)
        if (strcmp(kinds[i]->name, p->n->text) == 0) return memcpy(out, &kinds[i], sizeof kinds[i]), LMB_OK;
    return fail_word(p, add_names(&list, kinds), lmb_nearest(p->n->text, next_name, &kinds), &list);
}

static lmb_status read_text(const char **out, const place *p) {
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "a name or text");
    return p->key->flags & LMB_KEY_IS_REF ? lmb_spec_ref(out, p->s, p->n, p->err)
                                          : lmb_spec_text(out, p->s, p->n, p->err);
}

static lmb_status read_texts(lmb_texts *out, const place *p) {
    bool one = (p->key->flags & LMB_KEY_ONE) && p->n->kind == LMB_NODE_SCALAR;
    if (one) {
        const char **only = lmb_arena_get(p->s->arena, 1, sizeof *only);
        *out = (lmb_texts){1, only};
        return only ? read_text(only, p) : lmb_fail_memory(p->err);
    }
    if (p->n->kind != LMB_NODE_LIST) return fail_expected(p, "a list of names [a, b]");
    const char **v = lmb_arena_get(p->s->arena, (size_t)p->n->count, sizeof *v);
    if (v == NULL) return lmb_fail_memory(p->err);
    int i = 0;
    lmb_status status = LMB_OK;
    for (const lmb_node *n = p->n->first; n && status == LMB_OK; n = n->next)
        status = read_text(&v[i++], &(place){p->s, n, p->key, p->what, p->err});
    if (status == LMB_OK) *out = (lmb_texts){i, v};
    return status;
}

// ---- parts of the tree -------------------------------------------------------------------------

static lmb_status read_children(const lmb_node **out, const place *p, lmb_node_kind form, lmb_node_kind child,
                                const char *expected) {
    if (p->n->kind != form) return fail_expected(p, expected);
    for (const lmb_node *n = p->n->first; n; n = n->next)
        if (n->kind != child && !(child == LMB_NODE_MAP && n->kind == LMB_NODE_NULL) &&
            lmb_short_key(p->key->keys) == NULL)
            return fail_expected(&(place){p->s, n, p->key, p->what, p->err}, expected);
    *out = p->n;
    return LMB_OK;
}

static lmb_status read_expr(const lmb_node **out, const place *p) {
    if (p->n->kind != LMB_NODE_SCALAR) return fail_expected(p, "a number or an expression");
    *out = p->n;
    lmb_dim d = p->key->dim;
    return d.length || d.mass || d.time ? lmb_spec_check_unit(p->n, d, p->err) : LMB_OK;
}

static lmb_status read_map(void *out, const place *p) {
    bool map = p->n->kind == LMB_NODE_MAP || p->n->kind == LMB_NODE_NULL;
    if (!map && lmb_short_key(p->key->keys) == NULL) return fail_expected(p, "a map");
    char what[WHAT_SIZE];
    snprintf(what, sizeof what, "'%s' of %s", p->key->name, p->what);
    return lmb_spec_read(out, p->s, p->n, p->key->keys, what, p->err);
}

static lmb_status read_rotation(quat *out, const place *p) {
    if (p->n->kind != LMB_NODE_MAP && p->n->kind != LMB_NODE_LIST)
        return fail_expected(p, "a rotation such as {z: 90 deg}");
    return lmb_spec_rotation(out, p->s, p->n, p->err);
}

static lmb_status read_value(void *out, const place *p) {
    switch (p->key->type) {
    case LMB_KEY_NUMBER: return read_number(out, p);
    case LMB_KEY_INTEGER: return read_integer(out, p);
    case LMB_KEY_BOOL: return read_bool(out, p);
    case LMB_KEY_TEXT: return read_text(out, p);
    case LMB_KEY_CHOICE: return read_choice(out, p);
    case LMB_KEY_KIND: return read_kind(out, p);
    case LMB_KEY_VEC3: return read_vec3(out, p);
    case LMB_KEY_NUMBERS: return read_numbers(out, p);
    case LMB_KEY_TEXTS: return read_texts(out, p);
    case LMB_KEY_ROTATION: return read_rotation(out, p);
    case LMB_KEY_EXPR: return read_expr(out, p);
    case LMB_KEY_EXPRS:
        return read_children(out, p, LMB_NODE_LIST, LMB_NODE_SCALAR, "a list of numbers or expressions");
    case LMB_KEY_MAP: return read_map(out, p);
    case LMB_KEY_MAPS: return read_children(out, p, LMB_NODE_LIST, LMB_NODE_MAP, "a list of maps");
    case LMB_KEY_NAMED: return read_children(out, p, LMB_NODE_MAP, LMB_NODE_MAP, "a map of named entries");
    case LMB_KEY_NODE: *(const lmb_node **)out = p->n; return LMB_OK;
    }
    return LMB_OK;
}

// ---- tables ------------------------------------------------------------------------------------

static int find_key(const lmb_key *keys, const char *name) {
    for (int k = 0; keys && keys[k].name; k++) {
        assert(k < MAX_KEYS);
        if (strcmp(keys[k].name, name) == 0) return k;
    }
    return -1;
}

// reads n if it is one of the keys; *found says so
static lmb_status read_entry(bool *found, void *out, const lmb_node *n, const lmb_key *keys, place p) {
    int k = find_key(keys, n->key);
    *found = k >= 0;
    if (k < 0 || out == NULL) return LMB_OK;
    uint64_t *given = out;
    if (*given >> k & 1)
        return lmb_fail(p.err, LMB_ERR_INPUT, n->key_where, "duplicate key '%s' in %s", n->key, p.what);
    *given |= (uint64_t)1 << k;
    p.n = n;
    p.key = &keys[k];
    return read_value((char *)out + keys[k].offset, &p);
}

static lmb_status check_required(const void *out, const lmb_node *map, const lmb_key *keys, const char *what,
                                 lmb_error *err) {
    const uint64_t *given = out;
    for (int k = 0; given && keys && keys[k].name; k++)
        if ((keys[k].flags & LMB_KEY_REQUIRED) && !(*given >> k & 1))
            return lmb_fail(err, LMB_ERR_INPUT, map->where, "%s needs '%s': %s", what, keys[k].name,
                            keys[k].doc ? keys[k].doc : "");
    return LMB_OK;
}

const lmb_key *lmb_short_key(const lmb_key *keys) {
    while (keys && keys->name && !(keys->flags & LMB_KEY_SHORT)) keys++;
    return keys && keys->name ? keys : NULL;
}

// a value without a map around it: it belongs to the short key, if there is one
static lmb_status read_short(void *const out[2], const key_tables *tables, place p, const lmb_node *n) {
    for (int i = 0; i < 2; i++) {
        p.key = lmb_short_key(tables->table[i]);
        if (p.key == NULL) continue;
        p.n = n;
        if (out[i] == NULL) return LMB_OK;
        *(uint64_t *)out[i] |= (uint64_t)1 << (p.key - tables->table[i]);
        return read_value((char *)out[i] + p.key->offset, &p);
    }
    return lmb_fail(p.err, LMB_ERR_INPUT, n->where, "%s: expected a map of keys and values, found %s", p.what,
                    lmb_node_found(n));
}

static lmb_status read_entries(void *const out[2], key_tables *tables, const lmb_node *map, place p) {
    for (const lmb_node *n = map->first; n; n = n->next) {
        bool found = false;
        lmb_status status = LMB_OK;
        for (int i = 0; i < 2 && !found && status == LMB_OK; i++)
            status = read_entry(&found, out[i], n, tables->table[i], p);
        if (status) return status;
        if (!found && !(tables->typed && strcmp(n->key, "type") == 0))
            return fail_unknown_key(n, tables, p.what, p.err);
    }
    return LMB_OK;
}

static lmb_status read_tables(void *const out[2], key_tables *tables, lmb_spec *s, const lmb_node *map,
                              const char *what, lmb_error *err) {
    place p = {.s = s, .what = what, .err = err};
    lmb_status status = LMB_OK;
    for (int i = 0; i < 2; i++)
        if (out[i]) *(uint64_t *)out[i] = 0;
    if (map->kind == LMB_NODE_MAP) status = read_entries(out, tables, map, p);
    else if (map->kind != LMB_NODE_NULL) status = read_short(out, tables, p, map);
    if (status == LMB_OK) status = check_required(out[0], map, tables->table[0], what, err);
    return status ? status : check_required(out[1], map, tables->table[1], what, err);
}

lmb_status lmb_spec_read(void *out, lmb_spec *s, const lmb_node *map, const lmb_key *keys, const char *what,
                         lmb_error *err) {
    return read_tables((void *const[2]){out, NULL}, &(key_tables){.table = {keys, NULL}}, s, map, what, err);
}

// ---- kinds -------------------------------------------------------------------------------------

lmb_status lmb_spec_read_kind(void *out, void *common, lmb_spec *s, const lmb_node *map,
                              const lmb_section *section, int kind, const char *what, lmb_error *err) {
    const lmb_kind_keys *own = section->kinds ? section->kinds[kind] : NULL;
    key_tables tables = {.table = {own ? own->keys : NULL, section->common}, .typed = own != NULL};
    return read_tables((void *const[2]){out, common}, &tables, s, map, what, err);
}

static lmb_status fail_kind(lmb_where where, const char *type, const lmb_section *section, const char *what,
                            lmb_error *err) {
    lmb_text list = {0};
    const lmb_kind_keys *const *kinds = section->kinds;
    bool ok = add_names(&list, section->kinds);
    const char *near = type ? lmb_nearest(type, next_name, &kinds) : NULL;
    lmb_status status = LMB_OK;
    if (!ok) status = lmb_fail_memory(err);
    else if (near)
        status = lmb_fail(err, LMB_ERR_INPUT, where, "unknown type '%s' of %s; did you mean '%s'?", type,
                          what, near);
    else if (type)
        status = lmb_fail(err, LMB_ERR_INPUT, where, "unknown type '%s' of %s; choose one of %s", type, what,
                          list.text);
    else status = lmb_fail(err, LMB_ERR_INPUT, where, "%s needs 'type': one of %s", what, list.text);
    lmb_text_free(&list);
    return status;
}

// an element without a map around it: of the kind that has a short key
static lmb_status short_kind(int *out, const lmb_node *n, const lmb_section *section, const char *what,
                             lmb_error *err) {
    for (int i = 0; section->kinds[i]; i++)
        if (lmb_short_key(section->kinds[i]->keys)) return *out = i, LMB_OK;
    *out = section->default_kind;
    if (*out >= 0 && lmb_short_key(section->common)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, n->where, "%s: expected a map of keys and values, found %s", what,
                    lmb_node_found(n));
}

lmb_status lmb_spec_kind(int *out, const lmb_spec *s, const lmb_node *map, const lmb_section *section,
                         const char *what, lmb_error *err) {
    const lmb_node *type = lmb_node_find(map, "type");
    const char *name = NULL;
    if (map->kind != LMB_NODE_MAP && map->kind != LMB_NODE_NULL)
        return short_kind(out, map, section, what, err);
    if (type == NULL) {
        *out = section->default_kind;
        return *out >= 0 ? LMB_OK : fail_kind(map->where, NULL, section, what, err);
    }
    lmb_status status = lmb_spec_text(&name, s, type, err);
    if (status) return status;
    for (int i = 0; section->kinds[i]; i++)
        if (strcmp(section->kinds[i]->name, name) == 0) return *out = i, LMB_OK;
    return fail_kind(type->where, name, section, what, err);
}
