// body/lumped.c: a beam as rigid segments and springs, one spring in the middle of each element.
//
// The segments reach from the middle of one element to that of the next, so the first and the last are half as long.
// Between the middle and its ends an element is rigid; what it gives way there is its stiffness K22 at the second end,
// the first one held, seen from the middle (a from there to the end):
//     K = T' K22 T,   T = |I  -a~|        a prismatic beam: EA/h, 12 EI/h3 (in series with k GA/h), GJ/h, EI/h
//                         |0   I |
// Exact for forces at the ends of elements, of second order in h for spread ones and for frequencies.  docs/theory/modal.md (7)
#include "body/modal.h"

#include <string.h>

enum { SIX = 6, DOFS = 12 };

static lmb_status refuse(const lmb_flexible *f, const char *key, const char *why, lmb_error *err) {
    return lmb_flexible_refuse(f, "of rigid segments and springs", key, why, err);
}

static lmb_status check_keys(lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    if (f->part.keys.damping.ratios.count > 0 || f->keys.damping.alpha > 0)
        return refuse(f, "damping", "damping must be {beta: time}, the damping of its springs", err);
    return lmb_flexible_remark_idle(b, f, NULL, 0, err);
}

// K = T' K22 T for the arm a
static void middle_stiffness(double K[SIX * SIX], const double *K12, vec3 a) {
    double T[SIX][SIX] = {{0}};
    mat3 arm = m3_skew(a);
    for (int i = 0; i < SIX; i++) T[i][i] = 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T[i][3 + j] = -arm.m[i][j];
    memset(K, 0, SIX * SIX * sizeof *K);
    for (int k = 0; k < SIX; k++)
        for (int l = 0; l < SIX; l++)
            for (int i = 0; i < SIX; i++)
                for (int j = 0; j < SIX; j++)
                    K[SIX * i + j] += T[k][i] * K12[DOFS * (SIX + k) + SIX + l] * T[l][j];
}

// the spring of one element, whose section goes from its start to its end without stations between
static lmb_status spring(lmb_link *out, lmb_arena *arena, const lmb_beam_part *beam, const double s[2],
                         lmb_error *err) {
    lmb_beam_part one;
    lmb_mesh *mesh = NULL;
    lmb_element e;
    double K[DOFS * DOFS];
    lmb_status st = lmb_beam_piece(&one, arena, beam, s, err);
    one.elements = 1, one.between_count = 0;
    if (st == LMB_OK) st = lmb_mesh_beam(&mesh, &one, err);
    if (st != LMB_OK) return st;
    lmb_mesh_element_get(&e, mesh, 0);
    e.ops->stiffness(K, &e);
    middle_stiffness(out->K, K, v3_scale(0.5, v3_sub(e.x[1], e.x[0])));
    lmb_mesh_destroy(mesh);
    return LMB_OK;
}

// the spring of every element; one for all if they are alike
static lmb_status springs(const lmb_link **out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_part *beam = &f->part.beam;
    int n = beam->elements;
    lmb_link *list = lmb_arena_get(lmb_build_arena(b), (size_t)n, sizeof *list);
    lmb_status st = list ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < n && st == LMB_OK; i++) {
        const double s[2] = {(double)i / n, (double)(i + 1) / n};
        if (i > 0 && lmb_beam_is_uniform(beam)) memcpy(list[i].K, list[0].K, sizeof list[i].K);
        else st = spring(&list[i], lmb_build_spec(b)->arena, beam, s, err);
        list[i].beta = f->keys.damping.beta;
    }
    *out = list;
    return st;
}

// With its mass on the axis a segment would spin about it freely: it keeps its inertia about the axis t in any case,
// J += int rho Ix ds t t'
static void add_polar(lmb_body_plan *row, const lmb_beam_part *p) {
    int n = p->elements;
    vec3 d = v3_sub(p->b, p->a), t = v3_unit(d);
    for (int i = 0; i <= n; i++) {
        double from = fmax(i - 0.5, 0) / n, to = fmin(i + 0.5, n) / n;
        lmb_profile s = lmb_beam_at(p, (from + to) / 2, LMB_AFTER).section;
        double J = lmb_profile_inertia(&s, p->material.rho).Ix * (to - from) * v3_norm(d);
        double *J0 = ((lmb_modal *)row->parts[i].constants)->J0; // xx, yy, zz, xy, yz, zx
        J0[0] += J * t.x * t.x, J0[1] += J * t.y * t.y, J0[2] += J * t.z * t.z;
        J0[3] += J * t.x * t.y, J0[4] += J * t.y * t.z, J0[5] += J * t.z * t.x;
    }
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_row row = {f->part.beam.elements + 1, LMB_CUT_HALVES, lmb_modal_plan_part};
    lmb_flexible stiff = *f;
    stiff.part.rigid = true;
    stiff.part.beam.elements = 1;
    stiff.part.frame = (lmb_frame_choice){.kind = LMB_FRAME_TANGENT}; // any that needs no mass about the axis
    const lmb_link *links = NULL;
    lmb_status st = check_keys(b, f, err);
    if (st == LMB_OK) st = lmb_modal_plan_row(out, b, &stiff, &row, err);
    if (st == LMB_OK) st = springs(&links, b, f, err);
    if (st != LMB_OK) return st;
    if (!f->keys.rotary_inertia) add_polar(out, &f->part.beam);
    out->links = links;
    return LMB_OK;
}

const lmb_formulation lmb_formulation_lumped = {.name = "lumped",
                                                .ops = &lmb_modal_ops,
                                                .plan = plan,
                                                .site = lmb_modal_site_make,
                                                .part = lmb_modal_part};
