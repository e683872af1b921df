// Bodies that cannot be evaluated in a state: trial states are rejected, and who fails for good is named.
#include "property_models.h"

// ---- bodies that refuse states -----------------------------------------------------------------

// A rigid body that works as ever but refuses: calls first..last of update, or angles of its frame about z beyond `angle`.
static struct {
    lmb_body_ops ops;
    lmb_status (*update)(double *work, const lmb_body_view *x);
    int calls, first, last;
    double angle;
} fragile;

static lmb_status refuse(double *work, const lmb_body_view *x) {
    lmb_status st = fragile.update(work, x);
    bool now = ++fragile.calls >= fragile.first && fragile.calls <= fragile.last;
    return now || fabs(q_log(q_load(x->q + 3)).z) > fragile.angle ? LMB_ERR_NUMERIC : st;
}

static void make_fragile(model *m, int first, int last, double angle) {
    lmb_body *b = &m->p->model->bodies[0];
    fragile.ops = *b->ops, fragile.update = b->ops->dynamics.update;
    fragile.calls = 0, fragile.first = first, fragile.last = last, fragile.angle = angle;
    fragile.ops.dynamics.update = refuse;
    b->ops = &fragile.ops;
}

static const char swing[] =
    "limber: 1\nplanar: off\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {arm: {mass: 1, inertia: 0.1, at: [0.5, 0, 0], markers: {pin: [-0.5, 0, 0]}, coordinates: %s}}\n"
    "joints: {pin: {type: revolute, between: [ground, arm.pin], axis: [0, 0, 1]%s}}\n"
    "sensors: {angle: {type: coordinate, of: pin}}\n"
    "analyses: [{type: %s}]\n";

// runs the first analysis; the caller compares status and text (m->err)
static lmb_status try_run(lmb_stats *stats, model *m) {
    lmb_run *r;
    lmb_status st = lmb_run_create(&r, m->p, &m->a, m->d, &m->err);
    if (st == LMB_OK) st = lmb_run_all(r, NULL, &m->err);
    if (stats) *stats = *lmb_run_stats(r);
    lmb_run_destroy(r);
    return st;
}

// ---- trial states ------------------------------------------------------------------------------

static const char *const methods[] = {
    "dynamics, until: 0.5, tolerance: 1e-6, integrator: alpha",
    "dynamics, until: 0.5, tolerance: 1e-6, integrator: radau",
#ifdef LMB_HAVE_SUNDIALS
    "dynamics, until: 0.5, tolerance: 1e-6, integrator: ida",
#endif
    "dynamics, until: 0.5, tolerance: 1e-6, integrator: dopri, formalism: partitioning"};

// the same with and without four refused calls in the middle of the run
static void check_goes_on(const char *coordinates, const char *method) {
    double angle[2] = {0};
    lmb_stats stats[2] = {0};
    int middle = 0;
    for (int k = 0; k < 2; k++) {
        model m;
        if (load(&m, swing, coordinates, "", method)) {
            make_fragile(&m, middle, k * (middle + 3), INFINITY);
            CHECK_OK(try_run(&stats[k], &m), m.err);
            CHECK(fragile.calls > middle + 3 && m.d->failed == -1); // the last states were accepted
            angle[k] = sensor_of(&m, m.d, "angle");
            middle = fragile.calls / 2;
        }
        unload(&m);
    }
    // only the status differed: another result means that it was heeded; the tolerance over some dozen steps
    CHECK(angle[1] != angle[0]);
    CHECK_NEAR(angle[1], angle[0], 1e-4);
    bool rejects =
        stats[1].rejected + stats[1].newton_failures > stats[0].rejected + stats[0].newton_failures;
    if (!CHECK(rejects || stats[1].steps > stats[0].steps || strstr(method, "ida"))) // which does not tell
        check_note("%s, %s: %ld steps, %ld before", method, coordinates, stats[1].steps, stats[0].steps);
}

TEST(integrators_reject_states_that_a_body_refuses_and_go_on) {
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        check_goes_on("absolute", methods[i]);
        check_goes_on("relative", methods[i]);
    }
}

// ---- for good ----------------------------------------------------------------------------------

static void check_named(const char *joint, const char *method, double angle) {
    for (int k = 0; k < 2; k++) {
        model m;
        if (load(&m, swing, k ? "relative" : "absolute", joint, method)) {
            make_fragile(&m, 0, -1, angle);
            CHECK(try_run(NULL, &m) == LMB_ERR_NUMERIC);
            if (!CHECK(strstr(m.err.text, "body 'arm' cannot be evaluated")))
                check_note("%s: %s", method, m.err.text);
        }
        unload(&m);
    }
}

TEST(a_body_that_fails_for_good_is_named) {
    for (int i = 0; i < LMB_COUNT(methods); i++) check_named("", methods[i], 0.5);
    check_named("", "dynamics, until: 0.5, step: 1e-3", 0.5);
    check_named(", motion: {angle: t}", "kinematics, until: 1", 0.5);
    check_named(", spring: {angle: {stiffness: 1}}", "statics", 0.5);
    check_named(", start: {angle: 1}", "dynamics, until: 1", 0.5); // on the way of the assembly
    check_named("", "dynamics, until: 1", -1);                     // as given
}

// ---- real ones ---------------------------------------------------------------------------------

static const char beams[] =
    "limber: 1\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: 1}\n"
    "  link: {type: beam, formulation: superelement, shapes: guyan, length: 2, elements: 4, "
    "section: {rectangle: [0.02, 0.02]}, "
    "material: {E: 1e9, nu: 0.3, density: 80}, geometric_stiffening: %s}\n"
    "  wire: {type: beam, formulation: ancf, length: 2, elements: 1, section: "
    "{circle: 0.01}, material: {E: 1e9, nu: "
    "0.3, density: 80}, at: [0, 1, 0]}\n"
    "  rail: {type: beam, length: 2, elements: 4, section: {rectangle: [0.02, "
    "0.02]}, material: {E: 1e9, nu: 0.3, "
    "density: 80}, at: [0, 2, 0], sliding: {shoe: [1, 0, 0]}}\n";

static int body_index(const lmb_model *m, const char *name, const char *kind) {
    for (int i = 0; i < m->body_count; i++)
        if (strcmp(m->bodies[i].name, name) == 0 && strcmp(m->bodies[i].ops->name, kind) == 0) return i;
    return -1;
}

// coordinates at.. at+count of a body become x: it cannot be evaluated, and with the old ones it can again
static void check_refuses(model *m, const char *name, const char *kind, int at, int count, double x) {
    const lmb_model *p = m->p->model;
    int body = body_index(p, name, kind);
    double kept[8], *q = m->d->q + p->bodies[body].iq + at;
    memcpy(kept, q, (size_t)count * sizeof *q);
    for (int i = 0; i < count; i++) q[i] = x;
    CHECK(lmb_update(m->d, p) == LMB_ERR_NUMERIC);
    CHECK(m->d->failed == body);
    memcpy(q, kept, (size_t)count * sizeof *q);
    CHECK(lmb_update(m->d, p) == LMB_OK);
    CHECK(m->d->failed == body); // until a state is accepted
    lmb_accept(m->d, p);
    CHECK(m->d->failed == -1);
}

TEST(bodies_refuse_states_in_which_they_cannot_be_evaluated) {
    static const char *const stiffening[] = {"on", "off"};
    for (int i = 0; i < 2; i++) {
        model m;
        if (load(&m, beams, stiffening[i])) {
            check_refuses(&m, "crank", "rigid", 3, 4, NAN);
            check_refuses(&m, "crank", "rigid", 3, 4, 0);
            check_refuses(&m, "link", "superelement", 3, 4, NAN);
            check_refuses(&m, "link", "superelement", 7, 3, NAN);
            check_refuses(&m, "wire", "ancf", 3, 3, 0); // a slope vanishes
            check_refuses(&m, "wire", "ancf", 0, 1, NAN);
            check_refuses(&m, "rail", "modal", 3, 4, 0);
            int track = body_index(m.p->model, "rail", "track");
            check_refuses(&m, "rail", "track", m.p->model->bodies[track].n, 1, INFINITY);
        }
        unload(&m);
    }
}

// A superelement whose ends are turned far against each other has no frame.
TEST(a_superelement_without_a_frame_is_refused) {
    model m;
    if (load(&m, beams, "off")) {
        const lmb_model *p = m.p->model;
        int body = body_index(p, "link", "superelement");
        double *q = m.d->q + p->bodies[body].iq;
        q_store(q + 3, q_exp(v3(1.8, -2, 2.2))), q_store(q + 10, q_exp(v3(-1.1, -2.8, 0.2)));
        v3_store(q + 7, v3(1.5, 2.5, -1.5));
        CHECK(lmb_update(m.d, p) == LMB_ERR_NUMERIC && m.d->failed == body);
    }
    unload(&m);
}
