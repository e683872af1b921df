// system/build_tables.c: functions given by columns of a file, as expressions.                docs/theory/signals.md
#include "system/build_state.h"

#include <math.h>
#include <string.h>

enum { LINEAR, CUBIC };
enum { HOLD, LINE, REPEAT };

// A straight line beyond both ends: one more point far outside on each side.  A spline goes on like that by itself.
static bool extend(lmb_knots *p) {
    int n = p->count;
    double far = 1e6 * (p->x[n - 1] - p->x[0]);
    double *x = lmb_alloc((size_t)n + 2, sizeof *x), *y = lmb_alloc((size_t)n + 2, sizeof *y);
    if (x == NULL || y == NULL) return lmb_free(x), lmb_free(y), false;
    memcpy(x + 1, p->x, (size_t)n * sizeof *x), memcpy(y + 1, p->y, (size_t)n * sizeof *y);
    x[0] = x[1] - far, y[0] = y[1] - far * (y[2] - y[1]) / (x[2] - x[1]);
    x[n + 1] = x[n] + far, y[n + 1] = y[n] + far * (y[n] - y[n - 1]) / (x[n] - x[n - 1]);
    lmb_knots_free(p);
    *p = (lmb_knots){n + 2, x, y};
    return true;
}

// A natural spline through points that repeat: what its ends do has died out by 0.27 with each point, so that one period of it is periodic.
static bool repeat(lmb_knots *p) {
    enum { POINTS = 30 }; // 0.27^30 = 1e-17
    int n = p->count - 1, times = (POINTS + n - 1) / n, all = (2 * times + 1) * n + 1;
    double *x = lmb_alloc((size_t)all, sizeof *x), *y = lmb_alloc((size_t)all, sizeof *y);
    if (x == NULL || y == NULL) return lmb_free(x), lmb_free(y), false;
    for (int i = 0; i < all; i++) {
        x[i] = p->x[i % n] + (i / n - times) * (p->x[n] - p->x[0]);
        y[i] = p->y[i % n];
    }
    lmb_knots_free(p);
    *p = (lmb_knots){all, x, y};
    return true;
}

// what stands in front of the argument, and behind it:   spline(clamp(ARGUMENT, x0, xn)),   table(x0 + mod(ARGUMENT - x0, xn - x0))
static bool wrap(lmb_text *before, lmb_text *behind, const lmb_knots *p, const lmb_table_choice *t) {
    const char *function = t->method == CUBIC ? "spline(" : "table(";
    double first = p->x[0], last = p->x[p->count - 1];
    bool ok = lmb_text_add(before, "%s", function);
    if (t->beyond == REPEAT)
        ok = ok && lmb_text_add(before, "(%.17g) + mod((", first) &&
             lmb_text_add(behind, ") - (%.17g), %.17g)", first, last - first);
    else if (t->method == CUBIC && t->beyond == HOLD)
        ok = ok && lmb_text_add(before, "clamp(") && lmb_text_add(behind, ", %.17g, %.17g)", first, last);
    return ok && lmb_text_add(behind, ")");
}

static lmb_status check_values(const lmb_knots *p, const lmb_table_choice *t, const lmb_node *map,
                               lmb_error *err) {
    for (int i = 0; i < p->count; i++)
        if (p->y[i] < t->min || p->y[i] > t->max)
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(map, "file"),
                            "'%s' is %g in row %d of the numbers of '%s', outside its range from %g to %g",
                            map->key, p->y[i], i + 1, t->file, t->min, t->max);
    return LMB_OK;
}

static lmb_status check_period(const lmb_knots *p, const lmb_table_choice *t, const lmb_node *map,
                               lmb_error *err) {
    double a = p->y[0], b = p->y[p->count - 1];
    if (t->beyond != REPEAT || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(map, "beyond"),
                    "the table of '%s' begins with %g and ends with %g; to be repeated, its first and last "
                    "values must be equal: add a row at the end of the period",
                    t->file, a, b);
}

// points beyond the ends, as the method needs them
static bool go_beyond(lmb_knots *p, const lmb_table_choice *t) {
    if (t->method == LINEAR) return t->beyond != LINE || extend(p);
    return t->beyond != REPEAT || repeat(p);
}

// the expression of the points at the argument; col of its place: that of the argument
static lmb_status compile_points(const lmb_expr **out, lmb_build *b, lmb_knots *p, const lmb_node *argument,
                                 const lmb_table_choice *t, lmb_error *err) {
    lmb_text text = {0}, behind = {0};
    bool ok = wrap(&text, &behind, p, t);
    lmb_node n = *argument;
    if (ok && n.where.line > 0) n.where.col -= (int)text.length;
    ok = ok && lmb_text_add(&text, "%s%s", argument->text, behind.text) && go_beyond(p, t);
    n.text = text.text;
    b->points = p;
    lmb_status st = ok ? lmb_build_expr(out, b, &n, NULL, 0, err) : lmb_fail_memory(err);
    b->points = NULL;
    lmb_text_free(&text);
    lmb_text_free(&behind);
    return st;
}

lmb_status lmb_build_table(const lmb_expr **out, lmb_build *b, const lmb_node *map, const lmb_node *argument,
                           const lmb_table_choice *t, lmb_error *err) {
    lmb_knots p = {0};
    if (argument->kind != LMB_NODE_SCALAR)
        return lmb_fail(err, LMB_ERR_INPUT, argument->where, "expected an expression, such as crank.angle");
    if (b->files == NULL || b->files->table == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(map, "file"), "no files can be read here");
    lmb_status st = b->files->table(b->files->user, &p, map, t->file, t->x, t->y, err);
    if (st == LMB_OK) st = check_values(&p, t, map, err);
    if (st == LMB_OK) st = check_period(&p, t, map, err);
    if (st == LMB_OK) st = compile_points(out, b, &p, argument, t, err);
    lmb_knots_free(&p);
    return st;
}
