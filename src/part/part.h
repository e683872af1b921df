// part/part.h: the description of a flexible part, and its way through mesh, finite elements and reduction.
//
//   map of keys --lmb_part_read--> lmb_part --lmb_part_model_create--> mesh, sites, K and M --> lmb_flex, or modes
//
// Three kinds: a straight beam, which makes its mesh itself; a mesh, and matrices, which the caller reads from files.
// The same keys describe a part file and a body inside a model: LMB_PART_.._KEYS(struct, member) are rows of a table
// whose struct holds an lmb_part_keys.  A body has `markers` of its own: those of its part are called `watch` there.
#ifndef LMB_PART_H
#define LMB_PART_H

#include "mesh/formats.h"
#include "part/face.h"
#include "reduce/reduce.h"
#include "spec/spec.h"

typedef enum lmb_part_kind { LMB_PART_BEAM, LMB_PART_MESH, LMB_PART_MATRICES } lmb_part_kind;

// Effect of inertia and interface loads on the stiffness.
typedef enum lmb_stiffening {
    LMB_STIFFENING_ON,     // as displacement of second order: momentum and energy hold
    LMB_STIFFENING_PAPERS, // in the elastic equations alone
    LMB_STIFFENING_OFF,
} lmb_stiffening;

// ---- as written --------------------------------------------------------------------------------

// A cross-section: one of the shapes, or its numbers.
typedef struct lmb_section_keys {
    uint64_t given;
    double circle;
    lmb_numbers tube, rectangle, box, i, l;
    double A, Iy, Iz, J, ky, kz;
    double EA, GAy, GAz, GJ, EIy, EIz, rhoA;
    lmb_numbers rhoI;
} lmb_section_keys;

typedef struct lmb_damping_keys {
    uint64_t given;
    double ratio, alpha, beta, loss_factor;
    lmb_numbers ratios, frequencies; // once understood, ratios holds a single ratio, too
    int of;                          // 1: the free body
} lmb_damping_keys;

typedef struct lmb_part_keys {
    // beam
    double length; // nan: not given
    vec3 from, to; // nan: not given
    int elements;
    lmb_section_keys section, end_section;
    const lmb_node *stations; // NULL: not given
    vec3 up;                  // zeros: not given
    lmb_numbers offset, end_offset;
    double twist;
    int theory;
    bool rotary_inertia;
    double line_mass;
    // mesh
    const char *file, *solid; // solid NULL: not given
    int unit, solids;         // unit: LMB_PART_UNIT_OF_FILE until the file is known
    double element_size, elements_per_circle, thickness, temperature; // temperature nan: not given
    int order;
    bool straighten;
    // matrices
    const char *stiffness, *mass_matrix, *nodes, *rows, *stiffness_name, *mass_name;
    // all
    const lmb_node *material, *interfaces, *markers, *frame, *shapes;
    int mass;
    lmb_damping_keys damping;
    int geometric_stiffening; // lmb_stiffening
    bool stress, static_correction;
} lmb_part_keys;
lmb_part_keys lmb_part_defaults(void);

extern const lmb_key lmb_section_keys_table[], lmb_station_keys[], lmb_damping_keys_table[],
    lmb_interface_keys[], lmb_part_marker_keys[];
extern const lmb_key lmb_material_forms[], lmb_frame_forms[], lmb_shapes_forms[];
extern const char lmb_material_doc[];
#define LMB_PART_UNITS "m|mm|cm|um|in|ft" // lengths of mesh files
double lmb_part_unit(int unit);           // in m
enum { LMB_PART_UNIT_OF_FILE = -1, LMB_PART_UNIT_MM = 1 };
enum { LMB_PART_SOLIDS_SINGLE, LMB_PART_SOLIDS_GLUED };

// clang-format off
#define LMB_PART_BEAM_KEYS(T, part)                                                                                \
    {"length", LMB_KEY_NUMBER, offsetof(T, part.length), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,                       \
     "Length, m; the beam runs from the origin along x."},                                                         \
    {"from", LMB_KEY_VEC3, offsetof(T, part.from), 0, LMB_LENGTH, 0, 0, "Start point, m (together with `to`, instead of `length`)."}, \
    {"to", LMB_KEY_VEC3, offsetof(T, part.to), 0, LMB_LENGTH, 0, 0, "End point, m."},                              \
    {"elements", LMB_KEY_INTEGER, offsetof(T, part.elements), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of elements (default 10)."}, \
    {"section", LMB_KEY_MAP, offsetof(T, part.section), 0, {0}, 0, lmb_section_keys_table,                         \
     "Cross-section (required without `stations`): one of circle, tube, rectangle, box, i, l, its section properties A, Iy, Iz, J, or its stiffness and mass EA, GAy, GAz, GJ, EIy, EIz, rhoA, rhoI, without a material."}, \
    {"end_section", LMB_KEY_MAP, offsetof(T, part.end_section), 0, {0}, 0, lmb_section_keys_table,                 \
     "Cross-section at the end of a tapered beam, of the same shape (default: as at the start)."},                 \
    {"stations", LMB_KEY_MAPS, offsetof(T, part.stations), 0, {0}, 0, lmb_station_keys,                            \
     "Cross-sections along the beam, at ascending positions from 0 to 1, in place of section, end_section, offset, end_offset and twist. In between, the sizes of one shape, section stiffness and mass, offset and twist are linear; two stations at one position make a jump."}, \
    {"twist", LMB_KEY_NUMBER, offsetof(T, part.twist), 0, {0}, 0, 0,                                               \
     "Pre-twist: angle by which the section at the end is rotated about the beam's axis, linear from the start (default 0)."}, \
    {"up", LMB_KEY_VEC3, offsetof(T, part.up), 0, {0}, 0, 0,                                                       \
     "Approximate direction of the section's y axis (default [0, 1, 0]; for beams along y [0, 0, 1])."},           \
    {"offset", LMB_KEY_NUMBERS, offsetof(T, part.offset), 0, LMB_LENGTH, 0, 0,                                     \
     "[y, z] of the centroid relative to the line of nodes, in the axes of the section, m (default none)."},        \
    {"end_offset", LMB_KEY_NUMBERS, offsetof(T, part.end_offset), 0, LMB_LENGTH, 0, 0, "The same at the end (default: as at the start)."}, \
    {"theory", LMB_KEY_CHOICE, offsetof(T, part.theory), 0, {0}, "timoshenko|euler_bernoulli", 0,                  \
     "Beam theory, with or without shear deformation (default timoshenko)."},                                      \
    {"rotary_inertia", LMB_KEY_BOOL, offsetof(T, part.rotary_inertia), 0, {0}, 0, 0,                               \
     "Whether the section has rotary inertia (default on); off: all mass lies on the axis."},                      \
    {"line_mass", LMB_KEY_NUMBER, offsetof(T, part.line_mass), LMB_KEY_NOT_NEGATIVE, LMB_LINE_MASS, 0, 0,          \
     "Additional mass per length, kg/m (default 0)."}

// needed: LMB_KEY_REQUIRED, or 0 where a part file may replace them
#define LMB_PART_MESH_KEYS(T, part, needed)                                                                        \
    {"file", LMB_KEY_TEXT, offsetof(T, part.file), needed, {0}, 0, 0,                                              \
     "Mesh or geometry, one of" LMB_MESH_AND_GEOMETRY(LMB_FORMAT_INSIDE) " relative to this file."},               \
    {"unit", LMB_KEY_CHOICE, offsetof(T, part.unit), 0, {0}, LMB_PART_UNITS, 0,                                    \
     "Length unit of that file; its materials and sections are in this unit, N and s. STEP and IGES files say theirs: there it may be left out, and must not contradict."}, \
    {"solid", LMB_KEY_TEXT, offsetof(T, part.solid), 0, {0}, 0, 0,                                                 \
     "Geometry with several solids: name or number of the one that is this part (`limber faces` lists them); of a Gmsh script: a physical volume."}, \
    {"solids", LMB_KEY_CHOICE, offsetof(T, part.solids), 0, {0}, "single|glued", 0,                                \
     "Geometry with several solids: glued makes one part of all, with common nodes where they touch (default single: an error unless there is one solid, or `solid`)."}, \
    {"element_size", LMB_KEY_NUMBER, offsetof(T, part.element_size), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,           \
     "Geometry: element size, m."},                                                                                \
    {"elements_per_circle", LMB_KEY_NUMBER, offsetof(T, part.elements_per_circle), LMB_KEY_POSITIVE, {0}, 0, 0,    \
     "Geometry: number of elements around a full circle of curved faces, at least, where `element_size` alone would make fewer (default: by size alone)."}, \
    {"order", LMB_KEY_INTEGER, offsetof(T, part.order), LMB_KEY_POSITIVE, {0}, 0, 0,                               \
     "Geometry: linear (1) or quadratic (2) solids (default 2); shells are linear."},                                               \
    {"straighten", LMB_KEY_BOOL, offsetof(T, part.straighten), 0, {0}, 0, 0,                                       \
     "Move middle nodes to the middle of their edges in solids that are folded at a node (default off: such elements get a warning)."}, \
    {"thickness", LMB_KEY_NUMBER, offsetof(T, part.thickness), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,                 \
     "Thickness of shells without one in the file, m."},                                                           \
    {"temperature", LMB_KEY_NUMBER, offsetof(T, part.temperature), 0, {0}, 0, 0,                                   \
     "Decks: the temperature of materials that depend on it, in the deck's unit (default: its initial temperature, if there is one alone)."}

#define LMB_PART_MATRICES_KEYS(T, part)                                                                            \
    {"stiffness", LMB_KEY_TEXT, offsetof(T, part.stiffness), LMB_KEY_REQUIRED, {0}, 0, 0,                          \
     "Stiffness matrix, one of" LMB_MATRIX_FORMATS(LMB_FORMAT_INSIDE) " also packed (.gz)."},                      \
    {"mass_matrix", LMB_KEY_TEXT, offsetof(T, part.mass_matrix), LMB_KEY_REQUIRED, {0}, 0, 0,                      \
     "Mass matrix, one of the same formats; it may be the same file."},                                            \
    {"nodes", LMB_KEY_TEXT, offsetof(T, part.nodes), LMB_KEY_REQUIRED, {0}, 0, 0,                                  \
     "Node table: number, x, y, z; or the deck (.inp), or bulk data with GRID (.pch, .bdf, .dat)."},               \
    {"rows", LMB_KEY_TEXT, offsetof(T, part.rows), 0, {0}, 0, 0,                                                   \
     "What the rows of matrices are that do not say it: a table with a line for each, `node, dof` or `row, node, dof` (dof 1 to 6; 0: a modal coordinate), or a MatrixMarket vector of nodes with three rows each."}, \
    {"stiffness_name", LMB_KEY_TEXT, offsetof(T, part.stiffness_name), 0, {0}, 0, 0,                               \
     "Name of the stiffness matrix in a file of several (default: the only one whose name begins with K, but not K4)."}, \
    {"mass_name", LMB_KEY_TEXT, offsetof(T, part.mass_name), 0, {0}, 0, 0,                                         \
     "The same of the mass matrix (default: the only one whose name begins with M)."},                             \
    {"unit", LMB_KEY_CHOICE, offsetof(T, part.unit), LMB_KEY_REQUIRED, {0}, LMB_PART_UNITS, 0,                     \
     "Length unit of these files; the others are N and s."}

#define LMB_PART_COMMON_KEYS(T, part)                                                                              \
    {"interfaces", LMB_KEY_NAMED, offsetof(T, part.interfaces), 0, {0}, 0, lmb_interface_keys,                     \
     "Frames where joints and forces act (default for a beam: start and end; for a mesh: the couplings and rigid bodies of the file)."}, \
    {"frame", LMB_KEY_NODE, offsetof(T, part.frame), 0, {0},                                                       \
     "buckens, tangent, chord, mean, centre, origin, {tangent: a}, {chord: [a, b]}, {chord: [a, b, c]} or {at: [x, y, z]}", lmb_frame_forms, \
     "Floating frame of the body: the line between two markers (chord, the default if there are two interfaces), mean axes (buckens, the default otherwise), attached to a marker (tangent), to the mean of all interfaces (mean), to the material at the centre of mass (centre) or at a point (at), or unchanged (origin)."}, \
    {"shapes", LMB_KEY_NODE, offsetof(T, part.shapes), 0, {0}, "auto, one entry or a list", lmb_shapes_forms,      \
     "Shape functions of the deformation (default craig_bampton: 10; without interfaces eigen: 10; superelements of a beam in several parts: guyan); auto: unit displacements of the interfaces, and what `limber run` finds missing, run by run, until the error of stresses is below `stress_tolerance` of the analysis."}, \
    {"damping", LMB_KEY_MAP, offsetof(T, part.damping), 0, {0}, 0, lmb_damping_keys_table,                         \
     "Damping of the deformation (default none)."},                                                                \
    {"geometric_stiffening", LMB_KEY_CHOICE, offsetof(T, part.geometric_stiffening), 0, {0}, "on|papers|off", 0,   \
     "Geometric stiffness from rotation, acceleration and interface loads: on (consistent with momentum and energy conservation), in the elastic equations only (papers), or off."}, \
    {"stress", LMB_KEY_BOOL, offsetof(T, part.stress), 0, {0}, 0, 0, "Compute the stress of every shape function (default on)."}, \
    {"static_correction", LMB_KEY_BOOL, offsetof(T, part.static_correction), 0, {0}, 0, 0,                         \
     "Stresses and section forces include the static response to loads outside the shape functions (on, the default); off: those of the shape functions alone, as in the literature, for comparison."}

// beams and meshes
#define LMB_PART_SOLID_KEYS(T, part)                                                                               \
    {"material", LMB_KEY_NODE, offsetof(T, part.material), 0, {0},                                                 \
     "steel, stainless_steel, cast_iron, aluminium, titanium, magnesium, copper, brass, pom, or {E: ..., nu: ..., density: ...}", \
     lmb_material_forms, "Material; for a mesh, of all elements without one in the file, and the density of those without one; `override: true` replaces what the file says."}, \
    {"mass", LMB_KEY_CHOICE, offsetof(T, part.mass), 0, {0}, "consistent|lumped", 0, "Mass matrix of the elements (default consistent)."}

#define LMB_PART_MARKERS_KEY(T, part, name)                                                                        \
    {name, LMB_KEY_NAMED, offsetof(T, part.markers), 0, {0}, 0, lmb_part_marker_keys,                              \
     "Additional frames for sensors; they add no shape functions."}
// clang-format on

// ---- as understood -----------------------------------------------------------------------------

typedef enum lmb_site_by {
    LMB_BY_SET,
    LMB_BY_NODE,
    LMB_BY_PLACE,
    LMB_BY_COUPLING,
    LMB_BY_GEOMETRY
} lmb_site_by;
typedef struct lmb_part_site {
    const char *name;
    bool interface;
    lmb_site_by by;
    const char *set; // SET, COUPLING: its name
    int node;        // NODE: its number in the file
    vec3 at;         // PLACE; elsewhere the reference point if has_at
    bool has_at, has_tie;
    double radius; // 0: none
    lmb_tie tie;
    lmb_face_choice choice; // GEOMETRY
    lmb_where where;
    bool loaded; // a place where joints or forces of a model act, for stresses alone: see lmb_flex_marker
} lmb_part_site;

typedef struct lmb_part_hold {
    const char *marker;
    int mask;
    lmb_where where;
} lmb_part_hold;

typedef struct lmb_part_shape {
    lmb_shape_request request; // markers, sets and holds are still to be found:
    const char *target;        // marker or set of a static load
    int hold_count;
    lmb_part_hold *holds;
} lmb_part_shape;

enum { LMB_PART_FEW = 2 }; // modes of a part without interfaces with which `shapes: auto` begins

typedef struct lmb_part { // texts and lists live in the arena of the spec
    lmb_part_kind kind;
    const char *what;    // for messages
    const lmb_node *map; // where it was written
    lmb_part_keys keys;
    bool has_material, override_material; // override: also where the file has one
    lmb_material material;                // NAN: not given
    mat3 material_axes;                   // of an orthotropic one
    lmb_beam_part beam;
    int site_count;
    lmb_part_site *sites;
    lmb_frame_choice frame;
    const char *frame_markers[3]; // NULL: by order
    int shape_count;
    lmb_part_shape *shapes; // none: by default
    bool chosen;            // `shapes: auto`: static responses, and fields that runs ask for
    int more_count;
    const lmb_shape_request *more; // after them, however they were chosen: fields that a run asked for
    int piece;                     // of a beam in several parts, from 0
    bool rigid;                    // no shape functions at all
} lmb_part;

// Section `part` of a part file, for the schema and for lmb_spec_kind.
extern const lmb_kind_keys *const lmb_part_kinds[]; // by lmb_part_kind, NULL-ended

// Reads `part: {type: .., ..}`.  out lives as long as the spec.
lmb_status lmb_part_read(lmb_part *out, lmb_spec *s, const lmb_node *map, const char *what, lmb_error *err);
// The same from keys that were read already (a body of a model); map is where they were read.
lmb_status lmb_part_finish(lmb_part *out, lmb_spec *s, const lmb_part_keys *keys, lmb_part_kind kind,
                           const lmb_node *map, const char *what, lmb_error *err);

// The description with all values evaluated: parts with equal texts are equal, except for the contents of their files.  false: no memory.
bool lmb_part_write(lmb_text *out, const lmb_part *p);

// ---- the way -----------------------------------------------------------------------------------

// What the caller read from files, lengths still in the file's unit; nothing for beams.
typedef struct lmb_part_source {
    lmb_mesh *mesh;            // MESH: borrowed and changed: units, materials, reference nodes
    lmb_fe_matrices *matrices; // MATRICES: used up
    const int *labels;         // numbers of its nodes, NULL: 1, 2, ..
} lmb_part_source;

typedef struct lmb_part_options {
    const char *name;           // of the body, NULL: "part"
    const lmb_factoriser *with; // NULL: KLU
    lmb_watch watch;
    const char *provenance; // lines put in front, may be NULL
    const char *const
        *held; // supports of the deck by name, with which the model is made; others are left out
    int held_count;
} lmb_part_options;

// Mesh, K and M and all that the description names, found.
typedef struct lmb_part_model lmb_part_model;
lmb_status lmb_part_model_create(lmb_part_model **out, const lmb_part *p, const lmb_part_source *source,
                                 const lmb_part_options *o, lmb_error *err);
void lmb_part_model_destroy(lmb_part_model *m); // takes NULL
const lmb_fe *lmb_part_model_fe(const lmb_part_model *m);
const char *
lmb_part_model_summary(const lmb_part_model *m); // sizes, mass, remarks of the mesh: lines for people
int lmb_part_model_site(const lmb_part_model *m, const char *name);   // -1: none
const char *lmb_part_model_site_name(const lmb_part_model *m, int i); // NULL at the end

lmb_status lmb_part_model_reduce(lmb_flex **out, const lmb_part_model *m, lmb_error *err);
// Forces on the equations of the part, n x count, at given states of f, its reduced form (lmb_load_cases).
lmb_status lmb_part_model_cases(double *F, const lmb_part_model *m, const lmb_flex *f,
                                const lmb_load_state *states, int count, lmb_error *err);
bool lmb_part_model_is_held(const lmb_part_model *m); // made with a support of the deck: it has modes alone
const char *lmb_part_model_support(const lmb_part_model *m,
                                   int i); // names of supports of the deck, NULL at the end
// Eigenmodes of the whole part: out->values are frequencies, Hz; held: markers that are clamped (none: free, or as the
// supports of the deck hold the model).
// effective (may be NULL; count x 6, for lmb_free): share of each mode of the mass, and of the moments of inertia about
// the centre of mass, that the clamped part carries along and about the axes; NULL if nothing is held.
lmb_status lmb_part_model_modes(lmb_eigen *out, double **effective, const lmb_part_model *m, const int *held,
                                int held_count, const lmb_eigen_wanted *wanted, lmb_error *err);

// ---- single questions --------------------------------------------------------------------------

// Supports and loads of the whole part; names as written.
typedef struct lmb_part_load {
    const char *marker;
    int index; // 0..5: force along x, y, z, torque about them
    double value;
    lmb_where where;
} lmb_part_load;
typedef struct lmb_part_case {
    int hold_count;
    lmb_part_hold *holds; // of markers, or of every node of a set; none: free
    int load_count;
    lmb_part_load *loads;
} lmb_part_case;
// held: {a: all, b: [x, y]}, load: {tip.x: 100}; either may be NULL.  out lives as long as the spec.
lmb_status lmb_part_case_read(lmb_part_case *out, lmb_spec *s, const lmb_node *held, const lmb_node *load,
                              lmb_error *err);
// "tip.ry" -> tip and 4
lmb_status lmb_part_split_direction(const char **name, int *index, lmb_spec *s, const char *text,
                                    lmb_where where, lmb_error *err);
bool lmb_part_case_same_support(const lmb_part_case *a, const lmb_part_case *b);
// Eigenmodes under any support, or none; motions as a rigid body that are left are not among them. values in Hz.
lmb_status lmb_part_case_modes(lmb_eigen *out, const lmb_part_model *m, const lmb_part_case *c, int count,
                               lmb_error *err);
// Motion of a marker under the loads; target: tip.y
lmb_status lmb_part_case_deflection(double *out, const lmb_part_model *m, const lmb_part_case *c, lmb_spec *s,
                                    const char *target, lmb_error *err);

// All at once.
lmb_status lmb_part_reduce(lmb_flex **out, const lmb_part *p, const lmb_part_source *source,
                           const lmb_part_options *o, lmb_error *err);

#endif
