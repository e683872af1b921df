// tests of body/planar.c and system/build_planar.c: the equations of planar bodies, and which models are planar
#include "check.h"
#include "random_model.h"
#include "solve/solve.h"
#include "system/shown.h"

#include <stdio.h>
#include <string.h>

// ---- models in any plane -----------------------------------------------------------------------

// A crank with a motor, a coupler whose centre of mass is off its frame, a slider with friction in a guide, a wheel geared to the
// crank; springs, a damped one by an expression.  Points are (x, y) in a plane with the frame F.
static void write_machine(lmb_text *t, const mat3 *F, const char *first) {
    vec3 e = m3_column(F, 0), f = m3_column(F, 1), n = m3_column(F, 2), o = v3_scale(0.3, n);
    vec3 g = v3_add(v3_scale(3, e), v3_scale(-9, f));
    quat q = q_mul(q_from_matrix(*F), q_exp(v3(0.4, -0.7, 1.1))), k = q_from_matrix(*F);
    lmb_text_add(t, "limber: 1\n%sgravity: [%.17g, %.17g, %.17g]\nbodies:\n", first, g.x, g.y, g.z);
#define ON(i, j) \
    v3_madd(v3_madd(o, i, e), j, f).x, v3_madd(v3_madd(o, i, e), j, f).y, v3_madd(v3_madd(o, i, e), j, f).z
#define XYZ "[%.17g, %.17g, %.17g]"
    lmb_text_add(t,
                 "  crank: {mass: 2, inertia: 0.02, at: " XYZ ", rotate: [%.17g, %.17g, %.17g, %.17g]}\n"
                 "  rod: {mass: 1.5, inertia: [0.03, 0.05, 0.04], com: [0.1, -0.05, 0], at: " XYZ
                 ", rotate: [%.17g, %.17g, %.17g, %.17g]}\n"
                 "  slide: {mass: 0.7, inertia: 0.01, at: " XYZ "}\n"
                 "  wheel: {mass: 1, inertia: 0.01, at: " XYZ "}\n",
                 ON(0.1, 0.05), q.w, q.x, q.y, q.z, ON(0.3, 0.2), k.w, k.x, k.y, k.z, ON(0.6, 0.1),
                 ON(-0.2, 0));
    lmb_text_add(t,
                 "markers:\n  far: {on: ground, at: " XYZ "}\n  tip: {on: rod, in: global, at: " XYZ "}\n"
                 "  arm: {on: crank, in: global, at: " XYZ "}\n",
                 ON(0.2, 0.9), ON(0.35, 0.3), ON(0.2, 0.15));
    lmb_text_add(
        t,
        "joints:\n"
        "  main: {type: revolute, between: [ground, crank], at: " XYZ ", axis: " XYZ
        ", friction: {coefficient: 0.1, radius: 0.02, presliding: 0.5, speed: 1}}\n" // wide bristles, for differences
        "  big: {type: revolute, between: [crank, rod], at: " XYZ ", axis: " XYZ "}\n"
        "  pin: {type: spherical, between: [rod, slide], at: " XYZ "}\n"
        "  guide: {type: translational, between: [ground, slide], at: " XYZ ", axis: " XYZ ", x: " XYZ
        ", friction: {coefficient: 0.2, arm: 0.1, presliding: 0.5, speed: 1}, limits: {min: -1, max: 0.01, "
        "stiffness: 300, damping: 3, "
        "depth: 0.1}}\n"
        "  hub: {type: generic, locked: [x, y, z, rx, ry], between: [ground, wheel], axis: " XYZ
        ", spring: {stiffness: 0.3, damping: 0.1}}\n"
        "  teeth: {type: gear, joints: [main, hub], ratio: -0.5}\n",
        ON(0, 0), n.x, n.y, n.z, ON(0.2, 0.1), n.x, n.y, n.z, ON(0.6, 0.1), ON(0.6, 0.1), e.x, e.y, e.z, n.x,
        n.y, n.z, n.x, n.y, n.z);
    vec3 push = v3_add(v3_scale(0.6, e), v3_scale(-0.3, f));
    lmb_text_add(
        t,
        "forces:\n"
        "  motor: {type: torque, on: crank, axis: " XYZ ", value: 0.3*(5 - main.angle_rate) + 0.1*cos(t)}\n"
        "  coil: {type: spring, between: [far, tip], stiffness: 40, damping: 1, length: 0.4, force: "
        "\"2*rate*length\"}\n"
        "  push: {type: force, on: tip, to: arm, axis: " XYZ ", value: 1 + main.angle, frame: global}\n"
        "  twist: {type: rotational_spring, between: [crank, rod], axis: " XYZ
        ", stiffness: 2, damping: 0.1}\n"
        "sensors:\n  main: {type: reaction, of: main}\n  guide: {type: reaction, of: guide}\n"
        "  tip: {type: position, of: tip}\n  energy: {type: energy}\n  angle: {type: coordinate, of: main}\n"
        "analyses: [{type: dynamics, until: 1}]\n",
        n.x, n.y, n.z, push.x, push.y, push.z, n.x, n.y, n.z);
}

// A rigid crank, a flexible coupler and a flexible rocker close a loop.  The frames of the beams lie in the plane.
static void write_linkage(lmb_text *t, const mat3 *F, const char *first, const char *coupler,
                          const char *rocker) {
    vec3 e = m3_column(F, 0), f = m3_column(F, 1), n = m3_column(F, 2), o = v3_scale(0.3, n);
    vec3 g = v3_add(v3_scale(3, e), v3_scale(-9, f)), spin = v3_scale(2, n);
    quat k = q_from_matrix(*F), up = q_mul(k, q_exp(v3(0, 0, LMB_PI / 2)));
    lmb_text_add(t, "limber: 1\n%sgravity: [%.17g, %.17g, %.17g]\nbodies:\n", first, g.x, g.y, g.z);
#define BEAM "length: 0.4, material: {E: 2e5, nu: 0.3, density: 2000}, at: "
    lmb_text_add(t,
                 "  crank: {mass: 2, inertia: 0.02, at: " XYZ ", spin: " XYZ "}\n"
                 "  coupler: {type: beam, %s, " BEAM XYZ ", rotate: [%.17g, %.17g, %.17g, %.17g]}\n"
                 "  rocker: {type: beam, %s, " BEAM XYZ ", rotate: [%.17g, %.17g, %.17g, %.17g]}\n",
                 ON(0, 0), spin.x, spin.y, spin.z, coupler, ON(0, 0.2), k.w, k.x, k.y, k.z, rocker,
                 ON(0.4, -0.2), up.w, up.x, up.y, up.z);
    lmb_text_add(
        t,
        "markers:\n  pin: {on: crank, in: global, at: " XYZ "}\n  far: {on: ground, at: " XYZ "}\n"
        "joints:\n"
        "  main: {type: revolute, between: [ground, crank], axis: " XYZ "}\n"
        "  big: {type: revolute, between: [pin, coupler.start], axis: " XYZ "}\n"
        "  eye: {type: spherical, between: [coupler.end, rocker.end]}\n"
        "  foot: {type: revolute, between: [ground, rocker.start], axis: " XYZ
        ", spring: {stiffness: 0.3, damping: 0.1}}\n"
        "forces:\n"
        "  motor: {type: torque, on: crank, axis: " XYZ ", value: 0.3*(5 - main.angle_rate)}\n"
        "  coil: {type: spring, between: [far, coupler.end], stiffness: 40, damping: 1, length: 0.4}\n"
        "sensors:\n  eye: {type: position, of: coupler.end}\n  energy: {type: energy}\n"
        "analyses: [{type: dynamics, until: 0.1, step: 1e-3}]\n",
        ON(0, 0.2), ON(0.2, 0.9), n.x, n.y, n.z, n.x, n.y, n.z, n.x, n.y, n.z, n.x, n.y, n.z);
}

static const struct {
    const char *coupler, *rocker;
} linkages[] = {
    {"section: {rectangle: [0.02, 0.03]}, shapes: [{eigen: {count: 6}}], elements: 4, damping: {beta: 1e-3}",
     "formulation: ancf, element: cable, elements: 2, section: {circle: 0.02}"},
    {"section: {rectangle: [0.02, 0.03]}, shapes: [{craig_bampton: 1}], elements: 4, geometric_stiffening: "
     "off",
     "section: {rectangle: [0.02, 0.03]}, formulation: ancf, elements: 1, damping: {beta: 1e-3}"},
    {"section: {rectangle: [0.02, 0.03]}, shapes: [{eigen: {count: 4}}], elements: 4, geometric_stiffening: "
     "papers",
     "section: {rectangle: [0.02, 0.03]}, formulation: rigid"},
    {"section: {rectangle: [0.02, 0.03]}, parts: 2, shapes: [{eigen: {count: 2}}], elements: 4",
     "section: {rectangle: [0.02, 0.03]}, formulation: ancf, element: full, elements: 1"},
    {"section: {rectangle: [0.02, 0.03]}, formulation: superelement, coordinates: absolute, shapes: "
     "[{craig_bampton: 2}], elements: 4, parts: 2",
     "section: {rectangle: [0.02, 0.03]}, formulation: ancf, elements: 1, axes: tangent"},
    {"section: {rectangle: [0.02, 0.03]}, shapes: [{craig_bampton: 1}], elements: 4", // no marker on the middle element
     "formulation: ancf, element: cable, strain: engineering, elements: 3, section: {circle: 0.02}"},
    {"section: {rectangle: [0.02, 0.03]}, shapes: [{craig_bampton: 1}], elements: 4",
     "section: {rectangle: [0.02, 0.03]}, formulation: ancf, strain: engineering, elements: 2"},
};

static mat3 frame_of(int k) { // normals z, y, x, and any
    static const double normal[][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0.48, -0.6, 0.64}, {-1, 2, 3}};
    return m3_frame_z(v3_load(normal[k]), v3(0.3, 0.1, 0.9));
}

TEST(equations_of_planar_bodies) {
    for (int k = 0; k < 5; k++) {
        rig r = {0};
        lmb_text t = {0};
        mat3 F = frame_of(k);
        write_machine(&t, &F, "");
        if (rig_load(&r, t.text) && CHECK(r.m->plane != NULL)) {
            CHECK(r.m->nc == 2 + 2 + 2 + 2 + 2 + 1);
            for (int i = 0; i < 4; i++) rig_shake(&r), rig_check(&r, "a planar machine");
        }
        rig_free(&r);
        lmb_text_free(&t);
    }
}

// ---- the same as in space ----------------------------------------------------------------------

static double miss(const double *a, const double *b, int n) {
    double worst = 0, size = fmax(lmb_norm_max(a, n), 1);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]) / size);
    return worst;
}

// the state of planar bodies into those in space, which have the same names
static void copy_state(rig *space, const rig *plane) {
    for (int i = 0; i < plane->m->body_count; i++) {
        const lmb_body *b = &plane->m->bodies[i], *to = &space->m->bodies[i];
        if (b->state) {
            memcpy(space->d->v + to->iv, plane->d->v + b->iv, (size_t)b->n * sizeof(double));
            continue;
        }
        lmb_body_view x = lmb_view(plane->d, b);
        b->ops->look.in_space(space->d->q + to->iq, space->d->v + to->iv, &x);
    }
    *space->d->time = *plane->d->time, space->d->time_side = plane->d->time_side;
    memcpy(space->d->turns, plane->d->turns, (size_t)plane->m->turn_count * sizeof(double));
    lmb_update(space->d, space->m);
}

// Reactions in the plane are the same.  Out of it they are zero; those of redundant constraints in space are rounding errors by
// the smallest weight that a multiplier has, 1e-10.
static void check_reaction(const rig *plane, const rig *space, int j, double tolerance) {
    const double *x = lmb_reaction(plane->d, j), *y = lmb_reaction(space->d, j);
    vec3 n = plane->m->plane->n, F = v3_load(x), dF = v3_sub(F, v3_load(y)), T = v3_load(x + 3),
         dT = v3_sub(T, v3_load(y + 3));
    double size = fmax(1, fmax(v3_norm(F), v3_norm(T)));
    CHECK_NEAR(v3_dot(n, F), 0, 1e-14 * size);
    CHECK_NEAR(v3_norm(v3_cross(n, T)), 0, 1e-14 * size);
    CHECK_NEAR(v3_norm(v3_cross(n, dF)), 0, tolerance * size);
    CHECK_NEAR(v3_dot(n, dT), 0, tolerance * size);
    CHECK_NEAR(v3_norm(dF) + v3_norm(dT), 0, fmax(tolerance, 1e-6) * size);
}

// accelerations of markers, reactions, energies at one state
static void check_same(rig *plane, rig *space, double tolerance) {
    lmb_work *w[2] = {0};
    rig *r[2] = {plane, space};
    lmb_error err = {0};
    for (int k = 0; k < 2; k++) {
        if (!CHECK_OK(lmb_work_create(&w[k], r[k]->m, &err), err)) return;
        CHECK(lmb_accelerations(w[k], r[k]->d) == LMB_OK);
        lmb_reactions_update(r[k]->d, r[k]->m);
    }
    for (int i = 0; i < plane->m->marker_count; i++) {
        double a[6], b[6];
        if (plane->d->frames[i].J == NULL) continue; // nobody uses it
        lmb_marker_acceleration(a, plane->m, plane->d, i);
        lmb_marker_acceleration(b, space->m, space->d, i);
        CHECK_NEAR(miss(a, b, 6), 0, tolerance);
    }
    for (int i = 0; i < plane->m->joint_count; i++) check_reaction(plane, space, i, tolerance);
    lmb_energies e[2];
    for (int k = 0; k < 2; k++) lmb_energies_get(&e[k], r[k]->m, r[k]->d);
    CHECK_NEAR(miss(&e[0].bodies.kinetic, &e[1].bodies.kinetic, sizeof(lmb_energy) / sizeof(double)), 0,
               1e-13);
    for (int k = 0; k < 2; k++) lmb_work_destroy(w[k]);
}

TEST(planar_models_move_and_react_as_in_space) {
    const double ROUNDING = 1e-12; // some, of a matrix with a condition of 1e3
    for (int k = 0; k < 5; k++) {
        rig plane = {0}, space = {0};
        lmb_text t[2] = {0};
        mat3 F = frame_of(k);
        write_machine(&t[0], &F, ""), write_machine(&t[1], &F, "planar: off\n");
        if (rig_load(&plane, t[0].text) && rig_load(&space, t[1].text)) {
            lmb_work *w = NULL;
            lmb_error err = {0};
            lmb_assembly as;
            CHECK(plane.m->plane && !space.m->plane && plane.m->left_out == space.m->nc - plane.m->nc);
            if (CHECK_OK(lmb_work_create(&w, plane.m, &err), err) &&
                CHECK_OK(lmb_assemble(&as, w, plane.d, &err), err)) {
                for (int i = 0; i < plane.m->nv; i++) plane.d->v[i] += check_random();
                lmb_update(plane.d, plane.m);
                CHECK_OK(lmb_project_velocities(w, plane.d, &err), err);
                copy_state(&space, &plane);
                check_same(&plane, &space, ROUNDING);
            }
            lmb_work_destroy(w);
        }
        rig_free(&plane), rig_free(&space);
        lmb_text_free(&t[0]), lmb_text_free(&t[1]);
    }
}

TEST(equations_of_flexible_planar_bodies) {
    for (int i = 0; i < LMB_COUNT(linkages); i++)
        for (int k = 0; k < 4; k += 3) {
            rig r = {0};
            lmb_text t = {0};
            mat3 F = frame_of(k);
            write_linkage(&t, &F, "", linkages[i].coupler, linkages[i].rocker);
            bool whole = !strstr(linkages[i].coupler, "papers"); // these lack terms
            if (rig_load(&r, t.text) && CHECK(r.m->plane != NULL))
                for (int n = 0; whole && n < 2; n++) rig_shake(&r), rig_check(&r, linkages[i].coupler);
            rig_free(&r);
            lmb_text_free(&t);
        }
}

TEST(flexible_planar_models_move_and_react_as_in_space) {
    for (int i = 0; i < LMB_COUNT(linkages); i++)
        for (int k = 0; k < 5; k++) {
            rig plane = {0}, space = {0};
            lmb_text t[2] = {0};
            mat3 F = frame_of(k);
            write_linkage(&t[0], &F, "", linkages[i].coupler, linkages[i].rocker);
            write_linkage(&t[1], &F, "planar: off\n", linkages[i].coupler, linkages[i].rocker);
            if (rig_load(&plane, t[0].text) && rig_load(&space, t[1].text) &&
                CHECK(plane.m->plane && !space.m->plane)) {
                lmb_work *w = NULL;
                lmb_error err = {0};
                lmb_assembly as;
                if (CHECK_OK(lmb_work_create(&w, plane.m, &err), err) &&
                    CHECK_OK(lmb_assemble(&as, w, plane.d, &err), err)) {
                    copy_state(&space, &plane);
                    check_same(&plane, &space, 1e-9);
                }
                lmb_work_destroy(w);
            }
            rig_free(&plane), rig_free(&space);
            lmb_text_free(&t[0]), lmb_text_free(&t[1]);
        }
}

// ---- which models are planar -------------------------------------------------------------------

static bool is_planar(const char *text) {
    rig r = {0};
    bool planar = rig_load(&r, text) && r.m->plane;
    rig_free(&r);
    return planar;
}

#define ARM(more)                                                                                          \
    "limber: 1\nbodies: {a: {mass: 1, inertia: [1, 2, 3], at: [0.5, 0, 0], markers: {p: [-0.5, 0, 0], t: " \
    "[0.5, 0, 0]}" more "}}\n"
#define PIN "joints: {p: {type: revolute, between: [ground, a.p], axis: [0, 0, 1]}}\n"

#define BEAM_OF(keys)                                                                                       \
    "limber: 1\nbodies: {b: {type: beam, length: 1, material: {E: 2e9, nu: 0.3, density: 1000}, " keys "}}" \
    "\n"
#define HINGE "joints: {p: {type: revolute, between: [ground, b.start], axis: [0, 0, 1]}}\n"
#define BALL "joints: {p: {type: spherical, between: [ground, b.start]}}\n"

TEST(models_that_can_only_move_in_a_plane_are_planar) {
    static const struct {
        bool planar;
        const char *what, *text;
    } list[] = {
        {true, "a pendulum", ARM("") PIN "gravity: [1, -9, 0]\n"},
        {false, "switched off", ARM("") PIN "planar: off\n"},
        {true, "as by default", ARM("") PIN "planar: auto\n"},
        {false, "gravity out of the plane", ARM("") PIN "gravity: [1, -9, 1e-3]\n"},
        {false, "centre of mass", ARM(", com: [0, 0, 1e-3]") PIN},
        {true, "centre of mass", ARM(", com: [0.1, 1e-3, 0]") PIN},
        {false, "principal axes",
         "limber: 1\nbodies: {a: {mass: 1, inertia: [1, 2, 2.5, 0, 0.01, 0]}}\njoints: {p: {type: "
         "revolute, between: [ground, a], axis: [0, 0, 1]}}\n"},
        {false, "velocity", ARM(", velocity: [0, 1, 1e-3]") PIN},
        {false, "spin", ARM(", spin: [1e-3, 0, 1]") PIN},
        {true, "motion in the plane", ARM(", velocity: [0, 0.5, 0], spin: [0, 0, 1]") PIN},
        {false, "relative coordinates", ARM(", coordinates: relative") PIN},
        {true, "absolute coordinates", ARM(", coordinates: absolute") PIN},
        {false, "elimination",
         ARM("") PIN "analyses: [{type: dynamics, until: 1, formalism: elimination}]\n"},
        {false, "modes", ARM("") PIN "analyses: [{type: dynamics, until: 1}, {type: modes}]\n"},
        {false, "nothing holds it",
         ARM("") "forces: {s: {type: spring, between: [ground, a], stiffness: 1}}\n"},
        {false, "a cylindrical joint slides",
         ARM("") "joints: {p: {type: cylindrical, between: [ground, a.p], axis: [0, 0, "
                 "1]}}\n"},
        {false, "a ball", ARM("") "joints: {p: {type: spherical, between: [ground, a.p]}}\n"},
        {true, "a planar joint",
         ARM("") "joints: {p: {type: planar, between: [ground, a.p], axis: [0, 0, 1]}}\n"},
        {true, "a slider",
         ARM("") "joints: {p: {type: translational, between: [ground, a.p], axis: [1, 1, 0], x: [0, 0, "
                 "1]}}\n"},
        {false, "axes of a slider",
         ARM("") "gravity: [0, -1, 0]\njoints: {p: {type: translational, between: [ground, a.p], "
                 "axis: [1, 1, 0], x: [1, -1, 1]}}\n"},
        {false, "a screw",
         ARM("") "joints: {p: {type: screw, pitch: 0.1, between: [ground, a.p], axis: [0, 0, 1]}}\n"},
        {false, "an event frees it", ARM("") PIN "events: {e: {at: 1, off: [p]}}\n"},
        {false, "a joint that is off",
         ARM("") "joints: {p: {type: revolute, between: [ground, a.p], axis: [0, 0, 1], "
                 "active: false}}\n"},
        {false, "a hinge beside the plane",
         ARM("") "markers: {g: {on: ground, at: [0, 0, 0.1]}}\njoints: {p: {type: revolute, "
                 "between: [g, a.p], axis: [0, 0, 1]}}\n"},
        {false, "an arm beside the plane",
         "limber: 1\nbodies: {a: {mass: 1, inertia: 1, at: [0, 0, 0.1]}}\njoints: {p: {type: "
         "revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\n"},
        {false, "a force out of the plane",
         ARM("") PIN "forces: {f: {type: force, on: a, value: [1, 0, 1e-3]}}\n"},
        {false, "an expression out of the plane",
         ARM("") PIN "forces: {f: {type: force, on: a, value: [1, 0, '0*t']}}\n"},
        {true, "a force in the plane",
         ARM("") PIN "forces: {f: {type: force, on: a, value: ['t', 'p.angle', 0]}}\n"},
        {true, "a force that turns with it",
         ARM("") PIN "forces: {f: {type: force, on: a, axis: [1, 1, 0], value: t, frame: "
                     "body}}\n"},
        {false, "a torque across the normal",
         ARM("") PIN "forces: {f: {type: torque, on: a, axis: [1, 0, 0], value: t}}\n"},
        {true, "a torque about it",
         ARM("") PIN "forces: {f: {type: torque, on: a, axis: [0, 0, -1], value: t}}\n"},
        {false, "a spring to a point above",
         ARM("") PIN "markers: {g: {on: ground, at: [1, 1, 0.1]}}\nforces: {s: {type: "
                     "spring, between: [g, a.t], stiffness: 1}}\n"},
        {true, "a bushing",
         ARM("") PIN "forces: {s: {type: bushing, between: [ground, a.p], stiffness: [1, 2, 3], "
                     "rotational_stiffness: [1, 1, 1]}}\n"},
        {false, "a bushing with preload",
         ARM("") PIN "forces: {s: {type: bushing, between: [ground, a.p], stiffness: [1, 2, "
                     "3], preload: [0, 0, 1]}}\n"},
        {true, "a beam",
         ARM("}, b: {type: beam, at: [1, 0, 0], length: 1, section: {circle: 0.01}, material: {E: 2e9, nu: "
             "0.3, density: 1000}") "joints: {p: {type: revolute, between: [ground, a.p], axis: [0, 0, "
                                    "1]}, q: {type: fixed, between: [a.t, b.start]}}\n"},
        {false, "a beam turned by a hair",
         BEAM_OF("section: {rectangle: [0.01, 0.02]}, rotate: {x: 1e-4 deg}") HINGE},
        {true, "with another section",
         BEAM_OF("section: {rectangle: [0.01, 0.02]}, rotate: {x: 90 deg}") HINGE},
        {false, "nodes turned by a hair",
         BEAM_OF("formulation: ancf, section: {rectangle: [0.01, 0.02]}, rotate: {x: 1e-4 deg}") HINGE},
        {true, "nodes", BEAM_OF("formulation: ancf, section: {rectangle: [0.01, 0.02]}") HINGE},
        {false, "a section between its axes",
         BEAM_OF("section: {rectangle: [0.01, 0.02]}, up: [0, 1, 1]") HINGE},
        {false, "a beam at a ball", BEAM_OF("section: {circle: 0.01}") BALL},
        {true, "nodes at a ball", BEAM_OF("formulation: ancf, section: {circle: 0.01}, element: cable") BALL},
        {false, "segments", BEAM_OF("formulation: lumped, elements: 3, section: {circle: 0.01}") HINGE},
        {false, "a superelement, by default relative",
         BEAM_OF("formulation: superelement, section: {circle: 0.01}") HINGE},
        {true, "a superelement",
         BEAM_OF("formulation: superelement, coordinates: absolute, section: {rectangle: [0.01, 0.02]}")
             HINGE},
        {false, "a load out of the plane",
         BEAM_OF("section: {circle: 0.01}") HINGE
         "forces: {f: {type: force, on: b.end, value: [0, 1, 1e-6]}}\n"},
        {false, "a load beside the plane",
         BEAM_OF("section: {circle: 0.01}, markers: {m: [1, 0, 1e-6]}") HINGE
         "forces: {f: {type: force, on: b.m, value: [0, 1, 0]}}\n"},
        {false, "an equilibrium", BEAM_OF("section: {circle: 0.01}") HINGE "analyses: [{type: statics}]\n"},
        {false, "a loop held by balls",
         "limber: 1\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
         "joints: {p: {type: revolute, between: [ground, a], axis: [0, 0, 1]}, q: {type: "
         "spherical, between: [a, b], at: [0.5, 0, 0]}}\n"},
        {false, "two axes",
         "limber: 1\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
         "joints: {p: {type: revolute, between: [ground, a], axis: [0, 0, 1]}, q: {type: "
         "revolute, between: [a, b], at: [0.5, 0, 0], axis: [0, 1e-6, 1]}}\n"},
    };
    for (int i = 0; i < LMB_COUNT(list); i++) {
        if (!CHECK(is_planar(list[i].text) == list[i].planar)) check_note("%s", list[i].what);
    }
}

// ---- turns -------------------------------------------------------------------------------------

// positions of a body that has turned often: the quaternion goes on as in space, and the way back leads to the same coordinates
TEST(frames_of_planar_bodies_go_there_and_back) {
    rig r = {0};
    lmb_text t = {0};
    mat3 F = frame_of(3);
    write_machine(&t, &F, "");
    if (rig_load(&r, t.text))
        for (int i = 0; i < 20; i++) {
            const lmb_body *b = rig_body(&r, "rod");
            double *q = r.d->q + b->iq, *v = r.d->v + b->iv, q7[7], v6[6], back[3], rate[3];
            for (int k = 0; k < 3; k++) q[k] = (k == 2 ? 10 : 1) * check_random(), v[k] = check_random();
            lmb_body_view x = lmb_view(r.d, b);
            b->ops->look.frame_get(q7, v6, &x);
            CHECK(b->ops->look.frame_set(back, rate, &x, q7, v6));
            CHECK_NEAR(miss(q, back, 3), 0, 1e-13);
            CHECK_NEAR(miss(v, rate, 3), 0, 1e-13);
            double out[7];
            memcpy(out, q7, sizeof out);
            v3_store(out, v3_madd(v3_load(q7), 1e-6, m3_column(&F, 2)));
            CHECK(!b->ops->look.frame_set(back, rate, &x, out, v6)); // out of the plane
        }
    rig_free(&r);
    lmb_text_free(&t);
}

// ---- what is left out --------------------------------------------------------------------------

// bending out of the plane and torsion do not move: they are zero among the numbers of space, and named
TEST(elastic_coordinates_that_nothing_excites_are_left_out) {
    rig r = {0};
    if (rig_load(&r, BEAM_OF("section: {rectangle: [0.02, 0.03]}, shapes: [{eigen: {count: 4}}]") HINGE) &&
        CHECK(r.m->plane && r.m->left_shapes)) {
        const lmb_body *b = rig_body(&r, "b");
        double q[7 + 16], v[6 + 16];
        int all = r.m->blocks[b->blocks[2]].space_nq, kept = b->n - 3, moved = 0;
        CHECK(kept > 0 && kept < all && all <= 16);
        for (int k = 0; k < b->n; k++) r.d->q[b->iq + k] = r.d->v[b->iv + k] = 1 + k;
        lmb_update(r.d, r.m);
        lmb_body_view x = lmb_view(r.d, b);
        b->ops->look.in_space(q, v, &x);
        for (int k = 0; k < all; k++) moved += q[7 + k] != 0;
        CHECK(moved == kept);
        for (int k = 0; k < kept; k++) CHECK(v[6 + r.m->blocks[b->blocks[2]].space[k]] == 4 + k);
        CHECK_CONTAINS(r.m->left_shapes, "b q");
    }
    rig_free(&r);
}
