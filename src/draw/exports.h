// draw/exports.h: formats of exports.
#ifndef LMB_DRAW_EXPORTS_H
#define LMB_DRAW_EXPORTS_H

#include <limber/limber.h>

#include "core/format.h"

#include <stdio.h>

// A new one is a file in this folder with lmb_export_ID_file, and a line here.
#define LMB_EXPORT_FORMATS(X)                 \
    X(csv, "CSV", ".csv, .txt")               \
    X(vtk, "ParaView", ".pvd, .vtu")          \
    X(glb, "glTF 2.0", ".glb")                \
    X(mat, "MATLAB", ".mat")                  \
    X(npz, "NumPy", ".npz")                   \
    X(mtx, "MatrixMarket", ".mtx")            \
    X(mo, "Modelica", ".mo")                  \
    X(sid, "Standard Input Data", ".SID_FEM") \
    X(fem, "MBDyn", ".fem")                   \
    X(mnf, "Adams MNF", ".mnf")               \
    X(dmig, "Nastran DMIG", ".pch")           \
    X(op4, "Nastran OUTPUT4", ".op4")

typedef lmb_status lmb_export_writer(const char *path, const char *results, const lmb_export_options *options,
                                     lmb_error *err);
typedef struct lmb_export_format {
    const char *name, *endings;
    lmb_export_writer *write;
} lmb_export_format;

// ParaView files or a page with a further field, the damage of every node (draw/life.h; NULL: without it).
struct lmb_life;
lmb_status lmb_vtk_write(const char *path, const char *results, const lmb_export_options *options,
                         const struct lmb_life *life, lmb_error *err);
lmb_status lmb_page_write(const char *path, const lmb_view_options *options, const struct lmb_life *life,
                          lmb_error *err);

// A name, a pattern, or an element whose components are meant: tip for tip.x, tip.y, tip.z.
bool lmb_column_matches(const char *wanted, const char *name);
void lmb_csv_heading(FILE *f, const char *name, const char *unit); // a cell: "name [unit]", or the name alone
void lmb_csv_number(FILE *f, double x);
// The table of a study: member, parameters, measures, status, message; no seconds, so that equal studies give equal bytes. path "-": standard output.
struct lmb_study_file;
lmb_status lmb_study_csv_write(const char *path, const struct lmb_study_file *s, const char *input,
                               lmb_error *err);
lmb_status lmb_study_csv_export(const char *path, const char *study, lmb_error *err); // of a file

#define LMB_EXPORT_DECLARE(id, name, endings) lmb_export_writer lmb_export_##id##_file;
LMB_EXPORT_FORMATS(LMB_EXPORT_DECLARE)

#endif
