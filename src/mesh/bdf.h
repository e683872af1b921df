// mesh/bdf.h: reading Nastran bulk data.
//
// The texts of the deck and of its includes are cut into cards first.  Then the cards are walked through once per phase,
// each being read in its phase, so that their order does not matter.  Fields are cut when a card is read.
#ifndef LMB_BDF_H
#define LMB_BDF_H

#include "mesh/constrain.h"
#include "mesh/mesh.h"
#include "mesh/scan.h"

typedef enum lmb_bdf_phase {
    LMB_BDF_FRAMES = 1, // coordinate systems, GRDSET, PARAM
    LMB_BDF_NODES,
    LMB_BDF_PLACES, // nothing is read: places of the nodes
    LMB_BDF_MATERIALS,
    LMB_BDF_PROPERTIES,
    LMB_BDF_ELEMENTS,
    LMB_BDF_TIES,
    LMB_BDF_SETS,
    LMB_BDF_PHASES,
} lmb_bdf_phase;

typedef struct lmb_bdf lmb_bdf;
typedef struct lmb_bdf_keyword {
    const char *name;
    lmb_bdf_phase phase;            // 0: not read
    lmb_status (*read)(lmb_bdf *r); // NULL: not read
    const char *refused;            // remedy, if the card cannot be left out; NULL and not read: remark
} lmb_bdf_keyword;

typedef struct lmb_bdf_card {
    const lmb_bdf_keyword *keyword;
    const char *file, *at, *end; // its lines, comments among them
    const char *label;           // name in a comment before it, NULL: none
    int line;
} lmb_bdf_card;

// A coordinate system: CORD1R, CORD1C, CORD1S, CORD2R, CORD2C, CORD2S
typedef struct lmb_bdf_frame {
    int id, reference;
    char kind;     // R, C, S
    bool by_nodes; // CORD1: a, b, c are nodes
    int node[3];
    vec3 point[3]; // origin, on the z axis, in the xz plane; in the reference
    int state;     // 0: to be found, 1: being found, 2: done
    pose place;
    const lmb_bdf_card *card;
} lmb_bdf_frame;

typedef struct lmb_bdf_node {
    vec3 x;          // as written
    int frame, axes; // CP, CD
    int held;        // PS
    int state;
    const lmb_bdf_card *card;
} lmb_bdf_node;

typedef struct lmb_bdf_property {
    int id;
    const lmb_bdf_keyword *keyword;
    int line;
    lmb_property p; // beams: without orientation; springs: stiffness
    double rod[2];  // PROD: A, J
    int shared;     // index in the mesh, -1: none yet
    int set;        // of its elements, -1: none yet
} lmb_bdf_property;

// A component of a mass: of a grid point (id: index), or PMASS (id: its number).
typedef struct lmb_bdf_scalar {
    int id, motion;
    double mass;
    const lmb_bdf_card *card;
} lmb_bdf_scalar;

enum { LMB_BDF_INCLUDES = 200, LMB_BDF_DEPTH = 8, LMB_BDF_MPCS = 1000 };
// remarks that are made once
enum { LMB_BDF_SAID_PS = 1, LMB_BDF_SAID_DRILLING = 2, LMB_BDF_SAID_PARAM = 8, LMB_BDF_SAID_MPC = 1024 };

struct lmb_bdf {
    lmb_scan scan; // of the text being cut, or of the card in hand
    lmb_mesh *mesh;
    lmb_mesh_include *load;
    void *user;
    lmb_text includes[LMB_BDF_INCLUDES];
    int include_count, depth;
    bool ended;        // ENDDATA was found
    bool bulk;         // cards are expected
    const char *label; // of a comment, for the next card
    int card_count, card_capacity;
    lmb_bdf_card *cards;
    const lmb_bdf_card *card; // in hand
    int field_count, field_capacity;
    lmb_piece *fields; // of the card in hand: 1 is the first after its name
    int frame_count, frame_capacity;
    lmb_bdf_frame *frames;
    lmb_label_map frame_of;
    int node_capacity;
    lmb_bdf_node *nodes; // of the mesh's nodes
    int grid_count;      // of nodes; more are made for bushings
    int default_frame, default_axes, default_held;
    double mass_scale; // PARAM, WTMASS
    lmb_label_map material_of;
    int property_count, property_capacity;
    lmb_bdf_property *properties;
    lmb_label_map property_of;
    int bar; // property of the last bar, for the next of the same
    int motion_count, motion_capacity;
    lmb_motions *motions;   // of the card in hand
    unsigned char *turning; // of every node, NULL: not asked for yet
    int pmass_count, pmass_capacity, scalar_count, scalar_capacity;
    lmb_bdf_scalar *pmass, *scalars;
    int mpc_wanted; // MPC of the case control, -1: none
    int mpc_count, mpcs[LMB_BDF_MPCS];
    int remarks; // bits: said already
};

// ---- bdf.c -------------------------------------------------------------------------------------

// fails at the card in hand
lmb_status lmb_bdf_fail(lmb_bdf *r, const char *format, ...) LMB_PRINTF(2, 3);
lmb_status lmb_bdf_remark(lmb_bdf *r, const char *format, ...) LMB_PRINTF(2, 3);
lmb_where lmb_bdf_where(const lmb_bdf *r);
int lmb_bdf_line(const lmb_bdf *r); // of the card in hand in the deck itself, 0: it is in an included file
// array with room for one more item; NULL: no memory, which was said
void *lmb_bdf_grown(lmb_bdf *r, void *array, int *capacity, int count, size_t size);

// Fields of the card in hand; those behind its last are blank.  After a failure all are blank.
lmb_piece lmb_bdf_field(const lmb_bdf *r, int i);
bool lmb_bdf_blank(const lmb_bdf *r, int i);
bool lmb_bdf_is_real(const lmb_bdf *r, int i);                       // a number with a point or an exponent
int lmb_bdf_integer(lmb_bdf *r, int i, const char *name, int usual); // usual < 0: it is required, > 0
double lmb_bdf_real(lmb_bdf *r, int i, const char *name, double usual);
vec3 lmb_bdf_vector(lmb_bdf *r, int i, const char *name);    // three fields, blank: 0
int lmb_bdf_components(lmb_bdf *r, int i, const char *name); // "123" -> bits 0, 1, 2; blank: 0
// a field that must be blank or this number, or the card changes the model in a way that is not supported
lmb_status lmb_bdf_only(lmb_bdf *r, int i, const char *name, double only);

// ---- bdf_frame.c -------------------------------------------------------------------------------

lmb_status lmb_bdf_read_cord1(lmb_bdf *r);
lmb_status lmb_bdf_read_cord2(lmb_bdf *r);
lmb_status lmb_bdf_read_grdset(lmb_bdf *r);
lmb_status lmb_bdf_read_grid(lmb_bdf *r);
lmb_status lmb_bdf_place_nodes(lmb_bdf *r);
// axes of a coordinate system at a place (columns); 0 is the basic one
lmb_status lmb_bdf_axes(mat3 *out, lmb_bdf *r, int id, vec3 x);
lmb_status lmb_bdf_material_axes(lmb_material_axes *out, lmb_bdf *r, int id); // the same at any place
lmb_status lmb_bdf_node_axes(mat3 *out, lmb_bdf *r, int node);                // CD
lmb_status lmb_bdf_place(vec3 *out, lmb_bdf *r, int id, vec3 x); // coordinates in a system -> place
int lmb_bdf_grid(const lmb_bdf *r, int label);                   // a grid point of the deck, -1: none
lmb_status lmb_bdf_find_node(int *out, lmb_bdf *r, int i, const char *name); // the grid point of a field

// ---- bdf_mesh.c --------------------------------------------------------------------------------

lmb_status lmb_bdf_read_solid(lmb_bdf *r);
lmb_status lmb_bdf_read_set1(lmb_bdf *r);
lmb_status lmb_bdf_read_set3(lmb_bdf *r);
lmb_status lmb_bdf_read_aset(lmb_bdf *r);
lmb_status lmb_bdf_read_aset1(lmb_bdf *r);
lmb_status lmb_bdf_read_spc(lmb_bdf *r);
lmb_status lmb_bdf_read_spc1(lmb_bdf *r);
lmb_status lmb_bdf_finish_sets(lmb_bdf *r);
lmb_status lmb_bdf_put_element(lmb_bdf *r, const lmb_element_ops *ops, const int *nodes,
                               int property); // label: field 1

// the same with its property card, whose elements are a set; q NULL: it has none
lmb_status lmb_bdf_put_line(lmb_bdf *r, const lmb_element_ops *ops, const int *nodes, int property,
                            lmb_bdf_property *q);

// ---- bdf_material.c ----------------------------------------------------------------------------

lmb_status lmb_bdf_read_mat1(lmb_bdf *r);
lmb_status lmb_bdf_read_mat2(lmb_bdf *r);
lmb_status lmb_bdf_read_mat8(lmb_bdf *r);
lmb_status lmb_bdf_read_mat9(lmb_bdf *r);
lmb_status lmb_bdf_read_mat11(lmb_bdf *r);
int lmb_bdf_find_material(lmb_bdf *r, int i, const char *name); // of a field, -1 after a failure

// ---- bdf_section.c -----------------------------------------------------------------------------

lmb_status lmb_bdf_read_psolid(lmb_bdf *r);
lmb_status lmb_bdf_read_pbar(lmb_bdf *r);
lmb_status lmb_bdf_read_pbarl(lmb_bdf *r);
lmb_status lmb_bdf_read_pbeam(lmb_bdf *r);
lmb_status lmb_bdf_read_pbeaml(lmb_bdf *r);
lmb_status lmb_bdf_read_prod(lmb_bdf *r);
lmb_status lmb_bdf_read_pbush(lmb_bdf *r);
lmb_status lmb_bdf_read_pelas(lmb_bdf *r);
// the property of a field, of one of these cards; NULL after a failure
lmb_bdf_property *lmb_bdf_find_property(lmb_bdf *r, int i, const char *first, const char *second,
                                        const char *third, const char *fourth);

// the property of the card in hand, made; NULL after a failure
lmb_bdf_property *lmb_bdf_start_property(lmb_bdf *r);

// ---- bdf_shell.c -------------------------------------------------------------------------------

lmb_status lmb_bdf_read_pshell(lmb_bdf *r);
lmb_status lmb_bdf_read_pcomp(lmb_bdf *r);
lmb_status lmb_bdf_read_shell(lmb_bdf *r);

// ---- bdf_line.c --------------------------------------------------------------------------------

lmb_status lmb_bdf_read_bar(lmb_bdf *r);
lmb_status lmb_bdf_read_rod(lmb_bdf *r);
lmb_status lmb_bdf_read_conrod(lmb_bdf *r);
lmb_status lmb_bdf_read_bush(lmb_bdf *r);
lmb_status lmb_bdf_read_elas1(lmb_bdf *r);
lmb_status lmb_bdf_read_elas2(lmb_bdf *r);
lmb_status lmb_bdf_read_conm2(lmb_bdf *r);

// ---- bdf_mass.c --------------------------------------------------------------------------------

lmb_status lmb_bdf_read_conm1(lmb_bdf *r);
lmb_status lmb_bdf_read_pmass(lmb_bdf *r);
lmb_status lmb_bdf_read_cmass1(lmb_bdf *r);
lmb_status lmb_bdf_read_cmass2(lmb_bdf *r);
lmb_status lmb_bdf_finish_masses(lmb_bdf *r);

// ---- bdf_tie.c ---------------------------------------------------------------------------------

lmb_status lmb_bdf_read_rbe2(lmb_bdf *r);
lmb_status lmb_bdf_read_rbe3(lmb_bdf *r);
lmb_status lmb_bdf_read_rbar(lmb_bdf *r);
lmb_status lmb_bdf_read_rbar1(lmb_bdf *r);
lmb_status lmb_bdf_read_rtrplt(lmb_bdf *r);
lmb_status lmb_bdf_read_rbe1(lmb_bdf *r);
lmb_status lmb_bdf_read_rrod(lmb_bdf *r);
lmb_status lmb_bdf_read_mpcadd(lmb_bdf *r);
lmb_status lmb_bdf_read_mpc(lmb_bdf *r);

#endif
