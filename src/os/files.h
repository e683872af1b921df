// os/files.h: opening files and folders: nothing else in the library does (HDF5 opens its own, store/h5.h).
#ifndef LMB_OS_FILES_H
#define LMB_OS_FILES_H

#include "core/core.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

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

// What the system says of a file.
typedef struct lmb_file_about {
    bool regular, folder;
    bool is_private;        // of this user, and nobody else may write to it
    uint64_t device, inode; // together: which file it is
    long long bytes;
    struct timespec changed;
} lmb_file_about;
// false: see errno
bool lmb_file_look(lmb_file_about *out, int fd);
bool lmb_path_look(lmb_file_about *out, const char *path);               // of what a link leads to
bool lmb_path_look_own(lmb_file_about *out, const char *path);           // of the link itself
bool lmb_entry_look(lmb_file_about *out, DIR *folder, const char *name); // likewise
bool lmb_file_is_there(const char *path);
bool lmb_file_is_readable(const char *path);

bool lmb_file_link(const char *path, const char *link); // a symbolic link to it, however path is written
void lmb_file_touch(const char *path);                  // changed now
bool lmb_file_remove(const char *path);
bool lmb_file_rename(const char *path, const char *to); // in place of what is there
bool lmb_entry_remove(DIR *folder, const char *name);

// How many bytes of an open file are data, not holes, counted up to `enough`; -1: see errno.
double lmb_file_data(int fd, double enough);

// A relative path without .. and with / between folders: beside the file that names it, or below.
bool lmb_path_is_inside(const char *name);

// The complete path of a file that is there, without links, for lmb_free; NULL: see errno.
char *lmb_path_complete(const char *path);

DIR *lmb_folder_open(const char *path); // NULL: see errno
void lmb_folder_make(char *path); // with those above it, for this user alone; path is changed on the way
// A new folder in TMPDIR or /tmp, for this user alone.
lmb_status lmb_scratch_folder(char *out, size_t size, lmb_error *err);
void lmb_folder_remove(const char *path); // with all that is in it

#endif
