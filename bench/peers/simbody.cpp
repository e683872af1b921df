// bench/peers/simbody.cpp: accelerations of a tree of rods by Simbody.
#include "peers.h"

#include <Simbody.h>

#include <cstdio>
#include <exception>
#include <time.h>
#include <vector>

using namespace SimTK;

// a hinge of Simbody turns about z of its frames
static Transform hinge(int i, double x) {
    Rotation R = i % 2 == 0 ? Rotation() : Rotation(-Pi / 2, XAxis); // z, y
    return Transform(R, Vec3(x, 0, 0));
}

static double seconds_now() {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

static void run(double *seconds, double *accelerations, const bench_tree *tree, int repeats) {
    static const double moments[] = {BENCH_ROD_INERTIA};
    const double half = BENCH_ROD_LENGTH / 2;
    MultibodySystem system;
    SimbodyMatterSubsystem matter(system);
    GeneralForceSubsystem forces(system);
    Force::UniformGravity gravity(forces, matter, Vec3(0, -BENCH_GRAVITY, 0));
    Body::Rigid rod(MassProperties(BENCH_ROD_MASS, Vec3(0), Inertia(moments[0], moments[1], moments[2])));
    std::vector<MobilizedBody> bodies;
    for (int i = 0; i < tree->n; i++) {
        int p = tree->parent[i];
        MobilizedBody parent = p < 0 ? MobilizedBody(matter.Ground()) : bodies[size_t(p)];
        bodies.push_back(MobilizedBody::Pin(parent, hinge(i, p < 0 ? 0 : half), rod, hinge(i, -half)));
    }
    State state = system.realizeTopology();
    system.realizeModel(state);
    for (int i = 0; i < tree->n; i++) {
        bodies[size_t(i)].setOneQ(state, 0, tree->angle[i]);
        bodies[size_t(i)].setOneU(state, 0, tree->rate[i]);
    }
    system.realize(state, Stage::Acceleration);
    for (int i = 0; i < tree->n; i++) accelerations[i] = bodies[size_t(i)].getOneUDot(state, 0);
    double begin = seconds_now();
    for (int k = 0; k < repeats; k++) {
        state.updQ() += 1e-9; // all that follows from positions is computed again
        system.realize(state, Stage::Acceleration);
    }
    *seconds = (seconds_now() - begin) / repeats;
}

int bench_simbody_tree(double *seconds, double *accelerations, const bench_tree *tree, int repeats) {
    try {
        run(seconds, accelerations, tree, repeats);
        return 0;
    } catch (const std::exception &e) {
        std::fprintf(stderr, "Simbody: %s\n", e.what());
        return 1;
    }
}
