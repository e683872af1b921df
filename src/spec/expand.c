// spec/expand.c: carries out `repeat` and `assemblies`: from the tree as written to one of plain sections.
#include "spec/local.h"

#include <string.h>

enum { MAX_DEPTH = 100 };

typedef struct expander {
    lmb_spec *s;
    lmb_node *root;       // of the new tree
    lmb_names sections;   // to target
    lmb_names assemblies; // complete names, to their nodes
    long values;
    lmb_error *err;
} expander;

// A section of the new tree and the names in it.
typedef struct target {
    lmb_node *node;
    lmb_names names;
} target;

static lmb_status expand_entries(expander *x, lmb_node *map, const lmb_local *local, int depth);

static lmb_status fail_at(expander *x, lmb_where where, const char *text) {
    return lmb_fail(x->err, LMB_ERR_INPUT, where, "%s", text);
}

static lmb_status fail_twice(expander *x, const lmb_node *n, const char *name, const char *section,
                             const lmb_node *first) {
    lmb_where w = first->key_where, at = n->key_where;
    if (w.line == at.line && w.col == at.col && w.file == at.file)
        return lmb_fail(x->err, LMB_ERR_INPUT, at,
                        "duplicate name '%s' in %s; include the index in the name, as in %s[i]", name,
                        section, n->key);
    return lmb_fail(x->err, LMB_ERR_INPUT, at,
                    "duplicate name '%s' in %s; rename one of them (the other is at %s:%d:%d)", name, section,
                    w.file ? w.file : "line", w.line, w.col);
}

static lmb_status count_values(expander *x, lmb_where where) {
    if (++x->values <= x->s->max_values) return LMB_OK;
    return lmb_fail(x->err, LMB_ERR_INPUT, where,
                    "the model exceeds %ld values here; reduce the number of copies", x->s->max_values);
}

// ---- copies ------------------------------------------------------------------------------------

static lmb_status new_key(const char **out, expander *x, const lmb_node *n, const lmb_local *local) {
    *out = n->key;
    if (n->key == NULL) return LMB_OK;
    lmb_index_place at = {x->s, n->key, n->key_where, local, LMB_INDEX_IN_KEY, false};
    return lmb_index_replace(out, &at, x->err);
}

// keys that differed as written may be equal after their indices are replaced
static lmb_status check_doubles(expander *x, const lmb_node *map) {
    lmb_mark mark = lmb_arena_mark(x->s->arena);
    lmb_names names = {.arena = x->s->arena};
    lmb_status status = LMB_OK;
    for (lmb_node *n = map->first; n && status == LMB_OK; n = n->next) {
        void **slot = lmb_names_slot(&names, n->key);
        if (slot == NULL) status = lmb_fail_memory(x->err);
        else if (*slot) status = fail_twice(x, n, n->key, "this map", *slot);
        else *slot = n;
    }
    lmb_arena_release(x->s->arena, mark);
    return status;
}

static lmb_status copy_node(lmb_node **out, expander *x, const lmb_node *n, const lmb_local *local,
                            int depth);

static lmb_status copy_children(lmb_node *to, expander *x, const lmb_node *from, const lmb_local *local,
                                int depth) {
    bool changed = false;
    for (const lmb_node *n = from->first; n; n = n->next) {
        const char *key;
        lmb_node *child = NULL;
        lmb_status status = new_key(&key, x, n, local);
        if (status == LMB_OK) status = copy_node(&child, x, n, local, depth + 1);
        if (status) return status;
        changed = changed || key != n->key;
        lmb_node_append(to, child, key);
    }
    return changed ? check_doubles(x, to) : LMB_OK;
}

static lmb_status copy_node(lmb_node **out, expander *x, const lmb_node *n, const lmb_local *local,
                            int depth) {
    if (depth > MAX_DEPTH) return fail_at(x, n->where, "the model is nested too deeply");
    lmb_status status = count_values(x, n->where);
    if (status) return status;
    lmb_node *copy = lmb_node_create(x->s, n->kind, n->where);
    if (copy == NULL) return lmb_fail_memory(x->err);
    copy->quoted = n->quoted;
    copy->key_where = n->key_where;
    copy->local = local;
    *out = copy;
    if (n->kind != LMB_NODE_SCALAR) return copy_children(copy, x, n, local, depth);
    lmb_index_place at = {x->s, n->text, n->where, local, LMB_INDEX_IN_VALUE, n->quoted};
    return lmb_index_replace(&copy->text, &at, x->err);
}

// ---- sections ----------------------------------------------------------------------------------

// sections of the whole model, not of a part of it
static bool is_global_section(const char *name) {
    static const char *const names[] = {"gravity", "planar",   "output",     "solver",
                                        "title",   "analyses", "validation", "study"};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

// those that are not lists: copies cannot be appended
static bool is_single_section(const char *name) {
    return is_global_section(name) && strcmp(name, "analyses") != 0 && strcmp(name, "validation") != 0;
}

// the section of the new tree that n is added to, made if it is not there
static lmb_status find_target(target **out, expander *x, const lmb_node *n) {
    void **slot = lmb_names_slot(&x->sections, n->key);
    if (slot == NULL) return lmb_fail_memory(x->err);
    *out = *slot;
    if (*slot) return LMB_OK;
    target *t = lmb_arena_get(x->s->arena, 1, sizeof *t);
    if (t == NULL || !(t->node = lmb_node_create(x->s, LMB_NODE_NULL, n->where)))
        return lmb_fail_memory(x->err);
    t->node->key_where = n->key_where;
    t->names.arena = x->s->arena;
    lmb_node_append(x->root, t->node, n->key);
    *out = *slot = t;
    return LMB_OK;
}

static lmb_status add_element(expander *x, target *t, const lmb_node *n, const lmb_local *local) {
    const lmb_local *assembly = lmb_local_assembly(local);
    const char *key;
    lmb_node *copy;
    lmb_status status = new_key(&key, x, n, local);
    if (status == LMB_OK) status = copy_node(&copy, x, n, local, 0);
    if (status) return status;
    if (t->node->kind == LMB_NODE_LIST) return lmb_node_append(t->node, copy, NULL), LMB_OK;
    if (assembly && !(key = lmb_arena_printf(x->s->arena, "%s%s", assembly->prefix, key)))
        return lmb_fail_memory(x->err);
    void **slot = lmb_names_slot(&t->names, key);
    if (slot == NULL) return lmb_fail_memory(x->err);
    if (*slot) return fail_twice(x, n, key, t->node->key, *slot);
    *slot = copy;
    lmb_node_append(t->node, copy, key);
    return LMB_OK;
}

static lmb_status add_section(expander *x, const lmb_node *n, const lmb_local *local) {
    if (lmb_local_assembly(local) && is_global_section(n->key)) return LMB_OK;
    target *t;
    lmb_status status = find_target(&t, x, n);
    if (status || n->kind == LMB_NODE_NULL) return status;
    if (t->node->kind == LMB_NODE_NULL) {
        t->node->kind = n->kind;
        t->node->quoted = n->quoted;
        if (n->kind == LMB_NODE_SCALAR) {
            lmb_index_place at = {x->s, n->text, n->where, local, LMB_INDEX_IN_VALUE, n->quoted};
            return lmb_index_replace(&t->node->text, &at, x->err);
        }
    } else if (t->node->kind != n->kind || n->kind == LMB_NODE_SCALAR) {
        lmb_where w = t->node->where;
        return lmb_fail(x->err, LMB_ERR_INPUT, n->where,
                        "section '%s' cannot be merged with the one at %s:%d:%d", n->key,
                        w.file ? w.file : "line", w.line, w.col);
    }
    for (const lmb_node *e = n->first; e && status == LMB_OK; e = e->next)
        status = add_element(x, t, e, local);
    return status;
}

// ---- repeat ------------------------------------------------------------------------------------

static lmb_status read_int(long *out, expander *x, lmb_node *n, const lmb_local *local) {
    double v;
    n->local = local;
    lmb_status status = lmb_spec_value(&v, x->s, n, x->err);
    if (status) return status;
    if (v != floor(v) || fabs(v) > 1e9)
        return lmb_fail(x->err, LMB_ERR_INPUT, n->where, "'%s' of repeat is %.10g, not an integer", n->key,
                        v);
    *out = (long)v;
    return LMB_OK;
}

static bool is_range_key(const char *key) {
    return strcmp(key, "index") == 0 || strcmp(key, "from") == 0 || strcmp(key, "to") == 0 ||
           strcmp(key, "count") == 0;
}

// the index must not hide another one or a parameter of the same model
static lmb_status check_index(const char *name, expander *x, lmb_where where, const lmb_local *local) {
    lmb_status status = lmb_parameter_name_check(name, "an index", where, x->err);
    const lmb_local *l = local;
    bool taken = false;
    for (; l && l->index; l = l->outer) taken = taken || strcmp(l->index, name) == 0;
    const lmb_parameters *p = l ? l->parameters : x->s->parameters;
    taken = taken || lmb_names_get(&p->names, name);
    if (status || !taken) return status;
    return lmb_fail(x->err, LMB_ERR_INPUT, where,
                    "the repeat index '%s' is already a parameter or an outer index; choose another name",
                    name);
}

typedef struct range {
    const char *index;
    long from, to;
} range;

static lmb_status read_range(range *r, expander *x, lmb_node *group, const lmb_local *local) {
    lmb_node *index = lmb_node_find(group, "index"), *from = lmb_node_find(group, "from");
    lmb_node *to = lmb_node_find(group, "to"), *count = lmb_node_find(group, "count");
    *r = (range){.index = "i", .from = 1};
    if (!to == !count)
        return fail_at(x, group->where,
                       "repeat needs either 'to' (the last index) or 'count' (the number of copies)");
    lmb_status status = index ? lmb_spec_text(&r->index, x->s, index, x->err) : LMB_OK;
    if (status == LMB_OK) status = check_index(r->index, x, index ? index->where : group->where, local);
    if (status == LMB_OK && from) status = read_int(&r->from, x, from, local);
    if (status == LMB_OK) status = read_int(&r->to, x, to ? to : count, local);
    if (status || to) return status;
    if (r->to < 0)
        return lmb_fail(x->err, LMB_ERR_INPUT, count->where, "'count' of repeat is negative: %ld", r->to);
    r->to += r->from - 1;
    return LMB_OK;
}

static long count_nodes(const lmb_node *n) {
    long count = 1;
    for (const lmb_node *child = n->first; child; child = child->next) count += count_nodes(child);
    return count;
}

static lmb_status expand_group(expander *x, lmb_node *group, const lmb_local *local, int depth) {
    if (group->kind != LMB_NODE_MAP)
        return lmb_fail(x->err, LMB_ERR_INPUT, group->where,
                        "repeat: expected a map such as {index: i, from: 1, to: 10, bodies: ...}, found %s",
                        lmb_node_found(group));
    range r;
    lmb_status status = read_range(&r, x, group, local);
    for (const lmb_node *n = group->first; n && status == LMB_OK; n = n->next)
        if (strcmp(n->key, "repeat") != 0 && strcmp(n->key, "assemblies") != 0 &&
            (lmb_is_frame_section(n->key) || is_single_section(n->key)))
            status = lmb_fail(x->err, LMB_ERR_INPUT, n->key_where,
                              "'%s' is not allowed in repeat; move it to the top level of the model", n->key);
    // before the work, not after it
    if (status == LMB_OK && r.to >= r.from &&
        r.to - r.from >= (x->s->max_values - x->values) / count_nodes(group))
        return lmb_fail(x->err, LMB_ERR_INPUT, group->where,
                        "%ld copies make the model exceed %ld values; reduce the number of copies",
                        r.to - r.from + 1, x->s->max_values);
    for (long i = r.from; status == LMB_OK && i <= r.to; i++) {
        lmb_local *l = lmb_arena_get(x->s->arena, 1, sizeof *l);
        if (l == NULL) return lmb_fail_memory(x->err);
        *l = (lmb_local){.outer = local, .index = r.index, .value = (double)i};
        status = count_values(x, group->where);
        if (status == LMB_OK) status = expand_entries(x, group, l, depth + 1);
    }
    return status;
}

static lmb_status expand_repeat(expander *x, lmb_node *n, const lmb_local *local, int depth) {
    if (n->kind == LMB_NODE_NULL) return LMB_OK;
    if (n->kind != LMB_NODE_LIST) return expand_group(x, n, local, depth);
    lmb_status status = LMB_OK;
    for (lmb_node *group = n->first; group && status == LMB_OK; group = group->next)
        status = expand_group(x, group, local, depth);
    return status;
}

// ---- assemblies --------------------------------------------------------------------------------

typedef struct instance {
    uint64_t given;
    const char *file, *keyframe;
    const lmb_node *model, *parameters, *flexible, *change;
    int base;
    vec3 at;
    quat rotate;
} instance;

// clang-format off
const lmb_key lmb_assembly_keys[] = {
    {"file", LMB_KEY_TEXT, offsetof(instance, file),
     .doc = "Model file or robot (.urdf, .xml) to insert, relative to this file."},
    {"model", LMB_KEY_NODE, offsetof(instance, model), .choices = "model",
     .doc = "The model itself, instead of a file."},
    {"at", LMB_KEY_VEC3, offsetof(instance, at), .dim = {.length = 1},
     .doc = "Position of the assembly's origin."},
    {"rotate", LMB_KEY_ROTATION, offsetof(instance, rotate), .doc = "Rotation of the assembly's axes."},
    {"parameters", LMB_KEY_NODE, offsetof(instance, parameters), .choices = "parameters",
     .doc = "Parameter values of the assembly; expressions are evaluated with the names of the outer model."},
    {"change", LMB_KEY_NODE, offsetof(instance, change), .choices = "{section: {element: {key: value}}}",
     .doc = "Values in place of those of the model; maps are merged, null takes an entry away."},
    {"base", LMB_KEY_CHOICE, offsetof(instance, base), .choices = "fixed|free",
     .doc = "Robots: whether the link without a parent is fixed to the ground (default) or free."},
    {"keyframe", LMB_KEY_TEXT, offsetof(instance, keyframe),
     .doc = "Robots of MuJoCo: the keyframe in which it starts (default: the first one), or `none`."},
    {"flexible", LMB_KEY_NODE, offsetof(instance, flexible), .choices = "{link: {type: beam, ...}}",
     .doc = "Robots: flexible bodies in place of links, with the keys of `bodies`, in the frame of the link."},
    {0},
};
// clang-format on

static void set_local(lmb_node *n, const lmb_local *local) {
    n->local = local;
    for (lmb_node *child = n->first; child; child = child->next) set_local(child, local);
}

static lmb_status read_instance(instance *out, expander *x, lmb_node *n, const lmb_local *local,
                                const char *what) {
    n->local = local;
    for (lmb_node *child = n->kind == LMB_NODE_MAP ? n->first : NULL; child; child = child->next)
        if (strcmp(child->key, "model") != 0) set_local(child, local);
    *out = (instance){.rotate = Q_ID};
    lmb_status status = lmb_spec_read(out, x->s, n, lmb_assembly_keys, what, x->err);
    if (status) return status;
    static const char *const early[] = {"change", "base", "keyframe", "flexible"};
    for (int i = 0; i < LMB_COUNT(early); i++) // carried out while files are read
        if (lmb_node_find(n, early[i]))
            return lmb_fail(
                x->err, LMB_ERR_INPUT, lmb_node_place(n, early[i]),
                "%s: '%s' has an effect only where the model is read, not in a model that was changed "
                "afterwards; edit the elements of `model`",
                what, early[i]);
    if (out->model == NULL)
        return lmb_fail(x->err, LMB_ERR_INPUT, n->where,
                        "%s needs 'file' (a model file) or 'model' (a map)%s", what,
                        out->file ? "; 'file' is supported only in model files" : "");
    if (out->model->kind != LMB_NODE_MAP)
        return lmb_fail(x->err, LMB_ERR_INPUT, out->model->where,
                        "the model of %s: expected a map of sections, found %s", what,
                        lmb_node_found(out->model));
    return LMB_OK;
}

static lmb_status check_version(expander *x, const lmb_node *n) {
    if (n->kind == LMB_NODE_SCALAR && strcmp(n->text, "1") == 0) return LMB_OK;
    double v = 0;
    lmb_error quiet = {0};
    if (lmb_spec_value(&v, x->s, n, &quiet) == LMB_OK && v > 1)
        return lmb_fail(x->err, LMB_ERR_INPUT, n->where,
                        "the model uses a newer format (version %g); this program supports `limber: 1`", v);
    return fail_at(x, n->where, "invalid format version; write `limber: 1`");
}

// the header of a sub-model must agree with the whole
static lmb_status check_submodel(expander *x, const lmb_node *model, const char *what) {
    const lmb_node *version = lmb_node_find(model, "limber"), *units = lmb_node_find(model, "units");
    lmb_status status = version ? check_version(x, version) : LMB_OK;
    if (status || units == NULL) return status;
    lmb_units u;
    status = lmb_spec_units(&u, x->s, units, x->err);
    const lmb_units *v = &x->s->units;
    if (status || (u.length == v->length && u.mass == v->mass && u.time == v->time)) return status;
    return lmb_fail(x->err, LMB_ERR_INPUT, units->where,
                    "%s and the model that uses it have different units; use the same `units:` in both",
                    what);
}

static lmb_status give_parameters(expander *x, lmb_local *a, const instance *in, const char *what) {
    lmb_status status =
        lmb_parameters_create(&a->parameters, x->s, lmb_node_find(in->model, "parameters"), a, x->err);
    const lmb_node *given = in->parameters;
    if (status == LMB_OK && given && given->kind != LMB_NODE_MAP && given->kind != LMB_NODE_NULL)
        status = lmb_fail(x->err, LMB_ERR_INPUT, given->where, "parameters of %s: expected a map, found %s",
                          what, lmb_node_found(given));
    for (const lmb_node *n = given ? given->first : NULL; n && status == LMB_OK; n = n->next)
        status = lmb_parameters_override(a->parameters, n->key, n, n->key_where, what, x->err);
    return status ? status : lmb_parameters_evaluate(a->parameters, x->s, x->err);
}

// the scope of an assembly: prefix, pose = outer pose * (at, rotate)
static lmb_status enter_assembly(lmb_local **out, expander *x, const instance *in, const char *name,
                                 const lmb_local *local) {
    const lmb_local *outer = lmb_local_assembly(local);
    lmb_local *a = lmb_arena_get(x->s->arena, 1, sizeof *a);
    if (a == NULL) return lmb_fail_memory(x->err);
    pose own = {in->at, q_matrix(in->rotate)};
    *a = (lmb_local){.outer = local, .closed = in->file != NULL, .place = own};
    if (outer) a->place = pose_mul(outer->place, own);
    a->prefix = lmb_arena_printf(x->s->arena, "%s%s.", outer ? outer->prefix : "", name);
    *out = a;
    return a->prefix ? LMB_OK : lmb_fail_memory(x->err);
}

static lmb_status note_assembly(expander *x, lmb_node *n, const char *prefix) {
    void **slot = lmb_names_slot(&x->assemblies, prefix);
    if (slot == NULL) return lmb_fail_memory(x->err);
    if (*slot) return fail_twice(x, n, prefix, "assemblies", *slot);
    *slot = n;
    return LMB_OK;
}

static lmb_status expand_assembly(expander *x, lmb_node *n, const lmb_local *local, int depth) {
    const char *name = NULL;
    lmb_status status = count_values(x, n->where);
    if (status == LMB_OK) status = new_key(&name, x, n, local);
    if (status) return status;
    status = lmb_name_check(name, "assemblies", n->key_where, x->err);
    if (status) return status;
    const char *what = lmb_arena_printf(x->s->arena, "assembly '%s'", name);
    if (what == NULL) return lmb_fail_memory(x->err);
    instance in;
    lmb_local *a = NULL;
    status = read_instance(&in, x, n, local, what);
    if (status == LMB_OK) status = enter_assembly(&a, x, &in, name, local);
    if (status == LMB_OK) status = note_assembly(x, n, a->prefix);
    if (status == LMB_OK) status = check_submodel(x, in.model, what);
    if (status == LMB_OK) status = give_parameters(x, a, &in, what);
    return status ? status : expand_entries(x, (lmb_node *)in.model, a, depth + 1);
}

static lmb_status expand_assemblies(expander *x, lmb_node *n, const lmb_local *local, int depth) {
    if (n->kind == LMB_NODE_NULL) return LMB_OK;
    if (n->kind != LMB_NODE_MAP)
        return lmb_fail(x->err, LMB_ERR_INPUT, n->where,
                        "assemblies: expected a map from names to assemblies, found %s", lmb_node_found(n));
    lmb_status status = LMB_OK;
    for (lmb_node *a = n->first; a && status == LMB_OK; a = a->next)
        status = expand_assembly(x, a, local, depth);
    return status;
}

// ---- the whole ---------------------------------------------------------------------------------

// the entries of a model or of a repeated group
static lmb_status expand_entries(expander *x, lmb_node *map, const lmb_local *local, int depth) {
    if (depth > MAX_DEPTH) return fail_at(x, map->where, "repeat and assemblies are nested too deeply");
    bool in_group = local && local->index;
    lmb_status status = LMB_OK;
    for (lmb_node *n = map->first; n && status == LMB_OK; n = n->next) {
        if (strcmp(n->key, "repeat") == 0) status = expand_repeat(x, n, local, depth);
        else if (strcmp(n->key, "assemblies") == 0) status = expand_assemblies(x, n, local, depth);
        else if (lmb_is_frame_section(n->key) || (in_group && is_range_key(n->key))) continue;
        else status = add_section(x, n, local);
    }
    return status;
}

static lmb_status read_parameters(expander *x, const lmb_override *overrides, int count) {
    lmb_spec *s = x->s;
    lmb_status status =
        lmb_parameters_create(&s->parameters, s, lmb_node_find(s->root, "parameters"), NULL, x->err);
    for (int i = 0; i < count && status == LMB_OK; i++) {
        char *file = lmb_arena_printf(s->arena, "value given for parameter %s", overrides[i].name);
        char *text = lmb_arena_strdup(s->arena, overrides[i].text);
        lmb_node *n = lmb_node_create(s, LMB_NODE_SCALAR, (lmb_where){.file = file});
        if (file == NULL || text == NULL || n == NULL) return lmb_fail_memory(x->err);
        n->text = text;
        status =
            lmb_parameters_override(s->parameters, overrides[i].name, n, LMB_NOWHERE, "the model", x->err);
    }
    return status ? status : lmb_parameters_evaluate(s->parameters, s, x->err);
}

lmb_status lmb_spec_expand(lmb_spec *s, const lmb_override *overrides, int count, lmb_error *err) {
    if (s->parameters)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "this model has already been expanded; read it again");
    expander x = {.s = s, .sections = {.arena = s->arena}, .assemblies = {.arena = s->arena}, .err = err};
    lmb_where start = {s->file, s->file ? 1 : 0, s->file ? 1 : 0};
    const lmb_node *version = lmb_node_find(s->root, "limber"), *include = lmb_node_find(s->root, "include");
    if (version == NULL)
        return fail_at(&x, start, "missing format version; add `limber: 1` as the first line of the model");
    if (include) return fail_at(&x, include->key_where, "`include` is supported only in model files");
    lmb_status status = check_version(&x, version);
    if (status == LMB_OK) status = lmb_spec_units(&s->units, s, lmb_node_find(s->root, "units"), err);
    if (status == LMB_OK) status = read_parameters(&x, overrides, count);
    if (status) return status;
    x.root = lmb_node_create(s, LMB_NODE_MAP, s->root->where);
    if (x.root == NULL) return lmb_fail_memory(err);
    status = expand_entries(&x, s->root, NULL, 0);
    if (status == LMB_OK) s->root = x.root;
    return status;
}
