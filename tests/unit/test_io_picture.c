// tests/unit/test_io_picture.c: what is drawn of flexible bodies, and where pictures find it in the results.
#include "api/handles.h"
#include "api/picture.h"
#include "api/skin_make.h"
#include "check.h"
#include "draw/drawing.h"
#include "fe/fe.h"
#include "system/system.h"

#include <string.h>

static const char model[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {type: beam, length: 1, section: {box: [0.04, 0.03, 0.003]}, elements: 6, material: steel,\n"
    "        shapes: {craig_bampton: 4}, offset: [0.02, 0.01], markers: {side: {at: [0.5, 0.06, 0]}}}\n"
    "  row: {type: beam, length: 0.6, section: {i: [0.05, 0.03, 0.004, 0.005]}, parts: 3, elements: 2, "
    "material: steel,\n"
    "        shapes: guyan, at: [1, 0, 0]}\n"
    "  soft: {type: beam, formulation: ancf, length: 0.5, elements: 2, section: {rectangle: [0.02, 0.03]},\n"
    "         end_section: {rectangle: [0.01, 0.03]}, material: {E: 1e7, nu: 0.3, density: 1000}, at: [0, 1, "
    "0],\n"
    "         markers: {middle: [0.25, 0, 0]}}\n"
    "  rope: {type: beam, formulation: ancf, element: cable, length: 0.5, elements: 2, section: {circle: "
    "0.004},\n"
    "         material: {E: 1e8, nu: 0.3, density: 1000}, up: [0, 0, 1], at: [0, 2, 0]}\n"
    "  link: {type: beam, formulation: superelement, length: 0.5, elements: 4, section: {circle: 0.02}, "
    "material: steel,\n"
    "         shapes: {craig_bampton: 2}, geometric_stiffening: off, at: [0, 3, 0], markers: {mid: [0.25, 0, "
    "0]}}\n"
    "  block: {mass: 1, inertia: 1, at: [1.6, 0, 0], markers: {top: [0, 0.1, 0]}}\n"
    "joints:\n"
    "  root: {type: revolute, between: [ground, arm.start], axis: [0, 0, 1], spring: {stiffness: 50}}\n"
    "  knee: {type: fixed, between: [arm.end, row.start]}\n"
    "  tip: {type: fixed, between: [row.end, block]}\n"
    "  hold: {type: fixed, between: [ground, soft.start]}\n"
    "  pin: {type: revolute, between: [ground, link.start], axis: [0, 0, 1]}\n"
    "  hang: {type: spherical, between: [ground, rope.start]}\n"
    "sensors:\n"
    "  side: {type: position, of: arm.side}\n"
    "  middle: {type: position, of: soft.middle}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 0.02, every: 0.01, tolerance: 1e-4}\n"
    "  - {type: modes, count: 8}\n";

static const char sliding[] = "limber: 1\n"
                              "bodies:\n"
                              "  rail: {type: beam, length: 0.5, elements: 4, section: {circle: 0.02}, "
                              "material: steel, shapes: guyan,\n"
                              "         sliding: {shoe: [0.1, 0, 0]}}\n"
                              "  shoe: {mass: 1, inertia: 0.01, at: [0.1, 0, 0]}\n"
                              "joints:\n"
                              "  wall: {type: fixed, between: [ground, rail.start]}\n"
                              "  run: {type: fixed, between: [rail.shoe, shoe]}\n";

static lmb_system *compile(const char *text) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    CHECK_OK(lmb_document_read_text(&d, text, "picture.yaml", &err), err);
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    lmb_document_destroy(d);
    return s;
}

static lmb_system *compiled(void) { return compile(model); }

static const lmb_body *body_of(const lmb_model *m, const char *name) {
    for (int i = 0; i < m->body_count; i++)
        if (strcmp(m->bodies[i].name, name) == 0) return &m->bodies[i];
    return NULL;
}

static int marker_of(const lmb_model *m, const char *name) {
    for (int i = 0; i < m->marker_count; i++)
        if (strcmp(m->markers[i].name, name) == 0) return i;
    return -1;
}

// a state that is bent: random elastic coordinates and slopes
static lmb_data *bent(const lmb_model *m) {
    lmb_error err = {0};
    lmb_data *d = NULL;
    CHECK_OK(lmb_data_create(&d, m, &err), err);
    for (int i = 0; i < m->block_count; i++)
        for (int k = 0; k < m->blocks[i].nq && m->blocks[i].kind == LMB_BLOCK_VECTOR; k++)
            d->q[m->blocks[i].iq + k] += 0.02 * m->blocks[i].scale * check_random();
    lmb_update(d, m);
    lmb_update_watched(d, m);
    return d;
}

// ---- skins -------------------------------------------------------------------------------------

// what the triangles enclose: positive if they look outwards and leave no gap
static double volume(const lmb_skin *s, const double *x) {
    double v = 0;
    for (int i = 0; i < s->triangle_count; i++) {
        const int32_t *t = s->triangles + 3 * i;
        v += v3_dot(v3_load(x + 3 * t[0]), v3_cross(v3_load(x + 3 * t[1]), v3_load(x + 3 * t[2]))) / 6;
    }
    return v;
}

// every edge belongs to two triangles that run along it in opposite directions
static bool is_closed(const lmb_skin *s) {
    for (int i = 0; i < 3 * s->triangle_count; i++) {
        int a = s->triangles[i], b = s->triangles[i % 3 == 2 ? i - 2 : i + 1], along = 0, against = 0;
        for (int k = 0; k < 3 * s->triangle_count; k++) {
            int c = s->triangles[k], e = s->triangles[k % 3 == 2 ? k - 2 : k + 1];
            along += c == a && e == b, against += c == b && e == a;
        }
        if (along != 1 || against != 1) return false;
    }
    return true;
}

TEST(beams_are_drawn_with_their_sections) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const lmb_body *b = body_of(s->program->model, "arm");
    const lmb_flex *f = b->ops->look.flex(b);
    lmb_skin skin;
    CHECK_OK(lmb_skin_make(&skin, f, &err), err);
    // seven rings of two loops of four points, one tube outside, one inside, two ends
    CHECK(skin.node_count == 7 * 8 && skin.line_count == 0);
    CHECK(skin.triangle_count == 6 * 16 + 2 * 8 && is_closed(&skin));
    CHECK_NEAR(volume(&skin, skin.x), 0.04 * 0.03 - 0.034 * 0.024, 1e-12);
    // each point moves as the part says of that place
    double S[3 * 64], P[3 * 64], away;
    for (int i = 0; i < skin.node_count; i++) {
        CHECK_OK(lmb_flex_site(S, P, &away, f, v3_load(skin.x + 3 * i), &err), err);
        for (int k = 0; k < 3 * f->m; k++)
            CHECK_NEAR(skin.modes[3 * f->m * i + k], S[k], 1e-6 * (1 + fabs(S[k])));
    }
    lmb_skin_free(&skin);
    lmb_system_destroy(s);
}

// stress N/A + My z/Iy - Mz y/Iz at the corners, from the forces of the section there
static void check_surface_stress(const lmb_skin *skin, const lmb_flex *f, const double *q) {
    double stress[6 * 256], rows[6 * 64], section[LMB_SECTION_SIZE], F[6], values[2], largest = 0;
    lmb_skin_stress(stress, skin, (lmb_skin_state){q, q + f->m});
    for (int i = 0; i < skin->node_count; i++) {
        // at the node of this ring, end 1 of the element before or 0 of the next
        int ring = i / 8, place = ring > 0 ? 2 * (ring - 1) + 1 : 0;
        lmb_flex_line_rows(rows, section, f, place / 2, place % 2);
        for (int c = 0; c < 6; c++)
            F[c] = lmb_dot(rows + c * lmb_flex_stress_count(f), q, lmb_flex_stress_count(f));
        const double *w = section + 16;
        double y = skin->x[3 * i + 1] - 0.02, z = skin->x[3 * i + 2] - 0.01, *at = stress + 6 * i;
        lmb_section_values(values, F, section);
        double size = fmax(1e6, values[0]);
        CHECK_NEAR(at[0], F[0] / w[0] + F[4] * z / w[1] - F[5] * y / w[2], 1e-5 * size); // floats
        CHECK_NEAR(at[1], 0, 1e-5 * size);
        largest = i % 8 ? fmax(largest, fabs(at[0])) : fabs(at[0]);
        if (i % 8 == 7) CHECK_NEAR(largest, values[0], 1e-5 * size); // as sensors say
    }
}

TEST(stress_on_the_surface_of_beams) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const lmb_body *b = body_of(s->program->model, "arm");
    const lmb_flex *f = b->ops->look.flex(b);
    double q[64] = {0};
    int tip = -1;
    for (int i = 0; i < f->marker_count; i++)
        if (strcmp(f->markers[i].name, "end") == 0) tip = i;
    const lmb_flex_force force = {tip, 1, 100};
    CHECK_OK(lmb_flex_deflection(q, f, &(lmb_flex_prestress){.count = 1, .forces = &force}, &err), err);
    lmb_skin skin;
    CHECK_OK(lmb_skin_make(&skin, f, &err), err);
    if (!CHECK(skin.stress != NULL)) return;
    check_surface_stress(&skin, f, q);
    for (int k = 0; k < f->m; k++) q[k] = 1e-4 * check_random();                 // loads along the beam
    for (int k = f->m; k < lmb_flex_stress_count(f); k++) q[k] = check_random(); // residual fields
    check_surface_stress(&skin, f, q);
    lmb_skin_free(&skin);
    lmb_system_destroy(s);
}

TEST(absolute_coordinates_are_drawn) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const lmb_model *m = s->program->model;
    lmb_data *d = NULL;
    CHECK_OK(lmb_data_create(&d, m, &err), err);
    lmb_update(d, m);
    const lmb_body *first = body_of(m, "soft"), *second = first + 1;
    CHECK(second->part == 1 && lmb_skin_owner(second) == second); // tapered: each its own
    lmb_skin a, c;
    double x[3 * 64], y[3 * 64];
    CHECK_OK(lmb_skin_make_fibres(&a, first, &err), err);
    CHECK_OK(lmb_skin_make_fibres(&c, second, &err), err);
    CHECK(a.node_count == 36 && is_closed(&a) && is_closed(&c));
    lmb_skin_nodes(x, &a, d->q + first->iq, NULL);
    lmb_skin_nodes(y, &c, d->q + second->iq, NULL);
    // 0.25 (y1 + y2)/2 z, straight from (0, 1, 0) along x
    CHECK_NEAR(volume(&a, x), 0.25 * 0.0175 * 0.03, 1e-9);
    CHECK_NEAR(volume(&c, y), 0.25 * 0.0125 * 0.03, 1e-9);
    for (int k = 0; k < 12; k++) CHECK_NEAR(x[3 * 32 + k], y[k], 1e-7); // one ends where the other begins
    // bent: the middle of a ring is where a marker there is
    lmb_data *moved = bent(m);
    lmb_skin_nodes(y, &c, moved->q + second->iq, NULL);
    int middle = marker_of(m, "soft.middle");
    vec3 centre = V3_ZERO;
    for (int k = 0; k < 4; k++) centre = v3_madd(centre, 0.25, v3_load(y + 3 * k));
    CHECK_NEAR(v3_norm(v3_sub(centre, moved->frames[middle].p.r)), 0, 1e-7);
    // a cable has no section of its own: a line
    lmb_skin rope;
    CHECK_OK(lmb_skin_make_fibres(&rope, body_of(m, "rope"), &err), err);
    CHECK(rope.line_count == 8 && rope.node_count == 9 && rope.triangle_count == 0);
    CHECK(lmb_skin_owner(body_of(m, "rope") + 1) == body_of(m, "rope")); // elements alike share theirs
    lmb_skin_free(&a), lmb_skin_free(&c), lmb_skin_free(&rope);
    lmb_data_destroy(d), lmb_data_destroy(moved);
    lmb_system_destroy(s);
}

// ---- places ------------------------------------------------------------------------------------

TEST(markers_on_what_deforms) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const lmb_model *m = s->program->model;
    lmb_arena *arena = lmb_arena_create(4096);
    lmb_places p;
    CHECK_OK(lmb_places_make(&p, arena, m, &err), err);
    CHECK(p.markers[marker_of(m, "arm.side")] && p.markers[marker_of(m, "soft.middle")]);
    CHECK(p.markers[marker_of(m, "block.top")] == NULL);
    int inner = 0;
    for (int i = 0; i < m->joint_count; i++)
        if (lmb_joint_is_inner(m, &m->joints[i])) inner++, CHECK(!p.markers[m->joints[i].marker[0]]);
    CHECK(inner == 2); // between the three parts of the row
    lmb_data *d = bent(m);
    double row[2048];
    if (!CHECK(p.columns <= LMB_COUNT(row))) return;
    lmb_places_row(row, &p, d);
    const lmb_shown *side = p.markers[marker_of(m, "arm.side")];
    const pose *at = &d->frames[side->marker].p;
    CHECK_NEAR(v3_norm(v3_sub(v3_load(row + side->q), at->r)), 0, 0);
    mat3 R = q_matrix(q_load(row + side->q + 3));
    for (int k = 0; k < 9; k++) CHECK_NEAR(R.m[k / 3][k % 3], at->R.m[k / 3][k % 3], 1e-14);
    lmb_data_destroy(d);
    lmb_arena_destroy(arena);
    lmb_system_destroy(s);
}

// a small step along independent velocities y
static lmb_data *stepped(const lmb_model *m, const lmb_data *d, const double *y, double h) {
    lmb_error err = {0};
    lmb_data *e = NULL;
    double step[1024];
    CHECK_OK(lmb_data_create(&e, m, &err), err);
    lmb_data_copy(e, d);
    for (int i = 0; i < m->ny; i++) step[i] = h * y[i];
    lmb_positions_move(e->q, m, d->q, step);
    lmb_update(e, m);
    return e;
}

TEST(increments_of_modes_are_derivatives) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const lmb_model *m = s->program->model;
    lmb_arena *arena = lmb_arena_create(4096);
    lmb_places p;
    CHECK_OK(lmb_places_make(&p, arena, m, &err), err);
    lmb_data *d = bent(m);
    double y[1024], increments[2048], plus[2048], minus[2048], h = 1e-5;
    if (!CHECK(m->ny <= LMB_COUNT(y))) return;
    for (int i = 0; i < m->ny; i++) { // elastic rates that turn by about one, too
        const lmb_block *k = &m->blocks[m->y_block[i]];
        y[i] = check_random() * (k->kind == LMB_BLOCK_VECTOR ? 0.02 * k->scale : 1);
    }
    lmb_velocity_set(d, m, y);
    lmb_update(d, m);
    lmb_places_mode(increments, &p, d, d->v);
    lmb_data *a = stepped(m, d, y, h), *b = stepped(m, d, y, -h);
    lmb_places_row(plus, &p, a), lmb_places_row(minus, &p, b);
    for (int i = 0; i < p.count; i++) {
        const lmb_shown *k = &p.list[i];
        if (k->marker == LMB_SHOWN_RESIDUAL) continue; // they stay those of the state
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(increments[k->v + c], (plus[k->q + c] - minus[k->q + c]) / (2 * h), 1e-6);
        // rotation in marker axes: R(-h)' R(h) = 1 + 2 h th~
        mat3 A = q_matrix(q_load(minus + k->q + 3)), B = q_matrix(q_load(plus + k->q + 3)),
             D = m3_mul(m3_t(A), B);
        vec3 th =
            v3_scale(1 / (4 * h), v3(D.m[2][1] - D.m[1][2], D.m[0][2] - D.m[2][0], D.m[1][0] - D.m[0][1]));
        CHECK_NEAR(v3_norm(v3_sub(th, v3_load(increments + k->v + 3))), 0, 1e-6 * (1 + v3_norm(th)));
        for (int c = 0; c < k->elastic; c++)
            CHECK_NEAR(increments[k->v + 6 + c], (plus[k->q + 7 + c] - minus[k->q + 7 + c]) / (2 * h),
                       1e-6 * (1 + fabs(increments[k->v + 6 + c])));
    }
    lmb_data_destroy(a), lmb_data_destroy(b), lmb_data_destroy(d);
    lmb_arena_destroy(arena);
    lmb_system_destroy(s);
}

// ---- floating frames ---------------------------------------------------------------------------

// a body that says of itself what its blocks say, as one must whose blocks are others
static void float_along(lmb_floating *out, const lmb_body_view *x) {
    *out = (lmb_floating){x->q, x->v, x->a, false};
}

TEST(floating_frames_are_found_in_places) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    lmb_model *m = s->program->model;
    lmb_body *arm = (lmb_body *)body_of(m, "arm");
    lmb_body_ops ops = *arm->ops;
    ops.look.floating = float_along, ops.look.derived = true;
    arm->ops = &ops;
    lmb_arena *arena = lmb_arena_create(4096);
    lmb_places p;
    CHECK_OK(lmb_places_make(&p, arena, m, &err), err);
    lmb_drawn_columns c = lmb_body_columns(&p, arm), other = lmb_body_columns(&p, body_of(m, "block"));
    lmb_data *d = bent(m);
    double row[2048], v[1024], increments[2048];
    for (int i = 0; i < m->nv; i++) v[i] = check_random();
    lmb_places_row(row, &p, d);
    lmb_places_mode(increments, &p, d, v);
    CHECK(c.pose == m->nq && c.elastic == m->nq + 7 && c.pose_increment == m->nv &&
          c.elastic_count == arm->n - 6);
    CHECK(memcmp(row + c.pose - m->nq, d->q + arm->iq, (size_t)(arm->n + 1) * sizeof *row) == 0);
    CHECK(memcmp(increments + c.pose_increment - m->nv, v + arm->iv, (size_t)arm->n * sizeof *row) == 0);
    CHECK(other.pose == body_of(m, "block")->iq && other.elastic == -1);
    lmb_data_destroy(d);
    lmb_arena_destroy(arena);
    arm->ops = body_of(m, "row")->ops;
    lmb_system_destroy(s);
}

// the picture of a superelement is where its markers are
TEST(superelements_are_drawn) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const lmb_model *m = s->program->model;
    const lmb_body *link = body_of(m, "link");
    lmb_arena *arena = lmb_arena_create(4096);
    lmb_places p;
    CHECK_OK(lmb_places_make(&p, arena, m, &err), err);
    lmb_drawn_columns c = lmb_body_columns(&p, link);
    lmb_data *d = bent(m);
    // its second interface moves and turns
    int at = link->iq + link->n + 2 - 7; // positions: 7 a frame
    d->q[at + 1] += 0.01, q_store(d->q + at + 3, q_exp(v3(0.02, 0.01, 0.05)));
    lmb_update(d, m);
    double row[2048], x[3 * 256];
    lmb_places_row(row, &p, d);
    lmb_skin skin;
    CHECK_OK(lmb_skin_make(&skin, link->ops->look.flex(link), &err), err);
    CHECK(c.pose >= m->nq && c.elastic_count == skin.mode_count && skin.node_count == 5 * 24);
    lmb_skin_nodes(x, &skin, row + c.elastic - m->nq, NULL);
    pose frame = {v3_load(row + c.pose - m->nq), q_matrix(q_load(row + c.pose - m->nq + 3))};
    static const char *const names[] = {"link.start", "link.mid", "link.end"};
    for (int k = 0; k < 3; k++) {
        vec3 centre = V3_ZERO;
        for (int i = 0; i < 24; i++) centre = v3_madd(centre, 1.0 / 24, v3_load(x + 3 * (48 * k + i)));
        const lmb_shown *marker = p.markers[marker_of(m, names[k])];
        if (!CHECK(marker != NULL)) continue;
        // shapes are floats; without the second order 3e-4
        CHECK_NEAR(v3_norm(v3_sub(pose_point(&frame, centre), v3_load(row + marker->q))), 0, 3e-8);
    }
    lmb_skin_free(&skin);
    lmb_data_destroy(d);
    lmb_arena_destroy(arena);
    lmb_system_destroy(s);
}

// a place that slides has no body to be drawn, and is where its marker is
TEST(sliding_places) {
    lmb_error err = {0};
    lmb_system *s = compile(sliding);
    const lmb_model *m = s->program->model;
    lmb_arena *arena = lmb_arena_create(4096);
    lmb_places p;
    CHECK_OK(lmb_places_make(&p, arena, m, &err), err);
    int shoe = marker_of(m, "rail.shoe");
    if (!CHECK(shoe >= 0 && p.markers[shoe])) return;
    const lmb_body *track = &m->bodies[m->markers[shoe].body];
    lmb_drawn_columns c = lmb_body_columns(&p, track);
    CHECK(track != body_of(m, "rail") && c.pose == -1 && c.elastic == -1 && lmb_skin_owner(track) == NULL);
    lmb_arena_destroy(arena);
    lmb_system_destroy(s);
}

// the whole way: results, scene, drawing, with the floating frame in table places or among the blocks
static void drawn_nodes(double *out, int *count, bool floats, const char *analysis) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    lmb_body *arm = (lmb_body *)body_of(s->program->model, "arm");
    lmb_body_ops ops = *arm->ops;
    if (floats) ops.look.floating = float_along, ops.look.derived = true, arm->ops = &ops;
    const char *path = check_temp(floats ? "floats.h5" : "blocks.h5");
    CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err);
    lmb_drawing *d = NULL;
    CHECK_OK(lmb_drawing_create(&d, path, &(lmb_export_options){analysis, 3, 2}, &err), err);
    *count = 0;
    for (int i = 0; d && i < d->body_count; i++) {
        const lmb_drawn *b = &d->bodies[i];
        pose p = lmb_drawn_pose(d, b, 1);
        if (strcmp(b->name, "arm") != 0) continue;
        lmb_skin_nodes(out, &b->skin, lmb_drawn_elastic(d, b, 1), lmb_drawn_rest(d, b));
        for (*count = 0; *count < b->skin.node_count; ++*count)
            v3_store(out + 3 * *count, pose_point(&p, v3_load(out + 3 * *count)));
    }
    CHECK(d && d->body_count == 1 + 3 + 2 + 2 + 1 + 1);
    lmb_drawing_destroy(d);
    lmb_system_destroy(s);
}

TEST(floating_frames_are_drawn) {
    static const char *const analyses[] = {"dynamics", "modes"};
    for (int k = 0; k < 2; k++) {
        double a[3 * 64] = {0}, b[3 * 64] = {0};
        int n, many;
        drawn_nodes(a, &n, false, analyses[k]);
        drawn_nodes(b, &many, true, analyses[k]);
        CHECK(n == 56 && many == n);
        for (int i = 0; i < 3 * n; i++) CHECK_NEAR(a[i], b[i], 1e-12);
    }
}

TEST(results_hold_places) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const char *path = check_temp("places.h5");
    CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err);
    lmb_system_destroy(s);
    lmb_reader *r = NULL;
    lmb_series places = {0}, sensors = {0};
    CHECK_OK(lmb_reader_open(&r, path, &err), err);
    CHECK_OK(lmb_reader_table(&places, r, 0, "places", &err), err);
    CHECK_OK(lmb_reader_table(&sensors, r, 0, "sensors", &err), err);
    int compared = 0;
    static const char *const names[][2] = {{"arm.side.y", "side.y"}, {"soft.middle.y", "middle.y"}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < places.columns; i++)
            for (int j = 0; j < sensors.columns && strcmp(places.names[i], names[k][0]) == 0; j++)
                for (long row = 0; row < places.rows && strcmp(sensors.names[j], names[k][1]) == 0;
                     row++, compared++)
                    CHECK_NEAR(places.v[row * places.columns + i], sensors.v[row * sensors.columns + j], 0);
    CHECK(compared == 6);
    lmb_series_free(&places), lmb_series_free(&sensors);
    lmb_reader_close(r);
}

// ---- modes -------------------------------------------------------------------------------------

TEST(a_mode_swings_about_its_state) {
    lmb_error err = {0};
    lmb_system *s = compiled();
    const char *path = check_temp("swing.h5");
    CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err);
    lmb_system_destroy(s);
    lmb_drawing *d = NULL;
    CHECK_OK(lmb_drawing_create(&d, path, &(lmb_export_options){"modes", 5, 3}, &err), err);
    lmb_reader *r = NULL;
    lmb_series state = {0}, modes = {0};
    CHECK_OK(lmb_reader_open(&r, path, &err), err);
    CHECK_OK(lmb_reader_table(&state, r, 1, "q", &err), err);
    CHECK_OK(lmb_reader_table(&modes, r, 1, "modes", &err), err);
    if (!CHECK(d && d->frame_count == 5 && modes.v)) return;
    CHECK_NEAR(d->time[4], 1 / modes.v[2 * modes.columns], 1e-12 * d->time[4]);
    double moved = 0, back = 0;
    for (int i = 0; i < state.columns; i++) {
        double rest = state.v[2 * state.columns + i], first = d->q[i], half = d->q[2 * d->columns + i];
        moved = fmax(moved, fabs(first - rest));
        CHECK_NEAR(d->q[4 * d->columns + i], first, 1e-12 * (1 + fabs(first))); // a whole period
        back = fmax(back, fabs(0.5 * (first + half) - rest));                   // opposite at half of it
    }
    CHECK(moved > 1e-3);
    CHECK(back < 0.05 * moved); // rotations are not linear
    lmb_drawing_destroy(d);
    CHECK(lmb_drawing_create(&d, path, &(lmb_export_options){"modes", 5, 99}, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "no mode 99; the analysis has");
    lmb_series_free(&state), lmb_series_free(&modes);
    lmb_reader_close(r);
}

// ---- allocation failures -----------------------------------------------------------------------

static lmb_status write_scene(lmb_system *s, const char *results, lmb_error *err) {
    (void)results;
    lmb_text text = {0};
    lmb_scene *scene = NULL;
    lmb_status st = lmb_scene_make(&scene, s, err);
    if (st == LMB_OK && !lmb_scene_write(&text, scene)) st = lmb_fail_memory(err);
    lmb_text_free(&text);
    lmb_scene_destroy(scene);
    return st;
}

static lmb_status make_skins(lmb_system *s, const char *results, lmb_error *err) {
    (void)results;
    const lmb_body *arm = body_of(s->program->model, "arm"), *rope = body_of(s->program->model, "rope");
    lmb_skin a = {0}, b = {0};
    lmb_status st = lmb_skin_make(&a, arm->ops->look.flex(arm), err);
    if (st == LMB_OK) st = lmb_skin_make_fibres(&b, rope, err);
    lmb_skin_free(&a), lmb_skin_free(&b);
    return st;
}

static lmb_status draw_mode(lmb_system *s, const char *results, lmb_error *err) {
    (void)s;
    lmb_drawing *d = NULL;
    lmb_status st = lmb_drawing_create(&d, results, &(lmb_export_options){"modes", 3, 1}, err);
    lmb_drawing_destroy(d);
    return st;
}

TEST(pictures_when_memory_ends) {
    static lmb_status (*const things[])(lmb_system *, const char *, lmb_error *) = {write_scene, make_skins,
                                                                                    draw_mode};
    lmb_error first = {0};
    lmb_system *s = compiled();
    const char *path = check_temp("memory.h5");
    CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &first), first);
    for (int k = 0; k < LMB_COUNT(things); k++) {
        lmb_status st = LMB_ERR_SYSTEM;
        long n = 0;
        for (; st != LMB_OK && n < 3000; n++) {
            lmb_error err = {0};
            lmb_alloc_fail_after(n);
            st = things[k](s, path, &err);
            lmb_alloc_fail_after(-1);
            if (st != LMB_OK && !CHECK(err.text[0] != '\0')) break;
        }
        CHECK(st == LMB_OK && n > 2);
    }
    lmb_system_destroy(s);
}
