// read/gmsh.c: runs the program gmsh: no shell, in a temporary folder that is always removed.
#include "read/gmsh.h"

#include "os/bytes.h"
#include "os/files.h"
#include "os/outfile.h"
#include "os/program.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static lmb_status stopped(lmb_error *err) { return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped"); }

// ---- the temporary folder ----------------------------------------------------------------------

lmb_status lmb_gmsh_begin(lmb_gmsh *g, lmb_error *err) {
    lmb_status st = lmb_scratch_folder(g->folder, sizeof g->folder, err);
    if (st != LMB_OK) return st;
    snprintf(g->mesh, sizeof g->mesh, "%s/mesh.msh", g->folder);
    snprintf(g->log, sizeof g->log, "%s/log", g->folder);
    snprintf(g->script, sizeof g->script, "%s/make.geo", g->folder);
    snprintf(g->list, sizeof g->list, "%s/list", g->folder);
    return LMB_OK;
}

// with all that gmsh leaves there
void lmb_gmsh_end(lmb_gmsh *g) {
    if (g->folder[0]) lmb_folder_remove(g->folder);
    g->folder[0] = '\0';
}

lmb_status lmb_gmsh_write_script(const lmb_gmsh *g, const lmb_text *script, lmb_error *err) {
    lmb_outfile o;
    lmb_status st = lmb_outfile_open(&o, g->script, NULL, err);
    if (st != LMB_OK) return st;
    fwrite(script->text, 1, script->length, o.f);
    return lmb_outfile_close(&o, LMB_OK, err);
}

// ---- what its log says -------------------------------------------------------------------------

// the first line with "Error" and the one behind it, else the last line
static void first_words(char *out, size_t size, const char *log) {
    const char *first = strstr(log, "Error"), *last = "";
    while (first && first > log && first[-1] != '\n') first--;
    for (const char *p = log; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
        if (*p != '\n') last = p;
    const char *from = first ? first : last;
    size_t n = strcspn(from, "\r\n"), behind = n + strspn(from + n, "\r\n"),
           more = first ? strcspn(from + behind, "\r\n") : 0;
    bool second = more > 0 && memmem(from + behind, more, "Error", 5);
    snprintf(out, size, "%.*s%s%.*s", (int)n, from, second ? "; " : "", second ? (int)more : 0,
             from + behind);
}

// a copy of the log that stays; its name follows the message
static void keep_log(char *out, size_t size, const lmb_gmsh *g, const lmb_text *log) {
    lmb_outfile o;
    out[0] = '\0';
    if (g->keep_log == NULL || log->length == 0) return;
    if (lmb_outfile_open(&o, g->keep_log, NULL, NULL) != LMB_OK) return;
    fwrite(log->text, 1, log->length, o.f);
    if (lmb_outfile_close(&o, LMB_OK, NULL) == LMB_OK)
        snprintf(out, size, "; its log is in '%.200s'", g->keep_log);
}

static lmb_status fail_gmsh(const lmb_gmsh *g, int status, const char *doing, lmb_error *err) {
    char words[400] = "", kept[256] = "", how[40] = "";
    lmb_text log = {0};
    if (lmb_file_load(&log, g->log, LMB_NOWHERE, NULL) == LMB_OK) {
        first_words(words, sizeof words, log.text);
        keep_log(kept, sizeof kept, g, &log);
    }
    lmb_text_free(&log);
    if (WIFSIGNALED(status)) snprintf(how, sizeof how, " (signal %d)", WTERMSIG(status));
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "gmsh failed at %s '%s'%s: %s%s", doing, g->path, how,
                    *words ? words : "nothing was written", kept);
}

// every error in gmsh's log is that curved elements stay worse than it wished (from gmsh 4.13 its exit code is 1 then): the
// mesh is whole, and whoever reads it judges the elements
static bool only_shapes(const lmb_gmsh *g) {
    int shapes = 0, all = 0;
    lmb_text log = {0};
    if (lmb_file_load(&log, g->log, LMB_NOWHERE, NULL) != LMB_OK) return false;
    for (const char *p = log.text; (p = strstr(p, "Error")); p += strcspn(p, "\n")) {
        size_t n = strcspn(p, "\n");
        if (memmem(p, n, "Optimization failed", 19) || memmem(p, n, "critical value", 14)) shapes++;
        else if (memmem(p, n, " errors", 7)) all = atoi(p + strcspn(p, "0123456789\n"));
    }
    lmb_text_free(&log);
    return shapes > 0 && shapes == all;
}

// what it is at: "[ 40%] Meshing surface 3 (Plane, Frontal-Delaunay)" -> share of this step, and its name
static void look_at_log(char *step, size_t size, double *done, const lmb_gmsh *g) {
    char end[600];
    step[0] = '\0', *done = -1;
    int log = lmb_file_open(g->log, LMB_FILE_LOOK);
    if (log < 0) return;
    off_t length = lseek(log, 0, SEEK_END), want = (off_t)sizeof end - 1;
    ssize_t n = pread(log, end, sizeof end - 1, length > want ? length - want : 0);
    close(log);
    end[n > 0 ? n : 0] = '\0';
    const char *at = NULL;
    for (const char *p = end; (p = strstr(p, "%] Meshing ")); p++) at = p;
    if (at == NULL) return;
    snprintf(step, size, ": %.*s", (int)strcspn(at + 11, "(\r\n"), at + 11);
    step[strcspn(step, "0123456789")] = '\0';
    const char *open = at;
    while (open > end && *open != '[') open--;
    *done = strtod(open + 1, NULL) / 100;
}

// ---- running -----------------------------------------------------------------------------------

// it stays in our process group: what ends us from the terminal ends it too
static lmb_status start_gmsh(pid_t *pid, const lmb_gmsh *g, char *const *arguments, lmb_error *err) {
    lmb_file_remove(g->log); // of the run before
    int log = lmb_file_open(g->log, LMB_FILE_NEW);
    if (log < 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot write '%.400s': %s", g->log,
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

static bool tell(const lmb_gmsh *g, const char *doing, const lmb_watch *watch) {
    char step[80];
    double done;
    look_at_log(step, sizeof step, &done, g);
    return lmb_watch_tell(watch, done, "%s %s with gmsh%s", doing, g->path, step);
}

// waits for gmsh; kills it on a stop request or after the time limit
static lmb_status wait_gmsh(int *status, pid_t pid, const lmb_gmsh *g, const char *doing,
                            const lmb_watch *watch, lmb_error *err) {
    double start = lmb_clock();
    for (long turn = 0;; turn++) {
        pid_t ended = waitpid(pid, status, WNOHANG);
        if (ended == pid) return LMB_OK;
        if (ended < 0 && errno != EINTR)
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "lost contact with gmsh: system error %d",
                            errno);
        if (lmb_clock() - start > g->time_limit) {
            kill_gmsh(pid);
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                            "gmsh took more than %g s at %s '%s'; use a larger element size", g->time_limit,
                            doing, g->path);
        }
        if (turn % 10 == 0 && !tell(g, doing, watch)) return kill_gmsh(pid), stopped(err);
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    }
}

lmb_status lmb_gmsh_run(const lmb_gmsh *g, char *const *arguments, const char *doing, const char *result,
                        const lmb_watch *watch, lmb_error *err) {
    pid_t pid;
    int status = 0;
    lmb_status st = start_gmsh(&pid, g, arguments, err);
    if (st == LMB_OK) st = wait_gmsh(&status, pid, g, doing, watch, err);
    if (st != LMB_OK) return st;
    bool ended =
        WIFEXITED(status) && (WEXITSTATUS(status) == 0 || only_shapes(g)) && lmb_file_is_readable(result);
    return ended ? LMB_OK : fail_gmsh(g, status, doing, err);
}
