// solve/radau.c: Radau IIA of order 5 on the Lie group, index 3 or stabilised index 2, with error control.
//
// Collocation at c = (4 -+ sqrt 6)/10 and 1 in the canonical coordinates x of the step, q = q0 o exp(x):
//
//     x_i' = sum_j W_ij x_j / h,    v_i = Jr(x_i) x_i',    v_i' = sum_j W_ij (v_j - v0) / h,      W = A^-1
//     M v_i' + h + G' lambda_i = f
//     index 3:              Phi(q_i) = 0
//     stabilised index 2:   G v_i + Phi_t = 0,  Phi(q1) = 0 by q1 = q0 o exp(x_3) o exp(p), p = -S^-1 G' eta
//
// Newton's unknowns are the changes of v_i and lambda_i.  W = T L T^-1 decouples them into one real and one
// complex system (Hairer, Wanner: Solving Ordinary Differential Equations II, IV.8), with mu = gamma/h and
// (alpha + i beta)/h:
//
//     | mu M + D + K/mu   G'       |     H = d(G v)/dq (index 2 only); rows of index 3 are mu Phi
//     | G + H/mu          -eps     |
//
// The multipliers of the stages are of order 3 (index 3: 2); those of the state are solved for at the end of
// the step together with the accelerations.                      docs/theory/solvers.md (14) to (16)
#include "solve/solve.h"

#include <string.h>

static const double C[3] = {0.15505102572168219018, 0.64494897427831780982, 1};
static const double A[3][3] = {
    {0.19681547722366042587, -0.065535425850198388109, 0.02377097434822015242},
    {0.394424314739087277, 0.29207341166522846302, -0.041548752125997930198},
    {0.37640306270046727505, 0.51248582618842161384, 0.11111111111111111111},
};
static const double *const B = A[2];
static const double W[3][3] = {
    {3.2247448713915890491, 1.1678400846904054949, -0.25319726474218082619},
    {-3.5678400846904054949, 0.7752551286084109509, 1.0531972647421808262},
    {5.5319726474218082619, -7.5319726474218082619, 5},
};
// W = T diag(gamma, (alpha -beta; beta alpha)) T^-1
static const double T[3][3] = {
    {0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
    {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
    {1, 1, 0},
};
static const double T_INV[3][3] = {
    {4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};
static const double GAMMA = 3.6378342527444957322, ALPHA = 2.6810828736277521339,
                    BETA = 3.0504301992474105694;
// gamma times the difference to the embedded formula of order 3
static const double E[3] = {-10.048809399827415562, 1.3821427331607488958, -0.33333333333333333333};

// the same for x' = f(t): f(t0) less what f of the stages, a parabola, gives there, by 1/gamma
static const double RULE_C[4] = {0, 0.15505102572168219018, 0.64494897427831780982, 1};
static const double RULE_E[4] = {0.27488882959567734, -0.42829829411536813, 0.2450390743849166,
                                 -0.09162960986522578};

enum { MAX_ITERATIONS = 10, MAX_ITERATIONS_FIXED = 25 }; // a fixed step cannot be shortened

typedef struct radau_numbers {
    double h_last;     // size of the last step; 0: none yet
    double error_last; // of it
    double matrix_h;   // step of the kept factorisations; 0: none
} radau_numbers;

typedef struct radau {
    lmb_integrator base;
    // in integrator memory
    radau_numbers *kept;
    double *v_last;       // 3 x ny: velocities of the last step: start, stages 1 and 2, less those of stage 3
    double *lambda_last;  // 3 x nc: multipliers of its stages
    double *lambda_slope; // nc: time derivative of the multipliers over the last step
    double *lambda_bend;  // nc: half their second derivative
    // owned
    lmb_solver *real, *complex;
    double *store;           // from here: scratch
    double *re, *im, *pairs; // nnz, nnz, 2 nnz
    double *x, *y, *v, *a;   // 3 x ny: stage coordinates, x', v, v'
    double *lambda;          // 3 x nc
    double *R;               // 3 x n: right sides, then changes of v_i, lambda_i
    double *dx, *u;          // 3 x ny
    double *z;               // 2 n
    double *p;               // ny
    double *gap;             // nc
    double gap_last;         // its norm, when positions were last corrected in this step
    double open;             // what a correction has not halved, if it counts
    lmb_powers power[3];     // at the stages
} radau;

static long memory(const lmb_model *m) {
    return LMB_DOUBLES(radau_numbers) + 3 * (long)m->ny + 5 * (long)m->nc;
}

static void lay_out(lmb_integrator *base, double *mem) {
    radau *s = (radau *)base;
    s->kept = (radau_numbers *)mem, mem += LMB_DOUBLES(radau_numbers);
    s->lambda_bend = mem, mem += base->m->nc;
    s->v_last = mem, mem += 3 * base->m->ny;
    s->lambda_last = mem, mem += 3 * base->m->nc;
    s->lambda_slope = mem;
}

// solvers and scratch
static lmb_status create(lmb_integrator *base, lmb_error *err) {
    radau *s = (radau *)base;
    const lmb_model *m = base->m;
    size_t ny = (size_t)m->ny, nc = (size_t)m->nc, nnz = (size_t)m->pattern.nnz;
    lmb_status st = lmb_solver_create(&s->real, &m->pattern, LMB_REAL, err);
    if (st == LMB_OK) st = lmb_solver_create(&s->complex, &m->pattern, LMB_COMPLEX, err);
    if (st != LMB_OK) return st;
    lmb_solver_share(s->real, base->w->team);
    lmb_solver_share(s->complex, base->w->team);
    double *p = s->store = lmb_alloc(4 * nnz + 24 * ny + 9 * nc + 1, sizeof *s->store);
    if (p == NULL) return lmb_fail_memory(err);
    s->re = p, p += nnz;
    s->im = p, p += nnz;
    s->pairs = p, p += 2 * nnz;
    double **const stages[] = {&s->x, &s->y, &s->v, &s->a, &s->dx, &s->u};
    for (int i = 0; i < LMB_COUNT(stages); i++) *stages[i] = p, p += 3 * ny;
    s->lambda = p, p += 3 * nc;
    s->R = p, p += 3 * (ny + nc);
    s->z = p, p += 2 * (ny + nc);
    s->p = p, p += ny;
    s->gap = p;
    return LMB_OK;
}

static void release(lmb_integrator *base) {
    radau *s = (radau *)base;
    lmb_solver_destroy(s->real);
    lmb_solver_destroy(s->complex);
    lmb_free(s->store);
}

static void forget(lmb_integrator *base) {
    radau *s = (radau *)base;
    s->kept->matrix_h = 0;
    lmb_solver_forget(s->real);
    lmb_solver_forget(s->complex);
}

// ---- stages ------------------------------------------------------------------------------------

// y_i = c sum_j F_ij x_j, three vectors of size n each, one after the other; y may be x
static void combine(double *y, const double F[3][3], double c, const double *x, int n) {
    for (int k = 0; k < n; k++) {
        double x0 = c * x[k], x1 = c * x[n + k], x2 = c * x[2 * n + k];
        for (int i = 0; i < 3; i++) y[i * n + k] = F[i][0] * x0 + F[i][1] * x1 + F[i][2] * x2;
    }
}

static bool is_rotation(const lmb_block *b) { return b->kind == LMB_BLOCK_ROT && b->iy >= 0; }

// out_i = J(x_i) u_i on the rotations, u_i elsewhere, at all stages
static void map_rotations(double *out, const lmb_model *m, mat3 (*J)(vec3), const double *x,
                          const double *u) {
    if (out != u) memcpy(out, u, 3 * (size_t)m->ny * sizeof *out);
    for (int i = 0; i < m->block_count; i++)
        for (int k = m->blocks[i].iy; is_rotation(&m->blocks[i]) && k < 3 * m->ny; k += m->ny) {
            mat3 Jx = J(v3_load(x + k));
            v3_store(out + k, m3_mul_v3(&Jx, v3_load(u + k)));
        }
}

// x' = W x / h,  v = Jr(x) x',  v' = W (v - v0) / h
static void stage_rates(radau *s, double h) {
    const lmb_model *m = s->base.m;
    combine(s->y, W, 1 / h, s->x, m->ny);
    map_rotations(s->v, m, so3_jr, s->x, s->y);
    for (int k = 0; k < 3 * m->ny; k++) s->a[k] = s->v[k] - s->base.step.v0[k % m->ny];
    combine(s->a, W, 1 / h, s->a, m->ny);
}

static lmb_status set_stage(radau *s, double h, int i) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    *b->d->time = b->record->t0 + C[i] * h;
    lmb_positions_move(b->d->q, m, b->step.q0, s->x + i * m->ny);
    if (i == 2 && b->settings->index == 2) lmb_positions_move(b->d->q, m, b->d->q, s->p);
    lmb_velocity_set(b->d, m, s->v + i * m->ny);
    lmb_acceleration_set(b->d, m, s->a + i * m->ny);
    memcpy(b->d->lambda, s->lambda + i * m->nc, (size_t)m->nc * sizeof(double));
    return lmb_update(b->d, m);
}

// ---- predictor ---------------------------------------------------------------------------------

// k-th Lagrange polynomial of the nodes at t
static double lagrange(const double *node, int count, int k, double t) {
    double p = 1;
    for (int i = 0; i < count; i++)
        if (i != k) p *= (t - node[i]) / (node[k] - node[i]);
    return p;
}

// the collocation polynomials of the last step, extrapolated
static void extrapolate(radau *s, double h) {
    const lmb_model *m = s->base.m;
    const double node[4] = {0, C[0], C[1], 1};
    for (int i = 0; i < 3; i++) {
        double t = 1 + C[i] * h / s->kept->h_last, *v = s->v + i * m->ny, *lambda = s->lambda + i * m->nc;
        memcpy(v, s->base.step.v0, (size_t)m->ny * sizeof *v);
        for (int k = 0; k < 3; k++) lmb_axpy(v, lagrange(node, 4, k, t), s->v_last + k * m->ny, m->ny);
        memset(lambda, 0, (size_t)m->nc * sizeof *lambda);
        for (int k = 0; k < 3; k++) lmb_axpy(lambda, lagrange(C, 3, k, t), s->lambda_last + k * m->nc, m->nc);
    }
}

// v = v0 + c h a0
static void extrapolate_start(radau *s, double h) {
    const lmb_model *m = s->base.m;
    const lmb_step *o = &s->base.step;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < m->ny; k++) s->v[i * m->ny + k] = o->v0[k] + C[i] * h * o->a0[k];
        memcpy(s->lambda + i * m->nc, o->lambda0, (size_t)m->nc * sizeof(double));
    }
}

// velocities first, then x = h A Jr^-1(x) v by a few sweeps
static void predict(radau *s, double h) {
    const lmb_model *m = s->base.m;
    if (s->kept->h_last > 0) extrapolate(s, h);
    else extrapolate_start(s, h);
    combine(s->x, A, h, s->v, m->ny);
    for (int sweep = 0; sweep < 2; sweep++) {
        map_rotations(s->u, m, so3_jr_inv, s->x, s->v);
        combine(s->x, A, h, s->u, m->ny);
    }
    memset(s->p, 0, (size_t)m->ny * sizeof *s->p);
    stage_rates(s, h);
}

// ---- Newton ------------------------------------------------------------------------------------

// The stages of overconstrained mechanisms lie off the constraints by the error of the step, where redundant rows
// contradict each other, and frames from finite elements always do: the larger it is, the less do they brake.  It is an error of
// lambda - lambda(predicted) only.
static double regularisation(double h) { return 10 * LMB_REGULARISATION * h / GAMMA; }

// both matrices at the state d
static lmb_status renew_matrices(radau *s, double h) {
    lmb_integrator *b = &s->base;
    double size = ALPHA * ALPHA + BETA * BETA, eps = regularisation(h);
    lmb_combination c[3] = {
        {.values = b->w->values, .cM = GAMMA / h, .cD = 1, .cK = h / GAMMA, .cL = 1, .rG = 1, .eps = eps},
        {.values = s->re, .cM = ALPHA / h, .cD = 1, .cK = h * ALPHA / size, .cL = 1, .rG = 1, .eps = eps},
        {.values = s->im, .cM = BETA / h, .cK = -h * BETA / size},
    };
    for (int i = 0; i < 3 && b->settings->index == 2; i++) c[i].rH = c[i].cK;
    if (b->settings->index == 3) c[1].eps = eps * ALPHA / GAMMA, c[2].eps = eps * BETA / GAMMA;
    lmb_tangent(c, 3, b->m, b->d, NULL);
    b->w->stats.matrices++;
    for (int k = 0; k < b->m->pattern.nnz; k++) s->pairs[2 * k] = s->re[k], s->pairs[2 * k + 1] = s->im[k];
    double begin = lmb_clock();
    lmb_status st = lmb_solver_factor(s->real, b->w->values);
    if (st == LMB_OK) st = lmb_solver_factor(s->complex, s->pairs);
    b->w->stats.solver_seconds += lmb_clock() - begin;
    s->kept->matrix_h = st == LMB_OK ? h : 0;
    return st;
}

// -r and the constraint errors at the state d.  eps keeps the multipliers of redundant constraints near
// those at t0, extrapolated: they keep the least-squares distribution, and the error of the others stays small.
static lmb_powers defect(radau *s, double h, double *R) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double since = *b->d->time - b->record->t0;
    double eps = regularisation(h) * (b->settings->index == 3 ? h / GAMMA : 1);
    lmb_powers power = lmb_residual(R, m, b->d);
    b->w->stats.residuals++;
    if (b->settings->index == 3) lmb_constraints(R + m->ny, m, b->d);
    else lmb_constraint_rates(R + m->ny, m, b->d);
    for (int i = 0; i < m->n; i++) R[i] = -R[i];
    for (int i = 0; i < m->nc; i++) {
        double expected =
            b->step.lambda0[i] + since * (s->lambda_slope[i] + (since + s->kept->h_last) * s->lambda_bend[i]);
        R[m->ny + i] += eps * m->row_eps[i] * (b->d->lambda[i] - expected);
    }
    return power;
}

// right-hand sides of all stages; the matrices are renewed at the second one
static lmb_status right_sides(radau *s, double h) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    for (int i = 0; i < 3; i++) {
        if (set_stage(s, h, i) != LMB_OK) return LMB_ERR_NUMERIC;
        s->power[i] = defect(s, h, s->R + i * m->n);
        if (i == 1 && !lmb_same_step(s->kept->matrix_h, h) && renew_matrices(s, h) != LMB_OK)
            return LMB_ERR_NUMERIC;
    }
    memcpy(b->w->r, s->R + 2 * m->n, (size_t)m->n * sizeof(double)); // for messages
    lmb_constraints(s->gap, m, b->d); // Phi(q1) once the velocity constraints are satisfied
    for (int i = 0; i < 3; i++) lmb_axpy(s->gap, h * B[i], s->R + i * m->n + m->ny, m->nc);
    return LMB_OK;
}

static lmb_status solve(radau *s, lmb_solver *solver, double *x) {
    double begin = lmb_clock();
    lmb_status st = lmb_solver_solve(solver, x);
    s->base.w->stats.solver_seconds += lmb_clock() - begin;
    return st;
}

// R <- T (S^-1 T^-1 R): changes of v_i, lambda_i
static lmb_status solve_stages(radau *s, double h) {
    const lmb_model *m = s->base.m;
    double *R1 = s->R, *R2 = R1 + m->n, *R3 = R2 + m->n;
    combine(s->R, T_INV, 1, s->R, m->n);
    for (int i = m->ny; i < m->n && s->base.settings->index == 3; i++) { // rows mu Phi
        double re = R2[i], im = R3[i];
        R1[i] *= GAMMA / h;
        R2[i] = (ALPHA * re - BETA * im) / h;
        R3[i] = (ALPHA * im + BETA * re) / h;
    }
    for (int i = 0; i < m->n; i++) s->z[2 * i] = R2[i], s->z[2 * i + 1] = R3[i];
    if (solve(s, s->real, R1) != LMB_OK || solve(s, s->complex, s->z) != LMB_OK) return LMB_ERR_NUMERIC;
    for (int i = 0; i < m->n; i++) R2[i] = s->z[2 * i], R3[i] = s->z[2 * i + 1];
    combine(s->R, T, 1, s->R, m->n);
    return LMB_OK;
}

// u_i = Jr^-1(x_i) (dv_i - d(Jr(x_i) x_i')/dx dx_i) on the rotations
static void rotation_rates(radau *s) {
    const lmb_model *m = s->base.m;
    for (int i = 0; i < m->block_count; i++)
        for (int j = 0; j < 3 && is_rotation(&m->blocks[i]); j++) {
            int y = m->blocks[i].iy, k = j * m->ny + y;
            vec3 x = v3_load(s->x + k), dv = v3_load(s->R + j * m->n + y);
            mat3 N = so3_jl_mul_d(v3_neg(x), v3_load(s->y + k)), Jr_inv = so3_jr_inv(x); // d(Jr(x) y)/dx = -N
            v3_store(s->u + k, m3_mul_v3(&Jr_inv, v3_add(dv, m3_mul_v3(&N, v3_load(s->dx + k)))));
        }
}

// dx = h A dx'
static void coordinate_changes(radau *s, double h) {
    const lmb_model *m = s->base.m;
    for (int i = 0; i < 3; i++) memcpy(s->u + i * m->ny, s->R + i * m->n, (size_t)m->ny * sizeof(double));
    combine(s->dx, A, h, s->u, m->ny);
    rotation_rates(s);
    combine(s->dx, A, h, s->u, m->ny);
}

// a gap of positions that counts beside the error of a step, relative to scales
static double counting_gap(const radau *s) {
    const double LITTLE = 0.1, NOISE = 1e-13;
    const lmb_integrator *b = &s->base;
    if (b->settings->step > 0) return NOISE;
    return fmax(LITTLE * b->settings->tolerance * b->sizes.kept->least, NOISE);
}

// projects the final positions onto the constraints: p += -S^-1 G' eta; contradictions of redundant rows remain
static lmb_status correct_positions(radau *s) {
    const lmb_model *m = s->base.m;
    double gap = lmb_gap_norm(m, s->gap);
    bool halved = gap < 0.5 * s->gap_last;
    s->open = !halved && gap > counting_gap(s) ? gap : 0;
    if (!halved) return LMB_OK;
    s->gap_last = gap;
    memset(s->z, 0, (size_t)m->ny * sizeof(double));
    for (int i = 0; i < m->nc; i++) s->z[m->ny + i] = -s->gap[i];
    if (solve(s, s->real, s->z) != LMB_OK) return LMB_ERR_NUMERIC;
    lmb_axpy(s->p, 1, s->z, m->ny);
    lmb_axpy(s->dx + 2 * m->ny, 1, s->z, m->ny);
    return LMB_OK;
}

// time by which velocity errors are weighted: that of the fastest motion, at most 50 steps
static double velocity_time(const radau *s, double h) {
    if (s->base.settings->step > 0) return 50 * h;
    double lasts = s->base.kinks ? fmax(s->base.record->longest, 50 * h) : 50 * h;
    return fmin(1 / fmax(lmb_sized_speed(&s->base.sizes, s->base.m), 1 / s->base.span), lasts);
}

// largest change of a stage relative to sizes (ny): positions, velocities, first-order states; INFINITY: a body turns too far
static double size_of_change(const radau *s, double time, const double *size) {
    const lmb_model *m = s->base.m;
    double largest = 0;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        for (int j = 0; j < 3 && b->iy >= 0; j++) {
            const double *dx = s->dx + j * m->ny + b->iy, *dv = s->R + j * m->n + b->iy;
            for (int k = 0; k < b->nv; k++) {
                double e = lmb_larger(fabs(dx[k]), time * fabs(dv[k]));
                if (b->kind == LMB_BLOCK_STATE) e = fabs(dv[k]);
                largest = lmb_larger(largest, e / size[b->iy + k]);
            }
            if (is_rotation(b) && !(v3_norm(v3_load(s->x + j * m->ny + b->iy)) < 2 * LMB_MAX_TURN))
                return INFINITY;
        }
    }
    return largest;
}

// one iteration; false: failed
static bool iterate(radau *s, double h) {
    const lmb_model *m = s->base.m;
    if (right_sides(s, h) != LMB_OK || solve_stages(s, h) != LMB_OK) return false;
    s->base.w->stats.iterations++;
    coordinate_changes(s, h);
    lmb_axpy(s->x, 1, s->dx, 3 * m->ny);
    if (s->base.settings->index == 2 && m->nc > 0 && correct_positions(s) != LMB_OK) return false;
    for (int i = 0; i < 3; i++) lmb_axpy(s->lambda + i * m->nc, 1, s->R + i * m->n + m->ny, m->nc);
    stage_rates(s, h);
    return true;
}

// A gap that was not halved may have been opened by the iteration of velocities: once more.  Where much of it stays, G has changed
// since the matrices were made: with new ones.  What stays then contradicts.
static bool tries_again(radau *s, int *times) {
    enum { MOST = 3 };
    const double MUCH = 0.5; // of the tolerance; the rest is for the motion between steps
    if (s->open == 0 || *times >= MOST) return false;
    if (*times > 0 && s->open <= MUCH * s->base.settings->tolerance) return false;
    if (*times > 0) s->kept->matrix_h = 0;
    *times += 1, s->gap_last = INFINITY;
    return true;
}

static lmb_status attempt(lmb_integrator *b, double h) {
    radau *s = (radau *)b;
    s->gap_last = INFINITY, s->open = 0;
    predict(s, h);
    bool fixed = b->settings->step > 0;
    const double *scale = b->m->y_scale, *size = fixed ? scale : b->sizes.y;
    double tol = fixed ? 1e-14 : 1e-3 * b->settings->tolerance, time = velocity_time(s, h), before = INFINITY;
    int times = 0;
    for (int k = 0; k < (fixed ? MAX_ITERATIONS_FIXED : MAX_ITERATIONS); k++) {
        if (!iterate(s, h)) break;
        double change = size_of_change(s, time, size), natural = size_of_change(s, time, scale),
               rate = change / before;
        if (!isfinite(change)) break;
        bool rounding = natural < 1e-14 || (natural < 1e-10 && rate > 0.8);
        bool solved = change <= tol || rounding || (k > 0 && rate < 1 && change * rate / (1 - rate) <= tol);
        // a singular position: velocities cannot be improved
        bool singular = !solved && k > 1 && rate > 0.5 && size_of_change(s, 0, size) <= tol;
        if (singular || (solved && rate > 0.1 && k > 1 && !rounding)) s->kept->matrix_h = 0;
        if (solved || singular) {
            if (!tries_again(s, &times)) return LMB_OK;
            before = INFINITY, k = -1;
            continue;
        }
        if (k > 1 && rate > 2 && !fixed) break;         // a shorter step will do
        if (k > 0 && rate > 0.3) s->kept->matrix_h = 0; // slow: renew
        before = change;
    }
    s->kept->matrix_h = 0;
    return LMB_ERR_NUMERIC;
}

// ---- error and step size -----------------------------------------------------------------------

// The estimate is that of a formula of order 3, the step is of order 5: the tolerance to the power 2/3.
static double allowed(double tolerance) { return 0.1 * pow(tolerance, 2.0 / 3); }

static double scaled_error(const radau *s, double h, const double *x, const double *v) {
    const lmb_integrator *b = &s->base;
    // index 3: velocities are of order 3; behind stops their errors last all the same
    double time = b->settings->index == 3 && b->kinks == NULL ? h : velocity_time(s, h);
    const lmb_errors e = {x, v, time};
    return lmb_error_norm(&b->sizes, b->m, b->d, &e, b->w->moved) / allowed(b->settings->tolerance);
}

// (x, v) <- (mu B - J)^-1 (f(y0 + (x, v)) + B sum E_i z_i / h), mu = gamma/h: with X = v + sum E_i x_i / h
//     mu x - v = X,   S v + G' l = -r(q0 o exp(x + X/mu), v0 + v, v' = -sum E_i (v_i - v0) / h)
static lmb_status filter_error(radau *s, double h, double *x, double *v) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *X = s->u, *shift = s->u + m->ny, *a = s->u + 2 * m->ny;
    for (int k = 0; k < m->ny; k++) {
        X[k] = b->step.v0[k] + v[k], a[k] = 0;
        for (int i = 0; i < 3; i++) {
            X[k] += E[i] / h * s->x[i * m->ny + k];
            a[k] -= E[i] / h * (s->v[i * m->ny + k] - b->step.v0[k]);
        }
        shift[k] = x[k] + h / GAMMA * X[k];
        v[k] += b->step.v0[k];
    }
    lmb_integrator_undo(b);
    lmb_positions_move(b->d->q, m, b->step.q0, shift);
    lmb_velocity_set(b->d, m, v);
    lmb_acceleration_set(b->d, m, a);
    if (lmb_update(b->d, m) != LMB_OK) return LMB_ERR_NUMERIC;
    defect(s, h, s->z);
    if (b->settings->index == 3) lmb_scale(s->z + m->ny, GAMMA / h, m->nc);
    if (solve(s, s->real, s->z) != LMB_OK) return LMB_ERR_NUMERIC;
    for (int k = 0; k < m->ny; k++) v[k] = s->z[k], x[k] = h / GAMMA * (s->z[k] + X[k]);
    return LMB_OK;
}

// error of the step relative to the tolerance; filtered once more where the motion settles
static double step_error(lmb_integrator *base, const lmb_trial *t) {
    radau *s = (radau *)base;
    double *x = s->dx, *v = s->dx + base->m->ny;
    bool unsettled = s->kept->h_last == 0 || t->rejected;
    memset(s->dx, 0, 2 * (size_t)base->m->ny * sizeof *s->dx);
    if (filter_error(s, t->h, x, v) != LMB_OK) return INFINITY;
    double once = scaled_error(s, t->h, x, v);
    if (once < 1 || !unsettled) return once;
    return filter_error(s, t->h, x, v) == LMB_OK ? scaled_error(s, t->h, x, v) : INFINITY;
}

// 0.9 error^(-1/4), and the prediction from the last two steps (Gustafsson)
static double next(lmb_integrator *base, const lmb_trial *t) {
    const radau *s = (const radau *)base;
    double e = fmax(t->error, 1e-8), grow = 0.9 / pow(e, 0.25);
    if (s->kept->h_last > 0 && s->kept->error_last > 0)
        grow = fmin(grow, 0.9 * t->h / s->kept->h_last * pow(s->kept->error_last / (e * e), 0.25));
    grow = fmin(t->rejected ? 1 : 3, fmax(0.2, grow));  // not directly after a rejected step
    return grow > 1 && grow < 1.2 ? t->h : grow * t->h; // the same: keeps the matrices
}

// ---- start and step ----------------------------------------------------------------------------

static double first_step(const radau *s, double t_limit) {
    const lmb_integrator *b = &s->base;
    double rate =
        fmax(lmb_sized_norm(&b->sizes, b->m, b->step.v0), sqrt(lmb_sized_norm(&b->sizes, b->m, b->step.a0)));
    double h = fmin(b->span / 100, t_limit - *b->d->time);
    return rate > 0 ? fmin(h, pow(allowed(s->base.settings->tolerance), 0.25) / rate) : h;
}

static lmb_status start(lmb_integrator *base, double t_limit, lmb_error *err) {
    radau *s = (radau *)base;
    lmb_integrator_begin(base, t_limit);
    if (lmb_accelerations(base->w, base->d) != LMB_OK) return lmb_integrator_no_start(base, err);
    lmb_integrator_begin_step(base);
    base->record->h = base->settings->step > 0 ? base->settings->step : first_step(s, t_limit);
    s->kept->h_last = s->kept->error_last = s->kept->matrix_h = 0;
    memset(s->lambda_slope, 0, (size_t)base->m->nc * sizeof(double));
    memset(s->lambda_bend, 0, (size_t)base->m->nc * sizeof(double));
    return LMB_OK;
}

// the powers at the converged stages: b_i are the weights of the work
static void book_work(radau *s, double h) {
    lmb_integrator *b = &s->base;
    double work = 0, lost = 0;
    for (int i = 0; i < 3; i++) {
        if (s->power[i].drive == 0 && s->power[i].dissipated == 0) continue;
        set_stage(s, h, i);
        lmb_powers p = lmb_residual(b->w->x, b->m, b->d);
        b->w->stats.residuals++;
        work += h * B[i] * p.drive;
        lost += h * B[i] * p.dissipated;
    }
    *b->d->work = b->record->work + work;
    *b->d->dissipated = b->record->dissipated + lost;
}

// the work; keeps the stages for the next predictor, then the state at t1 with its accelerations and multipliers
static lmb_status finish(lmb_integrator *b, const lmb_trial *t) {
    radau *s = (radau *)b;
    double h = t->h;
    const lmb_model *m = b->m;
    book_work(s, h);
    lmb_status st = set_stage(s, h, 2);
    if (st == LMB_OK) st = lmb_accelerations(b->w, b->d);
    if (st != LMB_OK) return st;
    for (int k = 0; k < m->ny; k++) {
        double v3 = s->v[2 * m->ny + k];
        s->v_last[k] = b->step.v0[k] - v3;
        for (int i = 0; i < 2; i++) s->v_last[(i + 1) * m->ny + k] = s->v[i * m->ny + k] - v3;
    }
    memcpy(s->lambda_last, s->lambda, 3 * (size_t)m->nc * sizeof(double));
    for (int i = 0; i < m->nc; i++) {
        double slope = (b->d->lambda[i] - b->step.lambda0[i]) / h;
        s->lambda_bend[i] = s->kept->h_last > 0 ? (slope - s->lambda_slope[i]) / (h + s->kept->h_last) : 0;
        s->lambda_slope[i] = slope;
    }
    s->kept->h_last = h;
    s->kept->error_last = fmax(t->error, 0.01);
    return LMB_OK;
}

static lmb_status arrive(lmb_integrator *b, double h) { return set_stage((radau *)b, h, 2); }

// the stages of the last step tell nothing about the next one
static void kink(lmb_integrator *b) {
    radau *s = (radau *)b;
    if (lmb_integrator_slope(s->u, b, 1e-3 * b->record->h) == LMB_OK) {
        double jerk = lmb_sized_norm(&b->sizes, b->m, s->u);
        if (jerk > 0) b->record->h = fmin(b->record->h, cbrt(allowed(b->settings->tolerance) / jerk));
    }
    s->kept->h_last = 0;
}

static double shorten(double error) { return isfinite(error) ? fmax(0.1, 0.9 / pow(error, 0.25)) : 0.3; }

const double *lmb_radau_stage_multipliers(const lmb_integrator *s) {
    return ((const radau *)s)->lambda_last + 2 * s->m->nc;
}

const lmb_integrator_ops lmb_integrator_radau = {
    .doc = {"radau", "Radau IIA of order 5"},
    .solves = LMB_DAE,
    .index3 = true,
    .trees = true,
    .size = sizeof(radau),
    .memory = memory,
    .lay_out = lay_out,
    .create = create,
    .start = start,
    .attempt = attempt,
    .error = step_error,
    .rule = {4, RULE_C, RULE_E, allowed},
    .arrive = arrive,
    .kink = kink,
    .next = next,
    .finish = finish,
    .shorten = shorten,
    .forget = forget,
    .release = release,
    .interpolates_forces = false,
};
