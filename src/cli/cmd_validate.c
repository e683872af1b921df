// cli/cmd_validate.c: limber validate: models with a `validation` section against their references.
#include "progress.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- which models ------------------------------------------------------------------------------

typedef struct model {
    char *path;
    char name[NAME_MAX + 1]; // of the case: the file name without folder and extension
} model;

typedef struct models {
    int count, capacity;
    model *v;
} models;

static void add_model(models *p, const char *folder, const char *file) {
    if (p->count == p->capacity) {
        int grown = p->capacity ? 2 * p->capacity : 64;
        model *v = cli_alloc((size_t)grown, sizeof *v);
        if (p->count > 0) memcpy(v, p->v, (size_t)p->count * sizeof *v);
        free(p->v);
        p->v = v, p->capacity = grown;
    }
    model *m = &p->v[p->count++];
    m->path = cli_alloc((folder ? strlen(folder) : 0) + strlen(file) + 2, 1);
    sprintf(m->path, "%s%s%s", folder ? folder : "", folder ? "/" : "", file);
    const char *slash = strrchr(file, '/');
    snprintf(m->name, sizeof m->name, "%s", slash ? slash + 1 : file);
    char *dot = strrchr(m->name, '.');
    if (dot && dot > m->name) *dot = '\0';
}

static void free_models(models *p) {
    for (int i = 0; i < p->count; i++) free(p->v[i].path);
    free(p->v);
}

static bool ends_with(const char *text, const char *ending) {
    size_t n = strlen(text), m = strlen(ending);
    return n > m && strcmp(text + n - m, ending) == 0;
}

static int compare_models(const void *a, const void *b) {
    return strcmp(((const model *)a)->path, ((const model *)b)->path);
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int add_folder(models *p, const char *folder) {
    int first = p->count;
    DIR *d = opendir(folder);
    if (d == NULL) return cli_error(2, "cannot read the folder '%s': %s", folder, strerror(errno));
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.' && ends_with(e->d_name, ".yaml")) add_model(p, folder, e->d_name);
    closedir(d);
    if (p->count > first) qsort(p->v + first, (size_t)(p->count - first), sizeof *p->v, compare_models);
    return p->count > first ? 0 : cli_error(2, "no .yaml files in '%s'", folder);
}

// $LIMBER_VALIDATION, or the cases installed with this program, or those beside its build folder
static int default_folder(char *out) {
    static const char *const places[] = {"../share/limber/validation", "../validation"};
    const char *given = getenv("LIMBER_VALIDATION");
    char self[PATH_MAX], path[PATH_MAX + 64];
    if (given && *given && strlen(given) < PATH_MAX) return strcpy(out, given), 0;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        if (is_folder(path) && realpath(path, out)) return 0;
    }
    return cli_error(2, "no validation cases found; pass files or a folder, or set LIMBER_VALIDATION");
}

static int find_models(models *p, char **places, int count) {
    char folder[PATH_MAX];
    int code = 0;
    if (count == 0) code = default_folder(folder);
    if (count == 0) return code == 0 ? add_folder(p, folder) : code;
    for (int i = 0; i < count && code == 0; i++) {
        if (is_folder(places[i])) code = add_folder(p, places[i]);
        else add_model(p, NULL, places[i]);
    }
    return code;
}

static const char *next_case(const void *user, int i) {
    const models *p = user;
    return i < p->count ? p->v[i].name : NULL;
}

// keeps one case
static int pick_case(models *p, const char *name) {
    int found = 0;
    while (found < p->count && strcmp(p->v[found].name, name) != 0) found++;
    if (found == p->count) {
        const char *near = cli_nearest(name, next_case, p);
        return cli_error(2, "unknown case '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                         near ? "'?" : "");
    }
    model kept = p->v[found];
    p->v[found] = p->v[0], p->v[0] = kept;
    while (p->count > 1) free(p->v[--p->count].path);
    return 0;
}

// ---- results -----------------------------------------------------------------------------------

typedef struct sheet {
    bool markdown;
    int passed, failed, skipped;
} sheet;

static void print_head(const sheet *s) {
    if (s->markdown)
        printf("| case | quantity | ours | reference | difference | tolerance | verdict | source |\n"
               "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    else
        printf("%-24s %-36s %18s %18s %10s %10s  %s\n", "case", "quantity", "ours", "reference", "difference",
               "tolerance", "verdict");
}

static void print_line(void *user, const lmb_comparison *c) {
    sheet *s = user;
    const char *verdict = c->skipped ? "skipped" : c->passed ? "passed" : "failed";
    s->passed += c->passed, s->skipped += c->skipped, s->failed += !c->passed && !c->skipped;
    char ours[40] = "-", reference[40] = "-", difference[40] = "-";
    if (!c->skipped) {
        snprintf(ours, sizeof ours, "%.10g", c->ours);
        snprintf(reference, sizeof reference, "%.10g", c->reference);
        snprintf(difference, sizeof difference, "%.2e", c->difference);
    }
    if (s->markdown)
        printf("| %s | %s | %s | %s | %s | %.2g | %s | %s |\n", c->case_name, c->quantity, ours, reference,
               difference, c->tolerance, verdict, c->source);
    else
        printf("%-24s %-36s %18s %18s %10s %10.2g  %s\n", c->case_name, c->quantity, ours, reference,
               difference, c->tolerance, verdict);
    fflush(stdout);
}

static void print_failure(sheet *s, const char *name, const lmb_error *err) {
    char text[1200];
    if (s->markdown) printf("| %s | %s | - | - | - | - | failed | |\n", name, err->text);
    else printf("%-24s the run failed\n", name);
    fflush(stdout);
    fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, err));
    s->failed++;
}

static int validate(sheet *s, const models *p, cli_trust trust) {
    progress unseen = progress_begin(true);
    lmb_part_settings how = progress_parts(&unseen);
    how.trust = trust == CLI_TRUST;
    int worst = 0;
    print_head(s);
    for (int i = 0; i < p->count; i++) {
        lmb_error err = {0};
        lmb_status status = lmb_validate(p->v[i].path, &how, print_line, s, &err);
        if (status != LMB_OK) print_failure(s, p->v[i].name, &err);
        if ((int)status > worst) worst = (int)status;
    }
    printf("%s%d passed, %d failed, %d skipped%s\n", s->markdown ? "\n" : "", s->passed, s->failed,
           s->skipped,
           s->skipped == 0  ? ""
           : how.references ? " (missing reference files)"
                            : " (set LIMBER_REFERENCE to the folder with the reference files)");
    return worst > 1 ? worst : s->failed > 0;
}

static int run(int argc, char **argv, const cli_command *self) {
    const char *only = NULL;
    bool trust = false;
    sheet s = {0};
    const cli_option options[] = {
        {"--case", "-c", "NAME", "run only this case (file name without .yaml)", .value = &only},
        {"--markdown", NULL, NULL, "print a Markdown table with sources", .flag = &s.markdown},
        CLI_TRUST_OPTION(trust),
        {0},
    };
    models p = {0};
    int count, code = cli_parse_places(&count, argc, argv, options, self, 0, -1);
    if (code == 0) code = find_models(&p, argv + 1, count);
    if (code == 0 && only) code = pick_case(&p, only);
    if (code == 0) code = validate(&s, &p, trust ? CLI_TRUST : CLI_WARY);
    free_models(&p);
    return code == CLI_HELP ? 0 : code;
}

const cli_command cli_validate = {
    "validate", "validate [FILE or FOLDER]... [--case NAME] [--markdown] [--trust]",
    "run validation cases and compare the results with references",
    "The default is the folder $LIMBER_VALIDATION, or the cases installed with the program. Reference files "
    "are read\nfrom $LIMBER_REFERENCE; comparisons with missing files are skipped. The exit code is 1 if a "
    "comparison fails.\n",
    run};
