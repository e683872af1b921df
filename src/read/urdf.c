// read/urdf.c: robots in URDF (http://wiki.ros.org/urdf/XML): a tree of links and joints, SI units.
#include "read/robot.h"
#include "read/triangles.h"

#include <string.h>

// ---- attributes --------------------------------------------------------------------------------

static lmb_status need(const char **out, const lmb_robot *b, const lmb_xml_element *e,
                       const char *attribute) {
    *out = lmb_xml_text(e, attribute);
    if (*out && **out) return LMB_OK;
    return lmb_robot_fail(b, e->where, "<%s> has no attribute '%s'; add it", e->name, attribute);
}

static lmb_status read_number(double *out, const lmb_robot *b, const lmb_xml_element *e,
                              const char *attribute) {
    return e ? lmb_robot_numbers(out, 1, b, e, attribute) : LMB_OK;
}

// <origin xyz= rpy=> of e; the identity if it is not there
static lmb_status read_origin(pose *out, const lmb_robot *b, const lmb_xml_element *e) {
    double xyz[3] = {0}, rpy[3] = {0};
    const lmb_xml_element *origin = lmb_xml_find(e, "origin");
    lmb_status st = origin ? lmb_robot_numbers(xyz, 3, b, origin, "xyz") : LMB_OK;
    if (st == LMB_OK && origin) st = lmb_robot_numbers(rpy, 3, b, origin, "rpy");
    *out = (pose){v3_load(xyz), lmb_robot_rpy(v3_load(rpy))};
    return st;
}

// elements that are not understood
static lmb_status note_others(lmb_robot *b, const lmb_xml_element *e, const char *const *known) {
    lmb_status st = LMB_OK;
    for (const lmb_xml_element *c = e->first; c && st == LMB_OK; c = c->next) {
        const char *const *k = known;
        while (*k && strcmp(*k, c->name) != 0) k++;
        if (*k == NULL) st = lmb_robot_remark(b, c->where, "<%s> in <%s> is not used", c->name, e->name);
    }
    return st;
}

// ---- links -------------------------------------------------------------------------------------

// I = R I_given R'
static lmb_status read_inertial(lmb_robot_link *l, const lmb_robot *b, const lmb_xml_element *link) {
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const lmb_xml_element *e = lmb_xml_find(link, "inertial"), *I = lmb_xml_find(e, "inertia");
    const lmb_xml_element *mass = lmb_xml_find(e, "mass");
    double v[6] = {0};
    pose at;
    if (e == NULL) return LMB_OK;
    lmb_status st = read_origin(&at, b, e);
    if (st == LMB_OK) st = read_number(&l->mass, b, mass, "value");
    for (int i = 0; i < 6 && st == LMB_OK; i++) st = read_number(&v[i], b, I, names[i]);
    if (st != LMB_OK) return st;
    if (l->mass < 0)
        return lmb_robot_fail(b, mass->where, "the mass of link '%s' is negative: %g", l->name, l->mass);
    if (!(l->mass > 0) && (v[0] != 0 || v[1] != 0 || v[2] != 0))
        return lmb_robot_fail(b, e->where, "link '%s' has inertia but no mass; add <mass value=\"...\"/>",
                              l->name);
    mat3 given = {{{v[0], v[3], v[4]}, {v[3], v[1], v[5]}, {v[4], v[5], v[2]}}};
    l->com = at.r;
    l->inertia = m3_mul(m3_mul(at.R, given), m3_t(at.R));
    l->inertia_where = I ? I->where : e->where;
    return LMB_OK;
}

// ---- meshes ------------------------------------------------------------------------------------

// a box of the size of the mesh
static lmb_status read_mesh(lmb_robot_shape *s, lmb_robot *b, const lmb_xml_element *e) {
    const char *name;
    double scale[3] = {1, 1, 1};
    lmb_status st = need(&name, b, e, "filename");
    if (st == LMB_OK) st = lmb_robot_numbers(scale, 3, b, e, "scale");
    if (st != LMB_OK) return st;
    lmb_robot_file file;
    lmb_triangles t;
    bool found = lmb_robot_load(&file, b, NULL, name);
    if (file.path == NULL)
        return lmb_robot_remark(b, e->where, "<mesh> is not drawn, for its file is not there: %.200s", name);
    bool read = found && lmb_triangles_read(&t, file.bytes.text, file.bytes.length, v3_load(scale));
    lmb_text_free(&file.bytes);
    if (!read)
        return lmb_robot_remark(
            b, e->where, "<mesh> is not drawn, for its file is not STL or OBJ, or too large: %.200s", name);
    lmb_robot_box(s, &t);
    return lmb_robot_remark(b, e->where, "<mesh> is drawn as a box of its size");
}

static lmb_status read_geometry(lmb_robot_link *l, lmb_robot *b, const lmb_xml_element *visual) {
    const lmb_xml_element *geometry = lmb_xml_find(visual, "geometry"),
                          *e = geometry ? geometry->first : NULL;
    lmb_robot_shape s = {0};
    if (e == NULL) return LMB_OK;
    lmb_status st = read_origin(&s.at, b, visual);
    if (st == LMB_OK && strcmp(e->name, "box") == 0) {
        s.kind = "box", s.count = 3;
        st = lmb_robot_numbers(s.size, 3, b, e, "size");
    } else if (st == LMB_OK && strcmp(e->name, "sphere") == 0) {
        s.kind = "sphere", s.count = 1;
        st = read_number(s.size, b, e, "radius");
    } else if (st == LMB_OK && strcmp(e->name, "cylinder") == 0) {
        s.kind = "cylinder", s.count = 2;
        st = read_number(&s.size[0], b, e, "radius");
        if (st == LMB_OK) st = read_number(&s.size[1], b, e, "length");
    } else if (st == LMB_OK && strcmp(e->name, "mesh") == 0) {
        st = read_mesh(&s, b, e);
        if (s.kind == NULL) return st;
    } else if (st == LMB_OK) {
        return lmb_robot_remark(b, e->where, "<%s> in <geometry> is not drawn; box, cylinder and sphere are",
                                e->name);
    }
    if (st != LMB_OK) return st;
    for (int i = 0; i < s.count; i++)
        if (!(s.size[i] > 0))
            return lmb_robot_remark(b, e->where, "<%s> without positive sizes is not drawn", e->name);
    return lmb_robot_add_shape(b, l, &s);
}

// <material><color rgba="r g b a"/>, or the material of the robot with that name
static lmb_status read_color(lmb_robot_link *l, lmb_robot *b, const lmb_xml_element *visual) {
    const lmb_xml_element *material = lmb_xml_find(visual, "material"),
                          *color = lmb_xml_find(material, "color");
    const char *name = lmb_xml_text(material, "name"), *other;
    const lmb_xml_element *robot = visual->parent->parent, *m = lmb_xml_find(robot, "material");
    for (; name && color == NULL && m; m = lmb_xml_again(m->next, "material"))
        if ((other = lmb_xml_text(m, "name")) && strcmp(name, other) == 0) color = lmb_xml_find(m, "color");
    double rgba[4] = {0};
    if (color == NULL || lmb_xml_text(color, "rgba") == NULL || l->color) return LMB_OK;
    lmb_status st = lmb_robot_numbers(rgba, 4, b, color, "rgba");
    return st == LMB_OK ? lmb_robot_color(b, l, rgba) : st;
}

static lmb_status read_link(lmb_robot *b, const lmb_xml_element *e) {
    static const char *const known[] = {"inertial", "visual", "collision", NULL};
    lmb_robot_link *l = &b->links[b->link_count];
    *l = (lmb_robot_link){.inner = -1, .where = e->where, .inertia_where = e->where};
    lmb_status st = need(&l->name, b, e, "name");
    if (st != LMB_OK) return st;
    int other = lmb_robot_link_find(b, l->name);
    if (other >= 0)
        return lmb_robot_fail(b, e->where, "link '%s' is already defined in line %d; rename one of them",
                              l->name, b->links[other].where.line);
    b->link_count++;
    st = read_inertial(l, b, e);
    for (const lmb_xml_element *v = lmb_xml_find(e, "visual"); v && st == LMB_OK;
         v = lmb_xml_again(v->next, "visual")) {
        st = read_geometry(l, b, v);
        if (st == LMB_OK) st = read_color(l, b, v);
    }
    return st == LMB_OK ? note_others(b, e, known) : st;
}

// ---- joints ------------------------------------------------------------------------------------

static const struct {
    const char *name;
    lmb_robot_kind kind;
    bool limited;
} types[] = {{"fixed", LMB_ROBOT_FIXED, false},         {"revolute", LMB_ROBOT_REVOLUTE, true},
             {"continuous", LMB_ROBOT_REVOLUTE, false}, {"prismatic", LMB_ROBOT_PRISMATIC, true},
             {"planar", LMB_ROBOT_PLANAR, false},       {"floating", LMB_ROBOT_FLOATING, false}};

static lmb_status read_type(lmb_robot_joint *j, bool *limited, const lmb_robot *b, const lmb_xml_element *e) {
    const char *type;
    lmb_status st = need(&type, b, e, "type");
    for (int i = 0; i < LMB_COUNT(types) && st == LMB_OK; i++)
        if (strcmp(types[i].name, type) == 0)
            return j->kind = types[i].kind, *limited = types[i].limited, LMB_OK;
    if (st != LMB_OK) return st;
    return lmb_robot_fail(
        b, e->where,
        "joint '%s' has the unknown type '%s'; types are revolute, continuous, prismatic, fixed, "
        "planar, floating",
        j->name, type);
}

// <parent link="..."/>
static lmb_status read_end(int *out, const lmb_robot *b, const lmb_xml_element *e, const char *which) {
    const lmb_xml_element *end = lmb_xml_find(e, which);
    const char *name;
    if (end == NULL)
        return lmb_robot_fail(b, e->where, "joint '%s' has no <%s link=\"...\"/>; add it",
                              lmb_xml_text(e, "name"), which);
    lmb_status st = need(&name, b, end, "link");
    if (st != LMB_OK) return st;
    *out = lmb_robot_link_find(b, name);
    return *out >= 0 ? LMB_OK : lmb_robot_unknown_link(b, end->where, name);
}

static lmb_status read_axis(lmb_robot_joint *j, const lmb_robot *b, const lmb_xml_element *joint) {
    const lmb_xml_element *e = lmb_xml_find(joint, "axis");
    double axis[3] = {1, 0, 0};
    lmb_status st = e ? lmb_robot_numbers(axis, 3, b, e, "xyz") : LMB_OK;
    if (st != LMB_OK) return st;
    j->axis = v3_load(axis);
    bool needed =
        j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC || j->kind == LMB_ROBOT_PLANAR;
    if (!needed) return j->axis = v3_axis(2), LMB_OK;
    if (!v3_has_direction(j->axis))
        return lmb_robot_fail(
            b, e->where, "the axis of joint '%s' is zero; give its direction, such as \"0 0 1\"", j->name);
    j->axis = v3_unit(j->axis);
    return LMB_OK;
}

static lmb_status read_limit(lmb_robot_joint *j, lmb_robot *b, const lmb_xml_element *joint) {
    const lmb_xml_element *e = lmb_xml_find(joint, "limit");
    double most[2] = {0};
    if (e == NULL)
        return lmb_robot_remark(b, joint->where, "<joint> of type %s without <limit>: it moves without stops",
                                lmb_xml_text(joint, "type"));
    lmb_status st = read_number(&j->lower, b, e, "lower");
    if (st == LMB_OK) st = read_number(&j->upper, b, e, "upper");
    if (st == LMB_OK) st = read_number(&most[0], b, e, "effort");
    if (st == LMB_OK) st = read_number(&most[1], b, e, "velocity");
    if (st != LMB_OK) return st;
    j->limited = lmb_xml_text(e, "lower") || lmb_xml_text(e, "upper");
    if (j->limited && !(j->lower < j->upper))
        return lmb_robot_fail(
            b, e->where,
            "the limits of joint '%s' are lower = %g and upper = %g; lower must be less than upper "
            "(a joint that does not move has type=\"fixed\")",
            j->name, j->lower, j->upper);
    if (!j->limited)
        st = lmb_robot_remark(b, e->where, "<limit> without lower and upper: the joint moves without stops");
    if (st != LMB_OK || (most[0] == 0 && most[1] == 0)) return st;
    return lmb_robot_remark(b, e->where,
                            "effort and velocity of <limit> are not used; they bound a motor, not the joint");
}

static lmb_status read_dynamics(lmb_robot_joint *j, lmb_robot *b, const lmb_xml_element *joint) {
    const lmb_xml_element *e = lmb_xml_find(joint, "dynamics");
    lmb_status st = read_number(&j->damping, b, e, "damping");
    if (st == LMB_OK) st = read_number(&j->friction, b, e, "friction");
    if (st != LMB_OK) return st;
    if (j->damping < 0 || j->friction < 0)
        return lmb_robot_fail(b, e->where, "damping and friction of joint '%s' must not be negative",
                              j->name);
    bool one = j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC;
    if (one || (j->damping == 0 && j->friction == 0)) return LMB_OK;
    j->damping = j->friction = 0;
    return lmb_robot_remark(b, e->where,
                            "<dynamics> is used only in revolute, continuous and prismatic joints");
}

static lmb_status read_joint(lmb_robot *b, const lmb_xml_element *e) {
    static const char *const known[] = {"origin", "parent",   "child", "axis",
                                        "limit",  "dynamics", "mimic", NULL};
    lmb_robot_joint *j = &b->joints[b->joint_count];
    bool limited = false;
    *j = (lmb_robot_joint){.where = e->where, .seat = {V3_ZERO, q_matrix(Q_ID)}, .leader = -1, .turn = Q_ID};
    lmb_status st = need(&j->name, b, e, "name");
    if (st != LMB_OK) return st;
    int other = lmb_robot_joint_find(b, j->name);
    if (other >= 0)
        return lmb_robot_fail(b, e->where, "joint '%s' is already defined in line %d; rename one of them",
                              j->name, b->joints[other].where.line);
    b->joint_count++;
    st = read_type(j, &limited, b, e);
    if (st == LMB_OK) st = read_end(&j->parent, b, e, "parent");
    if (st == LMB_OK) st = read_end(&j->child, b, e, "child");
    if (st == LMB_OK) st = read_origin(&j->origin, b, e);
    if (st == LMB_OK) st = read_axis(j, b, e);
    if (st == LMB_OK && limited && lmb_xml_find(e, "mimic") == NULL) st = read_limit(j, b, e);
    if (st == LMB_OK) st = read_dynamics(j, b, e);
    return st == LMB_OK ? note_others(b, e, known) : st;
}

// <mimic joint="..." multiplier="1" offset="0"/>, once all joints are known
static lmb_status read_mimic(lmb_robot_joint *j, const lmb_robot *b, const lmb_xml_element *joint) {
    const lmb_xml_element *e = lmb_xml_find(joint, "mimic");
    const char *name;
    if (e == NULL) return LMB_OK;
    lmb_status st = need(&name, b, e, "joint");
    j->ratio = 1;
    if (st == LMB_OK) st = read_number(&j->ratio, b, e, "multiplier");
    if (st == LMB_OK) st = read_number(&j->offset, b, e, "offset");
    if (st != LMB_OK) return st;
    j->leader = lmb_robot_joint_find(b, name);
    const lmb_robot_joint *l = j->leader >= 0 ? &b->joints[j->leader] : NULL;
    bool moves = (j->kind == LMB_ROBOT_REVOLUTE || j->kind == LMB_ROBOT_PRISMATIC) && l &&
                 (l->kind == LMB_ROBOT_REVOLUTE || l->kind == LMB_ROBOT_PRISMATIC);
    if (moves && l != j) return LMB_OK;
    return lmb_robot_fail(
        b, e->where,
        "joint '%s' mimics '%s', which must be another joint of type revolute, continuous or "
        "prismatic, as it must be itself",
        j->name, name);
}

// ---- the robot ---------------------------------------------------------------------------------

static int count(const lmb_xml_element *root, const char *name) {
    int n = 0;
    for (const lmb_xml_element *e = lmb_xml_find(root, name); e; e = lmb_xml_again(e->next, name)) n++;
    return n;
}

static lmb_status refuse_xacro(const lmb_robot *b, const lmb_xml_element *root) {
    for (const lmb_xml_element *e = root->first; e; e = e->next)
        if (strncmp(e->name, "xacro:", 6) == 0)
            return lmb_robot_fail(
                b, e->where,
                "<%s> is xacro, from which ROS makes URDF; run xacro FILE > robot.urdf and use that "
                "file",
                e->name);
    return LMB_OK;
}

lmb_status lmb_urdf_read(lmb_robot *b, const lmb_xml_element *root, const lmb_node *how) {
    static const char *const known[] = {"link", "joint", "material", NULL};
    int links = count(root, "link"), joints = count(root, "joint"), k = 0;
    const lmb_node *keyframe = how ? lmb_node_find(how, "keyframe") : NULL;
    if (keyframe)
        return lmb_robot_fail(b, keyframe->key_where, "keyframe: only robots of MuJoCo have keyframes");
    lmb_status st = refuse_xacro(b, root);
    if (st != LMB_OK) return st;
    if (links > LMB_ROBOT_MOST || joints > LMB_ROBOT_MOST)
        return lmb_robot_fail(b, root->where, "the robot has more than %d links or joints", LMB_ROBOT_MOST);
    if (links == 0) return lmb_robot_fail(b, root->where, "the robot has no <link>");
    b->name = lmb_xml_text(root, "name");
    b->links = lmb_arena_get(b->r->s->arena, (size_t)links, sizeof *b->links);
    b->joints = lmb_arena_get(b->r->s->arena, (size_t)joints + 1, sizeof *b->joints);
    if (b->links == NULL || b->joints == NULL) return lmb_fail_memory(b->r->err);
    for (const lmb_xml_element *e = lmb_xml_find(root, "link"); e && st == LMB_OK;
         e = lmb_xml_again(e->next, "link"))
        st = read_link(b, e);
    for (const lmb_xml_element *e = lmb_xml_find(root, "joint"); e && st == LMB_OK;
         e = lmb_xml_again(e->next, "joint"))
        st = read_joint(b, e);
    for (const lmb_xml_element *e = lmb_xml_find(root, "joint"); e && st == LMB_OK;
         e = lmb_xml_again(e->next, "joint"))
        st = read_mimic(&b->joints[k++], b, e);
    return st == LMB_OK ? note_others(b, root, known) : st;
}
