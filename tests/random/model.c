// tests/random/model.c: random valid models as text: joints, forces, events.
#include "maker.h"

#include <stdio.h>
#include <string.h>

// ---- joints ----------------------------------------------------------------------------------------

typedef struct coordinate {
    const char *name;
    bool angle;
} coordinate;

static const struct joint_kind {
    const char *name, *keys;
    coordinate coordinates[3];
    bool planar; // allowed between bodies of a planar model
    bool driven; // its coordinates are all it leaves free
} joint_kinds[] = {
    {"revolute", "", {{"angle", true}}, true, true},
    {"spherical", "", {{0}}, false, false},
    {"universal", "", {{"angle1", true}, {"angle2", true}}, false, true},
    {"cylindrical", "", {{"angle", true}, {"position", false}}, false, true},
    {"translational", "", {{"position", false}}, false, true},
    {"fixed", "", {{0}}, true, true},
    {"planar", "", {{"x", false}, {"y", false}, {"angle", true}}, true, true},
    {"point_on_line", "", {{"position", false}}, false, false},
    {"screw", "", {{"angle", true}}, false, true},
    {"generic", ", locked: [x, y, z, rx, ry]", {{"rz", true}}, true, true},
    {"generic", ", locked: [x, y, rx]", {{"z", false}}, false, false},
    {"generic", ", locked: [y, z, rx, ry, rz]", {{"x", false}}, true, true},
    {"generic", ", locked: [x, y, z, rz]", {{0}}, false, false},
};

static const struct joint_kind *choose_joint(maker *k) {
    if (dice_chance(&k->d, k->planar ? 0.6 : 0.3)) return &joint_kinds[0];
    for (;;) {
        const struct joint_kind *j = &joint_kinds[dice_below(&k->d, LMB_COUNT(joint_kinds))];
        if ((j->planar || !k->planar) && (j->driven || !k->out->driven)) return j;
    }
}

// stiffness, damping of the model's size for a coordinate, in its units
static double stiffness(maker *k, bool angle, double factor) {
    double x = factor * k->M / (k->T * k->T) * (angle ? k->L * k->L : 1);
    return written(k, x, 1, angle ? 2 : 0, -2);
}
static double damping(maker *k, bool angle, double factor) {
    double x = factor * k->M / k->T * (angle ? k->L * k->L : 1);
    return written(k, x, 1, angle ? 2 : 0, -1);
}
static double amount(maker *k, bool angle, double factor) {
    return angle ? factor : length_of(k, factor * k->L);
}

static void add_spring(maker *k, coordinate c) {
    dice *d = &k->d;
    lmb_text_add(&k->joint_text, ", spring: {%s: {stiffness: %.17g", c.name,
                 stiffness(k, c.angle, dice_log(d, 0.3, 100)));
    if (dice_chance(d, 0.5))
        lmb_text_add(&k->joint_text, ", damping: %.17g", damping(k, c.angle, dice_log(d, 0.01, 3)));
    if (dice_chance(d, 0.3))
        lmb_text_add(&k->joint_text, ", at: %.17g", amount(k, c.angle, dice_in(d, -0.5, 0.5)));
    if (dice_chance(d, 0.2))
        lmb_text_add(&k->joint_text, ", force: \"%.17g*value^3\"",
                     stiffness(k, c.angle, 1) / pow(amount(k, c.angle, 1), 2));
    lmb_text_add(&k->joint_text, "}}");
}

static void write_motion(maker *k, dice *d, coordinate c) {
    double A = amount(k, c.angle, dice_in(d, 0.05, 0.4)), w = dice_in(d, 0.3, 4) / k->T * k->time;
    static const char *const forms[] = {"%.17g*sin(%.17g*t)", "%.17g*(1 - cos(%.17g*t))",
                                        "%.17g*smoothstep(%.17g*t, 0, 3)"};
    char text[120];
    snprintf(text, sizeof text, forms[dice_below(d, LMB_COUNT(forms))], A, w);
    lmb_text_add(&k->joint_text, "%s: \"%s\"", c.name, text);
}

static void add_motion(maker *k, coordinate c) {
    lmb_text_add(&k->joint_text, ", motion: {");
    write_motion(k, &k->d, c);
    lmb_text_add(&k->joint_text, "}");
    k->out->steady = false;
}

// all that a joint leaves free
static void add_motions(maker *k, const struct joint_kind *j, int count) {
    lmb_text_add(&k->joint_text, ", motion: {");
    for (int i = 0; i < count; i++) {
        lmb_text_add(&k->joint_text, "%s", i ? ", " : "");
        write_motion(k, &k->late, j->coordinates[i]);
    }
    lmb_text_add(&k->joint_text, "}");
    k->out->steady = false;
}

static void add_limits(maker *k, coordinate c) {
    dice *d = &k->d;
    lmb_text_add(&k->joint_text, ", limits: {%s: {min: %.17g, max: %.17g, stiffness: %.17g, depth: %.17g",
                 c.name, amount(k, c.angle, -dice_in(d, 0.1, 0.6)), amount(k, c.angle, dice_in(d, 0.1, 0.6)),
                 stiffness(k, c.angle, dice_log(d, 100, 1e4)), amount(k, c.angle, 0.01));
    if (dice_chance(d, 0.7))
        lmb_text_add(&k->joint_text, ", damping: %.17g", damping(k, c.angle, dice_log(d, 0.1, 10)));
    lmb_text_add(&k->joint_text, "}}");
    k->out->rough = true;
}

static void add_friction(maker *k, coordinate c) {
    dice *d = &k->d;
    double rate = c.angle ? 0.1 / k->T * k->time : written(k, 0.1 * k->L / k->T, 0, 1, -1),
           mu = dice_in(d, 0.05, 0.2);
    lmb_text_add(&k->joint_text,
                 ", friction: {%s: {coefficient: %.3g, static: %.3g, presliding: %.17g, speed: %.17g", c.name,
                 mu, mu * dice_in(d, 1, 1.5), amount(k, c.angle, 1e-2), rate);
    if (c.angle) lmb_text_add(&k->joint_text, ", radius: %.17g", length_of(k, 0.03 * k->L));
    if (dice_chance(d, 0.4))
        lmb_text_add(&k->joint_text, ", preload: %.17g", written(k, k->M * k->L / (k->T * k->T), 1, 1, -2));
    lmb_text_add(&k->joint_text, "}}");
    k->out->rough = k->out->states = true;
}

static void add_extras(maker *k, const struct joint_kind *j, bool loop) {
    dice *d = &k->d;
    int n = 0;
    while (n < 3 && j->coordinates[n].name) n++;
    if (n == 0) return;
    if (k->out->driven) {
        if (!k->crank || k->joint_count == 1) add_motions(k, j, n);
        return;
    }
    coordinate c = j->coordinates[dice_below(d, n)];
    if (dice_chance(d, 0.3)) add_spring(k, c);
    if (dice_chance(d, 0.06)) add_limits(k, c);
    if (dice_chance(d, 0.06)) add_friction(k, c);
    if (loop || (!k->tree && dice_chance(d, 0.97))) return; // contradictions are rare
    if (dice_chance(d, 0.1)) add_motion(k, c);
    else if (dice_chance(d, 0.2))
        lmb_text_add(&k->joint_text, ", start: {%s_rate: %.17g}", c.name,
                     amount(k, c.angle, dice_in(d, -2, 2)) / k->T * k->time);
}

static void add_joint(maker *k, int a, int b, vec3 p, const struct joint_kind *j, bool loop) {
    char first[24], second[24];
    vec3 z = axis(k);
    int n = k->joint_count++;
    marker_at(first, k, a, p);
    marker_at(second, k, b, p);
    sprintf(k->joints[n].name, "j%d", n);
    k->joints[n].kind = j->name;
    k->joints[n].a = a, k->joints[n].b = b, k->joints[n].p = p, k->joints[n].axis = z;
    lmb_text_add(&k->joint_text, "  j%d: {type: %s, between: [%s, %s]%s", n, j->name, first, second, j->keys);
    add_vector(&k->joint_text, "axis", z);
    if (strcmp(j->name, "screw") == 0)
        lmb_text_add(&k->joint_text, ", pitch: %.17g", length_of(k, dice_in(&k->d, 0.1, 1) * k->L));
    add_extras(k, j, loop);
    lmb_text_add(&k->joint_text, "}\n");
}

static void add_distance(maker *k, int a, int b) {
    char first[24], second[24];
    vec3 p = some_point(k, a), q = some_point(k, b);
    if (v3_norm(v3_sub(p, q)) < 0.1 * k->L) return;
    marker_at(first, k, a, p);
    marker_at(second, k, b, q);
    k->joints[k->joint_count].kind = "distance";
    lmb_text_add(&k->joint_text, "  j%d: {type: distance, between: [%s, %s]}\n", k->joint_count++, first,
                 second);
}

// ---- trees and loops --------------------------------------------------------------------------------

static void add_link(maker *k, int parent) {
    vec3 p = some_point(k, parent);
    int b = k->body_count;
    make_body(k, p);
    if (dice_chance(&k->d, 0.07) && !k->out->driven) return; // it flies free
    add_joint(k, parent, b, p, choose_joint(k), false);
}

// joins two bodies that hang together already
static void add_loop(maker *k) {
    int a = dice_below(&k->d, k->body_count + 1) - 1, b = dice_below(&k->d, k->body_count);
    if (a == b || k->joint_count >= JOINTS) return;
    k->out->loops = true;
    if (dice_chance(&k->d, 0.3) || (!is_free(k, a) && !is_free(k, b))) {
        add_distance(k, a, b);
        return;
    }
    vec3 p = some_point(k, is_free(k, a) ? b : a);
    add_joint(k, a, b, p, k->planar ? &joint_kinds[0] : choose_joint(k), true);
}

// two turning joints that roll on each other
static void add_gear(maker *k) {
    int found[2], n = 0;
    for (int i = 0; i < k->joint_count && n < 2; i++)
        if (strcmp(k->joints[i].kind, "revolute") == 0) found[n++] = i;
    if (n < 2 || k->joint_count >= JOINTS) return;
    double ratio = dice_in(&k->d, -2, 2);
    lmb_text_add(&k->joint_text, "  j%d: {type: gear, joints: [j%d, j%d], ratio: %.3g}\n", k->joint_count,
                 found[0], found[1], ratio);
    lmb_text_add(&k->gear_text, "  geared: \"j%d.angle - (%.3g)*j%d.angle\"\n", found[1], ratio, found[0]);
    k->out->geared = true;
    k->joints[k->joint_count++].kind = "gear";
}

// ---- forces -----------------------------------------------------------------------------------------

static void add_point_spring(maker *k) {
    dice *d = &k->d;
    char first[24], second[24];
    int a = dice_below(d, k->body_count + 1) - 1, b = dice_below(d, k->body_count);
    vec3 p = some_point(k, a), q = some_point(k, b);
    double far = v3_norm(v3_sub(p, q));
    if (a == b || far < 0.2 * k->L) return;
    marker_at(first, k, a, p);
    marker_at(second, k, b, q);
    lmb_text_add(&k->force_text, "  f%d: {type: spring, between: [%s, %s], stiffness: %.17g",
                 k->force_count++, first, second,
                 stiffness(k, false, dice_log(d, 0.3, 100) * (dice_chance(d, 0.1) ? 1e3 : 1)));
    if (dice_chance(d, 0.5))
        lmb_text_add(&k->force_text, ", damping: %.17g", damping(k, false, dice_log(d, 0.01, 3)));
    if (dice_chance(d, 0.4))
        lmb_text_add(&k->force_text, ", length: %.17g", length_of(k, far * dice_in(d, 0.7, 1.2)));
    lmb_text_add(&k->force_text, "}\n");
}

static void add_bushing(maker *k) {
    dice *d = &k->d;
    char first[24], second[24];
    int a = dice_below(d, k->body_count + 1) - 1, b = dice_below(d, k->body_count);
    if (a == b || (!is_free(k, a) && !is_free(k, b))) return;
    vec3 p = some_point(k, is_free(k, a) ? b : a);
    marker_at(first, k, a, p);
    marker_at(second, k, b, p);
    double f = dice_log(d, 1, 100), c = stiffness(k, false, f), r = stiffness(k, true, 0.1 * f);
    lmb_text_add(&k->force_text, "  f%d: {type: bushing, between: [%s, %s], stiffness: [%.17g, %.17g, %.17g]",
                 k->force_count++, first, second, c, c, 0.3 * c);
    lmb_text_add(&k->force_text, ", rotational_stiffness: [%.17g, %.17g, %.17g]", r, 2 * r, r);
    double z = damping(k, false, 0.1);
    if (dice_chance(d, 0.5)) lmb_text_add(&k->force_text, ", damping: [%.17g, %.17g, %.17g]", z, z, z);
    lmb_text_add(&k->force_text, "}\n");
}

// about an axis that both bodies keep: the normal of a plane, or that of a hinge
static void add_rotational(maker *k) {
    dice *d = &k->d;
    int b = dice_below(d, k->body_count), a = b > 0 && dice_chance(d, 0.5) ? b - 1 : -1, hinge = -1;
    char first[24], second[24];
    for (int i = 0; i < k->joint_count; i++)
        if (strcmp(k->joints[i].kind, "revolute") == 0) hinge = i;
    if (!k->planar && hinge < 0) return;
    if (!k->planar) a = k->joints[hinge].a, b = k->joints[hinge].b;
    marker_at(first, k, a, k->planar ? some_point(k, a) : k->joints[hinge].p);
    marker_at(second, k, b, k->planar ? some_point(k, b) : k->joints[hinge].p);
    lmb_text_add(&k->force_text,
                 "  f%d: {type: rotational_spring, between: [%s, %s], stiffness: %.17g, damping: %.17g",
                 k->force_count++, first, second, stiffness(k, true, dice_log(d, 0.1, 10)),
                 damping(k, true, dice_log(d, 0.01, 1)));
    add_vector(&k->force_text, "axis", k->planar ? axis(k) : k->joints[hinge].axis);
    lmb_text_add(&k->force_text, "}\n");
}

// a force or torque: constant, in time, or by a signal with a state that feeds a position back
static void add_load(maker *k) {
    dice *d = &k->d;
    int b = dice_below(d, k->body_count);
    bool torque = dice_chance(d, 0.3);
    char name[24];
    marker_at(name, k, b, some_point(k, b));
    double size = written(k, dice_log(d, 0.1, 2) * k->M * k->L / (k->T * k->T) * (torque ? k->L : 1), 1,
                          torque ? 2 : 1, -2);
    lmb_text_add(&k->force_text, "  f%d: {type: %s, on: %s", k->force_count++, torque ? "torque" : "force",
                 name);
    add_vector(&k->force_text, "axis", torque ? axis(k) : direction(k));
    if (dice_chance(d, 0.3)) lmb_text_add(&k->force_text, ", frame: body");
    double w = dice_in(d, 0.5, 5) / k->T * k->time;
    int form = dice_below(d, 4);
    if (form == 1 || form == 2) k->out->steady = false;
    switch (k->out->driven ? form % 3 : form) {
    case 0: lmb_text_add(&k->force_text, ", value: %.17g}\n", size); break;
    case 1: lmb_text_add(&k->force_text, ", value: \"%.17g*sin(%.17g*t)\"}\n", size, w); break;
    case 2: lmb_text_add(&k->force_text, ", value: \"t < %.17g ? %.17g : 0\"}\n", 2 / w, size); break;
    default:
        lmb_text_add(&k->signal_text, "  s%d: {type: lag, input: p%d.x, time: %.17g, gain: %.17g}\n",
                     k->signal_count, b, 0.3 / w, -size / length_of(k, k->L));
        lmb_text_add(&k->force_text, ", value: s%d}\n", k->signal_count++);
        k->out->states = true;
    }
}

static void add_forces(maker *k) {
    static void (*const kinds[])(maker *) = {add_point_spring, add_point_spring, add_bushing,
                                             add_rotational,   add_load,         add_load};
    for (int n = dice_below(&k->d, 4); n > 0; n--) kinds[dice_below(&k->d, LMB_COUNT(kinds))](k);
}

// ---- rare things ------------------------------------------------------------------------------------

// a body on a marker that slides along a beam; a pin in the plane, a ball in space
static void add_slider(maker *k) {
    int beam = -1;
    for (int i = 0; i < k->body_count; i++)
        if (k->bodies[i].slides) beam = i;
    if (beam < 0 || k->body_count == BODIES || k->joint_count == JOINTS || !dice_chance(&k->rare, 0.2))
        return;
    body *o = &k->bodies[beam];
    double s = dice_in(&k->rare, 0.3, 0.7) * o->length;
    vec3 p = pose_point(&o->p, v3(s, 0, 0));
    char name[24];
    int b = k->body_count, n = k->joint_count++;
    make_body(k, p);
    lmb_text_add(&o->keys, ", sliding: {ring: [%.17g, 0, 0]}", length_of(k, s));
    marker_at(name, k, b, k->bodies[b].flexible ? k->bodies[b].p.r : p);
    k->joints[n].kind = "slider";
    lmb_text_add(&k->joint_text, "  j%d: {type: %s, between: [b%d.ring, %s]", n,
                 k->planar ? "revolute" : "spherical", beam, name);
    add_vector(&k->joint_text, "axis", axis(k));
    lmb_text_add(&k->joint_text, "}\n");
}

// switches a force off and on again, or lets a joint go, at a time or where the first body passes a place
static void add_event(maker *k) {
    dice *d = &k->rare;
    double T = k->out->until;
    if (!dice_chance(d, 0.12) || k->out->driven) return;
    k->out->rough = true, k->out->steady = false;
    if (k->force_count > 0 && dice_chance(d, 0.7)) {
        int f = dice_below(d, k->force_count);
        lmb_text_add(&k->event_text, "  e0: {at: %.17g, off: [f%d]}\n", dice_in(d, 0.1, 0.4) * T, f);
        lmb_text_add(&k->event_text, "  e1: {at: %.17g, on: [f%d]}\n", dice_in(d, 0.5, 0.8) * T, f);
    } else if (k->joint_count > 0 && k->tree) {
        int j = dice_below(d, k->joint_count);
        if (dice_chance(d, 0.5))
            lmb_text_add(&k->event_text, "  e0: {at: %.17g, off: [j%d]}\n", dice_in(d, 0.2, 0.7) * T, j);
        else
            lmb_text_add(&k->event_text, "  e0: {when: \"p0.x - %.17g\", once: true, off: [j%d]}\n",
                         length_of(k, k->bodies[0].p.r.x + dice_in(d, -0.5, 0.5) * k->L), j);
    }
}

// ---- the text ---------------------------------------------------------------------------------------

static void write_keys(const maker *k, lmb_text *out, const body *o) {
    if (k->beam == NULL || o->to == 0) lmb_text_add(out, "%s", o->keys.text);
    else lmb_text_add(out, "%.*s%s%s", (int)o->from, o->keys.text, k->beam, o->keys.text + o->to);
}

static void write_bodies(const maker *k, lmb_text *out) {
    lmb_text_add(out, "bodies:\n");
    for (int i = 0; i < k->body_count; i++) {
        const body *o = &k->bodies[i];
        lmb_text_add(out, "  b%d: {", i);
        write_keys(k, out, o);
        vec3 tip = v3_scale(k->L / k->length, v3(0.3, 0.5, k->planar ? 0 : 0.4));
        if (is_free(k, i)) lmb_text_add(out, ", markers: {tip: [%.17g, %.17g, %.17g]", tip.x, tip.y, tip.z);
        for (int p = 0; p < o->point_count; p++) {
            vec3 x = v3_scale(1 / k->length, o->point[p]);
            lmb_text_add(out, ", m%d: [%.17g, %.17g, %.17g]", p, x.x, x.y, x.z);
        }
        lmb_text_add(out, "%s}\n", is_free(k, i) ? "}" : "");
    }
}

// the same, rigid bodies in other frames
static void write_turned_bodies(maker *k, lmb_text *out) {
    lmb_text_add(out, "bodies:\n");
    for (int i = 0; i < k->body_count; i++) {
        const body *o = &k->bodies[i];
        if (!is_free(k, i)) {
            lmb_text_add(out, "  b%d: {%s}\n", i, o->keys.text);
            continue;
        }
        pose old;
        vec3 tip = v3_scale(k->L, v3(0.3, 0.5, k->planar ? 0 : 0.4));
        lmb_text_add(out, "  b%d: {", i);
        write_turned(k, out, &old, o);
        quat q = q_from_matrix(old.R);
        lmb_text_add(out, ", markers: {");
        for (int p = -1; p < o->point_count; p++) {
            vec3 x = v3_scale(1 / k->length, pose_point(&old, p < 0 ? tip : o->point[p]));
            if (p >= 0) lmb_text_add(out, ", m%d", p);
            lmb_text_add(out, "%s: {at: [%.17g, %.17g, %.17g], ", p < 0 ? "tip" : "", x.x, x.y, x.z);
            lmb_text_add(out, "rotate: [%.17g, %.17g, %.17g, %.17g]}", q.w, q.x, q.y, q.z);
        }
        lmb_text_add(out, "}}\n");
    }
}

static void write_sensors(const maker *k, lmb_text *out) {
    lmb_text_add(out, "sensors:\n");
    for (int i = 0; i < k->body_count; i++)
        lmb_text_add(out, "  p%d: {type: position, of: b%d.%s}\n", i, i, is_free(k, i) ? "tip" : "end");
    for (int i = 0; i < k->joint_count; i++) lmb_text_add(out, "  r%d: {type: reaction, of: j%d}\n", i, i);
    if (k->gear_text.text) lmb_text_add(out, "%s", k->gear_text.text);
}

static void write_section(lmb_text *out, const char *name, const lmb_text *entries) {
    if (entries->text && entries->text[0]) lmb_text_add(out, "%s:\n%s", name, entries->text);
}

// brakes every body against the ground
static void write_brakes(maker *k, lmb_text *out) {
    for (int i = 0; i < k->body_count; i++) {
        double c = written(k, 0.5 * k->bodies[i].mass / k->T, 1, 0, -1),
               r = written(k, 0.1 * k->bodies[i].mass * k->L * k->L / k->T, 1, 2, -1);
        lmb_text_add(out, "  brake%d: {type: bushing, between: [ground, b%d%s], ", i, i,
                     is_free(k, i) ? "" : ".end");
        lmb_text_add(out, "damping: [%.17g, %.17g, %.17g], rotational_damping: [%.17g, %.17g, %.17g]}\n", c,
                     c, c, r, r, r);
    }
}

// ---- in space ---------------------------------------------------------------------------------------

// entries that do not act on markers of the ground (g0, g1, ..), of a section with one entry per line; no loads
static void write_inner(lmb_text *out, const char *name, const lmb_text *entries) {
    lmb_text kept = {0};
    for (const char *line = entries->text; line && *line;) {
        int length = (int)strcspn(line, "\n");
        const char *between = strstr(line, "between: [");
        bool inner = between && between < line + length && between[10] != 'g';
        const char *second = inner ? strchr(between, ',') : NULL;
        if (inner && second[2] != 'g') lmb_text_add(&kept, "%.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    write_section(out, name, &kept);
    lmb_text_free(&kept);
}

static void move_bodies(maker *k) {
    for (int i = 0; i < k->body_count; i++) {
        body *o = &k->bodies[i];
        if (strstr(o->keys.text, "velocity: ")) continue;
        vec3 v = v3_scale(dice_in(&k->space, 0, 0.5) * k->L / k->T, dice_vector(&k->space));
        vec3 w = v3_scale(dice_in(&k->space, 0.5, 2) / k->T, dice_vector(&k->space));
        add_vector(&o->keys, "velocity", v3_scale(k->time / k->length, v));
        add_vector(&o->keys, "spin", v3_scale(k->time, w));
    }
}

// the last text made of a model: bodies get velocities
static void write_free(maker *k, lmb_text *out, const char *units) {
    lmb_text_add(out, "limber: 1\ntitle: random %llu in space\nunits: %s\n", (unsigned long long)k->seed,
                 units);
    move_bodies(k);
    write_bodies(k, out);
    write_inner(out, "joints", &k->joint_text);
    write_inner(out, "forces", &k->force_text);
    lmb_text_add(out, "sensors: {p0: {type: position, of: b0}}\n");
}

// ---- all of it --------------------------------------------------------------------------------------

typedef enum form { AS_IS, DAMPED, TURNED } form;

static void write_model(maker *k, lmb_text *out, const char *units, vec3 gravity, form as) {
    vec3 g = gravity;
    bool damped = as == DAMPED;
    lmb_text forces = {0};
    lmb_text_add(&forces, "%s", k->force_text.text ? k->force_text.text : "");
    if (damped) write_brakes(k, &forces);
    lmb_text_add(out, "limber: 1\ntitle: random %llu\nunits: %s\n", (unsigned long long)k->seed, units);
    if (v3_norm(g) > 0) lmb_text_add(out, "gravity: [%.17g, %.17g, %.17g]\n", g.x, g.y, g.z);
    if (as == TURNED) write_turned_bodies(k, out);
    else write_bodies(k, out);
    write_section(out, "markers", &k->marker_text);
    write_section(out, "joints", &k->joint_text);
    write_section(out, "forces", &forces);
    write_section(out, "signals", &k->signal_text);
    write_sensors(k, out);
    write_section(out, "events", &k->event_text);
    lmb_text_free(&forces);
}

// has rigid bodies, and none is joined at its frame for want of markers
static bool is_turnable(const maker *k) {
    bool rigid = false;
    for (int i = 0; i < k->body_count; i++) {
        if (is_free(k, i)) rigid = true;
        if (k->bodies[i].point_count == POINTS) return false;
    }
    return rigid;
}

// has beams, and none carries a slider, which not all formulations can
static bool has_beams(const maker *k) {
    bool beams = false;
    for (int i = 0; i < k->body_count; i++) {
        if (k->bodies[i].to > 0) beams = true;
        if (strstr(k->bodies[i].keys.text, "sliding: ")) return false;
    }
    return beams;
}

const char *const random_formulations[FORMULATIONS][2] = {
    {"elements: 2, shapes: guyan, parts: 2", "elements: 2, shapes: guyan, parts: 4"},
    {"elements: 2, formulation: superelement, parts: 2", "elements: 2, formulation: superelement, parts: 4"},
    {"elements: 4, formulation: ancf", "elements: 8, formulation: ancf"},
};

static void write_formulations(maker *k, const char *units, vec3 gravity) {
    for (int i = 0; i < FORMULATIONS; i++)
        for (int j = 0; j < 2; j++) {
            k->beam = random_formulations[i][j];
            write_model(k, &k->out->beams[i][j], units, gravity, AS_IS);
        }
    k->beam = NULL;
}

// a chain of links on pins in the plane, closed to a crank drive
static void make_crank(maker *k) {
    vec3 p = k->plane.r;
    for (int i = 0; i < 3; i++) {
        make_body(k, p);
        add_joint(k, i - 1, i, p, &joint_kinds[0], false);
        p = v3_madd(p, k->L * dice_in(&k->late, 0.6, 1.2), direction(k));
    }
    add_joint(k, -1, 2, p, &joint_kinds[0], true);
}

static void make_links(maker *k) {
    int count = k->out->flexible ? 1 + dice_below(&k->d, 4) : 2 + dice_below(&k->d, 5);
    for (int i = 0; i < count && i < BODIES; i++)
        add_link(k, i == 0 || dice_chance(&k->d, 0.2) ? -1 : dice_below(&k->d, i));
    int loops = k->tree ? 0 : 1 + dice_below(&k->d, 2);
    for (int i = 0; i < loops; i++) add_loop(k);
    if (!k->tree && dice_chance(&k->d, 0.2)) add_gear(k);
}

static void choose_kind(maker *k) {
    random_model *out = k->out;
    out->flexible = dice_chance(&k->d, 0.35);
    k->tree = dice_chance(&k->d, 0.5);
    out->steady = true;
    out->driven = dice_chance(&k->late, 0.1) && !out->flexible;
    k->crank = out->driven && k->planar && dice_chance(&k->late, 0.6);
    if (out->driven) k->tree = true;
}

void random_model_free(random_model *m) {
    lmb_text_free(&m->text);
    lmb_text_free(&m->damped);
    lmb_text_free(&m->free);
    lmb_text_free(&m->turned);
    for (int i = 0; i < FORMULATIONS; i++) lmb_text_free(&m->beams[i][0]), lmb_text_free(&m->beams[i][1]);
    lmb_text_free(&m->converted);
}

static bool make(random_model *out, uint64_t seed, const char *folder, int units_on) {
    maker k = {.seed = seed,
               .d = {seed * 0x2545f4914f6cdd1du + 1},
               .rare = {seed * 0x9e3779b97f4a7c15u + 7},
               .late = {seed * 0xd1342543de82ef95u + 3},
               .space = {seed * 0xaf251af3b0f025b5u + 5},
               .units_on = units_on,
               .folder = folder,
               .out = out};
    *out = (random_model){0};
    const char *units = maker_sizes(&k);
    choose_kind(&k);
    if (k.crank) make_crank(&k);
    else make_links(&k);
    add_forces(&k);
    out->until = dice_in(&k.d, 1, 3) * (out->flexible ? 0.4 : 1.5) * k.T / k.time;
    add_slider(&k);
    add_event(&k);
    out->statics = dice_chance(&k.rare, 0.08) && !out->driven;
    out->bodies = k.body_count, out->joints = k.joint_count, out->rate = 1 / k.T, out->period = k.T / k.time;
    out->force = k.M * k.L / (k.T * k.T);
    vec3 g = v3_scale(written(&k, k.L / (k.T * k.T), 0, 1, -2), direction(&k));
    if (!dice_chance(&k.d, 0.8)) g = v3(0, 0, 0);
    write_model(&k, &out->text, units, g, AS_IS);
    if (out->steady && !out->rough) write_model(&k, &out->damped, units, g, DAMPED);
    if (has_beams(&k) && !out->statics) write_formulations(&k, units, g);
    if (is_turnable(&k)) write_model(&k, &out->turned, units, g, TURNED);
    write_free(&k, &out->free, units);
    for (int i = 0; i < k.body_count; i++) lmb_text_free(&k.bodies[i].keys);
    lmb_text_free(&k.gear_text);
    lmb_text_free(&k.joint_text), lmb_text_free(&k.force_text);
    lmb_text_free(&k.signal_text), lmb_text_free(&k.marker_text), lmb_text_free(&k.event_text);
    return out->text.text != NULL;
}

bool random_model_make(random_model *out, uint64_t seed, const char *folder) {
    random_model other;
    if (!make(&other, seed, folder, 1 + (int)(seed % 6)) || !make(out, seed, folder, 0)) return false;
    out->converted = other.text, other.text = (lmb_text){0};
    out->converted_until = other.until;
    random_model_free(&other);
    return true;
}
