// body/beam.c: `type: beam`: a beam in any formulation.
#include "body/flexible.h"

#include <limits.h>
#include <string.h>

// clang-format off
static const lmb_key parts_forms[] = {
    {"count", LMB_KEY_INTEGER, .flags = LMB_KEY_POSITIVE}, {"auto", LMB_KEY_CHOICE, .choices = "auto"}, {0},
};
static const lmb_key keys[] = {
    LMB_BODY_KEYS,
    {"formulation", LMB_KEY_CHOICE, offsetof(lmb_flexible, formulation), 0, {0}, LMB_BEAM_FORMULATIONS, 0,
     "Formulation: floating frame with shape functions (modal, the default), rigid body (rigid), superelement with the frames of its interfaces as unknowns (superelement), absolute nodal coordinates (ancf), or rigid segments connected by springs, one spring per element (lumped)."},
    LMB_PART_BEAM_KEYS(lmb_flexible, keys),
    LMB_PART_SOLID_KEYS(lmb_flexible, keys),
    LMB_PART_COMMON_KEYS(lmb_flexible, keys),
    LMB_PART_MARKERS_KEY(lmb_flexible, keys, "watch"),
    {"parts", LMB_KEY_NODE, offsetof(lmb_flexible, divide), 0, {0}, "a positive integer, or auto", parts_forms,
     "modal, rigid, superelement: number of bodies of equal length, rigidly connected in series, each with these shapes and this frame (default 1); auto: one, and if the run shows that the beam bends too far for that, `limber run` starts again with as many as it takes."},
    LMB_INERTIA_KEY,
    {"sliding", LMB_KEY_NAMED, offsetof(lmb_flexible, sliding), 0, {0}, 0, lmb_body_marker_keys,
     "modal, rigid: markers that slide along the beam without friction, given by their initial positions; joints and forces act at their current positions."},
    {"through", LMB_KEY_NODE, offsetof(lmb_flexible, through), 0, LMB_LENGTH, "[[x, y, z], ...]", 0,
     "ancf: intermediate points of a curved beam between `from` and `to`, m (default: straight)."},
    {"curve", LMB_KEY_CHOICE, offsetof(lmb_flexible, arc), 0, {0}, "spline|arc", 0,
     "ancf: curve through these points: a spline with continuous curvature (spline, the default), or a circular arc through one point (arc)."},
    {"start_tangent", LMB_KEY_VEC3, offsetof(lmb_flexible, tangent[0]), 0, {0}, 0, 0,
     "ancf: direction of the spline at its start (default: free, with zero curvature there)."},
    {"end_tangent", LMB_KEY_VEC3, offsetof(lmb_flexible, tangent[1]), 0, {0}, 0, 0, "ancf: direction of the spline at its end."},
    {"element", LMB_KEY_CHOICE, offsetof(lmb_flexible, element), 0, {0}, "enhanced|full|cable", 0,
     "ancf: element type: free of locking (enhanced, the default), as originally published (full), or thin without cross-section slopes (cable)."},
    {"axes", LMB_KEY_CHOICE, offsetof(lmb_flexible, axes), 0, {0}, "section|tangent", 0,
     "ancf: markers rotate with the cross-section (section, the default) or with the tangent of the axis (tangent; always for cables)."},
    {"strain", LMB_KEY_CHOICE, offsetof(lmb_flexible, strain), 0, {0}, "green|engineering", 0,
     "ancf: axial strain to which the normal force is proportional: Green strain (green, the default), or elongation by length as in the other formulations (engineering; not for `element: full`). They differ by half the square of the strain."},
    {0},
};
// clang-format on

static lmb_status check_line(const lmb_flexible *f, const char *what, lmb_error *err) {
    static const char *const curved[] = {"through", "curve", "start_tangent", "end_tangent"};
    for (int i = 0; i < LMB_COUNT(curved) && lmb_formulations[f->formulation] != &lmb_formulation_ancf; i++)
        if (lmb_node_find(f->node, curved[i]))
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(f->node, curved[i]),
                            "%s: `%s` requires `formulation: ancf`; other beams are straight", what,
                            curved[i]);
    return LMB_OK;
}

// `parts: auto` is a beam in one part; a run that finds that too few writes the number in place of it (api/divide.h)
static lmb_status read_parts(lmb_flexible *f, lmb_spec *s, const char *what, lmb_error *err) {
    double n = 1;
    if (f->divide == NULL || (f->divide->kind == LMB_NODE_SCALAR && strcmp(f->divide->text, "auto") == 0))
        return LMB_OK;
    lmb_status st = lmb_spec_value(&n, s, f->divide, err);
    if (st == LMB_OK && !(n >= 1 && n <= INT_MAX && n == floor(n)))
        st = lmb_fail(err, LMB_ERR_INPUT, f->divide->where,
                      "%s: `parts` must be a positive integer or auto, not %g", what, n);
    f->parts = st == LMB_OK ? (int)n : 1;
    return st;
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node, const char *name,
                       lmb_error *err) {
    lmb_flexible *f = read;
    f->node = node, f->name = name;
    const char *what = lmb_flexible_what(b, name);
    if (what == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_part_finish(&f->part, lmb_build_spec(b), &f->keys, LMB_PART_BEAM, node, what, err);
    if (st == LMB_OK) st = read_parts(f, lmb_build_spec(b), what, err);
    if (st != LMB_OK) return st;
    const lmb_formulation *with = lmb_formulations[f->formulation];
    if (f->sliding && with != &lmb_formulation_modal && with != &lmb_formulation_rigid)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "sliding"),
                        "%s: `sliding` requires `formulation: modal` or `rigid`", what);
    st = check_line(f, what, err);
    if (st == LMB_OK) st = lmb_flexible_plan(out, b, f, err);
    if (st != LMB_OK || f->sliding == NULL || f->sliding->count == 0) return st;
    out->track_markers = f->sliding;
    return lmb_track_plan(&out->track, b, out, f, err);
}

const lmb_body_kind lmb_body_beam = {
    .doc = {"beam", "A flexible beam with bending, stretching and torsion.", keys},
    .read_size = sizeof(lmb_flexible),
    .defaults = lmb_flexible_defaults,
    .plan = plan,
    .site = lmb_flexible_site,
    .part = lmb_flexible_part,
    .reduces = true,
};
