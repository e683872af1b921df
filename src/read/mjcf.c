// read/mjcf.c: robots in MJCF, the format of MuJoCo (https://mujoco.readthedocs.io/en/stable/XMLreference.html).
//
// A body has any number of joints, each with its axis and its point p in the axes of the body; after joint i its frame is
//
//     F_i = F_(i-1) [p] T(q - ref) [p]^-1,   F_0 = F_parent [pos, quat]
//
// so that all F_i agree where q = ref.  Each joint is one of the robot, with q as its coordinate; what is between two joints of a body
// is a link of its own (`inner`).
#include "read/mjcf.h"

#include <math.h>
#include <string.h>

static const double DEFAULT_GRAVITY = -9.81;

// ---- names -------------------------------------------------------------------------------------

const char *lmb_mjcf_name(lmb_mjcf *m, const lmb_xml_element *e, const char *what) {
    const char *name = lmb_xml_text(e, "name");
    if (name && *name) return name;
    name = lmb_arena_printf(m->b->r->s->arena, "%s_%d", what, ++m->unnamed);
    return name ? name : what;
}

static lmb_status keep_name(lmb_mjcf *m, lmb_names *names, const lmb_xml_element *e, const char *name,
                            void *value) {
    void **slot = lmb_names_slot(names, name);
    if (slot == NULL) return lmb_fail_memory(m->b->r->err);
    if (*slot) return lmb_robot_fail(m->b, e->where, "there are two <%s> called '%s'", e->name, name);
    *slot = value;
    return LMB_OK;
}

typedef struct name_list {
    const lmb_names *names;
    size_t at;
} name_list;

static const char *next_name(void *user, int i) {
    name_list *l = user;
    if (i == 0) l->at = 0;
    while (l->at < l->names->capacity && l->names->slots[l->at].name == NULL) l->at++;
    return l->at < l->names->capacity ? l->names->slots[l->at++].name : NULL;
}

lmb_status lmb_mjcf_find(int *out, const lmb_mjcf *m, const lmb_names *names, const lmb_xml_element *e,
                         const char *attribute) {
    const char *name = lmb_xml_text(e, attribute);
    name_list list = {names, 0};
    if (name == NULL)
        return lmb_robot_fail(m->b, e->where, "<%s> has no attribute '%s'; add it", e->name, attribute);
    const int *found = lmb_names_get(names, name);
    if (found) return *out = *found, LMB_OK;
    const char *near = lmb_nearest(name, next_name, &list);
    return lmb_robot_fail(m->b, e->where, "<%s>: there is no %.30s '%s'%s%s%s", e->name, attribute, name,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static lmb_status keep_index(lmb_mjcf *m, lmb_names *names, const lmb_xml_element *e, const char *name,
                             int index) {
    int *value = lmb_arena_get(m->b->r->scratch, 1, sizeof *value);
    if (value == NULL) return lmb_fail_memory(m->b->r->err);
    *value = index;
    return keep_name(m, names, e, name, value);
}

// ---- <compiler>, <option> ----------------------------------------------------------------------

static lmb_status choice(int *out, const lmb_mjcf *m, const lmb_xml_element *e, const char *attribute,
                         const char *const *choices) {
    const char *text = lmb_xml_text(e, attribute);
    if (text == NULL) return LMB_OK;
    for (int i = 0; choices[i]; i++)
        if (strcmp(text, choices[i]) == 0) return *out = i, LMB_OK;
    return lmb_robot_fail(m->b, e->where, "attribute '%s' of <%s>: unknown value \"%.60s\"", attribute,
                          e->name, text);
}

// what changes masses and is not supported
static lmb_status refuse_masses(const lmb_mjcf *m, const lmb_xml_element *e) {
    static const char *const names[] = {"boundmass", "boundinertia"};
    for (int i = 0; i < LMB_COUNT(names); i++) {
        double v = 0;
        lmb_status st = lmb_robot_numbers(&v, 1, m->b, e, names[i]);
        if (st != LMB_OK) return st;
        if (v > 0)
            return lmb_robot_fail(m->b, e->where,
                                  "%s is not supported: it changes masses; write them into the bodies",
                                  names[i]);
    }
    const char *balance = lmb_xml_text(e, "balanceinertia");
    if (balance == NULL || strcmp(balance, "true") != 0) return LMB_OK;
    return lmb_robot_fail(m->b, e->where,
                          "balanceinertia is not supported: it changes inertia; correct the bodies");
}

static lmb_status read_euler(lmb_mjcf *m, const lmb_xml_element *e) {
    const char *text = lmb_xml_text(e, "eulerseq");
    if (text == NULL) return LMB_OK;
    if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3)
        return lmb_robot_fail(m->b, e->where, "eulerseq is \"%.60s\"; expected three of x, y, z, X, Y, Z",
                              text);
    memcpy(m->euler, text, 4);
    return LMB_OK;
}

static lmb_status read_compiler(lmb_mjcf *m, const lmb_xml_element *e) {
    static const char *const angles[] = {"radian", "degree", NULL}, *const frames[] = {"local", NULL};
    static const char *const inertias[] = {"auto", "true", "false", NULL};
    int angle = m->degrees, frame = 0, inertia = (int)m->inertia;
    const char *folder = lmb_xml_text(e, "meshdir");
    if (folder == NULL) folder = lmb_xml_text(e, "assetdir");
    lmb_status st = choice(&angle, m, e, "angle", angles);
    if (st == LMB_OK) st = choice(&frame, m, e, "coordinate", frames);
    if (st == LMB_OK) st = choice(&inertia, m, e, "inertiafromgeom", inertias);
    if (st == LMB_OK) st = lmb_mjcf_flag(&m->autolimits, m, e, "autolimits");
    if (st == LMB_OK) st = lmb_robot_numbers(m->groups, 2, m->b, e, "inertiagrouprange");
    if (st == LMB_OK) st = lmb_robot_numbers(&m->total_mass, 1, m->b, e, "settotalmass");
    if (st == LMB_OK) st = read_euler(m, e);
    if (st == LMB_OK) st = refuse_masses(m, e);
    m->degrees = angle == 1, m->inertia = inertia;
    if (folder) m->mesh_folder = folder;
    return st;
}

static lmb_status read_flags(lmb_mjcf *m, const lmb_xml_element *e, bool *no_gravity) {
    static const char *const harmless[] = {
        "contact",      "energy",    "fwdinv",  "sensornoise", "multiccd",  "island",
        "filterparent", "warmstart", "refsafe", "midphase",    "eulerdamp", "autoreset",
        "override",     "clampctrl", "sensor",  "nativeccd",   "constraint"};
    struct {
        const char *name;
        bool *to;
    } known[] = {{"gravity", no_gravity},       {"passive", &m->no_springs},
                 {"limit", &m->no_limits},      {"frictionloss", &m->no_friction},
                 {"equality", &m->no_equality}, {"actuation", &m->no_motors}};
    for (int i = 0; i < e->count; i++) {
        const lmb_xml_attribute *a = &e->attributes[i];
        bool off = strcmp(a->value, "disable") == 0, found = !off && strcmp(a->name, "invdiscrete") != 0;
        for (int k = 0; k < LMB_COUNT(harmless); k++) found = found || strcmp(a->name, harmless[k]) == 0;
        for (int k = 0; k < LMB_COUNT(known); k++)
            if (strcmp(a->name, known[k].name) == 0) found = true, *known[k].to = off;
        if (strcmp(a->name, "constraint") == 0 && off) m->no_limits = m->no_friction = m->no_equality = true;
        if (!found)
            return lmb_robot_fail(m->b, e->where, "<flag %s=\"%.30s\"> is not supported; remove it", a->name,
                                  a->value);
    }
    return LMB_OK;
}

// fluids push on bodies
static lmb_status read_option(lmb_mjcf *m, const lmb_xml_element *e) {
    static const char *const fluids[] = {"density", "viscosity"};
    double g[3] = {m->b->gravity.x, m->b->gravity.y, m->b->gravity.z};
    bool no_gravity = false;
    const lmb_xml_element *flags = lmb_xml_find(e, "flag");
    lmb_status st = lmb_robot_numbers(g, 3, m->b, e, "gravity");
    if (st == LMB_OK && flags) st = read_flags(m, flags, &no_gravity);
    m->b->gravity = no_gravity ? V3_ZERO : v3_load(g);
    for (int i = 0; i < LMB_COUNT(fluids) && st == LMB_OK; i++) {
        double v = 0;
        st = lmb_robot_numbers(&v, 1, m->b, e, fluids[i]);
        if (st == LMB_OK && v != 0)
            st = lmb_robot_remark(m->b, e->where, "%s of <option>: limber has no forces of a fluid",
                                  fluids[i]);
    }
    return st;
}

// ---- joints ------------------------------------------------------------------------------------

static lmb_status read_kind(lmb_robot_joint *j, const lmb_mjcf *m, const lmb_xml_element *e) {
    static const struct {
        const char *name;
        lmb_robot_kind kind;
    } kinds[] = {{"hinge", LMB_ROBOT_REVOLUTE},
                 {"slide", LMB_ROBOT_PRISMATIC},
                 {"ball", LMB_ROBOT_SPHERICAL},
                 {"free", LMB_ROBOT_FLOATING}};
    const char *type = "free";
    lmb_status st = LMB_OK;
    if (strcmp(e->name, "joint") == 0) st = lmb_mjcf_text(&type, m, e, "type");
    if (st == LMB_OK && type == NULL) type = "hinge";
    for (int i = 0; i < LMB_COUNT(kinds) && st == LMB_OK; i++)
        if (strcmp(kinds[i].name, type) == 0) return j->kind = kinds[i].kind, LMB_OK;
    if (st != LMB_OK) return st;
    return lmb_robot_fail(m->b, e->where, "joint '%s' has the unknown type '%.60s'", j->name, type);
}

static lmb_status read_range(lmb_robot_joint *j, lmb_mjcf *m, const lmb_xml_element *e) {
    double range[2] = {0};
    const char *limited = NULL, *given = NULL;
    lmb_status st = lmb_mjcf_numbers(range, 2, m, e, "range");
    if (st == LMB_OK) st = lmb_mjcf_text(&limited, m, e, "limited");
    if (st == LMB_OK) st = lmb_mjcf_text(&given, m, e, "range");
    if (st != LMB_OK) return st;
    bool open = limited == NULL || strcmp(limited, "auto") == 0;
    j->limited = open ? given && m->autolimits : strcmp(limited, "true") == 0;
    if (open && given && !m->autolimits)
        return lmb_robot_fail(m->b, e->where, "joint '%s' has a range; without autolimits it needs `limited`",
                              j->name);
    if (!j->limited || m->no_limits) return j->limited = false, LMB_OK;
    if (j->kind == LMB_ROBOT_SPHERICAL || j->kind == LMB_ROBOT_FLOATING) {
        j->limited = false;
        return lmb_robot_remark(m->b, e->where, "<joint> of type ball or free: its limits are not used");
    }
    bool hinge = j->kind == LMB_ROBOT_REVOLUTE;
    j->lower = hinge ? lmb_mjcf_angle(m, range[0]) : range[0];
    j->upper = hinge ? lmb_mjcf_angle(m, range[1]) : range[1];
    if (j->lower < j->upper) return LMB_OK;
    return lmb_robot_fail(m->b, e->where, "the range of joint '%s' is %g to %g; the first must be less",
                          j->name, range[0], range[1]);
}

// damping, springs, friction, inertia of the motor
static lmb_status read_passive(lmb_robot_joint *j, lmb_mjcf *m, const lmb_xml_element *e) {
    double rest = 0, critical[2] = {0};
    bool hinge = j->kind == LMB_ROBOT_REVOLUTE, one = hinge || j->kind == LMB_ROBOT_PRISMATIC;
    lmb_status st = lmb_mjcf_numbers(&j->damping, 1, m, e, "damping");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&j->stiffness, 1, m, e, "stiffness");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&rest, 1, m, e, "springref");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&j->armature, 1, m, e, "armature");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&j->friction, 1, m, e, "frictionloss");
    if (st == LMB_OK) st = lmb_mjcf_numbers(critical, 2, m, e, "springdamper");
    if (st != LMB_OK) return st;
    j->rest = hinge ? lmb_mjcf_angle(m, rest) : rest;
    if (j->damping < 0 || j->stiffness < 0 || j->armature < 0 || j->friction < 0)
        return lmb_robot_fail(
            m->b, e->where,
            "damping, stiffness, armature and frictionloss of joint '%s' must not be negative", j->name);
    if (critical[0] > 0 || critical[1] > 0)
        return lmb_robot_fail(m->b, e->where,
                              "springdamper of joint '%s' is not supported; give stiffness and damping",
                              j->name);
    if (m->no_springs) j->damping = j->stiffness = 0;
    if (m->no_friction) j->friction = 0;
    if (!one && j->armature > 0)
        return lmb_robot_fail(m->b, e->where,
                              "joint '%s': armature is supported in hinge and slide joints; set it to 0",
                              j->name);
    if (!one && j->friction > 0)
        return lmb_robot_fail(m->b, e->where,
                              "joint '%s': frictionloss is supported in hinge and slide joints; set it to 0",
                              j->name);
    if (j->kind != LMB_ROBOT_FLOATING || j->stiffness == 0) return LMB_OK;
    return lmb_robot_fail(m->b, e->where,
                          "joint '%s': a free joint with stiffness is not supported; set it to 0", j->name);
}

// where its coordinate begins, and its frames: in the parent [p] T(-ref), in the body [p]
static lmb_status read_frames(lmb_robot_joint *j, lmb_mjcf *m, const lmb_xml_element *e) {
    double axis[3] = {0, 0, 1}, at[3] = {0}, ref = 0;
    lmb_status st = lmb_mjcf_numbers(axis, 3, m, e, "axis");
    if (st == LMB_OK) st = lmb_mjcf_numbers(at, 3, m, e, "pos");
    if (st == LMB_OK) st = lmb_mjcf_numbers(&ref, 1, m, e, "ref");
    if (st != LMB_OK || j->kind == LMB_ROBOT_FLOATING) return st;
    j->axis = j->kind == LMB_ROBOT_SPHERICAL ? v3_axis(2) : v3_load(axis);
    if (!v3_has_direction(j->axis))
        return lmb_robot_fail(m->b, e->where, "the axis of joint '%s' is zero; give its direction", j->name);
    j->axis = v3_unit(j->axis), j->seat.r = v3_load(at);
    pose back = {V3_ZERO, q_matrix(Q_ID)};
    if (j->kind == LMB_ROBOT_REVOLUTE) {
        ref = lmb_mjcf_angle(m, ref);
        back.R = q_matrix(q_exp(v3_scale(-ref, j->axis)));
    } else if (j->kind == LMB_ROBOT_PRISMATIC) back.r = v3_scale(-ref, j->axis);
    j->start = j->home = j->kind == LMB_ROBOT_SPHERICAL ? 0 : ref;
    j->origin = pose_mul(j->origin, pose_mul(j->seat, back));
    return LMB_OK;
}

static lmb_robot_joint *add_joint(lmb_mjcf *m, lmb_where where, int parent, int child) {
    lmb_robot_joint *j = &m->b->joints[m->b->joint_count++];
    const pose here = {V3_ZERO, q_matrix(Q_ID)};
    *j = (lmb_robot_joint){.where = where,
                           .parent = parent,
                           .child = child,
                           .origin = here,
                           .seat = here,
                           .leader = -1,
                           .turn = Q_ID};
    return j;
}

static lmb_status read_joint(lmb_mjcf *m, const lmb_xml_element *e, const char *body, lmb_robot_joint *j) {
    j->name = lmb_xml_text(e, "name");
    if (j->name == NULL) j->name = lmb_arena_printf(m->b->r->s->arena, "%s_joint", body);
    if (j->name == NULL) return lmb_fail_memory(m->b->r->err);
    lmb_status st = read_kind(j, m, e);
    if (st == LMB_OK && lmb_xml_text(e, "name"))
        st = keep_index(m, &m->joints, e, j->name, (int)(j - m->b->joints));
    if (st == LMB_OK) st = read_frames(j, m, e);
    if (st == LMB_OK) st = read_range(j, m, e);
    return st == LMB_OK ? read_passive(j, m, e) : st;
}

// ---- bodies ------------------------------------------------------------------------------------

static lmb_robot_link *add_link(lmb_mjcf *m, lmb_where where, const char *name) {
    lmb_robot_link *l = &m->b->links[m->b->link_count++];
    *l = (lmb_robot_link){.name = name, .where = where, .inertia_where = where, .inner = -1};
    return l;
}

// <inertial>
static lmb_status read_inertial(lmb_mjcf *m, lmb_robot_link *l, const lmb_xml_element *e) {
    double d[3] = {0}, f[6] = {0};
    const char *full = lmb_xml_text(e, "fullinertia");
    pose at;
    lmb_status st = lmb_mjcf_pose(&at, NULL, m, e);
    if (st == LMB_OK) st = lmb_robot_numbers(&l->mass, 1, m->b, e, "mass");
    if (st == LMB_OK) st = lmb_robot_numbers(d, 3, m->b, e, "diaginertia");
    if (st == LMB_OK) st = lmb_robot_numbers(f, 6, m->b, e, "fullinertia");
    if (st != LMB_OK) return st;
    if (lmb_xml_text(e, "mass") == NULL || l->mass < 0)
        return lmb_robot_fail(m->b, e->where, "<inertial> of body '%s' needs a mass that is not negative",
                              l->name);
    mat3 I = full ? (mat3){{{f[0], f[3], f[4]}, {f[3], f[1], f[5]}, {f[4], f[5], f[2]}}}
                  : m3_diag(d[0], d[1], d[2]);
    l->com = at.r, l->inertia = m3_mul(m3_mul(at.R, I), m3_t(at.R)), l->inertia_where = e->where;
    return LMB_OK;
}

static lmb_status read_site(lmb_mjcf *m, const lmb_xml_element *e, int link) {
    double half;
    lmb_robot_mark *s = lmb_arena_get(m->b->r->scratch, 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(m->b->r->err);
    *s = (lmb_robot_mark){.name = lmb_xml_text(e, "name"), .where = e->where, .link = link};
    lmb_status st = lmb_mjcf_pose(&s->at, &half, m, e);
    if (st != LMB_OK || s->name == NULL) return st;
    lmb_robot_mark **last = m->last_mark ? &m->last_mark->next : &m->b->marks;
    *last = m->last_mark = s;
    return keep_name(m, &m->marks, e, s->name, s);
}

static lmb_status check_body(lmb_mjcf *m, const lmb_xml_element *body) {
    static const char *const known[] = {"inertial", "joint",  "freejoint", "geom", "site",
                                        "body",     "camera", "light",     NULL};
    static const char *const changing[] = {"gravcomp", NULL};
    for (const lmb_xml_element *e = body->first; e; e = e->next) {
        const char *const *k = known;
        while (*k && strcmp(*k, e->name) != 0) k++;
        if (*k == NULL)
            return lmb_robot_fail(m->b, e->where,
                                  "<%s> in <%s> is not supported; if MuJoCo reads the model, save it from "
                                  "there (mj_saveLastXML), which writes plain bodies",
                                  e->name, body->name);
    }
    for (int i = 0; changing[i]; i++) {
        double v = 0;
        lmb_status st = lmb_robot_numbers(&v, 1, m->b, body, changing[i]);
        if (st == LMB_OK && v != 0)
            st = lmb_robot_fail(m->b, body->where, "%s of <body> is not supported; remove it", changing[i]);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

static const lmb_xml_element *next_joint(const lmb_xml_element *e) {
    while (e && strcmp(e->name, "joint") != 0 && strcmp(e->name, "freejoint") != 0) e = e->next;
    return e;
}

// the links between the joints, and the joints; *link: the body itself
static lmb_status read_joints(int *link, lmb_mjcf *m, const lmb_xml_element *body, const char *name,
                              int parent) {
    lmb_robot *b = m->b;
    pose at;
    lmb_status st = lmb_mjcf_pose(&at, NULL, m, body);
    int count = 0, before = parent;
    for (const lmb_xml_element *e = next_joint(body->first); e; e = next_joint(e->next)) count++;
    *link = b->link_count + (count > 1 ? count - 1 : 0);
    const lmb_xml_element *e = next_joint(body->first);
    for (int i = 0; (i < count || i == 0) && st == LMB_OK; i++, e = e ? next_joint(e->next) : NULL) {
        bool last = i >= count - 1;
        const char *own = last ? name : lmb_arena_printf(b->r->s->arena, "%s_part%d", name, i + 1);
        if (own == NULL) return lmb_fail_memory(b->r->err);
        lmb_robot_link *l = add_link(m, body->where, own);
        if (!last) l->inner = *link;
        m->home[l - b->links] = pose_mul(m->home[parent], at);
        lmb_robot_joint *j = add_joint(m, e ? e->where : body->where, before, (int)(l - b->links));
        if (i == 0) j->origin = at;
        before = j->child, j->name = name;
        if (e) st = read_joint(m, e, name, j);
        if (st == LMB_OK && j->kind == LMB_ROBOT_FLOATING && (count > 1 || parent != 0))
            return lmb_robot_fail(b, e->where, "a free joint is the only one of a body in <worldbody>");
    }
    return st;
}

static lmb_status read_contents(lmb_mjcf *m, const lmb_xml_element *e, int link);

static lmb_status read_body(lmb_mjcf *m, const lmb_xml_element *e, int parent) {
    const char *name = lmb_mjcf_name(m, e, "body");
    const lmb_xml_element *inertial = lmb_xml_find(e, "inertial");
    int link = 0;
    lmb_status st = read_joints(&link, m, e, name, parent);
    if (st == LMB_OK) st = keep_index(m, &m->links, e, name, link);
    lmb_robot_link *l = &m->b->links[link];
    if (st == LMB_OK && inertial && m->inertia != MJCF_INERTIA_GEOMS) st = read_inertial(m, l, inertial);
    return st == LMB_OK ? read_contents(m, e, link) : st;
}

static lmb_status read_contents(lmb_mjcf *m, const lmb_xml_element *body, int link) {
    lmb_status st = check_body(m, body);
    if (st == LMB_OK) st = lmb_mjcf_geoms(m, &m->b->links[link], body);
    for (const lmb_xml_element *e = body->first; e && st == LMB_OK; e = e->next) {
        if (strcmp(e->name, "site") == 0) st = read_site(m, e, link);
        if (strcmp(e->name, "body") == 0) st = read_body(m, e, link);
    }
    return st;
}

// ---- the whole ---------------------------------------------------------------------------------

static void count_elements(int *bodies, int *joints, const lmb_xml_element *e) {
    for (const lmb_xml_element *c = e->first; c; c = c->next) {
        *bodies += strcmp(c->name, "body") == 0;
        *joints += strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0;
        count_elements(bodies, joints, c);
    }
}

static lmb_status read_tree(lmb_mjcf *m) {
    lmb_robot *b = m->b;
    int bodies = 0, joints = 0;
    const lmb_xml_element *world = lmb_xml_find(m->root, "worldbody"), *e;
    for (e = world; e; e = lmb_xml_again(e->next, "worldbody")) count_elements(&bodies, &joints, e);
    if (bodies > LMB_ROBOT_MOST || joints > LMB_ROBOT_MOST)
        return lmb_robot_fail(b, world->where, "the robot has more than %d bodies or joints", LMB_ROBOT_MOST);
    if (bodies == 0) return lmb_robot_fail(b, m->root->where, "there is no <body> in <worldbody>");
    size_t most = (size_t)bodies + (size_t)joints + 1;
    b->links = lmb_arena_get(b->r->s->arena, most, sizeof *b->links);
    b->joints = lmb_arena_get(b->r->s->arena, most, sizeof *b->joints);
    m->home = lmb_arena_get(b->r->scratch, most, sizeof *m->home);
    if (b->links == NULL || b->joints == NULL || m->home == NULL) return lmb_fail_memory(b->r->err);
    add_link(m, world->where, "world");
    m->home[0] = (pose){V3_ZERO, q_matrix(Q_ID)};
    lmb_status st = keep_index(m, &m->links, world, "world", 0);
    for (e = world; e && st == LMB_OK; e = lmb_xml_again(e->next, "worldbody")) st = read_contents(m, e, 0);
    return st;
}

// all bodies together have the mass of settotalmass
static void scale_masses(lmb_mjcf *m) {
    double sum = 0;
    for (int i = 1; i < m->b->link_count; i++) sum += m->b->links[i].mass;
    for (int i = 1; i < m->b->link_count && m->total_mass > 0 && sum > 0; i++) {
        lmb_robot_link *l = &m->b->links[i];
        l->mass *= m->total_mass / sum, l->inertia = m3_scale(m->total_mass / sum, l->inertia);
    }
}

static lmb_status read_sections(lmb_mjcf *m) {
    static const char *const known[] = {"compiler", "option",   "size",     "visual",    "statistic",
                                        "default",  "custom",   "asset",    "worldbody", "equality",
                                        "tendon",   "actuator", "keyframe", "contact",   NULL};
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *e = m->root->first; e && st == LMB_OK; e = e->next) {
        const char *const *k = known;
        while (*k && strcmp(*k, e->name) != 0) k++;
        if (strcmp(e->name, "deformable") == 0 || strcmp(e->name, "extension") == 0)
            st = lmb_robot_fail(m->b, e->where, "<%s> is not supported; remove it", e->name);
        else if (*k == NULL) st = lmb_robot_remark(m->b, e->where, "<%s> is not used", e->name);
        else if (strcmp(e->name, "compiler") == 0) st = read_compiler(m, e);
        else if (strcmp(e->name, "option") == 0) st = read_option(m, e);
    }
    return st;
}

// assets by their names: an asset of a file is called by it
static lmb_status read_assets(lmb_mjcf *m) {
    for (const lmb_xml_element *a = lmb_xml_find(m->root, "asset"); a; a = lmb_xml_again(a->next, "asset"))
        for (const lmb_xml_element *e = a->first; e; e = e->next) {
            const char *name = lmb_xml_text(e, "name"), *file = lmb_xml_text(e, "file");
            bool mesh = strcmp(e->name, "mesh") == 0;
            if (!mesh && strcmp(e->name, "material") != 0) continue;
            if (name == NULL && file) {
                const char *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file;
                name = lmb_arena_printf(m->b->r->scratch, "%.*s", (int)strcspn(stem, "."), stem);
            }
            if (name == NULL) continue;
            lmb_status st = keep_name(m, mesh ? &m->meshes : &m->materials, e, name, (void *)e);
            if (st != LMB_OK) return st;
        }
    return LMB_OK;
}

lmb_status lmb_mjcf_read(lmb_robot *b, const lmb_xml_element *root, const lmb_node *how) {
    lmb_arena *arena = b->r->scratch;
    lmb_mjcf m = {.b = b,
                  .root = root,
                  .degrees = true,
                  .autolimits = true,
                  .groups = {0, 5},
                  .euler = "xyz",
                  .classes = {.arena = arena},
                  .links = {.arena = arena},
                  .joints = {.arena = arena},
                  .marks = {.arena = arena},
                  .meshes = {.arena = arena},
                  .materials = {.arena = arena}};
    b->grounded = true, b->name = lmb_xml_text(root, "model"), b->gravity = v3(0, 0, DEFAULT_GRAVITY);
    lmb_status st = lmb_mjcf_include(&m, (lmb_xml_element *)root);
    if (st == LMB_OK) st = read_sections(&m);
    if (st == LMB_OK) st = lmb_mjcf_read_classes(&m);
    if (st == LMB_OK) st = read_assets(&m);
    if (st == LMB_OK) st = read_tree(&m);
    if (st == LMB_OK) scale_masses(&m);
    if (st == LMB_OK && !m.no_equality) st = lmb_mjcf_equalities(&m);
    if (st == LMB_OK) st = lmb_mjcf_tendons(&m);
    if (st == LMB_OK && !m.no_motors) st = lmb_mjcf_actuators(&m);
    return st == LMB_OK ? lmb_mjcf_keyframe(&m, how) : st;
}
