// expr/jet.c: first and second derivative of an expression, exact, in one pass per direction.
//
// A jet carries x(h), x'(h), x''(h) along one direction h through every operation:
//   f(x)' = f1 x',   f(x)'' = f1 x'' + f2 x'^2
//   f(a,b)' = fa a' + fb b',   f(a,b)'' = fa a'' + fb b'' + faa a'^2 + 2 fab a' b' + fbb b'^2
// At a kink: abs, sign and hypot(0, 0) have slope 0; min, max take the first operand at a tie; a table takes
// the piece to the right of a knot.  Where the value is finite but a slope is not (sqrt at 0, asin at 1,
// 0^0.5), that slope is given as 0, so that a Newton step from such a point stays finite.
#include "expr/program.h"

#include <assert.h>
#include <math.h>

typedef struct seeds {
    const lmb_env *env;
    const lmb_jet *inputs; // NULL: values from env, input `only` has derivative 1
    int only;
    double time_rate;
    bool curved; // second derivatives are wanted
} seeds;

typedef struct partials {
    double a, b, aa, ab, bb;
} partials;

static double tame(double slope) { return isfinite(slope) ? slope : 0; }

static lmb_jet chain(lmb_jet x, double v, double f1, double f2) {
    if (isfinite(v)) f1 = tame(f1), f2 = tame(f2);
    return (lmb_jet){v, f1 * x.d, f1 * x.dd + f2 * x.d * x.d};
}

static lmb_jet chain2(lmb_jet a, lmb_jet b, double v, partials f) {
    if (isfinite(v)) f = (partials){tame(f.a), tame(f.b), tame(f.aa), tame(f.ab), tame(f.bb)};
    return (lmb_jet){v, f.a * a.d + f.b * b.d,
                     f.a * a.dd + f.b * b.dd + f.aa * a.d * a.d + 2 * f.ab * a.d * b.d + f.bb * b.d * b.d};
}

static lmb_jet constant(double v) { return (lmb_jet){v, 0, 0}; }

static lmb_jet scaled(double v, lmb_jet x, double f) { return (lmb_jet){v, f * x.d, f * x.dd}; }

static lmb_jet quotient(lmb_jet a, lmb_jet b) {
    double v = a.v / b.v, d = (a.d - v * b.d) / b.v;
    return (lmb_jet){v, d, (a.dd - 2 * d * b.d - v * b.dd) / b.v};
}

// a^b: fa = b a^(b-1), fb = v ln a, ...; ln a only where the exponent moves
static lmb_jet power(lmb_jet a, lmb_jet b, double v) {
    partials f = {0};
    if (b.v != 0) f.a = b.v * pow(a.v, b.v - 1);
    if (b.v != 0 && b.v != 1) f.aa = b.v * (b.v - 1) * pow(a.v, b.v - 2);
    if (b.d != 0 || b.dd != 0) {
        double l = log(a.v);
        f.b = v * l;
        f.bb = v * l * l;
        f.ab = pow(a.v, b.v - 1) * (1 + b.v * l);
    }
    return chain2(a, b, v, f);
}

static lmb_jet length(lmb_jet a, lmb_jet b, double v) {
    double p = a.v / v, q = b.v / v;
    return chain2(a, b, v, (partials){p, q, q * q / v, -p * q / v, p * p / v});
}

// atan2(y, x): fy = x/r^2, fx = -y/r^2
static lmb_jet angle(lmb_jet y, lmb_jet x, double v) {
    double r = hypot(x.v, y.v), p = x.v / r, q = y.v / r, k = 1 / (r * r);
    return chain2(y, x, v, (partials){p / r, -q / r, -2 * p * q * k, (q * q - p * p) * k, 2 * p * q * k});
}

static lmb_jet smooth_binary(const lmb_instr *in, const lmb_jet *x, double v) {
    lmb_jet a = x[0], b = x[1];
    switch (in->op) {
    case OP_ADD: return (lmb_jet){v, a.d + b.d, a.dd + b.dd};
    case OP_SUB: return (lmb_jet){v, a.d - b.d, a.dd - b.dd};
    case OP_MUL: return (lmb_jet){v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
    case OP_DIV: return quotient(a, b);
    case OP_POW: return power(a, b, v);
    case OP_ATAN2: return angle(a, b, v);
    default: assert(in->op == OP_HYPOT); return length(a, b, v);
    }
}

static lmb_jet smooth_unary(const lmb_expr *e, const lmb_instr *in, lmb_jet j, double v) {
    double x = j.v, r;
    lmb_jet s;
    switch (in->op) {
    case OP_NEG: return scaled(v, j, -1);
    case OP_NOT: return constant(v);
    case OP_SIN: return chain(j, v, cos(x), -v);
    case OP_COS: return chain(j, v, -sin(x), -v);
    case OP_TAN: r = 1 + v * v; return chain(j, v, r, 2 * v * r);
    case OP_ASIN: r = 1 / sqrt((1 - x) * (1 + x)); return chain(j, v, r, x * r * r * r);
    case OP_ACOS: r = 1 / sqrt((1 - x) * (1 + x)); return chain(j, v, -r, -x * r * r * r);
    case OP_ATAN: r = 1 / (1 + x * x); return chain(j, v, r, -2 * x * r * r);
    case OP_SINH: return chain(j, v, cosh(x), v);
    case OP_COSH: return chain(j, v, sinh(x), v);
    case OP_TANH: r = 1 / cosh(x); return chain(j, v, r * r, -2 * v * r * r);
    case OP_EXP: return chain(j, v, v, v);
    case OP_LOG: return chain(j, v, 1 / x, -1 / (x * x));
    case OP_LOG10: return chain(j, v, 1 / (x * log(10)), -1 / (x * x * log(10)));
    case OP_SQRT: return chain(j, v, 0.5 / v, -0.25 / (x * v));
    case OP_CBRT: return chain(j, v, v / (3 * x), -2 * v / (9 * x * x));
    default: break;
    }
    assert(in->op == OP_SPLINE);
    s = lmb_spline_at(e->data + in->index, in->count, x);
    return chain(j, v, s.d, s.dd);
}

// S' = 30 u^2 (1 - u)^2,  S'' = 60 u (1 - u) (1 - 2u),  u = (x - x0)/(x1 - x0)
static lmb_jet smoothstep(const lmb_jet *x, double v, double piece) {
    if (piece != 1) return constant(v);
    lmb_jet a = {x[0].v - x[1].v, x[0].d - x[1].d, x[0].dd - x[1].dd};
    lmb_jet b = {x[2].v - x[1].v, x[2].d - x[1].d, x[2].dd - x[1].dd};
    lmb_jet u = quotient(a, b);
    double w = u.v * (1 - u.v);
    return chain(u, v, 30 * w * w, 60 * w * (1 - 2 * u.v));
}

// x: operands, v: value, s: what chose the piece
static lmb_jet decision(const lmb_expr *e, const lmb_instr *in, const lmb_jet *x, double v, const double *s) {
    double q;
    switch (in->op) {
    case OP_MIN: return s[0] <= s[1] ? x[0] : x[1];
    case OP_MAX: return s[0] < s[1] ? x[1] : x[0];
    case OP_ABS: q = s[0] != 0 ? s[0] : x[0].v; return scaled(v, x[0], (q > 0) - (q < 0));
    case OP_MOD:
        q = floor(s[0] / s[1]); // a - b q
        return (lmb_jet){v, x[0].d - q * x[1].d, x[0].dd - q * x[1].dd};
    case OP_TABLE:
        lmb_table_line(e->data + in->index, in->count, (int)lmb_expr_piece(e, in, s), x[0].v, &q);
        return scaled(v, x[0], q);
    case OP_SMOOTHSTEP: return smoothstep(x, v, lmb_expr_piece(e, in, s));
    default: return constant(v); // relations, sign, floor, ceil, round
    }
}

static lmb_jet outside(const lmb_expr *e, const lmb_instr *in, const lmb_jet *jets, double *s, bool curved) {
    if (s) *s = lmb_expr_apply(e, in, s, s);
    return lmb_outside_at(e->outside[in->index], jets, curved);
}

// s: the operands at time_side, NULL if that is time; replaced by the value there
static lmb_jet apply(const lmb_expr *e, const lmb_instr *in, const lmb_jet *jets, double *s, bool curved) {
    double x[3];
    if (in->op == OP_OUTSIDE) return outside(e, in, jets, s, curved);
    for (int k = 0; k < in->arity; k++) x[k] = jets[k].v;
    const double *chooser = in->by_side && s ? s : x;
    double v = lmb_expr_apply(e, in, x, chooser);
    lmb_jet r;
    if (in->op >= OP_FIRST_DECISION) r = decision(e, in, jets, v, chooser);
    else r = in->arity == 2 ? smooth_binary(in, jets, v) : smooth_unary(e, in, jets[0], v);
    if (s) *s = lmb_expr_apply(e, in, s, s);
    return r;
}

static lmb_jet input(const lmb_expr *e, int k, const seeds *seed) {
    if (seed->inputs) return seed->inputs[k];
    return (lmb_jet){seed->env->inputs[e->inputs[k]], k == seed->only, 0};
}

// as lmb_expr_run
static lmb_jet run(const lmb_expr *e, const seeds *seed) {
    lmb_jet stack[EXPR_STACK_MAX], *top = stack;
    double side[EXPR_STACK_MAX], *s = side;
    bool aside = e->break_count > 0 && seed->env->time != seed->env->time_side;
    for (int i = 0; i < e->count; i++) {
        const lmb_instr *in = &e->code[i];
        switch (in->op) {
        case OP_CONST: *top++ = constant(*s++ = in->value); break;
        case OP_TIME:
            *top++ = (lmb_jet){seed->env->time, seed->time_rate, 0};
            *s++ = seed->env->time_side;
            break;
        case OP_INPUT: *top = input(e, in->index, seed), *s++ = top++->v; break;
        case OP_JUMP: i = in->index - 1; break;
        case OP_JUMP_FALSE:
            top--, s--;
            if (top->v == 0) i = in->index - 1;
            break;
        case OP_AND:
        case OP_OR:
            if ((top[-1].v != 0) == (in->op == OP_OR)) i = in->index - 1;
            else top--, s--;
            break;
        default:
            top -= in->arity, s -= in->arity;
            *top = apply(e, in, top, aside ? s : NULL, seed->curved);
            top++, s++;
        }
    }
    return stack[0];
}

double lmb_expr_gradient(const lmb_expr *e, const lmb_env *env, double *by_time, double *by_input) {
    seeds seed = {.env = env, .only = -1, .time_rate = 1};
    if (by_time) *by_time = e->uses_time ? run(e, &seed).d : 0;
    seed.time_rate = 0;
    for (int k = 0; by_input && k < e->input_count; k++) {
        seed.only = k;
        by_input[k] = run(e, &seed).d;
    }
    return lmb_expr_value(e, env);
}

lmb_jet lmb_expr_jet(const lmb_expr *e, const lmb_env *env, const lmb_jet *inputs) {
    assert(inputs != NULL || e->input_count == 0);
    return run(e, &(seeds){.env = env, .inputs = inputs, .only = -1, .time_rate = 1, .curved = true});
}
