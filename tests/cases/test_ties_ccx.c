// tests/cases/test_ties_ccx.c: constraints of decks against CalculiX: the same file with a *FREQUENCY step, held by its *BOUNDARY.
// Source: CalculiX CrunchiX 2.20, G. Dhondt, www.dhondt.de; skipped without ccx.  C3D20 has the same K and M in both programs (3 x 3 x 3
// points); ccx prints frequencies with seven digits.
#include "../fe_parts.h"

#include <limber/limber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 6 };

// nodes and elements of a box of C3D20, numbers after `from`, moved by x; its faces at z0 and z1
static void write_box(FILE *f, const part_box *p, int from, vec3 at, const char *name) {
    lmb_mesh *m = part_box_make(p);
    fprintf(f, "*NODE, NSET=N%s\n", name);
    for (int i = 0; i < m->node_count; i++) {
        vec3 x = v3_add(m->x[i], at);
        fprintf(f, "%d, %.9g, %.9g, %.9g\n", from + m->label[i], x.x, x.y, x.z);
    }
    fprintf(f, "*ELEMENT, TYPE=C3D20, ELSET=E%s\n", name);
    for (int e = 0; e < m->element_count; e++) {
        fprintf(f, "%d", from + e + 1);
        for (int i = 0; i < 20; i++)
            fprintf(f, i == 12 ? ",\n%d" : ", %d", from + m->label[lmb_mesh_nodes(m, e)[i]]);
        fprintf(f, "\n");
    }
    for (int end = 0; end < 2; end++) {
        fprintf(f, "*NSET, NSET=%sZ%d\n", name, end);
        for (int i = 0; i < m->node_count; i++)
            if (fabs(m->x[i].z - end * p->c) < 1e-9) fprintf(f, "%d,\n", from + m->label[i]);
    }
    // S1 and S2 of bricks are their lower and upper faces
    fprintf(f, "*SURFACE, NAME=%sBOTTOM\n", name);
    for (int e = 0; e < m->element_count; e++)
        if (m->x[lmb_mesh_nodes(m, e)[0]].z < 1e-9) fprintf(f, "%d, S1\n", from + e + 1);
    fprintf(f, "*SURFACE, NAME=%sTOP\n", name);
    for (int e = 0; e < m->element_count; e++)
        if (m->x[lmb_mesh_nodes(m, e)[6]].z > p->c - 1e-9) fprintf(f, "%d, S2\n", from + e + 1);
    lmb_mesh_destroy(m);
}

static const part_box low = {0.3, 0.2, 0.4, 2, 2, 3, &lmb_element_hex20},
                      high = {0.25, 0.15, 0.3, 3, 1, 2, &lmb_element_hex20};

// numbers of three nodes on the upper edge of the upper box: its ends, then its middle
static void find_edge(int label[3]) {
    lmb_mesh *m = part_box_make(&high);
    const double x[3] = {0, high.a, high.a / 2};
    for (int i = 0; i < m->node_count; i++)
        for (int k = 0; k < 3; k++)
            if (v3_norm(v3_sub(m->x[i], v3(x[k], 0, high.c))) < 1e-9) label[k] = 1000 + m->label[i];
    lmb_mesh_destroy(m);
}

// two boxes of different meshes, one on the other, 0.3 x 0.2 and 0.25 x 0.15 wide
static bool write_deck(const char *path, const char *constraints) {
    int edge[3];
    FILE *f = fopen(path, "w");
    if (!f) return false;
    find_edge(edge);
    write_box(f, &low, 0, V3_ZERO, "A");
    write_box(f, &high, 1000, v3(0.02, 0.03, 0.4), "B");
    fprintf(f, "*NODE\n9001, 0.15, 0.1, 0.9\n9002, 0, 0, 0\n*MATERIAL, NAME=M\n*ELASTIC\n2.1e11, "
               "0.3\n*DENSITY\n7800.\n"
               "*SOLID SECTION, ELSET=EA, MATERIAL=M\n*SOLID SECTION, ELSET=EB, MATERIAL=M\n");
    fprintf(f, constraints, edge[0], edge[1], edge[2]);
    fprintf(f, "*STEP\n*FREQUENCY\n%d\n*END STEP\n", MODES);
    return fclose(f) == 0;
}

// runs ccx in the folder of the deck; its frequencies, Hz
static int read_ccx(double *out, const char *path) {
    char command[1024], line[256];
    const char *slash = strrchr(path, '/');
    double value[3];
    int mode, count = 0;
    snprintf(command, sizeof command, "cd '%.*s' && OMP_NUM_THREADS=1 ccx '%.*s' >/dev/null 2>&1",
             (int)(slash - path), path, (int)(strlen(slash + 1) - 4), slash + 1);
    if (system(command) != 0) return 0;
    snprintf(line, sizeof line, "%.*s.dat", (int)(strlen(path) - 4), path);
    FILE *f = fopen(line, "r");
    while (f && count < MODES && fgets(line, sizeof line, f))
        if (sscanf(line, " %d %lf %lf %lf", &mode, &value[0], &value[1], &value[2]) == 4 && mode == count + 1)
            out[count++] = value[2];
    if (f) fclose(f);
    return count;
}

#define TIED "*TIE, NAME=T, POSITION TOLERANCE=0.01\nBBOTTOM, ATOP\n"
#define CLAMPED "*BOUNDARY\nAZ0, 1, 3\n"

TEST(constraints_as_in_ccx) {
    static const char *const decks[] = {
        TIED CLAMPED,
        TIED "*TRANSFORM, NSET=AZ0, TYPE=C\n.7, .6, 0, .7, .6, 1\n*BOUNDARY\nAZ0, 2, 3\n",
        TIED CLAMPED "*RIGID BODY, NSET=BZ1, REF NODE=9001, ROT NODE=9002\n",
        TIED CLAMPED "*RIGID BODY, NSET=BZ1, REF NODE=9001, ROT NODE=9002\n*BOUNDARY\n9001, 1\n9002, 2\n",
        TIED CLAMPED
        "*EQUATION\n3\n%1$d, 1, 1., 30, 2, -.5, 40, 3, .25\n2\n%2$d, 3, 2., %1$d, 1, -1.\n", // chains
        ("*SURFACE, NAME=SLAVE, TYPE=NODE\nBZ0\n*TIE, NAME=T, POSITION TOLERANCE=0.01\nSLAVE, "
         "ATOP\n" CLAMPED),
    };
    if (system("command -v ccx >/dev/null") != 0) {
        check_skip("ccx is not installed");
        return;
    }
    for (int i = 0; i < LMB_COUNT(decks); i++) {
        char name[32];
        snprintf(name, sizeof name, "ties%d.inp", i);
        const char *path = check_temp(name), *clamp = "BOUNDARY";
        const lmb_setting unit = {"part.unit", "m"};
        double theirs[MODES];
        lmb_modes modes = {0};
        lmb_error err = {0};
        lmb_part_settings how = {.keys = &unit, .key_count = 1};
        if (!CHECK(write_deck(path, decks[i])) || !CHECK(read_ccx(theirs, path) == MODES)) {
            check_note("deck %d", i);
            continue;
        }
        if (CHECK_OK(lmb_modes_file(&modes, path,
                                    &(lmb_modes_wanted){.count = MODES, .clamp = &clamp, .clamp_count = 1},
                                    &how, &err),
                     err))
            for (int k = 0; k < MODES; k++)
                if (!CHECK_NEAR(modes.frequency[k] / theirs[k], 1, 1e-5))
                    check_note("deck %d, mode %d", i, k + 1);
        lmb_modes_release(&modes);
    }
}
