// part/part_tables.c: the keys of parts.
#include "part/local.h"

#include <math.h>

// ---- sections, damping -------------------------------------------------------------------------

// clang-format off
const lmb_key lmb_section_keys_table[] = {
    {"circle", LMB_KEY_NUMBER, offsetof(lmb_section_keys, circle), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0, "Diameter, m."},
    {"tube", LMB_KEY_NUMBERS, offsetof(lmb_section_keys, tube), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "[outer diameter, wall thickness], m."},
    {"rectangle", LMB_KEY_NUMBERS, offsetof(lmb_section_keys, rectangle), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "[size in y, size in z], m."},
    {"box", LMB_KEY_NUMBERS, offsetof(lmb_section_keys, box), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "[size in y, size in z, wall thickness], or with two wall thicknesses: of the y faces, of the z faces, m."},
    {"i", LMB_KEY_NUMBERS, offsetof(lmb_section_keys, i), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "[height in y, width in z, web thickness, flange thickness], m."},
    {"l", LMB_KEY_NUMBERS, offsetof(lmb_section_keys, l), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "[leg along y, leg along z, thickness], m."},
    {"A", LMB_KEY_NUMBER, offsetof(lmb_section_keys, A), LMB_KEY_POSITIVE, LMB_AREA, 0, 0, "Area, m2."},
    {"Iy", LMB_KEY_NUMBER, offsetof(lmb_section_keys, Iy), LMB_KEY_POSITIVE, LMB_AREA_MOMENT, 0, 0,
     "Second moment of area about y (bending in the xz plane), m4."},
    {"Iz", LMB_KEY_NUMBER, offsetof(lmb_section_keys, Iz), LMB_KEY_POSITIVE, LMB_AREA_MOMENT, 0, 0,
     "Second moment of area about z (bending in the xy plane), m4."},
    {"J", LMB_KEY_NUMBER, offsetof(lmb_section_keys, J), LMB_KEY_POSITIVE, LMB_AREA_MOMENT, 0, 0, "Torsion constant, m4."},
    {"ky", LMB_KEY_NUMBER, offsetof(lmb_section_keys, ky), LMB_KEY_POSITIVE, {0}, 0, 0, "Shear correction factor in y (default 5/6)."},
    {"kz", LMB_KEY_NUMBER, offsetof(lmb_section_keys, kz), LMB_KEY_POSITIVE, {0}, 0, 0, "Shear correction factor in z (default 5/6)."},
    {"EA", LMB_KEY_NUMBER, offsetof(lmb_section_keys, EA), LMB_KEY_POSITIVE, LMB_FORCE, 0, 0, "Axial stiffness, N."},
    {"GAy", LMB_KEY_NUMBER, offsetof(lmb_section_keys, GAy), LMB_KEY_POSITIVE, LMB_FORCE, 0, 0,
     "Shear stiffness in y, N (not needed with `theory: euler_bernoulli`)."},
    {"GAz", LMB_KEY_NUMBER, offsetof(lmb_section_keys, GAz), LMB_KEY_POSITIVE, LMB_FORCE, 0, 0, "Shear stiffness in z, N."},
    {"GJ", LMB_KEY_NUMBER, offsetof(lmb_section_keys, GJ), LMB_KEY_POSITIVE, LMB_SECTION_STIFFNESS, 0, 0, "Torsional stiffness, N m2."},
    {"EIy", LMB_KEY_NUMBER, offsetof(lmb_section_keys, EIy), LMB_KEY_POSITIVE, LMB_SECTION_STIFFNESS, 0, 0,
     "Bending stiffness about y (in the xz plane), N m2."},
    {"EIz", LMB_KEY_NUMBER, offsetof(lmb_section_keys, EIz), LMB_KEY_POSITIVE, LMB_SECTION_STIFFNESS, 0, 0,
     "Bending stiffness about z (in the xy plane), N m2."},
    {"rhoA", LMB_KEY_NUMBER, offsetof(lmb_section_keys, rhoA), LMB_KEY_POSITIVE, LMB_LINE_MASS, 0, 0, "Mass per length, kg/m."},
    {"rhoI", LMB_KEY_NUMBERS, offsetof(lmb_section_keys, rhoI), LMB_KEY_NOT_NEGATIVE, LMB_LINE_INERTIA, 0, 0,
     "[polar, y, z] mass moments of inertia per length about x, y, z, kg m (default: rhoA/EA times EIy + EIz, EIy, EIz)."},
    {0},
};

const lmb_key lmb_station_keys[] = {
    {"at", LMB_KEY_NUMBER, offsetof(lmb_station_read, at), LMB_KEY_REQUIRED | LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Position along the beam as a share of its length, from 0 (start) to 1 (end)."},
    {"section", LMB_KEY_MAP, offsetof(lmb_station_read, section), 0, {0}, 0, lmb_section_keys_table,
     "Cross-section there (default: as at the station before)."},
    {"offset", LMB_KEY_NUMBERS, offsetof(lmb_station_read, offset), 0, LMB_LENGTH, 0, 0,
     "[y, z] of the centroid relative to the line of nodes, in the axes of the section, m (default: as at the station before; 0 at the first)."},
    {"twist", LMB_KEY_NUMBER, offsetof(lmb_station_read, twist), 0, {0}, 0, 0,
     "Angle about the beam's axis from `up` to the section's y axis (default: as at the station before; 0 at the first)."},
    {0},
};

const lmb_key lmb_damping_keys_table[] = {
    {"ratio", LMB_KEY_NUMBER, offsetof(lmb_damping_keys, ratio), LMB_KEY_NOT_NEGATIVE | LMB_KEY_SHORT, {0}, 0, 0,
     "Damping ratio of every mode of the body, held as its joints hold it."},
    {"alpha", LMB_KEY_NUMBER, offsetof(lmb_damping_keys, alpha), LMB_KEY_NOT_NEGATIVE, LMB_RATE, 0, 0,
     "Rayleigh damping: factor of the mass matrix, 1/s."},
    {"beta", LMB_KEY_NUMBER, offsetof(lmb_damping_keys, beta), LMB_KEY_NOT_NEGATIVE, LMB_TIME, 0, 0,
     "Rayleigh damping: factor of the stiffness matrix, s."},
    {"ratios", LMB_KEY_NUMBERS, offsetof(lmb_damping_keys, ratios), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Damping ratios of the first, second, ... mode, the last one for all others; with `frequencies`: at these frequencies."},
    {"frequencies", LMB_KEY_NUMBERS, offsetof(lmb_damping_keys, frequencies), LMB_KEY_POSITIVE, LMB_RATE, 0, 0,
     "Ascending frequencies of `ratios`, Hz; linear between them, constant below and above."},
    {"loss_factor", LMB_KEY_NUMBER, offsetof(lmb_damping_keys, loss_factor), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Loss factor of the material: twice the damping ratio of every mode."},
    {"of", LMB_KEY_CHOICE, offsetof(lmb_damping_keys, of), 0, {0}, "held|free", 0,
     "The modes of these ratios: those of the body as its joints hold it, all else at rest (held, the default), or of the free body."},
    {0},
};

// ---- kinds -------------------------------------------------------------------------------------

static const lmb_key beam_keys[] = {
    LMB_PART_BEAM_KEYS(lmb_part_read_keys, part), LMB_PART_SOLID_KEYS(lmb_part_read_keys, part),
    LMB_PART_COMMON_KEYS(lmb_part_read_keys, part), LMB_PART_MARKERS_KEY(lmb_part_read_keys, part, "markers"), {0},
};
static const lmb_key mesh_keys[] = {
    LMB_PART_MESH_KEYS(lmb_part_read_keys, part, LMB_KEY_REQUIRED), LMB_PART_SOLID_KEYS(lmb_part_read_keys, part),
    LMB_PART_COMMON_KEYS(lmb_part_read_keys, part), LMB_PART_MARKERS_KEY(lmb_part_read_keys, part, "markers"), {0},
};
static const lmb_key matrices_keys[] = {
    LMB_PART_MATRICES_KEYS(lmb_part_read_keys, part), LMB_PART_COMMON_KEYS(lmb_part_read_keys, part),
    LMB_PART_MARKERS_KEY(lmb_part_read_keys, part, "markers"), {0},
};
// clang-format on

static const lmb_kind_keys beam = {"beam", "A straight beam, uniform or tapered.", beam_keys};
static const lmb_kind_keys mesh = {"mesh", "A mesh of solids, shells or beams, or a geometry to be meshed.",
                                   mesh_keys};
static const lmb_kind_keys matrices = {"matrices", "Stiffness and mass matrices from another program.",
                                       matrices_keys};
const lmb_kind_keys *const lmb_part_kinds[] = {&beam, &mesh, &matrices, NULL};

lmb_part_keys lmb_part_defaults(void) {
    return (lmb_part_keys){
        .length = NAN,
        .temperature = NAN,
        .from = {NAN, NAN, NAN},
        .to = {NAN, NAN, NAN},
        .elements = 10,
        .section = {.ky = 5.0 / 6, .kz = 5.0 / 6},
        .end_section = {.ky = 5.0 / 6, .kz = 5.0 / 6},
        .rotary_inertia = true,
        .unit = LMB_PART_UNIT_OF_FILE,
        .order = 2,
        .stress = true,
        .static_correction = true,
    };
}

double lmb_part_unit(int unit) {
    static const double metres[] = {1, 1e-3, 1e-2, 1e-6, 0.0254, 0.3048};
    return metres[unit];
}

lmb_status lmb_part_read(lmb_part *out, lmb_spec *s, const lmb_node *map, const char *what, lmb_error *err) {
    const lmb_section section = {"part", "", LMB_SECTION_MAP, lmb_part_kinds, -1, NULL};
    lmb_part_read_keys read = {.part = lmb_part_defaults()};
    int kind;
    if (map->kind != LMB_NODE_MAP)
        return lmb_fail(err, LMB_ERR_INPUT, map->where,
                        "%s: expected a map of keys and values such as {type: beam, length: 0.3, ...}", what);
    lmb_status st = lmb_spec_kind(&kind, s, map, &section, what, err);
    if (st == LMB_OK) st = lmb_spec_read_kind(&read, NULL, s, map, &section, kind, what, err);
    return st ? st : lmb_part_finish(out, s, &read.part, (lmb_part_kind)kind, map, what, err);
}

// ---- unknown names -----------------------------------------------------------------------------

lmb_status lmb_fail_unknown(lmb_error *err, lmb_where where, const lmb_unknown *u) {
    enum { LISTED = 12 };
    const char *near = lmb_nearest(u->name, u->next, u->user), *name;
    if (near)
        return lmb_fail(err, LMB_ERR_INPUT, where, "%s has no %s '%s'; did you mean '%s'?", u->of, u->what,
                        u->name, near);
    lmb_text list = {0};
    bool ok = lmb_text_add_n(&list, "", 0);
    for (int i = 0; ok && (name = u->next(u->user, i)); i++)
        if (i <= LISTED)
            ok = lmb_text_add(&list, "%s%s", i ? ", " : "; available: ", i < LISTED ? name : "...");
    lmb_status st = ok ? lmb_fail(err, LMB_ERR_INPUT, where, "%s has no %s '%s'%s", u->of, u->what, u->name,
                                  *list.text ? list.text : "; it has none")
                       : lmb_fail_memory(err);
    lmb_text_free(&list);
    return st;
}
