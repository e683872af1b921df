// api/picture.c: poses, elastic coordinates and markers of pictures: their columns and rows.
#include "api/picture.h"

#include "api/skin_make.h"
#include "fe/fe.h"
#include "reduce/flex.h"
#include "system/shown.h"
#include "system/stress.h"

#include <stdlib.h>
#include <string.h>

static int elastic_of(const lmb_body *b) { return b->ops->look.flex ? b->ops->look.flex(b)->m : 0; }

bool lmb_joint_is_inner(const lmb_model *m, const lmb_joint *j) {
    int a = m->markers[j->marker[0]].body, b = m->markers[j->marker[1]].body;
    if (a < 0 || b < 0) return false;
    int first = a < b ? a : b, second = a < b ? b : a;
    return second == first + 1 && m->bodies[second].part == m->bodies[first].part + 1;
}

const char *lmb_picture_name(lmb_arena *arena, const lmb_body *b) {
    if (!b->ops->look.fibre || b->part == 0) return b->name;
    return lmb_arena_printf(arena, "%s[%d]", b->name, b->part + 1);
}

const lmb_body *lmb_skin_owner(const lmb_body *b) {
    if (b->ops->look.flex) return b;
    if (!b->ops->look.fibre) return NULL;
    const lmb_body *first = b - b->part;
    const lmb_profile *p = b->ops->look.profile(b), *q = b->ops->look.profile(first);
    double mine[LMB_SKIN_VECTORS] = {0}, its[LMB_SKIN_VECTORS] = {0};
    b->ops->look.fibre(mine, b, 0.3, 0, 0), first->ops->look.fibre(its, first, 0.3, 0, 0);
    return memcmp(p, q, 2 * sizeof *p) == 0 && memcmp(mine, its, sizeof mine) == 0 ? first : b;
}

// ---- the list ----------------------------------------------------------------------------------

static int residual_of(const lmb_body *b) {
    const lmb_flex *f = lmb_stress_flex(b);
    return f ? f->residual_count : 0;
}

static const lmb_shown *add(lmb_places *p, int body, int marker, int elastic) {
    lmb_shown *k = &p->list[p->count++];
    *k = (lmb_shown){body, marker, elastic, p->columns, p->increments};
    p->columns += 7 + elastic;
    p->increments += 6 + elastic;
    return k;
}

static const lmb_shown *add_residual(lmb_places *p, int body, int count) {
    lmb_shown *k = &p->list[p->count++];
    *k = (lmb_shown){body, LMB_SHOWN_RESIDUAL, count, p->columns, -1};
    p->columns += count;
    return k;
}

// the fibres of a beam share the blocks of their nodes
static void find_guests(lmb_shown_body *out, bool *taken, const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        out[i].guest = !b->ops->look.fibre && b->block_count > 0 && taken[b->blocks[0]];
        for (int k = 0; k < b->block_count; k++) taken[b->blocks[k]] = true;
    }
}

// or its markers slide
static bool deforms(const lmb_places *p, const lmb_model *m, int body) {
    const lmb_body *b = &m->bodies[body];
    return b->ops->look.fibre || elastic_of(b) > 0 || p->bodies[body].guest;
}

// markers used only by joints between parts of a beam
static void find_inner(bool *inner, const lmb_model *m) {
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].marker_count; k++)
            inner[m->joints[i].marker[k]] = m->markers[m->joints[i].marker[k]].name[0] == '\0';
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].marker_count; k++)
            if (!lmb_joint_is_inner(m, &m->joints[i])) inner[m->joints[i].marker[k]] = false;
    for (int i = 0; i < m->force_count; i++)
        inner[m->forces[i].marker[0]] = inner[m->forces[i].marker[1]] = false;
}

static void fill(lmb_places *p, const lmb_model *m, const bool *inner) {
    for (int i = 0; i < m->body_count; i++)
        if (m->bodies[i].ops->look.derived)
            p->bodies[i].frame = add(p, i, LMB_SHOWN_FRAME, elastic_of(&m->bodies[i]));
    for (int i = 0; i < m->marker_count; i++)
        if (m->markers[i].body >= 0 && !inner[i] && deforms(p, m, m->markers[i].body))
            p->markers[i] = add(p, m->markers[i].body, i, 0);
    for (int i = 0; i < m->body_count; i++)
        if (residual_of(&m->bodies[i]) > 0)
            p->bodies[i].residual = add_residual(p, i, residual_of(&m->bodies[i]));
}

lmb_status lmb_places_make(lmb_places *out, lmb_arena *arena, const lmb_model *m, lmb_error *err) {
    size_t bodies = (size_t)m->body_count, markers = (size_t)m->marker_count;
    bool *inner = lmb_alloc(markers + (size_t)m->block_count + 1, sizeof *inner);
    *out = (lmb_places){.list = lmb_arena_get(arena, markers + 2 * bodies + 1, sizeof *out->list),
                        .J = lmb_arena_doubles(arena, 6 * m->max_n + 1),
                        .bodies = lmb_arena_get(arena, bodies + 1, sizeof *out->bodies),
                        .markers = lmb_arena_get(arena, markers + 1, sizeof *out->markers)};
    bool ok = inner && out->list && out->J && out->bodies && out->markers;
    if (ok) {
        find_inner(inner, m);
        find_guests(out->bodies, inner + markers, m);
        fill(out, m, inner);
    }
    lmb_free(inner);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_drawn_columns lmb_body_columns(const lmb_places *p, const lmb_body *b) {
    const lmb_model *m = b->model;
    const lmb_block *block[3] = {0};
    const lmb_shown_body *shown = &p->bodies[b - m->bodies];
    const lmb_shown *rest = shown->residual, *frame = shown->frame;
    lmb_drawn_columns c = {-1, -1, -1, -1, elastic_of(b), rest ? m->shown_nq + rest->q : -1, residual_of(b)};
    for (int i = 0; i < 3 && i < b->block_count; i++) block[i] = &m->blocks[b->blocks[i]];
    if (frame) {
        c.pose = m->shown_nq + frame->q, c.pose_increment = m->shown_nv + frame->v;
        c.elastic = c.pose + 7, c.elastic_increment = c.pose_increment + 6;
        return c;
    }
    if (b->ops->look.fibre)
        return (lmb_drawn_columns){-1, -1, block[0]->sq, block[0]->sv, lmb_shown_body_nv(b), -1, 0};
    if (shown->guest || !lmb_shown_has_frame(b)) return c;
    c.pose = block[0]->sq, c.pose_increment = block[0]->sv;
    if (block[2] && c.elastic_count > 0) c.elastic = block[2]->sq, c.elastic_increment = block[2]->sv;
    return c;
}

// ---- rows --------------------------------------------------------------------------------------

static void store_pose(double *out, const pose *p) {
    v3_store(out, p->r);
    q_store(out + 3, q_from_matrix(p->R));
}

// of any marker, whether the equations use it or not
static lmb_frame_state frame_of(const lmb_places *p, const lmb_data *d, int marker) {
    lmb_frame_state f = {.J = p->J};
    const lmb_marker *k = &d->model->markers[marker];
    lmb_body_view x = lmb_view(d, &d->model->bodies[k->body]);
    x.body->ops->markers.frame(&f, &x, k);
    return f;
}

// the floating frame of a body for velocities v
static lmb_floating floating_of(const lmb_data *d, const lmb_body *b, const double *v) {
    lmb_body_view x = lmb_view(d, b);
    lmb_floating f;
    x.v = v;
    b->ops->look.floating(&f, &x);
    return f;
}

void lmb_places_row(double *row, const lmb_places *p, const lmb_data *d) {
    for (int i = 0; i < p->count; i++) {
        const lmb_shown *k = &p->list[i];
        const lmb_body *b = &d->model->bodies[k->body];
        if (k->marker == LMB_SHOWN_RESIDUAL) {
            memcpy(row + k->q, lmb_stress_of(d, b) + elastic_of(b), (size_t)k->elastic * sizeof *row);
        } else if (k->marker < 0) {
            lmb_floating f = floating_of(d, b, d->v + b->iv);
            memcpy(row + k->q, f.q, (size_t)(7 + elastic_of(b)) * sizeof *row);
        } else {
            lmb_frame_state f = frame_of(p, d, k->marker);
            store_pose(row + k->q, &f.p);
        }
    }
}

void lmb_places_mode(double *row, const lmb_places *p, const lmb_data *d, const double *v) {
    for (int i = 0; i < p->count; i++) {
        const lmb_shown *k = &p->list[i];
        const lmb_body *b = &d->model->bodies[k->body];
        if (k->marker == LMB_SHOWN_RESIDUAL) continue;
        if (k->marker < 0) {
            lmb_floating f = floating_of(d, b, v + b->iv);
            memcpy(row + k->v, f.v, (size_t)(6 + elastic_of(b)) * sizeof *row);
        } else {
            lmb_frame_state f = frame_of(p, d, k->marker);
            for (int r = 0; r < 6; r++) row[k->v + r] = lmb_dot(f.J + r * b->n, v + b->iv, b->n);
        }
    }
}

// ---- switches ----------------------------------------------------------------------------------

static void mark_switched(bool *on, const lmb_program *p) {
    const lmb_model *m = p->model;
    for (int i = 0; i < m->joint_count; i++) on[i] = m->joints[i].starts_off;
    for (int i = 0; i < m->force_count; i++) on[m->joint_count + i] = m->forces[i].starts_off;
    for (int i = 0; i < p->event_count; i++)
        for (int k = 0; k < p->events[i].action_count; k++) {
            int joint = p->events[i].actions[k].joint, force = p->events[i].actions[k].force;
            if (joint >= 0) on[joint] = true;
            if (force >= 0) on[m->joint_count + force] = true;
        }
}

lmb_status lmb_switches_make(lmb_switches *out, lmb_arena *arena, const lmb_program *p, lmb_error *err) {
    int all = p->model->joint_count + p->model->force_count;
    bool *on = lmb_alloc((size_t)all + 1, sizeof *on);
    *out = (lmb_switches){.list = lmb_arena_get(arena, (size_t)all + 1, sizeof *out->list)};
    bool ok = on && out->list;
    if (ok) mark_switched(on, p);
    for (int i = 0; ok && i < all; i++)
        if (on[i]) out->list[out->count++] = i;
    lmb_free(on);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

void lmb_switches_row(double *row, const lmb_switches *s, const lmb_data *d) {
    int joints = d->model->joint_count;
    for (int i = 0; i < s->count; i++)
        row[i] = s->list[i] < joints ? d->active_joint[s->list[i]] : d->active_force[s->list[i] - joints];
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int lmb_switch_column(const lmb_switches *s, int element) {
    const int *found = bsearch(&element, s->list, (size_t)s->count, sizeof element, ascending);
    return found ? (int)(found - s->list) : -1;
}
