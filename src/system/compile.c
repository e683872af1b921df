// system/compile.c: from the tree of names to the compiled model, section by section.
#include "system/compile.h"

#include "system/build_state.h"

#include <string.h>

static lmb_status read_gravity(lmb_build *b, lmb_error *err) {
    const lmb_node *n = lmb_node_find(b->spec->root, "gravity");
    return n ? lmb_spec_vec3(&b->m->gravity, b->spec, n, (lmb_dim)LMB_ACCELERATION, err) : LMB_OK;
}

static lmb_status note_acts(const lmb_build *b, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->m->body_count && st == LMB_OK; i++) {
        const lmb_body *body = &b->m->bodies[i];
        if (body->ops->note_acts) st = body->ops->note_acts(body, b->arena, err);
    }
    return st;
}

static lmb_status compile_sections(lmb_build *b, lmb_error *err) {
    lmb_status st = lmb_spec_check_sections(b->spec, lmb_sections, err);
    if (st == LMB_OK) st = read_gravity(b, err);
    if (st == LMB_OK) st = lmb_build_bodies(b, err);
    if (st == LMB_OK) st = lmb_build_named_markers(b, err);
    if (st == LMB_OK) st = lmb_build_externals(b, err);
    if (st == LMB_OK) st = lmb_build_fmus(b, err);
    if (st == LMB_OK) st = lmb_build_joints(b, err);
    if (st == LMB_OK) st = lmb_build_supports(b, err);
    if (st == LMB_OK) st = lmb_build_signals(b, err);
    if (st == LMB_OK) st = lmb_build_sensors(b, 0, err);
    if (st == LMB_OK) st = lmb_build_joint_loads(b, err);
    if (st == LMB_OK) st = lmb_build_forces(b, err);
    if (st == LMB_OK) st = lmb_build_all_signals(b, err);
    if (st == LMB_OK) st = lmb_build_sensors(b, 1, err);
    if (st == LMB_OK) st = lmb_build_fmu_inputs(b, err);
    if (st == LMB_OK) st = lmb_build_outputs(b, err);
    if (st == LMB_OK) st = lmb_build_events(b, err);
    if (st == LMB_OK) st = lmb_build_analyses(b, err);
    if (st == LMB_OK) st = lmb_build_validation(b, err);
    if (st == LMB_OK) st = lmb_build_layout(b, err);
    if (st == LMB_OK) st = note_acts(b, err);
    if (st == LMB_OK) st = lmb_build_external_remarks(b, err);
    for (const lmb_spec_remark *r = b->spec->remarks; r && st == LMB_OK; r = r->next) {
        const char *text = lmb_arena_strdup(b->arena, r->text);
        if (text == NULL || !lmb_build_remark(b, text)) st = lmb_fail_memory(err);
    }
    return st == LMB_OK ? lmb_build_load_remarks(b, err) : st;
}

lmb_status lmb_compile(lmb_program **out, lmb_spec *spec, const lmb_files *files, lmb_error *err) {
    lmb_error own = {0};
    if (err == NULL) err = &own;
    *out = NULL;
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_program *p = arena ? lmb_arena_get(arena, 1, sizeof *p) : NULL;
    lmb_model *m = p ? lmb_arena_get(arena, 1, sizeof *m) : NULL;
    if (m == NULL) {
        lmb_arena_destroy(arena);
        return lmb_fail_memory(err);
    }
    p->model = m;
    m->arena = arena;
    m->units = spec->units;
    lmb_build b = {.spec = spec, .program = p, .m = m, .arena = arena, .files = files};
    lmb_names *tables[] = {&b.bodies, &b.beams,   &b.loaded,  &b.markers,   &b.joints,
                           &b.forces, &b.sensors, &b.signals, &b.externals, &b.pair_names};
    for (int i = 0; i < LMB_COUNT(tables); i++) tables[i]->arena = spec->arena;
    lmb_tunable_mark(spec);
    lmb_status st = compile_sections(&b, err);
    if (st != LMB_OK) {
        lmb_program_destroy(p);
        return st;
    }
    *out = p;
    return LMB_OK;
}

void lmb_program_destroy(lmb_program *p) {
    if (p == NULL) return;
    lmb_model *m = p->model;
    for (int i = 0; i < m->owned_count; i++) lmb_expr_destroy(m->owned[i]);
    for (int i = 0; i < m->kept_count; i++) m->kept[i].destroy(m->kept[i].thing);
    lmb_pattern_free(&m->pattern);
    if (m->space) lmb_pattern_free(&m->space->pattern);
    lmb_arena_destroy(m->arena); // holds p and m themselves
}
