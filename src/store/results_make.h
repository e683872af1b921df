// store/results_make.h: the objects of a results file, made once before the first row; private to store/results_*.c.
#ifndef LMB_RESULTS_MAKE_H
#define LMB_RESULTS_MAKE_H

#include "store/h5.h"
#include "store/results.h"

#include <string.h>

// Header of a checkpoint slot.
typedef struct lmb_h5_slot_header {
    uint64_t magic, sequence, rows, events, size;
    uint64_t hash; // of the fields above and the bytes that follow
} lmb_h5_slot_header;

static const char *const lmb_h5_slot_names[2] = {"checkpoint_a", "checkpoint_b"};

// Access to the texts of a list of names or columns.
typedef const char *(*lmb_h5_text_of)(const void *list, int i);
static inline const char *lmb_h5_text_at(const void *list, int i) { return ((const char *const *)list)[i]; }
static inline const char *lmb_h5_name_of(const void *list, int i) {
    return ((const lmb_column *)list)[i].name;
}
static inline const char *lmb_h5_unit_of(const void *list, int i) {
    const char *unit = ((const lmb_column *)list)[i].unit;
    return unit ? unit : "";
}

// Rows and columns of a chunk of a table.
void lmb_results_chunk(hsize_t shape[2], hsize_t columns, size_t element);
hid_t lmb_results_create_file(const char *path);
bool lmb_results_make_header(lmb_h5 *h, hid_t file, const lmb_results_info *info);
bool lmb_results_make_linear(hid_t group); // results_linear.c
bool lmb_results_make_group(lmb_h5 *h, hid_t file, const lmb_group *g);
// upper bound of the bytes of all objects
uint64_t lmb_results_header_size(const lmb_results_info *info, const lmb_group *groups, int count);

// For further datasets of group g, which are written between the two, in place: room for so many bytes.  What fails leaves a reason.
lmb_h5 *lmb_results_begin(hid_t *file, char *group, size_t size, lmb_results *r, int g, uint64_t bytes);
lmb_status lmb_results_end(lmb_results *r, bool ok, lmb_error *err);

#endif
