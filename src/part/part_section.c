// part/part_section.c: the cross-sections of a beam: shapes, properties, stiffness; from place to place along it.
#include "part/local.h"

#include <string.h>

// ---- cross-sections ----------------------------------------------------------------------------

enum { NUMBERS = 6, STIFFNESS = 12 }; // of the shapes; then A, Iy, Iz, J, ky, kz; then EA, ...

static lmb_status section_numbers(lmb_profile *out, const lmb_section_keys *k, const lmb_node *n,
                                  lmb_error *err) {
    static const char *const names[] = {"A", "Iy", "Iz", "J"};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (!LMB_GIVEN(*k, NUMBERS + i))
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "a section given by its properties needs A, Iy, Iz and J; '%s' is missing",
                            names[i]);
    *out = (lmb_profile){.A = k->A, .Iy = k->Iy, .Iz = k->Iz, .J = k->J, .ky = k->ky, .kz = k->kz};
    return LMB_OK;
}

static bool by_stiffness(const lmb_section_keys *k) { return k->given >> STIFFNESS; }

// The round section with the mean radius of gyration, 4 i^2 = R^2; nu = 0.  Its material carries the rest: E A = EA.
static lmb_material stiffness_material(const lmb_section_keys *k, lmb_where where) {
    double A = LMB_PI * 2 * (k->EIy + k->EIz) / k->EA;
    return (lmb_material){"section", k->EA / A, 0, k->rhoA / A, where};
}

static lmb_status check_moments(const double *I, const lmb_node *n, lmb_error *err) {
    for (int i = 0; i < 3; i++)
        if (I[i] > (1 + 1e-12) * (I[(i + 1) % 3] + I[(i + 2) % 3]))
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "rhoI"),
                            "no mass has the moments [%g, %g, %g] of 'rhoI': each must be at most the sum of "
                            "the others; for a thin section the polar one is the sum of those about y and z",
                            I[0], I[1], I[2]);
    return LMB_OK;
}

// A = EA/E, ky G A = GAy, ...
static lmb_status section_stiffness(lmb_profile *out, const lmb_section_keys *k, const lmb_node *n,
                                    const lmb_material *m, lmb_beam_theory theory, lmb_error *err) {
    static const char *const names[] = {"EA", "GAy", "GAz", "GJ", "EIy", "EIz", "rhoA"};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (!LMB_GIVEN(*k, STIFFNESS + i) && !(theory == LMB_EULER_BERNOULLI && (i == 1 || i == 2)))
            return lmb_fail(
                err, LMB_ERR_INPUT, n->where,
                "a section given by its stiffness needs EA, GAy, GAz, GJ, EIy, EIz and rhoA; '%s' is "
                "missing%s",
                names[i], i == 1 || i == 2 ? " (`theory: euler_bernoulli` needs no shear stiffness)" : "");
    double G = lmb_shear_modulus(m), A = k->EA / m->E, thin = k->rhoA / k->EA;
    *out = (lmb_profile){.A = A, .Iy = k->EIy / m->E, .Iz = k->EIz / m->E, .J = k->GJ / G};
    out->ky = k->GAy / (G * A), out->kz = k->GAz / (G * A);
    out->rhoA = k->rhoA;
    out->rhoI[0] = thin * (k->EIy + k->EIz), out->rhoI[1] = thin * k->EIy, out->rhoI[2] = thin * k->EIz;
    if (!k->rhoI.v) return LMB_OK;
    if (k->rhoI.count != 3)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "rhoI"),
                        "'rhoI' must be [polar, y, z]; %d numbers given", k->rhoI.count);
    memcpy(out->rhoI, k->rhoI.v, sizeof out->rhoI);
    return check_moments(out->rhoI, n, err);
}

static lmb_status read_section(lmb_profile *out, int *shape, const lmb_section_keys *k, const lmb_node *n,
                               const lmb_part *p, lmb_error *err) {
    const lmb_numbers sizes[] = {{1, (double *)&k->circle}, k->tube, k->rectangle, k->box, k->i, k->l};
    static const struct {
        const char *name, *form;
        int least, most;
    } forms[] = {{"circle", "diameter", 1, 1},
                 {"tube", "[outer diameter, wall thickness]", 2, 2},
                 {"rectangle", "[size in y, size in z]", 2, 2},
                 {"box", "[size in y, size in z, wall thickness]", 3, 4},
                 {"i", "[height, width, web thickness, flange thickness]", 4, 4},
                 {"l", "[leg along y, leg along z, thickness]", 3, 3}};
    int found = 0;
    for (int i = 0; i < NUMBERS; i++)
        if (LMB_GIVEN(*k, i)) *shape = i, found++;
    bool stiffness = by_stiffness(k), numbers = k->given >> NUMBERS & ((1 << (STIFFNESS - NUMBERS)) - 1);
    found += stiffness + numbers;
    if (found != 1)
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "'%s' must be one of circle, tube, rectangle, box, i, l, {A, Iy, Iz, J}, or {EA, GAy, "
            "GAz, GJ, EIy, EIz, rhoA}; %s given",
            n->key, found == 0 ? "none is" : "several are");
    if (stiffness) return *shape = STIFFNESS, section_stiffness(out, k, n, &p->material, p->beam.theory, err);
    if (numbers) return *shape = NUMBERS, section_numbers(out, k, n, err);
    if (sizes[*shape].count < forms[*shape].least || sizes[*shape].count > forms[*shape].most)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, forms[*shape].name),
                        "section '%s' must be %s; %d numbers given", forms[*shape].name, forms[*shape].form,
                        sizes[*shape].count);
    return lmb_profile_make(out, (lmb_profile_shape)*shape, sizes[*shape].v, sizes[*shape].count,
                            p->material.nu, lmb_node_place(n, forms[*shape].name), err);
}

// ---- along the beam ----------------------------------------------------------------------------
//
// Three ways to say it, one form: stations with a section, an offset and a twist each.
//   section                      two, alike
//   section, end_section, twist  two
//   stations                     any number

static lmb_status read_offset(double *out, const lmb_part *p, const lmb_node *map, const char *key,
                              const lmb_numbers *v, lmb_error *err) {
    if (v->count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(map, key),
                        "'%s' of %s must be [y, z]; %d numbers given", key, p->what, v->count);
    return out[0] = v->v[0], out[1] = v->v[1], LMB_OK;
}

typedef struct listed { // stations as they are read, and the shapes of their sections
    int count;
    lmb_beam_station *s;
    int *shape;
} listed;

static lmb_status check_order(const listed *l, const lmb_node *n, const lmb_part *p, lmb_error *err) {
    int i = l->count - 1;
    double at = l->s[i].at;
    if ((i == 0 && at != 0) || at > 1)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "at"),
                        "stations of %s must go from `at: 0` to `at: 1`, shares of its length; found %g",
                        p->what, at);
    if (i > 0 && at < l->s[i - 1].at)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "at"),
                        "stations of %s must be in ascending order; %g comes after %g", p->what, at,
                        l->s[i - 1].at);
    bool same = i > 0 && at == l->s[i - 1].at;
    if (same && (at == 0 || at == 1 || at == l->s[i > 1 ? i - 2 : 0].at))
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "at"),
            "%s has too many stations at %g; between its ends two make a jump, at an end there is one",
            p->what, at);
    if (i > 0 && at > l->s[i - 1].at && l->shape[i] != l->shape[i - 1])
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "this station's section has a different shape from the one before; a tapered beam keeps its "
            "shape (two stations at one position make a jump)");
    return LMB_OK;
}

// what an entry leaves out is as at the station before
static lmb_status read_station(listed *l, lmb_spec *s, const lmb_node *n, const lmb_part *p, lmb_error *err) {
    lmb_station_read r = {.section = lmb_part_defaults().section};
    lmb_status st = lmb_spec_read(&r, s, n, lmb_station_keys, "a station", err);
    if (st != LMB_OK) return st;
    int i = l->count++;
    if (i > 0) l->s[i] = l->s[i - 1], l->shape[i] = l->shape[i - 1];
    l->s[i].at = r.at;
    if (LMB_GIVEN(r, LMB_STATION_TWIST)) l->s[i].twist = r.twist;
    if (LMB_GIVEN(r, LMB_STATION_OFFSET)) st = read_offset(l->s[i].offset, p, n, "offset", &r.offset, err);
    if (st != LMB_OK) return st;
    if (LMB_GIVEN(r, LMB_STATION_SECTION))
        st = read_section(&l->s[i].section, &l->shape[i], &r.section, lmb_node_find(n, "section"), p, err);
    else if (i == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, n->where, "the first station of %s needs a 'section'", p->what);
    return st == LMB_OK ? check_order(l, n, p, err) : st;
}

static lmb_status check_alone(const lmb_part *p, lmb_error *err) {
    static const char *const others[] = {"section", "end_section", "offset", "end_offset", "twist"};
    for (int i = 0; i < LMB_COUNT(others); i++)
        if (lmb_node_find(p->map, others[i]))
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, others[i]),
                            "%s has both 'stations' and '%s'; give it at the stations", p->what, others[i]);
    return LMB_OK;
}

static lmb_status read_stations(lmb_part *p, lmb_spec *s, lmb_error *err) {
    const lmb_node *list = p->keys.stations;
    listed l = {0, lmb_arena_get(s->arena, (size_t)list->count + 1, sizeof *l.s),
                lmb_arena_get(s->arena, (size_t)list->count + 1, sizeof *l.shape)};
    if (l.s == NULL || l.shape == NULL) return lmb_fail_memory(err);
    lmb_status st = check_alone(p, err);
    for (const lmb_node *n = list->first; n && st == LMB_OK; n = n->next) st = read_station(&l, s, n, p, err);
    if (st != LMB_OK) return st;
    int last = l.count - 1;
    if (last < 1 || l.s[last].at != 1)
        return lmb_fail(err, LMB_ERR_INPUT, list->where,
                        "stations of %s must go from `at: 0` to `at: 1`, shares of its length", p->what);
    for (int end = 0; end < 2; end++) {
        const lmb_beam_station *at = &l.s[end ? last : 0];
        p->beam.section[end] = at->section, p->beam.twist[end] = at->twist;
        memcpy(p->beam.offset[end], at->offset, sizeof at->offset);
    }
    p->beam.between = l.s + 1, p->beam.between_count = last - 1;
    return LMB_OK;
}

static lmb_status read_end_section(lmb_part *p, int shape, lmb_error *err) {
    const lmb_node *n = lmb_node_find(p->map, "end_section");
    int own;
    if (n == NULL) return LMB_OK;
    lmb_status st = read_section(&p->beam.section[1], &own, &p->keys.end_section, n, p, err);
    if (st == LMB_OK && own != shape)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "'end_section' has a different shape from 'section'; a tapered beam keeps its shape");
    return st;
}

lmb_status lmb_part_read_sections(lmb_part *p, lmb_spec *s, lmb_error *err) {
    const lmb_part_keys *k = &p->keys;
    const lmb_node *first = lmb_node_find(p->map, "section");
    int shape = 0;
    if (k->stations) return read_stations(p, s, err);
    if (first == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, p->map->where,
                        "%s needs 'section', such as {circle: 10 mm}, or 'stations'", p->what);
    lmb_status st = read_section(&p->beam.section[0], &shape, &k->section, first, p, err);
    p->beam.section[1] = p->beam.section[0];
    if (st == LMB_OK) st = read_end_section(p, shape, err);
    if (st == LMB_OK && k->offset.v)
        st = read_offset(p->beam.offset[0], p, p->map, "offset", &k->offset, err);
    memcpy(p->beam.offset[1], p->beam.offset[0], sizeof p->beam.offset[0]);
    if (st == LMB_OK && k->end_offset.v)
        st = read_offset(p->beam.offset[1], p, p->map, "end_offset", &k->end_offset, err);
    p->beam.twist[1] = k->twist;
    return st;
}

// the keys of the first section, and where they are; NULL: none
static lmb_status first_section(lmb_section_keys *out, const lmb_node **where, const lmb_part *p, lmb_spec *s,
                                lmb_error *err) {
    const lmb_node *station = p->keys.stations ? p->keys.stations->first : NULL;
    lmb_station_read r = {.section = p->keys.section};
    lmb_status st = station ? lmb_spec_read(&r, s, station, lmb_station_keys, "a station", err) : LMB_OK;
    *out = r.section;
    *where = lmb_node_find(station ? station : p->map, "section");
    return st;
}

// a section by its stiffness needs no material, and has one that makes it a section of this stiffness
lmb_status lmb_part_section_material(lmb_part *p, lmb_spec *s, lmb_error *err) {
    lmb_section_keys k;
    const lmb_node *where;
    lmb_status st = first_section(&k, &where, p, s, err);
    if (st != LMB_OK || where == NULL || !by_stiffness(&k) || !(k.EA > 0) || !(k.EIy + k.EIz > 0)) return st;
    if (p->has_material)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "material"),
                        "the section of %s is given by its stiffness and mass; remove 'material'", p->what);
    p->material = stiffness_material(&k, where->where);
    p->has_material = true;
    return LMB_OK;
}
