// body/mesh.c: `type: mesh` and `type: matrices`: a finite element part, described in the model or in a separate file.
#include "body/flexible.h"

// clang-format off
#define FORMULATION_KEY                                                                                            \
    {"formulation", LMB_KEY_CHOICE, offsetof(lmb_flexible, formulation), 0, {0}, LMB_FORMULATIONS, 0,              \
     "Formulation: floating frame with shape functions (modal, the default), rigid body (rigid), or superelement with the frames of its interfaces as unknowns (superelement)."}
static const lmb_key mesh_keys[] = {
    LMB_BODY_KEYS,
    FORMULATION_KEY,
    LMB_INERTIA_KEY,
    {"part", LMB_KEY_TEXT, offsetof(lmb_flexible, part_file), 0, {0}, 0, 0,
     "Part file (.yaml) that describes the part, relative to this file, instead of the keys below."},
    LMB_PART_MESH_KEYS(lmb_flexible, keys, 0),
    LMB_PART_SOLID_KEYS(lmb_flexible, keys),
    LMB_PART_COMMON_KEYS(lmb_flexible, keys),
    LMB_PART_MARKERS_KEY(lmb_flexible, keys, "watch"),
    {0},
};
static const lmb_key matrices_keys[] = {
    LMB_BODY_KEYS,
    FORMULATION_KEY,
    LMB_INERTIA_KEY,
    LMB_PART_MATRICES_KEYS(lmb_flexible, keys),
    LMB_PART_COMMON_KEYS(lmb_flexible, keys),
    LMB_PART_MARKERS_KEY(lmb_flexible, keys, "watch"),
    {0},
};
// clang-format on

// a part file excludes the keys of a part
static lmb_status check_alone(const lmb_node *node, const char *what, lmb_error *err) {
    for (const lmb_key *k = mesh_keys; k->name; k++) {
        const lmb_node *n = lmb_node_find(node, k->name);
        bool of_part = k->offset >= offsetof(lmb_flexible, keys) &&
                       k->offset < offsetof(lmb_flexible, keys) + sizeof(lmb_part_keys);
        if (n && of_part)
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "%s has both 'part' and '%s'; move it to the part file, or give all keys here",
                            what, k->name);
    }
    return LMB_OK;
}

static lmb_status check_needed(const lmb_node *node, const char *what, lmb_error *err) {
    if (lmb_node_find(node, "file") == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, node->where,
                        "%s needs 'file' (a mesh or geometry) or 'part' (a part file)", what);
    return LMB_OK;
}

// a part of any kind from its file
static lmb_status take_part(lmb_flexible *f, lmb_build *b, const char *what, lmb_error *err) {
    lmb_status st = check_alone(f->node, what, err);
    if (st == LMB_OK) st = lmb_build_part(&f->part, b, f->node, "part", f->part_file, err);
    f->keys = f->part.keys;
    return st;
}

static lmb_status plan(lmb_body_plan *out, lmb_build *b, lmb_flexible *f, lmb_part_kind kind,
                       lmb_error *err) {
    const char *what = lmb_flexible_what(b, f->name);
    lmb_status st = LMB_OK;
    if (what == NULL) return lmb_fail_memory(err);
    if (f->part_file) {
        st = take_part(f, b, what, err);
    } else {
        if (kind == LMB_PART_MESH) st = check_needed(f->node, what, err);
        if (st == LMB_OK)
            st = lmb_part_finish(&f->part, lmb_build_spec(b), &f->keys, kind, f->node, what, err);
    }
    return st ? st : lmb_flexible_plan(out, b, f, err);
}

static lmb_status plan_mesh(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node,
                            const char *name, lmb_error *err) {
    lmb_flexible *f = read;
    f->node = node, f->name = name;
    return plan(out, b, f, LMB_PART_MESH, err);
}

static lmb_status plan_matrices(lmb_body_plan *out, lmb_build *b, void *read, const lmb_node *node,
                                const char *name, lmb_error *err) {
    lmb_flexible *f = read;
    f->node = node, f->name = name;
    return plan(out, b, f, LMB_PART_MATRICES, err);
}

const lmb_body_kind lmb_body_mesh = {
    .doc = {"mesh", "A flexible body from a mesh, CAD geometry or part file.", mesh_keys},
    .read_size = sizeof(lmb_flexible),
    .defaults = lmb_flexible_defaults,
    .plan = plan_mesh,
    .site = lmb_flexible_site,
    .part = lmb_flexible_part,
    .reduces = true,
};

const lmb_body_kind lmb_body_matrices = {
    .doc = {"matrices", "A flexible body from the stiffness and mass matrices of another program.",
            matrices_keys},
    .read_size = sizeof(lmb_flexible),
    .defaults = lmb_flexible_defaults,
    .plan = plan_matrices,
    .site = lmb_flexible_site,
    .part = lmb_flexible_part,
    .reduces = true,
};
