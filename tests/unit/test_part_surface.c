// tests of part/surface.c, face.c and face_catch.c: surfaces from points on them, faces of meshes, choices by geometry
#include "check.h"
#include "part/face.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- points on surfaces ------------------------------------------------------------------------

enum { N = 13, POINTS = N * N, FACETS = 2 * (N - 1) * (N - 1) };

// a grid on a surface in its own frame (axis z), u and v from 0 to 1
static vec3 on_surface(const lmb_surface *s, double u, double v) {
    double a = (0.2 + 2.4 * u), b = 0.3 + 1.1 * v, c = cos(a), d = sin(a);
    switch (s->kind) {
    case LMB_SURFACE_PLANE: return v3(2 * u, 3 * v, 0);
    case LMB_SURFACE_CYLINDER: return v3(s->r * c, s->r * d, 2 * v);
    case LMB_SURFACE_SPHERE: return v3(s->r * c * cos(b), s->r * d * cos(b), s->r * sin(b));
    case LMB_SURFACE_CONE: {
        double t = 1 + 2 * v, rho = t * tan(s->angle);
        return v3(rho * c, rho * d, t);
    }
    case LMB_SURFACE_TORUS: {
        double rho = s->R + s->r * cos(2 * b);
        return v3(rho * c, rho * d, s->r * sin(2 * b));
    }
    default: return v3(2 * u, 2 * v, 0.3 * u * u * v - 0.5 * v * v * v + 0.2 * u * v);
    }
}

typedef struct sample {
    vec3 points[POINTS], centres[FACETS], normals[FACETS];
    double areas[FACETS];
    lmb_surface_piece piece;
} sample;

static void take(sample *s, const lmb_surface *of, pose at, double noise) {
    int n = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            vec3 x = on_surface(of, i / (N - 1.0), j / (N - 1.0));
            s->points[N * i + j] =
                v3_madd(pose_point(&at, x), noise, v3(check_random(), check_random(), check_random()));
        }
    for (int i = 0; i + 1 < N; i++)
        for (int j = 0; j + 1 < N; j++)
            for (int k = 0; k < 2; k++, n++) {
                vec3 a = s->points[N * i + j], b = s->points[N * (i + 1) + j + k],
                     c = s->points[N * (i + k) + j + 1];
                if (k) b = s->points[N * (i + 1) + j], c = s->points[N * (i + 1) + j + 1];
                vec3 d = s->points[N * i + j + 1], p = k ? d : a;
                vec3 area = v3_scale(0.5, v3_cross(v3_sub(b, p), v3_sub(c, p)));
                s->centres[n] = v3_scale(1.0 / 3, v3_add(p, v3_add(b, c)));
                s->areas[n] = v3_norm(area), s->normals[n] = v3_unit(area);
            }
    s->piece = (lmb_surface_piece){POINTS, s->points, FACETS, s->centres, s->normals, s->areas};
}

static pose random_pose(void) {
    vec3 turn = v3(2 * check_random(), 2 * check_random(), 2 * check_random());
    return (pose){v3(3 * check_random(), 3 * check_random(), 3 * check_random()), q_matrix(q_exp(turn))};
}

// Every kind in any position is found with its data: exact points, so the errors are those of rounding, enlarged by the
// condition of the fit: a part of the surface that a third of the way round determines radius and axis to 1e-9.
TEST(surface_fit_finds_all) {
    const lmb_surface kinds[] = {{.kind = LMB_SURFACE_PLANE},
                                 {.kind = LMB_SURFACE_CYLINDER, .r = 0.7},
                                 {.kind = LMB_SURFACE_SPHERE, .r = 1.3},
                                 {.kind = LMB_SURFACE_CONE, .angle = 0.4},
                                 {.kind = LMB_SURFACE_TORUS, .r = 0.4, .R = 1.5},
                                 {.kind = LMB_SURFACE_OTHER}};
    static sample s;
    for (int k = 0; k < 6; k++)
        for (int turn = 0; turn < 20; turn++) {
            pose at = random_pose();
            take(&s, &kinds[k], at, 0);
            lmb_surface f = lmb_surface_fit(&s.piece, 1e-4);
            CHECK_TEXT(lmb_surface_names[f.kind], lmb_surface_names[kinds[k].kind]);
            if (f.kind != kinds[k].kind || k == 5) continue;
            vec3 axis = m3_column(&at.R, 2);
            if (k != LMB_SURFACE_SPHERE) CHECK_NEAR(fabs(v3_dot(f.axis, axis)), 1, 1e-9);
            if (k == LMB_SURFACE_CONE || k == LMB_SURFACE_SPHERE || k == LMB_SURFACE_TORUS)
                CHECK_NEAR(v3_norm(v3_sub(f.at, at.r)), 0, 1e-6);
            if (k == LMB_SURFACE_CONE) CHECK_NEAR(f.angle, 0.4, 1e-7);
            else CHECK_NEAR(f.r, kinds[k].r, 1e-7);
            CHECK_NEAR(f.R, kinds[k].R, 1e-7);
        }
}

// noise above the tolerance: nothing is claimed; below: the same kind
TEST(surface_fit_is_honest) {
    static sample s;
    const lmb_surface cylinder = {.kind = LMB_SURFACE_CYLINDER, .r = 0.7};
    take(&s, &cylinder, random_pose(), 1e-2);
    CHECK(lmb_surface_fit(&s.piece, 1e-3).kind == LMB_SURFACE_OTHER);
    take(&s, &cylinder, random_pose(), 2e-4);
    lmb_surface f = lmb_surface_fit(&s.piece, 2e-3);
    CHECK(f.kind == LMB_SURFACE_CYLINDER);
    CHECK_NEAR(f.r, 0.7, 2e-4); // the mean of 169 errors
    s.points[7] = v3(NAN, 0, 0);
    CHECK(lmb_surface_fit(&s.piece, 1e-3).kind == LMB_SURFACE_OTHER);
    s.piece.point_count = 2;
    CHECK(lmb_surface_fit(&s.piece, 1e-3).kind == LMB_SURFACE_OTHER);
}

// the gradient of the distance is the normal
TEST(surface_normals) {
    const lmb_surface kinds[] = {{LMB_SURFACE_PLANE, {0, 0, 0}, {0, 0.6, 0.8}, 0, 0, 0},
                                 {LMB_SURFACE_CYLINDER, {1, 2, 3}, {0, 0.6, 0.8}, 0.5, 0, 0},
                                 {LMB_SURFACE_SPHERE, {1, 2, 3}, {0, 0, 1}, 0.5, 0, 0},
                                 {LMB_SURFACE_CONE, {1, 2, 3}, {0, 0.6, 0.8}, 0, 0, 0.3},
                                 {LMB_SURFACE_TORUS, {1, 2, 3}, {0, 0.6, 0.8}, 0.2, 0.9, 0}};
    const double h = 1e-6;
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        vec3 x = v3(0.3 + check_random(), 4 + check_random(), check_random()),
             n = lmb_surface_normal(&kinds[k], x);
        for (int i = 0; i < 3; i++) {
            double up = lmb_surface_distance(&kinds[k], v3_madd(x, h, v3_axis(i))),
                   down = lmb_surface_distance(&kinds[k], v3_madd(x, -h, v3_axis(i)));
            CHECK_NEAR((up - down) / (2 * h), v3_get(n, i), 1e-8);
        }
    }
}

// ---- faces of a mesh ---------------------------------------------------------------------------

enum { AROUND = 24, ALONG = 6 };
static const double inner = 0.01, outer = 0.02, length = 0.03;

// a tube about z of hex8, twice: the second one at x = 0.1
static int tube_node(int tube, int ring, int around, int along) {
    return ((tube * 2 + ring) * AROUND + around % AROUND) * (ALONG + 1) + along;
}

static lmb_mesh *tubes(int count) {
    lmb_mesh *m;
    if (lmb_mesh_create(&m, "tube.inp", NULL) != LMB_OK) return NULL;
    for (int t = 0; t < count; t++)
        for (int r = 0; r < 2; r++)
            for (int a = 0; a < AROUND; a++)
                for (int z = 0; z <= ALONG; z++) {
                    double phi = 2 * LMB_PI * a / AROUND, radius = r ? outer : inner;
                    lmb_mesh_add_node(m, tube_node(t, r, a, z) + 1,
                                      v3(0.1 * t + radius * cos(phi), radius * sin(phi), length * z / ALONG));
                }
    for (int t = 0; t < count; t++)
        for (int a = 0; a < AROUND; a++)
            for (int z = 0; z < ALONG; z++) {
                int nodes[8], n = 0;
                for (int up = 0; up < 2; up++) {
                    nodes[n++] = tube_node(t, 0, a, z + up), nodes[n++] = tube_node(t, 1, a, z + up);
                    nodes[n++] = tube_node(t, 1, a + 1, z + up), nodes[n++] = tube_node(t, 0, a + 1, z + up);
                }
                lmb_mesh_add_element(m, &lmb_element_hex8, (t * AROUND + a) * ALONG + z + 1, nodes, -1, 0);
            }
    return m;
}

TEST(faces_of_a_tube) {
    lmb_mesh *m = tubes(1);
    lmb_face_list l;
    lmb_error err = {0};
    int cylinders = 0, planes = 0;
    if (!CHECK_OK(lmb_face_list_make(&l, m, LMB_FACES_OF_MESH, &err), err)) return;
    CHECK(l.face_count == 4 && l.facet_count == 2 * AROUND * ALONG + 2 * AROUND);
    double chords = 2 * AROUND * sin(LMB_PI / AROUND) * length; // of the radius one
    for (int i = 0; i < l.face_count; i++) {
        const lmb_face *f = &l.faces[i];
        CHECK(f->number == i + 1);
        CHECK_NEAR(fabs(f->surface.axis.z), 1, 1e-9);
        cylinders += f->surface.kind == LMB_SURFACE_CYLINDER, planes += f->surface.kind == LMB_SURFACE_PLANE;
        if (f->surface.kind == LMB_SURFACE_CYLINDER) CHECK_NEAR(f->area / (chords * f->surface.r), 1, 1e-9);
    }
    CHECK(cylinders == 2 && planes == 2);
    lmb_face_list_free(&l);
    lmb_mesh_destroy(m);
}

static const lmb_face_choice bore = {.by = LMB_CHOSEN_SURFACE,
                                     .surface = {.kind = LMB_SURFACE_CYLINDER, .axis = {0, 0, 1}, .r = 0.01},
                                     .anywhere = true};

static bool catches(lmb_caught *c, const lmb_face_list *l, const lmb_face_choice *choice, int nodes,
                    double area) {
    lmb_error err = {0};
    if (!CHECK_OK(lmb_face_list_catch(c, l, choice, "interface 'a'", LMB_NOWHERE, &err), err)) return false;
    bool ok = CHECK(c->count == nodes) && CHECK_NEAR(c->area / area, 1, 1e-9);
    lmb_free(c->nodes);
    return ok;
}

static void refuses(const lmb_face_list *l, const lmb_face_choice *choice, const char *text) {
    lmb_caught c;
    lmb_error err = {0};
    CHECK(lmb_face_list_catch(&c, l, choice, "interface 'a'", LMB_NOWHERE, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, text);
}

TEST(faces_are_caught) {
    lmb_mesh *m = tubes(2);
    lmb_face_list l;
    lmb_caught c;
    lmb_error err = {0};
    double one = 2 * AROUND * sin(LMB_PI / AROUND) * inner * length;
    if (!CHECK_OK(lmb_face_list_make(&l, m, LMB_FACES_OF_MESH, &err), err)) return;
    lmb_face_choice choice = bore;
    refuses(&l, &choice, "interface 'a' fits 2 cylinders, with axes through [");
    choice.has_near = true, choice.near = v3(0.1, 0, 0);
    if (catches(&c, &l, &choice, AROUND * (ALONG + 1), one)) {
        CHECK(c.surface.kind == LMB_SURFACE_CYLINDER);
        CHECK_NEAR(c.surface.at.x, 0.1, 1e-9);
    }
    choice = bore, choice.anywhere = false; // the axis through the origin
    catches(&c, &l, &choice, AROUND * (ALONG + 1), one);
    // both bores have the plane z = 0 in common; the sides of the bore have their corners in it, too, but lie across
    const lmb_face_choice bottom = {.by = LMB_CHOSEN_SURFACE,
                                    .surface = {.kind = LMB_SURFACE_PLANE, .axis = {0, 0, 1}}};
    double ring = AROUND * sin(2 * LMB_PI / AROUND) / 2 * (outer * outer - inner * inner);
    catches(&c, &l, &bottom, 4 * AROUND, 2 * ring);
    choice = bottom, choice.has_near = true, choice.near = v3(0.12, 0, 0);
    catches(&c, &l, &choice, 2 * AROUND, ring);
    const lmb_face_choice box = {.by = LMB_CHOSEN_BOX, .low = {-1, -1, -1e-9}, .high = {0.05, 1, 1e-9}};
    catches(&c, &l, &box, 2 * AROUND, ring);
    const double numbers[] = {1, 2, 3, 4};
    const lmb_face_choice all = {.by = LMB_CHOSEN_NUMBERS, .number_count = 4, .numbers = numbers};
    catches(&c, &l, &all, 2 * AROUND * (ALONG + 1), 3 * one + 2 * ring);
    lmb_face_list_free(&l);
    lmb_mesh_destroy(m);
}

// A bore in five sides is no face of its own, but its cylinder is found: the corners are on it.
TEST(faces_of_a_coarse_mesh) {
    lmb_face_list l = {0};
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    lmb_caught c;
    if (!CHECK_OK(lmb_mesh_create(&m, "coarse.inp", &err), err)) return;
    for (int r = 0; r < 2; r++)
        for (int a = 0; a < 5; a++)
            for (int z = 0; z < 2; z++) {
                double phi = 0.4 + 2 * LMB_PI * a / 5, radius = r ? 0.02 : 0.01;
                lmb_mesh_add_node(m, (r * 5 + a) * 2 + z + 1,
                                  v3(3 + radius * cos(phi), radius * sin(phi), 0.01 * z));
            }
    for (int a = 0; a < 5; a++) {
        int b = (a + 1) % 5,
            nodes[8] = {2 * a, 10 + 2 * a, 10 + 2 * b, 2 * b, 2 * a + 1, 11 + 2 * a, 11 + 2 * b, 2 * b + 1};
        lmb_mesh_add_element(m, &lmb_element_hex8, a + 1, nodes, -1, 0);
    }
    if (CHECK_OK(lmb_face_list_make(&l, m, LMB_FACES_OF_MESH, &err), err)) {
        CHECK(l.face_count == 12); // ten flats and two ends
        if (catches(&c, &l, &bore, 10, 5 * 2 * 0.01 * sin(LMB_PI / 5) * 0.01))
            CHECK_NEAR(c.surface.at.x, 3, 1e-12);
        lmb_face_list_free(&l);
    }
    lmb_mesh_destroy(m);
}

// A pin of six sides, in wedges that fan out from one edge: the triangles of its ends have all their corners on the cylinder, but are
// not its wall.
TEST(faces_of_a_pin) {
    lmb_face_list l = {0};
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    lmb_caught c;
    if (!CHECK_OK(lmb_mesh_create(&m, "pin.inp", &err), err)) return;
    for (int a = 0; a < 6; a++)
        for (int z = 0; z < 2; z++)
            lmb_mesh_add_node(m, 2 * a + z + 1,
                              v3(0.01 * cos(a * LMB_PI / 3), 0.01 * sin(a * LMB_PI / 3), 0.02 * z));
    for (int a = 1; a < 5; a++) {
        int nodes[6] = {0, 2 * a, 2 * a + 2, 1, 2 * a + 1, 2 * a + 3};
        lmb_mesh_add_element(m, &lmb_element_wedge6, a, nodes, -1, 0);
    }
    if (CHECK_OK(lmb_face_list_make(&l, m, LMB_FACES_OF_MESH, &err), err)) {
        catches(&c, &l, &bore, 12, 6 * 0.01 * 0.02);
        lmb_face_list_free(&l);
    }
    lmb_mesh_destroy(m);
}

// A square hole has four sides whose middles touch the circle, but no round wall.
TEST(faces_of_a_square_hole) {
    enum { W = 8 };
    lmb_face_list l = {0};
    lmb_mesh *m = NULL;
    lmb_axis_list axes;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_create(&m, "square.inp", &err), err)) return;
    for (int x = 0; x <= W; x++)
        for (int y = 0; y <= W; y++)
            for (int z = 0; z < 2; z++) lmb_mesh_add_node(m, (x * (W + 1) + y) * 2 + z + 1, v3(x, y, z));
    for (int x = 0; x < W; x++)
        for (int y = 0; y < W; y++) {
            int a = (x * (W + 1) + y) * 2, b = a + 2 * (W + 1),
                nodes[8] = {a, b, b + 2, a + 2, a + 1, b + 1, b + 3, a + 3};
            bool hole = x > 1 && x < W - 2 && y > 1 && y < W - 2;
            if (!hole && !(x == W - 2 && y > 1 && y < W - 2) && !(y == W - 2 && x > 1 && x <= W - 2))
                lmb_mesh_add_element(m, &lmb_element_hex8, x * W + y + 1, nodes, -1, 0);
        }
    // the hole is 5 wide, its middle sides are one wide: r^2 = 2.5^2 + 0.5^2
    if (CHECK_OK(lmb_face_list_make(&l, m, LMB_FACES_OF_MESH, &err), err) &&
        CHECK_OK(lmb_face_list_axes(&axes, &l, v3(0, 0, 1), sqrt(6.5), 1e-6, &err), err))
        CHECK(axes.count == 0);
    lmb_face_list_free(&l);
    lmb_mesh_destroy(m);
}

TEST(faces_that_are_not_there) {
    lmb_mesh *m = tubes(1);
    lmb_face_list l;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_face_list_make(&l, m, LMB_FACES_OF_MESH, &err), err)) return;
    lmb_face_choice c = bore;
    c.surface.r = 0.011;
    refuses(&l, &c, "has no faces: nothing lies there within 1.1e-05 m; the nearest: face ");
    refuses(&l, &c, "a cylinder of radius 0.01 m about [0, 0, 1]");
    c = bore, c.surface.axis = v3(1, 0, 0);
    refuses(&l, &c, "a cylinder of radius");
    const double number = 77, half = 1.5;
    refuses(&l, &(lmb_face_choice){.by = LMB_CHOSEN_NUMBERS, .number_count = 1, .numbers = &number},
            "the part has no face 77; it has 4, the last is 4");
    refuses(&l, &(lmb_face_choice){.by = LMB_CHOSEN_NUMBERS, .number_count = 1, .numbers = &half},
            "has no face");
    refuses(&l, &(lmb_face_choice){.by = LMB_CHOSEN_BOX, .low = {1, 1, 1}, .high = {2, 2, 2}},
            "has no faces");
    lmb_face_list_free(&l);
    lmb_mesh_destroy(m);
}
