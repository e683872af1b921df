// part/part_read.c: evaluates the keys of a part.
#include "part/local.h"

#include <stdio.h>
#include <string.h>

// ---- the beam ----------------------------------------------------------------------------------

static lmb_status read_line(lmb_part *p, lmb_error *err) {
    lmb_part_keys *k = &p->keys;
    bool length = !isnan(k->length), from = !isnan(k->from.x), to = !isnan(k->to.x);
    if (length && (from || to))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "length"),
                        "%s has both 'length' and 'from'/'to'; give one of them", p->what);
    if (!length && !to)
        return lmb_fail(err, LMB_ERR_INPUT, p->map->where, "%s needs 'length', or 'from' and 'to'", p->what);
    p->beam.a = from ? k->from : v3(0, 0, 0);
    p->beam.b = length ? v3(k->length, 0, 0) : k->to;
    // a curved line is looked at where it is made (body/ancf_build.c)
    if (lmb_node_find(p->map, "through")) return p->beam.up = k->up, LMB_OK;
    vec3 d = v3_sub(p->beam.b, p->beam.a);
    if (!v3_has_direction(d))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "to"), "'from' and 'to' of %s coincide",
                        p->what);
    bool given = lmb_node_find(p->map, "up") != NULL;
    vec3 axis = v3_unit(d);
    p->beam.up = given ? k->up : fabs(axis.y) > 0.99 ? v3(0, 0, 1) : v3(0, 1, 0);
    if (!v3_has_direction(p->beam.up) || !(v3_norm(v3_cross(axis, v3_unit(p->beam.up))) > 1e-6))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "up"),
                        "'up' of %s is zero or parallel to the beam; give a direction across it", p->what);
    return LMB_OK;
}

static lmb_status read_beam(lmb_part *p, lmb_spec *s, lmb_error *err) {
    enum { MAX_ELEMENTS = 100000 };
    lmb_part_keys *k = &p->keys;
    lmb_status st = lmb_part_section_material(p, s, err);
    if (st != LMB_OK) return st;
    if (!p->has_material)
        return lmb_fail(err, LMB_ERR_INPUT, p->map->where,
                        "%s needs 'material': a name such as steel, or {E: 210e9, nu: 0.3, density: 7850}",
                        p->what);
    st = lmb_part_whole_material(p, err);
    if (st != LMB_OK) return st;
    if (k->elements > MAX_ELEMENTS)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "elements"),
                        "%d elements are too many for a beam; the limit is %d", k->elements, MAX_ELEMENTS);
    p->beam.elements = k->elements;
    p->beam.material = p->material;
    p->beam.theory = (lmb_beam_theory)k->theory;
    p->beam.rotary = k->rotary_inertia ? LMB_ROTARY_ON : LMB_ROTARY_OFF;
    p->beam.line_mass = k->line_mass;
    st = read_line(p, err);
    return st == LMB_OK ? lmb_part_read_sections(p, s, err) : st;
}

// ---- interfaces and markers --------------------------------------------------------------------

// a beam has two interfaces unless others are given
static void beam_ends(lmb_part *p) {
    static const char *const names[2] = {"start", "end"};
    for (int i = 0; i < 2; i++)
        p->sites[p->site_count++] = (lmb_part_site){
            .name = names[i], .interface = true, .by = LMB_BY_SET, .set = names[i], .where = p->map->where};
}

static lmb_status check_twice(const lmb_part *p, const lmb_node *n, lmb_error *err) {
    for (int i = 0; i < p->site_count; i++)
        if (strcmp(p->sites[i].name, n->key) == 0)
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "'%s' is already an interface of %s; choose another name for the marker", n->key,
                            p->what);
    return LMB_OK;
}

static lmb_status read_sites(lmb_part *p, lmb_spec *s, lmb_error *err) {
    const lmb_node *lists[2] = {p->keys.interfaces, p->keys.markers};
    const lmb_key *keys[2] = {lmb_interface_keys, lmb_part_marker_keys};
    size_t most = 2;
    for (int k = 0; k < 2; k++) most += lists[k] ? (size_t)lists[k]->count : 0;
    p->sites = lmb_arena_get(s->arena, most, sizeof *p->sites);
    if (p->sites == NULL) return lmb_fail_memory(err);
    if (p->kind == LMB_PART_BEAM && p->keys.interfaces == NULL) beam_ends(p);
    lmb_status st = LMB_OK;
    for (int k = 0; k < 2; k++)
        for (const lmb_node *n = lists[k] ? lists[k]->first : NULL; n && st == LMB_OK; n = n->next) {
            st = check_twice(p, n, err);
            if (st == LMB_OK) st = lmb_part_read_site(&p->sites[p->site_count], s, n, keys[k], err);
            if (st == LMB_OK) p->site_count++;
        }
    return st;
}

// ---- the whole ---------------------------------------------------------------------------------

enum { RATIO, ALPHA, BETA, RATIOS, FREQUENCIES, LOSS_FACTOR, OF }; // of lmb_damping_keys

static double largest_ratio(const lmb_damping_keys *d) {
    double most = fmax(d->ratio, d->loss_factor / 2);
    for (int i = 0; i < d->ratios.count; i++) most = fmax(most, d->ratios.v[i]);
    return most;
}

static bool ascending(const lmb_numbers *f) {
    for (int i = 1; i < f->count; i++)
        if (!(f->v[i] > f->v[i - 1])) return false;
    return true;
}

static lmb_status check_damping(const lmb_part *p, lmb_error *err) {
    const lmb_damping_keys *d = &p->keys.damping;
    lmb_where where = lmb_node_place(p->map, "damping");
    int laws = LMB_GIVEN(*d, RATIO) + LMB_GIVEN(*d, RATIOS) + LMB_GIVEN(*d, LOSS_FACTOR);
    if (laws > 1)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "damping of %s must be one of ratio, ratios and loss_factor", p->what);
    if (laws && (LMB_GIVEN(*d, ALPHA) || LMB_GIVEN(*d, BETA)))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "damping of %s must be either {ratio: ...} or {alpha: ..., beta: ...}, not both",
                        p->what);
    if (LMB_GIVEN(*d, OF) && !laws)
        return lmb_fail(err, LMB_ERR_INPUT, where, "damping of %s: `of` needs a `ratio`", p->what);
    if (largest_ratio(d) >= 1)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "a damping ratio of %g is critical or above; metals have about 0.01",
                        largest_ratio(d));
    if (LMB_GIVEN(*d, RATIOS) && d->ratios.count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, where, "'ratios' of %s is empty; give one ratio per mode",
                        p->what);
    if (LMB_GIVEN(*d, FREQUENCIES) &&
        (d->frequencies.count != d->ratios.count || !ascending(&d->frequencies)))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "'frequencies' of %s must be as many ascending numbers as 'ratios'", p->what);
    return LMB_OK;
}

// one ratio: a list of one
static lmb_status finish_damping(lmb_part *p, lmb_spec *s, lmb_error *err) {
    lmb_damping_keys *d = &p->keys.damping;
    double ratio = fmax(d->ratio, d->loss_factor / 2);
    lmb_status st = check_damping(p, err);
    if (st != LMB_OK || !(ratio > 0)) return st;
    d->ratios = (lmb_numbers){1, lmb_arena_doubles(s->arena, 1)};
    if (d->ratios.v == NULL) return lmb_fail_memory(err);
    *d->ratios.v = ratio;
    return LMB_OK;
}

// formats whose files declare their length unit
static bool says_unit(const char *file) {
    return lmb_format_fits(LMB_STEP_ENDINGS, file) || lmb_format_fits(LMB_IGES_ENDINGS, file);
}

static lmb_status check_mesh_keys(const lmb_part *p, lmb_error *err) {
    if (p->keys.order > 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "order"),
                        "'order' of %s must be 1 or 2, not %d", p->what, p->keys.order);
    if (p->keys.file && *p->keys.file == '\0')
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "file"), "'file' of %s is empty", p->what);
    if (p->keys.file && p->keys.unit == LMB_PART_UNIT_OF_FILE && !says_unit(p->keys.file))
        return lmb_fail(err, LMB_ERR_INPUT, p->map->where,
                        "%s needs 'unit', the length unit of its mesh, such as `unit: mm`", p->what);
    return LMB_OK;
}

lmb_status lmb_part_finish(lmb_part *out, lmb_spec *s, const lmb_part_keys *keys, lmb_part_kind kind,
                           const lmb_node *map, const char *what, lmb_error *err) {
    *out = (lmb_part){.kind = kind, .map = map, .keys = *keys};
    out->what = lmb_arena_strdup(s->arena, what);
    if (out->what == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    if (keys->material) {
        st = lmb_part_read_material(out, s, err);
    }
    if (st == LMB_OK && kind == LMB_PART_BEAM) st = read_beam(out, s, err);
    if (st == LMB_OK && kind == LMB_PART_MESH) st = check_mesh_keys(out, err);
    if (st == LMB_OK) st = finish_damping(out, s, err);
    if (st == LMB_OK) st = read_sites(out, s, err);
    if (st == LMB_OK) st = lmb_part_read_frame(out, s, keys->frame, err);
    return st ? st : lmb_part_read_shapes(out, s, keys->shapes, err);
}
