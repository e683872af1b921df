// api/robot.c: documents as files that people read, and what the file of a robot contains.
#include "read/robot.h"
#include "api/handles.h"
#include "core/json.h"
#include "os/outfile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 110 };

// ---- a tree as YAML ----------------------------------------------------------------------------

// whether YAML and limber read it as the same text without quotes
static bool is_bare(const char *text, bool quoted) {
    static const char *const words[] = {"true", "false", "yes",  "no",  "on", "off",
                                        "y",    "n",     "null", "nan", "inf"};
    char *end;
    strtod(text, &end);
    if (!quoted && *text && *end == '\0' && strpbrk(text, "xXnN") == NULL) return true;
    if (quoted || !isalpha((unsigned char)*text)) return false;
    for (int i = 0; i < LMB_COUNT(words); i++) {
        const char *a = text, *b = words[i];
        while (*a && tolower((unsigned char)*a) == *b) a++, b++;
        if (*a == '\0' && *b == '\0') return false;
    }
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '.') return false;
    return true;
}

static bool add_text(lmb_text *t, const char *text, bool quoted) {
    return is_bare(text, quoted) ? lmb_text_add(t, "%s", text) : lmb_json_string(t, text);
}

static bool add_flow(lmb_text *t, const lmb_node *n) {
    if (n->kind == LMB_NODE_NULL) return lmb_text_add(t, "null");
    if (n->kind == LMB_NODE_SCALAR) return add_text(t, n->text, n->quoted);
    bool map = n->kind == LMB_NODE_MAP, ok = lmb_text_add(t, map ? "{" : "[");
    for (const lmb_node *k = n->first; k && ok; k = k->next) {
        if (k != n->first) ok = lmb_text_add(t, ", ");
        if (map) ok = ok && add_text(t, k->key, false) && lmb_text_add(t, ": ");
        ok = ok && add_flow(t, k);
    }
    return ok && lmb_text_add(t, map ? "}" : "]");
}

// "  key: {...}", or its entries on lines of their own if that is too long; entries of the first level always
static bool add_entry(lmb_text *t, const lmb_node *n, int indent) {
    size_t start = t->length;
    bool ok = lmb_text_add(t, "%*s", indent, "") && add_text(t, n->key, false) && lmb_text_add(t, ": ");
    size_t value = t->length;
    ok = ok && add_flow(t, n);
    bool split = n->kind == LMB_NODE_MAP && n->first && (indent == 0 || t->length - start > LINE);
    if (ok && split) {
        t->length = value - 1, t->text[t->length] = '\0';
        ok = lmb_text_add(t, "\n");
        for (const lmb_node *k = n->first; k && ok; k = k->next) ok = add_entry(t, k, indent + 2);
        return ok;
    }
    return ok && lmb_text_add(t, "\n");
}

// a comment has one line, whatever it quotes
static bool add_comment(lmb_text *t, const char *text) {
    bool ok = lmb_text_add(t, "# ");
    for (; *text && ok; text++) {
        char c = (unsigned char)*text < ' ' || *text == 127 ? ' ' : *text;
        ok = lmb_text_add_n(t, &c, 1);
    }
    return ok && lmb_text_add(t, "\n");
}

static bool add_document(lmb_text *t, const lmb_spec *s) {
    bool ok = add_comment(t, s->file);
    for (const lmb_spec_remark *r = s->remarks; r && ok; r = r->next) ok = add_comment(t, r->text);
    for (const lmb_node *n = s->root->first; n && ok; n = n->next) ok = add_entry(t, n, 0);
    return ok;
}

lmb_status lmb_document_write_file(const char *path, const lmb_document *d, lmb_error *err) {
    lmb_text text = {0};
    lmb_outfile o;
    if (d->spec == NULL) return lmb_document_used(err);
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = add_document(&text, d->spec) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_outfile_open(&o, path, d->spec->file, err);
    if (st == LMB_OK) {
        fwrite(text.text, 1, text.length, o.f);
        st = lmb_outfile_close(&o, LMB_OK, err);
    }
    lmb_text_free(&text);
    lmb_locale_end(locale);
    return st;
}

// ---- summary -----------------------------------------------------------------------------------

static const char *text_of(const lmb_node *map, const char *key) {
    const lmb_node *n = lmb_node_find(map, key);
    return n && n->kind == LMB_NODE_SCALAR ? n->text : NULL;
}

static bool add_bodies(lmb_text *t, const lmb_node *bodies) {
    double mass = 0;
    for (const lmb_node *n = bodies->first; n; n = n->next)
        if (text_of(n, "mass")) mass += strtod(text_of(n, "mass"), NULL);
    bool ok = lmb_text_add(t, "bodies     %d, mass %.6g kg\n", bodies->count, mass);
    for (const lmb_node *n = bodies->first; n && ok; n = n->next)
        ok = lmb_text_add(t, "    %-20s %s kg\n", n->key, text_of(n, "mass") ? text_of(n, "mass") : "?");
    return ok;
}

static bool add_joints(lmb_text *t, const lmb_node *joints) {
    bool ok = lmb_text_add(t, "joints     %d\n", joints->count);
    for (const lmb_node *n = joints->first; n && ok; n = n->next) {
        const lmb_node *between = lmb_node_find(n, "between"), *limits = lmb_node_find(n, "limits");
        ok = lmb_text_add(t, "    %-20s %s", n->key, text_of(n, "type"));
        if (ok && between) ok = lmb_text_add(t, ", %s to %s", between->first->text, between->last->text);
        if (ok && limits) ok = lmb_text_add(t, ", %s to %s", text_of(limits, "min"), text_of(limits, "max"));
        ok = ok && lmb_text_add(t, "\n");
    }
    return ok;
}

// what compiling says
static bool add_check(lmb_text *t, lmb_document *d) {
    lmb_system *s = NULL;
    lmb_error own = {0};
    lmb_status st = lmb_system_create(&s, d, NULL, 0, &own);
    lmb_system_destroy(s);
    if (st == LMB_OK)
        return lmb_text_add(t, "consistent: masses, inertias and joints can be used as they are\n");
    return lmb_text_add(t, "not consistent: line %d: %s\n", own.line, own.text);
}

lmb_status lmb_robot_describe(char **out, const char *path, lmb_error *err) {
    lmb_document *d = NULL;
    lmb_text text = {0};
    lmb_status st = lmb_document_read_file(&d, path, err);
    if (st != LMB_OK) return st;
    const lmb_node *joints = lmb_node_find(d->spec->root, "joints");
    bool ok = lmb_text_add(&text, "%s: a robot\n", path) &&
              add_bodies(&text, lmb_node_find(d->spec->root, "bodies"));
    if (ok && joints) ok = add_joints(&text, joints);
    for (const lmb_spec_remark *r = d->spec->remarks; r && ok; r = r->next)
        ok = lmb_text_add(&text, "%s\n", r->text);
    ok = ok && add_check(&text, d);
    lmb_document_destroy(d);
    if (ok) return *out = text.text, LMB_OK;
    lmb_text_free(&text);
    return lmb_fail_memory(err);
}
