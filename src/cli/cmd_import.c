// cli/cmd_import.c: limber import.
#include "part_options.h"
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int wrote(const char *output) { return printf("wrote %s\n", output) > 0 ? 0 : 3; }

static int write_model(const char *output, const char *robot) {
    lmb_document *d = NULL;
    lmb_error err = {0};
    lmb_status st = lmb_document_read_file(&d, robot, &err);
    if (st == LMB_OK) st = lmb_document_write_file(output, d, &err);
    lmb_document_destroy(d);
    return st == LMB_OK ? wrote(output) : cli_fail(&err);
}

// the solids of a geometry
static int write_solids(const char *output, const char *path, const part_options *o) {
    progress p = progress_begin(o->quiet);
    lmb_part_settings how = progress_parts(&p);
    lmb_geometry *g = NULL;
    lmb_error err = {0};
    how.trust = o->trust, how.keys = o->keys, how.key_count = o->key_count;
    char log[1100];
    how.log = progress_log(log, sizeof log, output, path);
    cli_catch_interrupts();
    lmb_status st = lmb_geometry_open(&g, path, &how, &err);
    progress_end(&p);
    if (st == LMB_OK)
        st = lmb_geometry_import(output, g, o->size ? o->size : "5 mm", o->material ? o->material : "steel",
                                 &err);
    lmb_geometry_close(g);
    return st == LMB_OK ? wrote(output) : cli_fail(&err);
}

static int write_model_of_solids(const char *output, const char *path, part_options *o) {
    const char *size = o->size, *material = o->material;
    o->size = o->material = NULL; // of the model, not of the survey
    int code = part_options_finish(o);
    o->size = size, o->material = material;
    if (code == 0) code = write_solids(output, path, o);
    part_options_free(o);
    return code;
}

static int write_body(const char *output, const char *body, bool complete) {
    lmb_error err = {0};
    char *report = NULL;
    const lmb_import_options options = {.complete = complete};
    if (lmb_import_body_file(&report, output, body, &options, &err) != LMB_OK) return cli_fail(&err);
    int code = cli_print(report);
    return code || putchar('\n') == EOF ? 3 : wrote(output);
}

static bool is_robot(const char *dot) {
    return strcasecmp(dot, ".urdf") == 0 || strcasecmp(dot, ".xml") == 0;
}

// whether an ending is among these formats
static bool is_one_of(const char *dot, lmb_format_use use) {
    const char *list = lmb_format_list(use);
    size_t n = strlen(dot);
    for (const char *p = list; n > 1 && (p = strcasestr(p, dot)); p++)
        if (strchr(",)", p[n])) return true;
    return false;
}

static int fail_unknown(const char *file) {
    return cli_error(
        2, "'%s' is not a robot, a CAD file or a body; supported: URDF (.urdf), MuJoCo (.xml), %s, %s", file,
        lmb_format_list(LMB_FORMATS_GEOMETRY), lmb_format_list(LMB_FORMATS_BODIES));
}

static int run(int argc, char **argv, const cli_command *self) {
    part_options o = {0};
    const char *output = NULL;
    bool complete = false;
    const cli_option options[] = {
        {"--output", "-o", "FILE",
         "model file, of a body the body file (default: NAME.yaml, NAME.h5 in the current folder)",
         .value = &output},
        {"--size", NULL, "LENGTH", "of a geometry: element size of the bodies (default '5 mm')",
         .value = &o.size},
        {"--material", NULL, "NAME", "of a geometry: their material (default steel)", .value = &o.material},
        {"--unit", NULL, "UNIT", "of a geometry that does not say it: length unit", .value = &o.unit},
        {"--complete", NULL, NULL,
         "SID_FEM: complete inertia that is impossible or not positive, and say how", .flag = &complete},
        CLI_TRUST_OPTION(o.trust),
        {"--quiet", "-q", NULL, "print errors only", .flag = &o.quiet},
        {0},
    };
    char name[1024];
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    const char *file = argv[1], *slash = strrchr(file, '/'), *stem = slash ? slash + 1 : file,
               *dot = strrchr(stem, '.');
    bool body = dot && is_one_of(dot, LMB_FORMATS_BODIES);
    if (dot == NULL || (!body && !is_robot(dot) && !is_one_of(dot, LMB_FORMATS_GEOMETRY)))
        return fail_unknown(file);
    if (strcasecmp(dot, ".h5") == 0 || strcasecmp(dot, ".hdf5") == 0)
        return cli_error(2, "'%s' is already a file of limber", file);
    if (complete && !body) return cli_error(2, "--complete is for flexible bodies (.SID_FEM)");
    snprintf(name, sizeof name, "%.*s.%s", (int)(dot - stem), stem, body ? "h5" : "yaml");
    if (output == NULL) output = name;
    if (body) return write_body(output, file, complete);
    return is_robot(dot) ? write_model(output, file) : write_model_of_solids(output, file, &o);
}

static const char more[] = "A model can also use the file of a robot directly, as the `file` of an entry of "
                           "`assemblies`, and that of a body\n"
                           "as `type: reduced`. Of a CAD file, each solid becomes a body; where cylinders of "
                           "two solids fit, both get an\n"
                           "interface, and comments propose joints.\n";
const cli_command cli_import = {
    "import",
    "import FILE [-o FILE] [--size LENGTH] [--material NAME] [--complete]",
    "write a robot (.urdf, .xml) or the solids of a CAD file as a model file, or a flexible body as a body "
    "file",
    more,
    run,
    LMB_FORMATS_NONE,
};
