// cli/cli.h: shared by all commands: the table of commands, option parsing, messages.
#ifndef LMB_CLI_H
#define LMB_CLI_H

#include <limber/limber.h>

#include <signal.h>
#include <stdbool.h>

// One option; exactly one of the targets is set.
typedef struct cli_option {
    const char *name;     // "--set"; NULL ends a table
    const char *letter;   // "-o", may be NULL
    const char *argument; // "NAME=VALUE" in the help; NULL: the option takes no value
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
    lmb_format_use formats; // listed in the help
} cli_command;

extern const cli_command *const cli_commands[]; // NULL ends it
const cli_command *cli_find_command(const char *name);
extern const cli_command cli_check, cli_run, cli_export, cli_info, cli_schema, cli_reference, cli_validate,
    cli_view, cli_plot, cli_reduce, cli_modes, cli_stress, cli_loads, cli_life, cli_fmu, cli_study,
    cli_import, cli_faces;

// Removes the options from argv[1..argc); the *count positional arguments are moved to argv[1] and after.
// Returns 0, or 2 with a message. CLI_HELP: the help was printed.
enum { CLI_HELP = -1 };
int cli_parse(int *count, int argc, char **argv, const cli_option *options, const cli_command *self);
// cli_parse, which also requires least to most positional arguments (most < 0: no limit); 0, 2 or CLI_HELP
int cli_parse_places(int *count, int argc, char **argv, const cli_option *options, const cli_command *self,
                     int least, int most);
void cli_list_free(cli_list *l);

// What --help does with the options of a command: print them, unless another one is set. Returns CLI_HELP, or an exit
// code.
typedef int cli_describer(const cli_option *options, const cli_command *self);
extern cli_describer *cli_describe;

// The tables for others, on standard output; both return the exit code. The manual page in roff:
int cli_manual(const char *title, const char *exit_codes);
// What can stand for the last of these words of a command line: "word<tab>explanation" lines, or one line
// ":files ending ending .." (no ending: any file).
int cli_complete(int count, char **words);

// The candidate nearest to word; NULL if none is close.
const char *cli_nearest(const char *word, const char *(*next)(const void *user, int i), const void *user);

// Prints "file:line:col: error: ..." to standard error; returns the exit code.
int cli_fail(const lmb_error *err);
// Prints "error: ..." to standard error; returns code.
int cli_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The integer of an option, 0 if it is not given; the exit code if it is not one from least to most.
int cli_read_count(int *out, const char *option, const char *text, int least, int most);

// Reads and compiles a model; returns 0, or prints a message and returns the exit code.
typedef enum cli_trust { CLI_WARY, CLI_TRUST } cli_trust; // of .geo scripts
// threads: that reduce parts, 0: one on each processor
int cli_load(lmb_system **out, const char *path, const lmb_setting *settings, int count, cli_trust trust,
             int threads);
#define CLI_TRUST_OPTION(target)                                                                 \
    {                                                                                            \
        "--trust", NULL, NULL, "run .geo scripts that may start programs or access other files", \
            .flag = &(target)                                                                    \
    }

extern const char *const cli_page; // viewer/ as one text, made by the build; NULL: could not be made
int cli_check_page(void);          // 0, or prints why and returns the exit code

// The command line as one text, for free.
char *cli_command_line(int argc, char **argv);

// Prints a text and releases it; exit code 3 if that fails.
int cli_print(char *text);

extern volatile sig_atomic_t cli_interrupted; // Ctrl-C
void cli_catch_interrupts(void);

// First of all: one thread of dense linear algebra, unless the user has chosen.
void cli_threads_begin(void);
const lmb_factoriser *cli_factoriser(void); // of meshes

// Allocates zeroed memory; exits the program if there is none.
void *cli_alloc(size_t count, size_t size);

#endif
