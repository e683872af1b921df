// solve/checkpoint.c: what the bytes of a checkpoint may hold.
#include "solve/checkpoint.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

bool lmb_is_count(double x, double most) { return x >= 0 && x <= most && x == floor(x); }

static bool are_finite(const double *x, long count) {
    for (long i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool are_flags(const double *x, int count) {
    for (int i = 0; i < count; i++)
        if (!lmb_is_count(x[i], 1)) return false;
    return true;
}

// unit quaternions, up to the round-off of a long run
static bool are_rotations(const lmb_model *m, const double *q) {
    for (int i = 0; i < m->block_count; i++) {
        const double *p = q + m->blocks[i].iq;
        double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        if (m->blocks[i].kind == LMB_BLOCK_ROT && fabs(square - 1) > 1e-6) return false;
    }
    return true;
}

static bool are_pieces(const lmb_data *d) {
    for (int i = 0; i < d->model->force_count; i++)
        if (!lmb_is_count(d->piece[i], d->model->forces[i].ops->pieces)) return false;
    return true;
}

const char *lmb_checkpoint_state(const lmb_data *d, lmb_span span) {
    const lmb_model *m = d->model;
    if (!are_finite(d->state, (long)d->state_doubles) || !isfinite(d->time_side))
        return "its state holds a number that is not finite";
    if (*d->time < span.begin || *d->time > span.until || d->time_side < span.begin ||
        d->time_side > span.until)
        return "its time lies outside the analysis";
    if (!are_flags(d->started, 1) || !are_flags(d->standing, 1) ||
        !are_flags(d->active_joint, m->joint_count) || !are_flags(d->active_force, m->force_count) ||
        !are_flags(d->fired, m->event_count))
        return "a flag of its state is neither 0 nor 1";
    if (!are_pieces(d)) return "the piece of a force law that acts is none of its pieces";
    return are_rotations(m, d->q) ? NULL : "an orientation is not a unit quaternion";
}

// an index of a list; of an empty one 0
static bool is_index(int i, int count) { return i >= 0 && (i < count || i == 0); }

const char *lmb_checkpoint_stats(const lmb_stats *s, const lmb_model *m) {
    const long counts[] = {s->steps,     s->rejected, s->newton_failures, s->iterations,
                           s->residuals, s->matrices, s->events};
    const double sizes[] = {s->min_step,      s->max_step,      s->seconds,       s->solver_seconds,
                            s->bend[0].turn,  s->bend[0].error, s->bend[0].order, s->bend[1].turn,
                            s->bend[1].error, s->bend[1].order};
    for (int i = 0; i < LMB_COUNT(counts); i++)
        if (counts[i] < 0 || counts[i] > LONG_MAX / 2) return "a count of its statistics is wrong";
    for (int i = 0; i < LMB_COUNT(sizes); i++)
        if (!(sizes[i] >= 0 && sizes[i] < INFINITY)) return "a number of its statistics is wrong";
    if (isnan(s->energy_drift) || isnan(s->energy_exchanged)) return "a number of its statistics is wrong";
    return is_index(s->bent[0], m->body_count) && is_index(s->bent[1], m->body_count)
               ? NULL
               : "its statistics name a body that the model does not have";
}

static bool is_flag(const void *bytes, size_t place) { return ((const unsigned char *)bytes)[place] <= 1; }

const char *lmb_checkpoint_findings(lmb_findings *out, const void *bytes, const lmb_model *m) {
    const size_t flags[] = {offsetof(lmb_findings, turning), offsetof(lmb_findings, fell),
                            offsetof(lmb_findings, accelerates), offsetof(lmb_findings, has_energy)};
    for (int i = 0; i < LMB_COUNT(flags); i++)
        if (!is_flag(bytes, flags[i])) return "a flag of its findings is neither 0 nor 1";
    memcpy(out, bytes, sizeof *out);
    if (!is_index(out->moved_body, m->body_count) || out->stop < -1 || out->stop >= m->force_count ||
        !is_index(out->gap_joint, m->joint_count) || !is_index(out->twisted, m->marker_count) ||
        !is_index(out->light, m->body_count) || !is_index(out->heavy, m->body_count) ||
        !is_index(out->start_body, m->body_count) || out->blind < -1 || out->blind >= m->force_count ||
        out->shared < -1 || out->shared >= m->force_count || out->buckled < -1 ||
        out->buckled >= m->body_count || out->folded < -1 || out->folded >= m->body_count)
        return "its findings name a body, force or joint that the model does not have";
    if (out->unstable < -1 || out->unstable > m->ny) return "a count of its findings is wrong";
    for (int i = 0; i < LMB_COUNT(out->low); i++)
        if (!(out->low[i] <= out->high[i])) return "an energy of its findings is wrong";
    bool sizes = out->moved >= 0 && out->turned >= 0 && out->stop_energy >= 0 && out->gap >= 0 &&
                 isfinite(out->gap_time) && out->start_energy >= 0 && out->growth >= 0 &&
                 out->farthest >= 0 && out->unlike >= 0 && out->twist >= 0 && out->torque >= 0 &&
                 out->blind_angle >= 0 && isfinite(out->blind_time) && isfinite(out->folded_time) &&
                 isfinite(out->handed_time);
    return sizes ? NULL : "a number of its findings is wrong";
}

// the last step ends where the run is; before the first one there is none.  One without error goes from row to row, without h.
static bool is_step(const lmb_integrator *s, lmb_span span) {
    double h = s->record->h, t0 = s->record->t0, t1 = s->record->t1;
    if (t1 == 0 && (t0 == 0 || t0 == *s->d->time)) return h >= 0;
    return (h > 0 || s->ops->exact) && span.begin <= t0 && t0 <= t1 && t1 == *s->d->time;
}

const char *lmb_checkpoint_integrator(const lmb_integrator *s, lmb_span span) {
    long scratch = s->ops->scratch ? s->ops->scratch(s->m) : 0;
    if (!are_finite(s->memory, s->used_count - scratch))
        return "the memory of its integrator holds a number that is not finite";
    if (!is_step(s, span) || s->span != span.until - span.begin)
        return "its last step lies outside the analysis";
    return are_rotations(s->m, s->step.q0) || s->record->t1 == 0 ? NULL
                                                                 : "an orientation is not a unit quaternion";
}
