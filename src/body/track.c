// body/track.c: points that slide along a beam: markers with their own coordinate s.   docs/theory/modal.md (8)
//
// A massless body that shares all coordinates of the beam (of all its parts) and adds one s per point.  Along the
// axis e the shape functions are cubic splines through the nodes (for one or two elements through quarter points, to
// capture slopes); a marker at s moves with them and along them:
//     u = x0 + e s + S(s) q        th = P(s) q        u_s = e + S'q,  u_qs = S',  u_ss = S''q, the same for th
// These are the first and second derivatives of a site with coordinates z = (q, sigma), s = s_now + sigma, at sigma = 0:
//     u = x + [S e] z - 1/2 z.Kg z        Kg_q,sigma = -S',  Kg_sigma,sigma = -S''q
// so the formulas of modal_marker.c hold as they are.  With geometric stiffening the beam moves by -1/2 q.Kg q, too, Kg a spline
// like S: then Kg_q,sigma += Kg' q, Kg_sigma,sigma += 1/2 q.Kg'' q, e += 1/2 q.Kg' q.  Nothing resists s: its equation says that
// no force acts along the beam.  Where no joint and no force acts on a marker there is nothing else that could tell where it is: s'' = 0.
#include "body/modal.h"

#include <string.h>

enum { MOST = LMB_MODAL_MOST - 1, WORK = (sizeof(lmb_modal_work) + sizeof(double) - 1) / sizeof(double) };

typedef struct piece {             // one part
    const double *S, *P, *S2, *P2; // (stations x 3 x m) values and second derivatives at the stations
    double *Kg, *Kg2;              // (stations x 6 x m x m) the same of geometric stiffness; NULL: none
    lmb_modal with_s;              // a modal body with m + 1 coordinates, for its markers
    int at;                        // of its velocities in those of the track
} piece;

typedef struct acts { // what acts on the markers of a place
    int joint_count, force_count;
    int *joints, *forces;
} acts;

typedef struct track {
    int count; // of sliding places
    acts *acts;
    double *s0;      // at the start
    bool *taken;     // by a marker of the model
    vec3 from, axis; // of the beam
    double length;
    int parts, elements; // of each part
    int steps;           // between the stations of a part
    int most;            // largest m + 1
    piece *pieces;
} track;

typedef struct site {
    int slot;
    pose offset;
} site;

// One place in the work area: its part, then as of a modal body with s: q, v, work, S, P, Kg.
typedef struct slide {
    int q, v, work, S, P, Kg, count; // offsets
} slide;

static const track *track_of(const lmb_body *b) { return b->constants; }

static slide slide_of(const track *t) {
    int D = t->most;
    slide s = {.q = 1};
    s.v = s.q + 7 + D, s.work = s.v + 6 + D, s.S = s.work + WORK, s.P = s.S + 3 * D;
    s.Kg = s.P + 3 * D, s.count = s.Kg + 6 * D * D;
    return s;
}

// the places now: the last coordinates
static const double *places(const lmb_body_view *x) {
    const lmb_body *b = x->body;
    return x->q + b->model->blocks[b->blocks[b->block_count - 1]].iq - b->iq;
}

// ---- splines -----------------------------------------------------------------------------------

// Second derivatives at n + 1 > 3 nodes of distance h, `stride` apart: M_i-1 + 4 M_i + M_i+1 = 6/h2 (y_i+1 - 2 y_i + y_i-1),
// the third derivative continuous at the first and the last inner node: there 6 M = that right side
static void spline(double *M, const double *y, int n, int stride, double h, double *c) {
    for (int i = 1; i < n; i++)
        M[i * stride] = 6 / (h * h) * (y[(i + 1) * stride] - 2 * y[i * stride] + y[(i - 1) * stride]);
    M[stride] /= 6, c[1] = 0;
    for (int i = 2; i < n - 1; i++) {
        double pivot = 4 - c[i - 1];
        c[i] = 1 / pivot;
        M[i * stride] = (M[i * stride] - M[(i - 1) * stride]) / pivot;
    }
    M[(n - 1) * stride] /= 6;
    for (int i = n - 2; i > 1; i--) M[i * stride] -= c[i] * M[(i + 1) * stride];
    M[0] = 2 * M[stride] - M[2 * stride];
    M[n * stride] = 2 * M[(n - 1) * stride] - M[(n - 2) * stride];
}

typedef struct basis { // weights of values y and second derivatives M at both nodes: f, f', f'', f'''
    int node;
    double y[4][2], M[4][2];
} basis;

static basis basis_at(double s, double h, int n) {
    int i = (int)fmin(fmax(floor(s / h), 0), n - 1);
    double b = s / h - i, a = 1 - b;
    return (basis){i,
                   {{a, b}, {-1 / h, 1 / h}, {0, 0}, {0, 0}},
                   {{(a * a * a - a) * h * h / 6, (b * b * b - b) * h * h / 6},
                    {-(3 * a * a - 1) * h / 6, (3 * b * b - 1) * h / 6},
                    {a, b},
                    {-1 / h, 1 / h}}};
}

// derivative k of entry `at` (component and coordinate)
static double spline_at(const basis *w, int k, const double *y, const double *M, int stride, int at) {
    const double *y0 = y + (size_t)w->node * stride + at, *M0 = M + (size_t)w->node * stride + at;
    return w->y[k][0] * y0[0] + w->y[k][1] * y0[stride] + w->M[k][0] * M0[0] + w->M[k][1] * M0[stride];
}

// ---- state -------------------------------------------------------------------------------------

// F (3 x D) = [f, 0], Kg of its three components
static void set_functions(double *F, double *Kg, const basis *w, const double *y, const double *M, int m,
                          const double *q) {
    int D = m + 1;
    for (int c = 0; c < 3; c++) {
        double *K = Kg + (size_t)c * D * D;
        memset(K, 0, (size_t)D * D * sizeof *K);
        F[c * D + m] = 0;
        for (int j = 0; j < m; j++) {
            F[c * D + j] = spline_at(w, 0, y, M, 3 * m, c * m + j);
            K[j * D + m] = K[m * D + j] = -spline_at(w, 1, y, M, 3 * m, c * m + j);
            K[m * D + m] -= spline_at(w, 2, y, M, 3 * m, c * m + j) * q[j];
        }
    }
}

// second order of component c: Kg and its derivatives along the part
static void add_second_order(double *F, double *Kg, const piece *p, const basis *w, int c, const double *q) {
    int m = p->with_s.m - 1, D = m + 1, mm = m * m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double K[3];
            for (int k = 0; k < 3; k++) K[k] = spline_at(w, k, p->Kg, p->Kg2, 6 * mm, c * mm + i * m + j);
            Kg[i * D + j] += K[0];
            Kg[i * D + m] += K[1] * q[j], Kg[m * D + i] += K[1] * q[j];
            Kg[m * D + m] += K[2] / 2 * q[i] * q[j];
            F[m] += K[1] / 2 * q[i] * q[j];
        }
}

// the functions of the part at s, with geometric stiffening; q: its elastic coordinates
static void set_site(double *S, double *P, double *Kg, const track *t, int part, double s, const double *q) {
    const piece *p = &t->pieces[part];
    double part_length = t->length / t->parts;
    int m = p->with_s.m - 1, D = m + 1;
    basis w = basis_at(s - part * part_length, part_length / t->steps, t->steps);
    set_functions(S, Kg, &w, p->S, p->S2, m, q);
    set_functions(P, Kg + 3 * (size_t)D * D, &w, p->P, p->P2, m, q);
    for (int c = 0; c < 3; c++) S[c * D + m] = v3_get(t->axis, c);
    for (int c = 0; c < 6 && p->Kg; c++)
        add_second_order((c < 3 ? S : P) + c % 3 * D, Kg + (size_t)c * D * D, p, &w, c, q);
}

// z'.(dKg/dz) z' of one component with rates z' = (q', s'), of the second order: Kg_qq,s = K', Kg_qs,s = K''q, Kg_ss,s = 1/2 q.K'''q
static void add_third(double *out, const piece *p, int c, const basis *w, const double *q, const double *v) {
    int m = p->with_s.m - 1, mm = m * m;
    double s = v[m];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double K[4];
            for (int k = 1; k < 4; k++) K[k] = spline_at(w, k, p->Kg, p->Kg2, 6 * mm, c * mm + i * m + j);
            out[i] += (2 * K[1] * v[j] + K[2] * q[j] * s) * s;
            out[m] += K[1] * v[i] * v[j] + (2 * K[2] * v[i] * q[j] + K[3] / 2 * q[i] * q[j] * s) * s;
        }
}

// the same with the first: Kg_qs,s = -S'' = Kg_ss,q,  Kg_ss,s = -S'''q
static void third_of(double *out, const piece *p, int c, const basis *w, const double *q, const double *v) {
    const double *y = c < 3 ? p->S : p->P, *M = c < 3 ? p->S2 : p->P2;
    int m = p->with_s.m - 1;
    double s = v[m];
    out[m] = 0;
    for (int j = 0; j < m; j++) {
        double second = spline_at(w, 2, y, M, 3 * m, c % 3 * m + j),
               third = spline_at(w, 3, y, M, 3 * m, c % 3 * m + j);
        out[j] = -second * s * s;
        out[m] -= (2 * second * v[j] + third * q[j] * s) * s;
    }
    if (p->Kg) add_third(out, p, c, w, q, v);
}

static lmb_status update(double *work, const lmb_body_view *view) {
    const track *t = track_of(view->body);
    const slide o = slide_of(t);
    const double *s = places(view), *ds = view->v + view->body->n - t->count;
    bool ok = true;
    for (int k = 0; k < t->count; k++, work += o.count) {
        int part = (int)fmin(fmax(floor(s[k] / (t->length / t->parts)), 0), t->parts - 1);
        const piece *p = &t->pieces[part];
        int m = p->with_s.m - 1;
        double *q = work + o.q, *v = work + o.v;
        work[0] = part;
        memcpy(q, view->q + p->at + part, (7 + (size_t)m) * sizeof *q), q[7 + m] = 0;
        memcpy(v, view->v + p->at, (6 + (size_t)m) * sizeof *v), v[6 + m] = ds[k];
        set_site(work + o.S, work + o.P, work + o.Kg, t, part, s[k], q + 7);
        lmb_modal_place(work + o.work, q);
        ok = ok && isfinite(s[k]) && q_is_unit(q_load(q + 3));
    }
    return ok ? LMB_OK : LMB_ERR_NUMERIC;
}

typedef struct seen { // what modal_marker.c sees
    lmb_modal_state x;
    lmb_modal_site s;
    const piece *p;
    int n, D, last; // velocities of the track, place of s
} seen;

static seen seen_of(const lmb_body_view *view, const lmb_marker *m) {
    const lmb_body *b = view->body;
    const track *t = track_of(b);
    const site *on = m->site;
    const slide o = slide_of(t);
    const double *own = view->work + on->slot * o.count;
    seen v = {.n = b->n, .last = b->n - t->count + on->slot, .p = &t->pieces[(int)own[0]]};
    v.D = v.p->with_s.m;
    v.x = (lmb_modal_state){&v.p->with_s, own + o.q, own + o.v, own + o.work, NULL, V3_ZERO};
    v.s = (lmb_modal_site){.x = v3_madd(t->from, places(view)[on->slot], t->axis),
                           .S = own + o.S,
                           .P = own + o.P,
                           .offset = on->offset};
    for (int c = 0; c < 6; c++) v.s.Kg[c] = own + o.Kg + (size_t)c * v.D * v.D;
    return v;
}

// place of velocity i of the part with s
static int place_of(const seen *v, int i) { return i < 5 + v->D ? v->p->at + i : v->last; }

// out (rows x n) from the part's own (rows x (6 + D))
static void spread(double *out, const seen *v, const double *own, int rows) {
    int N = 6 + v->D;
    memset(out, 0, (size_t)rows * v->n * sizeof *out);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < N; i++) out[(size_t)r * v->n + place_of(v, i)] = own[r * N + i];
}

static void marker(lmb_frame_state *f, const lmb_body_view *view, const lmb_marker *m) {
    seen v = seen_of(view, m);
    lmb_frame_state own = {.J = view->scratch};
    lmb_modal_marker(&own, &v.x, &v.s);
    f->p = own.p;
    memcpy(f->twist, own.twist, sizeof f->twist);
    spread(f->J, &v, own.J, 6);
}

static void marker_bias(double *bias, const lmb_body_view *view, const lmb_marker *m) {
    seen v = seen_of(view, m);
    lmb_modal_marker_bias(bias, &v.x, &v.s);
}

static void marker_dJv(double *A, const lmb_body_view *view, const lmb_marker *m) {
    seen v = seen_of(view, m);
    lmb_modal_marker_dJv(view->scratch, &v.x, &v.s);
    spread(A, &v, view->scratch, 6);
}

static void marker_dJtw(double *A, const lmb_body_view *view, const lmb_marker *m, const double *w) {
    seen v = seen_of(view, m);
    int N = 6 + v.D;
    const double *own = view->scratch;
    lmb_modal_marker_dJtw(view->scratch, &v.x, &v.s, w);
    memset(A, 0, (size_t)v.n * v.n * sizeof *A);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[(size_t)place_of(&v, i) * v.n + place_of(&v, j)] = own[i * N + j];
}

static void marker_change(double *by_q, double *by_v, const lmb_body_view *view, const lmb_marker *m) {
    const track *t = track_of(view->body);
    seen v = seen_of(view, m);
    int N = 6 + v.D, part = (int)(v.p - t->pieces);
    double *Q = view->scratch, *V = Q + 6 * N, *a = V + 6 * N, *third = a + N, length = t->length / t->parts;
    double s = places(view)[((const site *)m->site)->slot];
    basis w = basis_at(s - part * length, length / t->steps, t->steps);
    for (int i = 0; i < N; i++) a[i] = view->a[place_of(&v, i)];
    for (int c = 0; c < 6; c++) third_of(third + c * v.D, v.p, c, &w, v.x.q + 7, v.x.v + 6);
    v.s.third = third;
    lmb_modal_marker_change(Q, V, &v.x, &v.s, a);
    spread(by_q, &v, Q, 6);
    spread(by_v, &v, V, 6);
}

// ---- no mass, no force -------------------------------------------------------------------------

static void start(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin) {
    (void)v, (void)p, (void)velocity, (void)spin;
    for (int i = 0; i < b->block_count - 1; i++) q += b->model->blocks[b->blocks[i]].nq;
    memcpy(q, track_of(b)->s0, (size_t)track_of(b)->count * sizeof *q);
}
static bool is_idle(const lmb_body_view *x, const acts *on) {
    for (int i = 0; i < on->joint_count; i++)
        if (x->active_joint[on->joints[i]] != 0) return false;
    for (int i = 0; i < on->force_count; i++)
        if (x->active_force[on->forces[i]] != 0) return false;
    return true;
}

// s'' = 0 of an idle place, as a force: times the mass of a part
static double idle_mass(const lmb_body_view *x, int place) {
    const track *t = track_of(x->body);
    return is_idle(x, &t->acts[place]) ? t->pieces[0].with_s.flex->I1 : 0;
}

static void inertia(double *r, const lmb_body_view *x, const double *a) {
    int n = x->body->n, count = track_of(x->body)->count;
    memset(r, 0, (size_t)n * sizeof *r);
    for (int k = 0, i = n - count; k < count; k++, i++) r[i] = idle_mass(x, k) * a[i];
}
static void mass(double *M, const lmb_body_view *x) {
    int n = x->body->n, count = track_of(x->body)->count;
    memset(M, 0, (size_t)n * n * sizeof *M);
    for (int k = 0, i = n - count; k < count; k++, i++) M[(size_t)i * n + i] = idle_mass(x, k);
}
static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    size_t size = (size_t)x->body->n * x->body->n * sizeof *K;
    (void)a;
    memset(D, 0, size), memset(K, 0, size);
}

static void energy(lmb_energy *e, const lmb_body_view *x) { (void)e, (void)x; }

// adds i to a list of those that act on a place, if it is not the last of it
static void add_act(int *list, int *count, int i) {
    if (*count == 0 || list[*count - 1] != i) list[(*count)++] = i;
}

static void note_act(const lmb_body *b, int marker, int joint, int force) {
    const lmb_marker *k = &b->model->markers[marker];
    if (k->body != (int)(b - b->model->bodies)) return;
    acts *on = &track_of(b)->acts[((const site *)k->site)->slot];
    if (joint >= 0) add_act(on->joints, &on->joint_count, joint);
    if (force >= 0) add_act(on->forces, &on->force_count, force);
}

static lmb_status note_acts(const lmb_body *b, lmb_arena *arena, lmb_error *err) {
    const track *t = track_of(b);
    const lmb_model *m = b->model;
    for (int k = 0; k < t->count; k++) {
        t->acts[k].joints = lmb_arena_get(arena, (size_t)m->joint_count + 1, sizeof(int));
        t->acts[k].forces = lmb_arena_get(arena, (size_t)m->force_count + 1, sizeof(int));
        if (!t->acts[k].joints || !t->acts[k].forces) return lmb_fail_memory(err);
    }
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].marker_count; k++) note_act(b, m->joints[i].marker[k], i, -1);
    for (int i = 0; i < m->force_count; i++)
        for (int k = 0; k < 2; k++) note_act(b, m->forces[i].marker[k], -1, i);
    return LMB_OK;
}

static const lmb_body_ops ops = {
    .name = "track",
    .start = start,
    .note_acts = note_acts,
    .dynamics = {.update = update, .inertia = inertia, .mass = mass, .tangent = tangent, .energy = energy},
    .markers = {.frame = marker,
                .bias = marker_bias,
                .dJv = marker_dJv,
                .dJtw = marker_dJtw,
                .change = marker_change},
};

// ---- markers -----------------------------------------------------------------------------------

static double along(const track *t, vec3 x) { return v3_dot(t->axis, v3_sub(x, t->from)); }

// the point that starts nearest to s; among equals the first without a marker
static int nearest(const track *t, double s) {
    int best = 0;
    for (int k = 1; k < t->count; k++) {
        double gain = fabs(t->s0[best] - s) - fabs(t->s0[k] - s);
        if (gain > 0 || (gain == 0 && t->taken[best])) best = k;
    }
    t->taken[best] = true;
    return best;
}

static lmb_status site_make(const void **out, lmb_build *b, const lmb_body *body, const pose *local,
                            const lmb_marker *on, lmb_where where, lmb_error *err) {
    (void)where;
    const track *t = track_of(body);
    site *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->slot = on ? ((const site *)on->site)->slot : nearest(t, along(t, local->r));
    s->offset = (pose){v3_sub(local->r, v3_madd(t->from, t->s0[s->slot], t->axis)), local->R};
    *out = s;
    return LMB_OK;
}

static const lmb_body_kind kind = {.doc = {"track", "", NULL}, .ops = &ops, .site = site_make};

// ---- plan --------------------------------------------------------------------------------------

// of loads at the ends, where they are interfaces: there the parts join
static void set_ends(double *Kg, const lmb_flex *f, const track *t) {
    size_t mm = (size_t)f->m * (size_t)f->m;
    vec3 ends[2] = {v3_load(f->node_x), v3_load(f->node_x + 3 * t->elements)};
    double reach = 1e-6 * v3_norm(v3_sub(ends[1], ends[0]));
    for (int i = 0; i < f->stiffening_count; i++) {
        const lmb_flex_stiffening *g = &f->stiffening[i];
        for (int side = 0; side < 2 && g->load == LMB_LOAD_INTERFACE; side++)
            if (v3_norm(v3_sub(f->markers[g->marker].x, ends[side])) < reach)
                memcpy(Kg + (6 * (size_t)(side * t->steps) + (size_t)g->index) * mm, g->Kg, mm * sizeof *Kg);
    }
}

// the stations of a part: its nodes; with fewer than three elements a spline through them would miss the slopes
static lmb_status plan_stations(piece *p, lmb_arena *arena, const lmb_flex *f, const track *t,
                                lmb_error *err) {
    size_t m = (size_t)f->m, stations = (size_t)t->steps + 1;
    double *S = lmb_arena_get(arena, stations * 3 * m + 1, sizeof *S);
    double *P = lmb_arena_get(arena, stations * 3 * m + 1, sizeof *P), away;
    bool second = f->second_count > 0;
    if (second) p->Kg = lmb_arena_get(arena, stations * 6 * m * m, sizeof *p->Kg);
    if (second) p->Kg2 = lmb_arena_get(arena, stations * 6 * m * m, sizeof *p->Kg2);
    vec3 from = v3_load(f->node_x), d = v3_sub(v3_load(f->node_x + 3 * t->elements), from);
    lmb_status st = S && P && (!second || (p->Kg && p->Kg2)) ? LMB_OK : lmb_fail_memory(err);
    for (size_t i = 0; i < stations && st == LMB_OK; i++) {
        lmb_flex_place at = {
            .S = S + 3 * m * i, .P = P + 3 * m * i, .Kg = second ? p->Kg + 6 * m * m * i : NULL};
        st = lmb_flex_place_at(&at, &away, f, v3_madd(from, (double)i / t->steps, d), err);
    }
    if (st == LMB_OK && second) set_ends(p->Kg, f, t);
    p->S = S, p->P = P;
    return st;
}

static lmb_status plan_piece(piece *p, lmb_arena *arena, const lmb_body_plan *part, const track *t,
                             lmb_error *err) {
    const lmb_modal *c = part->constants;
    int stride = 3 * c->m;
    double h = t->length / t->parts / t->steps;
    size_t size = (size_t)(t->steps + 1) * stride + 1;
    double *S2 = lmb_arena_get(arena, size, sizeof *S2), *P2 = lmb_arena_get(arena, size, sizeof *P2);
    double *work = lmb_arena_doubles(arena, t->steps + 1);
    if (S2 == NULL || P2 == NULL || work == NULL) return lmb_fail_memory(err);
    lmb_status st = plan_stations(p, arena, c->flex, t, err);
    for (int k = 0; k < stride && st == LMB_OK; k++) {
        spline(S2 + k, p->S + k, t->steps, stride, h, work);
        spline(P2 + k, p->P + k, t->steps, stride, h, work);
    }
    int second = p->Kg ? 6 * c->m * c->m : 0;
    for (int k = 0; k < second && st == LMB_OK; k++) spline(p->Kg2 + k, p->Kg + k, t->steps, second, h, work);
    p->S2 = S2, p->P2 = P2;
    p->with_s = (lmb_modal){.m = c->m + 1, .flex = c->flex, .stiffening = LMB_STIFFENING_ON};
    return st;
}

static lmb_status plan_pieces(track *t, lmb_build *b, const lmb_body_plan *row, const lmb_flexible *f,
                              lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0, at = 0; i < t->parts && st == LMB_OK; i++) {
        const lmb_body_plan *part = row->parts ? &row->parts[i] : row;
        int m = ((const lmb_modal *)part->constants)->m;
        if (m > MOST)
            return lmb_fail(err, LMB_ERR_INPUT, f->node->where,
                            "body '%s' has %d elastic coordinates; with `sliding` the maximum is %d; use "
                            "fewer shape functions",
                            f->name, m, MOST);
        st = plan_piece(&t->pieces[i], lmb_build_arena(b), part, t, err);
        t->pieces[i].at = at, at += 6 + m;
        t->most = m + 1 > t->most ? m + 1 : t->most;
    }
    return st;
}

static lmb_status read_places(track *t, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    int k = 0;
    for (const lmb_node *n = f->sliding->first; n; n = n->next, k++) {
        const lmb_node *at = n->kind == LMB_NODE_MAP ? lmb_node_find(n, "at") : n;
        vec3 x = V3_ZERO;
        lmb_status st = at ? lmb_spec_vec3(&x, lmb_build_spec(b), at, (lmb_dim)LMB_LENGTH, err) : LMB_OK;
        if (st != LMB_OK) return st;
        t->s0[k] = along(t, x);
        if (!(t->s0[k] >= -1e-9 * t->length && t->s0[k] <= (1 + 1e-9) * t->length))
            return lmb_fail(
                err, LMB_ERR_INPUT, n->where,
                "sliding marker '%s' of body '%s' starts beyond the ends of the beam; place it on the axis",
                n->key, f->name);
    }
    return LMB_OK;
}

// all blocks of the beam, then s
static lmb_status plan_blocks(lmb_body_plan *out, const track *t, lmb_arena *arena, const lmb_body_plan *row,
                              lmb_error *err) {
    int shared = 0;
    for (int i = 0; i < t->parts; i++) shared += (row->parts ? &row->parts[i] : row)->block_count;
    lmb_block_plan *blocks = lmb_arena_get(arena, (size_t)shared + 1, sizeof *blocks);
    if (blocks == NULL) return lmb_fail_memory(err);
    blocks[shared] = (lmb_block_plan){LMB_BLOCK_VECTOR, t->count, t->length};
    *out = (lmb_body_plan){.ops = &ops,
                           .block_count = shared + 1,
                           .blocks = blocks,
                           .work_count = t->count * slide_of(t).count,
                           .scratch_count = (6 + t->most) * (6 + t->most + 19),
                           .constants = t,
                           .shared = shared,
                           .dependent = true,
                           .kind = &kind};
    return LMB_OK;
}

lmb_status lmb_track_plan(const lmb_body_plan **out, lmb_build *b, const lmb_body_plan *row,
                          const lmb_flexible *f, lmb_error *err) {
    lmb_arena *arena = lmb_build_arena(b);
    const lmb_beam_part *beam = &f->part.beam;
    vec3 d = v3_sub(beam->b, beam->a);
    int parts = row->parts ? row->part_count : 1;
    track *t = lmb_arena_get(arena, 1, sizeof *t);
    lmb_body_plan *plan = lmb_arena_get(arena, 1, sizeof *plan);
    if (t == NULL || plan == NULL) return lmb_fail_memory(err);
    *t = (track){.count = f->sliding->count, .from = beam->a, .axis = v3_unit(d), .length = v3_norm(d)};
    t->parts = parts, t->elements = beam->elements;
    t->steps = t->elements < 3 ? 4 : t->elements;
    t->s0 = lmb_arena_doubles(arena, t->count);
    t->acts = lmb_arena_get(arena, (size_t)t->count + 1, sizeof *t->acts);
    t->taken = lmb_arena_get(arena, (size_t)t->count + 1, sizeof *t->taken);
    t->pieces = lmb_arena_get(arena, (size_t)parts, sizeof *t->pieces);
    if (!t->s0 || !t->acts || !t->taken || !t->pieces) return lmb_fail_memory(err);
    lmb_status st = read_places(t, b, f, err);
    if (st == LMB_OK) st = plan_pieces(t, b, row, f, err);
    if (st == LMB_OK) st = plan_blocks(plan, t, arena, row, err);
    *out = plan;
    return st;
}
