// api/study.h: shared by the files of parameter studies.
#ifndef LMB_API_STUDY_H
#define LMB_API_STUDY_H

#include "api/handles.h"
#include "store/study_file.h"
#include "store/study_record.h"
#include "study/design.h"
#include "study/measure.h"

// A model whose parameters are known, without its system: for measures of parameters alone, and to read values.
typedef struct lmb_study_model {
    lmb_document *document; // expanded
    // values in place of those of the model, NULL: none
    int count;
    char *const *names;
    const double *values;
} lmb_study_model;

// f: that of a study, which must not have changed; NULL: at path.
lmb_status lmb_study_model_read(lmb_study_model *out, const lmb_study_file *f, const char *path,
                                lmb_error *err);
void lmb_study_model_free(lmb_study_model *m);
// Their names mean parameters.
lmb_measure_world lmb_study_world(lmb_study_model *m);
lmb_measure_world lmb_study_world_of(lmb_spec **s); // of a system's

// The measures of a study as written.
lmb_status lmb_study_measure_list(lmb_measure_text **out, const lmb_study_file *f,
                                  lmb_error *err); // for lmb_free

// Values of formulas for all members; tell: how it went with one.
typedef lmb_status lmb_study_tell(void *user, int k, lmb_status status, const lmb_error *why, lmb_error *err);
lmb_status lmb_study_formulas(lmb_study_file *f, lmb_study_tell *tell, void *user, lmb_error *err);

struct lmb_study {
    lmb_study_file f;
    bool formula;
};

// Puts the records of members, or values of formulas, into a study that was read.
lmb_status lmb_study_gather(lmb_study *s, const char *path, lmb_error *err);
// What a member says of its failure: with the place, if that is in a file.
void lmb_study_say(char *out, size_t size, const lmb_error *err);
// One member that has not settled; f: of this member alone.
lmb_status lmb_study_member_run(lmb_member_record *out, const char *study, const lmb_study_file *f, int k,
                                const lmb_study_how *how, lmb_error *err);
lmb_status lmb_study_no_members(const char *study, lmb_error *err); // fails: its measures are formulas

#endif
