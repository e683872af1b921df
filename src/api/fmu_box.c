// api/fmu_box.c: unpacks an FMU and loads its binary.
#include "api/fmu_box.h"

#include "os/bytes.h"
#include "os/files.h"
#include "os/zip.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if defined __x86_64__
#define MACHINE "x86_64"
#define FOLDER_2 "linux64"
#elif defined __aarch64__
#define MACHINE "aarch64"
#define FOLDER_2 "aarch64-linux"
#else
#define MACHINE "unknown"
#define FOLDER_2 "unknown"
#endif
#define FOLDER_3 MACHINE "-linux"

static const size_t MOST_UNPACKED = (size_t)1 << 30;
static const char DESCRIPTION[] = "modelDescription.xml";

// ---- platforms ---------------------------------------------------------------------------------

static const char *platform(const lmb_fmu_about *a) { return a->version == 2 ? FOLDER_2 : FOLDER_3; }

// the folders below binaries, each once
static bool list_platforms(lmb_text *out, const lmb_unzip *u) {
    static const char folder[] = "binaries/";
    bool ok = true;
    for (int i = 0; i < u->count && ok; i++) {
        const char *name = u->entries[i].name, *from = name + strlen(folder);
        if (strncmp(name, folder, strlen(folder)) != 0) continue;
        size_t n = strcspn(from, "/");
        bool seen = n == 0 || from[n] == '\0' || out->length > 300;
        for (int k = 0; k < i && !seen; k++)
            seen = strncmp(u->entries[k].name, name, strlen(folder) + n + 1) == 0;
        if (!seen) ok = lmb_text_add(out, "%s%.*s", out->length ? ", " : "", (int)(n < 60 ? n : 60), from);
    }
    return ok;
}

static lmb_status find_binary(char *out, size_t size, const lmb_fmu_box *b, const lmb_unzip *u,
                              lmb_error *err) {
    snprintf(out, size, "binaries/%s/%s.so", platform(&b->about), b->about.identifier);
    if (lmb_unzip_find(u, out) >= 0) return LMB_OK;
    lmb_text has = {0};
    lmb_status st = list_platforms(&has, u) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK)
        st = lmb_fail(err, LMB_ERR_INPUT, u->where,
                      "'%.300s' has no binary for this machine, %s; it has %s; export it for %s", u->path,
                      out, has.length ? has.text : "none at all", platform(&b->about));
    lmb_text_free(&has);
    return st;
}

// ---- unpacking ---------------------------------------------------------------------------------

static lmb_status write_file(const char *path, const lmb_text *bytes, lmb_error *err) {
    int fd = lmb_file_open(path, LMB_FILE_NEW);
    size_t done = 0;
    ssize_t n = 1;
    while (fd >= 0 && done < bytes->length && n > 0) {
        n = write(fd, bytes->text + done, bytes->length - done);
        if (n > 0) done += (size_t)n;
    }
    int number = errno;
    bool ok = fd >= 0 && done == bytes->length;
    if (fd >= 0) ok = close(fd) == 0 && ok;
    if (ok) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot unpack an FMU to '%.300s': %s", path,
                    strerror(number));
}

static lmb_status unpack_entry(const lmb_fmu_box *b, const lmb_unzip *u, int i, lmb_error *err) {
    char path[1400];
    const char *name = u->entries[i].name;
    int n = snprintf(path, sizeof path, "%s/%s", b->folder, name);
    if (n < 0 || (size_t)n >= sizeof path)
        return lmb_fail(err, LMB_ERR_INPUT, u->where, "'%.300s': the name '%.80s...' in it is too long",
                        u->path, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    lmb_folder_make(path);
    *slash = '/';
    if (slash[1] == '\0') return LMB_OK; // a folder
    lmb_text bytes;
    lmb_status st = lmb_unzip_entry(&bytes, u, i, err);
    if (st == LMB_OK) st = write_file(path, &bytes, err);
    lmb_text_free(&bytes);
    return st;
}

// what the binary may want: itself and its neighbours, and resources
static bool is_wanted(const lmb_fmu_box *b, const char *name) {
    const char *own = platform(&b->about);
    size_t n = strlen(own);
    if (strncmp(name, "binaries/", 9) != 0) return strncmp(name, "resources/", 10) == 0;
    return strncmp(name + 9, own, n) == 0 && name[9 + n] == '/';
}

static lmb_status unpack(lmb_fmu_box *b, const lmb_unzip *u, lmb_error *err) {
    lmb_status st = lmb_scratch_folder(b->folder, sizeof b->folder, err);
    for (int i = 0; i < u->count && st == LMB_OK; i++)
        if (is_wanted(b, u->entries[i].name)) st = unpack_entry(b, u, i, err);
    return st;
}

static lmb_status read_description(lmb_fmu_box *b, const lmb_unzip *u, lmb_error *err) {
    int i = lmb_unzip_find(u, DESCRIPTION);
    if (i < 0)
        return lmb_fail(err, LMB_ERR_INPUT, u->where, "'%.300s' contains no %s and is not an FMU", u->path,
                        DESCRIPTION);
    lmb_text xml;
    lmb_status st = lmb_unzip_entry(&xml, u, i, err);
    if (st == LMB_OK) st = lmb_fmu_about_read(&b->about, xml.text, xml.length, u->path, u->where, err);
    lmb_text_free(&xml);
    if (st != LMB_OK || b->about.identifier) return st;
    return lmb_fail(err, LMB_ERR_INPUT, u->where,
                    "'%.300s' is not made for co-simulation; export it again as co-simulation", u->path);
}

lmb_status lmb_fmu_box_open(lmb_fmu_box *out, const char *path, const char *name, lmb_where where,
                            lmb_error *err) {
    lmb_text bytes = {0};
    lmb_unzip u = {0};
    char binary[300], full[800];
    *out = (lmb_fmu_box){0};
    lmb_status st = lmb_file_load(&bytes, path, where, err);
    if (st == LMB_OK) st = lmb_unzip_open(&u, bytes.text, bytes.length, MOST_UNPACKED, path, where, err);
    if (st == LMB_OK) st = read_description(out, &u, err);
    if (st == LMB_OK) st = find_binary(binary, sizeof binary, out, &u, err);
    if (st == LMB_OK) st = unpack(out, &u, err);
    lmb_unzip_close(&u);
    lmb_text_free(&bytes);
    if (st != LMB_OK) return st;
    snprintf(full, sizeof full, "%s/%s", out->folder, binary);
    lmb_error why = {0};
    st = lmb_module_open(&out->module, full, &why);
    return st ? lmb_fail(err, st, where, "FMU '%s': %s", name, why.text) : LMB_OK;
}

void lmb_fmu_box_close(lmb_fmu_box *b) {
    lmb_module_close(b->module);
    lmb_fmu_about_free(&b->about);
    if (b->folder[0]) lmb_folder_remove(b->folder);
    *b = (lmb_fmu_box){0};
}
