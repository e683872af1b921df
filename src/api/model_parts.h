// api/model_parts.h: bodies of a model that come from files: body files, part files, meshes.
#ifndef LMB_MODEL_PARTS_H
#define LMB_MODEL_PARTS_H

#include "api/part_file.h"

// The part of a body as it is meshed.
typedef struct lmb_part_kept {
    const char *body;
    lmb_part_file file;
    lmb_part_contents contents;
    lmb_part_model *model; // NULL: the body has none
} lmb_part_kept;
void lmb_part_kept_free(lmb_part_kept *k);

// What lmb_files needs while a model is compiled.  Begin with spec and how, end when it is compiled.
typedef struct lmb_model_parts {
    lmb_spec *spec;
    lmb_part_settings how;             // factoriser, references, no_cache, progress
    struct lmb_part_open *open;        // part files
    struct lmb_reduce_ahead *ahead;    // parts that were reduced before they are asked for; NULL: none
    const struct lmb_enrichment *more; // further shape functions of its bodies, NULL: none
    lmb_part_kept *kept;               // of its body, NULL: not wanted
    struct lmb_zip *collect;           // receives what a bundle needs (api/bundle.h), NULL: not wanted
    bool missing;                      // a file under $LIMBER_REFERENCE is missing
    lmb_sha256 contents;               // of all files that were read, added to what is in it
} lmb_model_parts;
lmb_files lmb_model_parts_files(lmb_model_parts *p); // borrows p
void lmb_model_parts_end(lmb_model_parts *p);

#endif
