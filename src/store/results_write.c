// store/results_write.c: writing results files.
//
// The header is made in a plain file of another name, which is closed and opened again in the writing half of
// SWMR (single writer, multiple readers), then renamed: creating and reopening share all that follows.
//
// Crash safety rests on five points.
// 1 SWMR orders the metadata so that the file is sound after each write; a kill cuts writes at ends of pages, which no
//   piece of metadata crosses (results_make.c).
// 2 Rows go to the file directly (no chunk cache, no sieve), before the metadata that publish them, and these
//   before the counts: a group has as many rows as it counts.
// 3 No compression: a compressed chunk moves and leaks at each flush (and costs ten times the time).
// 4 What changes in place (counts, status, text, stats, checkpoint slots) has fixed storage; of the two
//   slots the newest with the right hash is valid.
// 5 After a kill the end of the allocated space that the file's header tells may be old: before anything is
//   added it is moved behind all that could have been in use.
#include "store/results_make.h"

#include "os/files.h"
#include "os/outfile.h"
#include "store/results_layout.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct stream { // an extendable dataset, and rows of it that are not in the file yet
    hid_t set, type;    // set < 0: a table without columns
    int rank;
    hsize_t columns;
    size_t row_bytes;
    long chunk_rows, written;
    size_t chunk_bytes;    // of chunk_rows rows
    unsigned char *buffer; // rows [written, rows), not beyond the end of the chunk
} stream;

static const uint64_t SLOT_MAGIC = 0x314b484342424d4cull; // "LMBBCHK1"

typedef struct group {
    stream *streams; // 0: time, then the tables
    int stream_count;
    long rows;
    stream events[2]; // time, text
    long event_count;
    hid_t status_set, text_set, stats_set, counts_set, slot_sets[2];
    uint64_t counts[2]; // rows and events as they stand in the file
    char status[LMB_H5_STATUS], name[64];
    double *stats;
    int stat_count;
    bool stats_changed;
    unsigned char *slot; // header and bytes of a checkpoint
    size_t checkpoint_size;
    int newest;        // slot
    uint64_t sequence; // of the newest slot; 0: none
} group;

struct lmb_results {
    lmb_h5 h5;
    char *path, *part;
    hid_t file;
    int lock;          // file descriptor
    uint64_t reserved; // blocks up to here are the file's
    double flush_seconds, last_flush;
    group *groups;
    int group_count;
};

// ---- room on the disk --------------------------------------------------------------------------

// blocks for bytes from..to of a file, without changing its size; where that is not possible we hope
static int take_blocks(int fd, uint64_t from, uint64_t to) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && to > limit.rlim_cur)
        return EFBIG;
#ifdef FALLOC_FL_KEEP_SIZE
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from)) == 0) return 0;
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO ? errno : 0;
#else
    return fd < 0 || from > to ? EIO : 0;
#endif
}

// makes sure of so many bytes, and some for metadata: HDF5 crashes at exit after it met a full disk
static bool reserve(lmb_results *r, uint64_t bytes) {
    haddr_t end = 0;
    if (r->file >= 0 && H5Fget_eoa(r->file, &end) < 0) return false;
    uint64_t need = end + bytes + 4 * LMB_H5_CHUNK, to = need + 16 * LMB_H5_CHUNK;
    if (need <= r->reserved) return true;
    int why = take_blocks(r->lock, r->reserved, to);
    if (why != 0) return lmb_h5_reason(&r->h5, strerror(why));
    r->reserved = to;
    return true;
}

// gives back what lies behind the end of the file
static void release_blocks(const lmb_results *r) {
    lmb_file_about about;
    if (r->reserved > 0 && lmb_file_look(&about, r->lock) && ftruncate(r->lock, about.bytes) != 0) return;
}

// ---- making the file ----------------------------------------------------------------------------

static bool make_file(lmb_results *r, const lmb_results_info *info, const lmb_group *groups, int count) {
    uint64_t size = lmb_results_header_size(info, groups, count);
    if (!reserve(r, size)) return false;
    hid_t file = lmb_results_create_file(r->part); // gives the blocks back
    r->reserved = 0;
    if (file < 0) return false;
    bool ok = reserve(r, size) && lmb_results_make_header(&r->h5, file, info);
    for (int g = 0; ok && g < count; g++) ok = lmb_results_make_group(&r->h5, file, &groups[g]);
    ok = lmb_h5_close(file) && ok;
    r->reserved = 0;
    return ok;
}

// ---- opening for writing -----------------------------------------------------------------------

static hid_t open_uncached(hid_t place, const char *name) {
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS), set = H5I_INVALID_HID;
    if (access >= 0 && H5Pset_chunk_cache(access, 0, 0, 1) >= 0) set = H5Dopen2(place, name, access);
    lmb_h5_drop(access);
    return set;
}

// rows are appended only to what this program makes: of this type, width and chunks
static bool stream_shape(stream *s, hid_t type, hsize_t columns) {
    hsize_t size[2] = {0, 1}, chunk[2] = {1, 1}, usual[2];
    hid_t space = H5Dget_space(s->set), properties = H5Dget_create_plist(s->set), own = H5Dget_type(s->set);
    s->rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool ok = s->rank >= 1 && s->rank <= 2 && properties >= 0 && own >= 0 && H5Tequal(own, type) > 0 &&
              H5Sget_simple_extent_dims(space, size, NULL) == s->rank &&
              H5Pget_layout(properties) == H5D_CHUNKED &&
              H5Pget_chunk(properties, s->rank, chunk) == s->rank && H5Pget_nfilters(properties) == 0;
    lmb_h5_drop(own);
    lmb_h5_drop(properties);
    lmb_h5_drop(space);
    size_t width = H5Tget_size(type);
    lmb_results_chunk(usual, columns, width);
    if (!ok || size[0] > LONG_MAX || size[1] != columns || chunk[0] != usual[0] || chunk[1] != usual[1])
        return false;
    s->written = (long)size[0];
    s->columns = size[1];
    s->chunk_rows = (long)chunk[0];
    s->chunk_bytes = (size_t)(chunk[0] * chunk[1] * ((size[1] - 1) / chunk[1] + 1)) * width;
    return true;
}

static bool open_stream(lmb_h5 *h, stream *s, hid_t place, const char *name, hid_t type, int columns) {
    if (!lmb_h5_has(place, name)) return lmb_h5_reason(h, "a table is missing");
    s->set = open_uncached(place, name);
    s->type = type < 0 ? type : H5Tget_native_type(type, H5T_DIR_ASCEND);
    if (s->set < 0 || s->type < 0 || !stream_shape(s, type, (hsize_t)columns))
        return lmb_h5_reason(h, "a table has another shape than this program makes");
    s->row_bytes = (size_t)s->columns * H5Tget_size(s->type);
    s->buffer = lmb_alloc((size_t)s->chunk_rows, s->row_bytes);
    return s->buffer != NULL || lmb_h5_reason(h, "out of memory");
}

static bool cut_stream(stream *s, long rows) {
    hsize_t size[2] = {(hsize_t)rows, s->columns};
    if (s->set < 0 || rows >= s->written) return true;
    if (H5Dset_extent(s->set, size) < 0) return false;
    s->written = rows;
    return true;
}

// a group has the rows that all its streams have
static void count_written(group *w) {
    w->rows = w->streams[0].written;
    for (int k = 1; k < w->stream_count; k++)
        if (w->streams[k].set >= 0 && w->streams[k].written < w->rows) w->rows = w->streams[k].written;
    w->event_count = w->events[w->events[0].written > w->events[1].written].written;
}

static bool open_events(lmb_h5 *h, group *w, hid_t id) {
    hid_t events = lmb_h5_group(h, id, "events"), text = lmb_h5_string(LMB_H5_EVENT);
    bool ok = events >= 0 && text >= 0 && open_stream(h, &w->events[0], events, "time", H5T_IEEE_F64LE, 1) &&
              open_stream(h, &w->events[1], events, "text", text, 1);
    lmb_h5_drop(text);
    lmb_h5_drop(events);
    return ok;
}

static bool open_streams(lmb_h5 *h, group *w, hid_t id, const lmb_group *g) {
    bool ok = open_stream(h, &w->streams[0], id, "time", H5T_IEEE_F64LE, 1) && open_events(h, w, id);
    for (int k = 0; ok && k < g->table_count; k++) {
        const lmb_table *t = &g->tables[k];
        if (t->count > 0) ok = open_stream(h, &w->streams[k + 1], id, t->name, H5T_IEEE_F64LE, t->count);
    }
    if (ok) count_written(w);
    return ok;
}

// a dataset that is overwritten in place, of just this size; closing the file closes it
static hid_t open_fixed(lmb_h5 *h, hid_t id, const char *name, const lmb_h5_rule *rule) {
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, id, name, rule);
    hid_t set = ok ? s.id : H5I_INVALID_HID;
    if (ok) s.id = H5I_INVALID_HID;
    lmb_h5_close_set(&s);
    return set;
}

static bool open_counts(lmb_h5 *h, group *w, hid_t id) {
    const lmb_h5_rule rule = lmb_results_rule(LMB_SET_COUNTS, LMB_H5_ANY);
    w->counts_set = open_fixed(h, id, "counts", &rule);
    if (w->counts_set < 0) return false;
    if (H5Dread(w->counts_set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->counts) < 0) return false;
    if (w->counts[0] < (uint64_t)w->rows) w->rows = (long)w->counts[0];
    if (w->counts[1] < (uint64_t)w->event_count) w->event_count = (long)w->counts[1];
    return true;
}

static bool write_counts(group *w, long rows, long events) {
    uint64_t counts[2] = {(uint64_t)rows, (uint64_t)events};
    if (memcmp(counts, w->counts, sizeof counts) == 0) return true;
    if (H5Dwrite(w->counts_set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) < 0) return false;
    memcpy(w->counts, counts, sizeof counts);
    return true;
}

// some datasets may be longer than counted
static bool cut_rests(group *w) {
    bool ok = write_counts(w, w->rows, w->event_count) && cut_stream(&w->events[0], w->event_count) &&
              cut_stream(&w->events[1], w->event_count);
    for (int k = 0; ok && k < w->stream_count; k++) ok = cut_stream(&w->streams[k], w->rows);
    return ok;
}

static uint64_t slot_hash(const unsigned char *slot, size_t size) {
    uint64_t hash = lmb_hash(LMB_HASH_START, slot, offsetof(lmb_h5_slot_header, hash));
    return lmb_hash(hash, slot + sizeof(lmb_h5_slot_header), size);
}

// reads a slot and tells whether it holds a whole checkpoint of what the group still has
static bool load_slot(lmb_h5_slot_header *header, group *w, int k) {
    if (H5Dread(w->slot_sets[k], H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->slot) < 0) return false;
    memcpy(header, w->slot, sizeof *header);
    return header->magic == SLOT_MAGIC && header->size <= w->checkpoint_size &&
           header->hash == slot_hash(w->slot, (size_t)header->size) && header->rows <= (uint64_t)w->rows &&
           header->events <= (uint64_t)w->event_count;
}

static void find_newest(group *w) {
    lmb_h5_slot_header header;
    w->sequence = 0;
    w->newest = 0;
    for (int k = 0; k < 2 && w->checkpoint_size > 0; k++)
        if (load_slot(&header, w, k) && header.sequence > w->sequence)
            w->sequence = header.sequence, w->newest = k;
}

static bool open_slots(lmb_h5 *h, group *w, hid_t id, size_t size) {
    w->checkpoint_size = size;
    if (size == 0) return true;
    w->slot = lmb_alloc(sizeof(lmb_h5_slot_header) + size, 1);
    if (w->slot == NULL) return lmb_h5_reason(h, "out of memory");
    const lmb_h5_rule rule = lmb_results_rule(LMB_SET_SLOT, sizeof(lmb_h5_slot_header) + size);
    for (int k = 0; k < 2; k++)
        if ((w->slot_sets[k] = open_fixed(h, id, lmb_h5_slot_names[k], &rule)) < 0) return false;
    return true;
}

static bool open_status(lmb_h5 *h, group *w, hid_t id, const lmb_group *g) {
    w->stat_count = g->stat_count;
    w->stats = lmb_alloc((size_t)g->stat_count, sizeof(double));
    if (w->stats == NULL) return lmb_h5_reason(h, "out of memory");
    const lmb_h5_rule stats = lmb_results_rule(LMB_SET_STATS, (uint64_t)g->stat_count),
                      text = {LMB_H5_STRING, 0, {0}};
    if (g->stat_count > 0 && (w->stats_set = open_fixed(h, id, "stats", &stats)) < 0) return false;
    w->status_set = open_fixed(h, id, "status", &text);
    w->text_set = open_fixed(h, id, "text", &text);
    hid_t type = lmb_h5_string(LMB_H5_STATUS);
    bool ok = w->status_set >= 0 && w->text_set >= 0 && type >= 0 &&
              H5Dread(w->status_set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->status) >= 0;
    w->status[LMB_H5_STATUS - 1] = '\0';
    lmb_h5_drop(type);
    return ok;
}

static void clear_ids(group *w) {
    for (int k = 0; k < w->stream_count; k++)
        w->streams[k] = (stream){.set = H5I_INVALID_HID, .type = H5I_INVALID_HID};
    for (int k = 0; k < 2; k++) w->events[k] = (stream){.set = H5I_INVALID_HID, .type = H5I_INVALID_HID};
    w->status_set = w->text_set = w->stats_set = w->counts_set = w->slot_sets[0] = w->slot_sets[1] =
        H5I_INVALID_HID;
}

static bool open_group(lmb_results *r, group *w, const lmb_group *g) {
    w->stream_count = 0;
    w->streams = lmb_alloc((size_t)g->table_count + 1, sizeof *w->streams);
    if (w->streams == NULL) return lmb_h5_reason(&r->h5, "out of memory");
    w->stream_count = g->table_count + 1;
    clear_ids(w);
    snprintf(w->name, sizeof w->name, "%s", g->name);
    hid_t id = lmb_h5_group(&r->h5, r->file, g->name);
    bool ok = id >= 0 && open_streams(&r->h5, w, id, g) && open_counts(&r->h5, w, id) &&
              open_status(&r->h5, w, id, g) && open_slots(&r->h5, w, id, g->checkpoint_size) && cut_rests(w);
    if (ok) find_newest(w);
    lmb_h5_drop(id);
    return ok;
}

// writing with readers; after a kill all that could be in use lies before the end of the file + 1 MB
static bool open_file(lmb_results *r, const char *path, lmb_h5_marks marks) {
    r->file = lmb_h5_open_file(path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, marks);
    if (r->file < 0) return false;
    return marks != LMB_H5_REPAIR || H5Fincrement_filesize(r->file, 16 * LMB_H5_CHUNK) >= 0;
}

static bool open_groups(lmb_results *r, const lmb_group *groups, int count) {
    r->groups = lmb_alloc((size_t)count, sizeof *r->groups);
    if (r->groups == NULL) return lmb_h5_reason(&r->h5, "out of memory");
    for (int g = 0; g < count; g++) {
        r->group_count = g + 1;
        if (!open_group(r, &r->groups[g], &groups[g])) return false;
    }
    r->last_flush = lmb_clock();
    return H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
}

// ---- create, destroy ---------------------------------------------------------------------------

static void destroy_stream(stream *s) {
    lmb_h5_drop(s->type);
    lmb_free(s->buffer);
}

static void destroy_group(group *w) {
    for (int k = 0; k < w->stream_count; k++) destroy_stream(&w->streams[k]);
    for (int k = 0; w->stream_count > 0 && k < 2; k++) destroy_stream(&w->events[k]);
    lmb_free(w->streams);
    lmb_free(w->stats);
    lmb_free(w->slot);
}

// closes without writing buffered rows
static bool close_file(lmb_results *r) {
    bool ok = r->file < 0 || lmb_h5_close(r->file);
    r->file = H5I_INVALID_HID;
    return ok;
}

static void destroy(lmb_results *r) {
    lmb_h5_begin(&r->h5);
    close_file(r);
    for (int g = 0; g < r->group_count; g++) destroy_group(&r->groups[g]);
    lmb_h5_end(&r->h5);
    if (r->lock >= 0) release_blocks(r), close(r->lock);
    lmb_free(r->groups);
    lmb_free(r->path);
    lmb_free(r->part);
    lmb_free(r);
}

static lmb_results *allocate(const char *path, double flush_seconds) {
    lmb_results *r = lmb_alloc(1, sizeof *r);
    if (r == NULL) return NULL;
    r->file = H5I_INVALID_HID;
    r->lock = -1;
    r->flush_seconds = flush_seconds;
    r->path = lmb_strdup(path);
    if (r->path) return r;
    lmb_free(r);
    return NULL;
}

static lmb_status fail_busy(lmb_error *err, const char *path) {
    return lmb_fail(
        err, LMB_ERR_SYSTEM, LMB_NOWHERE,
        "'%.400s' is being written by another run; wait until it ends or choose another output file", path);
}

lmb_status lmb_results_check_output(const char *path, lmb_error *err) {
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    char start[8];
    lmb_status st = lmb_output_check(path, NULL, err);
    int fd = st == LMB_OK ? lmb_file_open(path, LMB_FILE_OWN) : -1;
    if (fd < 0) return st;
    ssize_t n = read(fd, start, sizeof start);
    close(fd);
    if (n == 0 || (n == (ssize_t)sizeof start && memcmp(start, signature, sizeof start) == 0)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s' exists and is not a results file; remove it, or write to another file", path);
}

static lmb_status take_part(lmb_results *r, lmb_error *err) {
    lmb_status st = lmb_results_check_output(r->path, err);
    if (st != LMB_OK) return st;
    if (lmb_writer_active(r->path)) return fail_busy(err, r->path);
    lmb_output_sweep(r->path);
    return lmb_output_begin(&r->part, &r->lock, r->path, err); // with the lock
}

static bool create(lmb_results *r, const lmb_results_info *info, const lmb_group *groups, int count) {
    return make_file(r, info, groups, count) && open_file(r, r->part, LMB_H5_HEED) &&
           open_groups(r, groups, count);
}

lmb_status lmb_results_create(lmb_results **out, const char *path, const lmb_results_info *info,
                              const lmb_group *groups, int group_count, double flush_seconds,
                              lmb_error *err) {
    *out = NULL;
    lmb_results *r = allocate(path, flush_seconds);
    if (r == NULL) return lmb_fail_memory(err);
    lmb_status status = take_part(r, err);
    if (status == LMB_OK) {
        lmb_h5_begin(&r->h5);
        if (!create(r, info, groups, group_count)) status = lmb_h5_fail(err, &r->h5, "write", path);
        lmb_h5_end(&r->h5);
    }
    if (status == LMB_OK && lmb_writer_active(path)) status = fail_busy(err, path);
    if (r->part) status = lmb_output_end(&r->part, -1, path, status, err);
    if (status == LMB_OK) *out = r;
    else destroy(r);
    return status;
}

// ---- writing -----------------------------------------------------------------------------------

static bool write_rows(const stream *s, hid_t space, long rows) {
    hsize_t start[2] = {(hsize_t)s->written, 0}, count[2] = {(hsize_t)(rows - s->written), s->columns};
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) < 0) return false;
    hid_t memory = H5Screate_simple(s->rank, count, NULL);
    bool ok = memory >= 0 && H5Dwrite(s->set, s->type, memory, space, H5P_DEFAULT, s->buffer) >= 0;
    lmb_h5_drop(memory);
    return ok;
}

// writes the buffered rows; if that fails (disk full) the dataset is as before and the buffer is kept
static bool write_stream(lmb_results *r, stream *s, long rows) {
    if (s->set < 0 || rows == s->written) return true;
    hsize_t size[2] = {(hsize_t)rows, s->columns}, before[2] = {(hsize_t)s->written, s->columns};
    if (!reserve(r, s->chunk_bytes) || H5Dset_extent(s->set, size) < 0) return false;
    hid_t space = H5Dget_space(s->set);
    bool ok = space >= 0 && write_rows(s, space, rows);
    lmb_h5_drop(space);
    if (ok) s->written = rows;
    else H5Dset_extent(s->set, before);
    return ok;
}

static bool write_group(lmb_results *r, group *w) {
    bool ok = true;
    for (int k = 0; ok && k < w->stream_count; k++) ok = write_stream(r, &w->streams[k], w->rows);
    for (int k = 0; ok && k < 2; k++) ok = write_stream(r, &w->events[k], w->event_count);
    if (ok && w->stats_changed)
        ok = H5Dwrite(w->stats_set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->stats) >= 0;
    if (ok) w->stats_changed = false;
    return ok;
}

static bool write_all(lmb_results *r) {
    for (int g = 0; g < r->group_count; g++)
        if (!write_group(r, &r->groups[g])) return false;
    r->last_flush = lmb_clock();
    if (H5Fflush(r->file, H5F_SCOPE_LOCAL) < 0) return false;
    for (int g = 0; g < r->group_count; g++)
        if (!write_counts(&r->groups[g], r->groups[g].rows, r->groups[g].event_count)) return false;
    return true;
}

// what is written is still found under its name
static lmb_status check_there(const lmb_results *r, lmb_error *err) {
    lmb_file_about own, there;
    if (lmb_file_look(&own, r->lock) && lmb_path_look(&there, r->path) && own.device == there.device &&
        own.inode == there.inode)
        return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                    "'%.400s' was removed or replaced while it was being written; run again", r->path);
}

static lmb_status flush(lmb_results *r, lmb_error *err) {
    lmb_h5_begin(&r->h5);
    bool ok = write_all(r);
    lmb_h5_end(&r->h5);
    return ok ? check_there(r, err) : lmb_h5_fail(err, &r->h5, "write", r->path);
}

static lmb_status flush_if_due(lmb_results *r, lmb_error *err) {
    return lmb_clock() - r->last_flush >= r->flush_seconds ? flush(r, err) : LMB_OK;
}

static bool is_full(const stream *s, long rows) {
    return s->set >= 0 && rows > s->written && rows % s->chunk_rows == 0;
}

static lmb_status make_room(lmb_results *r, stream *streams, int count, long rows, lmb_error *err) {
    for (int k = 0; k < count; k++) {
        if (!is_full(&streams[k], rows)) continue;
        lmb_h5_begin(&r->h5);
        bool ok = write_stream(r, &streams[k], rows);
        lmb_h5_end(&r->h5);
        if (!ok) return lmb_h5_fail(err, &r->h5, "write", r->path);
    }
    return LMB_OK;
}

static void put(stream *s, long rows, const void *row) {
    if (s->set >= 0) memcpy(s->buffer + (size_t)(rows - s->written) * s->row_bytes, row, s->row_bytes);
}

static group *group_at(lmb_results *r, int g) {
    assert(g >= 0 && g < r->group_count);
    return &r->groups[g];
}

lmb_status lmb_results_row(lmb_results *r, int g, double time, const double *const *rows, lmb_error *err) {
    group *w = group_at(r, g);
    lmb_status status = make_room(r, w->streams, w->stream_count, w->rows, err);
    if (status != LMB_OK) return status;
    put(&w->streams[0], w->rows, &time);
    for (int k = 1; k < w->stream_count; k++) put(&w->streams[k], w->rows, rows[k - 1]);
    w->rows++;
    return flush_if_due(r, err);
}

lmb_status lmb_results_fill(lmb_results *r, int g, int k, const double *values, lmb_error *err) {
    group *w = group_at(r, g);
    assert(k >= 0 && k + 1 < w->stream_count);
    const stream *s = &w->streams[k + 1];
    if (s->set < 0 || w->rows == 0) return LMB_OK;
    lmb_h5_begin(&r->h5);
    bool ok = write_all(r) && H5Dwrite(s->set, s->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 &&
              H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
    lmb_h5_end(&r->h5);
    return ok ? check_there(r, err) : lmb_h5_fail(err, &r->h5, "write", r->path);
}

lmb_h5 *lmb_results_begin(hid_t *file, char *name, size_t size, lmb_results *r, int g, uint64_t bytes) {
    lmb_h5_begin(&r->h5);
    *file = r->file;
    snprintf(name, size, "%s", group_at(r, g)->name);
    if (!write_all(r) || !reserve(r, bytes)) lmb_h5_reason(&r->h5, "no room");
    return &r->h5;
}

lmb_status lmb_results_end(lmb_results *r, bool ok, lmb_error *err) {
    lmb_h5_end(&r->h5);
    return ok ? check_there(r, err) : lmb_h5_fail(err, &r->h5, "write", r->path);
}

// copies as much as fits of a text, whole UTF-8 characters, and fills up with zeros
static void fit_text(char *out, size_t size, const char *text) {
    size_t n = strlen(text);
    if (n >= size)
        for (n = size - 1; n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80;) n--;
    memset(out, 0, size);
    memcpy(out, text, n);
}

lmb_status lmb_results_event(lmb_results *r, int g, double time, const char *text, lmb_error *err) {
    group *w = group_at(r, g);
    lmb_status status = make_room(r, w->events, 2, w->event_count, err);
    if (status != LMB_OK) return status;
    char fitted[LMB_H5_EVENT];
    fit_text(fitted, sizeof fitted, text);
    put(&w->events[0], w->event_count, &time);
    put(&w->events[1], w->event_count, fitted);
    w->event_count++;
    return flush_if_due(r, err);
}

lmb_status lmb_results_stats(lmb_results *r, int g, const double *stats, lmb_error *err) {
    group *w = group_at(r, g);
    if (w->stat_count == 0) return LMB_OK;
    memcpy(w->stats, stats, (size_t)w->stat_count * sizeof *stats);
    w->stats_changed = true;
    return flush_if_due(r, err);
}

static bool write_text(hid_t set, const char *text, size_t size) {
    hid_t type = lmb_h5_string(size);
    bool ok = type >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    lmb_h5_drop(type);
    return ok;
}

lmb_status lmb_results_status(lmb_results *r, int g, const char *status, const char *text, lmb_error *err) {
    group *w = group_at(r, g);
    char fitted[LMB_H5_TEXT];
    fit_text(w->status, sizeof w->status, status);
    fit_text(fitted, sizeof fitted, text ? text : "");
    lmb_h5_begin(&r->h5);
    bool ok = write_all(r) && write_text(w->text_set, fitted, sizeof fitted) &&
              write_text(w->status_set, w->status, sizeof w->status) &&
              H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
    lmb_h5_end(&r->h5);
    return ok ? check_there(r, err) : lmb_h5_fail(err, &r->h5, "write", r->path);
}

const char *lmb_results_group_status(const lmb_results *r, int g) {
    assert(g >= 0 && g < r->group_count);
    return r->groups[g].status;
}

long lmb_results_rows(const lmb_results *r, int g) {
    assert(g >= 0 && g < r->group_count);
    return r->groups[g].rows;
}

lmb_status lmb_results_close(lmb_results *r, lmb_error *err) {
    if (r == NULL) return LMB_OK;
    lmb_h5_begin(&r->h5);
    bool written = write_all(r);
    for (int g = 0; g < r->group_count && !written; g++) {
        count_written(&r->groups[g]); // the disk is full: keep what is there, all datasets equally long
        cut_rests(&r->groups[g]);
    }
    bool closed = close_file(r);
    lmb_h5_end(&r->h5);
    lmb_status status = written && closed ? check_there(r, err) : lmb_h5_fail(err, &r->h5, "write", r->path);
    destroy(r);
    return status;
}

// ---- checkpoints, continuing -------------------------------------------------------------------

static bool write_slot(group *w, int k) {
    return H5Dwrite(w->slot_sets[k], H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, w->slot) >= 0;
}

lmb_status lmb_results_checkpoint(lmb_results *r, int g, const void *bytes, size_t size, lmb_error *err) {
    group *w = group_at(r, g);
    assert(w->checkpoint_size > 0 && size <= w->checkpoint_size);
    int older = w->sequence > 0 ? 1 - w->newest : 0;
    lmb_h5_slot_header header = {
        SLOT_MAGIC, w->sequence + 1, (uint64_t)w->rows, (uint64_t)w->event_count, size, 0};
    memset(w->slot, 0, sizeof header + w->checkpoint_size);
    memcpy(w->slot, &header, sizeof header);
    memcpy(w->slot + sizeof header, bytes, size);
    header.hash = slot_hash(w->slot, size);
    memcpy(w->slot, &header, sizeof header);
    lmb_h5_begin(&r->h5);
    bool ok = write_all(r) && write_slot(w, older) && H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
    lmb_h5_end(&r->h5);
    if (!ok) return lmb_h5_fail(err, &r->h5, "write", r->path);
    w->newest = older;
    w->sequence++;
    return check_there(r, err);
}

// a checkpoint of rows or events that will be gone must not be taken for valid later
static bool wipe_later_slots(group *w, long rows, long events) {
    lmb_h5_slot_header header;
    for (int k = 0; k < 2 && w->checkpoint_size > 0; k++) {
        if (!load_slot(&header, w, k)) continue;
        if (header.rows <= (uint64_t)rows && header.events <= (uint64_t)events) continue;
        memset(w->slot, 0, sizeof header);
        if (!write_slot(w, k)) return false;
    }
    return true;
}

// the counts go first: HDF5 clears the rows in the file before it shortens the dataset
static bool cut_group(lmb_results *r, group *w, long rows, long events) {
    bool ok = write_all(r) && wipe_later_slots(w, rows, events) && write_counts(w, rows, events);
    for (int k = 0; ok && k < w->stream_count; k++) ok = cut_stream(&w->streams[k], rows);
    for (int k = 0; ok && k < 2; k++) ok = cut_stream(&w->events[k], events);
    if (!ok) return false;
    w->rows = rows;
    w->event_count = events;
    find_newest(w);
    return H5Fflush(r->file, H5F_SCOPE_LOCAL) >= 0;
}

// how many events are not later than the last of the rows
static bool events_until(lmb_h5 *h, long *events, group *w, long rows) {
    *events = 0;
    if (rows == 0 || w->event_count == 0) return true;
    double *times = lmb_alloc((size_t)w->event_count + (size_t)w->rows, sizeof *times);
    if (times == NULL) return lmb_h5_reason(h, "out of memory");
    double *all = times + w->event_count;
    bool ok = H5Dread(w->events[0].set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0 &&
              H5Dread(w->streams[0].set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    while (ok && *events < w->event_count && times[*events] <= all[rows - 1]) ++*events;
    lmb_free(times);
    return ok;
}

lmb_status lmb_results_truncate(lmb_results *r, int g, long rows, lmb_error *err) {
    group *w = group_at(r, g);
    long events = 0;
    assert(rows >= 0 && rows <= w->rows);
    if (rows == w->rows && rows > 0) return LMB_OK;
    lmb_h5_begin(&r->h5);
    bool ok = write_all(r) && events_until(&r->h5, &events, w, rows) && cut_group(r, w, rows, events);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : lmb_h5_fail(err, &r->h5, "write", r->path);
}

lmb_status lmb_results_rewind(lmb_results *r, int g, lmb_error *err) {
    group *w = group_at(r, g);
    lmb_h5_slot_header header = {0};
    lmb_h5_begin(&r->h5);
    find_newest(w);
    bool ok = w->sequence == 0 || !load_slot(&header, w, w->newest) ||
              cut_group(r, w, (long)header.rows, (long)header.events);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : lmb_h5_fail(err, &r->h5, "write", r->path);
}

lmb_status lmb_results_restore(lmb_results *r, int g, void *bytes, size_t size, bool *found, long *rows,
                               lmb_error *err) {
    group *w = group_at(r, g);
    lmb_h5_slot_header header = {0};
    *rows = 0;
    lmb_h5_begin(&r->h5);
    find_newest(w);
    *found = w->sequence > 0 && load_slot(&header, w, w->newest);
    bool fits = header.size == size;
    if (*found && fits) {
        memcpy(bytes, w->slot + sizeof header, size);
        *rows = (long)header.rows;
    }
    lmb_h5_end(&r->h5);
    if (!*found || fits) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "the checkpoint in '%.400s' has %lu bytes, but this model needs %lu: the model or the "
                    "version of limber has changed",
                    r->path, (unsigned long)header.size, (unsigned long)size);
}

// ---- reopen ------------------------------------------------------------------------------------

static lmb_status fail_differs(lmb_error *err, const char *path, const char *group_name, const char *what) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "cannot resume '%.300s': %s of '%s' differ from this run because the model or the "
                    "version of limber has changed; restore it or write to another file",
                    path, what, group_name);
}

static bool same_names(const lmb_series *s, const void *list, int count, lmb_h5_text_of text) {
    if (s->columns != count) return false;
    for (int i = 0; i < count; i++)
        if (strcmp(s->names[i], text(list, i)) != 0) return false;
    return true;
}

static bool same_units(const lmb_series *s, const lmb_column *columns) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->units[i], lmb_h5_unit_of(columns, i)) != 0) return false;
    return true;
}

static lmb_status match_tables(lmb_reader *old, int g, const lmb_group *now, const char *path,
                               lmb_error *err) {
    int stored = 0;
    for (int k = 0; k < now->table_count; k++) {
        const lmb_table *t = &now->tables[k];
        if (t->count == 0) continue;
        if (stored >= lmb_reader_table_count(old, g) ||
            strcmp(lmb_reader_table_name(old, g, stored++), t->name) != 0)
            return fail_differs(err, path, now->name, "the tables");
        lmb_series s;
        lmb_status status = lmb_reader_columns(&s, old, g, t->name, err);
        if (status != LMB_OK) return status;
        bool same = same_names(&s, t->columns, t->count, lmb_h5_name_of) && same_units(&s, t->columns);
        lmb_series_free(&s);
        if (!same) return fail_differs(err, path, now->name, "the columns");
    }
    return stored == lmb_reader_table_count(old, g) ? LMB_OK
                                                    : fail_differs(err, path, now->name, "the tables");
}

static lmb_status match_group(lmb_reader *old, int g, const lmb_group *now, const char *path,
                              lmb_error *err) {
    bool same = strcmp(lmb_reader_group_name(old, g), now->name) == 0 &&
                strcmp(lmb_reader_group_attribute(old, g, "type"), now->type) == 0;
    if (!same) return fail_differs(err, path, now->name, "name and type");
    lmb_series stats;
    lmb_status status = lmb_reader_stats(&stats, old, g, err);
    if (status != LMB_OK) return status;
    same = same_names(&stats, now->stat_names, now->stat_count, lmb_h5_text_at);
    lmb_series_free(&stats);
    if (!same) return fail_differs(err, path, now->name, "the statistics");
    long slot = now->checkpoint_size > 0 ? (long)(sizeof(lmb_h5_slot_header) + now->checkpoint_size) : -1;
    if (lmb_reader_slot_size(old, g) != slot) return fail_differs(err, path, now->name, "the checkpoints");
    return match_tables(old, g, now, path, err);
}

static lmb_status match_file(const char *path, const lmb_group *groups, int group_count, lmb_error *err) {
    lmb_reader *old;
    lmb_status status = lmb_reader_open(&old, path, err);
    if (status != LMB_OK) return status;
    if (lmb_reader_group_count(old) != group_count)
        status = fail_differs(err, path, "the file", "the analyses");
    for (int g = 0; status == LMB_OK && g < group_count; g++)
        status = match_group(old, g, &groups[g], path, err);
    lmb_reader_close(old);
    return status;
}

static lmb_status take_file(lmb_results *r, lmb_error *err) {
    r->lock = lmb_file_open(r->path, LMB_FILE_CHANGE);
    if (r->lock < 0) return lmb_output_fail(err, r->path, errno);
    return lmb_writer_lock(r->lock) ? LMB_OK : fail_busy(err, r->path);
}

// finished: as it is; killed: repaired
static bool reopen_file(lmb_results *r) {
    if (open_file(r, r->path, LMB_H5_HEED)) return true;
    r->h5.reason[0] = '\0';
    return open_file(r, r->path, LMB_H5_REPAIR);
}

lmb_status lmb_results_reopen(lmb_results **out, const char *path, const lmb_group *groups, int group_count,
                              double flush_seconds, lmb_error *err) {
    *out = NULL;
    lmb_results *r = allocate(path, flush_seconds);
    if (r == NULL) return lmb_fail_memory(err);
    lmb_status status = take_file(r, err);
    if (status == LMB_OK) status = match_file(path, groups, group_count, err);
    if (status == LMB_OK) {
        lmb_h5_begin(&r->h5);
        bool ok = reopen_file(r) && open_groups(r, groups, group_count);
        if (!ok) status = lmb_h5_fail(err, &r->h5, "continue", path);
        lmb_h5_end(&r->h5);
    }
    if (status == LMB_OK) *out = r;
    else destroy(r);
    return status;
}
