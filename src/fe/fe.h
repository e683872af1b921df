// fe/fe.h: finite elements: mesh, materials, sections, elements as tables of functions, the assembled model.
//
//   mesh file, beam description --> lmb_mesh --lmb_fe_create--> lmb_fe (K, M, loads, stress, mass points) --> reduce/
//
// All quantities SI, in the coordinates of the part.  Degrees of freedom of an element: node by node, three
// translations and, for beams and shells, three rotations.
#ifndef LMB_FE_H
#define LMB_FE_H

#include "linalg/symmetric.h"
#include "math/math.h"

enum {
    LMB_ELEMENT_NODES = 20,       // at most
    LMB_ELEMENT_DOFS = 60,        // at most
    LMB_ELEMENT_MASS_POINTS = 64, // at most
    LMB_ELEMENT_POINTS = 27,      // integration points, at most
    LMB_ELEMENT_INITIAL = 24,     // initial stresses of beams and shells, at most
    LMB_ELEMENT_SLOPES = 12,      // numbers of a displacement on which their work depends, at a point
    LMB_ELEMENT_FACES = 6,        // at most
    LMB_STRESSES = 12,            // numbers of an element's stress at one place, at most
    LMB_SHELL_PLIES = 500,        // layers of a shell, at most
};

// ---- materials and sections --------------------------------------------------------------------

typedef enum lmb_elasticity {
    LMB_ISOTROPIC,   // E, nu
    LMB_ANISOTROPIC, // C
    LMB_LAMINA,      // C of plane stress, for shells alone: its row and column zz are zero
} lmb_elasticity;

typedef struct lmb_material { // linear
    const char *name;
    double E, nu, rho; // Pa, 1, kg/m3; rho NAN: not given (lmb_mesh_check refuses it where elements have it)
    lmb_where where;
    lmb_elasticity elasticity; // not LMB_ISOTROPIC: E and nu are NAN,
    double C[6][6];            //   stress = C strain in the axes of the material: xx, yy, zz, xy, yz, zx
} lmb_material;
static inline double lmb_shear_modulus(const lmb_material *m) { return m->E / (2 * (1 + m->nu)); }

// the usual cross-sections; sizes in m
typedef enum lmb_profile_shape {
    LMB_PROFILE_CIRCLE,    // d
    LMB_PROFILE_TUBE,      // outer diameter, wall
    LMB_PROFILE_RECTANGLE, // y size, z size
    LMB_PROFILE_BOX,       // y size, z size, wall (all four), or wall of the y faces and of the z faces
    LMB_PROFILE_I,         // height (y), width (z), web thickness, flange thickness
    LMB_PROFILE_L,         // leg along y, leg along z, thickness; origin at the outer corner
} lmb_profile_shape;

// A beam's cross-section about its centroid, y and z its principal axes.
typedef struct lmb_profile {
    double A, Iy, Iz, J; // area; int z2 dA, int y2 dA; torsion constant (Saint-Venant)
    double ky, kz;       // shear factors: shear stiffness ky G A in y, kz G A in z
    double y_s, z_s;     // shear centre
    double turn;         // angle from the axes the section was described in to the principal axes
    double y_c, z_c;     // centroid in the axes it was described in
    int fibres;          // points where normal stress is largest, described about the centroid
    double fibre[8][2];  // (y, z)
    double Wt;           // largest torsional stress is T / Wt
    int sizes;           // number of sizes it was made from, for lmb_profile_between; 0: given by numbers
    lmb_profile_shape shape;
    double size[4], nu;
    double rhoA, rhoI[3]; // given mass per length and its moments about x, y, z; 0: those of the material
} lmb_profile;

// Mass per length and its moments about the axes of the section, kg/m, kg m; rho: density of the material.
typedef struct lmb_line_inertia {
    double mass, Ix, Iy, Iz;
} lmb_line_inertia;
lmb_line_inertia lmb_profile_inertia(const lmb_profile *s, double rho);
// int x^2, y^2, z^2 dm of it: x is 0 for an area, whose Ix = Iy + Iz
vec3 lmb_line_moments(lmb_line_inertia in);

// LMB_ERR_INPUT with a message if the sizes are not valid for the shape.
// nu: Poisson's ratio (shear factors after Cowper depend on it)
lmb_status lmb_profile_make(lmb_profile *out, lmb_profile_shape shape, const double *sizes, int count,
                            double nu, lmb_where where, lmb_error *err);
// the section between two (taper), s in 0..1: of one shape with sizes linear in s, else docs/theory/elements.md (12)
lmb_profile lmb_profile_between(const lmb_profile *a, const lmb_profile *b, double s);
bool lmb_profile_same(const lmb_profile *a, const lmb_profile *b); // in stiffness, mass and axes

// The drawn shape of a section; for a section given by numbers, the rectangle with the same radii of gyration.
typedef struct lmb_drawn_section {
    lmb_profile_shape shape;
    double size[4];
} lmb_drawn_section;
lmb_drawn_section lmb_profile_drawn(const lmb_profile *p);
// Its outline: points (y, z) about the centroid in the axes it was described in, loop by loop, counter-clockwise from y to
// z: the outer one, then the hole; and triangles that fill it.
typedef struct lmb_outline {
    int points, loops, triangles;
    double p[48][2];
    int loop[3]; // first point of each, then their number
    int triangle[48][3];
} lmb_outline;
void lmb_outline_make(lmb_outline *out, const lmb_drawn_section *section);

typedef enum lmb_beam_theory { LMB_TIMOSHENKO, LMB_EULER_BERNOULLI } lmb_beam_theory;
typedef enum lmb_rotary { LMB_ROTARY_ON, LMB_ROTARY_OFF } lmb_rotary; // off: all mass on the axis

// Axes of a material, at every place of an element.
typedef enum lmb_axes_kind {
    LMB_AXES_PART,        // those of the part
    LMB_AXES_RECTANGULAR, // of a system
    LMB_AXES_CYLINDRICAL, // of a system: radial, circumferential, axial
    LMB_AXES_SPHERICAL,   // radial, meridional, circumferential
    LMB_AXES_EDGE,        // of a shell: x along the edge from its first to its second node
} lmb_axes_kind;
typedef struct lmb_material_axes {
    lmb_axes_kind kind;
    pose place; // of the system
    mat3 turn;  // solids: columns: axes of the material in those of the system
    int axis; // shells: the axis (0, 1, 2) whose projection is x; -1: the one after that nearest to the normal;
    double angle; //   then turned about the normal by this
} lmb_material_axes;

// A layer of a shell.
typedef struct lmb_ply {
    int material;            // index into the mesh's materials
    double thickness, angle; // about the normal, from the axes of the property to those of the material
    bool own;                // these axes instead:
    lmb_material_axes along;
} lmb_ply;

// Properties shared by a group of elements.
typedef struct lmb_property {
    const char *name;
    int material;     // index into the mesh's materials, -1: none
    double thickness; // shells,
    double lift;      //   their middle surface above the nodes along the normal,
    double area_mass; //   further mass per area, kg/m2, in the middle surface,
    int ply_count;    //   layers in the order of the normal, in the arena of the mesh; 0: one of `material`
    lmb_ply *plies;
    lmb_profile section[2]; // beams: at the first and the last node
    lmb_beam_theory theory;
    lmb_rotary rotary;
    vec3 up; // beams: the section's y axis is the part of this normal to the axis
    double offset[2]
                 [2]; // beams: (y, z) of the centroid from the node, at both ends, in the axes of the section
    double twist[2];  // beams: angle about the axis from these axes to those of the section, at both ends
    double line_mass; // beams: further mass per length, kg/m
    double mass;      // point mass, with
    mat3 inertia;     //   inertia about its centre and
    vec3 com;         //   centre from the node
    double stiffness[6];     // springs: along x, y, z and about them,
    mat3 axes;               //   axes of the spring (columns)
    lmb_material_axes along; // solids, shells: axes of the material
    lmb_where where;
} lmb_property;

// ---- elements ----------------------------------------------------------------------------------

typedef struct lmb_element_ops lmb_element_ops;
typedef struct lmb_element { // one element with the data its functions need
    const lmb_element_ops *ops;
    vec3 x[LMB_ELEMENT_NODES];
    const lmb_material *material;
    const lmb_property *property;
    const lmb_material *materials; // of the mesh, for plies
} lmb_element;

// A point of the body that carries mass: displacement N u.  The kinetic energy and all inertia integrals are sums
// over these points: sum mass f(x, N u), exact for the undistorted element.
typedef struct lmb_mass_point {
    double mass; // kg (rho dV times weight)
    vec3 x;
    double N[3][LMB_ELEMENT_DOFS];
} lmb_mass_point;

typedef enum lmb_mass_kind { LMB_MASS_CONSISTENT, LMB_MASS_LUMPED } lmb_mass_kind;
typedef enum lmb_place {
    LMB_AT_NODES,
    LMB_AT_POINTS
} lmb_place; // points: the integration points of the stiffness

// Meaning of the stress components.
typedef enum lmb_stress_kind {
    LMB_STRESS_NONE,
    LMB_STRESS_SOLID, // 6: xx, yy, zz, xy, yz, zx, Pa, axes of the part
    LMB_STRESS_SHELL, // 12: the same on the side of the normal (top), then on the other
    LMB_STRESS_BEAM, // 6: N, Qy, Qz, T, My, Mz at the section, N and Nm, section axes (see docs/theory/elements.md)
} lmb_stress_kind;

struct lmb_element_ops {
    const char *name;     // "hex20"
    const char *doc;      // one line
    int nodes, node_dofs; // 3 or 6
    int points;           // integration points
    lmb_stress_kind stress_kind;
    int faces; // of a solid; shells: 2 (top, bottom); beams: 1 (the line); else 0
    // nodes of face f, first corners counter-clockwise seen from outside, then middle nodes: face_nodes[f][0] of them
    signed char face_nodes[LMB_ELEMENT_FACES][9];
    // smallest Jacobian by the largest, over the integration points (1: perfect; <= 0: inside out or flat); beams, springs: 1, or 0 if
    // there is no length where one is needed
    double (*quality)(const lmb_element *e);
    double (*node_quality)(
        const lmb_element *e); // the same over the nodes, where nothing is integrated; NULL: solids only
    // K, dofs x dofs, row-major; this and the following are NULL if the element lacks them
    void (*stiffness)(double *K, const lmb_element *e);
    // fills points, returns their number
    int (*mass_points)(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind);
    // f, consistent nodal forces of face: traction (N/m2, along a fixed direction; beams: N/m) minus pressure along
    // the outer normal; added to f
    void (*face_load)(double *f, const lmb_element *e, int face, vec3 traction, double pressure);
    // Kg of the initial stress that the displacement u causes: second variation of its work, linear in u
    void (*geometric)(double *Kg, const lmb_element *e, const double *u);
    // beams, shells: Kg = sum s_r G_r with the initial stresses s = S u (S: rows x dofs) and T_r,ij = phi_i . G_r phi_j of the
    // pairs j <= i of m columns phi (T: rows x pairs); returns the number of rows, LMB_ELEMENT_INITIAL at most.  work:
    // LMB_ELEMENT_SLOPES x m
    int (*initial)(double *S, double *T, const lmb_element *e, const double *phi, int m, double *work);
    // stress (see stress_kind) and, if not NULL, strain (same places and order, engineering shear; beams: axial
    // strain, shears, twist rate, curvatures) of displacement u at the nodes or points; rows of 6 or 12 numbers
    void (*stress)(double *stress, double *strain, const lmb_element *e, const double *u, lmb_place at);
    // where the integration points are; NULL if points = 0
    void (*point_places)(vec3 *x, const lmb_element *e);
    // solids: weight (volume) and derivatives of the shape functions, dN[(g * nodes + a) * 3 + k] = dN_a/dx_k, at the
    // integration points: makes geometric stiffness of many loads cheap; NULL elsewhere
    void (*gradients)(double *weight, double *dN, const lmb_element *e);
    // solids: work of `stress` on given strains, f . u = sum strain . stress(u), for `count` of them: f is dofs x count,
    // strain (points x 6) x count
    void (*strain_load)(double *f, const lmb_element *e, const double *strain, int count);
    const struct lmb_solid_family *solid; // of a solid: its shape functions and rules (fe/solid.h); else NULL
    const struct lmb_shell *shell;        // the same of a shell (fe/shell.h)
};

extern const lmb_element_ops lmb_element_beam; // beam.c: two nodes, Euler-Bernoulli or Timoshenko
// Position of the section of a beam: axes x along the line of centroids, y and z those the section was described in, and
// the centroids of its ends from its nodes.
mat3 lmb_beam_axes(vec3 arm[2], const lmb_element *e);
extern const lmb_element_ops lmb_element_truss; // truss.c: normal force alone; A and mass of its section
extern const lmb_element_ops lmb_element_tet4, lmb_element_tet10;
extern const lmb_element_ops lmb_element_hex8; // with incompatible modes
extern const lmb_element_ops lmb_element_hex20, lmb_element_hex20r;
extern const lmb_element_ops lmb_element_wedge6, lmb_element_wedge15;
extern const lmb_element_ops lmb_element_tri3, lmb_element_quad4; // shells
extern const lmb_element_ops lmb_element_tri6, lmb_element_quad8; // curved shells
extern const lmb_element_ops lmb_element_mass;                    // a point mass on one node (6 dofs)
extern const lmb_element_ops
    lmb_element_spring; // between two nodes, or one node and ground (1 node: spring1)
extern const lmb_element_ops lmb_element_spring1;

// ---- meshes ------------------------------------------------------------------------------------

typedef enum lmb_set_kind { LMB_SET_NODES, LMB_SET_ELEMENTS, LMB_SET_FACES } lmb_set_kind;
typedef struct lmb_mesh_set {
    const char *name;
    lmb_set_kind kind;
    int count, capacity;
    int *items; // node or element indices; faces: element * 8 + face
    lmb_where where;
} lmb_mesh_set;

typedef struct lmb_mesh_element {
    const lmb_element_ops *ops;
    int first;    // place of its nodes in mesh.nodes_of
    int property; // index, -1: none yet
    int label;    // number in the file
    int line;     // of the file, 0: unknown
} lmb_mesh_element;

typedef enum lmb_tie { LMB_TIE_RIGID, LMB_TIE_AVERAGE } lmb_tie; // RBE2, RBE3
typedef struct lmb_coupling { // of the file: *RIGID BODY, *COUPLING with *KINEMATIC or *DISTRIBUTING
    const char *name;
    lmb_tie tie;
    int node; // reference node
    int set;  // nodes or faces
    lmb_where where;
    int weight_count;    // AVERAGE: 0: all alike
    const int *weighted; // nodes, ascending
    const double *weights;
} lmb_coupling;
double lmb_coupling_weight(const lmb_coupling *c, int node);

// A linear constraint of the file between motions of nodes (0..5: translations, rotations): sum factor u = 0.
typedef struct lmb_equation_term {
    int node, motion;
    double factor; // of rotations: a length
} lmb_equation_term;
typedef struct lmb_equation {
    int first, count; // its terms in mesh.terms; the first motion is to follow the others
    int support;      // 0: it always holds; s + 1: only if mesh.supports[s] is held
    lmb_where where;
} lmb_equation;
// Supports of the deck, which are left out unless they are asked for by name.
typedef struct lmb_mesh_support {
    const char *name;
    bool held;
} lmb_mesh_support;

// Numbers of the file -> indices.  Start with {0}.
typedef struct lmb_label_slot {
    int label, index; // index + 1; 0: empty
} lmb_label_slot;
typedef struct lmb_label_map {
    int count, capacity;
    lmb_label_slot *slots;
} lmb_label_map;
bool lmb_label_map_add(lmb_label_map *map, int label,
                       int index); // the first of equal labels stays; false: no memory
int lmb_label_map_find(const lmb_label_map *map, int label); // -1: none
void lmb_label_map_free(lmb_label_map *map);

// What a material of a deck is at one of several temperatures.
enum { LMB_CONSTANTS = 21 };
typedef struct lmb_material_row {
    int material, count; // numbers in v
    double temperature, v[LMB_CONSTANTS];
    bool (*make)(lmb_material *out, const double *v); // into the material; false: they are invalid
} lmb_material_row;

// A part as meshed.  Owns everything; names live in its arena.
typedef struct lmb_mesh {
    const char *file; // for messages
    lmb_arena *arena;
    int node_count, node_capacity;
    vec3 *x;
    int *label; // numbers in the file
    int element_count, element_capacity;
    lmb_mesh_element *elements;
    int nodes_of_count, nodes_of_capacity;
    int *nodes_of;
    int set_count, set_capacity;
    lmb_mesh_set *sets;
    int material_count, material_capacity;
    lmb_material *materials;
    int row_count, row_capacity; // of each material and function `make` at least two, temperatures ascending
    lmb_material_row *rows;
    double temperature; // of the deck, NAN: it says nothing, or several
    int property_count, property_capacity;
    lmb_property *properties;
    int coupling_count, coupling_capacity;
    lmb_coupling *couplings;
    int equation_count, equation_capacity;
    lmb_equation *equations;
    int term_count, term_capacity;
    lmb_equation_term *terms;
    int support_count, support_capacity;
    lmb_mesh_support *supports;
    lmb_label_map node_labels, element_labels;
    lmb_text ignored; // ignored parts of the file, a line each: "part.inp:17: *BOUNDARY (12 lines)"
} lmb_mesh;

lmb_status lmb_mesh_create(lmb_mesh **out, const char *file, lmb_error *err);
void lmb_mesh_destroy(lmb_mesh *m); // takes NULL
// Adding: the index of the new thing, -1: no memory.  Texts are copied.
int lmb_mesh_add_node(lmb_mesh *m, int label, vec3 x);
int lmb_mesh_add_element(lmb_mesh *m, const lmb_element_ops *ops, int label, const int *nodes, int property,
                         int line);
int lmb_mesh_add_set(lmb_mesh *m, const char *name, lmb_set_kind kind,
                     lmb_where where); // an existing one is found again
bool lmb_mesh_set_add(lmb_mesh *m, int set, int item);
int lmb_mesh_add_material(lmb_mesh *m, const lmb_material *material);
int lmb_mesh_add_row(lmb_mesh *m, const lmb_material_row *row);
// The materials at a temperature (NAN: that of the deck), constant beyond the rows, which is reported (report may be NULL).  The rows are used up;
// without rows nothing is done.  Before lmb_mesh_convert.
lmb_status lmb_mesh_at_temperature(lmb_text *report, lmb_mesh *m, double temperature, lmb_error *err);
int lmb_mesh_add_property(lmb_mesh *m, const lmb_property *property);
int lmb_mesh_add_coupling(lmb_mesh *m, const lmb_coupling *coupling); // its weights are borrowed
int lmb_mesh_add_equation(lmb_mesh *m, lmb_where where);
int lmb_mesh_add_support(lmb_mesh *m, const char *name);  // an existing one is found again
bool lmb_mesh_is_held(const lmb_mesh *m);                 // by one of its supports
bool lmb_equation_holds(const lmb_mesh *m, int equation); // always, or because its support is held
int lmb_mesh_add_term(lmb_mesh *m, int node, int motion, double factor);       // of the last equation
int lmb_mesh_find_set(const lmb_mesh *m, const char *name, lmb_set_kind kind); // -1: none
int lmb_mesh_find_node(const lmb_mesh *m, int label);    // -1: none; the first of equal labels
int lmb_mesh_find_element(const lmb_mesh *m, int label); // the same
const int *lmb_mesh_nodes(const lmb_mesh *m, int element);
void lmb_mesh_element_get(lmb_element *out, const lmb_mesh *m, int element);
void lmb_mesh_scale(lmb_mesh *m, double factor); // all lengths of nodes (file in mm: 1e-3)
// To SI from a file whose units are length (in m), N and s, as decks of finite elements have them: mm go with MPa and
// t/mm3.  Nodes, materials and properties.
void lmb_mesh_convert(lmb_mesh *m, double length);
void lmb_mesh_set_tidy(lmb_mesh *m, int set); // items ascend, each once
// The nodes of a set of any kind, each once, ascending; *out is freed with lmb_free.
lmb_status lmb_mesh_set_nodes(int **out, int *count, const lmb_mesh *m, int set, lmb_error *err);

// Rejects invalid meshes: inverted or flat elements (at most five are named), elements without
// material or property, no elements; unused nodes are only reported.  Unconnected parts (elements that share no node;
// couplings and equations connect) are an error that names one node of each; so are equations that resist rigid motions.  Not
// of a mesh that is held by its supports.
// report gets remarks, a line each (may be NULL).
lmb_status lmb_mesh_check(lmb_text *report, const lmb_mesh *m, lmb_error *err);

// Straightens the edges of solids that are folded at a node (ops->node_quality <= 0).
typedef struct lmb_straightened {
    int elements, nodes;
    double farthest; // way of a node
} lmb_straightened;
void lmb_mesh_straighten(lmb_straightened *out, lmb_mesh *m);

// The outer surface as triangles of mesh nodes (faces that belong to one element only; quadratic faces split;
// shells as they are; beams give none): *triangles (3 x count) is freed with lmb_free.
lmb_status lmb_mesh_surface(int **triangles, int *count, const lmb_mesh *m, lmb_error *err);

// A section on the way along a beam.
typedef struct lmb_beam_station {
    double at; // 0..1
    lmb_profile section;
    double offset[2]; // (y, z) of the centroid from the line of nodes, in the axes of the section
    double twist;     // angle about the axis from `up` to the section's y axis
} lmb_beam_station;

// A straight beam from a to b along which the section goes from its start over the stations between to its end.
typedef struct lmb_beam_part {
    vec3 a, b, up;
    int elements;
    lmb_material material;
    lmb_profile section[2]; // at its ends
    lmb_beam_theory theory;
    lmb_rotary rotary;
    double offset[2][2], twist[2], line_mass;
    int between_count; // stations between its ends, at ascending places; two at one place: a jump
    const lmb_beam_station *between;
} lmb_beam_part;
// Nodes 0..n, node sets "start" and "end", element set "beam".  Without stations n equal elements; else every stretch
// between two stations is divided into equal ones, of about one length and at least n together.
lmb_status lmb_mesh_beam(lmb_mesh **out, const lmb_beam_part *beam, lmb_error *err);
// Its section at s in 0..1; at a jump the one of this side.
typedef enum lmb_beam_side { LMB_BEFORE, LMB_AFTER } lmb_beam_side;
lmb_beam_station lmb_beam_at(const lmb_beam_part *beam, double s, lmb_beam_side side);
// Station i of all between_count + 2, ends included.
lmb_beam_station lmb_beam_station_of(const lmb_beam_part *beam, int i);
// Whether section, offset and twist are the same everywhere; whether there is any twist.
bool lmb_beam_is_uniform(const lmb_beam_part *beam);
bool lmb_beam_is_twisted(const lmb_beam_part *beam);
// The piece from s[0] to s[1]; its stations live in the arena.
lmb_status lmb_beam_piece(lmb_beam_part *out, lmb_arena *arena, const lmb_beam_part *whole, const double s[2],
                          lmb_error *err);

// ---- the assembled model -----------------------------------------------------------------------

// A node that moves with another as a rigid body: u = u_ref + theta_ref x (x - x_ref).
typedef struct lmb_rigid_tie {
    int reference; // node; gets six degrees of freedom
    int count;
    const int *nodes; // without the reference
} lmb_rigid_tie;

// A motion without an equation moves what follows its node as much as factor times the motion `as` of the node, which has one.
typedef struct lmb_fe_worth {
    int node, as, motion;
    double factor;
} lmb_fe_worth;
// Motions that follow others by ties and equations, as sums over equations.              docs/theory/elements.md (15)
typedef struct lmb_fe_follow {
    int *
        place; // node_count: p, if motions 0..5 of the node are the rows 6 p .. 6 p + 5; -1: they are its equations
    int *start;    // 6 x places + 1
    int *equation; // entries
    double *factor;
    int *all; // n: 0, 1, ..: the entries of the other nodes
    int worth_count;
    lmb_fe_worth *worth;
} lmb_fe_follow;

typedef struct lmb_fe lmb_fe;
struct lmb_fe {
    const lmb_mesh *mesh; // borrowed; NULL: given matrices
    lmb_mass_kind mass_kind;
    int node_count;
    const vec3 *x;      // of the nodes
    int n;              // equations
    int *first;         // node_count: first equation of the node, -1: it has none (free node, or tied)
    int *dofs;          // node_count: its equations, 0 to 6
    unsigned char *own; // node_count: the motions they are of, bits 0..5 (none, 7 and 63 but for constraints)
    int *node_of;       // n: the node of an equation, -1: a scalar
    int *reference;     // node_count: the node it is rigidly tied to, -1: none
    lmb_fe_follow follow;
    lmb_pattern lower; // of K and M
    double *K, *M;
    double mass; // total
    int scalars; // given matrices: the last equations, of no node
    bool
        condensed; // given matrices: M is not that of translations alone, alike in all directions: see fe/condensed.c
};

// The equation of a motion 0..5 of a node, -1: it has none; the motion of an equation, -1: a scalar.
int lmb_fe_equation(const lmb_fe *fe, int node, int motion);
int lmb_fe_motion(const lmb_fe *fe, int equation);

// Assembles K and M: ties and the equations of the mesh are eliminated.  ties are copied.  The mesh must live as long.
lmb_status lmb_fe_create(lmb_fe **out, const lmb_mesh *m, lmb_mass_kind kind, const lmb_rigid_tie *ties,
                         int count, const lmb_watch *watch, lmb_error *err);
void lmb_fe_destroy(lmb_fe *fe); // takes NULL

// Given matrices in place of a mesh: nodes with 3 or 6 dofs each, then scalars (modal coordinates, zero in rigid motions), K and M
// on one lower pattern (taken over: the caller's arrays are emptied).  Inertia integrals follow from M as far as it has them
// (docs/theory/reduction.md).
typedef struct lmb_fe_matrices {
    int node_count;
    const vec3 *x;
    const int *dofs; // per node: 3 or 6 (0: none)
    int scalars;
    lmb_pattern lower;
    double *K, *M;
} lmb_fe_matrices;
lmb_status lmb_fe_create_matrices(lmb_fe **out, lmb_fe_matrices *given, lmb_error *err);

// One element's part of a vector (its dofs, ties resolved), and back: f += (dofs of the element)
void lmb_fe_gather(double *ue, const lmb_fe *fe, int element, const double *u);
void lmb_fe_scatter(double *f, const lmb_fe *fe, int element, const double *fe_e);
// Rows of the displacement (rotation) of node: motion k of six is sum factor u[equation] over count[k] entries.  Rotations of
// nodes with three dofs have no entries.  They point into fe.
typedef struct lmb_node_rows {
    int count[6];
    const int *equation[6];
    const double *factor[6];
} lmb_node_rows;
void lmb_fe_node_rows(lmb_node_rows *out, const lmb_fe *fe, int node);
double lmb_node_value(const lmb_node_rows *rows, int motion, const double *u); // sum factor u[equation]

// The six rigid-body motions about the origin of the part: Vr (n x 6): translations x, y, z, rotations about x, y, z.
void lmb_fe_rigid(double *Vr, const lmb_fe *fe);

// Consistent loads, added to f (n numbers).
// forces of the field b + B x per mass: f = + int rho N'(b + B x) dV; inertia forces are those of minus the acceleration
typedef struct lmb_acceleration {
    vec3 b;
    mat3 B;
} lmb_acceleration;
void lmb_fe_body_loads(double *f, const lmb_fe *fe, const lmb_acceleration *a,
                       int count); // f: n x count columns
lmb_status lmb_fe_face_load(double *f, const lmb_fe *fe, int face_set, vec3 traction, double pressure,
                            lmb_error *err);

// Inertia integrals of fields.  Field i is the displacement field of W_i (n x p, columns); Z_kl,ij = int rho w_i,k w_j,l;
// place [(3 i + k) w + 3 j + l], w = 3 p + 6: the fields p and p + 1 are the constant (1, 1, 1) and the
// position x.
lmb_status lmb_fe_inertia_integrals(double *Z, const lmb_fe *fe, const double *W, int p,
                                    const lmb_watch *watch, lmb_error *err);

// Displacements under loads, and the acceleration fields among the loads, which also act on the nodes of rigid ties.
typedef struct lmb_fe_loads {
    int count;
    const double *U;                // n x count
    const lmb_acceleration *fields; // count of them; NULL: there are none
} lmb_fe_loads;
// Kg_l = V' Kg(u_l) V: Kg is loads->count x m x m.
lmb_status lmb_fe_geometric(double *Kg, const lmb_fe *fe, const lmb_fe_loads *loads, const double *V, int m,
                            const lmb_watch *watch, lmb_error *err);
// the same assembled on fe->lower for one displacement under forces at nodes (buckling, prestressed modes)
lmb_status lmb_fe_geometric_matrix(double *Kg, const lmb_fe *fe, const double *u, lmb_error *err);

// Second-order displacement of symmetric combinations G_r (m x m) of shape functions V.    docs/theory/modal.md (3a)
// Nodes of rigid ties move on circles: sum_ij G_ij (phi_i x (phi_j x d)) = arc d with the rotations of their reference.
typedef struct lmb_fe_arcs {
    int count;  // of combinations
    int *place; // node_count: of a reference node among all of them, -1: none
    mat3 *arc;  // references x count
} lmb_fe_arcs;
lmb_status lmb_fe_arcs_make(lmb_fe_arcs *out, const lmb_fe *fe, const double *V, int m, const double *G,
                            int count, lmb_error *err);
void lmb_fe_arcs_free(lmb_fe_arcs *a); // also after a failure
// its loads F (n x count): F_r . w = sum_ij G_r,ij phi_i . Kg(w) phi_j for every w, Kg with the ties
lmb_status lmb_fe_second_order(double *F, const lmb_fe *fe, const double *V, int m, const double *G,
                               const lmb_fe_arcs *arcs, lmb_error *err);

// Stress at the nodes, averaged over the elements at each node (of one stress kind and material): per node
// `LMB_STRESSES` numbers at most.
typedef struct lmb_stress_layout {
    lmb_stress_kind
        kind;     // of the whole mesh (SOLID, SHELL or BEAM; mixed meshes: the one with most elements)
    int width;    // numbers a place: 6 or 12
    int places;   // SOLID, SHELL: nodes with stress; BEAM: two ends of every element
    int *node;    // places: the mesh node
    int *element; // BEAM: the element of the place (else NULL)
} lmb_stress_layout;
lmb_status lmb_fe_stress_layout(lmb_stress_layout *out, const lmb_fe *fe, lmb_error *err);
void lmb_stress_layout_free(lmb_stress_layout *l);
// S: places x width x columns: stress of each column of U
lmb_status lmb_fe_stress(double *S, const lmb_fe *fe, const lmb_stress_layout *l, const double *U,
                         int columns, lmb_error *err);

#endif
