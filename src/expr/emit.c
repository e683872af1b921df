// expr/emit.c: code with constants folded, and the properties of every subexpression.
#include "expr/compile.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

static bool append(lmb_instr **out, lmb_compiler *c, lmb_op op) {
    lmb_expr *e = c->e;
    if (e->count == EXPR_NODE_MAX)
        return lmb_compiler_fail(c, c->start, "the expression has more than %d operations; split it",
                                 EXPR_NODE_MAX);
    if (e->count == c->capacity) {
        int capacity = c->capacity ? 2 * c->capacity : 16;
        lmb_instr *code = lmb_realloc(e->code, (size_t)capacity, sizeof *code);
        if (code == NULL) return lmb_compiler_no_memory(c);
        e->code = code, c->capacity = capacity;
    }
    e->code[e->count] = (lmb_instr){.op = (unsigned char)op, .first = e->count};
    *out = &e->code[e->count++];
    return true;
}

bool lmb_emit_data(lmb_compiler *c, double value) {
    lmb_expr *e = c->e;
    if (e->data_count == c->data_capacity) {
        int capacity = c->data_capacity ? 2 * c->data_capacity : 32;
        double *data = lmb_realloc(e->data, (size_t)capacity, sizeof *data);
        if (data == NULL) return lmb_compiler_no_memory(c);
        e->data = data, c->data_capacity = capacity;
    }
    e->data[e->data_count++] = value;
    return true;
}

// ---- leaves ------------------------------------------------------------------------------------

bool lmb_emit_const(lmb_operand *out, lmb_compiler *c, int at, double value) {
    lmb_instr *in = NULL;
    *out = (lmb_operand){.at = at, .first = c->e->count};
    if (!append(&in, c, OP_CONST)) return false;
    in->value = value;
    return true;
}

bool lmb_emit_time(lmb_operand *out, lmb_compiler *c, int at) {
    lmb_instr *in = NULL;
    *out = (lmb_operand){.at = at, .first = c->e->count, .degree = 1, .depends = DEPENDS_TIME};
    return append(&in, c, OP_TIME);
}

bool lmb_emit_input(lmb_operand *out, lmb_compiler *c, int at, int input) {
    lmb_instr *in = NULL;
    *out = (lmb_operand){.at = at, .first = c->e->count, .degree = 2, .depends = DEPENDS_INPUT};
    if (!append(&in, c, OP_INPUT)) return false;
    in->index = input; // the caller's number until lmb_emit_finish
    return true;
}

double lmb_emit_const_value(const lmb_compiler *c, const lmb_operand *x) {
    assert(x->depends == 0 && c->e->code[x->first].op == OP_CONST);
    return c->e->code[x->first].value;
}

double lmb_emit_pop_const(lmb_compiler *c, const lmb_operand *x) {
    assert(x->first == c->e->count - 1);
    return c->e->count--, lmb_emit_const_value(c, x);
}

bool lmb_emit_jump(int *place, lmb_compiler *c, lmb_op op) {
    lmb_instr *in = NULL;
    *place = c->e->count;
    return append(&in, c, op);
}

// ---- operations --------------------------------------------------------------------------------

// the subexpression's text, shortened
static const char *snippet(char out[48], const lmb_compiler *c, int at) {
    int n = c->last_end - at;
    snprintf(out, 48, "%.*s%s", n > 40 ? 37 : n, c->text + at, n > 40 ? "..." : "");
    for (char *s = out; *s; s++)
        if (*s < ' ') *s = ' ';
    return out;
}

// degree in time on one piece, 2 for more than affine
static int degree(lmb_op op, int arity, const lmb_operand *x) {
    int a = x[0].degree, b = arity > 1 ? x[1].degree : 0;
    switch (op) {
    case OP_LT:
    case OP_LE:
    case OP_GT:
    case OP_GE:
    case OP_EQ:
    case OP_NE:
    case OP_NOT:
    case OP_SIGN:
    case OP_FLOOR:
    case OP_CEIL:
    case OP_ROUND: return 0;
    case OP_NEG:
    case OP_ABS:
    case OP_TABLE: return a;
    case OP_ADD:
    case OP_SUB:
    case OP_MIN:
    case OP_MAX:
    case OP_MOD: return most(a, b);
    case OP_MUL: return least(a + b, 2);
    case OP_DIV: return b == 0 ? a : 2;
    default: break;
    }
    int highest = 0;
    for (int i = 0; i < arity; i++) highest = most(highest, x[i].degree);
    return highest == 0 ? 0 : 2;
}

// its piece is monotone in time if this holds
static bool affine(lmb_op op, int arity, const lmb_operand *x) {
    int a = x[0].degree, b = arity > 1 ? x[1].degree : 0, d = arity > 2 ? x[2].degree : 0;
    if (op == OP_MOD || op == OP_SMOOTHSTEP) return a <= 1 && b == 0 && d == 0;
    return a <= 1 && b <= 1;
}

// replaces constant code by its value
static bool fold(lmb_operand *out, lmb_compiler *c) {
    char text[48];
    double stack[LMB_OUTSIDE_ARGUMENTS];
    lmb_expr_run(c->e, out->first, c->e->count, &(lmb_env){0}, stack);
    c->e->count = out->first + 1;
    c->e->code[out->first] = (lmb_instr){.op = OP_CONST, .first = out->first, .value = stack[0]};
    if (isfinite(stack[0]) || c->dead) return true;
    return lmb_compiler_fail(c, out->at, "'%s' is not a finite number; check its arguments",
                             snippet(text, c, out->at));
}

// constant operands that never make sense
static bool check_constants(lmb_compiler *c, lmb_op op, const lmb_operand *x) {
    char text[48];
    if (c->dead) return true;
    if ((op == OP_DIV || op == OP_MOD) && !x[1].depends && lmb_emit_const_value(c, &x[1]) == 0)
        return lmb_compiler_fail(c, x[1].at, "division by zero in '%s'", snippet(text, c, x[0].at));
    if (op == OP_SMOOTHSTEP && !x[1].depends && !x[2].depends &&
        lmb_emit_const_value(c, &x[1]) == lmb_emit_const_value(c, &x[2]))
        return lmb_compiler_fail(c, x[2].at, "x0 and x1 of smoothstep must differ; a jump is step(x, x0)");
    return true;
}

// index: of a function from outside
static bool emit(lmb_operand *out, lmb_compiler *c, lmb_op op, int index, int arity,
                 const lmb_operand *args) {
    lmb_instr *in = NULL;
    lmb_operand r = {.at = args[0].at, .first = args[0].first, .degree = degree(op, arity, args)};
    for (int i = 0; i < arity; i++) r.depends |= args[i].depends;
    r.boolean = op == OP_NOT || (op >= OP_LT && op <= OP_NE);
    if (!check_constants(c, op, args) || !append(&in, c, op)) return false;
    in->arity = (unsigned char)arity;
    in->first = r.first, in->index = index;
    in->by_side = op >= OP_FIRST_DECISION && r.depends == DEPENDS_TIME;
    in->affine = in->by_side && affine(op, arity, args);
    *out = r;
    return r.depends != 0 || fold(out, c);
}

bool lmb_emit_op(lmb_operand *out, lmb_compiler *c, lmb_op op, int arity, const lmb_operand *args) {
    return emit(out, c, op, 0, arity, args);
}

bool lmb_emit_outside(lmb_operand *out, lmb_compiler *c, const lmb_outside *f, const lmb_operand *args) {
    lmb_expr *e = c->e;
    const lmb_outside **list = lmb_realloc(e->outside, (size_t)e->outside_count + 1, sizeof *list);
    if (list == NULL) return lmb_compiler_no_memory(c);
    e->outside = list;
    list[e->outside_count++] = f;
    return emit(out, c, OP_OUTSIDE, e->outside_count - 1, f->arguments, args);
}

bool lmb_emit_truth(lmb_operand *x, lmb_compiler *c) {
    lmb_operand args[2] = {*x};
    if (x->boolean) return true;
    return lmb_emit_const(&args[1], c, x->at, 0) && lmb_emit_op(x, c, OP_NE, 2, args);
}

// ---- tables ------------------------------------------------------------------------------------

// x0 y0 x1 y1 ... -> x[n] y[n], with the help of n more places behind them
static void separate(double *points, int n) {
    for (int i = 0; i < n; i++) points[2 * n + i] = points[2 * i + 1];
    for (int i = 0; i < n; i++) points[i] = points[2 * i];
    for (int i = 0; i < n; i++) points[n + i] = points[2 * n + i];
}

static bool finite_slopes(const double *points, int n, bool spline) {
    for (int k = 1; k < n; k++) {
        double slope;
        lmb_table_line(points, n, k, 0, &slope);
        if (!isfinite(slope) || (spline && !isfinite(points[2 * n + k]))) return false;
    }
    return true;
}

bool lmb_emit_table(lmb_operand *out, lmb_compiler *c, lmb_op op, int data, const lmb_operand *x) {
    int n = (c->e->data_count - data) / 2;
    for (int i = 0; i < 2 * n; i++) // y'' and scratch
        if (!lmb_emit_data(c, 0)) return false;
    double *points = c->e->data + data;
    separate(points, n);
    if (op == OP_SPLINE) lmb_spline_fit(points, n, points + 3 * n);
    if (!finite_slopes(points, n, op == OP_SPLINE) && !c->dead)
        return lmb_compiler_fail(c, x->at, "the points of this table are too close: a slope overflows");
    c->e->data_count = data + (op == OP_SPLINE ? 3 : 2) * n;
    lmb_operand r = {.at = x->at, .first = x->first, .depends = x->depends};
    r.degree = degree(op, 1, x);
    lmb_instr *in = NULL;
    if (!append(&in, c, op)) return false;
    in->arity = 1, in->first = x->first, in->index = data, in->count = n;
    in->by_side = op == OP_TABLE && x->depends == DEPENDS_TIME;
    in->affine = in->by_side && x->degree <= 1;
    *out = r;
    return r.depends != 0 || fold(out, c);
}

// ---- the end -----------------------------------------------------------------------------------

static int input_slot(lmb_expr *e, int number) {
    for (int k = 0; k < e->input_count; k++)
        if (e->inputs[k] == number) return k;
    e->inputs[e->input_count] = number;
    return e->input_count++;
}

static bool collect_inputs(lmb_compiler *c) {
    lmb_expr *e = c->e;
    int uses = 0;
    for (int i = 0; i < e->count; i++) uses += e->code[i].op == OP_INPUT;
    if (uses == 0) return true;
    e->inputs = lmb_alloc((size_t)uses, sizeof *e->inputs);
    if (e->inputs == NULL) return lmb_compiler_no_memory(c);
    for (int i = 0; i < e->count; i++)
        if (e->code[i].op == OP_INPUT) e->code[i].index = input_slot(e, e->code[i].index);
    return true;
}

// the highest stack; behind a jump the value of the branch before it is gone
static int stack_need(const lmb_expr *e) {
    int height = 0, need = 0;
    for (int i = 0; i < e->count; i++) {
        int op = e->code[i].op;
        height += op <= OP_INPUT ? 1 : op <= OP_OR ? -1 : 1 - e->code[i].arity;
        need = most(need, height);
    }
    assert(height == 1);
    return need;
}

bool lmb_emit_finish(lmb_compiler *c) {
    lmb_expr *e = c->e;
    if (stack_need(e) > EXPR_STACK_MAX)
        return lmb_compiler_fail(c, 0, "the expression is nested too deeply; split it");
    for (int i = 0; i < e->count; i++) {
        e->uses_time |= e->code[i].op == OP_TIME;
        e->break_count += e->code[i].by_side;
    }
    return collect_inputs(c);
}
