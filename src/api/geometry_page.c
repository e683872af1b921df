// api/geometry_page.c: a page with the faces of a geometry: a results file of one instant, a body for each face, named by its
// number, through the same door as all results (lmb_view_file).
#include "api/geometry_api.h"

#include "draw/scene.h"
#include "os/files.h"
#include "store/results.h"
#include "store/skin.h"

#include <stdio.h>
#include <string.h>

typedef struct maker {
    const lmb_geometry *g;
    lmb_arena *arena;
    lmb_scene *scene;
    lmb_skin *skins;
    const char **names;
} maker;

// The corners of the facets of face k as triangles, each facet with corners of its own.
static lmb_status make_skin(maker *w, int k, lmb_error *err) {
    const lmb_face_list *l = &w->g->faces;
    const lmb_mesh *m = w->g->mesh;
    lmb_skin *s = &w->skins[k];
    int nodes = 0, triangles = 0;
    for (int pass = 0; pass < 2; pass++) {
        nodes = triangles = 0;
        for (int i = 0; i < l->facet_count; i++) {
            const lmb_facet *f = &l->facets[i];
            const signed char *side = m->elements[f->item / 8].ops->face_nodes[f->item % 8];
            int n = side[0] > 4 ? side[0] / 2 : side[0];
            if (f->face != k) continue;
            for (int c = 0; c < n && pass; c++)
                v3_store(s->x + 3 * (nodes + c), m->x[lmb_mesh_nodes(m, f->item / 8)[side[1 + c]]]);
            for (int c = 2; c < n; c++, triangles++) {
                const int32_t t[3] = {nodes, nodes + c - 1, nodes + c};
                if (pass) memcpy(s->triangles + 3 * triangles, t, sizeof t);
            }
            nodes += n;
        }
        if (pass) break;
        s->x = lmb_arena_doubles(w->arena, 3 * nodes + 1);
        s->triangles = lmb_arena_get(w->arena, 3 * (size_t)triangles + 1, sizeof *s->triangles);
        s->modes = lmb_arena_get(w->arena, 1, sizeof *s->modes);
        if (s->x == NULL || s->triangles == NULL || s->modes == NULL) return lmb_fail_memory(err);
    }
    s->node_count = nodes, s->triangle_count = triangles;
    return LMB_OK;
}

static lmb_status make_body(maker *w, int k, lmb_error *err) {
    // planes, cylinders, spheres, cones, tori, others
    static const char *const colors[] = {"#8fa3b3", "#4c9be0", "#58b368", "#e0a24c", "#b07cc6", "#c9c2b8"};
    const lmb_face *f = &w->g->faces.faces[k];
    lmb_scene_flex *flex = lmb_arena_get(w->arena, 1, sizeof *flex);
    const lmb_solid *solid = lmb_geometry_solid_of(w->g, f->number);
    char *name = lmb_arena_printf(w->arena, "%d", f->number);
    const char *kind =
        solid ? lmb_arena_printf(w->arena, "%s of %s", lmb_surface_names[f->surface.kind], solid->name)
              : lmb_surface_names[f->surface.kind];
    if (flex == NULL || name == NULL || kind == NULL) return lmb_fail_memory(err);
    *flex = (lmb_scene_flex){.q = -1, .v = -1, .p = -1};
    w->names[k] = name;
    w->scene->bodies[k] = (lmb_scene_body){
        .name = name, .kind = kind, .q = 0, .v = -1, .color = colors[f->surface.kind], .flex = flex};
    return make_skin(w, k, err);
}

static lmb_status make_scene(maker *w, lmb_error *err) {
    int n = w->g->faces.face_count;
    lmb_status st = lmb_scene_create(&w->scene, err);
    if (st != LMB_OK) return st;
    w->arena = w->scene->arena;
    w->scene->title = w->g->file.name;
    w->scene->labels = true;
    w->scene->bodies = lmb_arena_get(w->arena, (size_t)n + 1, sizeof *w->scene->bodies);
    w->skins = lmb_arena_get(w->arena, (size_t)n + 1, sizeof *w->skins);
    w->names = lmb_arena_get(w->arena, (size_t)n + 1, sizeof *w->names);
    if (w->scene->bodies == NULL || w->skins == NULL || w->names == NULL) return lmb_fail_memory(err);
    w->scene->body_count = n;
    for (int k = 0; k < n && st == LMB_OK; k++) st = make_body(w, k, err);
    return st;
}

// one row: nothing is moved or turned
static lmb_status write_results(const maker *w, const char *path, lmb_error *err) {
    static const lmb_column columns[] = {{"all.x", "m"},  {"all.y", "m"},  {"all.z", "m"}, {"all.qw", "1"},
                                         {"all.qx", "1"}, {"all.qy", "1"}, {"all.qz", "1"}};
    static const char *const text_names[] = {"scene"};
    const lmb_table tables[] = {{"q", "pose of all faces", LMB_COUNT(columns), columns}};
    const lmb_group group = {.name = "01_statics", .type = "statics", .table_count = 1, .tables = tables};
    const double q[] = {0, 0, 0, 1, 0, 0, 0}, *rows[] = {q};
    lmb_text scene = {0};
    lmb_results *r = NULL;
    if (!lmb_scene_write(&scene, w->scene)) return lmb_text_free(&scene), lmb_fail_memory(err);
    const char *const texts[] = {scene.text};
    const lmb_results_info info = {.version = lmb_version(),
                                   .command = "limber faces",
                                   .model_file = w->g->file.paths[0],
                                   .model_text = "",
                                   .created = "",
                                   .text_count = 1,
                                   .text_names = text_names,
                                   .texts = texts,
                                   .skin_count = w->g->faces.face_count,
                                   .skin_names = w->names,
                                   .skins = w->skins};
    lmb_status st = lmb_results_create(&r, path, &info, &group, 1, 1, err);
    if (st == LMB_OK) st = lmb_results_row(r, 0, 0, rows, err);
    if (st == LMB_OK) st = lmb_results_status(r, 0, "done", NULL, err);
    lmb_status closed = lmb_results_close(r, st == LMB_OK ? err : NULL);
    lmb_text_free(&scene);
    return st ? st : closed;
}

lmb_status lmb_geometry_page(const char *path, const lmb_geometry *g, const char *page, lmb_error *err) {
    maker w = {.g = g};
    char folder[256] = "", results[300];
    lmb_status st = lmb_scratch_folder(folder, sizeof folder, err);
    if (st != LMB_OK) return st;
    snprintf(results, sizeof results, "%s/faces.h5", folder);
    st = make_scene(&w, err);
    if (st == LMB_OK) st = write_results(&w, results, err);
    const char *const one[] = {results};
    const lmb_view_options view = {.results = one, .result_count = 1, .page = page};
    if (st == LMB_OK) st = lmb_view_file(path, &view, err);
    lmb_scene_destroy(w.scene);
    lmb_folder_remove(folder);
    return st;
}
