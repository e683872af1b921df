// body/flexible.h: the formulations of a beam or mesh: one part, in any formulation.
#ifndef LMB_BODY_FLEXIBLE_H
#define LMB_BODY_FLEXIBLE_H

#include "model/build.h"
#include "part/part.h"
typedef enum lmb_ancf_element { LMB_ANCF_ENHANCED, LMB_ANCF_FULL, LMB_ANCF_CABLE } lmb_ancf_element;

typedef enum lmb_ancf_axes {
    LMB_ANCF_SECTION,
    LMB_ANCF_TANGENT
} lmb_ancf_axes; // the frame that markers rotate with

typedef enum lmb_ancf_strain { LMB_ANCF_GREEN, LMB_ANCF_ENGINEERING } lmb_ancf_strain; // of the axis

enum { LMB_INERTIA_CONSISTENT, LMB_INERTIA_PAPER };
#define LMB_INERTIA_KEY                                                                             \
    {                                                                                               \
        "inertia", LMB_KEY_CHOICE, offsetof(lmb_flexible, inertia), 0, {0}, "consistent|paper", 0,  \
            "superelement: inertia of the deformed body with all quadratic terms (consistent, the " \
            "default), or the constant mass matrix of the original papers, for comparison (paper)." \
    }

// A flexible body as read from the model file.
typedef struct lmb_flexible {
    lmb_body_common common;
    int formulation; // index into lmb_formulations
    lmb_part_keys keys;
    const char *part_file;   // in place of keys
    int parts;               // rigidly joined ones in a row
    const lmb_node *divide;  // their number as written, NULL: not given
    int element;             // lmb_ancf_element
    lmb_part part;           // what keys say
    int axes;                // lmb_ancf_axes
    int strain;              // lmb_ancf_strain
    int inertia;             // of a superelement
    const lmb_node *sliding; // markers that slide along it; NULL: none
    // ancf: its line
    const lmb_node *through; // points between its ends, NULL: none
    int arc;                 // 1: an arc of a circle, 0: a spline
    vec3 tangent[2];         // at its ends, zeros: not given
    const lmb_node *node;
    const char *name;
} lmb_flexible;

// One word of `formulation:`.
typedef struct lmb_formulation {
    const char *name;
    const lmb_body_ops *ops;
    lmb_status (*plan)(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err);
    // see lmb_body_kind
    lmb_status (*site)(const void **site, lmb_build *b, const lmb_body *body, const pose *local,
                       const lmb_marker *on, lmb_where where, lmb_error *err);
    int (*part)(const lmb_body *first, const pose *local);
} lmb_formulation;

// All of them in the order of these words: those of every part, then those of beams alone.
#define LMB_FORMULATIONS "modal|rigid|superelement"
#define LMB_BEAM_FORMULATIONS LMB_FORMULATIONS "|ancf|lumped"
extern const lmb_formulation *const lmb_formulations[];

extern const lmb_formulation lmb_formulation_modal;        // modal.c: floating frame, shape functions
extern const lmb_formulation lmb_formulation_rigid;        // modal.c: the same without shape functions
extern const lmb_formulation lmb_formulation_lumped;       // lumped.c: rigid segments and springs
extern const lmb_formulation lmb_formulation_ancf;         // ancf_build.c: absolute nodal coordinates
extern const lmb_formulation lmb_formulation_superelement; // superelement.c: poses of interfaces

// track.c: the body of the markers in f->sliding on a beam planned as row
lmb_status lmb_track_plan(const lmb_body_plan **out, lmb_build *b, const lmb_body_plan *row,
                          const lmb_flexible *f, lmb_error *err);

// Functions of an lmb_body_kind whose read struct is an lmb_flexible (flexible.c).
void lmb_flexible_defaults(void *read);
lmb_status lmb_flexible_site(const void **site, lmb_build *b, const lmb_body *body, const pose *local,
                             const lmb_marker *on, lmb_where where, lmb_error *err);
int lmb_flexible_part(const lmb_body *first, const pose *local);
// By its formulation, when f->part is known.
lmb_status lmb_flexible_plan(lmb_body_plan *out, lmb_build *b, lmb_flexible *f, lmb_error *err);
// "body 'rod' in absolute nodal coordinates: why", at the key
lmb_status lmb_flexible_refuse(const lmb_flexible *f, const char *kind, const char *key, const char *why,
                               lmb_error *err);
// Remarks which of its keys have no effect in this formulation: those of shape functions, parts and the given ones, each with why or ""
typedef struct lmb_idle_key {
    const char *key, *why;
} lmb_idle_key;
lmb_status lmb_flexible_remark_idle(lmb_build *b, const lmb_flexible *f, const lmb_idle_key *more, int count,
                                    lmb_error *err);
const char *lmb_flexible_what(lmb_build *b, const char *name); // "body 'rod'", NULL: no memory

#endif
