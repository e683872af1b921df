// read/mjcf_couple.c: what joins bodies besides their joints: equality constraints, tendons, actuators; keyframes.
//
// An actuator on a joint with the coordinate q exerts  gear clamp(gain u + b0 + b1 gear q + b2 gear q'),  u: its input.
#include "read/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is(const char *text, const char *other) { return text && strcmp(text, other) == 0; }

// one after the other in all <section>: the first of the sections, then those that follow
static const lmb_xml_element *first_of(const lmb_mjcf *m, const char *section) {
    for (const lmb_xml_element *s = lmb_xml_find(m->root, section); s; s = lmb_xml_again(s->next, section))
        if (s->first) return s->first;
    return NULL;
}

static const lmb_xml_element *next_of(const lmb_xml_element *e) {
    if (e->next) return e->next;
    const lmb_xml_element *s = e->parent;
    while ((s = lmb_xml_again(s->next, s->name)) != NULL)
        if (s->first) return s->first;
    return NULL;
}

// ---- equality ----------------------------------------------------------------------------------

static lmb_status body_of(int *out, const lmb_mjcf *m, const lmb_xml_element *e, const char *attribute) {
    if (lmb_xml_text(e, attribute)) return lmb_mjcf_find(out, m, &m->links, e, attribute);
    return *out = 0, LMB_OK; // the world
}

static lmb_status site_of(const lmb_robot_mark **out, const lmb_mjcf *m, const lmb_xml_element *e,
                          const char *attribute) {
    const char *name = lmb_xml_text(e, attribute);
    *out = name ? lmb_names_get(&m->marks, name) : NULL;
    if (*out) return LMB_OK;
    return lmb_robot_fail(m->b, e->where, "<%s>: there is no %s '%s'", e->name, attribute, name ? name : "");
}

// both frames of <connect> or <weld>; without a pose of its own, they agree where all coordinates are those of the file
static lmb_status read_ends(lmb_robot_loop *l, const lmb_mjcf *m, const lmb_xml_element *e) {
    const lmb_robot_mark *site[2];
    bool weld = l->kind == LMB_ROBOT_FIXED;
    if (lmb_xml_text(e, "site1")) {
        lmb_status st = site_of(&site[0], m, e, "site1");
        if (st == LMB_OK) st = site_of(&site[1], m, e, "site2");
        for (int i = 0; i < 2 && st == LMB_OK; i++) l->link[i] = site[i]->link, l->at[i] = site[i]->at;
        return st;
    }
    double v[7] = {0};
    lmb_status st = lmb_mjcf_find(&l->link[0], m, &m->links, e, "body1");
    if (st == LMB_OK) st = body_of(&l->link[1], m, e, "body2");
    if (st == LMB_OK) st = lmb_mjcf_numbers(v, weld ? 7 : 3, m, e, weld ? "relpose" : "anchor");
    if (st != LMB_OK) return st;
    pose rel = pose_mul(pose_inv(m->home[l->link[0]]), m->home[l->link[1]]);
    quat q = q_load(v + 3);
    l->at[0] = l->at[1] = (pose){V3_ZERO, q_matrix(Q_ID)};
    if (weld && (q.w != 0 || q.x != 0 || q.y != 0 || q.z != 0))
        l->at[0] = (pose){v3_load(v), q_matrix(q_unit(q))};
    else if (weld) l->at[0] = rel;
    else {
        pose back = pose_inv(rel);
        l->at[0].r = v3_load(v), l->at[1].r = pose_point(&back, l->at[0].r);
    }
    return LMB_OK;
}

static lmb_status add_loop(lmb_mjcf *m, const lmb_xml_element *e) {
    lmb_robot_loop *l = lmb_arena_get(m->b->r->scratch, 1, sizeof *l), **last = &m->b->loops;
    if (l == NULL) return lmb_fail_memory(m->b->r->err);
    *l = (lmb_robot_loop){.where = e->where,
                          .kind = is(e->name, "weld") ? LMB_ROBOT_FIXED : LMB_ROBOT_SPHERICAL};
    l->name = lmb_mjcf_name(m, e, e->name);
    lmb_status st = read_ends(l, m, e);
    while (*last) last = &(*last)->next;
    *last = l;
    return st;
}

// q1 - ref1 = a0 + a1 (q2 - ref2) + ..
static lmb_status add_mimic(lmb_mjcf *m, const lmb_xml_element *e) {
    double a[5] = {0, 1, 0, 0, 0};
    int first = 0, second = -1;
    lmb_robot *b = m->b;
    lmb_status st = lmb_mjcf_numbers(a, 5, m, e, "polycoef");
    if (st == LMB_OK) st = lmb_mjcf_find(&first, m, &m->joints, e, "joint1");
    if (st == LMB_OK && lmb_xml_text(e, "joint2")) st = lmb_mjcf_find(&second, m, &m->joints, e, "joint2");
    if (st != LMB_OK) return st;
    lmb_robot_joint *j = &b->joints[first], *other = second >= 0 ? &b->joints[second] : NULL;
    bool one = j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC;
    one = one && (!other || other->kind == LMB_ROBOT_REVOLUTE || other->kind == LMB_ROBOT_PRISMATIC);
    if (!one || j == other)
        return lmb_robot_fail(b, e->where, "<joint> of <equality> needs two joints of type hinge or slide");
    if (other && (a[2] != 0 || a[3] != 0 || a[4] != 0))
        return lmb_robot_fail(b, e->where,
                              "polycoef of <joint>: only the first two may differ from 0 (a constant ratio)");
    if (j->leader >= 0 || j->held)
        return lmb_robot_fail(b, e->where, "two <joint> of <equality> give joint '%s'", j->name);
    j->offset = j->start + a[0];
    if (other) j->leader = second, j->ratio = a[1], j->offset -= a[1] * other->start;
    else j->held = true, j->limited = false;
    return LMB_OK;
}

lmb_status lmb_mjcf_equalities(lmb_mjcf *m) {
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *e = first_of(m, "equality"); e && st == LMB_OK; e = next_of(e)) {
        bool active = true;
        st = lmb_mjcf_flag(&active, m, e, "active");
        if (st != LMB_OK) break;
        if (!active)
            st = lmb_robot_remark(m->b, e->where, "<%s> of <equality> that is not active is left out",
                                  e->name);
        else if (is(e->name, "connect") || is(e->name, "weld")) st = add_loop(m, e);
        else if (is(e->name, "joint")) st = add_mimic(m, e);
        else
            st = lmb_robot_fail(m->b, e->where,
                                "<%s> of <equality> is not supported; connect, weld and joint are", e->name);
        if (st == LMB_OK && active)
            st = lmb_robot_remark(
                m->b, e->where, "<equality>: solref and solimp are not used; limber's constraints are rigid");
    }
    return st;
}

// ---- tendons -----------------------------------------------------------------------------------

// the two sites of a straight one; false: it is not
static bool straight(const lmb_robot_mark **mark, const lmb_mjcf *m, const lmb_xml_element *e) {
    int count = 0;
    for (const lmb_xml_element *c = e->first; c; c = c->next, count++) {
        const char *site = lmb_xml_text(c, "site");
        if (!is(e->name, "spatial") || !is(c->name, "site") || count == 2 || site == NULL) return false;
        if ((mark[count] = lmb_names_get(&m->marks, site)) == NULL) return false;
    }
    return count == 2;
}

static lmb_status read_tendon(lmb_mjcf *m, const lmb_xml_element *e) {
    lmb_robot_tendon t = {.name = lmb_mjcf_name(m, e, "tendon"), .where = e->where, .rest = {-1, -1}};
    double loss = 0;
    int count = 2;
    const char *range = NULL;
    lmb_status st = lmb_mjcf_numbers(&t.stiffness, 1, m, e, "stiffness");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&t.damping, 1, m, e, "damping");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&loss, 1, m, e, "frictionloss");
    if (st == LMB_OK) st = lmb_mjcf_list(t.rest, &count, m, e, "springlength");
    if (st == LMB_OK) st = lmb_mjcf_text(&range, m, e, "range");
    if (st == LMB_OK && (range || loss != 0))
        st = lmb_robot_remark(m->b, e->where, "range and frictionloss of tendon '%s' are not used", t.name);
    if (st != LMB_OK || m->no_springs || (t.stiffness == 0 && t.damping == 0)) return st;
    if (!straight(t.mark, m, e) || t.stiffness < 0 || t.damping < 0)
        return lmb_robot_fail(m->b, e->where,
                              "tendon '%s' has stiffness or damping; that is supported where it is straight "
                              "between two sites",
                              t.name);
    if (count < 2) t.rest[1] = t.rest[0];
    pose p = pose_mul(m->home[t.mark[0]->link], t.mark[0]->at),
         q = pose_mul(m->home[t.mark[1]->link], t.mark[1]->at);
    if (t.rest[0] < 0) t.rest[0] = t.rest[1] = v3_norm(v3_sub(p.r, q.r));
    lmb_robot_tendon *copy = lmb_arena_get(m->b->r->scratch, 1, sizeof *copy);
    if (copy == NULL) return lmb_fail_memory(m->b->r->err);
    *copy = t, copy->next = m->b->tendons, m->b->tendons = copy;
    return LMB_OK;
}

lmb_status lmb_mjcf_tendons(lmb_mjcf *m) {
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *e = first_of(m, "tendon"); e && st == LMB_OK; e = next_of(e))
        st = read_tendon(m, e);
    return st;
}

// ---- actuators ---------------------------------------------------------------------------------

typedef struct motor {
    const lmb_xml_element *e;
    double gear, gain, bias[3], force[2]; // force: bounds
    bool bounded;
} motor;

// classes give actuators what any of these elements has
static const char *const actuators[] = {"general", "motor", "position", "velocity", NULL};

static lmb_status numbers(double *out, int *count, const lmb_mjcf *m, const lmb_xml_element *e,
                          const char *attribute) {
    const char *text;
    lmb_status st = lmb_mjcf_text_like(&text, m, e, actuators, attribute);
    const lmb_robot_value v = {e, attribute, text};
    if (st != LMB_OK || text == NULL) return *count = 0, st;
    return lmb_robot_list(out, count, 1, m->b, &v);
}

static lmb_status number(double *out, const lmb_mjcf *m, const lmb_xml_element *e, const char *attribute) {
    int count = 1;
    return numbers(out, &count, m, e, attribute);
}

// a range that holds, unless `limited` says otherwise
static lmb_status range(bool *has, double *out, const lmb_mjcf *m, const lmb_xml_element *e,
                        const char *names[2]) {
    const char *limited;
    int count = 2;
    lmb_status st = lmb_mjcf_text_like(&limited, m, e, actuators, names[1]);
    if (st == LMB_OK) st = numbers(out, &count, m, e, names[0]);
    *has = count == 2 && (limited == NULL || is(limited, "auto") ? m->autolimits : is(limited, "true"));
    if (st == LMB_OK && *has && !(out[0] < out[1]))
        st = lmb_robot_fail(m->b, e->where, "%s of <%s>: the first must be less than the second", names[0],
                            e->name);
    return st;
}

// gain and bias; *known false: of another kind
static lmb_status read_law(motor *a, bool *known, const lmb_mjcf *m) {
    const lmb_xml_element *e = a->e;
    const char *dynamics = NULL, *gain = NULL, *bias = NULL;
    double kp = 1, kv = is(e->name, "velocity") ? 1 : 0, prm[10] = {1}, other = 0;
    int count = 10;
    *known = true, a->gain = 1;
    lmb_status st = LMB_OK;
    if (is(e->name, "position") || is(e->name, "velocity")) {
        st = number(&kp, m, e, "kp");
        if (st == LMB_OK) st = number(&kv, m, e, "kv");
        if (st == LMB_OK) st = number(&other, m, e, is(e->name, "position") ? "dampratio" : "timeconst");
        bool position = is(e->name, "position");
        a->gain = position ? kp : kv, a->bias[1] = position ? -kp : 0, a->bias[2] = -kv;
        *known = other == 0 && lmb_xml_text(e, "timeconst") == NULL;
    } else if (is(e->name, "general")) {
        st = lmb_mjcf_text(&dynamics, m, e, "dyntype");
        if (st == LMB_OK) st = lmb_mjcf_text(&gain, m, e, "gaintype");
        if (st == LMB_OK) st = lmb_mjcf_text(&bias, m, e, "biastype");
        if (st == LMB_OK) st = numbers(prm, &count, m, e, "gainprm");
        a->gain = prm[0], count = 10;
        *known = (!dynamics || is(dynamics, "none")) && (!gain || is(gain, "fixed")) &&
                 (!bias || is(bias, "none") || is(bias, "affine"));
        memset(prm, 0, sizeof prm);
        if (st == LMB_OK && is(bias, "affine")) st = numbers(prm, &count, m, e, "biasprm");
        memcpy(a->bias, prm, sizeof a->bias);
    } else *known = is(e->name, "motor");
    return st;
}

// - gear clamp(..) added to the force of the joint, which opposes q
static lmb_status add_force(lmb_mjcf *m, lmb_robot_joint *j, const motor *a, const char *u) {
    lmb_arena *arena = m->b->r->s->arena;
    double g = a->gear;
    const char *f = lmb_arena_printf(arena, "%s*%s", lmb_robot_print(a->gain).text, u);
    if (f && a->bias[0] != 0) f = lmb_arena_printf(arena, "%s + %s", f, lmb_robot_print(a->bias[0]).text);
    if (f && a->bias[1] != 0)
        f = lmb_arena_printf(arena, "%s + %s*value", f, lmb_robot_print(g * a->bias[1]).text);
    if (f && a->bias[2] != 0)
        f = lmb_arena_printf(arena, "%s + %s*rate", f, lmb_robot_print(g * a->bias[2]).text);
    if (f && a->bounded)
        f = lmb_arena_printf(arena, "clamp(%s, %s, %s)", f, lmb_robot_print(a->force[0]).text,
                             lmb_robot_print(a->force[1]).text);
    if (f)
        f = lmb_arena_printf(arena, "%s%s%s*(%s)", j->force ? j->force : "", j->force ? " + " : "",
                             lmb_robot_print(-g).text, f);
    j->force = f;
    return f ? LMB_OK : lmb_fail_memory(m->b->r->err);
}

// name, cleaned, not that of another input
static lmb_status name_input(lmb_mjcf *m, lmb_robot_input *u, const lmb_xml_element *e) {
    const char *name = lmb_mjcf_name(m, e, "actuator");
    char *own = lmb_arena_strdup(m->b->r->s->arena, name);
    if (own == NULL) return lmb_fail_memory(m->b->r->err);
    for (char *c = own; *c; c++)
        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c) == NULL) *c = '_';
    u->own = lmb_arena_printf(m->b->r->s->arena, "u_%.80s", own);
    void **slot = u->own ? lmb_names_slot(&m->b->input_names, u->own) : NULL;
    if (slot == NULL) return lmb_fail_memory(m->b->r->err);
    if (*slot) return lmb_robot_fail(m->b, e->where, "there are two actuators called '%s'", name);
    *slot = u;
    return LMB_OK;
}

static lmb_status read_actuator(lmb_robot_input **out, lmb_mjcf *m, const lmb_xml_element *e) {
    static const char *const none = "an actuator that is not read: it exerts no force here";
    static const char *const law[] = {"kp",      "kv",       "dampratio", "timeconst", "gainprm",
                                      "biasprm", "gaintype", "biastype",  "dyntype",   NULL};
    motor a = {.e = e, .gear = 1};
    double gear[6] = {1};
    int count = 6, joint = -1;
    bool known = false;
    lmb_status st = lmb_xml_text(e, "joint") ? lmb_mjcf_find(&joint, m, &m->joints, e, "joint") : LMB_OK;
    if (st == LMB_OK && !is(e->name, "motor")) st = lmb_mjcf_refuse_mixed(m, e, actuators, law);
    if (st == LMB_OK) st = read_law(&a, &known, m);
    if (st == LMB_OK) st = numbers(gear, &count, m, e, "gear");
    if (st == LMB_OK) st = range(&a.bounded, a.force, m, e, (const char *[2]){"forcerange", "forcelimited"});
    lmb_robot_joint *j = joint >= 0 ? &m->b->joints[joint] : NULL;
    known = known && j && (j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC);
    if (st == LMB_OK && !known)
        return lmb_robot_remark(m->b, e->where, "<%s> '%s' is %s", e->name, lmb_mjcf_name(m, e, "actuator"),
                                none);
    if (st != LMB_OK) return st;
    lmb_robot_input *u = lmb_arena_get(m->b->r->scratch, 1, sizeof *u);
    if (u == NULL) return lmb_fail_memory(m->b->r->err);
    double bounds[2] = {0};
    *u = (lmb_robot_input){.where = e->where}, a.gear = gear[0];
    st = range(&u->limited, bounds, m, e, (const char *[2]){"ctrlrange", "ctrllimited"});
    u->lower = bounds[0], u->upper = bounds[1];
    if (u->limited) u->start = fmin(fmax(0, u->lower), u->upper);
    if (st == LMB_OK) st = name_input(m, u, e);
    if (st == LMB_OK && ++j->motors > MJCF_MOTORS)
        st = lmb_robot_fail(m->b, e->where, "more than %d actuators drive joint '%s'", MJCF_MOTORS, j->name);
    *out = u;
    return st == LMB_OK ? add_force(m, j, &a, u->own) : st;
}

lmb_status lmb_mjcf_actuators(lmb_mjcf *m) {
    int count = 0, i = 0;
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *e = first_of(m, "actuator"); e; e = next_of(e)) count++;
    m->motors = lmb_arena_get(m->b->r->scratch, (size_t)count + 1, sizeof *m->motors);
    if (m->motors == NULL) return lmb_fail_memory(m->b->r->err);
    lmb_robot_input **last = &m->b->inputs;
    for (const lmb_xml_element *e = first_of(m, "actuator"); e && st == LMB_OK; e = next_of(e), i++) {
        m->motors[i] = NULL;
        st = read_actuator(&m->motors[i], m, e);
        if (m->motors[i]) *last = m->motors[i], last = &m->motors[i]->next;
    }
    m->motor_count = count;
    return st;
}

// ---- keyframes ---------------------------------------------------------------------------------

static const int coordinates[] = {
    [LMB_ROBOT_REVOLUTE] = 1, [LMB_ROBOT_PRISMATIC] = 1, [LMB_ROBOT_SPHERICAL] = 4, [LMB_ROBOT_FLOATING] = 7};
static const int rates[] = {
    [LMB_ROBOT_REVOLUTE] = 1, [LMB_ROBOT_PRISMATIC] = 1, [LMB_ROBOT_SPHERICAL] = 3, [LMB_ROBOT_FLOATING] = 6};

// exactly count numbers, or none: *v NULL
static lmb_status read_state(double **v, int count, const lmb_mjcf *m, const lmb_xml_element *e,
                             const char *attribute) {
    *v = NULL;
    if (lmb_xml_text(e, attribute) == NULL) return LMB_OK;
    *v = lmb_arena_doubles(m->b->r->scratch, count + 1);
    if (*v == NULL) return lmb_fail_memory(m->b->r->err);
    return lmb_robot_numbers(*v, count, m->b, e, attribute);
}

static lmb_status place_joint(lmb_robot_joint *j, const lmb_mjcf *m, const double *q) {
    if (j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC)
        return j->start = *q, j->placed = true, LMB_OK;
    quat turn = q_load(j->kind == LMB_ROBOT_FLOATING ? q + 3 : q);
    double n = turn.w * turn.w + turn.x * turn.x + turn.y * turn.y + turn.z * turn.z;
    if (!(n > 1e-20) || !isfinite(n))
        return lmb_robot_fail(m->b, j->where, "the keyframe gives joint '%s' no orientation", j->name);
    j->turn = q_unit(turn);
    if (j->kind == LMB_ROBOT_FLOATING) j->origin = (pose){v3_load(q), q_matrix(j->turn)};
    return LMB_OK;
}

static void move_joint(lmb_robot_joint *j, const double *v) {
    if (j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC) j->rate = *v;
    if (j->kind == LMB_ROBOT_SPHERICAL) j->w = v3_load(v);
    if (j->kind == LMB_ROBOT_FLOATING) j->v = v3_load(v), j->w = v3_load(v + 3);
}

static lmb_status apply_keyframe(lmb_mjcf *m, const lmb_xml_element *key) {
    lmb_robot *b = m->b;
    int nq = 0, nv = 0;
    double *q, *v, *u;
    for (int i = 0; i < b->joint_count; i++)
        nq += coordinates[b->joints[i].kind], nv += rates[b->joints[i].kind];
    lmb_status st = read_state(&q, nq, m, key, "qpos");
    if (st == LMB_OK) st = read_state(&v, nv, m, key, "qvel");
    if (st == LMB_OK) st = read_state(&u, m->motor_count, m, key, "ctrl");
    if (st != LMB_OK) return st;
    for (int i = 0; i < b->joint_count && st == LMB_OK; i++) {
        lmb_robot_joint *j = &b->joints[i];
        if (q && coordinates[j->kind]) st = place_joint(j, m, q), q += coordinates[j->kind];
        if (v && rates[j->kind]) move_joint(j, v), v += rates[j->kind];
    }
    for (int i = 0; u && i < m->motor_count; i++) {
        lmb_robot_input *x = m->motors[i];
        if (x) x->start = x->limited ? fmin(fmax(u[i], x->lower), x->upper) : u[i];
    }
    return st;
}

lmb_status lmb_mjcf_keyframe(lmb_mjcf *m, const lmb_node *how) {
    const lmb_node *n = how ? lmb_node_find(how, "keyframe") : NULL;
    const lmb_xml_element *key = NULL;
    if (n && n->kind != LMB_NODE_SCALAR)
        return lmb_robot_fail(m->b, n->where, "keyframe: expected the name of a keyframe, or none");
    for (const lmb_xml_element *e = first_of(m, "keyframe"); e && !key; e = next_of(e))
        if (is(e->name, "key") && (n == NULL || is(lmb_xml_text(e, "name"), n->text))) key = e;
    if (n && key == NULL && !is(n->text, "none"))
        return lmb_robot_fail(m->b, n->where, "the robot has no keyframe '%s'", n->text);
    if (key == NULL) return LMB_OK;
    const char *name = lmb_xml_text(key, "name");
    lmb_status st = apply_keyframe(m, key);
    if (st != LMB_OK) return st;
    return lmb_robot_remark(m->b, key->where,
                            "it starts in keyframe '%s'; `keyframe: none` in an entry of "
                            "`assemblies` takes the positions of the bodies",
                            name ? name : "0");
}
