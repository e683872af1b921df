// Random trees of rigid, modal and superelement bodies, with and without loops: recursively as with multipliers.
#include "compare_runs.h"
#include "solve/modes.h"

typedef struct writer {
    char text[12000];
    int length;
} writer;

#define WRITE(w, ...) \
    ((w)->length += snprintf((w)->text + (w)->length, sizeof(w)->text - (size_t)(w)->length, __VA_ARGS__))

static int choose(int count) { return (int)(0.5 * (1 + check_random()) * count) % count; }

typedef enum kind { RIGID, MODAL, SUPERELEMENT } kind;

static void write_body(writer *w, int i, kind k, const double *at) {
    if (k == RIGID)
        WRITE(w, "  b%d: {mass: %d, inertia: [0.02, 0.05, 0.06], com: [0.5, %g, 0.02], ", i, 1 + choose(3),
              0.1 * check_random());
    else
        WRITE(w,
              "  b%d: {type: beam, length: 1, elements: 3, section: {rectangle: [0.03, 0.02]}, material: {E: "
              "2e9, nu: 0.3, "
              "density: 3000}, shapes: {craig_bampton: %d}, frame: centre, formulation: %s, ",
              i, 1 + choose(3), k == MODAL ? "modal" : "superelement");
    WRITE(w, "at: [%g, %g, %g], markers: {s: [0, 0, 0], m: [0.4, 0.03, 0], e: [1, 0, 0]}}\n", at[0], at[1],
          at[2]);
}

static void write_joint(writer *w, int i, int parent, const char *on, const double *at) {
    static const char *const kinds[] = {"revolute", "universal", "cylindrical", "translational",
                                        "planar",   "spherical", "fixed"};
    int k = choose(7);
    char from[32] = "ground";
    if (parent >= 0) snprintf(from, sizeof from, "b%d.%s", parent, on);
    bool second = choose(2) > 0;
    WRITE(w, "  j%d: {type: %s, between: [", i, kinds[k]);
    if (second) WRITE(w, "b%d.s, %s", i, from);
    else WRITE(w, "%s, b%d.s", from, i);
    WRITE(w, "], at: [%g, %g, %g]", at[0], at[1], at[2]);
    if (k == 1) WRITE(w, ", axis: [0, %g, 1], x: [1, 0, 0]", check_random());
    else if (k < 5) WRITE(w, ", axis: [%g, %g, 1]", check_random(), check_random());
    WRITE(w, "}\n");
}

// a tree of n bodies, with `loops` springs and balls across it; soft: with superelements
static void write_tree(writer *w, int n, int loops, bool soft) {
    double at[32][3] = {{0}};
    int parent[32];
    const char *on[32];
    *w = (writer){.length = 0};
    WRITE(w, "limber: 1\ngravity: [1, -9.81, 2]\nbodies:\n");
    for (int i = 0; i < n; i++) {
        parent[i] = i == 0 ? -1 : i - 1 - (choose(3) == 0 ? choose(i) : 0);
        bool end = choose(3) > 0;
        on[i] = end ? "e" : "m";
        for (int c = 0; c < 3 && i > 0; c++)
            at[i][c] = at[parent[i]][c] + (end ? c == 0 : c == 0 ? 0.4 : c == 1 ? 0.03 : 0);
        int which = choose(soft ? 10 : 9);
        write_body(w, i, which < 5 ? RIGID : which < 9 ? MODAL : SUPERELEMENT, at[i]);
    }
    WRITE(w, "joints:\n");
    for (int i = 0; i < n; i++) write_joint(w, i, parent[i], on[i], at[i]);
    for (int k = 0; k < loops; k++)
        WRITE(w, "  loop%d: {type: spherical, between: [b%d.e, ground], at: [%g, %g, %g]}\n", k, n - 1 - k,
              at[n - 1 - k][0] + 1, at[n - 1 - k][1], at[n - 1 - k][2]);
    WRITE(w, "forces:\n  push: {type: force, on: b%d.e, frame: body, value: [3, 2, 5]}\n", n - 1);
    if (loops == 0) // more would be too much across a tree
        WRITE(w, "  far: {type: spring, between: [b%d.m, b0.m], stiffness: 300, damping: 3, length: 0.3}\n",
              n - 1);
    WRITE(w,
          "sensors:\n  a: {type: acceleration, of: b%d.e}\n  b: {type: acceleration, of: b%d.m}\n  E: {type: "
          "energy}\n",
          n - 1, n / 2);
    for (int i = 0; i < n; i++) WRITE(w, "  r%d: {type: reaction, of: j%d}\n", i, i);
}

static bool is_tree(const char *model) {
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    char text[16384];
    int length = snprintf(text, sizeof text,
                          "%sanalyses: [{type: dynamics, until: 1, formalism: elimination}]\n", model);
    lmb_status st = lmb_yaml_read_text(&spec, text, (size_t)length, "model", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    bool is = CHECK_OK(st, err) && p->model->tree;
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    return is;
}

// Steady rotations change columns of the matrix: a model that has one is solved by maps of all velocities.
#define MAPS "}, {type: statics, rotation: {speed: 1}"
#define STEP "type: dynamics, until: 1e-9, step: 1e-9, formalism: "

// accelerations and reactions right after the start: no error of an integrator
TEST(small_random_trees_accelerate_as_by_other_ways) {
    int trees = 0, count = check_sampled() ? 12 : 60;
    for (int k = 0; k < count; k++) {
        writer w;
        bool loops = k % 3 == 2, soft = k % 2;
        write_tree(&w, 5 + choose(5), loops, soft);
        if (!is_tree(w.text)) continue;
        trees++;
        compare(w.text, STEP "elimination" MAPS, STEP "elimination", 1e-9);
        // joints that may depend on each other are regularised: 1e-8 of what masses would give
        if (!loops && !soft) compare(w.text, STEP "multipliers", STEP "elimination", 1e-9);
    }
    CHECK(trees > count / 2);
}

// every integrator with the tree's matrices moves as with maps: they differ by what is left after Newton's iterations, and the
// explicit one by rounding
TEST(small_random_trees_move_as_by_maps) {
    static const struct {
        const char *method;
        double tolerance;
    } list[] = {
        {"dopri, tolerance: 1e-6", 1e-8}, {"radau, tolerance: 1e-8", 1e-6}, {"alpha, step: 1e-3", 1e-6}};
    for (int k = 0; k < (check_sampled() ? 3 : 12); k++) {
        writer w;
        char one[300], two[200];
        do write_tree(&w, 5 + choose(3), k % 2, k % 4 == 3);
        while (!is_tree(w.text));
        snprintf(two, sizeof two, "type: dynamics, until: 0.02, formalism: elimination, integrator: %s",
                 list[k % 3].method);
        snprintf(one, sizeof one, "%s" MAPS, two);
        compare(w.text, one, two, list[k % 3].tolerance);
    }
}

// ---- analyses ----------------------------------------------------------------------------------

// an arm of a modal and rigid bodies on springs that hang, with a loop and a signal: one equilibrium
static const char arm[] =
    "limber: 1\ngravity: [0, -9.81, 1]\nbodies:\n"
    "  a: &beam {type: beam, length: 0.5, elements: 3, section: {rectangle: [0.03, 0.02]}, material: {E: "
    "2e9, nu: 0.3, density: "
    "3000}, shapes: {craig_bampton: 2}, frame: centre, damping: {beta: 1e-3}, markers: {m: [0.2, 0.03, 0]}}\n"
    "  b: {mass: 1, inertia: [0.02, 0.05, 0.06], com: [0.2, 0.02, 0.02], at: [0.5, 0, 0], markers: {e: [0.5, "
    "0, 0]}}\n"
    "  c: {<<: *beam, at: [1, 0, 0]}\n"
    "  d: {mass: 1, inertia: [0.02, 0.05, 0.06], com: [0.2, 0.02, 0.02], at: [1.5, 0, 0], markers: {e: [0.5, "
    "0, 0]}}\n"
    "  f: {mass: 1, inertia: [0.02, 0.05, 0.06], at: [0.2, 0.03, 0]}\n"
    "joints:\n"
    "  j1: {type: universal, between: [ground, a.start], axis: [0, 1, 0], x: [0, 0, 1], spring: {angle1: "
    "{stiffness: 80, damping: "
    "2}, angle2: {stiffness: 90, damping: 2}}%s}\n"
    "  j2: {type: revolute, between: [b, a.end], axis: [0.2, 0.3, 1], spring: {stiffness: 70, damping: "
    "1}%s}\n"
    "  j3: {type: cylindrical, between: [b.e, c.start], axis: [1, 0.2, 0], spring: {angle: {stiffness: 50, "
    "damping: 1}, position: "
    "{stiffness: 900, damping: 9}}%s}\n"
    "  j4: {type: universal, between: [c.end, d], axis: [0, 1, 0], x: [0, 0, 1], spring: {angle1: "
    "{stiffness: 30, damping: 1}, "
    "angle2: {stiffness: 30, damping: 1}}%s}\n"
    "  j5: {type: revolute, between: [f, a.m], axis: [0, 0, 1], spring: {stiffness: 10, damping: 1}%s}\n"
    "forces:\n"
    "  far: {type: spring, between: [d.e, a.m], stiffness: 20, damping: 1}\n"
    "  led: {type: torque, on: c, value: [0, 0, \"lag\"]}\n"
    "signals:\n"
    "  lag: {type: lag, input: \"-2*turned\", time: 0.05}\n"
    "sensors:\n"
    "  turned: {type: angle, between: [ground, b], axis: [0, 0, 1]}\n"
    "  tip: {type: position, of: d.e}\n"
    "  R1: {type: reaction, of: j1}\n"
    "  R3: {type: reaction, of: j3}\n"
    "  R5: {type: reaction, of: j5}\n";

#define TREE "}, {type: dynamics, until: 1, formalism: elimination"

TEST(small_trees_find_the_same_equilibrium) {
    char model[4096];
    snprintf(model, sizeof model, arm, "", "", "", "", "");
    CHECK(is_tree(model));
    compare(model, "type: statics, tolerance: 1e-11", "type: statics, tolerance: 1e-11" TREE, 1e-8);
    compare(model, "type: statics, tolerance: 1e-11" TREE MAPS, "type: statics, tolerance: 1e-11" TREE, 1e-9);
    compare_some(model,
                 "type: statics}, {type: dynamics, until: 0.01, integrator: radau, tolerance: 1e-9, "
                 "formalism: elimination" MAPS,
                 "type: statics}, {type: dynamics, until: 0.01, integrator: radau, tolerance: 1e-9, "
                 "formalism: elimination",
                 2, 1e-8);
}

TEST(small_trees_follow_prescribed_motions) {
    char model[4096];
    snprintf(model, sizeof model, arm, ", motion: {angle1: \"0.4*sin(4*t)\", angle2: \"0.3*t\"}",
             ", motion: \"t^2\"", ", motion: {angle: \"t\", position: \"0.05*sin(9*t)\"}",
             ", motion: {angle1: \"0.2*t\", angle2: \"0.1*t\"}", ", motion: \"2*t\"");
    CHECK(is_tree(model));
    for (int k = 0; k < 2; k++) {
        const char *one =
            k ? "type: dynamics, until: 0.05, integrator: radau, tolerance: 1e-9, formalism: elimination" MAPS
              : "type: dynamics, until: 0.05, integrator: radau, tolerance: 1e-9";
        compare(model, one,
                "type: dynamics, until: 0.05, integrator: radau, tolerance: 1e-9, formalism: elimination",
                k ? 1e-8 : 1e-5);
    }
}

// ---- linearised --------------------------------------------------------------------------------

typedef struct linear {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_arena *arena;
    lmb_equations l;
} linear;

static void close_linear(linear *x) {
    lmb_arena_destroy(x->arena);
    lmb_data_destroy(x->d);
    lmb_program_destroy(x->p);
    lmb_spec_destroy(x->spec);
}

// near the start, moving; the same random state for the same seed
static bool open_linear(linear *x, const char *model, const char *more, const double *random) {
    char text[16384];
    lmb_error err = {0};
    *x = (linear){.arena = lmb_arena_create(1 << 16)};
    int length =
        snprintf(text, sizeof text, "%sanalyses: [{type: dynamics, until: 1, formalism: elimination%s}]\n",
                 model, more);
    lmb_status st = lmb_yaml_read_text(&x->spec, text, (size_t)length, "model", &err);
    if (st == LMB_OK) st = lmb_spec_expand(x->spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&x->p, x->spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&x->d, x->p->model, &err);
    if (st == LMB_OK) {
        const lmb_model *m = x->p->model;
        lmb_positions_move(x->d->q, m, m->q0, random);
        lmb_velocity_set(x->d, m, random + m->ny);
        lmb_update(x->d, m);
        lmb_acceleration_set(x->d, m, random + 2 * m->ny);
        st = lmb_equations_linearise(&x->l, x->arena, m, x->d, LMB_FRAME_BODY, &err);
    }
    return CHECK_OK(st, err);
}

static void near_each_other(const double *a, const double *b, int n, const char *what) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    if (!CHECK_NEAR(worst / lmb_norm_max(a, n), 0, 1e-10)) check_note("%s", what);
}

TEST(small_trees_have_the_same_linear_equations) {
    for (int k = 0; k < 6; k++) {
        writer w;
        linear maps, tree;
        double random[600], *v = lmb_alloc(2000, sizeof *v);
        write_tree(&w, 6, k % 2, k % 3 == 2);
        for (int i = 0; i < LMB_COUNT(random); i++) random[i] = (i < 200 ? 0.01 : 1) * check_random();
        if (open_linear(&maps, w.text, MAPS, random) && open_linear(&tree, w.text, "", random)) {
            const lmb_model *m = tree.p->model;
            int square = m->ny * m->ny;
            CHECK(maps.p->model->tree == NULL && m->ny <= 200 && m->nv <= 1000);
            near_each_other(maps.l.M, tree.l.M, square, "M");
            near_each_other(maps.l.D, tree.l.D, square, "D");
            near_each_other(maps.l.K, tree.l.K, square, "K");
            lmb_linear_blocks(v, &maps.l, maps.p->model, maps.d, random);
            lmb_linear_blocks(v + 1000, &tree.l, m, tree.d, random);
            near_each_other(v, v + 1000, m->nv, "velocities of a mode");
        }
        close_linear(&maps), close_linear(&tree);
        lmb_free(v);
    }
}
