// tests/random/model.c: random valid models as text.
//
// A model has a length L, a mass M and a time T; everything in it is of these sizes, but for a few that are unlike.  Bodies
// stand where all joints are closed: a joint joins markers at one point with common axes.  Numbers are SI until they are
// written in the model's units.
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { BODIES = 8, JOINTS = 16, POINTS = 12 };

typedef struct body {
    bool beam, mesh; // markers only at its ends
    bool slides;     // may have a sliding marker
    pose p;
    double length; // of a beam
    vec3 point[POINTS];
    int point_count;
    double mass;
    lmb_text keys;
} body;

typedef struct maker {
    dice d, rare;              // rare: what was added later, so that the models of a seed stay alike
    double L, M, T;            // sizes
    double length, mass, time; // units
    bool planar;               // all points in one plane, all axes its normal
    pose plane;
    body bodies[BODIES];
    int body_count;
    struct {
        char name[8];
        const char *kind;
        int a, b; // bodies, -1: ground
        vec3 p, axis;
    } joints[JOINTS];
    int joint_count, marker_count, force_count, signal_count;
    bool tree; // no loops will be closed: motions and initial rates are free
    lmb_text joint_text, force_text, signal_text, marker_text, event_text;
    random_model *out;
} maker;

// ---- numbers in the model's units ---------------------------------------------------------------

static double unit_of(const maker *k, int m, int l, int t) {
    return pow(k->mass, m) * pow(k->length, l) * pow(k->time, t);
}
static double written(const maker *k, double x, int m, int l, int t) { return x / unit_of(k, m, l, t); }
static double length_of(const maker *k, double x) { return x / k->length; }

static void add_vector(lmb_text *out, const char *key, vec3 v) {
    lmb_text_add(out, ", %s: [%.17g, %.17g, %.17g]", key, v.x, v.y, v.z);
}

// mostly 1, sometimes far from it
static double unlike(maker *k) {
    return dice_chance(&k->d, 0.1) ? dice_log(&k->d, 1e-3, 1e3) : dice_log(&k->d, 0.3, 3);
}

static const struct {
    const char *name;
    double length, mass, time;
} systems[] = {
    {"SI", 1, 1, 1},
    {"mm-t-s", 1e-3, 1e3, 1},
    {"mm-kg-ms", 1e-3, 1, 1e-3},
    {"cm-g-s", 1e-2, 1e-3, 1},
    {"{length: um, mass: mg, time: us}", 1e-6, 1e-6, 1e-6},
    {"{length: km, mass: t, time: min}", 1e3, 1e3, 60},
    {"{length: ft, mass: lb, time: s}", 0.3048, 0.45359237, 1},
};

static const char *choose_sizes(maker *k) {
    dice *d = &k->d;
    int u = dice_chance(d, 0.5) ? 0 : dice_below(d, LMB_COUNT(systems));
    k->length = systems[u].length, k->mass = systems[u].mass, k->time = systems[u].time;
    k->L = dice_chance(d, 0.4) ? dice_log(d, 0.1, 10) : dice_log(d, 1e-6, 1e6);
    k->M = dice_log(d, 100, 1e4) * 0.1 * k->L * k->L * k->L;
    k->T = sqrt(k->L / 9.81);
    if (dice_chance(d, 0.3)) k->T *= dice_log(d, 1e-3, 1e3);
    k->planar = dice_chance(d, 0.35);
    quat q = q_exp(v3_scale(dice_in(d, 0, 3), dice_vector(d)));
    k->plane = (pose){v3_scale(dice_chance(d, 0.1) ? 100 * k->L : k->L, dice_vector(d)), q_matrix(q)};
    if (dice_chance(d, 0.3)) k->plane.R = M3_ID;
    return systems[u].name;
}

// ---- points and directions ----------------------------------------------------------------------

static vec3 direction(maker *k) {
    vec3 v = dice_vector(&k->d);
    if (k->planar) v = v3(v.x, v.y, 0);
    if (k->planar && v3_norm(v) < 0.1) v = v3(1, 0, 0);
    v = v3_unit(v);
    return k->planar ? m3_mul_v3(&k->plane.R, v) : v;
}

static vec3 axis(maker *k) {
    vec3 z = v3(0, 0, 1);
    return k->planar ? m3_mul_v3(&k->plane.R, z) : dice_vector(&k->d);
}

static vec3 near(maker *k, vec3 p) { return v3_madd(p, k->L * dice_in(&k->d, 0.4, 1.2), direction(k)); }

// the name of a marker of body b (-1: ground) at the point p; of a beam p must be an end
static void marker_at(char *name, maker *k, int b, vec3 p) {
    if (b < 0) {
        int n = k->marker_count++;
        lmb_text_add(&k->marker_text, "  g%d: {on: ground", n);
        add_vector(&k->marker_text, "at", v3_scale(1 / k->length, p));
        lmb_text_add(&k->marker_text, "}\n");
        sprintf(name, "g%d", n);
        return;
    }
    body *o = &k->bodies[b];
    vec3 local = m3_tmul_v3(&o->p.R, v3_sub(p, o->p.r));
    if (o->beam || o->mesh) {
        sprintf(name, "b%d.%s", b, local.x < 0.5 * o->length ? "start" : "end");
        return;
    }
    for (int i = 0; i < o->point_count; i++)
        if (v3_norm(v3_sub(o->point[i], local)) < 1e-9 * k->L) {
            sprintf(name, "b%d.m%d", b, i);
            return;
        }
    if (o->point_count == POINTS) {
        sprintf(name, "b%d", b);
        return;
    }
    sprintf(name, "b%d.m%d", b, o->point_count);
    o->point[o->point_count++] = local;
}

// a point of a body at which something can be joined
static vec3 some_point(maker *k, int b) {
    if (b < 0) return near(k, k->plane.r);
    const body *o = &k->bodies[b];
    if (o->beam || o->mesh) return pose_point(&o->p, v3(dice_chance(&k->d, 0.8) ? o->length : 0, 0, 0));
    if (o->point_count > 0 && dice_chance(&k->d, 0.3))
        return pose_point(&o->p, o->point[dice_below(&k->d, o->point_count)]);
    return near(k, o->p.r);
}

static bool is_free(const maker *k, int b) { return b < 0 || (!k->bodies[b].beam && !k->bodies[b].mesh); }

// ---- bodies ---------------------------------------------------------------------------------------

static mat3 orientation(maker *k) {
    double angle = dice_in(&k->d, -3, 3);
    if (k->planar) return m3_mul(k->plane.R, q_matrix(q_exp(v3(0, 0, angle))));
    return q_matrix(q_exp(v3_scale(angle, dice_vector(&k->d))));
}

static void add_pose(maker *k, body *o) {
    quat q = q_from_matrix(o->p.R);
    add_vector(&o->keys, "at", v3_scale(1 / k->length, o->p.r));
    lmb_text_add(&o->keys, ", rotate: [%.17g, %.17g, %.17g, %.17g]", q.w, q.x, q.y, q.z);
}

static void add_velocity(maker *k, body *o) {
    dice *d = &k->d;
    if (dice_chance(d, 0.6)) return;
    vec3 v = v3_scale(dice_in(d, 0, 0.5) * k->L / k->T, direction(k));
    vec3 w = v3_scale(dice_in(d, 0, 2) / k->T, axis(k));
    add_vector(&o->keys, "velocity", v3_scale(k->time / k->length, v));
    if (dice_chance(d, 0.7)) add_vector(&o->keys, "spin", v3_scale(k->time, w));
}

// mass and inertia of an ellipsoid; sometimes nearly a point, or a needle
static void make_rigid(maker *k, body *o, vec3 p) {
    dice *d = &k->d;
    double r[3], s = dice_chance(d, 0.1) ? 0.02 : 0.4;
    o->p = (pose){dice_chance(d, 0.9) ? near(k, p) : p, orientation(k)};
    o->mass = k->M * unlike(k);
    for (int i = 0; i < 3; i++) r[i] = s * k->L * dice_in(d, 0.2, 1);
    lmb_text_add(&o->keys, "mass: %.17g, inertia: [", written(k, o->mass, 1, 0, 0));
    for (int i = 0; i < 3; i++) {
        double a = r[(i + 1) % 3], b = r[(i + 2) % 3];
        lmb_text_add(&o->keys, "%s%.17g", i ? ", " : "", written(k, o->mass * (a * a + b * b) / 5, 1, 2, 0));
    }
    lmb_text_add(&o->keys, "]");
    if (dice_chance(d, 0.3))
        add_vector(&o->keys, "com",
                   v3_scale(0.1 * k->L / k->length, k->planar ? v3(1, -0.5, 0) : v3(0.5, -1, 0.7)));
    if (dice_chance(d, 0.15)) lmb_text_add(&o->keys, ", coordinates: relative");
}

static const struct {
    const char *keys;
    bool modes; // has elements and shapes to choose
} formulations[] = {
    {"", true},
    {"shapes: guyan", true},
    {"shapes: {craig_bampton: 2}", true},
    {"shapes: {eigen: {count: 3, held: free}}, frame: buckens", true},
    {"shapes: {craig_bampton: 1}, frame: {chord: [start, end]}", true},
    {"shapes: guyan, frame: {tangent: start}", true},
    {"shapes: guyan, parts: 2", true},
    {"coordinates: relative, shapes: guyan", true},
    {"formulation: rigid", true},
    {"formulation: superelement", true},
    {"formulation: superelement, parts: 2", true},
    {"formulation: superelement, shapes: {craig_bampton: 2}", true},
    {"formulation: ancf", false},
    {"formulation: ancf, element: cable", false},
    {"formulation: ancf, element: full", false},
    {"formulation: lumped", false},
};

// a beam that bends with a period of a part of T
static void make_beam(maker *k, body *o, vec3 p) {
    dice *d = &k->d;
    o->beam = true;
    o->length = k->L * dice_in(d, 0.5, 1.2);
    o->p = (pose){p, orientation(k)};
    double thick = o->length * dice_log(d, 0.03, 0.15), A = LMB_PI * thick * thick / 4,
           I = A * thick * thick / 16;
    double density = k->M * dice_log(d, 0.3, 3) / (A * o->length),
           omega = 2 * LMB_PI * dice_log(d, 0.7, dice_chance(d, 0.1) ? 30 : 4) / k->T;
    double E =
        omega * omega / 12.4 * density * A * pow(o->length, 4) / I; // omega = 3.52 sqrt(EI/(rho A l^4))
    const char *keys = formulations[dice_below(d, LMB_COUNT(formulations))].keys;
    o->mass = density * A * o->length;
    o->slides = !strstr(keys, "superelement") && !strstr(keys, "ancf") && !strstr(keys, "lumped");
    lmb_text_add(&o->keys, "type: beam, length: %.17g, section: {circle: %.17g}, ", length_of(k, o->length),
                 length_of(k, thick));
    lmb_text_add(&o->keys, "material: {E: %.17g, nu: 0.3, density: %.17g}, elements: %d%s%s",
                 written(k, E, 1, -1, -2), written(k, density, 1, -3, 0), 2 * (1 + dice_below(d, 3)),
                 keys[0] ? ", " : "", keys);
    if (dice_chance(d, 0.5) && !strstr(keys, "ancf") && !strstr(keys, "lumped"))
        lmb_text_add(&o->keys, ", damping: %.3g", dice_log(d, 0.005, 0.1));
}

static void make_body(maker *k, vec3 p) {
    body *o = &k->bodies[k->body_count];
    *o = (body){0};
    if (k->out->flexible && dice_chance(&k->d, 0.5)) make_beam(k, o, p);
    else make_rigid(k, o, p);
    add_pose(k, o);
    add_velocity(k, o);
    k->body_count++;
}

// ---- joints ----------------------------------------------------------------------------------------

typedef struct coordinate {
    const char *name;
    bool angle;
} coordinate;

static const struct joint_kind {
    const char *name, *keys;
    coordinate coordinates[3];
    bool planar; // allowed between bodies of a planar model
} joint_kinds[] = {
    {"revolute", "", {{"angle", true}}, true},
    {"spherical", "", {{0}}, false},
    {"universal", "", {{"angle1", true}, {"angle2", true}}, false},
    {"cylindrical", "", {{"angle", true}, {"position", false}}, false},
    {"translational", "", {{"position", false}}, false},
    {"fixed", "", {{0}}, true},
    {"planar", "", {{"x", false}, {"y", false}, {"angle", true}}, true},
    {"point_on_line", "", {{"position", false}}, false},
    {"screw", "", {{"angle", true}}, false},
    {"generic", ", locked: [x, y, z, rx, ry]", {{"rz", true}}, true},
    {"generic", ", locked: [x, y, rx]", {{"z", false}}, false},
    {"generic", ", locked: [y, z, rx, ry, rz]", {{"x", false}}, true},
    {"generic", ", locked: [x, y, z, rz]", {{0}}, false},
};

static const struct joint_kind *choose_joint(maker *k) {
    if (dice_chance(&k->d, k->planar ? 0.6 : 0.3)) return &joint_kinds[0];
    for (;;) {
        const struct joint_kind *j = &joint_kinds[dice_below(&k->d, LMB_COUNT(joint_kinds))];
        if (j->planar || !k->planar) return j;
    }
}

// stiffness, damping of the model's size for a coordinate, in its units
static double stiffness(maker *k, bool angle, double factor) {
    double x = factor * k->M / (k->T * k->T) * (angle ? k->L * k->L : 1);
    return written(k, x, 1, angle ? 2 : 0, -2);
}
static double damping(maker *k, bool angle, double factor) {
    double x = factor * k->M / k->T * (angle ? k->L * k->L : 1);
    return written(k, x, 1, angle ? 2 : 0, -1);
}
static double amount(maker *k, bool angle, double factor) {
    return angle ? factor : length_of(k, factor * k->L);
}

static void add_spring(maker *k, coordinate c) {
    dice *d = &k->d;
    lmb_text_add(&k->joint_text, ", spring: {%s: {stiffness: %.17g", c.name,
                 stiffness(k, c.angle, dice_log(d, 0.3, 100)));
    if (dice_chance(d, 0.5))
        lmb_text_add(&k->joint_text, ", damping: %.17g", damping(k, c.angle, dice_log(d, 0.01, 3)));
    if (dice_chance(d, 0.3))
        lmb_text_add(&k->joint_text, ", at: %.17g", amount(k, c.angle, dice_in(d, -0.5, 0.5)));
    if (dice_chance(d, 0.2))
        lmb_text_add(&k->joint_text, ", force: \"%.17g*value^3\"",
                     stiffness(k, c.angle, 1) / pow(amount(k, c.angle, 1), 2));
    lmb_text_add(&k->joint_text, "}}");
}

static void add_motion(maker *k, coordinate c) {
    dice *d = &k->d;
    double A = amount(k, c.angle, dice_in(d, 0.05, 0.4)), w = dice_in(d, 0.3, 4) / k->T * k->time;
    static const char *const forms[] = {"%.17g*sin(%.17g*t)", "%.17g*(1 - cos(%.17g*t))",
                                        "%.17g*smoothstep(%.17g*t, 0, 3)"};
    char text[120];
    snprintf(text, sizeof text, forms[dice_below(d, LMB_COUNT(forms))], A, w);
    lmb_text_add(&k->joint_text, ", motion: {%s: \"%s\"}", c.name, text);
}

static void add_limits(maker *k, coordinate c) {
    dice *d = &k->d;
    lmb_text_add(&k->joint_text, ", limits: {%s: {min: %.17g, max: %.17g, stiffness: %.17g, depth: %.17g",
                 c.name, amount(k, c.angle, -dice_in(d, 0.1, 0.6)), amount(k, c.angle, dice_in(d, 0.1, 0.6)),
                 stiffness(k, c.angle, dice_log(d, 100, 1e4)), amount(k, c.angle, 0.01));
    if (dice_chance(d, 0.7))
        lmb_text_add(&k->joint_text, ", damping: %.17g", damping(k, c.angle, dice_log(d, 0.1, 10)));
    lmb_text_add(&k->joint_text, "}}");
    k->out->rough = true;
}

static void add_friction(maker *k, coordinate c) {
    dice *d = &k->d;
    double rate = c.angle ? 0.1 / k->T * k->time : written(k, 0.1 * k->L / k->T, 0, 1, -1),
           mu = dice_in(d, 0.05, 0.2);
    lmb_text_add(&k->joint_text,
                 ", friction: {%s: {coefficient: %.3g, static: %.3g, presliding: %.17g, speed: %.17g", c.name,
                 mu, mu * dice_in(d, 1, 1.5), amount(k, c.angle, 1e-2), rate);
    if (c.angle) lmb_text_add(&k->joint_text, ", radius: %.17g", length_of(k, 0.03 * k->L));
    if (dice_chance(d, 0.4))
        lmb_text_add(&k->joint_text, ", preload: %.17g", written(k, k->M * k->L / (k->T * k->T), 1, 1, -2));
    lmb_text_add(&k->joint_text, "}}");
    k->out->rough = true;
}

static void add_extras(maker *k, const struct joint_kind *j, bool loop) {
    dice *d = &k->d;
    int n = 0;
    while (n < 3 && j->coordinates[n].name) n++;
    if (n == 0) return;
    coordinate c = j->coordinates[dice_below(d, n)];
    if (dice_chance(d, 0.3)) add_spring(k, c);
    if (dice_chance(d, 0.06)) add_limits(k, c);
    if (dice_chance(d, 0.06)) add_friction(k, c);
    if (loop || (!k->tree && dice_chance(d, 0.97))) return; // contradictions are rare
    if (dice_chance(d, 0.1)) add_motion(k, c);
    else if (dice_chance(d, 0.2))
        lmb_text_add(&k->joint_text, ", start: {%s_rate: %.17g}", c.name,
                     amount(k, c.angle, dice_in(d, -2, 2)) / k->T * k->time);
}

static void add_joint(maker *k, int a, int b, vec3 p, const struct joint_kind *j, bool loop) {
    char first[24], second[24];
    vec3 z = axis(k);
    int n = k->joint_count++;
    marker_at(first, k, a, p);
    marker_at(second, k, b, p);
    sprintf(k->joints[n].name, "j%d", n);
    k->joints[n].kind = j->name;
    k->joints[n].a = a, k->joints[n].b = b, k->joints[n].p = p, k->joints[n].axis = z;
    lmb_text_add(&k->joint_text, "  j%d: {type: %s, between: [%s, %s]%s", n, j->name, first, second, j->keys);
    add_vector(&k->joint_text, "axis", z);
    if (strcmp(j->name, "screw") == 0)
        lmb_text_add(&k->joint_text, ", pitch: %.17g", length_of(k, dice_in(&k->d, 0.1, 1) * k->L));
    add_extras(k, j, loop);
    lmb_text_add(&k->joint_text, "}\n");
}

static void add_distance(maker *k, int a, int b) {
    char first[24], second[24];
    vec3 p = some_point(k, a), q = some_point(k, b);
    if (v3_norm(v3_sub(p, q)) < 0.1 * k->L) return;
    marker_at(first, k, a, p);
    marker_at(second, k, b, q);
    k->joints[k->joint_count].kind = "distance";
    lmb_text_add(&k->joint_text, "  j%d: {type: distance, between: [%s, %s]}\n", k->joint_count++, first,
                 second);
}

// ---- trees and loops --------------------------------------------------------------------------------

static void add_link(maker *k, int parent) {
    vec3 p = some_point(k, parent);
    int b = k->body_count;
    make_body(k, p);
    if (dice_chance(&k->d, 0.07)) return; // it flies free
    add_joint(k, parent, b, p, choose_joint(k), false);
}

// joins two bodies that hang together already
static void add_loop(maker *k) {
    int a = dice_below(&k->d, k->body_count + 1) - 1, b = dice_below(&k->d, k->body_count);
    if (a == b || k->joint_count >= JOINTS) return;
    k->out->loops = true;
    if (dice_chance(&k->d, 0.3) || (!is_free(k, a) && !is_free(k, b))) {
        add_distance(k, a, b);
        return;
    }
    vec3 p = some_point(k, is_free(k, a) ? b : a);
    add_joint(k, a, b, p, k->planar ? &joint_kinds[0] : choose_joint(k), true);
}

// two turning joints that roll on each other
static void add_gear(maker *k) {
    int found[2], n = 0;
    for (int i = 0; i < k->joint_count && n < 2; i++)
        if (strcmp(k->joints[i].kind, "revolute") == 0) found[n++] = i;
    if (n < 2 || k->joint_count >= JOINTS) return;
    lmb_text_add(&k->joint_text, "  j%d: {type: gear, joints: [j%d, j%d], ratio: %.3g}\n", k->joint_count,
                 found[0], found[1], dice_in(&k->d, -2, 2));
    k->joints[k->joint_count++].kind = "gear";
}

// ---- forces -----------------------------------------------------------------------------------------

static void add_point_spring(maker *k) {
    dice *d = &k->d;
    char first[24], second[24];
    int a = dice_below(d, k->body_count + 1) - 1, b = dice_below(d, k->body_count);
    vec3 p = some_point(k, a), q = some_point(k, b);
    double far = v3_norm(v3_sub(p, q));
    if (a == b || far < 0.2 * k->L) return;
    marker_at(first, k, a, p);
    marker_at(second, k, b, q);
    lmb_text_add(&k->force_text, "  f%d: {type: spring, between: [%s, %s], stiffness: %.17g",
                 k->force_count++, first, second,
                 stiffness(k, false, dice_log(d, 0.3, 100) * (dice_chance(d, 0.1) ? 1e3 : 1)));
    if (dice_chance(d, 0.5))
        lmb_text_add(&k->force_text, ", damping: %.17g", damping(k, false, dice_log(d, 0.01, 3)));
    if (dice_chance(d, 0.4))
        lmb_text_add(&k->force_text, ", length: %.17g", length_of(k, far * dice_in(d, 0.7, 1.2)));
    lmb_text_add(&k->force_text, "}\n");
}

static void add_bushing(maker *k) {
    dice *d = &k->d;
    char first[24], second[24];
    int a = dice_below(d, k->body_count + 1) - 1, b = dice_below(d, k->body_count);
    if (a == b || (!is_free(k, a) && !is_free(k, b))) return;
    vec3 p = some_point(k, is_free(k, a) ? b : a);
    marker_at(first, k, a, p);
    marker_at(second, k, b, p);
    double f = dice_log(d, 1, 100), c = stiffness(k, false, f), r = stiffness(k, true, 0.1 * f);
    lmb_text_add(&k->force_text, "  f%d: {type: bushing, between: [%s, %s], stiffness: [%.17g, %.17g, %.17g]",
                 k->force_count++, first, second, c, c, 0.3 * c);
    lmb_text_add(&k->force_text, ", rotational_stiffness: [%.17g, %.17g, %.17g]", r, 2 * r, r);
    double z = damping(k, false, 0.1);
    if (dice_chance(d, 0.5)) lmb_text_add(&k->force_text, ", damping: [%.17g, %.17g, %.17g]", z, z, z);
    lmb_text_add(&k->force_text, "}\n");
}

// about an axis that both bodies keep: the normal of a plane, or that of a hinge
static void add_rotational(maker *k) {
    dice *d = &k->d;
    int b = dice_below(d, k->body_count), a = b > 0 && dice_chance(d, 0.5) ? b - 1 : -1, hinge = -1;
    char first[24], second[24];
    for (int i = 0; i < k->joint_count; i++)
        if (strcmp(k->joints[i].kind, "revolute") == 0) hinge = i;
    if (!k->planar && hinge < 0) return;
    if (!k->planar) a = k->joints[hinge].a, b = k->joints[hinge].b;
    marker_at(first, k, a, k->planar ? some_point(k, a) : k->joints[hinge].p);
    marker_at(second, k, b, k->planar ? some_point(k, b) : k->joints[hinge].p);
    lmb_text_add(&k->force_text,
                 "  f%d: {type: rotational_spring, between: [%s, %s], stiffness: %.17g, damping: %.17g",
                 k->force_count++, first, second, stiffness(k, true, dice_log(d, 0.1, 10)),
                 damping(k, true, dice_log(d, 0.01, 1)));
    add_vector(&k->force_text, "axis", k->planar ? axis(k) : k->joints[hinge].axis);
    lmb_text_add(&k->force_text, "}\n");
}

// a force or torque: constant, in time, or by a signal with a state that feeds a position back
static void add_load(maker *k) {
    dice *d = &k->d;
    int b = dice_below(d, k->body_count);
    bool torque = dice_chance(d, 0.3);
    char name[24];
    marker_at(name, k, b, some_point(k, b));
    double size = written(k, dice_log(d, 0.1, 2) * k->M * k->L / (k->T * k->T) * (torque ? k->L : 1), 1,
                          torque ? 2 : 1, -2);
    lmb_text_add(&k->force_text, "  f%d: {type: %s, on: %s", k->force_count++, torque ? "torque" : "force",
                 name);
    add_vector(&k->force_text, "axis", torque ? axis(k) : direction(k));
    if (dice_chance(d, 0.3)) lmb_text_add(&k->force_text, ", frame: body");
    double w = dice_in(d, 0.5, 5) / k->T * k->time;
    switch (dice_below(d, 4)) {
    case 0: lmb_text_add(&k->force_text, ", value: %.17g}\n", size); break;
    case 1: lmb_text_add(&k->force_text, ", value: \"%.17g*sin(%.17g*t)\"}\n", size, w); break;
    case 2: lmb_text_add(&k->force_text, ", value: \"t < %.17g ? %.17g : 0\"}\n", 2 / w, size); break;
    default:
        lmb_text_add(&k->signal_text, "  s%d: {type: lag, input: p%d.x, time: %.17g, gain: %.17g}\n",
                     k->signal_count, b, 0.3 / w, -size / length_of(k, k->L));
        lmb_text_add(&k->force_text, ", value: s%d}\n", k->signal_count++);
    }
}

static void add_forces(maker *k) {
    static void (*const kinds[])(maker *) = {add_point_spring, add_point_spring, add_bushing,
                                             add_rotational,   add_load,         add_load};
    for (int n = dice_below(&k->d, 4); n > 0; n--) kinds[dice_below(&k->d, LMB_COUNT(kinds))](k);
}

// ---- rare things ------------------------------------------------------------------------------------

// a body on a marker that slides along a beam; a pin in the plane, a ball in space
static void add_slider(maker *k) {
    int beam = -1;
    for (int i = 0; i < k->body_count; i++)
        if (k->bodies[i].slides) beam = i;
    if (beam < 0 || k->body_count == BODIES || k->joint_count == JOINTS || !dice_chance(&k->rare, 0.2))
        return;
    body *o = &k->bodies[beam];
    double s = dice_in(&k->rare, 0.3, 0.7) * o->length;
    vec3 p = pose_point(&o->p, v3(s, 0, 0));
    char name[24];
    int b = k->body_count, n = k->joint_count++;
    make_body(k, p);
    lmb_text_add(&o->keys, ", sliding: {ring: [%.17g, 0, 0]}", length_of(k, s));
    marker_at(name, k, b, k->bodies[b].beam ? k->bodies[b].p.r : p);
    k->joints[n].kind = "slider";
    lmb_text_add(&k->joint_text, "  j%d: {type: %s, between: [b%d.ring, %s]", n,
                 k->planar ? "revolute" : "spherical", beam, name);
    add_vector(&k->joint_text, "axis", axis(k));
    lmb_text_add(&k->joint_text, "}\n");
}

// switches a force off and on again, or lets a joint go, at a time or where the first body passes a place
static void add_event(maker *k) {
    dice *d = &k->rare;
    double T = k->out->until;
    if (!dice_chance(d, 0.12)) return;
    k->out->rough = true;
    if (k->force_count > 0 && dice_chance(d, 0.7)) {
        int f = dice_below(d, k->force_count);
        lmb_text_add(&k->event_text, "  e0: {at: %.17g, off: [f%d]}\n", dice_in(d, 0.1, 0.4) * T, f);
        lmb_text_add(&k->event_text, "  e1: {at: %.17g, on: [f%d]}\n", dice_in(d, 0.5, 0.8) * T, f);
    } else if (k->joint_count > 0 && k->tree) {
        int j = dice_below(d, k->joint_count);
        if (dice_chance(d, 0.5))
            lmb_text_add(&k->event_text, "  e0: {at: %.17g, off: [j%d]}\n", dice_in(d, 0.2, 0.7) * T, j);
        else
            lmb_text_add(&k->event_text, "  e0: {when: \"p0.x - %.17g\", once: true, off: [j%d]}\n",
                         length_of(k, k->bodies[0].p.r.x + dice_in(d, -0.5, 0.5) * k->L), j);
    }
}

// ---- the text ---------------------------------------------------------------------------------------

static void write_bodies(const maker *k, lmb_text *out) {
    lmb_text_add(out, "bodies:\n");
    for (int i = 0; i < k->body_count; i++) {
        const body *o = &k->bodies[i];
        lmb_text_add(out, "  b%d: {%s", i, o->keys.text);
        vec3 tip = v3_scale(k->L / k->length, v3(0.3, 0.5, k->planar ? 0 : 0.4));
        if (is_free(k, i)) lmb_text_add(out, ", markers: {tip: [%.17g, %.17g, %.17g]", tip.x, tip.y, tip.z);
        for (int p = 0; p < o->point_count; p++) {
            vec3 x = v3_scale(1 / k->length, o->point[p]);
            lmb_text_add(out, ", m%d: [%.17g, %.17g, %.17g]", p, x.x, x.y, x.z);
        }
        lmb_text_add(out, "%s}\n", is_free(k, i) ? "}" : "");
    }
}

static void write_sensors(const maker *k, lmb_text *out) {
    lmb_text_add(out, "sensors:\n");
    for (int i = 0; i < k->body_count; i++)
        lmb_text_add(out, "  p%d: {type: position, of: b%d.%s}\n", i, i, is_free(k, i) ? "tip" : "end");
}

static void write_section(lmb_text *out, const char *name, const lmb_text *entries) {
    if (entries->text) lmb_text_add(out, "%s:\n%s", name, entries->text);
}

static void write_model(maker *k, const char *units, uint64_t seed) {
    lmb_text *out = &k->out->text;
    vec3 g = v3_scale(written(k, k->L / (k->T * k->T), 0, 1, -2), direction(k));
    lmb_text_add(out, "limber: 1\ntitle: random %llu\nunits: %s\n", (unsigned long long)seed, units);
    if (dice_chance(&k->d, 0.8)) lmb_text_add(out, "gravity: [%.17g, %.17g, %.17g]\n", g.x, g.y, g.z);
    write_bodies(k, out);
    write_section(out, "markers", &k->marker_text);
    write_section(out, "joints", &k->joint_text);
    write_section(out, "forces", &k->force_text);
    write_section(out, "signals", &k->signal_text);
    write_sensors(k, out);
    write_section(out, "events", &k->event_text);
}

bool random_model_make(random_model *out, uint64_t seed) {
    maker k = {.d = {seed * 0x2545f4914f6cdd1du + 1}, .rare = {seed * 0x9e3779b97f4a7c15u + 7}, .out = out};
    *out = (random_model){0};
    const char *units = choose_sizes(&k);
    out->flexible = dice_chance(&k.d, 0.35);
    k.tree = dice_chance(&k.d, 0.5);
    int count = out->flexible ? 1 + dice_below(&k.d, 4) : 2 + dice_below(&k.d, 5);
    for (int i = 0; i < count && i < BODIES; i++)
        add_link(&k, i == 0 || dice_chance(&k.d, 0.2) ? -1 : dice_below(&k.d, i));
    int loops = k.tree ? 0 : 1 + dice_below(&k.d, 2);
    for (int i = 0; i < loops; i++) add_loop(&k);
    if (!k.tree && dice_chance(&k.d, 0.2)) add_gear(&k);
    add_forces(&k);
    out->until = dice_in(&k.d, 1, 3) * (out->flexible ? 0.4 : 1.5) * k.T / k.time;
    add_slider(&k);
    add_event(&k);
    out->statics = dice_chance(&k.rare, 0.08);
    write_model(&k, units, seed);
    for (int i = 0; i < k.body_count; i++) lmb_text_free(&k.bodies[i].keys);
    lmb_text_free(&k.joint_text), lmb_text_free(&k.force_text);
    lmb_text_free(&k.signal_text), lmb_text_free(&k.marker_text), lmb_text_free(&k.event_text);
    return out->text.text != NULL;
}

void random_model_free(random_model *m) { lmb_text_free(&m->text); }
