// cli/cmd_reduce.c: limber reduce.
#include "part_options.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reduce(const char *part, const char *output, part_options *o) {
    progress p = progress_begin(o->quiet);
    lmb_part_settings how = progress_parts(&p);
    how.trust = o->trust;
    how.parameters = settings_pick(&o->parameters, 0), how.parameter_count = o->parameters.count;
    how.keys = o->keys, how.key_count = o->key_count;
    how.no_cache = o->no_cache;
    char log[1100];
    how.log = progress_log(log, sizeof log, output, part);
    lmb_error err = {0};
    char *report = NULL;
    cli_catch_interrupts();
    lmb_status st = lmb_reduce_file(&report, output, part, &how, &err);
    progress_end(&p);
    if (st != LMB_OK) return cli_fail(&err);
    if (o->quiet) return lmb_text_release(report), 0;
    int code = cli_print(report);
    if (code == 0 && printf("\nwrote %s\n", output) < 0) code = 3;
    return code;
}

static int clear_cache(void) {
    lmb_error err = {0};
    int count = 0;
    if (lmb_cache_clear(&count, &err) != LMB_OK) return cli_fail(&err);
    printf("removed %d reduced part%s from the cache\n", count, count == 1 ? "" : "s");
    return 0;
}

// rod.yaml -> rod.h5 in the current folder
static const char *default_output(char *out, size_t size, const char *part) {
    const char *slash = strrchr(part, '/'), *name = slash ? slash + 1 : part, *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s.h5", dot ? (int)(dot - name) : (int)strlen(name), name);
    return out;
}

static int run(int argc, char **argv, const cli_command *self) {
    part_options o = {0};
    const char *output = NULL;
    bool clear = false;
    const cli_option options[] = {
        {"--output", "-o", "BODY.h5", "body file (default: PART.h5 in the current folder)", .value = &output},
        PART_OPTIONS(o),
        {"--modes", NULL, "N", "number of Craig-Bampton modes (default 10)", .value = &o.modes},
        {"--max-frequency", NULL, "HZ", "keep modes up to this frequency", .value = &o.max_frequency},
        {"--frame", NULL, "FRAME", "reference frame: buckens, tangent, chord, mean, origin, '{tangent: a}'",
         .value = &o.frame},
        {"--shape", NULL, "SHAPE", "shape functions (may be repeated): guyan, eigen:5, force:tip.y, ...",
         .list = &o.shapes},
        {"--no-cache", NULL, NULL, "ignore the cache", .flag = &o.no_cache},
        {"--clear-cache", NULL, NULL, "clear the cache of reduced parts", .flag = &clear},
        {0},
    };
    char name[1024];
    int count, code = cli_parse(&count, argc, argv, options, self);
    if (code == 0 && clear) code = clear_cache();
    if (code == 0 && count == 0 && !clear)
        code = cli_error(2, "missing file name; usage: limber %s", self->usage);
    if (code == 0 && count > 1)
        code = cli_error(2, "unexpected argument '%s'; usage: limber %s", argv[2], self->usage);
    if (code == 0 && count == 1) code = part_options_finish(&o);
    if (code == 0 && count == 1)
        code = reduce(argv[1], output ? output : default_output(name, sizeof name, argv[1]), &o);
    part_options_free(&o);
    return code == CLI_HELP ? 0 : code;
}

static const char more[] = "PART is a part file (.yaml, .json), a mesh or CAD geometry.\nUnchanged parts are "
                           "read from the cache ($LIMBER_CACHE, "
                           "$XDG_CACHE_HOME/limber, ~/.cache/limber).\n";
const cli_command cli_reduce = {"reduce",
                                "reduce PART [-o BODY.h5] [--interface NAME=WHERE]... [--modes N] [OPTIONS]",
                                "reduce a beam, mesh or CAD file to a flexible body",
                                more,
                                run,
                                LMB_FORMATS_PARTS};
