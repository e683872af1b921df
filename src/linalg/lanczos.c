// linalg/lanczos.c: eigenvalues of largest nu of  OP x = nu x,  OP symmetric in the inner product of M.
//
// Lanczos with blocks, full orthogonalisation and thick restarts.  V holds m vectors, V' M V = I, and the next block Q:
//   OP V = V T + Q R E',   T = V' M OP V,   E picks the last block of V
// An eigenpair (nu, s) of T gives the vector V s with the residual |R E' s| in the norm of M.  When V is full it is
// replaced by its best vectors V S, T by their nu; Q stays, and the next step computes how it couples to them.
// A block finds most of a multiple eigenvalue at once and solves its right-hand sides together, at a third of the cost of
// single ones.  Before the end a fresh random block is added, from which missed copies of an eigenvalue emerge.
// Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, SIAM J. Matrix Anal. Appl. 22 (2000).
#include "linalg/lanczos.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BLOCK = 4,       // columns of a block, at most
    PROOF_STEPS = 3, // after the fresh block
    ROWS = 512,      // of V that are multiplied at once in a restart
};

typedef struct lanczos {
    const lmb_eigen_problem *p;
    const lmb_watch *watch;
    double tolerance;
    int n, wanted;     // wanted: number of pairs, as far as known
    int capacity;      // columns of V
    int m, last, next; // columns of V, of its last block, of Q, which is V(:, m .. m + next)
    double *V, *MV;    // n x capacity
    double *T, *S;     // capacity x capacity; S: eigenvectors of T, ascending
    double *nu;        // capacity: of T, ascending
    double *residual;  // capacity
    double *scratch;   // the larger of capacity^2 and ROWS x capacity
    double *H;         // capacity x BLOCK
    double R[BLOCK * BLOCK], scale;
    uint64_t seed;
    long solves;
} lanczos;

static double *column(double *V, const lanczos *l, int j) { return V + (size_t)l->n * (size_t)j; }

static void lanczos_free(lanczos *l) {
    lmb_free(l->V);
    lmb_free(l->MV);
    lmb_free(l->T);
    lmb_free(l->S);
    lmb_free(l->nu);
    lmb_free(l->residual);
    lmb_free(l->scratch);
    lmb_free(l->H);
}

static bool grow(double **x, size_t old, size_t count) {
    double *bigger = lmb_realloc(*x, count, sizeof *bigger);
    if (bigger == NULL) return false;
    memset(bigger + old, 0, (count - old) * sizeof *bigger);
    *x = bigger;
    return true;
}

// allocates V with twice as many columns as wanted pairs, which converges in one or two restarts
static lmb_status reserve(lanczos *l, int wanted, lmb_error *err) {
    int old = l->capacity, full = l->p->free + 4 * BLOCK;
    int capacity = 2 * wanted + 12 * BLOCK;
    capacity = capacity < full ? capacity : full;
    l->wanted = wanted;
    if (capacity <= old) return LMB_OK;
    size_t n = (size_t)l->n, c = (size_t)capacity, o = (size_t)old;
    size_t room = c > ROWS ? c : ROWS, before = o == 0 ? 0 : o > ROWS ? o : ROWS;
    double *T = lmb_alloc(c * c, sizeof *T);
    if (T == NULL) return lmb_fail_memory(err);
    for (size_t i = 0; i < o; i++) memcpy(T + i * c, l->T + i * o, o * sizeof *T);
    lmb_free(l->T);
    l->T = T;
    l->capacity = capacity;
    bool ok = grow(&l->V, n * o, n * c) && grow(&l->MV, n * o, n * c) && grow(&l->S, o * o, c * c) &&
              grow(&l->nu, o, c) && grow(&l->residual, o, c) && grow(&l->scratch, before * o, room * c) &&
              grow(&l->H, o * BLOCK, c * BLOCK);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- orthogonal vectors ------------------------------------------------------------------------

// W = V(:, at .. at + w), h = V(:, 0 .. at)' M W,  W -= V h
static void project_out(lanczos *l, double *h, int at, int w) {
    if (at == 0) return;
    lmb_gram(h, 1, l->MV, column(l->V, l, at), 0, l->n, at, w);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, l->n, w, at, -1, l->V, l->n, h, w, 1,
                column(l->V, l, at), l->n);
}

// Gram-Schmidt inside the block: W = W_new R (R kept x w, row-major with w columns); a column shorter than `least` is
// left out.  Returns how many are kept.
static int orthonormalise_inside(lanczos *l, double *R, int at, int w, double least) {
    int kept = 0;
    memset(R, 0, (size_t)w * (size_t)w * sizeof *R);
    for (int c = 0; c < w; c++) {
        double *x = column(l->V, l, at + c), *Mx = column(l->MV, l, at + c);
        for (int d = 0; d < kept; d++) {
            // x -= v_d (v_d' M x)
            const double *v = column(l->V, l, at + d), *Mv = column(l->MV, l, at + d);
            double r = lmb_dot(Mv, x, l->n);
            lmb_axpy(x, -r, v, l->n);
            lmb_axpy(Mx, -r, Mv, l->n);
            R[d * w + c] += r;
        }
        double square = lmb_dot(x, Mx, l->n), norm = square > 0 ? sqrt(square) : 0;
        if (!(norm > least)) continue;
        double *v = column(l->V, l, at + kept), *Mv = column(l->MV, l, at + kept);
        for (int i = 0; i < l->n; i++) v[i] = x[i] / norm, Mv[i] = Mx[i] / norm;
        R[kept++ * w + c] = norm;
    }
    return kept;
}

// W = V(:, at .. at + w) becomes orthonormal to the columns before it:  W = V H + W_new R.  Two rounds with fresh products
// M W; a column of round-off does not keep its length in the second.  Returns the columns kept.
static int orthonormalise(lanczos *l, int at, int w) {
    double R1[BLOCK * BLOCK], R2[BLOCK * BLOCK], *h = l->scratch;
    memset(l->H, 0, (size_t)at * (size_t)w * sizeof *l->H);
    project_out(l, l->H, at, w);
    lmb_symmetric_mul(column(l->MV, l, at), l->p->lower, l->p->M, column(l->V, l, at), w);
    int kept = orthonormalise_inside(l, R1, at, w, 1e-14 * l->scale);

    project_out(l, h, at, kept);
    lmb_symmetric_mul(column(l->MV, l, at), l->p->lower, l->p->M, column(l->V, l, at), kept);
    int final = orthonormalise_inside(l, R2, at, kept, 0.5);

    // H += h R1,  R = R2 R1
    for (int i = 0; i < at; i++)
        for (int c = 0; c < w; c++)
            for (int k = 0; k < kept; k++) l->H[i * w + c] += h[i * kept + k] * R1[k * w + c];
    memset(l->R, 0, sizeof l->R);
    for (int i = 0; i < final; i++)
        for (int c = 0; c < w; c++)
            for (int k = 0; k < kept; k++) l->R[i * w + c] += R2[i * kept + k] * R1[k * w + c];
    return final;
}

static double random_number(uint64_t *seed) {
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / (double)(1ull << 53) - 0.5;
}

static double largest_norm(lanczos *l, int at, int w) {
    double most = 0;
    for (int c = 0; c < w; c++)
        most = fmax(most, lmb_dot(column(l->V, l, at + c), column(l->MV, l, at + c), l->n));
    return sqrt(most);
}

// BLOCK fresh vectors OP r in place of Q
static lmb_status inject(lanczos *l, lmb_error *err) {
    int at = l->m;
    for (int c = 0; c < BLOCK; c++) {
        double *r = column(l->MV, l, at + c);
        for (int i = 0; i < l->n; i++) r[i] = random_number(&l->seed);
    }
    lmb_symmetric_mul(column(l->V, l, at), l->p->lower, l->p->M, column(l->MV, l, at), BLOCK);
    lmb_status status = l->p->apply(l->p->user, column(l->V, l, at), BLOCK, err);
    if (status != LMB_OK) return status;
    l->solves += BLOCK;
    double scale = l->scale;
    lmb_symmetric_mul(column(l->MV, l, at), l->p->lower, l->p->M, column(l->V, l, at), BLOCK);
    l->scale = largest_norm(l, at, BLOCK); // not of OP: the random numbers have some length
    l->next = orthonormalise(l, at, BLOCK);
    l->scale = scale;
    return LMB_OK;
}

// ---- iteration ---------------------------------------------------------------------------------

// Q joins V, OP Q gives the next Q
static lmb_status step(lanczos *l, lmb_error *err) {
    int w = l->next, from = l->m, at = from + w;
    double *W = column(l->V, l, at);
    memcpy(W, column(l->MV, l, from), (size_t)l->n * (size_t)w * sizeof *W);
    lmb_status status = l->p->apply(l->p->user, W, w, err);
    if (status != LMB_OK) return status;
    l->solves += w;
    l->next = orthonormalise(l, at, w);
    l->last = w;
    l->m = at;
    // T(:, last block) = H
    for (int i = 0; i < at; i++)
        for (int c = 0; c < w; c++)
            l->T[i * l->capacity + from + c] = l->T[(from + c) * l->capacity + i] = l->H[i * w + c];
    // the last block with itself: symmetric
    for (int i = from; i < at; i++)
        for (int j = from; j < i; j++) {
            double mean = 0.5 * (l->H[i * w + j - from] + l->H[j * w + i - from]);
            l->T[i * l->capacity + j] = l->T[j * l->capacity + i] = mean;
        }
    return LMB_OK;
}

// eigenpairs of T, and |R E' s|
static lmb_status ritz(lanczos *l, lmb_error *err) {
    int m = l->m, w = l->last;
    for (int i = 0; i < m; i++)
        memcpy(l->scratch + (size_t)i * (size_t)m, l->T + (size_t)i * (size_t)l->capacity,
               (size_t)m * sizeof *l->T);
    lmb_status status = lmb_dense_eigen(l->nu, l->S, l->scratch, NULL, m, err);
    if (status != LMB_OK) return status;
    l->scale = fmax(l->scale, l->nu[m - 1]);
    for (int k = 0; k < m; k++) {
        double square = 0;
        for (int i = 0; i < l->next; i++) {
            double r = 0;
            for (int c = 0; c < w; c++)
                r += l->R[i * w + c] * l->S[(size_t)(m - w + c) * (size_t)m + (size_t)k];
            square += r * r;
        }
        l->residual[k] = sqrt(square);
    }
    return LMB_OK;
}

// how many of the largest have converged, without a gap
static int converged(const lanczos *l) {
    int count = 0;
    for (int k = l->m - 1; k >= 0 && l->residual[k] <= l->tolerance * l->nu[k]; k--) count++;
    return count;
}

// X = X S for the `keep` last columns of S (m x m), by groups of rows; in place
static void rotate(lanczos *l, double *X, int keep) {
    int m = l->m;
    for (int i = 0; i < l->n; i += ROWS) {
        int rows = l->n - i < ROWS ? l->n - i : ROWS;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, rows, keep, m, 1, X + i, l->n, l->S + (m - keep),
                    m, 0, l->scratch, ROWS);
        for (int k = 0; k < keep; k++)
            memcpy(column(X, l, k) + i, l->scratch + (size_t)k * ROWS, (size_t)rows * sizeof *X);
    }
}

static void restart(lanczos *l, int keep) {
    size_t bytes = (size_t)l->n * (size_t)l->next * sizeof *l->V;
    rotate(l, l->V, keep);
    rotate(l, l->MV, keep);
    memmove(column(l->V, l, keep), column(l->V, l, l->m), bytes);
    memmove(column(l->MV, l, keep), column(l->MV, l, l->m), bytes);
    memset(l->T, 0, (size_t)l->capacity * (size_t)l->capacity * sizeof *l->T);
    memset(l->S, 0, (size_t)keep * (size_t)keep * sizeof *l->S);
    for (int k = 0; k < keep; k++) {
        l->T[k * l->capacity + k] = l->nu[k] = l->nu[l->m - keep + k];
        l->residual[k] = l->residual[l->m - keep + k];
        l->S[k * keep + k] = 1;
    }
    l->m = keep;
}

// a step needs room for Q, OP Q and perhaps a fresh block
static void make_room(lanczos *l) {
    if (l->m + 3 * BLOCK <= l->capacity) return;
    int most = l->capacity - 4 * BLOCK, keep = (l->wanted + most) / 2;
    restart(l, keep < most ? keep : most);
}

// with a limit on mu: are more pairs needed than `wanted`?
static bool short_of_limit(const lanczos *l, const lmb_eigen_wanted *w) {
    if (w->limit <= 0 || l->wanted >= w->count || l->wanted > l->m) return false;
    return l->p->sigma + 1 / l->nu[l->m - l->wanted] <= w->limit;
}

static int enlarged(const lanczos *l, const lmb_eigen_wanted *w) {
    int more = l->wanted + l->wanted / 2 + BLOCK;
    return more < w->count ? more : w->count;
}

static lmb_status given_up(const lanczos *l, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_NUMERIC, LMB_NOWHERE,
        "only %d of %d eigenvalues converged after %ld solves; request fewer, or check for a nearly "
        "disconnected region",
        converged(l), l->wanted, l->solves);
}

static lmb_status iterate(lanczos *l, const lmb_eigen_wanted *wanted, lmb_error *err) {
    lmb_status status = inject(l, err);
    int proof = -1; // steps since the fresh block, -1: not yet
    while (status == LMB_OK && l->next > 0) {
        make_room(l);
        status = step(l, err);
        if (status == LMB_OK) status = ritz(l, err);
        if (status != LMB_OK) return status;
        if (proof >= 0) proof++;
        int done = converged(l);
        if (!lmb_watch_tell(l->watch, fmin(1, (double)done / l->wanted), "eigenvalues: %d of %d, %ld solves",
                            done, l->wanted, l->solves))
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
        if (l->solves > 1000 + 60L * l->wanted) return given_up(l, err);

        if (done < l->wanted) {
            // the space is closed under OP: is there another?
            if (l->next == 0) status = inject(l, err);
        } else if (short_of_limit(l, wanted)) {
            status = reserve(l, enlarged(l, wanted), err);
            if (status == LMB_OK && l->next == 0) status = inject(l, err);
            proof = -1;
        } else if (proof >= PROOF_STEPS || (proof >= 0 && l->next == 0)) {
            break;
        } else if (proof < 0) {
            // only converged vectors are kept: without Q the others would not improve
            restart(l, done);
            status = inject(l, err);
            proof = 0;
        }
    }
    return status;
}

// the best pairs of V, largest first
static lmb_status extract(lmb_eigen *out, lanczos *l, lmb_error *err) {
    int count = l->wanted < l->m ? l->wanted : l->m;
    while (count > 0 && !(l->nu[l->m - count] > 1e-13 * l->scale)) count--;
    out->solves = l->solves;
    out->count = count;
    if (count == 0) return LMB_OK;
    out->values = lmb_alloc((size_t)count, sizeof *out->values);
    out->vectors = lmb_alloc((size_t)l->n * (size_t)count, sizeof *out->vectors);
    if (out->values == NULL || out->vectors == NULL) return lmb_fail_memory(err);
    rotate(l, l->V, count);
    for (int k = 0; k < count; k++) {
        out->values[k] = l->nu[l->m - 1 - k];
        memcpy(column(out->vectors, l, k), column(l->V, l, count - 1 - k), (size_t)l->n * sizeof *l->V);
    }
    return LMB_OK;
}

lmb_status lmb_lanczos(lmb_eigen *out, const lmb_eigen_problem *p, const lmb_eigen_wanted *wanted,
                       const lmb_watch *watch, lmb_error *err) {
    lanczos l = {.p = p, .watch = watch, .tolerance = wanted->tolerance, .n = p->n, .seed = 20240229};
    int first = wanted->limit > 0 && wanted->count > 10 ? 10 : wanted->count;
    lmb_status status = reserve(&l, first, err);
    if (status == LMB_OK) status = iterate(&l, wanted, err);
    if (status == LMB_OK) status = extract(out, &l, err);
    lanczos_free(&l);
    return status;
}
