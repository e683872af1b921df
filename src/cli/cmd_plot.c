// cli/cmd_plot.c: limber plot.
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_results(const char *word) {
    size_t n = strlen(word);
    return n > 3 && strcmp(word + n - 3, ".h5") == 0;
}

// name.svg in the current folder
static char *picture_name(const char *results) {
    const char *slash = strrchr(results, '/'), *name = slash ? slash + 1 : results;
    size_t stem = strlen(name) - 3;
    char *out = cli_alloc(stem + sizeof ".svg", 1);
    memcpy(out, name, stem);
    memcpy(out + stem, ".svg", sizeof ".svg");
    return out;
}

static int draw(const char *output, lmb_plot_options *plot) {
    char *name = output ? NULL : picture_name(plot->results[0]);
    const char *path = output ? output : name;
    lmb_error err = {0};
    int code = lmb_plot_file(path, plot, &err) == LMB_OK ? 0 : cli_fail(&err);
    if (code == 0) printf("plot in %s\n", path);
    free(name);
    return code;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL;
    lmb_plot_options plot = {0};
    cli_list along = {0};
    const cli_option options[] = {
        {"--output", "-o", "FILE.svg|png|pdf", "where to write (name of the first results, .svg)",
         .value = &output},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (the last)",
         .value = &plot.analysis},
        {"--along", "-l", "BEAM",
         "section forces along this beam at the last time; may be given several times", .list = &along},
        {"--title", "-t", "TEXT", "above the curves (name of the first results)", .value = &plot.title},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, -1);
    if (code != 0) return cli_list_free(&along), code == CLI_HELP ? 0 : code;
    plot.along = along.v, plot.along_count = along.count;
    const char **words = cli_alloc(2 * (size_t)count, sizeof *words), **sensors = words + count;
    for (int i = 0; i < count; i++) {
        if (is_results(argv[1 + i])) words[plot.result_count++] = argv[1 + i];
        else sensors[plot.sensor_count++] = argv[1 + i];
    }
    plot.results = words;
    plot.sensors = sensors;
    if (plot.result_count == 0)
        code = cli_error(2, "no results file (.h5) is named; usage: limber %s", self->usage);
    else code = draw(output, &plot);
    free(words);
    cli_list_free(&along);
    return code;
}

const cli_command cli_plot = {
    "plot", "plot FILE.h5... [SENSOR...] [-o FILE.svg|png|pdf] [--analysis NAME] [--along BEAM]",
    "draws curves over time, or along beams, into a file, several results for comparison",
    "A sensor is a name (tip.x), an element (tip: all its components) or a pattern (\"pin.f?\"); without one "
    "all\n"
    "sensors are drawn. Energies, reactions and forces can be named, too. Each unit gets its own panel.\n"
    "With --along a word is a section force: N, Qy, Qz, T, My, Mz.\n"
    "The drawing is done by gnuplot.\n",
    run};
