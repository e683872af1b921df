// os/outfile.c: files that appear complete or not at all.
#include "os/outfile.h"

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
    }
    if (*fd >= 0) return *part = name.text, LMB_OK;
    int number = errno;
    lmb_text_free(&name);
    return number == ENOMEM ? lmb_fail_memory(err) : lmb_output_fail(err, path, number);
}

lmb_status lmb_output_end(char **part, const char *path, lmb_status status, lmb_error *err) {
    if (status == LMB_OK) status = lmb_output_check(path, NULL, err);
    if (status == LMB_OK && rename(*part, path) != 0) status = lmb_output_fail(err, path, errno);
    if (status != LMB_OK) unlink(*part);
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
    close(fd);
    return lmb_output_end(&o->part, path, lmb_fail_memory(err), err);
}

lmb_status lmb_outfile_close(lmb_outfile *o, lmb_status status, lmb_error *err) {
    errno = 0;
    bool written = fflush(o->f) == 0 && !ferror(o->f);
    int why = errno;
    if (fclose(o->f) != 0 && written) written = false, why = errno;
    if (status == LMB_OK && !written) status = lmb_output_fail(err, o->path, why);
    status = lmb_output_end(&o->part, o->path, status, err);
    *o = (lmb_outfile){0};
    return status;
}
