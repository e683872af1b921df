// cli/cmd_life.c: limber life.
#include "cli.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

// a number > 0; NULL leaves *out
static int read_number(double *out, const char *option, const char *text, double factor) {
    char *end;
    double value = text ? strtod(text, &end) : 0;
    if (text == NULL) return 0;
    if (end == text || *end || !(value > 0))
        return cli_error(2, "%s %s: expected a positive number", option, text);
    *out = factor * value;
    return 0;
}

static int read_mean(lmb_mean_stress *out, const char *text, bool tensile) {
    static const char *const names[] = {"swt", "goodman", "none"};
    *out = tensile ? LMB_MEAN_GOODMAN : LMB_MEAN_SWT;
    for (int i = 0; text && i < 3; i++)
        if (strcmp(text, names[i]) == 0) return *out = (lmb_mean_stress)i, 0;
    return text ? cli_error(2, "--mean %s: expected swt, goodman or none", text) : 0;
}

typedef struct texts { // of the options
    const char *output, *count, *strength, *cycles, *slope, *below, *tensile, *mean, *from, *frames;
} texts;

static int read_line(lmb_sn_line *l, const texts *t) {
    const double MPa = 1e6;
    if (t->strength == NULL)
        return cli_error(2, "no S-N line: give the stress amplitude (R = -1) at its knee in MPa, for example "
                            "--strength 180 --cycles 1e6 --slope 5");
    *l = (lmb_sn_line){.cycles = 1e6, .slope = 5};
    int code = read_number(&l->strength, "--strength", t->strength, MPa);
    if (code == 0) code = read_number(&l->cycles, "--cycles", t->cycles, 1);
    if (code == 0) code = read_number(&l->slope, "--slope", t->slope, 1);
    l->slope_below = 2 * l->slope - 1;
    if (code == 0) code = read_number(&l->slope_below, "--slope-below", t->below, 1);
    if (code == 0) code = read_number(&l->tensile, "--tensile", t->tensile, MPa);
    if (code == 0) code = read_mean(&l->mean, t->mean, t->tensile != NULL);
    if (code == 0 && l->mean == LMB_MEAN_GOODMAN && t->tensile == NULL)
        code = cli_error(2, "--mean goodman: give the tensile strength in MPa, for example --tensile 600");
    return code;
}

static int read_rest(lmb_life_options *o, const texts *t) {
    int code = cli_read_count(&o->count, "--count", t->count, 1, 1000000);
    if (code == 0) code = cli_read_count(&o->frames, "--frames", t->frames, 1, 1000000);
    return code == 0 ? read_number(&o->from, "--from", t->from, 1) : code;
}

static int check_output(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcasecmp(dot, ".html") == 0 ? cli_check_page() : 0;
}

static int tell(const char *output, const char *results, lmb_life_options *o) {
    progress bar = progress_begin(false);
    char *text = NULL;
    lmb_error err = {0};
    o->page = cli_page, o->progress = progress_tell_part, o->user = &bar;
    cli_catch_interrupts();
    lmb_status st =
        output ? lmb_life_file(output, results, o, &err) : lmb_life_table(&text, results, o, &err);
    progress_end(&bar);
    if (st != LMB_OK) return cli_fail(&err);
    return text ? cli_print(text) : 0;
}

static int run(int argc, char **argv, const cli_command *self) {
    texts t = {0};
    lmb_life_options o = {0};
    const cli_option options[] = {
        {"--strength", NULL, "S", "stress amplitude at the knee of the S-N line, R = -1, MPa",
         .value = &t.strength},
        {"--cycles", NULL, "N", "cycles at the knee (default 1e6)", .value = &t.cycles},
        {"--slope", NULL, "K", "slope above the knee: N falls with S^-K (default 5)", .value = &t.slope},
        {"--slope-below", NULL, "K", "slope below the knee (default 2 K - 1); inf: no damage there",
         .value = &t.below},
        {"--tensile", NULL, "S", "tensile strength, MPa: mean stress by Goodman", .value = &t.tensile},
        {"--mean", NULL, "RULE", "effect of the mean stress: swt (default), goodman, none", .value = &t.mean},
        {"--from", NULL, "T", "rows before this time, s, do not count", .value = &t.from},
        {"--count", "-n", "N", "maximum number of places (default 10)", .value = &t.count},
        {"--body", "-b", "NAME", "only this body, with its parts (default: all)", .value = &o.body},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (default: the last motion)",
         .value = &o.analysis},
        {"--frames", NULL, "N", "maximum number of frames, evenly spaced (default: ParaView 200, page 10000)",
         .value = &t.frames},
        {"--output", "-o", "FILE.EXT",
         "write CSV (.csv), or with the damage of all nodes a page (.html), the motion for ParaView (.pvd)",
         .value = &t.output},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code == 0) code = read_line(&o.line, &t);
    if (code == 0) code = read_rest(&o, &t);
    if (code == 0) code = check_output(t.output);
    if (code == 0) code = tell(t.output, argv[1], &o);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_life = {
    "life",
    "life FILE.h5 --strength S [--cycles N] [--slope K] [--slope-below K] [--tensile S] [--mean RULE] "
    "[--from T] [-n N] "
    "[--body NAME] [--analysis NAME] [-o FILE.EXT]",
    "compute fatigue damage and life from the stresses of a run",
    "Cycles are counted by rainflow (ASTM E1049), damage is summed after Miner. At every node and section "
    "the signed von "
    "Mises\nstress counts; at the peaks of damage, which are listed, also the normal stress on the critical "
    "plane. "
    "The life is that of\nthe larger damage, as repetitions of the analysis and in hours.\n",
    run};
