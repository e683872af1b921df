// draw/scene.h: what is drawn of a model: its bodies, markers, joints and forces, and where tables hold their poses.
//
// A scene is stored as JSON in each results file and in each page.  lmb_scene_table says which keys it has, of which
// type, and where they are in the structs below; the writer, the reader and the types of the viewer (tools/scene_types.c)
// follow it, so a key is added in the struct and in one row, and nowhere else:
//
//     {"radius", LMB_SCENE_SIZE, OPTIONAL, offsetof(lmb_scene_flex, radius), .note = "of a beam's section, the largest"}
//
// Columns are numbered through the tables q and places; those of increments in mode shapes through shapes_re and places_re.
#ifndef LMB_DRAW_SCENE_H
#define LMB_DRAW_SCENE_H

#include "math/math.h"
#include "store/results.h"

// ---- the scene -----------------------------------------------------------------------------------

typedef enum lmb_scene_form { LMB_SCENE_BOX, LMB_SCENE_SPHERE, LMB_SCENE_CYLINDER } lmb_scene_form;

typedef struct lmb_scene_shape {
    int kind; // lmb_scene_form
    vec3 at;
    quat rotation;
    vec3 size; // box: edges; sphere: radius; cylinder: radius, height along z
} lmb_scene_shape;

typedef struct lmb_scene_flex {
    const char *shape; // its group in /flex (store/skin.h), NULL: that of the body's name
    int q, v, count;   // columns of the first elastic coordinate and of its increment; -1: none
    double radius;     // of a beam's section, the largest; 0: not a beam
    int p, residuals;  // column of the first residual coordinate, -1: none; their number
} lmb_scene_flex;

typedef struct lmb_scene_body {
    const char *name, *of, *kind; // of: the beam that it is a part of, or NULL
    int q, v; // columns of x, then y, z and the quaternion; -1: no pose, with flex: absolute coordinates
    const char *color; // NULL: none
    int shape_count;
    lmb_scene_shape *shapes;
    lmb_scene_flex *flex; // NULL: rigid
} lmb_scene_body;

typedef struct lmb_scene_marker {
    const char *name;
    int body; // -1: ground
    vec3 at;
    quat rotation; // from its axes to those of the body
    int q, v;      // -1: it goes with its body
} lmb_scene_marker;

typedef struct lmb_scene_link { // a joint or a force
    const char *name, *kind;
    int marker_count;
    const int *markers;
    bool inner; // between parts of one beam
    int active; // column of table active, -1: always on
} lmb_scene_link;

typedef struct lmb_scene {
    lmb_arena *arena; // of everything below
    const char *title;
    double length; // characteristic length, 0: none
    vec3 gravity;
    bool labels; // names are shown from the beginning
    int body_count, marker_count, joint_count, force_count;
    lmb_scene_body *bodies;
    lmb_scene_marker *markers;
    lmb_scene_link *joints, *forces;
} lmb_scene;

lmb_status lmb_scene_create(lmb_scene **out, lmb_error *err); // empty
void lmb_scene_destroy(lmb_scene *s);                         // takes NULL

bool lmb_scene_write(lmb_text *out, const lmb_scene *s); // false: no memory
// A text may come from anywhere: what lacks a key, has a value of another type, a number that is out of range, or a reference
// to something that is not there, is refused; keys that the table does not know are those of other versions and are passed over.
// file: its results file, for messages. Free *out with lmb_scene_destroy.
lmb_status lmb_scene_read(lmb_scene **out, const char *text, size_t length, const char *file, lmb_error *err);
// The scene of a results file whose columns are there in each of its groups; an empty one if it has none.
lmb_status lmb_scene_load(lmb_scene **out, lmb_reader *r, lmb_error *err);

const char *lmb_scene_shape_of(const lmb_scene_body *b); // its group in /flex
// that the body's shape has as many mode shapes and residual fields as the body has coordinates
lmb_status lmb_scene_check_shape(const lmb_scene_body *b, int modes, int residuals, lmb_error *err);

// ---- the table -----------------------------------------------------------------------------------

typedef enum lmb_scene_type { // in C; what an optional key is without a value
    LMB_SCENE_TEXT,           // const char *; NULL
    LMB_SCENE_FLAG,           // bool; false
    LMB_SCENE_SIZE,           // double >= 0; 0
    LMB_SCENE_SIZES,          // vec3 >= 0
    LMB_SCENE_VECTOR,         // vec3
    LMB_SCENE_ROTATION,       // quat of length 1
    LMB_SCENE_COUNT,          // int >= 0
    LMB_SCENE_INDEX,          // int >= -1; -1
    LMB_SCENE_CHOICE,         // int: place in a list of names
    LMB_SCENE_INDICES,        // int *, and their number
    LMB_SCENE_MAP,            // pointer to a record; NULL
    LMB_SCENE_LIST,           // array of records, and their number; none
} lmb_scene_type;

typedef struct lmb_scene_field {
    const char *key;
    lmb_scene_type type;
    enum { LMB_SCENE_REQUIRED, LMB_SCENE_OPTIONAL } need;
    size_t at, count_at; // offsets
    const struct lmb_scene_record *of;
    const char *const *names; // of a choice, ending with NULL
    const char *note;         // NULL: none
} lmb_scene_field;

typedef struct lmb_scene_record {
    const char *name; // of the type in the viewer
    size_t size;
    int field_count;
    const lmb_scene_field *fields;
} lmb_scene_record;

// The largest number in a scene, also as a float; the largest column.
#define LMB_SCENE_LARGEST 1e30
enum { LMB_SCENE_LAST_COLUMN = (1 << 30) - 1 };

extern const lmb_scene_record
    *const lmb_scene_table[]; // those that are used by others first, the scene last, then NULL

#endif
