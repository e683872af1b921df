// part/local.h: shared by the files of this folder.
#ifndef LMB_PART_LOCAL_H
#define LMB_PART_LOCAL_H

#include "part/part.h"

// Keys of lmb_part_kinds as they are read.
typedef struct lmb_part_read_keys {
    uint64_t given;
    lmb_part_keys part;
} lmb_part_read_keys;

typedef struct lmb_station_read { // an entry of `stations`
    uint64_t given;
    double at;
    lmb_section_keys section;
    lmb_numbers offset;
    double twist;
} lmb_station_read;
enum { LMB_STATION_AT, LMB_STATION_SECTION, LMB_STATION_OFFSET, LMB_STATION_TWIST };

// part_material.c: keys.material is given; fails unless the material is whole; gives every element of the mesh property, material
// and thickness.
lmb_status lmb_part_read_material(lmb_part *p, lmb_spec *s, lmb_error *err);
lmb_status lmb_part_whole_material(const lmb_part *p, lmb_error *err);
lmb_status lmb_part_give_properties(lmb_part_model *m, lmb_error *err);

// part_section.c: material, theory and line known, the sections of a beam and where they are.  section_material comes first: a section by its
// stiffness brings its own.
lmb_status lmb_part_section_material(lmb_part *p, lmb_spec *s, lmb_error *err);
lmb_status lmb_part_read_sections(lmb_part *p, lmb_spec *s, lmb_error *err);

// part_site_read.c: an entry of `interfaces` or of the markers of a part, by its keys.
lmb_status lmb_part_read_site(lmb_part_site *out, lmb_spec *s, const lmb_node *n, const lmb_key *keys,
                              lmb_error *err);

// Frame and shapes of the description; names stay names until the mesh is known.
lmb_status lmb_part_read_frame(lmb_part *out, lmb_spec *s, const lmb_node *n, lmb_error *err);
lmb_status lmb_part_read_shapes(lmb_part *out, lmb_spec *s, const lmb_node *n, lmb_error *err);

// The nodes a site may refer to, from a mesh or from given matrices.
typedef struct lmb_points {
    const lmb_mesh *mesh; // NULL: matrices
    int count;
    const vec3 *x;
    const int *labels;          // NULL: 1, 2, ..
    const int *dofs;            // 0, 3 or 6
    const lmb_face_list *faces; // NULL: none are asked for, or there are none
} lmb_points;
int lmb_points_label(const lmb_points *p, int node);

// Finds the nodes of a site; out->nodes lives in the arena.
lmb_status lmb_part_find_site(lmb_marker_site *out, lmb_arena *arena, const lmb_points *points,
                              const lmb_part_site *site, lmb_error *err);
// A site for coupling i of the file.
lmb_status lmb_part_coupling_site(lmb_marker_site *out, lmb_arena *arena, const lmb_points *points,
                                  int coupling, lmb_error *err);
// Refuses nodes that follow two rigid sites.
lmb_status lmb_part_check_sites(const lmb_marker_site *sites, int count, const lmb_points *points,
                                lmb_error *err);

// A part with its mesh, K and M, and all that its description names, found.
struct lmb_part_model {
    const lmb_part *part;
    lmb_part_options options;
    lmb_arena *arena;
    lmb_mesh *mesh;  // NULL: matrices
    lmb_mesh *owned; // the mesh of a beam
    lmb_points points;
    int scalars;         // of given matrices
    lmb_face_list faces; // empty unless a site asks for them
    int site_count;
    lmb_marker_site *sites;
    int request_count;
    lmb_shape_request *requests;
    lmb_frame_choice frame;
    lmb_fe *fe;
    lmb_text summary;
};
// The site of a name, or a message.
lmb_status lmb_part_find_marker(int *out, const lmb_part_model *m, const char *name, lmb_where where,
                                lmb_error *err);
// Bits of directions as written: x, [x, y, rz], all.
lmb_status lmb_part_read_directions(int *mask, const lmb_node *n, lmb_error *err);

// "...; did you mean 'x'?" or "...; available: a, b, c": an unknown name among candidates
typedef struct lmb_unknown {
    const char *what; // "set"
    const char *name;
    const char *of; // "rod.msh"
    const char *(*next)(void *user, int i);
    void *user;
} lmb_unknown;
lmb_status lmb_fail_unknown(lmb_error *err, lmb_where where, const lmb_unknown *u);

#endif
