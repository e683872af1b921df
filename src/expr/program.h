// expr/program.h: the compiled form of an expression; private to src/expr.
//
// A program is a list of instructions in post order for a stack machine: operands first, then the
// operation.  Branches (?:, and, or) are jumps, so only what is needed runs: `x > 0 ? log(x) : 0` never
// takes the logarithm of a negative number, neither for the value nor for a derivative.
//
// A decision is an operation with pieces: it first chooses a piece, then evaluates it.  If its operands
// depend on time alone (by_side), the operands at time_side choose the piece, evaluated at time.
// A spline is smooth enough (C2) not to be a decision.
#ifndef LMB_EXPR_PROGRAM_H
#define LMB_EXPR_PROGRAM_H

#include "expr/expr.h"

enum {
    EXPR_LENGTH_MAX = 10000, // characters
    EXPR_DEPTH_MAX = 200,    // parentheses, calls, branches and exponents inside one another
    EXPR_NODE_MAX = 20000,   // instructions
    EXPR_POINT_MAX = 5000,   // points of one table
    EXPR_STACK_MAX = 1024,   // < 5 pending operands per depth: a < b + c*f(x, y, ...
};

typedef enum lmb_op {
    OP_CONST,
    OP_TIME,
    OP_INPUT,
    OP_JUMP,
    OP_JUMP_FALSE,
    OP_AND,
    OP_OR, // and, or: keep the left value and jump, or drop it and go on
    OP_NEG,
    OP_NOT,
    OP_SIN,
    OP_COS,
    OP_TAN,
    OP_ASIN,
    OP_ACOS,
    OP_ATAN,
    OP_SINH,
    OP_COSH,
    OP_TANH,
    OP_EXP,
    OP_LOG,
    OP_LOG10,
    OP_SQRT,
    OP_CBRT,
    OP_SPLINE,
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_POW,
    OP_ATAN2,
    OP_HYPOT,
    OP_OUTSIDE,
    // decisions
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_MIN,
    OP_MAX,
    OP_MOD,
    OP_SIGN,
    OP_ABS,
    OP_FLOOR,
    OP_CEIL,
    OP_ROUND,
    OP_TABLE,
    OP_SMOOTHSTEP,
    OP_FIRST_DECISION = OP_LT
} lmb_op;

typedef struct lmb_instr {
    unsigned char op, arity;
    bool by_side; // a decision whose operands depend on time alone
    bool affine;  // by_side: its operands are affine in time between the breaks of what they contain
    int first;    // where the code of the operands begins
    int index;    // INPUT: k-th distinct input; jumps: target; TABLE, SPLINE: place in data; OUTSIDE: number
    int count;    // TABLE, SPLINE: number of points
    double value; // CONST
} lmb_instr;

struct lmb_expr {
    lmb_instr *code;
    double *data; // a table of n points: x[n], y[n]; a spline: x[n], y[n], y''[n]
    int *inputs;  // the caller's numbers of the distinct inputs
    const lmb_outside **outside;
    int count, data_count, input_count, outside_count, break_count; // break_count: instructions with by_side
    bool uses_time;
};

// Runs code[first, last): its results lie on the stack, from stack[0] on.
void lmb_expr_run(const lmb_expr *e, int first, int last, const lmb_env *env, double *stack);
// The values of the operands of code[i].
void lmb_expr_operands(double x[3], const lmb_expr *e, int i, const lmb_env *env);
// The value of operation in with operands x; a decision chooses its piece by s (usually = x).
double lmb_expr_apply(const lmb_expr *e, const lmb_instr *in, const double *x, const double *s);

// A number for the piece that a decision with operands x chooses; whether x lies on the edge of a piece.
double lmb_expr_piece(const lmb_expr *e, const lmb_instr *in, const double *x);
bool lmb_expr_on_edge(const lmb_expr *e, const lmb_instr *in, const double *x);

// A function from outside along the jets of its arguments; curved: with the second derivative.
lmb_jet lmb_outside_at(const lmb_outside *f, const lmb_jet *x, bool curved);

// Tables: the number of knots <= at; the line of piece k at x and its slope; the spline as a jet.
int lmb_table_piece(const double *knots, int n, double at);
double lmb_table_line(const double *points, int n, int k, double x, double *slope);
lmb_jet lmb_spline_at(const double *points, int n, double x);
// Fills points[2n, 3n) with y''; scratch has n numbers.
void lmb_spline_fit(double *points, int n, double *scratch);

#endif
