// reduce/frame.c: floating frames as rows B u = 0, and the projection V' = V - Vr (B Vr)^-1 B V.
//                                                                               docs/theory/reduction.md
#include "reduce/local.h"

#include <string.h>

// row = a . (translations or rotations, first row `first`) of a site
static bool direction_row(lmb_rows *out, const lmb_rows *site, int first, vec3 a) {
    bool ok = lmb_rows_begin(out);
    for (int k = 0; k < 3; k++)
        for (int e = site->start[first + k]; ok && e < site->start[first + k + 1]; e++)
            if (v3_get(a, k) != 0) ok = lmb_rows_add(out, site->equation[e], v3_get(a, k) * site->factor[e]);
    return ok;
}

static lmb_status tangent_rows(lmb_reducer *d, lmb_error *err) {
    for (int k = 0; k < 6; k++)
        if (!lmb_rows_copy(&d->frame, &d->rows[d->r->frame.a], k, 1)) return lmb_fail_memory(err);
    return LMB_OK;
}

// translations of a, lateral translations of b, twist about a-b at a or normal motion of c
static lmb_status chord_rows(lmb_reducer *d, lmb_error *err) {
    const lmb_frame_choice *f = &d->r->frame;
    const lmb_marker_site *s = d->r->sites;
    vec3 chord = v3_sub(s[f->b].x, s[f->a].x);
    if (!v3_has_direction(chord))
        return lmb_fail(err, LMB_ERR_INPUT, f->where,
                        "the chord frame needs two distinct markers; '%s' and '%s' coincide", s[f->a].name,
                        s[f->b].name);
    mat3 axes = m3_frame_z(chord, v3(1, 0, 0)); // z along the chord
    vec3 x = m3_column(&axes, 0), y = m3_column(&axes, 1), z = m3_column(&axes, 2);
    bool ok = true;
    for (int k = 0; k < 3 && ok; k++) ok = lmb_rows_copy(&d->frame, &d->rows[f->a], k, 1);
    ok = ok && direction_row(&d->frame, &d->rows[f->b], 0, x) &&
         direction_row(&d->frame, &d->rows[f->b], 0, y);
    if (f->c < 0) return ok && direction_row(&d->frame, &d->rows[f->a], 3, z) ? LMB_OK : lmb_fail_memory(err);
    vec3 normal = v3_cross(z, v3_sub(s[f->c].x, s[f->a].x));
    if (v3_norm(normal) < 1e-6 * v3_norm(chord))
        return lmb_fail(
            err, LMB_ERR_INPUT, f->where,
            "the third marker of the chord frame, '%s', lies on the chord; choose one off the line",
            s[f->c].name);
    return ok && direction_row(&d->frame, &d->rows[f->c], 0, v3_unit(normal)) ? LMB_OK : lmb_fail_memory(err);
}

// mean translation and mean rotation of all interfaces
static lmb_status mean_rows(lmb_reducer *d, lmb_error *err) {
    int count = 0;
    for (int i = 0; i < d->r->site_count; i++) count += d->r->sites[i].interface;
    if (count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, d->r->frame.where,
                        "the mean frame needs interfaces, but the part has none");
    for (int k = 0; k < 6; k++) {
        if (!lmb_rows_begin(&d->frame)) return lmb_fail_memory(err);
        for (int i = 0; i < d->r->site_count; i++) {
            const lmb_rows *s = &d->rows[i];
            for (int e = s->start[k]; d->r->sites[i].interface && e < s->start[k + 1]; e++)
                if (!lmb_rows_add(&d->frame, s->equation[e], s->factor[e] / count))
                    return lmb_fail_memory(err);
        }
    }
    return LMB_OK;
}

// centre of mass from Vr' M Vr: its upper right part is -m c~
static lmb_status centre_of_mass(vec3 *c, const lmb_reducer *d, lmb_error *err) {
    double A[36], *MVr = lmb_alloc((size_t)d->fe->n * 6, sizeof *MVr);
    const double *Vr = lmb_statics_rigid(d->statics);
    if (MVr == NULL) return lmb_fail_memory(err);
    lmb_symmetric_mul(MVr, &d->fe->lower, d->fe->M, Vr, 6);
    lmb_gram(A, 1, Vr, MVr, 0, d->fe->n, 6, 6);
    lmb_free(MVr);
    *c = v3_scale(1 / A[0], v3(A[1 * 6 + 5], A[2 * 6 + 3], A[0 * 6 + 4]));
    return LMB_OK;
}

// displacement and rotation of the material there: of a node of a beam or shell, or the mean over the elements around
static lmb_status centre_rows(lmb_reducer *d, lmb_error *err) {
    vec3 c;
    int *nodes = NULL;
    lmb_marker_site s = {.name = "centre", .tie = LMB_TIE_AVERAGE, .where = d->r->frame.where};
    lmb_status st = LMB_OK;
    if (d->r->frame.kind == LMB_FRAME_AT) c = d->r->frame.x;
    else st = centre_of_mass(&c, d, err);
    if (st == LMB_OK) st = lmb_site_patch(&nodes, &s.count, &s.node, d->fe->mesh, c, err);
    if (st != LMB_OK) return st;
    if (d->fe->dofs[s.node] == 6) s.count = 0;
    s.x = d->fe->x[s.node], s.nodes = nodes;
    st = lmb_site_rows(&d->frame, d->fe, &s, err);
    lmb_free(nodes);
    return st;
}

lmb_status lmb_reducer_frame(lmb_reducer *d, lmb_error *err) {
    lmb_status st = LMB_OK;
    switch (d->r->frame.kind) {
    case LMB_FRAME_TANGENT: st = tangent_rows(d, err); break;
    case LMB_FRAME_CHORD: st = chord_rows(d, err); break;
    case LMB_FRAME_MEAN: st = mean_rows(d, err); break;
    case LMB_FRAME_AT:
    case LMB_FRAME_CENTRE: // without a mesh there is no material around a point: mean axes
        if (d->fe->mesh) st = centre_rows(d, err);
        break;
    case LMB_FRAME_BUCKENS:
    case LMB_FRAME_DEFAULT:
    case LMB_FRAME_ORIGIN: break;
    }
    if (st != LMB_OK) return st;
    if (d->frame.count == 0) return lmb_support_create_free(&d->framed, d->statics, err);
    return lmb_support_create(&d->framed, d->statics, &d->frame, "frame", err);
}

// B V, row-major 6 x m; mean axes: B = Vr' M
static lmb_status frame_values(double *BV, const lmb_reducer *d, const double *V, int m, lmb_error *err) {
    if (d->frame.count > 0) {
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < m; j++) BV[k * m + j] = lmb_rows_dot(&d->frame, k, V + (size_t)j * d->fe->n);
        return LMB_OK;
    }
    double *MVr = lmb_alloc((size_t)d->fe->n * 6, sizeof *MVr);
    if (MVr == NULL) return lmb_fail_memory(err);
    lmb_symmetric_mul(MVr, &d->fe->lower, d->fe->M, lmb_statics_rigid(d->statics), 6);
    lmb_gram(BV, 1, MVr, V, 0, d->fe->n, 6, m);
    lmb_free(MVr);
    return LMB_OK;
}

lmb_status lmb_reducer_project(lmb_reducer *d, lmb_error *err) {
    lmb_shapes *s = &d->shapes;
    if (d->r->frame.kind == LMB_FRAME_ORIGIN || s->count == 0) return LMB_OK;
    const double *Vr = lmb_statics_rigid(d->statics);
    double BVr[36], x[6], *BV = lmb_alloc((size_t)6 * s->count, sizeof *BV);
    int pivot[6];
    lmb_status st = BV ? frame_values(BVr, d, Vr, 6, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = frame_values(BV, d, s->V, s->count, err);
    if (st == LMB_OK && !lmb_dense_lu(BVr, pivot, 6))
        st = lmb_fail(
            err, LMB_ERR_INPUT, d->r->frame.where,
            "the six conditions of the frame do not fix all rigid-body motions; choose another frame");
    for (int j = 0; j < s->count && st == LMB_OK; j++) {
        if (s->keep[j]) continue;
        for (int k = 0; k < 6; k++) x[k] = BV[k * s->count + j];
        lmb_dense_lu_solve(x, BVr, pivot, 6);
        for (int k = 0; k < 6; k++) lmb_axpy(s->V + (size_t)j * s->n, -x[k], Vr + (size_t)k * s->n, s->n);
    }
    lmb_free(BV);
    return st;
}
