// Damage and life of flexible bodies: by hand, and against the sensors of the same run.
#include "../block_file.h"
#include "draw/life.h"
#include "run_file.h"

#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979;

typedef struct opened {
    lmb_reader *r;
    lmb_scene *scene;
    lmb_life *e;
    lmb_series sensors;
} opened;

static bool open_life(opened *o, const char *path, const lmb_life_options *options) {
    lmb_error err = {0};
    *o = (opened){0};
    return CHECK_OK(lmb_reader_open(&o->r, path, &err), err) &&
           CHECK_OK(lmb_scene_load(&o->scene, o->r, &err), err) &&
           CHECK_OK(lmb_life_create(&o->e, o->r, o->scene, 0, options, &err), err) &&
           CHECK_OK(lmb_reader_table(&o->sensors, o->r, 0, "sensors", &err), err) &&
           CHECK(o->e->spot_count > 0);
}

static void close_life(opened *o) {
    lmb_series_free(&o->sensors);
    lmb_life_destroy(o->e);
    lmb_scene_destroy(o->scene);
    lmb_reader_close(o->r);
}

static const lmb_sn_line line = {
    .strength = 50e6, .cycles = 1e6, .slope = 5, .slope_below = 9, .mean = LMB_MEAN_SWT};

// damage of one cycle, fully reversed
static double per_cycle(double S) { return pow(S / 50e6, S > 50e6 ? 5 : 9) / 1e6; }

// a round cantilever under %s at its end, slow against its vibrations: 80 Hz
static const char *const cantilever =
    "limber: 1\nbodies: {b: {type: beam, length: 0.5, elements: 4, section: {circle: 30 mm}, material: "
    "steel, "
    "shapes: {craig_bampton: 4}, geometric_stiffening: off, damping: {ratio: 0.05}}}\n"
    "joints: {clamp: {type: fixed, between: [ground, b.start]}}\nforces: {f: {type: %s, on: b.end, value: "
    "%s}}\n"
    "sensors: {s: {type: section, of: b.start}}\n"
    "analyses: [{type: dynamics, until: 3, every: 1/120, tolerance: 1e-9}]\n";

// F grows from 0 to 300 N and falls again, three times, 22.5 degrees from y: S = F L/W from 0 to its largest, so that
// sqrt(S_max S_a) = S_max/sqrt(2)
TEST(life_of_a_bent_beam) {
    char path[500];
    opened o = {0};
    snprintf(path, sizeof path, "%s", check_temp("pulsating.h5"));
    const lmb_life_options options = {.line = line};
    if (run_file(path, cantilever, "force",
                 "[0, '150*(1 - cos(2*pi*t))*cos(pi/8)', '150*(1 - cos(2*pi*t))*sin(pi/8)']") &&
        open_life(&o, path, &options)) {
        const lmb_life_spot *s = &o.e->spots[0];
        double S = 300 * 0.5 / (PI * 0.03 * 0.03 * 0.03 / 32);
        CHECK_NEAR(s->damage / (3 * per_cycle(S / sqrt(2))), 1,
                   0.01); // nine times what S is off by vibrations
        CHECK_NEAR(s->plane / s->damage, 1, 1e-5);
        CHECK_NEAR(fabs(s->normal[0]), 1, 1e-5); // across the beam
        CHECK(s->at.x[0] == 0 && s->at.node == 1 && strcmp(s->at.kind, "section") == 0);
        CHECK_NEAR(o.e->duration, 3, 1e-12);
        float most = 0; // drawn are 16 points around a section: some of them lie nearly as far out
        for (int i = 0; i < o.e->bodies[0].count; i++) most = fmaxf(most, o.e->bodies[0].damage[i]);
        CHECK((double)most > 0.8 * s->damage && (double)most < 1.0001 * s->damage);
    }
    close_life(&o);
}

// A torque to and fro: tau = T/Wt.  Von Mises stresses are sqrt(3) tau, of both signs; the critical plane is at 45 degrees, with tau.
TEST(life_of_a_twisted_beam) {
    char path[500];
    opened o = {0};
    snprintf(path, sizeof path, "%s", check_temp("life_twisted.h5"));
    const lmb_life_options options = {.line = line};
    if (run_file(path, cantilever, "torque", "['300*sin(pi*t)^2*sin(2*pi*t)', 0, 0]") &&
        open_life(&o, path, &options)) {
        const lmb_life_spot *s = &o.e->spots[0];
        // from 0 to T, five times from T to -T or back, to 0 again; T = 300 3 sqrt(3)/8 at sin^2 = 3/4
        double T = 300 * 3 * sqrt(3) / 8, tau = T / (PI * 0.03 * 0.03 * 0.03 / 16);
        CHECK_NEAR(s->damage / (2.5 * per_cycle(sqrt(3) * tau) + 0.5 * per_cycle(sqrt(1.5) * tau)), 1, 0.01);
        CHECK_NEAR(s->plane / (2.5 * per_cycle(tau) + 0.5 * per_cycle(sqrt(0.5) * tau)), 1, 0.01);
        CHECK_NEAR(fabs(s->normal[0]), sqrt(0.5), 1e-3);
        CHECK_NEAR(fabs(s->normal[1]), sqrt(0.5), 1e-3);
    }
    close_life(&o);
}

// Bent and twisted together, sigma = M/W, tau = T/(2 W): the critical plane is that of the largest principal stress, between those of a grid
TEST(life_of_a_beam_bent_and_twisted) {
    char path[500];
    opened o = {0};
    snprintf(path, sizeof path, "%s", check_temp("bent_and_twisted.h5"));
    const lmb_life_options options = {.line = line};
    const double angle = 12.5 * PI / 180, M = 200, T = M * tan(2 * angle);
    char value[200];
    snprintf(value, sizeof value, "['%.17g*(1 - cos(2*pi*t))', 0, '%.17g*(1 - cos(2*pi*t))']", T / 2, M / 2);
    if (run_file(path, cantilever, "torque", value) && open_life(&o, path, &options)) {
        const lmb_life_spot *s = &o.e->spots[0];
        double W = PI * 0.03 * 0.03 * 0.03 / 32, sigma = M / W, tau = T / (2 * W);
        double principal = 0.5 * sigma + hypot(0.5 * sigma, tau), mises = sqrt(sigma * sigma + 3 * tau * tau);
        CHECK_NEAR(s->damage / (3 * per_cycle(mises / sqrt(2))), 1, 0.01);
        CHECK_NEAR(s->plane / s->damage / (per_cycle(principal / sqrt(2)) / per_cycle(mises / sqrt(2))), 1,
                   1e-3);
        CHECK_NEAR(fabs(s->normal[0]), cos(angle), 1e-3);
    }
    close_life(&o);
}

// ---- against sensors -----------------------------------------------------------------------------

static int find_column(const opened *o, const char *name) {
    for (int c = 0; c < o->sensors.columns; c++)
        if (strcmp(o->sensors.names[c], name) == 0) return c;
    CHECK(!"the column is there");
    return 0;
}

// of the sensor `s`, 6 x rows, from a row on
static double *sensor_stress(const opened *o, long first) {
    static const char *const names[] = {"s.xx", "s.yy", "s.zz", "s.xy", "s.yz", "s.zx"};
    long rows = o->sensors.rows - first;
    double *out = malloc(6 * (size_t)rows * sizeof *out);
    for (int k = 0; k < 6; k++)
        for (long r = 0; r < rows; r++)
            out[k * rows + r] = o->sensors.v[(first + r) * o->sensors.columns + find_column(o, names[k])];
    return out;
}

// the damage of a plane, from its history
static double plane_damage(const double *stress, long rows, const double *n, const lmb_sn_line *l) {
    double *h = malloc((size_t)rows * sizeof *h);
    for (long r = 0; r < rows; r++) {
        const double s[6] = {stress[r],
                             stress[rows + r],
                             stress[2 * rows + r],
                             stress[3 * rows + r],
                             stress[4 * rows + r],
                             stress[5 * rows + r]};
        h[r] = n[0] * n[0] * s[0] + n[1] * n[1] * s[1] + n[2] * n[2] * s[2] +
               2 * (n[0] * n[1] * s[3] + n[1] * n[2] * s[4] + n[2] * n[0] * s[5]);
    }
    double d = lmb_sn_damage(l, h, rows);
    free(h);
    return d;
}

static const char *const swinging =
    "limber: 1\nbodies: {b: {type: mesh, file: %s, unit: m, interfaces: {root: ROOT, tip: TIP}, shapes: "
    "{craig_bampton: 2}, damping: {beta: 1e-6}, geometric_stiffening: off}}\n"
    "joints: {pin: {type: revolute, between: [ground, b.root], axis: [0, 1, 0], spring: {stiffness: 1e4}}}\n"
    "forces: {f: {type: force, on: b.tip, value: ['400*sin(900*t)', '100*sin(700*t)', '20*sin(300*t)']}}\n"
    "sensors: {s: {type: stress, of: b, node: %d, side: %s}}\n"
    "analyses: [{type: dynamics, until: 0.02, every: %g, tolerance: 1e-5}]\n";

static lmb_life_spot find_worst(const char *path, const lmb_life_options *options) {
    opened o = {0};
    lmb_life_spot worst = {0};
    if (open_life(&o, path, options)) worst = o.e->spots[0];
    close_life(&o);
    return worst;
}

// damage of the worst place, of its plane, and that no other plane is worse
static void check_worst(const opened *o, const lmb_life_spot *worst, const lmb_sn_line *l) {
    long rows = o->e->rows;
    double *stress = sensor_stress(o, o->sensors.rows - rows), *h = malloc((size_t)rows * sizeof *h);
    lmb_signed_mises(h, stress, rows);
    CHECK_NEAR(lmb_sn_damage(l, h, rows) / worst->damage, 1, 1e-5); // stored stresses are floats
    CHECK_NEAR(plane_damage(stress, rows, worst->normal, l) / worst->plane, 1, 1e-5);
    for (int k = 0; k < 300; k++) {
        double n[3] = {check_random(), check_random(), check_random()},
               size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int c = 0; c < 3; c++) n[c] /= size;
        CHECK(plane_damage(stress, rows, n, l) < 1.0001 * worst->plane);
    }
    free(stress), free(h);
}

// once more with a sensor at the worst place
static void check_against_sensor(const char *path, const char *mesh, const lmb_life_options *options,
                                 double every) {
    opened o = {0};
    if (!run_file(path, swinging, mesh, 1, "top", every)) return;
    lmb_life_spot worst = find_worst(path, options);
    if (CHECK(worst.at.node > 0) &&
        run_file(path, swinging, mesh, worst.at.node, worst.at.bottom ? "bottom" : "top", every) &&
        open_life(&o, path, options))
        check_worst(&o, &worst, &options->line);
    close_life(&o);
}

TEST(life_of_solids_and_shells) {
    char mesh[500], path[500];
    snprintf(mesh, sizeof mesh, "%s", check_temp("life_bar.inp"));
    snprintf(path, sizeof path, "%s", check_temp("life_bar.h5"));
    const double every = check_sampled() ? 1e-3 : 1e-4;
    const lmb_life_options all = {.line = line}, later = {.line = line, .from = 0.01, .count = 3};
    block_write(mesh, &(block){8, 2, 2, 0.3, 0.02, 0.01});
    check_against_sensor(path, mesh, &all, every);
    check_against_sensor(path, mesh, &later, every);
    block_write(mesh, &(block){8, 2, 0, 0.3, 0.02, 0.01});
    check_against_sensor(path, mesh, &all, every);
}

// ---- tables and files ----------------------------------------------------------------------------

static bool file_has(const char *path, const char *text) {
    FILE *f = fopen(path, "r");
    char line_text[400];
    bool found = false;
    while (f && !found && fgets(line_text, sizeof line_text, f)) found = strstr(line_text, text) != NULL;
    if (f) fclose(f);
    return found;
}

TEST(life_as_table_and_files) {
    char path[500], out[500];
    char *text = NULL;
    lmb_error err = {0};
    lmb_life_options o = {.line = line, .frames = 2};
    snprintf(path, sizeof path, "%s", check_temp("bent.h5"));
    if (!run_file(path, cantilever, "force", "[0, '300*sin(3*t)', 0]")) return;
    if (CHECK_OK(lmb_life_table(&text, path, &o, &err), err)) {
        CHECK_CONTAINS(text, "01_dynamics: damage over 361 rows, 3 s, one line for each peak");
        CHECK_CONTAINS(
            text, "S-N line: 50 MPa at 1e+06 cycles, slope 5, below 9; mean stress: Smith, Watson, Topper");
        CHECK_CONTAINS(text, "  1  b     section      1           0          0          0  ");
    }
    lmb_text_release(text);
    snprintf(out, sizeof out, "%s", check_temp("bent.csv"));
    if (CHECK_OK(lmb_life_file(out, path, &o, &err), err)) {
        CHECK(file_has(
            out, "body,place,node,x [m],y [m],z [m],damage,plane damage,nx,ny,nz,repetitions,life [h]"));
        CHECK(file_has(out, "b,section,1,0,0,0,"));
    }
    snprintf(out, sizeof out, "%s", check_temp("bent.pvd"));
    if (CHECK_OK(lmb_life_file(out, path, &o, &err), err)) {
        CHECK(file_has(check_temp("bent_0001.vtu"), "Name=\"damage\""));
        CHECK(file_has(check_temp("bent_0001.vtu"), "Name=\"von_mises_largest\""));
    }
    CHECK(lmb_export_vtk_file(out, path, &(lmb_export_options){.frames = 2}, &err) == LMB_OK);
    CHECK(!file_has(check_temp("bent_0001.vtu"), "Name=\"damage\""));
    o.line.strength = 1e12; // tiny, but not none; with an endurance limit none
    o.line.slope_below = INFINITY;
    if (CHECK_OK(lmb_life_table(&text, path, &o, &err), err)) CHECK_CONTAINS(text, "no damage");
    lmb_text_release(text);
    const struct {
        lmb_life_options o;
        const char *file, *text;
    } wrong[] = {{{.line = line, .from = 4}, "a.csv", "has 0 rows from t = 4 s on"},
                 {{.line = line, .body = "c"}, "a.csv", "no body 'c'"},
                 {{.line = line}, "a.xyz", "unknown ending"},
                 {{.line = {.strength = 1}}, "a.csv", "S-N line"}};
    for (int i = 0; i < 4; i++) {
        err = (lmb_error){0};
        CHECK(lmb_life_file(check_temp(wrong[i].file), path, &wrong[i].o, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, wrong[i].text);
    }
}
