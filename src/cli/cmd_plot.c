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
    cli_list along = {0}, shapes = {0};
    const char *frames = NULL;
    const cli_option options[] = {
        {"--output", "-o", "FILE.svg|png|pdf", "output file (default: the first results file with .svg)",
         .value = &output},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (default: the last)",
         .value = &plot.analysis},
        {"--along", "-l", "BEAM",
         "plot section forces along this beam at the last output time (may be repeated)", .list = &along},
        {"--against", "-x", "COLUMN", "plot against this column instead of time (path.x)",
         .value = &plot.against},
        {"--shape", "-s", "BODY",
         "draw the shape of this body as it deforms, or of all that match a pattern (may be repeated)",
         .list = &shapes},
        {"--plane", NULL, "xy", "plane of shapes: two of x, y, z (default xy)", .value = &plot.plane},
        {"--frames", NULL, "N", "shapes: maximum number of output times, evenly spaced (default 10)",
         .value = &frames},
        {"--functions", "-f", "BEAM", "plot the shape functions of this beam along it, each scaled to 1",
         .value = &plot.functions},
        {"--title", "-t", "TEXT", "title (default: name of the first results file)", .value = &plot.title},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, -1);
    if (code == 0) code = cli_read_count(&plot.frames, "--frames", frames, 1, 1000);
    if (code != 0) return cli_list_free(&along), cli_list_free(&shapes), code == CLI_HELP ? 0 : code;
    plot.along = along.v, plot.along_count = along.count;
    plot.shapes = shapes.v, plot.shape_count = shapes.count;
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
    cli_list_free(&along), cli_list_free(&shapes);
    return code;
}

const cli_command cli_plot = {
    "plot",
    "plot FILE.h5... [SENSOR...] [-o FILE.svg|png|pdf] [--analysis NAME] [--against COLUMN | --along BEAM | "
    "--shape BODY | --functions BEAM]",
    "plot curves over time, shapes, or along beams; several results files are overlaid",
    "SENSOR is a column (tip.x), an element (tip: all its components) or a pattern (\"pin.f?\"); the default "
    "is all\nsensors. Energies, reactions and forces can be plotted as well. Each unit gets its own "
    "panel.\nWith --along, SENSOR is a section force: N, Qy, Qz, T, My or Mz. --shape draws beams as lines, "
    "other "
    "bodies by their edges.\n--functions also reads body files.\nPlotting requires gnuplot.\n",
    run};
