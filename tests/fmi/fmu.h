// tests/fmi/fmu.h: an unpacked FMU, loaded with dlopen, behind one set of functions for FMI 2 and 3.
#ifndef LMB_TEST_FMU_H
#define LMB_TEST_FMU_H

#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct functions2 {
    fmi2GetVersionTYPE *fmi2GetVersion;
    fmi2InstantiateTYPE *fmi2Instantiate;
    fmi2FreeInstanceTYPE *fmi2FreeInstance;
#define X(name, parameters) name##TYPE *name;
    FMI2_FUNCTIONS
#undef X
} functions2;

typedef struct functions3 {
    fmi3GetVersionTYPE *fmi3GetVersion;
    fmi3InstantiateModelExchangeTYPE *fmi3InstantiateModelExchange;
    fmi3InstantiateCoSimulationTYPE *fmi3InstantiateCoSimulation;
    fmi3InstantiateScheduledExecutionTYPE *fmi3InstantiateScheduledExecution;
    fmi3FreeInstanceTYPE *fmi3FreeInstance;
#define X(name, parameters) name##TYPE *name;
    FMI3_FUNCTIONS
#undef X
} functions3;

typedef struct fmu {
    int version;
    char folder[1000], uri[1100];
    char *xml, token[100];
    void *module;
    functions2 v2;
    functions3 v3;
    int states, indicators;
} fmu;

bool fmu_open(fmu *f, const char *folder); // says what fails
void fmu_close(fmu *f);
int fmu_reference(const fmu *f, const char *name); // -1: there is no such variable

typedef struct unit { // an instance
    const fmu *f;
    void *c;
    bool steps;
    double last;       // where the last step ended
    bool ended, early; // the motion; the step before its end
    double next;       // time event, INFINITY: none
    int set_in_event;  // this variable is set in the next event mode; -1: none
    double value_in_event;
    char message[300]; // the last one
} unit;

typedef enum kind { EXCHANGE, STEPS, EARLY_STEPS } kind; // co-simulation that may return early
bool unit_create(unit *u, const fmu *f, kind k);
void unit_destroy(unit *u);
// All return the status, 0: OK.
int unit_enter(unit *u, double start, double stop); // stop: NAN: none
int unit_exit(unit *u);
int unit_get(unit *u, int vr, double *value);
int unit_set(unit *u, int vr, double value);
int unit_step(unit *u, double t, double h);
int unit_keep(unit *u, void **state);
int unit_restore(unit *u, void *state);
int unit_release(unit *u, void **state);
int unit_to_bytes(unit *u, void *state, unsigned char **bytes, size_t *size); // free *bytes
int unit_from_bytes(unit *u, const unsigned char *bytes, size_t size, void **state);
int unit_derivative(unit *u, int unknown, int known, double seed, double *out);
// model exchange
int unit_set_time(unit *u, double t);
int unit_set_states(unit *u, const double *x);
int unit_states(unit *u, double *x);
int unit_rates(unit *u, double *x_dot);
int unit_indicators(unit *u, double *z);
int unit_accept(unit *u);
int unit_event(unit *u); // enters event mode, updates discrete states, and goes on in continuous time
int unit_terminate(unit *u);
int unit_reset(unit *u);

#endif
