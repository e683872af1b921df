// reduce/second_order.c: the second-order displacement of a part in few fields.
//
//   u = V q + 1/2 sum_ij Theta_ij q_i q_j = V q + sum_r Psi_r z_r,   z_r = 1/2 q.C_r q       docs/theory/reduction.md (14)
//
// With static amplitudes a_i, q_i = a_i p_i, and orthonormal symmetric matrices E_r,  p p' ~ sum E_r (p.E_r p):
//   Psi_r = sum_ij G_r,ij Theta_ij,   G_r = 1/2 a E_r a,   C_r = 2 a^-1 E_r a^-1
// A load f sees f.Theta_ij = -Kg(f)_ij, so span(E) holds a Kg a of all reference loads: their work, hence the motion of the
// interfaces and the moments of inertia, stays exact.  The other E are those that random loads see, until the fields left out
// are below TOLERANCE in the mass (N. Halko, P. G. Martinsson, J. A. Tropp, 2011).
#include "reduce/local.h"

#include <string.h>

#define TOLERANCE 1e-2
#define SPREAD 300.0 // of the amplitudes: less than this is left to round-off
#define LEAST 1e-12  // of a matrix that is independent of the others

enum { MOST = 96 }; // fields of random loads

typedef struct fields {
    const lmb_reducer *d;
    lmb_flex *f;
    int m, count, room;
    int exact;   // those of reference loads come first
    double *a;   // m
    double *E;   // room x m x m
    double *Psi; // n x count
    double *w;   // n: weights of the displacements
    const lmb_random_loads *first;
    double unknown; // share that the loads have not shown yet, an estimate
    double dropped; // share of what is left out, that included
} fields;

// ---- weights -----------------------------------------------------------------------------------

// q_i under the modal force of a unit acceleration, at least 1/SPREAD of the largest
void lmb_flex_amplitudes(double *a, const lmb_flex *f) {
    double most = 0;
    for (int i = 0; i < f->m; i++) {
        size_t at = (size_t)i * (f->m + 1);
        a[i] = f->K[at] > 0 ? sqrt(fmax(f->I6[at], 0)) / f->K[at] : 0;
        most = fmax(most, a[i]);
    }
    for (int i = 0; i < f->m; i++) a[i] = most > 0 ? fmax(a[i], most / SPREAD) : 1;
}

// masses of the nodes; a rotation counts as its displacement at half the length of the part
static void set_weights(double *w, const lmb_fe *fe) {
    double length = 0;
    for (int i = 0; i < fe->node_count; i++)
        if (fe->dofs[i]) length = fmax(length, v3_norm(v3_sub(fe->x[i], fe->x[0])));
    for (int i = 0; i < fe->node_count; i++) {
        double mass = 0;
        for (int row = fe->first[i]; row < fe->first[i] + fe->dofs[i]; row++)
            if (lmb_fe_motion(fe, row) < 3) mass += (w[row] = fe->M[fe->lower.start[row]]) / 3;
            else w[row] = mass * length * length / 4;
    }
}

// splitmix64
static double random_sign(uint64_t *seed) {
    uint64_t x = *seed += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) & 1 ? 1 : -1;
}

// ---- directions --------------------------------------------------------------------------------

// a K a into the next place; its norm
static double scaled(fields *s, const double *K) {
    double *E = s->E + (size_t)s->count * s->m * s->m;
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->m; j++) E[i * s->m + j] = s->a[i] * K[i * s->m + j] * s->a[j];
    return lmb_norm(E, s->m * s->m);
}

static void remove_known(const fields *s, double *E) {
    int mm = s->m * s->m;
    for (int twice = 0; twice < 2; twice++)
        for (int r = 0; r < s->count; r++)
            lmb_axpy(E, -lmb_dot(s->E + (size_t)r * mm, E, mm), s->E + (size_t)r * mm, mm);
}

// the matrix in the next place becomes a direction if a part of it is independent of the others
static void keep_direction(fields *s) {
    int mm = s->m * s->m;
    double *E = s->E + (size_t)s->count * mm, size = lmb_norm(E, mm);
    if (!(size > 0) || s->count == s->room) return;
    lmb_scale(E, 1 / size, mm);
    remove_known(s, E);
    size = lmb_norm(E, mm);
    if (size < LEAST) return;
    lmb_scale(E, 1 / size, mm);
    s->count++;
}

// loads of one kind and unit
static bool is_like(const lmb_flex_stiffening *a, const lmb_flex_stiffening *b) {
    return a->load == b->load && (a->load != LMB_LOAD_INTERFACE || a->index / 3 == b->index / 3);
}

// what is round-off against loads of the same kind has no direction
static void add_reference_loads(fields *s) {
    const lmb_flex *f = s->f;
    for (int k = 0; k < f->stiffening_count; k++) {
        double most = 0, size = scaled(s, f->stiffening[k].Kg);
        for (int l = 0; l < f->stiffening_count; l++)
            if (is_like(&f->stiffening[k], &f->stiffening[l]))
                most = fmax(most, scaled(s, f->stiffening[l].Kg));
        if (size > 1e-12 * most) scaled(s, f->stiffening[k].Kg), keep_direction(s);
    }
    s->exact = s->count;
}

// directions in which nodes are loaded: 3, or 6 if most of them have rotations
static int directions_of(const lmb_fe *fe) {
    int six = 0;
    for (int i = 0; i < fe->node_count; i++) six += (fe->own[i] >> 3 != 0) - (fe->own[i] == 7);
    return six > 0 ? 6 : 3;
}

int lmb_reducer_random_count(const lmb_reducer *d) { return 4 * directions_of(d->fe); }

// f = sqrt(w) (+-1): E f f' = w, so what these loads see most are the largest fields.  Each is along or about one axis: a plane
// beam then has fields that stay in its plane and others that leave it, none that does both.
lmb_status lmb_reducer_random_loads(double *U, uint64_t *seed, const lmb_reducer *d, lmb_error *err) {
    const lmb_fe *fe = d->fe;
    int n = fe->n, directions = directions_of(fe), count = lmb_reducer_random_count(d);
    double *w = lmb_alloc((size_t)n + 1, sizeof *w);
    if (w == NULL) return lmb_fail_memory(err);
    set_weights(w, fe);
    memset(U, 0, (size_t)count * (size_t)n * sizeof *U);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < fe->node_count; i++) {
            int row = lmb_fe_equation(fe, i, k % directions);
            if (row >= 0) U[(size_t)k * n + row] = sqrt(w[row]) * random_sign(seed);
        }
    lmb_free(w);
    return lmb_support_solve(U, d->framed, NULL, count, err);
}

// What the last loads saw, squares: in all, and what each saw that none of the others did: an estimate of what is unknown still.
typedef struct judgement {
    double seen, unknown;
} judgement;

// R_k = a Kg_k a without the directions known
static double residuals(double *R, fields *s, const double *Kg, int count) {
    int mm = s->m * s->m;
    double seen = 0;
    for (int k = 0; k < count; k++, R += mm) {
        for (int i = 0; i < mm; i++) R[i] = s->a[i / s->m] * Kg[(size_t)k * mm + i] * s->a[i % s->m];
        seen += lmb_dot(R, R, mm);
        remove_known(s, R);
    }
    return seen;
}

// The leading directions of loads: eigenvectors of R R' = Q size Q' until half the tolerance is left.  What load k saw alone is
// the distance of R_k from the others, 1 / (R R')^-1_kk.
static lmb_status add_directions(judgement *j, fields *s, const double *Kg, lmb_error *err) {
    int count = lmb_reducer_random_count(s->d), mm = s->m * s->m;
    size_t c = (size_t)count;
    double *R = lmb_alloc(c * (size_t)mm + 2 * c * c + c, sizeof *R);
    if (R == NULL) return lmb_fail_memory(err);
    double *A = R + c * (size_t)mm, *Q = A + c * c, *size = Q + c * c, tail = 0;
    *j = (judgement){.seen = residuals(R, s, Kg, count)};
    lmb_gram(A, 1, R, R, 0, mm, count, count);
    lmb_status st = lmb_dense_eigen(size, Q, A, NULL, count, err);
    double least = LEAST * LEAST * j->seen, enough = 0.25 * TOLERANCE * TOLERANCE * j->seen;
    for (int k = 0; k < count && st == LMB_OK; k++) {
        double inverse = 0;
        for (int i = 0; i < count; i++) inverse += Q[k * count + i] * Q[k * count + i] / fmax(size[i], least);
        j->unknown += 1 / inverse;
    }
    int first = 0;
    while (st == LMB_OK && first < count && (size[first] <= least || tail + size[first] <= enough))
        tail += fmax(size[first++], 0);
    for (int i = count - 1; i >= first && s->count < s->room && st == LMB_OK; i--) {
        double *E = s->E + (size_t)s->count * mm;
        memset(E, 0, (size_t)mm * sizeof *E);
        for (int k = 0; k < count; k++) lmb_axpy(E, Q[k * count + i], R + (size_t)k * mm, mm);
        keep_direction(s);
    }
    lmb_free(R);
    return st;
}

static lmb_status add_random_loads(judgement *j, fields *s, uint64_t *seed, lmb_error *err) {
    size_t n = (size_t)s->d->fe->n, mm = (size_t)(s->m * s->m);
    int count = lmb_reducer_random_count(s->d);
    double *U = lmb_alloc((size_t)count * n, sizeof *U), *Kg = lmb_alloc((size_t)count * mm, sizeof *Kg);
    lmb_status st = U && Kg ? lmb_reducer_random_loads(U, seed, s->d, err) : lmb_fail_memory(err);
    const lmb_fe_loads loads = {count, U, NULL};
    if (st == LMB_OK) st = lmb_fe_geometric(Kg, s->d->fe, &loads, s->d->shapes.V, s->m, &s->d->r->watch, err);
    if (st == LMB_OK) st = add_directions(j, s, Kg, err);
    lmb_free(U), lmb_free(Kg);
    return st;
}

// ---- fields ------------------------------------------------------------------------------------

// G_r = 1/2 a E_r a
static double *combinations(const fields *s) {
    int mm = s->m * s->m;
    double *G = lmb_alloc((size_t)s->count * mm + 1, sizeof *G);
    for (int k = 0; k < s->count * mm && G; k++) G[k] = 0.5 * s->a[k % mm / s->m] * s->E[k] * s->a[k % s->m];
    return G;
}

// Psi_r = -K^-1 (load of G_r)
static lmb_status solve(fields *s, lmb_error *err) {
    const lmb_fe *fe = s->d->fe;
    const double *V = s->d->shapes.V;
    double *G = combinations(s);
    lmb_fe_arcs arcs = {0};
    s->Psi = lmb_alloc((size_t)s->count * (size_t)fe->n + 1, sizeof *s->Psi);
    lmb_status st =
        G && s->Psi ? lmb_fe_arcs_make(&arcs, fe, V, s->m, G, s->count, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_fe_second_order(s->Psi, fe, V, s->m, G, &arcs, err);
    if (st == LMB_OK) st = lmb_support_solve(s->Psi, s->d->framed, NULL, s->count, err);
    if (st == LMB_OK) lmb_scale(s->Psi, -1, s->count * fe->n);
    lmb_fe_arcs_free(&arcs), lmb_free(G);
    return st;
}

static double weighed(const fields *s, int r, int k) {
    int n = s->d->fe->n;
    const double *a = s->Psi + (size_t)r * n, *b = s->Psi + (size_t)k * n;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += s->w[i] * a[i] * b[i];
    return sum;
}

// rows `from`.. of X (count x size) become Q' X, Q: columns of eigenvectors, the last one first
static bool rotate(double *X, size_t size, const double *Q, int count) {
    double *new = lmb_alloc((size_t)count * size + 1, sizeof *new);
    for (int k = 0; k < count && new; k++)
        for (int i = 0; i < count; i++) {
            double q = Q[i * count + count - 1 - k];
            for (size_t j = 0; j < size; j++) new[(size_t)k * size + j] += q *X[(size_t)i * size + j];
        }
    if (new) memcpy(X, new, (size_t)count * size * sizeof *X);
    lmb_free(new);
    return new != NULL;
}

// The fields of random loads, largest first; how many of them are needed.
static lmb_status order(int *needed, fields *s, lmb_error *err) {
    int count = s->count - s->exact, n = s->d->fe->n;
    double *A = lmb_alloc(2 * (size_t)count * count + (size_t)count + 1, sizeof *A);
    if (A == NULL) return lmb_fail_memory(err);
    double *Q = A + count * count, *size = Q + count * count, total = 0, tail = 0;
    for (int r = 0; r < s->exact; r++) total += weighed(s, r, r);
    for (int r = 0; r < count; r++)
        for (int k = 0; k <= r; k++)
            A[r * count + k] = A[k * count + r] = weighed(s, s->exact + r, s->exact + k);
    for (int r = 0; r < count; r++) total += A[r * count + r];
    lmb_status st = count > 0 ? lmb_dense_eigen(size, Q, A, NULL, count, err) : LMB_OK;
    *needed = count;
    for (int k = 0; k < count && st == LMB_OK; k++, --*needed) {
        if (tail + fmax(size[k], 0) > TOLERANCE * TOLERANCE * total) break;
        tail += fmax(size[k], 0);
    }
    bool ok = st == LMB_OK && rotate(s->E + (size_t)s->exact * s->m * s->m, (size_t)s->m * s->m, Q, count) &&
              rotate(s->Psi + (size_t)s->exact * n, (size_t)n, Q, count);
    s->dropped = total > 0 ? hypot(sqrt(tail / total), s->unknown) : 0;
    lmb_free(A);
    return st == LMB_OK && !ok ? lmb_fail_memory(err) : st;
}

static lmb_status make(fields *s, lmb_error *err) {
    int needed = 0;
    uint64_t seed = s->first->seed;
    judgement j;
    add_reference_loads(s);
    lmb_status st = add_directions(&j, s, s->first->Kg, err);
    while (st == LMB_OK && s->count < s->room && j.unknown > 4 * TOLERANCE * TOLERANCE * j.seen) {
        int before = s->count;
        st = add_random_loads(&j, s, &seed, err);
        if (s->count == before) break;
    }
    if (s->count < s->m * (s->m + 1) / 2 && j.seen > 0)
        s->unknown = sqrt(j.unknown / j.seen); // else none is missing
    if (st == LMB_OK) st = solve(s, err);
    if (st == LMB_OK) st = order(&needed, s, err);
    s->count = s->exact + needed;
    return st;
}

// ---- the result --------------------------------------------------------------------------------

// displacement and rotation of all nodes; those of rigid sets move on circles, too
static void set_nodes(fields *s, const lmb_fe_arcs *arcs) {
    const lmb_fe *fe = s->d->fe;
    lmb_flex *f = s->f;
    lmb_node_rows rows;
    for (int i = 0; i < fe->node_count; i++) {
        int master = fe->reference[i];
        lmb_fe_node_rows(&rows, fe, i);
        for (int r = 0; r < s->count; r++) {
            const double *Psi = s->Psi + (size_t)r * fe->n;
            vec3 c = V3_ZERO;
            if (master >= 0)
                c = m3_mul_v3(&arcs->arc[arcs->place[master] * s->count + r],
                              v3_sub(fe->x[i], fe->x[master]));
            for (int k = 0; k < 3; k++) {
                size_t at = ((size_t)i * 3 + (size_t)k) * (size_t)s->count + (size_t)r;
                f->second_S[at] = lmb_node_value(&rows, k, Psi) + v3_get(c, k);
                if (f->second_P) f->second_P[at] = lmb_node_value(&rows, 3 + k, Psi);
            }
        }
    }
}

// a marker of nodes: of what these do, circles included
static lmb_status set_average(fields *s, int marker, lmb_error *err) {
    const lmb_marker_site *site = &s->d->r->sites[marker];
    const lmb_flex_marker *to = &s->f->markers[marker];
    lmb_site_average a;
    lmb_status st = lmb_site_average_make(&a, s->d->fe, site, err);
    for (int r = 0; r < s->count && st == LMB_OK; r++) {
        vec3 u = lmb_site_average_move(&a, site, s->f->second_S + r, s->count);
        vec3 th = lmb_site_average_turn(&a, s->d->fe, site, s->f->second_S + r, s->count);
        for (int k = 0; k < 3; k++)
            to->S2[k * s->count + r] = v3_get(u, k), to->P2[k * s->count + r] = v3_get(th, k);
    }
    return st;
}

// Interfaces move as their rows say: the dual of their loads.
static lmb_status set_markers(fields *s, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < s->f->marker_count && st == LMB_OK; i++) {
        const lmb_marker_site *site = &s->d->r->sites[i];
        if (!site->interface && lmb_site_is_average(site)) st = set_average(s, i, err);
        else
            for (int k = 0; k < 6; k++)
                for (int r = 0; r < s->count; r++)
                    (k < 3 ? s->f->markers[i].S2 : s->f->markers[i].P2)[k % 3 * s->count + r] =
                        lmb_rows_dot(&s->d->rows[i], k, s->Psi + (size_t)r * s->d->fe->n);
    }
    return st;
}

// z_r is the largest displacement of its field
static void normalise(fields *s) {
    lmb_flex *f = s->f;
    int mm = s->m * s->m;
    for (int r = 0; r < s->count; r++) {
        double most = 0;
        for (int i = 0; i < 3 * f->node_count; i++)
            most = fmax(most, fabs(f->second_S[(size_t)i * s->count + r]));
        double unit = most > 0 ? exp2(-round(log2(most))) : 1, *C = f->second_C + (size_t)r * mm;
        const double *E = s->E + (size_t)r * mm; // its symmetric part acts
        for (int i = 0; i < s->m; i++)
            for (int j = 0; j < s->m; j++)
                C[i * s->m + j] = (E[i * s->m + j] + E[j * s->m + i]) / (unit * s->a[i] * s->a[j]);
        for (int i = 0; i < 3 * f->node_count; i++) {
            f->second_S[(size_t)i * s->count + r] *= unit;
            if (f->second_P) f->second_P[(size_t)i * s->count + r] *= unit;
        }
        for (int i = 0; i < 3 * f->marker_count; i++) {
            f->markers[i / 3].S2[i % 3 * s->count + r] *= unit;
            f->markers[i / 3].P2[i % 3 * s->count + r] *= unit;
        }
    }
}

static lmb_status keep(fields *s, lmb_error *err) {
    lmb_flex *f = s->f;
    size_t count = (size_t)s->count, nodes = 3 * (size_t)f->node_count * count;
    f->second_C = lmb_arena_get(f->arena, count * (size_t)(s->m * s->m) + 1, sizeof(double));
    f->second_S = lmb_arena_get(f->arena, nodes + 1, sizeof(double));
    if (f->node_P) f->second_P = lmb_arena_get(f->arena, nodes + 1, sizeof(double));
    bool ok = f->second_C && f->second_S && (f->second_P || !f->node_P);
    for (int i = 0; i < f->marker_count && ok; i++) {
        f->markers[i].S2 = lmb_arena_get(f->arena, 3 * count + 1, sizeof(double));
        f->markers[i].P2 = lmb_arena_get(f->arena, 3 * count + 1, sizeof(double));
        ok = f->markers[i].S2 && f->markers[i].P2;
    }
    double *G = combinations(s);
    lmb_fe_arcs arcs = {0};
    lmb_status st = G && ok ? lmb_fe_arcs_make(&arcs, s->d->fe, s->d->shapes.V, s->m, G, s->count, err)
                            : lmb_fail_memory(err);
    if (st == LMB_OK) set_nodes(s, &arcs), st = set_markers(s, err);
    if (st == LMB_OK) normalise(s), f->second_count = s->count;
    lmb_fe_arcs_free(&arcs), lmb_free(G);
    return st;
}

lmb_status lmb_reducer_second_order(lmb_flex *f, double *dropped, const lmb_reducer *d,
                                    const lmb_random_loads *first, lmb_error *err) {
    int m = f->m, n = d->fe->n, pairs = m * (m + 1) / 2, room = f->stiffening_count + MOST;
    if (m == 0) return LMB_OK;
    fields s = {.d = d, .f = f, .m = m, .first = first, .room = room < pairs ? room : pairs};
    s.a = lmb_alloc((size_t)m, sizeof *s.a), s.w = lmb_alloc((size_t)n, sizeof *s.w);
    s.E = lmb_alloc(((size_t)s.room + 1) * (size_t)(m * m), sizeof *s.E);
    lmb_status st = s.a && s.w && s.E ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) lmb_flex_amplitudes(s.a, f), set_weights(s.w, d->fe), st = make(&s, err);
    if (st == LMB_OK) st = keep(&s, err);
    *dropped = s.dropped;
    lmb_free(s.a), lmb_free(s.w), lmb_free(s.E), lmb_free(s.Psi);
    return st;
}
