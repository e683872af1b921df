// bench/peers/peers.h: the same problems solved by other programs; each is built if its library is installed.
//
// Bodies are rods of length 0.1 m and 0.1 kg with hinges at their ends, moments of inertia 1e-5, 1e-4, 1e-4 kg m2; gravity 9.81 m/s2
// acts along -y.  At angles zero they lie along x.  All functions take one thread and give processor time, s.
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

#define BENCH_ROD_LENGTH 0.1
#define BENCH_ROD_MASS 0.1
#define BENCH_ROD_INERTIA 1e-5, 1e-4, 1e-4
#define BENCH_GRAVITY 9.81

// A tree: body i hangs at the end of parent[i] < i (-1: ground) by a hinge about z (i even) or y.
typedef struct bench_tree {
    int n;
    const int *parent;
    const double *angle, *rate; // n
} bench_tree;

// Simbody: n accelerations of the hinges at that state; time of one evaluation after all angles changed.  0 or 1 (with a text on stderr)
#ifdef LMB_HAVE_SIMBODY
enum { BENCH_HAS_SIMBODY = 1 };
int bench_simbody_tree(double *seconds, double *accelerations, const bench_tree *tree, int repeats);
#else
enum { BENCH_HAS_SIMBODY = 0 };
static inline int bench_simbody_tree(double *seconds, double *accelerations, const bench_tree *tree,
                                     int repeats) {
    (void)seconds, (void)accelerations, (void)tree, (void)repeats;
    return 1;
}
#endif

// MuJoCo: n rods in a row on hinges about z fall from rest for 1 s, by Runge-Kutta of order 4 in `steps` equal steps.
// tip (x, y) at `count` equal distances of time that divide the steps; NULL: only the time.
#ifdef LMB_HAVE_MUJOCO
enum { BENCH_HAS_MUJOCO = 1 };
int bench_mujoco_chain(double *seconds, double *tip, int n, int steps, int count);
#else
enum { BENCH_HAS_MUJOCO = 0 };
static inline int bench_mujoco_chain(double *seconds, double *tip, int n, int steps, int count) {
    (void)seconds, (void)tip, (void)n, (void)steps, (void)count;
    return 1;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
