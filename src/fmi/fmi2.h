// fmi/fmi2.h: the C interface of FMI 2.0, as its specification names it (https://fmi-standard.org): types and functions.
#ifndef LMB_FMI2_H
#define LMB_FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
enum { fmi2False = 0, fmi2True = 1 };

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef void fmi2CallbackLogger(fmi2ComponentEnvironment, fmi2String instance, fmi2Status,
                                fmi2String category, fmi2String message, ...);
typedef struct {
    fmi2CallbackLogger *logger;
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged, valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

#define FMI2_VALUES(Type, type)                                                                  \
    X(fmi2Get##Type, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, type value[])) \
    X(fmi2Set##Type, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const type value[]))

// all functions that return a status: name and parameters
#define FMI2_FUNCTIONS                                                                                      \
    X(fmi2SetDebugLogging,                                                                                  \
      (fmi2Component c, fmi2Boolean loggingOn, size_t n, const fmi2String categories[]))                    \
    X(fmi2SetupExperiment, (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,              \
                            fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime))            \
    X(fmi2EnterInitializationMode, (fmi2Component c))                                                       \
    X(fmi2ExitInitializationMode, (fmi2Component c))                                                        \
    X(fmi2Terminate, (fmi2Component c))                                                                     \
    X(fmi2Reset, (fmi2Component c))                                                                         \
    FMI2_VALUES(Real, fmi2Real)                                                                             \
    FMI2_VALUES(Integer, fmi2Integer)                                                                       \
    FMI2_VALUES(Boolean, fmi2Boolean)                                                                       \
    FMI2_VALUES(String, fmi2String)                                                                         \
    X(fmi2GetFMUstate, (fmi2Component c, fmi2FMUstate * state))                                             \
    X(fmi2SetFMUstate, (fmi2Component c, fmi2FMUstate state))                                               \
    X(fmi2FreeFMUstate, (fmi2Component c, fmi2FMUstate * state))                                            \
    X(fmi2SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t * size))                     \
    X(fmi2SerializeFMUstate, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))          \
    X(fmi2DeSerializeFMUstate, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)) \
    X(fmi2GetDirectionalDerivative,                                                                         \
      (fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,                                \
       const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[], fmi2Real out[]))             \
    X(fmi2EnterEventMode, (fmi2Component c))                                                                \
    X(fmi2NewDiscreteStates, (fmi2Component c, fmi2EventInfo * info))                                       \
    X(fmi2EnterContinuousTimeMode, (fmi2Component c))                                                       \
    X(fmi2CompletedIntegratorStep, (fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,          \
                                    fmi2Boolean * enterEventMode, fmi2Boolean * terminateSimulation))       \
    X(fmi2SetTime, (fmi2Component c, fmi2Real time))                                                        \
    X(fmi2SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t nx))                            \
    X(fmi2GetDerivatives, (fmi2Component c, fmi2Real derivatives[], size_t nx))                             \
    X(fmi2GetEventIndicators, (fmi2Component c, fmi2Real indicators[], size_t ni))                          \
    X(fmi2GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t nx))                                  \
    X(fmi2GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real nominals[], size_t nx))                 \
    X(fmi2SetRealInputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr,             \
                                    const fmi2Integer order[], const fmi2Real value[]))                     \
    X(fmi2GetRealOutputDerivatives, (fmi2Component c, const fmi2ValueReference vr[], size_t nvr,            \
                                     const fmi2Integer order[], fmi2Real value[]))                          \
    X(fmi2DoStep, (fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,     \
                   fmi2Boolean noSetFMUStatePriorToCurrentPoint))                                           \
    X(fmi2CancelStep, (fmi2Component c))                                                                    \
    X(fmi2GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value))                       \
    X(fmi2GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value))                     \
    X(fmi2GetIntegerStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value))               \
    X(fmi2GetBooleanStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value))               \
    X(fmi2GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value))

typedef const char *fmi2GetTypesPlatformTYPE(void);
typedef const char *fmi2GetVersionTYPE(void);
typedef fmi2Component fmi2InstantiateTYPE(fmi2String name, fmi2Type type, fmi2String guid,
                                          fmi2String resources, const fmi2CallbackFunctions *functions,
                                          fmi2Boolean visible, fmi2Boolean loggingOn);
typedef void fmi2FreeInstanceTYPE(fmi2Component c);
#define X(name, parameters) typedef fmi2Status name##TYPE parameters;
FMI2_FUNCTIONS
#undef X

#endif
