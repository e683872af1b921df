// api/scene.c: the model's bodies, markers, joints and forces as JSON, for the viewer.
//
// {"title", "length", "gravity",
//  "bodies": [{"name", "of"?, "kind", "q", "v", "color"?, "shapes"?: [{"kind", "at", "rotation", "size"}],
//              "flex"?: {"shape", "q", "v", "count", "radius"?}}],
//  "markers": [{"name", "body", "at", "rotation", "q"?, "v"?}],
//  "joints": [{"name", "kind", "markers", "inner"?, "active"?}], "forces": [{"name", "kind", "markers", "active"?}]}
//
// q: column of x (then y, z and the quaternion) of a body or marker, of the first elastic coordinate; v: of their
// increments in mode shapes (picture.h); -1: none.  A marker without q goes with its body.  A body whose q is -1 and that
// has flex moves in absolute coordinates.  shape: its group in /flex (skin.h).  of: the beam that it is a part of.  active: column
// of table active.  Body -1
// is ground.  Rotations are unit quaternions (w, x, y, z) from local to body axes.  Sizes: box: edges; sphere: radius;
// cylinder: radius and height along z.  radius: of a
// beam's section, the largest.
#include "api/handles.h"

#include "api/picture.h"
#include "body/shape.h"
#include "core/json.h"
#include "fe/fe.h"
#include "reduce/flex.h"

#include <string.h>

// Appends to a text; after a failed allocation everything is a no-op.
typedef struct writer {
    lmb_text *out;
    lmb_arena *arena;
    lmb_places places;
    lmb_switches switches;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->out, __VA_ARGS__))

static void add_string(writer *w, const char *s) { w->ok = w->ok && lmb_json_string(w->out, s); }

static void add_vec3(writer *w, const char *name, vec3 a) {
    ADD(w, ", \"%s\": [%.17g, %.17g, %.17g]", name, a.x, a.y, a.z);
}

static void add_pose(writer *w, pose p) {
    quat q = q_from_matrix(p.R);
    add_vec3(w, "at", p.r);
    ADD(w, ", \"rotation\": [%.17g, %.17g, %.17g, %.17g]", q.w, q.x, q.y, q.z);
}

static void add_head(writer *w, const char *separator, const char *name, const char *kind) {
    ADD(w, "%s\n{\"name\": ", separator);
    add_string(w, name);
    if (kind) ADD(w, ", \"kind\": \"%s\"", kind);
}

static void add_markers(writer *w, const int *marker, int count) {
    ADD(w, ", \"markers\": [");
    for (int i = 0; i < count; i++) ADD(w, "%s%d", i ? ", " : "", marker[i]);
    ADD(w, "]");
}

// ---- bodies ------------------------------------------------------------------------------------

static lmb_status add_shapes(writer *w, lmb_spec *spec, const lmb_node *n, lmb_error *err) {
    static const char *const kinds[] = {"box", "sphere", "cylinder"};
    bool list = n->kind == LMB_NODE_LIST;
    ADD(w, ", \"shapes\": [");
    for (const lmb_node *k = list ? n->first : n; k; k = list ? k->next : NULL) {
        lmb_shape shape;
        lmb_status st = lmb_shape_read(&shape, spec, k, err);
        if (st != LMB_OK) return st;
        ADD(w, "%s{\"kind\": \"%s\"", k == n->first || !list ? "" : ", ", kinds[shape.kind]);
        add_pose(w, shape.at);
        add_vec3(w, "size", shape.size);
        ADD(w, "}");
    }
    ADD(w, "]");
    return LMB_OK;
}

// keys of a body that only affect its appearance; n may be NULL
static lmb_status add_looks(writer *w, lmb_spec *spec, const lmb_node *n, lmb_error *err) {
    const lmb_node *color = lmb_node_find(n, "color"), *shape = lmb_node_find(n, "shape");
    if (color && color->kind == LMB_NODE_SCALAR) {
        ADD(w, ", \"color\": ");
        add_string(w, color->text);
    }
    return shape && shape->kind != LMB_NODE_NULL ? add_shapes(w, spec, shape, err) : LMB_OK;
}

// the largest distance of the section from its centroid at the start of a beam, 0: no beam
static double radius_of(const lmb_body *b) {
    lmb_drawn_section s = {0};
    lmb_outline o;
    double radius = 0;
    const double *row = b->ops->flex ? b->ops->flex(b)->line_section : NULL;
    if (b->ops->profile) s = lmb_profile_drawn(b->ops->profile(b));
    else if (row) s = (lmb_drawn_section){(lmb_profile_shape)row[0], {row[1], row[2], row[3], row[4]}};
    else return 0;
    lmb_outline_make(&o, &s);
    for (int i = 0; i < o.points; i++) radius = fmax(radius, hypot(o.p[i][0], o.p[i][1]));
    return radius;
}

static void add_flex(writer *w, const lmb_body *b, const lmb_drawn_columns *c) {
    const lmb_body *owner = lmb_skin_owner(b);
    const char *shape = owner ? lmb_picture_name(w->arena, owner) : NULL;
    w->ok = w->ok && (shape || !owner);
    if (!w->ok || !owner) return;
    ADD(w, ", \"flex\": {\"shape\": ");
    add_string(w, shape);
    ADD(w, ", \"q\": %d, \"v\": %d, \"count\": %d", c->elastic, c->elastic_increment, c->elastic_count);
    double radius = radius_of(b);
    if (radius > 0) ADD(w, ", \"radius\": %.6g", radius);
    ADD(w, "}");
}

static void add_body(writer *w, const lmb_body *b, const char *separator) {
    const char *name = lmb_picture_name(w->arena, b);
    lmb_drawn_columns c = lmb_body_columns(&w->places, b);
    w->ok = w->ok && name;
    if (!w->ok) return;
    add_head(w, separator, name, b->ops->name);
    ADD(w, ", \"q\": %d, \"v\": %d", c.pose, c.pose_increment);
    if (b->part > 0) ADD(w, ", \"of\": "), add_string(w, (b - b->part)->name);
    add_flex(w, b, &c);
}

static lmb_status add_bodies(writer *w, lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    const lmb_node *section = lmb_node_find(s->spec->root, "bodies");
    lmb_status st = LMB_OK;
    ADD(w, ",\n\"bodies\": [");
    for (int i = 0; i < m->body_count && st == LMB_OK; i++) {
        const lmb_body *b = &m->bodies[i];
        add_body(w, b, i ? "," : "");
        st = add_looks(w, s->spec, lmb_node_find(section, (b - b->part)->name), err);
        ADD(w, "}");
    }
    ADD(w, "]");
    return st;
}

// ---- the rest ----------------------------------------------------------------------------------

static void add_frames(writer *w, const lmb_model *m) {
    ADD(w, ",\n\"markers\": [");
    for (int i = 0; i < m->marker_count; i++) {
        add_head(w, i ? "," : "", m->markers[i].name, NULL);
        ADD(w, ", \"body\": %d", m->markers[i].body);
        add_pose(w, m->markers[i].local);
        const lmb_shown *p = lmb_marker_place(&w->places, i);
        if (p) ADD(w, ", \"q\": %d, \"v\": %d", m->nq + p->q, m->nv + p->v);
        ADD(w, "}");
    }
    ADD(w, "]");
}

// and the closing brace
static void add_switch(writer *w, int element) {
    int column = lmb_switch_column(&w->switches, element);
    if (column >= 0) ADD(w, ", \"active\": %d", column);
    ADD(w, "}");
}

static void add_joints(writer *w, const lmb_model *m) {
    const char *separator = "";
    ADD(w, ",\n\"joints\": [");
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        if (j->start != LMB_START_NONE) continue;
        add_head(w, separator, j->name, j->kind);
        add_markers(w, j->marker, j->marker_count);
        if (lmb_joint_is_inner(m, j)) ADD(w, ", \"inner\": true");
        add_switch(w, i);
        separator = ",";
    }
    ADD(w, "]");
}

static void add_forces(writer *w, const lmb_model *m) {
    ADD(w, ",\n\"forces\": [");
    for (int i = 0; i < m->force_count; i++) {
        add_head(w, i ? "," : "", m->forces[i].name, m->forces[i].ops->name);
        add_markers(w, m->forces[i].marker, 2);
        add_switch(w, m->joint_count + i);
    }
    ADD(w, "]");
}

lmb_status lmb_scene_write(lmb_text *out, lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    writer w = {.out = out, .ok = true, .arena = lmb_arena_create(1 << 12)};
    if (w.arena == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_places_make(&w.places, w.arena, m, err);
    if (st == LMB_OK) st = lmb_switches_make(&w.switches, w.arena, s->program, err);
    if (st != LMB_OK) return lmb_arena_destroy(w.arena), st;
    lmb_plain_locale locale = lmb_locale_begin();
    ADD(&w, "{\"title\": ");
    add_string(&w, lmb_system_title(s));
    ADD(&w, ", \"length\": %.17g", m->length);
    add_vec3(&w, "gravity", m->gravity);
    st = add_bodies(&w, s, err);
    add_frames(&w, m);
    add_joints(&w, m);
    add_forces(&w, m);
    ADD(&w, "}\n");
    lmb_locale_end(locale);
    lmb_arena_destroy(w.arena);
    return st != LMB_OK ? st : w.ok ? LMB_OK : lmb_fail_memory(err);
}
