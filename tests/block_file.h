// tests/block_file.h: a bar of bricks or shells as an Abaqus file, for models that read meshes.
#ifndef BLOCK_FILE_H
#define BLOCK_FILE_H

#include "check.h"

#include <stdio.h>

typedef struct block {
    int nx, ny, nz; // elements; nz 0: shells in the middle plane
    double length, width, height;
} block;

static inline int block_node(const block *b, int i, int j, int k) {
    return 1 + (i * (b->ny + 1) + j) * (b->nz + 1) + k;
}

static inline void block_nodes(FILE *f, const block *b) {
    fputs("*NODE\n", f);
    for (int i = 0; i <= b->nx; i++)
        for (int j = 0; j <= b->ny; j++)
            for (int k = 0; k <= b->nz; k++)
                fprintf(f, "%d, %.17g, %.17g, %.17g\n", block_node(b, i, j, k), b->length * i / b->nx,
                        b->width * ((double)j / b->ny - 0.5),
                        b->nz ? b->height * ((double)k / b->nz - 0.5) : 0);
}

static inline void block_elements(FILE *f, const block *b) {
    fprintf(f, "*ELEMENT, TYPE=%s, ELSET=ALL\n", b->nz ? "C3D8I" : "S4");
    for (int i = 0, e = 1; i < b->nx; i++)
        for (int j = 0; j < b->ny; j++)
            for (int k = 0; k < (b->nz ? b->nz : 1); k++, e++) {
                fprintf(f, "%d", e);
                for (int up = 0; up < (b->nz ? 2 : 1); up++)
                    fprintf(f, ", %d, %d, %d, %d", block_node(b, i, j, k + up),
                            block_node(b, i + 1, j, k + up), block_node(b, i + 1, j + 1, k + up),
                            block_node(b, i, j + 1, k + up));
                fputc('\n', f);
            }
}

static inline void block_set(FILE *f, const block *b, const char *name, int i) {
    fprintf(f, "*NSET, NSET=%s\n", name);
    for (int j = 0; j <= b->ny; j++)
        for (int k = 0; k <= b->nz; k++) fprintf(f, "%d\n", block_node(b, i, j, k));
}

// sets ROOT and TIP at its ends; E = 2e11, nu = 0.3
static inline void block_write(const char *path, const block *b) {
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return;
    block_nodes(f, b);
    block_elements(f, b);
    block_set(f, b, "ROOT", 0), block_set(f, b, "TIP", b->nx);
    fputs("*MATERIAL, NAME=M\n*ELASTIC\n2e11, 0.3\n*DENSITY\n7850\n", f);
    if (b->nz) fputs("*SOLID SECTION, ELSET=ALL, MATERIAL=M\n", f);
    else fprintf(f, "*SHELL SECTION, ELSET=ALL, MATERIAL=M\n%.17g\n", b->height);
    fclose(f);
}

#endif
