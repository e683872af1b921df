// mesh/inp.h: reading an Abaqus or CalculiX deck: its cards, and where labels and names are valid.
//
// The deck is cut into cards first.  Then it is walked through once per phase, each card being read in its phase, so
// that the order of the cards does not matter.  The cards of a part are read for each of its instances.
#ifndef LMB_INP_H
#define LMB_INP_H

#include "mesh/constrain.h"
#include "mesh/mesh.h"
#include "mesh/scan.h"

typedef enum lmb_inp_phase {
    LMB_INP_NODES = 1,
    LMB_INP_ELEMENTS,
    LMB_INP_SETS,
    LMB_INP_MATERIALS,
    LMB_INP_SURFACES, // and local axes
    LMB_INP_TIES,     // they move nodes
    LMB_INP_SECTIONS,
    LMB_INP_CONSTRAINTS,
    LMB_INP_PHASES,
} lmb_inp_phase;

typedef struct lmb_inp lmb_inp;
typedef struct lmb_inp_keyword {
    const char *name;
    lmb_inp_phase phase;            // 0: structural, or not read
    lmb_status (*read)(lmb_inp *r); // NULL: not read
    const char *parameters;         // known ones, " A B=" (those that need a value end with =)
    const char *refused;            // remedy, if the card cannot be left out
} lmb_inp_keyword;

typedef struct lmb_inp_card {
    const lmb_inp_keyword *keyword; // NULL: unknown, left out
    const char *file;
    int line; // of the keyword
    lmb_piece name, parameters;
    const char *data, *end; // data lines
    const char *data_file;  // INPUT=
    int data_line;
    int outer; // card *PART, *INSTANCE or *STEP it belongs to, -1: none
} lmb_inp_card;

// Where labels are valid: the model (0), or an instance.
typedef struct lmb_inp_scope {
    const char *name; // "" for the model
    int part;         // card *PART, -1: none
    int card;         // card *INSTANCE (or *PART where there are no instances)
    lmb_label_map nodes, elements;
    pose place;
} lmb_inp_scope;

// An element type of the deck and its element here.
typedef struct lmb_inp_type {
    const char *name;
    const lmb_element_ops *ops;
    const char *remark; // NULL: the same element
    lmb_beam_theory theory;
    bool
        halves; // of three nodes, the second in the middle: two elements, the other one of the next type of the table
} lmb_inp_type;

// *ORIENTATION
typedef struct lmb_inp_orientation {
    const char *name;
    int scope;
    lmb_material_axes axes;
} lmb_inp_orientation;

// Axes of the motions of a set of nodes.
typedef struct lmb_inp_transform {
    int set;
    bool cylinder;
    vec3 a, b; // R: on x, in the plane of x and y; C: the axis
} lmb_inp_transform;

enum { LMB_INP_INCLUDES = 200, LMB_INP_DEPTH = 8 };
struct lmb_inp {
    lmb_scan scan; // the data of the card in hand
    lmb_mesh_include *load;
    void *user;
    lmb_text includes[LMB_INP_INCLUDES];
    int include_count, depth;
    const char *end;
    lmb_mesh *mesh;
    int card_count, card_capacity;
    lmb_inp_card *cards;
    int scope_count, scope_capacity;
    lmb_inp_scope *scopes;
    const lmb_inp_card *card; // in hand
    int scope;
    const lmb_inp_type **types; // of every element
    int types_capacity;
    uint64_t type_remarks; // bits: types that were remarked
    int material_count, material_capacity;
    lmb_material *materials; // E, rho NAN: not defined yet
    int material;            // in hand, -1: none
    int row_count, row_capacity;
    lmb_material_row *rows; // of materials of the list
    bool warm, mixed;       // *INITIAL CONDITIONS gave a temperature; another one
    int orientation_count, orientation_capacity;
    lmb_inp_orientation *orientations;
    lmb_coupling coupling; // in hand: waits for *KINEMATIC or *DISTRIBUTING
    bool coupling_waits, coupling_oriented;
    lmb_faces faces;
    bool have_faces;
    int transform_count, transform_capacity;
    lmb_inp_transform *transforms;
    int *transform_of;      // of every node + 1, NULL: not asked for yet
    lmb_label_map unsorted; // sets in the order of the deck
    int node_list_count, node_list_capacity;
    int *node_list; // of the card in hand
    int first_step; // card, -2: none
    pose system;    // of *SYSTEM, for nodes
    bool generates; // sets are needed before the elements
    int generated;
    bool said_boundary, said_normals;
};

// ---- inp.c -------------------------------------------------------------------------------------

// fails at the card's line
lmb_status lmb_inp_fail(lmb_inp *r, const char *format, ...) LMB_PRINTF(2, 3);
lmb_where lmb_inp_where(const lmb_inp *r);              // of the card in hand
int lmb_inp_line(const lmb_inp *r, int line);           // of the deck itself, 0: it is in an included file
lmb_status lmb_inp_read_place(lmb_inp *r, pose *place); // lines: translation, axis and angle
bool lmb_inp_row(lmb_piece *out, lmb_inp *r); // the next data line that is neither a comment nor empty
bool lmb_inp_has(const lmb_inp *r, const char *parameter);
bool lmb_inp_has_card(const lmb_inp *r, const char *name);      // anywhere in the deck
lmb_piece lmb_inp_get(const lmb_inp *r, const char *parameter); // its value, length 0: none
// the numbers of a data line: at most `most`, empty ones are 0; *count: how many fields there are
lmb_status lmb_inp_numbers(lmb_inp *r, lmb_piece row, double *values, int most, int *count);
lmb_status lmb_inp_remark(lmb_inp *r, int line, const char *format, ...) LMB_PRINTF(3, 4);

// ---- inp_mesh.c --------------------------------------------------------------------------------

lmb_status lmb_inp_read_node(lmb_inp *r);
// an element with its label and those of its nodes
lmb_status lmb_inp_put_element(lmb_inp *r, const lmb_inp_type *type, const int *data, int line);
lmb_status lmb_inp_read_element(lmb_inp *r);
const char *lmb_inp_type_name(const lmb_element_ops *ops); // of elements that are read as they are
lmb_status lmb_inp_read_nset(lmb_inp *r);
lmb_status lmb_inp_read_elset(lmb_inp *r);
// a set by its name ("set", "instance.set") as seen from the scope in hand, -1: none
int lmb_inp_find_set(const lmb_inp *r, lmb_piece name, lmb_set_kind kind);
int lmb_inp_add_set(lmb_inp *r, lmb_piece name, lmb_set_kind kind); // -1: no memory, or too many
// adds what a field of a set names: a label, a set, "instance.label"
lmb_status lmb_inp_add_member(lmb_inp *r, int set, lmb_piece what);
// one node: a label, "instance.label" or a set of one node
lmb_status lmb_inp_find_node(lmb_inp *r, int *node, lmb_piece what);

// ---- inp_material.c ----------------------------------------------------------------------------

lmb_status lmb_inp_read_material(lmb_inp *r);
lmb_status lmb_inp_read_elastic(lmb_inp *r);
lmb_status lmb_inp_read_density(lmb_inp *r);
lmb_status lmb_inp_finish_materials(lmb_inp *r);
lmb_status lmb_inp_read_initial(lmb_inp *r);
int lmb_inp_find_material(const lmb_inp *r, lmb_piece name); // of the deck's list, -1: none
lmb_status lmb_inp_read_orientation(lmb_inp *r);
// the axes that the card in hand names, of the property's material; those of a name
lmb_status lmb_inp_section_axes(lmb_inp *r, lmb_property *p);
lmb_status lmb_inp_find_orientation(lmb_material_axes *out, lmb_inp *r, lmb_piece name);

// ---- inp_shell.c -------------------------------------------------------------------------------

lmb_status lmb_inp_read_shell_section(lmb_inp *r);

// ---- inp_generate.c ----------------------------------------------------------------------------

lmb_status lmb_inp_read_system(lmb_inp *r);
lmb_status lmb_inp_read_ngen(lmb_inp *r);
lmb_status lmb_inp_read_nfill(lmb_inp *r);
lmb_status lmb_inp_read_ncopy(lmb_inp *r);
lmb_status lmb_inp_read_elgen(lmb_inp *r);
lmb_status lmb_inp_read_elcopy(lmb_inp *r);

// ---- inp_section.c -----------------------------------------------------------------------------

// the material of a name, -1 after a failure; the element set of the card in hand, the same
int lmb_inp_section_material(lmb_inp *r, lmb_piece name);
int lmb_inp_section_set(lmb_inp *r);
lmb_status lmb_inp_give_all(lmb_inp *r, int set, lmb_stress_kind kind, const lmb_property *p);
lmb_status lmb_inp_read_solid_section(lmb_inp *r);
lmb_status lmb_inp_read_beam_section(lmb_inp *r);
lmb_status lmb_inp_read_general_section(lmb_inp *r);
lmb_status lmb_inp_read_mass(lmb_inp *r);
lmb_status lmb_inp_read_spring(lmb_inp *r);

// ---- inp_equation.c ----------------------------------------------------------------------------

lmb_status lmb_inp_read_transform(lmb_inp *r);
lmb_status lmb_inp_node_axes(mat3 *out, lmb_inp *r, int node);
lmb_status lmb_inp_read_equation(lmb_inp *r);
lmb_status lmb_inp_read_mpc(lmb_inp *r);
lmb_status lmb_inp_read_boundary(lmb_inp *r);
// the nodes of a label or set, appended to r->node_list
lmb_status lmb_inp_take_nodes(lmb_inp *r, lmb_piece what, int *first, int *count);

// ---- inp_tie.c ---------------------------------------------------------------------------------

lmb_status lmb_inp_read_surface(lmb_inp *r);
lmb_status lmb_inp_read_tie(lmb_inp *r);
lmb_status lmb_inp_read_rigid_body(lmb_inp *r);
lmb_status lmb_inp_read_coupling(lmb_inp *r);
lmb_status lmb_inp_read_kinematic(lmb_inp *r);
lmb_status lmb_inp_read_distributing(lmb_inp *r);
lmb_status lmb_inp_read_kinematic_coupling(lmb_inp *r);
lmb_status lmb_inp_read_distributing_coupling(lmb_inp *r);
lmb_status lmb_inp_finish_coupling(lmb_inp *r); // fails if one still waits

#endif
