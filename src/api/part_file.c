// api/part_file.c: a part and all files it refers to.
#include "api/part_file.h"

#include "core/build.h"
#include "os/bytes.h"
#include "os/files.h"
#include "read/geo_scan.h"
#include "read/mesh_file.h"
#include "read/model_file.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

// ---- names of files ----------------------------------------------------------------------------

// extension of the uncompressed file: .mtx for beam.mtx.gz
static bool has_suffix(const char *path, const char *suffix) {
    size_t n = strlen(path) - (lmb_path_is_packed(path) ? 3 : 0), m = strlen(suffix);
    return n > m && strncasecmp(path + n - m, suffix, m) == 0;
}

static bool is_one_of(const char *suffix, const char *const *list) {
    for (; *list; list++)
        if (strcasecmp(*list, suffix) == 0) return true;
    return false;
}

static const char *const descriptions[] = {".yaml", ".yml", ".json", NULL};

#define REFERENCES "$LIMBER_REFERENCE/"

static bool is_reference(const char *path) { return strncmp(path, REFERENCES, strlen(REFERENCES)) == 0; }

const char *lmb_path_beside(lmb_spec *s, const lmb_node *map, const char *key, const char *path) {
    const lmb_node *n = lmb_node_find(map, key);
    const char *base = n && n->where.file && n->where.line > 0 ? n->where.file : "",
               *slash = strrchr(base, '/');
    if (path[0] == '/' || slash == NULL) return path;
    return lmb_arena_printf(s->arena, "%.*s/%s", (int)(slash - base), base, path);
}

// ---- files -------------------------------------------------------------------------------------

// $LIMBER_REFERENCE/x -> x in that folder
static lmb_status find_reference(const char **out, lmb_part_file *f, const char *key, const char *path,
                                 lmb_error *err) {
    f->missing = f->references == NULL;
    if (f->missing)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(f->part.map, key),
            "'%s': set the environment variable LIMBER_REFERENCE to the folder with the reference files",
            path);
    *out = lmb_arena_printf(f->spec->arena, "%s/%s", f->references, path + strlen(REFERENCES));
    f->missing = *out && !lmb_file_is_readable(*out);
    return *out ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status add_file(lmb_part_file *f, const char *key, const char *path, lmb_error *err) {
    const lmb_node *map = f->part.map;
    const char *full = NULL;
    lmb_status st = LMB_OK;
    if (is_reference(path)) st = find_reference(&full, f, key, path, err);
    else full = lmb_path_beside(f->spec, map, key, path);
    if (st != LMB_OK) return st;
    if (full == NULL) return lmb_fail_memory(err);
    f->paths[f->file_count] = full;
    return lmb_file_load(&f->bytes[f->file_count++], full, lmb_node_place(map, key), err);
}

// ---- scripts -----------------------------------------------------------------------------------

enum { SCRIPT_DEPTH = 8 };

typedef struct script {
    lmb_part_file *f;
    const char *path;
    int depth;
} script;

static lmb_status scan_script(lmb_part_file *f, const char *path, const lmb_text *text, int depth,
                              lmb_error *err);

// gmsh runs NAME.opt, if it is there, when it opens NAME
static lmb_status refuse_options(const script *s, const char *path, lmb_error *err) {
    const char *options = lmb_arena_printf(s->f->spec->arena, "%s.opt", path);
    if (options == NULL) return lmb_fail_memory(err);
    if (!lmb_file_is_there(options)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){options, 1, 1},
                    "gmsh would run this file together with '%s'; remove it, or use --trust", path);
}

// a file that a script reads: part of what is meshed
static lmb_status read_by_script(void *user, const char *name, lmb_geo_use use, lmb_where where,
                                 lmb_error *err) {
    const script *s = user;
    const char *slash = strrchr(s->path, '/');
    char *path = slash ? lmb_arena_printf(s->f->spec->arena, "%.*s/%s", (int)(slash - s->path), s->path, name)
                       : lmb_arena_strdup(s->f->spec->arena, name);
    lmb_text text = {0};
    lmb_status st = path ? lmb_file_load(&text, path, where, err) : lmb_fail_memory(err);
    if (st == LMB_OK) lmb_cache_key_add(&s->f->contents, text.text, text.length);
    if (st == LMB_OK) st = refuse_options(s, path, err);
    if (st == LMB_OK && use == LMB_GEO_SCRIPT) st = scan_script(s->f, path, &text, s->depth + 1, err);
    lmb_text_free(&text);
    return st;
}

static lmb_status scan_script(lmb_part_file *f, const char *path, const lmb_text *text, int depth,
                              lmb_error *err) {
    script s = {f, path, depth};
    if (depth > SCRIPT_DEPTH)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){path, 1, 1}, "scripts include each other too deeply");
    lmb_status st = refuse_options(&s, path, err);
    return st ? st : lmb_geo_scan(text->text, text->length, path, read_by_script, &s, err);
}

// trusted: run as it is; but what it reads is known only if it could be scanned
static lmb_status check_script(lmb_part_file *f, lmb_error *err) {
    lmb_error why = {0};
    lmb_status st = scan_script(f, f->paths[0], &f->bytes[0], 0, &why);
    if (st == LMB_OK) return st;
    f->cacheable = false;
    if (f->trust && st == LMB_ERR_INPUT) return LMB_OK;
    if (err) *err = why;
    return st;
}

static bool holds_word(const lmb_text *t, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= t->length; i++)
        if (strncasecmp(t->text + i, word, n) == 0) return true;
    return false;
}

// ---- what the description names ----------------------------------------------------------------

// The unit of the mesh: what the description says, which must be what the CAD file says, if it says anything.
static lmb_status find_unit(lmb_part_file *f, lmb_error *err) {
    lmb_part_keys *k = &f->part.keys;
    lmb_cad_units u = lmb_geometry_units(k->file, f->bytes[0].text, f->bytes[0].length);
    bool given = k->unit != LMB_PART_UNIT_OF_FILE, same = u.count == 0;
    if (!given && u.count == 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(f->part.map, "file"),
            "'%s' does not say its length unit; write `unit: mm`, or another of m, cm, um, in, ft", k->file);
    if (!given) return k->unit = LMB_PART_UNIT_MM, LMB_OK;
    for (int i = 0; i < u.count; i++) same = same || fabs(u.metres[i] / lmb_part_unit(k->unit) - 1) < 1e-6;
    if (same) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, lmb_node_place(f->part.map, "unit"),
        "'%s' says that 1 is %g m, the part that it is %g m; leave out `unit`, or correct the file", k->file,
        u.metres[0], lmb_part_unit(k->unit));
}

static lmb_status check_solids(const lmb_part *p, bool geometry, lmb_error *err) {
    bool solid = p->keys.solid != NULL, glued = p->keys.solids == LMB_PART_SOLIDS_GLUED;
    if (solid && glued)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, "solids"),
                        "%s has both 'solid' and 'solids: glued'; give one of them", p->what);
    if ((solid || glued) && !geometry)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(p->map, solid ? "solid" : "solids"),
                        "'%s' is a mesh; only geometry has solids to choose from", p->keys.file);
    return LMB_OK;
}

static lmb_status open_mesh(lmb_part_file *f, lmb_error *err) {
    const lmb_part *p = &f->part;
    lmb_where where = lmb_node_place(p->map, "file");
    bool geometry = lmb_geometry_knows(p->keys.file), cad = geometry && !lmb_geometry_is_script(p->keys.file);
    if (cad && !(p->keys.element_size > 0))
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "'%s' is geometry and must be meshed; set the element size, for example `element_size: 5 mm`",
            p->keys.file);
    lmb_status st = add_file(f, "file", p->keys.file, err);
    if (st == LMB_OK) st = find_unit(f, err);
    if (st == LMB_OK) st = check_solids(p, geometry, err);
    if (st != LMB_OK) return st;
    if (!geometry && !lmb_mesh_format_of(f->paths[0], f->bytes[0].text, f->bytes[0].length))
        return lmb_fail(err, LMB_ERR_INPUT, where, "unsupported file type '%s'; supported: %s", p->keys.file,
                        LMB_FORMAT_TEXT(LMB_MESH_AND_GEOMETRY(LMB_FORMAT_ALSO)));
    f->scripted = geometry;
    f->cacheable = geometry || !(holds_word(&f->bytes[0], "include") || holds_word(&f->bytes[0], "input=") ||
                                 holds_word(&f->bytes[0], "input ="));
    return lmb_geometry_is_script(f->paths[0]) ? check_script(f, err) : LMB_OK;
}

static lmb_status open_matrices(lmb_part_file *f, lmb_error *err) {
    const lmb_part_keys *k = &f->part.keys;
    lmb_status st = add_file(f, "stiffness", k->stiffness, err);
    if (st == LMB_OK) st = add_file(f, "mass_matrix", k->mass_matrix, err);
    if (st == LMB_OK) st = add_file(f, "nodes", k->nodes, err);
    if (st == LMB_OK && k->rows) return add_file(f, "rows", k->rows, err);
    const char *suffix = lmb_path_suffix(k->stiffness);
    if (st != LMB_OK || strcasecmp(suffix, ".sti") != 0) return st;
    // CalculiX keeps the meaning of the rows beside the matrix
    const char *dof =
        lmb_arena_printf(f->spec->arena, "%.*s.dof", (int)(suffix - k->stiffness), k->stiffness);
    return dof ? add_file(f, "stiffness", dof, err) : lmb_fail_memory(err);
}

// ---- the description ---------------------------------------------------------------------------

bool lmb_part_file_is(const char *path) { return is_one_of(lmb_path_suffix(path), descriptions); }

static lmb_status open_document(lmb_part_file *f, const char *path, const lmb_part_settings *s,
                                lmb_error *err) {
    bool described = lmb_part_file_is(path);
    lmb_status st =
        described ? lmb_document_read_file(&f->document, path, err) : lmb_document_create(&f->document, err);
    if (st == LMB_OK && !described) st = lmb_document_set(f->document, "part.type", "mesh", err);
    if (st == LMB_OK && !described) st = lmb_document_set(f->document, "part.file", path, err);
    for (int i = 0; i < s->key_count && st == LMB_OK; i++)
        st = lmb_document_set(f->document, s->keys[i].name, s->keys[i].value, err);
    return st;
}

static const lmb_key title_key[] = {{"title", LMB_KEY_TEXT, 0, 0, {0}, 0, 0, "Title of the part."}, {0}};
static const lmb_section sections[] = {
    {"title", "", LMB_SECTION_VALUE, NULL, -1, title_key},
    {"part", "", LMB_SECTION_MAP, lmb_part_kinds, -1, NULL},
    {"validation", "", LMB_SECTION_LIST, NULL, -1, NULL},
    {0},
};

static lmb_status expand(lmb_spec *spec, const lmb_part_settings *s, lmb_error *err) {
    lmb_override *list = lmb_alloc((size_t)s->parameter_count + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < s->parameter_count; i++)
        list[i] = (lmb_override){s->parameters[i].name, s->parameters[i].value};
    lmb_status st = lmb_spec_expand(spec, list, s->parameter_count, err);
    lmb_free(list);
    return st;
}

static lmb_status read_part(lmb_part_file *f, const lmb_part_settings *s, lmb_error *err) {
    lmb_spec *spec = f->spec = f->document->spec;
    lmb_status st = expand(spec, s, err);
    if (st != LMB_OK) return st;
    const lmb_node *map = lmb_node_find(spec->root, "part");
    lmb_where where = spec->root->where;
    if (where.line == 0) where = (lmb_where){spec->file, 1, 1};
    if (map == NULL && lmb_node_find(spec->root, "bodies"))
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "this file is a model, not a part: it has no section `part`; use limber run for models");
    if (map == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "missing section `part`; write for example `part: {type: beam, length: 0.3, ...}`");
    st = lmb_spec_check_sections(spec, sections, err);
    if (st == LMB_OK) st = lmb_part_read(&f->part, spec, map, "part", err);
    if (st == LMB_OK && f->part.chosen)
        st = lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(map, "shapes"),
            "`shapes: auto` follows from the runs of a model; write it in a body of the model, with the "
            "other keys of the part");
    return st;
}

// the name of the body: letters, digits and _ of the file name
static lmb_status name_it(lmb_part_file *f, const char *path, lmb_error *err) {
    const char *slash = strrchr(path, '/'), *first = slash ? slash + 1 : path,
               *suffix = lmb_path_suffix(path);
    char *name = lmb_arena_strdup(f->spec->arena, first);
    if (name == NULL) return lmb_fail_memory(err);
    if (*suffix) name[strlen(first) - strlen(suffix)] = '\0';
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c)) *c = '_';
    f->name = name;
    return LMB_OK;
}

static lmb_status write_provenance(lmb_part_file *f, const lmb_part_settings *s, const char *path,
                                   lmb_error *err) {
    bool ok = lmb_text_add(&f->provenance, "limber: %s\npart: %s\ntype: %s\n", lmb_version(), path,
                           lmb_part_kinds[f->part.kind]->name);
    for (int i = 0; i < f->file_count && ok; i++)
        ok = lmb_text_add(&f->provenance, "file: %s (%zu bytes, %016llx)\n", f->paths[i], f->bytes[i].length,
                          (unsigned long long)lmb_hash(LMB_HASH_START, f->bytes[i].text, f->bytes[i].length));
    const lmb_material *m = &f->part.material;
    if (ok && f->part.has_material && m->elasticity != LMB_ISOTROPIC)
        ok = lmb_text_add(&f->provenance, "material: %s (orthotropic, %.6g kg/m3)\n", m->name, m->rho);
    else if (ok && f->part.has_material)
        ok = lmb_text_add(&f->provenance, "material: %s (E %.6g Pa, nu %.4g, %.6g kg/m3)\n", m->name, m->E,
                          m->nu, m->rho);
    ok = ok && lmb_text_add(&f->provenance, "factorisation: %s\n",
                            s->factoriser ? s->factoriser->name : lmb_factoriser_simple.name);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// the part and its files; not what it is called
static lmb_status hash_contents(lmb_part_file *f, lmb_error *err) {
    lmb_text part = {0};
    bool ok = lmb_part_write(&part, &f->part);
    if (ok) lmb_cache_key_add(&f->contents, part.text, part.length);
    lmb_text_free(&part);
    for (int i = 0; i < f->file_count; i++)
        lmb_cache_key_add(&f->contents, f->bytes[i].text, f->bytes[i].length);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status open_files(lmb_part_file *f, const lmb_part_settings *s, const char *path, lmb_error *err) {
    lmb_status st = LMB_OK;
    lmb_sha256_begin(&f->contents);
    if (f->part.kind == LMB_PART_MESH) st = open_mesh(f, err);
    if (f->part.kind == LMB_PART_MATRICES) st = open_matrices(f, err);
    if (st == LMB_OK) st = hash_contents(f, err);
    return st ? st : write_provenance(f, s, path, err);
}

lmb_status lmb_part_file_describe(lmb_part_file *out, const char *path, const lmb_part_settings *s,
                                  lmb_error *err) {
    *out = (lmb_part_file){.cacheable = true, .trust = s->trust, .references = s->references, .log = s->log};
    lmb_status st = open_document(out, path, s, err);
    if (st == LMB_OK) st = read_part(out, s, err);
    return st ? st : name_it(out, path, err);
}

lmb_status lmb_part_file_open(lmb_part_file *out, const char *path, const lmb_part_settings *s,
                              lmb_error *err) {
    lmb_status st = lmb_part_file_describe(out, path, s, err);
    return st ? st : open_files(out, s, path, err);
}

lmb_status lmb_part_file_take(lmb_part_file *out, lmb_spec *spec, const lmb_part *part, const char *name,
                              const lmb_part_settings *s, lmb_error *err) {
    const char *where = part->map->where.file;
    *out = (lmb_part_file){.spec = spec,
                           .part = *part,
                           .name = name,
                           .cacheable = true,
                           .trust = s->trust,
                           .references = s->references,
                           .log = s->log};
    return open_files(out, s, where ? where : "", err);
}

void lmb_part_file_close(lmb_part_file *f) {
    for (int i = 0; i < LMB_COUNT(f->bytes); i++) lmb_text_free(&f->bytes[i]);
    lmb_text_free(&f->provenance);
    lmb_document_destroy(f->document);
    *f = (lmb_part_file){0};
}

lmb_cache_key lmb_part_file_key(lmb_part_file *f, const lmb_part_settings *s) {
    static const char edition[] = "7"; // of the computation: another one makes other numbers of the same part
    char build[64], gmsh[128] = "";
    lmb_sha256 key = f->contents;
    lmb_build_id(build, sizeof build);
    if (f->scripted) lmb_geometry_version(gmsh, sizeof gmsh);
    const char *const makers[] = {lmb_version(), edition, build, gmsh,
                                  s->factoriser ? s->factoriser->name : ""};
    for (int i = 0; i < LMB_COUNT(makers); i++) lmb_cache_key_add(&key, makers[i], strlen(makers[i]));
    return lmb_cache_key_end(&key);
}

// ---- contents ----------------------------------------------------------------------------------

// in the unit of the file: converted later with the rest
static lmb_status read_mesh(lmb_mesh **out, const lmb_part_file *f, const lmb_watch *watch, lmb_error *err) {
    const lmb_part_keys *k = &f->part.keys;
    const lmb_geometry_options o = {.element_size = k->element_size / lmb_part_unit(k->unit),
                                    .per_circle = k->elements_per_circle,
                                    .order = k->order,
                                    .unit = lmb_part_unit(k->unit),
                                    .choice = k->solid                             ? LMB_SOLID_NAMED
                                              : k->solids == LMB_PART_SOLIDS_GLUED ? LMB_SOLID_GLUED
                                                                                   : LMB_SOLID_ONLY,
                                    .solid = k->solid,
                                    .log = f->log};
    return lmb_mesh_read_file(out, f->paths[0], &f->bytes[0], &o, watch, err);
}

static lmb_status read_matrix(lmb_file_matrix *out, const lmb_part_file *f, lmb_matrix_kind kind,
                              lmb_error *err) {
    const lmb_part_keys *k = &f->part.keys;
    const lmb_text *t = &f->bytes[kind];
    lmb_matrix_wanted w = {.file = f->paths[kind],
                           .matrix = kind == LMB_MATRIX_MASS ? k->mass_name : k->stiffness_name,
                           .kind = kind};
    if (f->file_count == 4)
        w.rows = f->bytes[3].text, w.rows_length = f->bytes[3].length, w.rows_file = f->paths[3];
    return lmb_matrix_read(out, t->text, t->length, &w, err);
}

// the nodes of an input deck, written as a node table
static lmb_status nodes_of_deck(lmb_text *out, const lmb_part_file *f, lmb_error *err) {
    lmb_mesh *mesh = NULL;
    lmb_status st = lmb_mesh_read_inp(&mesh, f->bytes[2].text, f->bytes[2].length, f->paths[2], err);
    for (int i = 0; st == LMB_OK && i < mesh->node_count; i++)
        if (!lmb_text_add(out, "%d, %.17g, %.17g, %.17g\n", mesh->label[i], mesh->x[i].x, mesh->x[i].y,
                          mesh->x[i].z))
            st = lmb_fail_memory(err);
    lmb_mesh_destroy(mesh);
    return st;
}

// a table of nodes from the deck or the bulk data that has them; *made: it is in *out
static lmb_status table_of_nodes(lmb_text *out, bool *made, const lmb_part_file *f, lmb_error *err) {
    static const char *const bulk[] = {".pch", ".dmig", ".bdf", ".nas", ".dat", NULL};
    const char *path = f->paths[2];
    bool deck = has_suffix(path, ".inp"), grids = false;
    for (int i = 0; bulk[i]; i++) grids = grids || has_suffix(path, bulk[i]);
    *made = deck || grids;
    if (deck) return nodes_of_deck(out, f, err);
    return grids ? lmb_dmig_nodes(out, f->bytes[2].text, f->bytes[2].length, path, err) : LMB_OK;
}

static lmb_status read_matrices(lmb_part_contents *out, const lmb_part_file *f, lmb_error *err) {
    lmb_file_matrix K = {0}, M = {0};
    lmb_text table = {0};
    bool made = false;
    lmb_status st = read_matrix(&K, f, LMB_MATRIX_STIFFNESS, err);
    if (st == LMB_OK) st = read_matrix(&M, f, LMB_MATRIX_MASS, err);
    if (st == LMB_OK) st = table_of_nodes(&table, &made, f, err);
    const lmb_text *nodes = made ? &table : &f->bytes[2];
    if (st == LMB_OK)
        st = lmb_matrix_part_make(&out->matrices, &K, &M, nodes->text ? nodes->text : "", nodes->length,
                                  f->paths[2], err);
    lmb_text_free(&table);
    if (st == LMB_OK) {
        out->given = lmb_matrix_part_give(&out->matrices);
        out->source = (lmb_part_source){NULL, &out->given, out->matrices.label};
    }
    lmb_file_matrix_free(&K), lmb_file_matrix_free(&M);
    return st;
}

lmb_status lmb_part_file_contents(lmb_part_contents *out, const lmb_part_file *f, const lmb_watch *watch,
                                  lmb_error *err) {
    lmb_error why = {0};
    lmb_status st = LMB_OK;
    *out = (lmb_part_contents){0};
    if (f->part.kind == LMB_PART_MATRICES) st = read_matrices(out, f, &why);
    if (f->part.kind == LMB_PART_MESH) st = read_mesh(&out->mesh, f, watch, &why);
    out->source.mesh = out->mesh;
    if (st == LMB_OK) return st;
    // the place in the mesh file, else the key that names it
    lmb_where where = {why.file, why.line, why.col};
    if (why.file[0] == '\0')
        where = lmb_node_place(f->part.map, f->part.kind == LMB_PART_MESH ? "file" : "stiffness");
    return lmb_fail(err, st, where, "%s", why.text);
}

void lmb_part_contents_free(lmb_part_contents *c) {
    lmb_mesh_destroy(c->mesh);
    lmb_pattern_free(&c->given.lower); // the parts that no model has taken over
    lmb_free(c->given.K), lmb_free(c->given.M);
    lmb_matrix_part_free(&c->matrices);
}
