// system/build_joints.c: joints: their frames, rows, motions, start values, and the forces on their coordinates.
#include "force/forces.h"
#include "joint/joints.h"
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

// ---- frames ------------------------------------------------------------------------------------

static bool same_axes(mat3 A, mat3 B) { return v3_norm(so3_log(m3_tmul(A, B))) < 1e-12; }

// whether a marker has the axes of its body or the global ones: nobody wrote any for it
static bool is_plain(const lmb_build *b, int marker) {
    return same_axes(b->m->markers[marker].local.R, M3_ID) || same_axes(lmb_build_pose(b, marker).R, M3_ID);
}

// The two frames of a joint: positions of the markers (or `at`), axes from `axis` and `x` (or from the markers; of a joint that
// holds the initial pose those of the first, unless the markers were given axes to be aligned).
static lmb_status joint_frames(lmb_joint_plan *p, lmb_build *b, const lmb_joint_common *r, bool holds,
                               const lmb_node *n, lmb_error *err) {
    pose outer = lmb_node_pose(n);
    if (r->between.count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "between"),
                        "joint '%s': `between` needs two markers, found %d", n->key, r->between.count);
    bool bare[2]; // plain ground, without a position
    for (int k = 0; k < 2; k++) {
        lmb_status st =
            lmb_build_marker(&p->marker[k], b, r->between.v[k], lmb_node_place_of(n, "between", k), err);
        if (st != LMB_OK) return st;
        bare[k] = p->marker[k] == b->m->ground;
    }
    int body[2] = {b->m->markers[p->marker[0]].body, b->m->markers[p->marker[1]].body};
    if (body[0] == body[1])
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "between"),
                        "joint '%s' connects %s%s%s to itself; name two different bodies", n->key,
                        body[0] < 0 ? "" : "body '", body[0] < 0 ? "ground" : b->m->bodies[body[0]].name,
                        body[0] < 0 ? "" : "'");
    bool has_axis = lmb_node_find(n, "axis") != NULL, has_x = lmb_node_find(n, "x") != NULL,
         has_at = lmb_node_find(n, "at") != NULL;
    if (has_axis && !v3_has_direction(r->axis))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "axis"),
                        "joint '%s': the axis has length zero; give a direction", n->key);
    if (has_x && !(has_axis && v3_has_direction(v3_cross(v3_unit(r->axis), r->x))))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "x"),
                        "joint '%s': `x` needs an `axis` that is not parallel to it", n->key);
    pose frame[2] = {lmb_build_pose(b, p->marker[0]), lmb_build_pose(b, p->marker[1])};
    bool turned = holds && r->active && !bare[0] && !bare[1] && is_plain(b, p->marker[0]) &&
                  is_plain(b, p->marker[1]) && !same_axes(frame[0].R, frame[1].R);
    if (turned) frame[1].R = frame[0].R;
    for (int k = 0; k < 2; k++) {
        if (bare[k]) frame[k] = frame[1 - k];
        if (has_at) frame[k].r = pose_point(&outer, r->at);
        if (has_axis) frame[k].R = m3_frame_z(m3_mul_v3(&outer.R, r->axis), m3_mul_v3(&outer.R, r->x));
    }
    for (int k = 0; k < 2; k++) {
        if (!bare[k] && !has_at && !has_axis && !(turned && k == 1)) continue;
        lmb_status st = lmb_build_marker_at(&p->marker[k], b, p->marker[k], frame[k], err);
        if (st != LMB_OK) return st;
    }
    p->marker_count = 2;
    return LMB_OK;
}

// ---- rows --------------------------------------------------------------------------------------

int lmb_build_turns(lmb_build *b, const lmb_measure *f, int first, int second) {
    lmb_turn *t = LMB_PUSH(b, b->m->turns, b->m->turn_count, b->turn_cap);
    if (t == NULL) return -1;
    *t = (lmb_turn){*f, {first, second}};
    return b->m->turn_count - 1;
}

static void give_turns(lmb_build *b, lmb_term *t, const lmb_joint_plan *p) {
    if (lmb_measure_is_angle(&t->f))
        t->turns = lmb_build_turns(b, &t->f, p->marker[t->first], p->marker[t->second]);
}

static bool is_length(const lmb_measure *f) {
    return f->kind == LMB_MEASURE_GLOBAL || f->kind == LMB_MEASURE_ALONG || f->kind == LMB_MEASURE_DISTANCE;
}
static lmb_dim coordinate_dim(const lmb_coordinate *c) {
    return is_length(&c->term.f) ? (lmb_dim)LMB_LENGTH : LMB_DIM_NONE;
}

static int find_coordinate(const lmb_joint_plan *p, const char *name) {
    for (int i = 0; i < p->coordinate_count; i++)
        if (strcmp(p->coordinates[i].name, name) == 0) return i;
    return -1;
}

static void coordinate_list(char *out, size_t size, const lmb_coordinate *c, int count) {
    out[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%s", i ? ", " : "", c[i].name);
    }
}

static lmb_status no_coordinate(const char *joint, const char *name, const lmb_coordinate *c, int count,
                                lmb_where where, lmb_error *err) {
    char list[200];
    coordinate_list(list, sizeof list, c, count);
    if (count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "joint '%s' has no coordinates because its type allows no motion; use another type",
                        joint);
    if (name[0] == '\0')
        return lmb_fail(err, LMB_ERR_INPUT, where, "joint '%s' has %d coordinates; choose one of %s", joint,
                        count, list);
    return lmb_fail(err, LMB_ERR_INPUT, where, "joint '%s' has no coordinate '%s'; available: %s", joint,
                    name, list);
}

// adds the row coordinate - f(t) = 0
static lmb_status add_motion(lmb_joint_plan *p, lmb_build *b, int coordinate, const lmb_node *n,
                             lmb_error *err) {
    const lmb_coordinate *c = &p->coordinates[coordinate];
    if (p->row_count == LMB_PLAN_ROWS || p->term_count == LMB_PLAN_TERMS) return lmb_fail_memory(err);
    const lmb_expr *e;
    lmb_status st = lmb_spec_check_unit(n, coordinate_dim(c), err);
    if (st == LMB_OK) st = lmb_build_time_expr(&e, b, n, err);
    if (st != LMB_OK) return st;
    p->terms[p->term_count] = c->term;
    p->rows[p->row_count++] =
        (lmb_row){.term = p->term_count++,
                  .term_count = 1,
                  .name = c->name,
                  .motion = e,
                  .motion_factor = lmb_units_factor(&b->spec->units, coordinate_dim(c))};
    return LMB_OK;
}

const lmb_key lmb_motion_forms[] = {
    {"only", LMB_KEY_EXPR}, {"each", LMB_KEY_EXPR, .flags = LMB_KEY_BY_NAME}, {0}};
const lmb_key lmb_start_forms[] = {{"each", LMB_KEY_NUMBER, .flags = LMB_KEY_BY_NAME}, {0}};

// a key that refers to coordinates: one value for the only coordinate, or a map by name; calls use for each
typedef lmb_status (*coordinate_use)(lmb_joint_plan *p, lmb_build *b, int coordinate, const lmb_node *n,
                                     lmb_error *err);
static lmb_status each_coordinate(lmb_joint_plan *p, lmb_build *b, const char *joint, const lmb_node *n,
                                  coordinate_use use, lmb_error *err) {
    bool by_name = n->kind == LMB_NODE_MAP;
    if (p->coordinate_count == 0) return no_coordinate(joint, "", p->coordinates, 0, n->where, err);
    if (!by_name && p->coordinate_count != 1) {
        char list[200];
        coordinate_list(list, sizeof list, p->coordinates, p->coordinate_count);
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "joint '%s' has %d coordinates (%s); write {coordinate: value}", joint,
                        p->coordinate_count, list);
    }
    if (!by_name) return use(p, b, 0, n, err);
    for (const lmb_node *k = n->first; k; k = k->next) {
        int c = find_coordinate(p, k->key);
        if (c < 0)
            return no_coordinate(joint, k->key, p->coordinates, p->coordinate_count, k->key_where, err);
        lmb_status st = use(p, b, c, k, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

// ---- the joint ---------------------------------------------------------------------------------

static void *keep(lmb_build *b, const void *data, int count, size_t size) {
    void *copy = lmb_arena_get(b->arena, (size_t)(count > 0 ? count : 1), size);
    if (copy && count > 0) memcpy(copy, data, (size_t)count * size);
    return copy;
}

static lmb_status add_rows(lmb_build *b, const char *kind, const lmb_joint_plan *p, const char *name,
                           lmb_where where, lmb_error *err) {
    lmb_joint *j = LMB_PUSH(b, b->m->joints, b->m->joint_count, b->joint_cap);
    if (j == NULL) return lmb_fail_memory(err);
    *j = (lmb_joint){.name = name,
                     .kind = kind,
                     .where = where,
                     .marker_count = p->marker_count,
                     .row_count = p->row_count,
                     .term_count = p->term_count,
                     .coordinate_count = p->coordinate_count,
                     .upright = p->upright,
                     .follower = -1,
                     .of = -1,
                     .marker = keep(b, p->marker, p->marker_count, sizeof *p->marker),
                     .rows = keep(b, p->rows, p->row_count, sizeof *p->rows),
                     .terms = keep(b, p->terms, p->term_count, sizeof *p->terms),
                     .coordinates = keep(b, p->coordinates, p->coordinate_count, sizeof *p->coordinates)};
    return j->marker && j->rows && j->terms && j->coordinates ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status add_joint(lmb_build *b, const char *kind, const lmb_joint_plan *p, const lmb_node *n,
                            bool active, lmb_error *err) {
    lmb_status st = add_rows(b, kind, p, n->key, n->key_where, err);
    if (st != LMB_OK) return st;
    b->m->joints[b->m->joint_count - 1].starts_off = !active;
    return lmb_names_put(&b->joints, n->key, b->m->joint_count - 1) ? LMB_OK : lmb_fail_memory(err);
}

// start: {angle: value, angle_rate: value}: each becomes a row that applies during assembly only
static lmb_status add_start(lmb_build *b, const lmb_joint_plan *joint, const char *name, int c, bool rate,
                            const lmb_node *n, lmb_error *err) {
    lmb_dim dim = coordinate_dim(&joint->coordinates[c]);
    dim.time = rate ? -1 : 0;
    double value;
    lmb_status st = lmb_spec_number(&value, b->spec, n, dim, err);
    if (st != LMB_OK) return st;
    const lmb_term *term = &joint->coordinates[c].term;
    lmb_joint_plan p = {.marker_count = 2,
                        .marker = {joint->marker[0], joint->marker[1]},
                        .row_count = 1,
                        .term_count = 1,
                        .terms = {*term}};
    p.rows[0] = (lmb_row){.term_count = 1,
                          .name = n->key,
                          .scale = is_length(&term->f) ? -1 : 1,
                          .offset = rate ? 0 : value,
                          .rate = rate ? value : 0};
    int of = b->m->joint_count - 1;
    while (b->m->joints[of].start != LMB_START_NONE) of--;
    st = add_rows(b, "start", &p, name, n->key_where, err);
    if (st != LMB_OK) return st;
    lmb_joint *j = &b->m->joints[b->m->joint_count - 1];
    j->start = rate ? LMB_START_RATE : LMB_START_VALUE;
    j->of = of, j->starts_off = true;
    return LMB_OK;
}

static lmb_status add_starts(lmb_build *b, const lmb_joint_plan *p, const lmb_node *n, const char *joint,
                             lmb_error *err) {
    if (n->kind != LMB_NODE_MAP && n->kind != LMB_NODE_NULL)
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "joint '%s': `start` must be a map {coordinate: value, coordinate_rate: value}, found %s", joint,
            n->kind == LMB_NODE_LIST ? "a list" : "a single value");
    for (const lmb_node *k = n->first; k; k = k->next) {
        char name[64];
        size_t length = strlen(k->key);
        bool rate = length > 5 && strcmp(k->key + length - 5, "_rate") == 0;
        snprintf(name, sizeof name, "%.*s", (int)(rate ? length - 5 : length), k->key);
        int c = find_coordinate(p, name);
        if (c < 0)
            return no_coordinate(joint, k->key, p->coordinates, p->coordinate_count, k->key_where, err);
        lmb_status st = add_start(b, p, joint, c, rate, k, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

// completes a joint whose rows exist
static lmb_status finish_joint(lmb_build *b, lmb_joint_plan *p, const lmb_joint_kind *k, const lmb_node *n,
                               bool active, lmb_error *err) {
    static const lmb_motion none[1];
    for (int i = 0; i < p->row_count; i++)
        p->rows[i].scale = is_length(&p->terms[p->rows[i].term].f) ? -1 : 1; // -1: length
    lmb_status st = add_joint(b, k->doc.name, p, n, active, err);
    if (st != LMB_OK || !k->can_eliminate) return st;
    lmb_joint *j = &b->m->joints[b->m->joint_count - 1];
    j->motions = k->motions ? k->motions : none;
    j->motion_count = k->motion_count;
    return LMB_OK;
}

// connects a part of a body to the previous part: springs
static lmb_status link_part(lmb_build *b, int body, lmb_error *err) {
    const lmb_body *part = &b->m->bodies[body];
    pose at = {b->starts[body].joint, M3_ID};
    lmb_force_plan p = {.constants = b->starts[body].link, .joint = -1};
    const char *name = lmb_arena_printf(b->arena, "%s.spring[%d]", part[-part->part].name, part->part);
    lmb_status st = name ? LMB_OK : lmb_fail_memory(err);
    for (int k = 0; k < 2 && st == LMB_OK; k++)
        st = lmb_build_marker_on(&p.marker[k], b, body - 1 + k, at, err);
    return st == LMB_OK ? lmb_build_force_add(b, name, part->where, &lmb_link_ops, &p, true, err) : st;
}

// the same: a fixed joint
static lmb_status join_part(lmb_build *b, int body, lmb_error *err) {
    if (b->starts[body].link) return link_part(b, body, err);
    const lmb_body *part = &b->m->bodies[body];
    pose at = {b->starts[body].joint, M3_ID};
    lmb_node own = {.key = lmb_arena_printf(b->arena, "%s.joint[%d]", part[-part->part].name, part->part),
                    .key_where = part->where};
    if (own.key == NULL) return lmb_fail_memory(err);
    lmb_joint_plan p = {.marker_count = 2};
    lmb_status st = LMB_OK;
    for (int k = 0; k < 2 && st == LMB_OK; k++)
        st = lmb_build_marker_on(&p.marker[k], b, body - 1 + k, at, err);
    if (st == LMB_OK) st = lmb_joint_fixed.plan(&p, b, NULL, &own, err);
    return st == LMB_OK ? finish_joint(b, &p, &lmb_joint_fixed, &own, true, err) : st;
}

static lmb_status build_joint(lmb_build *b, const lmb_section *section, int kind, const lmb_node *n,
                              lmb_error *err) {
    const lmb_joint_kind *k = lmb_joint_kinds[kind];
    char what[160];
    snprintf(what, sizeof what, "joint '%s'", n->key);
    lmb_joint_common *r = lmb_arena_get(b->spec->arena, 1, k->read_size);
    if (r == NULL) return lmb_fail_memory(err);
    r->active = true;
    lmb_joint_plan p = {0};
    lmb_status st = lmb_spec_read_kind(r, NULL, b->spec, n, section, kind, what, err);
    if (st == LMB_OK && !k->own_markers) st = joint_frames(&p, b, r, k->holds_pose, n, err);
    if (st == LMB_OK) st = k->plan(&p, b, r, n, err);
    for (int i = 0; st == LMB_OK && i < p.coordinate_count; i++) give_turns(b, &p.coordinates[i].term, &p);
    for (int i = 0; st == LMB_OK && i < p.term_count; i++) give_turns(b, &p.terms[i], &p);
    if (st == LMB_OK && r->motion) st = each_coordinate(&p, b, n->key, r->motion, add_motion, err);
    if (st == LMB_OK) st = finish_joint(b, &p, k, n, r->active, err);
    return st == LMB_OK && r->start ? add_starts(b, &p, r->start, n->key, err) : st;
}

lmb_status lmb_build_joints(lmb_build *b, lmb_error *err) {
    const lmb_section *section = lmb_section_find("joints");
    const lmb_node *joints = lmb_node_find(b->spec->root, "joints");
    for (int i = 0; i < b->m->body_count; i++)
        if (b->starts[i].joined && join_part(b, i, err) != LMB_OK) return err->code;
    for (int pass = 0; pass < 2; pass++) // gears need the joints they couple
        for (const lmb_node *n = joints ? joints->first : NULL; n; n = n->next) {
            int kind;
            char what[160];
            snprintf(what, sizeof what, "joint '%s'", n->key);
            lmb_status st = lmb_spec_kind(&kind, b->spec, n, section, what, err);
            if (st == LMB_OK && lmb_joint_kinds[kind]->own_markers == (pass == 1))
                st = build_joint(b, section, kind, n, err);
            if (st != LMB_OK) return st;
        }
    return LMB_OK;
}

const char *lmb_joint_candidate(void *user, int i) {
    const lmb_build *b = user; // an initial value has the name of its joint
    return i < b->m->joint_count ? b->m->joints[i].name : NULL;
}

lmb_status lmb_build_coordinate(int *joint, int *coordinate, lmb_build *b, const char *ref, lmb_where where,
                                lmb_error *err) {
    const char *dot = strrchr(ref, '.');
    *joint = lmb_names_index(&b->joints, ref);
    *coordinate = 0;
    if (*joint < 0 && dot) {
        const char *name = lmb_arena_printf(b->spec->arena, "%.*s", (int)(dot - ref), ref);
        if (name == NULL) return lmb_fail_memory(err);
        *joint = lmb_names_index(&b->joints, name);
    } else {
        dot = NULL;
    }
    if (*joint < 0) {
        const char *near = lmb_nearest(ref, lmb_joint_candidate, b);
        return lmb_fail(err, LMB_ERR_INPUT, where, "unknown joint coordinate '%s'; %s%s%s", ref,
                        near ? "did you mean joint '" : "write joint.coordinate, such as pin.angle",
                        near ? near : "", near ? "'?" : "");
    }
    const lmb_joint *j = &b->m->joints[*joint];
    if (dot == NULL && j->coordinate_count != 1)
        return no_coordinate(j->name, "", j->coordinates, j->coordinate_count, where, err);
    for (int i = 0; dot && i < j->coordinate_count; i++)
        if (strcmp(j->coordinates[i].name, dot + 1) == 0) return *coordinate = i, LMB_OK;
    return dot ? no_coordinate(j->name, dot + 1, j->coordinates, j->coordinate_count, where, err) : LMB_OK;
}

// ---- forces on joint coordinates ---------------------------------------------------------------

typedef lmb_status (*load_plan)(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                const lmb_node *node, lmb_error *err);

static lmb_status add_load(lmb_build *b, int joint, int c, const lmb_node *n, const char *key, load_plan plan,
                           const lmb_force_ops *ops, lmb_error *err) {
    const lmb_joint *j = &b->m->joints[joint];
    lmb_coordinate_load load = {.term = j->coordinates[c].term,
                                .dim = coordinate_dim(&j->coordinates[c]),
                                .joint = joint,
                                .where = n->where};
    load.marker[0] = j->marker[load.term.first];
    load.marker[1] = j->marker[load.term.second];
    lmb_force_plan p = {0};
    lmb_status st = plan(&p, b, &load, n, err);
    if (st != LMB_OK) return st;
    const char *name = j->coordinate_count == 1
                           ? lmb_arena_printf(b->arena, "%s.%s", j->name, key)
                           : lmb_arena_printf(b->arena, "%s.%s.%s", j->name, j->coordinates[c].name, key);
    return name ? lmb_build_force_add(b, name, n->where, ops, &p, true, err) : lmb_fail_memory(err);
}

// "{stiffness, damping, ...}": the documented form of a key that all joints have
static const char *form_of(const char *key) {
    for (const lmb_key *k = lmb_joint_kinds[0]->doc.keys; k->name; k++)
        if (strcmp(k->name, key) == 0 && k->choices) return k->choices;
    return "of its keys";
}

static lmb_status joint_loads(lmb_build *b, int joint, const lmb_node *n, const char *key, load_plan plan,
                              const lmb_force_ops *ops, lmb_error *err) {
    const lmb_node *value = lmb_node_find(n, key);
    const lmb_joint *j = &b->m->joints[joint];
    if (value == NULL) return LMB_OK;
    if (value->kind != LMB_NODE_MAP)
        return lmb_fail(err, LMB_ERR_INPUT, value->where, "joint '%s': `%s` must be a map %s", j->name, key,
                        form_of(key));
    bool by_name = false;
    for (int c = 0; c < j->coordinate_count && value->first; c++)
        by_name |= strcmp(value->first->key, j->coordinates[c].name) == 0;
    if (!by_name && j->coordinate_count != 1)
        return no_coordinate(j->name, "", j->coordinates, j->coordinate_count, value->where, err);
    if (!by_name) return add_load(b, joint, 0, value, key, plan, ops, err);
    for (const lmb_node *k = value->first; k; k = k->next) {
        int c = 0;
        while (c < j->coordinate_count && strcmp(k->key, j->coordinates[c].name)) c++;
        if (c == j->coordinate_count)
            return no_coordinate(j->name, k->key, j->coordinates, j->coordinate_count, k->key_where, err);
        lmb_status st = add_load(b, joint, c, k, key, plan, ops, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

lmb_status lmb_build_joint_loads(lmb_build *b, lmb_error *err) {
    const lmb_node *joints = lmb_node_find(b->spec->root, "joints");
    for (const lmb_node *n = joints ? joints->first : NULL; n; n = n->next) {
        int joint = lmb_names_index(&b->joints, n->key);
        lmb_status st = joint_loads(b, joint, n, "spring", lmb_joint_spring_plan, &lmb_joint_spring_ops, err);
        if (st == LMB_OK)
            st = joint_loads(b, joint, n, "limits", lmb_joint_limits_plan, &lmb_joint_limits_ops, err);
        if (st == LMB_OK)
            st = joint_loads(b, joint, n, "friction", lmb_joint_friction_plan, &lmb_joint_friction_ops, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}
