// store/fem_read.c: modal data of MBDyn as flexible body data: store/fem.h.
#include "linalg/linalg.h"
#include "linalg/symmetric.h"
#include "mesh/scan.h"
#include "os/bytes.h"
#include "os/files.h"
#include "store/fem.h"
#include "store/flex_file.h"

#include <string.h>
#include <strings.h>

enum { GROUPS = 20, MODES_MOST = 400, NODES_MOST = 10000000 };
enum { X = 5, SHAPES = 8, MASS, STIFFNESS, LUMPED, RIGID, DAMPING, I3, I4, I8, I5, I9, STRESS };

typedef struct parser {
    lmb_scan scan;
    lmb_arena *arena;
    int modes, nodes;
    char **label;
    int line[GROUPS];      // where a group begins; 0: it is missing
    double *value[GROUPS]; // its numbers
    lmb_piece rest;        // of this line
    int next;              // the group whose heading was met
    lmb_flex *f;
    double changed, turned; // I11; how far I8 and I4 disagree
} parser;

// ---- text ----------------------------------------------------------------------------------------

// "** RECORD GROUP 12, ..."; 0: another comment
static int heading(lmb_piece row) {
    static const char words[] = "RECORD GROUP";
    int n = (int)strlen(words), group = 0;
    while (row.length > 0 && (row.at[0] == '*' || row.at[0] == ' ')) row.at++, row.length--;
    if (row.length <= n || strncasecmp(row.at, words, (size_t)n) != 0) return 0;
    row.at += n, row.length -= n;
    row = lmb_piece_trim(row);
    int digits = 0;
    while (digits < row.length && row.at[digits] >= '0' && row.at[digits] <= '9') digits++;
    return lmb_piece_integer(&group, (lmb_piece){row.at, digits}) ? group : 0;
}

// the next word of this group; false: another group, or the end
static bool next_word(lmb_piece *word, parser *p) {
    while (p->rest.length == 0 && p->next == 0) {
        if (!lmb_scan_line(&p->rest, &p->scan)) return false;
        if (p->rest.length < 2 || p->rest.at[0] != '*' || p->rest.at[1] != '*') continue;
        p->next = heading(p->rest);
        p->rest.length = 0;
    }
    if (p->rest.length == 0) return false;
    int n = 0;
    while (n < p->rest.length && !strchr(" \t,", p->rest.at[n])) n++;
    *word = (lmb_piece){p->rest.at, n};
    p->rest.at += n, p->rest.length -= n;
    while (p->rest.length > 0 && strchr(" \t,", p->rest.at[0])) p->rest.at++, p->rest.length--;
    return true;
}

static int shown(lmb_piece p) { return p.length > 40 ? 40 : p.length; }

static lmb_status read_header(parser *p) {
    lmb_piece word;
    int sizes[5];
    if (!next_word(&word, p) || word.length < 4 || strncasecmp(word.at, "REV", 3) != 0)
        return lmb_scan_fail(&p->scan, "record group 1 must begin with the revision, such as REV0");
    for (int i = 0; i < 5; i++)
        if (!next_word(&word, p) || !lmb_piece_integer(&sizes[i], word) || sizes[i] < 0)
            return lmb_scan_fail(&p->scan, "record group 1 needs the numbers of nodes, normal, attachment, "
                                           "constraint and rejected modes");
    double modes = (double)sizes[1] + sizes[2] + sizes[3] - sizes[4];
    if (sizes[0] < 1 || sizes[0] > NODES_MOST || modes < 1 || modes > MODES_MOST)
        return lmb_scan_fail(&p->scan, "%d nodes and %g modes: at least one of each, at most %d modes",
                             sizes[0], modes, MODES_MOST);
    p->nodes = sizes[0], p->modes = (int)modes;
    // a number takes two characters at least
    if (6.0 * sizes[0] * modes > (double)(p->scan.end - p->scan.at) / 2)
        return lmb_scan_fail(&p->scan, "the file is too short for %d nodes and %d modes; it is truncated",
                             p->nodes, p->modes);
    return LMB_OK;
}

static lmb_status read_labels(parser *p) {
    lmb_piece word;
    p->label = lmb_arena_get(p->arena, (size_t)p->nodes, sizeof *p->label);
    if (p->label == NULL) return lmb_scan_memory(&p->scan);
    for (int i = 0; i < p->nodes; i++) {
        if (!next_word(&word, p))
            return lmb_scan_fail(&p->scan, "record group 2 has %d of %d node labels", i, p->nodes);
        p->label[i] = lmb_arena_printf(p->arena, "%.*s", word.length, word.at);
        if (p->label[i] == NULL) return lmb_scan_memory(&p->scan);
    }
    return LMB_OK;
}

static size_t count_of(const parser *p, int group) {
    size_t m = (size_t)p->modes, n = (size_t)p->nodes;
    switch (group) {
    case 3:
    case 4: return m;
    case X:
    case X + 1:
    case X + 2: return n;
    case SHAPES: return 6 * n * m;
    case LUMPED: return 6 * n;
    case RIGID: return 13;
    case I3:
    case I4: return 3 * m;
    case I8: return 9 * m;
    case I5: return 3 * m * m;
    case I9: return 9 * m * m;
    default: return m * m;
    }
}

static lmb_status read_numbers(parser *p, int group) {
    size_t count = count_of(p, group);
    lmb_piece word;
    if ((double)count > (double)(p->scan.end - p->scan.at) / 2 + 1)
        return lmb_scan_fail(&p->scan, "record group %d needs %zu numbers; the file is truncated", group,
                             count);
    p->value[group] = lmb_arena_get(p->arena, count, sizeof(double));
    if (p->value[group] == NULL) return lmb_scan_memory(&p->scan);
    for (size_t i = 0; i < count; i++) {
        if (!next_word(&word, p))
            return lmb_scan_fail(&p->scan, "record group %d has %zu of %zu numbers", group, i, count);
        if (!lmb_piece_number(&p->value[group][i], word))
            return lmb_scan_fail(&p->scan, "'%.*s' is not a number", shown(word), word.at);
    }
    return LMB_OK;
}

static lmb_status read_group(parser *p) {
    int group = p->next;
    lmb_scan *s = &p->scan;
    p->next = 0;
    if (group < 1 || group >= GROUPS) return lmb_scan_fail(s, "record group %d is not supported", group);
    if (group == STRESS)
        return lmb_scan_fail(
            s, "record group 19 (stress stiffening) is not supported; remove it to run without");
    if (p->line[group] > 0)
        return lmb_scan_fail(s, "duplicate record group %d (first at line %d)", group, p->line[group]);
    if (group > 1 && p->modes == 0) return lmb_scan_fail(s, "record group 1 must come first");
    p->line[group] = s->line;
    return group == 1 ? read_header(p) : group == 2 ? read_labels(p) : read_numbers(p, group);
}

static lmb_status read_all(parser *p) {
    static const int needed[] = {1, 2, X, X + 1, X + 2, SHAPES, MASS, STIFFNESS};
    lmb_piece word;
    lmb_status st = LMB_OK;
    while (st == LMB_OK) {
        if (next_word(&word, p))
            return lmb_scan_fail(&p->scan, "unexpected '%.*s': a record group has too many numbers",
                                 shown(word), word.at);
        if (p->next == 0) break;
        st = read_group(p);
    }
    if (st != LMB_OK || p->scan.status != LMB_OK) return p->scan.status;
    for (int i = 0; i < LMB_COUNT(needed); i++)
        if (p->line[needed[i]] == 0) return lmb_scan_fail(&p->scan, "record group %d is missing", needed[i]);
    if (p->line[LUMPED] == 0 && p->line[RIGID] == 0)
        return lmb_scan_fail(&p->scan, "the mass is missing: neither record group 11 nor 12");
    return LMB_OK;
}

// ---- inertia -------------------------------------------------------------------------------------

static vec3 place(const parser *p, int n) {
    return v3(p->value[X][n], p->value[X + 1][n], p->value[X + 2][n]);
}
static const double *shape(const parser *p, int n, int mode) {
    return p->value[SHAPES] + 6 * ((size_t)mode * (size_t)p->nodes + (size_t)n);
}
static double nodal_mass(const parser *p, int n) {
    return v3_norm(v3_load(p->value[LUMPED] + 6 * n)) / sqrt(3);
}

// of a nodal mass: I1, I2, I7
static void add_rigid(parser *p, int n) {
    const double *d = p->value[LUMPED] + 6 * n;
    double m = nodal_mass(p, n);
    mat3 x = m3_skew(place(p, n));
    p->f->I1 += m, p->f->I2 = v3_madd(p->f->I2, m, place(p, n));
    p->f->I7 = m3_add(m3_sub(p->f->I7, m3_scale(m, m3_mul(x, x))), m3_diag(d[3], d[4], d[5]));
}

// mass, centre, inertia about the centre
static void set_rigid(parser *p) {
    const double *v = p->value[RIGID];
    lmb_flex *f = p->f;
    if (v == NULL) {
        for (int n = 0; n < p->nodes; n++) add_rigid(p, n);
        return;
    }
    mat3 J, c = m3_skew(v3_load(v + 1));
    memcpy(J.m, v + 4, sizeof J.m);
    f->I1 = v[0], f->I2 = v3_scale(v[0], v3_load(v + 1));
    f->I7 = m3_sub(m3_scale(0.5, m3_add(J, m3_t(J))), m3_scale(v[0], m3_mul(c, c)));
}

// of nodal masses: I3, I4 with rotary inertia, I8 by its antisymmetric part I4 and its symmetric one
static void add_moments(parser *p, int n, int i) {
    const double *s = shape(p, n, i), *d = p->value[LUMPED] + 6 * n;
    double m = nodal_mass(p, n);
    vec3 u = v3_load(s), x = place(p, n), swirl = v3_scale(m, v3_cross(x, u));
    mat3 xs = m3_scale(m, m3_mul(m3_skew(x), m3_skew(u)));
    swirl = v3_add(swirl, v3(d[3] * s[3], d[4] * s[4], d[5] * s[5]));
    lmb_flex *f = p->f;
    v3_store(f->I3 + 3 * i, v3_madd(v3_load(f->I3 + 3 * i), m, u));
    v3_store(f->I4 + 3 * i, v3_add(v3_load(f->I4 + 3 * i), swirl));
    for (int k = 0; k < 9; k++) f->I8[9 * i + k] += xs.m[k / 3][k % 3];
}

// record groups 14 to 16, mode i in columns; the sign of I8 by that of I4: I8 - I8' = I4~
static void take_moments(parser *p, int i) {
    lmb_flex *f = p->f;
    int m = p->modes;
    for (int a = 0; a < 3; a++) {
        if (p->value[I3]) f->I3[3 * i + a] = p->value[I3][a * m + i];
        if (p->value[I4]) f->I4[3 * i + a] = p->value[I4][a * m + i];
        for (int b = 0; b < 3 && p->value[I8]; b++)
            f->I8[9 * i + 3 * a + b] = -p->value[I8][(3 * i + b) + 3 * m * a];
    }
}

static double turned_by(const parser *p, double sign) {
    double most = 0, scale = 0;
    for (int i = 0; i < p->modes; i++) {
        mat3 A, w = m3_skew(v3_load(p->f->I4 + 3 * i));
        memcpy(A.m, p->f->I8 + 9 * (size_t)i, sizeof A.m);
        for (int k = 0; k < 9; k++) {
            double d = sign * (A.m[k / 3][k % 3] - A.m[k % 3][k / 3]);
            most = fmax(most, fabs(d - w.m[k / 3][k % 3])), scale = fmax(scale, fabs(w.m[k / 3][k % 3]));
        }
    }
    return scale > 0 ? most / scale : 0;
}

// I8 with the antisymmetric part that I4 gives, then I10
static void finish_moments(parser *p) {
    lmb_flex *f = p->f;
    double same = turned_by(p, 1), other = turned_by(p, -1), sign = other < same ? -1 : 1;
    p->turned = fmin(same, other);
    for (int i = 0; i < f->m; i++) {
        mat3 A;
        memcpy(A.m, f->I8 + 9 * (size_t)i, sizeof A.m);
        A = m3_scale(0.5, m3_add(m3_scale(sign, m3_add(A, m3_t(A))), m3_skew(v3_load(f->I4 + 3 * i))));
        memcpy(f->I8 + 9 * (size_t)i, A.m, sizeof A.m);
        double half = (A.m[0][0] + A.m[1][1] + A.m[2][2]) / 2;
        for (int k = 0; k < 9; k++)
            f->I10[(size_t)k * f->m + i] = A.m[k % 3][k / 3] - (k % 4 == 0 ? half : 0);
    }
}

// int rho s_i s_j' of record group 18, of nodal masses, or of the motion of the nodes
static mat3 spread(const parser *p, int i, int j) {
    mat3 A = M3_ZERO;
    size_t m = (size_t)p->modes, row = 3 * m * m;
    if (p->value[I9]) {
        const double *v = p->value[I9] + 3 * ((size_t)i * m + (size_t)j);
        double half = (v[0] + v[row + 1] + v[2 * row + 2]) / 2;
        for (size_t k = 0; k < 9; k++) A.m[k % 3][k / 3] = v[k / 3 * row + k % 3] - (k % 4 == 0 ? half : 0);
        return A;
    }
    for (int n = 0; n < p->nodes; n++) {
        double by = p->value[LUMPED] ? nodal_mass(p, n) : 1;
        A = m3_add(A, m3_scale(by, m3_outer(v3_load(shape(p, n, i)), v3_load(shape(p, n, j)))));
    }
    return A;
}

static void set_pairs(parser *p) {
    lmb_flex *f = p->f;
    size_t m = (size_t)f->m;
    bool known = p->value[I9] || p->value[LUMPED];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            size_t at = i * m + j;
            mat3 A = spread(p, (int)i, (int)j);
            double *s = f->I5 + 3 * at;
            for (size_t k = 0; k < 9; k++)
                f->I11[k * m * m + at] = (A.m[k / 3][k % 3] + A.m[k % 3][k / 3]) / 2;
            if (p->value[I5])
                for (size_t a = 0; a < 3; a++) s[a] = p->value[I5][a * m * m + at];
            else if (known)
                v3_store(s, v3(A.m[1][2] - A.m[2][1], A.m[2][0] - A.m[0][2], A.m[0][1] - A.m[1][0]));
            f->I6[at] = (p->value[MASS][at] + p->value[MASS][j * m + i]) / 2;
            f->K[at] = (p->value[STIFFNESS][at] + p->value[STIFFNESS][j * m + i]) / 2;
            if (p->value[DAMPING]) f->D[at] = (p->value[DAMPING][at] + p->value[DAMPING][j * m + i]) / 2;
        }
    for (size_t i = 0; i < m; i++) // s_i x s_j = -(s_j x s_i)
        for (size_t j = 0; j <= i; j++)
            for (size_t a = 0; a < 3; a++) {
                double *x = &f->I5[3 * (i * m + j) + a], *y = &f->I5[3 * (j * m + i) + a],
                       half = (*x - *y) / 2;
                *x = half, *y = -half;
            }
}

// the motion of the nodes alone: to the diagonal of the modal mass
static void scale_pairs(parser *p) {
    lmb_flex *f = p->f;
    size_t m = (size_t)f->m, mm = m * m;
    for (size_t i = 0; i < m && !p->value[I9] && !p->value[LUMPED]; i++) {
        size_t at = i * m + i;
        double sum = f->I11[at] + f->I11[4 * mm + at] + f->I11[8 * mm + at],
               by = sum > 0 ? sqrt(f->I6[at] / sum) : 0;
        for (size_t k = 0; k < 9; k++)
            for (size_t j = 0; j < m; j++) f->I11[k * mm + i * m + j] *= by, f->I11[k * mm + j * m + i] *= by;
    }
}

static lmb_status set_inertia(parser *p) {
    const lmb_where where = {p->scan.file, 0, 0};
    set_rigid(p);
    for (int i = 0; i < p->modes; i++) {
        for (int n = 0; n < p->nodes && p->value[LUMPED]; n++) add_moments(p, n, i);
        take_moments(p, i);
    }
    finish_moments(p);
    set_pairs(p);
    if (!(p->f->I1 > 0)) return lmb_fail(p->scan.err, LMB_ERR_INPUT, where, "the mass is not positive");
    for (int i = 0; i < p->modes; i++)
        if (!(p->f->I6[(size_t)i * p->modes + i] > 0))
            return lmb_fail(p->scan.err, LMB_ERR_INPUT, (lmb_where){p->scan.file, p->line[MASS], 0},
                            "mode %d has no modal mass", i + 1);
    scale_pairs(p);
    return lmb_flex_complete(&p->changed, p->f, where, p->scan.err);
}

// ---- nodes -----------------------------------------------------------------------------------------

static lmb_status set_nodes(parser *p) {
    lmb_flex *f = p->f;
    size_t n = (size_t)p->nodes, m = (size_t)p->modes, row = 3 * m;
    if (!lmb_flex_nodes(f, p->nodes)) return lmb_scan_memory(&p->scan);
    for (size_t k = 0; k < n; k++) {
        lmb_flex_marker *to = &f->markers[k];
        double *S = f->node_S + k * row, *P = f->node_P + k * row;
        char *name = lmb_arena_printf(f->arena, "node_%s", p->label[k]);
        if (name == NULL) return lmb_scan_memory(&p->scan);
        for (size_t i = 0; i < k; i++)
            if (strcmp(f->markers[i].name, name) == 0)
                return lmb_fail(p->scan.err, LMB_ERR_INPUT, (lmb_where){p->scan.file, p->line[2], 0},
                                "duplicate node label '%.40s'", p->label[k]);
        vec3 x = place(p, (int)k);
        f->node_label[k] = (int)k + 1;
        v3_store(f->node_x + 3 * k, x);
        for (size_t j = 0; j < m; j++)
            for (size_t a = 0; a < 3; a++) {
                S[a * m + j] = shape(p, (int)k, (int)j)[a];
                P[a * m + j] = shape(p, (int)k, (int)j)[3 + a];
            }
        *to = (lmb_flex_marker){.name = name, .interface = true, .x = x, .S = S, .P = P, .at = x};
    }
    return LMB_OK;
}

// ---- texts -----------------------------------------------------------------------------------------

static bool moves_at_start(const parser *p) {
    for (int g = 3; g <= 4; g++)
        for (int i = 0; p->value[g] && i < p->modes; i++)
            if (p->value[g][i] != 0) return true;
    return false;
}

static bool add_texts(parser *p) {
    lmb_flex *f = p->f;
    bool own = p->value[I3] && p->value[I4] && p->value[I8], lumped = p->value[LUMPED] != NULL;
    const char *inertia = own      ? "record groups 14 to 16"
                          : lumped ? "nodal masses of record group 11"
                                   : "none: taken as zero, right for free modes in mean axes only",
               *second = p->value[I9] ? "record group 18"
                         : lumped     ? "nodal masses of record group 11"
                                      : "from the motion of the nodes";
    const char *lost =
        own || lumped
            ? ""
            : "it has neither invariants nor nodal masses: the coupling of modes with the "
              "motion of the frame is taken as zero, which is right for free modes in mean axes only";
    const char *start =
        moves_at_start(p) ? "its initial modal displacements and velocities are not used" : "";
    f->shapes = lmb_arena_printf(f->arena, "%d shape functions\n", f->m);
    f->report = lmb_arena_printf(
        f->arena,
        "coupling with the frame: %s\ninertia of second order: %s, corrected by %.2g %% of the "
        "modal mass\nI8 and I4: off by %.2g %%\ngeometric stiffness: none\n",
        inertia, second, 100 * p->changed, 100 * p->turned);
    f->provenance = lmb_arena_strdup(f->arena, "format: MBDyn modal data (.fem)\n");
    if (*lost || *start)
        f->doubts = lmb_arena_printf(f->arena, "%s%s%s", lost, *lost && *start ? "; " : "", start);
    return f->shapes && f->report && f->provenance && (f->doubts || !(*lost || *start));
}

lmb_status lmb_fem_parse(lmb_flex **out, const char *text, size_t length, const char *file, lmb_error *err) {
    parser p = {.scan = {.at = text, .end = text + length, .file = file, .err = err},
                .arena = lmb_arena_create(1 << 16)};
    *out = NULL;
    lmb_status st = p.arena ? read_all(&p) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_flex_create(&p.f, "", p.modes, err);
    if (st == LMB_OK) p.f->foreign = true, st = set_inertia(&p);
    if (st == LMB_OK) st = lmb_flex_vibrate(p.f, (lmb_where){file, p.line[STIFFNESS], 0}, err);
    if (st == LMB_OK) st = set_nodes(&p);
    if (st == LMB_OK && !add_texts(&p)) st = lmb_fail_memory(err);
    if (st == LMB_OK) *out = p.f;
    else lmb_flex_destroy(p.f);
    lmb_arena_destroy(p.arena);
    return st;
}

// ---- files -----------------------------------------------------------------------------------------

bool lmb_flex_is_fem(const char *path) { return lmb_format_fits(".fem", path) && lmb_file_is_there(path); }

lmb_status lmb_flex_read_fem(lmb_flex **out, const char *path, lmb_error *err) {
    lmb_text text = {0};
    *out = NULL;
    lmb_status st = lmb_file_load(&text, path, LMB_NOWHERE, err);
    if (st == LMB_OK) st = lmb_fem_parse(out, text.text, text.length, path, err);
    lmb_text_free(&text);
    return st;
}
