// fe/beam_part.c: the mesh of a straight beam without a mesh file.
#include "fe/fe.h"

static lmb_status check_numbers(const lmb_beam_part *b, lmb_error *err) {
    lmb_where w = b->material.where;
    const lmb_material *m = &b->material;
    if (!v3_finite(b->a) || !v3_finite(b->b) || !(v3_norm(v3_sub(b->b, b->a)) > 0))
        return lmb_fail(err, LMB_ERR_INPUT, w, "the beam has zero length; give two distinct end points");
    if (b->elements < 1)
        return lmb_fail(err, LMB_ERR_INPUT, w, "the beam has %d elements; at least 1 is required",
                        b->elements);
    if (!(m->E > 0) || !isfinite(m->E))
        return lmb_fail(err, LMB_ERR_INPUT, w, "the modulus E of the beam is %g; it must be positive", m->E);
    if (!(m->nu >= 0 && m->nu < 0.5))
        return lmb_fail(err, LMB_ERR_INPUT, w,
                        "Poisson's ratio of the beam is %g; it must be at least 0 and below 0.5", m->nu);
    if (!(m->rho >= 0) || !isfinite(m->rho))
        return lmb_fail(err, LMB_ERR_INPUT, w, "the density of the beam is %g; it must not be negative",
                        m->rho);
    if (!(b->line_mass >= 0) || !isfinite(b->line_mass))
        return lmb_fail(err, LMB_ERR_INPUT, w,
                        "the mass per length of the beam is %g; it must not be negative", b->line_mass);
    return LMB_OK;
}

static lmb_status check_section(const lmb_beam_part *b, int end, lmb_error *err) {
    const lmb_profile *s = &b->section[end];
    const struct {
        const char *name;
        double value;
        bool needed;
    } number[] = {{"A", s->A, true},
                  {"Iy", s->Iy, true},
                  {"Iz", s->Iz, true},
                  {"J", s->J, true},
                  {"ky", s->ky, b->theory == LMB_TIMOSHENKO},
                  {"kz", s->kz, b->theory == LMB_TIMOSHENKO}};
    for (int i = 0; i < LMB_COUNT(number); i++)
        if (number[i].needed && (!(number[i].value > 0) || !isfinite(number[i].value)))
            return lmb_fail(err, LMB_ERR_INPUT, b->material.where,
                            "%s of the beam's section at its %s is %g; it must be positive", number[i].name,
                            end ? "end" : "start", number[i].value);
    return LMB_OK;
}

// the property of element i of n: sections and offsets at its ends
static lmb_property property_of(const lmb_beam_part *b, int material, int i, int n) {
    lmb_property p = {.name = "beam", .material = material, .theory = b->theory, .rotary = b->rotary};
    p.up = b->up;
    p.line_mass = b->line_mass;
    p.where = b->material.where;
    for (int end = 0; end < 2; end++) {
        double s = (double)(i + end) / n;
        p.section[end] = i + end == 0   ? b->section[0]
                         : i + end == n ? b->section[1]
                                        : lmb_profile_between(&b->section[0], &b->section[1], s);
        for (int k = 0; k < 2; k++) p.offset[end][k] = (1 - s) * b->offset[0][k] + s * b->offset[1][k];
    }
    return p;
}

// whether all elements are alike
static bool uniform(const lmb_beam_part *b) {
    const lmb_profile *s = b->section;
    bool same = s[0].A == s[1].A && s[0].Iy == s[1].Iy && s[0].Iz == s[1].Iz && s[0].J == s[1].J &&
                s[0].ky == s[1].ky && s[0].kz == s[1].kz && s[0].turn == s[1].turn && s[0].y_s == s[1].y_s &&
                s[0].z_s == s[1].z_s;
    return same && b->offset[0][0] == b->offset[1][0] && b->offset[0][1] == b->offset[1][1];
}

static bool add_elements(lmb_mesh *m, const lmb_beam_part *b, int material, int set) {
    int n = b->elements, property = -1;
    for (int i = 0; i < n; i++) {
        if (i == 0 || !uniform(b)) {
            lmb_property p = property_of(b, material, i, uniform(b) ? 1 : n);
            property = lmb_mesh_add_property(m, &p);
        }
        const int nodes[2] = {i, i + 1};
        if (property < 0) return false;
        int element =
            lmb_mesh_add_element(m, &lmb_element_beam, i + 1, nodes, property, b->material.where.line);
        if (element < 0 || !lmb_mesh_set_add(m, set, element)) return false;
    }
    return true;
}

static bool fill(lmb_mesh *m, const lmb_beam_part *b) {
    int n = b->elements;
    lmb_where w = b->material.where;
    for (int i = 0; i <= n; i++) {
        double s = (double)i / n;
        vec3 x = i == n ? b->b : v3_madd(v3_scale(1 - s, b->a), s, b->b);
        if (lmb_mesh_add_node(m, i + 1, x) < 0) return false;
    }
    lmb_material material_in = b->material;
    if (!material_in.name) material_in.name = "beam";
    int material = lmb_mesh_add_material(m, &material_in);
    int start = lmb_mesh_add_set(m, "start", LMB_SET_NODES, w),
        end = lmb_mesh_add_set(m, "end", LMB_SET_NODES, w);
    int all = lmb_mesh_add_set(m, "beam", LMB_SET_ELEMENTS, w);
    if (material < 0 || start < 0 || end < 0 || all < 0) return false;
    return lmb_mesh_set_add(m, start, 0) && lmb_mesh_set_add(m, end, n) && add_elements(m, b, material, all);
}

lmb_status lmb_mesh_beam(lmb_mesh **out, const lmb_beam_part *beam, lmb_error *err) {
    *out = NULL;
    lmb_status st = check_numbers(beam, err);
    for (int end = 0; st == LMB_OK && end < 2; end++) st = check_section(beam, end, err);
    if (st == LMB_OK) st = lmb_mesh_create(out, beam->material.where.file, err);
    if (st != LMB_OK) return st;
    if (fill(*out, beam)) return LMB_OK;
    lmb_mesh_destroy(*out);
    *out = NULL;
    return lmb_fail_memory(err);
}
