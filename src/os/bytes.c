// os/bytes.c: the bytes of a file, packed or not.
#include "os/bytes.h"

#include "os/files.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const size_t MOST = (size_t)4 << 30; // bytes

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
    char *piece = lmb_alloc(PIECE, 1);
    if (piece == NULL || !lmb_text_add_n(out, "", 0)) return lmb_free(piece), ENOMEM;
    ssize_t n;
    int number = 0;
    while (number == 0 && ((n = read(fd, piece, PIECE)) > 0 || (n < 0 && errno == EINTR))) {
        if (n > 0 && !lmb_text_add_n(out, piece, (size_t)n)) number = ENOMEM;
        if (out->length > MOST) number = EFBIG;
    }
    if (number == 0 && n < 0) number = errno;
    lmb_free(piece);
    return number;
}

// opens a regular file; -1: err is set
static int open_ordinary(const source *s) {
    struct stat about;
    int fd = lmb_file_open(s->path, LMB_FILE_LOOK);
    if (fd < 0) return fail_number(s, errno), -1;
    if (fstat(fd, &about) != 0) fail_number(s, errno);
    else if (S_ISDIR(about.st_mode)) fail_why(s, "is a folder; name a file in it");
    else if (!S_ISREG(about.st_mode)) fail_why(s, "not a regular file");
    else return fd;
    close(fd);
    return -1;
}

void *lmb_zlib_alloc(void *user, unsigned count, unsigned size) {
    (void)user;
    return lmb_alloc(count, size);
}

void lmb_zlib_free(void *user, void *p) {
    (void)user;
    lmb_free(p);
}

// one piece of packed bytes; a file may hold several members, one after the other
static int inflate_piece(lmb_text *out, z_stream *z, bool *ended) {
    enum { PIECE = 1 << 16 };
    char piece[PIECE];
    while (z->avail_in > 0) {
        if (*ended && inflateReset(z) != Z_OK) return ENOMEM;
        z->next_out = (unsigned char *)piece, z->avail_out = PIECE;
        int answer = inflate(z, Z_NO_FLUSH);
        *ended = answer == Z_STREAM_END;
        if (answer == Z_MEM_ERROR || !lmb_text_add_n(out, piece, PIECE - z->avail_out)) return ENOMEM;
        if (answer != Z_OK && answer != Z_STREAM_END) return EILSEQ;
        if (out->length > MOST) return EFBIG;
    }
    return 0;
}

static lmb_status unpack(lmb_text *out, int fd, const source *s) {
    lmb_text packed = {0};
    z_stream z = {.zalloc = lmb_zlib_alloc, .zfree = lmb_zlib_free};
    bool ended = false;
    int number = read_all(&packed, fd);
    if (number == 0 && (inflateInit2(&z, 15 + 16) != Z_OK || !lmb_text_add_n(out, "", 0))) number = ENOMEM;
    for (size_t at = 0, n; number == 0 && at < packed.length; at += n) {
        n = packed.length - at < UINT_MAX ? packed.length - at : UINT_MAX;
        z.next_in = (unsigned char *)packed.text + at, z.avail_in = (unsigned)n;
        number = inflate_piece(out, &z, &ended);
    }
    inflateEnd(&z);
    lmb_text_free(&packed);
    if (number == EILSEQ || (number == 0 && !ended))
        return lmb_fail(s->err, LMB_ERR_INPUT, s->where, "'%s' is not a complete gzip file", s->path);
    return number ? fail_number(s, number) : LMB_OK;
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

lmb_status lmb_file_hash(lmb_sha256 *h, const char *path, lmb_error *err) {
    lmb_text text = {0};
    lmb_error own = {0};
    const source s = {path, LMB_NOWHERE, err ? err : &own};
    int fd = open_ordinary(&s);
    if (fd < 0) return s.err->code;
    int number = read_all(&text, fd);
    close(fd);
    if (number == 0) lmb_sha256_add(h, text.text, text.length);
    lmb_text_free(&text);
    return number ? fail_number(&s, number) : LMB_OK;
}
