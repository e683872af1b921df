// store/flex_describe.c: summary of a flexible body file, for people.
#include "store/flex_file.h"

#include <string.h>

static const char *const stress_names[] = {"none", "solid", "shell", "beam"};

// round-off is shown as zero
static double clean(double x, double scale) { return fabs(x) < 1e-12 * scale ? 0 : x; }

static bool add_mass(lmb_text *t, const lmb_flex *f) {
    vec3 c = v3_scale(1 / f->I1, f->I2);
    // about the centre of mass: I7 + m c~ c~
    mat3 cc = m3_skew(c), J = m3_add(f->I7, m3_scale(f->I1, m3_mul(cc, cc)));
    double l = v3_norm(c), i = J.m[0][0] + J.m[1][1] + J.m[2][2];
    c = v3(clean(c.x, l), clean(c.y, l), clean(c.z, l));
    return lmb_text_add(t, "mass       %.8g kg, centre of mass [%.6g, %.6g, %.6g] m\n", f->I1, c.x, c.y,
                        c.z) &&
           lmb_text_add(t,
                        "inertia    [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g] kg m2 (xx, yy, zz, xy, xz, yz, "
                        "about the centre of mass)\n",
                        J.m[0][0], J.m[1][1], J.m[2][2], clean(J.m[0][1], i), clean(J.m[0][2], i),
                        clean(J.m[1][2], i));
}

static bool add_frequencies(lmb_text *t, const lmb_flex *f) {
    enum { LISTED = 12 };
    bool ok = lmb_text_add(t, "elastic    %d coordinates", f->m);
    for (int i = 0; i < f->m && i < LISTED && ok; i++)
        ok = lmb_text_add(t, "%s%.6g", i == 0 ? "; frequencies " : ", ", f->frequency[i]);
    if (ok && f->m > LISTED) ok = lmb_text_add(t, ", ..., %.6g", f->frequency[f->m - 1]);
    return ok && lmb_text_add(t, "%s\n", f->m ? " Hz" : "");
}

static bool add_markers(lmb_text *t, const lmb_flex *f) {
    bool ok = true;
    for (int i = 0; i < f->marker_count && ok; i++) {
        const lmb_flex_marker *k = &f->markers[i];
        ok = lmb_text_add(t, "%-10s %s at [%.6g, %.6g, %.6g] m\n", k->interface ? "interface" : "marker",
                          k->name, k->x.x, k->x.y, k->x.z);
    }
    return ok;
}

// lines of a text, indented
static bool add_block(lmb_text *t, const char *heading, const char *text) {
    if (*text == '\0') return true;
    bool ok = lmb_text_add(t, "\n%s\n", heading);
    while (*text && ok) {
        size_t n = strcspn(text, "\n");
        ok = lmb_text_add(t, "    %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    return ok;
}

bool lmb_flex_describe(lmb_text *t, const lmb_flex *f) {
    bool ok = add_mass(t, f) && add_frequencies(t, f) && add_markers(t, f);
    ok = ok && lmb_text_add(t, "stiffening %d reference loads", f->stiffening_count);
    if (ok && f->stiffening_count > 0 && f->m > 0)
        ok = f->second_count > 0
                 ? lmb_text_add(t, ", %d fields of second order", f->second_count)
                 : lmb_text_add(t, "; no second-order displacement: only interfaces move with it");
    ok = ok && lmb_text_add(t, "\n");
    ok =
        ok && lmb_text_add(t, "stress     %s, %d points", stress_names[f->stress_kind & 3], f->stress_places);
    if (ok && f->stress_kind && f->m > 0)
        ok = f->residual_count > 0
                 ? lmb_text_add(t, ", %d residual fields", f->residual_count)
                 : lmb_text_add(t, "; no residual fields: stress is that of the shape functions alone");
    ok = ok && lmb_text_add(t, "\n");
    ok = ok && lmb_text_add(t, "geometry   %d nodes, %d triangles, %d lines\n", f->node_count,
                            f->triangle_count, f->line_count);
    return ok && add_block(t, "quality", f->report) && add_block(t, "shape functions", f->shapes) &&
           add_block(t, "sources", f->provenance);
}
