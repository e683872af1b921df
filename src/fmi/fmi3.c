// fmi/fmi3.c: the functions of FMI 3.0.
#include "fmi/fmi3.h"

#include "fmi/instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define X(name, parameters) EXPORT fmi3Status name parameters;
FMI3_FUNCTIONS
#undef X
EXPORT fmi3GetVersionTYPE fmi3GetVersion;
EXPORT fmi3FreeInstanceTYPE fmi3FreeInstance;
EXPORT fmi3InstantiateModelExchangeTYPE fmi3InstantiateModelExchange;
EXPORT fmi3InstantiateCoSimulationTYPE fmi3InstantiateCoSimulation;
EXPORT fmi3InstantiateScheduledExecutionTYPE fmi3InstantiateScheduledExecution;

// a function of an instance may be called in these phases, with these pointers
#define ALLOW(phases)                \
    if (c == NULL) return fmi3Error; \
    if (!instance_allows(c, __func__, phases)) return fmi3Error
#define NEED(condition, why) \
    if (!(condition)) return (fmi3Status)instance_refuse(c, __func__, why)
#define GIVEN(pointers) NEED(pointers, "a pointer is NULL")
#define LISTS(count, a, b) NEED((count) == 0 || ((a) && (b)), "a list is NULL")
#define SAME_COUNT(a, b) \
    NEED((a) == (b), "all variables are scalars: as many values as references are needed")

const char *fmi3GetVersion(void) { return "3.0"; }

// ---- create, destroy ---------------------------------------------------------------------------

typedef struct listener {
    fmi3LogMessageCallback *log;
    fmi3InstanceEnvironment environment;
} listener;

static void log_message(void *user, const char *name, answer a, const char *category, const char *text) {
    const listener *l = user;
    (void)name;
    if (l->log) l->log(l->environment, (fmi3Status)a, category, text);
}

static fmi3Instance instantiate(setup *s, fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log) {
    listener *l = malloc(sizeof *l);
    if (l == NULL) return NULL;
    *l = (listener){log, environment};
    s->log = log_message, s->user = l;
    return instance_create(s);
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean loggingOn,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log) {
    (void)visible;
    setup s = {
        .name = name, .token = token, .resources = resources, .use = USE_EXCHANGE, .logging = loggingOn};
    return instantiate(&s, environment, log);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean loggingOn,
                                         fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference intermediate[], size_t intermediates,
                                         fmi3InstanceEnvironment environment, fmi3LogMessageCallback *log,
                                         fmi3IntermediateUpdateCallback *update) {
    (void)visible, (void)eventModeUsed, (void)intermediate, (void)intermediates, (void)update;
    setup s = {.name = name,
               .token = token,
               .resources = resources,
               .use = USE_STEPS,
               .logging = loggingOn,
               .early = earlyReturnAllowed};
    return instantiate(&s, environment, log);
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean loggingOn,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback *log, fmi3ClockUpdateCallback *clocks,
                                               fmi3LockPreemptionCallback *lock,
                                               fmi3UnlockPreemptionCallback *unlock) {
    (void)name, (void)token, (void)resources, (void)visible, (void)loggingOn, (void)clocks, (void)lock,
        (void)unlock;
    if (log)
        log(environment, fmi3Error, "logStatusError",
            "fmi3InstantiateScheduledExecution: the FMU has no clocks; use model exchange or co-simulation");
    return NULL;
}

void fmi3FreeInstance(fmi3Instance c) { instance_destroy(c); }

fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean loggingOn, size_t n,
                               const fmi3String categories[]) {
    ALLOW(~0u);
    (void)n, (void)categories;
    ((instance *)c)->as.logging = loggingOn;
    return fmi3OK;
}

// ---- phases ------------------------------------------------------------------------------------

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance,
                                       fmi3Float64 startTime, fmi3Boolean stopTimeDefined,
                                       fmi3Float64 stopTime) {
    ALLOW(PHASE_INSTANTIATED);
    (void)toleranceDefined, (void)tolerance; // the model has its own
    NEED(!stopTimeDefined || isfinite(stopTime), "the stop time is not finite");
    return (fmi3Status)instance_initialize(c, startTime, stopTimeDefined ? stopTime : NAN);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    ALLOW(PHASE_INITIALIZATION);
    return (fmi3Status)instance_initialized(c);
}

fmi3Status fmi3Terminate(fmi3Instance c) {
    ALLOW(PHASE_RUNNING);
    ((instance *)c)->phase = PHASE_TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c) {
    ALLOW(~0u);
    instance_reset(c);
    return fmi3OK;
}

// there are no structural parameters
#define REFUSED(name, parameters, why)                        \
    fmi3Status name parameters {                              \
        ALLOW(~0u);                                           \
        return (fmi3Status)instance_refuse(c, __func__, why); \
    }
REFUSED(fmi3EnterConfigurationMode, (fmi3Instance c), "the FMU has no structural parameters")
REFUSED(fmi3ExitConfigurationMode, (fmi3Instance c), "the FMU has no structural parameters")
REFUSED(fmi3EnterStepMode, (fmi3Instance c), "hasEventMode is false")

// ---- values ------------------------------------------------------------------------------------

fmi3Status fmi3GetFloat64(FMI3_REFERENCES, fmi3Float64 value[], size_t count) {
    ALLOW(PHASE_INSTANTIATED | PHASE_KNOWN);
    LISTS(nvr, vr, value);
    SAME_COUNT(nvr, count);
    return (fmi3Status)instance_get(c, __func__, value, vr, nvr);
}

fmi3Status fmi3SetFloat64(FMI3_REFERENCES, const fmi3Float64 value[], size_t count) {
    ALLOW(PHASE_BEFORE | PHASE_RUNNING);
    LISTS(nvr, vr, value);
    SAME_COUNT(nvr, count);
    return (fmi3Status)instance_set(c, __func__, value, vr, nvr);
}

// all variables are Float64
#define NONE(name, parameters)                                    \
    fmi3Status name parameters {                                  \
        ALLOW(~0u);                                               \
        (void)vr, (void)value;                                    \
        NEED(nvr == 0, "the model has no variable of this type"); \
        return fmi3OK;                                            \
    }
#define T(Type)                                                                                      \
    NONE(fmi3Get##Type, (FMI3_REFERENCES, fmi3##Type value[], __attribute__((unused)) size_t count)) \
    NONE(fmi3Set##Type, (FMI3_REFERENCES, const fmi3##Type value[], __attribute__((unused)) size_t count))
FMI3_TYPES
#undef T
#define UNUSED __attribute__((unused))
NONE(fmi3GetBinary, (FMI3_REFERENCES, UNUSED size_t sizes[], fmi3Binary value[], UNUSED size_t count))
NONE(fmi3SetBinary,
     (FMI3_REFERENCES, UNUSED const size_t sizes[], const fmi3Binary value[], UNUSED size_t count))
NONE(fmi3GetClock, (FMI3_REFERENCES, fmi3Clock value[]))
NONE(fmi3SetClock, (FMI3_REFERENCES, const fmi3Clock value[]))
NONE(fmi3GetIntervalDecimal, (FMI3_REFERENCES, fmi3Float64 value[], UNUSED fmi3IntervalQualifier qualifier[]))
NONE(fmi3GetIntervalFraction, (FMI3_REFERENCES, fmi3UInt64 value[], UNUSED fmi3UInt64 resolution[],
                               UNUSED fmi3IntervalQualifier qualifier[]))
NONE(fmi3GetShiftDecimal, (FMI3_REFERENCES, fmi3Float64 value[]))
NONE(fmi3GetShiftFraction, (FMI3_REFERENCES, fmi3UInt64 value[], UNUSED fmi3UInt64 resolution[]))
NONE(fmi3SetIntervalDecimal, (FMI3_REFERENCES, const fmi3Float64 value[]))
NONE(fmi3SetIntervalFraction,
     (FMI3_REFERENCES, const fmi3UInt64 value[], UNUSED const fmi3UInt64 resolution[]))
NONE(fmi3SetShiftDecimal, (FMI3_REFERENCES, const fmi3Float64 value[]))
NONE(fmi3SetShiftFraction, (FMI3_REFERENCES, const fmi3UInt64 value[], UNUSED const fmi3UInt64 resolution[]))

REFUSED(fmi3GetNumberOfVariableDependencies,
        (fmi3Instance c, UNUSED fmi3ValueReference vr, UNUSED size_t *count),
        "providesPerElementDependencies is false")
REFUSED(fmi3GetVariableDependencies,
        (fmi3Instance c, UNUSED fmi3ValueReference dependent, UNUSED size_t elements[],
         UNUSED fmi3ValueReference independents[], UNUSED size_t independentElements[],
         UNUSED fmi3DependencyKind kinds[], UNUSED size_t count),
        "providesPerElementDependencies is false")
REFUSED(fmi3GetOutputDerivatives,
        (FMI3_INSTANCE, UNUSED const fmi3ValueReference vr[], UNUSED size_t nvr,
         UNUSED const fmi3Int32 orders[], UNUSED fmi3Float64 value[], UNUSED size_t count),
        "maxOutputDerivativeOrder is 0")
REFUSED(fmi3ActivateModelPartition,
        (fmi3Instance c, UNUSED fmi3ValueReference clock, UNUSED fmi3Float64 activationTime),
        "the FMU has no clocks")

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
                                        const fmi3ValueReference known[], size_t knowns,
                                        const fmi3Float64 seed[], size_t seeds, fmi3Float64 out[],
                                        size_t outs) {
    ALLOW(PHASE_INITIALIZATION | PHASE_RUNNING);
    LISTS(unknowns, unknown, out);
    LISTS(knowns, known, seed);
    SAME_COUNT(knowns, seeds);
    SAME_COUNT(unknowns, outs);
    return (fmi3Status)instance_derivative(c, __func__, out, unknown, unknowns, known, seed, knowns);
}

REFUSED(fmi3GetAdjointDerivative,
        (fmi3Instance c, UNUSED const fmi3ValueReference unknown[], UNUSED size_t unknowns,
         UNUSED const fmi3ValueReference known[], UNUSED size_t knowns, UNUSED const fmi3Float64 seed[],
         UNUSED size_t seeds, UNUSED fmi3Float64 out[], UNUSED size_t outs),
        "providesAdjointDerivatives is false")

// ---- states of the whole -----------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state) {
    ALLOW(PHASE_INSTANTIATED | PHASE_KNOWN);
    GIVEN(state);
    kept *k = *state;
    answer a = instance_keep(c, &k);
    *state = k;
    return (fmi3Status)a;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state) {
    ALLOW(~0u);
    GIVEN(state);
    return (fmi3Status)instance_restore(c, state, (size_t)((const kept *)state)->size);
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state) {
    ALLOW(~0u);
    GIVEN(state);
    instance_release(*state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size) {
    ALLOW(~0u);
    GIVEN(state && size);
    *size = (size_t)((const kept *)state)->size;
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
    ALLOW(~0u);
    GIVEN(state && bytes);
    NEED(size == ((const kept *)state)->size, "the size is not that of the state");
    memcpy(bytes, state, size);
    return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state) {
    ALLOW(~0u);
    GIVEN(bytes && state);
    kept *k = *state;
    answer a = instance_read_kept(c, &k, bytes, size);
    *state = k;
    return (fmi3Status)a;
}

// ---- model exchange ----------------------------------------------------------------------------

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    ALLOW(PHASE_EXCHANGE);
    ((instance *)c)->phase = PHASE_EVENT;
    return fmi3OK;
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c) {
    ALLOW(PHASE_INITIALIZATION | PHASE_EVENT);
    return fmi3OK; // there are no variables of discrete states
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *needUpdate, fmi3Boolean *terminateSimulation,
                                    fmi3Boolean *nominalsChanged, fmi3Boolean *valuesChanged,
                                    fmi3Boolean *nextEventTimeDefined, fmi3Float64 *nextEventTime) {
    ALLOW(PHASE_EVENT);
    GIVEN(needUpdate && terminateSimulation && nominalsChanged && valuesChanged && nextEventTimeDefined &&
          nextEventTime);
    occurrence o = {0};
    answer a = instance_event(c, &o);
    *needUpdate = *nominalsChanged = false;
    *terminateSimulation = o.ended, *valuesChanged = o.changed;
    *nextEventTimeDefined = a == ANSWER_OK && isfinite(o.next);
    *nextEventTime = *nextEventTimeDefined ? o.next : 0;
    return (fmi3Status)a;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
    ALLOW(PHASE_EVENT);
    ((instance *)c)->phase = PHASE_CONTINUOUS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode, fmi3Boolean *terminateSimulation) {
    ALLOW(PHASE_CONTINUOUS);
    (void)noSetFMUStatePriorToCurrentPoint;
    GIVEN(enterEventMode && terminateSimulation);
    *enterEventMode = *terminateSimulation = false;
    return (fmi3Status)instance_accept(c);
}

fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
    ALLOW(PHASE_EXCHANGE);
    return (fmi3Status)instance_set_time(c, time);
}

fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 x[], size_t nx) {
    ALLOW(PHASE_CONTINUOUS);
    LISTS(nx, x, x);
    return (fmi3Status)instance_set_states(c, x, nx);
}

#define EXCHANGED(name, function)                                                                    \
    fmi3Status name(fmi3Instance c, fmi3Float64 out[], size_t n) {                                   \
        ALLOW(PHASE_INITIALIZATION | PHASE_EXCHANGE | PHASE_TERMINATED);                             \
        NEED(((instance *)c)->as.use == USE_EXCHANGE, "the FMU was instantiated for co-simulation"); \
        LISTS(n, out, out);                                                                          \
        return (fmi3Status)function(c, out, n);                                                      \
    }
EXCHANGED(fmi3GetContinuousStateDerivatives, instance_rates)
EXCHANGED(fmi3GetEventIndicators, instance_indicators)
EXCHANGED(fmi3GetContinuousStates, instance_states)
EXCHANGED(fmi3GetNominalsOfContinuousStates, instance_nominals)

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count) {
    ALLOW(~0u);
    GIVEN(count);
    *count = (size_t)((instance *)c)->has.indicators;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count) {
    ALLOW(~0u);
    GIVEN(count);
    *count = (size_t)((instance *)c)->has.states;
    return fmi3OK;
}

// ---- co-simulation -----------------------------------------------------------------------------

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize, fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime) {
    instance *x = c;
    ALLOW(PHASE_STEP);
    (void)noSetFMUStatePriorToCurrentPoint;
    GIVEN(eventHandlingNeeded && terminateSimulation && earlyReturn && lastSuccessfulTime);
    answer a = instance_step(c, __func__, currentCommunicationPoint, communicationStepSize);
    *eventHandlingNeeded = false;
    *terminateSimulation = x->ended;
    *earlyReturn = a == ANSWER_OK && (x->ended || x->event_met);
    *lastSuccessfulTime = x->last;
    return (fmi3Status)a;
}
