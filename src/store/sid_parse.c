// store/sid_parse.c: the text of Standard Input Data: one item per line, `name = value`, `m0(i, j) = x`, `m1(i, k, j) = x`.
#include "mesh/scan.h"
#include "store/sid.h"

#include <limits.h>
#include <string.h>

enum { MODES_MOST = 400 };

const char *const lmb_sid_array_names[LMB_SID_ARRAYS] = {"mdCM", "J",  "Ct",     "Cr", "Me", "Gr",
                                                         "Ge",   "Oe", "ksigma", "Ke", "De"};
const char *const lmb_sid_node_array_names[LMB_SID_NODE_ARRAYS] = {"origin", "phi", "psi", "AP", "sigma"};
enum { M = -1, M3 = -3, ANY = 0 }; // sizes: modes, 3 modes
static const int sizes[LMB_SID_ARRAYS][2] = {{3, 1},  {6, 1}, {M, 3}, {M, 3}, {M, M}, {3, M3},
                                             {M, M3}, {M, 6}, {M, 1}, {M, M}, {M, M}};
static const int node_sizes[LMB_SID_NODE_ARRAYS][2] = {{3, 1}, {3, M}, {3, M}, {3, 3}, {6, ANY}};

typedef struct parser {
    lmb_scan scan;
    lmb_sid *s;
    lmb_piece key, value; // of this line
    double room;          // numbers that may still be taken: a short file must not make a large body
    int capacity;         // nodes
    bool mass, ended;
} parser;

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

static bool next(parser *p) {
    lmb_piece row;
    while (lmb_scan_line(&row, &p->scan)) {
        p->value = lmb_piece_trim(row);
        p->key = lmb_piece_cut(&p->value, '=');
        p->value = lmb_piece_trim(p->value);
        if (p->key.length > 0) return true;
    }
    return false;
}

// "end  mdCM"
static bool ends(lmb_piece p, const char *name) {
    if (p.length < 4 || !lmb_piece_is((lmb_piece){p.at, 3}, "end")) return false;
    return lmb_piece_is(lmb_piece_trim((lmb_piece){p.at + 3, p.length - 3}), name);
}

// two words, blanks between them
static bool is_pair(lmb_piece p, const char *first, const char *second) {
    int n = (int)strlen(first);
    if (p.length <= n || !lmb_piece_is((lmb_piece){p.at, n}, first)) return false;
    return lmb_piece_is(lmb_piece_trim((lmb_piece){p.at + n, p.length - n}), second);
}

static const char *keep(parser *p, lmb_piece text) {
    const char *out = lmb_arena_printf(p->s->arena, "%.*s", text.length, text.at);
    if (out == NULL) lmb_scan_memory(&p->scan);
    return out ? out : "";
}

// ---- arrays ------------------------------------------------------------------------------------

static double *numbers(parser *p, size_t count) {
    p->room -= (double)count;
    if (p->room < 0)
        return lmb_scan_fail(&p->scan, "the arrays are too large for so short a file; it is damaged"), NULL;
    double *v = lmb_arena_get(p->s->arena, count + 1, sizeof *v);
    if (v == NULL) return lmb_scan_memory(&p->scan), NULL;
    for (size_t i = 0; i < count; i++) v[i] = NAN; // not yet given
    return v;
}

typedef struct shape {
    const char *name;
    int rows, columns; // as in the tables above
} shape;

static int size_of(int size, int modes) { return size == M ? modes : size == M3 ? 3 * modes : size; }

// sizes are known: the array
static lmb_status begin_array(parser *p, lmb_sid_taylor *t, const shape *f) {
    int modes = p->s->modes, rows = size_of(f->rows, modes), columns = size_of(f->columns, modes);
    if (columns == 0) columns = t->columns > 0 && t->columns <= modes ? t->columns : 1;
    if (t->rows < 0 || t->columns < 0)
        return lmb_scan_fail(&p->scan, "%s: nrow and ncol must come before its entries", f->name);
    if (t->rows != rows || t->columns != columns)
        return lmb_scan_fail(&p->scan, "%s is %d x %d; with %d modes it must be %d x %d", f->name, t->rows,
                             t->columns, modes, rows, columns);
    if (t->modes >= 0 && t->modes != modes)
        return lmb_scan_fail(&p->scan, "%s has nq = %d; the first line declares %d modes", f->name, t->modes,
                             modes);
    if (t->nqn > 0)
        return lmb_scan_fail(&p->scan, "%s: terms of higher order (nqn = %d) are not supported", f->name,
                             t->nqn);
    if (t->structure > 4) return lmb_scan_fail(&p->scan, "%s: structure must be 0 to 4", f->name);
    t->modes = modes;
    t->m0 = numbers(p, (size_t)rows * (size_t)columns);
    return p->scan.status;
}

// the next number in "m1( 1, 2, 3)"
static bool next_index(int *out, lmb_piece *rest, char after, int most) {
    return rest->length > 0 && memchr(rest->at, after, (size_t)rest->length) &&
           lmb_piece_integer(out, lmb_piece_cut(rest, after)) && *out >= 1 && *out <= most;
}

static lmb_status read_entry(parser *p, lmb_sid_taylor *t, const shape *f) {
    bool first = p->key.at[1] == '1';
    int i, j, k = 1;
    double x, *at;
    lmb_piece rest = lmb_piece_trim((lmb_piece){p->key.at + 2, p->key.length - 2});
    bool ok = rest.length > 0 && rest.at[0] == '(';
    if (ok) rest.at++, rest.length--;
    ok = ok && next_index(&i, &rest, ',', t->rows);
    ok = ok && (!first || next_index(&k, &rest, ',', t->modes)) && next_index(&j, &rest, ')', t->columns);
    if (!ok || lmb_piece_trim(rest).length > 0)
        return lmb_scan_fail(&p->scan, "'%.*s' is not an entry of %s (%d rows, %d modes, %d columns)",
                             shown(p->key), p->key.at, f->name, t->rows, t->modes, t->columns);
    if (!lmb_piece_number(&x, p->value))
        return lmb_scan_fail(&p->scan, "'%.*s' is not a number", shown(p->value), p->value.at);
    if (first && t->m1 == NULL) {
        t->m1 = numbers(p, (size_t)t->rows * (size_t)t->modes * (size_t)t->columns);
        if (t->m1 == NULL) return p->scan.status;
    }
    at = first ? &t->m1[((size_t)(i - 1) * t->modes + k - 1) * t->columns + j - 1]
               : &t->m0[(i - 1) * t->columns + j - 1];
    if (!isnan(*at)) return lmb_scan_fail(&p->scan, "duplicate entry %.*s", shown(p->key), p->key.at);
    *at = x;
    return LMB_OK;
}

// m0 of an array whose structure says it all
static double implied(const lmb_sid_taylor *t, int i) {
    return t->structure == 4 && i % (t->columns + 1) == 0;
}

// what is not given is zero, or follows from the structure
static lmb_status end_array(parser *p, lmb_sid_taylor *t, const shape *f) {
    static const char *const names[] = {"zero", "diagonal", "symmetric", "full", "identity"};
    bool square = t->rows == t->columns, fits = square || t->structure != 4;
    int n = t->rows * t->columns;
    for (int i = 0; i < n && t->structure % 4 == 0; i++)
        fits = fits && !(fabs(t->m0[i] - implied(t, i)) > 1e-9);
    if (!fits || (t->structure == 0 && t->m1))
        return lmb_scan_fail(&p->scan, "the entries of %s contradict its structure = %d (%s)", f->name,
                             t->structure, names[t->structure]);
    for (int i = 0; i < t->rows && square && t->structure == 2; i++)
        for (int j = 0; j < t->columns; j++)
            if (isnan(t->m0[i * t->columns + j])) t->m0[i * t->columns + j] = t->m0[j * t->columns + i];
    for (int i = 0; i < n; i++)
        if (isnan(t->m0[i])) t->m0[i] = implied(t, i);
    for (size_t i = 0; t->m1 && i < (size_t)n * (size_t)t->modes; i++)
        if (isnan(t->m1[i])) t->m1[i] = 0;
    return LMB_OK;
}

static lmb_status read_attribute(parser *p, const lmb_sid_taylor *t, int *out, const shape *f) {
    if (t->m0)
        return lmb_scan_fail(&p->scan, "%s: '%.*s' must come before the entries", f->name, shown(p->key),
                             p->key.at);
    if (!lmb_piece_integer(out, p->value) || *out < 0)
        return lmb_scan_fail(&p->scan, "%s: '%.*s' needs a non-negative integer", f->name, shown(p->key),
                             p->key.at);
    return LMB_OK;
}

static int *attribute(lmb_sid_taylor *t, lmb_piece key) {
    static const char *const names[] = {"order", "nrow", "ncol", "nq", "nqn", "structure"};
    int *const places[] = {&t->order, &t->rows, &t->columns, &t->modes, &t->nqn, &t->structure};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (lmb_piece_is(key, names[i])) return places[i];
    return NULL;
}

static lmb_status read_array(parser *p, lmb_sid_taylor *t, const shape *f) {
    lmb_scan *s = &p->scan;
    if (t->line > 0) return lmb_scan_fail(s, "duplicate array %s (first at line %d)", f->name, t->line);
    *t = (lmb_sid_taylor){
        .line = s->line, .order = -1, .structure = 3, .rows = -1, .columns = -1, .modes = -1, .nqn = -1};
    while (next(p)) {
        bool end = ends(p->key, f->name);
        int *number = attribute(t, p->key);
        if (number) {
            if (read_attribute(p, t, number, f) != LMB_OK) return s->status;
            continue;
        }
        if (t->m0 == NULL && begin_array(p, t, f) != LMB_OK) return s->status;
        if (end) return end_array(p, t, f);
        if (p->key.length < 2 || p->key.at[0] != 'm' || (p->key.at[1] != '0' && p->key.at[1] != '1'))
            return lmb_scan_fail(s, "expected an entry m0(i, j) or m1(i, k, j), or 'end %s'", f->name);
        if (read_entry(p, t, f) != LMB_OK) return s->status;
    }
    return lmb_scan_fail(s, "the file ends within %s; it is truncated", f->name);
}

// ---- nodes -------------------------------------------------------------------------------------

static lmb_sid_node *new_node(parser *p) {
    lmb_sid *s = p->s;
    if (s->node_count == p->capacity) {
        int capacity = p->capacity > 0 ? 2 * p->capacity : 16;
        lmb_sid_node *larger =
            capacity < INT_MAX / 2 ? lmb_arena_get(s->arena, (size_t)capacity, sizeof *larger) : NULL;
        if (larger == NULL) return lmb_scan_memory(&p->scan), NULL;
        if (s->node_count > 0) memcpy(larger, s->nodes, sizeof *larger * (size_t)s->node_count);
        s->nodes = larger, p->capacity = capacity;
    }
    s->nodes[s->node_count] = (lmb_sid_node){.line = p->scan.line};
    return &s->nodes[s->node_count++];
}

static lmb_status check_node(parser *p, const lmb_sid_node *n) {
    for (int i = 0; i < LMB_SID_SIGMA; i++)
        if (n->array[i].line == 0)
            return lmb_scan_fail(&p->scan, "node %d has no %s", n->id, lmb_sid_node_array_names[i]);
    for (const lmb_sid_node *k = p->s->nodes; k < n; k++)
        if (k->id == n->id)
            return lmb_scan_fail(&p->scan, "duplicate node %d (first at line %d)", n->id, k->line);
    return LMB_OK;
}

// the number, and any text
static lmb_status read_node(parser *p) {
    lmb_scan *s = &p->scan;
    lmb_sid_node *n = new_node(p);
    if (n == NULL) return s->status;
    lmb_piece rest = p->value, id = lmb_piece_cut(&rest, ' ');
    if (!lmb_piece_integer(&n->id, id)) return lmb_scan_fail(s, "'new node' needs its number");
    while (next(p)) {
        int i = 0;
        if (ends(p->key, "node")) return check_node(p, n);
        if (lmb_piece_is(p->key, "rframe")) {
            if (!is_pair(p->value, "body", "ref"))
                return lmb_scan_fail(s, "node %d refers to '%.*s'; only 'body ref' is supported", n->id,
                                     shown(p->value), p->value.at);
            continue;
        }
        while (i < LMB_SID_NODE_ARRAYS && !lmb_piece_is(p->key, lmb_sid_node_array_names[i])) i++;
        if (i == LMB_SID_NODE_ARRAYS)
            return lmb_scan_fail(s, "unexpected '%.*s' in node %d", shown(p->key), p->key.at, n->id);
        const shape f = {lmb_sid_node_array_names[i], node_sizes[i][0], node_sizes[i][1]};
        if (read_array(p, &n->array[i], &f) != LMB_OK) return s->status;
    }
    return lmb_scan_fail(s, "the file ends within node %d; it is truncated", n->id);
}

// ---- the whole ---------------------------------------------------------------------------------

static lmb_status read_header(parser *p) {
    lmb_piece row = {"", 0}, rest;
    lmb_sid *s = p->s;
    lmb_scan_line(&row, &p->scan);
    rest = lmb_piece_trim(row);
    bool ok = lmb_piece_integer(&s->promised, lmb_piece_cut(&rest, ' '));
    rest = lmb_piece_trim(rest);
    ok = ok && lmb_piece_integer(&s->modes, lmb_piece_cut(&rest, ' '));
    if (!ok || s->promised < 0 || s->modes < 1)
        return lmb_scan_fail(&p->scan, "the first line must begin with the numbers of nodes and of modes");
    if (s->modes > MODES_MOST)
        return lmb_scan_fail(&p->scan, "%d modes are more than the maximum of %d", s->modes, MODES_MOST);
    rest = lmb_piece_trim(rest);
    static const char label[] = ":No. nodes, No. modes:";
    int n = (int)strlen(label);
    if (rest.length >= n && lmb_piece_is((lmb_piece){rest.at, n}, label)) rest.at += n, rest.length -= n;
    s->header = keep(p, lmb_piece_trim(rest));
    s->name = "";
    s->mode_names = lmb_arena_get(s->arena, (size_t)s->modes, sizeof *s->mode_names);
    if (s->mode_names == NULL) return lmb_scan_memory(&p->scan);
    for (int i = 0; i < s->modes; i++) s->mode_names[i] = "";
    return p->scan.status;
}

// "ielastq (   1)"
static lmb_status read_mode_name(parser *p) {
    int k;
    lmb_piece rest = p->key;
    lmb_piece_cut(&rest, '(');
    if (!next_index(&k, &rest, ')', p->s->modes))
        return lmb_scan_fail(&p->scan, "'%.*s' is not one of %d modes", shown(p->key), p->key.at,
                             p->s->modes);
    p->s->mode_names[k - 1] = keep(p, p->value);
    return p->scan.status;
}

static lmb_status read_refmod(parser *p) {
    lmb_scan *s = &p->scan;
    int count;
    while (next(p)) {
        if (ends(p->key, "refmod")) return LMB_OK;
        if (lmb_piece_is(p->key, "mass")) {
            if (!lmb_piece_number(&p->s->mass, p->value)) return lmb_scan_fail(s, "mass needs a number");
            p->mass = true;
        } else if (lmb_piece_is(p->key, "nelastq")) {
            if (!lmb_piece_integer(&count, p->value) || count != p->s->modes)
                return lmb_scan_fail(s, "nelastq is '%.*s'; the first line declares %d modes",
                                     shown(p->value), p->value.at, p->s->modes);
        } else if (p->key.length > 7 && lmb_piece_is((lmb_piece){p->key.at, 7}, "ielastq")) {
            if (read_mode_name(p) != LMB_OK) return s->status;
        } else return lmb_scan_fail(s, "unexpected '%.*s' in refmod", shown(p->key), p->key.at);
    }
    return lmb_scan_fail(s, "the file ends within refmod; it is truncated");
}

static lmb_status read_item(parser *p) {
    static const char *const idle[][2] = {{"end", "frame"}, {"end", "part"}};
    lmb_scan *s = &p->scan;
    if (lmb_piece_is(p->key, "part") || lmb_piece_is(p->key, "frame")) return LMB_OK;
    if (is_pair(p->key, "new", "modal")) return p->s->name = keep(p, p->value), s->status;
    if (lmb_piece_is(p->key, "refmod")) return read_refmod(p);
    if (is_pair(p->key, "new", "node")) return read_node(p);
    if (is_pair(p->key, "end", "modal")) return p->ended = true, LMB_OK;
    for (int i = 0; i < LMB_COUNT(idle); i++)
        if (is_pair(p->key, idle[i][0], idle[i][1])) return LMB_OK;
    for (int i = 0; i < LMB_SID_ARRAYS; i++) {
        const shape f = {lmb_sid_array_names[i], sizes[i][0], sizes[i][1]};
        if (lmb_piece_is(p->key, f.name)) return read_array(p, &p->s->array[i], &f);
    }
    return lmb_scan_fail(s, "unexpected '%.*s'", shown(p->key), p->key.at);
}

static lmb_status read_all(parser *p) {
    lmb_scan *s = &p->scan;
    lmb_status st = read_header(p);
    while (st == LMB_OK && next(p)) st = read_item(p);
    if (st != LMB_OK || s->status != LMB_OK) return s->status;
    if (!p->ended) return lmb_scan_fail(s, "'end modal' is missing; the file is truncated");
    if (!p->mass) return lmb_scan_fail(s, "refmod has no mass");
    for (int i = 0; i < LMB_SID_ARRAYS; i++)
        if (p->s->array[i].line == 0)
            return lmb_scan_fail(s, "the array %s is missing", lmb_sid_array_names[i]);
    return LMB_OK;
}

lmb_status lmb_sid_parse(lmb_sid **out, const char *text, size_t length, const char *file, lmb_error *err) {
    *out = NULL;
    lmb_arena *arena = lmb_arena_create(1 << 16);
    parser p = {.scan = {.at = text, .end = text + length, .file = file, .err = err},
                .s = arena ? lmb_arena_get(arena, 1, sizeof *p.s) : NULL,
                .room = 4e6 + 16.0 * (double)length};
    if (p.s == NULL) return lmb_arena_destroy(arena), lmb_fail_memory(err);
    p.s->arena = arena;
    lmb_status st = read_all(&p);
    if (st == LMB_OK && (p.s->file = lmb_arena_strdup(arena, file)) == NULL) st = lmb_fail_memory(err);
    if (st == LMB_OK) *out = p.s;
    else lmb_sid_destroy(p.s);
    return st;
}

void lmb_sid_destroy(lmb_sid *s) {
    if (s) lmb_arena_destroy(s->arena);
}
