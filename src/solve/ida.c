// solve/ida.c: IDA of SUNDIALS (variable-order BDF) as a second opinion, for small models.
//
// The multipliers are derivatives of unknowns, lambda = Lambda', mu = Gamma': the stabilised index-2
// equations become index 1 (Hiller, Anantharaman).  Unknowns y = (q, v, Lambda, Gamma, work, losses):
//
//     q' = N(q) (v - P G' mu)                 quaternions: p' = p o w / 2 + (1 - |p|^2) p / (2 tau)
//     M v' + h + G' lambda = f,   G v + Phi_t = eps lambda,   Phi(q) = eps mu
//
// Errors are relative to what moves (solve/norm.c).  Matrix by differences relative to the model, dense.  IDA's history cannot
// be kept in a checkpoint: after one, and after `forget`, it starts anew at the state, with order one.   docs/theory/solvers.md (17)
#include "solve/solve.h"

#ifdef LMB_HAVE_SUNDIALS
#include <float.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

enum { MAX_UNKNOWNS = 200 }; // dense matrix, one residual per column
static const double IDA_REGULARISATION = 1e-12;
static const double UNWEIGHTED = 1e30; // scale of unknowns without error control
static const double SAFER = 0.05;      // of the tolerance is what a step may err by
static const double SHARE = 1e-3;      // of impulses of the model's size: that of multipliers

typedef struct ida_numbers {
    double fresh; // 1: start anew
    double time;  // of the fastest motion
} ida_numbers;

typedef struct ida {
    lmb_integrator base;
    ida_numbers *kept; // in integrator memory
    int np, n;         // positions of free blocks; unknowns
    SUNContext context;
    void *solver;
    N_Vector y, yp, scale, id; // scale: of unknowns, by the model
    SUNMatrix A;
    SUNLinearSolver linear;
    double *r;       // ny: G' mu, then v - P G' mu
    double *inertia; // ny, kept: forces by which rows are divided, M_ii times the scale of y
} ida;

static long memory(const lmb_model *m) { return LMB_DOUBLES(ida_numbers) + (long)m->ny; }

static void lay_out(lmb_integrator *base, double *mem) {
    ida *s = (ida *)base;
    s->kept = (ida_numbers *)mem;
    s->inertia = mem + LMB_DOUBLES(ida_numbers);
}

// free blocks with positions (first-order states have none)
static bool has_positions(const lmb_block *b) { return b->iy >= 0 && b->kind != LMB_BLOCK_STATE; }

// ---- equations ---------------------------------------------------------------------------------

// the state d from the unknowns; quaternions are brought to unit length
static lmb_status set_state(ida *s, double t, const double *y, const double *yp) {
    const lmb_model *m = s->base.m;
    lmb_data *d = s->base.d;
    *d->time = t;
    const double *q = y;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (!has_positions(b)) continue;
        memcpy(d->q + b->iq, q, (size_t)b->nq * sizeof *q);
        if (b->kind == LMB_BLOCK_ROT) q_store(d->q + b->iq, q_unit(q_load(q)));
        q += b->nq;
    }
    lmb_velocity_set(d, m, y + s->np);
    lmb_acceleration_set(d, m, yp + s->np);
    memcpy(d->lambda, yp + s->np + m->ny, (size_t)m->nc * sizeof *yp);
    return lmb_update(d, m);
}

// q' = N(q) u
static void position_rates(double *qp, const ida *s, const double *q, const double *u) {
    const lmb_model *m = s->base.m;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (!has_positions(b)) continue;
        memcpy(qp, u + b->iy, (size_t)b->nv * sizeof *qp);
        if (b->kind == LMB_BLOCK_ROT) {
            q_store(qp, q_mul(q_load(q), (quat){0, u[b->iy], u[b->iy + 1], u[b->iy + 2]}));
            for (int k = 0; k < 4; k++)
                qp[k] = 0.5 * qp[k] + (1 - lmb_dot(q, q, 4)) * q[k] / (2 * s->kept->time);
        }
        qp += b->nq, q += b->nq;
    }
}

static int residual(sunrealtype t, N_Vector Y, N_Vector YP, N_Vector R, void *user) {
    ida *s = user;
    const lmb_model *m = s->base.m;
    lmb_data *d = s->base.d;
    const double *y = N_VGetArrayPointer(Y), *yp = N_VGetArrayPointer(YP);
    double *F = N_VGetArrayPointer(R), *Fv = F + s->np, *rates = Fv + m->ny, *Phi = rates + m->nc,
           *work = Phi + m->nc;
    const double *v = y + s->np, *lambda = yp + s->np + m->ny, *mu = lambda + m->nc, *work_p = mu + m->nc;
    if (!isfinite(lmb_norm_max(y, s->n)) || !isfinite(lmb_norm_max(yp, s->n))) return 1;
    if (set_state(s, t, y, yp) != LMB_OK) return 1; // recoverable: a shorter step
    lmb_powers power = lmb_residual(Fv, m, d);
    work[0] = work_p[0] - power.drive;
    work[1] = work_p[1] - power.dissipated;
    memcpy(d->lambda, mu, (size_t)m->nc * sizeof *mu);
    lmb_reactions(s->r, m, d);
    s->base.w->stats.residuals++;
    for (int i = 0; i < m->ny; i++) // u = v - P G' mu, P = scale^2
        s->r[i] = v[i] - m->y_scale[i] * m->y_scale[i] * s->r[i];
    position_rates(F, s, y, s->r);
    for (int i = 0; i < s->np; i++) F[i] = yp[i] - F[i];
    lmb_constraint_rates(rates, m, d);
    lmb_constraints(Phi, m, d);
    for (int i = 0; i < m->nc; i++) {
        double eps = IDA_REGULARISATION * s->kept->time;
        rates[i] -= eps * m->row_weight[i] * lambda[i];
        Phi[i] -= eps * m->row_scale[i] * m->row_scale[i] * mu[i];
    }
    for (int i = 0; i < m->ny; i++) Fv[i] /= s->inertia[i]; // rows of like size: LU chooses pivots by it
    for (int i = 0; i < m->nc; i++) rates[i] /= m->row_scale[i], Phi[i] /= m->row_scale[i];
    for (int i = 0; i < m->joint_count; i++) // a joint that is off: Lambda' = Gamma' = 0
        for (int k = m->joints[i].lambda;
             d->active_joint[i] == 0 && k < m->joints[i].lambda + m->joints[i].row_count; k++)
            rates[k] = lambda[k], Phi[k] = mu[k];
    return 0;
}

// ---- making and starting -----------------------------------------------------------------------

static void silent(int code, const char *module, const char *function, char *text, void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

static void release(lmb_integrator *base) {
    ida *s = (ida *)base;
    if (s->solver) IDAFree(&s->solver);
    if (s->linear) SUNLinSolFree(s->linear);
    if (s->A) SUNMatDestroy(s->A);
    N_Vector *const vectors[] = {&s->y, &s->yp, &s->scale, &s->id};
    for (int i = 0; i < LMB_COUNT(vectors); i++)
        if (*vectors[i]) N_VDestroy(*vectors[i]);
    if (s->context) SUNContext_Free(&s->context);
    lmb_free(s->r);
}

static bool make_vectors(ida *s) {
    if (SUNContext_Create(NULL, &s->context) != 0) return false;
    N_Vector *const vectors[] = {&s->y, &s->yp, &s->scale, &s->id};
    for (int i = 0; i < LMB_COUNT(vectors); i++)
        if ((*vectors[i] = N_VNew_Serial(s->n, s->context)) == NULL) return false;
    s->A = SUNDenseMatrix(s->n, s->n, s->context);
    s->linear = s->A ? SUNLinSol_Dense(s->y, s->A, s->context) : NULL;
    s->solver = IDACreate(s->context);
    return s->linear && s->solver && IDASetErrHandlerFn(s->solver, silent, NULL) == IDA_SUCCESS;
}

static lmb_status create(lmb_integrator *base, lmb_error *err) {
    ida *s = (ida *)base;
    const lmb_model *m = base->m;
    for (int i = 0; i < m->block_count; i++)
        if (has_positions(&m->blocks[i])) s->np += m->blocks[i].nq;
    s->n = s->np + m->ny + 2 * m->nc + 2;
    if (s->n > MAX_UNKNOWNS)
        return lmb_fail(err, LMB_ERR_INPUT, base->settings->where,
                        "integrator ida is for small models: this one has %d unknowns, more than %d; use "
                        "`integrator: radau`",
                        s->n, MAX_UNKNOWNS);
    if (base->settings->step > 0)
        return lmb_fail(err, LMB_ERR_INPUT, base->settings->where,
                        "integrator ida chooses its own steps; remove `step` or use `integrator: radau`");
    s->r = lmb_alloc((size_t)m->ny, sizeof *s->r);
    return s->r && make_vectors(s) ? LMB_OK : lmb_fail_memory(err);
}

// from the mass matrix of lmb_accelerations
static void note_inertia(ida *s) {
    lmb_work *w = s->base.w;
    lmb_work_mass_diagonal(w->x, w);
    for (int j = 0; j < s->base.m->ny; j++) s->inertia[j] = w->x[j] > 0 ? w->x[j] * s->base.m->y_scale[j] : 1;
}

static lmb_status start(lmb_integrator *base, double t_limit, lmb_error *err) {
    ida *s = (ida *)base;
    lmb_integrator_begin(base, t_limit);
    if (lmb_accelerations(base->w, base->d) != LMB_OK) return lmb_integrator_no_start(base, err);
    note_inertia(s);
    lmb_integrator_begin_step(base);
    s->kept->time = 1 / fmax(1 / base->span, lmb_scaled_norm(base->m, base->step.v0));
    s->kept->fresh = 1;
    return LMB_OK;
}

// unknowns, their sizes and which unknowns are error controlled, from the step record
static void fill_unknowns(ida *s) {
    const lmb_model *m = s->base.m;
    const lmb_step *o = &s->base.step;
    double *y = N_VGetArrayPointer(s->y), *yp = N_VGetArrayPointer(s->yp), *id = N_VGetArrayPointer(s->id);
    double *scale = N_VGetArrayPointer(s->scale), *q = y, *q_scale = scale;
    for (int i = 0; i < s->n; i++) y[i] = yp[i] = 0, scale[i] = UNWEIGHTED, id[i] = i < s->np + m->ny;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        for (int k = 0; b->iy >= 0 && k < b->nv; k++)
            scale[s->np + b->iy + k] =
                b->kind == LMB_BLOCK_STATE ? s->base.sizes.y[b->iy + k] : b->scale / s->kept->time;
        if (!has_positions(b)) continue;
        memcpy(q, o->q0 + b->iq, (size_t)b->nq * sizeof *q);
        for (int k = 0; k < b->nq; k++) *q_scale++ = b->scale;
        q += b->nq;
    }
    // friction is not linear in lambda
    for (int i = 0; i < m->nc; i++) {
        scale[s->np + m->ny + i] = SHARE * m->row_scale[i] / (m->row_weight[i] * s->kept->time);
        scale[s->np + m->ny + m->nc + i] = SHARE / m->row_scale[i];
    }
    memcpy(y + s->np, o->v0, (size_t)m->ny * sizeof *y);
    memcpy(yp + s->np, o->a0, (size_t)m->ny * sizeof *y);
    memcpy(yp + s->np + m->ny, o->lambda0, (size_t)m->nc * sizeof *y);
    position_rates(yp, s, y, o->v0);
    y[s->n - 2] = *s->base.d->work, y[s->n - 1] = *s->base.d->dissipated;
}

// of what moves in block b, but not below the rounding errors with which start values meet constraints
static double size_of(const ida *s, const lmb_block *b, int k) {
    const double CLOSED = 1e-12;
    double size = s->base.sizes.y[b->iy + k];
    return b->kind == LMB_BLOCK_STATE ? size
                                      : fmax(size, CLOSED * b->scale / (SAFER * s->base.settings->tolerance));
}

// Errors are relative to what moves, those of velocities also to values.
static int set_weights(N_Vector y, N_Vector weight, void *user) {
    const ida *s = user;
    const lmb_model *m = s->base.m;
    double rtol = SAFER * s->base.settings->tolerance, *w = N_VGetArrayPointer(weight), *q = w,
           *v = w + s->np;
    const double *value = N_VGetArrayPointer(y), *scale = N_VGetArrayPointer(s->scale);
    for (int i = s->np + m->ny; i < s->n; i++) w[i] = 1 / (scale[i] + rtol * fabs(value[i]));
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        const double *own = value + s->np + b->iy;
        for (int k = 0; b->iy >= 0 && k < b->nv; k++)
            v[b->iy + k] =
                1 / (rtol * (b->kind == LMB_BLOCK_STATE ? size_of(s, b, k)
                                                        : size_of(s, b, k) / s->base.span + fabs(own[k])));
        for (int k = 0; has_positions(b) && k < b->nq; k++)
            *q++ = 1 / (rtol * size_of(s, b, k < b->nv ? k : 0));
    }
    return 0;
}

// J = dF/dy + cj dF/dy'
static int jacobian(sunrealtype t, sunrealtype cj, N_Vector Y, N_Vector YP, N_Vector R, SUNMatrix J,
                    void *user, N_Vector changed, N_Vector unused, N_Vector none) {
    ida *s = user;
    double *y = N_VGetArrayPointer(Y), *yp = N_VGetArrayPointer(YP), *F = N_VGetArrayPointer(changed);
    const double *F0 = N_VGetArrayPointer(R), *scale = N_VGetArrayPointer(s->scale);
    (void)unused, (void)none;
    s->base.w->stats.matrices++;
    for (int j = 0; j < s->n; j++) {
        double y0 = y[j], yp0 = yp[j], size = fmax(fmax(fabs(y0), fabs(yp0) / cj), scale[j]);
        y[j] += copysign(sqrt(DBL_EPSILON) * size, yp0);
        double change = y[j] - y0, *column = SM_COLUMN_D(J, j);
        yp[j] += cj * change;
        int failed = residual(t, Y, YP, changed, s);
        y[j] = y0, yp[j] = yp0;
        if (failed) return failed;
        for (int i = 0; i < s->n; i++) column[i] = (F[i] - F0[i]) / change;
    }
    return 0;
}

static bool start_anew(ida *s) {
    double t = s->base.record->t0;
    bool first = IDAReInit(s->solver, t, s->y, s->yp) == IDA_NO_MALLOC;
    fill_unknowns(s);
    if (first) {
        if (IDAInit(s->solver, residual, t, s->y, s->yp) != IDA_SUCCESS ||
            IDASetUserData(s->solver, s) != IDA_SUCCESS ||
            IDASetLinearSolver(s->solver, s->linear, s->A) != IDA_SUCCESS ||
            IDASetJacFn(s->solver, jacobian) != IDA_SUCCESS)
            return false;
    } else if (IDAReInit(s->solver, t, s->y, s->yp) != IDA_SUCCESS) {
        return false;
    }
    return IDAWFtolerances(s->solver, set_weights) == IDA_SUCCESS &&
           IDASetId(s->solver, s->id) == IDA_SUCCESS && IDASetSuppressAlg(s->solver, SUNTRUE) == IDA_SUCCESS;
}

// ---- step --------------------------------------------------------------------------------------

static void accept(ida *s, double t, double t_limit) {
    lmb_integrator *b = &s->base;
    const double *y = N_VGetArrayPointer(s->y);
    double h = t - b->record->t0;
    *b->d->time = t;
    *b->d->work = y[s->n - 2], *b->d->dissipated = y[s->n - 1];
    b->record->h = h;
    lmb_integrator_accept(b, h, t_limit);
}

// one step of at most this length; *flag: what IDA says, *t: where it ends
static lmb_status try_step(ida *s, double max_step, double t_limit, double *t, int *flag) {
    lmb_integrator *b = &s->base;
    b->d->time_side = b->record->t0 + 0.5 * fmin(max_step, t_limit - b->record->t0);
    bool ok = (s->kept->fresh == 0 || start_anew(s)) && IDASetMaxStep(s->solver, max_step) == IDA_SUCCESS &&
              IDASetStopTime(s->solver, t_limit) == IDA_SUCCESS;
    *flag = ok ? IDASolve(s->solver, t_limit, t, s->y, s->yp, IDA_ONE_STEP) : IDA_MEM_FAIL;
    s->kept->fresh = 0;
    if (*flag < 0) return LMB_ERR_NUMERIC;
    lmb_status st = set_state(s, *t, N_VGetArrayPointer(s->y), N_VGetArrayPointer(s->yp));
    return st == LMB_OK ? lmb_accelerations(b->w, b->d) : st;
}

static lmb_status step(lmb_integrator *base, double t_limit, lmb_error *err) {
    enum { TRIES = 10 };
    ida *s = (ida *)base;
    double max_step = lmb_integrator_max_step(base), t = *base->d->time;
    int flag = 0;
    lmb_integrator_begin_step(base);
    max_step = lmb_integrator_limit(base, max_step, t_limit);
    lmb_status st = try_step(s, max_step, t_limit, &t, &flag);
    for (int k = 1; k < TRIES && st == LMB_ERR_NUMERIC && flag >= 0;
         k++) { // a body refuses the end of the step
        lmb_integrator_undo(base);
        s->kept->fresh = 1, max_step = 0.25 * fmin(max_step, t - base->record->t0);
        st = try_step(s, max_step, t_limit, &t, &flag);
    }
    if (st != LMB_OK) {
        lmb_integrator_undo(base);
        s->kept->fresh = 1;
        if (base->d->failed >= 0) return lmb_integrator_give_up(base, base->record->h, err);
        return lmb_fail(
            err, LMB_ERR_NUMERIC, LMB_NOWHERE,
            "integration stopped at t = %.9g s: IDA failed (%s, flag %d); inspect the motion just "
            "before (the results so far are kept), try a larger tolerance or `integrator: radau`",
            base->record->t0,
            flag == IDA_CONV_FAIL  ? "Newton's iteration does not converge"
            : flag == IDA_ERR_FAIL ? "the error stays too large"
                                   : "see its manual",
            flag);
    }
    accept(s, t, t_limit);
    return LMB_OK;
}

static void forget(lmb_integrator *base) { ((ida *)base)->kept->fresh = 1; }

const lmb_integrator_ops lmb_integrator_ida = {
    .doc = {"ida", "IDA of SUNDIALS"},
    .solves = LMB_DAE,
    .size = sizeof(ida),
    .trees = true,
    .memory = memory,
    .lay_out = lay_out,
    .create = create,
    .start = start,
    .step = step,
    .forget = forget,
    .release = release,
    .interpolates_forces = false,
};
#else
static lmb_status create(lmb_integrator *base, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_INPUT, base->settings->where,
        "limber was built without SUNDIALS, which integrator ida requires; install libsundials-dev "
        "(Fedora: sundials-devel) and build again, or use `integrator: radau`");
}

const lmb_integrator_ops lmb_integrator_ida = {
    .doc = {"ida", "IDA of SUNDIALS"},
    .solves = LMB_DAE,
    .size = sizeof(lmb_integrator),
    .create = create,
};
#endif
