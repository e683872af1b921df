// api/fmu_calls.h: an instance of an FMU for co-simulation: the same functions for FMI 2 and 3.
#ifndef LMB_API_FMU_CALLS_H
#define LMB_API_FMU_CALLS_H

#include "api/fmu_box.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

// functions of an FMU: member, name in the interface; and those of states, which it may lack
#define LMB_FMU_CALLS(X)              \
    X(free, FreeInstance)             \
    X(enter, EnterInitializationMode) \
    X(leave, ExitInitializationMode)  \
    X(terminate, Terminate)           \
    X(step, DoStep)
#define LMB_FMU_CALLS_2(X)      \
    LMB_FMU_CALLS(X)            \
    X(make, Instantiate)        \
    X(setup, SetupExperiment)   \
    X(status, GetBooleanStatus) \
    X(set_real, SetReal)        \
    X(get_real, GetReal)
#define LMB_FMU_CALLS_3(X)           \
    LMB_FMU_CALLS(X)                 \
    X(make, InstantiateCoSimulation) \
    X(set_real, SetFloat64)          \
    X(get_real, GetFloat64)
#define LMB_FMU_MAY_2(X)               \
    X(keep, GetFMUstate)               \
    X(back, SetFMUstate)               \
    X(drop, FreeFMUstate)              \
    X(size, SerializedFMUstateSize)    \
    X(write, SerializeFMUstate)        \
    X(read, DeSerializeFMUstate)       \
    X(slopes, SetRealInputDerivatives) \
    X(set_integer, SetInteger)         \
    X(get_integer, GetInteger)         \
    X(set_boolean, SetBoolean)         \
    X(get_boolean, GetBoolean)
#define LMB_FMU_MAY_3(X)            \
    X(keep, GetFMUState)            \
    X(back, SetFMUState)            \
    X(drop, FreeFMUState)           \
    X(size, SerializedFMUStateSize) \
    X(write, SerializeFMUState)     \
    X(read, DeserializeFMUState)    \
    X(set_boolean, SetBoolean)      \
    X(get_boolean, GetBoolean)      \
    X(set_Float32, SetFloat32)      \
    X(get_Float32, GetFloat32)      \
    X(set_Int8, SetInt8)            \
    X(get_Int8, GetInt8)            \
    X(set_UInt8, SetUInt8)          \
    X(get_UInt8, GetUInt8)          \
    X(set_Int16, SetInt16)          \
    X(get_Int16, GetInt16)          \
    X(set_UInt16, SetUInt16)        \
    X(get_UInt16, GetUInt16)        \
    X(set_Int32, SetInt32)          \
    X(get_Int32, GetInt32)          \
    X(set_UInt32, SetUInt32)        \
    X(get_UInt32, GetUInt32)        \
    X(set_Int64, SetInt64)          \
    X(get_Int64, GetInt64)          \
    X(set_UInt64, SetUInt64)        \
    X(get_UInt64, GetUInt64)

typedef struct lmb_fmu_call { // what happened
    const char *name;
    int status; // of both versions: ok, warning, discard, error, fatal
    bool ended;
} lmb_fmu_call;

typedef struct lmb_fmu_port { // a variable
    uint32_t reference;
    lmb_fmu_type type;
} lmb_fmu_port;

typedef struct lmb_fmu_calls {
    lmb_fmu_box box;
    void *instance;
    char resources[1300], said[400]; // the last message of the FMU
    fmi2CallbackFunctions callbacks;
    struct lmb_fmu_two {
#define X(member, Name) fmi2##Name##TYPE *member;
        LMB_FMU_CALLS_2(X) LMB_FMU_MAY_2(X)
#undef X
    } two;
    struct lmb_fmu_three {
#define X(member, Name) fmi3##Name##TYPE *member;
        LMB_FMU_CALLS_3(X) LMB_FMU_MAY_3(X)
#undef X
    } three;
} lmb_fmu_calls;

// Of the opened box.  NULL: it has all functions; else the name of one that is missing.
const char *lmb_fmu_calls_find(lmb_fmu_calls *c);
void lmb_fmu_calls_make(lmb_fmu_calls *c, const char *name); // c->instance: NULL: failed
void lmb_fmu_calls_free(lmb_fmu_calls *c,
                        bool alive); // and closes the box; alive false: the instance must not be touched
const char *lmb_fmu_calls_said(lmb_fmu_calls *c); // its last message, for people
bool lmb_fmu_calls_knows(const lmb_fmu_calls *c,
                         lmb_fmu_type type); // whether it can set and get such variables

// A value that the type of the variable cannot take fails without a call: status error, name NULL.
lmb_fmu_call lmb_fmu_calls_set(lmb_fmu_calls *c, const lmb_fmu_port *ports, int count, const double *values);
lmb_fmu_call lmb_fmu_calls_get(double *values, lmb_fmu_calls *c, const lmb_fmu_port *ports, int count);
lmb_fmu_call lmb_fmu_calls_slopes(lmb_fmu_calls *c, const lmb_fmu_port *ports, int count,
                                  const double *rates);
lmb_fmu_call lmb_fmu_calls_enter(lmb_fmu_calls *c, double start, double until);
lmb_fmu_call lmb_fmu_calls_leave(lmb_fmu_calls *c);
lmb_fmu_call lmb_fmu_calls_step(lmb_fmu_calls *c, double time, double h);
void lmb_fmu_calls_terminate(lmb_fmu_calls *c);

// States of the whole FMU; *state: NULL, or one that is replaced.
lmb_fmu_call lmb_fmu_calls_keep(void **state, lmb_fmu_calls *c);
lmb_fmu_call lmb_fmu_calls_back(lmb_fmu_calls *c, void *state);
void lmb_fmu_calls_drop(void **state, lmb_fmu_calls *c);
lmb_fmu_call lmb_fmu_calls_size(size_t *size, lmb_fmu_calls *c, void *state);
lmb_fmu_call lmb_fmu_calls_write(void *bytes, size_t size, lmb_fmu_calls *c, void *state);
lmb_fmu_call lmb_fmu_calls_read(void **state, lmb_fmu_calls *c, const void *bytes, size_t size);

#endif
