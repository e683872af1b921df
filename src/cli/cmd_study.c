// cli/cmd_study.c: limber study: plans a parameter study, runs its members here or by Slurm, makes its table.
#include "cli.h"
#include "progress.h"
#include "slurm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct command {
    const char *model, *output, *sample, *sensitivity, *seed, *keep, *jobs, *slurm, *plan;
    cli_list vary, measures;
    bool collect, plan_only, quiet, trust, allow_fmu;
    char *line; // the command line, stored in the file
} command;

// ---- options -------------------------------------------------------------------------------------------

// NAME=VALUE; in measures a text without = is its own name
static int read_settings(lmb_setting **out, const cli_list *l, const char *option) {
    *out = cli_alloc((size_t)l->count + 1, sizeof **out);
    for (int i = 0; i < l->count; i++) {
        const char *text = l->v[i], *equals = strchr(text, '=');
        size_t length = equals ? (size_t)(equals - text) : 0;
        bool own_name = strcmp(option, "--measure") == 0 &&
                        (!equals || equals[1] == '=' || (length > 0 && strchr("<>!=", text[length - 1])));
        if (!own_name && length == 0)
            return cli_error(2, "%s %s: expected %s NAME=VALUE", option, text, option);
        while (length > 0 && text[length - 1] == ' ') length--;
        char *name = cli_alloc(strlen(text) + 1, 1);
        memcpy(name, text, own_name ? strlen(text) : length);
        (*out)[i] = (lmb_setting){name, own_name ? text : equals + 1 + strspn(equals + 1, " ")};
        for (int k = 0; k < i; k++)
            if (strcmp((*out)[k].name, name) == 0) return cli_error(2, "duplicate %s %s", option, name);
    }
    return 0;
}

static void free_settings(lmb_setting *list, int count) {
    for (int i = 0; list && i < count; i++) free((char *)list[i].name);
    free(list);
}

// --sensitivity sobol:512 stands for --sample sobol-indices:512
static int read_sample(char **out, const command *c) {
    const char *text = c->sensitivity, *number;
    *out = cli_alloc((c->sample ? strlen(c->sample) : 0) + (text ? strlen(text) : 0) + 40, 1);
    if (text == NULL) return c->sample ? strcpy(*out, c->sample), 0 : (free(*out), *out = NULL, 0);
    if (c->sample) return cli_error(2, "--sensitivity brings its own sample; leave out --sample");
    number = strchr(text, ':');
    size_t length = number ? (size_t)(number - text) : strlen(text);
    bool sobol = length == 5 && strncmp(text, "sobol", 5) == 0,
         morris = length == 6 && strncmp(text, "morris", 6) == 0;
    if (!sobol && !morris)
        return cli_error(2, "--sensitivity %s: expected sobol, sobol:N, morris or morris:N", text);
    sprintf(*out, "%s%s", sobol ? "sobol-indices" : "morris", number ? number : sobol ? ":512" : ":20");
    return 0;
}

static char *default_output(const command *c) {
    const char *from = c->output ? c->output : c->plan ? c->plan : c->model;
    const char *slash = strrchr(from, '/'), *name = c->output || c->plan || !slash ? from : slash + 1;
    char *out = strcpy(cli_alloc(strlen(name) + 16, 1), name), *dot = strrchr(out, '.');
    if (c->output || c->plan) return out;
    if (dot && dot > out) *dot = '\0';
    return strcat(out, "_study.h5");
}

// ---- progress --------------------------------------------------------------------------------------------

static bool tell(void *user, int done, int total, double left) {
    progress *p = user;
    double now = progress_clock();
    if (p->shown && now - p->drawn >= 0.2) {
        char text[32];
        fprintf(stderr, "\r%d of %d members", done, total);
        if (left >= 0) fprintf(stderr, ", %s left", progress_duration(text, sizeof text, left));
        fputs("\033[K", stderr), fflush(stderr);
        p->drawn = now;
    }
    return !cli_interrupted;
}

// ---- steps -----------------------------------------------------------------------------------------------

static int plan(const command *c, const char *study, progress *p, const lmb_part_settings *parts) {
    lmb_setting *vary = NULL, *measures = NULL;
    char *sample = NULL;
    lmb_error err = {0};
    int code = read_settings(&vary, &c->vary, "--vary");
    if (code == 0) code = read_settings(&measures, &c->measures, "--measure");
    if (code == 0) code = read_sample(&sample, c);
    if (code == 0) {
        lmb_study_options o = {.vary = vary,
                               .vary_count = c->vary.count,
                               .sample = sample,
                               .measures = measures,
                               .measure_count = c->measures.count,
                               .seed = c->seed,
                               .keep = c->keep,
                               .command = c->line,
                               .parts = parts};
        lmb_status st = lmb_study_plan(study, c->model, &o, &err);
        progress_end(p);
        if (st != LMB_OK) code = cli_fail(&err);
    }
    free(sample);
    free_settings(vary, c->vary.count), free_settings(measures, c->measures.count);
    return code;
}

// 0, or the worst that happened to a member
static int worst(const char *study) {
    lmb_study *s;
    int code = 0;
    if (lmb_study_open(&s, study, NULL) != LMB_OK) return 3;
    for (int k = 0; k < lmb_study_member_count(s); k++)
        if (lmb_study_status(s, k) > code) code = lmb_study_status(s, k);
    lmb_study_close(s);
    return code;
}

static int collect(const command *c, const char *study) {
    char *summary;
    lmb_error err = {0};
    if (lmb_study_collect(&summary, study, &err) != LMB_OK) return cli_fail(&err);
    if (!c->quiet)
        printf("%s", summary), slurm_missing(study), printf("wrote %s and its table as CSV\n", study);
    lmb_text_release(summary);
    fflush(stdout);
    return worst(study);
}

static int run_here(const command *c, const char *study, int jobs, progress *p,
                    const lmb_part_settings *parts) {
    lmb_error err = {0};
    lmb_study_how how = {.parts = parts, .jobs = jobs, .progress = tell, .user = p};
    lmb_status st = lmb_study_run(study, &how, &err);
    progress_end(p);
    if (st != LMB_OK) return cli_fail(&err);
    return collect(c, study);
}

static int carry_out(command *c, int jobs) {
    char *study = default_output(c);
    progress p = progress_begin(c->quiet);
    lmb_part_settings parts = progress_parts(&p);
    parts.trust = c->trust, parts.allow_fmu = c->allow_fmu;
    cli_catch_interrupts();
    int code = c->model ? plan(c, study, &p, &parts) : 0;
    if (code == 0 && c->plan_only) printf("wrote %s\n", study);
    else if (code == 0 && c->slurm) code = slurm_submit(study, c->slurm, c->trust, c->allow_fmu);
    else if (code == 0) code = c->collect ? collect(c, study) : run_here(c, study, jobs, &p, &parts);
    progress_end(&p);
    free(study);
    return code;
}

// a model, or a study that has been planned
static int check(command *c) {
    if (c->collect && c->slurm) return cli_error(2, "--collect and --slurm exclude each other");
    bool planned = c->collect || c->plan;
    if (c->collect && c->model && !c->plan)
        c->plan = c->model, c->model = NULL; // limber study --collect FILE.h5
    if (c->model == NULL && !planned)
        return cli_error(2, "no model; write limber study MODEL.yaml --vary NAME=VALUES, or --plan FILE.h5");
    if (c->model && planned) return cli_error(2, "give either a model or a planned study, not both");
    if (planned && (c->vary.count || c->measures.count || c->sample || c->sensitivity || c->seed || c->keep ||
                    c->output))
        return cli_error(2, "the study is planned already; give the model again to change it");
    if (planned && c->plan == NULL)
        return cli_error(2, "--collect: name the study file, such as --collect arm_study.h5");
    return 0;
}

static int run(int argc, char **argv, const cli_command *self) {
    command c = {.line = cli_command_line(argc, argv)};
    const cli_option options[] = {
        {"--vary", "-v", "NAME=VALUES",
         "a list 1,2,5, a range 1e3:1e5:20 or 1e3:1e5:20log, or a distribution normal(10,2); repeatable",
         .list = &c.vary},
        {"--sample", NULL, "SAMPLE", "grid (default), random:N, lhs:N, sobol:N", .value = &c.sample},
        {"--sensitivity", NULL, "METHOD", "sobol[:N] or morris[:N]: how much each parameter matters",
         .value = &c.sensitivity},
        {"--measure", "-m", "NAME=EXPR", "a number of each run, such as \"peak = max(tip.y)\"; repeatable",
         .list = &c.measures},
        {"--seed", NULL, "N", "number from which samples are drawn (default 1)", .value = &c.seed},
        {"--keep", NULL, "WHICH", "results files of members: none (default), failed, all", .value = &c.keep},
        {"--jobs", "-j", "N", "members at the same time (default: one per processor)", .value = &c.jobs},
        {"--output", "-o", "FILE.h5", "study file (default: MODEL_study.h5 in the current folder)",
         .value = &c.output},
        {"--plan-only", NULL, NULL, "write the study file and run nothing", .flag = &c.plan_only},
        {"--plan", NULL, "FILE.h5", "run what is missing in a study that was planned before",
         .value = &c.plan},
        {"--collect", NULL, NULL, "make the table of a study from the members that are done",
         .flag = &c.collect},
        {"--slurm", NULL, "OPTIONS",
         "submit the missing members as a job array: partition=short,time=1:00:00", .value = &c.slurm},
        CLI_TRUST_OPTION(c.trust),
        {"--allow-fmu", NULL, NULL, "run the binaries of the model's `fmus`, which are programs",
         .flag = &c.allow_fmu},
        {"--quiet", "-q", NULL, "print errors only", .flag = &c.quiet},
        {0},
    };
    int count, jobs = 0, code = cli_parse_places(&count, argc, argv, options, self, 0, 1);
    if (code == 0) code = cli_read_count(&jobs, "--jobs", c.jobs, 1, 256);
    if (code == 0) c.model = count > 0 ? argv[1] : NULL, code = check(&c);
    if (code == 0) code = carry_out(&c, jobs);
    cli_list_free(&c.vary), cli_list_free(&c.measures);
    free(c.line);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_study = {
    "study",
    "study MODEL [--vary NAME=VALUES]... [--sample SAMPLE] [--measure NAME=EXPR]... [-j N] [-o FILE.h5] | "
    "--plan FILE.h5 | --collect FILE.h5",
    "run a model with many values of its parameters and make a table of measures",
    "What is not given here comes from the section `study` of the model. Members that are done are not run "
    "again, so that the same\n"
    "command goes on after Ctrl-C or a crash. The table is FILE.h5 and FILE.csv, one row a member.\n",
    run};
