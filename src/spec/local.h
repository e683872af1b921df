// spec/local.h: names that hold in a part of the tree only; shared by the files of this folder.
#ifndef LMB_SPEC_LOCAL_H
#define LMB_SPEC_LOCAL_H

#include "spec/names.h"
#include "spec/spec.h"

// One ring of the chain from a node outwards: the index of a repeated group, or a sub-assembly.
struct lmb_local {
    const lmb_local *outer;            // NULL: the top-level model
    const char *index;                 // name of the index; NULL: this is a sub-assembly
    double value;                      // of the index
    struct lmb_parameters *parameters; // of the sub-assembly, from here on its prefix and pose (composed, SI)
    const char *prefix;
    pose place;
    bool closed; // read from a file of its own: sees no names from outside
};

typedef enum lmb_parameter_state {
    LMB_PARAMETER_NEW,
    LMB_PARAMETER_BUSY,
    LMB_PARAMETER_DONE
} lmb_parameter_state;
typedef struct lmb_parameter lmb_parameter;
typedef struct lmb_follower_list lmb_follower_list;
struct lmb_parameter {
    const char *name;
    const lmb_node *node; // the expression; node->local is the scope it is evaluated in
    double value;         // in the model's units
    lmb_parameter_state state;
    lmb_parameter *asker;               // BUSY: who needed this value
    const lmb_node *fixed;              // the first place that is not tunable where it was used
    const lmb_follower_list *followers; // parameters that follow from it
};
struct lmb_follower_list {
    lmb_parameter *p;
    const lmb_follower_list *next;
};

typedef struct lmb_parameters {
    lmb_names names; // to lmb_parameter
    lmb_parameter *v;
    int count, depth;
    lmb_parameter *current; // the one being evaluated
} lmb_parameters;

// Makes a table from a `parameters` section (NULL: empty), to be evaluated in local.
lmb_status lmb_parameters_create(lmb_parameters **out, lmb_spec *s, lmb_node *section, const lmb_local *local,
                                 lmb_error *err);
// Replaces the expression of a parameter; owner ("the model", "assembly 'leg1'") is for the message.
lmb_status lmb_parameters_override(lmb_parameters *p, const char *name, const lmb_node *node, lmb_where where,
                                   const char *owner, lmb_error *err);
lmb_status lmb_parameters_evaluate(lmb_parameters *p, const lmb_spec *s, lmb_error *err);

// The sub-assembly a chain ends in, NULL at top level.
const lmb_local *lmb_local_assembly(const lmb_local *l);

// A text in which indices such as [i-1] are replaced by the integers they give. In keys they must be
// expressions of indices and parameters; values may hold other texts with brackets, which stay.
typedef enum lmb_index_in { LMB_INDEX_IN_KEY, LMB_INDEX_IN_VALUE } lmb_index_in;
typedef struct lmb_index_place {
    lmb_spec *s;
    const char *text;
    lmb_where where;
    const lmb_local *local;
    lmb_index_in in;
    bool quoted;
} lmb_index_place;
lmb_status lmb_index_replace(const char **out, const lmb_index_place *at, lmb_error *err);

// Sections that expand carries out: limber, units, parameters, include, repeat, assemblies.
bool lmb_is_frame_section(const char *name);

// The key with LMB_KEY_SHORT of a table, NULL if there is none.
const lmb_key *lmb_short_key(const lmb_key *keys);

// Tables of keys that belong to the frame of every model, for the schema.
extern const lmb_key lmb_units_keys[], lmb_assembly_keys[];

// "a list", "a map", ... : what n is, for messages.
const char *lmb_node_found(const lmb_node *n);

#endif
