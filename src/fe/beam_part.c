// fe/beam_part.c: a straight beam without a mesh file: its sections from place to place, and its mesh.
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

static lmb_status check_section(const lmb_beam_part *b, const lmb_profile *s, const char *where,
                                lmb_error *err) {
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
                            where, number[i].value);
    return LMB_OK;
}

// ---- along it ----------------------------------------------------------------------------------

lmb_beam_station lmb_beam_station_of(const lmb_beam_part *b, int i) {
    if (i > 0 && i <= b->between_count) return b->between[i - 1];
    int end = i > 0;
    return (lmb_beam_station){end, b->section[end], {b->offset[end][0], b->offset[end][1]}, b->twist[end]};
}

bool lmb_beam_is_twisted(const lmb_beam_part *b) {
    bool twisted = b->twist[0] != 0 || b->twist[1] != 0;
    for (int i = 0; i < b->between_count; i++) twisted = twisted || b->between[i].twist != 0;
    return twisted;
}

static double place(const lmb_beam_part *b, int i) {
    return i == 0 ? 0 : i <= b->between_count ? b->between[i - 1].at : 1;
}

lmb_beam_station lmb_beam_at(const lmb_beam_part *b, double s, lmb_beam_side side) {
    int i = 0, last = b->between_count + 1;
    // stations i and i + 1 are around s
    while (i + 1 < last && (side == LMB_AFTER ? place(b, i + 1) <= s : place(b, i + 1) < s)) i++;
    lmb_beam_station p = lmb_beam_station_of(b, i), q = lmb_beam_station_of(b, i + 1), out = p;
    double e = fmin(fmax((s - p.at) / (q.at - p.at), 0), 1);
    out.at = s;
    if (e > 0) out.section = e < 1 ? lmb_profile_between(&p.section, &q.section, e) : q.section;
    for (int k = 0; k < 2; k++) out.offset[k] = (1 - e) * p.offset[k] + e * q.offset[k];
    out.twist = (1 - e) * p.twist + e * q.twist;
    return out;
}

bool lmb_beam_is_uniform(const lmb_beam_part *b) {
    lmb_beam_station first = lmb_beam_station_of(b, 0);
    for (int i = 1; i <= b->between_count + 1; i++) {
        lmb_beam_station s = lmb_beam_station_of(b, i);
        bool same =
            s.offset[0] == first.offset[0] && s.offset[1] == first.offset[1] && s.twist == first.twist;
        if (!same || !lmb_profile_same(&s.section, &first.section)) return false;
    }
    return true;
}

static void set_end(lmb_beam_part *p, int end, const lmb_beam_station *s) {
    p->section[end] = s->section, p->twist[end] = s->twist;
    memcpy(p->offset[end], s->offset, sizeof s->offset);
}

lmb_status lmb_beam_piece(lmb_beam_part *out, lmb_arena *arena, const lmb_beam_part *whole, const double s[2],
                          lmb_error *err) {
    lmb_beam_station *between = lmb_arena_get(arena, (size_t)whole->between_count + 1, sizeof *between);
    if (between == NULL) return lmb_fail_memory(err);
    lmb_beam_station first = lmb_beam_at(whole, s[0], LMB_AFTER), last = lmb_beam_at(whole, s[1], LMB_BEFORE);
    *out = *whole;
    out->between = between, out->between_count = 0;
    out->a = s[0] > 0 ? v3_madd(v3_scale(1 - s[0], whole->a), s[0], whole->b) : whole->a;
    out->b = s[1] < 1 ? v3_madd(v3_scale(1 - s[1], whole->a), s[1], whole->b) : whole->b;
    if (lmb_beam_is_uniform(whole)) return LMB_OK; // to the last digit
    set_end(out, 0, &first), set_end(out, 1, &last);
    for (int i = 0; i < whole->between_count; i++) {
        double at = (whole->between[i].at - s[0]) / (s[1] - s[0]);
        if (!(at > 1e-9 && at < 1 - 1e-9)) continue;
        between[out->between_count] = whole->between[i];
        between[out->between_count++].at = at;
    }
    return LMB_OK;
}

// ---- its mesh ----------------------------------------------------------------------------------

typedef struct line { // places of the nodes
    int count;        // elements
    double *s;        // 0 ... 1
} line;

static bool add_places(line *l, double from, double to, int count) {
    double *s = lmb_realloc(l->s, (size_t)(l->count + count + 1), sizeof *s);
    if (s == NULL) return false;
    for (int i = 1; i <= count; i++) s[l->count + i] = i == count ? to : from + (to - from) * i / count;
    s[0] = 0;
    l->s = s, l->count += count;
    return true;
}

// a stretch of length h between two stations has ceil(h n) elements: equal ones without stations
static bool make_line(line *l, const lmb_beam_part *b) {
    bool ok = true, uniform = lmb_beam_is_uniform(b);
    int last = b->between_count + 1;
    if (uniform) return add_places(l, 0, 1, b->elements);
    for (int i = 0; i < last && ok; i++) {
        double from = place(b, i), to = place(b, i + 1);
        if (to > from) ok = add_places(l, from, to, (int)fmax(ceil((to - from) * b->elements - 1e-9), 1));
    }
    return ok;
}

// the property of the element from s0 to s1: sections, offsets and twist at its ends
static lmb_property property_of(const lmb_beam_part *b, int material, double s0, double s1) {
    lmb_beam_station end[2] = {lmb_beam_at(b, s0, LMB_AFTER), lmb_beam_at(b, s1, LMB_BEFORE)};
    lmb_property p = {.name = "beam", .material = material, .theory = b->theory, .rotary = b->rotary};
    p.up = b->up;
    p.line_mass = b->line_mass;
    p.where = b->material.where;
    for (int k = 0; k < 2; k++) {
        p.section[k] = end[k].section, p.twist[k] = end[k].twist;
        memcpy(p.offset[k], end[k].offset, sizeof p.offset[k]);
    }
    return p;
}

static bool add_elements(lmb_mesh *m, const lmb_beam_part *b, const line *l, int material, int set) {
    bool uniform = lmb_beam_is_uniform(b);
    int property = -1;
    for (int i = 0; i < l->count; i++) {
        if (i == 0 || !uniform) {
            lmb_property p = property_of(b, material, uniform ? 0 : l->s[i], uniform ? 1 : l->s[i + 1]);
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

static bool fill(lmb_mesh *m, const lmb_beam_part *b, const line *l) {
    int n = l->count;
    lmb_where w = b->material.where;
    for (int i = 0; i <= n; i++) {
        vec3 x = i == n ? b->b : v3_madd(v3_scale(1 - l->s[i], b->a), l->s[i], b->b);
        if (lmb_mesh_add_node(m, i + 1, x) < 0) return false;
    }
    lmb_material material_in = b->material;
    if (!material_in.name) material_in.name = "beam";
    int material = lmb_mesh_add_material(m, &material_in);
    int start = lmb_mesh_add_set(m, "start", LMB_SET_NODES, w),
        end = lmb_mesh_add_set(m, "end", LMB_SET_NODES, w);
    int all = lmb_mesh_add_set(m, "beam", LMB_SET_ELEMENTS, w);
    if (material < 0 || start < 0 || end < 0 || all < 0) return false;
    return lmb_mesh_set_add(m, start, 0) && lmb_mesh_set_add(m, end, n) &&
           add_elements(m, b, l, material, all);
}

lmb_status lmb_mesh_beam(lmb_mesh **out, const lmb_beam_part *beam, lmb_error *err) {
    *out = NULL;
    lmb_status st = check_numbers(beam, err);
    for (int end = 0; st == LMB_OK && end < 2; end++)
        st = check_section(beam, &beam->section[end], end ? "end" : "start", err);
    for (int i = 0; st == LMB_OK && i < beam->between_count; i++)
        st = check_section(beam, &beam->between[i].section, "stations", err);
    if (st == LMB_OK) st = lmb_mesh_create(out, beam->material.where.file, err);
    if (st != LMB_OK) return st;
    line l = {0};
    bool ok = make_line(&l, beam) && fill(*out, beam, &l);
    lmb_free(l.s);
    if (ok) return LMB_OK;
    lmb_mesh_destroy(*out);
    *out = NULL;
    return lmb_fail_memory(err);
}
