// api/matrices.c: the linearised equations as MatrixMarket files.
#include "api/matrices.h"

#include "os/outfile.h"

typedef struct matrix {
    const char *name, *what;
    const double *v; // row-major
    int rows, cols;
} matrix;

static long count_entries(const matrix *a) {
    long count = 0;
    for (size_t i = 0; i < (size_t)a->rows * (size_t)a->cols; i++) count += a->v[i] != 0;
    return count;
}

static void write_entries(FILE *f, const matrix *a) {
    for (int c = 0; c < a->cols; c++)
        for (int r = 0; r < a->rows; r++) {
            double x = a->v[(size_t)r * (size_t)a->cols + (size_t)c];
            if (x != 0) fprintf(f, "%d %d %.17g\n", r + 1, c + 1, x);
        }
}

static lmb_status write_one(const char *prefix, const matrix *a, const lmb_model *m, const lmb_column *v,
                            lmb_error *err) {
    lmb_text path = {0};
    lmb_outfile o;
    lmb_status st = lmb_text_add(&path, "%s_%s.mtx", prefix, a->name) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_outfile_open(&o, path.text, NULL, err);
    if (st == LMB_OK) {
        fprintf(o.f, "%%%%MatrixMarket matrix coordinate real general\n");
        fprintf(o.f, "%% %s of M x'' + D x' + K x + G' lambda = 0, G x = 0\n", a->what);
        for (int i = 0; i < m->ny; i++)
            fprintf(o.f, "%% x%d' = %s [%s]\n", i + 1, v[m->y_v[i]].name, v[m->y_v[i]].unit);
        fprintf(o.f, "%d %d %ld\n", a->rows, a->cols, count_entries(a));
        write_entries(o.f, a);
        st = lmb_outfile_close(&o, LMB_OK, err);
    }
    lmb_text_free(&path);
    return st;
}

lmb_status lmb_matrices_write(const char *prefix, const lmb_equations *l, const lmb_model *m,
                              const lmb_column *v, lmb_error *err) {
    const matrix list[] = {{"M", "mass matrix M", l->M, l->ny, l->ny},
                           {"D", "damping and gyroscopic matrix D", l->D, l->ny, l->ny},
                           {"K", "stiffness matrix K", l->K, l->ny, l->ny},
                           {"G", "constraint matrix G", l->G, l->nc, l->ny}};
    lmb_status st = LMB_OK;
    for (int i = 0; i < LMB_COUNT(list) && st == LMB_OK; i++) st = write_one(prefix, &list[i], m, v, err);
    return st;
}
