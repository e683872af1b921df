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

static lmb_status plan(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node, const char *name,
                       lmb_error *err) {
    const reduced *r = read;
    lmb_flex *flex = NULL;
    lmb_status st = lmb_build_flex(&flex, b, node, "file", r->file, err);
    return st == LMB_OK ? lmb_modal_plan_flex(out, b, flex, r->stiffening, node, name, err) : st;
}

const lmb_body_kind lmb_body_reduced = {
    .doc = {"reduced", "A flexible body from a body file written by `limber reduce`.", keys},
    .ops = &lmb_modal_ops,
    .read_size = sizeof(reduced),
    .plan = plan,
    .site = lmb_modal_site_make,
};
