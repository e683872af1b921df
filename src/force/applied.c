// force/applied.c: forces and torques given by the user: three components, or a value along an axis; in global
// components, or following a body.  With `to` the opposite acts on a second marker.   docs/theory/forces.md (1)
//
//     force, global   W = (F, 0)          following  W = (R F, 0),    d(R F)/dtheta = -R F~
//     torque, global  W = (0, R' T)       d(R' T)/dtheta = (R' T)~    following  W = (0, T)
#include "force/forces.h"

typedef struct applied_read {
    lmb_force_common common;
    const char *on, *to;
    vec3 axis;
    const lmb_node *value;
    int frame;
} applied_read;

static const lmb_key value_forms[] = {{"one", LMB_KEY_EXPR}, {"three", LMB_KEY_EXPRS}, {0}};
// clang-format off
#define APPLIED_KEYS(what, dim)                                                                                  \
    LMB_FORCE_KEYS,                                                                                              \
    {"on", LMB_KEY_TEXT, offsetof(applied_read, on), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0,               \
     "Marker on which it acts."},                                                                                  \
    {"to", LMB_KEY_TEXT, offsetof(applied_read, to), LMB_KEY_IS_REF, {0}, 0, 0,                                  \
     "Marker on which the opposite force or torque acts (reaction)."},                                                             \
    {"axis", LMB_KEY_VEC3, offsetof(applied_read, axis), 0, {0}, 0, 0, "Direction; `value` is then one number."}, \
    {"value", LMB_KEY_NODE, offsetof(applied_read, value), LMB_KEY_REQUIRED, dim,                                \
     "an expression, or a list of three", value_forms, what},                                                          \
    {"frame", LMB_KEY_CHOICE, offsetof(applied_read, frame), 0, {0}, "global|body", 0,                           \
     "Components in global axes (default), or in the axes of the marker `on`, which they follow."},                      \
    {0}
// clang-format on

static const lmb_key force_keys[] = {
    APPLIED_KEYS("The force, N; may depend on time, sensors and signals.", LMB_FORCE)};
static const lmb_key torque_keys[] = {
    APPLIED_KEYS("The torque, Nm; may depend on time, sensors and signals.", LMB_TORQUE)};

typedef struct applied {
    const lmb_expr *value[3];
    vec3 direction[3];
    int count;
    double factor; // to SI
    bool following, is_torque;
} applied;

// the vector (its own components) and its derivatives by input: B is 3 x input_count, may be NULL
static vec3 applied_vector(double *B, const lmb_data *d, const lmb_force *f) {
    const applied *c = f->constants;
    lmb_env env = lmb_env_of(d);
    vec3 F = V3_ZERO;
    for (int k = 0; k < c->count; k++) {
        double by_input[LMB_MAX_INPUTS], factor = c->factor * d->load;
        int used = lmb_expr_input_count(c->value[k]);
        double value = B && used ? lmb_expr_gradient(c->value[k], &env, NULL, by_input)
                                 : lmb_expr_value(c->value[k], &env);
        F = v3_madd(F, factor * value, c->direction[k]);
        for (int i = 0; B && i < used; i++) {
            int slot = lmb_input_slot(f->inputs, f->input_count, lmb_expr_input(c->value[k], i));
            for (int r = 0; r < 3; r++)
                B[r * f->input_count + slot] += factor * by_input[i] * v3_get(c->direction[k], r);
        }
    }
    return F;
}

// rows r..r+2 of a 12-row matrix: A[r.., c..] = s X
static void put3(double *A, int columns, int r, int c, double s, const mat3 *X) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[(r + i) * columns + c + j] += s * X->m[i][j];
}

// W[r..r+2] += s X F with dW/dinput = s X B
static void add_part(lmb_wrench *w, const lmb_force *f, int r, double s, const mat3 *X, vec3 F,
                     const double *B) {
    vec3 y = v3_scale(s, m3_mul_v3(X, F));
    w->W[r] += y.x, w->W[r + 1] += y.y, w->W[r + 2] += y.z;
    if (!w->want_tangent) return;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < f->input_count; k++)
            for (int j = 0; j < 3; j++)
                w->I[(r + i) * f->input_count + k] += s * X->m[i][j] * B[j * f->input_count + k];
}

static void force_wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f, vec3 F, const double *B) {
    const applied *c = f->constants;
    mat3 X = c->following ? d->frames[f->marker[0]].p.R : M3_ID;
    add_part(w, f, 0, 1, &X, F, B);
    add_part(w, f, 6, -1, &X, F, B);
    if (!c->following || !w->want_tangent) return;
    mat3 A = m3_mul(X, m3_skew(F)); // d(R F) = -R F~ dtheta
    put3(w->K, LMB_TWIST, 0, 3, -1, &A);
    put3(w->K, LMB_TWIST, 6, 3, 1, &A);
}

static void torque_wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f, vec3 T, const double *B) {
    const applied *c = f->constants;
    mat3 R1 = d->frames[f->marker[0]].p.R, R2 = d->frames[f->marker[1]].p.R;
    mat3 X1 = c->following ? M3_ID : m3_t(R1), X2 = c->following ? m3_tmul(R2, R1) : m3_t(R2);
    add_part(w, f, 3, 1, &X1, T, B);
    add_part(w, f, 9, -1, &X2, T, B);
    if (!w->want_tangent) return;
    mat3 A1 = m3_skew(m3_mul_v3(&X1, T)), A2 = m3_skew(m3_mul_v3(&X2, T));
    if (!c->following) put3(w->K, LMB_TWIST, 3, 3, 1, &A1); // d(R1' T) = (R1' T)~ dtheta1
    put3(w->K, LMB_TWIST, 9, 9, -1, &A2);                   // d(X2 T) = (X2 T)~ dtheta2 - R2' R1 T~ dtheta1
    mat3 A21 = m3_mul(X2, m3_skew(T));
    if (c->following) put3(w->K, LMB_TWIST, 9, 3, 1, &A21);
}

static void wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    const applied *c = f->constants;
    double B[3 * LMB_MAX_INPUTS];
    if (w->want_tangent) memset(B, 0, 3 * (size_t)f->input_count * sizeof *B);
    vec3 F = applied_vector(w->want_tangent ? B : NULL, d, f);
    if (c->is_torque) torque_wrench(w, d, f, F, B);
    else force_wrench(w, d, f, F, B);
    w->drive =
        lmb_dot(w->W, d->frames[f->marker[0]].twist, 6) + lmb_dot(w->W + 6, d->frames[f->marker[1]].twist, 6);
}

static lmb_status add_value(applied *c, lmb_force_plan *out, lmb_build *b, const lmb_node *n, vec3 direction,
                            lmb_error *err) {
    lmb_status st = lmb_spec_check_unit(n, c->is_torque ? (lmb_dim)LMB_TORQUE : (lmb_dim)LMB_FORCE, err);
    if (st == LMB_OK) st = lmb_build_expr(&c->value[c->count], b, n, NULL, 0, err);
    out->exprs[out->expr_count++] = c->value[c->count];
    c->direction[c->count++] = direction;
    return st;
}

// axes: frame of the components, relative to the frame of the wrench
static lmb_status read_value(applied *c, lmb_force_plan *out, lmb_build *b, const applied_read *r,
                             const lmb_node *node, const mat3 *axes, lmb_error *err) {
    const lmb_node *n = r->value;
    bool has_axis = lmb_node_find(node, "axis") != NULL;
    if (has_axis && !v3_has_direction(r->axis))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "axis"),
                        "force '%s': the axis has length zero; give a direction", node->key);
    if (n->kind == LMB_NODE_SCALAR) {
        if (!has_axis)
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "a single value needs `axis: [x, y, z]`; or give three components");
        return add_value(c, out, b, n, m3_mul_v3(axes, v3_unit(r->axis)), err);
    }
    if (n->kind != LMB_NODE_LIST || n->count != 3 || has_axis)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "`value` must be three components, or one number together with `axis`");
    lmb_status st = LMB_OK;
    int k = 0;
    for (const lmb_node *item = n->first; item && st == LMB_OK; item = item->next)
        st = add_value(c, out, b, item, m3_mul_v3(axes, v3_axis(k++)), err);
    return st;
}

static lmb_status plan_applied(lmb_force_plan *out, lmb_build *b, const applied_read *r, const lmb_node *node,
                               bool is_torque, lmb_error *err) {
    applied *c = lmb_arena_get(lmb_build_arena(b), 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    lmb_dim dim = is_torque ? (lmb_dim)LMB_TORQUE : (lmb_dim)LMB_FORCE;
    *c = (applied){.following = r->frame == 1,
                   .is_torque = is_torque,
                   .factor = lmb_units_factor(&lmb_build_spec(b)->units, dim)};
    *out = (lmb_force_plan){.constants = c, .joint = -1};
    lmb_status st = lmb_build_marker(&out->marker[0], b, r->on, lmb_node_place(node, "on"), err);
    if (st == LMB_OK)
        st = lmb_build_marker(&out->marker[1], b, r->to ? r->to : "ground", lmb_node_place(node, "to"), err);
    mat3 axes = c->following ? M3_ID : lmb_node_pose(node).R; // of the assembly it is written in
    return st == LMB_OK ? read_value(c, out, b, r, node, &axes, err) : st;
}

static lmb_status plan_force(lmb_force_plan *out, lmb_build *b, void *read, const lmb_node *node,
                             lmb_error *err) {
    return plan_applied(out, b, read, node, false, err);
}
static lmb_status plan_torque(lmb_force_plan *out, lmb_build *b, void *read, const lmb_node *node,
                              lmb_error *err) {
    return plan_applied(out, b, read, node, true, err);
}

// every component that is not always zero has a direction in the plane, or of a torque its normal
static lmb_plane_part in_plane(const lmb_force *f, const lmb_plane *plane, const pose p[2],
                               const bool moves[2]) {
    const applied *c = f->constants;
    for (int k = 0; k < 2 && !c->is_torque; k++)
        if (moves[k] && !lmb_plane_has(plane, p[k].r)) return LMB_IN_SPACE;
    for (int k = 0; k < c->count; k++) {
        bool zero = lmb_expr_is_constant(c->value[k]) && lmb_expr_value(c->value[k], &(lmb_env){0}) == 0;
        vec3 e = c->following ? m3_mul_v3(&p[0].R, c->direction[k]) : c->direction[k];
        bool is_in = c->is_torque ? lmb_plane_is_along_normal(plane, e) : lmb_plane_is_across(plane, e);
        if (!zero && !is_in) return LMB_IN_SPACE;
    }
    return LMB_IN_PLANE;
}

static const lmb_force_ops ops = {.name = "applied", .wrench = wrench, .in_plane = in_plane};

const lmb_force_kind lmb_force_force = {
    .doc = {"force", "A force on a marker.", force_keys},
    .ops = &ops,
    .read_size = sizeof(applied_read),
    .plan = plan_force,
};
const lmb_force_kind lmb_force_torque = {
    .doc = {"torque", "A torque on a marker.", torque_keys},
    .ops = &ops,
    .read_size = sizeof(applied_read),
    .plan = plan_torque,
};
