// bench/peers/mujoco.c: a chain of rods by MuJoCo.
#include "peers.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 60000 };

// the model as text; its length
static size_t write_chain(char *text, int n) {
    static const double inertia[] = {BENCH_ROD_INERTIA};
    double L = BENCH_ROD_LENGTH;
    size_t at =
        (size_t)snprintf(text, MOST,
                         "<mujoco><compiler angle='radian'/><option integrator='RK4' gravity='0 %g 0'>"
                         "<flag contact='disable' constraint='disable'/></option><worldbody>",
                         -BENCH_GRAVITY);
    for (int i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, MOST - at,
                               "<body pos='%g 0 0'><inertial pos='%g 0 0' mass='%g' diaginertia='%g %g %g'/>"
                               "<joint type='hinge' axis='0 0 1'/>",
                               i == 0 ? 0 : L, L / 2, BENCH_ROD_MASS, inertia[0], inertia[1], inertia[2]);
    at += (size_t)snprintf(text + at, MOST - at, "<site name='tip' pos='%g 0 0'/>", L);
    for (int i = 0; i < n; i++) at += (size_t)snprintf(text + at, MOST - at, "</body>");
    return at + (size_t)snprintf(text + at, MOST - at, "</worldbody></mujoco>");
}

static mjModel *read_chain(int n) {
    char *text = malloc(MOST), error[500] = "no memory";
    mjVFS *files = malloc(sizeof *files);
    mjModel *m = NULL;
    if (text && files) {
        int length = (int)write_chain(text, n);
        mj_defaultVFS(files);
        if (mj_makeEmptyFileVFS(files, "chain.xml", length) == 0) {
            memcpy(files->filedata[0], text, (size_t)length);
            m = mj_loadXML("chain.xml", files, error, sizeof error);
        }
        mj_deleteVFS(files);
    }
    if (m == NULL) fprintf(stderr, "MuJoCo: %s\n", error);
    free(text);
    free(files);
    return m;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int bench_mujoco_chain(double *seconds, double *tip, int n, int steps, int count) {
    mjModel *m = read_chain(n);
    mjData *d = m ? mj_makeData(m) : NULL;
    if (d == NULL) return 1;
    m->opt.timestep = 1.0 / steps;
    double begin = seconds_now();
    for (int i = 1; i <= steps; i++) {
        mj_step(m, d);
        if (tip == NULL || i % (steps / count) != 0) continue;
        mj_kinematics(m, d);
        memcpy(tip, d->site_xpos, 2 * sizeof *tip);
        tip += 2;
    }
    *seconds = seconds_now() - begin;
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
