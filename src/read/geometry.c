// read/geometry.c: runs gmsh on a CAD file: no shell, in a temporary folder that is always removed.
#include "read/geometry.h"

#include "mesh/mesh.h"
#include "os/bytes.h"
#include "os/files.h"
#include "os/program.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static lmb_status stopped(lmb_error *err) { return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped"); }

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
bool lmb_geometry_is_iges(const char *path) { return kind_of(path) == CAD_IGES; }

// the length unit that a STEP file declares, in m; 0: not found
static double step_unit(const char *text) {
    static const struct {
        const char *word;
        double metres;
    } units[] = {{".MILLI.,.METRE.", 1e-3}, {".CENTI.,.METRE.", 1e-2}, {".MICRO.,.METRE.", 1e-6},
                 {"$,.METRE.", 1},          {"'INCH'", 0.0254},        {"'FOOT'", 0.3048}};
    // an inch is declared through the metre: look for it first
    for (int i = LMB_COUNT(units) - 1; i >= 4; i--)
        if (strstr(text, units[i].word)) return units[i].metres;
    for (const char *at = strstr(text, "LENGTH_UNIT"); at; at = strstr(at + 1, "LENGTH_UNIT")) {
        char entity[512];
        int n = 0;
        // the entity without blanks, from the sign = to the semicolon
        const char *first = at;
        while (first > text && first[-1] != '=' && first[-1] != ';') first--;
        for (; *first && *first != ';' && n < (int)sizeof entity - 1; first++)
            if (*first != ' ' && *first != '\n' && *first != '\r') entity[n++] = *first;
        entity[n] = '\0';
        for (int i = 0; i < 4; i++)
            if (strstr(entity, units[i].word)) return units[i].metres;
    }
    return 0;
}

// The unit of gmsh's mesh in units of the file.  OpenCASCADE converts STEP to mm by the unit that the file declares.
static lmb_status mesh_unit(double *out, const char *path, lmb_error *err) {
    lmb_text text = {0};
    lmb_status status = lmb_file_load(&text, path, LMB_NOWHERE, err); // also checks that the file exists
    double declared = status == LMB_OK && kind_of(path) == CAD_STEP ? step_unit(text.text) : 0;
    lmb_text_free(&text);
    *out = declared > 0 ? 1e-3 / declared : 1;
    return status;
}

// ---- the temporary folder ----------------------------------------------------------------------

typedef struct scratch {
    char folder[256], mesh[300], log[300], shape[300];
} scratch;

static lmb_status scratch_make(scratch *s, lmb_error *err) {
    lmb_status st = lmb_scratch_folder(s->folder, sizeof s->folder, err);
    if (st != LMB_OK) return st;
    snprintf(s->mesh, sizeof s->mesh, "%s/mesh.msh", s->folder);
    snprintf(s->log, sizeof s->log, "%s/log", s->folder);
    return LMB_OK;
}

// with all that gmsh leaves there
static void scratch_remove(scratch *s) {
    if (s->folder[0]) lmb_folder_remove(s->folder);
}

// ---- gmsh --------------------------------------------------------------------------------------

// gmsh's message: its last lines with "Error", else its last lines
static void last_words(char *out, size_t size, const char *log) {
    const char *lines[3] = {NULL, NULL, NULL};
    for (int pass = 0; pass < 2 && lines[2] == NULL; pass++)
        for (const char *p = log; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
            size_t n = strcspn(p, "\n");
            if (n == 0 || (pass == 0 && memmem(p, n, "Error", 5) == NULL)) continue;
            lines[0] = lines[1], lines[1] = lines[2], lines[2] = p;
        }
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < 3; i++) {
        int n = lines[i] ? (int)strcspn(lines[i], "\r\n") : 0;
        if (n > 0 && used < size)
            used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? "; " : "", n, lines[i]);
    }
}

static lmb_status fail_gmsh(const char *path, const scratch *s, int status, lmb_error *err) {
    char words[400] = "";
    lmb_text log = {0};
    if (lmb_file_load(&log, s->log, LMB_NOWHERE, NULL) == LMB_OK) last_words(words, sizeof words, log.text);
    lmb_text_free(&log);
    if (WIFSIGNALED(status))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "gmsh could not mesh '%s' (signal %d): %s", path,
                        WTERMSIG(status), words);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "gmsh could not mesh '%s': %s", path,
                    *words ? words : "no mesh was written");
}

// gmsh decides by the ending of a name, and takes what it does not know for a script: CAD files get the ending that we
// know them by
static lmb_status name_shape(const char **out, scratch *s, const char *path, lmb_error *err) {
    cad_kind kind = kind_of(path);
    *out = path;
    if (kind == CAD_SCRIPT) return LMB_OK;
    snprintf(s->shape, sizeof s->shape, "%s/shape%.*s", s->folder, (int)strcspn(endings[kind], ","),
             endings[kind]);
    *out = s->shape;
    if (lmb_file_link(path, s->shape)) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot open '%.400s': %s", path, strerror(errno));
}

// it stays in our process group: what ends us from the terminal ends it too
static lmb_status start_gmsh(pid_t *pid, char *const *arguments, const scratch *s, lmb_error *err) {
    int log = lmb_file_open(s->log, LMB_FILE_NEW);
    if (log < 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot write '%.400s': %s", s->log,
                        strerror(errno));
    int code = lmb_program_start(pid, arguments, -1, log, log);
    close(log);
    if (code == 0) return LMB_OK;
    if (code == ENOENT || code == EACCES)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "meshing CAD files requires gmsh; install it (Debian: gmsh)");
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot start gmsh: %s", strerror(code));
}

static void kill_gmsh(pid_t pid) {
    int status;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
}

// waits for gmsh; kills it on a stop request or after the time limit
static lmb_status wait_gmsh(int *status, pid_t pid, const char *path, double limit, const lmb_watch *watch,
                            lmb_error *err) {
    double start = lmb_clock();
    for (long turn = 0;; turn++) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid) return LMB_OK;
        if (ended < 0 && errno != EINTR)
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "lost contact with gmsh: system error %d",
                            errno);
        if (lmb_clock() - start > limit) {
            kill_gmsh(pid);
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                            "gmsh took more than %g s to mesh '%s'; use a larger element size", limit, path);
        }
        if (turn % 10 == 0 && !lmb_watch_tell(watch, -1, "meshing %s with gmsh", path))
            return kill_gmsh(pid), stopped(err);
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
}

typedef struct request {
    const char *path;
    double size; // in units of the mesh, 0: none
    int order;
    double limit;
} request;

// every error in gmsh's log is that curved elements stay worse than it wished (from gmsh 4.13 its exit code is 1 then): the
// mesh is whole, and whoever reads it judges the elements
static bool only_shapes(const scratch *s) {
    int shapes = 0, all = 0;
    lmb_text log = {0};
    if (lmb_file_load(&log, s->log, LMB_NOWHERE, NULL) != LMB_OK) return false;
    for (const char *p = log.text; (p = strstr(p, "Error")); p += strcspn(p, "\n")) {
        size_t n = strcspn(p, "\n");
        if (memmem(p, n, "Optimization failed", 19) || memmem(p, n, "critical value", 14)) shapes++;
        else if (memmem(p, n, " errors", 7)) all = atoi(p + strcspn(p, "0123456789\n"));
    }
    lmb_text_free(&log);
    return shapes > 0 && shapes == all;
}

static lmb_status run_gmsh(scratch *s, const request *q, const lmb_watch *watch, lmb_error *err) {
    char size[32], order[16], path[4096];
    const char *shape;
    pid_t pid;
    int status = 0;
    lmb_status result = name_shape(&shape, s, q->path, err);
    if (result != LMB_OK) return result;
    snprintf(size, sizeof size, "%.17g", q->size > 0 ? q->size : 1e22);
    snprintf(order, sizeof order, "%d", q->order);
    // a name that begins with - would be an option
    if (snprintf(path, sizeof path, "%s%s", shape[0] == '-' ? "./" : "", shape) >= (int)sizeof path)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the path '%.60s...' is too long", q->path);
    char *arguments[] = {"gmsh",
                         path,
                         "-3",
                         "-order",
                         order,
                         "-clmax",
                         size,
                         "-format",
                         "msh41",
                         "-bin",
                         "-v",
                         "3",
                         "-nt",
                         "1",
                         "-setnumber",
                         "Mesh.SecondOrderIncomplete",
                         "1",
                         "-setnumber",
                         "Mesh.HighOrderOptimize",
                         q->order > 1 ? "1" : "0",
                         "-o",
                         (char *)s->mesh,
                         NULL};
    result = start_gmsh(&pid, arguments, s, err);
    if (result == LMB_OK) result = wait_gmsh(&status, pid, q->path, q->limit, watch, err);
    if (result != LMB_OK) return result;
    bool ended =
        WIFEXITED(status) && (WEXITSTATUS(status) == 0 || only_shapes(s)) && lmb_file_is_readable(s->mesh);
    return ended ? LMB_OK : fail_gmsh(q->path, s, status, err);
}

static lmb_status read_result(lmb_mesh **out, const scratch *s, const char *path, lmb_error *err) {
    lmb_text text = {0};
    lmb_status status = lmb_file_load(&text, s->mesh, LMB_NOWHERE, err);
    if (status == LMB_OK) status = lmb_mesh_read_msh(out, text.text, text.length, path, err);
    lmb_text_free(&text);
    return status;
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

lmb_status lmb_geometry_mesh(lmb_mesh **out, const char *path, const lmb_geometry_options *o,
                             const lmb_watch *watch, lmb_error *err) {
    *out = NULL;
    double unit = 0;
    scratch s = {0};
    if (o->order < 0 || o->order > 2 || !(o->element_size >= 0))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s': the element order must be 1 or 2 and the element size positive", path);
    lmb_status status = mesh_unit(&unit, path, err);
    if (status == LMB_OK) status = scratch_make(&s, err);
    request q = {path, o->element_size > 0 ? o->element_size / unit : 0, o->order > 0 ? o->order : 2,
                 o->time_limit > 0 ? o->time_limit : 3600};
    if (status == LMB_OK) status = run_gmsh(&s, &q, watch, err);
    if (status == LMB_OK) status = read_result(out, &s, path, err);
    if (status == LMB_OK && unit != 1) lmb_mesh_scale(*out, unit);
    scratch_remove(&s);
    return status;
}
