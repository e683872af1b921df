// sensor/largest_stress.c: the largest von Mises stress of a flexible body, and where it is.
#include "sensor/sensors.h"

typedef struct largest_read {
    lmb_sensor_common common;
    const char *set;
} largest_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_SENSOR_OF("The body."),
    {"set", LMB_KEY_TEXT, offsetof(largest_read, set), 0, {0}, 0, 0, "Restrict to the nodes of this set of the mesh (default: all nodes)."},
    {0},
};
// clang-format on

// index of the stress point with the largest von Mises stress, counted over all bodies of the probe
static double place(const lmb_channel *c, const lmb_moment *r) {
    const lmb_probe *p = c->constants;
    double largest = -1, found = -1;
    for (int i = 0, first = 0; i < p->body_count; i++) {
        const lmb_body *b = &r->m->bodies[p->body + i];
        const lmb_flex *f = b->ops->look.flex(b);
        const int *places = p->places ? p->places[i] : NULL;
        int at, count = p->places ? p->place_count[i] : 0;
        double s = lmb_flex_largest(&at, f, places, count, lmb_stress_of(r->d, b));
        if (at >= 0 && s > largest) largest = s, found = first + at;
        first += f->stress_places;
    }
    return found;
}

// von Mises stress, number of the node, its position; index: the channel of the place
static double value(const lmb_channel *c, const lmb_moment *r) {
    const lmb_probe *p = c->constants;
    const lmb_flex *f = NULL;
    int body = p->body, at = (int)r->values[c->index];
    if (at < 0) return NAN;
    for (;; body++) {
        f = r->m->bodies[body].ops->look.flex(&r->m->bodies[body]);
        if (at < f->stress_places) break;
        at -= f->stress_places;
    }
    int node = f->stress_node[at];
    if (c->component == 0) return lmb_flex_mises(f, at, lmb_stress_of(r->d, &r->m->bodies[body]));
    return c->component == 1 ? f->node_label[node] : f->node_x[3 * node + c->component - 2];
}

// stress points at the nodes of a set
static lmb_status set_places(int **places, int *count, lmb_build *b, const lmb_flex *f, const lmb_flex_set *s,
                             lmb_error *err) {
    *places = lmb_arena_get(b->arena, (size_t)f->stress_places, sizeof **places);
    bool *in = lmb_alloc((size_t)f->node_count, sizeof *in);
    if (*places == NULL || in == NULL) return lmb_free(in), lmb_fail_memory(err);
    for (int i = 0; i < s->count; i++) in[s->nodes[i]] = true;
    *count = 0;
    for (int i = 0; i < f->stress_places; i++)
        if (in[f->stress_node[i]]) (*places)[(*count)++] = i;
    lmb_free(in);
    return LMB_OK;
}

static const char *set_candidate(void *user, int i) {
    const lmb_flex *const *f = user;
    return i < (*f)->set_count ? (*f)->sets[i].name : NULL;
}

static lmb_status probe_set(lmb_probe *p, lmb_build *b, const char *set_name, const lmb_node *n,
                            lmb_error *err) {
    int **places = lmb_arena_get(b->arena, (size_t)p->body_count, sizeof *places);
    int *counts = lmb_arena_get(b->arena, (size_t)p->body_count, sizeof *counts), total = 0;
    if (places == NULL || counts == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < p->body_count; i++) {
        const lmb_body *body = &b->m->bodies[p->body + i];
        const lmb_flex *f = body->ops->look.flex(body);
        int set = lmb_flex_find_set(f, set_name);
        if (set < 0) {
            const char *near = lmb_nearest(set_name, set_candidate, &f);
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "set"),
                            "sensor '%s': body '%s' has no set '%s'%s%s%s", n->key, body->name, set_name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        lmb_status st = set_places(&places[i], &counts[i], b, f, &f->sets[set], err);
        if (st != LMB_OK) return st;
        total += counts[i];
    }
    if (total == 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "set"),
            "sensor '%s': no node of set '%s' has stress data; use a set with nodes of the elements", n->key,
            set_name);
    p->places = (const int *const *)places, p->place_count = counts;
    return LMB_OK;
}

// the body `of` with its other parts
static lmb_status make_probe(lmb_probe *p, lmb_build *b, const largest_read *r, const lmb_node *n,
                             lmb_error *err) {
    const char *of = r->common.of;
    int body = lmb_names_index(&b->bodies, of);
    if (body < 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
            "sensor '%s': unknown body '%s'; name a flexible body (for a single point use `type: stress`)",
            n->key, of);
    lmb_status st = lmb_sensor_check_stress(b, of, n, body, err);
    if (st != LMB_OK) return st;
    *p = (lmb_probe){.body = body, .body_count = 1};
    bool row = b->m->bodies[body].part == 0;
    while (row && body + p->body_count < b->m->body_count && b->m->bodies[body + p->body_count].part > 0)
        p->body_count++;
    return r->set ? probe_set(p, b, r->set, n, err) : LMB_OK;
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops places = {.value = place}, values = {.value = value};
    static const char *const names[] = {"mises", "node", "x", "y", "z"};
    static const char *const units[] = {"Pa", "", "m", "m", "m"};
    lmb_probe *p = lmb_arena_get(b->arena, 1, sizeof *p);
    if (p == NULL) return lmb_fail_memory(err);
    lmb_status st = make_probe(p, b, read, n, err);
    lmb_channel c = {.ops = &places, .unit = "", .constants = p, .hidden = true};
    if (st == LMB_OK) st = lmb_build_channel(b, n->key, "place", &c, err);
    c = (lmb_channel){.ops = &values, .constants = p, .index = b->program->channel_count - 1};
    for (int k = 0; k < LMB_COUNT(names) && st == LMB_OK; k++) {
        c.component = k, c.unit = units[k], c.strained = k == 0 ? p->body + 1 : 0;
        st = lmb_build_channel(b, n->key, names[k], &c, err);
    }
    return st;
}

// clang-format off
const lmb_sensor_kind lmb_sensor_largest_stress = {
    .doc = {"largest_stress", "Largest von Mises stress of a flexible body, Pa, with the node number and its undeformed position in body axes, m.", keys},
    .read_size = sizeof(largest_read), .add = add, .after_forces = true,
};
// clang-format on
