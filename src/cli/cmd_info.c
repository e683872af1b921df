// cli/cmd_info.c: limber info.
#include "cli.h"

static int run(int argc, char **argv, const cli_command *self) {
    const cli_option options[] = {{0}};
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    lmb_error err = {0};
    char *text;
    return lmb_results_describe(&text, argv[1], &err) == LMB_OK ? cli_print(text) : cli_fail(&err);
}

const cli_command cli_info = {"info", "info FILE.h5",
                              "summarise a results file (even while it is being written) or a body file",
                              NULL, run};
