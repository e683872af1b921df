// part/part_text.c: the description of a part with all values evaluated, as one text: equal texts, equal parts.
#include "part/local.h"

#include <string.h>

// ---- keys by their table -----------------------------------------------------------------------

static bool write_keys(lmb_text *out, const lmb_key *keys, const char *from);

// name and numbers by their bits: equal texts, equal numbers, without the cost of decimals
static bool write_numbers(lmb_text *out, const char *name, const double *v, int count) {
    bool ok = lmb_text_add_n(out, name, strlen(name));
    for (int i = 0; i < count && ok; i++) {
        char hex[17] = " ";
        uint64_t bits;
        memcpy(&bits, &v[i], sizeof bits);
        for (int k = 0; k < 16; k++) hex[k + 1] = "0123456789abcdef"[bits >> (60 - 4 * k) & 15];
        ok = lmb_text_add_n(out, hex, sizeof hex);
    }
    return ok && lmb_text_add_n(out, "\n", 1);
}

// keys read by their owner (nodes, named entries) are written from their evaluated form
static bool write_value(lmb_text *out, const lmb_key *k, const void *at) {
    const lmb_numbers *list = at;
    const char *text = k->type == LMB_KEY_TEXT ? *(const char *const *)at : NULL;
    switch (k->type) {
    case LMB_KEY_NUMBER: return write_numbers(out, k->name, at, 1);
    case LMB_KEY_CHOICE:
    case LMB_KEY_INTEGER: return lmb_text_add(out, "%s %d\n", k->name, *(const int *)at);
    case LMB_KEY_BOOL: return lmb_text_add(out, "%s %d\n", k->name, *(const bool *)at);
    case LMB_KEY_TEXT: return lmb_text_add(out, "%s %s\n", k->name, text ? text : "");
    case LMB_KEY_VEC3: return write_numbers(out, k->name, at, 3);
    case LMB_KEY_NUMBERS: return list->count == 0 || write_numbers(out, k->name, list->v, list->count);
    case LMB_KEY_MAP: return lmb_text_add(out, "%s\n", k->name) && write_keys(out, k->keys, at);
    default: return true;
    }
}

static bool write_keys(lmb_text *out, const lmb_key *keys, const char *from) {
    for (; keys->name; keys++)
        if (!write_value(out, keys, from + keys->offset)) return false;
    return true;
}

// ---- evaluated keys ----------------------------------------------------------------------------

static const char *or_none(const char *name) { return name ? name : "-"; }

static bool write_choice(lmb_text *out, const lmb_face_choice *c) {
    const lmb_surface *s = &c->surface;
    const double x[] = {(double)s->kind, s->at.x,   s->at.y,      s->at.z,     s->axis.x,
                        s->axis.y,       s->axis.z, s->r,         c->near.x,   c->near.y,
                        c->near.z,       c->low.x,  c->low.y,     c->low.z,    c->high.x,
                        c->high.y,       c->high.z, c->tolerance, c->anywhere, c->has_near};
    return write_numbers(out, "on", x, LMB_COUNT(x)) &&
           write_numbers(out, "faces", c->numbers, c->number_count);
}

static bool write_site(lmb_text *out, const lmb_part_site *s) {
    if (s->by == LMB_BY_GEOMETRY && !write_choice(out, &s->choice)) return false;
    return lmb_text_add(out, "%s %s %d %s %d %d %d %.17g %.17g %.17g %d %.17g\n",
                        s->interface ? "interface" : "marker", s->name, (int)s->by, or_none(s->set), s->node,
                        s->has_at, s->has_tie, s->at.x, s->at.y, s->at.z, (int)s->tie, s->radius);
}

static bool write_request(lmb_text *out, const lmb_shape_request *r, const char *target) {
    bool ok =
        lmb_text_add(out, "shape %d %d %.17g %d %d %d %d %d %s\n", (int)r->family, r->count, r->max_frequency,
                     r->directions, (int)r->held, (int)r->load, r->mask, r->keep, or_none(target));
    if (r->combination_count == 0) return ok;
    return ok && write_numbers(out, "residual", r->combinations, r->combination_count * r->load_count);
}

static bool write_shape(lmb_text *out, const lmb_part_shape *s) {
    bool ok = write_request(out, &s->request, s->target);
    for (int i = 0; i < s->hold_count && ok; i++)
        ok = lmb_text_add(out, "held %s %d\n", s->holds[i].marker, s->holds[i].mask);
    return ok;
}

// sections of a beam from place to place, however they were written
static bool write_stations(lmb_text *out, const lmb_beam_part *b) {
    bool ok = true;
    for (int i = 0; i < b->between_count + 2 && ok; i++) {
        lmb_beam_station s = lmb_beam_station_of(b, i);
        const lmb_profile *q = &s.section;
        const double x[] = {s.at,       s.twist,    s.offset[0], s.offset[1], q->A,   q->Iy,
                            q->Iz,      q->J,       q->ky,       q->kz,       q->y_s, q->z_s,
                            q->turn,    q->rhoA,    q->rhoI[0],  q->rhoI[1],  q->Wt,  q->rhoI[2],
                            q->size[0], q->size[1], q->size[2],  q->size[3]};
        ok = lmb_text_add(out, "%d %d ", (int)q->shape, q->sizes) &&
             write_numbers(out, "station", x, LMB_COUNT(x));
    }
    return ok;
}

bool lmb_part_write(lmb_text *out, const lmb_part *p) {
    const lmb_kind_keys *kind = lmb_part_kinds[p->kind];
    const lmb_part_read_keys read = {.part = p->keys};
    const lmb_material *m = &p->material;
    bool ok = lmb_text_add(out, "%s\n", kind->name) && write_keys(out, kind->keys, (const char *)&read);
    if (p->has_material)
        ok = ok && lmb_text_add(out, "material %s %.17g %.17g %.17g%s\n", m->name, m->E, m->nu, m->rho,
                                p->override_material ? " override" : "");
    if (p->has_material && m->elasticity != LMB_ISOTROPIC)
        ok = ok && write_numbers(out, "elasticity", m->C[0], 36) &&
             write_numbers(out, "axes", p->material_axes.m[0], 9);
    if (p->kind == LMB_PART_BEAM) ok = ok && write_stations(out, &p->beam);
    for (int i = 0; i < p->site_count && ok; i++) ok = write_site(out, &p->sites[i]);
    ok = ok && lmb_text_add(out, "frame %d %s %s %s %.17g %.17g %.17g\n", (int)p->frame.kind,
                            or_none(p->frame_markers[0]), or_none(p->frame_markers[1]),
                            or_none(p->frame_markers[2]), p->frame.x.x, p->frame.x.y, p->frame.x.z);
    if (p->chosen) ok = ok && lmb_text_add(out, "auto\n");
    for (int i = 0; i < p->shape_count && ok; i++) ok = write_shape(out, &p->shapes[i]);
    for (int i = 0; i < p->more_count && ok; i++) ok = write_request(out, &p->more[i], NULL);
    return ok && lmb_text_add(out, "%s\n", p->rigid ? "rigid" : "elastic");
}
