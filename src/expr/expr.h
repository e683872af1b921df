// expr/expr.h: the expression language of model files: compiled once, no loops, differentiates itself.
//
//   0.01*(1 - exp(-t/0.167))      t <= 0.7 ? a : b      2*pi*pin.angle      smoothstep(t, 0, 1)
//
// Names are resolved at compile time by the caller (lmb_scope): constants are folded, the rest become
// numbered inputs.  `t` is time.  A number may carry a unit: `30 deg`, `5 mm`, `1 ms`.
//
// Jumps.  A relation (<, <=, ...) or a table whose operands depend on time alone decides by time_side,
// not by time: an integrator whose step ends on a jump passes a time inside the step and sees one smooth
// piece, on both ends.  lmb_expr_next_break finds these jumps.
#ifndef LMB_EXPR_H
#define LMB_EXPR_H

#include "core/core.h"

typedef struct lmb_expr lmb_expr; // immutable after compile, may be shared by threads

// What a name means.
typedef enum lmb_symbol_kind { LMB_SYMBOL_UNKNOWN, LMB_SYMBOL_CONSTANT, LMB_SYMBOL_INPUT } lmb_symbol_kind;
typedef struct lmb_symbol {
    lmb_symbol_kind kind;
    double value; // CONSTANT
    int input;    // INPUT: the caller's number, >= 0
} lmb_symbol;

// SI factors of the model's own units: a number with a unit is converted into the model's units.
typedef struct lmb_units {
    double length, mass, time, angle; // e.g. mm-t-s: 1e-3, 1e3, 1, 1; angle 1 (rad) always in arithmetic
} lmb_units;
static const lmb_units LMB_UNITS_SI = {1, 1, 1, 1};

// Exponents of length, mass, time: the dimension of a number.
typedef struct lmb_dim {
    signed char length, mass, time;
} lmb_dim;
double lmb_units_factor(const lmb_units *u, lmb_dim dim); // SI value = factor * model value
double lmb_unit_factor(const char *name);                 // SI value of one; 0: there is no such unit
// Whether text is just a number with a unit ("-5 mm"), and its dimension.
bool lmb_unit_literal(lmb_dim *dim, const char *text);

// Points of a table, x increasing.
typedef struct lmb_knots {
    int count;
    double *x, *y;
} lmb_knots;
void lmb_knots_free(lmb_knots *p); // x and y, by lmb_free

// A function that the caller computes: f(x), x[0..arguments).  gradient (may be NULL): partial derivatives where it knows them; entries
// that it leaves alone, NAN, are found by differences.  The same arguments have the same value, in all threads.
enum { LMB_OUTSIDE_ARGUMENTS = 8 };
typedef struct lmb_outside {
    const char *name;
    int arguments; // 1 to LMB_OUTSIDE_ARGUMENTS
    double (*value)(void *user, const double *x, double *gradient);
    void *user;
    const struct lmb_outside *next;
} lmb_outside;

typedef struct lmb_scope {
    // Finds name (a dotted path such as "pin.angle", never "t"). Leaves kind UNKNOWN if there is none; may
    // also fail with a text of its own (e.g. a cycle of parameters). May be NULL: no names.
    lmb_status (*resolve)(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err);
    // Candidate i for "did you mean", NULL at the end. May be NULL.
    const char *(*candidate)(void *user, int i);
    void *user;
    lmb_units units;
    bool allow_time; // false: `t` is refused with a text that says so
    // Called before the caller's own names (parameters) are searched. May be NULL.
    lmb_status (*resolve_first)(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                lmb_error *err);
    const lmb_knots *points;    // of a table(x) or spline(x) without points of its own. May be NULL.
    const lmb_outside *outside; // live as long as the expressions. May be NULL.
    // Calls of the caller's own: name(arguments), where the arguments are any text with matching brackets.  Kind UNKNOWN leaves the call to the
    // language.  May be NULL.
    lmb_status (*call)(void *user, lmb_symbol *out, const char *name, const char *arguments, lmb_where where,
                       lmb_error *err);
} lmb_scope;

// A value with first and second derivative along one direction (time, say).
typedef struct lmb_jet {
    double v, d, dd;
} lmb_jet;

typedef struct lmb_env {
    double time;
    double time_side;     // decides relations and tables that depend on time alone; usually = time
    const double *inputs; // indexed by the caller's input numbers
} lmb_env;

// Compiles text. where is the place of the text's first character; errors point into it.  *out is owned
// by the caller (lmb_expr_destroy).  Depth and length are limited; constants that are not finite are refused.
lmb_status lmb_expr_compile(lmb_expr **out, const char *text, lmb_where where, const lmb_scope *scope,
                            lmb_error *err);
void lmb_expr_destroy(lmb_expr *e); // takes NULL

bool lmb_expr_is_constant(const lmb_expr *e);
bool lmb_expr_uses_time(const lmb_expr *e);
bool lmb_expr_is_smooth(const lmb_expr *e); // jumps and kinks, if it has any, depend on time alone
int lmb_expr_input_count(const lmb_expr *e);
int lmb_expr_input(const lmb_expr *e, int k); // the caller's number of the k-th distinct input

double lmb_expr_value(const lmb_expr *e, const lmb_env *env);
// value; *by_time (may be NULL) and by_input[0..input_count) (may be NULL) get the partial derivatives
double lmb_expr_gradient(const lmb_expr *e, const lmb_env *env, double *by_time, double *by_input);
// value, first and second derivative along the direction in which time has derivative 1 and the k-th
// distinct input has jets inputs[k] (may be NULL if there are no inputs)
lmb_jet lmb_expr_jet(const lmb_expr *e, const lmb_env *env, const lmb_jet *inputs);

// The first time in (t0, t1] at which a relation or table of time alone changes its piece, INFINITY if none.
// Found to about one unit in the last place of t; may look at a bounded number of sample points between.
double lmb_expr_next_break(const lmb_expr *e, double t0, double t1);

#endif
