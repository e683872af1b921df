// force/friction.c: Coulomb friction with stiction on a joint coordinate; the joint's reaction is the normal force.
//
// A bristle z carries the load (LuGre): it bends while the joint sticks and slides along when it is bent to the limit.
//
//     z' = v - |v| z / g(v)         g(v) = s mu(v)/mu_s,   mu(v) = mu + (mu_s - mu) exp(-(v/v_s)^2)
//     F  = R N (mu_s/s) (z + T z')  N = sqrt(sum lambda_i^2 + (sum lambda_k^2)/arm^2) + preload,  T = s/v_s
//
// With `force`, N = 1 and R mu = mu_s = force.
//
// s: presliding, the bend at which it breaks away; R: radius for angles, 1 for lengths.  At rest z' = 0: it holds any
// load below mu_s N without creeping.  |v| is smooth: sqrt(v^2 + e^2) - e, e = 1e-3 v_s.      docs/theory/forces.md (5)
#include "force/forces.h"
#include "force/law.h"

typedef struct friction {
    lmb_measure f;
    double mu, mu_s, radius, arm, preload, slip, speed;
    bool constant; // N = preload
    int z, rate;   // inputs
} friction;

// ---- the bristle -------------------------------------------------------------------------------

typedef struct bristle_rate { // z' and its derivatives
    double value, by_z, by_v;
} bristle_rate;

static double smooth_abs(const friction *c, double v) {
    double e = 1e-3 * c->speed;
    return sqrt(v * v + e * e) - e;
}

// g(v)
static double limit(const friction *c, double v) {
    double x = exp(-(v / c->speed) * (v / c->speed));
    return c->slip * (c->mu + (c->mu_s - c->mu) * x) / c->mu_s;
}

static bristle_rate bristle(const friction *c, double z, double v) {
    double a = smooth_abs(c, v), a_v = v / (a + 1e-3 * c->speed);
    double x = exp(-(v / c->speed) * (v / c->speed)), mu = c->mu + (c->mu_s - c->mu) * x;
    double mu_v = -2 * v / (c->speed * c->speed) * (c->mu_s - c->mu) * x;
    double k = c->mu_s / (c->slip * mu), k_v = -k * mu_v / mu; // 1/g
    return (bristle_rate){v - a * z * k, -a * k, 1 - z * (a_v * k + a * k_v)};
}

static const friction *friction_of(const lmb_body_view *x) { return x->body->state->constants; }
static double rate_factor(const lmb_body_view *x) {
    return x->body->model->inputs[friction_of(x)->rate].factor;
}
static double rate_of(const lmb_body_view *x) { return x->inputs[friction_of(x)->rate] / rate_factor(x); }

static bristle_rate bristle_of(const lmb_body_view *x) {
    return bristle(friction_of(x), x->v[0], rate_of(x));
}

static void residual(double *r, const lmb_body_view *x, const double *rate) {
    r[0] = rate[0] - bristle_of(x).value;
}

static void by_state(double *D, const lmb_body_view *x) { D[0] = -bristle_of(x).by_z; }

static void by_input(double *B, const lmb_body_view *x) { B[0] = -bristle_of(x).by_v / rate_factor(x); }

// a joint that slides at the start slides steadily, z' = 0; at rest the bristle is not bent
static void begin(double *z, const lmb_body_view *x) {
    const friction *c = friction_of(x);
    double v = rate_of(x);
    z[0] = limit(c, v) * v / fmax(smooth_abs(c, v), c->speed);
}

static const lmb_state_ops bristle_ops = {residual, by_state, by_input, begin};

// the bristle as a state of the model, driven by the rate of the coordinate
static lmb_status build_bristle(friction *c, lmb_build *b, const lmb_coordinate_load *load,
                                const lmb_node *node, lmb_error *err) {
    static const double straight = 0;
    lmb_state *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    const char *name =
        lmb_arena_printf(lmb_build_arena(b), "%s.friction", lmb_build_joint(b, load->joint)->name);
    int index;
    if (s == NULL || name == NULL) return lmb_fail_memory(err);
    *s = (lmb_state){&bristle_ops, "force", name, c, 1, c->slip, &straight};
    lmb_status st = lmb_build_states(&index, b, s, node->where, err);
    if (st == LMB_OK) st = lmb_coordinate_default(&s->size, b, load, node, "presliding", err);
    if (st == LMB_OK) st = lmb_build_states_driven(b, index, c->rate, err);
    return st == LMB_OK ? lmb_build_states_input(&c->z, b, index, 0, err) : st;
}

// ---- the force ---------------------------------------------------------------------------------

static bool is_length(const lmb_measure *f) {
    return f->kind == LMB_MEASURE_GLOBAL || f->kind == LMB_MEASURE_ALONG || f->kind == LMB_MEASURE_DISTANCE;
}

// weight of lambda^2 of a row: 1 of a force, 1/arm^2 of a torque, 0 of a prescribed motion
static double weight(const friction *c, const lmb_joint *j, int r) {
    const lmb_row *row = &j->rows[r];
    if (row->motion || c->constant) return 0;
    return is_length(&j->terms[row->term].f) ? 1 : c->arm > 0 ? 1 / (c->arm * c->arm) : 0;
}

// N and dN/dlambda (row_count)
static double normal_force(double *by_lambda, const lmb_data *d, const lmb_force *f) {
    const friction *c = f->constants;
    const lmb_joint *j = &d->model->joints[f->joint];
    const double *lambda = d->lambda + j->lambda;
    double sum = 1e-200; // no division by zero, whatever the scale
    for (int r = 0; r < j->row_count; r++) sum += weight(c, j, r) * lambda[r] * lambda[r];
    double N = sqrt(sum);
    for (int r = 0; r < j->row_count; r++) by_lambda[r] = weight(c, j, r) * lambda[r] / N;
    return N + c->preload;
}

static void wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    const friction *c = f->constants;
    const lmb_joint *j = &d->model->joints[f->joint];
    if (d->active_joint[f->joint] == 0) return;
    lmb_stretch x;
    lmb_stretch_eval(&x, w, d, &c->f, f->marker);
    double N_l[LMB_PLAN_ROWS], N = normal_force(N_l, d, f), z = d->inputs[c->z], T = c->slip / c->speed;
    bristle_rate b = bristle(c, z, x.rate);
    double s = c->radius * c->mu_s / c->slip, F = s * N * (z + T * b.value);
    lmb_wrench_along(w, &x, -F, 0, -s * N * T * b.by_v);
    w->dissipated += F * x.rate;
    if (!w->want_tangent) return;
    int slot = lmb_input_slot(f->inputs, f->input_count, c->z);
    for (int i = 0; i < LMB_TWIST; i++) {
        w->I[i * f->input_count + slot] -= x.g[i] * s * N * (1 + T * b.by_z);
        for (int r = 0; r < j->row_count; r++)
            w->L[i * j->row_count + r] -= x.g[i] * s * (z + T * b.value) * N_l[r];
    }
}

static const lmb_measure *along(const lmb_force *f) { return &((const friction *)f->constants)->f; }

const lmb_force_ops lmb_joint_friction_ops = {
    .name = "friction", .wrench = wrench, .along = along, .normal = normal_force};

// ---- reading -----------------------------------------------------------------------------------

typedef struct friction_read {
    uint64_t given;
    double coefficient, static_coefficient, radius, arm, preload, force, presliding, speed;
} friction_read;

// clang-format off
static const lmb_key keys[] = {
    {"coefficient", LMB_KEY_NUMBER, offsetof(friction_read, coefficient), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Coefficient of sliding friction; required without `force`."},
    {"static", LMB_KEY_NUMBER, offsetof(friction_read, static_coefficient), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Coefficient of static friction (default: `coefficient`)."},
    {"radius", LMB_KEY_NUMBER, offsetof(friction_read, radius), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "Radius at which the friction acts, m; required for angles."},
    {"arm", LMB_KEY_NUMBER, offsetof(friction_read, arm), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "Distance between the bearing pads, m; reaction torques then add to the normal force."},
    {"preload", LMB_KEY_NUMBER, offsetof(friction_read, preload), LMB_KEY_NOT_NEGATIVE, LMB_FORCE, 0, 0,
     "Constant normal force, N (default 0)."},
    {"force", LMB_KEY_NUMBER, offsetof(friction_read, force), LMB_KEY_POSITIVE | LMB_KEY_COORDINATE, LMB_FORCE, 0, 0,
     "Friction force or torque, whatever the reaction, N or Nm; instead of coefficient, static, radius, arm and preload."},
    {"presliding", LMB_KEY_NUMBER, offsetof(friction_read, presliding), LMB_KEY_POSITIVE | LMB_KEY_COORDINATE, LMB_LENGTH, 0, 0,
     "Elastic displacement before sliding, m or rad (default: 1e-4 of the characteristic length, or 1e-4 rad)."},
    {"speed", LMB_KEY_NUMBER, offsetof(friction_read, speed), LMB_KEY_POSITIVE | LMB_KEY_COORDINATE, LMB_SPEED, 0, 0,
     "Speed of the transition from static to sliding friction, m/s or rad/s (default: 0.01 of the characteristic length in a second, or 0.01 rad/s)."},
    {0},
};
const lmb_key lmb_joint_friction_forms[] = {
    {"only", LMB_KEY_MAP, .keys = keys}, {"each", LMB_KEY_MAP, .flags = LMB_KEY_BY_NAME, .keys = keys}, {0},
};
// clang-format on

// `force` stands alone: F = 1 * (0 + force)
static lmb_status read_constant(friction_read *r, const lmb_node *node, lmb_error *err) {
    static const char *const others[] = {"coefficient", "static", "radius", "arm", "preload"};
    for (int i = 0; i < LMB_COUNT(others); i++)
        if (lmb_node_find(node, others[i]))
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, others[i]),
                            "friction: `force` does not depend on the reaction; remove '%s', or `force`",
                            others[i]);
    r->coefficient = r->static_coefficient = r->radius = 1;
    r->preload = r->force;
    return LMB_OK;
}

static lmb_status read_friction(friction_read *r, lmb_build *b, const lmb_coordinate_load *load,
                                const lmb_node *node, lmb_error *err) {
    lmb_key own[LMB_COUNT(keys)];
    lmb_coordinate_keys(own, keys, load->dim);
    *r = (friction_read){.presliding = 1e-4, .speed = 0.01};
    lmb_status st = lmb_spec_read(r, lmb_build_spec(b), node, own, "friction", err);
    if (st != LMB_OK) return st;
    if (r->force > 0) return read_constant(r, node, err);
    if (!(r->coefficient > 0))
        return lmb_fail(
            err, LMB_ERR_INPUT, node->where,
            "friction needs 'coefficient', or 'force' for a friction that does not depend on the reaction");
    if (load->dim.length == 0 && r->radius <= 0)
        return lmb_fail(err, LMB_ERR_INPUT, node->where,
                        "friction on an angle needs the `radius` of the bearing, m");
    if (r->static_coefficient <= 0) r->static_coefficient = r->coefficient;
    if (r->static_coefficient < r->coefficient)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "static"),
                        "friction: static (%g) must not be less than coefficient (%g)", r->static_coefficient,
                        r->coefficient);
    return st;
}

lmb_status lmb_joint_friction_plan(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                   const lmb_node *node, lmb_error *err) {
    friction_read r;
    lmb_status st = read_friction(&r, b, load, node, err);
    if (st != LMB_OK) return st;
    friction *c = lmb_arena_get(lmb_build_arena(b), 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    *c = (friction){.f = load->term.f,
                    .mu = r.coefficient,
                    .mu_s = r.static_coefficient,
                    .arm = r.arm,
                    .preload = r.preload,
                    .constant = r.force > 0,
                    .radius = load->dim.length ? 1 : r.radius,
                    .slip = r.presliding,
                    .speed = r.speed};
    *out =
        (lmb_force_plan){.marker = {load->marker[0], load->marker[1]}, .constants = c, .joint = load->joint};
    lmb_dim rate = {load->dim.length, 0, -1};
    st = lmb_build_input(&c->rate, b, LMB_INPUT_RATE, &c->f, out->marker, rate, err);
    if (st == LMB_OK) st = build_bristle(c, b, load, node, err);
    if (st == LMB_OK) st = lmb_coordinate_default(&c->slip, b, load, node, "presliding", err);
    if (st == LMB_OK) st = lmb_coordinate_default(&c->speed, b, load, node, "speed", err);
    out->inputs[out->input_count++] = c->z;
    return st;
}
