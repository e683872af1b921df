// Load cases of flexible bodies for finite element programs: `limber loads`.
//
// CalculiX solves the exported deck and must find the stresses of limber (source: CalculiX CrunchiX 2.20, G. Dhondt, www.dhondt.de; without
// ccx this test is skipped).  Its files have seven digits.  Both programs have the same stresses at the points of an element; those of
// the nodes, means over elements, follow from them as limber does it.
#include "../run_model.h"
#include "../solid_block.h"
#include "api/handles.h"
#include "mesh/mesh.h"
#include "reduce/flex.h"
#include "store/results.h"
#include "system/stress.h"

#include <stdlib.h>
#include <string.h>

// ---- a part --------------------------------------------------------------------------------------

typedef struct variant {
    const lmb_element_ops *ops;
    const char *type, *tie, *shapes, *stiffening, *formulation;
    double curved; // how far middle nodes lie off their edges, by the size of the unit cube
} variant;

// in mm, N, s; x from 0 to 1 is ROOT to TIP
static void write_sets(FILE *f, const solid_block *b) {
    for (int end = 0; end < 2; end++) {
        fprintf(f, "*NSET, NSET=%s\n", end ? "TIP" : "ROOT");
        for (int i = 0; i < b->node_count; i++)
            if (b->unit[i].x == end) fprintf(f, "%d\n", 10 + i);
    }
}

static void write_mesh(const char *path, const solid_block *b, const char *type) {
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return;
    fputs("*NODE\n", f);
    for (int i = 0; i < b->node_count; i++)
        fprintf(f, "%d, %.17g, %.17g, %.17g\n", 10 + i, 1e3 * b->x[i].x, 1e3 * b->x[i].y, 1e3 * b->x[i].z);
    fprintf(f, "*ELEMENT, TYPE=%s, ELSET=ALL\n", type);
    for (int e = 0; e < b->element_count; e++) {
        fprintf(f, "%d", 5 + e);
        for (int i = 0; i < b->ops->nodes; i++) fprintf(f, i == 12 ? ",\n%d" : ", %d", 10 + b->nodes[e][i]);
        fputc('\n', f);
    }
    write_sets(f, b);
    fputs("*MATERIAL, NAME=M\n*ELASTIC\n2e5, 0.3\n*DENSITY\n7.85e-9\n*SOLID SECTION, ELSET=ALL, MATERIAL=M\n",
          f);
    fclose(f);
}

static bool is_brick(const lmb_element_ops *ops) {
    return ops == &lmb_element_hex8 || ops == &lmb_element_hex20 || ops == &lmb_element_hex20r;
}

// a skew bar, 0.3 x 0.03 x 0.02 m, its inner corners moved
static solid_block *make_part(const char *path, const variant *v) {
    const lmb_element_ops *ops = v->ops;
    static const mat3 shape = {{{0.3, 0.002, 0}, {0.01, 0.03, 0.001}, {0, -0.002, 0.02}}};
    solid_block *b = lmb_alloc(1, sizeof *b);
    block_make(b, ops, check_sampled() ? 4 : 8, 2, 2);
    for (int i = 0; i < b->corner_count && !is_brick(ops); i++)
        if (!block_on_surface(b, i))
            b->x[i] = v3_add(b->x[i], v3(0.02 * check_random(), 0.1 * check_random(), 0.1 * check_random()));
    block_straighten(b);
    for (int i = b->corner_count; i < b->node_count; i++)
        b->x[i] = v3_add(b->x[i], v3_scale(v->curved, v3(0, sin(3 * b->unit[i].x), cos(2 * b->unit[i].x))));
    block_map(b, &shape, v3(0, -0.02, -0.01));
    write_mesh(path, b, v->type);
    return b;
}

// turned by a motor with a spring, loaded at its tip and at a marker between
static const char *const bar =
    "limber: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {b: {type: mesh, file: %s, unit: mm, interfaces: {root: {set: ROOT, tie: rigid}, tip: {set: "
    "TIP, tie: %s}}, "
    "shapes: %s, damping: {beta: 2e-6}, geometric_stiffening: %s, formulation: %s, markers: {m: [0.15, "
    "0.015, 0.01]}}}\n"
    "joints: {pin: {type: revolute, between: [ground, b.root], axis: [0, 0, 1], motion: '200*t^2'}}\n"
    "forces: {f: {type: force, on: b.tip, value: ['400*sin(900*t)', 50, '200*sin(300*t)']}, "
    "g: {type: force, on: b.m, value: [0, '100*t/0.02', '300*sin(500*t)']}}\n"
    "sensors: {r: {type: reaction, of: pin}}\n"
    "analyses: [{type: dynamics, until: 0.02, every: 1e-3, tolerance: 1e-6}]\n";

typedef struct made {
    solid_block *b;
    lmb_system *s;
    const lmb_flex *f;
    char results[500], deck[500];
} made;

static bool make_results(made *out, const variant *v) {
    char text[3000], mesh[500];
    lmb_error err = {0};
    lmb_document *d = NULL;
    *out = (made){0};
    snprintf(mesh, sizeof mesh, "%s", check_temp("case_bar.inp"));
    snprintf(out->results, sizeof out->results, "%s", check_temp("case_bar.h5"));
    snprintf(out->deck, sizeof out->deck, "%s", check_temp("case.inp"));
    out->b = make_part(mesh, v);
    snprintf(text, sizeof text, bar, mesh, v->tie, v->shapes, v->stiffening, v->formulation);
    bool ok = CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
              CHECK_OK(lmb_system_create(&out->s, d, NULL, 0, &err), err) &&
              CHECK_OK(lmb_run_file(NULL, out->s, &(lmb_run_options){.output = out->results}, &err), err);
    lmb_document_destroy(d);
    if (ok) out->f = lmb_stress_flex(&out->s->program->model->bodies[0]);
    return ok && CHECK(out->f != NULL);
}

static void free_made(made *x) {
    lmb_system_destroy(x->s);
    lmb_free(x->b);
}

static bool make_deck(const made *x, const double *times, int count) {
    lmb_error err = {0};
    lmb_load_options o = {.body = "b", .times = times, .time_count = count};
    return CHECK_OK(lmb_loads_file(NULL, x->deck, x->s, x->results, &o, &err), err);
}

// ---- what limber says ----------------------------------------------------------------------------

static int find_column(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    return -1;
}

// s = (q, p) of the row at time t
static bool read_state(double *s, const made *x, double t) {
    lmb_reader *r = NULL;
    lmb_series q = {0}, places = {0}, time = {0};
    lmb_error err = {0};
    bool ok = CHECK_OK(lmb_reader_open(&r, x->results, &err), err) &&
              CHECK_OK(lmb_reader_table(&q, r, 0, "q", &err), err) &&
              CHECK_OK(lmb_reader_table(&places, r, 0, "places", &err), err) &&
              CHECK_OK(lmb_reader_time(&time, r, 0, &err), err);
    long row = ok ? lround(t / 1e-3) : 0;
    ok = ok && CHECK(fabs(time.v[row] - t) < 1e-9);
    int own = find_column(&q, "b.q1"), frame = find_column(&places, "b.e1"), p = find_column(&places, "b.p1");
    if (ok && CHECK(p >= 0 && (own >= 0 || frame >= 0))) {
        const double *from =
            frame >= 0 ? places.v + row * places.columns + frame : q.v + row * q.columns + own;
        memcpy(s, from, (size_t)x->f->m * sizeof *s);
        memcpy(s + x->f->m, places.v + row * places.columns + p, (size_t)x->f->residual_count * sizeof *s);
    }
    lmb_series_free(&q), lmb_series_free(&places), lmb_series_free(&time);
    lmb_reader_close(r);
    return ok;
}

// ---- the deck ------------------------------------------------------------------------------------

static char *read_text(const char *path) {
    FILE *f = fopen(path, "r");
    if (!CHECK(f != NULL)) return NULL;
    char *text = calloc(1 << 22, 1);
    size_t length = fread(text, 1, (1 << 22) - 1, f);
    fclose(f);
    CHECK(length > 0);
    return text;
}

typedef struct sums {
    vec3 force, torque; // about the origin
    double size;        // of forces
} sums;

// of the forces of a step, from 0
static sums sum_forces(const char *text, int step, const lmb_mesh *m) {
    const char *at = text;
    sums out = {V3_ZERO, V3_ZERO, 0};
    for (int i = 0; i <= step; i++) at = strstr(at + 1, "*CLOAD");
    int node, direction, length;
    double value;
    for (at = strchr(at, '\n'); sscanf(at, "%d, %d, %lf%n", &node, &direction, &value, &length) == 3;) {
        vec3 f = v3_scale(value, v3_axis((direction - 1) % 3));
        int i = lmb_mesh_find_node(m, node);
        if (!CHECK(i >= 0)) break;
        if (direction > 3) out.torque = v3_add(out.torque, f);
        else out.force = v3_add(out.force, f), out.torque = v3_add(out.torque, v3_cross(m->x[i], f));
        if (direction <= 3) out.size += fabs(value);
        at += length;
    }
    return out;
}

// limber reads the deck again: nodes with their numbers, elements, the rigid set
static lmb_mesh *read_deck(const made *x, const char *text) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_read_inp(&m, text, strlen(text), "case.inp", &err), err)) return NULL;
    CHECK(m->element_count == x->b->element_count && m->elements[0].label == 5);
    CHECK(m->coupling_count == 1 && m->couplings[0].tie == LMB_TIE_RIGID);
    for (int i = 0; i < x->b->node_count; i++)
        CHECK(v3_norm(v3_sub(m->x[i], v3_scale(1e3, x->b->x[i]))) < 1e-9 && m->label[i] == 10 + i);
    return m;
}

static double column_at(lmb_reader *r, const char *table, const char *name, long row) {
    lmb_series s = {0};
    lmb_error err = {0};
    CHECK_OK(lmb_reader_table(&s, r, 0, table, &err), err);
    int c = find_column(&s, name);
    double out = CHECK(c >= 0) ? s.v[row * s.columns + c] : NAN;
    lmb_series_free(&s);
    return out;
}

// what the joint does to the body is the reaction of the sensor, turned into its axes
static void check_loads(const made *x) {
    static const char *const force[] = {"b.root.fx", "b.root.fy", "b.root.fz"}, *const reaction[] = {
                                                                                    "r.fx", "r.fy", "r.fz"};
    lmb_reader *r = NULL;
    lmb_error err = {0};
    double a[3], b[3], f[3];
    const long row = 7;
    if (!CHECK_OK(lmb_reader_open(&r, x->results, &err), err)) return;
    for (int i = 0; i < 3; i++)
        a[i] = column_at(r, "loads", force[i], row), b[i] = column_at(r, "sensors", reaction[i], row);
    CHECK_NEAR(v3_norm(v3_load(a)) / v3_norm(v3_load(b)), 1, 1e-12);
    CHECK_NEAR(a[2] / b[2], 1, 1e-2); // it turns about z, nearly
    for (int i = 0; i < 3; i++)
        f[i] = column_at(r, "loads", i == 0 ? "b.tip.fx" : i == 1 ? "b.tip.fy" : "b.tip.fz", row);
    double t = row * 1e-3, fx = 400 * sin(900 * t), fz = 200 * sin(300 * t);
    CHECK_NEAR(v3_norm(v3_load(f)), sqrt(fx * fx + 2500 + fz * fz), 1e-9 * 400);
    lmb_reader_close(r);
}

static const variant one = {&lmb_element_tet10, "C3D10", "average", "{craig_bampton: 2}", "off", "modal"};

TEST(forces_of_a_deck_are_in_balance) {
    const double times[2] = {0.007, 0.02};
    made x;
    if (make_results(&x, &one) && make_deck(&x, times, 2)) {
        char *text = read_text(x.deck);
        lmb_mesh *m = text ? read_deck(&x, text) : NULL;
        for (int step = 0; m && step < 2; step++) {
            sums f = sum_forces(text, step, m);
            CHECK(f.size > 100);
            CHECK_NEAR(v3_norm(f.force) / f.size, 0, 1e-11); // digits of the deck
            CHECK_NEAR(v3_norm(f.torque) / (300 * f.size), 0, 1e-11);
        }
        check_loads(&x);
        lmb_mesh_destroy(m);
        free(text);
    }
    free_made(&x);
}

// the peaks of stress choose the times; one of them by default
TEST(load_cases_of_hot_spots) {
    made x;
    lmb_error err = {0};
    char *summary = NULL, *table = NULL, line[100];
    if (make_results(&x, &one)) {
        lmb_load_options o = {.body = "b"};
        double t = NAN, mises = NAN;
        if (CHECK_OK(lmb_loads_file(&summary, x.deck, x.s, x.results, &o, &err), err))
            CHECK(sscanf(summary, "step 1: t = %lf s, largest von Mises stress %lf MPa", &t, &mises) == 2);
        CHECK(summary && strstr(summary, "step 2") == NULL);
        lmb_text_release(summary);
        if (CHECK_OK(lmb_stress_table(&table, x.results, NULL, &err), err)) {
            snprintf(line, sizeof line, "%10.5g  %15.4g", t, mises);
            CHECK_CONTAINS(table, line);
        }
        lmb_text_release(table);
        // given times beside those of the peaks, each once
        double times[] = {t, 0.02};
        o = (lmb_load_options){.body = "b", .hot_spots = 1, .times = times, .time_count = 2};
        if (CHECK_OK(lmb_loads_file(&summary, x.deck, x.s, x.results, &o, &err), err))
            CHECK_CONTAINS(summary, "step 2: t = 0.02 s");
        CHECK(summary && strstr(summary, "step 3") == NULL);
        lmb_text_release(summary);
    }
    free_made(&x);
}

TEST(load_cases_are_refused) {
    static const double late = 0.5;
    static const struct {
        lmb_load_options o;
        const char *text;
    } wrong[] = {{{.body = "c"}, "body 'c' is not made from a mesh"},
                 {{.body = "b", .times = &late, .time_count = 1},
                  "t = 0.5 s is not in the results, which go from 0 to 0.02 s"},
                 {{.body = "b", .analysis = "2"}, "no analysis"}};
    const variant other = {&lmb_element_tet10, "C3D10", "average", "{craig_bampton: 3}", "off", "modal"};
    made x, y;
    lmb_error err = {0};
    if (make_results(&x, &one)) {
        for (int i = 0; i < LMB_COUNT(wrong); i++) {
            err = (lmb_error){0};
            CHECK(lmb_loads_file(NULL, x.deck, x.s, x.results, &wrong[i].o, &err) == LMB_ERR_INPUT);
            CHECK_CONTAINS(err.text, wrong[i].text);
        }
        if (make_results(&y, &other)) { // into the same file
            err = (lmb_error){0};
            CHECK(lmb_loads_file(NULL, x.deck, x.s, y.results, &wrong[1].o, &err) == LMB_ERR_INPUT);
            CHECK_CONTAINS(err.text,
                           "does not belong to this model: the model file has changed; run the model again");
        }
        free_made(&y);
    }
    free_made(&x);
}

// ---- what ccx says -------------------------------------------------------------------------------

static bool have_ccx(void) {
    bool have = system("command -v ccx >/dev/null 2>&1") == 0;
    if (!have) check_skip("ccx (CalculiX) is not installed");
    return have;
}

// with the stresses at integration points in its .dat: those of nodes have extrapolation factors of four digits
static bool run_ccx(const char *deck) {
    char command[1500];
    const char *slash = strrchr(deck, '/');
    snprintf(command, sizeof command,
             "cd '%.*s' && sed 's/^.EL FILE/*EL PRINT, ELSET=P1/' '%s' >ccx.inp && OMP_NUM_THREADS=1 ccx ccx "
             ">ccx.log 2>&1",
             (int)(slash - deck), deck, slash + 1);
    return system(command) == 0;
}

static FILE *open_dat(const char *deck) {
    char path[600];
    snprintf(path, sizeof path, "%.*s/ccx.dat", (int)(strrchr(deck, '/') - deck), deck);
    return fopen(path, "r");
}

enum { MOST = 1024, POINTS = 27 };
typedef struct ccx_stress {
    double v[MOST][POINTS][6]; // of elements: xx, yy, zz, xy, yz, zx in Pa
} ccx_stress;

// the next step of the file; false: it is not there
static bool read_step(ccx_stress *out, FILE *f) {
    char line[300];
    int element, point, seen = 0;
    double s[6];
    while (fgets(line, sizeof line, f) && strstr(line, "stresses (elem") == NULL) {
    }
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "%d %d %lf %lf %lf %lf %lf %lf", &element, &point, &s[0], &s[1], &s[2], &s[3], &s[5],
                   &s[4]) != 8) {
            if (seen > 0) break;
            continue;
        }
        if (element < 5 || element - 5 >= MOST || point < 1 || point > POINTS) return false;
        for (int k = 0; k < 6; k++) out->v[element - 5][point - 1][k] = 1e6 * s[k];
        seen++;
    }
    return seen > 0;
}

// from the four points of a tetrahedron: v_i = a c_i + b (sum of the other corners), a + 3 b = 1
static void tet_corners(double c[8][6], double (*v)[6]) {
    const double b = (5 - sqrt(5)) / 20;
    for (int k = 0; k < 6; k++) {
        double sum = v[0][k] + v[1][k] + v[2][k] + v[3][k];
        for (int i = 0; i < 4; i++) c[i][k] = (v[i][k] - b * sum) / (1 - 4 * b);
    }
}

// from the eight points of a brick, trilinear, whose first coordinate is fastest
static void hex_corners(double c[8][6], double (*v)[6]) {
    static const int corner[8] = {0, 1, 3, 2, 4, 5, 7, 6}; // the point next to it
    const double near = (1 + sqrt(3)) / 2, far = (1 - sqrt(3)) / 2;
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 6; k++) {
            c[i][k] = 0;
            for (int p = 0; p < 8; p++) {
                int other = corner[i] ^ p;
                c[i][k] +=
                    v[p][k] * (other & 1 ? far : near) * (other & 2 ? far : near) * (other & 4 ? far : near);
            }
        }
}

// weights of -g, 0, g for the parabola through them at x
static void parabola(double w[3], double x) {
    const double g = sqrt(0.6);
    w[0] = x * (x - g) / (2 * g * g), w[1] = 1 - x * x / (g * g), w[2] = x * (x + g) / (2 * g * g);
}

// From 27 points of a brick to its eight: of one with plane faces the stress is quadratic in each coordinate.
static void hex_points(double out[8][6], double (*v)[6]) {
    double w[2][3];
    parabola(w[0], -1 / sqrt(3)), parabola(w[1], 1 / sqrt(3));
    memset(out, 0, 8 * sizeof *out);
    for (int p = 0; p < 8; p++)
        for (int i = 0; i < 27; i++) {
            double weight = w[p & 1][i % 3] * w[p >> 1 & 1][i / 3 % 3] * w[p >> 2][i / 9];
            for (int k = 0; k < 6; k++) out[p][k] += weight * v[i][k];
        }
}

// stresses at the nodes of an element; those of middle nodes are means of corners
static void element_nodes(double n[LMB_ELEMENT_NODES][6], const lmb_element_ops *ops, double (*v)[6]) {
    double eight[8][6];
    bool brick = is_brick(ops), full = ops == &lmb_element_hex20;
    if (full) hex_points(eight, v);
    if (brick) hex_corners(n, full ? eight : v);
    if (ops == &lmb_element_tet10) tet_corners(n, v);
    for (int i = 0; i < 4 && ops == &lmb_element_tet4; i++) memcpy(n[i], v[0], sizeof n[i]);
    for (int i = 4; i < ops->nodes && ops == &lmb_element_tet10; i++)
        for (int k = 0; k < 6; k++)
            n[i][k] = 0.5 * (n[block_tet_edges[i - 4][0]][k] + n[block_tet_edges[i - 4][1]][k]);
    for (int i = 8; i < ops->nodes && brick; i++)
        for (int k = 0; k < 6; k++)
            n[i][k] = 0.5 * (n[block_hex_edges[i - 8][0]][k] + n[block_hex_edges[i - 8][1]][k]);
}

// ---- both ----------------------------------------------------------------------------------------

enum { COORDINATES = 200 };

static void average(double (*sum)[6], const solid_block *b, ccx_stress *c) {
    static int shared[BLOCK_NODES];
    memset(shared, 0, sizeof shared);
    for (int e = 0; e < b->element_count; e++) {
        double n[LMB_ELEMENT_NODES][6];
        element_nodes(n, b->ops, c->v[e]);
        for (int i = 0; i < b->ops->nodes; i++) {
            shared[b->nodes[e][i]]++;
            for (int k = 0; k < 6; k++) sum[b->nodes[e][i]][k] += n[i][k];
        }
    }
    for (int i = 0; i < b->node_count; i++)
        for (int k = 0; k < 6; k++) sum[i][k] /= shared[i];
}

// largest difference of von Mises stresses over all nodes, by the largest stress
static double difference(const made *x, ccx_stress *c, double t) {
    static double nodes[BLOCK_NODES][6];
    double s[COORDINATES], worst = 0, top = 0;
    memset(nodes, 0, sizeof nodes);
    average(nodes, x->b, c);
    if (!read_state(s, x, t) || !CHECK(x->f->stress_places == x->b->node_count)) return NAN;
    for (int i = 0; i < x->f->stress_places; i++) {
        double ours = lmb_flex_mises(x->f, i, s);
        int node = x->f->node_label[x->f->stress_node[i]] - 10;
        top = fmax(top, ours), worst = fmax(worst, fabs(ours - lmb_von_mises(nodes[node])));
    }
    return worst / top;
}

static void compare(const variant *v) {
    const double times[2] = {0.007, 0.02};
    static ccx_stress c;
    made x;
    FILE *f = NULL;
    check_note("%s, tip %s, %s, geometric stiffening %s, %s", v->type, v->tie, v->shapes, v->stiffening,
               v->formulation);
    if (make_results(&x, v) && make_deck(&x, times, 2) && CHECK(run_ccx(x.deck)) &&
        CHECK((f = open_dat(x.deck)) != NULL))
        for (int i = 0; i < 2; i++)
            if (CHECK(read_step(&c, f))) CHECK_NEAR(difference(&x, &c, times[i]), 0, 1e-6);
    if (f) fclose(f);
    free_made(&x);
}

TEST(stresses_of_ccx) {
    static const variant all[] = {
        {&lmb_element_tet10, "C3D10", "average", "{craig_bampton: 4}", "off", "modal"},
        {&lmb_element_tet10, "C3D10", "rigid", "{eigen: 6}", "off", "modal"},
        {&lmb_element_tet4, "C3D4", "average", "{craig_bampton: 2}", "on", "modal"},
        {&lmb_element_hex8, "C3D8I", "rigid", "{craig_bampton: 3}", "off", "superelement"},
        {&lmb_element_hex20r, "C3D20R", "rigid", "{craig_bampton: 3}", "off", "modal"},
        {&lmb_element_hex20, "C3D20", "average", "{craig_bampton: 3}", "off", "modal"},
        {&lmb_element_tet10, "C3D10", "average", "{craig_bampton: 4}", "off", "modal", .curved = 0.02},
    };
    if (!have_ccx()) return;
    for (int i = 0; i < LMB_COUNT(all); i++) compare(&all[i]);
}
