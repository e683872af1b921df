// fe/mesh_temperature.c: materials that depend on temperature, at one temperature.
//
// Constants are linear between the rows of a table and constant beyond them, as in the programs whose decks these are.
#include "fe/fe.h"

static bool same_table(const lmb_material_row *a, const lmb_material_row *b) {
    return a->material == b->material && a->make == b->make;
}

// "-40, 20, 150": of the first table
static lmb_status fail_unknown(const lmb_mesh *m, lmb_error *err) {
    const lmb_material *a = &m->materials[m->rows[0].material];
    lmb_text t = {0};
    bool ok = true;
    for (int i = 0; ok && i < m->row_count && i < 8 && same_table(&m->rows[0], &m->rows[i]); i++)
        ok = lmb_text_add(&t, "%s%g", i > 0 ? ", " : "", m->rows[i].temperature);
    lmb_status st =
        ok ? lmb_fail(
                 err, LMB_ERR_INPUT, a->where,
                 "material '%s' depends on temperature (given at %s), and the deck has no single initial "
                 "temperature; add `temperature: %g` to the part",
                 a->name, t.text, m->rows[0].temperature)
           : lmb_fail_memory(err);
    lmb_text_free(&t);
    return st;
}

static lmb_status remark(lmb_text *report, const lmb_material *m, double T, double end) {
    bool ok = report == NULL ||
              lmb_text_add(report, "material '%s': at %g the values of %g are used, the nearest given\n",
                           m->name, T, end);
    return ok ? LMB_OK : LMB_ERR_SYSTEM;
}

// rows[0..count-1] of one table
static lmb_status evaluate(lmb_text *report, lmb_mesh *m, const lmb_material_row *rows, int count, double T,
                           lmb_error *err) {
    lmb_material *a = &m->materials[rows[0].material];
    double v[LMB_CONSTANTS];
    int k = 0;
    while (k < count - 2 && T > rows[k + 1].temperature) k++;
    double t0 = rows[k].temperature, t1 = rows[k + 1].temperature, s = fmin(1, fmax(0, (T - t0) / (t1 - t0)));
    for (int i = 0; i < rows[k].count; i++) v[i] = (1 - s) * rows[k].v[i] + s * rows[k + 1].v[i];
    if ((T < t0 || T > t1) && remark(report, a, T, T < t0 ? t0 : t1) != LMB_OK) return lmb_fail_memory(err);
    if (!rows[k].make(a, v))
        return lmb_fail(err, LMB_ERR_INPUT, a->where, "material '%s': its constants at %g are invalid",
                        a->name, T);
    return LMB_OK;
}

lmb_status lmb_mesh_at_temperature(lmb_text *report, lmb_mesh *m, double temperature, lmb_error *err) {
    double T = isnan(temperature) ? m->temperature : temperature;
    lmb_status st = LMB_OK;
    if (m->row_count > 0 && isnan(T)) return fail_unknown(m, err);
    for (int i = 0, n; i < m->row_count && st == LMB_OK; i += n) {
        for (n = 1; i + n < m->row_count && same_table(&m->rows[i], &m->rows[i + n]);) n++;
        st = evaluate(report, m, m->rows + i, n, T, err);
    }
    if (m->row_count > 0 && st == LMB_OK && report &&
        !lmb_text_add(report, "materials at temperature %g%s\n", T,
                      isnan(temperature) ? " (of the deck)" : ""))
        return lmb_fail_memory(err);
    m->row_count = 0;
    return st;
}
