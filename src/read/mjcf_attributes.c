// read/mjcf_attributes.c: included files, classes of defaults, orientations.
//
// An attribute that an element does not have comes from its class: `class`, else the `childclass` of the nearest body around it, else
// the class main; a class has what its parent has.
#include "read/mjcf.h"

#include "os/bytes.h"
#include "os/files.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const double DEGREE = 0.017453292519943295;

// ---- included files ----------------------------------------------------------------------------

static lmb_status load_included(lmb_xml_element **out, lmb_mjcf *m, const lmb_xml_element *e) {
    lmb_robot *b = m->b;
    const char *name = lmb_xml_text(e, "file"), *slash = strrchr(b->file, '/');
    lmb_text bytes = {0};
    if (name == NULL || !lmb_path_is_inside(name))
        return lmb_robot_fail(b, e->where,
                              "<include> needs a `file` in the folder of the model or in those below it");
    if (++m->include_count > MJCF_INCLUDES)
        return lmb_robot_fail(b, e->where, "more than %d files are included", MJCF_INCLUDES);
    const char *path =
        slash ? lmb_arena_printf(b->r->s->arena, "%.*s/%s", (int)(slash - b->file), b->file, name)
              : lmb_arena_strdup(b->r->s->arena, name);
    if (path == NULL) return lmb_fail_memory(b->r->err);
    lmb_status st = lmb_file_load(&bytes, path, e->where, b->r->err);
    if (st == LMB_OK) st = lmb_xml_parse(out, b->r->scratch, bytes.text, bytes.length, path, b->r->err);
    lmb_text_free(&bytes);
    return st;
}

// the children of the included root take the place of e
static lmb_status splice(lmb_mjcf *m, lmb_xml_element *parent, lmb_xml_element *before, lmb_xml_element *e) {
    lmb_xml_element *root = NULL;
    lmb_status st = load_included(&root, m, e);
    if (st != LMB_OK) return st;
    for (lmb_xml_element *c = root->first; c; c = c->next) c->parent = parent;
    lmb_xml_element *first = root->first ? root->first : e->next;
    if (root->last) root->last->next = e->next;
    if (parent->last == e) parent->last = root->last ? root->last : before;
    if (before) before->next = first;
    else parent->first = first;
    return LMB_OK;
}

lmb_status lmb_mjcf_include(lmb_mjcf *m, lmb_xml_element *e) {
    lmb_status st = LMB_OK;
    for (lmb_xml_element *c = e->first, *before = NULL; c && st == LMB_OK;) {
        if (strcmp(c->name, "include") != 0) {
            st = lmb_mjcf_include(m, c);
            before = c, c = c->next;
        } else {
            st = splice(m, e, before, c);
            c = before ? before->next : e->first; // included files may include others
        }
    }
    return st;
}

// ---- classes -----------------------------------------------------------------------------------

static lmb_status add_class(lmb_mjcf *m, const lmb_xml_element *e, lmb_mjcf_class *parent) {
    const char *name = lmb_xml_text(e, "class");
    if (name == NULL && parent)
        return lmb_robot_fail(m->b, e->where, "<default> in <default> has no attribute 'class'; add it");
    if (++m->class_count > MJCF_CLASSES)
        return lmb_robot_fail(m->b, e->where, "there are more than %d classes", MJCF_CLASSES);
    lmb_mjcf_class *c = lmb_arena_get(m->b->r->scratch, 1, sizeof *c);
    void **slot = lmb_names_slot(&m->classes, parent ? name : "main");
    if (c == NULL || slot == NULL) return lmb_fail_memory(m->b->r->err);
    *c = (lmb_mjcf_class){.name = parent ? name : "main", .e = e, .parent = parent, .before = *slot};
    *slot = c;
    if (!parent && name && (slot = lmb_names_slot(&m->classes, name)) != NULL) *slot = c;
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *k = lmb_xml_find(e, "default"); k && st == LMB_OK;
         k = lmb_xml_again(k->next, "default"))
        st = add_class(m, k, c);
    return st;
}

lmb_status lmb_mjcf_read_classes(lmb_mjcf *m) {
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *e = lmb_xml_find(m->root, "default"); e && st == LMB_OK;
         e = lmb_xml_again(e->next, "default"))
        st = add_class(m, e, NULL);
    return st;
}

// *out NULL: no defaults
static lmb_status find_class(const lmb_mjcf_class **out, const lmb_mjcf *m, const lmb_xml_element *e) {
    const char *name = lmb_xml_text(e, "class");
    for (const lmb_xml_element *p = e->parent; p && name == NULL; p = p->parent)
        name = lmb_xml_text(p, "childclass");
    *out = lmb_names_get(&m->classes, name ? name : "main");
    if (*out || name == NULL || strcmp(name, "main") == 0) return LMB_OK;
    return lmb_robot_fail(m->b, e->where, "<%s>: there is no class '%s'", e->name, name);
}

static const char *text_of_class(const lmb_mjcf_class *c, const char *element, const char *attribute) {
    const char *text = NULL;
    for (; c && text == NULL; c = c->before)
        for (const lmb_xml_element *e = lmb_xml_find(c->e, element); e; e = lmb_xml_again(e->next, element))
            if (lmb_xml_text(e, attribute)) text = lmb_xml_text(e, attribute);
    return text;
}

lmb_status lmb_mjcf_text_like(const char **out, const lmb_mjcf *m, const lmb_xml_element *e,
                              const char *const *like, const char *attribute) {
    const lmb_mjcf_class *c = NULL;
    *out = lmb_xml_text(e, attribute);
    if (*out || strcmp(e->name, "freejoint") == 0) return LMB_OK;
    lmb_status st = find_class(&c, m, e);
    for (; c && *out == NULL; c = c->parent)
        for (const char *const *k = like; *k && *out == NULL; k++) *out = text_of_class(c, *k, attribute);
    return st;
}

static bool has_any(const lmb_xml_element *e, const char *const *names) {
    for (; *names; names++)
        if (lmb_xml_text(e, *names)) return true;
    return false;
}

// MuJoCo keeps one set of values for all elements of the list, which each element of a class overwrites in turn
lmb_status lmb_mjcf_refuse_mixed(const lmb_mjcf *m, const lmb_xml_element *e, const char *const *like,
                                 const char *const *attributes) {
    const lmb_mjcf_class *c = NULL;
    bool own = false, other = false, mixed = false;
    lmb_status st = find_class(&c, m, e);
    for (; c; c = c->parent)
        for (const lmb_mjcf_class *k = c; k; k = k->before)
            for (const lmb_xml_element *d = k->e->first; d; d = d->next) {
                const char *const *name = like;
                while (*name && strcmp(*name, d->name) != 0) name++;
                bool same = strcmp(d->name, e->name) == 0, has = has_any(d, attributes);
                own = own || (same && has), other = other || (*name && !same);
                mixed = mixed || (*name && !same && has);
            }
    if (st != LMB_OK || !(mixed || (own && other))) return st;
    return lmb_robot_fail(
        m->b, e->where,
        "the classes of this <%s> have defaults of other actuators, too, which overwrite each "
        "other; write its values into the element",
        e->name);
}

lmb_status lmb_mjcf_text(const char **out, const lmb_mjcf *m, const lmb_xml_element *e,
                         const char *attribute) {
    const char *const like[] = {e->name, NULL};
    return lmb_mjcf_text_like(out, m, e, like, attribute);
}

// ---- values ------------------------------------------------------------------------------------

static lmb_status read_list(double *out, int *count, int least, const lmb_mjcf *m, const lmb_xml_element *e,
                            const char *attribute) {
    const char *text;
    lmb_status st = lmb_mjcf_text(&text, m, e, attribute);
    const lmb_robot_value v = {e, attribute, text};
    if (st != LMB_OK || text == NULL) return *count = 0, st;
    return lmb_robot_list(out, count, least, m->b, &v);
}

lmb_status lmb_mjcf_numbers(double *out, int count, const lmb_mjcf *m, const lmb_xml_element *e,
                            const char *attribute) {
    return read_list(out, &count, count, m, e, attribute);
}

lmb_status lmb_mjcf_list(double *out, int *count, const lmb_mjcf *m, const lmb_xml_element *e,
                         const char *attribute) {
    return read_list(out, count, 1, m, e, attribute);
}

lmb_status lmb_mjcf_flag(bool *out, const lmb_mjcf *m, const lmb_xml_element *e, const char *attribute) {
    const char *text;
    lmb_status st = lmb_mjcf_text(&text, m, e, attribute);
    if (st != LMB_OK || text == NULL) return st;
    bool yes = strcmp(text, "true") == 0;
    if (yes || strcmp(text, "false") == 0) return *out = yes, LMB_OK;
    return lmb_robot_fail(m->b, e->where, "attribute '%s' of <%s> is \"%.60s\"; expected true or false",
                          attribute, e->name, text);
}

double lmb_mjcf_angle(const lmb_mjcf *m, double angle) { return m->degrees ? DEGREE * angle : angle; }

// ---- orientations ------------------------------------------------------------------------------

// lower case: about the axes turned so far; upper case: about the fixed ones
static mat3 from_euler(const lmb_mjcf *m, const double *v) {
    mat3 R = q_matrix(Q_ID);
    for (int i = 0; i < 3; i++) {
        int axis = tolower((unsigned char)m->euler[i]) - 'x';
        mat3 A = q_matrix(q_exp(v3_scale(lmb_mjcf_angle(m, v[i]), v3_axis(axis))));
        R = islower((unsigned char)m->euler[i]) ? m3_mul(R, A) : m3_mul(A, R);
    }
    return R;
}

// the shortest turn from z to v
static mat3 from_z(vec3 v) {
    vec3 axis = v3_cross(v3_axis(2), v);
    double s = v3_norm(axis);
    axis = s < 1e-10 * v3_norm(v) ? v3_axis(0) : v3_scale(1 / s, axis);
    return q_matrix(q_exp(v3_scale(atan2(s, v.z), axis)));
}

// false: no direction
static bool turn_of(mat3 *R, int which, const lmb_mjcf *m, const double *v) {
    quat q = q_load(v);
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    vec3 x = v3_load(v), y = v3_load(v + 3);
    y = v3_madd(y, -v3_dot(x, y) / v3_dot(x, x), x);
    switch (which) {
    case 0: return *R = q_matrix(q_unit(q)), n > 1e-10 && isfinite(n);
    case 1: *R = q_matrix(q_exp(v3_scale(lmb_mjcf_angle(m, v[3]) / v3_norm(x), x))); break;
    case 2: return *R = from_euler(m, v), true;
    case 3:
        if (!v3_has_direction(x) || !v3_has_direction(y)) return false;
        x = v3_unit(x), y = v3_unit(y);
        return *R = m3_columns(x, y, v3_cross(x, y)), true;
    default: *R = from_z(x);
    }
    return v3_has_direction(x);
}

static lmb_status read_turn(mat3 *R, const lmb_mjcf *m, const lmb_xml_element *e) {
    static const char *const names[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    static const int counts[] = {4, 4, 3, 6, 3};
    const char *text, *first = NULL;
    *R = q_matrix(Q_ID);
    for (int i = 0; i < LMB_COUNT(names); i++) {
        double v[6] = {0};
        lmb_status st = lmb_mjcf_text(&text, m, e, names[i]);
        if (st == LMB_OK && text == NULL) continue;
        if (st == LMB_OK && first)
            return lmb_robot_fail(m->b, e->where, "<%s> has both '%s' and '%s'; remove one", e->name, first,
                                  names[i]);
        first = names[i];
        if (st == LMB_OK) st = lmb_mjcf_numbers(v, counts[i], m, e, names[i]);
        if (st != LMB_OK) return st;
        if (!turn_of(R, i, m, v))
            return lmb_robot_fail(m->b, e->where, "attribute '%s' of <%s> gives no direction: \"%.60s\"",
                                  names[i], e->name, text);
    }
    return LMB_OK;
}

lmb_status lmb_mjcf_pose(pose *out, double *half, const lmb_mjcf *m, const lmb_xml_element *e) {
    double v[6] = {0};
    const char *text = NULL;
    lmb_status st = lmb_mjcf_numbers(v, 3, m, e, "pos");
    out->r = v3_load(v);
    if (st == LMB_OK) st = read_turn(&out->R, m, e);
    if (st == LMB_OK && half) st = lmb_mjcf_text(&text, m, e, "fromto");
    if (st != LMB_OK || text == NULL) return st;
    st = lmb_mjcf_numbers(v, 6, m, e, "fromto");
    vec3 a = v3_load(v), b = v3_load(v + 3), d = v3_sub(a, b);
    if (st == LMB_OK && !v3_has_direction(d))
        return lmb_robot_fail(m->b, e->where, "fromto of <%s> has no length", e->name);
    *half = v3_norm(d) / 2, out->r = v3_scale(0.5, v3_add(a, b)), out->R = from_z(d);
    return st;
}
