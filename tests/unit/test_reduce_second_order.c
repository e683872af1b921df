// tests/unit/test_reduce_second_order.c: the second-order displacement of a reduced part: fields, places, exact rods.
#include "../fe_parts.h"

#include <string.h>

enum { MOST = 64 };

typedef struct part {
    lmb_mesh *mesh;
    lmb_fe *fe;
    lmb_marker_site sites[3];
    int count;
    lmb_flex *f;
} part;

static void clean(part *p) {
    lmb_flex_destroy(p->f);
    for (int i = 0; i < p->count; i++) lmb_free(p->sites[i].nodes);
    lmb_fe_destroy(p->fe);
    lmb_mesh_destroy(p->mesh);
}

static void reduce(part *p, lmb_frame_choice frame, lmb_shape_family family, int modes) {
    lmb_error err = {0};
    lmb_shape_request q = {.family = family, .count = modes};
    lmb_reduction r = {.sites = p->sites,
                       .site_count = p->count,
                       .frame = frame,
                       .request_count = 1,
                       .requests = &q,
                       .stiffening = true};
    CHECK_OK(lmb_reduce(&p->f, p->fe, &r, &err), err);
}

static const lmb_frame_choice CHORD = {.kind = LMB_FRAME_CHORD, .a = 0, .b = 1, .c = -1};

// a bar with its ends, and its middle as a marker or an interface
static part bar(int elements, bool middle) {
    lmb_error err = {0};
    part p = {.mesh = part_bar(1, 0.02, 0.03, elements, LMB_EULER_BERNOULLI, LMB_ROTARY_ON), .count = 3};
    p.sites[0] = part_node_site(p.mesh, "start", 0), p.sites[1] = part_node_site(p.mesh, "end", elements);
    p.sites[2] = part_node_site(p.mesh, "middle", elements / 2);
    p.sites[2].interface = middle;
    CHECK_OK(lmb_fe_create(&p.fe, p.mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    return p;
}

static part box(lmb_tie tie, const lmb_element_ops *ops) {
    lmb_error err = {0};
    part p = {.mesh = part_box_make(&(part_box){0.4, 0.05, 0.03, 8, 1, 1, ops}), .count = 2};
    p.sites[0] = part_site(p.mesh, "x0", tie), p.sites[1] = part_site(p.mesh, "x1", tie);
    lmb_rigid_tie *ties;
    int count;
    CHECK_OK(lmb_reduce_ties(&ties, &count, p.mesh, p.sites, 2, &err), err);
    CHECK_OK(lmb_fe_create(&p.fe, p.mesh, LMB_MASS_CONSISTENT, ties, count, NULL, &err), err);
    lmb_free(ties);
    return p;
}

// ---- rows ---------------------------------------------------------------------------------------

// largest entry of the loads of one kind
static double size_of(const lmb_flex *f, const lmb_flex_stiffening *like) {
    double most = 0;
    for (int k = 0; k < f->stiffening_count; k++)
        if (f->stiffening[k].load == like->load && f->stiffening[k].index / 3 == like->index / 3)
            most = fmax(most, lmb_norm_max(f->stiffening[k].Kg, f->m * f->m));
    return most;
}

// interfaces move by -q.Kg q/2 of their unit loads, whichever way
static void check_interfaces(const lmb_flex *f) {
    double Kg[3 * MOST * MOST];
    int mm = f->m * f->m;
    CHECK(f->second_count > 0 && f->m <= MOST);
    for (int k = 0; k < f->stiffening_count; k++) {
        const lmb_flex_stiffening *s = &f->stiffening[k];
        if (s->load != LMB_LOAD_INTERFACE) continue;
        const lmb_flex_marker *at = &f->markers[s->marker];
        lmb_flex_second_Kg(Kg, f, s->index < 3 ? at->S2 : at->P2);
        double size = size_of(f, s), worst = 0;
        for (int i = 0; i < mm; i++) worst = fmax(worst, fabs(Kg[s->index % 3 * mm + i] - s->Kg[i]));
        CHECK_NEAR(worst / size, 0, 1e-10);
    }
}

// the work of inertia loads on the fields, where all nodes have equations of their own
static void check_inertia(const part *p) {
    const lmb_flex *f = p->f;
    int mm = f->m * f->m, R = f->second_count;
    double *load = lmb_alloc((size_t)p->fe->n, sizeof *load), Kg[MOST * MOST];
    for (int k = 6; k < 9; k++) { // accelerations
        lmb_acceleration a = {v3_neg(v3_axis(k - 6)), M3_ZERO};
        memset(load, 0, (size_t)p->fe->n * sizeof *load), memset(Kg, 0, sizeof Kg);
        lmb_fe_body_loads(load, p->fe, &a, 1);
        for (int r = 0; r < R; r++) {
            double work = 0;
            for (int i = 0; i < p->fe->node_count; i++)
                for (int c = 0; c < 6; c++)
                    work += load[p->fe->first[i] + c] *
                            (c < 3 ? f->second_S : f->second_P)[(3 * i + c % 3) * R + r];
            lmb_axpy(Kg, -work, f->second_C + (size_t)r * (size_t)mm, mm);
        }
        double worst = 0;
        for (int i = 0; i < mm; i++) worst = fmax(worst, fabs(Kg[i] - f->stiffening[k].Kg[i]));
        CHECK_NEAR(worst / size_of(f, &f->stiffening[0]), 0, 1e-10); // those of w_a w_b; the bar is 1 m long
    }
    lmb_free(load);
}

TEST(fields_agree_with_geometric_stiffness) {
    static const lmb_frame_choice frames[] = {{.kind = LMB_FRAME_TANGENT, .a = 0},
                                              {.kind = LMB_FRAME_BUCKENS}};
    for (int k = 0; k < 3; k++)
        for (int modes = 2; modes <= 30; modes += 14) {
            part p = bar(20, false);
            reduce(&p, k < 2 ? frames[k] : CHORD, LMB_SHAPES_CRAIG_BAMPTON, modes);
            check_interfaces(p.f), check_inertia(&p);
            check_note("m = %d: %d fields; %s", p.f->m, p.f->second_count, p.f->report);
            clean(&p);
        }
    for (int k = 0; k < 2; k++) {
        part p = box(k ? LMB_TIE_RIGID : LMB_TIE_AVERAGE, &lmb_element_hex20);
        reduce(&p, CHORD, LMB_SHAPES_CRAIG_BAMPTON, 4);
        check_note("box, m = %d: %d fields; %s", p.f->m, p.f->second_count, p.f->report);
        check_interfaces(p.f);
        clean(&p);
    }
}

// ---- places -------------------------------------------------------------------------------------

typedef struct place {
    double S[3 * MOST], P[3 * MOST], Kg[6 * MOST * MOST];
    vec3 x, u, th; // second order included
} place;

static void move_place(place *p, const lmb_flex_place *at, const lmb_flex *f, const double *q) {
    double u[6];
    for (int k = 0; k < 6; k++) {
        u[k] = lmb_dot((k < 3 ? p->S : p->P) + k % 3 * f->m, q, f->m);
        for (int i = 0; i < f->m; i++)
            u[k] -=
                0.5 * q[i] * lmb_dot(p->Kg + ((size_t)k * (size_t)f->m + (size_t)i) * (size_t)f->m, q, f->m);
    }
    p->x = at->x, p->u = v3_load(u), p->th = v3_load(u + 3);
}

static void place_at(place *p, const lmb_flex *f, vec3 x, const double *q) {
    lmb_error err = {0};
    lmb_flex_place at = {.S = p->S, .P = p->P, .Kg = p->Kg};
    double away;
    CHECK_OK(lmb_flex_place_at(&at, &away, f, x, &err), err);
    move_place(p, &at, f, q);
}

// u = S q + S2 z of a node
static vec3 node_at(const lmb_flex *f, const double *S, const double *S2, int node, const double *q) {
    double z[256], u[3];
    CHECK(f->second_count <= LMB_COUNT(z));
    lmb_flex_second(z, f, q);
    for (int k = 0; k < 3; k++)
        u[k] = lmb_dot(S + (3 * node + k) * f->m, q, f->m) +
               lmb_dot(S2 + (3 * node + k) * f->second_count, z, f->second_count);
    return v3_load(u);
}

// a place at a node of a beam is the node; solids and shells: tests/cases/test_mesh_markers_small.c
TEST(places_are_nodes) {
    part p = bar(8, false);
    reduce(&p, CHORD, LMB_SHAPES_CRAIG_BAMPTON, 4);
    place *at = lmb_alloc(1, sizeof *at);
    double q[MOST];
    lmb_flex_amplitudes(q, p.f);
    for (int i = 0; i < p.f->m; i++) q[i] *= 3e3 * check_random();
    for (int i = 0; i < p.f->node_count; i++) {
        place_at(at, p.f, v3_load(p.f->node_x + 3 * i), q);
        CHECK_NEAR(v3_norm(v3_sub(at->u, node_at(p.f, p.f->node_S, p.f->second_S, i, q))), 0, 1e-12);
        CHECK_NEAR(v3_norm(v3_sub(at->th, node_at(p.f, p.f->node_P, p.f->second_P, i, q))), 0, 1e-12);
    }
    // the marker in the middle is that node
    lmb_flex_second_Kg(at->Kg, p.f, p.f->markers[2].S2);
    place *middle = lmb_alloc(1, sizeof *middle);
    place_at(middle, p.f, p.f->markers[2].x, q);
    double size = lmb_norm_max(at->Kg, 3 * p.f->m * p.f->m);
    for (int i = 0; i < 3 * p.f->m * p.f->m; i++) CHECK_NEAR(at->Kg[i] / size, middle->Kg[i] / size, 1e-12);
    lmb_free(at), lmb_free(middle);
    clean(&p);
}

// the marker of the part, second order included
static void marker_place(place *p, const lmb_flex *f, int marker, const double *q) {
    lmb_error err = {0};
    lmb_flex_place at = {.S = p->S, .P = p->P, .Kg = p->Kg};
    CHECK_OK(lmb_flex_marker_place(&at, f, marker, &err), err);
    move_place(p, &at, f, q);
}

// A rigid face: the mean of its nodes turns as their reference node does, also in second order, where they move on circles; a
// marker far from their centre is at the end of an arm that turns.
TEST(means_turn_rigidly) {
    part p = {.mesh = part_box_make(&(part_box){0.4, 0.05, 0.03, 6, 2, 1, &lmb_element_hex20}), .count = 3};
    lmb_error err = {0};
    lmb_rigid_tie *ties;
    int count;
    p.sites[0] = part_site(p.mesh, "x0", LMB_TIE_RIGID), p.sites[1] = part_site(p.mesh, "x1", LMB_TIE_RIGID);
    p.sites[2] = part_site(p.mesh, "x1", LMB_TIE_AVERAGE);
    p.sites[2].name = "mean", p.sites[2].interface = false, p.sites[2].x = v3(0.5, 0.2, 0.1);
    CHECK_OK(lmb_reduce_ties(&ties, &count, p.mesh, p.sites, 2, &err), err);
    CHECK_OK(lmb_fe_create(&p.fe, p.mesh, LMB_MASS_CONSISTENT, ties, count, NULL, &err), err);
    lmb_free(ties);
    reduce(&p, (lmb_frame_choice){.kind = LMB_FRAME_TANGENT, .a = 0}, LMB_SHAPES_CRAIG_BAMPTON, 4);
    place *mean = lmb_alloc(1, sizeof *mean), *face = lmb_alloc(1, sizeof *face);
    double q[MOST];
    lmb_flex_amplitudes(q, p.f);
    for (int i = 0; i < p.f->m; i++) q[i] *= 3e5 * check_random();
    marker_place(mean, p.f, 2, q), marker_place(face, p.f, 1, q);
    check_note("turned by %.2g, %.2g of second order", v3_norm(face->th),
               v3_norm(v3_sub(face->th, v3(lmb_dot(face->P, q, p.f->m), lmb_dot(face->P + p.f->m, q, p.f->m),
                                           lmb_dot(face->P + 2 * p.f->m, q, p.f->m)))));
    CHECK(v3_norm(face->th) > 0.1);
    CHECK_NEAR(v3_norm(v3_sub(mean->th, face->th)), 0, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(mean->u, face->u)), 0, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(mean->x, face->x)), 0, 1e-12);
    lmb_free(mean), lmb_free(face);
    clean(&p);
}

// the leading fields: a marker in the middle against the same as an interface, whose rows stay exact
TEST(what_is_left_out_is_small) {
    part p = bar(20, false), exact = bar(20, true);
    reduce(&p, CHORD, LMB_SHAPES_EIGEN, 14), reduce(&exact, CHORD, LMB_SHAPES_EIGEN, 14);
    place *a = lmb_alloc(1, sizeof *a), *b = lmb_alloc(1, sizeof *b);
    double q[MOST], amplitude[MOST], u = 0, du = 0, th = 0, dth = 0;
    lmb_flex_amplitudes(amplitude, p.f);
    for (int sample = 0; sample < 20; sample++) {
        for (int i = 0; i < p.f->m; i++) q[i] = amplitude[i] * check_random() * 1e3;
        place_at(a, p.f, p.f->markers[2].x, q), place_at(b, exact.f, p.f->markers[2].x, q);
        vec3 u1 = v3(lmb_dot(a->S, q, p.f->m), lmb_dot(a->S + p.f->m, q, p.f->m),
                     lmb_dot(a->S + 2 * p.f->m, q, p.f->m));
        vec3 t1 = v3(lmb_dot(a->P, q, p.f->m), lmb_dot(a->P + p.f->m, q, p.f->m),
                     lmb_dot(a->P + 2 * p.f->m, q, p.f->m));
        u = fmax(u, v3_norm(v3_sub(b->u, u1))), du = fmax(du, v3_norm(v3_sub(a->u, b->u)));
        th = fmax(th, v3_norm(v3_sub(b->th, t1))), dth = fmax(dth, v3_norm(v3_sub(a->th, b->th)));
    }
    check_note("%d fields: displacement off by %.2g, rotation by %.2g of the second order", p.f->second_count,
               du / u, dth / th);
    CHECK(u > 0 && th > 0);
    CHECK_NEAR(du / u, 0, 0.02);
    CHECK_NEAR(dth / th, 0, 0.05); // small themselves; weighed as displacements at half the length
    lmb_free(a), lmb_free(b);
    clean(&p), clean(&exact);
}

// what bends a beam in a plane does not move it out of the plane
TEST(plane_bending_stays_plane) {
    part p = bar(12, false);
    reduce(&p, CHORD, LMB_SHAPES_CRAIG_BAMPTON, 8);
    const lmb_flex *f = p.f;
    double q[MOST] = {0}, z[256], across = 0, in = 0;
    int plane = 0;
    for (int j = 0; j < f->m; j++) { // no motion along z, no turn about x
        double out = 0;
        for (int i = 0; i < f->node_count; i++)
            out = fmax(out, fmax(fabs(f->node_S[(3 * i + 2) * f->m + j]), fabs(f->node_P[3 * i * f->m + j])));
        if (out < 1e-9 * lmb_norm_max(f->node_S, 3 * f->node_count * f->m)) q[j] = 1e-3 * (1 + plane++);
    }
    lmb_flex_second(z, f, q);
    for (int i = 0; i < 3 * f->node_count; i++) {
        double u = fabs(lmb_dot(f->second_S + i * f->second_count, z, f->second_count));
        if (i % 3 == 2) across = fmax(across, u);
        else in = fmax(in, u);
    }
    CHECK(plane > 3 && in > 0);
    CHECK_NEAR(across / in, 0, 1e-11);
    clean(&p);
}

// A rod under end moments is a circle; its ends turn by 0.3 rad against the chord.
TEST(places_on_a_circle) {
    const double turn = 0.3, R = 1 / (2 * turn);
    for (int elements = 2; elements <= 16; elements *= 2) {
        part p = bar(elements, false);
        reduce(&p, CHORD, LMB_SHAPES_ATTACHMENT, 0);
        double I = 0.03 * 0.02 * 0.02 * 0.02 / 12, M = STEEL.E * I / R, q[MOST], first = 0, worst = 0,
               turned = 0;
        lmb_flex_force forces[2] = {{0, 5, -M}, {1, 5, M}};
        lmb_error err = {0};
        CHECK_OK(lmb_flex_deflection(q, p.f, &(lmb_flex_prestress){2, forces, V3_ZERO}, &err), err);
        place *at = lmb_alloc(1, sizeof *at);
        for (double s = 0; s <= 1; s += 1.0 / 16) {
            double a = 2 * turn * s - turn; // direction there
            vec3 exact = v3(R * (sin(a) + sin(turn)), R * (cos(turn) - cos(a)), 0);
            place_at(at, p.f, v3(s, 0, 0), q);
            vec3 got = v3_add(v3(s, 0, 0), at->u);
            vec3 linear =
                v3_add(v3(s, 0, 0), v3(lmb_dot(at->S, q, p.f->m), lmb_dot(at->S + p.f->m, q, p.f->m), 0));
            worst = fmax(worst, v3_norm(v3_sub(got, exact))),
            first = fmax(first, v3_norm(v3_sub(linear, exact)));
            turned = fmax(turned, fabs(at->th.z - a));
        }
        check_note("%d elements: off by %.2g, %.2g rad; first order %.2g", elements, worst, turned, first);
        CHECK_NEAR(worst, 0, 1e-3);
        CHECK_NEAR(turned, 0, 1e-3);
        CHECK(first > 0.01);
        lmb_free(at);
        clean(&p);
    }
}
