// tests/random/bodies.c: sizes, points and bodies of random models.
#include "maker.h"

#include <stdio.h>
#include <string.h>

// ---- numbers in the model's units ---------------------------------------------------------------

static double unit_of(const maker *k, int m, int l, int t) {
    return pow(k->mass, m) * pow(k->length, l) * pow(k->time, t);
}
double written(const maker *k, double x, int m, int l, int t) { return x / unit_of(k, m, l, t); }

void add_vector(lmb_text *out, const char *key, vec3 v) {
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

enum { SYSTEMS = LMB_COUNT(systems) };

const char *maker_sizes(maker *k) {
    dice *d = &k->d;
    int u = ((dice_chance(d, 0.5) ? 0 : dice_below(d, LMB_COUNT(systems))) + k->units_on) % SYSTEMS;
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

vec3 direction(maker *k) {
    vec3 v = dice_vector(&k->d);
    if (k->planar) v = v3(v.x, v.y, 0);
    if (k->planar && v3_norm(v) < 0.1) v = v3(1, 0, 0);
    v = v3_unit(v);
    return k->planar ? m3_mul_v3(&k->plane.R, v) : v;
}

vec3 axis(maker *k) {
    vec3 z = v3(0, 0, 1);
    return k->planar ? m3_mul_v3(&k->plane.R, z) : dice_vector(&k->d);
}

static vec3 near(maker *k, vec3 p) { return v3_madd(p, k->L * dice_in(&k->d, 0.4, 1.2), direction(k)); }

void marker_at(char *name, maker *k, int b, vec3 p) {
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
    if (o->flexible) {
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

vec3 some_point(maker *k, int b) {
    if (b < 0) return near(k, k->plane.r);
    const body *o = &k->bodies[b];
    if (o->flexible) return pose_point(&o->p, v3(dice_chance(&k->d, 0.8) ? o->length : 0, 0, 0));
    if (o->point_count > 0 && dice_chance(&k->d, 0.3))
        return pose_point(&o->p, o->point[dice_below(&k->d, o->point_count)]);
    return near(k, o->p.r);
}

// ---- bodies ---------------------------------------------------------------------------------------

static mat3 orientation(maker *k) {
    double angle = dice_in(&k->d, -3, 3);
    if (k->planar) return m3_mul(k->plane.R, q_matrix(q_exp(v3(0, 0, angle))));
    return q_matrix(q_exp(v3_scale(angle, dice_vector(&k->d))));
}

static void add_pose(maker *k, lmb_text *out, pose p) {
    quat q = q_from_matrix(p.R);
    add_vector(out, "at", v3_scale(1 / k->length, p.r));
    lmb_text_add(out, ", rotate: [%.17g, %.17g, %.17g, %.17g]", q.w, q.x, q.y, q.z);
}

static void add_velocity(maker *k, body *o) {
    dice *d = &k->d;
    if (dice_chance(d, 0.6)) return;
    vec3 v = v3_scale(dice_in(d, 0, 0.5) * k->L / k->T, direction(k));
    vec3 w = v3_scale(dice_in(d, 0, 2) / k->T, axis(k));
    o->v = v;
    add_vector(&o->keys, "velocity", v3_scale(k->time / k->length, v));
    if (!dice_chance(d, 0.7)) return;
    o->w = w;
    add_vector(&o->keys, "spin", v3_scale(k->time, w));
}

// mass and inertia of an ellipsoid; sometimes nearly a point, or a needle
static void make_rigid(maker *k, body *o, vec3 p) {
    dice *d = &k->d;
    double r[3], s = dice_chance(d, 0.1) ? 0.02 : 0.4;
    o->p = (pose){dice_chance(d, 0.9) ? near(k, p) : p, orientation(k)};
    o->mass = k->M * unlike(k);
    for (int i = 0; i < 3; i++) r[i] = s * k->L * dice_in(d, 0.2, 1);
    lmb_text_add(&o->keys, "mass: %.17g, inertia: [", written(k, o->mass, 1, 0, 0));
    o->J = v3_scale(o->mass / 5,
                    v3(r[1] * r[1] + r[2] * r[2], r[2] * r[2] + r[0] * r[0], r[0] * r[0] + r[1] * r[1]));
    double J = written(k, 1, 1, 2, 0);
    lmb_text_add(&o->keys, "%.17g, %.17g, %.17g]", J * o->J.x, J * o->J.y, J * o->J.z);
    if (dice_chance(d, 0.3)) {
        o->com = v3_scale(0.1 * k->L, k->planar ? v3(1, -0.5, 0) : v3(0.5, -1, 0.7));
        add_vector(&o->keys, "com", v3_scale(1 / k->length, o->com));
    }
    if (dice_chance(d, 0.15)) lmb_text_add(&o->keys, ", coordinates: relative");
}

// x_old = s + Q x_new:  r' = r + R s, R' = R Q, v' = v + w x R s, J' = Q' J Q
void write_turned(maker *k, lmb_text *out, pose *old, const body *o) {
    dice *d = &k->space;
    vec3 s = v3_scale(dice_in(d, 0.1, 0.5) * k->L, dice_vector(d)), Rs = m3_mul_v3(&o->p.R, s);
    mat3 Q = q_matrix(q_exp(v3_scale(dice_in(d, 0.5, 3), dice_vector(d)))),
         J = m3_tmul(Q, m3_mul(m3_diag(o->J.x, o->J.y, o->J.z), Q));
    double unit = written(k, 1, 1, 2, 0);
    *old = (pose){v3_neg(m3_tmul_v3(&Q, s)), m3_t(Q)};
    lmb_text_add(out, "mass: %.17g, inertia: [", written(k, o->mass, 1, 0, 0));
    for (int i = 0; i < 3; i++) lmb_text_add(out, "%.17g, ", unit * J.m[i][i]);
    lmb_text_add(out, "%.17g, %.17g, %.17g]", unit * J.m[0][1], unit * J.m[0][2], unit * J.m[1][2]);
    add_vector(out, "com", v3_scale(1 / k->length, pose_point(old, o->com)));
    if (strstr(o->keys.text, "coordinates: relative")) lmb_text_add(out, ", coordinates: relative");
    add_pose(k, out, (pose){v3_add(o->p.r, Rs), m3_mul(o->p.R, Q)});
    if (!strstr(o->keys.text, "velocity: ")) return;
    add_vector(out, "velocity", v3_scale(k->time / k->length, v3_add(o->v, v3_cross(o->w, Rs))));
    add_vector(out, "spin", v3_scale(k->time, o->w));
}

static const char *const formulations[] = {
    "",
    "shapes: guyan",
    "shapes: {craig_bampton: 2}",
    "shapes: {eigen: {count: 3, held: free}}, frame: buckens",
    "shapes: {craig_bampton: 1}, frame: {chord: [start, end]}",
    "shapes: guyan, frame: {tangent: start}",
    "shapes: guyan, parts: 2",
    "coordinates: relative, shapes: guyan",
    "formulation: rigid",
    "formulation: superelement",
    "formulation: superelement, parts: 2",
    "formulation: superelement, shapes: {craig_bampton: 2}",
    "formulation: ancf",
    "formulation: ancf, element: cable",
    "formulation: ancf, element: full",
    "formulation: lumped",
};

// Young's modulus with which a cantilever bends at a frequency: omega = 3.52 sqrt(EI/(rho A l^4))
static double young(const body *o, double rho_A, double I, double frequency) {
    double omega = 2 * LMB_PI * frequency;
    return omega * omega / 12.4 * rho_A * pow(o->length, 4) / I;
}

// a beam that bends with a period of a part of T
static void make_beam(maker *k, body *o, vec3 p) {
    dice *d = &k->d;
    o->flexible = true;
    o->length = k->L * dice_in(d, 0.5, 1.2);
    o->p = (pose){p, orientation(k)};
    double thick = o->length * dice_log(d, 0.03, 0.15), A = LMB_PI * thick * thick / 4,
           I = A * thick * thick / 16;
    double density = k->M * dice_log(d, 0.3, 3) / (A * o->length),
           E = young(o, density * A, I, dice_log(d, 0.7, dice_chance(d, 0.1) ? 30 : 4) / k->T);
    const char *keys = formulations[dice_below(d, LMB_COUNT(formulations))];
    o->mass = density * A * o->length;
    o->slides = !strstr(keys, "superelement") && !strstr(keys, "ancf") && !strstr(keys, "lumped");
    lmb_text_add(&o->keys, "type: beam, length: %.17g, section: {circle: %.17g}, ", length_of(k, o->length),
                 length_of(k, thick));
    lmb_text_add(&o->keys, "material: {E: %.17g, nu: 0.3, density: %.17g}, ", written(k, E, 1, -1, -2),
                 written(k, density, 1, -3, 0));
    o->from = strlen(o->keys.text);
    lmb_text_add(&o->keys, "elements: %d%s%s", 2 * (1 + dice_below(d, 3)), keys[0] ? ", " : "", keys);
    if (dice_chance(d, 0.5) && !strstr(keys, "ancf") && !strstr(keys, "lumped"))
        lmb_text_add(&o->keys, ", damping: %.3g", dice_log(d, 0.005, 0.1));
    o->to = strlen(o->keys.text);
}

// ---- meshes --------------------------------------------------------------------------------------

static const char *const mesh_formulations[] = {
    "",
    "shapes: guyan",
    "shapes: {craig_bampton: 2}",
    "shapes: {eigen: {count: 3, held: free}}, frame: buckens",
    "shapes: guyan, frame: {tangent: start}",
    "coordinates: relative, shapes: guyan",
    "formulation: rigid",
    "formulation: superelement",
    "formulation: superelement, shapes: {craig_bampton: 2}",
};

// corners and middles of edges of a brick, in half edges
static const int brick[20][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2}, {2, 0, 2}, {2, 2, 2},
                                 {0, 2, 2}, {1, 0, 0}, {2, 1, 0}, {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2},
                                 {1, 2, 2}, {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};

static int odd_count(int i, int j, int k) { return i % 2 + j % 2 + k % 2; }
static int node_at(int i, int j, int k) { return 1 + 9 * i + 3 * j + k; }

static void write_nodes(FILE *f, int elements, int most_odd, double step, double half) {
    fprintf(f, "*NODE\n");
    for (int i = 0; i <= 2 * elements; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                if (odd_count(i, j, k) <= most_odd)
                    fprintf(f, "%d, %.17g, %.17g, %.17g\n", node_at(i, j, k), i * step, (j - 1) * half,
                            (k - 1) * half);
}

static void write_set(FILE *f, const char *name, int i, int most_odd) {
    fprintf(f, "*NSET, NSET=%s\n", name);
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            if (odd_count(i, j, k) <= most_odd) fprintf(f, "%d\n", node_at(i, j, k));
}

// a bar of bricks along x with 8 or 20 nodes each, in m
static bool write_bar(const char *path, int elements, int nodes, double length, double thick) {
    FILE *f = fopen(path, "w");
    int most_odd = nodes == 20;
    if (f == NULL) return false;
    write_nodes(f, elements, most_odd, 0.5 * length / elements, 0.5 * thick);
    fprintf(f, "*ELEMENT, TYPE=C3D%d, ELSET=ALL\n", nodes);
    for (int e = 0; e < elements; e++) {
        fprintf(f, "%d", e + 1);
        for (int n = 0; n < nodes; n++)
            fprintf(f, ",%s%d", n == 10 ? "\n" : "", node_at(2 * e + brick[n][0], brick[n][1], brick[n][2]));
        fprintf(f, "\n");
    }
    write_set(f, "START", 0, most_odd);
    write_set(f, "END", 2 * elements, most_odd);
    return fclose(f) == 0;
}

static void make_mesh(maker *k, body *o, vec3 p) {
    dice *d = &k->late;
    char path[600];
    o->flexible = true;
    o->length = k->L * dice_in(d, 0.5, 1.2);
    o->p = (pose){p, orientation(k)};
    double thick = o->length * dice_log(d, 0.08, 0.25), A = thick * thick;
    o->mass = k->M * dice_log(d, 0.3, 3);
    double density = o->mass / (A * o->length);
    double E = young(o, density * A, A * A / 12, dice_log(d, 0.7, 4) / k->T);
    const char *keys = mesh_formulations[dice_below(d, LMB_COUNT(mesh_formulations))];
    const char *tie = dice_chance(d, 0.3) ? ", tie: average" : "";
    snprintf(path, sizeof path, "%s/%llu-b%d.inp", k->folder, (unsigned long long)k->seed, k->body_count);
    write_bar(path, 2 + dice_below(d, 2), dice_chance(d, 0.5) ? 8 : 20, o->length, thick);
    lmb_text_add(&o->keys, "type: mesh, file: %s, unit: m, ", path);
    lmb_text_add(&o->keys, "interfaces: {start: {set: START%s}, end: {set: END%s}}, ", tie, tie);
    lmb_text_add(&o->keys, "material: {E: %.17g, nu: 0.3, density: %.17g}%s%s", written(k, E, 1, -1, -2),
                 written(k, density, 1, -3, 0), keys[0] ? ", " : "", keys);
    if (dice_chance(d, 0.5)) lmb_text_add(&o->keys, ", damping: %.3g", dice_log(d, 0.005, 0.1));
}

void make_body(maker *k, vec3 p) {
    body *o = &k->bodies[k->body_count];
    *o = (body){0};
    bool bends = k->out->flexible && dice_chance(&k->d, 0.5);
    if (bends && dice_chance(&k->late, 0.2)) make_mesh(k, o, p);
    else if (bends) make_beam(k, o, p);
    else make_rigid(k, o, p);
    add_pose(k, &o->keys, o->p);
    add_velocity(k, o);
    k->body_count++;
}
