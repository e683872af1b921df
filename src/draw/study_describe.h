// draw/study_describe.h: a study for people.
#ifndef LMB_DRAW_STUDY_DESCRIBE_H
#define LMB_DRAW_STUDY_DESCRIBE_H

#include "store/study_file.h"

// Summary of a study, for people; false: no memory.
bool lmb_study_describe(lmb_text *out, const lmb_study_file *f, const char *path);
// Of it the measures: over the members that are done, their sensitivities, and members by status.
bool lmb_study_summary(lmb_text *out, const lmb_study_file *f);

#endif
