// api/geometry_api.c: solids and faces of a geometry or a mesh, as table, CSV and JSON.
#include "api/geometry_api.h"

#include "core/json.h"
#include "os/outfile.h"

#include <string.h>

// ---- opening -----------------------------------------------------------------------------------

// Triangles around a full circle: areas are those of their chords, 0.2 % less than those of the circle.
enum { AROUND = 60 };

// the surfaces of all solids, in m
static lmb_status survey(lmb_geometry *g, const lmb_part_settings *s, lmb_error *err) {
    const lmb_watch watch = {s->progress, s->user};
    double unit = lmb_part_unit(g->file.part.keys.unit);
    const lmb_geometry_options o = {.per_circle = AROUND, .unit = unit, .outline = true, .log = s->log};
    lmb_status st = lmb_geometry_solids(&g->solids, g->file.paths[0], &watch, err);
    if (st == LMB_OK) st = lmb_geometry_mesh(&g->outline, g->file.paths[0], &o, &watch, err);
    if (st == LMB_OK) lmb_mesh_scale(g->outline, unit);
    g->mesh = g->outline;
    return st;
}

static lmb_status read_mesh(lmb_geometry *g, const lmb_part_settings *s, lmb_error *err) {
    const lmb_watch watch = {s->progress, s->user};
    lmb_status st = lmb_part_file_contents(&g->contents, &g->file, &watch, err);
    g->mesh = g->contents.mesh;
    if (st == LMB_OK && g->mesh == NULL)
        st =
            lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "%s is not a mesh: it has no faces", g->file.part.what);
    if (st == LMB_OK) lmb_mesh_convert(g->mesh, lmb_part_unit(g->file.part.keys.unit));
    return st;
}

// a geometry alone needs no element size here
static lmb_status open_file(lmb_geometry *g, const char *path, const lmb_part_settings *s, lmb_error *err) {
    lmb_part_settings own = *s;
    lmb_setting *keys = lmb_alloc((size_t)s->key_count + 1, sizeof *keys);
    if (keys == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < s->key_count; i++) keys[i] = s->keys[i];
    own.keys = keys;
    if (lmb_geometry_knows(path)) keys[own.key_count++] = (lmb_setting){"part.element_size", "1"};
    lmb_status st = lmb_part_file_open(&g->file, path, &own, err);
    lmb_free(keys);
    return st;
}

lmb_status lmb_geometry_open(lmb_geometry **out, const char *path, const lmb_part_settings *settings,
                             lmb_error *err) {
    const lmb_part_settings none = {0}, *s = settings ? settings : &none;
    lmb_geometry *g = *out = lmb_alloc(1, sizeof *g);
    if (g == NULL) return lmb_fail_memory(err);
    lmb_plain_locale locale = lmb_locale_begin();
    bool alone = lmb_geometry_knows(path);
    lmb_status st = open_file(g, path, s, err);
    if (st == LMB_OK) st = alone ? survey(g, s, err) : read_mesh(g, s, err);
    bool cad = st == LMB_OK && lmb_geometry_knows(g->file.paths[0]);
    if (st == LMB_OK)
        st = lmb_face_list_make(&g->faces, g->mesh, cad ? LMB_FACES_OF_CAD : LMB_FACES_OF_MESH, err);
    lmb_locale_end(locale);
    if (st != LMB_OK) lmb_geometry_close(g), *out = NULL;
    return st;
}

void lmb_geometry_close(lmb_geometry *g) {
    if (g == NULL) return;
    lmb_face_list_free(&g->faces);
    lmb_solids_free(&g->solids);
    lmb_mesh_destroy(g->outline);
    lmb_part_contents_free(&g->contents);
    lmb_part_file_close(&g->file);
    lmb_free(g);
}

const lmb_solid *lmb_geometry_solid_of(const lmb_geometry *g, int number) {
    for (int i = 0; i < g->solids.count; i++)
        for (int k = 0; k < g->solids.list[i].face_count; k++)
            if (g->solids.list[i].faces[k] == number) return &g->solids.list[i];
    return NULL;
}

// ---- texts -------------------------------------------------------------------------------------

// what the kind of a face says of it; NAN: nothing
typedef struct columns {
    vec3 axis, at; // at: of an axis, else NAN
    double radius, ring, angle;
} columns;

static columns columns_of(const lmb_face *f) {
    const lmb_surface *s = &f->surface;
    const vec3 none = {NAN, NAN, NAN};
    bool plane = s->kind == LMB_SURFACE_PLANE, sphere = s->kind == LMB_SURFACE_SPHERE,
         other = s->kind == LMB_SURFACE_OTHER, cone = s->kind == LMB_SURFACE_CONE;
    return (columns){.axis = other || sphere ? none : s->axis,
                     .at = other || plane ? none : s->at,
                     .radius = plane || other || cone ? NAN : s->r,
                     .ring = s->kind == LMB_SURFACE_TORUS ? s->R : NAN,
                     .angle = cone ? s->angle : NAN};
}

static const char *name_of_solid(const lmb_geometry *g, const lmb_face *f) {
    const lmb_solid *solid = lmb_geometry_solid_of(g, f->number);
    return solid ? solid->name : "";
}

static bool add_csv_number(lmb_text *t, double x) {
    return isnan(x) ? lmb_text_add(t, ",") : lmb_text_add(t, ",%.9g", x);
}

static bool add_csv_vector(lmb_text *t, vec3 v) {
    return add_csv_number(t, v.x) && add_csv_number(t, v.y) && add_csv_number(t, v.z);
}

static bool write_csv(lmb_text *t, const lmb_geometry *g) {
    bool ok = lmb_text_add(
        t, "face,kind,solid,area [m2],centre x [m],centre y [m],centre z [m],axis x,axis y,axis z,at x "
           "[m],at y [m],at z [m],radius [m],ring radius [m],angle [rad]\n");
    for (int i = 0; i < g->faces.face_count && ok; i++) {
        const lmb_face *f = &g->faces.faces[i];
        columns c = columns_of(f);
        ok =
            lmb_text_add(t, "%d,%s,%s", f->number, lmb_surface_names[f->surface.kind], name_of_solid(g, f)) &&
            add_csv_number(t, f->area) && add_csv_vector(t, f->centre) && add_csv_vector(t, c.axis) &&
            add_csv_vector(t, c.at) && add_csv_number(t, c.radius) && add_csv_number(t, c.ring) &&
            add_csv_number(t, c.angle) && lmb_text_add(t, "\n");
    }
    return ok;
}

static bool add_json_number(lmb_text *t, const char *key, double x) {
    return isnan(x) || lmb_text_add(t, ", \"%s\": %.9g", key, x);
}

static bool add_json_vector(lmb_text *t, const char *key, vec3 v) {
    return isnan(v.x) || lmb_text_add(t, ", \"%s\": [%.9g, %.9g, %.9g]", key, v.x, v.y, v.z);
}

static bool write_json_face(lmb_text *t, const lmb_geometry *g, const lmb_face *f) {
    columns c = columns_of(f);
    const char *solid = name_of_solid(g, f);
    bool ok =
        lmb_text_add(t, "{\"face\": %d, \"kind\": \"%s\"", f->number, lmb_surface_names[f->surface.kind]);
    if (ok && *solid) ok = lmb_text_add(t, ", \"solid\": \"%s\"", solid);
    return ok && add_json_number(t, "area", f->area) && add_json_vector(t, "centre", f->centre) &&
           add_json_vector(t, "axis", c.axis) && add_json_vector(t, "at", c.at) &&
           add_json_number(t, "radius", c.radius) && add_json_number(t, "ring_radius", c.ring) &&
           add_json_number(t, "angle", c.angle) && lmb_text_add(t, "}");
}

static bool write_json(lmb_text *t, const lmb_geometry *g) {
    bool ok = lmb_text_add(t, "{\"solids\": [");
    for (int i = 0; i < g->solids.count && ok; i++) {
        const lmb_solid *s = &g->solids.list[i];
        ok = lmb_text_add(t, "%s{\"solid\": %d, \"name\": \"%s\", \"label\": ", i ? ", " : "", s->number,
                          s->name) &&
             lmb_json_string(t, s->label) && lmb_text_add(t, "}");
    }
    ok = ok && lmb_text_add(t, "],\n\"faces\": [\n");
    for (int i = 0; i < g->faces.face_count && ok; i++)
        ok = lmb_text_add(t, i ? ",\n" : "") && write_json_face(t, g, &g->faces.faces[i]);
    return ok && lmb_text_add(t, "\n]}\n");
}

static bool write_line(lmb_text *t, const lmb_geometry *g, const lmb_face *f) {
    columns c = columns_of(f);
    bool ok = lmb_text_add(t, "%5d  %-8s  %-16.40s  %9.4g  [%.5g, %.5g, %.5g]", f->number,
                           lmb_surface_names[f->surface.kind], name_of_solid(g, f), f->area, f->centre.x,
                           f->centre.y, f->centre.z);
    if (ok && !isnan(c.radius)) ok = lmb_text_add(t, ", radius %.6g", c.radius);
    if (ok && !isnan(c.ring)) ok = lmb_text_add(t, ", ring %.6g", c.ring);
    if (ok && !isnan(c.angle)) ok = lmb_text_add(t, ", half angle %.5g deg", c.angle * 180 / LMB_PI);
    if (ok && !isnan(c.axis.x))
        ok = lmb_text_add(t, ", %s [%.5g, %.5g, %.5g]",
                          f->surface.kind == LMB_SURFACE_PLANE ? "normal" : "axis", c.axis.x, c.axis.y,
                          c.axis.z);
    if (ok && !isnan(c.at.x)) ok = lmb_text_add(t, ", at [%.5g, %.5g, %.5g]", c.at.x, c.at.y, c.at.z);
    return ok && lmb_text_add(t, "\n");
}

static bool write_table(lmb_text *t, const lmb_geometry *g) {
    bool ok = true;
    for (int i = 0; i < g->solids.count && ok; i++)
        ok = lmb_text_add(t, "solid %d  %s: %d faces\n", g->solids.list[i].number, g->solids.list[i].name,
                          g->solids.list[i].face_count);
    ok = ok && lmb_text_add(t, " face  kind      solid             area, m2   centre and data, m\n");
    for (int i = 0; i < g->faces.face_count && ok; i++) ok = write_line(t, g, &g->faces.faces[i]);
    return ok;
}

lmb_status lmb_geometry_describe(char **out, const lmb_geometry *g, lmb_geometry_format format,
                                 lmb_error *err) {
    lmb_text t = {0};
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = format == LMB_GEOMETRY_CSV    ? write_csv(&t, g)
              : format == LMB_GEOMETRY_JSON ? write_json(&t, g)
                                            : write_table(&t, g);
    lmb_locale_end(locale);
    if (!ok) return lmb_text_free(&t), lmb_fail_memory(err);
    return *out = t.text, LMB_OK;
}

lmb_status lmb_geometry_write(const char *path, const lmb_geometry *g, const char *page, lmb_error *err) {
    bool csv = lmb_format_fits(".csv", path);
    char *text = NULL;
    lmb_outfile o;
    if (lmb_format_fits(".html", path)) return lmb_geometry_page(path, g, page, err);
    if (!csv && !lmb_format_fits(".json", path))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s': faces are written as a page (.html), .csv or .json", path);
    lmb_status st = lmb_geometry_describe(&text, g, csv ? LMB_GEOMETRY_CSV : LMB_GEOMETRY_JSON, err);
    if (st == LMB_OK) st = lmb_outfile_open(&o, path, g->file.paths[0], err);
    if (st == LMB_OK) {
        fputs(text, o.f);
        st = lmb_outfile_close(&o, LMB_OK, err);
    }
    lmb_text_release(text);
    return st;
}
