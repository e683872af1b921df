// read/model_file.c: reads a model file and the files it refers to: include, and assemblies with `file`.
#include "read/model_file.h"

#include "os/files.h"
#include "read/robot.h"
#include "read/yaml.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

// A file that is being read, and the one that refers to it.
typedef struct open_file {
    const struct open_file *outer; // NULL: the main file
    const char *path;
    uint64_t device, inode;
} open_file;

// Files included into one model, each once.
typedef struct included {
    struct included *next;
    uint64_t device, inode;
} included;

static lmb_status finish_model(lmb_yaml_reader *r, lmb_node *model, const open_file *file);
static lmb_status read_path(lmb_node **out, open_file *file, lmb_yaml_reader *r, const char *path,
                            const open_file *outer, lmb_where where);

// ---- bytes -------------------------------------------------------------------------------------

static lmb_status fail_file(lmb_yaml_reader *r, lmb_where where, const char *path, const char *why) {
    return lmb_fail(r->err, LMB_ERR_INPUT, where, "cannot read '%s': %s", path, why);
}

static lmb_status fail_errno(lmb_yaml_reader *r, lmb_where where, const char *path, int code) {
    const char *why = code == ENOENT || code == ENOTDIR ? "no such file; check the name and the folder"
                      : code == EACCES                  ? "permission denied"
                      : code == EISDIR                  ? "is a folder; name a model file in it"
                                                        : NULL;
    if (why) return fail_file(r, where, path, why);
    return lmb_fail(r->err, LMB_ERR_INPUT, where, "cannot read '%s': system error %d", path, code);
}

// all bytes of fd, up to the cap
static lmb_status read_bytes(lmb_text *out, int fd, lmb_yaml_reader *r, const char *path, lmb_where where) {
    char buffer[16384];
    for (;;) {
        ssize_t n = read(fd, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(r, where, path, errno);
        if (!lmb_text_add_n(out, buffer, (size_t)n)) return lmb_fail_memory(r->err);
        if (n == 0) return LMB_OK;
        if (out->length > LMB_YAML_MAX_BYTES)
            return fail_file(r, where, path, "larger than 64 MB; keep bulk data in a separate file");
    }
}

// opens path, records its identity, reads it
static lmb_status read_whole(lmb_text *out, open_file *file, lmb_yaml_reader *r, lmb_where where) {
    int fd = lmb_file_open(file->path, LMB_FILE_READ);
    if (fd < 0) return fail_errno(r, where, file->path, errno);
    lmb_file_about about;
    lmb_status status = LMB_OK;
    if (!lmb_file_look(&about, fd)) status = fail_errno(r, where, file->path, errno);
    else if (about.folder) status = fail_errno(r, where, file->path, EISDIR);
    else {
        file->device = about.device;
        file->inode = about.inode;
        status = read_bytes(out, fd, r, file->path, where);
    }
    close(fd);
    return status;
}

// ---- which files -------------------------------------------------------------------------------

// "a.yaml -> b.yaml -> a.yaml": the files from the first reading of file to this one
static bool add_circle(lmb_text *text, const open_file *f, const open_file *file) {
    bool again = f->device == file->device && f->inode == file->inode;
    if (f != file && again) return lmb_text_add(text, "%s", f->path);
    return add_circle(text, f->outer, file) && lmb_text_add(text, " -> %s", f->path);
}

static lmb_status check_circle(lmb_yaml_reader *r, const open_file *file, lmb_where where) {
    int depth = 0;
    for (const open_file *f = file->outer; f; f = f->outer) {
        if (++depth >= LMB_YAML_MAX_FILE_DEPTH)
            return lmb_fail(r->err, LMB_ERR_INPUT, where, "files are nested more than %d levels deep",
                            LMB_YAML_MAX_FILE_DEPTH);
        if (f->device != file->device || f->inode != file->inode) continue;
        lmb_text text = {0};
        lmb_status status = add_circle(&text, file, file)
                                ? lmb_fail(r->err, LMB_ERR_INPUT, where,
                                           "circular include: %s; remove one of these references", text.text)
                                : lmb_fail_memory(r->err);
        lmb_text_free(&text);
        return status;
    }
    return LMB_OK;
}

// path as written in a file: relative to that file's folder
static const char *join(lmb_yaml_reader *r, const char *base, const char *path) {
    const char *slash = strrchr(base, '/');
    if (path[0] == '/' || slash == NULL) return path;
    return lmb_arena_printf(r->s->arena, "%.*s/%s", (int)(slash - base), base, path);
}

static lmb_status read_path(lmb_node **out, open_file *file, lmb_yaml_reader *r, const char *path,
                            const open_file *outer, lmb_where where) {
    *file = (open_file){.outer = outer, .path = path};
    if (++r->files > LMB_YAML_MAX_FILES)
        return lmb_fail(r->err, LMB_ERR_INPUT, where, "the model includes more than %d files",
                        LMB_YAML_MAX_FILES);
    lmb_text text = {0};
    lmb_status status = read_whole(&text, file, r, where);
    if (status == LMB_OK) status = check_circle(r, file, where);
    if (status == LMB_OK && lmb_robot_is(path))
        status = lmb_robot_read(out, r, text.text, text.length, path, r->how);
    else if (status == LMB_OK) status = lmb_yaml_parse(out, r, text.text, text.length, path);
    if (status == LMB_OK && outer == NULL) {
        r->s->text = lmb_arena_strdup(r->s->arena, text.text);
        if (r->s->text == NULL) status = lmb_fail_memory(r->err);
    }
    lmb_text_free(&text);
    return status;
}

// the file that node n names
static lmb_status read_named(lmb_node **out, open_file *file, lmb_yaml_reader *r, const lmb_node *n,
                             const open_file *outer) {
    if (n->kind != LMB_NODE_SCALAR || *n->text == '\0')
        return lmb_fail(r->err, LMB_ERR_INPUT, n->where, "expected a file name");
    if (outer == NULL)
        return lmb_fail(r->err, LMB_ERR_INPUT, n->where,
                        "a model given as text cannot refer to other files; read it from a file");
    const char *path = join(r, n->where.file, n->text);
    if (path == NULL) return lmb_fail_memory(r->err);
    return read_path(out, file, r, path, outer, n->where);
}

// ---- include -----------------------------------------------------------------------------------

static lmb_status fail_double(lmb_yaml_reader *r, const lmb_node *n, const lmb_node *first,
                              const char *what) {
    return lmb_fail(r->err, LMB_ERR_INPUT, n->key_where,
                    "%s '%s' is already defined at %s:%d:%d; rename or remove one", what, n->key,
                    first->key_where.file ? first->key_where.file : "line", first->key_where.line,
                    first->key_where.col);
}

static lmb_status index_children(lmb_names *names, lmb_yaml_reader *r, lmb_node *map) {
    for (lmb_node *n = map->first; n; n = n->next) {
        void **slot = lmb_names_slot(names, n->key);
        if (slot == NULL) return lmb_fail_memory(r->err);
        *slot = n;
    }
    return LMB_OK;
}

// moves the entries of section from to section to
static lmb_status join_sections(lmb_yaml_reader *r, lmb_node *to, lmb_node *from) {
    lmb_names names = {.arena = r->scratch};
    bool map = to->kind == LMB_NODE_MAP;
    lmb_status status = map ? index_children(&names, r, to) : LMB_OK;
    for (lmb_node *n = from->first, *next; n && status == LMB_OK; n = next) {
        next = n->next;
        const lmb_node *first = map ? lmb_names_get(&names, n->key) : NULL;
        if (first) return fail_double(r, n, first, "name");
        lmb_node_append(to, n, n->key);
    }
    return status;
}

// `repeat` may be a single map; to join two they must be lists
static lmb_status make_list(lmb_yaml_reader *r, lmb_node *n) {
    if (n->kind != LMB_NODE_MAP) return LMB_OK;
    lmb_node *only = lmb_node_create(r->s, LMB_NODE_MAP, n->where);
    if (only == NULL) return lmb_fail_memory(r->err);
    only->first = n->first, only->last = n->last, only->count = n->count;
    n->kind = LMB_NODE_LIST;
    n->first = n->last = only;
    n->count = 1;
    return LMB_OK;
}

static lmb_status check_units(lmb_yaml_reader *r, const lmb_node *model, const lmb_node *included_units) {
    lmb_units a, b;
    lmb_status status = lmb_spec_units(&a, r->s, lmb_node_find(model, "units"), r->err);
    if (status == LMB_OK) status = lmb_spec_units(&b, r->s, included_units, r->err);
    if (status || (a.length == b.length && a.mass == b.mass && a.time == b.time)) return status;
    return lmb_fail(r->err, LMB_ERR_INPUT, included_units->where,
                    "this file is included by a file with different units; use the same `units:` in both");
}

static lmb_status add_section(lmb_yaml_reader *r, lmb_node *model, lmb_names *sections, lmb_node *n) {
    void **slot = lmb_names_slot(sections, n->key);
    if (slot == NULL) return lmb_fail_memory(r->err);
    lmb_node *to = *slot;
    if (to == NULL) {
        lmb_node_append(model, n, n->key);
        *slot = n;
        return LMB_OK;
    }
    lmb_status status = LMB_OK;
    if (strcmp(n->key, "repeat") == 0) status = make_list(r, to) == LMB_OK ? make_list(r, n) : LMB_ERR_SYSTEM;
    if (status) return status;
    if (n->kind == LMB_NODE_NULL) return LMB_OK;
    if (to->kind == LMB_NODE_NULL) to->kind = n->kind, to->text = n->text, to->quoted = n->quoted;
    else if (to->kind != n->kind || n->kind == LMB_NODE_SCALAR) return fail_double(r, n, to, "section");
    return join_sections(r, to, n);
}

// adds the sections of part to model
static lmb_status merge(lmb_yaml_reader *r, lmb_node *model, lmb_node *part) {
    lmb_names sections = {.arena = r->scratch};
    lmb_status status = index_children(&sections, r, model);
    for (lmb_node *n = part->first, *next; n && status == LMB_OK; n = next) {
        next = n->next;
        if (strcmp(n->key, "units") == 0) status = check_units(r, model, n);
        else if (strcmp(n->key, "limber") != 0) status = add_section(r, model, &sections, n);
        else if (n->kind != LMB_NODE_SCALAR || strcmp(n->text, "1") != 0)
            status = lmb_fail(r->err, LMB_ERR_INPUT, n->where,
                              "unsupported format version; this program reads format 1 (`limber: 1`)");
    }
    return status;
}

static lmb_node *take(lmb_node *map, const char *key) {
    lmb_node *before = NULL;
    for (lmb_node *n = map->first; n; before = n, n = n->next) {
        if (strcmp(n->key, key) != 0) continue;
        if (before) before->next = n->next;
        else map->first = n->next;
        if (map->last == n) map->last = before;
        map->count--;
        n->next = NULL;
        return n;
    }
    return NULL;
}

// reads the file that n names and, recursively, its includes into model; each file once
static lmb_status include_files(lmb_yaml_reader *r, lmb_node *model, included **done, const open_file *file);

static lmb_status include_one(lmb_yaml_reader *r, lmb_node *model, included **done, const lmb_node *n,
                              const open_file *outer) {
    lmb_node *part;
    open_file file;
    lmb_status status = read_named(&part, &file, r, n, outer);
    if (status) return status;
    for (const included *d = *done; d; d = d->next)
        if (d->device == file.device && d->inode == file.inode) return LMB_OK;
    included *d = lmb_arena_get(r->scratch, 1, sizeof *d);
    if (d == NULL) return lmb_fail_memory(r->err);
    *d = (included){*done, file.device, file.inode};
    *done = d;
    status = include_files(r, part, done, &file);
    return status ? status : merge(r, model, part);
}

static lmb_status include_files(lmb_yaml_reader *r, lmb_node *model, included **done, const open_file *file) {
    lmb_node *include = take(model, "include");
    if (include == NULL || include->kind == LMB_NODE_NULL) return LMB_OK;
    if (include->kind == LMB_NODE_SCALAR) return include_one(r, model, done, include, file);
    if (include->kind != LMB_NODE_LIST)
        return lmb_fail(r->err, LMB_ERR_INPUT, include->where,
                        "include: expected a file name or a list of file names");
    lmb_status status = LMB_OK;
    for (const lmb_node *n = include->first; n && status == LMB_OK; n = n->next)
        status = include_one(r, model, done, n, file);
    return status;
}

// ---- assemblies --------------------------------------------------------------------------------

// keys that only robots have
static lmb_status check_robot_keys(lmb_yaml_reader *r, const lmb_node *assembly, const lmb_node *name) {
    bool robot = name && name->kind == LMB_NODE_SCALAR && lmb_robot_is(name->text);
    for (int i = 0; lmb_robot_keys[i] && !robot; i++) {
        const lmb_node *n = lmb_node_find(assembly, lmb_robot_keys[i]);
        if (n)
            return lmb_fail(r->err, LMB_ERR_INPUT, n->key_where,
                            "'%s' is for assemblies whose `file` is a robot (.urdf, .xml)", n->key);
    }
    return LMB_OK;
}

static const char *next_key(void *user, int i) {
    const lmb_node *n = ((const lmb_node *)user)->first;
    while (n && i-- > 0) n = n->next;
    return n ? n->key : NULL;
}

// puts the values of from in place of those of to; maps are merged, null takes an entry away. depth: of elements, which must be there
static lmb_status change(lmb_yaml_reader *r, lmb_node *to, lmb_node *from, int depth) {
    for (lmb_node *n = from->first, *next; n; n = next) {
        next = n->next;
        lmb_node *old = lmb_node_find(to, n->key);
        if (old == NULL && depth > 0) {
            const char *near = lmb_nearest(n->key, next_key, to);
            return lmb_fail(r->err, LMB_ERR_INPUT, n->key_where,
                            "change: the model of this assembly has no %s'%s'%s%s%s",
                            depth == 2 ? "section " : "", n->key, near ? "; did you mean '" : "",
                            near ? near : "", near ? "'?" : "");
        }
        bool maps = old && old->kind == LMB_NODE_MAP && n->kind == LMB_NODE_MAP;
        if (depth > 1 && !maps)
            return lmb_fail(r->err, LMB_ERR_INPUT, n->where,
                            "change: expected a map, such as {joints: {elbow: {motion: sin(t)}}}");
        lmb_status st = maps ? change(r, old, n, depth - 1) : LMB_OK;
        if (st != LMB_OK) return st;
        if (maps) continue;
        if (n->kind == LMB_NODE_NULL) take(to, n->key);
        else if (old == NULL) lmb_node_append(to, n, n->key);
        else
            *old = (lmb_node){.kind = n->kind,
                              .quoted = n->quoted,
                              .text = n->text,
                              .key = n->key,
                              .where = n->where,
                              .key_where = n->key_where,
                              .first = n->first,
                              .last = n->last,
                              .next = old->next,
                              .count = n->count};
    }
    return LMB_OK;
}

static lmb_status change_model(lmb_yaml_reader *r, lmb_node *assembly) {
    lmb_node *model = lmb_node_find(assembly, "model"), *changes = take(assembly, "change");
    if (changes == NULL || changes->kind == LMB_NODE_NULL || model == NULL || model->kind != LMB_NODE_MAP)
        return LMB_OK;
    if (changes->kind != LMB_NODE_MAP)
        return lmb_fail(r->err, LMB_ERR_INPUT, changes->where,
                        "change: expected a map, such as {joints: {elbow: {motion: sin(t)}}}");
    return change(r, model, changes, 2);
}

// an assembly's file becomes its model; that of a robot as if it had been written in place
static lmb_status finish_assembly(lmb_yaml_reader *r, lmb_node *assembly, const open_file *outer) {
    lmb_node *name = lmb_node_find(assembly, "file"), *model = lmb_node_find(assembly, "model");
    if (name && model)
        return lmb_fail(r->err, LMB_ERR_INPUT, model->key_where,
                        "an assembly takes either 'file' or 'model', not both");
    if (assembly->kind != LMB_NODE_MAP) return LMB_OK; // the reader of sections says so
    open_file file;
    lmb_status status = check_robot_keys(r, assembly, name);
    if (status == LMB_OK && name) {
        r->how = assembly;
        status = read_named(&model, &file, r, name, outer);
        r->how = NULL;
    }
    if (status == LMB_OK && model && model->kind == LMB_NODE_MAP)
        status = finish_model(r, model, name ? &file : outer);
    if (status == LMB_OK && name) lmb_node_append(assembly, model, "model");
    if (status == LMB_OK && name && lmb_robot_is(name->text)) {
        take(assembly, "file");
        for (int i = 0; lmb_robot_keys[i]; i++) take(assembly, lmb_robot_keys[i]);
    }
    return status == LMB_OK ? change_model(r, assembly) : status;
}

static lmb_status finish_group(lmb_yaml_reader *r, lmb_node *group, const open_file *file) {
    lmb_node *assemblies = lmb_node_find(group, "assemblies"), *repeat = lmb_node_find(group, "repeat");
    lmb_status status = LMB_OK;
    if (assemblies && assemblies->kind == LMB_NODE_MAP)
        for (lmb_node *a = assemblies->first; a && status == LMB_OK; a = a->next)
            status = finish_assembly(r, a, file);
    if (status == LMB_OK && repeat && repeat->kind == LMB_NODE_MAP) status = finish_group(r, repeat, file);
    if (status == LMB_OK && repeat && repeat->kind == LMB_NODE_LIST)
        for (lmb_node *g = repeat->first; g && status == LMB_OK; g = g->next)
            status = finish_group(r, g, file);
    return status;
}

// reads the files that the model refers to; file NULL: the model was given as text
static lmb_status finish_model(lmb_yaml_reader *r, lmb_node *model, const open_file *file) {
    included self = {.device = file ? file->device : 0, .inode = file ? file->inode : 0};
    included *done = file ? &self : NULL;
    lmb_status status = include_files(r, model, &done, file);
    return status ? status : finish_group(r, model, file);
}

// ---- the whole ---------------------------------------------------------------------------------

static lmb_status begin(lmb_yaml_reader *r, const char *name, lmb_error *err) {
    *r = (lmb_yaml_reader){.err = err};
    lmb_status status = lmb_spec_create(&r->s, err);
    if (status) return status;
    r->scratch = lmb_arena_create(4096);
    r->s->file = lmb_arena_strdup(r->s->arena, name);
    return r->scratch && r->s->file ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status end(lmb_spec **out, lmb_yaml_reader *r, lmb_status status) {
    lmb_arena_destroy(r->scratch);
    if (status) {
        lmb_spec_destroy(r->s);
        return status;
    }
    *out = r->s;
    return LMB_OK;
}

lmb_status lmb_yaml_read_file(lmb_spec **out, const char *path, lmb_error *err) {
    *out = NULL;
    lmb_yaml_reader r;
    open_file file;
    lmb_status status = begin(&r, path, err);
    if (status == LMB_OK) status = read_path(&r.s->root, &file, &r, r.s->file, NULL, LMB_NOWHERE);
    if (status == LMB_OK) status = finish_model(&r, r.s->root, &file);
    return end(out, &r, status);
}

lmb_status lmb_yaml_read_text(lmb_spec **out, const char *text, size_t length, const char *name,
                              lmb_error *err) {
    *out = NULL;
    lmb_yaml_reader r;
    lmb_status status = begin(&r, name ? name : "model", err);
    if (status == LMB_OK) status = lmb_yaml_parse(&r.s->root, &r, text, length, r.s->file);
    if (status == LMB_OK) status = finish_model(&r, r.s->root, NULL);
    if (status == LMB_OK) {
        char *copy = lmb_arena_get(r.s->arena, length + 1, 1);
        if (copy && length > 0) memcpy(copy, text, length);
        if (copy == NULL) status = lmb_fail_memory(err);
        r.s->text = copy;
    }
    return end(out, &r, status);
}
