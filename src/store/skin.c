// store/skin.c: flexible bodies of a results file.
#include "store/skin.h"

#include "store/results_layout.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- names -------------------------------------------------------------------------------------

static bool read_list(char ***names, int *count, lmb_h5 *h, hid_t group) {
    enum { LENGTH = 256 };
    long many = lmb_h5_link_count(group);
    if (many < 0) return lmb_h5_reason(h, "/flex holds too many bodies");
    *names = lmb_alloc((size_t)many + 1, sizeof(char *) + LENGTH);
    if (*names == NULL) return lmb_h5_reason(h, "out of memory");
    char *text = (char *)(*names + many + 1);
    for (long i = 0; i < many; i++, text += LENGTH) {
        if (!lmb_h5_link_name(text, LENGTH, group, H5_INDEX_NAME, i))
            return lmb_h5_reason(h, "a name in /flex is too long");
        (*names)[i] = text;
    }
    *count = (int)many;
    return true;
}

lmb_status lmb_skin_names(char ***names, int *count, lmb_reader *r, lmb_error *err) {
    lmb_h5_file f = lmb_reader_h5(r);
    *names = NULL;
    *count = 0;
    lmb_h5_begin(f.h5);
    bool ok = true, there = lmb_h5_has(f.file, "flex");
    hid_t group = there ? lmb_h5_group(f.h5, f.file, "flex") : H5I_INVALID_HID;
    if (there) ok = group >= 0 && read_list(names, count, f.h5, group);
    lmb_h5_drop(group);
    lmb_h5_end(f.h5);
    if (ok) return LMB_OK;
    lmb_free(*names);
    *names = NULL;
    *count = 0;
    return lmb_reader_damaged(r, err);
}

// ---- datasets ----------------------------------------------------------------------------------

// a dataset if it is there; its first size is given or found, as is its last
static bool read_array(void **out, uint64_t size[3], lmb_h5 *h, hid_t group, const char *name,
                       lmb_results_set set) {
    *out = NULL;
    if (!lmb_h5_has(group, name)) return true;
    lmb_h5_rule rule = lmb_results_rule(set, LMB_H5_ANY);
    rule.size[0] = size[0];
    if (rule.rank == 3) rule.size[2] = size[2];
    *out = lmb_h5_take(h, size, group, name, &rule);
    for (int i = 0; *out && i < rule.rank; i++)
        if (size[i] > INT_MAX / 64) return lmb_h5_reason(h, "a flexible body is too large");
    return *out != NULL;
}

static bool in_range(const int32_t *list, size_t count, int limit) {
    for (size_t i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= limit) return false;
    return true;
}

// nodes, and what is drawn between them
static bool read_surface(lmb_skin *s, lmb_h5 *h, hid_t group) {
    uint64_t x[3] = {LMB_H5_ANY}, triangles[3] = {LMB_H5_ANY}, lines[3] = {LMB_H5_ANY};
    if (!read_array((void **)&s->x, x, h, group, "x", LMB_SET_X) ||
        !read_array((void **)&s->triangles, triangles, h, group, "triangles", LMB_SET_TRIANGLES) ||
        !read_array((void **)&s->lines, lines, h, group, "lines", LMB_SET_LINES))
        return false;
    if (s->x == NULL) return lmb_h5_reason(h, "a flexible body has no nodes (dataset x)");
    s->node_count = (int)x[0];
    s->triangle_count = s->triangles ? (int)triangles[0] : 0;
    s->line_count = s->lines ? (int)lines[0] : 0;
    return (in_range(s->triangles, 3 * (size_t)s->triangle_count, s->node_count) &&
            in_range(s->lines, 2 * (size_t)s->line_count, s->node_count)) ||
           lmb_h5_reason(h, "a flexible body has an invalid node index");
}

// the other side of shells; numbers of nodes
static bool read_sides(lmb_skin *s, lmb_h5 *h, hid_t group, uint64_t all) {
    uint64_t nodes = (uint64_t)s->node_count, bottom[3] = {nodes, 6, all}, node[3] = {nodes},
             end[3] = {(uint64_t)s->end_count};
    if (!read_array((void **)&s->node, node, h, group, "node", LMB_SET_NODE)) return false;
    if (s->stress && !read_array((void **)&s->bottom, bottom, h, group, "bottom", LMB_SET_STRESS))
        return false;
    return s->forces == NULL || read_array((void **)&s->end_node, end, h, group, "end_node", LMB_SET_NODE);
}

// what its coordinates do; without modes there are no coordinates
static bool read_modes(lmb_skin *s, lmb_h5 *h, hid_t group) {
    uint64_t nodes = (uint64_t)s->node_count, modes[3] = {nodes, 3, LMB_H5_ANY};
    if (!read_array((void **)&s->modes, modes, h, group, "modes", LMB_SET_MODES)) return false;
    s->mode_count = s->modes ? (int)modes[2] : 0;
    uint64_t count = (uint64_t)s->mode_count, stress[3] = {nodes, 6, LMB_H5_ANY},
             forces[3] = {LMB_H5_ANY, 6, LMB_H5_ANY};
    if (!read_array((void **)&s->stress, stress, h, group, "stress", LMB_SET_STRESS) ||
        !read_array((void **)&s->forces, forces, h, group, "forces", LMB_SET_FORCES))
        return false;
    // elastic coordinates and residual ones, as many in both
    uint64_t all = s->stress ? stress[2] : s->forces ? forces[2] : count;
    if (all < count || (s->forces && forces[2] != all))
        return lmb_h5_reason(h, "the stresses of a flexible body do not fit its coordinates");
    s->residual_count = (int)(all - count);
    uint64_t ends[3] = {forces[0]}, section[3] = {forces[0]};
    if (!read_array((void **)&s->ends, ends, h, group, "ends", LMB_SET_ENDS) ||
        !read_array((void **)&s->section, section, h, group, "section", LMB_SET_SECTION))
        return false;
    if ((s->forces == NULL) != (s->section == NULL) || (s->forces == NULL) != (s->ends == NULL))
        return lmb_h5_reason(h, "a beam has forces without sections, or sections without forces");
    s->end_count = s->forces ? (int)forces[0] : 0;
    return read_sides(s, h, group, all);
}

// displacement of second order; all of it, or nothing
static bool read_second(lmb_skin *s, lmb_h5 *h, hid_t group) {
    uint64_t nodes = (uint64_t)s->node_count, m = (uint64_t)s->mode_count, size[3] = {nodes, 3, LMB_H5_ANY};
    if (!read_array((void **)&s->second, size, h, group, "second", LMB_SET_SECOND)) return false;
    uint64_t count = s->second ? size[2] : LMB_H5_ANY, square[3] = {count, m, m};
    if (!read_array((void **)&s->quadratic, square, h, group, "quadratic", LMB_SET_QUADRATIC)) return false;
    if ((s->second == NULL) != (s->quadratic == NULL) || (s->quadratic && square[1] != m))
        return lmb_h5_reason(h, "a displacement of second order does not fit its body");
    s->second_count = s->second ? (int)count : 0;
    return true;
}

lmb_status lmb_skin_read(lmb_skin *out, lmb_reader *r, const char *body, lmb_error *err) {
    lmb_h5_file f = lmb_reader_h5(r);
    *out = (lmb_skin){0};
    lmb_h5_begin(f.h5);
    hid_t all = lmb_h5_group(f.h5, f.file, "flex"), group = all < 0 ? all : lmb_h5_group(f.h5, all, body);
    bool ok = group >= 0 && read_surface(out, f.h5, group) && read_modes(out, f.h5, group) &&
              read_second(out, f.h5, group);
    lmb_h5_drop(group);
    lmb_h5_drop(all);
    lmb_h5_end(f.h5);
    if (ok) return LMB_OK;
    lmb_skin_free(out);
    return lmb_reader_damaged(r, err);
}

void lmb_skin_free(lmb_skin *s) {
    lmb_free(s->x);
    lmb_free(s->modes);
    lmb_free(s->stress);
    lmb_free(s->bottom);
    lmb_free(s->node);
    lmb_free(s->end_node);
    lmb_free(s->second);
    lmb_free(s->quadratic);
    lmb_free(s->forces);
    lmb_free(s->ends);
    lmb_free(s->section);
    lmb_free(s->triangles);
    lmb_free(s->lines);
    *s = (lmb_skin){0};
}

// ---- deformation -------------------------------------------------------------------------------

static double dot(const float *a, const double *b, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += (double)a[k] * b[k];
    return sum;
}

// (q.C q - (q - rest).C (q - rest))/2
double lmb_skin_second(const lmb_skin *s, int r, const double *q, const double *rest) {
    int m = s->mode_count;
    const double *C = s->quadratic + (size_t)r * (size_t)m * (size_t)m;
    double z = 0;
    for (int i = 0; i < m; i++, C += m)
        for (int j = 0; j < m; j++)
            z += 0.5 * C[j] * (q[i] * q[j] - (rest ? (q[i] - rest[i]) * (q[j] - rest[j]) : 0));
    return z;
}

void lmb_skin_nodes(double *out, const lmb_skin *s, const double *q, const double *rest) {
    int m = s->mode_count;
    size_t count = 3 * (size_t)s->node_count, fields = (size_t)s->second_count;
    memcpy(out, s->x, count * sizeof *out);
    for (size_t i = 0; m > 0 && i < count; i++) out[i] += dot(s->modes + i * (size_t)m, q, m);
    for (size_t r = 0; r < fields; r++) {
        double z = lmb_skin_second(s, (int)r, q, rest);
        for (size_t i = 0; i < count; i++) out[i] += (double)s->second[i * fields + r] * z;
    }
}

// row (q, p)
static double dot_state(const float *row, const lmb_skin *s, lmb_skin_state at) {
    return dot(row, at.q, s->mode_count) + dot(row + s->mode_count, at.p, s->residual_count);
}

void lmb_skin_forces(double out[6], const lmb_skin *s, int end, lmb_skin_state at) {
    size_t n = (size_t)(s->mode_count + s->residual_count), first = 6 * (size_t)end;
    for (size_t k = 0; k < 6; k++) out[k] = dot_state(s->forces + (first + k) * n, s, at);
}

// at a node shared by several lines, the end with the largest von Mises stress
static void beam_stress(double *out, const lmb_skin *s, lmb_skin_state of) {
    memset(out, 0, 6 * (size_t)s->node_count * sizeof *out);
    for (int i = 0; i < 2 * s->line_count && i < s->end_count; i++) {
        double forces[6], stress[6] = {0}, *at = out + 6 * s->lines[i];
        lmb_skin_forces(forces, s, i, of);
        lmb_section_stress(&stress[0], &stress[3], forces, s->section + LMB_SECTION_SIZE * (size_t)i);
        if (lmb_von_mises(stress) > lmb_von_mises(at)) memcpy(at, stress, sizeof stress);
    }
}

void lmb_skin_node_stress(double out[6], const lmb_skin *s, const float *field, int node, lmb_skin_state at) {
    size_t n = (size_t)(s->mode_count + s->residual_count), first = 6 * (size_t)node;
    for (size_t k = 0; k < 6; k++) out[k] = dot_state(field + (first + k) * n, s, at);
}

void lmb_skin_stress(double *out, const lmb_skin *s, lmb_skin_state at) {
    if (s->stress == NULL) {
        beam_stress(out, s, at);
        return;
    }
    for (int i = 0; i < s->node_count; i++) lmb_skin_node_stress(out + 6 * i, s, s->stress, i, at);
}
