// system/tangent.c: the iteration matrix in one pass over the elements.
//
// Bodies give M, D = dr/dv, K = dr/dq directly.  For a force with wrench W(x, x', inputs) on markers a, b and the
// multipliers' wrench w = sum lambda c g the chain rule through the markers is written here once:
//
//     -f = -J' W:    K = -J' (W_x J + W_x' d(J v)/dq) - d(J' W)/dq       D = -J' W_x' J       docs/theory/system.md (5)
//     G' lambda:     K = J' (sum lambda c H) J + d(J' w)/dq
//     rows:          G = c g J            d(G v)/dq = c (x' H J + g d(J v)/dq)
#include "system/crew.h"
#include "system/tree.h"

typedef struct pass { // one assembly
    const lmb_combination *out;
    int count;
    const lmb_model *m;
    lmb_data *d;
    const mat3 *T;
    bool want_m, want_d, want_k, want_h, want_e, want_u,
        want_f;  // whether any combination uses M, D, K, d(G v)/dq, E, U, F
    bool moving; // followers move, and their derivatives are known
    bool link;   // with a tree: K is that of a link
    // scratch, lmb_scratch_part each: max_n or 12 rows, max_n or LMB_MAX_INPUTS columns
    double *Mb, *Db, *Kb, *Tb, *Ub;
} pass;

static void set_scratch(pass *p, double *s) {
    int size = lmb_scratch_part(p->m);
    p->Mb = s, p->Db = s + size, p->Kb = s + 2 * size, p->Tb = s + 3 * size, p->Ub = s + 4 * size;
}

// ---- into the matrix ---------------------------------------------------------------------------

// the columns of rotation blocks in a rows x b->ny matrix: B <- B T
static void turn_columns(const pass *p, double *B, int rows, const lmb_body *b) {
    if (p->T == NULL) return;
    const lmb_model *m = p->m;
    for (int k = 0; k < b->ny; k++) {
        int block = m->y_block[b->y[k]];
        if (m->blocks[block].kind != LMB_BLOCK_ROT || b->y[k] != m->blocks[block].iy) continue;
        for (int i = 0; i < rows; i++) {
            double *x = B + i * b->ny + k;
            v3_store(x, m3_tmul_v3(&p->T[block], v3_load(x))); // row (x T) = (T' x')'
        }
    }
}

// B (rows x b->n) A -> out (rows x b->ny); out may not be B unless the map is the identity
static const double *map_columns(const pass *p, double *out, const double *B, int rows, const lmb_body *b) {
    if (b->map < 0) return B;
    const double *A = p->d->pool + b->map;
    memset(out, 0, (size_t)(rows * b->ny) * sizeof *out);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < b->n; k++) {
            double x = B[i * b->n + k];
            if (b->own[k] >= 0) out[i * b->ny + b->own[k]] += x;
            else if (x != 0) lmb_axpy(out + i * b->ny, x, A + k * b->ny, b->ny);
        }
    return out;
}

// A' B (b->ny x columns) -> out; B itself if the map is the identity
static const double *map_rows(const pass *p, double *out, const double *B, int columns, const lmb_body *b) {
    if (b->map < 0) return B;
    const double *A = p->d->pool + b->map;
    memset(out, 0, (size_t)(b->ny * columns) * sizeof *out);
    for (int i = 0; i < b->n; i++) {
        if (b->own[i] >= 0) lmb_axpy(out + b->own[i] * columns, 1, B + i * columns, columns);
        for (int r = 0; b->own[i] < 0 && r < b->ny; r++)
            if (A[i * b->ny + r] != 0)
                lmb_axpy(out + r * columns, A[i * b->ny + r], B + i * columns, columns);
    }
    return out;
}

// values[place] += s X for the ny x ny block of a pair
static void add_values(const pass *p, const lmb_pair *pair, const double *X, size_t coefficient) {
    int size = p->m->bodies[pair->row_body].ny * p->m->bodies[pair->col_body].ny;
    for (int o = 0; o < p->count; o++) {
        double s = *(const double *)((const char *)&p->out[o] + coefficient);
        if (s == 0) continue;
        double *values = p->out[o].values;
        for (int k = 0; k < size; k++) values[pair->place[k]] += s * X[k];
    }
}

// with a tree: X into the matrices of the pair
static void add_own(pass *p, const lmb_pair *pair, const double *X, size_t coefficient) {
    int size = p->m->bodies[pair->row_body].n * p->m->bodies[pair->col_body].n, what = LMB_OWN_MORE;
    double s = 1;
    if (coefficient == offsetof(lmb_combination, cM)) what = LMB_OWN_M;
    else if (coefficient == offsetof(lmb_combination, cD)) what = LMB_OWN_D;
    else if (coefficient == offsetof(lmb_combination, cK) && !p->link) what = LMB_OWN_K;
    else s = *(const double *)((const char *)&p->out[0] + coefficient);
    lmb_axpy(p->d->pool + pair->own + what * size, s, X, size);
}

// which no other adds to
static double *own_mass(const pass *p, const lmb_body *b) {
    return p->d->pool + p->m->pairs[b->pair].own + LMB_OWN_M * b->n * b->n;
}

// adds coefficient * X, X of size n_row x n_col in the bodies' own velocities; by_q: columns are turned by T
enum { BY_VELOCITY, BY_POSITION };
static void add_block(pass *p, int pair_index, double *X, size_t coefficient, int by) {
    const lmb_pair *pair = &p->m->pairs[pair_index];
    const lmb_body *row = &p->m->bodies[pair->row_body], *col = &p->m->bodies[pair->col_body];
    double *Y = X;
    if (p->m->tree) {
        add_own(p, pair, X, coefficient);
        return;
    }
    if (col->map >= 0) Y = p->Tb, map_columns(p, Y, X, row->n, col);
    if (row->map >= 0) Y = (double *)map_rows(p, p->Ub, Y, col->ny, row);
    if (by == BY_POSITION) turn_columns(p, Y, row->ny, col);
    add_values(p, pair, Y, coefficient);
}

// adds coefficient * X times the changes of the column's body
static void add_change(pass *p, int pair_index, const double *X, lmb_change_kind what, size_t coefficient,
                       int by) {
    const lmb_pair *pair = &p->m->pairs[pair_index];
    const lmb_body *row = &p->m->bodies[pair->row_body], *col = &p->m->bodies[pair->col_body];
    if (!p->moving || p->m->tree || col->follower_count == 0) return;
    memset(p->Tb, 0, (size_t)(row->n * col->ny) * sizeof *p->Tb);
    for (int i = 0; i < row->n; i++)
        lmb_follow_add_changes(p->Tb + i * col->ny, X + i * col->n, p->m, p->d, col, what);
    double *Y = (double *)map_rows(p, p->Ub, p->Tb, col->ny, row);
    if (by == BY_POSITION) turn_columns(p, Y, row->ny, col);
    add_values(p, pair, Y, coefficient);
}

enum {
    C_M = offsetof(lmb_combination, cM),
    C_D = offsetof(lmb_combination, cD),
    C_K = offsetof(lmb_combination, cK),
    C_E = offsetof(lmb_combination, cE),
    C_U = offsetof(lmb_combination, cU)
};
static void add_m(pass *p, int pair, double *X) {
    add_change(p, pair, X, LMB_CHANGE_AY, C_D, BY_VELOCITY);
    add_change(p, pair, X, LMB_CHANGE_AQ, C_K, BY_POSITION);
    add_block(p, pair, X, C_M, BY_VELOCITY);
}
static void add_d(pass *p, int pair, double *X) {
    add_change(p, pair, X, LMB_CHANGE_V, C_K, BY_POSITION);
    add_block(p, pair, X, C_D, BY_VELOCITY);
}
static void add_k(pass *p, int pair, double *X) { add_block(p, pair, X, C_K, BY_POSITION); }

// ---- small products ----------------------------------------------------------------------------

// C (n x m) = s J' B, J 6 x n, B 6 x m with row stride
static void mul_jt(double *C, double s, const double *J, int n, const double *B, int m, int stride) {
    for (int r = 0; r < n; r++)
        for (int c = 0; c < m; c++) {
            double sum = 0;
            for (int i = 0; i < 6; i++) sum += J[i * n + r] * B[i * stride + c];
            C[r * m + c] = s * sum;
        }
}

// C (6 x n) (+)= B J, B 6 x 6 with row stride, J 6 x n
static void mul_j(double *C, const double *B, int stride, const double *J, int n) {
    for (int r = 0; r < 6; r++)
        for (int k = 0; k < 6; k++) {
            double b = B[r * stride + k];
            if (b != 0) lmb_axpy(C + r * n, b, J + k * n, n);
        }
}

static const lmb_body *marker_body(const lmb_model *m, int marker) {
    return m->markers[marker].body < 0 ? NULL : &m->bodies[m->markers[marker].body];
}

// K += s J_a' (X J_b + Y d(J v)_b/dq) for one pair of markers; X, Y 6 x 6 parts with stride; Y may be NULL
static void add_chain(pass *p, int pair, int a, int b, double s, const double *X, const double *Y,
                      int stride) {
    const lmb_body *A = marker_body(p->m, a), *B = marker_body(p->m, b);
    double *C = p->Db; // 6 x n_b
    memset(C, 0, (size_t)(6 * B->n) * sizeof *C);
    mul_j(C, X, stride, p->d->frames[b].J, B->n);
    if (Y) {
        lmb_body_view x = lmb_view(p->d, B);
        B->ops->markers.dJv(p->Kb, &x, &p->m->markers[b]);
        mul_j(C, Y, stride, p->Kb, B->n);
    }
    mul_jt(p->Mb, s, p->d->frames[a].J, A->n, C, B->n, B->n);
    add_k(p, pair, p->Mb);
}

// K += s d(J' w)/dq
static void add_geometric(pass *p, int pair, int a, double s, const double *w) {
    const lmb_body *A = marker_body(p->m, a);
    lmb_body_view x = lmb_view(p->d, A);
    A->ops->markers.dJtw(p->Mb, &x, &p->m->markers[a], w);
    for (int k = 0; k < A->n * A->n; k++) p->Mb[k] *= s;
    add_k(p, pair, p->Mb);
}

// ---- bodies ------------------------------------------------------------------------------------

static void input_columns(pass *p, const double *R, int row_count, int stride, int inputs, const int *input,
                          const int **pair);

// values += cM M + cD D + cK K of a body whose velocities are all its own; M, D may be NULL
static void add_matrices(const pass *p, const lmb_body *b, const double *M, const double *D, double *K) {
    const int *place = p->m->pairs[b->pair].place;
    int size = b->n * b->n;
    turn_columns(p, K, b->n, b);
    for (int o = 0; o < p->count; o++) {
        const lmb_combination *c = &p->out[o];
        double cM = M ? c->cM : 0, cD = D ? c->cD : 0, *values = c->values;
        if (cM == 0 && cD == 0 && c->cK == 0) continue;
        if (cD == 0 && c->cK == 0)
            for (int k = 0; k < size; k++) values[place[k]] += cM * M[k];
        else if (cD == 0 && cM == 0)
            for (int k = 0; k < size; k++) values[place[k]] += c->cK * K[k];
        else if (cD == 0 && cM != 0)
            for (int k = 0; k < size; k++) values[place[k]] += cM * M[k] + c->cK * K[k];
        else
            for (int k = 0; k < size; k++)
                values[place[k]] += (cM == 0 ? 0 : cM * M[k]) + (cD == 0 ? 0 : cD * D[k]) + c->cK * K[k];
    }
}

static void add_body(pass *p, const lmb_body *b) {
    const lmb_body_dynamics *ops = &b->ops->dynamics;
    lmb_body_view x = lmb_view(p->d, b);
    bool forces = p->want_d || p->want_k, whole = forces && b->map < 0 && p->m->tree == NULL;
    if (p->want_m || (p->moving && (p->m->tree || b->follower_count > 0))) {
        ops->mass(p->m->tree ? own_mass(p, b) : p->Mb, &x);
        if (p->m->tree == NULL && !whole) add_m(p, b->pair, p->Mb);
    }
    bool deforms = (p->want_e || p->want_u) && lmb_body_is_flexible(b);
    if (deforms && p->want_e) add_block(p, b->pair, lmb_body_stiffness(p->d, b), C_E, BY_VELOCITY);
    if (deforms && p->want_u) add_block(p, b->pair, lmb_body_unit_stiffness(p->d, b), C_U, BY_VELOCITY);
    if (!forces) return;
    double *D = ops->has_damping && !ops->has_damping(b) ? NULL : p->Db;
    ops->tangent(D, p->Kb, &x, x.a);
    if (whole) add_matrices(p, b, p->want_m ? p->Mb : NULL, D, p->Kb);
    else {
        if (D) add_d(p, b->pair, D);
        add_k(p, b->pair, p->Kb);
    }
    if (b->input_count == 0) return;
    const int *pair = b->input_pairs;
    ops->by_input(p->Mb, &x);
    input_columns(p, p->Mb, b->n, b->input_count, b->input_count, b->inputs, &pair);
}

typedef struct shared { // bodies or joints of a list, which have no places of the matrix in common
    const pass *p;
    const int *list;
} shared;

// p with the scratch of a thread
static pass pass_of(const pass *p, int thread) {
    pass own = *p;
    set_scratch(&own, p->d->crew->scratch + 5 * (size_t)thread * (size_t)lmb_scratch_part(p->m));
    return own;
}

static void add_some(void *user, int from, int to, int thread) {
    const shared *s = user;
    pass own = pass_of(s->p, thread);
    for (int i = from; i < to; i++) add_body(&own, &own.m->bodies[s->list[i]]);
}

static void add_bodies(pass *p) {
    const lmb_crew *c = p->d->crew;
    bool alone = c == NULL || c->colours == 0 || p->want_e || p->want_u; // these use the scratch of d
    for (int k = 0; !alone && k < c->colours; k++) {
        shared s = {p, c->colour_list + c->colour_start[k]};
        lmb_team_run(c->team, c->colour_start[k + 1] - c->colour_start[k], LMB_CREW_GRAIN, add_some, &s);
    }
    for (int i = 0; alone && i < p->m->body_count; i++) add_body(p, &p->m->bodies[i]);
}

bool lmb_mass_is_constant(const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        bool (*constant)(const lmb_body *) = b->ops->dynamics.constant_mass;
        if (b->map >= 0 || constant == NULL || !constant(b)) return false;
    }
    return m->tree == NULL;
}

// ---- inputs ------------------------------------------------------------------------------------

// gradients of the base inputs by q and v of their bodies, and of signals by base inputs
static void input_gradient(pass *p, const lmb_input *in) {
    double *g = p->d->pool + in->g, m_g[LMB_TWIST], H[LMB_TWIST * LMB_TWIST], Hx[LMB_TWIST];
    if (in->kind == LMB_INPUT_EXTERNAL) return; // no coordinate moves it
    if (in->kind == LMB_INPUT_STATE) {
        int n = p->m->bodies[in->body[0]].n;
        memset(g, 0, (size_t)(2 * n) * sizeof *g);
        g[n + in->state] = in->factor;
        return;
    }
    const lmb_frame_state *f1 = &p->d->frames[in->marker[0]], *f2 = &p->d->frames[in->marker[1]];
    lmb_measure_eval(m_g, H, &in->measure, &f1->p, &f2->p);
    for (int j = 0; j < LMB_TWIST; j++) {
        Hx[j] = 0;
        for (int i = 0; i < LMB_TWIST; i++)
            Hx[j] += (i < 6 ? f1->twist[i] : f2->twist[i - 6]) * H[i * LMB_TWIST + j];
    }
    for (int s = 0; s < 2; s++) {
        if (in->body[s] < 0) continue;
        const lmb_body *b = &p->m->bodies[in->body[s]];
        double *gq = g, *gv = g + b->n;
        const double *J = p->d->frames[in->marker[s]].J;
        memset(g, 0, (size_t)(2 * b->n) * sizeof *g);
        g += 2 * b->n;
        bool rate = in->kind == LMB_INPUT_RATE;
        lmb_body_view x = lmb_view(p->d, b);
        if (rate) b->ops->markers.dJv(p->Kb, &x, &p->m->markers[in->marker[s]]);
        for (int i = 0; i < 6; i++) {
            lmb_axpy(rate ? gv : gq, in->factor * m_g[6 * s + i], J + i * b->n, b->n);
            if (!rate) continue;
            lmb_axpy(gq, in->factor * Hx[6 * s + i], J + i * b->n, b->n);
            lmb_axpy(gq, in->factor * m_g[6 * s + i], p->Kb + i * b->n, b->n);
        }
    }
}

static void signal_gradient(lmb_data *d, const lmb_model *m, const lmb_input *in) {
    double by_input[LMB_MAX_INPUTS], *grad = d->pool + in->grad;
    lmb_env env = lmb_env_of(d);
    lmb_expr_gradient(in->expr, &env, NULL, by_input);
    memset(grad, 0, (size_t)in->base_count * sizeof *grad);
    for (int k = 0; k < lmb_expr_input_count(in->expr); k++) {
        int id = lmb_expr_input(in->expr, k);
        const lmb_input *from = &m->inputs[id];
        if (from->kind != LMB_INPUT_SIGNAL) {
            grad[lmb_input_slot(in->base, in->base_count, id)] += by_input[k];
            continue;
        }
        for (int j = 0; j < from->base_count; j++)
            grad[lmb_input_slot(in->base, in->base_count, from->base[j])] +=
                by_input[k] * d->pool[from->grad + j];
    }
}

void lmb_signal_gradients(lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->input_count; i++)
        if (m->inputs[i].kind == LMB_INPUT_SIGNAL) signal_gradient(d, m, &m->inputs[i]);
}

// r depends on inputs with dr/dinput = R (rows x inputs, stride): adds the columns of the inputs' bodies
static void input_columns(pass *p, const double *R, int rows, int stride, int inputs, const int *input,
                          const int **pair) {
    for (int k = 0; k < inputs; k++) {
        const lmb_input *in = &p->m->inputs[input[k]];
        bool signal = in->kind == LMB_INPUT_SIGNAL;
        int bases = signal ? in->base_count : 1;
        for (int j = 0; j < bases; j++) {
            const lmb_input *base = signal ? &p->m->inputs[in->base[j]] : in;
            double weight = signal ? p->d->pool[in->grad + j] : 1;
            const double *g = p->d->pool + base->g;
            for (int s = 0; s < 2; s++) {
                if (base->body[s] < 0) continue;
                int n = p->m->bodies[base->body[s]].n, at = *(*pair)++;
                double *gq_part = p->Db, *gv_part = p->Kb;
                for (int i = 0; i < rows; i++)
                    for (int c = 0; c < n; c++) {
                        gq_part[i * n + c] = weight * R[i * stride + k] * g[c];
                        gv_part[i * n + c] = weight * R[i * stride + k] * g[n + c];
                    }
                g += 2 * n;
                add_d(p, at, gv_part);
                add_k(p, at, gq_part);
            }
        }
    }
}

// ---- forces ------------------------------------------------------------------------------------

// A' B for a body that may be a frame of a tree
static const double *rows_of_path(pass *p, double *out, const double *B, int columns, const lmb_body *b) {
    if (p->m->tree == NULL) return map_rows(p, out, B, columns, b);
    double *x = p->Tb, *y = p->Tb + b->n;
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < b->n; i++) x[i] = B[i * columns + c];
        lmb_tree_row_get(&(lmb_tree_row){.g = y}, p->m, p->d, b, x, NULL, NULL);
        for (int i = 0; i < b->ny; i++) out[i * columns + c] = y[i];
    }
    return out;
}

static void add_force_lambda(pass *p, const lmb_force *f, const lmb_wrench *w) {
    const lmb_joint *j = &p->m->joints[f->joint];
    for (int s = 0; s < 2; s++) {
        const lmb_body *b = marker_body(p->m, f->marker[s]);
        if (b == NULL) continue;
        mul_jt(p->Mb, -1, p->d->frames[f->marker[s]].J, b->n, w->L + 6 * s * j->row_count, j->row_count,
               j->row_count);
        const double *X = rows_of_path(p, p->Ub, p->Mb, j->row_count, b);
        for (int k = 0; k < b->ny * j->row_count; k++)
            for (int o = 0; o < p->count && f->l_place[s][k] >= 0; o++)
                p->out[o].values[f->l_place[s][k]] += p->out[o].cL * X[k];
    }
}

static void add_force(pass *p, const lmb_force *f) {
    enum { SIZE = LMB_TWIST * LMB_TWIST };
    double K[SIZE] = {0}, D[SIZE] = {0}, I[LMB_TWIST * LMB_MAX_INPUTS] = {0}, L[LMB_TWIST * 16] = {0};
    lmb_wrench w = {.want_tangent = true, .K = K, .D = D, .I = I, .L = L};
    f->ops->wrench(&w, p->d, f);
    const int *pair = f->input_pairs;
    for (int a = 0; a < 2; a++) {
        const lmb_body *A = marker_body(p->m, f->marker[a]);
        if (A == NULL) continue;
        for (int b = 0; b < 2; b++) {
            const lmb_body *B = marker_body(p->m, f->marker[b]);
            if (B == NULL) continue;
            int at = f->pairs[2 * a + b], corner = 6 * a * LMB_TWIST + 6 * b;
            add_chain(p, at, f->marker[a], f->marker[b], -1, K + corner, D + corner, LMB_TWIST);
            double *C = p->Kb; // D: -J' W_x' J
            memset(C, 0, (size_t)(6 * B->n) * sizeof *C);
            mul_j(C, D + corner, LMB_TWIST, p->d->frames[f->marker[b]].J, B->n);
            mul_jt(p->Mb, -1, p->d->frames[f->marker[a]].J, A->n, C, B->n, B->n);
            add_d(p, at, p->Mb);
        }
        add_geometric(p, f->pairs[3 * a], f->marker[a], -1, w.W + 6 * a);
        if (f->input_count > 0) {
            mul_jt(p->Mb, -1, p->d->frames[f->marker[a]].J, A->n, I + 6 * a * f->input_count, f->input_count,
                   f->input_count);
            input_columns(p, p->Mb, A->n, f->input_count, f->input_count, f->inputs, &pair);
        }
    }
    if (f->joint >= 0 && p->d->active_joint[f->joint] != 0) add_force_lambda(p, f, &w);
}

// the stiffness of a link alone, as F
static void add_link(pass *p, const lmb_force *f) {
    enum { MOST = 8 };
    lmb_combination c[MOST];
    double unit = lmb_link_unit(p->d, f);
    pass own = *p;
    own.out = c, own.link = true;
    LMB_SEAM(p->count <= MOST);
    for (int o = 0; o < p->count; o++)
        c[o] = (lmb_combination){.values = p->out[o].values, .cK = unit * p->out[o].cF};
    if (unit > 0) add_force(&own, f);
}

// ---- joints ------------------------------------------------------------------------------------

// row of G for marker k of the joint from the gradient g6 of that side, into the (lambda, y) and (y, lambda) places
static void add_row(pass *p, const lmb_joint *j, int r, int k, const double *g6, const double *h6,
                    const double *g6_dJv) {
    const lmb_body *b = marker_body(p->m, j->marker[k]);
    const double *J = p->d->frames[j->marker[k]].J;
    double *G = p->Db, *H = p->Kb;
    memset(G, 0, (size_t)b->n * sizeof *G);
    memset(H, 0, (size_t)b->n * sizeof *H);
    for (int i = 0; i < 6; i++) {
        if (g6[i] != 0) lmb_axpy(G, g6[i], J + i * b->n, b->n);
        if (h6 && h6[i] != 0) lmb_axpy(H, h6[i], J + i * b->n, b->n);
        if (h6 && g6[i] != 0) lmb_axpy(H, g6[i], g6_dJv + i * b->n, b->n);
    }
    double *GT = p->Mb, *HT = p->Mb + b->ny;
    const double *Gy = p->Tb;
    if (p->m->tree) {
        lmb_tree_row_get(&(lmb_tree_row){p->Tb, GT, HT}, p->m, p->d, b, G, H, p->T);
    } else {
        Gy = map_columns(p, p->Tb, G, 1, b);
        memcpy(GT, Gy, (size_t)b->ny * sizeof *GT);
        memcpy(HT, map_columns(p, p->Tb + b->ny, H, 1, b), (size_t)b->ny * sizeof *HT);
        if (p->moving) lmb_follow_add_changes(HT, G, p->m, p->d, b, LMB_CHANGE_V);
        turn_columns(p, GT, 1, b);
        turn_columns(p, HT, 1, b);
    }
    const int *place = j->place[k] + 2 * r * b->ny;
    for (int o = 0; o < p->count; o++) {
        const lmb_combination *c = &p->out[o];
        for (int i = 0; i < b->ny; i++) {
            if (place[2 * i] < 0) continue;
            c->values[place[2 * i]] += c->rG * Gy[i] + c->rGT * GT[i] + c->rH * HT[i];
            c->values[place[2 * i + 1]] += c->cL * Gy[i];
        }
    }
}

// Hx += c x' H and S += lambda c H for the Hessian of a term; S (N x N) has six rows for each marker of the joint
static void add_hessian(double *Hx, double *S, int N, const pass *p, const lmb_joint *j, const lmb_term *t,
                        double lambda) {
    const int side[2] = {t->first, t->second};
    const lmb_frame_state *f[2] = {&p->d->frames[j->marker[side[0]]], &p->d->frames[j->marker[side[1]]]};
    double H[LMB_TWIST * LMB_TWIST];
    lmb_measure_eval(NULL, H, &t->f, &f[0]->p, &f[1]->p);
    for (int a = 0; a < LMB_TWIST; a++) {
        double *to = S + (6 * side[a / 6] + a % 6) * N;
        const double *row = H + a * LMB_TWIST;
        if (a % 6 < 3 && lmb_measure_is_of_axes(&t->f)) continue;
        lmb_axpy(Hx, t->c * f[a / 6]->twist[a % 6], row, LMB_TWIST);
        lmb_axpy(to + 6 * side[0], lambda * t->c, row, 6);
        lmb_axpy(to + 6 * side[1], lambda * t->c, row + 6, 6);
    }
}

// rows of G with their Hessians summed up: S += lambda c H over the joint's markers (size 6 marker_count); whether there are any
static bool add_joint_rows(pass *p, const lmb_joint *j, double *S, double *w) {
    int N = 6 * j->marker_count, known[2] = {-1, -1};
    bool any = false;
    bool want_h = p->want_h, want_k = p->want_k;
    for (int r = 0; r < j->row_count; r++) {
        const lmb_row *row = &j->rows[r];
        double lambda = p->d->lambda[j->lambda + r];
        for (int i = row->term; i < row->term + row->term_count; i++) {
            const lmb_term *t = &j->terms[i];
            const int side[2] = {t->first, t->second};
            double g[LMB_TWIST], Hx[LMB_TWIST] = {0};
            const double *stored = p->d->pool + j->g + i * (LMB_TWIST + 1);
            for (int k = 0; k < LMB_TWIST; k++) g[k] = t->c * stored[k];
            lmb_axpy(w + 6 * side[0], lambda, g, 6);
            lmb_axpy(w + 6 * side[1], lambda, g + 6, 6);
            bool curved = (want_h || want_k) && !lmb_measure_is_linear(&t->f);
            if (curved) add_hessian(Hx, S, N, p, j, t, lambda), any = true;
            for (int s = 0; s < 2; s++) {
                const lmb_body *b = marker_body(p->m, j->marker[side[s]]);
                if (b == NULL) continue;
                double *dJv = p->Ub + s * 6 * p->m->max_n; // the same for most rows
                if (want_h && known[s] != side[s]) {
                    lmb_body_view x = lmb_view(p->d, b);
                    b->ops->markers.dJv(dJv, &x, &p->m->markers[j->marker[side[s]]]), known[s] = side[s];
                }
                add_row(p, j, r, side[s], g + 6 * s, want_h ? Hx + 6 * s : NULL, dJv);
            }
        }
    }
    return any;
}

static void add_joint(pass *p, const lmb_joint *j) {
    enum { N_MAX = 6 * LMB_JOINT_MARKERS };
    double S[N_MAX * N_MAX], w[N_MAX] = {0};
    int N = 6 * j->marker_count;
    memset(S, 0, (size_t)(N * N) * sizeof *S);
    bool curved = add_joint_rows(p, j, S, w);
    if (!p->want_k) return;
    for (int a = 0; a < j->marker_count; a++) {
        if (marker_body(p->m, j->marker[a]) == NULL) continue;
        for (int b = 0; curved && b < j->marker_count; b++) {
            if (marker_body(p->m, j->marker[b]) == NULL) continue;
            add_chain(p, j->pairs[a * j->marker_count + b], j->marker[a], j->marker[b], 1,
                      S + 6 * a * N + 6 * b, NULL, N);
        }
        add_geometric(p, j->pairs[a * (j->marker_count + 1)], j->marker[a], 1, w + 6 * a);
    }
}

// the diagonal: -eps * weight; 1 for a joint that is off
static void add_diagonal(pass *p, const lmb_joint *j, bool active) {
    for (int r = 0; r < j->row_count; r++)
        for (int o = 0; o < p->count; o++)
            p->out[o].values[j->diagonal[r]] += active ? -p->out[o].eps * p->m->row_eps[j->lambda + r] -
                                                             p->out[o].soft * p->m->row_weight[j->lambda + r]
                                                       : 1;
}

static void add_joint_of(pass *p, int i) {
    const lmb_joint *j = &p->m->joints[i];
    bool active = p->d->active_joint[i] != 0;
    if (active && j->row_count > 0) add_joint(p, j);
    add_diagonal(p, j, active);
}

static void add_some_joints(void *user, int from, int to, int thread) {
    const shared *s = user;
    pass own = pass_of(s->p, thread);
    for (int i = from; i < to; i++) add_joint_of(&own, s->list[i]);
}

static void add_joints(pass *p) {
    const lmb_model *m = p->m;
    const lmb_crew *c = p->d->crew;
    int first = 0; // of those that one thread adds
    for (int k = 0; c && k < m->joint_colours; k++, first = m->joint_colour[k]) {
        shared s = {p, m->joint_order + m->joint_colour[k]};
        lmb_team_run(c->team, m->joint_colour[k + 1] - m->joint_colour[k], LMB_CREW_GRAIN, add_some_joints,
                     &s);
    }
    for (int i = first; i < m->joint_count; i++) add_joint_of(p, m->joint_order[i]);
}

// ---- followers ---------------------------------------------------------------------------------

// d(A' F)/dq of frames that follow, with w the wrench on the own marker, w_L on the leader's:
//     E' d(C' w) E - A' d(J' w)/dq A + A_L' d(J_L' w_L)/dq A_L
static void add_followers(pass *p) {
    const lmb_model *m = p->m;
    double *F = p->d->pool + m->residuals;
    if (m->follower_count == 0 || m->tree || !p->want_k) return;
    lmb_residual_bodies(F, m, p->d);
    lmb_follow_collect(F, m, p->d);
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        const lmb_body *b = &m->bodies[f->body];
        double w[6];
        if (!f->node) {
            lmb_follow_wrench_at(w, m, p->d, f, F, &p->d->frames[f->own].p);
            lmb_follow_geometric(p->Kb, m, p->d, f, w, p->Db);
            turn_columns(p, p->Kb, b->ny, b);
            add_values(p, &m->pairs[b->pair], p->Kb, offsetof(lmb_combination, cK));
            add_geometric(p, b->pair, f->own, -1, w);
        }
        if (m->markers[f->leader].body < 0) continue;
        lmb_follow_wrench(w, m, p->d, f, F);
        add_geometric(p, m->bodies[m->markers[f->leader].body].pair, f->leader, 1, w);
    }
}

// with a tree: the matrices of pairs that are wanted
static void clear_own(const pass *p) {
    bool forces = p->want_d || p->want_k, more = p->want_e || p->want_u || p->want_f;
    for (int i = 0; i < p->m->pair_count; i++) {
        const lmb_pair *pair = &p->m->pairs[i];
        size_t size = (size_t)(p->m->bodies[pair->row_body].n * p->m->bodies[pair->col_body].n);
        double *own = p->d->pool + pair->own;
        if (forces) memset(own, 0, LMB_OWN_M * size * sizeof *own);
        memset(own + LMB_OWN_M * size, 0, (more ? 2 : 1) * size * sizeof *own);
    }
}

// the values of the tree in every combination
static void add_tree(pass *p) {
    const lmb_model *m = p->m;
    double *F = p->d->pool + m->residuals, *all = F + m->nv;
    if (p->want_d || p->want_k) {
        lmb_residual_bodies(F, m, p->d);
        memcpy(all, F, (size_t)m->nv * sizeof *all);
        lmb_follow_collect(all, m, p->d);
    }
    for (int o = 0; o < p->count; o++) {
        const lmb_combination *c = &p->out[o], *first = &p->out[0];
        bool forces = c->cD != 0 || c->cK != 0;
        if (o > 0 && c->cM == first->cM && c->cD == first->cD && c->cK == first->cK && p->T == NULL &&
            c->cE == first->cE && c->cU == first->cU && c->cF == first->cF) {
            lmb_tree_copy(c->values + m->pattern.start[m->n], m->tree,
                          first->values + m->pattern.start[m->n]);
            continue;
        }
        lmb_tree_values(c->values + m->pattern.start[m->n], c, m, p->d, p->T, forces ? F : NULL,
                        forces ? all : NULL);
    }
}

static bool moves(const lmb_model *m, const lmb_data *d) {
    return lmb_norm_max(d->v, m->nv) > 0 || lmb_norm_max(d->a, m->nv) > 0;
}

void lmb_tangent(const lmb_combination *out, int count, const lmb_model *m, lmb_data *d, const mat3 *T) {
    LMB_SEAM(d->model == m && !d->stale);
    pass p = {.out = out, .count = count, .m = m, .d = d, .T = T};
    set_scratch(&p, d->scratch);
    for (int o = 0; o < count; o++) {
        p.want_m |= out[o].cM != 0, p.want_d |= out[o].cD != 0;
        p.want_k |= out[o].cK != 0, p.want_h |= out[o].rH != 0;
        p.want_e |= out[o].cE != 0, p.want_u |= out[o].cU != 0, p.want_f |= out[o].cF != 0;
    }
    bool want_forces = p.want_d || p.want_k;
    p.moving = m->follower_count > 0 && (want_forces || p.want_h) && moves(m, d);
    if (p.moving && m->tree == NULL) lmb_follow_change(d, m);
    if (m->tree) {
        lmb_tree_screws(d, m, want_forces || p.want_h ? LMB_SCREWS_AND_RATES : LMB_SCREWS_ALONE);
        clear_own(&p);
    }
    for (int o = 0; o < count; o++) memset(out[o].values, 0, (size_t)m->pattern.start[m->n] * sizeof(double));
    if (want_forces) lmb_signal_gradients(d, m);
    for (int i = 0; want_forces && i < m->input_count; i++)
        if (m->inputs[i].kind != LMB_INPUT_SIGNAL) input_gradient(&p, &m->inputs[i]);
    add_bodies(&p);
    for (int i = 0; i < m->force_count; i++)
        if (d->active_force[i] != 0 && (want_forces || m->forces[i].joint >= 0)) add_force(&p, &m->forces[i]);
    for (int i = 0; p.want_f && i < m->force_count; i++) add_link(&p, &m->forces[i]);
    add_joints(&p);
    add_followers(&p);
    if (m->tree) add_tree(&p);
}
