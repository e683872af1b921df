// io/scene.c: what a viewer needs beside the numbers, as JSON.
//
// {"title", "length", "gravity", "bodies": [{"name", "kind", "q", "flex"?: {"q", "count", "radius"?}, "color"?, "shapes"?: [{"kind", "at",
// "rotation", "size"}]}], "markers": [{"name", "body", "at", "rotation"}], "joints": [{"name", "kind",
// "markers"}], "forces": [{"name", "kind", "markers"}]}
//
// q: column of the body's x in table q (x, y, z, then the quaternion).  Body -1 is ground.  Rotations are
// unit quaternions (w, x, y, z) from local to body axes.  Sizes: box: edges; sphere: radius; cylinder:
// radius and height along z.
#include "io/handles.h"

#include "body/shape.h"
#include "reduce/flex.h"

#include <string.h>

// Appends to a text; after a failed allocation everything is a no-op.
typedef struct writer {
    lmb_text *out;
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
    ADD(w, "]}");
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

// what the model file says about a body beside its mechanics; n may be NULL
static lmb_status add_looks(writer *w, lmb_spec *spec, const lmb_node *n, lmb_error *err) {
    const lmb_node *color = lmb_node_find(n, "color"), *shape = lmb_node_find(n, "shape");
    if (color && color->kind == LMB_NODE_SCALAR) {
        ADD(w, ", \"color\": ");
        add_string(w, color->text);
    }
    return shape && shape->kind != LMB_NODE_NULL ? add_shapes(w, spec, shape, err) : LMB_OK;
}

// elastic coordinates stand behind the frame; a beam is drawn as thick as its section
static void add_flex(writer *w, const lmb_body *b) {
    const lmb_flex *f = b->ops->flex(b);
    ADD(w, ", \"flex\": {\"q\": %d, \"count\": %d", b->iq + 7, f->m);
    if (f->section) ADD(w, ", \"radius\": %.6g", sqrt(f->section[16] / LMB_PI));
    ADD(w, "}");
}

// bodies stand in the order of their section; others (states of signals) lie between or after
static lmb_status add_bodies(writer *w, lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    const lmb_node *section = lmb_node_find(s->spec->root, "bodies"), *n = section ? section->first : NULL;
    lmb_status st = LMB_OK;
    ADD(w, ",\n\"bodies\": [");
    for (int i = 0; i < m->body_count && st == LMB_OK; i++) {
        const lmb_body *b = &m->bodies[i];
        bool mine = n && strcmp(n->key, b->name) == 0;
        add_head(w, i ? "," : "", b->name, b->ops->name);
        ADD(w, ", \"q\": %d", b->iq);
        if (b->ops->flex) add_flex(w, b);
        if (mine) st = add_looks(w, s->spec, n, err);
        if (mine) n = n->next;
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
        ADD(w, "}");
    }
    ADD(w, "]");
}

static void add_joints(writer *w, const lmb_model *m) {
    const char *separator = "";
    ADD(w, ",\n\"joints\": [");
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        if (j->start != LMB_START_NONE) continue;
        add_head(w, separator, j->name, j->kind);
        add_markers(w, j->marker, j->marker_count);
        separator = ",";
    }
    ADD(w, "]");
}

static void add_forces(writer *w, const lmb_model *m) {
    ADD(w, ",\n\"forces\": [");
    for (int i = 0; i < m->force_count; i++) {
        add_head(w, i ? "," : "", m->forces[i].name, m->forces[i].ops->name);
        add_markers(w, m->forces[i].marker, 2);
    }
    ADD(w, "]");
}

lmb_status lmb_scene_write(lmb_text *out, lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    writer w = {out, true};
    lmb_plain_locale locale = lmb_locale_begin();
    ADD(&w, "{\"title\": ");
    add_string(&w, lmb_system_title(s));
    ADD(&w, ", \"length\": %.17g", m->length);
    add_vec3(&w, "gravity", m->gravity);
    lmb_status st = add_bodies(&w, s, err);
    add_frames(&w, m);
    add_joints(&w, m);
    add_forces(&w, m);
    ADD(&w, "}\n");
    lmb_locale_end(locale);
    return st != LMB_OK ? st : w.ok ? LMB_OK : lmb_fail_memory(err);
}
