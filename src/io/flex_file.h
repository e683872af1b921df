// io/flex_file.h: flexible body data in one HDF5 file.                          docs/guide/flexible-body-file.md
//
// The file begins with a 512-byte user block, which HDF5 skips: a signature, and the size and hash of all that
// follows.  Damage is found before HDF5 sees the file.  Files of other programs may come without that block.
#ifndef LMB_FLEX_FILE_H
#define LMB_FLEX_FILE_H

#include "reduce/flex.h"

// root attribute "layout"; a reader refuses larger ones.  2: sets, balance of interfaces, sections (1 is read without them)
enum { LMB_FLEX_LAYOUT = 2 };

// Written under another name and renamed when it is complete: on failure nothing is left and an older file stays.
lmb_status lmb_flex_write_file(const char *path, const lmb_flex *f, lmb_error *err);
// Whether it may be written there: nothing, an empty file or a body file, nothing else.
lmb_status lmb_flex_check_output(const char *path, lmb_error *err);
// All sizes, numbers and indices are checked.  *out for lmb_flex_destroy.
lmb_status lmb_flex_read_file(lmb_flex **out, const char *path, lmb_error *err);
// Whether a file begins like a body file; false if it cannot be opened.
bool lmb_flex_file_is(const char *path);
// Summary of the contents, for people; false: no memory.
bool lmb_flex_describe(lmb_text *out, const lmb_flex *f);

#endif
