// reduce/flex.h: flexible body data: all a simulation needs of a reduced part, whatever it came from.
//
// m elastic coordinates q; the displacement of a point is S q, its rotation P q, in the axes of the body frame, whose
// origin and axes are those of the part.  Arrays are row-major; an index i of a coordinate comes first unless said.
//                                                                               docs/theory/reduction.md
#ifndef LMB_FLEX_H
#define LMB_FLEX_H

#include "core/core.h"
#include "math/math.h"

// A frame of the part that can be joined or watched: S, P are 3 x m.
typedef struct lmb_flex_marker {
    const char *name;
    bool interface; // shape functions and geometric stiffness know of it
    vec3 x;         // undeformed place
    double *S, *P;
} lmb_flex_marker;

// Reference load of geometric stiffness.
typedef enum lmb_flex_load {
    LMB_LOAD_CENTRIFUGAL,  // unit w_a w_b: index 0..5 = xx, yy, zz, xy, yz, zx (w_a w_b + w_b w_a for a != b)
    LMB_LOAD_ACCELERATION, // unit acceleration of the frame along axis 0..2 (gravity: minus)
    LMB_LOAD_SPIN,         // unit angular acceleration about axis 0..2
    LMB_LOAD_INTERFACE,    // unit force (0..2) or torque (3..5) at interface `marker`
} lmb_flex_load;
typedef struct lmb_flex_stiffening {
    lmb_flex_load load;
    int index;
    int marker; // INTERFACE: index into markers
    double *Kg; // m x m
} lmb_flex_stiffening;

// Numbers of a beam's section at one end of a line, for pictures: shape (lmb_profile_shape), four sizes (lmb_drawn_section
// of fe/fe.h); centroid from the node, directions of y and z of the section.
enum { LMB_FLEX_SECTION = 14 };

typedef struct lmb_flex {
    lmb_arena *arena; // owns everything below
    const char *name;
    int m;

    // mass properties and inertia invariants about the frame's origin
    double I1;   // mass
    vec3 I2;     // int rho x
    mat3 I7;     // int rho x~' x~
    double *I3;  // m x 3: int rho s_i
    double *I4;  // m x 3: column i of int rho x~ S
    double *I5;  // m x m x 3: [i][j] = int rho s_i x s_j  (column j of I5_i)
    double *I6;  // m x m: int rho s_i . s_j
    double *I8;  // m x 9: int rho x~ s_i~
    double *I9;  // m x m x 9: int rho s_i~ s_j~
    double *I10; // 3 x 3 x m: int rho x_a s_b,k
    double *I11; // 3 x 3 x m x m: int rho s_a,k s_b,l

    // stiffness and damping; reduced mass is I6
    double *K, *D;     // m x m
    double *frequency; // m: of the elastic coordinates by themselves, Hz (sqrt of the eigenvalues of K, I6)

    int stiffening_count;
    lmb_flex_stiffening *stiffening;

    int marker_count;
    lmb_flex_marker *markers;

    // stress of a unit of each coordinate
    int stress_kind; // lmb_stress_kind of fe/fe.h, 0: none
    int stress_width, stress_places;
    int *stress_node; // places: node of the part; BEAM: node of the end
    double *stress;   // places x width x m
    double *section;  // BEAM: places x 20: y, z of at most 8 fibres (unused: nan), then A, Iy, Iz, Wt

    // what is drawn, and where stress and markers are: all nodes of the part with their shape functions
    int node_count;
    int *node_label;
    double *node_x; // node_count x 3
    double *node_S; // node_count x 3 x m
    double *node_P; // the same for rotations; NULL: the nodes have none (solids)
    int triangle_count;
    int *triangles; // triangle_count x 3, node indices
    int line_count;
    int *lines;           // beams: line_count x 2
    double *line_section; // line_count x 2 ends x LMB_FLEX_SECTION, NULL: unknown

    // what the user should know
    const char *shapes;     // one line a coordinate kept, and what was dropped, for people
    const char *provenance; // sources, sizes, settings, versions: lines "key: value"
    const char *report;     // how good it is: compliance, frequencies, for people
} lmb_flex;

lmb_status lmb_flex_create(lmb_flex **out, const char *name, int m,
                           lmb_error *err); // arrays by m alone are made
void lmb_flex_destroy(lmb_flex *f);         // takes NULL

// Shape functions S, P (3 x m) at a place x of the part: between the nodes of the nearest line of a beam (cubic), or the
// mean over the nodes around x as in docs/theory/reduction.md (2).  *distance: from x to the part, about.
lmb_status lmb_flex_site(double *S, double *P, double *distance, const lmb_flex *f, vec3 x, lmb_error *err);

// Constant loads on the part, held by its frame, which spins.
typedef struct lmb_flex_force {
    int marker, index; // 0..5: force along x, y, z, torque about them
    double value;
} lmb_flex_force;
typedef struct lmb_flex_prestress {
    int count;
    const lmb_flex_force *forces;
    vec3 spin; // about the origin of the part
} lmb_flex_prestress;
// Small vibrations about the undeformed part under these loads: geometric stiffness, centrifugal and Coriolis forces.
// frequency: m numbers, Hz, ascending.  LMB_ERR_NUMERIC: unstable.  LMB_ERR_INPUT: no geometric stiffness for a load.
lmb_status lmb_flex_frequencies(double *frequency, const lmb_flex *f, const lmb_flex_prestress *p,
                                lmb_error *err);
// Factors of the loads at which the part buckles: m numbers, ascending, INFINITY: no more.
lmb_status lmb_flex_buckling(double *factor, const lmb_flex *f, const lmb_flex_prestress *p, lmb_error *err);
// q under the forces, linear, without geometric stiffness and spin
lmb_status lmb_flex_deflection(double *q, const lmb_flex *f, const lmb_flex_prestress *p, lmb_error *err);

#endif
