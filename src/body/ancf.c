// body/ancf.c: beams in absolute nodal coordinates.                                      docs/theory/ancf.md
//
// The unknowns are places and slopes of the nodes in global components: constant mass matrix, constant
// gravity, no centrifugal terms, all of the nonlinearity in the elastic force.  A beam is a row of
// bodies, one per element, that share the blocks of the nodes between them: what is computed and what
// enters the matrix grows linearly with the number of elements.
//
//     M a + G(q) q - W g = forces            G from the products of nodal vectors
#include "body/ancf.h"

static const lmb_ancf_beam *beam_of(const lmb_body *b) { return b->constants; }

static void load(vec3 *e, const double *x, int count) {
    for (int i = 0; i < count; i++) e[i] = v3_load(x + 3 * i);
}

static void update(lmb_data *d, const lmb_body *b) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    lmb_ancf_work *k = lmb_ancf_work_of(d, b);
    double s[LMB_ANCF_PRODUCTS], rate[LMB_ANCF_PRODUCTS], beta = beam_of(b)->beta;
    load(k->e, d->q + b->iq, c->vectors);
    load(k->v, d->v + b->iv, c->vectors);
    // a translation changes nothing: positions from the first node on keep the digits
    for (int i = c->nodes - 1; i >= 0; i--) k->e[i * c->per_node] = v3_sub(k->e[i * c->per_node], k->e[0]);
    lmb_ancf_products(s, c, k->e);
    for (int i = 0; i < c->products; i++) s[i] -= c->p0[i];
    if (beta > 0) {
        vec3 v[LMB_ANCF_VECTORS];
        for (int i = 0; i < c->vectors; i++) v[i] = i % c->per_node == 0 ? v3_sub(k->v[i], k->v[0]) : k->v[i];
        lmb_ancf_product_rates(rate, c, k->e, v);
    }
    lmb_ancf_weights(k->G, c, s, beta > 0 ? rate : NULL, beta);
}

// r = M (a - g) + G e
static void inertia(double *r, const lmb_data *d, const lmb_body *b, const double *a) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    const lmb_ancf_work *k = lmb_ancf_work_of(d, b);
    vec3 g = v3_scale(d->load, b->model->gravity);
    for (int i = 0; i < c->vectors; i++) {
        vec3 f = v3_scale(-c->weight[i], g);
        for (int j = 0; j < c->vectors; j++) {
            f = v3_madd(f, c->M[i * c->vectors + j], v3_load(a + 3 * j));
            f = v3_madd(f, k->G[i * c->vectors + j], k->e[j]);
        }
        v3_store(r + 3 * i, f);
    }
    lmb_ancf_bending_force(r, c, k->e);
}

static void mass(double *M, const lmb_data *d, const lmb_body *b) {
    (void)d;
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    memset(M, 0, (size_t)(b->n * b->n) * sizeof *M);
    for (int i = 0; i < c->vectors; i++)
        for (int j = 0; j < c->vectors; j++)
            for (int k = 0; k < 3; k++) M[(3 * i + k) * b->n + 3 * j + k] = c->M[i * c->vectors + j];
}

static void tangent(double *D, double *K, const lmb_data *d, const lmb_body *b, const double *a) {
    (void)a;
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    const lmb_ancf_work *k = lmb_ancf_work_of(d, b);
    vec3 v[LMB_ANCF_VECTORS];
    for (int i = 0; i < c->vectors; i++) v[i] = i % c->per_node == 0 ? v3_sub(k->v[i], k->v[0]) : k->v[i];
    lmb_ancf_tangent(K, D, c, k->G, k->e, v, beam_of(b)->beta);
}

static void energy(lmb_energy *e, const lmb_data *d, const lmb_body *b) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    const lmb_ancf_work *k = lmb_ancf_work_of(d, b);
    for (int i = 0; i < c->vectors; i++) {
        vec3 q = v3_load(d->q + b->iq + 3 * i), p = V3_ZERO;
        for (int j = 0; j < c->vectors; j++) p = v3_madd(p, c->M[i * c->vectors + j], k->v[j]);
        e->kinetic += 0.5 * v3_dot(k->v[i], p);
        e->gravity -= c->weight[i] * v3_dot(q, b->model->gravity);
        e->momentum = v3_madd(e->momentum, c->weight[i], k->v[i]);
        e->spin = v3_add(e->spin, v3_cross(q, p));
    }
    e->strain += lmb_ancf_strain_energy(c, k->e);
}

// beta p'' Cd p'
static double dissipation(const lmb_data *d, const lmb_body *b) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    const lmb_ancf_work *k = lmb_ancf_work_of(d, b);
    double rate[LMB_ANCF_PRODUCTS], beta = beam_of(b)->beta, power = 0;
    vec3 v[LMB_ANCF_VECTORS];
    if (beta == 0) return 0;
    for (int i = 0; i < c->vectors; i++) v[i] = i % c->per_node == 0 ? v3_sub(k->v[i], k->v[0]) : k->v[i];
    lmb_ancf_product_rates(rate, c, k->e, v);
    for (int i = 0; i < c->products; i++)
        power += beta * rate[i] * lmb_dot(c->Cd + i * c->products, rate, c->products);
    return power;
}

static void section(double *out, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    const lmb_ancf_site *s = m->site;
    lmb_ancf_section_forces(out, lmb_ancf_of(b), &beam_of(b)->material, lmb_ancf_work_of(d, b)->e, s->at);
}

// r + y r_y + z r_z
static bool fibre(double *factors, const lmb_body *b, double at, double y, double z) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    lmb_ancf_fields f;
    lmb_ancf_fields_at(&f, c->type, c->length, at);
    for (int i = 0; i < c->vectors; i++) factors[i] = f.r.c[i] + y * f.ry.c[i] + z * f.rz.c[i];
    return c->type != LMB_ANCF_CABLE;
}

static const lmb_profile *profile(const lmb_body *b) { return lmb_ancf_of(b)->section; }

// the vectors of an element in the body frame: straight
static void straight(vec3 *e, const lmb_ancf_beam *c, int element) {
    int nodes = lmb_ancf_nodes(c->type), per_node = lmb_ancf_per_node(c->type);
    double h = c->length / c->elements;
    for (int i = 0; i < nodes; i++) {
        double x = h * (element + (double)i / (nodes - 1));
        e[i * per_node] = pose_point(&c->axis, v3(x, 0, 0));
        for (int k = 1; k < per_node; k++)
            e[i * per_node + k] = m3_column(&c->axis.R, c->type == LMB_ANCF_ENHANCED ? k : k - 1);
    }
}

static void start(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin) {
    const lmb_ancf_constants *c = lmb_ancf_of(b);
    vec3 e[LMB_ANCF_VECTORS];
    straight(e, beam_of(b), b->part);
    for (int i = 0; i < c->vectors; i++) {
        bool point = i % c->per_node == 0;
        vec3 x = m3_mul_v3(&p->R, e[i]);
        v3_store(q + 3 * i, point ? v3_add(p->r, x) : x);
        v3_store(v + 3 * i, v3_add(point ? velocity : V3_ZERO, v3_cross(spin, x)));
    }
}

// ---- clamped nodes -----------------------------------------------------------------------------

// slope k of the node (rows 3k..) += s_column along an axis, start value s0
static void put(lmb_clamp *c, int k, int column, vec3 axis, double s0) {
    for (int i = 0; i < 3; i++) c->S[(3 * k + i) * c->count + column] = v3_get(axis, i);
    c->s0[column] = s0;
}

// what a held frame F = [f1 f2 f3] leaves of the slopes.  section: r_y = s1 f1 + s2 f2, r_z = s2 f1 + s3
// f2, r_x free; tangent: r_x = s1 f1, r_y = s2 f1 + s3 f2, r_z free
static void clamp_slopes(lmb_clamp *c, const lmb_ancf_beam *beam, const mat3 *F) {
    vec3 f[3] = {m3_column(F, 0), m3_column(F, 1), m3_column(F, 2)};
    int slopes = lmb_ancf_per_node(beam->type) - 1, first = slopes == 3 ? 1 : 0; // of r_y
    bool section = beam->axes == LMB_ANCF_SECTION;
    *c = (lmb_clamp){.rows = 3 * slopes, .count = slopes == 3 ? 6 : section ? 3 : 1};
    if (section) {
        put(c, first, 0, f[0], 1), put(c, first, 1, f[1], 0);
        put(c, first + 1, 1, f[0], 0), put(c, first + 1, 2, f[1], 1);
        for (int k = 0; first && k < 3; k++) put(c, 0, 3 + k, f[k], k == 2);
        return;
    }
    put(c, 0, 0, f[0], 1);
    if (slopes < 3) return;
    put(c, 1, 1, f[0], 0), put(c, 1, 2, f[1], 1);
    for (int k = 0; k < 3; k++) put(c, 2, 3 + k, f[k], k == 2);
}

static int node(lmb_clamp *clamp, const lmb_body *b, const lmb_marker *m, const pose *p) {
    const lmb_ancf_beam *c = beam_of(b);
    const lmb_ancf_site *s = m->site;
    int last = lmb_ancf_nodes(c->type) - 1, at = (int)round(s->at * last);
    bool shared = (at == 0 && b->part > 0) || (at == last && b->part < c->elements - 1);
    *clamp = (lmb_clamp){0};
    if (shared || fabs(s->at * last - at) > 1e-9 || v3_norm(s->local.r) > 1e-9 * c->length) return -1;
    mat3 F = m3_mul(p->R, m3_t(s->local.R));
    if (c->type != LMB_ANCF_ENHANCED || c->axes == LMB_ANCF_SECTION) clamp_slopes(clamp, c, &F);
    return 2 * at;
}

static const lmb_body_ops ops = {
    .name = "ancf",
    .start = start,
    .update = update,
    .inertia = inertia,
    .mass = mass,
    .tangent = tangent,
    .marker = lmb_ancf_marker,
    .marker_bias = lmb_ancf_marker_bias,
    .marker_dJv = lmb_ancf_marker_dJv,
    .marker_dJtw = lmb_ancf_marker_dJtw,
    .node = node,
    .section = section,
    .energy = energy,
    .dissipation = dissipation,
    .fibre = fibre,
    .profile = profile,
};

// ---- reading -----------------------------------------------------------------------------------

static lmb_status refuse(const lmb_flexible *f, const char *key, const char *why, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(f->node, key),
                    "body '%s' in absolute nodal coordinates: %s", f->name, why);
}

static lmb_status check_keys(const lmb_flexible *f, lmb_error *err) {
    static const char *const modal[] = {"frame", "shapes", "geometric_stiffening", "stress", "mass"};
    for (int i = 0; i < LMB_COUNT(modal); i++)
        if (lmb_node_find(f->node, modal[i]))
            return refuse(f, modal[i], "this key belongs to `formulation: modal`; take it away", err);
    if (f->keys.damping.ratio > 0 || f->keys.damping.alpha > 0)
        return refuse(f, "damping", "damping is {beta: time}, proportional to the rate of strain", err);
    if (f->keys.damping.beta > 0 && f->element == LMB_ANCF_CABLE)
        return refuse(f, "damping", "a cable has no damping yet; take `element: enhanced`", err);
    if (!f->keys.rotary_inertia)
        return refuse(f, "rotary_inertia",
                      "the section has inertia; only `element: cable` goes without, by itself", err);
    if (f->keys.theory != LMB_TIMOSHENKO)
        return refuse(f, "theory",
                      "`enhanced` and `full` deform in shear; `element: cable` is the one that does not",
                      err);
    return LMB_OK;
}

static lmb_status check_section(const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_part *p = &f->part.beam;
    for (int i = 0; i < 2; i++) {
        const lmb_profile *s = &p->section[i];
        const char *key = i ? "end_section" : "section";
        if (p->offset[i][0] != 0 || p->offset[i][1] != 0)
            return refuse(f, i ? "end_offset" : "offset",
                          "the nodes are on the centroid; take the offset away", err);
        if (s->sizes > 0 && s->shape == LMB_PROFILE_L)
            return refuse(
                f, key,
                "an L section twists when it bends, which it cannot follow; take `formulation: modal`", err);
        bool solid = s->sizes > 0 && (s->shape == LMB_PROFILE_RECTANGLE || s->shape == LMB_PROFILE_CIRCLE ||
                                      s->shape == LMB_PROFILE_TUBE);
        if (f->element == LMB_ANCF_FULL && !solid)
            return refuse(
                f, key,
                "`element: full` integrates over a rectangle, circle or tube; take `element: enhanced` "
                "for other sections",
                err);
        if (f->element == LMB_ANCF_CABLE && fabs(s->Iy - s->Iz) > 1e-9 * (s->Iy + s->Iz))
            return refuse(f, key,
                          "a cable bends alike in all directions; its section needs Iy = Iz (take a circle)",
                          err);
    }
    if (!(f->part.material.nu > -1 && f->part.material.nu < 0.5))
        return refuse(f, "material", "Poisson's ratio must be above -1 and below 0.5", err);
    return LMB_OK;
}

static lmb_status make_elements(lmb_ancf_beam *c, lmb_arena *arena, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_part *p = &f->part.beam;
    bool tapered = memcmp(&p->section[0], &p->section[1], sizeof p->section[0]) != 0;
    c->element = lmb_arena_get(arena, (size_t)c->elements, sizeof *c->element);
    if (c->element == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < c->elements; i++) {
        vec3 reference[LMB_ANCF_VECTORS];
        lmb_ancf_constants *made = NULL;
        straight(reference, c, i);
        lmb_ancf_make make = {.type = c->type, .length = c->length / c->elements, .reference = reference};
        make.material = p->material, make.line_mass = p->line_mass;
        for (int k = 0; k < 2; k++)
            make.section[k] =
                tapered ? lmb_profile_between(&p->section[0], &p->section[1], (double)(i + k) / c->elements)
                        : p->section[0];
        if (i > 0 && !tapered) { // all alike
            c->element[i] = c->element[0];
            continue;
        }
        lmb_status st = lmb_ancf_constants_make(&made, arena, &make, err);
        if (st != LMB_OK) return st;
        c->element[i] = made;
    }
    return LMB_OK;
}

// its ends and other interfaces are markers
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
                            "interface '%s' of body '%s' is start, end, or {at: [x, y, z]}", s->name,
                            f->name);
        list[out->marker_count++] = (lmb_marker_plan){s->name, end ? p->beam.b : first ? p->beam.a : s->at};
    }
    out->markers = list;
    return LMB_OK;
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_part *p = &f->part.beam;
    lmb_arena *arena = lmb_build_arena(b);
    int nodes = lmb_ancf_nodes(f->element), per_node = lmb_ancf_per_node(f->element);
    lmb_ancf_beam *c = lmb_arena_get(arena, 1, sizeof *c);
    lmb_block_plan *blocks = lmb_arena_get(arena, (size_t)(2 * nodes), sizeof *blocks);
    if (c == NULL || blocks == NULL) return lmb_fail_memory(err);
    vec3 along = v3_sub(p->b, p->a), x = v3_unit(along), z = v3_unit(v3_cross(x, p->up));
    *c = (lmb_ancf_beam){
        .type = f->element, .elements = p->elements, .length = v3_norm(along), .beta = f->keys.damping.beta};
    c->axes = f->element == LMB_ANCF_CABLE ? LMB_ANCF_TANGENT : (lmb_ancf_axes)f->axes;
    c->axis = (pose){p->a, m3_columns(x, v3_cross(z, x), z)};
    c->material = p->material;
    lmb_status st = check_keys(f, err);
    if (st == LMB_OK) st = check_section(f, err);
    if (st == LMB_OK) st = make_elements(c, arena, f, err);
    if (st != LMB_OK) return st;
    for (int i = 0; i < nodes; i++) {
        blocks[2 * i] = (lmb_block_plan){LMB_BLOCK_POINT, 3, 0};
        blocks[2 * i + 1] = (lmb_block_plan){LMB_BLOCK_VECTOR, 3 * (per_node - 1), 1};
    }
    *out = (lmb_body_plan){.ops = &ops,
                           .block_count = 2 * nodes,
                           .blocks = blocks,
                           .work_count = sizeof(lmb_ancf_work) / sizeof(double),
                           .constants = c,
                           .size = fmax(v3_norm(p->a), fmax(v3_norm(p->b), c->length)),
                           .part_count = c->elements,
                           .shared = 2,
                           .dependent = c->type == LMB_ANCF_CABLE};
    return interfaces(out, arena, f, err);
}

// ---- markers -----------------------------------------------------------------------------------

// place on the axis, 0 .. elements
static double place_of(const lmb_ancf_beam *c, vec3 x) {
    double at = v3_dot(m3_column(&c->axis.R, 0), v3_sub(x, c->axis.r)) / c->length;
    return fmin(fmax(at, 0), 1) * c->elements;
}

static int part(const lmb_body *first, const pose *local) {
    const lmb_ancf_beam *c = beam_of(first);
    int i = (int)floor(place_of(c, local->r) + 1e-9);
    return i < c->elements ? i : c->elements - 1;
}

static lmb_status site(const void **out, lmb_build *b, const lmb_body *body, const pose *local,
                       const lmb_marker *on, lmb_where where, lmb_error *err) {
    (void)where;
    const lmb_ancf_beam *c = beam_of(body);
    const lmb_ancf_site *other = on ? on->site : NULL;
    lmb_ancf_site *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    lmb_ancf_fields f;
    if (s == NULL) return lmb_fail_memory(err);
    s->at = other ? other->at : place_of(c, local->r) - body->part;
    double h = c->length / c->elements;
    lmb_ancf_fields_at(&f, c->type, h, s->at);
    bool section = c->axes == LMB_ANCF_SECTION;
    s->axes = c->axes;
    s->s = f.r;
    s->a = section ? f.ry : f.rx;
    s->b = section ? f.rz : f.ry;
    s->fixed_b = c->type == LMB_ANCF_CABLE;
    // the frame without deformation: section axes in the order y, z, x, or tangent first
    const mat3 *R = &c->axis.R;
    mat3 F = section ? m3_columns(m3_column(R, 1), m3_column(R, 2), m3_column(R, 0)) : *R;
    pose frame = {pose_point(&c->axis, v3(h * (body->part + s->at), 0, 0)), F};
    s->local = pose_mul(pose_inv(frame), *local);
    mat3 world = lmb_build_start(b, body).R;
    s->b0 = m3_mul_v3(&world, m3_column(R, 1));
    *out = s;
    return LMB_OK;
}

const lmb_formulation lmb_formulation_ancf = {
    .name = "ancf", .ops = &ops, .plan = plan, .site = site, .part = part};
