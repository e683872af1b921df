// read/robot.h: a robot as its file describes it, links joined to a tree, and the model that is made of it.
//
//   URDF --read/urdf--> lmb_robot --lmb_robot_model--> nodes as a model file would have them: bodies, markers, joints
//   MJCF --read/mjcf-->
//
//     T_child = T_parent T_origin T(q) T_seat^-1        frames of links; T(q): rotation about, or translation along, the axis
#ifndef LMB_READ_ROBOT_H
#define LMB_READ_ROBOT_H

#include "read/triangles.h"
#include "read/xml.h"
#include "read/yaml.h"

enum { LMB_ROBOT_MOST = 10000, LMB_ROBOT_NOTES = 100 }; // links or joints; different remarks

typedef enum lmb_robot_kind {
    LMB_ROBOT_FIXED,
    LMB_ROBOT_REVOLUTE,
    LMB_ROBOT_PRISMATIC,
    LMB_ROBOT_PLANAR,
    LMB_ROBOT_SPHERICAL,
    LMB_ROBOT_FLOATING,
} lmb_robot_kind;

typedef struct lmb_robot_shape { // for pictures
    const char *kind;            // key of `shape`: box, sphere, cylinder
    int count;
    double size[3];
    pose at;
    struct lmb_robot_shape *next;
} lmb_robot_shape;

typedef struct lmb_robot_mark { // a named frame
    const char *name, *full;    // full: in the model
    lmb_where where;
    int link;
    pose at;
    struct lmb_robot_mark *next;
} lmb_robot_mark;

typedef struct lmb_robot_link {
    const char *name, *own; // as in the file, as in the model
    lmb_where where, inertia_where;
    double mass; // 0: none
    vec3 com;
    mat3 inertia; // about com, axes of the link
    int inner;    // between two joints of this link, with next to no inertia; -1: none of these
    lmb_robot_shape *shapes, *last_shape;
    const char *color;
    // found by lmb_robot_model
    int before;                // joint that carries it, -1: none
    int carrier;               // link whose body it belongs to, -1: ground
    pose in_carrier, in_world; // at the start
    vec3 v, w;                 // at the start: velocity of the origin, angular velocity, global
    const lmb_node *flexible;  // overlay; NULL: rigid
    lmb_node *markers;         // of its body
} lmb_robot_link;

typedef struct lmb_robot_joint {
    const char *name, *own;
    lmb_where where;
    lmb_robot_kind kind;
    int parent, child;
    pose origin, seat; // the frame of the joint in the parent, in the child
    vec3 axis;         // unit vector in the frame of the joint
    bool limited;
    double lower, upper, damping, friction;
    double stiffness, rest, armature; // k (q - rest); inertia that only q' moves
    const char *force;                // an expression of value and rate: opposes q; NULL: none
    int motors;                       // in force
    bool held;                        // q stays at offset
    int leader;                       // q = ratio q_leader + offset; -1: none
    double ratio, offset;
    double start, rate; // q, q' at the start
    double home;        // q where the frames of the file meet
    bool placed;        // start is given, also outside of limits
    quat turn;          // of a spherical joint at the start
    vec3 v,
        w; // at the start: of a spherical joint w in the child; of a floating one v global, w in the child
    int state; // 0: start not known, 1: being found, 2: known
} lmb_robot_joint;

typedef struct lmb_robot_loop { // what joins two links besides the tree: spherical, fixed
    const char *name;
    lmb_where where;
    lmb_robot_kind kind;
    int link[2];
    pose at[2];
    struct lmb_robot_loop *next;
} lmb_robot_loop;

typedef struct
    lmb_robot_tendon { // a straight spring between two marks, without force from rest[0] to rest[1]
    const char *name;
    lmb_where where;
    const lmb_robot_mark *mark[2];
    double stiffness, damping, rest[2];
    struct lmb_robot_tendon *next;
} lmb_robot_tendon;

typedef struct lmb_robot_input { // a number set from outside that forces of joints use
    const char *own;
    lmb_where where;
    bool limited;
    double start, lower, upper;
    struct lmb_robot_input *next;
} lmb_robot_input;

typedef struct lmb_robot_note {
    const char *text;
    lmb_where where;
    int count;
    struct lmb_robot_note *next;
} lmb_robot_note;

typedef struct lmb_robot {
    lmb_yaml_reader *r;
    const char *file, *name;
    int link_count, joint_count;
    lmb_robot_link *links;
    lmb_robot_joint *joints;
    lmb_robot_mark *marks;
    lmb_robot_loop *loops;
    lmb_robot_tendon *tendons;
    lmb_robot_input *inputs;
    bool grounded; // the first link is the ground, whatever `base` says
    vec3 gravity;
    lmb_names input_names; // those of the model
    double mesh_bytes;     // read so far
    lmb_robot_note *notes; // what is not used, in the order of the file
} lmb_robot;

// Files of robots by their endings; the first element says which format it is.
bool lmb_robot_is(const char *path);
// The model of such a file. how: an entry of `assemblies` with base and flexible, NULL: none; both live as long as the spec.
lmb_status lmb_robot_read(lmb_node **out, lmb_yaml_reader *r, const char *text, size_t length,
                          const char *file, const lmb_node *how);
// Keys of an entry of `assemblies` that only robots have.
extern const char *const lmb_robot_keys[]; // NULL ends it

// ---- for the readers of formats ----------------------------------------------------------------

lmb_status lmb_urdf_read(lmb_robot *robot, const lmb_xml_element *root, const lmb_node *how);
lmb_status lmb_mjcf_read(lmb_robot *robot, const lmb_xml_element *root, const lmb_node *how);
// A remark of the compilation; the same text of several lines counts as one.
lmb_status lmb_robot_remark(lmb_robot *robot, lmb_where where, const char *format, ...) LMB_PRINTF(3, 4);
lmb_status lmb_robot_fail(const lmb_robot *robot, lmb_where where, const char *format, ...) LMB_PRINTF(3, 4);
// Exactly count finite numbers of an attribute; left alone if it is not there.
lmb_status lmb_robot_numbers(double *out, int count, const lmb_robot *robot, const lmb_xml_element *e,
                             const char *attribute);

typedef struct lmb_robot_value { // of an attribute
    const lmb_xml_element *e;
    const char *attribute, *text;
} lmb_robot_value;
// Finite numbers of a text, from least to *count, which becomes how many there are.
lmb_status lmb_robot_list(double *out, int *count, int least, const lmb_robot *robot,
                          const lmb_robot_value *v);
typedef struct lmb_robot_digits {
    char text[32];
} lmb_robot_digits;
lmb_robot_digits lmb_robot_print(double v); // the shortest text that reads as v again
lmb_status lmb_robot_add_shape(lmb_robot *robot, lmb_robot_link *l, const lmb_robot_shape *shape);
void lmb_robot_box(lmb_robot_shape *s, const lmb_triangles *t); // a box of their size, moved along with s->at
lmb_status lmb_robot_color(lmb_robot *robot, lmb_robot_link *l, const double *rgba);

typedef struct lmb_robot_file { // that a robot names
    const char *path;
    lmb_text bytes; // for lmb_text_free
} lmb_robot_file;
// "package://name/rest" is looked for as name/rest and rest in the folder of the robot and in those above it, other names in folder
// (NULL: that of the robot).  false: it is not there, or too large.
bool lmb_robot_load(lmb_robot_file *out, lmb_robot *robot, const char *folder, const char *name);
mat3 lmb_robot_rpy(vec3 rpy);                                       // Rz(yaw) Ry(pitch) Rx(roll)
int lmb_robot_link_find(const lmb_robot *robot, const char *name);  // -1: none
int lmb_robot_joint_find(const lmb_robot *robot, const char *name); // -1: none
lmb_status lmb_robot_unknown_link(const lmb_robot *robot, lmb_where where, const char *name);
lmb_status lmb_robot_model(lmb_node **out, lmb_robot *robot, const lmb_node *how);

#endif
