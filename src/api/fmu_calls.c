// api/fmu_calls.c: an instance of an FMU for co-simulation, through the interfaces of FMI 2 and 3.
#include "api/fmu_calls.h"

#include "core/core.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef lmb_fmu_call call;

static bool is_two(const lmb_fmu_calls *c) { return c->box.about.version == 2; }

// one function of both interfaces
#define EITHER(member2, member3, arguments) \
    (is_two(c) ? (int)c->two.member2 arguments : (int)c->three.member3 arguments)
#define BOTH(member, arguments) EITHER(member, member, arguments)

// ---- messages ----------------------------------------------------------------------------------

static void log_2(fmi2ComponentEnvironment user, fmi2String instance, fmi2Status status, fmi2String category,
                  fmi2String message, ...) {
    lmb_fmu_calls *c = user;
    va_list list;
    (void)instance, (void)category;
    if (c == NULL || message == NULL || status < fmi2Warning) return;
    va_start(list, message);
    vsnprintf(c->said, sizeof c->said, message, list);
    va_end(list);
}

static void log_3(fmi3InstanceEnvironment user, fmi3Status status, fmi3String category, fmi3String message) {
    lmb_fmu_calls *c = user;
    (void)category;
    if (c && message && status >= fmi3Warning) snprintf(c->said, sizeof c->said, "%s", message);
}

static void *calls_alloc(size_t count, size_t size) { return lmb_alloc(count, size); }
static void calls_free(void *p) { lmb_free(p); }

// control characters of a foreign message do not reach terminals
const char *lmb_fmu_calls_said(lmb_fmu_calls *c) {
    for (char *at = c->said; *at; at++)
        if (iscntrl((unsigned char)*at)) *at = ' ';
    return c->said[0] ? c->said : "it gives no reason";
}

// ---- create, destroy ---------------------------------------------------------------------------

const char *lmb_fmu_calls_find(lmb_fmu_calls *c) {
    const char *missing = NULL;
    lmb_module *m = c->box.module;
#define FIND(n, member, Name) c->n.member = (FMI(n, Name) *)lmb_module_find(m, PREFIX(n) #Name);
#define NEED(n, member, Name) \
    FIND(n, member, Name)     \
    if (c->n.member == NULL) missing = PREFIX(n) #Name;
#define FMI(n, Name) FMI_##n(Name)
#define FMI_two(Name) fmi2##Name##TYPE
#define FMI_three(Name) fmi3##Name##TYPE
#define PREFIX(n) PREFIX_##n
#define PREFIX_two "fmi2"
#define PREFIX_three "fmi3"
#define NEED_2(member, Name) NEED(two, member, Name)
#define FIND_2(member, Name) FIND(two, member, Name)
#define NEED_3(member, Name) NEED(three, member, Name)
#define FIND_3(member, Name) FIND(three, member, Name)
    if (is_two(c)) {
        LMB_FMU_CALLS_2(NEED_2) LMB_FMU_MAY_2(FIND_2)
    } else {
        LMB_FMU_CALLS_3(NEED_3) LMB_FMU_MAY_3(FIND_3)
    }
    lmb_fmu_able *able = &c->box.about.able;
    bool keeps = is_two(c) ? c->two.keep && c->two.back && c->two.drop
                           : c->three.keep && c->three.back && c->three.drop,
         writes = is_two(c) ? c->two.size && c->two.write && c->two.read
                            : c->three.size && c->three.write && c->three.read;
    if (able->keep && !keeps) missing = "that keeps states, which canGetAndSetFMUState promises";
    if (able->write && !writes) missing = "that serialises states, which canSerializeFMUState promises";
    if (able->slopes && c->two.slopes == NULL) missing = "fmi2SetRealInputDerivatives";
    return missing;
}

// FMI 2: a URI; FMI 3: a path with a slash at its end
static void write_resources(lmb_fmu_calls *c) {
    char *to = c->resources;
    if (!is_two(c)) {
        snprintf(to, sizeof c->resources, "%s/resources/", c->box.folder);
        return;
    }
    to += sprintf(to, "file://");
    for (const char *at = c->box.folder; *at; at++)
        if (isalnum((unsigned char)*at) || strchr("/-_.~", *at)) *to++ = *at;
        else to += sprintf(to, "%%%02X", (unsigned char)*at);
    strcpy(to, "/resources");
}

void lmb_fmu_calls_make(lmb_fmu_calls *c, const char *name) {
    const char *token = c->box.about.token;
    write_resources(c);
    c->callbacks = (fmi2CallbackFunctions){log_2, calls_alloc, calls_free, NULL, c};
    c->instance = is_two(c) ? c->two.make(name, fmi2CoSimulation, token, c->resources, &c->callbacks,
                                          fmi2False, fmi2True)
                            : c->three.make(name, token, c->resources, fmi3False, fmi3True, fmi3False,
                                            fmi3False, NULL, 0, c, log_3, NULL);
}

void lmb_fmu_calls_free(lmb_fmu_calls *c, bool alive) {
    if (c->instance && alive && is_two(c)) c->two.free(c->instance);
    if (c->instance && alive && !is_two(c)) c->three.free(c->instance);
    c->instance = NULL;
    lmb_fmu_box_close(&c->box);
}

void lmb_fmu_calls_terminate(lmb_fmu_calls *c) { (void)BOTH(terminate, (c->instance)); }

// ---- values ------------------------------------------------------------------------------------

#define INTEGERS(T)             \
    T(Int8, INT8, int8_t)       \
    T(UInt8, UINT8, uint8_t)    \
    T(Int16, INT16, int16_t)    \
    T(UInt16, UINT16, uint16_t) \
    T(Int32, INT32, int32_t)    \
    T(UInt32, UINT32, uint32_t) \
    T(Int64, INT64, int64_t)    \
    T(UInt64, UINT64, uint64_t)

bool lmb_fmu_calls_knows(const lmb_fmu_calls *c, lmb_fmu_type type) {
    const struct lmb_fmu_two *two = &c->two;
    const struct lmb_fmu_three *three = &c->three;
    if (type == LMB_FMU_TYPE_REAL) return true;
    if (is_two(c) && type == LMB_FMU_TYPE_BOOLEAN) return two->set_boolean && two->get_boolean;
    if (is_two(c)) return type == LMB_FMU_TYPE_INT32 && two->set_integer && two->get_integer;
    if (type == LMB_FMU_TYPE_BOOLEAN) return three->set_boolean && three->get_boolean;
    if (type == LMB_FMU_TYPE_FLOAT32) return three->set_Float32 && three->get_Float32;
#define T(Name, NAME, type_c) \
    if (type == LMB_FMU_TYPE_##NAME) return three->set_##Name && three->get_##Name;
    INTEGERS(T)
#undef T
    return false;
}

// a whole number that the type holds
static bool is_whole(double value, lmb_fmu_type type) {
    static const double low[] = {[LMB_FMU_TYPE_INT8] = -0x1p7,
                                 [LMB_FMU_TYPE_INT16] = -0x1p15,
                                 [LMB_FMU_TYPE_INT32] = -0x1p31,
                                 [LMB_FMU_TYPE_INT64] = -0x1p53,
                                 [LMB_FMU_TYPE_UINT64] = 0},
                        high[] = {[LMB_FMU_TYPE_BOOLEAN] = 1,         [LMB_FMU_TYPE_INT8] = 0x1p7 - 1,
                                  [LMB_FMU_TYPE_UINT8] = 0x1p8 - 1,   [LMB_FMU_TYPE_INT16] = 0x1p15 - 1,
                                  [LMB_FMU_TYPE_UINT16] = 0x1p16 - 1, [LMB_FMU_TYPE_INT32] = 0x1p31 - 1,
                                  [LMB_FMU_TYPE_UINT32] = 0x1p32 - 1, [LMB_FMU_TYPE_INT64] = 0x1p53,
                                  [LMB_FMU_TYPE_UINT64] = 0x1p53};
    return fabs(value - round(value)) <= 1e-6 && value >= low[type] - 1e-6 && value <= high[type] + 1e-6;
}

static call set_2(lmb_fmu_calls *c, lmb_fmu_port p, double value) {
    fmi2Integer whole = p.type == LMB_FMU_TYPE_REAL ? 0 : (fmi2Integer)lround(value);
    if (p.type == LMB_FMU_TYPE_REAL)
        return (call){"SetReal", (int)c->two.set_real(c->instance, &p.reference, 1, &value), false};
    if (p.type == LMB_FMU_TYPE_BOOLEAN)
        return (call){"SetBoolean", (int)c->two.set_boolean(c->instance, &p.reference, 1, &whole), false};
    return (call){"SetInteger", (int)c->two.set_integer(c->instance, &p.reference, 1, &whole), false};
}

static call set_3(lmb_fmu_calls *c, lmb_fmu_port p, double value) {
    const float single = (float)value;
    const fmi3Boolean on = value > 0.5;
    const fmi3ValueReference *vr = &p.reference;
    switch (p.type) {
    case LMB_FMU_TYPE_REAL:
        return (call){"SetFloat64", (int)c->three.set_real(c->instance, vr, 1, &value, 1), false};
    case LMB_FMU_TYPE_FLOAT32:
        return (call){"SetFloat32", (int)c->three.set_Float32(c->instance, vr, 1, &single, 1), false};
    case LMB_FMU_TYPE_BOOLEAN:
        return (call){"SetBoolean", (int)c->three.set_boolean(c->instance, vr, 1, &on, 1), false};
#define T(Name, NAME, type_c)                                                                       \
    case LMB_FMU_TYPE_##NAME: {                                                                     \
        const type_c whole = (type_c)round(value);                                                  \
        return (call){"Set" #Name, (int)c->three.set_##Name(c->instance, vr, 1, &whole, 1), false}; \
    }
        INTEGERS(T)
#undef T
    default: return (call){NULL, fmi3Error, false};
    }
}

call lmb_fmu_calls_set(lmb_fmu_calls *c, const lmb_fmu_port *ports, int count, const double *values) {
    call done = {0};
    for (int i = 0; i < count && done.status <= fmi2Warning; i++) {
        bool real = ports[i].type == LMB_FMU_TYPE_REAL || ports[i].type == LMB_FMU_TYPE_FLOAT32;
        if (!real && !is_whole(values[i], ports[i].type)) return (call){NULL, fmi2Error, false};
        done = is_two(c) ? set_2(c, ports[i], values[i]) : set_3(c, ports[i], values[i]);
    }
    return done;
}

static call get_2(double *value, lmb_fmu_calls *c, lmb_fmu_port p) {
    fmi2Integer whole = 0;
    if (p.type == LMB_FMU_TYPE_REAL)
        return (call){"GetReal", (int)c->two.get_real(c->instance, &p.reference, 1, value), false};
    bool on = p.type == LMB_FMU_TYPE_BOOLEAN;
    int status = (int)(on ? c->two.get_boolean : c->two.get_integer)(c->instance, &p.reference, 1, &whole);
    *value = on ? whole != 0 : whole;
    return (call){on ? "GetBoolean" : "GetInteger", status, false};
}

static call get_3(double *value, lmb_fmu_calls *c, lmb_fmu_port p) {
    float single = 0;
    fmi3Boolean on = false;
    call done = {"GetFloat64", fmi3Error, false};
    const fmi3ValueReference *vr = &p.reference;
    switch (p.type) {
    case LMB_FMU_TYPE_REAL: done.status = (int)c->three.get_real(c->instance, vr, 1, value, 1); break;
    case LMB_FMU_TYPE_FLOAT32:
        done = (call){"GetFloat32", (int)c->three.get_Float32(c->instance, vr, 1, &single, 1), false};
        *value = single;
        break;
    case LMB_FMU_TYPE_BOOLEAN:
        done = (call){"GetBoolean", (int)c->three.get_boolean(c->instance, vr, 1, &on, 1), false};
        *value = on;
        break;
#define T(Name, NAME, type_c)                                                                       \
    case LMB_FMU_TYPE_##NAME: {                                                                     \
        type_c whole = 0;                                                                           \
        done = (call){"Get" #Name, (int)c->three.get_##Name(c->instance, vr, 1, &whole, 1), false}; \
        *value = (double)whole;                                                                     \
        break;                                                                                      \
    }
        INTEGERS(T)
#undef T
    default: break;
    }
    return done;
}

call lmb_fmu_calls_get(double *values, lmb_fmu_calls *c, const lmb_fmu_port *ports, int count) {
    call done = {0};
    for (int i = 0; i < count && done.status <= fmi2Warning; i++)
        done = is_two(c) ? get_2(&values[i], c, ports[i]) : get_3(&values[i], c, ports[i]);
    return done;
}

call lmb_fmu_calls_slopes(lmb_fmu_calls *c, const lmb_fmu_port *ports, int count, const double *rates) {
    const fmi2Integer first = 1;
    call done = {"SetRealInputDerivatives", 0, false};
    for (int i = 0; i < count && done.status <= fmi2Warning; i++)
        if (ports[i].type == LMB_FMU_TYPE_REAL)
            done.status = (int)c->two.slopes(c->instance, &ports[i].reference, 1, &first, &rates[i]);
    return done;
}

// ---- phases ------------------------------------------------------------------------------------

call lmb_fmu_calls_enter(lmb_fmu_calls *c, double start, double until) {
    if (!is_two(c)) {
        int status = (int)c->three.enter(c->instance, false, 0, start, true, until);
        return (call){"EnterInitializationMode", status, false};
    }
    int status = (int)c->two.setup(c->instance, fmi2False, 0, start, fmi2True, until);
    if (status > fmi2Warning) return (call){"SetupExperiment", status, false};
    return (call){"EnterInitializationMode", (int)c->two.enter(c->instance), false};
}

call lmb_fmu_calls_leave(lmb_fmu_calls *c) {
    return (call){"ExitInitializationMode", BOTH(leave, (c->instance)), false};
}

// who may have to go back says so
static call step_2(lmb_fmu_calls *c, double time, double h) {
    fmi2Boolean ended = fmi2False, stays = c->box.about.able.keep ? fmi2False : fmi2True;
    int status = (int)c->two.step(c->instance, time, h, stays);
    if (status == fmi2Discard) c->two.status(c->instance, fmi2Terminated, &ended);
    return (call){"DoStep", status == fmi2Pending ? fmi2Error : status, ended != fmi2False};
}

// no early return was allowed: one is an error
static call step_3(lmb_fmu_calls *c, double time, double h) {
    fmi3Boolean event = false, ended = false, early = false;
    fmi3Float64 reached = time + h;
    int status =
        (int)c->three.step(c->instance, time, h, !c->box.about.able.keep, &event, &ended, &early, &reached);
    return (call){"DoStep", early && !ended && status <= fmi3Warning ? fmi3Error : status, ended};
}

call lmb_fmu_calls_step(lmb_fmu_calls *c, double time, double h) {
    return is_two(c) ? step_2(c, time, h) : step_3(c, time, h);
}

// ---- states ------------------------------------------------------------------------------------

call lmb_fmu_calls_keep(void **state, lmb_fmu_calls *c) {
    return (call){"GetFMUState", BOTH(keep, (c->instance, state)), false};
}

call lmb_fmu_calls_back(lmb_fmu_calls *c, void *state) {
    return (call){"SetFMUState", BOTH(back, (c->instance, state)), false};
}

void lmb_fmu_calls_drop(void **state, lmb_fmu_calls *c) {
    if (*state) (void)BOTH(drop, (c->instance, state));
    *state = NULL;
}

call lmb_fmu_calls_size(size_t *size, lmb_fmu_calls *c, void *state) {
    return (call){"SerializedFMUStateSize", BOTH(size, (c->instance, state, size)), false};
}

call lmb_fmu_calls_write(void *bytes, size_t size, lmb_fmu_calls *c, void *state) {
    return (call){"SerializeFMUState", BOTH(write, (c->instance, state, bytes, size)), false};
}

call lmb_fmu_calls_read(void **state, lmb_fmu_calls *c, const void *bytes, size_t size) {
    return (call){"DeserializeFMUState", BOTH(read, (c->instance, bytes, size, state)), false};
}
