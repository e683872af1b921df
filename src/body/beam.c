// body/beam.c: `type: beam`: a beam in any formulation.
#include "body/flexible.h"

// clang-format off
static const lmb_key keys[] = {
    LMB_BODY_KEYS,
    {"formulation", LMB_KEY_CHOICE, offsetof(lmb_flexible, formulation), 0, {0}, LMB_BEAM_FORMULATIONS, 0,
     "How it deforms: in a floating frame with shape functions (modal, the default), not at all (rigid), with the frames of its interfaces as the only unknowns (superelement), in absolute nodal coordinates (ancf), or as rigid segments joined by springs, one spring an element (lumped)."},
    LMB_PART_BEAM_KEYS(lmb_flexible, keys),
    LMB_PART_SOLID_KEYS(lmb_flexible, keys),
    LMB_PART_COMMON_KEYS(lmb_flexible, keys),
    LMB_PART_MARKERS_KEY(lmb_flexible, keys, "watch"),
    {"parts", LMB_KEY_INTEGER, offsetof(lmb_flexible, parts), LMB_KEY_POSITIVE, {0}, 0, 0,
     "modal, rigid, superelement: so many bodies of equal length in a row, rigidly joined, each with these shapes and this frame (1)."},
    LMB_INERTIA_KEY,
    {"sliding", LMB_KEY_NAMED, offsetof(lmb_flexible, sliding), 0, {0}, 0, lmb_body_marker_keys,
     "modal, rigid: markers that slide along the beam without friction, by their places at the start; joints and forces act where they are."},
    {"through", LMB_KEY_NODE, offsetof(lmb_flexible, through), 0, LMB_LENGTH, "[[x, y, z], ..]", 0,
     "ancf: points between `from` and `to` of a curved beam, m (straight)."},
    {"curve", LMB_KEY_CHOICE, offsetof(lmb_flexible, arc), 0, {0}, "spline|arc", 0,
     "ancf: the curve through these points is smooth in its curvature (spline, the default), or the arc of a circle through one point (arc)."},
    {"start_tangent", LMB_KEY_VEC3, offsetof(lmb_flexible, tangent[0]), 0, {0}, 0, 0,
     "ancf: direction in which the spline starts (free: without curvature there)."},
    {"end_tangent", LMB_KEY_VEC3, offsetof(lmb_flexible, tangent[1]), 0, {0}, 0, 0, "ancf: direction in which it ends."},
    {"element", LMB_KEY_CHOICE, offsetof(lmb_flexible, element), 0, {0}, "enhanced|full|cable", 0,
     "ancf: free of locking (enhanced, the default), as first published (full), or thin without cross-section slopes (cable)."},
    {"axes", LMB_KEY_CHOICE, offsetof(lmb_flexible, axes), 0, {0}, "section|tangent", 0,
     "ancf: what markers turn with: the cross-section (section, the default), or the tangent of the axis (tangent; of cables always)."},
    {0},
};
// clang-format on

static lmb_status check_line(const lmb_flexible *f, const char *what, lmb_error *err) {
    static const char *const curved[] = {"through", "curve", "start_tangent", "end_tangent"};
    for (int i = 0; i < LMB_COUNT(curved) && lmb_formulations[f->formulation] != &lmb_formulation_ancf; i++)
        if (lmb_node_find(f->node, curved[i]))
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(f->node, curved[i]),
                            "%s: `%s` is for `formulation: ancf`; other beams are straight", what, curved[i]);
    return LMB_OK;
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node, const char *name,
                       lmb_error *err) {
    lmb_flexible *f = read;
    f->node = node, f->name = name;
    const char *what = lmb_flexible_what(b, name);
    if (what == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_part_finish(&f->part, lmb_build_spec(b), &f->keys, LMB_PART_BEAM, node, what, err);
    if (st != LMB_OK) return st;
    const lmb_formulation *with = lmb_formulations[f->formulation];
    if (f->parts > 1 && (with == &lmb_formulation_ancf || with == &lmb_formulation_lumped))
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(node, "parts"),
            "%s: `parts` is for `formulation: modal`, `rigid` and `superelement`; with `%s` a beam is "
            "divided by `elements`",
            what, with->name);
    if (f->sliding && with != &lmb_formulation_modal && with != &lmb_formulation_rigid)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "sliding"),
                        "%s: markers slide along beams of `formulation: modal` and `rigid` only", what);
    st = check_line(f, what, err);
    if (st == LMB_OK) st = lmb_flexible_plan(out, b, f, err);
    if (st != LMB_OK || f->sliding == NULL || f->sliding->count == 0) return st;
    out->track_markers = f->sliding;
    return lmb_track_plan(&out->track, b, out, f, err);
}

const lmb_body_kind lmb_body_beam = {
    .doc = {"beam", "A beam that bends, stretches and twists.", keys},
    .read_size = sizeof(lmb_flexible),
    .defaults = lmb_flexible_defaults,
    .plan = plan,
    .site = lmb_flexible_site,
    .part = lmb_flexible_part,
};
