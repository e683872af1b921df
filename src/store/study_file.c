// store/study_file.c: parameter studies in HDF5: one table of datasets serves writer and reader.
#include "store/study_file.h"

#include "os/files.h"
#include "os/outfile.h"
#include "store/h5_read.h"
#include "store/h5_write.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- the table ---------------------------------------------------------------------------------

typedef struct entry { // a dataset: texts or numbers, with the members of the struct that are its sizes
    const char *folder, *name, *unit, *doc;
    lmb_h5_kind kind;
    size_t data; // offset of double *, int * or char **
    int rank;
    size_t size[3]; // offsets of counts
} entry;

#define AT(member) offsetof(lmb_study_file, member)
enum { PARAMETERS, MEASURES, MEMBERS, SENSITIVITY, FOLDERS };
static const char *const folders[FOLDERS] = {"parameters", "measures", "members", "sensitivity"};
#define P "parameters"
#define M "measures"
#define K "members"
#define S "sensitivity"
// lists of names come before what they count
static const entry entries[] = {
    {P, "names", "", "parameters of the model", LMB_H5_STRING, AT(parameter_name), 1, {AT(parameters)}},
    {P, "sources", "", "how they vary", LMB_H5_STRING, AT(parameter_source), 1, {AT(parameters)}},
    {P, "scales", "", "linear or log", LMB_H5_STRING, AT(parameter_scale), 1, {AT(parameters)}},
    {P, "values", "", "row: member", LMB_H5_REAL, AT(parameter), 2, {AT(members), AT(parameters)}},
    {M, "names", "", "measures of a run", LMB_H5_STRING, AT(measure_name), 1, {AT(measures)}},
    {M, "sources", "", "their expressions", LMB_H5_STRING, AT(measure_source), 1, {AT(measures)}},
    {M, "units", "", "their units", LMB_H5_STRING, AT(measure_unit), 1, {AT(measures)}},
    {M, "values", "", "row: member; nan: none", LMB_H5_REAL, AT(measure), 2, {AT(members), AT(measures)}},
    {K,
     "status",
     "",
     "-1 not run, 0 done, 1 solver failure, 2 invalid input, 3 system error",
     LMB_H5_INT,
     AT(status),
     1,
     {AT(members)}},
    {K, "seconds", "s", "wall clock", LMB_H5_REAL, AT(seconds), 1, {AT(members)}},
    {K,
     "messages",
     "",
     "what members said; the first is empty",
     LMB_H5_STRING,
     AT(message_text),
     1,
     {AT(messages)}},
    {K, "message", "", "index into messages", LMB_H5_INT, AT(message), 1, {AT(members)}},
    {S, "columns", "", "indices", LMB_H5_STRING, AT(column), 1, {AT(columns)}},
    {S,
     "values",
     "",
     "measure, parameter, index",
     LMB_H5_REAL,
     AT(sensitivity),
     3,
     {AT(measures), AT(parameters), AT(columns)}},
};
#undef P
#undef M
#undef K
#undef S

static const char *const text_names[LMB_STUDY_TEXTS] = {"model",  "model_file", "model_path", "fingerprint",
                                                        "sample", "seed",       "keep"};

static int *count_at(const lmb_study_file *f, size_t member) { return (int *)((const char *)f + member); }
static void **data_at(const lmb_study_file *f, const entry *e) {
    return (void **)((const char *)f + e->data);
}

const char *lmb_study_status_name(int status) {
    static const char *const names[] = {"not run", "done", "solver failure", "invalid input", "system error"};
    return names[status >= 0 && status <= 3 ? status + 1 : status < 0 ? 0 : 4];
}

// ---- writing -----------------------------------------------------------------------------------

static const char *nth(const void *list, int i) { return ((const char *const *)list)[i]; }

static bool write_entry(lmb_h5 *h, hid_t place, const entry *e, const lmb_study_file *f) {
    hsize_t size[3];
    const void *data = *data_at(f, e);
    for (int i = 0; i < e->rank; i++) size[i] = (hsize_t)*count_at(f, e->size[i]);
    if (e->kind == LMB_H5_STRING) return lmb_h5_write_names(h, place, e->name, data, (int)size[0], nth);
    hid_t type = e->kind == LMB_H5_INT ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    return lmb_h5_write_set(place, e->name, type, e->rank, size, data,
                            (const char *const[2]){e->unit, e->doc});
}

static bool write_folder(lmb_h5 *h, hid_t file, const char *folder, const lmb_study_file *f) {
    hid_t id = H5Gcreate2(file, folder, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = id >= 0;
    for (int i = 0; i < LMB_COUNT(entries) && ok; i++)
        if (strcmp(entries[i].folder, folder) == 0) ok = write_entry(h, id, &entries[i], f);
    if (ok && strcmp(folder, folders[SENSITIVITY]) == 0) ok = lmb_h5_write_text(id, "method", f->method);
    lmb_h5_drop(id);
    return ok;
}

static bool write_contents(lmb_h5 *h, hid_t file, const void *study) {
    const lmb_study_file *f = study;
    int layout = LMB_STUDY_LAYOUT;
    bool ok = lmb_h5_text(file, "limber", f->version) && lmb_h5_text(file, "kind", "study") &&
              lmb_h5_attribute(file, "layout", H5T_NATIVE_INT, &layout) &&
              lmb_h5_text(file, "created", f->created) && lmb_h5_text(file, "command", f->command);
    for (int i = 0; i < LMB_STUDY_TEXTS && ok; i++) ok = lmb_h5_write_text(file, text_names[i], f->text[i]);
    for (int i = 0; i < FOLDERS && ok; i++) ok = write_folder(h, file, folders[i], f);
    return ok;
}

static size_t list_bytes(char **list, int count) {
    size_t longest = 1;
    for (int i = 0; i < count; i++)
        if (strlen(list[i]) > longest) longest = strlen(list[i]);
    return longest * (size_t)count;
}

// bytes that the file will take, about
static size_t bytes_of(const lmb_study_file *f) {
    size_t n = (size_t)f->members, p = (size_t)f->parameters, m = (size_t)f->measures,
           bytes = (1 << 17) + 8 * (n * (p + m + 3) + m * p * (size_t)f->columns);
    for (int i = 0; i < LMB_STUDY_TEXTS; i++) bytes += strlen(f->text[i]);
    return bytes + list_bytes(f->message_text, f->messages);
}

lmb_status lmb_study_file_check_output(const char *path, lmb_error *err) {
    lmb_file_about about;
    lmb_status st = lmb_output_check(path, NULL, err);
    if (st != LMB_OK || !lmb_path_look(&about, path) || about.bytes == 0 || lmb_study_file_is(path))
        return st;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s' exists and is not a study; remove it, or write to another file", path);
}

lmb_status lmb_study_file_write(const char *path, const lmb_study_file *f, lmb_error *err) {
    lmb_status st = lmb_study_file_check_output(path, err);
    lmb_h5_product study = {.bytes = bytes_of(f), .contents = write_contents, .user = f};
    return st ? st : lmb_h5_write_file(path, &study, err);
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct reader {
    lmb_h5 h;
    lmb_study_file *f;
    const char *path;
    int member, count; // the row wanted, -1: all; members of the file
    lmb_error *err;
} reader;

static const char no_memory[] = "out of memory";

static lmb_status damaged(const reader *r) {
    if (strcmp(r->h.reason, no_memory) == 0) return lmb_fail_memory(r->err);
    return lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is damaged or incomplete: %s", r->path,
                    r->h.reason[0] ? r->h.reason : "parts are missing");
}

static bool keep_text(const char **out, reader *r, char *text) {
    *out = text ? lmb_arena_strdup(r->f->arena, text) : NULL;
    if (text && *out == NULL) lmb_h5_reason(&r->h, no_memory);
    lmb_free(text);
    return *out != NULL;
}

// names sets the size that it counts, unless another list has set it already
static bool read_names(reader *r, hid_t place, const entry *e) {
    int found = 0, *count = count_at(r->f, e->size[0]);
    char **block = lmb_h5_names(&r->h, &found, place, e->name, *count < 0 ? LMB_H5_ANY : (uint64_t)*count);
    char **list = block ? lmb_arena_get(r->f->arena, (size_t)found + 1, sizeof *list) : NULL;
    bool ok = list || (block && lmb_h5_reason(&r->h, no_memory));
    for (int i = 0; ok && i < found; i++)
        ok = (list[i] = lmb_arena_strdup(r->f->arena, block[i])) || lmb_h5_reason(&r->h, no_memory);
    lmb_free(block);
    if (ok) *data_at(r->f, e) = list, *count = found;
    return ok;
}

// rows of members: the wanted one only; else all
static bool read_numbers(reader *r, hid_t place, const entry *e) {
    lmb_h5_rule rule = {e->kind, e->rank, {0}};
    bool by_member = e->size[0] == AT(members), some = by_member && r->member >= 0;
    for (int i = 0; i < e->rank; i++) {
        int count = by_member && i == 0 ? r->count : *count_at(r->f, e->size[i]);
        rule.size[i] = count < 0 ? LMB_H5_ANY : (uint64_t)count;
    }
    lmb_h5_set s;
    void *data = NULL;
    bool ok = lmb_h5_open(&s, &r->h, place, e->name, &rule);
    if (ok && by_member && s.rule.size[0] > INT_MAX / 64)
        ok = lmb_h5_reason(&r->h, "there are too many members");
    if (ok && by_member && r->member >= (int)s.rule.size[0])
        ok = lmb_h5_reason(&r->h, "there is no such member");
    uint64_t rows = some ? 1 : s.rule.size[0], first = some ? (uint64_t)r->member : 0;
    ok = ok && lmb_h5_holds(&r->h, &s, e->name, s.rule.size[0]);
    if (ok && by_member) r->count = (int)s.rule.size[0], r->f->members = (int)rows;
    if (ok) s.rule.size[0] = rows, data = lmb_arena_get(r->f->arena, (size_t)lmb_h5_elements(&s.rule) + 1, 8);
    if (ok && data == NULL) ok = lmb_h5_reason(&r->h, no_memory);
    if (ok) s.rule.size[0] = (uint64_t)(by_member ? r->count : (int)rows);
    ok = ok && lmb_h5_read_rows(data, &r->h, &s, first, rows);
    lmb_h5_close_set(&s);
    if (ok) *data_at(r->f, e) = data;
    return ok;
}

static bool read_folder(reader *r, hid_t file, const char *folder) {
    hid_t id = lmb_h5_group(&r->h, file, folder);
    bool ok = id >= 0;
    for (int i = 0; i < LMB_COUNT(entries) && ok; i++)
        if (strcmp(entries[i].folder, folder) == 0)
            ok = (entries[i].kind == LMB_H5_STRING ? read_names : read_numbers)(r, id, &entries[i]);
    if (ok && strcmp(folder, folders[SENSITIVITY]) == 0)
        ok = keep_text(&r->f->method, r, lmb_h5_take_text(&r->h, id, "method"));
    lmb_h5_drop(id);
    return ok;
}

static bool are_finite(const double *v, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(v[i])) return false;
    return true;
}

// numbers that others rely on
static bool check_contents(reader *r) {
    lmb_study_file *f = r->f;
    if (f->messages < 1) return lmb_h5_reason(&r->h, "it has no list of messages");
    if (!are_finite(f->parameter, (size_t)f->members * (size_t)f->parameters))
        return lmb_h5_reason(&r->h, "a value of a parameter is not a finite number");
    for (int k = 0; k < f->members; k++) {
        if (f->status[k] < LMB_STUDY_MISSING || f->status[k] > 3)
            return lmb_h5_reason(&r->h, "the status of a member is wrong");
        if (f->message[k] < 0 || f->message[k] >= f->messages)
            return lmb_h5_reason(&r->h, "the message of a member is missing");
    }
    return true;
}

static bool read_contents(reader *r, hid_t file) {
    lmb_study_file *f = r->f;
    f->parameters = f->measures = f->messages = f->columns = -1;
    bool ok = keep_text(&f->version, r, lmb_h5_take_attribute(&r->h, file, "limber")) &&
              keep_text(&f->created, r, lmb_h5_take_attribute(&r->h, file, "created")) &&
              keep_text(&f->command, r, lmb_h5_take_attribute(&r->h, file, "command"));
    for (int i = 0; i < LMB_STUDY_TEXTS && ok; i++)
        ok = keep_text(&f->text[i], r, lmb_h5_take_text(&r->h, file, text_names[i]));
    for (int i = 0; i < FOLDERS && ok; i++) ok = read_folder(r, file, folders[i]);
    return ok && check_contents(r);
}

static lmb_status read_checked(reader *r, hid_t file) {
    int layout = 0;
    char *kind = lmb_h5_has_attribute(file, "kind") ? lmb_h5_take_attribute(&r->h, file, "kind") : NULL;
    bool ours = kind && strcmp(kind, "study") == 0;
    lmb_free(kind);
    if (!ours)
        return r->h.reason[0]
                   ? damaged(r)
                   : lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is not a study", r->path);
    if (!lmb_h5_read_int(&layout, &r->h, file, "layout")) return damaged(r);
    if (layout > LMB_STUDY_LAYOUT)
        return lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%.400s' was written by a newer version of limber (layout %d; this program reads up "
                        "to %d); use that version",
                        r->path, layout, LMB_STUDY_LAYOUT);
    return read_contents(r, file) ? LMB_OK : damaged(r);
}

static lmb_status read_file(reader *r) {
    lmb_h5_begin(&r->h);
    hid_t file = lmb_h5_open_file(r->path, H5F_ACC_RDONLY, LMB_H5_HEED);
    lmb_status st = file < 0 ? damaged(r) : read_checked(r, file);
    if (file >= 0) H5Fclose(file);
    lmb_h5_end(&r->h);
    return st;
}

lmb_status lmb_study_file_read(lmb_study_file *out, int *count, const char *path, int member,
                               lmb_error *err) {
    reader r = {.f = out, .path = path, .member = member, .count = -1, .err = err};
    *out = (lmb_study_file){0};
    lmb_status st = lmb_h5_check_file(path, "study", err);
    if (st != LMB_OK) return st;
    out->arena = lmb_arena_create(1 << 14);
    st = out->arena ? read_file(&r) : lmb_fail_memory(err);
    if (count) *count = r.count;
    return st;
}

void lmb_study_file_free(lmb_study_file *f) {
    lmb_arena_destroy(f->arena);
    *f = (lmb_study_file){0};
}

bool lmb_study_file_is(const char *path) {
    lmb_h5 h = {0};
    if (lmb_h5_check_file(path, "study", NULL) != LMB_OK) return false;
    lmb_h5_begin(&h);
    hid_t file = lmb_h5_open_file(path, H5F_ACC_RDONLY, LMB_H5_HEED);
    char *kind =
        file >= 0 && lmb_h5_has_attribute(file, "kind") ? lmb_h5_take_attribute(&h, file, "kind") : NULL;
    bool is = kind && strcmp(kind, "study") == 0;
    lmb_free(kind);
    if (file >= 0) H5Fclose(file);
    lmb_h5_end(&h);
    return is;
}
