// cli/cmd_import.c: limber import.
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int write_model(const char *output, const char *robot) {
    lmb_document *d = NULL;
    lmb_error err = {0};
    lmb_status st = lmb_document_read_file(&d, robot, &err);
    if (st == LMB_OK) st = lmb_document_write_file(output, d, &err);
    lmb_document_destroy(d);
    if (st != LMB_OK) return cli_fail(&err);
    return printf("wrote %s\n", output) > 0 ? 0 : 3;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL;
    const cli_option options[] = {
        {"--output", "-o", "MODEL.yaml", "model file (default: ROBOT.yaml in the current folder)",
         .value = &output},
        {0},
    };
    char name[1024];
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    const char *slash = strrchr(argv[1], '/'), *stem = slash ? slash + 1 : argv[1], *dot = strrchr(stem, '.');
    if (dot == NULL || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0)
        return cli_error(2, "'%s' is not a robot; supported: URDF (.urdf), MuJoCo (.xml)", argv[1]);
    snprintf(name, sizeof name, "%.*s.yaml", (int)(dot - stem), stem);
    return write_model(output ? output : name, argv[1]);
}

static const char more[] =
    "A model can also use the file of a robot directly, as the `file` of an entry of `assemblies`.\n";
const cli_command cli_import = {"import", "import ROBOT [-o MODEL.yaml]",
                                "write a robot (.urdf, .xml) as a model file", more, run};
