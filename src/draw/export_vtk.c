// draw/export_vtk.c: the motion for ParaView: one unstructured grid (.vtu) per frame, and their times (.pvd).
//
// Points are in world coordinates; point data: displacement (of flexible bodies, from the undeformed body, world
// axes; zero for bodies in absolute coordinates), stress (xx, yy, zz, xy, yz, zx in body axes), von_mises, and
// von_mises_largest, that over all rows of the analysis, the same in each frame; zero where undefined; with a life also damage; cell data:
// body (its number).
// Arrays are base64 of their length in bytes (8 bytes) and their numbers, little-endian.
#include <limber/limber.h>

#include "draw/drawing.h"
#include "draw/envelope.h"
#include "draw/exports.h"
#include "draw/life.h"
#include "draw/pack.h"
#include "os/locale.h"
#include "os/outfile.h"

#include <string.h>

typedef struct grid {
    const lmb_drawing *d;
    const lmb_export_options *o; // may be NULL
    const char *results;
    int points, triangles, lines;
    double *x, *u, *stress, *mises, *local; // of one frame; local: nodes of one body
    double *largest;                        // von Mises stress over all rows; NULL: modes have none
    const lmb_life *life;                   // NULL: not wanted
    double *damage;                         // of all points; NULL: none
    FILE *f;
} grid;

static void count(grid *g) {
    for (int i = 0; i < g->d->body_count; i++) {
        g->points += g->d->bodies[i].skin.node_count;
        g->triangles += g->d->bodies[i].skin.triangle_count;
        g->lines += g->d->bodies[i].skin.line_count;
    }
}

// ---- one frame ---------------------------------------------------------------------------------

// x = r + R (x0 + u0), u = R u0
static void place_body(grid *g, const lmb_drawn *b, int frame, int first) {
    const lmb_skin *s = &b->skin;
    const double *q = lmb_drawn_elastic(g->d, b, frame);
    pose p = lmb_drawn_pose(g->d, b, frame);
    lmb_skin_nodes(g->local, s, q, lmb_drawn_rest(g->d, b));
    for (int i = 0; i < s->node_count; i++) {
        vec3 at = v3_load(g->local + 3 * i), moved = b->q < 0 ? V3_ZERO : v3_sub(at, v3_load(s->x + 3 * i));
        v3_store(g->x + 3 * (first + i), v3_add(p.r, m3_mul_v3(&p.R, at)));
        v3_store(g->u + 3 * (first + i), m3_mul_v3(&p.R, moved));
    }
    memset(g->stress + 6 * first, 0, 6 * (size_t)s->node_count * sizeof(double));
    if (s->stress || s->forces) lmb_skin_stress(g->stress + 6 * first, s, lmb_drawn_state(g->d, b, frame));
    for (int i = 0; i < s->node_count; i++) g->mises[first + i] = lmb_von_mises(g->stress + 6 * (first + i));
}

static void array(grid *g, const char *attributes, const void *data, size_t size) {
    uint64_t length = size;
    unsigned char head[9];
    // the length and the first byte fill three groups of base64, so that the rest can follow
    memcpy(head, &length, 8);
    fprintf(g->f, "<DataArray %s format=\"binary\">", attributes);
    if (size > 0) {
        memcpy(head + 8, data, 1);
        lmb_base64_write(g->f, head, 9);
        lmb_base64_write(g->f, (const unsigned char *)data + 1, size - 1);
    } else lmb_base64_write(g->f, head, 8);
    fputs("</DataArray>\n", g->f);
}

// nodes of the cells: triangles of all bodies, then lines
static bool write_cells(grid *g) {
    int cells = g->triangles + g->lines, at = 0, cell = 0;
    int32_t *nodes = lmb_alloc((size_t)(3 * g->triangles + 2 * g->lines), sizeof *nodes);
    int32_t *ends = lmb_alloc((size_t)cells, sizeof *ends), *body = lmb_alloc((size_t)cells, sizeof *body);
    unsigned char *types = lmb_alloc((size_t)cells, 1);
    bool ok = nodes && ends && body && types;
    for (int kind = 0; kind < 2 && ok; kind++)
        for (int i = 0, first = 0; i < g->d->body_count; first += g->d->bodies[i++].skin.node_count) {
            const lmb_skin *s = &g->d->bodies[i].skin;
            const int32_t *list = kind ? s->lines : s->triangles;
            int size = kind ? 2 : 3, many = kind ? s->line_count : s->triangle_count;
            for (int c = 0; c < many; c++, cell++) {
                for (int k = 0; k < size; k++) nodes[at++] = first + list[size * c + k];
                ends[cell] = at, types[cell] = kind ? 3 : 5, body[cell] = i;
            }
        }
    if (ok) {
        fputs("<Cells>\n", g->f);
        array(g, "type=\"Int32\" Name=\"connectivity\"", nodes, (size_t)at * sizeof *nodes);
        array(g, "type=\"Int32\" Name=\"offsets\"", ends, (size_t)cells * sizeof *ends);
        array(g, "type=\"UInt8\" Name=\"types\"", types, (size_t)cells);
        fputs("</Cells>\n<CellData Scalars=\"body\">\n", g->f);
        array(g, "type=\"Int32\" Name=\"body\"", body, (size_t)cells * sizeof *body);
        fputs("</CellData>\n", g->f);
    }
    lmb_free(nodes);
    lmb_free(ends);
    lmb_free(body);
    lmb_free(types);
    return ok;
}

static lmb_status write_frame(grid *g, const char *path, int frame, lmb_error *err) {
    lmb_outfile out;
    lmb_status st = lmb_outfile_open(&out, path, g->results, err);
    if (st != LMB_OK) return st;
    g->f = out.f;
    for (int i = 0, first = 0; i < g->d->body_count; first += g->d->bodies[i++].skin.node_count)
        place_body(g, &g->d->bodies[i], frame, first);
    size_t n = (size_t)g->points * sizeof(double);
    fprintf(g->f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"%d\" "
            "NumberOfCells=\"%d\">\n<Points>\n",
            g->points, g->triangles + g->lines);
    array(g, "type=\"Float64\" NumberOfComponents=\"3\"", g->x, 3 * n);
    fputs("</Points>\n<PointData Scalars=\"von_mises\" Vectors=\"displacement\">\n", g->f);
    array(g, "type=\"Float64\" Name=\"displacement\" NumberOfComponents=\"3\"", g->u, 3 * n);
    array(g, "type=\"Float64\" Name=\"stress\" NumberOfComponents=\"6\"", g->stress, 6 * n);
    array(g, "type=\"Float64\" Name=\"von_mises\"", g->mises, n);
    if (g->largest) array(g, "type=\"Float64\" Name=\"von_mises_largest\"", g->largest, n);
    if (g->damage) array(g, "type=\"Float64\" Name=\"damage\"", g->damage, n);
    fputs("</PointData>\n", g->f);
    if (!write_cells(g)) st = lmb_fail_memory(err);
    fputs("</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", g->f);
    return lmb_outfile_close(&out, st, err);
}

// ---- all frames --------------------------------------------------------------------------------

// escapes for XML text
static void escaped(FILE *f, const char *s) {
    for (; *s; s++) {
        if (strchr("<>&\"", *s)) fprintf(f, "&#%d;", *s);
        else fputc(*s, f);
    }
}

// the file of times appears last: with it all frames are there
static lmb_status write_times(lmb_outfile *out, const lmb_drawing *d, const char *stem, lmb_status st,
                              lmb_error *err) {
    const char *slash = strrchr(stem, '/'), *name = slash ? slash + 1 : stem;
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n", out->f);
    for (int k = 0; k < d->frame_count; k++) {
        fprintf(out->f, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"", d->time[k]);
        escaped(out->f, name);
        fprintf(out->f, "_%04d.vtu\"/>\n", k);
    }
    fputs("</Collection>\n</VTKFile>\n", out->f);
    return lmb_outfile_close(out, st, err);
}

// numbers of the nodes of a body of the scene
typedef const float *node_field(int *count, const void *of, int body);

static const float *largest_of(int *count, const void *of, int body) {
    const lmb_envelope *e = of;
    *count = e->bodies[body].count;
    return e->bodies[body].largest;
}

static const float *damage_of(int *count, const void *of, int body) {
    const lmb_life *e = of;
    *count = e->bodies[body].count;
    return e->bodies[body].damage;
}

// the drawing has the bodies of the scene that have a pose, in their order and with their names
static void spread(double *out, const grid *g, node_field *field, const void *of) {
    const lmb_scene *s = g->d->scene;
    for (int i = 0, body = 0; i < g->d->body_count; out += g->d->bodies[i++].skin.node_count) {
        int count = 0;
        while (body < s->body_count && s->bodies[body].name != g->d->bodies[i].name) body++;
        const float *values = body < s->body_count ? field(&count, of, body) : NULL;
        for (int k = 0; k < count; k++) out[k] = (double)values[k];
    }
}

static lmb_status fill_largest(grid *g, double *out, lmb_reader *r, int group, lmb_error *err) {
    lmb_watch watch = {g->o ? g->o->progress : NULL, g->o ? g->o->user : NULL};
    lmb_envelope_options o = {.group = group, .watch = &watch};
    lmb_envelope *e = NULL;
    lmb_status st = lmb_envelope_create(&e, r, g->d->scene, &o, err);
    if (st == LMB_OK) spread(out, g, largest_of, e);
    lmb_envelope_destroy(e);
    return st;
}

static lmb_status find_largest(grid *g, double *out, lmb_error *err) {
    lmb_reader *r;
    int group;
    lmb_status st = lmb_reader_open(&r, g->results, err);
    if (st != LMB_OK) return st;
    st = lmb_reader_find_states(&group, r, g->o ? g->o->analysis : NULL, err);
    if (st == LMB_OK && lmb_stressed_is_for(r, group))
        g->largest = out, st = fill_largest(g, out, r, group, err);
    lmb_reader_close(r);
    return st;
}

static lmb_status write_frames(grid *g, const char *stem, lmb_error *err) {
    count(g);
    double *all = lmb_alloc((size_t)g->points, 18 * sizeof *all); // 3 + 3 + 6 + 1 + 1 + 1, and 3 for one body
    if (all == NULL) return lmb_fail_memory(err);
    g->x = all, g->u = all + 3 * g->points, g->stress = all + 6 * g->points, g->mises = all + 12 * g->points;
    g->local = all + 15 * g->points;
    if (g->life) g->damage = all + 14 * g->points, spread(g->damage, g, damage_of, g->life);
    lmb_status st = find_largest(g, all + 13 * g->points, err);
    for (int k = 0; k < g->d->frame_count && st == LMB_OK; k++) {
        lmb_text path = {0};
        st = lmb_text_add(&path, "%s_%04d.vtu", stem, k) ? write_frame(g, path.text, k, err)
                                                         : lmb_fail_memory(err);
        lmb_text_free(&path);
    }
    lmb_free(all);
    return st;
}

static lmb_status write_all(grid *g, const char *stem, lmb_error *err) {
    lmb_text path = {0};
    lmb_outfile out;
    lmb_status st = lmb_text_add(&path, "%s.pvd", stem) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) lmb_output_sweep(path.text), st = lmb_outfile_open(&out, path.text, g->results, err);
    if (st == LMB_OK) st = write_times(&out, g->d, stem, write_frames(g, stem, err), err);
    lmb_text_free(&path);
    return st;
}

lmb_status lmb_vtk_write(const char *path, const char *results, const lmb_export_options *options,
                         const lmb_life *life, lmb_error *err) {
    lmb_drawing *d;
    const char *dot = strrchr(path, '.');
    lmb_status st = lmb_drawing_create(&d, results, options, err);
    if (st != LMB_OK) return st;
    grid g = {.d = d, .results = results, .o = options, .life = life};
    char *stem = lmb_strndup(path, dot ? (size_t)(dot - path) : strlen(path));
    lmb_plain_locale locale = lmb_locale_begin();
    st = stem ? write_all(&g, stem, err) : lmb_fail_memory(err);
    lmb_locale_end(locale);
    lmb_free(stem);
    lmb_drawing_destroy(d);
    return st;
}

lmb_status lmb_export_vtk_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err) {
    return lmb_vtk_write(path, results, options, NULL, err);
}
