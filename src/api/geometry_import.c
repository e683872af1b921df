// api/geometry_import.c: a geometry as a model for people to go on with: a body for each solid, and what joins them.
//
// Where cylinders of two solids have one axis and one radius and lie over each other along it, both get an interface there, and a
// comment proposes a joint; a pin through several bores has one interface for all of them.  The solids lie where the file has them: the frames of all bodies are that of the file.
#include "api/geometry_api.h"

#include "os/files.h"
#include "os/outfile.h"

#include <stdio.h>
#include <string.h>

// ---- where solids meet -------------------------------------------------------------------------

enum { MOST_MEETINGS = 2000 };

typedef struct meeting { // on a cylinder
    int solid[2];        // indices, ascending
    int face[2];         // indices
    double r[2];
    vec3 at, axis;     // middle of what they share
    int pieces;        // faces that share this axis: two of a fork
    char name[2][140]; // of the interfaces
} meeting;

typedef struct span { // of a face along an axis
    double low, high;
} span;

static span span_of(const lmb_face_list *l, int face, const lmb_surface *s) {
    span out = {INFINITY, -INFINITY};
    for (int i = 0; i < l->facet_count; i++) {
        const lmb_facet *f = &l->facets[i];
        const signed char *side = l->mesh->elements[f->item / 8].ops->face_nodes[f->item % 8];
        for (int k = 1; f->face == face && k <= side[0]; k++) {
            double t =
                v3_dot(v3_sub(l->mesh->x[lmb_mesh_nodes(l->mesh, f->item / 8)[side[k]]], s->at), s->axis);
            out.low = fmin(out.low, t), out.high = fmax(out.high, t);
        }
    }
    return out;
}

// radii differ by a running fit at most: a two hundredth
static bool coaxial(const lmb_surface *a, const lmb_surface *b) {
    vec3 d = v3_sub(b->at, a->at);
    double off = v3_norm(v3_madd(d, -v3_dot(d, a->axis), a->axis));
    return a->kind == LMB_SURFACE_CYLINDER && b->kind == LMB_SURFACE_CYLINDER &&
           fabs(v3_dot(a->axis, b->axis)) > 0.9998 && fabs(a->r - b->r) <= 5e-3 * a->r && off <= 5e-3 * a->r;
}

// one that joins the same solids on the same axis: the two sides of a fork
static meeting *find_known(meeting *list, int count, const meeting *m) {
    for (int i = 0; i < count; i++) {
        vec3 d = v3_sub(m->at, list[i].at);
        double off = v3_norm(v3_madd(d, -v3_dot(d, m->axis), m->axis));
        bool same = list[i].solid[0] == m->solid[0] && list[i].solid[1] == m->solid[1];
        if (same && off <= 0.01 * m->r[0] && fabs(list[i].r[0] / m->r[0] - 1) < 0.01) return &list[i];
    }
    return NULL;
}

static bool meet(meeting *out, const lmb_geometry *g, int i, int j) {
    const lmb_face_list *l = &g->faces;
    const lmb_face *a = &l->faces[i], *b = &l->faces[j];
    if (!coaxial(&a->surface, &b->surface)) return false;
    const lmb_solid *p = lmb_geometry_solid_of(g, a->number), *q = lmb_geometry_solid_of(g, b->number);
    if (p == NULL || q == NULL || p == q) return false;
    span u = span_of(l, i, &a->surface), v = span_of(l, j, &a->surface);
    double low = fmax(u.low, v.low), high = fmin(u.high, v.high);
    int first = p > q; // the face of the solid that comes first
    *out = (meeting){.at = v3_madd(a->surface.at, 0.5 * (low + high), a->surface.axis),
                     .axis = a->surface.axis,
                     .pieces = 1};
    out->solid[first] = (int)(p - g->solids.list), out->solid[!first] = (int)(q - g->solids.list);
    out->face[first] = i, out->face[!first] = j;
    out->r[first] = a->surface.r, out->r[!first] = b->surface.r;
    return high - low > 0.01 * a->surface.r;
}

static int find_meetings(meeting *list, const lmb_geometry *g) {
    int count = 0;
    for (int i = 0; i < g->faces.face_count; i++)
        for (int j = i + 1; j < g->faces.face_count && count < MOST_MEETINGS; j++) {
            meeting m, *known;
            if (!meet(&m, g, i, j)) continue;
            known = find_known(list, count, &m);
            if (known) {
                known->at = v3_madd(known->at, 1.0 / ++known->pieces, v3_sub(m.at, known->at));
            } else {
                list[count++] = m;
            }
        }
    return count;
}

// ---- names and origins -------------------------------------------------------------------------

// The first meeting whose side is this face of this meeting; k itself: none before.
static int first_of(const meeting *list, int k, int side, int *its_side) {
    for (int i = 0; i < k; i++)
        for (int other = 0; other < 2; other++)
            if (list[i].face[other] == list[k].face[side]) return *its_side = other, i;
    return *its_side = side, k;
}

// A face that meets several, as a pin through two levers, is one interface: all joints on it have one origin.
static void join_origins(meeting *list, int count) {
    for (int turn = 0; turn < 3; turn++) // along chains of pins
        for (int k = 0; k < count; k++)
            for (int side = 0; side < 2; side++) {
                int other, i = first_of(list, k, side, &other);
                list[k].at = list[i].at;
            }
}

static bool is_shared(const meeting *list, int count, int k, int side) {
    for (int i = 0; i < count; i++)
        for (int other = 0; other < 2; other++)
            if (i != k && list[i].face[other] == list[k].face[side]) return true;
    return false;
}

static bool is_used(const meeting *list, int k, int side, const char *name) {
    for (int i = 0; i < k; i++)
        for (int other = 0; other < 2; other++)
            if (list[i].solid[other] == list[k].solid[side] && strcmp(list[i].name[other], name) == 0)
                return true;
    return false;
}

// the name of the other body, or `pin` of a face that meets several, with a number if it is taken
static void name_side(meeting *list, int count, int k, int side, const lmb_geometry *g) {
    int other, i = first_of(list, k, side, &other);
    char *name = list[k].name[side];
    const char *plain = is_shared(list, count, k, side) ? "pin" : g->solids.list[list[k].solid[!side]].name;
    size_t size = sizeof list[k].name[side];
    if (i < k) {
        memcpy(name, list[i].name[other], size);
        return;
    }
    snprintf(name, size, "%s", plain);
    for (int n = 2; is_used(list, k, side, name); n++) snprintf(name, size, "%s_%d", plain, n);
}

static void name_meetings(meeting *list, int count, const lmb_geometry *g) {
    join_origins(list, count);
    for (int k = 0; k < count; k++)
        for (int side = 0; side < 2; side++) name_side(list, count, k, side, g);
}

// ---- the file ----------------------------------------------------------------------------------

static bool add_vector(lmb_text *t, vec3 v) { return lmb_text_add(t, "[%.9g, %.9g, %.9g]", v.x, v.y, v.z); }

// a text in quotes as YAML reads it
static bool add_quoted(lmb_text *t, const char *text) {
    bool ok = lmb_text_add(t, "\"");
    for (; *text && ok; text++) {
        bool special = *text == '"' || *text == '\\';
        ok = (unsigned char)*text < ' ' ? lmb_text_add(t, "\\x%02x", (unsigned char)*text)
                                        : (!special || lmb_text_add(t, "\\")) && lmb_text_add_n(t, text, 1);
    }
    return ok && lmb_text_add(t, "\"");
}

// The origin is common to both bodies.  One piece next to it, or, of a fork, all pieces on the axis.
static bool add_interface(lmb_text *t, const meeting *m, int side) {
    bool ok = lmb_text_add(t, "      %s: {cylinder: {axis: ", m->name[side]) && add_vector(t, m->axis) &&
              lmb_text_add(t, ", radius: %.9g, through: ", m->r[side]) && add_vector(t, m->at);
    if (ok && m->pieces == 1) ok = lmb_text_add(t, ", near: ") && add_vector(t, m->at);
    ok = ok && lmb_text_add(t, "}, at: ") && add_vector(t, m->at);
    return ok && lmb_text_add(t, "}\n");
}

static bool add_body(lmb_text *t, const lmb_geometry *g, int i, const meeting *list, int count,
                     const char *file, const char *size, const char *material) {
    bool ok =
        lmb_text_add(t, "  %s:\n    type: mesh\n    file: ", g->solids.list[i].name) && add_quoted(t, file);
    if (ok && g->solids.count > 1) ok = lmb_text_add(t, "\n    solid: %s", g->solids.list[i].name);
    lmb_cad_units declared = lmb_geometry_units(file, g->file.bytes[0].text, g->file.bytes[0].length);
    static const char *const units[] = {"m", "mm", "cm", "um", "in", "ft"};
    if (ok && declared.count == 0) ok = lmb_text_add(t, "\n    unit: %s", units[g->file.part.keys.unit]);
    ok = ok && lmb_text_add(t, "\n    element_size: %s\n    material: %s\n", size, material);
    bool any = false;
    for (int k = 0; k < count && ok; k++) {
        int side = list[k].solid[1] == i, other;
        if (list[k].solid[side] != i || first_of(list, k, side, &other) < k) continue;
        if (!any) ok = lmb_text_add(t, "    interfaces:\n");
        any = true;
        ok = ok && add_interface(t, &list[k], side);
    }
    return ok;
}

static bool add_proposal(lmb_text *t, const lmb_geometry *g, const meeting *list, int k) {
    const meeting *m = &list[k];
    const char *a = g->solids.list[m->solid[0]].name, *b = g->solids.list[m->solid[1]].name;
    int before = 0;
    for (int i = 0; i < k; i++) before += list[i].solid[0] == m->solid[0] && list[i].solid[1] == m->solid[1];
    bool ok = lmb_text_add(t, "#  %s_%s", a, b) && (before == 0 || lmb_text_add(t, "_%d", before + 1));
    return ok &&
           lmb_text_add(t, ": {type: revolute, between: [%s.%s, %s.%s], axis: ", a, m->name[0], b,
                        m->name[1]) &&
           add_vector(t, m->axis) && lmb_text_add(t, "}   # radius %.6g m; or cylindrical, fixed\n", m->r[0]);
}

static bool write_model(lmb_text *t, const lmb_geometry *g, const meeting *list, int count, const char *file,
                        const char *size, const char *material) {
    bool ok = lmb_text_add(
        t, "# The solids of a CAD file as bodies, where the file has them. To do: joints, analyses; check "
           "material "
           "and element_size.\n# `formulation: rigid` makes a body rigid; `limber faces` lists the "
           "faces, for further interfaces.\nlimber: 1\nbodies:\n");
    for (int i = 0; i < g->solids.count && ok; i++) ok = add_body(t, g, i, list, count, file, size, material);
    ok = ok &&
         lmb_text_add(
             t,
             count ? "\n# Cylinders of two solids with one axis and one radius: what these joints could be.\n"
                     "#joints:\n"
                   : "\n# No two solids have cylinders with one axis and one radius: add interfaces and "
                     "joints.\n");
    for (int i = 0; i < count && ok; i++) ok = add_proposal(t, g, list, i);
    return ok && lmb_text_add(t, "#analyses:\n#  - {type: modes}\n");
}

// The geometry as the model names it: relative to the folder of the model if it lies there or below, else its whole path.
static char *name_in_model(const char *model, const char *file) {
    const char *slash = strrchr(model, '/');
    size_t n = slash ? (size_t)(slash - model) + 1 : 0;
    if (n > 0 && strncmp(model, file, n) == 0) return lmb_strdup(file + n);
    return n == 0 ? lmb_strdup(file) : lmb_path_complete(file);
}

lmb_status lmb_geometry_import(const char *path, const lmb_geometry *g, const char *element_size,
                               const char *material, lmb_error *err) {
    const char *file = g->file.paths[0];
    if (g->solids.count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%s' has no solids to make bodies of", file);
    meeting *list = lmb_alloc(MOST_MEETINGS, sizeof *list);
    char *name = name_in_model(path, file);
    lmb_text t = {0};
    lmb_outfile o;
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = list && name ? LMB_OK : lmb_fail_memory(err);
    int count = st == LMB_OK ? find_meetings(list, g) : 0;
    if (st == LMB_OK) name_meetings(list, count, g);
    if (st == LMB_OK && !write_model(&t, g, list, count, name, element_size, material))
        st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_outfile_open(&o, path, file, err);
    if (st == LMB_OK) {
        fwrite(t.text, 1, t.length, o.f);
        st = lmb_outfile_close(&o, LMB_OK, err);
    }
    lmb_locale_end(locale);
    lmb_text_free(&t);
    lmb_free(name), lmb_free(list);
    return st;
}
