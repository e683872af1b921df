// tests/refused/refused.c: every file of tests/bad/ must be refused by `check` and by `run` (part_*: by `modes` and by `reduce`):
// exit code 2, a first line `file:line:col: error: ...` that contains what the file expects, no file left behind.  The
// expected text is in the first line of the file (`# expect: text`) or in NAME.expect beside it.  The commands are those of
// the program, called in this one process; arguments choose files by a part of their name.
#undef main // the program's own is called limber_main here

#include <dirent.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int limber_main(int argc, char **argv);

typedef struct answer {
    int code;
    char first[4096]; // line on standard error
} answer;

static char out_folder[400];
static int passed, failed;

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// the first line of a file without zero bytes and line end; "" if there is none
static void first_line(char *line, int size, const char *path) {
    int n = 0, c = EOF;
    FILE *f = fopen(path, "r");
    while (f && n < size - 1 && (c = fgetc(f)) != EOF && c != '\n')
        if (c != '\0' && c != '\r') line[n++] = (char)c;
    line[n] = '\0';
    if (f) fclose(f);
}

static void read_expected(char *text, int size, const char *path) {
    char beside[1024], line[1024];
    snprintf(beside, sizeof beside, "%s.expect", path);
    first_line(text, size, beside);
    if (*text) return;
    const char *mark = "# expect:";
    first_line(line, sizeof line, path);
    if (strncmp(line, mark, strlen(mark)) == 0)
        snprintf(text, (size_t)size, "%s", line + strlen(mark) + strspn(line + strlen(mark), " "));
}

// calls a command with standard output and standard error in files
static void ask(answer *a, int argc, char **argv) {
    char out[420], err[420];
    snprintf(out, sizeof out, "%s.out", out_folder), snprintf(err, sizeof err, "%s.err", out_folder);
    fflush(stdout);
    int old[2] = {dup(1), dup(2)};
    if (!freopen(out, "w", stdout) || !freopen(err, "w", stderr)) abort();
    a->code = limber_main(argc, argv);
    fflush(stdout), fflush(stderr);
    for (int i = 0; i < 2; i++) dup2(old[i], i + 1), close(old[i]);
    first_line(a->first, sizeof a->first, err);
    unlink(out), unlink(err);
}

static bool is_message(const char *line) {
    static regex_t pattern;
    static bool compiled;
    if (!compiled)
        compiled = regcomp(&pattern, "^([^:]+:[0-9]+:[0-9]+|[^:]+\\.(inp|msh|mtx|bdf):[0-9]+): error: .{20,}",
                           REG_EXTENDED | REG_NOSUB) == 0;
    return regexec(&pattern, line, 0, NULL, 0) == 0;
}

// removes what a command left in its folder; whether there was something
static bool left_behind(void) {
    bool any = false;
    DIR *d = opendir(out_folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[700];
        if (e->d_name[0] == '.' && (!e->d_name[1] || !strcmp(e->d_name, ".."))) continue;
        snprintf(path, sizeof path, "%s/%s", out_folder, e->d_name);
        any = true, unlink(path);
    }
    if (d) closedir(d);
    return any;
}

static void complain(const char *command, const char *path, const answer *a, const char *what) {
    printf("limber %s %s: %s\n    | %s\n", command, path, what, a->first);
    failed++;
}

static void try_command(const char *path, const char *expect, const char *command, bool writes) {
    char output[420];
    snprintf(output, sizeof output, "%s/x.h5", out_folder);
    char *argv[8] = {"limber", (char *)command, (char *)path};
    int argc = 3;
    if (writes) argv[argc++] = "-o", argv[argc++] = output;
    if (strcmp(command, "reduce") == 0) argv[argc++] = "--no-cache";
    answer a;
    ask(&a, argc, argv);
    bool debris = left_behind();
    if (a.code != 2) complain(command, path, &a, "exit code is not 2");
    else if (!is_message(a.first))
        complain(command, path, &a, "first line is not 'file:line:col: error: ...'");
    else if (!strstr(a.first, expect)) complain(command, path, &a, expect);
    else if (debris) complain(command, path, &a, "left a file behind");
    else passed++;
}

static void try_file(const char *name) {
    char path[600], expect[1024] = "";
    struct stat s;
    snprintf(path, sizeof path, "tests/bad/%s", name);
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return; // folders hold what bad files include
    read_expected(expect, sizeof expect, path);
    if (!*expect) {
        printf("%s: does not say what it expects (first line '# expect: text', or %s.expect)\n", path, path);
        failed++;
        return;
    }
    bool part = strncmp(name, "part_", 5) == 0;
    try_command(path, expect, part ? "modes" : "check", false);
    try_command(path, expect, part ? "reduce" : "run", true);
}

static bool wanted(const char *name, int argc, char **argv) {
    if (ends_with(name, ".expect") || ends_with(name, ".md") || name[0] == '.') return false;
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return true;
    return argc < 2;
}

int main(int argc, char **argv) {
    struct dirent **entries;
    const char *temp = getenv("TMPDIR");
    snprintf(out_folder, sizeof out_folder, "%s/limber-refused-XXXXXX", temp ? temp : "/tmp");
    int count = chdir(LMB_SOURCE_DIR) == 0 ? scandir("tests/bad", &entries, NULL, alphasort) : -1;
    if (count < 0 || !mkdtemp(out_folder)) return perror("tests/bad"), 3;
    for (int i = 0; i < count; i++) {
        if (wanted(entries[i]->d_name, argc, argv)) try_file(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    rmdir(out_folder);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
