// tests/unit/mesh_help.c: what tests of meshes measure.
#include "mesh_help.h"

#include "check.h"
#include "fe/faces.h"

#include <stdio.h>

bool mesh_text(lmb_text *out, const char *path) {
    char buffer[65536];
    FILE *f = path ? fopen(path, "rb") : NULL;
    if (!CHECK(f != NULL)) {
        check_note("cannot read %s", path ? path : "(null)");
        return false;
    }
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) lmb_text_add_n(out, buffer, n);
    fclose(f);
    return true;
}

static bool solid(const lmb_mesh *m, int element) {
    return m->elements[element].ops->stress_kind == LMB_STRESS_SOLID;
}

double mesh_volume(const lmb_mesh *m) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    lmb_material unit = {.E = 1, .rho = 1};
    double V = 0;
    for (int i = 0; i < m->element_count; i++) {
        lmb_element e;
        if (!solid(m, i)) continue;
        lmb_mesh_element_get(&e, m, i);
        e.material = &unit;
        int count = e.ops->mass_points(points, &e, LMB_MASS_CONSISTENT);
        for (int k = 0; k < count; k++) V += points[k].mass;
    }
    return V;
}

double mesh_worst(const lmb_mesh *m) {
    double worst = INFINITY;
    for (int i = 0; i < m->element_count; i++) {
        lmb_element e;
        lmb_mesh_element_get(&e, m, i);
        worst = fmin(worst, e.ops->quality(&e));
    }
    return worst;
}

double mesh_middle_error(const lmb_mesh *m) {
    double worst = 0;
    for (int i = 0; i < m->element_count; i++)
        for (int f = 0; solid(m, i) && f < m->elements[i].ops->faces; f++) {
            const signed char *face = m->elements[i].ops->face_nodes[f];
            const int *n = lmb_mesh_nodes(m, i), corners = lmb_face_corners(face);
            for (int k = 0; k < corners && face[0] > 4; k++) {
                vec3 a = m->x[n[face[1 + k]]], b = m->x[n[face[1 + (k + 1) % corners]]];
                vec3 middle = m->x[n[face[1 + corners + k]]];
                worst = fmax(worst, v3_norm(v3_sub(middle, v3_scale(0.5, v3_add(a, b)))));
            }
        }
    return worst;
}

double mesh_area(const lmb_mesh *m, int set) {
    double A = 0;
    for (int i = 0; i < m->sets[set].count; i++) {
        int item = m->sets[set].items[i];
        const signed char *face = m->elements[item / 8].ops->face_nodes[item % 8];
        const int *n = lmb_mesh_nodes(m, item / 8);
        vec3 sum = V3_ZERO, a = m->x[n[face[1]]];
        for (int k = 2; k < lmb_face_corners(face); k++)
            sum = v3_add(sum, v3_cross(v3_sub(m->x[n[face[k]]], a), v3_sub(m->x[n[face[k + 1]]], a)));
        A += v3_norm(sum) / 2;
    }
    return A;
}
