// examples/pendulum.c: limber as a library: load a model, set a value, run it, step it, copy and restore
// its state.
//
//     cc pendulum.c $(pkg-config --cflags --libs limber) -lm -o pendulum && ./pendulum
//
// The period of the pendulum is measured in three ways; the program exits with 1 if they disagree with
// theory.
#include <limber/limber.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char model[] =
    "limber: 1\n"
    "parameters: {L: 1, start: 10 deg}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  rod:                                   # uniform rod, hanging, turned by start\n"
    "    mass: 2\n"
    "    inertia: [2*L^2/12, 0.001, 2*L^2/12]\n"
    "    at: [L/2*sin(start), -L/2*cos(start), 0]\n"
    "    rotate: {z: start}\n"
    "    markers: {top: [0, L/2, 0]}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, rod.top], axis: [0, 0, 1]}\n"
    "sensors:\n"
    "  angle: {type: coordinate, of: pin.angle}\n"
    "  energy: {type: energy, of: balance}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 4, every: 0.01, tolerance: 1e-7}\n";

// prints what went wrong and ends the program
static void stop(const lmb_error *err) {
    char text[1200];
    fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, err));
    exit(err->code);
}

// ---- a run with a callback ---------------------------------------------------------------------

// the angle starts at 0 and swings to -2 start; it passes the middle (hanging) twice in a period
typedef struct swing {
    int sensor, passes;
    double middle, time, angle, first, last;
} swing;

static bool watch(void *user, lmb_simulation *s, double time, double until, bool output) {
    swing *w = user;
    (void)until;
    if (!output) return true;
    double angle = lmb_simulation_sensor(s, w->sensor) - w->middle;
    if (time > 0 && angle * w->angle < 0) { // linear between the two output times
        w->last = w->time + (time - w->time) * w->angle / (w->angle - angle);
        if (w->passes++ == 0) w->first = w->last;
    }
    w->time = time;
    w->angle = angle;
    return true;
}

static double period_by_running(const lmb_system *system, double start) {
    lmb_error err = {0};
    lmb_simulation *s;
    swing w = {.sensor = lmb_system_sensor_find(system, "angle"), .middle = -start};
    if (lmb_simulation_create(&s, system, &err) != LMB_OK) stop(&err);
    if (lmb_simulation_run(s, 0, watch, &w, &err) != LMB_OK) stop(&err);
    lmb_simulation_destroy(s);
    return w.passes < 3 ? 0 : 2 * (w.last - w.first) / (w.passes - 1);
}

// ---- step by step ------------------------------------------------------------------------------

// steps until the rod hangs, keeps that state, goes on to the end, comes back to it
static double quarter_by_stepping(const lmb_system *system, double start) {
    lmb_error err = {0};
    lmb_simulation *s;
    bool done = false;
    int angle = lmb_system_sensor_find(system, "angle"), energy = lmb_system_sensor_find(system, "energy");
    if (lmb_simulation_create(&s, system, &err) != LMB_OK) stop(&err);
    if (lmb_simulation_begin(s, 0, &err) != LMB_OK) stop(&err);
    double before = lmb_simulation_sensor(s, energy), t0 = 0, a0 = 0;
    while (!done && lmb_simulation_sensor(s, angle) > -start) {
        t0 = lmb_simulation_time(s), a0 = lmb_simulation_sensor(s, angle);
        if (lmb_simulation_step(s, &done, &err) != LMB_OK) stop(&err);
    }
    double t1 = lmb_simulation_time(s), a1 = lmb_simulation_sensor(s, angle);

    double *state = malloc(lmb_simulation_state_size(s) * sizeof *state);
    if (state == NULL) exit(3);
    lmb_simulation_state_get(state, s);
    while (!done)
        if (lmb_simulation_step(s, &done, &err) != LMB_OK) stop(&err);
    printf("energy changed by %.1e J in %.1f s\n", lmb_simulation_sensor(s, energy) - before,
           lmb_simulation_time(s));
    lmb_simulation_state_set(s, state);
    bool back = lmb_simulation_time(s) == t1 && lmb_simulation_sensor(s, angle) == a1;
    free(state);

    double position[7], velocity[6];
    if (lmb_simulation_body_get(position, velocity, s, "rod", &err) != LMB_OK) stop(&err);
    printf("hanging, the rod's centre moves at %.3f m/s\n", hypot(velocity[0], velocity[1]));
    lmb_simulation_destroy(s);
    return back ? t0 + (t1 - t0) * (a0 + start) / (a0 - a1) : 0;
}

// ---- all of it ---------------------------------------------------------------------------------

int main(void) {
    lmb_error err = {0};
    lmb_document *document;
    lmb_system *system;
    const double pi = 3.14159265358979324, start = 20 * pi / 180, L = 0.8;

    // a document is text that can be changed; a system is compiled from it and stays as it is
    if (lmb_document_read_text(&document, model, "pendulum.yaml", &err) != LMB_OK) stop(&err);
    if (lmb_document_set(document, "parameters.L", "0.8", &err) != LMB_OK) stop(&err);
    lmb_setting settings[] = {{"start", "20 deg"}};
    if (lmb_system_create(&system, document, settings, 1, &err) != LMB_OK) stop(&err);
    lmb_document_destroy(document);

    // T = 2 pi sqrt(2 L/(3 g)) (1 + a^2/16 + 11 a^4/3072 + ..)
    double T = 2 * pi * sqrt(2 * L / (3 * 9.81)) * (1 + start * start / 16 + 11 * pow(start, 4) / 3072);
    double run = period_by_running(system, start), stepped = 4 * quarter_by_stepping(system, start);
    printf("period: theory %.6f s, by running %.6f s, by stepping %.6f s\n", T, run, stepped);
    lmb_system_destroy(system);
    return fabs(run - T) < 1e-4 && fabs(stepped - T) < 1e-3 ? 0 : 1;
}
