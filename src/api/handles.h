// api/handles.h: definitions of the opaque types of the public header, shared by the files that implement it.
#ifndef LMB_IO_HANDLES_H
#define LMB_IO_HANDLES_H

#include <limber/limber.h>

#include "core/sha256.h"
#include "draw/scene.h"
#include "os/locale.h"
#include "solve/flow.h"

struct lmb_document {
    lmb_spec *spec; // NULL: a system took it
    bool edited;    // changed by lmb_document_set: its text must be rewritten
};

// The state that sensors read; the system.
lmb_data *lmb_simulation_data(lmb_simulation *s);
const lmb_system *lmb_simulation_system(const lmb_simulation *s);

bool lmb_simulation_begun(
    const lmb_simulation *s); // its accelerations and multipliers are those of the state
// A body with a position and orientation of its own.
lmb_status lmb_simulation_body(const lmb_body **out, const lmb_simulation *s, const char *name,
                               lmb_error *err);

lmb_status lmb_document_used(lmb_error *err); // fails: a system took it

struct lmb_system {
    lmb_spec *spec;
    lmb_program *program;
    const char *text; // the model, for results; in the spec's arena
    char fingerprint
        [LMB_SHA256_TEXT]; // of the whole tree before parameters were set, and of all files of its bodies
    int shown_count;       // channels that are not hidden
    int *shown;
    int setting_count; // with which it was compiled, in the spec's arena
    lmb_setting *settings;
    lmb_part_settings how; // with which bodies from files were reduced, without progress
};

// lmb_system_create_with; *missing (may be NULL): it failed because a file under $LIMBER_REFERENCE is missing.
lmb_status lmb_system_build(lmb_system **out, bool *missing, lmb_document *d, const lmb_setting *settings,
                            int count, const lmb_part_settings *parts, lmb_error *err);

// Compiles a document and puts what its model needs from other files into an archive (api/bundle.h).
struct lmb_zip;
lmb_status lmb_system_collect(lmb_system **out, struct lmb_zip *zip, lmb_document *d,
                              const lmb_part_settings *parts, lmb_error *err);

// The same model compiled again from the spec of `of`, which has changed and remains its owner, with further shape functions of its
// bodies (NULL: none), and keeping the mesh of one (NULL: none).  lmb_system_again_free frees what it holds.
struct lmb_enrichment;
struct lmb_part_kept;
lmb_status lmb_system_again(lmb_system *out, const lmb_system *of, const struct lmb_enrichment *more,
                            struct lmb_part_kept *kept, lmb_error *err);
void lmb_system_again_free(lmb_system *s);

// The model with another value of a parameter, in its units, compiled from its text; owned by the caller.
lmb_status lmb_system_vary(lmb_system **out, const lmb_system *of, const char *parameter, double value,
                           lmb_error *err);

// The run in progress, NULL: none; and its state as x, which other programs integrate, NULL: they do not.  The next reading of
// sensors looks at the state anew.
lmb_run *lmb_simulation_run_of(lmb_simulation *s, lmb_flow ***flow);
lmb_observer lmb_simulation_observer(lmb_simulation *s); // tells events to its listener

// Values of all channels at a state; created once, allocates nothing afterwards.
typedef struct lmb_reading {
    const lmb_program *program;
    double energies[LMB_ENERGY_COUNT];
    double *channels;
} lmb_reading;
lmb_status lmb_reading_create(lmb_reading *out, const lmb_program *p, lmb_error *err);
void lmb_reading_take(lmb_reading *r, lmb_data *d);
void lmb_reading_free(lmb_reading *r);

// The tree as JSON (which is also YAML), one line per section.
bool lmb_spec_write(lmb_text *out, const lmb_spec *s);
// Adds it without the section `study`, which changes no result.  false: no memory
bool lmb_spec_fingerprint(lmb_sha256 *out, const lmb_spec *s);
// Summary of the file of a robot; *out for lmb_text_release.
lmb_status lmb_robot_describe(char **out, const char *path, lmb_error *err);
// The path given by a key, resolved relative to the file that contains it; NULL: no memory.
const char *lmb_path_beside(lmb_spec *s, const lmb_node *map, const char *key, const char *path);
// What is drawn of the model; it borrows names from s.  Free *out with lmb_scene_destroy.
lmb_status lmb_scene_make(lmb_scene **out, lmb_system *s, lmb_error *err);

// "done: 201 rows, 312 steps ...": statistics of one analysis, for people
bool lmb_stats_write(lmb_text *out, const double *stats);
bool lmb_remarks_write(lmb_text *out, const lmb_model *m); // of the compilation, a line each
// Warns of a body that nothing holds, if there is one; once for a model (api/findings.c).
bool lmb_loose_write(lmb_text *out, const lmb_model *m);
// Warnings of one analysis, a line each.
bool lmb_findings_write(lmb_text *out, const lmb_model *m, const lmb_findings *f, const lmb_jump *j);

const char *lmb_system_title(const lmb_system *s); // "": none

#endif
