// tests of the sizes of solve/norm.c: the tolerance is relative to what moves, in every method, whatever units and amplitudes
#include "run_model.h"
#include "solve/norm.h"

#include <string.h>

static const char *const methods[] = {"alpha", "radau", "dopri"};

// ---- first-order states ------------------------------------------------------------------------

// T z' + z = A sin(w t), z(0) = 0
static double lag_exact(double T, double w, double t) {
    double c = 1 / (1 + w * w * T * T);
    return c * (sin(w * t) - w * T * cos(w * t) + w * T * exp(-t / T));
}

static double lag(const char *method, double amplitude, double size) {
    model m;
    char more[60] = "";
    if (size > 0) snprintf(more, sizeof more, ", size: %.17g", size);
    double z = NAN;
    if (load_and_run(&m,
                     "limber: 1\nbodies: {a: {mass: 1, inertia: 1}}\n"
                     "signals: {y: {type: lag, time: 0.1, input: '%.17g*sin(50*t)'%s}}\nsensors: {z: y}\n"
                     "analyses: [{type: dynamics, until: 1, integrator: %s}]\n",
                     amplitude, more, method))
        z = sensor(&m, "z") / amplitude;
    unload(&m);
    return z;
}

TEST(a_small_state_is_as_exact_as_a_large_one) {
    double exact = lag_exact(0.1, 50, 1), largest = 1 / hypot(1, 5);
    for (int i = 0; i < LMB_COUNT(methods); i++)
        for (double amplitude = 1e-6; amplitude < 2e6; amplitude *= 1e6) {
            double z = lag(methods[i], amplitude, 0);
            check_note("%s, %g: %.3g", methods[i], amplitude, (z - exact) / largest);
            CHECK_NEAR(z / largest, exact / largest, 1e-3); // a hundred steps of 1e-5
            CHECK_NEAR(z, lag(methods[i], 1, 0), 1e-12);    // the same steps: rounding
        }
}

// T z' + z = A from zero on, in few steps and the same ones, whatever A
TEST(a_state_that_begins_at_zero_may_become_large) {
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        double z[3], A[3] = {1, 1e12, 1e15};
        for (int k = 0; k < 3; k++) {
            model m;
            z[k] = NAN;
            if (load_and_run(&m,
                             "limber: 1\nbodies: {a: {mass: 1, inertia: 1}}\n"
                             "signals: {y: {type: lag, time: 0.1, input: %.17g}}\nsensors: {z: y}\n"
                             "analyses: [{type: dynamics, until: 0.2, max_steps: 1000, integrator: %s}]\n",
                             A[k], methods[i]))
                z[k] = sensor(&m, "z") / A[k];
            unload(&m);
        }
        CHECK_NEAR(z[0], 1 - exp(-2), 1e-4); // some dozen steps of 1e-5
        CHECK_NEAR(z[1], z[0], 1e-12);       // rounding
        CHECK_NEAR(z[2], z[0], 1e-12);
    }
}

// with a size the steps are the same, too
TEST(states_with_a_size_do_not_depend_on_units) {
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        double one = lag(methods[i], 1, 0.2);
        CHECK_NEAR(lag(methods[i], 1e-6, 0.2e-6), one, 1e-12); // rounding
        CHECK_NEAR(lag(methods[i], 1e6, 0.2e6), one, 1e-12);
    }
}

// ---- ways ---------------------------------------------------------------------------------------

// a point that moves by 0.01 has that size, wherever it began
TEST(sizes_count_from_where_the_motion_began) {
    lmb_block point = {.kind = LMB_BLOCK_POINT, .nq = 3, .nv = 3};
    double scale[3] = {1, 1, 1}, q[3] = {7, -3, 2}, v[3] = {0}, memory[20] = {0};
    int block[3] = {0}, y_v[3] = {0, 1, 2};
    lmb_model m = {.blocks = &point, .block_count = 1, .nq = 3, .nv = 3, .ny = 3, .y_scale = scale};
    lmb_data d = {.q = q, .v = v};
    lmb_sizes s;
    m.y_block = block, m.y_v = y_v;
    CHECK(lmb_sizes_lay_out(&s, &m, memory) == memory + lmb_sizes_doubles(&m));
    lmb_sizes_begin(&s, &m, &d);
    q[1] += 0.01;
    lmb_sizes_note(&s, &m, &d, 1e-5);
    CHECK_NEAR(s.way[0], 0.01, 1e-14);
    for (int k = 0; k < 3; k++) CHECK_NEAR(s.y[k], 0.01, 1e-14);
}

// ---- lengths -----------------------------------------------------------------------------------

// a resonator of 1 kg: amplitude A, 10 Hz, after 8.25 periods back at rest's place
static double resonator(const char *method, double A) {
    model m;
    double x = NAN;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {a: {mass: 1, inertia: 1, at: [%.17g, 0, 0]}}\n"
            "joints: {guide: {type: translational, between: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}}\n"
            "forces: {s: {type: force, on: a, value: ['-(20*pi)^2*x.x', 0, 0]}}\n"
            "sensors: {x: {type: position, of: a}, e: {type: energy}}\n"
            "analyses: [{type: dynamics, until: 0.8, integrator: %s}]\n",
            A, method))
        x = sensor(&m, "x.x") / A;
    unload(&m);
    return x;
}

TEST(a_resonator_of_micrometres_keeps_its_amplitude) {
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        double large = resonator(methods[i], 5);
        check_note("%s: %.9g %.9g", methods[i], large, resonator(methods[i], 5e-6));
        CHECK_NEAR(large, 1, 0.01); // after 8 periods
        CHECK_NEAR(resonator(methods[i], 5e-6), large, 1e-9);
    }
}

// Ten periods of a pendulum that swings by A, whose stiffness is that of the reaction: what is expected of it at the start is A.
static double swing(const char *method, double A) {
    const double w = sqrt(9.81 / 1.1);
    model m;
    double x = NAN;
    if (load_and_run(&m,
                     "limber: 1\ngravity: [0, -9.81, 0]\nparameters: {A: %g}\n"
                     "bodies: {a: {mass: 1, inertia: 0.1, at: [sin(A), -cos(A), 0], rotate: {z: A}, "
                     "markers: {top: [0, 1, 0]}}}\n"
                     "joints: {pin: {type: revolute, between: [ground, a.top], axis: [0, 0, 1]}}\n"
                     "sensors: {x: {type: position, of: a}}\n"
                     "analyses: [{type: dynamics, until: %.17g, integrator: %s}]\n",
                     A, 10.25 * 2 * LMB_PI / w, method))
        x = sensor(&m, "x.x") / A;
    unload(&m);
    return x;
}

TEST(a_small_pendulum_is_as_exact_as_a_large_one) {
    static const double errs[] = {0.05, 5e-4,
                                  5e-4}; // of some hundred steps of 1e-5, by the orders of methods
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        double x = swing(methods[i], 1e-3);
        CHECK_NEAR(x, 0, errs[i]); // its phase
        for (double A = 1e-4; A > 5e-7; A /= 10)
            CHECK_NEAR(swing(methods[i], A), x, 2e-5); // A^2/16 of the phase
    }
}

// ---- elastic coordinates -----------------------------------------------------------------------

// Without geometric stiffening, whose inertia makes the period depend on the amplitude.
// Tip of an undamped cantilever of 1 m that is let go at t = 0, at the end of 33 periods, by its first deflection; and its energy.
static double plucked(double *energy, const char *method, double force) {
    const double PERIODS = 33;
    model m;
    double x = NAN;
    if (load(&m,
             "limber: 1\nbodies: {b: {type: beam, length: 1, section: {rectangle: [20 mm, 10 mm]}, material: "
             "{E: "
             "2e11, nu: 0.3, density: 7800}, theory: euler_bernoulli, rotary_inertia: off, shapes: {eigen: "
             "1}, frame: "
             "{tangent: start}, geometric_stiffening: off}}\n"
             "joints: {hold: {type: fixed, between: [ground, b.start]}}\n"
             "forces: {pull: {type: force, on: b.end, value: [0, 0, 't <= 0 ? %g : 0']}}\n"
             "sensors: {tip: {type: position, of: b.end}, e: {type: energy}}\n"
             "analyses: [{type: statics}, {type: dynamics, until: %.17g, integrator: %s}]\n",
             force,
             PERIODS * 2 * LMB_PI / (1.8751040687119611 * 1.8751040687119611 * sqrt(2e11 * 1e-4 / 12 / 7800)),
             method)) {
        run(&m, 0);
        double first = sensor(&m, "tip.z"), stored = sensor(&m, "e.strain");
        run(&m, 1);
        x = sensor(&m, "tip.z") / first;
        *energy = (sensor(&m, "e.strain") + sensor(&m, "e.kinetic")) / stored;
    }
    unload(&m);
    return x;
}

TEST(a_plucked_cantilever_does_not_depend_on_its_amplitude) {
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        double e0, x0 = plucked(&e0, methods[i], 10); // 10 mm
        CHECK_NEAR(sqrt(e0), 1, 0.01);
        for (double force = 1; force > 5e-5; force /= 10) { // down to 100 nm; the floor is at 10 nm
            double e, x = plucked(&e, methods[i], force);
            check_note("%s, %g N: %.9g of the tip, amplitude %.6f; %.1e %.1e", methods[i], force, x, sqrt(e),
                       x - x0, sqrt(e) - sqrt(e0));
            CHECK_NEAR(x, x0, 1e-6);
            CHECK_NEAR(sqrt(e), sqrt(e0), 1e-6);
        }
    }
}

#ifdef LMB_HAVE_SUNDIALS
// Errors of some hundred or thousand steps of 1e-6 by what moves.  By the model: 34 % of the lag, 117 % of the pendulum, all of the cantilever.
TEST(ida_is_as_exact_with_small_motions_as_with_large_ones) {
    double energy, exact = lag_exact(0.1, 50, 1), largest = 1 / hypot(1, 5);
    for (double size = 1; size > 1e-7; size /= 1e6) {
        double z = lag("ida", size, 0), x = resonator("ida", 5 * size), a = swing("ida", 1e-2 * sqrt(size)),
               tip = plucked(&energy, "ida", 100 * size);
        check_note("%g: lag %.2g, resonator %.2g, pendulum %.2g, cantilever %.2g", size,
                   (z - exact) / largest, x - 1, a, tip - 1);
        CHECK_NEAR(z / largest, exact / largest, 1e-4);
        CHECK_NEAR(x, 1, 1e-3);
        CHECK_NEAR(a, 0, 2e-3); // A^2/16 of the phase: 4e-4
        CHECK_NEAR(sqrt(energy), 1, 0.002);
    }
}
#endif

// A beam in equilibrium, 1000 times its length from the origin: steps follow no rounding errors of positions.
TEST(a_beam_at_rest_takes_few_steps_wherever_it_is) {
    enum { FEW = 300 }; // of 2 s, in which stretching vibrates more than 10000 times
    for (int i = 0; i < 2; i++)
        for (double x = 0; x < 2000; x += 1000) {
            model m;
            if (load(&m,
                     "limber: 1\ngravity: [0, 0, -9.81]\nbodies: {b: {type: beam, formulation: ancf, "
                     "elements: 6, length: 1, at: [%g, 0, 0], section: {rectangle: [20 mm, 10 mm]}, "
                     "material: {E: 2e11, nu: 0.3, density: 7800}}}\n"
                     "joints: {hold: {type: fixed, between: [ground, b.start]}}\n"
                     "analyses: [{type: statics}, {type: dynamics, until: 2, max_steps: %d, integrator: "
                     "%s}]\n",
                     x, FEW, methods[i])) {
                run(&m, 0);
                CHECK(run(&m, 1));
            }
            unload(&m);
        }
}

// ---- what is noted ------------------------------------------------------------------------------

// A body of a point, a rotation and two elastic coordinates, and a first-order state, made by hand.
typedef struct hand {
    lmb_block blocks[4];
    lmb_body bodies[1];
    lmb_body_ops ops;
    int y_block[9], y_v[9], body_blocks[3];
    double scale[9], q[10], v[9], memory[80];
    lmb_model m;
    lmb_data d;
    lmb_sizes s;
} hand;

enum { POINT, TURN, SHAPE, STATE };

static const struct lmb_flex *no_flex(const lmb_body *b) { return (void)b, NULL; }

static void hand_make(hand *k) {
    *k = (hand){.q = {7, -3, 2, 1, 0, 0, 0, 0.3, -0.4}};
    const lmb_block blocks[4] = {{.kind = LMB_BLOCK_POINT, .nq = 3, .nv = 3},
                                 {.kind = LMB_BLOCK_ROT, .nq = 4, .nv = 3, .iq = 3, .iv = 3, .iy = 3},
                                 {.kind = LMB_BLOCK_VECTOR, .nq = 2, .nv = 2, .iq = 7, .iv = 6, .iy = 6},
                                 {.kind = LMB_BLOCK_STATE, .nq = 1, .nv = 1, .iq = 9, .iv = 8, .iy = 8}};
    memcpy(k->blocks, blocks, sizeof blocks);
    for (int y = 0; y < 9; y++) {
        k->y_block[y] = y < 3 ? POINT : y < 6 ? TURN : y < 8 ? SHAPE : STATE;
        k->y_v[y] = y;
        k->scale[y] = k->y_block[y] == POINT || k->y_block[y] == SHAPE ? 2 : 1; // characteristic length 2 m
    }
    k->ops.look.flex = no_flex;
    for (int i = 0; i < 3; i++) k->body_blocks[i] = i;
    k->bodies[0] = (lmb_body){.ops = &k->ops, .block_count = 3, .blocks = k->body_blocks};
    k->m = (lmb_model){.blocks = k->blocks,
                       .block_count = 4,
                       .bodies = k->bodies,
                       .body_count = 1,
                       .nq = 10,
                       .nv = 9,
                       .ny = 9};
    k->m.y_block = k->y_block, k->m.y_v = k->y_v, k->m.y_scale = k->scale;
    k->d = (lmb_data){.q = k->q, .v = k->v};
    lmb_sizes_lay_out(&k->s, &k->m, k->memory);
    lmb_sizes_begin(&k->s, &k->m, &k->d);
}

TEST(elastic_coordinates_count_from_the_undeformed_shape) {
    hand k;
    hand_make(&k);
    CHECK(k.s.kept->begun == 1);
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-5);
    CHECK_NEAR(k.s.way[POINT], 0, 0);
    CHECK_NEAR(k.s.way[TURN], 0, 0);
    CHECK_NEAR(k.s.way[SHAPE], 0.25, 1e-15); // |(0.3, -0.4)| / 2
    CHECK_NEAR(k.s.y[6], 0.5, 1e-15);
}

// the largest of what was expected, but never more than the model is large; not that of states, and theirs in either direction
TEST(expected_ways_only_grow_and_are_limited) {
    hand k;
    hand_make(&k);
    lmb_sizes_expect(&k.s, &k.m, (double[9]){0.6, 0, -0.8, 0, 0.1, 0, 0, 0, 5});
    lmb_sizes_expect(&k.s, &k.m, (double[9]){0.2, 0, 0, 9, 0, 0, 0, 0, 5});
    CHECK_NEAR(k.s.way[POINT], 0.5, 1e-15);
    CHECK_NEAR(k.s.way[TURN], 1, 0);
    CHECK_NEAR(k.s.way[STATE], 0, 0);
    lmb_sizes_expect_states(&k.s, &k.m, (double[9]){7, 7, 7, 7, 7, 7, 7, 7, -4});
    lmb_sizes_expect_states(&k.s, &k.m, (double[9]){7, 7, 7, 7, 7, 7, 7, 7, 3});
    CHECK_NEAR(k.s.y[8], 4, 0);
    for (int y = 0; y < 8; y++) CHECK_NEAR(k.s.y[y], 0, 0);
}

// ways and speeds keep their largest value; what is quiet counts a tenth of the liveliest; states count as they are
TEST(sizes_note_the_largest_of_all_states) {
    hand k;
    hand_make(&k);
    memset(k.q + 7, 0, 2 * sizeof *k.q);
    k.q[0] += 1, k.v[1] = 3, k.v[8] = -6;
    q_store(k.q + 3, q_exp(v3(0, 0.02, 0)));
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-5);
    k.q[0] -= 0.9, k.v[1] = 1, k.v[8] = 2; // on the way back
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-5);
    CHECK_NEAR(k.s.way[POINT], 0.5, 1e-15);
    CHECK_NEAR(k.s.way[TURN], 2 * sin(0.01), 1e-15);
    CHECK_NEAR(k.s.speed[POINT], 1.5, 1e-15);
    CHECK_NEAR(k.s.kept->least, 0.05, 1e-15);
    CHECK_NEAR(k.s.y[0], 1, 1e-15);
    CHECK_NEAR(k.s.y[4], 0.05, 1e-15); // 0.02 rad is less than a tenth of 0.5
    CHECK_NEAR(k.s.y[6], 0.1, 1e-15);
    CHECK_NEAR(k.s.y[8], 6, 0);
    CHECK_NEAR(lmb_sizes_farthest(&k.s, &k.m), 0.5, 1e-15);
    CHECK_NEAR(lmb_sized_speed(&k.s, &k.m), 3, 1e-14); // 3 m/s by 1 m
}

// nothing can be asked to be more exact than start values meet constraints: 1e-13 of the scale, that is of the tolerance
TEST(sizes_have_a_floor) {
    hand k;
    hand_make(&k);
    memset(k.q + 7, 0, 2 * sizeof *k.q);
    k.blocks[STATE].least = 1;
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-5);
    const double far =
        sqrt(7 * 7 + 3 * 3 + 2 * 2) / 2; // from the origin: rounding errors are those of the place
    CHECK_NEAR(k.s.kept->least / (far * 1e-8), 1, 1e-12);
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-9);
    CHECK_NEAR(k.s.kept->least / (far * 1e-4), 1, 1e-12);
    CHECK_NEAR(k.s.y[0] / (far * 2e-4), 1, 1e-12);
    memset(k.q, 0, 3 * sizeof *k.q), memset(k.s.q, 0, 3 * sizeof *k.s.q);
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-9);
    CHECK_NEAR(k.s.kept->least / 1e-4, 1, 1e-12);
    CHECK_NEAR(k.s.y[8], 1, 0); // relative to its own scale
}

// points and rotations by their length, others by each entry
TEST(sized_norms_know_no_axes) {
    hand k;
    hand_make(&k);
    memset(k.q + 7, 0, 2 * sizeof *k.q);
    k.q[0] += 1, k.v[8] = 10;
    lmb_sizes_note(&k.s, &k.m, &k.d, 1e-5);
    double x[9] = {0.3, 0.4, 0, 0, 0, 0, 0.03, 0.04, 2};
    CHECK_NEAR(lmb_sized_norm(&k.s, &k.m, x), 0.5, 1e-15);   // 0.5 m of 1 m; 0.04 of 0.1; 2 of 10
    CHECK_NEAR(lmb_natural_norm(&k.s, &k.m, x), 0.2, 1e-15); // 0.4 m of 2 m, and 2 of 10
    x[6] = 0.06;
    CHECK_NEAR(lmb_sized_norm(&k.s, &k.m, x), 0.6, 1e-15);
    x[7] = NAN;
    CHECK(isnan(lmb_sized_norm(&k.s, &k.m, x)) && isnan(lmb_natural_norm(&k.s, &k.m, x)));
}
