// draw/gnuplot.c: starting gnuplot and checking what it wrote.
#include "draw/gnuplot.h"

#include "os/files.h"
#include "os/program.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void lmb_gnuplot_quote(FILE *f, const char *s) {
    fputc('\'', f);
    for (; *s; s++) {
        if (*s == '\'') fputc('\'', f);
        fputc((unsigned char)*s < 0x20 ? ' ' : *s, f);
    }
    fputc('\'', f);
}

lmb_status lmb_gnuplot_terminal(FILE *f, const char *path, int height, lmb_error *err) {
    const char *dot = strrchr(path, '.'), *end = dot ? dot + 1 : "";
    if (strcmp(end, "svg") == 0)
        fprintf(f,
                "set terminal svg noenhanced size 1000,%d font 'sans,13' linewidth 1.2 background 'white'\n",
                height);
    else if (strcmp(end, "png") == 0)
        fprintf(f, "set terminal pngcairo noenhanced size 1000,%d font 'sans,11' linewidth 1.5\n", height);
    else if (strcmp(end, "pdf") == 0)
        fprintf(f, "set terminal pdfcairo noenhanced size 20cm,%gcm font 'sans,10' linewidth 1.5\n",
                0.02 * height);
    else
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "unsupported plot format '%.300s'; supported: .svg, .png, .pdf", path);
    return LMB_OK;
}

// runs gnuplot on the commands in f, without the user's start-up files; what it says is not shown
static lmb_status run(FILE *f, int out, const char *path, lmb_error *err) {
    char *argv[] = {"gnuplot", "-d", NULL};
    int status = 0;
    rewind(f);
    int failed = lmb_program_run(&status, argv, fileno(f), out);
    if (failed == ENOENT)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "plotting requires gnuplot; install it (Debian: apt install gnuplot-nox)");
    if (failed)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot start gnuplot: %s", strerror(failed));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "gnuplot could not write '%.400s'", path);
}

// gnuplot does not tell when the disk is full: a whole picture ends as its kind does
static lmb_status check_end(int out, const char *path, lmb_error *err) {
    static const char *const ends[] = {"</svg>", "IEND", "%%EOF"};
    char tail[64] = "";
    lmb_file_about about;
    long long from = lmb_file_look(&about, out) && about.bytes > 60 ? about.bytes - 60 : 0;
    ssize_t n = pread(out, tail, 60, from);
    for (int i = 0; n > 0 && i < LMB_COUNT(ends); i++)
        if (memmem(tail, (size_t)n, ends[i], strlen(ends[i]))) return LMB_OK;
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                    "cannot write '%.400s': gnuplot did not finish it; is the disk full?", path);
}

lmb_status lmb_gnuplot_run(FILE *f, int out, const char *path, lmb_error *err) {
    lmb_status st = run(f, out, path, err);
    return st == LMB_OK ? check_end(out, path, err) : st;
}
