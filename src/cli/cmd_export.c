// cli/cmd_export.c: limber export.
#include "cli.h"

#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), m = strlen(end);
    return n > m && strcmp(path + n - m, end) == 0;
}

// a number of 1 to most, 0: not given; -1: no such number
static long read_count(const char *text, long most) {
    char *end = NULL;
    long n = text ? strtol(text, &end, 10) : 0;
    return text && (end == text || *end || n < 1 || n > most) ? -1 : n;
}

static lmb_status write_file(const char *output, const char *results, const lmb_export_options *o,
                             lmb_error *err) {
    if (ends_with(output, ".vtu") || ends_with(output, ".pvd"))
        return lmb_export_vtk_file(output, results, o, err);
    if (ends_with(output, ".glb")) return lmb_export_glb_file(output, results, o, err);
    return lmb_export_csv_file(output, results, o, err);
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = "-", *analysis = NULL, *most = NULL, *which = NULL;
    cli_list sensors = {0};
    const cli_option options[] = {
        {"--output", "-o", "FILE", "where to write: .csv, .pvd, .vtu or .glb (CSV on standard output)",
         .value = &output},
        {"--sensor", "-s", "PATTERN", "only these columns: tip, tip.x, \"pin*.f?\" (all); may be repeated",
         .list = &sensors},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (the last)", .value = &analysis},
        {"--frames", NULL, "N", ".pvd, .vtu, .glb: at most so many times, evenly chosen (200)",
         .value = &most},
        {"--mode", NULL, "N", ".pvd, .vtu, .glb of modes: which one swings (1)", .value = &which},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    long frames = read_count(most, 1000000), mode = read_count(which, 1000000);
    if (code == 0 && frames < 0) code = cli_error(2, "--frames '%s' is not a number of times", most);
    if (code == 0 && mode < 0)
        code = cli_error(2, "--mode '%s' is not a number of a mode; they count from 1", which);
    lmb_export_options o = {analysis, (int)frames, (int)mode, sensors.v, sensors.count};
    lmb_error err = {0};
    if (code == 0 && write_file(output, argv[1], &o, &err) != LMB_OK) code = cli_fail(&err);
    cli_list_free(&sensors);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_export = {
    "export",
    "export FILE.h5 [-o FILE.csv|pvd|glb] [--sensor PATTERN].. [--analysis NAME] [--frames N] [--mode N]",
    "writes numbers as CSV, or the motion for ParaView (.pvd, .vtu) or as glTF (.glb)",
    "CSV: sensors, reactions and energies; the first column is t; the header has names and units; numbers "
    "have 17\n"
    "digits. ParaView: bodies as meshes, elastic ones deformed and with stresses: NAME.pvd and "
    "NAME_0000.vtu, ..\n"
    "glTF: poses as animation, shape functions as morph targets with the elastic coordinates as weights. Of "
    "modes one\n"
    "period of a mode is written, with a tenth of its coordinates' natural size.\n",
    run};
