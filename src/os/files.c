// os/files.c: opening files and folders.
#include "os/files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int lmb_file_open(const char *path, lmb_file_use use) {
    static const int flags[] = {
        [LMB_FILE_LOOK] = O_RDONLY | O_NONBLOCK,
        [LMB_FILE_OWN] = O_RDONLY | O_NONBLOCK | O_NOFOLLOW,
        [LMB_FILE_READ] = O_RDONLY,
        [LMB_FILE_CHANGE] = O_RDWR,
        [LMB_FILE_NEW] = O_WRONLY | O_CREAT | O_EXCL,
    };
    return open(path, flags[use] | O_CLOEXEC, 0600);
}

FILE *lmb_file_stream(const char *path) { return fopen(path, "re"); }

FILE *lmb_scratch_file(void) { return tmpfile(); }

static bool tell(lmb_file_about *out, int failed, const struct stat *s) {
    *out = (lmb_file_about){0};
    if (failed) return false;
    *out = (lmb_file_about){
        .regular = S_ISREG(s->st_mode),
        .folder = S_ISDIR(s->st_mode),
        .is_private = s->st_uid == geteuid() && (s->st_mode & (S_IWGRP | S_IWOTH)) == 0,
        .device = s->st_dev,
        .inode = s->st_ino,
        .bytes = s->st_size,
        .changed = s->st_mtim,
    };
    return true;
}

bool lmb_file_look(lmb_file_about *out, int fd) {
    struct stat s;
    return tell(out, fstat(fd, &s), &s);
}

bool lmb_path_look(lmb_file_about *out, const char *path) {
    struct stat s;
    return tell(out, stat(path, &s), &s);
}

bool lmb_path_look_own(lmb_file_about *out, const char *path) {
    struct stat s;
    return tell(out, lstat(path, &s), &s);
}

bool lmb_entry_look(lmb_file_about *out, DIR *folder, const char *name) {
    struct stat s;
    return tell(out, fstatat(dirfd(folder), name, &s, AT_SYMLINK_NOFOLLOW), &s);
}

bool lmb_file_is_there(const char *path) { return access(path, F_OK) == 0; }
bool lmb_file_is_readable(const char *path) { return access(path, R_OK) == 0; }

bool lmb_file_link(const char *path, const char *link) {
    char full[PATH_MAX];
    return realpath(path, full) && symlink(full, link) == 0;
}

void lmb_file_touch(const char *path) { utimensat(AT_FDCWD, path, NULL, 0); }
bool lmb_file_remove(const char *path) { return unlink(path) == 0; }
bool lmb_file_rename(const char *path, const char *to) { return rename(path, to) == 0; }
bool lmb_entry_remove(DIR *folder, const char *name) { return unlinkat(dirfd(folder), name, 0) == 0; }

double lmb_file_data(int fd, double enough) {
    off_t here = lseek(fd, 0, SEEK_CUR), end = lseek(fd, 0, SEEK_END), hole = 0, data;
    double sum = 0;
    while (sum < enough && hole < end && (data = lseek(fd, hole, SEEK_DATA)) >= 0) {
        hole = lseek(fd, data, SEEK_HOLE);
        if (hole < 0) hole = end;
        sum += (double)(hole - data);
    }
    bool known = here >= 0 && end >= 0 && lseek(fd, here, SEEK_SET) == here;
    // ENXIO: a hole up to the end; others: the system does not tell holes
    if (known && sum < enough && hole < end && errno != ENXIO) sum = (double)end;
    return known ? sum : -1;
}

bool lmb_path_is_inside(const char *name) {
    if (*name == '/' || strchr(name, '\\') || strchr(name, ':')) return false;
    for (const char *p = name; p; p = strchr(p, '/')) {
        p += *p == '/';
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0')) return false;
    }
    return true;
}

char *lmb_path_complete(const char *path) {
    char whole[PATH_MAX];
    return realpath(path, whole) ? lmb_strdup(whole) : NULL;
}

DIR *lmb_folder_open(const char *path) { return opendir(path); }

void lmb_folder_make(char *path) {
    for (char *p = path + 1; *p; p++)
        if (*p == '/') *p = '\0', mkdir(path, 0700), *p = '/';
    mkdir(path, 0700);
}

lmb_status lmb_scratch_folder(char *out, size_t size, lmb_error *err) {
    const char *given = getenv("TMPDIR"), *base = given && *given ? given : "/tmp";
    int n = snprintf(out, size, "%s/limber-XXXXXX", base);
    if (n > 0 && (size_t)n < size && mkdtemp(out)) return LMB_OK;
    out[0] = '\0';
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot create a temporary folder in %s; set TMPDIR",
                    base);
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at) {
    (void)s, (void)kind, (void)at;
    return remove(path);
}

void lmb_folder_remove(const char *path) { nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS); }
