// expr/compile.h: text to program: tokens (lex.c), grammar (parse.c), code with folding (emit.c),
// functions and names (names.c), functions of the caller (outside.c), units (units.c); private to src/expr.
#ifndef LMB_EXPR_COMPILE_H
#define LMB_EXPR_COMPILE_H

#include "expr/program.h"

// Single characters are their own token.
typedef enum lmb_token {
    TOKEN_END,
    TOKEN_NUMBER = 256,
    TOKEN_NAME,
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_LE,
    TOKEN_GE,
    TOKEN_EQ,
    TOKEN_NE
} lmb_token;

enum { EXPR_NAME_MAX = 255 };

// One compilation.  Functions that take it return false after lmb_compiler_fail; status has the code then.
typedef struct lmb_compiler {
    const char *text;
    lmb_where where;
    const lmb_scope *scope;
    lmb_error *err;
    lmb_status status;
    int token, start, end; // the token at hand, text[start, end)
    int last_end;          // end of the token before it
    double number;         // NUMBER
    char name[EXPR_NAME_MAX + 1];
    int depth;
    int dead; // > 0: inside a branch that a constant condition excludes
    lmb_expr *e;
    int capacity, data_capacity;
} lmb_compiler;

enum { DEPENDS_TIME = 1, DEPENDS_INPUT = 2 };

// What the code of a subexpression computes. depends == 0: it is one CONST instruction.
typedef struct lmb_operand {
    int at;     // where its text begins
    int first;  // where its code begins
    int degree; // in time between breaks: 0 constant, 1 affine, 2 anything
    unsigned depends;
    bool boolean; // 0 or 1
} lmb_operand;

// lex.c
lmb_where lmb_compiler_place(const lmb_compiler *c, int at); // of text[at]
bool lmb_compiler_fail(lmb_compiler *c, int at, const char *format, ...) LMB_PRINTF(3, 4);
bool lmb_compiler_no_memory(lmb_compiler *c);
bool lmb_lex_next(lmb_compiler *c);

// emit.c: outputs and operands may be the same object
bool lmb_emit_const(lmb_operand *out, lmb_compiler *c, int at, double value);
bool lmb_emit_time(lmb_operand *out, lmb_compiler *c, int at);
bool lmb_emit_input(lmb_operand *out, lmb_compiler *c, int at, int input);
bool lmb_emit_op(lmb_operand *out, lmb_compiler *c, lmb_op op, int arity, const lmb_operand *args);
bool lmb_emit_outside(lmb_operand *out, lmb_compiler *c, const lmb_outside *f, const lmb_operand *args);
bool lmb_emit_table(lmb_operand *out, lmb_compiler *c, lmb_op op, int data, const lmb_operand *x);
bool lmb_emit_truth(lmb_operand *x, lmb_compiler *c); // x != 0 unless it is boolean already
bool lmb_emit_jump(int *place, lmb_compiler *c, lmb_op op);
bool lmb_emit_data(lmb_compiler *c, double value);
double lmb_emit_pop_const(lmb_compiler *c, const lmb_operand *x); // removes it from the code
double lmb_emit_const_value(const lmb_compiler *c, const lmb_operand *x);
bool lmb_emit_finish(lmb_compiler *c);

// names.c
typedef enum lmb_call_kind { CALL_PLAIN, CALL_MANY, CALL_CLAMP, CALL_TABLE } lmb_call_kind;
typedef struct lmb_function {
    const char *name, *usage;
    lmb_call_kind kind;
    lmb_op op;
    int arity; // PLAIN; MANY: at least this many
} lmb_function;
const lmb_function *lmb_function_find(const char *name);
const lmb_outside *lmb_outside_find(const lmb_outside *list, const char *name); // NULL: not there
bool lmb_function_unknown(lmb_compiler *c, int at);                             // fails, about c->name
bool lmb_name_emit(lmb_operand *out, lmb_compiler *c); // the NAME at hand, not a call

// units.c: number with unit -> model units, false if there is no such unit
bool lmb_unit_convert(double *value, const char *name, const lmb_units *model);
const char *lmb_unit_name(void *unused, int i);

#endif
