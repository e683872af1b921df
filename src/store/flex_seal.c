// store/flex_seal.c: the block at the start of body files.
#include "store/flex_seal.h"

#include "os/files.h"
#include "store/flex_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char magic[] = "limber body 1\n"; // the first 12 bytes in every version

// hash and size of everything after the block; false: see errno
static bool hash_rest(uint64_t *hash, long long *size, int fd) {
    enum { PIECE = 64 * 1024 };
    char *piece = lmb_alloc(PIECE, 1);
    ssize_t n = -1;
    *hash = LMB_HASH_START, *size = 0;
    errno = ENOMEM;
    while (piece && (n = pread(fd, piece, PIECE, LMB_SEAL + *size)) > 0)
        *hash = lmb_hash(*hash, piece, (size_t)n), *size += n;
    lmb_free(piece);
    return n == 0;
}

static bool make_block(char block[LMB_SEAL], int fd) {
    uint64_t hash;
    long long size;
    memset(block, 0, LMB_SEAL);
    if (!hash_rest(&hash, &size, fd)) return false;
    snprintf(block, LMB_SEAL, "%ssize %lld\nhash %016llx\n", magic, size, (unsigned long long)hash);
    return true;
}

bool lmb_flex_seal(int fd) {
    char block[LMB_SEAL];
    return make_block(block, fd) && pwrite(fd, block, LMB_SEAL, 0) == LMB_SEAL && fsync(fd) == 0;
}

static bool begins(const char *block, ssize_t n, const char *text, size_t size) {
    return n >= (ssize_t)size && memcmp(block, text, size) == 0;
}

bool lmb_flex_is_h5(const char *path) {
    char start[12];
    int fd = lmb_file_open(path, LMB_FILE_LOOK);
    if (fd < 0) return false;
    bool ours = begins(start, read(fd, start, sizeof start), magic, sizeof start);
    close(fd);
    return ours;
}

lmb_status lmb_flex_check_seal(const char *path, lmb_error *err) {
    char block[LMB_SEAL], right[LMB_SEAL];
    lmb_file_about about;
    int fd = lmb_file_open(path, LMB_FILE_LOOK);
    if (fd < 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot open '%.400s': %s", path, strerror(errno));
    bool regular = lmb_file_look(&about, fd) && about.regular;
    ssize_t n = regular ? pread(fd, block, LMB_SEAL, 0) : 0;
    bool ours = begins(block, n, magic, 12), known = begins(block, n, magic, strlen(magic));
    bool good = known && n == LMB_SEAL && make_block(right, fd) && memcmp(block, right, LMB_SEAL) == 0;
    close(fd);
    if (good || begins(block, n, "\x89HDF\r\n\x1a\n", 8)) return LMB_OK;
    if (!ours) return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is not a limber body file", path);
    if (!known && n == LMB_SEAL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%.400s' was written by a newer version of limber; use that version", path);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s' is damaged: checksum mismatch; run limber reduce again", path);
}
