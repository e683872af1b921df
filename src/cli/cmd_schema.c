// cli/cmd_schema.c: limber schema and limber reference.
#include "cli.h"

static int print(int argc, char **argv, const cli_command *self,
                 lmb_status (*make)(char **out, lmb_error *err)) {
    const cli_option options[] = {{0}};
    int count, code = cli_parse_places(&count, argc, argv, options, self, 0, 0);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    lmb_error err = {0};
    char *text;
    return make(&text, &err) == LMB_OK ? cli_print(text) : cli_fail(&err);
}

static int run_schema(int argc, char **argv, const cli_command *self) {
    return print(argc, argv, self, lmb_schema);
}
static int run_reference(int argc, char **argv, const cli_command *self) {
    return print(argc, argv, self, lmb_reference);
}

const cli_command cli_schema = {"schema", "schema",
                                "print the JSON Schema of model and part files, for use in editors", NULL,
                                run_schema};
const cli_command cli_reference = {"reference", "reference",
                                   "print a reference of all keys of model and part files in Markdown", NULL,
                                   run_reference};
