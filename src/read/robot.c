// read/robot.c: files of robots: by their endings, remarks, and what their readers share.
#include "read/robot.h"

#include "os/bytes.h"
#include "os/files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- formats -----------------------------------------------------------------------------------

static const struct {
    const char *first; // element
    lmb_status (*read)(lmb_robot *robot, const lmb_xml_element *root, const lmb_node *how);
} formats[] = {{"robot", lmb_urdf_read}, {"mujoco", lmb_mjcf_read}};

static const char *const endings[] = {".urdf", ".xml", ".mjcf"};

const char *const lmb_robot_keys[] = {"base", "keyframe", "flexible", NULL};

bool lmb_robot_is(const char *path) {
    size_t n = strlen(path);
    for (int i = 0; i < LMB_COUNT(endings); i++) {
        size_t k = strlen(endings[i]);
        if (n > k && strcasecmp(path + n - k, endings[i]) == 0) return true;
    }
    return false;
}

static lmb_status read_format(lmb_robot *b, const lmb_xml_element *root, const lmb_node *how) {
    for (int i = 0; i < LMB_COUNT(formats); i++)
        if (strcmp(formats[i].first, root->name) == 0) return formats[i].read(b, root, how);
    return lmb_robot_fail(b, root->where, "a robot is <robot> (URDF) or <mujoco> (MJCF), found <%s>",
                          root->name);
}

// ---- remarks -----------------------------------------------------------------------------------

lmb_status lmb_robot_fail(const lmb_robot *b, lmb_where where, const char *format, ...) {
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return lmb_fail(b->r->err, LMB_ERR_INPUT, where, "%s", text);
}

lmb_status lmb_robot_remark(lmb_robot *b, lmb_where where, const char *format, ...) {
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    int count = 0;
    lmb_robot_note **last = &b->notes;
    for (; *last; last = &(*last)->next, count++)
        if (strcmp((*last)->text, text) == 0) return (*last)->count++, LMB_OK;
    if (count == LMB_ROBOT_NOTES) return LMB_OK;
    lmb_robot_note *n = lmb_arena_get(b->r->s->arena, 1, sizeof *n);
    if (n == NULL) return lmb_fail_memory(b->r->err);
    *n = (lmb_robot_note){.text = lmb_arena_strdup(b->r->s->arena, text), .where = where, .count = 1};
    if (count == LMB_ROBOT_NOTES - 1) n->text = "further elements are not used";
    *last = n;
    return n->text ? LMB_OK : lmb_fail_memory(b->r->err);
}

static lmb_status hand_over_notes(lmb_robot *b) {
    for (const lmb_robot_note *n = b->notes; n; n = n->next) {
        lmb_spec *s = b->r->s;
        char more[40] = "";
        if (n->count > 1) snprintf(more, sizeof more, " (and %d more)", n->count - 1);
        const char *text =
            lmb_arena_printf(s->arena, "%s:%d: %s%s", n->where.file, n->where.line, n->text, more);
        if (text == NULL || !lmb_spec_remark_add(s, text)) return lmb_fail_memory(b->r->err);
    }
    return LMB_OK;
}

// ---- shared by the formats ---------------------------------------------------------------------

lmb_status lmb_robot_list(double *out, int *count, int least, const lmb_robot *b, const lmb_robot_value *v) {
    int most = *count, found = 0;
    const char *at = v->text;
    for (char *end; *(at += strspn(at, " \t\r\n")); at = end, found++) {
        double x = strtod(at, &end);
        if (end == at || !isfinite(x) || (*end && !strchr(" \t\r\n", *end)))
            return lmb_robot_fail(b, v->e->where,
                                  "attribute '%s' of <%s> is \"%.60s\"; expected %d finite number%s",
                                  v->attribute, v->e->name, v->text, most, most == 1 ? "" : "s");
        if (found < most) out[found] = x;
    }
    *count = found;
    if (found >= least && found <= most) return LMB_OK;
    return lmb_robot_fail(b, v->e->where, "attribute '%s' of <%s> has %d numbers; expected %d", v->attribute,
                          v->e->name, found, most);
}

lmb_status lmb_robot_numbers(double *out, int count, const lmb_robot *b, const lmb_xml_element *e,
                             const char *attribute) {
    const lmb_robot_value v = {e, attribute, lmb_xml_text(e, attribute)};
    return v.text ? lmb_robot_list(out, &count, count, b, &v) : LMB_OK;
}

mat3 lmb_robot_rpy(vec3 rpy) {
    quat x = q_exp(v3(rpy.x, 0, 0)), y = q_exp(v3(0, rpy.y, 0)), z = q_exp(v3(0, 0, rpy.z));
    return q_matrix(q_mul(z, q_mul(y, x)));
}

int lmb_robot_link_find(const lmb_robot *b, const char *name) {
    for (int i = 0; i < b->link_count; i++)
        if (strcmp(b->links[i].name, name) == 0) return i;
    return -1;
}

int lmb_robot_joint_find(const lmb_robot *b, const char *name) {
    for (int i = 0; i < b->joint_count; i++)
        if (strcmp(b->joints[i].name, name) == 0) return i;
    return -1;
}

static const char *link_name(void *user, int i) {
    const lmb_robot *b = user;
    return i < b->link_count ? b->links[i].name : NULL;
}

lmb_status lmb_robot_unknown_link(const lmb_robot *b, lmb_where where, const char *name) {
    const char *near = lmb_nearest(name, link_name, (void *)b);
    return lmb_fail(b->r->err, LMB_ERR_INPUT, where, "the robot has no link '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

lmb_robot_digits lmb_robot_print(double v) {
    lmb_robot_digits out;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out.text, sizeof out.text, "%.*g", digits, v + 0.0);
        if (strtod(out.text, NULL) == v) break;
    }
    return out;
}

lmb_status lmb_robot_add_shape(lmb_robot *b, lmb_robot_link *l, const lmb_robot_shape *shape) {
    lmb_robot_shape *s = lmb_arena_get(b->r->s->arena, 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(b->r->err);
    *s = *shape;
    if (l->last_shape) l->last_shape->next = s;
    else l->shapes = s;
    l->last_shape = s;
    return LMB_OK;
}

void lmb_robot_box(lmb_robot_shape *s, const lmb_triangles *t) {
    vec3 c = v3_scale(0.5, v3_add(t->high, t->low));
    v3_store(s->size, v3_sub(t->high, t->low));
    double least = 1e-3 * fmax(s->size[0], fmax(s->size[1], s->size[2])); // of flat ones
    s->kind = "box", s->count = 3;
    for (int i = 0; i < 3; i++) s->size[i] = fmax(s->size[i], least);
    s->at = pose_mul(s->at, (pose){c, q_matrix(Q_ID)});
}

// the first one counts
lmb_status lmb_robot_color(lmb_robot *b, lmb_robot_link *l, const double *rgba) {
    int c[3];
    if (l->color) return LMB_OK;
    for (int i = 0; i < 3; i++) c[i] = (int)lround(255 * fmin(fmax(rgba[i], 0), 1));
    l->color = lmb_arena_printf(b->r->s->arena, "#%02x%02x%02x", c[0], c[1], c[2]);
    return l->color ? LMB_OK : lmb_fail_memory(b->r->err);
}

// ---- files -------------------------------------------------------------------------------------

static const double MOST_MESH_BYTES = 500e6; // of all meshes together

static const char *find_file(const lmb_robot *b, const char *folder, const char *name) {
    lmb_arena *arena = b->r->scratch;
    const char *rest = strstr(name, "://"), *slash = strrchr(b->file, '/');
    bool package = rest && strncmp(name, "file:", 5) != 0;
    if (rest) name = rest + 3;
    rest = package && strchr(name, '/') ? strchr(name, '/') + 1 : name;
    const char *top = slash ? lmb_arena_printf(arena, "%.*s", (int)(slash - b->file), b->file) : ".";
    if (folder && top) top = *folder == '/' ? folder : lmb_arena_printf(arena, "%s/%s", top, folder);
    if (*name == '/') return lmb_file_is_readable(name) ? name : NULL;
    for (int up = 0; top && up <= (package ? 4 : 0); up++) {
        const char *path = lmb_arena_printf(arena, "%s/%s", top, name);
        if (path && lmb_file_is_readable(path)) return path;
        path = lmb_arena_printf(arena, "%s/%s", top, rest);
        if (path && lmb_file_is_readable(path)) return path;
        top = lmb_arena_printf(arena, "%s/..", top);
    }
    return NULL;
}

bool lmb_robot_load(lmb_robot_file *out, lmb_robot *b, const char *folder, const char *name) {
    lmb_file_about about;
    lmb_error quiet = {0};
    *out = (lmb_robot_file){.path = find_file(b, folder, name)};
    if (out->path == NULL || !lmb_path_look(&about, out->path) || !about.regular) return false;
    b->mesh_bytes += (double)about.bytes;
    return b->mesh_bytes < MOST_MESH_BYTES &&
           lmb_file_load(&out->bytes, out->path, LMB_NOWHERE, &quiet) == LMB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

lmb_status lmb_robot_read(lmb_node **out, lmb_yaml_reader *r, const char *text, size_t length,
                          const char *file, const lmb_node *how) {
    lmb_robot b = {.r = r, .file = file, .input_names = {.arena = r->scratch}};
    lmb_xml_element *root = NULL;
    lmb_status st = lmb_xml_parse(&root, r->scratch, text, length, file, r->err);
    if (st == LMB_OK) st = read_format(&b, root, how);
    if (st == LMB_OK) st = lmb_robot_model(out, &b, how);
    return st == LMB_OK ? hand_over_notes(&b) : st;
}
