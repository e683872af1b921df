// tests/random/random.h: random valid models, and their judge.
#ifndef RANDOM_H
#define RANDOM_H

#include "core/core.h"
#include "math/math.h"

#include <stdint.h>

// ---- numbers from a seed ------------------------------------------------------------------------

typedef struct dice {
    uint64_t state;
} dice;

static inline uint64_t dice_next(dice *d) { // splitmix64
    uint64_t z = d->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline double dice_in(dice *d, double low, double high) {
    return low + (high - low) * ((double)(dice_next(d) >> 11) * 0x1p-53);
}
static inline double dice_log(dice *d, double low, double high) { // evenly in its logarithm
    return exp(dice_in(d, log(low), log(high)));
}
static inline int dice_below(dice *d, int n) { return (int)(dice_next(d) % (uint64_t)n); }
static inline bool dice_chance(dice *d, double p) { return dice_in(d, 0, 1) < p; }
static inline vec3 dice_vector(dice *d) { // of length 1
    vec3 v;
    do v = v3(dice_in(d, -1, 1), dice_in(d, -1, 1), dice_in(d, -1, 1));
    while (v3_norm(v) > 1 || v3_norm(v) < 0.1);
    return v3_unit(v);
}

// ---- models --------------------------------------------------------------------------------------

// A model as text without its analyses: bodies at a pose in which all joints are closed.
enum { FORMULATIONS = 3 };

typedef struct random_model {
    lmb_text text;
    lmb_text damped;    // the same, every body braked against the ground
    lmb_text turned;    // the same, rigid bodies in other frames
    lmb_text converted; // the same in other units
    lmb_text beams[FORMULATIONS]
                  [2]; // the same, all beams in one formulation, in parts or elements and in twice as many
    double converted_until;
    lmb_text free; // the same in space: without ground, gravity and loads, every body in motion
    int bodies, joints;
    double until;  // some of its periods, in its unit of time
    double rate;   // 1/T, 1/s
    double period; // T in its unit of time
    double force;  // M L/T^2, N
    bool flexible; // has fast modes: nothing for explicit methods
    bool rough;    // stops or friction: kinks, at which no method has its order
    bool loops;
    bool statics;  // begins at an equilibrium
    bool driven;   // no degree of freedom is left: for kinematics, too
    bool steady;   // nothing in it depends on time
    bool states;   // has first-order states
    bool in_space; // to be solved with six coordinates a body, even if it is planar
    bool geared;   // the last column of its sensors is what a gear keeps
} random_model;

bool random_model_make(random_model *out, uint64_t seed, const char *folder); // folder: for its meshes
void random_model_free(random_model *m);

// ---- judge ---------------------------------------------------------------------------------------

// RIGHT: all ways agree.  WARNED: something is off, and the run says so.  SLOW: needs more steps than the test has, and gets on.
// REFUSED: for one of the known reasons.  The others fail.
typedef enum verdict {
    RIGHT,
    WARNED,
    SLOW,
    REFUSED,
    DIFFERENT,
    ENERGY,
    GAP,
    ENDLESS,
    INVALID,
    VERDICTS
} verdict;
extern const char *const verdict_names[VERDICTS];
extern const char *const random_formulations[FORMULATIONS][2];

// What is wrong with it, in words in *why (appended); seed chooses which methods are tried beside the usual ones.
verdict random_model_judge(lmb_text *why, const random_model *m, uint64_t seed, bool verbose);
// Whether it keeps its momentum and angular momentum in space: forces of inertia that all methods share are judged by nothing else.
verdict random_model_keeps_momentum(lmb_text *why, const random_model *m, bool verbose);
// Whether its beams move alike in all formulations; errors: of the integration, so far, in so many rows.
verdict random_beams_agree(lmb_text *why, const random_model *m, const double *errors, int rows,
                           bool verbose);
// Whether it comes to rest at an equilibrium if it is damped, and vibrates there as its modes say.
verdict random_model_rests(lmb_text *why, const random_model *m, uint64_t seed, bool verbose);

#endif
