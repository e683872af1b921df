// reduce/flexible.c: the result of a reduction: invariants, stiffness, markers, geometric stiffness, stress, picture.
//                                                                               docs/theory/reduction.md
#include "reduce/local.h"

#include <string.h>

// ---- flexible body data ------------------------------------------------------------------------

static double *room(lmb_flex *f, bool *ok, size_t count) {
    double *p = lmb_arena_get(f->arena, count + 1, sizeof *p);
    *ok = *ok && p != NULL;
    return p;
}

lmb_status lmb_flex_create(lmb_flex **out, const char *name, int m, lmb_error *err) {
    *out = NULL;
    lmb_arena *arena = lmb_arena_create(64 * 1024);
    lmb_flex *f = arena ? lmb_arena_get(arena, 1, sizeof *f) : NULL;
    if (f == NULL) return lmb_arena_destroy(arena), lmb_fail_memory(err);
    size_t mm = (size_t)m * m;
    bool ok = true;
    f->arena = arena, f->m = m;
    f->name = lmb_arena_strdup(arena, name ? name : "");
    f->I3 = room(f, &ok, 3 * (size_t)m), f->I4 = room(f, &ok, 3 * (size_t)m), f->I5 = room(f, &ok, 3 * mm);
    f->I6 = room(f, &ok, mm), f->I8 = room(f, &ok, 9 * (size_t)m), f->I9 = room(f, &ok, 9 * mm);
    f->I10 = room(f, &ok, 9 * (size_t)m), f->I11 = room(f, &ok, 9 * mm);
    f->K = room(f, &ok, mm), f->D = room(f, &ok, mm), f->frequency = room(f, &ok, (size_t)m);
    f->shapes = f->provenance = f->report = "";
    if (!ok || f->name == NULL) return lmb_flex_destroy(f), lmb_fail_memory(err);
    *out = f;
    return LMB_OK;
}

static double *copy(lmb_flex *f, bool *ok, const double *from, int count) {
    double *p = from ? room(f, ok, (size_t)count) : NULL;
    if (p) memcpy(p, from, sizeof *p * (size_t)count);
    return p;
}

void lmb_flex_destroy(lmb_flex *f) {
    if (f) lmb_arena_destroy(f->arena);
}

// ---- invariants --------------------------------------------------------------------------------

// All integrals int rho w_i,k w_j,l of the fields shapes, 1 and x.
typedef struct integrals {
    const double *Z;
    int width, one, x; // first rows of the constant field and of x
} integrals;

static double z(const integrals *s, int row, int column) { return s->Z[(size_t)row * s->width + column]; }

// int rho a_i b_j as matrix; rows a, b are first components of fields
static mat3 outer(const integrals *s, int a, int b) {
    mat3 A;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] = z(s, a + i, b + j);
    return A;
}
// int rho a: the constant field is (1, 1, 1)
static vec3 mean(const integrals *s, int a) {
    return v3(z(s, a, s->one), z(s, a + 1, s->one), z(s, a + 2, s->one));
}
// int rho a x b, from int rho a_i b_j
static vec3 cross(const mat3 *A) {
    return v3(A->m[1][2] - A->m[2][1], A->m[2][0] - A->m[0][2], A->m[0][1] - A->m[1][0]);
}
// int rho a~ b~ = int rho (b a' - a.b I)
static mat3 skew_skew(const mat3 *A) {
    double dot = A->m[0][0] + A->m[1][1] + A->m[2][2];
    return m3_sub(m3_t(*A), m3_scale(dot, M3_ID));
}

static void pair_invariants(lmb_flex *f, const integrals *s, int i, int j) {
    size_t at = (size_t)i * f->m + j, mm = (size_t)f->m * f->m;
    mat3 A = outer(s, 3 * i, 3 * j), ss = skew_skew(&A);
    v3_store(f->I5 + 3 * at, cross(&A));
    f->I6[at] = A.m[0][0] + A.m[1][1] + A.m[2][2];
    memcpy(f->I9 + 9 * at, ss.m, sizeof ss.m);
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) f->I11[(size_t)(3 * a + b) * mm + at] = A.m[a][b];
}

static void set_invariants(lmb_flex *f, const integrals *s) {
    mat3 xx = outer(s, s->x, s->x);
    f->I1 = z(s, s->one, s->one);
    f->I2 = mean(s, s->x);
    f->I7 = m3_neg(skew_skew(&xx)); // x~' x~ = -x~ x~
    for (int i = 0; i < f->m; i++) {
        mat3 A = outer(s, s->x, 3 * i), xs = skew_skew(&A);
        v3_store(f->I3 + 3 * i, mean(s, 3 * i));
        v3_store(f->I4 + 3 * i, cross(&A));
        memcpy(f->I8 + 9 * i, xs.m, sizeof xs.m);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) f->I10[(size_t)(3 * a + b) * f->m + i] = A.m[a][b];
        for (int j = 0; j < f->m; j++) pair_invariants(f, s, i, j);
    }
}

static lmb_status invariants(lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    int width = 3 * (f->m + 2);
    double *Z = lmb_alloc((size_t)width * width, sizeof *Z);
    if (Z == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_fe_inertia_integrals(Z, d->fe, d->shapes.V, f->m, &d->r->watch, err);
    if (st == LMB_OK) set_invariants(f, &(integrals){Z, width, 3 * f->m, 3 * f->m + 3});
    lmb_free(Z);
    double changed;
    if (st == LMB_OK && d->fe->condensed && f->m > 0) st = lmb_flex_complete(&changed, f, LMB_NOWHERE, err);
    return st;
}

// ---- stiffness and damping ---------------------------------------------------------------------

static void rayleigh_damping(lmb_flex *f, const lmb_reduction *r) {
    int mm = f->m * f->m;
    for (int i = 0; i < mm && r->damping == LMB_DAMPING_RAYLEIGH; i++)
        f->D[i] = r->alpha * f->I6[i] + r->beta * f->K[i];
}

// D of the free part, and unless it is to stay that, the law for the joints that will hold it
static lmb_status ratio_damping(lmb_flex *f, const lmb_reduction *r, lmb_error *err) {
    bool ok = true;
    double lowest;
    if (r->damping != LMB_DAMPING_RATIO) return LMB_OK;
    f->law = r->law;
    f->law.ratio = copy(f, &ok, r->law.ratio, r->law.count);
    f->law.frequency = copy(f, &ok, r->law.frequency, r->law.count);
    lmb_status st = ok ? lmb_flex_hold(&lowest, f, NULL, 0, err) : lmb_fail_memory(err);
    if (r->free) f->law.count = 0;
    return st;
}

static lmb_status stiffness(lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    int m = f->m;
    size_t mm = (size_t)m * m;
    double *KV = lmb_alloc((size_t)m * d->fe->n + 1, sizeof *KV), *work = lmb_alloc(3 * mm + 1, sizeof *work);
    double *w2 = lmb_alloc((size_t)m + 1, sizeof *w2);
    lmb_status st = KV && work && w2 ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && m > 0) {
        double *X = work, *A = work + mm, *B = work + 2 * mm;
        lmb_symmetric_mul(KV, &d->fe->lower, d->fe->K, d->shapes.V, m);
        lmb_gram(f->K, 1, d->shapes.V, KV, 0, d->fe->n, m, m);
        for (int i = 0; i < m; i++) // symmetric to the last digit
            for (int j = 0; j < i; j++)
                f->K[i * m + j] = f->K[j * m + i] = 0.5 * (f->K[i * m + j] + f->K[j * m + i]);
        memcpy(A, f->K, mm * sizeof *A), memcpy(B, f->I6, mm * sizeof *B);
        st = lmb_dense_eigen(w2, X, A, B, m, err);
        for (int i = 0; i < m && st == LMB_OK; i++) f->frequency[i] = sqrt(fmax(w2[i], 0)) / (2 * LMB_PI);
        if (st == LMB_OK) rayleigh_damping(f, d->r);
    }
    lmb_free(KV), lmb_free(work), lmb_free(w2);
    return st;
}

// ---- markers and nodes -------------------------------------------------------------------------

static lmb_status markers(lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    bool ok = true;
    f->marker_count = d->r->site_count;
    f->markers = lmb_arena_get(f->arena, (size_t)f->marker_count + 1, sizeof *f->markers);
    if (f->markers == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < f->marker_count; i++) {
        const lmb_marker_site *s = &d->r->sites[i];
        lmb_flex_marker *k = &f->markers[i];
        *k = (lmb_flex_marker){
            lmb_arena_strdup(f->arena, s->name), s->interface, s->x, room(f, &ok, 3 * (size_t)f->m),
            room(f, &ok, 3 * (size_t)f->m),      .at = s->x};
        if (!ok || k->name == NULL) return lmb_fail_memory(err);
        if (s->line[0] != s->line[1]) k->at = lmb_site_on_line(d->fe, s);
        if (!s->interface && lmb_site_is_average(s)) {
            lmb_site_average a;
            lmb_status st = lmb_site_average_make(&a, d->fe, s, err);
            if (st != LMB_OK) return st;
            k->at = a.at, k->D = a.D;
        }
        for (int row = 0; row < 6; row++)
            for (int j = 0; j < f->m; j++) {
                double value = lmb_rows_dot(&d->rows[i], row, d->shapes.V + (size_t)j * d->fe->n);
                (row < 3 ? k->S : k->P)[(row % 3) * f->m + j] = value;
            }
    }
    return LMB_OK;
}

// beams, shells, or given matrices with rotations
static bool has_rotations(const lmb_fe *fe) {
    const lmb_mesh *m = fe->mesh;
    for (int i = 0; i < fe->node_count && m == NULL; i++)
        if (fe->dofs[i] == 6) return true;
    if (m == NULL) return false;
    for (int i = 0; i < m->element_count; i++) {
        lmb_stress_kind kind = m->elements[i].ops->stress_kind;
        if (kind == LMB_STRESS_BEAM || kind == LMB_STRESS_SHELL) return true;
    }
    return false;
}

static lmb_status nodes(lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    const lmb_fe *fe = d->fe;
    int m = f->m;
    bool ok = true;
    f->node_count = fe->node_count;
    f->node_label = lmb_arena_get(f->arena, (size_t)fe->node_count + 1, sizeof(int));
    f->node_x = room(f, &ok, 3 * (size_t)fe->node_count);
    f->node_S = room(f, &ok, 3 * (size_t)fe->node_count * m);
    if (has_rotations(fe)) f->node_P = room(f, &ok, 3 * (size_t)fe->node_count * m);
    if (!ok || f->node_label == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++) {
        lmb_node_rows rows;
        lmb_fe_node_rows(&rows, fe, i);
        f->node_label[i] = fe->mesh ? fe->mesh->label[i] : d->r->labels ? d->r->labels[i] : i + 1;
        v3_store(f->node_x + 3 * i, fe->x[i]);
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < m; j++)
                f->node_S[((size_t)i * 3 + k) * m + j] =
                    lmb_node_value(&rows, k, d->shapes.V + (size_t)j * fe->n);
        for (int k = 0; k < 3 && f->node_P; k++)
            for (int j = 0; j < m; j++)
                f->node_P[((size_t)i * 3 + k) * m + j] =
                    lmb_node_value(&rows, 3 + k, d->shapes.V + (size_t)j * fe->n);
    }
    return LMB_OK;
}

// the drawn section of a beam element at both ends
static void drawn_sections(double *out, const lmb_mesh *mesh, int element) {
    lmb_element e;
    vec3 arm[2];
    lmb_mesh_element_get(&e, mesh, element);
    mat3 R = lmb_beam_axes(arm, &e);
    for (int k = 0; k < 2; k++, out += LMB_FLEX_SECTION) {
        lmb_drawn_section s = lmb_profile_drawn(&e.property->section[k]);
        out[0] = s.shape;
        memcpy(out + 1, s.size, sizeof s.size);
        v3_store(out + 5, arm[k]);
        mat3 turned = m3_mul(R, so3_exp(v3(e.property->twist[k], 0, 0)));
        v3_store(out + 8, m3_column(&turned, 1)), v3_store(out + 11, m3_column(&turned, 2));
    }
}

static lmb_status lines(lmb_flex *f, const lmb_mesh *mesh, lmb_error *err) {
    int count = 0;
    bool ok = true;
    for (int i = 0; i < mesh->element_count; i++)
        count += mesh->elements[i].ops->stress_kind == LMB_STRESS_BEAM;
    f->lines = lmb_arena_get(f->arena, 2 * (size_t)count + 1, sizeof(int));
    if (count > 0) f->line_section = room(f, &ok, 2 * LMB_FLEX_SECTION * (size_t)count);
    if (!ok || f->triangles == NULL || f->lines == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < mesh->element_count; i++) {
        if (mesh->elements[i].ops->stress_kind != LMB_STRESS_BEAM) continue;
        drawn_sections(f->line_section + 2 * LMB_FLEX_SECTION * (size_t)f->line_count, mesh, i);
        memcpy(f->lines + 2 * f->line_count++, lmb_mesh_nodes(mesh, i), 2 * sizeof(int));
    }
    return LMB_OK;
}

static lmb_status picture(lmb_flex *f, const lmb_mesh *mesh, lmb_error *err) {
    if (mesh == NULL) return LMB_OK;
    int *triangles = NULL;
    lmb_status st = lmb_mesh_surface(&triangles, &f->triangle_count, mesh, err);
    if (st != LMB_OK) return st;
    f->triangles = lmb_arena_get(f->arena, 3 * (size_t)f->triangle_count + 1, sizeof(int));
    if (f->triangles && f->triangle_count)
        memcpy(f->triangles, triangles, 3 * sizeof(int) * (size_t)f->triangle_count);
    lmb_free(triangles);
    return lines(f, mesh, err);
}

static lmb_status sets(lmb_flex *f, const lmb_mesh *mesh, lmb_error *err) {
    f->sets = lmb_arena_get(f->arena, (size_t)(mesh ? mesh->set_count : 0) + 1, sizeof *f->sets);
    if (f->sets == NULL) return lmb_fail_memory(err);
    for (int i = 0; mesh && i < mesh->set_count; i++) {
        lmb_flex_set *s = &f->sets[f->set_count];
        int *nodes = NULL;
        lmb_status st = lmb_mesh_set_nodes(&nodes, &s->count, mesh, i, err);
        if (st != LMB_OK) return st;
        s->name = lmb_arena_strdup(f->arena, mesh->sets[i].name);
        s->nodes = lmb_arena_get(f->arena, (size_t)s->count + 1, sizeof *s->nodes);
        if (s->nodes && s->count) memcpy(s->nodes, nodes, sizeof *s->nodes * (size_t)s->count);
        lmb_free(nodes);
        if (s->name == NULL || s->nodes == NULL) return lmb_fail_memory(err);
        bool known = false; // a set of nodes and one of elements may have the same name: the first is used
        for (int k = 0; k < f->set_count; k++) known = known || strcmp(f->sets[k].name, s->name) == 0;
        f->set_count += !known && s->count > 0;
    }
    return LMB_OK;
}

// ---- stress ------------------------------------------------------------------------------------

// stress of shape functions and residual fields, beside each other
static lmb_status stress_columns(lmb_flex *f, const lmb_reducer *d, const lmb_stress_layout *l,
                                 const double *W, lmb_error *err) {
    size_t n = (size_t)d->fe->n, m = (size_t)f->m, all = (size_t)lmb_flex_stress_count(f);
    double *VW = lmb_alloc(n * all + 1, sizeof *VW);
    if (VW == NULL) return lmb_fail_memory(err);
    if (m > 0) memcpy(VW, d->shapes.V, n * m * sizeof *VW);
    if (all > m) memcpy(VW + n * m, W, n * (all - m) * sizeof *VW);
    lmb_status st = lmb_fe_stress(f->stress, d->fe, l, VW, (int)all, err);
    lmb_free(VW);
    return st;
}

static void note_material(double *at, const lmb_element *e) {
    bool known = e->material != NULL, first = at[0] == 0;
    double E = known ? e->material->E : NAN, nu = known ? e->material->nu : NAN;
    bool same = first || (at[0] == E && at[1] == nu);
    at[0] = same ? E : NAN, at[1] = same ? nu : NAN;
}

// E and nu of the elements at each place; nan where they differ
static lmb_status materials(lmb_flex *f, const lmb_mesh *mesh, const lmb_stress_layout *l, lmb_error *err) {
    int *place = lmb_alloc((size_t)mesh->node_count + 1, sizeof *place);
    if (place == NULL) return lmb_fail_memory(err);
    lmb_element e;
    for (int i = 0; i < l->places; i++) place[l->node[i]] = i;
    for (int i = 0; i < l->places && l->element; i++) {
        lmb_mesh_element_get(&e, mesh, l->element[i]);
        note_material(f->material + 2 * i, &e);
    }
    for (int i = 0; i < mesh->element_count && l->element == NULL; i++) {
        lmb_mesh_element_get(&e, mesh, i);
        for (int a = 0; a < e.ops->nodes && e.ops->stress_kind == l->kind; a++)
            note_material(f->material + 2 * place[lmb_mesh_nodes(mesh, i)[a]], &e);
    }
    lmb_free(place);
    return LMB_OK;
}

static lmb_status stress(lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    lmb_stress_layout l;
    lmb_status st = lmb_fe_stress_layout(&l, d->fe, err);
    if (st != LMB_OK || l.kind == LMB_STRESS_NONE) return st;
    bool ok = true;
    double *W = NULL;
    const lmb_mesh *mesh = d->fe->mesh;
    if (!d->r->shapes_alone) st = lmb_reducer_residual(f, &W, d, err);
    f->stress_kind = (int)l.kind, f->stress_width = l.width, f->stress_places = l.places;
    f->stress_node = lmb_arena_get(f->arena, (size_t)l.places + 1, sizeof(int));
    f->stress = room(f, &ok, (size_t)l.places * l.width * (size_t)lmb_flex_stress_count(f));
    f->material = room(f, &ok, 2 * (size_t)l.places);
    if (l.kind == LMB_STRESS_BEAM) f->section = room(f, &ok, (size_t)l.places * LMB_SECTION_SIZE);
    if (st == LMB_OK) st = ok && f->stress_node ? stress_columns(f, d, &l, W, err) : lmb_fail_memory(err);
    if (st == LMB_OK) memcpy(f->stress_node, l.node, sizeof(int) * (size_t)l.places);
    if (st == LMB_OK) st = materials(f, mesh, &l, err);
    for (int i = 0; i < l.places && st == LMB_OK && f->section; i++)
        lmb_section_numbers(f->section + LMB_SECTION_SIZE * (size_t)i,
                            &mesh->properties[mesh->elements[l.element[i]].property].section[i % 2]);
    lmb_stress_layout_free(&l);
    lmb_free(W);
    return st;
}

// ---- geometric stiffness -----------------------------------------------------------------------

// minus the acceleration of unit w_a w_b (+ w_b w_a), of unit accelerations, of unit angular accelerations:
//   -(e_a~ e_b~ + e_b~ e_a~) x,   -e_a,   -e_a~ x
lmb_acceleration lmb_inertia_field(const lmb_flex_stiffening *s) {
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    lmb_acceleration f = {V3_ZERO, M3_ZERO};
    if (s->load == LMB_LOAD_ACCELERATION) f.b = v3_neg(v3_axis(s->index));
    if (s->load == LMB_LOAD_SPIN) f.B = m3_neg(m3_skew(v3_axis(s->index)));
    if (s->load != LMB_LOAD_CENTRIFUGAL) return f;
    mat3 a = m3_skew(v3_axis(first[s->index])), b = m3_skew(v3_axis(second[s->index]));
    f.B = m3_neg(m3_mul(a, b));
    if (s->index >= 3) f.B = m3_sub(f.B, m3_mul(b, a));
    return f;
}

// clang-format off
const lmb_flex_stiffening lmb_inertia_loads[LMB_INERTIA_LOADS] = {
    {LMB_LOAD_CENTRIFUGAL, 0, -1}, {LMB_LOAD_CENTRIFUGAL, 1, -1}, {LMB_LOAD_CENTRIFUGAL, 2, -1},
    {LMB_LOAD_CENTRIFUGAL, 3, -1}, {LMB_LOAD_CENTRIFUGAL, 4, -1}, {LMB_LOAD_CENTRIFUGAL, 5, -1},
    {LMB_LOAD_ACCELERATION, 0, -1}, {LMB_LOAD_ACCELERATION, 1, -1}, {LMB_LOAD_ACCELERATION, 2, -1},
    {LMB_LOAD_SPIN, 0, -1}, {LMB_LOAD_SPIN, 1, -1}, {LMB_LOAD_SPIN, 2, -1}};
// clang-format on

void lmb_inertia_load_columns(double *loads, const lmb_reducer *d, int count) {
    lmb_acceleration fields[LMB_INERTIA_LOADS];
    for (int k = 0; k < count; k++) fields[k] = lmb_inertia_field(&lmb_inertia_loads[k]);
    lmb_fe_body_loads(loads, d->fe, fields, count);
}

void lmb_marker_load_columns(double *loads, const lmb_reducer *d, int marker) {
    for (int k = 0; k < 6; k++) lmb_rows_add_to(loads + (size_t)k * d->fe->n, &d->rows[marker], k, 1);
}

static lmb_status list_loads(lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    int interfaces = 0, k = 0;
    for (int i = 0; i < d->r->site_count; i++) interfaces += d->r->sites[i].interface;
    f->stiffening_count = 12 + 6 * interfaces;
    f->stiffening = lmb_arena_get(f->arena, (size_t)f->stiffening_count, sizeof *f->stiffening);
    if (f->stiffening == NULL) return lmb_fail_memory(err);
    for (; k < LMB_INERTIA_LOADS; k++) f->stiffening[k] = lmb_inertia_loads[k];
    for (int s = 0; s < d->r->site_count; s++)
        for (int i = 0; i < 6 && d->r->sites[s].interface; i++)
            f->stiffening[k++] = (lmb_flex_stiffening){LMB_LOAD_INTERFACE, i, s, NULL};
    return LMB_OK;
}

// displacements U (n x loads) under all reference loads, held by the frame
static lmb_status load_displacements(double *U, const lmb_flex *f, const lmb_reducer *d, lmb_error *err) {
    lmb_inertia_load_columns(U, d, LMB_INERTIA_LOADS);
    for (int k = LMB_INERTIA_LOADS; k < f->stiffening_count; k += 6)
        lmb_marker_load_columns(U + (size_t)k * d->fe->n, d, f->stiffening[k].marker);
    return lmb_support_solve(U, d->framed, NULL, f->stiffening_count, err);
}

// motion of every interface under its own unit loads
static lmb_status compliances(lmb_flex *f, const lmb_reducer *d, const double *U, lmb_error *err) {
    bool ok = true;
    for (int i = 0; i < f->marker_count; i++)
        if (f->markers[i].interface) f->markers[i].C = room(f, &ok, 6);
    if (!ok) return lmb_fail_memory(err);
    for (int l = LMB_INERTIA_LOADS; l < f->stiffening_count; l++) {
        int marker = f->stiffening[l].marker, index = f->stiffening[l].index;
        f->markers[marker].C[index] = lmb_rows_dot(&d->rows[marker], index, U + (size_t)l * d->fe->n);
    }
    return LMB_OK;
}

// Kg of the reference loads, and the second-order displacement; U and fields have room for random loads behind them
static lmb_status geometric(lmb_flex *f, double *dropped, const lmb_reducer *d, double *U,
                            const lmb_acceleration *fields, lmb_error *err) {
    size_t mm = (size_t)f->m * f->m, count = (size_t)f->stiffening_count,
           all = count + (size_t)lmb_reducer_random_count(d);
    bool ok = true;
    double *kept = room(f, &ok, mm * count), *Kg = lmb_alloc(mm * all + 1, sizeof *Kg);
    if (!ok || Kg == NULL) return lmb_free(Kg), lmb_fail_memory(err);
    lmb_random_loads first = {0, Kg + count * mm};
    const lmb_fe_loads loads = {(int)all, U, fields};
    lmb_status st = lmb_reducer_random_loads(U + count * (size_t)d->fe->n, &first.seed, d, err);
    if (st == LMB_OK) st = lmb_fe_geometric(Kg, d->fe, &loads, d->shapes.V, f->m, &d->r->watch, err);
    memcpy(kept, Kg, mm * count * sizeof *kept);
    for (size_t k = 0; k < count; k++) f->stiffening[k].Kg = kept + k * mm;
    if (st == LMB_OK) st = lmb_reducer_second_order(f, dropped, d, &first, err);
    lmb_free(Kg);
    return st;
}

// ---- how good it is ----------------------------------------------------------------------------

// share of the static compliance at every interface direction that the shape functions represent
static bool report_compliance(lmb_text *t, const lmb_flex *f) {
    static const char *const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    bool ok = true;
    for (int k = 0; k < f->marker_count; k++) {
        if (f->markers[k].C == NULL) continue;
        ok = ok && lmb_text_add(t, "static compliance represented at %s:", f->markers[k].name);
        for (int i = 0; i < 6 && ok; i++) {
            double share = lmb_flex_represented(f, k, i);
            ok = isnan(share) ? lmb_text_add(t, " %s fixed", names[i])
                              : lmb_text_add(t, " %s %.2f %%", names[i], 100 * share);
        }
        ok = ok && lmb_text_add(t, "\n");
    }
    return ok;
}

static lmb_status texts(lmb_flex *f, const lmb_reducer *d, double dropped, lmb_error *err) {
    lmb_text shapes = {0}, report = {0}, provenance = {0};
    bool ok = lmb_text_add(&shapes, "%d shape functions kept\n", f->m);
    for (int i = 0; i < f->m && ok; i++) ok = lmb_text_add(&shapes, "%s\n", d->shapes.names[i]);
    if (ok && d->dropped.length) ok = lmb_text_add(&shapes, "dropped:\n%s", d->dropped.text);
    if (ok && f->m > 0)
        ok = lmb_text_add(&report, "natural frequencies of the reduced part: %.6g to %.6g Hz\n",
                          f->frequency[0], f->frequency[f->m - 1]);
    ok = ok && report_compliance(&report, f);
    if (ok && d->fe->condensed && f->m > 0)
        ok = lmb_text_add(&report,
                          "inertia: exact are mass, centre of mass, inertia tensor, momentum and kinetic "
                          "energy of every shape function (I1 to I4, I6, I7); M does not say in which "
                          "directions the material moves: I5, I8 to I11 are estimated from the motion of "
                          "the nodes\n");
    if (ok && f->second_count > 0)
        ok = lmb_text_add(&report, "second-order displacement: %d fields, %.2g %% left out\n",
                          f->second_count, 100 * dropped);
    if (ok && f->residual_count > 0)
        ok = lmb_text_add(&report, "stress: %d residual fields beside the shape functions\n",
                          f->residual_count);
    ok = ok && lmb_text_add(&provenance, "%sequations: %d\nmass: %.10g kg\nright-hand sides solved: %ld\n",
                            d->r->provenance ? d->r->provenance : "", d->fe->n, d->fe->mass,
                            lmb_statics_solves(d->statics));
    if (ok) {
        f->shapes = lmb_arena_strdup(f->arena, shapes.text);
        f->report = lmb_arena_strdup(f->arena, report.text ? report.text : "");
        f->provenance = lmb_arena_strdup(f->arena, provenance.text);
        ok = f->shapes && f->report && f->provenance;
    }
    lmb_text_free(&shapes), lmb_text_free(&report), lmb_text_free(&provenance);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- all together ------------------------------------------------------------------------------

static lmb_status fill(lmb_flex *f, lmb_reducer *d, double **U, lmb_error *err) {
    lmb_status st = invariants(f, d, err);
    if (st == LMB_OK) st = stiffness(f, d, err);
    if (st == LMB_OK) st = markers(f, d, err);
    if (st == LMB_OK) st = nodes(f, d, err);
    if (st == LMB_OK) st = picture(f, d->fe->mesh, err);
    if (st == LMB_OK) st = sets(f, d->fe->mesh, err);
    if (st == LMB_OK && d->r->stress) st = stress(f, d, err);
    if (st == LMB_OK) st = lmb_flex_join_lines(f, err);
    if (st == LMB_OK) st = list_loads(f, d, err);
    if (st != LMB_OK) return st;
    size_t room_for = (size_t)(f->stiffening_count + lmb_reducer_random_count(d));
    *U = lmb_alloc(room_for * (size_t)d->fe->n, sizeof **U);
    st = *U ? load_displacements(*U, f, d, err) : lmb_fail_memory(err);
    lmb_acceleration *fields = lmb_arena_get(d->arena, room_for, sizeof *fields);
    if (st == LMB_OK && fields == NULL) st = lmb_fail_memory(err);
    for (int k = 0; k < f->stiffening_count && st == LMB_OK; k++)
        fields[k] = lmb_inertia_field(&f->stiffening[k]);
    if (st == LMB_OK) st = compliances(f, d, *U, err);
    if (st == LMB_OK) st = ratio_damping(f, d->r, err);
    double dropped = 0;
    if (!d->r->stiffening) f->stiffening_count = 0;
    if (st == LMB_OK && d->r->stiffening) st = geometric(f, &dropped, d, *U, fields, err);
    return st == LMB_OK ? texts(f, d, dropped, err) : st;
}

lmb_status lmb_reducer_result(lmb_flex **out, lmb_reducer *d, lmb_error *err) {
    double *U = NULL;
    lmb_flex *f;
    lmb_status st = lmb_flex_create(&f, d->r->name, d->shapes.count, err);
    if (st == LMB_OK) st = fill(f, d, &U, err);
    lmb_free(U);
    if (st != LMB_OK) lmb_flex_destroy(f), f = NULL;
    *out = f;
    return st;
}
