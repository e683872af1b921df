// body/superelement_frame.c: the frame that follows a superelement's interfaces, rates and loads through it.
//
// Seen from a frame (r, R) the interfaces and eta are, where they move linearly with q, A q:
//     d_k = (R'(r_k - r) - x_k, th_k = log R'R_k)              d = A q
//     y = C x' = F f + A q'      C = (R', H_k E_k, 1)      F_k = (1, -y_k~; 0, H_k)      H = Jl^-1(th)    (1)
// f = (R'v, w) at the middle of the interfaces.  With Z = (F0, A)^-1, F0 = F of the undeformed part, A q drops
// out of the first six rows, translations of all but the first three:    docs/theory/superelement.md (5), (6)
//     (Z d)_3..5 = 0 for R       r and q = the other rows of Z d
//     Z F = |1 T|                w = K^-1 (Z y)_3..5    R'v = (Z y)_0..2 - T w    q' = (Z y)_6.. - Q w    (2)
//           |0 K|                loads the other way round
//           |0 Q|
// With geometric stiffening d = A q + s(q), s = -1/2 q.Kg q, X = ds/dq = -Kg q: Newton for R and q, and (1) with A + X,
//     |K  Z_w X    | |turn|   |(Z (d - s))_3..5    |           rates: the right side is (Z y)_3..      docs/theory/superelement.md (6a)
//     |Q  1 + Z_q X| |dq  | = |(Z (d - s))_6..  - q|           accelerations: y - X(q') q'
#include "body/superelement.h"

#include <float.h>

enum { ITERATIONS = 16, FURTHER = 40 };

typedef lmb_superelement_kept kept;
typedef lmb_superelement_arrays arrays;

static int at_v(const lmb_superelement *c, int k) { return lmb_superelement_at(c, 6, k); }
static int at_q(const lmb_superelement *c, int k) { return lmb_superelement_at(c, 7, k); }

// A^-1; false: det A <= 0
static bool inverse(mat3 *out, const mat3 *A) {
    vec3 a = m3_row(A, 0), b = m3_row(A, 1), c = m3_row(A, 2), bc = v3_cross(b, c);
    double det = v3_dot(a, bc);
    if (!(det > DBL_EPSILON)) return false;
    *out = m3_scale(1 / det, m3_columns(bc, v3_cross(c, a), v3_cross(a, b)));
    return true;
}

// x.A x > 0 for all x
static bool is_positive(const mat3 *A) {
    double xx = A->m[0][0], yy = A->m[1][1], zz = A->m[2][2], xy = 0.5 * (A->m[0][1] + A->m[1][0]),
           yz = 0.5 * (A->m[1][2] + A->m[2][1]), zx = 0.5 * (A->m[2][0] + A->m[0][2]);
    double two = xx * yy - xy * xy;
    return xx > 0 && two > 0 && two * zz + 2 * xy * yz * zx - xx * yz * yz - yy * zx * zx > 0;
}

// ---- rotation of the frame ---------------------------------------------------------------------

typedef struct way { // from the undeformed part to the poses, in axes of a mean rotation
    const lmb_superelement *c;
    const double *poses; // 7 each: place from the first interface, rotation
    const double *moved; // 7 each: turn and stretch of that place, rotation as a vector
    const double *eta;
    double part; // 0: undeformed, 1: the poses
} way;

static vec3 place_of(const lmb_superelement *c, int k) { return v3_sub(c->sites[k].x, c->sites[0].x); }

static void pose_on(vec3 *r, quat *e, const way *w, int k) {
    if (w->part == 1) {
        *r = v3_load(w->poses + 7 * k), *e = q_load(w->poses + 7 * k + 3);
    } else {
        const double *moved = w->moved + 7 * k;
        mat3 turn = so3_exp(v3_scale(w->part, v3_load(moved)));
        *r = v3_scale(1 + w->part * moved[3], m3_mul_v3(&turn, place_of(w->c, k)));
        *e = q_exp(v3_scale(w->part, v3_load(moved + 4)));
    }
}

// d, seen from the first interface's place and the rotation R; K: derivative of (Z d)_3..5 by -turns of R,
//     K = sum -Z_u y~ + Z_th H
static void see(const kept *a, mat3 *K, const way *w, quat R) {
    const lmb_superelement *c = w->c;
    int n = 6 + c->modal.m;
    mat3 A = q_matrix(R);
    *K = M3_ZERO;
    for (int i = 0; i < c->eta; i++) a->d[6 + i] = w->part * w->eta[i];
    for (int k = 0; k < c->count; k++) {
        int at = at_v(c, k);
        lmb_superelement_seen *s = &a->seen[k];
        vec3 r;
        quat e;
        pose_on(&r, &e, w, k);
        s->e = q_mul(q_conj(R), e);
        vec3 y = m3_tmul_v3(&A, r), th = q_log(s->e);
        s->H = so3_jl_inv(th), s->y = y;
        v3_store(a->d + at, v3_sub(y, place_of(c, k)));
        v3_store(a->d + at + 3, th);
        for (int i = 0; i < 3; i++) {
            const double *z = c->Z + (3 + i) * n + at;
            vec3 row = v3_add(v3_cross(y, v3_load(z)), m3_tmul_v3(&s->H, v3_load(z + 3)));
            K->m[i][0] += row.x, K->m[i][1] += row.y, K->m[i][2] += row.z;
        }
    }
}

// Newton: R <- R exp(K^-1 (Z d)_3..5), at most half a radian at once; positive: x.K x > 0 in the end.
// false: det K <= 0 on the way, or no end
static bool newton(quat *R, bool *positive, const kept *a, const way *w) {
    int n = 6 + w->c->modal.m;
    const double *Z = w->c->Z + 3 * n;
    double enough = w->c->X ? 1e-4 : 1e-8; // second order follows
    bool last = false;
    for (int i = 0; i < ITERATIONS; i++) {
        mat3 K;
        see(a, &K, w, *R);
        if (!inverse(&a->f->K, &K)) return false;
        if (last) return *positive = is_positive(&K), true;
        vec3 gap = v3(lmb_dot(Z, a->d, n), lmb_dot(Z + n, a->d, n), lmb_dot(Z + 2 * n, a->d, n));
        vec3 turn = m3_mul_v3(&a->f->K, gap);
        double size = v3_norm(turn);
        if (size <= 1e-14) return *positive = is_positive(&K), true;
        *R = q_unit(q_mul(*R, q_exp(v3_scale(fmin(1, 0.5 / size), turn))));
        last = size <= enough; // quadratic: its square is left
    }
    return false;
}

// how each interface came from its undeformed place: it turned about the first one and went away from it
static void set_moved(double *moved, const way *w) {
    for (int k = 0; k < w->c->count; k++, moved += 7) {
        vec3 x = place_of(w->c, k), r = v3_load(w->poses + 7 * k), axis = v3_cross(x, r);
        double sine = v3_norm(axis), length = v3_norm(x);
        v3_store(moved, sine > 0 ? v3_scale(atan2(sine, v3_dot(x, r)) / sine, axis) : V3_ZERO);
        moved[3] = length > 0 ? v3_norm(r) / length - 1 : 0;
        v3_store(moved + 4, q_log(q_load(w->poses + 7 * k + 3)));
    }
}

// in small increments, so that the root is continuous with the undeformed part
static bool walk(quat *R, const kept *a, way *w, double *moved) {
    double step = 0.125;
    bool positive;
    set_moved(moved, w);
    w->moved = moved, *R = Q_ID;
    for (double done = 0; done < 1;) {
        quat next = *R;
        w->part = fmin(1, done + step);
        bool ok = newton(&next, &positive, a, w) && v3_norm(q_log(q_mul(q_conj(*R), next))) < 0.2;
        if (ok) *R = next, done = w->part, step *= 2;
        else step /= 2;
        if (step < 1e-3) return false;
    }
    return true;
}

// The equations have several roots.  That of the undeformed part has a positive K, which other roots near the
// mean rotation do not have; if it is lost, or Newton fails, continuation from the undeformed part decides.
static bool find_rotation(quat *R, const kept *a, way *w, double *moved) {
    bool positive;
    *R = Q_ID;
    return (newton(R, &positive, a, w) && positive) || walk(R, a, w, moved);
}

// poses in axes of the mean rotation, the sum of the quaternions
static quat set_poses(double *poses, const lmb_superelement *c, const double *q) {
    quat first = q_load(q + 3), sum = first;
    for (int k = 1; k < c->count; k++) {
        quat e = q_load(q + at_q(c, k) + 3);
        double s = first.w * e.w + first.x * e.x + first.y * e.y + first.z * e.z < 0 ? -1 : 1;
        sum = (quat){sum.w + s * e.w, sum.x + s * e.x, sum.y + s * e.y, sum.z + s * e.z};
    }
    quat M = c->count > 1 ? q_unit(sum) : first, back = q_conj(M);
    mat3 A = q_matrix(M);
    for (int k = 0; k < c->count; k++) {
        const double *own = q + at_q(c, k);
        v3_store(poses + 7 * k, m3_tmul_v3(&A, v3_sub(v3_load(own), v3_load(q))));
        q_store(poses + 7 * k + 3, q_mul(back, q_load(own + 3)));
    }
    return M;
}

// ---- second order ------------------------------------------------------------------------------

// Z F by turns: rows -z_u y~ + z_th H
static void set_turning(const kept *a, const lmb_superelement *c) {
    int n = 6 + c->modal.m;
    memset(a->ZF, 0, 3 * (size_t)n * sizeof *a->ZF);
    for (int k = 0; k < c->count; k++) {
        const lmb_superelement_seen *s = &a->seen[k];
        const double *z = c->Z + at_v(c, k);
        for (int i = 0; i < n; i++, z += n) {
            vec3 row = v3_add(v3_cross(s->y, v3_load(z)), m3_tmul_v3(&s->H, v3_load(z + 3)));
            v3_store(a->ZF + 3 * i, v3_add(v3_load(a->ZF + 3 * i), row));
        }
    }
}

// Z X(q), n x m; X: as large
static void set_ZX(double *ZX, const lmb_superelement *c, const double *q, double *X) {
    int m = c->modal.m, n = 6 + m, size = n * m;
    double *first = c->ZX ? ZX : X;
    memset(ZX, 0, (size_t)size * sizeof *ZX), memset(first, 0, (size_t)size * sizeof *first);
    lmb_small_combine(first, q, c->ZX ? c->ZX : c->X, m, size, size);
    for (int i = 0; i < n && c->ZX == NULL; i++) lmb_small_combine(ZX + i * m, c->Z + i * n, X, n, m, m);
}

// q without unit
static bool factorise(const kept *a, const lmb_superelement *c) {
    int m = c->modal.m, k = 3 + m;
    for (int i = 0; i < k; i++) {
        double *row = a->LU + i * k, scale = i < 3 ? c->unit : 1;
        const double *F = a->ZF + 3 * (3 + i), *X = a->ZX + (3 + i) * m;
        for (int j = 0; j < 3; j++) row[j] = i < 3 ? F[j] : F[j] / c->unit;
        for (int j = 0; j < m; j++) row[3 + j] = scale * X[j];
        if (i >= 3) row[i] += 1;
    }
    return lmb_dense_lu(a->LU, a->pivot, k);
}

// One iteration at R, from where d is seen: step = (turn, dq / unit).  work: n x m
static bool second_step(double *step, const kept *a, const lmb_superelement *c, double *work) {
    int m = c->modal.m, n = 6 + m;
    const double *q = a->q + 7;
    set_turning(a, c);
    set_ZX(a->ZX, c, q, work);
    // Z (d - s) - q,  s = 1/2 X q
    lmb_small_mul(step, c->Z + 3 * n, a->d, 3 + m, n);
    lmb_small_mul(work, a->ZX + 3 * m, q, 3 + m, m);
    lmb_axpy(step, -0.5, work, 3 + m);
    for (int i = 0; i < m; i++) step[3 + i] = (step[3 + i] - q[i]) / c->unit;
    if (!factorise(a, c)) return false;
    lmb_dense_lu_solve(step, a->LU, a->pivot, 3 + m);
    return true;
}

// The second order explicitly, by the factors without it: turn = -K^-1 (Z s)_3..5, q = (Z (d - s))_6..
static void predict(quat *R, const kept *a, const way *w, double *work) {
    const lmb_superelement *c = w->c;
    int m = c->modal.m, n = 6 + m;
    double Zs[3 + LMB_MODAL_MOST], *q = a->q + 7;
    mat3 K;
    lmb_small_mul(q, c->Z + 6 * n, a->d, m, n);
    set_ZX(a->ZX, c, q, work);
    lmb_small_mul(Zs, a->ZX + 3 * m, q, 3 + m, m);
    vec3 turn = m3_mul_v3(&a->f->K, v3_scale(-0.5, v3_load(Zs)));
    if (v3_norm(turn) > 1e-14) {
        *R = q_unit(q_mul(*R, q_exp(turn)));
        see(a, &K, w, *R);
        lmb_small_mul(q, c->Z + 6 * n, a->d, m, n);
    }
    lmb_axpy(q, -0.5, Zs + 3, m);
}

// From the solution without second order, from where d is seen; the factors are those of the end.
static bool find_further(quat *R, const kept *a, const way *w, double *work) {
    const lmb_superelement *c = w->c;
    int m = c->modal.m;
    double step[3 + LMB_MODAL_MOST], size = 1, *q = a->q + 7;
    mat3 K;
    predict(R, a, w, work);
    for (int i = 0; i < FURTHER && size > 1e-12; i++) {
        if (i > 0) see(a, &K, w, *R);
        if (!second_step(step, a, c, work)) return false;
        *R = q_unit(q_mul(*R, q_exp(v3_load(step))));
        lmb_axpy(q, c->unit, step + 3, m);
        size = fmax(v3_norm(v3_load(step)), lmb_norm_max(step + 3, m));
    }
    return size <= 1e-12;
}

static void no_factors(const kept *a, const lmb_superelement *c) {
    int m = c->modal.m, k = 3 + m;
    for (int i = 0; i < k * k; i++) a->LU[i] = NAN;
    for (int i = 0; i < k; i++) a->pivot[i] = i;
    for (int i = 0; i < m; i++) a->q[7 + i] = NAN;
}

// ---- what follows from it ----------------------------------------------------------------------

// component i of Z (d - s)
static double moved_by(const kept *a, const lmb_superelement *c, int i) {
    int m = c->modal.m, n = 6 + m;
    return lmb_dot(c->Z + i * n, a->d, n) - (c->X ? 0.5 * lmb_dot(a->ZX + i * m, a->q + 7, m) : 0);
}

// d from the frame's own place, and frame and elastic coordinates
static void set_places(const kept *a, const lmb_superelement *c, const double *q, quat R) {
    int m = c->modal.m, n = 6 + m;
    a->f->R = q_matrix(R);
    vec3 shift = v3(moved_by(a, c, 0), moved_by(a, c, 1), moved_by(a, c, 2));
    for (int i = 0; i < m && !c->X; i++) a->q[7 + i] = lmb_dot(c->Z + (6 + i) * n, a->d, n);
    v3_store(a->q, v3_add(v3_load(q), m3_mul_v3(&a->f->R, v3_sub(shift, c->sites[0].x))));
    q_store(a->q + 3, R);
    for (int k = 0; k < c->count; k++) {
        lmb_superelement_seen *s = &a->seen[k];
        double *u = a->d + at_v(c, k);
        v3_store(u, v3_sub(v3_load(u), shift));
        s->y = v3_add(v3_sub(c->sites[k].x, c->middle), v3_load(u));
        s->E = q_matrix(s->e);
        s->C = m3_mul(s->H, s->E);
    }
}

bool lmb_superelement_look(const kept *a, const lmb_superelement *c, const double *q, double *scratch) {
    double *poses = scratch, *moved = poses + 7 * c->count, *work = moved + 7 * c->count;
    quat M = set_poses(poses, c, q), R;
    way w = {c, poses, NULL, q + 7, 1};
    bool ok = find_rotation(&R, a, &w, moved) && (c->X == NULL || find_further(&R, a, &w, work));
    if (!ok) a->f->K = m3_diag(NAN, NAN, NAN), a->d[0] = NAN; // NaN marks the missing frame
    if (!ok && c->X) no_factors(a, c);
    set_places(a, c, q, q_unit(q_mul(M, R)));
    set_turning(a, c);
    return ok;
}

// ---- rates and loads ---------------------------------------------------------------------------

// y = C x
static void into_frame(double *y, const arrays *a, const lmb_superelement *c, const double *x) {
    for (int i = 0; i < c->eta; i++) y[6 + i] = x[6 + i];
    for (int k = 0; k < c->count; k++) {
        int at = at_v(c, k);
        v3_store(y + at, m3_tmul_v3(&a->f->R, v3_load(x + at)));
        v3_store(y + at + 3, m3_mul_v3(&a->seen[k].C, v3_load(x + at + 3)));
    }
}

// from Z y the rates of the frame, its middle in its own axes, and of q: (2), with second order by the factors
static void separate(double *V, const arrays *a, const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    if (c->X) {
        lmb_scale(V + 6, 1 / c->unit, m);
        lmb_dense_lu_solve(V + 3, a->LU, a->pivot, 3 + m);
        lmb_scale(V + 6, c->unit, m);
        for (int i = 0; i < 3; i++)
            V[i] -= v3_dot(v3_load(a->ZF + 3 * i), v3_load(V + 3)) + lmb_dot(a->ZX + i * m, V + 6, m);
        return;
    }
    vec3 w = m3_mul_v3(&a->f->K, v3_load(V + 3));
    for (int i = 0; i < n; i++) V[i] -= v3_dot(v3_load(a->ZF + 3 * i), w);
    v3_store(V + 3, w);
}

// of the frame's origin, in global components; more: of it at rest
static void to_origin(double *V, const arrays *a, const lmb_superelement *c, vec3 more) {
    vec3 v = v3_sub(v3_load(V), v3_add(v3_cross(v3_load(V + 3), c->middle), more));
    v3_store(V, m3_mul_v3(&a->f->R, v));
}

void lmb_superelement_rates(double *V, const arrays *a, const lmb_superelement *c, const double *x) {
    int n = 6 + c->modal.m;
    double y[LMB_SUPERELEMENT_MOST];
    into_frame(y, a, c, x);
    lmb_small_mul(V, c->Z, y, n, n);
    separate(V, a, c);
    to_origin(V, a, c, V3_ZERO);
}

// V -= Z X(q') q'
static void subtract_second_rates(double *V, const arrays *a, const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    const double *dq = a->x.v + 6;
    double *ZX = a->T[0], s[LMB_SUPERELEMENT_MOST];
    set_ZX(ZX, c, dq, a->T[1]);
    lmb_small_mul(s, ZX, dq, n, m);
    lmb_axpy(V, -1, s, n);
}

// u'' = R'v_k' - f_v' - w' x y - w x (w x y + 2 u')
// th'' = C w_k' - H w' + d(H om)/dth th' - H (w x E w_k)      om = E w_k - w,  th' = H om
void lmb_superelement_accelerations(double *dV, const arrays *a, const lmb_superelement *c, const double *v,
                                    const double *acc) {
    int n = 6 + c->modal.m;
    double y[LMB_SUPERELEMENT_MOST];
    const lmb_modal_state *x = &a->x;
    vec3 w = v3_load(x->v + 3);
    vec3 middle = v3_add(m3_tmul_v3(&a->f->R, v3_load(x->v)), v3_cross(w, c->middle)); // its velocity
    into_frame(y, a, c, acc);
    for (int k = 0; k < c->count; k++) {
        int at = at_v(c, k);
        const lmb_superelement_seen *s = &a->seen[k];
        vec3 own = m3_mul_v3(&s->E, v3_load(v + at + 3)), om = v3_sub(own, w), rate = m3_mul_v3(&s->H, om);
        vec3 wy = v3_cross(w, s->y), du = v3_sub(m3_tmul_v3(&a->f->R, v3_load(v + at)), v3_add(middle, wy));
        mat3 dH = so3_jl_inv_mul_d(v3_load(a->d + at + 3), om);
        vec3 turn = v3_sub(m3_mul_v3(&dH, rate), m3_mul_v3(&s->H, v3_cross(w, own)));
        v3_store(y + at, v3_sub(v3_load(y + at), v3_cross(w, v3_add(wy, v3_scale(2, du)))));
        v3_store(y + at + 3, v3_add(v3_load(y + at + 3), turn));
    }
    lmb_small_mul(dV, c->Z, y, n, n);
    if (c->X) subtract_second_rates(dV, a, c);
    separate(dV, a, c);
    to_origin(dV, a, c, v3_cross(w, v3_cross(w, c->middle)));
}

// the transpose of separate
static void separate_t(double *z, const arrays *a, const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    vec3 torque = v3_load(z + 3);
    for (int i = 0; i < n; i++)
        if (i < 3 || (i >= 6 && !c->X)) torque = v3_madd(torque, -z[i], v3_load(a->ZF + 3 * i));
    v3_store(z + 3, c->X ? torque : m3_tmul_v3(&a->f->K, torque));
    if (c->X == NULL) return;
    for (int i = 0; i < 3; i++) lmb_axpy(z + 6, -z[i], a->ZX + i * m, m);
    lmb_scale(z + 6, c->unit, m);
    lmb_dense_lu_solve_t(z + 3, a->LU, a->pivot, 3 + m);
    lmb_scale(z + 6, 1 / c->unit, m);
}

void lmb_superelement_loads(double *r, const arrays *a, const lmb_superelement *c, const double *rho) {
    int n = 6 + c->modal.m;
    double z[LMB_SUPERELEMENT_MOST], y[LMB_SUPERELEMENT_MOST];
    vec3 force = m3_tmul_v3(&a->f->R, v3_load(rho));
    vec3 torque = v3_sub(v3_load(rho + 3), v3_cross(c->middle, force));
    v3_store(z, force), v3_store(z + 3, torque);
    memcpy(z + 6, rho + 6, (size_t)c->modal.m * sizeof *z);
    separate_t(z, a, c);
    memset(y, 0, (size_t)n * sizeof *y);
    lmb_small_combine(y, z, c->Z, n, n, n);
    for (int i = 0; i < c->eta; i++) r[6 + i] = y[6 + i];
    for (int k = 0; k < c->count; k++) {
        int at = at_v(c, k);
        v3_store(r + at, m3_mul_v3(&a->f->R, v3_load(y + at)));
        v3_store(r + at + 3, m3_tmul_v3(&a->seen[k].C, v3_load(y + at + 3)));
    }
}

// columns at.. at + 3 of B: times A
static void turn_three(double *B, int n, int at, const mat3 *A) {
    for (int i = 0; i < n; i++) {
        double *x = B + i * n + at;
        v3_store(x, m3_tmul_v3(A, v3_load(x))); // row (x A) = (A' x')'
    }
}

void lmb_superelement_matrix(const arrays *a, const lmb_superelement *c) {
    int n = 6 + c->modal.m;
    double *B = a->B;
    mat3 Rt = m3_t(a->f->R);
    memcpy(B, c->Z, (size_t)(n * n) * sizeof *B);
    for (int k = 0; k < c->count; k++) {
        turn_three(B, n, at_v(c, k), &Rt);
        turn_three(B, n, at_v(c, k) + 3, &a->seen[k].C);
    }
    for (int j = 0; j < n; j++) {
        double V[LMB_SUPERELEMENT_MOST];
        for (int i = 0; i < n; i++) V[i] = B[i * n + j];
        separate(V, a, c);
        to_origin(V, a, c, V3_ZERO);
        for (int i = 0; i < n; i++) B[i * n + j] = V[i];
    }
}
