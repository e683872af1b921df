// tests/other_fmu.c: an FMU for co-simulation that owes nothing to limber: its interface is declared here after the texts of FMI 2.0 and
// FMI 3.0.  A lag, x' = (gain u - x)/T, solved exactly, with variables of many types, that can misbehave.
//
//     parameter `mode`: what it does from t = 0.05 on
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING };
enum mode {
    GOOD,
    FAILS,
    WARNS,
    REJECTS, // steps longer than `limit`, all the time
    ENDS,
    DIES, // fatal
    NO_NUMBER,
    LATER,    // pending; FMI 3: returns early
    NO_STATE, // states cannot be kept
    NO_START, // fails in initialization
};

// value references
enum {
    U = 1,
    ENABLE,
    KIND,
    NUMBER,
    GAIN = 10,
    LAG,
    LIMIT,
    MODE,
    Y = 20,
    DIRECT, // 3 u, follows at once
    COUNT,  // of steps
    ON,     // enable, as it was at the last step
    ECHO,   // kind
    TWICE,  // 2 number
    MISS,   // the largest difference of a step's time from where the last one ended
};

typedef struct state {
    double x, u, slope, t, miss, gain, lag, limit;
    int mode, count, enable, on, kind, number, set;
} state;

typedef void log2_type(void *, const char *, int, const char *, const char *, ...);
typedef void log3_type(void *, int, const char *, const char *);
typedef struct unit {
    state s;
    void *user;
    log2_type *log2;
    log3_type *log3;
    char name[100];
    void *kept[8]; // states that the importer has not freed
} unit;

static int say(unit *c, int status, const char *text) {
    if (c->log2) c->log2(c->user, c->name, status, "logAll", "%s", text);
    if (c->log3) c->log3(c->user, status, "logAll", text);
    return status;
}

static unit *make(const char *name, void *user) {
    if (strcmp(name, "absent") == 0) return NULL;
    unit *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    snprintf(c->name, sizeof c->name, "%s", name);
    c->s = (state){.gain = 1, .lag = 0.1, .limit = 1, .enable = 1, .kind = 1};
    c->user = user;
    return c;
}

// ---- the model ---------------------------------------------------------------------------------

static int initialize(unit *c, double start) {
    c->s.t = start, c->s.on = c->s.enable;
    return c->s.mode == NO_START ? say(c, ERROR, "it does not start") : OK;
}

// x' = (g (u + r t) - x)/T: x = g (u + r (t - T)) + (x0 - g (u - r T)) exp(-t/T)
static int advance(unit *c, double t, double h) {
    state *s = &c->s;
    bool now = t + h > 0.05;
    s->miss = fmax(s->miss, fabs(t - s->t));
    if (s->mode == REJECTS && h > s->limit) {
        s->x = 1e9; // whoever goes on without going back sees it
        return say(c, DISCARD, "the step is too long");
    }
    if (s->mode == FAILS && now) return say(c, ERROR, "no solution\x1b[31m");
    if (s->mode == DIES && now) return say(c, FATAL, "memory is gone");
    double g = s->enable ? s->gain : 0, T = s->lag, base = g * (s->u - s->slope * T);
    s->x = g * s->slope * h + base + (s->x - base) * exp(-h / T);
    s->u += s->slope * h, s->t = t + h, s->on = s->enable, s->count++;
    if (s->mode == WARNS && now) return say(c, WARNING, "stiff");
    return OK;
}

static double real(const state *s, unsigned vr) {
    switch (vr) {
    case U: return s->u;
    case GAIN: return s->gain;
    case LAG: return s->lag;
    case LIMIT: return s->limit;
    case Y: return s->mode == NO_NUMBER && s->t > 0.05 ? NAN : s->x;
    case DIRECT: return 3 * s->u;
    case MISS: return s->miss;
    default: return NAN;
    }
}

static int set_real(state *s, unsigned vr, double value) {
    if (vr == U) s->u = value, s->slope = 0;
    else if (vr == GAIN) s->gain = value;
    else if (vr == LAG) s->lag = value;
    else if (vr == LIMIT) s->limit = value;
    else return ERROR;
    return OK;
}

static int whole(int *out, const state *s, unsigned vr) {
    switch (vr) {
    case COUNT: return *out = s->count, OK;
    case ECHO: return *out = s->kind, OK;
    case TWICE: return *out = 2 * s->number, OK;
    default: return ERROR;
    }
}

static int set_whole(state *s, unsigned vr, int value) {
    if (vr == KIND) s->kind = value;
    else if (vr == NUMBER) s->number = value;
    else if (vr == MODE) s->mode = value;
    else return ERROR;
    return OK;
}

static int put_state(unit *c, const void *bytes, void **out) {
    int i = 0;
    while (*out == NULL && i < 7 && c->kept[i]) i++;
    if (*out == NULL) *out = c->kept[i] = malloc(sizeof(state));
    return *out ? memcpy(*out, bytes, sizeof(state)), OK : ERROR;
}

static int keep(unit *c, void **out) {
    return c->s.mode == NO_STATE ? say(c, ERROR, "states cannot be kept") : put_state(c, &c->s, out);
}

static int read_state(unit *c, const char *bytes, size_t size, void **out) {
    return size == sizeof(state) ? put_state(c, bytes, out) : say(c, ERROR, "a state of another size");
}

static int free_state(unit *c, void **s) {
    for (int i = 0; i < 8; i++)
        if (c->kept[i] == *s) c->kept[i] = NULL;
    return free(*s), *s = NULL, OK;
}

// nobody may call it any more, not even to free it
static int die(unit *c) {
    for (int i = 0; i < 8; i++) free(c->kept[i]);
    return free(c), FATAL;
}

// ---- FMI 2.0 -----------------------------------------------------------------------------------

typedef struct callbacks2 {
    log2_type *logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks2;

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const callbacks2 *f, int visible, int logging) {
    (void)resources, (void)visible, (void)logging;
    unit *c = type == 1 && strcmp(guid, "{other}") == 0 ? make(name, f->environment) : NULL;
    if (c) c->log2 = f->logger;
    if (c == NULL) f->logger(f->environment, name, ERROR, "logAll", "the %s is not %s", "tool", "there");
    return c;
}
EXPORT void fmi2FreeInstance(void *c) { free(c); }
EXPORT int fmi2SetupExperiment(void *c, int has, double tolerance, double start, int stops, double stop) {
    (void)has, (void)tolerance, (void)stops, (void)stop;
    return ((unit *)c)->s.t = start, OK;
}
EXPORT int fmi2EnterInitializationMode(void *c) { return initialize(c, ((unit *)c)->s.t); }
EXPORT int fmi2ExitInitializationMode(void *c) { return (void)c, OK; }
EXPORT int fmi2Terminate(void *c) { return (void)c, OK; }

#define EACH(n, call)                                                 \
    int status = OK;                                                  \
    for (size_t i = 0; i < (n) && status == OK; i++) status = (call); \
    return status
EXPORT int fmi2GetReal(void *c, const unsigned *vr, size_t n, double *v) {
    EACH(n, (v[i] = real(&((unit *)c)->s, vr[i]), OK));
}
EXPORT int fmi2SetReal(void *c, const unsigned *vr, size_t n, const double *v) {
    EACH(n, set_real(&((unit *)c)->s, vr[i], v[i]));
}
EXPORT int fmi2GetInteger(void *c, const unsigned *vr, size_t n, int *v) {
    EACH(n, whole(&v[i], &((unit *)c)->s, vr[i]));
}
EXPORT int fmi2SetInteger(void *c, const unsigned *vr, size_t n, const int *v) {
    EACH(n, set_whole(&((unit *)c)->s, vr[i], v[i]));
}
EXPORT int fmi2GetBoolean(void *c, const unsigned *vr, size_t n, int *v) {
    EACH(n, vr[i] == ON ? (v[i] = ((unit *)c)->s.on ? 7 : 0, OK) : ERROR); // true is any number but 0
}
EXPORT int fmi2SetBoolean(void *c, const unsigned *vr, size_t n, const int *v) {
    EACH(n, vr[i] == ENABLE ? (((unit *)c)->s.enable = v[i], OK) : ERROR);
}
EXPORT int fmi2SetRealInputDerivatives(void *c, const unsigned *vr, size_t n, const int *order,
                                       const double *v) {
    EACH(n, vr[i] == U && order[i] == 1 ? (((unit *)c)->s.slope = v[i], OK) : ERROR);
}
EXPORT int fmi2GetBooleanStatus(void *c, int kind, int *out) {
    const state *s = &((unit *)c)->s;
    return kind == 3 ? (*out = s->mode == ENDS && s->t > 0.05, OK) : ERROR;
}
EXPORT int fmi2DoStep(void *c, double t, double h, int stays) {
    unit *u = c;
    (void)stays;
    int status = advance(u, t, h);
    if (status == FATAL) return die(u);
    if (u->s.mode == ENDS && u->s.t > 0.05) return say(u, DISCARD, "all is done");
    return u->s.mode == LATER && u->s.t > 0.05 ? PENDING : status;
}
EXPORT int fmi2GetFMUstate(void *c, void **out) { return keep(c, out); }
EXPORT int fmi2SetFMUstate(void *c, void *from) { return memcpy(&((unit *)c)->s, from, sizeof(state)), OK; }
EXPORT int fmi2FreeFMUstate(void *c, void **s) { return free_state(c, s); }
EXPORT int fmi2SerializedFMUstateSize(void *c, void *s, size_t *size) {
    return (void)c, (void)s, *size = sizeof(state), OK;
}
EXPORT int fmi2SerializeFMUstate(void *c, void *s, char *bytes, size_t size) {
    return (void)c, size == sizeof(state) ? (memcpy(bytes, s, size), OK) : ERROR;
}
EXPORT int fmi2DeSerializeFMUstate(void *c, const char *bytes, size_t size, void **out) {
    return read_state(c, bytes, size, out);
}

// ---- FMI 3.0 -----------------------------------------------------------------------------------

EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources,
                                         bool visible, bool logging, bool events, bool early,
                                         const uint32_t *intermediate, size_t n, void *environment,
                                         log3_type *log, void *update) {
    (void)resources, (void)visible, (void)logging, (void)early, (void)intermediate, (void)n, (void)update;
    unit *c = !events && strcmp(token, "{other}") == 0 ? make(name, environment) : NULL;
    if (c) c->log3 = log;
    if (c == NULL) log(environment, ERROR, "logAll", "the tool is not there");
    return c;
}
EXPORT void fmi3FreeInstance(void *c) { free(c); }
EXPORT int fmi3EnterInitializationMode(void *c, bool has, double tolerance, double start, bool stops,
                                       double stop) {
    (void)has, (void)tolerance, (void)stops, (void)stop;
    return initialize(c, start);
}
EXPORT int fmi3ExitInitializationMode(void *c) { return (void)c, OK; }
EXPORT int fmi3Terminate(void *c) { return (void)c, OK; }
EXPORT int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *v, size_t m) {
    EACH(n, (v[i] = real(&((unit *)c)->s, vr[i]), m == n ? OK : ERROR));
}
EXPORT int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *v, size_t m) {
    EACH(n, m == n ? set_real(&((unit *)c)->s, vr[i], v[i]) : ERROR);
}
EXPORT int fmi3GetFloat32(void *c, const uint32_t *vr, size_t n, float *v, size_t m) {
    EACH(n, (v[i] = (float)real(&((unit *)c)->s, vr[i]), m == n ? OK : ERROR));
}
EXPORT int fmi3SetFloat32(void *c, const uint32_t *vr, size_t n, const float *v, size_t m) {
    EACH(n, m == n ? set_real(&((unit *)c)->s, vr[i], (double)v[i]) : ERROR);
}
#define WHOLE(Name, type)                                                                                  \
    EXPORT int fmi3Get##Name(void *c, const uint32_t *vr, size_t n, type *v, size_t m) {                   \
        int value = 0;                                                                                     \
        EACH(n, m == n && whole(&value, &((unit *)c)->s, vr[i]) == OK ? (v[i] = (type)value, OK) : ERROR); \
    }                                                                                                      \
    EXPORT int fmi3Set##Name(void *c, const uint32_t *vr, size_t n, const type *v, size_t m) {             \
        EACH(n, m == n ? set_whole(&((unit *)c)->s, vr[i], (int)v[i]) : ERROR);                            \
    }
WHOLE(Int8, int8_t)
WHOLE(UInt16, uint16_t)
WHOLE(Int32, int32_t)
WHOLE(Int64, int64_t)
EXPORT int fmi3GetBoolean(void *c, const uint32_t *vr, size_t n, bool *v, size_t m) {
    EACH(n, m == n && vr[i] == ON ? (v[i] = ((unit *)c)->s.on, OK) : ERROR);
}
EXPORT int fmi3SetBoolean(void *c, const uint32_t *vr, size_t n, const bool *v, size_t m) {
    EACH(n, m == n && vr[i] == ENABLE ? (((unit *)c)->s.enable = v[i], OK) : ERROR);
}
EXPORT int fmi3DoStep(void *c, double t, double h, bool stays, bool *event, bool *ended, bool *early,
                      double *reached) {
    unit *u = c;
    (void)stays;
    int status = advance(u, t, h);
    if (status == FATAL) return die(u);
    bool now = u->s.t > 0.05;
    *event = false, *ended = u->s.mode == ENDS && now, *early = u->s.mode == LATER && now;
    *reached = *early ? t + 0.5 * h : t + h;
    if (*ended) say(u, WARNING, "all is done");
    return *ended ? OK : status;
}
EXPORT int fmi3GetFMUState(void *c, void **out) { return keep(c, out); }
EXPORT int fmi3SetFMUState(void *c, void *from) { return memcpy(&((unit *)c)->s, from, sizeof(state)), OK; }
EXPORT int fmi3FreeFMUState(void *c, void **s) { return free_state(c, s); }
EXPORT int fmi3SerializedFMUStateSize(void *c, void *s, size_t *size) {
    return (void)c, (void)s, *size = sizeof(state), OK;
}
EXPORT int fmi3SerializeFMUState(void *c, void *s, char *bytes, size_t size) {
    return (void)c, size == sizeof(state) ? (memcpy(bytes, s, size), OK) : ERROR;
}
EXPORT int fmi3DeserializeFMUState(void *c, const char *bytes, size_t size, void **out) {
    return read_state(c, bytes, size, out);
}
