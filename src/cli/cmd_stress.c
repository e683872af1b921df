// cli/cmd_stress.c: limber stress.
#include "cli.h"
#include "progress.h"

#include <stdio.h>

// a table for people, or CSV
static int tell(const char *output, const char *results, lmb_stress_options *o) {
    progress bar = progress_begin(false);
    char *text = NULL;
    lmb_error err = {0};
    o->progress = progress_tell_part, o->user = &bar;
    cli_catch_interrupts();
    lmb_status st =
        output ? lmb_stress_csv_file(output, results, o, &err) : lmb_stress_table(&text, results, o, &err);
    progress_end(&bar);
    if (st != LMB_OK) return cli_fail(&err);
    return text ? cli_print(text) : 0;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL, *most = NULL;
    lmb_stress_options o = {0};
    const cli_option options[] = {
        {"--count", "-n", "N", "maximum number of places (default 10)", .value = &most},
        {"--body", "-b", "NAME", "only this body, with its parts (default: all)", .value = &o.body},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (default: the last motion)",
         .value = &o.analysis},
        {"--output", "-o", "FILE.csv", "write CSV with all stress components in Pa; - is standard output",
         .value = &output},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code == 0) code = cli_read_count(&o.count, "--count", most, 1, 1000000);
    if (code == 0) code = tell(output, argv[1], &o);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_stress = {
    "stress", "stress FILE.h5 [-n N] [--body NAME] [--analysis NAME] [-o FILE.csv]",
    "list where the stresses of a run are largest, and when",
    "One line for each peak of the von Mises stress over the surface of a mesh or along a beam: body, node "
    "of the mesh "
    "(of\nbeams: the section there), undeformed position in body axes, time, von Mises stress, and the "
    "principal stress that is\n"
    "largest by size. All output times count. A peak must rise by 1 % above its surroundings.\n",
    run};
