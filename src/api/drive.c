// api/drive.c: inputs of a document that follow the columns of a file.
#include "api/handles.h"

#include "read/reference_file.h"

#include <stdio.h>
#include <string.h>

// an entry that is only its start value becomes a map
static lmb_status make_map(lmb_document *d, const lmb_node *input, const char *path, lmb_error *err) {
    lmb_text start = {0};
    if (input->kind != LMB_NODE_SCALAR) return LMB_OK;
    lmb_status st = lmb_text_add(&start, "{start: %s}", input->text) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_document_set(d, path, start.text, err);
    lmb_text_free(&start);
    return st;
}

static const char *input_candidate(void *user, int i) {
    const lmb_node *inputs = user, *n = inputs ? inputs->first : NULL;
    while (n && i-- > 0) n = n->next;
    return n ? n->key : NULL;
}

// input `name` follows the column of its name
static lmb_status drive_input(lmb_document *d, const char *name, const char *file, lmb_error *err) {
    const lmb_node *inputs = lmb_node_find(d->spec->root, "inputs"),
                   *n = inputs ? lmb_node_find(inputs, name) : NULL;
    const char *near = lmb_nearest(name, input_candidate, (void *)inputs);
    if (n == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){file, 1, 1},
                        "column '%s' is not an input of the model; %s%s%s", name,
                        near ? "did you mean '" : "add it to its section `inputs`, or remove the column",
                        near ? near : "", near ? "'?" : "");
    char path[200 + LMB_COLUMN_NAME];
    snprintf(path, sizeof path, "inputs.%s", name);
    lmb_status st = make_map(d, n, path, err);
    strcat(path, ".file");
    return st == LMB_OK ? lmb_document_set(d, path, file, err) : st;
}

lmb_status lmb_document_drive(lmb_document *d, const char *file, lmb_error *err) {
    char name[LMB_COLUMN_NAME];
    if (d->spec == NULL) return lmb_document_used(err);
    lmb_status st = lmb_columns_name(name, file, 0, err);
    if (st == LMB_OK && strcmp(name, "time") != 0 && strcmp(name, "t") != 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, (lmb_where){file, 1, 1},
            "the first column must be 'time' or 't', not '%s'; the first line names the columns, as in "
            "time,torque",
            name);
    for (int k = 1; st == LMB_OK && (st = lmb_columns_name(name, file, k, err)) == LMB_OK && *name; k++)
        st = drive_input(d, name, file, err);
    return st;
}
