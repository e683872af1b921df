// expr/parse.c: the grammar, one function per line.
//
//   choice   := either [ '?' choice ':' choice ]
//   either   := both { or both }            both := negated { and negated }
//   negated  := { not } relation            relation := sum [ ('<' | '<=' | '>' | '>=' | '==' | '!=') sum ]
//   sum      := product { ('+' | '-') product }
//   product  := signed { ('*' | '/') signed }
//   signed   := { '-' | '+' } power         power := value [ '^' signed ]
//   value    := number [ unit ] | name | function '(' choice { ',' choice } ')' | '(' choice ')'
//
// A constant condition chooses its branch here; the other one is read (its names must exist) and dropped.
#include "expr/compile.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef bool parse_level(lmb_operand *out, lmb_compiler *c);
static parse_level choice, either, both, negated, relation, sum, product, signed_power, power, value;

// ---- tools -------------------------------------------------------------------------------------

// the token at hand as text
static const char *found(char out[32], const lmb_compiler *c) {
    if (c->token == TOKEN_END) return "the end";
    int n = c->end - c->start;
    snprintf(out, 32, "'%.*s%s'", n > 20 ? 20 : n, c->text + c->start, n > 20 ? "..." : "");
    return out;
}

static bool enter(lmb_compiler *c) {
    if (++c->depth <= EXPR_DEPTH_MAX) return true;
    return lmb_compiler_fail(c, c->start, "nested deeper than %d levels; split it", EXPR_DEPTH_MAX);
}

// a value is followed by neither an operator nor a closing token
static bool misplaced(lmb_compiler *c, const char *wanted) {
    char text[32];
    if (c->token == TOKEN_NAME || c->token == TOKEN_NUMBER || c->token == '(' || c->token == TOKEN_NOT)
        return lmb_compiler_fail(c, c->start, "missing operator before %s; write products as a*b",
                                 found(text, c));
    return lmb_compiler_fail(c, c->start, "expected %s, found %s", wanted, found(text, c));
}

static bool expect(lmb_compiler *c, int token, const char *wanted) {
    return c->token == token ? lmb_lex_next(c) : misplaced(c, wanted);
}

static bool is_relation(int token) {
    return token == '<' || token == '>' || (token >= TOKEN_LE && token <= TOKEN_NE);
}

static lmb_op relation_op(int token) {
    switch (token) {
    case '<': return OP_LT;
    case '>': return OP_GT;
    case TOKEN_LE: return OP_LE;
    case TOKEN_GE: return OP_GE;
    case TOKEN_EQ: return OP_EQ;
    default: assert(token == TOKEN_NE); return OP_NE;
    }
}

// reads a part that a constant excludes, and forgets its code
static bool skip(lmb_compiler *c, parse_level *level) {
    lmb_operand x;
    int count = c->e->count;
    c->dead++;
    bool ok = level(&x, c);
    c->dead--;
    if (ok) c->e->count = count;
    return ok;
}

// ---- branches ----------------------------------------------------------------------------------

static bool constant_branches(lmb_operand *out, lmb_compiler *c) {
    bool truth = lmb_emit_pop_const(c, out) != 0;
    if (!(truth ? choice(out, c) : skip(c, choice))) return false;
    if (!expect(c, ':', "':' and the alternative value")) return false;
    return truth ? skip(c, choice) : choice(out, c);
}

// condition, JUMP_FALSE no, yes, JUMP end, no: ..., end:
static bool branches(lmb_operand *out, lmb_compiler *c) {
    lmb_operand yes, no;
    int to_no, to_end;
    if (!lmb_emit_jump(&to_no, c, OP_JUMP_FALSE) || !choice(&yes, c)) return false;
    if (!expect(c, ':', "':' and the alternative value") || !lmb_emit_jump(&to_end, c, OP_JUMP)) return false;
    c->e->code[to_no].index = c->e->count;
    if (!choice(&no, c)) return false;
    c->e->code[to_end].index = c->e->count;
    out->degree = yes.degree > no.degree ? yes.degree : no.degree;
    out->depends |= yes.depends | no.depends;
    out->boolean = yes.boolean && no.boolean;
    return true;
}

static bool choice(lmb_operand *out, lmb_compiler *c) {
    if (!enter(c) || !either(out, c)) return false;
    if (c->token == '?') {
        int at = out->at;
        if (!lmb_emit_truth(out, c) || !lmb_lex_next(c)) return false;
        if (!(out->depends == 0 ? constant_branches : branches)(out, c)) return false;
        out->at = at;
    }
    c->depth--;
    return true;
}

// left and right, left or right: the right side runs only if it matters
static bool logical(lmb_operand *left, lmb_compiler *c, lmb_op op, parse_level *level) {
    lmb_operand right;
    int jump, at = left->at;
    if (!lmb_emit_truth(left, c) || !lmb_lex_next(c)) return false;
    if (left->depends == 0 && (lmb_emit_const_value(c, left) != 0) == (op == OP_OR)) return skip(c, level);
    if (left->depends == 0) {
        lmb_emit_pop_const(c, left);
        if (!level(left, c) || !lmb_emit_truth(left, c)) return false;
        left->at = at;
        return true;
    }
    if (!lmb_emit_jump(&jump, c, op) || !level(&right, c) || !lmb_emit_truth(&right, c)) return false;
    c->e->code[jump].index = c->e->count;
    left->depends |= right.depends;
    left->degree = 0;
    return true;
}

static bool either(lmb_operand *out, lmb_compiler *c) {
    if (!both(out, c)) return false;
    while (c->token == TOKEN_OR)
        if (!logical(out, c, OP_OR, both)) return false;
    return true;
}

static bool both(lmb_operand *out, lmb_compiler *c) {
    if (!negated(out, c)) return false;
    while (c->token == TOKEN_AND)
        if (!logical(out, c, OP_AND, negated)) return false;
    return true;
}

static bool negated(lmb_operand *out, lmb_compiler *c) {
    int nots = 0, at = c->start;
    for (; c->token == TOKEN_NOT; nots++)
        if (!lmb_lex_next(c)) return false;
    if (!relation(out, c)) return false;
    if (nots == 0) return true;
    out->at = at;
    return lmb_emit_truth(out, c) && (nots % 2 == 0 || lmb_emit_op(out, c, OP_NOT, 1, out));
}

// ---- arithmetic --------------------------------------------------------------------------------

// out = out op right
static bool binary(lmb_operand *out, lmb_compiler *c, lmb_op op, parse_level *level) {
    lmb_operand args[2] = {*out};
    return lmb_lex_next(c) && level(&args[1], c) && lmb_emit_op(out, c, op, 2, args);
}

static bool relation(lmb_operand *out, lmb_compiler *c) {
    if (!sum(out, c)) return false;
    if (is_relation(c->token) && !binary(out, c, relation_op(c->token), sum)) return false;
    if (!is_relation(c->token)) return true;
    return lmb_compiler_fail(c, c->start, "comparisons cannot be chained; write a < b and b < c");
}

static bool sum(lmb_operand *out, lmb_compiler *c) {
    if (!product(out, c)) return false;
    while (c->token == '+' || c->token == '-')
        if (!binary(out, c, c->token == '+' ? OP_ADD : OP_SUB, product)) return false;
    return true;
}

static bool product(lmb_operand *out, lmb_compiler *c) {
    if (!signed_power(out, c)) return false;
    while (c->token == '*' || c->token == '/')
        if (!binary(out, c, c->token == '*' ? OP_MUL : OP_DIV, signed_power)) return false;
    return true;
}

// -2^2 = -(2^2)
static bool signed_power(lmb_operand *out, lmb_compiler *c) {
    bool minus = false;
    int at = c->start;
    while (c->token == '-' || c->token == '+') {
        minus ^= c->token == '-';
        if (!lmb_lex_next(c)) return false;
    }
    if (!power(out, c)) return false;
    out->at = at;
    return !minus || lmb_emit_op(out, c, OP_NEG, 1, out);
}

// a^b^c = a^(b^c)
static bool power(lmb_operand *out, lmb_compiler *c) {
    if (!value(out, c)) return false;
    if (c->token != '^') return true;
    if (!enter(c) || !binary(out, c, OP_POW, signed_power)) return false;
    c->depth--;
    return true;
}

// ---- values ------------------------------------------------------------------------------------

static bool unknown_unit(lmb_compiler *c) {
    const char *near = lmb_nearest(c->name, lmb_unit_name, NULL);
    if (near)
        return lmb_compiler_fail(c, c->start, "unknown unit '%s'; did you mean '%s'? write products as a*b",
                                 c->name, near);
    lmb_text list = {0};
    const char *name;
    for (int i = 0; (name = lmb_unit_name(NULL, i));)
        if (!lmb_text_add(&list, "%s%s", i++ ? ", " : "", name))
            return lmb_text_free(&list), lmb_compiler_no_memory(c);
    lmb_compiler_fail(c, c->start, "unknown unit '%s'; write products as a*b; units: %s", c->name, list.text);
    lmb_text_free(&list);
    return false;
}

static bool number(lmb_operand *out, lmb_compiler *c) {
    double x = c->number;
    int at = c->start;
    if (!lmb_lex_next(c)) return false;
    if (c->token == TOKEN_NAME) {
        if (!lmb_unit_convert(&x, c->name, &c->scope->units)) return unknown_unit(c);
        if (!isfinite(x)) return lmb_compiler_fail(c, at, "this number is too large in the model's units");
        if (!lmb_lex_next(c)) return false;
    }
    return lmb_emit_const(out, c, at, x);
}

static bool parenthesis(lmb_operand *out, lmb_compiler *c) {
    int at = c->start;
    if (!lmb_lex_next(c) || !choice(out, c) || !expect(c, ')', "')'")) return false;
    out->at = at;
    return true;
}

// one x or y of the table whose points begin at data
static bool coordinate(lmb_compiler *c, int data) {
    lmb_operand x;
    int count = c->e->data_count;
    if (!choice(&x, c)) return false;
    if (x.depends) return lmb_compiler_fail(c, x.at, "the points of a table must be constant");
    c->e->data_count = count; // drops the leftovers of a folded table
    double y = lmb_emit_pop_const(c, &x), before = count - data >= 2 ? c->e->data[count - 2] : -INFINITY;
    if ((count - data) % 2 == 0 && !(y > before) && !c->dead)
        return lmb_compiler_fail(c, x.at, "the x values of a table must increase, but %g follows %g", y,
                                 before);
    return lmb_emit_data(c, y);
}

// x, y, ... up to the closing token; brackets group
static bool points(lmb_compiler *c, int data, int closing) {
    const char *wanted = closing == ']' ? "',' or ']'" : "',' or ')'";
    if (!enter(c)) return false;
    for (;;) {
        if (c->token != '[') {
            if (!coordinate(c, data)) return false;
        } else if (!lmb_lex_next(c) || !points(c, data, ']') || !lmb_lex_next(c)) return false;
        if (c->token != ',') break;
        if (!lmb_lex_next(c)) return false;
    }
    c->depth--;
    return c->token == closing || misplaced(c, wanted);
}

static bool wrong_call(lmb_compiler *c, const lmb_function *f, const char *trouble) {
    return lmb_compiler_fail(c, c->start, "%s: %s; write %s", f->name, trouble, f->usage);
}

// the caller's points
static bool given_points(lmb_compiler *c, const lmb_knots *p) {
    bool ok = true;
    for (int i = 0; ok && i < p->count; i++) ok = lmb_emit_data(c, p->x[i]) && lmb_emit_data(c, p->y[i]);
    return ok;
}

static bool table(lmb_operand *out, lmb_compiler *c, const lmb_function *f) {
    lmb_operand x;
    if (!choice(&x, c)) return false;
    if (c->token == ')' && c->scope->points) {
        int given = c->e->data_count;
        return given_points(c, c->scope->points) && lmb_lex_next(c) &&
               lmb_emit_table(out, c, f->op, given, &x);
    }
    if (c->token == ')') return wrong_call(c, f, "no points");
    int data = c->e->data_count;
    if (!expect(c, ',', "',' and the points") || !points(c, data, ')')) return false;
    int count = c->e->data_count - data;
    if (count % 2) return wrong_call(c, f, "the last point has no y value");
    if (count < 4) return wrong_call(c, f, "fewer than 2 points");
    if (count > 2 * EXPR_POINT_MAX)
        return lmb_compiler_fail(c, c->start, "%s has more than %d points", f->name, EXPR_POINT_MAX);
    return lmb_lex_next(c) && lmb_emit_table(out, c, f->op, data, &x);
}

// min(a, b, c) = min(min(a, b), c),  clamp(x, low, high) = min(max(x, low), high)
static bool merge(lmb_operand *args, lmb_compiler *c, const lmb_function *f, int n) {
    if (f->kind == CALL_PLAIN || n < 2) return true;
    return lmb_emit_op(&args[0], c, f->kind == CALL_CLAMP && n == 2 ? OP_MAX : f->op, 2, args);
}

// refuses clamp(x, 1, 0) while the limits are still in the code
static bool check_limits(lmb_compiler *c, int n, const lmb_operand *limit, double *low) {
    if (n < 2 || c->dead) return true;
    double y = limit->depends ? NAN : lmb_emit_const_value(c, limit);
    if (n == 3 && y < *low)
        return lmb_compiler_fail(c, limit->at, "clamp needs low <= high; %g is less than %g", y, *low);
    *low = y;
    return true;
}

static bool arguments(lmb_operand *args, lmb_compiler *c, const lmb_function *f) {
    double low = NAN;
    for (int n = 1;; n++) {
        if (c->token == ')' && n == 1) return wrong_call(c, f, "no arguments");
        if (n > f->arity && f->kind != CALL_MANY) return wrong_call(c, f, "too many arguments");
        lmb_operand *x = &args[f->kind == CALL_PLAIN || n == 1 ? n - 1 : 1];
        if (!choice(x, c)) return false;
        if (f->kind == CALL_CLAMP && !check_limits(c, n, x, &low)) return false;
        if (!merge(args, c, f, n)) return false;
        if (c->token == ')' && n < f->arity) return wrong_call(c, f, "too few arguments");
        if (c->token == ')') return lmb_lex_next(c);
        if (!expect(c, ',', "',' or ')'")) return false;
    }
}

static bool call_outside(lmb_operand *out, lmb_compiler *c, const lmb_outside *from) {
    static const char *const list[LMB_OUTSIDE_ARGUMENTS] = {
        "x", "x, y", "x, y, z", "a, b, c, d", "a, b, ..., e", "a, b, ..., f", "a, b, ..., g", "a, b, ..., h"};
    char usage[EXPR_NAME_MAX + 32];
    lmb_operand args[LMB_OUTSIDE_ARGUMENTS];
    int at = c->start;
    snprintf(usage, sizeof usage, "%s(%s)", from->name, list[from->arguments - 1]);
    const lmb_function f = {from->name, usage, CALL_PLAIN, OP_OUTSIDE, from->arguments};
    if (!lmb_lex_next(c) || !lmb_lex_next(c) || !arguments(args, c, &f)) return false; // name, (
    args[0].at = at; // an error names the whole call
    return lmb_emit_outside(out, c, from, args);
}

// the place of the bracket that closes the one at `open`, -1: none
static int closing(const lmb_compiler *c, int open) {
    int depth = 0;
    for (int i = open; c->text[i]; i++) {
        depth += (c->text[i] == '(' || c->text[i] == '[') - (c->text[i] == ')' || c->text[i] == ']');
        if (depth == 0) return i;
    }
    return -1;
}

// a call that the caller understands; *taken: it was one
static bool foreign_call(lmb_operand *out, lmb_compiler *c, int open, bool *taken) {
    lmb_symbol symbol = {LMB_SYMBOL_UNKNOWN, 0, 0};
    int end = c->scope->call ? closing(c, open) : -1, at = c->start;
    *taken = false;
    if (c->scope->call == NULL) return true;
    if (end < 0) return lmb_compiler_fail(c, open, "expected ')' for this '('");
    char *arguments = lmb_strndup(c->text + open + 1, (size_t)(end - open - 1));
    if (arguments == NULL) return lmb_compiler_no_memory(c);
    lmb_where where = lmb_compiler_place(c, open + 1);
    c->status = c->scope->call(c->scope->user, &symbol, c->name, arguments, where, c->err);
    lmb_free(arguments);
    if (c->status != LMB_OK) return false;
    if (symbol.kind == LMB_SYMBOL_UNKNOWN) return true;
    *taken = true;
    c->end = end + 1;
    if (!lmb_lex_next(c)) return false;
    return symbol.kind == LMB_SYMBOL_INPUT ? lmb_emit_input(out, c, at, symbol.input)
                                           : lmb_emit_const(out, c, at, symbol.value);
}

static bool call(lmb_operand *out, lmb_compiler *c) {
    const lmb_function *f = lmb_function_find(c->name);
    const lmb_outside *from = lmb_outside_find(c->scope->outside, c->name);
    lmb_operand args[3];
    int at = c->start;
    if (from) return call_outside(out, c, from);
    if (f == NULL) return lmb_function_unknown(c, at);
    if (!lmb_lex_next(c) || !lmb_lex_next(c)) return false; // name, (
    if (f->kind == CALL_TABLE) {
        if (!table(out, c, f)) return false;
    } else {
        if (!arguments(args, c, f)) return false;
        args[0].at = at; // an error names the whole call
        if (f->kind == CALL_PLAIN && !lmb_emit_op(args, c, f->op, f->arity, args)) return false;
        *out = args[0];
    }
    out->at = at;
    return true;
}

static bool value(lmb_operand *out, lmb_compiler *c) {
    char text[32];
    if (c->token == TOKEN_NUMBER) return number(out, c);
    if (c->token == '(') return parenthesis(out, c);
    if (c->token == TOKEN_NAME) {
        int next = c->end + (int)strspn(c->text + c->end, " \t\r\n");
        bool taken = false;
        if (c->text[next] == '(') return foreign_call(out, c, next, &taken) && (taken || call(out, c));
        return lmb_name_emit(out, c) && lmb_lex_next(c);
    }
    if (c->token == TOKEN_NOT)
        return lmb_compiler_fail(c, c->start, "put parentheses around the negation: (not a)");
    if (c->token == '[')
        return lmb_compiler_fail(c, c->start,
                                 "a list in brackets is allowed only in table(...) and spline(...)");
    return lmb_compiler_fail(c, c->start, "expected a value, found %s", found(text, c));
}

// ---- the whole ---------------------------------------------------------------------------------

static bool whole(lmb_compiler *c) {
    lmb_operand result;
    if (strnlen(c->text, EXPR_LENGTH_MAX + 1) > EXPR_LENGTH_MAX)
        return lmb_compiler_fail(c, 0, "longer than %d characters; split the expression", EXPR_LENGTH_MAX);
    if (!lmb_lex_next(c)) return false;
    if (c->token == TOKEN_END)
        return lmb_compiler_fail(c, 0, "the expression is empty; write a number or a formula");
    if (!choice(&result, c)) return false;
    if (c->token == ')') return lmb_compiler_fail(c, c->start, "unmatched ')'; remove it or add a '('");
    return c->token == TOKEN_END || misplaced(c, "an operator");
}

lmb_status lmb_expr_compile(lmb_expr **out, const char *text, lmb_where where, const lmb_scope *scope,
                            lmb_error *err) {
    *out = NULL;
    lmb_compiler c = {.text = text, .where = where, .scope = scope, .err = err, .depth = -1};
    c.e = lmb_alloc(1, sizeof *c.e);
    if (c.e == NULL) return lmb_fail_memory(err);
    if (whole(&c) && lmb_emit_finish(&c)) {
        *out = c.e;
        return LMB_OK;
    }
    lmb_expr_destroy(c.e);
    return c.status;
}

void lmb_expr_destroy(lmb_expr *e) {
    if (e == NULL) return;
    lmb_free(e->code);
    lmb_free(e->data);
    lmb_free(e->inputs);
    lmb_free(e->outside);
    lmb_free(e);
}
