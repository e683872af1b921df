// fe/outline.c: the outline of a cross-section about its centroid, for pictures.
//
// Loops of points, counter-clockwise seen against x (from y to z): the outer one, then the hole, and triangles between
// them that close the ends of a beam.  Round sections get ROUND sides.  A section given by numbers is drawn as the
// rectangle of the same radii of gyration: y = sqrt(12 Iz/A), z = sqrt(12 Iy/A).
#include "fe/fe.h"

enum { ROUND = 24 };

static void add_point(lmb_outline *o, double y, double z) {
    o->p[o->points][0] = y, o->p[o->points++][1] = z;
}

static void add_triangle(lmb_outline *o, int a, int b, int c) {
    int *t = o->triangle[o->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void end_loop(lmb_outline *o) { o->loop[++o->loops] = o->points; }

static void add_circle(lmb_outline *o, double r) {
    for (int k = 0; k < ROUND; k++)
        add_point(o, r * cos(2 * LMB_PI * k / ROUND), r * sin(2 * LMB_PI * k / ROUND));
    end_loop(o);
}

static void add_rectangle(lmb_outline *o, double y, double z) {
    for (int k = 0; k < 4; k++) add_point(o, (k == 1 || k == 2 ? -y : y) / 2, (k < 2 ? z : -z) / 2);
    end_loop(o);
}

// a convex loop, from its first point
static void close_fan(lmb_outline *o) {
    for (int k = 1; k + 1 < o->points; k++) add_triangle(o, 0, k, k + 1);
}

// the ring between two loops of as many points
static void close_ring(lmb_outline *o) {
    int n = o->loop[1];
    for (int k = 0; k < n; k++) {
        int next = (k + 1) % n;
        add_triangle(o, k, next, n + k);
        add_triangle(o, next, n + next, n + k);
    }
}

static void add_loop(lmb_outline *o, const double (*p)[2], int count) {
    for (int k = 0; k < count; k++) add_point(o, p[k][0], p[k][1]);
    end_loop(o);
}

static void add_quads(lmb_outline *o, const int (*quad)[4], int count) {
    for (int k = 0; k < count; k++) {
        add_triangle(o, quad[k][0], quad[k][1], quad[k][2]);
        add_triangle(o, quad[k][0], quad[k][2], quad[k][3]);
    }
}

static void add_i(lmb_outline *o, const double *s) {
    double h = s[0] / 2, b = s[1] / 2, w = s[2] / 2, f = h - s[3];
    const double p[12][2] = {{h, b},   {f, b},   {f, w},   {-f, w}, {-f, b}, {-h, b},
                             {-h, -b}, {-f, -b}, {-f, -w}, {f, -w}, {f, -b}, {h, -b}};
    static const int quads[3][4] = {{0, 1, 10, 11}, {2, 3, 8, 9}, {4, 5, 6, 7}};
    add_loop(o, p, 12);
    add_quads(o, quads, 3);
}

static void add_l(lmb_outline *o, const double *s) {
    double y = s[0], z = s[1], t = s[2], a = y * t, b = (z - t) * t, A = a + b;
    double yc = (a * y / 2 + b * t / 2) / A, zc = (a * t / 2 + b * (z + t) / 2) / A;
    const double p[6][2] = {{0, 0}, {y, 0}, {y, t}, {t, t}, {t, z}, {0, z}};
    static const int quads[2][4] = {{0, 1, 2, 3}, {0, 3, 4, 5}};
    add_loop(o, p, 6);
    for (int k = 0; k < 6; k++) o->p[k][0] -= yc, o->p[k][1] -= zc;
    add_quads(o, quads, 2);
}

lmb_drawn_section lmb_profile_drawn(const lmb_profile *p) {
    lmb_drawn_section s = {.shape = LMB_PROFILE_RECTANGLE};
    if (p->sizes == 0) {
        s.size[0] = sqrt(12 * p->Iz / p->A), s.size[1] = sqrt(12 * p->Iy / p->A);
        return s;
    }
    s.shape = p->shape;
    for (int i = 0; i < p->sizes; i++) s.size[i] = p->size[i];
    if (p->shape == LMB_PROFILE_BOX && p->sizes == 3) s.size[3] = s.size[2];
    return s;
}

void lmb_outline_make(lmb_outline *out, const lmb_drawn_section *section) {
    const double *s = section->size;
    *out = (lmb_outline){0};
    switch (section->shape) {
    case LMB_PROFILE_CIRCLE: add_circle(out, s[0] / 2), close_fan(out); return;
    case LMB_PROFILE_TUBE:
        add_circle(out, s[0] / 2), add_circle(out, s[0] / 2 - s[1]), close_ring(out);
        return;
    case LMB_PROFILE_BOX:
        add_rectangle(out, s[0], s[1]), add_rectangle(out, s[0] - 2 * s[2], s[1] - 2 * s[3]);
        close_ring(out);
        return;
    case LMB_PROFILE_I: add_i(out, s); return;
    case LMB_PROFILE_L: add_l(out, s); return;
    default: add_rectangle(out, s[0], s[1]), close_fan(out);
    }
}
