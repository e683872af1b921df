// cli/args.c: command-line options, help and messages.
#include "progress.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- messages ----------------------------------------------------------------------------------

int cli_fail(const lmb_error *err) {
    char text[1200];
    fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, err));
    return (int)err->code;
}

int cli_error(int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int cli_read_count(int *out, const char *option, const char *text, int least, int most) {
    char *end = NULL;
    long n = text ? strtol(text, &end, 10) : 0;
    *out = 0;
    if (text && (end == text || *end != '\0' || n < least || n > most))
        return cli_error(2, "%s %s: expected an integer from %d to %d", option, text, least, most);
    *out = (int)n;
    return 0;
}

int cli_print(char *text) {
    bool ok = fputs(text, stdout) >= 0 && fflush(stdout) == 0;
    lmb_text_release(text);
    return ok ? 0 : cli_error(3, "cannot write to standard output");
}

void *cli_alloc(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (p) return p;
    fputs("error: out of memory\n", stderr);
    exit(3);
}

int cli_load(lmb_system **out, const char *path, const lmb_setting *settings, int count, cli_trust trust,
             int threads) {
    lmb_error err = {0};
    lmb_document *document;
    *out = NULL;
    progress shown = progress_begin(false);
    lmb_part_settings parts = progress_parts(&shown);
    parts.trust = trust == CLI_TRUST, parts.threads = threads;
    cli_catch_interrupts();
    lmb_status status = lmb_document_read_file(&document, path, &err);
    if (status == LMB_OK) status = lmb_system_create_with(out, document, settings, count, &parts, &err);
    progress_end(&shown);
    lmb_document_destroy(document);
    return status == LMB_OK ? 0 : cli_fail(&err);
}

// ---- nearest word ------------------------------------------------------------------------------

enum { WORD = 32 };

// edit distance: insert, delete, replace
static int distance(const char *a, const char *b) {
    int n = (int)strlen(a), m = (int)strlen(b), row[WORD + 1];
    if (n > WORD || m > WORD) return WORD;
    for (int j = 0; j <= m; j++) row[j] = j;
    for (int i = 1; i <= n; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = corner + (tolower((unsigned char)a[i - 1]) != tolower((unsigned char)b[j - 1]));
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            corner = row[j];
            row[j] = best;
        }
    }
    return row[m];
}

const char *cli_nearest(const char *word, const char *(*next)(const void *user, int i), const void *user) {
    const char *best = NULL, *candidate;
    int nearest = strlen(word) < 4 ? 2 : 3;
    for (int i = 0; (candidate = next(user, i)); i++) {
        int d = distance(word, candidate);
        if (d < nearest) nearest = d, best = candidate;
    }
    return best;
}

// ---- options -----------------------------------------------------------------------------------

static void print_option(const char *letter, const char *name, const char *argument, const char *doc) {
    char left[64];
    snprintf(left, sizeof left, "%s%s%s%s%s", letter ? letter : "", letter ? ", " : "", name,
             argument ? " " : "", argument ? argument : "");
    printf("  %-26s %s\n", left, doc);
}

static int print_help(const cli_option *options, const cli_command *self) {
    printf("usage: limber %s\n\n%s\n\n", self->usage, self->doc);
    for (; options->name; options++)
        print_option(options->letter, options->name, options->argument, options->doc);
    print_option("-h", "--help", NULL, "show this help");
    if (self->more) printf("\n%s", self->more);
    if (self->formats) printf("Formats: %s.\n", lmb_format_list(self->formats));
    return fflush(stdout) == 0 ? CLI_HELP : cli_error(3, "cannot write to standard output");
}

cli_describer *cli_describe = print_help;

static const char *next_option(const void *user, int i) {
    const cli_option *options = user;
    for (int k = 0; options[k].name; k++)
        if (k == i) return options[k].name;
    return NULL;
}

static bool is_option(const cli_option *o, const char *word, size_t length) {
    bool name = strlen(o->name) == length && strncmp(o->name, word, length) == 0;
    return name || (o->letter && strcmp(o->letter, word) == 0);
}

static int unknown_option(const char *word, const cli_option *options, const cli_command *self) {
    const char *near = cli_nearest(word, next_option, options);
    if (near) return cli_error(2, "limber %s has no option '%s'; did you mean '%s'?", self->name, word, near);
    return cli_error(2, "limber %s has no option '%s'; see limber %s --help", self->name, word, self->name);
}

static void append(cli_list *l, const char *text, int most) {
    if (l->v == NULL) l->v = cli_alloc((size_t)most, sizeof *l->v);
    l->v[l->count++] = text;
}

void cli_list_free(cli_list *l) {
    free(l->v);
    *l = (cli_list){0};
}

// the option at argv[*i] and its value, `--name value` or `--name=value`
static int take_option(int *i, int argc, char **argv, const cli_option *options, const cli_command *self) {
    const char *word = argv[*i], *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const cli_option *o = options;
    while (o->name && !is_option(o, word, length)) o++;
    if (o->name == NULL) return unknown_option(word, options, self);
    if (o->flag) {
        if (equals) return cli_error(2, "option %s takes no value", o->name);
        *o->flag = true;
        return 0;
    }
    if (equals == NULL && *i + 1 >= argc)
        return cli_error(2, "option %s needs a value: %s %s", o->name, o->name, o->argument);
    const char *value = equals ? equals + 1 : argv[++*i];
    if (o->value) *o->value = value;
    else append(o->list, value, argc);
    return 0;
}

int cli_parse(int *count, int argc, char **argv, const cli_option *options, const cli_command *self) {
    bool only_places = false;
    *count = 0;
    for (int i = 1; i < argc; i++) {
        int code = 0;
        if (!only_places && strcmp(argv[i], "--") == 0) only_places = true;
        else if (!only_places && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
            return cli_describe(options, self);
        else if (!only_places && argv[i][0] == '-' && argv[i][1])
            code = take_option(&i, argc, argv, options, self);
        else argv[1 + (*count)++] = argv[i];
        if (code != 0) return code;
    }
    return 0;
}

int cli_parse_places(int *count, int argc, char **argv, const cli_option *options, const cli_command *self,
                     int least, int most) {
    int code = cli_parse(count, argc, argv, options, self);
    if (code != 0) return code;
    if (*count < least) return cli_error(2, "missing file name; usage: limber %s", self->usage);
    if (most >= 0 && *count > most)
        return cli_error(2, "unexpected argument '%s'; usage: limber %s", argv[1 + most], self->usage);
    return 0;
}

char *cli_command_line(int argc, char **argv) {
    size_t length = 16;
    for (int i = 0; i < argc; i++) length += strlen(argv[i]) + 1;
    char *out = strcpy(cli_alloc(length, 1), "limber");
    for (int i = 0; i < argc; i++) strcat(strcat(out, " "), argv[i]);
    return out;
}
