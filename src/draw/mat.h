// draw/mat.h: files of MATLAB, level 5 ("MAT-File Format", The MathWorks): a header of 128 bytes, then elements (type, bytes, data, filled
// up to 8), each a matrix of elements: flags, sizes, name, data.  All return false without memory.
#ifndef LMB_DRAW_MAT_H
#define LMB_DRAW_MAT_H

#include <limber/limber.h>

#include "core/core.h"

enum { LMB_MAT_NAME = 63 }; // letters of a name, at most

// ---- bytes, little-endian ----------------------------------------------------------------------

bool lmb_put(lmb_text *out, const void *bytes, size_t size); // NULL: zeros
bool lmb_put_word(lmb_text *out, uint32_t x);
bool lmb_put_number(lmb_text *out, double x);
// Code points of UTF-8, how many; what is none counts as one each.  out NULL: only counted.
size_t lmb_utf8_decode(uint32_t *out, const char *text);

// ---- matrices ----------------------------------------------------------------------------------

bool lmb_mat_header(lmb_text *out, const char *what);
// A matrix of numbers; they follow, column by column, by lmb_put_number.
bool lmb_mat_numbers_head(lmb_text *out, const char *name, size_t rows, size_t columns);
bool lmb_mat_text(lmb_text *out, const char *name, const char *text);
bool lmb_mat_texts(lmb_text *out, const char *name, char **list, int count); // a column of cells
// One structure; fields: its matrices, without names, in the order of their names.
bool lmb_mat_struct(lmb_text *out, const char *name, const char *const *names, int count,
                    const lmb_text *fields);

// ---- results -----------------------------------------------------------------------------------

// Whether tables over time are meant: there is no state space in the analysis that was asked for, or in any.
lmb_status lmb_tables_are_meant(bool *meant, const char *results, const lmb_export_options *o,
                                lmb_error *err);
lmb_status lmb_mat_tables_write(const char *path, const char *results, const lmb_export_options *o,
                                lmb_error *err);

#endif
