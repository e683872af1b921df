// cli/cli.h: what the commands share: the table of commands, their options, messages.
#ifndef LMB_CLI_H
#define LMB_CLI_H

#include <limber/limber.h>

#include <signal.h>
#include <stdbool.h>

// One option; exactly one of the targets is set.
typedef struct cli_option {
    const char *name;     // "--set"; NULL ends a table
    const char *letter;   // "-o", may be NULL
    const char *argument; // "NAME=VALUE" for the help; NULL: none
    const char *doc;
    bool *flag;
    const char **value;
    struct cli_list *list; // may be given several times
} cli_option;

typedef struct cli_list { // of borrowed texts
    int count;
    const char **v;
} cli_list;

typedef struct cli_command {
    const char *name, *usage, *doc;
    const char *more; // further help, may be NULL
    int (*run)(int argc, char **argv, const struct cli_command *self);
} cli_command;

extern const cli_command cli_check, cli_run, cli_export, cli_info, cli_schema, cli_reference, cli_validate,
    cli_view, cli_plot, cli_reduce, cli_modes;

// Takes options out of argv[1..argc); what remains are the places, *count of them, in order from argv[1].
// Returns 0, or 2 with a message. CLI_HELP: the help was printed.
enum { CLI_HELP = -1 };
int cli_parse(int *count, int argc, char **argv, const cli_option *options, const cli_command *self);
// cli_parse, and so many places must be there (most < 0: any number); 0, 2 or CLI_HELP
int cli_parse_places(int *count, int argc, char **argv, const cli_option *options, const cli_command *self,
                     int least, int most);
void cli_list_free(cli_list *l);

// The candidate nearest to word, NULL: none is near.
const char *cli_nearest(const char *word, const char *(*next)(const void *user, int i), const void *user);

// "file:line:col: error: .." on standard error; returns the exit code.
int cli_fail(const lmb_error *err);
// The same with a text; returns code.
int cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Reads and compiles a model; 0, or the exit code after a message.
typedef enum cli_trust { CLI_WARY, CLI_TRUST } cli_trust; // of .geo scripts
int cli_load(lmb_system **out, const char *path, const lmb_setting *settings, int count, cli_trust trust);
#define CLI_TRUST_OPTION(target)                                                                 \
    {                                                                                            \
        "--trust", NULL, NULL, "run .geo scripts that may start programs or access other files", \
            .flag = &(target)                                                                    \
    }

// Prints a text and releases it; exit code 3 if that fails.
int cli_print(char *text);

extern volatile sig_atomic_t cli_interrupted; // Ctrl-C
void cli_catch_interrupts(void);

// Allocation that ends the program when there is no memory.
void *cli_alloc(size_t count, size_t size);

#endif
