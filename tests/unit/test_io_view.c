// tests/unit/test_io_view.c: the page of a results file, its data block; what exports and plots draw; failures leave nothing.
#include "check.h"
#include "draw/life.h"
#include "draw/page.h"
#include "run_file.h"
#include "store/results.h"
#include "store/skin.h"
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char model[] =
    "limber: 1\n"
    "title: \"</script><b>\"\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], shape: {box: [0.4, 0.1, 0.1]},\n"
    "        markers: {root: [-0.2, 0, 0], tip: [0.2, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: [1, 1, 1], at: [0, 1, 0], shape: [{sphere: 0.1}, {cylinder: [0.05, 0.3]}]}\n"
    "  bare: {mass: 1, inertia: [1, 1, 1], markers: {a: [0, 0, 1]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  push: {type: force, on: arm.tip, value: [0, 3, 0]}\n"
    "sensors:\n"
    "  tip: {type: position, of: arm.tip}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 0.1, every: 0.001}\n";

// a results file of the model, made once
static const char *results(void) {
    static char path[512];
    if (*path && access(path, R_OK) == 0) return path;
    snprintf(path, sizeof path, "%s", check_temp("arm.h5"));
    run_file(path, "%s", model);
    return path;
}

static lmb_status view(const char *path, const char *results, const lmb_view_options *options,
                       lmb_error *err) {
    lmb_view_options o = *options;
    o.results = &results, o.result_count = 1;
    return lmb_view_file(path, &o, err);
}

static char *read_all(const char *path) {
    FILE *f = fopen(path, "rb");
    if (f == NULL) return NULL;
    char *text = calloc(1 << 22, 1);
    size_t n = fread(text, 1, (1 << 22) - 1, f);
    text[n] = '\0';
    fclose(f);
    return text;
}

// ---- pages ---------------------------------------------------------------------------------------

static const double numbers[] = {1, 2, 3, 4, 5, 6};

static lmb_status put_thrice(lmb_page *p, void *user, lmb_error *err) {
    const lmb_array all[] = {{"a", LMB_F8, 3, 2, .f8 = numbers},
                             {"b", LMB_F8, 2, 3, .f8 = numbers}, // the same numbers in another shape
                             {"c", LMB_F8, 3, 2, .f8 = numbers}};
    lmb_status st = LMB_OK;
    (void)user;
    if (!p->pack) LMB_PAGE_ADD(p, "{");
    for (int i = 0; i < 3 && st == LMB_OK; i++) {
        if (!p->pack && i) LMB_PAGE_ADD(p, ", ");
        st = lmb_page_put(p, &all[i], err);
    }
    if (!p->pack) LMB_PAGE_ADD(p, "}");
    return st;
}

// equal arrays have one place, if that is asked for
TEST(arrays_that_are_stored_once) {
    static const char *const wanted[] = {
        "{\"a\": {\"at\": 0, \"type\": \"f8\", \"rows\": 3, \"columns\": 2}, \"b\": {\"at\": 48, \"type\": "
        "\"f8\", "
        "\"rows\": 2, \"columns\": 3}, \"c\": {\"at\": 96, \"type\": \"f8\", \"rows\": 3, \"columns\": 2}}",
        "{\"a\": {\"at\": 0, \"type\": \"f8\", \"rows\": 3, \"columns\": 2}, \"b\": {\"at\": 48, \"type\": "
        "\"f8\", "
        "\"rows\": 2, \"columns\": 3}, \"c\": {\"at\": 0, \"type\": \"f8\", \"rows\": 3, \"columns\": 2}}"};
    for (int once = 0; once < 2; once++) {
        const char *input = "";
        lmb_page page = {.ok = true, .once = once};
        const lmb_page_plan plan = {check_temp("thrice.html"),
                                    "<t>",
                                    "@@limber-title@@ @@limber-data@@",
                                    &input,
                                    1,
                                    put_thrice,
                                    NULL};
        lmb_error err = {0};
        CHECK_OK(lmb_page_make(&page, &plan, &err), err);
        CHECK_TEXT(page.header.text, wanted[once]);
        CHECK(page.at == (once ? 96 : 144));
        lmb_page_free(&page);
    }
}

// ---- packing -----------------------------------------------------------------------------------

TEST(base64) {
    static const char *const pairs[][2] = {
        {"", ""}, {"M", "TQ=="}, {"Ma", "TWE="}, {"Man", "TWFu"}, {"\xff\xfe\xfd>", "//79Pg=="}};
    for (int i = 0; i < 5; i++) {
        char out[64] = "";
        FILE *f = fmemopen(out, sizeof out, "w");
        lmb_base64_write(f, (const unsigned char *)pairs[i][0], strlen(pairs[i][0]));
        fclose(f);
        CHECK_TEXT(out, pairs[i][1]);
    }
}

static int letter(char c) {
    const char *all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
               *at = strchr(all, c);
    return c && at ? (int)(at - all) : -1;
}

// base64 up to the first other letter, then inflate; *size of it
static unsigned char *unpack(const char *text, size_t *size) {
    size_t n = strlen(text), used = 0;
    unsigned char *raw = calloc(n + 4, 1), *out = calloc(1 << 22, 1);
    unsigned bits = 0;
    for (size_t i = 0; i < n && letter(text[i]) >= 0; i++) {
        bits = bits << 6 | (unsigned)letter(text[i]);
        if (i % 4 == 1) raw[used++] = (unsigned char)(bits >> 4);
        if (i % 4 == 2) raw[used++] = (unsigned char)(bits >> 2);
        if (i % 4 == 3) raw[used++] = (unsigned char)bits;
    }
    z_stream z = {.next_in = raw, .avail_in = (unsigned)used, .next_out = out, .avail_out = 1 << 22};
    CHECK(inflateInit2(&z, -15) == Z_OK);
    CHECK(inflate(&z, Z_FINISH) == Z_STREAM_END);
    *size = z.total_out;
    inflateEnd(&z);
    free(raw);
    return out;
}

// undoes lmb_pack_shuffle
static void unshuffle(unsigned char *out, const unsigned char *in, long rows, long columns, int size) {
    long count = rows * columns;
    for (long i = 0; i < count; i++)
        for (int b = 0; b < size; b++) {
            out[i * size + b] = in[b * count + i];
            if (i % rows > 0) out[i * size + b] ^= out[(i - 1) * size + b];
        }
}

TEST(shuffle_is_undone) {
    double x[35], back[35], scratch[35];
    for (int i = 0; i < 35; i++) x[i] = i % 6 == 5 ? NAN : check_random() * pow(10, i % 7);
    double data[35];
    memcpy(data, x, sizeof x);
    lmb_pack_shuffle((unsigned char *)scratch, (unsigned char *)data, 7, 5, 8);
    CHECK(memcmp(data, x, sizeof x) != 0);
    unshuffle((unsigned char *)back, (unsigned char *)data, 7, 5, 8);
    CHECK(memcmp(back, x, sizeof x) == 0);
    lmb_pack_shuffle((unsigned char *)scratch, (unsigned char *)data, 0, 5, 8); // no rows
}

// ---- the page ----------------------------------------------------------------------------------

static const char template[] = "<title>@@limber-title@@</title>|@@limber-data@@|end";

// the number behind "key": from the first place of `from` on
static long number_after(const char *text, const char *from, const char *key) {
    const char *at = strstr(text, from);
    at = at ? strstr(at, key) : NULL;
    return at ? atol(at + strlen(key)) : -1;
}

typedef struct block { // of a page
    unsigned char *data, *arrays;
    char *header;
} block;

static block read_block(const char *page) {
    size_t size;
    uint32_t length;
    block b = {.data = unpack(strchr(page, '|') + 1, &size)};
    memcpy(&length, b.data, 4);
    b.header = strndup((char *)b.data + 4, length);
    b.arrays = b.data + (length + 4 + 7) / 8 * 8;
    return b;
}

TEST(page_holds_the_numbers) {
    lmb_error err = {0};
    const char *path = check_temp("page.html");
    CHECK_OK(view(path, results(), &(lmb_view_options){.page = template, .frames = 11}, &err), err);
    char *page = read_all(path);
    if (!CHECK(page != NULL)) return;
    CHECK_CONTAINS(page, "<title>arm.h5</title>|");
    CHECK_CONTAINS(page, "|end");
    CHECK(strstr(page, "<b>") == NULL); // the title of the model is packed
    block b = read_block(page);
    char *header = b.header;
    unsigned char *arrays = b.arrays;
    CHECK_CONTAINS(header, "\"title\": \"</script><b>\"");
    CHECK_CONTAINS(header, "\"push.fy\"");

    // all rows of sensors, to the last bit
    lmb_reader *r;
    lmb_series s;
    CHECK_OK(lmb_reader_open(&r, results(), &err), err);
    CHECK_OK(lmb_reader_table(&s, r, 0, "sensors", &err), err);
    CHECK(number_after(header, "\"sensors\": {", "\"rows\": ") == s.rows && s.rows == 101);
    double *x = calloc((size_t)(s.rows * s.columns), sizeof *x);
    unshuffle((unsigned char *)x, arrays + number_after(header, "\"sensors\": {", "\"at\": "), s.rows,
              s.columns, 8);
    for (long i = 0; i < s.rows; i++)
        for (int c = 0; c < s.columns; c++) CHECK(x[c * s.rows + i] == s.v[i * s.columns + c]);
    lmb_series_free(&s);
    free(x);

    // every tenth place, the first and the last among them, as floats
    CHECK_OK(lmb_reader_table(&s, r, 0, "q", &err), err);
    CHECK(number_after(header, "\"frames\": {", "\"rows\": ") == 11);
    float *q = calloc((size_t)(11 * s.columns), sizeof *q);
    unshuffle((unsigned char *)q, arrays + number_after(header, "\"q\": {", "\"at\": "), 11, s.columns, 4);
    for (int k = 0; k < 11; k++)
        for (int c = 0; c < s.columns; c++) CHECK(q[c * 11 + k] == (float)s.v[10 * k * s.columns + c]);
    lmb_series_free(&s);
    lmb_reader_close(r);
    free(q);
    free(header);
    free(b.data);
    free(page);
}

static const char bent[] =
    "limber: 1\n"
    "bodies: {b: {type: beam, length: 0.5, elements: 4, section: {circle: 30 mm}, material: steel}}\n"
    "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
    "forces: {f: {type: force, on: b.end, value: [0, '300*sin(9*t)', 0]}}\n"
    "analyses: [{type: dynamics, until: 2, every: 0.01}, {type: dynamics, until: 3, every: 0.01}]\n";

// of the first of two analyses
static void check_life(const block *b, const lmb_life *e) {
    const lmb_body_life *body = &e->bodies[e->body_count - 1];
    float *x = calloc((size_t)body->count, sizeof *x);
    char text[80];
    if (CHECK(number_after(b->header, "\"damage\": {", "\"rows\": ") == body->count))
        unshuffle((unsigned char *)x, b->arrays + number_after(b->header, "\"damage\": {", "\"at\": "),
                  body->count, 1, 4);
    CHECK(memcmp(x, body->damage, (size_t)body->count * sizeof *x) == 0);
    CHECK(e->spot_count > 0 && e->spots[0].damage > 0);
    snprintf(text, sizeof text, "\"hours\": %.17g}", lmb_life_hours(e, &e->spots[0]));
    CHECK_CONTAINS(b->header, text);
    CHECK_CONTAINS(b->header, "\"line\": \"S-N line: 50 MPa at 1e+06 cycles, slope 5, below 9;");
    const char *life = strstr(b->header, "\"life\"");
    CHECK(life && strstr(b->header, "\"life\"") < strstr(b->header, "\"02_dynamics\""));
    CHECK(life && strstr(life + 1, "\"life\"") == NULL); // the other analysis has none
    free(x);
}

TEST(page_of_life_holds_the_damage) {
    char path[512], out[512];
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_scene *scene = NULL;
    lmb_life *e = NULL;
    lmb_life_options o = {.analysis = "1",
                          .line = {.strength = 50e6, .cycles = 1e6, .slope = 5, .slope_below = 9}};
    snprintf(path, sizeof path, "%s", check_temp("worn.h5"));
    snprintf(out, sizeof out, "%s", check_temp("worn.html"));
    run_file(path, "%s", bent);
    CHECK(lmb_life_file(out, path, &o, &err) == LMB_ERR_INPUT); // no template
    o.page = template;
    CHECK_OK(lmb_life_file(out, path, &o, &err), err);
    char *page = read_all(out);
    if (CHECK(page != NULL) && CHECK_OK(lmb_reader_open(&r, path, &err), err) &&
        CHECK_OK(lmb_scene_load(&scene, r, &err), err) &&
        CHECK_OK(lmb_life_create(&e, r, scene, 0, &o, &err), err)) {
        block b = read_block(page);
        check_life(&b, e);
        free(b.header), free(b.data);
    }
    free(page);
    lmb_life_destroy(e);
    lmb_scene_destroy(scene);
    lmb_reader_close(r);
}

static const char vibrating[] =
    "limber: 1\n"
    "bodies: {disk: {mass: 5, inertia: [1, 1, 2], markers: {hub: [0, 0, 0]}}}\n"
    "forces:\n"
    "  bearing: {type: bushing, between: [ground, disk], stiffness: [4e4, 6e4, 1e5], damping: [20, 20, 50],\n"
    "            rotational_stiffness: [1e3, 1e3, 1e3]}\n"
    "sensors: {hub: {type: position, of: disk.hub}}\n"
    "analyses:\n"
    "  - {type: response, from: 1 Hz, to: 100 Hz, points: 20, unbalance: {on: disk.hub, moment: 2e-3}}\n";

// rows that are no states: all numbers as floats, no frames
TEST(page_of_curves_alone) {
    char path[512], out[512];
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series s = {0};
    snprintf(path, sizeof path, "%s", check_temp("vibrating.h5"));
    snprintf(out, sizeof out, "%s", check_temp("vibrating.html"));
    run_file(path, "%s", vibrating);
    CHECK_OK(view(out, path, &(lmb_view_options){.page = template, .frames = 5}, &err), err);
    char *page = read_all(out);
    if (!CHECK(page != NULL) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK_OK(lmb_reader_table(&s, r, 0, "response", &err), err);
    block b = read_block(page);
    CHECK_CONTAINS(b.header, "\"names\": [\"frequency\", \"hub.x/unbalance\", \"hub.x/unbalance.phase\"");
    CHECK_CONTAINS(b.header, "\"q\": null");
    CHECK(number_after(b.header, "\"frames\": {", "\"rows\": ") == 0);
    CHECK(number_after(b.header, "\"response\": {", "\"rows\": ") == s.rows && s.rows > 20);
    float *x = calloc((size_t)(s.rows * s.columns), sizeof *x);
    unshuffle((unsigned char *)x, b.arrays + number_after(b.header, "\"response\": {", "\"at\": "), s.rows,
              s.columns, 4);
    for (long i = 0; i < s.rows; i++)
        for (int c = 0; c < s.columns; c++) CHECK(x[c * s.rows + i] == (float)s.v[i * s.columns + c]);
    lmb_series_free(&s);
    lmb_reader_close(r);
    free(x), free(b.header), free(b.data), free(page);
}

TEST(page_refuses) {
    lmb_error err = {0};
    const char *path = check_temp("no_page.html");
    CHECK(view(path, results(), &(lmb_view_options){.page = "no marks"}, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "marks");
    CHECK(view(path, check_source("README.md"), &(lmb_view_options){.page = template}, NULL) ==
          LMB_ERR_INPUT);
    CHECK(view("/nowhere/page.html", results(), &(lmb_view_options){.page = template}, NULL) ==
          LMB_ERR_SYSTEM);
    CHECK(access(path, F_OK) != 0);
}

// ---- allocation failures -----------------------------------------------------------------------

static lmb_status view_to(const char *path, lmb_error *err) {
    return view(path, results(), &(lmb_view_options){.page = template, .frames = 3}, err);
}
static lmb_status vtk_to(const char *path, lmb_error *err) {
    return lmb_export_vtk_file(path, results(), &(lmb_export_options){.frames = 2}, err);
}
static lmb_status glb_to(const char *path, lmb_error *err) {
    return lmb_export_glb_file(path, results(), &(lmb_export_options){.frames = 2}, err);
}

TEST(allocation_failures) {
    static const struct {
        lmb_status (*write)(const char *path, lmb_error *err);
        const char *name;
    } kinds[] = {{view_to, "alloc.html"}, {vtk_to, "alloc.pvd"}, {glb_to, "alloc.glb"}};
    results();
    for (int k = 0; k < 3; k++) {
        char path[512], part[520];
        snprintf(path, sizeof path, "%s", check_temp(kinds[k].name));
        snprintf(part, sizeof part, "%s.part", path);
        lmb_status st = LMB_ERR_SYSTEM;
        long n = 0;
        for (; st != LMB_OK && n < 5000; n++) {
            lmb_error err = {0};
            lmb_alloc_fail_after(n);
            st = kinds[k].write(path, &err);
            lmb_alloc_fail_after(-1);
            if (st != LMB_OK &&
                !(CHECK(err.text[0]) && CHECK(access(path, F_OK) != 0) && CHECK(access(part, F_OK) != 0)))
                break;
        }
        CHECK(st == LMB_OK && access(path, R_OK) == 0);
        check_note("%s: %ld allocations", kinds[k].name, n);
    }
}

// ---- drawing -----------------------------------------------------------------------------------

TEST(von_mises) {
    CHECK_NEAR(lmb_von_mises((double[]){-3, 0, 0, 0, 0, 0}), 3, 1e-15);          // one axis: its size
    CHECK_NEAR(lmb_von_mises((double[]){7, 7, 7, 0, 0, 0}), 0, 1e-15);           // pressure: none
    CHECK_NEAR(lmb_von_mises((double[]){0, 0, 0, 0, 2, 0}), 2 * sqrt(3), 1e-15); // shear
    CHECK_NEAR(lmb_von_mises((double[]){1, -1, 0, 0, 0, 0}), lmb_von_mises((double[]){0, 0, 0, 1, 0, 0}),
               1e-15);
}

TEST(skin_moves) {
    double x[6] = {0, 0, 0, 1, 0, 0}, q[2] = {0.5, -2}, out[6], stress[12];
    float modes[12] = {0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0.25f, 0}, per[24] = {0};
    per[2 * 6 + 1] = 4; // xx of the second node in the second mode
    lmb_skin s = {.node_count = 2, .mode_count = 2, .x = x, .modes = modes, .stress = per};
    lmb_skin_nodes(out, &s, q, NULL);
    const double want[6] = {0, 0.5, 0, 1, -6, 0.125};
    for (int i = 0; i < 6; i++) CHECK_NEAR(out[i], want[i], 1e-15);
    lmb_skin_stress(stress, &s, (lmb_skin_state){q, NULL});
    CHECK_NEAR(stress[6], -8, 1e-15);
    CHECK_NEAR(stress[0], 0, 0);
}

// one field of second order, z = q.C q/2; about a state at rest only what is linear
TEST(skin_moves_in_second_order) {
    double x[3] = {1, 2, 3}, C[4] = {2, 1, 1, -4}, rest[2] = {0.1, -0.2}, q[2], out[3][3];
    float modes[6] = {1, 0, 0, 1, 0, 0}, second[3] = {0, 0, 5};
    lmb_skin s = {1, 2, .x = x, .modes = modes, .second_count = 1, .second = second, .quadratic = C};
    lmb_skin_nodes(out[0], &s, (double[]){0.5, -2}, NULL);
    CHECK_NEAR(out[0][2], 3 + 5 * (0.25 - 1 - 8), 1e-14);
    for (int k = -1; k <= 1; k++) {
        for (int i = 0; i < 2; i++) q[i] = rest[i] + k * (0.3 + i);
        lmb_skin_nodes(out[k + 1], &s, q, rest);
    }
    double at_rest = 3 + 5 * (0.01 - 0.02 - 2 * 0.04);
    CHECK_NEAR(out[1][2], at_rest, 1e-14);
    CHECK_NEAR(out[2][2] - at_rest, 5 * (0.3 * (2 * 0.1 - 0.2) + 1.3 * (0.1 + 4 * 0.2)),
               1e-14); // C rest . dq
    CHECK_NEAR(out[0][2] + out[2][2], 2 * out[1][2], 1e-14);
}

TEST(ends_of_exports) {
    lmb_error err = {0};
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("arm.pvd"));
    CHECK_OK(lmb_export_vtk_file(path, results(), &(lmb_export_options){"dynamics", 3, 0}, &err), err);
    char *pvd = read_all(path);
    CHECK_CONTAINS(pvd, "timestep=\"0\" part=\"0\" file=\"arm_0000.vtu\"");
    CHECK_CONTAINS(pvd, "file=\"arm_0002.vtu\"");
    free(pvd);
    // box 8; ball 2 + 15 rings and cylinder 2 + 2 rings of 32; frame and marker; 12 + 960 + 128 triangles, 1 line
    snprintf(path, sizeof path, "%s", check_temp("arm_0001.vtu"));
    char *vtu = read_all(path);
    CHECK_CONTAINS(vtu, "NumberOfPoints=\"558\" NumberOfCells=\"1101\"");
    free(vtu);
    CHECK(lmb_export_vtk_file(path, results(), &(lmb_export_options){"nothing", 3, 0}, NULL) ==
          LMB_ERR_INPUT);
    CHECK(lmb_export_glb_file("/nowhere/a.glb", results(), NULL, NULL) == LMB_ERR_SYSTEM);
}
