// fmi/fmi3.h: the C interface of FMI 3.0, as its specification names it (https://fmi-standard.org): types and functions.
#ifndef LMB_FMI3_H
#define LMB_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;
#define fmi3True true
#define fmi3False false

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void fmi3LogMessageCallback(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                    fmi3String message);
typedef void fmi3ClockUpdateCallback(fmi3InstanceEnvironment);
typedef void fmi3IntermediateUpdateCallback(fmi3InstanceEnvironment, fmi3Float64 time,
                                            fmi3Boolean setRequested, fmi3Boolean getAllowed,
                                            fmi3Boolean stepFinished, fmi3Boolean canReturnEarly,
                                            fmi3Boolean *earlyReturnRequested, fmi3Float64 *earlyReturnTime);
typedef void fmi3LockPreemptionCallback(void);
typedef void fmi3UnlockPreemptionCallback(void);

#define FMI3_INSTANCE fmi3Instance c
#define FMI3_REFERENCES FMI3_INSTANCE, const fmi3ValueReference vr[], size_t nvr
#define FMI3_TYPES \
    T(Float32) T(Int8) T(UInt8) T(Int16) T(UInt16) T(Int32) T(UInt32) T(Int64) T(UInt64) T(Boolean) T(String)
#define FMI3_VALUES(Type)                                                 \
    X(fmi3Get##Type, (FMI3_REFERENCES, fmi3##Type value[], size_t count)) \
    X(fmi3Set##Type, (FMI3_REFERENCES, const fmi3##Type value[], size_t count))

// all functions that return a status: name and parameters
#define FMI3_FUNCTIONS                                                                                       \
    X(fmi3SetDebugLogging, (FMI3_INSTANCE, fmi3Boolean loggingOn, size_t n, const fmi3String categories[]))  \
    X(fmi3EnterInitializationMode,                                                                           \
      (FMI3_INSTANCE, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, fmi3Float64 startTime,            \
       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime))                                                   \
    X(fmi3ExitInitializationMode, (FMI3_INSTANCE))                                                           \
    X(fmi3EnterEventMode, (FMI3_INSTANCE))                                                                   \
    X(fmi3Terminate, (FMI3_INSTANCE))                                                                        \
    X(fmi3Reset, (FMI3_INSTANCE))                                                                            \
    FMI3_VALUES(Float64)                                                                                     \
    FMI3_VALUES(Float32)                                                                                     \
    FMI3_VALUES(Int8)                                                                                        \
    FMI3_VALUES(UInt8)                                                                                       \
    FMI3_VALUES(Int16)                                                                                       \
    FMI3_VALUES(UInt16)                                                                                      \
    FMI3_VALUES(Int32)                                                                                       \
    FMI3_VALUES(UInt32)                                                                                      \
    FMI3_VALUES(Int64)                                                                                       \
    FMI3_VALUES(UInt64)                                                                                      \
    FMI3_VALUES(Boolean)                                                                                     \
    FMI3_VALUES(String)                                                                                      \
    X(fmi3GetBinary, (FMI3_REFERENCES, size_t sizes[], fmi3Binary value[], size_t count))                    \
    X(fmi3SetBinary, (FMI3_REFERENCES, const size_t sizes[], const fmi3Binary value[], size_t count))        \
    X(fmi3GetClock, (FMI3_REFERENCES, fmi3Clock value[]))                                                    \
    X(fmi3SetClock, (FMI3_REFERENCES, const fmi3Clock value[]))                                              \
    X(fmi3GetNumberOfVariableDependencies, (FMI3_INSTANCE, fmi3ValueReference vr, size_t * count))           \
    X(fmi3GetVariableDependencies,                                                                           \
      (FMI3_INSTANCE, fmi3ValueReference dependent, size_t elements[], fmi3ValueReference independents[],    \
       size_t independentElements[], fmi3DependencyKind kinds[], size_t count))                              \
    X(fmi3GetFMUState, (FMI3_INSTANCE, fmi3FMUState * state))                                                \
    X(fmi3SetFMUState, (FMI3_INSTANCE, fmi3FMUState state))                                                  \
    X(fmi3FreeFMUState, (FMI3_INSTANCE, fmi3FMUState * state))                                               \
    X(fmi3SerializedFMUStateSize, (FMI3_INSTANCE, fmi3FMUState state, size_t * size))                        \
    X(fmi3SerializeFMUState, (FMI3_INSTANCE, fmi3FMUState state, fmi3Byte bytes[], size_t size))             \
    X(fmi3DeserializeFMUState, (FMI3_INSTANCE, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))    \
    X(fmi3GetDirectionalDerivative,                                                                          \
      (FMI3_INSTANCE, const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[], \
       size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 out[], size_t outs))               \
    X(fmi3GetAdjointDerivative,                                                                              \
      (FMI3_INSTANCE, const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[], \
       size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 out[], size_t outs))               \
    X(fmi3EnterConfigurationMode, (FMI3_INSTANCE))                                                           \
    X(fmi3ExitConfigurationMode, (FMI3_INSTANCE))                                                            \
    X(fmi3GetIntervalDecimal, (FMI3_REFERENCES, fmi3Float64 interval[], fmi3IntervalQualifier qualifier[]))  \
    X(fmi3GetIntervalFraction,                                                                               \
      (FMI3_REFERENCES, fmi3UInt64 counter[], fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[]))   \
    X(fmi3GetShiftDecimal, (FMI3_REFERENCES, fmi3Float64 shift[]))                                           \
    X(fmi3GetShiftFraction, (FMI3_REFERENCES, fmi3UInt64 counter[], fmi3UInt64 resolution[]))                \
    X(fmi3SetIntervalDecimal, (FMI3_REFERENCES, const fmi3Float64 interval[]))                               \
    X(fmi3SetIntervalFraction, (FMI3_REFERENCES, const fmi3UInt64 counter[], const fmi3UInt64 resolution[])) \
    X(fmi3SetShiftDecimal, (FMI3_REFERENCES, const fmi3Float64 shift[]))                                     \
    X(fmi3SetShiftFraction, (FMI3_REFERENCES, const fmi3UInt64 counter[], const fmi3UInt64 resolution[]))    \
    X(fmi3EvaluateDiscreteStates, (FMI3_INSTANCE))                                                           \
    X(fmi3UpdateDiscreteStates, (FMI3_INSTANCE, fmi3Boolean * needUpdate, fmi3Boolean * terminateSimulation, \
                                 fmi3Boolean * nominalsChanged, fmi3Boolean * valuesChanged,                 \
                                 fmi3Boolean * nextEventTimeDefined, fmi3Float64 * nextEventTime))           \
    X(fmi3EnterContinuousTimeMode, (FMI3_INSTANCE))                                                          \
    X(fmi3CompletedIntegratorStep, (FMI3_INSTANCE, fmi3Boolean noSetFMUStatePriorToCurrentPoint,             \
                                    fmi3Boolean * enterEventMode, fmi3Boolean * terminateSimulation))        \
    X(fmi3SetTime, (FMI3_INSTANCE, fmi3Float64 time))                                                        \
    X(fmi3SetContinuousStates, (FMI3_INSTANCE, const fmi3Float64 x[], size_t nx))                            \
    X(fmi3GetContinuousStateDerivatives, (FMI3_INSTANCE, fmi3Float64 derivatives[], size_t nx))              \
    X(fmi3GetEventIndicators, (FMI3_INSTANCE, fmi3Float64 indicators[], size_t ni))                          \
    X(fmi3GetContinuousStates, (FMI3_INSTANCE, fmi3Float64 x[], size_t nx))                                  \
    X(fmi3GetNominalsOfContinuousStates, (FMI3_INSTANCE, fmi3Float64 nominals[], size_t nx))                 \
    X(fmi3GetNumberOfEventIndicators, (FMI3_INSTANCE, size_t * count))                                       \
    X(fmi3GetNumberOfContinuousStates, (FMI3_INSTANCE, size_t * count))                                      \
    X(fmi3EnterStepMode, (FMI3_INSTANCE))                                                                    \
    X(fmi3GetOutputDerivatives,                                                                              \
      (FMI3_REFERENCES, const fmi3Int32 orders[], fmi3Float64 value[], size_t count))                        \
    X(fmi3DoStep,                                                                                            \
      (FMI3_INSTANCE, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,              \
       fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * eventHandlingNeeded,                      \
       fmi3Boolean * terminateSimulation, fmi3Boolean * earlyReturn, fmi3Float64 * lastSuccessfulTime))      \
    X(fmi3ActivateModelPartition, (FMI3_INSTANCE, fmi3ValueReference clock, fmi3Float64 activationTime))

typedef const char *fmi3GetVersionTYPE(void);
typedef void fmi3FreeInstanceTYPE(FMI3_INSTANCE);
typedef fmi3Instance fmi3InstantiateModelExchangeTYPE(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean visible, fmi3Boolean loggingOn,
                                                      fmi3InstanceEnvironment environment,
                                                      fmi3LogMessageCallback *log);
typedef fmi3Instance
fmi3InstantiateCoSimulationTYPE(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                fmi3Boolean loggingOn, fmi3Boolean eventModeUsed,
                                fmi3Boolean earlyReturnAllowed, const fmi3ValueReference intermediate[],
                                size_t intermediates, fmi3InstanceEnvironment environment,
                                fmi3LogMessageCallback *log, fmi3IntermediateUpdateCallback *update);
typedef fmi3Instance fmi3InstantiateScheduledExecutionTYPE(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean loggingOn,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log, fmi3ClockUpdateCallback *clocks,
    fmi3LockPreemptionCallback *lock, fmi3UnlockPreemptionCallback *unlock);
#define X(name, parameters) typedef fmi3Status name##TYPE parameters;
FMI3_FUNCTIONS
#undef X

#endif
