// part/part_build.c: from the description to mesh, K and M, and on to flexible body data or modes.
#include "part/local.h"

#include <string.h>

#define ENDINGS_OF(id, name, endings) endings,

// ---- the mesh ----------------------------------------------------------------------------------

static lmb_status straighten(lmb_part_model *m, lmb_error *err) {
    lmb_straightened s;
    lmb_mesh_straighten(&s, m->mesh);
    bool ok = lmb_text_add(&m->summary, "straightened %d middle node%s of %d element%s", s.nodes,
                           s.nodes == 1 ? "" : "s", s.elements, s.elements == 1 ? "" : "s") &&
              (s.nodes == 0 || lmb_text_add(&m->summary, ", moved by up to %.3g m", s.farthest)) &&
              lmb_text_add(&m->summary, "\n");
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// the supports of the deck that are asked for
static void hold(lmb_part_model *m) {
    for (int i = 0; i < m->mesh->support_count; i++)
        for (int k = 0; k < m->options.held_count; k++)
            if (strcmp(m->mesh->supports[i].name, m->options.held[k]) == 0) m->mesh->supports[i].held = true;
}

bool lmb_part_model_is_held(const lmb_part_model *m) { return m->mesh && lmb_mesh_is_held(m->mesh); }

const char *lmb_part_model_support(const lmb_part_model *m, int i) {
    return m->mesh && i < m->mesh->support_count ? m->mesh->supports[i].name : NULL;
}

static lmb_status make_mesh(lmb_part_model *m, const lmb_part_source *source, lmb_error *err) {
    const lmb_part *p = m->part;
    lmb_status st = LMB_OK;
    if (p->kind == LMB_PART_BEAM) {
        st = lmb_mesh_beam(&m->owned, &p->beam, err);
        m->mesh = m->owned;
    } else {
        m->mesh = source->mesh;
        st = lmb_mesh_at_temperature(&m->summary, m->mesh, p->keys.temperature, err);
        lmb_mesh_convert(m->mesh, lmb_part_unit(p->keys.unit));
        hold(m);
        if (st == LMB_OK) st = lmb_part_give_properties(m, err);
        if (st == LMB_OK && p->keys.straighten) st = straighten(m, err);
    }
    return st == LMB_OK ? lmb_mesh_check(&m->summary, m->mesh, err) : st;
}

static lmb_status mesh_points(lmb_part_model *m, lmb_error *err) {
    int *dofs = lmb_arena_get(m->arena, (size_t)m->mesh->node_count + 1, sizeof *dofs);
    if (dofs == NULL) return lmb_fail_memory(err);
    for (int e = 0; e < m->mesh->element_count; e++) {
        const lmb_element_ops *ops = m->mesh->elements[e].ops;
        const int *nodes = lmb_mesh_nodes(m->mesh, e);
        for (int k = 0; k < ops->nodes; k++)
            if (ops->node_dofs > dofs[nodes[k]]) dofs[nodes[k]] = ops->node_dofs;
    }
    m->points = (lmb_points){m->mesh, m->mesh->node_count, m->mesh->x, m->mesh->label, dofs};
    return LMB_OK;
}

// to SI: translations are lengths, torques N times lengths
static void convert_matrices(lmb_fe_matrices *g, const int *scale_of, double length) {
    for (int j = 0; j < g->lower.n; j++)
        for (int k = g->lower.start[j]; k < g->lower.start[j + 1]; k++) {
            int turns = scale_of[j] + scale_of[g->lower.row[k]]; // rotations among the two
            double factor = turns == 0 ? 1 / length : turns == 1 ? 1 : length;
            g->K[k] *= factor, g->M[k] *= factor;
        }
}

static lmb_status take_matrices(lmb_part_model *m, const lmb_part_source *source, lmb_error *err) {
    lmb_fe_matrices *g = source->matrices;
    double length = lmb_part_unit(m->part->keys.unit);
    vec3 *x = lmb_arena_get(m->arena, (size_t)g->node_count + 1, sizeof *x);
    int *dofs = lmb_arena_get(m->arena, (size_t)g->node_count + 1, sizeof *dofs);
    int *turns = lmb_arena_get(m->arena, (size_t)g->lower.n + 1, sizeof *turns), equation = 0;
    if (x == NULL || dofs == NULL || turns == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < g->node_count; i++) {
        x[i] = v3_scale(length, g->x[i]), dofs[i] = g->dofs[i];
        for (int k = 0; k < g->dofs[i]; k++, equation++)
            if (equation < g->lower.n) turns[equation] = k >= 3;
    }
    convert_matrices(g, turns, length);
    g->x = x, g->dofs = dofs;
    m->scalars = g->scalars;
    m->points = (lmb_points){NULL, g->node_count, x, source->labels, dofs};
    return LMB_OK;
}

// ---- sites -------------------------------------------------------------------------------------

static bool has_site(const lmb_part_model *m, const char *name) { return lmb_part_model_site(m, name) >= 0; }

// couplings of the file no interface names: interfaces if the description has none, else only markers
static lmb_status add_couplings(lmb_part_model *m, lmb_error *err) {
    const lmb_part *p = m->part;
    lmb_status st = LMB_OK;
    for (int i = 0; m->mesh && i < m->mesh->coupling_count && st == LMB_OK; i++) {
        bool used = false;
        for (int k = 0; k < p->site_count; k++)
            used = used || (p->sites[k].by == LMB_BY_COUPLING && m->mesh->couplings[i].name &&
                            strcmp(p->sites[k].set, m->mesh->couplings[i].name) == 0);
        if (used) continue;
        lmb_marker_site *s = &m->sites[m->site_count];
        st = lmb_part_coupling_site(s, m->arena, &m->points, i, err);
        if (st != LMB_OK) break;
        s->interface = p->keys.interfaces == NULL;
        for (int k = 2; has_site(m, s->name) && k < 1000; k++)
            s->name = lmb_arena_printf(m->arena, "%s_%d", s->name, k);
        if (s->name == NULL) return lmb_fail_memory(err);
        m->site_count++;
    }
    return st;
}

// nodes with rotations of given matrices, if they are few: interfaces unless the description has some
static bool are_interfaces(const lmb_part_model *m) {
    enum { FEW = 30 };
    int count = 0;
    for (int i = 0; m->mesh == NULL && i < m->points.count; i++) count += m->points.dofs[i] == 6;
    return m->part->keys.interfaces == NULL && count > 0 && count <= FEW;
}

static lmb_status add_nodes(lmb_part_model *m, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < m->points.count && are_interfaces(m) && st == LMB_OK; i++) {
        lmb_marker_site *s = &m->sites[m->site_count];
        if (m->points.dofs[i] != 6) continue;
        *s = (lmb_marker_site){
            .interface = true, .node = i, .x = m->points.x[i], .where = m->part->map->where};
        s->name = lmb_arena_printf(m->arena, "node_%d", lmb_points_label(&m->points, i));
        if (s->name == NULL) return lmb_fail_memory(err);
        if (!has_site(m, s->name)) m->site_count++;
    }
    return st;
}

// a loaded place that one of the sites before takes, or that has no nodes
static bool is_known(const lmb_part_model *m, const lmb_marker_site *s) {
    double size = 0;
    for (int i = 0; i < m->site_count; i++) size = fmax(size, v3_norm(v3_sub(m->sites[i].x, m->sites[0].x)));
    for (int i = 0; i < m->site_count; i++)
        if (v3_norm(v3_sub(m->sites[i].x, s->x)) <= 1e-6 * size) return true;
    return s->count == 0 && s->line[0] == s->line[1];
}

static bool is_cad(const lmb_part *p) {
    static const char *const endings[] = {LMB_GEOMETRY_FORMATS(ENDINGS_OF)};
    for (int i = 0; i < LMB_COUNT(endings); i++)
        if (p->keys.file && lmb_format_fits(endings[i], p->keys.file)) return true;
    return false;
}

// the faces of the part, if a site is chosen by them
static lmb_status find_faces(lmb_part_model *m, lmb_error *err) {
    bool asked = false;
    for (int i = 0; i < m->part->site_count; i++) asked = asked || m->part->sites[i].by == LMB_BY_GEOMETRY;
    if (!asked || m->mesh == NULL) return LMB_OK;
    lmb_status st =
        lmb_face_list_make(&m->faces, m->mesh, is_cad(m->part) ? LMB_FACES_OF_CAD : LMB_FACES_OF_MESH, err);
    if (st == LMB_OK && m->faces.facet_count > 0) m->points.faces = &m->faces;
    return st;
}

static lmb_status find_sites(lmb_part_model *m, lmb_error *err) {
    const lmb_part *p = m->part;
    size_t most = (size_t)p->site_count + (size_t)(m->mesh ? m->mesh->coupling_count : 0) + 31;
    m->sites = lmb_arena_get(m->arena, most, sizeof *m->sites);
    if (m->sites == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < p->site_count && st == LMB_OK; i++) {
        lmb_marker_site *s = &m->sites[m->site_count];
        st = lmb_part_find_site(s, m->arena, &m->points, &p->sites[i], err);
        if (st == LMB_OK && !(p->sites[i].loaded && is_known(m, s))) m->site_count++;
    }
    if (st == LMB_OK) st = add_couplings(m, err);
    if (st == LMB_OK) st = add_nodes(m, err);
    return st ? st : lmb_part_check_sites(m->sites, m->site_count, &m->points, err);
}

int lmb_part_model_site(const lmb_part_model *m, const char *name) {
    for (int i = 0; i < m->site_count; i++)
        if (strcmp(m->sites[i].name, name) == 0) return i;
    return -1;
}

const char *lmb_part_model_site_name(const lmb_part_model *m, int i) {
    return i >= 0 && i < m->site_count ? m->sites[i].name : NULL;
}

static const char *next_site(void *user, int i) { return lmb_part_model_site_name(user, i); }

lmb_status lmb_part_find_marker(int *out, const lmb_part_model *m, const char *name, lmb_where where,
                                lmb_error *err) {
    *out = lmb_part_model_site(m, name);
    if (*out >= 0) return LMB_OK;
    return lmb_fail_unknown(err, where,
                            &(lmb_unknown){"interface or marker", name, m->part->what, next_site, (void *)m});
}

// the n-th interface, -1: none
static int nth_interface(const lmb_part_model *m, int n) {
    for (int i = 0; i < m->site_count; i++)
        if (m->sites[i].interface && n-- == 0) return i;
    return -1;
}

// ---- frame and shapes --------------------------------------------------------------------------

// the chord of exactly two interfaces, which must be apart; else mean axes
static lmb_frame_kind default_frame(const lmb_part_model *m) {
    int a = nth_interface(m, 0), b = nth_interface(m, 1);
    if (b < 0 || nth_interface(m, 2) >= 0) return LMB_FRAME_BUCKENS;
    return v3_has_direction(v3_sub(m->sites[b].x, m->sites[a].x)) ? LMB_FRAME_CHORD : LMB_FRAME_BUCKENS;
}

static lmb_status find_frame(lmb_part_model *m, lmb_error *err) {
    const lmb_part *p = m->part;
    int *to[3] = {&m->frame.a, &m->frame.b, &m->frame.c};
    lmb_status st = LMB_OK;
    m->frame = p->frame;
    if (p->frame.kind == LMB_FRAME_DEFAULT) m->frame.kind = default_frame(m);
    for (int i = 0; i < 3 && st == LMB_OK; i++)
        if (p->frame_markers[i])
            st = lmb_part_find_marker(to[i], m, p->frame_markers[i], p->frame.where, err);
    if (st != LMB_OK) return st;
    int needed = m->frame.kind == LMB_FRAME_TANGENT ? 1 : m->frame.kind == LMB_FRAME_CHORD ? 2 : 0;
    for (int i = 0; i < needed; i++) {
        if (p->frame_markers[0] == NULL) *to[i] = nth_interface(m, i);
        if (*to[i] < 0)
            return lmb_fail(err, LMB_ERR_INPUT, p->frame.where,
                            "this frame needs %d interface%s; the part has fewer", needed,
                            needed > 1 ? "s" : "");
    }
    if (p->frame.kind == LMB_FRAME_MEAN && nth_interface(m, 0) < 0)
        return lmb_fail(err, LMB_ERR_INPUT, p->frame.where,
                        "`frame: mean` needs interfaces, but the part has none");
    if (needed == 2 && m->frame.a == m->frame.b)
        return lmb_fail(err, LMB_ERR_INPUT, p->frame.where, "the chord needs two different markers");
    return LMB_OK;
}

static const char *next_set(void *user, int i) {
    const lmb_mesh *mesh = user;
    return i < mesh->set_count ? mesh->sets[i].name : NULL;
}

// beams and shells are loaded as a whole: a set of faces with their lines or upper sides
static lmb_status faces_of_elements(int *out, lmb_mesh *mesh, int set, lmb_where where, lmb_error *err) {
    *out = lmb_mesh_add_set(mesh, mesh->sets[set].name, LMB_SET_FACES, where);
    if (*out < 0) return lmb_fail_memory(err);
    for (int i = 0; i < mesh->sets[set].count; i++) {
        int e = mesh->sets[set].items[i];
        lmb_stress_kind kind = mesh->elements[e].ops->stress_kind;
        if (kind != LMB_STRESS_BEAM && kind != LMB_STRESS_SHELL)
            return lmb_fail(err, LMB_ERR_INPUT, where,
                            "set '%s' contains elements; a distributed load needs a set of faces",
                            mesh->sets[set].name);
        if (!lmb_mesh_set_add(mesh, *out, e * 8)) return lmb_fail_memory(err);
    }
    return LMB_OK;
}

static lmb_status find_face_set(int *out, const lmb_part_model *m, const char *name, lmb_where where,
                                lmb_error *err) {
    if (m->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, where, "matrices have no sets; distributed loads need a mesh");
    *out = lmb_mesh_find_set(m->mesh, name, LMB_SET_FACES);
    if (*out >= 0) return LMB_OK;
    int elements = lmb_mesh_find_set(m->mesh, name, LMB_SET_ELEMENTS);
    if (elements >= 0) return faces_of_elements(out, m->mesh, elements, where, err);
    if (lmb_mesh_find_set(m->mesh, name, LMB_SET_NODES) >= 0)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "set '%s' contains only nodes; a distributed load needs a set of faces", name);
    return lmb_fail_unknown(err, where, &(lmb_unknown){"set", name, m->mesh->file, next_set, m->mesh});
}

// names of a request become numbers
static lmb_status find_request(lmb_shape_request *out, const lmb_part_model *m, const lmb_part_shape *shape,
                               lmb_error *err) {
    *out = shape->request;
    bool interfaces = nth_interface(m, 0) >= 0;
    if (!interfaces && (out->family == LMB_SHAPES_CRAIG_BAMPTON || out->family == LMB_SHAPES_GUYAN ||
                        out->family == LMB_SHAPES_ATTACHMENT || out->family == LMB_SHAPES_KRYLOV))
        return lmb_fail(err, LMB_ERR_INPUT, out->where,
                        "these shapes need interfaces, but the part has none; add `interfaces: {a: {set: "
                        "...}}`, or use eigen");
    lmb_hold *holds = lmb_arena_get(m->arena, (size_t)shape->hold_count + 1, sizeof *holds);
    if (holds == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < shape->hold_count && st == LMB_OK; i++) {
        holds[i].mask = shape->holds[i].mask;
        st = lmb_part_find_marker(&holds[i].marker, m, shape->holds[i].marker, shape->holds[i].where, err);
    }
    out->holds = holds, out->hold_count = shape->hold_count;
    if (st != LMB_OK || shape->target == NULL) return st;
    if (out->load == LMB_STATIC_DISTRIBUTED)
        return find_face_set(&out->set, m, shape->target, out->where, err);
    st = lmb_part_find_marker(&out->marker, m, shape->target, out->where, err);
    if (st == LMB_OK && out->load == LMB_STATIC_DISPLACEMENT && !m->sites[out->marker].interface)
        st = lmb_fail(err, LMB_ERR_INPUT, out->where,
                      "'%s' is a marker; a unit displacement needs an interface", shape->target);
    return st;
}

static lmb_status find_requests(lmb_part_model *m, lmb_error *err) {
    const lmb_part *p = m->part;
    bool held = nth_interface(m, 0) >= 0;
    lmb_part_shape usual = {.request = {.family = held ? LMB_SHAPES_CRAIG_BAMPTON : LMB_SHAPES_EIGEN,
                                        .count = m->scalars > 0 ? m->scalars // all that the matrices have
                                                 : !p->chosen   ? 10
                                                 : held         ? 0
                                                                : LMB_PART_FEW,
                                        .marker = -1,
                                        .set = -1,
                                        .where = p->map->where}};
    int own = p->rigid ? 0 : p->shape_count ? p->shape_count : 1, more = p->rigid ? 0 : p->more_count;
    m->request_count = own + more;
    m->requests = lmb_arena_get(m->arena, (size_t)m->request_count, sizeof *m->requests);
    if (m->requests == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < own && st == LMB_OK; i++)
        st = find_request(&m->requests[i], m, p->shape_count ? &p->shapes[i] : &usual, err);
    if (more > 0) memcpy(m->requests + own, p->more, (size_t)more * sizeof *p->more);
    return st;
}

// ---- the model ---------------------------------------------------------------------------------

static lmb_status assemble(lmb_part_model *m, const lmb_part_source *source, lmb_error *err) {
    if (m->mesh == NULL) return lmb_fe_create_matrices(&m->fe, source->matrices, err);
    lmb_rigid_tie *ties = NULL;
    int count = 0;
    lmb_status st = lmb_reduce_ties(&ties, &count, m->mesh, m->sites, m->site_count, err);
    if (st == LMB_OK)
        st = lmb_fe_create(&m->fe, m->mesh, (lmb_mass_kind)m->part->keys.mass, ties, count, &m->options.watch,
                           err);
    lmb_free(ties);
    return st;
}

static lmb_status write_summary(lmb_part_model *m, lmb_error *err) {
    bool ok = true;
    if (m->mesh)
        ok = lmb_text_add(&m->summary, "%d nodes, %d elements, ", m->points.count, m->mesh->element_count);
    else ok = lmb_text_add(&m->summary, "%d nodes, ", m->points.count);
    ok = ok && lmb_text_add(&m->summary, "%d equations; mass %.6g kg\n", m->fe->n, m->fe->mass);
    for (int i = 0; i < m->site_count && ok; i++) {
        const lmb_marker_site *s = &m->sites[i];
        ok = lmb_text_add(&m->summary, "%s %s at [%.6g, %.6g, %.6g] m", s->interface ? "interface" : "marker",
                          s->name, s->x.x, s->x.y, s->x.z);
        if (ok && s->count)
            ok = lmb_text_add(&m->summary, ", %s %d nodes",
                              s->tie == LMB_TIE_RIGID ? "rigidly tied to" : "average of", s->count);
        if (ok && s->area > 0) ok = lmb_text_add(&m->summary, " on %.4g m2", s->area);
        ok = ok && lmb_text_add(&m->summary, "\n");
    }
    if (ok && m->mesh && m->mesh->ignored.length)
        ok = lmb_text_add(&m->summary, "notes on the file:\n%s", m->mesh->ignored.text);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status build(lmb_part_model *m, const lmb_part_source *source, lmb_error *err) {
    lmb_status st;
    if (m->part->kind == LMB_PART_MATRICES) {
        st = take_matrices(m, source, err);
    } else {
        st = make_mesh(m, source, err);
        if (st == LMB_OK) st = mesh_points(m, err);
    }
    if (st == LMB_OK) st = find_faces(m, err);
    if (st == LMB_OK) st = find_sites(m, err);
    if (st == LMB_OK) st = find_frame(m, err);
    if (st == LMB_OK) st = find_requests(m, err);
    if (st == LMB_OK) st = assemble(m, source, err);
    return st ? st : write_summary(m, err);
}

// errors from inside have no file: use the place where the part is described
static lmb_status place_error(lmb_status st, const lmb_part *p, const lmb_error *why, lmb_error *err) {
    bool known = why->file[0] || p->map == NULL;
    lmb_where where = known ? (lmb_where){why->file, why->line, why->col} : p->map->where;
    if (st == LMB_OK || known || st == LMB_ERR_SYSTEM)
        return st ? lmb_fail(err, st, where, "%s", why->text) : st;
    return lmb_fail(err, st, where, "%s: %s", p->what, why->text);
}

lmb_status lmb_part_model_create(lmb_part_model **out, const lmb_part *p, const lmb_part_source *source,
                                 const lmb_part_options *o, lmb_error *err) {
    *out = NULL;
    lmb_part_model *m = lmb_alloc(1, sizeof *m);
    if (m == NULL) return lmb_fail_memory(err);
    m->part = p;
    if (o) m->options = *o;
    if (m->options.name == NULL) m->options.name = "part";
    m->arena = lmb_arena_create(16 * 1024);
    lmb_error why = {0};
    lmb_status st = m->arena ? build(m, source, &why) : lmb_fail_memory(&why);
    if (st == LMB_OK) *out = m;
    else lmb_part_model_destroy(m);
    return place_error(st, p, &why, err);
}

void lmb_part_model_destroy(lmb_part_model *m) {
    if (m == NULL) return;
    lmb_fe_destroy(m->fe);
    lmb_face_list_free(&m->faces);
    lmb_mesh_destroy(m->owned);
    lmb_arena_destroy(m->arena);
    lmb_text_free(&m->summary);
    lmb_free(m);
}

const lmb_fe *lmb_part_model_fe(const lmb_part_model *m) { return m->fe; }
const char *lmb_part_model_summary(const lmb_part_model *m) { return m->summary.text; }

// ---- reduction and modes -----------------------------------------------------------------------

static lmb_reduction reduction(const lmb_part_model *m) {
    const lmb_part_keys *k = &m->part->keys;
    lmb_reduction r = {
        .name = m->options.name,
        .site_count = m->site_count,
        .sites = m->sites,
        .frame = m->frame,
        .request_count = m->request_count,
        .requests = m->requests,
        .stiffening = k->geometric_stiffening != LMB_STIFFENING_OFF,
        .stress = k->stress && m->mesh != NULL,
        .shapes_alone = !k->static_correction,
        .alpha = k->damping.alpha,
        .beta = k->damping.beta,
        .free = k->damping.of == 1,
        .with = m->options.with,
        .watch = m->options.watch,
        .provenance = m->options.provenance,
        .labels = m->mesh ? NULL : m->points.labels,
    };
    if (m->mesh == NULL) r.stiffening = false; // matrices have no elements
    r.law = (lmb_damping_law){k->damping.ratios.count, k->damping.ratios.v, k->damping.frequencies.v};
    r.damping = r.law.count > 0                               ? LMB_DAMPING_RATIO
                : k->damping.alpha > 0 || k->damping.beta > 0 ? LMB_DAMPING_RAYLEIGH
                                                              : LMB_DAMPING_NONE;
    return r;
}

lmb_status lmb_part_model_reduce(lmb_flex **out, const lmb_part_model *m, lmb_error *err) {
    lmb_reduction r = reduction(m);
    lmb_error why = {0};
    return place_error(lmb_reduce(out, m->fe, &r, &why), m->part, &why, err);
}

lmb_status lmb_part_model_cases(double *F, const lmb_part_model *m, const lmb_flex *f,
                                const lmb_load_state *states, int count, lmb_error *err) {
    lmb_reduction r = reduction(m);
    return lmb_load_cases(F, m->fe, &r, f, states, count, err);
}

// (phi' M v)^2 / (v' M v) for the rigid motions v about the centre of mass
static lmb_status effective_masses(double **out, const lmb_fe *fe, const lmb_eigen *modes, lmb_error *err) {
    size_t n = (size_t)fe->n;
    double *V = lmb_alloc(6 * n, sizeof *V), *MV = lmb_alloc(6 * n, sizeof *MV);
    *out = lmb_alloc(6 * (size_t)modes->count + 1, sizeof **out);
    if (V && MV && *out) {
        lmb_fe_rigid(V, fe);
        lmb_symmetric_mul(MV, &fe->lower, fe->M, V, 3);
        // c~ = (int rho x~) / m: rotations about x are V_3+k . M V_a
        double c[3][3];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++)
                c[k][a] = lmb_dot(V + (size_t)(3 + k) * n, MV + (size_t)a * n, fe->n) / fe->mass;
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) lmb_axpy(V + (size_t)(3 + k) * n, -c[k][a], V + (size_t)a * n, fe->n);
        lmb_symmetric_mul(MV, &fe->lower, fe->M, V, 6);
        for (int k = 0; k < 6; k++) {
            double all = lmb_dot(V + (size_t)k * n, MV + (size_t)k * n, fe->n);
            for (int i = 0; i < modes->count; i++) {
                double part = lmb_dot(modes->vectors + (size_t)i * n, MV + (size_t)k * n, fe->n);
                (*out)[6 * i + k] = all > 0 ? part * part / all : 0;
            }
        }
    }
    bool ok = V && MV && *out;
    lmb_free(V), lmb_free(MV);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_part_model_modes(lmb_eigen *out, double **effective, const lmb_part_model *m, const int *held,
                                int held_count, const lmb_eigen_wanted *wanted, lmb_error *err) {
    lmb_reduction r = reduction(m);
    if (lmb_part_model_is_held(m)) {
        if (effective) *effective = NULL;
        return lmb_held_modes(out, m->fe, &r, wanted, err);
    }
    lmb_hold *holds = lmb_arena_get(m->arena, (size_t)held_count + 1, sizeof *holds);
    if (effective) *effective = NULL;
    if (holds == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < held_count; i++) holds[i] = (lmb_hold){held[i], 63};
    r.frame = (lmb_frame_choice){LMB_FRAME_BUCKENS, -1, -1, -1, LMB_NOWHERE, V3_ZERO};
    if (held_count) r.frame.kind = LMB_FRAME_TANGENT, r.frame.a = held[0]; // needs no mass about every axis
    lmb_shape_request which = {.family = LMB_SHAPES_EIGEN,
                               .count = wanted->count,
                               .max_frequency = wanted->limit,
                               .held = held_count ? LMB_HELD_MARKERS : LMB_HELD_FREE,
                               .hold_count = held_count,
                               .holds = holds,
                               .marker = -1,
                               .set = -1};
    lmb_status st = lmb_part_modes(out, m->fe, &r, &which, err);
    if (st == LMB_OK && effective && held_count) st = effective_masses(effective, m->fe, out, err);
    if (st != LMB_OK) lmb_eigen_free(out);
    return st;
}

lmb_status lmb_part_reduce(lmb_flex **out, const lmb_part *p, const lmb_part_source *source,
                           const lmb_part_options *o, lmb_error *err) {
    lmb_part_model *m;
    *out = NULL;
    lmb_status st = lmb_part_model_create(&m, p, source, o, err);
    if (st == LMB_OK) st = lmb_part_model_reduce(out, m, err);
    lmb_part_model_destroy(m);
    return st;
}
