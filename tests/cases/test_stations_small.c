// Beams whose section changes from station to station and turns about the axis (blades): frequencies against the differential equations of
// the beam, in all formulations; the twisted beam of MacNeal and Harder; a solid mesh of the same shape.
#include "fe_parts.h"
#include "read/model_file.h"
#include "run_model.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 8, MODES = 4 };

typedef struct blade { // rectangles y x z
    const char *name;
    double length;
    int count;
    struct {
        double at, y, z, twist;
    } s[MOST];
} blade;

static const double E = 210e9, nu = 0.3, rho = 7850;

// ---- the equations of the beam -----------------------------------------------------------------

typedef struct cut { // compliances and inertia of a section in the axes of the beam
    double shear[2][2], bend[2][2], mu, rotary[2][2];
} cut;

// diag(a, b) of the section's axes, in those of the beam
static void turned(double out[2][2], double a, double b, double twist) {
    double c = cos(twist), s = sin(twist);
    out[0][0] = c * c * a + s * s * b, out[1][1] = s * s * a + c * c * b;
    out[0][1] = out[1][0] = c * s * (a - b);
}

static cut cut_at(const blade *b, int stretch, double e) {
    double y = (1 - e) * b->s[stretch].y + e * b->s[stretch + 1].y;
    double z = (1 - e) * b->s[stretch].z + e * b->s[stretch + 1].z;
    double twist = (1 - e) * b->s[stretch].twist + e * b->s[stretch + 1].twist;
    double A = y * z, Iy = A * z * z / 12, Iz = A * y * y / 12, k = 10 * (1 + nu) / (12 + 11 * nu),
           G = E / (2 * (1 + nu));
    cut c = {.mu = rho * A};
    turned(c.shear, 1 / (k * G * A), 1 / (k * G * A), twist);
    turned(c.bend, 1 / (E * Iy), 1 / (E * Iz), twist);
    turned(c.rotary, rho * Iy, rho * Iz, twist);
    return c;
}

// d/dx of v, w, turns y, z, Qy, Qz, My, Mz in harmonic motion
static void rates(double d[8], const double u[8], const cut *c, double w2) {
    for (int i = 0; i < 2; i++) {
        d[i] = (i ? -u[2] : u[3]) + c->shear[i][0] * u[4] + c->shear[i][1] * u[5];
        d[2 + i] = c->bend[i][0] * u[6] + c->bend[i][1] * u[7];
        d[4 + i] = -w2 * c->mu * u[i];
        d[6 + i] = (i ? -u[4] : u[5]) - w2 * (c->rotary[i][0] * u[2] + c->rotary[i][1] * u[3]);
    }
}

static void step(double u[8], const cut c[3], double h, double w2) {
    double k[4][8], t[8];
    static const double part[4] = {0, 0.5, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 8; j++) t[j] = u[j] + (i ? part[i] * h * k[i - 1][j] : 0);
        rates(k[i], t, &c[i == 0 ? 0 : i < 3 ? 1 : 2], w2);
    }
    for (int j = 0; j < 8; j++) u[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
}

static double det4(double a[4][4]) {
    double det = 1;
    for (int i = 0; i < 4; i++) {
        int p = i;
        for (int r = i + 1; r < 4; r++)
            if (fabs(a[r][i]) > fabs(a[p][i])) p = r;
        for (int k = 0; k < 4; k++) {
            double x = a[i][k];
            a[i][k] = a[p][k], a[p][k] = x;
        }
        if (p != i) det = -det;
        det *= a[i][i];
        for (int r = i + 1; r < 4; r++) {
            double f = a[r][i] / a[i][i];
            for (int k = i; k < 4; k++) a[r][k] -= f * a[i][k];
        }
    }
    return det;
}

// zero if the blade, clamped at its start, is free at its end
static double determinant(const blade *b, double w) {
    enum { STEPS = 60 };
    double end[4][4];
    const double unit[4] = {1, 1, b->length, b->length};
    for (int k = 0; k < 4; k++) {
        double u[8] = {0};
        u[4 + k] = unit[k];
        for (int i = 0; i + 1 < b->count; i++) {
            double h = (b->s[i + 1].at - b->s[i].at) * b->length / STEPS;
            for (int n = 0; n < STEPS && h > 0; n++) {
                cut c[3];
                for (int j = 0; j < 3; j++) c[j] = cut_at(b, i, (n + 0.5 * j) / STEPS);
                step(u, c, h, w * w);
            }
        }
        for (int i = 0; i < 4; i++) end[i][k] = u[4 + i] / unit[i];
    }
    return det4(end);
}

static void exact_frequencies(double *f, const blade *b) {
    double w = 5, before = determinant(b, w);
    for (int n = 0; n < MODES;) {
        double next = 1.04 * w, here = determinant(b, next);
        if (before * here < 0) {
            double low = w, high = next;
            for (int i = 0; i < 40; i++) {
                double mid = (low + high) / 2;
                if (determinant(b, mid) * before > 0) low = mid;
                else high = mid;
            }
            f[n++] = (low + high) / (4 * LMB_PI);
        }
        w = next, before = here;
    }
}

// ---- limber ------------------------------------------------------------------------------------

static void write_stations(char *out, size_t size, const blade *b) {
    size_t n = (size_t)snprintf(out, size, "length: %g, material: steel, stations: [", b->length);
    for (int i = 0; i < b->count; i++)
        n += (size_t)snprintf(out + n, size - n,
                              "%s{at: %.17g, section: {rectangle: [%.17g, %.17g]}, twist: %.17g}",
                              i ? ", " : "", b->s[i].at, b->s[i].y, b->s[i].z, b->s[i].twist);
    snprintf(out + n, size - n, "]");
}

// frequencies of bending, those of torsion and stretch left out: the nearest to the wanted ones
static void check_modes(const char *beam, const char *how, const double *want, double tolerance) {
    char text[3000];
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_run *r = NULL;
    snprintf(text, sizeof text,
             "limber: 1\nbodies: {blade: {type: beam, %s, %s}}\n"
             "joints: {root: {type: fixed, between: [ground, blade.start]}}\n"
             "analyses: [{type: modes, count: 12}]\n",
             how, beam);
    bool ok = CHECK_OK(lmb_yaml_read_text(&spec, text, strlen(text), "model", &err), err) &&
              CHECK_OK(lmb_spec_expand(spec, NULL, 0, &err), err) &&
              CHECK_OK(lmb_compile(&p, spec, NULL, &err), err) &&
              CHECK_OK(lmb_data_create(&d, p->model, &err), err) &&
              CHECK_OK(lmb_run_create(&r, p, &p->analyses[0], d, &err), err) &&
              CHECK_OK(lmb_run_all(r, NULL, &err), err);
    const lmb_mode_set *s = ok ? lmb_run_modes(r) : NULL;
    for (int i = 0; s && i < MODES; i++) {
        double best = INFINITY;
        for (int k = 0; k < s->count; k++) {
            double f = s->values[k * LMB_MODE_COLUMNS + LMB_MODE_FREQUENCY];
            if (fabs(f / want[i] - 1) < fabs(best)) best = f / want[i] - 1;
        }
        CHECK_NEAR(best, 0, tolerance);
    }
    lmb_run_destroy(r), lmb_data_destroy(d), lmb_program_destroy(p), lmb_spec_destroy(spec);
}

static const blade blades[] = {
    {"twisted", 1, 2, {{0, 0.02, 0.06, 0}, {1, 0.02, 0.06, 1.2}}},
    {"tapered", 1, 2, {{0, 0.04, 0.06, 0}, {1, 0.015, 0.02, 0}}},
    {"both",
     1,
     4,
     {{0, 0.03, 0.06, 0.3}, {0.25, 0.025, 0.08, 0.2}, {0.5, 0.02, 0.06, -0.2}, {1, 0.01, 0.03, -0.3}}},
    {"steps", 1, 4, {{0, 0.04, 0.03, 0}, {0.5, 0.04, 0.03, 0}, {0.5, 0.02, 0.03, 0}, {1, 0.02, 0.03, 0}}},
};

TEST(blades_in_all_formulations) {
    ACCURACY_ONLY();
    static const struct {
        const char *how;
        double tolerance;
    } all[] = {{"elements: 24, shapes: {craig_bampton: 16}", 2e-4},
               {"formulation: superelement, parts: 12, elements: 2", 3e-4},
               {"formulation: modal, parts: 4, elements: 6", 1e-4},
               {"formulation: ancf, elements: 16", 1.5e-4},
               {"formulation: lumped, elements: 16", 6e-3}};
    for (int i = 0; i < LMB_COUNT(blades); i++) {
        double want[MODES];
        char text[2000];
        exact_frequencies(want, &blades[i]);
        write_stations(text, sizeof text, &blades[i]);
        for (int k = 0; k < LMB_COUNT(all); k++) check_modes(text, all[k].how, want, all[k].tolerance);
    }
}

// ---- a solid -----------------------------------------------------------------------------------

// the first frequencies of a twisted bar of solids, clamped at its first face
static void solid_frequencies(double *f, const blade *b) {
    lmb_error err = {0};
    double y = b->s[0].y, z = b->s[0].z;
    lmb_mesh *mesh = part_box_make(&(part_box){b->length, y, z, 20, 1, 2, &lmb_element_hex20});
    for (int i = 0; i < mesh->node_count; i++) {
        vec3 *x = &mesh->x[i];
        double twist = b->s[1].twist * x->x / b->length, c = cos(twist), s = sin(twist), v = x->y - y / 2,
               w = x->z - z / 2;
        *x = v3(x->x, c * v - s * w, s * v + c * w);
    }
    lmb_fe *fe = NULL;
    lmb_statics *statics = NULL;
    lmb_support *clamp = NULL;
    lmb_rows C = {0};
    lmb_eigen e = {0};
    bool ok = CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err) &&
              CHECK_OK(lmb_statics_create(&statics, fe, &lmb_factoriser_simple, NULL, &err), err);
    for (int i = 0; ok && i < mesh->node_count; i++)
        for (int k = 0; k < 3 && mesh->x[i].x < 1e-9; k++)
            ok = lmb_rows_begin(&C) && lmb_rows_add(&C, fe->first[i] + k, 1);
    ok = ok && CHECK_OK(lmb_support_create(&clamp, statics, &C, "clamp", &err), err) &&
         CHECK_OK(lmb_support_modes(&e, clamp, &(lmb_eigen_wanted){.count = MODES}, NULL, &err), err);
    for (int i = 0; i < MODES; i++) f[i] = ok ? sqrt(e.values[i]) / (2 * LMB_PI) : NAN;
    lmb_eigen_free(&e), lmb_support_destroy(clamp), lmb_statics_destroy(statics), lmb_rows_free(&C);
    lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
}

// the twisted blade: its face at the clamp cannot contract, which makes it a little stiffer
TEST(blade_of_solids) {
    double want[MODES], solid[MODES];
    exact_frequencies(want, &blades[0]);
    solid_frequencies(solid, &blades[0]);
    for (int i = 0; i < 3; i++) CHECK_NEAR(solid[i] / want[i], 1, 1e-2);
}

// ---- statics -----------------------------------------------------------------------------------

// R. H. MacNeal, R. L. Harder (1985): a beam of 12 x 1.1 x 0.32, twisted by 90 degrees, clamped at its root; unit force at its tip, in the
// plane of the tip's width and across it: 5.424e-3 and 1.754e-3
TEST(twisted_beam_of_macneal_and_harder) {
    static const struct {
        const char *force, *column;
        double want;
    } all[] = {{"[0, 1, 0]", "u.y", 5.424e-3}, {"[0, 0, 1]", "u.z", 1.754e-3}};
    static const char *const how[] = {"elements: 1", "elements: 8, formulation: superelement",
                                      "elements: 24, formulation: ancf", "elements: 48, formulation: lumped"};
    for (int l = 0; l < 2; l++)
        for (int k = 0; k < LMB_COUNT(how); k++) {
            model m;
            // the root is 1.1 along z, the tip along y
            if (load_and_run(&m,
                             "limber: 1\nbodies: {b: {type: beam, %s, length: 12, section: {rectangle: "
                             "[0.32, 1.1]}, twist: 90 deg, "
                             "material: {E: 29e6, nu: 0.22, density: 1}}}\n"
                             "joints: {root: {type: fixed, between: [ground, b.start]}}\n"
                             "forces: {f: {type: force, on: b.end, value: %s}}\n"
                             "sensors: {u: {type: displacement, of: b.end}}\nanalyses: [{type: statics}]\n",
                             how[k], all[l].force)) {
                double u = sensor(&m, all[l].column);
                check_note("%s: %.6g of %g", how[k], u, all[l].want);
                CHECK_NEAR(u / all[l].want, 1, 3e-3);
            }
            unload(&m);
        }
}

static double tip(const char *beam, const char *column) {
    model m;
    double u = NAN;
    if (load_and_run(&m,
                     "limber: 1\nbodies: {b: {type: beam, to: [0.7, 0.4, 0.5], elements: 6, %s}}\n"
                     "joints: {root: {type: fixed, between: [ground, b.start]}}\n"
                     "forces: {f: {type: force, on: b.end, value: [20, 30, 40]}, t: {type: torque, on: "
                     "b.end, value: [1, 2, 3]}}\n"
                     "sensors: {u: {type: displacement, of: b.end}, s: {type: section, of: "
                     "b.start}}\nanalyses: [{type: statics}]\n",
                     beam))
        u = sensor(&m, column);
    unload(&m);
    return u;
}

// the same beam written in two ways
TEST(stations_written_otherwise) {
    ACCURACY_ONLY();
    static const char *const pairs[][2] = {
        // one twist everywhere is another direction `up`, with the offset in the axes of the section
        {"up: [0, 1, 0], stations: [{at: 0, section: {rectangle: [0.02, 0.03]}, offset: [0.01, 0.004], "
         "twist: 180 deg}, {at: 1}]",
         "up: [0, -1, 0], section: {rectangle: [0.02, 0.03]}, offset: [0.01, 0.004]"},
        {"section: {rectangle: [0.02, 0.03]}, end_section: {rectangle: [0.01, 0.02]}, offset: [1 mm, 0], "
         "end_offset: [2 mm, 1 mm], twist: 20 deg",
         "stations: [{at: 0, section: {rectangle: [0.02, 0.03]}, offset: [1 mm, 0]}, {at: 0.5, section: "
         "{rectangle: [0.015, 0.025]}, "
         "offset: [1.5 mm, 0.5 mm], twist: 10 deg}, {at: 1, section: {rectangle: [0.01, 0.02]}, offset: [2 "
         "mm, 1 mm], twist: 20 deg}]"},
        {"section: {EA: 1e7, GAy: 3e6, GAz: 3e6, GJ: 50, EIy: 300, EIz: 200, rhoA: 2}",
         "stations: [{at: 0, section: {EA: 1e7, GAy: 3e6, GAz: 3e6, GJ: 50, EIy: 300, EIz: 200, rhoA: 2}}, "
         "{at: 0.3}, {at: 1}]"}};
    static const char *const columns[] = {"u.x", "u.y", "u.z", "s.N", "s.Qy", "s.Qz", "s.T", "s.My", "s.Mz"};
    for (int i = 0; i < LMB_COUNT(pairs); i++)
        for (int c = 0; c < LMB_COUNT(columns); c++) {
            const char *material = i == 2 ? "" : "material: steel, ";
            char a[600], b[600];
            snprintf(a, sizeof a, "%s%s", material, pairs[i][0]),
                snprintf(b, sizeof b, "%s%s", material, pairs[i][1]);
            double x = tip(a, columns[c]), y = tip(b, columns[c]);
            CHECK_NEAR(x / y, 1, 1e-7);
        }
}

// a pulled bar by its stiffness, EA from 1e6 to 3e6 N: EA is linear, u = F L ln(3)/(2e6)
TEST(stiffness_is_linear_between_stations) {
    model m;
    if (load_and_run(&m, "limber: 1\nbodies: {b: {type: beam, theory: euler_bernoulli, length: 2, stations: "
                         "[{at: 0, section: {EA: 1e6, GJ: 50, "
                         "EIy: 300, EIz: 200, rhoA: 2}}, {at: 1, section: {EA: 3e6, GJ: 40, EIy: 200, EIz: "
                         "300, rhoA: 1}}]}}\n"
                         "joints: {root: {type: fixed, between: [ground, b.start]}}\n"
                         "forces: {f: {type: force, on: b.end, value: [100, 0, 0]}}\n"
                         "sensors: {u: {type: displacement, of: b.end}, e: {type: energy}}\nanalyses: "
                         "[{type: statics}]\n"))
        CHECK_NEAR(sensor(&m, "u.x") / (100 * 2 * log(3) / 2e6), 1, 1e-6);
    unload(&m);
}
