// mesh/inp_material.c: materials of a deck, and the axes of those that are not isotropic.
#include "fe/material.h"
#include "mesh/inp.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// ---- materials ---------------------------------------------------------------------------------

int lmb_inp_find_material(const lmb_inp *r, lmb_piece name) {
    for (int i = 0; i < r->material_count; i++)
        if (lmb_piece_is(name, r->materials[i].name)) return i;
    return -1;
}

lmb_status lmb_inp_read_material(lmb_inp *r) {
    lmb_piece name = lmb_inp_get(r, "NAME");
    if (name.length == 0) return lmb_inp_fail(r, "*MATERIAL needs a NAME");
    if (lmb_inp_find_material(r, name) >= 0)
        return lmb_inp_fail(r, "duplicate material '%.*s'", shown(name), name.at);
    if (r->material_count >= 20000) return lmb_inp_fail(r, "more than 20000 materials are not supported");
    if (r->material_count == r->material_capacity) {
        int capacity = r->material_capacity > 0 ? 2 * r->material_capacity : 16;
        lmb_material *larger = lmb_realloc(r->materials, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan);
        r->materials = larger;
        r->material_capacity = capacity;
    }
    lmb_material m = {.E = NAN, .rho = NAN, .where = lmb_inp_where(r)};
    m.name = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    if (m.name == NULL) return lmb_scan_memory(&r->scan);
    r->material = r->material_count;
    r->materials[r->material_count++] = m;
    return LMB_OK;
}

// ---- tables ------------------------------------------------------------------------------------

enum { A_LINE = 8 };

// numbers of a row, eight a line, and its temperature behind them; false: there is no further row
static bool table_row(lmb_inp *r, double *values, int wanted) {
    lmb_piece row = {"", 0};
    for (int done = 0; done < wanted; done += A_LINE) {
        int rest = wanted - done, most = rest >= A_LINE ? A_LINE : rest + 1, count;
        if (!lmb_inp_row(&row, r)) {
            if (done == 0) return false;
            row.length = 0;
        }
        if (lmb_inp_numbers(r, row, values + done, most, &count) != LMB_OK) return false;
        if (count >= (rest < A_LINE ? rest : A_LINE)) continue;
        lmb_scan_fail(&r->scan, "*%s needs %d numbers", r->card->keyword->name, wanted);
        return false;
    }
    return true;
}

static lmb_status keep_row(lmb_inp *r, const lmb_material_row *row) {
    if (r->row_count == r->row_capacity) {
        int capacity = r->row_capacity > 0 ? 2 * r->row_capacity : 32;
        lmb_material_row *larger =
            capacity > 1000000 ? NULL : lmb_realloc(r->rows, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan);
        r->rows = larger;
        r->row_capacity = capacity;
    }
    r->rows[r->row_count++] = *row;
    return LMB_OK;
}

static lmb_status check_ascending(lmb_inp *r, int first) {
    for (int i = first + 1; i < r->row_count; i++)
        if (!(r->rows[i].temperature > r->rows[i - 1].temperature))
            return lmb_inp_fail(r, "material '%s': the temperatures of *%s must ascend, %g follows %g",
                                r->materials[r->material].name, r->card->keyword->name,
                                r->rows[i].temperature, r->rows[i - 1].temperature);
    return LMB_OK;
}

// The rows of a material's card, each checked by `make`, the first one left in the material.  One row is no table.
static lmb_status material_rows(lmb_inp *r, int wanted, lmb_status (*check)(lmb_inp *r, const double *v),
                                bool (*make)(lmb_material *m, const double *v)) {
    double v[LMB_CONSTANTS + 1];
    int first = r->row_count;
    const char *card = r->card->keyword->name;
    if (r->material < 0) return lmb_inp_fail(r, "*%s is allowed only after *MATERIAL", card);
    for (v[wanted] = 0; table_row(r, v, wanted); v[wanted] = 0) {
        lmb_material_row row = {
            .material = r->material, .count = wanted, .temperature = v[wanted], .make = make};
        lmb_material m = r->materials[r->material];
        memcpy(row.v, v, (size_t)wanted * sizeof *v);
        if (!make(&m, v) && check(r, v) != LMB_OK) return r->scan.status;
        if (r->row_count == first) r->materials[r->material] = m;
        if (keep_row(r, &row) != LMB_OK) return r->scan.status;
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (r->row_count == first) return lmb_inp_fail(r, "*%s has no data line", card);
    if (r->row_count == first + 1) return r->row_count = first, LMB_OK;
    return check_ascending(r, first);
}

// ---- *ELASTIC ----------------------------------------------------------------------------------

// Components of the deck, 11 22 33 12 13 23, are ours but for the last two.
static const int component[6] = {0, 1, 2, 3, 5, 4};

static bool isotropic(lmb_material *m, const double *v) {
    m->E = v[0], m->nu = v[1];
    m->elasticity = LMB_ISOTROPIC;
    return m->E > 0 && m->nu > -1 && m->nu < 0.5;
}

static bool engineering(lmb_material *m, const double *v) {
    return lmb_elasticity_from_constants(
        m, &(lmb_constants){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]}});
}

static void set(lmb_material *m, int i, int j, double value) {
    m->C[component[i]][component[j]] = m->C[component[j]][component[i]] = value;
}

// D1111 D1122 D2222 D1133 D2233 D3333 D1212 D1313 D2323
static bool orthotropic(lmb_material *m, const double *v) {
    memset(m->C, 0, sizeof m->C);
    m->elasticity = LMB_ANISOTROPIC;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i <= j; i++) set(m, i, j, *v++);
    for (int j = 3; j < 6; j++) set(m, j, j, *v++);
    return lmb_elasticity_is_sound(m);
}

// D1111 D1122 D2222 D1133 .. D3333 D1112 D2212 ..: the upper triangle column by column
static bool anisotropic(lmb_material *m, const double *v) {
    m->elasticity = LMB_ANISOTROPIC;
    for (int j = 0; j < 6; j++)
        for (int i = 0; i <= j; i++) set(m, i, j, *v++);
    return lmb_elasticity_is_sound(m);
}

static const struct elastic {
    const char *type;
    int numbers;
    bool (*make)(lmb_material *m, const double *v);
} elastics[] = {
    {"ISOTROPIC", 2, isotropic},
    {"ISO", 2, isotropic},
    {"ORTHOTROPIC", 9, orthotropic},
    {"ORTHO", 9, orthotropic},
    {"ANISOTROPIC", 21, anisotropic},
    {"ANISO", 21, anisotropic},
    {"ENGINEERING CONSTANTS", 9, engineering},
    {"ENGINEERINGCONSTANTS", 9, engineering},
    {"LAMINA", 6, lmb_elasticity_from_lamina},
};

static const struct elastic *find_elastic(lmb_inp *r) {
    lmb_piece type = lmb_inp_get(r, "TYPE");
    if (type.length == 0) return &elastics[0];
    for (int i = 0; i < LMB_COUNT(elastics); i++)
        if (lmb_piece_is(type, elastics[i].type)) return &elastics[i];
    lmb_inp_fail(
        r,
        "*ELASTIC, TYPE=%.*s is not supported; supported: ISOTROPIC, ENGINEERING CONSTANTS, ORTHOTROPIC, "
        "ANISOTROPIC, LAMINA",
        shown(type), type.at);
    return NULL;
}

static lmb_status fail_isotropic(lmb_inp *r, const double *v) {
    return lmb_inp_fail(r, "material '%s': E = %g must be positive and nu = %g between -1 and 0.5",
                        r->materials[r->material].name, v[0], v[1]);
}

static lmb_status fail_elastic(lmb_inp *r, const double *v) {
    (void)v;
    return lmb_inp_fail(r, "material '%s': its elasticity is not positive definite; check its constants",
                        r->materials[r->material].name);
}

lmb_status lmb_inp_read_elastic(lmb_inp *r) {
    lmb_piece moduli = lmb_inp_get(r, "MODULI");
    const struct elastic *type = find_elastic(r);
    if (type == NULL) return r->scan.status;
    if (moduli.length > 0 && !lmb_piece_is(moduli, "INSTANTANEOUS"))
        lmb_inp_remark(r, r->card->line, "*ELASTIC, MODULI=%.*s ignored; treated as elastic", shown(moduli),
                       moduli.at);
    bool one = type->make == isotropic;
    if (material_rows(r, type->numbers, one ? fail_isotropic : fail_elastic, type->make) != LMB_OK)
        return r->scan.status;
    lmb_material *m = &r->materials[r->material];
    if (m->elasticity != LMB_ISOTROPIC) m->E = m->nu = NAN;
    return LMB_OK;
}

static bool density(lmb_material *m, const double *v) { return m->rho = v[0], v[0] >= 0; }

static lmb_status fail_density(lmb_inp *r, const double *v) {
    return lmb_inp_fail(r, "material '%s': density is %g; it must not be negative",
                        r->materials[r->material].name, v[0]);
}

lmb_status lmb_inp_read_density(lmb_inp *r) { return material_rows(r, 1, fail_density, density); }

// a node or set and its temperature a line: the temperature of the deck if they are all the same
static lmb_status take_temperature(lmb_inp *r, lmb_piece row) {
    double T;
    lmb_piece_cut(&row, ',');
    lmb_piece field = lmb_piece_cut(&row, ',');
    if (!lmb_piece_number(&T, field))
        return lmb_scan_fail(&r->scan, "'%.*s' is not a temperature", shown(field), field.at);
    r->mixed = r->mixed || (r->warm && T != r->mesh->temperature);
    r->warm = true;
    r->mesh->temperature = r->mixed ? NAN : T;
    return LMB_OK;
}

lmb_status lmb_inp_read_initial(lmb_inp *r) {
    lmb_piece row, type = lmb_inp_get(r, "TYPE");
    if (!lmb_piece_is(type, "TEMPERATURE"))
        return lmb_inp_remark(r, r->card->line, "*INITIAL CONDITIONS, TYPE=%.*s ignored", shown(type),
                              type.at);
    while (r->scan.status == LMB_OK && lmb_inp_row(&row, r)) take_temperature(r, row);
    return r->scan.status;
}

// materials with a stiffness go into the mesh; one without density may get it from the part
lmb_status lmb_inp_finish_materials(lmb_inp *r) {
    for (int i = 0, k = 0; i < r->material_count; i++) {
        lmb_material *m = &r->materials[i];
        bool elastic = m->elasticity != LMB_ISOTROPIC || !isnan(m->E);
        int material = elastic ? lmb_mesh_add_material(r->mesh, m) : -1;
        if (elastic && material < 0) return lmb_scan_memory(&r->scan);
        for (; k < r->row_count && r->rows[k].material == i; k++) { // they follow the materials
            lmb_material_row row = r->rows[k];
            row.material = material;
            if (elastic && lmb_mesh_add_row(r->mesh, &row) < 0) return lmb_scan_memory(&r->scan);
        }
    }
    return LMB_OK;
}

// ---- *ORIENTATION ------------------------------------------------------------------------------

static int find_orientation(const lmb_inp *r, lmb_piece name, int scope) {
    for (int i = 0; i < r->orientation_count; i++)
        if (r->orientations[i].scope == scope && lmb_piece_is(name, r->orientations[i].name)) return i;
    return -1;
}

static lmb_inp_orientation *add_orientation(lmb_inp *r) {
    lmb_piece name = lmb_inp_get(r, "NAME");
    if (name.length == 0) return lmb_inp_fail(r, "*ORIENTATION needs a NAME"), NULL;
    if (find_orientation(r, name, r->scope) >= 0)
        return lmb_inp_fail(r, "duplicate orientation '%.*s'", shown(name), name.at), NULL;
    if (r->orientation_count >= 20000)
        return lmb_inp_fail(r, "more than 20000 orientations are not supported"), NULL;
    if (r->orientation_count == r->orientation_capacity) {
        int capacity = r->orientation_capacity > 0 ? 2 * r->orientation_capacity : 16;
        lmb_inp_orientation *larger = lmb_realloc(r->orientations, (size_t)capacity, sizeof *larger);
        if (larger == NULL) return lmb_scan_memory(&r->scan), NULL;
        r->orientations = larger;
        r->orientation_capacity = capacity;
    }
    char *kept = lmb_arena_printf(r->mesh->arena, "%.*s", name.length, name.at);
    if (kept == NULL) return lmb_scan_memory(&r->scan), NULL;
    lmb_inp_orientation *o = &r->orientations[r->orientation_count++];
    *o = (lmb_inp_orientation){.name = kept, .scope = r->scope};
    return o;
}

// axes with x along a and y in the plane of a and b; of Z RECTANGULAR z along a and x in that plane
static bool axes_of(mat3 *R, vec3 a, vec3 b, bool z_first) {
    vec3 n = v3_cross(a, b);
    if (!v3_has_direction(a) || !v3_has_direction(b)) return false;
    if (!(v3_norm(v3_cross(v3_unit(a), v3_unit(b))) > 1e-6)) return false;
    a = v3_unit(a), n = v3_unit(n);
    *R = z_first ? m3_columns(v3_cross(n, a), n, a) : m3_columns(a, v3_cross(n, a), n);
    return true;
}

static lmb_status read_system(lmb_inp *r, lmb_material_axes *out) {
    lmb_piece row, system = lmb_inp_get(r, "SYSTEM"), by = lmb_inp_get(r, "DEFINITION");
    double v[9];
    int count;
    bool z = lmb_piece_is(system, "Z RECTANGULAR") || lmb_piece_is(system, "ZRECTANGULAR"),
         curved = lmb_piece_is(system, "CYLINDRICAL");
    if (system.length > 0 && !z && !curved && !lmb_piece_is(system, "RECTANGULAR"))
        return lmb_inp_fail(
            r,
            "*ORIENTATION, SYSTEM=%.*s is not supported; supported: RECTANGULAR, Z RECTANGULAR, "
            "CYLINDRICAL",
            shown(system), system.at);
    if (by.length > 0 && !lmb_piece_is(by, "COORDINATES"))
        return lmb_inp_fail(r,
                            "*ORIENTATION, DEFINITION=%.*s is not supported; give the points by coordinates",
                            shown(by), by.at);
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*ORIENTATION has no data line with two points");
    if (lmb_inp_numbers(r, row, v, 9, &count) != LMB_OK) return r->scan.status;
    vec3 a = v3_load(v), b = v3_load(v + 3), c = v3_load(v + 6);
    out->kind = curved ? LMB_AXES_CYLINDRICAL : LMB_AXES_RECTANGULAR;
    out->place = (pose){.r = curved ? a : c, .R = M3_ID};
    if (curved && v3_has_direction(v3_sub(b, a))) out->place.R = m3_frame_z(v3_sub(b, a), v3(1, 0, 0));
    else if (curved || count < 6 || !axes_of(&out->place.R, v3_sub(a, c), v3_sub(b, c), z))
        return lmb_scan_fail(&r->scan, "the points of *ORIENTATION do not define its axes");
    return LMB_OK;
}

// second line: the axis 1, 2 or 3 and the angle about it in degrees
static lmb_status read_turn(lmb_inp *r, lmb_inp_orientation *o) {
    lmb_piece row;
    double v[2];
    int count;
    o->axes.turn = M3_ID, o->axes.axis = -1;
    if (!lmb_inp_row(&row, r)) return LMB_OK;
    if (lmb_inp_numbers(r, row, v, 2, &count) != LMB_OK) return r->scan.status;
    if (v[0] != 1 && v[0] != 2 && v[0] != 3)
        return lmb_scan_fail(&r->scan,
                             "the additional rotation of an *ORIENTATION needs its axis: 1, 2 or 3");
    o->axes.angle = v[1] * LMB_PI / 180;
    o->axes.turn = q_matrix(q_exp(v3_scale(o->axes.angle, v3_axis((int)v[0] - 1))));
    o->axes.axis = (int)v[0] % 3; // of a shell the axis is near its normal: the next one is projected
    return lmb_inp_row(&row, r) ? lmb_scan_fail(&r->scan, "*ORIENTATION has more than two data lines")
                                : LMB_OK;
}

lmb_status lmb_inp_read_orientation(lmb_inp *r) {
    lmb_inp_orientation *o = add_orientation(r);
    if (o == NULL || read_system(r, &o->axes) != LMB_OK || read_turn(r, o) != LMB_OK) return r->scan.status;
    o->axes.place = pose_mul(r->scopes[r->scope].place, o->axes.place);
    return LMB_OK;
}

static bool is_turned(const pose *p) {
    mat3 d = m3_sub(p->R, M3_ID);
    for (int k = 0; k < 3; k++)
        if (v3_norm(m3_row(&d, k)) > 1e-12) return true;
    return false;
}

lmb_status lmb_inp_find_orientation(lmb_material_axes *out, lmb_inp *r, lmb_piece name) {
    int i = find_orientation(r, name, r->scope);
    if (i < 0) i = find_orientation(r, name, 0);
    if (i < 0) return lmb_inp_fail(r, "unknown orientation '%.*s'", shown(name), name.at);
    *out = r->orientations[i].axes;
    return LMB_OK;
}

lmb_status lmb_inp_section_axes(lmb_inp *r, lmb_property *p) {
    lmb_piece name = lmb_inp_get(r, "ORIENTATION");
    bool isotropic = p->material < 0 || r->mesh->materials[p->material].elasticity == LMB_ISOTROPIC;
    if (name.length > 0) return lmb_inp_find_orientation(&p->along, r, name);
    if (isotropic || !is_turned(&r->scopes[r->scope].place)) return LMB_OK;
    return lmb_inp_fail(r,
                        "*%s in a rotated instance: its material is not isotropic and needs an ORIENTATION",
                        r->card->keyword->name);
}
