// draw/export_vtk.c: the motion for ParaView: one unstructured grid (.vtu) per frame, and their times (.pvd).
//
// Points are in world coordinates; point data: displacement (of flexible bodies, from the undeformed body, world
// axes; zero for bodies in absolute coordinates), stress (xx, yy, zz, xy, yz, zx in body axes), von_mises, and
// von_mises_largest, that over all rows of the analysis, the same in each frame; zero where undefined; with a life also damage;
// node (its number in the mesh, 0: none); cell data: body (its number); field data: body_names.
// Arrays are compressed, behind the XML; coordinates have 8 bytes, fields 4.
#include <limber/limber.h>

#include "draw/drawing.h"
#include "draw/envelope.h"
#include "draw/exports.h"
#include "draw/life.h"
#include "draw/pack.h"
#include "os/locale.h"
#include "os/outfile.h"

#include <string.h>

typedef struct layer { // arrays of points and of cells, as XML describes them, and their bytes
    lmb_text points, cells, bytes;
} layer;

typedef struct grid {
    const lmb_drawing *d;
    const lmb_export_options *o; // may be NULL
    const char *results;
    int points, triangles, lines;
    double *x, *u, *stress, *mises, *local; // of one frame; local: nodes of one body
    double *largest;                        // von Mises stress over all rows; NULL: modes have none
    const lmb_life *life;                   // NULL: not wanted
    double *damage;                         // of all points; NULL: none
    float *single;                          // numbers of one array
    layer shared; // by all frames: cells, numbers of nodes, fields that do not change
    lmb_text names;
} grid;

static void count(grid *g) {
    for (int i = 0; i < g->d->body_count; i++) {
        g->points += g->d->bodies[i].skin.node_count;
        g->triangles += g->d->bodies[i].skin.triangle_count;
        g->lines += g->d->bodies[i].skin.line_count;
    }
}

// ---- points of a frame -------------------------------------------------------------------------

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

// ---- arrays ------------------------------------------------------------------------------------

// an array behind those before it; head: where its description goes
static bool array(lmb_text *head, lmb_text *bytes, const char *attributes, const void *data, size_t size) {
    return lmb_text_add(head, "<DataArray %s format=\"appended\" offset=\"%zu\"/>\n", attributes,
                        bytes->length) &&
           lmb_pack_blocks(bytes, data, size);
}

// numbers of points, as floats
static bool add_field(grid *g, layer *l, const char *attributes, const double *v, int components) {
    size_t count = (size_t)g->points * (size_t)components;
    for (size_t i = 0; i < count; i++) g->single[i] = (float)v[i];
    return array(&l->points, &l->bytes, attributes, g->single, count * sizeof *g->single);
}

static void layer_free(layer *l) {
    lmb_text_free(&l->points), lmb_text_free(&l->cells), lmb_text_free(&l->bytes);
}

// ---- what all frames share ---------------------------------------------------------------------

typedef struct cells {
    int32_t *nodes, *ends, *body;
    unsigned char *types;
    int count, at;
} cells;

// triangles of all bodies, then lines
static void fill_cells(cells *c, const grid *g) {
    enum { VTK_LINE = 3, VTK_TRIANGLE = 5 };
    for (int kind = 0; kind < 2; kind++)
        for (int i = 0, first = 0; i < g->d->body_count; first += g->d->bodies[i++].skin.node_count) {
            const lmb_skin *s = &g->d->bodies[i].skin;
            const int32_t *list = kind ? s->lines : s->triangles;
            int size = kind ? 2 : 3, many = kind ? s->line_count : s->triangle_count;
            for (int k = 0; k < many; k++, c->count++) {
                for (int j = 0; j < size; j++) c->nodes[c->at++] = first + list[size * k + j];
                c->ends[c->count] = c->at, c->body[c->count] = i;
                c->types[c->count] = kind ? VTK_LINE : VTK_TRIANGLE;
            }
        }
}

static bool share_cells(grid *g) {
    size_t count = (size_t)(g->triangles + g->lines), nodes = (size_t)(3 * g->triangles + 2 * g->lines);
    cells c = {lmb_alloc(nodes + 1, 4),
               lmb_alloc(count + 1, 4),
               lmb_alloc(count + 1, 4),
               lmb_alloc(count + 1, 1),
               0,
               0};
    layer *l = &g->shared;
    bool ok = c.nodes && c.ends && c.body && c.types;
    if (ok) fill_cells(&c, g);
    ok = ok && lmb_text_add(&l->cells, "<Cells>\n") &&
         array(&l->cells, &l->bytes, "type=\"Int32\" Name=\"connectivity\"", c.nodes, nodes * 4) &&
         array(&l->cells, &l->bytes, "type=\"Int32\" Name=\"offsets\"", c.ends, count * 4) &&
         array(&l->cells, &l->bytes, "type=\"UInt8\" Name=\"types\"", c.types, count) &&
         lmb_text_add(&l->cells, "</Cells>\n<CellData Scalars=\"body\">\n") &&
         array(&l->cells, &l->bytes, "type=\"Int32\" Name=\"body\"", c.body, count * 4) &&
         lmb_text_add(&l->cells, "</CellData>\n");
    lmb_free(c.nodes), lmb_free(c.ends), lmb_free(c.body), lmb_free(c.types);
    return ok;
}

// numbers of the nodes in the mesh, 0: none
static bool share_labels(grid *g) {
    int32_t *label = lmb_alloc((size_t)g->points + 1, sizeof *label);
    for (int i = 0, first = 0; label && i < g->d->body_count; first += g->d->bodies[i++].skin.node_count) {
        const lmb_skin *s = &g->d->bodies[i].skin;
        if (s->node) memcpy(label + first, s->node, (size_t)s->node_count * sizeof *label);
    }
    bool ok = label && array(&g->shared.points, &g->shared.bytes, "type=\"Int32\" Name=\"node\"", label,
                             (size_t)g->points * sizeof *label);
    lmb_free(label);
    return ok;
}

// the names of the bodies whose numbers cells have, letter by letter
static bool share_names(grid *g) {
    bool ok = lmb_text_add(&g->names,
                           "<FieldData>\n<Array type=\"String\" Name=\"body_names\" NumberOfTuples=\"%d\" "
                           "format=\"ascii\">\n",
                           g->d->body_count);
    for (int i = 0; i < g->d->body_count && ok; i++) {
        for (const char *c = g->d->bodies[i].name; *c && ok; c++)
            ok = lmb_text_add(&g->names, "%d ", (unsigned char)*c);
        ok = ok && lmb_text_add(&g->names, "0\n");
    }
    return ok && lmb_text_add(&g->names, "</Array>\n</FieldData>\n");
}

static bool share(grid *g) {
    return share_names(g) && share_cells(g) && share_labels(g) &&
           (!g->largest ||
            add_field(g, &g->shared, "type=\"Float32\" Name=\"von_mises_largest\"", g->largest, 1)) &&
           (!g->damage || add_field(g, &g->shared, "type=\"Float32\" Name=\"damage\"", g->damage, 1));
}

// ---- one frame ---------------------------------------------------------------------------------

// where the frame begins, behind what all share
static bool fill_frame(layer *l, grid *g) {
    const lmb_text *before = &g->shared.bytes;
    bool ok =
        lmb_text_add_n(&l->bytes, before->text, before->length) && lmb_text_add(&l->points, "<Points>\n") &&
        array(&l->points, &l->bytes, "type=\"Float64\" NumberOfComponents=\"3\"", g->x,
              3 * (size_t)g->points * sizeof(double)) &&
        lmb_text_add(&l->points, "</Points>\n<PointData Scalars=\"von_mises\" Vectors=\"displacement\">\n");
    return ok &&
           add_field(g, l, "type=\"Float32\" Name=\"displacement\" NumberOfComponents=\"3\"", g->u, 3) &&
           add_field(g, l, "type=\"Float32\" Name=\"stress\" NumberOfComponents=\"6\"", g->stress, 6) &&
           add_field(g, l, "type=\"Float32\" Name=\"von_mises\"", g->mises, 1) &&
           lmb_text_add_n(&l->points, g->shared.points.text, g->shared.points.length) &&
           lmb_text_add(&l->points, "</PointData>\n");
}

static void put_frame(FILE *f, const grid *g, const layer *l) {
    fprintf(f,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
            "<UnstructuredGrid>\n%s<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n%s%s</Piece>\n"
            "</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_",
            g->names.text, g->points, g->triangles + g->lines, l->points.text, g->shared.cells.text);
    fwrite(l->bytes.text, 1, l->bytes.length, f);
    fputs("\n</AppendedData>\n</VTKFile>\n", f);
}

static lmb_status write_frame(grid *g, const char *path, int frame, lmb_error *err) {
    lmb_outfile out;
    layer l = {0};
    lmb_status st = lmb_outfile_open(&out, path, g->results, err);
    if (st != LMB_OK) return st;
    for (int i = 0, first = 0; i < g->d->body_count; first += g->d->bodies[i++].skin.node_count)
        place_body(g, &g->d->bodies[i], frame, first);
    if (fill_frame(&l, g)) put_frame(out.f, g, &l);
    else st = lmb_fail_memory(err);
    layer_free(&l);
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
    double *all =
        lmb_alloc((size_t)g->points + 1, 18 * sizeof *all); // 3 + 3 + 6 + 1 + 1 + 1, and 3 for one body
    g->single = lmb_alloc((size_t)g->points + 1, 6 * sizeof *g->single);
    if (all == NULL || g->single == NULL) return lmb_free(all), lmb_free(g->single), lmb_fail_memory(err);
    g->x = all, g->u = all + 3 * g->points, g->stress = all + 6 * g->points, g->mises = all + 12 * g->points;
    g->local = all + 15 * g->points;
    if (g->life) g->damage = all + 14 * g->points, spread(g->damage, g, damage_of, g->life);
    lmb_status st = find_largest(g, all + 13 * g->points, err);
    if (st == LMB_OK && !share(g)) st = lmb_fail_memory(err);
    for (int k = 0; k < g->d->frame_count && st == LMB_OK; k++) {
        lmb_text path = {0};
        st = lmb_text_add(&path, "%s_%04d.vtu", stem, k) ? write_frame(g, path.text, k, err)
                                                         : lmb_fail_memory(err);
        lmb_text_free(&path);
    }
    lmb_free(all), lmb_free(g->single);
    layer_free(&g->shared), lmb_text_free(&g->names);
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
