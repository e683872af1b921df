// tests/random/compare.c: two runs of a random model beside each other.
#include "run.h"

enum { VECTORS = 64 };

static double distance(const double *a, const double *b) { return v3_norm(v3_sub(v3_load(a), v3_load(b))); }

// the largest length of vector i in rows, or its largest distance from where it began
static double largest(const trace *r, int i, bool from_start) {
    double most = 0, origin[3] = {0};
    for (int k = 0; k < r->rows; k++)
        most = fmax(most, distance(r->x + k * r->columns + 3 * i, from_start ? r->x + 3 * i : origin));
    return most;
}

// positions, forces and torques; what other sensors measure is behind them
static int vectors(const trace *r) { return r->bodies + 2 * r->joints; }

// how far points move, but at least 1e-4 of the model: a locked one gives way by 1e-9 under its loads
static void motion_sizes(double *size, const trace *r) {
    double most = 1e-4 * r->length;
    for (int i = 0; i < r->bodies; i++) size[i] = largest(r, i, true), most = fmax(most, size[i]);
    for (int i = 0; i < r->bodies; i++) size[i] = fmin(r->length, fmax(size[i], 0.1 * most));
}

// forces and torques by turns; those of a joint are small beside the largest of all, those of a model at rest beside what moves others
static void reaction_sizes(double *size, const trace *r) {
    double force = 1e-6 * r->force, torque = force * r->length;
    for (int i = r->bodies; i < vectors(r); i++) {
        size[i] = largest(r, i, false);
        double *most = (i - r->bodies) % 2 == 0 ? &force : &torque;
        *most = fmax(*most, size[i]);
    }
    for (int i = r->bodies; i < vectors(r); i++)
        size[i] = fmax(size[i],
                       (i - r->bodies) % 2 == 0 ? 0.1 * force : fmax(0.1 * torque, 0.01 * force * r->length));
}

double trace_difference(const trace *a, const trace *b, int row, what of) {
    double size[VECTORS], worst = 0;
    int from = of == MOTION ? 0 : a->bodies, to = of == MOTION ? a->bodies : vectors(a);
    if (of == MOTION) motion_sizes(size, a);
    else reaction_sizes(size, a);
    for (int i = from; i < to; i++)
        if (size[i] > 0)
            worst = lmb_larger(
                worst, distance(a->x + row * a->columns + 3 * i, b->x + row * b->columns + 3 * i) / size[i]);
    return worst;
}

double trace_difference_of_length(const trace *r) {
    double size[VECTORS], least = r->length;
    motion_sizes(size, r);
    for (int i = 0; i < r->bodies; i++) least = fmin(least, size[i]);
    return r->length / least;
}

int trace_sound(const trace *r) {
    return r->found.blind < 0 ? r->rows : (int)fmin(r->rows, floor(r->found.blind_time / r->until * ROWS));
}
