// read/solids.c: the solids of a geometry: a script of ours lets gmsh write their numbers, names and faces, line by line:
//
//   surfaces 21
//   solid 1
//   name Shapes/Assembly/crank
//   volume 1
//   face 4
#include "read/geometry.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SOLIDS = 10000 };

// ---- names -------------------------------------------------------------------------------------

// what stands behind the last / of "Shapes/Assembly/crank", unless OpenCASCADE made it up
static const char *own_label(const char *path) {
    const char *slash = strrchr(path, '/'), *label = slash ? slash + 1 : path;
    while (*label == ' ') label++;
    return strncmp(label, "Open CASCADE", 12) == 0 ? "" : label;
}

static bool is_taken(const lmb_solids *s, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(s->list[i].name, name) == 0) return true;
    return false;
}

// letters, digits and _, beginning with a letter, at most 60
static char *plain_name(lmb_arena *arena, const char *label, int number) {
    char text[64];
    int n = 0;
    for (const char *p = label; *p && n < 60; p++) {
        bool letter = isascii((unsigned char)*p) && isalnum((unsigned char)*p);
        if (letter) text[n++] = *p;
        else if (n > 0 && text[n - 1] != '_') text[n++] = '_';
    }
    while (n > 0 && text[n - 1] == '_') n--;
    text[n] = '\0';
    if (n == 0) return lmb_arena_printf(arena, "solid_%d", number);
    return isdigit((unsigned char)*text) ? lmb_arena_printf(arena, "solid_%s", text)
                                         : lmb_arena_strdup(arena, text);
}

// how many before have this label: numbers up to that are taken, too
static int equal_before(const lmb_solids *s, int i) {
    int n = 0;
    for (int k = 0; k < i; k++) n += strcmp(s->list[k].label, s->list[i].label) == 0;
    return n;
}

// `ground` is a word of models
static bool name_solids(lmb_solids *s) {
    for (int i = 0; i < s->count; i++) {
        lmb_solid *solid = &s->list[i];
        const char *plain = plain_name(s->arena, solid->label, solid->number), *name = plain;
        for (int k = equal_before(s, i) + 1; name && (is_taken(s, i, name) || strcmp(name, "ground") == 0);
             k++)
            name = k > 1 ? lmb_arena_printf(s->arena, "%s_%d", plain, k) : name;
        if (name == NULL) return false;
        solid->name = name;
    }
    return true;
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct line {
    const char *word, *rest; // rest ends with a zero
    long number;
} line;

// the next line of a text that may be changed; false: the end
static bool next_line(line *l, char **p, const char *end) {
    if (*p >= end) return false;
    char *from = *p, *stop = memchr(from, '\n', (size_t)(end - from));
    *p = stop ? stop + 1 : (char *)end;
    if (stop) *stop = '\0';
    char *blank = strchr(from, ' ');
    if (blank) *blank = '\0';
    l->word = from, l->rest = blank ? blank + 1 : "";
    l->number = strtol(l->rest, NULL, 10);
    return true;
}

typedef struct reading {
    int *numbers, count, capacity; // of faces or volumes of the last solid, volumes before faces
    int volumes;
} reading;

static bool push(reading *r, long number) {
    if (r->count == r->capacity) {
        int capacity = r->capacity ? 2 * r->capacity : 256, *more;
        if (capacity > 100 * 1000 * 1000) return false;
        more = lmb_realloc(r->numbers, (size_t)capacity, sizeof *more);
        if (more == NULL) return false;
        r->numbers = more, r->capacity = capacity;
    }
    r->numbers[r->count++] = (int)number;
    return true;
}

static bool close_solid(lmb_solids *s, reading *r) {
    if (s->count == 0) return true;
    lmb_solid *solid = &s->list[s->count - 1];
    int *kept = lmb_arena_get(s->arena, (size_t)r->count + 1, sizeof *kept);
    if (kept == NULL) return false;
    if (r->count > 0) memcpy(kept, r->numbers, (size_t)r->count * sizeof *kept);
    solid->volumes = kept, solid->volume_count = r->volumes;
    solid->faces = kept + r->volumes, solid->face_count = r->count - r->volumes;
    r->count = r->volumes = 0;
    return true;
}

static bool open_solid(lmb_solids *s, reading *r, int *capacity) {
    if (!close_solid(s, r) || s->count == MOST_SOLIDS) return false;
    if (s->count == *capacity) {
        int more = *capacity ? 2 * *capacity : 16;
        lmb_solid *list = lmb_arena_get(s->arena, (size_t)more, sizeof *list);
        if (list == NULL) return false;
        if (s->count > 0) memcpy(list, s->list, (size_t)s->count * sizeof *list);
        s->list = list, *capacity = more;
    }
    s->list[s->count] = (lmb_solid){.label = "", .number = s->count + 1};
    s->count++;
    return true;
}

static bool read_line(lmb_solids *s, reading *r, int *capacity, const line *l) {
    bool number = l->number > 0 && l->number < 1000 * 1000 * 1000;
    if (strcmp(l->word, "surfaces") == 0) s->surfaces = number ? (int)l->number : 0;
    if (strcmp(l->word, "solid") == 0) return open_solid(s, r, capacity);
    if (s->count == 0) return true;
    if (strcmp(l->word, "name") == 0) {
        s->list[s->count - 1].label = lmb_arena_strdup(s->arena, own_label(l->rest));
        return s->list[s->count - 1].label != NULL;
    }
    bool volume = strcmp(l->word, "volume") == 0;
    if (!number || (!volume && strcmp(l->word, "face") != 0)) return true;
    if (volume && r->count > r->volumes) return true; // behind faces: not ours
    r->volumes += volume;
    return push(r, l->number);
}

lmb_status lmb_solids_parse(lmb_solids *out, const char *text, size_t length, lmb_error *err) {
    *out = (lmb_solids){.arena = lmb_arena_create(4096)};
    char *own = out->arena ? lmb_arena_get(out->arena, length + 1, 1) : NULL, *p = own;
    if (own == NULL) return lmb_solids_free(out), lmb_fail_memory(err);
    if (length > 0) memcpy(own, text, length);
    own[length] = '\0';
    reading r = {0};
    int capacity = 0;
    bool ok = true;
    for (line l; ok && next_line(&l, &p, own + length);) ok = read_line(out, &r, &capacity, &l);
    ok = ok && close_solid(out, &r) && name_solids(out);
    lmb_free(r.numbers);
    if (ok) return LMB_OK;
    bool many = out->count == MOST_SOLIDS;
    lmb_solids_free(out);
    if (!many) return lmb_fail_memory(err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "more than %d solids are not supported", MOST_SOLIDS);
}

void lmb_solids_free(lmb_solids *s) {
    lmb_arena_destroy(s->arena);
    *s = (lmb_solids){0};
}

// ---- finding -----------------------------------------------------------------------------------

static bool is_it(const lmb_solid *s, const char *name) {
    char *end;
    long number = strtol(name, &end, 10);
    if (*name && *end == '\0') return number == s->number;
    return strcmp(s->name, name) == 0 || strcmp(s->label, name) == 0;
}

static lmb_status fail_unknown(const lmb_solids *s, const char *name, const char *path, lmb_error *err) {
    enum { LISTED = 30 };
    lmb_text list = {0};
    bool ok = lmb_text_add_n(&list, "", 0);
    for (int i = 0; i < s->count && i < LISTED && ok; i++)
        ok = lmb_text_add(&list, "%s%d %s", i ? ", " : "", s->list[i].number, s->list[i].name);
    if (ok && s->count > LISTED) ok = lmb_text_add(&list, ", ...");
    lmb_status st =
        !ok    ? lmb_fail_memory(err)
        : name ? lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%s' has no solid '%s'; it has: %s", path, name,
                          s->count ? list.text : "none")
               : lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                          "'%s' has %d solids; choose one with `solid: %s`, or write `solids: glued` "
                          "to join them where they touch; it has: %s",
                          path, s->count, s->list[0].name, list.text);
    lmb_text_free(&list);
    return st;
}

lmb_status lmb_solids_find(const lmb_solid **out, const lmb_solids *s, const char *name, const char *path,
                           lmb_error *err) {
    *out = NULL;
    if (name == NULL && s->count == 1) return *out = &s->list[0], LMB_OK;
    // a name that is written like this goes before a number or a label
    for (int i = 0; name && i < s->count && *out == NULL; i++)
        if (strcmp(s->list[i].name, name) == 0) *out = &s->list[i];
    for (int i = 0; name && i < s->count && *out == NULL; i++)
        if (is_it(&s->list[i], name)) *out = &s->list[i];
    return *out ? LMB_OK : fail_unknown(s, name, path, err);
}
