// tests/cases/property_models.h: models written in the test, compiled and run below the public interface.
#ifndef PROPERTY_MODELS_H
#define PROPERTY_MODELS_H

#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- models from texts -------------------------------------------------------------------------

typedef struct model {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_analysis a; // the first analysis, to be changed at will
    lmb_error err;
} model;

static inline bool load(model *m, const char *format, ...) {
    char text[8000];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    *m = (model){0};
    bool ok = length < (int)sizeof text &&
              CHECK_OK(lmb_yaml_read_text(&m->spec, text, (size_t)length, "test", &m->err), m->err) &&
              CHECK_OK(lmb_spec_expand(m->spec, NULL, 0, &m->err), m->err) &&
              CHECK_OK(lmb_compile(&m->p, m->spec, NULL, &m->err), m->err) &&
              CHECK_OK(lmb_data_create(&m->d, m->p->model, &m->err), m->err);
    if (ok && m->p->analysis_count) m->a = m->p->analyses[0];
    return ok;
}

static inline void unload(model *m) {
    lmb_data_destroy(m->d);
    lmb_program_destroy(m->p);
    lmb_spec_destroy(m->spec);
}

static inline void observed_run(model *m, const lmb_observer *o) {
    lmb_run *r;
    if (!CHECK_OK(lmb_run_create(&r, m->p, &m->a, m->d, &m->err), m->err)) return;
    CHECK_OK(lmb_run_all(r, o, &m->err), m->err);
    lmb_run_destroy(r);
}
static inline void run(model *m) { observed_run(m, NULL); }

static inline double sensor_of(model *m, lmb_data *d, const char *name) {
    double energies[LMB_ENERGY_COUNT], values[200];
    lmb_energy_row(energies, m->p->model, d);
    CHECK(m->p->channel_count <= LMB_COUNT(values));
    lmb_channels_get(values, m->p->channels, m->p->channel_count, m->p->model, d, energies);
    for (int i = 0; i < m->p->channel_count; i++)
        if (strcmp(m->p->channels[i].name, name) == 0) return values[i];
    check_note("no sensor %s", name);
    CHECK(!"sensor");
    return NAN;
}
static inline double sensor(model *m, const char *name) { return sensor_of(m, m->d, name); }
static inline vec3 sensor3(model *m, const char *x, const char *y, const char *z) {
    return v3(sensor(m, x), sensor(m, y), sensor(m, z));
}

// loads, runs and reads one number
static inline double result(const char *text, const char *name) {
    model m;
    double value = NAN;
    if (load(&m, "%s", text)) run(&m), value = sensor(&m, name);
    unload(&m);
    return value;
}

// ---- a mechanism in space: crank and rocker on skew axes, between them a rod on a universal and a ball joint ---------------

#define LOOP_PARTS                                                                                       \
    "  bodies:\n"                                                                                        \
    "    crank: {mass: 1, inertia: [0.02, 0.03, 0.012], at: [0, 0, 0.1]}\n"                              \
    "    rod: {mass: 0.7, inertia: [0.03, 0.015, 0.025, 0.002, -0.001, 0.003], at: [0.5, 0.15, 0.25]}\n" \
    "    rocker: {mass: 1, inertia: [0.03, 0.02, 0.02], at: [1, 0.3, 0.15], markers: {tip: [0.1, 0.2, "  \
    "0.3]}}\n"                                                                                           \
    "  joints:\n"                                                                                        \
    "    r1: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 1, 0], start: "         \
    "{angle_rate: 5}}\n"                                                                                 \
    "    u1: {type: universal, between: [crank, rod], at: [0, 0, 0.2], axis: [0, 0, 1], x: [0, 1, 0]}\n" \
    "    s2: {type: spherical, between: [rod, rocker], at: [1, 0.3, 0.3]}\n"                             \
    "    r2: {type: revolute, between: [ground, rocker], at: [1, 0.3, 0], axis: [0.3, 1, 0]}\n"          \
    "  markers:\n"                                                                                       \
    "    wall: {on: ground, at: [0.5, 1, 0.7]}\n"                                                        \
    "  forces:\n"                                                                                        \
    "    pull: {type: spring, between: [wall, rod], stiffness: 40, length: 0.4}\n"                       \
    "    push: {type: force, on: rocker.tip, value: [0.3, 0, -0.5]}\n"                                   \
    "  sensors:\n"                                                                                       \
    "    tip: {type: position, of: rocker.tip}\n"                                                        \
    "    speed: {type: velocity, of: rocker.tip}\n"                                                      \
    "    angle: {type: coordinate, of: r1}\n"                                                            \
    "    r2: {type: reaction, of: r2}\n"                                                                 \
    "    pull: {type: force, of: pull}\n"

// the loop as an assembly at a pose; gravity is turned with it
static inline bool load_loop(model *m, pose p, const char *analysis) {
    char parts[4000];
    size_t n = 0;
    for (const char *s = LOOP_PARTS; *s; s++) { // four blanks more at the beginning of every line
        if (n == 0 || parts[n - 1] == '\n') n += (size_t)sprintf(parts + n, "    ");
        parts[n++] = *s;
    }
    parts[n] = '\0';
    vec3 g = m3_mul_v3(&p.R, v3(0, 0, -9.81));
    quat q = q_from_matrix(p.R);
    return load(m,
                "limber: 1\n"
                "gravity: [%.17g, %.17g, %.17g]\n"
                "assemblies:\n"
                "  a:\n"
                "    at: [%.17g, %.17g, %.17g]\n"
                "    rotate: [%.17g, %.17g, %.17g, %.17g]\n"
                "    model:\n%s"
                "analyses:\n  - {type: dynamics, until: 0.4, %s}\n",
                g.x, g.y, g.z, p.r.x, p.r.y, p.r.z, q.w, q.x, q.y, q.z, parts, analysis);
}

#endif
