// draw/gnuplot.c: starting gnuplot and checking what it wrote.
#include "draw/gnuplot.h"

#include "os/files.h"
#include "os/outfile.h"
#include "os/program.h"

#include <errno.h>
#include <math.h>
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

void lmb_gnuplot_number(FILE *f, double x) {
    if (isfinite(x)) fprintf(f, " %.12g", x);
    else fputs(" NaN", f);
}

// numbers beside the bar: of logarithms over less than two decades at equal factors
static void bar_tics(FILE *f, const lmb_spread *s) {
    enum { TICS = 4 };
    fputs("set cbtics autofreq format '%g'\n", f);
    if (!s->log || s->high >= 100 * s->low) return;
    fputs("set cbtics (", f);
    for (int i = 0; i <= TICS; i++) {
        double x = s->low * pow(s->high / s->low, i / (double)TICS);
        fprintf(f, "%s'%.3g' %.17g", i ? ", " : "", x, x);
    }
    fputs(")\n", f);
}

void lmb_gnuplot_bar(FILE *f, const lmb_spread *s, const char *title) {
    enum { STOPS = 33 };
    fputs("set palette defined (", f);
    for (int i = 0; i < STOPS; i++)
        fprintf(f, "%s%d '%s'", i ? ", " : "", i, lmb_ramp_hex(i / (STOPS - 1.0), LMB_ON_WHITE).text);
    fprintf(f, ")\n%s logscale cb; set cbrange [%.17g:%.17g]\n", s->log ? "set" : "unset", s->low, s->high);
    fputs("set colorbox user origin graph 1.05, graph 0.05 size graph 0.025, graph 0.7\n"
          "set cblabel ",
          f);
    lmb_gnuplot_quote(f, title);
    fputs(" noenhanced\n", f);
    bar_tics(f, s);
}

static lmb_status draw_into(int out, const char *path, lmb_gnuplot_writer *write, void *user,
                            lmb_error *err) {
    FILE *f = lmb_scratch_file();
    if (f == NULL)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot create a temporary file: %s",
                        strerror(errno));
    lmb_status st = write(f, user, err);
    if (st == LMB_OK && (fflush(f) != 0 || ferror(f)))
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot write a temporary file: %s", strerror(errno));
    if (st == LMB_OK) st = run(f, out, path, err);
    fclose(f);
    return st == LMB_OK ? check_end(out, path, err) : st;
}

lmb_status lmb_gnuplot_picture(const char *path, const char *const *inputs, int input_count,
                               lmb_gnuplot_writer *write, void *user, lmb_error *err) {
    char *part;
    int out;
    lmb_status st = LMB_OK;
    for (int i = 0; i < input_count && st == LMB_OK; i++) st = lmb_output_check(path, inputs[i], err);
    if (st == LMB_OK) lmb_output_sweep(path), st = lmb_output_begin(&part, &out, path, err);
    if (st != LMB_OK) return st;
    st = draw_into(out, path, write, user, err);
    return lmb_output_end(&part, out, path, st, err);
}
