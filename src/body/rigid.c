// body/rigid.c: the rigid body: one frame, mass, centre of mass and inertia about the frame's origin.
//
//     | m I        -R (mc)~ | | v' |   | R (w x (w x mc)) - m g  |
//     | (mc)~ R'    J       | | w' | + | w x J w - mc x R' g     |  = forces           docs/theory/bodies.md (1)
//
// v in global, w in body components; mc = m c, J about the origin (theory of the modal body without modes).
#include "body/rigid.h"

#include "body/shape.h"
#include "math/moving.h"

typedef lmb_rigid rigid;

typedef struct work { // doubles only: it lives in the data pool
    pose p;
    vec3 v, w;
} work;

static const rigid *constants(const lmb_body_view *x) { return x->body->constants; }
static const work *work_of(const lmb_body_view *x) { return (const work *)x->work; }

static lmb_status update(double *to, const lmb_body_view *x) {
    *(work *)to = (work){{v3_load(x->q), q_matrix(q_load(x->q + 3))}, v3_load(x->v), v3_load(x->v + 3)};
    return q_is_unit(q_load(x->q + 3)) ? LMB_OK : LMB_ERR_NUMERIC;
}

static void inertia(double *r, const lmb_body_view *x, const double *a) {
    const rigid *c = constants(x);
    const work *s = work_of(x);
    vec3 acc = v3_sub(v3_load(a), x->gravity), alpha = v3_load(a + 3);
    vec3 turn = v3_add(v3_cross(alpha, c->mc), v3_cross(s->w, v3_cross(s->w, c->mc)));
    // m (v' - g) + R (w' x mc + w x (w x mc))
    v3_store(r, v3_add(v3_scale(c->mass, acc), m3_mul_v3(&s->p.R, turn)));
    // J w' + w x J w + mc x R' (v' - g)
    vec3 spin = v3_add(m3_mul_v3(&c->J, alpha), v3_cross(s->w, m3_mul_v3(&c->J, s->w)));
    v3_store(r + 3, v3_add(spin, v3_cross(c->mc, m3_tmul_v3(&s->p.R, acc))));
}

// B[i.., j..] += s A in a 6 x 6 matrix
static void add3(double *B, int i, int j, double s, const mat3 *A) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) B[(i + r) * 6 + j + c] += s * A->m[r][c];
}

static void mass(double *M, const lmb_body_view *x) {
    const rigid *c = constants(x);
    for (int i = 0; i < 3; i++) { // -R mc~ and its transpose
        vec3 y = v3_cross(c->mc, m3_row(&work_of(x)->p.R, i));
        v3_store(M + 6 * i, v3_scale(c->mass, v3_axis(i)));
        v3_store(M + 6 * i + 3, y);
        M[18 + i] = y.x, M[24 + i] = y.y, M[30 + i] = y.z;
        v3_store(M + 18 + 6 * i + 3, m3_row(&c->J, i));
    }
}

static bool constant_mass(const lmb_body *b) { return v3_norm(((const rigid *)b->constants)->mc) == 0; }

static const lmb_rigid *rigid_of(const lmb_body *b) { return b->constants; }

static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    const rigid *c = constants(x);
    const work *s = work_of(x);
    memset(D, 0, 36 * sizeof *D);
    memset(K, 0, 36 * sizeof *K);
    // d(w x (w x mc))/dw = -(w x mc)~ - w~ mc~
    mat3 Dr = m3_mul(s->p.R, m3_add(m3_skew(v3_cross(s->w, c->mc)), m3_mul(m3_skew(s->w), m3_skew(c->mc))));
    add3(D, 0, 3, -1, &Dr);
    // d(w x J w)/dw = w~ J - (J w)~
    mat3 Dw = m3_sub(m3_mul(m3_skew(s->w), c->J), m3_skew(m3_mul_v3(&c->J, s->w)));
    add3(D, 3, 3, 1, &Dw);
    // d(R y)/dtheta = -R y~
    vec3 y = v3_add(v3_cross(v3_load(a + 3), c->mc), v3_cross(s->w, v3_cross(s->w, c->mc)));
    mat3 Kr = m3_mul(s->p.R, m3_skew(y));
    add3(K, 0, 3, -1, &Kr);
    // d(mc x R' (v' - g))/dtheta = mc~ (R' (v' - g))~
    vec3 acc = v3_sub(v3_load(a), x->gravity);
    mat3 Kw = m3_mul(m3_skew(c->mc), m3_skew(m3_tmul_v3(&s->p.R, acc)));
    add3(K, 3, 3, 1, &Kw);
}

static void marker(lmb_frame_state *f, const lmb_body_view *x, const lmb_marker *m) {
    const work *s = work_of(x);
    vec3 u = m->local.r;
    f->p = pose_mul(s->p, m->local);
    v3_store(f->twist, v3_add(s->v, m3_mul_v3(&s->p.R, v3_cross(s->w, u))));
    v3_store(f->twist + 3, m3_tmul_v3(&m->local.R, s->w));
    double *J = f->J; // [1 -R u~; 0 A']
    for (int i = 0; i < 3; i++, J += 6)
        v3_store(J, v3_axis(i)), v3_store(J + 3, v3_cross(u, m3_row(&s->p.R, i)));
    for (int i = 0; i < 3; i++, J += 6) v3_store(J, V3_ZERO), v3_store(J + 3, m3_column(&m->local.R, i));
}

static void marker_bias(double *bias, const lmb_body_view *x, const lmb_marker *m) {
    const work *s = work_of(x);
    v3_store(bias, m3_mul_v3(&s->p.R, v3_cross(s->w, v3_cross(s->w, m->local.r))));
    v3_store(bias + 3, V3_ZERO);
}

static void marker_dJv(double *A, const lmb_body_view *x, const lmb_marker *m) {
    const work *s = work_of(x);
    mat3 B = m3_mul(s->p.R, m3_skew(v3_cross(s->w, m->local.r)));
    memset(A, 0, 36 * sizeof *A);
    add3(A, 0, 3, -1, &B);
}

static void marker_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m) {
    const work *s = work_of(x);
    const moving k = {.R = s->p.R, .w = s->w, .dw = v3_load(x->a + 3)};
    mat3 by_th, by_w;
    moving_arm(&by_th, &by_w, &k, m->local.r);
    memset(by_q, 0, 36 * sizeof *by_q), memset(by_v, 0, 36 * sizeof *by_v);
    add3(by_q, 0, 3, 1, &by_th);
    add3(by_v, 0, 3, 1, &by_w);
}
static void marker_dJtw(double *A, const lmb_body_view *x, const lmb_marker *m, const double *w) {
    const work *s = work_of(x);
    mat3 B = m3_mul(m3_skew(m->local.r), m3_skew(m3_tmul_v3(&s->p.R, v3_load(w))));
    memset(A, 0, 36 * sizeof *A);
    add3(A, 3, 3, 1, &B);
}

static void energy(lmb_energy *e, const lmb_body_view *x) {
    const rigid *c = constants(x);
    const work *s = work_of(x);
    vec3 turn = m3_mul_v3(&s->p.R, v3_cross(s->w, c->mc)), Jw = m3_mul_v3(&c->J, s->w);
    e->kinetic += 0.5 * c->mass * v3_dot(s->v, s->v) + v3_dot(s->v, turn) + 0.5 * v3_dot(s->w, Jw);
    vec3 mr = v3_add(v3_scale(c->mass, s->p.r), m3_mul_v3(&s->p.R, c->mc));
    e->gravity -= v3_dot(mr, x->body->model->gravity);
    vec3 p = v3_add(v3_scale(c->mass, s->v), turn);
    vec3 own = v3_add(v3_cross(c->mc, m3_tmul_v3(&s->p.R, s->v)), Jw);
    e->momentum = v3_add(e->momentum, p);
    e->spin = v3_add(e->spin, v3_add(v3_cross(s->p.r, p), m3_mul_v3(&s->p.R, own)));
}

static int carrier(pose *rel, const lmb_body *b, const lmb_marker *m) {
    (void)b;
    *rel = m->local;
    return 0;
}

static const lmb_body_ops ops = {
    .name = "rigid",
    .dynamics = {.update = update,
                 .inertia = inertia,
                 .mass = mass,
                 .constant_mass = constant_mass,
                 .rigid = rigid_of,
                 .tangent = tangent,
                 .energy = energy},
    .markers = {.frame = marker,
                .bias = marker_bias,
                .dJv = marker_dJv,
                .dJtw = marker_dJtw,
                .change = marker_change},
    .following = {.carrier = carrier},
};

// ---- reading -----------------------------------------------------------------------------------

typedef struct rigid_read {
    lmb_body_common common;
    double mass, density;
    const lmb_node *inertia;
    vec3 com;
} rigid_read;

static const lmb_key inertia_forms[] = {{"one", LMB_KEY_NUMBER}, {"list", LMB_KEY_NUMBERS}, {0}};
// clang-format off
static const lmb_key keys[] = {
    LMB_BODY_KEYS,
    {"mass", LMB_KEY_NUMBER, offsetof(rigid_read, mass), LMB_KEY_POSITIVE, LMB_MASS, 0, 0, "Mass, kg."},
    {"inertia", LMB_KEY_NODE, offsetof(rigid_read, inertia), 0, LMB_INERTIA,
     "[Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] (matrix entries) or one number", inertia_forms,
     "Inertia about the centre of mass, body axes, kg m2."},
    {"com", LMB_KEY_VEC3, offsetof(rigid_read, com), 0, LMB_LENGTH, 0, 0, "Centre of mass in the body frame, m."},
    {"density", LMB_KEY_NUMBER, offsetof(rigid_read, density), LMB_KEY_POSITIVE, LMB_DENSITY, 0, 0,
     "Density, kg/m3; mass, centre of mass and inertia follow from `shape`."},
    {0},
};
// clang-format on

// the smallest eigenvalue must be positive and no principal moment larger than the sum of the others
static lmb_status check_inertia(const mat3 *I, const lmb_node *where, const char *name, lmb_error *err) {
    double A[9], values[3], vectors[9];
    memcpy(A, I->m, sizeof A);
    lmb_dense_eigen_symmetric(values, vectors, A, 3);
    if (!(values[0] > 0))
        return lmb_fail(
            err, LMB_ERR_INPUT, where->where,
            "inertia of body '%s' is not positive definite (smallest principal moment %g kg m2); give three "
            "positive moments",
            name, values[0]);
    if (values[2] > (values[0] + values[1]) * (1 + 1e-9))
        return lmb_fail(err, LMB_ERR_INPUT, where->where,
                        "inertia of body '%s' is not physical: principal moment %g exceeds the sum of the "
                        "other two, %g + %g; check the order Ixx, Iyy, Izz, Ixy, Ixz, Iyz",
                        name, values[2], values[0], values[1]);
    return LMB_OK;
}

static lmb_status read_inertia(mat3 *I, lmb_spec *spec, const lmb_node *n, lmb_error *err) {
    lmb_numbers list = {0};
    double one;
    if (n->kind == LMB_NODE_SCALAR) {
        lmb_status st = lmb_spec_number(&one, spec, n, (lmb_dim)LMB_INERTIA, err);
        *I = m3_diag(one, one, one);
        return st;
    }
    bool rows = n->kind != LMB_NODE_LIST || (n->first && n->first->kind != LMB_NODE_SCALAR);
    if (rows)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "inertia must be a single list, [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], "
                        "not the rows of a matrix");
    lmb_status st = lmb_spec_numbers(&list, spec, n, (lmb_dim)LMB_INERTIA, err);
    if (st != LMB_OK) return st;
    if (list.count != 3 && list.count != 6)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "inertia has %d numbers; give [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]",
                        list.count);
    *I = m3_diag(list.v[0], list.v[1], list.v[2]);
    if (list.count == 6) {
        I->m[0][1] = I->m[1][0] = list.v[3];
        I->m[0][2] = I->m[2][0] = list.v[4];
        I->m[1][2] = I->m[2][1] = list.v[5];
    }
    return LMB_OK;
}

// mass, centre and inertia about the centre: given, or from shape and density
static lmb_status mass_properties(lmb_solid *s, lmb_build *b, const rigid_read *read, const lmb_node *node,
                                  const char *name, lmb_error *err) {
    lmb_status st = LMB_OK;
    if (read->common.shape && !(read->density > 0)) { // errors in it are reported even so
        lmb_solid unused = {0};
        st = lmb_shape_solid(&unused, lmb_build_spec(b), read->common.shape, 1, err);
        if (st != LMB_OK) return st;
    }
    if (read->density > 0) {
        if (read->common.shape == NULL)
            return lmb_fail(err, LMB_ERR_INPUT, node->where,
                            "body '%s' has a density but no shape; add `shape: {box: [a, b, c]}` or give "
                            "mass and inertia",
                            name);
        st = lmb_shape_solid(s, lmb_build_spec(b), read->common.shape, read->density, err);
        if (st != LMB_OK) return st;
    }
    if (read->mass > 0)
        s->inertia = m3_scale(s->mass > 0 ? read->mass / s->mass : 1, s->inertia), s->mass = read->mass;
    if (lmb_node_find(node, "com")) s->com = read->com;
    if (!(s->mass > 0))
        return lmb_fail(err, LMB_ERR_INPUT, node->where,
                        "body '%s' has no mass; give `mass` and `inertia`, or `shape` and `density`", name);
    if (read->inertia) {
        st = read_inertia(&s->inertia, lmb_build_spec(b), read->inertia, err);
        if (st == LMB_OK) st = check_inertia(&s->inertia, read->inertia, name, err);
    } else if (!(read->density > 0)) {
        return lmb_fail(err, LMB_ERR_INPUT, node->where,
                        "body '%s' has no inertia; give `inertia: [Ixx, Iyy, Izz]`, or `shape` and `density`",
                        name);
    }
    return st;
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node, const char *name,
                       lmb_error *err) {
    rigid *c = lmb_arena_get(lmb_build_arena(b), 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    lmb_solid s = {0};
    lmb_status st = mass_properties(&s, b, read, node, name, err);
    if (st != LMB_OK) return st;
    mat3 cc = m3_skew(s.com);
    // mc = m c,  J = I - m c~ c~
    *c = (rigid){s.mass, v3_scale(s.mass, s.com), m3_sub(s.inertia, m3_scale(s.mass, m3_mul(cc, cc)))};
    *out = (lmb_body_plan){.block_count = 2,
                           .blocks = lmb_frame_blocks,
                           .work_count = sizeof(work) / sizeof(double),
                           .constants = c,
                           .size = s.size};
    return LMB_OK;
}

const lmb_body_kind lmb_body_rigid = {
    .doc = {"rigid", "A rigid body: mass, centre of mass, inertia.", keys},
    .ops = &ops,
    .read_size = sizeof(rigid_read),
    .plan = plan,
};
