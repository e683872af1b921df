// store/h5.h: shared by writer and reader of results files: layout constants and small HDF5 helpers.
//
// HDF5 prints errors unless told otherwise, and its error stack is cleared by the next call. So all calls
// go between lmb_h5_begin and lmb_h5_end: nothing is printed there, and the first failure is kept as text.
#ifndef LMB_H5_H
#define LMB_H5_H

#include "store/results.h"

#include <hdf5.h>

enum {
    LMB_H5_LAYOUT = 1,        // root attribute "layout"; a reader refuses larger ones
    LMB_H5_STATUS = 32,       // bytes of a group's status,
    LMB_H5_TEXT = 1024,       // of its text,
    LMB_H5_EVENT = 256,       // of the text of an event: fixed, they are overwritten in place
    LMB_H5_CHUNK = 64 * 1024, // bytes of a chunk, about
};

typedef struct lmb_h5 {
    char reason[200]; // of the first failure since begin, "" if none
    bool damaged;     // a file could not be read: HDF5 loses memory then and would complain of it at exit
    H5E_auto2_t saved;
    void *saved_data;
} lmb_h5;

void lmb_h5_begin(lmb_h5 *h);
void lmb_h5_end(lmb_h5 *h);
// Keeps a reason of our own (such as "out of memory") unless there is one; returns false.
bool lmb_h5_reason(lmb_h5 *h, const char *reason);
// "cannot <verb> '<path>': <reason>"
lmb_status lmb_h5_fail(lmb_error *err, const lmb_h5 *h, const char *verb, const char *path);

void lmb_h5_drop(hid_t id); // releases an id of any kind; takes invalid ones
// Closes a file after writing. If that fails (disk full) the file stays as a kill would have left it: HDF5 would
// crash at exit after a failed close, so its remaining output is diverted.
bool lmb_h5_close(hid_t file);
hid_t lmb_h5_string(size_t size); // a type: UTF-8, fixed size, padded with zeros

// An attribute of one value; a text, NULL: none.
bool lmb_h5_attribute(hid_t place, const char *name, hid_t type, const void *value);
bool lmb_h5_text(hid_t place, const char *name, const char *text);

typedef enum lmb_h5_marks { // what to do with the marks a killed writer left in the file
    LMB_H5_HEED,            // do not open
    LMB_H5_IGNORE,          // ignore them
    LMB_H5_REPAIR,          // and also that the file may end before the space it allocated
} lmb_h5_marks;
hid_t lmb_h5_access(lmb_h5_marks marks); // file access properties for all our files
// HDF5 opens files by itself, and only here; negative: it could not.
hid_t lmb_h5_open_file(const char *path, unsigned mode, lmb_h5_marks marks);
// Before HDF5 opens a file: clear messages if it is missing, no HDF5 file (which should be a `kind`, "study") or truncated.
lmb_status lmb_h5_check_file(const char *path, const char *kind, lmb_error *err);
lmb_status lmb_h5_foreign(lmb_error *err, const char *path, const char *kind); // "'<path>' is not a <kind>"
hid_t lmb_h5_create_file(const char *path, hid_t creation, hid_t access);

// n texts of `size` bytes side by side as pointers and texts in one block for lmb_free; NULL: no memory.
char **lmb_h5_block(const char *flat, size_t n, size_t size);

// Bytes of a checkpoint slot of group g, header included; -1: none.
long lmb_reader_slot_size(lmb_reader *r, int g);
// The HDF5 handles of a reader, for code that reads further objects of its file; borrowed.
typedef struct lmb_h5_file {
    lmb_h5 *h5;
    hid_t file;
} lmb_h5_file;
lmb_h5_file lmb_reader_h5(lmb_reader *r);
// "'<path>' is damaged or incomplete: <reason>"; or that there is no memory
lmb_status lmb_reader_damaged(const lmb_reader *r, lmb_error *err);

#endif
