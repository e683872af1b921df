// body/reduced.c: `type: reduced`: a flexible body that limber reduce made from a mesh, a CAD file or a beam.
#include "body/modal.h"

typedef struct reduced {
    lmb_body_common common;
    const char *file;
    int stiffening;
} reduced;

// clang-format off
static const lmb_key keys[] = {
    LMB_BODY_KEYS,
    {"file", LMB_KEY_TEXT, offsetof(reduced, file), LMB_KEY_REQUIRED, {0}, 0, 0,
     "Flexible body, one of" LMB_BODY_FORMATS(LMB_FORMAT_INSIDE) " relative to this file."},
    {"geometric_stiffening", LMB_KEY_CHOICE, offsetof(reduced, stiffening), 0, {0}, "on|papers|off", 0,
     "Geometric stiffening due to rotation, acceleration and interface loads (default on)."},
    {0},
};
// clang-format on

// files of older versions
static lmb_status remark_first_order(lmb_build *b, const lmb_flex *f, const reduced *r, const char *name,
                                     lmb_error *err) {
    if (f->foreign || r->stiffening != LMB_STIFFENING_ON || f->m == 0 || f->stiffening_count == 0 ||
        f->second_count > 0)
        return LMB_OK;
    const char *text =
        lmb_arena_printf(lmb_build_arena(b),
                         "body '%s': '%s' has no second-order displacement: markers that are not "
                         "interfaces, and pictures, are of first order; run limber reduce again",
                         name, r->file);
    return text && lmb_build_remark(b, text) ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status remark_no_residual(lmb_build *b, const lmb_flex *f, const reduced *r, const char *name,
                                     lmb_error *err) {
    if (f->m == 0 || f->stress_places == 0 || f->residual_count > 0) return LMB_OK;
    const char *text = lmb_arena_printf(
        lmb_build_arena(b),
        "body '%s': '%s' has no residual fields: stresses are those of the shape functions alone; run limber "
        "reduce again (with `static_correction: on`)",
        name, r->file);
    return text && lmb_build_remark(b, text) ? LMB_OK : lmb_fail_memory(err);
}

// files of other programs
static lmb_status remark_doubts(lmb_build *b, const lmb_flex *f, const reduced *r, const char *name,
                                lmb_error *err) {
    if (f->doubts == NULL) return LMB_OK;
    const char *text = lmb_arena_printf(lmb_build_arena(b), "body '%s': '%s': %s", name, r->file, f->doubts);
    return text && lmb_build_remark(b, text) ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node, const char *name,
                       lmb_error *err) {
    const reduced *r = read;
    lmb_flex *flex = NULL;
    lmb_status st = lmb_build_flex(&flex, b, node, "file", r->file, err);
    if (st != LMB_OK) return st;
    st = remark_first_order(b, flex, r, name, err);
    if (st == LMB_OK) st = remark_doubts(b, flex, r, name, err);
    if (st == LMB_OK) st = remark_no_residual(b, flex, r, name, err);
    if (st != LMB_OK) return lmb_flex_destroy(flex), st;
    return lmb_modal_plan_flex(out, b, flex, r->stiffening, node, name, err);
}

const lmb_body_kind lmb_body_reduced = {
    .doc = {"reduced", "A flexible body from a body file written by `limber reduce` or by another program.",
            keys},
    .ops = &lmb_modal_ops,
    .read_size = sizeof(reduced),
    .plan = plan,
    .site = lmb_modal_site_make,
};
