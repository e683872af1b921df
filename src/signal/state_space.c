// signal/state_space.c: signals with states; every kind becomes z' = A z + B u, y = C z + D u. docs/theory/signals.md
//
// The states are the velocities of a STATE block: its equation is a - A z - B u = 0, mass matrix 1, so that every
// integrator carries them beside the mechanics.
#include "signal/signals.h"

#include <stdio.h>

// ---- run time ----------------------------------------------------------------------------------

static const lmb_state_space *space_of(const lmb_body_view *x) { return x->body->state->constants; }

static void residual(double *r, const lmb_body_view *x, const double *rate) {
    const lmb_state_space *s = space_of(x);
    double u = x->inputs[s->input];
    for (int i = 0; i < s->n; i++) r[i] = rate[i] - lmb_dot(s->A + i * s->n, x->v, s->n) - s->B[i] * u;
}

static void by_state(double *D, const lmb_body_view *x) {
    const lmb_state_space *s = space_of(x);
    for (int i = 0; i < s->n * s->n; i++) D[i] = -s->A[i];
}

static void by_input(double *B, const lmb_body_view *x) {
    const lmb_state_space *s = space_of(x);
    for (int i = 0; i < s->n; i++) B[i] = -s->B[i];
}

const lmb_state_ops lmb_state_space_ops = {residual, by_state, by_input};

// ---- kinds -------------------------------------------------------------------------------------

typedef struct signal_read {
    uint64_t given;
    const lmb_node *input;
    double gain, time, p, i, d, filter;
    lmb_numbers numerator, denominator, A, B, C, start;
    double D, size;
    const lmb_node *value;
} signal_read;

// clang-format off
#define INPUT_KEY {"input", LMB_KEY_EXPR, offsetof(signal_read, input), LMB_KEY_REQUIRED, {0}, 0, 0, \
                   "Input expression."}
#define GAIN_KEY {"gain", LMB_KEY_NUMBER, offsetof(signal_read, gain), 0, {0}, 0, 0, "Gain on the input (default 1)."}
#define STATE_KEYS {"start", LMB_KEY_NUMBERS, offsetof(signal_read, start), 0, {0}, 0, 0, "Initial values of the states (default 0)."}, \
                  {"size", LMB_KEY_NUMBER, offsetof(signal_read, size), LMB_KEY_POSITIVE, {0}, 0, 0, \
                   "Typical size of the states: errors are relative to it, or to the largest value so far if that is larger (default: the largest value so far)."}
// clang-format on

static const lmb_key integrator_keys[] = {INPUT_KEY, GAIN_KEY, STATE_KEYS, {0}};
// clang-format off
static const lmb_key lag_keys[] = {
    INPUT_KEY, GAIN_KEY, STATE_KEYS,
    {"time", LMB_KEY_NUMBER, offsetof(signal_read, time), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, {0}, 0, 0,
     "Time constant, in the model's unit of time."},
    {0},
};
static const lmb_key pid_keys[] = {
    INPUT_KEY, STATE_KEYS,
    {"p", LMB_KEY_NUMBER, offsetof(signal_read, p), 0, {0}, 0, 0, "Proportional gain (default 0)."},
    {"i", LMB_KEY_NUMBER, offsetof(signal_read, i), 0, {0}, 0, 0, "Integral gain (default 0)."},
    {"d", LMB_KEY_NUMBER, offsetof(signal_read, d), 0, {0}, 0, 0, "Derivative gain (default 0)."},
    {"filter", LMB_KEY_NUMBER, offsetof(signal_read, filter), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Time constant of the derivative filter (default 0.01)."},
    {0},
};
static const lmb_key transfer_keys[] = {
    INPUT_KEY, STATE_KEYS,
    {"numerator", LMB_KEY_NUMBERS, offsetof(signal_read, numerator), LMB_KEY_REQUIRED, {0}, 0, 0,
     "Coefficients, highest power of s first."},
    {"denominator", LMB_KEY_NUMBERS, offsetof(signal_read, denominator), LMB_KEY_REQUIRED, {0}, 0, 0,
     "Coefficients, highest power of s first."},
    {0},
};
static const lmb_key space_keys[] = {
    INPUT_KEY, STATE_KEYS,
    {"A", LMB_KEY_NUMBERS, offsetof(signal_read, A), LMB_KEY_REQUIRED, {0}, 0, 0, "State matrix as one list, row by row."},
    {"B", LMB_KEY_NUMBERS, offsetof(signal_read, B), LMB_KEY_REQUIRED, {0}, 0, 0, "Input column."},
    {"C", LMB_KEY_NUMBERS, offsetof(signal_read, C), LMB_KEY_REQUIRED, {0}, 0, 0, "Output row."},
    {"D", LMB_KEY_NUMBER, offsetof(signal_read, D), 0, {0}, 0, 0, "Direct feedthrough (default 0)."},
    {0},
};
// clang-format on

// clang-format off
static const lmb_key expression_keys[] = {
    {"value", LMB_KEY_EXPR, offsetof(signal_read, value), LMB_KEY_REQUIRED | LMB_KEY_SHORT, {0}, 0, 0,
     "An expression of time, sensors, joint coordinates and other signals."},
    {0},
};
// clang-format on

enum { INTEGRATOR, LAG, PID, TRANSFER, SPACE, EXPRESSION };
// clang-format off
static const lmb_kind_keys kinds[] = {
    [INTEGRATOR] = {"integrator", "y' = gain u.", integrator_keys},
    [LAG] = {"lag", "time y' + y = gain u.", lag_keys},
    [PID] = {"pid", "y = p u + i int u + d u', with a filtered derivative d s/(filter s + 1).", pid_keys},
    [TRANSFER] = {"transfer", "A proper transfer function numerator(s)/denominator(s).", transfer_keys},
    [SPACE] = {"state_space", "z' = A z + B u, y = C z + D u.", space_keys},
    [EXPRESSION] = {"expression", "Any expression, without states.", expression_keys},
};
// clang-format on
const lmb_kind_keys *const lmb_signal_kinds[] = {&kinds[0], &kinds[1], &kinds[2],         &kinds[3],
                                                 &kinds[4], &kinds[5], &lmb_signal_table, NULL};
static const lmb_section section = {"signals", "", LMB_SECTION_NAMED, lmb_signal_kinds, -1, NULL};

static void make_pid(lmb_state_space *s, const signal_read *r) {
    double T = r->filter; // z0' = u,  z1' = (u - z1)/T,  y = p u + i z0 + d (u - z1)/T
    *s = (lmb_state_space){.n = 2, .B = {1, 1 / T}, .C = {r->i, -r->d / T}, .D = r->p + r->d / T};
    s->A[3] = -1 / T;
}

// controllable canonical form of b(s)/a(s)
static lmb_status make_transfer(lmb_state_space *s, const signal_read *r, const lmb_node *n, lmb_error *err) {
    int order = r->denominator.count - 1, m = r->numerator.count;
    double lead = order >= 0 ? r->denominator.v[0] : 0;
    if (order < 1 || order > LMB_SIGNAL_STATES || lead == 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "denominator"),
            "transfer function: the denominator needs 2 to %d coefficients, and the first must not be zero",
            LMB_SIGNAL_STATES + 1);
    if (m > order + 1 || m < 1)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "numerator"),
            "transfer function: with %d coefficients in the denominator the numerator needs 1 to %d, not %d",
            order + 1, order + 1, m);
    *s = (lmb_state_space){.n = order};
    double b[LMB_SIGNAL_STATES + 1] = {0}; // b[k]: coefficient of s^(order - k)
    for (int k = 0; k < m; k++) b[order + 1 - m + k] = r->numerator.v[k] / lead;
    s->D = b[0];
    for (int k = 0; k < order; k++) { // z_k' = z_(k+1); the last row holds the denominator
        if (k + 1 < order) s->A[k * order + k + 1] = 1;
        double a = r->denominator.v[order - k] / lead;
        s->A[(order - 1) * order + k] = -a;
        s->C[k] = b[order - k] - a * s->D;
    }
    s->B[order - 1] = 1;
    return LMB_OK;
}

static lmb_status make_space(lmb_state_space *s, const signal_read *r, const lmb_node *n, lmb_error *err) {
    int order = r->B.count;
    if (order < 1 || order > LMB_SIGNAL_STATES)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "B"),
                        "state space: B needs 1 to %d entries, one for each state, not %d", LMB_SIGNAL_STATES,
                        order);
    if (r->A.count != order * order || r->C.count != order)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, r->C.count != order ? "C" : "A"),
                        "state space: with %d entries in B, A needs %d and C needs %d; found %d and %d",
                        order, order * order, order, r->A.count, r->C.count);
    *s = (lmb_state_space){.n = order, .D = r->D};
    memcpy(s->A, r->A.v, (size_t)(order * order) * sizeof(double));
    memcpy(s->B, r->B.v, (size_t)order * sizeof(double));
    memcpy(s->C, r->C.v, (size_t)order * sizeof(double));
    return LMB_OK;
}

static bool is_finite(const lmb_state_space *s) {
    bool ok = isfinite(s->D);
    for (int i = 0; i < s->n * s->n; i++) ok = ok && isfinite(s->A[i]);
    for (int i = 0; i < s->n; i++) ok = ok && isfinite(s->B[i]) && isfinite(s->C[i]);
    return ok;
}

static lmb_status read_signal(signal_read *r, int *kind, lmb_spec *spec, const lmb_node *n, const char *name,
                              lmb_error *err) {
    char what[160];
    snprintf(what, sizeof what, "signal '%s'", name);
    lmb_status st = lmb_spec_kind(kind, spec, n, &section, what, err);
    return st == LMB_OK ? lmb_spec_read_kind(r, NULL, spec, n, &section, *kind, what, err) : st;
}

lmb_status lmb_signal_expression(const lmb_node **out, lmb_spec *spec, const lmb_node *n, const char *name,
                                 lmb_error *err) {
    signal_read r = {0};
    int kind;
    *out = NULL;
    lmb_status st = read_signal(&r, &kind, spec, n, name, err);
    if (st == LMB_OK && kind == EXPRESSION) *out = r.value;
    return st;
}

lmb_status lmb_signal_read(lmb_state_space *out, const lmb_node **u, lmb_spec *spec, const lmb_node *n,
                           const char *name, lmb_error *err) {
    signal_read r = {.gain = 1, .filter = 0.01};
    int kind;
    lmb_status st = read_signal(&r, &kind, spec, n, name, err);
    if (st != LMB_OK) return st;
    *u = r.input;
    if (kind == INTEGRATOR) *out = (lmb_state_space){.n = 1, .B = {r.gain}, .C = {1}};
    if (kind == LAG) *out = (lmb_state_space){.n = 1, .A = {-1 / r.time}, .B = {r.gain / r.time}, .C = {1}};
    if (kind == PID) make_pid(out, &r);
    if (kind == TRANSFER) st = make_transfer(out, &r, n, err);
    if (kind == SPACE) st = make_space(out, &r, n, err);
    if (st == LMB_OK && r.start.count > 0 && r.start.count != out->n)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "start"),
                        "signal '%s' has %d state%s, but `start` gives %d", name, out->n,
                        out->n > 1 ? "s" : "", r.start.count);
    for (int i = 0; st == LMB_OK && i < r.start.count; i++) out->z0[i] = r.start.v[i];
    out->size = r.size;
    if (st == LMB_OK && !is_finite(out))
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "the coefficients of signal '%s' are too large; check gains and time constants",
                        name);
    return st;
}
