// system/sensor.c: values of channels.
#include "system/sensor.h"

#include <string.h>

const char *const lmb_energy_names[] = {"kinetic",    "potential", "strain",     "dissipated",
                                        "work",       "balance",   "momentum.x", "momentum.y",
                                        "momentum.z", "spin.x",    "spin.y",     "spin.z"};
const char *const lmb_energy_units[] = {"J",      "J",      "J",      "J",       "J",       "J",
                                        "kg m/s", "kg m/s", "kg m/s", "kg m2/s", "kg m2/s", "kg m2/s"};

void lmb_energy_row(double *row, const lmb_model *m, lmb_data *d) {
    lmb_energies e;
    lmb_refresh(d, m);
    lmb_energies_get(&e, m, d);
    row[LMB_ENERGY_KINETIC] = e.bodies.kinetic;
    row[LMB_ENERGY_POTENTIAL] = e.bodies.gravity;
    row[LMB_ENERGY_STRAIN] = e.bodies.strain + e.springs;
    row[LMB_ENERGY_DISSIPATED] = *d->dissipated;
    row[LMB_ENERGY_WORK] = *d->work;
    row[LMB_ENERGY_TOTAL] =
        e.bodies.kinetic + e.bodies.gravity + e.bodies.strain + e.springs + *d->dissipated - *d->work;
    v3_store(row + LMB_MOMENTUM_X, e.bodies.momentum);
    v3_store(row + LMB_SPIN_X, e.bodies.spin);
}

static double wrench_part(const double *w, const lmb_channel *c, const mat3 *R) {
    vec3 part = v3_load(w + (c->component < 3 ? 0 : 3));
    return v3_get(c->in_frame ? m3_tmul_v3(R, part) : part, c->component % 3);
}

static double spin(const lmb_channel *c, const lmb_model *m, const lmb_data *d) {
    const lmb_frame_state *f = &d->frames[c->marker[1]];
    double acceleration[6];
    if (c->kind == LMB_CHANNEL_SPIN) return v3_get(m3_mul_v3(&f->p.R, v3_load(f->twist + 3)), c->component);
    lmb_marker_acceleration(acceleration, m, d, c->marker[1]); // (R w)' = R w' as w x w = 0
    return v3_get(m3_mul_v3(&f->p.R, v3_load(acceleration + 3)), c->component);
}

static double orientation(const lmb_channel *c, const lmb_data *d) {
    quat q = q_from_matrix(m3_tmul(d->frames[c->marker[0]].p.R, d->frames[c->marker[1]].p.R));
    double parts[4];
    q_store(parts, q);
    return parts[c->component];
}

// ---- stress ------------------------------------------------------------------------------------

static const double *elastic(const lmb_model *m, const lmb_data *d, int body) {
    lmb_flex_motion x;
    m->bodies[body].ops->motion(&x, d, &m->bodies[body]);
    return x.q;
}

// rows q
static void probe_rows(double out[6], const lmb_probe *p, const lmb_model *m, const lmb_data *d) {
    int count = m->bodies[p->body].ops->flex(&m->bodies[p->body])->m;
    const double *q = elastic(m, d, p->body);
    for (int k = 0; k < 6; k++) out[k] = lmb_dot(p->rows + k * count, q, count);
}

static double section_value(const lmb_channel *c, const lmb_model *m, const lmb_data *d) {
    const lmb_marker *k = &m->markers[c->marker[1]];
    double out[LMB_SECTION_COUNT];
    if (c->probe) {
        probe_rows(out, c->probe, m, d);
        lmb_section_values(out + 6, out, c->probe->section);
    } else {
        m->bodies[k->body].ops->section(out, d, k);
    }
    return out[c->component];
}

static double stress_value(const lmb_channel *c, const lmb_model *m, const lmb_data *d) {
    double s[6], forces[6], principal[3];
    probe_rows(s, c->probe, m, d);
    if (c->probe->beam) {
        memcpy(forces, s, sizeof forces);
        memset(s, 0, sizeof s);
        lmb_section_stress(&s[0], &s[3], forces, c->probe->section);
    }
    if (c->component < 6) return s[c->component];
    if (c->component == 6) return lmb_von_mises(s);
    lmb_principal(principal, s);
    return principal[c->component - 7];
}

static double largest_place(const lmb_probe *p, const lmb_model *m, const lmb_data *d) {
    double largest = -1, found = -1;
    for (int i = 0, first = 0; i < p->body_count; i++) {
        const lmb_body *b = &m->bodies[p->body + i];
        const lmb_flex *f = b->ops->flex(b);
        const int *places = p->places ? p->places[i] : NULL;
        int place, count = p->places ? p->place_count[i] : 0;
        double s = lmb_flex_largest(&place, f, places, count, elastic(m, d, p->body + i));
        if (place >= 0 && s > largest) largest = s, found = first + place;
        first += f->stress_places;
    }
    return found;
}

// von Mises stress, number of the node, its place
static double largest_value(const lmb_channel *c, const lmb_model *m, const lmb_data *d, int place) {
    const lmb_flex *f = NULL;
    int body = c->probe->body;
    if (place < 0) return NAN;
    for (;; body++) {
        f = m->bodies[body].ops->flex(&m->bodies[body]);
        if (place < f->stress_places) break;
        place -= f->stress_places;
    }
    int node = f->stress_node[place];
    if (c->component == 0) return lmb_flex_mises(f, place, elastic(m, d, body));
    return c->component == 1 ? f->node_label[node] : f->node_x[3 * node + c->component - 2];
}

// ---- channels ----------------------------------------------------------------------------------

// values: those of the channels before this one
static double channel_value(const lmb_channel *c, const lmb_model *m, lmb_data *d, const double *energies,
                            const double *values) {
    double value = 0, rate = 0, second = 0, w[6];
    switch (c->kind) {
    case LMB_CHANNEL_MEASURE:
        lmb_measure_motion(&value, &rate, c->order == 2 ? &second : NULL, m, d, &c->measure, c->marker,
                           c->turns);
        return c->order == 0 ? value - c->zero : c->order == 1 ? rate : second;
    case LMB_CHANNEL_SPIN:
    case LMB_CHANNEL_SPIN_RATE: return spin(c, m, d);
    case LMB_CHANNEL_QUATERNION: return orientation(c, d);
    case LMB_CHANNEL_REACTION:
        lmb_reaction(w, m, d, c->index);
        return wrench_part(w, c, &d->frames[m->joints[c->index].marker[0]].p.R);
    case LMB_CHANNEL_FORCE:
        lmb_force_on(w, m, d, c->index);
        return wrench_part(w, c, &d->frames[m->forces[c->index].marker[0]].p.R);
    case LMB_CHANNEL_SECTION: return section_value(c, m, d);
    case LMB_CHANNEL_STRESS: return stress_value(c, m, d);
    case LMB_CHANNEL_PLACE: return largest_place(c->probe, m, d);
    case LMB_CHANNEL_LARGEST: return largest_value(c, m, d, (int)values[c->index]);
    case LMB_CHANNEL_ENERGY: return energies[c->index];
    case LMB_CHANNEL_INPUT: return d->inputs[c->index];
    case LMB_CHANNEL_EXPR: {
        lmb_env env = lmb_env_of(d);
        env.inputs = values;
        return lmb_expr_value(c->expr, &env);
    }
    }
    return 0;
}

void lmb_channels_get(double *values, const lmb_channel *c, int count, const lmb_model *m, lmb_data *d,
                      const double *energies) {
    lmb_update_watched(d, m);
    for (int i = 0; i < count; i++) values[i] = c[i].factor * channel_value(&c[i], m, d, energies, values);
    for (int i = 0; i < count; i++) values[i] /= c[i].factor; // back to SI
}
