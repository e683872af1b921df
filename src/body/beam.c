// body/beam.c: `type: beam`: a beam in any formulation.
#include "body/flexible.h"

// clang-format off
static const lmb_key keys[] = {
    LMB_BODY_KEYS,
    {"formulation", LMB_KEY_CHOICE, offsetof(lmb_flexible, formulation), 0, {0}, LMB_BEAM_FORMULATIONS, 0,
     "How it deforms: in a floating frame with shape functions (modal, the default), not at all (rigid), with the frames of its interfaces as the only unknowns (superelement), or in absolute nodal coordinates (ancf)."},
    LMB_PART_BEAM_KEYS(lmb_flexible, keys),
    LMB_PART_SOLID_KEYS(lmb_flexible, keys),
    LMB_PART_COMMON_KEYS(lmb_flexible, keys),
    LMB_PART_MARKERS_KEY(lmb_flexible, keys, "watch"),
    {"parts", LMB_KEY_INTEGER, offsetof(lmb_flexible, parts), LMB_KEY_POSITIVE, {0}, 0, 0,
     "modal, rigid, superelement: so many bodies of equal length in a row, rigidly joined, each with these shapes and this frame (1)."},
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
    if (f->parts > 1 && lmb_formulations[f->formulation] == &lmb_formulation_ancf)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "parts"),
                        "%s: `parts` is for `formulation: modal`, `rigid` and `superelement`; a beam in "
                        "absolute nodal coordinates is divided by `elements`",
                        what);
    st = check_line(f, what, err);
    return st == LMB_OK ? lmb_flexible_plan(out, b, f, err) : st;
}

const lmb_body_kind lmb_body_beam = {
    .doc = {"beam", "A beam that bends, stretches and twists.", keys},
    .read_size = sizeof(lmb_flexible),
    .defaults = lmb_flexible_defaults,
    .plan = plan,
    .site = lmb_flexible_site,
    .part = lmb_flexible_part,
};
