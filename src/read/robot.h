// read/robot.h: a robot as its file describes it, links joined to a tree, and the model that is made of it.
//
//   .urdf --read/urdf--> lmb_robot --lmb_robot_model--> nodes as a model file would have them: bodies, markers, joints
//
// A link has its frame; the frame of the link behind a joint is origin * motion(q) in that of the link before it.
#ifndef LMB_READ_ROBOT_H
#define LMB_READ_ROBOT_H

#include "read/xml.h"
#include "read/yaml.h"

enum { LMB_ROBOT_MOST = 10000, LMB_ROBOT_NOTES = 100 }; // links or joints; different remarks

typedef enum lmb_robot_kind {
    LMB_ROBOT_FIXED,
    LMB_ROBOT_REVOLUTE,
    LMB_ROBOT_PRISMATIC,
    LMB_ROBOT_PLANAR,
    LMB_ROBOT_FLOATING,
} lmb_robot_kind;

typedef struct lmb_robot_shape { // for pictures
    const char *kind;            // key of `shape`: box, sphere, cylinder
    int count;
    double size[3];
    pose at;
    struct lmb_robot_shape *next;
} lmb_robot_shape;

typedef struct lmb_robot_link {
    const char *name, *own; // as in the file, as in the model
    lmb_where where, inertia_where;
    double mass; // 0: none
    vec3 com;
    mat3 inertia; // about com, axes of the link
    lmb_robot_shape *shapes, *last_shape;
    const char *color;
    // found by lmb_robot_model
    int before;                // joint that carries it, -1: none
    int carrier;               // link whose body it belongs to, -1: ground
    pose in_carrier, in_world; // at the start
    const lmb_node *flexible;  // overlay; NULL: rigid
    lmb_node *markers;         // of its body
} lmb_robot_link;

typedef struct lmb_robot_joint {
    const char *name, *own;
    lmb_where where;
    lmb_robot_kind kind;
    int parent, child;
    pose origin;
    vec3 axis; // unit vector in the frame of the child
    bool limited;
    double lower, upper, damping, friction;
    int leader; // q = ratio q_leader + offset; -1: none
    double ratio, offset;
    double start; // q at the start
    int state;    // 0: start not known, 1: being found, 2: known
} lmb_robot_joint;

typedef struct lmb_robot_note {
    const char *text;
    int line, count;
    struct lmb_robot_note *next;
} lmb_robot_note;

typedef struct lmb_robot {
    lmb_yaml_reader *r;
    const char *file, *name;
    int link_count, joint_count;
    lmb_robot_link *links;
    lmb_robot_joint *joints;
    double mesh_bytes;     // read so far
    lmb_robot_note *notes; // what is not used, in the order of the file
} lmb_robot;

// Files of robots by their endings.
bool lmb_robot_is(const char *path);
// The model of such a file. how: an entry of `assemblies` with base and flexible, NULL: none; both live as long as the spec.
lmb_status lmb_robot_read(lmb_node **out, lmb_yaml_reader *r, const char *text, size_t length,
                          const char *file, const lmb_node *how);
// Keys of an entry of `assemblies` that only robots have.
extern const char *const lmb_robot_keys[]; // NULL ends it

// ---- for the readers of formats ----------------------------------------------------------------

lmb_status lmb_urdf_read(lmb_robot *robot, const lmb_xml_element *root);
// A remark of the compilation; the same text of several lines counts as one.
lmb_status lmb_robot_remark(lmb_robot *robot, int line, const char *format, ...) LMB_PRINTF(3, 4);
lmb_status lmb_robot_fail(const lmb_robot *robot, int line, const char *format, ...) LMB_PRINTF(3, 4);
// Exactly count finite numbers of an attribute; left alone if it is not there.
lmb_status lmb_robot_numbers(double *out, int count, const lmb_robot *robot, const lmb_xml_element *e,
                             const char *attribute);
mat3 lmb_robot_rpy(vec3 rpy);                                       // Rz(yaw) Ry(pitch) Rx(roll)
int lmb_robot_link_find(const lmb_robot *robot, const char *name);  // -1: none
int lmb_robot_joint_find(const lmb_robot *robot, const char *name); // -1: none
lmb_status lmb_robot_unknown_link(const lmb_robot *robot, lmb_where where, const char *name);
lmb_status lmb_robot_model(lmb_node **out, lmb_robot *robot, const lmb_node *how);

#endif
