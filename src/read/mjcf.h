// read/mjcf.h: shared by the files that read MJCF, the format of MuJoCo.
#ifndef LMB_READ_MJCF_H
#define LMB_READ_MJCF_H

#include "read/robot.h"

enum { MJCF_CLASSES = 2000, MJCF_INCLUDES = 100, MJCF_MOTORS = 32 }; // MOTORS: of one joint

typedef struct lmb_mjcf_class {
    const char *name;
    const lmb_xml_element *e;               // <default>
    struct lmb_mjcf_class *parent, *before; // before: an earlier element of the same name
} lmb_mjcf_class;

typedef struct lmb_mjcf {
    lmb_robot *b;
    const lmb_xml_element *root;
    // <compiler>, <option>
    bool degrees, autolimits, no_limits, no_springs, no_friction, no_equality, no_motors;
    enum { MJCF_INERTIA_AUTO, MJCF_INERTIA_GEOMS, MJCF_INERTIA_GIVEN } inertia;
    double groups[2], total_mass; // total_mass: 0: as it is
    char euler[4];
    const char *mesh_folder;
    // names
    lmb_names classes, links, joints, marks, meshes, materials; // to what they name
    int class_count, include_count, unnamed;
    lmb_robot_mark *last_mark;
    pose *home;               // of links where all coordinates are those of the file
    lmb_robot_input **motors; // of all actuators in their order, NULL: not read
    int motor_count;
} lmb_mjcf;

// ---- attributes: mjcf_attributes.c -------------------------------------------------------------

// Puts the contents of included files in place of <include>.
lmb_status lmb_mjcf_include(lmb_mjcf *m, lmb_xml_element *e);
lmb_status lmb_mjcf_read_classes(lmb_mjcf *m);
// The attribute of e or of the class that it belongs to; NULL: not there.  Classes give e->name's, or those of an element `like`.
lmb_status lmb_mjcf_text(const char **out, const lmb_mjcf *m, const lmb_xml_element *e,
                         const char *attribute);
lmb_status lmb_mjcf_text_like(const char **out, const lmb_mjcf *m, const lmb_xml_element *e,
                              const char *const *like, const char *attribute);
// An error if the classes of e have `attributes` and several of the elements `like`.
lmb_status lmb_mjcf_refuse_mixed(const lmb_mjcf *m, const lmb_xml_element *e, const char *const *like,
                                 const char *const *attributes);
// Left alone if the attribute is not there.
lmb_status lmb_mjcf_numbers(double *out, int count, const lmb_mjcf *m, const lmb_xml_element *e,
                            const char *attribute);
lmb_status lmb_mjcf_list(double *out, int *count, const lmb_mjcf *m, const lmb_xml_element *e,
                         const char *attribute); // up to *count, which becomes how many there are
lmb_status lmb_mjcf_flag(bool *out, const lmb_mjcf *m, const lmb_xml_element *e, const char *attribute);
double lmb_mjcf_angle(const lmb_mjcf *m, double angle); // rad
// pos and quat, axisangle, euler, xyaxes or zaxis, or fromto.  half: half the distance of fromto; may be NULL.
lmb_status lmb_mjcf_pose(pose *out, double *half, const lmb_mjcf *m, const lmb_xml_element *e);

// ---- bodies: mjcf.c ----------------------------------------------------------------------------

const char *lmb_mjcf_name(lmb_mjcf *m, const lmb_xml_element *e, const char *what); // what_1 without one
// The index of a name, an error if there is none.
lmb_status lmb_mjcf_find(int *out, const lmb_mjcf *m, const lmb_names *names, const lmb_xml_element *e,
                         const char *attribute);

// ---- geoms: mjcf_geom.c ------------------------------------------------------------------------

// Mass properties of the geoms of a body where they count, and their pictures.
lmb_status lmb_mjcf_geoms(lmb_mjcf *m, lmb_robot_link *l, const lmb_xml_element *body);

// ---- what is not in the tree: mjcf_couple.c ----------------------------------------------------

lmb_status lmb_mjcf_equalities(lmb_mjcf *m);
lmb_status lmb_mjcf_tendons(lmb_mjcf *m);
lmb_status lmb_mjcf_actuators(lmb_mjcf *m);
lmb_status lmb_mjcf_keyframe(lmb_mjcf *m, const lmb_node *how);

#endif
