// Inertia of flexible bodies far from their undeformed shape: a sum of squares in every frame and formulation, whose
// momenta and energy hold.
#include "api/handles.h"
#include "body/modal.h"
#include "linalg/symmetric.h"
#include "run_model.h"

#include <string.h>

// ---- bodies ------------------------------------------------------------------------------------

// a bar of six bricks, 300 x 10 x 20
static const char *bricks(void) {
    static const char *path;
    if (path) return path;
    path = check_temp("bricks.inp");
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return path;
    fprintf(f, "*NODE\n");
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < 4; k++)
            fprintf(f, "%d,%d,%d,%d\n", 4 * i + k + 1, 50 * i, k == 0 || k == 3 ? -5 : 5, k < 2 ? -10 : 10);
    fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=ALL\n");
    for (int i = 0; i < 6; i++) {
        int a = 4 * i;
        fprintf(f, "%d,%d,%d,%d,%d,%d,%d,%d,%d\n", i + 1, a + 1, a + 5, a + 6, a + 2, a + 4, a + 8, a + 7,
                a + 3);
    }
    fprintf(f, "*NSET, NSET=LEFT\n1,2,3,4\n*NSET, NSET=RIGHT\n25,26,27,28\n");
    fclose(f);
    return path;
}

// a strip of twelve shells, 300 x 20, 10 thick
static const char *shells(void) {
    static const char *path;
    if (path) return path;
    path = check_temp("shells.inp");
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return path;
    fprintf(f, "*NODE\n");
    for (int i = 0; i < 13; i++)
        for (int k = 0; k < 2; k++) fprintf(f, "%d,%d,%d,0\n", 2 * i + k + 1, 25 * i, k ? 10 : -10);
    fprintf(f, "*ELEMENT, TYPE=S4, ELSET=ALL\n");
    for (int i = 0; i < 12; i++)
        fprintf(f, "%d,%d,%d,%d,%d\n", i + 1, 2 * i + 1, 2 * i + 3, 2 * i + 4, 2 * i + 2);
    fprintf(f, "*NSET, NSET=LEFT\n1,2\n*NSET, NSET=RIGHT\n25,26\n");
    fclose(f);
    return path;
}

#define BEAM                                                                                                \
    "type: beam, length: 1, material: {E: 1e9, nu: 0.3, density: 1000}, elements: 6, section: {rectangle: " \
    "[10 mm, 20 mm]}"
#define SHAPES "shapes: {craig_bampton: 6}"
static const char *const bodies[] = {
    BEAM ", " SHAPES,
    BEAM ", shapes: {eigen: 12}",
    BEAM ", " SHAPES ", interfaces: {start: {at: [0, 0, 0]}, mid: {at: [0.5, 0, 0]}, end: {at: [1, 0, 0]}}",
    BEAM ", " SHAPES ", formulation: superelement, geometric_stiffening: on",
    BEAM ", shapes: guyan, formulation: superelement, geometric_stiffening: on, interfaces: {start: {at: "
         "[0, 0, 0]}, mid: {at: [0.5, 0, 0]}, end: {at: [1, 0, 0]}}",
    "type: mesh, file: %s, unit: mm, material: {E: 1e9, nu: 0.3, density: 1000}, interfaces: {start: {set: "
    "LEFT}, end: {set: RIGHT, tie: average}}, " SHAPES,
    "type: mesh, file: %s, unit: mm, material: {E: 1e9, nu: 0.3, density: 1000}, interfaces: {start: {set: "
    "LEFT}, end: {set: RIGHT}}, " SHAPES ", formulation: superelement, geometric_stiffening: on",
    "type: mesh, thickness: 10 mm, file: %s, unit: mm, material: {E: 1e9, nu: 0.3, density: 1000}, "
    "interfaces: "
    "{start: {set: LEFT}, end: {set: RIGHT}}, " SHAPES,
    "type: mesh, thickness: 10 mm, file: %s, unit: mm, material: {E: 1e9, nu: 0.3, density: 1000}, "
    "interfaces: "
    "{start: {set: LEFT}, end: {set: RIGHT}}, " SHAPES ", formulation: superelement",
};
static const char *const frames[] = {"buckens", "{tangent: start}", "{chord: [start, end]}", "mean",
                                     "centre"};

static bool open_body(model *m, lmb_data **d, const char *body, const char *frame) {
    char text[1000];
    lmb_error err = {0};
    *d = NULL;
    snprintf(text, sizeof text, body, strstr(body, "thickness") ? shells() : bricks());
    return load(m, "limber: 1\nbodies: {b: {%s, frame: %s}}\nanalyses: [{type: dynamics, until: 1}]\n", text,
                frame) &&
           CHECK_OK(lmb_data_create(d, m->s->program->model, &err), err);
}

// ---- states ------------------------------------------------------------------------------------

static void mass_of(double *M, const lmb_data *d, const lmb_body *b) {
    lmb_body_view x = lmb_view(d, b);
    b->ops->dynamics.mass(M, &x);
}

// largest rotation of a node with rotations, else of an interface
static double largest_turn(const lmb_flex *f, const double *q) {
    double most = 0;
    for (int i = 0; f->node_P && i < f->node_count; i++)
        most = fmax(most, v3_norm(lmb_modal_combine(f->node_P + 3 * i * f->m, q, f->m)));
    for (int i = 0; i < f->marker_count; i++)
        most = fmax(most, v3_norm(lmb_modal_combine(f->markers[i].P, q, f->m)));
    return most;
}

// random loads of equal size on all coordinates bend it by `turn`
static void bend_modal(lmb_data *d, const lmb_model *m, double turn) {
    const lmb_flex *f = m->bodies[0].ops->look.flex(&m->bodies[0]);
    double *q = d->q + m->bodies[0].iq + 7;
    for (int i = 0; i < f->m; i++) q[i] = check_random() / (f->frequency[i] * f->frequency[i]);
    lmb_scale(q, turn / largest_turn(f, q), f->m);
}

// interfaces move by `turn` of the length and rotate by turn, in all directions
static void bend_interfaces(lmb_data *d, const lmb_model *m, double turn) {
    const lmb_flex *f = m->bodies[0].ops->look.flex(&m->bodies[0]);
    double length = v3_norm(v3_sub(f->markers[1].x, f->markers[0].x));
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double *q = d->q + b->iq;
        vec3 x = v3(check_random(), check_random(), check_random());
        if (b->kind == LMB_BLOCK_ROT)
            q_store(q, q_mul(q_load(m->q0 + b->iq), q_exp(v3_scale(turn / v3_norm(x), x))));
        if (b->kind == LMB_BLOCK_POINT) v3_store(q, v3_madd(v3_load(m->q0 + b->iq), 0.1 * turn * length, x));
    }
}

// false: the body cannot be evaluated there
static bool bend(lmb_data *d, const lmb_model *m, double turn) {
    lmb_data_reset(d);
    if (m->bodies[0].ops == &lmb_modal_ops) bend_modal(d, m, turn);
    else bend_interfaces(d, m, turn);
    return lmb_update(d, m) == LMB_OK;
}

// ---- positive ----------------------------------------------------------------------------------

// smallest eigenvalue of the mass matrix against that of the undeformed body, or (against == NULL) its diagonal
static double least_mass(lmb_data *d, const lmb_model *m, double turn, const lmb_data *against) {
    const lmb_body *b = &m->bodies[0];
    size_t n = (size_t)b->n, nn = n * n;
    double *M0 = lmb_alloc(3 * nn + n, sizeof *M0), *M = M0 + nn, *V = M + nn, *w = V + nn;
    lmb_error err = {0};
    bool refused = !bend(d, m, turn);
    mass_of(M, d, b);
    for (size_t i = 0; i < n; i++) M0[i * n + i] = M[i * n + i];
    if (against) mass_of(M0, against, b);
    if (!refused) CHECK_OK(lmb_dense_eigen(w, V, M, M0, b->n, &err), err);
    double least = refused ? NAN : w[0];
    lmb_free(M0);
    return least;
}

// the least of 20 random states; a superelement that is refused in one of them has none there, unless that happens often
static double least_of_states(const char *body, const char *frame, bool against_rest) {
    model m;
    lmb_data *d, *rest = NULL;
    lmb_error err = {0};
    double least = INFINITY;
    int refused = 0;
    if (open_body(&m, &d, body, frame) && CHECK_OK(lmb_data_create(&rest, m.s->program->model, &err), err)) {
        lmb_update(rest, m.s->program->model);
        for (int s = 0; s < 20; s++) {
            double own = least_mass(d, m.s->program->model, 0.6, against_rest ? rest : NULL);
            refused += isnan(own), least = fmin(least, own);
        }
    }
    CHECK(refused == 0 || (refused <= 1 && strstr(body, "superelement") && strstr(frame, "tangent")));
    check_note("%.20s.., %s: %g, %d refused", body, frame, least, refused);
    lmb_data_destroy(d), lmb_data_destroy(rest);
    unload(&m);
    return least;
}

TEST(mass_is_positive_in_every_state) {
    for (int i = 0; i < LMB_COUNT(bodies); i++)
        for (int k = 0; k < LMB_COUNT(frames); k++)
            if (!check_sampled() || (i + k) % 3 == 0)
                CHECK(least_of_states(bodies[i], frames[k], true) > 1e-4);
}

// mass on the axis alone: none resists rotation about it where the beam is straight
TEST(mass_on_a_line_is_not_negative) {
    for (int k = 1; k < LMB_COUNT(frames); k++) // mean axes are not known
        CHECK(least_of_states(BEAM ", " SHAPES ", rotary_inertia: off", frames[k], false) > 0);
}

// ---- free flight -------------------------------------------------------------------------------

enum { STOPS = 8 };

// forces bend a bar and make it spin for 50 ms, then it is free
static const char *flight(const char *body, double tolerance) {
    static char text[2500];
    int n = snprintf(text, sizeof text,
                     "limber: 1\nbodies: {b: {type: beam, length: 1, material: {E: 2e9, nu: 0.3, density: "
                     "1000}, section: {rectangle: [10 mm, 20 mm]}, shapes: {craig_bampton: 3}, %s, spin: [0, "
                     "3, 13]}}\nforces:\n  a: {type: force, on: b.start, value: [0, 't < 0.02 ? 6 : 0', 't < "
                     "0.02 ? -10 : 0']}\n"
                     "  b: {type: force, on: b.end, value: [0, 't < 0.02 ? 6 : 0', 't < 0.02 ? -10 : 0']}\n"
                     "sensors: {e: {type: energy}, turn: {type: orientation, of: b.end, relative_to: "
                     "b.start}}\nanalyses:\n  - {type: dynamics, until: 0.02, tolerance: 1e-6}\n",
                     body);
    for (int i = 1; i <= STOPS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  - {type: dynamics, until: %g, integrator: radau, tolerance: %g}\n", 0.02 + 0.01 * i,
                      tolerance);
    return text;
}

typedef struct drift {
    double turn; // of each end against the chord
    double energy, momentum, spin;
} drift;

static double gap(model *m, const char *name, const double at[3]) {
    static const char axes[] = "xyz";
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        char channel[30];
        snprintf(channel, sizeof channel, "e.%s.%c", name, axes[k]);
        sum += pow(sensor(m, channel) - at[k], 2);
    }
    return sqrt(sum);
}

static drift fly(const char *body, double tolerance) {
    model m;
    drift out = {0};
    if (load(&m, "%s", flight(body, tolerance)) && run(&m, 0)) {
        static const double zero[3];
        double E = sensor(&m, "e.kinetic") + sensor(&m, "e.strain"), p[3], h[3];
        for (int k = 0; k < 3; k++) {
            p[k] = sensor(&m, (const char *[]){"e.momentum.x", "e.momentum.y", "e.momentum.z"}[k]);
            h[k] = sensor(&m, (const char *[]){"e.spin.x", "e.spin.y", "e.spin.z"}[k]);
        }
        double P = gap(&m, "momentum", zero), H = gap(&m, "spin", zero);
        for (int i = 1; i <= STOPS && run(&m, i); i++) {
            out.turn = fmax(out.turn, acos(fmin(sensor(&m, "turn.w"), 1)));
            out.energy = fmax(out.energy, fabs(sensor(&m, "e.kinetic") + sensor(&m, "e.strain") - E) / E);
            out.momentum = fmax(out.momentum, gap(&m, "momentum", p) / P);
            out.spin = fmax(out.spin, gap(&m, "spin", h) / H);
        }
    }
    unload(&m);
    return out;
}

TEST(free_flight_keeps_momentum_and_energy_at_large_turns) {
    ACCURACY_ONLY();
    static const char *const kinds[] = {
        "frame: buckens",
        "frame: {tangent: start}",
        "frame: {chord: [start, end]}",
        "formulation: superelement, geometric_stiffening: on, frame: {chord: [start, end]}",
        "frame: mean",
        "frame: centre",
    };
    for (int i = 0; i < LMB_COUNT(kinds); i += check_sampled() ? 3 : 1) {
        drift coarse = fly(kinds[i], 1e-6), fine = fly(kinds[i], 1e-9);
        check_note("%s: turn %.2f, energy %.1e %.1e, momentum %.1e %.1e, spin %.1e %.1e", kinds[i], fine.turn,
                   coarse.energy, fine.energy, coarse.momentum, fine.momentum, coarse.spin, fine.spin);
        CHECK(fine.turn > 0.25);
        CHECK(fine.energy < 2e-8 && fine.momentum < 1e-9 && fine.spin < 1e-9);
        CHECK(fine.energy < 0.1 * coarse.energy && fine.spin < 0.1 * coarse.spin);
    }
}

// ---- runs that once lost their mass ------------------------------------------------------------

// A thin beam sags by 3 % of its length and is free to twist.  In the chord frame, the motion sideways by the product of
// sag and twist outweighs the inertia of the twist, unless it is a square of its own.
TEST(sagging_beam_in_every_frame) {
    static const char *const kinds[] = {"frame: buckens", "frame: {chord: [start, end]}",
                                        "frame: {chord: [start, end]}, rotary_inertia: off",
                                        "frame: {chord: [start, end]}, geometric_stiffening: off"};
    double tip[LMB_COUNT(kinds)] = {0};
    for (int i = 0; i < LMB_COUNT(kinds); i++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {type: beam, length: 1, section: {A: "
                "1e-4, Iy: 4e-10, Iz: 4e-10, J: 8e-10, ky: 1, kz: 1}, material: {E: 1e11, nu: 0.3, "
                "density: 1e4}, shapes: guyan, %s}}\n"
                "joints: {root: {type: fixed, between: [ground, a.start]}}\nsensors: {tip: {type: "
                "position, of: a.end}}\nanalyses: [{type: dynamics, until: 0.3, tolerance: 1e-6}]\n",
                kinds[i]))
            tip[i] = sensor(&m, "tip.y");
        unload(&m);
        CHECK_NEAR(tip[i], tip[0], 1e-3); // of 0.06 m: second order in the slope
    }
    check_note("%g %g %g %g", tip[0], tip[1], tip[2], tip[3]);
}

// A pendulum that bends: in the tangent frame at its hinge twelve modes nearly contain the swing.  %s: frame
TEST(pendulum_with_many_modes_in_every_frame) {
    double tip[LMB_COUNT(frames)][2] = {{0}};
    for (int i = 0; i < LMB_COUNT(frames); i++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {type: beam, length: 1, section: {rectangle: "
                "[20 mm, 10 mm]}, material: {E: 1e8, nu: 0.3, density: 2000}, elements: 16, shapes: {eigen: "
                "12}, frame: %s}}\njoints: {pin: {type: revolute, between: [ground, a.start], axis: [0, 0, "
                "1]}}\nsensors: {tip: {type: position, of: a.end}, e: {type: energy}}\n"
                "analyses: [{type: dynamics, until: 1, tolerance: 1e-6}]\n",
                frames[i])) {
            tip[i][0] = sensor(&m, "tip.x"), tip[i][1] = sensor(&m, "tip.y");
            CHECK_NEAR(sensor(&m, "e.balance"), 0, 1e-3); // of 2 J
        }
        unload(&m);
        check_note("%s: %g %g", frames[i], tip[i][0], tip[i][1]);
        CHECK(hypot(tip[i][0] - tip[0][0], tip[i][1] - tip[0][1]) < 1e-3); // of 1 m
    }
}

// ---- second order ------------------------------------------------------------------------------

// the mass matrix at q0 + sign q, frame at the origin
static void mass_at(double *M, lmb_data *d, const lmb_model *m, const double *q, double sign) {
    const lmb_body *b = &m->bodies[0];
    lmb_data_reset(d);
    lmb_axpy(d->q + b->iq + 7, sign, q, b->n - 6);
    lmb_update(d, m);
    mass_of(M, d, b);
}

// q.A q
static double form_of(const double *A, const double *q, int m) {
    double sum = 0;
    for (int i = 0; i < m; i++) sum += q[i] * lmb_dot(A + i * m, q, m);
    return sum;
}

// M and J beyond their linear parts are geometric stiffness of inertia loads: docs/theory/modal.md (3)
static void check_second_order(lmb_data *d, const lmb_model *of) {
    const lmb_flex *f = of->bodies[0].ops->look.flex(&of->bodies[0]);
    int m = f->m, n = 6 + m, mm = m * m;
    double *M0 = lmb_alloc((size_t)(3 * n * n + m), sizeof *M0), *M1 = M0 + n * n, *M2 = M1 + n * n,
           *q = M2 + n * n;
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
    bend(d, of, 1e-3);
    memcpy(q, d->q + of->bodies[0].iq + 7, (size_t)m * sizeof *q);
    mass_at(M0, d, of, q, 0), mass_at(M1, d, of, q, 1), mass_at(M2, d, of, q, -1);
    double size[3] = {0}, off[3] = {0}; // momentum, angular momentum, moments of inertia
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < m; i++) {
            double A = lmb_dot(f->stiffening[6 + a].Kg + i * m, q, m),
                   B = lmb_dot(f->stiffening[9 + a].Kg + i * m, q, m);
            for (int l = 0; l < m; l++) B += f->I5[3 * (l * m + i) + a] * q[l];
            double p = (M1[a * n + 6 + i] - M2[a * n + 6 + i]) / 2,
                   h = (M1[(3 + a) * n + 6 + i] - M2[(3 + a) * n + 6 + i]) / 2;
            size[0] = fmax(size[0], fabs(A)), off[0] = fmax(off[0], fabs(p - A));
            size[1] = fmax(size[1], fabs(B)), off[1] = fmax(off[1], fabs(h - B));
        }
    for (int k = 0; k < 6; k++) {
        int a = pairs[k][0], b = pairs[k][1], at = (3 + a) * n + 3 + b;
        double J = -(k < 3 ? 1 : 0.5) * form_of(f->stiffening[k].Kg, q, m);
        for (int e = 0; e < mm; e++) J -= f->I9[9 * e + 3 * a + b] * q[e / m] * q[e % m];
        size[2] = fmax(size[2], fabs(J)), off[2] = fmax(off[2], fabs((M1[at] + M2[at]) / 2 - M0[at] - J));
    }
    for (int k = 0; k < 3; k++) CHECK_NEAR(off[k] / size[k], 0, 1e-5); // third and fourth order, 1e-3^2
    lmb_free(M0);
}

TEST(second_order_is_geometric_stiffness) {
    for (int i = 0; i < LMB_COUNT(bodies); i++)
        for (int k = 0; k < 3 && strstr(bodies[i], "superelement") == NULL; k++) {
            model m;
            lmb_data *d;
            if (open_body(&m, &d, bodies[i], frames[k]))
                for (int s = 0; s < 3; s++) check_second_order(d, m.s->program->model);
            lmb_data_destroy(d);
            unload(&m);
        }
}

// ---- frames by default -------------------------------------------------------------------------

// the mass matrix of the undeformed body in the default frame and in a given one
static void check_default(const char *body, const char *frame) {
    static const char *const texts[2] = {"", ", frame: "};
    double *M[2] = {NULL, NULL};
    int n[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        model m;
        lmb_data *d = NULL;
        lmb_error err = {0};
        if (load(&m, "limber: 1\nbodies: {b: {%s%s%s}}\nanalyses: [{type: dynamics, until: 1}]\n", body,
                 texts[i], i ? frame : "") &&
            CHECK_OK(lmb_data_create(&d, m.s->program->model, &err), err)) {
            const lmb_body *b = &m.s->program->model->bodies[0];
            n[i] = b->n, M[i] = lmb_alloc((size_t)(b->n * b->n), sizeof **M);
            bend(d, m.s->program->model, 0), mass_of(M[i], d, b);
        }
        lmb_data_destroy(d);
        unload(&m);
    }
    bool same = CHECK(n[0] > 6 && n[0] == n[1]);
    for (int k = 0; same && k < n[0] * n[0]; k++) same = CHECK(M[0][k] == M[1][k]);
    if (!same) check_note("%s: not %s", body, frame);
    lmb_free(M[0]), lmb_free(M[1]);
}

TEST(chord_of_two_interfaces_else_mean_axes) {
#define THREE ", interfaces: {a: {at: [0, 0, 0]}, b: {at: [0.5, 0, 0]}, c: {at: [1, 0, 0]}}"
    check_default(BEAM, "{chord: [start, end]}");
    check_default(BEAM ", parts: 2", "{chord: [start, end]}");
    check_default(BEAM THREE, "buckens");
    check_default(BEAM ", formulation: superelement", "{chord: [start, end]}, geometric_stiffening: on");
    check_default(BEAM THREE ", formulation: superelement", "buckens, geometric_stiffening: on");
}
