// io/bytes.c: the bytes of a file, packed or not.
#include "io/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *lmb_path_suffix(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

bool lmb_path_is_packed(const char *path) { return strcasecmp(lmb_path_suffix(path), ".gz") == 0; }

// a file, and how messages refer to it
typedef struct source {
    const char *path;
    lmb_where where;
    lmb_error *err;
} source;

static lmb_status fail_why(const source *s, const char *why) {
    return lmb_fail(s->err, LMB_ERR_INPUT, s->where, "cannot read '%s': %s", s->path, why);
}

static lmb_status fail_number(const source *s, int number) {
    if (number == ENOMEM) return lmb_fail_memory(s->err);
    if (number == EFBIG) return fail_why(s, "file larger than 4 GB; use a coarser mesh or a binary format");
    if (number == ENOENT || number == ENOTDIR)
        return fail_why(s, "no such file; check the name and the folder");
    if (number == EACCES) return fail_why(s, "permission denied");
    return lmb_fail(s->err, LMB_ERR_SYSTEM, s->where, "cannot read '%s': %s", s->path, strerror(number));
}

// reads fd to its end (the size may change meanwhile); 0, or an errno
static int read_all(lmb_text *out, int fd) {
    enum { PIECE = 1 << 20 };
    const size_t most = (size_t)4 << 30;
    char *piece = lmb_alloc(PIECE, 1);
    if (piece == NULL || !lmb_text_add_n(out, "", 0)) return lmb_free(piece), ENOMEM;
    ssize_t n;
    int number = 0;
    while (number == 0 && ((n = read(fd, piece, PIECE)) > 0 || (n < 0 && errno == EINTR))) {
        if (n > 0 && !lmb_text_add_n(out, piece, (size_t)n)) number = ENOMEM;
        if (out->length > most) number = EFBIG;
    }
    if (number == 0 && n < 0) number = errno;
    lmb_free(piece);
    return number;
}

// opens a regular file; -1: err is set
static int open_ordinary(const source *s) {
    struct stat about;
    int fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fail_number(s, errno), -1;
    if (fstat(fd, &about) != 0) fail_number(s, errno);
    else if (S_ISDIR(about.st_mode)) fail_why(s, "is a folder; name a file in it");
    else if (!S_ISREG(about.st_mode)) fail_why(s, "not a regular file");
    else return fd;
    close(fd);
    return -1;
}

// gzip, from our file into a pipe
static int start_gzip(pid_t *pid, int *from, int file) {
    char *const arguments[] = {"gzip", "-dc", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    int code = posix_spawn_file_actions_init(&actions);
    if (code == 0) {
        code = posix_spawn_file_actions_adddup2(&actions, file, 0);
        if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        if (code == 0) code = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
        if (code == 0) code = posix_spawnp(pid, "gzip", &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    if (code != 0) close(ends[0]);
    *from = ends[0];
    return code;
}

static lmb_status unpack(lmb_text *out, int fd, const source *s) {
    pid_t pid;
    int from = -1, status = 0, number = start_gzip(&pid, &from, fd);
    if (number)
        return lmb_fail(s->err, LMB_ERR_SYSTEM, s->where, "cannot start gzip to read '%s': %s", s->path,
                        strerror(number));
    number = read_all(out, from);
    close(from);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (number) return fail_number(s, number);
    if (status != 0)
        return lmb_fail(s->err, LMB_ERR_INPUT, s->where, "'%s' is not a complete gzip file", s->path);
    return LMB_OK;
}

lmb_status lmb_file_load(lmb_text *out, const char *path, lmb_where where, lmb_error *err) {
    lmb_error own = {0};
    const source s = {path, where, err ? err : &own};
    int fd = open_ordinary(&s), number = 0;
    if (fd < 0) return s.err->code;
    lmb_status st = LMB_OK;
    if (lmb_path_is_packed(path)) st = unpack(out, fd, &s);
    else number = read_all(out, fd);
    close(fd);
    return number ? fail_number(&s, number) : st;
}
