// solve/plausible.h: what may be wrong with a model although every equation is satisfied.
#ifndef LMB_PLAUSIBLE_H
#define LMB_PLAUSIBLE_H

#include "solve/modes.h"

// What an analysis noticed; plain data, saved with the run.
typedef struct lmb_findings {
    double moved, turned; // statics: largest change of a body frame or marker, m, rad
    int moved_body;       // the body that moved most
    int unstable;         // statics: directions in which the equilibrium is unstable, or LMB_STABILITY_..
    int buckled;  // statics: the body that left an unstable one for this, -1: none; dynamics: see growth
    bool turning; // statics: of a steady rotation
    bool fell;    // statics: the mechanism left an unstable one, far from where it began, for this
    double stop_energy;   // stored at the start in a stop that is exceeded there, J
    double start_energy;  // dynamics: strain energy by which the start misses the quasi-static shape, J
    int stop, start_body; // the force, -1: none; the body with most of it
    bool accelerates;     // modes: at rest, but not in equilibrium
    // dynamics: smallest and largest of kinetic energy, stored energy, losses, work, balance at output times
    bool has_energy;
    double low[5], high[5];
    // dynamics, kinematics: the widest gap of a joint at the ends of steps with output beyond what the tolerance allows, relative to the
    // characteristic length or 1 rad; 0: none
    double gap, gap_time;
    int gap_joint;
    int blind; // dynamics: the first force whose angle came near the orientation in which it is not defined, -1: none
    double blind_angle, blind_time; // how near, rad; s
    // the largest torque on a marker that its body cannot bear (a cable: about its axis), the largest on markers of such bodies, Nm
    double twist, torque;
    double growth;    // dynamics: a disturbance of body `buckled` would grow by e in 1/growth s; 0: none
    double farthest;  // dynamics: the longest way of a block so far, relative to its scale
    int light, heavy; // dynamics: bodies of very unlike masses
    double unlike;    // their ratio; 0: none
    int shared; // dynamics: a friction whose normal force depends on how redundant constraints share loads at the start, -1: none
    int twisted;        // the marker of `twist`
    int folded;         // the first body that folded up at an output time, -1: none
    double folded_time; // s
    double handed_time; // dynamics: when another integrator took over, s; -1: none did
} lmb_findings;

// Nothing noticed yet.
#define LMB_FINDINGS_NONE \
    (lmb_findings) { .buckled = -1, .stop = -1, .blind = -1, .shared = -1, .folded = -1, .handed_time = -1 }

// Notes the energies of the updated state d.
void lmb_findings_energy(lmb_findings *f, const lmb_model *m, lmb_data *d);
// Notes the widest gap of a joint in the updated state d if it exceeds the tolerance; Phi (nc) is scratch.
void lmb_findings_gap(lmb_findings *f, const lmb_model *m, lmb_data *d, double tolerance, double *Phi);
// Notes the first force that acts along an angle near the orientation in which it is not defined, in the updated state d.
void lmb_findings_angles(lmb_findings *f, const lmb_model *m, const lmb_data *d);
// Notes the torques that bodies cannot bear in the updated state d; loads (6 per marker) is scratch, NULL: no such bodies.
bool lmb_has_unborne(const lmb_model *m);
void lmb_findings_twist(lmb_findings *f, const lmb_model *m, lmb_data *d, double *loads);
// The first body whose elements have folded up in the updated state d, -1: none; notes it.
int lmb_folded_body(const lmb_model *m, const lmb_data *d);
void lmb_findings_folded(lmb_findings *f, const lmb_model *m, const lmb_data *d);
bool lmb_findings_twists(const lmb_findings *f); // more than rounding
// Drift of the balance, and the largest change of one kind of energy, J (where it is the drift itself, the kinetic energy); both
// 0 if that is rounding.
void lmb_findings_drift(double *drift, double *exchanged, const lmb_findings *f);
bool lmb_findings_drifts(const lmb_findings *f); // more than the tolerance of a sound run explains
// Notes the light body that carries the heaviest one by its mass, in the updated state d, if the method of the analysis loses digits by
// that.
void lmb_findings_unlike(lmb_findings *f, const lmb_model *m, lmb_data *d, const lmb_analysis *a);
// Notes the stop of a joint that stores most energy in the updated state d.
void lmb_findings_stops(lmb_findings *f, const lmb_model *m, const lmb_data *d);
// Notes how far bodies and markers have moved between two states (lmb_update_watched).
void lmb_findings_moved(lmb_findings *f, const lmb_model *m, const lmb_data *before, const lmb_data *now);
// Directions in which the equilibrium d is unstable: negative eigenvalues of the stiffness on the constraints (of a steady rotation:
// in turning axes, where gyroscopic forces may still hold it).
// UNKNOWN: the model has more than LMB_STABILITY_LARGEST coordinates, too many for dense matrices.  FAILED: they cannot be
// computed.
enum { LMB_STABILITY_UNKNOWN = -1, LMB_STABILITY_FAILED = -2, LMB_STABILITY_LARGEST = 400 };
typedef struct lmb_fall { // the most unstable of them
    double *x;            // ny: x'M x = 1
    double curvature;     // x'K x, 1/s2
} lmb_fall;
// Those whose curvature is below -slow; out may be NULL.
int lmb_unstable_directions(lmb_fall *out, const lmb_model *m, lmb_data *d, double slow);
#define LMB_STABILITY_SLOW 1e-6 // a growth by e in a thousand seconds
// Notes a flexible body of the state d, the end of a run of `span` seconds, that is compressed beyond its buckling load and stays as it is
// because nothing disturbs it, whatever it vibrates (settled: scratch).  Not of models that are large beside the run: it takes
// dense matrices.
void lmb_findings_balanced(lmb_findings *f, lmb_work *w, lmb_data *settled, lmb_data *d, double span);
// Whether d is at rest but accelerates so much that its equilibrium is far away, seen by its modes.
bool lmb_is_off_equilibrium(const lmb_model *m, const lmb_data *d, const lmb_mode_set *modes);

// The first body that no joint and no force holds or moves, and that gravity lets fall from rest; -1: none.
bool lmb_loose_body(int *out, const lmb_model *m); // false: no memory

// The largest jump of a prescribed position in (from, until].
typedef struct lmb_jump {
    const char *joint; // NULL: none
    bool angle;
    double time, size; // s; m or rad
} lmb_jump;
lmb_jump lmb_motion_jump(const lmb_model *m, double from, double until);

#endif
