// tests/unit/spec_help.h: models of the tests as trees.
#ifndef SPEC_HELP_H
#define SPEC_HELP_H

#include "check.h"
#include "read/model_file.h"

#include <stdio.h>
#include <string.h>

static inline lmb_spec *read_text(const char *text) {
    lmb_spec *s = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_yaml_read_text(&s, text, strlen(text), "m.yaml", &err), err);
    return s;
}

static inline lmb_spec *expand(const char *text) {
    lmb_spec *s = read_text(text);
    lmb_error err = {0};
    if (s) CHECK_OK(lmb_spec_expand(s, NULL, 0, &err), err);
    return s;
}

// node at a path "a/b/0"
static inline lmb_node *at(const lmb_spec *s, const char *path) {
    char part[100];
    lmb_node *n = s->root;
    while (n && *path) {
        size_t length = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        path += length + (path[length] == '/');
        if (n->kind == LMB_NODE_MAP) n = lmb_node_find(n, part);
        else {
            int i = 0;
            sscanf(part, "%d", &i);
            for (n = n->first; n && i > 0; i--) n = n->next;
        }
    }
    return n;
}

#endif
