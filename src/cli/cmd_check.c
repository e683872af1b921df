// cli/cmd_check.c: limber check.
#include "cli.h"

#include "settings.h"

static int run(int argc, char **argv, const cli_command *self) {
    cli_list sets = {0};
    bool trust = false;
    const char *number = NULL;
    int threads = 0;
    const cli_option options[] = {
        {"--set", NULL, "NAME=VALUE", "override a parameter", .list = &sets},
        {"--threads", NULL, "N",
         "reduce N different parts at the same time; results are the same (default: one per processor)",
         .value = &number},
        CLI_TRUST_OPTION(trust),
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    settings s = {0};
    if (code == 0) code = cli_read_count(&threads, "--threads", number, 1, 256);
    if (code == 0) code = settings_read(&s, &sets);
    if (code == 0 && settings_combinations(&s) > 1)
        code = cli_error(2, "limber check takes only one value per parameter");
    if (code == 0) {
        lmb_error err = {0};
        lmb_system *system;
        char *text = NULL;
        code =
            cli_load(&system, argv[1], settings_pick(&s, 0), s.count, trust ? CLI_TRUST : CLI_WARY, threads);
        if (code == 0)
            code = lmb_system_report(&text, system, &err) == LMB_OK ? cli_print(text) : cli_fail(&err);
        lmb_system_destroy(system);
    }
    settings_free(&s);
    cli_list_free(&sets);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_check = {"check", "check MODEL [--set NAME=VALUE] [--threads N] [--trust]",
                               "check a model and report its degrees of freedom and analyses", NULL, run};
