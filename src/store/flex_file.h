// store/flex_file.h: flexible body data in one HDF5 file.                          docs/guide/flexible-body-file.md
//
// The file begins with a 512-byte user block, which HDF5 skips: a signature, and the size and hash of all that
// follows.  Damage is found before HDF5 sees the file.  Files of other programs may come without that block.
#ifndef LMB_FLEX_FILE_H
#define LMB_FLEX_FILE_H

#include "core/format.h"
#include "reduce/flex.h"

#include <limber/files.h>

// root attribute "layout"; a reader refuses larger ones.  2: sets, compliance of interfaces, sections; 3: damping ratios;
// 4: second-order displacement; 5: markers on solids are carried; 6: residual fields; 7: materials of places with
// stress (older ones are read without them)
enum { LMB_FLEX_LAYOUT = 7 };

// Formats of flexible bodies (LMB_BODY_FORMATS of reduce/flex.h).  A new one is a file in this folder with lmb_flex_is_ID
// and lmb_flex_read_ID, and a line there.
typedef struct lmb_body_format {
    const char *name, *endings;
    bool (*is)(const char *path); // whether a file begins like this; false if it cannot be opened
    lmb_status (*read)(lmb_flex **out, const char *path, lmb_error *err);
} lmb_body_format;

#define LMB_BODY_DECLARE(id, name, endings)  \
    bool lmb_flex_is_##id(const char *path); \
    lmb_status lmb_flex_read_##id(lmb_flex **out, const char *path, lmb_error *err);
LMB_BODY_FORMATS(LMB_BODY_DECLARE)

// Any of them, by its contents or by the ending of its name.  *out for lmb_flex_destroy.
lmb_status lmb_flex_read_file(lmb_flex **out, const char *path, lmb_error *err);
bool lmb_flex_file_is(const char *path); // by its contents

// ---- HDF5: all sizes, numbers and indices are checked --------------------------------------------

// Written under another name and renamed when it is complete: on failure nothing is left and an older file stays.
lmb_status lmb_flex_write_file(const char *path, const lmb_flex *f, lmb_error *err);
// Whether it may be written there: nothing, an empty file or a body file, nothing else.
lmb_status lmb_flex_check_output(const char *path, lmb_error *err);
// All arrays of the file, as lmb_body_file_array gives them; those that gather numbers of lists are made in the arena.  false: no memory.
bool lmb_flex_arrays(lmb_body_array **out, int *count, lmb_arena *arena, const lmb_flex *f);
// Standard Input Data with impossible or contradictory inertia completed; told: what was changed.
lmb_status lmb_sid_read_completed(lmb_flex **out, lmb_text *told, const char *path, lmb_error *err);
// Summary of a file of Standard Input Data: identities between its arrays, and the body, or why it cannot be used.
lmb_status lmb_sid_describe(lmb_text *out, const char *path, lmb_error *err);
// Summary of the contents, for people; false: no memory.
bool lmb_flex_describe(lmb_text *out, const lmb_flex *f);

#endif
