// api/fmu_file.c: a model as an FMU: a zip archive of its description, the module with liblimber, the model and what it needs.
#include "api/bundle.h"
#include "api/fmu.h"
#include "os/bytes.h"
#include "os/outfile.h"
#include "solve/minimal.h"
#include "spec/names.h"

#include <string.h>

// ---- variables ---------------------------------------------------------------------------------

typedef struct list {
    lmb_arena *arena;
    lmb_names names; // that are taken
    lmb_fmu_variable *v;
    int count;
} list;

// a name that another variable has gets _
static bool add(list *l, lmb_fmu_variable v) {
    while (v.name && lmb_names_get(&l->names, v.name)) v.name = lmb_arena_printf(l->arena, "%s_", v.name);
    void **slot = v.name ? lmb_names_slot(&l->names, v.name) : NULL;
    if (slot == NULL) return false;
    *slot = l; // taken
    l->v[l->count++] = v;
    return true;
}

static bool add_parameters(list *l, const lmb_system *s) {
    bool ok = true, number = false;
    char use[200];
    for (int i = 0; i < lmb_system_parameter_count(s) && ok; i++) {
        double value = lmb_system_parameter(&number, s, i);
        lmb_fmu_variable v = {.role = number ? LMB_FMU_PARAMETER : LMB_FMU_CALCULATED,
                              .name = lmb_system_parameter_name(s, i),
                              .unit = "",
                              .start = value,
                              .tunable = lmb_system_parameter_tunable(use, sizeof use, s, i)};
        if (!v.tunable) v.text = lmb_arena_printf(l->arena, "fixed: used in %s", use);
        ok = (v.tunable || v.text) && add(l, v);
    }
    return ok;
}

static bool add_inputs(list *l, const lmb_system *s) {
    bool ok = true;
    for (int i = 0; i < lmb_system_input_count(s) && ok; i++) {
        lmb_fmu_variable v = {LMB_FMU_INPUT, lmb_system_input_name(s, i), lmb_system_input_unit(s, i), NULL};
        lmb_system_input_range(&v.start, &v.min, &v.max, s, i);
        ok = add(l, v);
    }
    return ok;
}

static bool add_outputs(list *l, const lmb_system *s) {
    bool ok = true;
    for (int i = 0; i < lmb_system_output_count(s) && ok; i++) {
        int k = lmb_system_output(s, i);
        ok = add(l, (lmb_fmu_variable){LMB_FMU_OUTPUT, lmb_system_sensor_name(s, k),
                                       lmb_system_sensor_unit(s, k), NULL});
    }
    return ok;
}

// Names and units of the independent velocities, as in lmb_linear.
typedef struct increments {
    const char **name, **unit;
} increments;

// arm.x and arm.x_rate; of rotations arm.qw .. and arm.rx_rate; z
static lmb_fmu_variable state_of(list *l, const increments *y, const lmb_model *m, int i) {
    static const char *const energies[] = {"work", "dissipated"}, *const turn[] = {"qw", "qx", "qy", "qz"};
    lmb_flow_state s = lmb_flow_state_of(m, i);
    lmb_fmu_variable v = {.role = LMB_FMU_STATE, .unit = "J", .nominal = lmb_flow_nominal(m, i)};
    if (s.block < 0) return v.name = energies[s.index], v;
    const lmb_block *b = &m->blocks[s.block];
    bool turns = b->kind == LMB_BLOCK_ROT && !s.rate, rate = s.rate && b->kind != LMB_BLOCK_STATE;
    const char *name = y->name[b->iy + (turns ? 0 : s.index)], *unit = y->unit[b->iy + (turns ? 0 : s.index)];
    size_t owner = strlen(name) - strlen(".rx");
    v.name = turns ? lmb_arena_printf(l->arena, "%.*s.%s", (int)owner, name, turn[s.index])
                   : lmb_arena_printf(l->arena, "%s%s", name, rate ? "_rate" : "");
    v.unit = turns || *unit == '\0' ? "" : lmb_arena_printf(l->arena, "%s%s", unit, rate ? "/s" : "");
    return v;
}

static bool add_states(list *l, const lmb_system *s) {
    const lmb_model *m = s->program->model;
    int n = lmb_flow_count(m), first = l->count;
    const char **names = lmb_arena_get(l->arena, 2 * (size_t)m->ny + 1, sizeof *names);
    increments y = {names, names ? names + m->ny : NULL};
    bool ok = names && lmb_increment_names(y.name, y.unit, l->arena, m);
    for (int i = 0; i < n && ok; i++) {
        lmb_fmu_variable v = state_of(l, &y, m, i);
        ok = v.unit && add(l, v);
    }
    for (int i = 0; i < n && ok; i++)
        ok = add(l, (lmb_fmu_variable){.role = LMB_FMU_RATE,
                                       .name = lmb_arena_printf(l->arena, "der(%s)", l->v[first + i].name),
                                       .unit = "",
                                       .of = first + i});
    for (int i = 0; i < lmb_flow_indicator_count(s->program) && ok; i++)
        ok = add(l, (lmb_fmu_variable){.role = LMB_FMU_INDICATOR,
                                       .name = lmb_arena_printf(l->arena, "indicator%d", i + 1),
                                       .unit = ""});
    return ok;
}

static lmb_status list_variables(list *l, const lmb_system *s, lmb_error *err) {
    int most = 1 + lmb_system_parameter_count(s) + lmb_system_input_count(s) + lmb_system_output_count(s) +
               2 * lmb_system_state_count(s) + lmb_system_indicator_count(s);
    l->arena = lmb_arena_create(4096), l->names = (lmb_names){.arena = l->arena};
    l->v = lmb_alloc((size_t)most, sizeof *l->v);
    bool ok = l->arena && l->v &&
              add(l, (lmb_fmu_variable){.role = LMB_FMU_TIME, .name = "time", .unit = "s"}) &&
              add_parameters(l, s) && add_inputs(l, s) && add_outputs(l, s) && add_states(l, s);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- entries -----------------------------------------------------------------------------------

static lmb_status add_text(lmb_zip *z, const char *name, const lmb_text *text, lmb_error *err) {
    return lmb_zip_add(z, name, text->text, text->length, LMB_ZIP_DEFLATED, err);
}

// the folder of a platform, as FMI names it
static const char *platform(int version) {
#if defined __x86_64__
    return version == 2 ? "linux64" : "x86_64-linux";
#elif defined __aarch64__
    return "aarch64-linux";
#else
    return "unknown";
#endif
}

static lmb_status add_binary(lmb_zip *z, const lmb_fmu_options *o, lmb_error *err) {
    lmb_text bytes = {0}, name = {0};
    lmb_status st = lmb_file_load(&bytes, o->binary, LMB_NOWHERE, err);
    if (st == LMB_OK && !lmb_text_add(&name, "binaries/%s/limber_fmu.so", platform(o->version)))
        st = lmb_fail_memory(err);
    if (st == LMB_OK) st = add_text(z, name.text, &bytes, err);
    lmb_text_free(&bytes), lmb_text_free(&name);
    return st;
}

static lmb_status add_licence(lmb_zip *z, lmb_error *err) {
    lmb_text text = {0};
    bool ok = lmb_text_add(&text, "The binary contains limber %s (BSD-3-Clause) and, linked statically,\n\n",
                           lmb_version());
    for (const char *line = lmb_libraries(); *line && ok;
         line += strcspn(line, "\n") + 1) // IDA is not in the module
        ok = strncmp(line, "SUNDIALS", 8) == 0 ||
             lmb_text_add(&text, "    %.*s\n", (int)strcspn(line, "\n"), line);
    ok = ok && lmb_text_add(&text, "\nlibgfortran and libquadmath (GCC) come with them. The LGPL holds for "
                                   "KLU and BTF (SuiteSparse,\n"
                                   "https://suitesparse.com) and libquadmath: with the sources of limber "
                                   "(target limber_fmu) the binary\n"
                                   "can be linked again with other versions of them.\n");
    lmb_status st = ok ? add_text(z, "documentation/licenses/license.txt", &text, err) : lmb_fail_memory(err);
    lmb_text_free(&text);
    return st;
}

// by the model with all its files, and the version
static void make_token(char token[LMB_SHA256_TEXT], const lmb_system *s, const lmb_text *model) {
    unsigned char digest[LMB_SHA256_SIZE];
    lmb_sha256 hash;
    lmb_sha256_begin(&hash);
    lmb_sha256_add(&hash, s->fingerprint, strlen(s->fingerprint));
    lmb_sha256_add(&hash, model->text, model->length);
    lmb_sha256_add(&hash, lmb_version(), strlen(lmb_version()));
    lmb_sha256_end(digest, &hash);
    lmb_sha256_text(token, digest);
}

static const lmb_analysis *find_dynamics(const lmb_program *p) {
    for (int i = 0; i < p->analysis_count; i++)
        if (strcmp(p->analyses[i].kind->doc.name, "dynamics") == 0) return &p->analyses[i];
    return NULL;
}

static lmb_status add_description(lmb_zip *z, lmb_system *s, const char *name, const char *token,
                                  const lmb_fmu_options *o, lmb_error *err) {
    list l = {0};
    lmb_text xml = {0}, note = {0};
    lmb_fmu_description d = {name, lmb_system_title(s), token, find_dynamics(s->program), o, 0, NULL};
    lmb_status st = list_variables(&l, s, err);
    d.count = l.count, d.variables = l.v;
    bool ok =
        st == LMB_OK && (o->version == 2 ? lmb_fmu_write_2(&xml, &d) : lmb_fmu_write_3(&xml, &d)) &&
        lmb_text_add(&note, "limber %s %s %d %d %d %d %d\n", lmb_version(), token,
                     lmb_system_parameter_count(s), lmb_system_input_count(s), lmb_system_output_count(s),
                     lmb_system_state_count(s), lmb_system_indicator_count(s));
    if (st == LMB_OK && !ok) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = add_text(z, "modelDescription.xml", &xml, err);
    if (st == LMB_OK) st = add_text(z, LMB_BUNDLE_FOLDER "limber.txt", &note, err);
    lmb_text_free(&xml), lmb_text_free(&note);
    lmb_free(l.v), lmb_arena_destroy(l.arena);
    return st;
}

// ---- the file ----------------------------------------------------------------------------------

static const char *next_parameter(void *user, int i) {
    const lmb_node *n = user ? ((const lmb_node *)user)->first : NULL;
    while (n && i-- > 0) n = n->next;
    return n ? n->key : NULL;
}

// into the model's text: what it contains are the values from now on
static lmb_status set_parameters(lmb_document *d, const lmb_setting *settings, int count, lmb_error *err) {
    lmb_node *section = lmb_node_find(d->spec->root, "parameters");
    for (int i = 0; i < count; i++) {
        const char *name = settings[i].name;
        lmb_node *n = section ? lmb_node_find(section, name) : NULL;
        const char *near = lmb_nearest(name, next_parameter, section);
        if (n == NULL)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the model has no parameter '%s'%s%s%s", name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        n->kind = LMB_NODE_SCALAR, n->quoted = false, n->first = n->last = NULL, n->count = 0;
        n->text = lmb_arena_strdup(d->spec->arena, settings[i].value);
        if (n->text == NULL) return lmb_fail_memory(err);
        d->edited = true;
    }
    return LMB_OK;
}

// NAME of dir/NAME.fmu
static lmb_status name_of(lmb_text *out, const char *path, lmb_error *err) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *suffix = lmb_path_suffix(name);
    size_t n = strlen(name) - strlen(suffix);
    return n > 0 && lmb_text_add_n(out, name, n) ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status check(const char *path, const lmb_fmu_options *o, lmb_error *err) {
    if ((o->version != 2 && o->version != 3) || !(o->model_exchange || o->co_simulation) || o->binary == NULL)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "an FMU needs a version of FMI, 2 or 3, at least one kind, and the module limber_fmu.so");
    if (strcmp(lmb_path_suffix(path), ".fmu") != 0)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.300s': the name of an FMU ends in .fmu", path);
    return lmb_output_check(path, NULL, err);
}

static lmb_status write_bytes(const char *path, const lmb_text *bytes, lmb_error *err) {
    lmb_outfile o;
    lmb_status st = lmb_outfile_open(&o, path, NULL, err);
    if (st != LMB_OK) return st;
    fwrite(bytes->text, 1, bytes->length, o.f);
    return lmb_outfile_close(&o, LMB_OK, err);
}

// the archive in memory
static lmb_status fill(lmb_zip *z, lmb_system *s, const lmb_text *model, const char *name,
                       const lmb_fmu_options *o, lmb_error *err) {
    char token[LMB_SHA256_TEXT];
    if (find_dynamics(s->program) == NULL)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "the model has no analysis of type dynamics, which an FMU carries out; add `analyses: [{type: "
            "dynamics, until: ...}]`");
    if (s->program->slave_count > 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, s->program->slaves[0].node->key_where,
            "a model with `fmus` cannot be exported as an FMU; export it without '%s', with `inputs` "
            "in place of its outputs",
            s->program->slaves[0].name);
    make_token(token, s, model);
    lmb_status st = add_description(z, s, name, token, o, err);
    if (st == LMB_OK) st = add_text(z, LMB_BUNDLE_FOLDER "model.yaml", model, err);
    if (st == LMB_OK) st = add_licence(z, err);
    if (st == LMB_OK) st = add_binary(z, o, err);
    return st ? st : lmb_zip_end(z, err);
}

lmb_status lmb_fmu_file(const char *path, lmb_document *d, const lmb_setting *settings, int count,
                        const lmb_part_settings *parts, const lmb_fmu_options *options, lmb_error *err) {
    lmb_zip zip = {0};
    lmb_text model = {0}, name = {0};
    lmb_system *s = NULL;
    if (d->spec == NULL) return lmb_document_used(err);
    if (d->spec->outside)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "an FMU cannot contain function '%s' of this program; write it as an expression",
                        d->spec->outside->name);
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = check(path, options, err);
    if (st == LMB_OK) st = set_parameters(d, settings, count, err);
    if (st == LMB_OK && !lmb_spec_write(&model, d->spec)) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = name_of(&name, path, err);
    if (st == LMB_OK) st = lmb_system_collect(&s, &zip, d, parts, err);
    if (st == LMB_OK) st = fill(&zip, s, &model, name.text, options, err);
    if (st == LMB_OK) st = write_bytes(path, &zip.bytes, err);
    lmb_locale_end(locale);
    lmb_system_destroy(s);
    lmb_zip_free(&zip);
    lmb_text_free(&model), lmb_text_free(&name);
    return st;
}
