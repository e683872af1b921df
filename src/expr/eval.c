// expr/eval.c: the value of an expression.
#include "expr/program.h"

#include <assert.h>
#include <math.h>

// sign(0) = 0
static double sign(double x) { return (x > 0) - (x < 0); }

// a^b; squares are frequent
static double power(double a, double b) { return b == 2 ? a * a : pow(a, b); }

static double smooth_unary(int op, double x) {
    switch (op) {
    case OP_NEG: return -x;
    case OP_NOT: return x == 0;
    case OP_SIN: return sin(x);
    case OP_COS: return cos(x);
    case OP_TAN: return tan(x);
    case OP_ASIN: return asin(x);
    case OP_ACOS: return acos(x);
    case OP_ATAN: return atan(x);
    case OP_SINH: return sinh(x);
    case OP_COSH: return cosh(x);
    case OP_TANH: return tanh(x);
    case OP_EXP: return exp(x);
    case OP_LOG: return log(x);
    case OP_LOG10: return log10(x);
    case OP_SQRT: return sqrt(x);
    default: assert(op == OP_CBRT); return cbrt(x);
    }
}

static double smooth_binary(int op, double a, double b) {
    switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_POW: return power(a, b);
    case OP_ATAN2: return atan2(a, b);
    default: assert(op == OP_HYPOT); return hypot(a, b);
    }
}

// u = (x - x0)/(x1 - x0); without width a jump at x0
static double smoothstep_u(const double *x) {
    if (x[1] == x[2]) return x[0] >= x[1] ? INFINITY : -INFINITY;
    return (x[0] - x[1]) / (x[2] - x[1]);
}

// 0, u^3 (10 - 15 u + 6 u^2), 1
static double smoothstep(const double *x, double piece) {
    if (piece != 1) return piece / 2;
    double u = smoothstep_u(x);
    return u * u * u * (10 + u * (6 * u - 15));
}

double lmb_expr_piece(const lmb_expr *e, const lmb_instr *in, const double *x) {
    switch (in->op) {
    case OP_LT:
    case OP_GE:
    case OP_MAX: return x[0] < x[1];
    case OP_LE:
    case OP_GT:
    case OP_EQ:
    case OP_NE:
    case OP_MIN: return x[0] <= x[1];
    case OP_SIGN:
    case OP_ABS: return x[0] < 0;
    case OP_FLOOR: return floor(x[0]);
    case OP_CEIL: return ceil(x[0]);
    case OP_ROUND: return round(x[0]);
    case OP_MOD: return floor(x[0] / x[1]);
    case OP_TABLE: return lmb_table_piece(e->data + in->index, in->count, x[0]);
    default: break;
    }
    assert(in->op == OP_SMOOTHSTEP);
    double u = smoothstep_u(x);
    return u >= 1 ? 2 : u <= 0 ? 0 : 1;
}

bool lmb_expr_on_edge(const lmb_expr *e, const lmb_instr *in, const double *x) {
    double u;
    int k;
    switch (in->op) {
    case OP_SIGN:
    case OP_ABS: return x[0] == 0;
    case OP_FLOOR:
    case OP_CEIL: return x[0] == floor(x[0]);
    case OP_ROUND: return fabs(x[0] - trunc(x[0])) == 0.5;
    case OP_MOD: return x[0] / x[1] == floor(x[0] / x[1]);
    case OP_TABLE:
        k = lmb_table_piece(e->data + in->index, in->count, x[0]);
        return k > 0 && x[0] == e->data[in->index + k - 1];
    case OP_SMOOTHSTEP: u = smoothstep_u(x); return u == 0 || u == 1;
    default: return x[0] == x[1];
    }
}

static double decision(const lmb_expr *e, const lmb_instr *in, const double *x, const double *s) {
    double slope;
    switch (in->op) {
    case OP_LT: return s[0] < s[1];
    case OP_LE: return s[0] <= s[1];
    case OP_GT: return s[0] > s[1];
    case OP_GE: return s[0] >= s[1];
    case OP_EQ: return s[0] == s[1];
    case OP_NE: return s[0] != s[1];
    case OP_MIN: return s[0] <= s[1] ? x[0] : x[1];
    case OP_MAX: return s[0] < s[1] ? x[1] : x[0];
    case OP_MOD: return x[0] - x[1] * floor(s[0] / s[1]);
    case OP_SIGN: return sign(s[0]);
    case OP_ABS: return s[0] > 0 ? x[0] : s[0] < 0 ? -x[0] : fabs(x[0]);
    case OP_TABLE:
        return lmb_table_line(e->data + in->index, in->count, (int)lmb_expr_piece(e, in, s), x[0], &slope);
    case OP_SMOOTHSTEP: return smoothstep(x, lmb_expr_piece(e, in, s));
    default: return lmb_expr_piece(e, in, s); // floor, ceil, round
    }
}

double lmb_expr_apply(const lmb_expr *e, const lmb_instr *in, const double *x, const double *s) {
    if (in->op >= OP_FIRST_DECISION) return decision(e, in, x, s);
    if (in->op == OP_OUTSIDE) {
        const lmb_outside *f = e->outside[in->index];
        return f->value(f->user, x, NULL);
    }
    if (in->op == OP_SPLINE) return lmb_spline_at(e->data + in->index, in->count, x[0]).v;
    return in->arity == 2 ? smooth_binary(in->op, x[0], x[1]) : smooth_unary(in->op, x[0]);
}

// The stack at time and, where time_side differs, a second one with everything at time_side: it chooses the
// pieces of decisions of time alone.  Both take the same branches.
void lmb_expr_run(const lmb_expr *e, int first, int last, const lmb_env *env, double *stack) {
    double side[EXPR_STACK_MAX], *top = stack, *s = side;
    bool aside = e->break_count > 0 && env->time != env->time_side;
    for (int i = first; i < last; i++) {
        const lmb_instr *in = &e->code[i];
        switch (in->op) {
        case OP_CONST: *top++ = *s++ = in->value; break;
        case OP_TIME: *top++ = env->time, *s++ = env->time_side; break;
        case OP_INPUT: *top++ = *s++ = env->inputs[e->inputs[in->index]]; break;
        case OP_JUMP: i = in->index - 1; break;
        case OP_JUMP_FALSE:
            top--, s--;
            if (*top == 0) i = in->index - 1;
            break;
        case OP_AND:
        case OP_OR:
            if ((top[-1] != 0) == (in->op == OP_OR)) i = in->index - 1;
            else top--, s--;
            break;
        default: {
            top -= in->arity, s -= in->arity;
            double v = lmb_expr_apply(e, in, top, in->by_side && aside ? s : top);
            if (aside) *s = lmb_expr_apply(e, in, s, s);
            *top++ = v, s++;
        }
        }
    }
}

void lmb_expr_operands(double x[3], const lmb_expr *e, int i, const lmb_env *env) {
    double stack[EXPR_STACK_MAX];
    lmb_expr_run(e, e->code[i].first, i, env, stack);
    for (int k = 0; k < e->code[i].arity; k++) x[k] = stack[k];
}

double lmb_expr_value(const lmb_expr *e, const lmb_env *env) {
    double stack[EXPR_STACK_MAX];
    lmb_expr_run(e, 0, e->count, env, stack);
    return stack[0];
}

bool lmb_expr_is_constant(const lmb_expr *e) { return e->count == 1 && e->code[0].op == OP_CONST; }
bool lmb_expr_uses_time(const lmb_expr *e) { return e->uses_time; }
bool lmb_expr_is_smooth(const lmb_expr *e) {
    for (int i = 0; i < e->count && e->input_count > 0; i++)
        if (e->code[i].op >= OP_FIRST_DECISION && !e->code[i].by_side) return false;
    return e->outside_count == 0;
}
int lmb_expr_input_count(const lmb_expr *e) { return e->input_count; }

int lmb_expr_input(const lmb_expr *e, int k) {
    assert(k >= 0 && k < e->input_count);
    return e->inputs[k];
}
