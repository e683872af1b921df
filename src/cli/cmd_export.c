// cli/cmd_export.c: limber export.
#include "cli.h"

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = "-", *pattern = NULL, *analysis = NULL;
    const cli_option options[] = {
        {"--output", "-o", "FILE.csv", "where to write (standard output)", .value = &output},
        {"--sensor", "-s", "PATTERN", "only these columns: tip, tip.x, \"pin*.f?\" (all)", .value = &pattern},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (the last)", .value = &analysis},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    lmb_error err = {0};
    return lmb_export_csv_file(output, argv[1], analysis, pattern, &err) == LMB_OK ? 0 : cli_fail(&err);
}

const cli_command cli_export = {
    "export", "export FILE.h5 [-o FILE.csv] [--sensor PATTERN] [--analysis NAME]",
    "writes sensors, reactions and energies of a results file as CSV",
    "The first column is t; the header has names and units; numbers have 17 digits.\n", run};
