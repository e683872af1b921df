// tests/modelica.h: reads a model in Modelica and evaluates its equations: as much of the language as bodies need.
//
// Variables are arrays by their dotted names; R[i].T of an array of orientations is R.T[i]. Equations are assigned in any order, as soon
// as all on their right is known; those whose left side is known already, or an expression, leave a residual. Conditions of equations:
// the body is the root of its tree.
#ifndef TEST_MODELICA_H
#define TEST_MODELICA_H

#include "check.h"
#include "core/core.h"
#include "math/math.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MO_DIMS = 4, MO_TEXT = 80, MO_VARS = 120, MO_LOCALS = 40, MO_PLACES = 600 };

typedef struct mo_value { // T: an orientation is a matrix with an angular velocity w; text: none of both
    int dims, dim[MO_DIMS];
    double *v, *w;
} mo_value;

typedef struct mo_variable {
    char name[MO_TEXT];
    mo_value is;
    bool *set;
} mo_variable;

typedef struct mo_token {
    const char *at;
    int length;
    char kind; // n name, 0 number, " text, else the sign itself; = is =, e ==, : is :, a :=
} mo_token;

typedef struct mo_place { // an equation with the values of its loops
    int at, loops, value[3];
    char name[3][MO_TEXT];
    bool done;
} mo_place;

typedef struct modelica {
    mo_token *t;
    int count, p; // tokens; the next one
    mo_variable list[MO_VARS];
    int variables;
    mo_variable local[MO_LOCALS]; // of functions and loops
    int locals, from;             // those of the current function begin here
    mo_place place[MO_PLACES];
    int places;
    bool missing;      // the last expression lacked a value
    const char *wrong; // what cannot be read; NULL: nothing
    char unknown[MO_TEXT];
    double residual[400];
    int residuals, assigned;
    lmb_arena *arena;
} modelica;

static mo_value mo_expr(modelica *m);

// ---- tokens --------------------------------------------------------------------------------------

static void mo_split(modelica *m, const char *s) {
    size_t room = strlen(s) + 1;
    m->t = calloc(room, sizeof *m->t);
    while (*s) {
        const char *at = s;
        char kind = *s;
        if (isspace((unsigned char)*s)) {
            s++;
            continue;
        }
        if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n') s++;
            continue;
        }
        if (isalpha((unsigned char)*s) || *s == '_') {
            kind = 'n';
            while (isalnum((unsigned char)*s) || *s == '_') s++;
        } else if (isdigit((unsigned char)*s)) {
            char *end;
            kind = '0', strtod(s, &end), s = end;
        } else if (*s == '"') {
            for (s++; *s && *s != '"'; s++) continue;
            s += *s != 0;
        } else if (strncmp(s, "==", 2) == 0) {
            kind = 'e', s += 2;
        } else if (strncmp(s, ":=", 2) == 0) {
            kind = 'a', s += 2;
        } else {
            s++;
        }
        m->t[m->count++] = (mo_token){at, (int)(s - at), kind};
    }
}

static char mo_kind(const modelica *m) { return m->p < m->count ? m->t[m->p].kind : 0; }
static bool mo_fail(modelica *m, const char *why) {
    if (m->wrong == NULL) {
        m->wrong = why;
        const mo_token *t = &m->t[m->p < m->count ? m->p : m->count - 1];
        snprintf(m->unknown, sizeof m->unknown, "%.*s", t->length < 60 ? t->length : 60, t->at);
    }
    return false;
}
static bool mo_is(const modelica *m, const char *word) {
    const mo_token *t = &m->t[m->p];
    return m->p < m->count && (size_t)t->length == strlen(word) && strncmp(t->at, word, strlen(word)) == 0;
}
static bool mo_take(modelica *m, const char *word) { return mo_is(m, word) ? m->p++, true : false; }
static void mo_need(modelica *m, const char *word) {
    if (!mo_take(m, word)) mo_fail(m, word);
}
static void mo_name(modelica *m, char *out) {
    const mo_token *t = &m->t[m->p];
    if (mo_kind(m) != 'n') mo_fail(m, "a name");
    snprintf(out, MO_TEXT, "%.*s", t->length, t->at);
    m->p++;
}
// to the next sign at this level of brackets
static void mo_skip_to(modelica *m, char sign) {
    int depth = 0;
    for (; m->p < m->count; m->p++) {
        char k = mo_kind(m);
        if (depth == 0 && k == sign) return;
        depth += (k == '(' || k == '[' || k == '{') - (k == ')' || k == ']' || k == '}');
        if (depth < 0) return;
    }
}

// ---- values ----------------------------------------------------------------------------------------

static int mo_size(mo_value x) {
    int n = 1;
    for (int i = 0; i < x.dims; i++) n *= x.dim[i];
    return n;
}
static mo_value mo_new(modelica *m, int dims, const int *dim) {
    mo_value x = {.dims = dims};
    for (int i = 0; i < dims; i++) x.dim[i] = dim[i];
    x.v = lmb_arena_doubles(m->arena, mo_size(x) + 1);
    return x;
}
static mo_value mo_scalar(modelica *m, double v) {
    mo_value x = mo_new(m, 0, NULL);
    return x.v[0] = v, x;
}
static mo_value mo_matrix(modelica *m, int rows, int columns) { return mo_new(m, 2, (int[]){rows, columns}); }
static mo_value mo_vector(modelica *m, int n) { return mo_new(m, 1, (int[]){n}); }
static bool mo_alike(modelica *m, mo_value a, mo_value b) {
    bool same = a.dims == b.dims;
    for (int i = 0; i < a.dims && same; i++) same = a.dim[i] == b.dim[i];
    return same || mo_fail(m, "sizes that fit");
}

static mo_value mo_sum_of(modelica *m, mo_value a, double s, mo_value b) {
    mo_value x = mo_new(m, a.dims, a.dim);
    if (mo_alike(m, a, b))
        for (int i = 0; i < mo_size(x); i++) x.v[i] = a.v[i] + s * b.v[i];
    return x;
}
static mo_value mo_times(modelica *m, mo_value a, double s) {
    mo_value x = mo_new(m, a.dims, a.dim);
    for (int i = 0; i < mo_size(x); i++) x.v[i] = s * a.v[i];
    return x;
}
static mo_value mo_transposed(modelica *m, mo_value a) {
    mo_value x = mo_matrix(m, a.dim[1], a.dim[0]);
    for (int i = 0; i < a.dim[0]; i++)
        for (int j = 0; j < a.dim[1]; j++) x.v[j * a.dim[0] + i] = a.v[i * a.dim[1] + j];
    return x;
}
// scalars, and products of vectors and matrices
static mo_value mo_product(modelica *m, mo_value a, mo_value b) {
    if (a.dims == 0) return mo_times(m, b, a.v[0]);
    if (b.dims == 0) return mo_times(m, a, b.v[0]);
    int rows = a.dims == 2 ? a.dim[0] : 1, inner = a.dim[a.dims - 1], columns = b.dims == 2 ? b.dim[1] : 1;
    if (a.dims > 2 || b.dims > 2 || b.dim[0] != inner)
        return mo_fail(m, "factors that fit"), mo_scalar(m, NAN);
    mo_value x = a.dims == 2 && b.dims == 2 ? mo_matrix(m, rows, columns)
                 : a.dims == 2              ? mo_vector(m, rows)
                 : b.dims == 2              ? mo_vector(m, columns)
                                            : mo_scalar(m, 0);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            for (int k = 0; k < inner; k++) x.v[i * columns + j] += a.v[i * inner + k] * b.v[k * columns + j];
    return x;
}

// ---- variables -------------------------------------------------------------------------------------

static mo_variable *mo_find(modelica *m, const char *name) {
    char in_record[MO_TEXT + 5];
    for (int i = m->locals - 1; i >= m->from; i--)
        if (strcmp(m->local[i].name, name) == 0) return &m->local[i];
    snprintf(in_record, sizeof in_record, "data.%s", name);
    for (int i = 0; i < m->variables; i++)
        if (strcmp(m->list[i].name, name) == 0 || strcmp(m->list[i].name, in_record) == 0) return &m->list[i];
    return NULL;
}
static mo_variable mo_make(modelica *m, const char *name, mo_value is, bool set) {
    mo_variable x = {.is = is, .set = lmb_arena_get(m->arena, (size_t)mo_size(is) + 1, sizeof(bool))};
    snprintf(x.name, sizeof x.name, "%s", name);
    for (int i = 0; i < mo_size(is) && set; i++) x.set[i] = true;
    return x;
}
static void mo_declare(modelica *m, const char *name, mo_value is, bool set) {
    if (m->variables == MO_VARS || mo_find(m, name)) mo_fail(m, "a name that is new");
    else m->list[m->variables++] = mo_make(m, name, is, set);
}
static void mo_put_local(modelica *m, const char *name, mo_value is) {
    if (m->locals == MO_LOCALS) mo_fail(m, "fewer names");
    else m->local[m->locals++] = mo_make(m, name, is, true);
}
// a given value of the test
static void mo_set(modelica *m, const char *name, const double *v) {
    mo_variable *x = mo_find(m, name);
    if (!CHECK(x != NULL)) return;
    for (int i = 0; i < mo_size(x->is); i++) x->is.v[i] = v[i], x->set[i] = true;
}

// a place in an array: fixed indices in front and behind, whole dimensions (-1)
typedef struct mo_ref {
    char name[MO_TEXT];
    int subs, sub[MO_DIMS];
} mo_ref;

static void mo_read_subs(modelica *m, mo_ref *r) {
    do {
        if (r->subs == MO_DIMS) mo_fail(m, "fewer indices");
        else if (mo_take(m, ":")) r->sub[r->subs++] = -1;
        else r->sub[r->subs++] = (int)mo_expr(m).v[0] - 1;
    } while (m->wrong == NULL && mo_take(m, ","));
    mo_need(m, "]");
}
static mo_ref mo_read_ref(modelica *m) {
    mo_ref r = {0};
    char part[MO_TEXT];
    mo_name(m, r.name);
    for (;;) {
        if (mo_take(m, "[")) mo_read_subs(m, &r);
        else if (mo_take(m, ".")) {
            mo_name(m, part);
            size_t n = strlen(r.name);
            snprintf(r.name + n, MO_TEXT - n, ".%s", part);
        } else return r;
        if (m->wrong) return r;
    }
}

// the elements of x that r means, in their order
static int mo_elements(modelica *m, int *at, mo_value *shape, const mo_value *x, const mo_ref *r) {
    int index[MO_DIMS] = {0}, count = 0, total = mo_size(*x);
    *shape = (mo_value){0};
    for (int k = 0; k < x->dims; k++) {
        if (k >= r->subs || r->sub[k] < 0) shape->dim[shape->dims++] = x->dim[k];
        else if (r->sub[k] >= x->dim[k]) mo_fail(m, "an index in its range");
    }
    if (r->subs > x->dims) mo_fail(m, "fewer indices");
    for (int i = 0; i < total && m->wrong == NULL; i++) {
        int rest = i;
        bool meant = true;
        for (int k = x->dims - 1; k >= 0; k--) index[k] = rest % x->dim[k], rest /= x->dim[k];
        for (int k = 0; k < r->subs; k++) meant = meant && (r->sub[k] < 0 || r->sub[k] == index[k]);
        if (meant) at[count++] = i;
    }
    return count;
}

static mo_value mo_get_one(modelica *m, const char *name, const mo_ref *r) {
    mo_variable *x = mo_find(m, name);
    mo_value shape = {0};
    if (x == NULL) {
        if (m->wrong == NULL) m->wrong = "a name that is declared", snprintf(m->unknown, MO_TEXT, "%s", name);
        return mo_scalar(m, NAN);
    }
    int *at = lmb_arena_get(m->arena, (size_t)mo_size(x->is) + 1, sizeof *at),
        count = mo_elements(m, at, &shape, &x->is, r);
    mo_value y = mo_new(m, shape.dims, shape.dim);
    for (int i = 0; i < count && m->wrong == NULL; i++) {
        y.v[i] = x->is.v[at[i]];
        m->missing = m->missing || !x->set[at[i]];
    }
    return y;
}
static bool mo_is_orientation(modelica *m, const char *name) {
    char T[MO_TEXT + 2];
    snprintf(T, sizeof T, "%s.T", name);
    return mo_find(m, name) == NULL && mo_find(m, T) != NULL;
}
static mo_value mo_get(modelica *m, const mo_ref *r) {
    char T[MO_TEXT + 2], w[MO_TEXT + 2];
    if (!mo_is_orientation(m, r->name)) return mo_get_one(m, r->name, r);
    snprintf(T, sizeof T, "%s.T", r->name), snprintf(w, sizeof w, "%s.w", r->name);
    mo_value x = mo_get_one(m, T, r);
    return x.w = mo_get_one(m, w, r).v, x;
}
// false: (part of) it has a value already
static bool mo_put_one(modelica *m, const char *name, const mo_ref *r, mo_value y, bool again) {
    mo_variable *x = mo_find(m, name);
    mo_value shape;
    if (x == NULL) return mo_fail(m, "a name that is declared");
    int *at = lmb_arena_get(m->arena, (size_t)mo_size(x->is) + 1, sizeof *at),
        count = mo_elements(m, at, &shape, &x->is, r);
    if (m->wrong || !mo_alike(m, shape, y)) return false;
    for (int i = 0; i < count && !again; i++)
        if (x->set[at[i]]) return false;
    for (int i = 0; i < count; i++) x->is.v[at[i]] = y.v[i], x->set[at[i]] = true;
    return m->assigned += count, true;
}

// ---- functions -------------------------------------------------------------------------------------

static mo_value mo_cross(modelica *m, mo_value a, mo_value b) {
    mo_value x = mo_vector(m, 3);
    return v3_store(x.v, v3_cross(v3_load(a.v), v3_load(b.v))), x;
}
static mo_value mo_skew(modelica *m, mo_value a) {
    const mat3 A = m3_skew(v3_load(a.v));
    mo_value x = mo_matrix(m, 3, 3);
    return memcpy(x.v, A.m, 9 * sizeof(double)), x;
}
static mo_value mo_identity(modelica *m, int n) {
    mo_value x = mo_matrix(m, n, n);
    for (int i = 0; i < n; i++) x.v[i * (n + 1)] = 1;
    return x;
}

// those of the MultiBody library: an orientation resolves in its own axes, v2 = T v1, and has its angular velocity there
static bool mo_library(modelica *m, mo_value *out, const char *name, const mo_value *a) {
    const char *last = strrchr(name, '.') + 1;
    if (strcmp(last, "resolve2") == 0) return *out = mo_product(m, a[0], a[1]), true;
    if (strcmp(last, "resolve1") == 0) return *out = mo_product(m, mo_transposed(m, a[0]), a[1]), true;
    if (strcmp(name, "MB.Frames.angularVelocity2") == 0)
        return *out = mo_vector(m, 3), memcpy(out->v, a[0].w, 3 * sizeof(double)), true;
    if (strcmp(last, "absoluteRotation") == 0) { // T = T_rel T_1, w = T_rel w_1 + w_rel
        mo_value w = mo_vector(m, 3);
        memcpy(w.v, a[0].w, 3 * sizeof(double));
        *out = mo_product(m, a[1], a[0]), w = mo_product(m, a[1], w);
        for (int i = 0; i < 3; i++) w.v[i] += a[1].w[i];
        return out->w = w.v, true;
    }
    if (strcmp(last, "orientationConstraint") == 0)
        return *out = mo_vector(m, 1), out->v[0] = lmb_dot(a[0].v, a[0].v, 4) - 1, true;
    if (strcmp(name, "MB.Frames.Quaternions.angularVelocity2") == 0) { // vector part first
        const double *q = a[0].v, *d = a[1].v;
        const vec3 e = v3_load(q), de = v3_load(d);
        vec3 w = v3_sub(v3_sub(v3_scale(q[3], de), v3_scale(d[3], e)), v3_cross(e, de));
        return *out = mo_vector(m, 3), v3_store(out->v, v3_scale(2, w)), true;
    }
    if (strcmp(last, "from_Q") == 0) {
        const double *q = a[0].v;
        const mat3 R = q_matrix((quat){q[3], q[0], q[1], q[2]});
        *out = mo_matrix(m, 3, 3), memcpy(out->v, R.m, 9 * sizeof(double));
        return *out = mo_transposed(m, *out), out->w = a[1].v, true;
    }
    return false;
}

static int mo_function(modelica *m, const char *name) { // the token behind its name; -1: there is none
    for (int i = 0; i + 1 < m->count; i++)
        if (m->t[i].length == 8 && strncmp(m->t[i].at, "function", 8) == 0 &&
            (size_t)m->t[i + 1].length == strlen(name) && strncmp(m->t[i + 1].at, name, strlen(name)) == 0)
            return i + 2;
    return -1;
}

static void mo_statements(modelica *m);

// inputs take the arguments; other declarations make room
static mo_value mo_call(modelica *m, int at, const mo_value *args, int count) {
    int back = m->p, locals = m->locals, from = m->from, used = 0;
    char name[MO_TEXT], result[MO_TEXT] = "";
    m->p = at, m->from = m->locals;
    if (mo_kind(m) == '"') m->p++;
    while (m->wrong == NULL && !mo_take(m, "algorithm")) {
        if (mo_take(m, "protected")) continue;
        bool input = mo_take(m, "input"), output = mo_take(m, "output");
        mo_need(m, "Real"), mo_name(m, name);
        int dims = 0, dim[MO_DIMS];
        if (input) mo_skip_to(m, ';');
        else if (mo_take(m, "[")) {
            do dim[dims++] = (int)mo_expr(m).v[0];
            while (mo_take(m, ",") && dims < MO_DIMS);
            mo_need(m, "]");
        }
        mo_need(m, ";");
        if (output) snprintf(result, sizeof result, "%s", name);
        if (input && used == count) mo_fail(m, "arguments");
        else mo_put_local(m, name, input ? args[used++] : mo_new(m, dims, dim));
    }
    mo_statements(m);
    const mo_variable *x = mo_find(m, result);
    mo_value y = x ? x->is : mo_scalar(m, NAN);
    m->p = back, m->locals = locals, m->from = from;
    return y;
}

static mo_value mo_builtin(modelica *m, const char *name, const mo_value *a, int count) {
    mo_value x = mo_scalar(m, NAN);
    if (strcmp(name, "cross") == 0 && count == 2) return mo_cross(m, a[0], a[1]);
    if (strcmp(name, "skew") == 0) return mo_skew(m, a[0]);
    if (strcmp(name, "transpose") == 0 && a[0].dims == 2) return mo_transposed(m, a[0]);
    if (strcmp(name, "identity") == 0) return mo_identity(m, (int)a[0].v[0]);
    if (strcmp(name, "zeros") == 0) return mo_vector(m, (int)a[0].v[0]);
    if (strcmp(name, "size") == 0) return mo_scalar(m, a[0].dim[(int)a[1].v[0] - 1]);
    if (strcmp(name, "sum") == 0) {
        mo_value total = mo_scalar(m, 0);
        for (int i = 0; i < mo_size(a[0]); i++) total.v[0] += a[0].v[i];
        return total;
    }
    if (strcmp(name, "sin") == 0) return mo_scalar(m, sin(a[0].v[0]));
    if (strcmp(name, "cos") == 0) return mo_scalar(m, cos(a[0].v[0]));
    if (strcmp(name, "sqrt") == 0) return mo_scalar(m, sqrt(a[0].v[0]));
    if (strcmp(name, "world.gravityAcceleration") == 0) return mo_get(m, &(mo_ref){.name = "world.g"});
    if (strncmp(name, "MB.", 3) == 0 && mo_library(m, &x, name, a)) return x;
    int at = mo_function(m, name);
    if (at >= 0) return mo_call(m, at, a, count);
    if (m->wrong == NULL) m->wrong = "a function", snprintf(m->unknown, MO_TEXT, "%s", name);
    return x;
}

// ---- expressions -----------------------------------------------------------------------------------

// e for i in a:b, summed up or beside each other
static mo_value mo_over(modelica *m, bool sum, const char *close) {
    int start = m->p, locals = m->locals;
    char name[MO_TEXT];
    mo_value x = {0};
    int depth = 0; // find `for` at this level
    for (; m->p < m->count && !(depth == 0 && mo_is(m, "for")) && depth >= 0; m->p++) {
        char k = mo_kind(m);
        depth += (k == '(' || k == '[' || k == '{') - (k == ')' || k == ']' || k == '}');
    }
    mo_need(m, "for"), mo_name(m, name), mo_need(m, "in");
    int first = (int)mo_expr(m).v[0];
    mo_need(m, ":");
    int last = (int)mo_expr(m).v[0], end = m->p;
    for (int i = first; i <= last && m->wrong == NULL; i++) {
        m->p = start, m->locals = locals;
        mo_put_local(m, name, mo_scalar(m, i));
        mo_value e = mo_expr(m);
        if (sum) x = i == first ? e : mo_sum_of(m, x, 1, e);
        else {
            int dim[MO_DIMS] = {last - first + 1};
            for (int k = 0; k < e.dims && k < MO_DIMS - 1; k++) dim[k + 1] = e.dim[k];
            if (i == first) x = mo_new(m, e.dims + 1, dim);
            memcpy(x.v + (i - first) * mo_size(e), e.v, (size_t)mo_size(e) * sizeof *x.v);
        }
    }
    m->locals = locals, m->p = end;
    mo_need(m, close);
    return x.v ? x : mo_scalar(m, 0);
}

static bool mo_has_for(modelica *m) { // before the bracket is closed
    int back = m->p, depth = 0;
    bool found = false;
    for (; m->p < m->count && depth >= 0 && !found; m->p++) {
        char k = mo_kind(m);
        found = depth == 0 && mo_is(m, "for");
        depth += (k == '(' || k == '[' || k == '{') - (k == ')' || k == ']' || k == '}');
    }
    return m->p = back, found;
}

static mo_value mo_list(modelica *m) {
    if (mo_has_for(m)) return mo_over(m, false, "}");
    mo_value x = {0};
    int n = 0, room = 0;
    do {
        mo_value e = mo_expr(m);
        int size = mo_size(e);
        if (n == room) { // grows by half
            int dim[MO_DIMS] = {room = 2 * room + 4};
            for (int k = 0; k < e.dims && k < MO_DIMS - 1; k++) dim[k + 1] = e.dim[k];
            mo_value more = mo_new(m, e.dims + 1, dim);
            if (x.v) memcpy(more.v, x.v, (size_t)n * (size_t)size * sizeof *x.v);
            x = more;
        }
        memcpy(x.v + n++ * size, e.v, (size_t)size * sizeof *x.v);
    } while (m->wrong == NULL && mo_take(m, ","));
    mo_need(m, "}");
    return x.dim[0] = n, x;
}

static mo_value mo_derivative(modelica *m) {
    mo_ref r = mo_read_ref(m);
    mo_need(m, ")");
    mo_ref of = {0};
    snprintf(of.name, sizeof of.name, "der(%.70s)", r.name);
    return mo_get(m, &of);
}

static mo_value mo_primary(modelica *m) {
    if (m->wrong) return mo_scalar(m, NAN);
    if (mo_kind(m) == '0') return mo_scalar(m, strtod(m->t[m->p++].at, NULL));
    if (mo_take(m, "(")) {
        mo_value x = mo_expr(m);
        return mo_need(m, ")"), x;
    }
    if (mo_take(m, "{")) return mo_list(m);
    if (mo_take(m, "true")) return mo_scalar(m, 1);
    if (mo_take(m, "false")) return mo_scalar(m, 0);
    mo_ref r = mo_read_ref(m);
    if (m->wrong || !mo_take(m, "(")) return m->wrong ? mo_scalar(m, NAN) : mo_get(m, &r);
    if (strcmp(r.name, "sum") == 0 && mo_has_for(m)) return mo_over(m, true, ")");
    if (strcmp(r.name, "der") == 0) return mo_derivative(m);
    mo_value args[6];
    int count = 0;
    do args[count++] = mo_expr(m);
    while (m->wrong == NULL && mo_take(m, ",") && count < 6);
    mo_need(m, ")");
    return m->wrong ? mo_scalar(m, NAN) : mo_builtin(m, r.name, args, count);
}

static mo_value mo_factor(modelica *m) {
    mo_value x = mo_primary(m);
    return mo_take(m, "^") ? mo_scalar(m, pow(x.v[0], mo_primary(m).v[0])) : x;
}
static mo_value mo_term(modelica *m) {
    mo_value x = mo_factor(m);
    while (m->wrong == NULL) {
        if (mo_take(m, "*")) x = mo_product(m, x, mo_factor(m));
        else if (mo_take(m, "/")) x = mo_times(m, x, 1 / mo_factor(m).v[0]);
        else break;
    }
    return x;
}
static mo_value mo_terms(modelica *m) {
    bool minus = mo_take(m, "-");
    mo_value x = mo_term(m);
    if (minus) x = mo_times(m, x, -1);
    while (m->wrong == NULL) {
        if (mo_take(m, "+")) x = mo_sum_of(m, x, 1, mo_term(m));
        else if (mo_take(m, "-")) x = mo_sum_of(m, x, -1, mo_term(m));
        else break;
    }
    return x;
}
static mo_value mo_expr(modelica *m) {
    if (mo_take(m, "if")) {
        mo_value c = mo_expr(m);
        mo_need(m, "then");
        mo_value a = mo_expr(m);
        mo_need(m, "else");
        mo_value b = mo_expr(m);
        return c.v[0] != 0 ? a : b;
    }
    mo_value x = mo_terms(m);
    if (mo_kind(m) == 'e') return m->p++, mo_scalar(m, x.v[0] == mo_terms(m).v[0]);
    return mo_take(m, "<") ? mo_scalar(m, x.v[0] < mo_terms(m).v[0]) : x;
}

// ---- algorithms ------------------------------------------------------------------------------------

// up to `end` of a function or a loop, whose name follows
static void mo_statements(modelica *m) {
    while (m->wrong == NULL && !mo_take(m, "end")) {
        if (mo_take(m, "annotation")) {
            mo_skip_to(m, ';'), mo_need(m, ";");
        } else if (mo_take(m, "for")) {
            char name[MO_TEXT];
            int locals = m->locals;
            mo_name(m, name), mo_need(m, "in");
            int first = (int)mo_expr(m).v[0];
            mo_need(m, ":");
            int last = (int)mo_expr(m).v[0];
            mo_need(m, "loop");
            for (int i = first, start = m->p; i <= last && m->wrong == NULL; i++) {
                m->p = start, m->locals = locals;
                mo_put_local(m, name, mo_scalar(m, i));
                mo_statements(m);
            }
            m->locals = locals;
            mo_need(m, "for"), mo_need(m, ";");
        } else {
            mo_ref r = mo_read_ref(m);
            if (mo_kind(m) != 'a') mo_fail(m, ":=");
            m->p++;
            mo_value x = mo_expr(m);
            int before = m->assigned;
            mo_need(m, ";"), mo_put_one(m, r.name, &r, x, true), m->assigned = before;
        }
    }
}

// ---- declarations ----------------------------------------------------------------------------------

static int mo_read_dims(modelica *m, int dim[MO_DIMS]) {
    int dims = 0;
    if (!mo_take(m, "[")) return 0;
    do dim[dims++] = (int)mo_expr(m).v[0];
    while (m->wrong == NULL && mo_take(m, ",") && dims < MO_DIMS);
    mo_need(m, "]");
    return dims;
}
// prefix "data." in the record
static void mo_parameter(modelica *m, const char *prefix) {
    char name[MO_TEXT], full[MO_TEXT + 6];
    int dim[MO_DIMS];
    m->p++; // its type
    mo_name(m, name);
    int dims = mo_read_dims(m, dim);
    mo_need(m, "=");
    mo_value x = mo_expr(m), want = {.dims = dims};
    for (int i = 0; i < dims; i++) want.dim[i] = dim[i];
    mo_alike(m, want, x);
    if (mo_kind(m) == '"') m->p++;
    mo_need(m, ";");
    snprintf(full, sizeof full, "%s%s", prefix, name);
    mo_declare(m, full, x, true);
}
static void mo_make_frame(modelica *m, const char *name, int dims, const int *dim) {
    char full[MO_TEXT + 10];
    static const char *const parts[] = {"%s.r_0", "%s.f", "%s.t", "%s.T", "%s.w", "%s.R.T", "%s.R.w"};
    bool connector = dims < 0;
    for (int k = connector ? 0 : 3; k < (connector ? 7 : 5); k++) {
        int all[MO_DIMS], n = 0;
        if (connector && (k == 3 || k == 4)) continue;
        for (int i = 0; i < dims; i++) all[n++] = dim[i];
        all[n++] = 3;
        if (k == 3 || k == 5) all[n++] = 3;
        snprintf(full, sizeof full, parts[k], name);
        mo_declare(m, full, mo_new(m, n, all), false);
    }
}
static void mo_component(modelica *m) {
    char type[MO_TEXT], name[MO_TEXT];
    mo_ref r = mo_read_ref(m);
    snprintf(type, sizeof type, "%s", r.name);
    int dim[MO_DIMS], dims;
    mo_name(m, name);
    dims = mo_read_dims(m, dim);
    mo_skip_to(m, ';'), mo_need(m, ";");
    if (strncmp(type, "MB.Interfaces.Frame_", 20) == 0) mo_make_frame(m, name, -1, NULL);
    else if (strcmp(type, "MB.Frames.Orientation") == 0) mo_make_frame(m, name, dims, dim);
    else if (strcmp(type, "MB.Frames.Quaternions.Orientation") == 0)
        mo_declare(m, name, mo_vector(m, 4), false);
    else if (strcmp(type, "Real") == 0) mo_declare(m, name, mo_new(m, dims, dim), false);
    else mo_fail(m, "a type");
}

// up to `equation`
static void mo_declarations(modelica *m, const char *model) {
    mo_need(m, "model"), mo_need(m, model);
    while (m->wrong == NULL && !mo_take(m, "equation")) {
        if (mo_kind(m) == '"') m->p++;
        else if (mo_take(m, "function")) { // read where it is called; its end has its name
            char name[MO_TEXT];
            mo_name(m, name);
            while (m->p + 1 < m->count && !(mo_is(m, "end") && (m->p++, mo_is(m, name)))) m->p++;
            m->p++, mo_need(m, ";");
        } else if (mo_take(m, "record")) {
            char name[MO_TEXT];
            mo_name(m, name), m->p++; // and its text
            while (m->wrong == NULL && mo_take(m, "parameter")) mo_parameter(m, "data.");
            mo_need(m, "end"), mo_need(m, name), mo_need(m, ";");
        } else if (mo_take(m, "import") || mo_take(m, "outer")) mo_skip_to(m, ';'), m->p++;
        else if (mo_take(m, "parameter")) {
            if (mo_is(m, "BodyData")) mo_skip_to(m, ';'), m->p++;
            else mo_parameter(m, "");
        } else if (!mo_take(m, "protected")) mo_component(m);
    }
}

// ---- equations -------------------------------------------------------------------------------------

// of branches of `if`, those where the body is the root
static void mo_collect(modelica *m, mo_place at) {
    while (m->wrong == NULL && !mo_is(m, "end") && !mo_is(m, "else")) {
        if (mo_is(m, "Connections")) {
            mo_skip_to(m, ';'), m->p++;
        } else if (mo_take(m, "if")) {
            bool root = false;
            mo_need(m, "Connections"), mo_need(m, ".");
            root = mo_is(m, "isRoot");
            while (m->p < m->count && !mo_take(m, "then")) m->p++;
            int before = m->places;
            mo_collect(m, at);
            if (!root) m->places = before;
            mo_need(m, "else"), before = m->places;
            mo_collect(m, at);
            if (root) m->places = before;
            mo_need(m, "end"), mo_need(m, "if"), mo_need(m, ";");
        } else if (mo_take(m, "for")) {
            mo_place in = at;
            int locals = m->locals;
            mo_name(m, in.name[at.loops]), mo_need(m, "in");
            int first = (int)mo_expr(m).v[0];
            mo_need(m, ":");
            int last = (int)mo_expr(m).v[0];
            mo_need(m, "loop"), in.loops++;
            for (int i = first, start = m->p; i <= last && m->wrong == NULL; i++)
                m->p = start, in.value[at.loops] = i, mo_collect(m, in);
            m->locals = locals;
            mo_need(m, "end"), mo_need(m, "for"), mo_need(m, ";");
        } else {
            if (m->places == MO_PLACES) mo_fail(m, "fewer equations");
            else m->place[m->places] = at, m->place[m->places++].at = m->p;
            mo_skip_to(m, ';'), mo_need(m, ";");
        }
    }
}

// is it a single name before the = sign?
static bool mo_single(modelica *m, mo_ref *r) {
    int back = m->p;
    bool single = mo_kind(m) == 'n';
    if (single) *r = mo_read_ref(m), single = mo_is(m, "=");
    return m->p = back, single;
}

static bool mo_assign(modelica *m, const mo_ref *r, mo_value x) {
    char T[MO_TEXT + 2], w[MO_TEXT + 2];
    if (!mo_is_orientation(m, r->name)) return mo_put_one(m, r->name, r, x, false);
    snprintf(T, sizeof T, "%s.T", r->name), snprintf(w, sizeof w, "%s.w", r->name);
    mo_value rate = mo_vector(m, 3);
    memcpy(rate.v, x.w, 3 * sizeof(double));
    return mo_put_one(m, T, r, x, false) && mo_put_one(m, w, r, rate, false);
}

static void mo_try(modelica *m, mo_place *e) {
    int locals = m->locals;
    mo_ref r;
    for (int k = 0; k < e->loops; k++) mo_put_local(m, e->name[k], mo_scalar(m, e->value[k]));
    m->p = e->at;
    bool single = mo_single(m, &r);
    m->missing = false;
    mo_skip_to(m, '=');
    mo_need(m, "=");
    mo_value right = mo_expr(m);
    if (mo_kind(m) != ';') mo_fail(m, ";");
    if (!m->missing && m->wrong == NULL) {
        e->done = single && mo_assign(m, &r, right);
        if (!e->done) {
            m->p = e->at;
            mo_value left = mo_expr(m);
            e->done = !m->missing;
            mo_value rest = mo_sum_of(m, left, -1, right);
            for (int i = 0; e->done && i < mo_size(rest) && m->residuals < 400; i++)
                m->residual[m->residuals++] = rest.v[i];
        }
    }
    m->locals = locals;
}

// all equations with what is set; false: some remain
static bool mo_solve(modelica *m) {
    bool more = true, all = true;
    while (more && m->wrong == NULL) {
        more = false;
        for (int i = 0; i < m->places && m->wrong == NULL; i++)
            if (!m->place[i].done) mo_try(m, &m->place[i]), more = more || m->place[i].done;
    }
    for (int i = 0; i < m->places; i++) all = all && m->place[i].done;
    return all && m->wrong == NULL;
}

// ---- the model -------------------------------------------------------------------------------------

static void mo_free(modelica *m) {
    free(m->t), lmb_arena_destroy(m->arena);
    free(m);
}

static modelica *mo_load(const char *text, const char *model) {
    modelica *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    m->arena = lmb_arena_create(1 << 20);
    mo_split(m, text);
    mo_declarations(m, model);
    mo_collect(m, (mo_place){0});
    mo_need(m, "end"), mo_need(m, model), mo_need(m, ";");
    if (m->wrong) check_note("expected %s at '%s'", m->wrong, m->unknown);
    CHECK(m->wrong == NULL && m->p == m->count);
    return m;
}

#endif
