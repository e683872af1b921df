// sensor/sensors.h: what sensors share; each type is one file (or a few in one) and one line in registry/registry.c.
#ifndef LMB_SENSORS_H
#define LMB_SENSORS_H

#include "reduce/flex.h"
#include "system/build_state.h"
#include "system/stress.h"

typedef struct lmb_sensor_common { // first member of what a sensor's keys are read into
    uint64_t given;
    const char *of, *relative_to;
    lmb_texts between;
    int in, derivative;
} lmb_sensor_common;

// clang-format off
#define LMB_SENSOR_OF(text) \
    {"of", LMB_KEY_TEXT, offsetof(lmb_sensor_common, of), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, text}
#define LMB_SENSOR_RELATIVE \
    {"relative_to", LMB_KEY_TEXT, offsetof(lmb_sensor_common, relative_to), LMB_KEY_IS_REF, {0}, 0, 0, \
     "Measure relative to this marker, in its axes (default: the global frame)."}
#define LMB_SENSOR_BETWEEN \
    {"between", LMB_KEY_TEXTS, offsetof(lmb_sensor_common, between), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, \
     "The two markers."}
#define LMB_SENSOR_IN \
    {"in", LMB_KEY_CHOICE, offsetof(lmb_sensor_common, in), 0, {0}, "global|marker", 0, \
     "Components in global axes (default) or in the axes of the first marker."}
#define LMB_SENSOR_RATE \
    {"derivative", LMB_KEY_INTEGER, offsetof(lmb_sensor_common, derivative), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, \
     "0: the value, 1: its first time derivative, 2: its second."}
// clang-format on

extern const char *const lmb_sensor_xyz[3];

// The two markers of a sensor: the reference (default: ground) and the observed one.
lmb_status lmb_sensor_markers(int *marker, lmb_build *b, const lmb_sensor_common *r, const lmb_node *n,
                              lmb_error *err);

// ---- a measure of two markers, or one of its derivatives ------------------------------------------------

typedef struct lmb_sensor_measure {
    lmb_measure f;
    int order;   // 0, 1, 2
    int turns;   // slot of the full-turn counter, -1: none
    double zero; // subtracted from its value
} lmb_sensor_measure;

lmb_status lmb_sensor_add_measure(lmb_build *b, const lmb_node *n, const char *component, lmb_channel c,
                                  lmb_sensor_measure measure, lmb_error *err);

// ---- stresses of flexible bodies ---------------------------------------------------------------

// Stress of a flexible body at a place, or over nodes of a body and the parts that follow it.
typedef struct lmb_probe {
    int body, body_count;
    const double *rows;               // 6 x lmb_flex_stress_count at a place: section forces or stress
    bool beam;                        // rows are section forces
    double section[LMB_SECTION_SIZE]; // there
    const int *const *places;         // per body: places of stress that count; NULL: all
    const int *place_count;
} lmb_probe;

// The point of a sensor of stress or strain.
typedef struct lmb_sensor_point { // first member of what the keys are read into
    lmb_sensor_common common;
    int node, side;
} lmb_sensor_point;

// clang-format off
#define LMB_SENSOR_POINT \
    LMB_SENSOR_OF("The marker at the point, or the body together with `node`."), \
    {"node", LMB_KEY_INTEGER, offsetof(lmb_sensor_point, node), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, "Node number in the mesh, instead of a marker."}, \
    {"side", LMB_KEY_CHOICE, offsetof(lmb_sensor_point, side), 0, {0}, "top|bottom", 0, "Shells: the side that the normal points to (default top), or the other."}
// clang-format on

// the body and the undeformed position in it; refuses bodies without stress
lmb_status lmb_sensor_find_point(int *body, vec3 *x, lmb_build *b, const lmb_sensor_point *r,
                                 const lmb_node *n, lmb_error *err);

bool lmb_sensor_has_stress(const lmb_build *b, int body);
// why there is no stress at the place that `of` names
lmb_status lmb_sensor_refuse(const lmb_build *b, const char *of, const lmb_node *n, int body, lmb_error *err);
// refuses bodies without stress, and beams whose section is given by its properties
lmb_status lmb_sensor_check_stress(const lmb_build *b, const char *of, const lmb_node *n, int body,
                                   lmb_error *err);
// a new probe of section forces or stress at the point x of a body; NULL: no memory, or no data there
lmb_probe *lmb_sensor_probe(lmb_build *b, int body, vec3 x, lmb_side side);
void lmb_sensor_rows(double out[6], const lmb_probe *p, const lmb_moment *r); // rows s

#endif
