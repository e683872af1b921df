// tests/fmi/fmu.c: an unpacked FMU, loaded with dlopen, behind one set of functions for FMI 2 and 3.
#include "fmu.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the files ---------------------------------------------------------------------------------

static char *read_text(const char *path) {
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (f == NULL) return NULL;
    if (getdelim(&text, &size, '\0', f) < 0) free(text), text = NULL;
    fclose(f);
    return text;
}

// the value of NAME="..." behind `at`
static bool attribute(char *out, size_t size, const char *at, const char *name) {
    char key[100];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *begin = at ? strstr(at, key) : NULL;
    if (begin == NULL) return false;
    begin += strlen(key);
    snprintf(out, size, "%.*s", (int)strcspn(begin, "\""), begin);
    return true;
}

// the element of a variable; one whose name another variable has, too, ends with _
static const char *find_element(const fmu *f, const char *name, const char *more, const char *causality) {
    char key[300], found[40];
    snprintf(key, sizeof key, " name=\"%s%s\" valueReference", name, more);
    const char *at = strstr(f->xml, key);
    bool is = at && attribute(found, sizeof found, at, "causality") &&
              (causality == NULL || strcmp(found, causality) == 0);
    return is ? at : NULL;
}

int fmu_reference(const fmu *f, const char *name) {
    char number[20];
    const char *at = find_element(f, name, "", "output");
    if (at == NULL) at = find_element(f, name, "_", "output");
    if (at == NULL) at = find_element(f, name, "", NULL);
    return attribute(number, sizeof number, at, "valueReference") ? atoi(number) : -1;
}

static int count(const char *text, const char *what) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) n++;
    return n;
}

static bool find_functions(fmu *f) {
    bool ok = true;
    void *p;
#define FIND(table, name)                      \
    p = dlsym(f->module, #name), ok = ok && p; \
    memcpy(&f->table.name, &p, sizeof f->table.name);
#define X(name, parameters) FIND(v2, name)
    FMI2_FUNCTIONS
#undef X
#define X(name, parameters) FIND(v3, name)
    FMI3_FUNCTIONS
#undef X
    FIND(v2, fmi2GetVersion)
    FIND(v2, fmi2Instantiate)
    FIND(v2, fmi2FreeInstance)
    FIND(v3, fmi3GetVersion)
    FIND(v3, fmi3InstantiateCoSimulation)
    FIND(v3, fmi3InstantiateModelExchange)
    FIND(v3, fmi3InstantiateScheduledExecution)
    FIND(v3, fmi3FreeInstance)
    return ok;
}

bool fmu_open(fmu *f, const char *folder) {
    char path[1200], version[8] = "";
    *f = (fmu){0};
    snprintf(f->folder, sizeof f->folder, "%s/resources/", folder);
    snprintf(f->uri, sizeof f->uri, "file://%s/resources", folder);
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    f->xml = read_text(path);
    if (f->xml == NULL || !attribute(version, sizeof version, f->xml, "fmiVersion"))
        return printf("no %s\n", path), false;
    f->version = atoi(version);
    attribute(f->token, sizeof f->token, f->xml, f->version == 2 ? "guid" : "instantiationToken");
    f->states = count(f->xml, " derivative=");
    f->indicators = count(f->xml, "<EventIndicator ");
    char number[20];
    if (f->version == 2 && attribute(number, sizeof number, f->xml, "numberOfEventIndicators"))
        f->indicators = atoi(number);
    snprintf(path, sizeof path, "%s/binaries/%s/limber_fmu.so", folder,
             f->version == 2 ? FOLDER_2 : FOLDER_3);
    f->module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (f->module == NULL) return printf("%s\n", dlerror()), false;
    return find_functions(f) || (printf("%s: functions are missing\n", path), false);
}

void fmu_close(fmu *f) {
    if (f->module) dlclose(f->module);
    free(f->xml);
}

// ---- instances ---------------------------------------------------------------------------------

static void log_2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                  fmi2String category, fmi2String format, ...) {
    unit *u = environment;
    va_list args;
    (void)name, (void)category;
    va_start(args, format);
    if (status != fmi2OK) vsnprintf(u->message, sizeof u->message, format, args);
    va_end(args);
}

static void log_3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                  fmi3String text) {
    unit *u = environment;
    (void)category;
    if (status != fmi3OK) snprintf(u->message, sizeof u->message, "%s", text);
}

bool unit_create(unit *u, const fmu *f, kind k) {
    // callbacks outlive the call in FMI 2
    static const fmi2CallbackFunctions none = {log_2, calloc, free, NULL, NULL};
    *u = (unit){.f = f, .steps = k != EXCHANGE, .next = INFINITY, .set_in_event = -1};
    fmi2CallbackFunctions callbacks = none;
    callbacks.componentEnvironment = u;
    if (f->version == 2)
        u->c = f->v2.fmi2Instantiate("unit", u->steps ? fmi2CoSimulation : fmi2ModelExchange, f->token,
                                     f->uri, &callbacks, fmi2False, fmi2True);
    else if (u->steps)
        u->c = f->v3.fmi3InstantiateCoSimulation("unit", f->token, f->folder, false, true, false,
                                                 k == EARLY_STEPS, NULL, 0, u, log_3, NULL);
    else u->c = f->v3.fmi3InstantiateModelExchange("unit", f->token, f->folder, false, true, u, log_3);
    return u->c != NULL;
}

#define TWO(function, arguments) ((int)u->f->v2.function arguments)
#define THREE(function, arguments) ((int)u->f->v3.function arguments)
#define EITHER(two, three, arguments) (u->f->version == 2 ? TWO(two, arguments) : THREE(three, arguments))

void unit_destroy(unit *u) {
    if (u->f->version == 2) u->f->v2.fmi2FreeInstance(u->c);
    else u->f->v3.fmi3FreeInstance(u->c);
}

int unit_enter(unit *u, double start, double stop) {
    bool has = !isnan(stop);
    if (u->f->version == 3)
        return THREE(fmi3EnterInitializationMode, (u->c, false, 0, start, has, has ? stop : 0));
    int s = TWO(fmi2SetupExperiment, (u->c, 0, 0, start, has, has ? stop : 0));
    return s ? s : TWO(fmi2EnterInitializationMode, (u->c));
}

int unit_exit(unit *u) { return EITHER(fmi2ExitInitializationMode, fmi3ExitInitializationMode, (u->c)); }
int unit_terminate(unit *u) { return EITHER(fmi2Terminate, fmi3Terminate, (u->c)); }
int unit_reset(unit *u) { return EITHER(fmi2Reset, fmi3Reset, (u->c)); }

int unit_get(unit *u, int vr, double *value) {
    unsigned r = (unsigned)vr;
    return u->f->version == 2 ? TWO(fmi2GetReal, (u->c, &r, 1, value))
                              : THREE(fmi3GetFloat64, (u->c, &r, 1, value, 1));
}

int unit_set(unit *u, int vr, double value) {
    unsigned r = (unsigned)vr;
    return u->f->version == 2 ? TWO(fmi2SetReal, (u->c, &r, 1, &value))
                              : THREE(fmi3SetFloat64, (u->c, &r, 1, &value, 1));
}

int unit_step(unit *u, double t, double h) {
    bool needed;
    int ended = 0;
    if (u->f->version == 3)
        return THREE(fmi3DoStep, (u->c, t, h, true, &needed, &u->ended, &u->early, &u->last));
    int s = TWO(fmi2DoStep, (u->c, t, h, fmi2True));
    TWO(fmi2GetRealStatus, (u->c, fmi2LastSuccessfulTime, &u->last));
    TWO(fmi2GetBooleanStatus, (u->c, fmi2Terminated, &ended));
    u->ended = ended;
    return s == fmi2Discard && ended ? 0 : s;
}

int unit_keep(unit *u, void **state) { return EITHER(fmi2GetFMUstate, fmi3GetFMUState, (u->c, state)); }
int unit_restore(unit *u, void *state) { return EITHER(fmi2SetFMUstate, fmi3SetFMUState, (u->c, state)); }
int unit_release(unit *u, void **state) { return EITHER(fmi2FreeFMUstate, fmi3FreeFMUState, (u->c, state)); }

int unit_to_bytes(unit *u, void *state, unsigned char **bytes, size_t *size) {
    int s = EITHER(fmi2SerializedFMUstateSize, fmi3SerializedFMUStateSize, (u->c, state, size));
    *bytes = malloc(*size);
    if (s != 0) return s;
    return u->f->version == 2 ? TWO(fmi2SerializeFMUstate, (u->c, state, (char *)*bytes, *size))
                              : THREE(fmi3SerializeFMUState, (u->c, state, *bytes, *size));
}

int unit_from_bytes(unit *u, const unsigned char *bytes, size_t size, void **state) {
    return u->f->version == 2 ? TWO(fmi2DeSerializeFMUstate, (u->c, (const char *)bytes, size, state))
                              : THREE(fmi3DeserializeFMUState, (u->c, bytes, size, state));
}

int unit_derivative(unit *u, int unknown, int known, double seed, double *out) {
    unsigned a = (unsigned)unknown, b = (unsigned)known;
    return u->f->version == 2 ? TWO(fmi2GetDirectionalDerivative, (u->c, &a, 1, &b, 1, &seed, out))
                              : THREE(fmi3GetDirectionalDerivative, (u->c, &a, 1, &b, 1, &seed, 1, out, 1));
}

// ---- model exchange ----------------------------------------------------------------------------

int unit_set_time(unit *u, double t) { return EITHER(fmi2SetTime, fmi3SetTime, (u->c, t)); }
int unit_set_states(unit *u, const double *x) {
    return EITHER(fmi2SetContinuousStates, fmi3SetContinuousStates, (u->c, x, (size_t)u->f->states));
}
int unit_states(unit *u, double *x) {
    return EITHER(fmi2GetContinuousStates, fmi3GetContinuousStates, (u->c, x, (size_t)u->f->states));
}
int unit_rates(unit *u, double *x_dot) {
    return EITHER(fmi2GetDerivatives, fmi3GetContinuousStateDerivatives, (u->c, x_dot, (size_t)u->f->states));
}
int unit_indicators(unit *u, double *z) {
    return EITHER(fmi2GetEventIndicators, fmi3GetEventIndicators, (u->c, z, (size_t)u->f->indicators));
}

int unit_accept(unit *u) {
    int enter, end;
    bool enter3, end3;
    return u->f->version == 2 ? TWO(fmi2CompletedIntegratorStep, (u->c, 1, &enter, &end))
                              : THREE(fmi3CompletedIntegratorStep, (u->c, true, &enter3, &end3));
}

int unit_event(unit *u) {
    fmi2EventInfo i = {0};
    bool need = false, nominals, values, defined = false;
    double next = 0;
    int s = EITHER(fmi2EnterEventMode, fmi3EnterEventMode, (u->c));
    if (s == 0 && u->set_in_event >= 0) s = unit_set(u, u->set_in_event, u->value_in_event);
    if (s == 0 && u->f->version == 2) {
        s = TWO(fmi2NewDiscreteStates, (u->c, &i));
        u->ended = i.terminateSimulation, defined = i.nextEventTimeDefined, next = i.nextEventTime;
    } else if (s == 0)
        s = THREE(fmi3UpdateDiscreteStates, (u->c, &need, &u->ended, &nominals, &values, &defined, &next));
    u->next = defined ? next : INFINITY;
    return s ? s : EITHER(fmi2EnterContinuousTimeMode, fmi3EnterContinuousTimeMode, (u->c));
}
