// read/model_file.h: model files with all the files that they include.
#ifndef LMB_MODEL_FILE_H
#define LMB_MODEL_FILE_H

#include "spec/spec.h"

// ---- model files -------------------------------------------------------------------------------

// Reads a YAML 1.2 (or JSON) model file and what it includes (`include: part.yaml` or a list; paths are
// relative to the including file; sections are merged, each file once; double names are errors, cycles are
// named; assemblies with `file:` are read too and stand as `model:`).  Aliases are followed with a cap on the
// size of the result; anchors, merge keys (<<) allowed; duplicate keys, tags, tabs, bad UTF-8, NUL bytes,
// several documents: clear errors.  *out is owned by the caller (lmb_spec_destroy).
lmb_status lmb_yaml_read_file(lmb_spec **out, const char *path, lmb_error *err);
// The same from a text; name is used in messages; include and assemblies with `file:` are refused.
lmb_status lmb_yaml_read_text(lmb_spec **out, const char *text, size_t length, const char *name,
                              lmb_error *err);

#endif
