// mesh/bdf_shell.c: shells and their properties.
#include "mesh/bdf.h"

#include <math.h>
#include <string.h>

static int shown(lmb_piece p) { return p.length > 30 ? 30 : p.length; }

// ---- PSHELL ------------------------------------------------------------------------------------

// a MAT2 says nothing about transverse shear: that of MID3, if it is isotropic, in a material of its own
static lmb_status take_shear(lmb_bdf *r, lmb_bdf_property *p, int shear) {
    const lmb_material *other = &r->mesh->materials[shear];
    lmb_material m = r->mesh->materials[p->p.material];
    if (m.elasticity != LMB_LAMINA || other->elasticity != LMB_ISOTROPIC)
        return lmb_bdf_fail(r, "PSHELL %d: MID3 must be MID1, or a MAT1 with MAT2 or MAT8 as MID1", p->id);
    m.C[4][4] = m.C[5][5] = lmb_shear_modulus(other);
    m.C[4][5] = m.C[5][4] = 0;
    m.name = lmb_arena_printf(r->mesh->arena, "%s_PSHELL_%d", m.name, p->id);
    p->p.material = m.name ? lmb_mesh_add_material(r->mesh, &m) : -1;
    return p->p.material >= 0 ? LMB_OK : lmb_scan_memory(&r->scan);
}

static lmb_status set_area_mass(lmb_bdf *r, lmb_bdf_property *p, double mass) {
    if (!(mass >= 0))
        return lmb_bdf_fail(r, "%s %d: NSM is %g; it must not be negative", r->card->keyword->name, p->id,
                            mass);
    p->p.area_mass = r->mass_scale * mass;
    return r->scan.status;
}

// PSHELL PID MID1 T MID2 12I/T3 MID3 TS/T NSM / Z1 Z2 MID4
lmb_status lmb_bdf_read_pshell(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    if (p == NULL) return r->scan.status;
    int bending = lmb_bdf_integer(r, 4, "MID2", 0), shear = lmb_bdf_integer(r, 6, "MID3", 0),
        first = lmb_bdf_integer(r, 2, "MID1", -1);
    p->p.material = lmb_bdf_find_material(r, 2, "MID1");
    p->p.thickness = lmb_bdf_real(r, 3, "T", 0);
    p->p.along.kind = LMB_AXES_EDGE;
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (!(p->p.thickness > 0))
        return lmb_bdf_fail(r, "PSHELL %d: the thickness is %g; it must be positive", p->id, p->p.thickness);
    if (bending == 0)
        return lmb_bdf_fail(r, "PSHELL %d has no MID2: membranes are not supported; set MID2 = %d", p->id,
                            first);
    if (bending != first || !lmb_bdf_blank(r, 11))
        return lmb_bdf_fail(r, "PSHELL %d: one material is supported; MID2 must be MID1, MID4 blank", p->id);
    lmb_bdf_only(r, 5, "12I/T3", 1);
    lmb_bdf_only(r, 7, "TS/T", 0.833333);
    double mass = lmb_bdf_real(r, 8, "NSM", 0);
    if (r->scan.status == LMB_OK && shear != 0 && shear != first) {
        int other = lmb_bdf_find_material(r, 6, "MID3");
        if (other < 0 || take_shear(r, p, other) != LMB_OK) return r->scan.status;
    }
    return r->scan.status ? r->scan.status : set_area_mass(r, p, mass);
}

// ---- layers ------------------------------------------------------------------------------------

// MID T THETA from field i on; blank ones as of the layer before
static lmb_status read_ply(lmb_bdf *r, lmb_bdf_property *p, lmb_ply *ply, int i, const lmb_ply *before) {
    *ply = before ? *before : (lmb_ply){.material = -1};
    if (before == NULL || !lmb_bdf_blank(r, i)) ply->material = lmb_bdf_find_material(r, i, "MID");
    ply->thickness = lmb_bdf_real(r, i + 1, "T", ply->thickness);
    ply->angle = lmb_bdf_real(r, i + 2, "THETA", 0) * LMB_PI / 180;
    if (r->scan.status == LMB_OK && !(ply->thickness > 0))
        return lmb_bdf_fail(r, "%s %d: the thickness of a layer is %g; it must be positive",
                            r->card->keyword->name, p->id, ply->thickness);
    return r->scan.status;
}

// groups of `step` fields, MID being number `at` of them
static lmb_status read_plies(lmb_bdf *r, lmb_bdf_property *p, int step, int at) {
    lmb_ply plies[LMB_SHELL_PLIES];
    lmb_piece lam = lmb_bdf_field(r, 8);
    bool twice = lmb_piece_is(lam, "SYM");
    int n = 0;
    if (lam.length > 0 && !twice)
        return lmb_bdf_fail(r, "%s %d: LAM %.*s is not supported; leave it blank, or SYM",
                            r->card->keyword->name, p->id, shown(lam), lam.at);
    for (int i = 9; i < r->field_count && r->scan.status == LMB_OK; i += step) {
        if (lmb_bdf_blank(r, i + at) && lmb_bdf_blank(r, i + at + 1) && lmb_bdf_blank(r, i + at + 2))
            continue;
        if (n >= LMB_SHELL_PLIES / 2)
            return lmb_bdf_fail(r, "more than %d layers are not supported", LMB_SHELL_PLIES / 2);
        read_ply(r, p, &plies[n], i + at, n > 0 ? &plies[n - 1] : NULL), n++;
    }
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (n == 0) return lmb_bdf_fail(r, "%s %d has no layers", r->card->keyword->name, p->id);
    for (int i = n - 1; i >= 0 && twice; i--) plies[n++] = plies[i];
    p->p.plies = lmb_arena_get(r->mesh->arena, (size_t)n, sizeof *plies);
    if (p->p.plies == NULL) return lmb_scan_memory(&r->scan);
    memcpy(p->p.plies, plies, (size_t)n * sizeof *plies);
    p->p.ply_count = n;
    return LMB_OK;
}

// PCOMP PID Z0 NSM SB FT TREF GE LAM / MID1 T1 THETA1 SOUT1 MID2 ..;  PCOMPG the same / GPLYID1 MID1 T1 THETA1 SOUT1 - - - / ..
lmb_status lmb_bdf_read_pcomp(lmb_bdf *r) {
    lmb_bdf_property *p = lmb_bdf_start_property(r);
    bool global = r->card->keyword->name[5] == 'G';
    if (p == NULL) return r->scan.status;
    if (read_plies(r, p, global ? 8 : 4, global) != LMB_OK) return r->scan.status;
    p->p.along.kind = LMB_AXES_EDGE;
    p->p.material = p->p.plies[0].material;
    for (int i = 0; i < p->p.ply_count; i++) p->p.thickness += p->p.plies[i].thickness;
    double bottom = lmb_bdf_real(r, 2, "Z0", -p->p.thickness / 2);
    p->p.lift = bottom + p->p.thickness / 2;
    return set_area_mass(r, p, lmb_bdf_real(r, 3, "NSM", 0));
}

// ---- elements ----------------------------------------------------------------------------------

static bool is_turned(const lmb_bdf *r, const lmb_property *p) {
    return p->ply_count > 0 || r->mesh->materials[p->material].elasticity != LMB_ISOTROPIC;
}

// THETA (a real, degrees) or MCID (an integer)
static lmb_status material_axes(lmb_bdf *r, lmb_property *p, int i) {
    if (lmb_bdf_blank(r, i) || lmb_bdf_is_real(r, i)) {
        p->along.angle = lmb_bdf_real(r, i, "THETA", 0) * LMB_PI / 180;
        return r->scan.status;
    }
    int system = lmb_bdf_integer(r, i, "MCID", 0);
    if (r->scan.status != LMB_OK) return r->scan.status;
    if (system > 0) return lmb_bdf_material_axes(&p->along, r, system);
    p->along = (lmb_material_axes){.kind = LMB_AXES_RECTANGULAR, .place.R = M3_ID, .turn = M3_ID};
    return LMB_OK;
}

static bool same_axes(const lmb_material_axes *a, const lmb_material_axes *b) {
    return a->kind == b->kind && a->angle == b->angle && a->axis == b->axis &&
           memcmp(&a->place, &b->place, sizeof a->place) == 0;
}

// the property with these axes and this lift among the last ones, or a new one
static int variant(lmb_bdf *r, const lmb_property *p) {
    enum { BACK = 64 };
    const lmb_mesh *m = r->mesh;
    for (int i = m->property_count - 1; i >= 0 && i >= m->property_count - BACK; i--) {
        const lmb_property *q = &m->properties[i];
        bool same = q->where.line == p->where.line && strcmp(q->name, p->name) == 0 &&
                    q->material == p->material && q->plies == p->plies && q->thickness == p->thickness;
        if (same && q->lift == p->lift && q->area_mass == p->area_mass && same_axes(&q->along, &p->along))
            return i;
    }
    return lmb_mesh_add_property(r->mesh, p);
}

// A shell: grid points from field 3 on, fields of THETA (then ZOFFS) and of the thicknesses at its corners.
typedef struct shell {
    const char *name;
    const lmb_element_ops *ops;
    int theta, thickness, last;
    const char *like; // remarked
} shell;
static const shell shells[] = {
    {"CQUAD4", &lmb_element_quad4, 7, 9, 14, NULL},     {"CTRIA3", &lmb_element_tri3, 6, 9, 14, NULL},
    {"CQUADR", &lmb_element_quad4, 7, 9, 14, "CQUAD4"}, {"CTRIAR", &lmb_element_tri3, 6, 9, 14, "CTRIA3"},
    {"CQUAD8", &lmb_element_quad8, 15, 11, 14, NULL},   {"CTRIA6", &lmb_element_tri6, 9, 11, 13, NULL},
};

static lmb_status refuse_thicknesses(lmb_bdf *r, const shell *s) {
    for (int i = s->thickness; i <= s->last && r->scan.status == LMB_OK; i++)
        if (!lmb_bdf_blank(r, i))
            return lmb_bdf_fail(r, "%s: thicknesses at the corners are not supported; use PSHELL", s->name);
    return r->scan.status;
}

static lmb_status remark_drilling(lmb_bdf *r, const shell *s) {
    if (s->like == NULL || (r->remarks & LMB_BDF_SAID_DRILLING)) return LMB_OK;
    r->remarks |= LMB_BDF_SAID_DRILLING;
    return lmb_bdf_remark(r, "%s (drilling rotations) treated as %s", s->name, s->like);
}

// CQUAD4 EID PID G1 .. G4 THETA ZOFFS / - TFLAG T1 .. T4;  CTRIA3 EID PID G1 G2 G3 THETA ZOFFS - / - - TFLAG T1 T2 T3
// CQUAD8 EID PID G1 .. G8 T1 .. T4 THETA ZOFFS TFLAG;  CTRIA6 EID PID G1 .. G6 THETA ZOFFS T1 T2 T3 TFLAG
lmb_status lmb_bdf_read_shell(lmb_bdf *r) {
    const shell *s = shells;
    while (strcmp(s->name, r->card->keyword->name) != 0) s++;
    int nodes[8];
    lmb_bdf_property *found = lmb_bdf_find_property(r, 2, "PSHELL", "PCOMP", "PCOMPG", NULL);
    for (int i = 0; found && i < s->ops->nodes && r->scan.status == LMB_OK; i++)
        lmb_bdf_find_node(&nodes[i], r, 3 + i,
                          i < 3 ? "a grid point" : "a grid point (middle nodes are required)");
    if (found == NULL || r->scan.status != LMB_OK) return r->scan.status;
    lmb_property p = found->p;
    p.lift += lmb_bdf_real(r, s->theta + 1, "ZOFFS", 0);
    if (is_turned(r, &p)) material_axes(r, &p, s->theta);
    if (r->scan.status || refuse_thicknesses(r, s) || remark_drilling(r, s)) return r->scan.status;
    int property = variant(r, &p);
    if (property < 0) return lmb_scan_memory(&r->scan);
    return lmb_bdf_put_line(r, s->ops, nodes, property, found);
}
