// os/outfile.h: files that appear complete or not at all: written under a name beside the path that nobody can guess,
// then renamed.  What is there already is replaced only if it is a plain file, and never one that is being read.
#ifndef LMB_IO_OUTFILE_H
#define LMB_IO_OUTFILE_H

#include "core/core.h"

#include <stdio.h>

// The writer of a file holds a lock on it that ends with its process, however it ends.
bool lmb_writer_lock(int fd); // false: another writer has it
bool lmb_writer_active(const char *path);

// Refuses, by name, what must not be written over: a device, a link, a folder, and `input` (may be NULL).
lmb_status lmb_output_check(const char *path, const char *input, lmb_error *err);
// A new empty file beside path; *fd is open for reading and writing, *part its name for lmb_free.
lmb_status lmb_output_begin(char **part, int *fd, const char *path, lmb_error *err);
// Removes what killed programs left of outputs at path, and of those whose names begin like it (STEM_0001.vtu): whoever writes
// holds the lock of its part.  Once for a command: it looks through the folder.
void lmb_output_sweep(const char *path);
// Closes fd, unless it is -1, and gives the file its name.  On failure it is removed; on both ways *part is released.
lmb_status lmb_output_end(char **part, int fd, const char *path, lmb_status status, lmb_error *err);
// "cannot write '<path>': <reason>", or that its folder does not exist
lmb_status lmb_output_fail(lmb_error *err, const char *path, int number);

typedef struct lmb_outfile {
    FILE *f; // write to it; errors are checked on close
    const char *path;
    char *part;
} lmb_outfile;

// path is borrowed; input: the file that is read meanwhile, may be NULL. After LMB_OK end with lmb_outfile_close.
lmb_status lmb_outfile_open(lmb_outfile *o, const char *path, const char *input, lmb_error *err);
// status: of what was written; unless it is LMB_OK, and nothing failed meanwhile, no file appears.
lmb_status lmb_outfile_close(lmb_outfile *o, lmb_status status, lmb_error *err);

#endif
