// os/files.h: opening files and folders: nothing else in the library does (HDF5 opens its own, store/h5.h).
#ifndef LMB_OS_FILES_H
#define LMB_OS_FILES_H

#include "core/core.h"

#include <dirent.h>
#include <stdio.h>

typedef enum lmb_file_use {
    LMB_FILE_LOOK,   // reading, without waiting: of a pipe there is nothing to read
    LMB_FILE_OWN,    // the same, not through a link
    LMB_FILE_READ,   // reading, also from a pipe
    LMB_FILE_CHANGE, // reading and writing a file that is there
    LMB_FILE_NEW,    // writing a file that is not there, for this user alone
} lmb_file_use;

// A descriptor that other programs do not inherit; -1: see errno.
int lmb_file_open(const char *path, lmb_file_use use);
// For reading; NULL: see errno.
FILE *lmb_file_stream(const char *path);
// A file without a name that goes when it is closed; NULL: see errno.
FILE *lmb_scratch_file(void);

// How many bytes of an open file are data, not holes, counted up to `enough`; -1: see errno.
double lmb_file_data(int fd, double enough);

DIR *lmb_folder_open(const char *path); // NULL: see errno
void lmb_folder_make(char *path); // with those above it, for this user alone; path is changed on the way
// A new folder in TMPDIR or /tmp, for this user alone.
lmb_status lmb_scratch_folder(char *out, size_t size, lmb_error *err);
void lmb_folder_remove(const char *path); // with all that is in it

#endif
