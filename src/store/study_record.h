// store/study_record.h: what a member leaves: a small JSON file in the folder of the study, NAME.members/000/000001.json.
//
//   {"limber_member": 1, "hash": "..", "status": 0, "seconds": 0.25, "measures": [1.5, null], "message": ""}
//
// hash: of what it follows from: model, parameters, measures, version.  A record with another hash does not count.
#ifndef LMB_STUDY_RECORD_H
#define LMB_STUDY_RECORD_H

#include "core/sha256.h"
#include "store/study_file.h"

typedef struct lmb_member_record {
    int status; // as in study files
    double seconds;
    double *measures; // room for all; NaN: none
    char message[1024];
} lmb_member_record;

// Paths of member k from 0, for lmb_free; NULL: no memory.  ending: "json", "h5".
char *lmb_member_path(const char *study, int k, const char *ending);
// NAME.csv beside NAME.h5
char *lmb_study_path(const char *study, const char *ending);

// What the results of a member follow from; study: as read for this member alone, or all with k.
void lmb_member_hash(char out[LMB_SHA256_TEXT], const lmb_study_file *f, int k);

lmb_status lmb_member_record_write(const char *path, const char *hash, const lmb_member_record *r,
                                   int measures, lmb_error *err);
// *found: there is one, and it is neither another's nor damaged.
lmb_status lmb_member_record_read(bool *found, lmb_member_record *out, const char *path, const char *hash,
                                  int measures, lmb_error *err);
bool lmb_member_record_parse(lmb_member_record *out, const char *text, size_t length, const char *hash,
                             int measures);
// Whether there is nothing left to do: system errors (no memory, a full disk, a killed process) may be gone the next time.
static inline bool lmb_member_is_settled(int status) { return status >= 0 && status < 3; }

#endif
