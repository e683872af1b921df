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
    if (code == 0) printf("wrote %s\n", path);
    free(name);
    return code;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL;
    lmb_plot_options plot = {0};
    cli_list along = {0};
    const cli_option options[] = {
        {"--output", "-o", "FILE.svg|png|pdf", "output file (default: the first results file with .svg)",
         .value = &output},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (default: the last)",
         .value = &plot.analysis},
        {"--along", "-l", "BEAM",
         "plot section forces along this beam at the last output time (may be repeated)", .list = &along},
        {"--title", "-t", "TEXT", "title (default: name of the first results file)", .value = &plot.title},
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
        code = cli_error(2, "missing results file (.h5); usage: limber %s", self->usage);
    else code = draw(output, &plot);
    free(words);
    cli_list_free(&along);
    return code;
}

const cli_command cli_plot = {
    "plot", "plot FILE.h5... [SENSOR...] [-o FILE.svg|png|pdf] [--analysis NAME] [--along BEAM]",
    "plot curves over time or along beams; several results files are overlaid",
    "SENSOR is a column (tip.x), an element (tip: all its components) or a pattern (\"pin.f?\"); the default "
    "is all\nsensors. Energies, reactions and forces can be plotted as well. Each unit gets its own "
    "panel.\nWith --along, SENSOR is a section force: N, Qy, Qz, T, My or Mz.\nPlotting requires gnuplot.\n",
    run};
