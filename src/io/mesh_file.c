// io/mesh_file.c: chooses the reader of a mesh file and brings the mesh to SI.
#include "io/mesh_file.h"

#include "io/geometry.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- bytes -------------------------------------------------------------------------------------

static lmb_status fail_file(const char *path, const char *why, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "cannot read '%s': %s", path, why);
}

static lmb_status fail_errno(const char *path, int code, lmb_error *err) {
    if (code == ENOENT || code == ENOTDIR)
        return fail_file(path, "there is no such file; check the name and the folder", err);
    if (code == EACCES) return fail_file(path, "it may not be read; check its permissions", err);
    if (code == EISDIR) return fail_file(path, "it is a folder; name a file in it", err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "cannot read '%s': system error %d", path, code);
}

// the size may change while we read: what comes is counted
static lmb_status read_bytes(char **text, size_t *length, int fd, const char *path, lmb_error *err) {
    const size_t most = (size_t)4 << 30;
    size_t capacity = 0, n = 0;
    char *bytes = NULL;
    for (;;) {
        if (n + 1 >= capacity) {
            capacity = capacity > 0 ? 2 * capacity : 65536;
            char *larger = lmb_realloc(bytes, capacity, 1);
            if (larger == NULL) return lmb_free(bytes), lmb_fail_memory(err);
            bytes = larger;
        }
        ssize_t got = read(fd, bytes + n, capacity - n - 1);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return lmb_free(bytes), fail_errno(path, errno, err);
        n += (size_t)got;
        if (n > most)
            return lmb_free(bytes),
                   fail_file(path, "it is larger than 4 GB; mesh coarser, or write it as binary", err);
        if (got == 0) break;
    }
    bytes[n] = '\0';
    *text = bytes;
    *length = n;
    return LMB_OK;
}

lmb_status lmb_file_load(char **text, size_t *length, const char *path, lmb_error *err) {
    *text = NULL;
    *length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fail_errno(path, errno, err);
    struct stat info;
    lmb_status status = LMB_OK;
    if (fstat(fd, &info) != 0) status = fail_errno(path, errno, err);
    else if (S_ISDIR(info.st_mode)) status = fail_errno(path, EISDIR, err);
    else if (!S_ISREG(info.st_mode)) status = fail_file(path, "it is no ordinary file", err);
    else status = read_bytes(text, length, fd, path, err);
    close(fd);
    return status;
}

// ---- kinds -------------------------------------------------------------------------------------

typedef lmb_status (*reader)(lmb_mesh **out, const char *text, size_t length, const char *name,
                             lmb_error *err);

static bool ends_with(const char *path, const char *ending) {
    size_t n = strlen(path), k = strlen(ending);
    return n > k && strcasecmp(path + n - k, ending) == 0;
}

// by the first word that is no blank
static reader sniff(const char *text) {
    text += strspn(text, " \t\r\n");
    if (strncmp(text, "$MeshFormat", 11) == 0) return lmb_mesh_read_msh;
    if (text[0] == '*') return lmb_mesh_read_inp;
    return NULL;
}

static lmb_status fail_kind(const char *path, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "'%s' is no mesh that can be read; readable are Gmsh (.msh), Abaqus and CalculiX decks (.inp) and, "
        "through gmsh, .step, .iges, .brep, .geo",
        path);
}

static lmb_status read_mesh(lmb_mesh **out, const char *path, lmb_error *err) {
    char *text;
    size_t length;
    lmb_status status = lmb_file_load(&text, &length, path, err);
    if (status != LMB_OK) return status;
    reader read_kind = ends_with(path, ".msh")   ? lmb_mesh_read_msh
                       : ends_with(path, ".inp") ? lmb_mesh_read_inp
                                                 : sniff(text);
    status = read_kind ? read_kind(out, text, length, path, err) : fail_kind(path, err);
    lmb_free(text);
    return status;
}

static lmb_status check_options(const char *path, const lmb_mesh_file_options *o, bool cad, lmb_error *err) {
    if (!(o->unit >= 0) || !isfinite(o->unit) || !(o->element_size >= 0) || !isfinite(o->element_size))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%s': unit and element size must be above zero",
                        path);
    if (o->order < 0 || o->order > 2)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%s': the order is 1 or 2, not %d", path, o->order);
    if (!cad && (o->element_size > 0 || o->order > 0))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s' is meshed already: it takes no element size and no order", path);
    return LMB_OK;
}

lmb_status lmb_mesh_read_file(lmb_mesh **out, const char *path, const lmb_mesh_file_options *o,
                              const lmb_watch *watch, lmb_error *err) {
    *out = NULL;
    lmb_mesh_file_options none = {0};
    bool cad = lmb_geometry_knows(path);
    if (o == NULL) o = &none;
    lmb_status status = check_options(path, o, cad, err);
    if (status != LMB_OK) return status;
    if (cad) {
        lmb_geometry_options g = {.unit = o->unit, .element_size = o->element_size, .order = o->order};
        return lmb_geometry_mesh(out, path, &g, watch, err);
    }
    if (!lmb_watch_tell(watch, -1, "read %s", path))
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    status = read_mesh(out, path, err);
    if (status == LMB_OK && o->unit > 0 && o->unit != 1) lmb_mesh_convert(*out, o->unit);
    return status;
}
