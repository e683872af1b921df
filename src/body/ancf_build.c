// body/ancf_build.c: reads beams in absolute nodal coordinates: centre line, elements, markers.
#include "body/ancf.h"

// ---- reading -----------------------------------------------------------------------------------

static lmb_status refuse(const lmb_flexible *f, const char *key, const char *why, lmb_error *err) {
    return lmb_flexible_refuse(f, "in absolute nodal coordinates", key, why, err);
}

static lmb_status check_keys(lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    bool cable = f->element == LMB_ANCF_CABLE;
    const lmb_idle_key more[] = {
        {!cable && f->keys.theory != LMB_TIMOSHENKO ? "theory" : "", "shear deformation is included"},
        {!cable && !f->keys.rotary_inertia ? "rotary_inertia" : "", "it is included"}};
    if (f->part.keys.damping.ratios.count > 0 || f->keys.damping.alpha > 0)
        return refuse(f, "damping", "damping must be {beta: time}, proportional to the strain rate", err);
    if (f->keys.damping.beta > 0 && cable)
        return refuse(f, "damping", "a cable does not support damping; use `element: enhanced`", err);
    if (f->element == LMB_ANCF_FULL && f->strain == LMB_ANCF_ENGINEERING)
        return refuse(f, "strain", "`element: full` has Green strain; use `element: enhanced`", err);
    return lmb_flexible_remark_idle(b, f, more, LMB_COUNT(more), err);
}

static lmb_status check_section(const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_part *p = &f->part.beam;
    if (f->element == LMB_ANCF_CABLE && lmb_beam_is_twisted(p))
        return refuse(f, lmb_node_find(f->node, "twist") ? "twist" : "stations",
                      "a cable has no axes of its section; remove the twist", err);
    for (int i = 0; i < p->between_count + 2; i++) {
        lmb_beam_station at = lmb_beam_station_of(p, i);
        const lmb_profile *s = &at.section;
        const char *key = lmb_node_find(f->node, "stations") ? "stations" : i ? "end_section" : "section";
        if (at.offset[0] != 0 || at.offset[1] != 0)
            return refuse(f,
                          lmb_node_find(f->node, "stations") ? "stations"
                          : i                                ? "end_offset"
                                                             : "offset",
                          "the nodes lie on the centroid; remove the offset", err);
        if (s->sizes > 0 && s->shape == LMB_PROFILE_L)
            return refuse(f, key,
                          "an L section couples bending and torsion, which this formulation does not "
                          "support; use `formulation: modal`",
                          err);
        if (f->element != LMB_ANCF_CABLE && !(s->ky > 0 && s->kz > 0))
            return refuse(f, key, "this formulation includes shear deformation; add GAy and GAz", err);
        if (f->element == LMB_ANCF_FULL && s->sizes == 0)
            return refuse(f, key,
                          "`element: full` requires a section of known shape; use `element: enhanced` for a "
                          "section given by its properties",
                          err);
        if (f->element == LMB_ANCF_CABLE && fabs(s->Iy - s->Iz) > 1e-9 * (s->Iy + s->Iz))
            return refuse(f, key,
                          "a cable has the same bending stiffness in all directions; its section needs Iy = "
                          "Iz (use a circle)",
                          err);
    }
    if (!(f->part.material.nu > -1 && f->part.material.nu < 0.5))
        return refuse(f, "material", "Poisson's ratio must be above -1 and below 0.5", err);
    return LMB_OK;
}

// ---- line and elements -------------------------------------------------------------------------

// from, through, to
static lmb_status read_line(lmb_ancf_line *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    const lmb_node *n = f->through;
    int between = n ? n->count : 0, k = 0;
    vec3 *points = lmb_arena_get(lmb_build_arena(b), (size_t)between + 2, sizeof *points);
    if (points == NULL) return lmb_fail_memory(err);
    if (n && n->kind != LMB_NODE_LIST)
        return refuse(f, "through", "`through` must be a list of points, [[x, y, z], ...]", err);
    if (lmb_node_find(f->node, "length") &&
        (n || v3_has_direction(f->tangent[0]) || v3_has_direction(f->tangent[1])))
        return refuse(f, "length", "a curved beam is defined by `from` and `to`; remove `length`", err);
    if (f->arc && between == 0)
        return refuse(f, "curve", "an arc needs one intermediate point: `through: [[x, y, z]]`", err);
    points[k++] = f->part.beam.a;
    for (const lmb_node *p = n ? n->first : NULL; p; p = p->next) {
        lmb_status st = lmb_spec_vec3(&points[k++], lmb_build_spec(b), p, (lmb_dim)LMB_LENGTH, err);
        if (st != LMB_OK) return st;
    }
    points[k++] = f->part.beam.b;
    *out = (lmb_ancf_line){k,
                           points,
                           f->arc == 1,
                           {f->tangent[0], f->tangent[1]},
                           f->keys.up,
                           f->name,
                           n ? n->where : lmb_node_place(f->node, "to")};
    return LMB_OK;
}

void lmb_ancf_reference(vec3 *e, const lmb_ancf_beam *c, int element) {
    int nodes = lmb_ancf_nodes(c->type), per_node = lmb_ancf_per_node(c->type);
    for (int i = 0; i < nodes; i++) {
        const pose *s = &c->station[2 * element + 2 * i / (nodes - 1)];
        e[i * per_node] = s->r;
        for (int k = 1; k < per_node; k++)
            e[i * per_node + k] = m3_column(&s->R, c->type == LMB_ANCF_ENHANCED ? k : k - 1);
    }
}

// an element depends only on the products of its vectors: equal products, equal elements
static bool alike(const lmb_ancf_constants *c, const vec3 *reference) {
    vec3 e[LMB_ANCF_VECTORS];
    double p[LMB_ANCF_PRODUCTS], worst = 0;
    memcpy(e, reference, (size_t)c->vectors * sizeof *e);
    lmb_ancf_from_first(e, c);
    lmb_ancf_products(p, c, e);
    for (int i = 0; i < c->products; i++)
        worst = fmax(worst, fabs(p[i] - c->p0[i]) / fmax(1, fabs(c->p0[i])));
    return worst < 1e-14 * fmin(1, c->length * c->length);
}

// a centre line whose radius is less than twice the section's radius of gyration overlaps itself
static bool too_sharp(const lmb_ancf_constants *c) {
    for (int g = 0; g < 2 && c->type != LMB_ANCF_CABLE; g++) {
        double ds, b[2];
        lmb_ancf_row w[2];
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, lmb_ancf_gauss2[g]);
        lmb_ancf_bend_rows(w, b, &f, c->reference, c->vectors);
        const lmb_profile *s = &c->section[g];
        if (!(4 * (b[0] * b[0] * s->Iz + b[1] * b[1] * s->Iy) < s->A)) return true;
    }
    return false;
}

static lmb_status make_elements(lmb_ancf_beam *c, lmb_arena *arena, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_part *p = &f->part.beam;
    bool tapered = false;
    for (int i = 1; i < p->between_count + 2 && !tapered; i++) {
        lmb_beam_station s = lmb_beam_station_of(p, i);
        tapered = !lmb_profile_same(&s.section, &p->section[0]);
    }
    c->element = lmb_arena_get(arena, (size_t)c->elements, sizeof *c->element);
    if (c->element == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < c->elements; i++) {
        vec3 reference[LMB_ANCF_VECTORS];
        lmb_ancf_constants *made = NULL;
        lmb_ancf_reference(reference, c, i);
        if (i > 0 && !tapered && alike(c->element[i - 1], reference)) {
            c->element[i] = c->element[i - 1];
            continue;
        }
        lmb_ancf_make make = {.type = c->type,
                              .length = c->length / c->elements,
                              .reference = reference,
                              .strain = (lmb_ancf_strain)f->strain};
        make.material = p->material, make.line_mass = p->line_mass;
        for (int k = 0; k < 2; k++)
            make.section[k] =
                lmb_beam_at(p, (double)(i + k) / c->elements, k ? LMB_BEFORE : LMB_AFTER).section;
        lmb_status st = lmb_ancf_constants_make(&made, arena, &make, err);
        if (st != LMB_OK) return st;
        if (too_sharp(made))
            return refuse(f, "through",
                          "the radius of curvature is smaller than the section; move the points or tangents",
                          err);
        c->element[i] = made;
    }
    return LMB_OK;
}

// the ends and other interfaces are markers; both ends may coincide
static lmb_status interfaces(lmb_body_plan *out, lmb_arena *arena, const lmb_flexible *f, lmb_error *err) {
    const lmb_part *p = &f->part;
    lmb_marker_plan *list = lmb_arena_get(arena, (size_t)p->site_count + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < p->site_count; i++) {
        const lmb_part_site *s = &p->sites[i];
        bool end = s->by == LMB_BY_SET && strcmp(s->set, "end") == 0,
             first = s->by == LMB_BY_SET && strcmp(s->set, "start") == 0;
        if (!s->interface) continue;
        if (!end && !first && s->by != LMB_BY_PLACE)
            return lmb_fail(err, LMB_ERR_INPUT, s->where,
                            "interface '%s' of body '%s' must be start, end, or {at: [x, y, z]}", s->name,
                            f->name);
        list[out->marker_count++] = (lmb_marker_plan){s->name,
                                                      end     ? p->beam.b
                                                      : first ? p->beam.a
                                                              : s->at,
                                                      end     ? p->beam.elements
                                                      : first ? 1
                                                              : 0};
    }
    out->markers = list;
    return LMB_OK;
}

static lmb_status make_beam(lmb_ancf_beam **out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    lmb_arena *arena = lmb_build_arena(b);
    int stations = 2 * f->part.beam.elements + 1;
    lmb_ancf_beam *c = lmb_arena_get(arena, 1, sizeof *c);
    pose *station = lmb_arena_get(arena, (size_t)stations, sizeof *station);
    if (c == NULL || station == NULL) return lmb_fail_memory(err);
    *c = (lmb_ancf_beam){.type = f->element, .elements = f->part.beam.elements, .beta = f->keys.damping.beta};
    c->axes = f->element == LMB_ANCF_CABLE ? LMB_ANCF_TANGENT : (lmb_ancf_axes)f->axes;
    c->material = f->part.material;
    lmb_ancf_line line;
    lmb_status st = read_line(&line, b, f, err);
    if (st == LMB_OK) st = lmb_ancf_stations(station, &c->length, stations, &line, arena, err);
    for (int i = 0; i < stations && st == LMB_OK; i++) {
        double twist = lmb_beam_at(&f->part.beam, (double)i / (stations - 1), LMB_AFTER).twist;
        station[i].R = m3_mul(station[i].R, so3_exp(v3(twist, 0, 0)));
    }
    c->station = station;
    *out = c;
    return st == LMB_OK ? make_elements(c, arena, f, err) : st;
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    lmb_arena *arena = lmb_build_arena(b);
    int nodes = lmb_ancf_nodes(f->element), per_node = lmb_ancf_per_node(f->element);
    lmb_ancf_beam *c = NULL;
    lmb_block_plan *blocks = lmb_arena_get(arena, (size_t)(2 * nodes), sizeof *blocks);
    if (blocks == NULL) return lmb_fail_memory(err);
    lmb_status st = check_keys(b, f, err);
    if (st == LMB_OK) st = check_section(f, err);
    if (st == LMB_OK) st = make_beam(&c, b, f, err);
    if (st != LMB_OK) return st;
    double size = c->length;
    for (int i = 0; i <= 2 * c->elements; i++) size = fmax(size, v3_norm(c->station[i].r));
    for (int i = 0; i < nodes; i++) {
        blocks[2 * i] = (lmb_block_plan){LMB_BLOCK_POINT, 3, 0};
        blocks[2 * i + 1] = (lmb_block_plan){LMB_BLOCK_VECTOR, 3 * (per_node - 1), 1};
    }
    *out = (lmb_body_plan){.ops = &lmb_ancf_ops,
                           .block_count = 2 * nodes,
                           .blocks = blocks,
                           .work_count = sizeof(lmb_ancf_work) / sizeof(double),
                           .constants = c,
                           .size = size,
                           .part_count = c->elements,
                           .shared = 2,
                           .dependent = c->type == LMB_ANCF_CABLE};
    return interfaces(out, arena, f, err);
}

// ---- markers -----------------------------------------------------------------------------------

typedef struct stretch { // of the line, elements first to last
    int first, last;
} stretch;

static int nearest_station(const lmb_ancf_beam *c, stretch in, vec3 x) {
    int best = 2 * in.first;
    for (int i = best + 1; i <= 2 * in.last + 2; i++)
        if (v3_norm(v3_sub(c->station[i].r, x)) < v3_norm(v3_sub(c->station[best].r, x))) best = i;
    return best;
}

static int element_at(stretch in, double place) {
    int i = (int)floor(place + 1e-9);
    return i < in.last ? i : in.last;
}

// the nearest point on the line, 0 ... elements: (r - x) . r' = 0, starting at the nearest station
static double place_of(const lmb_ancf_beam *c, stretch in, vec3 x) {
    double h = c->length / c->elements, start = 0.5 * nearest_station(c, in, x), at = start;
    double low = fmax(in.first, start - 0.5), high = fmin(in.last + 1, start + 0.5);
    for (int i = 0; i < 30; i++) {
        vec3 e[LMB_ANCF_VECTORS];
        lmb_ancf_fields f;
        int element = element_at(in, at), count = lmb_ancf_nodes(c->type) * lmb_ancf_per_node(c->type);
        lmb_ancf_reference(e, c, element);
        lmb_ancf_fields_at(&f, c->type, h, at - element);
        vec3 d = v3_sub(x, lmb_ancf_sum(&f.r, e, count)), t = lmb_ancf_sum(&f.rx, e, count);
        double step = v3_dot(d, t) / (h * v3_dot(t, t));
        at = fmin(fmax(at + step, low), high);
        if (fabs(step) < 1e-13) break;
    }
    double station = round(2 * at) / 2; // where shape functions of other nodes are zero
    return fabs(at - station) < 1e-12 ? station : at;
}

static int part(const lmb_body *first, const pose *local) {
    const lmb_ancf_beam *c = first->constants;
    const stretch all = {0, c->elements - 1};
    return element_at(all, place_of(c, all, local->r));
}

static lmb_status site(const void **out, lmb_build *b, const lmb_body *body, const pose *local,
                       const lmb_marker *on, lmb_where where, lmb_error *err) {
    (void)where;
    const lmb_ancf_beam *c = body->constants;
    const lmb_ancf_site *other = on ? on->site : NULL;
    lmb_ancf_site *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    lmb_ancf_fields f;
    vec3 e[LMB_ANCF_VECTORS];
    if (s == NULL) return lmb_fail_memory(err);
    int count = lmb_ancf_nodes(c->type) * lmb_ancf_per_node(c->type);
    bool section = c->axes == LMB_ANCF_SECTION;
    s->at = other ? other->at : place_of(c, (stretch){body->part, body->part}, local->r) - body->part;
    lmb_ancf_fields_at(&f, c->type, c->length / c->elements, s->at);
    s->axes = c->axes;
    s->s = f.r;
    s->a = section ? f.ry : f.rx;
    s->b = section ? f.rz : f.ry;
    // the frame without deformation; a cable has the y direction that its line has there
    s->fixed_b = c->type == LMB_ANCF_CABLE;
    vec3 y = m3_column(&c->station[(int)round(2 * (body->part + s->at))].R, 1);
    lmb_ancf_reference(e, c, body->part);
    pose frame = {lmb_ancf_sum(&s->s, e, count),
                  lmb_ancf_frame(c->axes, lmb_ancf_sum(&s->a, e, count),
                                 s->fixed_b ? y : lmb_ancf_sum(&s->b, e, count))};
    s->local = pose_mul(pose_inv(frame), *local);
    mat3 world = lmb_build_start(b, body).R;
    s->b0 = m3_mul_v3(&world, y);
    *out = s;
    return LMB_OK;
}

const lmb_formulation lmb_formulation_ancf = {
    .name = "ancf", .ops = &lmb_ancf_ops, .plan = plan, .site = site, .part = part};
