// part/part_material.c: the material of a part, and what it means for the elements of a mesh.
#include "fe/material.h"
#include "part/local.h"

#include <string.h>

// ---- reading -----------------------------------------------------------------------------------

// usual values at room temperature: E in Pa, nu, density in kg/m3
#define MATERIAL_NAMES \
    "steel|stainless_steel|cast_iron|aluminium|aluminum|titanium|magnesium|copper|brass|pom"
static const lmb_material materials[] = {
    {"steel", 210e9, 0.3, 7850},     {"stainless_steel", 195e9, 0.3, 7900}, {"cast_iron", 110e9, 0.26, 7200},
    {"aluminium", 70e9, 0.33, 2700}, {"aluminum", 70e9, 0.33, 2700},        {"titanium", 114e9, 0.34, 4430},
    {"magnesium", 45e9, 0.35, 1780}, {"copper", 120e9, 0.34, 8960},         {"brass", 100e9, 0.34, 8500},
    {"pom", 2.8e9, 0.35, 1410},
};

typedef struct orthotropic_read {
    uint64_t given;
    vec3 E, nu, G;
    quat axes;
} orthotropic_read;
enum { ORTHOTROPIC_AXES = 3 };

typedef struct material_read {
    uint64_t given;
    double E, nu, density;
    int name;
    bool override;
    orthotropic_read orthotropic;
} material_read;
enum { READ_E, READ_NU, READ_DENSITY, READ_NAME, READ_OVERRIDE, READ_ORTHOTROPIC };

// clang-format off
static const lmb_key orthotropic_keys[] = {
    {"E", LMB_KEY_VEC3, offsetof(orthotropic_read, E), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_PRESSURE, 0, 0,
     "Young's moduli along the axes 1, 2, 3 of the material, Pa."},
    {"nu", LMB_KEY_VEC3, offsetof(orthotropic_read, nu), LMB_KEY_REQUIRED, {0}, 0, 0,
     "Poisson's ratios 12, 13, 23: ij is the contraction along j by the extension along i under a stress along i."},
    {"G", LMB_KEY_VEC3, offsetof(orthotropic_read, G), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_PRESSURE, 0, 0,
     "Shear moduli 12, 13, 23, Pa."},
    {"axes", LMB_KEY_ROTATION, offsetof(orthotropic_read, axes), 0, {0}, 0, 0,
     "Rotation from the axes of the part to those of the material (default none)."},
    {0},
};
static const lmb_key material_keys[] = {
    {"E", LMB_KEY_NUMBER, offsetof(material_read, E), LMB_KEY_POSITIVE, LMB_PRESSURE, 0, 0,
     "Young's modulus, Pa."},
    {"nu", LMB_KEY_NUMBER, offsetof(material_read, nu), 0, {0}, 0, 0, "Poisson's ratio."},
    {"density", LMB_KEY_NUMBER, offsetof(material_read, density), LMB_KEY_POSITIVE, LMB_DENSITY, 0, 0,
     "Density, kg/m3; alone: of the materials of a mesh that have none."},
    {"name", LMB_KEY_CHOICE, offsetof(material_read, name), 0, {0}, MATERIAL_NAMES, 0,
     "The values that are not given here."},
    {"override", LMB_KEY_BOOL, offsetof(material_read, override), 0, {0}, 0, 0,
     "Meshes: replace these values in the materials of the file as well (default off)."},
    {"orthotropic", LMB_KEY_MAP, offsetof(material_read, orthotropic), 0, {0}, 0, orthotropic_keys,
     "Meshes of solids: nine constants in place of E and nu."},
    {0},
};
// clang-format on
const lmb_key lmb_material_forms[] = {
    {"own", LMB_KEY_MAP, .keys = material_keys}, {"name", LMB_KEY_CHOICE, .choices = MATERIAL_NAMES}, {0}};

static const char *next_material(void *user, int i) {
    (void)user;
    return i < LMB_COUNT(materials) ? materials[i].name : NULL;
}

static lmb_status named_material(lmb_material *out, const lmb_node *n, lmb_error *err) {
    for (int i = 0; i < LMB_COUNT(materials); i++)
        if (strcmp(materials[i].name, n->text) == 0)
            return *out = materials[i], out->where = n->where, LMB_OK;
    return lmb_fail_unknown(
        err, n->where, &(lmb_unknown){"material", n->text, "the list of materials", next_material, NULL});
}

static lmb_status read_orthotropic(lmb_part *p, const material_read *r, const lmb_node *n, lmb_error *err) {
    const orthotropic_read *o = &r->orthotropic;
    const lmb_node *at = lmb_node_find(n, "orthotropic");
    lmb_constants c;
    v3_store(c.E, o->E), v3_store(c.nu, o->nu), v3_store(c.G, o->G);
    if (p->kind == LMB_PART_BEAM || r->override || LMB_GIVEN(*r, READ_E) || LMB_GIVEN(*r, READ_NU) ||
        LMB_GIVEN(*r, READ_NAME))
        return lmb_fail(
            err, LMB_ERR_INPUT, at->where,
            "'orthotropic' goes with `density` alone, and with meshes: it is for elements without a "
            "material in the file");
    p->material_axes = LMB_GIVEN(*o, ORTHOTROPIC_AXES) ? q_matrix(o->axes) : M3_ID;
    if (!lmb_elasticity_from_constants(&p->material, &c))
        return lmb_fail(
            err, LMB_ERR_INPUT, at->where,
            "the constants of 'orthotropic' are not positive definite; check that nu_ij < sqrt(E_i / "
            "E_j)");
    return LMB_OK;
}

static lmb_status own_material(lmb_part *p, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    material_read r = {0};
    lmb_status st = lmb_spec_read(&r, s, n, material_keys, "material", err);
    if (st != LMB_OK) return st;
    if (LMB_GIVEN(r, READ_NU) && !(r.nu >= 0 && r.nu < 0.5))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "nu"),
                        "'nu' of the material is %g; Poisson's ratio must be at least 0 and below 0.5", r.nu);
    lmb_material *m = &p->material;
    *m = LMB_GIVEN(r, READ_NAME) ? materials[r.name] : (lmb_material){"given", NAN, NAN, NAN, n->where};
    m->where = n->where;
    if (LMB_GIVEN(r, READ_E)) m->E = r.E;
    if (LMB_GIVEN(r, READ_NU)) m->nu = r.nu;
    if (LMB_GIVEN(r, READ_DENSITY)) m->rho = r.density;
    p->override_material = r.override;
    if (LMB_GIVEN(r, READ_ORTHOTROPIC)) return read_orthotropic(p, &r, n, err);
    if (isnan(m->E) && isnan(m->nu) && isnan(m->rho))
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "'material' gives none of E, nu, density and name");
    if (r.override && p->kind == LMB_PART_BEAM)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "override"),
                        "'override' replaces the materials of a mesh file; a beam has none; remove it");
    return LMB_OK;
}

lmb_status lmb_part_read_material(lmb_part *p, lmb_spec *s, lmb_error *err) {
    const lmb_node *n = p->keys.material;
    p->has_material = true;
    if (n->kind == LMB_NODE_SCALAR) return named_material(&p->material, n, err);
    if (n->kind == LMB_NODE_MAP) return own_material(p, s, n, err);
    return lmb_fail(err, LMB_ERR_INPUT, n->where,
                    "'material' must be a name such as steel, or {E: 210e9, nu: 0.3, density: 7850}");
}

lmb_status lmb_part_whole_material(const lmb_part *p, lmb_error *err) {
    const lmb_material *m = &p->material;
    bool isotropic = m->elasticity == LMB_ISOTROPIC;
    const char *missing = isotropic && isnan(m->E)    ? "E"
                          : isotropic && isnan(m->nu) ? "nu"
                          : isnan(m->rho)             ? "density"
                                                      : NULL;
    if (missing == NULL) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, m->where,
        "'material' needs '%s' here; give all of {E: 210e9, nu: 0.3, density: 7850}, or the name of a "
        "material",
        missing);
}

// ---- the elements of a mesh --------------------------------------------------------------------

typedef struct materials_of {
    lmb_part_model *m;
    const lmb_part *p;
    int own;             // the material of the part in the mesh, -1: not needed yet
    int filled;          // materials of the file that took something from it
    unsigned char *used; // of the materials of the file: 1 if elements have it
} materials_of;

static bool has_stiffness(const lmb_mesh *m, int element) {
    return m->elements[element].ops->stress_kind != LMB_STRESS_NONE;
}

static lmb_property *property_of(const lmb_mesh *m, int element) {
    return &m->properties[m->elements[element].property];
}

// elements the file gives no property share one that is empty
static lmb_status add_properties(lmb_mesh *mesh, const lmb_part *p, lmb_error *err) {
    int property = -1;
    for (int i = 0; i < mesh->element_count; i++) {
        if (mesh->elements[i].property >= 0) continue;
        if (property < 0) {
            lmb_property all = {.name = "part", .material = -1, .axes = M3_ID, .where = p->map->where};
            property = lmb_mesh_add_property(mesh, &all);
        }
        if (property < 0) return lmb_fail_memory(err);
        mesh->elements[i].property = property;
    }
    return LMB_OK;
}

static lmb_status give_thickness(const lmb_mesh *mesh, const lmb_part *p, lmb_error *err) {
    for (int i = 0; i < mesh->element_count; i++) {
        lmb_property *q = property_of(mesh, i);
        if (mesh->elements[i].ops->stress_kind != LMB_STRESS_SHELL || q->thickness > 0) continue;
        q->thickness = p->keys.thickness;
        if (!(q->thickness > 0))
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "file"),
                            "%s has shells (element %d) without thickness; add `thickness: 2 mm`", mesh->file,
                            mesh->elements[i].label);
    }
    return LMB_OK;
}

// the material of the part, for elements without one
static lmb_status add_own(materials_of *w, int element, lmb_error *err) {
    lmb_mesh *mesh = w->m->mesh;
    if (!w->p->has_material)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(w->p->map, "file"),
                        "%s defines no material for element %d; add `material: steel`, or {E: 210e9, nu: "
                        "0.3, density: 7850}",
                        mesh->file, mesh->elements[element].label);
    lmb_status st = lmb_part_whole_material(w->p, err);
    if (st != LMB_OK) return st;
    w->own = lmb_mesh_add_material(mesh, &w->p->material);
    return w->own < 0 ? lmb_fail_memory(err) : LMB_OK;
}

static lmb_material_axes own_axes(const lmb_part *p) {
    return (lmb_material_axes){.kind = LMB_AXES_RECTANGULAR, .place.R = p->material_axes, .turn = M3_ID};
}

static lmb_status give_material(materials_of *w, lmb_error *err) {
    lmb_mesh *mesh = w->m->mesh;
    for (int i = 0; i < mesh->element_count; i++) {
        lmb_property *q = property_of(mesh, i);
        if (!has_stiffness(mesh, i)) continue;
        if (q->material >= 0 && q->material != w->own) w->used[q->material] = 1;
        for (int k = 0; k < q->ply_count; k++) w->used[q->plies[k].material] = 1;
        if (q->material >= 0) continue;
        lmb_status st = w->own < 0 ? add_own(w, i, err) : LMB_OK;
        if (st != LMB_OK) return st;
        q->material = w->own;
        if (w->p->material.elasticity != LMB_ISOTROPIC) q->along = own_axes(w->p);
    }
    return LMB_OK;
}

// takes what is given and missing, or to be replaced; whether anything was
static bool take(double *value, double given, bool replace) {
    if (isnan(given) || !(replace || isnan(*value))) return false;
    return *value = given, true;
}

// replaces an anisotropic material by an isotropic one, which needs both E and nu
static lmb_status make_isotropic(lmb_material *a, const lmb_material *given, lmb_error *err) {
    if (a->elasticity == LMB_ISOTROPIC || (isnan(given->E) && isnan(given->nu))) return LMB_OK;
    if (isnan(given->E) || isnan(given->nu))
        return lmb_fail(err, LMB_ERR_INPUT, given->where,
                        "material '%s' of the file is not isotropic; to override it give both E and nu",
                        a->name);
    a->elasticity = LMB_ISOTROPIC;
    return LMB_OK;
}

static bool add_summary(materials_of *w, const lmb_material *a) {
    const char *how = w->p->override_material ? "replaced by `material`" : "density of `material`";
    if (a->elasticity != LMB_ISOTROPIC)
        return lmb_text_add(&w->m->summary, "material '%s': density %g kg/m3 (%s)\n", a->name, a->rho, how);
    return lmb_text_add(&w->m->summary, "material '%s': E = %g Pa, nu = %g, density %g kg/m3 (%s)\n", a->name,
                        a->E, a->nu, a->rho, how);
}

// E and nu, or C, of a deck are always there: what it may lack is the density
static lmb_status complete(materials_of *w, lmb_material *a, lmb_error *err) {
    const lmb_material *given = &w->p->material;
    bool replace = w->p->override_material, any = false;
    lmb_status st = w->p->has_material && replace ? make_isotropic(a, given, err) : LMB_OK;
    if (st != LMB_OK) return st;
    if (w->p->has_material) {
        any |= replace && take(&a->E, given->E, replace);
        any |= replace && take(&a->nu, given->nu, replace);
        any |= take(&a->rho, given->rho, replace);
    }
    if (isnan(a->rho))
        return lmb_fail(err, LMB_ERR_INPUT, a->where,
                        "material '%s' has no density; add it, or give the part `material: {density: 7850}`",
                        a->name);
    w->filled += any;
    return any && !add_summary(w, a) ? lmb_fail_memory(err) : LMB_OK;
}

// a material that nothing uses would be an error nobody sees
static lmb_status check_used(const materials_of *w, lmb_error *err) {
    if (!w->p->has_material || w->own >= 0 || w->filled > 0) return LMB_OK;
    const lmb_mesh *mesh = w->m->mesh;
    const char *name = NULL;
    for (int i = 0; i < mesh->material_count && name == NULL; i++)
        if (w->used[i]) name = mesh->materials[i].name;
    if (name == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(w->p->map, "material"),
                        "'material' would have no effect: no element of %s needs one; remove it", mesh->file);
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(w->p->map, "material"),
                    "'material' would have no effect: %s has a material for every element ('%s'); remove it, "
                    "or replace that of the file with {name: steel, override: true}",
                    mesh->file, name);
}

lmb_status lmb_part_give_properties(lmb_part_model *m, lmb_error *err) {
    lmb_mesh *mesh = m->mesh;
    int count = mesh->material_count;
    materials_of w = {.m = m, .p = m->part, .own = -1};
    w.used = lmb_arena_get(m->arena, (size_t)count + 1, 1);
    if (w.used == NULL) return lmb_fail_memory(err);
    lmb_status st = add_properties(mesh, m->part, err);
    if (st == LMB_OK) st = give_material(&w, err);
    for (int i = 0; i < count && st == LMB_OK; i++)
        if (w.used[i]) st = complete(&w, &mesh->materials[i], err);
    if (st == LMB_OK) st = check_used(&w, err);
    return st ? st : give_thickness(mesh, m->part, err);
}
