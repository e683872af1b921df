// cli/cmd_fmu.c: limber fmu.
#include "progress.h"
#include "settings.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// limber_fmu.so beside the program (a build), or in lib/limber, or lib/TRIPLET/limber beside its folder (installed)
static bool find_module(char *out, size_t size) {
    char program[2000];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0) return false;
    program[n] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    static const char *const places[] = {".", "../lib/limber", "../lib/" LMB_LIBRARY_FOLDER "/limber",
                                         "../lib64/limber"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(out, size, "%s/%s/limber_fmu.so", program, places[i]);
        if (access(out, R_OK) == 0) return true;
    }
    snprintf(out, size, "%s", program);
    return false;
}

static int write_fmu(const char *model, const char *output, settings *s, lmb_fmu_options *o, bool trust,
                     bool quiet) {
    lmb_document *d = NULL;
    lmb_error err = {0};
    char module[2100];
    o->binary = module;
    if (!find_module(module, sizeof module))
        return cli_error(3,
                         "cannot find limber_fmu.so, which goes into the FMU, in '%s' or lib/limber beside "
                         "it; it is built "
                         "where the static libraries (archives) of HDF5, SuiteSparse, OpenBLAS, LAPACKE, "
                         "libfyaml and zlib are installed",
                         module);
    progress p = progress_begin(quiet);
    lmb_part_settings parts = progress_parts(&p);
    parts.trust = trust;
    cli_catch_interrupts();
    lmb_status st = lmb_document_read_file(&d, model, &err);
    if (st == LMB_OK) st = lmb_fmu_file(output, d, settings_pick(s, 0), s->count, &parts, o, &err);
    lmb_document_destroy(d);
    progress_end(&p);
    if (st != LMB_OK) return cli_fail(&err);
    return quiet || printf("wrote %s\n", output) > 0 ? 0 : 3;
}

// "2", "cs" ..
static int read_options(lmb_fmu_options *o, const char *fmi, const char *kind) {
    if (strcmp(fmi, "2") != 0 && strcmp(fmi, "3") != 0) return cli_error(2, "--fmi %s: expected 2 or 3", fmi);
    o->version = *fmi - '0';
    o->co_simulation = strcmp(kind, "cs") == 0 || strcmp(kind, "both") == 0;
    o->model_exchange = strcmp(kind, "me") == 0 || strcmp(kind, "both") == 0;
    if (o->co_simulation || o->model_exchange) return 0;
    return cli_error(2, "--kind %s: expected cs (co-simulation), me (model exchange) or both", kind);
}

// arm.yaml -> arm.fmu in the current folder
static const char *default_output(char *out, size_t size, const char *model) {
    const char *slash = strrchr(model, '/'), *name = slash ? slash + 1 : model, *dot = strrchr(name, '.');
    snprintf(out, size, "%.*s.fmu", dot ? (int)(dot - name) : (int)strlen(name), name);
    return out;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *output = NULL, *fmi = "3", *kind = "both";
    cli_list sets = {0};
    settings s = {0};
    lmb_fmu_options o = {0};
    bool quiet = false, trust = false;
    const cli_option options[] = {
        {"--output", "-o", "NAME.fmu", "FMU (default: MODEL.fmu in the current folder)", .value = &output},
        {"--fmi", NULL, "VERSION", "version of FMI: 2 or 3 (default 3)", .value = &fmi},
        {"--kind", NULL, "KIND", "cs (co-simulation), me (model exchange) or both (default)", .value = &kind},
        {"--set", NULL, "NAME=VALUE", "override a parameter; it becomes the default of the FMU",
         .list = &sets},
        CLI_TRUST_OPTION(trust),
        {"--quiet", "-q", NULL, "print errors only", .flag = &quiet},
        {0},
    };
    char name[1024];
    int count, code = cli_parse_places(&count, argc, argv, options, self, 1, 1);
    if (code == 0) code = settings_read(&s, &sets);
    if (code == 0 && settings_combinations(&s) > 1)
        code = cli_error(2, "an FMU takes only one value per parameter");
    if (code == 0) code = read_options(&o, fmi, kind);
    if (code == 0)
        code = write_fmu(argv[1], output ? output : default_output(name, sizeof name, argv[1]), &s, &o, trust,
                         quiet);
    settings_free(&s);
    cli_list_free(&sets);
    return code == CLI_HELP ? 0 : code;
}

static const char more[] =
    "The FMU contains the model, its reduced parts and tables, and limber itself; it needs no limber.\nSee "
    "docs/guide/fmu.md.\n";
const cli_command cli_fmu = {"fmu",
                             "fmu MODEL [-o NAME.fmu] [--fmi 2|3] [--kind cs|me|both] [--set NAME=VALUE]...",
                             "export a model as a functional mock-up unit",
                             more,
                             run,
                             LMB_FORMATS_NONE};
