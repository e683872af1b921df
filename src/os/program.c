// os/program.c: starting other programs.
#include "os/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

// what a program reads from its surroundings: where start-up files are, how numbers and messages are written
static bool is_replaced(const char *entry) {
    static const char *const names[] = {"HOME=",    "GMSH_HOME=", "XDG_CONFIG_HOME=", "GNUTERM=",
                                        "GNUPLOT_", "LC_ALL=",    "LANGUAGE=",        "LC_NUMERIC="};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (strncmp(entry, names[i], strlen(names[i])) == 0) return true;
    return false;
}

// our own surroundings with these replaced, in an arena; NULL: no memory
static char **surroundings(lmb_arena *arena) {
    size_t count = 0, n = 0;
    while (environ[count]) count++;
    char **out = lmb_arena_get(arena, count + 5, sizeof *out);
    if (out == NULL) return NULL;
    for (size_t i = 0; i < count; i++)
        if (!is_replaced(environ[i])) out[n++] = environ[i];
    static char *const own[] = {"HOME=/dev/null", "GMSH_HOME=/dev/null", "XDG_CONFIG_HOME=/dev/null",
                                "LC_ALL=C.UTF-8"};
    for (int i = 0; i < LMB_COUNT(own); i++) out[n++] = own[i];
    return out;
}

static int set_file(posix_spawn_file_actions_t *files, int to, int from) {
    if (from >= 0) return posix_spawn_file_actions_adddup2(files, from, to);
    return posix_spawn_file_actions_addopen(files, to, "/dev/null", to == 0 ? O_RDONLY : O_WRONLY, 0);
}

// signals as usual: what we ignore it need not
static int set_signals(posix_spawnattr_t *how) {
    sigset_t usual, none;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGXFSZ), sigaddset(&usual, SIGPIPE);
    int code = posix_spawnattr_setsigdefault(how, &usual);
    if (code == 0) code = posix_spawnattr_setsigmask(how, &none);
    return code ? code : posix_spawnattr_setflags(how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

int lmb_program_start(pid_t *out, char *const *argv, int input, int output, int errors) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    lmb_arena *arena = lmb_arena_create(1 << 12);
    char **with = arena ? surroundings(arena) : NULL;
    if (with == NULL) return lmb_arena_destroy(arena), ENOMEM;
    int code = posix_spawn_file_actions_init(&files);
    if (code == 0 && (code = posix_spawnattr_init(&how)) != 0) posix_spawn_file_actions_destroy(&files);
    if (code == 0) {
        code = set_file(&files, 0, input);
        if (code == 0) code = set_file(&files, 1, output);
        if (code == 0) code = set_file(&files, 2, errors);
        if (code == 0) code = set_signals(&how);
        if (code == 0) code = posix_spawnp(out, argv[0], &files, &how, argv, with);
        posix_spawnattr_destroy(&how);
        posix_spawn_file_actions_destroy(&files);
    }
    lmb_arena_destroy(arena);
    return code;
}

int lmb_program_run(int *status, char *const *argv, int input, int output) {
    pid_t child;
    int code = lmb_program_start(&child, argv, input, output, -1);
    if (code != 0) return code;
    while (waitpid(child, status, 0) < 0)
        if (errno != EINTR) return errno;
    return 0;
}
