// tests/random/analyses.c: statics and modes of random models against dynamics.
//
//   statics   a damped model comes to rest where statics finds an equilibrium, and a stable one.
//   modes     let go in the shape of a mode, the model moves as the mode says: y(t) = eps Re(phi exp(s t)) for a radian.
#include "run.h"

#include <stdio.h>
#include <string.h>

#define REST 1e-6   // of the model's size in its time: it rests
#define SAME 1e-4   // of its size or rad: what rests there does not move
#define SLOW 1e-2   // of the model's rate: less is not seen in its time
#define SMALL 1e-5  // amplitude of vibrations
#define LINEAR 1e-5 // of the amplitude: terms of third order, and the tolerance
enum { SETTLING = 4000, VIBRATING = 4000, VIBRATIONS = 3 };

typedef struct rest {
    lmb_system *s;
    lmb_data *d, *now; // at the equilibrium; scratch
    lmb_mode_set *modes;
    double *y; // 3 ny
} rest;

enum { SETTLE, STATICS, MODES, VIBRATE };
static const char *const analyses[] = {"{type: dynamics, until: %.17g, every: %.17g, tolerance: 1e-5}",
                                       "{type: statics}", "{type: modes, count: 200}",
                                       "{type: dynamics, until: %.17g, integrator: radau, tolerance: 1e-9}"};

// the largest velocity, relative to the model's size, 1/s
static double fastest(const lmb_model *m, const lmb_data *d) {
    double most = 0;
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind != LMB_BLOCK_STATE)
            most = fmax(most, fabs(d->v[m->y_v[i]]) / m->y_scale[i]);
    return most;
}

static lmb_status find_modes(rest *r, lmb_error *err) {
    lmb_work *w = NULL;
    const lmb_program *p = r->s->program;
    lmb_status st = lmb_work_create(&w, p->model, err);
    lmb_update(r->d, p->model);
    if (st == LMB_OK) st = lmb_accelerations(w, r->d);
    if (st == LMB_OK) st = lmb_mode_set_create(&r->modes, w, r->d, &p->analyses[MODES], err);
    lmb_work_destroy(w);
    return st;
}

// ---- statics -------------------------------------------------------------------------------------

static bool is_neutral(const rest *r, double rate) { // can move without a force
    for (int k = 0; k < r->modes->count; k++)
        if (2 * LMB_PI * r->modes->values[k * LMB_MODE_COLUMNS + LMB_MODE_NATURAL] < 1e-4 * rate) return true;
    return false;
}

// whether a direction leaves the equilibrium fast enough to be seen while the model settles
static bool grows(rest *r, double rate) {
    bool found = find_modes(r, NULL) != LMB_OK;
    for (int k = 0; !found && k < r->modes->count; k++)
        found = r->modes->values[k * LMB_MODE_COLUMNS + LMB_MODE_RE] > SLOW * rate;
    return found;
}

static verdict judge_rest(lmb_text *why, rest *r, const random_model *m) {
    lmb_error err = {0};
    lmb_findings f = LMB_FINDINGS_NONE;
    const lmb_model *model = r->s->program->model;
    lmb_data_copy(r->now, r->d);
    lmb_status st = model_run(&f, r->s, STATICS, r->now, 0, &err);
    double moved = fmax(f.moved / model->length, f.turned);
    if (st != LMB_OK && find_modes(r, NULL) == LMB_OK && is_neutral(r, m->rate)) return RIGHT;
    if (strstr(
            err.text,
            "singular position")) { // constraints that lose their rank have no equilibrium of finite forces
        lmb_text_add(why, "where a damped model rests: %s\n", err.text);
        return REFUSED;
    }
    if (st != LMB_OK) {
        lmb_text_add(why, "statics fails where a damped model rests: %s\n", err.text);
        return INVALID;
    }
    lmb_data_copy(r->d, r->now);
    if (moved > SAME || (f.unstable > 0 && grows(r, m->rate))) {
        lmb_text_add(why, "statics moves by %.2g where a damped model rests; unstable directions: %d\n",
                     moved, f.unstable);
        return DIFFERENT;
    }
    return RIGHT;
}

// ---- modes ---------------------------------------------------------------------------------------

typedef struct vibration {
    int mode;
    double re, im; // s
    double size;   // eps
} vibration;

// y = eps Re(a phi), a = a_re + i a_im
static void shape(double *y, const rest *r, const vibration *b, double a_re, double a_im) {
    const lmb_model *m = r->s->program->model;
    size_t at = (size_t)b->mode * (size_t)m->nv;
    const double *re = r->modes->re + at, *im = r->modes->im + at;
    for (int i = 0; i < m->ny; i++) y[i] = b->size * (a_re * re[m->y_v[i]] - a_im * im[m->y_v[i]]);
}

static double scaled(const lmb_model *m, const double *y) {
    double most = 0;
    for (int i = 0; i < m->ny; i++) most = fmax(most, fabs(y[i]) / m->y_scale[i]);
    return most;
}

// lets the model go in a mode for a radian: the change dy of its positions, and the largest at the start
static lmb_status vibrate(double *dy, rest *r, const vibration *b, lmb_error *err) {
    const lmb_model *m = r->s->program->model;
    lmb_findings f = LMB_FINDINGS_NONE;
    lmb_data_copy(r->now, r->d);
    *r->now->standing = 0; // velocities are meant as they are
    shape(dy, r, b, 1, 0);
    lmb_positions_move(r->now->q, m, r->d->q, dy);
    lmb_update(r->now, m);
    shape(dy, r, b, b->re, b->im);
    lmb_velocity_set(r->now, m, dy);
    r->s->program->analyses[VIBRATE].until = *r->d->time + 1 / hypot(b->re, b->im);
    lmb_status st = model_run(&f, r->s, VIBRATE, r->now, VIBRATING, err);
    lmb_positions_difference(dy, m, r->d->q, r->now->q);
    return st;
}

// Forth and back: half of the difference has neither the error of the equilibrium nor terms of second order.
static verdict judge_mode(lmb_text *why, rest *r, int k, bool verbose) {
    const lmb_model *m = r->s->program->model;
    const double *value = r->modes->values + k * LMB_MODE_COLUMNS;
    vibration forth = {k, value[LMB_MODE_RE], value[LMB_MODE_IM], 1}, back;
    double t = 1 / hypot(forth.re, forth.im), grow = exp(forth.re * t), *y = r->y, *y1 = y + m->ny,
           *y2 = y1 + m->ny;
    lmb_error err = {0};
    shape(y, r, &forth, 1, 0), shape(y1, r, &forth, 0, 1);
    forth.size = SMALL / hypot(scaled(m, y), scaled(m, y1));
    back = forth, back.size = -forth.size;
    lmb_status st = vibrate(y1, r, &forth, &err);
    if (st == LMB_OK) st = vibrate(y2, r, &back, &err);
    shape(y, r, &forth, grow * cos(forth.im * t), grow * sin(forth.im * t));
    for (int i = 0; i < m->ny; i++) y[i] -= 0.5 * (y1[i] - y2[i]);
    double error = scaled(m, y) / (SMALL * fmax(1, grow));
    if (verbose)
        printf("      mode %d of %d: s = %.3g + %.3g i, error %.2g\n", k + 1, r->modes->count, forth.re,
               forth.im, error);
    if ((st == LMB_OK && error <= LINEAR) || st == LMB_ERR_SYSTEM) return RIGHT; // the latter: too many steps
    lmb_text_add(why, "mode %d (s = %.4g + %.4g i): a vibration differs by %.2g of its amplitude %s\n", k + 1,
                 forth.re, forth.im, error, err.text);
    return st == LMB_OK ? DIFFERENT : INVALID;
}

static verdict judge_modes(lmb_text *why, rest *r, const random_model *m, dice *d, bool verbose) {
    lmb_error err = {0};
    verdict v = RIGHT;
    int tried = 0;
    if (r->modes == NULL && find_modes(r, &err) != LMB_OK) {
        lmb_text_add(why, "modes: %s\n", err.text);
        return INVALID;
    }
    for (int k = dice_below(d, 2); k < r->modes->count && tried < VIBRATIONS; k += 1 + dice_below(d, 3)) {
        double speed = 2 * LMB_PI * r->modes->values[k * LMB_MODE_COLUMNS + LMB_MODE_NATURAL] / m->rate;
        if (speed < SLOW || speed > 1e3) continue; // too slow, too fast beside the others
        verdict own = judge_mode(why, r, k, verbose);
        v = own > v ? own : v, tried++;
    }
    return v;
}

// ---- both ----------------------------------------------------------------------------------------

static lmb_status settle(rest *r, const random_model *m, int times, lmb_error *err) {
    random_model damped = {.text = m->damped};
    lmb_text list = {0};
    double until = times * 60 * m->period;
    lmb_text_add(&list, analyses[SETTLE], until, until);
    lmb_text_add(&list, ", %s, %s, ", analyses[STATICS], analyses[MODES]);
    lmb_text_add(&list, analyses[VIBRATE], 2 * until);
    lmb_status st = model_compile(&r->s, &damped, list.text, err);
    lmb_text_free(&list);
    if (st != LMB_OK) return st;
    st = lmb_data_create(&r->d, r->s->program->model, err);
    if (st == LMB_OK) st = lmb_data_create(&r->now, r->s->program->model, err);
    r->y = lmb_alloc(3 * (size_t)r->s->program->model->ny + 1, sizeof *r->y);
    lmb_findings f;
    return st == LMB_OK ? model_run(&f, r->s, SETTLE, r->d, times * SETTLING, err) : st;
}

// settles for so many times the usual time; *rests: it has come to rest
static verdict judge_settled(lmb_text *why, bool *rests, rest *r, const random_model *m, int times,
                             bool verbose) {
    lmb_error err = {0};
    lmb_status st = settle(r, m, times, &err);
    double speed = st == LMB_OK ? fastest(r->s->program->model, r->d) / m->rate : 0;
    if (verbose) printf("    damped: speed %.1e %s\n", speed, err.text);
    if (st == LMB_ERR_INPUT) lmb_text_add(why, "damped: %s\n", err.text);
    *rests = st == LMB_OK && speed < REST;
    return st == LMB_ERR_INPUT ? INVALID : *rests ? judge_rest(why, r, m) : RIGHT;
}

static void free_rest(rest *r) {
    lmb_mode_set_destroy(r->modes);
    lmb_data_destroy(r->d), lmb_data_destroy(r->now);
    lmb_system_destroy(r->s);
    lmb_free(r->y);
    *r = (rest){0};
}

// What still creeps is beside the equilibrium, or beside a set of them, and statics may move it by a multiple of what is left: that falls with the
// time it has to settle.  What is wrong stays.
static bool moves_less_later(rest *r, const random_model *m, bool verbose) {
    lmb_text why = {0};
    bool rests;
    free_rest(r);
    verdict v = judge_settled(&why, &rests, r, m, 2, verbose);
    lmb_text_free(&why);
    return rests && v == RIGHT;
}

verdict random_model_rests(lmb_text *why, const random_model *m, uint64_t seed, bool verbose) {
    rest r = {0};
    lmb_text own = {0};
    dice d = {seed};
    bool rests;
    verdict v = judge_settled(&own, &rests, &r, m, 1, verbose);
    if (v == DIFFERENT && moves_less_later(&r, m, verbose)) v = RIGHT;
    if (v != RIGHT) lmb_text_add(why, "%s", own.text);
    if (rests && v == RIGHT && !m->states) v = judge_modes(why, &r, m, &d, verbose);
    lmb_text_free(&own);
    free_rest(&r);
    return v;
}
