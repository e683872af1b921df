// io/h5_read.h: reading HDF5 files that may come from anywhere.
//
// Every dataset and attribute that is read has a rule: what it holds, its rank and its sizes.  One reader opens it,
// refuses whatever differs, and reads exactly as many numbers as the caller made room for.  Nothing is allocated from
// a size that the file itself cannot hold.  Links to other files, data kept in other files and types of other classes
// are refused.
#ifndef LMB_H5_READ_H
#define LMB_H5_READ_H

#include "io/h5.h"

typedef enum lmb_h5_kind {
    LMB_H5_REAL,    // double
    LMB_H5_SINGLE,  // float
    LMB_H5_INT,     // int32_t
    LMB_H5_COUNTER, // uint64_t
    LMB_H5_BYTES,   // unsigned char
    LMB_H5_STRING,  // UTF-8 of a fixed size
} lmb_h5_kind;

#define LMB_H5_ANY UINT64_MAX // a size that the file decides

enum {
    LMB_H5_MAX_RANK = 4,
    LMB_H5_MAX_NAME = 1 << 16,  // bytes of a name in a list
    LMB_H5_MAX_LINKS = 1 << 20, // objects in a group
};

typedef struct lmb_h5_rule {
    lmb_h5_kind kind;
    int rank; // 0: a single value, also as a list of one
    uint64_t size[LMB_H5_MAX_RANK];
} lmb_h5_rule;

typedef struct lmb_h5_set { // a dataset that follows its rule
    hid_t id, space;
    lmb_h5_rule rule; // with the sizes that were found
    size_t width;     // bytes of an element in memory; of a string without a final zero
    size_t stored;    // the same in the file
} lmb_h5_set;

// Opens a dataset; false: it breaks the rule, and the reason names it.  Close it in any case.
bool lmb_h5_open(lmb_h5_set *out, lmb_h5 *h, hid_t place, const char *name, const lmb_h5_rule *rule);
void lmb_h5_close_set(lmb_h5_set *s);
// Whether there is an object of that name in a group of the same file.
bool lmb_h5_has(hid_t place, const char *name);
hid_t lmb_h5_group(lmb_h5 *h, hid_t place, const char *name);

// Whether the file can hold so many of its rows: to be asked before memory is taken for them.
bool lmb_h5_holds(lmb_h5 *h, const lmb_h5_set *s, const char *name, uint64_t rows);
uint64_t lmb_h5_elements(const lmb_h5_rule *rule);
// Rows [first, first + count) of its first dimension, or all of it.  No strings.
bool lmb_h5_read_rows(void *out, lmb_h5 *h, const lmb_h5_set *s, uint64_t first, uint64_t count);
bool lmb_h5_read(void *out, lmb_h5 *h, const lmb_h5_set *s);
// All of it in memory for lmb_free; the sizes found (may be NULL).  NULL: see the reason.
void *lmb_h5_take(lmb_h5 *h, uint64_t *size, hid_t place, const char *name, const lmb_h5_rule *rule);
// A list of `count` names (LMB_H5_ANY: as many as there are) as one block for lmb_free; NULL: see the reason.
char **lmb_h5_names(lmb_h5 *h, int *found, hid_t place, const char *name, uint64_t count);
// A single text for lmb_free; NULL: see the reason.
char *lmb_h5_take_text(lmb_h5 *h, hid_t place, const char *name);

// Attributes of one value.
bool lmb_h5_has_attribute(hid_t place, const char *name);
bool lmb_h5_read_int(int *out, lmb_h5 *h, hid_t place, const char *name);
char *lmb_h5_take_attribute(lmb_h5 *h, hid_t place, const char *name); // a text for lmb_free

// Number of objects in a group; -1: more than LMB_H5_MAX_LINKS.
long lmb_h5_link_count(hid_t group);
// The name of object i in the order of names or of creation, at most size - 1 bytes; false: longer, or none.
bool lmb_h5_link_name(char *out, size_t size, hid_t group, H5_index_t order, long i);

#endif
