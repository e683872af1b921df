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
                             const char *pattern, lmb_error *err) {
    if (ends_with(output, ".vtu") || ends_with(output, ".pvd"))
        return lmb_export_vtk_file(output, results, o, err);
    if (ends_with(output, ".glb")) return lmb_export_glb_file(output, results, o, err);
    return lmb_export_csv_file(output, results, o->analysis, pattern, err);
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = "-", *pattern = NULL, *analysis = NULL, *most = NULL, *which = NULL;
    const cli_option options[] = {
        {"--output", "-o", "FILE.csv|pvd|vtu|glb", "where to write (CSV on standard output)",
         .value = &output},
        {"--sensor", "-s", "PATTERN", "only these columns: tip, tip.x, \"pin*.f?\" (all)", .value = &pattern},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (the last)", .value = &analysis},
        {"--frames", NULL, "N", ".pvd, .vtu, .glb: at most so many times, evenly chosen (200)",
         .value = &most},
        {"--mode", NULL, "N", ".pvd, .vtu, .glb of modes: which one swings (1)", .value = &which},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    long frames = read_count(most, 1000000), mode = read_count(which, 1000000);
    if (frames < 0) return cli_error(2, "--frames '%s' is not a number of times", most);
    if (mode < 0) return cli_error(2, "--mode '%s' is not a number of a mode; they count from 1", which);
    lmb_export_options o = {analysis, (int)frames, (int)mode};
    lmb_error err = {0};
    return write_file(output, argv[1], &o, pattern, &err) == LMB_OK ? 0 : cli_fail(&err);
}

const cli_command cli_export = {
    "export",
    "export FILE.h5 [-o FILE.csv|pvd|glb] [--sensor PATTERN] [--analysis NAME] [--frames N] [--mode N]",
    "writes numbers as CSV, or the motion for ParaView (.pvd, .vtu) or as glTF (.glb)",
    "CSV: sensors, reactions and energies; the first column is t; the header has names and units; numbers "
    "have 17\n"
    "digits. ParaView: bodies as meshes, elastic ones deformed and with stresses: NAME.pvd and "
    "NAME_0000.vtu, ..\n"
    "glTF: poses as animation, shape functions as morph targets with the elastic coordinates as weights. Of "
    "modes one\n"
    "period of a mode is written, with a tenth of its coordinates' natural size.\n",
    run};
