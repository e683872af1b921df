// read/yaml.h: shared by the files that read models: one text to a tree, and the files it names.
#ifndef LMB_IO_YAML_H
#define LMB_IO_YAML_H

#include "spec/names.h"
#include "spec/spec.h"

enum {
    LMB_YAML_MAX_NODES = 1000 * 1000, // of all files together
    LMB_YAML_MAX_DEPTH = 100,
    LMB_YAML_MAX_FILES = 1000,
    LMB_YAML_MAX_FILE_DEPTH = 20,
    LMB_YAML_MAX_BYTES = 64 * 1024 * 1024,
};

// What one reading shares between its files.
typedef struct lmb_yaml_reader {
    lmb_spec *s;
    lmb_arena *scratch; // anchors and names; released at the end
    long nodes;
    int files;
    const struct lmb_node *how; // of the file that is read next: the entry of `assemblies` that names it
    lmb_error *err;
} lmb_yaml_reader;

// Parses a text (length bytes, kept by the caller) to a tree; name lives in the spec's arena.
lmb_status lmb_yaml_parse(lmb_node **out, lmb_yaml_reader *r, const char *text, size_t length,
                          const char *name);

#endif
