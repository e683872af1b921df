// cli/cmd_run.c: limber run: a single run, or a parameter study over all combinations, one process each.
#include "cli.h"

#include "progress.h"
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct job {
    const char *model, *output, *input; // output and input may be NULL
    char *command;
    bool resume, quiet, trust, allow_fmu, error_bars;
    int threads; // 0: not given
    settings settings;
} job;

// ---- names -------------------------------------------------------------------------------------

// the file name in path without its folder (unless keep_folder) and without its extension
static char *stem(const char *path, bool keep_folder, const char *ending) {
    const char *slash = strrchr(path, '/'), *from = slash && !keep_folder ? slash + 1 : path;
    const char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    size_t length = strlen(from);
    if (dot && dot > name && (ending == NULL || strcmp(dot, ending) == 0)) length = (size_t)(dot - from);
    char *out = cli_alloc(length + 1, 1);
    memcpy(out, from, length);
    return out;
}

static char *default_output(const job *j) {
    if (j->output) return strcpy(cli_alloc(strlen(j->output) + 1, 1), j->output);
    char *name = stem(j->model, false, NULL), *out = cli_alloc(strlen(name) + 4, 1);
    sprintf(out, "%s.h5", name);
    free(name);
    return out;
}

// appends a value with the characters that a file name allows: 1/2 becomes 1_2
static void add_value(char *out, const char *value) {
    static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-";
    for (out += strlen(out); *value; value++) *out++ = strchr(good, *value) ? *value : '_';
}

// name_L=0.3_m=1.h5: names the parameters that vary
static char *member_output(job *j, int k) {
    char *base = j->output ? stem(j->output, true, ".h5") : stem(j->model, false, NULL);
    const lmb_setting *picked = settings_pick(&j->settings, k);
    size_t length = strlen(base) + 16;
    for (int i = 0; i < j->settings.count; i++)
        length += strlen(picked[i].name) + strlen(picked[i].value) + 2;
    char *out = strcpy(cli_alloc(length, 1), base);
    for (int i = 0; i < j->settings.count; i++) {
        if (j->settings.list[i].count < 2) continue;
        sprintf(out + strlen(out), "_%s=", picked[i].name);
        add_value(out, picked[i].value);
    }
    strcat(out, ".h5");
    free(base);
    return out;
}

// ---- one run -----------------------------------------------------------------------------------

static lmb_status run_one(char **summary, const job *j, const lmb_setting *set, const char *output,
                          progress *shown, lmb_error *err) {
    lmb_document *document;
    lmb_system *system = NULL;
    lmb_run_options options = {.output = output,
                               .command = j->command,
                               .resume = j->resume,
                               .error_bars = j->error_bars,
                               .threads = j->threads,
                               .progress = progress_tell,
                               .user = shown};
    lmb_part_settings parts = progress_parts(shown);
    parts.trust = j->trust, parts.allow_fmu = j->allow_fmu, parts.threads = j->threads;
    char log[1100];
    parts.log = progress_log(log, sizeof log, output, j->model);
    lmb_status status = lmb_document_read_file(&document, j->model, err);
    if (status == LMB_OK && j->input) status = lmb_document_drive(document, j->input, err);
    if (status == LMB_OK)
        status = lmb_system_create_with(&system, document, set, j->settings.count, &parts, err);
    lmb_document_destroy(document);
    if (status == LMB_OK) status = lmb_run_file(summary, system, &options, err);
    lmb_system_destroy(system);
    return status;
}

static int run_single(job *j) {
    lmb_error err = {0};
    char *summary = NULL;
    char *output = default_output(j);
    progress shown = progress_begin(j->quiet);
    lmb_status status = run_one(&summary, j, settings_pick(&j->settings, 0), output, &shown, &err);
    progress_end(&shown);
    if (!j->quiet && summary) printf("%swrote %s\n", summary, output);
    lmb_text_release(summary);
    fflush(stdout);
    free(output);
    return status == LMB_OK ? 0 : cli_fail(&err);
}

// ---- a study -----------------------------------------------------------------------------------

typedef struct member { // in memory shared with its process
    int code;
    bool ended;
    double seconds;
    lmb_error err;
} member;

typedef struct study {
    job *j;
    int count, running, ended;
    member *members;
    pid_t *processes;
    char **outputs;
} study;

// output names are unique: 1/2 and 1_2 get different names
static void name_outputs(study *s) {
    for (int k = 0; k < s->count; k++) {
        s->outputs[k] = member_output(s->j, k);
        for (int i = 0; i < k; i++) {
            if (strcmp(s->outputs[i], s->outputs[k]) != 0) continue;
            sprintf(s->outputs[k] + strlen(s->outputs[k]) - 3, "_%d.h5", k + 1);
            break;
        }
    }
}

static void run_member(study *s, int k) {
    member *m = &s->members[k];
    progress shown = progress_begin(true);
    double begin = progress_clock();
    m->code = (int)run_one(NULL, s->j, settings_pick(&s->j->settings, k), s->outputs[k], &shown, &m->err);
    m->seconds = progress_clock() - begin;
    m->ended = true;
    fflush(NULL);
    _exit(m->code);
}

static void start_member(study *s, int k) {
    pid_t process = fork();
    if (process == 0) run_member(s, k);
    s->processes[k] = process;
    if (process > 0) s->running++;
    if (process > 0) return;
    s->members[k] = (member){.code = 3, .ended = true};
    snprintf(s->members[k].err.text, sizeof s->members[k].err.text, "cannot start a process: %s",
             strerror(errno));
    s->ended++;
}

static void wait_member(study *s) {
    int status;
    pid_t process = wait(&status);
    if (process < 0) return;
    for (int k = 0; k < s->count; k++) {
        if (s->processes[k] != process) continue;
        s->running--, s->ended++;
        if (s->members[k].ended) return;
        s->members[k].code = 3;
        snprintf(s->members[k].err.text, sizeof s->members[k].err.text,
                 "the process ended unexpectedly (%s %d)", WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static void print_table(const study *s) {
    static const char *const words[] = {"done", "solver failure", "invalid input", "system error"};
    size_t width = 4;
    for (int k = 0; k < s->count; k++) width = strlen(s->outputs[k]) > width ? strlen(s->outputs[k]) : width;
    printf("%-*s  %-15s  %9s\n", (int)width, "file", "verdict", "seconds");
    for (int k = 0; k < s->count; k++) {
        const member *m = &s->members[k];
        const char *word =
            s->processes[k] == 0 ? "not started" : words[m->code >= 0 && m->code <= 3 ? m->code : 3];
        printf("%-*s  %-15s  %9.3f\n", (int)width, s->outputs[k], word, m->seconds);
    }
    fflush(stdout);
}

static int finish_study(const study *s) {
    int worst = 0;
    if (!s->j->quiet) print_table(s);
    for (int k = 0; k < s->count; k++) {
        const member *m = &s->members[k];
        int code = s->processes[k] == 0 ? 3 : m->code;
        char text[1200];
        if (code != 0 && m->err.text[0])
            fprintf(stderr, "%s: %s\n", s->outputs[k], lmb_error_format(text, sizeof text, &m->err));
        if (code > worst) worst = code;
    }
    return worst;
}

static void run_members(study *s) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool terminal = !s->j->quiet && isatty(STDERR_FILENO);
    for (int next = 0; next < s->count || s->running > 0;) {
        if (next < s->count && s->running < (cores > 0 ? cores : 1) && !cli_interrupted)
            start_member(s, next++);
        else if (s->running > 0) wait_member(s);
        else break;
        if (terminal) fprintf(stderr, "\r%d of %d runs done\033[K", s->ended, s->count);
    }
    if (terminal) fputs("\r\033[K", stderr);
}

static int run_study(job *j) {
    if (j->threads == 0) j->threads = 1; // of each run: there is one on each processor
    study s = {.j = j, .count = settings_combinations(&j->settings)};
    size_t count = (size_t)s.count;
    lmb_error err = {0};
    lmb_document *document; // read it once here, so that errors in the file are reported once
    if (lmb_document_read_file(&document, j->model, &err) != LMB_OK) return cli_fail(&err);
    lmb_document_destroy(document);
    s.members =
        mmap(NULL, count * sizeof *s.members, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s.members == MAP_FAILED) return cli_error(3, "out of memory");
    s.processes = cli_alloc(count, sizeof *s.processes);
    s.outputs = cli_alloc(count, sizeof *s.outputs);
    name_outputs(&s);
    fflush(NULL);
    run_members(&s);
    int code = finish_study(&s);
    for (int k = 0; k < s.count; k++) free(s.outputs[k]);
    free(s.outputs);
    free(s.processes);
    munmap(s.members, count * sizeof *s.members);
    return code;
}

// ---- members of a study that was planned ------------------------------------------------------------

static bool keep_going(void *user, int done, int total, double left) {
    (void)user, (void)done, (void)total, (void)left;
    return !cli_interrupted;
}

// 7, or 5-12 as far as there are so many
static int read_members(int *first, int *last, const char *text, const char *path) {
    lmb_error err = {0};
    char *end;
    int count;
    long from = strtol(text, &end, 10), to = *end == '-' ? strtol(end + 1, &end, 10) : from;
    if (lmb_study_size(&count, path, &err) != LMB_OK) return cli_fail(&err);
    if (*end || from < 1 || to < from)
        return cli_error(2, "--member %s: expected a number from 1, or a range such as 5-12", text);
    if (from > count) return cli_error(2, "--member %s: the study has %d members", text, count);
    *first = (int)from, *last = to < count ? (int)to : count;
    return 0;
}

static int run_plan(const job *j, const char *path, const char *members) {
    int first = 1, last = 0, code = members ? 0 : cli_error(2, "--plan needs --member, such as --member 7");
    progress shown = progress_begin(true);
    lmb_part_settings parts = progress_parts(&shown);
    lmb_study_how how = {.parts = &parts, .progress = keep_going};
    parts.trust = j->trust, parts.allow_fmu = j->allow_fmu;
    parts.threads = j->threads > 0 ? j->threads : 1;
    if (code == 0) code = read_members(&first, &last, members, path);
    for (int k = first; code == 0 && k <= last; k++) {
        int status = 0;
        lmb_error err = {0};
        if (lmb_study_member(&status, path, k, &how, &err) != LMB_OK) return cli_fail(&err);
        if (!j->quiet) printf("member %d: %s\n", k, status == 0 ? "done" : "failed");
    }
    return code;
}

// ---- the command -------------------------------------------------------------------------------

// a model, or a member of a plan
static int check_places(int count, const char *plan, const char *number, int sets) {
    if (count == 0 && plan == NULL) return cli_error(2, "no model; usage: limber run MODEL [options]");
    if (plan && (count > 0 || sets > 0))
        return cli_error(2, "--plan brings its own model and parameters; leave out the model and --set");
    return number && !plan ? cli_error(2, "--member needs --plan") : 0;
}

static int run(int argc, char **argv, const cli_command *self) {
    job j = {.command = cli_command_line(argc, argv)};
    const char *threads = NULL, *plan = NULL, *number = NULL;
    cli_list sets = {0};
    const cli_option options[] = {
        {"--output", "-o", "FILE.h5", "results file (default: MODEL.h5 in the current folder)",
         .value = &j.output},
        {"--set", "-s", "NAME=VALUE", "override a parameter; a list of values runs a parameter study",
         .list = &sets},
        {"--input", "-i", "FILE.csv", "inputs of the model follow the columns of a file in time",
         .value = &j.input},
        {"--resume", NULL, NULL, "continue a run that was stopped or killed", .flag = &j.resume},
        {"--error-bars", NULL, NULL,
         "run once more with more shape functions and give stresses an error bar (as `error: on`)",
         .flag = &j.error_bars},
        {"--threads", NULL, "N",
         "share the work among N threads; results are the same (default: one for small models, else one per "
         "processor)",
         .value = &threads},
        {"--plan", NULL, "STUDY.h5", "run members of a study that was planned (limber study)",
         .value = &plan},
        {"--member", NULL, "N", "with --plan: the number of the member, or a range such as 5-12",
         .value = &number},
        CLI_TRUST_OPTION(j.trust),
        {"--allow-fmu", NULL, NULL, "run the binaries of the model's `fmus`, which are programs",
         .flag = &j.allow_fmu},
        {"--quiet", "-q", NULL, "print errors only", .flag = &j.quiet},
        {0},
    };
    int count, code = cli_parse_places(&count, argc, argv, options, self, 0, 1);
    if (code == 0) code = check_places(count, plan, number, sets.count);
    if (code == 0) code = cli_read_count(&j.threads, "--threads", threads, 1, 256);
    if (code == 0) code = settings_read(&j.settings, &sets);
    if (code == 0) {
        j.model = argv[1];
        cli_catch_interrupts();
        code = plan                                     ? run_plan(&j, plan, number)
               : settings_combinations(&j.settings) > 1 ? run_study(&j)
                                                        : run_single(&j);
    }
    settings_free(&j.settings);
    cli_list_free(&sets);
    free(j.command);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_run = {
    "run",
    "run MODEL [-o FILE.h5] [--set NAME=VALUE[,VALUE...]] [--input FILE.csv] [--error-bars] [--resume] "
    "[--threads N] [--trust] [--allow-fmu] [--quiet]",
    "run all analyses of a model and write a results file",
    "A list of values in --set runs all combinations in parallel and writes one file each "
    "(arm_L=0.3_m=1.h5).\nCtrl-C stops a run and keeps the results so far; --resume continues it and gives "
    "bitwise the same results as an\nuninterrupted run.\n",
    run};
