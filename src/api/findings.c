// api/findings.c: what may be wrong with a model although every equation is satisfied, for people.
#include "api/handles.h"

static const double SMALL = 0.01; // of the model size, or rad: not worth a line

static bool add_moved(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->moved <= SMALL * m->length && f->turned <= SMALL) return true;
    return lmb_text_add(
        out,
        "    the equilibrium is up to %.3g m and %.3g rad away from where statics began (largest "
        "at body '%s')\n",
        f->moved, f->turned, m->bodies[f->moved_body].name);
}

static bool add_buckled(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->buckled < 0) return true;
    if (f->growth > 0)
        return lmb_text_add(
            out,
            "    warning: at the end body '%s' is in an unstable equilibrium, compressed beyond its buckling "
            "load, and stays in it because nothing disturbs it: a disturbance would grow by e in %.2g s; add "
            "one, such as a small load across\n",
            m->bodies[f->buckled].name, 1 / f->growth);
    return lmb_text_add(
        out,
        "    body '%s' buckles: the equilibrium next to the initial position is unstable; this one, to "
        "which the body moves when it is disturbed, is %s\n",
        m->bodies[f->buckled].name, f->unstable == 0 ? "stable" : "less so");
}

static bool add_fallen(lmb_text *out, const lmb_findings *f) {
    if (!f->fell) return true;
    return lmb_text_add(
        out,
        "    the model has several equilibria: one that the loads lead to is unstable; this one, into which "
        "the model falls from there, is %s; for another one start nearer to it\n",
        f->unstable == 0 ? "stable" : "less so");
}

static bool add_folded(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->folded < 0) return true;
    const lmb_body *b = &m->bodies[f->folded];
    return lmb_text_add(
        out,
        "    warning: at t = %.6g s element %d of body '%s' has folded up, its sections turned by more than "
        "70 "
        "degrees against its axis, which no beam does: results from then on are meaningless; use more "
        "elements or a smaller tolerance\n",
        f->folded_time, b->part + 1, b->name);
}

static bool add_unstable(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->unstable == LMB_STABILITY_UNKNOWN)
        return lmb_text_add(out,
                            "    whether this equilibrium is stable is not known: that is examined up to %d "
                            "coordinates, and the model has %d; dynamics from here shows it\n",
                            LMB_STABILITY_LARGEST, m->ny);
    if (f->unstable <= 0) return true;
    if (f->turning)
        return lmb_text_add(out,
                            "    warning: centrifugal forces exceed the stiffness in %d direction%s of this "
                            "steady rotation: damping in "
                            "the turning bodies makes it unstable (`modes` shows whether it is without); "
                            "start nearer to a stable one\n",
                            f->unstable, f->unstable == 1 ? "" : "s");
    return lmb_text_add(
        out,
        "    warning: this equilibrium is unstable in %d direction%s: the slightest disturbance makes "
        "the model leave it; start nearer to a stable one, or disturb it\n",
        f->unstable, f->unstable == 1 ? "" : "s");
}

static bool add_stop(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->stop < 0) return true;
    return lmb_text_add(
        out,
        "    warning: '%s' is exceeded in the initial position; the stop pushes back with a stored "
        "energy of %.3g J: correct the initial position or the limit\n",
        m->forces[f->stop].name, f->stop_energy);
}

static bool add_start(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->start_energy <= 0) return true;
    return lmb_text_add(
        out,
        "    the model starts in motion, but without the deformation that belongs to it: elastic "
        "vibrations begin with %.3g J (largest in body '%s'); `start: quasi_static` begins "
        "without them\n",
        f->start_energy, m->bodies[f->start_body].name);
}

static bool add_off_equilibrium(lmb_text *out, const lmb_findings *f) {
    if (!f->accelerates) return true;
    return lmb_text_add(out,
                        "    warning: these modes are about a state that is not an equilibrium; put `type: "
                        "statics` before `type: modes`\n");
}

static bool add_jump(lmb_text *out, const lmb_jump *j) {
    if (j->joint == NULL) return true;
    return lmb_text_add(
        out,
        "    warning: the prescribed motion of joint '%s' jumps by %.3g %s at t = %.6g s, which no "
        "force can do: forces and energy are not meaningful there; use a ramp instead\n",
        j->joint, j->size, j->angle ? "rad" : "m", j->time);
}

// a jump of a motion opens joints for a moment
static bool add_gap(lmb_text *out, const lmb_model *m, const lmb_findings *f, const lmb_jump *j) {
    if (f->gap <= 0 || j->joint) return true;
    return lmb_text_add(
        out,
        "    warning: joint '%s' is open by %.3g of the model size (or rad) at t = %.6g s: constraints or "
        "prescribed motions contradict each other there, so forces are not meaningful; `limber check` lists "
        "redundant constraints\n",
        m->joints[f->gap_joint].name, f->gap, f->gap_time);
}

static bool add_shared(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->shared < 0) return true;
    return lmb_text_add(
        out,
        "    warning: the normal force of '%s' depends on how redundant constraints share the "
        "load, which is a convention (least squares; formalisms may differ): the friction is "
        "not meaningful; remove the redundant constraints that `limber check` lists\n",
        m->forces[f->shared].name);
}

static bool add_handed(lmb_text *out, const lmb_findings *f) {
    if (f->handed_time < 0) return true;
    return lmb_text_add(
        out,
        "    the equations are stiff from t = %.6g s on: alpha went on from there instead of dopri "
        "(`integrator: alpha` uses it from the start)\n",
        f->handed_time);
}

static bool add_unlike(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->unlike <= 0) return true;
    return lmb_text_add(
        out,
        "    warning: body '%s' carries '%s', which has %.2g times its mass: an explicit method loses as "
        "many digits of accelerations and reactions; use `integrator: alpha` or `radau`, `formalism: "
        "partitioning`, or give '%s' a realistic mass\n",
        m->bodies[f->light].name, m->bodies[f->heavy].name, f->unlike, m->bodies[f->light].name);
}

static bool add_blind(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (f->blind < 0) return true;
    return lmb_text_add(
        out,
        "    warning: '%s' acts about an axis, and at t = %.6g s its second body has tilted to within %.2g "
        "rad "
        "of the orientation in which the angle about this axis is not defined: its torque is not meaningful "
        "from then on; hold the axis by a joint, choose another `axis`, or use a `bushing`\n",
        m->forces[f->blind].name, f->blind_time, f->blind_angle);
}

// the first joint or force at a marker
static const char *acts_at(const lmb_model *m, int marker) {
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].marker_count; k++)
            if (m->joints[i].marker[k] == marker) return m->joints[i].name;
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].marker[0] == marker || m->forces[i].marker[1] == marker) return m->forces[i].name;
    return "";
}

static bool add_twist(lmb_text *out, const lmb_model *m, const lmb_findings *f) {
    if (!lmb_findings_twists(f)) return true;
    const lmb_body *b = &m->bodies[m->markers[f->twisted].body];
    return lmb_text_add(
        out,
        "    warning: '%s' exerts a torque of up to %.3g Nm about the axis of cable '%s', which has no "
        "torsion: "
        "nothing bears it, as if the ground held what is joined there; leave that rotation free "
        "(`spherical`), or use `element: enhanced`\n",
        acts_at(m, f->twisted), f->twist, (b - b->part)->name);
}

// the first body whose equations do not conserve energy; NULL: all do
static const lmb_body *unconserved(const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++)
        if (m->bodies[i].ops->look.unconserved && m->bodies[i].ops->look.unconserved(&m->bodies[i]))
            return &m->bodies[i];
    return NULL;
}

// after a jump of a motion it means nothing
static bool add_drift(lmb_text *out, const lmb_model *m, const lmb_findings *f, const lmb_jump *j) {
    const double LEAST = 1e-3; // of the energy exchanged, for which a body may be to blame
    double drift, exchanged;
    lmb_findings_drift(&drift, &exchanged, f);
    const lmb_body *b = drift > LEAST * exchanged ? unconserved(m) : NULL;
    if (j->joint || (b == NULL && !lmb_findings_drifts(f))) return true;
    if (b)
        return lmb_text_add(
            out,
            "    warning: the energy balance drifts by %.3g J, %.3g %% of the energy exchanged: body '%s' "
            "has "
            "`%s`, which leaves terms out that conserve energy, so that no tolerance reduces this; omit it, "
            "unless for comparison\n",
            drift, 100 * drift / exchanged, b->name, b->ops->look.unconserved(b));
    return lmb_text_add(
        out,
        "    warning: the energy balance drifts by %.3g J, %.3g %% of the energy exchanged; a smaller "
        "tolerance or step should reduce this (docs/guide/results.md, Energy)\n",
        drift, 100 * drift / exchanged);
}

bool lmb_remarks_write(lmb_text *out, const lmb_model *m) {
    bool ok = true;
    for (const lmb_remark *r = m->remarks; ok && r; r = r->next) ok = lmb_text_add(out, "    %s\n", r->text);
    return ok;
}

bool lmb_loose_write(lmb_text *out, const lmb_model *m) {
    int loose;
    if (!lmb_loose_body(&loose, m)) return false;
    return loose < 0 ||
           lmb_text_add(out,
                        "    note: body '%s' is held by nothing and falls freely: no joint or force acts "
                        "on it, only gravity; add one, unless it is meant to fall\n",
                        m->bodies[loose].name);
}

bool lmb_findings_write(lmb_text *out, const lmb_model *m, const lmb_findings *f, const lmb_jump *j) {
    return add_moved(out, m, f) && add_buckled(out, m, f) && add_fallen(out, f) && add_unstable(out, m, f) &&
           add_folded(out, m, f) && add_jump(out, j) && add_stop(out, m, f) && add_start(out, m, f) &&
           add_off_equilibrium(out, f) && add_gap(out, m, f, j) && add_shared(out, m, f) &&
           add_handed(out, f) && add_unlike(out, m, f) && add_blind(out, m, f) && add_twist(out, m, f) &&
           add_drift(out, m, f, j);
}
