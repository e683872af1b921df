// draw/export_glb.c: the motion as glTF 2.0 in one binary file (.glb).
//
// One node and one mesh per body below a root node that rotates the model's `up` to glTF's y.  Positions and
// rotations of the bodies are channels of one animation; shape functions are morph targets, whose weights are the
// elastic coordinates (of bodies in absolute coordinates, all their coordinates), then those of second order.
// All arrays are float or unsigned int in one buffer; each has a buffer view and an accessor of the same number.
#include <limber/limber.h>

#include "core/json.h"
#include "draw/drawing.h"
#include "draw/exports.h"
#include "os/locale.h"
#include "os/outfile.h"

#include <math.h>
#include <string.h>

typedef struct glb {
    const lmb_drawing *d;
    lmb_text bin;                      // the buffer
    lmb_text views, accessors;         // entries of these lists
    lmb_text meshes, nodes, materials; //
    lmb_text samplers, channels;       // of the animation
    int accessor_count, sampler_count;
    bool ok;
} glb;

#define ADD(g, list, ...) ((g)->ok = (g)->ok && lmb_text_add(&(g)->list, __VA_ARGS__))

// ---- arrays ------------------------------------------------------------------------------------

typedef enum glb_target { PLAIN = 0, VERTICES = 34962, INDICES = 34963 } glb_target;

typedef struct glb_array {
    const void *data; // 4 bytes per number
    int count, width; // of elements; numbers in one
    bool integer, ranged;
    glb_target target;
} glb_array;

static void add_range(glb *g, const char *key, const float *v, const glb_array *a, float sign) {
    ADD(g, accessors, ", \"%s\": [", key);
    for (int c = 0; c < a->width; c++) {
        float best = v[c];
        for (int i = 1; i < a->count; i++)
            if (sign * v[i * a->width + c] > sign * best) best = v[i * a->width + c];
        ADD(g, accessors, "%s%.9g", c ? ", " : "", (double)best);
    }
    ADD(g, accessors, "]");
}

static int add_array(glb *g, const glb_array *a) {
    static const char *const types[] = {"SCALAR", "SCALAR", "VEC2", "VEC3", "VEC4"};
    size_t size = 4 * (size_t)a->count * (size_t)a->width;
    const char *comma = g->accessor_count ? ",\n" : "";
    ADD(g, views, "%s{\"buffer\": 0, \"byteOffset\": %zu, \"byteLength\": %zu", comma, g->bin.length, size);
    if (a->target != PLAIN) ADD(g, views, ", \"target\": %d", (int)a->target);
    ADD(g, views, "}");
    ADD(g, accessors, "%s{\"bufferView\": %d, \"componentType\": %d, \"count\": %d, \"type\": \"%s\"", comma,
        g->accessor_count, a->integer ? 5125 : 5126, a->count, types[a->width]);
    if (a->ranged) add_range(g, "min", a->data, a, -1), add_range(g, "max", a->data, a, 1);
    ADD(g, accessors, "}");
    g->ok = g->ok && lmb_text_add_n(&g->bin, a->data, size);
    return g->accessor_count++;
}

// ---- meshes ------------------------------------------------------------------------------------

static int target_count(const lmb_skin *s) { return s->mode_count + s->second_count; }

static float weight_of(const glb *g, const lmb_drawn *b, int k, int frame) {
    const double *q = lmb_drawn_elastic(g->d, b, frame);
    int m = b->skin.mode_count;
    return (float)(k < m ? q[k] : lmb_skin_second(&b->skin, k - m, q, lmb_drawn_rest(g->d, b)));
}

// component i of all nodes in a mode shape or field of second order
static float target_at(const lmb_skin *s, int k, int i) {
    int m = s->mode_count, r = s->second_count;
    return k < m ? s->modes[(size_t)i * (size_t)m + (size_t)k]
                 : s->second[(size_t)i * (size_t)r + (size_t)(k - m)];
}

// nodes, or one target (k >= 0), as floats
static int add_positions(glb *g, const lmb_skin *s, int k) {
    float *v = lmb_alloc(3 * (size_t)s->node_count, sizeof *v);
    if (v == NULL) return g->ok = false, 0;
    for (int i = 0; i < 3 * s->node_count; i++) v[i] = k < 0 ? (float)s->x[i] : target_at(s, k, i);
    int out = add_array(g, &(glb_array){v, s->node_count, 3, .ranged = true, .target = VERTICES});
    lmb_free(v);
    return out;
}

static void add_primitive(glb *g, const lmb_skin *s, int material, int positions, int first_target,
                          bool lines) {
    int count = lines ? 2 * s->line_count : 3 * s->triangle_count;
    if (count == 0) return;
    int indices = add_array(
        g, &(glb_array){lines ? s->lines : s->triangles, count, 1, .integer = true, .target = INDICES});
    ADD(g, meshes, "%s{\"attributes\": {\"POSITION\": %d}, \"indices\": %d, \"material\": %d, \"mode\": %d",
        lines && s->triangle_count ? ", " : "", positions, indices, material, lines ? 1 : 4);
    if (target_count(s) > 0) ADD(g, meshes, ", \"targets\": [");
    for (int k = 0; k < target_count(s); k++)
        ADD(g, meshes, "%s{\"POSITION\": %d}", k ? ", " : "", first_target + k);
    ADD(g, meshes, target_count(s) > 0 ? "]}" : "}");
}

static void add_mesh(glb *g, int i) {
    const lmb_drawn *b = &g->d->bodies[i];
    const lmb_skin *s = &b->skin;
    int positions = add_positions(g, s, -1), first = g->accessor_count;
    for (int k = 0; k < target_count(s); k++) add_positions(g, s, k);
    ADD(g, materials,
        "%s{\"pbrMetallicRoughness\": {\"baseColorFactor\": [%.6g, %.6g, %.6g, 1], \"metallicFactor\": 0.1, "
        "\"roughnessFactor\": 0.6}, \"doubleSided\": true}",
        i ? ",\n" : "", (double)b->color[0], (double)b->color[1], (double)b->color[2]);
    ADD(g, meshes, "%s{\"primitives\": [", i ? ",\n" : "");
    add_primitive(g, s, i, positions, first, false);
    add_primitive(g, s, i, positions, first, true);
    ADD(g, meshes, "]");
    if (target_count(s) > 0) {
        ADD(g, meshes, ", \"weights\": [");
        for (int k = 0; k < target_count(s); k++)
            ADD(g, meshes, "%s%.9g", k ? ", " : "", (double)weight_of(g, b, k, 0));
        ADD(g, meshes, "]");
    }
    ADD(g, meshes, "}");
}

// ---- nodes and animation -----------------------------------------------------------------------

static void add_channel(glb *g, int node, const char *path, int times, int values) {
    const char *comma = g->sampler_count ? ",\n" : "";
    ADD(g, samplers, "%s{\"input\": %d, \"output\": %d, \"interpolation\": \"LINEAR\"}", comma, times,
        values);
    ADD(g, channels, "%s{\"sampler\": %d, \"target\": {\"node\": %d, \"path\": \"%s\"}}", comma,
        g->sampler_count, node, path);
    g->sampler_count++;
}

// unit quaternions (x, y, z, w), each with the sign nearest to the one before it
static void load_turn(float out[4], const double *q, const float *before) {
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), dot = 0;
    for (int c = 0; c < 4; c++) out[c] = (float)(q[(c + 1) % 4] / (n > 0 ? n : 1));
    for (int c = 0; before && c < 4; c++) dot += (double)out[c] * (double)before[c];
    for (int c = 0; dot < 0 && c < 4; c++) out[c] = -out[c];
}

static void add_motion(glb *g, int i, int times) {
    const lmb_drawing *d = g->d;
    const lmb_drawn *b = &d->bodies[i];
    int n = d->frame_count, m = target_count(&b->skin);
    float *place = lmb_alloc((size_t)n * (size_t)(7 + m), sizeof *place);
    if (place == NULL) {
        g->ok = false;
        return;
    }
    float *turn = place + 3 * n, *weight = turn + 4 * n;
    for (int k = 0; k < n; k++) {
        double q[7];
        lmb_drawn_place(q, d, b, k);
        for (int c = 0; c < 3; c++) place[3 * k + c] = (float)q[c];
        load_turn(turn + 4 * k, q + 3, k ? turn + 4 * (k - 1) : NULL);
        for (int c = 0; c < m; c++) weight[m * k + c] = weight_of(g, b, c, k);
    }
    ADD(g, nodes, ",\n{\"name\": ");
    g->ok = g->ok && lmb_json_string(&g->nodes, b->name);
    ADD(g, nodes,
        ", \"mesh\": %d, \"translation\": [%.9g, %.9g, %.9g], \"rotation\": [%.9g, %.9g, %.9g, %.9g]}", i,
        (double)place[0], (double)place[1], (double)place[2], (double)turn[0], (double)turn[1],
        (double)turn[2], (double)turn[3]);
    if (times >= 0) {
        add_channel(g, i + 1, "translation", times, add_array(g, &(glb_array){place, n, 3}));
        add_channel(g, i + 1, "rotation", times, add_array(g, &(glb_array){turn, n, 4}));
        if (m > 0) add_channel(g, i + 1, "weights", times, add_array(g, &(glb_array){weight, n * m, 1}));
    }
    lmb_free(place);
}

// times of an animation must start at zero or later and increase; otherwise there is no animation
static int add_times(glb *g) {
    const lmb_drawing *d = g->d;
    float *t = lmb_alloc((size_t)d->frame_count, sizeof *t);
    bool grows = d->frame_count > 1;
    if (t == NULL) return g->ok = false, -1;
    for (int k = 0; k < d->frame_count; k++) {
        t[k] = (float)(d->time[k] - d->time[0]);
        if (k > 0 && t[k] <= t[k - 1]) grows = false;
    }
    int out = grows ? add_array(g, &(glb_array){t, d->frame_count, 1, .ranged = true}) : -1;
    lmb_free(t);
    return out;
}

// the rotation that takes `up` to y
static void add_root(glb *g) {
    vec3 up = g->d->scene->gravity;
    double n = v3_norm(up), w, x, z;
    up = n > 0 ? (vec3){-up.x / n, -up.y / n, -up.z / n} : (vec3){0, 0, 1};
    // half-way quaternion (1 + up . y, up x y)
    w = 1 + up.y, x = -up.z, z = up.x;
    double size = sqrt(w * w + x * x + z * z);
    if (size < 1e-9) w = 0, x = 1, z = 0, size = 1;
    ADD(g, nodes, "{\"name\": \"model\", \"rotation\": [%.9g, 0, %.9g, %.9g], \"children\": [", x / size,
        z / size, w / size);
    for (int i = 0; i < g->d->body_count; i++) ADD(g, nodes, "%s%d", i ? ", " : "", i + 1);
    ADD(g, nodes, "]}");
}

// ---- the file ----------------------------------------------------------------------------------

static void make_json(lmb_text *out, glb *g) {
    bool moves = g->sampler_count > 0;
    g->ok =
        g->ok &&
        lmb_text_add(
            out,
            "{\"asset\": {\"version\": \"2.0\", \"generator\": \"limber " LMB_VERSION "\"},\n\"scene\": 0, "
            "\"scenes\": [{\"nodes\": [0]}],\n\"nodes\": [%s],\n\"meshes\": [%s],\n\"materials\": [%s],\n",
            g->nodes.text, g->meshes.text, g->materials.text) &&
        (!moves ||
         lmb_text_add(out,
                      "\"animations\": [{\"name\": \"motion\", \"samplers\": [%s],\n\"channels\": [%s]}],\n",
                      g->samplers.text, g->channels.text)) &&
        lmb_text_add(out,
                     "\"accessors\": [%s],\n\"bufferViews\": [%s],\n\"buffers\": [{\"byteLength\": %zu}]}",
                     g->accessors.text, g->views.text, g->bin.length);
    while (g->ok && out->length % 4 != 0) g->ok = lmb_text_add(out, " ");
}

static void write_word(FILE *f, size_t value) {
    uint32_t word = (uint32_t)value;
    fwrite(&word, sizeof word, 1, f);
}

static lmb_status write_glb(glb *g, const char *path, const char *results, lmb_error *err) {
    lmb_text json = {0};
    lmb_outfile out;
    make_json(&json, g);
    lmb_status st = g->ok ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && json.length + g->bin.length > UINT32_MAX - 64)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "the file would exceed the size limit of glTF; reduce --frames");
    if (st == LMB_OK) lmb_output_sweep(path), st = lmb_outfile_open(&out, path, results, err);
    if (st == LMB_OK) {
        write_word(out.f, 0x46546C67); // "glTF"
        write_word(out.f, 2);
        write_word(out.f, 28 + json.length + g->bin.length);
        write_word(out.f, json.length);
        write_word(out.f, 0x4E4F534A); // "JSON"
        fwrite(json.text, 1, json.length, out.f);
        write_word(out.f, g->bin.length);
        write_word(out.f, 0x004E4942); // "BIN"
        fwrite(g->bin.text, 1, g->bin.length, out.f);
        st = lmb_outfile_close(&out, LMB_OK, err);
    }
    lmb_text_free(&json);
    return st;
}

lmb_status lmb_export_glb_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err) {
    lmb_drawing *d;
    lmb_status st = lmb_drawing_create(&d, results, options, err);
    if (st != LMB_OK) return st;
    glb g = {.d = d, .ok = true};
    lmb_plain_locale locale = lmb_locale_begin();
    add_root(&g);
    int times = add_times(&g);
    for (int i = 0; i < d->body_count; i++) add_mesh(&g, i), add_motion(&g, i, times);
    st = write_glb(&g, path, results, err);
    lmb_locale_end(locale);
    lmb_text *texts[] = {&g.bin,   &g.views,     &g.accessors, &g.meshes,
                         &g.nodes, &g.materials, &g.samplers,  &g.channels};
    for (int i = 0; i < LMB_COUNT(texts); i++) lmb_text_free(texts[i]);
    lmb_drawing_destroy(d);
    return st;
}
