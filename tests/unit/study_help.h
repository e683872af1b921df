// tests/unit/study_help.h: a small study file.
#ifndef STUDY_HELP_H
#define STUDY_HELP_H

#include "store/study_file.h"

#include <math.h>

// three members of two parameters, two measures: done, failed, not run; indices of sensitivity
static inline lmb_study_file study_sample(void) {
    static char *names[] = {"k", "L"}, *sources[] = {"1e3:1e5:3log", "0.3"}, *scales[] = {"log", "linear"};
    static char *measures[] = {"peak", "fall, \"late\""}, *texts[] = {"max(tip.y)", "first(tip.y)"},
                *units[] = {"m", "s"};
    static char *messages[] = {"", "it broke, \"twice\""}, *columns[] = {"mu", "mu_star", "sigma"};
    static double values[] = {1e3, 0.3, 1e4, 0.3, 1e5, 0.3}, seconds[] = {0.5, 0.25, NAN};
    static double measured[] = {1, 2, NAN, NAN, NAN, NAN};
    static double indices[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static int status[] = {0, 1, -1}, message[] = {0, 1, 0};
    return (lmb_study_file){
        .version = "0.2.0",
        .created = "",
        .command = "",
        .text = {"limber: 1\n", "arm.yaml", "/models/arm.yaml", "abc", "grid", "1", "none"},
        .members = 3,
        .parameters = 2,
        .measures = 2,
        .messages = 2,
        .columns = 3,
        .parameter_name = names,
        .parameter_source = sources,
        .parameter_scale = scales,
        .parameter = values,
        .measure_name = measures,
        .measure_source = texts,
        .measure_unit = units,
        .measure = measured,
        .status = status,
        .message = message,
        .seconds = seconds,
        .message_text = messages,
        .method = "morris",
        .column = columns,
        .sensitivity = indices};
}

#endif
