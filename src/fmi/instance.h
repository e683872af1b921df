// fmi/instance.h: an instance of an FMU, whatever the version of the interface: a model, its values, and when what may be called.
//
// Value references: 0 time | parameters | inputs | outputs | states | their derivatives | event indicators, each in the order of the
// model.  The model is compiled when something is asked of it for the first time, and again after a parameter was set.
#ifndef LMB_FMI_INSTANCE_H
#define LMB_FMI_INSTANCE_H

#include <limber/limber.h>

#include <stdint.h>

// as in fmi2Status and fmi3Status
typedef enum answer { ANSWER_OK, ANSWER_WARNING, ANSWER_DISCARD, ANSWER_ERROR, ANSWER_FATAL } answer;

typedef enum phase {
    PHASE_INSTANTIATED = 1,
    PHASE_INITIALIZATION = 2,
    PHASE_STEP = 4,        // co-simulation
    PHASE_EVENT = 8,       // model exchange
    PHASE_CONTINUOUS = 16, // model exchange
    PHASE_TERMINATED = 32,
    PHASE_FAILED = 64, // can only be reset or freed
    PHASE_BEFORE = PHASE_INSTANTIATED | PHASE_INITIALIZATION,
    PHASE_EXCHANGE = PHASE_EVENT | PHASE_CONTINUOUS,
    PHASE_RUNNING = PHASE_STEP | PHASE_EXCHANGE,
    PHASE_KNOWN = PHASE_INITIALIZATION | PHASE_RUNNING | PHASE_TERMINATED // values can be asked for
} phase;

typedef enum use { USE_EXCHANGE, USE_STEPS } use; // model exchange, co-simulation

// What both interfaces give to a new instance.
typedef struct setup {
    const char *name, *token;
    const char *resources; // path of the folder
    use use;
    bool logging;
    bool early; // a step may end at an event
    void (*log)(void *user, const char *name, answer a, const char *category, const char *text);
    void *user; // for log, owned by the instance
} setup;

typedef struct counts {
    int parameters, inputs, outputs, states, indicators;
} counts;

typedef struct instance {
    setup as;
    phase phase;
    char *name, *resources;
    counts has;
    // set from outside
    double *parameter;     // NAN: as the model says
    double *input, *slope; // and its rate; NAN: as the simulation has it
    bool stirred;          // inputs were set since the simulation saw them
    bool outdated;         // parameters were set since the model was compiled
    double start, stop;    // NAN: no stop time
    // the model
    lmb_system *system;
    lmb_simulation *simulation;
    bool begun; // and consistent with what was set
    int analysis;
    double until; // of the analysis in progress
    double time;
    // of steps
    double last;    // where the last one ended
    bool ended;     // an event of the model has stopped it
    bool event_met; // early in the step
    bool exact;     // steps end at communication points
    // of model exchange
    double *x, *work; // states; as many numbers as are needed elsewhere
    double next;
} instance;

// NULL: failed, and said why.
instance *instance_create(const setup *s);
void instance_destroy(instance *c);
void instance_reset(instance *c);

// Whether a function of this name may be called now; says so if not.
bool instance_allows(instance *c, const char *function, unsigned phases);
answer instance_fail(instance *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
answer instance_refuse(instance *c, const char *function,
                       const char *why); // a wrong call: nothing has changed
void instance_tell(instance *c, const char *category, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
answer instance_status(instance *c, lmb_status st, const lmb_error *err);

// ---- values ------------------------------------------------------------------------------------

answer instance_get(instance *c, const char *function, double *out, const uint32_t *vr, size_t count);
answer instance_set(instance *c, const char *function, const double *in, const uint32_t *vr, size_t count);
answer instance_slopes(instance *c, const char *function, const double *in, const uint32_t *vr,
                       const int *order, size_t count);
// sum over known of d unknown/d known times seed, by differences
answer instance_derivative(instance *c, const char *function, double *out, const uint32_t *unknown,
                           size_t unknowns, const uint32_t *known, const double *seed, size_t knowns);

// The parameters have changed, and were these before: the motion goes on with them. If that is impossible, it says why, and goes on with those before.
answer instance_tune(instance *c, const char *function, const double *before);

// ---- phases ------------------------------------------------------------------------------------

lmb_status instance_compile(lmb_system **out, instance *c, lmb_error *err); // with its parameters
answer instance_begin(instance *c);
lmb_status instance_set_clock(instance *c, lmb_error *err); // of a new simulation to c->start
void instance_listen(instance *c);                          // to events
lmb_status instance_extend(instance *c, lmb_error *err);    // the analysis, by its length
answer instance_ready(instance *c);                         // compiled, begun, with the inputs that were set
answer instance_initialize(instance *c, double start, double stop); // stop: NAN: none
answer instance_initialized(instance *c);

// One step of co-simulation. It may end before time + h, at c->last: c->ended, or at an event. A step that fails keeps c->last.
answer instance_step(instance *c, const char *function, double time, double h);

// Model exchange.
answer instance_set_time(instance *c, double time);
answer instance_set_states(instance *c, const double *x, size_t count);
answer instance_states(instance *c, double *x, size_t count);
answer instance_rates(instance *c, double *x_dot, size_t count);
answer instance_indicators(instance *c, double *z, size_t count);
answer instance_nominals(instance *c, double *out, size_t count);
answer instance_accept(instance *c);
typedef struct occurrence {
    bool changed, ended;
    double next; // INFINITY: none
} occurrence;
answer instance_event(instance *c, occurrence *out);

// ---- states of the whole -----------------------------------------------------------------------

typedef struct kept { // bytes that can be copied; they begin with this
    uint64_t mark, size;
} kept;
answer instance_keep(instance *c, kept **out); // *out: NULL, or one that is replaced
answer instance_read_kept(instance *c, kept **out, const void *bytes, size_t size); // from anywhere
void instance_release(kept *k);                                                     // takes NULL
// bytes may come from anywhere; also after an error.
answer instance_restore(instance *c, const void *bytes, size_t size);

#endif
