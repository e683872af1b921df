// store/cache.c: reduced parts by content.
#include "store/cache.h"

#include "os/files.h"
#include "store/flex_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// ---- keys --------------------------------------------------------------------------------------

void lmb_cache_key_add(lmb_sha256 *s, const void *data, size_t size) {
    uint64_t length = size;
    lmb_sha256_add(s, &length, sizeof length);
    lmb_sha256_add(s, data, size);
}

lmb_cache_key lmb_cache_key_end(lmb_sha256 *s) {
    unsigned char digest[LMB_SHA256_SIZE];
    lmb_cache_key key;
    lmb_sha256_end(digest, s);
    lmb_sha256_text(key.text, digest);
    return key;
}

// ---- the folder --------------------------------------------------------------------------------

// path of the folder without a trailing slash; "": no cache
static bool folder(lmb_text *out) {
    const char *own = getenv("LIMBER_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own) return lmb_text_add(out, "%s", own);
    if (xdg && *xdg == '/') return lmb_text_add(out, "%s/limber", xdg);
    if (home && *home == '/') return lmb_text_add(out, "%s/.cache/limber", home);
    return lmb_text_add_n(out, "", 0);
}

// a folder of ours that nobody else may write to: what lies there is used without being computed
static bool is_private(const char *path) {
    lmb_file_about about;
    return lmb_path_look(&about, path) && about.folder && about.is_private;
}

static bool entry_path(lmb_text *out, const lmb_cache_key *key) {
    return folder(out) && out->length > 0 && is_private(out->text) && lmb_text_add(out, "/%s.h5", key->text);
}

// whether a name is one of ours, unfinished files included
static bool is_entry(const char *name) {
    size_t n = strspn(name, "0123456789abcdef");
    return (n == LMB_SHA256_TEXT - 1 || n == 32) && strncmp(name + n, ".h5", 3) == 0; // 32: of version 0.1
}

typedef struct entry {
    char name[100];
    struct timespec used;
    long long bytes;
} entry;

static int older_first(const void *a, const void *b) {
    const struct timespec *s = &((const entry *)a)->used, *t = &((const entry *)b)->used;
    if (s->tv_sec != t->tv_sec) return s->tv_sec < t->tv_sec ? -1 : 1;
    return (s->tv_nsec > t->tv_nsec) - (s->tv_nsec < t->tv_nsec);
}

// all entries, to be freed with lmb_free; NULL: none, or no memory
static entry *list(int *count, DIR *d) {
    entry *all = NULL;
    int capacity = 0;
    lmb_file_about about;
    *count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (!is_entry(e->d_name) || strlen(e->d_name) >= sizeof all->name) continue;
        if (!lmb_entry_look(&about, d, e->d_name) || !about.regular) continue;
        if (*count == capacity) {
            entry *more = lmb_realloc(all, (size_t)(capacity = capacity ? 2 * capacity : 64), sizeof *more);
            if (more == NULL) break;
            all = more;
        }
        entry *now = &all[(*count)++];
        *now = (entry){.used = about.changed, .bytes = about.bytes};
        memcpy(now->name, e->d_name, strlen(e->d_name) + 1);
    }
    return all;
}

// removes the least recently used entries until the rest is small enough
static void prune(const char *path) {
    DIR *d = lmb_folder_open(path);
    if (d == NULL) return;
    int count;
    long long bytes = 0;
    entry *all = list(&count, d);
    for (int i = 0; i < count; i++) bytes += all[i].bytes;
    if (count > 0) qsort(all, (size_t)count, sizeof *all, older_first);
    for (int i = 0; i < count && bytes > LMB_CACHE_MEGABYTES * 1000000ll; i++)
        if (lmb_entry_remove(d, all[i].name)) bytes -= all[i].bytes;
    lmb_free(all);
    closedir(d);
}

// ---- entries -----------------------------------------------------------------------------------

lmb_flex *lmb_cache_get(const lmb_cache_key *key) {
    lmb_text path = {0};
    lmb_flex *f = NULL;
    lmb_file_about about;
    if (entry_path(&path, key) && lmb_path_look_own(&about, path.text) && about.regular) {
        lmb_status st = lmb_flex_read_h5(&f, path.text, NULL);
        if (st == LMB_OK) lmb_file_touch(path.text);              // used
        else if (st == LMB_ERR_INPUT) lmb_file_remove(path.text); // damaged
    }
    lmb_text_free(&path);
    return f;
}

void lmb_cache_put(const lmb_cache_key *key, const lmb_flex *f) {
    lmb_text path = {0}, place = {0};
    if (folder(&place) && place.length > 0) {
        lmb_folder_make(place.text);
        if (entry_path(&path, key) && lmb_flex_write_file(path.text, f, NULL) == LMB_OK) prune(place.text);
    }
    lmb_text_free(&path);
    lmb_text_free(&place);
}

lmb_status lmb_cache_empty(int *removed, lmb_error *err) {
    lmb_text place = {0};
    int count = 0, gone = 0, trouble = 0;
    if (!folder(&place)) return lmb_fail_memory(err);
    DIR *d = place.length ? lmb_folder_open(place.text) : NULL;
    entry *all = d ? list(&count, d) : NULL;
    for (int i = 0; i < count; i++)
        if (lmb_entry_remove(d, all[i].name)) gone++;
        else trouble = errno;
    lmb_status st = LMB_OK;
    if (trouble)
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot clear the cache '%.400s': %s", place.text,
                      strerror(trouble));
    lmb_free(all);
    if (d) closedir(d);
    lmb_text_free(&place);
    if (removed) *removed = gone;
    return st;
}
