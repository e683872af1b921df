// api/part_file.h: a part and all files it refers to.
#ifndef LMB_PART_FILE_H
#define LMB_PART_FILE_H

#include "api/handles.h"
#include "mesh/mesh.h"
#include "part/part.h"
#include "store/cache.h"

// An open part file, or a mesh or geometry with settings.
typedef struct lmb_part_file {
    lmb_document *document; // NULL: the part belongs to a model
    lmb_spec *spec;
    lmb_part part;
    const char *name;  // of the body: the file name without folder and extension
    lmb_text bytes[4]; // of the files: mesh | stiffness, mass, nodes, rows
    const char *paths[4];
    int file_count;
    const char *references; // folder, may be NULL
    const char *log;        // where the log of gmsh is kept if it fails; may be NULL
    bool missing;           // the part could not be opened: a file under $LIMBER_REFERENCE is missing
    bool trust;             // a .geo script is run whatever it does
    bool cacheable;         // false: the files may include others that are not hashed
    bool scripted;          // gmsh makes the mesh
    lmb_sha256 contents;    // the part and all files that it is made from
    lmb_text provenance;
    const char *const *held; // supports of the deck that modes are wanted with
    int held_count;
} lmb_part_file;

// Case of `limber validate`: all comparisons of a part file.
typedef void lmb_tell_comparison(void *user, const lmb_comparison *c);
lmb_status lmb_validate_part(const char *path, const char *case_name, const lmb_part_settings *how,
                             lmb_tell_comparison *tell, void *user, lmb_error *err);

bool lmb_part_file_is(const char *path); // whether it is a part file rather than a mesh, by its extension
// Reads only the description.
lmb_status lmb_part_file_describe(lmb_part_file *out, const char *path, const lmb_part_settings *s,
                                  lmb_error *err);
// Reads description and files (geometry: only its bytes).
lmb_status lmb_part_file_open(lmb_part_file *out, const char *path, const lmb_part_settings *s,
                              lmb_error *err);
// The same for a part that was read already; spec, part and name live longer.
lmb_status lmb_part_file_take(lmb_part_file *out, lmb_spec *spec, const lmb_part *part, const char *name,
                              const lmb_part_settings *s, lmb_error *err);
void lmb_part_file_close(lmb_part_file *f); // also after a failure
// By what it is made from and by whom: limber's version and build, its libraries, gmsh.
lmb_cache_key lmb_part_file_key(lmb_part_file *f, const lmb_part_settings *s);
// Parses the files, or meshes the geometry.
typedef struct lmb_part_contents {
    lmb_mesh *mesh;
    lmb_matrix_part matrices;
    lmb_fe_matrices given;
    lmb_part_source source;
} lmb_part_contents;
lmb_status lmb_part_file_contents(lmb_part_contents *out, const lmb_part_file *f, const lmb_watch *watch,
                                  lmb_error *err);
void lmb_part_contents_free(lmb_part_contents *c);
// The assembled FE model (part_api.c); file and contents must live longer.  s->threads: how many are computed at the same time.
lmb_status lmb_part_file_build(lmb_part_model **out, lmb_part_contents *contents, const lmb_part_file *f,
                               const lmb_part_settings *s, lmb_error *err);
// The reduced part, computed (part_api.c).  report (may be NULL) receives lines for people.
lmb_status lmb_part_file_compute(lmb_flex **out, lmb_text *report, const lmb_part_file *f,
                                 const lmb_part_settings *s, lmb_error *err);
// The reduced part, from the cache if possible (part_api.c).  report (may be NULL) receives lines for people.
lmb_status lmb_part_file_reduce(lmb_flex **out, lmb_text *report, lmb_part_file *f,
                                const lmb_part_settings *s, lmb_error *err);

#endif
