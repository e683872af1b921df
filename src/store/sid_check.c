// store/sid_check.c: what must hold between the arrays of Standard Input Data, and how far it does: store/sid.h.
#include "linalg/linalg.h"
#include "store/sid.h"

#include <string.h>
#include <strings.h>

vec3 lmb_sid_row(const lmb_sid_taylor *t, int i) { return v3_load(t->m0 + 3 * (size_t)i); }

vec3 lmb_sid_row1(const lmb_sid_taylor *t, int i, int k) {
    return v3(lmb_sid_m1(t, i, k, 0), lmb_sid_m1(t, i, k, 1), lmb_sid_m1(t, i, k, 2));
}

mat3 lmb_sid_inertia(const double v[6]) {
    return (mat3){{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
}

mat3 lmb_sid_J1(const lmb_sid *s, int k) {
    double v[6];
    for (int i = 0; i < 6; i++) v[i] = lmb_sid_m1(&s->array[LMB_SID_J], i, k, 0);
    return lmb_sid_inertia(v);
}

vec3 lmb_sid_swirl(const lmb_sid *s, int i, int k) {
    const lmb_sid_taylor *Cr = &s->array[LMB_SID_CR];
    return v3_scale(0.5, v3_sub(lmb_sid_row1(Cr, i, k), lmb_sid_row1(Cr, k, i)));
}

// ---- identities ----------------------------------------------------------------------------------

typedef struct deviation {
    double most, scale;
} deviation;

static void compare(deviation *d, double given, double computed) {
    d->most = fmax(d->most, fabs(given - computed));
    d->scale = fmax(d->scale, fmax(fabs(given), fabs(computed)));
}

static double share(const deviation *d) { return d->scale > 0 ? d->most / d->scale : 0; }

static double off_mdcm(const lmb_sid *s) {
    deviation d = {0};
    for (int k = 0; k < s->modes; k++)
        for (int i = 0; i < 3; i++)
            compare(&d, lmb_sid_m1(&s->array[LMB_SID_MDCM], i, k, 0),
                    lmb_sid_m0(&s->array[LMB_SID_CT], k, i));
    return share(&d);
}

static double off_origin(const lmb_sid *s) {
    deviation d = {0};
    for (int n = 0; n < s->node_count; n++)
        for (int k = 0; k < s->modes; k++)
            for (int i = 0; i < 3; i++)
                compare(&d, lmb_sid_m1(&s->nodes[n].array[LMB_SID_ORIGIN], i, k, 0),
                        lmb_sid_m0(&s->nodes[n].array[LMB_SID_PHI], i, k));
    return share(&d);
}

// AP1_k = psi_k~ AP0
static double off_axes(const lmb_sid *s) {
    deviation d = {0};
    for (int n = 0; n < s->node_count; n++)
        for (int k = 0; k < s->modes; k++) {
            const lmb_sid_taylor *AP = &s->nodes[n].array[LMB_SID_AP], *psi = &s->nodes[n].array[LMB_SID_PSI];
            vec3 th = v3(lmb_sid_m0(psi, 0, k), lmb_sid_m0(psi, 1, k), lmb_sid_m0(psi, 2, k));
            mat3 A0;
            memcpy(A0.m, AP->m0, sizeof A0.m);
            mat3 A1 = m3_mul(m3_skew(th), A0);
            for (int i = 0; i < 9; i++) compare(&d, lmb_sid_m1(AP, i / 3, k, i % 3), A1.m[i / 3][i % 3]);
        }
    return share(&d);
}

static int column(const lmb_sid *s, lmb_sid_layout layout, int k, int axis) {
    return layout == LMB_SID_BY_AXIS ? axis * s->modes + k : 3 * k + axis;
}

// Gr_k = J1_k - Cr0_k~
static double off_gr(const lmb_sid *s, lmb_sid_layout layout) {
    deviation d = {0};
    for (int k = 0; k < s->modes; k++) {
        mat3 G = m3_sub(lmb_sid_J1(s, k), m3_skew(lmb_sid_row(&s->array[LMB_SID_CR], k)));
        for (int i = 0; i < 9; i++)
            compare(&d, lmb_sid_m0(&s->array[LMB_SID_GR], i / 3, column(s, layout, k, i % 3)),
                    G.m[i / 3][i % 3]);
    }
    return share(&d);
}

// numbers below this are round-off of inertia of second order
static double floor_of(const lmb_sid *s) {
    const lmb_sid_taylor *Me = &s->array[LMB_SID_ME];
    return 1e-9 * lmb_norm_max(Me->m0, Me->rows * Me->columns);
}

// Ge_k(i) = 2 int rho s_k x s_i
static double off_ge(const lmb_sid *s, lmb_sid_layout layout) {
    deviation d = {0, floor_of(s)};
    for (int k = 0; k < s->modes; k++)
        for (int i = 0; i < s->modes; i++) {
            vec3 g = lmb_sid_swirl(s, i, k);
            for (int a = 0; a < 3; a++)
                compare(&d, lmb_sid_m0(&s->array[LMB_SID_GE], i, column(s, layout, k, a)), 2 * v3_get(g, a));
        }
    return share(&d);
}

// Oe0 = -(J1_xx, J1_yy, J1_zz) / 2, -(J1_xy, J1_yz, J1_xz)
static double off_oe0(const lmb_sid *s) {
    static const int of[6] = {0, 1, 2, 3, 5, 4};
    deviation d = {0};
    for (int k = 0; k < s->modes; k++)
        for (int c = 0; c < 6; c++)
            compare(&d, lmb_sid_m0(&s->array[LMB_SID_OE], k, c),
                    (c < 3 ? -0.5 : -1) * lmb_sid_m1(&s->array[LMB_SID_J], of[c], k, 0));
    return share(&d);
}

// sum of Oe1_xx, yy, zz = -2 Me
static double off_oe1(const lmb_sid *s) {
    const lmb_sid_taylor *Oe = &s->array[LMB_SID_OE];
    deviation d = {0};
    for (int i = 0; i < s->modes; i++)
        for (int k = 0; k < s->modes; k++)
            compare(&d, lmb_sid_m1(Oe, i, k, 0) + lmb_sid_m1(Oe, i, k, 1) + lmb_sid_m1(Oe, i, k, 2),
                    -2 * lmb_sid_m0(&s->array[LMB_SID_ME], i, k));
    return share(&d);
}

static double off_cr1(const lmb_sid *s) {
    deviation d = {0, floor_of(s)};
    for (int i = 0; i < s->modes; i++)
        for (int k = 0; k < s->modes; k++)
            for (int a = 0; a < 3; a++)
                compare(&d, lmb_sid_m1(&s->array[LMB_SID_CR], i, k, a), v3_get(lmb_sid_swirl(s, i, k), a));
    return share(&d);
}

static double off_symmetric(const lmb_sid *s) {
    static const lmb_sid_array square[] = {LMB_SID_ME, LMB_SID_KE, LMB_SID_DE};
    double most = 0;
    for (int n = 0; n < LMB_COUNT(square); n++) {
        deviation d = {0};
        for (int i = 0; i < s->modes; i++)
            for (int k = 0; k < s->modes; k++)
                compare(&d, lmb_sid_m0(&s->array[square[n]], i, k), lmb_sid_m0(&s->array[square[n]], k, i));
        most = fmax(most, share(&d));
    }
    return most;
}

// ---- together ------------------------------------------------------------------------------------

static bool any(const lmb_sid_taylor *t) {
    size_t n = t->m1 ? (size_t)t->rows * (size_t)t->modes * (size_t)t->columns : 0;
    for (size_t i = 0; i < n; i++)
        if (t->m1[i] != 0) return true;
    return false;
}

static bool says_so(const char *header) {
    static const char words[] = "Geo_Stiff= yes";
    for (; *header; header++)
        if (strncasecmp(header, words, strlen(words)) == 0) return true;
    return false;
}

// Ct1, phi1 and psi1 have no other cause
static bool has_stiffening(const lmb_sid *s, const lmb_sid_lint *l) {
    bool found = any(&s->array[LMB_SID_CT]);
    for (int n = 0; n < s->node_count && !found; n++)
        found = any(&s->nodes[n].array[LMB_SID_PHI]) || any(&s->nodes[n].array[LMB_SID_PSI]);
    return found || (says_so(s->header) && fmax(l->off[LMB_SID_IS_OE1], l->off[LMB_SID_IS_CR1]) > 1e-6);
}

static int count_turned(const lmb_sid *s) {
    int turned = 0;
    for (int n = 0; n < s->node_count; n++) {
        const double *A = s->nodes[n].array[LMB_SID_AP].m0;
        double off = 0;
        for (int i = 0; i < 9; i++) off = fmax(off, fabs(A[i] - (i % 4 == 0)));
        turned += off > 1e-9;
    }
    return turned;
}

lmb_sid_lint lmb_sid_check(const lmb_sid *s) {
    double gr[2] = {off_gr(s, LMB_SID_BY_AXIS), off_gr(s, LMB_SID_BY_MODE)},
           ge[2] = {off_ge(s, LMB_SID_BY_AXIS), off_ge(s, LMB_SID_BY_MODE)};
    lmb_sid_lint l = {.gr = gr[1] < gr[0] ? LMB_SID_BY_MODE : LMB_SID_BY_AXIS,
                      .ge = ge[1] < ge[0] ? LMB_SID_BY_MODE : LMB_SID_BY_AXIS,
                      .turned = count_turned(s)};
    l.off[LMB_SID_IS_MDCM] = off_mdcm(s), l.off[LMB_SID_IS_ORIGIN] = off_origin(s);
    l.off[LMB_SID_IS_AP] = off_axes(s);
    l.off[LMB_SID_IS_GR] = gr[l.gr], l.other_gr = gr[1 - l.gr];
    l.off[LMB_SID_IS_GE] = ge[l.ge], l.other_ge = ge[1 - l.ge];
    l.off[LMB_SID_IS_OE0] = off_oe0(s), l.off[LMB_SID_IS_OE1] = off_oe1(s),
    l.off[LMB_SID_IS_CR1] = off_cr1(s);
    l.off[LMB_SID_IS_SYMMETRIC] = off_symmetric(s);
    l.stiffening = has_stiffening(s, &l);
    return l;
}

// ---- for people ------------------------------------------------------------------------------------

static const char *const identities[LMB_SID_IDENTITIES] = {
    "mdCM1 = Ct0'",        "origin1 = phi0", "AP1 = skew(psi) AP0",           "Gr = J1 - skew(Cr0)",
    "Ge = 2 Cr1",          "Oe0 from J1",    "Oe1xx + Oe1yy + Oe1zz = -2 Me", "Cr1 antisymmetric",
    "Me, Ke, De symmetric"};

static bool add_layout(lmb_text *t, const lmb_sid *s, const char *name, lmb_sid_layout layout, double other) {
    if (s->modes == 1) return true;
    return lmb_text_add(t, "columns of %s: %s (the other order is off by %.3g %%)\n", name,
                        layout == LMB_SID_BY_AXIS ? "axis by axis" : "mode by mode", 100 * other);
}

static bool add_identity(lmb_text *t, const lmb_sid_lint *l, int i) {
    bool idle = l->stiffening && (i == LMB_SID_IS_OE1 || i == LMB_SID_IS_CR1);
    if (idle) return lmb_text_add(t, "%s: not checked, it includes geometric stiffness\n", identities[i]);
    return lmb_text_add(t, "%s: off by %.2g %%\n", identities[i], 100 * l->off[i]);
}

bool lmb_sid_report(lmb_text *t, const lmb_sid *s, const lmb_sid_lint *l) {
    bool ok = true;
    for (int i = 0; i < LMB_SID_IDENTITIES && ok; i++) ok = add_identity(t, l, i);
    ok = ok && add_layout(t, s, "Gr", l->gr, l->other_gr) && add_layout(t, s, "Ge", l->ge, l->other_ge);
    ok = ok && lmb_text_add(t, "geometric stiffness: %s\n", l->stiffening ? "yes" : "none");
    if (ok && s->promised != s->node_count)
        ok = lmb_text_add(t, "nodes: the first line declares %d, the file has %d\n", s->promised,
                          s->node_count);
    if (ok && l->turned > 0)
        ok = lmb_text_add(t, "axes: %d nodes have axes other than those of the body, which are not used\n",
                          l->turned);
    return ok;
}
