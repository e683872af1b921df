// cli/cmd_view.c: limber view.
#include "cli.h"
#include "progress.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;
extern const char *const cli_page_missing; // why there is none

int cli_check_page(void) {
    return cli_page ? 0
                    : cli_error(3, "limber was built without the viewer: %s; fix this and run make again",
                                cli_page_missing);
}

// name.html in the current folder
static char *page_name(const char *results) {
    const char *slash = strrchr(results, '/'), *name = slash ? slash + 1 : results, *dot = strrchr(name, '.');
    size_t stem = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    char *out = cli_alloc(stem + sizeof ".html", 1);
    memcpy(out, name, stem);
    memcpy(out + stem, ".html", sizeof ".html");
    return out;
}

// opens the page in the desktop's browser, if there is a desktop
static void open_page(const char *path) {
#ifdef __APPLE__
    const char *program = "open";
#else
    const char *program = getenv("DISPLAY") || getenv("WAYLAND_DISPLAY") ? "xdg-open" : NULL;
#endif
    pid_t child;
    char *argv[] = {(char *)program, (char *)path, NULL};
    if (program == NULL) return;
    int failed = posix_spawnp(&child, program, NULL, NULL, argv, environ);
    if (failed)
        fprintf(stderr, "warning: cannot start %s (%s); open the page manually\n", program, strerror(failed));
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL, *frames = NULL;
    bool closed = false;
    lmb_view_options view = {.page = cli_page};
    const cli_option options[] = {
        {"--output", "-o", "PAGE.html", "output file (default: the first results file with .html)",
         .value = &output},
        {"--frames", NULL, "N",
         "maximum number of frames of each file, evenly spaced (default 10000, shared by several files)",
         .value = &frames},
        {"--no-open", NULL, NULL, "do not open a browser", .flag = &closed},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, -1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    if ((code = cli_read_count(&view.frames, "--frames", frames, 2, 10000000)) != 0) return code;
    if ((code = cli_check_page()) != 0) return code;
    char *name = output ? NULL : page_name(argv[1]);
    const char *path = output ? output : name;
    view.results = (const char *const *)argv + 1, view.result_count = count;
    lmb_error err = {0};
    progress bar = progress_begin(false);
    view.progress = progress_tell_part, view.user = &bar;
    lmb_status st = lmb_view_file(path, &view, &err);
    progress_end(&bar);
    code = st == LMB_OK ? 0 : cli_fail(&err);
    if (code == 0) printf("wrote %s\n", path);
    if (code == 0 && !closed) open_page(path);
    free(name);
    return code;
}

const cli_command cli_view = {
    "view", "view FILE.h5... [-o PAGE.html] [--frames N] [--no-open]",
    "write an HTML page that shows motion, curves and model in a browser; several results files are compared",
    "The page is self-contained and works offline. It contains all rows of sensors "
    "and energies in full precision;\npositions of bodies have seven digits.\n",
    run};
