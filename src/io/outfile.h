// io/outfile.h: files that appear complete or not at all: written as path + ".part", then renamed.
#ifndef LMB_IO_OUTFILE_H
#define LMB_IO_OUTFILE_H

#include "core/core.h"

#include <stdio.h>

typedef struct lmb_outfile {
    FILE *f; // write to it; errors are checked on close
    const char *path;
    char *part;
} lmb_outfile;

// path is borrowed. After LMB_OK end with lmb_outfile_close.
lmb_status lmb_outfile_open(lmb_outfile *o, const char *path, lmb_error *err);
// status: result of the caller's writing; the file appears only if it is LMB_OK and no write failed.
lmb_status lmb_outfile_close(lmb_outfile *o, lmb_status status, lmb_error *err);

#endif
