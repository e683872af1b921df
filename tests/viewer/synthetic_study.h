// tests/viewer/synthetic_study.h: studies for the tests of the page.
#ifndef SYNTHETIC_STUDY_H
#define SYNTHETIC_STUDY_H

#include "store/study_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// N members: peak = sqrt(m/k), first = k + m; k over two decades by its logarithm, m = 1, 2, 3; every seventh member failed, the last did
// not run.  method: "", "sobol" or "morris"; bite: part of every name.
static lmb_status make_study(const char *path, int n, const char *method, const char *bite, lmb_error *err) {
    enum { P = 3, M = 2, C = 6 };
    static char *sobol[] = {"first", "first_low", "first_high", "total", "total_low", "total_high"},
                *morris[] = {"mu", "mu_star", "sigma"}, *scales[] = {"log", "linear", "linear"};
    char k_name[300], peak[300], message[300];
    snprintf(k_name, sizeof k_name, "k%s", bite), snprintf(peak, sizeof peak, "peak%s", bite);
    snprintf(message, sizeof message, "it broke%s", bite);
    char *names[] = {k_name, "m", "fixed"}, *sources[] = {"1e3:1e5:log", "1,2,3", "7"}, *units[] = {"m", ""},
         *measures[] = {peak, "sum"}, *texts[] = {"max(x)", "end(y)"}, *messages[] = {"", message};
    double *value = calloc((size_t)n * P, sizeof *value), *measured = calloc((size_t)n * M, sizeof *measured),
           *seconds = calloc((size_t)n, sizeof *seconds), index[M * P * C];
    int *status = calloc((size_t)n, sizeof *status), *which = calloc((size_t)n, sizeof *which);
    for (int i = 0; i < n; i++) {
        double k = 1e3 * pow(100, (i / 3) / (n / 3 - 1.0)), m = 1 + i % 3;
        status[i] = i == n - 1 ? -1 : i % 7 == 6 ? 1 : 0, which[i] = status[i] == 1;
        memcpy(value + (size_t)i * P, (double[]){k, m, 7}, P * sizeof *value);
        bool done = status[i] == 0;
        measured[i * M] = done ? sqrt(m / k) : NAN, measured[i * M + 1] = done ? k + m : NAN;
    }
    for (int i = 0; i < M * P * C; i++) index[i] = 0.02 * i;
    bool is_sobol = strcmp(method, "sobol") == 0, is_morris = strcmp(method, "morris") == 0;
    const lmb_study_file f = {
        .version = "0",
        .created = "",
        .command = "limber study",
        .text = {"limber: 1\n", "my models/spring.yaml", "/spring.yaml", "x", "grid", "1", "failed"},
        .members = n,
        .parameters = P,
        .measures = M,
        .messages = 2,
        .columns = is_sobol    ? 6
                   : is_morris ? 3
                               : 0,
        .parameter_name = names,
        .parameter_source = sources,
        .parameter_scale = scales,
        .parameter = value,
        .measure_name = measures,
        .measure_source = texts,
        .measure_unit = units,
        .measure = measured,
        .status = status,
        .message = which,
        .seconds = seconds,
        .message_text = messages,
        .method = (char *)method,
        .column = is_sobol ? sobol : morris,
        .sensitivity = index};
    lmb_status st = lmb_study_file_write(path, &f, err);
    free(value), free(measured), free(seconds), free(status), free(which);
    return st;
}

#endif
