// reduce/turn.c: modes of equal frequency are turned to the axes of the beam or the part.  docs/theory/reduction.md (3a)
//
// Within a group of equal frequency any orthogonal combination is a set of modes.  One is chosen: that which diagonalises
//     G = sum_d weight_d (D_d V)' M (D_d V)
// with D_d the part of a motion along y (and about z, of a beam: bending in the plane xy), along z and about y, along x, about x, and,
// for those that these leave alike, what moves far from the middle along x, y, z.  Of a straight beam the axes are its own.
#include "reduce/local.h"

#include <string.h>

// of a straight beam its own axes, else those of the part
static mat3 own_axes(const lmb_mesh *mesh) {
    mat3 R = M3_ID;
    for (int i = 0; mesh && i < mesh->element_count; i++) {
        lmb_element e;
        vec3 arm[2];
        if (mesh->elements[i].ops != &lmb_element_beam) return M3_ID;
        lmb_mesh_element_get(&e, mesh, i);
        mat3 own = lmb_beam_axes(arm, &e), turn = m3_mul(m3_t(R), own);
        if (i > 0 && turn.m[0][0] + turn.m[1][1] + turn.m[2][2] < 3 - 1e-9) return M3_ID;
        R = own;
    }
    return R;
}

// u reduced to these directions (bits 0..2) along the axes
static void along(double *u, const mat3 *axes, int directions) {
    vec3 own = m3_tmul_v3(axes, v3_load(u));
    own = v3(directions & 1 ? own.x : 0, directions & 2 ? own.y : 0, directions & 4 ? own.z : 0);
    v3_store(u, m3_mul_v3(axes, own));
}

// part = what v moves in these directions
static void moved(double *part, const lmb_fe *fe, const mat3 *axes, int directions, const double *v) {
    memcpy(part, v, sizeof *part * (size_t)fe->n);
    for (int i = 0; i < fe->node_count; i++)
        for (int k = 0; k < 6; k += 3) // motions that a constraint leaves in one or two directions stay
            if ((fe->own[i] >> k & 7) == 7) along(part + lmb_fe_equation(fe, i, k), axes, directions >> k);
}

// part = v times the distance from the middle along an axis
static void far_along(double *part, const lmb_fe *fe, vec3 axis, vec3 middle, const double *v) {
    memcpy(part, v, sizeof *part * (size_t)fe->n);
    for (int i = 0; i < fe->node_count; i++)
        if (fe->first[i] >= 0)
            lmb_scale(part + fe->first[i], v3_dot(axis, v3_sub(fe->x[i], middle)), fe->dofs[i]);
}

// G += factor P' M P
static void add_energy(double *G, double factor, const lmb_fe *fe, const double *P, double *MP, int c) {
    size_t n = (size_t)fe->n;
    lmb_symmetric_mul(MP, &fe->lower, fe->M, P, c);
    for (int i = 0; i < c; i++)
        for (int j = 0; j < c; j++) G[i * c + j] += factor * lmb_dot(P + i * n, MP + j * n, fe->n);
}

// V = V X with X the eigenvectors of G, largest eigenvalue last
static lmb_status turn(double *values, double *V, int c, int rows, const double *G, double *X, double *T,
                       lmb_error *err) {
    size_t n = (size_t)rows;
    lmb_status st = lmb_dense_eigen(values, X, (double *)G, NULL, c, err);
    if (st != LMB_OK) return st;
    memset(T, 0, sizeof *T * n * c);
    for (int j = 0; j < c; j++)
        for (int i = 0; i < c; i++) lmb_axpy(T + j * n, X[i * c + j], V + i * n, rows);
    memcpy(V, T, sizeof *V * n * c);
    return LMB_OK;
}

size_t lmb_turn_work(int n, int c) { return 3 * (size_t)n * c + 2 * (size_t)c * c + (size_t)c; }

lmb_status lmb_turn_modes(double *share, double *V, int c, const lmb_fe *fe, int directions, double *work,
                          lmb_error *err) {
    mat3 axes = own_axes(fe->mesh);
    size_t n = (size_t)fe->n;
    double *P = work, *MP = P + n * c, *T = MP + n * c, *G = T + n * c, *X = G + c * c;
    for (int i = 0; i < c; i++) moved(P + i * n, fe, &axes, directions, V + i * n);
    memset(G, 0, sizeof *G * (size_t)(c * c));
    add_energy(G, 1, fe, P, MP, c);
    return turn(share, V, c, fe->n, G, X, T, err);
}

static vec3 middle_of(double *size, const lmb_fe *fe) {
    vec3 sum = V3_ZERO;
    *size = 0;
    for (int i = 0; i < fe->node_count; i++) sum = v3_madd(sum, 1.0 / fe->node_count, fe->x[i]);
    for (int i = 0; i < fe->node_count; i++) *size = fmax(*size, v3_norm(v3_sub(fe->x[i], sum)));
    return sum;
}

// G of a group; first in the list comes what has the least of it
static void group_energy(double *G, const double *V, int c, const lmb_fe *fe, double *P, double *MP) {
    static const struct {
        int directions; // x, y, z, rx, ry, rz
        double weight;
    } kinds[] = {{2 | 32, -8}, {4 | 16, -4}, {1, -2}, {8, -1}};
    static const double far[3] = {0.05, 0.03, 0.02};
    mat3 axes = own_axes(fe->mesh);
    double size;
    vec3 middle = middle_of(&size, fe);
    size_t n = (size_t)fe->n;
    memset(G, 0, sizeof *G * (size_t)(c * c));
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        for (int i = 0; i < c; i++) moved(P + i * n, fe, &axes, kinds[k].directions, V + i * n);
        add_energy(G, kinds[k].weight, fe, P, MP, c);
    }
    for (int k = 0; k < 3 && size > 0; k++) {
        for (int i = 0; i < c; i++) far_along(P + i * n, fe, m3_column(&axes, k), middle, V + i * n);
        add_energy(G, far[k] / (size * size), fe, P, MP, c);
    }
}

lmb_status lmb_turn_groups(double *V, const double *values, int count, const lmb_fe *fe, lmb_error *err) {
    const double alike = 1e-6; // of the square of a frequency
    double *work = NULL;
    size_t n = (size_t)fe->n;
    lmb_status st = LMB_OK;
    for (int i = 0, c; i < count && st == LMB_OK; i += c) {
        for (c = 1; i + c < count && values[i + c] - values[i] <= alike * values[i + c];) c++;
        if (c == 1) continue;
        double *bigger = lmb_realloc(work, lmb_turn_work(fe->n, c), sizeof *work);
        if (bigger == NULL) {
            st = lmb_fail_memory(err);
            break;
        }
        work = bigger;
        double *P = work, *MP = P + n * c, *G = MP + 2 * n * c, *X = G + c * c, *w = X + c * c;
        group_energy(G, V + i * n, c, fe, P, MP);
        st = turn(w, V + i * n, c, fe->n, G, X, MP + n * c, err);
    }
    lmb_free(work);
    return st;
}
