// cli/cmd_loads.c: limber loads.
#include "cli.h"
#include "progress.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>

static int read_times(double *out, const cli_list *texts) {
    for (int i = 0; i < texts->count; i++) {
        char *end;
        out[i] = strtod(texts->v[i], &end);
        if (end == texts->v[i] || *end) return cli_error(2, "--time %s: expected a time in s", texts->v[i]);
    }
    return 0;
}

static int write_deck(const char *output, lmb_system *system, const char *results, lmb_load_options *o) {
    progress bar = progress_begin(false);
    char *summary = NULL;
    lmb_error err = {0};
    o->progress = progress_tell_part, o->user = &bar;
    lmb_status st = lmb_loads_file(&summary, output, system, results, o, &err);
    progress_end(&bar);
    if (st != LMB_OK) return cli_fail(&err);
    int code = cli_print(summary);
    printf("wrote %s\n", output);
    return code;
}

static int run(int argc, char **argv, const cli_command *self) {
    cli_list sets = {0}, times = {0};
    const char *output = NULL, *spots = NULL;
    bool trust = false;
    lmb_load_options o = {0};
    const cli_option options[] = {
        {"--body", "-b", "NAME", "flexible body from a mesh or geometry of solids", .value = &o.body},
        {"--output", "-o", "FILE.inp", "deck for CalculiX or Abaqus", .value = &output},
        {"--time", "-t", "T", "a load case at the output time next to T, s; repeatable", .list = &times},
        {"--hot-spots", NULL, "N",
         "load cases at the times of the N highest peaks of stress (default 1, if no time is given)",
         .value = &spots},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (default: the last motion)",
         .value = &o.analysis},
        {"--set", NULL, "NAME=VALUE", "override a parameter as in the run", .list = &sets},
        CLI_TRUST_OPTION(trust),
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 2, 2);
    settings s = {0};
    double *list = cli_alloc((size_t)times.count + 1, sizeof *list);
    if (code == 0) code = settings_read(&s, &sets);
    if (code == 0) code = read_times(list, &times);
    if (code == 0) code = cli_read_count(&o.hot_spots, "--hot-spots", spots, 1, 1000);
    if (code == 0 && (o.body == NULL || output == NULL))
        code = cli_error(2, "%s is missing; usage: limber %s", o.body ? "--output" : "--body", self->usage);
    o.times = list, o.time_count = times.count;
    lmb_system *system = NULL;
    if (code == 0)
        code = cli_load(&system, argv[1], settings_pick(&s, 0), s.count, trust ? CLI_TRUST : CLI_WARY, 0);
    if (code == 0) code = write_deck(output, system, argv[2], &o);
    lmb_system_destroy(system);
    free(list);
    settings_free(&s);
    cli_list_free(&sets), cli_list_free(&times);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_loads = {
    "loads",
    "loads MODEL FILE.h5 --body NAME -o FILE.inp [--time T]... [--hot-spots N] [--analysis NAME] "
    "[--set NAME=VALUE] [--trust]",
    "write load cases of a flexible body for CalculiX and Abaqus",
    "The deck contains the mesh of the body and one step for each load case: forces and torques of joints "
    "and "
    "forces,\ninertia forces at all nodes, in balance, and supports that carry nothing. A linear static "
    "analysis gives the\nstresses of limber. MODEL must be the model of the results.\n",
    run};
