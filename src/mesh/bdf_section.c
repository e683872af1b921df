// mesh/bdf_section.c: properties.
#include "mesh/bdf.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static int shown(lmb_piece p) { return p.length > 30 ? 30 : p.length; }

// ---- properties --------------------------------------------------------------------------------

lmb_bdf_property *lmb_bdf_start_property(lmb_bdf *r) {
    int id = lmb_bdf_integer(r, 1, "PID", -1);
    if (r->scan.status != LMB_OK) return NULL;
    int found = lmb_label_map_find(&r->property_of, id);
    if (found >= 0)
        return lmb_bdf_fail(r, "duplicate property %d (first in line %d)", id, r->properties[found].line),
               NULL;
    lmb_bdf_property *all =
        lmb_bdf_grown(r, r->properties, &r->property_capacity, r->property_count, sizeof *all);
    if (all == NULL) return NULL;
    r->properties = all;
    if (!lmb_label_map_add(&r->property_of, id, r->property_count)) return lmb_scan_memory(&r->scan), NULL;
    lmb_bdf_property *p = &r->properties[r->property_count++];
    *p = (lmb_bdf_property){
        .id = id, .keyword = r->card->keyword, .line = r->card->line, .shared = -1, .set = -1};
    p->p = (lmb_property){
        .name = r->card->keyword->name, .material = -1, .axes = M3_ID, .where = lmb_bdf_where(r)};
    return p;
}

lmb_bdf_property *lmb_bdf_find_property(lmb_bdf *r, int i, const char *first, const char *second,
                                        const char *third, const char *fourth) {
    const char *names[] = {first, second, third, fourth};
    int id = lmb_bdf_integer(r, i, "PID", -1);
    if (r->scan.status != LMB_OK) return NULL;
    int found = lmb_label_map_find(&r->property_of, id);
    lmb_bdf_property *p = found >= 0 ? &r->properties[found] : NULL;
    for (int k = 0; p && k < LMB_COUNT(names); k++)
        if (names[k] && strcmp(names[k], p->keyword->name) == 0) return p;
    lmb_piece eid = lmb_bdf_field(r, 1);
    if (p == NULL)
        lmb_bdf_fail(r, "%s %.*s: unknown property %d (%s)", r->card->keyword->name, shown(eid), eid.at, id,
                     first);
    else
        lmb_bdf_fail(r, "%s %.*s: property %d is %s; %s is expected", r->card->keyword->name, shown(eid),
                     eid.at, id, p->keyword->name, first);
    return NULL;
}

// CORDM: of materials that are not isotropic
static lmb_status solid_axes(lmb_bdf *r, lmb_bdf_property *p) {
    int system = lmb_piece_is(lmb_bdf_field(r, 3), "-1") ? -1 : lmb_bdf_integer(r, 3, "CORDM", 0);
    if (r->scan.status || r->mesh->materials[p->p.material].elasticity == LMB_ISOTROPIC)
        return r->scan.status;
    if (system < 0)
        return lmb_bdf_fail(
            r,
            "PSOLID %d: axes of the elements (CORDM -1) are not supported for a material that is "
            "not isotropic; give a coordinate system",
            p->id);
    return lmb_bdf_material_axes(&p->p.along, r, system);
}

// PSOLID PID MID CORDM IN STRESS ISOP FCTN
lmb_status lmb_bdf_read_psolid(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    if (p == NULL) return r->scan.status;
    p->p.material = lmb_bdf_find_material(r, 2, "MID");
    if (r->scan.status == LMB_OK && solid_axes(r, p) != LMB_OK) return r->scan.status;
    lmb_piece use = lmb_bdf_field(r, 7);
    if (r->scan.status == LMB_OK && use.length > 0 && !lmb_piece_is(use, "SMECH"))
        return lmb_bdf_fail(r, "PSOLID %d: FCTN %.*s is not supported; only SMECH", p->id, shown(use),
                            use.at);
    return r->scan.status;
}

// ---- sections by numbers -----------------------------------------------------------------------

// A, I1 = int y2 dA, I2 = int z2 dA, I12, J
typedef struct moments {
    double A, I1, I2, I12, J;
} moments;

// principal axes: tan 2 turn = 2 I12 / (I1 - I2)                                 docs/theory/elements.md (8)
static lmb_status set_section(lmb_bdf *r, lmb_profile *s, const moments *m) {
    if (!(m->A > 0 && m->I1 > 0 && m->I2 > 0 && m->J > 0))
        return lmb_bdf_fail(r, "%s %.*s: A = %g, I1 = %g, I2 = %g and J = %g must all be positive",
                            r->card->keyword->name, shown(lmb_bdf_field(r, 1)), lmb_bdf_field(r, 1).at, m->A,
                            m->I1, m->I2, m->J);
    if (!(m->I12 * m->I12 < m->I1 * m->I2))
        return lmb_bdf_fail(r, "I12 = %g is larger than I1 I2 allow", m->I12);
    double mean = (m->I1 + m->I2) / 2, radius = hypot((m->I1 - m->I2) / 2, m->I12);
    bool turned = m->I12 != 0;
    s->A = m->A, s->J = m->J;
    s->Iz = turned ? mean + radius : m->I1;
    s->Iy = turned ? (m->I1 * m->I2 - m->I12 * m->I12) / s->Iz : m->I2;
    s->turn = turned ? 0.5 * atan2(2 * m->I12, m->I1 - m->I2) : 0;
    return LMB_OK;
}

// stress points C, D, E, F in principal axes
static void set_fibres(lmb_bdf *r, lmb_profile *s, int field) {
    double c = cos(s->turn), d = sin(s->turn);
    for (int k = 0; k < 4; k++) {
        double y = lmb_bdf_real(r, field + 2 * k, "a stress point", 0),
               z = lmb_bdf_real(r, field + 2 * k + 1, "a stress point", 0);
        if (y == 0 && z == 0) continue;
        s->fibre[s->fibres][0] = c * y + d * z;
        s->fibre[s->fibres++][1] = -d * y + c * z;
    }
}

// 0: rigid in shear, which the theory of thin beams has in both directions and a large factor in one
static lmb_status set_shear(lmb_bdf *r, lmb_property *p, double K1, double K2) {
    enum { RIGID = 1000000 };
    if (!(K1 >= 0 && K2 >= 0)) return lmb_bdf_fail(r, "K1 = %g and K2 = %g must not be negative", K1, K2);
    if (p->section[0].turn != 0 && K1 != K2)
        return lmb_bdf_fail(r, "K1 and K2 must be equal if I12 is not zero");
    p->theory = K1 > 0 || K2 > 0 ? LMB_TIMOSHENKO : LMB_EULER_BERNOULLI;
    for (int k = 0; k < 2; k++)
        p->section[k].ky = K1 > 0 ? K1 : RIGID, p->section[k].kz = K2 > 0 ? K2 : RIGID;
    return LMB_OK;
}

// mass per length
static lmb_status set_line_mass(lmb_bdf *r, lmb_property *p, double mass) {
    if (!(mass >= 0)) return lmb_bdf_fail(r, "NSM is %g; it must not be negative", mass);
    p->line_mass = r->mass_scale * mass;
    return r->scan.status;
}

// PBAR PID MID A I1 I2 J NSM - / C1 C2 D1 D2 E1 E2 F1 F2 / K1 K2 I12
lmb_status lmb_bdf_read_pbar(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    if (p == NULL) return r->scan.status;
    moments m = {lmb_bdf_real(r, 3, "A", 0), lmb_bdf_real(r, 4, "I1", 0), lmb_bdf_real(r, 5, "I2", 0),
                 lmb_bdf_real(r, 19, "I12", 0), lmb_bdf_real(r, 6, "J", 0)};
    double K1 = lmb_bdf_real(r, 17, "K1", 0), K2 = lmb_bdf_real(r, 18, "K2", 0);
    p->p.material = lmb_bdf_find_material(r, 2, "MID");
    if (r->scan.status != LMB_OK || set_section(r, &p->p.section[0], &m) != LMB_OK) return r->scan.status;
    set_fibres(r, &p->p.section[0], 9);
    p->p.section[1] = p->p.section[0];
    lmb_status st = set_shear(r, &p->p, K1, K2);
    return st ? st : set_line_mass(r, &p->p, lmb_bdf_real(r, 7, "NSM", 0));
}

// ---- PBEAM -------------------------------------------------------------------------------------

// A I1 I2 I12 J NSM from field i on; blank ones as at the other end
static moments read_moments(lmb_bdf *r, int i, const moments *usual) {
    return (moments){lmb_bdf_real(r, i, "A", usual->A), lmb_bdf_real(r, i + 1, "I1", usual->I1),
                     lmb_bdf_real(r, i + 2, "I2", usual->I2), lmb_bdf_real(r, i + 3, "I12", usual->I12),
                     lmb_bdf_real(r, i + 4, "J", usual->J)};
}

static bool is_station(const lmb_bdf *r, int i) {
    lmb_piece p = lmb_bdf_field(r, i);
    return lmb_piece_is(p, "YES") || lmb_piece_is(p, "YESA") || lmb_piece_is(p, "NO");
}

// what moves axes, mass or warps: must be zero
static lmb_status check_rest(lmb_bdf *r, int i) {
    static const char *const names[] = {"S1",    "S2",    "NSI(A)", "NSI(B)", "CW(A)", "CW(B)", "M1(A)",
                                        "M2(A)", "M1(B)", "M2(B)",  "N1(A)",  "N2(A)", "N1(B)", "N2(B)"};
    for (int k = 0; k < LMB_COUNT(names) && r->scan.status == LMB_OK; k++)
        lmb_bdf_only(r, i + 2 + k, names[k], 0);
    return r->scan.status;
}

// PBEAM PID MID A I1 I2 I12 J NSM / C1 .. F2 / SO X/XB A I1 I2 I12 J NSM / C1 .. F2 / K1 K2 ..
lmb_status lmb_bdf_read_pbeam(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    if (p == NULL) return r->scan.status;
    const moments none = {0};
    moments a = read_moments(r, 3, &none), b = a;
    double mass = lmb_bdf_real(r, 8, "NSM", 0), end_mass = mass;
    int i = is_station(r, 9) ? 9 : 17, fibres = i == 17 ? 9 : 0, end_fibres = fibres;
    p->p.material = lmb_bdf_find_material(r, 2, "MID");
    if (is_station(r, i)) {
        double x = lmb_bdf_real(r, i + 1, "X/XB", 1);
        b = read_moments(r, i + 2, &a);
        end_mass = lmb_bdf_real(r, i + 7, "NSM", mass);
        if (r->scan.status == LMB_OK && x != 1)
            return lmb_bdf_fail(
                r,
                "PBEAM %d: sections between the ends (X/XB = %g) are not supported; divide the "
                "beam there",
                p->id, x);
        bool points = lmb_piece_is(lmb_bdf_field(r, i), "YES");
        if (points) end_fibres = i + 8;
        i += points ? 16 : 8;
    }
    if (is_station(r, i))
        return lmb_bdf_fail(r, "PBEAM %d: sections between the ends are not supported; divide the beam",
                            p->id);
    double K1 = lmb_bdf_real(r, i, "K1", 1), K2 = lmb_bdf_real(r, i + 1, "K2", 1);
    if (r->scan.status != LMB_OK || check_rest(r, i) != LMB_OK) return r->scan.status;
    if (set_section(r, &p->p.section[0], &a) != LMB_OK || set_section(r, &p->p.section[1], &b) != LMB_OK)
        return r->scan.status;
    if (fibres) set_fibres(r, &p->p.section[0], fibres);
    if (end_fibres) set_fibres(r, &p->p.section[1], end_fibres);
    if (end_mass != mass) return lmb_bdf_fail(r, "PBEAM %d: NSM must be the same at both ends", p->id);
    lmb_status st = set_shear(r, &p->p, K1, K2);
    return st ? st : set_line_mass(r, &p->p, mass);
}

// ---- sections by shape -------------------------------------------------------------------------

// DIM1, DIM2, .. of a shape -> sizes of ours: our y is up, along plane 1
typedef struct shape {
    const char *name;
    lmb_profile_shape shape;
    int dims, sizes;
} shape;
static const shape shapes[] = {
    {"ROD", LMB_PROFILE_CIRCLE, 1, 1}, {"TUBE", LMB_PROFILE_TUBE, 2, 2}, {"BAR", LMB_PROFILE_RECTANGLE, 2, 2},
    {"BOX", LMB_PROFILE_BOX, 4, 4},    {"I", LMB_PROFILE_I, 6, 4},
};

static lmb_status sizes_of(lmb_bdf *r, double *size, const shape *s, const double *d) {
    switch (s->shape) {
    case LMB_PROFILE_CIRCLE: size[0] = 2 * d[0]; break;                      // radius
    case LMB_PROFILE_TUBE: size[0] = 2 * d[0], size[1] = d[0] - d[1]; break; // outer, inner radius
    case LMB_PROFILE_BOX: size[0] = d[1], size[1] = d[0], size[2] = d[2], size[3] = d[3]; break;
    case LMB_PROFILE_I:
        if (d[1] != d[2] || d[4] != d[5])
            return lmb_bdf_fail(r, "an I with unequal flanges is not supported; use PBAR or PBEAM");
        size[0] = d[0], size[1] = d[1], size[2] = d[3], size[3] = d[4];
        break;
    default: size[0] = d[1], size[1] = d[0]; break; // width, height
    }
    return r->scan.status;
}

// DIM1 .. NSM from field i on
static lmb_status read_shape(lmb_bdf *r, lmb_profile *out, double *mass, const shape *s, int i, double nu) {
    double d[6] = {0}, size[4] = {0};
    for (int k = 0; k < s->dims; k++) d[k] = lmb_bdf_real(r, i + k, "a size", 0);
    *mass = lmb_bdf_real(r, i + s->dims, "NSM", 0);
    if (r->scan.status != LMB_OK || sizes_of(r, size, s, d) != LMB_OK) return r->scan.status;
    lmb_status st = lmb_profile_make(out, s->shape, size, s->sizes, nu, lmb_bdf_where(r), r->scan.err);
    return st ? (r->scan.status = st) : LMB_OK;
}

static const shape *find_shape(lmb_bdf *r) {
    lmb_piece type = lmb_bdf_field(r, 4);
    for (int k = 0; k < LMB_COUNT(shapes); k++)
        if (lmb_piece_is(type, shapes[k].name)) return &shapes[k];
    lmb_bdf_fail(r,
                 "%s: section %.*s is not supported; supported: ROD, TUBE, BAR, BOX, I; or use PBAR or PBEAM",
                 r->card->keyword->name, shown(type), type.at);
    return NULL;
}

// PBARL PID MID GROUP TYPE - - - - / DIM1 DIM2 .. NSM;  PBEAML the same, then SO X/XB DIM1 .. NSM
static lmb_status read_shapes(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    const shape *s = p ? find_shape(r) : NULL;
    if (s == NULL) return r->scan.status;
    double mass, end_mass;
    p->p.material = lmb_bdf_find_material(r, 2, "MID");
    if (r->scan.status != LMB_OK) return r->scan.status;
    double nu = r->mesh->materials[p->p.material].nu;
    lmb_status st = read_shape(r, &p->p.section[0], &mass, s, 9, nu);
    p->p.section[1] = p->p.section[0], end_mass = mass;
    int i = 9 + s->dims + 1;
    if (st == LMB_OK && is_station(r, i)) {
        if (lmb_bdf_real(r, i + 1, "X/XB", 1) != 1)
            return lmb_bdf_fail(r, "PBEAML %d: sections between the ends are not supported; divide the beam",
                                p->id);
        st = read_shape(r, &p->p.section[1], &end_mass, s, i + 2, nu);
        i += 2 + s->dims + 1;
    }
    for (; st == LMB_OK && i < r->field_count; i++)
        if (!lmb_bdf_blank(r, i))
            return lmb_bdf_fail(r, "%s %d has more numbers than section %s takes", r->card->keyword->name,
                                p->id, s->name);
    if (st == LMB_OK && mass != end_mass)
        return lmb_bdf_fail(r, "PBEAML %d: NSM must be the same at both ends", p->id);
    return st ? st : set_line_mass(r, &p->p, mass);
}
lmb_status lmb_bdf_read_pbarl(lmb_bdf *r) { return read_shapes(r); }
lmb_status lmb_bdf_read_pbeaml(lmb_bdf *r) { return read_shapes(r); }

// ---- rods and springs --------------------------------------------------------------------------

// PROD PID MID A J C NSM
lmb_status lmb_bdf_read_prod(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    if (p == NULL) return r->scan.status;
    p->p.material = lmb_bdf_find_material(r, 2, "MID");
    p->rod[0] = lmb_bdf_real(r, 3, "A", 0), p->rod[1] = lmb_bdf_real(r, 4, "J", 0);
    return r->scan.status ? r->scan.status : set_line_mass(r, &p->p, lmb_bdf_real(r, 6, "NSM", 0));
}

static lmb_status check_stiffness(lmb_bdf *r, const lmb_bdf_property *p) {
    for (int k = 0; k < 6; k++)
        if (!(p->p.stiffness[k] >= 0) && r->scan.status == LMB_OK)
            return lmb_bdf_fail(r, "%s %d: a stiffness is %g; it must not be negative",
                                r->card->keyword->name, p->id, p->p.stiffness[k]);
    return r->scan.status;
}

// PBUSH PID K K1 .. K6 / - B B1 .. / - GE .. / - RCV ..
lmb_status lmb_bdf_read_pbush(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    for (int i = 2; p && i < r->field_count && r->scan.status == LMB_OK; i += 8) {
        lmb_piece what = lmb_bdf_field(r, i);
        if (lmb_piece_is(what, "K"))
            for (int k = 0; k < 6; k++) p->p.stiffness[k] = lmb_bdf_real(r, i + 1 + k, "K", 0);
        else if (lmb_piece_is(what, "B") || lmb_piece_is(what, "GE"))
            lmb_bdf_remark(r, "PBUSH %d: damping not read; use the damping of the part", p->id);
        else if (what.length > 0 && !lmb_piece_is(what, "RCV"))
            return lmb_bdf_fail(r, "PBUSH %d: %.*s is not supported; only K", p->id, shown(what), what.at);
    }
    return p ? check_stiffness(r, p) : r->scan.status;
}

// PELAS PID1 K1 GE1 S1 PID2 K2 GE2 S2; the component is that of the element: it is kept in the first place
lmb_status lmb_bdf_read_pelas(lmb_bdf *r) {
    if (!lmb_bdf_blank(r, 5)) return lmb_bdf_fail(r, "PELAS: write a card for each property");
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    if (p == NULL) return r->scan.status;
    p->p.stiffness[0] = lmb_bdf_real(r, 2, "K", 0);
    return check_stiffness(r, p);
}
