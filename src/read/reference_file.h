// read/reference_file.h: tables of numbers over time from other programs.
#ifndef LMB_IO_REFERENCE_FILE_H
#define LMB_IO_REFERENCE_FILE_H

#include "expr/expr.h"

typedef struct lmb_reference_table {
    int count;
    double *time, *value;
} lmb_reference_table;

typedef struct lmb_reference_columns {
    int time, value, skip_lines; // columns from 0
} lmb_reference_columns;

// Two columns of a file with numbers between commas, semicolons, tabs or blanks.  Comments (#, %, !) and
// headings before the first numbers are left out, a heading after them ends the table.  *found false: there
// is no such file.
lmb_status lmb_reference_read(lmb_reference_table *out, bool *found, const char *path,
                              lmb_reference_columns c, lmb_error *err);
void lmb_reference_free(lmb_reference_table *t);

// Two columns of such a file by the names in its heading, without units ("force [N]"); NULL: the first, the second.  x must increase.
// *out: to be freed with lmb_knots_free.
lmb_status lmb_columns_read(lmb_knots *out, const char *path, const char *x, const char *y, lmb_error *err);
// Column k of the heading, without its unit; *name empty: there are no more.
enum { LMB_COLUMN_NAME = 128 };
lmb_status lmb_columns_name(char name[LMB_COLUMN_NAME], const char *path, int k, lmb_error *err);

#endif
