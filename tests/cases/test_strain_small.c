// Strain gauges against closed forms, against stresses by Hooke's law, and solids against beams.
#include "../block_file.h"
#include "run_model.h"
#include "store/results.h"

#include <string.h>

static const double E = 2e11, NU = 0.3, PI = 3.14159265358979323846;

// ---- beams -----------------------------------------------------------------------------------------

// loads are small: the arm of a force changes with the deflection
#define TINY 1e-6

// a clamped shaft of 1 m, diameter 20 mm, with a force and a torque at its end
static bool load_shaft(model *m, const char *beam, const char *load, const char *sensors) {
    return load_and_run(m,
                        "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 8, material: {E: 2e11, nu: "
                        "0.3, density: 7850}, "
                        "section: {circle: 20 mm}, geometric_stiffening: off, %s}}\n"
                        "joints: {f: {type: fixed, between: [ground, b.start]}}\n"
                        "forces: {p: {type: force, on: b.end, value: [%s]}, q: {type: torque, on: b.end, "
                        "axis: [1, 0, 0], value: "
                        "40e-6}}\nsensors: {%s}\nanalyses: [{type: statics}]\n",
                        beam, load, sensors);
}

// F/EA along, -nu of it around; M c/EI at the fibre; T r/(2 G It) at 45 degrees, nothing along and around
TEST(gauges_on_a_shaft) {
    static const char *const beams[] = {
        "shapes: {eigen: 3}, frame: {tangent: start}, watch: {m: [0.5, 0, 0]}",
        "formulation: superelement, watch: {m: [0.5, 0, 0]}", "up: [0, 0, 1], watch: {m: [0.5, 0, 0]}"};
    double r = 0.01, A = PI * r * r, I = A * r * r / 4, G = E / (2 * (1 + NU)), M = TINY * 30 * 0.5;
    for (int i = 0; i < 3; i++) {
        model m;
        if (load_shaft(&m, beams[i], "1000e-6, 30e-6, 0",
                       "x: {type: strain, of: b.m, point: [0, 0]}, "
                       "t: {type: strain, of: b.m, point: [10 mm, 0], direction: [0, 0, 1]}, "
                       "y: {type: strain, of: b.m, point: [10 mm, 0]}, "
                       "z: {type: strain, of: b.m, point: [0, -10 mm]}, f: {type: strain, of: b.m}, "
                       "s: {type: strain, of: b.m, point: [0, 10 mm], direction: [1, -1, 0]}, "
                       "u: {type: strain, of: b.m, point: [10 mm, 0], direction: [1, 0, 1]}")) {
            double axial = TINY * 1000 / (E * A), bending = M * r / (E * I),
                   twist = TINY * 40 * r / (2 * G * 2 * I);
            bool upright =
                i < 2; // else y of the section is z of the body, and z is -y: the fibres change places
            double y = axial - (upright ? bending : 0), z = axial - (upright ? 0 : bending),
                   opposite = upright ? axial : axial + bending;
            check_note("%s", beams[i]);
            CHECK_NEAR(sensor(&m, "x") / axial, 1, 1e-6);
            CHECK_NEAR(sensor(&m, "y") / bending, y / bending, 1e-6);
            CHECK_NEAR(sensor(&m, "z") / bending, z / bending, 1e-6);
            CHECK_NEAR(sensor(&m, "f") / bending, (axial + bending) / bending, 1e-6);
            CHECK_NEAR(sensor(&m, "t") / bending, -NU * y / bending, 1e-6);
            // at (0, r) the shear of torsion is xy = -T r/It: stretched along x - y; in the turned section these are radial directions
            CHECK_NEAR(sensor(&m, "s") / twist, (upright ? 1 : 0) + 0.5 * (1 - NU) * opposite / twist, 1e-6);
            CHECK_NEAR(sensor(&m, "u") / twist, (upright ? 1 : 0) + 0.5 * (1 - NU) * y / twist, 1e-6);
        }
        unload(&m);
    }
}

// rosettes on a twisted shaft: principal strains +-T r/(2 G It) at 45 degrees, whatever the first direction is
TEST(rosettes_on_a_shaft) {
    static const char *const kinds[] = {"rectangular", "delta"};
    double r = 0.01, It = PI * r * r * r * r / 2, twist = TINY * 40 * r * (1 + NU) / (E * It);
    for (int i = 0; i < 2; i++) {
        char sensors[500];
        model m;
        snprintf(
            sensors, sizeof sensors,
            "x: {type: strain, of: b.m, rosette: %s, point: [10 mm, 0]}, "
            "d: {type: strain, of: b.m, rosette: %s, point: [0, 10 mm], direction: [cos(0.3), sin(0.3), 0]}",
            kinds[i], kinds[i]);
        if (load_shaft(&m, "watch: {m: [0.5, 0, 0]}", "0, 0, 0", sensors)) {
            static const char *const names[] = {"x.e1", "x.e2", "d.e1", "d.e2"};
            for (int k = 0; k < 4; k++) CHECK_NEAR(sensor(&m, names[k]) / twist, k % 2 ? -1 : 1, 1e-9);
            CHECK_NEAR(sensor(&m, "x.a") / twist, 0, 1e-9);
            // outside is y: counter-clockwise from x is -z, and the shear xz is positive: stretched at -45 degrees
            CHECK_NEAR(sensor(&m, "x.angle"), -PI / 4, 1e-9);
            CHECK_NEAR(sensor(&m, "d.angle"), -PI / 4 - 0.3, 1e-9); // outside is z, stretched along x - y
            if (i == 0)
                CHECK_NEAR(sensor(&m, "x.b") / twist, -1, 1e-9), CHECK_NEAR(sensor(&m, "x.c"), 0, 1e-15);
        }
        unload(&m);
    }
}

// two normal modes of a cantilever have no force at its end: the gauge sees it by the residual fields
TEST(gauges_contain_the_static_correction) {
    double strain[2] = {0}, r = 0.01, I = PI * r * r * r * r / 4;
    for (int i = 0; i < 2; i++) {
        model m;
        char beam[200];
        snprintf(beam, sizeof beam, "shapes: {eigen: 2}, frame: {tangent: start}, static_correction: %s",
                 i ? "off" : "on");
        if (load_shaft(&m, beam, "0, 30e-6, 0", "g: {type: strain, of: b.start, point: [-10 mm, 0]}"))
            strain[i] = sensor(&m, "g") / (TINY * 30 * r / (E * I));
        unload(&m);
    }
    CHECK_NEAR(strain[0], 1, 1e-6);
    CHECK(fabs(strain[1] - 1) > 0.05);
}

// ---- solids and shells ---------------------------------------------------------------------------

static const char *const block_model =
    "limber: 1\nbodies: {b: {type: mesh, file: %s, unit: m, interfaces: {root: ROOT, tip: TIP}, "
    "geometric_stiffening: off}}\njoints: {f: {type: fixed, between: [ground, b.root]}}\n"
    "forces: {p: {type: force, on: b.tip, value: [%s]}, q: {type: torque, on: b.tip, axis: [1, 0, 0], value: "
    "%g}}\n"
    "sensors: {%s}\nanalyses: [{type: statics}]\n";

// a bar of bricks, pulled and bent, at the middle of its upper face: F/EA + M c/EI along, as the beam says
TEST(a_solid_and_a_beam_have_the_same_strain) {
    const block b = {24, 2, 2, 0.3, 0.02, 0.01};
    char mesh[500], sensors[600];
    snprintf(mesh, sizeof mesh, "%s", check_temp("gauged.inp"));
    block_write(mesh, &b);
    int node = block_node(&b, 12, 1, 2);
    snprintf(sensors, sizeof sensors,
             "x: {type: strain, of: b, node: %d, direction: [1, 0, 0]}, "
             "y: {type: strain, of: b, node: %d, direction: [0, 2, 0]}",
             node, node);
    model solid, beam;
    bool ok = load_and_run(&solid, block_model, mesh, "5000e-6, 0, 20e-6", 0.0, sensors);
    ok = load_and_run(
             &beam,
             "limber: 1\nbodies: {b: {type: beam, length: 0.3, elements: 8, material: {E: 2e11, nu: 0.3, "
             "density: 7850}, "
             "section: {rectangle: [20 mm, 10 mm]}, geometric_stiffening: off, watch: {m: [0.15, 0, 0]}}}\n"
             "joints: {f: {type: fixed, between: [ground, b.start]}}\n"
             "forces: {p: {type: force, on: b.end, value: [5000e-6, 0, 20e-6]}}\n"
             "sensors: {x: {type: strain, of: b.m, point: [0, 5 mm]}}\nanalyses: [{type: statics}]\n") &&
         ok;
    if (ok) {
        double exact = TINY * (5000 / (E * 0.02 * 0.01) - 20 * 0.15 * 0.005 / (E * 0.02 * 1e-6 / 12));
        CHECK_NEAR(sensor(&beam, "x") / exact, 1, 1e-6);
        CHECK_NEAR(sensor(&solid, "x") / sensor(&beam, "x"), 1, 5e-3); // bricks
        CHECK_NEAR(sensor(&solid, "y") / sensor(&solid, "x"), -NU, 5e-3);
    }
    unload(&solid), unload(&beam);
}

typedef struct plane { // strains in a surface
    double e1, e2, angle;
} plane;

// Hooke's law and Mohr's circle, by the stresses in the plane (u, v)
static plane by_stress(double uu, double vv, double uv) {
    double m = (1 - NU) / E * (uu + vv) / 2, d = (1 + NU) / E * (uu - vv) / 2, s = (1 + NU) / E * uv;
    return (plane){m + hypot(d, s), m - hypot(d, s), atan2(s, d) / 2};
}

// A twisted and bent bar: rosettes of both kinds in two directions tell the strains of the stresses, and where they point.
TEST(rosettes_recover_principal_strains) {
    static const struct {
        const char *kind, *direction;
        double turn;
    } all[] = {{"rectangular", "[1, 0, 0]", 0},
               {"delta", "[1, 0, 0]", 0},
               {"delta", "[cos(0.4), sin(0.4), 0]", 0.4}};
    for (int shell = 0; shell < 2; shell++)
        for (int side = 0; side <= shell; side++)
            for (int i = 0; i < 3; i++) {
                const block b = {8, 2, shell ? 0 : 2, 0.3, 0.04, 0.01};
                char mesh[500], sensors[600];
                const char *where = side ? "bottom" : "top";
                int node = block_node(&b, 4, 1, shell ? 0 : 2);
                snprintf(mesh, sizeof mesh, "%s", check_temp("twisted.inp"));
                block_write(mesh, &b);
                snprintf(sensors, sizeof sensors,
                         "s: {type: stress, of: b, node: %d, side: %s}, r: {type: strain, of: b, node: %d, "
                         "side: %s, "
                         "direction: %s, rosette: %s}",
                         node, where, node, where, all[i].direction, all[i].kind);
                model m;
                if (load_and_run(&m, block_model, mesh, "3000, 0, 40", 30.0, sensors)) {
                    plane p = by_stress(sensor(&m, "s.xx"), sensor(&m, "s.yy"), sensor(&m, "s.xy"));
                    check_note("%s %s %s", shell ? "shell" : "solid", where, all[i].kind);
                    // the upper face of the bricks is not free of stress to round-off: its sigma_zz contracts the surface
                    double press = NU * sensor(&m, "s.zz") / E, size = fabs(p.e1) + fabs(p.e2);
                    CHECK_NEAR(sensor(&m, "r.e1") / size, (p.e1 - press) / size, 1e-9);
                    CHECK_NEAR(sensor(&m, "r.e2") / size, (p.e2 - press) / size, 1e-9);
                    // seen from below, angles have the other sense
                    double sense = side ? -1 : 1, angle = sense * (p.angle - all[i].turn);
                    CHECK_NEAR(remainder(sensor(&m, "r.angle") - angle, PI), 0, 1e-9);
                    CHECK(fabs(p.angle) > 0.05);
                }
                unload(&m);
            }
}

// S d = s d, a right-handed frame; the same stress state in a turned body has turned directions
TEST(principal_directions) {
    const block b = {4, 1, 1, 0.3, 0.04, 0.02};
    char mesh[500];
    snprintf(mesh, sizeof mesh, "%s", check_temp("directed.inp"));
    block_write(mesh, &b);
    model m;
    if (load_and_run(&m, block_model, mesh, "3000, 50, 40", 30.0,
                     "s: {type: stress, of: b, node: 11, directions: on}")) {
        static const char *const names[] = {"s.xx", "s.xy", "s.zx", "s.xy", "s.yy",
                                            "s.yz", "s.zx", "s.yz", "s.zz"};
        double S[9], d[3][3], s[3];
        for (int i = 0; i < 9; i++) S[i] = sensor(&m, names[i]);
        for (int k = 0; k < 3; k++) {
            char name[10];
            snprintf(name, sizeof name, "s.s%d", k + 1), s[k] = sensor(&m, name);
            for (int c = 0; c < 3; c++)
                snprintf(name, sizeof name, "s.d%d%c", k + 1, "xyz"[c]), d[k][c] = sensor(&m, name);
        }
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) {
                double Sd = S[3 * c] * d[k][0] + S[3 * c + 1] * d[k][1] + S[3 * c + 2] * d[k][2];
                CHECK_NEAR(Sd / s[0], s[k] * d[k][c] / s[0], 1e-12);
            }
        double z = d[0][0] * d[1][1] - d[0][1] * d[1][0];
        CHECK_NEAR(z, d[2][2], 1e-12); // d3 = d1 x d2
    }
    unload(&m);
}

// ---- error bars ------------------------------------------------------------------------------------

// strains have them like stresses; angles do not
TEST(gauges_have_error_bars) {
    static const char text[] =
        "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 6, section: {circle: 20 mm}, material: "
        "steel, shapes: "
        "guyan, geometric_stiffening: off, damping: {beta: 1e-6}}}\njoints: {f: {type: fixed, between: "
        "[ground, b.start]}}\n"
        "forces: {p: {type: force, on: b.end, value: [0, '100*sin(200*t)', 0]}}\n"
        "sensors: {r: {type: strain, of: b.start, point: [10 mm, 0], rosette: delta}, s: {type: section, of: "
        "b.start}}\n"
        "analyses: [{type: dynamics, until: 0.02, every: 0.002, tolerance: 1e-4, error: on}]\n";
    char path[500];
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_reader *r = NULL;
    lmb_series bars = {0};
    snprintf(path, sizeof path, "%s", check_temp("gauged.h5"));
    if (CHECK_OK(lmb_document_read_text(&d, text, "gauged.yaml", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err) &&
        CHECK_OK(lmb_reader_open(&r, path, &err), err) &&
        CHECK_OK(lmb_reader_table(&bars, r, 0, "bars", &err), err)) {
        CHECK(bars.columns == 5 + 8);
        CHECK_TEXT(bars.names[4], "r.e2");
        // at this point the strain is that of Mz, and of a normal force that hardly changes it
        const double *row = bars.v + (bars.rows - 1) * bars.columns, W = PI * 1e-6 / 4;
        CHECK(row[0] > 0);
        CHECK_NEAR(row[0] / (row[5 + 5] / (2.1e11 * W)), 1, 1e-3);
    }
    lmb_series_free(&bars);
    lmb_reader_close(r);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}
