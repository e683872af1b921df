// mesh/inp_write.c: load cases of a part of solids as a deck for CalculiX and Abaqus.
//
// Both programs read the same text.  Rigid sets become kinematic couplings.  Forces are in balance, so that supports only choose the
// rigid motion and carry nothing: three directions of a node A, two of B, one of C.  B is far from A, C far from the line between them.
// With d from A to B and c from A to C, B is free along the axis where d is largest, so that rotations are t d; C is held along that
// where d x c is, which leaves t = 0.
#include "mesh/inp.h"

typedef struct deck {
    lmb_text *out;
    const lmb_fe *fe;
    const lmb_load_deck *d;
    bool
        labels; // nodes and elements keep the numbers of the mesh file; else, since instances repeat them, they are counted
    int A, B, C; // nodes that are held
} deck;

static int node_number(const deck *k, int node) { return k->labels ? k->fe->mesh->label[node] : node + 1; }

static bool labels_differ(const lmb_mesh *m) {
    for (int i = 0; i < m->node_count; i++)
        if (lmb_mesh_find_node(m, m->label[i]) != i) return false;
    for (int i = 0; i < m->element_count; i++)
        if (lmb_mesh_find_element(m, m->elements[i].label) != i) return false;
    return true;
}

static bool is_solid(const lmb_element_ops *ops) { return ops->stress_kind == LMB_STRESS_SOLID; }

// inertia of point masses is among the forces
static lmb_status check_elements(const lmb_mesh *m, lmb_error *err) {
    for (int i = 0; i < m->element_count; i++) {
        const lmb_element_ops *ops = m->elements[i].ops;
        if (!is_solid(ops) && ops != &lmb_element_mass)
            return lmb_fail(
                err, LMB_ERR_INPUT, LMB_NOWHERE,
                "element %d is of type %s; load cases can only be written for meshes of solids: other "
                "programs compute shells and beams with elements of their own, whose stresses differ",
                m->elements[i].label, ops->name);
    }
    if (m->equation_count == 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, m->equations[0].where,
                    "load cases can only be written for meshes without constraints of single motions");
}

// ---- mesh ----------------------------------------------------------------------------------------

static bool write_nodes(const deck *k) {
    const lmb_mesh *m = k->fe->mesh;
    bool ok = lmb_text_add(k->out, "*NODE, NSET=NALL\n");
    for (int i = 0; i < m->node_count && ok; i++) {
        vec3 x = v3_scale(1 / k->d->unit, m->x[i]);
        ok = lmb_text_add(k->out, "%d, %.13g, %.13g, %.13g\n", node_number(k, i), x.x, x.y, x.z);
    }
    return ok;
}

// at most 16 numbers a line
static bool write_element(const deck *k, int e) {
    const lmb_mesh *m = k->fe->mesh;
    const int *nodes = lmb_mesh_nodes(m, e);
    bool ok = lmb_text_add(k->out, "%d", k->labels ? m->elements[e].label : e + 1);
    for (int i = 0; i < m->elements[e].ops->nodes && ok; i++)
        ok = lmb_text_add(k->out, i == 14 ? ",\n%d" : ", %d", node_number(k, nodes[i]));
    return ok && lmb_text_add(k->out, "\n");
}

static bool same_group(const lmb_mesh *m, int a, int b) {
    return m->elements[a].ops == m->elements[b].ops && m->elements[a].property == m->elements[b].property;
}

// elements of one type and property in a row are a block; blocks of one property have a set in common
static bool write_elements(const deck *k) {
    const lmb_mesh *m = k->fe->mesh;
    bool ok = true;
    for (int i = 0, before = -1; i < m->element_count && ok; i++) {
        const lmb_mesh_element *e = &m->elements[i];
        if (!is_solid(e->ops)) continue;
        if (before < 0 || !same_group(m, before, i))
            ok = lmb_text_add(k->out, "*ELEMENT, TYPE=%s, ELSET=P%d\n", lmb_inp_type_name(e->ops),
                              e->property + 1);
        ok = ok && write_element(k, i);
        before = i;
    }
    return ok;
}

static bool is_used(const lmb_mesh *m, int property) {
    for (int i = 0; i < m->element_count; i++)
        if (is_solid(m->elements[i].ops) && m->elements[i].property == property) return true;
    return false;
}

static bool write_materials(const deck *k) {
    const lmb_mesh *m = k->fe->mesh;
    double area = k->d->unit * k->d->unit;
    bool ok = true;
    for (int i = 0; i < m->material_count && ok; i++)
        ok = lmb_text_add(k->out, "** %s\n*MATERIAL, NAME=M%d\n*ELASTIC\n%.13g, %.13g\n*DENSITY\n%.13g\n",
                          m->materials[i].name, i + 1, m->materials[i].E * area, m->materials[i].nu,
                          m->materials[i].rho * area * area);
    for (int i = 0; i < m->property_count && ok; i++)
        if (is_used(m, i))
            ok = lmb_text_add(k->out, "*SOLID SECTION, ELSET=P%d, MATERIAL=M%d\n", i + 1,
                              m->properties[i].material + 1);
    return ok;
}

// ---- rigid sets ----------------------------------------------------------------------------------

static bool write_coupling(const deck *k, int reference, int number) {
    const lmb_fe *fe = k->fe;
    bool ok = lmb_text_add(k->out, "*NSET, NSET=R%d\n", number);
    for (int i = 0; i < fe->node_count && ok; i++)
        if (fe->reference[i] == reference) ok = lmb_text_add(k->out, "%d\n", node_number(k, i));
    return ok && lmb_text_add(k->out,
                              "*SURFACE, NAME=S%d, TYPE=NODE\nR%d\n*COUPLING, REF NODE=%d, SURFACE=S%d, "
                              "CONSTRAINT NAME=C%d\n*KINEMATIC\n1, 3\n",
                              number, number, node_number(k, reference), number, number);
}

static bool leads(const lmb_fe *fe, int node) {
    for (int i = 0; i < fe->node_count; i++)
        if (fe->reference[i] == node) return true;
    return false;
}

static bool write_couplings(const deck *k) {
    bool ok = true;
    for (int i = 0, number = 0; i < k->fe->node_count && ok; i++)
        if (leads(k->fe, i)) ok = write_coupling(k, i, ++number);
    return ok;
}

// ---- supports ------------------------------------------------------------------------------------

static vec3 from_A(const deck *k, int node) { return v3_sub(k->fe->x[node], k->fe->x[k->A]); }
static double distance(const deck *k, int node) { return v3_norm(from_A(k, node)); }
static double area(const deck *k, int node) { return v3_norm(v3_cross(from_A(k, k->B), from_A(k, node))); }

// the node outside rigid sets for which the size is largest
static int farthest(const deck *k, double (*size)(const deck *k, int node)) {
    int found = k->A;
    for (int i = 0; i < k->fe->node_count; i++)
        if (k->fe->own[i] == 7 && size(k, i) > size(k, found)) found = i;
    return found;
}

static int largest_axis(vec3 v) {
    int axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(v3_get(v, i)) > fabs(v3_get(v, axis))) axis = i;
    return axis;
}

static lmb_status choose_held(deck *k, lmb_error *err) {
    while (k->A < k->fe->node_count && k->fe->own[k->A] != 7) k->A++;
    bool any = k->A < k->fe->node_count;
    k->B = any ? farthest(k, distance) : k->A;
    k->C = any ? farthest(k, area) : k->A;
    if (any && area(k, k->C) > 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "the part has no three nodes outside rigid sets that could support it");
}

static bool write_supports(const deck *k) {
    vec3 d = from_A(k, k->B);
    bool ok = lmb_text_add(k->out, "*BOUNDARY\n%d, 1, 3\n", node_number(k, k->A));
    for (int i = 0; i < 3 && ok; i++)
        if (i != largest_axis(d))
            ok = lmb_text_add(k->out, "%d, %d, %d\n", node_number(k, k->B), i + 1, i + 1);
    int axis = largest_axis(v3_cross(d, from_A(k, k->C))) + 1;
    return ok && lmb_text_add(k->out, "%d, %d, %d\n", node_number(k, k->C), axis, axis);
}

// ---- steps ---------------------------------------------------------------------------------------

static bool write_forces(const deck *k, const double *f) {
    const lmb_fe *fe = k->fe;
    bool ok = true;
    for (int i = 0; i < fe->node_count; i++)
        for (int q = fe->first[i]; q < fe->first[i] + fe->dofs[i] && ok; q++) {
            int c = lmb_fe_motion(fe, q);
            double value = f[q] / (c < 3 ? 1 : k->d->unit);
            if (value != 0) ok = lmb_text_add(k->out, "%d, %d, %.13g\n", node_number(k, i), c + 1, value);
        }
    return ok;
}

static bool write_step(const deck *k, int step) {
    const lmb_load_deck *d = k->d;
    return lmb_text_add(k->out, "%s*STEP\n*STATIC\n*CLOAD, OP=NEW\n", d->remarks[step]) &&
           write_forces(k, d->F + (size_t)step * (size_t)k->fe->n) &&
           lmb_text_add(k->out, "*NODE FILE\nU, RF\n*EL FILE\nS\n*END STEP\n");
}

lmb_status lmb_inp_write(lmb_text *out, const lmb_load_deck *d, lmb_error *err) {
    deck k = {out, d->fe, d, labels_differ(d->fe->mesh), 0, 0, 0};
    lmb_status st = check_elements(d->fe->mesh, err);
    if (st == LMB_OK) st = choose_held(&k, err);
    if (st != LMB_OK) return st;
    bool ok = lmb_text_add(out, "%s", d->heading) && write_nodes(&k) && write_elements(&k) &&
              write_materials(&k) && write_couplings(&k) && write_supports(&k);
    for (int i = 0; i < d->count && ok; i++) ok = write_step(&k, i);
    return ok ? LMB_OK : lmb_fail_memory(err);
}
