// study/section.h: the section `study` of a model.
#ifndef LMB_STUDY_SECTION_H
#define LMB_STUDY_SECTION_H

#include "spec/spec.h"

typedef enum lmb_study_keep { LMB_KEEP_NONE, LMB_KEEP_FAILED, LMB_KEEP_ALL } lmb_study_keep;

typedef struct lmb_study_section {
    uint64_t given;
    const lmb_node *vary, *measures; // maps; NULL: none
    const char *sample;              // NULL: none
    int seed, keep;
} lmb_study_section;

extern const lmb_key lmb_study_keys[];

// The section of an expanded model, or what holds without it.
lmb_status lmb_study_section_read(lmb_study_section *out, lmb_spec *s, lmb_error *err);
// The text of an entry of `vary` ([1, 2, 3] becomes "1, 2, 3") or `measures`; in the spec's arena.
lmb_status lmb_study_text_of(const char **out, lmb_spec *s, const lmb_node *n, lmb_error *err);

#endif
