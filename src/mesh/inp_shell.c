// mesh/inp_shell.c: sections of shells, of one material or of layers.
#include "mesh/inp.h"

#include <string.h>

static int shown(lmb_piece p) { return p.length > 60 ? 60 : p.length; }

// ---- layers ------------------------------------------------------------------------------------

// angle in degrees, or the name of an orientation
static lmb_status ply_axes(lmb_inp *r, lmb_ply *ply, lmb_piece what) {
    double degrees = 0;
    if (what.length == 0 || lmb_piece_number(&degrees, what))
        return ply->angle = degrees * LMB_PI / 180, LMB_OK;
    ply->own = true;
    return lmb_inp_find_orientation(&ply->along, r, what);
}

// thickness, points of integration, material, orientation, name: from the side against the normal on
static lmb_status read_ply(lmb_inp *r, lmb_ply *ply, lmb_piece row) {
    lmb_piece thickness = lmb_piece_cut(&row, ',');
    lmb_piece_cut(&row, ',');
    lmb_piece material = lmb_piece_cut(&row, ','), axes = lmb_piece_cut(&row, ',');
    *ply = (lmb_ply){0};
    if (!lmb_piece_number(&ply->thickness, thickness) || !(ply->thickness > 0))
        return lmb_scan_fail(&r->scan, "the thickness of a layer is '%.*s'; it must be a positive number",
                             shown(thickness), thickness.at);
    ply->material = lmb_inp_section_material(r, material);
    return ply->material < 0 ? r->scan.status : ply_axes(r, ply, axes);
}

static lmb_status read_plies(lmb_inp *r, lmb_property *p) {
    lmb_ply plies[LMB_SHELL_PLIES];
    lmb_piece row;
    int count = 0;
    bool twice = lmb_inp_has(r, "SYMMETRIC");
    while (lmb_inp_row(&row, r)) {
        if (count >= LMB_SHELL_PLIES / (twice ? 2 : 1))
            return lmb_scan_fail(&r->scan, "more than %d layers are not supported", LMB_SHELL_PLIES);
        if (read_ply(r, &plies[count++], row) != LMB_OK) return r->scan.status;
    }
    if (count == 0) return lmb_inp_fail(r, "*%s, COMPOSITE has no layers", r->card->keyword->name);
    for (int i = 0, n = count; i < n && twice; i++) plies[count++] = plies[n - 1 - i];
    p->plies = lmb_arena_get(r->mesh->arena, (size_t)count, sizeof *plies);
    if (p->plies == NULL) return lmb_scan_memory(&r->scan);
    memcpy(p->plies, plies, (size_t)count * sizeof *plies);
    p->ply_count = count;
    p->material = plies[0].material;
    for (int i = 0; i < count; i++) p->thickness += plies[i].thickness;
    return LMB_OK;
}

// ---- sections ----------------------------------------------------------------------------------

static lmb_status read_thickness(lmb_inp *r, lmb_property *p) {
    lmb_piece row;
    double v[2];
    int count;
    const char *card = r->card->keyword->name;
    p->material = lmb_inp_section_material(r, lmb_inp_get(r, "MATERIAL"));
    if (p->material < 0) return r->scan.status;
    if (!lmb_inp_row(&row, r)) return lmb_inp_fail(r, "*%s has no data line with the thickness", card);
    if (lmb_inp_numbers(r, row, v, 2, &count) != LMB_OK) return r->scan.status;
    if (!(v[0] > 0)) return lmb_scan_fail(&r->scan, "the thickness is %g; it must be positive", v[0]);
    p->thickness = v[0];
    return LMB_OK;
}

// where the nodes are above the middle surface, as a fraction of the thickness
static lmb_status read_offset(lmb_inp *r, lmb_property *p) {
    lmb_piece offset = lmb_inp_get(r, "OFFSET");
    double shift = 0;
    if (lmb_piece_is(offset, "SPOS")) shift = 0.5;
    else if (lmb_piece_is(offset, "SNEG")) shift = -0.5;
    else if (offset.length > 0 && !lmb_piece_number(&shift, offset))
        return lmb_inp_fail(r, "*%s, OFFSET=%.*s: give a number, SPOS or SNEG", r->card->keyword->name,
                            shown(offset), offset.at);
    p->lift = -shift * p->thickness;
    return LMB_OK;
}

lmb_status lmb_inp_read_shell_section(lmb_inp *r) {
    lmb_property p = {0};
    int set = lmb_inp_section_set(r);
    if (set < 0) return r->scan.status;
    lmb_status st = lmb_inp_has(r, "COMPOSITE") ? read_plies(r, &p) : read_thickness(r, &p);
    if (st == LMB_OK) st = read_offset(r, &p);
    lmb_piece axes = lmb_inp_get(r, "ORIENTATION");
    if (st == LMB_OK && axes.length > 0) st = lmb_inp_find_orientation(&p.along, r, axes);
    return st ? st : lmb_inp_give_all(r, set, LMB_STRESS_SHELL, &p);
}
