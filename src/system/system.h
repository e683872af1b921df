// system/system.h: the equations of a compiled model at its current state.
//
// Everything works on d->q, d->v, d->a, d->lambda, *d->time; nothing allocates.     docs/theory/system.md
#ifndef LMB_SYSTEM_H
#define LMB_SYSTEM_H

#include "model/model.h"

// ---- state -------------------------------------------------------------------------------------

// q = q0 o exp(dy) on the free blocks: points and vectors add, rotations multiply by exp(dtheta~)
void lmb_positions_move(double *q, const lmb_model *m, const double *q0, const double *dy);
// dy with q1 = q0 o exp(dy)
void lmb_positions_difference(double *dy, const lmb_model *m, const double *q0, const double *q1);
// independent velocities and accelerations from and to those of all blocks
void lmb_velocity_get(double *y, const lmb_model *m, const lmb_data *d);
// Of the values of a tree with three levels and cK = 1: first-order states are at rest, their columns are those of D.
void lmb_tree_rest(double *values, const lmb_model *m);
// v (nv) of the followers from that of the free blocks: v = A y
void lmb_follow_velocities(double *v, const lmb_model *m, const lmb_data *d);
void lmb_velocity_set(lmb_data *d, const lmb_model *m, const double *y);
void lmb_acceleration_set(lmb_data *d, const lmb_model *m, const double *ydot); // after lmb_update
void lmb_acceleration_clear(lmb_data *d, const lmb_model *m);                   // zero y'

// Poses, twists, Jacobians, joint gradients and inputs from q, v and time. To be called after any of them changed.
// LMB_ERR_NUMERIC: a body cannot be evaluated in this state (d->failed, the first one); who tries a state rejects it then.
lmb_status lmb_update(lmb_data *d, const lmb_model *m);
// The same without accelerations, for who sets or clears them next.
lmb_status lmb_update_state(lmb_data *d, const lmb_model *m);
// Gives a rigid body whose frame follows the joint coordinates and rates of a frame at q7 (place, quaternion) that moves with v6 (global,
// body axes): what its joint does not allow is left out.  false: it does not follow, or not alone.
bool lmb_follow_set(lmb_data *d, const lmb_model *m, const lmb_body *b, const double *q7, const double *v6);
// Of these only the markers of a body that forces or inputs use, from its own q and v, and the inputs.
lmb_status lmb_update_acting(lmb_data *d, const lmb_model *m, int body);
void lmb_update_inputs(lmb_data *d, const lmb_model *m);
// lmb_update if d->stale is set.
lmb_status lmb_refresh(lmb_data *d, const lmb_model *m);
// Puts the stresses at positions q into the updated state d, for a tangent alone: where there are any (true), d is stale
// after that.
bool lmb_prestress(lmb_data *d, const lmb_model *m, const double *q);
// Then updates the markers that only sensors use; lmb_channels_get calls it (and lmb_reactions_update, lmb_stress_update).
void lmb_update_watched(lmb_data *d, const lmb_model *m);
// To be called when a step is accepted: angles record their full turns.  The state of lmb_update may be that of the
// last iteration: a fraction of a turn does not matter.
void lmb_accept(lmb_data *d, const lmb_model *m);

// Size of one matrix in d->scratch, which holds five: velocities of one body by those of another or by inputs.
int lmb_scratch_part(const lmb_model *m);

// ---- equations ---------------------------------------------------------------------------------

// Powers of a state, W: supplied by forces and prescribed motions; lost.
typedef struct lmb_powers {
    double drive, dissipated;
} lmb_powers;
// r = M a + h - f + G' lambda (ny)
lmb_powers lmb_residual(double *r, const lmb_model *m, lmb_data *d);
// r = G' lambda alone (ny): friction depends on lambda, too, but is none of it
void lmb_reactions(double *r, const lmb_model *m, lmb_data *d);
// lmb_residual in the own velocities of all bodies (nv), whether they are free or follow
void lmb_residual_bodies(double *F, const lmb_model *m, lmb_data *d);
// A' M (v - d->v) for velocities v of all blocks: the impulses of a jump to v
void lmb_momenta(double *p, const lmb_model *m, lmb_data *d, const double *v);
void lmb_constraints(double *Phi, const lmb_model *m, const lmb_data *d); // nc; 0 for joints that are off
void lmb_constraint_rates(double *Phi_dot, const lmb_model *m, const lmb_data *d); // G v + Phi_t
void lmb_constraint_gamma(double *gamma, const lmb_model *m, const lmb_data *d);   // Phi'' = G a + gamma
double lmb_motion_power(const lmb_model *m, const lmb_data *d);                    // of prescribed motions, W

// One combination of the matrices:
//     | cM M + cD D + cK K T + cE E + cU U + cF F cL G'        |
//     | rG G + rGT G T + rH d(G v)/dq T    -eps * row_eps - soft * row_weight |
// with D = dr/dv, K = dr/dq and T the blocks' update operators (rotations: dtheta -> dtheta_body); E, U: see Deformation.
typedef struct lmb_combination {
    double *values; // on model->pattern
    double cM, cD, cK, cE, cU, cF, cL, rG, rGT, rH, eps, soft;
} lmb_combination;
// T: per block (only rotations are used); NULL: identity.  Exact.
void lmb_tangent(const lmb_combination *out, int count, const lmb_model *m, lmb_data *d, const mat3 *T);
bool lmb_mass_is_constant(const lmb_model *m); // M is the same in all states

// ---- inputs from outside ------------------------------------------------------------------------

// Derivatives of all signals by the inputs that they finally depend on, into the pool.
void lmb_signal_gradients(lmb_data *d, const lmb_model *m);
// dr/du (ny) by external e, in the model's units: of forces and of first-order states.  Exact.
void lmb_residual_by_external(double *r, const lmb_model *m, lmb_data *d, int e);
// df/du and its rate by time (nc each) of the motions f that rows prescribe: Phi = .. - f(u, t).  Exact.
void lmb_motions_by_external(double *by, double *by_rate, const lmb_model *m, const lmb_data *d, int e);
// A' J' F (ny) of a force F, global components, at a marker.
void lmb_force_at(double *r, const lmb_model *m, lmb_data *d, int marker, vec3 force);
bool lmb_external_moves(const lmb_model *m, int e); // whether it drives a prescribed motion

// ---- deformation: what the velocities of bodies have beside a rigid motion -----------------------

bool lmb_body_is_flexible(const lmb_body *b);
bool lmb_model_is_flexible(const lmb_model *m); // any of its bodies
// Angular velocity, global components, of the rigid motion nearest to the velocities v (n) of a body's blocks.
vec3 lmb_body_spin(const lmb_data *d, const lmb_body *b, const double *v);
// E: K of the state, without the rigid motions (n x n); U: the same at rest and without gravity, in the measure of mass: it
// has the largest scaled entry of the mass matrix of deformations.  In d->scratch until it is used again.
double *lmb_body_stiffness(lmb_data *d, const lmb_body *b);
double *lmb_body_unit_stiffness(lmb_data *d, const lmb_body *b);
// A' U (d->v - v) for velocities v of all blocks;  A' U (d->a - those of rigid bodies)
void lmb_deformation_rates(double *p, const lmb_model *m, lmb_data *d, const double *v);
void lmb_deformation_accelerations(double *p, const lmb_model *m, lmb_data *d);
// F: the stiffness of links between rigid segments of a beam, in the same measure: factor of that of f at the state d.
double lmb_link_unit(const lmb_data *d, const lmb_force *f); // 0: f is not a link
bool lmb_model_has_links(const lmb_model *m);
// Elastic forces of the positions of d, in the measure of U and F; of links with the velocities of d.
void lmb_deformation_forces(double *p, const lmb_model *m, lmb_data *d);
// Kinetic energy of what the velocities x (nv, of all blocks) of flexible bodies, each with all its parts, have beside the nearest
// rigid motion, J; the body with most of it, NULL: there is none.
double lmb_deformation_energy(const lmb_body **most, lmb_data *d, const double *x);
// The same as a share of the kinetic energy of flexible bodies; heavy rigid ones make no difference.
double lmb_deformation_share(const lmb_body **most, lmb_data *d, const double *x);

typedef struct lmb_energies {
    lmb_energy bodies; // kinetic, gravity, strain of bodies, momentum, spin
    double springs;    // stored in forces, J
} lmb_energies;
void lmb_energies_get(lmb_energies *e, const lmb_model *m, lmb_data *d);

// Reactions of all joints at the updated state; lmb_channels_get calls it.
void lmb_reactions_update(lmb_data *d, const lmb_model *m);
// Of these: force and torque on the second body of joint j at its second marker, global components (6).
const double *lmb_reaction(const lmb_data *d, int j);
// Wrench of force f on its first marker, global components (6); zero if off.
void lmb_force_on(double *wrench, const lmb_model *m, lmb_data *d, int f);

// Force and torque of all joints and forces on every marker, global components (6 each).
void lmb_marker_loads(double *wrenches, const lmb_model *m, lmb_data *d);

// Velocity and acceleration of a marker: twist and its derivative, angular parts in marker components (6 each).
void lmb_marker_bias(double *bias, const lmb_data *d, const lmb_marker *k); // J' v (6), of a marker on a body
void lmb_marker_acceleration(double *acceleration, const lmb_model *m, const lmb_data *d, int marker);
// Value, rate and second derivative of a measure between two markers (a: of d->a). turns: slot or -1.
void lmb_measure_motion(double *value, double *rate, double *second, const lmb_model *m, const lmb_data *d,
                        const lmb_measure *f, const int *marker, int turns);

// The next jump in time of any expression in (t0, t1], INFINITY: none.
double lmb_next_break(const lmb_model *m, double t0, double t1);

#endif
