// limber-random: makes random valid models, runs each in several ways and judges them.
//
//   --seed N --count N   models N, N+1, ...        --part=i/n   every n-th of them, from the i-th
//   --seeds N,N,...      these models
//   --keep FOLDER        keeps the models that are not right        --print   prints the models only, their meshes go to this folder       -v   every run
#include "random.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct options {
    uint64_t seed;
    int count, part, parts;
    const char *seeds; // NULL: seed and count
    const char *keep;
    bool verbose, print;
} options;

static char current[40];  // for a crash
static char scratch[400]; // for meshes and the cache of reduced ones; removed at the end

static void remove_folder(const char *path) {
    DIR *d = opendir(path);
    for (struct dirent *e; d && (e = readdir(d));) {
        char inside[700];
        snprintf(inside, sizeof inside, "%s/%s", path, e->d_name);
        if (e->d_name[0] != '.' && unlink(inside) != 0) remove_folder(inside);
    }
    if (d) closedir(d);
    rmdir(path);
}
static void remove_all(void) { remove_folder(scratch); }

static bool make_folder(void) {
    const char *temp = getenv("TMPDIR");
    char cache[500];
    snprintf(scratch, sizeof scratch, "%s/limber-random-XXXXXX", temp ? temp : "/tmp");
    if (mkdtemp(scratch) == NULL) return false;
    snprintf(cache, sizeof cache, "%s/cache", scratch);
    return atexit(remove_all) == 0 && setenv("LIMBER_CACHE", cache, 1) == 0;
}

// the folder of --keep: meshes of models are written there before they are read
static bool make_keep(const char *folder) {
    char inside[700];
    if (folder == NULL || mkdir(folder, 0777) == 0) return true;
    snprintf(inside, sizeof inside, "%s/.", folder);
    if (errno == EEXIST && access(inside, W_OK) == 0) return true;
    fprintf(stderr, "cannot write to folder '%s': %s\n", folder, strerror(errno));
    return false;
}

static void crashed(int signal_number) {
    ssize_t ignored = write(2, current, strlen(current));
    (void)ignored;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static bool read_options(options *o, int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--seed") == 0 && more) o->seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--count") == 0 && more) o->count = atoi(argv[++i]);
        else if (strcmp(argv[i], "--seeds") == 0 && more) o->seeds = argv[++i];
        else if (strcmp(argv[i], "--keep") == 0 && more) o->keep = argv[++i];
        else if (strcmp(argv[i], "--print") == 0) o->print = true;
        else if (strcmp(argv[i], "-v") == 0) o->verbose = true;
        else if (sscanf(argv[i], "--part=%d/%d", &o->part, &o->parts) != 2) return false;
    }
    return o->parts > 0;
}

static void keep(const char *folder, const random_model *m, uint64_t seed, verdict v, const char *why) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%llu.yaml", folder, (unsigned long long)seed);
    FILE *f = fopen(path, "w");
    if (f == NULL) return;
    fprintf(f, "# %s\n", verdict_names[v]);
    for (const char *line = why; *line;) {
        int length = (int)strcspn(line, "\n");
        fprintf(f, "# %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
    fprintf(f, "%sanalyses: [%s{type: dynamics, until: %.17g}]\n", m->text.text,
            m->statics ? "{type: statics}, " : "", m->until);
    fclose(f);
}

// those of a model that is right
static void remove_meshes(const char *folder, const random_model *m, uint64_t seed) {
    char path[700];
    for (int i = 0; i < m->bodies; i++) {
        snprintf(path, sizeof path, "%s/%llu-b%d.inp", folder, (unsigned long long)seed, i);
        unlink(path);
    }
}

static verdict judge(const options *o, uint64_t seed) {
    random_model m;
    lmb_text why = {0};
    verdict v = INVALID;
    snprintf(current, sizeof current, "crashed: model %llu\n", (unsigned long long)seed);
    lmb_text_add(&why, "%s", "");
    if (random_model_make(&m, seed, o->keep ? o->keep : scratch))
        v = random_model_judge(&why, &m, seed, o->verbose);
    if (v == RIGHT) remove_meshes(o->keep ? o->keep : scratch, &m, seed);
    else {
        printf("%llu: %s\n%s", (unsigned long long)seed, verdict_names[v], why.text);
        if (o->keep) keep(o->keep, &m, seed, v, why.text);
        fflush(stdout);
    }
    lmb_text_free(&why);
    random_model_free(&m);
    return v;
}

static void print_model(uint64_t seed) {
    random_model m;
    if (random_model_make(&m, seed, "."))
        printf("%sanalyses: [%s{type: dynamics, until: %.17g}]\n", m.text.text,
               m.statics ? "{type: statics}, " : "", m.until);
    random_model_free(&m);
}

static void take(int *counts, const options *o, uint64_t seed) {
    if (o->print) print_model(seed);
    else counts[judge(o, seed)]++;
}

int main(int argc, char **argv) {
    options o = {.seed = 1, .count = 40, .part = 1, .parts = 1};
    int counts[VERDICTS] = {0};
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: limber-random [--seed N] [--count N] [--seeds N,...] [--part=i/n] [--keep "
                        "FOLDER] [--print] [-v]\n");
        return 2;
    }
    if (!make_folder() || !make_keep(o.keep)) return 2;
    signal(SIGABRT, crashed);
    signal(SIGSEGV, crashed);
    for (int i = o.part - 1; o.seeds == NULL && i < o.count; i += o.parts)
        take(counts, &o, o.seed + (uint64_t)i);
    for (char *at = (char *)o.seeds; at && *at >= '0' && *at <= '9'; at += *at == ',')
        take(counts, &o, strtoull(at, &at, 10));
    if (o.print) return 0;
    int failed = 0, passed = 0;
    for (int v = 0; v < VERDICTS; v++) {
        printf("%6d %s\n", counts[v], verdict_names[v]);
        *(v > REFUSED ? &failed : &passed) += counts[v];
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
