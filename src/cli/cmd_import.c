// cli/cmd_import.c: limber import.
#include "part_options.h"
#include "progress.h"

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

// the solids of a geometry
static int write_bodies(const char *output, const char *path, part_options *o) {
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
    if (st != LMB_OK) return cli_fail(&err);
    return printf("wrote %s\n", output) > 0 ? 0 : 3;
}

static bool is_robot(const char *dot) {
    return strcasecmp(dot, ".urdf") == 0 || strcasecmp(dot, ".xml") == 0;
}

// .step, .iges, .brep, .geo
static bool is_geometry(const char *dot) {
    const char *list = lmb_format_list(LMB_FORMATS_GEOMETRY);
    size_t n = strlen(dot);
    for (const char *p = list; n > 1 && (p = strcasestr(p, dot)); p++)
        if (strchr(",)", p[n])) return true;
    return false;
}

static int run(int argc, char **argv, const cli_command *self) {
    part_options o = {0};
    const char *output = NULL;
    const cli_option options[] = {
        {"--output", "-o", "MODEL.yaml", "model file (default: FILE.yaml in the current folder)",
         .value = &output},
        {"--size", NULL, "LENGTH", "of a geometry: element size of the bodies (default '5 mm')",
         .value = &o.size},
        {"--material", NULL, "NAME", "of a geometry: their material (default steel)", .value = &o.material},
        {"--unit", NULL, "UNIT", "of a geometry that does not say it: length unit", .value = &o.unit},
        CLI_TRUST_OPTION(o.trust),
        {"--quiet", "-q", NULL, "print errors only", .flag = &o.quiet},
        {0},
    };
    char name[1024];
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code != 0) return code == CLI_HELP ? 0 : code;
    const char *slash = strrchr(argv[1], '/'), *stem = slash ? slash + 1 : argv[1], *dot = strrchr(stem, '.');
    if (dot == NULL || (!is_robot(dot) && !is_geometry(dot)))
        return cli_error(2,
                         "'%s' is neither a robot nor a CAD file; supported: URDF (.urdf), MuJoCo (.xml), %s",
                         argv[1], lmb_format_list(LMB_FORMATS_GEOMETRY));
    snprintf(name, sizeof name, "%.*s.yaml", (int)(dot - stem), stem);
    if (is_robot(dot)) return write_model(output ? output : name, argv[1]);
    const char *size = o.size, *material = o.material;
    o.size = o.material = NULL; // of the model, not of the survey
    code = part_options_finish(&o);
    o.size = size, o.material = material;
    if (code == 0) code = write_bodies(output ? output : name, argv[1], &o);
    part_options_free(&o);
    return code;
}

static const char more[] = "A model can also use the file of a robot directly, as the `file` of an entry of "
                           "`assemblies`. Of a CAD file, each solid\n"
                           "becomes a body; where cylinders of two solids fit, both get an interface, and "
                           "comments propose joints.\n";
const cli_command cli_import = {"import",
                                "import FILE [-o MODEL.yaml] [--size LENGTH] [--material NAME]",
                                "write a robot (.urdf, .xml) or the solids of a CAD file as a model file",
                                more,
                                run,
                                LMB_FORMATS_NONE};
