// part/surface.c: fits surfaces to the points of a piece.
//
// A start comes from the normals, then Gauss-Newton makes sum d(x_i)^2 small, with d the distance from the surface:
//
//   plane      d = n . (x - a)                       n: least spread of the points
//   cylinder   d = rho - r                           axis: least mean of (n . a)^2; a circle in the plane across it
//   sphere     d = |x - c| - r                       |x|^2 = 2 c . x + (r^2 - c^2): linear
//   cone       d = rho cos A - s sin A               n . (x - apex) = 0: linear; n . axis is the same everywhere
//   torus      d = hypot(rho - R, s) - r             all normals meet the axis: n . m + (x cross n) . a = 0, its line (a, m)
//
// with s = a . (x - at) and rho = |x - at - s a|.  The simplest surface that fits wins: a piece of a large sphere within
// tolerance of a plane is a plane.
#include "part/surface.h"

#include "linalg/linalg.h"

#include <string.h>

const char *const lmb_surface_names[] = {"plane", "cylinder", "sphere", "cone", "torus", "other"};

// ---- distances and normals ---------------------------------------------------------------------

typedef struct polar { // x in the frame of an axis: s along it, rho away from it in direction e
    double s, rho;
    vec3 e;
} polar;

static polar polar_of(const lmb_surface *f, vec3 x) {
    vec3 d = v3_sub(x, f->at);
    double s = v3_dot(d, f->axis);
    vec3 across = v3_madd(d, -s, f->axis);
    double rho = v3_norm(across);
    return (polar){s, rho, rho > 0 ? v3_scale(1 / rho, across) : V3_ZERO};
}

double lmb_surface_distance(const lmb_surface *f, vec3 x) {
    polar p = polar_of(f, x);
    switch (f->kind) {
    case LMB_SURFACE_PLANE: return p.s;
    case LMB_SURFACE_CYLINDER: return p.rho - f->r;
    case LMB_SURFACE_SPHERE: return v3_norm(v3_sub(x, f->at)) - f->r;
    case LMB_SURFACE_CONE: return p.rho * cos(f->angle) - p.s * sin(f->angle);
    case LMB_SURFACE_TORUS: return hypot(p.rho - f->R, p.s) - f->r;
    default: return INFINITY;
    }
}

vec3 lmb_surface_normal(const lmb_surface *f, vec3 x) {
    polar p = polar_of(f, x);
    vec3 n = V3_ZERO;
    switch (f->kind) {
    case LMB_SURFACE_PLANE: n = f->axis; break;
    case LMB_SURFACE_CYLINDER: n = p.e; break;
    case LMB_SURFACE_SPHERE: n = v3_sub(x, f->at); break;
    case LMB_SURFACE_CONE: n = v3_madd(v3_scale(cos(f->angle), p.e), -sin(f->angle), f->axis); break;
    case LMB_SURFACE_TORUS: n = v3_madd(v3_scale(p.rho - f->R, p.e), p.s, f->axis); break;
    default: break;
    }
    return v3_has_direction(n) ? v3_unit(n) : V3_ZERO;
}

// ---- small linear problems ---------------------------------------------------------------------

enum { MOST = 7 }; // unknowns

// min |A p - b| by its normal equations, added row by row
typedef struct squares {
    int n;
    double A[MOST * MOST], b[MOST];
} squares;

static void add_row(squares *q, const double *row, double b, double weight) {
    for (int i = 0; i < q->n; i++) {
        q->b[i] += weight * row[i] * b;
        for (int j = 0; j < q->n; j++) q->A[q->n * i + j] += weight * row[i] * row[j];
    }
}

static bool solve(double *p, squares *q) {
    int pivot[MOST];
    if (!lmb_dense_lu(q->A, pivot, q->n)) return false;
    memcpy(p, q->b, (size_t)q->n * sizeof *p);
    lmb_dense_lu_solve(p, q->A, pivot, q->n);
    for (int i = 0; i < q->n; i++)
        if (!isfinite(p[i])) return false;
    return true;
}

// the direction in which a symmetric 3 x 3 sum is smallest
static vec3 least_direction(const double *S) {
    double A[9], values[3], V[9];
    memcpy(A, S, sizeof A);
    lmb_dense_eigen_symmetric(values, V, A, 3);
    return v3(V[0], V[3], V[6]);
}

static void add_outer(double *S, vec3 a, double weight) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) S[3 * i + j] += weight * v3_get(a, i) * v3_get(a, j);
}

static vec3 mean(const vec3 *x, int count) {
    vec3 sum = V3_ZERO;
    for (int i = 0; i < count; i++) sum = v3_add(sum, x[i]);
    return v3_scale(1.0 / count, sum);
}

// ---- starts: in lengths of the piece, about its middle -----------------------------------------

static bool start_plane(lmb_surface *f, const lmb_surface_piece *p) {
    double S[9] = {0};
    f->at = mean(p->points, p->point_count);
    for (int i = 0; i < p->point_count; i++) add_outer(S, v3_sub(p->points[i], f->at), 1);
    f->axis = least_direction(S);
    return v3_has_direction(f->axis);
}

// a circle in the plane across the axis: |y|^2 = 2 c . y + (r^2 - c^2)
static bool start_circle(lmb_surface *f, const lmb_surface_piece *p) {
    mat3 E = m3_frame_z(f->axis, v3(1, 0, 0));
    squares q = {.n = 3};
    double u[3];
    for (int i = 0; i < p->point_count; i++) {
        vec3 y = m3_tmul_v3(&E, p->points[i]);
        add_row(&q, (double[]){2 * y.x, 2 * y.y, 1}, y.x * y.x + y.y * y.y, 1);
    }
    if (!solve(u, &q)) return false;
    f->at = m3_mul_v3(&E, v3(u[0], u[1], 0));
    f->r = sqrt(fmax(u[2] + u[0] * u[0] + u[1] * u[1], 0));
    return f->r > 0;
}

static bool start_cylinder(lmb_surface *f, const lmb_surface_piece *p) {
    double S[9] = {0};
    for (int i = 0; i < p->facet_count; i++) add_outer(S, p->normals[i], p->areas[i]);
    f->axis = least_direction(S);
    return v3_has_direction(f->axis) && start_circle(f, p);
}

static bool start_sphere(lmb_surface *f, const lmb_surface_piece *p) {
    squares q = {.n = 4};
    double u[4];
    f->axis = v3(0, 0, 1);
    for (int i = 0; i < p->point_count; i++) {
        vec3 x = p->points[i];
        add_row(&q, (double[]){2 * x.x, 2 * x.y, 2 * x.z, 1}, v3_dot(x, x), 1);
    }
    if (!solve(u, &q)) return false;
    f->at = v3_load(u);
    f->r = sqrt(fmax(u[3] + v3_dot(f->at, f->at), 0));
    return f->r > 0;
}

static bool start_cone(lmb_surface *f, const lmb_surface_piece *p) {
    squares q = {.n = 3};
    double S[9] = {0}, u[3], sum = 0;
    vec3 middle = V3_ZERO;
    for (int i = 0; i < p->facet_count; i++) {
        vec3 n = p->normals[i];
        add_row(&q, (double[]){n.x, n.y, n.z}, v3_dot(n, p->centres[i]), p->areas[i]);
        middle = v3_madd(middle, p->areas[i], n), sum += p->areas[i];
    }
    if (!(sum > 0) || !solve(u, &q)) return false;
    f->at = v3_load(u);
    for (int i = 0; i < p->facet_count; i++)
        add_outer(S, v3_madd(p->normals[i], -1 / sum, middle), p->areas[i]);
    f->axis = least_direction(S);
    if (!v3_has_direction(f->axis)) return false;
    if (v3_dot(f->axis, v3_sub(mean(p->points, p->point_count), f->at)) < 0) f->axis = v3_neg(f->axis);
    f->angle = asin(fmin(fabs(v3_dot(f->axis, middle)) / sum, 1));
    return f->angle > 1e-3 && f->angle < LMB_PI / 2 - 1e-3;
}

// the line of Pluecker coordinates (a, m) that the normals meet; then a circle in (rho, s)
static bool start_torus(lmb_surface *f, const lmb_surface_piece *p) {
    double S[36] = {0}, values[6], V[36], u[3];
    for (int i = 0; i < p->facet_count; i++) {
        vec3 n = p->normals[i], t = v3_cross(p->centres[i], n);
        const double row[6] = {t.x, t.y, t.z, n.x, n.y, n.z};
        for (int k = 0; k < 36; k++) S[k] += p->areas[i] * row[k / 6] * row[k % 6];
    }
    lmb_dense_eigen_symmetric(values, V, S, 6);
    vec3 a = v3(V[0], V[6], V[12]), m = v3(V[18], V[24], V[30]);
    if (!(v3_norm(a) > 1e-6)) return false;
    f->axis = v3_unit(a);
    f->at = v3_scale(1 / v3_dot(a, a), v3_cross(a, m)); // the point of the line next to the origin
    squares q = {.n = 3};
    for (int i = 0; i < p->point_count; i++) {
        polar y = polar_of(f, p->points[i]);
        add_row(&q, (double[]){2 * y.rho, 2 * y.s, 1}, y.rho * y.rho + y.s * y.s, 1);
    }
    if (!solve(u, &q)) return false;
    f->at = v3_madd(f->at, u[1], f->axis);
    f->R = u[0], f->r = sqrt(fmax(u[2] + u[0] * u[0] + u[1] * u[1], 0));
    return f->R > 0 && f->r > 0;
}

// ---- Gauss-Newton ------------------------------------------------------------------------------

typedef struct fitter {
    lmb_surface_kind kind;
    bool (*start)(lmb_surface *f, const lmb_surface_piece *p);
    int unknowns; // at (3), axis (2), then r, R or angle
    bool turns;   // the axis is unknown
} fitter;

// a step along the unknowns; the axis turns about two directions across it
static lmb_surface moved(const lmb_surface *f, const fitter *k, const double *p) {
    lmb_surface g = *f;
    int at = 3;
    g.at = v3_add(f->at, v3_load(p));
    if (k->turns) {
        mat3 E = m3_frame_z(f->axis, v3(1, 0, 0));
        g.axis = v3_unit(m3_mul_v3(&E, v3(p[at], p[at + 1], 1))), at += 2;
    }
    if (k->kind == LMB_SURFACE_CONE) g.angle = f->angle + p[at];
    else if (k->kind != LMB_SURFACE_PLANE) g.r = f->r + p[at];
    if (k->kind == LMB_SURFACE_TORUS) g.R = f->R + p[at + 1];
    return g;
}

// dd/dp by central differences: the lengths are of order one
static void row_of(double *row, const lmb_surface *f, const fitter *k, vec3 x) {
    const double h = 1e-6;
    for (int i = 0; i < k->unknowns; i++) {
        double p[MOST] = {0};
        p[i] = h;
        lmb_surface up = moved(f, k, p);
        p[i] = -h;
        lmb_surface down = moved(f, k, p);
        row[i] = (lmb_surface_distance(&up, x) - lmb_surface_distance(&down, x)) / (2 * h);
    }
}

static double squares_of(const lmb_surface *f, const lmb_surface_piece *p) {
    double sum = 0;
    for (int i = 0; i < p->point_count; i++) {
        double d = lmb_surface_distance(f, p->points[i]);
        sum += d * d;
    }
    return isfinite(sum) ? sum : INFINITY;
}

// Levenberg's damping also carries the unknowns that have no effect, such as the place along an axis
static void improve(lmb_surface *f, const fitter *k, const lmb_surface_piece *p) {
    double before = squares_of(f, p), damping = 1e-6;
    for (int turn = 0; turn < 30 && before > 0; turn++) {
        squares q = {.n = k->unknowns};
        double step[MOST], row[MOST];
        for (int i = 0; i < p->point_count; i++) {
            row_of(row, f, k, p->points[i]);
            add_row(&q, row, -lmb_surface_distance(f, p->points[i]), 1);
        }
        for (int i = 0; i < q.n; i++) q.A[q.n * i + i] += damping * p->point_count;
        if (!solve(step, &q)) return;
        lmb_surface g = moved(f, k, step);
        double after = squares_of(&g, p);
        if (!(after < before)) {
            if ((damping *= 100) > 1) return;
            continue;
        }
        bool done = before - after < 1e-6 * before;
        *f = g, before = after, damping *= 0.1;
        if (done) return;
    }
}

// ---- the choice --------------------------------------------------------------------------------

// Chords of a circle in twelve are 15 degrees off at their ends, triangles in steep places more; an edge that is not
// rounded is 45 off at least.
static const double most_off = 0.85; // cosine

static bool normals_fit(const lmb_surface *f, const lmb_surface_piece *p) {
    double sum = 0, good = 0;
    for (int i = 0; i < p->facet_count; i++) {
        vec3 n = lmb_surface_normal(f, p->centres[i]);
        sum += p->areas[i];
        if (fabs(v3_dot(n, p->normals[i])) >= most_off) good += p->areas[i];
    }
    return good >= 0.98 * sum;
}

static bool points_fit(const lmb_surface *f, const lmb_surface_piece *p, double tolerance) {
    for (int i = 0; i < p->point_count; i++)
        if (!(fabs(lmb_surface_distance(f, p->points[i])) <= tolerance)) return false;
    return true;
}

// the piece moved to its middle and scaled to the length of one
typedef struct scaled {
    vec3 middle;
    double size;
    lmb_surface_piece piece, few; // few: some of its points, evenly chosen, for Gauss-Newton
    vec3 *points;
} scaled;
enum { FEW = 500 };

static bool scale_piece(scaled *s, const lmb_surface_piece *p) {
    *s = (scaled){.middle = mean(p->points, p->point_count), .piece = *p};
    for (int i = 0; i < p->point_count; i++)
        s->size = fmax(s->size, v3_norm(v3_sub(p->points[i], s->middle)));
    s->points = lmb_alloc((size_t)(p->point_count + p->facet_count) + FEW, sizeof *s->points);
    if (s->points == NULL || !(s->size > 0) || !isfinite(s->size)) return false;
    for (int i = 0; i < p->point_count + p->facet_count; i++) {
        vec3 x = i < p->point_count ? p->points[i] : p->centres[i - p->point_count];
        s->points[i] = v3_scale(1 / s->size, v3_sub(x, s->middle));
    }
    s->piece.points = s->points, s->piece.centres = s->points + p->point_count;
    vec3 *few = s->points + p->point_count + p->facet_count;
    int count = p->point_count < FEW ? p->point_count : FEW;
    for (int i = 0; i < count; i++) few[i] = s->points[(int64_t)i * p->point_count / count];
    s->few = s->piece;
    s->few.points = few, s->few.point_count = count;
    return true;
}

vec3 lmb_surface_clean(vec3 x, double one) {
    return v3(fabs(x.x) < 1e-9 * one ? 0 : x.x, fabs(x.y) < 1e-9 * one ? 0 : x.y,
              fabs(x.z) < 1e-9 * one ? 0 : x.z);
}

// the largest part of a unit axis is positive; a point of an axis or plane next to the middle of the piece
static lmb_surface tidy(lmb_surface f, const scaled *s) {
    if (f.kind == LMB_SURFACE_CYLINDER || f.kind == LMB_SURFACE_PLANE)
        f.at = f.kind == LMB_SURFACE_PLANE ? v3_scale(v3_dot(f.at, f.axis), f.axis)
                                           : v3_madd(f.at, -v3_dot(f.at, f.axis), f.axis);
    f.axis = v3_unit(lmb_surface_clean(f.axis, 1));
    vec3 a = f.axis;
    double most = fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z)));
    double lead = fabs(a.z) > most - 1e-9 ? a.z : fabs(a.y) > most - 1e-9 ? a.y : a.x;
    if (f.kind != LMB_SURFACE_CONE && lead < 0) f.axis = v3_neg(a);
    f.at = lmb_surface_clean(v3_madd(s->middle, s->size, f.at), s->size);
    f.r *= s->size, f.R *= s->size;
    return f;
}

lmb_surface lmb_surface_fit(const lmb_surface_piece *p, double tolerance) {
    static const fitter fitters[] = {
        {LMB_SURFACE_PLANE, start_plane, 5, true},    {LMB_SURFACE_CYLINDER, start_cylinder, 6, true},
        {LMB_SURFACE_SPHERE, start_sphere, 4, false}, {LMB_SURFACE_CONE, start_cone, 6, true},
        {LMB_SURFACE_TORUS, start_torus, 7, true},
    };
    const lmb_surface other = {.kind = LMB_SURFACE_OTHER};
    scaled s;
    bool ok = p->point_count >= 3 && p->facet_count >= 1;
    if (!ok) return other;
    ok = scale_piece(&s, p);
    lmb_surface found = other;
    for (int i = 0; i < LMB_COUNT(fitters) && ok && found.kind == LMB_SURFACE_OTHER; i++) {
        const fitter *k = &fitters[i];
        lmb_surface f = {.kind = k->kind};
        // fewer points than twice the unknowns say little about anything but a plane
        if (i > 0 && p->point_count < 2 * k->unknowns) continue;
        if (!k->start(&f, &s.piece)) continue;
        if (i > 0) improve(&f, k, &s.few);
        if (points_fit(&f, &s.piece, tolerance / s.size) && normals_fit(&f, &s.piece)) found = tidy(f, &s);
    }
    lmb_free(s.points);
    return found;
}
