// registry/registry.c: all types and all sections of a model file. A new type is one line here.
#include "part/part.h"
#include "signal/signals.h"
#include "solve/formalism.h"
#include "system/build_state.h"

#include <string.h>

// clang-format off
// one line per kind: the table and its documentation stay in step
#define BODIES(X)              \
    X(lmb_body_rigid)          \
    X(lmb_body_beam)           \
    X(lmb_body_mesh)           \
    X(lmb_body_matrices)       \
    X(lmb_body_reduced)
#define JOINTS(X)              \
    X(lmb_joint_revolute)      \
    X(lmb_joint_spherical)     \
    X(lmb_joint_universal)     \
    X(lmb_joint_cylindrical)   \
    X(lmb_joint_translational) \
    X(lmb_joint_fixed)         \
    X(lmb_joint_planar)        \
    X(lmb_joint_point_on_line) \
    X(lmb_joint_distance)      \
    X(lmb_joint_screw)         \
    X(lmb_joint_gear)          \
    X(lmb_joint_generic)
#define FORCES(X)              \
    X(lmb_force_force)         \
    X(lmb_force_torque)        \
    X(lmb_force_spring)        \
    X(lmb_force_rotational_spring) \
    X(lmb_force_bushing)
#define SENSORS(X)             \
    X(lmb_sensor_position)     \
    X(lmb_sensor_velocity)     \
    X(lmb_sensor_acceleration) \
    X(lmb_sensor_orientation)  \
    X(lmb_sensor_angular_velocity) \
    X(lmb_sensor_angular_acceleration) \
    X(lmb_sensor_distance)     \
    X(lmb_sensor_angle)        \
    X(lmb_sensor_coordinate)   \
    X(lmb_sensor_reaction)     \
    X(lmb_sensor_force)        \
    X(lmb_sensor_displacement) \
    X(lmb_sensor_section)      \
    X(lmb_sensor_stress)       \
    X(lmb_sensor_strain)       \
    X(lmb_sensor_largest_stress) \
    X(lmb_sensor_energy)       \
    X(lmb_sensor_expression)
#define ANALYSES(X)            \
    X(lmb_analysis_dynamics)   \
    X(lmb_analysis_statics)    \
    X(lmb_analysis_kinematics) \
    X(lmb_analysis_modes)      \
    X(lmb_analysis_linearise)  \
    X(lmb_analysis_response)   \
    X(lmb_analysis_campbell)
#define INTEGRATORS(X)         \
    X(lmb_integrator_alpha)    \
    X(lmb_integrator_radau)    \
    X(lmb_integrator_dopri)    \
    X(lmb_integrator_ida)
#define FORMALISMS(X)          \
    X(lmb_formalism_multipliers) \
    X(lmb_formalism_penalty)   \
    X(lmb_formalism_augmented) \
    X(lmb_formalism_partitioning) \
    X(lmb_formalism_elimination)
#define KIND(k) &k,
#define DOC(k) &k.doc,
// clang-format on

#define DECLARE_BODY(k) extern const lmb_body_kind k;
#define DECLARE_JOINT(k) extern const lmb_joint_kind k;
#define DECLARE_FORCE(k) extern const lmb_force_kind k;
#define DECLARE_SENSOR(k) extern const lmb_sensor_kind k;
#define DECLARE_ANALYSIS(k) extern const lmb_analysis_kind k;
#define DECLARE_INTEGRATOR(k) extern const lmb_integrator_ops k;
#define DECLARE_FORMALISM(k) extern const lmb_formalism_ops k;
BODIES(DECLARE_BODY)
JOINTS(DECLARE_JOINT)
FORCES(DECLARE_FORCE)
SENSORS(DECLARE_SENSOR)
ANALYSES(DECLARE_ANALYSIS)
INTEGRATORS(DECLARE_INTEGRATOR)
FORMALISMS(DECLARE_FORMALISM)

const lmb_body_kind *const lmb_body_kinds[] = {BODIES(KIND)};
static const lmb_kind_keys *const body_docs[] = {BODIES(DOC) NULL};
const lmb_joint_kind *const lmb_joint_kinds[] = {JOINTS(KIND)};
static const lmb_kind_keys *const joint_docs[] = {JOINTS(DOC) NULL};
const lmb_force_kind *const lmb_force_kinds[] = {FORCES(KIND)};
static const lmb_kind_keys *const force_docs[] = {FORCES(DOC) NULL};
const lmb_sensor_kind *const lmb_sensor_kinds[] = {SENSORS(KIND)};
static const lmb_kind_keys *const sensor_docs[] = {SENSORS(DOC) NULL};
const lmb_analysis_kind *const lmb_analysis_kinds[] = {ANALYSES(KIND)};
static const lmb_kind_keys *const analysis_docs[] = {ANALYSES(DOC) NULL};
const lmb_kind_keys *const lmb_integrators[] = {INTEGRATORS(DOC) NULL};
const lmb_kind_keys *const lmb_formalisms[] = {FORMALISMS(DOC) NULL};

extern const lmb_key lmb_marker_keys[], lmb_event_keys[], lmb_output_keys[], lmb_validation_keys[],
    lmb_external_keys[], lmb_outputs_key[], lmb_fmu_keys[], lmb_study_keys[];

// clang-format off
static const lmb_key gravity_key[] = {
    {"gravity", LMB_KEY_VEC3, 0, 0, LMB_ACCELERATION, 0, 0, "Gravitational acceleration, global components, m/s2 (default none)."}, {0},
};
static const lmb_key planar_key[] = {
    {"planar", LMB_KEY_CHOICE, 0, 0, {0}, "auto|off", 0, "Whether a model whose bodies can only move in a plane is solved with three coordinates for each body (default auto)."}, {0},
};
static const lmb_key title_key[] = {{"title", LMB_KEY_TEXT, 0, 0, {0}, 0, 0, "Title shown in plots, pictures and reports."}, {0}};
// clang-format on

// clang-format off
const lmb_section lmb_sections[] = {
    {"title", "Title of the model.", LMB_SECTION_VALUE, NULL, -1, title_key},
    {"gravity", "Gravitational acceleration.", LMB_SECTION_VALUE, NULL, -1, gravity_key},
    {"planar", "Treatment of planar models.", LMB_SECTION_VALUE, NULL, -1, planar_key},
    {"bodies", "Rigid and flexible bodies.", LMB_SECTION_NAMED, body_docs, 0, NULL},
    {"markers", "Additional frames on bodies or on ground.", LMB_SECTION_NAMED, NULL, -1, lmb_marker_keys},
    {"joints", "Joints between bodies.", LMB_SECTION_NAMED, joint_docs, -1, NULL},
    {"forces", "Forces and torques on bodies.", LMB_SECTION_NAMED, force_docs, -1, NULL},
    {"inputs", "Numbers that are set from outside while the model runs.", LMB_SECTION_NAMED, NULL, -1, lmb_external_keys},
    {"fmus", "Functional mock-up units that run along with the model, such as controllers.", LMB_SECTION_NAMED, NULL, -1, lmb_fmu_keys},
    {"signals", "Expressions of sensors and time, and controllers with states.", LMB_SECTION_NAMED, lmb_signal_kinds, -1, NULL},
    {"sensors", "Quantities to record.", LMB_SECTION_NAMED, sensor_docs, -1, NULL},
    {"outputs", "What other programs see.", LMB_SECTION_VALUE, NULL, -1, lmb_outputs_key},
    {"events", "Events at a given time or when an expression crosses zero.", LMB_SECTION_NAMED, NULL, -1, lmb_event_keys},
    {"analyses", "Analyses, run one after the other.", LMB_SECTION_LIST, analysis_docs, -1, NULL},
    {"output", "Output settings for all analyses.", LMB_SECTION_MAP, NULL, -1, lmb_output_keys},
    {"validation", "Reference values for `limber validate`.", LMB_SECTION_LIST, NULL, -1, lmb_validation_keys},
    {"study", "A parameter study for `limber study`.", LMB_SECTION_MAP, NULL, -1, lmb_study_keys},
    {"part", "A flexible part, in a separate file, for `limber reduce` and `limber modes`.", LMB_SECTION_MAP, lmb_part_kinds, -1, NULL},
    {0},
};
// clang-format on

const lmb_section *lmb_section_find(const char *name) {
    for (const lmb_section *s = lmb_sections; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}
