// cli/cmd_export.c: limber export.
#include "cli.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = "-", *analysis = NULL, *most = NULL, *which = NULL, *layout = NULL;
    cli_list sensors = {0};
    const cli_option options[] = {
        {"--output", "-o", "FILE.EXT",
         "output file; its ending is the format (default: CSV to standard output)", .value = &output},
        {"--sensor", "-s", "PATTERN",
         "columns of CSV and MATLAB files: tip, tip.x, \"pin*.f?\" (default: all); repeatable",
         .list = &sensors},
        {"--analysis", "-a", "NAME", "number, name or type of the analysis (default: the last)",
         .value = &analysis},
        {"--frames", NULL, "N", "motion: maximum number of frames, evenly spaced (default 200)",
         .value = &most},
        {"--mode", NULL, "N", "motion of a modes analysis: mode number to animate (default 1)",
         .value = &which},
        {"--gr-layout", NULL, "axis|mode",
         "SID_FEM: columns of Gr and Ge axis by axis (FEMBS, default) or mode by mode (EMBSlib, PyMbs)",
         .value = &layout},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    progress bar = progress_begin(false);
    lmb_export_options o = {.analysis = analysis,
                            .sensors = sensors.v,
                            .sensor_count = sensors.count,
                            .progress = progress_tell_part,
                            .user = &bar,
                            .gr_layout = layout};
    if (code == 0) code = cli_read_count(&o.frames, "--frames", most, 1, 1000000);
    if (code == 0) code = cli_read_count(&o.mode, "--mode", which, 1, 1000000);
    lmb_error err = {0};
    lmb_status st = code == 0 ? lmb_export_file(output, argv[1], &o, &err) : LMB_OK;
    progress_end(&bar);
    if (st != LMB_OK) code = cli_fail(&err);
    cli_list_free(&sensors);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_export = {
    "export",
    "export FILE.h5 [-o FILE.EXT] [--sensor PATTERN]... [--analysis NAME] [--frames N] [--mode N] "
    "[--gr-layout axis|mode]",
    "export results as a table, the motion for other programs, or a body file for other programs",
    "CSV contains sensors, reactions and energies with 17 digits; the first column is t, the header gives "
    "names and\nunits. ParaView output is NAME.pvd with NAME_0000.vtu, ...: bodies as meshes, flexible "
    "bodies deformed and with\nstresses, also the largest over the analysis. glTF stores poses as animation "
    "and shape functions as morph targets "
    "weighted by the elastic\ncoordinates. For a modes analysis, one period of the mode is exported with "
    "an\namplitude of a tenth of the model size (or 0.1 rad). State spaces of `linearise` go to MATLAB "
    "(level 5), NumPy, or "
    "MatrixMarket with a\nfile for each matrix, NAME_A.mtx, ...; of other analyses, MATLAB files have t and "
    "structures of columns,\nsensors.tip_x. A body file (limber reduce) becomes NAME.mo, "
    "a model "
    "NAME in Modelica\nwith frames of the MultiBody library at its interfaces, or Standard Input "
    "Data (NAME.SID_FEM),\nmodal data of MBDyn (NAME.fem, without geometric stiffness) or a modal neutral "
    "file "
    "(NAME.mnf, without\ngeometric stiffness and damping), with its markers "
    "as nodes 1, 2, ...\n",
    run,
    LMB_FORMATS_EXPORTS};
