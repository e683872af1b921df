// os/outfile.c: files that appear complete or not at all.
#include "os/outfile.h"

#include "os/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

lmb_status lmb_output_fail(lmb_error *err, const char *path, int number) {
    char folder[300] = "";
    const char *slash = strrchr(path, '/');
    if (slash && slash > path && (size_t)(slash - path) < sizeof folder)
        memcpy(folder, path, (size_t)(slash - path));
    if (number == ENOENT && folder[0] && access(folder, F_OK) != 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "the folder '%s' does not exist; create it with mkdir -p %s", folder, folder);
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot write '%.400s': %s", path,
                    strerror(number ? number : EIO));
}

// what stands at a path that is no plain file; NULL: nothing does
static const char *obstacle(mode_t mode) {
    if (S_ISREG(mode)) return NULL;
    if (S_ISLNK(mode)) return "a symbolic link";
    if (S_ISDIR(mode)) return "a directory";
    return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "a pipe or socket";
}

lmb_status lmb_output_check(const char *path, const char *input, lmb_error *err) {
    struct stat there, read;
    if (lstat(path, &there) != 0) return LMB_OK; // where it cannot be made we learn why
    const char *what = obstacle(there.st_mode);
    if (what)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "cannot write '%.400s': it is %s; give the name of a file", path, what);
    if (input && stat(input, &read) == 0 && read.st_dev == there.st_dev && read.st_ino == there.st_ino)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%.400s' is an input of this command; write to another file", path);
    return LMB_OK;
}

// ---- one writer a file -------------------------------------------------------------------------

// one byte, locked for the open file, not for the process: HDF5 opens and closes the file beside us
#ifdef F_OFD_SETLK
static struct flock writer_byte(short type) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = 1 << 30, .l_len = 1};
}

static int set_lock(int fd) {
    struct flock lock = writer_byte(F_WRLCK);
    return fcntl(fd, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

bool lmb_writer_lock(int fd) {
    int why = set_lock(fd);
    return why != EAGAIN && why != EACCES;
}

bool lmb_writer_active(const char *path) {
    int fd = lmb_file_open(path, LMB_FILE_LOOK);
    if (fd < 0) return false;
    struct flock lock = writer_byte(F_RDLCK);
    bool held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return held;
}
#else // no such locks here: two writers of one file are not noticed
static int set_lock(int fd) { return (void)fd, ENOLCK; }
bool lmb_writer_lock(int fd) { return fd >= 0; }
bool lmb_writer_active(const char *path) { return path == NULL; }
#endif

// ---- files that appear complete ------------------------------------------------------------------

static bool has_name(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && about.st_nlink > 0;
}

// path.3f9a0c52e81b77d4.part
static bool name_part(lmb_text *out, const char *path) {
    uint64_t random = 0;
    lmb_text_free(out);
    if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random) return false;
    if (lmb_text_add(out, "%s.%016llx.part", path, (unsigned long long)random)) return true;
    errno = ENOMEM;
    return false;
}

lmb_status lmb_output_begin(char **part, int *fd, const char *path, lmb_error *err) {
    lmb_text name = {0};
    *part = NULL;
    *fd = -1;
    for (int k = 0; k < 100 && *fd < 0; k++) {
        if (!name_part(&name, path)) break;
        *fd = open(name.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*fd < 0 && errno != EEXIST) break;
        if (*fd >= 0 && !(lmb_writer_lock(*fd) && has_name(*fd))) close(*fd), *fd = -1; // swept by another
    }
    if (*fd >= 0) return *part = name.text, LMB_OK;
    int number = errno;
    lmb_text_free(&name);
    return number == ENOMEM ? lmb_fail_memory(err) : lmb_output_fail(err, path, number);
}

// STEM.(..).3f9a0c52e81b77d4.part
static bool is_part(const char *name, const char *stem, size_t length) {
    size_t n = strlen(name), tail = strlen(".3f9a0c52e81b77d4.part");
    if (n < length + tail || strncmp(name, stem, length) != 0 || strcmp(name + n - 5, ".part") != 0)
        return false;
    const char *digits = name + n - tail;
    return digits[0] == '.' && strspn(digits + 1, "0123456789abcdef") == 16;
}

// removes a part of ours that nobody holds; on file systems without locks all are held
static void remove_part(int folder, const char *name) {
    struct stat about;
    int fd = openat(folder, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() && set_lock(fd) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

void lmb_output_sweep(const char *path) {
    lmb_text folder = {0};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    bool ok =
        slash ? lmb_text_add(&folder, "%.*s", (int)(slash - path) + 1, path) : lmb_text_add(&folder, ".");
    DIR *d = ok && length > 0 ? lmb_folder_open(folder.text) : NULL;
    for (struct dirent *e; d && (e = readdir(d));)
        if (is_part(e->d_name, name, length)) remove_part(dirfd(d), e->d_name);
    if (d) closedir(d);
    lmb_text_free(&folder);
}

lmb_status lmb_output_end(char **part, int fd, const char *path, lmb_status status, lmb_error *err) {
    int lock = fd >= 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1; // until it has its name
    if (fd >= 0 && close(fd) != 0 && status == LMB_OK) status = lmb_output_fail(err, path, errno);
    if (status == LMB_OK) status = lmb_output_check(path, NULL, err);
    if (status == LMB_OK && rename(*part, path) != 0) status = lmb_output_fail(err, path, errno);
    if (status != LMB_OK) unlink(*part);
    if (lock >= 0) close(lock);
    lmb_free(*part);
    *part = NULL;
    return status;
}

lmb_status lmb_outfile_open(lmb_outfile *o, const char *path, const char *input, lmb_error *err) {
    int fd = -1;
    *o = (lmb_outfile){.path = path};
    lmb_status st = lmb_output_check(path, input, err);
    if (st == LMB_OK) st = lmb_output_begin(&o->part, &fd, path, err);
    if (st != LMB_OK) return st;
    o->f = fdopen(fd, "wb");
    if (o->f) return LMB_OK;
    return lmb_output_end(&o->part, fd, path, lmb_fail_memory(err), err);
}

lmb_status lmb_outfile_close(lmb_outfile *o, lmb_status status, lmb_error *err) {
    errno = 0;
    bool written = fflush(o->f) == 0 && !ferror(o->f);
    int why = errno, lock = fcntl(fileno(o->f), F_DUPFD_CLOEXEC, 0);
    if (fclose(o->f) != 0 && written) written = false, why = errno;
    if (status == LMB_OK && !written) status = lmb_output_fail(err, o->path, why);
    status = lmb_output_end(&o->part, lock, o->path, status, err);
    *o = (lmb_outfile){0};
    return status;
}
