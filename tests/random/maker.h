// tests/random/maker.h: a random model in the making.
//
// A model has a length L, a mass M and a time T; everything in it is of these sizes, but for a few that are unlike.  Bodies
// stand where all joints are closed: a joint joins markers at one point with common axes.  Numbers are SI until they are
// written in the model's units.
#ifndef RANDOM_MAKER_H
#define RANDOM_MAKER_H

#include "random.h"

enum { BODIES = 8, JOINTS = 16, POINTS = 12 };

typedef struct body {
    bool flexible; // a beam or a mesh: markers only at its ends
    bool slides;   // may have a sliding marker
    pose p;
    double length; // of a flexible body
    vec3 point[POINTS];
    int point_count;
    double mass;
    vec3 J, com; // of a rigid body: principal moments about the centre of mass
    vec3 v, w;   // initial velocities
    lmb_text keys;
    size_t from, to; // the formulation of a beam in its keys; 0, 0: none
} body;

typedef struct maker {
    uint64_t seed;
    dice d, rare, late,
        space;      // rare, late, space: what was added later, so that the models of a seed stay alike
    double L, M, T; // sizes
    double length, mass, time; // units
    const char *beam;          // formulation of all beams, NULL: their own
    int units_on;              // their system is so many further on in the list
    bool planar;               // all points in one plane, all axes its normal
    pose plane;
    body bodies[BODIES];
    int body_count;
    struct {
        char name[8];
        const char *kind;
        int a, b; // bodies, -1: ground
        vec3 p, axis;
    } joints[JOINTS];
    int joint_count, marker_count, force_count, signal_count;
    bool tree;  // no loops will be closed: motions and initial rates are free
    bool crank; // one loop, driven by its first joint
    lmb_text joint_text, force_text, signal_text, marker_text, event_text, gear_text;
    const char *folder; // for meshes
    random_model *out;
} maker;

// ---- numbers in the model's units ---------------------------------------------------------------

const char *maker_sizes(maker *k); // chooses them; the name of the system of units
double written(const maker *k, double x, int m, int l, int t); // of unit mass^m length^l time^t
static inline double length_of(const maker *k, double x) { return x / k->length; }
void add_vector(lmb_text *out, const char *key, vec3 v);

// ---- points and directions ----------------------------------------------------------------------

vec3 direction(maker *k);
vec3 axis(maker *k);
// the name of a marker of body b (-1: ground) at the point p; of a flexible body p must be an end
void marker_at(char *name, maker *k, int b, vec3 p);
// a point of a body at which something can be joined
vec3 some_point(maker *k, int b);
static inline bool is_free(const maker *k, int b) { return b < 0 || !k->bodies[b].flexible; }

// ---- bodies --------------------------------------------------------------------------------------

// a body that can be joined to something at p
void make_body(maker *k, vec3 p);
// A rigid body in another frame, turned and moved: its keys and the pose of the old frame in the new one.
void write_turned(maker *k, lmb_text *out, pose *old, const body *o);

#endif
