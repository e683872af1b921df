// api/validate_part.c: quantities of a part, whole and reduced, against the numbers of its `validation` section.
#include "api/part_file.h"

#include <math.h>

typedef struct validation {
    lmb_part_file file;
    const char *case_name;
    lmb_part_model *model; // NULL: a reference file is missing, all comparisons are skipped
    lmb_flex *flex;        // made when first needed
    lmb_part_case held;    // of the modes at hand
    lmb_eigen modes;
    lmb_tell_comparison *tell;
    void *user;
} validation;

// ---- of the whole part -------------------------------------------------------------------------

// the modes are cached: the next comparison often has the same supports
static lmb_status whole_frequency(double *out, validation *v, const lmb_expectation *e,
                                  const lmb_part_case *c, lmb_error *err) {
    enum { AT_LEAST = 10 };
    lmb_status st = LMB_OK;
    if (v->modes.count < e->frequency || !lmb_part_case_same_support(&v->held, c)) {
        lmb_eigen_free(&v->modes);
        v->modes = (lmb_eigen){0};
        v->held = *c;
        int count = e->frequency > AT_LEAST ? e->frequency : AT_LEAST;
        st = lmb_part_case_modes(&v->modes, v->model, c, count, err);
    }
    if (st == LMB_OK && v->modes.count < e->frequency)
        return lmb_fail(err, LMB_ERR_INPUT, e->where, "the part has only %d modes", v->modes.count);
    if (st == LMB_OK) *out = v->modes.values[e->frequency - 1];
    return st;
}

// ---- of the reduced part -----------------------------------------------------------------------

static lmb_status find_forces(lmb_flex_force *out, const validation *v, const lmb_part_case *c,
                              lmb_error *err) {
    for (int i = 0; i < c->load_count; i++) {
        const lmb_part_load *a = &c->loads[i];
        out[i] = (lmb_flex_force){lmb_part_model_site(v->model, a->marker), a->index, a->value};
        if (out[i].marker < 0)
            return lmb_fail(err, LMB_ERR_INPUT, a->where, "the part has no interface or marker '%s'",
                            a->marker);
    }
    return LMB_OK;
}

// tip.y: row of its shape functions, times q
static lmb_status motion(double *out, const validation *v, const lmb_expectation *e, const double *q,
                         lmb_error *err) {
    const char *name;
    int index;
    lmb_status st = lmb_part_split_direction(&name, &index, v->file.spec, e->deflection, e->where, err);
    int marker = st == LMB_OK ? lmb_part_model_site(v->model, name) : -1;
    if (st == LMB_OK && marker < 0)
        st = lmb_fail(err, LMB_ERR_INPUT, e->where, "the part has no interface or marker '%s'", name);
    if (st != LMB_OK) return st;
    const lmb_flex_marker *k = &v->flex->markers[marker];
    *out = lmb_dot((index < 3 ? k->S : k->P) + (size_t)(index % 3) * v->flex->m, q, v->flex->m);
    return LMB_OK;
}

static lmb_status reduced_value(double *out, const validation *v, const lmb_expectation *e,
                                const lmb_part_case *c, lmb_error *err) {
    int m = v->flex->m, number = e->frequency ? e->frequency : e->buckling;
    if (number > m)
        return lmb_fail(err, LMB_ERR_INPUT, e->where, "the reduced part has only %d shape functions", m);
    double *values = lmb_alloc((size_t)m + 1, sizeof *values);
    lmb_flex_force *forces = lmb_alloc((size_t)c->load_count + 1, sizeof *forces);
    lmb_flex_prestress p = {c->load_count, forces, e->spin};
    lmb_status st = values && forces ? find_forces(forces, v, c, err) : lmb_fail_memory(err);
    if (st == LMB_OK && e->frequency) st = lmb_flex_frequencies(values, v->flex, &p, err);
    if (st == LMB_OK && e->buckling) st = lmb_flex_buckling(values, v->flex, &p, err);
    if (st == LMB_OK && e->deflection) st = lmb_flex_deflection(values, v->flex, &p, err);
    if (st == LMB_OK && e->deflection) st = motion(out, v, e, values, err);
    else if (st == LMB_OK) *out = values[number - 1];
    lmb_free(forces), lmb_free(values);
    return st;
}

// mass, c = I2 / I1, I = I7 + m c~ c~ about the centre of mass
static double inertia_value(const lmb_flex *f, int which) {
    static const int row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
    vec3 c = v3_scale(1 / f->I1, f->I2);
    mat3 s = m3_skew(c), I = m3_add(f->I7, m3_scale(f->I1, m3_mul(s, s)));
    if (which == 1) return f->I1;
    if (which <= 4) return which == 2 ? c.x : which == 3 ? c.y : c.z;
    return I.m[row[which - 5]][column[which - 5]];
}

// ---- all comparisons ---------------------------------------------------------------------------

static lmb_status value(double *out, validation *v, const lmb_expectation *e, lmb_error *err) {
    lmb_part_case c;
    bool reduced = e->reduced || e->buckling || e->inertia;
    lmb_status st = lmb_part_case_read(&c, v->file.spec, e->held, e->load, err);
    if (st == LMB_OK && reduced && v->flex == NULL) st = lmb_part_model_reduce(&v->flex, v->model, err);
    if (st != LMB_OK) return st;
    if (e->inertia) return *out = inertia_value(v->flex, e->inertia), LMB_OK;
    if (reduced) return reduced_value(out, v, e, &c, err);
    if (e->frequency) return whole_frequency(out, v, e, &c, err);
    return lmb_part_case_deflection(out, v->model, &c, v->file.spec, e->deflection, err);
}

static lmb_status compare(validation *v, const lmb_node *n, lmb_error *err) {
    lmb_expectation e = {0};
    lmb_status st = lmb_part_expectation_read(&e, v->file.spec, n, err);
    if (st != LMB_OK) return st;
    lmb_comparison c = {.case_name = v->case_name,
                        .quantity = e.quantity,
                        .source = e.source,
                        .reference = e.reference,
                        .tolerance = e.tolerance,
                        .skipped = v->model == NULL};
    if (!c.skipped) st = value(&c.ours, v, &e, err);
    if (st != LMB_OK) return st;
    c.difference = fabs(c.ours - c.reference);
    if (e.relative && e.reference != 0) c.difference /= fabs(e.reference);
    c.passed = !c.skipped && c.difference <= c.tolerance; // false for NaN
    if (v->tell) v->tell(v->user, &c);
    return LMB_OK;
}

static lmb_status build(validation *v, lmb_part_contents *contents, const lmb_part_settings *how,
                        lmb_error *err) {
    lmb_part_options o = {.name = v->file.name, .with = how->factoriser, .watch = {how->progress, how->user}};
    lmb_status st = lmb_part_file_contents(contents, &v->file, &o.watch, err);
    return st ? st : lmb_part_model_create(&v->model, &v->file.part, &contents->source, &o, err);
}

lmb_status lmb_validate_part(const char *path, const char *case_name, const lmb_part_settings *how,
                             lmb_tell_comparison *tell, void *user, lmb_error *err) {
    validation v = {.case_name = case_name, .tell = tell, .user = user};
    lmb_part_contents contents = {0};
    lmb_status st = lmb_part_file_open(&v.file, path, how, err);
    if (st == LMB_OK) st = build(&v, &contents, how, err);
    else if (v.file.missing) st = LMB_OK;
    const lmb_node *list = st == LMB_OK ? lmb_node_find(v.file.spec->root, "validation") : NULL;
    for (const lmb_node *n = list ? list->first : NULL; n && st == LMB_OK; n = n->next)
        st = compare(&v, n, err);
    lmb_eigen_free(&v.modes);
    lmb_flex_destroy(v.flex);
    lmb_part_model_destroy(v.model);
    lmb_part_contents_free(&contents);
    lmb_part_file_close(&v.file);
    return st;
}
