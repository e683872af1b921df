// store/h5.c: small HDF5 helpers of all our files.
#include "store/h5.h"

#include "os/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// ---- failures ----------------------------------------------------------------------------------

// the innermost entry of the stack is the most specific; of a system call only the system's message is kept
static herr_t keep_entry(unsigned n, const H5E_error2_t *entry, void *data) {
    lmb_h5 *h = data;
    h->damaged = h->damaged || entry->maj_num == H5E_OHDR || entry->maj_num == H5E_CACHE;
    if (n > 0 || entry->desc == NULL || h->reason[0]) return 0;
    const char *start = strstr(entry->desc, "error message = '");
    start = start ? start + strlen("error message = '") : entry->desc;
    const char *end = start == entry->desc ? NULL : strchr(start, '\'');
    int length = end ? (int)(end - start) : (int)strlen(start);
    snprintf(h->reason, sizeof h->reason, "%.*s", length, start);
    return 0;
}

static herr_t keep_failure(hid_t stack, void *data) {
    lmb_h5 *h = data;
    H5Ewalk2(stack, H5E_WALK_UPWARD, keep_entry, h);
    return 0;
}

void lmb_h5_begin(lmb_h5 *h) {
    h->reason[0] = '\0';
    H5Eget_auto2(H5E_DEFAULT, &h->saved, &h->saved_data);
    H5Eset_auto2(H5E_DEFAULT, keep_failure, h);
}

// after damage HDF5's own printer stays off: it is asked at exit whether to complain
void lmb_h5_end(lmb_h5 *h) {
    bool printer = h->saved_data == NULL; // as it comes
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, h->damaged && printer ? NULL : h->saved, h->saved_data);
}

bool lmb_h5_reason(lmb_h5 *h, const char *reason) {
    if (!h->reason[0]) snprintf(h->reason, sizeof h->reason, "%s", reason);
    return false;
}

lmb_status lmb_h5_fail(lmb_error *err, const lmb_h5 *h, const char *verb, const char *path) {
    const char *reason = h->reason[0] ? h->reason : "unknown reason";
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot %s '%.400s': %s", verb, path, reason);
}

void lmb_h5_drop(hid_t id) {
    if (id >= 0) H5Idec_ref(id);
}

// redirects HDF5's descriptor to a file in memory; false if there is no memory for it
static bool divert(hid_t file) {
    void *handle = NULL;
    haddr_t end = 0;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0 || H5Fget_eoa(file, &end) < 0) return false;
    int memory = memfd_create("limber", MFD_CLOEXEC);
    if (memory < 0) return false;
    bool ok = ftruncate(memory, (off_t)end) == 0 && dup2(memory, *(int *)handle) >= 0;
    close(memory);
    return ok;
}

bool lmb_h5_close(hid_t file) {
    if (H5Fflush(file, H5F_SCOPE_LOCAL) >= 0) return H5Fclose(file) >= 0;
    if (divert(file)) H5Fclose(file); // else it stays open until the program ends
    return false;
}

hid_t lmb_h5_string(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    if (type < 0) return type;
    bool ok = H5Tset_size(type, size > 0 ? size : 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    if (ok) return type;
    H5Tclose(type);
    return H5I_INVALID_HID;
}

// the format of HDF5 1.10 (SWMR needs it); closing the file closes its objects; no sieve: writes are direct; metadata
// that are being written are read again, waiting twice as long each time: 2^22 ns in all, not for ever
hid_t lmb_h5_access(lmb_h5_marks marks) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return access;
    bool ok = H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
              H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 && H5Pset_sieve_buf_size(access, 0) >= 0 &&
              H5Pset_metadata_read_attempts(access, 22) >= 0;
#if H5_VERSION_GE(1, 10, 7)
    ok = ok && H5Pset_file_locking(access, false, true) >= 0;
#endif
    hbool_t yes = true; // what h5clear does
    if (ok && marks != LMB_H5_HEED) ok = H5Pset(access, "clear_status_flags", &yes) >= 0;
    if (ok && marks == LMB_H5_REPAIR) ok = H5Pset(access, "skip_eof_check", &yes) >= 0;
    if (ok) return access;
    H5Pclose(access);
    return H5I_INVALID_HID;
}

// ---- what is written ---------------------------------------------------------------------------

bool lmb_h5_attribute(hid_t place, const char *name, hid_t type, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute = space < 0 ? space : H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
    lmb_h5_drop(attribute);
    lmb_h5_drop(space);
    return ok;
}

bool lmb_h5_text(hid_t place, const char *name, const char *text) {
    if (text == NULL) return true;
    hid_t type = lmb_h5_string(strlen(text));
    bool ok = type >= 0 && lmb_h5_attribute(place, name, type, text);
    lmb_h5_drop(type);
    return ok;
}

// ---- what is read ------------------------------------------------------------------------------

// n texts of a fixed size, side by side -> pointers and zero-terminated texts in one block
char **lmb_h5_block(const char *flat, size_t n, size_t size) {
    if (size > SIZE_MAX / 2) return NULL;
    char **block = lmb_alloc(n + 1, sizeof(char *) + size + 1);
    if (block == NULL) return NULL;
    char *text = (char *)(block + n + 1);
    for (size_t i = 0; i < n; i++, text += size + 1) {
        block[i] = text;
        if (size > 0) memcpy(text, flat + i * size, size);
    }
    return block;
}

hid_t lmb_h5_open_file(const char *path, unsigned mode, lmb_h5_marks marks) {
    hid_t access = lmb_h5_access(marks);
    hid_t file = access < 0 ? access : H5Fopen(path, mode, access);
    lmb_h5_drop(access);
    return file;
}

hid_t lmb_h5_create_file(const char *path, hid_t creation, hid_t access) {
    return H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
}

// ---- what is no HDF5 file of ours --------------------------------------------------------------

lmb_status lmb_h5_foreign(lmb_error *err, const char *path, const char *kind) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is not a %s", path, kind);
}

// the file is shorter than a finished file's superblock (version 2 or 3) says; HDF5 1.14 would not notice
static bool truncated(const unsigned char start[36], long long size) {
    enum { VERSION = 8, OFFSET_SIZE = 9, MARKS = 11, END = 28 };
    uint64_t end = 0;
    if ((start[VERSION] != 2 && start[VERSION] != 3) || start[OFFSET_SIZE] != 8 || start[MARKS]) return false;
    for (int i = 7; i >= 0; i--) end = end << 8 | start[END + i];
    return end > (uint64_t)size;
}

// clear messages before HDF5 opens the file: missing, no permission, a folder, another kind of file, truncated
lmb_status lmb_h5_check_file(const char *path, const char *kind, lmb_error *err) {
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    unsigned char start[36] = {0};
    lmb_file_about about;
    int fd = lmb_file_open(path, LMB_FILE_LOOK);
    if (fd < 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot open '%.400s': %s", path, strerror(errno));
    bool regular = lmb_file_look(&about, fd) && about.regular;
    bool hdf5 = regular && read(fd, start, sizeof start) >= 8 && memcmp(start, signature, 8) == 0;
    close(fd);
    if (!hdf5) return lmb_h5_foreign(err, path, kind);
    if (!truncated(start, about.bytes)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is damaged or incomplete: its end is missing",
                    path);
}
