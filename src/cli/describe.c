// cli/describe.c: the tables of commands and options, for `man` and for the completion of shells.
#include "cli.h"

#include <stdio.h>
#include <string.h>

// A command's options live in its function: it hands them out when it is asked for help.
static void describe_command(const cli_command *c, cli_describer *describe) {
    static char help[] = "--help";
    cli_describe = describe;
    c->run(2, (char *[]){help, help, NULL}, c);
}

static int finish(void) { return fflush(stdout) == 0 ? 0 : cli_error(3, "cannot write to standard output"); }

// ---- the manual page ---------------------------------------------------------------------------

// text as roff: no escapes, no requests, blank lines between paragraphs
static void roff(const char *text) {
    bool start = true;
    for (; *text; text++) {
        if (start && *text == '\n') fputs(".PP", stdout);
        if (start && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        if (*text == '\\') fputs("\\e", stdout);
        else if (*text == '-') fputs("\\-", stdout);
        else putchar(*text);
        start = *text == '\n';
    }
}

static void roff_option(const char *letter, const char *name, const char *argument, const char *doc) {
    fputs(".TP\n\\fB", stdout);
    if (letter) roff(letter), fputs("\\fR, \\fB", stdout);
    roff(name);
    fputs("\\fR", stdout);
    if (argument) fputs(" \\fI", stdout), roff(argument), fputs("\\fR", stdout);
    putchar('\n');
    roff(doc);
    putchar('\n');
}

static int roff_command(const cli_option *options, const cli_command *self) {
    fputs(".SS \"limber ", stdout);
    roff(self->usage);
    fputs("\"\n", stdout);
    roff(self->doc);
    putchar('\n');
    for (; options->name; options++)
        roff_option(options->letter, options->name, options->argument, options->doc);
    roff_option("-h", "--help", NULL, "show this help");
    if (self->more) fputs(".PP\n", stdout), roff(self->more);
    if (self->formats) fputs("Formats: ", stdout), roff(lmb_format_list(self->formats)), puts(".");
    return CLI_HELP;
}

int cli_manual(const char *title, const char *exit_codes) {
    printf(".TH LIMBER 1 \"\" \"limber %s\" \"User Commands\"\n.SH NAME\nlimber \\- ", lmb_version());
    roff(title);
    fputs("\n.SH SYNOPSIS\n\\fBlimber\\fR \\fICOMMAND\\fR ...\n.SH COMMANDS\n", stdout);
    for (int i = 0; cli_commands[i]; i++) describe_command(cli_commands[i], roff_command);
    fputs(".SH ENVIRONMENT\n", stdout);
    roff_option(NULL, "LIMBER_CACHE", NULL,
                "folder of reduced parts ($XDG_CACHE_HOME/limber or ~/.cache/limber)");
    roff_option(NULL, "LIMBER_VALIDATION", NULL, "folder of the cases of limber validate");
    roff_option(NULL, "LIMBER_REFERENCE", NULL, "folder of reference data of limber validate");
    roff_option(
        NULL, "OPENBLAS_NUM_THREADS", NULL,
        "threads of dense linear algebra (default: one, for large meshes as many as there are processors)");
    printf(".SH EXIT STATUS\n%s\n.SH SEE ALSO\n", exit_codes);
    roff("The guide and the theory are in the folder share/doc/limber, examples in its folder examples.\n");
    return finish();
}

// ---- completion --------------------------------------------------------------------------------

static const char *previous_word, *typed_word; // the last two words of the command line

// files with these endings, and those in the list of formats
static void print_endings(const char *endings, lmb_format_use use) {
    printf(":files%s", endings);
    for (const char *p = lmb_format_list(use); (p = strpbrk(p, "(,")); p++)
        if (p[strspn(p, "(, ")] == '.')
            printf(" %.*s", (int)strcspn(strchr(p, '.') + 1, ",)"), strchr(p, '.') + 1);
    putchar('\n');
}

// what a word of the tables stands for: MODEL, PART, FILE.svg|png: files with these endings; FILE: any file; other words:
// nothing that a shell could know
static void print_candidates(const char *word, size_t length) {
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)length, word);
    const char *dot = strchr(text, '.');
    for (char *p = text; *p; p++)
        if (*p == '|') *p = ' ';
    if (strcmp(text, "MODEL") == 0) puts(":files yaml yml json");
    else if (strcmp(text, "PART") == 0) print_endings(" yaml yml json", LMB_FORMATS_PARTS);
    else if (strcmp(text, "FILE.EXT") == 0) print_endings("", LMB_FORMATS_EXPORTS);
    else if (dot) printf(":files %s\n", dot + 1);
    else if (strncmp(text, "FILE", 4) == 0) puts(":files");
}

// the word after the name in "plot FILE.h5... [SENSOR...]"
static void print_places(const cli_command *c) {
    const char *word = c->usage + strlen(c->name);
    word += strspn(word, " [");
    size_t length = strcspn(word, " ]");
    while (length > 0 && word[length - 1] == '.') length--;
    print_candidates(word, length);
}

static int complete_command(const cli_option *options, const cli_command *self) {
    for (const cli_option *o = options; o->name; o++) {
        bool is_this =
            strcmp(previous_word, o->name) == 0 || (o->letter && strcmp(previous_word, o->letter) == 0);
        if (o->argument && is_this) return print_candidates(o->argument, strlen(o->argument)), CLI_HELP;
    }
    if (typed_word[0] != '-') return print_places(self), CLI_HELP;
    for (const cli_option *o = options; o->name; o++) {
        printf("%s\t%s\n", o->name, o->doc);
        if (o->letter) printf("%s\t%s\n", o->letter, o->doc);
    }
    puts("--help\tshow this help");
    return CLI_HELP;
}

int cli_complete(int count, char **words) {
    if (count == 1) {
        for (int i = 0; cli_commands[i]; i++) printf("%s\t%s\n", cli_commands[i]->name, cli_commands[i]->doc);
        puts("--help\tlist of commands\n--version\tversion, libraries and licences");
    }
    const cli_command *command = count > 1 ? cli_find_command(words[0]) : NULL;
    if (command) {
        previous_word = words[count - 2], typed_word = words[count - 1];
        describe_command(command, complete_command);
    }
    return finish();
}
