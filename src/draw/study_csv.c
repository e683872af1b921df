// draw/study_csv.c: the table of a study as CSV.
#include "draw/exports.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "store/study_file.h"

#include <errno.h>
#include <string.h>

static void put_header(FILE *f, const lmb_study_file *s) {
    fputs("member", f);
    for (int i = 0; i < s->parameters; i++) fputc(',', f), lmb_csv_heading(f, s->parameter_name[i], "");
    for (int i = 0; i < s->measures; i++)
        fputc(',', f), lmb_csv_heading(f, s->measure_name[i], s->measure_unit[i]);
    fputs(",status,message\n", f);
}

static void put_numbers(FILE *f, const double *row, int count) {
    for (int i = 0; i < count; i++) fputc(',', f), lmb_csv_number(f, row[i]);
}

static void put_row(FILE *f, const lmb_study_file *s, int k) {
    fprintf(f, "%d", k + 1);
    put_numbers(f, s->parameter + (size_t)k * (size_t)s->parameters, s->parameters);
    put_numbers(f, s->measure + (size_t)k * (size_t)s->measures, s->measures);
    fprintf(f, ",%s,", lmb_study_status_name(s->status[k]));
    lmb_csv_heading(f, s->message_text[s->message[k]], "");
    fputc('\n', f);
}

static void put_all(FILE *f, const lmb_study_file *s) {
    lmb_plain_locale locale = lmb_locale_begin();
    put_header(f, s);
    for (int k = 0; k < s->members; k++) put_row(f, s, k);
    lmb_locale_end(locale);
}

lmb_status lmb_study_csv_write(const char *path, const lmb_study_file *s, const char *input, lmb_error *err) {
    lmb_outfile o;
    if (strcmp(path, "-") == 0) {
        put_all(stdout, s);
        return fflush(stdout) == 0 ? LMB_OK : lmb_output_fail(err, "standard output", errno);
    }
    lmb_output_sweep(path);
    lmb_status st = lmb_outfile_open(&o, path, input, err);
    if (st != LMB_OK) return st;
    put_all(o.f, s);
    return lmb_outfile_close(&o, LMB_OK, err);
}

lmb_status lmb_study_csv_export(const char *path, const char *study, lmb_error *err) {
    lmb_study_file f;
    lmb_status st = lmb_study_file_read(&f, NULL, study, -1, err);
    if (st == LMB_OK) st = lmb_study_csv_write(path, &f, study, err);
    lmb_study_file_free(&f);
    return st;
}
