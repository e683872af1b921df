// cli/cmd_info.c: limber info.
#include "cli.h"

static int run(int argc, char **argv, const cli_command *self) {
    bool model = false;
    const cli_option options[] = {
        {"--model", NULL, NULL, "print the model, with what its runs chose in place of `auto`",
         .flag = &model},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    lmb_error err = {0};
    char *text;
    lmb_status st =
        model ? lmb_results_model(&text, argv[1], &err) : lmb_results_describe(&text, argv[1], &err);
    return st == LMB_OK ? cli_print(text) : cli_fail(&err);
}

const cli_command cli_info = {
    "info", "info FILE [--model]",
    "summarise a results file (even while it is being written), a body file or a robot (.urdf, .xml)", NULL,
    run};
