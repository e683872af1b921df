// tests of step sizes: shorter steps never cost accuracy
#include "core/core.h"
#include "random_model.h"
#include "run_model.h"
#include "solve/run.h"
#include "system/shown.h"

// statistics of the first analysis of a model
static lmb_stats stats_of(const char *text) {
    rig r = {0};
    lmb_run *run = NULL;
    lmb_error err = {0};
    lmb_stats stats = {0};
    if (rig_load(&r, text) &&
        CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err) &&
        CHECK_OK(lmb_run_all(run, NULL, &err), err))
        stats = *lmb_run_stats(run);
    lmb_run_destroy(run);
    rig_free(&r);
    return stats;
}

// angle of a pendulum after 1 s
static double swing(const char *settings) {
    model m;
    double angle = NAN;
    if (load_and_run(
            &m,
            "limber: 1\ngravity: [0, -9.81, 0]\n"
            "bodies: {arm: {mass: 2, inertia: [0.01, 0.1, 0.1], at: [0.5, 0, 0], markers: {root: [-0.5, 0, "
            "0]}}}\n"
            "joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}}\n"
            "sensors: {angle: {type: coordinate, of: pin}}\nanalyses: [{type: dynamics, until: 1, %s}]\n",
            settings))
        angle = sensor(&m, "angle");
    unload(&m);
    return angle;
}

// The tolerance does not choose the steps here: the error falls with their square, as with equal steps, and does not end at what
// the Newton iteration leaves in each.
TEST(the_error_falls_with_max_step) {
    double exact = swing("integrator: radau, tolerance: 1e-12"), before = 0;
    for (double h = 2e-3; h > 2e-4; h /= 2) {
        char capped[60], equal[60];
        snprintf(capped, sizeof capped, "integrator: alpha, max_step: %g", h),
            snprintf(equal, sizeof equal, "step: %g", h);
        double error = fabs(swing(capped) - exact), same = fabs(swing(equal) - exact);
        check_note("%g: %.3g capped, %.3g equal", h, error, same);
        CHECK(error < 1.5 * same); // the first steps are shorter and grow
        CHECK(before == 0 || before > 3 * error);
        before = error;
    }
}

// ---- reactions in index 3 ----------------------------------------------------------------------

enum { PULLS = 41 };

typedef struct pulls {
    vec3 f[PULLS];
    int count;
} pulls;

static lmb_status note_pull(void *user, lmb_data *at, lmb_error *err) {
    pulls *p = user;
    (void)err;
    lmb_reactions_update(at, at->model);
    if (p->count < PULLS) p->f[p->count++] = v3_load(lmb_reaction(at, 0));
    return LMB_OK;
}

// forces in the upper pin of a double pendulum, at 41 times
static pulls pulls_of(const char *settings) {
    char text[1000];
    rig r = {0};
    lmb_run *run = NULL;
    lmb_error err = {0};
    pulls p = {0};
    lmb_observer o = {.user = &p, .row = note_pull};
    snprintf(text, sizeof text,
             "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
             "  a: {mass: 1, inertia: 0.1, at: [0.5, 0, 0]}\n  b: {mass: 1, inertia: 0.1, at: [1.5, 0, 0]}\n"
             "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
             "analyses: [{type: dynamics, until: 2, every: 0.05, %s}]\n",
             settings);
    if (rig_load(&r, text) &&
        CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err))
        CHECK_OK(lmb_run_all(run, &o, &err), err);
    CHECK(p.count == PULLS);
    lmb_run_destroy(run);
    rig_free(&r);
    return p;
}

// the largest difference, relative to the largest force
static double pulls_apart(const pulls *a, const pulls *b) {
    double most = 0, apart = 0;
    for (int i = 1; i < PULLS; i++) {
        most = fmax(most, v3_norm(a->f[i]));
        apart = fmax(apart, v3_norm(v3_sub(a->f[i], b->f[i])));
    }
    return apart / most;
}

// With steps that change, too, reactions of index 3 are of second order, as those of index 2: the tolerance to the power 2/3,
// 4.6 for each power of ten.
TEST(reactions_of_index_3_do_not_suffer_from_changes_of_the_step) {
    pulls exact = pulls_of("integrator: radau, tolerance: 1e-10");
    double before = 0;
    for (int k = 5; k <= 8; k++) {
        char two[60], three[60];
        snprintf(two, sizeof two, "tolerance: 1e-%d, integrator: alpha", k);
        snprintf(three, sizeof three, "tolerance: 1e-%d, index: 3", k);
        pulls second = pulls_of(two), third = pulls_of(three);
        double of2 = pulls_apart(&exact, &second), of3 = pulls_apart(&exact, &third);
        check_note("1e-%d: index 2 %.2g, index 3 %.2g", k, of2, of3);
        CHECK(of3 < 2 * of2);
        CHECK(before == 0 || before > 3.5 * of3);
        before = of3;
    }
}

// ---- sizes -------------------------------------------------------------------------------------

#ifdef LMB_HAVE_SUNDIALS
// A double pendulum of size L
static const char *ida_pendulum(double L, bool friction) {
    static char text[1500], rubs[200];
    double m = L * L * L, J = 0.1 * m * L * L;
    snprintf(rubs, sizeof rubs,
             ", friction: {angle: {coefficient: 0.2, static: 0.3, presliding: 0.01, speed: 0.1, radius: %g}}",
             0.05 * L);
    snprintf(text, sizeof text,
             "limber: 1\ngravity: [0, %g, 0]\nbodies:\n"
             "  a: {mass: %g, inertia: %g, at: [%g, 0, 0]}\n  b: {mass: %g, inertia: %g, at: [%g, 0, 0]}\n"
             "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
             "  k: {type: revolute, between: [a, b], at: [%g, 0, 0], axis: [0, 0, 1]%s}\n"
             "sensors: {angle: {type: coordinate, of: k}}\n"
             "analyses: [{type: dynamics, until: 1, integrator: ida, tolerance: 1e-6}]\n",
             -9.81 * L, m, J, 0.5 * L, m, J, 1.5 * L, L, friction ? rubs : "");
    return text;
}

// The same steps in each size; with friction, where rounding errors decide about steps, the same motion.
TEST(ida_takes_models_of_any_size) {
    static const double size[] = {1, 1e-6, 1e6};
    long steps[LMB_COUNT(size)];
    double angle[LMB_COUNT(size)];
    for (int i = 0; i < LMB_COUNT(size); i++) {
        model m;
        steps[i] = stats_of(ida_pendulum(size[i], false)).steps;
        angle[i] = load_and_run(&m, "%s", ida_pendulum(size[i], true)) ? sensor(&m, "angle") : NAN;
        unload(&m);
        check_note("size %g: %ld steps, angle with friction %.9g", size[i], steps[i], angle[i]);
        CHECK(steps[i] > 100 && steps[i] == steps[0]);
        CHECK_NEAR(angle[i], angle[0], 1e-5);
    }
}
#endif

// ---- gaps -----------------------------------------------------------------------------------------

typedef struct gaps {
    const lmb_model *m;
    double *Phi, widest;
} gaps;

static lmb_status note_gap(void *user, lmb_data *at, lmb_error *err) {
    gaps *g = user;
    (void)err;
    lmb_constraints(g->Phi, g->m, at);
    g->widest = fmax(g->widest, lmb_gap_norm(g->m, g->Phi));
    return LMB_OK;
}

// A top spins about a point on a line that a rod holds, too, almost square to the line (0.4 mrad): of the rows of these joints one hardly
// moves the point, and other ones within a step.
#define DEAD_CENTRE                                                                                   \
    "limber: 1\ngravity: [4.0713859697428, -4.6973169085359, 7.5891455478311]\nbodies:\n"             \
    "  b: {mass: 26.477484253107, inertia: [1.7058466432443, 2.0705536836387, 2.1563685410058],\n"    \
    "      at: [0.36179863914902801, 0.48368591613757908, 0.55090563925535988],\n"                    \
    "      rotate: [0.75540212265364526, 0.24416501761089954, 0.03651517660520507, "                  \
    "-0.60697423268449113],\n"                                                                        \
    "      spin: [-3.1683918342540115, 1.6802936221547472, 3.3714382583388187],\n"                    \
    "      markers: {m: [0.31213623821287886, 0.88928593024627527, -0.73941522212511203]}}\n"         \
    "markers: {g: {on: ground, at: [1.45283294959334, 0.63654908243974517, 0.080511811201270601]},\n" \
    "  h: {on: ground, at: [0.27416841386852775, -1.1631288143271932, 0.03197510225533917]}}\n"       \
    "joints:\n  l: {type: point_on_line, between: [g, b.m], axis: [-0.042932798223131945, "           \
    "0.00064039912551418785, 0.99907775709685986]}\n"                                                 \
    "  d: {type: distance, between: [h, b.m]}\n"                                                      \
    "analyses: [{type: dynamics, until: 1.2, every: 0.01, %s}]\n"

// the widest gap of a joint at the output times
static double widest_gap(const char *settings) {
    char text[1600];
    rig r = {0};
    gaps g = {0};
    lmb_run *run = NULL;
    lmb_error err = {0};
    snprintf(text, sizeof text, DEAD_CENTRE, settings);
    if (rig_load(&r, text)) {
        g = (gaps){.m = r.m, .Phi = lmb_alloc((size_t)r.m->nc, sizeof *g.Phi)};
        lmb_observer o = {.user = &g, .row = note_gap};
        if (CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err))
            CHECK_OK(lmb_run_all(run, &o, &err), err);
        check_note("%s: gap %.2g", settings, g.widest);
        lmb_free(g.Phi);
    }
    lmb_run_destroy(run);
    rig_free(&r);
    return g.m ? g.widest : INFINITY;
}

// The joints stay closed to the tolerance.
TEST(alpha_closes_gaps_near_a_dead_centre) { CHECK_NEAR(widest_gap("tolerance: 1e-5"), 0, 1e-5); }

TEST(radau_closes_gaps_near_a_dead_centre) {
    CHECK_NEAR(widest_gap("integrator: radau, tolerance: 1e-5"), 0, 1e-5);
    CHECK_NEAR(widest_gap("integrator: radau, tolerance: 1e-6"), 0, 1e-6);
    CHECK_NEAR(widest_gap("integrator: radau, tolerance: 1e-7"), 0, 1e-7);
    CHECK_NEAR(widest_gap("integrator: radau, tolerance: 1e-8"), 0, 1e-8);
}

// ---- shorter steps on several mechanisms ----------------------------------------------------------

#define ROD(more)                                                                                      \
    "type: beam, theory: euler_bernoulli, rotary_inertia: off, frame: {chord: [start, end]}, shapes: " \
    "[{eigen: {count: 2, directions: [y, rz]}}, {force: end.x}]" more
// crank and rod bend (bench/elastic_slider_crank.yaml)
#define ELASTIC_CRANK                                                                                       \
    "limber: 1\nbodies:\n"                                                                                  \
    "  crank: {" ROD(                                                                                       \
        ", elements: 15, length: 0.152, section: {circle: 10 mm}, material: {E: 5e7, nu: 0.3, density: "    \
        "2767}") "}\n"                                                                                      \
                 "  rod: {" ROD(                                                                            \
                     ", elements: 20, at: [0.152, 0, 0], length: 0.304, section: {circle: 10 mm}, "         \
                     "material: {E: 1e9, nu: 0.3, density: 2767}") "}\n"                                    \
                                                                   "joints:\n  main: {type: revolute, "     \
                                                                   "between: [ground, crank.start], axis: " \
                                                                   "[0, 0, 1]}\n"                           \
                                                                   "  pin: {type: revolute, between: "      \
                                                                   "[crank.end, rod.start], axis: [0, 0, "  \
                                                                   "1]}\n"                                  \
                                                                   "  slide: {type: point_on_line, "        \
                                                                   "between: [ground, rod.end], at: "       \
                                                                   "[0.456, 0, 0], axis: [1, 0, 0]}\n"      \
                                                                   "forces: {motor: {type: torque, on: "    \
                                                                   "crank.start, axis: [0, 0, 1], value: "  \
                                                                   "'0.01*(1 - exp(-t/0.167))'}}\n"         \
                                                                   "analyses: [{type: dynamics, until: "    \
                                                                   "0.6, every: 0.03, %s}]\n"
// a beam in two parts is spun up (bench/newcomer/spin_up.yaml)
#define SPIN_UP                                                                                             \
    "limber: 1\nparameters: {T: 15}\nbodies: {beam: {type: beam, parts: 2, length: 8, section: {A: "        \
    "7.299e-5, Iy: 4.23952e-10, Iz: 4.23952e-10, J: 8.47904e-10}, material: {E: 1.3359e12, nu: 0.3, "       \
    "density: 2767}}}\n"                                                                                    \
    "joints: {hub: {type: revolute, between: [ground, beam.start], axis: [0, 0, 1], motion: '4/T*(t^2/2 + " \
    "(T/2/pi)^2*(cos(2*pi*t/T) - 1))'}}\n"                                                                  \
    "analyses: [{type: dynamics, until: 5, every: 0.25, %s}]\n"
// a crank at 150 rad/s moves a thin steel rod (bench/newcomer/slider_crank_2d.yaml), without the vibrations of its start
#define FAST_CRANK(start)                                                                                    \
    "limber: 1\nparameters: {w: 150, r: 0.15, L: 0.3}\nbodies:\n"                                            \
    "  crank: {mass: 0.1, inertia: [1e-4, 2e-4, 2e-4], com: [r/2, 0, 0], spin: [0, 0, w], markers: {pin: "   \
    "[r, 0, 0]}}\n"                                                                                          \
    "  slider: {mass: 0.033, inertia: 1e-5, at: [r + L, 0, 0]}\n"                                            \
    "  rod: {" ROD(                                                                                          \
        ", at: [r, 0, 0], velocity: [0, r*w, 0], spin: [0, 0, -r*w/L], length: L, section: {circle: 6 mm}, " \
        "material: {E: 0.2e12, nu: 0.3, density: 7870}") "}\n"                                               \
                                                         "joints:\n  main: {type: revolute, between: "       \
                                                         "[ground, crank], axis: [0, 0, 1], motion: "        \
                                                         "'w*t'}\n"                                          \
                                                         "  guide: {type: translational, between: [ground, " \
                                                         "slider], axis: [1, 0, 0]}\n"                       \
                                                         "  pin: {type: revolute, between: [crank.pin, "     \
                                                         "rod.start], axis: [0, 0, 1]}\n"                    \
                                                         "  eye: {type: point_on_line, between: [slider, "   \
                                                         "rod.end], axis: [0, 0, 1]}\n"                      \
                                                         "analyses: [{type: dynamics, until: 0.02, every: "  \
                                                         "1e-3, " start "%s}]\n"
// four rigid links fall
#define LINK(n, x)       \
    "  l" n ": {at: [" x \
    ", 0, 0], mass: 1, inertia: [0.001, 0.02, 0.02], markers: {a: [-0.25, 0, 0], b: [0.25, 0, 0]}}\n"
#define HINGE(n, from) "  j" n ": {type: revolute, between: [" from ", l" n ".a], axis: [0, 1, 0]}\n"
#define LINKS                                                                                            \
    "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n" LINK("0", "0.25") LINK("1", "0.75") LINK("2", "1.25") \
        LINK("3", "1.75") "joints:\n" HINGE("0", "ground") HINGE("1", "l0.b") HINGE("2", "l1.b")         \
            HINGE("3", "l2.b") "analyses: [{type: dynamics, until: 1, every: 0.05, %s}]\n"

enum { ROWS = 21, MOST_Q = 200 };
typedef struct path { // positions at the output times
    int rows, nq;
    double q[ROWS][MOST_Q];
} path;

static lmb_status note_row(void *user, lmb_data *at, lmb_error *err) {
    path *p = user;
    double room[MOST_Q];
    (void)err;
    p->nq = at->model->shown_nq; // positions and quaternions, also in a plane
    const double *q = p->nq <= MOST_Q ? lmb_shown_q(room, at) : NULL;
    for (int i = 0; i < p->nq && p->rows < ROWS && q; i++) p->q[p->rows][i] = q[i];
    p->rows++;
    return LMB_OK;
}

static void path_of(path *p, const char *format, const char *settings) {
    char text[3000];
    rig r = {0};
    lmb_run *run = NULL;
    lmb_error err = {0};
    const lmb_observer o = {.user = p, .row = note_row};
    snprintf(text, sizeof text, format, settings);
    p->rows = 0;
    if (rig_load(&r, text) &&
        CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err))
        CHECK_OK(lmb_run_all(run, &o, &err), err);
    CHECK(p->rows == ROWS && p->nq <= MOST_Q);
    lmb_run_destroy(run);
    rig_free(&r);
}

// the largest distance of a coordinate, m or a component of a quaternion
static double distance_of(const path *a, const path *b) {
    double most = 0;
    for (int k = 0; k < ROWS; k++)
        for (int i = 0; i < a->nq; i++) most = lmb_larger(most, fabs(a->q[k][i] - b->q[k][i]));
    return most;
}

// The error of a run with max_step is never larger than with a longer one; at last it is that of equal steps.
TEST(a_smaller_max_step_is_never_worse) {
    ACCURACY_ONLY();
    static const struct {
        const char *name, *model;
        double h;
    } cases[] = {{"elastic crank", ELASTIC_CRANK, 1.6e-3},
                 {"spin-up", SPIN_UP, 0.08},
                 {"fast crank", FAST_CRANK("start: quasi_static, "), 3.2e-4},
                 {"links", LINKS, 8e-3}};
    static path exact, capped, equal;
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        char settings[60];
        double before = INFINITY, h = cases[i].h;
        path_of(&exact, cases[i].model, "integrator: radau, tolerance: 1e-9");
        for (int k = 0; k < 4; k++, h /= 2) {
            snprintf(settings, sizeof settings, "integrator: alpha, max_step: %g", h),
                path_of(&capped, cases[i].model, settings);
            snprintf(settings, sizeof settings, "step: %g", h), path_of(&equal, cases[i].model, settings);
            double error = distance_of(&capped, &exact), same = distance_of(&equal, &exact);
            check_note("%s, %g: %.3g capped, %.3g equal", cases[i].name, h, error, same);
            CHECK(error < 1.02 * before); // where it hardly binds, the error may be the same
            CHECK(error < 1.1 * same);    // the tolerance shortens some
            before = error;
        }
    }
}

// A start that sets off vibrations of the rod along its axis (period 0.26 ms): they lose their phase with any step down to 10 us, and an error
// between one and two amplitudes need not fall.  That is the method's: equal steps err by the same.
TEST(vibrations_of_a_start_err_as_with_equal_steps) {
    ACCURACY_ONLY();
    static path exact, capped, equal;
    char settings[60];
    path_of(&exact, FAST_CRANK(""), "integrator: radau, tolerance: 1e-9");
    for (double h = 2e-5; h > 4e-6; h /= 2) {
        snprintf(settings, sizeof settings, "max_step: %g", h), path_of(&capped, FAST_CRANK(""), settings);
        snprintf(settings, sizeof settings, "step: %g", h), path_of(&equal, FAST_CRANK(""), settings);
        double error = distance_of(&capped, &exact), same = distance_of(&equal, &exact);
        check_note("%g: %.4g capped, %.4g equal", h, error, same);
        CHECK_NEAR(error / same, 1, 0.02);
    }
}

#define DEFLECTION                                                                                           \
    "markers: {mid: {on: rod, at: [L/2, 0, 0]}}\nsensors: {a: {type: position, of: rod.start}, b: {type: "   \
    "position, of: rod.end}, m: {type: "                                                                     \
    "position, of: mid}, deflection: '((b.x - a.x)*(m.y - a.y) - (b.y - a.y)*(m.x - a.x))/hypot(b.x - a.x, " \
    "b.y - a.y)'}\n"

static double deflections[ROWS];
static bool note_deflection(void *user, lmb_simulation *s, double time, double until, bool output) {
    int *row = user;
    (void)time, (void)until;
    if (output && *row < ROWS) deflections[(*row)++] = lmb_simulation_sensor(s, 9);
    return true;
}

// into deflections
static void bend(const char *settings) {
    model m;
    lmb_error err = {0};
    int rows = 0;
    if (load(&m, FAST_CRANK("start: quasi_static, ") DEFLECTION, settings))
        CHECK_OK(lmb_simulation_run(m.sim, 0, note_deflection, &rows, &err), err),
            CHECK(rows == ROWS && lmb_system_sensor_find(m.s, "deflection") == 9);
    unload(&m);
}

// The rod of 0.3 m bends by 3.7 mm.  Elastic motion is weighed by itself: as rigid motion it would err by 0.32 %.
TEST(deflections_are_resolved_at_the_default_tolerance) {
    double exact[ROWS], most = 0, error = 0;
    bend("integrator: radau, tolerance: 1e-9");
    memcpy(exact, deflections, sizeof exact);
    bend("tolerance: 1e-5");
    for (int i = 0; i < ROWS; i++)
        most = fmax(most, fabs(exact[i])), error = lmb_larger(error, fabs(deflections[i] - exact[i]));
    check_note("%g of %g m", error, most);
    CHECK(error < 0.0025 * most);
}

static double bend_error(const double *exact, const char *settings) {
    double error = 0;
    bend(settings);
    for (int i = 0; i < ROWS; i++) error = lmb_larger(error, fabs(deflections[i] - exact[i]));
    return error;
}

// Where the tolerance binds, a max_step near the longest step only changes which sizes the steps fall to: errors scatter by what these
// differ (docs/theory/solvers.md).  Where it binds, they fall.
TEST(a_max_step_that_hardly_binds_changes_errors_by_the_scatter_of_steps) {
    double exact[ROWS];
    bend("integrator: radau, tolerance: 1e-9");
    memcpy(exact, deflections, sizeof exact);
    double free = bend_error(exact, "max_step: 1"), near = bend_error(exact, "max_step: 3.36e-4"),
           bound = bend_error(exact, "max_step: 1.7e-4");
    check_note("%.3g, %.3g, %.3g m", free, near, bound);
    CHECK(near < 1.25 * free);
    CHECK(bound < 0.5 * free);
}

// Second corrections are left out only where they are small: at equal steps a run with error control differs from one that iterates
// to 1e-5 of the error by a small part of the error (2 %; with half the care 9 %).
TEST(corrections_left_out_are_a_small_part_of_the_error) {
    ACCURACY_ONLY();
    static path exact, capped, equal;
    path_of(&exact, ELASTIC_CRANK, "integrator: radau, tolerance: 1e-9");
    path_of(&capped, ELASTIC_CRANK, "max_step: 4e-4");
    path_of(&equal, ELASTIC_CRANK, "step: 4e-4");
    double left = distance_of(&capped, &equal), error = distance_of(&equal, &exact);
    check_note("%.3g of %.3g", left, error);
    CHECK(left < 0.05 * error);
}

// ---- the cost of choosing steps ---------------------------------------------------------------

// A rod that bends while it swings, as a newcomer writes it (bench/newcomer).
#define SWINGING_ROD                                                                               \
    "limber: 1\ngravity: [0, -9.81, 0]\n"                                                          \
    "bodies: {rod: {type: beam, length: 0.4, section: {A: 0.0018, Iy: 1.215e-8, Iz: 1.215e-8, J: " \
    "2.43e-8}, material: {E: 1e9, nu: 0.3, density: 5540}}}\n"                                     \
    "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n"             \
    "analyses: [{type: dynamics, until: 1, every: 1, %s}]\n"

// In iterations: a matrix costs seven of them here, the filter of the error a quarter (both counted in instructions).
static double cost_of(lmb_stats s, double filters) {
    return (double)s.iterations + 7 * (double)s.matrices + 0.25 * filters;
}

TEST(chosen_steps_cost_little_more_than_equal_ones) {
    char text[600], settings[40];
    snprintf(text, sizeof text, SWINGING_ROD, "tolerance: 1e-5");
    lmb_stats chosen = stats_of(text);
    snprintf(settings, sizeof settings, "step: 1.0/%ld", chosen.steps);
    snprintf(text, sizeof text, SWINGING_ROD, settings);
    lmb_stats equal = stats_of(text);
    check_note("%ld steps, %ld iterations, %ld matrices; equal %ld, %ld, %ld", chosen.steps,
               chosen.iterations, chosen.matrices, equal.steps, equal.iterations, equal.matrices);
    CHECK(chosen.steps > 500 && equal.steps >= chosen.steps);
    CHECK(cost_of(chosen, (double)chosen.steps) < 1.2 * cost_of(equal, 0));
}

// Crank and rod bend as a newcomer writes them (bench/newcomer/elastic_slider_crank.yaml), until the motor stops: what their default shapes have
// beyond two bending shapes and one of tension only follows its load.  (When steps were set by it: 27 times the time.)
#define NEWCOMER(shapes, settings)                                                                           \
    "limber: 1\nbodies:\n  crank: {type: beam, length: 0.152, section: {circle: 10 mm}, material: {E: 5e7, " \
    "nu: 0.3, density: 2767}" shapes "}\n"                                                                   \
    "  rod: {type: beam, at: [0.152, 0, 0], length: 0.304, section: {circle: 10 mm}, material: {E: 1e9, "    \
    "nu: 0.3, density: 2767}" shapes "}\n"                                                                   \
    "joints:\n  main: {type: revolute, between: [ground, crank.start], axis: [0, 0, 1]}\n"                   \
    "  pin: {type: revolute, between: [crank.end, rod.start], axis: [0, 0, 1]}\n"                            \
    "  slide: {type: point_on_line, between: [ground, rod.end], at: [0.456, 0, 0], axis: [1, 0, 0]}\n"       \
    "forces: {motor: {type: torque, on: crank.start, axis: [0, 0, 1], value: '0.01*(1 - exp(-t/0.167))'}}\n" \
    "analyses: [{type: dynamics, until: 0.7" settings "}]\n"

TEST(default_shapes_take_hardly_more_steps_than_chosen_ones) {
    lmb_stats few = stats_of(
                  NEWCOMER(", shapes: [{eigen: {count: 2, directions: [y, rz]}}, {force: end.x}]", "")),
              all = stats_of(NEWCOMER("", "")),
              best = stats_of(NEWCOMER("", ", tolerance: 1e-4, max_step: 5.4e-4, damping: 0.95"));
    check_note("%ld steps, %ld iterations, %ld matrices; chosen shapes %ld, %ld, %ld; chosen steps %ld",
               all.steps, all.iterations, all.matrices, few.steps, few.iterations, few.matrices, best.steps);
    CHECK(few.steps > 100 && cost_of(all, (double)all.steps) < 1.5 * cost_of(few, (double)few.steps));
    CHECK(all.steps < best.steps);
}

// A run of 1e12 steps has no end: it says so, names what changes fastest and the remedy; who sets a limit goes on to it.
#define CRAWL(key)                                                                                         \
    "limber: 1\nbodies: {calm: {mass: 1, inertia: 1}, buzz: {mass: 1, inertia: 1, velocity: [1, 0, 0]}}\n" \
    "forces: {s: {type: spring, between: [ground, buzz], stiffness: 1e4, length: 1}}\n"                    \
    "analyses: [{type: dynamics, until: 100, max_step: 1e-10" key "}]\n"

TEST(a_run_without_end_is_given_up) {
    static const char *const parts[] = {"would take 1e+12 more", "body 'buzz'", "`max_steps`"};
    model m;
    lmb_error err = {0};
    if (load(&m, CRAWL(""))) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        for (int i = 0; i < LMB_COUNT(parts); i++) CHECK_CONTAINS(err.text, parts[i]);
    }
    unload(&m);
    err = (lmb_error){0};
    if (load(&m, CRAWL(", max_steps: 110000"))) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "max_steps = 110000");
    }
    unload(&m);
}

// ---- motions that are not unknowns ----------------------------------------------------------------

// Error of the work that a motion g = 0.5 sin(12 t) of an eliminated joint does on an inertia of 1, relative to the kinetic energy
// of 18 J that comes and goes; the only unknowns are those of a body at rest.
static double work_error(const char *method, double tolerance) {
    model m;
    double work = NAN, most = 0.5 * 6 * 6;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {driven: {mass: 1, inertia: 1, coordinates: relative}, idle: {mass: 1, "
            "inertia: 1, at: [2, 0, 0]}}\n"
            "joints: {pin: {type: revolute, between: [ground, driven], axis: [0, 0, 1], motion: "
            "'0.5*sin(12*t)'}}\n"
            "sensors: {e: {type: energy}}\n"
            "analyses: [{type: dynamics, until: 5, integrator: %s, tolerance: %g}]\n",
            method, tolerance))
        work = sensor(&m, "e.work");
    unload(&m);
    return fabs(work / most + sin(60) * sin(60));
}

// They are resolved as if the angle were an unknown: a step of alpha has an error of (12 h)^3/12 of the way, so that h goes with
// tolerance^(1/3), and the trapezoidal rule leaves (24 h)^2/12 of the work.  Without that steps of 0.25 s would book anything.
TEST(work_of_motions_without_unknowns_follows_the_tolerance) {
    static const struct {
        const char *method;
        double most, falls; // at 1e-5; from there to 1e-8
    } cases[] = {{"alpha", 1e-2, 50}, {"radau", 1e-4, 100}, {"dopri", 1e-3, 100}};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        double coarse = work_error(cases[i].method, 1e-5), fine = work_error(cases[i].method, 1e-8);
        check_note("%s: %.3g, %.3g", cases[i].method, coarse, fine);
        CHECK(coarse < cases[i].most);
        CHECK(fine * cases[i].falls < coarse);
        if (i == 0) CHECK_NEAR(log(coarse / fine) / log(1e3), 2.0 / 3, 0.1);
    }
}

// ---- the filter of the error --------------------------------------------------------------------

// A resonator of 1 Hz, and one of 100 kHz that rings by 1e-7 m: its accelerations are large, its error is not.
#define RING(speed)                                                                                    \
    "limber: 1\nbodies: {slow: {mass: 1, inertia: 1, velocity: [2*pi, 0, 0]},\n"                       \
    "  fast: {mass: 1, inertia: 1, at: [0, 1, 0], velocity: [" speed ", 0, 0]}}\n"                     \
    "joints: {a: {type: translational, between: [ground, slow], axis: [1, 0, 0], spring: {stiffness: " \
    "4*pi^2}},\n"                                                                                      \
    "  b: {type: translational, between: [ground, fast], at: [0, 1, 0], axis: [1, 0, 0], spring: "     \
    "{stiffness: 4e10*pi^2}}}\n"                                                                       \
    "analyses: [{type: dynamics, until: 2, integrator: alpha}]\n"

TEST(what_the_stiffness_takes_back_is_no_error) {
    lmb_stats calm = stats_of(RING("0")), rings = stats_of(RING("2e-2*pi"));
    check_note("%ld steps (%ld rejected), ringing %ld (%ld)", calm.steps, calm.rejected, rings.steps,
               rings.rejected);
    CHECK(calm.steps > 100);             // the slow motion counts
    CHECK(rings.steps < 2 * calm.steps); // the first ones are short, until the ringing has died out
}

// Two masses move alike, x = 0.1 sin(2 pi t): one of 1 Hz by itself, one of 1 kHz that only follows its load.  Their accelerations are the
// same, and so is c h^2 (a1 - a0); of the one on the spring the stiffness takes back all but 1/(omega h)^2.
#define FOLLOW(k)                                                                                         \
    "limber: 1\nparameters: {k: " k "}\nbodies: {a: {mass: 1, inertia: 1, velocity: [0.2*pi, 0, 0]}}\n"   \
    "joints: {g: {type: translational, between: [ground, a], axis: [1, 0, 0], spring: {stiffness: k}}}\n" \
    "forces: {f: {type: force, on: a, value: ['0.1*(k - 4*pi^2)*sin(2*pi*t)', 0, 0]}}\n"                  \
    "sensors: {x: {type: coordinate, of: g}}\n"                                                           \
    "analyses: [{type: dynamics, until: 2.25, max_step: 0.1, integrator: alpha}]\n"

TEST(what_follows_its_load_takes_long_steps) {
    lmb_stats swings = stats_of(FOLLOW("4*pi^2")), follows = stats_of(FOLLOW("4e6*pi^2"));
    model m;
    check_note("%ld steps, following %ld", swings.steps, follows.steps);
    CHECK(swings.steps > 80);
    CHECK(2 * follows.steps <= swings.steps);
    if (load_and_run(&m, FOLLOW("4e6*pi^2"), "")) CHECK_NEAR(sensor(&m, "x"), 0.1, 1e-5);
    unload(&m);
}

// | S G' | | x |   | cM M e |      a mass on a spring in a guide, S = cM m + cK k along it: of e along the guide a part is left,
// | G 0  | | . | = | G e    |      of e off the guide all
TEST(the_filter_of_an_error_leaves_what_stiffness_does_not_hold) {
    static const char text[] = "limber: 1\nplanar: off\nbodies: {a: {mass: 2, inertia: 1}}\n"
                               "joints: {g: {type: translational, between: [ground, a], axis: [1, 0, 0], "
                               "spring: {stiffness: 90}}}\n";
    rig r = {0};
    lmb_work *w = NULL;
    lmb_error err = {0};
    if (rig_load(&r, text) && CHECK_OK(lmb_work_create(&w, r.m, &err), err)) {
        double e[6] = {0.5, -0.2, 0.3, 0.1, 0, 0.7};
        lmb_combination c = {.cM = 5, .cD = 1, .cK = 1.0 / 3, .cL = 1, .rG = 1};
        lmb_update(r.d, r.m);
        CHECK(lmb_work_factor(w, r.d, c, NULL) == LMB_OK && lmb_work_filter(w, e) == LMB_OK);
        CHECK_NEAR(w->x[0], 0.5 * 5 * 2 / (5 * 2 + 90.0 / 3), 1e-14);
        for (int k = 1; k < 6; k++) CHECK_NEAR(w->x[k], e[k], 1e-14);
    }
    lmb_work_destroy(w);
    rig_free(&r);
}

// between the ends of a fixed step there is nothing new to see; error control and `every` are left alone
TEST(output_is_no_finer_than_fixed_steps) {
    static const struct {
        const char *text;
        double every;
    } cases[] = {{"until: 2, step: 0.1", 0.1},
                 {"until: 2, step: 1e-3", 0.01},
                 {"until: 2", 0.01},
                 {"until: 2, max_step: 0.1", 0.01},
                 {"until: 2, step: 0.1, every: 0.02", 0.02}};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        rig r = {0};
        char text[200];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {a: {mass: 1, inertia: 1}}\nanalyses: [{type: dynamics, %s}]\n",
                 cases[i].text);
        if (rig_load(&r, text)) CHECK_NEAR(r.program->analyses[0].every, cases[i].every, 0);
        rig_free(&r);
    }
}
