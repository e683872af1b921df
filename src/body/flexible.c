// body/flexible.c: one part, any formulation: shared by beams, meshes and matrices.
#include "body/flexible.h"

const lmb_formulation *const lmb_formulations[] = {&lmb_formulation_modal,        &lmb_formulation_rigid,
                                                   &lmb_formulation_superelement, &lmb_formulation_ancf,
                                                   &lmb_formulation_lumped,       NULL};

// places where joints and forces act are among the loads of stresses, as interfaces are
static lmb_status add_loaded(lmb_flexible *f, lmb_build *b, lmb_error *err) {
    lmb_arena *arena = lmb_build_spec(b)->arena;
    const vec3 *at;
    int count;
    lmb_status st = lmb_build_loaded(&at, &count, b, &f->common, f->node, err);
    if (st != LMB_OK || count == 0) return st;
    lmb_part *p = &f->part;
    lmb_part_site *sites = lmb_arena_get(arena, (size_t)(p->site_count + count), sizeof *sites);
    if (sites == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < p->site_count; i++) sites[i] = p->sites[i];
    for (int i = 0; i < count; i++) {
        const char *name = lmb_arena_printf(arena, "@%d", i + 1);
        if (name == NULL) return lmb_fail_memory(err);
        sites[p->site_count + i] = (lmb_part_site){.name = name,
                                                   .by = LMB_BY_PLACE,
                                                   .at = at[i],
                                                   .has_at = true,
                                                   .where = f->node->where,
                                                   .loaded = true};
    }
    p->sites = sites, p->site_count += count;
    return LMB_OK;
}

lmb_status lmb_flexible_plan(lmb_body_plan *out, lmb_build *b, lmb_flexible *f, lmb_error *err) {
    const lmb_formulation *with = lmb_formulations[f->formulation];
    bool shaped = with == &lmb_formulation_modal || with == &lmb_formulation_superelement,
         corrected =
             shaped && f->keys.stress && f->keys.static_correction && f->part.kind != LMB_PART_MATRICES;
    if (f->part.chosen && shaped && !corrected)
        return lmb_flexible_refuse(
            f, "with `shapes: auto`", "shapes",
            "it needs stresses with `static_correction: on`, which matrices do not have", err);
    lmb_status st = corrected ? add_loaded(f, b, err) : LMB_OK;
    out->ops = with->ops;
    return st == LMB_OK ? with->plan(out, b, f, err) : st;
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
