// mesh/bdf_mass.c: masses by their matrix (CONM1) and by their components (CMASS1, CMASS2).
//
// A body with the centre c from its grid point has, for u and theta there,
//   M = |m I      -m c~ |,   c~ theta = c x theta,
//       |m c~  J - m c~c~|
// and no other matrix turns with the part.
#include "mesh/bdf.h"

#include <math.h>
#include <string.h>

static lmb_status put_mass(lmb_bdf *r, int node, const lmb_property *p, int label, int line) {
    int property = lmb_mesh_add_property(r->mesh, p);
    bool ok =
        property >= 0 && lmb_mesh_add_element(r->mesh, &lmb_element_mass, label, &node, property, line) >= 0;
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

static bool equal(double a, double b, double size) { return fabs(a - b) <= 1e-6 * size; }

// M is that of a body: its mass, centre and inertia about the centre
static bool take_body(lmb_property *p, double (*M)[6]) {
    double m = M[0][0], size = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            size = fmax(size, fabs(M[3 + i][k]));
            if (!equal(M[i][k], i == k ? m : 0, fabs(m))) return false;
        }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (!equal(M[3 + i][k], -M[3 + k][i], size)) return false;
    p->mass = m;
    p->com = m > 0 ? v3_scale(1 / m, v3(M[5][1], M[3][2], M[4][0])) : V3_ZERO;
    vec3 c = p->com;
    mat3 about = m3_scale(m, m3_sub(m3_scale(v3_dot(c, c), M3_ID), m3_outer(c, c)));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) p->inertia.m[i][k] = M[3 + i][3 + k] - about.m[i][k];
    return m >= 0;
}

// CONM1 EID G CID M11 M21 M22 M31 M32 / M33 M41 .. M66
lmb_status lmb_bdf_read_conm1(lmb_bdf *r) {
    double M[6][6];
    int node, id = lmb_bdf_integer(r, 3, "CID", 0), field = 4;
    mat3 A;
    lmb_property p = {.name = "CONM1", .material = -1, .where = lmb_bdf_where(r)};
    if (r->scan.status != LMB_OK || lmb_bdf_find_node(&node, r, 2, "G") != LMB_OK) return r->scan.status;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k <= i; k++) M[i][k] = M[k][i] = r->mass_scale * lmb_bdf_real(r, field++, "M", 0);
    if (r->scan.status != LMB_OK || lmb_bdf_axes(&A, r, id, r->mesh->x[node]) != LMB_OK)
        return r->scan.status;
    if (!take_body(&p, M))
        return lmb_bdf_fail(
            r, "CONM1: this is not the mass matrix of a rigid body, so it depends on the orientation of the "
               "part; use CONM2");
    p.com = m3_mul_v3(&A, p.com), p.inertia = m3_mul(A, m3_mul(p.inertia, m3_t(A)));
    int property = lmb_mesh_add_property(r->mesh, &p);
    return property >= 0 ? lmb_bdf_put_element(r, &lmb_element_mass, &node, property)
                         : lmb_scan_memory(&r->scan);
}

// ---- components --------------------------------------------------------------------------------

// PMASS PID1 M1 PID2 M2 ..
lmb_status lmb_bdf_read_pmass(lmb_bdf *r) {
    for (int i = 1; i < 8 && r->scan.status == LMB_OK; i += 2) {
        if (lmb_bdf_blank(r, i)) continue;
        lmb_bdf_scalar *all = lmb_bdf_grown(r, r->pmass, &r->pmass_capacity, r->pmass_count, sizeof *all);
        if (all == NULL) break;
        r->pmass = all;
        all[r->pmass_count++] =
            (lmb_bdf_scalar){lmb_bdf_integer(r, i, "PID", -1), 0, lmb_bdf_real(r, i + 1, "M", 0), r->card};
    }
    return r->scan.status;
}

static lmb_status add_scalar(lmb_bdf *r, int field, double mass) {
    int node, motions = lmb_bdf_components(r, field + 1, "C1"), motion = 0;
    if (!lmb_bdf_blank(r, field + 2) && !lmb_piece_is(lmb_bdf_field(r, field + 2), "0"))
        return lmb_bdf_fail(r, "%s: a mass between two grid points is not supported; use CONM2",
                            r->card->keyword->name);
    if (r->scan.status != LMB_OK || lmb_bdf_find_node(&node, r, field, "G1") != LMB_OK) return r->scan.status;
    while (motion < 6 && motions != 1 << motion) motion++;
    if (motion == 6)
        return lmb_bdf_fail(r, "%s: C1 must be one component from 1 to 6", r->card->keyword->name);
    lmb_bdf_scalar *all = lmb_bdf_grown(r, r->scalars, &r->scalar_capacity, r->scalar_count, sizeof *all);
    if (all == NULL) return r->scan.status;
    r->scalars = all;
    all[r->scalar_count++] = (lmb_bdf_scalar){node, motion, r->mass_scale * mass, r->card};
    return LMB_OK;
}

// CMASS1 EID PID G1 C1 G2 C2
lmb_status lmb_bdf_read_cmass1(lmb_bdf *r) {
    int id = lmb_bdf_integer(r, 2, "PID", -1);
    for (int i = 0; i < r->pmass_count; i++)
        if (r->pmass[i].id == id) return add_scalar(r, 3, r->pmass[i].mass);
    return r->scan.status ? r->scan.status : lmb_bdf_fail(r, "CMASS1: unknown PMASS %d", id);
}

// CMASS2 EID M G1 C1 G2 C2
lmb_status lmb_bdf_read_cmass2(lmb_bdf *r) {
    double mass = lmb_bdf_real(r, 2, "M", 0);
    return r->scan.status ? r->scan.status : add_scalar(r, 3, mass);
}

// the components of one grid point together are a body if the three translations are alike
static lmb_status combine(lmb_bdf *r, double (*M)[6], int node, const lmb_bdf_card *card) {
    const double *m = M[node];
    mat3 A;
    r->card = card;
    if (!equal(m[0], m[1], fabs(m[0])) || !equal(m[0], m[2], fabs(m[0])) || !(m[0] >= 0))
        return lmb_bdf_fail(
            r,
            "%s: grid point %d has the masses %g, %g, %g along its axes; a body has one for all: use CONM2",
            card->keyword->name, r->mesh->label[node], m[0], m[1], m[2]);
    if (lmb_bdf_node_axes(&A, r, node) != LMB_OK) return r->scan.status;
    lmb_property p = {.name = card->keyword->name, .material = -1, .mass = m[0], .where = lmb_bdf_where(r)};
    mat3 own = M3_ZERO;
    for (int k = 0; k < 3; k++) own.m[k][k] = m[3 + k];
    p.inertia = m3_mul(A, m3_mul(own, m3_t(A)));
    return put_mass(r, node, &p, 0, card->file == r->mesh->file ? card->line : 0);
}

lmb_status lmb_bdf_finish_masses(lmb_bdf *r) {
    double(*M)[6] = r->scalar_count ? lmb_alloc((size_t)r->mesh->node_count + 1, sizeof *M) : NULL;
    if (r->scalar_count && M == NULL) return lmb_scan_memory(&r->scan);
    for (int i = 0; i < r->scalar_count; i++) M[r->scalars[i].id][r->scalars[i].motion] += r->scalars[i].mass;
    for (int i = 0; i < r->scalar_count && r->scan.status == LMB_OK; i++) {
        int node = r->scalars[i].id;
        bool first = true;
        for (int k = 0; k < 6; k++) first = first && !isnan(M[node][k]);
        if (first) combine(r, M, node, r->scalars[i].card);
        M[node][0] = NAN; // done
    }
    r->card = NULL;
    lmb_free(M);
    return r->scan.status;
}
