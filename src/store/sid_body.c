// store/sid_body.c: from Standard Input Data to flexible body data.
//
// In the terms of docs/theory/reduction.md (5), with J1_k, Cr0_k of coordinate k and A_ij = int rho s_i s_j':
//   I1, I2, I3, I4, I6, I7 = mass, mdCM0, Ct0, Cr0, Me, J0     I5_ij = Cr1(j, i), its antisymmetric part
//   I8_k = -(J1_k - Cr0_k~) / 2      I10 of I8      symmetric part of A_ij: Oe1(i, j) = w.A_ij w - w^2 tr A_ij
// Of second order, per unit acceleration, angular acceleration, product of angular velocities, force and torque:
//   Kg = Ct1, the symmetric part of Cr1, Oe1 without inertia, -phi1, -psi1                docs/theory/modal.md (3), (4)
// Oe1 then does not say which part is inertia.  The elastic equations only need the sum; in J(q), of second order, which the format
// does not have, the motion of the nodes stands for that of the body.
#include "store/sid.h"

#include <string.h>

static const int FIRST[6] = {0, 1, 2, 0, 1, 0}, SECOND[6] = {0, 1, 2, 1, 2, 2}; // columns of Oe

typedef struct maker {
    const lmb_sid *s;
    const lmb_sid_lint *lint;
    lmb_flex *f;
    lmb_error *err;
    double changed; // I11
    lmb_text *told; // what is completed; NULL: nothing is
    double lowest;  // frequency before that, Hz; NAN: there is none
} maker;

static lmb_status refuse(const maker *w, lmb_sid_array a, const char *text) {
    return lmb_fail(w->err, LMB_ERR_INPUT, (lmb_where){w->s->file, w->s->array[a].line, 0}, "%s: %s",
                    lmb_sid_array_names[a], text);
}

// ---- inertia -------------------------------------------------------------------------------------

static double *I11(lmb_flex *f, int a, int b, int i, int j) {
    return &f->I11[((size_t)(3 * a + b) * f->m + i) * f->m + j];
}

static void first_moments(lmb_flex *f, const lmb_sid *s, int k) {
    vec3 swirl = lmb_sid_row(&s->array[LMB_SID_CR], k);
    mat3 I8 = m3_scale(-0.5, m3_sub(lmb_sid_J1(s, k), m3_skew(swirl)));
    double half = (I8.m[0][0] + I8.m[1][1] + I8.m[2][2]) / 2;
    v3_store(f->I3 + 3 * k, lmb_sid_row(&s->array[LMB_SID_CT], k));
    v3_store(f->I4 + 3 * k, swirl);
    memcpy(f->I8 + 9 * (size_t)k, I8.m, sizeof I8.m);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) f->I10[(size_t)(3 * a + b) * f->m + k] = I8.m[b][a] - (a == b ? half : 0);
}

static double middle(const lmb_sid *s, lmb_sid_array a, int i, int k) {
    return (lmb_sid_m0(&s->array[a], i, k) + lmb_sid_m0(&s->array[a], k, i)) / 2;
}

static double oe1(const lmb_sid *s, int i, int k, int c) {
    return (lmb_sid_m1(&s->array[LMB_SID_OE], i, k, c) + lmb_sid_m1(&s->array[LMB_SID_OE], k, i, c)) / 2;
}

// symmetric part of A_ik: of Oe1
static void spread_given(lmb_flex *f, const lmb_sid *s, int i, int k) {
    double Me = middle(s, LMB_SID_ME, i, k);
    for (int c = 0; c < 6; c++) {
        double v = c < 3 ? oe1(s, i, k, c) + Me : oe1(s, i, k, c) / 2;
        *I11(f, FIRST[c], SECOND[c], i, k) = *I11(f, SECOND[c], FIRST[c], i, k) = v;
    }
}

// u = phi + psi x d of coordinate i at a node
static vec3 motion_at(const lmb_sid_node *n, vec3 d, int i) {
    const lmb_sid_taylor *S = &n->array[LMB_SID_PHI], *P = &n->array[LMB_SID_PSI];
    vec3 u = v3(lmb_sid_m0(S, 0, i), lmb_sid_m0(S, 1, i), lmb_sid_m0(S, 2, i)),
         th = v3(lmb_sid_m0(P, 0, i), lmb_sid_m0(P, 1, i), lmb_sid_m0(P, 2, i));
    return v3_add(u, v3_cross(th, d));
}

// of the nodes, and of the material a quarter of the way to the centre of mass: sum u_i u_k', scaled below
static void spread_of_nodes(lmb_flex *f, const lmb_sid *s, int i, int k) {
    mat3 A = M3_ZERO;
    for (int n = 0; n < 2 * s->node_count; n++) {
        const lmb_sid_node *node = &s->nodes[n / 2];
        vec3 arm = v3_sub(v3_scale(1 / f->I1, f->I2), v3_load(node->array[LMB_SID_ORIGIN].m0)),
             d = v3_scale(n % 2 ? 0.25 : 0, arm);
        A = m3_add(A, m3_outer(motion_at(node, d, i), motion_at(node, d, k)));
    }
    for (int ab = 0; ab < 9; ab++) *I11(f, ab / 3, ab % 3, i, k) = A.m[ab / 3][ab % 3];
}

// to the diagonal of Me
static void scale_spread(lmb_flex *f) {
    for (int i = 0; i < f->m; i++) {
        double sum = *I11(f, 0, 0, i, i) + *I11(f, 1, 1, i, i) + *I11(f, 2, 2, i, i),
               by = sum > 0 ? sqrt(f->I6[(size_t)i * f->m + i] / sum) : 0;
        for (int ab = 0; ab < 9; ab++)
            for (int k = 0; k < f->m; k++)
                *I11(f, ab / 3, ab % 3, i, k) *= by, *I11(f, ab / 3, ab % 3, k, i) *= by;
    }
}

static lmb_status set_inertia(maker *w) {
    lmb_flex *f = w->f;
    const lmb_sid *s = w->s;
    f->I1 = s->mass, f->I2 = v3_load(s->array[LMB_SID_MDCM].m0);
    f->I7 = lmb_sid_inertia(s->array[LMB_SID_J].m0);
    for (int i = 0; i < f->m; i++) {
        first_moments(f, s, i);
        for (int k = 0; k < f->m; k++) {
            size_t at = (size_t)i * f->m + k;
            f->I6[at] = middle(s, LMB_SID_ME, i, k), f->K[at] = middle(s, LMB_SID_KE, i, k),
            f->D[at] = middle(s, LMB_SID_DE, i, k);
            v3_store(f->I5 + 3 * at, lmb_sid_swirl(s, k, i));
            if (w->lint->stiffening) spread_of_nodes(f, s, i, k);
            else spread_given(f, s, i, k);
        }
        if (!(f->I6[(size_t)i * f->m + i] > 0)) return refuse(w, LMB_SID_ME, "a mode has no mass");
    }
    if (w->lint->stiffening) scale_spread(f);
    const lmb_where where = {s->file, 0, 0};
    lmb_error none = {0};
    bool known = w->told && lmb_flex_vibrate(f, where, &none) == LMB_OK;
    w->lowest = known ? f->frequency[0] : NAN;
    lmb_status st = w->told ? lmb_flex_repair(w->told, f, where, w->err) : LMB_OK;
    return st ? st : lmb_flex_complete(&w->changed, f, where, w->err);
}

// ---- stiffness -----------------------------------------------------------------------------------

// per unit of a load, both halves alike
static double unit_stiffness(const maker *w, const lmb_flex_stiffening *g, int i, int k) {
    const lmb_sid_taylor *a = w->s->array;
    lmb_flex *f = w->f;
    if (g->load == LMB_LOAD_ACCELERATION) return lmb_sid_m1(&a[LMB_SID_CT], i, k, g->index);
    if (g->load == LMB_LOAD_SPIN) return lmb_sid_m1(&a[LMB_SID_CR], i, k, g->index);
    if (g->load == LMB_LOAD_CENTRIFUGAL) {
        int c = g->index; // xx, yy, zz, xy, yz, zx, as in Oe
        double inertia =
            *I11(f, FIRST[c], SECOND[c], i, k) + (c < 3 ? 0 : *I11(f, SECOND[c], FIRST[c], i, k));
        return lmb_sid_m1(&a[LMB_SID_OE], i, k, c) - inertia + (c < 3 ? f->I6[(size_t)i * f->m + k] : 0);
    }
    const lmb_sid_taylor *t = w->s->nodes[g->marker].array;
    return -lmb_sid_m1(&t[g->index < 3 ? LMB_SID_PHI : LMB_SID_PSI], g->index % 3, k, i);
}

static lmb_status set_load(maker *w, lmb_flex_load load, int index, int marker) {
    lmb_flex *f = w->f;
    lmb_flex_stiffening *g = &f->stiffening[f->stiffening_count++];
    *g = (lmb_flex_stiffening){load, index, marker, NULL};
    double *Kg = lmb_arena_get(f->arena, (size_t)f->m * f->m, sizeof *Kg);
    if (Kg == NULL) return lmb_fail_memory(w->err);
    for (int i = 0; i < f->m; i++)
        for (int k = 0; k < f->m; k++)
            Kg[i * f->m + k] = (unit_stiffness(w, g, i, k) + unit_stiffness(w, g, k, i)) / 2;
    g->Kg = Kg;
    return LMB_OK;
}

static lmb_status set_stiffening(maker *w) {
    lmb_flex *f = w->f;
    lmb_status st = LMB_OK;
    if (!w->lint->stiffening) return LMB_OK;
    f->stiffening =
        lmb_arena_get(f->arena, LMB_INERTIA_LOADS + 6 * (size_t)f->marker_count, sizeof *f->stiffening);
    if (f->stiffening == NULL) return lmb_fail_memory(w->err);
    for (int i = 0; i < 6 && st == LMB_OK; i++) st = set_load(w, LMB_LOAD_CENTRIFUGAL, i, -1);
    for (int i = 0; i < 3 && st == LMB_OK; i++) st = set_load(w, LMB_LOAD_ACCELERATION, i, -1);
    for (int i = 0; i < 3 && st == LMB_OK; i++) st = set_load(w, LMB_LOAD_SPIN, i, -1);
    for (int n = 0; n < f->marker_count; n++) {
        const lmb_sid_taylor *t = w->s->nodes[n].array;
        bool there = t[LMB_SID_PHI].m1 || t[LMB_SID_PSI].m1;
        for (int i = 0; i < 6 && st == LMB_OK && there; i++) st = set_load(w, LMB_LOAD_INTERFACE, i, n);
    }
    return st;
}

// ---- nodes ---------------------------------------------------------------------------------------

static lmb_status set_nodes(maker *w) {
    lmb_flex *f = w->f;
    size_t n = (size_t)w->s->node_count, row = 3 * (size_t)f->m;
    if (!lmb_flex_nodes(f, w->s->node_count)) return lmb_fail_memory(w->err);
    for (size_t i = 0; i < n; i++) {
        const lmb_sid_node *k = &w->s->nodes[i];
        double *S = f->node_S + i * row, *P = f->node_P + i * row;
        const char *name = lmb_arena_printf(f->arena, "node_%d", k->id);
        if (name == NULL) return lmb_fail_memory(w->err);
        f->node_label[i] = k->id;
        memcpy(f->node_x + 3 * i, k->array[LMB_SID_ORIGIN].m0, 3 * sizeof(double));
        memcpy(S, k->array[LMB_SID_PHI].m0, row * sizeof *S);
        memcpy(P, k->array[LMB_SID_PSI].m0, row * sizeof *P);
        vec3 x = v3_load(f->node_x + 3 * i);
        f->markers[i] = (lmb_flex_marker){.name = name, .interface = true, .x = x, .S = S, .P = P, .at = x};
    }
    return LMB_OK;
}

// ---- texts ---------------------------------------------------------------------------------------

static const double TELL = 0.01; // deviations that a run tells

// what a run tells of the file
static bool add_doubts(lmb_text *t, const maker *w) {
    static const struct {
        lmb_sid_identity of;
        const char *name;
    } computed[] = {{LMB_SID_IS_MDCM, "mdCM1"}, {LMB_SID_IS_GR, "Gr"},   {LMB_SID_IS_GE, "Ge"},
                    {LMB_SID_IS_OE0, "Oe0"},    {LMB_SID_IS_OE1, "Oe1"}, {LMB_SID_IS_CR1, "Cr1"}};
    bool ok = true;
    for (int i = 0; i < LMB_COUNT(computed) && ok; i++) {
        bool mixed = w->lint->stiffening && computed[i].of >= LMB_SID_IS_OE1;
        double off = w->lint->off[computed[i].of];
        if (off > TELL && !mixed)
            ok = lmb_text_add(t, "%s%s by %.2g %%", t->length > 0 ? ", " : "", computed[i].name, 100 * off);
    }
    return ok;
}

static bool add_texts(maker *w) {
    lmb_flex *f = w->f;
    const lmb_sid *s = w->s;
    lmb_text shapes = {0}, report = {0}, doubts = {0};
    bool ok = lmb_text_add(&shapes, "%d shape functions\n", f->m) && lmb_sid_report(&report, s, w->lint);
    for (int i = 0; i < f->m && ok; i++) ok = lmb_text_add(&shapes, "%s\n", s->mode_names[i]);
    if (ok && (w->lint->stiffening || w->changed > 1e-6))
        ok = lmb_text_add(&report, "inertia of second order: %s%.2g %% of Me\n",
                          w->lint->stiffening ? "from the motion of the nodes, corrected by "
                                              : "corrected, so that the mass stays positive, by ",
                          100 * w->changed);
    ok = ok && add_doubts(&doubts, w);
    if (ok) {
        f->shapes = lmb_arena_strdup(f->arena, shapes.text);
        f->report = lmb_arena_strdup(f->arena, report.text);
        f->provenance =
            lmb_arena_printf(f->arena, "format: Standard Input Data (SID_FEM)\nheader: %s\n", s->header);
        if (doubts.length > 0)
            f->doubts = lmb_arena_printf(f->arena,
                                         "its arrays contradict each other (%s); they are computed "
                                         "from the others, see `limber info`",
                                         doubts.text);
        ok = f->shapes && f->report && f->provenance && (doubts.length == 0 || f->doubts);
    }
    lmb_text_free(&shapes), lmb_text_free(&report), lmb_text_free(&doubts);
    return ok;
}

// ---- together ------------------------------------------------------------------------------------

static lmb_status check_loads(const maker *w) {
    const lmb_sid_taylor *t = &w->s->array[LMB_SID_KSIGMA];
    if (!(w->s->mass > 0))
        return lmb_fail(w->err, LMB_ERR_INPUT, (lmb_where){w->s->file, 0, 0}, "the mass is not positive");
    for (int i = 0; i < t->rows; i++)
        if (t->m0[i] != 0)
            return refuse(w, LMB_SID_KSIGMA, "stresses of the undeformed body are not supported");
    return LMB_OK;
}

static lmb_status make_body(lmb_flex **out, lmb_text *told, const lmb_sid *s, lmb_error *err) {
    const lmb_sid_lint lint = lmb_sid_check(s);
    maker w = {.s = s, .lint = &lint, .told = told, .err = err};
    *out = NULL;
    lmb_status st = check_loads(&w);
    if (st == LMB_OK) st = lmb_flex_create(&w.f, s->name, s->modes, err);
    if (st != LMB_OK) return st;
    w.f->foreign = true;
    st = set_nodes(&w);
    if (st == LMB_OK) st = set_inertia(&w);
    if (st == LMB_OK) st = lmb_flex_vibrate(w.f, (lmb_where){s->file, s->array[LMB_SID_KE].line, 0}, err);
    if (st == LMB_OK && told && told->length > 0 &&
        !lmb_text_add(told, "lowest frequency: %.6g -> %.6g Hz\n", w.lowest, w.f->frequency[0]))
        st = lmb_fail_memory(err);
    if (st == LMB_OK) st = set_stiffening(&w);
    if (st == LMB_OK && !add_texts(&w)) st = lmb_fail_memory(err);
    if (st == LMB_OK) *out = w.f;
    else lmb_flex_destroy(w.f);
    return st;
}

lmb_status lmb_sid_body(lmb_flex **out, const lmb_sid *s, lmb_error *err) {
    return make_body(out, NULL, s, err);
}

lmb_status lmb_sid_body_completed(lmb_flex **out, lmb_text *told, const lmb_sid *s, lmb_error *err) {
    lmb_status st = make_body(out, told, s, err);
    if (st != LMB_OK || told->length == 0) return st;
    lmb_flex *f = *out;
    f->report =
        lmb_arena_printf(f->arena, "%scompleted, it is not the body of the file:\n%s", f->report, told->text);
    if (f->report) return LMB_OK;
    lmb_flex_destroy(f), *out = NULL;
    return lmb_fail_memory(err);
}
