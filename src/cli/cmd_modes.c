// cli/cmd_modes.c: limber modes.
#include "part_options.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the whole text must be a positive number
static int read_number(double *out, const char *option, const char *text) {
    char *end;
    if (text == NULL) return 0;
    *out = strtod(text, &end);
    if (*text && *end == '\0' && *out > 0) return 0;
    return cli_error(2, "%s %s: expected a positive number", option, text);
}

static bool print_table(const lmb_modes *m) {
    fputs("mode  frequency, Hz", stdout);
    if (m->effective) fputs("   effective mass fraction: x      y      z     rx     ry     rz", stdout);
    fputc('\n', stdout);
    for (int i = 0; i < m->count; i++) {
        printf("%4d  %13.6g", i + 1, m->frequency[i]);
        if (m->effective) printf("%24s", "");
        for (int k = 0; m->effective && k < 6; k++) printf(" %6.3f", m->effective[6 * i + k]);
        fputc('\n', stdout);
    }
    return fflush(stdout) == 0 && !ferror(stdout);
}

static int modes(const char *part, const char *output, part_options *o, const lmb_modes_wanted *wanted) {
    progress p = progress_begin(o->quiet);
    lmb_part_settings how = progress_parts(&p);
    how.trust = o->trust;
    how.parameters = settings_pick(&o->parameters, 0), how.parameter_count = o->parameters.count;
    how.keys = o->keys, how.key_count = o->key_count;
    char log[1100];
    how.log = progress_log(log, sizeof log, output, part);
    lmb_error err = {0};
    lmb_modes m;
    cli_catch_interrupts();
    lmb_status st = lmb_modes_file(&m, part, wanted, &how, &err);
    progress_end(&p);
    if (st != LMB_OK) return cli_fail(&err);
    int code = output && lmb_modes_write(output, &m, part, &err) != LMB_OK ? cli_fail(&err) : 0;
    if (code == 0 && !o->quiet) {
        fputs(m.summary, stdout);
        printf("%s\n", wanted->clamp_count ? "clamped:" : "free:");
        if (!print_table(&m)) code = cli_error(3, "cannot write to standard output");
    }
    lmb_modes_release(&m);
    return code;
}

static int run(int argc, char **argv, const cli_command *self) {
    part_options o = {0};
    cli_list clamps = {0};
    const char *output = NULL, *count_text = NULL;
    bool is_free = false;
    const cli_option options[] = {
        {"--count", "-n", "N", "number of modes (default 10)", .value = &count_text},
        {"--max-frequency", NULL, "HZ", "compute all modes up to this frequency", .value = &o.max_frequency},
        {"--clamp", NULL, "NAME",
         "clamp an interface or marker, or hold the part by supports of its deck (BOUNDARY, SPC_1; may be "
         "repeated)",
         .list = &clamps},
        {"--free", NULL, NULL, "leave the part free (default)", .flag = &is_free},
        {"--output", "-o", "FILE.csv", "also write the table to this file", .value = &output},
        PART_OPTIONS(o),
        {0},
    };
    double n = 0, frequency = 0;
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code == 0 && is_free && clamps.count) code = cli_error(2, "--free and --clamp exclude each other");
    if (code == 0) code = read_number(&n, "--count", count_text);
    if (code == 0 && n > 100000) code = cli_error(2, "--count %s: the maximum is 100000", count_text);
    if (code == 0) code = read_number(&frequency, "--max-frequency", o.max_frequency);
    o.max_frequency = NULL; // limits the modes of the whole part, not its shape functions
    if (code == 0) code = part_options_finish(&o);
    lmb_modes_wanted wanted = {(int)n, frequency, clamps.v, clamps.count};
    if (code == 0) code = modes(argv[1], output, &o, &wanted);
    part_options_free(&o);
    cli_list_free(&clamps);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_modes = {"modes", "modes PART [--count N] [--free | --clamp NAME...] [-o FILE.csv]",
                               "compute natural frequencies of a part, free or clamped", NULL, run};
