// read/cad_unit.c: the length unit that a CAD file declares.
//
//   STEP (ISO 10303-21)   #9 = (GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#5,#6)) ..);
//                         #5 = (LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));
//                    or   #5 = (CONVERSION_BASED_UNIT('INCH',#4) LENGTH_UNIT() NAMED_UNIT(#3));
//                         #4 = LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#2);       #2: mm
//   IGES                  fields 14 and 15 of the global section: flag and name
#include "read/cad_unit.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void add_unit(lmb_cad_units *u, double metres) {
    if (!(metres > 0) || !isfinite(metres)) return;
    for (int i = 0; i < u->count; i++)
        if (fabs(u->metres[i] / metres - 1) < 1e-6) return; // 25.4 mm and 0.0254 m
    if (u->count < LMB_CAD_UNITS) u->metres[u->count++] = metres;
}

// ---- STEP --------------------------------------------------------------------------------------

enum { MOST_ENTITIES = 1 << 20, DEPTH = 8 };

typedef struct entity { // the text behind the sign =
    long id;
    const char *text;
    size_t length;
} entity;

typedef struct entities {
    int count, capacity;
    entity *list; // those that speak of units
} entities;

// behind a text in quotes or a comment that begins at p; p itself: none begins there
static const char *skip_quoted(const char *p, const char *end) {
    const char *q = p;
    if (*p == '\'') {
        for (q = p + 1; q < end && *q != '\'';) q++;
        return q < end ? q + 1 : end;
    }
    if (end - p < 2 || p[0] != '/' || p[1] != '*') return p;
    for (q = p + 2; end - q >= 2 && (q[0] != '*' || q[1] != '/');) q++;
    return end - q >= 2 ? q + 2 : end;
}

static bool holds(const entity *e, const char *word) {
    return memmem(e->text, e->length, word, strlen(word)) != NULL;
}

static bool add_entity(entities *all, entity e) {
    if (all->count == MOST_ENTITIES) return true;
    if (all->count == all->capacity) {
        int capacity = all->capacity ? 2 * all->capacity : 64;
        entity *list = lmb_realloc(all->list, (size_t)capacity, sizeof *list);
        if (list == NULL) return false;
        all->list = list, all->capacity = capacity;
    }
    all->list[all->count++] = e;
    return true;
}

// #12 = ... up to the semicolon
static bool take_statement(entities *all, const char *from, const char *to) {
    while (from < to && isspace((unsigned char)*from)) from++;
    const char *equals = from < to && *from == '#' ? memchr(from, '=', (size_t)(to - from)) : NULL;
    if (equals == NULL) return true;
    long id = 0;
    for (const char *p = from + 1; p < equals && isdigit((unsigned char)*p) && id < 100000000000; p++)
        id = 10 * id + (*p - '0');
    entity e = {id, equals + 1, (size_t)(to - equals - 1)};
    bool speaks = holds(&e, "_UNIT") || holds(&e, "UNIT_");
    return !speaks || add_entity(all, e);
}

static int by_id(const void *a, const void *b) {
    long x = ((const entity *)a)->id, y = ((const entity *)b)->id;
    return (x > y) - (x < y);
}

static bool collect(entities *all, const char *text, const char *end) {
    bool ok = true;
    const char *from = text;
    for (const char *p = text; p < end && ok;) {
        const char *behind = skip_quoted(p, end);
        if (behind == p && *p == ';') ok = take_statement(all, from, p), from = p + 1;
        p = behind == p ? p + 1 : behind;
    }
    if (all->count > 0) qsort(all->list, (size_t)all->count, sizeof *all->list, by_id);
    return ok;
}

static const entity *find_entity(const entities *all, long id) {
    const entity key = {.id = id};
    return all->count > 0 ? bsearch(&key, all->list, (size_t)all->count, sizeof key, by_id) : NULL;
}

// the next number behind # from *at on, not in a text; false: none
static bool next_reference(long *id, size_t *at, const entity *e) {
    const char *p = e->text + *at, *end = e->text + e->length, *behind;
    while (p < end && *p != '#') p = (behind = skip_quoted(p, end)) > p ? behind : p + 1;
    if (p == end) return false;
    for (*id = 0, p++; p < end && isdigit((unsigned char)*p) && *id < 100000000000; p++)
        *id = 10 * *id + (*p - '0');
    *at = (size_t)(p - e->text);
    return true;
}

static double si_prefix(const entity *e) {
    static const struct {
        const char *name;
        double factor;
    } prefixes[] = {{".EXA.", 1e18},  {".PETA.", 1e15},  {".TERA.", 1e12},   {".GIGA.", 1e9},
                    {".MEGA.", 1e6},  {".KILO.", 1e3},   {".HECTO.", 1e2},   {".DECA.", 1e1},
                    {".DECI.", 1e-1}, {".CENTI.", 1e-2}, {".MILLI.", 1e-3},  {".MICRO.", 1e-6},
                    {".NANO.", 1e-9}, {".PICO.", 1e-12}, {".FEMTO.", 1e-15}, {".ATTO.", 1e-18}};
    for (int i = 0; i < LMB_COUNT(prefixes); i++)
        if (holds(e, prefixes[i].name)) return prefixes[i].factor;
    return 1;
}

// the number in LENGTH_MEASURE(25.4) or in another measure; NAN: none
static double measure(const entity *e) {
    static const char key[] = "_MEASURE";
    char number[64];
    const char *p = e->text, *end = e->text + e->length;
    while ((p = memmem(p, (size_t)(end - p), key, sizeof key - 1)) != NULL) {
        for (p += sizeof key - 1; p < end && isspace((unsigned char)*p);) p++;
        if (p < end && *p == '(') break;
    }
    if (p == NULL) return NAN;
    size_t n = 0;
    for (p++; p < end && *p != ')' && n + 1 < sizeof number; p++) number[n++] = *p;
    number[n] = '\0';
    return strtod(number, NULL);
}

// in m; 0: not known
static double length_of(const entities *all, long id, int depth) {
    const entity *e = find_entity(all, id);
    long next;
    size_t at = 0;
    if (e == NULL || depth > DEPTH) return 0;
    if (holds(e, "SI_UNIT")) return holds(e, ".METRE.") ? si_prefix(e) : 0;
    const char *conversion = memmem(e->text, e->length, "CONVERSION_BASED_UNIT", 21);
    if (conversion) {
        at = (size_t)(conversion - e->text); // behind the name: the measure
        return next_reference(&next, &at, e) ? length_of(all, next, depth + 1) : 0;
    }
    if (holds(e, "MEASURE_WITH_UNIT") && next_reference(&next, &at, e))
        return measure(e) * length_of(all, next, depth + 1);
    return 0;
}

lmb_cad_units lmb_step_units(const char *text, size_t length) {
    lmb_cad_units u = {0};
    entities all = {0};
    if (collect(&all, text, text + length))
        for (int i = 0; i < all.count; i++) {
            const entity *e = &all.list[i], *unit;
            const char *list = memmem(e->text, e->length, "GLOBAL_UNIT_ASSIGNED_CONTEXT", 28);
            size_t at = list ? (size_t)(list - e->text) : e->length;
            for (long id; next_reference(&id, &at, e);)
                if ((unit = find_entity(&all, id)) && holds(unit, "LENGTH_UNIT"))
                    add_unit(&u, length_of(&all, id, 0));
        }
    lmb_free(all.list);
    return u;
}

// ---- IGES --------------------------------------------------------------------------------------

// columns 1 to 72 of the lines with a G in column 73
static size_t global_section(char *out, size_t size, const char *text, size_t length) {
    size_t n = 0;
    for (const char *p = text, *end = text + length; p < end;) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t line = stop ? (size_t)(stop - p) : (size_t)(end - p);
        if (line > 72 && p[72] == 'G')
            for (int k = 0; k < 72 && n + 1 < size; k++) out[n++] = p[k];
        if (line > 72 && (p[72] == 'D' || p[72] == 'P')) break;
        p += line + 1;
    }
    out[n] = '\0';
    return n;
}

// 4HINCH -> its text; else NULL
static const char *hollerith(size_t *count, const char *p, const char *end) {
    size_t n = 0;
    const char *q = p;
    while (q < end && isdigit((unsigned char)*q) && n < 100000) n = 10 * n + (size_t)(*q++ - '0');
    if (q == p || q == end || *q != 'H' || (size_t)(end - q - 1) < n) return NULL;
    *count = n;
    return q + 1;
}

typedef struct fields {
    const char *p, *end;
    char separator, terminator;
} fields;

// the next field without blanks; false: the end
static bool next_field(char *out, size_t size, fields *f) {
    size_t n = 0, count = 0;
    while (f->p < f->end && *f->p == ' ') f->p++;
    const char *text = hollerith(&count, f->p, f->end);
    for (size_t i = 0; text && i < count && n + 1 < size; i++) out[n++] = text[i];
    if (text) f->p = text + count;
    for (; f->p < f->end && *f->p != f->separator && *f->p != f->terminator; f->p++)
        if (!text && *f->p != ' ' && n + 1 < size) out[n++] = *f->p;
    out[n] = '\0';
    bool more = f->p < f->end && *f->p == f->separator;
    f->p += f->p < f->end;
    return more;
}

static double named_unit(const char *name) {
    static const struct {
        const char *name;
        double metres;
    } names[] = {{"IN", 0.0254},   {"INCH", 0.0254}, {"MM", 1e-3},       {"FT", 0.3048}, {"MI", 1609.344},
                 {"M", 1},         {"KM", 1e3},      {"MIL", 2.54e-5},   {"UM", 1e-6},   {"CM", 1e-2},
                 {"UIN", 2.54e-8}, {"MICRON", 1e-6}, {"INCHES", 0.0254}, {"METER", 1},   {"METRE", 1}};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (strcasecmp(name, names[i].name) == 0) return names[i].metres;
    return 0;
}

lmb_cad_units lmb_iges_units(const char *text, size_t length) {
    // by flag: in, mm, (by name), ft, mi, m, km, mil, um, cm, uin
    static const double by_flag[] = {0, 0.0254, 1e-3,    0,    0.3048, 1609.344,
                                     1, 1e3,    2.54e-5, 1e-6, 1e-2,   2.54e-8};
    char section[8192], field[15][64] = {{0}};
    lmb_cad_units u = {0};
    size_t n = global_section(section, sizeof section, text, length), count = 0;
    if (n == 0) return u;
    fields f = {section, section + n, ',', ';'};
    // the first two fields say which signs separate: 1H,,1H;,
    const char *sign = hollerith(&count, section, f.end);
    if (sign && count == 1) f.separator = *sign;
    bool more = next_field(field[0], sizeof field[0], &f);
    sign = hollerith(&count, f.p, f.end);
    if (sign && count == 1) f.terminator = *sign;
    for (int i = 1; i < 15 && more; i++) more = next_field(field[i], sizeof field[i], &f);
    int flag = atoi(field[13]);
    if (field[13][0] == '\0') flag = 1; // the standard's default: inches
    if (flag == 3) add_unit(&u, named_unit(field[14]));
    else if (flag > 0 && flag < LMB_COUNT(by_flag)) add_unit(&u, by_flag[flag]);
    return u;
}
