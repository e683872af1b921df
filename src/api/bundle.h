// api/bundle.h: the files that a model needs beside its text, in one folder, named by what refers to them: reduced parts by the hash
// of their description, other files by the hash of their path as the model writes it.  lmb_fmu_file fills it, and a model that is
// compiled with lmb_part_settings.bundle takes them from there.
#ifndef LMB_BUNDLE_H
#define LMB_BUNDLE_H

#include "api/model_parts.h"
#include "os/zip.h"

#define LMB_BUNDLE_FOLDER "resources/" // in the archive

// A file that the model names at `key` of map: path of what to read (in the spec's arena).
lmb_status lmb_bundle_path(const char **out, lmb_model_parts *p, const lmb_node *map, const char *key,
                           const char *path, lmb_error *err);
// The reduced part from the bundle. Beams do not come here: they are reduced wherever the model is compiled.
lmb_status lmb_bundle_part(lmb_flex **out, const lmb_model_parts *p, const lmb_part *part, const char *name,
                           lmb_error *err);
// Puts a reduced part into p->collect.
lmb_status lmb_bundle_keep(lmb_model_parts *p, const lmb_part *part, const lmb_flex *f, lmb_error *err);

#endif
