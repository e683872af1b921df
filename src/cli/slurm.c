// cli/slurm.c: members of a study as a job array of Slurm.
//
// One task of the array runs `each` members, one after the other: clusters limit the length of arrays (MaxArraySize, 1001 unless set).
#include "slurm.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { TASKS = 1000 };

static int members_each(int members) { return (members + TASKS - 1) / TASKS; }

static bool is_missing(const lmb_study *s, int k) {
    int status = lmb_study_status(s, k);
    return status < 0 || status >= 3;
}

static bool has_missing(const lmb_study *s, int task, int each) {
    for (int k = (task - 1) * each; k < task * each && k < lmb_study_member_count(s); k++)
        if (is_missing(s, k)) return true;
    return false;
}

// ranges of what is(s, i) for i = 1 .. count: "1-5,9"; returns how many there are
static int list_ranges(char **out, const lmb_study *s, int count, int each) {
    size_t room = 32 * ((size_t)count + 1);
    char *at = *out = cli_alloc(room, 1);
    int found = 0;
    for (int i = 1; i <= count; i++) {
        int from = i;
        while (i <= count && has_missing(s, i, each)) i++, found++;
        if (i == from) continue;
        at += sprintf(at, "%s%d", at == *out ? "" : ",", from);
        if (i - 1 > from) at += sprintf(at, "-%d", i - 1);
    }
    return found;
}

void slurm_missing(const char *study) {
    lmb_study *s;
    char *list;
    if (lmb_study_open(&s, study, NULL) != LMB_OK) return;
    int found = list_ranges(&list, s, lmb_study_member_count(s), 1);
    if (found > 0)
        printf("missing: %.500s%s\n    limber study --plan %s      runs them here, with --slurm OPTIONS on a "
               "cluster\n",
               list, strlen(list) > 500 ? "..." : "", study);
    free(list);
    lmb_study_close(s);
}

// ---- the script --------------------------------------------------------------------------------------------

// in single quotes for the shell
static void put_quoted(FILE *f, const char *text) {
    fputc('\'', f);
    for (; *text; text++)
        if (*text == '\'') fputs("'\\''", f);
        else fputc(*text, f);
    fputc('\'', f);
}

// "partition=short,time=1:00:00"
static void put_options(FILE *f, const char *options) {
    for (const char *p = options, *end; *p; p = *end ? end + 1 : end) {
        end = p + strcspn(p, ",\n");
        if (end > p) fprintf(f, "#SBATCH --%.*s\n", (int)(end - p), p);
    }
}

static bool write_script(FILE *f, const char *study, const char *program, const char *options, int each,
                         bool trust, bool allow_fmu) {
    fputs("#!/bin/sh\n# members of a study; written by limber study --slurm\n#SBATCH "
          "--job-name=limber\n#SBATCH --ntasks=1\n",
          f);
    fputs("#SBATCH --cpus-per-task=1\n#SBATCH --output=/dev/null\n#SBATCH --requeue\n", f);
    put_options(f, options);
    fprintf(f, "first=$(((SLURM_ARRAY_TASK_ID - 1) * %d + 1))\nlast=$((SLURM_ARRAY_TASK_ID * %d))\n", each,
            each);
    fputs("exec ", f), put_quoted(f, program);
    fputs(" run --plan ", f), put_quoted(f, study);
    fprintf(f, " --member \"$first-$last\" --quiet%s%s\n", trust ? " --trust" : "",
            allow_fmu ? " --allow-fmu" : "");
    return ferror(f) == 0;
}

static int own_path(char *out, size_t size) {
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    if (n <= 0) return cli_error(3, "cannot find the program limber: %s", strerror(errno));
    out[n] = '\0';
    return 0;
}

static int make_script(char **path, const char *study, const char *options, int each, bool trust,
                       bool allow_fmu) {
    char program[4096];
    size_t length = strlen(study);
    if (length > 3 && strcmp(study + length - 3, ".h5") == 0) length -= 3;
    *path = cli_alloc(length + 16, 1);
    sprintf(*path, "%.*s.slurm.sh", (int)length, study); // beside a script of the user's own
    int code = own_path(program, sizeof program);
    if (code != 0) return code;
    FILE *f = fopen(*path, "w");
    bool ok = f && write_script(f, study, program, options, each, trust, allow_fmu);
    if (f == NULL || fclose(f) != 0 || !ok)
        return cli_error(3, "cannot write '%s': %s", *path, strerror(errno));
    return 0;
}

// ---- sbatch --------------------------------------------------------------------------------------------------

static int start(char *const *argv) {
    pid_t child;
    int status, number = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ);
    if (number == ENOENT) return cli_error(3, "sbatch was not found; is this a machine of a Slurm cluster?");
    if (number != 0) return cli_error(3, "cannot start sbatch: %s", strerror(number));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : cli_error(3, "sbatch did not take the job");
}

int slurm_submit(const char *study, const char *options, bool trust, bool allow_fmu) {
    lmb_study *s;
    lmb_error err = {0};
    char *list, *script = NULL;
    if (lmb_study_open(&s, study, &err) != LMB_OK) return cli_fail(&err);
    int members = lmb_study_member_count(s), each = members_each(members), code = 0;
    int tasks = list_ranges(&list, s, (members + each - 1) / each, each);
    if (tasks == 0) printf("all members are done; limber study --collect %s makes the table\n", study);
    else code = make_script(&script, study, options, each, trust, allow_fmu);
    if (tasks > 0 && code == 0) {
        char *array = cli_alloc(strlen(list) + 16, 1);
        sprintf(array, "--array=%s", list);
        char *argv[] = {"sbatch", array, script, NULL};
        fflush(stdout);
        code = start(argv);
        if (code == 0)
            printf("%d tasks of up to %d members each; when they are done: limber study --collect %s\n",
                   tasks, each, study);
        free(array);
    }
    free(script), free(list);
    lmb_study_close(s);
    return code;
}
