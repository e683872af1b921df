// os/zip.c: zip archives, as described by PKWARE's APPNOTE: entries, each behind a local header, then a directory of them, then
// its end. Read are archives of one piece below 4 GB, stored or deflated; the directory is believed, local headers
// only tell how long they are.
#include "os/zip.h"

#include "os/bytes.h"

#include <limits.h>
#include <string.h>
#include <zlib.h>

enum { LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50 };                 // signatures
enum { LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, MOST_COMMENT = 65535 }; // without names
enum { ENCRYPTED = 1, UTF8 = 0x800 };                                                // flags
enum { VERSION = 20, UNIX = 3 << 8, FIRST_DAY = 0x21 };                              // FIRST_DAY: 1980-01-01
static const uint32_t PLAIN_FILE = 0100644u << 16;
static const size_t MOST_WRITTEN = (size_t)INT_MAX;

// ---- little-endian numbers ---------------------------------------------------------------------

static bool put(lmb_text *t, uint32_t value, int bytes) {
    char b[4];
    for (int i = 0; i < bytes; i++) b[i] = (char)(value >> 8 * i & 0xff);
    return lmb_text_add_n(t, b, (size_t)bytes);
}

static uint32_t get(const unsigned char *p, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++) value |= (uint32_t)p[i] << 8 * i;
    return value;
}

// ---- writing -----------------------------------------------------------------------------------

// what local headers and the directory have in common
static bool put_common(lmb_text *t, const lmb_zip_entry *e) {
    return put(t, VERSION, 2) && put(t, UTF8, 2) && put(t, (uint32_t)e->method, 2) && put(t, 0, 2) &&
           put(t, FIRST_DAY, 2) && put(t, e->crc, 4) && put(t, (uint32_t)e->packed, 4) &&
           put(t, (uint32_t)e->size, 4) && put(t, (uint32_t)strlen(e->name), 2) && put(t, 0, 2);
}

static bool put_local(lmb_text *t, const lmb_zip_entry *e) {
    return put(t, LOCAL, 4) && put_common(t, e) && lmb_text_add_n(t, e->name, strlen(e->name));
}

static bool put_central(lmb_text *t, const lmb_zip_entry *e) {
    return put(t, CENTRAL, 4) && put(t, VERSION | UNIX, 2) && put_common(t, e) && put(t, 0, 4) &&
           put(t, 0, 2) && put(t, PLAIN_FILE, 4) && put(t, (uint32_t)e->at, 4) &&
           lmb_text_add_n(t, e->name, strlen(e->name));
}

static bool deflate_all(lmb_text *out, const void *data, size_t size) {
    z_stream z = {.zalloc = lmb_zlib_alloc, .zfree = lmb_zlib_free};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    uLong most = deflateBound(&z, size);
    char *packed = lmb_alloc(most, 1);
    z.next_in = (unsigned char *)data, z.avail_in = (unsigned)size; // zlib only reads it
    z.next_out = (unsigned char *)packed, z.avail_out = (unsigned)most;
    bool ok =
        packed && deflate(&z, Z_FINISH) == Z_STREAM_END && lmb_text_add_n(out, packed, most - z.avail_out);
    deflateEnd(&z);
    lmb_free(packed);
    return ok;
}

lmb_status lmb_zip_add(lmb_zip *z, const char *name, const void *data, size_t size, lmb_zip_method method,
                       lmb_error *err) {
    if (size + z->bytes.length + z->directory.length > MOST_WRITTEN || z->count == UINT16_MAX - 1)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s' does not fit into a zip archive: at most 2 GB and 65534 files", name);
    lmb_text packed = {0};
    lmb_zip_entry e = {name, (int)method, (uint32_t)crc32_z(0, data, size), size, size, z->bytes.length};
    bool ok = method == LMB_ZIP_STORED || deflate_all(&packed, data, size);
    if (method == LMB_ZIP_DEFLATED) e.packed = packed.length;
    ok = ok && put_local(&z->bytes, &e) && put_central(&z->directory, &e) &&
         lmb_text_add_n(&z->bytes, method == LMB_ZIP_STORED ? data : packed.text, e.packed);
    z->count += ok;
    lmb_text_free(&packed);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_zip_end(lmb_zip *z, lmb_error *err) {
    size_t at = z->bytes.length, size = z->directory.length;
    bool ok = lmb_text_add_n(&z->bytes, z->directory.text ? z->directory.text : "", size) &&
              put(&z->bytes, END, 4) && put(&z->bytes, 0, 4) && put(&z->bytes, (uint32_t)z->count, 2) &&
              put(&z->bytes, (uint32_t)z->count, 2) && put(&z->bytes, (uint32_t)size, 4) &&
              put(&z->bytes, (uint32_t)at, 4) && put(&z->bytes, 0, 2);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

void lmb_zip_free(lmb_zip *z) {
    lmb_text_free(&z->bytes);
    lmb_text_free(&z->directory);
    z->count = 0;
}

// ---- reading: the directory --------------------------------------------------------------------

static lmb_status refuse(const lmb_unzip *u, lmb_error *err, const char *why) {
    return lmb_fail(err, LMB_ERR_INPUT, u->where, "cannot read the zip archive '%s': %s", u->path, why);
}

// the end of the directory: the last place that looks like one and says how long its comment is
static const unsigned char *find_end(const lmb_unzip *u) {
    for (size_t comment = 0; comment <= MOST_COMMENT && comment + END_BYTES <= u->size; comment++) {
        const unsigned char *p = u->bytes + u->size - END_BYTES - comment;
        if (get(p, 4) == END && get(p + 20, 2) == comment) return p;
    }
    return NULL;
}

// whether a path begins with an empty part, "." or "..", so that it may lead out of its folder
static bool begins_badly(const char *path) {
    size_t dots = strspn(path, ".");
    return dots <= 2 && (path[dots] == '/' || (path[dots] == '\0' && dots > 0));
}

// a relative path that stays below its folder; it ends with a zero and has none before
static bool is_harmless(const char *name, size_t length) {
    if (length == 0 || strlen(name) != length || begins_badly(name)) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\\' || *c == ':' || (*c == '/' && begins_badly(c + 1)))
            return false;
    return true;
}

// where the data of an entry begin, behind its local header; false: not within the archive
static bool find_data(lmb_zip_entry *e, const lmb_unzip *u, size_t local) {
    if (local > u->size || u->size - local < LOCAL_BYTES || get(u->bytes + local, 4) != LOCAL) return false;
    e->at = local + LOCAL_BYTES + get(u->bytes + local + 26, 2) + get(u->bytes + local + 28, 2);
    return e->at <= u->size && e->packed <= u->size - e->at;
}

// deflated bytes grow by 1032 at most
static bool size_is_possible(const lmb_zip_entry *e) {
    if (e->method == LMB_ZIP_STORED) return e->size == e->packed;
    return e->size / 1032 <= e->packed;
}

// the entry at p, whose name of `length` bytes is copied to `name`; NULL, or why not
static const char *read_entry(lmb_zip_entry *e, char *name, size_t length, const unsigned char *p,
                              const lmb_unzip *u) {
    memcpy(name, p + CENTRAL_BYTES, length);
    *e = (lmb_zip_entry){.name = name, .method = (int)get(p + 10, 2), .crc = get(p + 16, 4)};
    e->packed = get(p + 20, 4), e->size = get(p + 24, 4);
    if (!is_harmless(name, length)) return "it contains a file whose name is not a plain relative path";
    if (get(p + 8, 2) & ENCRYPTED) return "it is encrypted; pack it without a password";
    if (e->method != LMB_ZIP_STORED && e->method != LMB_ZIP_DEFLATED)
        return "its compression is unknown; pack it with 'deflate'";
    if (e->packed == UINT32_MAX || e->size == UINT32_MAX || get(p + 42, 4) == UINT32_MAX)
        return "it is in the format of archives above 4 GB, which is not read";
    if (!find_data(e, u, get(p + 42, 4))) return "it is damaged or incomplete";
    return size_is_possible(e) ? NULL : "it is damaged: a size cannot be true";
}

static const char *read_directory(lmb_unzip *u, const unsigned char *p, size_t left, size_t most) {
    char *name = u->names;
    size_t sum = 0;
    for (int i = 0; i < u->count; i++) {
        if (left < CENTRAL_BYTES || get(p, 4) != CENTRAL) return "its directory is damaged";
        size_t length = get(p + 28, 2), bytes = CENTRAL_BYTES + length + get(p + 30, 2) + get(p + 32, 2);
        if (bytes > left) return "its directory is damaged";
        const char *why = read_entry(&u->entries[i], name, length, p, u);
        if (why) return why;
        if ((sum += u->entries[i].size) > most) return "its files are too large";
        name += length + 1, p += bytes, left -= bytes;
    }
    return NULL;
}

lmb_status lmb_unzip_open(lmb_unzip *u, const void *bytes, size_t size, size_t most, const char *path,
                          lmb_where where, lmb_error *err) {
    *u = (lmb_unzip){.bytes = bytes, .size = size, .path = path, .where = where};
    const unsigned char *end = find_end(u);
    if (end == NULL) return refuse(u, err, "it is not a zip archive, or incomplete");
    size_t count = get(end + 10, 2), length = get(end + 12, 4), at = get(end + 16, 4);
    if (get(end + 4, 4) != 0 || get(end + 8, 2) != count) return refuse(u, err, "it has several pieces");
    if (at > size || length > size - at || count * CENTRAL_BYTES > length)
        return refuse(u, err, "its directory is damaged");
    u->entries = lmb_alloc(count + 1, sizeof *u->entries);
    u->names = lmb_alloc(length + 1, 1); // each name has its entry's fixed part to spare for its end
    if (u->entries == NULL || u->names == NULL) return lmb_fail_memory(err);
    u->count = (int)count;
    const char *why = read_directory(u, u->bytes + at, length, most);
    return why ? refuse(u, err, why) : LMB_OK;
}

int lmb_unzip_find(const lmb_unzip *u, const char *name) {
    for (int i = 0; i < u->count; i++)
        if (strcmp(u->entries[i].name, name) == 0) return i;
    return -1;
}

void lmb_unzip_close(lmb_unzip *u) {
    lmb_free(u->entries);
    lmb_free(u->names);
    *u = (lmb_unzip){0};
}

// ---- reading: an entry -------------------------------------------------------------------------

// adds what is packed in the entry, as long as it is not more than the directory says
static lmb_status inflate_all(lmb_text *out, const lmb_unzip *u, const lmb_zip_entry *e, lmb_error *err) {
    enum { PIECE = 1 << 16 };
    char piece[PIECE];
    z_stream z = {.zalloc = lmb_zlib_alloc, .zfree = lmb_zlib_free};
    if (inflateInit2(&z, -MAX_WBITS) != Z_OK) return lmb_fail_memory(err);
    z.next_in = (unsigned char *)u->bytes + e->at, z.avail_in = (unsigned)e->packed; // zlib only reads it
    int answer = Z_OK;
    bool memory = true;
    while (answer == Z_OK && memory && out->length <= e->size) {
        z.next_out = (unsigned char *)piece, z.avail_out = PIECE;
        answer = inflate(&z, Z_NO_FLUSH);
        memory = answer != Z_MEM_ERROR && lmb_text_add_n(out, piece, PIECE - z.avail_out);
    }
    inflateEnd(&z);
    if (!memory) return lmb_fail_memory(err);
    return answer == Z_STREAM_END ? LMB_OK : refuse(u, err, "it is damaged: a file cannot be unpacked");
}

lmb_status lmb_unzip_entry(lmb_text *out, const lmb_unzip *u, int i, lmb_error *err) {
    const lmb_zip_entry *e = &u->entries[i];
    *out = (lmb_text){0};
    lmb_status st = LMB_OK;
    if (!lmb_text_add_n(out, (const char *)u->bytes + e->at, e->method == LMB_ZIP_STORED ? e->packed : 0))
        return lmb_fail_memory(err);
    if (e->method == LMB_ZIP_DEFLATED) st = inflate_all(out, u, e, err);
    if (st == LMB_OK && (out->length != e->size || crc32_z(0, (void *)out->text, out->length) != e->crc))
        st = refuse(u, err, "it is damaged: a checksum is wrong");
    return st;
}
