// fe/section.c: cross-sections of beams from their sizes.
//
// Area moments are exact sums over rectangles or circles.  Torsion: exact for circle, tube and rectangle (series),
// Bredt with corner terms for the box, thin rectangles with end and junction terms for I and L.  Shear factors after Cowper, J. Appl.
// Mech. 33 (1966); L by the energy of the thin-walled shear flow.              docs/theory/elements.md (8) to (12)
#include "fe/fe.h"

typedef lmb_profile section;

// ---- parts of the formulas ---------------------------------------------------------------------

// end of a rectangle in torsion: J loses this times t^4 an end
static const double END_LOSS = 0.105;
// corner of two legs of thickness t: J gains this times t^4
static const double CORNER_GAIN = 0.0723;
// corner of a box: mean of Prandtl's function there, relative to its value in the hole
static const double CORNER_MEAN = 0.18;

static double sq(double x) { return x * x; }

typedef struct area { // int (1, y, z, yy, zz, yz) dA
    double A, Sy, Sz, yy, zz, yz;
} area;

// += sign times the moments of the rectangle y0..y1, z0..z1
static void add_rectangle(area *a, double sign, double y0, double y1, double z0, double z1) {
    double h = y1 - y0, b = z1 - z0, y = (y0 + y1) / 2, z = (z0 + z1) / 2, A = sign * h * b;
    a->A += A;
    a->Sy += A * y;
    a->Sz += A * z;
    a->yy += A * (y * y + h * h / 12);
    a->zz += A * (z * z + b * b / 12);
    a->yz += A * y * z;
}

// centroid, moments about it, principal axes: tan 2 turn = 2 Iyz / (Izz - Iyy), Iz the larger one       (8)
static void set_area(section *s, const area *a) {
    s->A = a->A;
    s->y_c = a->Sy / a->A;
    s->z_c = a->Sz / a->A;
    double yy = a->yy - a->A * sq(s->y_c), zz = a->zz - a->A * sq(s->z_c),
           yz = a->yz - a->A * s->y_c * s->z_c;
    s->turn = 0.5 * atan2(2 * yz, yy - zz);
    double mean = (yy + zz) / 2, radius = hypot((yy - zz) / 2, yz);
    s->Iz = mean + radius;
    s->Iy = (yy * zz - yz * yz) / s->Iz;
}

// a point of the described axes in principal axes about the centroid
static void principal(double out[2], const section *s, double y, double z) {
    double c = cos(s->turn), d = sin(s->turn);
    y -= s->y_c, z -= s->z_c;
    out[0] = c * y + d * z;
    out[1] = -d * y + c * z;
}

static void add_fibre(section *s, double y, double z) { principal(s->fibre[s->fibres++], s, y, z); }

static void corner_fibres(section *s, double y, double z) {
    for (int k = 0; k < 4; k++) add_fibre(s, k & 1 ? y : -y, k & 2 ? z : -z);
}

static void round_fibres(section *s, double r) {
    for (int k = 0; k < 8; k++) add_fibre(s, r * cos(k * LMB_PI / 4), r * sin(k * LMB_PI / 4));
}

// Cowper: rectangle
static double shear_rectangle(double nu) { return 10 * (1 + nu) / (12 + 11 * nu); }

// Cowper, thin walls: m: flanges by webs (areas), n: width by height (middle lines), last: terms with n^2   (10)
static double shear_walls(double m, double nu, double last) {
    double a = 12 + 72 * m + 150 * m * m + 90 * m * m * m, b = 11 + 66 * m + 135 * m * m + 90 * m * m * m;
    return 10 * (1 + nu) * sq(1 + 3 * m) / (a + nu * b + last);
}

// ---- the shapes --------------------------------------------------------------------------------

// circle and tube, m = inner by outer diameter
static void make_round(section *s, double d, double inner, double nu) {
    double m2 = sq(inner / d), n = sq(1 + m2);
    s->A = LMB_PI / 4 * d * d * (1 - m2);
    s->Iy = s->Iz = s->A * d * d * (1 + m2) / 16;
    s->J = 2 * s->Iz;
    s->Wt = s->J / (d / 2);
    // k = 6 (1 + nu) (1 + m2)^2 / ((7 + 6 nu) (1 + m2)^2 + (20 + 12 nu) m2)
    s->ky = s->kz = 6 * (1 + nu) * n / ((7 + 6 * nu) * n + (20 + 12 * nu) * m2);
    round_fibres(s, d / 2);
}

static void make_circle(section *s, const double *p, int count, double nu) {
    (void)count;
    make_round(s, p[0], 0, nu);
}

static void make_tube(section *s, const double *p, int count, double nu) {
    (void)count;
    make_round(s, p[0], p[0] - 2 * p[1], nu);
}

// torsion of the rectangle h x t, h >= t: Saint-Venant's series                                        (9)
static void torsion_rectangle(double *J, double *Wt, double h, double t) {
    double j = 0, w = 0;
    for (int n = 49; n > 0; n -= 2) {
        double x = n * LMB_PI * h / (2 * t);
        j += tanh(x) / pow(n, 5);
        w += x < 700 ? 1 / (n * n * cosh(x)) : 0;
    }
    *J = h * t * t * t / 3 * (1 - 192 * t / (pow(LMB_PI, 5) * h) * j);
    *Wt = *J / (t * (1 - 8 / sq(LMB_PI) * w));
}

static void make_rectangle(section *s, const double *p, int count, double nu) {
    double y = p[0], z = p[1];
    (void)count;
    s->A = y * z;
    s->Iz = z * y * y * y / 12;
    s->Iy = y * z * z * z / 12;
    torsion_rectangle(&s->J, &s->Wt, fmax(y, z), fmin(y, z));
    s->ky = s->kz = shear_rectangle(nu);
    corner_fibres(s, y / 2, z / 2);
}

// how long a corner of two walls is, in squares along the walls, from its inner point: r = ratio of the walls
static double corner_squares(double r) {
    return 1 / r - 2 / LMB_PI * log(4 * r / (r * r + 1)) +
           (r * r - 1) / (LMB_PI * r) * acos((r * r - 1) / (r * r + 1));
}

static void make_box(section *s, const double *p, int count, double nu) {
    double y = p[0], z = p[1], ty = p[2], tz = count == 4 ? p[3] : p[2];
    double iy = y - 2 * ty, iz = z - 2 * tz, my = y - ty, mz = z - tz;
    s->A = y * z - iy * iz;
    s->Iz = (z * y * y * y - iz * iy * iy * iy) / 12;
    s->Iy = (y * z * z * z - iy * iz * iz * iz) / 12;
    // J = 4 Am^2 / S + 1/3 int t^3 ds,  S = int ds/t with corners,  stress per twist = 2 Am / (t S) + t    (9)
    double Am = iy * iz + iz * ty + iy * tz + 4 * CORNER_MEAN * sq(fmin(ty, tz));
    double S = 2 * (iz / ty + iy / tz) + 4 * corner_squares(ty / tz);
    s->J = 4 * Am * Am / S + 2 * (iz * ty * ty * ty + iy * tz * tz * tz) / 3;
    s->Wt = s->J / fmax(2 * Am / (ty * S) + ty, 2 * Am / (tz * S) + tz);
    double m = mz * ty / (my * tz), n2 = sq(mz / my);
    s->ky = shear_walls(m, nu, 10 * n2 * ((3 + nu) * m + 3 * m * m));
    s->kz = shear_walls(1 / m, nu, 10 / n2 * ((3 + nu) / m + 3 / (m * m)));
    corner_fibres(s, y / 2, z / 2);
}

static void make_i(section *s, const double *p, int count, double nu) {
    double h = p[0], b = p[1], tw = p[2], tf = p[3], hw = h - 2 * tf;
    (void)count;
    s->A = 2 * b * tf + hw * tw;
    s->Iz = (b * h * h * h - (b - tw) * hw * hw * hw) / 12;
    s->Iy = (2 * tf * b * b * b + hw * tw * tw * tw) / 12;
    // J = 2/3 b tf^3 + 1/3 hw tw^3 - 4 ends + 2 junctions of tf^4 r^2 (0.147 + 0.228 r - 0.083 r^2), r = tw/tf   (9)
    double r = fmin(tw / tf, 2), junction = r * r * (0.147 + 0.228 * r - 0.083 * r * r);
    s->J = (2 * b * tf * tf * tf + hw * tw * tw * tw) / 3 + (2 * junction - 4 * END_LOSS) * sq(sq(tf));
    s->Wt = s->J / fmax(tw, tf);
    double m = 2 * b * tf / ((h - tf) * tw), n2 = sq(b / (h - tf));
    s->ky = shear_walls(m, nu, 30 * n2 * (m + m * m) + 5 * nu * n2 * (8 * m + 9 * m * m));
    // shear across the web is carried by the flanges alone
    s->kz = shear_rectangle(nu) * 2 * b * tf / s->A;
    corner_fibres(s, h / 2, b / 2);
}

// int Q^2 ds of a leg of length l and thickness 1, from its free end at distance c0 to the junction at c1 from the
// neutral axis: Q(x) = l x (c0 + c(x)) / 2, x = s/l                                                    (11)
static double leg_energy(double l, double c0, double c1) {
    // Q = l (c0 x + d x^2 / 2), d = c1 - c0: int = l^3 (c0^2/3 + c0 d/4 + d^2/20)
    double d = c1 - c0;
    return l * l * l * (c0 * c0 / 3 + c0 * d / 4 + d * d / 20);
}

// shear factors of two thin legs, in their own principal axes: 1/k = A/I^2 int Q^2/t ds
static void shear_legs(section *s, double ly, double lz) {
    section w = {0};
    double l = ly + lz, tip_y[2], tip_z[2], corner[2];
    area a = {l, ly * ly / 2, lz * lz / 2, ly * ly * ly / 3, lz * lz * lz / 3, 0};
    set_area(&w, &a);
    principal(tip_y, &w, ly, 0);
    principal(tip_z, &w, 0, lz);
    principal(corner, &w, 0, 0);
    double Q2y = leg_energy(ly, tip_y[0], corner[0]) + leg_energy(lz, tip_z[0], corner[0]);
    double Q2z = leg_energy(ly, tip_y[1], corner[1]) + leg_energy(lz, tip_z[1], corner[1]);
    s->ky = sq(w.Iz) / (l * Q2y);
    s->kz = sq(w.Iy) / (l * Q2z);
}

static void make_l(section *s, const double *p, int count, double nu) {
    double y = p[0], z = p[1], t = p[2], shear_centre[2];
    area a = {0};
    (void)count, (void)nu;
    add_rectangle(&a, 1, 0, y, 0, t);
    add_rectangle(&a, 1, 0, t, t, z);
    set_area(s, &a);
    s->J = (y + z - t) * t * t * t / 3 + (CORNER_GAIN - 2 * END_LOSS) * sq(sq(t));
    s->Wt = s->J / t;
    shear_legs(s, y - t / 2, z - t / 2);
    principal(shear_centre, s, t / 2, t / 2);
    s->y_s = shear_centre[0], s->z_s = shear_centre[1];
    const double corners[5][2] = {{0, 0}, {y, 0}, {y, t}, {t, z}, {0, z}};
    for (int k = 0; k < 5; k++) add_fibre(s, corners[k][0], corners[k][1]);
}

// ---- from sizes --------------------------------------------------------------------------------

static bool fits_tube(const double *p, int count) { return (void)count, p[1] < p[0] / 2; }
static bool fits_box(const double *p, int count) { return p[2] < p[0] / 2 && p[count - 1] < p[1] / 2; }
static bool fits_i(const double *p, int count) { return (void)count, p[3] < p[0] / 2 && p[2] < p[1]; }
static bool fits_l(const double *p, int count) { return (void)count, p[2] < fmin(p[0], p[1]); }

static const struct shape {
    const char *name, *sizes;
    int least, most;
    void (*make)(section *s, const double *p, int count, double nu);
    bool (*fits)(const double *p, int count);
    const char *rule;
} shapes[] = {
    [LMB_PROFILE_CIRCLE] = {"circle", "the diameter", 1, 1, make_circle, NULL, ""},
    [LMB_PROFILE_TUBE] = {"tube", "the outer diameter and the wall thickness", 2, 2, make_tube, fits_tube,
                          "the wall must be thinner than half the diameter"},
    [LMB_PROFILE_RECTANGLE] = {"rectangle", "the sizes along y and z", 2, 2, make_rectangle, NULL, ""},
    [LMB_PROFILE_BOX] = {"box", "the sizes along y and z and one or two wall thicknesses", 3, 4, make_box,
                         fits_box, "the walls must be thinner than half the sizes"},
    [LMB_PROFILE_I] = {"I", "the height, the width and the thicknesses of web and flanges", 4, 4, make_i,
                       fits_i,
                       "the flanges must be thinner than half the height, the web thinner than the width"},
    [LMB_PROFILE_L] = {"L", "the leg lengths along y and z and their thickness", 3, 3, make_l, fits_l,
                       "the thickness must be smaller than both legs"},
};

lmb_status lmb_profile_make(lmb_profile *out, lmb_profile_shape shape, const double *sizes, int count,
                            double nu, lmb_where where, lmb_error *err) {
    *out = (lmb_profile){0};
    if ((int)shape < 0 || (int)shape >= LMB_COUNT(shapes))
        return lmb_fail(err, LMB_ERR_INPUT, where, "unknown section shape %d", (int)shape);
    const struct shape *k = &shapes[shape];
    if (count < k->least || count > k->most)
        return lmb_fail(err, LMB_ERR_INPUT, where, "section '%s' needs %s; %d sizes given", k->name, k->sizes,
                        count);
    for (int i = 0; i < count; i++)
        if (!(sizes[i] > 0) || !isfinite(sizes[i]))
            return lmb_fail(err, LMB_ERR_INPUT, where, "size %d of section '%s' is %g; it must be positive",
                            i + 1, k->name, sizes[i]);
    if (k->fits && !k->fits(sizes, count))
        return lmb_fail(err, LMB_ERR_INPUT, where, "invalid sizes for section '%s': %s", k->name, k->rule);
    if (!(nu >= 0 && nu < 0.5))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "Poisson's ratio is %g; it must be at least 0 and below 0.5", nu);
    k->make(out, sizes, count, nu);
    out->sizes = count;
    out->shape = shape;
    out->nu = nu;
    for (int i = 0; i < count; i++) out->size[i] = sizes[i];
    return LMB_OK;
}

// ---- inertia -----------------------------------------------------------------------------------

lmb_line_inertia lmb_profile_inertia(const lmb_profile *s, double rho) {
    if (s->rhoA > 0) return (lmb_line_inertia){s->rhoA, s->rhoI[0], s->rhoI[1], s->rhoI[2]};
    return (lmb_line_inertia){rho * s->A, rho * (s->Iy + s->Iz), rho * s->Iy, rho * s->Iz};
}

vec3 lmb_line_moments(lmb_line_inertia in) {
    double xx = (in.Iy + in.Iz - in.Ix) / 2;
    if (!(xx > 1e-12 * in.Ix)) return v3(0, in.Iz, in.Iy);
    return v3(xx, (in.Iz + in.Ix - in.Iy) / 2, (in.Ix + in.Iy - in.Iz) / 2);
}

// ---- taper -------------------------------------------------------------------------------------

static double mix(double a, double b, double s) { return (1 - s) * a + s * b; }

bool lmb_profile_same(const lmb_profile *a, const lmb_profile *b) {
    const double x[][2] = {
        {a->A, b->A},       {a->Iy, b->Iy},           {a->Iz, b->Iz},           {a->J, b->J},
        {a->ky, b->ky},     {a->kz, b->kz},           {a->y_s, b->y_s},         {a->z_s, b->z_s},
        {a->turn, b->turn}, {a->rhoI[0], b->rhoI[0]}, {a->rhoI[1], b->rhoI[1]}, {a->rhoI[2], b->rhoI[2]},
        {a->rhoA, b->rhoA}};
    for (int i = 0; i < LMB_COUNT(x); i++)
        if (x[i][0] != x[i][1]) return false;
    return true;
}

// sections given by stiffness and mass: all of these linear
static void between_stiffness(section *out, const section *a, const section *b, double s) {
    out->A = mix(a->A, b->A, s), out->J = mix(a->J, b->J, s);
    out->Iy = mix(a->Iy, b->Iy, s), out->Iz = mix(a->Iz, b->Iz, s);
    out->ky = mix(a->ky * a->A, b->ky * b->A, s) / out->A;
    out->kz = mix(a->kz * a->A, b->kz * b->A, s) / out->A;
}

// sections given by numbers: radii of gyration i, iy iz/A, J/(Iy + Iz) and the rest linear            (12)
static section between_numbers(const section *a, const section *b, double s) {
    double ay = sqrt(a->Iy / a->A), az = sqrt(a->Iz / a->A), by = sqrt(b->Iy / b->A), bz = sqrt(b->Iz / b->A);
    double iy = mix(ay, by, s), iz = mix(az, bz, s);
    section out = s < 0.5 ? *a : *b;
    out.sizes = 0;
    out.A = iy * iz / mix(ay * az / a->A, by * bz / b->A, s);
    out.Iy = out.A * iy * iy;
    out.Iz = out.A * iz * iz;
    out.J = mix(a->J / (a->Iy + a->Iz), b->J / (b->Iy + b->Iz), s) * (out.Iy + out.Iz);
    out.ky = mix(a->ky, b->ky, s), out.kz = mix(a->kz, b->kz, s);
    out.y_s = mix(a->y_s, b->y_s, s), out.z_s = mix(a->z_s, b->z_s, s);
    out.y_c = mix(a->y_c, b->y_c, s), out.z_c = mix(a->z_c, b->z_c, s);
    out.turn = mix(a->turn, b->turn, s);
    out.Wt = pow(mix(cbrt(a->Wt), cbrt(b->Wt), s), 3);
    if (a->rhoA > 0 && b->rhoA > 0) between_stiffness(&out, a, b, s);
    out.rhoA = mix(a->rhoA, b->rhoA, s);
    for (int k = 0; k < 3; k++) out.rhoI[k] = mix(a->rhoI[k], b->rhoI[k], s);
    for (int k = 0; k < out.fibres; k++)
        for (int j = 0; j < 2; j++)
            if (a->fibres == b->fibres) out.fibre[k][j] = mix(a->fibre[k][j], b->fibre[k][j], s);
    return out;
}

lmb_profile lmb_profile_between(const lmb_profile *a, const lmb_profile *b, double s) {
    if (a->sizes == 0 || a->sizes != b->sizes || a->shape != b->shape) return between_numbers(a, b, s);
    double sizes[4];
    for (int i = 0; i < a->sizes; i++) sizes[i] = mix(a->size[i], b->size[i], s);
    section out;
    lmb_status st =
        lmb_profile_make(&out, a->shape, sizes, a->sizes, mix(a->nu, b->nu, s), LMB_NOWHERE, NULL);
    return st == LMB_OK ? out : between_numbers(a, b, s);
}
