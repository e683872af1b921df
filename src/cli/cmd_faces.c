// cli/cmd_faces.c: limber faces.
#include "part_options.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool ends_with(const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcasecmp(name + n - m, ending) == 0;
}

static int write_file(const char *path, const lmb_geometry *g) {
    lmb_error err = {0};
    if (lmb_geometry_write(path, g, cli_page, &err) != LMB_OK) return cli_fail(&err);
    return printf("wrote %s\n", path) > 0 ? 0 : 3;
}

static int check_output(const char *path) {
    if (path == NULL) return 0;
    if (ends_with(path, ".html")) return cli_check_page();
    if (ends_with(path, ".csv") || ends_with(path, ".json")) return 0;
    return cli_error(2, "--output %s: supported: a page (.html), .csv, .json", path);
}

static int faces(const char *part, const char *output, lmb_geometry_format format, part_options *o) {
    progress p = progress_begin(o->quiet);
    lmb_part_settings how = progress_parts(&p);
    how.trust = o->trust;
    how.parameters = settings_pick(&o->parameters, 0), how.parameter_count = o->parameters.count;
    how.keys = o->keys, how.key_count = o->key_count;
    lmb_geometry *g = NULL;
    lmb_error err = {0};
    char *text = NULL, log[1100];
    how.log = progress_log(log, sizeof log, output, part);
    cli_catch_interrupts();
    lmb_status st = lmb_geometry_open(&g, part, &how, &err);
    progress_end(&p);
    int code = st == LMB_OK ? 0 : cli_fail(&err);
    if (code == 0 && output) code = write_file(output, g);
    else if (code == 0)
        code = lmb_geometry_describe(&text, g, format, &err) == LMB_OK ? cli_print(text) : cli_fail(&err);
    lmb_geometry_close(g);
    return code;
}

static int run(int argc, char **argv, const cli_command *self) {
    part_options o = {0};
    const char *output = NULL;
    bool json = false, csv = false;
    const cli_option options[] = {
        {"--output", "-o", "FILE", "write a page with the numbers (.html), or the list (.csv, .json)",
         .value = &output},
        {"--csv", NULL, NULL, "print the list as CSV", .flag = &csv},
        {"--json", NULL, NULL, "print the list as JSON", .flag = &json},
        {"--unit", NULL, "UNIT", "length unit of a file that does not say it: m, mm, in, ...",
         .value = &o.unit},
        {"--set", NULL, "NAME=VALUE", "override a parameter of the part file", .list = &o.sets},
        CLI_TRUST_OPTION(o.trust),
        {"--quiet", "-q", NULL, "print errors only", .flag = &o.quiet},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code == 0 && json && csv) code = cli_error(2, "--json and --csv exclude each other");
    if (code == 0) code = check_output(output);
    if (code == 0) code = part_options_finish(&o);
    if (code == 0)
        code = faces(argv[1], output,
                     json  ? LMB_GEOMETRY_JSON
                     : csv ? LMB_GEOMETRY_CSV
                           : LMB_GEOMETRY_TABLE,
                     &o);
    part_options_free(&o);
    return code == CLI_HELP ? 0 : code;
}

static const char more[] = "PART is a CAD geometry, a mesh or a part file. Interfaces take faces by these "
                           "numbers (face: 12) or by their data\n"
                           "(cylinder: {axis: [0, 0, 1], radius: 5 mm}).\n";
const cli_command cli_faces = {"faces",
                               "faces PART [-o FACES.html] [--json | --csv] [--unit UNIT]",
                               "list the solids and faces of a CAD geometry, or the faces of a mesh",
                               more,
                               run,
                               LMB_FORMATS_PARTS};
