// tests/unit/test_read_mjcf.c: robots in MJCF: against MuJoCo 2.2.2 (Debian libmujoco 2.2.2-3, RK4, contacts off), against models
// written by hand and closed forms; what is refused.
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

static lmb_status load(model *m, const char *yaml, lmb_error *err) {
    lmb_document *d = NULL;
    *m = (model){0};
    lmb_status st = lmb_document_read_file(&d, write_file("m.yaml", yaml), err);
    if (st == LMB_OK) st = lmb_system_create(&m->s, d, NULL, 0, err);
    if (st == LMB_OK) st = lmb_simulation_create(&m->sim, m->s, err);
    lmb_document_destroy(d);
    return st;
}

static bool run(model *m, const char *yaml) {
    lmb_error err = {0};
    return CHECK_OK(load(m, yaml, &err), err) &&
           CHECK_OK(lmb_simulation_run(m->sim, 0, NULL, NULL, &err), err);
}

static bool begin(model *m, const char *yaml) {
    lmb_error err = {0};
    return CHECK_OK(load(m, yaml, &err), err) && CHECK_OK(lmb_simulation_begin(m->sim, 0, &err), err);
}

static void unload(model *m) {
    lmb_simulation_destroy(m->sim);
    lmb_system_destroy(m->s);
}

static double sensor(model *m, const char *name) {
    int i = lmb_system_sensor_find(m->s, name);
    if (!CHECK(i >= 0)) check_note("no sensor %s", name);
    return i >= 0 ? lmb_simulation_sensor(m->sim, i) : NAN;
}

// ---- MuJoCo ------------------------------------------------------------------------------------

enum { MOST = 9 };

// at t = 0 (accelerations) and t = 1 s (positions), printed by mj_forward and mj_step with the step of the line
typedef struct printed {
    const char *name;
    double value;
} printed;
static const struct {
    const char *file, *gravity, *coordinates[5], *sites[2];
    printed start[MOST], end[MOST];
    double tolerance; // of the end: error of MuJoCo's steps, or of a relative 1e-11 here over 400 steps
} cases[] = {
    // step 0.0001 s: hinges and a slide of one body, apart, with ref, springref, armature, damping
    {"offset",
     "[0.3, 0, -9.81]",
     {"shoulder", "elbow", "reach", "twist"},
     {"lower.tip"},
     {{"a_shoulder", -2.2790893753251611},
      {"a_elbow", -1.489322191771403},
      {"a_reach", 8.0942832795350359},
      {"a_twist", -4.2559863686624073},
      {"e.kinetic", 4.0290443949500627}},
     {{"q_shoulder", 0.16482725268787332},
      {"q_elbow", -0.5095513864923561},
      {"q_reach", 0.31372736241779081},
      {"q_twist", -0.88839602274886575},
      {"lower_tip.x", 0.57664131208903502},
      {"lower_tip.z", -0.11946691164578316},
      {"e.kinetic", 1.6226773872567517}},
     1e-8},
    // step 0.00001 s: ball joints with dampers and a spring, classes, orientations; from 0.00002 s its positions change by 5e-10
    {"balls",
     "[0, 0, -9.81]",
     {NULL},
     {"b.tip"},
     {{"e.kinetic", 1.3041494423270767}},
     {{"b_tip.x", -0.38360135597679768},
      {"b_tip.y", -0.60508276356317392},
      {"b_tip.z", 1.0488919432337624},
      {"e.kinetic", 0.22064781323460353}},
     5e-9},
    // step 0.00002 s: a free body with damping, three hinges of one body
    {"free",
     "[0, 0, -9.81]",
     {"h1", "h2", "h3"},
     {"b.tip", "c.end"},
     {{"a_h1", -14.665077879447438}, {"a_h2", 6.1789925321816579}, {"a_h3", 30.566994514052194}},
     {{"q_h1", -0.93687523438210563},
      {"q_h2", -0.024057523125906585},
      {"q_h3", 5.5784939786806449},
      {"b_tip.x", 1.563910778528778},
      {"b_tip.y", -1.8721902690334276},
      {"b_tip.z", -3.8440123045795791},
      {"c_end.x", 1.5919124346762772},
      {"e.kinetic", 185.64843139553091}},
     2e-8},
    // step 0.0001 s: actuators of four types, one at the limit of its force; a tendon as a spring
    {"motors",
     "[0, 0, -9.81]",
     {"ja", "jb", "jc", "jd", "je"},
     {"c.tip"},
     {{"a_ja", -48.024004782248696},
      {"a_jb", 140.81542617138538},
      {"a_jc", 10.609146951999422},
      {"a_jd", 82.141894101530013},
      {"a_je", 0},
      {"e.kinetic", 0.092141626275149852}},
     {{"q_ja", -0.0064293194698617825},
      {"q_jb", 0.36456135283564817},
      {"q_jc", 0.11994847431874037},
      {"q_jd", 2.3178075309959176},
      {"q_je", 6.306627647719008},
      {"c_tip.x", -0.060540922207665},
      {"c_tip.z", 0.43138042979868563},
      {"e.kinetic", 0.24496402055027325}},
     1e-8},
};

static const char *yaml_of(char *text, size_t size, int i) {
    char path[300];
    snprintf(path, sizeof path, "tests/mjcf/%s.xml", cases[i].file);
    int n = snprintf(text, size,
                     "limber: 1\ngravity: %s\nassemblies: {r: {file: %s}}\nsensors:\n  e: {type: energy}\n",
                     cases[i].gravity, check_source(path));
    for (int k = 0; k < 5 && cases[i].coordinates[k]; k++) {
        const char *q = cases[i].coordinates[k];
        n += snprintf(
            text + n, size - (size_t)n,
            "  q_%s: {type: coordinate, of: r.%s}\n  a_%s: {type: coordinate, of: r.%s, derivative: 2}\n", q,
            q, q, q);
    }
    for (int k = 0; k < 2 && cases[i].sites[k]; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s", cases[i].sites[k]);
        *strchr(name, '.') = '_';
        n += snprintf(text + n, size - (size_t)n, "  %s: {type: position, of: r.%s}\n", name,
                      cases[i].sites[k]);
    }
    snprintf(text + n, size - (size_t)n,
             "analyses: [{type: dynamics, until: 1, integrator: radau, tolerance: 1e-11}]\n");
    return text;
}

static void compare(model *m, const printed *list, double tolerance) {
    for (; list->name; list++)
        CHECK_NEAR(sensor(m, list->name), list->value, tolerance * fmax(1, fabs(list->value)));
}

// mass matrix and forces: accelerations in a state with all velocities; MuJoCo diagonalises inertias to 1e-10 or so
TEST(mjcf_accelerations_small_are_those_of_mujoco) {
    char text[4000];
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        model m;
        if (begin(&m, yaml_of(text, sizeof text, i))) compare(&m, cases[i].start, 2e-9);
        unload(&m);
    }
}

TEST(mjcf_motion_is_that_of_mujoco) {
    ACCURACY_ONLY();
    char text[4000];
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        model m;
        if (run(&m, yaml_of(text, sizeof text, i))) compare(&m, cases[i].end, cases[i].tolerance);
        unload(&m);
    }
}

// ---- closed forms ------------------------------------------------------------------------------

#define TIGHT "analyses: [{type: dynamics, until: 1, integrator: radau, tolerance: 1e-11}]\n"
#define MJ(inside) "<mujoco><compiler angle='radian'/>" inside "</mujoco>"
#define QUIET "<default><geom contype='0' conaffinity='0'/></default>"
#define BODY(inside) "<body name='a'>" inside "</body>"

// a loop by <connect>: the ends stay together, energy stays; MuJoCo's first acceleration with solref 0.001 s is 7.9179, its
// constraints yield by 3e-5 of that
TEST(mjcf_connect_closes_a_four_bar) {
    char text[1000];
    model m;
    snprintf(text, sizeof text,
             "limber: 1\ngravity: [0, 0, -9.81]\nassemblies: {r: {file: %s}}\nsensors:\n  a: {type: "
             "coordinate, of: r.a, "
             "derivative: 2}\n  d: {type: position, of: r.rod.connect_1, relative_to: r.rocker.connect_1}\n  "
             "e: {type: "
             "energy}\n" TIGHT,
             check_source("tests/mjcf/fourbar.xml"));
    if (begin(&m, text)) {
        lmb_error err = {0};
        double first = sensor(&m, "e.kinetic") + sensor(&m, "e.potential");
        CHECK_NEAR(sensor(&m, "a"), 7.9179, 1e-3);
        for (bool done = false; !done && CHECK_OK(lmb_simulation_step(m.sim, &done, &err), err);) {
        }
        CHECK(sensor(&m, "e.kinetic") > 0.5);
        CHECK_NEAR(sensor(&m, "e.kinetic") + sensor(&m, "e.potential"), first, 1e-8);
        CHECK_NEAR(sensor(&m, "d.x"), 0, 1e-9), CHECK_NEAR(sensor(&m, "d.z"), 0, 1e-9);
    }
    unload(&m);
}

// q1 - ref1 = a0 + a1 (q2 - ref2); one alone is held at a0
TEST(mjcf_joint_equality_small) {
    model m;
    write_file(
        "r.xml",
        MJ(QUIET
           "<option gravity='0 0 0'/><worldbody><body name='a'><joint name='a' ref='.1'/>"
           "<geom size='.1'/></body><body name='b' pos='1 0 0'><joint name='b' ref='.2'/>"
           "<geom size='.1'/></body><body name='c' pos='2 0 0'><joint name='c' ref='.4'/><geom size='.1'/>"
           "</body></worldbody><equality><joint joint1='b' joint2='a' polycoef='.3 -2 0 0 0'/>"
           "<joint joint1='c' polycoef='.05 0 0 0 0'/></equality>"
           "<keyframe><key qpos='.6 0 0' qvel='1 0 0'/></keyframe>"));
    if (run(&m,
            "limber: 1\nassemblies: {r: {file: r.xml}}\nsensors: {a: {type: coordinate, of: r.a}, b: {type: "
            "coordinate, of: r.b}, c: {type: coordinate, of: r.c}}\n" TIGHT)) {
        CHECK_NEAR(sensor(&m, "a"), 1.6, 1e-9);
        CHECK_NEAR(sensor(&m, "b"), 0.2 + 0.3 - 2 * (1.6 - 0.1), 1e-9);
        CHECK_NEAR(sensor(&m, "c"), 0.45, 1e-12);
    }
    unload(&m);
}

// welded at the relative pose of the file, whatever the keyframe says of other joints
TEST(mjcf_weld_small) {
    model m;
    write_file("r.xml",
               MJ(QUIET
                  "<worldbody><body name='a'><freejoint/><geom size='.1'/></body><body name='b' pos='1 0 0' "
                  "euler='0 .3 0'><freejoint/><geom size='.1'/><site name='s'/></body></worldbody>"
                  "<equality><weld body1='a' body2='b'/></equality>"));
    if (run(&m, "limber: 1\ngravity: [0, 0, -2]\nassemblies: {r: {file: r.xml, change: {bodies: {a: {spin: "
                "[0, 0, 1], velocity: "
                "[0, 0, 0]}, b: {spin: [0, 0, 1], velocity: [0, 1, 0]}}}}}\nsensors: {d: {type: position, "
                "of: r.b, relative_to: "
                "r.a}}\n" TIGHT)) {
        CHECK_NEAR(sensor(&m, "d.x"), 1, 1e-9), CHECK_NEAR(sensor(&m, "d.y"), 0, 1e-9);
        CHECK_NEAR(sensor(&m, "d.z"), 0, 1e-9);
    }
    unload(&m);
}

// mass, com, inertia (0 where they are left out) of body a
static void body_numbers(double *v, const char *text) {
    static const char *const keys[] = {"mass", "com", "inertia"};
    static const int places[] = {0, 1, 4};
    lmb_spec *s = NULL;
    lmb_error err = {0};
    memset(v, 0, 10 * sizeof *v);
    if (!CHECK_OK(lmb_yaml_read_file(&s, write_file("r.xml", text), &err), err)) return;
    const lmb_node *a = lmb_node_find(lmb_node_find(s->root, "bodies"), "a");
    for (int i = 0; i < 3; i++) {
        const lmb_node *n = lmb_node_find(a, keys[i]);
        int k = places[i];
        if (n && n->text) v[k] = strtod(n->text, NULL);
        for (n = n ? n->first : NULL; n && k < 10; n = n->next) v[k++] = strtod(n->text, NULL);
    }
    lmb_spec_destroy(s);
}

static void same_bodies(const char *a, const char *b, double tolerance) {
    double x[10], y[10];
    body_numbers(x, a), body_numbers(y, b);
    CHECK(x[0] > 0);
    for (int i = 0; i < 10; i++) CHECK_NEAR(x[i], y[i], tolerance * fmax(1, fabs(y[0])));
}

#define ONE(asset, inside) \
    MJ(QUIET "<asset>" asset "</asset><worldbody><body name='a'><joint/>" inside "</body></worldbody>")
static const char cube[] =
    "# a cube\nv 1 1 1\nv 3 1 1\nv 3 3 1\nv 1 3 1\nv 1 1 3\nv 3 1 3\nv 3 3 3\nv 1 3 3\n"
    "f 1 4 3 2\nf 5/1 6/2/3 7//4 8\nf 1 2 6 5\nf -6 -5 -1 -2\nf 1 5 8 4\nf 2 3 7 6\n";

// a cube in OBJ has the mass and inertia of a box, wherever its origin is: Ry(90) (.2, .4, .6) = (.6, .4, -.2)
TEST(mjcf_mesh_small_weighs_as_a_box) {
    write_file("cube.obj", cube);
    same_bodies(ONE("<mesh file='cube.obj' scale='.1 .2 .3'/>",
                    "<geom type='mesh' mesh='cube' pos='.1 0 0' euler='0 1.5707963267948966 0'/>"),
                ONE("", "<geom type='box' size='.1 .2 .3' pos='.7 .4 -.2' euler='0 1.5707963267948966 0'/>"),
                1e-14);
}

// what one geom is, two of half the size are, and a mass is a density times a volume
TEST(mjcf_geoms_small_add_up) {
    same_bodies(ONE("", "<geom type='box' size='.1 .2 .3'/>"),
                ONE("", "<geom type='box' size='.1 .2 .15' pos='0 0 .15'/><geom type='box' size='.1 .2 .15' "
                        "pos='0 0 -.15'/>"),
                1e-14);
    same_bodies(ONE("", "<geom type='ellipsoid' size='.1 .1 .1' mass='2'/>"),
                ONE("", "<geom size='.1' mass='2'/>"), 1e-15);
    same_bodies(
        ONE("", "<geom type='cylinder' size='.1' fromto='0 0 0 0 .4 0'/>"),
        ONE("", "<geom type='cylinder' size='.1 .2' pos='0 .2 0' zaxis='0 1 0' mass='12.566370614359172'/>"),
        1e-14);
    // a capsule of next to no length is a sphere
    same_bodies(ONE("", "<geom type='capsule' size='.1 1e-12'/>"), ONE("", "<geom size='.1'/>"), 1e-10);
    same_bodies(ONE("", "<inertial pos='1 2 3' mass='2' fullinertia='1 1.5 2 .1 .2 .3'/><geom size='9'/>"),
                ONE("", "<inertial pos='1 2 3' mass='2' quat='0 1 0 0' fullinertia='1 1.5 2 -.1 -.2 .3'/>"),
                1e-15);
}

// all ways to write one orientation: a quarter turn about x, then one about the new z
TEST(mjcf_orientations_small_agree) {
    static const char *const ways[] = {"euler='1.5707963267948966 0 1.5707963267948966'",
                                       "xyaxes='0 0 1 -1 0 0'", "quat='.5 .5 -.5 .5'",
                                       "axisangle='1 -1 1 2.0943951023931953'"};
    char text[700], other[700];
    for (int i = 1; i < 4; i++) {
        snprintf(text, sizeof text, ONE("", "<geom type='box' size='.1 .2 .3' pos='1 0 0' %s/>"), ways[0]);
        snprintf(other, sizeof other, ONE("", "<geom type='box' size='.1 .2 .3' pos='1 0 0' %s/>"), ways[i]);
        same_bodies(text, other, 1e-14);
    }
    same_bodies(ONE("", "<geom type='box' size='.1 .2 .3' zaxis='1 0 0'/>"),
                ONE("", "<geom type='box' size='.3 .2 .1'/>"), 1e-14);
    same_bodies("<mujoco><compiler eulerseq='ZYX'/><worldbody><body name='a'><joint/><geom type='box' "
                "size='.1 .2 .3' euler='10 "
                "20 30'/></body></worldbody></mujoco>",
                "<mujoco><compiler eulerseq='xyz'/><worldbody><body name='a'><joint/><geom type='box' "
                "size='.1 .2 .3' euler='30 "
                "20 10'/></body></worldbody></mujoco>",
                1e-14);
}

// classes: own, childclass, parents, main; a file in place of <include>; the mass of all
TEST(mjcf_classes_and_includes_small) {
    write_file("part.xml",
               "<mujocoinclude><default><geom density='300'/><default class='x'><geom size='.2'/>"
               "<default class='y'><geom density='100'/></default></default></default></mujocoinclude>");
    same_bodies("<mujoco><include file='part.xml'/><worldbody><body name='a' "
                "childclass='y'><joint/><geom/></body></worldbody></mujoco>",
                ONE("", "<geom size='.2' density='100'/>"), 1e-15);
    same_bodies("<mujoco><include file='part.xml'/><worldbody><body name='a' childclass='y'><joint/><geom "
                "class='x'/></body>"
                "</worldbody></mujoco>",
                ONE("", "<geom size='.2' density='300'/>"), 1e-15);
    same_bodies("<mujoco><compiler settotalmass='5'/><worldbody><body name='a'><joint/><geom "
                "size='.2'/></body></worldbody></mujoco>",
                ONE("", "<geom size='.2' mass='5'/>"), 1e-15);
}

// m x'' = -k x between two sites in line: x = cos(w t)
TEST(mjcf_tendon_small_is_a_spring) {
    model m;
    write_file(
        "r.xml",
        MJ(QUIET
           "<option gravity='0 0 0'/><worldbody><site name='p' pos='3 0 0'/><body name='a'>"
           "<joint name='j' type='slide' axis='1 0 0'/><geom size='.1' mass='2'/><site name='q'/></body>"
           "</worldbody><tendon><spatial stiffness='50'><site site='p'/><site site='q'/></spatial></tendon>"
           "<keyframe><key name='near' qpos='0'/><key name='far' qpos='1'/></keyframe>"));
    if (run(&m, "limber: 1\nassemblies: {r: {file: r.xml, keyframe: far}}\nsensors: {x: {type: coordinate, "
                "of: r.j}}\n" TIGHT))
        CHECK_NEAR(sensor(&m, "x"), cos(5), 1e-8);
    unload(&m);
    if (run(&m, "limber: 1\nassemblies: {r: {file: r.xml, keyframe: none}}\nsensors: {x: {type: coordinate, "
                "of: r.j}}\n" TIGHT))
        CHECK_NEAR(sensor(&m, "x"), 0, 1e-12);
    unload(&m);
}

// where 0 is outside of its range, a joint starts at the limit, unless a keyframe places it
TEST(mjcf_start_small_within_limits) {
    static const char xml[] =
        MJ(QUIET "<option gravity='0 0 0'/><worldbody><body name='a'><joint name='j' range='.5 1'/>"
                 "<geom size='.1'/></body></worldbody><keyframe><key name='k' qpos='.7'/></keyframe>");
    static const char *const entries[] = {"keyframe: none", "keyframe: k"};
    static const double want[] = {0.5, 0.7};
    for (int i = 0; i < 2; i++) {
        model m;
        char text[300];
        write_file("r.xml", xml);
        snprintf(text, sizeof text,
                 "limber: 1\nassemblies: {r: {file: r.xml, %s}}\nsensors: {x: {type: coordinate, of: "
                 "r.j}}\n" TIGHT,
                 entries[i]);
        if (begin(&m, text)) CHECK_NEAR(sensor(&m, "x"), want[i], 1e-14);
        unload(&m);
    }
}

// a flexible body in place of a link: joints find its markers
TEST(mjcf_flexible_link) {
    model m;
    write_file("r.xml",
               MJ(QUIET
                  "<worldbody><body name='a'><joint name='j' axis='0 1 0'/><inertial pos='0 0 -.3' mass='1' "
                  "diaginertia='.1 .1 .1'/><body name='b' pos='0 0 -.7'><joint name='k' axis='0 1 0'/>"
                  "<geom size='.05'/></body></body></worldbody>"));
    if (run(&m, "limber: 1\ngravity: [3, 0, -9.81]\nassemblies: {r: {file: r.xml, flexible: {a: {type: beam, "
                "from: [0, 0, 0], to: "
                "[0, 0, -0.7], section: {circle: 10 mm}, material: steel, elements: 4}}}}\nsensors: {j: "
                "{type: coordinate, of: "
                "r.j}}\nanalyses: [{type: dynamics, until: 0.2}]\n"))
        CHECK(fabs(sensor(&m, "j")) > 0.01);
    unload(&m);
}

// ---- what is refused, what is said -------------------------------------------------------------

TEST(mjcf_refused_small) {
    static const struct {
        const char *text, *message;
    } all[] = {
        {"<robt/>", "found <robt>"},
        {MJ(""), "no <body>"},
        {MJ("<worldbody/>"), "no <body>"},
        {MJ("<worldbody>" BODY("<joint/>") "</worldbody>"), "moves but has no mass"},
        {MJ("<worldbody>" BODY("<joint/><geom/>") "</worldbody>"), "needs 1 positive size"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1 x'/>") "</worldbody>"), "finite number"},
        {MJ("<worldbody>" BODY("<joint axis='0 0 0'/><geom size='1'/>") "</worldbody>"), "axis of joint"},
        {MJ("<worldbody>" BODY("<joint type='screw'/><geom size='1'/>") "</worldbody>"), "unknown type"},
        {MJ("<worldbody>" BODY("<joint type='ball' armature='1'/><geom size='1'/>") "</worldbody>"),
         "armature"},
        {MJ("<worldbody>" BODY("<joint springdamper='1 1'/><geom size='1'/>") "</worldbody>"),
         "springdamper"},
        {MJ("<worldbody>" BODY("<joint range='1 0'/><geom size='1'/>") "</worldbody>"),
         "the first must be less"},
        {MJ("<worldbody>" BODY("<joint/><freejoint/><geom size='1'/>") "</worldbody>"), "free joint"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1' class='x'/>") "</worldbody>"), "no class 'x'"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1' quat='0 0 0 0'/>") "</worldbody>"), "no direction"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1' quat='1 0 0 0' euler='1 0 0'/>") "</worldbody>"),
         "has both"},
        {MJ("<worldbody>" BODY("<joint/><geom type='mesh' mesh='m'/>") "</worldbody>"), "no <mesh> 'm'"},
        {MJ("<asset><mesh name='m' file='none.obj'/></asset><worldbody>" BODY(
             "<joint/><geom type='mesh' mesh='m'/>") "</worldbody>"),
         "give the body an <inertial>"},
        {MJ("<worldbody>" BODY("<composite/>") "</worldbody>"), "<composite> in <body>"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1'/>") BODY("") "</worldbody>"), "two <body> called 'a'"},
        {MJ("<include file='../x.xml'/>"), "<include>"},
        {MJ("<include file='loop.xml'/>"), "files are included"},
        {MJ("<compiler coordinate='global'/>"), "coordinate"},
        {MJ("<compiler boundmass='1'/>"), "boundmass"},
        {MJ("<compiler balanceinertia='true'/>"), "balanceinertia"},
        {MJ("<compiler eulerseq='xy'/>"), "eulerseq"},
        {MJ("<option><flag spring='disable'/></option>"), "flag spring"},
        {MJ("<default><default><geom/></default></default>"), "class"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1'/>") "</worldbody><equality><connect body1='b' "
                                                           "anchor='0 0 0'/></equality>"),
         "no body1 'b'"},
        {MJ("<worldbody>" BODY("<joint name='j'/><geom size='1'/>") "</worldbody><equality><joint joint1='j' "
                                                                    "joint2='j'/></equality>"),
         "two joints"},
        {MJ("<worldbody>" BODY("<joint/><geom size='1'/>") "</worldbody><equality><tendon/></equality>"),
         "connect, weld and joint are"},
        {MJ("<worldbody>" BODY(
             "<joint/><geom size='1'/>") "</worldbody><tendon><fixed stiffness='1'/></tendon>"),
         "straight"},
        {MJ("<worldbody>" BODY("<joint name='elbow'/><geom size='1'/>") "</worldbody><actuator><motor "
                                                                        "joint='elbo'/></actuator>"),
         "no joint 'elbo'; did you mean 'elbow'?"},
        {MJ("<default><general gainprm='3'/></default><worldbody>" BODY(
             "<joint name='j'/><geom size='1'/>") "</worldbody><actuator><position joint='j'/></actuator>"),
         "overwrite each other"},
        {MJ("<worldbody>" BODY(
             "<joint/><geom size='1'/>") "</worldbody><keyframe><key qpos='1 2'/></keyframe>"),
         "has 2 numbers"},
    };
    write_file("loop.xml", "<mujocoinclude><include file='loop.xml'/></mujocoinclude>");
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        lmb_spec *s = NULL;
        lmb_error err = {0};
        if (CHECK(lmb_yaml_read_file(&s, write_file("r.xml", all[i].text), &err) == LMB_ERR_INPUT))
            CHECK_CONTAINS(err.text, all[i].message), CHECK(err.line > 0);
        else check_note("%s", all[i].text);
        lmb_spec_destroy(s);
    }
}

// told by name, once each
TEST(mjcf_remarks_small) {
    static const char *const said[] = {"limber has no contact; geoms do not collide (and 1 more)",
                                       "<sensor> is not used",
                                       "'m' is an actuator",
                                       "range and frictionloss of tendon",
                                       "not active",
                                       "solref and solimp",
                                       "elastic stops",
                                       "keyframe 'k'"};
    lmb_spec *s = NULL;
    lmb_error err = {0};
    write_file("r.xml", MJ("<worldbody><site name='p'/>" BODY(
                            "<joint name='j' range='-1 1'/><geom size='.1'/><site "
                            "name='q'/>") "<body name='b' pos='1 0 0'><geom "
                                          "size='.1'/></body></worldbody><sensor/>"
                                          "<equality><weld body1='a' active='false'/><weld "
                                          "body1='b'/></equality>"
                                          "<tendon><spatial range='0 1'><site "
                                          "site='p'/><site site='q'/></spatial></tendon>"
                                          "<actuator><muscle name='m' "
                                          "joint='j'/></actuator><keyframe><key "
                                          "name='k'/></keyframe>"));
    if (!CHECK_OK(lmb_yaml_read_file(&s, check_temp("r.xml"), &err), err)) return;
    for (int i = 0; i < (int)(sizeof said / sizeof *said); i++) {
        bool found = false;
        for (const lmb_spec_remark *r = s->remarks; r; r = r->next) found = found || strstr(r->text, said[i]);
        if (!CHECK(found)) check_note("%s", said[i]);
    }
    lmb_spec_destroy(s);
}
