// body/ancf_plane.c: elements in absolute nodal coordinates that move in a plane.
//
// A vector of an element is flat, x e1 + y e2, or upright, z n.  Products of the one with the other vanish, and what is left is
// quadratic in those among the flat vectors, which come first, and among the upright ones: 21 of 36 for `enhanced`.
//
//     dU/dx_i = sum_j G_ij x_j      dU/dz_i = sum_j H_ij z_j      K = (G x I_2, H) + P' C P               docs/theory/ancf.md (5), (6)
//
// The work areas of the body in space, which markers read, are kept up to date where there are any.
#include "body/ancf_plane.h"

#include "body/ancf_products.h"

#include <string.h>

enum {
    FLAT = 6,
    UPRIGHT = 3,
    INNER = FLAT - 1,
    ROW = 8
}; // vectors, the first position among the flat ones; numbers in a row

typedef struct lmb_ancf_plane {
    lmb_ancf_constants c; // with the products that are left
    const lmb_ancf_constants *space;
    int flat, upright;       // inner vectors
    int x[FLAT], z[UPRIGHT]; // the coordinates of vectors
    bool point[FLAT];        // of the flat ones
    double M[FLAT][ROW], N[UPRIGHT][ROW], weight[FLAT], weight_z[UPRIGHT];
    lmb_ancf_row bend_u[LMB_ANCF_BENDING], bend_s[LMB_ANCF_BENDING],
        axial[LMB_ANCF_AXIAL]; // of inner flat vectors
} plane;

typedef struct state {               // doubles only: it lives in the data pool
    double x[2 * INNER], z[UPRIGHT]; // inner vectors, positions from the first node on
    double G[INNER][ROW], H[UPRIGHT][4];
} state;

static const lmb_inplane *inplane_of(const lmb_body *b) { return b->constants; }
static const plane *plane_of(const lmb_body *b) { return inplane_of(b)->beam; }
static const state *state_of(const lmb_body_view *v) {
    return (const state *)(v->work + lmb_inplane_work_count(inplane_of(v->body)));
}

int lmb_ancf_plane_work_count(const plane *p) { return p ? (int)(sizeof(state) / sizeof(double)) : 0; }

// calls f(.., numbers of inner flat and upright vectors) with numbers that the compiler knows
#define BY_COUNTS(p, f, ...)                           \
    do {                                               \
        if ((p)->upright == 3) f(__VA_ARGS__, 5, 3);   \
        else if ((p)->flat == 5) f(__VA_ARGS__, 5, 2); \
        else f(__VA_ARGS__, 3, 0);                     \
    } while (0)

LMB_CLONED int pairs_of(int n) { return n * (n + 1) / 2; }
LMB_CLONED int products_of(int flat, int upright) { return pairs_of(flat) + pairs_of(upright); }
LMB_CLONED int pair(int i, int j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

// ---- constants ---------------------------------------------------------------------------------

// the vectors, -1: one is along the normal where others are not, or the other way round
static int sort_vectors(plane *p, int *inner, const lmb_inplane *c) {
    int of[LMB_ANCF_VECTORS] = {0}, first[LMB_ANCF_VECTORS] = {0}, flat = 0, upright = 0;
    for (int k = c->n - 1; k >= 0; k--) {
        int vector = c->inner.columns[k].at[0] / 3;
        of[vector]++, first[vector] = k;
    }
    for (int i = 0; i < p->space->vectors; i++) {
        bool point = i % p->space->per_node == 0;
        if (of[i] == 2 && flat < FLAT) p->x[flat] = first[i], p->point[flat] = point, inner[flat++] = i;
        else if (of[i] == 1 && !point && upright < UPRIGHT)
            p->z[upright] = first[i], inner[FLAT + upright++] = i;
        else return -1;
    }
    p->flat = flat - 1, p->upright = upright;
    bool known = (p->flat == 5 && upright >= 2) || (p->flat == 3 && upright == 0);
    return known ? 0 : -1;
}

// all nodes at one height
static bool is_level(const lmb_inplane *c) {
    for (int i = 0; i < c->part_count; i++)
        if (c->parts[i].kind == LMB_BLOCK_PLACE &&
            v3_norm(v3_sub(c->parts[i].origin, c->parts[0].origin)) > 1e-12 * c->plane.length)
            return false;
    return true;
}

// the products that are left, as products of the element in space
static int list_products(int *from, const plane *p, const int *inner) {
    int count = 0;
    for (int i = 1; i <= p->flat; i++)
        for (int j = 1; j <= i; j++) from[count++] = lmb_ancf_product(inner[i], inner[j]);
    for (int i = 0; i < p->upright; i++)
        for (int j = 0; j <= i; j++) from[count++] = lmb_ancf_product(inner[FLAT + i], inner[FLAT + j]);
    return count;
}

static void pick_row(double *to, const double *row, const int *from, int count) {
    for (int k = 0; k < count; k++) to[k] = row[from[k]];
}

static bool reduce_constants(plane *p, lmb_arena *arena, const int *inner) {
    const lmb_ancf_constants *s = p->space;
    int from[LMB_ANCF_PRODUCTS], count = list_products(from, p, inner), stride = lmb_ancf_filled(count),
                                 forms = 3 * lmb_ancf_bending_points(s) + s->axial_count;
    p->c = *s, p->c.products = count, p->c.stride = stride;
    double *room = lmb_arena_doubles(arena, (count + forms + 2) * stride + 3 * WIDE * count);
    if (room == NULL) return false;
    p->c.C = p->c.Cd = room, p->c.forms = room + count * stride;
    p->c.B = p->c.forms + forms * stride, p->c.p0 = p->c.B + stride, p->c.turned = p->c.p0 + stride;
    for (int k = 0; k < count; k++) pick_row(p->c.C + k * stride, s->C + from[k] * s->stride, from, count);
    for (int k = 0; k < forms; k++) pick_row(p->c.forms + k * stride, s->forms + k * s->stride, from, count);
    pick_row(p->c.B, s->B, from, count), pick_row(p->c.p0, s->p0, from, count);
    lmb_ancf_turn_forms(&p->c);
    return true;
}

static lmb_ancf_row flat_row(const lmb_ancf_row *row, const plane *p, const int *inner) {
    lmb_ancf_row out = {0};
    for (int i = 0; i < p->flat; i++) out.c[i] = row->c[inner[i + 1]];
    return out;
}

static void set_mass(plane *p, const int *inner) {
    const lmb_ancf_constants *s = p->space;
    int stride = lmb_ancf_filled(s->vectors);
    for (int i = 0; i <= p->flat; i++) {
        p->weight[i] = s->weight[inner[i]];
        for (int j = 0; j <= p->flat; j++) p->M[i][j] = s->M[inner[i] * stride + inner[j]];
    }
    for (int i = 0; i < p->upright; i++) {
        p->weight_z[i] = s->weight[inner[FLAT + i]];
        for (int j = 0; j < p->upright; j++) p->N[i][j] = s->M[inner[FLAT + i] * stride + inner[FLAT + j]];
    }
}

static bool is_alike(const plane *p, const plane *q) {
    return q && p->space == q->space && p->flat == q->flat && p->upright == q->upright &&
           memcmp(p->x, q->x, sizeof p->x) == 0 && memcmp(p->z, q->z, sizeof p->z) == 0;
}

bool lmb_ancf_plane_make(const plane **out, lmb_arena *arena, const lmb_inplane *c, const lmb_inplane *same) {
    const lmb_body *body = &c->inner.body;
    int inner[FLAT + UPRIGHT] = {0};
    *out = NULL;
    if (body->ops != &lmb_ancf_ops || body->ops->dynamics.has_damping(body)) return true;
    plane *p = lmb_arena_get(arena, 1, sizeof *p);
    if (p == NULL) return false;
    p->space = lmb_ancf_of(body);
    if (sort_vectors(p, inner, c) < 0 || !is_level(c)) return true;
    if (same && is_alike(p, same->beam)) {
        *out = same->beam;
        return true;
    }
    for (int g = 0; g < lmb_ancf_bending_points(p->space); g++) {
        p->bend_u[g] = flat_row(&p->space->bend_u[g], p, inner);
        p->bend_s[g] = flat_row(&p->space->bend_s[g], p, inner);
    }
    for (int g = 0; g < p->space->axial_count; g++) p->axial[g] = flat_row(&p->space->axial[g], p, inner);
    set_mass(p, inner);
    *out = p;
    return reduce_constants(p, arena, inner);
}

// ---- state -------------------------------------------------------------------------------------

LMB_CLONED void take_vectors(double *x, double *z, const plane *p, const double *q, int flat, int upright) {
    for (int i = 0; i < flat; i++) {
        const double *from = q + p->x[i + 1];
        bool point = p->point[i + 1];
        x[2 * i] = point ? from[0] - q[p->x[0]] : from[0];
        x[2 * i + 1] = point ? from[1] - q[p->x[0] + 1] : from[1];
    }
    for (int i = 0; i < upright; i++) z[i] = q[p->z[i]];
}

LMB_CLONED void take_products(double *p, const double *x, const double *z, int flat, int upright) {
    double *end = p + lmb_ancf_filled(products_of(flat, upright));
    for (int i = 0; i < flat; i++)
        for (int j = 0; j <= i; j++) *p++ = x[2 * i] * x[2 * j] + x[2 * i + 1] * x[2 * j + 1];
    for (int i = 0; i < upright; i++)
        for (int j = 0; j <= i; j++) *p++ = z[i] * z[j];
    while (p < end) *p++ = 0;
}

// G, H from the products p, and `at` for what is no quadratic form
LMB_CLONED void weights(state *s, const plane *c, const double *p, const double *at, int flat, int upright) {
    double g[LMB_ANCF_PRODUCTS];
    int k = 0;
    lmb_ancf_gradient(g, &c->c, p, at, NULL, 0, products_of(flat, upright));
    for (int i = 0; i < flat; i++) {
        for (int j = 0; j < i; j++, k++) s->G[i][j] = s->G[j][i] = g[k];
        s->G[i][i] = 2 * g[k++];
    }
    for (int i = 0; i < upright; i++) {
        for (int j = 0; j < i; j++, k++) s->H[i][j] = s->H[j][i] = g[k];
        s->H[i][i] = 2 * g[k++];
    }
}

LMB_CLONED void update_by(bool *sound, state *s, const plane *c, const double *q, int flat, int upright) {
    const double VANISHED = 1e-6;
    double p[LMB_ANCF_PRODUCTS];
    take_vectors(s->x, s->z, c, q, flat, upright);
    take_products(p, s->x, s->z, flat, upright);
    weights(s, c, p, p, flat, upright);
    *sound = isfinite(s->G[0][0]);
    for (int i = 0; i < flat; i++)
        *sound = *sound && (c->point[i + 1] || p[pair(i, i)] > VANISHED * VANISHED);
    for (int i = 0; i < upright; i++) *sound = *sound && p[pairs_of(flat) + pair(i, i)] > VANISHED * VANISHED;
}

LMB_CLONES static bool update_state(state *s, const plane *c, const double *q) {
    bool sound;
    BY_COUNTS(c, update_by, &sound, s, c, q);
    return sound;
}

static bool has_markers(const lmb_body *b) {
    const int *start = b->model->marker_start + (b - b->model->bodies);
    return start[1] > start[0];
}

// the vectors in space
static void vectors_in_space(lmb_ancf_work *to, const lmb_body *b, const double *q, const double *v) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    for (int i = 0; i < c->vectors; i++) to->e[i] = v3_load(q + 3 * i), to->v[i] = v3_load(v + 3 * i);
    lmb_ancf_from_first(to->e, c);
}

static void update_in_space(double *work, const lmb_body_view *x) {
    const lmb_inplane *c = inplane_of(x->body);
    const lmb_inplane_space *in = &c->inner;
    double *v = work + in->nq;
    lmb_inplane_q(work, c, in, x->q);
    lmb_inplane_v(v, c, in, x->v);
    vectors_in_space((lmb_ancf_work *)(v + in->body.n), &in->body, work, v);
}

static bool folded(const lmb_body_view *x) {
    const lmb_inplane *c = inplane_of(x->body);
    double q[3 * LMB_ANCF_VECTORS];
    lmb_ancf_work work;
    lmb_body_view in = {.body = &c->inner.body, .work = (const double *)&work};
    lmb_inplane_q(q, c, &c->inner, x->q);
    vectors_in_space(&work, in.body, q, q);
    return in.body->ops->look.folded(&in);
}

static lmb_status update(double *work, const lmb_body_view *x) {
    state *s = (state *)(work + lmb_inplane_work_count(inplane_of(x->body)));
    if (has_markers(x->body)) update_in_space(work, x);
    return update_state(s, plane_of(x->body), x->q) ? LMB_OK : LMB_ERR_NUMERIC;
}

LMB_CLONED void prestress_by(state *s, const plane *c, const double *q, int flat, int upright) {
    double p[LMB_ANCF_PRODUCTS], at[LMB_ANCF_PRODUCTS], x[2 * INNER], z[UPRIGHT];
    take_vectors(x, z, c, q, flat, upright);
    take_products(p, x, z, flat, upright);
    take_products(at, s->x, s->z, flat, upright);
    weights(s, c, p, at, flat, upright);
}

LMB_CLONES static void prestress(double *work, const lmb_body_view *x, const double *q) {
    const plane *c = plane_of(x->body);
    state *s = (state *)(work + lmb_inplane_work_count(inplane_of(x->body)));
    BY_COUNTS(c, prestress_by, s, c, q);
}

// ---- force ---------------------------------------------------------------------------------------

// r = M (a - g) + G x, and what balances the elastic forces on the first node
LMB_CLONED void balance_by(double *r, const plane *c, const state *s, const double *a, const double *g,
                           int flat, int upright) {
    four X[2][ROW / WIDE] = {0}, Y[2][ROW / WIDE] = {0};
    double x[2][ROW], y[2][ROW];
    int lines = lmb_ancf_filled(flat + 1) / WIDE, inner = lmb_ancf_filled(flat) / WIDE;
    for (int j = 0; j <= flat; j++)
        for (int d = 0; d < 2; d++)
            for (int l = 0; l < lines; l++) X[d][l] += LOAD(c->M[j] + WIDE * l) * a[c->x[j] + d];
    for (int j = 0; j < flat; j++)
        for (int d = 0; d < 2; d++)
            for (int l = 0; l < inner; l++) Y[d][l] += LOAD(s->G[j] + WIDE * l) * s->x[2 * j + d];
    for (int d = 0; d < 2; d++) {
        for (int l = 0; l < lines; l++) STORE(x[d] + WIDE * l, X[d][l]);
        for (int l = 0; l < inner; l++) STORE(y[d] + WIDE * l, Y[d][l]);
        double first = x[d][0];
        for (int i = 0; i < flat; i++) first -= c->point[i + 1] ? y[d][i] : 0;
        r[c->x[0] + d] = first - c->weight[0] * g[d];
        for (int i = 0; i < flat; i++) r[c->x[i + 1] + d] = x[d][i + 1] + y[d][i] - c->weight[i + 1] * g[d];
    }
    for (int i = 0; i < upright; i++) {
        double sum = 0;
        for (int j = 0; j < upright; j++) sum += c->N[i][j] * a[c->z[j]] + s->H[i][j] * s->z[j];
        r[c->z[i]] = sum - c->weight_z[i] * g[2];
    }
}

LMB_CLONES static void inertia(double *r, const lmb_body_view *x, const double *a) {
    const plane *c = plane_of(x->body);
    const lmb_plane *e = &inplane_of(x->body)->plane;
    const double g[3] = {v3_dot(x->gravity, e->e1), v3_dot(x->gravity, e->e2), v3_dot(x->gravity, e->n)};
    BY_COUNTS(c, balance_by, r, c, state_of(x), a, g);
}

// ---- tangent -------------------------------------------------------------------------------------

enum { INNER_COORDINATES = 2 * INNER + UPRIGHT };

// t = C P for one coordinate, where P is x_i (or z_i) in the rows of the products with vector j, twice in its own
LMB_CLONED void stiffness_column(double *t, const double *C, const double *x, int step, int j, int count,
                                 int first, int stride) {
    four sum[LMB_ANCF_PRODUCTS / WIDE] = {0};
    for (int i = 0; i < count; i++) {
        double f = i == j ? 2 * x[step * i] : x[step * i];
        const double *row = C + (first + pair(i, j)) * stride;
        for (int l = 0; l < stride / WIDE; l++) sum[l] += LOAD(row + WIDE * l) * f;
    }
    for (int l = 0; l < stride / WIDE; l++) STORE(t + WIDE * l, sum[l]);
}

// t' P of vector k, t the rows of its products; t and x may be rows of several coordinates
#define PROJECT(sum, t, x, k, count)                                         \
    do {                                                                     \
        (sum) = (t)[pair(k, k)] * (x)[k];                                    \
        for (int m = 0; m < (count); m++) (sum) += (t)[pair(k, m)] * (x)[m]; \
    } while (0)

// rows x and y of flat vector j, up to its own columns: all four at a time
LMB_CLONED void flat_rows(double (*A)[INNER_COORDINATES], const state *s, const double *C, const four *x,
                          int j, int flat, int stride) {
    double tx[LMB_ANCF_PRODUCTS], ty[LMB_ANCF_PRODUCTS];
    four t[FLAT * INNER / 2];
    stiffness_column(tx, C, s->x, 2, j, flat, 0, stride);
    stiffness_column(ty, C, s->x + 1, 2, j, flat, 0, stride);
    for (int p = 0; p < pairs_of(flat); p++) t[p] = (four){tx[p], tx[p], ty[p], ty[p]};
    for (int k = 0; k <= j; k++) {
        four sum;
        PROJECT(sum, t, x, k, flat);
        A[2 * j][2 * k] = sum[0] + s->G[j][k], A[2 * j][2 * k + 1] = sum[1];
        A[2 * j + 1][2 * k] = sum[2], A[2 * j + 1][2 * k + 1] = sum[3] + s->G[j][k];
    }
}

LMB_CLONED void upright_row(double *row, const state *s, const double *C, const four *x, int j, int flat,
                            int upright, int stride) {
    double t[LMB_ANCF_PRODUCTS];
    int first = pairs_of(flat);
    stiffness_column(t, C, s->z, 1, j, upright, first, stride);
    for (int k = 0; k < flat; k++) {
        four sum;
        PROJECT(sum, t, x, k, flat);
        row[2 * k] = sum[0], row[2 * k + 1] = sum[1];
    }
    for (int k = 0; k <= j; k++) {
        double sum;
        PROJECT(sum, t + first, s->z, k, upright);
        row[2 * flat + k] = sum + s->H[j][k];
    }
}

// the lower half of A, of inner coordinates: x and y of the flat vectors, then z
LMB_CLONED void inner_tangent(double (*A)[INNER_COORDINATES], const state *s, const double *C, int flat,
                              int upright) {
    four x[INNER];
    int stride = lmb_ancf_filled(products_of(flat, upright));
    for (int i = 0; i < flat; i++) x[i] = (four){s->x[2 * i], s->x[2 * i + 1], s->x[2 * i], s->x[2 * i + 1]};
    for (int j = 0; j < flat; j++) flat_rows(A, s, C, x, j, flat, stride);
    for (int j = 0; j < upright; j++) upright_row(A[2 * flat + j], s, C, x, j, flat, upright, stride);
}

// K (n x n) from the lower half of A: rows and columns of the first position balance those of the others
LMB_CLONED void put_tangent(double *K, const plane *c, double (*A)[INNER_COORDINATES], int flat,
                            int upright) {
    int n = 2 * flat + 2 + upright, inner = 2 * flat + upright, at[INNER_COORDINATES], first = c->x[0];
    for (int i = 0; i < flat; i++) at[2 * i] = c->x[i + 1], at[2 * i + 1] = c->x[i + 1] + 1;
    for (int i = 0; i < upright; i++) at[2 * flat + i] = c->z[i];
    for (int i = 0; i < inner; i++)
        for (int j = 0; j <= i; j++) K[at[i] * n + at[j]] = K[at[j] * n + at[i]] = A[i][j];
    for (int d = 0; d < 2; d++) {
        double *row = K + (first + d) * n;
        for (int j = 0; j < inner; j++) {
            double sum = 0;
            for (int i = 0; i < flat; i++) sum -= c->point[i + 1] ? K[(c->x[i + 1] + d) * n + at[j]] : 0;
            row[at[j]] = K[at[j] * n + first + d] = sum;
        }
    }
    for (int d = 0; d < 2; d++)
        for (int b = 0; b < 2; b++) {
            double sum = 0;
            for (int i = 0; i < flat; i++) sum -= c->point[i + 1] ? K[(first + d) * n + c->x[i + 1] + b] : 0;
            K[(first + d) * n + first + b] = sum;
        }
}

LMB_CLONED void tangent_by(double *K, const plane *c, const state *s, int flat, int upright) {
    enum { MOST = 21, WIDEST = 24 }; // products, in rows
    double C[MOST * WIDEST], A[INNER_COORDINATES][INNER_COORDINATES], p[LMB_ANCF_PRODUCTS];
    const double *whole = c->c.C;
    if (lmb_ancf_point_count(&c->c) > 0) {
        int products = products_of(flat, upright);
        memcpy(C, c->c.C, (size_t)(products * lmb_ancf_filled(products)) * sizeof *C);
        take_products(p, s->x, s->z, flat, upright);
        lmb_ancf_add_point_stiffness(C, &c->c, p, products);
        whole = C;
    }
    inner_tangent(A, s, whole, flat, upright);
    put_tangent(K, c, A, flat, upright);
}

LMB_CLONES static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    const plane *c = plane_of(x->body);
    (void)a;
    if (D) memset(D, 0, (size_t)(x->body->n * x->body->n) * sizeof *D);
    BY_COUNTS(c, tangent_by, K, c, state_of(x));
}

// ---- energy --------------------------------------------------------------------------------------

static void sum_flat(double out[2], const lmb_ancf_row *row, const double *x, int count) {
    out[0] = out[1] = 0;
    for (int i = 0; i < count; i++) out[0] += row->c[i] * x[2 * i], out[1] += row->c[i] * x[2 * i + 1];
}

// B p + 1/2 (p - p0)' C (p - p0), and at points curvatures as |u x s|/|u|^2, which keeps the digits of small ones
LMB_CLONED void strain_by(double *U, const plane *c, const state *s, int flat, int upright) {
    double p[LMB_ANCF_PRODUCTS];
    int products = products_of(flat, upright), stride = lmb_ancf_filled(products);
    take_products(p, s->x, s->z, flat, upright);
    double sum = sum_of(c->c.B, p, stride);
    for (int k = 0; k < stride; k += WIDE) STORE(p + k, LOAD(p + k) - LOAD(c->c.p0 + k));
    for (int k = 0; k < products; k++) sum += 0.5 * p[k] * sum_of(c->c.C + k * stride, p, stride);
    for (int g = 0; g < lmb_ancf_bending_points(&c->c); g++) {
        double u[2], v[2];
        sum_flat(u, &c->bend_u[g], s->x, flat), sum_flat(v, &c->bend_s[g], s->x, flat);
        double kappa = (u[0] * v[1] - u[1] * v[0]) / (u[0] * u[0] + u[1] * u[1]);
        sum += 0.5 * c->c.EI[g] * kappa * kappa;
    }
    for (int g = 0; g < c->c.axial_count; g++) {
        double u[2];
        sum_flat(u, &c->axial[g], s->x, flat);
        double eps = sqrt(u[0] * u[0] + u[1] * u[1]) - 1;
        sum += 0.5 * c->c.EA[g] * eps * eps;
    }
    *U = sum;
}

LMB_CLONES static double strain_energy(const plane *c, const state *s) {
    double U;
    BY_COUNTS(c, strain_by, &U, c, s);
    return U;
}

// Sums over vectors: momenta P = M v of the flat ones, of all points p; moment L = sum x X p; weights W.x
static void energy(lmb_energy *e, const lmb_body_view *view) {
    const plane *c = plane_of(view->body);
    const lmb_inplane *in = inplane_of(view->body);
    const lmb_plane *f = &in->plane;
    const double *q = view->q, *v = view->v;
    double kinetic = 0, L = 0, p[2] = {0}, momentum[3] = {0}, way[3] = {0};
    for (int i = 0; i <= c->flat; i++) {
        double P[2] = {0};
        for (int d = 0; d < 2; d++) {
            for (int j = 0; j <= c->flat; j++) P[d] += c->M[i][j] * v[c->x[j] + d];
            kinetic += 0.5 * P[d] * v[c->x[i] + d];
            momentum[d] += c->weight[i] * v[c->x[i] + d], way[d] += c->weight[i] * q[c->x[i] + d];
            p[d] += c->point[i] ? P[d] : 0;
        }
        L += q[c->x[i]] * P[1] - q[c->x[i] + 1] * P[0];
        way[2] += c->point[i] ? c->weight[i] * v3_dot(f->n, in->parts[0].origin) : 0;
    }
    for (int i = 0; i < c->upright; i++) {
        double P = 0;
        for (int j = 0; j < c->upright; j++) P += c->N[i][j] * v[c->z[j]];
        kinetic += 0.5 * P * v[c->z[i]];
        momentum[2] += c->weight_z[i] * v[c->z[i]], way[2] += c->weight_z[i] * q[c->z[i]];
    }
    vec3 g = view->body->model->gravity, P = v3_madd(v3_scale(p[0], f->e1), p[1], f->e2);
    e->kinetic += kinetic;
    e->gravity -= way[0] * v3_dot(g, f->e1) + way[1] * v3_dot(g, f->e2) + way[2] * v3_dot(g, f->n);
    e->momentum =
        v3_madd(v3_madd(v3_madd(e->momentum, momentum[0], f->e1), momentum[1], f->e2), momentum[2], f->n);
    e->spin = v3_add(v3_madd(e->spin, L, f->n), v3_cross(in->parts[0].origin, P));
    e->strain += strain_energy(c, state_of(view));
}

void lmb_ancf_plane_ops(lmb_body_ops *ops) {
    lmb_body_dynamics *d = &ops->dynamics;
    d->update = update, d->prestress = prestress, d->inertia = inertia, d->tangent = tangent,
    d->energy = energy;
    d->dissipation = NULL; // none without damping
    ops->look.folded = folded;
}
