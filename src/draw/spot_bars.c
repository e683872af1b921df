// draw/spot_bars.c: error bars of hot spots.                                          docs/theory/reduction.md (23)
//
// Bars belong to sensors.  A spot has that of a sensor `stress` or `section` at its place, or of `largest_stress` of its body: of one that
// has the same stress in the same row, in all components that it has.  Other places have none.
#include "draw/envelope.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-4; // of the von Mises stress: skins are floats

typedef struct row { // of a table
    lmb_series columns;
    double *v;
} row;

static void free_row(row *x) { lmb_series_free(&x->columns), lmb_free(x->v); }

static lmb_status read_row(row *out, lmb_reader *r, int group, const char *table, long at, lmb_error *err) {
    lmb_status st = lmb_reader_columns(&out->columns, r, group, table, err);
    if (st != LMB_OK) return st;
    out->v = lmb_alloc((size_t)out->columns.columns + 1, sizeof *out->v);
    return out->v ? lmb_reader_block(out->v, r, group, table, (lmb_row_range){at, 1}, err)
                  : lmb_fail_memory(err);
}

// length of the sensor's name if the column is its `component`, else 0
static size_t is_component(const char *column, const char *component) {
    size_t n = strlen(column), k = strlen(component);
    return n > k + 1 && strcmp(column + n - k, component) == 0 && column[n - k - 1] == '.' ? n - k - 1 : 0;
}

// NAN: the sensor has no such component
static double component(const row *x, const char *sensor, size_t length, const char *name) {
    for (int i = 0; i < x->columns.columns; i++)
        if (is_component(x->columns.names[i], name) == length &&
            strncmp(x->columns.names[i], sensor, length) == 0)
            return x->v[i];
    return NAN;
}

static bool differs(double value, double stress, double size) { return fabs(value - stress) > SAME * size; }

// whether a sensor has the stress of the spot; components that it does not have do not tell
static bool is_there(const lmb_spot *s, const row *x, const char *sensor, size_t length) {
    static const char *const names[6] = {"xx", "yy", "zz", "xy", "yz", "zx"};
    double mises = component(x, sensor, length, "mises"), node = component(x, sensor, length, "node");
    if (!(fabs(mises - s->mises) <= SAME * s->mises) || fabs(node - s->node) > 0) return false;
    for (int k = 0; k < 6; k++)
        if (differs(component(x, sensor, length, names[k]), s->stress[k], s->mises)) return false;
    return !differs(component(x, sensor, length, "stress"), fabs(s->stress[0]), s->mises);
}

lmb_status lmb_spot_bar(double *bar, const lmb_spot *s, lmb_reader *r, int group, long at, lmb_error *err) {
    row sensors = {0}, bars = {0};
    *bar = NAN;
    if (!lmb_reader_has_table(r, group, "bars")) return LMB_OK;
    lmb_status st = read_row(&sensors, r, group, "sensors", at, err);
    if (st == LMB_OK) st = read_row(&bars, r, group, "bars", at, err);
    for (int i = 0; i < bars.columns.columns && st == LMB_OK && isnan(*bar); i++) {
        const char *name = bars.columns.names[i];
        size_t length = is_component(name, "mises");
        if (length > 0 && is_there(s, &sensors, name, length)) *bar = bars.v[i];
    }
    free_row(&sensors), free_row(&bars);
    return st;
}
