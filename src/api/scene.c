// api/scene.c: the scene (draw/scene.h) of a live model.
#include "api/handles.h"

#include "api/picture.h"
#include "body/shape.h"
#include "fe/fe.h"
#include "reduce/flex.h"
#include "spec/names.h"

#include <string.h>

typedef struct maker {
    lmb_scene *scene;
    lmb_arena *arena; // its own, so that texts live as long as it does
    lmb_places places;
    lmb_switches switches;
} maker;

// ---- bodies ------------------------------------------------------------------------------------

static lmb_status make_shapes(lmb_scene_body *out, maker *w, lmb_spec *spec, const lmb_node *n,
                              lmb_error *err) {
    static const lmb_scene_form forms[] = {[LMB_SHAPE_BOX] = LMB_SCENE_BOX,
                                           [LMB_SHAPE_SPHERE] = LMB_SCENE_SPHERE,
                                           [LMB_SHAPE_CYLINDER] = LMB_SCENE_CYLINDER};
    bool list = n->kind == LMB_NODE_LIST;
    out->shapes = lmb_arena_get(w->arena, list ? (size_t)n->count : 1, sizeof *out->shapes);
    if (out->shapes == NULL) return lmb_fail_memory(err);
    for (const lmb_node *k = list ? n->first : n; k; k = list ? k->next : NULL) {
        lmb_shape s;
        lmb_status st = lmb_shape_read(&s, spec, k, err);
        if (st != LMB_OK) return st;
        out->shapes[out->shape_count++] =
            (lmb_scene_shape){(int)forms[s.kind], s.at.r, q_from_matrix(s.at.R), s.size};
    }
    return LMB_OK;
}

// keys of a body that only affect its appearance; n may be NULL
static lmb_status make_looks(lmb_scene_body *out, maker *w, lmb_spec *spec, const lmb_node *n,
                             lmb_error *err) {
    const lmb_node *color = lmb_node_find(n, "color"), *shape = lmb_node_find(n, "shape");
    if (color && color->kind == LMB_NODE_SCALAR) out->color = color->text;
    return shape && shape->kind != LMB_NODE_NULL ? make_shapes(out, w, spec, shape, err) : LMB_OK;
}

// the largest distance of the section from its centroid at the start of a beam, 0: no beam
static double radius_of(const lmb_body *b) {
    lmb_drawn_section s = {0};
    lmb_outline o;
    double radius = 0;
    const double *row = b->ops->look.flex ? b->ops->look.flex(b)->line_section : NULL;
    if (b->ops->look.profile) s = lmb_profile_drawn(b->ops->look.profile(b));
    else if (row) s = (lmb_drawn_section){(lmb_profile_shape)row[0], {row[1], row[2], row[3], row[4]}};
    else return 0;
    lmb_outline_make(&o, &s);
    for (int i = 0; i < o.points; i++) radius = fmax(radius, hypot(o.p[i][0], o.p[i][1]));
    return radius;
}

static lmb_status make_flex(lmb_scene_flex **out, maker *w, const lmb_body *b, const lmb_drawn_columns *c,
                            lmb_error *err) {
    const lmb_body *owner = lmb_skin_owner(b);
    if (owner == NULL) return LMB_OK;
    const char *shape = lmb_picture_name(w->arena, owner);
    *out = lmb_arena_get(w->arena, 1, sizeof **out);
    if (shape == NULL || *out == NULL) return lmb_fail_memory(err);
    **out = (lmb_scene_flex){shape,        c->elastic,  c->elastic_increment, c->elastic_count,
                             radius_of(b), c->residual, c->residual_count};
    return LMB_OK;
}

static lmb_status make_body(lmb_scene_body *out, maker *w, const lmb_body *b, lmb_error *err) {
    lmb_drawn_columns c = lmb_body_columns(&w->places, b);
    *out = (lmb_scene_body){
        .name = lmb_picture_name(w->arena, b), .kind = b->ops->name, .q = c.pose, .v = c.pose_increment};
    if (b->part > 0) out->of = (b - b->part)->name;
    return out->name ? make_flex(&out->flex, w, b, &c, err) : lmb_fail_memory(err);
}

// the entries of a section by their names
static lmb_status name_entries(lmb_names *out, const lmb_node *section, lmb_error *err) {
    for (lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        void **slot = n->key ? lmb_names_slot(out, n->key) : NULL;
        if (slot == NULL) return lmb_fail_memory(err);
        *slot = n;
    }
    return LMB_OK;
}

static lmb_status make_bodies(maker *w, lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    lmb_names written = {.arena = w->arena};
    lmb_status st = name_entries(&written, lmb_node_find(s->spec->root, "bodies"), err);
    w->scene->body_count = m->body_count;
    for (int i = 0; i < m->body_count && st == LMB_OK; i++) {
        const lmb_body *b = &m->bodies[i];
        st = make_body(&w->scene->bodies[i], w, b, err);
        if (st == LMB_OK)
            st = make_looks(&w->scene->bodies[i], w, s->spec, lmb_names_get(&written, (b - b->part)->name),
                            err);
    }
    return st;
}

// ---- the rest ----------------------------------------------------------------------------------

static void make_markers(maker *w, const lmb_model *m) {
    w->scene->marker_count = m->marker_count;
    for (int i = 0; i < m->marker_count; i++) {
        const lmb_marker *k = &m->markers[i];
        const lmb_shown *p = w->places.markers[i];
        w->scene->markers[i] = (lmb_scene_marker){k->name,
                                                  k->body,
                                                  k->local.r,
                                                  q_from_matrix(k->local.R),
                                                  p ? m->shown_nq + p->q : -1,
                                                  p ? m->shown_nv + p->v : -1};
    }
}

static void make_joints(maker *w, const lmb_model *m) {
    for (int i = 0; i < m->joint_count; i++) {
        lmb_joint *j = &m->joints[i];
        if (j->start != LMB_START_NONE) continue;
        w->scene->joints[w->scene->joint_count++] = (lmb_scene_link){j->name,
                                                                     j->kind,
                                                                     j->marker_count,
                                                                     j->marker,
                                                                     lmb_joint_is_inner(m, j),
                                                                     lmb_switch_column(&w->switches, i)};
    }
}

static void make_forces(maker *w, const lmb_model *m) {
    for (int i = 0; i < m->force_count; i++) {
        lmb_force *f = &m->forces[i];
        w->scene->forces[w->scene->force_count++] = (lmb_scene_link){
            f->name, f->ops->name, 2, f->marker, false, lmb_switch_column(&w->switches, m->joint_count + i)};
    }
}

static lmb_status make_lists(maker *w, const lmb_model *m, lmb_error *err) {
    lmb_scene *s = w->scene;
    s->bodies = lmb_arena_get(w->arena, (size_t)m->body_count, sizeof *s->bodies);
    s->markers = lmb_arena_get(w->arena, (size_t)m->marker_count, sizeof *s->markers);
    s->joints = lmb_arena_get(w->arena, (size_t)m->joint_count, sizeof *s->joints);
    s->forces = lmb_arena_get(w->arena, (size_t)m->force_count, sizeof *s->forces);
    return s->bodies && s->markers && s->joints && s->forces ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status fill(maker *w, lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    w->scene->title = lmb_system_title(s);
    w->scene->length = m->length;
    w->scene->gravity = m->gravity;
    lmb_status st = lmb_places_make(&w->places, w->arena, m, err);
    if (st == LMB_OK) st = lmb_switches_make(&w->switches, w->arena, s->program, err);
    if (st == LMB_OK) st = make_lists(w, m, err);
    if (st == LMB_OK) st = make_bodies(w, s, err);
    if (st != LMB_OK) return st;
    make_markers(w, m);
    make_joints(w, m);
    make_forces(w, m);
    return LMB_OK;
}

lmb_status lmb_scene_make(lmb_scene **out, lmb_system *s, lmb_error *err) {
    lmb_status st = lmb_scene_create(out, err);
    if (st != LMB_OK) return st;
    st = fill(&(maker){.scene = *out, .arena = (*out)->arena}, s, err);
    if (st == LMB_OK) return LMB_OK;
    lmb_scene_destroy(*out);
    *out = NULL;
    return st;
}
