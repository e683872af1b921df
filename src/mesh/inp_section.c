// mesh/inp_section.c: sections, point masses and springs of a deck.
#include "mesh/inp.h"

#include <math.h>
#include <string.h>

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// ---- what a section names ----------------------------------------------------------------------

int lmb_inp_section_material(lmb_inp *r, lmb_piece name) {
    const char *card = r->card->keyword->name;
    if (name.length == 0) return lmb_inp_fail(r, "*%s needs a MATERIAL", card), -1;
    for (int i = 0; i < r->mesh->material_count; i++)
        if (lmb_piece_is(name, r->mesh->materials[i].name)) return i;
    if (lmb_inp_find_material(r, name) >= 0)
        lmb_inp_fail(r, "material '%.*s' has no *ELASTIC; only linear elastic materials are supported",
                     shown(name), name.at);
    else lmb_inp_fail(r, "unknown material '%.*s'", shown(name), name.at);
    return -1;
}

static lmb_status find_material(lmb_inp *r, int *material) {
    *material = lmb_inp_section_material(r, lmb_inp_get(r, "MATERIAL"));
    return *material >= 0 ? LMB_OK : r->scan.status;
}

// ---- giving a property to the elements of a set ------------------------------------------------

int lmb_inp_section_set(lmb_inp *r) {
    lmb_piece name = lmb_inp_get(r, "ELSET");
    int set = name.length > 0 ? lmb_inp_find_set(r, name, LMB_SET_ELEMENTS) : -1;
    if (name.length == 0) lmb_inp_fail(r, "*%s needs an ELSET", r->card->keyword->name);
    else if (set < 0) lmb_inp_fail(r, "unknown element set '%.*s'", shown(name), name.at);
    return set;
}

static int add_property(lmb_inp *r, const lmb_property *p) {
    lmb_property named = *p;
    named.name = r->card->keyword->name;
    named.where = lmb_inp_where(r);
    int property = lmb_mesh_add_property(r->mesh, &named);
    if (property < 0) lmb_scan_memory(&r->scan);
    return property;
}

// a later section replaces an earlier one, which is noted
static lmb_status give(lmb_inp *r, int element, int property) {
    lmb_mesh_element *e = &r->mesh->elements[element];
    if (property < 0) return r->scan.status;
    if (e->property >= 0 && e->property != property &&
        lmb_inp_remark(r, r->card->line, "element %d already has a section (line %d); the later one is used",
                       e->label, r->mesh->properties[e->property].where.line) != LMB_OK)
        return r->scan.status;
    e->property = property;
    return LMB_OK;
}

lmb_status lmb_inp_give_all(lmb_inp *r, int set, lmb_stress_kind kind, const lmb_property *p) {
    int property = add_property(r, p);
    lmb_status status = r->scan.status;
    for (int i = 0; i < r->mesh->sets[set].count && status == LMB_OK; i++) {
        const lmb_mesh_element *e = &r->mesh->elements[r->mesh->sets[set].items[i]];
        if (e->ops->stress_kind != kind)
            return lmb_inp_fail(r, "*%s on element %d, which is a %s", r->card->keyword->name, e->label,
                                e->ops->name);
        status = give(r, r->mesh->sets[set].items[i], property);
    }
    return status;
}

// a circle of the area of the data line, 1 without one
static lmb_status truss_section(lmb_inp *r, lmb_property *p) {
    lmb_where where = {r->mesh->file, r->scan.line, 0};
    lmb_piece row;
    double A = 1;
    int count;
    if (lmb_inp_row(&row, r) && lmb_inp_numbers(r, row, &A, 1, &count) != LMB_OK) return r->scan.status;
    if (!(A > 0)) return lmb_scan_fail(&r->scan, "the area of a truss is %g; it must be positive", A);
    double d = sqrt(4 * A / LMB_PI);
    lmb_status st = lmb_profile_make(&p->section[0], LMB_PROFILE_CIRCLE, &d, 1, 0, where, r->scan.err);
    p->section[1] = p->section[0], p->up = v3(0, 0, -1);
    return st ? (r->scan.status = st) : LMB_OK;
}

static int trusses_in(const lmb_inp *r, int set) {
    int count = 0;
    for (int i = 0; i < r->mesh->sets[set].count; i++)
        count += r->mesh->elements[r->mesh->sets[set].items[i]].ops == &lmb_element_truss;
    return count;
}

lmb_status lmb_inp_read_solid_section(lmb_inp *r) {
    lmb_property p = {0};
    int set = lmb_inp_section_set(r);
    if (set < 0 || find_material(r, &p.material) != LMB_OK) return r->scan.status;
    int trusses = trusses_in(r, set);
    if (trusses > 0 && trusses < r->mesh->sets[set].count)
        return lmb_inp_fail(r, "*SOLID SECTION on trusses and other elements; use a set for each");
    if (trusses > 0) {
        if (truss_section(r, &p) != LMB_OK) return r->scan.status;
        return lmb_inp_give_all(r, set, LMB_STRESS_BEAM, &p);
    }
    if (lmb_inp_section_axes(r, &p) != LMB_OK) return r->scan.status;
    return lmb_inp_give_all(r, set, LMB_STRESS_SOLID, &p);
}

// ---- beams -------------------------------------------------------------------------------------

// A section of the deck: local 1 is our y, local 2 our z, unless it is turned.
typedef struct shape {
    const char *name;
    lmb_profile_shape shape;
    int wanted;
} shape;
static const shape shapes[] = {
    {"RECT", LMB_PROFILE_RECTANGLE, 2},     {"CIRC", LMB_PROFILE_CIRCLE, 1}, {"PIPE", LMB_PROFILE_TUBE, 2},
    {"THICK PIPE", LMB_PROFILE_TUBE, 2},    {"BOX", LMB_PROFILE_BOX, 6},     {"I", LMB_PROFILE_I, 7},
    {"TRAPEZOID", LMB_PROFILE_RECTANGLE, 4}};

// sizes of the deck -> ours; returns their number, 0: they are not supported
static int sizes_of(const shape *s, double *size, const double *v) {
    switch (s->shape) {
    case LMB_PROFILE_CIRCLE: size[0] = 2 * v[0]; return 1;
    case LMB_PROFILE_TUBE: size[0] = 2 * v[0], size[1] = v[1]; return 2;
    case LMB_PROFILE_BOX: // a b t1 t2 t3 t4
        size[0] = v[0], size[1] = v[1], size[2] = v[2];
        return v[3] == v[2] && v[4] == v[2] && v[5] == v[2] ? 3 : 0;
    case LMB_PROFILE_I: // l h b1 b2 t1 t2 t3
        size[0] = v[1], size[1] = v[2], size[2] = v[6], size[3] = v[4];
        return v[2] == v[3] && v[4] == v[5] ? 4 : 0;
    default: // a b; of a trapezoid a b c d: bottom, height, top, height of the node
        size[0] = v[0], size[1] = v[1];
        return s->wanted == 2 || v[2] == v[0] ? 2 : 0;
    }
}

// An I stands along local 2, which is then our y; its node is l above its bottom, that of a trapezoid d.
static void place_section(lmb_property *p, const shape *s, const double *v) {
    bool upright = s->shape == LMB_PROFILE_I, trapezoid = s->wanted == 4;
    for (int k = 0; k < 2; k++) {
        if (upright) p->twist[k] = LMB_PI / 2, p->offset[k][0] = v[1] / 2 - v[0];
        if (trapezoid) p->offset[k][1] = v[1] / 2 - v[3];
    }
}

static lmb_status make_section(lmb_inp *r, lmb_property *p, const double *v, int count, double nu) {
    lmb_where where = {r->scan.file, r->scan.line, 0};
    lmb_piece kind = lmb_inp_get(r, "SECTION");
    double sizes[4];
    const shape *s = NULL;
    for (int i = 0; i < LMB_COUNT(shapes) && s == NULL; i++)
        if (lmb_piece_is(kind, shapes[i].name)) s = &shapes[i];
    if (s == NULL)
        return lmb_inp_fail(
            r,
            "*BEAM SECTION, SECTION=%.*s is not supported; supported: RECT, CIRC, PIPE, BOX, I, "
            "TRAPEZOID; or use *BEAM GENERAL SECTION, SECTION=GENERAL",
            shown(kind), kind.at);
    if (count < s->wanted)
        return lmb_scan_fail(&r->scan, "the section needs %d sizes, found %d", s->wanted, count);
    int used = sizes_of(s, sizes, v);
    if (used == 0)
        return lmb_scan_fail(&r->scan, "%s is not supported",
                             s->shape == LMB_PROFILE_BOX ? "a BOX with unequal wall thicknesses"
                             : s->shape == LMB_PROFILE_I ? "an I with unequal flanges"
                                                         : "a TRAPEZOID with unequal widths");
    place_section(p, s, v);
    lmb_status status = lmb_profile_make(&p->section[0], s->shape, sizes, used, nu, where, r->scan.err);
    p->section[1] = p->section[0];
    return status == LMB_OK ? status : (r->scan.status = status);
}

// the line with the direction of local 1, which may be missing
static lmb_status read_up(lmb_inp *r, lmb_property *p) {
    lmb_piece row;
    double up[3];
    int count;
    p->up = v3(0, 0, -1);
    if (!lmb_inp_row(&row, r)) return LMB_OK;
    if (lmb_inp_numbers(r, row, up, 3, &count) != LMB_OK) return r->scan.status;
    if (count > 0) p->up = v3_load(up);
    return v3_has_direction(p->up) ? LMB_OK
                                   : lmb_scan_fail(&r->scan, "the direction of the section must not be zero");
}

// one property for each theory
static lmb_status give_beams(lmb_inp *r, int set, lmb_property *p) {
    int property[2] = {-1, -1};
    lmb_status status = LMB_OK;
    for (int i = 0; i < r->mesh->sets[set].count && status == LMB_OK; i++) {
        int element = r->mesh->sets[set].items[i];
        const lmb_mesh_element *e = &r->mesh->elements[element];
        if (e->ops != &lmb_element_beam)
            return lmb_inp_fail(r, "*%s on element %d, which is a %s", r->card->keyword->name, e->label,
                                e->ops->name);
        p->theory = r->types[element]->theory;
        int *which = &property[p->theory == LMB_EULER_BERNOULLI];
        if (*which < 0) *which = add_property(r, p);
        status = give(r, element, *which);
    }
    return status;
}

lmb_status lmb_inp_read_beam_section(lmb_inp *r) {
    lmb_property p = {0};
    lmb_piece row;
    double v[10];
    int count, set = lmb_inp_section_set(r);
    if (set < 0 || find_material(r, &p.material) != LMB_OK) return r->scan.status;
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*BEAM SECTION has no data line with the sizes");
    if (lmb_inp_numbers(r, row, v, 10, &count) != LMB_OK) return r->scan.status;
    if (make_section(r, &p, v, count, r->mesh->materials[p.material].nu) != LMB_OK) return r->scan.status;
    return read_up(r, &p) ? r->scan.status : give_beams(r, set, &p);
}

// A I11 I12 I22 J: about local 1 and 2, which are our y and z                     docs/theory/elements.md (8)
static lmb_status general_section(lmb_inp *r, lmb_profile *s, const double *v) {
    double mean = (v[1] + v[3]) / 2, radius = hypot((v[3] - v[1]) / 2, v[2]);
    if (!(v[0] > 0 && v[4] > 0 && v[1] > 0 && v[3] > 0 && mean > radius))
        return lmb_scan_fail(&r->scan, "A, I11, I22 and J must be positive and I12^2 less than I11 I22");
    *s = (lmb_profile){.A = v[0], .J = v[4], .ky = 1, .kz = 1, .Iz = v[3], .Iy = v[1]};
    if (v[2] == 0) return LMB_OK;
    s->Iz = mean + radius, s->Iy = mean - radius;
    s->turn = 0.5 * atan2(2 * v[2], v[3] - v[1]);
    return LMB_OK;
}

// E and G of the third line, the density of the card
static lmb_status general_material(lmb_inp *r, lmb_property *p) {
    lmb_piece row, density = lmb_inp_get(r, "DENSITY");
    double v[3] = {0};
    int count;
    lmb_material m = {.rho = NAN, .where = lmb_inp_where(r)};
    if (!lmb_inp_row(&row, r))
        return lmb_inp_fail(r, "*BEAM GENERAL SECTION needs a third line with E and G");
    if (lmb_inp_numbers(r, row, v, 3, &count) != LMB_OK) return r->scan.status;
    if (density.length > 0 && (!lmb_piece_number(&m.rho, density) || !(m.rho >= 0)))
        return lmb_inp_fail(r, "*BEAM GENERAL SECTION: DENSITY=%.*s must be a number and not negative",
                            shown(density), density.at);
    m.E = v[0], m.nu = v[0] / (2 * v[1]) - 1;
    if (!(m.E > 0 && v[1] > 0 && m.nu > -1 && m.nu < 0.5))
        return lmb_scan_fail(
            &r->scan, "E = %g and G = %g are not those of a material (E / 2G between 0 and 1.5)", v[0], v[1]);
    m.name = lmb_arena_printf(r->mesh->arena, "section in line %d", r->card->line);
    p->material = m.name ? lmb_mesh_add_material(r->mesh, &m) : -1;
    return p->material >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

lmb_status lmb_inp_read_general_section(lmb_inp *r) {
    lmb_property p = {0};
    lmb_piece row, kind = lmb_inp_get(r, "SECTION");
    double v[7];
    int count, set = lmb_inp_section_set(r);
    if (set < 0) return r->scan.status;
    if (kind.length > 0 && !lmb_piece_is(kind, "GENERAL"))
        return lmb_inp_fail(
            r,
            "*BEAM GENERAL SECTION, SECTION=%.*s is not supported; use SECTION=GENERAL, or *BEAM "
            "SECTION",
            shown(kind), kind.at);
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*BEAM GENERAL SECTION has no data line");
    if (lmb_inp_numbers(r, row, v, 7, &count) != LMB_OK) return r->scan.status;
    if (v[5] != 0 || v[6] != 0)
        return lmb_scan_fail(&r->scan,
                             "sectorial moments and warping of a section are not supported; set them to 0");
    if (general_section(r, &p.section[0], v) != LMB_OK) return r->scan.status;
    p.section[1] = p.section[0];
    if (read_up(r, &p) != LMB_OK || general_material(r, &p) != LMB_OK) return r->scan.status;
    return give_beams(r, set, &p);
}

// ---- points ------------------------------------------------------------------------------------

// all elements of the set are of these types
static lmb_status check_types(lmb_inp *r, int set, const char *first, const char *second, const char *third) {
    for (int i = 0; i < r->mesh->sets[set].count; i++) {
        int element = r->mesh->sets[set].items[i];
        const char *name = r->types[element]->name;
        if (strcmp(name, first) == 0 || (second && strcmp(name, second) == 0) ||
            (third && strcmp(name, third) == 0))
            continue;
        return lmb_inp_fail(r, "*%s on element %d, which is a %s", r->card->keyword->name,
                            r->mesh->elements[element].label, name);
    }
    return LMB_OK;
}

static lmb_status give_points(lmb_inp *r, int set, const lmb_property *p) {
    int property = add_property(r, p);
    lmb_status status = r->scan.status;
    for (int i = 0; i < r->mesh->sets[set].count && status == LMB_OK; i++)
        status = give(r, r->mesh->sets[set].items[i], property);
    return status;
}

lmb_status lmb_inp_read_mass(lmb_inp *r) {
    lmb_property p = {.material = -1};
    lmb_piece row;
    int count, set = lmb_inp_section_set(r);
    if (set < 0 || check_types(r, set, "MASS", NULL, NULL) != LMB_OK) return r->scan.status;
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*MASS has no data line with the mass");
    if (lmb_inp_numbers(r, row, &p.mass, 1, &count) != LMB_OK) return r->scan.status;
    if (!(p.mass > 0)) return lmb_scan_fail(&r->scan, "the mass is %g; it must be positive", p.mass);
    return give_points(r, set, &p);
}

// SPRINGA acts along the line between its nodes: every element has axes of its own
static lmb_status give_axial(lmb_inp *r, int element, lmb_property *p) {
    const int *nodes = lmb_mesh_nodes(r->mesh, element);
    vec3 line = v3_sub(r->mesh->x[nodes[1]], r->mesh->x[nodes[0]]);
    if (!v3_has_direction(line))
        return lmb_inp_fail(r, "spring %d has zero length, so its direction is undefined",
                            r->mesh->elements[element].label);
    mat3 frame = m3_frame_z(line, v3(1, 0, 0));
    p->axes = m3_columns(m3_column(&frame, 2), m3_column(&frame, 0), m3_column(&frame, 1));
    return give(r, element, add_property(r, p));
}

// first line: the motions (none for SPRINGA), second: the stiffness
lmb_status lmb_inp_read_spring(lmb_inp *r) {
    lmb_property p = {.material = -1, .axes = M3_ID};
    lmb_piece row;
    double dof[2], v[3];
    int count, set = lmb_inp_section_set(r);
    if (set < 0 || check_types(r, set, "SPRINGA", "SPRING1", "SPRING2") != LMB_OK) return r->scan.status;
    // the first line may be empty
    if (!lmb_scan_line(&row, &r->scan) || lmb_inp_numbers(r, row, dof, 2, &count) != LMB_OK)
        return lmb_inp_fail(r,
                            "*SPRING needs a line with the degree of freedom and a line with the stiffness");
    if (!lmb_inp_row(&row, r))
        return lmb_inp_fail(r,
                            "*SPRING needs a line with the degree of freedom and a line with the stiffness");
    if (lmb_inp_numbers(r, row, v, 3, &count) != LMB_OK) return r->scan.status;
    if (!(v[0] > 0) || count > 1 || lmb_inp_row(&row, r))
        return lmb_scan_fail(
            &r->scan, "the stiffness of a spring must be one positive number; curves are not supported");
    lmb_status status = LMB_OK;
    int axial = 0;
    for (int i = 0; i < r->mesh->sets[set].count; i++)
        axial += strcmp(r->types[r->mesh->sets[set].items[i]]->name, "SPRINGA") == 0;
    if (axial != 0 && axial != r->mesh->sets[set].count)
        return lmb_inp_fail(r, "a set must not mix SPRINGA with other spring types");
    if (axial > 0) {
        p.stiffness[0] = v[0];
        for (int i = 0; i < axial && status == LMB_OK; i++)
            status = give_axial(r, r->mesh->sets[set].items[i], &p);
        return status;
    }
    int motion = dof[0] >= 1 && dof[0] <= 6 ? (int)dof[0] : 0;
    if (motion == 0 || motion != dof[0] || (dof[1] != 0 && dof[1] != dof[0]))
        return lmb_inp_fail(r,
                            "*SPRING: the degree of freedom must be from 1 to 6 and the same at both ends");
    p.stiffness[motion - 1] = v[0];
    return give_points(r, set, &p);
}
