// io/skin.c: flexible bodies of a results file.
#include "io/skin.h"

#include "io/h5.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// ---- names -------------------------------------------------------------------------------------

static bool read_name(char *out, size_t size, hid_t group, hsize_t i) {
    ssize_t n = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, out, size, H5P_DEFAULT);
    return n > 0 && n < (ssize_t)size;
}

static bool read_list(char ***names, int *count, lmb_h5 *h, hid_t group) {
    enum { LENGTH = 256 };
    H5G_info_t info = {.nlinks = 0};
    if (H5Gget_info(group, &info) < 0 || info.nlinks > INT_MAX / LENGTH) return false;
    *names = lmb_alloc(info.nlinks + 1, sizeof(char *) + LENGTH);
    if (*names == NULL) return lmb_h5_reason(h, "out of memory");
    char *text = (char *)(*names + info.nlinks + 1);
    for (hsize_t i = 0; i < info.nlinks; i++, text += LENGTH) {
        if (!read_name(text, LENGTH, group, i)) return lmb_h5_reason(h, "a name in /flex is too long");
        (*names)[i] = text;
    }
    *count = (int)info.nlinks;
    return true;
}

lmb_status lmb_skin_names(char ***names, int *count, lmb_reader *r, lmb_error *err) {
    lmb_h5_file f = lmb_reader_h5(r);
    *names = NULL;
    *count = 0;
    lmb_h5_begin(f.h5);
    bool ok = true, there = H5Lexists(f.file, "flex", H5P_DEFAULT) > 0;
    hid_t group = there ? H5Gopen2(f.file, "flex", H5P_DEFAULT) : H5I_INVALID_HID;
    if (there) ok = group >= 0 && read_list(names, count, f.h5, group);
    lmb_h5_drop(group);
    lmb_h5_end(f.h5);
    if (ok) return LMB_OK;
    lmb_free(*names);
    *names = NULL;
    *count = 0;
    return lmb_h5_fail(err, f.h5, "read", f.path);
}

// ---- datasets ----------------------------------------------------------------------------------

// a dataset of given rank whose non-negative dimensions must match; *out NULL: absent
static bool read_array(void **out, int *size, lmb_h5 *h, hid_t group, const char *name, int rank,
                       hid_t type) {
    hsize_t found[3] = {0};
    *out = NULL;
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0) return true;
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = set < 0 ? set : H5Dget_space(set);
    bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
              H5Sget_simple_extent_dims(space, found, NULL) == rank;
    size_t count = 1;
    for (int i = 0; ok && i < rank; i++) {
        ok = found[i] <= INT_MAX / 64 && (size[i] < 0 || found[i] == (hsize_t)size[i]);
        size[i] = (int)found[i];
        count *= found[i];
    }
    if (!ok) lmb_h5_reason(h, "a dataset of a flexible body has the wrong size");
    if (ok) *out = lmb_alloc(count, H5Tget_size(type));
    if (ok && *out == NULL) ok = lmb_h5_reason(h, "out of memory");
    if (ok && count > 0) ok = H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) >= 0;
    lmb_h5_drop(space);
    lmb_h5_drop(set);
    return ok;
}

static bool in_range(const int32_t *list, size_t count, int limit) {
    for (size_t i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= limit) return false;
    return true;
}

static bool read_shape(lmb_skin *s, lmb_h5 *h, hid_t group) {
    int x[2] = {-1, 3}, triangles[2] = {-1, 3}, lines[2] = {-1, 2};
    bool ok = read_array((void **)&s->x, x, h, group, "x", 2, H5T_NATIVE_DOUBLE) &&
              read_array((void **)&s->triangles, triangles, h, group, "triangles", 2, H5T_NATIVE_INT32) &&
              read_array((void **)&s->lines, lines, h, group, "lines", 2, H5T_NATIVE_INT32);
    if (!ok) return false;
    if (s->x == NULL) return lmb_h5_reason(h, "a flexible body has no nodes (dataset x)");
    int modes[3] = {x[0], 3, -1};
    if (!read_array((void **)&s->modes, modes, h, group, "modes", 3, H5T_NATIVE_FLOAT)) return false;
    int stress[3] = {x[0], 6, s->modes ? modes[2] : 0};
    if (!read_array((void **)&s->stress, stress, h, group, "stress", 3, H5T_NATIVE_FLOAT)) return false;
    int forces[3] = {-1, 6, stress[2]};
    if (!read_array((void **)&s->forces, forces, h, group, "forces", 3, H5T_NATIVE_FLOAT)) return false;
    int ends[2] = {forces[0], 3}, section[2] = {forces[0], LMB_SECTION_SIZE};
    if (!read_array((void **)&s->ends, ends, h, group, "ends", 2, H5T_NATIVE_DOUBLE) ||
        !read_array((void **)&s->section, section, h, group, "section", 2, H5T_NATIVE_DOUBLE))
        return false;
    if ((s->forces == NULL) != (s->section == NULL) || (s->forces == NULL) != (s->ends == NULL))
        return lmb_h5_reason(h, "a beam has section forces without section properties, or the reverse");
    s->end_count = s->forces ? forces[0] : 0;
    s->node_count = x[0];
    s->mode_count = s->modes ? modes[2] : 0;
    s->triangle_count = s->triangles ? triangles[0] : 0;
    s->line_count = s->lines ? lines[0] : 0;
    return (in_range(s->triangles, 3 * (size_t)s->triangle_count, s->node_count) &&
            in_range(s->lines, 2 * (size_t)s->line_count, s->node_count)) ||
           lmb_h5_reason(h, "a flexible body has an invalid node index");
}

lmb_status lmb_skin_read(lmb_skin *out, lmb_reader *r, const char *body, lmb_error *err) {
    lmb_h5_file f = lmb_reader_h5(r);
    *out = (lmb_skin){0};
    lmb_h5_begin(f.h5);
    hid_t all = H5Gopen2(f.file, "flex", H5P_DEFAULT),
          group = all < 0 ? all : H5Gopen2(all, body, H5P_DEFAULT);
    bool ok = group >= 0 && read_shape(out, f.h5, group);
    lmb_h5_drop(group);
    lmb_h5_drop(all);
    lmb_h5_end(f.h5);
    if (ok) return LMB_OK;
    lmb_skin_free(out);
    return lmb_h5_fail(err, f.h5, "read", f.path);
}

void lmb_skin_free(lmb_skin *s) {
    lmb_free(s->x);
    lmb_free(s->modes);
    lmb_free(s->stress);
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

void lmb_skin_nodes(double *out, const lmb_skin *s, const double *q) {
    int m = s->mode_count;
    size_t count = 3 * (size_t)s->node_count;
    memcpy(out, s->x, count * sizeof *out);
    for (size_t i = 0; m > 0 && i < count; i++) out[i] += dot(s->modes + i * (size_t)m, q, m);
}

void lmb_skin_forces(double out[6], const lmb_skin *s, int end, const double *q) {
    size_t m = (size_t)s->mode_count, first = 6 * (size_t)end;
    for (size_t k = 0; k < 6; k++) out[k] = dot(s->forces + (first + k) * m, q, s->mode_count);
}

// at a node shared by several lines, the end with the largest von Mises stress
static void beam_stress(double *out, const lmb_skin *s, const double *q) {
    memset(out, 0, 6 * (size_t)s->node_count * sizeof *out);
    for (int i = 0; i < 2 * s->line_count && i < s->end_count; i++) {
        double forces[6], stress[6] = {0}, *at = out + 6 * s->lines[i];
        lmb_skin_forces(forces, s, i, q);
        lmb_section_stress(&stress[0], &stress[3], forces, s->section + LMB_SECTION_SIZE * (size_t)i);
        if (lmb_von_mises(stress) > lmb_von_mises(at)) memcpy(at, stress, sizeof stress);
    }
}

void lmb_skin_stress(double *out, const lmb_skin *s, const double *q) {
    int m = s->mode_count;
    if (s->stress == NULL) {
        beam_stress(out, s, q);
        return;
    }
    for (size_t i = 0; i < 6 * (size_t)s->node_count; i++) out[i] = dot(s->stress + i * (size_t)m, q, m);
}
