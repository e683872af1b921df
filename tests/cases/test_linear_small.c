// State spaces: A, B, C, D against differences of the nonlinear equations between consistent states.
#include "compiled_model.h"
#include "linalg/symmetric.h"
#include "solve/axes.h"
#include "solve/plant.h"
#include "system/follow.h"

#include <stdio.h>

// ---- neighbouring states -----------------------------------------------------------------------

typedef struct shaker {
    lmb_program *p;
    const lmb_model *m;
    lmb_data *d, *to;
    lmb_work *w;
    lmb_plant *plant;
    lmb_axes *axes, *axes_to;
    double *G, *A, *tau, *b, *y, *x, *rate, *Phi, *step; // A: dependent columns of G in scales
    int *perm, *dep, count, rank;
    double *result; // x'' of z, rates of states, outputs
} shaker;

static bool open_shaker(shaker *k, model *m) {
    lmb_error err = {0};
    *k = (shaker){.p = m->p, .m = m->p->model, .d = m->d};
    size_t ny = (size_t)k->m->ny, nc = (size_t)k->m->nc, nu = (size_t)k->m->external_count;
    if (!CHECK_OK(lmb_work_create(&k->w, k->m, &err), err) ||
        !CHECK_OK(lmb_data_create(&k->to, k->m, &err), err) ||
        !CHECK_OK(lmb_plant_create(&k->plant, k->w, k->d, m->p, LMB_FRAME_GROUND, LMB_NOWHERE, &err), err))
        return false;
    k->axes = lmb_alloc(2 * (size_t)k->m->block_count + 1, sizeof *k->axes);
    k->axes_to = k->axes + k->m->block_count;
    k->G = lmb_alloc(3 * nc * ny + 2 * nc * nu + 4 * (nc + ny) + 1, sizeof *k->G);
    double *rate = k->G + nc * ny, *f_u = rate + nc * ny;
    k->A = f_u + 2 * nc * nu, k->tau = k->A + nc * ny, k->b = k->tau + nc + ny;
    k->y = lmb_alloc(5 * ny + nc + 1, sizeof *k->y);
    k->x = k->y + ny, k->rate = k->x + ny, k->step = k->rate + ny, k->Phi = k->step + ny;
    k->perm = lmb_alloc(2 * ny + 1, sizeof *k->perm), k->dep = k->perm + ny;
    k->result = lmb_alloc(4 * (ny + (size_t)m->p->output_count) + 1, sizeof *k->result);
    lmb_increments *l;
    if (!CHECK_OK(lmb_increments_create(&l, k->w, k->d, LMB_FRAME_GROUND, &err), err)) return false;
    lmb_increments_rows(k->G, rate, f_u, f_u + nc * nu, l);
    lmb_increments_destroy(l);
    lmb_axes_fill(k->axes, k->m, k->d, LMB_FRAME_GROUND);
    const lmb_minimal *z = &k->plant->z;
    for (int i = 0, n = 0; i < k->m->ny; i++) {
        if (n < z->count && z->z[n] == i) n++;
        else if (k->m->blocks[k->m->y_block[i]].kind != LMB_BLOCK_STATE) k->dep[k->count++] = i;
    }
    for (size_t r = 0; r < nc; r++)
        for (int c = 0; c < k->count; c++)
            k->A[r * (size_t)k->count + (size_t)c] =
                k->G[r * ny + (size_t)k->dep[c]] * k->m->y_scale[k->dep[c]];
    if (k->count) k->rank = lmb_dense_qr(k->A, k->tau, k->perm, k->m->nc, k->count, 1e-9);
    return true;
}

static void close_shaker(shaker *k) {
    lmb_plant_destroy(k->plant);
    lmb_work_destroy(k->w);
    lmb_data_destroy(k->to);
    lmb_free(k->axes), lmb_free(k->G), lmb_free(k->y), lmb_free(k->perm), lmb_free(k->result);
}

// dependent entries of x (or x') -= what closes the gap k->Phi
static double correct(shaker *k, double *x) {
    double worst = 0, dx[2000];
    if (k->rank == 0) return 0;
    memcpy(k->b, k->Phi, (size_t)k->m->nc * sizeof *k->b);
    lmb_dense_qr_solve(dx, k->b, k->A, k->tau, k->perm, k->m->nc, k->count, k->rank);
    for (int c = 0; c < k->count; c++) {
        x[k->dep[c]] -= dx[c] * k->m->y_scale[k->dep[c]];
        worst = fmax(worst, fabs(dx[c]));
    }
    return worst;
}

static void place(shaker *k, double *q_step, const double *x) {
    memset(q_step, 0, (size_t)k->m->ny * sizeof *q_step);
    lmb_axes_vector(q_step, 1, x, k->m, k->axes, LMB_AXES(S), 1);
    for (int i = 0; i < k->m->ny; i++)
        if (k->m->blocks[k->m->y_block[i]].kind == LMB_BLOCK_STATE) q_step[i] = 0;
    lmb_positions_move(k->to->q, k->m, k->d->q, q_step);
}

static void speed(shaker *k) {
    double turned[2000] = {0};
    lmb_velocity_get(k->y, k->m, k->d);
    lmb_axes_vector(k->y, 1, k->rate, k->m, k->axes, LMB_AXES(S), 1);
    lmb_axes_vector(turned, 1, k->x, k->m, k->axes, LMB_AXES(B0), 0);
    lmb_axes_vector(k->y, 1, turned, k->m, k->axes, LMB_AXES(S), 1);
    lmb_velocity_set(k->to, k->m, k->y);
}

// The consistent state h away from d: column c of A, or of B where c = -1 - e.  Its accelerations, in the axes, and outputs.
static void shake(double *out, shaker *k, int c, double h) {
    const lmb_model *m = k->m;
    const lmb_plant *p = k->plant;
    int nz = p->z.count, ns = p->z.states;
    size_t ny = (size_t)m->ny;
    lmb_data_copy(k->to, k->d);
    memset(k->x, 0, 2 * ny * sizeof *k->x);
    if (c >= 0 && c < nz) {
        lmb_axpy(k->x, h, p->z.Z + (size_t)c * ny, m->ny);
        k->rate[p->z.z[c]] = 0;
    } else if (c >= nz && c < 2 * nz) k->rate[p->z.z[c - nz]] = h;
    else if (c >= 2 * nz && c < 2 * nz + ns) k->rate[p->z.state[c - 2 * nz]] = h;
    for (int e = 0; e < m->external_count; e++) {
        double *u = k->to->external + LMB_EXTERNAL_COUNT * e;
        if (c == -1 - e && p->drives[e] < 0) u[LMB_EXTERNAL_VALUE] += h;
        if (p->drives[e] >= 0 && c == p->drives[e]) u[LMB_EXTERNAL_VALUE] += h;
        if (p->drives[e] >= 0 && c == p->drives[e] + 1) { // its value stays
            u[LMB_EXTERNAL_RATE] += h * m->units.time;
            u[LMB_EXTERNAL_VALUE] -= h * (*k->d->time - u[LMB_EXTERNAL_SINCE] * m->units.time);
        }
    }
    double left = 1;
    for (int i = 0; i < 30 && left > 1e-15; i++) {
        place(k, k->step, k->x);
        speed(k);
        CHECK(lmb_update(k->to, m) == LMB_OK);
        lmb_constraints(k->Phi, m, k->to);
        left = correct(k, k->x);
    }
    for (int i = 0; i < 30; i++) {
        place(k, k->step, k->x);
        speed(k);
        CHECK(lmb_update(k->to, m) == LMB_OK);
        lmb_constraint_rates(k->Phi, m, k->to);
        if (correct(k, k->rate) < 1e-14) break;
    }
    CHECK(lmb_accelerations(k->w, k->to) == LMB_OK);
    double energies[LMB_ENERGY_COUNT], *values = lmb_alloc((size_t)k->p->channel_count + 1, sizeof *values);
    lmb_energy_row(energies, m, k->to);
    lmb_channels_get(values, k->p->channels, k->p->channel_count, m, k->to, energies);
    for (int i = 0; i < m->ny; i++) k->y[i] = k->to->a[m->y_v[i]];
    for (int i = 0; i < m->ny; i++) out[i] = k->y[i];
    for (int i = 0; i < k->p->output_count; i++) out[m->ny + i] = values[k->p->outputs[i]];
    lmb_free(values);
}

// x'' from da = S (x'' + A1 x' + A0 x) and the linear x, x' of the direction
static void to_axes(double *a, shaker *k, int c) {
    const lmb_model *m = k->m;
    const lmb_plant *p = k->plant;
    size_t ny = (size_t)m->ny;
    int nz = p->z.count;
    double x[2000] = {0}, rate[2000] = {0};
    if (c >= 0 && c < nz)
        memcpy(x, p->z.Z + (size_t)c * ny, ny * sizeof *x),
            memcpy(rate, p->z.Z_rate + (size_t)c * ny, ny * sizeof *x);
    else if (c >= nz && c < 2 * nz) memcpy(rate, p->z.Z + (size_t)(c - nz) * ny, ny * sizeof *x);
    for (int e = 0; e < m->external_count; e++) {
        if (p->drives[e] < 0) continue;
        if (c == p->drives[e])
            memcpy(x, p->z.P + (size_t)e * ny, ny * sizeof *x),
                memcpy(rate, p->z.P_rate + (size_t)e * ny, ny * sizeof *x);
        if (c == p->drives[e] + 1) memcpy(rate, p->z.P + (size_t)e * ny, ny * sizeof *x);
    }
    lmb_axes_back(a, m, k->axes);
    lmb_axes_vector(a, -1, rate, m, k->axes, LMB_AXES(A1), 0);
    lmb_axes_vector(a, -1, x, m, k->axes, LMB_AXES(A0), 0);
}

// d/dh by (4 D(h/2) - D(h))/3
static void slope(double *out, shaker *k, int c, double h) {
    int n = k->m->ny + k->p->output_count;
    double *a = lmb_alloc(4 * (size_t)n, sizeof *a), *b = a + n;
    shake(a, k, c, h), shake(b, k, c, -h);
    for (int i = 0; i < n; i++) out[i] = -(a[i] - b[i]) / (2 * h) / 3;
    shake(a, k, c, h / 2), shake(b, k, c, -h / 2);
    for (int i = 0; i < n; i++) out[i] += 4 * (a[i] - b[i]) / h / 3;
    lmb_free(a);
    to_axes(out, k, c);
}

static double direction_size(const shaker *k, int c) {
    const lmb_minimal *z = &k->plant->z;
    double size = 0;
    if (c < 0 || c >= 2 * z->count) return 1;
    for (int i = 0; i < k->m->ny; i++)
        size =
            fmax(size, fabs(z->Z[(size_t)(c % z->count) * (size_t)k->m->ny + (size_t)i]) / k->m->y_scale[i]);
    return size;
}

// The largest stress or strain of a section, and principal strains, are far from linear in what changes their sign: a step that is small beside the deformation
static bool is_stress(const char *name) {
    static const char *const parts[] = {".stress", ".mises", ".e1", ".e2", ".angle"};
    for (int i = 0; i < LMB_COUNT(parts); i++)
        if (strstr(name, parts[i])) return true;
    return strcmp(name, "e1") == 0 || strncmp(name, "big.", 4) == 0;
}

static double row_size(const double *rows, int i, int all) {
    double largest = 0;
    for (int c = 0; c < all; c++) largest = fmax(largest, fabs(rows[i * all + c]));
    return largest;
}

// the largest error of a column of A and C (or B and D), relative to the largest entries of their rows over all columns
static void compare(const char *name, shaker *k, double limit) {
    const lmb_plant *p = k->plant;
    int n = p->states, nz = p->z.count, all = n + p->inputs, rows = nz + p->z.states + p->outputs;
    double *exact = lmb_alloc(2 * (size_t)(k->m->ny + p->outputs) + 2 * (size_t)rows * (size_t)all + 1,
                              sizeof *exact),
           *fine = exact + k->m->ny + p->outputs, *ours = fine + k->m->ny + p->outputs,
           *theirs = ours + rows * all, worst = 0;
    const char *where = "", *whose = "";
    for (int c = 0; c < all; c++) {
        int column = c < n ? c : -1 - (c - n);
        if (c >= n && p->drives[c - n] >= 0) { // no value of an input has this second rate
            for (int i = 0; i < rows; i++) ours[i * all + c] = theirs[i * all + c] = 0;
            continue;
        }
        double size = direction_size(k, column), h = 1e-3 / size;
        slope(exact, k, column, h);
        slope(fine, k, column, h / 2500);
        for (int i = 0; i < p->outputs; i++)
            if (is_stress(p->output[i])) exact[k->m->ny + i] = fine[k->m->ny + i];
        for (int i = 0; i < rows; i++) {
            int at = i < nz                 ? p->z.z[i]
                     : i < nz + p->z.states ? p->z.state[i - nz]
                                            : k->m->ny + i - nz - p->z.states;
            int row = nz + i, out = i - nz - p->z.states;
            theirs[i * all + c] = exact[at] / size;
            ours[i * all + c] = (out < 0 ? (c < n ? p->A[row * n + c] : p->B[row * p->inputs + c - n])
                                         : (c < n ? p->C[out * n + c] : p->D[out * p->inputs + c - n])) /
                                size;
        }
    }
    for (int i = 0; i < rows; i++) {
        double largest = row_size(theirs, i, all);
        int first = nz + p->z.states;
        for (int j = first; i >= first && j < rows;
             j++) // zeros of redundant joints are rounding errors of the others
            if (strcmp(p->output_unit[j - first], p->output_unit[i - first]) == 0)
                largest = fmax(largest, 1e-3 * row_size(theirs, j, all));
        for (int c = 0; c < all; c++) {
            double e = fabs(ours[i * all + c] - theirs[i * all + c]) / fmax(largest, 1e-3);
            if (!(e <= worst)) {
                worst = e, where = c < n ? p->state[c] : p->input[c - n];
                whose = i < nz + p->z.states ? p->state[nz + i] : p->output[i - nz - p->z.states];
                check_note("%s: %s by %s: %.12g instead of %.12g, largest %.3g", name, whose, where,
                           ours[i * all + c], theirs[i * all + c], largest);
            }
        }
    }
    CHECK_NEAR(worst, 0, limit);
    lmb_free(exact);
}

static void check_model(const char *name, const char *text, int analyses, double limit) {
    model m;
    shaker k;
    lmb_error err = {0};
    lmb_status st = compile(&m, text, &err);
    for (int i = 0; st == LMB_OK && i < analyses; i++) {
        lmb_run_destroy(m.run), m.run = NULL;
        st = lmb_run_create(&m.run, m.p, &m.p->analyses[i], m.d, &err);
        if (st == LMB_OK) st = lmb_run_all(m.run, NULL, &err);
    }
    if (CHECK_OK(st, err) && open_shaker(&k, &m)) {
        compare(name, &k, limit);
        close_shaker(&k);
    }
    close_model(&m);
}

TEST(four_bar_that_moves) {
    check_model(
        "four bar",
        "limber: 1\ngravity: [0, -9.81, 0]\ninputs: {torque: 0.3, pull: {start: 2, unit: N}}\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.001, 0.01, 0.01], at: [0, 0.1, 0], rotate: {z: 90 deg}}\n"
        "  rod: {mass: 0.7, inertia: [0.001, 0.02, 0.02], at: [0.25, 0.3, 0], rotate: {z: 21.8 deg}}\n"
        "  rocker: {mass: 1, inertia: [0.001, 0.02, 0.02], at: [0.5, 0.2, 0], rotate: {z: 90 deg}, markers: "
        "{mid: [0.05, 0.02, 0]}}\n"
        "joints:\n"
        "  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], start: {angle_rate: "
        "3}}\n"
        "  b: {type: revolute, between: [crank, rod], at: [0, 0.2, 0], axis: [0, 0, 1]}\n"
        "  c: {type: revolute, between: [rod, rocker], at: [0.5, 0.4, 0], axis: [0, 0, 1]}\n"
        "  d: {type: revolute, between: [ground, rocker], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
        "markers: {wall: {on: ground, at: [0.8, 0.5, 0]}}\n"
        "signals:\n  soft: {type: lag, input: torque, time: 0.05}\n  more: 2*soft + 0.1*sin(torque)\n"
        "forces:\n  motor: {type: torque, on: crank, axis: [0, 0, 1], value: more*(1 + 0.1*a.angle_rate)}\n"
        "  push: {type: force, on: rocker.mid, value: [pull, 0.1*pull^2, 0]}\n"
        "  spring: {type: spring, between: [wall, rocker.mid], stiffness: 40, damping: 2, length: 0.4}\n"
        "sensors:\n  p: {type: position, of: rocker.mid}\n  v: {type: velocity, of: rocker.mid}\n"
        "  acc: {type: acceleration, of: rocker.mid}\n  o: {type: orientation, of: rocker.mid}\n"
        "  w: {type: angular_velocity, of: rocker.mid}\n  dw: {type: angular_acceleration, of: rocker.mid}\n"
        "  dist: {type: distance, between: [wall, rocker.mid]}\n  ang: {type: coordinate, of: d}\n"
        "  angle: {type: angle, between: [crank, rocker], derivative: 1}\n"
        "  r: {type: reaction, of: b}\n  f: {type: force, of: spring, in: marker}\n  e: {type: energy}\n"
        "  x: 3*ang^2 + pull\n  disp: {type: displacement, of: rocker.mid}\n"
        "analyses: [{type: dynamics, until: 0.05}]\n",
        1, 2e-6);
}

// a crank drives a flexible rod and a slider; the rod in every formulation, with every way to close joints
static void slider_crank(const char *formulation, const char *analysis, const char *more, double limit) {
    char text[6000];
    snprintf(
        text, sizeof text,
        "limber: 1\ngravity: [0, -9.81, 0]\ninputs: {torque: 0.2, push: -3}\n"
        "bodies:\n"
        "  crank: {mass: 0.5, inertia: [0.001, 0.002, 0.002], at: [0, 0, 0], markers: {end: [0.1, 0.1, 0]}}\n"
        "  rod: {type: beam, at: [0.1, 0.1, 0], rotate: {z: -14.036243467926479 deg}, length: "
        "0.41231056256176607, "
        "material: {E: 2e9, nu: 0.3, density: 2700}, %s}\n"
        "  slider: {mass: 0.3, inertia: 1e-3, at: [0.5, 0, 0]}\n"
        "joints:\n"
        "  main: {type: revolute, between: [ground, crank], axis: [0, 0, 1], start: {angle_rate: 4}}\n"
        "  pin: {type: revolute, between: [crank.end, rod.start], axis: [0, 0, 1]}\n"
        "  slide: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
        "  wrist: {type: spherical, between: [rod.end, slider]}\n"
        "forces:\n  motor: {type: torque, on: crank, axis: [0, 0, 1], value: torque}\n"
        "  push: {type: force, on: slider, value: [push, 0, 0]}\n"
        "sensors:\n  p: {type: position, of: rod.end}\n  a: {type: acceleration, of: slider}\n"
        "  r: {type: reaction, of: main}\n  angle: {type: coordinate, of: main}\n  e: {type: energy, of: "
        "kinetic}\n"
        "%sanalyses: [%s]\n",
        formulation, more, analysis);
    check_model(formulation, text, 1, limit);
}

TEST(flexible_bodies) {
#define FLAT "section: {rectangle: [0.02, 0.01]}, "
    static const char *const bodies[] = {FLAT "shapes: {craig_bampton: 2}", FLAT "formulation: superelement",
                                         FLAT "formulation: rigid", FLAT "formulation: lumped, parts: 3",
                                         FLAT "formulation: ancf, elements: 2"};
    for (int i = 0; i < LMB_COUNT(bodies); i++) {
        const char *stress = i < 2 ? "  sec: {type: section, of: rod.start}\n  e1: {type: strain, of: "
                                     "rod.start}\n  dis: {type: displacement, of: rod.end}\n"
                                   : "";
        slider_crank(bodies[i], "{type: dynamics, until: 0.02}", stress, 3e-6);
        slider_crank(bodies[i], "{type: dynamics, until: 0.02, formalism: elimination}", stress, 3e-6);
    }
}

// a bent and twisted rod, so that the principal directions of the gauges are far from turning over: gauges beside the neutral axis, and the
// largest stress, which a pull keeps at its place: without it both sides of the rod have the same
TEST(rosettes_and_largest_stresses) {
    static const char *const bodies[] = {"shapes: {craig_bampton: 2}", "formulation: superelement"};
    for (int i = 0; i < LMB_COUNT(bodies); i++) {
        char text[3000];
        snprintf(
            text, sizeof text,
            "limber: 1\ninputs: {fx: 400, fy: 5, fz: 2, twist: 0.4}\nbodies:\n"
            "  rod: {type: beam, length: 0.4, section: {circle: 16 mm}, material: {E: 2e9, nu: 0.3, density: "
            "2700}, %s}\n"
            "joints:\n  wall: {type: fixed, between: [ground, rod.start]}\n"
            "forces:\n  bend: {type: force, on: rod.end, value: [fx, fy, fz]}\n"
            "  turn: {type: torque, on: rod.end, axis: [1, 0, 0], value: twist}\n"
            "sensors:\n  delta: {type: strain, of: rod.start, rosette: delta, point: [6e-3, 5e-3]}\n"
            "  square: {type: strain, of: rod.start, rosette: rectangular, point: [0, -8e-3]}\n"
            "  big: {type: largest_stress, of: rod}\n"
            "analyses: [{type: statics}]\n",
            bodies[i]);
        check_model(bodies[i], text, 1, 3e-6);
    }
}

// u, u' and u'' of an input that drives a motion, beside one that is multiplied by time; units are mm
#define DRIVEN(motion, more)                                                                                 \
    "limber: 1\nunits: mm-t-s\ngravity: [0, -9810, 0]\ninputs: {drive: 0.2, other: {start: 1.5, unit: "      \
    "rad}, lift: 30}\n"                                                                                      \
    "bodies:\n"                                                                                              \
    "  arm: {mass: 2e-3, inertia: [10, 40, 40], at: [100, 0, 0], markers: {end: [100, 0, 0]}}\n"             \
    "  fore: {mass: 1e-3, inertia: [5, 30, 30], at: [300, 0, 0], markers: {tip: [120, 5, 0]}}\n"             \
    "joints:\n"                                                                                              \
    "  shoulder: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], motion: \"" motion \
    "\"}\n"                                                                                                  \
    "  elbow: {type: revolute, between: [arm.end, fore], axis: [0, 0, 1], spring: {stiffness: 2e4, "         \
    "damping: 300}, start: {angle_rate: 2}}\n"                                                               \
    "forces: {push: {type: force, on: fore.tip, frame: body, value: [0, \"lift*drive\", 0]}}\n"              \
    "sensors:\n  tip: {type: position, of: fore.tip}\n  v: {type: velocity, of: fore.tip}\n  a: {type: "     \
    "acceleration, of: fore.tip}\n"                                                                          \
    "  r: {type: reaction, of: shoulder}\n  shoulder: {type: coordinate, of: shoulder, derivative: 1}\n"     \
    "analyses: [" more "]\n"

TEST(inputs_drive_motions) {
    static const char *const analyses[] = {"{type: dynamics, until: 0.03}",
                                           "{type: dynamics, until: 0.03, formalism: elimination}"};
    for (int i = 0; i < 2; i++) {
        char text[6000];
        snprintf(text, sizeof text, DRIVEN("drive + 0.3*other*t + 0.05*sin(drive*other)*t", "%s"),
                 analyses[i]);
        check_model("driven", text, 1, 3e-6);
    }
}

// the column of u'' is that of c in a motion with c t^2/2 at t = 0
TEST(second_rate_of_an_input) {
    lmb_error err = {0};
    double outputs[3][64];
    lmb_plant *p = NULL;
    model m[3];
    for (int i = 0; i < 3; i++) {
        char text[6000];
        snprintf(text, sizeof text, DRIVEN("1.2*drive + 0.4 + %d*t^2/2", "{type: dynamics, until: 0.03}"),
                 i - 1);
        lmb_work *w = NULL;
        lmb_assembly a;
        if (!CHECK_OK(compile(&m[i], text, &err), err)) return;
        const lmb_program *k = m[i].p;
        if (!CHECK(lmb_work_create(&w, k->model, &err) == LMB_OK &&
                   lmb_assemble(&a, w, m[i].d, &err) == LMB_OK && lmb_accelerations(w, m[i].d) == LMB_OK))
            return;
        double energies[LMB_ENERGY_COUNT], values[64];
        lmb_energy_row(energies, k->model, m[i].d);
        lmb_channels_get(values, k->channels, k->channel_count, k->model, m[i].d, energies);
        for (int n = 0; n < k->output_count; n++) outputs[i][n] = values[k->outputs[n]];
        if (i == 1) CHECK_OK(lmb_plant_create(&p, w, m[i].d, k, LMB_FRAME_GROUND, LMB_NOWHERE, &err), err);
        lmb_work_destroy(w);
    }
    if (CHECK(p && p->outputs >= 16 && p->drives[0] == 2 && p->states == 4)) {
        CHECK_TEXT(p->input[0], "drive_acceleration");
        CHECK_TEXT(p->state[3], "drive_rate");
        for (int n = 0; n < p->outputs; n++) {
            double exact = 1.2 * (outputs[2][n] - outputs[0][n]) / 2;
            if (!CHECK_NEAR(p->D[n * p->inputs], exact, 1e-9 * fmax(fabs(exact), 1)))
                check_note("%s", p->output[n]);
        }
        CHECK_NEAR(fabs(p->D[6 * p->inputs + 1]), 0, 0); // no acceleration by the other input
    }
    lmb_plant_destroy(p);
    for (int i = 0; i < 3; i++) close_model(&m[i]);
}

// A solver for trees makes no entries of matrices.
TEST(trees) {
    char text[6000];
    int n = snprintf(text, sizeof text, "limber: 1\ngravity: [0, -9.81, 0]\ninputs: {pull: 1.5}\nbodies:\n");
    for (int i = 0; i < 8; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  b%d: {mass: 1, inertia: [0.01, 0.02, 0.03], at: [%g, 0, 0]}\n", i, i + 0.5);
    n += snprintf(text + n, sizeof text - (size_t)n, "joints:\n");
    for (int i = 0; i < 8; i++) {
        char before[16] = "ground";
        if (i) snprintf(before, sizeof before, "b%d", i - 1);
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  j%d: {type: revolute, between: [%s, b%d], at: [%d, 0, 0], axis: [0.1, %g, 1], "
                      "spring: {stiffness: 20}}\n",
                      i, before, i, i, 0.1 * i);
    }
    snprintf(text + n, sizeof text - (size_t)n,
             "forces: {pull: {type: force, on: b7, frame: body, value: [0, pull, 0.2]}}\n"
             "sensors: {tip: {type: position, of: b7}, a: {type: acceleration, of: b7}, r: {type: reaction, "
             "of: j0}}\n"
             "analyses: [{type: dynamics, until: 0.1, formalism: elimination}]\n");
    model m;
    lmb_error err = {0};
    if (CHECK_OK(compile(&m, text, &err), err)) CHECK(m.p->model->tree != NULL);
    close_model(&m);
    check_model("tree", text, 1, 3e-6);
}

// The modes of a state space are those of `modes`, also of what rotates: eigenvalues of A.
TEST(eigenvalues_of_a_state_space) {
    static const char *const texts[] = {
        // a disk on springs that are softer in one direction, as seen from the ground
        "limber: 1\nbodies: {disk: {mass: 3, inertia: [0.1, 0.05, 0.05], spin: [200, 0, 0]}}\nforces:\n"
        "  held: {type: bushing, between: [ground, disk], stiffness: [3e4, 5e4, 3e4], damping: [9, 9, 9], "
        "rotational_stiffness: [0, 200, 150]}\n"
        "sensors: {p: {type: position, of: disk}}\nanalyses: [{type: modes}, {type: linearise}]\n",
        // a rod that leans out of a shaft that turns: axes of the bodies
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  shaft: {mass: 2, inertia: [1, 1, 0.02]}\n  rod: {mass: 1, inertia: [0.03, 0.03, 1e-4], at: [0, 0, "
        "-0.3]}\n"
        "joints:\n  turn: {type: revolute, between: [ground, shaft], axis: [0, 0, 1], start: {angle_rate: "
        "3}}\n"
        "  hinge: {type: revolute, between: [shaft, rod], at: [0, 0, 0], axis: [0, 1, 0], spring: {damping: "
        "0.1}}\n"
        "sensors: {p: {type: position, of: rod}}\nanalyses: [{type: modes}, {type: linearise}]\n"};
    for (int i = 0; i < 2; i++) {
        model m;
        lmb_error err = {0};
        double known[40];
        int count = 0;
        if (!CHECK_OK(compile(&m, texts[i], &err), err)) return;
        for (int k = 0; k < 2; k++) {
            lmb_run_destroy(m.run), m.run = NULL;
            if (!CHECK_OK(lmb_run_create(&m.run, m.p, &m.p->analyses[k], m.d, &err), err) ||
                !CHECK_OK(lmb_run_all(m.run, NULL, &err), err))
                return;
            const lmb_mode_set *s = lmb_run_modes(m.run);
            if (k == 0) count = s->count;
            CHECK(s->count == count);
            for (int j = 0; j < count; j++)
                for (int c = 0; c < 2; c++) {
                    double v = s->values[j * LMB_MODE_COLUMNS + LMB_MODE_RE + c];
                    if (k == 0) known[2 * j + c] = v;
                    else CHECK_NEAR(v, known[2 * j + c], 1e-7 * (1 + fabs(known[2 * j + 1])));
                }
        }
        const lmb_plant *p = lmb_run_plant(m.run);
        CHECK(p->axes.frame == (i ? LMB_FRAME_BODY : LMB_FRAME_GROUND));
        int n = p->states;
        double *A = lmb_alloc(2 * (size_t)(n * n + n), sizeof *A), *V = A + n * n, *re = V + n * n,
               *im = re + n;
        memcpy(A, p->A, (size_t)(n * n) * sizeof *A);
        CHECK_OK(lmb_dense_eigen_general(re, im, V, A, n, &err), err);
        for (int j = 0; j < count; j++) {
            double gap = INFINITY;
            for (int c = 0; c < n; c++)
                gap = fmin(gap, hypot(re[c] - known[2 * j], im[c] - known[2 * j + 1]));
            CHECK_NEAR(gap, 0,
                       1e-5 * (1 + hypot(known[2 * j], known[2 * j + 1]))); // double zeros: roots of rounding
        }
        lmb_free(A);
        close_model(&m);
    }
}
