// body/ancf.c: beams in absolute nodal coordinates.                              docs/theory/ancf.md
//
// The unknowns are places and slopes of the nodes in global components: constant mass matrix, constant
// gravity, no centrifugal terms, all of the nonlinearity in the elastic force.  A beam is a row of
// bodies, one per element, that share the blocks of the nodes between them: the effort and the number of
// matrix entries grow linearly with the number of elements.
//
//     M a + G(q) q - W g = forces            G from the products of nodal vectors
#include "body/ancf.h"

static const lmb_ancf_beam *beam_of(const lmb_body *b) { return b->constants; }

static void load(vec3 *e, const double *x, int count) {
    for (int i = 0; i < count; i++) e[i] = v3_load(x + 3 * i);
}

// rates of p; a translation changes nothing: velocities from the first node on keep the digits
static void rates_of(double *rate, vec3 *v, const lmb_ancf_constants *c, const lmb_ancf_work *k) {
    memcpy(v, k->v, sizeof k->v);
    lmb_ancf_from_first(v, c);
    if (rate) lmb_ancf_product_rates(rate, c, k->e, v);
}

// no slope of a node has vanished (they are 1 without strain), and all is finite: G has the products of all vectors
static bool is_sound(const lmb_ancf_constants *c, const double *p, const double *G) {
    const double VANISHED = 1e-6;
    for (int i = 0; i < c->vectors; i++)
        if (i % c->per_node > 0 && !(p[lmb_ancf_product(i, i)] > VANISHED * VANISHED)) return false;
    return isfinite(G[0]);
}

static lmb_status update(double *work, const lmb_body_view *x) {
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    lmb_ancf_work *k = (lmb_ancf_work *)work;
    double rate[LMB_ANCF_PRODUCTS], p[LMB_ANCF_PRODUCTS], beta = beam_of(x->body)->beta;
    vec3 v[LMB_ANCF_VECTORS];
    load(k->e, x->q, c->vectors);
    load(k->v, x->v, c->vectors);
    lmb_ancf_from_first(k->e, c);
    if (beta > 0) rates_of(rate, v, c, k);
    lmb_ancf_products(p, c, k->e);
    lmb_ancf_weights(k->G, c, p, p, beta > 0 ? rate : NULL, beta);
    return is_sound(c, p, k->G) ? LMB_OK : LMB_ERR_NUMERIC;
}

static void prestress(double *work, const lmb_body_view *x, const double *q) {
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    lmb_ancf_work *k = (lmb_ancf_work *)work;
    double p[LMB_ANCF_PRODUCTS], at[LMB_ANCF_PRODUCTS];
    vec3 e[LMB_ANCF_VECTORS];
    load(e, q, c->vectors);
    lmb_ancf_from_first(e, c);
    lmb_ancf_products(p, c, e);
    lmb_ancf_products(at, c, k->e);
    lmb_ancf_weights(k->G, c, p, at, NULL, 0);
}

// r = M (a - g) + G e
static void inertia(double *r, const lmb_body_view *x, const double *a) {
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    const lmb_ancf_work *k = lmb_ancf_work_of(x);
    vec3 g = x->gravity;
    lmb_ancf_balance(r, c, a, k->G, k->e);
    for (int i = 0; i < c->vectors; i++) v3_store(r + 3 * i, v3_madd(v3_load(r + 3 * i), -c->weight[i], g));
}

// M x I
static void mass(double *M, const lmb_body_view *x) {
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    int n = x->body->n, stride = lmb_ancf_filled(c->vectors);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int i = 0; i < c->vectors; i++)
        for (int j = 0; j < c->vectors; j++)
            for (int k = 0; k < 3; k++) M[(3 * i + k) * n + 3 * j + k] = c->M[i * stride + j];
}

static bool constant_mass(const lmb_body *b) {
    (void)b;
    return true;
}

static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    (void)a;
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    const lmb_ancf_work *k = lmb_ancf_work_of(x);
    vec3 v[LMB_ANCF_VECTORS];
    rates_of(NULL, v, c, k);
    lmb_ancf_tangent(K, D, c, k->G, k->e, v, beam_of(x->body)->beta);
}

static bool has_damping(const lmb_body *b) { return beam_of(b)->beta > 0; }

static void energy(lmb_energy *e, const lmb_body_view *x) {
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    const lmb_ancf_work *k = lmb_ancf_work_of(x);
    for (int i = 0; i < c->vectors; i++) {
        vec3 q = v3_load(x->q + 3 * i), p = V3_ZERO;
        for (int j = 0; j < c->vectors; j++)
            p = v3_madd(p, c->M[i * lmb_ancf_filled(c->vectors) + j], k->v[j]);
        e->kinetic += 0.5 * v3_dot(k->v[i], p);
        e->gravity -= c->weight[i] * v3_dot(q, x->body->model->gravity);
        e->momentum = v3_madd(e->momentum, c->weight[i], k->v[i]);
        e->spin = v3_add(e->spin, v3_cross(q, p));
    }
    e->strain += lmb_ancf_strain_energy(c, k->e);
}

// beta (p')' Cd p', p' the rates
static double dissipation(const lmb_body_view *x) {
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    const lmb_ancf_work *k = lmb_ancf_work_of(x);
    double rate[LMB_ANCF_PRODUCTS], beta = beam_of(x->body)->beta, power = 0;
    vec3 v[LMB_ANCF_VECTORS];
    if (beta == 0) return 0;
    rates_of(rate, v, c, k);
    for (int i = 0; i < c->products; i++)
        power += beta * rate[i] * lmb_dot(c->Cd + i * c->stride, rate, c->products);
    return power;
}

static void section(double *out, const lmb_body_view *x, const lmb_marker *m) {
    const lmb_ancf_site *s = m->site;
    lmb_ancf_section_forces(out, lmb_ancf_of(x->body), &beam_of(x->body)->material, lmb_ancf_work_of(x)->e,
                            s->at);
}

// r' . n/|r'| of the sections n = r_y x r_z is one without shear and stretch of sections; where an element folds it falls below zero
static bool folded(const lmb_body_view *x) {
    const double LEAST = 0.3;
    const lmb_ancf_constants *c = lmb_ancf_of(x->body);
    const vec3 *e = lmb_ancf_work_of(x)->e;
    for (int g = 0; g < 2 && c->type != LMB_ANCF_CABLE; g++) {
        lmb_ancf_fields f;
        lmb_ancf_fields_at(&f, c->type, c->length, lmb_ancf_gauss2[g]);
        vec3 r = lmb_ancf_sum(&f.rx, e, c->vectors);
        vec3 n = v3_cross(lmb_ancf_sum(&f.ry, e, c->vectors), lmb_ancf_sum(&f.rz, e, c->vectors));
        if (!(v3_dot(r, n) >= LEAST * v3_norm(r))) return true;
    }
    return false;
}

// r + y r_y + z r_z
static bool fibre(double *factors, const lmb_body *b, double at, double y, double z) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    lmb_ancf_fields f;
    lmb_ancf_fields_at(&f, c->type, c->length, at);
    for (int i = 0; i < c->vectors; i++) factors[i] = f.r.c[i] + y * f.ry.c[i] + z * f.rz.c[i];
    return c->type != LMB_ANCF_CABLE;
}

static const lmb_profile *profile(const lmb_body *b) { return lmb_ancf_of(b)->section; }

static void start(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    vec3 e[LMB_ANCF_VECTORS];
    lmb_ancf_reference(e, beam_of(b), b->part);
    for (int i = 0; i < c->vectors; i++) {
        bool point = i % c->per_node == 0;
        vec3 x = m3_mul_v3(&p->R, e[i]);
        v3_store(q + 3 * i, point ? v3_add(p->r, x) : x);
        v3_store(v + 3 * i, v3_add(point ? velocity : V3_ZERO, v3_cross(spin, x)));
    }
}

// ---- clamped nodes -----------------------------------------------------------------------------

// slope k of the node (rows 3k..) += s_column along an axis, start value s0
static void put(lmb_clamp *c, int k, int column, vec3 axis, double s0) {
    for (int i = 0; i < 3; i++) c->S[(3 * k + i) * c->count + column] = v3_get(axis, i);
    c->s0[column] = s0;
}

// free slope coordinates for a fixed frame F = [f1 f2 f3].  section: r_y = s1 f1 + s2 f2, r_z = s2 f1 + s3
// f2, r_x free; tangent: r_x = s1 f1, r_y = s2 f1 + s3 f2, r_z free
static void clamp_slopes(lmb_clamp *c, const lmb_ancf_beam *beam, const mat3 *F) {
    vec3 f[3] = {m3_column(F, 0), m3_column(F, 1), m3_column(F, 2)};
    int slopes = lmb_ancf_per_node(beam->type) - 1, first = slopes == 3 ? 1 : 0; // of r_y
    bool section = beam->axes == LMB_ANCF_SECTION;
    *c = (lmb_clamp){.rows = 3 * slopes, .count = slopes == 3 ? 6 : section ? 3 : 1};
    if (section) {
        put(c, first, 0, f[0], 1), put(c, first, 1, f[1], 0);
        put(c, first + 1, 1, f[0], 0), put(c, first + 1, 2, f[1], 1);
        for (int k = 0; first && k < 3; k++) put(c, 0, 3 + k, f[k], k == 2);
        return;
    }
    put(c, 0, 0, f[0], 1);
    if (slopes < 3) return;
    put(c, 1, 1, f[0], 0), put(c, 1, 2, f[1], 1);
    for (int k = 0; k < 3; k++) put(c, 2, 3 + k, f[k], k == 2);
}

static int node(lmb_clamp *clamp, const lmb_body *b, const lmb_marker *m, const pose *p) {
    const lmb_ancf_beam *c = beam_of(b);
    const lmb_ancf_site *s = m->site;
    int last = lmb_ancf_nodes(c->type) - 1, at = (int)round(s->at * last);
    bool shared = (at == 0 && b->part > 0) || (at == last && b->part < c->elements - 1);
    *clamp = (lmb_clamp){0};
    if (shared || fabs(s->at * last - at) > 1e-9 || v3_norm(s->local.r) > 1e-9 * c->length) return -1;
    mat3 F = m3_mul(p->R, m3_t(s->local.R));
    if (c->type != LMB_ANCF_ENHANCED || c->axes == LMB_ANCF_SECTION) clamp_slopes(clamp, c, &F);
    return 2 * at;
}

const lmb_body_ops lmb_ancf_ops = {
    .name = "ancf",
    .start = start,
    .dynamics = {.update = update,
                 .prestress = prestress,
                 .inertia = inertia,
                 .mass = mass,
                 .constant_mass = constant_mass,
                 .tangent = tangent,
                 .has_damping = has_damping,
                 .energy = energy,
                 .dissipation = dissipation},
    .markers = {.frame = lmb_ancf_marker,
                .moved_by = lmb_ancf_marker_moved_by,
                .bias = lmb_ancf_marker_bias,
                .dJv = lmb_ancf_marker_dJv,
                .dJtw = lmb_ancf_marker_dJtw,
                .change = lmb_ancf_marker_change,
                .section = section},
    .following = {.node = node},
    .look = {.fibre = fibre, .profile = profile, .folded = folded, .unborne = lmb_ancf_marker_unborne},
};
