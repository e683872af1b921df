// mesh/bdf_material.c: materials.
#include "fe/material.h"
#include "mesh/bdf.h"

#include <math.h>
#include <string.h>

static int shown(lmb_piece p) { return p.length > 30 ? 30 : p.length; }

// ---- all ---------------------------------------------------------------------------------------

// name and density (field `density`) of the card in hand
static lmb_status start(lmb_bdf *r, lmb_material *m, int density) {
    int id = lmb_bdf_integer(r, 1, "MID", -1);
    *m = (lmb_material){.rho = lmb_bdf_real(r, density, "RHO", NAN), .where = lmb_bdf_where(r)};
    if (r->scan.status != LMB_OK) return r->scan.status;
    m->name = lmb_arena_printf(r->mesh->arena, "%s_%d", r->card->keyword->name, id);
    if (m->name == NULL) return lmb_scan_memory(&r->scan);
    if (lmb_label_map_find(&r->material_of, id) >= 0) return lmb_bdf_fail(r, "duplicate material %d", id);
    if (!isnan(m->rho) && !(m->rho >= 0))
        return lmb_bdf_fail(r, "material '%s': density is %g; it must not be negative", m->name, m->rho);
    m->rho *= r->mass_scale;
    return LMB_OK;
}

static lmb_status finish(lmb_bdf *r, const lmb_material *m) {
    if (r->scan.status != LMB_OK) return r->scan.status;
    int material = lmb_mesh_add_material(r->mesh, m);
    bool ok = material >= 0 && lmb_label_map_add(&r->material_of, lmb_bdf_integer(r, 1, "MID", -1), material);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status finish_elasticity(lmb_bdf *r, lmb_material *m, bool sound) {
    m->E = m->nu = NAN;
    if (r->scan.status == LMB_OK && !sound)
        return lmb_bdf_fail(r, "material '%s': its elasticity is not positive definite; check its constants",
                            m->name);
    return finish(r, m);
}

// ---- isotropic ---------------------------------------------------------------------------------

// two of E, G, nu give the third
static lmb_status elasticity(lmb_bdf *r, lmb_material *m) {
    double E = lmb_bdf_real(r, 2, "E", NAN), G = lmb_bdf_real(r, 3, "G", NAN),
           nu = lmb_bdf_real(r, 4, "NU", NAN);
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (isnan(E) + isnan(G) + isnan(nu) > 1)
        return lmb_bdf_fail(r, "material '%s' needs two of E, G and NU", m->name);
    if (isnan(E)) E = 2 * G * (1 + nu);
    if (isnan(nu)) nu = E / (2 * G) - 1;
    if (!(E > 0) || !(nu > -1 && nu < 0.5))
        return lmb_bdf_fail(r, "material '%s': E = %g must be positive and nu = %g between -1 and 0.5",
                            m->name, E, nu);
    if (!isnan(G) && !(fabs(1 - E / (2 * (1 + nu) * G)) <= 0.01))
        return lmb_bdf_fail(
            r,
            "material '%s': G = %g is not E / (2 (1 + NU)) = %g; only isotropic materials are "
            "supported, leave one of the three blank",
            m->name, G, E / (2 * (1 + nu)));
    m->E = E, m->nu = nu;
    return LMB_OK;
}

// MAT1 MID E G NU RHO A TREF GE
lmb_status lmb_bdf_read_mat1(lmb_bdf *r) {
    lmb_material m;
    if (start(r, &m, 5) != LMB_OK || elasticity(r, &m) != LMB_OK) return r->scan.status;
    return finish(r, &m);
}

// ---- anisotropic -------------------------------------------------------------------------------

// MAT9 MID G11 G12 .. G16 G22 .. G66 RHO: xx, yy, zz, xy, yz, zx as here
lmb_status lmb_bdf_read_mat9(lmb_bdf *r) {
    lmb_material m;
    if (start(r, &m, 23) != LMB_OK) return r->scan.status;
    m.elasticity = LMB_ANISOTROPIC;
    for (int i = 0, field = 2; i < 6; i++)
        for (int j = i; j < 6; j++) m.C[i][j] = m.C[j][i] = lmb_bdf_real(r, field++, "G", 0);
    return finish_elasticity(r, &m, lmb_elasticity_is_sound(&m));
}

// MAT11 MID E1 E2 E3 NU12 NU13 NU23 G12 G13 G23 RHO
lmb_status lmb_bdf_read_mat11(lmb_bdf *r) {
    lmb_constants c;
    lmb_material m;
    if (start(r, &m, 11) != LMB_OK) return r->scan.status;
    for (int k = 0; k < 3; k++) {
        c.E[k] = lmb_bdf_real(r, 2 + k, "E", NAN);
        c.nu[k] = lmb_bdf_real(r, 5 + k, "NU", NAN);
        c.G[k] = lmb_bdf_real(r, 8 + k, "G", NAN);
    }
    return finish_elasticity(r, &m, lmb_elasticity_from_constants(&m, &c));
}

// ---- of shells ---------------------------------------------------------------------------------

// a shear modulus across the layer that is blank or 0 means rigid
static double across(double G, double in_plane) {
    enum { RIGID = 1000 };
    return G > 0 ? G : RIGID * in_plane;
}

// MAT8 MID E1 E2 NU12 G12 G1Z G2Z RHO
lmb_status lmb_bdf_read_mat8(lmb_bdf *r) {
    lmb_material m;
    if (start(r, &m, 8) != LMB_OK) return r->scan.status;
    double v[6] = {lmb_bdf_real(r, 2, "E1", NAN), lmb_bdf_real(r, 3, "E2", NAN),
                   lmb_bdf_real(r, 4, "NU12", NAN), lmb_bdf_real(r, 5, "G12", NAN)};
    v[4] = across(lmb_bdf_real(r, 6, "G1Z", 0), v[3]), v[5] = across(lmb_bdf_real(r, 7, "G2Z", 0), v[3]);
    return finish_elasticity(r, &m, lmb_elasticity_from_lamina(&m, v));
}

// MAT2 MID G11 G12 G13 G22 G23 G33 RHO
lmb_status lmb_bdf_read_mat2(lmb_bdf *r) {
    static const int in[3] = {0, 1, 3};
    lmb_material m;
    if (start(r, &m, 8) != LMB_OK) return r->scan.status;
    m.elasticity = LMB_LAMINA;
    for (int i = 0, field = 2; i < 3; i++)
        for (int j = i; j < 3; j++) m.C[in[i]][in[j]] = m.C[in[j]][in[i]] = lmb_bdf_real(r, field++, "G", 0);
    m.C[4][4] = m.C[5][5] = across(0, m.C[3][3]);
    return finish_elasticity(r, &m, lmb_elasticity_is_sound(&m));
}

int lmb_bdf_find_material(lmb_bdf *r, int i, const char *name) {
    int id = lmb_bdf_integer(r, i, name, -1);
    if (r->scan.status != LMB_OK) return -1;
    int material = lmb_label_map_find(&r->material_of, id);
    if (material < 0)
        lmb_bdf_fail(r, "%s %.*s: unknown material %d", r->card->keyword->name, shown(lmb_bdf_field(r, 1)),
                     lmb_bdf_field(r, 1).at, id);
    return material;
}
