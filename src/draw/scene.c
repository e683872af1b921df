// draw/scene.c: scenes as JSON: the table of their keys, the writer, the reader.
//
// The reader fills structs while it passes over the text.  It does not use the tree of model files (read/yaml.h): that one
// knows anchors, units and expressions, where a scene has to be refused, and keeps numbers as texts with lines, where it needs
// numbers within limits.
#include "draw/scene.h"

#include "core/json.h"
#include "os/locale.h"

#include <stdio.h>
#include <string.h>

// ---- the table -----------------------------------------------------------------------------------

#define AT(type, member) offsetof(lmb_scene_##type, member)
#define RECORD(name, type, fields) \
    { name, sizeof(type), LMB_COUNT(fields), fields }
#define REQUIRED LMB_SCENE_REQUIRED
#define OPTIONAL LMB_SCENE_OPTIONAL

static const char *const forms[] = {"box", "sphere", "cylinder", NULL}; // lmb_scene_form

static const lmb_scene_field shape_fields[] = {
    {"kind", LMB_SCENE_CHOICE, REQUIRED, AT(shape, kind), .names = forms},
    {"at", LMB_SCENE_VECTOR, REQUIRED, AT(shape, at)},
    {"rotation", LMB_SCENE_ROTATION, REQUIRED, AT(shape, rotation),
     .note = "w, x, y, z; to the axes of the body"},
    {"size", LMB_SCENE_SIZES, REQUIRED, AT(shape, size),
     .note = "box: edges; sphere: radius; cylinder: radius, height along z"},
};
static const lmb_scene_record shape_record = RECORD("SceneShape", lmb_scene_shape, shape_fields);

static const lmb_scene_field flex_fields[] = {
    {"shape", LMB_SCENE_TEXT, OPTIONAL, AT(flex, shape), .note = "none: that of the body's name"},
    {"q", LMB_SCENE_INDEX, REQUIRED, AT(flex, q), .note = "column of the first elastic coordinate"},
    {"v", LMB_SCENE_INDEX, OPTIONAL, AT(flex, v), .note = "of its increment in mode shapes"},
    {"count", LMB_SCENE_COUNT, REQUIRED, AT(flex, count)},
    {"radius", LMB_SCENE_SIZE, OPTIONAL, AT(flex, radius), .note = "of a beam's section, the largest"},
    {"p", LMB_SCENE_INDEX, OPTIONAL, AT(flex, p), .note = "column of the first residual coordinate"},
    {"residuals", LMB_SCENE_COUNT, OPTIONAL, AT(flex, residuals), .note = "their number"},
};
static const lmb_scene_record flex_record = RECORD("SceneFlex", lmb_scene_flex, flex_fields);

static const lmb_scene_field body_fields[] = {
    {"name", LMB_SCENE_TEXT, REQUIRED, AT(body, name)},
    {"of", LMB_SCENE_TEXT, OPTIONAL, AT(body, of), .note = "the beam that it is a part of"},
    {"kind", LMB_SCENE_TEXT, REQUIRED, AT(body, kind)},
    {"q", LMB_SCENE_INDEX, REQUIRED, AT(body, q),
     .note = "column of x, then y, z and quaternion; -1: no pose, with flex: absolute coordinates"},
    {"v", LMB_SCENE_INDEX, OPTIONAL, AT(body, v), .note = "of its increment in mode shapes"},
    {"color", LMB_SCENE_TEXT, OPTIONAL, AT(body, color)},
    {"shapes", LMB_SCENE_LIST, OPTIONAL, AT(body, shapes), AT(body, shape_count), .of = &shape_record},
    {"flex", LMB_SCENE_MAP, OPTIONAL, AT(body, flex), .of = &flex_record},
};
static const lmb_scene_record body_record = RECORD("SceneBody", lmb_scene_body, body_fields);

static const lmb_scene_field marker_fields[] = {
    {"name", LMB_SCENE_TEXT, REQUIRED, AT(marker, name)},
    {"body", LMB_SCENE_INDEX, REQUIRED, AT(marker, body), .note = "-1: ground"},
    {"at", LMB_SCENE_VECTOR, REQUIRED, AT(marker, at)},
    {"rotation", LMB_SCENE_ROTATION, REQUIRED, AT(marker, rotation),
     .note = "w, x, y, z; to the axes of the body"},
    {"q", LMB_SCENE_INDEX, OPTIONAL, AT(marker, q), .note = "column of x; none: it goes with its body"},
    {"v", LMB_SCENE_INDEX, OPTIONAL, AT(marker, v), .note = "of its increment in mode shapes"},
};
static const lmb_scene_record marker_record = RECORD("SceneMarker", lmb_scene_marker, marker_fields);

static const lmb_scene_field link_fields[] = {
    {"name", LMB_SCENE_TEXT, REQUIRED, AT(link, name)},
    {"kind", LMB_SCENE_TEXT, REQUIRED, AT(link, kind)},
    {"markers", LMB_SCENE_INDICES, REQUIRED, AT(link, markers), AT(link, marker_count)},
    {"inner", LMB_SCENE_FLAG, OPTIONAL, AT(link, inner), .note = "between parts of one beam"},
    {"active", LMB_SCENE_INDEX, OPTIONAL, AT(link, active),
     .note = "column of table active; none: always on"},
};
static const lmb_scene_record link_record = RECORD("SceneLink", lmb_scene_link, link_fields);

#define IN(member) offsetof(lmb_scene, member)
static const lmb_scene_field scene_fields[] = {
    {"title", LMB_SCENE_TEXT, REQUIRED, IN(title)},
    {"length", LMB_SCENE_SIZE, REQUIRED, IN(length), .note = "characteristic length, 0: none"},
    {"gravity", LMB_SCENE_VECTOR, REQUIRED, IN(gravity)},
    {"labels", LMB_SCENE_FLAG, OPTIONAL, IN(labels), .note = "names are shown from the beginning"},
    {"bodies", LMB_SCENE_LIST, REQUIRED, IN(bodies), IN(body_count), .of = &body_record},
    {"markers", LMB_SCENE_LIST, REQUIRED, IN(markers), IN(marker_count), .of = &marker_record},
    {"joints", LMB_SCENE_LIST, REQUIRED, IN(joints), IN(joint_count), .of = &link_record},
    {"forces", LMB_SCENE_LIST, REQUIRED, IN(forces), IN(force_count), .of = &link_record},
};
static const lmb_scene_record scene_record = RECORD("Scene", lmb_scene, scene_fields);

const lmb_scene_record *const lmb_scene_table[] = {&shape_record, &flex_record,  &body_record, &marker_record,
                                                   &link_record,  &scene_record, NULL};

static const struct { // of numbers that a type has: how many, and the smallest
    int count;
    double least;
} numbers_of[] = {
    [LMB_SCENE_SIZE] = {1, 0},
    [LMB_SCENE_SIZES] = {3, 0},
    [LMB_SCENE_VECTOR] = {3, -LMB_SCENE_LARGEST},
    [LMB_SCENE_ROTATION] = {4, -LMB_SCENE_LARGEST},
    [LMB_SCENE_COUNT] = {1, 0},
    [LMB_SCENE_INDEX] = {1, -1},
    [LMB_SCENE_INDICES] = {0, 0},
};

// the value of a field in a record
#define VALUE(type, record, field) (*(type *)((char *)(record) + (field)->at))
#define LENGTH(record, field) (*(int *)((char *)(record) + (field)->count_at))

// pointers to records of any type
static void *pointer_of(const void *record, const lmb_scene_field *f) {
    void *p;
    memcpy(&p, (const char *)record + f->at, sizeof p);
    return p;
}

static void set_pointer(void *record, const lmb_scene_field *f, const void *p) {
    memcpy((char *)record + f->at, &p, sizeof p);
}

// ---- writer --------------------------------------------------------------------------------------

static bool write_record(lmb_text *out, const lmb_scene_record *type, void *record);

static bool write_numbers(lmb_text *out, const double *x, int count) {
    bool ok = lmb_text_add(out, "[");
    for (int i = 0; i < count && ok; i++) ok = lmb_text_add(out, "%s%.17g", i ? ", " : "", x[i]);
    return ok && lmb_text_add(out, "]");
}

static bool write_indices(lmb_text *out, const int *x, int count) {
    bool ok = lmb_text_add(out, "[");
    for (int i = 0; i < count && ok; i++) ok = lmb_text_add(out, "%s%d", i ? ", " : "", x[i]);
    return ok && lmb_text_add(out, "]");
}

static bool write_list(lmb_text *out, const lmb_scene_record *type, char *first, int count) {
    bool ok = lmb_text_add(out, "[");
    for (int i = 0; i < count && ok; i++)
        ok = lmb_text_add(out, i ? ",\n" : "\n") && write_record(out, type, first + (size_t)i * type->size);
    return ok && lmb_text_add(out, "]");
}

static bool write_value(lmb_text *out, const lmb_scene_field *f, void *record) {
    switch (f->type) {
    case LMB_SCENE_TEXT: return lmb_json_string(out, VALUE(const char *, record, f));
    case LMB_SCENE_FLAG: return lmb_text_add(out, VALUE(bool, record, f) ? "true" : "false");
    case LMB_SCENE_SIZE: return lmb_text_add(out, "%.17g", VALUE(double, record, f));
    case LMB_SCENE_SIZES:
    case LMB_SCENE_VECTOR:
    case LMB_SCENE_ROTATION: return write_numbers(out, &VALUE(double, record, f), numbers_of[f->type].count);
    case LMB_SCENE_COUNT:
    case LMB_SCENE_INDEX: return lmb_text_add(out, "%d", VALUE(int, record, f));
    case LMB_SCENE_CHOICE: return lmb_json_string(out, f->names[VALUE(int, record, f)]);
    case LMB_SCENE_INDICES: return write_indices(out, pointer_of(record, f), LENGTH(record, f));
    case LMB_SCENE_MAP: return write_record(out, f->of, pointer_of(record, f));
    case LMB_SCENE_LIST: return write_list(out, f->of, pointer_of(record, f), LENGTH(record, f));
    }
    return false;
}

// whether an optional field has a value
static bool has_value(const lmb_scene_field *f, void *record) {
    switch (f->type) {
    case LMB_SCENE_TEXT: return VALUE(const char *, record, f) != NULL;
    case LMB_SCENE_MAP: return pointer_of(record, f) != NULL;
    case LMB_SCENE_LIST: return LENGTH(record, f) > 0;
    case LMB_SCENE_FLAG: return VALUE(bool, record, f);
    case LMB_SCENE_SIZE: return VALUE(double, record, f) > 0;
    case LMB_SCENE_INDEX: return VALUE(int, record, f) >= 0;
    case LMB_SCENE_COUNT: return VALUE(int, record, f) > 0;
    default: return true;
    }
}

static bool write_record(lmb_text *out, const lmb_scene_record *type, void *record) {
    const char *separator = "";
    bool ok = lmb_text_add(out, "{");
    for (const lmb_scene_field *f = type->fields; f < type->fields + type->field_count && ok; f++) {
        if (f->need == OPTIONAL && !has_value(f, record)) continue;
        ok = lmb_text_add(out, "%s\"%s\": ", separator, f->key) && write_value(out, f, record);
        separator = ", ";
    }
    return ok && lmb_text_add(out, "}");
}

bool lmb_scene_write(lmb_text *out, const lmb_scene *s) {
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = write_record(out, &scene_record, (void *)s) && lmb_text_add(out, "\n");
    lmb_locale_end(locale);
    return ok;
}

// ---- reader --------------------------------------------------------------------------------------

typedef struct reader {
    lmb_json json;
    lmb_arena *arena;
    const char *file;
    lmb_status status;
    lmb_error *err;
} reader;

typedef struct place { // bodies[3].flex.q
    const struct place *up;
    const char *key;
    int index; // -1: none
} place;

static bool read_record(void *record, reader *r, const lmb_scene_record *type, const place *up);

static void add_place(char *out, size_t room, const place *p) {
    if (p->up) add_place(out, room, p->up);
    size_t n = strlen(out);
    if (p->key) snprintf(out + n, room - n, "%s%s", n ? "." : "", p->key);
    else snprintf(out + n, room - n, "[%d]", p->index);
}

// at the first fault of all
static bool complain(reader *r, const place *p) {
    char where[200] = "";
    if (r->status != LMB_OK) return false;
    if (p) add_place(where, sizeof where, p);
    r->status = lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE,
                         "the scene in '%.300s' is damaged: %s%s%s; compute the results again", r->file,
                         where, p ? ": " : "", r->json.fault);
    return false;
}

static void *get(reader *r, size_t count, size_t size) {
    void *p = lmb_arena_get(r->arena, count, size);
    if (p == NULL) r->status = lmb_fail_memory(r->err);
    return p;
}

static bool read_text(const char **out, reader *r) {
    size_t room = lmb_json_room(&r->json);
    if (room == 0) return lmb_json_fault(&r->json, "a text is expected");
    char *text = get(r, room, 1);
    *out = text;
    return text && lmb_json_text(text, room, &r->json);
}

static bool read_number(double *out, reader *r, double least, double most) {
    if (!lmb_json_number(out, &r->json)) return false;
    return (*out >= least && *out <= most) || lmb_json_fault(&r->json, "the number is out of range");
}

static bool read_whole(int *out, reader *r, double least) {
    double x = 0;
    if (!read_number(&x, r, least, LMB_SCENE_LAST_COLUMN)) return false;
    *out = (int)x;
    return x == *out || lmb_json_fault(&r->json, "an integer is expected");
}

// whether entry i comes, of those that were counted
static bool comes(reader *r, int i, int count) {
    return lmb_json_next(&r->json, ']', i) && (i < count || lmb_json_fault(&r->json, "the list is damaged"));
}

static bool read_numbers(double *out, reader *r, lmb_scene_type type) {
    int count = lmb_json_count(&r->json);
    if (count != numbers_of[type].count)
        return lmb_json_fault(&r->json, "the list has the wrong number of entries");
    lmb_json_enter(&r->json, '[');
    for (int i = 0; comes(r, i, count); i++)
        if (!read_number(&out[i], r, numbers_of[type].least, LMB_SCENE_LARGEST)) return false;
    double square = 0;
    for (int i = 0; i < count; i++) square += out[i] * out[i];
    if (type == LMB_SCENE_ROTATION && !(fabs(square - 1) < 1e-6))
        lmb_json_fault(&r->json, "a quaternion of length 1 is expected");
    return r->json.fault == NULL;
}

static bool read_choice(int *out, reader *r, const char *const *names) {
    char name[32] = "";
    size_t room = lmb_json_room(&r->json);
    if (room > 0 && room <= sizeof name && !lmb_json_text(name, room, &r->json)) return false;
    for (*out = 0; names[*out]; ++*out)
        if (strcmp(names[*out], name) == 0) return true;
    return lmb_json_fault(&r->json, "the name is not known");
}

static bool read_indices(void *record, reader *r, const lmb_scene_field *f) {
    int count = lmb_json_count(&r->json);
    int *list = count >= 0 ? get(r, (size_t)count, sizeof *list) : NULL;
    if (list == NULL) return false;
    set_pointer(record, f, list), LENGTH(record, f) = count;
    lmb_json_enter(&r->json, '[');
    for (int i = 0; comes(r, i, count); i++)
        if (!read_whole(&list[i], r, 0)) return false;
    return r->json.fault == NULL;
}

// bytes of a record in JSON, at least: "key":0,
static size_t least_bytes(const lmb_scene_record *type) {
    size_t bytes = 2;
    for (int i = 0; i < type->field_count; i++)
        if (type->fields[i].need == REQUIRED) bytes += strlen(type->fields[i].key) + 5;
    return bytes;
}

static bool read_list(void *record, reader *r, const lmb_scene_field *f, const place *up) {
    const lmb_scene_record *type = f->of;
    int count = lmb_json_count(&r->json);
    // no memory for more records than the text can hold
    if ((double)count * (double)least_bytes(type) > (double)(r->json.end - r->json.at))
        return lmb_json_fault(&r->json, "its entries lack keys");
    char *list = count >= 0 ? get(r, (size_t)count, type->size) : NULL;
    if (list == NULL) return false;
    set_pointer(record, f, list), LENGTH(record, f) = count;
    lmb_json_enter(&r->json, '[');
    for (int i = 0; comes(r, i, count); i++) {
        place here = {up, NULL, i};
        if (!read_record(list + (size_t)i * type->size, r, type, &here)) return false;
    }
    return r->json.fault == NULL;
}

static bool read_value(void *record, reader *r, const lmb_scene_field *f, const place *here) {
    switch (f->type) {
    case LMB_SCENE_TEXT: return read_text(&VALUE(const char *, record, f), r);
    case LMB_SCENE_FLAG: return lmb_json_flag(&VALUE(bool, record, f), &r->json);
    case LMB_SCENE_SIZE: return read_number(&VALUE(double, record, f), r, 0, LMB_SCENE_LARGEST);
    case LMB_SCENE_SIZES:
    case LMB_SCENE_VECTOR:
    case LMB_SCENE_ROTATION: return read_numbers(&VALUE(double, record, f), r, f->type);
    case LMB_SCENE_COUNT:
    case LMB_SCENE_INDEX: return read_whole(&VALUE(int, record, f), r, numbers_of[f->type].least);
    case LMB_SCENE_CHOICE: return read_choice(&VALUE(int, record, f), r, f->names);
    case LMB_SCENE_INDICES: return read_indices(record, r, f);
    case LMB_SCENE_MAP:
        set_pointer(record, f, get(r, 1, f->of->size));
        return pointer_of(record, f) && read_record(pointer_of(record, f), r, f->of, here);
    case LMB_SCENE_LIST: return read_list(record, r, f, here);
    }
    return false;
}

// the field of the key that comes, with its colon; NULL: not known, or a fault
static const lmb_scene_field *read_key(reader *r, const lmb_scene_record *type) {
    char key[32] = "";
    size_t room = lmb_json_room(&r->json);
    bool ok = lmb_json_text(room <= sizeof key ? key : NULL, room, &r->json) && lmb_json_colon(&r->json);
    for (int i = 0; i < type->field_count && ok; i++)
        if (strcmp(type->fields[i].key, key) == 0) return &type->fields[i];
    return NULL;
}

// every required key was there; optional ones that were not have no value
static bool finish_record(void *record, reader *r, const lmb_scene_record *type, unsigned seen,
                          const place *up) {
    for (int i = 0; i < type->field_count; i++) {
        const lmb_scene_field *f = &type->fields[i];
        if (seen >> i & 1) continue;
        place here = {up, f->key, -1};
        if (f->need == REQUIRED) return lmb_json_fault(&r->json, "the key is missing"), complain(r, &here);
        if (f->type == LMB_SCENE_INDEX) VALUE(int, record, f) = -1;
    }
    return true;
}

static bool read_record(void *record, reader *r, const lmb_scene_record *type, const place *up) {
    unsigned seen = 0;
    lmb_json_enter(&r->json, '{');
    for (int i = 0; lmb_json_next(&r->json, '}', i); i = 1) {
        const lmb_scene_field *f = read_key(r, type);
        if (f == NULL) {
            lmb_json_skip(&r->json);
            continue;
        }
        unsigned bit = 1u << (f - type->fields);
        place here = {up, f->key, -1};
        if (seen & bit) lmb_json_fault(&r->json, "the key occurs twice");
        if (r->json.fault || !read_value(record, r, f, &here)) return complain(r, &here);
        seen |= bit;
    }
    return r->json.fault ? complain(r, up) : finish_record(record, r, type, seen, up);
}

// ---- references ----------------------------------------------------------------------------------

static bool refuse(reader *r, const char *list, int index, const char *key, const char *fault) {
    place all = {NULL, list, -1}, one = {&all, NULL, index}, here = {&one, key, -1};
    lmb_json_fault(&r->json, fault);
    return complain(r, &here);
}

// a part follows its beam, or the part before it
static bool is_part(const lmb_scene_body *b, const lmb_scene_body *before) {
    return strcmp(b->of, before->name) == 0 || (before->of && strcmp(b->of, before->of) == 0);
}

static bool check_links(reader *r, const lmb_scene *s, const char *list, const lmb_scene_link *links,
                        int count) {
    for (int i = 0; i < count; i++) {
        if (links[i].marker_count < 2) return refuse(r, list, i, "markers", "two markers are expected");
        for (int k = 0; k < links[i].marker_count; k++)
            if (links[i].markers[k] >= s->marker_count)
                return refuse(r, list, i, "markers", "there is no such marker");
    }
    return true;
}

static bool check_references(reader *r, const lmb_scene *s) {
    for (int i = 0; i < s->body_count; i++)
        if (s->bodies[i].of && (i == 0 || !is_part(&s->bodies[i], &s->bodies[i - 1])))
            return refuse(r, "bodies", i, "of", "there is no such body before it");
    for (int i = 0; i < s->marker_count; i++)
        if (s->markers[i].body >= s->body_count)
            return refuse(r, "markers", i, "body", "there is no such body");
    return check_links(r, s, "joints", s->joints, s->joint_count) &&
           check_links(r, s, "forces", s->forces, s->force_count);
}

typedef struct columns { // of the tables of a group; -1: they are not there
    int q, v, active;
} columns;

static bool fits(int first, int count, int all) { return first < 0 || all < 0 || first + count <= all; }

static bool check_body_columns(reader *r, const lmb_scene *s, const columns *c) {
    static const char fault[] = "there is no such column";
    for (int i = 0; i < s->body_count; i++) {
        const lmb_scene_body *b = &s->bodies[i];
        // a single column: states of signals stood here, too; which columns are poses, their names say
        if (!fits(b->q, 1, c->q)) return refuse(r, "bodies", i, "q", fault);
        if (!fits(b->v, 6, c->v)) return refuse(r, "bodies", i, "v", fault);
        if (b->flex && b->flex->count > 0 && b->flex->q < 0) return refuse(r, "bodies", i, "flex.q", fault);
        if (b->flex && !fits(b->flex->q, b->flex->count, c->q))
            return refuse(r, "bodies", i, "flex.q", fault);
        if (b->flex && !fits(b->flex->v, b->flex->count, c->v))
            return refuse(r, "bodies", i, "flex.v", fault);
        if (b->flex && b->flex->residuals > 0 && b->flex->p < 0)
            return refuse(r, "bodies", i, "flex.p", fault);
        if (b->flex && !fits(b->flex->p, b->flex->residuals, c->q))
            return refuse(r, "bodies", i, "flex.p", fault);
    }
    return true;
}

static bool check_columns(reader *r, const lmb_scene *s, const columns *c) {
    static const char fault[] = "there is no such column";
    if (!check_body_columns(r, s, c)) return false;
    for (int i = 0; i < s->marker_count; i++) {
        if (!fits(s->markers[i].q, 7, c->q)) return refuse(r, "markers", i, "q", fault);
        if (!fits(s->markers[i].v, 6, c->v)) return refuse(r, "markers", i, "v", fault);
    }
    for (int i = 0; i < s->joint_count; i++)
        if (!fits(s->joints[i].active, 1, c->active)) return refuse(r, "joints", i, "active", fault);
    for (int i = 0; i < s->force_count; i++)
        if (!fits(s->forces[i].active, 1, c->active)) return refuse(r, "forces", i, "active", fault);
    return true;
}

// ---- the whole -----------------------------------------------------------------------------------

lmb_status lmb_scene_create(lmb_scene **out, lmb_error *err) {
    lmb_arena *arena = lmb_arena_create(1 << 12);
    *out = arena ? lmb_arena_get(arena, 1, sizeof **out) : NULL;
    if (*out == NULL) return lmb_arena_destroy(arena), lmb_fail_memory(err);
    **out = (lmb_scene){.arena = arena, .title = ""};
    return LMB_OK;
}

void lmb_scene_destroy(lmb_scene *s) {
    if (s) lmb_arena_destroy(s->arena);
}

lmb_status lmb_scene_read(lmb_scene **out, const char *text, size_t length, const char *file,
                          lmb_error *err) {
    lmb_status st = lmb_scene_create(out, err);
    if (st != LMB_OK) return st;
    reader r = {.json = {text, text + length, NULL}, .arena = (*out)->arena, .file = file, .err = err};
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = read_record(*out, &r, &scene_record, NULL) && (lmb_json_end(&r.json) || complain(&r, NULL)) &&
              check_references(&r, *out);
    lmb_locale_end(locale);
    if (ok) return LMB_OK;
    lmb_scene_destroy(*out);
    *out = NULL;
    return r.status;
}

// adds the columns of a table to *out; -1: it is not there
static lmb_status add_columns(int *out, lmb_reader *r, int g, const char *table, lmb_error *err) {
    lmb_series s = {0};
    if (!lmb_reader_has_table(r, g, table)) return LMB_OK;
    lmb_status st = lmb_reader_columns(&s, r, g, table, err);
    *out = (*out < 0 ? 0 : *out) + s.columns;
    lmb_series_free(&s);
    return st;
}

static lmb_status check_group(const lmb_scene *s, lmb_reader *r, int g, lmb_error *err) {
    columns c = {-1, -1, -1};
    reader messages = {.file = lmb_reader_path(r), .err = err};
    lmb_status st = add_columns(&c.q, r, g, "q", err);
    if (st == LMB_OK && c.q >= 0) st = add_columns(&c.q, r, g, "places", err);
    if (st == LMB_OK) st = add_columns(&c.v, r, g, "shapes_re", err);
    if (st == LMB_OK && c.v >= 0) st = add_columns(&c.v, r, g, "places_re", err);
    if (st == LMB_OK) st = add_columns(&c.active, r, g, "active", err);
    return st == LMB_OK && !check_columns(&messages, s, &c) ? messages.status : st;
}

lmb_status lmb_scene_load(lmb_scene **out, lmb_reader *r, lmb_error *err) {
    const char *text = lmb_reader_text(r, "scene");
    lmb_status st =
        text ? lmb_scene_read(out, text, strlen(text), lmb_reader_path(r), err) : lmb_scene_create(out, err);
    for (int g = 0; g < lmb_reader_group_count(r) && st == LMB_OK; g++) st = check_group(*out, r, g, err);
    if (st == LMB_OK) return LMB_OK;
    lmb_scene_destroy(*out);
    *out = NULL;
    return st;
}

const char *lmb_scene_shape_of(const lmb_scene_body *b) { return b->flex->shape ? b->flex->shape : b->name; }

lmb_status lmb_scene_check_shape(const lmb_scene_body *b, int modes, int residuals, lmb_error *err) {
    if (b->flex->count == modes && b->flex->residuals == residuals) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "body '%.100s' has different numbers of mode shapes or stresses and of coordinates",
                    b->name);
}
