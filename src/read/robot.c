// read/robot.c: files of robots: by their endings, remarks, and what their readers share.
#include "read/robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- formats -----------------------------------------------------------------------------------

static const struct {
    const char *ending;
    lmb_status (*read)(lmb_robot *robot, const lmb_xml_element *root);
} formats[] = {{".urdf", lmb_urdf_read}};

const char *const lmb_robot_keys[] = {"base", "flexible", NULL};

static int format_of(const char *path) {
    size_t n = strlen(path);
    for (int i = 0; i < LMB_COUNT(formats); i++) {
        size_t k = strlen(formats[i].ending);
        if (n > k && strcasecmp(path + n - k, formats[i].ending) == 0) return i;
    }
    return -1;
}

bool lmb_robot_is(const char *path) { return format_of(path) >= 0; }

// ---- remarks -----------------------------------------------------------------------------------

lmb_status lmb_robot_fail(const lmb_robot *b, int line, const char *format, ...) {
    char text[600];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return lmb_fail(b->r->err, LMB_ERR_INPUT, (lmb_where){b->file, line, 1}, "%s", text);
}

lmb_status lmb_robot_remark(lmb_robot *b, int line, const char *format, ...) {
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
    *n = (lmb_robot_note){.text = lmb_arena_strdup(b->r->s->arena, text), .line = line, .count = 1};
    if (count == LMB_ROBOT_NOTES - 1) n->text = "further elements are not used";
    *last = n;
    return n->text ? LMB_OK : lmb_fail_memory(b->r->err);
}

static lmb_status hand_over_notes(lmb_robot *b) {
    for (const lmb_robot_note *n = b->notes; n; n = n->next) {
        lmb_spec *s = b->r->s;
        char more[40] = "";
        if (n->count > 1) snprintf(more, sizeof more, " (and %d more)", n->count - 1);
        const char *text = lmb_arena_printf(s->arena, "%s:%d: %s%s", b->file, n->line, n->text, more);
        if (text == NULL || !lmb_spec_remark_add(s, text)) return lmb_fail_memory(b->r->err);
    }
    return LMB_OK;
}

// ---- shared by the formats ---------------------------------------------------------------------

lmb_status lmb_robot_numbers(double *out, int count, const lmb_robot *b, const lmb_xml_element *e,
                             const char *attribute) {
    const char *text = lmb_xml_text(e, attribute), *at = text;
    if (text == NULL) return LMB_OK;
    int found = 0;
    for (char *end; *(at += strspn(at, " \t\r\n")); at = end, found++) {
        double v = strtod(at, &end);
        if (end == at || !isfinite(v) || (*end && !strchr(" \t\r\n", *end)))
            return lmb_robot_fail(b, e->line,
                                  "attribute '%s' of <%s> is \"%.60s\"; expected %d finite number%s",
                                  attribute, e->name, text, count, count == 1 ? "" : "s");
        if (found < count) out[found] = v;
    }
    if (found == count) return LMB_OK;
    return lmb_robot_fail(b, e->line, "attribute '%s' of <%s> has %d numbers; expected %d", attribute,
                          e->name, found, count);
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

// ---- the whole ---------------------------------------------------------------------------------

lmb_status lmb_robot_read(lmb_node **out, lmb_yaml_reader *r, const char *text, size_t length,
                          const char *file, const lmb_node *how) {
    lmb_robot b = {.r = r, .file = file};
    lmb_xml_element *root = NULL;
    lmb_status st = lmb_xml_parse(&root, r->scratch, text, length, file, r->err);
    if (st == LMB_OK) st = formats[format_of(file)].read(&b, root);
    if (st == LMB_OK) st = lmb_robot_model(out, &b, how);
    return st == LMB_OK ? hand_over_notes(&b) : st;
}
