// cli/main.c: the program: a table of commands.
#include "cli.h"

#include <limber/fe.h>

#include <stdio.h>
#include <string.h>

static const cli_command *const commands[] = {
    &cli_check,    &cli_run,    &cli_view,  &cli_plot,   &cli_export,    &cli_info,
    &cli_validate, &cli_reduce, &cli_modes, &cli_schema, &cli_reference, NULL,
};

static int print_version(void) {
    printf("limber %s (BSD-3-Clause; this program as a whole GPL-2.0-or-later, because of "
           "CHOLMOD)\n\nwith\n%s%s",
           lmb_version(), lmb_libraries(), lmb_fe_libraries());
    return fflush(stdout) == 0 ? 0 : 3;
}

static int print_help(FILE *f) {
    fprintf(f,
            "limber %s: motion, reactions and energies of mechanisms, flexible bodies from beams, meshes and "
            "CAD\n\n",
            lmb_version());
    fprintf(f, "usage: limber COMMAND ...\n\n");
    for (int i = 0; commands[i]; i++) fprintf(f, "  %-10s %s\n", commands[i]->name, commands[i]->doc);
    fprintf(f, "\n  limber COMMAND --help   options of a command\n  limber --version        version, "
               "libraries and licences\n\n");
    fprintf(f, "exit codes: 0 done, 1 the numerics failed, 2 bad input, 3 the system failed\n");
    return 0;
}

static const char *next_command(const void *user, int i) {
    (void)user;
    return i >= 0 && commands[i] ? commands[i]->name : NULL;
}

static const cli_command *find_command(const char *name) {
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0) return commands[i];
    return NULL;
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    if (argc < 2) return print_help(stderr), 2;
    if (is_one_of(argv[1], "--version", "-V", "version")) return print_version();
    if (is_one_of(argv[1], "--help", "-h", "help")) {
        static char help[] = "--help";
        const cli_command *asked = argc > 2 ? find_command(argv[2]) : NULL;
        return asked ? asked->run(2, (char *[]){argv[2], help, NULL}, asked) : print_help(stdout);
    }
    const cli_command *command = find_command(argv[1]);
    if (command) return command->run(argc - 1, argv + 1, command);
    const char *near = cli_nearest(argv[1], next_command, NULL);
    if (near) return cli_error(2, "there is no command '%s'; did you mean '%s'?", argv[1], near);
    return cli_error(2, "there is no command '%s'; limber --help lists them", argv[1]);
}
