// body/flexible.c: one part, any formulation: shared by beams, meshes and matrices.
#include "body/flexible.h"

const lmb_formulation *const lmb_formulations[] = {&lmb_formulation_modal,        &lmb_formulation_rigid,
                                                   &lmb_formulation_superelement, &lmb_formulation_ancf,
                                                   &lmb_formulation_lumped,       NULL};

lmb_status lmb_flexible_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    out->ops = lmb_formulations[f->formulation]->ops;
    return lmb_formulations[f->formulation]->plan(out, b, f, err);
}

lmb_status lmb_flexible_site(const void **out, lmb_build *b, const lmb_body *body, const pose *local,
                             const lmb_marker *on, lmb_where where, lmb_error *err) {
    for (const lmb_formulation *const *k = lmb_formulations; *k; k++)
        if ((*k)->ops == body->ops) return (*k)->site(out, b, body, local, on, where, err);
    return LMB_OK;
}

int lmb_flexible_part(const lmb_body *first, const pose *local) {
    for (const lmb_formulation *const *k = lmb_formulations; *k; k++)
        if ((*k)->ops == first->ops && (*k)->part) return (*k)->part(first, local);
    return 0;
}

void lmb_flexible_defaults(void *read) {
    lmb_flexible *f = read;
    f->keys = lmb_part_defaults();
    f->parts = 1;
}

const char *lmb_flexible_what(lmb_build *b, const char *name) {
    return lmb_arena_printf(lmb_build_spec(b)->arena, "body '%s'", name);
}

lmb_status lmb_flexible_refuse(const lmb_flexible *f, const char *kind, const char *key, const char *why,
                               lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(f->node, key), "body '%s' %s: %s", f->name, kind, why);
}

static bool add_idle(lmb_text *out, const lmb_flexible *f, lmb_idle_key k) {
    if (lmb_node_find(f->node, k.key) == NULL) return true;
    return lmb_text_add(out, "%s`%s`%s%s%s", out->length > 0 ? ", " : "", k.key, *k.why ? " (" : "", k.why,
                        *k.why ? ")" : "");
}

lmb_status lmb_flexible_remark_idle(lmb_build *b, const lmb_flexible *f, const lmb_idle_key *more, int count,
                                    lmb_error *err) {
    static const lmb_idle_key modal[] = {{"parts", "`elements` divides the beam"},
                                         {"shapes", ""},
                                         {"frame", ""},
                                         {"geometric_stiffening", "it is included"},
                                         {"stress", ""},
                                         {"static_correction", ""},
                                         {"mass", ""}};
    lmb_text list = {0};
    bool ok = true;
    for (int i = 0; ok && i < LMB_COUNT(modal); i++) ok = add_idle(&list, f, modal[i]);
    for (int i = 0; ok && i < count; i++) ok = add_idle(&list, f, more[i]);
    if (ok && list.length > 0) {
        const char *text =
            lmb_arena_printf(lmb_build_arena(b), "body '%s': no effect with `formulation: %s`: %s", f->name,
                             lmb_formulations[f->formulation]->name, list.text);
        ok = text && lmb_build_remark(b, text);
    }
    lmb_text_free(&list);
    return ok ? LMB_OK : lmb_fail_memory(err);
}
