// spec/node.c: the tree of named values.
#include "spec/local.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CHUNK = 16 * 1024 };

lmb_status lmb_spec_create(lmb_spec **out, lmb_error *err) {
    *out = NULL;
    lmb_spec *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->arena = lmb_arena_create(FIRST_CHUNK);
    s->root = s->arena ? lmb_node_create(s, LMB_NODE_MAP, LMB_NOWHERE) : NULL;
    if (s->root == NULL) {
        lmb_spec_destroy(s);
        return lmb_fail_memory(err);
    }
    s->units = LMB_UNITS_SI;
    s->max_values = LMB_SPEC_MAX_VALUES;
    *out = s;
    return LMB_OK;
}

void lmb_spec_destroy(lmb_spec *s) {
    if (s == NULL) return;
    lmb_arena_destroy(s->arena);
    lmb_free(s);
}

bool lmb_spec_remark_add(lmb_spec *s, const char *text) {
    lmb_spec_remark *r = lmb_arena_get(s->arena, 1, sizeof *r);
    if (r == NULL) return false;
    r->text = text;
    if (s->last_remark) s->last_remark->next = r;
    else s->remarks = r;
    s->last_remark = r;
    return true;
}

lmb_node *lmb_node_create(lmb_spec *s, lmb_node_kind kind, lmb_where where) {
    lmb_node *n = lmb_arena_get(s->arena, 1, sizeof *n);
    if (n == NULL) return NULL;
    n->kind = kind;
    n->where = where;
    n->key_where = where;
    return n;
}

void lmb_node_append(lmb_node *parent, lmb_node *child, const char *key_or_null) {
    child->key = key_or_null;
    child->next = NULL;
    if (parent->last) parent->last->next = child;
    else parent->first = child;
    parent->last = child;
    parent->count++;
}

lmb_node *lmb_node_find(const lmb_node *map, const char *key) {
    if (map == NULL || map->kind != LMB_NODE_MAP) return NULL;
    for (lmb_node *n = map->first; n; n = n->next)
        if (n->key && strcmp(n->key, key) == 0) return n;
    return NULL;
}

bool lmb_node_path(char *out, size_t size, const lmb_node *root, const lmb_node *n) {
    int i = 0;
    if (size > 0) *out = '\0';
    if (root == n) return true;
    for (const lmb_node *child = root->first; child; child = child->next, i++) {
        int used = child->key ? snprintf(out, size, ".%s", child->key) : snprintf(out, size, ".%d", i);
        size_t taken = used > 0 && (size_t)used < size ? (size_t)used : 0;
        if (lmb_node_path(out + taken, size - taken, child, n)) return true;
    }
    return false;
}

lmb_where lmb_node_place(const lmb_node *map, const char *key) {
    const lmb_node *n = lmb_node_find(map, key);
    return n ? n->where : map->where;
}

lmb_where lmb_node_place_of(const lmb_node *map, const char *key, int i) {
    const lmb_node *list = lmb_node_find(map, key), *n = list ? list->first : NULL;
    while (n && i-- > 0) n = n->next;
    return n ? n->where : lmb_node_place(map, key);
}

const char *lmb_node_found(const lmb_node *n) {
    switch (n ? n->kind : LMB_NODE_NULL) {
    case LMB_NODE_LIST: return "a list";
    case LMB_NODE_MAP: return "a map";
    case LMB_NODE_SCALAR: return "a single value";
    default: return "nothing";
    }
}

bool lmb_text_is_null(const char *text) {
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    for (int i = 0; i < LMB_COUNT(nulls); i++)
        if (strcmp(text, nulls[i]) == 0) return true;
    return false;
}

enum { NAME_MAX_LENGTH = 100 };

static bool is_name(const char *name) {
    const char *p = name;
    if (!isalpha((unsigned char)*p) && *p != '_') return false;
    while (isalnum((unsigned char)*p) || *p == '_') p++;
    while (*p == '[') {
        const char *digits = *++p == '-' ? ++p : p;
        while (isdigit((unsigned char)*p)) p++;
        if (p == digits || *p++ != ']') return false;
    }
    return *p == '\0';
}

lmb_status lmb_name_check(const char *name, const char *section, lmb_where where, lmb_error *err) {
    if (!is_name(name))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "'%s' in %s is not a valid name; use letters, digits and _, begin with a letter, and "
                        "number copies as in "
                        "link[3]",
                        name, section);
    if (strlen(name) > NAME_MAX_LENGTH)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "the name '%s' in %s is longer than %d characters; choose a shorter one", name,
                        section, NAME_MAX_LENGTH);
    return LMB_OK;
}

// ---- sub-assembly of a node --------------------------------------------------------------------

const lmb_local *lmb_local_assembly(const lmb_local *l) {
    while (l && l->index) l = l->outer;
    return l;
}

pose lmb_node_pose(const lmb_node *n) {
    const lmb_local *a = lmb_local_assembly(n->local);
    return a ? a->place : POSE_ID;
}

const char *lmb_node_prefix(const lmb_node *n) {
    const lmb_local *a = lmb_local_assembly(n->local);
    return a ? a->prefix : "";
}

// ---- setting by path ---------------------------------------------------------------------------

static lmb_status bad_path(lmb_error *err, const char *path, const char *part, const char *why) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "cannot set '%s': '%s' %s", path, part, why);
}

// entry part of a list: a number from 0; one past the end appends
static lmb_status list_entry(lmb_node **out, lmb_spec *s, lmb_node *list, const char *part, const char *path,
                             lmb_error *err) {
    char *end;
    long i = strtol(part, &end, 10);
    if (!isdigit((unsigned char)*part) || *end)
        return bad_path(err, path, part, "is not a number; entries of a list are counted from 0");
    if (i > list->count) return bad_path(err, path, part, "is past the end of the list");
    lmb_node *n = list->first;
    for (long k = 0; k < i && n; k++) n = n->next;
    if (n == NULL) {
        n = lmb_node_create(s, LMB_NODE_NULL, list->where);
        if (n == NULL) return lmb_fail_memory(err);
        lmb_node_append(list, n, NULL);
    }
    *out = n;
    return LMB_OK;
}

// entry part of n, made where it is missing
static lmb_status entry(lmb_node **out, lmb_spec *s, lmb_node *n, const char *part, const char *path,
                        lmb_error *err) {
    if (!*part)
        return bad_path(err, path, part, "is empty; write names separated by dots, such as bodies.arm.mass");
    if (n->kind == LMB_NODE_LIST) return list_entry(out, s, n, part, path, err);
    if (n->kind == LMB_NODE_SCALAR)
        return bad_path(err, path, part, "is an entry of a single value, which has no entries");
    if (n->kind == LMB_NODE_NULL && strcmp(part, "0") == 0) { // no element is called 0: a list begins
        n->kind = LMB_NODE_LIST;
        return list_entry(out, s, n, part, path, err);
    }
    n->kind = LMB_NODE_MAP;
    *out = lmb_node_find(n, part);
    if (*out) return LMB_OK;
    char *key = lmb_arena_strdup(s->arena, part);
    *out = lmb_node_create(s, LMB_NODE_NULL, n->where);
    if (key == NULL || *out == NULL) return lmb_fail_memory(err);
    lmb_node_append(n, *out, key);
    return LMB_OK;
}

lmb_status lmb_spec_set(lmb_spec *s, const char *path, const char *text, lmb_error *err) {
    char *parts = lmb_arena_strdup(s->arena, path);
    char *value = lmb_arena_strdup(s->arena, text);
    char *file = lmb_arena_printf(s->arena, "value set for %s", path);
    if (parts == NULL || value == NULL || file == NULL) return lmb_fail_memory(err);
    lmb_node *n = s->root;
    for (char *part = parts, *dot; part; part = dot ? dot + 1 : NULL) {
        dot = strchr(part, '.');
        if (dot) *dot = '\0';
        lmb_status status = entry(&n, s, n, part, path, err);
        if (status) return status;
    }
    n->kind = lmb_text_is_null(value) ? LMB_NODE_NULL : LMB_NODE_SCALAR;
    n->text = value;
    n->quoted = false;
    n->where = n->key_where = (lmb_where){.file = file};
    n->first = n->last = NULL;
    n->count = 0;
    return LMB_OK;
}

// ---- deleting by path ----------------------------------------------------------------------------

// entry part of n with the one before it; NULL: not there
static lmb_node *child_at(lmb_node **before, const lmb_node *n, const char *part) {
    char *end;
    const long i = n->kind == LMB_NODE_LIST ? strtol(part, &end, 10) : -1;
    if (n->kind == LMB_NODE_LIST && (!isdigit((unsigned char)*part) || *end)) return NULL;
    lmb_node *child = n->first;
    *before = NULL;
    for (long k = 0; child && (i >= 0 ? k < i : strcmp(child->key, part) != 0); k++)
        *before = child, child = child->next;
    return child;
}

lmb_status lmb_spec_delete(lmb_spec *s, const char *path, lmb_error *err) {
    char *parts = lmb_arena_strdup(s->arena, path);
    lmb_node *parent = NULL, *n = s->root, *before = NULL;
    if (parts == NULL) return lmb_fail_memory(err);
    for (char *part = parts, *dot; part; part = dot ? dot + 1 : NULL) {
        dot = strchr(part, '.');
        if (dot) *dot = '\0';
        parent = n;
        n = child_at(&before, parent, part);
        if (n == NULL)
            return lmb_fail(err, LMB_ERR_INPUT, parent->where, "cannot delete '%s': there is no '%s'", path,
                            part);
    }
    if (before) before->next = n->next;
    else parent->first = n->next;
    if (parent->last == n) parent->last = before;
    parent->count--;
    return LMB_OK;
}
