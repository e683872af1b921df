// api/tables.c: the tables of a results file.
#include "api/tables.h"

#include "reduce/flex.h"
#include "solve/formalism.h"
#include "system/shown.h"
#include "system/stress.h"

#include <stdio.h>
#include <string.h>

// ---- columns -----------------------------------------------------------------------------------

static bool set_column(lmb_column *c, lmb_tables *t, const char *element, const char *part,
                       const char *unit) {
    c->name = lmb_arena_printf(t->arena, "%s.%s", element, part);
    c->unit = unit;
    return c->name != NULL;
}

// numbered ones: beam.q1, beam.q2
static bool set_numbered(lmb_column *c, lmb_tables *t, const char *element, const char *letter, int number) {
    c->name = lmb_arena_printf(t->arena, "%s.%s%d", element, letter, number);
    c->unit = "";
    return c->name != NULL;
}

static bool block_columns(lmb_column *q, lmb_column *v, lmb_tables *t, const char *body, const lmb_block *k,
                          int *numbered) {
    static const char *const point[] = {"x", "y", "z"}, *const turn[] = {"qw", "qx", "qy", "qz"};
    static const char *const speed[] = {"vx", "vy", "vz"}, *const spin[] = {"wx", "wy", "wz"};
    bool ok = true, vector = k->kind == LMB_BLOCK_VECTOR;
    bool place = lmb_block_is_place(k);
    bool angle = k->kind == LMB_BLOCK_ROT || k->kind == LMB_BLOCK_ANGLE;
    q += k->sq, v += k->sv;
    for (int i = 0; i < (place ? 3 : angle ? 4 : lmb_shown_nq(k)) && ok; i++) {
        if (place) ok = set_column(&q[i], t, body, point[i], "m");
        else if (angle) ok = set_column(&q[i], t, body, turn[i], "");
        else ok = set_numbered(&q[i], t, body, vector ? "q" : "integral", *numbered + i + 1);
    }
    for (int i = 0; i < (place || angle ? 3 : lmb_shown_nv(k)) && ok; i++) {
        if (place) ok = set_column(&v[i], t, body, speed[i], "m/s");
        else if (angle) ok = set_column(&v[i], t, body, spin[i], "rad/s");
        else ok = set_numbered(&v[i], t, body, vector ? "v" : "z", *numbered + i + 1);
    }
    if (!place && !angle) *numbered += lmb_shown_nv(k);
    return ok;
}

static int point_count(const lmb_model *m, const lmb_body *b) {
    int count = 0;
    for (int k = 0; k < b->block_count; k++) count += lmb_block_is_place(&m->blocks[b->blocks[k]]);
    return count;
}

// a body of nodes: beam.0.x, beam.0.q1 ... for position and slopes of its first node
static bool node_columns(lmb_column *q, lmb_column *v, lmb_tables *t, const lmb_model *m, const lmb_body *b) {
    bool ok = true;
    int points = point_count(m, b), node = b->part * (points - 1) - 1, numbered = 0;
    const char *name = b->name;
    for (int k = 0; k < b->block_count && ok; k++) {
        const lmb_block *block = &m->blocks[b->blocks[k]];
        if (lmb_block_is_place(block)) {
            name = lmb_arena_printf(t->arena, "%s.%d", b->name, ++node);
            numbered = 0;
        }
        ok = name && block_columns(q, v, t, name, block, &numbered);
    }
    return ok;
}

static bool coordinate_columns(lmb_column *q, lmb_column *v, lmb_tables *t, const lmb_model *m) {
    bool ok = true;
    for (int i = 0; i < m->body_count && ok; i++) {
        const lmb_body *b = &m->bodies[i];
        int numbered = 0;
        if (point_count(m, b) > 1) {
            ok = node_columns(q, v, t, m, b);
            continue;
        }
        for (int k = 0; k < b->block_count && ok; k++)
            ok = block_columns(q, v, t, b->name, &m->blocks[b->blocks[k]], &numbered);
    }
    for (int i = 0; i < m->follower_count && ok; i++) { // coordinates of eliminated joints
        const lmb_follower *f = &m->followers[i];
        int numbered = 0;
        if (f->block >= 0)
            ok = block_columns(q, v, t, m->joints[f->joint].name, &m->blocks[f->block], &numbered);
    }
    return ok;
}

static int real_joints(const lmb_model *m) {
    int count = 0;
    for (int i = 0; i < m->joint_count; i++) count += m->joints[i].start == LMB_START_NONE;
    return count;
}

static bool wrench_columns(lmb_column *c, lmb_tables *t, const char *name) {
    static const char *const names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    bool ok = true;
    for (int k = 0; k < 6 && ok; k++) ok = set_column(c++, t, name, names[k], k < 3 ? "N" : "Nm");
    return ok;
}

static bool reaction_columns(lmb_column *c, lmb_tables *t, const lmb_model *m) {
    bool ok = true;
    for (int i = 0; i < m->joint_count && ok; i++)
        if (m->joints[i].start == LMB_START_NONE) ok = wrench_columns(c, t, m->joints[i].name), c += 6;
    return ok;
}

static bool force_columns(lmb_column *c, lmb_tables *t, const lmb_model *m) {
    bool ok = true;
    for (int i = 0; i < m->force_count && ok; i++) ok = wrench_columns(c + 6 * i, t, m->forces[i].name);
    return ok;
}

static int load_count(const lmb_model *m) {
    int count = 0;
    for (int i = 0; i < m->body_count; i++) count += lmb_stress_load_count(&m->bodies[i]);
    return count;
}

// arm.wxx ..: products of the angular velocity; arm.tip.fx ..: at a marker of the part; arm.a1 ..: elastic accelerations
static bool load_columns(lmb_column *c, lmb_tables *t, const lmb_model *m) {
    static const char *const products[] = {"wxx", "wyy", "wzz", "wxy", "wyz", "wzx"};
    bool ok = true;
    for (int i = 0; i < m->body_count && ok; i++) {
        const lmb_body *b = &m->bodies[i];
        if (lmb_stress_load_count(b) == 0) continue;
        const lmb_flex *f = lmb_stress_flex(b);
        for (int k = 0; k < 6 && ok; k++) ok = set_column(c++, t, b->name, products[k], "rad2/s2");
        for (int k = 0; k < f->marker_count && ok; k++) {
            const char *at = lmb_arena_printf(t->arena, "%s.%s", b->name, f->markers[k].name);
            ok = at && wrench_columns(c, t, at), c += 6;
        }
        for (int k = 0; k < f->m && ok; k++) ok = set_numbered(c++, t, b->name, "a", k + 1);
    }
    return ok;
}

static void load_row(double *out, const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->body_count; i++) {
        int count = lmb_stress_load_count(&m->bodies[i]);
        if (count > 0) memcpy(out, lmb_stress_loads(d, &m->bodies[i]), (size_t)count * sizeof *out);
        out += count;
    }
}

// arm.correction: of body `arm` with all its parts
static bool correction_columns(lmb_column *c, lmb_tables *t) {
    bool ok = true;
    for (int i = 0; i < t->correction->count && ok; i++)
        ok = set_column(&c[i], t, t->correction->m->bodies[t->correction->first[i]].name, "correction", "");
    return ok;
}

// pose and the columns after it
static bool place_columns(lmb_column *q, lmb_column *v, lmb_tables *t, const lmb_model *m) {
    static const char *const pose7[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    static const char *const twist[] = {"x", "y", "z", "rx", "ry", "rz"};
    bool ok = true;
    for (int i = 0; i < t->places.count && ok; i++) {
        const lmb_shown *p = &t->places.list[i];
        const char *name = p->marker >= 0 ? m->markers[p->marker].name : m->bodies[p->body].name;
        if (name[0] == '\0') name = lmb_arena_printf(t->arena, "%s#%d", m->bodies[p->body].name, p->marker);
        ok = name != NULL;
        if (p->marker == LMB_SHOWN_RESIDUAL) {
            for (int k = 0; k < p->elastic && ok; k++) ok = set_numbered(&q[p->q + k], t, name, "p", k + 1);
            continue;
        }
        for (int k = 0; k < 7 && ok; k++) ok = set_column(&q[p->q + k], t, name, pose7[k], k < 3 ? "m" : "");
        for (int k = 0; k < 6 && ok; k++)
            ok = set_column(&v[p->v + k], t, name, twist[k], k < 3 ? "m" : "rad");
        for (int k = 0; k < p->elastic && ok; k++)
            ok = set_numbered(&q[p->q + 7 + k], t, name, "e", k + 1) &&
                 set_numbered(&v[p->v + 6 + k], t, name, "e", k + 1);
    }
    return ok;
}

static void sensor_columns(lmb_column *c, const lmb_system *s) {
    for (int i = 0; i < s->shown_count; i++)
        c[i] = (lmb_column){lmb_system_sensor_name(s, i), lmb_system_sensor_unit(s, i)};
}

bool lmb_tables_has_bar(const lmb_system *s, int sensor) {
    return s->program->channels[s->shown[sensor]].strained > 0;
}

static int bar_count(const lmb_system *s) {
    int count = 0;
    for (int i = 0; i < s->shown_count; i++) count += lmb_tables_has_bar(s, i);
    return count;
}

static void bar_columns(lmb_column *c, const lmb_system *s) {
    for (int i = 0; i < s->shown_count; i++)
        if (lmb_tables_has_bar(s, i))
            *c++ = (lmb_column){lmb_system_sensor_name(s, i), lmb_system_sensor_unit(s, i)};
}

static void switch_columns(lmb_column *c, const lmb_tables *t, const lmb_model *m) {
    for (int i = 0; i < t->switches.count; i++) {
        int k = t->switches.list[i];
        c[i] = (lmb_column){k < m->joint_count ? m->joints[k].name : m->forces[k - m->joint_count].name, ""};
    }
}

static const lmb_column *mode_columns(lmb_tables *t) {
    lmb_column *c = lmb_arena_get(t->arena, LMB_MODE_COLUMNS, sizeof *c);
    for (int i = 0; c && i < LMB_MODE_COLUMNS; i++) c[i] = (lmb_column){lmb_mode_names[i], lmb_mode_units[i]};
    return c;
}

static const lmb_column *input_columns(lmb_tables *t) {
    const lmb_model *m = t->system->program->model;
    lmb_column *c = lmb_arena_get(t->arena, (size_t)m->external_count + 1, sizeof *c);
    for (int i = 0; c && i < m->external_count; i++) c[i] = (lmb_column){m->externals[i].name, ""};
    return c;
}

static const lmb_column *output_columns(lmb_tables *t) {
    const lmb_program *p = t->system->program;
    lmb_column *c = lmb_arena_get(t->arena, (size_t)p->output_count + 1, sizeof *c);
    for (int i = 0; c && i < p->output_count; i++) c[i] = (lmb_column){p->channels[p->outputs[i]].name, ""};
    return c;
}

static bool make_columns(lmb_tables *t, bool bars) {
    const lmb_model *m = t->system->program->model;
    const int counts[] = {m->shown_nq,
                          m->shown_nv,
                          t->system->shown_count,
                          6 * real_joints(m),
                          6 * m->force_count,
                          load_count(m),
                          LMB_ENERGY_COUNT,
                          t->correction->count,
                          t->places.columns,
                          t->switches.count,
                          bars ? bar_count(t->system) : 0};
    static const char *const names[] = {"q",        "v",          "sensors", "reactions", "forces", "loads",
                                        "energies", "correction", "places",  "active",    "bars"};
    static const char *const docs[] = {
        "coordinates of bodies: position and quaternion (w, x, y, z)",
        "velocities in global axes, angular velocities in body axes",
        "sensor values",
        "force and torque of joints on their second body at its marker, global axes",
        "force and torque of force elements on their first body at its marker, global axes",
        ("loads of flexible bodies from which residual coordinates follow, body axes: products of the "
         "angular velocity, force and torque at markers, elastic accelerations"),
        "energies, their balance (constant), momentum and angular momentum about the origin",
        ("twice the largest stress of residual fields of flexible bodies so far, relative to their largest "
         "stress"),
        ("poses of markers on flexible bodies (position, quaternion), floating frames, elastic and residual "
         "coordinates"),
        "joints and forces that events switch; 1: active",
        "error bars of stresses and section forces: the sensor of this name is off by about this much at "
        "most"};
    lmb_column *c[LMB_TABLE_COUNT],
        *increments = lmb_arena_get(t->arena, (size_t)t->places.increments, sizeof *increments);
    if (increments == NULL) return false;
    for (int k = 0; k < LMB_TABLE_COUNT; k++) {
        c[k] = lmb_arena_get(t->arena, (size_t)counts[k], sizeof *c[k]);
        if (c[k] == NULL) return false;
        t->table[k] = (lmb_table){names[k], docs[k], counts[k], c[k]};
    }
    t->table[LMB_TABLE_MODES] =
        (lmb_table){"modes", "frequencies and damping, one row per mode", LMB_MODE_COLUMNS, mode_columns(t)};
    t->table[LMB_TABLE_SHAPES_RE] = (lmb_table){
        "shapes_re", "mode shapes: increments in the order of v, real parts", m->shown_nv, c[LMB_TABLE_V]};
    t->table[LMB_TABLE_SHAPES_IM] =
        (lmb_table){"shapes_im", "mode shapes: increments in the order of v, imaginary parts", m->shown_nv,
                    c[LMB_TABLE_V]};
    t->table[LMB_TABLE_PLACES_RE] =
        (lmb_table){"places_re", "increments of places, real parts", t->places.increments, increments};
    t->table[LMB_TABLE_PLACES_IM] =
        (lmb_table){"places_im", "increments of places, imaginary parts", t->places.increments, increments};
    t->table[LMB_TABLE_REACH] =
        (lmb_table){"reach", "how far inputs excite the mode: 0: not at all, 1: nothing else",
                    t->system->program->model->external_count, input_columns(t)};
    t->table[LMB_TABLE_SIGHT] =
        (lmb_table){"sight", "how far outputs see the mode: 0: not at all, 1: nothing else",
                    t->system->program->output_count, output_columns(t)};
    if (!t->table[LMB_TABLE_MODES].columns || !t->table[LMB_TABLE_REACH].columns ||
        !t->table[LMB_TABLE_SIGHT].columns)
        return false;
    sensor_columns(c[LMB_TABLE_SENSORS], t->system);
    if (bars) bar_columns(c[LMB_TABLE_BARS], t->system);
    switch_columns(c[LMB_TABLE_ACTIVE], t, m);
    for (int i = 0; i < LMB_ENERGY_COUNT; i++)
        c[LMB_TABLE_ENERGIES][i] = (lmb_column){lmb_energy_names[i], lmb_energy_units[i]};
    return coordinate_columns(c[LMB_TABLE_Q], c[LMB_TABLE_V], t, m) &&
           place_columns(c[LMB_TABLE_PLACES], increments, t, m) &&
           reaction_columns(c[LMB_TABLE_REACTIONS], t, m) && force_columns(c[LMB_TABLE_FORCES], t, m) &&
           load_columns(c[LMB_TABLE_LOADS], t, m) && correction_columns(c[LMB_TABLE_CORRECTION], t);
}

// ---- create, destroy ---------------------------------------------------------------------------

lmb_status lmb_tables_create(lmb_tables **out, const lmb_system *s, lmb_table_wishes w, lmb_error *err) {
    *out = NULL;
    lmb_tables *t = lmb_alloc(1, sizeof *t);
    if (t == NULL) return lmb_fail_memory(err);
    t->system = s;
    t->arena = lmb_arena_create(1 << 14);
    lmb_status st =
        t->arena ? lmb_correction_create(&t->correction, s->program->model, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_places_make(&t->places, t->arena, s->program->model, err);
    if (st == LMB_OK) st = lmb_switches_make(&t->switches, t->arena, s->program, err);
    if (st == LMB_OK && w.loads) st = lmb_leading_create(&t->leading, s->program->model, err);
    if (st == LMB_OK && !make_columns(t, w.bars)) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_reading_create(&t->reading, s->program, err);
    if (st == LMB_OK) {
        t->sensors = lmb_arena_doubles(t->arena, t->table[LMB_TABLE_SENSORS].count);
        t->reactions = lmb_arena_doubles(t->arena, t->table[LMB_TABLE_REACTIONS].count);
        t->forces = lmb_arena_doubles(t->arena, t->table[LMB_TABLE_FORCES].count);
        t->loads = lmb_arena_doubles(t->arena, t->table[LMB_TABLE_LOADS].count + 1);
        t->active = lmb_arena_doubles(t->arena, t->switches.count + 1);
        t->bars = lmb_arena_doubles(t->arena, t->table[LMB_TABLE_BARS].count + 1);
        bool ok = t->sensors && t->reactions && t->forces && t->loads && t->active && t->bars;
        for (int k = 0; k < LMB_COUNT(t->shown) && ok; k++)
            ok = (t->shown[k] = lmb_arena_doubles(t->arena, k == 0 ? s->program->model->shown_nq
                                                                   : s->program->model->shown_nv));
        for (int i = 0; i < t->table[LMB_TABLE_BARS].count && ok; i++) t->bars[i] = NAN;
        for (int k = 0; k < LMB_COUNT(t->place) && ok; k++)
            ok = (t->place[k] = lmb_arena_doubles(t->arena, t->places.columns + 1));
        if (!ok) st = lmb_fail_memory(err);
    }
    if (st == LMB_OK) *out = t;
    else lmb_tables_destroy(t);
    return st;
}

void lmb_tables_destroy(lmb_tables *t) {
    if (t == NULL) return;
    lmb_reading_free(&t->reading);
    lmb_correction_destroy(t->correction);
    lmb_leading_destroy(t->leading);
    lmb_arena_destroy(t->arena);
    lmb_free(t);
}

// ---- rows --------------------------------------------------------------------------------------

const double *const *lmb_tables_row(lmb_tables *t, lmb_data *d) {
    const lmb_model *m = t->system->program->model;
    lmb_refresh(d, m);
    lmb_reading_take(&t->reading, d);
    for (int i = 0; i < t->system->shown_count; i++) t->sensors[i] = t->reading.channels[t->system->shown[i]];
    double *r = t->reactions;
    for (int i = 0; i < m->joint_count; i++)
        if (m->joints[i].start == LMB_START_NONE) memcpy(r, lmb_reaction(d, i), 6 * sizeof *r), r += 6;
    for (int i = 0; i < m->force_count; i++) lmb_force_on(t->forces + 6 * i, m, d, i);
    load_row(t->loads, m, d);
    lmb_correction_add(t->correction, d);
    if (t->leading) lmb_leading_add(t->leading, d);
    lmb_places_row(t->place[0], &t->places, d);
    lmb_switches_row(t->active, &t->switches, d);
    t->rows[LMB_TABLE_PLACES] = t->place[0];
    t->rows[LMB_TABLE_ACTIVE] = t->active;
    t->rows[LMB_TABLE_Q] = lmb_shown_q(t->shown[0], d);
    t->rows[LMB_TABLE_V] = lmb_shown_v(t->shown[1], d, d->v);
    t->rows[LMB_TABLE_SENSORS] = t->sensors;
    t->rows[LMB_TABLE_REACTIONS] = t->reactions;
    t->rows[LMB_TABLE_FORCES] = t->forces;
    t->rows[LMB_TABLE_LOADS] = t->loads;
    t->rows[LMB_TABLE_ENERGIES] = t->reading.energies;
    t->rows[LMB_TABLE_CORRECTION] = t->correction->share;
    t->rows[LMB_TABLE_BARS] = t->bars;
    return t->rows;
}

const double *const *lmb_tables_mode(lmb_tables *t, lmb_data *d, const lmb_mode_set *modes, long k) {
    lmb_tables_row(t, d);
    lmb_places_mode(t->place[1], &t->places, d, modes->re + k * d->model->nv);
    lmb_places_mode(t->place[2], &t->places, d, modes->im + k * d->model->nv);
    t->rows[LMB_TABLE_PLACES_RE] = t->place[1];
    t->rows[LMB_TABLE_PLACES_IM] = t->place[2];
    t->rows[LMB_TABLE_MODES] = modes->values + k * LMB_MODE_COLUMNS;
    t->rows[LMB_TABLE_SHAPES_RE] = lmb_shown_v(t->shown[2], d, modes->re + k * d->model->nv);
    t->rows[LMB_TABLE_SHAPES_IM] = lmb_shown_v(t->shown[3], d, modes->im + k * d->model->nv);
    return t->rows;
}

bool lmb_tables_own(lmb_table *out, lmb_tables *t, const lmb_own_table *own) {
    lmb_column *c = lmb_arena_get(t->arena, (size_t)own->count, sizeof *c);
    for (int i = 0; c && i < own->count; i++) c[i] = (lmb_column){own->names[i], own->units[i]};
    *out = (lmb_table){own->name, own->doc, own->count, c};
    return c != NULL;
}

lmb_status lmb_tables_group(lmb_group *out, char *name, lmb_table *own, lmb_tables *t, const lmb_program *p,
                            int g, lmb_error *err) {
    const lmb_analysis_kind *kind = p->analyses[g].kind;
    int tables = kind->plant ? LMB_TABLE_ALL : kind->modes ? LMB_TABLE_MODES_END : LMB_TABLE_COUNT;
    snprintf(name, 32, "%02d_%s", g + 1, kind->doc.name);
    *out = (lmb_group){.name = name,
                       .type = kind->doc.name,
                       .table_count = tables,
                       .tables = t->table,
                       .linear = kind->plant};
    const lmb_analysis *a = &p->analyses[g];
    if (kind->moves && !a->integrator->exact)
        out->integrator = a->integrator->doc.name, out->formalism = a->formalism->doc.name;
    if (!kind->table) return LMB_OK;
    if (!lmb_tables_own(own, t, kind->table(&p->analyses[g]))) return lmb_fail_memory(err);
    out->tables = own, out->table_count = 1;
    return LMB_OK;
}

const double *const *lmb_tables_plant(lmb_tables *t, lmb_data *d, const lmb_mode_set *modes,
                                      const lmb_plant *p, long k) {
    lmb_tables_mode(t, d, modes, k);
    t->rows[LMB_TABLE_REACH] = p->reach + k * p->inputs;
    t->rows[LMB_TABLE_SIGHT] = p->sight + k * p->outputs;
    return t->rows;
}

bool lmb_mode_set_write(lmb_text *out, const double *values, int count) {
    enum { LISTED = 20 };
    bool ok = lmb_text_add(out, "    mode  frequency [Hz]  undamped [Hz]     damping              s [1/s]\n");
    for (int k = 0; k < count && k < LISTED && ok; k++) {
        const double *v = values + (long)k * LMB_MODE_COLUMNS;
        ok = lmb_text_add(out, "    %4d  %14.7g %14.7g %11.4g  %+.6e%s", k + 1, v[LMB_MODE_FREQUENCY],
                          v[LMB_MODE_NATURAL], v[LMB_MODE_DAMPING], v[LMB_MODE_RE],
                          v[LMB_MODE_IM] == 0 ? "\n" : "");
        if (ok && v[LMB_MODE_IM] != 0) ok = lmb_text_add(out, " +- %.6e i\n", v[LMB_MODE_IM]);
    }
    if (ok && count > LISTED) ok = lmb_text_add(out, "    and %d more\n", count - LISTED);
    return ok;
}
