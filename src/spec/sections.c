// spec/sections.c: the sections of an expanded model: known ones, of the right form, with usable names.
#include "spec/local.h"

#include <string.h>

const char *const lmb_frame_sections[] = {"limber", "units",      "parameters", "include",
                                          "repeat", "assemblies", NULL};

bool lmb_is_frame_section(const char *name) {
    for (int i = 0; lmb_frame_sections[i]; i++)
        if (strcmp(lmb_frame_sections[i], name) == 0) return true;
    return false;
}

// candidates: the given sections, then those of every model
static const char *next_section(void *user, int i) {
    const lmb_section *sections = user;
    for (; sections->name; sections++)
        if (i-- == 0) return sections->name;
    return i < 6 ? lmb_frame_sections[i] : NULL;
}

static lmb_status fail_unknown(const lmb_node *n, const lmb_section *sections, lmb_error *err) {
    const char *near = lmb_nearest(n->key, next_section, (void *)sections);
    if (near)
        return lmb_fail(err, LMB_ERR_INPUT, n->key_where, "unknown section '%s'; did you mean '%s'?", n->key,
                        near);
    lmb_text list = {0};
    bool ok = lmb_text_add_n(&list, "", 0);
    const char *name;
    for (int i = 0; ok && (name = next_section((void *)sections, i)); i++)
        ok = lmb_text_add(&list, "%s%s", i ? ", " : "", name);
    lmb_status status = ok ? lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                                      "unknown section '%s'; allowed sections: %s", n->key, list.text)
                           : lmb_fail_memory(err);
    lmb_text_free(&list);
    return status;
}

static lmb_status fail_form(const lmb_node *n, const char *expected, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, n->where, "section '%s': expected %s, found %s", n->key, expected,
                    lmb_node_found(n));
}

// names in a NAMED section, without the prefix of their sub-assembly
static lmb_status check_names(const lmb_node *section, lmb_error *err) {
    for (const lmb_node *n = section->first; n; n = n->next) {
        size_t prefix = strlen(lmb_node_prefix(n));
        lmb_status status = lmb_name_check(n->key + prefix, section->key, n->key_where, err);
        if (status) return status;
    }
    return LMB_OK;
}

static lmb_status check_list(const lmb_node *section, lmb_error *err) {
    for (const lmb_node *n = section->first; n; n = n->next)
        if (n->kind != LMB_NODE_MAP)
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "entries of %s: expected a map of keys and values, found %s", section->key,
                            lmb_node_found(n));
    return LMB_OK;
}

// a section that is one value
static lmb_status check_value(const lmb_node *n, const lmb_key *key, lmb_error *err) {
    if (key && key->type == LMB_KEY_VEC3 && (n->kind != LMB_NODE_LIST || n->count != 3))
        return fail_form(n, "three numbers [x, y, z]", err);
    if (key && key->type == LMB_KEY_TEXT && n->kind != LMB_NODE_SCALAR) return fail_form(n, "a text", err);
    if (key && key->type == LMB_KEY_TEXTS && n->kind != LMB_NODE_LIST)
        return fail_form(n, "a list of names", err);
    return n->kind == LMB_NODE_NULL ? fail_form(n, "a value", err) : LMB_OK;
}

static lmb_status check_form(const lmb_node *n, const lmb_section *section, lmb_error *err) {
    bool empty = n->kind == LMB_NODE_NULL;
    switch (section->form) {
    case LMB_SECTION_NAMED:
        if (empty) return LMB_OK;
        return n->kind == LMB_NODE_MAP ? check_names(n, err) : fail_form(n, "a map of named entries", err);
    case LMB_SECTION_LIST:
        if (empty) return LMB_OK;
        return n->kind == LMB_NODE_LIST ? check_list(n, err)
                                        : fail_form(n, "a list of entries, each starting with `- `", err);
    case LMB_SECTION_MAP:
        return n->kind == LMB_NODE_MAP ? LMB_OK : fail_form(n, "a map of keys and values", err);
    case LMB_SECTION_VALUE: return check_value(n, section->common, err);
    }
    return LMB_OK;
}

lmb_status lmb_spec_check_sections(const lmb_spec *s, const lmb_section *sections, lmb_error *err) {
    for (const lmb_node *n = s->root->first; n; n = n->next) {
        if (lmb_is_frame_section(n->key)) continue;
        const lmb_section *section = sections;
        while (section->name && strcmp(section->name, n->key) != 0) section++;
        if (section->name == NULL) return fail_unknown(n, sections, err);
        lmb_status status = check_form(n, section, err);
        if (status) return status;
    }
    return LMB_OK;
}
