// Frequency responses against closed forms, and by two ways.
#include "run_file.h"

#include <complex.h>
#include <stdlib.h>

typedef double complex number;

static int column_of(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    check_note("no column %s", name);
    CHECK(!"column");
    return 0;
}

static number at(const lmb_series *s, long row, int column) {
    double amplitude = s->v[row * s->columns + column], phase = s->v[row * s->columns + column + 1];
    return amplitude * cexp(I * phase * (acos(-1) / 180));
}

static number laplace(const lmb_series *s, long row) { return I * 2 * acos(-1) * s->v[row * s->columns]; }

// |ours - exact| / |exact|, the largest over all rows
static double error_of(const lmb_series *s, const char *name, number (*exact)(number)) {
    double worst = 0;
    int c = column_of(s, name);
    for (long k = 0; k < s->rows; k++) {
        number e = exact(laplace(s, k));
        worst = fmax(worst, cabs(at(s, k, c) - e) / cabs(e));
    }
    return worst;
}

#define TWO_MASSES                                                                                           \
    "limber: 1\ninputs: {push: {unit: N}, base: {unit: m}}\nbodies:\n"                                       \
    "  table: {mass: 1, inertia: 1e-3}\n  a: {mass: 2, inertia: 1e-3}\n  b: {mass: 1, inertia: 1e-3}\n"      \
    "joints:\n  zero: {type: translational, between: [ground, table], axis: [1, 0, 0], motion: base}\n"      \
    "  one: {type: translational, between: [table, a], axis: [1, 0, 0], spring: {stiffness: 800, damping: "  \
    "2}}\n"                                                                                                  \
    "  two: {type: translational, between: [a, b], axis: [1, 0, 0], spring: {stiffness: 400, damping: 1}}\n" \
    "forces: {push: {type: force, on: b, value: [push, 0, 0]}}\n"                                            \
    "sensors: {xa: {type: position, of: a}, ab: {type: acceleration, of: b}, r: {type: reaction, of: "       \
    "zero}}\n"                                                                                               \
    "outputs: [xa.x, ab.x, r.fx]\n"

// k1 = 800 + 2 s, k2 = 400 + s; from the push at b, and from the place of the base
static number k1(number s) { return 800 + 2 * s; }
static number k2(number s) { return 400 + s; }
static number whole(number s) { return (2 * s * s + k1(s) + k2(s)) * (s * s + k2(s)) - k2(s) * k2(s); }
static number a_by_push(number s) { return k2(s) / whole(s); }
static number b_by_push(number s) { return s * s * (2 * s * s + k1(s) + k2(s)) / whole(s); }
static number r_by_push(number s) { return -k1(s) * a_by_push(s); } // on the table, which stands
static number a_by_base(number s) { return k1(s) * (s * s + k2(s)) / whole(s); }
static number b_by_base(number s) { return s * s * k1(s) * k2(s) / whole(s); }
static number r_by_base(number s) { return s * s + k1(s) * (1 - a_by_base(s)); }

TEST(response_of_two_masses) {
    static const char *const methods[] = {"state_space", "direct"};
    static const char *const forms[] = {"", ", formalism: elimination"};
    for (int i = 0; i < 4; i++) {
        const char *path = check_temp("two.h5");
        if (!run_file(
                path,
                TWO_MASSES
                "analyses: [{type: response, from: 0.3 Hz, to: 0.03 kHz, points: 40, method: %s}%s%s%s]\n",
                methods[i % 2], i > 1 ? ", {type: dynamics, until: 0.1" : "", i > 1 ? forms[1] : "",
                i > 1 ? "}" : ""))
            return;
        lmb_series s = results_table(path, 0, "response");
        CHECK(s.rows > 80 && s.columns == 13);
        check_note("%s, %s", methods[i % 2], i > 1 ? "eliminated" : "multipliers");
        CHECK_NEAR(s.v[0], 0.3, 1e-12);
        CHECK_NEAR(s.v[(s.rows - 1) * s.columns], 30, 1e-9);
        CHECK_NEAR(error_of(&s, "xa.x/push", a_by_push), 0, 1e-10);
        CHECK_NEAR(error_of(&s, "ab.x/push", b_by_push), 0, 1e-10);
        CHECK_NEAR(error_of(&s, "r.fx/push", r_by_push), 0, 1e-10);
        CHECK_NEAR(error_of(&s, "xa.x/base", a_by_base), 0, 1e-10);
        CHECK_NEAR(error_of(&s, "ab.x/base", b_by_base), 0, 1e-10);
        CHECK_NEAR(error_of(&s, "r.fx/base", r_by_base), 0, 1e-10);
        double last = s.v[(s.rows - 1) * s.columns + column_of(&s, "xa.x/push.phase")];
        CHECK(last < -300 && last > -360); // two resonances and no zero but that of a damper: unwrapped
        lmb_series_free(&s);
    }
}

// A flexible joint of a robot: motor J_m, gear of ratio n as torque, spring k and damper c, link J_l; the torque follows a lag of 2 ms.
static number joint_k(number s) { return 900 + 0.4 * s; }
static number joint_det(number s) {
    return (0.3 * s * s + joint_k(s)) * (1.2 * s * s + joint_k(s)) - joint_k(s) * joint_k(s);
}
static number lag(number s) { return 1 / (1 + 0.002 * s); }
static number motor_by_torque(number s) { return lag(s) * (1.2 * s * s + joint_k(s)) / joint_det(s); }
static number link_by_torque(number s) { return lag(s) * joint_k(s) / joint_det(s); }
static number shaft_by_torque(number s) {
    return -lag(s) * joint_k(s) * 1.2 * s * s / joint_det(s);
} // of the spring on the motor

TEST(response_of_a_flexible_robot_joint) {
    for (int i = 0; i < 2; i++) {
        const char *path = check_temp("joint.h5");
        if (!run_file(
                path,
                "limber: 1\ninputs: {torque: {unit: Nm}}\nbodies:\n  motor: {mass: 1, inertia: [1, 1, 0.3]}\n"
                "  link: {mass: 4, inertia: [1, 1, 1.2]}\njoints:\n"
                "  axis: {type: revolute, between: [ground, motor], axis: [0, 0, 1]}\n"
                "  elastic: {type: revolute, between: [motor, link], axis: [0, 0, 1], spring: {stiffness: "
                "900, damping: 0.4}}\n"
                "signals: {drive: {type: lag, input: torque, time: 2 ms}}\n"
                "forces: {drive: {type: torque, on: motor, axis: [0, 0, 1], value: drive}}\n"
                "sensors:\n  m: {type: coordinate, of: axis}\n  l: {type: angle, between: [ground, link]}\n"
                "  f: {type: force, of: elastic.spring}\noutputs: [m, l, f.tz]\n"
                "analyses: [{type: response, from: 0.5 Hz, to: 1 kHz, method: %s}]\n",
                i ? "direct" : "auto"))
            return;
        lmb_series s = results_table(path, 0, "response");
        CHECK_NEAR(error_of(&s, "m/torque", motor_by_torque), 0, 1e-8);
        CHECK_NEAR(error_of(&s, "l/torque", link_by_torque), 0, 1e-8);
        CHECK_NEAR(error_of(&s, "f.tz/torque", shaft_by_torque), 0, 1e-8);
        lmb_series_free(&s);
    }
}

// A light damping of a hundredth of a per cent: the peak is 1/(2 zeta) high and 2 zeta wide.
TEST(response_peaks_are_not_missed) {
    for (int i = 0; i < 2; i++) {
        const char *path = check_temp("peak.h5");
        if (!run_file(path,
                      "limber: 1\ninputs: {push: 0}\nbodies: {a: {mass: 2, inertia: 1e-3}}\njoints:\n"
                      "  one: {type: translational, between: [ground, a], axis: [1, 0, 0], spring: "
                      "{stiffness: 5000, damping: 0.02}}\n"
                      "forces: {push: {type: force, on: a, value: [push, 0, 0]}}\nsensors: {x: {type: "
                      "coordinate, of: one}}\noutputs: [x]\n"
                      "analyses: [{type: response, from: 1 Hz, to: 100 Hz, points: 12, method: %s}]\n",
                      i ? "direct" : "state_space"))
            return;
        lmb_series s = results_table(path, 0, "response");
        double largest = 0;
        for (long k = 0; k < s.rows; k++) largest = fmax(largest, s.v[k * s.columns + 1]);
        CHECK(s.rows < 200);
        // zeta = 0.02/(2 sqrt(k m)) = 1e-4; poles are points of the grid, directly it is searched for
        CHECK_NEAR(largest * 5000 * 2e-4, 1, i ? 0.05 : 1e-6);
        lmb_series_free(&s);
    }
}

static number unbalance(number s) { // F = m e omega^2 (1, -i); x = F_x/(k + c s + m s^2)
    return 2e-3 * -(s * s) / (4e4 + 20 * s + 5 * s * s);
}

// a disk on equal springs: circles that grow with the square of the frequency
TEST(response_to_unbalance) {
    const char *path = check_temp("rotor.h5");
    if (!run_file(
            path,
            "limber: 1\nbodies: {disk: {mass: 5, inertia: [1, 1, 2], markers: {hub: [0, 0, 0]}}}\nforces:\n"
            "  held: {type: bushing, between: [ground, disk], stiffness: [4e4, 4e4, 1e5], damping: [20, 20, "
            "50], "
            "rotational_stiffness: [1e3, 1e3, 1e3]}\n"
            "sensors: {hub: {type: position, of: disk.hub}}\n"
            "analyses: [{type: response, from: 1, to: 100, unbalance: {on: disk.hub, axis: [0, 0, 1], "
            "moment: 2e-3}}]\n"))
        return;
    lmb_series s = results_table(path, 0, "response");
    double size = 0, side = 0;
    int x = column_of(&s, "hub.x/unbalance"), y = column_of(&s, "hub.y/unbalance"),
        z = column_of(&s, "hub.z/unbalance");
    for (long k = 0; k < s.rows; k++) { // axes of the plane may turn: circles of one size, a quarter apart
        number e = unbalance(laplace(&s, k)), quarter = at(&s, k, y) / at(&s, k, x);
        size = fmax(size, fabs(cabs(at(&s, k, x)) / cabs(e) - 1));
        side = fmax(side, cabs(quarter + I));
        CHECK_NEAR(cabs(at(&s, k, z)), 0, 1e-16);
    }
    CHECK_NEAR(size, 0, 1e-9);
    CHECK_NEAR(side, 0, 1e-9);
    lmb_series_free(&s);
}

// a flexible beam that closes a loop with redundant constraints, a controller and gravity: from A, B, C, D as from M, D, K
TEST(response_by_two_ways) {
    lmb_series s[2];
    static const char *const methods[] = {"state_space", "direct"};
    for (int i = 0; i < 2; i++) {
        const char *path = check_temp(methods[i]);
        if (!run_file(
                path,
                "limber: 1\ngravity: [0, 0, -9.81]\ninputs: {push: {unit: N}, shake: {unit: m}}\nbodies:\n"
                "  slide: {mass: 2, inertia: 0.01}\n"
                "  beam: {type: beam, length: 1, section: {circle: 20 mm}, material: {E: 7e10, nu: 0.3, "
                "density: 2700}, "
                "shapes: {craig_bampton: 4}, damping: {ratio: 0.01}, markers: {mid: [0.5, 0, 0]}}\njoints:\n"
                "  rail: {type: translational, between: [ground, slide], axis: [0, 1, 0], motion: shake}\n"
                "  root: {type: fixed, between: [slide, beam.start], at: [0, 0, 0]}\n"
                "  end: {type: revolute, between: [slide, beam.end], at: [1, 0, 0], axis: [0, 1, 0]}\n"
                "signals: {filtered: {type: lag, input: push, time: 3 ms}}\n"
                "forces: {push: {type: force, on: beam.mid, value: [0, 0, filtered]}}\n"
                "sensors:\n  mid: {type: displacement, of: beam.mid}\n  acc: {type: acceleration, of: "
                "beam.mid}\n"
                "  root: {type: reaction, of: root}\n  s: {type: section, of: beam.mid}\n"
                "analyses: [{type: statics}, {type: response, from: 5, to: 400, points: 20, method: %s}]\n",
                methods[i]))
            return;
        s[i] = results_table(path, 1, "response");
    }
    double worst = 0;
    CHECK(s[0].columns == s[1].columns && s[0].columns > 40);
    for (int c = 1; c < s[0].columns; c += 2) {
        double largest = 0;
        for (long k = 0; k < s[0].rows; k++) largest = fmax(largest, s[0].v[k * s[0].columns + c]);
        for (long k = 0; k < s[0].rows && largest > 1e-6 && strstr(s[0].names[c], "s/shake") == NULL; k++)
            for (long j = 0; j < s[1].rows; j++)
                if (fabs(s[1].v[j * s[1].columns] / s[0].v[k * s[0].columns] - 1) < 1e-12) {
                    double e = cabs(at(&s[0], k, c) - at(&s[1], j, c)) / largest;
                    if (e > worst)
                        worst = e, check_note("%s at %g Hz: %g", s[0].names[c], s[0].v[k * s[0].columns], e);
                }
    }
    CHECK_NEAR(worst, 0, 1e-8);
    lmb_series_free(&s[0]), lmb_series_free(&s[1]);
}

// ---- nothing -------------------------------------------------------------------------------------

static double largest_of(const lmb_series *s, const char *name) {
    double most = 0;
    for (long k = 0; k < s->rows; k++) most = fmax(most, fabs(s->v[k * s->columns + column_of(s, name)]));
    return most;
}

// An arm that moves in a plane, upright or tilted: what happens across it is nothing, not rounding errors, which resonances of
// undamped vibrations across it would amplify; nor has it zeros.
TEST(responses_across_the_plane_are_nothing) {
    static const char *const axes[][2] = {{"0, 0, 1", "[0.8, 0, 0]"},
                                          {"0.36, 0.48, 0.8", "[0.64, -0.48, 0]"}};
    for (int i = 0; i < 2; i++) {
        const char *path = check_temp("arm.h5");
        if (!run_file(
                path,
                "limber: 1\ninputs: {u: {unit: Nm}}\nbodies:\n"
                "  a: {type: beam, from: [0, 0, 0], to: %s, up: [%s], section: {tube: [80 mm, 3 mm]}, "
                "material: "
                "aluminium, elements: 4, shapes: [{craig_bampton: 4}]}\n"
                "joints: {p: {type: revolute, between: [ground, a.start], axis: [%s], spring: {stiffness: "
                "300, "
                "damping: 3}}}\n"
                "forces: {m: {type: torque, on: a.start, axis: [%s], value: u}}\n"
                "sensors:\n  d: {type: position, of: a.end}\n  across: {type: expression, value: '%s'}\n"
                "outputs: [d, across]\n"
                "analyses: [{type: dynamics, until: 0.01}, {type: response, from: 0.1 Hz, to: 1 kHz}, {type: "
                "linearise}]\n",
                axes[i][1], axes[i][0], axes[i][0], axes[i][0],
                i == 0 ? "d.z" : "0.36*d.x + 0.48*d.y + 0.8*d.z"))
            return;
        lmb_series s = results_table(path, 1, "response");
        CHECK(largest_of(&s, "across/u") == 0 && largest_of(&s, "across/u.phase") == 0);
        CHECK(largest_of(&s, "d.y/u") > 1e-4);
        lmb_series_free(&s);
        char *said = NULL;
        lmb_error err = {0};
        if (CHECK_OK(lmb_results_describe(&said, path, &err), err)) {
            CHECK_CONTAINS(said, "zeros from u to d.y");
            CHECK(strstr(said, "zeros from u to across") == NULL);
            CHECK_CONTAINS(said, "columns, as above");
        }
        lmb_text_release(said);
    }
}

// Twelve masses in a row: the last hardly moves above the resonances, but it sees the push at the first at all frequencies.
TEST(responses_that_fade_are_not_nothing) {
    enum { MASSES = 12 };
    char bodies[1000] = "", joints[2500] = "";
    for (int i = 1; i <= MASSES; i++) {
        snprintf(bodies + strlen(bodies), sizeof bodies - strlen(bodies), "  m%d: {mass: 1, inertia: 1}\n",
                 i);
        snprintf(joints + strlen(joints), sizeof joints - strlen(joints),
                 "  j%d: {type: translational, between: [%s%.0d, m%d], axis: [1, 0, 0], spring: {stiffness: "
                 "1e4, damping: 1}}\n",
                 i, i > 1 ? "m" : "ground", i - 1, i);
    }
    lmb_series s[2];
    for (int i = 0; i < 2; i++) {
        const char *path = check_temp("row.h5");
        if (!run_file(path,
                      "limber: 1\ninputs: {push: {unit: N}}\nbodies:\n%sjoints:\n%s"
                      "forces: {push: {type: force, on: m1, value: [push, 0, 0]}}\nsensors: {x: {type: "
                      "position, of: m12}}\n"
                      "outputs: [x.x]\nanalyses: [{type: response, from: 1 Hz, to: 60 Hz, points: 30, "
                      "method: %s}]\n",
                      bodies, joints, i ? "direct" : "state_space"))
            return;
        s[i] = results_table(path, 0, "response");
    }
    int c = column_of(&s[0], "x.x/push");
    double last = s[0].v[(s[0].rows - 1) * s[0].columns + c];
    CHECK(last > 0 && last < 1e-12 * largest_of(&s[0], "x.x/push")); // |C| |x| holds the whole row of masses
    CHECK_NEAR(last / s[1].v[(s[1].rows - 1) * s[1].columns + c], 1, 0.01);
    lmb_series_free(&s[0]), lmb_series_free(&s[1]);
}

// a peak that no row reaches is told: without damping (there is no answer at the resonance), or where only the curve itself shows it
TEST(peaks_sharper_than_the_rows_are_told) {
    static const struct {
        const char *damping, *method;
        bool told;
    } cases[] = {
        {"0", "state_space", true},    {"0", "direct", true},
        {"1e-5", "direct", true},      {"0.1", "direct", false},
        {"0.1", "state_space", false}, {"1e-5", "state_space", false}}; // a row is at the pole itself
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        char text[2000], *said = NULL;
        lmb_error err = {0};
        snprintf(
            text, sizeof text,
            "limber: 1\nplanar: off\ninputs: {u: {unit: N}}\nbodies: {a: {mass: 1, inertia: 1}}\n"
            "joints: {r: {type: translational, between: [ground, a], axis: [1, 0, 0], spring: {stiffness: "
            "1000, damping: %s}}}\nforces: {f: {type: force, on: a, value: [u, 0, 0]}}\n"
            "sensors: {x: {type: position, of: a}}\noutputs: [x.x]\n"
            "analyses: [{type: response, from: 3, to: 12, method: %s}]\n",
            cases[i].damping, cases[i].method);
        lmb_run_options o = {.output = check_temp("sharp.h5")};
        if (CHECK_OK(run_text(&said, text, o, &err), err)) {
            bool told = strstr(said, "the peak of x.x/u at 5.0329") && strstr(said, "sharper than the rows");
            if (!CHECK(told == cases[i].told))
                check_note("%s %s: %s", cases[i].damping, cases[i].method, said);
        }
        lmb_text_release(said);
    }
}
