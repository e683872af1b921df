// read/geometry.c: meshes a CAD file with gmsh: which solids, in which unit, how fine.
#include "read/geometry.h"

#include "mesh/mesh.h"
#include "os/bytes.h"
#include "os/files.h"
#include "os/program.h"
#include "read/gmsh.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- kinds and units ---------------------------------------------------------------------------

#define KIND(id, name, endings) CAD_##id,
#define ENDINGS(id, name, endings) [CAD_##id] = endings,
typedef enum cad_kind { CAD_NONE, LMB_GEOMETRY_FORMATS(KIND) CAD_KINDS } cad_kind;

static const char *const endings[CAD_KINDS] = {LMB_GEOMETRY_FORMATS(ENDINGS)};

static cad_kind kind_of(const char *path) {
    for (int i = CAD_NONE + 1; i < CAD_KINDS; i++)
        if (lmb_format_fits(endings[i], path)) return (cad_kind)i;
    return CAD_NONE;
}

bool lmb_geometry_is_script(const char *path) { return kind_of(path) == CAD_SCRIPT; }
bool lmb_geometry_knows(const char *path) { return kind_of(path) != CAD_NONE; }

lmb_cad_units lmb_geometry_units(const char *path, const char *text, size_t length) {
    cad_kind kind = kind_of(path);
    return kind == CAD_STEP   ? lmb_step_units(text, length)
           : kind == CAD_IGES ? lmb_iges_units(text, length)
                              : (lmb_cad_units){0};
}

// From the numbers of gmsh to those of the mesh.  OpenCASCADE converts to mm by the unit that the file declares.
static lmb_status find_scale(double *out, const char *path, const lmb_geometry_options *o, lmb_error *err) {
    lmb_text text = {0};
    lmb_status st = lmb_file_load(&text, path, LMB_NOWHERE, err); // also checks that the file exists
    lmb_cad_units u = {0};
    if (st == LMB_OK) u = lmb_geometry_units(path, text.text, text.length);
    lmb_text_free(&text);
    double unit = o->unit > 0 ? o->unit : u.metres[0];
    *out = u.count > 0 ? 1e-3 / unit : 1;
    return st;
}

// ---- what gmsh is given ------------------------------------------------------------------------

typedef struct request {
    lmb_gmsh g;
    const char *path;
    const lmb_geometry_options *o;
    char shape[300];  // a link to it in the temporary folder
    char merge[4200]; // what a script of ours merges
    bool merge_fails; // its name cannot be written in a script
    const char *input;
    double scale;
    int order;
} request;

// gmsh decides by the ending of a name, and takes what it does not know for a script: CAD files get the ending that we
// know them by.  A script stays where it is: what it reads lies beside it.
static lmb_status name_shape(request *q, lmb_error *err) {
    cad_kind kind = kind_of(q->path);
    if (kind == CAD_SCRIPT) {
        char folder[2048] = "";
        if (*q->path != '/' && getcwd(folder, sizeof folder - 1) == NULL) folder[0] = '\0';
        if (*folder) strcat(folder, "/");
        int n = snprintf(q->merge, sizeof q->merge, "%s%s", folder, q->path);
        // a name that begins with - would be an option
        bool absolute = *q->merge == '/' && n < (int)sizeof q->merge;
        q->input = absolute ? q->merge : q->path;
        if (!absolute || strpbrk(q->merge, "\"\\\n\r")) q->merge_fails = true;
        return LMB_OK;
    }
    const char *ending = endings[kind];
    snprintf(q->merge, sizeof q->merge, "shape%.*s", (int)strcspn(ending, ","), ending);
    snprintf(q->shape, sizeof q->shape, "%s/shape%.*s", q->g.folder, (int)strcspn(ending, ","), ending);
    q->input = q->shape;
    if (lmb_file_link(q->path, q->shape)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot open '%.400s': %s", q->path, strerror(errno));
}

static lmb_status begin(request *q, const char *path, const lmb_geometry_options *o, lmb_error *err) {
    *q = (request){.path = path, .o = o};
    q->g.path = path, q->g.keep_log = o->log, q->g.time_limit = o->time_limit > 0 ? o->time_limit : 3600;
    lmb_status st = find_scale(&q->scale, path, o, err);
    if (st == LMB_OK) st = lmb_gmsh_begin(&q->g, err);
    return st ? st : name_shape(q, err);
}

static lmb_status begin_script(lmb_text *script, const request *q, lmb_error *err) {
    if (q->merge_fails)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s': the path of a script must not hold quotes, backslashes or more than 4000 "
                        "characters; move it",
                        q->path);
    bool ok = lmb_text_add(script, "SetFactory(\"OpenCASCADE\");\nMerge \"%s\";\n", q->merge);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- solids ------------------------------------------------------------------------------------

// Volume{n}, a text: the name of a volume; Volume{:}, a list: all of them
// names of our own: those of the script that is merged stay its own
#define LIST_FACES                                                 \
    "  limber_f() = Abs(Boundary{ Volume{limber_n}; });\n"         \
    "  For limber_j In {0:#limber_f()-1}\n"                        \
    "    Printf(\"face %.0f\", limber_f(limber_j)) >> \"list\";\n" \
    "  EndFor\n"
#define LIST_SURFACES            \
    "limber_s() = Surface{:};\n" \
    "Printf(\"surfaces %.0f\", #limber_s()) > \"list\";\n"
static const char list_solids[] =
    LIST_SURFACES "limber_v() = Volume{:};\n"
                  "For limber_i In {0:#limber_v()-1}\n"
                  "  limber_n = limber_v(limber_i);\n"
                  "  Printf(\"solid\") >> \"list\";\n"
                  "  Printf(StrCat(\"name \", Volume{limber_n})) >> \"list\";\n"
                  "  Printf(\"volume %.0f\", limber_n) >> \"list\";\n" LIST_FACES "EndFor\n";
// the physical volumes of a script, if there are any
static const char list_groups[] =
    LIST_SURFACES "limber_p() = Physical Volume{:};\n"
                  "For limber_i In {0:#limber_p()-1}\n"
                  "  limber_m = limber_p(limber_i);\n"
                  "  limber_e() = Physical Volume{limber_m};\n"
                  "  Printf(\"solid\") >> \"list\";\n"
                  "  Printf(StrCat(\"name \", Physical Volume{limber_m})) >> \"list\";\n"
                  "  For limber_k In {0:#limber_e()-1}\n"
                  "    Printf(\"volume %.0f\", limber_e(limber_k)) >> \"list\";\n"
                  "  EndFor\n"
                  "  For limber_k In {0:#limber_e()-1}\n"
                  "    limber_n = limber_e(limber_k);\n" LIST_FACES "  EndFor\n"
                  "EndFor\n";

static lmb_status list(lmb_solids *out, const request *q, const char *how, const lmb_watch *watch,
                       lmb_error *err) {
    lmb_text script = {0}, text = {0};
    lmb_status st = begin_script(&script, q, err);
    if (st == LMB_OK && !lmb_text_add(&script, "%s", how)) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_gmsh_write_script(&q->g, &script, err);
    // -0 writes the geometry, which nobody needs
    char *arguments[] = {"gmsh", (char *)q->g.script, "-0", "-v", "4", "-nt", "1",
                         "-o",   (char *)q->g.mesh,   NULL};
    lmb_file_remove(q->g.list);
    if (st == LMB_OK) st = lmb_gmsh_run(&q->g, arguments, "opening", q->g.list, watch, err);
    if (st == LMB_OK) st = lmb_file_load(&text, q->g.list, LMB_NOWHERE, err);
    if (st == LMB_OK) st = lmb_solids_parse(out, text.text, text.length, err);
    lmb_text_free(&script), lmb_text_free(&text);
    return st;
}

// joining renumbers faces, of which the groups of a script would not know
static lmb_status refuse_groups(const request *q, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "'%s' has physical volumes; join them in the script with BooleanFragments, before its groups, "
        "instead of `solids: glued`",
        q->path);
}

static lmb_status find_solids(lmb_solids *out, const request *q, const lmb_watch *watch, lmb_error *err) {
    *out = (lmb_solids){0};
    lmb_status st = LMB_OK;
    if (kind_of(q->path) == CAD_SCRIPT) st = list(out, q, list_groups, watch, err);
    if (st == LMB_OK && out->count > 0 && q->o->choice == LMB_SOLID_GLUED) st = refuse_groups(q, err);
    if (st != LMB_OK || out->count > 0) return st;
    lmb_solids_free(out);
    return list(out, q, list_solids, watch, err);
}

lmb_status lmb_geometry_solids(lmb_solids *out, const char *path, const lmb_watch *watch, lmb_error *err) {
    const lmb_geometry_options usual = {0};
    request q;
    *out = (lmb_solids){0};
    lmb_status st = begin(&q, path, &usual, err);
    if (st == LMB_OK) st = find_solids(out, &q, watch, err);
    lmb_gmsh_end(&q.g);
    return st;
}

static bool belongs(const lmb_solid *s, int volume) {
    for (int i = 0; i < s->volume_count; i++)
        if (s->volumes[i] == volume) return true;
    return false;
}

// all others go, with the faces that are theirs alone: what stays keeps its numbers
static bool delete_others(lmb_text *script, const lmb_solids *all, const lmb_solid *one) {
    bool ok = true;
    for (int i = 0; i < all->count && ok; i++)
        for (int k = 0; k < all->list[i].volume_count && ok; k++)
            if (!belongs(one, all->list[i].volumes[k]))
                ok = lmb_text_add(script, "Recursive Delete { Volume{%d}; }\n", all->list[i].volumes[k]);
    return ok;
}

static lmb_status choose(request *q, const lmb_solids *all, lmb_error *err) {
    lmb_text script = {0};
    const lmb_solid *one = NULL;
    bool glued = q->o->choice == LMB_SOLID_GLUED, ok = true;
    lmb_status st = LMB_OK;
    if (!glued) st = lmb_solids_find(&one, all, q->o->solid, q->path, err);
    if (st != LMB_OK || all->count < 2) return st;
    st = begin_script(&script, q, err);
    if (st == LMB_OK && glued)
        ok = lmb_text_add(&script, "limber_v() = Volume{:};\n"
                                   "BooleanFragments{ Volume{limber_v()}; Delete; }{}\n");
    else if (st == LMB_OK) ok = delete_others(&script, all, one);
    if (st == LMB_OK && !ok) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_gmsh_write_script(&q->g, &script, err);
    lmb_text_free(&script);
    q->input = q->g.script;
    return st;
}

// Without physical groups, of which gmsh would write nothing else.
static lmb_status outline(request *q, lmb_error *err) {
    lmb_text script = {0};
    lmb_status st = begin_script(&script, q, err);
    if (st == LMB_OK && !lmb_text_add(&script, "Delete Physicals;\n")) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_gmsh_write_script(&q->g, &script, err);
    lmb_text_free(&script);
    q->input = q->g.script;
    return st;
}

// Which solids; without any: shells, which are linear.
static lmb_status choose_solids(request *q, const lmb_watch *watch, lmb_error *err) {
    bool script = kind_of(q->path) == CAD_SCRIPT;
    if (script && q->o->choice == LMB_SOLID_ONLY) return LMB_OK;
    lmb_solids all;
    lmb_status st = find_solids(&all, q, watch, err);
    if (st == LMB_OK && all.count == 0 && all.surfaces == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "'%s' has no solids and no surfaces that gmsh could read", q->path);
    bool shells = st == LMB_OK && all.count == 0 && q->o->choice == LMB_SOLID_ONLY;
    if (shells) q->order = 1;
    else if (st == LMB_OK) st = choose(q, &all, err);
    lmb_solids_free(&all);
    return st;
}

// ---- meshing -----------------------------------------------------------------------------------

static lmb_status run(const request *q, const lmb_watch *watch, lmb_error *err) {
    char size[32], order[16], turn[32];
    double largest = q->o->element_size / q->scale;
    snprintf(size, sizeof size, "%.17g", largest > 0 ? largest : 1e22);
    snprintf(order, sizeof order, "%d", q->order);
    snprintf(turn, sizeof turn, "%.17g", q->o->per_circle);
    char *arguments[] = {"gmsh",
                         (char *)q->input,
                         q->o->outline ? "-2" : "-3",
                         "-order",
                         order,
                         "-clmax",
                         size,
                         "-format",
                         "msh41",
                         "-bin",
                         "-v",
                         "5",
                         "-nt",
                         "1",
                         "-setnumber",
                         "Mesh.SecondOrderIncomplete",
                         "1",
                         "-setnumber",
                         "Mesh.HighOrderOptimize",
                         q->order > 1 ? "1" : "0",
                         "-o",
                         (char *)q->g.mesh,
                         q->o->per_circle > 0 ? "-clcurv" : NULL,
                         turn,
                         NULL};
    return lmb_gmsh_run(&q->g, arguments, "meshing", q->g.mesh, watch, err);
}

static lmb_status read_result(lmb_mesh **out, const request *q, lmb_error *err) {
    lmb_text text = {0};
    lmb_status st = lmb_file_load(&text, q->g.mesh, LMB_NOWHERE, err);
    if (st == LMB_OK) st = lmb_mesh_read_msh(out, text.text, text.length, q->path, err);
    lmb_text_free(&text);
    if (st == LMB_OK && q->scale != 1) lmb_mesh_scale(*out, q->scale);
    return st;
}

lmb_status lmb_geometry_mesh(lmb_mesh **out, const char *path, const lmb_geometry_options *o,
                             const lmb_watch *watch, lmb_error *err) {
    *out = NULL;
    request q;
    if (o->order < 0 || o->order > 2 || !(o->element_size >= 0))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s': the element order must be 1 or 2 and the element size positive", path);
    lmb_status st = begin(&q, path, o, err);
    q.order = o->outline ? 1 : o->order > 0 ? o->order : 2;
    if (st == LMB_OK) st = o->outline ? outline(&q, err) : choose_solids(&q, watch, err);
    if (st == LMB_OK) st = run(&q, watch, err);
    if (st == LMB_OK) st = read_result(out, &q, err);
    lmb_gmsh_end(&q.g);
    return st;
}

// the first line of what gmsh says of itself; "": it cannot be started
void lmb_geometry_version(char *out, size_t size) {
    char *argv[] = {"gmsh", "--version", NULL};
    int status = 0;
    FILE *f = lmb_scratch_file();
    out[0] = '\0';
    if (f == NULL) return;
    pid_t pid;
    if (lmb_program_start(&pid, argv, -1, fileno(f), fileno(f)) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    rewind(f);
    if (fgets(out, (int)size, f) == NULL) out[0] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    fclose(f);
}
