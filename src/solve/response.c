// solve/response.c: the analysis response: amplitudes and phases of outputs over the frequency of inputs.  docs/theory/solvers.md (29)
//
// Frequencies are evenly spaced on a logarithmic axis, with those of the poles between them.  An interval is halved while a curve in its
// middle is not where the amplitudes and phases of its ends place it, so that no resonance is cut off.
#include "solve/response.h"

#include "solve/run_state.h"

#include <stdio.h>
#include <string.h>

typedef struct response_read {
    lmb_analysis_read common;
    lmb_texts input, output;
    double from, to;
    int points, method;
    struct {
        uint64_t given;
        const char *on;
        vec3 axis;
        double moment;
    } unbalance;
    // resolved
    int input_count, output_count; // chosen; the unbalance is the last input
    int *inputs, *outputs;         // among those of the program
    lmb_unbalance force;
    lmb_own_table table;
} response_read;

#define OWN(member) offsetof(response_read, member)
#define PART(member) (OWN(unbalance.member) - OWN(unbalance))
// clang-format off
static const lmb_key unbalance_keys[] = {
    {"on", LMB_KEY_TEXT, PART(on), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, "The marker of the rotor at which it acts."},
    {"axis", LMB_KEY_VEC3, PART(axis), 0, {0}, 0, 0, "Axis of the rotation, global components (default [0, 0, 1])."},
    {"moment", LMB_KEY_NUMBER, PART(moment), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, {1, 1, 0}, 0, 0, "Mass times eccentricity, kg m."},
    {0},
};
static const lmb_key keys[] = {
    {"input", LMB_KEY_TEXTS, OWN(input), LMB_KEY_ONE, {0}, 0, 0, "Inputs that vibrate, one at a time (default: all of the section `inputs`)."},
    {"output", LMB_KEY_TEXTS, OWN(output), LMB_KEY_ONE, {0}, 0, 0, "Outputs that are recorded, a sensor (all its columns) or a column (default: all outputs)."},
    {"from", LMB_KEY_NUMBER, OWN(from), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_RATE, 0, 0, "Lowest frequency, Hz."},
    {"to", LMB_KEY_NUMBER, OWN(to), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_RATE, 0, 0, "Highest frequency, Hz."},
    {"points", LMB_KEY_INTEGER, OWN(points), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of frequencies, evenly spaced on a logarithmic axis, before more are added where curves bend (default 100)."},
    {"unbalance", LMB_KEY_MAP, OWN(unbalance), 0, {0}, 0, unbalance_keys, "A force that turns with the frequency and grows with its square: a further input, `unbalance`."},
    {"method", LMB_KEY_CHOICE, OWN(method), 0, {0}, "auto|state_space|direct", 0,
     "From A, B, C, D, or from the mass, damping and stiffness matrices themselves, which suits many coordinates (default auto: by their number)."},
    {0},
};
// clang-format on

static void defaults(lmb_analysis *a) {
    response_read *r = (response_read *)((char *)a - offsetof(lmb_analysis_read, a));
    r->points = 100;
    r->unbalance.axis = v3_axis(2);
}

// ---- names -------------------------------------------------------------------------------------

typedef struct candidates {
    const lmb_program *p;
    bool outputs;
} candidates;

static const char *candidate(void *user, int i) {
    const candidates *c = user;
    if (c->outputs) return i < c->p->output_count ? c->p->channels[c->p->outputs[i]].name : NULL;
    return i < c->p->model->external_count ? c->p->model->externals[i].name : NULL;
}

static lmb_status choose_inputs(response_read *r, const lmb_program *p, lmb_arena *arena, const lmb_node *n,
                                lmb_error *err) {
    const lmb_model *m = p->model;
    int count = r->input.count > 0 ? r->input.count : lmb_node_find(n, "unbalance") ? 0 : m->external_count;
    r->inputs = lmb_arena_get(arena, (size_t)count + 2, sizeof *r->inputs);
    if (r->inputs == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++) {
        int e = r->input.count > 0 ? 0 : i;
        while (r->input.count > 0 && e < m->external_count &&
               strcmp(m->externals[e].name, r->input.v[i]) != 0)
            e++;
        candidates names = {p, false};
        const char *near = e == m->external_count ? lmb_nearest(r->input.v[i], candidate, &names) : NULL;
        if (e == m->external_count)
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "input"), "no input '%s' in `inputs`%s%s%s",
                            r->input.v[i], near ? "; did you mean '" : "", near ? near : "",
                            near ? "'?" : "");
        r->inputs[r->input_count++] = e;
    }
    if (lmb_node_find(n, "unbalance")) r->inputs[r->input_count++] = m->external_count;
    if (r->input_count > 0) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, n->where,
        "a response needs an input: add a section `inputs` and use its names in forces or motions, or "
        "give an `unbalance`");
}

static lmb_status choose_outputs(response_read *r, const lmb_program *p, lmb_arena *arena, const lmb_node *n,
                                 lmb_error *err) {
    r->outputs = lmb_arena_get(arena, (size_t)p->output_count + 1, sizeof *r->outputs);
    if (r->outputs == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < (r->output.count > 0 ? r->output.count : 1); k++) {
        int before = r->output_count;
        const char *wanted = r->output.count > 0 ? r->output.v[k] : "";
        size_t length = strlen(wanted);
        for (int i = 0; i < p->output_count && r->output_count < p->output_count; i++) {
            const char *name = p->channels[p->outputs[i]].name;
            bool chosen = strncmp(name, wanted, length) == 0 && (name[length] == '\0' || name[length] == '.');
            if (length == 0 || chosen) r->outputs[r->output_count++] = i;
        }
        candidates names = {p, true};
        const char *near = r->output_count == before ? lmb_nearest(wanted, candidate, &names) : NULL;
        if (r->output_count == before)
            return lmb_fail(
                err, LMB_ERR_INPUT, lmb_node_place(n, "output"),
                "no output '%s': add a sensor of that name, and if there is a section `outputs`, its name "
                "there%s%s%s",
                wanted, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return LMB_OK;
}

static lmb_status make_table(response_read *r, const lmb_program *p, lmb_arena *arena, const lmb_node *n,
                             lmb_error *err) {
    enum { MOST = 20000 };
    size_t count = 1 + 2 * (size_t)r->input_count * (size_t)r->output_count;
    if (count > MOST)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "a response has at most %d columns; choose inputs and outputs", MOST);
    const char **names = lmb_arena_get(arena, 2 * count, sizeof *names);
    if (names == NULL) return lmb_fail_memory(err);
    const char **units = names + count;
    names[0] = "frequency", units[0] = "Hz";
    for (int o = 0, k = 1; o < r->output_count; o++)
        for (int i = 0; i < r->input_count; i++, k += 2) {
            const lmb_channel *c = &p->channels[p->outputs[r->outputs[o]]];
            bool turns = r->inputs[i] == p->model->external_count;
            const char *input = turns ? "unbalance" : p->model->externals[r->inputs[i]].name,
                       *per = turns ? "" : p->model->externals[r->inputs[i]].unit;
            names[k] = lmb_arena_printf(arena, "%s/%s", c->name, input);
            names[k + 1] = lmb_arena_printf(arena, "%s/%s.phase", c->name, input);
            units[k] = *per ? lmb_arena_printf(arena, "%s/%s", *c->unit ? c->unit : "1", per) : c->unit;
            units[k + 1] = "deg";
            if (!names[k] || !names[k + 1] || !units[k]) return lmb_fail_memory(err);
        }
    r->table =
        (lmb_own_table){"response", "amplitudes and phases over the frequency", (int)count, names, units};
    return LMB_OK;
}

static lmb_status resolve_unbalance(response_read *r, lmb_build *b, const lmb_node *n, lmb_error *err) {
    const lmb_node *u = lmb_node_find(n, "unbalance");
    r->force.marker = -1;
    if (u == NULL) return LMB_OK;
    if (!v3_has_direction(r->unbalance.axis))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(u, "axis"),
                        "the axis of `unbalance` has no direction; use [0, 0, 1] for the z axis");
    mat3 axes = m3_frame_z(r->unbalance.axis, V3_ZERO);
    r->force.plane[0] = m3_mul_v3(&axes, v3_axis(0)), r->force.plane[1] = m3_mul_v3(&axes, v3_axis(1));
    r->force.moment = r->unbalance.moment;
    lmb_status st = lmb_build_marker(&r->force.marker, b, r->unbalance.on, lmb_node_place(u, "on"), err);
    if (st == LMB_OK && lmb_build_body_of(b, r->force.marker) < 0)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(u, "on"),
                        "`unbalance` acts on a body, not on ground; name a marker of the rotor");
    return st;
}

static lmb_status resolve(void *read, lmb_build *b, const lmb_node *n, lmb_error *err) {
    response_read *r = read;
    const lmb_program *p = lmb_build_program(b);
    lmb_arena *arena = lmb_build_arena(b);
    if (!(r->to > r->from))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "to"),
                        "`to` (%g Hz) must be above `from` (%g Hz)", r->to, r->from);
    if (r->points > 100000)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "points"),
                        "`points` must be at most 100000; resonances get more by themselves");
    lmb_status st = resolve_unbalance(r, b, n, err);
    if (st == LMB_OK) st = choose_inputs(r, p, arena, n, err);
    if (st == LMB_OK) st = choose_outputs(r, p, arena, n, err);
    return st == LMB_OK ? make_table(r, p, arena, n, err) : st;
}

static const lmb_own_table *table(const lmb_analysis *a) { return &((const response_read *)a->own)->table; }

static bool describe(lmb_text *out, const lmb_analysis *a) {
    const response_read *r = a->own;
    return lmb_text_add(out, ", %g to %g Hz, %d input%s, %d output%s", r->from, r->to, r->input_count,
                        r->input_count == 1 ? "" : "s", r->output_count, r->output_count == 1 ? "" : "s");
}

// ---- the curves --------------------------------------------------------------------------------

enum { DEPTH = 12, MORE = 50 }; // halvings; rows for each point asked for

typedef struct sample {
    double frequency;
    double *H; // chosen outputs x inputs, pairs
} sample;

typedef struct drawer {
    const response_read *read;
    lmb_response *response;
    lmb_run *r;
    const lmb_observer *o;
    double *all, *row, *memory;
    double *largest; // amplitude so far, of the first curve of each unit
    int *family;     // that curve
    int pairs;
    bool begun;
    const sample *left, *right; // the interval of the grid
    double sharp, lower;        // a peak within it that is not resolved: frequency (0: none), amplitude
    int sharp_pair, sharps;     // its curve; such peaks so far
} drawer;

static lmb_status evaluate(sample *s, drawer *k, double frequency, lmb_error *err) {
    const response_read *r = k->read;
    int all = lmb_response_inputs(k->response);
    s->frequency = frequency;
    lmb_status st = lmb_response_at(k->all, k->response, 2 * LMB_PI * frequency, err);
    for (int o = 0; o < r->output_count; o++)
        for (int i = 0; i < r->input_count; i++)
            memcpy(s->H + 2 * (o * r->input_count + i), k->all + 2 * (r->outputs[o] * all + r->inputs[i]),
                   2 * sizeof(double));
    return st;
}

static double amplitude(const sample *s, int i) { return hypot(s->H[2 * i], s->H[2 * i + 1]); }

// phases go on from those of the row before
static lmb_status tell(drawer *k, const sample *s, lmb_error *err) {
    k->row[0] = s->frequency;
    for (int i = 0; i < k->pairs; i++) {
        double raw = atan2(s->H[2 * i + 1], s->H[2 * i]);
        double *phase = &k->row[2 + 2 * i], last = isfinite(*phase) ? *phase * LMB_PI / 180 : 0;
        k->row[1 + 2 * i] = amplitude(s, i);
        // a phase that fell by half a turn has done so: masses lag behind
        *phase = 180 / LMB_PI * (k->begun ? lmb_unwrap(raw, last - 1e-6) : raw);
    }
    k->begun = true;
    k->r->own_row = k->row;
    return lmb_run_tell(k->r, k->o, err);
}

// whether the middle lies where amplitude and phase of the ends place it, for all curves that are not tiny
static bool is_smooth(drawer *k, const sample *a, const sample *m, const sample *b) {
    const double BEND = 0.02, TURN = 0.5, TINY = 1e-4; // of the logarithm; rad; of curves of its unit
    for (int i = 0; i < k->pairs; i++) {
        double x = amplitude(a, i), y = amplitude(m, i), z = amplitude(b, i);
        if (!isfinite(x + y + z)) return false;
        double *largest = &k->largest[k->family[i]];
        *largest = fmax(*largest, fmax(x, z));
        if (y < TINY * *largest) continue;
        if (x < 1e-300 || y < 1e-300 || z < 1e-300) continue;
        // the angle between the ends, from their product
        double turn = fabs(atan2(b->H[2 * i + 1] * a->H[2 * i] - b->H[2 * i] * a->H[2 * i + 1],
                                 b->H[2 * i] * a->H[2 * i] + b->H[2 * i + 1] * a->H[2 * i + 1]));
        if (fabs(log(y) - (log(x) + log(z)) / 2) > BEND || turn > TURN) return false;
    }
    return true;
}

// halvings are used up: a peak that stands above the interval may be higher than all of its rows
static void note_peak(drawer *k, const sample *a, const sample *m, const sample *b) {
    const double ABOVE = 3;
    for (int i = 0; i < k->pairs; i++) {
        double ends = fmax(amplitude(k->left, i), amplitude(k->right, i));
        double y = fmax(amplitude(m, i), fmax(amplitude(a, i), amplitude(b, i)));
        bool higher = k->sharp == 0 || (i == k->sharp_pair && y > k->lower);
        if (y > ABOVE * ends && higher) k->sharp = m->frequency, k->lower = y, k->sharp_pair = i;
    }
}

static lmb_status tell_peak(drawer *k, lmb_error *err) {
    enum { TOLD = 5 };
    char text[256];
    const lmb_own_table *t = &k->read->table;
    if (k->sharp == 0 || ++k->sharps > TOLD || k->o->event == NULL) return LMB_OK;
    snprintf(text, sizeof text,
             "warning: the peak of %.80s at %.6g Hz is sharper than the rows: it is higher than %.3g %s; add "
             "damping "
             "there%s",
             t->names[1 + 2 * k->sharp_pair], k->sharp, k->lower, t->units[1 + 2 * k->sharp_pair],
             k->sharps == TOLD ? " (more such peaks are not listed)" : "");
    return k->o->event(k->o->user, *k->r->d->time, text, err);
}

// rows behind a, up to b; memory of the samples of each depth is k->memory
static lmb_status walk(drawer *k, const sample *a, const sample *b, int depth, lmb_error *err) {
    sample m = {.H = k->memory + (size_t)(2 + depth) * 2 * (size_t)k->pairs};
    lmb_status st = evaluate(&m, k, sqrt(a->frequency * b->frequency), err);
    if (st != LMB_OK) return st;
    bool room = k->r->kept->next_row < MORE * (double)(k->read->points + 100);
    bool rough = !is_smooth(k, a, &m, b), deeper = rough && room && depth + 1 < DEPTH;
    if (rough && !deeper) note_peak(k, a, &m, b);
    if (deeper) st = walk(k, a, &m, depth + 1, err);
    else st = tell(k, &m, err);
    if (st != LMB_OK) return st;
    return deeper ? walk(k, &m, b, depth + 1, err) : tell(k, b, err);
}

// the next frequency of the grid or of a pole after f
static double next(const drawer *k, int *point, double f) {
    const response_read *r = k->read;
    const double *poles;
    int count = lmb_response_poles(&poles, k->response);
    double step = log(r->to / r->from) / (r->points > 1 ? r->points - 1 : 1), g = r->to;
    while (*point < r->points - 1 && r->from * exp(step * *point) <= f * (1 + 1e-9)) ++*point;
    if (*point < r->points - 1) g = r->from * exp(step * *point);
    for (int i = 0; i < count; i++) {
        double pole = poles[i] / (2 * LMB_PI);
        if (pole > f * (1 + 1e-9) && pole < g * (1 - 1e-9)) return pole;
    }
    return g;
}

static lmb_status draw(drawer *k, lmb_error *err) {
    const response_read *r = k->read;
    size_t one = 2 * (size_t)k->pairs;
    sample a = {.H = k->memory}, b = {.H = k->memory + one};
    int point = 1;
    lmb_status st = evaluate(&a, k, r->from, err);
    if (st == LMB_OK) st = tell(k, &a, err);
    while (st == LMB_OK && a.frequency < r->to) {
        st = evaluate(&b, k, next(k, &point, a.frequency), err);
        k->left = &a, k->right = &b, k->sharp = 0;
        if (st == LMB_OK) st = walk(k, &a, &b, 0, err);
        if (st == LMB_OK) st = tell_peak(k, err);
        sample t = a;
        a = b, b = t;
        if (st == LMB_OK && k->o->progress && !k->o->progress(k->o->user, *k->r->d->time, *k->r->d->time))
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    }
    return st;
}

static void find_families(drawer *k) {
    const char **unit = k->read->table.units;
    for (int i = 0; i < k->pairs; i++)
        while (strcmp(unit[1 + 2 * k->family[i]], unit[1 + 2 * i]) != 0) k->family[i]++;
}

static lmb_status begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    (void)o;
    return lmb_run_stand(r, err);
}

static lmb_status step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    const response_read *read = r->a->own;
    drawer k = {.read = read, .r = r, .o = o, .pairs = read->input_count * read->output_count};
    size_t one = 2 * (size_t)k.pairs,
           all = 2 * (size_t)r->p->output_count * ((size_t)r->m->external_count + 1);
    *done = true;
    k.memory = lmb_alloc((DEPTH + 4) * one + all + one / 2 + 2, sizeof *k.memory);
    k.family = lmb_alloc((size_t)k.pairs + 1, sizeof *k.family);
    lmb_status st = k.memory && k.family ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        k.all = k.memory + (DEPTH + 3) * one, k.row = k.all + all, k.largest = k.row + one + 1;
        find_families(&k);
    }
    if (st == LMB_OK)
        st = lmb_response_create(&k.response, r->w, r->d, r->p, read->method, &read->force, r->a->where, err);
    if (st == LMB_OK) st = draw(&k, err);
    lmb_response_destroy(k.response);
    lmb_free(k.family);
    lmb_free(k.memory);
    r->own_row = NULL;
    return st;
}

const lmb_analysis_kind lmb_analysis_response = {
    .doc = {"response",
            "Amplitudes and phases of outputs for inputs that vibrate, over the frequency, about the final "
            "state of the "
            "previous analysis.",
            keys},
    .read_size = sizeof(response_read),
    .defaults = defaults,
    .resolve = resolve,
    .table = table,
    .describe = describe,
    .begin = begin,
    .step = step,
};
