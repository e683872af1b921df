// reduce/flex.h: flexible body data: all data of a reduced part that a simulation needs, independent of its source.
//
// m elastic coordinates q; the displacement of a point is S q, its rotation P q, in the axes of the body frame, whose
// origin and axes are those of the part.  With geometric stiffness they have parts of second order, S2 z and P2 z with
// z_r = 1/2 q.C_r q.  Arrays are row-major; an index i of a coordinate comes first unless said.
//                                                                               docs/theory/reduction.md
#ifndef LMB_FLEX_H
#define LMB_FLEX_H

#include "core/core.h"
#include "core/format.h"
#include "math/math.h"

// Files that hold it (store/flex_file.h).
#define LMB_BODY_FORMATS(X)                   \
    X(h5, "limber", ".h5, .hdf5")             \
    X(sid, "Standard Input Data", ".SID_FEM") \
    X(fem, "MBDyn", ".fem")                   \
    X(mnf, "Adams MNF", ".mnf")

// A frame of the part that can be joined or watched: S, P are 3 x m.
typedef struct lmb_flex_marker {
    const char *name; // "@...": a place where loads act, among the loads of residual fields and nothing else
    bool interface;   // shape functions and geometric stiffness know of it
    vec3 x;           // undeformed place
    double *S, *P;
    vec3 at;         // the point that carries it; a rigid arm leads from there to x
    mat3 D;          // sum w d d' of the nodes whose mean rotation it has; 0: none, or an interface
    double *S2, *P2; // 3 x second_count, of the point that carries it
    double *
        C; // 6, of an interface: compliance of the full part under a unit load there, held by the frame; NULL: unknown
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
enum { LMB_INERTIA_LOADS = 12 }; // the first ones, in the order above: 6 centrifugal, 3 acceleration, 3 spin

// Nodes of the part by name.
typedef struct lmb_flex_set {
    const char *name;
    int count;
    int *nodes; // ascending
} lmb_flex_set;

// Damping ratios of the modes: by number, the last one for all further modes, or between given frequencies.
typedef struct lmb_damping_law {
    int count;         // 0: none, D is what it is
    double *ratio;     // count
    double *frequency; // count, Hz, ascending; NULL: by number
} lmb_damping_law;
double lmb_damping_ratio(const lmb_damping_law *l, int mode, double frequency); // mode from 0; Hz

// A direction in which a joint holds the body: force . (velocity of the place x) + torque . (angular velocity) = 0, in
// the axes of the body.
typedef struct lmb_flex_support {
    vec3 x, force, torque;
} lmb_flex_support;

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
    double *K, *D;       // m x m
    double *frequency;   // m: of the elastic coordinates by themselves, Hz (sqrt of the eigenvalues of K, I6)
    lmb_damping_law law; // of which D is made

    int stiffening_count;
    lmb_flex_stiffening *stiffening;

    // second-order displacement: fields of nodes and markers, times z_r = 1/2 q.C_r q, a length
    int second_count; // 0: unknown, or no geometric stiffness
    double
        *second_C; // second_count x m x m, orthogonal when scaled with the amplitudes of lmb_flex_amplitudes
    double *second_S; // node_count x 3 x second_count
    double *second_P; // the same for rotations; NULL: like node_P

    int marker_count;
    lmb_flex_marker *markers;

    // residual coordinates p = T L: what the loads L deform statically beside the shape functions
    int residual_count; // 0: unknown, or nothing
    double *residual;   // T, residual_count x lmb_flex_residual_loads

    // stress of a unit of each coordinate
    int stress_kind; // lmb_stress_kind of fe/fe.h, 0: none
    int stress_width, stress_places;
    int *stress_node; // places: node of the part; BEAM: node of the end
    double *stress;   // places x width x (m + residual_count): of (q, p)
    double *section;  // BEAM: places x 20: y, z of at most 8 fibres (unused: nan), then A, Iy, Iz, Wt
    double *material; // places x 2: E, nu; nan where elements of several materials meet; NULL: unknown

    // for drawing, stresses and markers: all nodes of the part with their shape functions
    int node_count;
    int *node_label;
    double *node_x; // node_count x 3
    double *node_S; // node_count x 3 x m
    double *node_P; // the same for rotations; NULL: the nodes have none (solids)
    int set_count;
    lmb_flex_set *sets; // of the mesh
    int triangle_count;
    int *triangles; // triangle_count x 3, node indices
    int line_count;
    int *lines; // beams: line_count x 2
    int *
        line_next; // line_count x 2: the collinear line before and after it, without a marker between; -1: none
    double *line_section; // line_count x 2 ends x LMB_FLEX_SECTION, NULL: unknown

    // reports for the user
    const char *shapes;     // one line per coordinate kept, then those dropped; text
    const char *provenance; // sources, sizes, settings, versions: lines "key: value"
    const char *report;     // how good it is: compliance, frequencies; text

    bool
        foreign; // from a file of another program: nodes alone, neither elements nor stresses, no displacement of second order
    const char *doubts; // what a run tells of that file; NULL: nothing
} lmb_flex;

lmb_status lmb_flex_create(lmb_flex **out, const char *name, int m,
                           lmb_error *err); // arrays by m alone are made
void lmb_flex_destroy(lmb_flex *f);         // takes NULL
// The same body by another name, its matter moved by t, with a damping of its own; all else is that of f, which must live longer.
lmb_status lmb_flex_share(lmb_flex **out, const lmb_flex *f, const char *name, vec3 t, lmb_error *err);
// Inertia of second order from what a file gives: all but I9 is set, I5 and I6 hold; of I11, whose symmetric part in the components may
// be a guess, the nearest for which the mass matrix is positive in every state, then I9.  *changed: by how much, by the largest of I6.
// LMB_ERR_INPUT: the mass matrix of the undeformed body is not positive.
lmb_status lmb_flex_complete(double *changed, lmb_flex *f, lmb_where where, lmb_error *err);
// Before that: an inertia tensor that is possible, and a modal mass that is positive beside the couplings, from data that lack or
// contradict them; told: what changed, a line each.  LMB_ERR_INPUT: too little to go by.
lmb_status lmb_flex_repair(lmb_text *told, lmb_flex *f, lmb_where where, lmb_error *err);
// Its frequencies.  LMB_ERR_INPUT: K is not positive.
lmb_status lmb_flex_vibrate(lmb_flex *f, lmb_where where, lmb_error *err);
// The body as a superelement: six motions of each interface, then amplitudes of normal modes with fixed interfaces, all its coordinates.
// LMB_ERR_INPUT: it has no interfaces, or they do not move independently.
typedef struct lmb_flex_super {
    int interfaces, n; // n = 6 + m rows
    int *marker;       // of each interface
    double *K, *M;     // n x n
} lmb_flex_super;
lmb_status lmb_flex_condense(lmb_flex_super *out, const lmb_flex *f, lmb_error *err);
void lmb_flex_super_free(lmb_flex_super *s);
// Arrays for nodes that are its markers, zero; false: no memory.
bool lmb_flex_nodes(lmb_flex *f, int count);
// D by the law of f (without one: as it is) for the modes that the supports leave, and its part at the interfaces.
// *lowest: the first of them that deforms the body, rad/s; infinity: none.
lmb_status lmb_flex_hold(double *lowest, lmb_flex *f, const lmb_flex_support *supports, int count,
                         lmb_error *err);

// Static amplitudes of the coordinates, m numbers: with which fields of second order are weighed.
void lmb_flex_amplitudes(double *a, const lmb_flex *f);
// z at the coordinates q, second_count numbers
void lmb_flex_second(double *z, const lmb_flex *f, const double *q);

// Kg (3 x m x m) of three rows of second order: S2 z = -1/2 q.Kg q
void lmb_flex_second_Kg(double *Kg, const lmb_flex *f, const double *S2);

// The material at a place: a node there (count 1), a point of the facets of the surface nearby (3), or neither is near (0).
typedef struct lmb_carrier {
    int count, nodes[3];
    double share[3];
    vec3 x;
} lmb_carrier;
typedef struct lmb_facets {
    int node_count;
    const double *x; // node_count x 3
    int triangle_count;
    const int *triangles;
    bool (*is_loose)(const void *user, int node); // it does not move with the part; NULL: all do
    const void *user;
} lmb_facets;
lmb_carrier lmb_carrier_at(const lmb_facets *s, vec3 x);

// Motion of a place of the part: of the point that carries it, on the nearest line of a beam (cubic between its nodes), of solids
// and shells the material there, or the centre of the nodes around it where there is none.  The rotation of the latter is the mean
// of these nodes as in docs/theory/reduction.md (2).  A rigid arm leads from the point to the place.
typedef struct lmb_flex_place {
    vec3 x;        // the point that carries it
    double *S, *P; // 3 x m; arrays are given
    double *
        Kg; // 6 x m x m: u = S q - 1/2 q.Kg q, the same for the rotation; only if second_count > 0; NULL: not wanted
} lmb_flex_place;
// *distance: from x to the part, about.
lmb_status lmb_flex_place_at(lmb_flex_place *out, double *distance, const lmb_flex *f, vec3 x,
                             lmb_error *err);
// The same of a marker of the part that is not an interface.
lmb_status lmb_flex_marker_place(lmb_flex_place *out, const lmb_flex *f, int marker, lmb_error *err);
// First order at x itself, with the arm: S, P (3 x m).
// Motion of a place s = 0..1 between nodes a and b of a beam by {u_a, th_a, u_b, th_b}: cubic, twist and strain linear.
void lmb_flex_between(vec3 *u, vec3 *th, vec3 a, vec3 b, double s, const vec3 motion[4]);
lmb_status lmb_flex_site(double *S, double *P, double *distance, const lmb_flex *f, vec3 x, lmb_error *err);
// The line of a beam nearest to x, the place 0..1 along it and how far away it is; -1: there are none.
int lmb_flex_nearest_line(double *s, double *distance, const lmb_flex *f, vec3 x);

// ---- stress and internal forces ----------------------------------------------------------------------
//
// All linear in s = (q, p), elastic and residual coordinates: rows (6 x lmb_flex_stress_count) at a place are made once, values
// are rows s.                                                    docs/theory/reduction.md (9), (10), (17) to (19)

enum { LMB_SECTION_SIZE = 20 };                         // numbers of a section, see lmb_flex.section
typedef enum lmb_side { LMB_TOP, LMB_BOTTOM } lmb_side; // of a shell: that of its normal, the other

static inline int lmb_flex_stress_count(const lmb_flex *f) { return f->m + f->residual_count; }
// Loads of residual coordinates: products of the angular velocity xx, yy, zz, xy, yz, zx; force and torque at every marker, body
// axes; q''.
static inline int lmb_residual_loads(int markers, int m) { return 6 + 6 * markers + m; }
static inline int lmb_flex_residual_loads(const lmb_flex *f) {
    return lmb_residual_loads(f->marker_count, f->m);
}
lmb_status lmb_flex_join_lines(lmb_flex *f, lmb_error *err); // sets line_next, once stress is there
// N, Qy, Qz, T, My, Mz of the beam at the place nearest to x (or `at` 0..1 of a line), and the section there (or NULL).
// false: no beam.
bool lmb_flex_section_rows(double *rows, double *section, const lmb_flex *f, vec3 x);
void lmb_flex_line_rows(double *rows, double *section, const lmb_flex *f, int line, double at);
// Radius of a round section, whose fibres are eight points of a circle; 0: it is not round.
double lmb_section_radius(const double *section);
// Largest normal stress of a section by its size, with its sign, and largest torsional stress, Pa.
void lmb_section_stress(double *normal, double *shear, const double forces[6], const double *section);
// Size of the normal stress, von Mises stress of both.
void lmb_section_values(double out[2], const double forces[6], const double *section);
struct lmb_profile;
void lmb_section_numbers(double *section, const struct lmb_profile *p);
// Stress at a place of a solid or a shell: that of a node there, else a linear fit to the nodes around it.  false: none.
bool lmb_flex_stress_rows(double *rows, const lmb_flex *f, lmb_side side, vec3 x);
// Stress at a place of stress_places: of beams xx and xy, normal and torsional, where it is largest.
void lmb_flex_stress(double stress[6], const lmb_flex *f, int place, lmb_side side, const double *s);
// Von Mises stress there, of shells on that side where it is larger.
double lmb_flex_mises(const lmb_flex *f, int place, const double *s);
// The largest von Mises stress, Pa, of places of a list (NULL: all of them): *place, -1: there are none.
double lmb_flex_largest(int *place, const lmb_flex *f, const int *places, int count, const double *s);
int lmb_flex_find_set(const lmb_flex *f, const char *name); // -1: none
// E and nu at the place x; nan: unknown, or stresses of several materials are mixed there.
void lmb_flex_material(double out[2], const lmb_flex *f, vec3 x);
// Directions of the axes of a beam's section at the place nearest to x, in those of the body: x along it.  false: unknown.
bool lmb_flex_section_axes(mat3 *axes, const lmb_flex *f, vec3 x);
// Outer normal of the surface at x, a unit vector; zero: x is not on the surface, or on an edge of it.
vec3 lmb_flex_normal(const lmb_flex *f, vec3 x);

double lmb_von_mises(const double stress[6]);              // xx, yy, zz, xy, yz, zx
void lmb_principal(double out[3], const double stress[6]); // largest first
// and their directions, a right-handed frame, in the columns; of each the largest component is positive, except the last
mat3 lmb_principal_axes(const double stress[6]);

// Which share of the static compliance at an interface in this direction (0..5) the shape functions have: 1 if and only
// if the static function of a load there is among them (functions with `keep` may make it more); NAN: the frame holds the
// place in this direction.
double lmb_flex_represented(const lmb_flex *f, int marker, int direction);

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
