// tests/unit/test_second_order.c: markers of second order at any place: derivatives, surface nodes, parts of a beam.
#include "check.h"
#include "random_model.h"
#include "reduce/flex.h"

#include <string.h>

// ---- derivatives --------------------------------------------------------------------------------

static const char *const bodies[] = {
    "type: beam, from: [0.1, 0.2, 0], to: [1.2, 0.8, 0.5], elements: 3, shapes: {craig_bampton: 2}, section: "
    "{rectangle: [0.6, "
    "0.5]}, material: {E: 20, nu: 0.3, density: 10}",
    "type: beam, formulation: superelement, from: [0.1, 0.2, 0], to: [1.2, 0.8, 0.5], elements: 3, section: "
    "{rectangle: "
    "[0.6, 0.5]}, material: {E: 20, nu: 0.3, density: 10}",
    "type: beam, formulation: superelement, from: [0.1, 0.2, 0], to: [1.2, 0.8, 0.5], elements: 4, section: "
    "{rectangle: "
    "[0.6, 0.5]}, shapes: {craig_bampton: 11}, material: {E: 20, nu: 0.3, density: 10}",
};

// markers between nodes, on a node and off the axis, with joints and forces
TEST(inner_markers_by_differences) {
    for (int k = 0; k < LMB_COUNT(bodies); k++) {
        lmb_text t = {0};
        rig r;
        lmb_text_add(
            &t,
            "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"
            "  a: {%s, spin: [0.1, 0.2, 0.3], markers: {p: [0.3, 0.3, 0.1], q: [0.7, 0.7, 0.1]}}\n"
            "  c: {mass: 1, inertia: 1, at: [1, 1, 0]}\n"
            "joints: {j: {type: universal, between: [c, a.q]}, k: {type: fixed, between: [a.p, c]}}\n"
            "forces: {f: {type: bushing, between: [a.p, c], stiffness: [1, 2, 3], rotational_stiffness: "
            "[3, 2, 1], damping: [0.1, 0.2, 0.3]}}\n",
            bodies[k]);
        if (rig_load(&r, t.text)) {
            const lmb_body *a = rig_body(&r, "a");
            CHECK(a->ops->look.flex(a)->second_count > 0);
            for (int i = 0; i < 3; i++) rig_shake(&r), rig_check(&r, bodies[k]);
        }
        rig_free(&r);
        lmb_text_free(&t);
    }
}

// ---- surfaces -----------------------------------------------------------------------------------

static const lmb_marker *marker_of(const rig *r, const char *name) {
    for (int i = 0; i < r->m->marker_count; i++)
        if (strcmp(r->m->markers[i].name, name) == 0) return &r->m->markers[i];
    return NULL;
}

static pose pose_of(const rig *r, const lmb_marker *k) {
    double J[6 * 256];
    lmb_frame_state f = {.J = J};
    if (!CHECK(k != NULL && r->m->max_n <= 256)) return f.p;
    lmb_body_view x = lmb_view(r->d, &r->m->bodies[k->body]);
    x.body->ops->markers.frame(&f, &x, k);
    return f.p;
}

// x + S q + S2 z of a node, in the frame of its body
static vec3 node_at(const lmb_flex *f, int node, const double *q) {
    double z[256], x[3];
    CHECK(f->second_count > 0 && f->second_count <= LMB_COUNT(z));
    lmb_flex_second(z, f, q);
    for (int k = 0; k < 3; k++)
        x[k] = f->node_x[3 * node + k] + lmb_dot(f->node_S + (3 * node + k) * f->m, q, f->m) +
               lmb_dot(f->second_S + (3 * node + k) * f->second_count, z, f->second_count);
    return v3_load(x);
}

// a node and a marker there are one point: at interfaces, at other nodes; in any formulation
TEST(surfaces_are_where_markers_are) {
    static const char *const formulations[] = {"modal", "superelement"};
    for (int k = 0; k < LMB_COUNT(formulations); k++) {
        lmb_text t = {0};
        rig r;
        lmb_text_add(&t,
                     "limber: 1\nbodies:\n"
                     "  a: {type: beam, formulation: %s, length: 1, elements: 4, section: {rectangle: [0.02, "
                     "0.03]}, material: "
                     "steel, markers: {p: [0.25, 0, 0], q: [0.5, 0, 0]}}\n"
                     "sensors: {p: {type: position, of: a.p}, q: {type: position, of: a.q}, s: {type: "
                     "position, of: a.start}, e: "
                     "{type: position, of: a.end}}\n",
                     formulations[k]);
        if (rig_load(&r, t.text)) {
            static const char *const names[] = {"a.start", "a.p", "a.q", "", "a.end"};
            const lmb_body *a = rig_body(&r, "a");
            const lmb_flex *f = a->ops->look.flex(a);
            // modal: elastic coordinates; superelement: the frame of its end, turned and moved
            for (int i = 0; i < f->m && k == 0; i++) r.d->q[a->iq + 7 + i] = 0.05 * check_random() / (1 + i);
            if (k == 1) q_store(r.d->q + a->iq + 10, q_exp(v3(0.1, -0.2, 0.3))), r.d->q[a->iq + 8] += 0.05;
            lmb_update(r.d, r.m);
            lmb_floating floating;
            lmb_body_view view = lmb_view(r.d, a);
            double frame[7 + 64];
            a->ops->look.floating(&floating, &view);
            memcpy(frame, floating.q, (7 + (size_t)f->m) * sizeof *frame);
            pose body = {v3_load(frame), q_matrix(q_load(frame + 3))};
            for (int i = 0; i < LMB_COUNT(names); i++) {
                if (*names[i] == '\0') continue;
                pose at = pose_of(&r, marker_of(&r, names[i]));
                vec3 node = pose_point(&body, node_at(f, i, frame + 7));
                CHECK_NEAR(v3_norm(v3_sub(at.r, node)), 0, 1e-12);
            }
            double z[256];
            lmb_flex_second(z, f, frame + 7);
            CHECK(lmb_norm_max(z, f->second_count) > 1e-3); // it matters here
        }
        rig_free(&r);
        lmb_text_free(&t);
    }
}

// ---- sliding ------------------------------------------------------------------------------------

// the markers of the joint between two parts: of the first, of the second
static void move_together(const rig *r, const lmb_body *second) {
    pose at[2];
    for (int k = 0; k < 2; k++) {
        const lmb_marker *m = &r->m->markers[r->m->joints[0].marker[k]];
        at[&r->m->bodies[m->body] == second] = pose_of(r, m);
    }
    // R = R_1 R_2', r = r_1 - R r_2
    double *q = r->d->q + second->iq;
    mat3 R = m3_mul(at[0].R, m3_t(at[1].R)), own = q_matrix(q_load(q + 3));
    v3_store(q, v3_add(at[0].r, m3_mul_v3(&R, v3_sub(v3_load(q), at[1].r))));
    q_store(q + 3, q_from_matrix(m3_mul(R, own)));
}

// from one part to the next: place, axes and, but for what the spline leaves, the direction in which it slides
TEST(sliding_markers_pass_from_part_to_part) {
    rig r;
    if (!rig_load(&r, "limber: 1\nbodies:\n"
                      "  a: {type: beam, length: 1, parts: 2, elements: 6, section: {rectangle: [0.02, "
                      "0.03]}, material: "
                      "steel, sliding: {p: [0.3, 0, 0]}}\n"
                      "sensors: {p: {type: position, of: a.p}}\n"))
        return;
    const lmb_body *first = rig_body(&r, "a"), *second = first + 1;
    const lmb_body *track = &r.m->bodies[marker_of(&r, "a.p")->body];
    int m = first->ops->look.flex(first)->m;
    for (int i = 0; i < m; i++)
        r.d->q[first->iq + 7 + i] = 0.05 * check_random() / (1 + i),
                               r.d->q[second->iq + 7 + i] = 0.05 * check_random() / (1 + i);
    lmb_update(r.d, r.m);
    move_together(&r, second);
    double *s = r.d->q + r.m->blocks[track->blocks[track->block_count - 1]].iq;
    pose at[2];
    for (int k = 0; k < 2; k++) {
        *s = 0.5 + (k ? 1e-13 : -1e-13);
        lmb_update(r.d, r.m);
        at[k] = pose_of(&r, marker_of(&r, "a.p"));
    }
    CHECK_NEAR(v3_norm(v3_sub(at[0].r, at[1].r)), 0, 1e-11);
    vec3 turn = so3_log(m3_mul(m3_t(at[0].R), at[1].R));
    CHECK_NEAR(v3_norm(turn), 0, 1e-10);
    rig_free(&r);
}
