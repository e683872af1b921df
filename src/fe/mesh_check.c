// fe/mesh_check.c: checks of a mesh: shape of the elements, materials, sections, connection.
#include "fe/material.h"

enum { NAMED = 5 }; // maximum number listed in a message

typedef struct checker {
    const lmb_mesh *m;
    lmb_text *report;
    lmb_error *err;
} checker;

static lmb_where element_where(const lmb_mesh *m, int element) {
    return (lmb_where){m->file, m->elements[element].line, 0};
}

static bool needs_material(const lmb_element_ops *ops) { return ops->stress_kind != LMB_STRESS_NONE; }

// ---- lists of elements -------------------------------------------------------------------------

// "17 (hex20), 18 (hex20) and 3 more": the first, or the worst
typedef struct element_list {
    int count, named[NAMED];
    double value[NAMED]; // ascending
} element_list;

// of those with the smallest values
static void note_worst(element_list *l, int element, double value) {
    int i = l->count < NAMED ? l->count : NAMED - 1;
    if (l->count++ >= NAMED && !(value < l->value[i])) return;
    for (; i > 0 && value < l->value[i - 1]; i--)
        l->named[i] = l->named[i - 1], l->value[i] = l->value[i - 1];
    l->named[i] = element, l->value[i] = value;
}

static void note(element_list *l, int element) { note_worst(l, element, element); }

static bool list_text(lmb_text *t, const lmb_mesh *m, const element_list *l) {
    bool ok = lmb_text_add(t, "%s", l->count == 1 ? "element " : "elements ");
    for (int i = 0; ok && i < l->count && i < NAMED; i++) {
        const lmb_mesh_element *e = &m->elements[l->named[i]];
        ok = lmb_text_add(t, "%s%d (%s)", i > 0 ? ", " : "", e->label, e->ops->name);
    }
    if (ok && l->count > NAMED) ok = lmb_text_add(t, " and %d more", l->count - NAMED);
    return ok;
}

static lmb_status refuse(const checker *c, const element_list *l, const char *what) {
    if (l->count == 0) return LMB_OK;
    lmb_text t = {0};
    lmb_status status =
        list_text(&t, c->m, l)
            ? lmb_fail(c->err, LMB_ERR_INPUT, element_where(c->m, l->named[0]), "%s: %s", t.text, what)
            : lmb_fail_memory(c->err);
    lmb_text_free(&t);
    return status;
}

static lmb_status remark(const checker *c, const element_list *l, const char *what) {
    if (l->count == 0 || c->report == NULL) return LMB_OK;
    bool ok = list_text(c->report, c->m, l) && lmb_text_add(c->report, ": %s\n", what);
    return ok ? LMB_OK : lmb_fail_memory(c->err);
}

// ---- the checks --------------------------------------------------------------------------------

static bool repeats_a_node(const lmb_mesh *m, int element) {
    const int *nodes = lmb_mesh_nodes(m, element), count = m->elements[element].ops->nodes;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (nodes[i] == nodes[k]) return true;
    return false;
}

// quality: smallest Jacobian by the largest.  Folded: what is integrated is sound, the place of a middle node is not
static lmb_status check_shapes(const checker *c) {
    element_list repeated = {0}, inverted = {0}, flat = {0}, folded = {0}, poor = {0}, senseless = {0};
    for (int i = 0; i < c->m->element_count; i++) {
        lmb_element e;
        lmb_mesh_element_get(&e, c->m, i);
        bool solid = e.ops->stress_kind == LMB_STRESS_SOLID, point = e.ops->stress_kind == LMB_STRESS_NONE;
        double q = e.ops->quality(&e), at_nodes = e.ops->node_quality ? e.ops->node_quality(&e) : q;
        if (repeats_a_node(c->m, i)) note(&repeated, i);
        else if (!(q > 1e-6)) note(point ? &senseless : q < -1e-6 && solid ? &inverted : &flat, i);
        else if (!(at_nodes > 0)) note_worst(&folded, i, at_nodes);
        else if (fmin(q, at_nodes) < 0.05) note_worst(&poor, i, fmin(q, at_nodes));
    }
    lmb_status status = refuse(c, &repeated, "repeated node; collapsed elements are not supported");
    if (status == LMB_OK)
        status =
            refuse(c, &inverted, "inverted (negative Jacobian); check the node order, or refine the mesh");
    if (status == LMB_OK)
        status = refuse(c, &flat, "degenerate (zero volume, area or length); check the node coordinates");
    if (status == LMB_OK)
        status = refuse(c, &senseless, "invalid stiffness, mass or inertia; check the values");
    if (status == LMB_OK)
        status = remark(c, &folded,
                        "negative Jacobian at a node, not at the integration points; stresses there are less "
                        "accurate (the worst are named); refine the mesh, or use `straighten: true`");
    if (status == LMB_OK)
        status = remark(c, &poor, "poor shape (the Jacobian varies by more than a factor of 20)");
    return status;
}

// section properties a beam divides by
static bool has_section(const lmb_property *p) {
    for (int k = 0; k < 2; k++) {
        const lmb_profile *s = &p->section[k];
        bool shear = p->theory == LMB_EULER_BERNOULLI || (s->ky > 0 && s->kz > 0);
        if (!(s->A > 0 && s->Iy > 0 && s->Iz > 0 && s->J > 0 && shear)) return false;
    }
    return true;
}

// beams are isotropic, solids more than a lamina, in shells stresses in the plane and across it are apart
static bool fits(const lmb_element_ops *ops, const lmb_material *m) {
    if (m == NULL || m->elasticity == LMB_ISOTROPIC) return true;
    if (ops->stress_kind == LMB_STRESS_SOLID) return m->elasticity == LMB_ANISOTROPIC;
    double top = 0, across = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            top = fmax(top, fabs(m->C[i][j]));
            if (i < 4 && j >= 4) across = fmax(across, fabs(m->C[i][j]));
        }
    return ops->stress_kind == LMB_STRESS_SHELL && across <= 1e-9 * top;
}

static const lmb_material *ply_material(const lmb_element *e, int i) {
    return &e->materials[e->property->plies[i].material];
}

static bool fits_material(const lmb_element *e) {
    bool ok = fits(e->ops, e->material);
    for (int i = 0; ok && i < e->property->ply_count; i++) ok = fits(e->ops, ply_material(e, i));
    return ok;
}

static bool has_density(const lmb_element *e) {
    bool ok = e->material == NULL || !isnan(e->material->rho);
    for (int i = 0; ok && i < e->property->ply_count; i++) ok = !isnan(ply_material(e, i)->rho);
    return ok;
}

// an axis of the material can be projected on the shell
static bool has_axes(const lmb_element *e) {
    if (e->ops->stress_kind != LMB_STRESS_SHELL) return true;
    vec3 n = v3_cross(v3_sub(e->x[1], e->x[0]), v3_sub(e->x[2], e->x[0]));
    if (!v3_has_direction(n)) return true; // its shape is refused
    mat3 R = m3_frame_z(n, v3_sub(e->x[1], e->x[0]));
    bool ok = !isnan(lmb_shell_angle(&e->property->along, &R, e->x[0]));
    for (int i = 0; ok && i < e->property->ply_count; i++) {
        const lmb_ply *ply = &e->property->plies[i];
        ok = !ply->own || !isnan(lmb_shell_angle(&ply->along, &R, e->x[0]));
    }
    return ok;
}

static lmb_status check_properties(const checker *c) {
    element_list none = {0}, no_material = {0}, no_density = {0}, thin = {0}, no_section = {0}, unfit = {0},
                 lost = {0};
    for (int i = 0; i < c->m->element_count; i++) {
        lmb_element e;
        lmb_mesh_element_get(&e, c->m, i);
        if (e.property == NULL) note(&none, i);
        else if (e.material == NULL && needs_material(e.ops)) note(&no_material, i);
        else if (!has_density(&e)) note(&no_density, i);
        else if (!fits_material(&e)) note(&unfit, i);
        else if (!has_axes(&e)) note(&lost, i);
        else if (e.ops->stress_kind == LMB_STRESS_SHELL && !(e.property->thickness > 0)) note(&thin, i);
        else if (e.ops->stress_kind == LMB_STRESS_BEAM && !has_section(e.property)) note(&no_section, i);
    }
    lmb_status status = refuse(c, &none, "no section (material, thickness); give the part a material");
    if (status == LMB_OK) status = refuse(c, &no_material, "no material; give the part a material");
    if (status == LMB_OK) status = refuse(c, &no_density, "no density; add it to their material");
    if (status == LMB_OK)
        status =
            refuse(c, &unfit,
                   "its material is for other elements: beams need an isotropic one, solids the elasticity "
                   "of all six stresses (LAMINA, MAT2 and MAT8 are for shells), shells one without coupling "
                   "between stresses in the plane and across it");
    if (status == LMB_OK)
        status = refuse(c, &lost, "the axis of the material that is projected on the shell is normal to it");
    if (status == LMB_OK) status = refuse(c, &thin, "no thickness; give the shell a positive thickness");
    if (status == LMB_OK)
        status =
            refuse(c, &no_section, "no beam section (A, Iy, Iz, J and the shear factors must be positive)");
    return status;
}

static lmb_status check_elasticity(const checker *c, const lmb_material *a) {
    if (a->elasticity != LMB_ISOTROPIC) {
        if (lmb_elasticity_is_sound(a)) return LMB_OK;
        return lmb_fail(c->err, LMB_ERR_INPUT, a->where,
                        "material '%s': its elasticity is not positive definite; check its constants",
                        a->name);
    }
    if (!(a->E > 0) || !isfinite(a->E))
        return lmb_fail(c->err, LMB_ERR_INPUT, a->where, "material '%s': E is %g Pa; it must be positive",
                        a->name, a->E);
    if (!(a->nu > -1 && a->nu < 0.5))
        return lmb_fail(c->err, LMB_ERR_INPUT, a->where,
                        "material '%s': Poisson's ratio is %g; it must lie between -1 and 0.5", a->name,
                        a->nu);
    return LMB_OK;
}

// 1 kPa is softer than foam, 10 TPa stiffer than diamond; 1e5 kg/m3 heavier than osmium
static lmb_status remark_units(const checker *c, const lmb_material *a) {
    bool isotropic = a->elasticity == LMB_ISOTROPIC;
    double E = isotropic ? a->E : fmax(a->C[0][0], a->C[1][1]);
    bool odd = E < 1e3 || E > 1e13 || a->rho > 1e5 || a->rho < 1e-1, ok = true;
    if (odd && c->report != NULL)
        ok = lmb_text_add(c->report,
                          "material '%s': %s %g Pa, density %g kg/m3; check the units of the file\n", a->name,
                          isotropic ? "E =" : "stiffness", E, a->rho);
    return ok ? LMB_OK : lmb_fail_memory(c->err);
}

static lmb_status check_materials(const checker *c) {
    lmb_status st = LMB_OK;
    if (c->m->row_count > 0)
        return lmb_fail(c->err, LMB_ERR_INPUT, c->m->materials[c->m->rows[0].material].where,
                        "material '%s' depends on temperature; choose one",
                        c->m->materials[c->m->rows[0].material].name);
    for (int i = 0; i < c->m->material_count && st == LMB_OK; i++) {
        const lmb_material *a = &c->m->materials[i];
        st = check_elasticity(c, a);
        if (st != LMB_OK || isnan(a->rho)) continue; // no element has it
        if (!(a->rho >= 0) || !isfinite(a->rho))
            return lmb_fail(c->err, LMB_ERR_INPUT, a->where,
                            "material '%s': density is %g kg/m3; it must not be negative", a->name, a->rho);
        st = remark_units(c, a);
    }
    return st;
}

// ---- trusses -----------------------------------------------------------------------------------

// sum of d d' of the trusses at every node; of nodes of other elements and of couplings the identity
static lmb_status collect_lines(const checker *c, mat3 *held) {
    const lmb_mesh *m = c->m;
    for (int i = 0; i < m->element_count; i++) {
        const int *nodes = lmb_mesh_nodes(m, i);
        bool truss = m->elements[i].ops == &lmb_element_truss, stiff = m->elements[i].ops->stiffness != NULL;
        vec3 d = truss ? v3_unit(v3_sub(m->x[nodes[1]], m->x[nodes[0]])) : V3_ZERO;
        for (int k = 0; k < m->elements[i].ops->nodes && stiff; k++)
            held[nodes[k]] = m3_add(held[nodes[k]], truss ? m3_outer(d, d) : M3_ID);
    }
    for (int i = 0; i < m->coupling_count; i++) {
        int *nodes = NULL, count = 0;
        held[m->couplings[i].node] = M3_ID;
        if (m->couplings[i].set < 0) continue;
        lmb_status st = lmb_mesh_set_nodes(&nodes, &count, m, m->couplings[i].set, c->err);
        if (st != LMB_OK) return st;
        for (int k = 0; k < count; k++) held[nodes[k]] = M3_ID;
        lmb_free(nodes);
    }
    return LMB_OK;
}

// nodes that trusses alone do not hold in all directions
static lmb_status check_trusses(const checker *c) {
    int count = 0, first = -1, trusses = 0;
    for (int i = 0; i < c->m->element_count; i++) trusses += c->m->elements[i].ops == &lmb_element_truss;
    if (trusses == 0 || c->report == NULL) return LMB_OK;
    mat3 *held = lmb_alloc((size_t)c->m->node_count + 1, sizeof *held);
    if (held == NULL) return lmb_fail_memory(c->err);
    lmb_status st = collect_lines(c, held);
    for (int i = 0; i < c->m->node_count && st == LMB_OK; i++) {
        vec3 a = m3_row(&held[i], 0), b = m3_row(&held[i], 1), d = m3_row(&held[i], 2);
        double trace = a.x + b.y + d.z;
        if (trace > 0 && !(v3_dot(a, v3_cross(b, d)) > 1e-6 * trace * trace * trace) && count++ == 0)
            first = i;
    }
    lmb_free(held);
    if (st == LMB_OK && count > 0 &&
        !lmb_text_add(c->report,
                      "%d node%s held by trusses in some directions alone (first: %d): a mechanism unless "
                      "supported there\n",
                      count, count == 1 ? " is" : "s are", c->m->label[first]))
        st = lmb_fail_memory(c->err);
    return st;
}

// ---- connection --------------------------------------------------------------------------------

static int root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int a, int b) {
    a = root(parent, a), b = root(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

static lmb_status join_all(const checker *c, int *parent, unsigned char *used) {
    const lmb_mesh *m = c->m;
    for (int i = 0; i < m->node_count; i++) parent[i] = i;
    for (int i = 0; i < m->element_count; i++) {
        const int *nodes = lmb_mesh_nodes(m, i);
        for (int k = 0; k < m->elements[i].ops->nodes; k++)
            join(parent, nodes[0], nodes[k]), used[nodes[k]] = 1;
    }
    for (int i = 0; i < m->coupling_count; i++) {
        int *nodes, count;
        if (m->couplings[i].set < 0) continue;
        lmb_status status = lmb_mesh_set_nodes(&nodes, &count, m, m->couplings[i].set, c->err);
        if (status != LMB_OK) return status;
        for (int k = 0; k < count; k++) join(parent, m->couplings[i].node, nodes[k]), used[nodes[k]] = 1;
        used[m->couplings[i].node] = 1;
        lmb_free(nodes);
    }
    for (int i = 0; i < m->equation_count; i++) {
        const lmb_equation_term *t = m->terms + m->equations[i].first;
        if (m->equations[i].support) continue;
        for (int k = 0; k < m->equations[i].count; k++) join(parent, t->node, t[k].node), used[t[k].node] = 1;
    }
    return LMB_OK;
}

static lmb_status fail_parts(const checker *c, int *parent, const unsigned char *used, int parts) {
    lmb_text t = {0};
    bool ok = true;
    for (int i = 0, named = 0; ok && i < c->m->node_count && named < NAMED; i++)
        if (used[i] && root(parent, i) == i)
            ok = lmb_text_add(&t, "%s%d", named++ > 0 ? ", " : "", c->m->label[i]);
    if (ok && parts > NAMED) ok = lmb_text_add(&t, " ...");
    lmb_status status = !ok ? lmb_fail_memory(c->err)
                            : lmb_fail(c->err, LMB_ERR_INPUT, (lmb_where){c->m->file, 0, 0},
                                       "the mesh has %d disconnected parts (one node of each: "
                                       "%s); merge duplicate nodes, "
                                       "couple the parts (*TIE, RBE2), or make each a separate body",
                                       parts, t.text);
    lmb_text_free(&t);
    return status;
}

// ---- equations ---------------------------------------------------------------------------------

// sum c_i u_i of the rigid motion k of six about c
static double of_rigid_motion(const lmb_mesh *m, const lmb_equation *e, int k, vec3 c) {
    double sum = 0;
    for (int i = e->first; i < e->first + e->count; i++) {
        const lmb_equation_term *t = &m->terms[i];
        vec3 u = k < 3 ? v3_axis(k) : v3_cross(v3_axis(k - 3), v3_sub(m->x[t->node], c));
        sum += t->factor * (t->motion < 3 ? v3_get(u, t->motion) : k == t->motion);
    }
    return sum;
}

static lmb_status check_equation(const checker *c, const lmb_equation *e, double size) {
    const lmb_mesh *m = c->m;
    double translations = 0, rotations = 0;
    for (int i = e->first; i < e->first + e->count; i++) {
        const lmb_equation_term *t = &m->terms[i];
        *(t->motion < 3 ? &translations : &rotations) += fabs(t->factor);
    }
    for (int k = 0; k < 6; k++) {
        // what a coordinate that is rounded to six digits may leave
        double allowed = 2e-6 * (translations * size + rotations) / (k < 3 && size > 0 ? size : 1);
        if (fabs(of_rigid_motion(m, e, k, m->x[m->terms[e->first].node])) <= allowed) continue;
        const char *first = m->support_count ? m->supports[0].name : NULL;
        return lmb_fail(
            c->err, LMB_ERR_INPUT, e->where,
            "this constraint resists a rigid-body motion (%s %c) and would hold the part to the ground, but "
            "parts are free; delete it, or couple the nodes so that they can turn together%s%s%s",
            k < 3 ? "along" : "about", "xyz"[k % 3], first ? "; `limber modes --clamp " : "",
            first ? first : "", first ? "` computes the held part" : "");
    }
    return LMB_OK;
}

static lmb_status check_equations(const checker *c) {
    double size = 0;
    lmb_status st = LMB_OK;
    for (int i = 0; i < c->m->node_count; i++) size = fmax(size, v3_norm(v3_sub(c->m->x[i], c->m->x[0])));
    for (int i = 0; i < c->m->equation_count && st == LMB_OK && !lmb_mesh_is_held(c->m); i++)
        if (c->m->equations[i].count > 0 && c->m->equations[i].support == 0)
            st = check_equation(c, &c->m->equations[i], size);
    return st;
}

static lmb_status check_connection(const checker *c) {
    const lmb_mesh *m = c->m;
    int *parent = lmb_alloc((size_t)m->node_count + 1, sizeof *parent), parts = 0, loose = 0, first = -1;
    unsigned char *used = lmb_alloc((size_t)m->node_count + 1, sizeof *used);
    lmb_status status = parent && used ? join_all(c, parent, used) : lmb_fail_memory(c->err);
    for (int i = 0; status == LMB_OK && i < m->node_count; i++) {
        parts += used[i] && root(parent, i) == i;
        if (!used[i] && loose++ == 0) first = i;
    }
    if (status == LMB_OK && parts > 1 && !lmb_mesh_is_held(m)) status = fail_parts(c, parent, used, parts);
    if (status == LMB_OK && loose > 0 && c->report != NULL &&
        !lmb_text_add(c->report, "%d node%s not used by any element (first: %d)\n", loose,
                      loose == 1 ? "" : "s", m->label[first]))
        status = lmb_fail_memory(c->err);
    lmb_free(parent);
    lmb_free(used);
    return status;
}

lmb_status lmb_mesh_check(lmb_text *report, const lmb_mesh *m, lmb_error *err) {
    checker c = {m, report, err};
    if (m->element_count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){m->file, 0, 0}, "the mesh has no elements");
    lmb_status status = check_properties(&c);
    if (status == LMB_OK) status = check_shapes(&c);
    if (status == LMB_OK) status = check_materials(&c);
    if (status == LMB_OK) status = check_trusses(&c);
    if (status == LMB_OK) status = check_equations(&c);
    if (status == LMB_OK) status = check_connection(&c);
    return status;
}
