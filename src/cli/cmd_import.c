// cli/cmd_import.c: limber import.
#include "cli.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int write_model(const char *output, const char *robot) {
    lmb_document *d = NULL;
    lmb_error err = {0};
    lmb_status st = lmb_document_read_file(&d, robot, &err);
    if (st == LMB_OK) st = lmb_document_write_file(output, d, &err);
    lmb_document_destroy(d);
    if (st != LMB_OK) return cli_fail(&err);
    return printf("wrote %s\n", output) > 0 ? 0 : 3;
}

static int write_body(const char *output, const char *body, bool complete) {
    lmb_error err = {0};
    char *report = NULL;
    const lmb_import_options options = {.complete = complete};
    if (lmb_import_body_file(&report, output, body, &options, &err) != LMB_OK) return cli_fail(&err);
    int code = cli_print(report);
    return code ? code : printf("\nwrote %s\n", output) > 0 ? 0 : 3;
}

// whether a file with this ending is a flexible body, by the list of their formats
static bool is_body(const char *ending) {
    const char *list = lmb_format_list(LMB_FORMATS_BODIES);
    for (const char *p = list; (p = strchr(p, '.')) != NULL; p++) {
        size_t n = strcspn(p, ",)");
        if (strlen(ending) == n && strncasecmp(p, ending, n) == 0) return true;
    }
    return false;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL;
    bool complete = false;
    const cli_option options[] = {
        {"--output", "-o", "FILE",
         "model file of a robot, body file of a body (default: NAME.yaml, NAME.h5 in the current folder)",
         .value = &output},
        {"--complete", NULL, NULL,
         "SID_FEM: complete inertia that is impossible or not positive, and say how", .flag = &complete},
        {0},
    };
    char name[1024];
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    const char *slash = strrchr(argv[1], '/'), *stem = slash ? slash + 1 : argv[1], *dot = strrchr(stem, '.');
    if (dot == NULL || strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0)
        return cli_error(2, "'%s' is not a robot; supported: URDF (.urdf)", argv[1]);
    bool body = is_body(dot);
    snprintf(name, sizeof name, "%.*s.%s", (int)(dot - stem), stem, body ? "h5" : "yaml");
    if (body) return write_body(output ? output : name, argv[1], complete);
    if (complete) return cli_error(2, "--complete is for flexible bodies (.SID_FEM)");
    return write_model(output ? output : name, argv[1]);
}

static const char more[] = "A model can also use the file of a robot directly, as the `file` of an entry of "
                           "`assemblies`, and that of a body as `type: "
                           "reduced`.\n";
const cli_command cli_import = {
    "import", "import FILE [-o FILE] [--complete]",
    "write a robot as a model file, or a flexible body of another program as a body file", more, run};
