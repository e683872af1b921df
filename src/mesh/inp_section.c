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
    named.where = (lmb_where){r->mesh->file, r->card->line, 0};
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

lmb_status lmb_inp_read_solid_section(lmb_inp *r) {
    lmb_property p = {0};
    int set = lmb_inp_section_set(r);
    if (set < 0 || find_material(r, &p.material) != LMB_OK) return r->scan.status;
    if (lmb_inp_section_axes(r, &p) != LMB_OK) return r->scan.status;
    return lmb_inp_give_all(r, set, LMB_STRESS_SOLID, &p);
}

// ---- beams -------------------------------------------------------------------------------------

// sizes of the deck -> sizes of the section; local 1 of the deck is our y, local 2 our z
static lmb_status make_section(lmb_inp *r, lmb_profile *out, lmb_piece kind, const double *v, int count,
                               double nu) {
    lmb_where where = {r->mesh->file, r->scan.line, 0};
    double sizes[4] = {v[0], v[1], v[2], v[2]};
    lmb_profile_shape shape = LMB_PROFILE_RECTANGLE;
    int wanted = 2, used = 2;
    if (lmb_piece_is(kind, "CIRC")) shape = LMB_PROFILE_CIRCLE, sizes[0] = 2 * v[0], wanted = used = 1;
    else if (lmb_piece_is(kind, "PIPE")) shape = LMB_PROFILE_TUBE, sizes[0] = 2 * v[0];
    else if (lmb_piece_is(kind, "BOX")) shape = LMB_PROFILE_BOX, wanted = 6, used = 3;
    else if (!lmb_piece_is(kind, "RECT"))
        return lmb_inp_fail(r,
                            "*BEAM SECTION, SECTION=%.*s is not supported; supported: RECT, CIRC, PIPE, BOX",
                            shown(kind), kind.at);
    if (count < wanted) return lmb_scan_fail(&r->scan, "the section needs %d sizes, found %d", wanted, count);
    if (shape == LMB_PROFILE_BOX && (v[3] != v[2] || v[4] != v[2] || v[5] != v[2]))
        return lmb_scan_fail(&r->scan, "a BOX with unequal wall thicknesses is not supported");
    lmb_status status = lmb_profile_make(out, shape, sizes, used, nu, where, r->scan.err);
    return status == LMB_OK ? status : (r->scan.status = status);
}

lmb_status lmb_inp_read_beam_section(lmb_inp *r) {
    lmb_property p = {.up = {0, 0, -1}};
    lmb_piece row;
    double v[10], up[3];
    int count, set = lmb_inp_section_set(r), property[2] = {-1, -1};
    if (set < 0 || find_material(r, &p.material) != LMB_OK) return r->scan.status;
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*BEAM SECTION has no data line with the sizes");
    if (lmb_inp_numbers(r, row, v, 10, &count) != LMB_OK) return r->scan.status;
    double nu = r->mesh->materials[p.material].nu;
    if (make_section(r, &p.section[0], lmb_inp_get(r, "SECTION"), v, count, nu) != LMB_OK)
        return r->scan.status;
    p.section[1] = p.section[0];
    if (lmb_inp_row(&row, r)) {
        if (lmb_inp_numbers(r, row, up, 3, &count) != LMB_OK) return r->scan.status;
        p.up = v3_load(up);
        if (!v3_has_direction(p.up))
            return lmb_scan_fail(&r->scan, "the direction of the section must not be zero");
    }
    lmb_status status = LMB_OK;
    for (int i = 0; i < r->mesh->sets[set].count && status == LMB_OK; i++) {
        int element = r->mesh->sets[set].items[i];
        const lmb_mesh_element *e = &r->mesh->elements[element];
        if (e->ops->stress_kind != LMB_STRESS_BEAM)
            return lmb_inp_fail(r, "*BEAM SECTION on element %d, which is a %s", e->label, e->ops->name);
        // one property for each theory
        p.theory = r->types[element]->theory;
        int *which = &property[p.theory == LMB_EULER_BERNOULLI];
        if (*which < 0) *which = add_property(r, &p);
        status = give(r, element, *which);
    }
    return status;
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
