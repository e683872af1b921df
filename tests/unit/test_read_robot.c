// tests/unit/test_read_robot.c: robots from URDF: against the same written by hand, closed forms, conserved quantities; what is refused.
#include "check.h"
#include "read/model_file.h"
#include "read/robot.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct model {
    lmb_system *s;
    lmb_simulation *sim;
} model;

static const char *write_file(const char *name, const char *text) {
    const char *path = check_temp(name);
    FILE *f = fopen(path, "w");
    if (CHECK(f != NULL)) fputs(text, f), fclose(f);
    return path;
}

static lmb_status read_model(model *m, const char *path, lmb_error *err) {
    lmb_document *d = NULL;
    *m = (model){0};
    lmb_status st = lmb_document_read_file(&d, path, err);
    if (st == LMB_OK) st = lmb_system_create(&m->s, d, NULL, 0, err);
    if (st == LMB_OK) st = lmb_simulation_create(&m->sim, m->s, err);
    lmb_document_destroy(d);
    return st;
}

static bool run_file(model *m, const char *path) {
    lmb_error err = {0};
    return CHECK_OK(read_model(m, path, &err), err) &&
           CHECK_OK(lmb_simulation_run(m->sim, 0, NULL, NULL, &err), err);
}

// a model beside the robot r.urdf
static bool run(model *m, const char *urdf, const char *yaml) {
    if (urdf) write_file("r.urdf", urdf);
    return run_file(m, write_file("m.yaml", yaml));
}

static void unload(model *m) {
    lmb_simulation_destroy(m->sim);
    lmb_system_destroy(m->s);
}

static double sensor(model *m, const char *name) {
    int i = lmb_system_sensor_find(m->s, name);
    return CHECK(i >= 0) ? lmb_simulation_sensor(m->sim, i) : NAN;
}

#define TIGHT "analyses: [{type: dynamics, until: 1, integrator: radau, tolerance: 1e-10}]\n"
#define TIGHTEST "analyses: [{type: dynamics, until: 0.5, integrator: radau, tolerance: 1e-12}]\n"
#define INERTIAL(m, at, I) "<inertial>" at "<mass value='" m "'/>" I "</inertial>"
#define I3(x, y, z) "<inertia ixx='" x "' iyy='" y "' izz='" z "' ixy='0' ixz='0' iyz='0'/>"
#define LINK(name, inside) "<link name='" name "'>" inside "</link>\n"
#define JOINT(name, type, from, to, inside)                                                         \
    "<joint name='" name "' type='" type "'><parent link='" from "'/><child link='" to "'/>" inside \
    "</joint>\n"
#define SIMPLE(name) LINK(name, INERTIAL("1", "", I3("0.01", "0.01", "0.01")))

// ---- against models written by hand ------------------------------------------------------------

static const char six_axes[] = "<robot name='six'>\n" LINK("foot", "") //
    LINK("l1", INERTIAL("3", "<origin xyz='.02 0 .05' rpy='.1 .2 .3'/>", I3(".02", ".03", ".025")))
        LINK("l2", INERTIAL("2", "<origin xyz='0 0 .15' rpy='-.2 .1 .4'/>", I3(".03", ".031", ".004")))
            LINK("l3", INERTIAL("1.5", "<origin xyz='.1 0 0'/>", I3(".002", ".01", ".011")))
                LINK("l4", INERTIAL(".8", "<origin xyz='.05 0 .01'/>", I3(".001", ".0012", ".0013")))
                    LINK("l5", INERTIAL(".5", "<origin xyz='.02 0 0'/>", I3(".0004", ".0005", ".0006")))
                        LINK("l6", INERTIAL(".4", "<origin xyz='0 .01 .03' rpy='0 0 .7'/>",
                                            I3(".0003", ".0005", ".0004"))) LINK("tool", "")
                            JOINT("j1", "continuous", "foot", "l1",
                                  "<origin xyz='0 0 .1'/><axis xyz='0 0 1'/><dynamics damping='.5'/>")
                                JOINT("j2", "continuous", "l1", "l2",
                                      "<origin xyz='0 .05 .1' rpy='.3 0 0'/><axis xyz='0 1 0'/>")
                                    JOINT("j3", "continuous", "l2", "l3",
                                          "<origin xyz='0 0 .3'/><axis xyz='0 1 0'/><dynamics damping='.2'/>")
                                        JOINT("j4", "continuous", "l3", "l4", "<origin xyz='.2 0 0'/>") JOINT(
                                            "j5", "continuous", "l4", "l5",
                                            "<origin xyz='.1 0 0' rpy='0 0 .5'/><axis xyz='0 1 0'/>")
                                            JOINT("j6", "continuous", "l5", "l6",
                                                  "<origin xyz='.05 0 0'/><axis xyz='1 0 1'/>")
                                                JOINT("mount", "fixed", "l6", "tool",
                                                      "<origin xyz='0 0 .08' rpy='.4 .5 .6'/>") "</robot>\n";

// bodies in the axes of <inertial>, joints in global axes: nothing of the above but its numbers
static const char six_by_hand[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {c: cos(0.3), s: sin(0.3), k: cos(0.5), n: sin(0.5), y3: 0.05 - 0.3*s, z3: 0.2 + 0.3*c,\n"
    "  x6: 0.3 + 0.05*k, y6: y3 + 0.05*c*n, z6: z3 + 0.05*s*n}\n"
    "bodies:\n"
    "  l1: {mass: 3, inertia: [.02, .03, .025], at: [.02, 0, .15], rotate: [{z: .3}, {y: .2}, {x: .1}]}\n"
    "  l2: {mass: 2, inertia: [.03, .031, .004], at: [0, 0.05 - 0.15*s, 0.2 + 0.15*c], rotate: [{x: .3}, {z: "
    ".4}, {y: .1}, {x: -.2}]}\n"
    "  l3: {mass: 1.5, inertia: [.002, .01, .011], at: [.1, y3, z3], rotate: {x: .3}}\n"
    "  l4: {mass: .8, inertia: [.001, .0012, .0013], at: [.25, y3 - .01*s, z3 + .01*c], rotate: {x: .3}}\n"
    "  l5: {mass: .5, inertia: [.0004, .0005, .0006], at: [.3 + .02*k, y3 + .02*c*n, z3 + .02*s*n], rotate: "
    "[{x: .3}, {z: .5}]}\n"
    "  l6: {mass: .4, inertia: [.0003, .0005, .0004], rotate: [{x: .3}, {z: .5}, {z: .7}],\n"
    "       at: [x6 - .01*n, y6 + .01*c*k - .03*s, z6 + .01*s*k + .03*c]}\n"
    "markers: {tool: {on: l6, in: global, at: [x6, y6 - .08*s, z6 + .08*c]}}\n"
    "joints:\n"
    "  j1: {type: revolute, between: [ground, l1], at: [0, 0, .1], axis: [0, 0, 1], spring: {damping: .5}}\n"
    "  j2: {type: revolute, between: [l1, l2], at: [0, .05, .2], axis: [0, c, s]}\n"
    "  j3: {type: revolute, between: [l2, l3], at: [0, y3, z3], axis: [0, c, s], spring: {damping: .2}}\n"
    "  j4: {type: revolute, between: [l3, l4], at: [.2, y3, z3], axis: [1, 0, 0]}\n"
    "  j5: {type: revolute, between: [l4, l5], at: [.3, y3, z3], axis: [-n, c*k, s*k]}\n"
    "  j6: {type: revolute, between: [l5, l6], at: [x6, y6, z6], axis: [k, c*n - s, s*n + c]}\n"
    "sensors: {tool: {type: position, of: tool}, j2: {type: coordinate, of: j2}, j6: {type: coordinate, of: "
    "j6}, e: {type: energy}}\n" TIGHTEST;

TEST(urdf_moves_like_the_robot_written_by_hand) {
    model a = {0}, b = {0};
    if (run(&a, NULL, six_by_hand) &&
        run(&b, six_axes,
            "limber: 1\ngravity: [0, 0, -9.81]\nassemblies: {r: {file: r.urdf}}\n"
            "sensors: {tool: {type: position, of: r.l6.tool}, j2: {type: coordinate, of: r.j2}, "
            "j6: {type: coordinate, of: r.j6}, e: {type: energy}}\n" TIGHTEST)) {
        static const char *const names[] = {"tool.x", "tool.y", "tool.z", "j2", "j6"};
        CHECK(fabs(sensor(&a, "j2")) > 0.5 && fabs(sensor(&a, "j6")) > 0.1); // it does move
        // two runs of tolerance 1e-12 in other coordinates
        for (int i = 0; i < 5; i++) CHECK_NEAR(sensor(&a, names[i]), sensor(&b, names[i]), 1e-9);
    }
    unload(&a), unload(&b);
}

// the same in an assembly that is placed and turned, gravity turned with it
TEST(urdf_in_a_turned_assembly) {
    model a = {0}, b = {0};
    if (run(&a, six_axes,
            "limber: 1\ngravity: [0, 0, -9.81]\nassemblies: {r: {file: r.urdf}}\n"
            "sensors: {tool: {type: position, of: r.l6.tool}}\n" TIGHT) &&
        run(&b, NULL,
            "limber: 1\ngravity: [0, 9.81, 0]\nassemblies: {r: {file: r.urdf, at: [1, 2, 3], rotate: {x: 90 "
            "deg}}}\n"
            "sensors: {tool: {type: position, of: r.l6.tool}}\n" TIGHT)) {
        CHECK_NEAR(sensor(&b, "tool.x"), 1 + sensor(&a, "tool.x"), 1e-9);
        CHECK_NEAR(sensor(&b, "tool.y"), 2 - sensor(&a, "tool.z"), 1e-9);
        CHECK_NEAR(sensor(&b, "tool.z"), 3 + sensor(&a, "tool.y"), 1e-9);
    }
    unload(&a), unload(&b);
}

// import, then run: the same bits
TEST(urdf_import_gives_the_same_bits) {
    static const char more[] = "gravity: [0, 0, -9.81]\nsensors: {tool: {type: position, of: l6.tool}, "
                               "j6: {type: coordinate, of: j6}}\n" TIGHT;
    char text[1000];
    lmb_error err = {0};
    lmb_document *d = NULL;
    model a = {0}, b = {0};
    const char *urdf = write_file("r.urdf", six_axes), *yaml = check_temp("r.yaml");
    if (CHECK_OK(lmb_document_read_file(&d, urdf, &err), err))
        CHECK_OK(lmb_document_write_file(yaml, d, &err), err);
    lmb_document_destroy(d);
    snprintf(text, sizeof text, "limber: 1\ninclude: r.urdf\n%s", more);
    bool ok = run(&a, NULL, text);
    snprintf(text, sizeof text, "limber: 1\ninclude: r.yaml\n%s", more);
    static const char *const names[] = {"tool.x", "tool.y", "tool.z", "j6"};
    if (ok && run(&b, NULL, text))
        for (int i = 0; i < 4; i++) CHECK(sensor(&a, names[i]) == sensor(&b, names[i]));
    unload(&a), unload(&b);
}

// ---- closed forms ------------------------------------------------------------------------------

// I = R diag R', R = Rz(c) Ry(b) Rx(a) written out
TEST(urdf_inertia_small_closed_form) {
    static const double D[3] = {0.2, 0.3, 0.4};
    double a = 0.3, b = -0.2, c = 0.5, sa = sin(a), ca = cos(a), sb = sin(b), cb = cos(b), sc = sin(c),
           cc = cos(c);
    double R[3][3] = {{cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa},
                      {sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa},
                      {-sb, cb * sa, cb * ca}};
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const char *path =
        write_file("r.urdf", "<robot name='a'>" LINK("l", INERTIAL("1", "<origin rpy='.3 -.2 .5'/>",
                                                                   I3(".2", ".3", ".4"))) "</robot>");
    lmb_spec *s = NULL;
    lmb_error err = {0};
    if (CHECK_OK(lmb_yaml_read_file(&s, path, &err), err)) {
        const lmb_node *body = lmb_node_find(lmb_node_find(s->root, "bodies"), "l");
        const lmb_node *n = lmb_node_find(body, "inertia")->first;
        for (int i = 0; i < 6 && CHECK(n != NULL); i++, n = n->next) {
            double sum = 0;
            for (int k = 0; k < 3; k++) sum += R[at[i][0]][k] * D[k] * R[at[i][1]][k];
            CHECK_NEAR(strtod(n->text, NULL), sum, 1e-15);
        }
    }
    lmb_spec_destroy(s);
}

#define TWO_LINKS                                                                                            \
    "<robot name='two'>" LINK("world",                                                                       \
                              "") LINK("a", INERTIAL("2", "<origin xyz='0 0 -.3'/>", I3(".1", ".07", ".1"))) \
        LINK("b", INERTIAL("1.5", "<origin xyz='0 0 -.2'/>", I3(".1", ".05", ".1")))                         \
            JOINT("p", "continuous", "world", "a", "<axis xyz='0 1 0'/>")                                    \
                JOINT("q", "continuous", "a", "b", "<origin xyz='0 0 -.7'/><axis xyz='0 1 0'/>") "</robot>"

// y: absolute angles of both links and their rates; docs of any textbook: M(y) y'' = ...
static void two_links(double *dy, const double *y) {
    const double m2 = 1.5, l1 = 0.7, c1 = 0.3, c2 = 0.2, g = 9.81, a11 = 0.07 + 2 * c1 * c1 + m2 * l1 * l1;
    double a12 = m2 * l1 * c2 * cos(y[0] - y[1]), a22 = 0.05 + m2 * c2 * c2,
           h = m2 * l1 * c2 * sin(y[0] - y[1]);
    double f1 = -h * y[3] * y[3] - (2 * c1 + m2 * l1) * g * sin(y[0]),
           f2 = h * y[2] * y[2] - m2 * c2 * g * sin(y[1]);
    double det = a11 * a22 - a12 * a12;
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = (a22 * f1 - a12 * f2) / det, dy[3] = (a11 * f2 - a12 * f1) / det;
}

static void integrate(double *y, double t, int steps) {
    double h = t / steps, k[4][4], x[4];
    static const double c[4] = {0, 0.5, 0.5, 1};
    for (int n = 0; n < steps; n++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < 4; i++) x[i] = y[i] + (s ? c[s] * h * k[s - 1][i] : 0);
            two_links(k[s], x);
        }
        for (int i = 0; i < 4; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

TEST(urdf_two_links_small_against_their_equations) {
    model m;
    double y[4] = {0.8, 1.3, 0, 0};
    integrate(y, 1, 4000); // error of RK4 about 1e-13
    if (run(&m, TWO_LINKS,
            "limber: 1\ngravity: [0, 0, -9.81]\nassemblies: {r: {file: r.urdf, change: {joints: {p: {start: "
            "{angle: "
            "0.8}}, q: {start: {angle: 0.5}}}}}}\n"
            "sensors: {p: {type: coordinate, of: r.p}, q: {type: coordinate, of: r.q}}\n" TIGHT)) {
        CHECK(fabs(y[0] - 0.8) > 0.3);
        CHECK_NEAR(sensor(&m, "p"), y[0], 1e-8); // tolerance 1e-10 over some hundred steps
        CHECK_NEAR(sensor(&m, "q"), y[1] - y[0], 1e-8);
    }
    unload(&m);
}

typedef struct mass_of {
    const char *name;
    double mass, com[3], rpy[3], inertia[3];
} mass_of;

static const mass_of masses[] = {{"r.a", 3, {.02, 0, .05}, {.1, .2, .3}, {.02, .03, .025}},
                                 {"r.b", 2, {0, .1, .15}, {-.2, .1, .4}, {.03, .031, .004}},
                                 {"r.c", 1, {.1, 0, 0}, {0, 0, 0}, {.002, .01, .011}}};

// p = sum m v,  L = sum r x m v + R I R' w
static void momenta(double *out, model *m) {
    vec3 p = V3_ZERO, L = V3_ZERO;
    for (int i = 0; i < 3; i++) {
        const mass_of *b = &masses[i];
        double x[7], v[6];
        lmb_error err;
        CHECK(lmb_simulation_body_get(x, v, m->sim, b->name, &err) == LMB_OK);
        mat3 R = q_matrix(q_load(x + 3)), A = m3_mul(R, lmb_robot_rpy(v3_load(b->rpy)));
        vec3 w = v3_load(v + 3), c = m3_mul_v3(&R, v3_load(b->com)), a = m3_tmul_v3(&A, w);
        vec3 mv = v3_scale(b->mass, v3_add(v3_load(v), v3_cross(w, c)));
        p = v3_add(p, mv);
        L = v3_add(L, v3_cross(v3_add(v3_load(x), c), mv));
        L = v3_add(L, m3_mul_v3(&A, v3(b->inertia[0] * a.x, b->inertia[1] * a.y, b->inertia[2] * a.z)));
    }
    v3_store(out, p), v3_store(out + 3, L);
    out[6] = sensor(m, "e.kinetic");
}

// free in space: momentum, angular momentum and energy stay
TEST(urdf_free_robot_keeps_momentum) {
    write_file(
        "r.urdf",
        "<robot name='free'>" LINK(
            "a", INERTIAL("3", "<origin xyz='.02 0 .05' rpy='.1 .2 .3'/>", I3(".02", ".03", ".025")))
            LINK("b", INERTIAL("2", "<origin xyz='0 .1 .15' rpy='-.2 .1 .4'/>", I3(".03", ".031", ".004")))
                LINK("c", INERTIAL("1", "<origin xyz='.1 0 0'/>", I3(".002", ".01", ".011"))) JOINT(
                    "j", "continuous", "a", "b", "<origin xyz='0 .05 .1' rpy='.3 0 0'/><axis xyz='0 1 0'/>")
                    JOINT("k", "prismatic", "b", "c",
                          "<origin xyz='0 0 .3' rpy='0 .4 0'/><axis xyz='1 1 0'/>") "</robot>");
    double first[7], last[7], size = 0;
    model m;
    const char *path =
        write_file("m.yaml", "limber: 1\nassemblies: {r: {file: r.urdf, base: free, change: {joints: {j: "
                             "{start: {angle_rate: 3}}, k: "
                             "{start: {position_rate: 0.2}}}, bodies: {a: {spin: [1, 2, 3]}}}}}\n"
                             "sensors: {e: {type: energy}}\n" TIGHT);
    lmb_error err = {0};
    if (CHECK_OK(read_model(&m, path, &err), err) && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err)) {
        momenta(first, &m);
        for (bool done = false; !done && CHECK_OK(lmb_simulation_step(m.sim, &done, &err), err);) {
        }
        momenta(last, &m);
        for (int i = 0; i < 7; i++) size = fmax(size, fabs(first[i]));
        CHECK(size > 0.1);
        for (int i = 0; i < 7; i++)
            CHECK_NEAR(last[i], first[i], 1e-8 * size); // tolerance 1e-10 over some hundred steps
    }
    unload(&m);
}

// ---- parts of the format -----------------------------------------------------------------------

// a link without mass moves with the one it is fixed to, also the first one of a free robot
TEST(urdf_links_without_mass) {
    model m;
    if (run(&m,
            "<robot name='a'>" LINK("base_link", "") SIMPLE("trunk") LINK("eye", "") LINK("lens", "") JOINT(
                "a", "fixed", "base_link", "trunk", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>")
                JOINT("b", "fixed", "trunk", "eye", "<origin xyz='0 2 0' rpy='1.5707963267948966 0 0'/>")
                    JOINT("c", "fixed", "eye", "lens", "<origin xyz='0 0 3'/>") "</robot>",
            "limber: 1\nassemblies: {r: {file: r.urdf, base: free, at: [0, 0, 5]}}\n"
            "sensors: {trunk: {type: position, of: r.trunk}, base: {type: position, of: r.trunk.base_link}, "
            "lens: {type: position, of: r.trunk.lens}}\n" TIGHT)) {
        CHECK_NEAR(sensor(&m, "trunk.x"), 1, 1e-15);
        CHECK_NEAR(sensor(&m, "base.x"), 0, 1e-15), CHECK_NEAR(sensor(&m, "base.z"), 5, 1e-15);
        // (1, 0, 0) + Rz(90) ((0, 2, 0) + Rx(90) (0, 0, 3)) = (1, 0, 0) + Rz(90) (0, -1, 0)
        CHECK_NEAR(sensor(&m, "lens.x"), 2, 1e-14), CHECK_NEAR(sensor(&m, "lens.y"), 0, 1e-14);
    }
    unload(&m);
}

// an arm with 0 outside of its limits starts at the nearest, and the coordinate is that of the file; its follower goes along
TEST(urdf_limits_and_mimic) {
    static const char urdf[] = "<robot name='a'>" SIMPLE("base") SIMPLE("arm") SIMPLE("finger")
        JOINT("j", "revolute", "base", "arm",
              "<axis xyz='0 0 1'/><limit lower='.5' upper='1' effort='0' velocity='0'/>")
            JOINT("k", "prismatic", "arm", "finger",
                  "<origin xyz='1 0 0'/><limit lower='0' upper='9' effort='0' velocity='0'/>"
                  "<mimic joint='j' multiplier='2' offset='.1'/>") "</robot>";
    model m;
    if (run(&m, urdf,
            "limber: 1\ninclude: r.urdf\nsensors: {j: {type: coordinate, of: j}, k: {type: coordinate, of: "
            "k}, f: {type: position, of: finger}}\n"
            "forces: {push: {type: torque, on: arm, axis: [0, 0, 1], value: 10}}\n"
            "analyses: [{type: dynamics, until: 1}]\n")) {
        double j = sensor(&m, "j"), r = 1 + sensor(&m, "k");
        CHECK_NEAR(sensor(&m, "k"), 2 * j + 0.1, 1e-9);
        CHECK_NEAR(sensor(&m, "f.x"), r * cos(j), 1e-9); // along x of the arm
        CHECK_NEAR(sensor(&m, "f.y"), r * sin(j), 1e-9);
        // the stop gives way a little: k = (100 pi)^2 J, J of both links; the rest is bounce
        CHECK(j > 0.9 && j < 1 + 0.01);
    }
    unload(&m);
}

// v = v0 - F/m t, whatever the reaction of the guide
TEST(urdf_friction_is_constant) {
    model m;
    if (run(&m,
            "<robot name='a'>" LINK("world", "") SIMPLE("cart")
                JOINT("x", "prismatic", "world", "cart", "<dynamics friction='2'/>") "</robot>",
            "limber: 1\ngravity: [0, 0, -9.81]\nassemblies: {r: {file: r.urdf, change: {bodies: {cart: "
            "{velocity: [4, 0, 0]}}}}}\n"
            "sensors: {v: {type: velocity, of: r.cart}}\n" TIGHT))
        CHECK_NEAR(sensor(&m, "v.x"), 2, 1e-5); // |v| is smooth within 1e-3 of 0.01 m/s
    unload(&m);
}

// binary and text give the same box, with scale and origin; what is not there or not STL is a remark, not an error
TEST(urdf_meshes_small_are_boxes) {
    static const char text[] = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 3 5e0 "
                               "0\nvertex 2 1 -8\nendloop\nendfacet\nendsolid\n";
    static const float corners[9] = {1, 0, 0, 3, 5, 0, 2, 1, -8};
    char bytes[84 + 50] = {0};
    bytes[80] = 1;
    memcpy(bytes + 84 + 12, corners, sizeof corners); // on a little-endian machine
    FILE *f = fopen(check_temp("b.stl"), "wb");
    if (CHECK(f != NULL)) fwrite(bytes, 1, sizeof bytes, f), fclose(f);
    write_file("a.stl", text), write_file("c.stl", "solid");
    static const struct {
        const char *name;
        bool drawn;
    } all[] = {{"a.stl", true},  {"package://robot/a.stl", true},
               {"b.stl", true},  {"c.stl", false},
               {"d.stl", false}, {"a.dae", false}};
    for (int i = 0; i < 6; i++) {
        char urdf[600];
        lmb_spec *s = NULL;
        lmb_error err = {0};
        snprintf(
            urdf, sizeof urdf,
            "<robot name='a'>" LINK(
                "l",
                INERTIAL("1", "",
                         I3("1", "1",
                            "1")) "<visual><origin xyz='1 0 0'/><geometry>"
                                  "<mesh filename='%s' scale='.1 .2 .5'/></geometry></visual>") "</robot>",
            all[i].name);
        if (CHECK_OK(lmb_yaml_read_file(&s, write_file("r.urdf", urdf), &err), err)) {
            const lmb_node *shape =
                lmb_node_find(lmb_node_find(lmb_node_find(s->root, "bodies"), "l"), "shape");
            CHECK_CONTAINS(s->remarks->text, "<mesh> is");
            if (CHECK((shape != NULL) == all[i].drawn) && shape) {
                static const double size[3] = {0.2, 1, 4}, at[3] = {1.2, 0.5, -2};
                const lmb_node *a = lmb_node_find(shape->first, "box")->first,
                               *c = lmb_node_find(shape->first, "at")->first;
                for (int k = 0; k < 3; k++, a = a->next, c = c->next)
                    CHECK_NEAR(strtod(a->text, NULL), size[k], 1e-12),
                        CHECK_NEAR(strtod(c->text, NULL), at[k], 1e-12);
            }
        }
        lmb_spec_destroy(s);
    }
}

// ---- overlays ----------------------------------------------------------------------------------

#define FLEXIBLE_BEAM \
    "type: beam, from: [0, 0, 0], to: [0, 0, -0.7], section: {circle: 10 mm}, material: steel, elements: 4"

TEST(urdf_flexible_link_is_the_beam_written_by_hand) {
    model a = {0}, b = {0};
    if (run(&a, TWO_LINKS,
            "limber: 1\ngravity: [3, 0, -9.81]\nassemblies: {r: {file: r.urdf, flexible: {a: {" FLEXIBLE_BEAM
            "}}, "
            "base: fixed}}\n"
            "sensors: {q: {type: coordinate, of: r.q}, b: {type: position, of: r.b}}\n"
            "analyses: [{type: dynamics, until: 0.3, integrator: radau, tolerance: 1e-8}]\n") &&
        run(&b, NULL,
            "limber: 1\ngravity: [3, 0, -9.81]\nbodies:\n  a: {" FLEXIBLE_BEAM "}\n"
            "  b: {mass: 1.5, inertia: [.1, .05, .1], com: [0, 0, -.2], at: [0, 0, -.7]}\n"
            "joints:\n  p: {type: revolute, between: [ground, a.start], axis: [0, 1, 0]}\n"
            "  q: {type: revolute, between: [a.end, b], axis: [0, 1, 0]}\n"
            "sensors: {q: {type: coordinate, of: q}, b: {type: position, of: b}}\n"
            "analyses: [{type: dynamics, until: 0.3, integrator: radau, tolerance: 1e-8}]\n")) {
        CHECK(fabs(sensor(&a, "q")) > 1e-3);
        CHECK_NEAR(sensor(&a, "q"), sensor(&b, "q"), 1e-6);
        CHECK_NEAR(sensor(&a, "b.x"), sensor(&b, "b.x"), 1e-7);
    }
    unload(&a), unload(&b);
}

// every failure of an allocation is told, and nothing is lost
TEST(urdf_without_memory_small) {
    const char *path = write_file("r.urdf", six_axes);
    lmb_spec *s = NULL;
    lmb_error err = {0};
    lmb_status st = LMB_ERR_SYSTEM;
    long n = 0;
    for (; st == LMB_ERR_SYSTEM && n < 1000; n++) {
        lmb_alloc_fail_after(n);
        st = lmb_yaml_read_file(&s, path, &err);
        lmb_alloc_fail_after(-1);
    }
    CHECK(st == LMB_OK && n > 3);
    lmb_spec_destroy(s);
}

// ---- refusals ----------------------------------------------------------------------------------

static void refused(const char *urdf, const char *yaml, const char *says, int line) {
    lmb_error err = {0};
    model m;
    const char *path = write_file("r.urdf", urdf);
    if (yaml) path = write_file("m.yaml", yaml);
    CHECK(read_model(&m, path, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, says);
    if (line > 0 && !CHECK(err.line == line)) check_note("line %d: %s", err.line, err.text);
    unload(&m);
}

TEST(urdf_refuses_small) {
    static const struct {
        const char *inside, *says;
        int line;
    } all[] = {
        {"", "has no <link>", 1},
        {"<link/>", "no attribute 'name'", 2},
        {SIMPLE("a") SIMPLE("a"), "already defined in line 2", 3},
        {SIMPLE("a") SIMPLE("b"), "both without a joint to a parent", 3},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "hinge", "a", "b", ""), "unknown type 'hinge'", 4},
        {SIMPLE("a") SIMPLE("arm") JOINT("j", "fixed", "a", "arn", ""), "did you mean 'arm'", 4},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 0'/>"),
         "axis of joint 'j' is zero", 4},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0'/>"),
         "has 2 numbers; expected 3", 4},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "continuous", "a", "b", "<axis xyz='0 0 inf'/>"), "finite", 4},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "revolute", "a", "b", "<limit lower='1' upper='-1'/>"),
         "lower must be less", 4},
        {SIMPLE("a") LINK("b", "") JOINT("j", "continuous", "a", "b", ""), "moves but has no mass", 3},
        {SIMPLE("a") JOINT("j", "fixed", "a", "a", ""), "go round in a circle", 3},
        {SIMPLE("a") SIMPLE("b") SIMPLE("c") JOINT("j", "fixed", "b", "c", "")
             JOINT("k", "fixed", "c", "b", ""),
         "go round in a circle", 3},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "fixed", "a", "b", "") JOINT("k", "fixed", "a", "b", ""),
         "child of two joints", 5},
        {SIMPLE("a") SIMPLE("b") JOINT("j", "continuous", "a", "b", "<mimic joint='j'/>"), "another joint",
         4},
        {SIMPLE("a") SIMPLE("b") SIMPLE("c") JOINT("j", "continuous", "a", "b", "<mimic joint='k'/>")
             JOINT("k", "continuous", "b", "c", "<mimic joint='j'/>"),
         "mimics itself", 5},
        {LINK("a", INERTIAL("-1", "", "")), "is negative", 2},
        {LINK("a", INERTIAL("0", "", I3("1", "1", "1"))), "inertia but no mass", 2},
        {LINK("a", INERTIAL("1", "", I3("1", "1", "9"))), "not physical", 2},
        {LINK("a", INERTIAL("1", "", "")), "not positive definite", 2},
        {"<xacro:macro name='m'/>", "run xacro", 2},
        {SIMPLE("a") "<link name='b'", "not valid XML", 0},
    };
    char text[3000];
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        snprintf(text, sizeof text, "<robot name='r'>\n%s</robot>", all[i].inside);
        refused(text, NULL, all[i].says, all[i].line);
    }
    refused("<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", NULL, "DOCTYPE", 1);
    refused("<model/>", NULL, "found <model>", 1);
}

#define ONE "<robot name='r'>" SIMPLE("a") SIMPLE("b") JOINT("j", "continuous", "a", "b", "") "</robot>"
#define WITH(keys) \
    "limber: 1\nassemblies:\n  r: {file: r.urdf, " keys "}\nanalyses: [{type: dynamics, until: 1}]\n"

TEST(urdf_overlays_refused_small) {
    refused(ONE, WITH("base: loose"), "`fixed` or `free`", 3);
    refused(ONE, WITH("flexible: {c: {type: beam}}"), "no link 'c'", 3);
    refused(ONE, WITH("flexible: {a: {type: beam, at: [1, 0, 0]}}"), "remove 'at'", 3);
    refused(ONE, WITH("flexible: {a: 3}"), "keys of a body", 3);
    refused(ONE, WITH("change: {joint: {j: {motion: t}}}"), "did you mean 'joints'", 3);
    refused(ONE, WITH("change: {joints: {k: {motion: t}}}"), "has no 'k'", 3);
    refused(ONE, WITH("change: {joints: {j: {moton: t}}}"), "moton", 3);
    refused(ONE, "limber: 1\nunits: mm-t-s\nassemblies:\n  r: {file: r.urdf}\n", "different units", 0);
    refused(ONE, "limber: 1\nassemblies: {r: {model: {bodies: {a: {mass: 1, inertia: 1}}}, base: free}}\n",
            "is a robot", 2);
}
