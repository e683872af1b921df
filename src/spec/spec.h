// spec/spec.h: the model as written: a tree of named values, each with its line; and how it is read.
//
//   text --read/yaml--> lmb_spec (tree) --lmb_spec_expand--> tree without repeat/assemblies, parameters known
//        --lmb_spec_read with a table of keys--> C structs
//
// A table of keys is written once per kind and serves three times: reading with checks and "did you
// mean", the JSON Schema, the reference in the docs.
#ifndef LMB_SPEC_H
#define LMB_SPEC_H

#include "core/core.h"
#include "expr/expr.h"
#include "math/math.h"

// ---- the tree ----------------------------------------------------------------------------------

typedef enum lmb_node_kind { LMB_NODE_NULL, LMB_NODE_SCALAR, LMB_NODE_LIST, LMB_NODE_MAP } lmb_node_kind;

// Names that hold for a node and all below it (repeat index, parameters and prefix of a sub-assembly).
typedef struct lmb_local lmb_local;

typedef struct lmb_node lmb_node;
struct lmb_node {
    lmb_node_kind kind;
    bool quoted;         // SCALAR: was written in quotes: a text, never null/true/false
    bool tunable;        // what depends on it may change during a motion (system/tunable.c)
    const char *text;    // SCALAR
    const char *key;     // name of this entry if the parent is a MAP
    lmb_where where;     // of the value
    lmb_where key_where; // of the key
    lmb_node *first, *last, *next;
    int count;              // children
    const lmb_local *local; // NULL: only the global parameters
};

// The units a model is written in (key `units:`) and its tree. Owns everything in its arena.
typedef struct lmb_spec {
    lmb_arena *arena;
    lmb_node *root; // MAP
    lmb_units units;
    const char *file;                              // name of the main file for messages
    const char *text;                              // the main text as read (kept in the results)
    struct lmb_parameters *parameters;             // NULL before expand
    const lmb_outside *outside;                    // functions of the caller, which expressions may call
    struct lmb_spec_remark *remarks, *last_remark; // of reading; NULL: none
    long max_values; // lmb_spec_expand refuses to make more (LMB_SPEC_MAX_VALUES unless set)
} lmb_spec;

typedef struct lmb_spec_remark { // for people
    const char *text;
    struct lmb_spec_remark *next;
} lmb_spec_remark;

enum { LMB_SPEC_MAX_VALUES = 10 * 1000 * 1000 };

lmb_status lmb_spec_create(lmb_spec **out, lmb_error *err); // an empty MAP; *out is owned by the caller
void lmb_spec_destroy(lmb_spec *s);                         // takes NULL

bool lmb_spec_remark_add(lmb_spec *s, const char *text); // text is kept; false: no memory

// Building in memory: nodes live as long as the spec. NULL: out of memory.
lmb_node *lmb_node_create(lmb_spec *s, lmb_node_kind kind, lmb_where where);
void lmb_node_append(lmb_node *parent, lmb_node *child, const char *key_or_null); // key is kept, not copied
lmb_node *lmb_node_find(const lmb_node *map, const char *key);                    // NULL: not there
// For messages: the place of the value of key, or of entry i of it if that is a list; of map if it is not there.
lmb_where lmb_node_place(const lmb_node *map, const char *key);
lmb_where lmb_node_place_of(const lmb_node *map, const char *key, int i);
// The keys that lead from root to n, as in bodies.arm.mass; false: it is not below.
bool lmb_node_path(char *out, size_t size, const lmb_node *root, const lmb_node *n);
// Checks the name of an element: letters, digits, _, indices in brackets, at most 100 characters.
// section ("bodies", "assemblies") is for the message.
lmb_status lmb_name_check(const char *name, const char *section, lmb_where where, lmb_error *err);
// Whether YAML reads an unquoted text as null: an empty text, ~, null.
bool lmb_text_is_null(const char *text);
// Sets the value at a path such as "bodies.arm.mass" ("analyses.0.until" for lists), making maps on the way
// (and a list where entry 0 of nothing is set);
// text is read as a YAML plain scalar (a number, an expression, a name).
lmb_status lmb_spec_set(lmb_spec *s, const char *path, const char *text, lmb_error *err);
// Takes the entry at a path out of its map or list.
lmb_status lmb_spec_delete(lmb_spec *s, const char *path, lmb_error *err);

// ---- parameters, repeat, assemblies ------------------------------------------------------------

// One parameter given from outside (`--set L=0.5`): replaces the model's value; unknown names are errors.
typedef struct lmb_override {
    const char *name, *text;
} lmb_override;

// Checks `limber: 1`, reads `units`, evaluates `parameters` (any order, cycles named), carries out `repeat`
// and `assemblies`.  After it, the tree holds only the plain sections; names in them are complete
// ("leg1.shin", "link[17]").  Once per spec.
//
//   parameters: {L: 0.4, n: 10, A: "pi*d^2/4", d: 5 mm}
//   repeat:                                     # also allowed: a single map instead of the list
//     - index: i
//       from: 1
//       to: n
//       bodies: {"link[i]": {...}}
//       joints: {"pin[i]": {between: ["link[i-1].tip", "link[i].root"]}}
//   assemblies:                                 # or `model: {...}` instead of file
//     leg1: {file: leg.yaml, at: [1, 0, 0], rotate: {z: 90 deg}, parameters: {L: 0.3}}
//
// `[expression]` right after a name, in keys and in values, is replaced by the integer it gives (everywhere:
// also "link[n].tip" with a parameter n).  In keys it must be an expression of indices and parameters, in
// values other texts with brackets stay.  In a repeated group numbers may use the index (`i` unless named);
// from .. to are both included, from is 1 unless given, `count: n` makes n copies; groups may nest and may
// hold assemblies.
//
// An assembly's elements get the prefix "leg1."; references inside it are made complete with the same prefix
// (`ground` stays ground, "/base.tip" is base.tip of the whole model), its bodies and its ground are moved by
// the pose.  Its parameters are its own; one written in place (`model:`) sees the outer names, too, one read
// from a file does not.  Its gravity, analyses, output, solver, title sections are ignored; all others come
// along.  At most max_values values come out.
lmb_status lmb_spec_expand(lmb_spec *s, const lmb_override *overrides, int count, lmb_error *err);

// Pose of the sub-assembly a node belongs to (identity at top level) and its prefix ("" at top level).
pose lmb_node_pose(const lmb_node *n);
const char *lmb_node_prefix(const lmb_node *n);

// Parameters after expand, for the results: name and value (in the model's units) of parameter i, NULL at the
// end.
const char *lmb_spec_parameter(const lmb_spec *s, int i, double *value);
bool lmb_spec_parameter_is_number(const lmb_spec *s, int i); // else it is an expression of others
// After compilation and lmb_spec_settle: where parameter i, or one that follows from it, was used in other than tunable nodes; NULL:
// nowhere.
void lmb_spec_settle(lmb_spec *s);
const lmb_node *lmb_spec_parameter_fixed(const lmb_spec *s, int i);
// Refuses names that expressions could not use: not letters, digits, _; `t`, functions, constants.
lmb_status lmb_parameter_name_check(const char *name, const char *what, lmb_where where, lmb_error *err);

// ---- reading -----------------------------------------------------------------------------------

typedef enum lmb_key_type {
    LMB_KEY_NUMBER,   // double          an expression of parameters
    LMB_KEY_INTEGER,  // int
    LMB_KEY_BOOL,     // bool            true/false, yes/no, on/off
    LMB_KEY_TEXT,     // const char *    as written (names, after [i] and prefix if LMB_KEY_IS_REF)
    LMB_KEY_CHOICE,   // int             index into choices ("a|b|c")
    LMB_KEY_KIND,     // pointer to the type (its lmb_kind_keys) that the value names, one of kinds
    LMB_KEY_VEC3,     // vec3            three numbers
    LMB_KEY_NUMBERS,  // lmb_numbers     a list of numbers
    LMB_KEY_TEXTS,    // lmb_texts       a list of names
    LMB_KEY_ROTATION, // quat           {axis: [..], angle: a} | {x|y|z: a} | [w, x, y, z] | a list of the
                      //                first two in turn, each about the axes turned so far
    LMB_KEY_EXPR,     // const lmb_node *  a scalar that may depend on time and sensors; compiled by the owner
    LMB_KEY_EXPRS,    // const lmb_node *  a list of such
    LMB_KEY_MAP,      // embedded struct   a map with its own keys
    LMB_KEY_MAPS,     // const lmb_node *  a list of maps with own keys, read by the owner
    LMB_KEY_NAMED,    // const lmb_node *  a map from names to maps with own keys, read by the owner
    LMB_KEY_NODE,     // const lmb_node *  anything, read by the owner
} lmb_key_type;

typedef struct lmb_numbers {
    int count;
    double *v;
} lmb_numbers;
typedef struct lmb_texts {
    int count;
    const char **v;
} lmb_texts;

enum {
    LMB_KEY_REQUIRED = 1,
    LMB_KEY_POSITIVE = 2,     // NUMBER, INTEGER, NUMBERS, VEC3: > 0
    LMB_KEY_NOT_NEGATIVE = 4, // >= 0
    LMB_KEY_IS_REF = 8,       // TEXT, TEXTS: a reference to a named element: gets the assembly's prefix
    LMB_KEY_ONE = 128,        // a list of names: one name stands for a list of it
    LMB_KEY_SHORT = 16,       // the value alone, without a map around it, means this key: tip: [1, 0, 0]
    LMB_KEY_BY_NAME = 32,     // in forms of a NODE: a map from names to such values
    LMB_KEY_COORDINATE =
        64, // dim holds for a joint coordinate that is a length; its owner changes it for an angle
};

typedef struct lmb_key {
    const char *name; // NULL ends a table
    lmb_key_type type;
    size_t offset; // offsetof the member in the struct that is filled
    int flags;
    lmb_dim dim;         // NUMBER, VEC3, NUMBERS, EXPR(S): converted to SI (EXPR: by the owner)
    const char *choices; // CHOICE: "a|b|c"; TEXTS: the same (may be NULL); NODE: the form, for the docs
    const struct lmb_key
        *keys;       // MAP, MAPS, NAMED; NODE: the forms it may have, one entry each, for the schema
    const char *doc; // one sentence, unit included
    const struct lmb_kind_keys *const *kinds; // KIND: NULL-ended
} lmb_key;

// Every struct that is read starts with `uint64_t given;`: bit k is set if key k of its table was given.
#define LMB_GIVEN(s, k) (((s).given >> (k)) & 1)

// Fills out (already holding the defaults) from map. Unknown keys (with the nearest right one), wrong types,
// missing required keys, numbers that are not finite or out of range: errors with place and remedy.
// An empty node counts as an empty map. `what` names the thing in messages, e.g. "body 'arm'". Lists and
// texts live in the spec's arena.
lmb_status lmb_spec_read(void *out, lmb_spec *s, const lmb_node *map, const lmb_key *keys, const char *what,
                         lmb_error *err);

// The units a `units` node gives (NULL: SI): a name such as mm-t-s, or a map {length: mm, mass: t, time: s}.
lmb_status lmb_spec_units(lmb_units *out, lmb_spec *s, const lmb_node *units_or_null, lmb_error *err);

// Single values. The number is converted to SI by dim (lmb_spec_value: stays in the model's units).
lmb_status lmb_spec_value(double *out, const lmb_spec *s, const lmb_node *n, lmb_error *err);
lmb_status lmb_spec_number(double *out, const lmb_spec *s, const lmb_node *n, lmb_dim dim, lmb_error *err);
// Refuses a number with a unit of the wrong kind, as in mass: 5 mm; other expressions pass unchecked. (lmb_spec_number
// and lmb_spec_read do this where dim is not that of a plain number.)
lmb_status lmb_spec_check_unit(const lmb_node *n, lmb_dim dim, lmb_error *err);
lmb_status lmb_spec_vec3(vec3 *out, const lmb_spec *s, const lmb_node *n, lmb_dim dim, lmb_error *err);
lmb_status lmb_spec_numbers(lmb_numbers *out, lmb_spec *s, const lmb_node *n, lmb_dim dim, lmb_error *err);
lmb_status lmb_spec_rotation(quat *out, const lmb_spec *s, const lmb_node *n, lmb_error *err);
lmb_status lmb_spec_text(const char **out, const lmb_spec *s, const lmb_node *n, lmb_error *err);
// A reference as written at n, made complete: the prefix of the assembly is put before it, but not before
// `ground` and `ground.x`; a leading / (from the whole model) is taken off. ([i] was replaced by expand.)
lmb_status lmb_spec_ref(const char **out, lmb_spec *s, const lmb_node *n, lmb_error *err);
// Compiles an expression: parameters and locals are folded (after runtime's resolve_first), other names are
// resolved by runtime, first with the assembly's prefix, then as written. runtime may be NULL: the expression must be constant; its resolve may
// be NULL: constant but for time if allow_time.  The result is in the model's units (the caller applies
// lmb_units_factor).
lmb_status lmb_spec_expr(lmb_expr **out, const lmb_spec *s, const lmb_node *n, const lmb_scope *runtime,
                         lmb_error *err);

// ---- dimensions --------------------------------------------------------------------------------

static const lmb_dim LMB_DIM_NONE = {0, 0, 0};
#define LMB_LENGTH \
    { 1, 0, 0 }
#define LMB_MASS \
    { 0, 1, 0 }
#define LMB_TIME \
    { 0, 0, 1 }
#define LMB_RATE \
    { 0, 0, -1 }
#define LMB_SPEED \
    { 1, 0, -1 }
#define LMB_ACCELERATION \
    { 1, 0, -2 }
#define LMB_FORCE \
    { 1, 1, -2 }
#define LMB_TORQUE \
    { 2, 1, -2 }
#define LMB_INERTIA \
    { 2, 1, 0 }
#define LMB_STIFFNESS \
    { 0, 1, -2 }
#define LMB_DAMPING \
    { 0, 1, -1 }
#define LMB_ANGULAR_DAMPING \
    { 2, 1, -1 }
#define LMB_DENSITY \
    { -3, 1, 0 }
#define LMB_PRESSURE \
    { -1, 1, -2 }
#define LMB_LINE_MASS \
    { -1, 1, 0 }
#define LMB_LINE_INERTIA \
    { 1, 1, 0 }
#define LMB_SECTION_STIFFNESS \
    { 3, 1, -2 }
#define LMB_AREA \
    { 2, 0, 0 }
#define LMB_AREA_MOMENT \
    { 4, 0, 0 }

// ---- kinds and schema --------------------------------------------------------------------------

// One kind (`type: revolute`) of a section, as the schema and the docs see it.
typedef struct lmb_kind_keys {
    const char *name;
    const char *doc;
    const lmb_key *keys;
} lmb_kind_keys;

// A section of the model file.
typedef enum lmb_section_form {
    LMB_SECTION_NAMED, // name: {type: kind, keys of the kind, common keys}
    LMB_SECTION_LIST,  // - {type: kind, ...}
    LMB_SECTION_MAP,   // keys (common)
    LMB_SECTION_VALUE, // a single value: common[0] describes it
} lmb_section_form;
typedef struct lmb_section {
    const char *name;
    const char *doc;
    lmb_section_form form;
    const lmb_kind_keys *const *kinds; // NULL-ended, may be NULL
    int default_kind;                  // index taken when `type` is missing; -1: `type` is required
    const lmb_key *common;             // may be NULL
} lmb_section;

// Elements of a section with kinds. lmb_spec_kind finds the index of the kind by `type` (or the default).
// lmb_spec_read_kind reads the kind's keys into out and the section's common keys into common; either may be
// NULL: its keys are then allowed but not read. `type` needs no entry in the tables.
lmb_status lmb_spec_kind(int *out, const lmb_spec *s, const lmb_node *map, const lmb_section *section,
                         const char *what, lmb_error *err);
lmb_status lmb_spec_read_kind(void *out, void *common, lmb_spec *s, const lmb_node *map,
                              const lmb_section *section, int kind, const char *what, lmb_error *err);

// Refuses unknown sections (with the nearest right one), sections of the wrong form, and elements whose names
// are not made of letters, digits, _ and [n]. sections ends with name NULL. For the tree after expand.
lmb_status lmb_spec_check_sections(const lmb_spec *s, const lmb_section *sections, lmb_error *err);

// JSON Schema (draft 2020-12) of model files with these sections (NULL-name-ended), plus limber, units,
// parameters, include, repeat, assemblies.  Expressions are allowed wherever numbers are.
lmb_status lmb_schema_json(lmb_text *out, const lmb_section *sections, lmb_error *err);
// The same as a reference page in Markdown.
lmb_status lmb_schema_markdown(lmb_text *out, const lmb_section *sections, lmb_error *err);

#endif
