// fmi/fmi2.c: the functions of FMI 2.0.
#include "fmi/fmi2.h"

#include "fmi/instance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define X(name, parameters) EXPORT fmi2Status name parameters;
FMI2_FUNCTIONS
#undef X
EXPORT fmi2GetTypesPlatformTYPE fmi2GetTypesPlatform;
EXPORT fmi2GetVersionTYPE fmi2GetVersion;
EXPORT fmi2InstantiateTYPE fmi2Instantiate;
EXPORT fmi2FreeInstanceTYPE fmi2FreeInstance;

// a function of an instance may be called in these phases, with these pointers
#define ALLOW(phases)                \
    if (c == NULL) return fmi2Error; \
    if (!instance_allows(c, __func__, phases)) return fmi2Error
#define NEED(condition, why) \
    if (!(condition)) return (fmi2Status)instance_refuse(c, __func__, why)
#define GIVEN(pointers) NEED(pointers, "a pointer is NULL")
#define LISTS(count, a, b) NEED((count) == 0 || ((a) && (b)), "a list is NULL")
#define FOR_USE(which, what) NEED(((instance *)c)->as.use == (which), "only for " what)

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

// ---- create, destroy ---------------------------------------------------------------------------

typedef struct listener {
    fmi2CallbackLogger *logger;
    fmi2ComponentEnvironment environment;
} listener;

static void log_message(void *user, const char *name, answer a, const char *category, const char *text) {
    const listener *l = user;
    if (l->logger) l->logger(l->environment, name, (fmi2Status)a, category, "%s", text);
}

static int digit(char c) {
    const char *digits = "0123456789abcdef0123456789ABCDEF", *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) % 16 : -1;
}

// file:///a%20b -> /a b; false: another kind of place
static bool path_of(char *out, size_t size, const char *uri) {
    size_t n = 0;
    if (uri == NULL) return false;
    if (strncmp(uri, "file:", 5) == 0) {
        uri += 5;
        if (strncmp(uri, "//", 2) == 0) {
            uri += 2;
            if (strncmp(uri, "localhost/", 10) == 0) uri += 9;
            else if (*uri != '/') return false; // another machine
        }
    } else if (strstr(uri, "://")) return false;
    for (; *uri && n + 1 < size; n++) {
        bool coded = *uri == '%' && digit(uri[1]) >= 0 && digit(uri[2]) >= 0;
        out[n] = coded ? (char)(16 * digit(uri[1]) + digit(uri[2])) : *uri;
        uri += coded ? 3 : 1;
    }
    out[n] = '\0';
    return *uri == '\0';
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean loggingOn) {
    char path[4096];
    listener *l = functions ? malloc(sizeof *l) : NULL;
    (void)visible;
    if (l == NULL) return NULL;
    *l = (listener){functions->logger, functions->componentEnvironment};
    if (!path_of(path, sizeof path, resources)) {
        log_message(l, name ? name : "", ANSWER_ERROR, "logStatusError",
                    "fmi2Instantiate: the location of the resources is not a file URI");
        return free(l), NULL;
    }
    if (type != fmi2ModelExchange && type != fmi2CoSimulation) return free(l), NULL;
    return instance_create(&(setup){.name = name,
                                    .token = guid,
                                    .resources = path,
                                    .use = type == fmi2CoSimulation ? USE_STEPS : USE_EXCHANGE,
                                    .logging = loggingOn != fmi2False,
                                    .log = log_message,
                                    .user = l});
}

void fmi2FreeInstance(fmi2Component c) { instance_destroy(c); }

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean loggingOn, size_t n,
                               const fmi2String categories[]) {
    ALLOW(~0u);
    (void)n, (void)categories;
    ((instance *)c)->as.logging = loggingOn != fmi2False;
    return fmi2OK;
}

// ---- phases ------------------------------------------------------------------------------------

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance,
                               fmi2Real startTime, fmi2Boolean stopTimeDefined, fmi2Real stopTime) {
    instance *x = c;
    ALLOW(PHASE_INSTANTIATED);
    (void)toleranceDefined, (void)tolerance; // the model has its own
    NEED(isfinite(startTime) && (!stopTimeDefined || stopTime > startTime),
         "the stop time must lie behind the start time");
    x->start = startTime, x->stop = stopTimeDefined ? stopTime : NAN;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
    instance *x = c;
    ALLOW(PHASE_INSTANTIATED);
    return (fmi2Status)instance_initialize(x, x->start, x->stop);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    ALLOW(PHASE_INITIALIZATION);
    return (fmi2Status)instance_initialized(c);
}

fmi2Status fmi2Terminate(fmi2Component c) {
    ALLOW(PHASE_RUNNING);
    ((instance *)c)->phase = PHASE_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c) {
    ALLOW(~0u);
    instance_reset(c);
    return fmi2OK;
}

// ---- values ------------------------------------------------------------------------------------

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, fmi2Real value[]) {
    ALLOW(PHASE_INSTANTIATED | PHASE_KNOWN);
    LISTS(nvr, vr, value);
    return (fmi2Status)instance_get(c, __func__, value, vr, nvr);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, const fmi2Real value[]) {
    ALLOW(PHASE_BEFORE | PHASE_RUNNING);
    LISTS(nvr, vr, value);
    return (fmi2Status)instance_set(c, __func__, value, vr, nvr);
}

// all variables are real
#define NONE(Type, type)                                                                                 \
    fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference vr[], size_t nvr, type value[]) { \
        ALLOW(PHASE_INSTANTIATED | PHASE_KNOWN);                                                         \
        (void)vr, (void)value;                                                                           \
        NEED(nvr == 0, "the model has no variable of this type");                                        \
        return fmi2OK;                                                                                   \
    }                                                                                                    \
    fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,                 \
                             const type value[]) {                                                       \
        ALLOW(PHASE_BEFORE | PHASE_RUNNING);                                                             \
        (void)vr, (void)value;                                                                           \
        NEED(nvr == 0, "the model has no variable of this type");                                        \
        return fmi2OK;                                                                                   \
    }
NONE(Integer, fmi2Integer)
NONE(Boolean, fmi2Boolean)
NONE(String, fmi2String)

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns,
                                        const fmi2Real seed[], fmi2Real out[]) {
    ALLOW(PHASE_INITIALIZATION | PHASE_RUNNING);
    LISTS(unknowns, unknown, out);
    LISTS(knowns, known, seed);
    return (fmi2Status)instance_derivative(c, __func__, out, unknown, unknowns, known, seed, knowns);
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                       const fmi2Integer order[], const fmi2Real value[]) {
    ALLOW(PHASE_STEP);
    LISTS(nvr, vr, value);
    LISTS(nvr, order, value);
    return (fmi2Status)instance_slopes(c, __func__, value, vr, order, nvr);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t nvr,
                                        const fmi2Integer order[], fmi2Real value[]) {
    ALLOW(PHASE_STEP);
    (void)vr, (void)nvr, (void)order, (void)value;
    return (fmi2Status)instance_refuse(c, __func__, "maxOutputDerivativeOrder is 0");
}

// ---- states of the whole -----------------------------------------------------------------------

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state) {
    ALLOW(PHASE_INSTANTIATED | PHASE_KNOWN);
    GIVEN(state);
    kept *k = *state;
    answer a = instance_keep(c, &k);
    *state = k;
    return (fmi2Status)a;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    ALLOW(~0u);
    GIVEN(state);
    return (fmi2Status)instance_restore(c, state, (size_t)((const kept *)state)->size);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state) {
    ALLOW(~0u);
    GIVEN(state);
    instance_release(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size) {
    ALLOW(~0u);
    GIVEN(state && size);
    *size = (size_t)((const kept *)state)->size;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
    ALLOW(~0u);
    GIVEN(state && bytes);
    NEED(size == ((const kept *)state)->size, "the size is not that of the state");
    memcpy(bytes, state, size);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state) {
    ALLOW(~0u);
    GIVEN(bytes && state);
    kept *k = *state;
    answer a = instance_read_kept(c, &k, bytes, size);
    *state = k;
    return (fmi2Status)a;
}

// ---- model exchange ----------------------------------------------------------------------------

fmi2Status fmi2EnterEventMode(fmi2Component c) {
    ALLOW(PHASE_EXCHANGE);
    ((instance *)c)->phase = PHASE_EVENT;
    return fmi2OK;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info) {
    ALLOW(PHASE_EVENT);
    GIVEN(info);
    occurrence o = {0};
    answer a = instance_event(c, &o);
    if (a != ANSWER_OK) return (fmi2Status)a;
    *info = (fmi2EventInfo){.terminateSimulation = o.ended,
                            .valuesOfContinuousStatesChanged = o.changed,
                            .nextEventTimeDefined = isfinite(o.next),
                            .nextEventTime = isfinite(o.next) ? o.next : 0};
    return fmi2OK;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    ALLOW(PHASE_EVENT);
    ((instance *)c)->phase = PHASE_CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode, fmi2Boolean *terminateSimulation) {
    ALLOW(PHASE_CONTINUOUS);
    (void)noSetFMUStatePriorToCurrentPoint;
    GIVEN(enterEventMode && terminateSimulation);
    *enterEventMode = *terminateSimulation = fmi2False;
    return (fmi2Status)instance_accept(c);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ALLOW(PHASE_EXCHANGE);
    return (fmi2Status)instance_set_time(c, time);
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t nx) {
    ALLOW(PHASE_CONTINUOUS);
    LISTS(nx, x, x);
    return (fmi2Status)instance_set_states(c, x, nx);
}

#define EXCHANGED(name, function)                                        \
    fmi2Status name(fmi2Component c, fmi2Real out[], size_t n) {         \
        ALLOW(PHASE_INITIALIZATION | PHASE_EXCHANGE | PHASE_TERMINATED); \
        FOR_USE(USE_EXCHANGE, "model exchange");                         \
        LISTS(n, out, out);                                              \
        return (fmi2Status)function(c, out, n);                          \
    }
EXCHANGED(fmi2GetDerivatives, instance_rates)
EXCHANGED(fmi2GetEventIndicators, instance_indicators)
EXCHANGED(fmi2GetContinuousStates, instance_states)
EXCHANGED(fmi2GetNominalsOfContinuousStates, instance_nominals)

// ---- co-simulation -----------------------------------------------------------------------------

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,
                      fmi2Boolean noSetFMUStatePriorToCurrentPoint) {
    ALLOW(PHASE_STEP);
    (void)noSetFMUStatePriorToCurrentPoint;
    answer a = instance_step(c, __func__, currentCommunicationPoint, communicationStepSize);
    return a == ANSWER_OK && ((instance *)c)->ended ? fmi2Discard : (fmi2Status)a;
}

fmi2Status fmi2CancelStep(fmi2Component c) {
    ALLOW(~0u);
    return (fmi2Status)instance_refuse(c, __func__, "steps do not run in the background");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
    ALLOW(~0u);
    GIVEN(value);
    NEED(kind == fmi2LastSuccessfulTime, "only the last successful time is a number");
    *value = ((instance *)c)->last;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
    ALLOW(~0u);
    GIVEN(value);
    NEED(kind == fmi2Terminated, "only fmi2Terminated is true or false");
    *value = ((instance *)c)->ended;
    return fmi2OK;
}

#define NO_STATUS(name, type)                                                                               \
    fmi2Status name(fmi2Component c, const fmi2StatusKind kind, type *value) {                              \
        ALLOW(~0u);                                                                                         \
        (void)kind, (void)value;                                                                            \
        return (fmi2Status)instance_refuse(c, __func__, "steps do not run in the background"), fmi2Discard; \
    }
NO_STATUS(fmi2GetStatus, fmi2Status)
NO_STATUS(fmi2GetIntegerStatus, fmi2Integer)
NO_STATUS(fmi2GetStringStatus, fmi2String)
