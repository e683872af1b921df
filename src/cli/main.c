// cli/main.c: entry point and table of commands.
#include "cli.h"

#include <limber/fe.h>

#include <stdio.h>
#include <string.h>

const cli_command *const cli_commands[] = {
    &cli_check,  &cli_run,   &cli_study,  &cli_view,      &cli_plot,   &cli_export, &cli_stress,
    &cli_life,   &cli_loads, &cli_info,   &cli_validate,  &cli_reduce, &cli_modes,  &cli_faces,
    &cli_import, &cli_fmu,   &cli_schema, &cli_reference, NULL,
};

extern const char *const cli_commit; // cmake/commit.cmake writes it; "": unknown

#ifdef LMB_MUMPS
static const char licence_of_all[] = "; this program contains MUMPS, which is under CeCILL-C";
#else
static const char licence_of_all[] =
    "; this program as a whole is GPL-3.0-or-later because it links CHOLMOD and METIS";
#endif

static int print_version(void) {
    printf("limber %s%s%s (BSD-3-Clause%s)\n\nLibraries:\n%s%s", lmb_version(),
           *cli_commit ? ", commit " : "", cli_commit, licence_of_all, lmb_libraries(), lmb_fe_libraries());
    return fflush(stdout) == 0 ? 0 : 3;
}

static const char title[] =
    "dynamics of mechanisms with rigid and flexible bodies from beams, meshes and CAD";
static const char exit_codes[] =
    "0 success, 1 solver failure, 2 invalid input, 3 system error (memory, disk) or interrupted";

static int print_help(FILE *f) {
    fprintf(f, "limber %s: %s\n\nusage: limber COMMAND ...\n\n", lmb_version(), title);
    for (int i = 0; cli_commands[i]; i++)
        fprintf(f, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->doc);
    fprintf(f, "\n  limber COMMAND --help   show the options of a command\n  limber --version        show "
               "version, libraries and licences\n\n");
    fprintf(f, "exit codes: %s\n", exit_codes);
    return 0;
}

static const char *next_command(const void *user, int i) {
    (void)user;
    return i >= 0 && cli_commands[i] ? cli_commands[i]->name : NULL;
}

const cli_command *cli_find_command(const char *name) {
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv) {
    cli_threads_begin();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    if (argc < 2) return print_help(stderr), 2;
    if (is_one_of(argv[1], "--version", "-V", "version")) return print_version();
    if (is_one_of(argv[1], "--help", "-h", "help")) {
        static char help[] = "--help";
        const cli_command *asked = argc > 2 ? cli_find_command(argv[2]) : NULL;
        return asked ? asked->run(2, (char *[]){argv[2], help, NULL}, asked) : print_help(stdout);
    }
    if (strcmp(argv[1], "--man") == 0) return cli_manual(title, exit_codes);
    if (strcmp(argv[1], "--complete") == 0) return cli_complete(argc - 2, argv + 2);
    const cli_command *command = cli_find_command(argv[1]);
    if (command) return command->run(argc - 1, argv + 1, command);
    const char *near = cli_nearest(argv[1], next_command, NULL);
    if (near) return cli_error(2, "unknown command '%s'; did you mean '%s'?", argv[1], near);
    return cli_error(2, "unknown command '%s'; limber --help lists the commands", argv[1]);
}
